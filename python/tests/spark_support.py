"""What the Spark tests share: a session, tables, and what Spark answers as lines."""

from __future__ import annotations

import os
import random
import shutil
import sys
from collections.abc import Iterator

import pytest

pytest.importorskip("pyspark", reason="skipped: PySpark is not installed")
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("skipped: Spark needs Java, and there is none", allow_module_level=True)
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)

from pyspark.sql import DataFrame, SparkSession  # noqa: E402
from roads import Record, line, shown  # noqa: E402
from spark_cluster import QUICK, settings  # noqa: E402


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    builder = settings(SparkSession.builder.master("local[2]").appName("nearkin tests"), **QUICK)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session


def table(spark: SparkSession, records: list[Record], partitions: int) -> DataFrame:  # noqa: F811
    """The records in another order, in so many partitions."""
    kind = "bigint" if isinstance(records[0][0], int) else "string"
    score = ", score double" if len(records[0]) > 2 else ""
    shuffled = random.Random(partitions).sample(records, len(records))
    return spark.createDataFrame(shuffled, f"id {kind}, text string{score}").repartition(partitions)


def clusters_of(table: DataFrame) -> list[str]:
    return sorted(line(row.id, row.cluster, row.keeper, shown(row.similarity)) for row in table.collect())


def removed_of(table: DataFrame) -> list[str]:
    return sorted(line(row.id, row.keeper, shown(row.similarity)) for row in table.collect())


def kept_of(table: DataFrame) -> list[str]:
    return sorted(str(row.id) for row in table.select("id").collect())


def pairs_of(table: DataFrame) -> list[str]:
    return sorted(line(row.a, row.b, shown(row.similarity)) for row in table.collect())
