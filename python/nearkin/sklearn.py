"""nearkin by the conventions of scikit-learn: an estimator that groups near-duplicates and finds neighbours.

    from nearkin.sklearn import NearDuplicates
    labels = NearDuplicates(threshold=0.9).fit_predict(X)

It needs scikit-learn and SciPy. Vectors are checked as scikit-learn checks them; lists of texts or sets are taken as they are."""

from __future__ import annotations

from typing import Any, Literal, Optional, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._runs import Linkage, Measure, cluster, items_of, query, tune

try:
    from scipy import sparse
    from sklearn.base import BaseEstimator, ClusterMixin
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError as error:
    raise ImportError("nearkin.sklearn needs scikit-learn 1.6 or later and SciPy; pip install scikit-learn") from error

_DISTANCES = ("hamming", "euclidean", "manhattan")


def _holds_numbers(X: Any) -> bool:
    """Whether X is a matrix, or something of rows of numbers: what scikit-learn knows. Lists of texts and of sets are not."""
    if isinstance(X, np.ndarray):
        return X.dtype.kind not in "OUS" or (X.dtype.kind == "O" and X.ndim == 2)
    if getattr(X, "ndim", 2) == 1 and hasattr(X, "to_numpy"):  # a column of a table
        return X.to_numpy().dtype.kind not in "OUST"
    if not isinstance(X, (list, tuple)):
        return True
    first = X[0] if len(X) else None
    is_words = isinstance(first, (list, tuple)) and len(first) > 0 and isinstance(first[0], str)
    return isinstance(first, (list, tuple, np.ndarray, float, int)) and not is_words


class NearDuplicates(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Groups of near-duplicates, and neighbours.

    measure: how two items are compared; None: cosine for vectors, jaccard for texts and sets.
    threshold: the lowest similarity to find. radius: the greatest distance to find, for hamming, euclidean and manhattan.
    recall: the share of the pairs at the threshold to find; 1 compares exactly. linkage: connected or star.
    n_neighbors: the default of `kneighbors`. shingle, seed: as in nearkin.tune. n_jobs: threads; None: one per core.

    After `fit`: labels_ (the cluster of each item, counted from 0), plan_ (the line of the plan), n_features_in_ (vectors).
    """

    def __init__(self, measure: Optional[Measure] = None, *, threshold: float = 0.8, radius: Optional[float] = None, recall: float = 0.95,
                 linkage: Linkage = "connected", n_neighbors: int = 5, shingle: Optional[str] = None, seed: int = 1, n_jobs: Optional[int] = None):
        self.measure = measure
        self.threshold = threshold
        self.radius = radius
        self.recall = recall
        self.linkage = linkage
        self.n_neighbors = n_neighbors
        self.shingle = shingle
        self.seed = seed
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        tags.non_deterministic = False
        return tags

    def fit(self, X: Any, y: Any = None) -> NearDuplicates:
        """Groups the items. y is ignored."""
        given = self._checked(X, reset=True)
        self._fit_X = given
        items = items_of(given, "text")
        plan = self._plan(items, 0)
        self.plan_ = str(plan)
        self.labels_ = cluster(items, plan, linkage=self.linkage, threads=self._threads())
        return self

    def kneighbors(self, X: Any = None, n_neighbors: Optional[int] = None, return_distance: bool = True) -> Any:
        """Finds the nearest of the fitted items, each with the recall asked for. Returns (distances, rows), or rows alone.

        X: None finds the neighbours of the fitted items; an item is not its own neighbour. For similarities, the distance is 1 − similarity.
        If fewer neighbours are found, the remaining rows are -1 and their distances infinite.
        """
        check_is_fitted(self, "labels_")
        count = self.n_neighbors if n_neighbors is None else n_neighbors
        items, own = items_of(self._fit_X, "text"), X is None
        if count < 1 or count > len(items) - own:
            raise ValueError(f"n_neighbors: {count} of {len(items)} items; expected n_neighbors from 1 to {len(items) - own}")
        asked = items if own else items_of(self._checked(X, reset=False), "text")
        found = query(items, asked, self._plan(items, count + own), limit=count + own, threads=self._threads())
        distances, rows = _as_matrix(found, len(asked), count, own, self._distance(found.similarity))
        return (distances, rows) if return_distance else rows

    def kneighbors_graph(self, X: Any = None, n_neighbors: Optional[int] = None, mode: Literal["connectivity", "distance"] = "connectivity") -> Any:
        """The neighbours of `kneighbors` as a SciPy matrix in CSR form: ones, or distances."""
        distances, rows = self.kneighbors(X, n_neighbors)
        return _graph(distances, rows, len(items_of(self._fit_X, "text")), mode)

    def radius_neighbors_graph(self, X: Any = None, radius: Optional[float] = None, mode: Literal["connectivity", "distance"] = "connectivity") -> Any:
        """All neighbours within the threshold or radius (or a stricter radius) as a SciPy matrix in CSR form: ones, or distances.

        X: None finds the neighbours of the fitted items; an item is not its own neighbour.
        """
        check_is_fitted(self, "labels_")
        items = items_of(self._fit_X, "text")
        asked = items if X is None else items_of(self._checked(X, reset=False), "text")
        border = None if radius is None else radius if self._is_distance() else 1 - radius
        found = query(items, asked, self._plan(items, 0), threshold=border, threads=self._threads())
        kept = found.query != found.row if X is None else np.ones(len(found), dtype=bool)
        values = self._distance(found.similarity)[kept] if mode == "distance" else np.ones(int(kept.sum()))
        return sparse.csr_matrix((values, (found.query[kept], found.row[kept])), shape=(len(asked), len(items)))

    def _checked(self, X: Any, reset: bool) -> Any:
        if not _holds_numbers(X):
            return X
        numbers = validate_data(self, X, reset=reset, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_min_samples=1)
        return _as_bits(numbers) if self.measure == "hamming" else numbers

    def _threads(self) -> int:
        return 0 if self.n_jobs is None or self.n_jobs < 0 else self.n_jobs

    def _measure(self, kind: str) -> Measure:
        return self.measure or ("cosine" if kind == "vectors" else "hamming" if kind == "bits" else "jaccard")

    def _is_distance(self) -> bool:
        return self.measure in _DISTANCES

    def _plan(self, items: _core.Items, nearest: int) -> _core.Plan:
        if self.radius is not None and not self._is_distance():
            raise ValueError(f"radius: {self.radius} is a distance, and measure is {self.measure}; give threshold, or one of {', '.join(_DISTANCES)} as measure")
        choices: dict[str, Any] = {"nearest": nearest} if nearest else {"radius": self.radius} if self._is_distance() else {"threshold": self.threshold}
        return tune(measure=self._measure(items.kind), recall=self.recall, sample=items, shingle=self.shingle, seed=self.seed, **choices)

    def _distance(self, similarity: NDArray[np.float64]) -> NDArray[np.float64]:
        return similarity if self._is_distance() else np.maximum(1 - similarity, 0)


def _as_bits(numbers: Any) -> NDArray[np.bool_]:
    dense: NDArray[Any] = numbers.toarray() if sparse.issparse(numbers) else numbers
    wrong = dense[(dense != 0) & (dense != 1)]
    if len(wrong):
        raise ValueError(f"X: {wrong[0]} is no bit; hamming compares rows of 0 and 1, or of bool")
    return dense.astype(bool)


def _as_matrix(found: Any, queries: int, count: int, own: bool, distance: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """A line for each query; `own`: without the query itself."""
    distances = np.full((queries, count), np.inf)
    rows = np.full((queries, count), -1, dtype=np.int64)
    kept = found.query != found.row if own else np.ones(len(found), dtype=bool)
    of, row, far = found.query[kept], found.row[kept], distance[kept]
    place = np.arange(len(of)) - np.searchsorted(of, of)  # how many of the same query come before
    fits = place < count
    distances[of[fits], place[fits]] = far[fits]
    rows[of[fits], place[fits]] = row[fits]
    return distances, rows


def _graph(distances: NDArray[np.float64], rows: NDArray[np.int64], items: int, mode: str) -> Any:
    found = rows >= 0
    of = np.broadcast_to(np.arange(len(rows))[:, None], rows.shape)[found]
    values: Union[NDArray[np.float64], Any] = distances[found] if mode == "distance" else np.ones(int(found.sum()))
    return sparse.csr_matrix((values, (of, rows[found])), shape=(len(rows), items))
