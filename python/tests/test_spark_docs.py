"""Every Python block of docs/spark.md runs as it stands, one after the other, about tables that the page takes for granted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from roads import ROOT, corpus
from spark_support import spark  # noqa: F401

from pyspark.sql import SparkSession


@pytest.fixture
def working_folder(spark: SparkSession, tmp_path: Path) -> Iterator[Path]:  # noqa: F811
    """Where Spark looks for paths that are not absolute: it would take the folder in which its Java began."""
    java, context = spark.sparkContext._jvm, spark.sparkContext._jsc
    files = java.org.apache.hadoop.fs.FileSystem.get(context.hadoopConfiguration())
    before = files.getWorkingDirectory()
    files.setWorkingDirectory(java.org.apache.hadoop.fs.Path(str(tmp_path)))
    yield tmp_path
    files.setWorkingDirectory(before)


def test_the_blocks_of_the_page_run(spark: SparkSession, working_folder: Path) -> None:  # noqa: F811
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / "docs/spark.md").read_text(), re.M | re.S)
    assert len(blocks) >= 5
    rows = [(id, text, 2000 + i % 7, f"author {i % 5}", "en") for i, (id, text) in enumerate(corpus(60, 61))]
    df = spark.createDataFrame(rows, "url string, body string, year int, author string, lang string")
    names = {"df": df, "known": df.limit(9), "old": df.limit(9).selectExpr("url as key", "body as content"), "spark": spark}
    for block in blocks:
        exec(compile(block, "docs/spark.md", "exec"), names)
    assert 0 < names["new"].count() < df.count() and spark.read.parquet(str(working_folder / "kept")).count() < df.count()
