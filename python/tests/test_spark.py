"""Spark gives the command line's answer about the same records sorted by id."""

from __future__ import annotations

import json
import lzma
import random
from pathlib import Path

import pytest
from spark_support import SHARED, Answer, clusters_of, corpus, pairs_of, removed_of, spark  # noqa: F401

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import nearkin
import nearkin.spark
from nearkin.spark import Run


def table(spark: SparkSession, records: list[tuple[object, str | None]], partitions: int):  # noqa: F811
    kind = "bigint" if isinstance(records[0][0], int) else "string"
    shuffled = random.Random(partitions).sample(records, len(records))
    return spark.createDataFrame(shuffled, f"id {kind}, text string").repartition(partitions)


def check_against_command_line(spark: SparkSession, records, plan, folder: Path, partitions: int, driver_edges: int,  # noqa: F811
                               hot: bool = True) -> None:
    answer = Answer(records, plan, folder)
    with Run(table(spark, records, partitions), plan, driver_edges=driver_edges) as run:
        assert clusters_of(run.clusters()) == answer.clusters("connected")
        told = answer.stats()
        run.pairs()
        for name in ("items", "empty", "copies", "candidates", "pairs"):
            assert getattr(run.stats, name) == told[name], name
        assert run.stats.as_dict()["buckets"] == told["buckets"]
        assert (told["buckets"]["large"] > 0) == hot
        assert removed_of(run.removed()) == answer.removed()
        assert sorted(str(row.id) for row in run.kept().collect()) == answer.kept()
        assert pairs_of(run.pairs()) == answer.pairs()


PLAN = dict(threshold=0.7, recall=0.95, shingle="word:2", large_bucket=12)


@pytest.mark.parametrize("items, partitions, driver_edges, few_rows", [(1000, 1, 50, 100), (4000, 3, 10**6, 10**6), (4000, 8, 10**6, -1)])
def test_a_corpus_with_hot_buckets(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, items: int,  # noqa: F811
                                   partitions: int, driver_edges: int, few_rows: int) -> None:
    monkeypatch.setattr("nearkin.spark._columns._FEW_ROWS", few_rows)  # as if tables were too large to be sent whole
    check_against_command_line(spark, corpus(items), nearkin.tune(**PLAN), tmp_path, partitions, driver_edges)


def test_integer_ids_are_ordered_by_number(spark: SparkSession, tmp_path: Path) -> None:  # noqa: F811
    rng = random.Random(3)
    ids = rng.sample(range(-500, 10_000), 1000)
    records = [(id, text) for id, (_, text) in zip(ids, corpus(1000, seed=2))]
    plan = nearkin.tune(**PLAN)
    answer = Answer(records, plan, tmp_path)
    found = nearkin.spark.cluster(table(spark, records, 3), plan)
    assert [field.dataType.simpleString() for field in found.schema] == ["bigint", "bigint", "bigint", "double"]
    assert clusters_of(found) == answer.clusters("connected")


def test_ids_of_other_scripts_are_ordered_bytewise(spark: SparkSession, tmp_path: Path) -> None:  # noqa: F811
    text = "one two three four five six seven eight"
    records = [(id, text) for id in ("z", "é", "\U0001f600", "\uffff", "A", "a b", "a")]
    plan = nearkin.tune(threshold=0.8)
    found = removed_of(nearkin.spark.dedup(table(spark, records, 2), plan, what="removed"))
    assert found == Answer(records, plan, tmp_path).removed()
    assert {keeper for _, keeper, _ in found} == {"A"}


def test_equal_texts_alone_under_measure_exact(spark: SparkSession, tmp_path: Path) -> None:  # noqa: F811
    records = corpus(800, seed=4)
    plan = nearkin.tune(measure="exact")
    check_against_command_line(spark, records, plan, tmp_path, 3, 10**6, hot=False)


def test_bags_of_shingles(spark: SparkSession, tmp_path: Path) -> None:  # noqa: F811
    records = [(id, text and text + " " + text[:40]) for id, text in corpus(500, seed=6)]
    plan = nearkin.tune(measure="weighted-jaccard", threshold=0.6, shingle="word:1", bag=True)
    answer = Answer(records, plan, tmp_path)
    assert pairs_of(nearkin.spark.pairs(table(spark, records, 3), plan)) == answer.pairs()


def test_sets_are_compared_as_sets(spark: SparkSession) -> None:  # noqa: F811
    rows = [("a", ["x", "y", "z", "w"]), ("b", ["w", "z", "y", "x"]), ("c", ["x", "y", "z", "v"]), ("d", []), ("e", None), ("f", ["q"])]
    plan = nearkin.tune(threshold=0.6, shingle="element:1")
    found = nearkin.spark.pairs(spark.createDataFrame(rows, "id string, text array<string>"), plan)
    assert sorted(map(tuple, found.collect())) == [("a", "b", 1.0), ("a", "c", 0.6), ("b", "c", 0.6)]


def test_all_columns_are_kept_and_names_may_have_dots(spark: SparkSession) -> None:  # noqa: F811
    text = "the same words in the same order again"
    rows = [(2, text, {"k": [1, None]}), (1, text, None), (3, None, {}), (4, "something else altogether", {"z": []})]
    df = spark.createDataFrame(rows, "`my.id` int, `the text` string, more map<string, array<int>>")
    plan = nearkin.tune(threshold=0.8)
    with Run(df, plan, id="my.id", text="the text") as run:
        kept = run.kept()
        assert kept.schema == df.schema
        assert sorted((row[0], row[2]) for row in kept.collect()) == [(1, None), (3, {}), (4, {"z": []})]
        told = run.annotated()
        assert told.columns == ["my.id", "the text", "more", "cluster", "keeper", "similarity"]
        assert sorted((row[0], row.cluster, row.keeper, row.similarity) for row in told.collect()) == [
            (1, 0, 1, 1.0), (2, 0, 1, 1.0), (3, 1, 3, 1.0), (4, 2, 4, 1.0)]


def test_nothing_comes_of_nothing(spark: SparkSession) -> None:  # noqa: F811
    plan = nearkin.tune(threshold=0.8)
    for rows in ([], [("a", None)], [("a", "one two three"), ("b", "four five six")]):
        df = spark.createDataFrame(rows, "id string, text string")
        with Run(df, plan) as run:
            assert run.kept().count() == len(rows)
            assert run.removed().count() == run.pairs().count() == 0
            assert sorted(row.cluster for row in run.clusters().collect()) == list(range(len(rows)))


def test_ids_at_fault_are_named(spark: SparkSession) -> None:  # noqa: F811
    plan = nearkin.tune(threshold=0.8)
    twice = spark.createDataFrame([("a", "x"), ("b", "y"), ("b", "z"), ("c", "y")], "id string, text string").repartition(3)
    with pytest.raises(ValueError, match='id: "b" occurs more than once'):
        nearkin.spark.dedup(twice, plan)
    missing = spark.createDataFrame([("a", "x"), (None, "y"), (None, "y")], "id string, text string")
    with pytest.raises(ValueError, match="2 of 3 items have no id"):
        nearkin.spark.cluster(missing, plan)
    with pytest.raises(ValueError, match='no column "url"; the columns are id, text'):
        nearkin.spark.pairs(missing, plan, id="url")
    with pytest.raises(ValueError, match="is double; cast it"):
        nearkin.spark.pairs(missing.select(F.lit(1.5).alias("id"), "text"), plan)


@pytest.mark.parametrize("wishes, word", [
    (dict(recall=1), "recall 1 is an exact join"), (dict(measure="containment"), "containment"), (dict(verify="estimate"), "verify estimate"),
    (dict(measure="cosine"), "cosine over"), (dict(measure="euclidean", radius=3, dimensions=4), "euclidean over")])
def test_plans_that_are_not_for_spark_are_refused(spark: SparkSession, wishes: dict[str, object], word: str) -> None:  # noqa: F811
    df = spark.createDataFrame([("a", "x")], "id string, text string")
    with pytest.raises(ValueError, match=word):
        nearkin.spark.dedup(df, nearkin.tune(**wishes))


def test_more_pairs_than_the_limit_are_refused_before_they_are_listed(spark: SparkSession) -> None:  # noqa: F811
    df = spark.createDataFrame([(f"{i:04}", "the same five words always") for i in range(1000)], "id string, text string")
    with pytest.raises(ValueError, match="max_pairs: 499500 pairs to list, the limit is 1000"):
        nearkin.spark.pairs(df, nearkin.tune(threshold=0.8), max_pairs=1000)


def test_the_submitted_job_writes_what_the_command_line_writes(spark: SparkSession, tmp_path: Path) -> None:  # noqa: F811
    from nearkin.spark.__main__ import main
    records = corpus(600, seed=9)
    plan = nearkin.tune(threshold=0.7, shingle="word:2")
    answer = Answer(records, plan, tmp_path)
    table(spark, records, 2).write.parquet(str(tmp_path / "in.parquet"))
    status = main(["dedup", str(tmp_path / "in.parquet"), "-o", str(tmp_path / "out"), "--removed", str(tmp_path / "gone"), "--threshold", "0.7",
                   "--shingle", "word:2", "--stats", str(tmp_path / "spark.json"), "--quiet"])
    assert status == 0
    assert removed_of(spark.read.parquet(str(tmp_path / "gone"))) == answer.removed()
    assert sorted(row.id for row in spark.read.parquet(str(tmp_path / "out")).collect()) == answer.kept()
    assert json.loads((tmp_path / "spark.json").read_text())["items"] == 600
    assert main(["dedup", str(tmp_path / "in.parquet"), "-o", str(tmp_path / "again"), "--plan", str(plan), "--bands", "3"]) == 2


def check_file(spark: SparkSession, records, tmp_path: Path) -> None:  # noqa: F811
    plan = nearkin.tune(threshold=0.5, recall=0.95, shingle="word:3")
    answer = Answer(records, plan, tmp_path)
    with Run(table(spark, records, 3), plan) as run:
        assert clusters_of(run.clusters()) == answer.clusters("connected")
        assert removed_of(run.removed()) == answer.removed()


def test_bbc_news(spark: SparkSession, tmp_path: Path) -> None:  # noqa: F811
    path = SHARED / "bbc-news" / "bbc_news.tsv"
    if not path.exists():
        pytest.skip("skipped: ../shared/data/bbc-news is not there")
    rows = [line.rstrip("\n").split("\t") for line in path.open(encoding="utf-8")]
    check_file(spark, [(row[0], row[-1]) for row in rows], tmp_path)


def test_reuters(spark: SparkSession, tmp_path: Path) -> None:  # noqa: F811
    path = SHARED / "reuters21578" / "reuters21578.tsv.xz"
    if not path.exists():
        pytest.skip("skipped: ../shared/data/reuters21578 is not there")
    with lzma.open(path, "rt", encoding="utf-8", errors="replace") as lines:
        rows = [line.rstrip("\n").split("\t") for line in lines]
    check_file(spark, [(row[0], row[-1]) for row in rows], tmp_path)
