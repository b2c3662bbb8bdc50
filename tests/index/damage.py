#!/usr/bin/env python3
"""An index that is damaged, cut, or meets a full disk, asked by the command line and by a server.

usage: damage.py NEARKIN [--runs N] [--seed N]

Each run changes one thing in the file of the tables (a bit, a page, two pages swapped) and then asks for everything, puts, and deletes. An answer must be that of the
whole index, or an error that names the index; a process ends by itself, in time, and not by a signal. A write that finds no room leaves the index as it was.
"""
import argparse
import http.client
import json
import os
import random
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
PAGE = 4096
FAILED = 2
GENEROUS = 120  # seconds; only a process that hangs takes so long
ITEMS, QUERIES = 250, 6
SCRATCH = "/dev/shm" if Path("/dev/shm").is_dir() else None


class Wrong(Exception):
    pass


def documents(count, seed, letter="d"):
    chance = random.Random(seed)
    topics = [[f"w{chance.randrange(500)}" for _ in range(40)] for _ in range(15)]
    found = {}
    for i in range(count):
        words = [word if chance.random() > 0.05 else f"w{chance.randrange(500)}" for word in chance.choice(topics)]
        found[f"{letter}{i:03}"] = " ".join(words[:5] if i % 5 == 0 else words)  # short texts are kept as they are
    return found


def lines(items):
    return "".join(json.dumps({"id": name, "text": text}) + "\n" for name, text in items.items())


def run(binary, *arguments, limit=None):
    before = (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))) if limit else None
    result = subprocess.run([binary, *map(str, arguments)], capture_output=True, text=True, errors="replace", timeout=GENEROUS, preexec_fn=before)
    return result.returncode, result.stdout, result.stderr


def require(holds, message):
    if not holds:
        raise Wrong(message)


class Server:
    """nearkin serve over an index, asked one thing after the other."""

    def __init__(self, binary, index):
        self.index = index
        self.log = tempfile.TemporaryFile()  # a pipe that nobody reads would be full some day
        with socket.socket() as sock:
            sock.bind(("127.0.0.1", 0))
            self.port = sock.getsockname()[1]
        self.process = subprocess.Popen([binary, "serve", str(index), "--listen", f"127.0.0.1:{self.port}", "--threads", "1"],
                                        stdout=subprocess.DEVNULL, stderr=self.log)
        self.connection = None
        self.said = None

    def __enter__(self):
        end = time.monotonic() + GENEROUS
        while self.process.poll() is None:
            try:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=GENEROUS)
                self.connection.connect()
                return self
            except OSError:
                require(time.monotonic() < end, "the server neither listens nor ends")
                time.sleep(0.002)
        return self

    def __exit__(self, *_):
        if self.connection:
            self.connection.close()
        if self.process.poll() is None:
            self.process.terminate()
        try:
            self.process.wait(timeout=GENEROUS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise Wrong("the server does not end") from None
        self.log.seek(0)
        self.said = self.log.read()[-4000:].decode("utf-8", "replace")
        self.log.close()

    def ask(self, method, path, body=None):
        """Status and answer; (None, None) where the server has ended, which `ended_well` looks at."""
        if self.process.poll() is not None or self.connection is None:
            return None, None
        try:
            headers = {"Content-Type": "application/json"} if body is not None else {}
            self.connection.request(method, path, None if body is None else json.dumps(body), headers)
            response = self.connection.getresponse()
            return response.status, response.read().decode("utf-8", "replace")
        except TimeoutError:
            raise Wrong(f"{method} {path}: no answer in {GENEROUS} s") from None
        except (OSError, http.client.HTTPException):
            self.process.wait(timeout=GENEROUS)
            return None, None

    def ended_well(self):
        """By itself, with status 2 and a line that names the index, or as it was told to."""
        status = self.process.returncode
        require(status in (0, -15, FAILED), f"the server ended with {status}: {self.said}")
        require(status != FAILED or str(self.index) in self.said, f"the server does not name the index: {self.said}")
        return status == FAILED


def mutate(chance, whole):
    """What was done, and the changed bytes."""
    changed = bytearray(whole)
    pages = len(whole) // PAGE
    kind = chance.choice(["bit", "bit", "bit", "header bit", "header bit", "byte", "swap", "copy", "zero"])
    one, other = chance.randrange(pages), chance.randrange(pages)
    if kind in ("bit", "byte"):
        at = chance.randrange(len(whole))
        changed[at] = changed[at] ^ (1 << chance.randrange(8)) if kind == "bit" else chance.randrange(256)
        return f"{kind} at {at}", changed
    if kind == "header bit":
        at = one * PAGE + chance.randrange(40)
        changed[at] ^= 1 << chance.randrange(8)
        return f"{kind} at {at}", changed
    first, second = slice(one * PAGE, (one + 1) * PAGE), slice(other * PAGE, (other + 1) * PAGE)
    if kind == "swap":
        changed[first], changed[second] = whole[second], whole[first]
    else:
        changed[first] = whole[second] if kind == "copy" else bytes(PAGE)
    return f"{kind} of pages {one} and {other}", changed


def read_all(server, items, queries):
    """Every answer of a server."""
    answers = {name: server.ask("GET", f"/v1/items/{name}") for name in items}
    answers["nobody"] = server.ask("GET", "/v1/items/nobody")
    answers["list"] = server.ask("GET", "/v1/items?limit=1000")
    for number, text in enumerate(queries.values()):
        answers[f"query {number}"] = server.ask("POST", "/v1/query", {"text": text, "limit": 0})
    return answers


def compare(what, broken, truth, answer):
    """True: an error."""
    status, body = answer
    if status is None:
        return True
    if status >= 500:
        require(str(broken) in body, f"{what}: {status}, which does not name the index: {body}")
        return True
    require(answer == truth, f"{what}: {answer}, and of the whole index {truth}")
    return False


def ask_server(binary, broken, items, queries, truth):
    """Reads, changes and reads again. True: damage was noticed."""
    noticed = False
    chance = random.Random(7)
    replaced, removed = chance.sample(sorted(items), 2)
    with Server(binary, broken) as server:
        for what, answer in read_all(server, items, queries).items():
            noticed |= compare(what, broken, truth[what], answer)
        changes = [("PUT", replaced, {"text": "quite another text than before"}, 200), ("PUT", "added", {"text": "one more text than before"}, 201), ("DELETE", removed, None, 200)]
        done = {}
        for method, name, body, right in changes:
            status, answer = server.ask(method, f"/v1/items/{name}", body)
            require(status is None or status == right or (status >= 500 and str(broken) in answer), f"{method} {name}: {status} {answer}")
            noticed |= status != right
            done[name] = status == right
        for name in (replaced, "added", removed):
            status, answer = server.ask("GET", f"/v1/items/{name}")
            there = not done[name] if name == removed else True if name == replaced else done[name]
            if status is None or status >= 500:
                noticed = True
            elif done[name] and name != removed:
                require(status == 200 and "than before" in answer, f"GET {name} behind its PUT: {status} {answer}")
            else:
                require(status == (200 if there else 404), f"GET {name} behind changes: {status} {answer}")
        for name in chance.sample(sorted(set(items) - {replaced, removed}), 20):
            noticed |= compare(f"{name} behind changes", broken, truth[name], server.ask("GET", f"/v1/items/{name}"))
    return server.ended_well() or noticed


def ask_commands(binary, broken, query_file, truth):
    """True: damage was noticed."""
    noticed = False
    for command in (["index", "verify", broken], ["query", broken, query_file], ["index", "info", broken, "--backup", f"{broken}.copy"]):
        status, out, said = run(binary, *command)
        require(status in (0, FAILED), f"{command[:2]}: ended with {status}: {said}")
        require(status != FAILED or str(broken) in said, f"{command[:2]}: does not name the index: {said}")
        require(command[0] != "query" or status == FAILED or out == truth, f"query: another answer than that of the whole index: {out}")
        noticed |= status == FAILED
        if command[1] == "verify" and status == 0:
            sound = True
        elif command[1] == "verify":
            sound = False
    return noticed, sound


def damage(binary, folder, runs, seed):
    """Runs, how many were noticed, and the longest."""
    index, query_file, broken = folder / "docs.nearkin", folder / "queries.jsonl", folder / "broken.nearkin"
    items, queries = documents(ITEMS, 1), documents(QUERIES, 2, "q")
    (folder / "docs.jsonl").write_text(lines(items))
    query_file.write_text(lines(queries))
    status, _, said = run(binary, "index", "create", index, folder / "docs.jsonl", "--store-texts", "--shingle", "word:2", "--threshold", "0.6")
    require(status == 0, said)
    for name in list(items)[::10]:  # so that pages are free, and were written more than once
        items[name] += " again"
    (folder / "docs.jsonl").write_text(lines(dict(list(items.items())[::10])))
    status, _, said = run(binary, "index", "add", index, folder / "docs.jsonl")
    require(status == 0, said)
    with Server(binary, index) as server:
        truth = read_all(server, items, queries)
    require(all(status == 200 for name, (status, _) in truth.items() if name != "nobody"), f"the whole index does not answer: {truth}")
    rows = run(binary, "query", index, query_file)[1]
    data = index / "tables-1" / "data.mdb"
    whole = data.read_bytes()
    noticed, missed_by_verify, longest = 0, 0, 0.0
    for number in range(runs):
        chance = random.Random(f"{seed}.{number}")
        what, changed = mutate(chance, whole)
        for path in (broken, Path(f"{broken}.copy")):
            shutil.rmtree(path, ignore_errors=True)
        shutil.copytree(index, broken)
        (broken / "tables-1" / "data.mdb").write_bytes(changed)
        begin = time.monotonic()
        try:
            by_command, sound = ask_commands(binary, broken, query_file, rows)
            by_server = ask_server(binary, broken, items, queries, truth)
        except (Wrong, subprocess.TimeoutExpired) as error:
            raise Wrong(f"run {number} of seed {seed}, {what}: {error}") from None
        longest = max(longest, time.monotonic() - begin)
        noticed += by_command or by_server
        missed_by_verify += sound and by_server
        if sound and by_server:
            print(f"damage: run {number} of seed {seed}, {what}: verify found nothing, and the server did", file=sys.stderr)
    require(noticed > runs // 4, f"of {runs} changes only {noticed} were noticed")
    return noticed, missed_by_verify, longest


def cut(binary, folder):
    index, broken = folder / "docs.nearkin", folder / "broken.nearkin"
    size = (index / "tables-1" / "data.mdb").stat().st_size
    for keep in (0, 1, 100, 4096, 8192, size // 2, size - 1):
        shutil.rmtree(broken, ignore_errors=True)
        shutil.copytree(index, broken)
        with open(broken / "tables-1" / "data.mdb", "r+b") as file:
            file.truncate(keep)
        status, _, said = run(binary, "query", broken, folder / "queries.jsonl")
        require(status == FAILED and str(broken) in said, f"cut to {keep} bytes: ended with {status}: {said}")


def full_disk(binary, folder):
    """A limit on the size of files stands in for a disk without room."""
    index, target, copy = folder / "docs.nearkin", folder / "full.nearkin", folder / "copy.nearkin"
    shutil.copytree(index, target)
    more = folder / "more.jsonl"
    more.write_text(lines(documents(900, 9, "e")))
    _, before, _ = run(binary, "index", "info", target, "--json")
    size = (target / "tables-1" / "data.mdb").stat().st_size
    for command, named in ((["add", target, more], target), (["compact", target], target / "tables-2"), (["info", target, "--backup", copy], copy)):
        status, _, said = run(binary, "index", *command, limit=size + PAGE if command[0] == "add" else size // 8)
        require(status == FAILED and str(named) in said, f"full disk: index {command[0]} ended with {status}: {said}")
        left = sorted(path.name for path in target.iterdir()) + sorted(path.name for path in folder.glob("copy*"))
        require(left == ["CURRENT", "tables-1"], f"full disk: index {command[0]} left {left}")
    status, _, said = run(binary, "index", "verify", target)
    require(status == 0, f"behind a full disk: {said}")
    _, after, _ = run(binary, "index", "info", target, "--json")
    require(before.split('"bytes"')[0] == after.split('"bytes"')[0], f"a write without room changed the index: {before} {after}")
    status, _, said = run(binary, "index", "add", target, more)
    require(status == 0, f"with room again: {said}")


NO_BLOCK_LEFT = """
mount -t tmpfs -o size=4m none "$DISK" && mkdir -p "$DISK/docs" && cp -r "$INDEX"/. "$DISK/docs" || exit 77
rm -f "$DISK"/docs/tables-1/lock.mdb
cat /dev/zero > "$DISK/fill" 2>/dev/null
"$NEARKIN" index verify "$DISK/docs"; echo "verify ended with $?"
"$NEARKIN" index info "$INDEX" --backup "$DISK/copy" >&2; echo "backup ended with $?"
ls "$DISK"
"""


def no_block_left(binary, folder):
    """A disk on which not one block is free; where a disk of memory can be had. True: it was tried."""
    (folder / "disk").mkdir()
    names = {"DISK": str(folder / "disk"), "INDEX": str(folder / "docs.nearkin"), "NEARKIN": str(Path(binary).resolve())}
    done = subprocess.run(["unshare", "-m", "sh", "-c", NO_BLOCK_LEFT], env=os.environ | names, capture_output=True, text=True, timeout=300)
    if "ended with" not in done.stdout:
        return False
    require(done.stdout.split("\n")[:2] == ["verify ended with 2", "backup ended with 2"], f"no block left: {done}")
    require("damaged" not in done.stderr and done.stderr.count("no space left on the disk") == 2, f"no block left: {done}")
    require(f"{folder / 'disk'}/copy" in done.stderr and ".part" not in done.stdout, f"no block left: {done}")
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", metavar="NEARKIN")
    parser.add_argument("--runs", type=int, default=40, help="changes to try (40; a proof takes 2000)")
    parser.add_argument("--seed", type=int, default=3, help="which changes (3)")
    arguments = parser.parse_args()
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(dir=SCRATCH) as name:
        try:
            noticed, missed, longest = damage(arguments.binary, Path(name), arguments.runs, arguments.seed)
            cut(arguments.binary, Path(name))
            full_disk(arguments.binary, Path(name))
            tried = no_block_left(arguments.binary, Path(name))
        except Wrong as error:
            sys.exit(f"damage: {error}")
    print(f"damage: {arguments.runs} changes, {noticed} noticed, {missed} of them not by verify; 7 cut files; {5 if tried else 3} full disks: no wrong answer, no crash, no hang;"
          f" longest run {longest:.1f} s, {time.monotonic() - begin:.0f} s in all")


if __name__ == "__main__":
    main()
