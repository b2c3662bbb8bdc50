"""Benchmark items in texts: what Python does with them is what the command line does."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from conftest import command

import nearkin

Row = dict[str, str]


def questions(count: int, seed: int) -> list[Row]:
    rng = random.Random(seed)
    words = [f"w{i}" for i in range(3000)]
    return [{"question": " ".join(rng.choices(words, k=rng.randrange(8, 25))), "answer": " ".join(rng.choices(words, k=rng.randrange(5, 9)))}
            for _ in range(count)]


def training(count: int, suites: list[list[Row]], seed: int) -> list[str]:
    """Texts, a third of which hold the question of an item, and some of these its answer too; with marks that a cut has to do with."""
    rng = random.Random(seed)
    words = [f"t{i}é" for i in range(3000)]
    texts = []
    for _ in range(count):
        parts = [" ".join(rng.choices(words, k=rng.randrange(5, 40)))]
        if rng.random() < 0.35:
            row = rng.choice(rng.choice(suites))
            parts += [row["question"], *([row["answer"]] if rng.random() < 0.5 else []), " ".join(rng.choices(words, k=rng.randrange(0, 9)))]
        texts.append(rng.choice([". ", "\n\n", " "]).join(parts) + rng.choice(["", ".", "\n"]))
    return texts


@pytest.fixture(scope="module")
def data() -> tuple[list[str], dict[str, list[Row]]]:
    suites = {"first": questions(60, 1), "second": questions(40, 2)}
    return training(300, list(suites.values()), 3), suites


@pytest.fixture
def files(data: tuple[list[str], dict[str, list[Row]]], tmp_path: Path) -> list[str]:
    """The beginning of a command line about the same texts and suites."""
    texts, suites = data
    tmp_path.joinpath("in.jsonl").write_text("".join(json.dumps({"id": str(i), "text": text}) + "\n" for i, text in enumerate(texts)))
    flags = ["decontaminate", str(tmp_path / "in.jsonl"), "--quiet"]
    for name, rows in suites.items():
        path = tmp_path / f"{name}.jsonl"
        path.write_text("".join(json.dumps({"id": str(i), **row}) + "\n" for i, row in enumerate(rows)))
        flags += ["--against", str(path)]
    return flags


def rows_of(answer: bytes) -> list[dict[str, object]]:
    return [json.loads(line) for line in answer.splitlines()]


@pytest.mark.parametrize("need", [None, "question", "question,answer"])
def test_fields_that_are_needed(data: tuple[list[str], dict[str, list[Row]]], files: list[str], need: str | None) -> None:
    texts, suites = data
    found = nearkin.decontaminate(texts, suites, against_text="question,answer", need=need)
    told = rows_of(command(*files, "--json", "--against-text", "question,answer", *(["--need", need] if need else [])))
    names = [name for name in found.columns() if name not in ("row", "share")]
    got = [{"id": str(row), **{name: found.columns()[name][i] for name in names}} for i, row in enumerate(found.row)]
    assert [{**row, "item": str(row["item"])} for row in got] == [{name: value for name, value in row.items() if name != "share"} for row in told]
    assert found.share.tolist() == [row["share"] for row in told]
    assert len(got) > 50 and (found.field is None) == (need is None)


def test_fewer_texts_have_all_that_is_needed(data: tuple[list[str], dict[str, list[Row]]]) -> None:
    texts, suites = data
    number = [nearkin.decontaminate(texts, suites, against_text="question,answer", need=need).stats["records"] for need in ("question", "question,answer")]
    assert 0 < number[1] < number[0]


@pytest.mark.parametrize("act", ["mark", "cut", "remove"])
def test_what_becomes_of_the_texts(data: tuple[list[str], dict[str, list[Row]]], files: list[str], act: str) -> None:
    texts, suites = data
    found = nearkin.decontaminate(texts, suites, against_text="question", do=act)
    told = rows_of(command(*files, "--against-text", "question", "--do", act))
    assert found.done == [row.get("contaminated", "") if act == "mark" else row["text"] for row in told]
    assert found.done != texts and len(found.done) == (sum(found.mask) if act == "remove" else len(texts))


def test_texts_of_arrow_and_none(data: tuple[list[str], dict[str, list[Row]]]) -> None:
    pa = pytest.importorskip("pyarrow")
    texts, suites = data
    given = [texts[0], None, *texts[1:]]
    suite = [row["question"] for row in suites["first"]]
    plain = nearkin.decontaminate(given, suite, do="cut")
    assert plain.done is not None and plain.done[1] is None
    assert nearkin.decontaminate(pa.array(given), pa.array(suite), do="cut").done == plain.done
    table = pa.table({"q": suite, "n": range(len(suite))})
    assert nearkin.decontaminate(given, table, against_text="q", do="cut").done == plain.done
    assert nearkin.decontaminate(given, suite, do="remove").done == [text for text, clean in zip(given, plain.mask) if clean]


def test_items_that_are_planted(data: tuple[list[str], dict[str, list[Row]]], files: list[str]) -> None:
    texts, suites = data
    told = rows_of(command(*files, "--against-text", "question,answer", "--json", "--inject", "20", "--changed", "0.2", "--seed", "5"))
    found = nearkin.decontaminate(texts, suites, against_text="question,answer", inject=20, changed=0.2, seed=5)
    assert [{name: values[i] for name, values in found.columns().items()} for i in range(len(found))] == told[:-1]
    assert {"clean": told[-1]["records"], "flagged": told[-1]["flagged"]} == {name: found.stats[name] for name in ("clean", "flagged")}
    assert found.planted[0] == 40 and "planted items found" in repr(found)


@pytest.mark.parametrize("words, error, message", [
    (dict(do="burn"), ValueError, '^do: "burn" is not mark, cut or remove$'),
    (dict(do="cut", inject=3), ValueError, "^do: inject only measures"),
    (dict(inject=0), ValueError, "^inject: 0 items"),
    (dict(need="question"), ValueError, "^need: are fields of the items; name all of these with against_text"),
    (dict(need="title", against_text="question"), ValueError, 'need: "title" is not among the text fields'),
    (dict(against_text="title"), ValueError, 'no item of 5 or more tokens'),
    (dict(against_text="question,,"), ValueError, "is no list of fields"),
    (dict(inject="3"), TypeError, "^inject: ")])
def test_wrong_words_are_refused(words: dict[str, object], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        nearkin.decontaminate(["a text"], [{"question": "one two three four five six"}], **words)


def test_a_suite_without_the_field_is_named() -> None:
    with pytest.raises(ValueError, match='^against_text: suite "first" has no field "title"'):
        nearkin.decontaminate(["a text"], {"first": {"question": ["one two three four five six"]}}, against_text="title")


def test_fields_of_suites_are_read_whatever_holds_them() -> None:
    question = "What was the best of times for the French?"
    texts = [f"Q: {question} It was a quiz."]
    suites: list[Any] = [[{"q": question, "a": ""}], [{"q": question.encode(), "a": b"x"}], {"s": {"q": [question], "a": ["x"]}}]
    try:
        import pyarrow

        suites += [pyarrow.table({"q": [question], "a": ["x"]}), [{"q": pyarrow.scalar(question), "a": "x"}]]
    except ImportError:
        pass
    for suite in suites:
        assert nearkin.decontaminate(texts, suite, against_text="q,a", need="q").row.tolist() == [0], suite
    with pytest.raises(ValueError, match='s: column "q" has 2 values, "a" has 1; give columns of one length'):
        nearkin.decontaminate(texts, {"s": {"q": [question] * 2, "a": [None]}}, against_text="q,a")


def test_items_of_which_a_field_is_missing_are_skipped_as_on_the_command_line(tmp_path: Path) -> None:
    suite: list[dict[str, Any]] = [{"q": f"{word} one two three four five six", "a": answer} for word, answer in
                                   (("null", None), ("whole", "seven eight nine ten eleven twelve"), ("number", 5), ("truth", True), ("empty", ""))]
    suite.append({"q": "lacking one two three four five six"})
    texts = [f"{row['q']} {row.get('a', '')} and so on" for row in suite]
    for name, rows in (("in", [{"text": text} for text in texts]), ("suite", suite)):
        tmp_path.joinpath(f"{name}.jsonl").write_text("".join(json.dumps({"id": str(i), **row}) + "\n" for i, row in enumerate(rows)))
    for need in ([], ["--need", "q"]):
        told = rows_of(command("decontaminate", str(tmp_path / "in.jsonl"), "--against", str(tmp_path / "suite.jsonl"), "--against-text", "q,a", "--json", *need, status=0 if need else 1))
        found = nearkin.decontaminate(texts, suite, against_text="q,a", need="q" if need else None)
        assert [(str(row), str(item)) for row, item in zip(found.row, found.item)] == [(row["id"], row["item"]) for row in told] and told
        counts = {"items": 6, "too_short": 0, "skipped": 0, "lacking": 3} if need else {"items": 2, "too_short": 0, "skipped": 4, "lacking": 0}
        assert {name: found.stats["suites"][0][name] for name in counts} == counts
    with pytest.raises(ValueError, match='against_text: suite "suite" has no field "zz".*the fields are q, a'):
        nearkin.decontaminate(texts, suite, against_text="q,zz")
