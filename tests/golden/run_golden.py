#!/usr/bin/env python3
"""Holds the answers of many command lines against those that were recorded: run_golden.py NEARKIN [--record]

The command lines stand in commands.txt, their answers in expected.json, both beside this script. Of each answer the exit status, the standard error,
and of standard output and of every file in out/ the size, a checksum and the first lines are kept. --record writes expected.json anew: read the
difference before it is committed, since each is a change that somebody will see.
"""
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import make_data

HERE = Path(__file__).resolve().parent
EXPECTED = HERE / "expected.json"
TIMEOUT_SECONDS = 120
SHOWN_LINES, SHOWN_BYTES = 6, 600

# What depends on the machine and on the moment: in what is said, in --stats, and on the pages of reports.
BLOTTED = [
    (re.compile(r"[0-9][0-9.,]* s, [0-9][0-9.,]* [kMG]?B\b"), "TIME, MEMORY"),
    (re.compile(r"up to [0-9][0-9.,]* [kMG]?B were in files"), "up to SIZE were in files"),
    (re.compile(r'"seconds":\{[^}]*\}'), '"seconds":{}'),
    (re.compile(r'"(peak_bytes|scratch_bytes|threads)":[0-9]+'), r'"\1":0'),
    (re.compile(r"<dd>[0-9.,]+\s[kMG]?B at the peak"), "<dd>MEMORY at the peak"),
    (re.compile(r"<td>(under\s)?[0-9.,]+\ss</td>"), "<td>TIME</td>"),
    (re.compile(r'(<svg class="across" aria-hidden="true"><rect width=)"[0-9.]+%"'), r'\1"SHARE"'),
]


def blotted(text):
    for pattern, replacement in BLOTTED:
        text = pattern.sub(replacement, text)
    return text


def described(data):
    """Small enough to be read in a difference, and as good as the bytes."""
    answer = {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
    try:
        lines = data[:SHOWN_BYTES].decode("utf-8", "ignore" if len(data) > SHOWN_BYTES else "strict").splitlines()
    except UnicodeDecodeError:
        return answer
    if lines and "\0" not in lines[0]:
        answer["begins"] = lines[:SHOWN_LINES]
    return answer


def file_content(path):
    data = path.read_bytes()
    return blotted(data.decode()).encode() if path.name.endswith(("stats.json", ".html")) else data


def answer_to(command, folder, environment):
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=TIMEOUT_SECONDS)
    answer = {"command": command, "exit": done.returncode, "stderr": blotted(done.stderr.decode("utf-8", "backslashreplace")).splitlines()}
    if done.stdout:
        answer["stdout"] = described(done.stdout)
    files = sorted(path for path in (folder / "out").rglob("*") if path.is_file())
    if files:
        answer["files"] = {str(path.relative_to(folder / "out")): described(file_content(path)) for path in files}
    shutil.rmtree(folder / "out")
    (folder / "out").mkdir()
    return answer


def commands():
    lines = (HERE / "commands.txt").read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def answers(binary):
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(prefix="nearkin-golden-", dir=memory if os.access(memory, os.W_OK) else None) as name:
        folder = Path(name)
        make_data.write_all(folder)
        for made in ("out", "kept", "kept/scratch", "kept/tmp"):
            (folder / made).mkdir()
        environment = dict(os.environ, PATH=f"{binary.parent}{os.pathsep}{os.environ['PATH']}", LC_ALL="C.UTF-8", SOURCE_DATE_EPOCH="0", TMPDIR=str(folder / "kept/tmp"))
        given = [answer_to(command, folder, environment) for command in commands()]
        left = sorted(str(path.relative_to(folder)) for made in ("scratch", "tmp") for path in (folder / "kept" / made).iterdir())
    return given + [{"command": "(left in the scratch folders)", "files": left}]


def differences(expected, given, name=""):
    """As lines, the innermost values that differ; none where all is the same."""
    if expected == given:
        return []
    if isinstance(expected, dict) and isinstance(given, dict):
        keys = sorted(expected.keys() | given.keys())
        return [line for key in keys for line in differences(expected.get(key), given.get(key), f"{name}/{key}" if name else key)]
    return [f"  {name}, expected: {json.dumps(expected, ensure_ascii=False)}", f"  {name}, got:      {json.dumps(given, ensure_ascii=False)}"]


def compare(given):
    expected = {answer["command"]: answer for answer in json.loads(EXPECTED.read_text())}
    failed = 0
    for answer in given:
        known = expected.pop(answer["command"], None)
        lines = differences(known, answer) if known else ["  was never recorded"]
        if lines:
            failed += 1
            print(f"FAILED $ {answer['command']}\n" + "\n".join(lines))
    for command in expected:
        failed += 1
        print(f"FAILED $ {command}\n  was recorded and is no longer run")
    print(f"{len(given) - failed} passed, {failed} failed")
    return 1 if failed else 0


def main(arguments):
    record = "--record" in arguments
    names = [argument for argument in arguments if argument != "--record"]
    if len(names) != 1:
        sys.exit(__doc__)
    binary = Path(names[0]).resolve()
    if binary.name != "nearkin" or not os.access(binary, os.X_OK):
        sys.exit(f"{binary}: not a program called nearkin")
    given = answers(binary)
    if not record:
        return compare(given)
    repeated = {answer["command"] for answer in given}
    if len(repeated) != len(given):
        sys.exit("a command line stands twice in commands.txt")
    EXPECTED.write_text(json.dumps(given, indent=1, ensure_ascii=False) + "\n")
    print(f"{len(given)} recorded")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
