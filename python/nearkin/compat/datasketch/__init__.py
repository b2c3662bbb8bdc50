"""datasketch's classes under their names, with their methods and values.

    from nearkin.compat.datasketch import MinHash, MinHashLSH

Sketches have the values that datasketch computes, so stored ones can be loaded and compared. nearkin's own addition is ExactMinHash, which keeps the hashes
of its elements: similarities are exact, and a MinHashLSH(verify=True) answers with those that reach the threshold and no others (docs/migrate.md has more).
What is not offered says so, and what to use, where it is imported.
"""

from __future__ import annotations

from typing import NoReturn

from ._pickles import loads
from .b_bit_minhash import bBitMinHash
from .exact import ExactMinHash
from .hashfunc import sha1_hash32, sha1_hash64
from .hnsw import HNSW
from .hyperloglog import HyperLogLog, HyperLogLogPlusPlus
from .lean_minhash import LeanMinHash
from .lsh import MinHashLSH
from .lshensemble import MinHashLSHEnsemble
from .lshforest import MinHashLSHForest
from .minhash import MinHash
from .weighted_minhash import WeightedMinHash, WeightedMinHashGenerator

WeightedMinHashLSH = MinHashLSH
WeightedMinHashLSHForest = MinHashLSHForest

__all__ = ["ExactMinHash", "HNSW", "HyperLogLog", "HyperLogLogPlusPlus", "LeanMinHash", "MinHash", "MinHashLSH", "MinHashLSHEnsemble", "MinHashLSHForest",
           "WeightedMinHash", "WeightedMinHashGenerator", "WeightedMinHashLSH", "WeightedMinHashLSHForest", "bBitMinHash", "loads", "sha1_hash32", "sha1_hash64"]

_INSTEAD = {
    "AsyncMinHashLSH": "nearkin.Index, which many threads and processes may have open",
    "MinHashLSHBloom": "nearkin.Index, which lies on disk",
}


def __getattr__(name: str) -> NoReturn:
    if name in _INSTEAD:
        raise ImportError(f"{name}: is not offered by nearkin.compat.datasketch; use {_INSTEAD[name]}", name=__name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
