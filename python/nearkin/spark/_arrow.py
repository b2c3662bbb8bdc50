"""Between Arrow as Spark knows it and Arrow as the stages give it. Spark has no unsigned numbers and no lists of fixed size."""

from __future__ import annotations

import numpy as np
import pyarrow as pa


def longs_of_contents(contents: pa.Array) -> tuple[pa.Array, pa.Array]:
    """Contents of 16 bytes as two columns of 64-bit numbers, which Spark groups by without objects."""
    if len(contents) == 0:
        return pa.array([], pa.int64()), pa.array([], pa.int64())
    data = np.frombuffer(contents.buffers()[1], dtype="<i8", count=2 * len(contents), offset=16 * contents.offset)
    return pa.array(data[0::2].copy()), pa.array(data[1::2].copy())


def lists_of_ints(keys: pa.Array) -> pa.Array:
    """Lists of a fixed number of 32-bit unsigned numbers as lists of 32-bit numbers of the same bits."""
    size = keys.type.list_size
    values = keys.values.slice(keys.offset * size, len(keys) * size).view(pa.int32())
    offsets = pa.array(np.arange(len(keys) + 1, dtype=np.int64) * size, pa.int32())
    return pa.ListArray.from_arrays(offsets, values, mask=keys.is_null() if keys.null_count else None)


def bytes_of_features(features: pa.Array) -> pa.Array:
    """Lists of 64-bit hashes as byte strings: Spark moves these as a whole, lists number by number."""
    offsets = np.asarray(features.offsets, dtype=np.int64)
    values = np.asarray(features.values)[offsets[0]:offsets[-1]] if len(features) else np.zeros(0, np.uint64)
    ends = pa.array((offsets - offsets[0]) * 8, pa.int64())
    return pa.Array.from_buffers(pa.large_binary(), len(features), [None, ends.buffers()[1], pa.py_buffer(values.tobytes())])


def features_of_bytes(data: pa.Array) -> pa.Array:
    """The inverse of bytes_of_features."""
    data = data.cast(pa.large_binary())
    count = len(data)
    offsets = np.frombuffer(data.buffers()[1], dtype=np.int64, count=count + 1, offset=8 * data.offset)
    whole = data.buffers()[2]
    values = np.frombuffer(whole, dtype=np.uint64, count=(offsets[-1] - offsets[0]) // 8, offset=int(offsets[0])) if whole else np.zeros(0, np.uint64)
    return pa.LargeListArray.from_arrays(pa.array((offsets - offsets[0]) // 8), pa.array(values))
