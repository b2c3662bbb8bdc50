"""The single stages of a run: texts to features to sketches to band keys, and pairs to matches.

They take and return Arrow data (`pyarrow.array(result)` takes a result without a copy). They depend only on their arguments and the plan, so
they can run anywhere. Spark's workers run nothing else.
"""

from __future__ import annotations

from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._arguments import checked, plan_of
from ._core import Column, Plan

__all__ = ["agree", "band_keys", "cluster", "describe", "shingle", "signature", "sketch", "verify"]


def shingle(texts: Any, plan: Union[Plan, str], scopes: Any = None) -> Column:
    """list<uint64>: the hashes of an item's shingles, ascending and distinct; none for EMPTY items and nulls.

    `scopes`: strings as Arrow data, one per text; items of different scopes have no shingle in common.
    """
    return _core.shingle(texts, plan_of(plan), scopes)


def sketch(features: Any, plan: Union[Plan, str]) -> Column:
    """fixed_size_list<uint32>[hashes]; null for EMPTY items."""
    return _core.sketch(features, plan_of(plan))


def band_keys(sketches: Any, plan: Union[Plan, str]) -> Column:
    """fixed_size_list<uint32>[bands]: the bucket of an item in each band; null for null."""
    return _core.band_keys(sketches, plan_of(plan))


def signature(sketches: Any, plan: Union[Plan, str]) -> Column:
    """fixed_size_binary[hashes]: one byte per slot; null for null."""
    return _core.signature(sketches, plan_of(plan))


@checked
def describe(texts: Any, plan: Union[Plan, str], features: bool = True, scopes: Any = None) -> Column:
    """struct<empty, content, keys, signature, features>: everything that a search needs to know about texts, in one pass.

    `content` (16 bytes) is equal for items that are certain to have similarity 1; a run folds them before it searches. Under measure exact
    there are no keys and signatures. `scopes` as in shingle.
    """
    return _core.describe(texts, plan_of(plan), features, scopes)


def agree(a: Any, b: Any, plan: Union[Plan, str]) -> Column:
    """bool: whether the signatures in row i of `a` and `b` agree well enough that the pair must be verified; a null agrees with nothing."""
    return _core.agree(a, b, plan_of(plan))


@checked
def verify(a: Any, b: Any, plan: Union[Plan, str], every: bool = False) -> Column:
    """struct<shared: uint32, total: uint32, similarity: double> of the features in row i of `a` and of `b`; null below the threshold,
    unless `every` pair is asked for."""
    return _core.verify(a, b, plan_of(plan), every)


@checked
def cluster(a: Any, b: Any, items: int, linkage: str = "connected") -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each of the rows 0 … items-1 the number of its cluster and the row of its keeper, from matches between rows a[i] and b[i]."""
    return _core.cluster_rows(a, b, items, linkage)
