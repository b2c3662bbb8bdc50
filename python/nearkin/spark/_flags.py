"""The flags of the entry point: the command line's, as far as they are for Spark. Of the others it is said what to do instead."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from ._run import DRIVER_EDGES, MAX_PAIRS

FORMATS = ("parquet", "orc", "jsonl", "csv", "tsv")
_VECTORS = "vectors and distances are not compared on Spark; use the command line"
_PRE = "tables contain no files to extract text from; make a column of their texts, or use the command line"
_GROUPS = "join the result of 'cluster' with the table, and count the rows of each group there"
_IGNORE = "call nearkin.spark with a plan of nearkin.tune(ignore=…, ignore_common=…), which contains the shingles"
_INDEX = "an index is on one machine; use the command line"
_ABOUTS = {"pairs": "a, b, similarity: every pair at or above the threshold", "cluster": "id, cluster, keeper, similarity: one row per item",
           "dedup": "the rows without their extra copies"}
# Flags of the command line that are not offered here, and the way out.
_REFUSED = {
    "--radius": _VECTORS, "--radii": _VECTORS, "--binarise": _VECTORS, "--dimensions": _VECTORS, "--width": _VECTORS,
    "--features": "tf-idf needs counts over the whole collection first; use the command line",
    "--thresholds": "a run has one threshold; run once with the lowest and count the pairs by similarity",
    "--recall-at": "on Spark a plan is not tuned for the whole table; give the line that 'nearkin tune SAMPLE --recall-at average' prints as --plan",
    "--bloom": "equal items are found exactly here, in a few bytes each; leave it out",
    "--files-from": "name folders, or patterns such as 'docs/*.parquet', as INPUT",
    "--directed": "edges are not read on Spark; make a table with an array of neighbours for each node, and name this column with --text and --shingle element:1",
    "--encoding": "files are read as UTF-8; read them with spark.read.option('encoding', …) into a table and give that to nearkin.spark",
    "--html": "texts are compared as they are; make a column of the visible text, or use the command line",
    "--pre": _PRE, "--pre-glob": _PRE, "--pre-timeout": _PRE,
    "--share-field": "join the result of 'cluster --unit' with the table; it lists what repeats",
    "--ignore": _IGNORE, "--ignore-common": _IGNORE, "--ignored": _IGNORE,
    "--passages": "Spark does not search for runs of equal words; use --unit, or the command line", "--keep-at-most": _GROUPS, "--drop": _GROUPS, "--size-field": _GROUPS,
    "--no-header": "Spark finds columns by their names; write the table with a header, or as Parquet",
    "--same-id": "on Spark every row needs its own id; make ids different first, for example with monotonically_increasing_id(), or use the command line",
    "--one-to-one": "pairs are taken one after the other, which needs one machine; use the command line",
    "--optimal": "says how --one-to-one matches, which needs one machine; use the command line",
    "--score": "scores are not available on Spark; use the command line",
    "--max-pairs": "cluster and dedup list no pairs; the flag needs --score, which only the command line has",
    "--index": _INDEX, "--metadata": _INDEX,
    "--audit": "use 'nearkin evaluate' on a sample",
    "--threads": "Spark decides; give spark-submit --executor-cores, or --master 'local[N]'",
    "--memory": "Spark decides; give spark-submit --executor-memory",
    "--scratch": "Spark decides; set spark.local.dir, and --checkpoint DIR for what must survive the loss of a worker",
    "--resume": "an interrupted run starts again; with --checkpoint DIR, the loss of a worker does not end it",
    "--json": "the result has the format of the input; give --format jsonl",
    "--min-size": "every item is listed; group the result by cluster and leave out what is smaller",
    "--summary": "group the result by cluster: count(*), first(keeper), min(similarity)",
    "--report": "use the command line on a sample",
    "--decisions": "decisions are applied on one machine; use the command line, or remove the pairs from the result of 'pairs' and group the rest",
    "--progress": "Spark shows its own; set spark.ui.showConsoleProgress",
}
_WITHOUT_VALUE = ("--no-header", "--resume", "--json", "--best", "--one-to-one", "--optimal")


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        print(f"nearkin: {message}; see --help", file=sys.stderr)
        sys.exit(2)


class _Refuse(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, typed: argparse.Namespace, value: str | Sequence[Any] | None, flag: str | None = None) -> None:
        print(f"nearkin: {flag}: not on Spark; {_REFUSED[str(flag)]}", file=sys.stderr)
        sys.exit(2)


def _format(name: str) -> str:
    if name not in FORMATS:
        print(f'nearkin: --format: "{name}" is not read on Spark; give one of {", ".join(FORMATS)}, or use the command line', file=sys.stderr)
        sys.exit(2)
    return name


def _add_goal(parser: argparse.ArgumentParser) -> None:
    goal = parser.add_argument_group("goal and plan")
    goal.add_argument("--measure", metavar="NAME", help="jaccard, weighted-jaccard, containment or exact (default jaccard)")
    goal.add_argument("--threshold", type=float, metavar="S", help="pairs of this similarity or more, 0 to 1 (default 0.8)")
    goal.add_argument("--recall", type=float, metavar="R", help="share of the pairs exactly at the threshold to find (default 0.95)")
    goal.add_argument("--plan", metavar="LINE", help="a whole plan as 'nearkin tune' prints it, or @FILE that begins with it")
    goal.add_argument("--shingle", metavar="TOKEN:K", help="char:K, word:K, code:K, line:K or element:K (default word:5)")
    goal.add_argument("--bag", action="store_true", help="count repeated shingles instead of keeping each once")
    goal.add_argument("--normalise", metavar="NAME", help="text, none, code, code:no-comments or code:identifiers, the last two also with a language, such as code:identifiers:java (default text)")
    for name in ("hashes", "bands", "rows", "seed"):
        goal.add_argument(f"--{name}", type=int, metavar="N")
    goal.add_argument("--verify", metavar="NAME", help="exact, which is the default")
    goal.add_argument("--large-bucket", type=int, metavar="N", help="compare all pairs in buckets of up to N items")


def _add_input(parser: argparse.ArgumentParser) -> None:
    files = parser.add_argument_group("input and output")
    files.add_argument("inputs", nargs="+", metavar="INPUT", help="files or folders, at any address that Spark reads")
    files.add_argument("-o", "--output", required=True, metavar="OUTPUT", help="folder for the result, in the format of the input")
    files.add_argument("--format", type=_format, metavar="NAME", help=f"{', '.join(FORMATS)} (default: by the extension of the first input, else parquet)")
    files.add_argument("--id", default="id", metavar="FIELD")
    files.add_argument("--text", default="text", metavar="FIELD")
    files.add_argument("--unit", metavar="NAME", help="parts of texts as items: paragraph, line, sentence or window:WORDS/STEP")
    files.add_argument("--least-unit", type=int, default=0, metavar="N", help="with --unit: ignore parts of fewer than N words")
    files.add_argument("--within", metavar="FIELD", help="compare only rows that agree in this column")
    files.add_argument("--across", metavar="FIELD", help="compare only rows that differ in this column")
    files.add_argument("--faults", choices=("keep", "skip", "stop"), help="rows without an id, or with the id of another row: keep them in what dedup writes (default), leave them out, or end the run")
    files.add_argument("--separator", default=",", metavar="CHAR", help="csv: the character between fields")
    files.add_argument("--stats", metavar="FILE", help="write figures about the run as one JSON object, on the driver")
    files.add_argument("--checkpoint", metavar="DIR", help="folder that all workers can reach; with it, the run survives the loss of a worker")
    files.add_argument("-q", "--quiet", action="store_true", help="print nothing on standard error except errors")


def _add_against(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--against", metavar="OTHER", help="compare INPUT with this table instead; dedup removes what OTHER has")
    parser.add_argument("--against-id", metavar="FIELD", help="the id of OTHER (default: that of INPUT)")
    parser.add_argument("--against-text", metavar="FIELD", help="the text of OTHER (default: that of INPUT)")
    parser.add_argument("--against-format", type=_format, metavar="NAME", help="the format of OTHER (default: --format, or by its extension)")


def _add_groups(parser: argparse.ArgumentParser, linkage: str) -> None:
    parser.add_argument("--linkage", choices=("connected", "star"), default=linkage)
    parser.add_argument("--keep", metavar="RULE", help="first, last, longest, shortest, max:FIELD or min:FIELD of a group (default first, under containment longest)")
    parser.add_argument("--driver-edges", type=int, default=DRIVER_EDGES, metavar="N", help="number of edges that the driver takes; if there are more, groups are found in rounds")


def parser() -> argparse.ArgumentParser:
    whole = _Parser(prog="nearkin.spark", description="Near-duplicates of a table, on Spark.")
    commands = whole.add_subparsers(dest="command", required=True)
    for name, about in _ABOUTS.items():
        command = commands.add_parser(name, help=about, description=about, allow_abbrev=False)
        _add_input(command)
        _add_goal(command)
        if name == "pairs":
            command.add_argument("--max-pairs", type=int, default=MAX_PAIRS, metavar="N")
            command.add_argument("--best", action="store_const", const=1, dest="top", help="only the best partner of each row")
            command.add_argument("--top", type=int, metavar="N", help="only the N best partners of each row")
        else:
            _add_groups(command, "connected" if name == "cluster" else "star")
        if name != "cluster":
            _add_against(command)
        for flag in _REFUSED:
            if flag in command._option_string_actions:
                continue  # offered by this command
            command.add_argument(flag, action=_Refuse, nargs=0 if flag in _WITHOUT_VALUE else "?", help=argparse.SUPPRESS)
    for name, kind, about in (("repeats", str, "which copy of a repeated part stays: first or none (default first)"),
                              ("least-left", int, "remove a row that is cut to fewer than N words"),
                              ("most-cut", float, "leave a row unchanged if more than this share of its words would be cut")):
        commands.choices["dedup"].add_argument(f"--{name}", type=kind, metavar=name.upper().replace("-", "_"), help=f"with --unit: {about}")
    commands.choices["dedup"].add_argument("--removed", metavar="OUTPUT", help="folder that lists each removed item, its keeper, their similarity")
    commands.choices["dedup"].add_argument("--skipped", metavar="OUTPUT", help="folder for the rows that cannot be used; they are then left out of the result, unless --faults keep is given")
    commands.choices["dedup"].add_argument("--annotate", action="store_true", help="keep all rows and add cluster, keeper and similarity")
    return whole
