"""What the tests of killed and of limited runs share: documents, commands with their outputs, and what is left of them."""
import gzip
import json
import os
import random
import shutil
import subprocess
import tempfile
from pathlib import Path

FAILED = 2
VOCABULARY = [f"word{number}" for number in range(5000)]


class Wrong(Exception):
    """What a test found to be other than it must be."""


def require(holds, message):
    if not holds:
        raise Wrong(message)


def temporary_folder():
    """In memory where there is room for it: a run waits for the disk at each of its files."""
    memory = Path("/dev/shm")
    usable = memory.is_dir() and os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > 2 << 30
    return tempfile.TemporaryDirectory(prefix="nearkin-test-", dir=memory if usable else None)


def documents(count, seed, words=30):
    """JSON lines in which every third text is an edited copy of the one before, with exact copies, EMPTY items and faults."""
    draw = random.Random(seed)
    text = []
    for number in range(count):
        dice = draw.random()
        if dice < 0.35 and text:
            text = list(text)
            text[draw.randrange(len(text))] = draw.choice(VOCABULARY)
        elif dice < 0.95:
            text = draw.choices(VOCABULARY, k=words)
        if number % 1000 == 999:
            yield "no record\n"
        elif number % 1000 == 998:
            yield json.dumps({"id": f"{seed}/{number}", "text": " "}) + "\n"
        else:
            yield json.dumps({"id": f"{seed}/{number}", "text": " ".join(text)}) + "\n"


def write_documents(path, count, seed, words=30):
    data = "".join(documents(count, seed, words)).encode()
    path.write_bytes(gzip.compress(data, 1) if path.suffix == ".gz" else data)


class Command:
    """A command line of the tool. OUT/name among its arguments stands for an output, of which there are as many as names."""

    def __init__(self, binary, arguments, stdin=None):
        self.binary, self.arguments, self.stdin = binary, arguments, stdin
        self.names = [argument.split("/", 1)[1] for argument in arguments if argument.startswith("OUT/")]

    def line(self, folder, extra=()):
        typed = [str(folder / argument.split("/", 1)[1]) if argument.startswith("OUT/") else argument for argument in self.arguments]
        return [self.binary, *typed, "--progress", "never", *extra]

    def start(self, folder, extra=(), **popen):
        folder.mkdir(parents=True, exist_ok=True)
        stdin = open(self.stdin, "rb") if self.stdin else subprocess.DEVNULL
        try:
            return subprocess.Popen(self.line(folder, extra), stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **popen)
        finally:
            if self.stdin:
                stdin.close()

    def run(self, folder, extra=(), **popen):
        """Exit status and what was said."""
        process = self.start(folder, extra, **popen)
        said = process.communicate(timeout=120)[1].decode()
        return process.returncode, said

    def to_standard_output(self):
        """The same, but what goes to -o goes to a pipe instead: a run with more for it than a pipe holds cannot end until it is read."""
        place = self.arguments.index("-o")
        return Command(self.binary, self.arguments[:place] + self.arguments[place + 2:], self.stdin)

    def outputs(self, folder):
        return {name: (folder / name).read_bytes() if (folder / name).exists() else None for name in self.names}

    def answer(self, folder, extra=()):
        """The outputs of a run that must succeed."""
        status, said = self.run(folder, extra)
        require(status in (0, 1), f"{self} failed with {status}: {said}")
        return self.outputs(folder)

    def put_old_outputs(self, folder):
        """A folder with the outputs of an earlier run alone, which must stay until there are new ones."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for name in self.names:
            (folder / name).write_bytes(b"old " + name.encode())
        return self.outputs(folder)

    def __str__(self):
        return "nearkin " + " ".join(argument.rsplit("/", 1)[-1] if argument.startswith("/") else argument for argument in self.arguments)


def run_folder(scratch):
    """The folder of the one run that has files there, or None."""
    found = [path for path in scratch.iterdir() if not path.name.endswith(".done")] if scratch.exists() else []
    require(len(found) <= 1, f"several runs in {scratch}: {found}")
    return found[0] if found else None


def units(scratch):
    """The units of work that are done: their names, and what tells a file from one that was written anew."""
    done = {}
    folder = run_folder(scratch)
    for path in folder.iterdir() if folder else []:
        if path.name == "lock" or path.suffix == ".part":
            continue
        state = path.stat()
        done[path.name] = (state.st_ino, state.st_mtime_ns, state.st_size)
    return done


def stats_of(path):
    return json.loads(path.read_text())
