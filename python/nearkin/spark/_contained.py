"""Candidates of containment, exactly: an item of n shingles of which b must have k shares one of its n − k + 1 rarest ones with b."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from nearkin import Plan

from ._candidates import Buckets, Candidates, wanted
from ._columns import settled

_DECIMALS = 10**9  # of a threshold


def _explode(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """row and features as row, size and shingle: a row for each shingle."""
    for batch in batches:
        row, features = batch.columns
        sizes = np.asarray(pc.binary_length(features), dtype=np.int64) // 8
        shingles = np.frombuffer(b"".join(features.to_pylist()), dtype=np.int64)
        columns = [np.repeat(np.asarray(row), sizes), np.repeat(sizes, sizes), shingles]
        yield pa.RecordBatch.from_arrays([pa.array(column) for column in columns], ["row", "size", "shingle"])


def _least(plan: Plan) -> Column:
    """How many shingles of an item of `size` another must have: ⌈threshold · size⌉, in whole numbers."""
    return F.expr(f"(size * {round(plan.threshold * _DECIMALS)}L + {_DECIMALS - 1}L) div {_DECIMALS}L")


def _prefixes(shared: DataFrame, plan: Plan) -> DataFrame:
    """a, least, shingle: of each item the rarest of its shingles. Shingles that no other item has come before these, and lead to nothing."""
    of_row = Window.partitionBy("row")
    ranked = shared.select("row", "shingle", _least(plan).alias("least"), F.count(F.lit(1)).over(of_row).alias("common"),
                           F.row_number().over(of_row.orderBy("n", "shingle")).alias("rank"))
    return ranked.filter("rank <= common - least + 1").select(F.col("row").alias("a"), "least", "shingle")


def contained_candidates(items: DataFrame, plan: Plan, apart: DataFrame | None, sides: DataFrame | None) -> Candidates:
    """`items`: row and features of those that take part. A pair: b may have enough of a. `apart` as in `wanted`; `sides`: row and side, where
    a is of side 0 and b of side 1."""
    entries = items.select("row", "features").mapInArrow(_explode, "row bigint, size bigint, shingle bigint")
    counts = entries.groupBy("shingle").agg(F.count(F.lit(1)).alias("n")).filter("n > 1")
    shared = settled(entries.join(counts, "shingle"))
    inner, outer = shared, shared
    if sides is not None:
        inner, outer = (shared.join(sides.filter(f"side = {side}").select("row"), "row", "left_semi") for side in (0, 1))
    holders = outer.select(F.col("row").alias("b"), "shingle", F.col("size").alias("size_b"))
    met = _prefixes(inner, plan).join(holders, "shingle").filter("a != b and size_b >= least").select("a", "b").distinct()
    pairs = settled(wanted(met, apart))
    count = pairs.count()
    return Candidates(pairs, count, count, Buckets())
