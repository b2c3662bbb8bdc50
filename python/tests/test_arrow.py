"""Items from whatever speaks Arrow, and the stages, which give Arrow."""

from __future__ import annotations

import random
import signal
import time

import numpy as np
import pytest

import nearkin
from test_runs import rows

pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed: Arrow is not tested")


@pytest.fixture(scope="module")
def expected(texts, plan):
    return rows(nearkin.pairs(texts, plan))


def layouts(texts):
    array = pa.array(texts)
    yield "string", array
    yield "large_string", array.cast(pa.large_string())
    if hasattr(pa, "string_view"):
        yield "string_view", array.cast(pa.string_view())
    yield "dictionary", array.dictionary_encode()
    yield "sliced", pa.array(["x", "y", *texts, "z"])[2:-1]
    yield "chunks", pa.chunked_array([texts[:700], [], texts[700:701], texts[701:]])
    yield "binary", array.cast(pa.binary())
    yield "table", pa.table({"id": range(len(texts)), "text": texts})
    yield "sliced table", pa.table({"id": range(len(texts) + 1), "text": ["x", *texts]})[1:]
    yield "one column", pa.table({"body": texts})
    yield "record batch", pa.record_batch({"id": range(len(texts)), "text": texts})
    yield "reader", pa.table({"text": texts}).to_reader(max_chunksize=300)


def test_every_layout_of_strings_gives_the_same_pairs(texts, plan, expected):
    for name, given in layouts(texts):
        assert rows(nearkin.pairs(given, plan)) == expected, name


def test_polars_pandas_and_duckdb_are_taken_as_they_are(texts, plan, expected):
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    duckdb = pytest.importorskip("duckdb")
    frame = pandas.DataFrame({"id": range(len(texts)), "text": texts})
    lazy = duckdb.sql("select id, text from frame order by id")
    for given in (polars.Series(texts), polars.DataFrame({"id": range(len(texts)), "text": texts}), frame, frame["text"],
                  frame["text"].astype("category"), lazy):
        assert rows(nearkin.pairs(given, plan)) == expected, type(given)
    frame.index = frame.index[::-1]
    assert rows(nearkin.pairs(frame["text"], plan)) == expected


def test_a_hugging_face_dataset_is_taken_with_its_selection(texts, plan, expected):
    datasets = pytest.importorskip("datasets", reason="datasets is not installed")
    dataset = datasets.Dataset.from_dict({"text": ["unrelated", *texts]})
    assert rows(nearkin.pairs(dataset.select(range(1, len(texts) + 1)), plan)) == expected
    with pytest.raises(ValueError, match='no column "body"'):
        nearkin.pairs(dataset, plan, column="body")


def test_columns_are_named_and_missing_ones_listed(texts, plan, expected):
    table = pa.table({"url": texts, "body": texts})
    assert rows(nearkin.pairs(table, plan, column="body")) == expected
    with pytest.raises(ValueError, match='no column "text"; the table has url, body'):
        nearkin.pairs(table, plan)


def test_nulls_are_texts_without_words():
    given = pa.array([None, "a b c d e f", None, "a b c d e f", ""])
    assert rows(nearkin.pairs(given, nearkin.tune())) == [(1, 3, 1.0)]
    assert rows(nearkin.pairs(pa.nulls(3), nearkin.tune())) == []


def test_lists_are_sets_and_lists_of_floats_vectors():
    sets = [[1, 2, 3, 4], [4, 3, 2, 1], [1, 2, 3, 5], None, []]
    plan = nearkin.tune(threshold=0.6, shingle="element:1")
    expected = rows(nearkin.pairs(sets, plan))
    assert len(expected) == 3
    for element in (pa.int64(), pa.int8(), pa.uint64(), pa.string()):
        spelt = [None if s is None else [str(e) if element == pa.string() else e for e in s] for s in sets]
        for kind in (pa.list_(element), pa.large_list(element)):
            assert rows(nearkin.pairs(pa.array(spelt, kind), plan)) == expected
            assert rows(nearkin.pairs(pa.array([spelt[0], *spelt], kind)[1:], plan)) == expected
    vectors = np.random.default_rng(2).normal(size=(50, 4)).astype(np.float32)
    vectors[25:] = vectors[:25]
    near = nearkin.tune(measure="cosine", threshold=0.99, recall=1, sample=vectors)
    for kind in (pa.list_(pa.float32(), 4), pa.list_(pa.float64()), pa.list_(pa.float16(), 4)):
        given = pa.array([row.astype(np.float16) for row in vectors] if kind.value_type == pa.float16() else vectors.tolist(), kind)
        found = nearkin.pairs(given, near)
        assert list(zip(found.a, found.b)) == [(i, i + 25) for i in range(25)], kind
    with pytest.raises(ValueError, match="items:1: a vector is missing"):
        nearkin.pairs(pa.array([[1.0, 2.0], None], pa.list_(pa.float32(), 2)), near)


def structures(words):
    """Rows of a structure that are null, over children that have values there."""
    whole = pa.StructArray.from_arrays([pa.array(words), pa.array(range(len(words)))], names=["text", "n"], mask=pa.array([False, True, False, False]))
    yield whole
    yield pa.concat_arrays([whole.slice(3, 1), whole]).slice(1)
    yield pa.StructArray.from_arrays([pa.array(words)], names=["only"], mask=pa.array([False, True, False, False]))
    yield pa.StructArray.from_arrays([pa.array([word.split() for word in words])], names=["text"], mask=pa.array([False, True, False, False]))


def test_null_rows_of_a_structure_are_null_whatever_their_children_hold():
    words = ["a b c d e f g"] * 2 + ["x", "a b c d e f g"]
    for given in structures(words):
        plan = nearkin.tune() if pa.types.is_string(given.type.field(0).type) else nearkin.tune(shingle="element:1")
        assert rows(nearkin.pairs(given, plan)) == [(0, 3, 1.0)], given.type
    vectors = pa.StructArray.from_arrays([pa.array([[1.0, 2.0], [1.0, 2.0]], pa.list_(pa.float32(), 2))], names=["v"], mask=pa.array([False, True]))
    with pytest.raises(ValueError, match="items:1: a vector is missing"):
        nearkin.pairs(vectors, nearkin.tune(measure="cosine", threshold=0.9, features="numbers", recall=1))


def test_a_lazy_frame_is_to_be_collected_first(texts, plan):
    polars = pytest.importorskip("polars", reason="polars is not installed")
    lazy = polars.DataFrame({"text": texts}).lazy()
    with pytest.raises(TypeError, match=r"items: a LazyFrame has no rows yet; give what its collect\(\) returns"):
        nearkin.pairs(lazy, plan)


def test_other_types_are_refused_by_name():
    with pytest.raises(ValueError, match="int64"):
        nearkin.pairs(pa.array([1, 2]), nearkin.tune())
    with pytest.raises(ValueError, match="lists of bool"):
        nearkin.pairs(pa.array([[True]]), nearkin.tune())


def test_the_stages_together_find_what_pairs_finds(texts, plan, expected):
    stage = nearkin.stage
    features = pa.array(stage.shingle(pa.array(texts), plan))
    assert features.type == pa.list_(pa.uint64())
    sketches = pa.array(stage.sketch(features, plan))
    keys = pa.array(stage.band_keys(sketches, plan))
    assert keys.type == pa.list_(pa.uint32(), plan.bands)
    buckets: dict[tuple[int, int], list[int]] = {}
    for row, own in enumerate(keys.to_pylist()):
        for band, key in enumerate(own or []):
            buckets.setdefault((band, key), []).append(row)
    candidates = sorted({(a, b) for bucket in buckets.values() for i, b in enumerate(bucket) for a in bucket[:i]})
    a, b = (pa.array(side) for side in zip(*candidates))
    signatures = pa.array(stage.signature(sketches, plan))
    agree = pa.array(stage.agree(signatures.take(a), signatures.take(b), plan))
    a, b = a.filter(agree), b.filter(agree)
    verified = pa.array(stage.verify(features.take(a), features.take(b), plan))
    found = [(x, y, v["similarity"]) for x, y, v in zip(a.to_pylist(), b.to_pylist(), verified.to_pylist()) if v is not None]
    assert found == expected


def test_describe_is_all_stages_in_one(texts, plan):
    given = pa.array([*texts[:300], "", None])
    batch = pa.record_batch(nearkin.stage.describe(given, plan))
    features = pa.array(nearkin.stage.shingle(given, plan))
    sketches = pa.array(nearkin.stage.sketch(features, plan))
    assert batch.schema.names == ["empty", "content", "keys", "signature", "features"]
    assert batch["features"].equals(features)
    assert batch["keys"].equals(pa.array(nearkin.stage.band_keys(sketches, plan)))
    assert batch["signature"].equals(pa.array(nearkin.stage.signature(sketches, plan)))
    assert batch["empty"].to_pylist() == [False] * 300 + [True] * 2
    copies = pa.record_batch(nearkin.stage.describe([texts[0], texts[0].upper(), texts[1]], plan, features=False))
    assert copies["content"][0] == copies["content"][1] != copies["content"][2]
    assert "features" not in copies.schema.names


def test_stages_refuse_what_they_do_not_take(plan):
    with pytest.raises(ValueError, match="expected lists of 64-bit numbers"):
        nearkin.stage.sketch(pa.array(["a"]), plan)
    with pytest.raises(ValueError, match="a has 1 rows, b has 2"):
        nearkin.stage.verify(pa.array([[1]], pa.list_(pa.uint64())), pa.array([[1], [2]], pa.list_(pa.uint64())), plan)
    with pytest.raises(ValueError, match="no bands"):
        nearkin.stage.describe(["a"], nearkin.tune(recall=1))
    with pytest.raises(ValueError, match="rows are two different ones below 2"):
        nearkin.stage.cluster([0], [2], 2)


def lists(values, bits):
    return pa.array(values, pa.list_(pa.uint64() if bits == 64 else pa.uint32()))


@pytest.mark.parametrize("values, words", [
    ([[1, 2], [3, None]], ":1: number 2 is null"),
    ([None, [1], [3, 1]], ":2: the hashes are not in ascending order"),
    ([[1, 1]], ":0: the hashes are not in ascending order"),
])
def test_features_with_nulls_or_out_of_order_are_refused_by_their_row(plan, values, words):
    given = lists(values, 64)
    with pytest.raises(ValueError, match="features" + words):
        nearkin.stage.sketch(given, plan)
    with pytest.raises(ValueError, match="features" + words):
        nearkin.stage.sketch(pa.concat_arrays([lists([[7]], 64), given]).slice(1), plan)
    ordered = lists([[1]] * len(values), 64)
    with pytest.raises(ValueError, match="b" + words):
        nearkin.stage.verify(ordered, given, plan)


def test_features_may_be_signed_and_null(plan):
    hashes = [None, [5, 2**63, 2**64 - 1]]
    signed = pa.array([None, [5, -(2**63), -1]], pa.list_(pa.int64()))
    assert pa.array(nearkin.stage.sketch(signed, plan)).equals(pa.array(nearkin.stage.sketch(lists(hashes, 64), plan)))


def test_sketches_of_another_size_or_with_nulls_are_refused_by_their_row(plan):
    good = [1] * plan.hashes
    for bad, words in (([1, 2], "sketches:2: 2 numbers, the plan has"), ([*good[1:], None], f"sketches:2: number {plan.hashes} is null")):
        for stage in (nearkin.stage.band_keys, nearkin.stage.signature):
            with pytest.raises(ValueError, match=words):
                stage(lists([good, None, bad], 32), plan)


def test_signatures_agree_by_the_number_of_their_equal_bytes_alone():
    plan = nearkin.tune(threshold=0.7, hashes=61, bands=20, rows=3)
    chance = random.Random(1)
    rows_of = []
    for unequal in range(62):
        for _ in range(20):
            a = bytes(chance.choice((0, 1, 127, 128, 255)) for _ in range(61))
            b = bytearray(a)
            for at in chance.sample(range(61), unequal):
                b[at] ^= chance.choice((1, 128, 255))
            rows_of.append((unequal, a, bytes(b)))
    told = pa.array(nearkin.stage.agree(pa.array([a for _, a, _ in rows_of]), pa.array([b for _, _, b in rows_of], pa.binary(61)), plan)).to_pylist()
    most = max(unequal for (unequal, _, _), agree in zip(rows_of, told) if agree)
    assert told == [unequal <= most for unequal, _, _ in rows_of] and 10 < most < 50


def test_signatures_of_another_width_are_refused_and_nulls_agree_with_nothing(plan):
    good = bytes(plan.hashes)
    told = nearkin.stage.agree(pa.array([good, None, None]), pa.array([good, good, None]), plan)
    assert pa.array(told).to_pylist() == [True, False, False]
    for a, b, words in (([good, good], [good, good[1:]], "b:1: a signature of"), ([b"abc"], [b"abc"], "a:0: a signature of 3 bytes, those of the plan have")):
        with pytest.raises(ValueError, match=words):
            nearkin.stage.agree(pa.array(a), pa.array(b), plan)
    with pytest.raises(ValueError, match="a: list<int64>; expected bytes"):
        nearkin.stage.agree(pa.array([[1]]), pa.array([good]), plan)


def not_utf8():
    """As bytes, and as what says that it is a string."""
    yield pa.array([b"fine", b"abc\xff"])
    yield pa.StringArray.from_buffers(2, pa.py_buffer(np.array([0, 4, 8], np.int32)), pa.py_buffer(b"fineabc\xff"))


def test_bytes_that_are_no_utf8_are_refused_by_their_row_wherever_texts_are_taken(plan, tmp_path):
    with nearkin.Index.create(tmp_path / "i", plan) as index:
        for given in not_utf8():
            for call in (lambda: nearkin.stage.shingle(given, plan), lambda: nearkin.stage.describe(given, plan), lambda: index.put_many(["a", "b"], given),
                         lambda: index.put_many(given, ["a", "b"]), lambda: index.query_many(given), lambda: index.erase(given), lambda: nearkin.pairs(given, plan)):
                with pytest.raises(ValueError, match=":1: (the bytes are not|invalid) UTF-8"):
                    call()
        assert len(index) == 0


class Enough(Exception):
    pass


@pytest.mark.parametrize("stage", [nearkin.stage.shingle, nearkin.stage.describe])
def test_a_signal_ends_a_stage_before_its_end(stage, plan):
    text = " ".join(f"w{i}" for i in range(3000))
    texts = pa.array([f"{i} {text}" for i in range(4000)])

    def ring(*_):
        raise Enough

    before = signal.signal(signal.SIGPROF, ring)
    try:
        begin = time.process_time()
        stage(texts, plan)
        whole = time.process_time() - begin
        begin = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, whole / 10)
        with pytest.raises(Enough):
            stage(texts, plan)
        assert time.process_time() - begin < 0.7 * whole
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def test_stages_are_for_sets_of_shingles(plan):
    features = pa.array([[1, 2]], pa.list_(pa.uint64()))
    with pytest.raises(ValueError, match="not for this stage; use jaccard, weighted-jaccard or containment"):
        nearkin.stage.verify(features, features, nearkin.tune(measure="exact"))
    with pytest.raises(ValueError, match="not for this stage; use jaccard or weighted-jaccard with a recall below 1"):
        nearkin.stage.sketch(features, nearkin.tune(measure="containment"))
    with pytest.raises(ValueError, match="not for this stage"):
        nearkin.stage.sketch(features, nearkin.tune(measure="cosine", threshold=0.9, features="numbers"))
    assert pa.array(nearkin.stage.verify(features, features, str(plan)))[0]["similarity"].as_py() == 1


def test_containment_is_the_share_of_a_that_b_has():
    kind = pa.list_(pa.uint64())
    a, b = pa.array([[1, 2, 3, 4], [1, 2], [], [7]], kind), pa.array([[1, 2, 9], [1, 2, 3], [1], [8]], kind)
    plan = nearkin.tune(measure="containment", threshold=0.6)
    shares = [told and (told["shared"], told["total"], told["similarity"]) for told in pa.array(nearkin.stage.verify(a, b, plan)).to_pylist()]
    assert shares == [None, (2, 2, 1.0), None, None]
    every = pa.array(nearkin.stage.verify(a, b, plan, every=True)).field("similarity").to_pylist()
    assert every == [0.5, 1.0, 0.0, 0.0]


def test_lists_of_dictionaries_of_numbers_are_refused():
    values = pa.array([5, 6, 5]).dictionary_encode()
    with pytest.raises(ValueError, match="dictionary"):
        nearkin.pairs(pa.ListArray.from_arrays([0, 2, 3], values), nearkin.tune(shingle="element:1"))


def test_clusters_of_given_pairs():
    cluster, keeper = nearkin.stage.cluster([0, 1, 3], [1, 2, 4], 6)
    assert cluster.tolist() == [0, 0, 0, 1, 1, 2] and keeper.tolist() == [0, 0, 0, 3, 3, 5]
    cluster, keeper = nearkin.stage.cluster([0, 1, 3], [1, 2, 4], 6, linkage="star")
    assert keeper.tolist() == [0, 0, 2, 3, 3, 5]


def test_columns_outlive_what_they_came_from(plan):
    column = nearkin.stage.describe([f"text number {i} of many" for i in range(1000)], plan)["features"]
    array = pa.array(column)
    again = pa.array(column)
    del column
    assert array.equals(again) and len(array) == 1000


def test_a_null_among_the_elements_of_a_set_is_refused_with_its_row() -> None:
    for sets in ([[1, 2], [1, None]], [["a"], ["b", None]]):
        with pytest.raises(ValueError, match="items:1: an element of the set is null; leave it out"):
            nearkin.dedup(pa.array(sets))


def test_only_the_column_of_a_frame_that_is_asked_for_is_looked_at() -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"text": ["a b c"] * 2, "year": [1999, "n/a"]})
    assert nearkin.dedup(frame).kept.tolist() == [0]
    assert len(nearkin.pairs(frame, against=frame)) == 4 and len(nearkin.query(frame, frame)) == 4
    assert nearkin.units(frame).ids == ["0:0-5", "1:0-5"]
    assert nearkin.dedup(frame.rename(columns={"text": 0}), column="0").kept.tolist() == [0]
    with pytest.raises(TypeError, match="items:1: is str, unlike the other items|items:0: is int; an item is"):
        nearkin.dedup(frame, column="year")
    with pytest.raises(TypeError, match="items:1: is int; an item is a text"):
        nearkin.dedup(pd.Series(["a", 5]))
    with pytest.raises(ValueError, match='items: 2 columns are called "text"; rename them'):
        nearkin.dedup(pd.DataFrame([["a", "b"]] * 2, columns=["text", "text"]))


def test_missing_values_of_pandas_are_items_without_words_wherever_they_stand() -> None:
    pd = pytest.importorskip("pandas")
    for missing in (None, float("nan"), pd.NA, pd.NaT, np.float32("nan"), np.datetime64("NaT")):
        for texts in ([missing, "a b c", "a b c"], ["a b c", missing, "a b c"], ["a b c", "a b c", missing], [missing, missing, missing]):
            for given in (pd.Series(texts, dtype=object), pd.DataFrame({"text": pd.Series(texts, dtype=object)}), pd.Series(texts)):
                assert len(nearkin.pairs(given)) == (0 if texts[0] is missing and texts[1] is missing else 1)


def test_a_column_that_is_asked_for_must_be_there() -> None:
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    columns = {"body": ["a b c"] * 2}
    for table in (pd.DataFrame(columns), pl.DataFrame(columns), pa.table(columns), pa.RecordBatch.from_pydict(columns), pa.table(columns).to_reader()):
        with pytest.raises(ValueError, match='items: there is no column "zz"; the table has body'):
            nearkin.dedup(table, column="zz")
        assert nearkin.dedup(table).kept.tolist() == [0]
    with pytest.raises(ValueError, match='against: there is no column "zz"; the table has body'):
        nearkin.pairs(["a"], against=pa.table(columns), column="zz")
