"""Rows that cannot be items: those without an id, and those whose id another row has. They are no part of the search."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql import types as T

from ._columns import column, for_join, id_column, settled, text_column
from ._source import Table

_ID, _TURN = "nearkin id", "nearkin turn"  # beside the caller's columns
_NAMED = 10  # ids that are told


@dataclass(frozen=True)
class Sorted:
    """A table without its rows at fault, and these."""

    table: Table
    faulty: DataFrame | None = None
    count: int = 0
    told: tuple[str, ...] = ()  #: what is wrong with them; of the ids the first few


def _has_map(kind: T.DataType) -> bool:
    """Which cannot be ordered."""
    if isinstance(kind, T.StructType):
        return any(_has_map(field.dataType) for field in kind.fields)
    return isinstance(kind, T.MapType) or (isinstance(kind, T.ArrayType) and _has_map(kind.elementType))


def _in_turn(df: DataFrame, ids: Column, text: Column) -> DataFrame:
    """The number of each row among those of its id: by its text, then by whatever else tells rows apart, so that partitions do not matter."""
    others = [column(field.name) for field in df.schema.fields if not _has_map(field.dataType)]
    return df.withColumn(_TURN, F.row_number().over(Window.partitionBy(ids).orderBy(text, *others)))


def _told(repeated: DataFrame, ids: int, without: int) -> list[str]:
    told = [f"{without} row{'' if without == 1 else 's'} without an id"] if without else []
    named = repeated.orderBy(_ID).limit(_NAMED).collect()
    told += [f'id "{row[0]}": {row["n"]} rows have it; the one whose text sorts first is compared' for row in named]
    return told if ids <= _NAMED else [*told, f"{ids - _NAMED} more ids that several rows have"]


def sort_out(table: Table) -> Sorted:
    """Of the rows with one id the one with the least text is an item, and the others are at fault."""
    df, ids = table.df, id_column(table.df, table.id)
    named, unnamed = df.filter(ids.isNotNull()), df.filter(ids.isNull())
    repeated = settled(named.groupBy(ids.alias(_ID)).agg(F.count(F.lit(1)).alias("n")).filter("n > 1"))
    count, without = repeated.count(), unnamed.count()
    if not count and not without:
        return Sorted(table)
    if not named.take(1):
        raise ValueError(f'id: none of {without} rows has an id in column "{table.id}"; name another column')
    told = tuple(_told(repeated, count, without))
    if not count:
        return Sorted(table.with_rows(named), unnamed, without, told)
    again = for_join(repeated.select(_ID), count)
    turns = settled(_in_turn(named.join(again, ids == F.col(_ID), "left_semi"), ids, text_column(df, table.text)))
    first, later = (turns.filter(rule).drop(_TURN) for rule in (F.col(_TURN) == 1, F.col(_TURN) > 1))
    rows = named.join(again, ids == F.col(_ID), "left_anti").unionByName(first)
    return Sorted(table.with_rows(rows), unnamed.unionByName(later), without + later.count(), told)
