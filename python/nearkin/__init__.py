"""The items of a collection that are nearly the same: pairs, groups, deduplication and an index.

    plan = nearkin.tune(threshold=0.8, recall=0.95, sample=texts)
    a, b, similarity = nearkin.pairs(texts, plan)
    labels = nearkin.cluster(texts, plan)
    result = nearkin.dedup(texts, plan)
    index = nearkin.Index.open("docs.nearkin")

Items are texts, sets (of str or int) or vectors: lists and iterators, NumPy arrays, and whatever speaks Arrow (pyarrow, polars, pandas, DuckDB,
a Hugging Face Dataset). The same engine as the command line, and the same answer.
"""

from ._core import Column, Items, Plan, __version__
from ._files import FilesResult, cluster_files, dedup_files, pairs_files
from ._index import Answer, Hit, Index
from ._runs import Dedup, Pairs, cluster, compare, dedup, pairs, tune
from . import stage

__all__ = [
    "Answer", "Column", "Dedup", "FilesResult", "Hit", "Index", "Items", "Pairs", "Plan", "__version__", "cluster", "cluster_files", "compare", "dedup", "dedup_files",
    "pairs", "pairs_files", "stage", "tune",
]
