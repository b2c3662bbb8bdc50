"""The answer by brute force: every pair of sets compared, thresholds held in whole numbers. For texts of ASCII letters, and for sets of elements."""
import re
from fractions import Fraction

from roads.decisions import Decided
from roads.items import is_usable
from roads.score import Fields
from roads.units import OVERLAPPING


MOST_ITEMS = 200  # beyond it, comparing all with all takes too long


def can_judge(case, items):
    """Only what this file computes in the plainest way."""
    goal = case["goal"]
    if len(items) > MOST_ITEMS:
        return False
    if case["unit"] == "sentence" or goal.get("normalise", "").startswith("code:"):
        return False
    if goal["measure"] == "passages" and goal["shingle"] != "word" or goal["measure"] == "decontaminate" and not goal["shingle"].startswith("word"):
        return False
    known = goal["measure"] in ("jaccard", "weighted-jaccard", "exact", "passages", "decontaminate", "score") and goal.get("verify", "exact") == "exact" and not goal.get("features")
    return known and all(item["text"].isascii() for item in items if "text" in item)


def units(text, unit, normalise):
    if unit == "element":
        return text.split()
    text = text.lower() if normalise == "text" else text
    if unit == "word":
        return re.findall("[A-Za-z0-9]+", text)
    return list(" ".join(text.split()) if normalise == "text" else text)


def shingles(text, goal):
    """How often each run of K units occurs; a text shorter than K is one shingle. Where texts must be equal, each is one of its own."""
    if goal["measure"] == "exact":
        whole = " ".join(text.lower().split()) if goal.get("normalise", "text") == "text" else text
        return {whole: 1} if whole else {}
    unit, size = goal["shingle"].split(":")
    parts = units(text, unit, goal.get("normalise", "text"))
    size = min(int(size), len(parts))
    counts = {}
    for begin in range(len(parts) - size + 1 if parts else 0):
        shingle = tuple(parts[begin:begin + size])
        counts[shingle] = counts.get(shingle, 0) + 1 if goal.get("bag") or goal["measure"] == "weighted-jaccard" else 1
    return counts


def features(item, goal):
    return Fields(item, goal, shingles) if goal["measure"] == "score" else shingles(item["text"], goal)


def shared_and_total(a, b):
    if isinstance(a, Fields):
        return a.against(b, shared_and_total)
    shared = sum(min(count, b[shingle]) for shingle, count in a.items() if shingle in b)
    return shared, sum(a.values()) + sum(b.values()) - shared


def reaches(shared, total, threshold):
    return shared > 0 and Fraction(shared, total) >= threshold


def similarity_text(shared, total):
    millionths = shared * 1_000_000 // total if total else 0
    whole, rest = divmod(millionths, 1_000_000)
    return (f"{whole}.{rest:06}".rstrip("0").rstrip(".")) if rest else str(whole)


def df(sets, scopes):
    """In how many of the sets, or of their scopes, each shingle is."""
    met = {}
    for shingles_of, scope in zip(sets, scopes):
        for shingle in shingles_of:
            met.setdefault(shingle, set()).add(scope)
    return {shingle: len(scopes) for shingle, scopes in met.items()}


def chosen(pairs, partners, across, directed=False):
    """Of (a, b, similarity) those that --best, --top N or --one-to-one leaves, in the order given."""
    before = sorted(pairs, key=lambda pair: (-pair[2], pair[0], pair[1]))
    if partners == "one-to-one":
        taken, left = set(), set()
        for a, b, _ in before:
            sides = {(0, a), (int(across), b)}
            if not taken & sides:
                taken |= sides
                left.add((a, b))
        return [pair for pair in pairs if pair[:2] in left]
    most = 1 if partners == "best" else int(partners.split()[1])
    counts, left = {}, set()
    for a, b, _ in before:
        for side in [a] if across or directed else [a, b]:
            counts[side] = counts.get(side, 0) + 1
            if counts[side] <= most:
                left.add((a, b))
    return [pair for pair in pairs if pair[:2] in left]


class Oracle:
    """Items and, where there are any, those they are compared with, as sets."""

    def __init__(self, case):
        self.case, self.goal = case, case["goal"]
        self.items = [item for item, good in zip(case["items"], is_usable(case["items"])) if good]
        others = case["other"] or []
        self.others = [item for item, good in zip(others, is_usable(others)) if good]
        self.threshold = Fraction(self.goal.get("threshold", "1"))
        self.decided = Decided(case["decisions"], self.items, None if case["other"] is None else self.others)
        self.sets = [features(item, self.goal) for item in self.items]
        self.other_sets = [features(item, self.goal) for item in self.others]
        ignored = self.ignored()
        for of_item in self.sets + self.other_sets:
            for shingle in ignored & of_item.keys():
                del of_item[shingle]

    def ignored(self):
        """The shingles that do not count; those that are common are counted without those of templates."""
        ignored = {shingle for text in self.case["ignore"] or [] for shingle in shingles(text, self.goal)}
        if not self.case["ignore_common"]:
            return ignored
        queries = self.case["command"] == "query"  # what is common is a matter of the collection
        items = self.items + ([] if queries else self.others)
        scopes = [item["group"] for item in items] if self.case["scope"] == "across" else list(range(len(items)))
        asked = self.case["ignore_common"]
        most = Fraction(asked) * len(set(scopes)) if "." in asked else int(asked)
        return ignored | {shingle for shingle, count in df(self.sets + ([] if queries else self.other_sets), scopes).items() if count > most}

    def compares(self, a, b):
        scope = self.case["scope"]
        if not scope and self.case["other"] is None and self.case["unit"] in OVERLAPPING:
            return a["record"] != b["record"]
        return not scope or (a["group"] == b["group"]) == (scope == "within")

    def between(self, a, b):
        return shared_and_total(self.sets[a], self.sets[b])

    def decided_matches(self):
        others = self.sets if self.case["other"] is None else self.other_sets
        return self.decided.followed(self.matches(), lambda a, b: shared_and_total(self.sets[a], others[b]))

    def matches(self, threshold=None):
        """(a, b, shared, total), a before b; with `other` b is one of those."""
        threshold, found = threshold or self.threshold, []
        across = self.case["other"] is not None
        for a, first in enumerate(self.sets):
            seconds = enumerate(self.other_sets) if across else ((b, self.sets[b]) for b in range(a + 1, len(self.sets)))
            for b, second in seconds:
                if not self.compares(self.items[a], (self.others if across else self.items)[b]):
                    continue
                shared, total = shared_and_total(first, second)
                if reaches(shared, total, threshold):
                    found.append((a, b, shared, total))
        return found

    def listed(self, threshold=None):
        """The matches that `pairs` lists."""
        found = self.decided_matches() if threshold is None else self.matches(threshold)
        if not self.case["partners"]:
            return found
        pairs = self.decided.preferred((a, b, Fraction(shared, total)) for a, b, shared, total in found)
        left = chosen(pairs, self.case["partners"], self.case["other"] is not None)
        left = {pair[:2] for pair in left}
        return [match for match in found if match[:2] in left]

    def order(self, items):
        """Rows, the one most worth keeping first; of equals the earlier one."""
        rows, rule = list(range(len(items))), self.case.get("keep") or "first"
        sizes = [self.text_size(item) for item in items]
        if rule == "last":
            return rows[::-1]
        if rule in ("longest", "shortest"):
            return sorted(rows, key=lambda row: -sizes[row] if rule == "longest" else sizes[row])
        if rule.startswith(("max:", "min:")):
            sign = -1 if rule.startswith("max:") else 1
            numbers = [number_of(item.get("score")) for item in items]
            return sorted(rows, key=lambda row: (numbers[row] is None, sign * (numbers[row] or 0)))
        return rows

    def text_size(self, item):
        """In bytes: of the text, or of a score's fields with a byte between two. A table has every field, a line of JSON only those that were written."""
        if self.case["goal"]["measure"] != "score":
            return len(item["text"].encode())
        names = dict.fromkeys(field for field, _, _ in self.case["goal"]["parts"])
        values = [item.get(name) for name in names]
        there = [value or "" for value in values if value is not None or self.case["format"] != "jsonl"]
        return len("\n".join(there).encode())

    def keepers(self, linkage, matches=None):
        found = self.decided_matches() if matches is None else matches
        neighbours = [set() for _ in self.items]
        for a, b, *_ in found:
            neighbours[a].add(b)
            neighbours[b].add(a)
        keeper = [None] * len(self.items)
        for row in self.order(self.items):
            if keeper[row] is not None:
                continue
            reached = [row]
            keeper[row] = row
            for member in reached:  # grows while it is walked, where chains are followed
                for other in neighbours[member]:
                    if keeper[other] is None:
                        keeper[other] = row
                        if linkage == "connected":
                            reached.append(other)
        return self.decided.parted(keeper, self.order(self.items)) if linkage == "connected" else keeper

    def keepers_across(self):
        """For each item the nearest of the others that it matches, of equals the one most worth keeping; or None."""
        best, rank = {}, {row: place for place, row in enumerate(self.order(self.others))}
        for a, b, shared, total in self.decided_matches():
            worth = (Fraction(shared, total), -rank[b])
            if a not in best or worth > best[a][1]:
                best[a] = (b, worth)
        return [best[a][0] if a in best else None for a in range(len(self.items))]

    def hits(self, limit):
        """For each query (an item of `other`) what it is near to, the nearest first."""
        for query, asked in zip(self.others, self.other_sets):
            found = []
            for row, known in enumerate(self.sets):
                shared, total = shared_and_total(asked, known)
                if reaches(shared, total, self.threshold) or ("nearest" in self.goal and asked and known):
                    found.append((-Fraction(shared, total), row, shared, total))
            for _, row, shared, total in sorted(found)[:limit]:
                yield query["id"], self.items[row]["id"], similarity_text(shared, total)

    def seen_before(self):
        """dedup --index: an item is kept where nothing kept so far is like it. Kept ids, and rows of those removed."""
        kept, removed = [], []
        for row, item in enumerate(self.items):
            near = [(Fraction(*self.between(row, other)), other) for other in kept if reaches(*self.between(row, other), self.threshold)]
            if not near:
                kept.append(row)
                continue
            best = max(near, key=lambda pair: (pair[0], -pair[1]))[1]
            removed.append((item["id"], self.items[best]["id"], similarity_text(*self.between(row, best))))
        return [self.items[row]["id"] for row in kept], removed


def number_of(score):
    """As --keep max:FIELD reads it: JSON's numbers and strings that spell one; finite."""
    if score is None or score in ("null", "true"):
        return None
    try:
        number = float(score.strip('"'))
    except ValueError:
        return None
    return number if abs(number) != float("inf") and number == number else None
