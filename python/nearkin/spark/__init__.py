"""nearkin on Spark: takes and returns DataFrames. The answer is the one that the command line gives for the same records sorted by id.

    import nearkin.spark
    kept = nearkin.spark.dedup(df, id="url", text="body")

Only the DataFrame API and mapInArrow are used; the workers need this package. See docs/spark.md."""

from __future__ import annotations

from pyspark.sql import DataFrame

from nearkin import Plan, _core

from ._candidates import Buckets
from ._columns import refuse_columns
from ._plan import planned
from ._run import DRIVER_EDGES, MAX_PAIRS, Run
from ._search import Stats
from ._source import Table, require_frame, require_names
from ._units import Cut

__all__ = ["Buckets", "Cut", "Run", "Stats", "cluster", "dedup", "pairs"]


def _cut_of(unit: str | None, least_unit: int) -> Cut | None:
    return None if unit is None else Cut(unit, least_unit)


def pairs(df: DataFrame, plan: Plan | str | None = None, id: str = "id", text: str = "text", *, against: DataFrame | None = None,
          against_id: str | None = None, against_text: str | None = None, within: str | None = None, across: str | None = None, unit: str | None = None,
          least_unit: int = 0, top: int | None = None, faults: str = "keep", max_pairs: int = MAX_PAIRS) -> DataFrame:
    """Returns a, b, similarity: every pair at or above the threshold. Raises ValueError if there are more than max_pairs.

    plan: a plan of nearkin.tune, or its line; None: tuned for the first rows in the order of ids, as on the command line.
    against: another DataFrame; finds only pairs of a row of df and a row of `against`. Its columns have the same names as those of df, unless
    `against_id` and `against_text` name others.
    within, across: a column; compare only rows with the same value in it, or only rows with different values.
    unit: paragraph, line, sentence or window:N/STEP; compares parts of the texts, named ID:BEGIN-END. Parts of fewer than `least_unit` words
    are left out.
    top: list only pairs that are among this many best pairs of one of their rows (with `against`: of the row of df).
    faults: rows without an id, and rows with the id of another row, are left out and counted; "stop" ends the run.
    """
    cut = _cut_of(unit, least_unit)
    if plan is None:
        require_frame(df, "df")
        require_names(id=id, text=text)
        plan = planned(Table(df, id, text), cut, large_bucket=_core.large_bucket_of_pairs)
    return Run(df, plan, id, text, keep="first", within=within, across=across, cut=cut, against=against, against_id=against_id, against_text=against_text,
               faults=faults, max_pairs=max_pairs).finish("pairs", top)


def cluster(df: DataFrame, plan: Plan | str | None = None, id: str = "id", text: str = "text", *, linkage: str = "connected", keep: str | None = None,
            within: str | None = None, across: str | None = None, unit: str | None = None, least_unit: int = 0, faults: str = "keep",
            driver_edges: int = DRIVER_EDGES) -> DataFrame:
    """Returns id, cluster, keeper, similarity (with the keeper): one row per item.

    keep: which row of a group is its keeper: first or last (in the order of ids), longest, shortest, max:COLUMN or min:COLUMN. None: first;
    under containment, longest. All else as in `pairs`.
    """
    return Run(df, plan, id, text, keep=keep, within=within, across=across, cut=_cut_of(unit, least_unit), faults=faults,
               driver_edges=driver_edges).finish("clusters", linkage)


def dedup(df: DataFrame, plan: Plan | str | None = None, id: str = "id", text: str = "text", *, linkage: str = "star", keep: str | None = None,
          what: str = "kept", against: DataFrame | None = None, against_id: str | None = None, against_text: str | None = None,
          within: str | None = None, across: str | None = None, cut: Cut | None = None, faults: str = "keep", driver_edges: int = DRIVER_EDGES) -> DataFrame:
    """Keeps one row of each group of similar rows.

    what: "kept" returns the rows of df that stay, with all their columns; "removed" returns id, keeper and similarity of the others;
    "annotated" returns all rows of df with cluster, keeper and similarity added.
    keep as in `cluster`; within and across as in `pairs`.
    against: another DataFrame, as in `pairs`; removes only the rows that are similar to a row of it. The keeper is the most similar one.
    cut: removes repeated parts of texts instead of rows, such as Cut("paragraph").
    faults: rows without an id, and rows with the id of another row, are not compared. "keep" leaves them in the result, "skip" leaves them
    out, "stop" ends the run.
    For several results from one search, and for figures about it, use Run.
    """
    if what not in ("kept", "removed", "annotated"):
        raise ValueError(f'what: "{what}" is none of kept, removed, annotated')
    run = Run(df, plan, id, text, keep=keep, within=within, across=across, cut=cut, against=against, against_id=against_id, against_text=against_text,
              faults=faults, driver_edges=driver_edges)
    if what == "removed":
        return run.finish("removed", linkage)
    if what == "kept" and cut is not None:
        return run.finish("cut", linkage)
    if what == "kept":
        run.finish("removed", linkage)
        return run.kept(linkage)
    refuse_columns(df)
    run.finish("clusters", linkage)
    return run.annotated(linkage)
