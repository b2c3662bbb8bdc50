"""Items → what the search needs to know of them, in the order of keeping."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial, reduce

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from nearkin import Plan, stage

from ._arrow import bytes_of_features, lists_of_ints, longs_of_contents
from ._columns import Held, figures
from ._source import Source


class IdsAtFault(Exception):
    """Some are null, or not the only ones: such rows are sorted out, and the search begins anew."""


def _known(plan: Plan) -> dict[str, str]:
    """Columns, beside the content, that candidates are found by."""
    return {"features": "binary"} if plan.measure == "containment" else {"keys": "array<int>", "signature": "binary"}


def _describe_texts(texts: pa.Array, plan: Plan, scopes: pa.Array | None) -> list[pa.Array]:
    told = pa.array(stage.describe(texts, plan, features=plan.measure == "containment", scopes=scopes))
    columns = [told.field("empty"), *longs_of_contents(told.field("content"))]
    if plan.measure == "containment":
        return [*columns, bytes_of_features(told.field("features")).cast(pa.binary())]
    if plan.measure == "exact":
        return [*columns, pa.nulls(len(texts), pa.list_(pa.int32())), pa.nulls(len(texts), pa.binary())]
    return [*columns, lists_of_ints(told.field("keys")), told.field("signature").cast(pa.binary())]


def _describe_batches(plan: Plan, within: bool, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """id, text and what else there is; the text gives way to what is known of it."""
    for batch in batches:
        id, text, *others = batch.columns
        names = ["id", *batch.schema.names[2:], "empty", "high", "low", *_known(plan)]
        yield pa.RecordBatch.from_arrays([id, *others, *_describe_texts(text, plan, batch.column("scope") if within else None)], names)


def _same_as_before(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """How many rows of a partition, in order of all columns, are the same as the one before."""
    count, last = 0, None
    for batch in batches:
        if batch.num_rows == 0:
            continue
        equal = [pc.equal(column.slice(1), column.slice(0, len(column) - 1)) for column in batch.columns]
        count += pc.sum(reduce(pc.and_, equal)).as_py() or 0
        count += last == [column[0].as_py() for column in batch.columns]
        last = [column[len(column) - 1].as_py() for column in batch.columns]
    yield pa.RecordBatch.from_arrays([pa.array([count], pa.int64())], ["count"])


@dataclass(frozen=True)
class Counts:
    items: int = 0
    empty: int = 0
    nameless: int = 0  #: without an id


@dataclass(frozen=True)
class Described:
    """One row an item: id, row, empty, high and low (content), what candidates are found by, and its scope and side where there are any. `row`
    ascends in the order of keeping and is nothing else: it has gaps."""

    table: DataFrame
    names: DataFrame  #: id, row, place, empty, and side where there is one; `place` ascends with the id
    counts: tuple[Counts, Counts]  #: of the table, and of the other
    numbers: int | None  #: items with a number to be kept for, where the rule reads numbers


def _names(table: DataFrame, source: Source, held: Held) -> DataFrame:
    named = table.select(*source.keys, "row", "empty")
    if source.order.by_id:
        return named.withColumn("place", -F.col("row") if source.order.falling else F.col("row"))
    return held.hold(named.sort(*source.keys).withColumn("place", F.monotonically_increasing_id()))


def _counts(names: DataFrame, against: bool) -> tuple[Counts, Counts]:
    sides = names if against else names.withColumn("side", F.lit(0))
    told = sides.groupBy("side").agg(F.count(F.lit(1)), F.sum(F.col("empty").cast("int")), F.sum(F.col("id").isNull().cast("int")))
    by_side = {row[0]: Counts(*row[1:]) for row in told.collect()}
    return by_side.get(0, Counts()), by_side.get(1, Counts())


def describe(source: Source, plan: Plan, held: Held) -> Described:
    """Reads the tables once, and shuffles what is known of an item instead of its text."""
    types = {"id": source.id_type, "worth": "double", "scope": "string", "side": "int", "empty": "boolean", "high": "bigint", "low": "bigint", **_known(plan)}
    absent = {"worth", "scope", "side"}.difference(source.items.columns)
    schema = ", ".join(f"{name} {kind}" for name, kind in types.items() if name not in absent)
    # A sort looks at its input twice, the first time to find where to cut.
    unsorted = held.hold(source.items.mapInArrow(partial(_describe_batches, plan, source.rules.within is not None), schema))
    table = held.hold(unsorted.sort(*source.order.columns(source.keys)).withColumn("row", F.monotonically_increasing_id()))
    names = _names(table, source, held)
    again = figures(names.select(*source.keys).mapInArrow(_same_as_before, "count bigint"), F.sum("count"))[0]
    counts = _counts(names, source.against)
    numbers = None if source.order.column is None else figures(table, F.count("worth"))[0]
    held.give_back(unsorted)
    if again or any(one.nameless for one in counts):
        raise IdsAtFault
    return Described(table, names, counts, numbers)
