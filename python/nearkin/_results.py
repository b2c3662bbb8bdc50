"""What runs over items in memory give: arrays, which are tables for whoever wants one, and a page for notebooks."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from html import escape
from typing import Any, Iterable, Iterator, Optional

import numpy as np
from numpy.typing import NDArray

from ._datasets import is_dataset

Recall = dict[str, float]
Seen = tuple[tuple[str, str], ...]  #: for each row that a page shows, the beginnings of the two items
_SHOWN_ROWS = 5
_SHOWN_TEXT = 80


def seen(items: Any, others: Any, column: str, rows: Iterable[int], other_rows: Iterable[int]) -> Seen:
    """The beginnings of the items that a page shows, as they are now; `others`: where the second of two is, None where it is one of the items."""
    return tuple((_look(items, column, int(row)), _look(items if others is None else others, column, int(other)))
                 for row, other, _ in zip(rows, other_rows, range(_SHOWN_ROWS)))


def _look(items: Any, column: str, row: int) -> str:
    """Into what was given, as far as that can be looked into by row; items that cannot are shown as nothing."""
    try:
        if is_dataset(items):
            return _beginning(items[row][column])
        given = items[column] if hasattr(items, "columns") or hasattr(items, "column_names") or isinstance(items, dict) else items
        value: Any = given.iloc[row] if hasattr(given, "iloc") else given[row]
        value = value.get(column) if isinstance(value, dict) else value
        return _beginning(value.as_py() if hasattr(value, "as_py") else value)
    except Exception:  # of whatever the items are
        return ""


def _beginning(value: Any) -> str:
    if isinstance(value, np.ndarray):
        value = value[:8].tolist()
    if isinstance(value, (str, bytes)):
        value = value[: 25 * _SHOWN_TEXT]  # a book need not be looked through
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else "" if value is None else str(value)
    text = " ".join(text.split())
    return text if len(text) <= _SHOWN_TEXT else text[: _SHOWN_TEXT - 1] + "…"


def _per_cent(share: float) -> str:
    return f"{100 * share:.1f} %"


def recall_text(recall: Optional[Recall]) -> str:
    if recall is None:
        return ""
    if recall["low"] == recall["high"]:
        return f"recall {_per_cent(recall['estimate'])}"
    return f"recall about {_per_cent(recall['estimate'])} ({_per_cent(recall['low'])} to {_per_cent(recall['high'])})"


def _are_same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        floats = getattr(a, "dtype", None) == np.float64 and getattr(b, "dtype", None) == np.float64
        return bool(np.array_equal(a, b, equal_nan=floats))
    return bool(a == b)


class Table:
    """A result with a row for each thing that was found."""

    def columns(self) -> dict[str, Any]:
        """Its columns by name."""
        raise NotImplementedError

    def _summary(self) -> list[str]:
        """What was found, in a few words each."""
        raise NotImplementedError

    def to_arrow(self) -> Any:
        """As a pyarrow.Table."""
        import pyarrow

        return pyarrow.table(self.columns())

    def to_pandas(self) -> Any:
        """As a pandas.DataFrame."""
        import pandas

        return pandas.DataFrame(self.columns())

    def to_polars(self) -> Any:
        """As a polars.DataFrame."""
        import polars

        return polars.DataFrame(self.columns())

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self._summary())})"

    def __eq__(self, other: object) -> bool:
        """Whether both found the same; figures about the run, such as its seconds, do not count."""
        if type(self) is not type(other):
            return NotImplemented
        return all(_are_same(getattr(self, one.name), getattr(other, one.name)) for one in fields(self) if one.name != "stats")  # type: ignore[arg-type]

    __hash__ = None  # type: ignore[assignment]

    def _shown(self) -> list[tuple[Any, ...]]:
        """The first rows, as the page shows them: with the beginnings of the items."""
        return []

    def _headings(self) -> tuple[str, ...]:
        return ()

    def _repr_html_(self) -> str:
        """A line of figures and the first rows, for notebooks."""
        head = "".join(f"<th>{escape(name)}</th>" for name in self._headings())
        rows = "".join("<tr>" + "".join(f"<td style='text-align:left'>{escape(_cell(value))}</td>" for value in row) + "</tr>" for row in self._shown())
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>" if rows else ""
        return f"<div><p><b>{type(self).__name__}</b>: {escape(', '.join(self._summary()))}</p>{table}</div>"


_TURNS = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A)], "\ufffd")  # characters that turn the writing direction


def _cell(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, (float, np.floating)) else str(value).translate(_TURNS)


@dataclass(frozen=True, repr=False, eq=False)
class Pairs(Table):
    """Every pair at or above the threshold, ascending. Unpacks as (a, b, similarity).

    >>> import nearkin
    >>> found = nearkin.pairs(["one two three four five six", "one two three four five six", "seven"])
    >>> found
    Pairs(1 pair of 3 items)
    >>> [(int(a), int(b), float(s)) for a, b, s in zip(*found)]
    [(0, 1, 1.0)]
    """

    a: NDArray[np.int64]  #: row numbers
    b: NDArray[np.int64]  #: row numbers, of `against` where it was given
    similarity: NDArray[np.float64]  #: or distance
    stats: dict[str, Any]  #: what the run read, did and took; the names of --stats
    _seen: Seen = field(default=(), compare=False)
    parts: Optional[NDArray[np.float64]] = field(default=None, compare=False)  #: by a score: of each pair one value for each part

    def __iter__(self) -> Iterator[NDArray[Any]]:
        return iter((self.a, self.b, self.similarity))

    def __len__(self) -> int:
        return len(self.a)

    @property
    def recall(self) -> Optional[Recall]:
        """The share of all such pairs that was found, with its 95 % interval; None if it is not known."""
        recall: Optional[Recall] = self.stats["recall"]
        return recall

    def columns(self) -> dict[str, Any]:
        return {"a": self.a, "b": self.b, "similarity": self.similarity}

    def _summary(self) -> list[str]:
        told = f"{len(self):,} pair{'' if len(self) == 1 else 's'} of {self.stats['items']:,} items"
        return [told, *filter(None, [recall_text(self.recall)])]

    def _headings(self) -> tuple[str, ...]:
        return ("a", "b", "similarity", "item a", "item b")

    def _shown(self) -> list[tuple[Any, ...]]:
        return [(a, b, s, *texts) for a, b, s, texts in zip(self.a, self.b, self.similarity, self._seen)]


@dataclass(frozen=True, repr=False, eq=False)
class Dedup(Table):
    """Which rows stay, and for each row the one that stays in its place.

    >>> import nearkin
    >>> result = nearkin.dedup(["one two three four five six", "one two three four five six", "seven"])
    >>> result
    Dedup(2 of 3 items stay, 1 removed)
    >>> result.mask.tolist()
    [True, False, True]
    """

    kept: NDArray[np.int64]  #: rows, ascending
    removed: NDArray[np.int64]  #: rows, ascending
    keeper: NDArray[np.int64]  #: for each row; itself where it stays. With `against`: a row of it, -1 where the row stays
    similarity: NDArray[np.float64]  #: of each row with its keeper, or their distance, by the plan's measure
    cluster: NDArray[np.int64]  #: for each row the number of its group, counted from 0; empty with `against`
    stats: dict[str, Any]
    _seen: Seen = field(default=(), compare=False)

    def __len__(self) -> int:
        return len(self.keeper)

    @property
    def mask(self) -> NDArray[np.bool_]:
        """For each row, whether it stays: df[result.mask]."""
        mask = np.zeros(len(self.keeper), dtype=np.bool_)
        mask[self.kept] = True
        return mask

    @property
    def recall(self) -> Optional[Recall]:
        """Of the pairs at or above the threshold, the share that was found; None if it is not known."""
        recall: Optional[Recall] = self.stats["recall"]
        return recall

    @property
    def item_recall(self) -> Optional[Recall]:
        """Of the items that exact mode would remove (copies not counted), the share that was removed; None if it is not known."""
        recall: Optional[Recall] = self.stats["item_recall"]
        return recall

    def columns(self) -> dict[str, Any]:
        told = {"row": np.arange(len(self.keeper)), "kept": self.mask, "keeper": self.keeper, "similarity": self.similarity}
        return told if len(self.cluster) != len(self.keeper) else {**told, "cluster": self.cluster}

    def _summary(self) -> list[str]:
        told = [f"{len(self.kept):,} of {len(self):,} items stay", f"{len(self.removed):,} removed"]
        return [*told, *filter(None, [recall_text(self.item_recall).replace("recall", "item recall", 1)])]

    def _headings(self) -> tuple[str, ...]:
        return ("removed", "keeper", "similarity", "removed item", "its keeper")

    def _shown(self) -> list[tuple[Any, ...]]:
        return [(row, self.keeper[row], self.similarity[row], *texts) for row, texts in zip(self.removed, self._seen)]


@dataclass(frozen=True, repr=False, eq=False)
class Neighbours(Table):
    """The neighbours of queries, by query, the best first."""

    query: NDArray[np.int64]  #: row of the query
    row: NDArray[np.int64]  #: row of the neighbour
    similarity: NDArray[np.float64]  #: or distance
    stats: dict[str, Any]  #: of the collection, and the number of queries
    _seen: Seen = field(default=(), compare=False)

    def __len__(self) -> int:
        return len(self.row)

    def columns(self) -> dict[str, Any]:
        return {"query": self.query, "row": self.row, "similarity": self.similarity}

    def _summary(self) -> list[str]:
        return [f"{len(self):,} neighbour{'' if len(self) == 1 else 's'} of {self.stats['queries']:,} queries among {self.stats['items']:,} items"]

    def _headings(self) -> tuple[str, ...]:
        return ("query", "row", "similarity", "query item", "neighbour")

    def _shown(self) -> list[tuple[Any, ...]]:
        return [(q, r, s, *texts) for q, r, s, texts in zip(self.query, self.row, self.similarity, self._seen)]


@dataclass(frozen=True, repr=False, eq=False)
class Passages(Table):
    """Runs of equal tokens that occur in two places, ascending by row and place. Places are bytes of the texts in UTF-8."""

    row: NDArray[np.int64]  #: where each occurs again
    begin: NDArray[np.int64]
    end: NDArray[np.int64]
    in_row: NDArray[np.int64]  #: where it occurs first, of `against` where it was given
    in_begin: NDArray[np.int64]
    in_end: NDArray[np.int64]
    tokens: NDArray[np.int64]  #: equal ones
    similarity: NDArray[np.float64]  #: share of equal tokens: 1 but for joined passages
    stats: dict[str, Any]  #: items, tokens, passages, records with one, tokens ignored, tokens repeated

    def __len__(self) -> int:
        return len(self.row)

    def columns(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._headings()}

    def _summary(self) -> list[str]:
        return [f"{len(self):,} passage{'' if len(self) == 1 else 's'} of {self.stats['items']:,} items"]

    def _headings(self) -> tuple[str, ...]:
        return ("row", "begin", "end", "in_row", "in_begin", "in_end", "tokens", "similarity")

    def _shown(self) -> list[tuple[Any, ...]]:
        return list(zip(*(column[:_SHOWN_ROWS] for column in self.columns().values())))


@dataclass(frozen=True, repr=False, eq=False)
class Contamination(Table):
    """Places of texts where a benchmark item was found, ascending by row, suite, item and place. Places are bytes of the texts in UTF-8."""

    row: NDArray[np.int64]
    suite: list[str]  #: its name
    item: NDArray[np.int64]  #: its row in the suite
    share: NDArray[np.float64]  #: of the item's n-grams, at this place
    run: NDArray[np.int64]  #: tokens of the longest run that both have
    begin: NDArray[np.int64]
    end: NDArray[np.int64]
    item_begin: NDArray[np.int64]
    item_end: NDArray[np.int64]
    stats: dict[str, Any]  #: items, hits, records with one, and of each suite what was found of it
    field: Optional[list[str]] = None  #: which field of the item, where fields are needed
    done: Optional[list[Any]] = None  #: what `do` made of the texts

    def __len__(self) -> int:
        return len(self.row)

    @property
    def mask(self) -> NDArray[np.bool_]:
        """For each text, True if nothing was found in it: df[found.mask]."""
        mask = np.ones(self.stats["items"], dtype=np.bool_)
        mask[self.row] = False
        return mask

    def marks(self) -> list[str]:
        """For each text, the names of the suites found in it, separated by commas."""
        names: list[list[str]] = [[] for _ in range(self.stats["items"])]
        for row, suite in zip(self.row, self.suite):
            if suite not in names[row]:
                names[row].append(suite)
        return [",".join(of_text) for of_text in names]

    def with_done(self, done: Optional[list[Any]]) -> Contamination:
        return replace(self, done=done)

    def columns(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._headings()}

    def _summary(self) -> list[str]:
        return [f"{len(self):,} hit{'' if len(self) == 1 else 's'} in {len(np.unique(self.row)):,} of {self.stats['items']:,} items"]

    def _headings(self) -> tuple[str, ...]:
        return ("row", "suite", "item", "share", "run", "begin", "end", "item_begin", "item_end", *(("field",) if self.field is not None else ()))

    def _shown(self) -> list[tuple[Any, ...]]:
        return list(zip(*(column[:_SHOWN_ROWS] for column in self.columns().values())))


@dataclass(frozen=True, repr=False, eq=False)
class Injected(Table):
    """For each form, how many of the planted items were found."""

    form: list[str]  #: verbatim, inside, changed, lines, case
    planted: list[int]
    found: list[int]
    stats: dict[str, Any]  #: clean: records of a sample as they came; flagged: those of them in which an item was found; and the suites

    def __len__(self) -> int:
        return len(self.form)

    @property
    def share(self) -> list[float]:
        """The share of the planted items that were found."""
        return [found / max(planted, 1) for planted, found in zip(self.planted, self.found)]

    def columns(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._headings()}

    def _summary(self) -> list[str]:
        return [f"{sum(self.found):,} of {sum(self.planted):,} planted items found", f"{self.stats['flagged']:,} of {self.stats['clean']:,} clean records flagged"]

    def _headings(self) -> tuple[str, ...]:
        return ("form", "planted", "found", "share")

    def _shown(self) -> list[tuple[Any, ...]]:
        return list(zip(*self.columns().values()))
