"""The order of keeping: of a group, the item that comes first in it stays. Rows are numbered in this order, so that everything that asks
for the first of something asks for the least row."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from ._columns import column, field_of

_PLAIN = ("first", "last", "longest", "shortest")
_BY_COLUMN = ("max", "min")
# What the engine reads as a number (src/io/records.cc); Java's numbers may have letters behind them.
_NUMBER = r"\A[ \t]*(\+?|-)([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?[ \t]*\z"


@dataclass(frozen=True)
class Order:
    """By `worth`, absent ones last, then by id; without worth by id alone."""

    worth: Column | None = None
    falling: bool = False  #: the greatest worth, or without worth the greatest id, comes first
    column: str | None = None  #: whose numbers are the worth

    @property
    def by_id(self) -> bool:
        return self.worth is None

    @property
    def is_of_ids(self) -> bool:
        """Whether rows ascend with the ids."""
        return self.by_id and not self.falling

    def columns(self, keys: list[str]) -> list[Column]:
        """To sort a table with what tells items apart and, where there is one, worth."""
        if self.by_id:
            return [F.col(key).desc() if self.falling else F.col(key).asc() for key in keys]
        return [F.col("worth").desc_nulls_last() if self.falling else F.col("worth").asc_nulls_last(), *(F.col(key).asc() for key in keys)]


def _number(df: DataFrame, name: str) -> Column:
    """A number of 64 bits, null where there is none."""
    kind = field_of(df, name, "keep").dataType
    if isinstance(kind, T.StringType):
        spelt = F.when(column(name).rlike(_NUMBER), F.trim(F.translate(column(name), "\t", " ")))
        number = spelt.cast("double")
    elif isinstance(kind, T.NumericType):
        number = column(name).cast("double")
    else:
        raise ValueError(f'keep: column "{name}" is {kind.simpleString()}; numbers are needed')
    finite = ~F.isnan(number) & (F.abs(number) < F.lit(float("inf")))
    return F.when(finite, number + F.lit(0.0))  # -0 becomes 0


def _size(df: DataFrame, rule: str, text_name: str, text: Column) -> Column:
    kind = field_of(df, text_name, "text").dataType
    if not isinstance(kind, T.StringType):
        raise ValueError(f'keep: {rule} is for texts, and column "{text_name}" is {kind.simpleString()}; use max:COLUMN with a column of sizes')
    return F.octet_length(text).cast("double")


def order_of(keep: str, df: DataFrame, text_name: str, text: Column) -> Order:
    """`keep`: first, last, longest, shortest, max:COLUMN or min:COLUMN, as on the command line."""
    rule, colon, name = keep.partition(":")
    if rule in _BY_COLUMN and not name:
        raise ValueError(f'keep: "{keep}" names no column; write {rule}:COLUMN')
    if rule in _BY_COLUMN:
        return Order(_number(df, name), rule == "max", name)
    if rule not in _PLAIN or colon:
        raise ValueError(f'keep: "{keep}" is not first, last, longest, shortest, max:COLUMN or min:COLUMN')
    if rule in ("first", "last"):
        return Order(falling=rule == "last")
    return Order(_size(df, rule, text_name, text), rule == "longest")
