"""spark-submit entry point: `spark-submit .../nearkin/spark/__main__.py dedup INPUT -o OUTPUT`, or `python -m nearkin.spark …`. The flags are
those of the command line."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

import nearkin
from nearkin.spark import Run
from nearkin.spark._run import DRIVER_EDGES, MAX_PAIRS

_FORMATS = ("parquet", "orc", "jsonl", "csv", "tsv")
_ALL_PAIRS_UP_TO = 10_000  # `pairs` lists what it finds: all pairs of larger buckets than elsewhere are looked at


def _add_goal(parser: argparse.ArgumentParser) -> None:
    goal = parser.add_argument_group("goal and plan")
    goal.add_argument("--measure", metavar="NAME", help="jaccard, weighted-jaccard or exact (default jaccard)")
    goal.add_argument("--threshold", type=float, metavar="S", help="at least so similar, 0 to 1 (default 0.8)")
    goal.add_argument("--recall", type=float, metavar="R", help="share of the pairs exactly at the threshold to find (default 0.95)")
    goal.add_argument("--plan", metavar="LINE", help="a whole plan as 'nearkin tune' prints it, or @FILE that begins with it")
    goal.add_argument("--shingle", metavar="UNIT:K", help="char:K, word:K, code:K, line:K or element:K (default word:5)")
    goal.add_argument("--bag", action="store_true", help="count repeated shingles instead of keeping each once")
    goal.add_argument("--normalise", metavar="NAME", help="text, code or none (default text)")
    for name in ("hashes", "bands", "rows", "seed"):
        goal.add_argument(f"--{name}", type=int, metavar="N")
    goal.add_argument("--large-bucket", type=int, metavar="N", help="compare all pairs in buckets of up to N items")


def _add_input(parser: argparse.ArgumentParser) -> None:
    files = parser.add_argument_group("input and output")
    files.add_argument("inputs", nargs="+", metavar="INPUT", help="files or folders, at any address that Spark reads")
    files.add_argument("-o", "--output", required=True, metavar="OUTPUT", help="folder for the result, in the format of the input")
    files.add_argument("--format", choices=_FORMATS, help="default: by the extension of the first input, else parquet")
    files.add_argument("--id", default="id", metavar="FIELD")
    files.add_argument("--text", default="text", metavar="FIELD")
    files.add_argument("--separator", default=",", metavar="CHAR", help="csv: the character between fields")
    files.add_argument("--stats", metavar="FILE", help="write figures about the run as one JSON object, on the driver")
    files.add_argument("--checkpoint", metavar="DIR", help="folder that all workers reach: the run outlives the loss of one")
    files.add_argument("-q", "--quiet", action="store_true", help="say nothing on standard error but errors")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="nearkin.spark", description="Near-duplicates of a table, on Spark.")
    commands = parser.add_subparsers(dest="command", required=True)
    abouts = {"pairs": "a, b, similarity: every pair at or above the threshold", "cluster": "id, cluster, keeper, similarity: one row an item",
              "dedup": "the rows without their extra copies"}
    for name, about in abouts.items():
        command = commands.add_parser(name, help=about, description=about)
        _add_input(command)
        _add_goal(command)
        if name == "pairs":
            command.add_argument("--max-pairs", type=int, default=MAX_PAIRS, metavar="N")
            continue
        command.add_argument("--linkage", choices=("connected", "star"), default="connected" if name == "cluster" else "star")
        command.add_argument("--driver-edges", type=int, default=DRIVER_EDGES, metavar="N", help="edges that the driver takes; beyond: rounds")
    commands.choices["dedup"].add_argument("--removed", metavar="OUTPUT", help="folder that lists each removed item, its keeper, their similarity")
    commands.choices["dedup"].add_argument("--annotate", action="store_true", help="keep all rows and add cluster, keeper and similarity")
    return parser


def _plan(typed: argparse.Namespace) -> nearkin.Plan:
    names = ("measure", "threshold", "recall", "shingle", "normalise", "hashes", "bands", "rows", "seed", "large_bucket")
    choices = {name: value for name in names if (value := getattr(typed, name)) is not None}
    if typed.bag:
        choices["bag"] = True
    if typed.plan is not None:
        if choices:
            raise ValueError(f"--plan: is a whole plan, and --{next(iter(choices)).replace('_', '-')} would change it; leave one of them out")
        return nearkin.Plan(Path(typed.plan[1:]).read_text().splitlines()[0] if typed.plan.startswith("@") else typed.plan)
    if typed.command == "pairs":
        choices.setdefault("large_bucket", _ALL_PAIRS_UP_TO)
    return nearkin.tune(**choices)


def _format(typed: argparse.Namespace) -> str:
    if typed.format is not None:
        return str(typed.format)
    named = [name for name in _FORMATS if f".{name}" in Path(typed.inputs[0]).name]
    return named[0] if named else "parquet"


def _csv_options(typed: argparse.Namespace, format: str) -> dict[str, str]:
    separator = "\t" if format == "tsv" else typed.separator
    return {"header": "true", "sep": separator, "quote": '"', "escape": '"', "multiLine": "true"}


def _read(spark: SparkSession, typed: argparse.Namespace) -> DataFrame:
    format = _format(typed)
    if format in ("csv", "tsv"):
        return spark.read.options(**_csv_options(typed, format)).csv(typed.inputs)
    return spark.read.json(typed.inputs) if format == "jsonl" else spark.read.format(format).load(typed.inputs)


def _write(table: DataFrame, typed: argparse.Namespace, output: str) -> None:
    format = _format(typed)
    if format in ("csv", "tsv"):
        options = _csv_options(typed, format)
        del options["multiLine"]
        table.write.options(**options).csv(output)
    else:
        table.write.format("json" if format == "jsonl" else format).save(output)


def _write_results(run: Run, typed: argparse.Namespace) -> None:
    if typed.command == "pairs":
        return _write(run.pairs(), typed, typed.output)
    if typed.command == "cluster":
        return _write(run.clusters(typed.linkage), typed, typed.output)
    _write(run.annotated(typed.linkage) if typed.annotate else run.kept(typed.linkage), typed, typed.output)
    if typed.removed is not None:
        _write(run.removed(typed.linkage), typed, typed.removed)


def _say(run: Run) -> None:
    stats = run.stats
    print(f"nearkin: {stats.plan}", file=sys.stderr)
    told = [f"{stats.items} items", f"{stats.empty} EMPTY", f"{stats.copies} copies", f"{stats.candidates} candidates"]
    told += [f"{value} {name}" for name, value in (("pairs", stats.pairs), ("removed", stats.removed)) if value is not None]
    print("nearkin: " + ", ".join(told), file=sys.stderr)
    if stats.buckets is not None and stats.buckets.large:
        print(f"nearkin: {stats.buckets.large} large buckets, the largest of {stats.buckets.largest} items; {stats.buckets.not_compared} pairs "
              "in them were not compared (see --large-bucket)", file=sys.stderr)


def main(arguments: list[str] | None = None) -> int:
    typed = _parser().parse_args(arguments)
    try:
        plan = _plan(typed)
        spark = SparkSession.builder.appName(f"nearkin {typed.command}").getOrCreate()
        if typed.checkpoint is not None:
            spark.sparkContext.setCheckpointDir(typed.checkpoint)
        limits = {"max_pairs": typed.max_pairs} if typed.command == "pairs" else {"driver_edges": typed.driver_edges}
        with Run(_read(spark, typed), plan, typed.id, typed.text, **limits) as run:
            _write_results(run, typed)
            if typed.stats is not None:
                Path(typed.stats).write_text(json.dumps(run.stats.as_dict()) + "\n")
            if not typed.quiet:
                _say(run)
    except ValueError as error:
        print(f"nearkin: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
