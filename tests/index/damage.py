#!/usr/bin/env python3
"""Runs of the command line tool on an index that is damaged, cut, or meets a full disk.

usage: damage.py NEARKIN

Whatever byte is changed, a command ends by itself, with an answer or with a message that names the index; and a write that finds no room leaves
the index as it was.
"""
import random
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
FLIPS = 150
FAILED = 2


def documents(count, seed):
    chance = random.Random(seed)
    topics = [[f"w{chance.randrange(500)}" for _ in range(40)] for _ in range(15)]
    lines = []
    for i in range(count):
        words = [word if chance.random() > 0.05 else f"w{chance.randrange(500)}" for word in chance.choice(topics)]
        lines.append(f'{{"id":"d{i}","text":"{" ".join(words)}"}}\n')
    return "".join(lines)


def run(binary, *arguments, limit=None):
    before = (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))) if limit else None
    result = subprocess.run([binary, *map(str, arguments)], capture_output=True, text=True, errors="replace", timeout=120, preexec_fn=before)
    return result.returncode, result.stdout, result.stderr


def require(holds, message):
    if not holds:
        sys.exit(f"damage: {message}")


def expect_ended(index, what, status, said):
    require(status in (0, 1, FAILED), f"{what}: ended with {status}: {said}")
    require(status != FAILED or str(index) in said or "plan" in said, f"{what}: does not name the index: {said}")


def flip_bytes(binary, index, queries, folder):
    """Changes a byte at a time, everywhere in the file, and asks."""
    chance = random.Random(3)
    data = index / "tables-1" / "data.mdb"
    whole = data.read_bytes()
    broken = folder / "broken.nearkin"
    noticed = 0
    for _ in range(FLIPS):
        shutil.rmtree(broken, ignore_errors=True)
        shutil.copytree(index, broken)
        at = chance.randrange(len(whole))
        changed = bytearray(whole)
        changed[at] ^= 1 << chance.randrange(8)
        (broken / "tables-1" / "data.mdb").write_bytes(changed)
        for command in (["query", broken, queries], ["index", "verify", broken]):
            status, _, said = run(binary, *command)
            expect_ended(broken, f"byte {at}: {command[0]}", status, said)
            noticed += status != 0
    require(noticed > FLIPS // 4, f"of {FLIPS} changed bytes only {noticed} were noticed")
    return noticed


def cut(binary, index, queries, folder):
    broken = folder / "broken.nearkin"
    size = (index / "tables-1" / "data.mdb").stat().st_size
    for keep in (0, 1, 100, 4096, 8192, size // 2, size - 1):
        shutil.rmtree(broken, ignore_errors=True)
        shutil.copytree(index, broken)
        with open(broken / "tables-1" / "data.mdb", "r+b") as file:
            file.truncate(keep)
        status, _, said = run(binary, "query", broken, queries)
        require(status == FAILED and str(broken) in said, f"cut to {keep} bytes: ended with {status}: {said}")


def full_disk(binary, index, folder):
    """A limit on the size of files stands in for a disk without room."""
    target = folder / "full.nearkin"
    shutil.copytree(index, target)
    more = folder / "more.jsonl"
    more.write_text(documents(4000, 9).replace('"id":"d', '"id":"e'))
    _, before, _ = run(binary, "index", "info", target, "--json")
    status, _, said = run(binary, "index", "add", target, more, limit=(target / "tables-1" / "data.mdb").stat().st_size + 65536)
    require(status == FAILED and str(target) in said and "nothing was changed" in said, f"full disk: ended with {status}: {said}")
    status, _, said = run(binary, "index", "verify", target)
    require(status == 0, f"behind a full disk: {said}")
    _, after, _ = run(binary, "index", "info", target, "--json")
    require(before.split('"bytes"')[0] == after.split('"bytes"')[0], f"a write without room changed the index: {before} {after}")
    status, _, said = run(binary, "index", "add", target, more)
    require(status == 0, f"with room again: {said}")


def main():
    binary = sys.argv[1]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        index, queries = folder / "docs.nearkin", folder / "queries.jsonl"
        (folder / "docs.jsonl").write_text(documents(400, 1))
        queries.write_text(documents(20, 2))
        status, _, said = run(binary, "index", "create", index, folder / "docs.jsonl", "--store-texts", "--shingle", "word:2", "--threshold", "0.6")
        require(status == 0, said)
        noticed = flip_bytes(binary, index, queries, folder)
        cut(binary, index, queries, folder)
        full_disk(binary, index, folder)
    print(f"damage: {FLIPS} changed bytes, {noticed} commands noticed; 7 cut files; a full disk: all ended as they should")


if __name__ == "__main__":
    main()
