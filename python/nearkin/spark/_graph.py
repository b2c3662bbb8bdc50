"""Matches → keepers: connected components and stars. Up to a number of edges on the driver, beyond it by rounds in DataFrames."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from nearkin import stage

from ._columns import figures, settled

_EDGES = "a bigint, b bigint"
_AT_A_TIME = 1 << 20  # edges of a partition that are worked on together, and numbers of a packed row


Rows = NDArray[np.int64]
Edges = tuple[Rows, Rows]  # a < b


def _joined(parts: list[Edges]) -> Edges:
    return np.concatenate([a for a, _ in parts]), np.concatenate([b for _, b in parts])


def _keepers(edges: Edges, linkage: str) -> Edges:
    """Keeper and row of each row that is not its own keeper, ascending by row."""
    a, b = edges
    if len(a) == 0:
        return edges
    rows, inverse = np.unique(np.concatenate([a, b]), return_inverse=True)
    place = inverse.reshape(-1).astype(np.uint32)
    _, keeper = stage.cluster(place[: len(a)], place[len(a):], len(rows), linkage=linkage)
    moved = keeper != np.arange(len(rows))
    return rows[keeper[moved]], rows[moved]


def _columns(batch: pa.RecordBatch) -> Edges:
    return np.asarray(batch.column(0)), np.asarray(batch.column(1))


def _edge_batch(a: Rows, b: Rows) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.array(a, pa.int64()), pa.array(b, pa.int64())], ["a", "b"])


def _forest_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Of the edges of a partition a spanning forest: as many as there are rows less components. In bounded memory."""
    waiting: list[Edges] = []
    count = 0
    for batch in batches:
        waiting.append(_columns(batch))
        count += batch.num_rows
        if count < _AT_A_TIME:
            continue
        forest = _keepers(_joined(waiting), "connected")
        waiting, count = [forest], len(forest[0])
        if count > _AT_A_TIME // 2:  # it does not shrink: room for others
            yield _edge_batch(*forest)
            waiting, count = [], 0
    if waiting:
        yield _edge_batch(*_keepers(_joined(waiting), "connected"))


def _pack_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield pa.RecordBatch.from_arrays([pa.array([np.stack(_columns(batch)).astype("<i8").tobytes()], pa.binary())], ["packed"])


def _unpack_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for packed in batch.column(0):
            yield _edge_batch(*np.frombuffer(packed.as_py(), "<i8").reshape(2, -1))


def _to_driver(edges: DataFrame) -> Edges:
    """The edges, 16 bytes each: as packed byte strings they cross over without an object a row."""
    parts = [np.frombuffer(row[0], "<i8").reshape(2, -1) for row in edges.mapInArrow(_pack_batches, "packed binary").collect()]
    a, b = np.concatenate(parts, axis=1) if parts else np.zeros((2, 0), np.int64)
    return a, b


def _from_driver(spark: SparkSession, edges: Edges) -> DataFrame:
    a, b = edges
    size = 1 << 16
    packed = [(bytearray(np.stack([a[i:i + size], b[i:i + size]]).astype("<i8").tobytes()),) for i in range(0, len(a), size)]
    return spark.createDataFrame(packed, "packed binary").mapInArrow(_unpack_batches, _EDGES)


def _large_star(edges: DataFrame) -> DataFrame:
    """Each row connects its larger neighbours with the least of its neighbours and itself."""
    both = edges.select(F.col("a").alias("u"), F.col("b").alias("v")).unionByName(edges.select(F.col("b").alias("u"), F.col("a").alias("v")))
    least = both.groupBy("u").agg(F.min("v").alias("m")).select("u", F.least("u", "m").alias("m"))
    return both.filter("v > u").join(least, "u").select(F.col("m").alias("a"), F.col("v").alias("b")).distinct()


def _small_star(edges: DataFrame) -> DataFrame:
    """Each row connects its smaller neighbours and itself with the least of them."""
    least = edges.groupBy("b").agg(F.min("a").alias("m"))
    others = edges.join(least, "b").filter("a > m").select(F.col("m").alias("a"), F.col("a").alias("b"))
    return others.unionByName(least.select(F.col("m").alias("a"), "b")).distinct()


def _fingerprint(edges: DataFrame) -> tuple[int, int]:
    count, mixed = figures(edges, F.count(F.lit(1)), F.expr("bit_xor(xxhash64(a, b))"))
    return count, mixed


def _components(edges: DataFrame, driver_edges: int) -> DataFrame:
    """a, b: keeper and row. Rounds of large and small stars (Kiveris et al. 2014) until nothing changes or the driver can take over."""
    before = _fingerprint(edges)
    while before[0] > driver_edges:
        edges = settled(_small_star(_large_star(edges)))
        now = _fingerprint(edges)
        if now == before:
            return edges
        before = now
    return _from_driver(edges.sparkSession, _keepers(_to_driver(edges), "connected"))


def _stars(edges: DataFrame, driver_edges: int) -> DataFrame:
    """a, b: keeper and row, greedily in order of rows. Round by round, the rows without an open smaller neighbour stay and take theirs; a row
    that is taken belongs in the end to the first of all that stay."""
    removed: list[DataFrame] = []
    left, count = edges, edges.count()
    if count <= driver_edges:
        return _from_driver(edges.sparkSession, _keepers(_to_driver(edges), "star"))
    while count > driver_edges:
        stay = left.select("a").distinct().join(left.select(F.col("b").alias("a")).distinct(), "a", "left_anti")
        taken = settled(left.join(stay, "a").select("b").distinct())
        removed.append(taken)
        left = left.join(taken, "b", "left_anti").join(taken.select(F.col("b").alias("a")), "a", "left_anti").select("a", "b")
        left = settled(left)
        count = left.count()
    if count > 0:
        removed.append(_from_driver(edges.sparkSession, _keepers(_to_driver(left), "star")).select("b"))
    gone = removed[0]
    for more in removed[1:]:
        gone = gone.unionByName(more)
    keeping = edges.select("a", "b").join(gone.select(F.col("b").alias("a")), "a", "left_anti")
    return keeping.groupBy("b").agg(F.min("a").alias("a")).select("a", "b")


def keepers(matches: DataFrame, linkage: str, driver_edges: int) -> DataFrame:
    """row, keeper: of the rows that are not their own keeper. Nothing but edges reaches the driver, at most `driver_edges` of them: of
    connected components those of a forest."""
    edges = matches.select("a", "b")
    if linkage == "star":
        found = _stars(edges, driver_edges)
    else:
        found = _components(settled(edges.mapInArrow(_forest_batches, _EDGES)), driver_edges)
    return found.select(F.col("b").alias("row"), F.col("a").alias("keeper"))
