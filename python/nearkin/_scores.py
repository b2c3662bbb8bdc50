"""Runs by a score of several columns. Their records are lines of JSON in a file, which is there as long as the run."""

from __future__ import annotations

import json
import os
import tempfile
from contextlib import ExitStack, contextmanager
from typing import Any, Callable, Iterable, Iterator, NamedTuple, Optional, Sequence

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._datasets import is_dataset
from ._items import arrow_of
from ._pyarrow import pa
from ._values import inner_values, is_column, one_length, texts_of

_ID, _SCOPE, _NUMBER = "#row", "#scope", "#number"  # fields beside those of the score
_THRESHOLD, _RECALL = 0.8, 0.95


class Asked(NamedTuple):
    """What the runs by score have in common."""

    score: str
    threshold: float
    recall: float
    threads: int
    max_pairs: int
    scope: Optional[tuple[str, list[Optional[str]], Optional[list[Optional[str]]]]]


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


def pairs(asked: Asked, items: Any, against: Any, rule: str, most: int, decisions: list[tuple[str, str, bool]],
          tell: object) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.float64], dict[str, Any]]:
    """a, b, similarity, one row of values by part for each pair, stats."""
    with _run(asked, items, against, None) as run:
        a, b, similarity, values, stats = _core.score_pairs(run, rule, most, decisions, tell)
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
    columns = {name: _texts(values, name, what) for name, values in columns_of(items, fields, what).items()}
    rows = one_length(columns, what)
    for name, texts, given in ((_SCOPE, scopes, "within or across"), (_NUMBER, numbers, "numbers")):
        if texts is None:
            continue
        columns[name] = [None if text is None else json.dumps(text, ensure_ascii=False) for text in texts]
        if len(texts) != rows:
            raise ValueError(f"{given}: {len(texts)} of them, and {rows} items; give one per item")
    names = [json.dumps(name, ensure_ascii=False) for name in columns]
    optional = [name in (_SCOPE, _NUMBER) for name in columns]
    for row, values in enumerate(zip(*columns.values())):
        # A missing value of a column that is there is null; of a scope and a number it is no field.
        told = "".join(f",{name}:{'null' if text is None else text}" for name, text, left_out in zip(names, values, optional) if text is not None or not left_out)
        yield f'{{"{_ID}":"{row}"{told}}}\n'


def _texts(values: Any, name: str, what: str) -> list[Optional[str]]:
    if not is_column(values):
        raise TypeError(f'{what}: column "{name}" is one {type(values).__name__}; give a list, or another column with a value a row')
    return texts_of(values, lambda row, fault: ValueError(f'{what}:{row}: column "{name}": {fault}'))


def columns_of(items: Any, fields: Sequence[str], what: str) -> dict[str, Any]:
    """The columns that the fields name. A name with dots leads into a column, unless there is one of the whole name."""
    names, column = _table(items, what)
    spelled = [str(name) for name in names]
    wanted: dict[str, Any] = {}
    for field in fields:
        name, *inside = [field] if field in spelled else field.split(".")
        if name not in spelled:
            raise ValueError(f'score: {what} has no column "{name}"; there are {", ".join(spelled) or "none"}')
        if spelled.count(name) > 1:
            raise ValueError(f'score: {spelled.count(name)} columns of {what} are called "{name}"; rename them')
        if field not in wanted:
            wanted[field] = inner_values(column(names[spelled.index(name)]), inside)
    return wanted


def _table(items: Any, what: str) -> tuple[list[Any], Callable[[Any], Any]]:
    """The names of the columns, and a function that gives the values of one."""
    if is_dataset(items):
        return list(items.column_names), lambda name: arrow_of(items, name)
    if type(items).__name__ == "DuckDBPyRelation":
        items = items.fetch_arrow_table()
    if isinstance(items, dict):
        return list(items), lambda name: items[name]
    if hasattr(items, "iloc") and hasattr(items, "columns"):  # pandas
        return list(items.columns), lambda name: items[name]
    if hasattr(items, "get_column") and hasattr(items, "columns"):  # polars
        return list(items.columns), lambda name: items.get_column(name)
    if hasattr(items, "__arrow_c_stream__") and pa is not None:
        table = pa.table(items)
        return table.column_names, lambda name: table.column(name)
    rows = items if isinstance(items, (list, tuple)) else list(items) if hasattr(items, "__iter__") else None
    if rows is None or not all(isinstance(row, dict) for row in rows):
        raise TypeError(f"{what}: a score compares columns; give a table (pandas, polars, Arrow, a dict of columns) or a list of dicts")
    return list(dict.fromkeys(name for row in rows for name in row)), lambda name: [row.get(name) for row in rows]
