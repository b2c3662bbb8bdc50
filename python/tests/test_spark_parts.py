"""Parts of texts, and rows that are compared within or across scopes: Spark gives the command line's answer."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from roads import CommandLine, assert_same, corpus
from spark_support import clusters_of, pairs_of, removed_of, spark  # noqa: F401

from pyspark.sql import DataFrame, SparkSession

import nearkin
import nearkin.spark
from nearkin.spark import Cut, Run

PLAN = dict(threshold=0.7, recall=0.95, shingle="word:2", large_bucket=12)


def scoped(items: int, seed: int) -> list[tuple[str, str, str]]:
    """One in four rows has no language."""
    rng = random.Random(seed)
    return [(id, text or "", rng.choice(["de", "en", "fr", ""])) for id, text in corpus(items, seed)]


def frame(spark: SparkSession, records: list[tuple[object, str, str]], partitions: int) -> DataFrame:  # noqa: F811
    kind = "bigint" if isinstance(records[0][0], int) else "string"
    rows = [(id, text, lang or None) for id, text, lang in random.Random(partitions).sample(records, len(records))]
    return spark.createDataFrame(rows, f"id {kind}, text string, lang string").repartition(partitions)


@pytest.mark.parametrize("rule, seed, partitions", [("within", 11, 3), ("across", 12, 3), ("across", 13, 1)])
def test_scopes(spark: SparkSession, tmp_path: Path, rule: str, seed: int, partitions: int) -> None:  # noqa: F811
    records = scoped(900, seed)
    plan = nearkin.tune(**PLAN)
    answer = CommandLine(records, plan, tmp_path, (f"--{rule}", "lang"), "lang")
    with Run(frame(spark, records, partitions), plan, **{rule: "lang"}) as run:
        assert_same(pairs_of(run.pairs()), answer.pairs())
        told = answer.stats
        assert told["buckets"]["large"] > 0
        for name in ("items", "empty", "copies", "candidates", "pairs"):
            assert getattr(run.stats, name) == told[name], name
        assert run.stats.as_dict()["buckets"] == told["buckets"]
        assert_same(clusters_of(run.clusters()), answer.clusters())
        assert_same(removed_of(run.removed()), answer.removed())


@pytest.mark.parametrize("top", [1, 2])
def test_the_best_partners(spark: SparkSession, tmp_path: Path, top: int) -> None:  # noqa: F811
    records = scoped(400, 15)
    plan = nearkin.tune(**PLAN)
    answer = CommandLine(records, plan, tmp_path, ("--top", str(top)), "lang")
    found = pairs_of(nearkin.spark.pairs(frame(spark, records, 2), plan, top=top))
    assert_same(found, answer.pairs())
    assert len(found) < answer.stats["pairs"]


def test_scopes_of_measure_exact(spark: SparkSession, tmp_path: Path) -> None:  # noqa: F811
    records = scoped(300, 14)
    plan = nearkin.tune(measure="exact")
    answer = CommandLine(records, plan, tmp_path, ("--within", "lang"), "lang")
    assert_same(pairs_of(nearkin.spark.pairs(frame(spark, records, 2), plan, within="lang")), answer.pairs())
    with pytest.raises(ValueError, match="across: measure exact compares all rows on Spark"):
        nearkin.spark.pairs(frame(spark, records, 2), plan, across="lang")


def in_parts(items: int, seed: int, whole_ids: bool = False) -> list[tuple[object, str, str]]:
    """Texts of some paragraphs, of which many stand elsewhere too."""
    rng = random.Random(seed)
    parts = [text or "" for _, text in corpus(items, seed)]
    records: list[tuple[object, str, str]] = []
    for i in range(items // 3):
        chosen = [rng.choice(parts) for _ in range(rng.choice([0, 1, 2, 3, 5]))]
        text = rng.choice(["\n\n", "\n \n\n"]).join(chosen) + rng.choice(["", "\n", ". Café end!"])
        records.append((rng.randrange(-10**6, 10**6) * 300 + i if whole_ids else f"doc-{rng.randrange(10**9)}", text, rng.choice(["de", "en"])))
    return records


@pytest.mark.parametrize("unit, least, whole_ids", [("paragraph", 0, False), ("paragraph", 30, True), ("window:20/15", 5, False), ("sentence", 0, True)])
def test_units(spark: SparkSession, tmp_path: Path, unit: str, least: int, whole_ids: bool) -> None:  # noqa: F811
    records = in_parts(450, 21, whole_ids)
    plan = nearkin.tune(**PLAN)
    answer = CommandLine(records, plan, tmp_path, ("--unit", unit, *(("--least-unit", str(least)) if least else ())), "lang")
    cut = Cut(unit, least)
    with Run(frame(spark, records, 3), plan, cut=cut) as run:
        assert_same(pairs_of(run.pairs()), answer.pairs())
        assert_same(clusters_of(run.clusters()), answer.clusters())
        assert_same(removed_of(run.removed()), answer.removed())
        left = {str(row.id): row.text for row in run.kept().collect()}
    assert left == answer.cut()
    assert any(left[str(id)] != text for id, text, _ in records)


def test_what_is_left_of_a_text(spark: SparkSession, tmp_path: Path) -> None:  # noqa: F811
    records = in_parts(450, 22)
    plan = nearkin.tune(**PLAN)
    answer = CommandLine(records, plan, tmp_path, ("--unit", "paragraph"), "lang")
    table = frame(spark, records, 2)
    for cut, flags in ((Cut("paragraph", repeats="none"), ("--repeats", "none")), (Cut("paragraph", least_left=40), ("--least-left", "40")),
                       (Cut("paragraph", most_cut=0.5), ("--most-cut", "0.5")),
                       (Cut("paragraph", least_left=60, most_cut=0.6), ("--least-left", "60", "--most-cut", "0.6"))):
        found = nearkin.spark.dedup(table, plan, cut=cut)
        assert found.schema == table.schema
        assert {row.id: row.text for row in found.collect()} == answer.cut(*flags), flags


def test_units_within_scopes_and_kept_by_another_rule(spark: SparkSession, tmp_path: Path) -> None:  # noqa: F811
    records = in_parts(300, 23)
    plan = nearkin.tune(**PLAN)
    answer = CommandLine(records, plan, tmp_path, ("--unit", "paragraph", "--across", "lang"), "lang")
    assert_same(pairs_of(nearkin.spark.pairs(frame(spark, records, 2), plan, unit="paragraph", across="lang")), answer.pairs())
    answer = CommandLine(records, plan, tmp_path, ("--unit", "paragraph"), "lang")
    found = nearkin.spark.dedup(frame(spark, records, 2), plan, cut=Cut("paragraph"), keep="longest", what="removed")
    assert_same(removed_of(found), answer.removed(keep="longest"))


@pytest.mark.parametrize("most_cut, least_left", [(1.0, 0), (0.4, 0), (1.0, 30)])
def test_windows_that_stay_are_whole(spark: SparkSession, tmp_path: Path, most_cut: float, least_left: int) -> None:  # noqa: F811
    records = in_parts(300, 24)
    plan = nearkin.tune(**PLAN)
    flags = ("--unit", "window:12/5", *(("--most-cut", str(most_cut)) if most_cut < 1 else ()), *(("--least-left", str(least_left)) if least_left else ()))
    answer = CommandLine(records, plan, tmp_path, ("--unit", "window:12/5"), "lang")
    cut = Cut("window:12/5", least_left=least_left, most_cut=most_cut)
    found = nearkin.spark.dedup(frame(spark, records, 2), plan, cut=cut, keep="longest")
    assert {row.id: row.text for row in found.collect()} == answer.cut("--keep", "longest", *flags[2:])


def test_wrong_words_are_refused(spark: SparkSession) -> None:  # noqa: F811
    table = spark.createDataFrame([("a", "one two", ["x"], 1)], "id string, text string, tags array<string>, n int")
    plan = nearkin.tune(threshold=0.7)
    for words, message in (
        (dict(within="lang"), 'within: no column "lang"; the columns are id, text, tags, n'),
        (dict(across="tags"), 'across: column "tags" is array<string>; name one of strings, numbers or dates'),
        (dict(within="n", across="n"), "across: within is given as well; leave one of them out"),
        (dict(unit="chapter"), "chapter"),
    ):
        with pytest.raises(ValueError, match=message.replace("(", r"\(")):
            nearkin.spark.pairs(table, plan, **words)
    with pytest.raises(ValueError, match='repeats: "all" is neither first nor none'):
        nearkin.spark.dedup(table, plan, cut=Cut("line", repeats="all"))
    with pytest.raises(ValueError, match="annotate: is about whole rows"):
        nearkin.spark.dedup(table, plan, cut=Cut("line"), what="annotated")
