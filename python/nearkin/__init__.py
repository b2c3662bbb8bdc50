"""Finds the items of a collection that are nearly the same: pairs, groups, deduplication and an index.

    plan = nearkin.tune(threshold=0.8, recall=0.95, sample=texts)
    a, b, similarity = nearkin.pairs(texts, plan)
    labels = nearkin.cluster(texts, plan)
    result = nearkin.dedup(texts, plan)
    index = nearkin.Index.open("docs.nearkin")

Items are texts, sets (of str or int) or vectors. Give them as lists, iterators, NumPy arrays, or Arrow data (pyarrow, polars, pandas, DuckDB,
a Hugging Face Dataset). The engine is that of the command line, and so is the answer.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import stage
    from ._core import Column, Items, Plan, __version__
    from ._decontaminate import decontaminate
    from ._files import FilesResult, cluster_files, dedup_files, pairs_files
    from ._index import Answer, Hit, Index
    from ._results import Contamination, Dedup, Injected, Neighbours, Pairs, Passages
    from ._runs import cluster, compare, dedup, pairs, passages, query, tune
    from ._units import Units, units

__all__ = [
    "Answer", "Column", "Contamination", "Dedup", "FilesResult", "Hit", "Index", "Injected", "Items", "Neighbours", "Pairs", "Passages", "Plan", "Units", "__version__", "cluster", "cluster_files", "compare", "decontaminate", "dedup", "dedup_files",
    "pairs", "pairs_files", "passages", "query", "stage", "tune", "units",
]

_HOMES = {
    "_core": ("Column", "Items", "Plan", "__version__"),
    "_decontaminate": ("decontaminate",),
    "_files": ("FilesResult", "cluster_files", "dedup_files", "pairs_files"),
    "_index": ("Answer", "Hit", "Index"),
    "_results": ("Contamination", "Dedup", "Injected", "Neighbours", "Pairs", "Passages"),
    "_runs": ("cluster", "compare", "dedup", "pairs", "passages", "query", "tune"),
    "_units": ("Units", "units"),
}


def __getattr__(name: str) -> Any:
    """Imported when it is first asked for: the command `nearkin`, which begins here too, would else wait for NumPy."""
    if name == "stage":
        return import_module(".stage", __name__)
    for home, names in _HOMES.items():
        if name in names:
            value = globals()[name] = getattr(import_module(f".{home}", __name__), name)
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *__all__]
