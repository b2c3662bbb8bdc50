"""Spark gives the command line's answer about the same records sorted by id."""

from __future__ import annotations

import json
import lzma
import random
import re
import subprocess
from pathlib import Path

import pytest
from roads import SHARED, CommandLine, Python, Record, assert_same, by_id, command, corpus
from spark_support import clusters_of, kept_of, pairs_of, removed_of, spark, table  # noqa: F401

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

import nearkin
import nearkin.spark
from nearkin.spark import Run


def check_against_command_line(spark: SparkSession, records: list[Record], plan: nearkin.Plan, folder: Path, partitions: int,  # noqa: F811
                               driver_edges: int, hot: bool = True) -> None:
    answer = CommandLine(records, plan, folder)
    with Run(table(spark, records, partitions), plan, driver_edges=driver_edges) as run:
        assert_same(clusters_of(run.clusters()), answer.clusters())
        told = answer.stats
        assert_same(pairs_of(run.pairs()), answer.pairs())
        for name in ("items", "empty", "copies", "candidates", "pairs"):
            assert getattr(run.stats, name) == told[name], name
        assert run.stats.as_dict()["buckets"] == told["buckets"]
        assert (told["buckets"]["large"] > 0) == hot
        assert_same(removed_of(run.removed()), answer.removed())
        assert_same(kept_of(run.kept()), answer.kept())


PLAN = dict(threshold=0.7, recall=0.95, shingle="word:2", large_bucket=12)


@pytest.mark.parametrize("items, partitions, driver_edges, few_rows", [(600, 1, 50, 100), (1500, 3, 10**6, 10**6), (1500, 8, 10**6, -1)])
def test_a_corpus_with_hot_buckets(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, items: int,  # noqa: F811
                                   partitions: int, driver_edges: int, few_rows: int) -> None:
    monkeypatch.setattr("nearkin.spark._columns._FEW_ROWS", few_rows)  # as if tables were too large to be sent whole
    check_against_command_line(spark, corpus(items), nearkin.tune(**PLAN), tmp_path, partitions, driver_edges)


def test_integer_ids_are_ordered_by_number(spark: SparkSession, tmp_path: Path) -> None:  # noqa: F811
    rng = random.Random(3)
    ids = rng.sample(range(-500, 10_000), 400)
    records = [(id, text) for id, (_, text) in zip(ids, corpus(400, seed=2))]
    plan = nearkin.tune(**PLAN)
    answer = CommandLine(records, plan, tmp_path)
    found = nearkin.spark.cluster(table(spark, records, 3), plan)
    assert [field.dataType.simpleString() for field in found.schema] == ["bigint", "bigint", "bigint", "double"]
    assert_same(clusters_of(found), answer.clusters())


def test_ids_of_other_scripts_are_ordered_bytewise(spark: SparkSession, tmp_path: Path) -> None:  # noqa: F811
    text = "one two three four five six seven eight"
    records = [(id, text) for id in ("z", "é", "\U0001f600", "\uffff", "A", "a b", "a")]
    plan = nearkin.tune(threshold=0.8)
    found = removed_of(nearkin.spark.dedup(table(spark, records, 2), plan, what="removed"))
    assert found == CommandLine(records, plan, tmp_path).removed()
    assert {row.split("\t")[1] for row in found} == {"A"}


def test_equal_texts_alone_under_measure_exact(spark: SparkSession, tmp_path: Path) -> None:  # noqa: F811
    records = corpus(300, seed=4)
    plan = nearkin.tune(measure="exact")
    check_against_command_line(spark, records, plan, tmp_path, 3, 10**6, hot=False)


def test_bags_of_shingles(spark: SparkSession, tmp_path: Path) -> None:  # noqa: F811
    records = [(id, text and text + " " + text[:40]) for id, text in corpus(300, seed=6)]
    plan = nearkin.tune(measure="weighted-jaccard", threshold=0.6, shingle="word:1", bag=True)
    answer = CommandLine(records, plan, tmp_path)
    assert_same(pairs_of(nearkin.spark.pairs(table(spark, records, 3), plan)), answer.pairs())


def test_what_a_plan_ignores_is_ignored_by_the_workers(spark: SparkSession) -> None:  # noqa: F811
    frame = "this page belongs to the manual of the library and may be copied"
    texts = [f"{frame} alpha beta gamma delta", f"{frame} one two three four", f"alpha beta gamma delta {frame}", frame]
    plan = nearkin.tune(threshold=0.4, shingle="word:2", bands=30, rows=2, ignore=frame)
    records: list[Record] = [(f"r{i}", text) for i, text in enumerate(texts)]
    found = nearkin.spark.pairs(table(spark, records, 3), plan).collect()
    assert [(row.a, row.b, row.similarity) for row in found] == [("r0", "r2", 3 / 5)]


def test_sets_are_compared_as_sets(spark: SparkSession) -> None:  # noqa: F811
    rows = [("a", ["x", "y", "z", "w"]), ("b", ["w", "z", "y", "x"]), ("c", ["x", "y", "z", "v"]), ("d", []), ("e", None), ("f", ["q"])]
    plan = nearkin.tune(threshold=0.6, shingle="element:1")
    found = nearkin.spark.pairs(spark.createDataFrame(rows, "id string, text array<string>"), plan)
    assert sorted(map(tuple, found.collect())) == [("a", "b", 1.0), ("a", "c", 0.6), ("b", "c", 0.6)]


def test_all_columns_are_kept_and_names_may_have_dots(spark: SparkSession) -> None:  # noqa: F811
    text = "the same words in the same order again"
    rows = [(2, text, {"k": [1, None]}), (1, text, None), (3, None, {}), (4, "something else altogether", {"z": []})]
    df = spark.createDataFrame(rows, "`my.id` int, `the text` string, more map<string, array<int>>")
    plan = nearkin.tune(threshold=0.8)
    with Run(df, plan, id="my.id", text="the text") as run:
        kept = run.kept()
        assert kept.schema == df.schema
        assert sorted((row[0], row[2]) for row in kept.collect()) == [(1, None), (3, {}), (4, {"z": []})]
        told = run.annotated()
        assert told.columns == ["my.id", "the text", "more", "cluster", "keeper", "similarity"]
        assert sorted((row[0], row.cluster, row.keeper, row.similarity) for row in told.collect()) == [
            (1, 0, 1, 1.0), (2, 0, 1, 1.0), (3, 1, 3, 1.0), (4, 2, 4, 1.0)]


def test_nothing_comes_of_nothing(spark: SparkSession) -> None:  # noqa: F811
    plan = nearkin.tune(threshold=0.8)
    for rows in ([], [("a", None)], [("a", "one two three"), ("b", "four five six")]):
        df = spark.createDataFrame(rows, "id string, text string")
        with Run(df, plan) as run:
            assert run.kept().count() == len(rows)
            assert run.removed().count() == run.pairs().count() == 0
            assert sorted(row.cluster for row in run.clusters().collect()) == list(range(len(rows)))


def scored(items: int, seed: int) -> list[Record]:
    """With scores of which some are equal and some are not there."""
    rng = random.Random(seed)
    return [(id, text, rng.choice([None, -1.5, 0.0, -0.0, 2.0, 2.0, 1e300])) for id, text in corpus(items, seed)]


@pytest.mark.parametrize("keep, clusters", [("last", True), ("longest", True), ("shortest", False), ("max:score", True), ("min:score", False)])
def test_another_of_a_group_is_kept_as_by_the_command_line(spark: SparkSession, tmp_path: Path, keep: str, clusters: bool) -> None:  # noqa: F811
    records = scored(300, seed=31)
    plan = nearkin.tune(threshold=0.6, shingle="word:2", large_bucket=8)
    answer = CommandLine(records, plan, tmp_path)
    first = answer.removed()
    with Run(table(spark, records, 3), plan, keep=keep) as run:
        removed = removed_of(run.removed())
        assert_same(removed, answer.removed(keep=keep))
        assert removed != first
        assert run.stats.as_dict()["buckets"] == answer.stats["buckets"] and run.stats.candidates == answer.stats["candidates"]
        assert answer.stats["buckets"]["large"] > 0
        if clusters:  # the other way of grouping, and numbers in order of ids
            assert_same(clusters_of(run.clusters()), answer.clusters(keep=keep))


def test_numbers_to_keep_for_are_read_as_the_command_line_reads_them(spark: SparkSession, tmp_path: Path) -> None:  # noqa: F811
    spellings = ["1", " 2.5\t", "+3", "-4", "1e3", "5.", ".5", "1d", "0x7", "", "nan", "Infinity", "1e999", "2 3", "7\n", None, "+-9", "abc"]
    text = "the same words in the same order in all of them"
    records = [(f"{place:02}", text, score) for place, score in enumerate(spellings)]
    plan = nearkin.tune(threshold=0.8)
    df = spark.createDataFrame(records, "id string, text string, score string").repartition(2)
    for keep in ("max:score", "min:score"):
        with Run(df, plan, keep=keep) as run:
            assert_same(removed_of(run.removed()), CommandLine(records, plan, tmp_path).removed(keep=keep))
            assert run.stats.numbers == 7


@pytest.mark.parametrize("keep, word", [("best", '"best" is not first, last'), ("max", '"max" names no column; write max:COLUMN'),
                                        ("longest:x", "is not first, last"), ("min:size", 'no column "size"; the columns are id, words, more'),
                                        ("max:more", "is map<string,int>; numbers are needed"), ("longest", "longest is for texts")])
def test_rules_of_keeping_at_fault_are_named(spark: SparkSession, keep: str, word: str) -> None:  # noqa: F811
    df = spark.createDataFrame([("a", ["x"], {})], "id string, words array<string>, more map<string, int>")
    with pytest.raises(ValueError, match=word):
        nearkin.spark.dedup(df, nearkin.tune(threshold=0.8), text="words", keep=keep)


def test_columns_at_fault_are_named(spark: SparkSession) -> None:  # noqa: F811
    plan = nearkin.tune(threshold=0.8)
    df = spark.createDataFrame([("a", "x")], "id string, text string")
    with pytest.raises(ValueError, match='id: no column "url"; the columns are id, text'):
        nearkin.spark.pairs(df, plan, id="url")
    with pytest.raises(ValueError, match='text: no column "body"; the columns are id, text'):
        nearkin.spark.pairs(df, text="body")
    with pytest.raises(ValueError, match="is double; cast it"):
        nearkin.spark.pairs(df.select(F.lit(1.5).alias("id"), "text"), plan)


@pytest.mark.parametrize("wishes, word", [
    (dict(recall=1), "recall 1 is an exact join"), (dict(verify="estimate"), "verify estimate"),
    (dict(measure="cosine"), "cosine over"), (dict(measure="euclidean", radius=3, dimensions=4), "euclidean over")])
def test_plans_that_are_not_for_spark_are_refused(spark: SparkSession, wishes: dict[str, object], word: str) -> None:  # noqa: F811
    df = spark.createDataFrame([("a", "x")], "id string, text string")
    with pytest.raises(ValueError, match=word):
        nearkin.spark.dedup(df, nearkin.tune(**wishes))


def test_more_pairs_than_the_limit_are_refused_before_they_are_listed(spark: SparkSession) -> None:  # noqa: F811
    df = spark.createDataFrame([(f"{i:04}", "the same five words always") for i in range(1000)], "id string, text string")
    with pytest.raises(ValueError, match="max_pairs: 499500 pairs to list, the limit is 1000"):
        nearkin.spark.pairs(df, nearkin.tune(threshold=0.8), max_pairs=1000)


def test_the_submitted_job_writes_what_the_command_line_writes(spark: SparkSession, tmp_path: Path) -> None:  # noqa: F811
    from nearkin.spark.__main__ import main
    records = corpus(300, seed=9)
    plan = nearkin.tune(threshold=0.7, shingle="word:2", sample=[text or "" for _, text, *_ in by_id(records)])
    answer = CommandLine(records, plan, tmp_path)
    table(spark, records, 2).write.parquet(str(tmp_path / "in.parquet"))
    status = main(["dedup", str(tmp_path / "in.parquet"), "-o", str(tmp_path / "out"), "--removed", str(tmp_path / "gone"), "--threshold", "0.7",
                   "--shingle", "word:2", "--stats", str(tmp_path / "spark.json"), "--quiet"])
    assert status == 0
    assert_same(removed_of(spark.read.parquet(str(tmp_path / "gone"))), answer.removed())
    assert_same(kept_of(spark.read.parquet(str(tmp_path / "out"))), answer.kept())
    stats = json.loads((tmp_path / "spark.json").read_text())
    assert (stats["items"], stats["plan"]) == (300, str(plan))
    assert main(["dedup", str(tmp_path / "in.parquet"), "-o", str(tmp_path / "again"), "--plan", str(plan), "--bands", "3"]) == 2


def test_a_submitted_job_against_another_table_with_rows_at_fault(spark: SparkSession, tmp_path: Path) -> None:  # noqa: F811
    from nearkin.spark.__main__ import main
    text = "the same eight words are in all of them"
    rows = [("a", text), ("b", "something else"), ("b", "something other"), (None, "no id at all")]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps({"id": id, "text": words}) + "\n" for id, words in rows))
    (tmp_path / "other.tsv").write_text(f"url\tbody\nx\t{text}\n")
    flags = ["--against", str(tmp_path / "other.tsv"), "--against-id", "url", "--against-text", "body", "--threshold", "0.8", "-q"]
    run = lambda name, *more: main([name, str(tmp_path / "in.jsonl"), "-o", str(tmp_path / "-".join((name, *more[-1:]))), *flags, *more[:-1]])  # noqa: E731
    assert run("dedup", "--stats", str(tmp_path / "stats"), "plain") == 0
    assert spark.read.json(str(tmp_path / "dedup-plain")).count() == 3
    stats = json.loads((tmp_path / "stats").read_text())
    assert (stats["items"], stats["removed"], stats["kept_at_fault"], stats["skipped"]) == (2, 1, 2, 0)
    assert run("dedup", "--skipped", str(tmp_path / "out"), "skipped") == 0
    assert spark.read.json(str(tmp_path / "dedup-skipped")).count() == 1 and spark.read.json(str(tmp_path / "out")).count() == 2
    assert run("pairs", "list") == 1  # rows were left out
    assert [tuple(row) for row in spark.read.json(str(tmp_path / "pairs-list")).select("a", "b", "similarity").collect()] == [("a", "x", 1.0)]
    assert run("pairs", "--faults", "skip", "asked") == 0


@pytest.mark.parametrize("name", ["pairs", "cluster", "dedup"])
def test_every_flag_of_the_command_line_is_offered_or_refused_with_a_way_out(capsys: pytest.CaptureFixture[str], name: str) -> None:
    from nearkin.spark._flags import parser
    flag = re.compile(r"^ +(?:-\w, |-\w [A-Z]+, )?(--[a-z-]+)", re.M)
    there = flag.findall(subprocess.run([command(), name, "--help"], capture_output=True, text=True, check=True).stdout)
    with pytest.raises(SystemExit):
        parser().parse_args([name, "--help"])
    offered = flag.findall(capsys.readouterr().out)
    assert len(there) > 30 and {"--threshold", "--id", "--output"} <= set(offered)
    for flag in set(there) - set(offered):
        with pytest.raises(SystemExit, match="2"):
            parser().parse_args([name, "in", "-o", "out", flag])
        assert re.fullmatch(rf"nearkin: {flag}: not on Spark; [^\n]{{10,}}\n", capsys.readouterr().err)


@pytest.mark.parametrize("arguments, told", [
    (["--format", "lines"], '--format: "lines" is not read on Spark; give one of parquet'),
    (["--recall", "1"], "plan: recall 1 is an exact join"),
    (["--faults", "stop", "--id", "gone"], '--id: none of 1 rows has an id in column "gone"; name another column'),
    (["--against-id", "url"], "--against-id: names a column of the other DataFrame"),
    (["--verify", "estimate"], "plan: verify estimate is not for Spark"),
    (["--id", "url"], '--id: no column "url"; the columns are id, text'),
    (["--keep", "best"], '--keep: "best" is not first, last'),
    (["--threshold", "80"], "--threshold: 80 is not between 0 and 1"),
    (["--colour", "red"], "unrecognized arguments: --colour red")])
def test_faults_of_a_submitted_job_are_named_as_they_were_typed(spark: SparkSession, tmp_path: Path, capsys: pytest.CaptureFixture[str],  # noqa: F811
                                                                arguments: list[str], told: str) -> None:
    from nearkin.spark.__main__ import main
    (tmp_path / "in.jsonl").write_text('{"id": "a", "text": "x"}\n')
    if "gone" in arguments:
        (tmp_path / "in.jsonl").write_text('{"gone": null, "text": "x"}\n')
    try:
        status = main(["dedup", str(tmp_path / "in.jsonl"), "-o", str(tmp_path / "out"), *arguments])
    except SystemExit as end:
        status = end.code
    assert status == 2 and not (tmp_path / "out").exists()
    assert capsys.readouterr().err.splitlines()[-1].startswith(f"nearkin: {told}")


def check_three_roads(spark: SparkSession, records: list[Record], folder: Path, partition_counts: tuple[int, ...]) -> None:  # noqa: F811
    plan = nearkin.tune(threshold=0.5, recall=0.95, shingle="word:3", large_bucket=2)  # so that three of a kind are a hot bucket
    told, python = CommandLine(records, plan, folder), Python(records, plan)
    clusters, removed, kept, pairs = told.clusters(), told.removed(), told.kept(), told.pairs()
    buckets = told.stats["buckets"]
    assert len(pairs) > 50 and buckets["large"] > 0
    for found, expected in ((python.clusters(), clusters), (python.removed(), removed), (python.kept(), kept), (python.pairs(), pairs)):
        assert_same(found, expected)
    assert python.stats["buckets"] == buckets
    for partitions in partition_counts:
        with Run(table(spark, records, partitions), plan) as run:
            assert_same(clusters_of(run.clusters()), clusters)
            assert_same(removed_of(run.removed()), removed)
            assert_same(kept_of(run.kept()), kept)
            assert_same(pairs_of(run.pairs()), pairs)
            assert run.stats.as_dict()["buckets"] == buckets


def test_bbc_news_by_command_line_python_and_spark(spark: SparkSession, tmp_path: Path) -> None:  # noqa: F811
    path = SHARED / "bbc-news" / "bbc_news.tsv"
    if not path.exists():
        pytest.skip("skipped: ../shared/data/bbc-news is not there")
    rows = [line.rstrip("\n").split("\t") for line in path.open(encoding="utf-8")]
    check_three_roads(spark, [(row[0], row[-1]) for row in rows], tmp_path, (1, 3, 8))


def test_reuters_by_command_line_python_and_spark(spark: SparkSession, tmp_path: Path) -> None:  # noqa: F811
    path = SHARED / "reuters21578" / "reuters21578.tsv.xz"
    if not path.exists():
        pytest.skip("skipped: ../shared/data/reuters21578 is not there")
    with lzma.open(path, "rt", encoding="utf-8", errors="replace") as lines:
        rows = [line.rstrip("\n").split("\t") for line in lines]
    check_three_roads(spark, [(row[0], row[-1]) for row in rows], tmp_path, (2, 7))


def test_groups_of_one_template_are_found_whole_as_by_the_command_line(spark: SparkSession, tmp_path: Path) -> None:  # noqa: F811
    common = " ".join(f"c{i}" for i in range(95))
    records = [(f"{i:04}", common + "".join(f" u{i}_{k}" for k in range(10))) for i in range(400)]
    plan = nearkin.tune(threshold=0.8, recall=0.5, shingle="word:1", large_bucket=16)
    told = CommandLine(records, plan, tmp_path)
    removed = told.removed()
    assert 395 <= len(removed) < 400
    for driver_edges in (5_000_000, 100):
        with Run(table(spark, records, 3), plan, driver_edges=driver_edges) as run:
            assert_same(removed_of(run.removed()), removed)
