"""nearkin in DuckDB and polars, and on Dask and Ray: the answers of nearkin itself. The examples of docs/engines.md run where their packages are installed."""

from __future__ import annotations

import importlib
import importlib.util
import re
from pathlib import Path
from typing import Any

import pytest

import nearkin

TEXTS = ["the cat sat on the mat and looked at the dog", "the cat sat on the mat and looked at the fox", "another text that is like no other here", None, ""]
PLAN = nearkin.tune(threshold=0.6, shingle="word:2", sample=[text for text in TEXTS if text])
PAGE = Path(__file__).resolve().parents[2] / "docs" / "engines.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.M | re.S) if PAGE.exists() else []


def sketches() -> list[Any]:
    pa = pytest.importorskip("pyarrow")
    made: list[Any] = pa.array(nearkin.stage.sketch(nearkin.stage.shingle(pa.array(TEXTS), PLAN), PLAN)).to_pylist()
    return made


@pytest.fixture
def connection() -> Any:
    pytest.importorskip("pyarrow")
    duckdb = pytest.importorskip("duckdb")
    made = duckdb.connect()
    made.execute("CREATE TABLE docs (id VARCHAR, text VARCHAR)")
    made.executemany("INSERT INTO docs VALUES (?, ?)", [(f"d{i}", text) for i, text in enumerate(TEXTS)])
    importlib.import_module("nearkin.duckdb").register(made, PLAN)
    yield made
    made.close()


def test_duckdb_has_the_functions_of_a_plan(connection: Any) -> None:
    assert [row[0] for row in connection.sql("SELECT nearkin_minhash(text) FROM docs ORDER BY id").fetchall()] == sketches()
    found = connection.sql("SELECT nearkin_jaccard(a.text, b.text) FROM docs a, docs b WHERE a.id = 'd0' ORDER BY b.id").fetchall()
    assert [row[0] for row in found] == [1.0, 9 / 11, 0.0, None, 0.0]
    assert connection.sql("SELECT len(nearkin_bands(text)), len(nearkin_features(text)) FROM docs WHERE id = 'd1'").fetchall() == [(PLAN.bands, 10)]


def test_duckdb_takes_another_plan_and_refuses_one_without_sketches(connection: Any) -> None:
    module = importlib.import_module("nearkin.duckdb")
    module.register(connection, nearkin.tune(threshold=0.6, shingle="word:1"))
    assert connection.sql("SELECT nearkin_jaccard('a b c', 'c b a')").fetchall() == [(1.0,)]
    with pytest.raises(ValueError, match="has no MinHash sketch"):
        module.register(connection, nearkin.tune(measure="exact"))


def test_duckdb_has_the_pairs_of_a_query(connection: Any) -> None:
    module = importlib.import_module("nearkin.duckdb")
    assert module.pairs(connection, "SELECT id, text FROM docs ORDER BY id", PLAN).fetchall() == [("d0", "d1", 9 / 11)]
    between = module.pairs(connection, "SELECT id, text FROM docs WHERE id = 'd1'", PLAN, against="SELECT id, text FROM docs WHERE id <> 'd1'")
    assert between.fetchall() == [("d1", "d0", 9 / 11)]
    with pytest.raises(ValueError, match="query: 1 columns; two are needed"):
        module.pairs(connection, "SELECT text FROM docs", PLAN)


def test_polars_has_the_expressions_of_a_plan() -> None:
    pl = pytest.importorskip("polars")
    importlib.import_module("nearkin.polars")
    frame = pl.DataFrame({"text": TEXTS, "first": TEXTS[:1] * len(TEXTS)})
    text = pl.col("text").nearkin
    for given in (frame, frame.lazy()):
        made = given.select(minhash=text.minhash(PLAN), bands=text.bands(PLAN), features=text.features(PLAN), similarity=text.jaccard(pl.col("first"), PLAN)).lazy().collect()
        assert made["minhash"].to_list() == sketches() and made["similarity"].to_list() == [1.0, 9 / 11, 0.0, None, 0.0]
        assert made["features"].list.len().to_list() == [10, 10, 7, None, 0] and made["bands"][3] is None and len(made["bands"][0]) == PLAN.bands
    assert frame.clear().select(text.minhash(PLAN)).height == 0


def test_polars_has_the_pairs_and_the_rows_that_stay() -> None:
    pl = pytest.importorskip("polars")
    module = importlib.import_module("nearkin.polars")
    frame = pl.DataFrame({"id": [f"d{i}" for i in range(len(TEXTS))], "text": TEXTS})
    assert module.pairs(frame.lazy(), PLAN).rows() == [("d0", "d1", 9 / 11)]
    assert module.pairs(frame[1:2], PLAN, against=frame[:1]).rows() == [("d1", "d0", 9 / 11)]
    assert module.dedup(frame, PLAN)["id"].to_list() == ["d0", "d2", "d3", "d4"]
    assert module.dedup(frame, PLAN, keep="last")["id"].to_list() == ["d1", "d2", "d3", "d4"]


def test_the_page_has_examples() -> None:
    assert len(BLOCKS) >= 4 or not PAGE.exists()


NEEDS = {"duckdb": ["duckdb", "pyarrow"], "polars": ["polars"], "dask": ["dask", "pyarrow"], "ray": ["ray", "pyarrow"]}


@pytest.mark.parametrize("engine", NEEDS)
def test_examples_of_the_page(engine: str) -> None:
    """The blocks that import the engine, after those that import none."""
    for package in NEEDS[engine]:
        pytest.importorskip(package)
    if not BLOCKS:
        pytest.skip("docs/engines.md is not beside the tests")
    others = [name for name in NEEDS if name != engine]
    names: dict[str, Any] = {}
    for block in BLOCKS:
        if not any(re.search(rf"^import .*\b{other}\b", block, re.M) for other in others) and ("pyarrow" not in block or "pyarrow" in NEEDS[engine]):
            exec(compile(block, str(PAGE), "exec"), names)
