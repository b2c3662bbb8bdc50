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

__all__ = ["Buckets", "Run", "Stats", "cluster", "dedup", "pairs"]


def pairs(df: DataFrame, plan: Plan, id: str = "id", text: str = "text", *, max_pairs: int = MAX_PAIRS) -> DataFrame:
    """a, b, similarity: every pair at or above the threshold. ValueError where there are more than max_pairs."""
    return Run(df, plan, id, text, max_pairs=max_pairs).finish("pairs")


def cluster(df: DataFrame, plan: Plan, id: str = "id", text: str = "text", *, linkage: str = "connected", keep: str = "first",
            driver_edges: int = DRIVER_EDGES) -> DataFrame:
    """id, cluster, keeper, similarity (with the keeper): one row an item. `keep`: first, last (in the order of ids), longest, shortest,
    max:COLUMN or min:COLUMN of a group."""
    return Run(df, plan, id, text, keep=keep, driver_edges=driver_edges).finish("clusters", linkage)


def dedup(df: DataFrame, plan: Plan, id: str = "id", text: str = "text", *, linkage: str = "star", keep: str = "first",
          what: str = "kept", driver_edges: int = DRIVER_EDGES) -> DataFrame:
    """what="kept": the rows of df that stay, with all their columns; "removed": id, keeper and similarity of the others;
    "annotated": all rows of df with cluster, keeper and similarity added. `keep` as in `cluster`. For more than one of them, and for figures, use Run."""
    run = Run(df, plan, id, text, keep=keep, driver_edges=driver_edges)
    if what == "removed":
        return run.finish("removed", linkage)
    if what == "kept":
        run.finish("removed", linkage)
        return run.kept(linkage)
    if what == "annotated":
        refuse_columns(df)
        run.finish("clusters", linkage)
        return run.annotated(linkage)
    raise ValueError(f'what: "{what}" is none of kept, removed, annotated')
