"""MinHashLSHEnsemble: the sets that hold most of a set (Zhu and others, "LSH Ensemble: Internet-Scale Domain Search")."""

from __future__ import annotations

from bisect import bisect_left
from functools import lru_cache
from typing import Any, Hashable, Iterable, Iterator, Optional

import numpy as np

from ..._core import whole_number
from .lsh import Sketch, band_of, require_dict, require_kind, require_sketch

__all__ = ["MinHashLSHEnsemble"]

_RATIOS = [float(ratio) for ratio in np.exp(np.linspace(-5, 5, 10))]  # Size of the largest set of a partition, of the size of the query.
_STEPS = 100


def _error_of(bands: int, rows: int, ratio: float, threshold: float, weights: tuple[float, float]) -> float:
    """What a table finds below the threshold of containment and misses above it, weighted, in a partition of sets `ratio` times as large as the query."""
    reach = min(1.0, ratio)

    def missed(begin: float, end: float) -> tuple[float, float]:
        share = begin + (np.arange(_STEPS) + 0.5) * (end - begin) / _STEPS
        similarity = share / (ratio + 1.0 - share)
        return float(np.mean((1.0 - similarity**rows) ** bands)) * (end - begin), end - begin

    below, width = missed(0.0, min(threshold, reach))
    above = missed(threshold, reach)[0] if reach > threshold else 0.0
    return weights[0] * (width - below) + weights[1] * above


@lru_cache(maxsize=4096)
def _best(ratio: float, threshold: float, weights: tuple[float, float], shapes: tuple[tuple[int, int], ...]) -> tuple[int, int]:
    return min(shapes, key=lambda shape: _error_of(shape[0], shape[1], ratio, threshold, weights))


def _shapes(hashes: int, rows: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """All shapes of these numbers of rows."""
    return tuple((bands, row) for row in rows for bands in range(1, hashes // row + 1))


class _Partition:
    """Sets of sizes from `lower` to `upper`, in a table for each number of rows."""

    def __init__(self, lower: int, upper: int, hashes: int, rows: tuple[int, ...]):
        self.lower, self.upper = lower, upper
        self.tables: dict[int, list[dict[bytes, list[Hashable]]]] = {row: [{} for _ in range(hashes // row)] for row in rows}

    def add(self, key: Hashable, minhash: Sketch) -> None:
        for row, tables in self.tables.items():
            for band, table in enumerate(tables):
                table.setdefault(band_of(minhash, band * row, (band + 1) * row), []).append(key)

    def query(self, minhash: Sketch, bands: int, rows: int) -> Iterator[Hashable]:
        for band, table in enumerate(self.tables[rows][:bands]):
            yield from table.get(band_of(minhash, band * rows, (band + 1) * rows), [])


class MinHashLSHEnsemble:
    """Sets in partitions by size, and for a set the keys of those that hold at least `threshold` of it, approximately."""

    def __init__(self, threshold: float = 0.9, num_perm: int = 128, num_part: int = 16, m: int = 8, weights: tuple[float, float] = (0.5, 0.5),
                 storage_config: Optional[dict[str, Any]] = None, prepickle: Optional[bool] = None):
        """`num_part`: partitions. `m`: the longest bands; a partition has a table for each length up to it. `prepickle`, which is for other stores, has no effect."""
        require_dict(storage_config)
        if not 0 <= threshold <= 1:
            raise ValueError(f"threshold: {threshold} is not between 0 and 1")
        whole_number(num_perm, "num_perm", 2, 2**32 - 1)
        whole_number(num_part, "num_part", 1, 2**31 - 1)
        whole_number(m, "m", 2, num_perm)
        if min(weights) < 0 or abs(sum(weights) - 1) > 1e-9:
            raise ValueError(f"weights: {weights} are not two shares of 1")
        self.threshold, self.h, self.num_part, self.m = threshold, num_perm, num_part, m
        self._weights = (float(weights[0]), float(weights[1]))
        self._rows = tuple(range(1, m + 1))
        self._shapes = _shapes(num_perm, self._rows)
        self._partitions: list[_Partition] = []
        self._keys: set[Hashable] = set()
        self._kind: Optional[tuple[str, int]] = None

    def index(self, entries: Iterable[tuple[Hashable, Sketch, int]]) -> None:
        """Takes all sets, each as key, sketch and size, once."""
        if self._partitions:
            raise ValueError("index: was called before; make another MinHashLSHEnsemble")
        ordered = sorted(entries, key=lambda entry: entry[2])
        if not ordered:
            raise ValueError("entries: there are none")
        kind: Optional[tuple[str, int]] = None
        for key, minhash, size in ordered:
            require_sketch(minhash, "minhash", self.h)
            kind = require_kind(kind, minhash)
            if size < 0:
                raise ValueError(f"{key!r}: its size is {size}; it must be 0 or more")
        keys = {key for key, _, _ in ordered}
        if len(keys) < len(ordered):
            raise ValueError("entries: a key comes twice")
        self._keys, self._kind = keys, kind
        self._partitions = [self._partition(part) for part in _equal_parts(ordered, self.num_part)]

    def _partition(self, entries: list[tuple[Hashable, Sketch, int]]) -> _Partition:
        made = _Partition(int(entries[0][2]), int(entries[-1][2]), self.h, self._rows)
        for key, minhash, _ in entries:
            made.add(key, minhash)
        return made

    @property
    def lowers(self) -> list[int]:
        """The size of the smallest set of each partition."""
        return [partition.lower for partition in self._partitions]

    @property
    def uppers(self) -> list[int]:
        """The size of the largest set of each partition."""
        return [partition.upper for partition in self._partitions]

    def query(self, minhash: Sketch, size: int) -> Iterator[Hashable]:
        """The keys of the sets that hold at least the threshold of this one, which has `size` different elements; each once, in no order."""
        require_sketch(minhash, "minhash", self.h)
        if self._kind is not None:
            require_kind(self._kind, minhash)
        if size <= 0:
            raise ValueError(f"size: {size} must be 1 or more")
        return self._found(minhash, size)

    def _found(self, minhash: Sketch, size: int) -> Iterator[Hashable]:
        met: set[Hashable] = set()
        for partition in self._partitions:
            ratio = partition.upper / size
            if ratio < self.threshold:
                continue  # No set of it is large enough.
            bands, rows = _best(_rounded_up(ratio), self.threshold, self._weights, self._shapes)
            for key in partition.query(minhash, bands, rows):
                if key not in met:
                    met.add(key)
                    yield key

    def is_empty(self) -> bool:
        """Whether nothing was indexed."""
        return not self._keys

    def __contains__(self, key: Hashable) -> bool:
        return key in self._keys


def _equal_parts(ordered: list[Any], count: int) -> Iterator[list[Any]]:
    """Parts with the same number of sets each, but for one."""
    bounds = [len(ordered) * part // count for part in range(count + 1)]
    for begin, end in zip(bounds[:-1], bounds[1:]):
        if begin < end:
            yield ordered[begin:end]


def _rounded_up(ratio: float) -> float:
    """To the next of the ratios that datasketch optimises for, so shapes are much the same. A larger ratio means a table that finds more."""
    return _RATIOS[min(bisect_left(_RATIOS, ratio), len(_RATIOS) - 1)]
