"""What the tests of Parquet share."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterator

import pytest

pa = pytest.importorskip("pyarrow")

from nearkin import _command, _files, _flags  # noqa: E402


@dataclass
class Done:
    stdout: str
    stderr: str


def documents(count: int, seed: int = 1) -> list[str]:
    """One in five is an earlier one with a word changed."""
    choose = random.Random(seed)
    words = [f"word{i}" for i in range(3000)]
    texts: list[str] = []
    for i in range(count):
        if i % 5 == 4:
            copy = choose.choice(texts).split()
            copy[choose.randrange(len(copy))] = "changed"
            texts.append(" ".join(copy))
        else:
            texts.append(" ".join(choose.choices(words, k=choose.randint(40, 90))))
    return texts


def table_of(texts: list[Any], **columns: Any) -> Any:
    return pa.table({"id": [f"d{i}" for i in range(len(texts))], "text": texts, **columns})


def write_jsonl(path: Path, texts: list[Any]) -> Path:
    path.write_text("".join(json.dumps({"id": f"d{i}", "text": text} if text is not None else {"id": f"d{i}"}) + "\n" for i, text in enumerate(texts)))
    return path


def command(*words: Any, cwd: Path, status: int = 0) -> Done:
    """As the command does it, without the start of another interpreter (test_command.py has that)."""
    with tempfile.TemporaryFile("w+") as out, chdir(cwd):
        typed = _command.for_package([str(word) for word in words])
        if typed is None:
            done = subprocess.run([_flags.BINARY, *map(str, words)], stdout=out, stderr=subprocess.PIPE, text=True)
            got, said = done.returncode, done.stderr
        else:
            got, said = run_here(typed, out)
        out.seek(0)
        assert got == status, said
        return Done(out.read(), said)


def run_here(typed: _flags.Typed, out: Any) -> tuple[int, str]:
    said: list[bytes] = []
    sys.stdout.flush()
    before = os.dup(1)
    os.dup2(out.fileno(), 1)
    try:
        return _files.run(typed, said.append), b"".join(said).decode()
    except (ValueError, OSError) as error:
        return 2, b"".join(said).decode() + f"nearkin: {error}\n"
    finally:
        os.dup2(before, 1)
        os.close(before)


@contextmanager
def chdir(folder: Path) -> Iterator[None]:
    before = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def kept_ids(path: Path) -> list[str]:
    return [json.loads(line)["id"] for line in path.read_text().splitlines()]
