"""ExactMinHash: nearkin's own addition. It keeps the hashes of the elements, so similarities are exact and queries can be verified."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Callable, Iterable, Iterator, Optional, Sequence, TypeVar

import numpy as np
from numpy.typing import NDArray

from ... import stage
from ..._core import Plan, whole_number
from ..._places import missing
from ..._pyarrow import pa
from ..._runs import tune
from .minhash import MinHash

__all__ = ["ExactMinHash"]

Hashes = NDArray[np.uint64]
_NONE: Hashes = np.empty(0, dtype=np.uint64)
Kind = TypeVar("Kind", bound="ExactMinHash")


@lru_cache(maxsize=256)
def _plan(hashes: int, seed: int) -> Plan:
    return tune(threshold=0.5, shingle="element:1", hashes=hashes, bands=1, rows=1, seed=seed)


def _hashes_of(sets: Sequence[Sequence[bytes]]) -> list[Hashes]:
    """The distinct hashes of the elements of each set, ascending."""
    if pa is None:
        raise missing("pyarrow", "nearkin.compat.datasketch.ExactMinHash")
    features = pa.array(stage.shingle(pa.array(sets, pa.list_(pa.binary())), _plan(1, 1)))
    values, ends = features.values.to_numpy(), features.offsets.to_numpy()
    return [values[begin:end] for begin, end in zip(ends[:-1], ends[1:])]


def _slots_of(sets: Sequence[Hashes], hashes: int, seed: int) -> list[NDArray[np.uint32]]:
    """The sketches of the sets; all ones for a set without elements."""
    ends = np.cumsum([0, *map(len, sets)], dtype=np.int32)
    features = pa.ListArray.from_arrays(pa.array(ends), pa.array(np.concatenate([_NONE, *sets])))
    slots = pa.array(stage.sketch(features, _plan(hashes, seed)))
    rows = slots.flatten().to_numpy().reshape(-1, hashes)
    each = iter(rows)
    return [next(each) if known else np.full(hashes, 0xFFFFFFFF, dtype=np.uint32) for known in slots.is_valid().to_pylist()]


def _element(value: Any) -> bytes:
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    if isinstance(value, str):
        return value.encode()
    raise TypeError(f"update: {type(value).__name__}; an element is bytes, or give a hashfunc that takes it")


class ExactMinHash(MinHash):
    """A MinHash that keeps the 64-bit hashes of its distinct elements and makes nearkin's sketch of them, natively. jaccard, merge and count are exact.
    Needs pyarrow."""

    def __init__(self, num_perm: int = 128, seed: int = 1, hashfunc: Optional[Callable[[Any], int]] = None):
        """`hashfunc`: elements are told apart by what it makes of them."""
        whole_number(num_perm, "num_perm", 1, 2**32 - 1)
        whole_number(seed, "seed", 0, 2**64 - 1)
        if hashfunc is not None and not callable(hashfunc):
            raise ValueError("hashfunc: a function from an element to an int is needed")
        self._start(num_perm, seed, hashfunc, _NONE)

    def _start(self, num_perm: int, seed: int, hashfunc: Optional[Callable[[Any], int]], hashes: Hashes) -> None:
        self.scheme = "nearkin"
        self.num_perm, self.seed, self.hashfunc = num_perm, seed, hashfunc
        self._hashes = hashes
        self._coming: list[bytes] = []
        self._slots: Optional[NDArray[np.uint32]] = None

    def update_batch(self, b: Iterable[Any]) -> None:
        """Adds elements."""
        self._coming.extend(map(self._bytes_of, b))
        self._slots = None

    def _bytes_of(self, b: Any) -> bytes:
        return _element(b) if self.hashfunc is None else str(int(self.hashfunc(b))).encode()

    @property
    def elements(self) -> Hashes:
        """The distinct hashes of all elements, ascending."""
        settle([self])
        return self._hashes

    @property  # type: ignore[misc]
    def hashvalues(self) -> NDArray[Any]:
        """nearkin's sketch of the elements."""
        sketch_all([self])
        assert self._slots is not None
        return self._slots

    @property
    def permutations(self) -> NDArray[Any]:
        """Refused: nearkin's sketch has none."""
        raise AttributeError("permutations: an ExactMinHash has none; a MinHash has")

    def jaccard(self, other: MinHash) -> float:
        """Exact: elements shared, of all. 1 for two sets without elements."""
        self._require_like(other)
        assert isinstance(other, ExactMinHash)
        return jaccard_of(self.elements, other.elements)

    def count(self) -> float:
        """Different elements; exact."""
        return float(len(self.elements))

    def merge(self, other: MinHash) -> None:
        """Makes this the union of both."""
        self._require_like(other)
        assert isinstance(other, ExactMinHash)
        self._hashes = np.union1d(self.elements, other.elements)
        self._slots = None

    def is_empty(self) -> bool:
        """Whether the set has no elements."""
        return len(self._hashes) == 0 and not self._coming

    def clear(self) -> None:
        """Forgets all elements."""
        self._start(self.num_perm, self.seed, self.hashfunc, _NONE)

    def copy(self) -> ExactMinHash:
        """A set of its own with the same elements."""
        made = ExactMinHash(self.num_perm, self.seed, self.hashfunc)
        made._hashes, made._coming, made._slots = self._hashes, list(self._coming), self._slots
        return made

    def __eq__(self, other: object) -> bool:
        """The same elements, seed and size."""
        if not isinstance(other, ExactMinHash):
            return NotImplemented
        return (self.seed, self.num_perm) == (other.seed, other.num_perm) and np.array_equal(self.elements, other.elements)

    def __getstate__(self) -> Any:
        return (self.num_perm, self.seed, self.hashfunc, self.elements)

    def __setstate__(self, state: Any) -> None:
        self._start(*state)

    @classmethod
    def generator(cls: type[Kind], b: Iterable[Iterable[Any]], **minhash_kwargs: Any) -> Iterator[Kind]:
        """A set for each of those given, hashed many at once."""
        each = iter(b)
        while group := [elements for _, elements in zip(range(10_000), each)]:
            made = [cls(**minhash_kwargs) for _ in group]
            for minhash, elements in zip(made, group):
                minhash.update_batch(elements)
            settle(made)
            yield from made


def settle(minhashes: Sequence[ExactMinHash]) -> None:
    """Hashes the elements that wait in any of them, in one call."""
    waiting = [minhash for minhash in minhashes if minhash._coming]
    for minhash, coming in zip(waiting, _hashes_of([minhash._coming for minhash in waiting]) if waiting else []):
        minhash._hashes = coming if len(minhash._hashes) == 0 else np.union1d(minhash._hashes, coming)
        minhash._coming = []


def sketch_all(minhashes: Sequence[ExactMinHash]) -> None:
    """Makes the sketches that are not made yet, in one call. All are of one size and seed."""
    without = [minhash for minhash in minhashes if minhash._slots is None]
    settle(without)
    if without:
        for minhash, slots in zip(without, _slots_of([minhash._hashes for minhash in without], without[0].num_perm, without[0].seed)):
            minhash._slots = slots


def jaccard_of(a: Hashes, b: Hashes) -> float:
    """Elements shared, of all; 1 for two sets without elements."""
    small, large = (a, b) if len(a) <= len(b) else (b, a)
    if len(small) == 0:
        return 1.0 if len(large) == 0 else 0.0
    at = np.searchsorted(large, small)
    shared = int(np.count_nonzero(large[np.minimum(at, len(large) - 1)] == small))
    return shared / (len(a) + len(b) - shared)
