"""The living index from Python, beside the command line."""

from __future__ import annotations

import pickle
import threading

import numpy as np
import pytest

import nearkin
from conftest import command


@pytest.fixture
def index(tmp_path):
    with nearkin.Index.create(tmp_path / "docs.nearkin", nearkin.tune(threshold=0.5, shingle="word:2"), texts=True) as opened:
        yield opened


def test_items_are_put_replaced_asked_for_and_erased(index):
    assert index.put("a", "the quick brown fox jumps over the lazy dog", {"lang": "en"})
    assert not index.put("a", "the quick brown fox jumps over the lazy cat", {"lang": "en"})
    assert index.put_many(["b", "c"], ["the quick brown fox jumps over the lazy cow", "nothing of the kind is said here"]) == {"added": 2, "replaced": 0}
    answer = index.query("the quick brown fox jumps over the lazy cat", metadata=True)
    assert [(hit.id, hit.similarity) for hit in answer] == [("a", 1.0), ("b", 7 / 9)]
    assert answer[0].metadata == {"lang": "en"} and answer.looked_at >= 2 and not answer.stopped_early
    assert [hit.id for hit in index.query("the quick brown fox jumps over the lazy cat", limit=1)] == ["a"]
    assert [hit.id for hit in index.query("the quick brown fox jumps over the lazy cat", where={"lang": "en"})] == ["a"]
    assert [hit.id for hit in index.query("the quick brown fox jumps over the lazy cat", threshold=0.9)] == ["a"]
    assert [(hit.id, hit.similarity) for hit in index.neighbours("a")] == [("b", 7 / 9)] and index.neighbours("c").looked_at == 0
    assert index.neighbours("b", where={"lang": "en"}, metadata=True)[0].metadata == {"lang": "en"}
    with pytest.raises(KeyError):
        index.neighbours("none")
    assert len(index) == 3 and list(index) == ["a", "b", "c"] and "a" in index and "z" not in index and 7 not in index
    assert index["a"]["text"].endswith("cat") and index.get("z") is None
    assert index.erase(["a", "z"]) == 1
    del index["b"]
    with pytest.raises(KeyError):
        del index["b"]
    with pytest.raises(KeyError):
        index["a"]
    assert index.verify()["problems"] == [] and len(index) == 1


def test_types_count_in_where(index):
    text = "the quick brown fox jumps over the lazy dog"
    values = {"number": 1, "string": "1", "true": True, "text": "true", "none": None, "null": "null"}
    for name, value in values.items():
        index.put(name, text, {"k": value})
    for name, value in values.items():
        assert [hit.id for hit in index.query(text, where={"k": value})] == [name]


def test_the_command_line_sees_what_python_wrote(index):
    index.put("a", "the quick brown fox jumps over the lazy dog")
    out = command("query", index.folder, "-", "--format", "lines", "--quiet", stdin=b"the quick brown fox jumps over a lazy dog\n").decode()
    similarity = index.query("the quick brown fox jumps over a lazy dog")[0].similarity
    assert out.split("\t")[1] == "a" and abs(float(out.split("\t")[2]) - similarity) < 1e-6


def test_many_threads_ask_while_one_writes(index):
    failures = []

    def ask():
        try:
            for _ in range(200):
                for hit in index.query("word one two three four"):
                    assert hit.id.startswith("i")
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for i in range(50):
        index.put(f"i{i}", f"word one two three four {i}")
    for thread in threads:
        thread.join()
    assert not failures and len(index) == 50


def test_an_index_is_pickled_by_its_folder(index):
    index.put("a", "one two three four")
    again = pickle.loads(pickle.dumps(index))
    assert again.folder == index.folder and len(again) == 1 and again.plan == index.plan and again.keeps_texts


def test_vectors_and_sets_have_indexes_too(tmp_path):
    vectors = np.random.default_rng(3).normal(size=(100, 8)).astype(np.float32)
    with nearkin.Index.create(tmp_path / "v", nearkin.tune(measure="cosine", threshold=0.9, sample=vectors)) as index:
        index.put_many([str(i) for i in range(100)], vectors)
        with pytest.raises(ValueError, match="items:0: a number is not finite"):
            index.put("nan", [float("nan")] * 8)
        assert [answer[0].id for answer in index.query_many(vectors)] == [str(i) for i in range(100)]
    with nearkin.Index.create(tmp_path / "s", nearkin.tune(threshold=0.5, shingle="element:1")) as index:
        index.put("a", {"x", "y", "new york"})
        assert index.query({"new york", "x"})[0].similarity == 2 / 3


def test_backup_and_compaction_keep_everything(index, tmp_path):
    index.put_many([f"{i}" for i in range(500)], [f"text number {i} with some words" for i in range(500)])
    index.erase([f"{i}" for i in range(400)])
    index.backup(tmp_path / "copy")
    index.compact()
    assert list(nearkin.Index.open(tmp_path / "copy", read_only=True)) == list(index)
    assert index.info()["items"] == 100


def test_errors_are_those_of_the_library(index, tmp_path):
    with pytest.raises(OSError, match="nothing-there"):
        nearkin.Index.open(tmp_path / "nothing-there")
    with pytest.raises(OSError, match="docs.nearkin"):
        nearkin.Index.create(index.folder, nearkin.tune())
    with pytest.raises(ValueError, match="2 of them, and 1 ids"):
        index.put_many(["a"], ["x", "y"])
    with pytest.raises(ValueError, match="JSON object"):
        index.put("a", "x", [1])  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="threshold"):
        index.query("a b c", threshold=0.1)
    with pytest.raises(ValueError, match="exact cannot be used for an index"):
        nearkin.Index.create(tmp_path / "c", nearkin.tune(measure="exact"))
    with pytest.raises(TypeError, match="is no text"):
        index.put(b"\xff", "x")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="items:0: the bytes are not UTF-8"):
        index.put("a", b"\xff")
    with pytest.raises(TypeError, match="ids: 'xyz' is one; give a list of them"):
        index.put_many("xyz", ["a", "b", "c"])
    index.close()
    with pytest.raises(ValueError, match="closed"):
        index.query("a")


@pytest.mark.parametrize("call, error, words", [
    (lambda index: nearkin.Index.create(index.folder + "2", None), TypeError, "^plan: None is no plan"),
    (lambda index: nearkin.Index.create(None, index.plan), TypeError, "^folder: None is NoneType; give a path"),
    (lambda index: nearkin.Index.create(index.folder + "2", index.plan, texts="yes"), TypeError, "^texts: 'yes' is str; give True or False"),
    (lambda index: nearkin.Index.open(index.folder, read_only=1), TypeError, "^read_only: 1 is int"),
    (lambda index: index.query("a", limit=-1), ValueError, "^limit: -1 is too small; give 0 or more"),
    (lambda index: index.query("a", threshold="0.8"), TypeError, "^threshold: '0.8' is str; give a number"),
    (lambda index: index.query("a", max_candidates=2**64), ValueError, "^max_candidates: 18446744073709551616 is too large"),
    (lambda index: index.query("a", where=3), TypeError, "^where: 3 is int; give a dict"),
    (lambda index: index.query("a", where={1: 2}), TypeError, "^where: the field 1 is int; fields are named by str"),
    (lambda index: index.query("a", where={"l": {1}}), TypeError, "^where: 'l': .1. is no JSON"),
    (lambda index: index.query("a", where={"l\ud800": 1}), ValueError, "^where: the field .* has surrogates"),
    (lambda index: index.query("a", where={"l": "\ud800"}), ValueError, "^where: 'l': .* has surrogates"),
    (lambda index: index.query_many(["a"], column=3), TypeError, "^column: 3 is int"),
    (lambda index: index.get(3), TypeError, "^id: 3 is int; give a str"),
    (lambda index: index.get("\ud800"), ValueError, "^id: .* has surrogates"),
    (lambda index: index.erase(3), TypeError, "^ids: 3 is int; give a list of str"),
    (lambda index: index.put_many(["a", "b\ud800"], ["x", "y"]), ValueError, "^ids:1: .* has surrogates"),
    (lambda index: index.put_many(["a", 2], ["x", "y"]), TypeError, "^ids:1: 2 is no text; ids are str"),
    (lambda index: index.put_many(["a", "b"], ["x", "y"], [None, {"l": "\ud800"}]), ValueError, "^metadata:1: .* has surrogates"),
    (lambda index: index.put_many(["a", "b"], ["x", "y"], [None, "{\ud800}"]), ValueError, "^metadata:1: .* has surrogates"),
    (lambda index: index.put_many(["a"], ["x"], [{"l": object()}]), TypeError, "^metadata:0: .* is no JSON"),
    (lambda index: index.put_many(["a"], ["x"], [{"l": float("nan")}]), ValueError, "^metadata:0: .'l': nan. is no JSON"),
    (lambda index: index.put_many(["a"], ["x"], {"l": 1}), TypeError, "^metadata: .'l': 1. is dict; give a list"),
    (lambda index: index.put("a", [1.0, 2.0]), ValueError, "not for vectors .items."),
    (lambda index: index.backup(3), TypeError, "^folder: 3 is int; give a path"),
])
def test_arguments_of_the_wrong_kind_are_named_with_their_value_and_nothing_is_written(index, call, error, words):
    with pytest.raises(error, match=words):
        call(index)
    assert len(index) == 0 and "\ud800" not in index


def test_ids_of_arrow_are_all_there(index):
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    with pytest.raises(ValueError, match=r"ids:1: is missing \(null\); every item of an index needs an id"):
        index.put_many(pa.array(["a", None]), ["x", "y"])
    assert index.put_many(pa.chunked_array([["a"], ["b"]]), pa.array(["x y z", None]))["added"] == 2


def test_containment_is_asked_from_both_sides(tmp_path):
    index = nearkin.Index.create(tmp_path / "books", nearkin.tune(measure="containment", threshold=0.6, shingle="word:1"))
    index.put_many(["whole", "part"], ["a b c d e f g h i j k l", "c d e f"])
    assert [(hit.id, round(hit.similarity, 3)) for hit in index.query("c d e f g h").hits] == [("whole", 1.0), ("part", 0.667)]
    assert [(hit.id, hit.similarity) for hit in index.query("c d e f g h", share_of="item").hits] == [("part", 1.0)]
    with pytest.raises(ValueError, match='"both" is not query or item'):
        index.query("c d", share_of="both")


def test_an_index_of_parts_divides_what_is_put(tmp_path):
    (tmp_path / "in.jsonl").write_text('{"id":"a","text":"one two three\\n\\nfour five six"}\n')
    command("index", "create", str(tmp_path / "i"), str(tmp_path / "in.jsonl"), "--unit", "paragraph", "-q")
    with nearkin.Index.open(tmp_path / "i") as index:
        assert index.parts("a") == ["a:0-13", "a:15-28"] and index.parts("b") == []
        assert not index.put("a", "seven eight nine")
        assert index.put("b", "ten\n\neleven")
        assert list(index) == ["a:0-16", "b:0-3", "b:5-11"]
        assert "a" in index and "c" not in index and index.get("a") is None
        assert index.put_many(["b"], ["ten"]) == {"added": 0, "replaced": 1, "outdated": 1}
        assert index.erase(["a", "c"]) == 1
        assert list(index) == ["b:0-3"]
