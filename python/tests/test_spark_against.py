"""Two tables compared with one another: Spark gives the command line's answer with --against."""

from __future__ import annotations

import json
import random
import subprocess
from pathlib import Path

import pytest
from roads import assert_same, by_id, command, corpus, line, shown
from spark_support import pairs_of, removed_of, spark  # noqa: F401

from pyspark.sql import DataFrame, SparkSession

import nearkin
import nearkin.spark
from nearkin.spark import Cut, Run

Rows = list[tuple[str, str, str, float | None]]  # id, text, lang, score
PLAN = dict(threshold=0.7, recall=0.95, shingle="word:2", large_bucket=12)


def two_tables(items: int, seed: int) -> tuple[Rows, Rows]:
    """Rows of one corpus dealt to two tables, some of them to both under the same id."""
    rng = random.Random(seed)
    tables: tuple[Rows, Rows] = ([], [])
    for id, text in corpus(items, seed):
        row = (id, text or "", rng.choice(["de", "en", ""]), rng.choice([None, 1.0, 1.0, 2.0]))
        for side in rng.choice([(0,), (0,), (1,), (1,), (0, 1)]):
            tables[side].append(row)
    return tables


def frame(spark: SparkSession, rows: Rows, partitions: int) -> DataFrame:  # noqa: F811
    shuffled = random.Random(partitions).sample(rows, len(rows))
    return spark.createDataFrame(shuffled, "id string, text string, lang string, score double").repartition(partitions)


class Against:
    """The command line on both tables, sorted by id."""

    def __init__(self, rows: Rows, others: Rows, plan: nearkin.Plan, folder: Path) -> None:
        self._folder, self._plan = folder, str(plan)
        for name, table in (("in", rows), ("other", others)):
            lines = (json.dumps({"id": id, "text": text, "lang": lang, "score": score}) + "\n" for id, text, lang, score in by_id(table))
            (folder / f"{name}.jsonl").write_text("".join(lines))

    def _run(self, name: str, *flags: str) -> list[dict[str, object]]:
        answer = self._folder / "answer"
        to = ("-o", str(answer)) if name == "pairs" else ("-o", str(self._folder / "kept"), "--removed", str(answer))
        subprocess.run([command(), name, str(self._folder / "in.jsonl"), "--against", str(self._folder / "other.jsonl"), "--plan", self._plan,
                        "--quiet", "--json", "--stats", str(self._folder / "stats.json"), *to, *flags], check=True)
        return [json.loads(row) for row in answer.read_text().splitlines()]

    def pairs(self, *flags: str) -> list[str]:
        return sorted(line(row["a"], row["b"], shown(row["similarity"])) for row in self._run("pairs", *flags))

    def removed(self, *flags: str) -> list[str]:
        return sorted(line(row["id"], row["keeper"], shown(row["similarity"])) for row in self._run("dedup", *flags))

    def kept(self) -> list[str]:
        """By the last `removed`."""
        return sorted(json.loads(row)["id"] for row in (self._folder / "kept").read_text().splitlines())

    def texts(self) -> dict[str, str]:
        """What the last `removed` left of the texts."""
        return {row["id"]: row["text"] for row in map(json.loads, (self._folder / "kept").read_text().splitlines())}

    def check(self, run: Run) -> None:
        """The figures of the last answer."""
        told = json.loads((self._folder / "stats.json").read_text())
        for name in ("items", "empty", "copies", "pairs"):
            assert getattr(run.stats, name) == told[name], name
        if run._plan.measure != "containment":
            assert run.stats.candidates == told["candidates"] and run.stats.as_dict()["buckets"] == told["buckets"]


@pytest.mark.parametrize("wishes, seed, partitions", [(PLAN, 41, 3), (dict(measure="containment", threshold=0.6, shingle="word:2"), 42, 2)])
def test_pairs_and_what_the_other_table_has(spark: SparkSession, tmp_path: Path, wishes: dict[str, object], seed: int, partitions: int) -> None:  # noqa: F811
    rows, others = two_tables(800, seed)
    plan = nearkin.tune(**wishes)
    answer = Against(rows, others, plan, tmp_path)
    with Run(frame(spark, rows, partitions), plan, keep="first", against=frame(spark, others, partitions)) as run:
        found = pairs_of(run.pairs())
        assert_same(found, answer.pairs())
        assert len(found) > 100
        answer.check(run)
        assert_same(pairs_of(run.pairs(top=2)), answer.pairs("--top", "2"))
        removed = removed_of(run.removed())
        assert_same(removed, answer.removed("--keep", "first"))
        assert 50 < len(removed) < len(rows)
        told = json.loads((tmp_path / "stats.json").read_text())
        assert (run.stats.items, run.stats.empty, run.stats.copies) == (told["items"], told["empty"], told["copies"])
        assert sorted(row.id for row in run.kept().collect()) == answer.kept()


def test_large_buckets_are_met_as_by_the_command_line(spark: SparkSession, tmp_path: Path) -> None:  # noqa: F811
    rows, others = two_tables(600, 43)
    plan = nearkin.tune(**{**PLAN, "large_bucket": 4})
    answer = Against(rows, others, plan, tmp_path)
    with Run(frame(spark, rows, 2), plan, across="lang", against=frame(spark, others, 2)) as run:
        assert_same(pairs_of(run.pairs()), answer.pairs("--across", "lang"))
        assert run.stats.buckets is not None and run.stats.buckets.large > 0
        answer.check(run)


@pytest.mark.parametrize("keep, measure", [("last", "jaccard"), ("max:score", "jaccard"), ("longest", "exact")])
def test_of_equal_keepers_the_rule_prefers_one(spark: SparkSession, tmp_path: Path, keep: str, measure: str) -> None:  # noqa: F811
    rows, others = two_tables(200, 44)
    plan = nearkin.tune(**PLAN) if measure == "jaccard" else nearkin.tune(measure="exact")
    answer = Against(rows, others, plan, tmp_path)
    found = removed_of(nearkin.spark.dedup(frame(spark, rows, 2), plan, keep=keep, against=frame(spark, others, 2), what="removed"))
    assert_same(found, answer.removed("--keep", keep))
    assert found


def test_parts_that_the_other_table_has_are_cut_out(spark: SparkSession, tmp_path: Path) -> None:  # noqa: F811
    parts, others = two_tables(300, 45)
    rows = [(f"d{i:03}", "\n\n".join(text for _, text, _, _ in parts[i:i + 3]), "", None) for i in range(0, len(parts), 3)]
    plan = nearkin.tune(**PLAN)
    answer = Against(rows, others, plan, tmp_path)
    assert answer.removed("--unit", "paragraph")
    found = nearkin.spark.dedup(frame(spark, rows, 2), plan, cut=Cut("paragraph"), against=frame(spark, others, 2))
    assert {row.id: row.text for row in found.collect()} == answer.texts()


def test_columns_of_other_names_and_what_does_not_fit(spark: SparkSession) -> None:  # noqa: F811
    text = "the same eight words are in both of them"
    df = spark.createDataFrame([("a", text), ("b", "something else altogether, in other words")], "id string, text string")
    other = spark.createDataFrame([("x", text)], "url string, body string")
    plan = nearkin.tune(threshold=0.8)
    found = nearkin.spark.pairs(df, plan, against=other, against_id="url", against_text="body")
    assert [tuple(row) for row in found.collect()] == [("a", "x", 1.0)]
    numbers = other.selectExpr("1 as id", "body as text")
    for words, message in (
        (dict(against=other), 'against: id: no column "id"; the columns are url, body'),
        (dict(against=numbers), 'against: column "id" is bigint, and that of df is string; cast one of them'),
        (dict(against_id="url"), "against_id: names a column of the other DataFrame"),
    ):
        with pytest.raises(ValueError, match=message):
            nearkin.spark.pairs(df, plan, **words)
    with pytest.raises(ValueError, match="against: makes no clusters"):
        nearkin.spark.dedup(df, plan, against=df, what="annotated")
    with pytest.raises(ValueError, match="repeats: none is about groups"):
        nearkin.spark.dedup(df, plan, against=df, cut=Cut("line", repeats="none"))
