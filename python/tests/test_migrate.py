"""The examples of docs/migrate.md do what is said there: nearkin's side everywhere, and the other side where its package is installed."""

from __future__ import annotations

import collections
import importlib.util
import json
import os
import pickle
import random
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")
import pyarrow.parquet as pq  # noqa: E402

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "migrate.md"
if not DOCUMENT.exists():
    pytest.skip("docs/migrate.md is not beside the tests", allow_module_level=True)
BLOCKS = re.findall(r"^ *```(\w+)\n(.*?)^ *```", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
PYTHON = [block for kind, block in BLOCKS if kind == "python" and "assert" in block]
COMMANDS = [line for kind, block in BLOCKS if kind == "sh" for line in map(str.strip, block.splitlines()) if line.startswith("nearkin ")]


def test_there_are_examples() -> None:
    assert len(PYTHON) >= 5 and len(COMMANDS) >= 4


@pytest.mark.parametrize("block", PYTHON, ids=range(len(PYTHON)))
def test_python_example(block: str) -> None:
    exec(compile(block, str(DOCUMENT), "exec"), {})


@pytest.mark.parametrize("line", COMMANDS, ids=range(len(COMMANDS)))
def test_command_example(line: str, tmp_path: Path) -> None:
    records = [{"id": f"d{i}", "url": f"u{i}", "text": f"one two three four five six seven number {i // 2}"} for i in range(10)]
    lines = "".join(json.dumps(record) + "\n" for record in records)
    (tmp_path / "in").mkdir()
    (tmp_path / "docs.jsonl").write_text(lines)
    if "parquet" in line:
        pq.write_table(pa.table({"url": [r["url"] for r in records], "body": [r["text"] for r in records]}), tmp_path / "in" / "docs.parquet")
    else:
        (tmp_path / "in" / "docs.jsonl").write_text(lines)
    (tmp_path / "tmp").mkdir()
    words = shlex.split(line.replace("/data/tmp", str(tmp_path / "tmp")), comments=True)[1:]
    said = nearkin_says(words, tmp_path)
    if "--verify none" in line:  # Texts that share half of their shingles may meet, and nothing tells them apart.
        assert re.search("kept [1-5], removed [5-9]", said)
    else:
        assert "kept 5, removed 5" in said


def nearkin_says(words: list[str], folder: Path) -> str:
    done = subprocess.run([sys.executable, "-m", "nearkin._command", *words], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stderr


def needs(package: str) -> Any:
    return pytest.mark.skipif(importlib.util.find_spec(package) is None, reason=f"{package} is not installed")


def texts_with_copies(count: int) -> list[str]:
    """Random words; about half of the texts have copies with a few words changed, and copies of copies."""
    choose = random.Random(5)
    words = ["".join(choose.choice("bdfgklmnprst") + choose.choice("aeiou") for _ in range(3)) for _ in range(3000)]
    texts: list[list[str]] = []
    while len(texts) < count:
        base = [choose.choice(words) if choose.random() < 0.7 else choose.choice(words[:50]) for _ in range(choose.randint(30, 150))]
        texts.append(base)
        last = base
        for _ in range(choose.choice([0, 0, 0, 1, 1, 2, 3])):
            last = list(last if choose.random() < 0.5 else base)
            for _ in range(max(1, int(len(last) * choose.choice([0.005, 0.01, 0.02, 0.04, 0.06])))):
                last[choose.randrange(len(last))] = choose.choice(words)
            texts.append(last)
    choose.shuffle(texts)
    return [" ".join(text) for text in texts[:count]]


def write_texts(path: Path, texts: list[str]) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps({"id": f"d{i}", "row": i, "text": text}) + "\n" for i, text in enumerate(texts)))


def kept_by(line: str, folder: Path) -> int:
    found = re.search(r"kept ([\d,]+)", nearkin_says(shlex.split(line, comments=True)[1:], folder))
    assert found
    return int(found[1].replace(",", ""))


def recipe(*parts: str) -> str:
    (line,) = [line for line in COMMANDS if all(part in line for part in parts)]
    return line


def text_dedup(command: str, folder: Path) -> list[dict[str, Any]]:
    """The records that it keeps."""
    words = shlex.split(command.replace("\\\n", " "))[1:]
    environment = {**os.environ, "HF_HOME": str(folder / "home"), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run([sys.executable, *words, "--cache_dir", str(folder / "cache"), "--num_proc", "1", "--debug"], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    import datasets

    return list(datasets.load_from_disk(str(folder / "out")))


(TEXT_DEDUP,) = [block for kind, block in BLOCKS if kind == "sh" and block.startswith("python -m text_dedup.minhash")]


@needs("text_dedup")
def test_text_dedup_keeps_what_the_recipe_keeps(tmp_path: Path) -> None:
    write_texts(tmp_path / "docs.jsonl", texts_with_copies(1000))
    rows = {record["row"] for record in text_dedup(TEXT_DEDUP, tmp_path)}
    assert kept_by(recipe("--bands 25", "--verify none"), tmp_path) == pytest.approx(len(rows), rel=0.03)
    assert kept_by(recipe("docs.jsonl", "--removed"), tmp_path) > len(rows)
    assert kept_by(recipe("--bands 25", "--verify none").replace("--bands 25 --rows 10", ""), tmp_path) < 0.95 * len(rows)

    forest = pickle.loads((tmp_path / "out" / "uf.pkl").read_bytes())
    clusters: dict[int, list[int]] = collections.defaultdict(list)
    for row in list(forest.parent):
        clusters[forest.find(row)].append(row)
    kept = [sorted(members).index(root) for root, members in clusters.items() if root in rows]
    sizes = [len(members) for root, members in clusters.items() if root in rows]
    assert len(kept) > 100 and sum(place == size - 1 for place, size in zip(kept, sizes)) > 0.7 * len(kept) and 0 not in kept


@needs("text_dedup")
def test_text_dedup_removes_short_texts_and_nearkin_keeps_them(tmp_path: Path) -> None:
    write_texts(tmp_path / "docs.jsonl", ["one two", "three four five", "a text of more than five words"])
    assert [record["row"] for record in text_dedup(TEXT_DEDUP, tmp_path)] == [2]
    assert kept_by(recipe("docs.jsonl", "--removed"), tmp_path) == 3


@needs("text_dedup")
def test_exact_hashes_tell_all_bytes_apart(tmp_path: Path) -> None:
    write_texts(tmp_path / "docs.jsonl", ["One two", "one  two", "One two", "One, two"])
    command = "python -m text_dedup.exact_hash --path json --data_files docs.jsonl --split train --column text --output out/"
    assert [record["row"] for record in text_dedup(command, tmp_path)] == [0, 1, 3]
    assert kept_by("nearkin dedup docs.jsonl --measure exact --normalise none -o kept.jsonl", tmp_path) == 3
    assert kept_by("nearkin dedup docs.jsonl --measure exact -o kept.jsonl", tmp_path) == 2


def datatrove(folder: Path) -> list[int]:
    """The rows that it keeps."""
    (block,) = [block for kind, block in BLOCKS if kind == "python" and "LocalPipelineExecutor(" in block]
    program = re.sub(r"tasks=(\d+)\)", r"tasks=\1, workers=1)", block.replace("tasks=8", "tasks=1"))
    done = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return sorted(json.loads(line)["metadata"]["row"] for path in (folder / "out").iterdir() for line in path.read_text().splitlines())


needs_datatrove = pytest.mark.skipif(any(importlib.util.find_spec(name) is None for name in ("datatrove", "tokenizers", "spacy")),
                                     reason="datatrove[io,processing] and spacy are not installed")


@needs_datatrove
def test_datatrove_keeps_what_the_recipe_keeps(tmp_path: Path) -> None:
    texts = texts_with_copies(1000)
    write_texts(tmp_path / "in" / "docs.jsonl", texts)
    rows = datatrove(tmp_path)
    assert kept_by(recipe("--bands 14", "--verify none"), tmp_path) == pytest.approx(len(rows), rel=0.03)
    assert kept_by(recipe("--bands 14", "--threshold 0.8"), tmp_path) > len(rows)


@needs_datatrove
def test_datatrove_folds_numbers_and_nearkin_does_not(tmp_path: Path) -> None:
    write_texts(tmp_path / "in" / "docs.jsonl", ["on page 17 of 20 there is a picture of w1 and w2", "on page 18 of 30 there is a picture of w3 and w4"])
    assert datatrove(tmp_path) == [0]
    assert kept_by(recipe("--bands 14", "--threshold 0.8"), tmp_path) == 2
