"""HyperLogLog and HyperLogLogPlusPlus: how many different elements a stream has, from a small array of registers."""

from __future__ import annotations

import math
from typing import Any, Callable, Optional

import numpy as np
from numpy.typing import NDArray

from ..._core import whole_number
from .hashfunc import sha1_hash32, sha1_hash64

__all__ = ["HyperLogLog", "HyperLogLogPlusPlus"]


class HyperLogLog:
    """2^p registers of 8 bits, and 32-bit hashes (Flajolet and others, "HyperLogLog: the analysis of a near-optimal cardinality estimation algorithm")."""

    __slots__ = ("p", "m", "reg", "alpha", "max_rank", "hashfunc")
    __hash__ = None  # type: ignore[assignment]
    _hash_range_bit = 32
    _own_hash: Callable[[Any], int] = staticmethod(sha1_hash32)

    def __init__(self, p: int = 8, reg: Any = None, hashfunc: Optional[Callable[[Any], int]] = None, hashobj: Any = None):
        """`reg`: the registers of a stored sketch, which this one continues. `hashobj` has no effect."""
        if reg is not None:
            p = max(len(reg), 1).bit_length() - 1
            if len(reg) != 1 << p:
                raise ValueError(f"reg: {len(reg)} registers; their number must be a power of 2")
        whole_number(p, "p", 4, 16)
        if hashfunc is not None and not callable(hashfunc):
            raise ValueError("hashfunc: a function from an element to an int is needed")
        p = int(p)
        self.p, self.m, self.max_rank = p, 1 << p, self._hash_range_bit - p
        self.alpha = {4: 0.673, 5: 0.697, 6: 0.709}.get(p, 0.7213 / (1.0 + 1.079 / self.m))
        self.hashfunc = hashfunc or self._own_hash
        self.reg: NDArray[np.int8] = np.zeros(self.m, dtype=np.int8) if reg is None else np.array(reg, dtype=np.int8)

    def update(self, b: Any) -> None:
        """Adds an element. The low p bits of its hash name a register, which keeps the greatest rank of the first 1 among the others."""
        value = int(self.hashfunc(b))
        rank = self.max_rank - (value >> self.p).bit_length() + 1
        if rank <= 0:
            raise ValueError(f"hashfunc: {value} has more than {self._hash_range_bit} bits")
        at = value & (self.m - 1)
        self.reg[at] = max(int(self.reg[at]), rank)

    def count(self) -> float:
        """The estimate of the number of different elements."""
        raw = self.alpha * self.m * self.m / float(np.sum(2.0 ** -self.reg.astype(np.float64)))
        if raw <= 2.5 * self.m:
            return self._linearcounting(self.m - int(np.count_nonzero(self.reg)), raw)
        if raw > 2.0**self._hash_range_bit / 30:
            return self._largerange_correction(raw)
        return raw

    def _linearcounting(self, zeros: int, raw: float) -> float:
        return self.m * math.log(self.m / zeros) if zeros else raw

    def _largerange_correction(self, raw: float) -> float:
        whole = 2.0**self._hash_range_bit
        return -whole * math.log(1.0 - raw / whole) if raw < whole else math.inf

    def merge(self, other: HyperLogLog) -> None:
        """Makes this the sketch of the union of both."""
        if type(other) is not type(self):
            raise TypeError(f"other: {type(other).__name__} is no {type(self).__name__}")
        if other.p != self.p:
            raise ValueError(f"p: {self.p} and {other.p}; only sketches of one p can be joined")
        self.reg = np.maximum(self.reg, other.reg)

    @classmethod
    def union(cls, *hyperloglogs: HyperLogLog) -> HyperLogLog:
        """A sketch of the union of two or more."""
        if len(hyperloglogs) < 2:
            raise ValueError(f"union: {len(hyperloglogs)} given; it takes two or more")
        result = hyperloglogs[0].copy()
        for other in hyperloglogs[1:]:
            result.merge(other)
        return result

    def is_empty(self) -> bool:
        """Whether nothing was added."""
        return not np.any(self.reg)

    def clear(self) -> None:
        """Forgets all elements."""
        self.reg = np.zeros(self.m, dtype=np.int8)

    def digest(self) -> NDArray[np.int8]:
        """A copy of the registers."""
        return self.reg.copy()

    def copy(self) -> HyperLogLog:
        """A sketch of its own with the same registers."""
        return type(self)(reg=self.reg, hashfunc=self.hashfunc)

    def __len__(self) -> int:
        return self.m

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, HyperLogLog):
            return NotImplemented
        return type(self) is type(other) and np.array_equal(self.reg, other.reg)

    def bytesize(self) -> int:
        """The size of the buffer that serialize fills: a byte for p and one per register."""
        return 1 + self.m

    def serialize(self, buf: Any) -> None:
        """Writes p and the registers."""
        if len(buf) < self.bytesize():
            raise ValueError(f"buf: {len(buf)} bytes, {self.bytesize()} are needed; see bytesize")
        memoryview(buf)[: self.bytesize()] = bytes([self.p]) + self.reg.tobytes()

    @classmethod
    def deserialize(cls, buf: Any) -> HyperLogLog:
        """Reads what serialize has written, here or in datasketch."""
        whole_number(buf[0], "p", 4, 16)
        registers = np.frombuffer(bytes(buf[1 : 1 + (1 << buf[0])]), dtype=np.int8)
        if len(registers) != 1 << buf[0]:
            raise ValueError(f"buf: {len(registers)} registers, {1 << buf[0]} are needed; it was cut off")
        return cls(reg=registers)

    def __getstate__(self) -> Any:
        state = bytearray(self.bytesize())
        self.serialize(state)
        return state if self.hashfunc is self._own_hash else (state, self.hashfunc)

    def __setstate__(self, state: Any) -> None:
        """Reads what datasketch pickles, too: the buffer alone."""
        buffer, hashfunc = state if isinstance(state, tuple) else (state, None)
        self.__init__(reg=self.deserialize(buffer).reg, hashfunc=hashfunc)  # type: ignore[misc]


class HyperLogLogPlusPlus(HyperLogLog):
    """HyperLogLog with 64-bit hashes. The count is by Ertl's estimator ("New cardinality estimation algorithms for HyperLogLog sketches"), which needs no
    tables of corrections and has no range of sizes where it is biased."""

    __slots__ = ()
    _hash_range_bit = 64
    _own_hash: Callable[[Any], int] = staticmethod(sha1_hash64)

    def count(self) -> float:
        """The estimate of the number of different elements."""
        ranks = np.bincount(self.reg, minlength=self.max_rank + 2)
        total = self.m * _tau(1.0 - float(ranks[self.max_rank + 1]) / self.m)
        for rank in range(self.max_rank, 0, -1):
            total = 0.5 * (total + float(ranks[rank]))
        total += self.m * _sigma(float(ranks[0]) / self.m)
        return self.m * self.m / (2.0 * math.log(2.0) * total)


def _sigma(share: float) -> float:
    """x + the sum of x^(2^k) * 2^(k-1) for k = 1, 2, …, for the share x of registers that are 0."""
    if share == 1.0:
        return math.inf
    total, before, factor = share, -1.0, 1.0
    while total != before:
        share *= share
        before = total
        total += share * factor
        factor += factor
    return total


def _tau(share: float) -> float:
    """(1 - x - the sum of (1 - x^(2^-k))^2 * 2^-k for k = 1, 2, …) / 3, for the share x of registers that are not full."""
    if share in (0.0, 1.0):
        return 0.0
    total, before, factor = 1.0 - share, -1.0, 1.0
    while total != before:
        share = math.sqrt(share)
        before = total
        factor *= 0.5
        total -= (1.0 - share) ** 2 * factor
    return total / 3.0
