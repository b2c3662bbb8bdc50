"""Templates and scopes from Python: the answer of the command line about the same records."""

from __future__ import annotations

import json
import pickle
import subprocess
from pathlib import Path

import pytest

import nearkin
from roads import command

FRAME = "this page belongs to the manual of the library and may be copied freely by all who read it"
PAGES = [f"{FRAME} alpha beta gamma delta epsilon", f"{FRAME} one two three four five", f"alpha beta gamma delta epsilon {FRAME}", FRAME]


def told(*words: str) -> str:
    return subprocess.run([command(), *words], check=True, capture_output=True, text=True).stdout


def test_templates_do_not_count_in_any_run_of_the_plan() -> None:
    plain = nearkin.tune(threshold=0.4, recall=1, shingle="word:2")
    plan = nearkin.tune(threshold=0.4, recall=1, shingle="word:2", ignore=FRAME)
    assert len(nearkin.pairs(PAGES, plain)) == 6
    a, b, _ = nearkin.pairs(PAGES, plan)
    assert list(zip(a.tolist(), b.tolist())) == [(0, 2)]
    assert nearkin.dedup(PAGES, plan).kept.tolist() == [0, 1, 3]
    assert nearkin.compare(PAGES[0], PAGES[1], plan)["shared"] == 0
    assert plan.ignored == 18 and plain.ignored == 0
    common = nearkin.tune(threshold=0.4, recall=1, shingle="word:2", sample=PAGES, ignore_common=3)
    assert str(common) == str(plan)
    assert str(nearkin.tune(threshold=0.4, recall=1, shingle="word:2", sample=PAGES, ignore_common=0.9)) == str(plan)


def test_a_plan_takes_its_shingles_along_but_its_line_does_not() -> None:
    plan = nearkin.tune(threshold=0.4, recall=1, shingle="word:2", ignore=[FRAME])
    again = pickle.loads(pickle.dumps(plan))
    assert again == plan and again.ignored == 18
    assert len(nearkin.pairs(PAGES, again)) == 1
    with pytest.raises(ValueError, match="ignores shingles but does not contain them"):
        nearkin.pairs(PAGES, str(plan))


def test_what_cannot_be_ignored_is_said() -> None:
    with pytest.raises(ValueError, match="give the items as sample"):
        nearkin.tune(ignore_common=3)
    with pytest.raises(ValueError, match="is not a number of items"):
        nearkin.tune(sample=PAGES, ignore_common=1.5)
    with pytest.raises(ValueError, match="has no shingles"):
        nearkin.tune(ignore=[""])


@pytest.mark.parametrize("rule", ["within", "across"])
def test_scopes_are_those_of_the_command_line(tmp_path: Path, rule: str) -> None:
    texts = [PAGES[i % 3] for i in range(12)]
    scopes: list[object] = [["en", "de", 7, None][i % 4 if i < 8 else 0] for i in range(12)]
    plan = nearkin.tune(threshold=0.4, recall=1, shingle="word:2")
    records = [{"id": str(i), "text": text} | ({} if scope is None else {"scope": scope}) for i, (text, scope) in enumerate(zip(texts, scopes))]
    (tmp_path / "docs.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    listed = told("pairs", str(tmp_path / "docs.jsonl"), f"--{rule}", "scope", "--plan", str(plan))
    a, b, _ = nearkin.pairs(texts, plan, **{rule: scopes})
    assert [f"{x}\t{y}" for x, y in zip(a, b)] == [line.rpartition("\t")[0] for line in listed.splitlines()]
    kept = [json.loads(line)["id"] for line in told("dedup", str(tmp_path / "docs.jsonl"), f"--{rule}", "scope", "--plan", str(plan)).splitlines()]
    assert nearkin.dedup(texts, plan, **{rule: scopes}).kept.tolist() == [int(name) for name in kept]


def test_scopes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="3 of them, and 4 items"):
        nearkin.pairs(PAGES, within=["a", "b", "c"])
    with pytest.raises(ValueError, match="leave one of them out"):
        nearkin.dedup(PAGES, within=PAGES, across=PAGES)
    with pytest.raises(ValueError, match="give that of against too"):
        nearkin.pairs(PAGES, against=PAGES, within=PAGES)
    assert len(nearkin.pairs(PAGES, against=PAGES, within=PAGES, against_scopes=PAGES)) == 4
    with pytest.raises(ValueError, match="vectors have no scopes"):
        nearkin.pairs([[1.0, 2.0], [1.0, 2.0]], nearkin.tune(measure="cosine", threshold=0.9), across=["a", "b"])


@pytest.mark.parametrize("values", ["lang", b"lang", {"a": 1, "b": 2, "c": 3, "d": 4}, {"a", "b", "c", "d"}, 5, bytearray(b"lang")])
def test_values_per_item_are_not_taken_apart(values: object) -> None:
    for flags in ({"within": values}, {"across": values}, {"within": PAGES, "against": PAGES, "against_scopes": values}):
        with pytest.raises(TypeError, match=f"{list(flags)[-1]}: .* is {type(values).__name__}; give a list or an array with one value per item"):
            nearkin.dedup(PAGES, **flags)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="numbers: .*; give a list or an array with one value per item"):
        nearkin.dedup(PAGES, keep="max", numbers=values)
    with pytest.raises(TypeError, match='items: column "v" is one'):
        nearkin.pairs({"v": values}, score="v:equal")


def test_an_iterator_of_scopes_is_read_once() -> None:
    plan = nearkin.tune(threshold=0.4, recall=1, shingle="word:2")
    scopes = ["a", "b", "a", "b"]
    assert nearkin.pairs(PAGES, plan, within=iter(scopes)).a.tolist() == nearkin.pairs(PAGES, plan, within=scopes).a.tolist()
    assert nearkin.cluster(PAGES, plan, within=iter(scopes)).tolist() == nearkin.cluster(PAGES, plan, within=scopes).tolist()


def test_a_table_is_no_column_of_scopes() -> None:
    pd, pa = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    for table in (pd.DataFrame({"lang": ["a"] * 4}), pa.table({"lang": ["a"] * 4}), pa.RecordBatch.from_pydict({"lang": ["a"] * 4})):
        with pytest.raises(TypeError, match="within: .* is a table; give one column of it"):
            nearkin.pairs(PAGES, within=table)


def test_scopes_of_against_need_it() -> None:
    with pytest.raises(ValueError, match="against_scopes: .*against, which is not given"):
        nearkin.pairs(PAGES, within=PAGES, against_scopes=PAGES)


def test_scopes_are_read_as_fields_are() -> None:
    plan = nearkin.tune(threshold=0.4, recall=1, shingle="word:2")
    for own, others in [([1999.0], [1999]), ([1999], ["1999"]), ([True], ["true"]), ([b"a"], ["a"])]:
        assert len(nearkin.pairs(PAGES[:1], plan, against=PAGES[:1], within=own, against_scopes=others)) == 1
        assert len(nearkin.pairs({"v": ["x"]}, against={"v": ["x"]}, score="v:equal", within=own, against_scopes=others)) == 1
    gaps = [1.0, float("nan"), None, 1.0]
    assert nearkin.pairs([PAGES[0]] * 4, plan, within=gaps).a.tolist() == nearkin.pairs([PAGES[0]] * 4, plan, within=["1", None, None, "1"]).a.tolist()
    with pytest.raises(ValueError, match="within:1: .*UTF-8"):
        nearkin.pairs(PAGES[:2], plan, within=["a", "\ud800"])


def test_parquet_rows_have_the_scopes_of_their_columns(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    from parquet_support import command as by_package

    pq.write_table(pa.table({"id": ["a", "b", "c"], "text": [PAGES[0]] * 3, "lang": ["en", "en", "de"]}), tmp_path / "docs.parquet")
    (tmp_path / "frame.txt").write_text(FRAME)
    assert by_package("pairs", "docs.parquet", "--within", "lang", cwd=tmp_path).stdout == "a\tb\t1\n"
    assert by_package("pairs", "docs.parquet", "--across", "lang", "--ignore", "frame.txt", cwd=tmp_path).stdout == "a\tc\t1\nb\tc\t1\n"


def test_parquet_rows_are_counted_before_their_common_shingles_are_ignored(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    from parquet_support import command as by_package

    rows = [{"id": f"p{number}", "text": text, "n": number} for number, text in enumerate([*PAGES, PAGES[0], PAGES[1]])]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "docs.parquet", row_group_size=2)
    (tmp_path / "docs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for flags in (["--ignore-common", "2"], ["--ignore-common", "0.5", "--threads", "1"], ["--ignore-common", "3", "--memory", "128MiB"]):
        common = ["--threshold", "0.5", "--shingle", "word:2", *flags]
        of_lines = by_package("pairs", "docs.jsonl", *common, cwd=tmp_path)
        of_rows = by_package("pairs", "docs.parquet", *common, cwd=tmp_path)
        assert of_rows.stdout == of_lines.stdout
        for kind in ("jsonl", "parquet"):
            by_package("dedup", f"docs.{kind}", *common, "-o", f"kept.{kind}", cwd=tmp_path)
        kept = [json.loads(line) for line in (tmp_path / "kept.jsonl").read_text().splitlines()]
        assert pq.read_table(tmp_path / "kept.parquet").to_pylist() == kept
