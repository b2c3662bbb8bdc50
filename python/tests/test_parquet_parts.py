"""Rows of Parquet files whose texts are cut or that get another column: as the records of JSON lines."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")
pytest.importorskip("fsspec")

from nearkin import _flags, _parquet  # noqa: E402
from parquet_support import command, documents, table_of, write_jsonl  # noqa: E402

PLAN = ["--plan", "jaccard>=0.7 recall=0.95 shingle=word:2 normalise=text sketch=minhash:128 bands=18x7 bucket=128 verify=exact seed=1 unicode=15.0.0"]


def texts() -> list[Any]:
    """Of some paragraphs each, which stand elsewhere too."""
    parts = documents(400)
    made: list[Any] = ["\n\n".join(parts[(7 * i + 31 * k) % 200] for k in range(1 + i % 4)) for i in range(150)]
    made += [made[2 * (i % 30)] + " changed" * (i % 2) for i in range(60)]
    made[5], made[17] = None, ""
    return made


def write_both(folder: Path, kind: Any = None) -> None:
    rows = texts()
    table = pa.table({"id": [f"d{i}" for i in range(len(rows))], "text": pa.array(rows, kind or pa.string()), "row": range(len(rows))})
    pq.write_table(table, folder / "docs.parquet", row_group_size=40)
    with (folder / "docs.jsonl").open("w") as out:
        for i, text in enumerate(rows):
            out.write(json.dumps({"id": f"d{i}", **({"text": text} if text is not None else {}), "row": i}) + "\n")


def records_of(table: Any) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if value is not None} for row in table.to_pylist()]


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize("flags", [
    ["--unit", "paragraph", *PLAN], ["--unit", "paragraph", "--share-field", "repeated", "--most-cut", "0.6", *PLAN],
    ["--unit", "paragraph", "--annotate", *PLAN], ["--unit", "line", "--annotate", "--share-field", "repeated", "--most-cut", "0.6", "--measure", "exact"],
    ["--unit", "line", "--measure", "exact", "--repeats", "none", "--least-left", "20"], ["--passages", "20"],
    ["--size-field", "copies", *PLAN], ["--size-field", "copies", "--annotate", *PLAN], ["--keep-at-most", "2", *PLAN], ["--drop", "repeated", *PLAN],
])
@pytest.mark.parametrize("skipped", [False, True])
def test_rows_come_out_as_records_do(tmp_path: Path, flags: list[str], skipped: bool) -> None:
    write_both(tmp_path)
    told = []
    for name in ("docs.parquet", "docs.jsonl"):
        ending = name[name.index("."):]
        more = ["--skipped", f"bad{ending}"] if skipped else []
        command("dedup", name, *flags, "-o", f"kept{ending}", "--removed", f"removed{ending}.tsv", *more, cwd=tmp_path)
        told.append((tmp_path / f"removed{ending}.tsv").read_text())
    table = pq.read_table(tmp_path / "kept.parquet")
    assert records_of(table) == lines_of(tmp_path / "kept.jsonl")
    assert told[0] == told[1] and told[0].count("\n") > 20
    if skipped:
        assert pq.read_table(tmp_path / "bad.parquet")["row"].to_pylist() == [5]


def test_texts_keep_their_type(tmp_path: Path) -> None:
    for kind in (pa.large_string(), pa.binary(), pa.dictionary(pa.int32(), pa.string())):
        write_both(tmp_path, kind)
        command("dedup", "docs.parquet", "--unit", "paragraph", *PLAN, "-o", "kept.parquet", cwd=tmp_path)
        assert pq.read_schema(tmp_path / "kept.parquet").equals(pq.read_schema(tmp_path / "docs.parquet"))


def test_a_benchmark_is_taken_out(tmp_path: Path) -> None:
    write_both(tmp_path)
    suite = [text[: len(text) // 2] for text in texts() if text][:30:3]
    pq.write_table(pa.table({"id": [f"q{i}" for i in range(len(suite))], "text": suite}), tmp_path / "suite.parquet")
    (tmp_path / "suite.jsonl").write_text("".join(json.dumps({"id": f"q{i}", "text": text}) + "\n" for i, text in enumerate(suite)))
    command("decontaminate", "docs.parquet", "--against", "suite.parquet", "-o", "hits.parquet", cwd=tmp_path, status=1)
    command("decontaminate", "docs.jsonl", "--against", "suite.jsonl", "--json", "-o", "hits.jsonl", cwd=tmp_path, status=1)
    hits = pq.read_table(tmp_path / "hits.parquet")
    assert hits.to_pylist() == lines_of(tmp_path / "hits.jsonl") and len(hits) >= len(suite)
    assert [str(field.type) for field in hits.schema] == ["string", "string", "string", "double", *["int64"] * 5]
    for act in ("mark", "cut", "remove"):
        for ending in ("parquet", "jsonl"):
            command("decontaminate", f"docs.{ending}", "--against", f"tests=suite.{ending}", "--do", act, "-o", f"clean.{ending}", "--hits", f"hits.{ending}.tsv",
                    "--skipped", f"bad.{ending}", cwd=tmp_path)
        assert records_of(pq.read_table(tmp_path / "clean.parquet")) == lines_of(tmp_path / "clean.jsonl"), act
        assert (tmp_path / "hits.parquet.tsv").read_text() == (tmp_path / "hits.jsonl.tsv").read_text()
        assert pq.read_table(tmp_path / "bad.parquet")["row"].to_pylist() == [5]


def test_labels_are_about_rows_of_parquet_too(tmp_path: Path) -> None:
    names = ["Anna Smith, Berlin", "Bob Jones, Paris", "Carl Maier, Rome", "Dora Lang, Oslo"]
    pq.write_table(pa.table({"id": ["1", "2", "3", "4"], "name": names}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"key": ["x", "y", "z"], "label": ["Ana Smith, Berlin", "Carl Mayer, Rome", "Bob Jones, Pari"]}), tmp_path / "b.parquet")
    for name, ids, texts in (("a", "id", "name"), ("b", "key", "label")):
        rows = pq.read_table(tmp_path / f"{name}.parquet").to_pylist()
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "truth.csv").write_text("a,b\n1,x\n2,z\n3,y\n")
    told = {}
    for ending in ("parquet", "jsonl"):
        words = [f"a.{ending}", "--against", f"b.{ending}", "--text", "name", "--against-text", "label", "--against-id", "key", "--truth", "truth.csv", "--one-to-one"]
        evaluated = command("evaluate", *words, "--shingle", "char:3", "-q", cwd=tmp_path).stdout
        tuned = command("tune", *words, "-q", cwd=tmp_path).stdout
        told[ending] = evaluated, sorted(tuned.replace(f".{ending}", ".FILE").split())
    assert told["parquet"] == told["jsonl"]
    assert told["jsonl"][0].splitlines()[1].split()[:3] == ["0.1", "3", "3"]


def test_passages_are_a_table(tmp_path: Path) -> None:
    write_both(tmp_path)
    command("passages", "docs.parquet", "--least", "20", "-o", "found.parquet", cwd=tmp_path, status=1)
    command("passages", "docs.jsonl", "--least", "20", "--json", "-o", "found.jsonl", cwd=tmp_path, status=1)
    assert pq.read_table(tmp_path / "found.parquet").to_pylist() == lines_of(tmp_path / "found.jsonl")
    command("passages", "docs.parquet", "--least", "5000", "-o", "none.parquet", cwd=tmp_path, status=1)
    assert pq.read_schema(tmp_path / "none.parquet").names == ["id", "begin", "end", "in", "in_begin", "in_end", "tokens"]


@pytest.mark.parametrize("words, message", [
    (["--unit", "paragraph", "--share-field", "row", *PLAN], 'docs.parquet: has a column "row" already, which --share-field would add; give it another name'),
    (["--size-field", "keeper", "--annotate", *PLAN], '--size-field: --annotate adds a column "keeper" already; give it another name'),
])
def test_columns_that_are_there_are_refused(tmp_path: Path, words: list[str], message: str) -> None:
    write_both(tmp_path)
    assert message in command("dedup", "docs.parquet", *words, "-o", "kept.parquet", cwd=tmp_path, status=2).stderr
    assert not (tmp_path / "kept.parquet").exists()


def test_views_are_columns_like_others(tmp_path: Path) -> None:
    if not hasattr(pa, "string_view"):
        pytest.skip("this pyarrow has no views")
    texts = documents(50)
    for name, kind in [("text", pa.string_view()), ("text", pa.binary_view()), ("v", pa.string_view()), ("v", pa.list_(pa.string_view()))]:
        plain = {"id": [f"d{row}" for row in range(50)], "text": texts, "v": [["x", None]] * 50 if pa.types.is_list(kind) else [None, *texts[1:]]}
        column = [text and text.encode() for text in plain[name]] if kind == pa.binary_view() else plain[name]
        pq.write_table(pa.table(plain), tmp_path / "plain.parquet")
        pq.write_table(pa.table({**plain, name: pa.array(column, kind)}), tmp_path / "views.parquet")
        for flags in ([], ["--unit", "sentence"] if name == "text" else ["--annotate"]):
            tables = []
            for source in ("plain", "views"):
                command("dedup", f"{source}.parquet", "-o", f"{source}-kept.parquet", *flags, cwd=tmp_path)
                tables.append(pq.read_table(tmp_path / f"{source}-kept.parquet"))
            assert tables[1].schema.field(name).type == kind
            if kind != pa.binary_view():
                assert tables[1].to_pylist() == tables[0].to_pylist()
            assert 0 < tables[0].num_rows == tables[1].num_rows
        command("dedup", "views.parquet", "-o", "kept.jsonl", cwd=tmp_path)


def test_two_columns_of_one_name_are_refused_where_rows_are_written(tmp_path: Path) -> None:
    texts = documents(5)
    table = pa.table([pa.array(list("abcde")), pa.array(texts), pa.array(range(5)), pa.array(range(5))], names=["id", "text", "x", "x"])
    pq.write_table(table, tmp_path / "in.parquet")
    for output in ("out.parquet", "out.jsonl", "out/"):
        said = command("dedup", "in.parquet", "-o", output, cwd=tmp_path, status=2).stderr
        assert 'in.parquet: 2 columns are called "x"; rename them' in said
    command("pairs", "in.parquet", cwd=tmp_path)


def test_rows_as_json_lines_keep_what_json_can_say(tmp_path: Path) -> None:
    columns = {"f": [math.inf, math.nan, 1.5], "l": [[math.nan], [1.0], None], "t": pa.array([1, None, 1000], pa.time64("ns")),
               "w": pa.array([1, 2, 3], pa.timestamp("ns")), "d": pa.array([1, 86_400 * 10**9, None], pa.duration("ns"))}
    pq.write_table(pa.table({"id": list("abc"), "text": documents(3), **columns}), tmp_path / "in.parquet")
    said = command("dedup", "in.parquet", "-o", "kept.jsonl", cwd=tmp_path).stderr
    rows = [json.loads(line) for line in (tmp_path / "kept.jsonl").read_text().splitlines()]
    assert [row["f"] for row in rows] == [None, None, 1.5] and [row["l"] for row in rows] == [[None], [1.0], None]
    assert [row["t"] for row in rows] == ["00:00:00.000000001", None, "00:00:00.000001"]
    assert rows[0]["w"] == "1970-01-01T00:00:00.000000001" and [row["d"] for row in rows] == ["P0DT0H0M0.000000001S", "P1DT0H0M0S", None]
    assert 'nearkin: kept.jsonl: column "f": 2 rows with NaN or infinity, which JSON has not' in said
    assert 'kept.jsonl: column "l": 1 row with NaN or infinity' in said and '"t"' not in said
    assert "infinity" not in command("dedup", "in.parquet", "-o", "kept.jsonl", "--quiet", cwd=tmp_path).stderr
    assert "infinity" not in command("dedup", "in.parquet", "-o", "kept.parquet", cwd=tmp_path).stderr


@pytest.mark.parametrize("skipped", [False, True])
def test_what_an_index_of_parts_has_is_cut(tmp_path: Path, skipped: bool) -> None:
    write_both(tmp_path)
    for name in ("docs.parquet", "docs.jsonl"):
        ending = name[name.index("."):]
        more = ["--skipped", f"bad{ending}"] if skipped else []
        command("index", "create", f"seen{ending}", "--unit", "paragraph", *PLAN, cwd=tmp_path)
        command("dedup", name, "--index", f"seen{ending}", "--unit", "paragraph", "--least-left", "3", "-o", f"kept{ending}", "--removed", f"removed{ending}.tsv", *more, cwd=tmp_path)
    assert records_of(pq.read_table(tmp_path / "kept.parquet")) == lines_of(tmp_path / "kept.jsonl")
    assert (tmp_path / "removed.parquet.tsv").read_text() == (tmp_path / "removed.jsonl.tsv").read_text() != ""
    assert not (tmp_path / "kept.parquet.kept.jsonl").exists()
    if skipped:
        assert pq.read_table(tmp_path / "bad.parquet")["row"].to_pylist() == [5]


def test_names_of_fields_may_be_in_quotation_marks() -> None:
    assert _flags.field_names("text") == ["text"]
    assert _flags.field_names("title^3,body") == ["title", "body"]
    assert _flags.field_names('"price, net"^2,"say ""so""",a.b') == ["price, net", 'say "so"', "a.b"]
    with pytest.raises(ValueError, match="--text: .* has no closing quotation mark"):
        _flags.field_names('"price, net')


def test_a_column_with_a_comma_in_its_name_is_read(tmp_path: Path) -> None:
    texts = documents(50)
    pq.write_table(pa.table({"id": [str(i) for i in range(50)], "price, net": texts}), tmp_path / "docs.parquet")
    (tmp_path / "docs.jsonl").write_text("".join(json.dumps({"id": str(i), "price, net": text}) + "\n" for i, text in enumerate(texts)))
    for text in ('"price, net"', '"price, net",id'):
        told = [command("pairs", f"docs.{kind}", "--text", text, cwd=tmp_path).stdout for kind in ("jsonl", "parquet")]
        assert told[0] == told[1] != ""


def test_the_folder_for_scratch_is_made(tmp_path: Path) -> None:
    pq.write_table(table_of(documents(20)), tmp_path / "docs.parquet")
    command("pairs", "docs.parquet", "--scratch", "room", cwd=tmp_path)
    assert not (tmp_path / "room").exists()
    said = command("pairs", "docs.parquet", "--scratch", "no/room", cwd=tmp_path, status=2).stderr
    assert "no/room: no such folder, and the folder above it does not exist either" in said


@pytest.mark.parametrize("kinds", [("parquet", "parquet"), ("parquet", "jsonl"), ("jsonl", "parquet")])
@pytest.mark.parametrize("run", ["decontaminate", "pairs"])
def test_rows_without_ids_are_called_by_their_places(tmp_path: Path, kinds: tuple[str, str], run: str) -> None:
    for name in ("docs", "other"):
        write_jsonl(tmp_path / f"{name}.jsonl", documents(20))
        pq.write_table(table_of(documents(20)), tmp_path / f"{name}.parquet")
    told = command(run, f"docs.{kinds[0]}", "--against", f"other.{kinds[1]}", "--id", "none", "--json", cwd=tmp_path).stdout
    first = json.loads(told.splitlines()[0])
    begin = [f"{name}.{kind}:{0 if kind == 'parquet' else 1}" for name, kind in zip(("docs", "other"), kinds)]
    assert [first["id"], first["item"]] == begin if run == "decontaminate" else [first["a"], first["b"]] == begin


def test_outputs_in_a_folder_that_is_read_are_refused(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    pq.write_table(table_of(documents(20)), tmp_path / "in" / "docs.parquet")
    for flags in (["-o", "in/new.parquet"], ["-o", "in/sub/"], ["-o", "kept.parquet", "--removed", "in/removed.tsv"], ["-o", "kept.parquet", "--stats", "in/stats.json"]):
        said = command("dedup", "in", *flags, cwd=tmp_path, status=2).stderr
        assert "is in in, a folder that is read, and would be an item of the next run; name a file outside of it" in said
    assert [path.name for path in (tmp_path / "in").iterdir()] == ["docs.parquet"]
    command("dedup", "in", "-o", "kept.parquet", "--removed", "in/.removed.tsv", cwd=tmp_path)
    command("pairs", ".", cwd=tmp_path / "in")


def test_a_sample_of_many_small_row_groups_is_as_large_as_any(tmp_path: Path) -> None:
    texts = documents(1000)
    write_jsonl(tmp_path / "docs.jsonl", texts)

    def about(name: str) -> list[str]:
        return [line for line in command("tune", name, cwd=tmp_path).stdout.splitlines() if line.startswith(("collection", "similar", "candidates"))]

    for size in (1, 30, 1000):
        pq.write_table(table_of(texts), tmp_path / "docs.parquet", row_group_size=size)
        assert about("docs.parquet") == about("docs.jsonl") and "1,000 items" in str(about("docs.parquet"))
    assert command("tune", "docs.parquet", cwd=tmp_path).stderr == command("tune", "docs.jsonl", cwd=tmp_path).stderr.replace("docs.jsonl", "docs.parquet")


def test_a_sample_is_spread_over_row_groups() -> None:
    assert _parquet._spread([100] * 16, 80) == [([g], 10) for g in range(0, 16, 2)]
    assert _parquet._spread([5] * 100, 600) == [(list(range(100)), 500)]
    assert _parquet._spread([1] * 20 + [1000], 500)[-1] == ([20], 768) and _parquet._spread([7], 100) == [([0], 7)]
    for groups in ([3, 0, 50, 1, 900], [1] * 1000, [16384], [10] * 9):
        for rows in (1, 10, 10_000):
            spread = _parquet._spread(groups, rows)
            assert sum(min(share, sum(groups[g] for g in some)) for some, share in spread) >= min(rows, sum(groups))
