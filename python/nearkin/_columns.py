"""What the modules for DuckDB and polars have in common: functions of columns of texts, under a plan for MinHash."""

from __future__ import annotations

from typing import Any, Union

from . import stage
from ._arguments import plan_of
from ._core import Column, Plan
from ._runs import tune

PlanLike = Union[Plan, str, None]


def minhash_plan(plan: PlanLike) -> Plan:
    """A plan, its line, or None: threshold 0.8 and recall 0.95. Refuses plans that make no MinHash of texts."""
    chosen = tune() if plan is None else plan_of(plan)
    if chosen.family != "minhash" or chosen.hashes == 0:
        raise ValueError(f"plan: {str(chosen)!r} has no MinHash sketch; tune for jaccard or weighted-jaccard with a recall below 1")
    return chosen


def sketches_of(texts: Any, plan: Plan) -> Column:
    """The sketch of each text; null for one without words."""
    return stage.sketch(stage.shingle(texts, plan), plan)


def band_keys_of(texts: Any, plan: Plan) -> Column:
    """The bucket of each text in each band; null for one without words."""
    return stage.band_keys(sketches_of(texts, plan), plan)


def similarities_of(a: Any, b: Any, plan: Plan) -> Column:
    """The exact similarity of the texts of row i, by the plan's measure; 0 where one has no words."""
    return stage.verify(stage.shingle(a, plan), stage.shingle(b, plan), plan, every=True)["similarity"]
