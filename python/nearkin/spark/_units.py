"""Parts of texts as the items of a run: a table with a row for each, and the texts of the table without those that go."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from nearkin import _core

from ._columns import column, field_of

_NUMBER = 12  # digits of a place in an id
_TAIL = 2 * _NUMBER + 2  # what an id has behind its owner's: a separator and two places
OWNER = "nearkin owner"  # a column of units: the row that each is of
_LEAST_LONG = str(1 << 63)  # as text: it is too great for a literal of Spark


@dataclass(frozen=True)
class Cut:
    """Which parts of texts are compared, and what happens to a text that loses some. The fields mean the same as the command line's flags."""

    unit: str
    least_unit: int = 0
    repeats: str = "first"
    least_left: int = 0
    most_cut: float = 1.0

    def overlaps(self) -> bool:
        """Whether two units of one text may have words in common."""
        window = re.fullmatch(r"window:(\d+)/(\d+)", self.unit)
        return window is not None and int(window[2]) < int(window[1])

    def check(self) -> None:
        if self.repeats not in ("first", "none"):
            raise ValueError(f'repeats: "{self.repeats}" is neither first nor none')
        if not 0 <= self.most_cut <= 1:
            raise ValueError(f"most_cut: {self.most_cut} is not between 0 and 1")
        _core.units([], self.unit, self.least_unit, "text")  # which looks at its name


def _unit_batches(cut: Cut, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """owner, text and what else there is, as id, text and what else there is; ids ascend as owners and places do."""
    for batch in batches:
        owner, text, *others = batch.columns
        row, begin, end, texts = _core.units(text, cut.unit, cut.least_unit, "text")
        rows = pa.array(row)
        owners = owner.take(rows).to_pylist()
        ids = pa.array([f"{o}\0{b:0{_NUMBER}}-{e:0{_NUMBER}}" if o is not None else None for o, b, e in zip(owners, begin, end)], pa.string())
        columns = [ids, pa.array(texts).cast(pa.string()), *(other.take(rows) for other in others)]
        yield pa.RecordBatch.from_arrays(columns, ["id", "text", *batch.schema.names[2:]])


def _sortable(df: DataFrame, id: str, ids: Column) -> Column:
    """Ids as texts of the same order."""
    if isinstance(field_of(df, id, "id").dataType, T.StringType):
        return ids
    return F.lpad((ids.cast("decimal(20,0)") + F.lit(_LEAST_LONG).cast("decimal(20,0)")).cast("decimal(20,0)").cast("string"), 20, "0")


def unit_table(df: DataFrame, id: str, ids: Column, texts: Column, others: Iterable[str], cut: Cut) -> DataFrame:
    """id, text, and the other columns, which are those of the owners."""
    names = list(dict.fromkeys(others))
    for name in names:
        if name.lower() in ("id", "text"):
            raise ValueError(f'"{name}": a column of this name stands for the units themselves; rename it')
    owner = _sortable(df, id, ids)
    given = df.select(owner.alias("id"), texts.alias("text"), *(owner.alias(OWNER) if name == OWNER else column(name) for name in names))
    of_owner = T.StructField(OWNER, T.StringType())
    schema = T.StructType([T.StructField("id", T.StringType()), T.StructField("text", T.StringType()),
                           *(of_owner if name == OWNER else field_of(df, name, name) for name in names)])
    return given.mapInArrow(partial(_unit_batches, cut), schema)


def owner_of(df: DataFrame, id: str, unit: Column) -> Column:
    """The id of the row of df that a unit is of."""
    owner = unit.substr(F.lit(1), F.length(unit) - _TAIL)
    if isinstance(field_of(df, id, "id").dataType, T.StringType):
        return owner
    return (owner.cast("decimal(20,0)") - F.lit(_LEAST_LONG).cast("decimal(20,0)")).cast("bigint")


def _place(unit: Column, behind: int) -> Column:
    """A place, by how many characters of the id are behind its first."""
    return unit.substr(F.length(unit) - behind + 1, F.lit(_NUMBER)).cast("bigint")


def begin_of(unit: Column) -> Column:
    return _place(unit, 2 * _NUMBER + 1)


def name_of(df: DataFrame, id: str, unit: Column) -> Column:
    """OWNER:BEGIN-END."""
    return F.concat(owner_of(df, id, unit).cast("string"), F.lit(":"), begin_of(unit).cast("string"), F.lit("-"), _place(unit, _NUMBER).cast("string"))


_GONE, _WHOLE, _NEEDED = "nearkin gone", "nearkin whole", "nearkin needed"  # beside the caller's columns


def _places_in(batch: pa.RecordBatch, name: str) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Of a column of lists of places: how many each row has, and row and place of each."""
    lists = batch.column(name)
    lengths = np.asarray(pc.fill_null(pc.list_value_length(lists), 0), dtype=np.int64)
    return lengths, np.repeat(np.arange(len(batch), dtype=np.int64), lengths), np.asarray(lists.flatten(), dtype=np.int64)


def _left(batch: pa.RecordBatch, cut: Cut, text: str, least_left: int) -> tuple[NDArray[np.int64], list[str | None]]:
    """How many units of each row go (_GONE), and what is left of its text, None for one that loses too much."""
    lengths, rows, begins = _places_in(batch, _GONE)
    _, whole_rows, whole_begins = _places_in(batch, _WHOLE)
    return lengths, _core.cut_units(batch.column(text), rows, begins, whole_rows, whole_begins, cut.unit, cut.least_unit, least_left, cut.most_cut,
                                    "text")


def _cut_batches(cut: Cut, text: str, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The caller's columns, the places of the units that go and of those that stay whole, and whether the row must stay; the texts lose the former,
    and a row goes that loses too much."""
    for batch in batches:
        lengths, left = _left(batch, cut, text, cut.least_left)
        if cut.least_left > 0:
            needed = batch.column(_NEEDED).to_pylist()
            left = [more if must_stay else one for one, more, must_stay in zip(left, _left(batch, cut, text, 0)[1], needed)]
        columns = batch.columns[:-3]
        at = batch.schema.get_field_index(text)
        touched = pa.array(lengths > 0)
        columns[at] = pc.if_else(touched, pa.array(left, columns[at].type), columns[at])
        stays = pc.or_(pc.invert(touched), pa.array([one is not None for one in left], pa.bool_()))
        yield pa.RecordBatch.from_arrays(columns, schema=pa.schema(list(batch.schema)[:-3])).filter(stays)


def _alone_batches(cut: Cut, text: str, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Owner, text and the places of the units that go and of those that stay whole: the owners that keep all of these, since they would lose more than cut.most_cut."""
    for batch in batches:
        left = _left(batch, cut, text, 0)[1]
        alone = pa.array([one == before for one, before in zip(left, batch.column(text).to_pylist())], pa.bool_())
        yield batch.filter(alone).select(["owner"])


def _with_places(df: DataFrame, id: str, units: DataFrame, name: str) -> DataFrame:
    """df with a column of the places of its units that are among these (id, as unit_table has them), null for none."""
    unit = F.col("id")
    places = units.select(owner_of(df, id, unit).alias("owner"), begin_of(unit).alias("begin"))
    lists = places.groupBy("owner").agg(F.sort_array(F.collect_set("begin")).alias(name))
    return df.join(lists, column(id) == F.col("owner"), "left").select(*(column(field.name) for field in df.schema.fields), F.col(name))


def _with_both_places(df: DataFrame, id: str, gone: DataFrame, kept: DataFrame | None, cut: Cut) -> DataFrame:
    """df with the places of its units that go, and, where units overlap, of those that stay in the place of others."""
    placed = _with_places(df, id, gone, _GONE)
    if kept is None or not cut.overlaps():
        return placed.withColumn(_WHOLE, F.lit(None).cast("array<bigint>"))
    return _with_places(placed, id, kept.select(F.col("keeper").alias("id")).distinct(), _WHOLE)


def _needed(df: DataFrame, id: str, text: str, removed: DataFrame, cut: Cut) -> DataFrame:
    """owner: of the rows with a unit that stays in the place of one of another row, which loses it."""
    pairs = removed.select(owner_of(df, id, F.col("id")).alias("owner"), owner_of(df, id, F.col("keeper")).alias("keeper"))
    pairs = pairs.where(F.col("owner") != F.col("keeper")).distinct()
    if cut.most_cut < 1:
        touched = _with_both_places(df, id, removed.select("id"), removed, cut).where(F.col(_GONE).isNotNull())
        owners = touched.select(column(id).alias("owner"), column(text).alias(text), F.col(_GONE), F.col(_WHOLE))
        alone = owners.mapInArrow(partial(_alone_batches, cut, text), T.StructType([T.StructField("owner", field_of(df, id, "id").dataType)]))
        pairs = pairs.join(alone, "owner", "left_anti")
    return pairs.select(F.col("keeper").alias("owner")).distinct()


def without_units(df: DataFrame, id: str, text: str, gone: DataFrame, cut: Cut, kept: DataFrame | None) -> DataFrame:
    """df without the units of `gone` (id, as unit_table has them). `kept`: id and keeper of units that go, where keepers are units of df that stay."""
    placed = _with_both_places(df, id, gone, kept, cut)
    if cut.least_left > 0 and kept is not None:
        needed = _needed(df, id, text, kept, cut).withColumn(_NEEDED, F.lit(True))
        placed = placed.join(needed, column(id) == F.col("owner"), "left").select(
            *(column(field.name) for field in df.schema.fields), F.col(_GONE), F.col(_WHOLE), F.coalesce(F.col(_NEEDED), F.lit(False)).alias(_NEEDED))
    else:
        placed = placed.withColumn(_NEEDED, F.lit(False))
    return placed.mapInArrow(partial(_cut_batches, cut, text), df.schema)
