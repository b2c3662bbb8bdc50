"""pairs, cluster and dedup over items in memory: the answer of the command line, from whatever holds the items."""

from __future__ import annotations

import gzip
import json
import math
import pickle
import random
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import nearkin
from conftest import command, cut, planted_texts, write_records


def rows(pairs: nearkin.Pairs) -> list[tuple[int, int, float]]:
    return list(zip(pairs.a.tolist(), pairs.b.tolist(), pairs.similarity.tolist()))


@pytest.fixture(scope="module")
def expected(texts, plan):
    return rows(nearkin.pairs(texts, plan))


def test_pairs_are_those_of_the_command_line(tmp_path, texts, plan, expected):
    lines = command("pairs", write_records(tmp_path / "a.jsonl", texts), "--plan", str(plan), "--quiet").decode().splitlines()
    assert lines == [f"{a}\t{b}\t{cut(s)}" for a, b, s in expected]
    assert len(lines) > 100


def test_clusters_are_those_of_the_command_line(tmp_path, texts, plan):
    lines = command("cluster", write_records(tmp_path / "a.jsonl", texts), "--plan", str(plan), "--quiet").decode().splitlines()
    labels = nearkin.cluster(texts, plan)
    assert [f"{i}\t{label}" for i, label in enumerate(labels)] == lines


def test_what_dedup_removes_is_what_the_command_line_removes(tmp_path, texts, plan):
    removed = tmp_path / "removed.tsv"
    command("dedup", write_records(tmp_path / "a.jsonl", texts), "--plan", str(plan), "-o", str(tmp_path / "kept.jsonl"), "--removed", str(removed),
            "--quiet")
    result = nearkin.dedup(texts, plan)
    assert [f"{i}\t{result.keeper[i]}\t{cut(result.similarity[i])}" for i in result.removed] == removed.read_text().splitlines()
    assert len(result.kept) + len(result.removed) == len(texts)
    assert set(result.keeper[result.removed]) <= set(result.kept)
    assert result.recall["low"] <= result.recall["estimate"] <= result.recall["high"]


def test_pairs_unpack_as_three_arrays(texts, plan):
    a, b, similarity = nearkin.pairs(texts, plan)
    assert a.dtype == np.int64 and b.dtype == np.int64 and similarity.dtype == np.float64
    assert (a < b).all() and (similarity >= 0.7).all()


def test_the_number_of_threads_changes_nothing(texts, plan, expected):
    assert rows(nearkin.pairs(texts, plan, threads=1)) == rows(nearkin.pairs(texts, plan, threads=3)) == expected


def test_iterators_tuples_and_numpy_arrays_hold_texts_too(texts, plan, expected):
    for given in (iter(texts), (t for t in texts), tuple(texts), np.array(texts), np.array(texts, dtype=object), [t.encode() for t in texts]):
        assert rows(nearkin.pairs(given, plan)) == expected


def test_a_plan_may_be_its_line_and_without_one_the_items_are_tuned_for(texts, plan, expected):
    assert rows(nearkin.pairs(texts, str(plan))) == expected
    assert nearkin.pairs(texts).stats["plan"].startswith("jaccard>=0.8 ")


def test_repeated_words_count_less_where_tfidf_is_capped():
    texts = ["new new new new chair", "new chair", "lamp"]
    found = [nearkin.pairs(texts, nearkin.tune(measure="cosine", features=features, shingle="word:1", threshold=0.5, recall=1)).similarity[0]
             for features in ("tfidf", "tfidf:sublinear", "tfidf:cap=1")]
    assert found == sorted(found) and found[0] < found[1] < found[2]
    assert nearkin.tune(measure="cosine", features="tfidf:sublinear:cap=3").features == "tfidf:sublinear:cap=3"


def test_against_finds_pairs_between_two_collections_only(texts, plan):
    found = nearkin.pairs(texts[:1000], plan, against=texts[1000:])
    both = [(a, b - 1000, s) for a, b, s in rows(nearkin.pairs(texts, plan)) if a < 1000 <= b]
    assert rows(found) == both
    result = nearkin.dedup(texts[:1000], plan, against=texts[1000:])
    assert set(result.removed.tolist()) == {a for a, _, _ in both}
    assert (result.keeper[result.kept] == -1).all()
    assert len(result.cluster) == 0


def test_keep_rules_choose_the_keeper():
    same = ["one text that is there three times", "one  text that is there three times!", "one text that is there three times"]
    assert nearkin.dedup(same).kept.tolist() == [0]
    assert nearkin.dedup(same, keep="last").kept.tolist() == [2]
    assert nearkin.dedup(same, keep="longest").kept.tolist() == [1]
    assert nearkin.dedup(same, keep="max", numbers=[1, 5, 9]).kept.tolist() == [2]
    assert nearkin.dedup(same, keep="min", numbers=np.array([4, 1, 2])).kept.tolist() == [1]
    with pytest.raises(ValueError, match="needs numbers"):
        nearkin.dedup(same, keep="max")
    with pytest.raises(ValueError, match="2 of them, and 3 items"):
        nearkin.dedup(same, keep="max", numbers=[1, 2])


def test_sets_are_compared_by_their_elements():
    sets = [{1, 2, 3, 4}, [4, 3, 2, 1], {1, 2, 3, 5}, {"1", "2", "3", "4"}, None, {"new york", "x"}, ["x", "new york"], {"new", "york", "x"}]
    plan = nearkin.tune(threshold=0.6, sample=sets)
    assert plan.shingle == "element:1"
    assert rows(nearkin.pairs(sets, plan)) == [(0, 1, 1), (0, 2, 0.6), (0, 3, 1), (1, 2, 0.6), (1, 3, 1), (2, 3, 0.6), (5, 6, 1)]


def test_vectors_are_rows_of_a_matrix():
    chance = np.random.default_rng(1)
    vectors = chance.normal(size=(300, 16)).astype(np.float32)
    vectors[200:] = vectors[:100] + chance.normal(size=(100, 16)) * 0.01
    plan = nearkin.tune(measure="cosine", threshold=0.95, recall=1, sample=vectors)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    close = np.argwhere(np.triu(unit @ unit.T, 1) >= 0.95)
    found = nearkin.pairs(vectors, plan)
    assert np.array_equal(np.stack([found.a, found.b], axis=1), close)
    assert rows(nearkin.pairs([list(map(float, v)) for v in vectors], plan)) == rows(found)
    bits = vectors > 0
    plan = nearkin.tune(measure="hamming", radius=2, recall=1, sample=bits)
    distance = (bits[:, None] != bits[None]).sum(axis=2)
    assert np.array_equal(np.stack(list(nearkin.pairs(bits, plan))[:2], axis=1), np.argwhere(np.triu(distance <= 2, 1)))


def test_progress_is_told_on_the_callers_thread_with_growing_numbers():
    told = []
    nearkin.pairs(planted_texts(30000), nearkin.tune(), progress=lambda *state: told.append((threading.get_ident(), *state)), threads=1)
    assert told and {one[0] for one in told} == {threading.get_ident()}
    read = [done for _, stage, done, total in told if stage == "read" and total > 0]
    assert read == sorted(read)


def test_a_bar_of_tqdm_fits():
    tqdm = pytest.importorskip("tqdm", reason="tqdm is not installed")
    with tqdm.tqdm(disable=None) as bar:
        def tell(stage, done, total):
            bar.set_description(stage)
            bar.total = total
            bar.update(done - bar.n)

        nearkin.pairs(planted_texts(30000), nearkin.tune(), progress=tell)


def test_what_progress_raises_ends_the_run():
    def fail(*_):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        nearkin.pairs(planted_texts(30000), nearkin.tune(), progress=fail)


def test_an_interrupt_ends_a_run_before_its_end():
    """In time of the processor, which does not depend on what else the machine does. A process that was started in the background ignores SIGINT,
    so the handler is set here."""
    texts = [text + str(i) for i, text in enumerate(planted_texts(3000, words=60) * 20)]
    handlers = {signal.SIGINT: signal.default_int_handler, signal.SIGPROF: lambda *_: signal.raise_signal(signal.SIGINT)}
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        begin = time.process_time()
        nearkin.dedup(texts, nearkin.tune(), threads=1)
        whole = time.process_time() - begin
        begin = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, whole / 10)
        with pytest.raises(KeyboardInterrupt):
            nearkin.dedup(texts, nearkin.tune(), threads=1)
        assert time.process_time() - begin < 0.7 * whole
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        for number, handler in before.items():
            signal.signal(number, handler)


@pytest.mark.parametrize("work", [lambda texts: nearkin.pairs(texts, nearkin.tune()), lambda texts: nearkin.compare(" ".join(texts), " ".join(texts[::-1]))],
                         ids=["pairs", "compare"])
def test_other_python_threads_run_meanwhile(work):
    texts = planted_texts(20000)
    took, done = [], threading.Event()

    def run():
        begin = time.monotonic()
        work(texts)
        took.append(time.monotonic() - begin)
        done.set()

    thread = threading.Thread(target=run)
    thread.start()
    longest, before = 0.0, time.monotonic()
    while not done.is_set():
        now = time.monotonic()
        longest, before = max(longest, now - before), now
    thread.join()
    assert longest < took[0] / 2


def test_results_are_pickled(texts, plan):
    result, found = nearkin.dedup(texts, plan), nearkin.pairs(texts, plan)
    assert np.array_equal(pickle.loads(pickle.dumps(result)).keeper, result.keeper)
    assert rows(pickle.loads(pickle.dumps(found))) == rows(found)


def test_columns_of_stages_are_pickled_and_items_say_why_not():
    told = nearkin.stage.describe([WORDS, "", None], nearkin.tune())
    again = pickle.loads(pickle.dumps(told))
    assert len(again) == 3 and len(again["features"]) == 3 and pickle.dumps(again) == pickle.dumps(told)
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    assert pa.record_batch(again).equals(pa.record_batch(told))
    with pytest.raises(TypeError, match="items: cannot be pickled, because they point into the data"):
        pickle.dumps(nearkin.Items([WORDS]))


def test_plans_are_equal_pickled_and_read_from_their_line(plan):
    assert pickle.loads(pickle.dumps(plan)) == plan == nearkin.Plan(str(plan))
    assert hash(plan) == hash(nearkin.Plan(str(plan)))
    assert plan != nearkin.tune() and plan != "a plan"
    assert plan.with_large_bucket(7).large_bucket == 7
    assert (plan.bands * plan.rows <= plan.hashes) and plan.measure == "jaccard" and plan.threshold == 0.7


@pytest.mark.parametrize("wrong, words", [
    (dict(threshold=80), "threshold"),
    (dict(measure="jacard"), "jacard"),
    (dict(shingle="words"), "shingle"),
    (dict(bands=20, rows=7, hashes=128), "140"),
    (dict(measure="euclidean"), "radius"),
])
def test_a_wrong_goal_is_a_value_error_in_the_librarys_words(wrong, words):
    with pytest.raises(ValueError, match=words):
        nearkin.tune(**wrong)


def test_wrong_items_are_named_by_their_row():
    with pytest.raises(TypeError, match="no collection"):
        nearkin.pairs("one text")
    with pytest.raises(TypeError, match="items:1: is int"):
        nearkin.pairs(["a", 7], nearkin.tune())
    with pytest.raises(ValueError, match="items:1: .*surrogates"):
        nearkin.pairs(["a", "b\ud800"], nearkin.tune())
    with pytest.raises(ValueError, match="items:1: the bytes are not UTF-8"):
        nearkin.pairs([b"a", b"b\xff"], nearkin.tune())
    with pytest.raises(ValueError, match="items:1: 2 numbers, the first vector has 3"):
        nearkin.pairs([[1.0, 2.0, 3.0], [1.0, 2.0]], nearkin.tune(measure="cosine", threshold=0.9, features="numbers"))
    with pytest.raises(ValueError, match="not for sets .items.; tune with shingle"):
        nearkin.pairs([{1, 2}], nearkin.tune())
    with pytest.raises(TypeError, match="is no plan"):
        nearkin.pairs(["a"], 0.8)
    with pytest.raises(ValueError, match="max_pairs"):
        nearkin.pairs(["a b c d e f"] * 10, nearkin.tune(), max_pairs=10)


WORDS, NEAR = "one two three four five six", dict(measure="cosine", threshold=0.9, recall=1, features="numbers")


@pytest.mark.parametrize("call, error, words", [
    (lambda: nearkin.tune(threshold="0.8"), TypeError, "^threshold: '0.8' is str; give a number$"),
    (lambda: nearkin.tune(threshold=True), TypeError, "^threshold: True is bool; give a number$"),
    (lambda: nearkin.tune(recall=np.array([0.9])), TypeError, r"^recall: array\(\[0.9\]\) is ndarray; give a number$"),
    (lambda: nearkin.tune(radius="2"), TypeError, "^radius: '2' is str; give a number$"),
    (lambda: nearkin.tune(seed=-1), ValueError, "^seed: -1 is too small; give 0 or more$"),
    (lambda: nearkin.tune(seed=2**64), ValueError, "^seed: 18446744073709551616 is too large; give 18446744073709551615 at most$"),
    (lambda: nearkin.tune(hashes=2**40), ValueError, "^hashes: 1099511627776 is too large; give 4294967295 at most$"),
    (lambda: nearkin.tune(hashes=12.5), TypeError, r"^hashes: 12.5 is float; give a whole number \(int\)$"),
    (lambda: nearkin.tune(measure=3), TypeError, "^measure: 3 is int; give a str$"),
    (lambda: nearkin.tune(bag="no"), TypeError, "^bag: 'no' is str; give True or False$"),
    (lambda: nearkin.tune(shingle="word\ud800"), ValueError, r"^shingle: 'word\\ud800' has surrogates"),
    (lambda: nearkin.pairs([WORDS], column=3), TypeError, "^column: 3 is int; give a str$"),
    (lambda: nearkin.pairs([WORDS], threads=-1), ValueError, "^threads: -1 is too small; give 0 or more$"),
    (lambda: nearkin.pairs([WORDS], max_pairs=None), TypeError, "^max_pairs: None is NoneType; give a whole number"),
    (lambda: nearkin.pairs([WORDS], audit=-1), ValueError, "^audit: -1 is too small"),
    (lambda: nearkin.pairs([WORDS], progress=3), TypeError, "^progress: 3 is int; give True, or a function"),
    (lambda: nearkin.pairs([WORDS], plan=3), TypeError, "^plan: 3 is no plan; use nearkin.tune"),
    (lambda: nearkin.cluster([WORDS], linkage=3), TypeError, "^linkage: 3 is int; give a str$"),
    (lambda: nearkin.dedup([WORDS], keep=3), TypeError, "^keep: 3 is int; give a str$"),
    (lambda: nearkin.compare("a", "b", passages=-1), ValueError, "^passages: -1 is too small"),
    (lambda: nearkin.Plan(3), TypeError, "^plan: 3 is int; give a str$"),
    (lambda: nearkin.tune().with_large_bucket(1), ValueError, "^large_bucket: 1 is too small; give 2 or more$"),
    (lambda: nearkin.Items([WORDS], "items", 3), TypeError, "^column: 3 is int; give a str$"),
    (lambda: nearkin.stage.shingle([WORDS], 3), TypeError, "^plan: 3 is no plan"),
    (lambda: nearkin.stage.describe([WORDS], nearkin.tune(), "x"), TypeError, "^features: 'x' is str; give True or False$"),
    (lambda: nearkin.stage.describe([WORDS], nearkin.tune())[0], TypeError, "^name: 0 is int; give a str$"),
    (lambda: nearkin.stage.cluster([0], [1], -1), ValueError, "^items: -1 is too small"),
    (lambda: nearkin.stage.cluster([0.5], [1], 2), TypeError, r"^a: \[0.5\] is no list of row numbers"),
    (lambda: nearkin.stage.agree(3, 3, nearkin.tune()), TypeError, "^a: int is no Arrow data"),
    (lambda: nearkin.stage.sketch([[1]], nearkin.tune()), TypeError, "^features: list is no Arrow data"),
])
def test_arguments_of_the_wrong_kind_are_named_with_their_value(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_numbers_of_numpy_are_numbers():
    plan = nearkin.tune(threshold=np.float32(0.5), hashes=np.int64(64), bands=np.uint8(8), rows=8, bag=np.bool_(False), seed=np.uint64(2**64 - 1))
    assert plan == nearkin.tune(threshold=0.5, hashes=64, bands=8, rows=8, seed=2**64 - 1)


@pytest.mark.parametrize("call, words", [
    (lambda: nearkin.tune(measure="hamming", radius=3), "give a sample, give dimensions"),
    (lambda: nearkin.tune(measure="euclidean", nearest=3, features="numbers"), "give a sample, or give a width"),
    (lambda: nearkin.tune(measure="cosine", sample=[WORDS]), 'not for texts .sample.; tune with features="tfidf"'),
    (lambda: nearkin.tune(measure="hamming", sample=[WORDS]), "not for texts .sample.; give a NumPy matrix of bool"),
    (lambda: nearkin.pairs([WORDS], nearkin.tune(**NEAR)), "not for texts .items.; tune with features"),
    (lambda: nearkin.pairs([[1, 2], [2, 1]], nearkin.tune(**NEAR)), "not for sets .items.; give vectors: a NumPy matrix, or lists of float"),
    (lambda: nearkin.pairs(np.ones((2, 2)), nearkin.tune()), "is for texts and sets, not for vectors .items.; use measure cosine"),
    (lambda: nearkin.pairs(np.ones((2, 2), bool), nearkin.tune(**NEAR)), "not for bits .items.; use measure hamming"),
    (lambda: nearkin.pairs(np.ones((2, 2)), nearkin.tune(measure="cosine", features="tfidf")), "features=tfidf is for texts, not for vectors"),
    (lambda: nearkin.tune(measure="jaccard", sample=np.ones((2, 2), bool)), "measure jaccard is for texts and sets, not for bits .sample.; use measure hamming"),
    (lambda: nearkin.compare("a", "b", nearkin.tune(**NEAR)), "not for texts .a."),
    (lambda: nearkin.compare([1.0, 2.0], [1.0, float("nan")], nearkin.tune(**NEAR)), "b:0: a number is not finite"),
])
def test_messages_speak_of_arguments_and_not_of_formats_and_flags(call, words):
    with pytest.raises(ValueError, match=words) as caught:
        call()
    assert not any(word in str(caught.value) for word in ("--", "format", "input", "dense", "lines"))


def test_lists_of_numbers_are_vectors_where_one_of_them_is_not_whole():
    plan = nearkin.tune(**NEAR)
    expected = rows(nearkin.pairs(np.array([[1, 2.5], [2, 1], [2, 5]]), plan))
    assert len(expected) == 1
    assert rows(nearkin.pairs([[np.int64(1), np.float32(2.5)], [2, 1], [2, 5]], plan)) == expected
    assert rows(nearkin.pairs([[1, 2.5], [2, 1], [2, 5]], plan)) == rows(nearkin.pairs([(2 * 1, 5), [2, 1], [1, 2.5]][::-1], plan)) == expected
    for row, words in (({1, 2}, "items:1: is set, unlike"), ("ab", "items:1: is str, unlike"), ([1, "2"], r"items:1: number 2 is '2' \(str\)"),
                       ([1, None], "number 2 is None")):
        with pytest.raises(TypeError, match=words):
            nearkin.pairs([[1.0, 2.0], row], plan)


@pytest.mark.parametrize("value, words", [
    (2**24 + 1, "16777217, and vectors hold whole numbers up to 16,777,216; subtract an offset"),
    (2**40 + 1, "1099511627777"),
    (1e300, "1e.300, beyond"),
])
def test_numbers_that_32_bit_floats_cannot_hold_are_refused_by_their_place(value, words):
    given = [[[1.0, 2.0], [3.0, float(value)]], np.array([[1, 2], [3, value]], dtype=float)]
    if isinstance(value, int):
        given += [np.array([[1, 2], [3, value]]), np.array([[1, 2], [3, value]], dtype=np.uint64)]
    for matrix in given:
        with pytest.raises(ValueError, match="items:1: number 2 is " + words) as caught:
            nearkin.pairs(matrix, nearkin.tune(**NEAR))
        assert len(str(caught.value)) < 200
    assert len(nearkin.pairs(np.array([[2**24 + 2, -(2**30)], [2**25, 1]]), nearkin.tune(**NEAR))) == 0


def test_masked_numbers_are_refused_and_masked_texts_are_missing():
    vectors = np.ma.array(np.ones((3, 2)), mask=[[0, 0], [0, 1], [0, 0]])
    with pytest.raises(ValueError, match="items:1: a number is masked"):
        nearkin.pairs(vectors, nearkin.tune(**NEAR))
    assert len(nearkin.pairs(np.ma.array(np.ones((3, 2))), nearkin.tune(**NEAR))) == 3
    assert rows(nearkin.pairs(np.ma.array([WORDS] * 3, mask=[0, 1, 0]), nearkin.tune())) == [(0, 2, 1.0)]


def test_arrays_without_items_are_no_items_and_those_of_another_shape_are_refused():
    assert len(nearkin.pairs(np.array([]), nearkin.tune())) == 0
    for array in (np.ones(3), np.ones((2, 2, 2)), np.array(3)):
        with pytest.raises(ValueError, match="give a matrix with a vector in each row"):
            nearkin.pairs(array, nearkin.tune())


def test_missing_values_among_texts_are_named_with_the_way_out():
    with pytest.raises(TypeError, match="items:1: is nan, a missing value; give None"):
        nearkin.pairs([WORDS, float("nan")], nearkin.tune())
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    with pytest.raises(TypeError, match="items:1: is <NA>, a missing value"):
        nearkin.pairs([WORDS, pandas.NA], nearkin.tune())
    for values in ([WORDS, None, WORDS], [WORDS, float("nan"), WORDS], [WORDS, pandas.NA, WORDS]):
        for given in (pandas.Series(values), pandas.Series(values, dtype=object), pandas.Index(values), pandas.array(values, dtype="string")):
            assert rows(nearkin.pairs(given, nearkin.tune())) == [(0, 2, 1.0)], type(given)


def test_rows_that_would_be_misread_are_refused():
    plan = nearkin.tune(threshold=0.5, shingle="element:1")
    for row, words in ((iter("abc"), "iterator"), ({"a": 1}, "dict"), (bytearray(b"abc"), "bytearray"), (np.arange(12).reshape(3, 4), "ndarray")):
        with pytest.raises(TypeError, match=words):
            nearkin.pairs([row, row], plan)
    with pytest.raises(ValueError, match="items:1: a vector is missing"):
        nearkin.pairs([[1.0, 2.0], None], nearkin.tune(measure="cosine", threshold=0.9, features="numbers"))


def test_compare_refuses_two_kinds():
    near = nearkin.tune(measure="euclidean", radius=0.5, features="numbers", dimensions=2)
    for a, b, plan in (("abc", [1.0, 2.0], None), ([1.0, 2.0], "abc", near), ([1.0], None, near), ({1}, [1.0], nearkin.tune(shingle="element:1"))):
        with pytest.raises((TypeError, ValueError)):
            nearkin.compare(a, b, plan)


def test_vectors_of_another_length_are_an_error_wherever_they_stand():
    plan = nearkin.tune(measure="cosine", threshold=0.9, recall=1, features="numbers")
    with pytest.raises(ValueError, match="against:0: 4 numbers, the first item has 3"):
        nearkin.pairs(np.ones((2, 3)), plan, against=np.ones((2, 4)))


def test_items_are_shared_by_runs_with_other_numbers():
    same = nearkin.Items(["one text that is there three times"] * 3)
    plan = nearkin.tune()
    wrong = []

    def run(kept):
        for _ in range(50):
            result = nearkin.dedup(same, plan, keep="max", numbers=[float(i == kept) for i in range(3)])
            wrong.extend(result.kept.tolist() if result.kept.tolist() != [kept] else [])

    threads = [threading.Thread(target=run, args=(kept,)) for kept in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and nearkin.dedup(same, plan).kept.tolist() == [0]


def test_connected_groups_under_containment_lose_nothing():
    texts = ["one two", "one two three four", "three four", "three four five six seven"]
    plan = nearkin.tune(measure="containment", threshold=1, recall=1, shingle="word:1")
    with pytest.raises(ValueError, match="connected would remove items that no kept item contains"):
        nearkin.dedup(texts, plan, linkage="connected")
    assert nearkin.cluster(texts, plan).tolist() == [0, 0, 0, 0]
    assert nearkin.dedup(texts, plan).kept.tolist() == [1, 3]


def test_what_stands_in_a_longer_text_goes_under_containment():
    texts = ["a b c d e f g", "x a b c d e f g h i j k"]
    plan = nearkin.tune(measure="containment", threshold=0.8, recall=1, shingle="word:2")
    assert nearkin.dedup(texts, plan).kept.tolist() == [1]
    with pytest.raises(ValueError, match="numbers: they count only"):
        nearkin.dedup(texts, plan, numbers=[1, 2])


def test_a_process_ends_in_peace_while_a_daemon_thread_works():
    program = """
import threading, time
import numpy, nearkin
vectors = numpy.random.default_rng(1).normal(size=(20000, 64)).astype("float32")
plan = nearkin.tune(measure="cosine", threshold=0.5, recall=1, features="numbers")
threading.Thread(target=lambda: nearkin.pairs(vectors, plan), daemon=True).start()
time.sleep(0.5)
"""
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, check=False).returncode == 0


def test_nothing_and_missing_texts_are_no_pairs():
    assert rows(nearkin.pairs([], nearkin.tune())) == []
    assert nearkin.dedup([None, "", "a b c d e f g", None]).kept.tolist() == [0, 1, 2, 3]
    assert nearkin.cluster([]).tolist() == []


def test_compare_tells_one_pair_in_full():
    told = nearkin.compare("the quick brown fox jumps over the dog", "the quick brown fox jumps over a dog", nearkin.tune(shingle="word:2"))
    assert told["shared"] == 5 and told["total"] == 9 and told["similarity"] == 5 / 9
    assert told["passages"][0] == "the quick brown fox jumps over"


def test_an_audit_says_what_was_found(texts, plan):
    audit = nearkin.pairs(texts, plan, audit=500).stats["audit"]
    assert audit["items"] == 500 and 0 < audit["found"] <= audit["true_pairs"]


@pytest.mark.parametrize("count", [300, 20_000])
def test_the_plan_is_that_of_the_command_line_in_every_container(tmp_path, count):
    choose = random.Random(5)
    texts = [" ".join(f"w{int(choose.paretovariate(0.6)) % 4000}" for _ in range(30)) for _ in range(count)]
    lines = "".join(json.dumps({"id": i, "text": text}) + "\n" for i, text in enumerate(texts)).encode()
    (tmp_path / "a.jsonl").write_bytes(lines)
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(lines, 1))
    (tmp_path / "a.csv").write_text("id,text\n" + "".join(f"{i},{text}\n" for i, text in enumerate(texts)))
    flags = ["--shingle", "word:1", "--threshold", "0.5", "-q"]
    plans = {command("tune", str(tmp_path / name), *flags).split(b"\n")[0] for name in ("a.jsonl", "a.jsonl.gz", "a.csv")}
    plans.add(command("tune", "-", *flags, stdin=lines).split(b"\n")[0])
    plans.add(str(nearkin.tune(threshold=0.5, shingle="word:1", sample=texts)).encode())
    assert len(plans) == 1, plans
    assert plans != {str(nearkin.tune(threshold=0.5, shingle="word:1")).encode()} or count < 10_000, "the data does not decide: the test is too easy"


def test_passages_are_found_with_their_places():
    texts = ["so it was the best of times, it was the worst", "It was the best of times!", "", "they said it was the best of all, it was the worst"]
    found = nearkin.passages(texts, least=5)
    assert list(zip(found.row, found.begin, found.end, found.in_row, found.in_begin, found.in_end, found.tokens)) == [
        (1, 0, 24, 0, 3, 27, 6), (3, 10, 28, 0, 3, 21, 5)]
    assert len(found) == found.stats["passages"] == 2 and found.stats["records"] == 2 and found.stats["repeated"] == 11
    assert found.similarity.tolist() == [1.0, 1.0]
    assert len(nearkin.passages(texts[:2], against=texts[2:], least=5)) == 2
    for wrong in ({"least": 4}, {"shingle": "word:5"}, {"normalise": "some"}, {"gap": 10_000_000}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            nearkin.passages(texts, **wrong)
    with pytest.raises(ValueError, match="in texts, not in sets or vectors"):
        nearkin.passages([{1, 2}])
    assert nearkin.passages(texts, least=5, ignore=["the best of times", "it was the best of times"]).row.tolist() == []
    assert nearkin.passages(texts, least=5, ignore=["the best of times it was"]).row.tolist() == [3]
    with pytest.raises(ValueError, match="ignore: .* 5 tokens or more"):
        nearkin.passages(texts, least=5, ignore=["the best"])


def test_disguised_programs_are_found():
    texts = ["def f(x):  # one\n    return x + 1\n", "def add(number):\n    return number + 2  # two\n", "import os\nprint(os.getcwd())\n"]
    for normalise in ("code:identifiers", "code:identifiers:python"):
        plan = nearkin.tune(threshold=0.9, recall=1, shingle="code:3", normalise=normalise)
        assert plan.normalise == normalise and nearkin.Plan(str(plan)) == plan
        assert rows(nearkin.pairs(texts, plan)) == [(0, 1, 1.0)]
    assert rows(nearkin.pairs(texts, nearkin.tune(threshold=0.9, recall=1, shingle="code:3", normalise="code:no-comments"))) == []
    with pytest.raises(ValueError, match="code:identifiers:java"):
        nearkin.tune(normalise="code:pascal")


def test_benchmark_items_are_found_with_their_places():
    texts = ["They said: it was the BEST of times!", "nothing of it", "it was the best of times, it was the best of times"]
    found = nearkin.decontaminate(texts, {"dickens": ["It was the best of times"], "other": ["a text that is nowhere to be found"]})
    assert list(zip(found.row, found.suite, found.item, found.begin, found.end, found.item_begin, found.item_end)) == [
        (0, "dickens", 0, 11, 35, 0, 24), (2, "dickens", 0, 0, 24, 0, 24), (2, "dickens", 0, 26, 50, 0, 24)]
    assert found.share.tolist() == [1.0] * 3 and found.run.tolist() == [6] * 3 and len(found) == found.stats["hits"] == 3
    assert [suite["found"] for suite in found.stats["suites"]] == [1, 0] and found.stats["records"] == 2
    assert len(nearkin.decontaminate(texts, ["It was the best of times"], shingle="word:6", share=1.0)) == 3
    for wrong in ({"share": 0.0}, {"shingle": "element:5"}, {"normalise": "some"}, {"least_item": 0}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            nearkin.decontaminate(texts, texts, **wrong)
    with pytest.raises(ValueError, match="is a suite without items"):
        nearkin.decontaminate(texts, [])
    with pytest.raises(ValueError, match="in texts, not in sets or vectors"):
        nearkin.decontaminate(texts, [{1, 2}])


@pytest.mark.parametrize("how", [{}, {"score": "v:equal"}])
def test_numbers_of_any_size_choose_who_stays(how):
    def kept(numbers, keep="max"):
        texts = ["one two three four five six"] * len(numbers)
        return nearkin.dedup({"v": texts} if how else texts, keep=keep, numbers=numbers, **how).kept.tolist()

    assert kept([1, math.inf, 2]) == [1] and kept([1, -math.inf], "min") == [1]
    assert kept([None, 1]) == [1] and kept([math.nan, 1], "min") == [1] and kept(np.array([2.5, 1])) == [0] and kept([False, True]) == [1]
    with pytest.raises(ValueError, match="numbers:0: .* has 401 digits"):
        kept([10**400, 1])
    with pytest.raises(TypeError, match='numbers:1: "x" is no number'):
        kept([1, "x"])


def test_the_least_number_of_partners_is_said_at_once():
    for top in (0, -1):
        with pytest.raises(ValueError, match=f"top: {top} .*1"):
            nearkin.pairs(["a", "b"], top=top)


def test_a_stream_of_rows_is_refused():
    datasets = pytest.importorskip("datasets")
    stream = datasets.Dataset.from_dict({"text": ["a b", "a b"]}).to_iterable_dataset()
    for run in (nearkin.pairs, nearkin.cluster, nearkin.dedup):
        with pytest.raises(TypeError, match="IterableDataset is a stream"):
            run(stream)


def test_sparse_matrices_of_every_kind_are_read():
    sparse = pytest.importorskip("scipy.sparse")
    plan = nearkin.tune(measure="cosine", threshold=0.9)
    twice = np.vstack([np.eye(3), np.eye(3)])
    for name in ("csr", "csc", "coo", "lil", "dok", "bsr", "dia"):
        for kind in ("matrix", "array"):
            given = getattr(sparse, f"{name}_{kind}")(twice)
            assert nearkin.pairs(given, plan).a.tolist() == [0, 1, 2], given
            assert nearkin.query(given, given, plan, limit=1).row.tolist() == [0, 1, 2, 0, 1, 2]


def test_sparse_matrices_that_are_broken_are_refused():
    sparse = pytest.importorskip("scipy.sparse")
    plan = nearkin.tune(measure="cosine", threshold=0.9)

    def broken(part, at, value, kind):
        matrix = getattr(sparse, f"{kind}_matrix")(np.eye(3))
        getattr(matrix, part)[at] = value
        return matrix

    for kind, part, at, value in [(kind, "indptr", at, value) for kind in ("csr", "csc") for at, value in [(1, -50), (-1, 50), (0, 1), (1, 3)]] + [
            ("csr", "indices", 1, -5), ("csr", "indices", 1, 3), ("csc", "indices", 1, 2**30), ("coo", "row", 0, -1), ("coo", "col", 0, 3)]:
        with pytest.raises(ValueError, match=f"items: {part} .*give a matrix whose parts fit together"):
            nearkin.pairs(broken(part, at, value, kind), plan)
        with pytest.raises(ValueError, match=f"against: {part} .*give a matrix whose parts fit together"):
            nearkin.pairs(np.eye(3), plan, against=broken(part, at, value, kind))
    short = sparse.csr_matrix(np.eye(3))
    short.data = short.data[:1]
    with pytest.raises(ValueError, match="items: indptr is not 4 numbers that ascend from 0 to at most 1"):
        nearkin.pairs(short, plan)
    with pytest.raises(ValueError, match="items: a sparse array of 1 dimensions; give one of 2"):
        nearkin.pairs(sparse.coo_array(np.ones(3)), plan)


def test_elements_of_sets_are_compared_as_they_are_spelled():
    assert len(nearkin.pairs([{1}, {"1"}, {b"1"}], nearkin.tune(threshold=0.5, recall=1, shingle="element:1"))) == 3


def test_sparse_matrices_of_what_is_no_number_are_refused():
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(TypeError, match="items: a sparse matrix of type complex128; vectors are numbers or bool"):
        nearkin.pairs(sparse.csr_matrix(np.array([[1 + 1j, 2], [1, 2]])), nearkin.tune(measure="cosine", threshold=0.9))
