"""The examples of docs/migrate.md, nearkin's side, do what is said there."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

pa = pytest.importorskip("pyarrow")
import pyarrow.parquet as pq  # noqa: E402

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "migrate.md"
if not DOCUMENT.exists():
    pytest.skip("docs/migrate.md is not beside the tests", allow_module_level=True)
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
PYTHON = [block for kind, block in BLOCKS if kind == "python" and "assert" in block]
COMMANDS = [line for kind, block in BLOCKS if kind == "sh" for line in block.splitlines() if line.startswith("nearkin ")]


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
    done = subprocess.run([sys.executable, "-m", "nearkin._command", *words], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "kept 5, removed 5" in done.stderr
