"""The estimator keeps to scikit-learn's conventions."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed")
from sklearn.neighbors import NearestNeighbors  # noqa: E402
from sklearn.utils.estimator_checks import estimator_checks_generator  # noqa: E402

from nearkin.sklearn import NearDuplicates  # noqa: E402

# What is not for an estimator that finds what is nearly the same: its labels need not follow blobs, and permuted rows have other numbers.
NOT_FOR_US = {"check_clustering"}


@pytest.mark.parametrize("estimator, check", list(estimator_checks_generator(NearDuplicates())), ids=lambda value: str(getattr(getattr(value, "func", None), "__name__", "")))
def test_checks_of_scikit_learn(estimator: object, check: object) -> None:
    name = check.func.__name__  # type: ignore[attr-defined]
    if name in NOT_FOR_US:
        pytest.skip(f"{name}: labels of near-duplicates do not follow blobs")
    check(estimator)  # type: ignore[operator]


@pytest.mark.parametrize("measure", ["cosine", "euclidean", "manhattan"])
def test_neighbours_are_those_of_brute_force(measure: str) -> None:
    rng = np.random.default_rng(1)
    X, Q = rng.normal(size=(300, 12)), rng.normal(size=(20, 12))
    ours = NearDuplicates(measure, recall=1, radius=None if measure == "cosine" else 2.0).fit(X)
    theirs = NearestNeighbors(metric=measure, algorithm="brute").fit(X)
    for asked in (Q, None):
        distances, rows = ours.kneighbors(asked, 4)
        expected, numbers = theirs.kneighbors(asked, 4)
        assert np.array_equal(rows, numbers) and np.allclose(distances, expected, atol=1e-5)
    graph = ours.kneighbors_graph(Q, 3, mode="distance")
    assert graph.shape == (20, 300) and np.allclose(graph.toarray(), theirs.kneighbors_graph(Q, 3, mode="distance").toarray(), atol=1e-5)


def test_a_graph_of_all_within_a_radius() -> None:
    X = np.array([[0.0, 0], [0, 1], [0, 3], [9, 9]])
    model = NearDuplicates("euclidean", radius=2.5, recall=1).fit(X)
    assert model.labels_.tolist() == [0, 0, 0, 1]
    graph = model.radius_neighbors_graph(mode="distance")
    assert graph.toarray().tolist() == [[0, 1, 0, 0], [1, 0, 2, 0], [0, 2, 0, 0], [0, 0, 0, 0]]
    assert model.radius_neighbors_graph([[0.0, 2]], radius=1.5).toarray().tolist() == [[0, 1, 1, 0]]


def test_texts_and_sets() -> None:
    texts = ["one two three four five six", "seven", "one two three four five six"]
    model = NearDuplicates().fit(texts)
    assert model.labels_.tolist() == [0, 1, 0] and model.plan_.startswith("jaccard>=0.8")
    distances, rows = model.kneighbors(["one two three four five six"], 2)
    assert rows[0].tolist() == [0, 2] and distances[0].tolist() == [0, 0]
    assert NearDuplicates(threshold=0.5).fit([{1, 2, 3}, {1, 2}, {9}]).labels_.tolist() == [0, 0, 1]
    with pytest.raises(ValueError, match="n_neighbors: 9 of 3 items"):
        model.kneighbors(n_neighbors=9)


def test_a_radius_without_a_distance_is_refused() -> None:
    for measure in ("cosine", None):
        with pytest.raises(ValueError, match="radius: 0.1 is a distance, and measure is"):
            NearDuplicates(measure, radius=0.1).fit(np.eye(3))
    assert NearDuplicates("euclidean", radius=0.1).fit(np.eye(3)).labels_.tolist() == [0, 1, 2]


def test_hamming_compares_rows_of_bits() -> None:
    rng = np.random.default_rng(3)
    bits = rng.random((40, 32)) < 0.5
    bits[20:] = bits[:20]
    bits[np.arange(20, 40), rng.integers(32, size=20)] ^= True
    model = NearDuplicates("hamming", radius=1, recall=1).fit(bits)
    assert model.labels_.tolist() == [*range(20), *range(20)]
    graph = model.radius_neighbors_graph(mode="distance")
    far = (bits[:, None, :] != bits[None, :, :]).sum(axis=2)
    assert graph.nnz == sum(far[a, b] <= 1 for a in range(40) for b in range(40) if a != b)
    assert NearDuplicates("hamming", radius=1, recall=1).fit(bits.astype(float)).labels_.tolist() == model.labels_.tolist()
    with pytest.raises(ValueError, match="X: 2.0 is no bit; hamming compares rows of 0 and 1"):
        NearDuplicates("hamming", radius=1).fit(np.full((3, 4), 2))


def test_a_column_of_texts_is_taken_as_texts() -> None:
    pandas = pytest.importorskip("pandas", reason="skipped: pandas is not installed")
    texts = pandas.Series(["one two three four five six", "seven eight", "one two three four five six"])
    assert NearDuplicates().fit(texts).labels_.tolist() == [0, 1, 0]
