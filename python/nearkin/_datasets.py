"""Hugging Face datasets: what comes in as one goes out as one."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Any, Callable

_MARKS = (("state.json", "dataset_info.json"), ("dataset_dict.json",))  # what save_to_disk leaves in a folder of one dataset, and of its splits


def is_dataset(items: Any) -> bool:
    """Throws TypeError for one that is streamed, whose rows have no numbers."""
    if type(items).__module__.split(".")[0] != "datasets":
        return False
    if type(items).__name__.startswith("IterableDataset"):
        raise TypeError(f'items: {type(items).__name__} is a stream, whose rows cannot be chosen; give [row["text"] for row in dataset], or load it without streaming')
    return hasattr(items, "column_names")


def is_saved(path: Any) -> bool:
    """Whether a folder was written by save_to_disk."""
    return isinstance(path, (str, os.PathLike)) and any(all(os.path.isfile(os.path.join(path, name)) for name in names) for names in _MARKS)


def refuse_saved(path: str) -> None:
    """The texts in such a folder are in files of Arrow, which the engine does not read."""
    if is_saved(path):
        raise ValueError(f"{path}: was written by save_to_disk of Hugging Face; use nearkin.dedup_files(folder, output) in Python, or export it with its to_parquet")


def deduplicated(dataset: Any, kept_rows: Callable[[Any], Any]) -> Any:
    """The rows that stay; of a DatasetDict each split by itself. `kept_rows` gives those of a dataset."""
    if isinstance(dataset, dict):
        return type(dataset)({name: deduplicated(split, kept_rows) for name, split in dataset.items()})
    return dataset.select(kept_rows(dataset))


def deduplicate_folder(folder: Any, output: Any, kept_rows: Callable[[Any], Any]) -> Any:
    """Reads a folder of save_to_disk, writes another; returns the dataset."""
    if os.path.realpath(folder) == os.path.realpath(output):
        raise ValueError(f"output: {os.fspath(output)} is also an input; name another folder")
    try:
        datasets = import_module("datasets")
    except ImportError:
        raise OSError(f"{os.fspath(folder)}: is a dataset of Hugging Face, which needs datasets; pip install datasets") from None
    left = deduplicated(datasets.load_from_disk(os.fspath(folder)), kept_rows)
    left.save_to_disk(os.fspath(output))
    return left
