"""Benchmark items in texts that are held in memory."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Callable, Optional, Union, overload

import numpy as np

from . import _core
from ._arguments import checked
from ._progress import Progress, told
from ._results import Contamination, Injected
from ._runs import items_of
from ._values import is_column, one_length, texts_of

_ACTS = ("mark", "cut", "remove")
_NUMBER = re.compile(r"-?[0-9][0-9.eE+-]*")


def _values(suite: Any, name: str, field: str) -> Any:
    """One field of a suite: of a list of dicts, or of a table with columns."""
    if isinstance(suite, (list, tuple)) and all(isinstance(row, Mapping) for row in suite):
        if suite and not any(field in row for row in suite):
            known = ", ".join(dict.fromkeys(str(one) for row in suite for one in row))
            raise ValueError(f'against_text: suite "{name}" has no field "{field}", and so no item of 5 or more tokens; the fields are {known or "none"}')
        return [row.get(field) for row in suite]
    try:
        column = suite[field]
    except (KeyError, IndexError, TypeError, ValueError):
        raise ValueError(f'against_text: suite "{name}" has no field "{field}"; give a list of dicts, or a table with such a column') from None
    if not is_column(column):
        raise TypeError(f'against_text: field "{field}" of suite "{name}" is one {type(column).__name__}; give a list of dicts, or a table with such a column')
    return column


def _is_text(text: Optional[str]) -> bool:
    return text is not None and text.startswith('"')


def _as_read(text: Optional[str]) -> Any:
    """A string, or the number that was given; None for all else."""
    return json.loads(text) if text is not None and (_is_text(text) or _NUMBER.fullmatch(text)) else None


def _write_suite(path: str, suite: Any, name: str, fields: list[str], required: list[str]) -> int:
    """As JSON lines: a suite of several fields is read by the engine's own rules. An item of which a required field is missing, or no text, is not
    searched for; it is there without words, so that rows keep their numbers. Returns how many there are."""
    skipped = 0
    columns = {field: texts_of(_values(suite, name, field), _fault(name, field)) for field in fields}
    one_length(columns, name)
    with open(path, "w", encoding="utf-8") as file:
        for number, values in enumerate(zip(*columns.values())):
            usable = all(_is_text(text) for field, text in zip(fields, values) if field in required)
            skipped += not usable
            texts = {field: _as_read(text) if usable else "" for field, text in zip(fields, values)}
            file.write(json.dumps({"id": f"{number}", **texts}) + "\n")
    return skipped


def _fault(name: str, field: str) -> Callable[[int, str], ValueError]:
    return lambda row, fault: ValueError(f'{name}:{row}: field "{field}": {fault}')


@contextmanager
def _suites(against: Any, column: str, fields: list[str], required: list[str]) -> Iterator[tuple[list[tuple[str, Any]], list[int]]]:
    """What is looked for, by name: items, or where their fields are asked for a file and the names of these; and how many items of each were skipped."""
    named = against if isinstance(against, dict) else {"suite": against}
    if not fields:
        yield [(str(name), items_of(suite, column, str(name))) for name, suite in named.items()], [0] * len(named)
        return
    with tempfile.TemporaryDirectory(prefix="nearkin-") as folder:
        read, skipped = [], []
        for number, (name, suite) in enumerate(named.items()):
            path = os.path.join(folder, f"{number}.jsonl")
            skipped.append(_write_suite(path, suite, str(name), fields, required or fields))
            read.append((str(name), (path, ",".join(fields))))
        yield read, skipped


def _with_skipped(stats: dict[str, Any], skipped: list[int]) -> dict[str, Any]:
    """The engine has items that were skipped for items without words."""
    told = [{**suite, "items": suite["items"] - count, "too_short": suite["too_short"] - count, "skipped": count} for suite, count in zip(stats["suites"], skipped)]
    return {**stats, "suites": told}


def _names(given: Optional[str], what: str) -> list[str]:
    names = [] if given is None else [name.strip() for name in given.split(",")]
    if any(not name or name == "id" for name in names):
        raise ValueError(f'{what}: "{given}" is no list of fields; name them as in "question,answer"')
    return names


def _done(act: Optional[str], items: _core.Items, found: Contamination) -> Optional[list[Any]]:
    if act is None:
        return None
    if act == "mark":
        return found.marks()
    if act == "cut":
        return _core.cut_spans(items, found.row, found.begin, found.end, "text")
    nowhere = np.zeros(0, dtype=np.int64)
    texts = _core.cut_spans(items, nowhere, nowhere, nowhere, "text")
    return [text for text, clean in zip(texts, found.mask) if clean]


def _refuse(do: Optional[str], inject: Optional[int], need: list[str], fields: list[str]) -> None:
    if do is not None and do not in _ACTS:
        raise ValueError(f'do: "{do}" is not mark, cut or remove')
    if do is not None and inject is not None:
        raise ValueError("do: inject only measures; leave one of them out")
    if inject == 0:
        raise ValueError("inject: 0 items of each suite is too few; give 1 or more")
    if need and not fields:
        raise ValueError('need: are fields of the items; name all of these with against_text, as in against_text="question,answer"')


@overload
def decontaminate(items: Any, against: Any, *, shingle: str = ..., share: float = ..., least_item: int = ..., normalise: str = ..., column: str = ...,
                  against_text: Optional[str] = ..., need: Optional[str] = ..., do: Optional[str] = ..., inject: None = ..., changed: float = ...,
                  seed: int = ..., threads: int = ..., progress: Optional[Progress] = ...) -> Contamination: ...
@overload
def decontaminate(items: Any, against: Any, *, shingle: str = ..., share: float = ..., least_item: int = ..., normalise: str = ..., column: str = ...,
                  against_text: Optional[str] = ..., need: Optional[str] = ..., do: None = ..., inject: int, changed: float = ..., seed: int = ...,
                  threads: int = ..., progress: Optional[Progress] = ...) -> Injected: ...
@checked
def decontaminate(items: Any, against: Any, *, shingle: str = "word:4", share: float = 0.45, least_item: int = 5, normalise: str = "text",
                  column: str = "text", against_text: Optional[str] = None, need: Optional[str] = None, do: Optional[str] = None,
                  inject: Optional[int] = None, changed: float = 0.1, seed: int = 1, threads: int = 0,
                  progress: Optional[Progress] = None) -> Union[Contamination, Injected]:
    """Finds every place in the texts that contains an item of a benchmark, in whole or in part.

    against: the items of one suite, or a dict of suites by name. An item is found where a text has `share` or more of its n-grams, and at
    least five of them (or all, if it has fewer), within twice its length. shingle says what an n-gram is: word:N, code:N, char:N or line:N.
    least_item: do not search for items of fewer tokens.
    against_text: the text fields of the items, such as "question,answer", if a suite is a list of dicts or a table. They form one text.
    An item of which one is missing, or no text, is skipped, as stats["suites"] tells.
    need: the fields that must all be found; each field is then searched for separately, and `field` of the result names it. Only these must
    be there: an item may lack the others.
    do: what to put into `done` of the result. "mark": the names of the suites found in each text. "cut": the texts without these places.
    "remove": the texts in which nothing was found.
    inject: search for nothing, but plant this many items of each suite in five forms, and count how many are found. changed: the share of
    words that one of the forms replaces. The same seed gives the same answer.
    """
    required, fields = _names(need, "need"), _names(against_text, "against_text")
    _refuse(do, inject, required, fields)
    given = items_of(items, column)
    with _suites(against, column, fields, required) as (suites, skipped), told(progress) as tell:
        how = (given, suites, shingle, share, least_item, normalise, required)
        if inject is not None:
            forms, stats = _core.inject(*how, inject, changed, seed, threads, tell)
            return Injected([form for form, _, _ in forms], [planted for _, planted, _ in forms], [count for _, _, count in forms], stats)
        (row, suite, item, covered, grams, run, begin, end, item_begin, item_end, field), stats = _core.decontaminate(*how, threads, tell)
    names = [suites[number][0] for number in suite]
    of = [fields[number] for number in field] if required else None
    found = Contamination(row, names, item, covered / np.maximum(grams, 1), run, begin, end, item_begin, item_end, _with_skipped(stats, skipped), of)
    return found if do is None else found.with_done(_done(do, given, found))
