"""spark-submit entry point: `spark-submit .../nearkin/spark/__main__.py dedup INPUT -o OUTPUT`, or `python -m nearkin.spark …`. The flags are
those of the command line (_flags.py)."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

import nearkin
from nearkin.spark import Cut, Run, _tsv
from nearkin.spark._flags import FORMATS, parser
from nearkin.spark._plan import planned
from nearkin.spark._source import Table

def _plan(typed: argparse.Namespace, df: DataFrame) -> nearkin.Plan:
    names = ("measure", "threshold", "recall", "shingle", "normalise", "hashes", "bands", "rows", "seed", "verify", "large_bucket")
    choices = {name: value for name in names if (value := getattr(typed, name)) is not None}
    if typed.bag:
        choices["bag"] = True
    if typed.plan is not None:
        if choices:
            raise ValueError(f"--plan: is a whole plan, and --{next(iter(choices)).replace('_', '-')} would change it; leave one of them out")
        return nearkin.Plan(Path(typed.plan[1:]).read_text().splitlines()[0] if typed.plan.startswith("@") else typed.plan)
    if typed.command == "pairs":
        choices.setdefault("large_bucket", nearkin._core.large_bucket_of_pairs)
    return planned(Table(df, typed.id, typed.text), None if typed.unit is None else Cut(typed.unit, typed.least_unit), **choices)


def _by_name(path: str) -> str:
    return next((name for name in FORMATS if f".{name}" in Path(path).name), "parquet")


def _format(typed: argparse.Namespace) -> str:
    return str(typed.format or _by_name(typed.inputs[0]))


def _csv_options(typed: argparse.Namespace) -> dict[str, str]:
    return {"header": "true", "sep": typed.separator, "quote": '"', "escape": '"', "multiLine": "true"}


def _read(spark: SparkSession, typed: argparse.Namespace, paths: list[str], format: str) -> DataFrame:
    if format == "tsv":
        return _tsv.read(spark, paths)
    if format == "csv":
        return spark.read.options(**_csv_options(typed)).csv(paths)
    return spark.read.json(paths) if format == "jsonl" else spark.read.format(format).load(paths)


def _against(spark: SparkSession, typed: argparse.Namespace) -> DataFrame | None:
    """The other table, which is read as the first unless its name says something else."""
    path = getattr(typed, "against", None)
    return None if path is None else _read(spark, typed, [path], typed.against_format or typed.format or _by_name(path))


def _write(table: DataFrame, typed: argparse.Namespace, output: str, *, listing: bool = True) -> None:
    format = _format(typed)
    if format == "tsv":
        _tsv.write(table, output, listing=listing)
    elif format == "csv":
        options = _csv_options(typed)
        del options["multiLine"]
        table.write.options(**options).csv(output)
    else:
        table.write.format("json" if format == "jsonl" else format).save(output)


def _cut(typed: argparse.Namespace) -> Cut | None:
    given = {name: value for name in ("repeats", "least_left", "most_cut") if (value := getattr(typed, name, None)) is not None}
    if typed.unit is not None:
        return Cut(typed.unit, typed.least_unit, **given)
    if given or typed.least_unit:
        name = next(iter(given), "least_unit").replace("_", "-")
        raise ValueError(f"--{name}: needs --unit, such as --unit paragraph")
    return None


def _write_results(run: Run, typed: argparse.Namespace) -> None:
    if typed.command == "pairs":
        return _write(run.pairs(typed.top), typed, typed.output)
    if typed.command == "cluster":
        return _write(run.clusters(typed.linkage), typed, typed.output)
    _write(run.annotated(typed.linkage) if typed.annotate else run.kept(typed.linkage), typed, typed.output, listing=False)
    if typed.removed is not None:
        _write(run.removed(typed.linkage), typed, typed.removed)
    if typed.skipped is not None:
        _write(run.skipped(), typed, typed.skipped, listing=False)


def _options(typed: argparse.Namespace) -> dict[str, object]:
    """What a run is asked for, of the flags that not every command has."""
    names = ("max_pairs", "driver_edges", "keep", "against_id", "against_text")
    given = {name: value for name in names if (value := getattr(typed, name, None)) is not None}
    if typed.command == "pairs":
        given["keep"] = "first"
    return {**given, "faults": typed.faults or ("skip" if getattr(typed, "skipped", None) is not None else "keep")}


def _status(run: Run, typed: argparse.Namespace) -> int:
    """1 where rows were left out, and nobody asked for it."""
    return 1 if run.stats.skipped and typed.faults is None and getattr(typed, "skipped", None) is None else 0


def _say(run: Run) -> None:
    stats = run.stats
    for fault in stats.faults:
        print(f"nearkin: {fault}", file=sys.stderr)
    print(f"nearkin: {stats.plan}", file=sys.stderr)
    told = [f"{stats.items} items", f"{stats.empty} EMPTY", f"{stats.copies} copies", f"{stats.candidates} candidates"]
    told += [f"{value} {name}" for name, value in (("pairs", stats.pairs), ("removed", stats.removed)) if value is not None]
    told += [f"{value} rows {name}" for name, value in (("passed through that cannot be used", stats.kept_at_fault), ("skipped", stats.skipped)) if value]
    print("nearkin: " + ", ".join(told), file=sys.stderr)
    if stats.numbers == 0 and stats.items:
        print("nearkin: --keep: no item has a number in that column, so the first of each group was kept", file=sys.stderr)
    if stats.buckets is not None and stats.buckets.large:
        print(f"nearkin: {stats.buckets.large} large buckets, the largest of {stats.buckets.largest} items; {stats.buckets.not_compared} pairs "
              "in them were not compared (see --large-bucket)", file=sys.stderr)


def _with_flag(message: str, typed: argparse.Namespace) -> str:
    """The library begins with the name of what is at fault, which is typed with dashes here."""
    name, _, rest = message.partition(":")
    return f"--{name.replace('_', '-')}:{rest}" if vars(typed).get(name) is not None else message


def main(arguments: list[str] | None = None) -> int:
    typed = parser().parse_args(arguments)
    try:
        spark = SparkSession.builder.appName(f"nearkin {typed.command}").getOrCreate()
        if typed.checkpoint is not None:
            spark.sparkContext.setCheckpointDir(typed.checkpoint)
        df = _read(spark, typed, typed.inputs, _format(typed))
        with Run(df, _plan(typed, df), typed.id, typed.text, within=typed.within, across=typed.across, cut=_cut(typed), against=_against(spark, typed),
                 **_options(typed)) as run:
            _write_results(run, typed)
            if typed.stats is not None:
                Path(typed.stats).write_text(json.dumps(run.stats.as_dict()) + "\n")
            if not typed.quiet:
                _say(run)
            return _status(run, typed)
    except ValueError as error:
        print(f"nearkin: {_with_flag(str(error), typed)}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
