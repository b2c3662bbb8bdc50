"""What a run reads of the caller's tables: one table of items, of which some may be another's that these are compared with."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from . import _columns
from ._order import Order, order_of
from ._units import OWNER, Cut, unit_table


@dataclass(frozen=True)
class Table:
    """A DataFrame of the caller's, and what its columns are called."""

    df: DataFrame
    id: str
    text: str

    def with_rows(self, df: DataFrame) -> Table:
        return replace(self, df=df)


@dataclass(frozen=True)
class Rules:
    """What the items of all tables have in common."""

    keep: str = "first"
    within: str | None = None
    across: str | None = None
    cut: Cut | None = None

    def columns(self) -> list[tuple[str, str]]:
        """The columns that they read beside id and text, each with the name of the rule."""
        number = self.keep.partition(":")[2]
        return [(rule, name) for rule, name in (("keep", number), ("within", self.within), ("across", self.across)) if name]


@dataclass(frozen=True)
class Source:
    """The items: id, text and, where they are needed, worth, scope and side."""

    items: DataFrame
    id_type: str
    order: Order
    rules: Rules
    against: bool  #: `side` is 0 for the items of the table and 1 for those of the other; only pairs of the two are looked for

    @property
    def keys(self) -> list[str]:
        """What tells items apart."""
        return ["side", "id"] if self.against else ["id"]

    @property
    def apart(self) -> list[str]:
        """Columns in which the items of a pair differ, each of them; none: all pairs are looked for."""
        return [name for name, asked in (("side", self.against), ("scope", self.rules.across is not None)) if asked]


def require_frame(given: object, subject: str) -> None:
    """A DataFrame with an end, of Spark or of Spark Connect."""
    kind = type(given)
    if hasattr(kind, "mapInArrow") and hasattr(kind, "schema"):
        if getattr(given, "isStreaming", False):
            raise ValueError(f"{subject}: is a stream, which has no end; use foreachBatch with 'nearkin dedup --index', or read it as a table")
        return
    ways = {"pandas": "use spark.createDataFrame(…), or nearkin.pairs, cluster and dedup, which take it as it is",
            "polars": "use spark.createDataFrame(….to_pandas()), or nearkin.pairs, cluster and dedup, which take it as it is",
            "pyspark": 'use its to_spark()' if hasattr(kind, "to_spark") else 'use its toDF(["id", "text"])'}
    package = kind.__module__.partition(".")[0]
    raise TypeError(f"{subject}: {kind.__module__}.{kind.__qualname__} is not a DataFrame of Spark; {ways.get(package, 'give what spark.read or spark.createDataFrame returns')}")


def require_names(**names: object) -> None:
    for subject, name in names.items():
        if not isinstance(name, str):
            raise TypeError(f"{subject}: {name!r} is {type(name).__name__}; give the name of a column")


def _in_parts(table: Table, rules: Rules, cut: Cut) -> Table:
    """The units of the texts in place of them."""
    cut.check()
    if not isinstance(_columns.field_of(table.df, table.text, "text").dataType, T.StringType):
        raise ValueError(f'unit: only texts have parts, and column "{table.text}" has sets; leave it out')
    for rule, name in rules.columns():
        if name != OWNER:
            _columns.field_of(table.df, name, rule)
    ids, texts = _columns.id_column(table.df, table.id), _columns.text_column(table.df, table.text)
    return Table(unit_table(table.df, table.id, ids, texts, [name for _, name in rules.columns()], cut), "id", "text")


def _items_of(table: Table, rules: Rules) -> tuple[DataFrame, Order]:
    if rules.cut is not None:
        table = _in_parts(table, rules, rules.cut)
    df = table.df
    ids, texts = _columns.id_column(df, table.id), _columns.text_column(df, table.text)
    order = order_of(rules.keep, df, table.text, texts)
    scope = _columns.scope_of(df, rules.within, rules.across)
    others = [column.alias(name) for name, column in (("worth", order.worth), ("scope", scope)) if column is not None]
    return df.select(ids.alias("id"), texts.alias("text"), *others), order


def _type_of(items: DataFrame, name: str) -> str:
    return str(items.schema[name].dataType.simpleString())


def _other_items(table: Table, rules: Rules, first: DataFrame) -> DataFrame:
    """Those of the other table, with columns of the same types."""
    try:
        items = _items_of(table, rules)[0]
    except ValueError as error:
        raise ValueError(f"against: {error}") from error
    for name, column in (("id", table.id), ("text", table.text)):
        own, other = _type_of(first, name), _type_of(items, name)
        if own != other:
            raise ValueError(f'against: column "{column}" is {other}, and that of df is {own}; cast one of them')
    return items


def source_of(tables: Iterable[Table], rules: Rules) -> Source:
    """Of one table, or of two that are compared with one another."""
    table, *others = tables
    items, order = _items_of(table, rules)
    kind = _type_of(items, "id")
    for other in others:
        more = _other_items(other, rules, items).withColumn("side", F.lit(1))
        items = items.withColumn("side", F.lit(0)).unionByName(more)
    return Source(items, kind, order, rules, bool(others))
