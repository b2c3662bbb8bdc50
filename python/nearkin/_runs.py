"""Whole runs over items in memory."""

from __future__ import annotations

import math
from operator import index
from typing import Any, Iterable, Literal, Optional, Protocol, TypeVar, Union, overload

import numpy as np
from numpy.typing import NDArray

from . import _core, _scores
from ._arguments import checked, plan_of, shown
from ._core import Plan
from ._datasets import deduplicated, is_dataset
from ._items import arrow_of
from ._progress import Progress, told
from ._results import Dedup, Neighbours, Pairs, Passages, seen
from ._values import as_field, require_per_item, texts_of

Measure = Literal["jaccard", "weighted-jaccard", "containment", "cosine", "hamming", "euclidean", "manhattan", "exact"]
Linkage = Literal["connected", "star"]
Keep = Literal["first", "last", "longest", "shortest", "max", "min"]
Token = Literal["word", "code", "char", "line"]
#: Two rows, and whether they are the same.
Decision = tuple[int, int, Union[bool, Literal["accept", "reject"]]]
_SPECIAL_NUMBERS = {None: math.nan, "false": 0.0, "true": 1.0}
_DISTANT_BITS = 0.1  # share of its places in which two bit strings may differ, where nothing is asked for


class Dataset(Protocol):
    """A Hugging Face Dataset or DatasetDict."""

    column_names: Any
    cache_files: Any


DatasetKind = TypeVar("DatasetKind", bound=Dataset)


@checked
def tune(*, measure: Optional[Measure] = None, threshold: float = 0.8, recall: float = 0.95, radius: Optional[float] = None, sample: Any = None,
         column: str = "text", nearest: int = 0, recall_at: str = "threshold", shingle: Optional[str] = None, normalise: Optional[str] = None,
         bag: bool = False, features: Optional[str] = None, binarise: Optional[str] = None, hashes: Optional[int] = None, bands: Optional[int] = None,
         rows: Optional[int] = None, verify: Optional[str] = None, seed: Optional[int] = None, large_bucket: Optional[int] = None,
         dimensions: Optional[int] = None, width: Optional[float] = None, probes: Optional[int] = None, ignore: Any = None,
         ignore_common: Optional[float] = None) -> Plan:
    """Chooses the cheapest plan that finds a pair exactly at the threshold with at least the given recall.

    measure: how two items are compared; None: cosine for vectors and tfidf, hamming for bits, else jaccard.
    threshold: the lowest similarity to find, 0 to 1. radius: the greatest distance to find, for hamming, euclidean and manhattan.
    recall: the share of the pairs at the threshold to find; 1 compares exactly.
    recall_at: "threshold", or "average": the recall is then an average over all pairs above the threshold.
    sample: items to tune for, best those of the run itself. column: the column to use if the sample is a table.
    nearest: tune for queries for this many nearest items, instead of a threshold.
    shingle: char:K, word:K, code:K, line:K or element:K. bag: count repeated shingles.
    normalise: text, none, code, code:no-comments or code:identifiers.
    features: "tfidf" turns texts into vectors. binarise: turns vectors into bits (median, mean, sign or unary:N).
    hashes, bands, rows: the shape of the sketch. width, probes, dimensions: how vectors are hashed. By default chosen for the goal.
    large_bucket: compare all pairs in buckets of up to this many items.
    verify: exact, estimate or none. seed: seed of the hash functions.
    ignore: texts whose shingles are ignored, such as templates.
    ignore_common: also ignore shingles that more than this many items of the sample have; below 1, a share of the items.

    >>> import nearkin
    >>> plan = nearkin.tune(threshold=0.7, shingle="word:3")
    >>> (plan.measure, plan.threshold, plan.shingle)
    ('jaccard', 0.7, 'word:3')
    """
    given = None if sample is None else items_of(sample, column, "sample")
    templates = None if ignore is None else items_of([ignore] if isinstance(ignore, str) else ignore, column, "ignore")
    return _core.tune(measure=measure or _usual_measure(given, features, binarise), threshold=threshold, recall=recall, radius=radius, sample=given, nearest=nearest, recall_at=recall_at,
                      shingle=shingle, normalise=normalise, bag=bag, features=features, binarise=binarise, hashes=hashes, bands=bands, rows=rows,
                      verify=verify, seed=seed, large_bucket=large_bucket, dimensions=dimensions, width=width, probes=probes,
                      ignore=templates, ignore_common=ignore_common)


def _usual_measure(sample: Optional[_core.Items], features: Optional[str], binarise: Optional[str]) -> Measure:
    """As the command line has it."""
    kind = "texts" if sample is None else sample.kind
    if binarise is not None or kind == "bits":
        return "hamming"
    return "cosine" if features is not None or kind == "vectors" else "jaccard"


def refuse_loss(linkage: str, plan: Plan) -> None:
    """Under containment, a chain of pairs may lead to a keeper that contains nothing of an item."""
    if linkage == "connected" and plan.measure == "containment":
        raise ValueError("linkage: connected would remove items that no kept item contains; use star, or cluster to see the connected groups")


def as_plan(plan: Union[Plan, str, None], items: Optional[_core.Items], **choices: Any) -> Plan:
    """The plan given, as a plan or its line. None: one tuned for the items, with recall 0.95 and threshold 0.8 (bits: a tenth of their places)."""
    if plan is not None:
        return plan_of(plan)
    kind = "texts" if items is None else items.kind
    if kind == "vectors":
        choices["measure"] = "cosine"
    elif kind == "bits":
        choices |= {"measure": "hamming", "radius": _DISTANT_BITS}
    return _core.tune(sample=items, **choices)


@checked
def pairs(items: Any, plan: Union[Plan, str, None] = None, *, against: Any = None, column: str = "text", threads: int = 0,
          max_pairs: int = 100_000_000, audit: int = 0, within: Any = None, across: Any = None, against_scopes: Any = None,
          best: bool = False, top: Optional[int] = None, one_to_one: Union[bool, Literal["optimal"]] = False,
          decisions: Iterable[Decision] = (), score: Optional[str] = None, threshold: Optional[float] = None, recall: Optional[float] = None, progress: Optional[Progress] = None) -> Pairs:
    """Finds every pair at or above the plan's threshold; with `against`, only pairs between the two collections.

    items: texts, sets or vectors, as a list, an array, a table and so on. column: the column to use if a table has several.
    plan: a plan of `tune`, or its line; None: tuned for the items.
    threads: 0 means one per core. max_pairs: more pairs than this are an error.
    audit: compare this many random items with all others; stats["audit"] says what share of their pairs was found.
    within, across: one value per item; compare only items with the same value, or only items with different values.
    against_scopes: these values for the items of `against`.
    best: list only the best partner of each item (with `against`: of each of `items`). top: list only this many of the best.
    one_to_one: list each item in at most one pair; the most similar pair is taken first. With "optimal", and `against`, the pairs are those
    with the greatest sum of similarities instead. stats["listed"] counts the pairs listed.
    decisions: what a person decided. (row, row, True): the pair is listed, however similar the two are, and best, top and one_to_one take it
    first. (row, row, False): it is not. With `against`, the second row is one of `against`.
    score: compare a table column by column: "name:jaccard(char:3)*2 + year:equal" is a weighted mean of its parts. threshold (0.8) and
    recall (0.95) then take the place of a plan, and `parts` of the result has the value of every part.
    progress: True for a tqdm bar, or a function of (stage, done, total).

    >>> import nearkin
    >>> found = nearkin.pairs(["one two three four five six", "one two three four five six", "seven"])
    >>> [(int(a), int(b), float(similarity)) for a, b, similarity in zip(*found)]
    [(0, 1, 1.0)]
    >>> people = {"name": ["anna berg", "anna bergs", "john smith"], "born": [1999, 1999, 1980]}
    >>> found = nearkin.pairs(people, score="name:jaccard(char:3)*2 + born:equal", threshold=0.7)
    >>> [(int(a), int(b), round(float(similarity), 3)) for a, b, similarity in zip(*found)]
    [(0, 1, 0.917)]
    """
    rule, most = _partners(best, top, one_to_one, against)
    scope = _scope(within, across, against_scopes, against)
    asked = _scores.asked_for(score, plan, threshold, recall, audit, threads=threads, max_pairs=max_pairs, scope=scope)
    if asked:
        with told(progress) as tell:
            a, b, similarity, parts, stats = _scores.pairs(asked, items, against, rule, most, _decided(decisions), tell)
        return Pairs(a, b, similarity, stats, seen(items, against, _first_column(asked.score), a, b), parts)
    given = items_of(items, column)
    others = None if against is None else items_of(against, column, "against")
    chosen = as_plan(plan, given, large_bucket=_core.large_bucket_of_pairs)
    with told(progress) as tell:
        a, b, similarity, stats = _core.pairs(given, chosen, others, threads, max_pairs, audit, scope, rule, most, _decided(decisions), tell)
    return Pairs(a, b, similarity, stats, seen(items, against, column, a, b))


@checked
def cluster(items: Any, plan: Union[Plan, str, None] = None, *, linkage: Linkage = "connected", column: str = "text", threads: int = 0,
            within: Any = None, across: Any = None, decisions: Iterable[Decision] = (), max_pairs: int = 100_000_000, score: Optional[str] = None,
            threshold: Optional[float] = None, recall: Optional[float] = None, progress: Optional[Progress] = None) -> NDArray[np.int64]:
    """Gives each item the number of its cluster. Clusters are numbered from 0, in the order of their first items.

    linkage: connected (items joined by a chain of pairs are one cluster) or star (every member is similar to the first).
    decisions: what a person decided, as in dedup.
    max_pairs: with a score, more pairs to compare than this are an error. All else as in pairs. `dedup` tells more about each group.

    >>> import nearkin
    >>> nearkin.cluster(["one two three four five six", "seven", "one two three four five six"]).tolist()
    [0, 1, 0]
    """
    scope = _scope(within, across, None, None)
    asked = _scores.asked_for(score, plan, threshold, recall, threads=threads, max_pairs=max_pairs, scope=scope)
    if asked:
        with told(progress) as tell:
            return _scores.groups(asked, items, None, linkage, "first", None, _decided(decisions), tell)[0]
    given = items_of(items, column)
    with told(progress) as tell:
        labels, _, _, _ = _core.groups(given, as_plan(plan, given), linkage, "first", None, None, threads, 0, scope, _decided(decisions), tell)
    return labels


@overload
def dedup(items: DatasetKind, plan: Union[Plan, str, None] = None, *, linkage: Linkage = "star", keep: Optional[Keep] = None, numbers: Any = None,
          against: Any = None, column: str = "text", threads: int = 0, audit: int = 0, within: Any = None, across: Any = None,
          against_scopes: Any = None, decisions: Iterable[Decision] = (), max_pairs: int = 100_000_000, score: Optional[str] = None,
          threshold: Optional[float] = None, recall: Optional[float] = None, progress: Optional[Progress] = None) -> DatasetKind: ...
@overload
def dedup(items: Any, plan: Union[Plan, str, None] = None, *, linkage: Linkage = "star", keep: Optional[Keep] = None, numbers: Any = None,
          against: Any = None, column: str = "text", threads: int = 0, audit: int = 0, within: Any = None, across: Any = None,
          against_scopes: Any = None, decisions: Iterable[Decision] = (), max_pairs: int = 100_000_000, score: Optional[str] = None,
          threshold: Optional[float] = None, recall: Optional[float] = None, progress: Optional[Progress] = None) -> Dedup: ...
@checked
def dedup(items: Any, plan: Union[Plan, str, None] = None, *, linkage: Linkage = "star", keep: Optional[Keep] = None, numbers: Any = None, against: Any = None,
          column: str = "text", threads: int = 0, audit: int = 0, within: Any = None, across: Any = None, against_scopes: Any = None,
          decisions: Iterable[Decision] = (), max_pairs: int = 100_000_000, score: Optional[str] = None, threshold: Optional[float] = None,
          recall: Optional[float] = None, progress: Optional[Progress] = None) -> Any:
    """Keeps one item of each group of similar items.

    For a Hugging Face Dataset, returns a Dataset without the removed rows; for a DatasetDict, does so for each split by itself.
    linkage: star (every removed item is similar to its keeper) or connected (removes more).
    keep: first, last, longest, shortest, or max or min of `numbers` (one per item). None: first; under containment, longest.
    against: another collection; removes only the items that are similar to an item there.
    decisions: what a person decided. (row, row, True): the two items are the same, however similar they are. (row, row, False): they are not.
    With `against`, the second row is a row of `against`.
    score: as in pairs. max_pairs: with a score, more pairs to compare than this are an error. All else as in pairs.

    >>> import nearkin
    >>> result = nearkin.dedup(["one two three four five six", "seven", "one two three four five six"])
    >>> result.kept.tolist(), result.removed.tolist(), result.keeper.tolist()
    ([0, 1], [2], [0, 1, 0])
    """
    if is_dataset(items):
        if decisions:
            raise ValueError("decisions: refer to rows, and each split of a dataset has its own; give the texts of one split")
        options = dict(linkage=linkage, keep=keep, numbers=numbers, against=against, threads=threads, within=within, across=across,
                       against_scopes=against_scopes, progress=progress)
        if score is not None:
            options |= dict(score=score, threshold=threshold, recall=recall, max_pairs=max_pairs)
            fields = _core.score_fields(score, False)
            return deduplicated(items, lambda part: dedup(_scores.columns_of(part, fields, "items"), plan, **options).kept)
        return deduplicated(items, lambda part: dedup(arrow_of(part, column), plan, **options).kept)
    scope = _scope(within, across, against_scopes, against)
    asked = _scores.asked_for(score, plan, threshold, recall, audit, threads=threads, max_pairs=max_pairs, scope=scope)
    if asked:
        with told(progress) as tell:
            found = _scores.groups(asked, items, against, linkage, _rule(keep, None, numbers), _ranks(_numbers(numbers)), _decided(decisions), tell)
        return _kept(found, items, against, _first_column(asked.score))
    given = items_of(items, column)
    others = None if against is None else items_of(against, column, "against")
    chosen = as_plan(plan, given)
    refuse_loss(linkage, chosen)
    rule = _rule(keep, chosen, numbers)
    with told(progress) as tell:
        found = _core.groups(given, chosen, linkage, rule, _numbers(numbers), others, threads, audit, scope, _decided(decisions), tell)
    return _kept(found, items, against, column)


def _kept(found: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], dict[str, Any]], items: Any, against: Any, column: str) -> Dedup:
    labels, keeper, similarity, stats = found
    own = np.full(len(keeper), -1) if against is not None else np.arange(len(keeper))
    stays = keeper == own
    removed = np.flatnonzero(~stays)
    return Dedup(np.flatnonzero(stays), removed, keeper, similarity, labels, stats, seen(items, against, column, removed, keeper[removed]))


@checked
def query(items: Any, queries: Any, plan: Union[Plan, str, None] = None, *, limit: int = 0, threshold: Optional[float] = None, column: str = "text",
          threads: int = 0, progress: Optional[Progress] = None) -> Neighbours:
    """Finds the neighbours of each query among the items, best first.

    plan: a plan of `tune`, or its line. A plan with `nearest=K` finds the K nearest items, however far away; any other plan finds all items
    within its threshold. None: tuned for the items; with `limit`, for that many nearest items.
    limit: at most this many neighbours per query; 0 means all. threshold: a stricter threshold than that of the plan.
    For a collection that changes, or for many calls, use an Index. All else as in pairs.

    >>> import nearkin
    >>> found = nearkin.query(["one two three four", "five six seven eight"], ["five six seven eight"], limit=1)
    >>> found.row.tolist(), found.similarity.tolist()
    ([1], [1.0])
    """
    given, asked = items_of(items, column), items_of(queries, column, "queries")
    chosen = as_plan(plan, given, **({"nearest": limit} if limit else {}))
    with told(progress) as tell:
        of, row, similarity, stats = _core.query(given, asked, chosen, limit, threshold, threads, tell)
    return Neighbours(of, row, similarity, stats, seen(queries, items, column, of, row))


@checked
def passages(items: Any, *, least: int = 50, gap: Optional[int] = None, against: Any = None, shingle: Token = "word", normalise: str = "text",
             ignore: Any = None, column: str = "text", threads: int = 0, progress: Optional[Progress] = None) -> Passages:
    """Finds every run of `least` or more equal tokens that occurs in two places; with `against`, only runs that occur there.

    gap: join passages of two texts that are at most this many tokens apart, or share at most this many. shingle: what a token is: word, code, char or line.
    normalise: text, none, code, code:no-comments or code:identifiers; the last two also with a language, such as code:identifiers:java.
    ignore: templates, texts of five tokens or more that no passage may contain. column, threads and progress as in pairs.

    >>> import nearkin
    >>> found = nearkin.passages(["it was the best of times", "They said: It was the best of all!"], least=5)
    >>> (int(found.row[0]), int(found.begin[0]), int(found.end[0]))
    (1, 11, 29)
    """
    if shingle not in ("word", "code", "char", "line"):
        raise ValueError(f'shingle: "{shingle}" is not word, code, char or line')
    given = items_of(items, column)
    others = None if against is None else items_of(against, column, "against")
    templates = None if ignore is None else items_of(ignore, column, "ignore")
    with told(progress) as tell:
        found, stats = _core.passages(given, others, least, gap, shingle, normalise, templates, threads, tell)
    row, begin, end, in_row, in_begin, in_end, tokens, of = found
    return Passages(row, begin, end, in_row, in_begin, in_end, tokens, tokens / np.maximum(of, 1), stats)


@checked
def compare(a: Any, b: Any, plan: Union[Plan, str, None] = None, *, passages: int = 5) -> dict[str, Any]:
    """Compares one pair: the exact similarity, the estimate from the plan's sketch, and the longest stretches that both texts contain."""
    return _core.compare(a, b, as_plan(plan, None), passages)


def items_of(items: Any, column: str, what: str = "items") -> _core.Items:
    """Looked through once: an iterator has no second time, and a run may be tuned for its items first."""
    return items if isinstance(items, _core.Items) else _core.Items(arrow_of(items, column, what), what, column)


def _scope(within: Any, across: Any, against_scopes: Any, against: Any) -> Optional[tuple[str, list[Optional[str]], Optional[list[Optional[str]]]]]:
    if within is not None and across is not None:
        raise ValueError("across: within is given as well; leave one of them out")
    if against_scopes is not None and against is None:
        raise ValueError("against_scopes: are the values of the items of against, which is not given; leave them out, or give against")
    if within is None and across is None:
        if against_scopes is not None:
            raise ValueError("against_scopes: give within or across for the items too")
        return None
    rule = "within" if within is not None else "across"
    values = _scope_texts(within if within is not None else across, rule)
    return rule, values, None if against_scopes is None else _scope_texts(against_scopes, "against_scopes")


def _scope_texts(values: Any, name: str) -> list[Optional[str]]:
    """As the fields of records are read."""
    require_per_item(values, name)
    return [as_field(text) for text in texts_of(values, lambda row, fault: ValueError(f"{name}:{row}: {fault}"))]


def _decided(decisions: Iterable[Decision]) -> list[tuple[str, str, bool]]:
    known = {"accept": True, "reject": False}
    result = []
    if isinstance(decisions, (str, bytes)) or not isinstance(decisions, Iterable):
        raise TypeError(f"decisions: {shown(decisions)} is {type(decisions).__name__}; give a list of (row, row, True or False)")
    for each in decisions:
        try:
            a, b, decision = each
        except (TypeError, ValueError):
            raise ValueError(f"decisions: {shown(each)} is no decision; give (row, row, True or False)") from None
        same = known.get(decision, decision) if isinstance(decision, str) else decision
        if not isinstance(same, (bool, np.bool_)):
            raise ValueError(f"decisions: {decision!r} is not True or False, nor 'accept' or 'reject'")
        result.append((_row_of(a), _row_of(b), bool(same)))
    return result


def _row_of(number: Any) -> str:
    try:
        return str(index(number))
    except TypeError:
        raise TypeError(f"decisions: {shown(number)} is {type(number).__name__}; a row is a whole number") from None


def _partners(best: bool, top: Optional[int], one_to_one: Union[bool, str], against: Any) -> tuple[str, int]:
    given = [name for name, asked in (("best", best), ("top", top is not None), ("one_to_one", one_to_one)) if asked]
    if len(given) > 1:
        raise ValueError(f"{given[1]}: {given[0]} is given as well; leave one of them out")
    if isinstance(one_to_one, str):
        if one_to_one != "optimal":
            raise ValueError(f"one_to_one: {one_to_one!r} is not True, False or 'optimal'")
        if against is None:
            raise ValueError("one_to_one: 'optimal' matches two collections; give the other one as against, or one_to_one=True")
        return "optimal", 1
    if one_to_one:
        return "one_to_one", 1
    return ("best" if given else "all"), (1 if top is None else int(top))


def _numbers(numbers: Any) -> Optional[list[float]]:
    """NaN where one is missing."""
    if numbers is None:
        return None
    require_per_item(numbers, "numbers")
    return [_number(text, row) for row, text in enumerate(texts_of(numbers))]


def _number(text: Optional[str], row: int) -> float:
    if text in _SPECIAL_NUMBERS:
        return _SPECIAL_NUMBERS[text]
    try:
        number = float(as_field(text) or "")
    except ValueError:
        raise TypeError(f"numbers:{row}: {str(text)[:60]} is no number") from None
    if text is not None and math.isinf(number) and "inf" not in text:
        raise ValueError(f"numbers:{row}: {text[:20]}... has {len(text)} digits, and a number can have 308; give smaller ones")
    return number


def _ranks(numbers: Optional[list[float]]) -> Optional[list[Optional[str]]]:
    """In place of numbers, for fields of records know no infinity: their order is all that counts."""
    if numbers is None:
        return None
    rank = {number: str(at) for at, number in enumerate(sorted({number for number in numbers if not math.isnan(number)}))}
    return [rank.get(number) for number in numbers]


def _first_column(score: str) -> str:
    """What a notebook shows of an item."""
    return _core.score_fields(score, False)[0]


def _rule(keep: Optional[Keep], plan: Optional[Plan], numbers: Any) -> str:
    if keep is None:
        keep = "longest" if plan is not None and plan.measure == "containment" else "first"
    if keep not in ("first", "last", "longest", "shortest", "max", "min"):
        raise ValueError(f'keep: "{keep}" is not first, last, longest, shortest, max or min')
    by_number = keep in ("max", "min")
    if by_number and numbers is None:
        raise ValueError(f"keep: {keep} needs numbers, one per item")
    if numbers is not None and not by_number:
        raise ValueError(f'numbers: they count only with keep="max" or "min", and keep is "{keep}"')
    return f"{keep}:numbers" if by_number else keep
