#!/usr/bin/env python3
"""Writes what a release is made of: an SBOM (CycloneDX JSON), and the licences of all that is linked into its files.

Versions are those of Debian's packages on this machine, which the release is built from, or from packages of the same versions for another
machine; --root is where those are, with their licence texts.

usage: make_sbom.py --version V --machine x86_64 [--root FOLDER] [--pybind11 FOLDER] --sbom OUT.json --licences OUT.txt
"""
import argparse
import datetime
import json
import os
import pathlib
import subprocess
import uuid

# name, package with its licence, its SPDX expression, how it gets into the program
PARTS = [
    ("simdjson", "libsimdjson-dev", "Apache-2.0", "linked"),
    ("zlib", "zlib1g-dev", "Zlib", "linked"),
    ("zstd", "libzstd-dev", "BSD-3-Clause", "linked"),
    ("highway", "libhwy-dev", "Apache-2.0", "linked"),
    ("utf8proc", "libutf8proc-dev", "MIT AND Unicode-DFS-2016", "linked"),
    ("lmdb", "liblmdb-dev", "OLDAP-2.8", "linked"),
    ("fmt", "libfmt-dev", "MIT", "linked"),
    ("xxhash", "libxxhash-dev", "BSD-2-Clause", "headers"),
    ("CLI11", "libcli11-dev", "BSD-3-Clause", "headers; the command alone"),
    ("boost", "libboost1.81-dev", "BSL-1.0", "headers; the command alone"),
    ("openssl", "libssl-dev", "Apache-2.0", "linked; the command alone"),
    ("libstdc++", "libstdc++-12-dev", "GPL-3.0-or-later WITH GCC-exception-3.1", "linked"),
]
FULL_TEXTS = ("Apache-2.0", "GPL-3")  # that Debian's files refer to


def version_of(package):
    return subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], check=True, capture_output=True, text=True).stdout


def licence_text(name, path):
    text = path.read_text(encoding="utf-8", errors="replace")
    if name == "boost":  # two megabytes of every file's authors; the licence itself, which is the same for all headers that are used
        return next(part for part in text.split("\n\n") if part.startswith("License: BSL-1.0\n Boost Software License"))
    return text


def upstream(version):
    """1:1.2.13.dfsg-1+b1 -> 1.2.13"""
    version = version.split(":")[-1].rsplit("-", 1)[0]
    for mark in ("+", "~", ".dfsg"):
        version = version.split(mark)[0]
    return version


def main():
    parser = argparse.ArgumentParser()
    for name in ("version", "machine", "sbom", "licences"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--root", default="/")
    parser.add_argument("--pybind11", help="the folder of pybind11's .dist-info, whose headers are in the Python module")
    options = parser.parse_args()

    parts = [(name, version_of(package), licence, how, pathlib.Path(options.root, "usr/share/doc", package, "copyright"), "deb")
             for name, package, licence, how in PARTS]
    if options.pybind11:
        folder = pathlib.Path(options.pybind11)
        parts.append(("pybind11", folder.name.removesuffix(".dist-info").split("-")[1], "BSD-3-Clause", "headers; the Python module alone",
                      next(folder.rglob("LICENSE")), "pypi"))

    components, texts = [], []
    for name, version, licence, how, text, kind in parts:
        plain = upstream(version) if kind == "deb" else version
        package = dict((n, p) for n, p, _, _ in PARTS).get(name, name)
        purl = f"pkg:deb/debian/{package}@{version}?distro=debian-12" if kind == "deb" else f"pkg:pypi/{name}@{version}"
        components.append({
            "type": "library", "bom-ref": purl, "name": name, "version": plain, "purl": purl,
            "licenses": [{"expression": licence}] if " " in licence else [{"license": {"id": licence}}],
            "properties": [{"name": "nearkin:use", "value": how}],
        })
        texts.append(f"{'=' * 78}\n{name} {plain} ({licence})\n{'=' * 78}\n\n{licence_text(name, text)}")
    for name in FULL_TEXTS:
        texts.append(f"{'=' * 78}\nThe text of {name}\n{'=' * 78}\n\n{pathlib.Path('/usr/share/common-licenses', name).read_text(encoding='utf-8')}")

    when = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
    own = f"pkg:generic/nearkin@{options.version}"
    bom = {
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, f'{own}?arch={options.machine}&at={when}')}",
        "metadata": {
            "timestamp": datetime.datetime.fromtimestamp(when, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "component": {"type": "application", "bom-ref": own, "name": "nearkin", "version": options.version, "purl": own,
                          "licenses": [{"license": {"id": "Apache-2.0"}}]},
            "properties": [{"name": "nearkin:machine", "value": options.machine}],
        },
        "components": components,
        "dependencies": [{"ref": own, "dependsOn": [component["bom-ref"] for component in components]}],
    }
    pathlib.Path(options.sbom).write_text(json.dumps(bom, indent=2) + "\n", encoding="utf-8")
    head = ("nearkin is under the Apache License 2.0 (LICENSE). The programs and modules of a release contain the libraries below;\n"
            "these are their licences, as Debian's packages give them.\n\n")
    pathlib.Path(options.licences).write_text(head + "\n\n".join(texts), encoding="utf-8")


if __name__ == "__main__":
    main()
