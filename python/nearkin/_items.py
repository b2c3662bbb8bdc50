"""What comes from elsewhere, as Arrow."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._datasets import is_dataset


def arrow_of(items: Any, column: str) -> Any:
    """Objects that hold Arrow data without saying so: pandas before 2.2, Hugging Face datasets. All else as it is."""
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
