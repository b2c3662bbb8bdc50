"""spark-submit entry point: `spark-submit .../nearkin/spark/__main__.py dedup INPUT -o OUTPUT`, or `python -m nearkin.spark …`. The flags are
those of the command line (_flags.py)."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType

import nearkin
from nearkin.spark import Cut, Run, _tsv
from nearkin.spark._columns import id_column, text_column
from nearkin.spark._flags import FORMATS, parser


_ENOUGH_BYTES = 16 << 20  # of text: more than the command line looks at before a run


def _first_texts(df: DataFrame, typed: argparse.Namespace) -> list[object]:
    """What the command line would look at before a run over the same records sorted by id, and one more, to show that there are more. The
    sizes come first, so that no more than these texts reaches the driver, however long they are."""
    text = text_column(df, typed.text)
    is_set = isinstance(df.select(text.alias("text")).schema["text"].dataType, ArrayType)
    sizes = F.octet_length(F.concat_ws(" ", text.cast("array<string>"))) if is_set else F.octet_length(text)
    first = df.select(id_column(df, typed.id).alias("id"), text.alias("text"), sizes.alias("bytes")).orderBy("id")
    count, total = 0, 0
    for row in first.select("bytes").limit(nearkin._core.sampled_records + 1).collect():
        count, total = count + 1, total + row[0]
        if total > _ENOUGH_BYTES:
            break
    return [row[0] for row in first.select("text").limit(count + 1).collect()]


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
    sample = _first_texts(df, typed)
    return nearkin.tune(**choices, sample=sample if typed.unit is None else nearkin.units(sample, typed.unit, least_unit=typed.least_unit).texts)


def _format(typed: argparse.Namespace) -> str:
    if typed.format is not None:
        return str(typed.format)
    named = [name for name in FORMATS if f".{name}" in Path(typed.inputs[0]).name]
    return named[0] if named else "parquet"


def _csv_options(typed: argparse.Namespace) -> dict[str, str]:
    return {"header": "true", "sep": typed.separator, "quote": '"', "escape": '"', "multiLine": "true"}


def _read(spark: SparkSession, typed: argparse.Namespace) -> DataFrame:
    format = _format(typed)
    if format == "tsv":
        return _tsv.read(spark, typed.inputs)
    if format == "csv":
        return spark.read.options(**_csv_options(typed)).csv(typed.inputs)
    return spark.read.json(typed.inputs) if format == "jsonl" else spark.read.format(format).load(typed.inputs)


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
        raise ValueError(f"--{name}: is about parts of texts; name them by --unit, such as paragraph")
    return None


def _write_results(run: Run, typed: argparse.Namespace) -> None:
    if typed.command == "pairs":
        return _write(run.pairs(typed.top), typed, typed.output)
    if typed.command == "cluster":
        return _write(run.clusters(typed.linkage), typed, typed.output)
    _write(run.annotated(typed.linkage) if typed.annotate else run.kept(typed.linkage), typed, typed.output, listing=False)
    if typed.removed is not None:
        _write(run.removed(typed.linkage), typed, typed.removed)


def _say(run: Run) -> None:
    stats = run.stats
    print(f"nearkin: {stats.plan}", file=sys.stderr)
    told = [f"{stats.items} items", f"{stats.empty} EMPTY", f"{stats.copies} copies", f"{stats.candidates} candidates"]
    told += [f"{value} {name}" for name, value in (("pairs", stats.pairs), ("removed", stats.removed)) if value is not None]
    print("nearkin: " + ", ".join(told), file=sys.stderr)
    if stats.numbers == 0 and stats.items:
        print("nearkin: --keep: no item has a number in that column; the first of each group was kept", file=sys.stderr)
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
        names = ("max_pairs",) if typed.command == "pairs" else ("driver_edges", "keep")
        df = _read(spark, typed)
        with Run(df, _plan(typed, df), typed.id, typed.text, within=typed.within, across=typed.across, cut=_cut(typed),
                 **{name: getattr(typed, name) for name in names}) as run:
            _write_results(run, typed)
            if typed.stats is not None:
                Path(typed.stats).write_text(json.dumps(run.stats.as_dict()) + "\n")
            if not typed.quiet:
                _say(run)
    except ValueError as error:
        print(f"nearkin: {_with_flag(str(error), typed)}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
