#!/usr/bin/env python3
"""Runs the command line's plain-text cases: run_cases.py BINARY [--share I/N] [FILE ...]   (default: every cases/*.txt beside this script)

--share I/N runs the Ith of N shares of the cases.

A case file is a transcript. At the left margin:

  == A sentence               starts a case, in a fresh temporary folder
  # ...                       a comment; blank lines are ignored too, except inside a block
  file NAME                   makes a file; the indented lines below are its content, each with a newline
  bytes NAME                  the same, but the lines are joined without newlines and Python's escapes (\\n, \\x00, \\\\) are undone
  $ COMMAND                   a step, run by bash with the binary first in PATH; the indented lines below are its standard output
  stderr:                     the indented lines below are its standard error; without this, standard error is not looked at
  exit: N                     its exit status; without this, 0

"Indented" means by two spaces, which are not part of the text. In expected output … stands for any characters within a line, and a line
of … alone for any number of lines. Everything else must be equal, and no line may be missing or left over.
"""
import codecs
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

INDENT = "  "
TIMEOUT_SECONDS = 120


class BadCase(Exception):
    pass


def parse(path):
    """The cases of a file: (title, actions), an action being ("file", name, bytes) or ("step", {...})."""
    cases, block = [], None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith(INDENT):
            if block is None:
                raise BadCase(f"{path.name}:{number}: indented text belongs to nothing")
            block.append(line[len(INDENT):])
            continue
        if line.startswith("== "):
            cases.append((line[3:], []))
            block = None
        elif line.strip() and not line.startswith("#"):
            if not cases:
                raise BadCase(f"{path.name}:{number}: no case has begun")
            block = add_line(cases[-1][1], line, f"{path.name}:{number}")
        elif not line and block:
            block.append(None)  # a blank line: part of the block if more of it follows
    return cases


def add_line(actions, line, where):
    """Starts what the line announces and returns the list that takes the indented lines below it, if any."""
    word, _, rest = line.partition(" ")
    if word in ("file", "bytes"):
        actions.append((word, rest, []))
        return actions[-1][2]
    if word == "$":
        actions.append(("step", {"where": where, "command": rest, "stdout": [], "stderr": None, "exit": 0}))
        return actions[-1][1]["stdout"]
    if not actions or actions[-1][0] != "step":
        raise BadCase(f"{where}: {line!r} must follow a step")
    step = actions[-1][1]
    if line == "stderr:":
        step["stderr"] = []
        return step["stderr"]
    if word == "exit:":
        step["exit"] = int(rest)
        return None
    raise BadCase(f"{where}: {line!r} is not understood")


def lines_of(block):
    """The block without the blank lines after it, those inside it made empty."""
    while block and block[-1] is None:
        block = block[:-1]
    return ["" if line is None else line for line in block]


def content(kind, block):
    lines = lines_of(block)
    if kind == "file":
        return "".join(line + "\n" for line in lines).encode()
    return codecs.escape_decode("".join(lines).encode())[0]


def matches(expected, actual):
    if not expected:
        return not actual
    if expected[0] == "…":
        return any(matches(expected[1:], actual[skip:]) for skip in range(len(actual) + 1))
    if not actual:
        return False
    pattern = ".*".join(re.escape(part) for part in expected[0].split("…"))
    return re.fullmatch(pattern, actual[0], re.DOTALL) is not None and matches(expected[1:], actual[1:])


def shown(name, expected, actual):
    text = [f"  {name}, expected:"] + ["    " + line for line in expected] + [f"  {name}, got:"] + ["    " + line for line in actual]
    return "\n".join(text)


def run_step(step, folder, environment):
    """What is wrong with the step, or None."""
    try:
        done = subprocess.run(["bash", "-c", step["command"]], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        return f"  {step['where']}: $ {step['command']}\n  not done after {TIMEOUT_SECONDS} s"
    wrong = []
    for name, got in (("stdout", done.stdout), ("stderr", done.stderr)):
        if step[name] is None:
            continue
        expected, actual = lines_of(step[name]), got.decode("utf-8", "backslashreplace").split("\n")
        if actual[-1] == "":
            actual.pop()
        if not matches(expected, actual):
            wrong.append(shown(name, expected, actual))
    if done.returncode != step["exit"]:
        wrong.append(f"  exit status {done.returncode}, expected {step['exit']}")
    if not wrong:
        return None
    if step["stderr"] is None and done.stderr:
        wrong.append("  stderr (not checked):\n" + "\n".join("    " + line for line in done.stderr.decode("utf-8", "replace").splitlines()))
    return f"  {step['where']}: $ {step['command']}\n" + "\n".join(wrong)


def run_case(actions, environment):
    with tempfile.TemporaryDirectory(prefix="nearkin-case-") as folder:
        for kind, *rest in actions:
            if kind == "step":
                wrong = run_step(rest[0], folder, environment)
                if wrong:
                    return wrong
            else:
                path = Path(folder, rest[0])
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content(kind, rest[1]))
    return None


def needs_signals(actions):
    return any(kind == "step" and "--default-signal" in rest[0]["command"] for kind, *rest in actions)


def main(arguments):
    if not arguments:
        sys.exit(__doc__)
    binary = Path(arguments[0]).resolve()
    if binary.name != "nearkin" or not os.access(binary, os.X_OK):
        sys.exit(f"{binary}: not a program called nearkin")
    arguments = arguments[1:]
    share, shares = 1, 1
    if arguments[:1] == ["--share"]:
        share, shares = map(int, arguments[1].split("/"))
        arguments = arguments[2:]
    files = [Path(name) for name in arguments] or sorted(Path(__file__).resolve().parent.glob("cases/*.txt"))
    environment = dict(os.environ, PATH=f"{binary.parent}{os.pathsep}{os.environ['PATH']}", LC_ALL="C.UTF-8")
    # The thread sanitizer keeps a signal until a read that waits for input has ended.
    late_signals = "NEARKIN_LATE_SIGNALS" in os.environ
    cases = [(path, title, actions) for path in files for title, actions in parse(path)]
    passed = failed = 0
    for path, title, actions in cases[share - 1::shares]:
        if late_signals and needs_signals(actions):
            print(f"skipped {path.name}: {title} (signals come late)")
            continue
        wrong = run_case(actions, environment)
        if wrong:
            failed += 1
            print(f"FAILED {path.name}: {title}\n{wrong}\n")
        else:
            passed += 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
