"""What becomes of the matches: pairs of all items that the representatives stand for, keepers, numbers of clusters."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from nearkin import Plan, _core

from ._candidates import union, wanted
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
    count = 0
    if not found.against:
        count = int(figures(sizes, F.sum(F.col("n").cast("decimal(38,0)") * (F.col("n") - 1) / (1 if found.contained else 2)))[0])
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
    wide = matches.join(_side(group, "a", "x"), "a", "left").join(_side(group, "b", "y"), "b", "left")
    x, y = F.coalesce("x", "a"), F.coalesce("y", "b")
    first, second = (x, y) if found.directed else (F.least(x, y), F.greatest(x, y))
    pairs = wide.select(first.alias("a"), second.alias("b"), "similarity")
    if found.against:
        return pairs
    both = _side(group, "rep", "a").join(_side(group, "rep", "b"), "rep").filter("a != b" if found.contained else "a < b")
    return both.select("a", "b", F.lit(1.0).alias("similarity")).unionByName(pairs)


def best_of(pairs: DataFrame, top: int, directed: bool) -> DataFrame:
    """Of a, b, similarity the pairs that are among the first `top` of one of their rows at least, or of a if they are directed: the most similar
    first, then by a and b."""
    either = [pairs.select(F.col(side).alias("item"), "a", "b", "similarity") for side in (("a",) if directed else ("a", "b"))]
    order = Window.partitionBy("item").orderBy(F.col("similarity").desc(), "a", "b")
    ranked = union(either).withColumn("rank", F.row_number().over(order))
    return ranked.filter(F.col("rank") <= top).select("a", "b", "similarity").distinct()


def _with_similarity(assigned: DataFrame, matches: Matches, plan: Plan) -> DataFrame:
    """row, keeper, similarity. Members of a component need not match its keeper: these pairs are compared once more, whatever comes out."""
    # Under containment it is the share of the row that its keeper has.
    row, keeper = ("a", "b") if plan.measure == "containment" else ("b", "a")
    known = matches.table.select(F.col(keeper).alias("keeper"), F.col(row).alias("row"), "similarity")
    told = settled(assigned.join(known, ["keeper", "row"], "left").select("row", "keeper", "similarity"))
    unknown = told.filter("similarity is null").select(F.col("keeper").alias(keeper), F.col("row").alias(row))
    if not unknown.take(1):
        return told
    compared = verified(unknown, matches.items, plan, every=True)
    return settled(told.filter("similarity is not null").unionByName(
        compared.select(F.col(row).alias("row"), F.col(keeper).alias("keeper"), "similarity")))


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
        pairs = wanted(pairs, matches.apart)
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


def _best_across(matches: DataFrame) -> DataFrame:
    """row, keeper, similarity: the most similar item of the other table; of equals the first in the order of keeping."""
    best = matches.groupBy("a").agg(F.min(F.struct((-F.col("similarity")).alias("far"), "b")).alias("best"))
    return best.select(F.col("a").alias("row"), F.col("best.b").alias("keeper"), (-F.col("best.far")).alias("similarity"))


def _keepers_of_contained(matches: DataFrame, linkage: str, driver_edges: int) -> DataFrame:
    """row, keeper. A star takes what its keeper contains, of the rows that come after it."""
    if linkage == "star":
        edges = matches.filter("b < a").select(F.col("b").alias("a"), F.col("a").alias("b"))
    else:
        edges = matches.select(F.least("a", "b").alias("a"), F.greatest("a", "b").alias("b")).distinct()
    return keepers(edges, linkage, driver_edges)


def _moved_representatives(found: Found, matches: Matches, plan: Plan, linkage: str, driver_edges: int) -> DataFrame:
    if found.against:
        return settled(_best_across(matches.table))
    if found.contained:
        assigned = _keepers_of_contained(matches.table, linkage, driver_edges)
    elif linkage == "star":
        assigned = _keepers_looked_at_again(matches, plan, driver_edges)
    else:
        assigned = keepers(matches.table, linkage, driver_edges)
    return _with_similarity(assigned, matches, plan)


def moved_rows(found: Found, plan: Plan, linkage: str, driver_edges: int) -> DataFrame:
    """row, keeper, similarity: copies belong where their representative belongs. Compared with another table, these are the rows that it has."""
    if found.matches is None:
        if found.copies is None or found.against:
            return _empty(found, "row bigint, keeper bigint, similarity double")
        return found.copies.table.select("row", F.col("rep").alias("keeper"), F.lit(1.0).alias("similarity"))
    assigned = _moved_representatives(found, found.matches, plan, linkage, driver_edges)
    if found.copies is None:
        return assigned
    of_rep = assigned.select(F.col("row").alias("rep"), "keeper", "similarity")
    copies = found.copies.table.join(of_rep, "rep", "inner" if found.against else "left").select(
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
