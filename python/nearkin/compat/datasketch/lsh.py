"""MinHashLSH: sets under keys, and for a set the keys of those that are like it."""

from __future__ import annotations

import warnings
from collections import Counter
from typing import Any, Callable, Hashable, Iterator, Mapping, Optional, Union

from ..._core import whole_number
from . import _shape
from .exact import ExactMinHash, Hashes, jaccard_of, sketch_all
from .minhash import MinHash, require_minhash
from .weighted_minhash import WeightedMinHash

__all__ = ["MinHashLSH"]

Sketch = Union[MinHash, WeightedMinHash]


def require_sketch(given: Any, what: str, size: int) -> None:
    """Refuses anything but a sketch of this package with `size` values."""
    if not isinstance(given, WeightedMinHash):
        require_minhash(given, what)
    if len(given) != size:
        raise ValueError(f"num_perm: {len(given)}, that of the index is {size}")


def kind_of(sketch: Sketch) -> tuple[str, int]:
    """Only sketches of one kind can meet in an index: scheme and seed."""
    return ("weighted" if isinstance(sketch, WeightedMinHash) else sketch.scheme, sketch.seed)


def band_of(sketch: Sketch, begin: int, end: int) -> bytes:
    """The values of a band, each with its highest byte first, so that bytes sort as the values do."""
    return sketch.hashvalues[begin:end].byteswap().tobytes()


def require_kind(known: Optional[tuple[str, int]], sketch: Sketch) -> tuple[str, int]:
    """The kind of the sketch, which must be that of the index if it has one."""
    kind = kind_of(sketch)
    if known is not None and kind != known:
        raise ValueError(f"minhash: scheme {kind[0]} and seed {kind[1]}, those of the index are {known[0]} and {known[1]}; only sketches of one kind can meet")
    return kind


def require_dict(storage_config: Optional[dict[str, Any]]) -> None:
    """Refuses stores other than memory."""
    kind = (storage_config or {"type": "dict"}).get("type")
    if kind != "dict":
        raise ValueError(f"storage_config: {kind} is not offered; nearkin.Index keeps a collection in a folder, for many readers and one writer")


class MinHashLSH:
    """Sets under keys, and for a set the keys of those that are like it. It takes a MinHash, LeanMinHash, WeightedMinHash or ExactMinHash."""

    def __init__(self, threshold: float = 0.9, num_perm: int = 128, weights: tuple[float, float] = (0.5, 0.5), params: Optional[tuple[int, int]] = None,
                 storage_config: Optional[dict[str, Any]] = None, prepickle: Optional[bool] = None, hashfunc: Optional[Callable[[bytes], bytes]] = None, *,
                 verify: bool = False):
        """`params`: bands and rows, chosen by hand. `hashfunc` shortens the names of buckets. `prepickle`, which is for other stores, has no effect.

        `verify=True` takes ExactMinHash only, and a query answers with those that reach the threshold, exactly; the table is shaped for a recall of 0.95
        at the threshold, whatever the weights.
        """
        require_dict(storage_config)
        if not 0 <= threshold <= 1:
            raise ValueError(f"threshold: {threshold} is not between 0 and 1")
        whole_number(num_perm, "num_perm", 2, 2**32 - 1)
        if min(weights) < 0 or abs(sum(weights) - 1) > 1e-9:
            raise ValueError(f"weights: {weights} are not two shares of 1")
        if verify and params is None and tuple(weights) != (0.5, 0.5):
            warnings.warn("weights: count only with verify=False; a verified table is shaped for its recall at the threshold", stacklevel=2)
        if params is not None and params[0] * params[1] > num_perm:
            raise ValueError(f"params: {params[0]} bands of {params[1]} rows need {params[0] * params[1]} hashes, num_perm is {num_perm}")
        num_perm = int(num_perm)
        self.threshold, self.h, self.verify, self.hashfunc, self.prepickle = float(threshold), num_perm, verify, hashfunc, prepickle
        by_weights = (float(weights[0]), float(weights[1]))
        self.b, self.r = params or (_shape.shape_by_recall(self.threshold, num_perm) if verify else _shape.shape_by_weights(self.threshold, num_perm, by_weights))
        self.hashranges = [(band * self.r, (band + 1) * self.r) for band in range(self.b)]
        self.hashtables: list[dict[bytes, set[Hashable]]] = [{} for _ in range(self.b)]
        self._buckets: dict[Hashable, list[bytes]] = {}
        self._elements: dict[Hashable, Hashes] = {}
        self._kind: Optional[tuple[str, int]] = None
        self._asked: list[Sketch] = []
        self.buffer_size = 50_000

    def insert(self, key: Hashable, minhash: Sketch, check_duplication: bool = True) -> None:
        """Puts a set under a key."""
        self._require_new(key, check_duplication)
        self._put(key, minhash)

    def _require_new(self, key: Hashable, check_duplication: bool) -> None:
        if check_duplication and key in self._buckets:
            raise ValueError(f"{key!r}: this key exists already; remove it first")

    def _put(self, key: Hashable, minhash: Sketch) -> None:
        self._kind = self._require(minhash)
        elements = minhash.elements if self.verify and isinstance(minhash, ExactMinHash) else None
        self._put_buckets(key, self._buckets_of(minhash), elements)

    def _put_buckets(self, key: Hashable, buckets: list[bytes], elements: Optional[Hashes]) -> None:
        if key in self._buckets:
            self.remove(key)
        self._buckets[key] = buckets
        if elements is not None:
            self._elements[key] = elements
        for table, bucket in zip(self.hashtables, buckets):
            table.setdefault(bucket, set()).add(key)

    def _require(self, minhash: Sketch) -> tuple[str, int]:
        require_sketch(minhash, "minhash", self.h)
        if self.verify and not isinstance(minhash, ExactMinHash):
            raise TypeError(f"minhash: {type(minhash).__name__}; an index with verify=True takes ExactMinHash, which knows its elements")
        return require_kind(self._kind, minhash)

    def _buckets_of(self, minhash: Sketch) -> list[bytes]:
        """One per band; none for an ExactMinHash without elements, which is like no other."""
        if isinstance(minhash, ExactMinHash) and minhash.is_empty():
            return []
        bands = [band_of(minhash, begin, end) for begin, end in self.hashranges]
        return bands if self.hashfunc is None else list(map(self.hashfunc, bands))

    def query(self, minhash: Sketch) -> list[Hashable]:
        """The keys of the sets that share a bucket with this one, in no order; with verify=True of those that reach the threshold."""
        self._require(minhash)
        met: set[Hashable] = set()
        for table, bucket in zip(self.hashtables, self._buckets_of(minhash)):
            met |= table.get(bucket, set())
        if not self.verify or not isinstance(minhash, ExactMinHash):
            return list(met)
        mine = minhash.elements
        return [key for key in met if self._reaches(mine, self._elements[key])]

    def _reaches(self, a: Hashes, b: Hashes) -> bool:
        if min(len(a), len(b)) < self.threshold * max(len(a), len(b)) * (1 - 1e-12):
            return False
        return jaccard_of(a, b) >= self.threshold

    def add_to_query_buffer(self, minhash: Sketch) -> None:
        """Keeps a query until collect_query_buffer is called."""
        self._require(minhash)
        self._asked.append(minhash)

    def collect_query_buffer(self) -> list[Hashable]:
        """The keys that every query of the buffer finds; the buffer is empty afterwards."""
        asked, self._asked = self._asked, []
        found = [set(self.query(minhash)) for minhash in asked]
        return list(set.intersection(*found)) if found else []

    def remove(self, key: Hashable) -> None:
        """Takes a set out."""
        if key not in self._buckets:
            raise ValueError(f"{key!r}: there is no such key")
        for table, bucket in zip(self.hashtables, self._buckets.pop(key)):
            table[bucket].discard(key)
            if not table[bucket]:
                del table[bucket]
        self._elements.pop(key, None)

    def merge(self, other: MinHashLSH, check_overlap: bool = False) -> None:
        """Takes over all that the other holds. Keys that are in both become those of the other, or are refused by check_overlap."""
        if (self.h, self.b, self.r, self.verify) != (other.h, other.b, other.r, other.verify):
            raise ValueError("merge: the other has another num_perm, shape or verify; only equal ones can be joined")
        if self._kind is not None and other._kind is not None and self._kind != other._kind:
            raise ValueError(f"merge: scheme and seed are {self._kind} and {other._kind}; only sketches of one kind can meet")
        if check_overlap and (both := self._buckets.keys() & other._buckets.keys()):
            raise ValueError(f"merge: {len(both)} keys are in both, such as {next(iter(both))!r}")
        self._kind = self._kind or other._kind
        for key, buckets in list(other._buckets.items()):
            self._put_buckets(key, buckets, other._elements.get(key))

    def __contains__(self, key: Hashable) -> bool:
        return key in self._buckets

    @property
    def keys(self) -> _Keys:
        """`lsh.keys` and `lsh.keys.keys()` go through all keys, `lsh.keys[key]` are its buckets, one per band."""
        return _Keys(self._buckets)

    def is_empty(self) -> bool:
        """Whether there is no key."""
        return not self._buckets

    def get_counts(self) -> list[dict[Hashable, int]]:
        """How many sets are in each bucket, a dict per band."""
        return [{bucket: len(keys) for bucket, keys in table.items()} for table in self.hashtables]

    def get_subset_counts(self, *keys: Hashable) -> list[dict[Hashable, int]]:
        """How many of the sets under these keys are in each bucket, a dict per band."""
        met = [buckets for key in keys if (buckets := self._buckets.get(key))]
        return [dict(Counter(buckets[band] for buckets in met)) for band in range(self.b)]

    def insertion_session(self, buffer_size: int = 50_000) -> _Session:
        """`with lsh.insertion_session() as session: session.insert(key, minhash)`: many at once, which is faster with ExactMinHash."""
        return _Session(self, buffer_size)

    def deletion_session(self, buffer_size: int = 50_000) -> _Session:
        """`with lsh.deletion_session() as session: session.remove(key)`."""
        return _Session(self, buffer_size)


class _Keys(Mapping[Hashable, "list[bytes]"]):
    """To look at; keys come and go by insert and remove. A key that is not there has no buckets."""

    def __init__(self, buckets: dict[Hashable, list[bytes]]):
        self._of = buckets

    def __getitem__(self, key: Hashable) -> list[bytes]:
        return self._of.get(key, [])

    def __contains__(self, key: object) -> bool:
        return key in self._of

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._of)

    def __len__(self) -> int:
        return len(self._of)

    def size(self) -> int:
        return len(self._of)

    def has_key(self, key: Hashable) -> bool:
        return key in self._of


class _Session:
    def __init__(self, lsh: MinHashLSH, buffer_size: int):
        self._lsh, self._size = lsh, max(1, buffer_size)
        self._waiting: dict[Hashable, Sketch] = {}

    def insert(self, key: Hashable, minhash: Sketch, check_duplication: bool = True) -> None:
        if check_duplication and key in self._waiting:
            raise ValueError(f"{key!r}: this key exists already; remove it first")
        self._lsh._require_new(key, check_duplication)
        self._lsh._require(minhash)
        self._waiting[key] = minhash.copy()
        if len(self._waiting) >= self._size:
            self.close()

    def remove(self, key: Hashable) -> None:
        if self._waiting.pop(key, None) is None:
            self._lsh.remove(key)

    def close(self) -> None:
        """Puts in what waits."""
        waiting, self._waiting = self._waiting, {}
        by_kind: dict[tuple[str, int], list[ExactMinHash]] = {}
        for minhash in waiting.values():
            if isinstance(minhash, ExactMinHash):
                by_kind.setdefault(kind_of(minhash), []).append(minhash)
        for group in by_kind.values():
            sketch_all(group)
        for key, minhash in waiting.items():
            self._lsh._put(key, minhash)

    def __enter__(self) -> _Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

