"""MinHash: a sketch of a set, with the values that datasketch computes."""

from __future__ import annotations

from typing import Any, Callable, Iterable, Iterator, Optional, TypeVar

import numpy as np

from ..._core import whole_number
from . import _permute
from ._permute import Values
from .hashfunc import sha1_hash32, sha1_hash64

__all__ = ["MinHash"]

_WAIT = 1024  # Hashes kept back before they are worked into the sketch.
Kind = TypeVar("Kind", bound="MinHash")


def require_minhash(given: Any, what: str) -> None:
    """Refuses anything but a MinHash of this package."""
    if not isinstance(given, MinHash):
        raise TypeError(f"{what}: {type(given).__module__}.{type(given).__name__} is no MinHash of nearkin.compat.datasketch; "
                        "make one of its values: MinHash(seed=…, hashvalues=…, scheme=…)")


class MinHash:
    """A sketch of a set: `num_perm` values, each the least of all elements under one permutation."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, num_perm: int = 128, seed: int = 1, gpu_mode: str = "disable", hashfunc: Optional[Callable[[Any], int]] = None, hashobj: Any = None,
                 hashvalues: Any = None, permutations: Any = None, scheme: Optional[str] = None):
        """`hashvalues`: the values of a stored sketch, which this one continues; `scheme` is the one they were made with. `hashobj` has no effect."""
        self.scheme = _permute.scheme_of(scheme)
        values = None if hashvalues is None else np.array(hashvalues, dtype=_permute.type_of(self.scheme))
        given = None if permutations is None else np.array(permutations, dtype=_permute.type_of(self.scheme))
        if values is not None:
            num_perm = len(values)
        whole_number(num_perm, "num_perm", 1, 2**32 - 1)
        whole_number(seed, "seed", 0, 2**32 - 1)
        if given is not None and given.shape != (2, num_perm):
            raise ValueError(f"permutations: two rows of {num_perm} numbers are needed, this has the shape {given.shape}")
        if gpu_mode not in ("disable", "detect", "always"):
            raise ValueError(f"gpu_mode: {gpu_mode!r} is not disable, detect or always")
        if gpu_mode == "always":
            raise RuntimeError("gpu_mode: always is not offered, as there is no code for GPUs; leave it out")
        if hashfunc is not None and not callable(hashfunc):
            raise ValueError("hashfunc: a function from an element to an int is needed")
        self._begin(int(num_perm), int(seed), hashfunc or (sha1_hash64 if self.scheme == "affine64" else sha1_hash32), values, given)

    def _begin(self, num_perm: int, seed: int, hashfunc: Optional[Callable[[Any], int]], values: Optional[Values], permutations: Optional[Values] = None) -> None:
        self.num_perm, self.seed, self.hashfunc = num_perm, seed, hashfunc
        self._given_permutations = permutations
        self._waiting: list[int] = []
        self._values = np.full(num_perm, _permute.largest(self.scheme), dtype=_permute.type_of(self.scheme)) if values is None else values

    @property
    def permutations(self) -> Values:
        """Two rows of numbers, the factors and the summands of the permutations."""
        if self._given_permutations is not None:
            return self._given_permutations
        return _permute.permutations_of(self.scheme, self.num_perm, self.seed)

    @property
    def hashvalues(self) -> Values:
        """The sketch. The share of equal values of two sketches estimates their similarity."""
        if self._waiting:
            waiting, self._waiting = self._waiting, []
            self._values = np.minimum(self._values, _permute.least_values(waiting, self.scheme, self.permutations))
        return self._values

    @hashvalues.setter
    def hashvalues(self, values: Any) -> None:
        self._waiting = []
        self._values = np.array(values, dtype=_permute.type_of(self.scheme))

    def update(self, b: Any) -> None:
        """Adds one element: bytes, or whatever the hashfunc takes."""
        self.update_batch((b,))

    def update_batch(self, b: Iterable[Any]) -> None:
        """Adds elements."""
        assert self.hashfunc is not None
        for element in b:
            self._waiting.append(int(self.hashfunc(element)))
            if len(self._waiting) >= _WAIT:
                self.hashvalues  # Works them in.

    def digest(self) -> Values:
        """A copy of the values."""
        return self.hashvalues.copy()

    def _require_like(self, other: MinHash) -> None:
        require_minhash(other, "other")
        for name in ("scheme", "seed", "num_perm"):
            if getattr(self, name) != getattr(other, name):
                raise ValueError(f"{name}: {getattr(self, name)} and {getattr(other, name)}; only sketches of one {name} can be compared or joined")

    def jaccard(self, other: MinHash) -> float:
        """The estimate of the similarity: the share of equal values."""
        self._require_like(other)
        return float(np.count_nonzero(self.hashvalues == other.hashvalues) / self.num_perm)

    def count(self) -> float:
        """The estimate of the number of different elements, from the mean of the values."""
        return float(self.num_perm / np.sum(self.hashvalues / _permute.largest(self.scheme)) - 1.0)

    def merge(self, other: MinHash) -> None:
        """Makes this the sketch of the union of both."""
        self._require_like(other)
        self._values = np.minimum(self.hashvalues, other.hashvalues)

    @classmethod
    def union(cls, *mhs: MinHash) -> MinHash:
        """A sketch of the union of two sets or more."""
        if len(mhs) < 2:
            raise ValueError(f"union: {len(mhs)} given; it takes two or more")
        result = mhs[0].copy()
        for other in mhs[1:]:
            result.merge(other)
        return result

    def is_empty(self) -> bool:
        """Whether the set has no elements."""
        return bool(np.all(self.hashvalues == _permute.largest(self.scheme)))

    def clear(self) -> None:
        """Makes this the sketch of a set without elements."""
        self._begin(self.num_perm, self.seed, self.hashfunc, None, self._given_permutations)

    def copy(self) -> MinHash:
        """A sketch of its own with the same values."""
        made = MinHash.__new__(type(self))
        made.scheme = self.scheme
        made._begin(self.num_perm, self.seed, self.hashfunc, self.digest(), self._given_permutations)
        return made

    def __len__(self) -> int:
        return self.num_perm

    def __eq__(self, other: object) -> bool:
        """The same values, seed and scheme, and both lean or neither."""
        if not isinstance(other, MinHash):
            return NotImplemented
        return type(self) is type(other) and (self.scheme, self.seed) == (other.scheme, other.seed) and np.array_equal(self.hashvalues, other.hashvalues)

    def __getstate__(self) -> Any:
        return {"scheme": self.scheme, "num_perm": self.num_perm, "seed": self.seed, "hashfunc": self.hashfunc, "hashvalues": self.hashvalues,
                "permutations": self._given_permutations}

    def __setstate__(self, state: Any) -> None:
        """Reads what datasketch pickles, too."""
        self.scheme = state.get("scheme", "legacy")
        self._begin(state["num_perm"], state["seed"], state["hashfunc"], state["hashvalues"], state["permutations"])

    @classmethod
    def bulk(cls: type[Kind], b: Iterable[Iterable[Any]], **minhash_kwargs: Any) -> list[Kind]:
        """A sketch for each set."""
        return list(cls.generator(b, **minhash_kwargs))

    @classmethod
    def generator(cls: type[Kind], b: Iterable[Iterable[Any]], **minhash_kwargs: Any) -> Iterator[Kind]:
        """A sketch for each set, one after the other."""
        for elements in b:
            made = cls(**minhash_kwargs)
            made.update_batch(elements)
            made.hashvalues
            yield made
