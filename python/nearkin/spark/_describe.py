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
from ._columns import Held, Scope, figures
from ._order import Order


def _describe_texts(texts: pa.Array, plan: Plan, scopes: pa.Array | None) -> list[pa.Array]:
    told = pa.array(stage.describe(texts, plan, features=False, scopes=scopes))
    columns = [told.field("empty"), *longs_of_contents(told.field("content"))]
    if plan.measure == "exact":
        return [*columns, pa.nulls(len(texts), pa.list_(pa.int32())), pa.nulls(len(texts), pa.binary())]
    return [*columns, lists_of_ints(told.field("keys")), told.field("signature").cast(pa.binary())]


def _describe_batches(plan: Plan, within: bool, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """id, text and what else there is; the text gives way to what is known of it."""
    for batch in batches:
        id, text, *others = batch.columns
        names = ["id", *batch.schema.names[2:], "empty", "high", "low", "keys", "signature"]
        yield pa.RecordBatch.from_arrays([id, *others, *_describe_texts(text, plan, batch.column("scope") if within else None)], names)


def _look_at_ids(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Of a partition in order of ids: how many items and EMPTY ones, nulls among the ids, and an id that occurs twice."""
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
    """One row an item: id, row, empty, high and low (content), keys, signature, and its scope where there are scopes. `row` ascends in the
    order of keeping and is nothing else: it has gaps."""

    table: DataFrame
    names: DataFrame  #: id, row, place, empty; `place` ascends with the id
    items: int
    empty: int
    numbers: int | None  #: items with a number to be kept for, where the rule reads numbers


def _names(table: DataFrame, order: Order, held: Held) -> DataFrame:
    named = table.select("id", "row", "empty")
    if order.by_id:
        return named.withColumn("place", -F.col("row") if order.falling else F.col("row"))
    return held.hold(named.sort("id").withColumn("place", F.monotonically_increasing_id()))


def describe(df: DataFrame, plan: Plan, id: Column, id_type: str, text: Column, order: Order, scope: Scope, held: Held) -> Described:
    """Reads df once, and shuffles what is known of an item instead of its text."""
    worth = [] if order.worth is None else [order.worth.alias("worth")]
    scopes = [] if scope.column is None else [scope.column.alias("scope")]
    more = f"{'worth double, ' if worth else ''}{'scope string, ' if scopes else ''}"
    schema = f"id {id_type}, {more}empty boolean, high bigint, low bigint, keys array<int>, signature binary"
    told = df.select(id.alias("id"), text.alias("text"), *worth, *scopes).mapInArrow(partial(_describe_batches, plan, scope.within), schema)
    # A sort looks at its input twice, the first time to find where to cut.
    unsorted = held.hold(told)
    table = held.hold(unsorted.sort(*order.columns()).withColumn("row", F.monotonically_increasing_id()))
    names = _names(table, order, held)
    looks = names.select("id", "empty").mapInArrow(_look_at_ids, "items bigint, empty bigint, nulls bigint, twice string")
    items, empty, nulls, twice = figures(looks, F.sum("items"), F.sum("empty"), F.sum("nulls"), F.min("twice"))
    numbers = None if order.column is None else figures(table, F.count("worth"))[0]
    held.give_back(unsorted)
    if nulls:
        raise ValueError(f"id: {nulls} of {items} items have no id; every item needs one")
    if twice is not None:
        raise ValueError(f'id: "{twice}" occurs more than once; ids must be different')
    return Described(table, names, items or 0, empty or 0, numbers)
