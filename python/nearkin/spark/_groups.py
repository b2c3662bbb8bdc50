"""What becomes of the matches: pairs of all items that the representatives stand for, keepers, numbers of clusters."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from nearkin import Plan, _core

from ._candidates import wanted
from ._columns import figures, settled
from ._graph import keepers
from ._search import Found, Matches
from ._verify import verified

_BLOCK = 16  # bits of a place: keepers are counted in blocks of 65,536 places, and only these counts reach the driver


@dataclass(frozen=True)
class Moved:
    """row, keeper, similarity: of the items that are not their own keeper."""

    table: DataFrame
    count: int


def _empty(found: Found, schema: str) -> DataFrame:
    return found.names.sparkSession.createDataFrame([], schema)


def number_of_pairs(found: Found) -> int:
    """Copies counted, without listing any."""
    if found.copies is None:
        return found.matches.count if found.matches is not None else 0
    sizes = found.copies.sizes
    count = int(figures(sizes, F.sum(F.col("n").cast("decimal(38,0)") * (F.col("n") - 1) / 2))[0])
    if found.matches is None:
        return count
    of_a = sizes.select(F.col("rep").alias("a"), F.col("n").alias("n_a"))
    of_b = sizes.select(F.col("rep").alias("b"), F.col("n").alias("n_b"))
    joined = found.matches.table.select("a", "b").join(of_a, "a", "left").join(of_b, "b", "left")
    one = F.lit(1).cast("decimal(38,0)")
    return count + int(figures(joined, F.sum(F.coalesce("n_a", one) * F.coalesce("n_b", one)))[0])


def _side(group: DataFrame, name: str, other: str) -> DataFrame:
    return group.select(F.col("rep").alias(name), F.col("row").alias(other))


def expanded_pairs(found: Found) -> DataFrame:
    """a, b, similarity: the matches of representatives as pairs of all rows that they stand for, and the pairs of copies."""
    matches = found.matches.table if found.matches is not None else _empty(found, "a bigint, b bigint, similarity double")
    if found.copies is None:
        return matches
    copies = found.copies.table
    group = copies.unionByName(copies.select(F.col("rep").alias("row"), "rep").distinct())
    within = _side(group, "rep", "a").join(_side(group, "rep", "b"), "rep").filter("a < b").select("a", "b", F.lit(1.0).alias("similarity"))
    wide = matches.join(_side(group, "a", "x"), "a", "left").join(_side(group, "b", "y"), "b", "left")
    x, y = F.coalesce("x", "a"), F.coalesce("y", "b")
    return within.unionByName(wide.select(F.least(x, y).alias("a"), F.greatest(x, y).alias("b"), "similarity"))


def best_of(pairs: DataFrame, top: int) -> DataFrame:
    """Of a, b, similarity the pairs that are among the first `top` of one of their rows at least: the most similar first, then by a and b."""
    either = [pairs.select(F.col(side).alias("item"), "a", "b", "similarity") for side in ("a", "b")]
    order = Window.partitionBy("item").orderBy(F.col("similarity").desc(), "a", "b")
    ranked = either[0].unionByName(either[1]).withColumn("rank", F.row_number().over(order))
    return ranked.filter(F.col("rank") <= top).select("a", "b", "similarity").distinct()


def _with_similarity(assigned: DataFrame, matches: Matches, plan: Plan) -> DataFrame:
    """row, keeper, similarity. Members of a component need not match its keeper: these pairs are compared once more, whatever comes out."""
    known = matches.table.select(F.col("a").alias("keeper"), F.col("b").alias("row"), "similarity")
    told = settled(assigned.join(known, ["keeper", "row"], "left").select("row", "keeper", "similarity"))
    unknown = told.filter("similarity is null").select(F.col("keeper").alias("a"), F.col("row").alias("b"))
    if not unknown.take(1):
        return told
    compared = verified(unknown, matches.items, plan, every=True)
    return settled(told.filter("similarity is not null").unionByName(
        compared.select(F.col("b").alias("row"), F.col("a").alias("keeper"), "similarity")))


def _between_stars(edges: DataFrame, assigned: DataFrame) -> DataFrame:
    """a, b: keepers of two stars between which a match runs."""
    of_a = assigned.select(F.col("row").alias("a"), F.col("keeper").alias("x"))
    of_b = assigned.select(F.col("row").alias("b"), F.col("keeper").alias("y"))
    ends = edges.join(of_a, "a", "left").join(of_b, "b", "left").select(F.coalesce("x", "a").alias("x"), F.coalesce("y", "b").alias("y"))
    return ends.filter("x != y").select(F.least("x", "y").alias("a"), F.greatest("x", "y").alias("b")).distinct()


def _keepers_looked_at_again(matches: Matches, plan: Plan, driver_edges: int) -> DataFrame:
    """row, keeper: stars without the splits that missing matches make, by the engine's rule (docs/architecture.md, "A second look"): keepers of
    stars between which a match runs are compared, and those that match are added to the matches, until no more are found."""
    edges = matches.table.select("a", "b")
    assigned = settled(keepers(edges, "star", driver_edges))
    compared: DataFrame | None = None
    for _ in range(_core.most_looks):
        pairs = _between_stars(edges, assigned)
        if compared is not None:
            pairs = pairs.join(compared, ["a", "b"], "left_anti")
        pairs = wanted(pairs, matches.scopes)
        pairs = settled(pairs)
        if not pairs.take(1):
            break
        more = settled(verified(pairs, matches.items, plan).select("a", "b"))
        if not more.take(1):
            break
        compared = pairs if compared is None else settled(compared.unionByName(pairs))
        edges = settled(edges.unionByName(more))
        assigned = settled(keepers(edges, "star", driver_edges))
    return assigned


def moved_rows(found: Found, plan: Plan, linkage: str, driver_edges: int) -> DataFrame:
    """row, keeper, similarity: copies belong where their representative belongs."""
    if found.matches is None:
        if found.copies is None:
            return _empty(found, "row bigint, keeper bigint, similarity double")
        return found.copies.table.select("row", F.col("rep").alias("keeper"), F.lit(1.0).alias("similarity"))
    if linkage == "star":
        assigned = _keepers_looked_at_again(found.matches, plan, driver_edges)
    else:
        assigned = keepers(found.matches.table, linkage, driver_edges)
    assigned = _with_similarity(assigned, found.matches, plan)
    if found.copies is None:
        return assigned
    of_rep = assigned.select(F.col("row").alias("rep"), "keeper", "similarity")
    copies = found.copies.table.join(of_rep, "rep", "left").select(
        "row", F.coalesce("keeper", "rep").alias("keeper"), F.coalesce("similarity", F.lit(1.0)).alias("similarity"))
    return assigned.unionByName(copies)


def with_first_places(staying: DataFrame, moved: DataFrame) -> DataFrame:
    """The place of a keeper becomes the first of its group. `moved`: keeper, place."""
    least = moved.groupBy(F.col("keeper").alias("row")).agg(F.min("place").alias("least"))
    return staying.join(least, "row", "left").select("id", "row", F.least("place", "least").alias("place"))  # of a null the other is the least


def numbered(staying: DataFrame) -> DataFrame:
    """id, row, cluster: keepers, counted from 0 in order of places, which are all different."""
    blocks = staying.select("id", "row", "place", F.shiftright("place", _BLOCK).alias("block"))
    counts = sorted(tuple(row) for row in blocks.groupBy("block").count().collect())
    begins, total = [], 0
    for block, count in counts:
        begins.append((block, total))
        total += count
    begin = staying.sparkSession.createDataFrame(begins, "block bigint, begin bigint")
    number = F.row_number().over(Window.partitionBy("block").orderBy("place"))
    ranked = blocks.select("id", "row", "block", number.alias("number"))
    return ranked.join(F.broadcast(begin), "block").select("id", "row", (F.col("begin") + F.col("number") - 1).alias("cluster"))
