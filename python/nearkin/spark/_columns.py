"""Columns of the caller's DataFrame, and tables that are held while they are used more than once."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Row
from pyspark.sql import functions as F
from pyspark.sql import types as T

_WHOLE = (T.ByteType, T.ShortType, T.IntegerType, T.LongType)


def column(name: str) -> Column:
    """The column of exactly this name: dots, blanks and backticks in it are part of the name."""
    return F.col("`" + name.replace("`", "``") + "`")


def field_of(df: DataFrame, name: str, subject: str) -> T.StructField:
    for field in df.schema.fields:
        if field.name == name:
            return field
    names = ", ".join(field.name for field in df.schema.fields)
    raise ValueError(f'{subject}: no column "{name}"; the columns are {names}')


def id_column(df: DataFrame, name: str) -> Column:
    """Ids as strings, which are ordered bytewise, or as 64-bit integers."""
    kind = field_of(df, name, "id").dataType
    if isinstance(kind, T.StringType):
        return column(name).cast("string")
    if isinstance(kind, _WHOLE):
        return column(name).cast("bigint")
    raise ValueError(f'id: column "{name}" is {kind.simpleString()}; cast it to a string or an integer')


def text_column(df: DataFrame, name: str) -> Column:
    """Texts, or sets: arrays of integers or of strings. Null is a text without a single unit."""
    kind = field_of(df, name, "text").dataType
    if isinstance(kind, T.StringType):
        return F.coalesce(column(name).cast("string"), F.lit(""))
    if isinstance(kind, T.ArrayType) and isinstance(kind.elementType, (T.StringType, *_WHOLE)):
        return F.coalesce(column(name), F.array().cast(kind))
    raise ValueError(f'text: column "{name}" is {kind.simpleString()}; texts are strings, sets arrays of strings or integers')


def scope_of(df: DataFrame, within: str | None, across: str | None) -> Column | None:
    """The column that tells which items are compared with one another, as strings; a null is an empty one."""
    if within is not None and across is not None:
        raise ValueError("across: within is given as well; leave one of them out")
    rule, name = ("within", within) if within is not None else ("across", across)
    if name is None:
        return None
    kind = field_of(df, name, rule).dataType
    if not isinstance(kind, (T.StringType, T.NumericType, T.BooleanType, T.DateType, T.TimestampType)):
        raise ValueError(f'{rule}: column "{name}" is {kind.simpleString()}; name one of strings, numbers or dates')
    return F.coalesce(column(name).cast("string"), F.lit(""))


def refuse_columns(df: DataFrame) -> None:
    """Columns that are to be added must not be there, in any spelling that Spark takes for the same."""
    there = {field.name.lower() for field in df.schema.fields}
    for name in ("cluster", "keeper", "similarity"):
        if name in there:
            raise ValueError(f'annotate: there is a column "{name}" already; rename it')


# Tables of at most so many rows are sent whole to every worker, so that the other side of a join need not move.
_FEW_ROWS = 500_000


def are_few(rows: int) -> bool:
    return rows <= _FEW_ROWS


def for_join(table: DataFrame, rows: int) -> DataFrame:
    """The smaller side of a join, whose number of rows is known."""
    return F.broadcast(table) if are_few(rows) else table


def figures(table: DataFrame, *columns: Column) -> Row:
    """The one row of aggregates over the whole table."""
    row = table.agg(*columns).first()
    if row is None:
        raise AssertionError("an aggregate over a whole table has a row")
    return row


def settled(table: DataFrame) -> DataFrame:
    """Computed now and cut off from how it came about: a plan that names its tables more than once would double from stage to stage.
    With a checkpoint folder in the session it outlives the loss of a worker."""
    try:
        reliable = table.sparkSession.sparkContext.getCheckpointDir() is not None
    except Exception:  # a session over Spark Connect has no context to ask
        reliable = False
    return table.checkpoint() if reliable else table.localCheckpoint()


class Held:
    """Wide tables that are persisted: each is computed once, and given back all together."""

    def __init__(self) -> None:
        self._tables: list[DataFrame] = []

    def hold(self, table: DataFrame) -> DataFrame:
        self._tables.append(table.persist())
        return table

    def give_back(self, table: DataFrame) -> None:
        self._tables = [other for other in self._tables if other is not table]
        table.unpersist()

    def release(self) -> None:
        for table in reversed(self._tables):
            table.unpersist()
        self._tables.clear()
