#!/usr/bin/env bash
# Builds the pages as a site with search: build/site, from README.md, docs/ and the other pages, by mkdocs-material. Links and anchors
# that are wrong end it. The exit status is 77 where the Python package registry cannot be reached.
# scripts/site.sh            builds it
# scripts/site.sh --serve    builds it, then shows it at http://127.0.0.1:8000
set -euo pipefail
cd "$(dirname "$0")/.."

env=build/site-env source=build/site-source
pins=(mkdocs-material==9.5.49 mkdocs==1.6.1 mkdocs-material-extensions==1.3.1 mkdocs-get-deps==0.2.2 pymdown-extensions==10.21.3 Markdown==3.11.3 Pygments==2.21.0
  Jinja2==3.1.6 MarkupSafe==3.0.4 PyYAML==6.0.3 pyyaml_env_tag==1.1 babel==2.18.0 click==8.5.1 colorama==0.4.6 ghp-import==2.1.0 mergedeep==1.3.4 packaging==26.3
  paginate==0.5.7 pathspec==1.1.1 platformdirs==4.14.5 python-dateutil==4.0.0 regex==2026.11.9 requests==2.34.2 certifi==2026.10.18 charset-normalizer==3.5.2
  idna==3.20 urllib3==2.8.0 watchdog==7.1.0 tzdata==2026.6)

if [ "$(cat "$env/pins" 2>/dev/null)" != "${pins[*]}" ]; then
  rm -rf "$env"
  python3 -m venv "$env" || { echo "site: SKIPPED: python3 -m venv does not work here (Debian: python3-venv)"; exit 77; }
  "$env/bin/python" -m pip --disable-pip-version-check -q install --no-deps "${pins[@]}" || { echo "site: SKIPPED: the Python package registry cannot be reached"; exit 77; }
  echo "${pins[*]}" > "$env/pins"
fi

# The pages as the site needs them: README.md is its first page, and everything lies in one folder.
"$env/bin/python" - "$source" <<'END'
import pathlib
import re
import shutil
import sys

source = pathlib.Path(sys.argv[1])
shutil.rmtree(source, ignore_errors=True)
shutil.copytree("docs", source)
for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"):
    shutil.copy(name, source / ("index.md" if name == "README.md" else name))
shutil.copy("LICENSE", source / "LICENSE.txt")
shutil.copytree("packaging", source / "packaging")


def link(match):
    target = match.group(1)
    if not re.match(r"[a-z]+:", target):
        target = target.removeprefix("../").removeprefix("docs/")
        target = re.sub(r"^README\.md", "index.md", target)
        target = re.sub(r"^LICENSE$", "LICENSE.txt", target)
    return f"]({target})"


def row(match):
    return re.sub(r"`[^`]*`", lambda code: code.group().replace("\\|", "|"), match.group())


summaries = {}
for page in sorted(source.glob("*.md")):
    parts = re.split(r"(^ *```.*?^ *```$)", page.read_text(encoding="utf-8"), flags=re.S | re.M)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"\]\(([^)\s]+)\)", link, parts[i])
        parts[i] = re.sub(r"^\|.*$", row, parts[i], flags=re.M)  # a bar in code needs no backslash here
    text = re.sub(r"^( *```\w+) .*$", r"\1", "".join(parts), flags=re.M)  # "python sklearn" is Python
    page.write_text(text, encoding="utf-8")
    title = re.search(r"^# (.*)$", text, re.M).group(1)
    first = next((part for part in re.split(r"\n\s*\n", text) if not part.startswith(("#", "!", "|", "```", "-"))), "")
    first = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(first.split()))
    summaries[page.name] = (title, re.split(r"(?<=[.!?]) ", first)[0])

# For programs that read documentation: https://llmstxt.org. The pages themselves are beside it as Markdown.
lines = [f"# {summaries['index.md'][0]}", "", f"> {summaries['index.md'][1]}", "", "## Pages", ""]
lines += [f"- [{title}]({name})" + (f": {summary}" if summary else "") for name, (title, summary) in summaries.items() if name not in ("index.md", "CHANGELOG.md")]
lines += ["", "## Optional", "", f"- [{summaries['CHANGELOG.md'][0]}](CHANGELOG.md)"]
(source / "llms.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")

(source.parent / "mkdocs.yml").write_text(f"""
site_name: nearkin
docs_dir: {source.name}
site_dir: site
use_directory_urls: false
theme:
  name: material
  font: false
  features: [navigation.sections, navigation.top, toc.follow, search.highlight, content.code.copy]
  palette:
    - media: "(prefers-color-scheme: light)"
      scheme: default
    - media: "(prefers-color-scheme: dark)"
      scheme: slate
plugins: [search]
markdown_extensions:
  - tables
  - sane_lists
  - toc:
      permalink: true
  - pymdownx.superfences
  - pymdownx.highlight
validation:
  nav:
    omitted_files: warn
    not_found: warn
  links:
    not_found: warn
    anchors: warn
    absolute_links: warn
    unrecognized_links: warn
nav:
  - Start: index.md
  - Learn: [install.md, guide.md, matching.md, passages.md, theory.md, glossary.md, faq.md]
  - Look up: [reference.md, warnings.md, python.md, server.md, spark.md, engines.md, migrate.md]
  - Evidence: [benchmarks.md, performance.md, scale.md, experiments.md, reliability.md]
  - Project: [architecture.md, CONTRIBUTING.md, SECURITY.md, CHANGELOG.md]
""", encoding="utf-8")
END

# Not with --quiet, which keeps --strict from seeing warnings.
NO_MKDOCS_2_WARNING=1 "$env/bin/mkdocs" build --strict --clean -f build/mkdocs.yml > build/site.log 2>&1 || { cat build/site.log; exit 1; }
cp "$source"/*.md build/site/
echo "site: $(find build/site -name '*.html' | wc -l) pages in build/site"
if [ "${1:-}" = --serve ]; then
  exec python3 -m http.server --bind 127.0.0.1 --directory build/site 8000
fi
