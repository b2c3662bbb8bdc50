"""LeanMinHash: a sketch that takes no more elements, can be a key, and can be written into a buffer."""

from __future__ import annotations

import struct
from typing import Any, Iterable, NoReturn, Optional

import numpy as np

from . import _permute
from .minhash import MinHash, require_minhash

__all__ = ["LeanMinHash"]


class LeanMinHash(MinHash):
    """A MinHash without what is needed to add elements. Its buffers are those of datasketch, in both directions."""

    def __init__(self, minhash: Optional[MinHash] = None, seed: Optional[int] = None, hashvalues: Any = None, scheme: Optional[str] = None):
        """Of a MinHash, or of a seed, stored values and the scheme that they were made with (legacy unless another is named)."""
        if minhash is not None:
            require_minhash(minhash, "minhash")
            if scheme is not None and scheme != minhash.scheme:
                raise ValueError(f"scheme: {scheme}, that of the MinHash is {minhash.scheme}; leave it out")
            self.scheme = minhash.scheme
            self._begin(minhash.num_perm, minhash.seed if seed is None else seed, None, minhash.digest())
        elif seed is not None and hashvalues is not None:
            self.scheme = _permute.scheme_of(scheme)
            values = np.array(hashvalues, dtype=_permute.type_of(self.scheme))
            self._begin(len(values), seed, None, values)
        else:
            raise ValueError("minhash: give a MinHash, or both seed and hashvalues")

    def update(self, b: Any) -> NoReturn:
        """Refused."""
        raise TypeError("update: a LeanMinHash takes no more elements; update the MinHash that it is made of")

    def update_batch(self, b: Iterable[Any]) -> NoReturn:
        """Refused."""
        self.update(b)

    def __hash__(self) -> int:  # type: ignore[override]
        return hash((self.scheme, self.seed, self.hashvalues.tobytes()))

    def bytesize(self, byteorder: str = "@") -> int:
        """The size of the buffer that serialize fills."""
        return struct.calcsize(_layout(byteorder, self.scheme, self.num_perm))

    def serialize(self, buf: Any, byteorder: str = "@") -> None:
        """Writes seed, size and values. The size is negative, and a byte with the number of the scheme follows, where that is not legacy."""
        if len(buf) < self.bytesize(byteorder):
            raise ValueError(f"buf: {len(buf)} bytes, {self.bytesize(byteorder)} are needed; see bytesize")
        head = (self.num_perm,) if self.scheme == "legacy" else (-self.num_perm, _permute.SCHEMES.index(self.scheme))
        struct.pack_into(_layout(byteorder, self.scheme, self.num_perm), buf, 0, self.seed, *head, *self.hashvalues.tolist())

    @classmethod
    def deserialize(cls, buf: Any, byteorder: str = "@") -> LeanMinHash:
        """Reads what serialize has written, here or in datasketch."""
        _, size = struct.unpack_from(f"{byteorder}qi", buf, 0)
        number = 0 if size >= 0 else struct.unpack_from(f"{byteorder}qiB", buf, 0)[2]
        if number >= len(_permute.SCHEMES):
            raise ValueError(f"buf: there is no scheme of the number {number}; this is no buffer of a LeanMinHash, or one of a later version")
        scheme = _permute.SCHEMES[number]
        seed, *rest = struct.unpack_from(_layout(byteorder, scheme, abs(size)), buf, 0)
        return cls(seed=seed, hashvalues=rest[1 if scheme == "legacy" else 2 :], scheme=scheme)

    def __getstate__(self) -> Any:
        state = bytearray(self.bytesize())
        self.serialize(state)
        return state

    def __setstate__(self, state: Any) -> None:
        read = LeanMinHash.deserialize(state)
        self.scheme = read.scheme
        self._begin(read.num_perm, read.seed, None, read.hashvalues)


def _layout(byteorder: str, scheme: str, count: int) -> str:
    return f"{byteorder}qi{'' if scheme == 'legacy' else 'B'}{count}{'Q' if scheme == 'affine64' else 'I'}"
