"""The shape of a table: how many bands of how many rows."""

from __future__ import annotations

from decimal import ROUND_DOWN, Decimal
from functools import lru_cache

import numpy as np

from ..._runs import tune

RECALL = 0.95
_FINEST = Decimal("1e-9")  # what a plan tells thresholds apart by


def error_of(bands: int, rows: int, threshold: float, weights: tuple[float, float], steps: int = 1000) -> float:
    """What a table finds below the threshold and misses above it, weighted: areas under and over its S-curve 1 - (1 - s^rows)^bands."""
    below = (np.arange(steps) + 0.5) * threshold / steps
    above = threshold + (np.arange(steps) + 0.5) * (1 - threshold) / steps
    found = float(np.mean(1 - (1 - below**rows) ** bands)) * threshold
    missed = float(np.mean((1 - above**rows) ** bands)) * (1 - threshold)
    return weights[0] * found + weights[1] * missed


@lru_cache(maxsize=64)
def shape_by_weights(threshold: float, hashes: int, weights: tuple[float, float]) -> tuple[int, int]:
    """The shape that balances false positives and false negatives best, as datasketch chooses it."""
    shapes = [(bands, rows) for bands in range(1, hashes + 1) for rows in range(1, hashes // bands + 1)]
    return min(shapes, key=lambda shape: error_of(shape[0], shape[1], threshold, weights))


def shape_by_recall(threshold: float, hashes: int) -> tuple[int, int]:
    """The shape for a verified table, where a false positive costs only time: the cheapest that has the recall at the threshold."""
    lower = float(Decimal(repr(threshold)).quantize(_FINEST, ROUND_DOWN))
    if 0 < lower <= 1:
        try:
            plan = tune(threshold=lower, recall=RECALL, shingle="element:1", hashes=hashes)
            return plan.bands, plan.rows
        except ValueError:
            pass  # So few hashes do not reach the recall.
    return shape_by_weights(threshold, hashes, (0.5, 0.5))
