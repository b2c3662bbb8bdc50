"""Scripts for datasketch, run with either library: the same values and keys; and nearkin's own ExactMinHash, whose similarities are exact."""

from __future__ import annotations

import math
import pickle
import random
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyarrow")

from nearkin import tune  # noqa: E402
from nearkin.compat import datasketch as ours  # noqa: E402

try:
    import datasketch as theirs
except ImportError:
    theirs = None

needs_theirs = pytest.mark.skipif(theirs is None, reason="datasketch is not installed")
LIBRARIES = [pytest.param(ours, id="nearkin"), pytest.param(theirs, id="datasketch", marks=needs_theirs)]
RIVERS = "the Danube the Rhine the Elbe the Oder and the Vistula flow to different seas".split()
OTHERS = "the Danube the Rhine the Elbe the Oder and the Weser flow to different seas".split()


def sketch_of(library: Any, words: Any, **options: Any) -> Any:
    made = library.MinHash(**options)
    for word in words:
        made.update(word.encode())
    return made


def exact_of(words: Any, **options: Any) -> Any:
    made = ours.ExactMinHash(**options)
    made.update_batch(word.encode() for word in words)
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


def test_exact_sets_are_compared_exactly() -> None:
    a, b = exact_of(RIVERS), exact_of(OTHERS)
    assert a.jaccard(b) == jaccard(set(RIVERS), set(OTHERS)) and a.count() == len(set(RIVERS))
    both = ours.ExactMinHash.union(a, b)
    assert both == exact_of(RIVERS + OTHERS) != a and pickle.loads(pickle.dumps(both)) == both and both.count() == len({*RIVERS, *OTHERS})
    both.clear()
    assert both.is_empty() and both.jaccard(ours.ExactMinHash()) == 1.0 and both.jaccard(a) == 0.0
    with pytest.raises(ValueError, match="only sketches of one scheme"):
        a.jaccard(ours.MinHash())
    sets = random_sets(20)
    data = [[word.encode() for word in each] for each in sets]
    assert ours.ExactMinHash.bulk(data, num_perm=64) == [exact_of(each, num_perm=64) for each in sets]


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
    x, y = exact_of(a, num_perm=1024, seed=7), exact_of(b, num_perm=1024, seed=7)
    assert np.mean(x.hashvalues == y.hashvalues) == pytest.approx(jaccard(a, b), abs=4 * (0.25 / 1024) ** 0.5)
    assert x.hashvalues.dtype == np.uint32 and not np.array_equal(x.hashvalues, exact_of(a, num_perm=1024).hashvalues)
    u, v = sketch_of(ours, a, num_perm=1024, seed=7), sketch_of(ours, b, num_perm=1024, seed=7)
    assert u.jaccard(v) == pytest.approx(jaccard(a, b), abs=4 * (0.25 / 1024) ** 0.5) and u.count() == pytest.approx(300, rel=0.15)


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
    lsh = ours.MinHashLSH(threshold=0.7, num_perm=128, verify=True)
    sketches = ours.ExactMinHash.bulk([[word.encode() for word in each] for each in sets])
    with lsh.insertion_session() as session:
        for i, sketch in enumerate(sketches):
            session.insert(i, sketch)
    true = {(i, i + 1) for i in range(0, 1000, 2) if jaccard(sets[i], sets[i + 1]) >= 0.7}
    found = {(i, key) for i, sketch in enumerate(sketches) for key in lsh.query(sketch) if i < key}
    assert found <= true and len(found) >= 0.95 * len(true) and len(true) > 100


@needs_theirs
@pytest.mark.parametrize("threshold", [0.3, 0.5, 0.8, 0.9])
def test_the_table_has_datasketchs_shape_and_finds_the_same_keys(threshold: float) -> None:
    a, b = ours.MinHashLSH(threshold=threshold, num_perm=128), theirs.MinHashLSH(threshold=threshold, num_perm=128)
    assert (a.b, a.r, a.hashranges) == (b.b, b.r, b.hashranges)
    sets = random_sets(200, seed=3)
    sketches = [[sketch_of(library, each, scheme="legacy") for each in sets] for library in (ours, theirs)]
    for i in range(200):
        a.insert(i, sketches[0][i])
        b.insert(i, sketches[1][i])
    assert [set(a.query(sketch)) for sketch in sketches[0]] == [set(b.query(sketch)) for sketch in sketches[1]]
    assert a.keys[7] == b.keys[7] and a.get_counts() == b.get_counts()


@needs_theirs
@pytest.mark.parametrize("scheme", ["legacy", "affine32", "affine64"])
def test_sketches_have_datasketchs_values_and_are_read_from_its_stores(scheme: str) -> None:
    words = [f"e{i}" for i in range(3000)]
    a, b = (sketch_of(library, words, num_perm=60, seed=3, scheme=scheme) for library in (ours, theirs))
    assert np.array_equal(a.hashvalues, b.hashvalues) and a.hashvalues.dtype == b.hashvalues.dtype and np.array_equal(a.permutations, b.permutations)
    assert a.count() == pytest.approx(b.count(), rel=1e-9)
    loaded = ours.MinHash(seed=3, hashvalues=b.hashvalues, scheme=scheme)
    assert loaded == a and loaded.jaccard(a) == 1.0 and ours.LeanMinHash(seed=3, hashvalues=b.hashvalues, scheme=scheme) == ours.LeanMinHash(a)
    loaded.update(b"another")
    b.update(b"another")
    assert np.array_equal(loaded.hashvalues, b.hashvalues)
    for order in "@=<>!":
        lean, its = ours.LeanMinHash(a), theirs.LeanMinHash(sketch_of(theirs, words, num_perm=60, seed=3, scheme=scheme))
        buffers = bytearray(lean.bytesize(order)), bytearray(its.bytesize(order))
        lean.serialize(buffers[0], order)
        its.serialize(buffers[1], order)
        assert buffers[0] == buffers[1] and ours.LeanMinHash.deserialize(buffers[1], order) == lean


@needs_theirs
def test_pickles_of_datasketch_are_read() -> None:
    made = {scheme: sketch_of(theirs, RIVERS, scheme=scheme) for scheme in ("legacy", "affine32", "affine64")}
    leans = {f"lean {scheme}": theirs.LeanMinHash(sketch) for scheme, sketch in made.items()}
    weighted = theirs.WeightedMinHashGenerator(3, 8).minhash([1, 2, 3])
    counts = [theirs.HyperLogLog(5), theirs.HyperLogLogPlusPlus(5)]
    for each in counts:
        each.update(b"a")
    for protocol in range(2, 6):
        read = ours.loads(pickle.dumps({**made, **leans, "weighted": weighted, "counts": counts}, protocol))
        for name, sketch in {**made, **leans, "weighted": weighted}.items():
            assert type(read[name]).__module__.startswith("nearkin.") and np.array_equal(read[name].hashvalues, sketch.hashvalues)
        assert read["affine32"] == sketch_of(ours, RIVERS, scheme="affine32") and read["affine32"].jaccard(read["lean affine32"]) == 1.0
        assert [type(count).__name__ for count in read["counts"]] == ["HyperLogLog", "HyperLogLogPlusPlus"]
        assert all(np.array_equal(a.reg, b.reg) for a, b in zip(read["counts"], counts))
    for other in (theirs.MinHashLSH(), print):
        with pytest.raises(ValueError, match="only sketches of datasketch are read"):
            ours.loads(pickle.dumps(other))


def test_sketches_have_the_published_values_where_datasketch_is_not_installed() -> None:
    made = ours.MinHash(4, 1)
    made.update(b"Hello")
    assert made.hashvalues.tolist() == [734825475, 960773806, 359816889, 342714745] and made.scheme == "legacy"
    affine = ours.MinHash(4, 1, scheme="affine32")
    affine.update(b"Hello")
    assert affine.hashvalues.tolist() == [3231258861, 1388533999, 831950533, 1845606703]
    with pytest.raises(ValueError, match="scheme"):
        made.jaccard(affine)


@pytest.mark.parametrize("library", LIBRARIES)
def test_few_bits_of_a_sketch_are_compared(library: Any) -> None:
    a, b = ({f"e{i}" for i in range(begin, begin + 300)} for begin in (0, 100))
    sketches = [sketch_of(library, each, num_perm=1024) for each in (a, b)]
    for bits in (1, 2, 8, 32):
        x, y = (library.bBitMinHash(sketch, bits) for sketch in sketches)
        assert x.jaccard(y) == pytest.approx(jaccard(a, b), abs=0.15) and x != y and pickle.loads(pickle.dumps(x)) == x
    with pytest.raises(ValueError):
        x.jaccard(library.bBitMinHash(sketches[0], 3))
    with pytest.raises(ValueError):
        library.bBitMinHash(sketches[0], 33)


@needs_theirs
@pytest.mark.parametrize("share", [0.0, 0.1, 0.5])
def test_few_bits_give_datasketchs_similarity(share: float) -> None:
    words = [f"e{i}" for i in range(90)]
    found = []
    for library in (ours, theirs):
        x, y = (library.bBitMinHash(sketch_of(library, each, scheme="legacy"), 2, share) for each in (words[:60], words[30:]))
        found.append(x.jaccard(y))
    assert found[0] == pytest.approx(found[1], abs=1e-12)


@pytest.mark.parametrize("library", LIBRARIES)
def test_weighted_sketches_estimate_weighted_similarity(library: Any) -> None:
    generator = library.WeightedMinHashGenerator(4, sample_size=2000, seed=2)
    a, b = np.array([1.0, 0.0, 4.0, 2.0]), np.array([1.0, 3.0, 2.0, 2.0])
    x, y = generator.minhash(a), generator.minhash(b)
    assert x.jaccard(y) == pytest.approx(np.minimum(a, b).sum() / np.maximum(a, b).sum(), abs=0.06)
    assert generator.minhash_many(np.array([a, [0, 0, 0, 0]]))[1] is None
    for wrong in ([0, 0, 0, 0], [1, 2]):
        with pytest.raises(ValueError):
            generator.minhash(wrong)
    with pytest.raises(TypeError):
        generator.minhash(3)
    lsh = library.WeightedMinHashLSH(threshold=0.4, num_perm=2000, params=(400, 5))
    lsh.insert("a", x)
    assert lsh.query(x) == ["a"]


@needs_theirs
def test_weighted_sketches_have_datasketchs_values() -> None:
    a, b = (library.WeightedMinHashGenerator(20, sample_size=30, seed=5) for library in (ours, theirs))
    draw = np.random.RandomState(1)
    for _ in range(20):
        weights = draw.randint(0, 4, 20) + np.eye(20, dtype=int)[0]
        assert np.array_equal(a.minhash(weights).hashvalues, b.minhash(weights).hashvalues)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("kind", ["HyperLogLog", "HyperLogLogPlusPlus"])
def test_registers_count_different_elements(library: Any, kind: str) -> None:
    made, other = getattr(library, kind)(p=10), getattr(library, kind)(p=10)
    assert made.is_empty() and made.count() == 0
    for i in range(20_000):
        (made if i % 2 else other).update(b"%d" % (i % 15_000))
    made.merge(other)
    assert made.count() == pytest.approx(15_000, rel=0.12)
    buffer = bytearray(made.bytesize())
    made.serialize(buffer)
    assert getattr(library, kind).deserialize(buffer) == made == pickle.loads(pickle.dumps(made)) == getattr(library, kind)(reg=made.digest())
    with pytest.raises(ValueError):
        made.merge(getattr(library, kind)(p=9))
    with pytest.raises(ValueError):
        getattr(library, kind)(p=3)


@needs_theirs
@pytest.mark.parametrize("kind", ["HyperLogLog", "HyperLogLogPlusPlus"])
def test_registers_are_datasketchs(kind: str) -> None:
    for elements in (3, 300, 20_000):
        a, b = getattr(ours, kind)(p=8), getattr(theirs, kind)(p=8)
        for i in range(elements):
            a.update(b"%d" % i)
            b.update(b"%d" % i)
        assert np.array_equal(a.reg, b.reg) and a.count() == pytest.approx(b.count(), rel=1e-12 if kind == "HyperLogLog" else 0.03)


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_forest_finds_the_most_similar(library: Any) -> None:
    sets = random_sets(400, seed=5)
    sketches = [sketch_of(library, each) for each in sets]
    forest = library.MinHashLSHForest(num_perm=128)
    for i, sketch in enumerate(sketches):
        forest.add(i, sketch)
    assert forest.query(sketches[0], 2) == [] and forest.is_empty() and 3 in forest
    forest.index()
    best = [set(forest.query(sketches[i], 2)) for i in range(0, 400, 2)]
    assert sum(found == {i, i + 1} for i, found in zip(range(0, 400, 2), best)) >= 190
    for wrong in (lambda: forest.query(sketches[0], 0), lambda: forest.add(3, sketches[3]), lambda: forest.query(library.MinHash(64), 1)):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(KeyError):
        forest.get_minhash_hashvalues("nosuch")


@pytest.mark.parametrize("library", LIBRARIES)
def test_an_ensemble_finds_the_sets_that_hold_another(library: Any) -> None:
    choose = random.Random(2)
    words = [f"e{i}" for i in range(5000)]
    sets = [choose.sample(words, choose.randint(20, 400)) for _ in range(200)]
    ensemble = library.MinHashLSHEnsemble(threshold=0.8, num_perm=128, num_part=8)
    assert ensemble.is_empty()
    ensemble.index((i, sketch_of(library, each), len(each)) for i, each in enumerate(sets))
    found = 0
    for i, each in enumerate(sets):
        part = choose.sample(each, max(10, len(each) * 9 // 10))
        found += i in set(ensemble.query(sketch_of(library, part), len(part)))
    assert found >= 185 and 7 in ensemble and not ensemble.is_empty()
    with pytest.raises(ValueError):
        ensemble.index([(1, sketch_of(library, ["a"]), 1)])
    with pytest.raises(ValueError):
        library.MinHashLSHEnsemble().index([])


def distance(a: Any, b: Any) -> float:
    return float(np.linalg.norm(a - b))


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_graph_finds_the_nearest_points(library: Any) -> None:
    points = np.random.RandomState(1).rand(300, 8)
    index = library.HNSW(distance_func=distance, m=8, ef_construction=40, seed=1)
    index.update(dict(enumerate(points)))
    near = [set(np.argsort([distance(point, other) for other in points])[:5]) for point in points[:50]]
    found = [{key for key, _ in index.query(point, k=5)} for point in points[:50]]
    assert sum(len(a & b) for a, b in zip(near, found)) >= 0.9 * 250
    index.remove(0)
    index.remove(1, hard=True)
    assert 0 not in index and 1 not in index and len(index) == 298 and all(key > 1 for key, _ in index.query(points[0], k=20))
    index.clean()
    assert len(index) == 298 and index.copy() == index == pickle.loads(pickle.dumps(index))
    with pytest.raises(KeyError):
        index.remove(1)


@pytest.mark.parametrize("library", LIBRARIES)
def test_queries_of_a_buffer_are_answered_together(library: Any) -> None:
    lsh = library.MinHashLSH(threshold=0.5, num_perm=128)
    for key in ("a", "b"):
        lsh.insert(key, sketch_of(library, [key, "x", "y", "z", "u", "v"]))
    lsh.add_to_query_buffer(sketch_of(library, ["a", "x", "y", "z", "u", "v"]))
    lsh.add_to_query_buffer(sketch_of(library, ["b", "x", "y", "z", "u", "v"]))
    assert set(lsh.collect_query_buffer()) == {"a", "b"}


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


@needs_theirs
def test_every_public_name_of_datasketch_is_there_or_says_what_to_use() -> None:
    for name in theirs.__all__:
        if name not in ours.__all__:
            with pytest.raises(ImportError, match=f"{name}: is not offered by nearkin.compat.datasketch; use "):
                getattr(ours, name)
    with pytest.raises(AttributeError):
        ours.nosuch  # type: ignore[attr-defined]
    lsh = ours.MinHashLSH()
    assert [name for name in {*dir(theirs.MinHashLSH), *vars(theirs.MinHashLSH())} if not name.startswith("_") and not hasattr(lsh, name)] == []
    with pytest.raises(TypeError, match="datasketch.minhash.MinHash is no MinHash of nearkin.compat.datasketch"):
        lsh.insert("a", theirs.MinHash())


def test_what_is_not_offered_is_refused_with_the_way_out() -> None:
    with pytest.raises(ValueError, match="nearkin.Index"):
        ours.MinHashLSH(storage_config={"type": "redis", "redis": {"host": "localhost"}})
    with pytest.raises(ValueError, match="need 2500 hashes"):
        ours.MinHashLSH(params=(50, 50))
    with pytest.raises(TypeError, match="an element is bytes"):
        ours.ExactMinHash().update(3)
    for wrong, words in ((dict(hashfunc=3), "hashfunc"), (dict(num_perm=0), "num_perm: 0 is too small"), (dict(seed=-1), "seed: -1"),
                         (dict(scheme="nosuch"), "is not one of legacy, affine32, affine64"), (dict(num_perm=3, permutations=[[1], [1]]), "two rows of 3")):
        with pytest.raises(ValueError, match=words):
            ours.MinHash(**wrong)  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match="no code for GPUs"):
        ours.MinHash(gpu_mode="always")
    with pytest.raises(ValueError, match="give a MinHash, or both seed and hashvalues"):
        ours.LeanMinHash(seed=1)
    with pytest.raises(TypeError, match="verify=True takes ExactMinHash"):
        ours.MinHashLSH(verify=True).insert("a", ours.MinHash())
    lsh = ours.MinHashLSH()
    lsh.insert("a", ours.MinHash(seed=2))
    for other in (ours.MinHash(), ours.MinHash(seed=2, scheme="affine32"), ours.ExactMinHash(seed=2)):
        with pytest.raises(ValueError, match="only sketches of one kind can meet"):
            lsh.query(other)
    with pytest.raises(TypeError, match="builtins.int is no MinHash"):
        ours.MinHashLSH().query(3)  # type: ignore[arg-type]
    with pytest.warns(UserWarning, match="weights: count only with verify=False"):
        ours.MinHashLSH(weights=(0.9, 0.1), verify=True)


def test_numbers_of_numpy_are_numbers() -> None:
    made = ours.MinHash(np.int64(16), seed=np.int32(3))  # type: ignore[arg-type]
    made.update_batch(np.arange(5))
    lsh, forest, count = ours.MinHashLSH(np.float64(0.5), np.int64(16)), ours.MinHashLSHForest(np.int64(16), l=np.int64(5)), ours.HyperLogLog(np.int64(5))  # type: ignore[arg-type]
    lsh.insert(1, made)
    forest.add(1, made)
    forest.index()
    count.update(b"x")
    assert lsh.query(made) == [1] == forest.query(made, 2) and len(forest.get_minhash_hashvalues(1)) == 15 and count.count() == pytest.approx(1, abs=0.1)
    with pytest.raises(ValueError, match="more than 32 bits"):
        ours.HyperLogLog(4, hashfunc=lambda value: value).update(1 << 33)


def test_sets_without_elements_are_like_none() -> None:
    lsh = ours.MinHashLSH(threshold=0.5, verify=True)
    lsh.insert("empty", ours.ExactMinHash())
    assert lsh.query(ours.ExactMinHash()) == [] and "empty" in lsh
    lsh.remove("empty")
    assert lsh.is_empty()


@pytest.mark.parametrize("threshold", [2 / 3, 1 / 3, 0.57, 0.1234567890123, np.float64(5 / 6)])
def test_a_verified_index_has_its_recall_at_every_threshold(threshold: float) -> None:
    index = ours.MinHashLSH(threshold=threshold, num_perm=256, verify=True)
    plan = tune(threshold=math.floor(float(threshold) * 1e6) / 1e6, recall=0.95, shingle="element:1", hashes=256)
    assert (index.b, index.r) == (plan.bands, plan.rows)
    assert 1 - (1 - float(threshold) ** index.r) ** index.b >= 0.95
