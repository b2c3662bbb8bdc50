"""Scripts for datasketch, run with either library: the same keys, and similarities that are exact where datasketch estimates."""

from __future__ import annotations

import pickle
import random
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyarrow")

from nearkin.compat import datasketch as ours  # noqa: E402

try:
    import datasketch as theirs
except ImportError:
    theirs = None

LIBRARIES = [pytest.param(ours, id="nearkin"), pytest.param(theirs, id="datasketch", marks=pytest.mark.skipif(theirs is None, reason="datasketch is not installed"))]
RIVERS = "the Danube the Rhine the Elbe the Oder and the Vistula flow to different seas".split()
OTHERS = "the Danube the Rhine the Elbe the Oder and the Weser flow to different seas".split()


def sketch_of(library: Any, words: Any, **options: Any) -> Any:
    made = library.MinHash(**options)
    for word in words:
        made.update(word.encode())
    return made


def random_sets(count: int, seed: int = 1) -> list[set[str]]:
    """Each second one shares most of its elements with the one before."""
    choose = random.Random(seed)
    sets: list[set[str]] = []
    for i in range(count):
        if i % 2 == 0:
            sets.append({f"e{choose.randrange(10**9)}" for _ in range(60)})
        else:
            kept = choose.sample(sorted(sets[-1]), choose.randint(40, 60))
            sets.append({*kept, *(f"n{choose.randrange(10**9)}" for _ in range(60 - len(kept)))})
    return sets


def jaccard(a: set[str], b: set[str]) -> float:
    return len(a & b) / len(a | b)


@pytest.mark.parametrize("library", LIBRARIES)
def test_two_texts_are_compared(library: Any) -> None:
    a, b = sketch_of(library, RIVERS), sketch_of(library, OTHERS)
    true = jaccard(set(RIVERS), set(OTHERS))
    assert a.jaccard(b) == pytest.approx(true, abs=0.15)
    assert len(a) == 128 and a.count() == pytest.approx(len(set(RIVERS)), abs=4)
    assert a == sketch_of(library, reversed(RIVERS)) and a != b
    if library is ours:
        assert a.jaccard(b) == true and a.count() == len(set(RIVERS))


@pytest.mark.parametrize("library", LIBRARIES)
def test_sketches_are_joined_copied_and_cleared(library: Any) -> None:
    a, b = sketch_of(library, ["x", "y"]), sketch_of(library, ["y", "z"])
    both = library.MinHash.union(a, b)
    copy = a.copy()
    copy.merge(b)
    assert copy == both == sketch_of(library, ["x", "y", "z"]) and a == sketch_of(library, ["x", "y"])
    copy.clear()
    assert copy.is_empty() and not both.is_empty() and copy == library.MinHash()
    assert library.MinHash().jaccard(library.MinHash()) == 1.0
    assert pickle.loads(pickle.dumps(both)) == both
    for other in (library.MinHash(seed=2), library.MinHash(num_perm=64)):
        with pytest.raises(ValueError):
            a.merge(other)
        with pytest.raises(ValueError):
            a.jaccard(other)


@pytest.mark.parametrize("library", LIBRARIES)
def test_many_elements_and_many_sets_at_once_are_the_same_as_one_by_one(library: Any) -> None:
    sets = random_sets(20)
    batch = library.MinHash(num_perm=64)
    batch.update_batch(word.encode() for word in sets[0])
    assert batch == sketch_of(library, sets[0], num_perm=64)
    data = [[word.encode() for word in each] for each in sets]
    assert list(library.MinHash.bulk(data, num_perm=64)) == [sketch_of(library, each, num_perm=64) for each in sets]
    assert list(library.MinHash.generator(data, num_perm=64)) == library.MinHash.bulk(data, num_perm=64)


def test_the_sketch_estimates_the_similarity() -> None:
    a, b = {f"e{i}" for i in range(300)}, {f"e{i}" for i in range(100, 400)}
    x, y = sketch_of(ours, a, num_perm=1024, seed=7), sketch_of(ours, b, num_perm=1024, seed=7)
    assert np.mean(x.hashvalues == y.hashvalues) == pytest.approx(jaccard(a, b), abs=4 * (0.25 / 1024) ** 0.5)
    assert x.hashvalues.dtype == np.uint32 and not np.array_equal(x.hashvalues, sketch_of(ours, a, num_perm=1024).hashvalues)


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_hash_function_of_ones_own_tells_elements_apart(library: Any) -> None:
    made = library.MinHash(hashfunc=lambda word: len(word))
    made.update("ab")
    made.update("cd")
    other = library.MinHash(hashfunc=lambda word: len(word))
    other.update("ef")
    assert made == other


@pytest.mark.parametrize("library", LIBRARIES)
def test_an_index_finds_what_is_similar_and_forgets_what_is_removed(library: Any) -> None:
    lsh = library.MinHashLSH(threshold=0.5, num_perm=128)
    assert lsh.is_empty()
    lsh.insert("rivers", sketch_of(library, RIVERS))
    lsh.insert("others", sketch_of(library, OTHERS))
    lsh.insert("words", sketch_of(library, ["entirely", "different", "words"]))
    assert set(lsh.query(sketch_of(library, RIVERS))) == {"rivers", "others"}
    assert "rivers" in lsh and "nosuch" not in lsh and not lsh.is_empty()
    with pytest.raises(ValueError):
        lsh.insert("rivers", sketch_of(library, RIVERS))
    lsh.remove("others")
    assert lsh.query(sketch_of(library, RIVERS)) == ["rivers"]
    with pytest.raises(ValueError):
        lsh.remove("others")
    with pytest.raises(ValueError):
        lsh.query(library.MinHash(num_perm=64))
    assert [sum(counts.values()) for counts in lsh.get_counts()] == [2] * lsh.b
    again = pickle.loads(pickle.dumps(lsh))
    assert again.query(sketch_of(library, RIVERS)) == ["rivers"]


@pytest.mark.parametrize("library", LIBRARIES)
def test_sessions_put_in_and_take_out_many(library: Any) -> None:
    sets = random_sets(200)
    lsh = library.MinHashLSH(threshold=0.7, num_perm=128)
    with lsh.insertion_session(buffer_size=64) as session:
        for i, each in enumerate(sets):
            session.insert(i, sketch_of(library, each))
    assert all(i in lsh.query(sketch_of(library, each)) for i, each in enumerate(sets))
    with lsh.deletion_session() as session:
        for i in range(100):
            session.remove(i)
    assert 99 not in lsh and 100 in lsh


def test_queries_answer_with_those_that_reach_the_threshold_and_no_others() -> None:
    sets = random_sets(1000)
    lsh = ours.MinHashLSH(threshold=0.7, num_perm=128)
    sketches = ours.MinHash.bulk([[word.encode() for word in each] for each in sets])
    with lsh.insertion_session() as session:
        for i, sketch in enumerate(sketches):
            session.insert(i, sketch)
    true = {(i, i + 1) for i in range(0, 1000, 2) if jaccard(sets[i], sets[i + 1]) >= 0.7}
    found = {(i, key) for i, sketch in enumerate(sketches) for key in lsh.query(sketch) if i < key}
    assert found <= true and len(found) >= 0.95 * len(true) and len(true) > 100


@pytest.mark.skipif(theirs is None, reason="datasketch is not installed")
@pytest.mark.parametrize("threshold", [0.3, 0.5, 0.8, 0.9])
def test_unverified_the_table_has_datasketchs_shape_and_its_recall(threshold: float) -> None:
    a, b = ours.MinHashLSH(threshold=threshold, num_perm=128, verify=False), theirs.MinHashLSH(threshold=threshold, num_perm=128)
    assert (a.b, a.r) == (b.b, b.r)
    sets = random_sets(600, seed=3)
    found = []
    for library, lsh in ((ours, a), (theirs, b)):
        sketches = [sketch_of(library, each) for each in sets]
        for i, sketch in enumerate(sketches):
            lsh.insert(i, sketch)
        found.append(sum(len(lsh.query(sketch)) for sketch in sketches) - 600)
    assert found[0] == pytest.approx(found[1], rel=0.1, abs=20)


@pytest.mark.parametrize("library", LIBRARIES)
def test_the_keys_of_an_index_can_be_gone_through(library: Any) -> None:
    lsh = library.MinHashLSH(threshold=0.5, num_perm=128)
    for key in ("a", "b"):
        lsh.insert(key, sketch_of(library, [key, "x"]))
    assert sorted(lsh.keys) == sorted(lsh.keys.keys()) == ["a", "b"] and len(lsh.keys) == lsh.keys.size() == 2
    assert "a" in lsh.keys and lsh.keys.has_key("b") and "c" not in lsh.keys and len(lsh.keys["a"]) == lsh.b
    lsh.remove("a")
    assert list(lsh.keys) == ["b"]
    assert [sum(counts.values()) for counts in lsh.get_subset_counts("b", "nosuch")] == [1] * lsh.b
    session = lsh.insertion_session()
    session.insert("c", sketch_of(library, ["c"]))
    session.close()
    assert "c" in lsh


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_lean_sketch_is_compared_kept_and_written_and_not_updated(library: Any) -> None:
    a, b = sketch_of(library, RIVERS, seed=3), sketch_of(library, OTHERS, seed=3)
    lean = library.LeanMinHash(a)
    assert lean.jaccard(b) == a.jaccard(b) == b.jaccard(lean) and len(lean) == 128 and lean.seed == 3
    assert lean == library.LeanMinHash(a) != library.LeanMinHash(b) and lean != a and np.array_equal(lean.hashvalues, a.hashvalues)
    assert len({lean, library.LeanMinHash(a), library.LeanMinHash(b)}) == 2
    assert lean.copy() == lean == pickle.loads(pickle.dumps(lean)) and isinstance(lean.copy(), library.LeanMinHash)
    for order in "@<>":
        buffer = bytearray(lean.bytesize(order))
        lean.serialize(buffer, order)
        assert library.LeanMinHash.deserialize(buffer, order) == lean
    with pytest.raises(ValueError):
        lean.serialize(bytearray(3))
    with pytest.raises(TypeError):
        lean.update(b"x")
    both = library.LeanMinHash.union(lean, library.LeanMinHash(b))
    assert isinstance(both, library.LeanMinHash) and both == library.LeanMinHash(library.MinHash.union(a, b))
    lsh = library.MinHashLSH(threshold=0.5)
    lsh.insert("rivers", lean)
    assert lsh.query(a) == lsh.query(lean) == ["rivers"]


@pytest.mark.skipif(theirs is None, reason="datasketch is not installed")
def test_every_public_name_of_datasketch_is_there_or_says_what_to_use() -> None:
    for name in theirs.__all__:
        if name not in ours.__all__:
            with pytest.raises(ImportError, match=f"{name}: is not offered by nearkin.compat.datasketch; use "):
                getattr(ours, name)
    with pytest.raises(AttributeError):
        ours.nosuch  # type: ignore[attr-defined]
    lsh = ours.MinHashLSH()
    for name in set(dir(theirs.MinHashLSH)) | set(vars(theirs.MinHashLSH())):
        if not name.startswith("_") and name not in ("prepickle", "hashfunc") and not hasattr(lsh, name):
            with pytest.raises(AttributeError, match=f"{name}: is not offered by nearkin.compat.datasketch; use "):
                getattr(lsh, name)
    with pytest.raises(TypeError, match="datasketch.minhash.MinHash is no MinHash of nearkin.compat.datasketch"):
        lsh.insert("a", theirs.MinHash())


def test_what_is_not_offered_is_refused_with_the_way_out() -> None:
    with pytest.raises(ValueError, match="nearkin.Index"):
        ours.MinHashLSH(storage_config={"type": "redis", "redis": {"host": "localhost"}})
    with pytest.raises(ValueError, match="update with the elements"):
        ours.MinHash(hashvalues=[1, 2, 3])
    with pytest.raises(ValueError, match="need 2500 hashes"):
        ours.MinHashLSH(params=(50, 50))
    with pytest.raises(TypeError, match="an element is bytes"):
        ours.MinHash().update(3)  # type: ignore[arg-type]
    for wrong, words in ((dict(hashobj=hash), "give a hashfunc"), (dict(gpu_mode="always"), "no code for GPUs"), (dict(num_perm=0), "num_perm: 0 is too small"),
                         (dict(seed=-1), "seed: -1")):
        with pytest.raises(ValueError, match=words):
            ours.MinHash(**wrong)
    with pytest.raises(ValueError, match="update with the elements"):
        ours.LeanMinHash(seed=1, hashvalues=[1, 2, 3])
    with pytest.raises(TypeError, match="builtins.int is no MinHash"):
        ours.MinHashLSH().query(3)  # type: ignore[arg-type]
    with pytest.warns(UserWarning, match="weights: count only with verify=False"):
        ours.MinHashLSH(weights=(0.9, 0.1))


def test_sets_without_elements_are_like_none() -> None:
    lsh = ours.MinHashLSH(threshold=0.5)
    lsh.insert("empty", ours.MinHash())
    assert lsh.query(ours.MinHash()) == [] and "empty" in lsh
    lsh.remove("empty")
    assert lsh.is_empty()
