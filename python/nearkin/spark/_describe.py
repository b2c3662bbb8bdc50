"""Items → what the search needs to know of them, in the order of keeping."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from nearkin import Plan, stage

from ._arrow import lists_of_ints, longs_of_contents
from ._columns import Held, figures


def _describe_texts(texts: pa.Array, plan: Plan) -> list[pa.Array]:
    told = pa.array(stage.describe(texts, plan, features=False))
    columns = [told.field("empty"), *longs_of_contents(told.field("content"))]
    if plan.measure == "exact":
        return [*columns, pa.nulls(len(texts), pa.list_(pa.int32())), pa.nulls(len(texts), pa.binary())]
    return [*columns, lists_of_ints(told.field("keys")), told.field("signature").cast(pa.binary())]


def _describe_batches(line: str, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    plan = Plan(line)
    names = ["id", "empty", "high", "low", "keys", "signature"]
    for batch in batches:
        yield pa.RecordBatch.from_arrays([batch.column(0), *_describe_texts(batch.column(1), plan)], names)


def _look_at_ids(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Of a partition in ascending order: how many items and EMPTY ones, nulls among the ids, and an id that occurs twice."""
    items = empty = nulls = 0
    twice = last = None
    for batch in batches:
        ids = batch.column(0)
        if len(ids) == 0:
            continue
        items += len(ids)
        nulls += ids.null_count
        empty += pc.sum(batch.column(1)).as_py() or 0
        same = pc.equal(ids.slice(1), ids.slice(0, len(ids) - 1))
        if twice is None and last is not None and last == ids[0].as_py():
            twice = str(last)
        if twice is None and (pc.any(same).as_py() or False):
            twice = str(ids[pc.index(same, True).as_py()].as_py())
        last = ids[len(ids) - 1].as_py()
    columns = [pa.array([value]) for value in (items, empty, nulls)] + [pa.array([twice], pa.string())]
    yield pa.RecordBatch.from_arrays(columns, ["items", "empty", "nulls", "twice"])


@dataclass(frozen=True)
class Described:
    """One row an item: id, row, empty, high and low (content), keys, signature. `row` ascends with the id and is nothing else: it has gaps."""

    table: DataFrame
    items: int
    empty: int


def describe(df: DataFrame, plan: Plan, id: Column, id_type: str, text: Column, held: Held) -> Described:
    """Reads df once, and shuffles what is known of an item instead of its text."""
    schema = f"id {id_type}, empty boolean, high bigint, low bigint, keys array<int>, signature binary"
    told = df.select(id.alias("id"), text.alias("text")).mapInArrow(partial(_describe_batches, str(plan)), schema)
    # A sort looks at its input twice, the first time to find where to cut.
    unsorted = held.hold(told)
    table = held.hold(unsorted.sort("id").withColumn("row", F.monotonically_increasing_id()))
    looks = table.select("id", "empty").mapInArrow(_look_at_ids, "items bigint, empty bigint, nulls bigint, twice string")
    items, empty, nulls, twice = figures(looks, F.sum("items"), F.sum("empty"), F.sum("nulls"), F.min("twice"))
    held.give_back(unsorted)
    if nulls:
        raise ValueError(f"id: {nulls} of {items} items have no id; every item needs one")
    if twice is not None:
        raise ValueError(f'id: "{twice}" occurs more than once; ids must be different')
    return Described(table, items or 0, empty or 0)
