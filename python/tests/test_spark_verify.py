"""Comparing in groups: every item comes once, whatever the batches."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pytest
from roads import CommandLine, assert_same, corpus
from spark_support import clusters_of, spark, table  # noqa: F401

from pyspark.sql import SparkSession

import nearkin
from nearkin import stage
from nearkin.spark import Run, _verify
from nearkin.spark._arrow import bytes_of_features, features_of_bytes


def stream(groups: int, rng: random.Random) -> tuple[pa.RecordBatch, dict[int, str], list[tuple[int, int]]]:
    """Items and pairs in the order in which a worker gets them."""
    plan = nearkin.tune(threshold=0.5)
    rows: list[tuple[int, int, int | None, bytes | None]] = []
    texts: dict[int, str] = {}
    pairs: list[tuple[int, int]] = []
    for group in range(groups):
        members = [group * 100 + place for place in rng.sample(range(100), rng.choice([2, 2, 3, 12]))]
        words = [f"w{group}x{place}" for place in range(40)]
        for row in members:
            texts[row] = " ".join(words[:rng.randrange(5, 40)])
        features = bytes_of_features(pa.array(stage.shingle([texts[row] for row in members], plan))).to_pylist()
        rows += [(group, row, None, told) for row, told in zip(members, features)]
        own = sorted({tuple(sorted(rng.sample(members, 2))) for _ in range(len(members))}, key=lambda pair: pair[1])
        rows += [(group, a, b, None) for a, b in own]
        pairs += own
    columns = zip(*rows)
    kinds = (pa.int64(), pa.int64(), pa.int64(), pa.binary())
    batch = pa.RecordBatch.from_arrays([pa.array(column, kind) for column, kind in zip(columns, kinds)], ["group", "a", "b", "features"])
    return batch, texts, pairs


@pytest.mark.parametrize("size", [1, 2, 7, 100, 10**6])
@pytest.mark.parametrize("bytes_together", [1, 3000, 1 << 26])
def test_batches_may_be_cut_anywhere(monkeypatch: pytest.MonkeyPatch, size: int, bytes_together: int) -> None:
    monkeypatch.setattr(_verify, "_AT_A_TIME", bytes_together)
    plan = nearkin.tune(threshold=0.5)
    whole, texts, pairs = stream(30, random.Random(size))
    batches = [whole.slice(begin, size) for begin in range(0, whole.num_rows, size)]
    for every in (False, True):
        found = {(row["a"], row["b"]): row["similarity"] for told in _verify._verify_groups(str(plan), every, batches) for row in told.to_pylist()}
        features = [stage.shingle([texts[pair[side]] for pair in pairs], plan) for side in (0, 1)]
        expected = pa.array(stage.verify(*features, plan, every=every)).to_pylist()
        assert found == {pair: told["similarity"] for pair, told in zip(pairs, expected) if told is not None}
        assert (len(found) == len(pairs)) == every


def test_features_survive_the_way_through_bytes() -> None:
    plan = nearkin.tune(threshold=0.5)
    features = pa.array(stage.shingle(["a b c d e f g", "", "x y z u v w"], plan))
    for part in (features, features.slice(1), features.slice(2, 1), features.slice(0, 0)):
        packed = bytes_of_features(part)
        assert features_of_bytes(packed).to_pylist() == features_of_bytes(packed.cast(pa.binary())).to_pylist() == part.to_pylist()


def test_groups_too_large_for_one_place_are_compared_pair_by_pair(spark: SparkSession, tmp_path: Path,  # noqa: F811
                                                                   monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_verify, "_AT_A_TIME", 2000)
    records = corpus(400, seed=21)
    plan = nearkin.tune(threshold=0.6, shingle="word:2")
    with Run(table(spark, records, 3), plan) as run:
        assert_same(clusters_of(run.clusters()), CommandLine(records, plan, tmp_path).clusters())
