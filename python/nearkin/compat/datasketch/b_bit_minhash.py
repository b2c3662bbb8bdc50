"""bBitMinHash: the lowest bits of a sketch."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..._core import whole_number
from .minhash import MinHash, require_minhash

__all__ = ["bBitMinHash"]


class bBitMinHash:
    """The lowest `b` bits of each value of a MinHash: smaller, and less accurate (Li and König, "b-Bit Minwise Hashing")."""

    __slots__ = ("seed", "b", "r", "scheme", "hashvalues")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, minhash: MinHash, b: int = 1, r: float = 0.0):
        """`r`: the expected size of a set as a share of the universe; 0 if it is not known."""
        require_minhash(minhash, "minhash")
        whole_number(b, "b", 0, 32)
        if not 0.0 <= r <= 1.0:
            raise ValueError(f"r: {r} is not between 0 and 1")
        self.seed, self.b, self.r, self.scheme = minhash.seed, b, r, minhash.scheme
        self.hashvalues = (minhash.hashvalues & minhash.hashvalues.dtype.type((1 << b) - 1)).astype(np.uint32)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, bBitMinHash):
            return NotImplemented
        return self._kind() == other._kind() and np.array_equal(self.hashvalues, other.hashvalues)

    def _kind(self) -> tuple[Any, ...]:
        return (self.scheme, self.seed, self.b, self.r)

    def jaccard(self, other: bBitMinHash) -> float:
        """The estimate of the similarity: the share of equal values, less those that are equal by chance."""
        if not isinstance(other, bBitMinHash):
            raise TypeError(f"other: {type(other).__name__} is no bBitMinHash")
        for name in ("scheme", "seed", "b"):
            if getattr(self, name) != getattr(other, name):
                raise ValueError(f"{name}: {getattr(self, name)} and {getattr(other, name)}; only sketches of one {name} can be compared")
        if len(self.hashvalues) != len(other.hashvalues):
            raise ValueError(f"num_perm: {len(self.hashvalues)} and {len(other.hashvalues)}; only sketches of one size can be compared")
        if self.b == 0:
            raise ValueError("b: sketches of 0 bits cannot be compared; keep 1 bit or more")
        equal = float(np.count_nonzero(self.hashvalues == other.hashvalues) / len(self.hashvalues))
        by_chance, below_one = self._chances(other)
        return (equal - by_chance) / (1.0 - below_one)

    def _chances(self, other: bBitMinHash) -> tuple[float, float]:
        """The constants C1 and C2 of the paper."""
        mine, its = self._chance(), other._chance()
        total = self.r + other.r
        share = 0.5 if total == 0 else other.r / total
        return mine * share + its * (1 - share), mine * (1 - share) + its * share

    def _chance(self) -> float:
        """The constant A of the paper; its limit for sets of no share."""
        values = float(2**self.b)
        if self.r == 0.0:
            return 1.0 / values
        if self.r == 1.0:
            return 0.0
        return self.r * math.pow(1 - self.r, values - 1) / (1 - math.pow(1 - self.r, values))

    def bytesize(self) -> int:
        """The size of a pickled sketch: its parameters and `b` bits per value."""
        return 8 + 8 + 1 + 4 + 1 + (len(self.hashvalues) * self.b + 7) // 8

    def __getstate__(self) -> Any:
        bits = (self.hashvalues[:, None] >> np.arange(self.b, dtype=np.uint32)) & np.uint32(1)
        return (*self._kind(), len(self.hashvalues), np.packbits(bits.astype(np.uint8)).tobytes())

    def __setstate__(self, state: Any) -> None:
        self.scheme, self.seed, self.b, self.r, count, packed = state
        bits = np.unpackbits(np.frombuffer(packed, dtype=np.uint8), count=count * self.b).reshape(count, self.b)
        self.hashvalues = (bits.astype(np.uint32) << np.arange(self.b, dtype=np.uint32)).sum(axis=1, dtype=np.uint32)
