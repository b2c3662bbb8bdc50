"""Candidates → matches: the signature test, then the exact similarity by the native kernel."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from nearkin import Plan, stage

from ._arrow import bytes_of_features, features_of_bytes
from ._columns import Held, are_few, for_join, settled
from ._graph import keepers
from ._source import Source

_MATCHES = "a bigint, b bigint, similarity double"
_AT_A_TIME = 64 << 20  # bytes of features: that a group may have to be compared in one place, and of the pairs that are compared in one call


@dataclass(frozen=True)
class Shingled:
    """Items that are compared with one another, in groups: the two of a pair are of one group, and so a group can be compared in one
    place, to which every item moves once, however many pairs it is in."""

    groups: DataFrame  #: row, group
    features: DataFrame  #: group, row, features
    large: DataFrame | None  #: group: those with too many features for one place


def _with_both(pairs: DataFrame, table: DataFrame, name: str) -> DataFrame:
    """a, b, and the column `name` of either row."""
    left = table.select(F.col("row").alias("a"), F.col(name).alias("of_a"))
    right = table.select(F.col("row").alias("b"), F.col(name).alias("of_b"))
    return pairs.select("a", "b").join(left, "a").join(right, "b").select("a", "b", "of_a", "of_b")


def _agree_batches(plan: Plan, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    size = pa.binary(plan.hashes)
    for batch in batches:
        a, b, of_a, of_b = batch.columns
        agree = pa.array(stage.agree(of_a.cast(size), of_b.cast(size), plan))
        yield pa.RecordBatch.from_arrays([a, b], ["a", "b"]).filter(agree)


def rows_of(pairs: DataFrame) -> DataFrame:
    """row: each that is in a pair, once."""
    return pairs.select(F.col("a").alias("row")).unionByName(pairs.select(F.col("b").alias("row"))).distinct()


def agreeing(pairs: DataFrame, count: int, described: DataFrame, plan: Plan) -> DataFrame:
    """The pairs, of which there are `count`, that pass the engine's signature test."""
    signatures = described.select("row", "signature")
    if are_few(2 * count):
        signatures = signatures.join(F.broadcast(rows_of(pairs)), "row")
    return _with_both(pairs, signatures, "signature").mapInArrow(partial(_agree_batches, plan), "a bigint, b bigint")


def _shingle_batches(plan: Plan, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        group, row, text, *scope = batch.columns
        features = bytes_of_features(pa.array(stage.shingle(text, plan, *scope))).cast(pa.binary())
        yield pa.RecordBatch.from_arrays([group, row, features], ["group", "row", "features"])


def _groups(pairs: DataFrame, driver_edges: int) -> tuple[DataFrame, int]:
    """row, group: the connected components of the pairs; and how many rows there are."""
    edges = pairs.select(F.least("a", "b").alias("a"), F.greatest("a", "b").alias("b"))
    linked = settled(keepers(edges, "connected", driver_edges))
    first = linked.select(F.col("keeper").alias("row"), F.col("keeper").alias("group")).distinct()
    groups = settled(linked.select("row", F.col("keeper").alias("group")).unionByName(first))
    return groups, groups.count()


def _held_in_groups(groups: DataFrame, features: DataFrame, held: Held) -> Shingled:
    features = held.hold(features)
    sizes = features.groupBy("group").agg(F.sum(F.length("features")).alias("bytes"))
    large = settled(sizes.filter(f"bytes > {_AT_A_TIME}").select("group"))
    return Shingled(groups, features, large if large.take(1) else None)


def shingled(pairs: DataFrame, described: DataFrame, source: Source, plan: Plan, driver_edges: int, held: Held) -> Shingled:
    """Of the items in the pairs alone, from their texts, which are read once more. Groups are the connected components."""
    groups, count = _groups(pairs, driver_edges)
    named = settled(described.select(*source.keys, "row").join(for_join(groups, count), "row"))
    scope = ["scope"] if source.rules.within is not None else []
    joined = source.items.join(for_join(named, count), source.keys).select("group", "row", "text", *scope)
    return _held_in_groups(groups, joined.mapInArrow(partial(_shingle_batches, plan), "group bigint, row bigint, features binary"), held)


def shingled_before(pairs: DataFrame, described: DataFrame, driver_edges: int, held: Held) -> Shingled:
    """The same where the shingles are described."""
    groups, count = _groups(pairs, driver_edges)
    return _held_in_groups(groups, described.select("row", "features").join(for_join(groups, count), "row").select("group", "row", "features"), held)


def _told(a: pa.Array, b: pa.Array, of_a: pa.Array, of_b: pa.Array, plan: Plan, every: bool) -> pa.RecordBatch:
    told = pa.array(stage.verify(features_of_bytes(of_a), features_of_bytes(of_b), plan, every=every))
    return pa.RecordBatch.from_arrays([a, b, told.field("similarity")], ["a", "b", "similarity"]).filter(told.is_valid())


def _verify_batches(plan: Plan, every: bool, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield _told(*batch.columns, plan, every)


def _stretches(sizes: NDArray[np.int64]) -> Iterator[slice]:
    """Cuts pairs so that those of a stretch have about _AT_A_TIME bytes together, and one at least."""
    stretch = np.cumsum(sizes) // _AT_A_TIME
    cuts = np.flatnonzero(np.diff(stretch)) + 1
    for begin, end in zip([0, *cuts], [*cuts, len(sizes)]):
        yield slice(begin, end)


class _Items:
    """Features by row, of the groups that are at hand."""

    def __init__(self, group: pa.Array, row: pa.Array, features: pa.Array) -> None:
        self._columns = [group, row, features.cast(pa.large_binary())]
        self._order = np.argsort(np.asarray(row))
        self._rows = np.asarray(row)[self._order]
        self._sizes = np.asarray(pc.binary_length(self._columns[2]))

    def and_then(self, group: pa.Array, row: pa.Array, features: pa.Array) -> _Items:
        """What there is still of the first group in the next batch, and what comes new."""
        more = [group, row, features.cast(pa.large_binary())]
        kept = pc.equal(self._columns[0], self._columns[0][-1]) if len(self._columns[0]) else None
        held = [column.filter(kept) for column in self._columns] if kept is not None else [column.slice(0, 0) for column in more]
        return _Items(*(pa.concat_arrays([old, new]) for old, new in zip(held, more)))

    def verify(self, a: pa.Array, b: pa.Array, plan: Plan, every: bool) -> Iterator[pa.RecordBatch]:
        x, y = (self._order[np.searchsorted(self._rows, np.asarray(rows))] for rows in (a, b))
        features = self._columns[2]
        for part in _stretches(self._sizes[x] + self._sizes[y]) if len(a) else ():
            yield _told(a[part], b[part], features.take(pa.array(x[part])), features.take(pa.array(y[part])), plan, every)


def _verify_groups(plan: Plan, every: bool, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Rows come group by group, in each the items (without b) before the pairs (without features)."""
    items = _Items(pa.array([], pa.int64()), pa.array([], pa.int64()), pa.array([], pa.binary()))
    for batch in batches:
        is_item = batch.column(2).is_null()
        new, pairs = batch.filter(is_item), batch.filter(pc.invert(is_item))
        items = items.and_then(new.column(0), new.column(1), new.column(3))
        yield from items.verify(pairs.column(1), pairs.column(2), plan, every)


def _verified_in_groups(pairs: DataFrame, features: DataFrame, plan: Plan, every: bool) -> DataFrame:
    none = F.lit(None)
    items = features.select("group", F.col("row").alias("a"), none.cast("bigint").alias("b"), "features")
    both = items.unionByName(pairs.select("group", "a", "b", none.cast("binary").alias("features")))
    ordered = both.repartition("group").sortWithinPartitions("group", "b")  # nulls come first
    return ordered.mapInArrow(partial(_verify_groups, plan, every), _MATCHES)


def verified(pairs: DataFrame, items: Shingled, plan: Plan, every: bool = False) -> DataFrame:
    """a, b, similarity: the pairs at or above the threshold, or with `every` all of them. Under containment the share of a that b has."""
    grouped = pairs.select("a", "b").join(items.groups.select(F.col("row").alias("b"), "group"), "b")
    if items.large is None:
        return _verified_in_groups(grouped, items.features, plan, every)
    large = F.broadcast(items.large)
    together = _verified_in_groups(grouped.join(large, "group", "left_anti"), items.features.join(large, "group", "left_anti"), plan, every)
    apart = _with_both(grouped.join(large, "group", "left_semi"), items.features, "features")
    return together.unionByName(apart.mapInArrow(partial(_verify_batches, plan, every), _MATCHES))
