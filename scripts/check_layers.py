#!/usr/bin/env python3
"""Checks that includes point down only (docs/architecture.md, layers). Prints each that does not and exits 1."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# What each folder of src may include, beside itself, the public headers and the standard library.
BELOW = {
    "base": [],
    "kernel": ["base"],
    "theory": ["base"],
    "io": ["base", "kernel", "theory"],
    "feature": ["base", "kernel", "theory"],
    "family": ["base", "kernel", "theory"],
    "match": ["base", "kernel", "theory"],
    "pipeline": ["base", "kernel", "theory", "io", "feature", "family", "match"],
    "index": ["base", "kernel", "theory", "io", "feature", "family", "match", "pipeline"],
    "report": ["base", "kernel", "theory"],
}
# Third-party headers and the only folders that may name them.
THIRD_PARTY = {
    r"hwy/": ["kernel"],
    r"simdjson": ["io"],
    r"zlib\.h": ["io"],
    r"zstd\.h": ["io"],
    r"utf8proc": ["base", "feature"],
    r"xxhash": ["base", "pipeline", "index"],
    r"lmdb\.h": ["index"],
    r"fmt/": ["io", "pipeline", "index", "cli", "server"],
    r"boost/": ["server"],
    r"CLI/": ["cli"],
    r"pybind11/": ["python"],
}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


def includes(path):
    text = path.read_text(encoding="utf-8")
    for match in INCLUDE.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match.group(1), match.group(2)


def faults_of_source(path, folder):
    for line, quote, name in includes(path):
        top = name.split("/")[0]
        if quote == '"' and top in BELOW and top != folder and top not in BELOW[folder]:
            yield line, f"{folder} includes {name}; it may see only {', '.join(BELOW[folder]) or 'itself'}"
        for pattern, allowed in THIRD_PARTY.items():
            if quote == "<" and re.match(pattern, name) and folder not in allowed:
                yield line, f"{folder} includes {name}, which belongs in {', '.join(allowed)}"


def faults_of_public_header(path):
    for line, quote, name in includes(path):
        if quote == '"' or ("/" in name and not name.startswith("nearkin/")):
            yield line, f"a public header includes {name}; only nearkin/ and the standard library are allowed"


def faults_of_application(path, application):
    for line, quote, name in includes(path):
        if quote == '"' and name.split("/")[0] in BELOW:
            yield line, f"an application includes {name}; it may see include/nearkin only"
        if name.startswith("boost/") and application != "server":
            yield line, f"{application} includes {name}, which belongs in server"


def main():
    faults = []
    for folder in sorted(p.name for p in (ROOT / "src").iterdir() if p.is_dir()):
        if folder not in BELOW:
            faults.append(f"src/{folder}: a folder without a layer; add it to scripts/check_layers.py and docs/architecture.md")
            continue
        for path in sorted((ROOT / "src" / folder).glob("**/*")):
            if path.suffix in (".h", ".cc"):
                faults += [f"{path.relative_to(ROOT)}:{line}: {what}" for line, what in faults_of_source(path, folder)]
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
