#!/usr/bin/env python3
"""Prints the README's first run as a script for /bin/sh, which runs it in the folder it is started in, with the `nearkin` of the PATH, and
fails where an answer is not the one of the README.

usage: first_use.py > first_use.sh
"""
import pathlib
import re
import shlex

readme = (pathlib.Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
block = next(block for block in re.findall(r"```console\n(.*?)```", readme, re.S) if "$ nearkin " in block)

print("set -eu")
lines, i = block.splitlines(), 0
while i < len(lines):
    command = [lines[i].removeprefix("$ ")]
    i += 1
    if marker := re.search(r"<<'(\w+)'$", command[0]):
        while command[-1] != marker.group(1):
            command.append(lines[i])
            i += 1
    expected = []
    while i < len(lines) and not lines[i].startswith("$ "):
        expected.append(lines[i])
        i += 1
    # Not in a subshell or substitution: here-documents of old shells.
    print("{\n" + "\n".join(command) + "\n} > answer.txt")
    wanted = shlex.quote("".join(line + "\n" for line in expected))
    print(f"printf %s {wanted} > wanted.txt")
    print(f"cmp -s answer.txt wanted.txt || {{ echo {shlex.quote('not the answer of the README: ' + command[0])} >&2; cat answer.txt >&2; exit 1; }}")
print("echo first run: as in the README")
