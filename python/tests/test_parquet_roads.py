"""Rows of Parquet files reach the binary packed in memory, or as JSON lines in a stream where they are too many: one answer. And what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
pytest.importorskip("fsspec")

import nearkin  # noqa: E402
from nearkin import _clashes, _core, _feed  # noqa: E402
from parquet_support import command, documents, table_of, write_jsonl  # noqa: E402


def hard_table() -> Any:
    """With rows at fault: texts that are null or no UTF-8, ids that are missing or come twice; and texts with all that JSON escapes."""
    texts: list[Any] = [text.encode() for text in documents(500)]
    texts[7], texts[8], texts[9] = None, b"one \xff two", b'quote " backslash \\ tab \t line\nend ' + bytes(range(1, 32))
    ids: list[Any] = [f"d{i}" for i in range(500)]
    ids[3], ids[4], ids[60] = None, "", "d59"
    return pa.table({"id": ids, "text": pa.array(texts, pa.binary()), "row": range(500)})


def counted_holds(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """What each stream that was to be held took."""
    taken: list[int] = []
    hold = _feed.Stream.hold

    def counted(stream: _feed.Stream, most: int) -> int:
        taken.append(hold(stream, most))
        return taken[-1]

    monkeypatch.setattr(_feed.Stream, "hold", counted)
    return taken


@pytest.mark.parametrize("words", [[], ["--skipped", "bad.parquet"], ["--keep", "longest", "--skipped", "bad.parquet"]])
def test_packed_rows_and_json_lines_give_one_answer(tmp_path: Path, words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    pq.write_table(hard_table(), tmp_path / "docs.parquet", row_group_size=90)
    plan = ["--plan", str(nearkin.tune(threshold=0.7))]
    taken = counted_holds(monkeypatch)
    got = []
    for memory in ([], ["--memory", "1GiB"]):
        done = command("dedup", "docs.parquet", "-o", "kept.parquet", "--removed", "removed.tsv", *words, *plan, *memory, cwd=tmp_path)
        told = [line for line in done.stderr.splitlines() if "; record " in line and "UTF-8" not in line]  # which byte it is depends on what is around the text
        got.append((pq.read_table(tmp_path / "kept.parquet"), (tmp_path / "removed.tsv").read_bytes(), told,
                    pq.read_table(tmp_path / "bad.parquet")["row"].to_pylist() if words else None))
    assert len(taken) == 1 and taken[0] > 100_000  # the second was a stream
    assert got[0][0].equals(got[1][0]) and got[0][1:] == got[1][1:]
    assert any(f'docs.parquet:7: column "text" is null; record {"skipped" if words else "kept as it is"}' in line for line in got[0][2])
    assert "docs.parquet:3" in got[0][0]["id"].to_pylist() or 3 in got[0][0]["row"].to_pylist()
    if words:
        assert got[0][3] == [7, 8, 60]


def test_pairs_and_clusters_are_the_same_on_both_roads(tmp_path: Path) -> None:
    pq.write_table(hard_table(), tmp_path / "docs.parquet", row_group_size=90)
    pq.write_table(hard_table().slice(100, 200), tmp_path / "others.parquet")
    plan = ["--plan", str(nearkin.tune(threshold=0.7))]
    for words in (["pairs", "docs.parquet"], ["cluster", "docs.parquet"], ["pairs", "docs.parquet", "--against", "others.parquet"]):
        for name, memory in (("packed", []), ("stream", ["--memory", "1GiB"])):
            command(*words, "-o", name, *plan, *memory, cwd=tmp_path, status=1)
        assert (tmp_path / "packed").read_bytes() == (tmp_path / "stream").read_bytes()
        assert (tmp_path / "packed").stat().st_size > 500


def test_rows_that_turn_out_too_many_for_memory_are_streamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A dictionary counts once in what the file tells of its size.
    texts = pa.array([f"{'the same long text ' * 200} {i % 4}" for i in range(2000)]).dictionary_encode()
    pq.write_table(pa.table({"id": [str(i) for i in range(2000)], "text": texts}), tmp_path / "docs.parquet", row_group_size=100)
    pq.write_table(pa.table({"id": ["x", "y"], "text": ["a text of its own entirely", "another one that nobody wrote"]}), tmp_path / "few.parquet")
    monkeypatch.setattr(_core, "default_memory", lambda: 8_000_000)
    taken = counted_holds(monkeypatch)
    command("dedup", "few.parquet", "--against", "docs.parquet", "-o", "kept.parquet", "--measure", "exact", cwd=tmp_path)
    assert taken[0] > 0 and taken[1] == -1
    assert pq.read_table(tmp_path / "kept.parquet")["id"].to_pylist() == ["x", "y"]
    command("dedup", "docs.parquet", "-o", "kept.parquet", "--measure", "exact", cwd=tmp_path)
    assert pq.read_table(tmp_path / "kept.parquet")["id"].to_pylist() == ["0", "1", "2", "3"]


def test_two_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    table = pa.table([pa.array(["a b", "c d"]), pa.array(["x", "y"]), pa.array(["1", "2"])], names=["text", "id", "id"])
    pq.write_table(table, tmp_path / "docs.parquet")
    done = command("dedup", "docs.parquet", "-o", "kept.parquet", cwd=tmp_path, status=2)
    assert done.stderr == 'nearkin: docs.parquet: 2 columns are called "id"; rename them\n'


def test_bytes_that_are_no_text_do_not_become_json(tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": ["a", "b"], "text": ["one two", "three four"], "raw": [b"fine", b"\xff\x00"]}), tmp_path / "docs.parquet")
    done = command("dedup", "docs.parquet", "-o", "kept.jsonl", cwd=tmp_path, status=2)
    assert "docs.parquet: b'\\xff\\x00' is no text" in done.stderr and not (tmp_path / "kept.jsonl").exists()
    command("dedup", "docs.parquet", "-o", "kept.parquet", cwd=tmp_path)
    assert pq.read_table(tmp_path / "kept.parquet")["raw"].to_pylist() == [b"fine", b"\xff\x00"]


def test_a_path_without_an_extension_is_a_folder_of_outputs(tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": ["a", "b"], "text": ["one two", "one two"]}), tmp_path / "docs.parquet")
    nearkin.dedup_files(tmp_path / "docs.parquet", tmp_path / "out")
    assert pq.read_table(tmp_path / "out" / "docs.parquet")["id"].to_pylist() == ["a"]


@pytest.mark.parametrize("given, words", [
    (dict(inputs=3), "inputs: 3 is not a path"), (dict(inputs=["a.parquet", None]), "inputs: None is not a path"), (dict(output=None), "output: None is not a path"),
    (dict(progress=print), "progress: a function is called only by runs over items in memory"),
])
def test_what_cannot_be_a_run_over_files_is_refused_by_name(tmp_path: Path, given: dict[str, Any], words: str) -> None:
    path = tmp_path / "docs.jsonl"
    path.write_text(json.dumps({"id": "a", "text": "one"}) + "\n")
    with pytest.raises(TypeError, match=words):
        nearkin.dedup_files(**{"inputs": path, "output": tmp_path / "kept.jsonl", **given})


@pytest.fixture
def inputs(tmp_path: Path) -> Path:
    for name in ("x.parquet", "o.parquet", "in/y.parquet"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        pq.write_table(pa.table({"id": ["a", "b"], "text": ["one two three", "one two three"]}), tmp_path / name)
    return tmp_path


@pytest.mark.parametrize("words, message", [
    ("dedup x.parquet -o a.parquet --removed x.parquet", "--removed: x.parquet is also an input"),
    ("dedup x.parquet -o a.parquet --skipped ./x.parquet", "--skipped: ./x.parquet is also an input"),
    ("dedup x.parquet -o a.parquet --stats x.parquet", "--stats: x.parquet is also an input"),
    ("pairs x.parquet -o x.parquet", "--output: x.parquet is also an input"),
    ("cluster x.parquet -o x.parquet", "--output: x.parquet is also an input"),
    ("dedup x.parquet --against o.parquet -o o.parquet", "--output: o.parquet is read as --against"),
    ("dedup x.parquet --against o.parquet -o a.parquet --removed o.parquet", "--removed: o.parquet is read as --against"),
    ("dedup in -o a.parquet --removed in/y.parquet", "--removed: in/y.parquet is also an input, as it is in in"),
    ("dedup in/*.parquet -o a.parquet --removed in/y.parquet", "--removed: in/y.parquet is also an input"),
    ("dedup x.parquet -o a.parquet --removed a.parquet", "--removed: a.parquet is the output already"),
    ("dedup x.parquet -o a.parquet --removed s.tsv --skipped s.tsv", "--skipped: s.tsv is the --removed file already"),
    ("dedup x.parquet -o b/ --removed b/x.parquet", "--removed: b/x.parquet is the output already"),
    ("dedup x.parquet -o a.parquet --stats a.parquet", "--stats: a.parquet is the output already"),
    ("dedup x.parquet --removed -", "--removed: standard output already takes the result"),
    ("dedup --format parquet -o a.parquet", "--format: Parquet is not read from standard input"),
])
def test_no_output_takes_the_place_of_an_input_or_of_another_output(inputs: Path, words: str, message: str) -> None:
    before = {path: path.read_bytes() for path in inputs.rglob("*") if path.is_file()}
    done = command(*words.split(), cwd=inputs, status=2)
    assert f"nearkin: {message}" in done.stderr
    assert {path: path.read_bytes() for path in inputs.rglob("*") if path.is_file()} == before


def test_what_dedup_keeps_may_take_the_place_of_its_input_and_a_device_is_shared(inputs: Path) -> None:
    command("dedup", "x.parquet", "-o", "x.parquet", "--removed", "/dev/null", "--stats", "/dev/null", cwd=inputs)
    assert pq.read_table(inputs / "x.parquet")["id"].to_pylist() == ["a"]


def test_other_thresholds_are_told_of_parquet_too(inputs: Path) -> None:
    done = command("dedup", "x.parquet", "--thresholds", "0.5,0.7", cwd=inputs)
    assert done.stdout == command("dedup", write_lines(inputs), "--thresholds", "0.5,0.7", cwd=inputs).stdout and "0.7" in done.stdout


def write_lines(folder: Path) -> str:
    (folder / "x.jsonl").write_text("".join(json.dumps({"id": id, "text": "one two three"}) + "\n" for id in "ab"))
    return "x.jsonl"


def test_a_folder_of_many_files_is_looked_at_once_each(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []
    place = _clashes._place
    monkeypatch.setattr(_clashes, "_place", lambda path: looked.append(path) or place(path))
    (tmp_path / "in").mkdir()
    for i in range(30):
        pq.write_table(pa.table({"id": [str(i)], "text": [f"a text with the number {i}"]}), tmp_path / "in" / f"{i}.parquet")
    command("dedup", "in", "-o", "out/", cwd=tmp_path)
    assert 60 <= len(looked) < 70


def test_records_that_cannot_be_used_become_rows_where_they_have_columns(tmp_path: Path) -> None:
    text = "the same eight words are in all of them"
    lines = [json.dumps({"id": f"d{i}", "text": words, "n": i}).encode() for i, words in enumerate([text, text, None, "something else"])]
    lines += [b'{"id":"d0","text":"an id that was used before","n":4}', b"no JSON at all", b'{"id":"d5","text":5}', b'["d6"]', b'{"id":"d7","n":7}',
              b'{"id":"d8","text":"\xff","n":8}', b'{"id":"d9","text":null,"n":9,"error":"timeout"}', b'{"id":"da","text":"\\ud800","n":10}']
    (tmp_path / "docs.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    expected = [("d0", text, 0), ("d2", None, 2), ("d3", "something else", 3), ("d0", "an id that was used before", 4), ("d7", None, 7)]
    for flags in ([], ["--faults", "keep"]):
        done = command("dedup", "docs.jsonl", "-o", "kept.parquet", "--stats", "stats.json", *flags, cwd=tmp_path, status=1)
        assert [tuple(row.values()) for row in pq.read_table(tmp_path / "kept.parquet").to_pylist()] == expected
        assert "kept.parquet: 6 records that cannot be used have no such columns, and were left out" in done.stderr
        stats = json.loads((tmp_path / "stats.json").read_text())
        assert (stats["kept"], stats["kept_at_fault"], stats["skipped"]) == (2, 3, 6)
    command("dedup", "docs.jsonl", "-o", "kept.parquet", "--skipped", "bad.jsonl", cwd=tmp_path)
    assert [row["id"] for row in pq.read_table(tmp_path / "kept.parquet").to_pylist()] == ["d0", "d3"]
    assert len((tmp_path / "bad.jsonl").read_bytes().splitlines()) == 9


def test_a_record_that_can_be_used_and_has_other_columns_ends_a_conversion(tmp_path: Path) -> None:
    (tmp_path / "docs.jsonl").write_text('{"id":"a","text":"one two","n":1}\n{"id":"b","text":"three four","n":"two"}\n{"id":"c","text":null}\n')
    done = command("dedup", "docs.jsonl", "-o", "kept.parquet", cwd=tmp_path, status=2)
    assert "the records cannot all have the columns of the first ones" in done.stderr and not (tmp_path / "kept.parquet").exists()


LONG = [2**64 - 1, 2**64 - 2, 7]


@pytest.mark.parametrize("values, kind", [(LONG, "uint64"), ([2**63, 1], "uint64"), ([2**63 - 1, -(2**63)], "int64"), ([1.5, 2**53], "double"), ([[LONG[0]], [LONG[1], 1]], "list<item: uint64>"),
                                          ([{"a": LONG[0]}, {"a": LONG[1]}, {"a": None}], "struct<a: uint64>"), ([10**16 * 2, 0.5], "double")])
def test_whole_numbers_of_json_lines_are_not_rounded(tmp_path: Path, values: list[Any], kind: str) -> None:
    records = [{"id": f"d{row}", "text": text, "v": value} for row, (text, value) in enumerate(zip(documents(4), values))]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    command("dedup", "in.jsonl", "-o", "out.parquet", cwd=tmp_path)
    table = pq.read_table(tmp_path / "out.parquet")
    assert str(table.schema.field("v").type).replace("element", "item") == kind
    assert table["v"].to_pylist() == values


@pytest.mark.parametrize("values", [[1.5, 2**53 + 1], [2**64 + 1, 1], [-1, 2**63 + 1], [[0.5], [2**53 + 1]], [{"a": 2**53 + 1}, {"a": 0.5}], [10**400, 1]])
def test_whole_numbers_of_json_lines_that_would_be_rounded_are_refused(tmp_path: Path, values: list[Any]) -> None:
    for order in (values, values[::-1]):
        records = [{"id": f"d{row}", "text": text, "v": value} for row, (text, value) in enumerate(zip(documents(4), order))]
        (tmp_path / "in.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
        said = command("dedup", "in.jsonl", "-o", "out.parquet", cwd=tmp_path, status=2).stderr
        assert 'out.parquet: column "v" has whole numbers that would be rounded' in said
        assert not (tmp_path / "out.parquet").exists()


def test_whole_numbers_that_come_late_are_not_rounded_either(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearkin._rows, "_BLOCK", 1500)
    for first in (1.5, 1):
        records = [{"id": f"d{row}", "text": text, "v": first} for row, text in enumerate(documents(4))] + [{"id": "x", "text": "quite another", "v": 2**64 - 1}]
        (tmp_path / "in.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
        said = command("dedup", "in.jsonl", "-o", "out.parquet", cwd=tmp_path, status=2).stderr
        assert "out.parquet: " in said and "write JSON lines" in said


def test_what_was_removed_from_json_lines_is_a_table_beside_a_table(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "docs.jsonl", documents(100))
    pq.write_table(table_of(documents(100)), tmp_path / "docs.parquet")
    for kind in ("jsonl", "parquet"):
        command("dedup", f"docs.{kind}", "-o", f"kept-{kind}.parquet", "--removed", f"removed-{kind}.parquet", cwd=tmp_path)
    removed = pq.read_table(tmp_path / "removed-jsonl.parquet")
    assert removed.equals(pq.read_table(tmp_path / "removed-parquet.parquet")) and removed.column_names == ["id", "keeper", "similarity"] and len(removed)


@pytest.mark.parametrize("flag", ["--skipped", "--stats", "--report"])
def test_what_is_no_table_is_not_written_under_the_name_of_one(tmp_path: Path, flag: str) -> None:
    write_jsonl(tmp_path / "docs.jsonl", documents(10))
    said = command("dedup", "docs.jsonl", "-o", "kept.parquet", flag, "other.parquet", cwd=tmp_path, status=2).stderr
    assert f"{flag}: other.parquet: is not written as Parquet; name another file" in said and not (tmp_path / "other.parquet").exists()
