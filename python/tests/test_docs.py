"""Every Python block of the README and of docs/python.md runs as it stands, one after the other. A block "python MODULE" runs where that module is installed."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_python_blocks_run(page, tmp_path, monkeypatch):
    blocks = re.findall(r"^```python *(\w*)\n(.*?)^```", (ROOT / page).read_text(), re.M | re.S)
    assert blocks, f"{page} has no Python block"
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for module, block in blocks:
        if not module or find_spec(module):
            exec(compile(block, page, "exec"), names)
