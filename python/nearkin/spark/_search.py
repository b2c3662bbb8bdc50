"""Items → matches: the first stages joined, each table computed once."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from time import monotonic

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from nearkin import Plan

from ._candidates import Buckets, Candidates, find_candidates
from ._columns import Held, Scope, figures, for_join, settled
from ._describe import describe
from ._order import Order
from ._verify import Shingled, agreeing, shingled, verified


@dataclass
class Stats:
    """What a run met, in the words of the command line's --stats; None: not known yet."""

    plan: str
    items: int | None = None
    numbers: int | None = None  #: items with a number in the column that a keep rule reads
    empty: int | None = None
    copies: int | None = None
    candidates: int | None = None
    pairs: int | None = None
    removed: int | None = None
    buckets: Buckets | None = None
    seconds: dict[str, float] = field(default_factory=dict)

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


class Clock:
    """Seconds by stage: a stage ends with the action that computes its table."""

    def __init__(self, stats: Stats) -> None:
        self._stats, self._begin = stats, monotonic()

    def lap(self, stage: str) -> None:
        now = monotonic()
        self._stats.seconds[stage] = self._stats.seconds.get(stage, 0.0) + now - self._begin
        self._begin = now


@dataclass(frozen=True)
class Source:
    """What is read of the caller's DataFrame."""

    df: DataFrame
    id: Column
    id_type: str
    text: Column
    order: Order
    scope: Scope


@dataclass(frozen=True)
class Copies:
    """Items with the content of an earlier one, which represents them."""

    table: DataFrame  #: row, rep
    count: int
    sizes: DataFrame  #: rep, n: representatives, and how many they stand for, themselves included


@dataclass(frozen=True)
class Matches:
    """Pairs of representatives at or above the threshold."""

    table: DataFrame  #: a, b, similarity; a < b
    count: int
    items: Shingled  #: all that were compared
    scopes: DataFrame | None = None  #: row, scope: only pairs that differ in it are looked for


@dataclass(frozen=True)
class Found:
    """Rows stand for items and ascend in the order of keeping, places with the ids. Absent: there are none of the kind."""

    names: DataFrame  #: id, row, place
    copies: Copies | None
    matches: Matches | None


def _fold_copies(items: DataFrame) -> Copies | None:
    """Items of equal content: the first stands for all of them. A million copies are one line a partition before they move."""
    contents = items.groupBy("high", "low").agg(F.min("row").alias("rep"), F.count(F.lit(1)).alias("n"))
    contents = settled(contents.filter("n > 1"))
    groups, members = figures(contents, F.count(F.lit(1)), F.sum("n"))
    if groups == 0:
        return None
    same = items.select("row", "high", "low").join(for_join(contents.select("high", "low", "rep"), groups), ["high", "low"])
    return Copies(settled(same.filter("row > rep").select("row", "rep")), members - groups, contents.select("rep", "n"))


def search(source: Source, plan: Plan, driver_edges: int, stats: Stats, held: Held) -> Found:
    clock = Clock(stats)
    described = describe(source.df, plan, source.id, source.id_type, source.text, source.order, source.scope, held)
    stats.items, stats.empty, stats.numbers = described.items, described.empty, described.numbers
    clock.lap("describe")
    names = described.names.select("id", "row", "place")
    items = described.table.filter("not empty")
    # Of two scopes, copies are pairs like others; of one, they are none.
    copies = None if source.scope.across else _fold_copies(items)
    scopes = items.select("row", "scope") if source.scope.across else None
    stats.copies = copies.count if copies is not None else 0
    clock.lap("fold")
    if plan.measure == "exact":
        stats.candidates, stats.buckets = 0, Buckets()
        return Found(names, copies, None)
    if copies is not None:
        items = items.join(for_join(copies.table.select("row"), copies.count), "row", "left_anti")
    candidates = find_candidates(items.select("row", "keys"), plan, scopes)
    stats.candidates, stats.buckets = candidates.looked_at, candidates.buckets
    clock.lap("candidates")
    return Found(names, copies, _matches(candidates, described.table, source, plan, driver_edges, clock, held, scopes))


def _matches(candidates: Candidates, described: DataFrame, source: Source, plan: Plan, driver_edges: int, clock: Clock,
             held: Held, scopes: DataFrame | None) -> Matches | None:
    if candidates.count == 0:
        return None
    pairs = settled(agreeing(candidates.pairs, candidates.count, described, plan))
    agreed = pairs.count()
    clock.lap("signatures")
    if agreed == 0:
        return None
    scope = [source.scope.column.alias("scope")] if source.scope.within and source.scope.column is not None else []
    texts = source.df.select(source.id.alias("id"), source.text.alias("text"), *scope)
    items = shingled(pairs, described.select("id", "row"), texts, plan, driver_edges, held)
    clock.lap("shingle candidates")
    table = settled(verified(pairs, items, plan))
    count = table.count()
    clock.lap("verify")
    return Matches(table, count, items, scopes) if count > 0 else None
