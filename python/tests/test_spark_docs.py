"""Every Python block of docs/spark.md runs as it stands, one after the other, about tables that the page takes for granted."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from roads import ROOT, corpus
from spark_support import spark  # noqa: F401

from pyspark.sql import SparkSession


def test_the_blocks_of_the_page_run(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / "docs/spark.md").read_text(), re.M | re.S)
    assert len(blocks) >= 5
    rows = [(id, text, 2000 + i % 7, f"author {i % 5}", "en") for i, (id, text) in enumerate(corpus(60, 61))]
    df = spark.createDataFrame(rows, "url string, body string, year int, author string, lang string")
    names = {"df": df, "known": df.limit(9), "old": df.limit(9).selectExpr("url as key", "body as content"), "spark": spark}
    monkeypatch.chdir(tmp_path)
    for block in blocks:
        exec(compile(block, "docs/spark.md", "exec"), names)
    assert 0 < names["new"].count() < df.count() and spark.read.parquet("kept").count() < df.count()
