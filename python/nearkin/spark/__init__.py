"""nearkin on Spark: DataFrame in, DataFrame out, the same answer as the command line gives about the records sorted by id.

    import nearkin, nearkin.spark
    plan = nearkin.tune(threshold=0.8)
    kept = nearkin.spark.dedup(df, plan, id="url", text="body")

Only the DataFrame API and mapInArrow are used; the workers need this package. See docs/spark.md."""

from __future__ import annotations

from pyspark.sql import DataFrame

from nearkin import Plan

from ._candidates import Buckets
from ._columns import refuse_columns
from ._run import DRIVER_EDGES, MAX_PAIRS, Run
from ._search import Stats
from ._units import Cut

__all__ = ["Buckets", "Cut", "Run", "Stats", "cluster", "dedup", "pairs"]


def _cut_of(unit: str | None, least_unit: int) -> Cut | None:
    return None if unit is None else Cut(unit, least_unit)


def pairs(df: DataFrame, plan: Plan, id: str = "id", text: str = "text", *, within: str | None = None, across: str | None = None,
          unit: str | None = None, least_unit: int = 0, top: int | None = None, max_pairs: int = MAX_PAIRS) -> DataFrame:
    """a, b, similarity: every pair at or above the threshold. ValueError where there are more than max_pairs.

    `within` and `across` name a column: only rows that agree in it, or that differ, are compared. `unit`: paragraph, line, sentence or
    window:N/STEP; parts of the texts are compared then, called ID:BEGIN-END by their bytes, those of fewer than `least_unit` words left out.
    `top`: only the pairs that are among the so many best of one of their rows."""
    return Run(df, plan, id, text, within=within, across=across, cut=_cut_of(unit, least_unit), max_pairs=max_pairs).finish("pairs", top)


def cluster(df: DataFrame, plan: Plan, id: str = "id", text: str = "text", *, linkage: str = "connected", keep: str = "first",
            within: str | None = None, across: str | None = None, unit: str | None = None, least_unit: int = 0,
            driver_edges: int = DRIVER_EDGES) -> DataFrame:
    """id, cluster, keeper, similarity (with the keeper): one row an item. `keep`: first, last (in the order of ids), longest, shortest,
    max:COLUMN or min:COLUMN of a group. `within`, `across`, `unit` and `least_unit` as in `pairs`."""
    return Run(df, plan, id, text, keep=keep, within=within, across=across, cut=_cut_of(unit, least_unit), driver_edges=driver_edges).finish("clusters", linkage)


def dedup(df: DataFrame, plan: Plan, id: str = "id", text: str = "text", *, linkage: str = "star", keep: str = "first",
          what: str = "kept", within: str | None = None, across: str | None = None, cut: Cut | None = None, driver_edges: int = DRIVER_EDGES) -> DataFrame:
    """what="kept": the rows of df that stay, with all their columns; "removed": id, keeper and similarity of the others;
    "annotated": all rows of df with cluster, keeper and similarity added. `keep` as in `cluster`, `within` and `across` as in `pairs`.
    `cut`: what is repeated are parts of texts, such as Cut("paragraph"), and these are cut out of the rows. For more than one of them, and for
    figures, use Run."""
    run = Run(df, plan, id, text, keep=keep, within=within, across=across, cut=cut, driver_edges=driver_edges)
    if what == "removed":
        return run.finish("removed", linkage)
    if what == "kept" and cut is not None:
        return run.finish("cut", linkage)
    if what == "kept":
        run.finish("removed", linkage)
        return run.kept(linkage)
    if what == "annotated":
        refuse_columns(df)
        run.finish("clusters", linkage)
        return run.annotated(linkage)
    raise ValueError(f'what: "{what}" is none of kept, removed, annotated')
