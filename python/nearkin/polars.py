"""nearkin in polars: expressions of texts, and the similar pairs of a frame.

    import nearkin.polars
    frame.with_columns(pl.col("text").nearkin.minhash(plan))
    frame.filter(pl.col("a").nearkin.jaccard(pl.col("b"), plan) >= 0.8)
    nearkin.polars.pairs(frame, plan, id="url", text="body")

Needs polars.
"""

from __future__ import annotations

from typing import Any, Optional, Union

import polars as pl

from . import stage
from ._columns import PlanLike, band_keys_of, minhash_plan, similarities_of, sketches_of
from ._runs import dedup as dedup_items
from ._runs import pairs as pairs_of_items

__all__ = ["dedup", "pairs"]

Frame = Union[pl.DataFrame, pl.LazyFrame]


@pl.api.register_expr_namespace("nearkin")
class TextExpressions:
    """`pl.col("text").nearkin`: functions of texts under a plan. A null gives null, and so do minhash and bands of a text without words."""

    def __init__(self, expr: pl.Expr):
        self._expr = expr

    def features(self, plan: PlanLike = None) -> pl.Expr:
        """The hashes of the shingles, distinct and ascending."""
        chosen = minhash_plan(plan)
        return _of_texts(self._expr, lambda texts: stage.shingle(texts, chosen), pl.List(pl.UInt64))

    def minhash(self, plan: PlanLike = None) -> pl.Expr:
        """The sketch, one value per hash function of the plan."""
        chosen = minhash_plan(plan)
        return _of_texts(self._expr, lambda texts: sketches_of(texts, chosen), pl.Array(pl.UInt32, chosen.hashes))

    def bands(self, plan: PlanLike = None) -> pl.Expr:
        """The bucket in each band of the plan."""
        chosen = minhash_plan(plan)
        return _of_texts(self._expr, lambda texts: band_keys_of(texts, chosen), pl.Array(pl.UInt32, chosen.bands))

    def jaccard(self, other: pl.Expr, plan: PlanLike = None) -> pl.Expr:
        """The exact similarity with the text of another column, by the plan's measure."""
        chosen = minhash_plan(plan)

        def similarity(columns: Any) -> pl.Series:
            rows = max(map(len, columns), default=0) if all(map(len, columns)) else 0
            a, b = (column.new_from_index(0, rows) if len(column) == 1 else column for column in columns)  # One text is compared with every other.
            return _null_where(a.is_null() | b.is_null(), pl.Series(similarities_of(a, b, chosen)))

        return pl.map_batches([self._expr, other], similarity, return_dtype=pl.Float64)


def pairs(frame: Frame, plan: PlanLike = None, *, id: str = "id", text: str = "text", against: Optional[Frame] = None, threads: int = 0) -> pl.DataFrame:
    """The similar pairs among the rows of a frame, as `a`, `b` (ids) and `similarity`; with `against`, those between the two."""
    mine = _collected(frame)
    others = mine if against is None else _collected(against)
    a, b, similarity = pairs_of_items(mine[text], plan, against=None if against is None else others[text], threads=threads)
    return pl.DataFrame({"a": mine[id].gather(a), "b": others[id].gather(b), "similarity": similarity})


def dedup(frame: Frame, plan: PlanLike = None, *, text: str = "text", **options: Any) -> pl.DataFrame:
    """The rows that stay, in their order; `options` are those of nearkin.dedup."""
    collected = _collected(frame)
    return collected[dedup_items(collected[text], plan, **options).kept]


def _collected(frame: Frame) -> pl.DataFrame:
    return frame.collect() if isinstance(frame, pl.LazyFrame) else frame


def _of_texts(expr: pl.Expr, function: Any, kind: Any) -> pl.Expr:
    return expr.map_batches(lambda texts: _null_where(texts.is_null(), pl.Series(function(texts))), return_dtype=kind)


def _null_where(null: pl.Series, values: pl.Series) -> pl.Series:
    return values.zip_with(~null, pl.Series([None], dtype=values.dtype).extend_constant(None, len(values) - 1) if len(values) else values)
