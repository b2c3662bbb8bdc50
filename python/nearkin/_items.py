"""What comes from elsewhere, as Arrow."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np
from numpy.typing import NDArray

from ._datasets import is_dataset


def arrow_of(items: Any, column: str, what: str = "items") -> Any:
    """Objects that hold Arrow data without saying so: pandas before 2.2, Hugging Face datasets. All else as it is, sparse matrices once they are
    known to be sound."""
    if hasattr(items, "tocsr"):
        return _sound(items, what)
    if type(items).__module__.split(".")[0] == "pandas" and hasattr(items, "to_numpy"):
        return _pandas_values(_pandas_column(items, column, what) if hasattr(items, "columns") else items)
    if type(items).__name__ == "DuckDBPyRelation":
        items = items.fetch_arrow_table()
    if hasattr(items, "__arrow_c_stream__") or hasattr(items, "__arrow_c_array__"):
        _require_column(_column_names(items), column, what)
        return items
    return _dataset_column(items, column) if is_dataset(items) else items


_TAKEN_FOR_GRANTED = "text"  # the column, where none is asked for; a table of one column has no need of it


def _require_column(names: Optional[list[str]], column: str, what: str) -> None:
    """The engine takes the only column of a table, whatever it is called; a name that was asked for must be there."""
    if names is not None and column not in names and (len(names) != 1 or column != _TAKEN_FOR_GRANTED):
        raise ValueError(f'{what}: there is no column "{column}"; the table has {", ".join(names) or "none"}')


def _column_names(table: Any) -> Optional[list[str]]:
    """None where it is no table, or does not say."""
    places = (getattr(table, "column_names", None), getattr(table, "columns", None), getattr(getattr(table, "schema", None), "names", None))
    return next((names for names in places if isinstance(names, list) and all(isinstance(name, str) for name in names)), None)


def _pandas_column(table: Any, column: str, what: str) -> Any:
    """By its place: other columns may hold what Arrow knows nothing of."""
    names = [str(name) for name in table.columns]
    _require_column(names, column, what)
    if names.count(column) > 1:
        raise ValueError(f'{what}: {names.count(column)} columns are called "{column}"; rename them')
    return table.iloc[:, names.index(column) if column in names else 0]


def _pandas_values(values: Any) -> Any:
    """As Arrow data, but for columns of objects, of which Arrow would say neither row nor type; in these None where a value is missing."""
    missing = np.asarray(values.isna())
    if values.dtype != object and hasattr(values, "__arrow_c_stream__") and not missing.all():
        return values
    array: NDArray[Any] = values.to_numpy()
    if array.dtype == object or missing.all():
        array = array.astype(object)
        array[missing] = None
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
    if matrix.dtype.kind not in "biuf":
        raise TypeError(f"{what}: a sparse matrix of type {matrix.dtype}; vectors are numbers or bool")
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
