"""Tables of format tsv on Spark are read and written as the command line does."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession
from spark_support import spark  # noqa: F401

from nearkin.spark import _tsv


def rows(path: Path) -> list[str]:
    return sorted(line for part in path.glob("part-*") for line in part.read_text().split("\n") if line)


def test_quotes_count_where_they_enclose_a_field(spark: SparkSession, tmp_path: Path) -> None:  # noqa: F811
    (tmp_path / "a.tsv").write_text('id\ttext\n1\tsay "hello\n2\t"quoted\tfield"\n3\t"open\n4\t5" disk\\\r\n')
    (tmp_path / "b.tsv").write_text('id\ttext\n5\t  blanks  \n6\t\n')
    table = _tsv.read(spark, [str(tmp_path / "a.tsv"), str(tmp_path / "b.tsv")])
    assert table.columns == ["id", "text"]
    found = sorted((row.id, row.text) for row in table.collect())
    assert found == [("1", 'say "hello'), ("2", "quoted\tfield"), ("3", '"open'), ("4", '5" disk\\'), ("5", "  blanks  "), ("6", "")]


def test_records_are_read_back_and_lists_are_escaped(spark: SparkSession, tmp_path: Path) -> None:  # noqa: F811
    table = spark.createDataFrame([("1", 'a "b"\tc'), ("2", None)], "id string, `my.text` string").coalesce(1)
    _tsv.write(table, str(tmp_path / "records"), listing=False)
    assert rows(tmp_path / "records") == ['1\t"a ""b""\tc"', "2\t", "id\tmy.text"]
    again = _tsv.read(spark, [str(tmp_path / "records")])
    assert again.columns == ["id", "my.text"]
    assert sorted(tuple(row) for row in again.collect()) == [("1", 'a "b"\tc'), ("2", "")]
    _tsv.write(table, str(tmp_path / "list"), listing=True)
    assert rows(tmp_path / "list") == ['1\ta "b"\\tc', "2\t", "id\tmy.text"]
