"""Parquet in and out through the package: the same answer as from JSON lines, and every column kept."""

from __future__ import annotations

import json
import os
import random
import uuid
from pathlib import Path
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
fsspec = pytest.importorskip("fsspec")

import nearkin  # noqa: E402
from parquet_support import command, documents, kept_ids, table_of, write_jsonl  # noqa: E402


def test_the_answer_is_that_of_the_same_records_as_json_lines(tmp_path: Path) -> None:
    texts = documents(3000)
    pq.write_table(table_of(texts), tmp_path / "docs.parquet", row_group_size=257)
    write_jsonl(tmp_path / "docs.jsonl", texts)
    plan = str(nearkin.tune(threshold=0.7))
    for name, kept in (("docs.parquet", "kept.parquet"), ("docs.jsonl", "kept.jsonl")):
        command("dedup", name, "-o", kept, "--removed", f"{name}.tsv", "--plan", plan, cwd=tmp_path)
        command("pairs", name, "-o", f"{name}.pairs", "--plan", plan, cwd=tmp_path)
        command("cluster", name, "-o", f"{name}.clusters", "--plan", plan, cwd=tmp_path)
    assert pq.read_table(tmp_path / "kept.parquet")["id"].to_pylist() == kept_ids(tmp_path / "kept.jsonl")
    for result in ("tsv", "pairs", "clusters"):
        assert (tmp_path / f"docs.parquet.{result}").read_bytes() == (tmp_path / f"docs.jsonl.{result}").read_bytes()
        assert (tmp_path / f"docs.parquet.{result}").stat().st_size > 1000


def test_without_a_plan_one_is_chosen_for_the_data(tmp_path: Path) -> None:
    texts = documents(3000)
    pq.write_table(table_of(texts), tmp_path / "docs.parquet")
    write_jsonl(tmp_path / "docs.jsonl", texts)
    for name in ("docs.parquet", "docs.jsonl"):
        command("pairs", name, "--threshold", "0.6", "--stats", f"{name}.json", "-o", os.devnull, cwd=tmp_path)
    plans = [json.loads((tmp_path / f"{name}.json").read_text())["plan"] for name in ("docs.parquet", "docs.jsonl")]
    assert plans[0] == plans[1]
    assert "bucket=10000" in plans[0]


def test_nested_columns_nulls_and_metadata_of_the_schema_are_kept(tmp_path: Path) -> None:
    texts = documents(400)
    kinds = pa.schema([
        pa.field("id", pa.string()), pa.field("text", pa.large_string(), metadata={"unit": "words"}), pa.field("label", pa.dictionary(pa.int32(), pa.string())),
        pa.field("meta", pa.struct([("url", pa.string()), ("tags", pa.list_(pa.string()))])), pa.field("scores", pa.map_(pa.string(), pa.float64())),
        pa.field("when", pa.timestamp("us", tz="UTC")), pa.field("nothing", pa.null()),
    ], metadata={"made by": "a test"})
    rows = [{"id": f"d{i}", "text": text, "label": ["x", "y", None][i % 3], "meta": None if i % 4 == 0 else {"url": f"u{i}", "tags": [None, "t"] if i % 2 else None},
             "scores": [("a", float(i))] if i % 5 else None, "when": i * 1_000_000, "nothing": None} for i, text in enumerate(texts)]
    table = pa.Table.from_pylist(rows, kinds)
    pq.write_table(table, tmp_path / "docs.parquet", compression="zstd", row_group_size=100)
    command("dedup", "docs.parquet", "-o", "kept.parquet", "--removed", "gone.tsv", cwd=tmp_path)
    kept = pq.read_table(tmp_path / "kept.parquet")
    gone = {line.split("\t")[0] for line in (tmp_path / "gone.tsv").read_text().splitlines()}
    assert 50 < len(gone) < 100
    assert kept.schema.equals(pq.read_schema(tmp_path / "docs.parquet"), check_metadata=True)
    assert kept.to_pylist() == [row for row in table.to_pylist() if row["id"] not in gone]
    group = pq.ParquetFile(tmp_path / "kept.parquet").metadata.row_group(0)
    assert {group.column(c).compression for c in range(group.num_columns)} == {"ZSTD"}


@pytest.mark.parametrize("kind", ["string", "large_string", "dictionary", "binary", "string_view"])
def test_texts_and_ids_may_be_held_in_any_way(tmp_path: Path, kind: str) -> None:
    texts = documents(300)
    types = {"dictionary": pa.dictionary(pa.int32(), pa.string()), "binary": pa.binary(), "large_string": pa.large_string(), "string": pa.string()}
    if kind == "string_view" and not hasattr(pa, "string_view"):
        pytest.skip("this pyarrow has no string_view")
    wanted = pa.string_view() if kind == "string_view" else types[kind]
    columns = {"text": pa.array(texts).cast(wanted) if kind != "dictionary" else pa.array(texts).dictionary_encode(), "id": pa.array([f"d{i}" for i in range(300)])}
    columns["id"] = columns["id"].cast(wanted) if kind != "dictionary" else columns["id"].dictionary_encode()
    pq.write_table(pa.table(columns), tmp_path / "docs.parquet")
    write_jsonl(tmp_path / "docs.jsonl", texts)
    for name in ("docs.parquet", "docs.jsonl"):
        command("pairs", name, "-o", f"{name}.tsv", cwd=tmp_path)
    assert (tmp_path / "docs.parquet.tsv").read_bytes() == (tmp_path / "docs.jsonl.tsv").read_bytes()


def test_dots_reach_into_structs_and_numbers_may_be_ids(tmp_path: Path) -> None:
    texts = documents(200)
    table = pa.table({"doc": [{"body": text, "number": i} for i, text in enumerate(texts)]})
    pq.write_table(table, tmp_path / "docs.parquet")
    found = command("dedup", "docs.parquet", "-o", "kept.parquet", "--text", "doc.body", "--id", "doc.number", "--removed", "-", cwd=tmp_path).stdout
    gone = {int(line.split("\t")[0]) for line in found.splitlines()}
    assert gone and pq.read_table(tmp_path / "kept.parquet").to_pylist() == [row for row in table.to_pylist() if row["doc"]["number"] not in gone]


def test_rows_without_an_id_are_called_by_file_and_row(tmp_path: Path) -> None:
    pq.write_table(pa.table({"text": ["one two three four five six"] * 3}), tmp_path / "docs.parquet")
    assert command("dedup", "docs.parquet", "-o", os.devnull + "/", "--removed", "-", cwd=tmp_path, status=2).stdout == ""
    found = command("dedup", "docs.parquet", "-o", "kept.parquet", "--removed", "-", cwd=tmp_path).stdout
    assert found == "docs.parquet:1\tdocs.parquet:0\t1\ndocs.parquet:2\tdocs.parquet:0\t1\n"


def test_ids_that_tsv_must_escape_are_met_again(tmp_path: Path) -> None:
    ids = ["a\tb", "c\\d", "e\nf", "\\t", 'q"', "é", "\x1b[31m", "\u202eabc", "\\x1b", "\0", "", None]
    pq.write_table(pa.table({"id": ids, "text": ["one two three four five six"] * len(ids)}), tmp_path / "docs.parquet")
    for flags in ([], ["--json"]):
        command("dedup", "docs.parquet", "-o", "kept.parquet", "--removed", "gone", *flags, cwd=tmp_path)
        assert pq.read_table(tmp_path / "kept.parquet")["id"].to_pylist() == ["a\tb"]


def test_rows_at_fault_are_named_left_out_and_set_aside(tmp_path: Path) -> None:
    texts: list[Any] = documents(100)
    texts[7] = None
    table = table_of(texts).set_column(0, "id", pa.array([f"d{i}" if i != 60 else "d3" for i in range(100)]))
    pq.write_table(table, tmp_path / "docs.parquet", row_group_size=10)
    done = command("dedup", "docs.parquet", "-o", "kept.parquet", "--skipped", "bad.parquet", cwd=tmp_path)
    assert 'docs.parquet:7: column "text" is null; record skipped' in done.stderr
    assert 'docs.parquet:60: id "d3" was used before, at docs.parquet:3; record skipped' in done.stderr
    bad = pq.read_table(tmp_path / "bad.parquet")
    assert bad.equals(table.take([7, 60]))
    kept = pq.read_table(tmp_path / "kept.parquet")
    assert "d7" not in kept["id"].to_pylist() and kept["id"].to_pylist().count("d3") == 1
    command("dedup", "docs.parquet", "-o", "kept.parquet", "--skipped", "bad.jsonl", cwd=tmp_path)
    assert [json.loads(line)["id"] for line in (tmp_path / "bad.jsonl").read_text().splitlines()] == ["d7", "d3"]


@pytest.mark.parametrize("flags", [[], ["--memory", "1GiB"], ["--measure", "exact", "--bloom", "0.01"], ["--annotate"], ["--unit", "sentence"], ["--passages", "30"],
                                   ["--skipped", "bad.parquet"], ["--same-id", "keep"], ["--same-id", "keep", "--annotate"], ["--id", "none"]])
def test_rows_at_fault_stay_where_they_are(tmp_path: Path, flags: list[str]) -> None:
    texts: list[Any] = documents(100)
    texts[7] = None
    ids = [f"d{i}" if i != 60 else "d3" for i in range(100)]
    table = pa.table({"id": ids, "text": pa.array([text.encode() if text else text for text in texts[:-1]] + [b"one \xff two"])})
    pq.write_table(table, tmp_path / "docs.parquet", row_group_size=10)
    stats = ["--stats", "stats.json", "--removed", "removed.tsv"][: 2 if "--bloom" in flags else 4]
    done = command("dedup", "docs.parquet", "-o", "kept.parquet", "--faults", "keep", *flags, *stats, cwd=tmp_path)
    assert 'docs.parquet:7: column "text" is null; record kept as it is' in done.stderr and "record skipped" not in done.stderr
    kept, told = pq.read_table(tmp_path / "kept.parquet"), json.loads((tmp_path / "stats.json").read_text())
    ids_differ = "--same-id" in flags or "none" in flags or "--bloom" in flags
    assert told["skipped"] == 0 and told["kept_at_fault"] == (2 if ids_differ else 3)
    rows = {row["id"]: row for row in kept.to_pylist()}
    assert rows["d7"]["text"] is None and rows["d99"]["text"] == b"one \xff two" and kept["id"].to_pylist().count("d3") == 2
    assert list(rows) == [id for id in dict.fromkeys(ids) if id in rows]  # in their order
    if "--skipped" in flags:
        assert pq.read_table(tmp_path / "bad.parquet").equals(table.take([7, 60, 99]))
    if "--annotate" in flags:
        assert rows["d7"]["cluster"] is None and rows["d8"]["cluster"] is not None


def test_what_is_no_utf8_is_a_row_at_fault(tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": ["a", "b", "c"], "text": pa.array([b"one two three four five", b"one \xff two", b"one two three four six"])}), tmp_path / "docs.parquet")
    for flags, ids in ([], ["a", "b", "c"]), (["--faults", "skip"], ["a", "c"]):
        done = command("dedup", "docs.parquet", "-o", "kept.parquet", *flags, cwd=tmp_path)
        assert "docs.parquet:1: " in done.stderr and "UTF-8" in done.stderr
        assert pq.read_table(tmp_path / "kept.parquet")["id"].to_pylist() == ids
    command("dedup", "docs.parquet", "-o", "kept.parquet", "--faults", "stop", cwd=tmp_path, status=2)


def test_little_memory_changes_nothing_but_the_time(tmp_path: Path) -> None:
    long = [random.Random(i // 2).randbytes(12_000).hex().replace("a", " ") + f" number {i}" for i in range(4000)]
    pq.write_table(table_of(long), tmp_path / "docs.parquet", row_group_size=500)
    (tmp_path / "scratch").mkdir()
    plan = ["--plan", str(nearkin.tune(threshold=0.8))]
    command("dedup", "docs.parquet", "-o", "kept.parquet", *plan, cwd=tmp_path)
    command("dedup", "docs.parquet", "-o", "less.parquet", "--memory", "64MiB", "--threads", "1", "--scratch", "scratch", "--stats", "stats.json", *plan, cwd=tmp_path)
    assert json.loads((tmp_path / "stats.json").read_text())["scratch_bytes"] > 0
    assert pq.read_table(tmp_path / "less.parquet").equals(pq.read_table(tmp_path / "kept.parquet"))
    assert os.listdir(tmp_path / "scratch") == []


def test_empty_files_and_files_without_rows_are_no_trouble(tmp_path: Path) -> None:
    texts = documents(50)
    pq.write_table(table_of(texts).slice(0, 0), tmp_path / "a.parquet")
    pq.write_table(table_of(texts), tmp_path / "b.parquet")
    pq.write_table(table_of(texts).slice(0, 0), tmp_path / "c.parquet")
    command("dedup", "a.parquet", "-o", "kept.parquet", cwd=tmp_path)
    assert pq.read_table(tmp_path / "kept.parquet").num_rows == 0
    command("dedup", "a.parquet", "b.parquet", "c.parquet", "-o", "out/", cwd=tmp_path)
    assert [pq.read_table(tmp_path / "out" / f"{name}.parquet").num_rows > 0 for name in "abc"] == [False, True, False]
    assert pq.read_schema(tmp_path / "out" / "a.parquet").equals(pq.read_schema(tmp_path / "a.parquet"))


def test_several_files_become_one_or_a_folder_of_files_with_the_same_names(tmp_path: Path) -> None:
    table = table_of(documents(600))
    (tmp_path / "in" / "deep").mkdir(parents=True)
    for k, name in enumerate(["one.parquet", "two.parquet", "deep/three.parquet"]):
        pq.write_table(table.slice(k * 200, 200), tmp_path / "in" / name)
    (tmp_path / "in" / "_SUCCESS").touch()
    (tmp_path / "in" / "notes.txt").write_text("not a table")
    done = command("dedup", "in", "-o", "out/", cwd=tmp_path)
    assert "in: 1 file in it that are not .parquet left out" in done.stderr
    parts = ["deep/three.parquet", "one.parquet", "two.parquet"]
    split = pa.concat_tables([pq.read_table(tmp_path / "out" / name) for name in parts])
    command("dedup", *[f"in/{name}" for name in parts], "-o", "all.parquet", cwd=tmp_path)
    assert pq.read_table(tmp_path / "all.parquet").equals(split)
    assert 400 < split.num_rows < 560
    command("dedup", "in/*.parquet", "-o", "two.parquet", cwd=tmp_path)
    assert 300 < pq.read_table(tmp_path / "two.parquet").num_rows < 400


def test_annotate_adds_cluster_keeper_and_similarity(tmp_path: Path) -> None:
    texts: list[Any] = documents(300)
    texts[5] = None
    pq.write_table(table_of(texts, n=list(range(300))), tmp_path / "docs.parquet", row_group_size=64)
    write_jsonl(tmp_path / "docs.jsonl", texts)
    command("dedup", "docs.parquet", "--annotate", "-o", "all.parquet", cwd=tmp_path)
    expected = command("dedup", "docs.jsonl", "--annotate", cwd=tmp_path).stdout
    rows = pq.read_table(tmp_path / "all.parquet").to_pylist()
    names = ("id", "cluster", "keeper", "similarity")
    assert [[row[name] for name in names] for row in rows] == [[record.get(name) for name in names] for record in map(json.loads, expected.splitlines())]
    assert len(rows) == 300 and rows[-1]["n"] == 299 and rows[5]["cluster"] is None
    assert any(0.8 <= row["similarity"] < 1 for row in rows if row["similarity"])


def test_against_an_index_and_by_a_filter_the_rows_kept_are_written(tmp_path: Path) -> None:
    texts = documents(300)
    pq.write_table(table_of(texts, n=list(range(300))), tmp_path / "docs.parquet")
    pq.write_table(table_of(texts).slice(0, 100), tmp_path / "seen.parquet")
    command("index", "create", "seen.nearkin", "seen.parquet", cwd=tmp_path)
    command("dedup", "docs.parquet", "--index", "seen.nearkin", "-o", "new.parquet", cwd=tmp_path)
    new = pq.read_table(tmp_path / "new.parquet")["n"].to_pylist()
    assert new and min(new) >= 100 and len(new) < 200
    assert not (tmp_path / "new.parquet.kept.jsonl").exists()
    pq.write_table(pa.concat_tables([table_of(texts), pa.table({"id": ["again"], "text": [texts[0]]})]), tmp_path / "more.parquet")
    command("dedup", "more.parquet", "--measure", "exact", "--bloom", "0.001", "-o", "once.parquet", cwd=tmp_path)
    assert "again" not in pq.read_table(tmp_path / "once.parquet")["id"].to_pylist()


@pytest.mark.parametrize("flags", [["--keep", "last"], ["--keep", "longest", "--linkage", "connected"], ["--keep", "shortest", "--threads", "1"]], ids=" ".join)
def test_whatever_is_kept_the_rows_are_those_of_json_lines(tmp_path: Path, flags: list[str]) -> None:
    texts = documents(1000)
    pq.write_table(table_of(texts), tmp_path / "docs.parquet", row_group_size=100)
    write_jsonl(tmp_path / "docs.jsonl", texts)
    command("dedup", "docs.parquet", "-o", "kept.parquet", *flags, cwd=tmp_path)
    command("dedup", "docs.jsonl", "-o", "kept.jsonl", *flags, cwd=tmp_path)
    assert pq.read_table(tmp_path / "kept.parquet")["id"].to_pylist() == kept_ids(tmp_path / "kept.jsonl")


@pytest.mark.parametrize("other", ["seen.parquet", "seen.jsonl"])
def test_what_is_in_another_file_is_removed(tmp_path: Path, other: str) -> None:
    texts: list[Any] = documents(400)
    seen = [None, *texts[:50], "only there"]
    pq.write_table(table_of(seen), tmp_path / "seen.parquet")
    write_jsonl(tmp_path / "seen.jsonl", seen)
    pq.write_table(table_of(texts), tmp_path / "docs.parquet")
    write_jsonl(tmp_path / "docs.jsonl", texts)
    done = command("dedup", "docs.parquet", "--against", other, "-o", "new.parquet", "--skipped", "bad.jsonl", cwd=tmp_path)
    command("dedup", "docs.parquet", "--against", other, "-o", "new.parquet", cwd=tmp_path, status=1)  # nobody said to skip those of the other
    command("dedup", "docs.jsonl", "--against", "seen.jsonl", "-o", "new.jsonl", cwd=tmp_path, status=1)
    kept = pq.read_table(tmp_path / "new.parquet")["id"].to_pylist()
    assert kept == kept_ids(tmp_path / "new.jsonl") and "d0" not in kept and len(kept) < 350
    assert f"{other}:{0 if other == 'seen.parquet' else 1}: " in done.stderr and (tmp_path / "bad.jsonl").read_bytes() == b""
    pairs = [command("pairs", docs, "--against", against, cwd=tmp_path, status=1).stdout for docs, against in (("docs.parquet", other), ("docs.jsonl", "seen.jsonl"))]
    assert pairs[0] == pairs[1] != ""


def test_another_table_may_call_its_columns_otherwise(tmp_path: Path) -> None:
    texts: list[Any] = documents(300)
    pq.write_table(table_of(texts), tmp_path / "docs.parquet")
    write_jsonl(tmp_path / "docs.jsonl", texts)
    others = [f"{text} more" for text in texts[:40]] + texts[60:90]
    pq.write_table(pa.table({"key": [f"k{i}" for i in range(len(others))], "label": others}), tmp_path / "other.parquet")
    (tmp_path / "other.jsonl").write_text("".join(json.dumps({"key": f"k{i}", "label": text}) + "\n" for i, text in enumerate(others)))
    flags = ["--against-text", "label", "--against-id", "key", "--one-to-one"]
    found = [command("pairs", f"docs.{kind}", "--against", f"other.{kind}", *flags, cwd=tmp_path).stdout for kind in ("parquet", "jsonl")]
    assert found[0] == found[1] != "" and "\tk1\t" in found[0]
    refused = command("pairs", "docs.parquet", "--text", "*", cwd=tmp_path, status=2)
    assert "--text: * does not work for Parquet; name the columns" in refused.stderr


def test_metadata_and_numbers_to_keep_by_are_columns(tmp_path: Path) -> None:
    texts = ["one two three four five six"] * 4
    pq.write_table(table_of(texts, score=[1.5, 9.25, float("nan"), None], lang=["en", "de", None, "fr"], meta=[{"x": i} for i in range(4)]), tmp_path / "docs.parquet")
    command("dedup", "docs.parquet", "--keep", "max:score", "-o", "best.parquet", cwd=tmp_path)
    assert pq.read_table(tmp_path / "best.parquet")["id"].to_pylist() == ["d1"]
    command("index", "create", "docs.nearkin", "docs.parquet", "--metadata", "lang,meta.x,score", cwd=tmp_path)
    found = command("query", "docs.nearkin", "docs.parquet", "--json", "--with-metadata", "--where", "lang=de", cwd=tmp_path).stdout
    hits = [json.loads(line) for line in found.splitlines()]
    assert [hit["id"] for hit in hits] == ["d1"] * 4
    assert hits[0]["metadata"] == {"lang": "de", "meta.x": 1, "score": 9.25}
    command("query", "docs.nearkin", "docs.parquet", "--with-metadata", "--where", "lang=de", "-o", "hits.parquet", cwd=tmp_path)
    row = pq.read_table(tmp_path / "hits.parquet").to_pylist()[0]
    assert row["id"] == "d1" and json.loads(row["metadata"]) == hits[0]["metadata"]


def test_results_are_written_as_parquet(tmp_path: Path) -> None:
    texts = documents(200)
    pq.write_table(table_of(texts), tmp_path / "docs.parquet")
    write_jsonl(tmp_path / "docs.jsonl", texts)
    for name in ("docs.parquet", "docs.jsonl"):
        for result in ("pairs", "cluster"):
            command(result, name, "-o", f"{result}.parquet", cwd=tmp_path)
            told = command(result, name, "--json", cwd=tmp_path).stdout
            assert pq.read_table(tmp_path / f"{result}.parquet").to_pylist() == [json.loads(line) for line in told.splitlines()]
    command("query", "docs.jsonl", "docs.parquet", "-o", "hits.parquet", cwd=tmp_path)
    assert pq.read_table(tmp_path / "hits.parquet").schema.names == ["query", "id", "similarity"]
    command("dedup", "docs.parquet", "-o", "kept.parquet", "--removed", "gone.parquet", cwd=tmp_path)
    gone = pq.read_table(tmp_path / "gone.parquet")
    assert gone.schema.names == ["id", "keeper", "similarity"] and gone.num_rows + pq.read_metadata(tmp_path / "kept.parquet").num_rows == 200
    command("pairs", "docs.parquet", "--threshold", "0.999", "-o", "none.parquet", cwd=tmp_path)
    assert pq.read_table(tmp_path / "none.parquet").schema == pa.schema([("a", pa.string()), ("b", pa.string()), ("similarity", pa.float64())])


def test_parquet_becomes_json_lines_and_json_lines_parquet(tmp_path: Path) -> None:
    texts = documents(200)
    pq.write_table(table_of(texts, meta=[{"n": i} for i in range(200)]), tmp_path / "docs.parquet")
    command("dedup", "docs.parquet", "-o", "kept.jsonl", cwd=tmp_path)
    command("dedup", "docs.parquet", "-o", "kept.parquet", cwd=tmp_path)
    rows = [json.loads(line) for line in (tmp_path / "kept.jsonl").read_text().splitlines()]
    assert rows == pq.read_table(tmp_path / "kept.parquet").to_pylist()
    assert command("dedup", "docs.parquet", cwd=tmp_path).stdout == (tmp_path / "kept.jsonl").read_text()
    command("dedup", "kept.jsonl", "-o", "again.parquet", cwd=tmp_path)
    assert pq.read_table(tmp_path / "again.parquet").to_pylist() == rows
    assert "name one of these" in command("dedup", "docs.parquet", "-o", "kept.csv", cwd=tmp_path, status=2).stderr


def test_a_broken_file_is_named_and_nothing_is_written(tmp_path: Path) -> None:
    pq.write_table(table_of(documents(2000)), tmp_path / "good.parquet", row_group_size=100)
    whole = (tmp_path / "good.parquet").read_bytes()
    (tmp_path / "cut.parquet").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "empty.parquet").write_bytes(b"")
    (tmp_path / "bent.parquet").write_bytes(whole[: len(whole) // 3] + bytes(4000) + whole[len(whole) // 3 + 4000:])
    for name in ("cut", "empty", "bent"):
        for words in (["dedup", "-o", "kept.parquet", "--removed", "gone.tsv"], ["pairs", "-o", "pairs.parquet"], ["cluster", "-o", "clusters.tsv"]):
            done = command(*words, "good.parquet", f"{name}.parquet", "--id", "id", cwd=tmp_path, status=2)
            assert done.stderr.splitlines()[-1].startswith(f"nearkin: {name}.parquet: cannot be read as Parquet: "), done.stderr
    assert sorted(os.listdir(tmp_path)) == ["bent.parquet", "cut.parquet", "empty.parquet", "good.parquet"]


def test_what_cannot_be_is_refused_in_one_line(tmp_path: Path) -> None:
    pq.write_table(table_of(documents(10), n=list(range(10))), tmp_path / "docs.parquet")
    pq.write_table(pa.table({"text": ["a"], "id": [1]}), tmp_path / "other.parquet")
    (tmp_path / "docs.csv").write_text("id,text\n1,a\n")
    for words, message in [
        (["dedup", "docs.parquet", "-o", "k.parquet", "--text", "body"], 'docs.parquet: no column "body"; there are id, text, n'),
        (["dedup", "docs.parquet", "-o", "k.parquet", "--id", "url"], 'docs.parquet: no column "url"; there are id, text, n'),
        (["dedup", "docs.parquet", "-o", "k.parquet", "--text", "n"], 'docs.parquet: column "n" is int64; expected strings'),
        (["dedup", "nosuch.parquet", "-o", "k.parquet"], "nosuch.parquet: no such file or folder"),
        (["dedup", "no*.parquet", "-o", "k.parquet"], "no*.parquet: no file matches this pattern"),
        (["dedup", "docs.parquet", "-o", "no/k.parquet"], "no/k.parquet: cannot be written: No such file or directory"),
        (["dedup", "docs.parquet", "other.parquet", "-o", "k.parquet"],
         "other.parquet: its columns are not those of docs.parquet (id: int64, there string); give a folder for outputs, such as -o out/"),
        (["pairs", "docs.parquet", "docs.csv"],
         "docs.csv: is read together with the Parquet file docs.parquet, and only JSON lines can be; convert it, or give --format jsonl"),
        (["pairs", "docs.parquet", "--format", "csv"], "--format: csv, and docs.parquet is a Parquet file; leave it out"),
        (["dedup", "nosuch://bucket/docs.parquet", "-o", "k.parquet"], "nosuch://bucket/docs.parquet: cannot be opened: Protocol not known: nosuch"),
        (["tune", "docs.parquet", "-o", "k.parquet"], "--output: k.parquet: what tune writes here is not a table of rows; name another file"),
        (["dedup", "docs.parquet", "-o", "k.parquet", "--resume"], "--resume: Parquet files reach the run as a stream, which cannot be resumed; leave it out"),
        (["pairs", "docs.parquet", "--threshold", "80"], "--threshold: 80 is not between 0 and 1; did you mean 0.8?"),
        (["pairs", "docs.parquet", "--treshold", "0.8"], "unknown flag --treshold; did you mean --threshold?"),
    ]:
        done = command(*words, cwd=tmp_path, status=2)
        assert done.stderr.splitlines() == [f"nearkin: {message}"]
    assert sorted(os.listdir(tmp_path)) == ["docs.csv", "docs.parquet", "other.parquet"]


def test_tune_distinct_and_sketch_read_parquet(tmp_path: Path) -> None:
    texts = documents(500)
    pq.write_table(table_of(texts), tmp_path / "docs.parquet")
    write_jsonl(tmp_path / "docs.jsonl", texts)
    assert command("tune", "docs.parquet", cwd=tmp_path).stdout.splitlines()[0] == command("tune", "docs.jsonl", cwd=tmp_path).stdout.splitlines()[0]
    assert command("distinct", "docs.parquet", cwd=tmp_path).stdout == command("distinct", "docs.jsonl", cwd=tmp_path).stdout
    command("sketch", "docs.parquet", "-o", "docs.sketch", cwd=tmp_path)
    assert command("pairs", "docs.sketch", "--format", "jsonl", cwd=tmp_path).stdout == command("pairs", "docs.parquet", cwd=tmp_path).stdout


def test_addresses_are_read_and_written_from_python(tmp_path: Path) -> None:
    folder = f"memory://{uuid.uuid4().hex}"
    texts = documents(300)
    with fsspec.open(f"{folder}/in/docs.parquet", "wb") as file:
        pq.write_table(table_of(texts), file)
    with fsspec.open(f"{folder}/docs.jsonl", "wb") as file:
        file.write(write_jsonl(tmp_path / "docs.jsonl", texts).read_bytes())
    result = nearkin.dedup_files(f"{folder}/in/*.parquet", f"{folder}/kept.parquet", nearkin.tune(), removed=f"{folder}/gone.tsv")
    with fsspec.open(f"{folder}/kept.parquet", "rb") as file:
        kept = pq.read_table(file)
    with fsspec.open(f"{folder}/gone.tsv", "rt") as file:
        assert len(file.readlines()) == result.stats["removed"] == 300 - kept.num_rows > 0
    again = nearkin.dedup_files(f"{folder}/docs.jsonl", tmp_path / "kept.jsonl", nearkin.tune())
    assert kept_ids(tmp_path / "kept.jsonl") == kept["id"].to_pylist()
    assert again.stats["pairs"] == result.stats["pairs"]
    nearkin.dedup_files(f"{folder}/in", f"{folder}/out/", nearkin.tune())
    with fsspec.open(f"{folder}/out/docs.parquet", "rb") as file:
        assert pq.read_table(file).equals(kept)
    with pytest.raises(OSError, match="no such file or folder"):
        nearkin.dedup_files(f"{folder}/nosuch.parquet", f"{folder}/kept.parquet")


def test_files_behind_addresses_keep_their_names(tmp_path: Path) -> None:
    (tmp_path / "docs.jsonl").write_text('{"text":"one two three four five six"}\n' * 2 + "{}\n")
    address = f"file://{tmp_path}/docs.jsonl"
    done = command("pairs", address, cwd=tmp_path, status=1)
    assert done.stdout == f"{address}:1\t{address}:2\t1\n"
    assert f'nearkin: {address}:3: no field "text"; the record has no fields; record skipped' in done.stderr


def test_python_functions_tell_what_the_run_did(tmp_path: Path) -> None:
    texts: list[Any] = documents(300)
    texts[3] = None
    pq.write_table(table_of(texts), tmp_path / "docs.parquet")
    plan = nearkin.tune(threshold=0.7)
    result = nearkin.dedup_files(tmp_path / "docs.parquet", tmp_path / "kept.parquet", plan, id="id")
    assert result.stats["plan"] == str(plan) and result.skipped == 0 and result.stats["kept_at_fault"] == 1 and result.recall is not None
    assert nearkin.dedup_files(tmp_path / "docs.parquet", tmp_path / "kept.parquet", plan, faults="skip").skipped == 1
    assert any("docs.parquet:3: column" in words for words in result.said)
    assert nearkin.pairs_files([tmp_path / "docs.parquet"], tmp_path / "pairs.parquet", plan).stats["pairs"] == pq.read_metadata(tmp_path / "pairs.parquet").num_rows
    assert nearkin.cluster_files(str(tmp_path / "docs.parquet"), tmp_path / "clusters.parquet", plan).stats["items"] == 299
    with pytest.raises(ValueError, match='docs.parquet: no column "body"; there are id, text'):
        nearkin.dedup_files(tmp_path / "docs.parquet", tmp_path / "kept.parquet", text="body")
    with pytest.raises(ValueError, match="--threshold: 80 is not between 0 and 1"):
        nearkin.dedup_files(tmp_path / "docs.parquet", tmp_path / "kept.parquet", threshold=80)
    with pytest.raises(OSError, match="no such file"):
        nearkin.pairs_files(tmp_path / "nosuch.jsonl", tmp_path / "pairs.tsv")


def test_evaluate_asks_the_queries_of_another_file(tmp_path: Path) -> None:
    texts = documents(200)
    for name, part in (("docs", texts), ("asked", texts[:30])):
        write_jsonl(tmp_path / f"{name}.jsonl", part)
        pq.write_table(table_of(part), tmp_path / f"{name}.parquet")
    told = {kind: command("evaluate", f"docs.{kind}", f"asked.{kind}", cwd=tmp_path) for kind in ("jsonl", "parquet")}
    assert told["parquet"].stderr == told["jsonl"].stderr and "read 200 items; 30 queries asked" in told["parquet"].stderr
    assert told["parquet"].stdout.split()[10:17] == told["jsonl"].stdout.split()[10:17]


def test_evaluate_sweeps_over_plans(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "docs.jsonl", documents(200))
    pq.write_table(table_of(documents(200)), tmp_path / "docs.parquet")
    for sweep in ("bands=5,10", "recall=0.8,0.9", "seed=1,2"):
        swept = [[line.split()[:4] for line in command("evaluate", f"docs.{kind}", "--sweep", sweep, cwd=tmp_path).stdout.splitlines()] for kind in ("jsonl", "parquet")]
        assert swept[0] == swept[1] and len(swept[1]) == 3


def test_a_folder_with_records_of_another_kind_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    pq.write_table(table_of(documents(10)), folder / "a.parquet")
    for name in ("b.jsonl", "b.csv.gz", "b.ndjson.zst"):
        (folder / name).write_text("{}\n")
        for words in (["dedup", "in", "-o", "k.parquet", "--quiet"], ["pairs", "in"], ["dedup", "in/a.parquet", "--against", "in", "-o", "k.parquet"]):
            assert f"in/{name}: is in a folder with the Parquet file in/a.parquet" in command(*words, cwd=tmp_path, status=2).stderr
        (folder / name).unlink()
    (folder / "README.md").write_text("of the files")
    assert "1 file in it that are not .parquet left out" in command("pairs", "in", cwd=tmp_path).stderr


@pytest.mark.parametrize("flags", [["--encoding", "latin1"], ["--separator", ";"], ["--no-header"], ["--directed", "out"], ["--pre", "cat"]])
def test_flags_of_other_formats_are_refused(tmp_path: Path, flags: list[str]) -> None:
    pq.write_table(table_of(documents(10)), tmp_path / "docs.parquet")
    said = command("pairs", "docs.parquet", *flags, cwd=tmp_path, status=2).stderr
    assert f"{flags[0]}: has no use with Parquet, and docs.parquet is a Parquet file; leave it out" in said


def test_values_of_flags_in_python_are_those_of_the_command_line(tmp_path: Path) -> None:
    texts = documents(60)
    docs = write_jsonl(tmp_path / "docs.jsonl", texts)
    for name in ("size_field", "stats", "threshold", "removed"):
        with pytest.raises(TypeError, match=f"{name}: True is bool, and --.* has a value"):
            nearkin.dedup_files(docs, tmp_path / "kept.jsonl", **{name: True})
    with pytest.raises(TypeError, match="help: is not a flag"):
        nearkin.dedup_files(docs, tmp_path / "kept.jsonl", help=True)
    for value in ([0.5, 0.8], {"a": 1}, b"x"):
        with pytest.raises(TypeError, match="threshold: .*; give one value"):
            nearkin.dedup_files(docs, tmp_path / "kept.jsonl", threshold=value)
    nearkin.pairs_files(docs, tmp_path / "told.tsv", thresholds=[0.5, 0.8])
    assert len((tmp_path / "told.tsv").read_text().splitlines()) >= 2
    templates = [tmp_path / "a.txt", tmp_path / "b.txt"]
    for path, text in zip(templates, texts):
        path.write_text(text)
    assert nearkin.pairs_files(docs, tmp_path / "pairs.tsv", ignore=templates).stats["plan"].count("ignore") == 1
    assert nearkin.dedup_files(docs, tmp_path / "kept.jsonl", text=["text", "id"]).stats["items"] == 60
