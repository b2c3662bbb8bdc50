"""Rows of sparse matrices as weighted sets, by weighted Jaccard, against a brute force."""

from __future__ import annotations

import numpy as np
import pytest

import nearkin

sparse = pytest.importorskip("scipy.sparse", reason="skipped: SciPy is not installed")


def weights(rows: int, columns: int, seed: int) -> np.ndarray:
    """Random weights, half of the rows another with its weights changed; some rows have none, some are equal."""
    rng = np.random.default_rng(seed)
    matrix = np.where(rng.random((rows, columns)) < 0.15, rng.exponential(2.0, (rows, columns)), 0.0)
    for row in range(1, rows, 2):
        spread = rng.choice([0.0, 0.1, 0.3, 0.6])
        matrix[row] = matrix[rng.integers(row)] * rng.uniform(1 - spread, 1 + spread, columns)
    matrix[rng.integers(rows, size=3)] = 0
    return matrix


def similarities(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Σ min / Σ max of each row of a with each of b; nothing is similar to a row without weights."""
    least, most = (np.array([[np.sum(of(x, y)) for y in b] for x in a]) for of in (np.minimum, np.maximum))
    known = (a.sum(axis=1) > 0)[:, None] & (b.sum(axis=1) > 0)[None, :]
    return np.where(known, least / np.where(most > 0, most, 1), 0)


def pairs_of(found: nearkin.Pairs) -> dict[tuple[int, int], float]:
    return {(int(a), int(b)): float(similarity) for a, b, similarity in zip(*found)}


@pytest.mark.parametrize("kind", ["csr_matrix", "coo_matrix", "csc_array"])
@pytest.mark.parametrize("threshold, seed", [(0.5, 1), (0.8, 2)])
def test_recall_one_finds_what_brute_force_finds(kind: str, threshold: float, seed: int) -> None:
    matrix = weights(150, 60, seed)
    plan = nearkin.tune(measure="weighted-jaccard", threshold=threshold, recall=1, features="numbers")
    exact = similarities(matrix, matrix)
    assert np.abs(exact - threshold).min() > 1e-9  # no pair is so near the threshold that rounding could decide
    expected = {(a, b): exact[a, b] for a in range(150) for b in range(a + 1, 150) if exact[a, b] >= threshold}
    given = getattr(sparse, kind)(matrix)
    found = pairs_of(nearkin.pairs(given, plan))
    assert len(expected) > 20 and found.keys() == expected.keys()
    assert all(abs(found[pair] - expected[pair]) < 1e-9 for pair in expected)


def components(pairs: dict[tuple[int, int], float], rows: int) -> list[int]:
    labels = list(range(rows))
    for _ in range(rows):
        for a, b in pairs:
            labels[a] = labels[b] = min(labels[a], labels[b])
    return [sorted(set(labels)).index(label) for label in labels]


def stars(exact: np.ndarray, threshold: float) -> list[int]:
    keeper = [-1] * len(exact)
    for row in range(len(exact)):
        if keeper[row] < 0:
            for other in range(row, len(exact)):
                if keeper[other] < 0 and (other == row or exact[row, other] >= threshold):
                    keeper[other] = row
    return keeper


def test_groups_are_those_of_brute_force() -> None:
    matrix = weights(150, 60, 3)
    given, plan = sparse.csr_matrix(matrix), nearkin.tune(measure="weighted-jaccard", threshold=0.6, recall=1, features="numbers")
    exact = similarities(matrix, matrix)
    expected = {(a, b): exact[a, b] for a in range(150) for b in range(a + 1, 150) if exact[a, b] >= 0.6}
    assert nearkin.cluster(given, plan).tolist() == components(expected, 150)
    assert nearkin.dedup(given, plan).keeper.tolist() == stars(exact, 0.6)


def test_bands_find_nothing_wrong_and_most_of_it_and_two_matrices_are_compared() -> None:
    matrix = weights(400, 60, 4)
    given = sparse.csr_matrix(matrix)
    plan = nearkin.tune(measure="weighted-jaccard", threshold=0.7, recall=0.95, sample=given)
    assert plan.features == "numbers"
    exact = similarities(matrix, matrix)
    expected = {(a, b) for a in range(400) for b in range(a + 1, 400) if exact[a, b] >= 0.7}
    found = pairs_of(nearkin.pairs(given, plan))
    assert found.keys() <= expected and len(found) >= 0.9 * len(expected) > 50
    across = pairs_of(nearkin.pairs(given[:200], nearkin.tune(measure="weighted-jaccard", threshold=0.7, recall=1, features="numbers"), against=given[200:]))
    assert across.keys() == {(a, b - 200) for a, b in expected if a < 200 <= b}


def test_a_plan_for_texts_says_how_to_get_one_for_weights() -> None:
    with pytest.raises(ValueError, match='measure weighted-jaccard of shingles is for texts and sets.*tune with features="numbers", or with a sample'):
        nearkin.pairs(sparse.csr_matrix(weights(10, 5, 5)), nearkin.tune(measure="weighted-jaccard"))


def test_an_average_recall_is_planned_for_the_counts() -> None:
    texts = []
    for i in range(600):  # weighted 0.76, as sets 0.95
        words = [f"w{i}x{k}" for k in range(19)]
        texts += [" ".join([*words, f"p{i}"]), " ".join([*words, *words[:5]])]
    plan = nearkin.tune(measure="weighted-jaccard", threshold=0.75, shingle="word:1", recall_at="average", sample=texts)
    assert len(nearkin.pairs(texts, plan)) >= 0.9 * 600


def test_tfidf_takes_words_and_compare_takes_no_plan_of_vectors() -> None:
    plan = nearkin.tune(measure="cosine", features="tfidf", threshold=0.1, recall=1)
    assert plan.shingle == "word:1"
    assert nearkin.tune(features="tfidf", normalise="none").shingle == "word:1"
    assert nearkin.tune(features="tfidf").measure == nearkin.tune(sample=np.eye(3)).measure == "cosine"
    assert nearkin.tune(sample=np.eye(8, dtype=bool), radius=1).measure == "hamming"
    assert nearkin.tune().measure == "jaccard"
    assert len(nearkin.pairs(["a b", "a c", "a b"], plan)) == 3
    with pytest.raises(ValueError, match="two texts are compared by their shingles, not as tfidf"):
        nearkin.compare("a b", "a c", plan)


def test_lists_of_bools_are_no_sets() -> None:
    with pytest.raises(TypeError, match="an element of a set is bool; for bit strings"):
        nearkin.pairs([[True, False, True], [False, True, False]])
