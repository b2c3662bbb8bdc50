"""Every Python block of the README and of docs/python.md runs as it stands, one after the other. A block "python MODULE" runs where that module is installed."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def write_tables(folder):
    """The Parquet files that the commands of docs/python.md name."""
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    texts = [" ".join(f"w{(i // 2 * k) % 97}" for k in range(1, 40)) for i in range(40)]
    ids = [f"d{i}" for i in range(len(texts))]
    columns = {"id": ids, "text": texts, "url": ids, "body": texts, "lang": ["en"] * len(texts), "meta": [{"url": name} for name in ids]}
    table = pa.table(columns)
    (folder / "in").mkdir()
    for number in range(2):
        pq.write_table(table.slice(20 * number, 20), folder / f"in/{number}.parquet")
    pq.write_table(table, folder / "docs.parquet")
    pq.write_table(table.slice(0, 5), folder / "suite.parquet")


def test_indented_commands_run(tmp_path):
    commands = re.findall(r"^    nearkin (.*)$", (ROOT / "docs/python.md").read_text(), re.M)
    assert len(commands) >= 5
    write_tables(tmp_path)
    for command in commands:
        if "s3://" in command:  # a bucket of others
            continue
        words = shlex.split(command.split("   #")[0])
        done = subprocess.run([sys.executable, "-m", "nearkin._command", *words], cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, f"{command}\n{done.stderr}"


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_python_blocks_run(page, tmp_path, monkeypatch):
    blocks = re.findall(r"^```python *(\w*)\n(.*?)^```", (ROOT / page).read_text(), re.M | re.S)
    assert blocks, f"{page} has no Python block"
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for module, block in blocks:
        if not module or find_spec(module):
            exec(compile(block, page, "exec"), names)
