"""Scores of several columns: the answer of the command line, from whatever holds the table."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nearkin
from conftest import command

SCORE = "name:jaccard(char:3)*2 + born:equal + town:equal*0.5"
PEOPLE: dict[str, list[Any]] = {"name": ["anna berg", "anna bergs", "anna berg", "john smith", "jon smith", "eve"], "born": [1999, 1999, 1999, 1980, 1980, None],
                                "town": ["oslo", "oslo", "oslo", "rome", None, "rome"]}


def random_people(count: int, seed: int = 1) -> dict[str, list[Any]]:
    draw = random.Random(seed)
    rows: list[list[Any]] = []
    for _ in range(count):
        row = list(draw.choice(rows)) if rows and draw.random() < 0.5 else ["".join(draw.choices("abcdefgh ", k=12)), draw.randrange(1950, 2000), "rome"]
        if draw.random() < 0.5:
            row[0] = row[0][:5] + draw.choice("xyz") + row[0][6:]
        if draw.random() < 0.2:
            row[draw.choice([1, 2])] = None
        rows.append(row)
    return {name: [row[at] for row in rows] for at, name in enumerate(PEOPLE)}


def write_lines(path: Path, people: dict[str, list[Any]]) -> Path:
    with open(path, "w") as file:
        for row, values in enumerate(zip(*people.values())):
            file.write(json.dumps({"id": str(row)} | {name: value for name, value in zip(people, values) if value is not None}) + "\n")
    return path


def rows_of(people: dict[str, list[Any]]) -> list[dict[str, Any]]:
    return [dict(zip(people, values)) for values in zip(*people.values())]


def listed(found: nearkin.Pairs) -> list[tuple[str, str]]:
    return [(str(a), str(b)) for a, b in zip(found.a, found.b)]


@pytest.mark.parametrize("recall", [1, 0.9])
def test_pairs_groups_and_removals_are_those_of_the_command_line(tmp_path: Path, recall: float) -> None:
    people, others = random_people(300), random_people(400)
    others = {name: values[150:] for name, values in others.items()}
    one, other = write_lines(tmp_path / "a.jsonl", people), write_lines(tmp_path / "b.jsonl", others)
    flags = ["--score", SCORE, "--threshold", "0.6", "--recall", str(recall), "-q"]
    asked: dict[str, Any] = dict(score=SCORE, threshold=0.6, recall=recall)
    found = nearkin.pairs(people, **asked)
    lines = [json.loads(line) for line in command("pairs", str(one), *flags, "--json").splitlines()]
    assert listed(found) == [(line["a"], line["b"]) for line in lines] and len(lines) > 50
    assert found.similarity.tolist() == pytest.approx([line["similarity"] for line in lines])
    assert found.parts is not None and found.parts.tolist() == [pytest.approx(list(line["parts"].values())) for line in lines]
    assert found.stats["score"] == "name:jaccard(char:3)*2 + born:equal + town:equal*0.5"
    matched = nearkin.pairs(people, against=others, one_to_one=True, **asked)
    words = command("pairs", str(one), "--against", str(other), "--one-to-one", *flags).decode().split("\n")
    assert listed(matched) == [tuple(line.split("\t")[:2]) for line in words if line]
    assert matched.stats["listed"] == len(matched)
    clusters = [int(line.split("\t")[1]) for line in command("cluster", str(one), *flags).decode().splitlines()]
    assert nearkin.cluster(people, **asked).tolist() == clusters
    kept = [int(json.loads(line)["id"]) for line in command("dedup", str(one), *flags).splitlines()]
    assert nearkin.dedup(people, **asked).kept.tolist() == kept
    new = [int(json.loads(line)["id"]) for line in command("dedup", str(one), "--against", str(other), *flags).splitlines()]
    assert nearkin.dedup(people, against=others, **asked).kept.tolist() == new


def test_tables_of_every_kind_give_one_answer() -> None:
    expected = nearkin.dedup(PEOPLE, score=SCORE, threshold=0.7, recall=1)
    assert expected.keeper.tolist() == [0, 0, 0, 3, 4, 5]
    tables: list[Any] = [rows_of(PEOPLE)]
    for name in ("pandas", "polars"):
        try:
            tables.append(__import__(name).DataFrame(PEOPLE))
        except ImportError:
            pass
    try:
        import pyarrow

        tables.append(pyarrow.table(PEOPLE))
    except ImportError:
        pass
    for table in tables:
        got = nearkin.dedup(table, score=SCORE, threshold=0.7, recall=1)
        assert got.keeper.tolist() == expected.keeper.tolist(), type(table)
        assert got.similarity.tolist() == expected.similarity.tolist()


def test_a_dataset_loses_the_rows_that_go() -> None:
    datasets = pytest.importorskip("datasets")
    left = nearkin.dedup(datasets.Dataset.from_dict(PEOPLE), score=SCORE, threshold=0.7, recall=1)
    assert left["name"] == ["anna berg", "john smith", "jon smith", "eve"] or list(left["name"]) == ["anna berg", "john smith", "jon smith", "eve"]


def test_scopes_numbers_and_decisions() -> None:
    asked: dict[str, Any] = dict(score="name:jaccard(char:3)", threshold=0.6, recall=1)
    assert nearkin.dedup(PEOPLE, keep="max", numbers=[1, 9, 2, 3, 4, 5], **asked).keeper.tolist() == [1, 1, 1, 3, 4, 5]
    assert listed(nearkin.pairs(PEOPLE, within=["a", "b", "a", "a", "a", "a"], **asked)) == [("0", "2")]
    assert nearkin.dedup(PEOPLE, decisions=[(3, 4, True), (0, 1, False), (2, 1, False)], **asked).keeper.tolist() == [0, 1, 0, 3, 3, 5]
    with pytest.raises(ValueError, match="numbers: 2 of them, and 6 items"):
        nearkin.dedup(PEOPLE, keep="max", numbers=[1, 2], **asked)


def test_odd_names_of_columns() -> None:
    table = {"a + b": ["x", "x"], "id": ["same", "same"], "n.m": [1, 1]}
    found = nearkin.pairs(table, score='"a + b":equal + id:equal + n.m:equal', recall=1)
    assert found.similarity.tolist() == [1.0]


def test_what_has_no_use_is_refused() -> None:
    for wrong, message in [(dict(plan=nearkin.tune()), "plan: a score has none"), (dict(audit=3), "audit: compares whole texts"),
                           (dict(score="nam:equal"), 'score: items has no column "nam"; there are name, born, town'),
                           (dict(score="name"), "does not say how its field is compared"), (dict(threshold=0.0), "threshold")]:
        with pytest.raises(ValueError, match=message.replace("(", r"\(")):
            nearkin.pairs(PEOPLE, **(dict(score=SCORE) | wrong))
    with pytest.raises(ValueError, match=r"threshold: belongs to the plan if there is no score"):
        nearkin.pairs(["a", "b"], threshold=0.5)
    with pytest.raises(TypeError, match="a score compares columns"):
        nearkin.pairs(["a", "b"], score=SCORE)


def test_a_column_may_be_empty() -> None:
    found = nearkin.pairs({"name": ["a", "b", "a"], "town": [None, None, None]}, score="name:equal + town:equal", threshold=0.5)
    assert listed(found) == [("0", "2")]


def test_gaps_do_not_change_how_a_number_is_spelled() -> None:
    whole, gaps = {"year": [1999, 2000]}, {"year": np.array([1999.0, np.nan])}
    assert listed(nearkin.pairs(whole, against=gaps, score="year:equal", recall=1)) == [("0", "0")]


def test_parquet_gives_the_answer_of_json_lines(tmp_path: Path) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    from parquet_support import command as run

    people = {"id": [str(row) for row in range(300)]} | random_people(300)
    write_lines(tmp_path / "a.jsonl", people)
    pq.write_table(pa.table(people), tmp_path / "a.parquet", row_group_size=70)
    flags = ["--score", SCORE, "--threshold", "0.6", "-q"]
    for name in ("a.jsonl", "a.parquet"):
        run("pairs", name, *flags, "-o", f"{name}.pairs", cwd=tmp_path)
        run("cluster", name, *flags, "-o", f"{name}.clusters", cwd=tmp_path)
        run("dedup", name, *flags, "-o", f"kept.{name}", "--removed", f"{name}.removed", cwd=tmp_path)
    for result in ("pairs", "clusters", "removed"):
        assert (tmp_path / f"a.parquet.{result}").read_bytes() == (tmp_path / f"a.jsonl.{result}").read_bytes()
        assert (tmp_path / f"a.parquet.{result}").stat().st_size > 100
    kept = [json.loads(line)["id"] for line in (tmp_path / "kept.a.jsonl").read_text().splitlines()]
    assert pq.read_table(tmp_path / "kept.a.parquet")["id"].to_pylist() == kept
    run("pairs", "a.parquet", *flags, "-o", "pairs.parquet", cwd=tmp_path)
    table = pq.read_table(tmp_path / "pairs.parquet")
    assert table.num_rows == len((tmp_path / "a.jsonl.pairs").read_text().splitlines())
    assert set(table["parts"][0].as_py()) == {"name", "born", "town"}
    nearkin.pairs_files(tmp_path / "a.parquet", tmp_path / "again.tsv", score=SCORE, threshold=0.6)
    assert (tmp_path / "again.tsv").read_bytes() == (tmp_path / "a.jsonl.pairs").read_bytes()
    said = run("pairs", "a.parquet", "--score", "nam:equal", cwd=tmp_path, status=2).stderr
    assert 'no column "nam"' in said
