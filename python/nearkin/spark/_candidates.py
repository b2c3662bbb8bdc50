"""Candidates: pairs of items that share a bucket. The rule for a bucket is that of src/match/band_scan.h, by joins and aggregates alone:
no bucket is ever a list in memory."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

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


def _star(members: DataFrame, by: list[str], keep: list[str], scopes: DataFrame | None) -> DataFrame:
    """Each with the first of its group; where there are scopes, also with the first of another scope than that one's."""
    pairs = members.filter("row > first").select(*keep, F.col("first").alias("a"), F.col("row").alias("b"))
    if scopes is None:
        return pairs
    scoped = members.join(scopes, "row")
    hubs = scoped.filter("row = first").select(*by, F.col("scope").alias("scope_of_first"))
    others = scoped.join(hubs, by).filter("scope != scope_of_first").groupBy(*by).agg(F.min("row").alias("other"))
    second = members.join(others, by).filter("row != other")
    return pairs.unionByName(second.select(*keep, F.least("other", "row").alias("a"), F.greatest("other", "row").alias("b")))


def _chain(members: DataFrame, by: list[str], keep: list[str]) -> DataFrame:
    before = F.lag("row").over(Window.partitionBy(*by).orderBy("row"))
    return members.select(*keep, before.alias("a"), F.col("row").alias("b")).filter("a is not null")


def _union(tables: list[DataFrame]) -> DataFrame:
    return reduce(DataFrame.unionByName, tables)


def _ends(groups: DataFrame, keep: list[str]) -> DataFrame:
    return groups.select(*keep, F.col("first").alias("a"), F.col("last").alias("b"))


def _agreeing_elsewhere(large: DataFrame, items: DataFrame, bands: int) -> DataFrame:
    """bucket, sub, row: the members of large buckets by their keys in the bands that follow; `sub` is step and key."""
    steps = F.explode(F.sequence(F.lit(1), F.lit(min(_core.other_bands, bands - 1)))).alias("step")
    stepped = large.join(items.select("row", "keys"), "row").select("bucket", "row", "keys", steps)
    other = (_number_of(F.col("bucket")) + F.col("step")) % F.lit(bands)
    key = F.element_at("keys", other.cast("int") + 1)
    return stepped.select("bucket", _with_key(F.col("step"), key).alias("sub"), "row")


def _pairs_of_large(large: DataFrame, items: DataFrame, bands: int, scopes: DataFrame | None) -> DataFrame:
    """bucket, a, b: what the linear rule takes of each large bucket, each pair once a bucket."""
    kept = ["bucket"]
    chosen = [_star(large, kept, kept, scopes)]
    if bands > 1:
        by = ["bucket", "sub"]
        agreeing = settled(_agreeing_elsewhere(large, items, bands))
        groups = settled(_sizes(agreeing, by))
        few = agreeing.join(groups.filter(f"n > 2 and n <= {_core.few_agreeing}").select(*by), by)
        many = agreeing.join(groups.filter(f"n > {_core.few_agreeing}").select(*by, "first"), by)
        chosen += [_ends(groups.filter("n = 2"), kept), _all_pairs(few, by, kept), _star(many, by, kept, scopes), _chain(many, by, kept)]
    return wanted(_union(chosen).distinct(), scopes)


def _pairs_of_ordinary(buckets: DataFrame, members: DataFrame, plan: Plan) -> DataFrame:
    """Of buckets with two members the aggregate names both: nothing is joined for these, which are most."""
    pairs = _ends(buckets.filter(f"n = 2 and n <= {plan.large_bucket}"), [])
    crowded = members.filter(f"n > 2 and n <= {plan.large_bucket}").select("bucket", "row")
    return pairs.unionByName(_all_pairs(crowded, ["bucket"], []))


def wanted(pairs: DataFrame, scopes: DataFrame | None) -> DataFrame:
    """Those of two scopes, where there are scopes (row, scope)."""
    if scopes is None:
        return pairs
    of_a = scopes.select(F.col("row").alias("a"), F.col("scope").alias("scope_a"))
    of_b = scopes.select(F.col("row").alias("b"), F.col("scope").alias("scope_b"))
    return pairs.join(of_a, "a").join(of_b, "b").filter("scope_a != scope_b").select(*pairs.columns)


def _wanted_in_large(large: DataFrame, scopes: DataFrame) -> int:
    """Pairs of two scopes in the buckets of these members (bucket, row): half of what their squares exceed those of their scopes by."""
    number = F.count(F.lit(1)).cast("decimal(19,0)")
    by_scope = large.join(scopes, "row").groupBy("bucket", "scope").agg(number.alias("n"))
    sums = by_scope.groupBy("bucket").agg(F.sum("n").alias("all"), F.sum(F.col("n") * F.col("n")).alias("squares"))
    return int(figures(sums, F.sum((F.col("all") * F.col("all") - F.col("squares")) / 2))[0] or 0)


def _distinct(pairs: DataFrame, largest: int) -> Candidates:
    pairs = settled(pairs.distinct())
    count = pairs.count()
    return Candidates(pairs, count, count, Buckets(largest=largest))


def find_candidates(items: DataFrame, plan: Plan, scopes: DataFrame | None = None) -> Candidates:
    """`items`: row and keys of those that take part. `scopes`: row and scope, where only pairs of two scopes are looked for."""
    entries = _entries(items)
    buckets = settled(_sizes(entries, ["bucket"]))
    is_large = F.col("n") > plan.large_bucket
    is_joined = (F.col("n") > 2) | is_large
    within = F.when(is_large, F.col("n").cast("decimal(38,0)") * (F.col("n") - 1) / 2)
    largest, joined, large, in_large = figures(
        buckets, F.max("n"), F.count(F.when(is_joined, 1)), F.count(F.when(is_large, 1)), F.sum(within))
    if joined == 0:
        return _distinct(wanted(_ends(buckets, []), scopes), largest or 0)
    members = settled(entries.join(for_join(buckets.filter(is_joined).select("bucket", "n", "first"), joined), "bucket"))
    ordinary = wanted(_pairs_of_ordinary(buckets, members, plan), scopes)
    if large == 0:
        return _distinct(ordinary, largest)
    in_buckets = members.filter(is_large).select("bucket", "row", "first")
    chosen = _pairs_of_large(in_buckets, items, plan.bands, scopes)
    if scopes is not None:
        in_large = _wanted_in_large(in_buckets, scopes)
    # A pair counts once for all ordinary buckets, and once for each large one: so the engine counts.
    offered = ordinary.select("a", "b", F.lit(1).alias("ordinary"), F.lit(0).alias("large")).unionByName(
        chosen.select("a", "b", F.lit(0).alias("ordinary"), F.lit(1).alias("large")))
    counted = settled(offered.groupBy("a", "b").agg(F.max("ordinary").alias("ordinary"), F.sum("large").alias("large")))
    met, taken, pairs = figures(counted, F.sum("ordinary"), F.sum("large"), F.count(F.lit(1)))
    met, taken = met or 0, taken or 0  # of no pairs there is no sum
    return Candidates(counted.select("a", "b"), pairs, met + taken, Buckets(large, largest, int(in_large) - taken))
