#!/usr/bin/env python3
"""Checks that includes point down only (docs/architecture.md, layers). Prints each that does not and exits 1."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The floors of src, lowest first: a folder may include those of lower floors, itself, the public headers and the standard library.
# Folders of one floor do not see one another.
FLOORS = [
    ["base"],
    ["kernel", "theory"],
    ["io/bytes"],
    ["io/run_file", "io/formats"],
    ["io/source", "feature", "family", "match", "report"],
    ["collect"],
    ["search"],
    ["group"],
    ["query"],
    ["analysis"],
    ["runs"],
    ["index"],
]
# What lower floors hold and these folders have no business with.
NOT_FOR = {
    "io": ["report"],
    "feature": ["io"],
    "family": ["io"],
    "match": ["io"],
    "report": ["io"],
}
FLOOR = {folder: number for number, floor in enumerate(FLOORS) for folder in floor}
# Third-party headers and the only folders that may name them.
THIRD_PARTY = {
    r"hwy/": ["kernel"],
    r"simdjson": ["io"],
    r"zlib\.h": ["io"],
    r"zstd\.h": ["io"],
    r"utf8proc": ["base", "feature"],
    r"xxhash": ["base", "collect", "index"],
    r"lmdb\.h": ["index"],
    r"fmt/": ["io", "collect", "search", "group", "query", "analysis", "runs", "index", "cli", "server"],
    r"boost/": ["server"],
    r"CLI/": ["cli"],
    r"pybind11/": ["python"],
}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


def includes(path):
    text = path.read_text(encoding="utf-8")
    for match in INCLUDE.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match.group(1), match.group(2)


def folder_of(name):
    """The folder of FLOORS that a header below src lies in, or None."""
    parts = name.split("/")
    return next((f for f in ("/".join(parts[:2]), parts[0]) if f in FLOOR), None)


def faults_of_source(path, folder):
    top = folder.split("/")[0]
    for line, quote, name in includes(path):
        other = folder_of(name) if quote == '"' else None
        if other and other != folder:
            if FLOOR[other] >= FLOOR[folder] or other.split("/")[0] in NOT_FOR.get(top, []):
                yield line, f"{folder} includes {name}, which is not below it"
            if other == "report":
                yield line, f"{folder} includes {name}; nothing in src depends on the pages"
        for pattern, allowed in THIRD_PARTY.items():
            if quote == "<" and re.match(pattern, name) and top not in allowed:
                yield line, f"{folder} includes {name}, which belongs in {', '.join(allowed)}"


def faults_of_public_header(path):
    first_shelf = path.parent.name != "tools"
    for line, quote, name in includes(path):
        if first_shelf and name.startswith("nearkin/tools/"):
            yield line, f"a header of the first shelf includes {name}, which is on the second"
        if quote == '"' or ("/" in name and not name.startswith("nearkin/")):
            yield line, f"a public header includes {name}; only nearkin/ and the standard library are allowed"


def faults_of_application(path, application):
    for line, quote, name in includes(path):
        if quote == '"' and folder_of(name):
            yield line, f"an application includes {name}; it may see include/nearkin only"
        if name.startswith("boost/") and application != "server":
            yield line, f"{application} includes {name}, which belongs in server"


def main():
    faults = []
    for path in sorted((ROOT / "src").glob("**/*")):
        if path.suffix not in (".h", ".cc"):
            continue
        folder = path.parent.relative_to(ROOT / "src").as_posix()
        if folder in FLOOR:
            faults += [f"{path.relative_to(ROOT)}:{line}: {what}" for line, what in faults_of_source(path, folder)]
        else:
            faults.append(f"src/{folder}: a folder without a floor; add it to scripts/check_layers.py and docs/architecture.md")
    for path in sorted((ROOT / "include").glob("**/*.h")):
        faults += [f"{path.relative_to(ROOT)}:{line}: {what}" for line, what in faults_of_public_header(path)]
    for application in ("cli", "server", "python", "examples"):
        for path in sorted((ROOT / application).glob("**/*")):
            if path.suffix in (".h", ".cc"):
                faults += [f"{path.relative_to(ROOT)}:{line}: {what}" for line, what in faults_of_application(path, application)]
    print("\n".join(faults) if faults else "layers: includes point down")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
