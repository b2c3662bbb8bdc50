"""Items → matches: the first stages joined, each table computed once."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from time import monotonic

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from nearkin import Plan

from ._candidates import Buckets, Candidates, find_candidates
from ._columns import Held, figures, for_join, settled
from ._contained import contained_candidates
from ._describe import Counts, describe
from ._source import Source
from ._verify import Shingled, agreeing, shingled, shingled_before, verified


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
    skipped: int = 0  #: rows that cannot be items and were left out
    kept_at_fault: int = 0  #: such rows that stay as they are in what is kept
    faults: list[str] = field(default_factory=list)  #: what is wrong with them; of the ids the first few
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
class Copies:
    """Items with the content of an earlier one, which represents them."""

    table: DataFrame  #: row, rep
    count: int
    of_table: int  #: those that are not of the table compared with
    sizes: DataFrame  #: rep, n: representatives, and how many they stand for, themselves included


@dataclass(frozen=True)
class Matches:
    """Pairs of representatives at or above the threshold."""

    table: DataFrame  #: a, b, similarity; a < b, unless they are directed
    count: int
    items: Shingled | None  #: all that were compared; none under measure exact
    apart: DataFrame | None = None  #: as in `wanted`


@dataclass(frozen=True)
class Found:
    """Rows stand for items and ascend in the order of keeping, places with the ids. Absent: there are none of the kind."""

    names: DataFrame  #: id, row, place, and side where there is one
    copies: Copies | None
    matches: Matches | None
    counts: tuple[Counts, Counts]  #: of the table, and of the one compared with
    against: bool = False  #: a of a pair is of the table, b of the one compared with
    contained: bool = False  #: the share of a that b has

    @property
    def directed(self) -> bool:
        return self.against or self.contained

    def tell(self, stats: Stats, all: bool) -> None:
        """Of both tables, or of the first one."""
        told = self.counts if all else self.counts[:1]
        stats.items, stats.empty = sum(one.items for one in told), sum(one.empty for one in told)
        stats.copies = 0 if self.copies is None else self.copies.count if all else self.copies.of_table


def _fold_copies(items: DataFrame, sides: list[str]) -> Copies | None:
    """Items of equal content, of one side: the first stands for all of them. A million copies are one line a partition before they move."""
    by = [*sides, "high", "low"]
    contents = items.groupBy(*by).agg(F.min("row").alias("rep"), F.count(F.lit(1)).alias("n"))
    contents = settled(contents.filter("n > 1"))
    own = F.when(F.col("side") == 0, F.col("n") - 1) if sides else F.col("n") - 1
    groups, members, of_table = figures(contents, F.count(F.lit(1)), F.sum("n"), F.sum(own))
    if groups == 0:
        return None
    same = items.select("row", *by).join(for_join(contents.select(*by, "rep"), groups), by)
    return Copies(settled(same.filter("row > rep").select("row", "rep")), members - groups, of_table or 0, contents.select("rep", "n"))


def _equal_across(items: DataFrame) -> Matches | None:
    """Measure exact between two tables: items of equal content, one of each."""
    own, other = (items.filter(f"side = {side}").select("high", "low", F.col("row").alias(name)) for side, name in ((0, "a"), (1, "b")))
    table = settled(own.join(other, ["high", "low"]).select("a", "b", F.lit(1.0).alias("similarity")))
    count = table.count()
    return Matches(table, count, None) if count > 0 else None


def search(source: Source, plan: Plan, driver_edges: int, stats: Stats, held: Held) -> Found:
    clock = Clock(stats)
    described = describe(source, plan, held)
    stats.numbers = described.numbers
    clock.lap("describe")
    items = described.table.filter("not empty")
    sides = ["side"] if source.against else []
    # Of two scopes, copies are pairs like others; of one, they are none.
    copies = None if source.rules.across is not None else _fold_copies(items, sides)
    found = Found(described.names.select("id", "row", "place"), copies, None, described.counts, source.against, plan.measure == "containment")
    clock.lap("fold")
    if copies is not None:
        items = items.join(for_join(copies.table.select("row"), copies.count), "row", "left_anti")
    if plan.measure == "exact":
        stats.candidates, stats.buckets = 0, Buckets()
        return replace(found, matches=_equal_across(items) if source.against else None)
    return replace(found, matches=_Matching(source, plan, driver_edges, stats, held, clock).matches(items, described.table))


def _from_table_to_other(pairs: DataFrame, sides: DataFrame) -> DataFrame:
    """The row of the table as a, that of the one compared with as b."""
    of_a = sides.select(F.col("row").alias("a"), F.col("side").alias("side_a"))
    turned = F.col("side_a") == 1
    return pairs.join(of_a, "a").select(F.when(turned, F.col("b")).otherwise(F.col("a")).alias("a"),
                                        F.when(turned, F.col("a")).otherwise(F.col("b")).alias("b"))


@dataclass(frozen=True)
class _Matching:
    """Items → candidates → matches."""

    source: Source
    plan: Plan
    driver_edges: int
    stats: Stats
    held: Held
    clock: Clock

    def matches(self, items: DataFrame, described: DataFrame) -> Matches | None:
        """`items`: those of the described that are not EMPTY and no copies."""
        apart = items.select("row", *self.source.apart) if self.source.apart else None
        contained = self.plan.measure == "containment"
        if contained:
            candidates = contained_candidates(items, self.plan, apart, apart if self.source.against else None)
        else:
            candidates = find_candidates(items.select("row", "keys"), self.plan, apart)
        self.stats.candidates, self.stats.buckets = candidates.looked_at, candidates.buckets
        self.clock.lap("candidates")
        if candidates.count == 0:
            return None
        pairs = candidates.pairs if contained else self._agreeing(candidates, described, apart)
        if pairs is None:
            return None
        if contained:
            shingles = shingled_before(pairs, described, self.driver_edges, self.held)
        else:
            shingles = shingled(pairs, described, self.source, self.plan, self.driver_edges, self.held)
        self.clock.lap("shingle candidates")
        table = settled(verified(pairs, shingles, self.plan))
        count = table.count()
        self.clock.lap("verify")
        return Matches(table, count, shingles, apart) if count > 0 else None

    def _agreeing(self, candidates: Candidates, described: DataFrame, apart: DataFrame | None) -> DataFrame | None:
        """Those that pass the signature test; from the table to the one compared with, where there is one."""
        agreed = agreeing(candidates.pairs, candidates.count, described, self.plan)
        pairs = settled(_from_table_to_other(agreed, apart) if self.source.against and apart is not None else agreed)
        count = pairs.count()
        self.clock.lap("signatures")
        return pairs if count > 0 else None
