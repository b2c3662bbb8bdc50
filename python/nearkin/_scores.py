"""Runs by a score of several columns. Their records are lines of JSON in a file, which is there as long as the run."""

from __future__ import annotations

import json
import os
import tempfile
from contextlib import ExitStack, contextmanager
from typing import Any, Iterable, Iterator, NamedTuple, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._datasets import is_dataset
from ._pyarrow import pa

_ID, _SCOPE, _NUMBER = "#row", "#scope", "#number"  # fields beside those of the score
_THRESHOLD, _RECALL = 0.8, 0.95


class Asked(NamedTuple):
    """What the runs by score have in common."""

    score: str
    threshold: float
    recall: float
    threads: int
    max_pairs: int
    scope: Optional[tuple[str, list[Any], Optional[list[Any]]]]


def asked_for(score: Optional[str], plan: Any, threshold: Optional[float], recall: Optional[float], audit: int = 0, **rest: Any) -> Optional[Asked]:
    """None where there is no score."""
    if score is None:
        for name, value in (("threshold", threshold), ("recall", recall)):
            if value is not None:
                raise ValueError(f"{name}: belongs to the plan if there is no score; give plan=nearkin.tune({name}={value}), or a score")
        return None
    if plan is not None:
        raise ValueError("plan: a score has none; give threshold and recall, and leave plan out")
    if audit:
        raise ValueError("audit: compares whole texts, not scores; leave it out, or give recall=1, which finds all")
    return Asked(score, _THRESHOLD if threshold is None else float(threshold), _RECALL if recall is None else float(recall), **rest)


def pairs(asked: Asked, items: Any, against: Any, rule: str, most: int, tell: object) -> tuple[NDArray[np.int64], NDArray[np.int64],
                                                                                              NDArray[np.float64], NDArray[np.float64], dict[str, Any]]:
    """a, b, similarity, one row of values by part for each pair, stats."""
    with _run(asked, items, against, None) as run:
        a, b, similarity, values, stats = _core.score_pairs(run, rule, most, tell)
        return a, b, similarity, values.reshape(len(a), run.parts), stats


def groups(asked: Asked, items: Any, against: Any, linkage: str, keep: str, numbers: Any, decisions: list[tuple[str, str, bool]],
           tell: object) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], dict[str, Any]]:
    """As _core.groups."""
    with _run(asked, items, against, numbers) as run:
        return _core.score_groups(run, linkage, keep.replace(":numbers", f":{_NUMBER}"), decisions, tell)


@contextmanager
def _run(asked: Asked, items: Any, against: Any, numbers: Any) -> Iterator[_core.ScoreRun]:
    own, others = (None, None) if asked.scope is None else asked.scope[1:]
    with ExitStack() as files:
        paths = {files.enter_context(_lines(_records(items, _core.score_fields(asked.score, False), own, numbers, "items"))): "items"}
        if against is not None:
            if own is not None and others is None:
                raise ValueError(f"against_scopes: {asked.scope[0]} is given for the items alone; give that of against too")  # type: ignore[index]
            paths[files.enter_context(_lines(_records(against, _core.score_fields(asked.score, True), others, None, "against")))] = "against"
        path, *others_path = paths
        other = others_path[0] if others_path else None
        try:
            yield _core.ScoreRun(asked.score, path, other, asked.scope and asked.scope[0], asked.threshold, asked.recall, 1, asked.threads, asked.max_pairs)
        except (ValueError, OSError) as error:
            message = str(error)
            for name, what in paths.items():
                message = message.replace(name, what)
            raise type(error)(message) from None


@contextmanager
def _lines(records: Iterable[str]) -> Iterator[str]:
    descriptor, path = tempfile.mkstemp(prefix="nearkin-", suffix=".jsonl")
    try:
        with open(descriptor, "w", encoding="utf-8", newline="\n") as file:
            file.writelines(records)
        yield path
    finally:
        os.unlink(path)


def _records(items: Any, fields: Sequence[str], scopes: Optional[list[Any]], numbers: Any, what: str) -> Iterator[str]:
    columns = _columns(items, fields, what)
    rows = len(next(iter(columns.values())))
    for name, values, given in ((_SCOPE, scopes, "within or across"), (_NUMBER, numbers, "numbers")):
        if values is None:
            continue
        columns[name] = [None if value is None else str(value) for value in values] if name == _SCOPE else list(values)
        if len(columns[name]) != rows:
            raise ValueError(f"{given}: {len(columns[name])} of them, and {rows} items; give one per item")
    for row, values in enumerate(zip(*columns.values())):
        # A missing value of a column that is there is null; of a scope and a number it is no field.
        record = {_ID: str(row)} | {name: plain for name, value in zip(columns, values) if (plain := _plain(value)) is not None or name not in (_SCOPE, _NUMBER)}
        yield json.dumps(record, ensure_ascii=False, default=str) + "\n"


def _plain(value: Any) -> Any:
    """As JSON has it; None where it is missing. A whole number is spelled as one, though a column with gaps may hold it as a float."""
    if hasattr(value, "item") and not isinstance(value, np.ndarray):
        value = value.item()
    if isinstance(value, float):
        return None if value != value or value in (float("inf"), float("-inf")) else int(value) if value.is_integer() else value
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return None
    return value.decode("utf-8") if isinstance(value, bytes) else value.tolist() if isinstance(value, np.ndarray) else value


def _columns(items: Any, fields: Sequence[str], what: str) -> dict[str, Any]:
    """The columns that the fields name; of a name with dots, the one that it begins in, unless there is one of the whole name."""
    names, column = _table(items, what)
    wanted: dict[str, Any] = {}
    for field in fields:
        name = field if field in names else field.split(".")[0]
        if name not in names:
            raise ValueError(f'score: {what} has no column "{name}"; there are {", ".join(map(str, names)) or "none"}')
        wanted[name] = wanted.get(name, column(name))
    return wanted


def _table(items: Any, what: str) -> tuple[list[str], Any]:
    """The names of the columns, and a function that gives the values of one."""
    if is_dataset(items):
        return list(items.column_names), lambda name: items[name]
    if type(items).__name__ == "DuckDBPyRelation":
        items = items.fetch_arrow_table()
    if isinstance(items, dict):
        return list(items), lambda name: list(items[name])
    if hasattr(items, "columns") and hasattr(items, "iloc"):  # pandas
        return list(items.columns), lambda name: items[name].tolist()
    if hasattr(items, "columns") and hasattr(items, "get_column"):  # polars
        return list(items.columns), lambda name: items.get_column(name).to_list()
    if hasattr(items, "__arrow_c_stream__") and pa is not None:
        table = pa.table(items)
        return table.column_names, lambda name: table.column(name).to_pylist()
    rows = items if isinstance(items, (list, tuple)) else list(items) if hasattr(items, "__iter__") else None
    if rows is None or not all(isinstance(row, dict) for row in rows):
        raise TypeError(f"{what}: a score compares columns; give a table (pandas, polars, Arrow, a dict of columns) or a list of dicts")
    return list(dict.fromkeys(name for row in rows for name in row)), lambda name: [row.get(name) for row in rows]
