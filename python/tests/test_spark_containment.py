"""How much of one item is in another, on Spark: the command line's answer."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from roads import CommandLine, Record, assert_same
from spark_support import clusters_of, kept_of, pairs_of, removed_of, spark, table  # noqa: F401

from pyspark.sql import SparkSession

import nearkin
import nearkin.spark
from nearkin.spark import Run


def with_extracts(items: int, seed: int) -> list[Record]:
    """Texts, extracts of them with other words in between, copies, and EMPTY ones."""
    rng = random.Random(seed)
    words = [f"w{i}" for i in range(800)]
    texts: list[str | None] = []
    while len(texts) < items:
        kind = rng.random()
        text = rng.choices(words, k=rng.randrange(30, 120))
        if texts and kind < 0.5:
            of = (rng.choice(texts) or "").split()
            begin = rng.randrange(len(of) + 1)
            text = of[begin:begin + rng.randrange(5, 60)] + rng.choices(words, k=rng.choice([0, 0, 1, 3, 10]))
        texts.append(None if kind > 0.98 else " ".join(text))
    return [(f"d{rng.randrange(10**9)}", text, rng.choice([None, 1.0, 2.0])) for text in texts]


@pytest.mark.parametrize("threshold, shingle, partitions, driver_edges, few_rows", [
    (0.5, "word:2", 3, 10**6, 10**6), (0.9, "word:1", 2, 20, -1), (1, "word:3", 1, 10**6, 10**6)])
def test_both_directions_and_what_a_keeper_contains(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, threshold: float,  # noqa: F811
                                                    shingle: str, partitions: int, driver_edges: int, few_rows: int) -> None:
    monkeypatch.setattr("nearkin.spark._columns._FEW_ROWS", few_rows)
    records = with_extracts(500, round(100 * threshold))
    plan = nearkin.tune(measure="containment", threshold=threshold, shingle=shingle)
    answer = CommandLine(records, plan, tmp_path)
    with Run(table(spark, records, partitions), plan, driver_edges=driver_edges) as run:
        found = pairs_of(run.pairs())
        assert_same(found, answer.pairs())
        told = answer.stats
        for name in ("items", "empty", "copies", "pairs"):
            assert getattr(run.stats, name) == told[name], name
        there = {tuple(row.split("\t")[:2]) for row in found}
        assert len(found) > 50 and any((b, a) in there for a, b in there) and any((b, a) not in there for a, b in there)
        assert_same(removed_of(run.removed()), answer.removed(keep="longest"))
        assert_same(kept_of(run.kept()), answer.kept())
        assert_same(clusters_of(run.clusters()), answer.clusters(keep="longest"))


@pytest.mark.parametrize("keep, flags", [("first", ()), ("max:score", ("--within", "score")), ("last", ("--across", "score"))])
def test_other_rules(spark: SparkSession, tmp_path: Path, keep: str, flags: tuple[str, ...]) -> None:  # noqa: F811
    records = [(id, text, score or 3.0) for id, text, score in with_extracts(300, 7)]
    plan = nearkin.tune(measure="containment", threshold=0.6, shingle="word:2")
    answer = CommandLine(records, plan, tmp_path, flags)
    words = {flags[0].lstrip("-"): flags[1]} if flags else {}
    found = removed_of(nearkin.spark.dedup(table(spark, records, 2), plan, keep=keep, what="removed", **words))
    assert_same(found, answer.removed(keep=keep))
    assert found


def test_the_best_of_what_is_contained(spark: SparkSession, tmp_path: Path) -> None:  # noqa: F811
    records = with_extracts(300, 8)
    plan = nearkin.tune(measure="containment", threshold=0.3, shingle="word:1")
    answer = CommandLine(records, plan, tmp_path, ("--top", "2"))
    found = pairs_of(nearkin.spark.pairs(table(spark, records, 2), plan, top=2))
    assert_same(found, answer.pairs())
    assert len(found) < answer.stats["pairs"]
