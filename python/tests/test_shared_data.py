"""Large collections: the answer of the command line, pair by pair, keeper by keeper. Real ones where they are there. Those of Spark are in
test_spark.py and test_spark_cluster.py."""

from __future__ import annotations

import lzma
from pathlib import Path

import pytest

import nearkin
from conftest import SHARED, command, cut, write_records
from roads import CommandLine, Python, assert_same, corpus
from test_runs import rows


def texts_of(name: str) -> list[str]:
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"skipped: ../shared/data/{name} is not there")
    opened = lzma.open(path, "rt", encoding="utf-8", errors="replace") if path.suffix == ".xz" else path.open(encoding="utf-8")
    with opened as lines:
        return [line.rstrip("\n").split("\t")[-1] for line in lines]


@pytest.mark.parametrize("name", ["bbc-news/bbc_news.tsv", "reuters21578/reuters21578.tsv.xz"])
def test_python_answers_as_the_command_line(name: str, tmp_path: Path) -> None:
    texts = texts_of(name)
    records = write_records(tmp_path / "a.jsonl", texts)
    for plan in (nearkin.tune(threshold=0.5, shingle="word:3", sample=texts), nearkin.tune(threshold=0.5, shingle="word:3", recall=1),
                 nearkin.tune(measure="containment", threshold=0.7, shingle="word:3")):
        common = (records, "--plan", str(plan), "--quiet")
        pairs = command("pairs", *common).decode().splitlines()
        assert pairs == [f"{a}\t{b}\t{cut(s)}" for a, b, s in rows(nearkin.pairs(texts, plan))] and len(pairs) > 50
        command("dedup", *common, "-o", str(tmp_path / "kept"), "--removed", str(tmp_path / "removed"))
        result = nearkin.dedup(texts, plan)
        removed = [f"{i}\t{result.keeper[i]}\t{cut(result.similarity[i])}" for i in result.removed]
        assert removed == (tmp_path / "removed").read_text().splitlines()
        clusters = [line.split("\t")[1] for line in command("cluster", *common).decode().splitlines()]
        assert clusters == [str(label) for label in nearkin.cluster(texts, plan)]


def test_python_answers_as_the_command_line_about_two_hundred_thousand_documents(tmp_path: Path) -> None:
    records = corpus(200_000, seed=12)
    plan = nearkin.tune(threshold=0.8)
    answer, python = CommandLine(records, plan, tmp_path), Python(records, plan)
    assert_same(python.clusters(), answer.clusters())
    assert_same(python.removed(), answer.removed())
    assert_same(python.kept(), answer.kept())
    told = answer.stats["buckets"]
    assert python.stats["buckets"] == told and told["large"] > 100 and told["largest"] > 1000 and told["not_compared"] > 0
