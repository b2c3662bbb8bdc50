"""Sketches that datasketch has pickled."""

from __future__ import annotations

import io
import pickle
from typing import Any

_SKETCHES = {
    "datasketch.minhash": {"MinHash"},
    "datasketch.lean_minhash": {"LeanMinHash"},
    "datasketch.weighted_minhash": {"WeightedMinHash"},
    "datasketch.hyperloglog": {"HyperLogLog", "HyperLogLogPlusPlus"},
    "datasketch.hashfunc": {"sha1_hash32", "sha1_hash64"},
}
_PARTS = {"copy_reg": {"_reconstructor"}, "copyreg": {"_reconstructor", "__newobj__"}, "builtins": {"bytearray", "list", "dict", "set", "tuple", "object"},
          "__builtin__": {"bytearray", "object"}, "_codecs": {"encode"},
          "numpy": {"ndarray", "dtype"}, "numpy.core.multiarray": {"_reconstruct"}, "numpy._core.multiarray": {"_reconstruct"},
          "numpy.core.numeric": {"_frombuffer"}, "numpy._core.numeric": {"_frombuffer"}}


class _Reader(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if name in _SKETCHES.get(module, ()):
            return super().find_class(f"{__package__}.{module.partition('.')[2]}", name)
        if name in _PARTS.get(module, ()):
            return super().find_class(module, name)
        raise ValueError(f"{module}.{name}: only sketches of datasketch are read, made with its own hash functions; index them again, or load their hashvalues")


def loads(data: bytes) -> Any:
    """A MinHash, LeanMinHash, WeightedMinHash, HyperLogLog or HyperLogLogPlusPlus, or a list or dict of them, from what datasketch has pickled. Nothing else is
    created, and no other code is run."""
    return _Reader(io.BytesIO(data)).load()
