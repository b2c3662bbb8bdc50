#!/usr/bin/env python3
"""The help, held against itself, the source and the documentation: help_texts.py NEARKIN

Every warning that the source names is explained, and every explanation is of one that is used; docs/warnings.md has the same texts; every flag in an
example of a command's help is a flag of that command; every value that completion offers is in the help.
"""
import re
import subprocess
import sys
from pathlib import Path

BINARY = str(Path(sys.argv[1]).resolve())
ROOT = Path(__file__).resolve().parents[2]
failures = []


def said(*arguments):
    return subprocess.run([BINARY, *arguments], capture_output=True, text=True, check=True).stdout


def check(what, expected, got):
    if expected != got:
        failures.append(f"{what}: only expected {sorted(set(expected) - set(got))}, only there {sorted(set(got) - set(expected))}")


def warnings():
    listed = re.findall(r"^  ([a-z0-9-]+) +\S", said("help", "warnings"), re.MULTILINE)
    check("the list is in order, each once", sorted(set(listed)), listed)
    used = set()
    for path in (ROOT / "cli").glob("*.cc"):
        if path.name != "warnings.cc":
            used |= set(re.findall(r"\bWarning::([a-z0-9_]+)", path.read_text()))
            used |= {name.replace("-", "_") for name in re.findall(r"\[([a-z]+(?:-[a-z0-9]+)+)\]\\n\"", path.read_text())}
    table = (ROOT / "cli" / "warnings.cc").read_text()
    used |= set(re.findall(r"Warning::([a-z0-9_]+)", table[table.index("kErrors[]"):table.index("in_order")]))
    check("what the source uses is what is listed", sorted(name.replace("_", "-") for name in used), sorted(listed))
    if (ROOT / "docs" / "warnings.md").read_text() != said("help", "warnings.md"):
        failures.append("docs/warnings.md is not what 'nearkin help warnings.md' prints; write it again")
    for name in listed:
        parts = re.split(r"(?:What happened|Why it matters|What to do): ", said("help", name))
        if len(parts) != 4 or not parts[0].startswith(name + ": ") or not all(part.strip().endswith(".") for part in parts[1:]):
            failures.append(f"help {name}: {parts}")


def examples():
    commands = [name for name in re.findall(r"^  ([a-z]+) +\S", said("help"), re.MULTILINE) if name != "nearkin"]
    for command in commands:
        text = said("help", command)
        flags, shown = text[:text.index("\nExamples:")], text[text.index("\nExamples:"):].splitlines()[2:]
        if not shown or not all(line.startswith(f"  nearkin {command} ") for line in shown):
            failures.append(f"help {command}: {shown}")
        for flag in re.findall(r"(?<= )--?[a-z][a-z-]*", " ".join(shown)):
            if not re.search(rf"^ +(-\w, )?{flag}\b", flags, re.MULTILINE) and f"{flag}, --" not in flags:
                failures.append(f"help {command}: an example has {flag}, which is none of its flags")
        names = re.findall(r"^  (?:    |-\w, )(--[a-z-]+)", flags, re.MULTILINE)
        check(f"help {command}: each flag once", sorted(set(names)), sorted(names))


def values():
    """Every value that completion offers for a flag is in the help of the flag."""
    offered = re.findall(r"^complete -c nearkin -n '__fish_seen_subcommand_from (\w+)' -l (\S+).*? -a '([^']*)' -d", said("completion", "fish"), re.MULTILINE)
    check("flags with values", [], [] if len(offered) > 100 else [str(len(offered))])
    for command, flag, words in offered:
        if flag == "against-format":  # which names --format
            continue
        text = re.search(rf"^  (?:    |-\w, )--{flag} .*(?:\n {{30}}.*)*", said("help", command), re.MULTILINE)
        for word in words.split():
            if not text or not re.search(rf"(?<![\w:-]){re.escape(word.rstrip(':='))}(?![\w-])", text[0], re.IGNORECASE):
                failures.append(f"help {command}: {word} of --{flag} is not in its help")


def main():
    warnings()
    examples()
    values()
    print("\n".join(failures) or "as it should be")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
