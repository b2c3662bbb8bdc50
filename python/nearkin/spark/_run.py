"""A run over a DataFrame: the search, done once when something that needs it is asked for, and what is made of its matches."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from types import TracebackType
from typing import Any, Concatenate, ParamSpec

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from nearkin import Plan
from nearkin._runs import refuse_loss

from . import _columns
from ._columns import Held, column, for_join, settled
from ._describe import IdsAtFault
from ._faults import Sorted, sort_out
from ._groups import Moved, best_of, expanded_pairs, moved_rows, number_of_pairs, numbered, with_first_places
from ._plan import check_plan, planned
from ._search import Clock, Found, Stats, search
from ._source import Rules, Table, require_frame, require_names, source_of
from ._units import OWNER, Cut, name_of, without_units

DRIVER_EDGES = 5_000_000
MAX_PAIRS = 100_000_000


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
                run._forget_rows()
        raise AssertionError("the last attempt returns or raises")

    return asked


class Run:
    """One search over a DataFrame, with several results. The command line gives the same answer for the same records sorted by id.

    plan: a plan of nearkin.tune, or its line; None: tuned for the first rows in the order of ids, as on the command line.
    keep: which row of a group is kept: first or last in the order of ids, longest, shortest, max:COLUMN or min:COLUMN. The order of ids decides
    between equal rows. String ids are ordered bytewise, integers by number.
    against: another DataFrame. Its columns have the same names as those of df, unless against_id and against_text name others. Only pairs of
    the two are searched for, and rows of df that it also has are removed.
    faults: what happens to rows without an id, and to rows with the id of another row. They are not compared. `keep` leaves them in what is
    kept, `skip` leaves them out, and `stop` ends the run.

    df is read twice, and once more for the kept rows. Persist it first if it is costly to compute or not the same each time.
    The tables of the search stay persisted until `release`, or until the end of a `with` block: use the results before that.
    """

    def __init__(self, df: DataFrame, plan: Plan | str | None = None, id: str = "id", text: str = "text", *, keep: str | None = None,
                 within: str | None = None, across: str | None = None, cut: Cut | None = None, against: DataFrame | None = None,
                 against_id: str | None = None, against_text: str | None = None, faults: str = "keep", driver_edges: int = DRIVER_EDGES,
                 max_pairs: int = MAX_PAIRS) -> None:
        self._tables = _tables(df, id, text, against, against_id, against_text)
        if faults not in ("keep", "skip", "stop"):
            raise ValueError(f'faults: "{faults}" is not keep, skip or stop')
        given = None if plan is None else check_plan(plan)
        measure = "jaccard" if given is None else given.measure
        if across is not None and measure == "exact":
            raise ValueError("across: measure exact compares all rows on Spark; use jaccard with a threshold near 1, or the command line")
        if cut is not None and cut.repeats == "none" and against is not None:
            raise ValueError("repeats: none is about groups, and against makes none; leave one of them out")
        if cut is not None and cut.overlaps() and across is None and against is None:
            across = _between_rows(cut, within, measure)
        self._rules = Rules(keep or ("longest" if measure == "containment" else "first"), within, across, cut)
        self._df, self._id_name, self._text_name, self._faults = df, id, text, faults
        self._source = source_of(self._tables, self._rules)  # which looks at the columns
        self._plan = planned(self._tables[0], cut) if given is None else given
        self._sorted: list[Sorted] | None = None
        self._driver_edges, self._max_pairs = driver_edges, max_pairs
        self._working, self._results = Held(), Held()
        self._found: Found | None = None
        self._moved: dict[str, Moved] = {}  # by linkage
        self._kept_results: dict[tuple[Any, ...], DataFrame] = {}
        self.stats = Stats(str(self._plan))

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
        """a, b, similarity: every pair of ids at or above the threshold, the one first in order of keeping as `a`, or that of df where it is
        compared with another; under containment the share of `a` that `b` has. With `top`, only those that are among the so many best of one of
        their rows, or of `a` where a pair has a direction."""
        if top is not None and top < 1:
            raise ValueError(f"top: {top} is too small; give 1 or more")
        found = self._search()
        found.tell(self.stats, all=True)
        self._tell_faults(kept=False)
        count = self.stats.pairs = number_of_pairs(found)
        if count > self._max_pairs:
            raise ValueError(f"max_pairs: {count} pairs to list, the limit is {self._max_pairs}; use cluster or dedup, which do not list "
                             "pairs, or raise the limit")
        listed = expanded_pairs(found) if top is None else best_of(expanded_pairs(found), top, found.directed)
        named = _named(for_join(listed, count), "a", found)
        named = _named(for_join(named, count), "b", found)
        return named.select(self._shown("id_a").alias("a"), self._shown("id_b").alias("b"), "similarity")

    @_again_where_lost
    def clusters(self, linkage: str = "connected") -> DataFrame:
        """id, cluster, keeper, similarity: one row per item; clusters are counted from 0 in order of their first members, and the
        similarity is that with the keeper."""
        if self._source.against:
            raise ValueError("against: makes no clusters; use pairs, or what=\"removed\"")
        moved, found = self._moved_rows(linkage), self._search()
        self._tell_faults(kept=False)
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
        removed = self._removed(linkage)
        self._tell_faults(kept=self._faults == "keep")
        return removed.select(self._shown("id").alias("id"), self._shown("keeper").alias("keeper"), "similarity")

    def _removed(self, linkage: str) -> DataFrame:
        refuse_loss(linkage, self._plan)
        moved, found = self._moved_rows(linkage), self._search()
        named = _named(for_join(moved.table, moved.count), "row", found)
        named = _named(for_join(named, moved.count), "keeper", found)
        return named.select(F.col("id_row").alias("id"), F.col("id_keeper").alias("keeper"), "similarity")

    def _shown(self, name: str) -> Column:
        """An id as the caller knows it."""
        return F.col(name) if self._rules.cut is None else name_of(self._df, self._id_name, F.col(name))

    @_again_where_lost
    def cut(self, linkage: str = "star") -> DataFrame:
        """The rows of df, their texts without the units that are repeated."""
        cut = self._rules.cut
        assert cut is not None
        removed = self._removed(linkage)
        self._tell_faults(kept=self._faults == "keep")
        gone = removed.select("id")
        if cut.repeats == "none":
            gone = gone.unionByName(removed.select(F.col("keeper").alias("id"))).distinct()
        kept = removed if cut.repeats == "first" and not self._source.against else None
        return self._and_faulty(without_units(self._rows(), self._id_name, self._text_name, gone, cut, kept))

    def kept(self, linkage: str = "star") -> DataFrame:
        """The rows of df that are kept, with all their columns; where items are units, all rows, without the units that are repeated."""
        if self._rules.cut is not None:
            return self._result("cut", linkage)
        gone = self._result("removed", linkage).select(F.col("id").alias(_INNER_ID))
        return self._and_faulty(self._rows().join(for_join(gone, self.stats.removed or 0), column(self._id_name) == F.col(_INNER_ID), "left_anti"))

    def skipped(self) -> DataFrame:
        """The rows of df that cannot be items: those without an id, and those whose id another row has."""
        self._search()
        faulty = self._sorted[0].faulty if self._sorted else None
        return faulty if faulty is not None else self._df.limit(0)

    def annotated(self, linkage: str = "star") -> DataFrame:
        """All rows of df, with the columns cluster, keeper and similarity added; rows at fault have none."""
        if self._rules.cut is not None:
            raise ValueError("annotate: is about whole rows; use what=\"removed\" to list the units that repeat")
        _columns.refuse_columns(self._df)
        told = self._result("clusters", linkage).withColumnRenamed("id", _INNER_ID)
        self._tell_faults(kept=self._faults == "keep")
        joined = self._rows().join(told, column(self._id_name) == F.col(_INNER_ID)).drop(_INNER_ID)
        return self._and_faulty(joined)

    def _rows(self) -> DataFrame:
        """Those of df that are items."""
        return self._sorted[0].table.df if self._sorted else self._df

    def _and_faulty(self, rows: DataFrame) -> DataFrame:
        """With the rows that cannot be items, where they stay."""
        faulty = self._sorted[0].faulty if self._sorted else None
        if faulty is None or self._faults != "keep":
            return rows
        return rows.unionByName(faulty, allowMissingColumns=True)

    def _tell_faults(self, kept: bool) -> None:
        """`kept`: those of df stay in what is written."""
        own, *others = [one.count for one in self._sorted or []] or [0]
        self.stats.kept_at_fault, self.stats.skipped = (own, sum(others)) if kept else (0, own + sum(others))

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
        if self._found is not None:
            return self._found
        if self._rules.cut is not None and self._sorted is None:  # whose ids are not those of the rows
            self._sort_out()
        try:
            self._found = search(self._source, self._plan, self._driver_edges, self.stats, self._working)
        except IdsAtFault:
            self._working.release()
            self._sort_out()
            self._found = search(self._source, self._plan, self._driver_edges, self.stats, self._working)
        return self._found

    def _sort_out(self) -> None:
        """Leaves rows that cannot be items out of the search."""
        self._sorted = [sort_out(table) for table in self._tables]
        own, *others = [one.told for one in self._sorted]
        self.stats.faults = [*own, *(f"against: {told}" for of_other in others for told in of_other)]
        if self._faults == "stop" and self.stats.faults:
            raise ValueError(f"faults: {'; '.join(self.stats.faults)}; every row needs an id of its own, or use faults keep or skip")
        self._source = source_of([one.table for one in self._sorted], self._rules)

    def _forget_search(self) -> None:
        self._working.release()
        self._found = None
        self._moved.clear()

    def _forget_rows(self) -> None:
        """Which rows are items is found out anew."""
        self._sorted = None
        self._source = source_of(self._tables, self._rules)

    def _moved_rows(self, linkage: str) -> Moved:
        check_linkage(linkage)
        found = self._search()
        if linkage not in self._moved:
            clock = Clock(self.stats)
            table = settled(moved_rows(found, self._plan, linkage, self._driver_edges))
            self._moved[linkage] = Moved(table, table.count())
            clock.lap("cluster")
        found.tell(self.stats, all=False)
        self.stats.removed = self._moved[linkage].count
        return self._moved[linkage]


def _between_rows(cut: Cut, within: str | None, measure: str) -> str:
    """The column in which units must differ: windows that overlap are compared only with those of other rows."""
    if within is not None:
        raise ValueError(f"within: windows that overlap ({cut.unit}) are not compared within a field; make the step as long as the window")
    if measure == "exact":
        raise ValueError(f"unit: windows that overlap ({cut.unit}) are not compared by measure exact on Spark; make the step as long as the window")
    return OWNER


def _tables(df: DataFrame, id: str, text: str, against: DataFrame | None, against_id: str | None, against_text: str | None) -> list[Table]:
    require_frame(df, "df")
    require_names(id=id, text=text)
    if against is None:
        for name, value in (("against_id", against_id), ("against_text", against_text)):
            if value is not None:
                raise ValueError(f"{name}: names a column of the other DataFrame; give that as against, or leave this out")
        return [Table(df, id, text)]
    require_frame(against, "against")
    other = Table(against, against_id if against_id is not None else id, against_text if against_text is not None else text)
    require_names(against_id=other.id, against_text=other.text)
    return [Table(df, id, text), other]


def _named(table: DataFrame, name: str, found: Found) -> DataFrame:
    """With the id of the row in column `name` as id_`name`."""
    return found.names.select(F.col("id").alias(f"id_{name}"), F.col("row").alias(name)).join(table, name)
