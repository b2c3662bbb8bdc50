"""The three permutation schemes of datasketch: what a hash becomes in each slot of a sketch.

- legacy (before datasketch 2): (a * h + b) mod 2^64, then mod 2^61 - 1, then the low 32 bits.
- affine32, affine64: h through the finalizer of MurmurHash3, then (a * h + b) mod 2^32 or 2^64, with an odd a.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

SCHEMES = ("legacy", "affine32", "affine64")
Values = NDArray[Any]
_PRIME = 2**61 - 1
_AT_ONCE = 1 << 17  # Slots computed in one go: 1 MiB of 64-bit numbers.


def scheme_of(scheme: Optional[str]) -> str:
    """The name of a scheme; legacy unless another is named."""
    name = "legacy" if scheme is None else scheme
    if name not in SCHEMES:
        raise ValueError(f"scheme: {name!r} is not one of {', '.join(SCHEMES)}")
    return name


def type_of(scheme: str) -> Any:
    """The NumPy type of the values of a sketch."""
    return np.uint32 if scheme == "affine32" else np.uint64


def largest(scheme: str) -> int:
    """The value of a slot that no element has reached."""
    return 2**64 - 1 if scheme == "affine64" else 2**32 - 1


@lru_cache(maxsize=64)
def permutations_of(scheme: str, num_perm: int, seed: int) -> Values:
    """Two rows: the factors a and the summands b, one of each per slot."""
    draw = np.random.RandomState(seed)
    if scheme == "legacy":
        pairs = [(draw.randint(1, _PRIME, dtype=np.uint64), draw.randint(0, _PRIME, dtype=np.uint64)) for _ in range(num_perm)]
        made = np.array(pairs, dtype=np.uint64).T
    else:
        kind = type_of(scheme)
        drawn = [draw.randint(0, largest(scheme) + 1, size=num_perm, dtype=kind) for _ in range(2)]
        made = np.array([drawn[0] * kind(2) + kind(1), drawn[1]], dtype=kind)
    made.setflags(write=False)
    return made


def least_values(hashes: list[int], scheme: str, permutations: Values) -> Values:
    """In each slot the least value that any of the hashes takes there."""
    mixed = _mixed(np.unique(np.array(hashes, dtype=type_of(scheme))), scheme)
    step = max(1, _AT_ONCE // max(1, permutations.shape[1]))
    least = [_slots(mixed[i : i + step], scheme, permutations).min(axis=0) for i in range(0, len(mixed), step)]
    smallest: Values = np.minimum.reduce(least)
    return smallest


def _slots(hashes: Values, scheme: str, permutations: Values) -> Values:
    slots: Values = hashes[:, None] * permutations[0] + permutations[1]
    if scheme == "legacy":
        slots %= np.uint64(_PRIME)
        slots &= np.uint64(0xFFFFFFFF)
    return slots


def _mixed(hashes: Values, scheme: str) -> Values:
    if scheme == "legacy":
        return hashes
    shifts, factors = ((16, 13, 16), (0x85EBCA6B, 0xC2B2AE35)) if scheme == "affine32" else ((33, 33, 33), (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53))
    kind = type_of(scheme)
    for shift, factor in zip(shifts, (*factors, 1)):
        hashes = (hashes ^ (hashes >> kind(shift))) * kind(factor)
    return hashes
