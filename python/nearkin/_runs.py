"""Whole runs over items in memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Iterator, Optional, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._arguments import checked, plan_of
from ._core import Plan
from ._items import arrow_of

Progress = Callable[[str, int, int], Any]
Recall = dict[str, float]


@dataclass(frozen=True)
class Pairs:
    """Every pair at or above the threshold, ascending. Unpacks as (a, b, similarity)."""

    a: NDArray[np.int64]  #: row numbers
    b: NDArray[np.int64]  #: row numbers, of `against` where it was given
    similarity: NDArray[np.float64]  #: or distance
    stats: dict[str, Any]  #: what the run read, did and took; the names of --stats

    def __iter__(self) -> Iterator[NDArray[Any]]:
        return iter((self.a, self.b, self.similarity))

    def __len__(self) -> int:
        return len(self.a)

    @property
    def recall(self) -> Optional[Recall]:
        """The share of all such pairs that was found, with its 95 % interval; None where it cannot be known."""
        recall: Optional[Recall] = self.stats["recall"]
        return recall


@dataclass(frozen=True)
class Dedup:
    """Which rows stay, and for each row the one that stays in its place."""

    kept: NDArray[np.int64]  #: rows, ascending
    removed: NDArray[np.int64]  #: rows, ascending
    keeper: NDArray[np.int64]  #: for each row; itself where it stays. With `against`: a row of it, -1 where the row stays
    similarity: NDArray[np.float64]  #: of each row with its keeper
    cluster: NDArray[np.int64]  #: for each row the number of its group, counted from 0; empty with `against`
    stats: dict[str, Any]

    @property
    def recall(self) -> Optional[Recall]:
        """Of the pairs at or above the threshold, the share that was found; None where it cannot be known."""
        recall: Optional[Recall] = self.stats["recall"]
        return recall

    @property
    def item_recall(self) -> Optional[Recall]:
        """Of the items that exact mode would remove, copies left out, the share that was removed; None where it cannot be known."""
        recall: Optional[Recall] = self.stats["item_recall"]
        return recall


@dataclass(frozen=True)
class Passages:
    """Runs of equal tokens that occur in two places, ascending by row and place. Places are bytes of the texts in UTF-8."""

    row: NDArray[np.int64]  #: where each occurs again
    begin: NDArray[np.int64]
    end: NDArray[np.int64]
    in_row: NDArray[np.int64]  #: where it occurs first, of `against` where it was given
    in_begin: NDArray[np.int64]
    in_end: NDArray[np.int64]
    tokens: NDArray[np.int64]  #: equal ones
    similarity: NDArray[np.float64]  #: share of equal tokens: 1 but for joined passages
    stats: dict[str, Any]  #: items, tokens, passages, records with one, tokens repeated

    def __len__(self) -> int:
        return len(self.row)


@dataclass(frozen=True)
class Contamination:
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

    def __len__(self) -> int:
        return len(self.row)


@checked
def tune(*, measure: str = "jaccard", threshold: float = 0.8, recall: float = 0.95, radius: Optional[float] = None, sample: Any = None,
         column: str = "text", nearest: int = 0, recall_at: str = "threshold", shingle: Optional[str] = None, normalise: Optional[str] = None,
         bag: bool = False, features: Optional[str] = None, binarise: Optional[str] = None, hashes: Optional[int] = None, bands: Optional[int] = None,
         rows: Optional[int] = None, verify: Optional[str] = None, seed: Optional[int] = None, large_bucket: Optional[int] = None,
         dimensions: Optional[int] = None, width: Optional[float] = None, probes: Optional[int] = None, ignore: Any = None,
         ignore_common: Optional[float] = None) -> Plan:
    """The plan of least cost that finds a pair exactly at the threshold with at least the recall asked for.

    `sample`: items like those of the run, best these themselves, to tune for. `ignore`: texts whose shingles do not count, such as templates.
    `ignore_common`: nor do shingles of more than so many items of the sample, or, below 1, of that share of them. All else is as the command line's
    flags of these names.
    """
    given = None if sample is None else items_of(sample, column, "sample")
    templates = None if ignore is None else items_of([ignore] if isinstance(ignore, str) else ignore, column, "ignore")
    return _core.tune(measure=measure, threshold=threshold, recall=recall, radius=radius, sample=given, nearest=nearest, recall_at=recall_at,
                      shingle=shingle, normalise=normalise, bag=bag, features=features, binarise=binarise, hashes=hashes, bands=bands, rows=rows,
                      verify=verify, seed=seed, large_bucket=large_bucket, dimensions=dimensions, width=width, probes=probes,
                      ignore=templates, ignore_common=ignore_common)


def as_plan(plan: Union[Plan, str, None], items: Optional[_core.Items], **choices: Any) -> Plan:
    """A plan, its line, or None: tuned for the items, for threshold 0.8 and recall 0.95."""
    return _core.tune(sample=items, **choices) if plan is None else plan_of(plan)


@checked
def pairs(items: Any, plan: Union[Plan, str, None] = None, *, against: Any = None, column: str = "text", threads: int = 0,
          max_pairs: int = 100_000_000, audit: int = 0, within: Any = None, across: Any = None, against_scopes: Any = None,
          best: bool = False, top: Optional[int] = None, one_to_one: bool = False, progress: Optional[Progress] = None) -> Pairs:
    """Every pair at or above the plan's threshold; with `against`, only those between the two collections.

    `column` names the column to take of a table with several. `audit` compares so many random items with all others and says in
    stats["audit"] what share of their pairs was found. `within` and `across` have one value an item: only items that agree in it, or that
    differ, are compared; `against_scopes` has those of `against`. `best` leaves the best partner of each item (with `against`: of each of `items`), `top` so many
    of them, `one_to_one` each item in one pair at most, taken from the most similar pair down; stats["listed"] counts what is left of stats["pairs"].
    `progress` is called with (stage, done, total).
    """
    rule, most = _partners(best, top, one_to_one)
    given = items_of(items, column)
    others = None if against is None else items_of(against, column, "against")
    chosen = as_plan(plan, given, large_bucket=_core.large_bucket_of_pairs)
    a, b, similarity, stats = _core.pairs(given, chosen, others, threads, max_pairs, audit, _scope(within, across, against_scopes), rule, most,
                                          progress)
    return Pairs(a, b, similarity, stats)


@checked
def cluster(items: Any, plan: Union[Plan, str, None] = None, *, linkage: str = "connected", column: str = "text", threads: int = 0,
            within: Any = None, across: Any = None, progress: Optional[Progress] = None) -> NDArray[np.int64]:
    """One cluster number an item, counted from 0 in order of first members; `within` and `across` as in pairs. `dedup` says more of each group."""
    given = items_of(items, column)
    labels, _, _, _ = _core.groups(given, as_plan(plan, given), linkage, "first", None, None, threads, 0, _scope(within, across, None), progress)
    return labels


@checked
def dedup(items: Any, plan: Union[Plan, str, None] = None, *, linkage: str = "star", keep: Optional[str] = None, numbers: Any = None, against: Any = None,
          column: str = "text", threads: int = 0, audit: int = 0, within: Any = None, across: Any = None, against_scopes: Any = None,
          progress: Optional[Progress] = None) -> Dedup:
    """One item of each group of similar ones stays.

    `keep`: first, last, longest, shortest, or max / min of `numbers`, one an item; None: first, under containment longest. With `against`, what is similar to an item there is removed,
    and nothing else. `within`, `across` and `against_scopes` as in pairs.
    """
    given = items_of(items, column)
    others = None if against is None else items_of(against, column, "against")
    chosen = as_plan(plan, given)
    rule = _rule(keep, chosen, numbers)
    labels, keeper, similarity, stats = _core.groups(given, chosen, linkage, rule, numbers, others, threads, audit, _scope(within, across, against_scopes),
                                                     progress)
    own = np.full(len(keeper), -1) if against is not None else np.arange(len(keeper))
    stays = keeper == own
    return Dedup(np.flatnonzero(stays), np.flatnonzero(~stays), keeper, similarity, labels, stats)


@checked
def passages(items: Any, *, least: int = 50, gap: Optional[int] = None, against: Any = None, shingle: str = "word", normalise: str = "text",
             column: str = "text", threads: int = 0, progress: Optional[Progress] = None) -> Passages:
    """Every run of `least` or more equal tokens that occurs in two places of the texts; with `against`, only what occurs there.

    `gap` joins passages of two texts that are at most so many tokens apart in both. `shingle`: word, code, char or line.
    `normalise`: text, none, code, code:no-comments or code:identifiers, the last two also with a language, such as code:identifiers:java.
    """
    if shingle not in ("word", "code", "char", "line"):
        raise ValueError(f'shingle: "{shingle}" is not word, code, char or line')
    given = items_of(items, column)
    others = None if against is None else items_of(against, column, "against")
    (row, begin, end, in_row, in_begin, in_end, tokens, of), stats = _core.passages(given, others, least, gap, shingle, normalise, threads, progress)
    return Passages(row, begin, end, in_row, in_begin, in_end, tokens, tokens / np.maximum(of, 1), stats)


@checked
def decontaminate(items: Any, against: Any, *, shingle: str = "word:4", share: float = 0.45, least_item: int = 5, normalise: str = "text",
                  column: str = "text", threads: int = 0, progress: Optional[Progress] = None) -> Contamination:
    """Every place of the texts where an item of a benchmark is found, in whole or in part.

    `against`: the items of one suite, or a dict of suites by name. An item is found where a text holds `share` or more of its n-grams
    (`shingle`: word:N, code:N, char:N or line:N) and at least five of them, or all, within twice its length. Items of fewer than `least_item` tokens are not looked for.
    """
    given = items_of(items, column)
    suites = against if isinstance(against, dict) else {"suite": against}
    read = [(str(name), items_of(suite, column, str(name))) for name, suite in suites.items()]
    (row, suite, item, covered, grams, run, begin, end, item_begin, item_end), stats = _core.decontaminate(
        given, read, shingle, share, least_item, normalise, threads, progress)
    names = [read[number][0] for number in suite]
    return Contamination(row, names, item, covered / np.maximum(grams, 1), run, begin, end, item_begin, item_end, stats)


@checked
def compare(a: Any, b: Any, plan: Union[Plan, str, None] = None, *, passages: int = 5) -> dict[str, Any]:
    """One pair in full: the exact similarity, the estimate by the plan's sketch, and the longest stretches that two texts share."""
    return _core.compare(a, b, as_plan(plan, None), passages)


def items_of(items: Any, column: str, what: str = "items") -> _core.Items:
    """Looked through once: an iterator has no second time, and a run may be tuned for its items first."""
    return items if isinstance(items, _core.Items) else _core.Items(arrow_of(items, column), what, column)


def _scope(within: Any, across: Any, against: Any) -> Optional[tuple[str, list[Any], Optional[list[Any]]]]:
    if within is not None and across is not None:
        raise ValueError("across: within is given as well; leave one of them out")
    if within is None and across is None:
        if against is not None:
            raise ValueError("against_scopes: give within or across for the items too")
        return None
    values = list(within if within is not None else across)
    return ("within" if within is not None else "across", values, None if against is None else list(against))


def _partners(best: bool, top: Optional[int], one_to_one: bool) -> tuple[str, int]:
    given = [name for name, asked in (("best", best), ("top", top is not None), ("one_to_one", one_to_one)) if asked]
    if len(given) > 1:
        raise ValueError(f"{given[1]}: {given[0]} is given as well; leave one of them out")
    if one_to_one:
        return "one_to_one", 1
    return ("best" if given else "all"), (1 if top is None else _core.whole_number(top, "top", 1, 2**32 - 1))


def _rule(keep: Optional[str], plan: Plan, numbers: Any) -> str:
    if keep is None:
        keep = "longest" if plan.measure == "containment" else "first"
    if keep not in ("first", "last", "longest", "shortest", "max", "min"):
        raise ValueError(f'keep: "{keep}" is not first, last, longest, shortest, max or min')
    by_number = keep in ("max", "min")
    if by_number and numbers is None:
        raise ValueError(f"keep: {keep} needs numbers, one an item")
    if numbers is not None and not by_number:
        raise ValueError(f'numbers: they count only with keep="max" or "min", and keep is "{keep}"')
    return f"{keep}:numbers" if by_number else keep
