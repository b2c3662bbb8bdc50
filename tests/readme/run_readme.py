#!/usr/bin/env python3
"""Runs the blocks of the pages below.

console blocks: each `$ command` (with its here-document) is run by bash in one temporary folder per page, and its output must be what
follows. cpp blocks with a main function: must be examples/first.cc to the letter, whose program is given and run beside the README's
docs.jsonl. sh blocks: the lines with nearkin or curl are run one after the other, beside the files that page_files.py makes, and must succeed; servers are
stopped once they listen. Of their other lines, every script must be in the repository; what installs something, or needs the Python package, is not run. python blocks:
python/tests/test_docs.py and test_splink.py run them. text and nginx blocks are only read by people. A block behind <!-- data: FOLDER --> runs beside the files of that folder of real data, which is not part of
the repository; where it is absent the block is skipped, and that is said. Commands in tables, and those of the lines "Try it", are run beside files that page_files.py
makes; what a page writes is there for its later commands, and indexes of docs.jsonl are there from the beginning.

usage: run_readme.py NEARKIN FIRST_EXAMPLE
"""
import functools
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

import page_files

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT.parent / "shared/data"
PAGES = {  # and the kinds of block that each must have
    "README.md": {"sh", "console", "python"},
    "docs/guide.md": {"console"},
    "docs/reference.md": {"sh", "console", "cpp"},
    "docs/passages.md": {"console"},
    "docs/matching.md": {"console", "python"},
    "docs/theory.md": {"console"},
    "docs/faq.md": {"sh", "console"},
    "docs/install.md": {"sh", "text"},
    "docs/server.md": {"sh", "text", "nginx"},
    "docs/experiments.md": {"sh"},
    "docs/migrate.md": {"sh", "python"},
}
NOT_RUN = re.compile(r"runuser |.*\.parquet")  # another user's, and what only the Python package does
failures = []
skipped = set()
passed = 0


def check(what, good, detail=""):
    global passed
    if good:
        passed += 1
    else:
        failures.append(f"{what}\n{detail}")


def steps(block):
    """(command, expected output) pairs of a console block."""
    lines, i = block.splitlines(), 0
    while i < len(lines):
        command = lines[i].removeprefix("$ ")
        i += 1
        if marker := re.search(r"<<'(\w+)'$", command):
            while lines[i] != marker.group(1):
                command += "\n" + lines[i]
                i += 1
            command += "\n" + lines[i] + "\n"
            i += 1
        expected = []
        while i < len(lines) and not lines[i].startswith("$ "):
            expected.append(lines[i])
            i += 1
        yield command, "\n".join(expected)


def environment_of(nearkin, folder):
    return {"PATH": f"{nearkin.parent}:{folder}/stand-ins:/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": str(folder)}


def run(command, folder, nearkin):
    environment = environment_of(nearkin, folder)
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=60)
    return done.stdout.rstrip("\n"), done.stderr, done.returncode


@functools.cache
def help_text(command, nearkin):
    text, _, status = run(f"nearkin help {command}", "/", nearkin)
    return text if status == 0 else None


def check_flags(page, command, nearkin):
    """That help knows the flags of `COMMAND ... --flags`."""
    known = help_text(command.split()[0], nearkin)
    unknown = [flag for flag in re.findall(r"(?<=[\s'])--[a-z-]+", command) if known and not re.search(rf"{flag}(?![a-z-])", known)]
    check(f"{page}: nearkin {command}", known is not None and not unknown, f"help does not know {unknown}")


def serve(command, client, folder, nearkin):
    """Whether a server starts, on a port of its own, answers what the client asks at localhost:8787, and ends well when it is told to."""
    command = re.sub(r" --listen \S+", "", command) + " --listen 127.0.0.1:0"
    server = subprocess.Popen(["bash", "-c", "exec " + command], cwd=folder, env=environment_of(nearkin, folder), stderr=subprocess.PIPE, text=True)
    begun = server.stderr.readline()
    listens = re.search(r"://127\.0\.0\.1:(\d+)", begun)
    asked = ("", "", 0)
    if listens and client:
        asked = run(client.replace("curl ", "curl --silent --show-error --fail-with-body ", 1).replace("localhost:8787", "localhost:" + listens[1]), folder, nearkin)
    server.send_signal(signal.SIGTERM)
    rest = server.communicate(timeout=60)[1]
    return bool(listens) and asked[2] == 0 and server.returncode == 0, begun + rest + "\n".join(map(str, asked))


def check_shell(page, block, folder, nearkin):
    """Runs the lines of a sh block that use nearkin or its server, and those that make files for it."""
    for line in block.replace("\\\n", " ").splitlines():
        line = line.split("   #")[0].strip()
        if line.startswith("scripts/"):
            script = ROOT / line.split()[0]
            check(f"{page}: {line}", script.is_file() and script.stat().st_mode & 0o111)
        for command in re.findall(r"\bnearkin ([a-z][^#|;]*)", line):
            check_flags(page, command, nearkin)
        if NOT_RUN.match(line) or not re.search(r"\bnearkin [a-z]|^openssl |^curl ", line):
            continue
        line = line.replace("/data/tmp", f"{folder}/scratch")
        if line.startswith("nearkin serve"):
            good, said = serve(line, "", folder, nearkin)
        elif line.startswith("curl "):
            good, said = serve("nearkin serve docs.nearkin", line, folder, nearkin)
        else:
            output, errors, status = run("set -o pipefail; " + line, folder, nearkin)
            good, said = status == 0, f"{output[-500:]}\n{errors}status {status}"
        check(f"{page}: {line}", good, said)


def check_command(page, command, folder, nearkin):
    """Runs a command of a table, or of a line "Try it"."""
    if not command.startswith("help"):
        check_flags(page, command, nearkin)
    if " " not in command and command != "help":  # the name of a command, not a whole one
        return
    line = "nearkin " + command.replace("/data/tmp", f"{folder}/scratch")
    if command.startswith("serve"):
        good, said = serve(line, "", folder, nearkin)
    else:
        output, errors, status = run(line, folder, nearkin)
        good, said = status == 0, f"{output[-500:]}\n{errors}status {status}"
    check(f"{page}: runs: nearkin {command}", good, said)


def check_commands(page, text, nearkin):
    rows = re.findall(r"^\|.*", text, re.M)
    tried = re.findall(r"^Try it: .*", text, re.M)
    # A command with … is a part of one.
    commands = [command for line in rows + tried for command in re.findall(r"`nearkin ([a-z][^`]*)`", line) if "…" not in command]
    if not commands:
        return
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(made_files(), folder, dirs_exist_ok=True)
        page_files.write_files(pathlib.Path(folder), page_files.table_files())
        for name, flags in (("docs", "--store-texts"), ("ours", "--measure containment")):
            run(f"nearkin index create {name}.nearkin docs.jsonl {flags} --quiet", folder, nearkin)
        for command in commands:
            if command.startswith("index create docs.nearkin"):
                shutil.rmtree(f"{folder}/docs.nearkin")
            check_command(page, command, pathlib.Path(folder), nearkin)


@functools.cache
def made_files():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="nearkin-pages-"))
    page_files.write_all(folder)
    page_files.write_stand_ins(folder / "stand-ins")
    return folder


def run_page(page, kinds, nearkin, example):
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(r"(?:^<!-- data: (\S+) -->\n)?^```(\w+)\n(.*?)^```$", text, re.S | re.M)
    found = {kind for _, kind, _ in blocks}
    check(f"{page} has blocks of each kind", found == kinds, f"expected {kinds}, found {found}")
    fences = len(re.findall(r"^```", text, re.M))
    check(f"{page}: every block says its kind", fences == 2 * len(blocks), f"{fences} fences, {len(blocks)} blocks")
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as shell:
        if "sh" in kinds:
            shutil.copytree(made_files(), shell, dirs_exist_ok=True)
        for data, kind, block in blocks:
            if data and not (DATA / data).is_dir():
                skipped.add(f"{page}: needs {data}, which is not here")
                continue
            if data:
                shutil.copytree(DATA / data, folder, dirs_exist_ok=True)
            if kind == "console":
                for command, expected in steps(block):
                    output, errors, status = run(command, folder, nearkin)
                    check(f"{page}: {command}", output == expected and status == 0, f"expected:\n{expected}\ngot ({status}):\n{output}\n{errors}")
            elif kind == "cpp" and "int main()" in block:
                check(f"{page}: the C++ program is examples/first.cc", block == (ROOT / "examples/first.cc").read_text(encoding="utf-8"))
                readme = (ROOT / "README.md").read_text(encoding="utf-8")
                (records,) = re.findall(r"^\$ cat > docs\.jsonl <<'END'\n(.*?)^END$", readme, re.S | re.M)
                (pathlib.Path(folder) / "docs.jsonl").write_text(records, encoding="utf-8")
                output, errors, status = run(str(example), folder, nearkin)
                check("examples/first.cc", output == "a b 1\na c 0.866666\nb c 0.866666\n2 kept, 2 removed" and status == 0, output + errors)
            elif kind == "sh":
                check_shell(page, block, pathlib.Path(shell), nearkin)
    check_commands(page, text, nearkin)


def main():
    nearkin, example = (pathlib.Path(p).resolve() for p in sys.argv[1:3])
    try:
        for page, kinds in PAGES.items():
            run_page(page, kinds, nearkin, example)
    finally:
        shutil.rmtree(made_files())
    for what in sorted(skipped):
        print("skipped: " + what)
    print("\n\n".join(failures))
    print(f"{passed} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
