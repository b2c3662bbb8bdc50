"""The rule for buckets as joins and aggregates, and groups by rounds, against plain models."""

from __future__ import annotations

import random
from collections import defaultdict
from itertools import combinations
from types import SimpleNamespace

import pytest
from spark_support import spark  # noqa: F401

from pyspark.sql import SparkSession

from nearkin.spark._candidates import find_candidates
from nearkin.spark._graph import keepers

Pair = tuple[int, int]


def groups_by(rows: list[int], key: dict[int, int]) -> list[list[int]]:
    groups: dict[int, list[int]] = defaultdict(list)
    for row in rows:
        groups[key[row]].append(row)
    return [group for group in groups.values() if len(group) > 1]


def pairs_of_large(rows: list[int], band: int, keys: dict[int, list[int]]) -> set[Pair]:
    """The engine's rule, word for word: docs/architecture.md, large buckets."""
    bands = len(next(iter(keys.values())))
    chosen = {(rows[0], row) for row in rows[1:]}
    for step in range(1, min(4, bands - 1) + 1):
        other = (band + step) % bands
        for group in groups_by(rows, {row: keys[row][other] for row in rows}):
            if len(group) <= 8:
                chosen |= set(combinations(group, 2))
            else:
                chosen |= {(group[0], row) for row in group[1:]} | set(zip(group, group[1:]))
    return chosen


def model(keys: dict[int, list[int]], large_bucket: int) -> tuple[set[Pair], int, tuple[int, int, int]]:
    ordinary: set[Pair] = set()
    of_large: list[set[Pair]] = []
    largest = left_out = 0
    for band in range(len(next(iter(keys.values())))):
        for rows in groups_by(sorted(keys), {row: key[band] for row, key in keys.items()}):
            largest = max(largest, len(rows))
            if len(rows) <= large_bucket:
                ordinary |= set(combinations(rows, 2))
                continue
            of_large.append(pairs_of_large(rows, band, keys))
            left_out += len(rows) * (len(rows) - 1) // 2 - len(of_large[-1])
    looked_at = len(ordinary) + sum(map(len, of_large))
    return ordinary.union(*of_large), looked_at, (len(of_large), largest, left_out)


@pytest.mark.parametrize("items, bands, values, large_bucket", [
    (300, 5, 3000, 8),    # hardly any bucket is shared
    (400, 6, 40, 1000),   # all pairs of every bucket
    (400, 6, 40, 6),      # many large ones that split into few
    (500, 7, 6, 16),      # large ones that split into large ones
    (300, 3, 5, 4),       # fewer other bands than four
    (60, 1, 4, 3),        # no other band
    (50, 4, 300, 1),      # two are many
])
def test_buckets_yield_what_the_rule_says(spark: SparkSession, items: int, bands: int, values: int, large_bucket: int) -> None:  # noqa: F811
    rng = random.Random(items * bands + values)
    # Keys of both signs, some of them frequent; rows with gaps.
    keys = {3 * row + 1: [rng.choice([rng.randrange(values), rng.randrange(3)]) * 97_654_321 % 2**32 - 2**31 for _ in range(bands)]
            for row in range(items)}
    table = spark.createDataFrame([(row, key) for row, key in keys.items()], "row bigint, keys array<int>").repartition(3)
    found = find_candidates(table, SimpleNamespace(bands=bands, large_bucket=large_bucket))
    pairs, looked_at, buckets = model(keys, large_bucket)
    rows = [tuple(row) for row in found.pairs.collect()]
    assert len(rows) == len(set(rows)) == found.count
    assert set(rows) == pairs
    assert found.looked_at == looked_at
    assert (found.buckets.large, found.buckets.largest, found.buckets.not_compared) == buckets


def components_of(edges: set[Pair]) -> dict[int, int]:
    keeper = {row: row for edge in edges for row in edge}
    changed = True
    while changed:
        changed = False
        for a, b in edges:
            least = min(keeper[a], keeper[b])
            changed |= keeper[a] != least or keeper[b] != least
            keeper[a] = keeper[b] = least
    return {row: other for row, other in keeper.items() if row != other}


def stars_of(edges: set[Pair]) -> dict[int, int]:
    near: dict[int, list[int]] = defaultdict(list)
    for a, b in edges:
        near[a].append(b)
        near[b].append(a)
    keeper: dict[int, int] = {}
    for row in sorted(near):
        if row not in keeper:
            keeper[row] = row
            for other in near[row]:
                keeper.setdefault(other, row)
    return {row: other for row, other in keeper.items() if row != other}


@pytest.mark.parametrize("driver_edges", [0, 40, 10**6])
@pytest.mark.parametrize("linkage, plain", [("connected", components_of), ("star", stars_of)])
def test_groups_are_the_same_by_rounds_and_on_the_driver(spark: SparkSession, linkage: str, plain, driver_edges: int) -> None:  # noqa: F811
    rng = random.Random(7)
    edges = {tuple(sorted(rng.sample(range(0, 700, 7), 2))) for _ in range(60)}
    chain = [5000 + i for i in rng.sample(range(12), 12)]
    edges |= {tuple(sorted(pair)) for pair in zip(chain, chain[1:])} | {(9000, 9000 + i) for i in range(1, 20)}
    table = spark.createDataFrame(sorted(edges), "a bigint, b bigint").repartition(3)
    found = {row.row: row.keeper for row in keepers(table, linkage, driver_edges).collect()}
    assert found == plain(edges)
