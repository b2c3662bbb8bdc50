"""MinHash, LeanMinHash and MinHashLSH under the names and with the methods that scripts for datasketch use, on nearkin's sketch.

    from nearkin.compat.datasketch import MinHash, MinHashLSH

What is not offered says so, and what to use, where it is imported or called.
What differs (docs/migrate.md has more): a MinHash keeps the hashes of its elements, eight bytes each, so that jaccard, merge and count are exact; a query
answers with the keys whose sets reach the threshold exactly, each found with a recall of 0.95 at the least; hash values are nearkin's own. Needs pyarrow.
"""

from __future__ import annotations

import struct
import warnings
from collections import Counter
from functools import lru_cache
from typing import Any, Callable, Hashable, Iterable, Iterator, Mapping, NoReturn, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from .. import stage
from .._core import Plan, whole_number
from .._places import missing
from .._pyarrow import pa
from .._runs import tune

__all__ = ["LeanMinHash", "MinHash", "MinHashLSH"]

_INSTEAD = {
    "AsyncMinHashLSH": "nearkin.Index, which many threads and processes may have open",
    "HNSW": "nearkin.Index of vectors",
    "HyperLogLog": "the command nearkin distinct",
    "HyperLogLogPlusPlus": "the command nearkin distinct",
    "MinHashLSHBloom": "nearkin.Index",
    "MinHashLSHEnsemble": 'nearkin.tune(measure="containment")',
    "MinHashLSHForest": "nearkin.Index and query(limit=K)",
    "WeightedMinHash": 'nearkin.tune(measure="weighted-jaccard")',
    "WeightedMinHashGenerator": 'nearkin.tune(measure="weighted-jaccard")',
    "WeightedMinHashLSH": 'nearkin.tune(measure="weighted-jaccard")',
    "WeightedMinHashLSHForest": 'nearkin.tune(measure="weighted-jaccard")',
    "bBitMinHash": "LeanMinHash",
    "sha1_hash32": "no hashfunc at all: elements are hashed natively",
    "sha1_hash64": "no hashfunc at all: elements are hashed natively",
}
_INSTEAD_OF_ATTRIBUTE = {
    "add_to_query_buffer": "query for each set",
    "buffer_size": "insertion_session(buffer_size=N)",
    "collect_query_buffer": "query for each set",
    "hashranges": "b and r, the bands and rows",
    "hashtables": "get_counts, which tells the sizes of all buckets",
}


def __getattr__(name: str) -> NoReturn:
    if name in _INSTEAD:
        raise ImportError(f"{name}: is not offered by nearkin.compat.datasketch; use {_INSTEAD[name]}", name=__name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

Hashes = NDArray[np.uint64]
_NONE: Hashes = np.empty(0, dtype=np.uint64)
_RECALL = 0.95


@lru_cache(maxsize=256)
def _plan(hashes: int, seed: int, bands: int = 1, rows: int = 1) -> Plan:
    return tune(threshold=0.5, shingle="element:1", hashes=hashes, bands=bands, rows=rows, seed=seed)


def _hashes_of(sets: Sequence[Sequence[Any]]) -> list[Hashes]:
    """The distinct hashes of the elements of each set, ascending."""
    if pa is None:
        raise missing("pyarrow", "nearkin.compat.datasketch")
    features = pa.array(stage.shingle(pa.array(sets, pa.list_(pa.binary())), _plan(1, 1)))
    values, ends = features.values.to_numpy(), features.offsets.to_numpy()
    return [values[begin:end] for begin, end in zip(ends[:-1], ends[1:])]


def _slots_of(sets: Sequence[Hashes], hashes: int, seed: int) -> Any:
    """The sketches of the sets, null for those without elements."""
    ends = np.cumsum([0, *map(len, sets)], dtype=np.int32)
    features = pa.ListArray.from_arrays(pa.array(ends), pa.array(np.concatenate([_NONE, *sets])))
    return stage.sketch(features, _plan(hashes, seed))


_NO_HASHVALUES = "hashvalues: a sketch cannot be taken over, as the hashes of its elements are needed; update with the elements again"


def _require_minhash(given: Any, what: str) -> None:
    if not isinstance(given, MinHash):
        raise TypeError(f"{what}: {type(given).__module__}.{type(given).__name__} is no MinHash of nearkin.compat.datasketch; make it with that")


def _element(value: Any) -> bytes:
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    if isinstance(value, str):
        return value.encode()
    raise TypeError(f"update: {type(value).__name__}; an element is bytes, or give a hashfunc that takes it")


class MinHash:
    """A set of elements, known by their hashes, with its sketch of `num_perm` slots."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, num_perm: int = 128, seed: int = 1, gpu_mode: str = "disable", hashfunc: Optional[Callable[[Any], int]] = None, hashobj: Any = None,
                 hashvalues: Any = None, permutations: Any = None, scheme: Optional[str] = None):
        """`hashfunc`: elements are told apart by what it makes of them. `gpu_mode`, `permutations` and `scheme` have no use here."""
        if hashvalues is not None:
            raise ValueError(_NO_HASHVALUES)
        if hashobj is not None:
            raise ValueError("hashobj: is not offered; give a hashfunc, a function from an element to an int")
        if gpu_mode == "always":
            raise ValueError("gpu_mode: always is not offered, as there is no code for GPUs; leave it out")
        whole_number(num_perm, "num_perm", 1, 2**32 - 1)
        whole_number(seed, "seed", 0, 2**64 - 1)
        self._begin(num_perm, seed, hashfunc, _NONE)

    def _begin(self, num_perm: int, seed: int, hashfunc: Optional[Callable[[Any], int]], hashes: Hashes) -> None:
        self.num_perm, self.seed, self.hashfunc = num_perm, seed, hashfunc
        self._hashes = hashes
        self._coming: list[bytes] = []
        self._slots: Optional[NDArray[np.uint32]] = None

    def update(self, b: Any) -> None:
        self._coming.append(self._bytes_of(b))
        self._slots = None

    def update_batch(self, b: Iterable[Any]) -> None:
        self._coming.extend(map(self._bytes_of, b))
        self._slots = None

    def _bytes_of(self, b: Any) -> bytes:
        return _element(b) if self.hashfunc is None else str(int(self.hashfunc(b))).encode()

    @property
    def elements(self) -> Hashes:
        """The distinct hashes of all elements, ascending."""
        if self._coming:
            _settle([self])
        return self._hashes

    @property
    def hashvalues(self) -> NDArray[np.uint32]:
        """The sketch. The share of equal slots of two sketches estimates their similarity. All ones for a set without elements."""
        if self._slots is None:
            slots = pa.array(_slots_of([self.elements], self.num_perm, self.seed))
            self._slots = np.full(self.num_perm, 0xFFFFFFFF, dtype=np.uint32) if slots.null_count else slots.flatten().to_numpy()
        return self._slots

    def digest(self) -> NDArray[np.uint32]:
        return self.hashvalues.copy()

    def _require_like(self, other: MinHash) -> None:
        _require_minhash(other, "other")
        if other.seed != self.seed:
            raise ValueError(f"seed: {other.seed} and {self.seed}; only sketches of one seed go together")
        if other.num_perm != self.num_perm:
            raise ValueError(f"num_perm: {other.num_perm} and {self.num_perm}; only sketches of one size go together")

    def jaccard(self, other: MinHash) -> float:
        """Exact: elements shared, of all. 1 for two sets without elements."""
        self._require_like(other)
        mine, its = self.elements, other.elements
        if len(mine) == 0 and len(its) == 0:
            return 1.0
        shared = _shared(mine, its)
        return shared / (len(mine) + len(its) - shared)

    def count(self) -> float:
        """Different elements; exact."""
        return float(len(self.elements))

    def merge(self, other: MinHash) -> None:
        """Makes this the union of both."""
        self._require_like(other)
        self._hashes = np.union1d(self.elements, other.elements)
        self._slots = None

    @classmethod
    def union(cls, *mhs: MinHash) -> MinHash:
        if len(mhs) < 2:
            raise ValueError(f"union: {len(mhs)} given; it takes two at the least")
        result = mhs[0].copy()
        for other in mhs[1:]:
            result.merge(other)
        return result

    def is_empty(self) -> bool:
        return len(self._hashes) == 0 and not self._coming

    def clear(self) -> None:
        self._hashes, self._coming, self._slots = _NONE, [], None

    def copy(self) -> MinHash:
        made = MinHash(self.num_perm, self.seed, hashfunc=self.hashfunc)
        made._hashes, made._coming, made._slots = self._hashes, list(self._coming), self._slots
        return made

    def __len__(self) -> int:
        return self.num_perm

    def __eq__(self, other: object) -> bool:
        """The same elements, seed and size, and both lean or neither."""
        if not isinstance(other, MinHash):
            return NotImplemented
        return type(self) is type(other) and self.seed == other.seed and self.num_perm == other.num_perm and np.array_equal(self.elements, other.elements)

    def __getstate__(self) -> dict[str, Any]:
        return {"num_perm": self.num_perm, "seed": self.seed, "hashfunc": self.hashfunc, "hashes": self.elements}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._begin(state["num_perm"], state["seed"], state["hashfunc"], state["hashes"])

    @classmethod
    def bulk(cls, b: Iterable[Iterable[Any]], **minhash_kwargs: Any) -> list[MinHash]:
        """One for each set, all at once: much faster than one after the other."""
        return list(cls.generator(b, **minhash_kwargs))

    @classmethod
    def generator(cls, b: Iterable[Iterable[Any]], **minhash_kwargs: Any) -> Iterator[MinHash]:
        model = cls(**minhash_kwargs)
        each = iter(b)
        while sets := [list(map(model._bytes_of, elements)) for _, elements in zip(range(10_000), each)]:
            for hashes in _hashes_of(sets):
                made = model.copy()
                made._hashes = hashes
                yield made


class LeanMinHash(MinHash):
    """A MinHash that takes no more elements and keeps nothing but the hashes of those it has. It can be a key, and be written into a buffer."""

    def __init__(self, minhash: Optional[MinHash] = None, seed: Optional[int] = None, hashvalues: Any = None, scheme: Optional[str] = None):
        if hashvalues is not None:
            raise ValueError(_NO_HASHVALUES)
        _require_minhash(minhash, "minhash")
        assert minhash is not None
        self._begin(minhash.num_perm, minhash.seed if seed is None else seed, None, minhash.elements)

    def update(self, b: Any) -> None:
        raise TypeError("update: a LeanMinHash takes no more elements; update the MinHash that it is made of")

    def update_batch(self, b: Iterable[Any]) -> None:
        self.update(b)

    def copy(self) -> LeanMinHash:
        return LeanMinHash(self)

    def __hash__(self) -> int:  # type: ignore[override]
        return hash((self.seed, self.num_perm, self.elements.tobytes()))

    def bytesize(self, byteorder: str = "@") -> int:
        """Of the buffer that serialize writes to: the hashes of all elements are in it."""
        return struct.calcsize(self._layout(byteorder, len(self.elements)))

    def serialize(self, buf: Any, byteorder: str = "@") -> None:
        if len(buf) < self.bytesize(byteorder):
            raise ValueError(f"buf: {len(buf)} bytes, {self.bytesize(byteorder)} are needed; see bytesize")
        struct.pack_into(self._layout(byteorder, len(self.elements)), buf, 0, self.seed, self.num_perm, len(self.elements), *self.elements.tolist())

    @classmethod
    def deserialize(cls, buf: Any, byteorder: str = "@") -> LeanMinHash:
        seed, num_perm, count = struct.unpack_from(cls._layout(byteorder, 0), buf, 0)
        made = cls.__new__(cls)
        made._begin(num_perm, seed, None, np.array(struct.unpack_from(cls._layout(byteorder, count), buf, 0)[3:], dtype=np.uint64))
        return made

    @staticmethod
    def _layout(byteorder: str, count: int) -> str:
        return f"{byteorder}QQQ{count}Q"


def _settle(minhashes: Sequence[MinHash]) -> None:
    """Hashes the elements that wait in any of them, in one call."""
    waiting = [minhash for minhash in minhashes if minhash._coming]
    for minhash, coming in zip(waiting, _hashes_of([minhash._coming for minhash in waiting]) if waiting else []):
        minhash._hashes = coming if len(minhash._hashes) == 0 else np.union1d(minhash._hashes, coming)
        minhash._coming = []


def _shared(a: Hashes, b: Hashes) -> int:
    small, large = (a, b) if len(a) <= len(b) else (b, a)
    if len(small) == 0:
        return 0
    at = np.searchsorted(large, small)
    return int(np.count_nonzero(large[np.minimum(at, len(large) - 1)] == small))


def _error_of(bands: int, rows: int, threshold: float, weights: tuple[float, float], steps: int = 1000) -> float:
    """What a table of this shape finds below the threshold and misses above it, weighted: areas under and over its S-curve 1 - (1 - s^rows)^bands."""
    below = (np.arange(steps) + 0.5) * threshold / steps
    above = threshold + (np.arange(steps) + 0.5) * (1 - threshold) / steps
    found = float(np.mean(1 - (1 - below**rows) ** bands)) * threshold
    missed = float(np.mean((1 - above**rows) ** bands)) * (1 - threshold)
    return weights[0] * found + weights[1] * missed


@lru_cache(maxsize=64)
def _shape_by_weights(threshold: float, hashes: int, weights: tuple[float, float]) -> tuple[int, int]:
    shapes = [(bands, rows) for bands in range(1, hashes + 1) for rows in range(1, hashes // bands + 1)]
    return min(shapes, key=lambda shape: _error_of(shape[0], shape[1], threshold, weights))


def _shape(threshold: float, hashes: int, weights: tuple[float, float], verify: bool) -> tuple[int, int]:
    """Of a verified table what it finds in vain costs only time, so that it is shaped for its recall at the threshold."""
    if verify and 0 < threshold <= 1:
        try:
            plan = tune(threshold=threshold, recall=_RECALL, shingle="element:1", hashes=hashes)
            return plan.bands, plan.rows
        except ValueError:
            pass  # not with so few hashes
    return _shape_by_weights(threshold, hashes, weights)


class MinHashLSH:
    """Sets under keys, and for a set the keys of those that are like it."""

    def __init__(self, threshold: float = 0.9, num_perm: int = 128, weights: tuple[float, float] = (0.5, 0.5), params: Optional[tuple[int, int]] = None,
                 storage_config: Optional[dict[str, Any]] = None, prepickle: Optional[bool] = None, hashfunc: Any = None, *, verify: bool = True):
        """`verify=False`: queries answer with all candidates, and the shape of the table is chosen by `weights`, of false positives and false negatives.
        `params`: bands and rows, chosen by hand. `prepickle` and `hashfunc`, which are for keys and buckets in other stores, have no use here."""
        kind = (storage_config or {"type": "dict"}).get("type")
        if kind != "dict":
            raise ValueError(f"storage_config: {kind} is not offered; nearkin.Index keeps a collection in a folder, for many readers")
        if not 0 <= threshold <= 1:
            raise ValueError(f"threshold: {threshold} is not between 0 and 1")
        whole_number(num_perm, "num_perm", 2, 2**32 - 1)
        if min(weights) < 0 or abs(sum(weights) - 1) > 1e-9:
            raise ValueError(f"weights: {weights} are not two shares of 1")
        if verify and params is None and tuple(weights) != (0.5, 0.5):
            warnings.warn("weights: count only with verify=False; a verified table is shaped for its recall at the threshold", stacklevel=2)
        if params is not None and params[0] * params[1] > num_perm:
            raise ValueError(f"params: {params[0]} bands of {params[1]} rows need {params[0] * params[1]} hashes, num_perm is {num_perm}")
        self.threshold, self.h, self.verify = threshold, num_perm, verify
        self.b, self.r = params or _shape(threshold, num_perm, (weights[0], weights[1]), verify)
        self._tables: list[dict[int, set[Hashable]]] = [{} for _ in range(self.b)]
        self._buckets: dict[Hashable, tuple[int, ...]] = {}
        self._elements: dict[Hashable, Hashes] = {}

    def insert(self, key: Hashable, minhash: MinHash, check_duplication: bool = True) -> None:
        self._insert_all([(key, minhash)], check_duplication)

    def _insert_all(self, given: Sequence[tuple[Hashable, MinHash]], check_duplication: bool) -> None:
        for key, _ in given:
            if check_duplication and key in self._buckets:
                raise ValueError(f"{key!r}: is there already; remove it first")
        for (key, minhash), buckets in zip(given, self._buckets_of([minhash for _, minhash in given])):
            if key in self._buckets:
                self.remove(key)
            self._buckets[key] = buckets
            self._elements[key] = minhash.elements
            for table, bucket in zip(self._tables, buckets):
                table.setdefault(bucket, set()).add(key)

    def _buckets_of(self, minhashes: Sequence[MinHash]) -> list[tuple[int, ...]]:
        """One a band; none for a set without elements, which is like no other."""
        if not minhashes:
            return []
        for minhash in minhashes:
            _require_minhash(minhash, "minhash")
        seed = minhashes[0].seed
        for minhash in minhashes:
            if len(minhash) != self.h:
                raise ValueError(f"num_perm: {len(minhash)}, that of the index is {self.h}")
            if minhash.seed != seed:
                raise ValueError(f"seed: {minhash.seed} and {seed}; only sketches of one seed go together")
        _settle(minhashes)
        sketches = _slots_of([minhash.elements for minhash in minhashes], self.h, seed)
        keys = pa.array(stage.band_keys(sketches, _plan(self.h, seed, self.b, self.r)))
        return [() if row is None else tuple(row) for row in keys.to_pylist()]

    def query(self, minhash: MinHash) -> list[Hashable]:
        """The keys of the sets that reach the threshold, in no order; of all candidates without `verify`."""
        (buckets,) = self._buckets_of([minhash])
        met: set[Hashable] = set()
        for table, bucket in zip(self._tables, buckets):
            met |= table.get(bucket, set())
        if not self.verify:
            return list(met)
        mine = minhash.elements
        return [key for key in met if self._reaches(mine, self._elements[key])]

    def _reaches(self, a: Hashes, b: Hashes) -> bool:
        if min(len(a), len(b)) < self.threshold * max(len(a), len(b)) * (1 - 1e-12):
            return False
        shared = _shared(a, b)
        return shared / (len(a) + len(b) - shared) >= self.threshold

    def remove(self, key: Hashable) -> None:
        if key not in self._buckets:
            raise ValueError(f"{key!r}: there is no such key")
        for table, bucket in zip(self._tables, self._buckets.pop(key)):
            table[bucket].discard(key)
            if not table[bucket]:
                del table[bucket]
        del self._elements[key]

    def merge(self, other: MinHashLSH, check_overlap: bool = False) -> None:
        """Takes over all that the other holds."""
        if (self.threshold, self.h, self.b, self.r) != (other.threshold, other.h, other.b, other.r):
            raise ValueError("merge: the other has another threshold, num_perm or shape; only equal ones can be joined")
        if check_overlap and (both := self._buckets.keys() & other._buckets.keys()):
            raise ValueError(f"merge: {len(both)} keys are in both, such as {next(iter(both))!r}")
        for key, buckets in other._buckets.items():
            if key in self._buckets:
                self.remove(key)
            self._buckets[key], self._elements[key] = buckets, other._elements[key]
            for table, bucket in zip(self._tables, buckets):
                table.setdefault(bucket, set()).add(key)

    def __contains__(self, key: Hashable) -> bool:
        return key in self._buckets

    @property
    def keys(self) -> _Keys:
        """`lsh.keys` and `lsh.keys.keys()` go through all keys, `lsh.keys[key]` are its buckets, one a band."""
        return _Keys(self._buckets)

    def __getattr__(self, name: str) -> NoReturn:
        if name in _INSTEAD_OF_ATTRIBUTE:
            raise AttributeError(f"{name}: is not offered by nearkin.compat.datasketch; use {_INSTEAD_OF_ATTRIBUTE[name]}")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def is_empty(self) -> bool:
        return not self._buckets

    def get_counts(self) -> list[dict[int, int]]:
        """How many sets are in each bucket, a dict a band."""
        return [{bucket: len(keys) for bucket, keys in table.items()} for table in self._tables]

    def get_subset_counts(self, *keys: Hashable) -> list[dict[int, int]]:
        met = [buckets for key in keys if (buckets := self._buckets.get(key))]
        return [dict(Counter(buckets[band] for buckets in met)) for band in range(self.b)]

    def insertion_session(self, buffer_size: int = 50_000) -> _Session:
        """`with lsh.insertion_session() as session: session.insert(key, minhash)`: many at once, which is faster."""
        return _Session(self, buffer_size)

    def deletion_session(self, buffer_size: int = 50_000) -> _Session:
        return _Session(self, buffer_size)


class _Keys(Mapping[Hashable, tuple[int, ...]]):
    """To look at; keys come and go by insert and remove."""

    def __init__(self, buckets: dict[Hashable, tuple[int, ...]]):
        self._of = buckets

    def __getitem__(self, key: Hashable) -> tuple[int, ...]:
        return self._of[key]

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
        self._waiting: dict[Hashable, MinHash] = {}

    def insert(self, key: Hashable, minhash: MinHash, check_duplication: bool = True) -> None:
        if check_duplication and (key in self._waiting or key in self._lsh):
            raise ValueError(f"{key!r}: is there already; remove it first")
        _require_minhash(minhash, "minhash")
        self._waiting[key] = minhash.copy()
        if len(self._waiting) >= self._size:
            self._flush()

    def remove(self, key: Hashable) -> None:
        if self._waiting.pop(key, None) is None:
            self._lsh.remove(key)

    def close(self) -> None:
        self._flush()

    def _flush(self) -> None:
        self._lsh._insert_all(list(self._waiting.items()), check_duplication=False)
        self._waiting.clear()

    def __enter__(self) -> _Session:
        return self

    def __exit__(self, *_: object) -> None:
        self._flush()
