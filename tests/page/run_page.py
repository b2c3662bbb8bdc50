#!/usr/bin/env python3
"""Makes report pages with the command line tool and tests them in a headless browser (page_test.mjs).

usage: run_page.py NEARKIN WORK_FOLDER [--pages-only]

Needs chromium, node and npm, and playwright-core, which npm fetches into WORK_FOLDER as package-lock.json says. Where one of them cannot
be had, says so and exits with 77, which ctest counts as skipped.
"""
import json
import pathlib
import random
import shutil
import struct
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77
SHINGLE = 5
THRESHOLD = "0.5"
WORDS = """harbour storm ferry mooring quay evening repair week master ship captain lantern anchor weather wind tide signal crew deck cargo
timber rope sail market window street bridge tower river garden winter summer letter paper office clock station train carriage road
village church school teacher doctor farmer baker kitchen table bread butter apple orchard meadow horse cattle fence stone wall roof""".split()
HOSTILE = ["<script>window.hacked=1</script>", "<img src=x onerror=\"window.hacked=2\">", "</script><b onclick='window.hacked=3'>"]
RARE = "zanzibar"
MANY_TEXTS = 141
SHORT_PAIRS = 600
SHOWN_BYTES = 200_000  # of a long text on a page


def skip(why):
    print(f"page test skipped: {why}")
    sys.exit(SKIPPED)


def sentence(random_words, length):
    return " ".join(random_words.choice(WORDS) for _ in range(length)) + "."


def changed(random_words, sentences):
    """The same text with one sentence of it written anew."""
    out = list(sentences)
    out[random_words.randrange(len(out))] = sentence(random_words, 8)
    return out


def documents():
    """Texts in families of near-duplicates, exact copies, some of their own, an empty one, and hostile ones."""
    draw = random.Random(7)
    out = []
    for family in range(12):
        first = [sentence(draw, 9) for _ in range(8)]
        if family == 3:
            first[2] = f"The {RARE} sailed at noon, with nine hands and no captain."
        out.append((f"news/{family}/first", "\n\n".join(first)))
        for copy in range(1 + family % 4):
            out.append((f"news/{family}/copy-{copy}", "\n\n".join(changed(draw, first))))
    out.append(("news/again", out[0][1]))
    out += [(f"single/{i}", "\n".join(sentence(draw, 12) for _ in range(6))) for i in range(30)]
    out.append(("empty", " ... "))
    attack = [f"{sentence(draw, 7)} {text} {sentence(draw, 7)}" for text in HOSTILE * 2]
    out.append((HOSTILE[0] + "\"'&", "\n".join(attack)))
    # The largest cluster, of which a pair is always listed.
    out += [(f"{HOSTILE[1]} {i}", "\n".join(attack[:-1] + [sentence(draw, 9)])) for i in range(9)]
    return out


def write_long(folder):
    """Two long texts with their halves changed over, and two that differ in a price."""
    draw = random.Random(9)
    halves = ["\n".join(sentence(draw, 12) for _ in range(30)) for _ in range(2)]
    prices = [f"{sentence(draw, 40)} The price fell to {price} dollars a barrel on Friday. {sentence(draw, 40)}" for price in ("66.00",)]
    prices.append(prices[0].replace("66.00", "65.75"))
    texts = {"forth": "\n".join(halves), "back": "\n".join(reversed(halves)), "price-a": prices[0], "price-b": prices[1]}
    (folder / "decisions.tsv").write_text("forth\tprice-a\taccept\nprice-a\tprice-b\treject\n", encoding="utf-8")
    (folder / "long.jsonl").write_text("".join(json.dumps({"id": name, "text": text}) + "\n" for name, text in texts.items()), encoding="utf-8")


def write_big(folder):
    """Two texts that differ in two words behind what a page holds of them. Returns how many bytes of each it leaves out, as the page writes that."""
    words = [f"word{i:05d}" for i in range(26_000)]
    first = " ".join(words)
    words[24_000], words[25_000] = "changed00", "changed01"
    second = " ".join(words)
    (folder / "big.jsonl").write_text("".join(json.dumps({"id": name, "text": text}) + "\n" for name, text in (("big-a", first), ("big-b", second))), encoding="utf-8")
    return f"{len(first) - SHOWN_BYTES:,}"


def write_short(folder):
    """More pairs than a run marks, each of two texts that are longer than what a row shows of them."""
    draw = random.Random(13)
    with open(folder / "short.jsonl", "w", encoding="utf-8") as file:
        for i in range(SHORT_PAIRS):
            text = f"{sentence(draw, 20)} This is the ending of {i}."
            for name, changed_text in (("a", text), ("b", text + " Again" * (i % 3))):
                file.write(json.dumps({"id": f"{name}/{i}", "text": changed_text}) + "\n")


def write_chains(folder):
    """Texts that overlap with the next ones alone, so the ends of the chain are not alike, and a shorter chain."""
    draw = random.Random(12)
    lines = []
    for name, length in (("link", 8), ("short", 3)):
        words = [f"{draw.choice(WORDS)}{i}" for i in range(200)]
        lines += [json.dumps({"id": f"{name}-{i}", "text": " ".join(words[12 * i:12 * i + 80])}) for i in range(length)]
    (folder / "chain.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_many(folder):
    """Texts that are all alike: some ten thousand pairs."""
    draw = random.Random(10)
    words = sentence(draw, 80).split()
    with open(folder / "many.jsonl", "w", encoding="utf-8") as file:
        for i in range(MANY_TEXTS):
            changed_words = list(words)
            for place in draw.sample(range(80), draw.randrange(1, 4)):
                changed_words[place] = f"word{i}x{place}"
            file.write(json.dumps({"id": f"doc-{i}", "text": " ".join(changed_words)}) + "\n")


def write_images(folder):
    """Six pictures of 4 by 5 in the form of MNIST, two of them nearly the same."""
    draw = random.Random(11)
    pictures = [[draw.randrange(256) for _ in range(20)] for _ in range(5)]
    pictures[2][7] = 255
    pictures.append([value - 1 if i == 3 and value > 0 else value for i, value in enumerate(pictures[2])])
    header = struct.pack(">BBBBIII", 0, 0, 8, 3, len(pictures), 4, 5)
    (folder / "images-idx3-ubyte").write_bytes(header + bytes(value for picture in pictures for value in picture))


def write_inputs(folder):
    docs = documents()
    lines = [json.dumps({"id": name, "text": text}) for name, text in docs]
    lines.insert(5, '{"id": "broken", "text": ')
    lines.insert(9, json.dumps({"id": HOSTILE[2]}))  # no text: named among the faults
    (folder / "docs.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "first.txt").write_text(docs[0][1], encoding="utf-8")
    (folder / "first-again.txt").write_text(docs[0][1].replace("\n\n", "\n"), encoding="utf-8")
    (folder / "second.txt").write_text(docs[1][1], encoding="utf-8")
    write_long(folder)
    big_left_out = write_big(folder)
    write_short(folder)
    write_chains(folder)
    write_many(folder)
    write_images(folder)
    draw = random.Random(8)
    centres = [[draw.uniform(-1, 1) for _ in range(16)] for _ in range(20)]
    rows = [[x + draw.uniform(-0.05, 0.05) for x in draw.choice(centres)] for _ in range(120)]
    (folder / "vectors.csv").write_text("\n".join(",".join(f"{x:.4f}" for x in row) for row in rows) + "\n", encoding="utf-8")
    (folder / "suite.jsonl").write_text("".join(json.dumps({"id": name, "text": text.split("\n")[0]}) + "\n" for name, text in docs[:6]), encoding="utf-8")
    return docs, big_left_out


# Every page: its name and the command that makes it.
COMMANDS = {
    "dedup": ["dedup", "docs.jsonl", "--threshold", THRESHOLD, "--audit", "30", "-o", "kept.jsonl"],
    "pairs": ["pairs", "docs.jsonl", "--threshold", THRESHOLD, "--recall", "1", "-o", "pairs.tsv"],
    "cluster": ["cluster", "docs.jsonl", "--measure", "containment", "--threshold", "0.6", "-o", "clusters.tsv"],
    "long": ["pairs", "long.jsonl", "--threshold", "0.5", "--recall", "1", "-o", "long.tsv"],
    "decided": ["pairs", "long.jsonl", "--threshold", "0.5", "--recall", "1", "--decisions", "decisions.tsv", "-o", "decided.tsv"],
    "onetoone": ["pairs", "docs.jsonl", "--threshold", THRESHOLD, "--recall", "1", "--one-to-one", "-o", "onetoone.tsv"],
    "big": ["dedup", "big.jsonl", "--threshold", "0.5", "-o", "big-kept.jsonl"],
    "same": ["compare", "first.txt", "first-again.txt", "-o", "same.txt"],
    "short": ["pairs", "short.jsonl", "--threshold", "0.5", "--recall", "1", "-o", "short.tsv"],
    "hits": ["decontaminate", "docs.jsonl", "--against", "suite.jsonl", "-o", "hits.tsv"],
    "chain": ["cluster", "chain.jsonl", "--threshold", "0.6", "--recall", "1", "-o", "chain.tsv"],
    "none": ["pairs", "chain.jsonl", "--threshold", "0.75", "--recall", "0.99", "-o", "none.tsv"],
    "many": ["pairs", "many.jsonl", "--threshold", "0.3", "--shingle", "word:2", "--recall", "1", "-o", "many.tsv"],
    "passages": ["passages", "long.jsonl", "--least", "6", "-o", "passages.tsv"],
    "images": ["pairs", "images-idx3-ubyte", "--measure", "euclidean", "--radius", "5", "--recall", "1", "-o", "images.tsv"],
    "tune": ["tune", "docs.jsonl", "--threshold", THRESHOLD, "-o", "plan.txt"],
    "compare": ["compare", "first.txt", "second.txt", "-o", "compare.txt"],
    "vectors": ["pairs", "vectors.csv", "--format", "dense", "--measure", "euclidean", "--radius", "0.3", "-o", "near.tsv"],
    "evaluate": ["evaluate", "vectors.csv", "--format", "dense", "--measure", "cosine", "--limit", "5", "--sweep", "rows=4,8,12", "--bands", "8",
                 "-o", "evaluation.txt"],
}


def make_pages(tool, folder):
    docs, big_left_out = write_inputs(folder)
    for name, command in COMMANDS.items():
        run = subprocess.run([tool, *command, "--report", f"{name}.html"], cwd=folder, capture_output=True, text=True, check=False)
        expected = 1 if command[1] == "docs.jsonl" and command[0] != "dedup" else 0  # two records are at fault, which dedup keeps
        if run.returncode != expected:
            sys.exit(f"{' '.join(command)}: exit status {run.returncode}\n{run.stderr}")
    kept = len((folder / "kept.jsonl").read_text(encoding="utf-8").splitlines())
    facts = {"threshold": THRESHOLD, "removed": len(docs) + 2 - kept, "shingle": SHINGLE, "hostile": HOSTILE, "rare": RARE, "many": MANY_TEXTS * (MANY_TEXTS - 1) // 2,
             "manyTexts": MANY_TEXTS, "short": SHORT_PAIRS, "bigLeftOut": big_left_out,
             "decisions": (folder / "decisions.tsv").read_text(encoding="utf-8")}
    (folder / "facts.json").write_text(json.dumps(facts), encoding="utf-8")


def modules_in(work):
    """The folder with playwright-core, fetched unless it is there in the right version."""
    for name in ("package.json", "package-lock.json"):
        if not (work / name).exists() or (work / name).read_bytes() != (HERE / name).read_bytes():
            shutil.rmtree(work / "node_modules", ignore_errors=True)
            shutil.copy(HERE / name, work / name)
    if not (work / "node_modules" / "playwright-core" / "package.json").exists():
        try:
            run = subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel", "error"],
                                 cwd=work, capture_output=True, text=True, check=False, timeout=120)
        except subprocess.TimeoutExpired:
            skip("npm could not fetch playwright-core within two minutes")
        if run.returncode != 0:
            skip(f"npm could not fetch playwright-core: {(run.stderr.strip().splitlines() or ['it does not say why'])[0]}")
    return work / "node_modules"


def main():
    tool, work = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
    pages = work / "pages"
    shutil.rmtree(pages, ignore_errors=True)
    pages.mkdir(parents=True)
    make_pages(tool, pages)
    if "--pages-only" in sys.argv:
        return 0
    for command in ("chromium", "node", "npm"):
        if shutil.which(command) is None:
            skip(f"no browser can be driven: there is no command \"{command}\" here (scripts/setup.sh tests installs it where it can)")
    modules = modules_in(work)
    return subprocess.run(["node", HERE / "page_test.mjs", modules, shutil.which("chromium"), pages], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
