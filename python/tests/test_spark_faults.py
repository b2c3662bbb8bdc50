"""Rows that cannot be items stay in what is kept, are counted and named; tables that are none are refused; and a plan may be left out."""

from __future__ import annotations

import json
import random
import subprocess
from pathlib import Path

import pandas
import pytest
from roads import CommandLine, Record, assert_same, by_id, command, corpus
from spark_support import clusters_of, pairs_of, removed_of, spark, table  # noqa: F401

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import nearkin
import nearkin.spark
from nearkin.spark import Cut, Run

PLAN = dict(threshold=0.7, recall=0.95, shingle="word:2")


def at_fault(items: int, seed: int) -> list[Record]:
    """Records of which some have no id, or that of another; no text is missing."""
    rng = random.Random(seed)
    records = [(id, text or "") for id, text in corpus(items, seed)]
    records += [(rng.choice(records)[0], rng.choice(records)[1] + rng.choice(["", " more"])) for _ in range(items // 10)]
    return [*records, *((None, text) for _, text in rng.sample(records, items // 20))]


def in_turn(records: list[Record]) -> list[Record]:
    """As the command line is to meet them: of one id the least text first. Records without an id are named by it, and no items on Spark."""
    return sorted(((id, text) for id, text in records if id is not None), key=lambda record: tuple(part.encode() for part in record))


def frame(spark: SparkSession, records: list[Record], partitions: int) -> DataFrame:  # noqa: F811
    shuffled = random.Random(partitions).sample(records, len(records))
    rows = spark.createDataFrame(shuffled, "id string, text string").repartition(partitions)
    return rows.withColumn("more", F.create_map("text", "id"))  # a column that cannot be ordered


def all_rows(df: DataFrame) -> list[tuple[str, str]]:
    return sorted((str(row.id), row.text) for row in df.select("id", "text").collect())


@pytest.mark.parametrize("partitions", [1, 4])
def test_rows_at_fault_stay_as_by_the_command_line(spark: SparkSession, tmp_path: Path, partitions: int) -> None:  # noqa: F811
    records = at_fault(300, 51)
    plan = nearkin.tune(**PLAN)
    (tmp_path / "in.jsonl").write_text("".join(json.dumps({"id": id, "text": text}) + "\n" for id, text in in_turn(records)))
    kept, removed, stats = (tmp_path / name for name in ("kept", "removed", "stats"))
    subprocess.run([command(), "dedup", str(tmp_path / "in.jsonl"), "--plan", str(plan), "-q", "-o", str(kept), "--removed", str(removed), "--stats", str(stats)],
                   check=True)
    nameless = [(str(id), text) for id, text in records if id is None]
    told = json.loads(stats.read_text())
    with Run(frame(spark, records, partitions), plan) as run:
        expected = [(row["id"], row["text"]) for row in map(json.loads, kept.read_text().splitlines())]
        assert all_rows(run.kept()) == sorted(expected + nameless)
        assert sorted(row.id for row in run.removed().collect()) == sorted(line.split("\t")[0] for line in removed.read_text().splitlines())
        assert (run.stats.items, run.stats.kept_at_fault, run.stats.skipped) == (told["items"], told["kept_at_fault"] + len(nameless), 0)
        assert run.stats.faults[0] == f"{len(nameless)} rows without an id" and 'rows have it; the one whose text sorts first is compared' in run.stats.faults[1]
        assert run.skipped().count() == run.stats.kept_at_fault
        assert run.annotated().filter("cluster is null").count() == run.stats.kept_at_fault
        run.pairs().count()
        assert (run.stats.kept_at_fault, run.stats.skipped) == (0, told["kept_at_fault"] + len(nameless))


def test_rows_at_fault_are_left_out_or_end_the_run_where_this_is_asked_for(spark: SparkSession) -> None:  # noqa: F811
    text = "the same eight words are in all of them"
    df = spark.createDataFrame([("a", text), ("b", text), ("b", "zz, which comes later"), (None, text)], "id string, text string")
    plan = nearkin.tune(threshold=0.8)
    kept = [all_rows(nearkin.spark.dedup(df, plan, faults=rule)) for rule in ("keep", "skip")]
    assert kept == [[("None", text), ("a", text), ("b", "zz, which comes later")], [("a", text)]]
    with pytest.raises(ValueError, match='faults: 1 row without an id; id "b": 2 rows have it'):
        nearkin.spark.dedup(df, plan, faults="stop")
    with pytest.raises(ValueError, match='faults: "drop" is not keep, skip or stop'):
        nearkin.spark.dedup(df, plan, faults="drop")
    with pytest.raises(ValueError, match='id: none of 1 rows has an id in column "id"; name another column'):
        nearkin.spark.dedup(df.filter("id is null"), plan)


def test_texts_of_rows_at_fault_are_not_cut(spark: SparkSession) -> None:  # noqa: F811
    part, own = "the same eight words are in all of them", "and this one is alone"
    df = spark.createDataFrame([("a", part), ("b", f"{own}\n{part}"), ("b", f"{part}\n{part}"), (None, part)], "id string, text string")
    found = nearkin.spark.dedup(df, nearkin.tune(threshold=0.8, shingle="word:3"), cut=Cut("line"))
    assert all_rows(found) == sorted([("None", part), ("a", part), ("b", own), ("b", f"{part}\n{part}")])


def test_rows_at_fault_of_the_other_table_are_left_out(spark: SparkSession) -> None:  # noqa: F811
    text = "the same eight words are in all of them"
    df = spark.createDataFrame([("a", text), ("b", "something else")], "id string, text string")
    other = spark.createDataFrame([("x", text), ("x", text + " more"), (None, text)], "id string, text string")
    with Run(df, nearkin.tune(threshold=0.8, shingle="word:2"), against=other) as run:
        assert [tuple(row) for row in run.removed().collect()] == [("a", "x", 1.0)]
        assert (run.stats.skipped, run.stats.kept_at_fault) == (2, 0)
        assert run.stats.faults[0] == "against: 1 row without an id"


def test_a_plan_that_is_left_out_is_that_of_the_command_line(spark: SparkSession, tmp_path: Path) -> None:  # noqa: F811
    records = corpus(300, seed=52)
    df = table(spark, records, 3)
    lines = "".join(json.dumps({"id": id, "text": text or ""}) + "\n" for id, text in by_id(records))
    (tmp_path / "in.jsonl").write_text(lines)
    for name, found in (("pairs", nearkin.spark.pairs(df)), ("cluster", nearkin.spark.cluster(df)), ("dedup", nearkin.spark.dedup(df, what="removed"))):
        stats, out = tmp_path / "stats.json", tmp_path / "out"
        subprocess.run([command(), name, str(tmp_path / "in.jsonl"), "-q", "--stats", str(stats), "-o", str(out)], check=True)
        plan = nearkin.Plan(json.loads(stats.read_text())["plan"])
        answer = CommandLine(records, plan, tmp_path)
        expected = {"pairs": answer.pairs, "cluster": answer.clusters, "dedup": answer.removed}[name]()
        lines_of = {"pairs": pairs_of, "cluster": clusters_of, "dedup": removed_of}[name]
        assert_same(lines_of(found), expected)
        if name == "dedup":
            assert str(Run(df)._plan) == str(plan)
    assert pairs_of(nearkin.spark.pairs(df, str(plan))) == pairs_of(nearkin.spark.pairs(df, plan))


def test_what_is_no_table_of_spark_is_refused_by_name(spark: SparkSession) -> None:  # noqa: F811
    df = spark.createDataFrame([("a", "x")], "id string, text string")
    stream = spark.readStream.format("rate").load().selectExpr("cast(value as string) as id", "'x' as text")
    plan = nearkin.tune(threshold=0.8)
    for given, error, message in (
        (df.rdd, TypeError, r'df: pyspark.*RDD is not a DataFrame of Spark; use its toDF\(\["id", "text"\]\)'),
        (pandas.DataFrame({"id": ["a"], "text": ["x"]}), TypeError, "df: pandas.*DataFrame is not a DataFrame of Spark; use spark.createDataFrame"),
        ([("a", "x")], TypeError, "df: builtins.list is not a DataFrame of Spark"),
        (None, TypeError, "df: builtins.NoneType is not a DataFrame of Spark"),
        (DataFrame, TypeError, "df: builtins.type is not a DataFrame of Spark"),
        (stream, ValueError, "df: is a stream"),
    ):
        for call in (nearkin.spark.pairs, nearkin.spark.cluster, nearkin.spark.dedup, Run):
            with pytest.raises(error, match=message):
                call(given)
    with pytest.raises(TypeError, match="against: builtins.list is not a DataFrame of Spark"):
        nearkin.spark.pairs(df, plan, against=[])
    with pytest.raises(TypeError, match="text: 3 is int; give the name of a column"):
        nearkin.spark.dedup(df, plan, text=3)
    with pytest.raises(ValueError, match='text: column "text" is double; texts are strings'):
        nearkin.spark.dedup(df.select("id", F.lit(1.5).alias("text")))
    with pytest.raises(TypeError, match="plan: 0.8 is no plan"):
        nearkin.spark.dedup(df, 0.8)
