#!/usr/bin/env python3
"""Checks the pages (README.md, the other pages beside it, docs/) without the network.

- Every link to a file of the repository has a target, and every anchor a heading. Anchors must be the same on GitHub and on the site.
- tasks.tsv: what new readers want to do. Each row has a path of links from README.md, three at most, and each link must be on the page before it.
- Every page of docs/ can be reached from README.md.
- scripts/site.sh has every page and every file that a page links to.

usage: check_docs.py [ROOT]
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2]).resolve()
MOST_STEPS = 3
faults = []


def plain(text):
    """The page without its blocks of code, in which brackets are no links and # no headings."""
    return re.sub(r"^( *)```.*?^\1```$", "", text, flags=re.S | re.M)


def headings(text):
    """The anchors of a page, as GitHub makes them; a fault for each that the site would make otherwise."""
    anchors = {}
    for title in re.findall(r"^#{1,6} +(.*?) *#*$", plain(text), re.M):
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).replace("`", "").replace("*", "")
        github = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        site = re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", title.encode("ascii", "ignore").decode()).strip().lower())
        number = anchors.get(github, (0, ""))[0]
        anchors[github] = (number + 1, site)
    return anchors


def links(text):
    """The targets of a page's links and pictures."""
    return re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", plain(text)))


def resolve(page, target):
    """(file, anchor) of a link on a page, relative to the root; None for addresses of the web."""
    if re.match(r"[a-z]+:", target):
        return None
    path, _, anchor = target.partition("#")
    file = (ROOT / page).parent / path if path else ROOT / page
    return file.resolve(), anchor


def check_links(pages):
    count = 0
    anchors = {(ROOT / page).resolve(): headings(text) for page, text in pages.items()}
    for page, text in pages.items():
        for target in links(text):
            resolved = resolve(page, target)
            if not resolved:
                continue
            count += 1
            file, anchor = resolved
            if not file.exists():
                faults.append(f"{page}: {target}: there is no such file")
            elif anchor and anchor not in anchors.get(file, {}):
                near = ", ".join(name for name in anchors.get(file, {}) if set(name.split("-")) & set(anchor.split("-")))
                faults.append(f"{page}: {target}: there is no such heading; near ones: {near or 'none'}")
            elif anchor and anchors[file][anchor] != (1, anchor):
                faults.append(f"{page}: {target}: the heading occurs twice, or the site has another anchor ({anchors[file][anchor][1]})")
    return count


def check_reach(pages):
    reached, ahead = set(), ["README.md"]
    while ahead:
        page = ahead.pop()
        if page in reached or page not in pages:
            continue
        reached.add(page)
        for target in links(pages[page]):
            if resolved := resolve(page, target):
                if resolved[0].is_relative_to(ROOT):
                    ahead.append(str(resolved[0].relative_to(ROOT)))
    for page in sorted(pages.keys() - reached):
        faults.append(f"{page}: no path of links leads here from README.md")


def check_tasks(pages):
    rows = [line.split("\t") for line in (ROOT / "tests/docs/tasks.tsv").read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    for reader, task, path in rows:
        steps = path.split(" > ")
        if steps[0] != "README.md" or not 2 <= len(steps) <= MOST_STEPS + 1:
            faults.append(f"tasks.tsv: {task}: a path begins at README.md and has one to {MOST_STEPS} links")
        for here, there in zip(steps, steps[1:]):
            page, wanted = here.partition("#")[0], resolve("README.md", there)
            if wanted not in [resolve(page, target) for target in links(pages.get(page, ""))]:
                faults.append(f"tasks.tsv: {task} ({reader}): {page} has no link to {there}")
    readers = [reader for reader, _, _ in rows]
    return len(rows), {reader: readers.count(reader) for reader in dict.fromkeys(readers)}


def check_site(pages):
    """Pages and files that scripts/site.sh does not know end its build, which needs the network."""
    script = (ROOT / "scripts/site.sh").read_text(encoding="utf-8")
    menu = set(re.findall(r"[\w-]+\.md", script[script.index("\nnav:"):]))
    for page in pages:
        name = page.removeprefix("docs/")
        if name != "README.md" and "/" not in name and name not in menu:
            faults.append(f"{page}: is not in the menu of scripts/site.sh")
        for target in links(pages[page]):
            resolved = resolve(page, target)
            if resolved and resolved[0].is_relative_to(ROOT):
                top = resolved[0].relative_to(ROOT).parts[0]
                if top not in ("docs", "packaging", "LICENSE") and not top.endswith(".md"):
                    faults.append(f"{page}: {target}: is not copied by scripts/site.sh")


def main():
    names = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
    pages = {str(name.relative_to(ROOT)): name.read_text(encoding="utf-8") for name in names}
    count = check_links(pages)
    check_reach(pages)
    check_site(pages)
    tasks, readers = check_tasks(pages)
    print("\n".join(faults))
    print(f"{len(pages)} pages, {count} links within, {tasks} tasks {readers}: {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
