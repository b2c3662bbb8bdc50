"""MinHashLSHForest: the sets that are most like a set, without a threshold (Bawa and others, "LSH Forest")."""

from __future__ import annotations

from bisect import bisect_left
from typing import Any, Hashable, Iterator, Optional

import numpy as np
from numpy.typing import NDArray

from ..._core import whole_number
from .lsh import Sketch, band_of, require_kind, require_sketch

__all__ = ["MinHashLSHForest"]

_LOOK_AT = 4  # Candidates looked at for each key that is asked for.


class MinHashLSHForest:
    """`l` sorted tables of prefixes, each of `k` values. Keys are found once index was called after they were added."""

    def __init__(self, num_perm: int = 128, l: int = 8):  # noqa: E741
        whole_number(num_perm, "num_perm", 1, 2**32 - 1)
        whole_number(l, "l", 1, num_perm)
        self.num_perm, self.l = int(num_perm), int(l)
        self.k = self.num_perm // self.l
        self.hashranges = [(tree * self.k, (tree + 1) * self.k) for tree in range(l)]
        self.hashtables: list[dict[bytes, list[Hashable]]] = [{} for _ in range(l)]
        self.keys: dict[Hashable, list[bytes]] = {}
        self.sorted_hashtables: list[list[bytes]] = [[] for _ in range(l)]
        self._kind: Optional[tuple[str, int]] = None
        self._row: tuple[Any, tuple[int, ...]] = (np.dtype(np.uint64), ())

    def add(self, key: Hashable, minhash: Sketch) -> None:
        """Adds a set under a new key. It is found after the next call of index."""
        require_sketch(minhash, "minhash", self.num_perm)
        if key in self.keys:
            raise ValueError(f"{key!r}: this key exists already")
        self._kind = require_kind(self._kind, minhash)
        self._row = (minhash.hashvalues.dtype, minhash.hashvalues.shape[1:])
        self.keys[key] = self._prefixes(minhash)
        for table, prefix in zip(self.hashtables, self.keys[key]):
            table.setdefault(prefix, []).append(key)

    def _prefixes(self, minhash: Sketch) -> list[bytes]:
        return [band_of(minhash, begin, end) for begin, end in self.hashranges]

    def index(self) -> None:
        """Makes all keys that were added so far searchable."""
        self.sorted_hashtables = [sorted(table) for table in self.hashtables]

    def query(self, minhash: Sketch, k: int) -> list[Hashable]:
        """Up to `k` keys, the most similar first. Those that share the longest prefixes are looked at, and ranked by the share of equal values."""
        if k <= 0:
            raise ValueError(f"k: {k} must be 1 or more")
        require_sketch(minhash, "minhash", self.num_perm)
        if self._kind is not None:
            require_kind(self._kind, minhash)
        mine = self._prefixes(minhash)
        found: dict[Hashable, None] = {}
        for key in self._by_prefix(mine):
            found[key] = None
            if len(found) >= _LOOK_AT * k:
                break
        return sorted(found, key=lambda key: -self._equal(mine, self.keys[key]))[:k]

    def _by_prefix(self, prefixes: list[bytes]) -> Iterator[Hashable]:
        """Keys, those with a long prefix in common first; a key may come again."""
        for depth in range(self.k, 0, -1):
            for table, ordered, prefix in zip(self.hashtables, self.sorted_hashtables, prefixes):
                begin = prefix[: len(prefix) // self.k * depth]
                for at in range(bisect_left(ordered, begin), len(ordered)):
                    if not ordered[at].startswith(begin):
                        break
                    yield from table[ordered[at]]

    def _equal(self, a: list[bytes], b: list[bytes]) -> int:
        """How many values are equal."""
        equal = self._values(a) == self._values(b)
        return int(np.count_nonzero(equal if equal.ndim == 1 else equal.all(axis=1)))

    def _values(self, prefixes: list[bytes]) -> NDArray[Any]:
        kind, shape = self._row
        return np.frombuffer(b"".join(prefixes), dtype=kind.newbyteorder("S")).reshape(-1, *shape)

    def get_minhash_hashvalues(self, key: Hashable) -> NDArray[Any]:
        """The values of the sketch under a key, as far as the trees hold them: l times k."""
        if key not in self.keys:
            raise KeyError(f"{key!r}: there is no such key")
        return self._values(self.keys[key]).astype(self._row[0])

    def is_empty(self) -> bool:
        """Whether nothing can be found."""
        return not any(self.sorted_hashtables)

    def __contains__(self, key: Hashable) -> bool:
        return key in self.keys
