"""--decisions of pairs, cluster and dedup: what a person says about pairs, and what it comes to by brute force."""
from roads.items import is_usable

FILE = "decisions.tsv"


def usable_ids(items):
    return [item["id"] for item, good in zip(items, is_usable(items)) if good]


def decisions_for(draw, case):
    """Random ones between items that are there, some twice or turned round, and some about items that are not; none contradicts another."""
    if not case["items"] or "id" not in case["items"][0]:
        return None
    across = case["other"] is not None
    firsts = usable_ids(case["items"])
    seconds = usable_ids(case["other"]) if across else firsts
    if not firsts or not seconds:
        return None
    made, share = {}, draw.choice([0.2, 0.5, 0.8])
    for _ in range(draw.choice([1, 5, 20])):
        a, b = draw.choice(firsts), draw.choice(seconds)
        if across or a != b:
            made.setdefault((a, b) if across else (min(a, b), max(a, b)), "accept" if draw.random() < share else "reject")
    rows = [[a, b, what] for (a, b), what in made.items()]
    if rows and draw.random() < 0.2:
        rows.append(rows[0] if across else [rows[0][1], rows[0][0], rows[0][2]])
    if draw.random() < 0.2:
        rows.append([firsts[0], "nobody at all", draw.choice(["accept", "reject"])])
    return rows


def file_of(rows, tsv):
    return "".join("\t".join(tsv(cell) for cell in row) + "\n" for row in rows).encode()


def refusals(case):
    """Patterns of what is said where decisions cannot be followed."""
    beside = {"bloom": case["bloom"], "unit": case["unit"]}
    found = [f"--decisions: cannot be combined with --{flag}" for flag, given in beside.items() if given and not case["thresholds"]]
    if case["thresholds"]:
        found.append("--decisions: has no use with --(thresholds|radii)")
    return found + (["--decisions: cannot be combined with --index"] if case["road"]["index"] != "no" else [])


class Decided:
    """By rows of the items and, where there are any, of those that they are compared with."""

    def __init__(self, rows, items, others):
        first = {item["id"]: row for row, item in enumerate(items)}
        second = first if others is None else {item["id"]: row for row, item in enumerate(others)}
        self.across, self.accepted, self.rejected = others is not None, set(), set()
        for a, b, what in rows or []:
            if a in first and b in second:
                (self.accepted if what == "accept" else self.rejected).add(self.key(first[a], second[b]))

    def key(self, a, b):
        return (a, b) if self.across else (min(a, b), max(a, b))

    def preferred(self, pairs):
        """Of (a, b, similarity): what is accepted before all else."""
        return [(a, b, similarity + 2 * (self.key(a, b) in self.accepted)) for a, b, similarity in pairs]

    def followed(self, matches, between):
        """Of (a, b, shared, total): without what is rejected, with what is accepted."""
        found = {match[:2]: match for match in matches if match[:2] not in self.rejected}
        for a, b in self.accepted:
            shared, total = between(a, b)
            found.setdefault((a, b), (a, b, shared, max(1, total)))
        return [found[pair] for pair in sorted(found)]

    def parted(self, keepers, order):
        """Chains may lead to what an item was rejected with: it then goes for another that stays in its group, or stays."""
        groups, left = list(keepers), list(keepers)
        staying = {}
        for row in order:
            keeper = groups[row]
            stay = staying.setdefault(keeper, [keeper])
            left[row] = next((one for one in stay if one == row or self.key(row, one) not in self.rejected), row)
            if left[row] == row and row not in stay:
                stay.append(row)
        return left
