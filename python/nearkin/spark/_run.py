"""A run over a DataFrame: the search, done once when something that needs it is asked for, and what is made of its matches."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from types import TracebackType
from typing import Any, Concatenate, ParamSpec

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from nearkin import Plan

from . import _columns
from ._columns import Held, column, for_join, settled
from ._groups import Moved, best_of, expanded_pairs, moved_rows, number_of_pairs, numbered, with_first_places
from ._order import order_of
from ._search import Clock, Found, Source, Stats, search
from ._units import Cut, name_of, unit_table, without_units

DRIVER_EDGES = 5_000_000
MAX_PAIRS = 100_000_000


def check_plan(plan: Plan) -> None:
    """Says what is not for Spark, and what is the way out."""
    if plan.measure not in ("jaccard", "weighted-jaccard", "exact") or plan.features != "shingles":
        raise ValueError(f"plan: {plan.measure} over {plan.features} is not for Spark, which compares texts and sets by jaccard, "
                         "weighted-jaccard or exact; use the command line")
    if plan.exact_join:
        raise ValueError("plan: recall 1 is an exact join, which is done in one place; use recall 0.99, or the command line")
    if plan.measure != "exact" and plan.verify != "exact":
        raise ValueError(f"plan: verify {plan.verify} is not for Spark, which verifies exactly; use verify exact, or the command line")


def check_linkage(linkage: str) -> None:
    if linkage not in ("connected", "star"):
        raise ValueError(f'linkage: "{linkage}" is neither connected nor star')


_INNER_ID = "nearkin id"  # beside the caller's columns
_LOST = "Checkpoint block"  # how Spark begins to say that a table without a checkpoint folder went with its worker
_ATTEMPTS = 3


_Arguments = ParamSpec("_Arguments")
_Asked = Callable[Concatenate["Run", _Arguments], DataFrame]


def _again_where_lost(ask: _Asked[_Arguments]) -> _Asked[_Arguments]:
    """A table that went with a worker, and has no checkpoint folder to be found in, is made again from the beginning."""

    @wraps(ask)
    def asked(run: Run, *arguments: _Arguments.args, **named: _Arguments.kwargs) -> DataFrame:
        for attempt in range(_ATTEMPTS):
            try:
                return ask(run, *arguments, **named)
            except Exception as error:
                if _LOST not in str(error) or attempt + 1 == _ATTEMPTS:
                    raise
                run._forget_search()
        raise AssertionError("the last attempt returns or raises")

    return asked


class Run:
    """The answer about one DataFrame. Of a group that item is kept which is first in the order of ids: bytewise where they are strings, by
    number where they are integers; or by another `keep` rule of the command line (last, longest, shortest, max:COLUMN, min:COLUMN), with the
    order of ids where this leaves a choice. The command line gives the same answer about the same records sorted by id.

    df is read twice, and once more for the rows that are kept: persist it first where it is costly or not the same each time.
    The tables of the search stay persisted until `release`, or the end of a `with` block: use the results before."""

    def __init__(self, df: DataFrame, plan: Plan, id: str = "id", text: str = "text", *, keep: str = "first", within: str | None = None,
                 across: str | None = None, cut: Cut | None = None, driver_edges: int = DRIVER_EDGES, max_pairs: int = MAX_PAIRS) -> None:
        check_plan(plan)
        if across is not None and plan.measure == "exact":
            raise ValueError("across: measure exact compares all rows on Spark; use jaccard with a threshold near 1, or the command line")
        self._df, self._id_name, self._text_name, self._plan, self._cut = df, id, text, plan, cut
        self._source = _source_of(df, id, text, keep, within, across, cut)
        self._driver_edges, self._max_pairs = driver_edges, max_pairs
        self._working, self._results = Held(), Held()
        self._found: Found | None = None
        self._moved: dict[str, Moved] = {}  # by linkage
        self._kept_results: dict[tuple[Any, ...], DataFrame] = {}
        self.stats = Stats(str(plan))

    def __enter__(self) -> Run:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self.release()

    def release(self) -> None:
        """Gives back everything. Results that are used after it are computed anew, from the beginning."""
        self._forget_search()
        self._results.release()
        self._kept_results.clear()

    @_again_where_lost
    def pairs(self, top: int | None = None) -> DataFrame:
        """a, b, similarity: every pair of ids at or above the threshold, the one first in order of keeping as `a`; with `top`, only those that are among
        the so many best of one of their rows."""
        if top is not None and top < 1:
            raise ValueError(f"top: {top} is too small; give 1 or more")
        found = self._search()
        count = self.stats.pairs = number_of_pairs(found)
        if count > self._max_pairs:
            raise ValueError(f"max_pairs: {count} pairs to list, the limit is {self._max_pairs}; use cluster or dedup, which do not list "
                             "pairs, or raise the limit")
        listed = expanded_pairs(found) if top is None else best_of(expanded_pairs(found), top)
        named = _named(for_join(listed, count), "a", found)
        named = _named(for_join(named, count), "b", found)
        return named.select(self._shown("id_a").alias("a"), self._shown("id_b").alias("b"), "similarity")

    @_again_where_lost
    def clusters(self, linkage: str = "connected") -> DataFrame:
        """id, cluster, keeper, similarity: one row an item; clusters are counted from 0 in order of their first members, and the
        similarity is that with the keeper."""
        moved, found = self._moved_rows(linkage), self._search()
        rest = found.names.join(for_join(moved.table.select("row"), moved.count), "row", "left_anti")
        staying = self._working.hold(rest)
        if not self._source.order.is_of_ids:
            places = found.names.select("row", "place").join(for_join(moved.table.select("row", "keeper"), moved.count), "row")
            staying = with_first_places(staying, places)
        staying = numbered(staying)
        own = staying.select("id", "cluster", F.col("id").alias("keeper"), F.lit(1.0).alias("similarity"))
        others = for_join(_named(for_join(moved.table, moved.count), "row", found), moved.count)
        of_keeper = staying.select(F.col("row").alias("keeper"), F.col("id").alias("id_keeper"), "cluster")
        others = of_keeper.join(others, "keeper").select(
            F.col("id_row").alias("id"), "cluster", F.col("id_keeper").alias("keeper"), "similarity")
        return own.unionByName(others).select(self._shown("id").alias("id"), "cluster", self._shown("keeper").alias("keeper"), "similarity")

    @_again_where_lost
    def removed(self, linkage: str = "star") -> DataFrame:
        """id, keeper, similarity: of each item that is not kept."""
        return self._removed(linkage).select(self._shown("id").alias("id"), self._shown("keeper").alias("keeper"), "similarity")

    def _removed(self, linkage: str) -> DataFrame:
        moved, found = self._moved_rows(linkage), self._search()
        named = _named(for_join(moved.table, moved.count), "row", found)
        named = _named(for_join(named, moved.count), "keeper", found)
        return named.select(F.col("id_row").alias("id"), F.col("id_keeper").alias("keeper"), "similarity")

    def _shown(self, name: str) -> Column:
        """An id as the caller knows it."""
        return F.col(name) if self._cut is None else name_of(self._df, self._id_name, F.col(name))

    @_again_where_lost
    def cut(self, linkage: str = "star") -> DataFrame:
        """The rows of df, their texts without the units that are repeated."""
        assert self._cut is not None
        removed = self._removed(linkage)
        gone = removed.select("id")
        if self._cut.repeats == "none":
            gone = gone.unionByName(removed.select(F.col("keeper").alias("id"))).distinct()
        return without_units(self._df, self._id_name, self._text_name, gone, self._cut)

    def kept(self, linkage: str = "star") -> DataFrame:
        """The rows of df that are kept, with all their columns; where items are units, all rows, without the units that are repeated."""
        if self._cut is not None:
            return self._result("cut", linkage)
        gone = self._result("removed", linkage).select(F.col("id").alias(_INNER_ID))
        return self._source.df.join(for_join(gone, self.stats.removed or 0), column(self._id_name) == F.col(_INNER_ID), "left_anti")

    def annotated(self, linkage: str = "star") -> DataFrame:
        """All rows of df, with the columns cluster, keeper and similarity added."""
        if self._cut is not None:
            raise ValueError("annotate: tells of whole rows; use what=\"removed\" to list the units that repeat")
        _columns.refuse_columns(self._source.df)
        told = self._result("clusters", linkage).withColumnRenamed("id", _INNER_ID)
        return self._source.df.join(told, column(self._id_name) == F.col(_INNER_ID)).drop(_INNER_ID)

    @_again_where_lost
    def finish(self, what: str, *arguments: Any) -> DataFrame:
        """Computes one result ("pairs", "clusters", "removed" or "cut") for good, and gives back the tables of the search. `kept` and
        `annotated` use it then."""
        result: DataFrame = getattr(self, what)(*arguments)
        clock = Clock(self.stats)
        self._results.hold(result).count()
        self._kept_results[(what, *arguments)] = result
        clock.lap("output")
        self._forget_search()
        return result

    def _result(self, what: str, *arguments: Any) -> DataFrame:
        known = self._kept_results.get((what, *arguments))
        asked: Callable[..., DataFrame] = getattr(self, what)
        return known if known is not None else asked(*arguments)

    def _search(self) -> Found:
        if self._found is None:
            self._found = search(self._source, self._plan, self._driver_edges, self.stats, self._working)
        return self._found

    def _forget_search(self) -> None:
        self._working.release()
        self._found = None
        self._moved.clear()

    def _moved_rows(self, linkage: str) -> Moved:
        check_linkage(linkage)
        found = self._search()
        if linkage not in self._moved:
            clock = Clock(self.stats)
            table = settled(moved_rows(found, self._plan, linkage, self._driver_edges))
            self._moved[linkage] = Moved(table, table.count())
            clock.lap("cluster")
        self.stats.removed = self._moved[linkage].count
        return self._moved[linkage]


def _source_of(df: DataFrame, id: str, text: str, keep: str, within: str | None, across: str | None, cut: Cut | None) -> Source:
    ids, texts = _columns.id_column(df, id), _columns.text_column(df, text)
    if cut is None:
        return Source(df, ids, _columns.id_type(df, id), texts, order_of(keep, df, text, texts), _columns.scope_of(df, within, across))
    cut.check()
    if not isinstance(_columns.field_of(df, text, "text").dataType, T.StringType):
        raise ValueError(f'unit: only texts have parts, and column "{text}" has sets; leave it out')
    rule, _, number = keep.partition(":")
    others = [name for name in (number, within, across) if name]
    for name in others:
        _columns.field_of(df, name, "keep" if name == number else "within" if name == within else "across")
    units = unit_table(df, id, ids, texts, others, cut)
    parts = F.col("text")
    return Source(units, F.col("id"), "string", parts, order_of(keep, units, "text", parts), _columns.scope_of(units, within, across))


def _named(table: DataFrame, name: str, found: Found) -> DataFrame:
    """With the id of the row in column `name` as id_`name`."""
    return found.names.select(F.col("id").alias(f"id_{name}"), F.col("row").alias(name)).join(table, name)
