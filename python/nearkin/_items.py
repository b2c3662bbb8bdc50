"""What comes from elsewhere, as Arrow."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._datasets import is_dataset


def arrow_of(items: Any, column: str, what: str = "items") -> Any:
    """Objects that hold Arrow data without saying so: pandas before 2.2, Hugging Face datasets. All else as it is, sparse matrices once they are
    known to be sound."""
    if hasattr(items, "tocsr"):
        return _sound(items, what)
    if items is None or hasattr(items, "__arrow_c_stream__") or hasattr(items, "__arrow_c_array__"):
        return items
    if is_dataset(items):
        return _dataset_column(items, column)
    if type(items).__module__.split(".")[0] == "pandas" and hasattr(items, "to_numpy"):
        return _pandas_values(items[column] if hasattr(items, "columns") else items)
    if type(items).__name__ == "DuckDBPyRelation":
        return items.fetch_arrow_table()
    return items


def _pandas_values(values: Any) -> NDArray[Any]:
    """None where a value is missing, whatever pandas has there."""
    array: NDArray[Any] = values.to_numpy()
    if array.dtype == object:
        array = array.copy()
        array[np.asarray(values.isna())] = None
    return array


def _dataset_column(dataset: Any, column: str) -> Any:
    """Of a Hugging Face Dataset, its selection and order respected."""
    if column not in dataset.column_names:
        raise ValueError(f'there is no column "{column}"; the dataset has {", ".join(dataset.column_names)}')
    import pyarrow as pa

    batches = dataset.select_columns([column]).with_format("arrow").iter(batch_size=10_000)
    return pa.chunked_array([chunk for table in batches for chunk in table[column].chunks] or [pa.array([], pa.string())])


def _sound(matrix: Any, what: str) -> Any:
    """A sparse matrix whose parts fit together; SciPy itself reads beyond them where they do not. Throws ValueError."""
    if len(matrix.shape) != 2:
        raise ValueError(f"{what}: a sparse array of {len(matrix.shape)} dimensions; give one of 2, with a vector a row")
    if matrix.format == "dok":  # which is a dict, too
        return matrix.tocsr()
    if matrix.format == "coo":
        _require_within(matrix.row, matrix.shape[0], what, "row")
        _require_within(matrix.col, matrix.shape[1], what, "col")
    elif matrix.format in ("csr", "csc"):
        rows, width = matrix.shape if matrix.format == "csr" else matrix.shape[::-1]
        _require_ends(np.asarray(matrix.indptr), rows, min(len(matrix.indices), len(matrix.data)), what)
        _require_within(matrix.indices[: matrix.indptr[-1]], width, what, "indices")
    return matrix


def _require_ends(ends: NDArray[Any], rows: int, most: int, what: str) -> None:
    if len(ends) != rows + 1 or ends[0] != 0 or ends[-1] > most or bool(np.any(ends[1:] < ends[:-1])):
        raise ValueError(f"{what}: indptr is not {rows + 1} numbers that ascend from 0 to at most {most}; give a matrix whose parts fit together")


def _require_within(places: NDArray[Any], size: int, what: str, name: str) -> None:
    if len(places) and not 0 <= (least := places.min()) <= (most := places.max()) < size:
        raise ValueError(f"{what}: {name} has {least if least < 0 else most}, and they count from 0 to {size - 1}; give a matrix whose parts fit together")
