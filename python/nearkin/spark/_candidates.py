"""Candidates: pairs of items that share a bucket. The rule for a bucket is that of src/match/band_scan.h, by joins and aggregates alone:
no bucket is ever a list in memory."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from operator import and_

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from nearkin import Plan, _core

from ._columns import figures, for_join, settled


@dataclass(frozen=True)
class Buckets:
    """What the search met, in the words of the command line's --stats."""

    large: int = 0
    largest: int = 0
    not_compared: int = 0


@dataclass(frozen=True)
class Candidates:
    pairs: DataFrame  #: a, b: rows, a < b, each pair once
    count: int
    looked_at: int  #: as the engine counts: a pair that meets in several large buckets each time
    buckets: Buckets


def _with_key(number: Column, key: Column) -> Column:
    """A number and a 32-bit key as one number of 64 bits; keys are signed here, so that the number is that of the nearest multiple."""
    return number.cast("bigint") * F.lit(1 << 32) + key


def _number_of(packed: Column) -> Column:
    return F.shiftright(packed + F.lit(1 << 31), 32)


def _entries(items: DataFrame) -> DataFrame:
    """bucket, row: each item in each of its buckets."""
    exploded = items.select("row", F.posexplode("keys").alias("band", "key"))
    return exploded.select(_with_key(F.col("band"), F.col("key")).alias("bucket"), "row")


def _sizes(entries: DataFrame, by: list[str]) -> DataFrame:
    """Groups of two and more: n, and their first and last row. Counted where the entries are before anything moves."""
    counted = entries.groupBy(*by).agg(F.count(F.lit(1)).alias("n"), F.min("row").alias("first"), F.max("row").alias("last"))
    return counted.filter("n > 1")


def _all_pairs(members: DataFrame, by: list[str], keep: list[str]) -> DataFrame:
    left = members.select(*by, F.col("row").alias("a"))
    right = members.select(*by, F.col("row").alias("b"))
    return left.join(right, by).filter("a < b").select(*keep, "a", "b")


def _star(members: DataFrame, by: list[str], keep: list[str], apart: DataFrame | None) -> DataFrame:
    """Each with the first of its group; where not all pairs are wanted, also with the first that makes a pair with that one."""
    pairs = members.filter("row > first").select(*keep, F.col("first").alias("a"), F.col("row").alias("b"))
    if apart is None:
        return pairs
    names = apart.columns[1:]
    marked = members.join(apart, "row")
    hubs = marked.filter("row = first").select(*by, *(F.col(name).alias(f"{name}_of_first") for name in names))
    others = marked.join(hubs, by).filter(_all_differ(names, "", "_of_first")).groupBy(*by).agg(F.min("row").alias("other"))
    second = members.join(others, by).filter("row != other")
    return pairs.unionByName(second.select(*keep, F.least("other", "row").alias("a"), F.greatest("other", "row").alias("b")))


def _all_differ(names: list[str], one: str, other: str) -> Column:
    """Whether columns of these names differ, each from its twin; `one` and `other` are how the names of the two end."""
    return reduce(and_, [F.col(name + one) != F.col(name + other) for name in names])


def _chain(members: DataFrame, by: list[str], keep: list[str]) -> DataFrame:
    before = F.lag("row").over(Window.partitionBy(*by).orderBy("row"))
    return members.select(*keep, before.alias("a"), F.col("row").alias("b")).filter("a is not null")


def union(tables: list[DataFrame]) -> DataFrame:
    return reduce(lambda all, table: all.unionByName(table), tables)


def _ends(groups: DataFrame, keep: list[str]) -> DataFrame:
    return groups.select(*keep, F.col("first").alias("a"), F.col("last").alias("b"))


def _agreeing_elsewhere(large: DataFrame, items: DataFrame, bands: int) -> DataFrame:
    """bucket, sub, row: the members of large buckets by their keys in the bands that follow; `sub` is step and key."""
    steps = F.explode(F.sequence(F.lit(1), F.lit(min(_core.other_bands, bands - 1)))).alias("step")
    stepped = large.join(items.select("row", "keys"), "row").select("bucket", "row", "keys", steps)
    other = (_number_of(F.col("bucket")) + F.col("step")) % F.lit(bands)
    key = F.element_at("keys", other.cast("int") + 1)
    return stepped.select("bucket", _with_key(F.col("step"), key).alias("sub"), "row")


def _pairs_of_large(large: DataFrame, items: DataFrame, bands: int, apart: DataFrame | None) -> DataFrame:
    """bucket, a, b: what the linear rule takes of each large bucket, each pair once a bucket."""
    kept = ["bucket"]
    chosen = [_star(large, kept, kept, apart)]
    if bands > 1:
        by = ["bucket", "sub"]
        agreeing = settled(_agreeing_elsewhere(large, items, bands))
        groups = settled(_sizes(agreeing, by))
        few = agreeing.join(groups.filter(f"n > 2 and n <= {_core.few_agreeing}").select(*by), by)
        many = agreeing.join(groups.filter(f"n > {_core.few_agreeing}").select(*by, "first"), by)
        chosen += [_ends(groups.filter("n = 2"), kept), _all_pairs(few, by, kept), _star(many, by, kept, apart), _chain(many, by, kept)]
    return wanted(union(chosen).distinct(), apart)


def _pairs_of_ordinary(buckets: DataFrame, members: DataFrame, plan: Plan) -> DataFrame:
    """Of buckets with two members the aggregate names both: nothing is joined for these, which are most."""
    pairs = _ends(buckets.filter(f"n = 2 and n <= {plan.large_bucket}"), [])
    crowded = members.filter(f"n > 2 and n <= {plan.large_bucket}").select("bucket", "row")
    return pairs.unionByName(_all_pairs(crowded, ["bucket"], []))


def wanted(pairs: DataFrame, apart: DataFrame | None) -> DataFrame:
    """Those whose rows differ in every column of `apart` (row, and one or more others), where it is given."""
    if apart is None:
        return pairs
    names = apart.columns[1:]
    of_a = apart.select(F.col("row").alias("a"), *(F.col(name).alias(f"{name}_a") for name in names))
    of_b = apart.select(F.col("row").alias("b"), *(F.col(name).alias(f"{name}_b") for name in names))
    return pairs.join(of_a, "a").join(of_b, "b").filter(_all_differ(names, "_a", "_b")).select(*pairs.columns)


def _wanted_in_large(large: DataFrame, apart: DataFrame) -> int:
    """Wanted pairs in the buckets of these members (bucket, row), counted without listing them: of all pairs those go that agree in a column,
    and those that agree in two, which went twice, come back."""
    marked = large.join(apart, "row")
    names = apart.columns[1:]
    total = 0
    for agreeing in range(len(names) + 1):
        for chosen in combinations(names, agreeing):
            sizes = marked.groupBy("bucket", *chosen).agg(F.count(F.lit(1)).cast("decimal(19,0)").alias("n"))
            squares = int(figures(sizes, F.sum(F.col("n") * F.col("n")))[0] or 0)
            total += squares if agreeing % 2 == 0 else -squares
    return total // 2


def _distinct(pairs: DataFrame, largest: int) -> Candidates:
    pairs = settled(pairs.distinct())
    count = pairs.count()
    return Candidates(pairs, count, count, Buckets(largest=largest))


def find_candidates(items: DataFrame, plan: Plan, apart: DataFrame | None = None) -> Candidates:
    """`items`: row and keys of those that take part. `apart`: row and columns in which the rows of a pair must differ, each of them."""
    entries = _entries(items)
    buckets = settled(_sizes(entries, ["bucket"]))
    is_large = F.col("n") > plan.large_bucket
    is_joined = (F.col("n") > 2) | is_large
    within = F.when(is_large, F.col("n").cast("decimal(38,0)") * (F.col("n") - 1) / 2)
    largest, joined, large, in_large = figures(
        buckets, F.max("n"), F.count(F.when(is_joined, 1)), F.count(F.when(is_large, 1)), F.sum(within))
    if joined == 0:
        return _distinct(wanted(_ends(buckets, []), apart), largest or 0)
    members = settled(entries.join(for_join(buckets.filter(is_joined).select("bucket", "n", "first"), joined), "bucket"))
    ordinary = wanted(_pairs_of_ordinary(buckets, members, plan), apart)
    if large == 0:
        return _distinct(ordinary, largest)
    in_buckets = members.filter(is_large).select("bucket", "row", "first")
    chosen = _pairs_of_large(in_buckets, items, plan.bands, apart)
    if apart is not None:
        in_large = _wanted_in_large(in_buckets, apart)
    # A pair counts once for all ordinary buckets, and once for each large one: so the engine counts.
    offered = ordinary.select("a", "b", F.lit(1).alias("ordinary"), F.lit(0).alias("large")).unionByName(
        chosen.select("a", "b", F.lit(0).alias("ordinary"), F.lit(1).alias("large")))
    counted = settled(offered.groupBy("a", "b").agg(F.max("ordinary").alias("ordinary"), F.sum("large").alias("large")))
    met, taken, pairs = figures(counted, F.sum("ordinary"), F.sum("large"), F.count(F.lit(1)))
    met, taken = met or 0, taken or 0  # of no pairs there is no sum
    return Candidates(counted.select("a", "b"), pairs, met + taken, Buckets(large, largest, int(in_large) - taken))
