"""evaluate --truth: a file of labels, and what it comes to by brute force."""
import csv
import gzip
import io
import json
from fractions import Fraction

from roads.items import is_usable

FORMS = ["csv", "csv", "tsv", "jsonl", "gz"]


def labels_for(draw, case):
    """Labels between items that are there, some of them twice or turned round, and some about items that are not."""
    ids = [item["id"] for item, good in zip(case["items"], is_usable(case["items"])) if good]
    across = case["other"] is not None
    others = [item["id"] for item, good in zip(case["other"], is_usable(case["other"])) if good] if across else ids
    kind = "pairs" if across else draw.choice(["pairs", "pairs", "clusters"])
    if kind == "clusters":
        named = ids[-2:] + [name for name in ids[:-2] if draw.random() < 0.7]
        return {"kind": kind, "form": draw.choice(FORMS), "rows": [[name, "one" if place < 2 else f"c{draw.randrange(4)}"] for place, name in enumerate(named)]}
    rows = [[ids[-1], others[-1] if across else ids[-2]]]
    for _ in range(draw.choice([0, 3, 10, 30])):
        a, b = draw.choice(ids), draw.choice(others)
        if a != b or across:
            rows.append([a, b])
            if not across and draw.random() < 0.1:
                rows.append([b, a])
    if draw.random() < 0.2:
        rows.append([ids[0], "nobody"])
    return {"kind": kind, "form": draw.choice(FORMS), "rows": rows}


def file_of(truth):
    """Its name and its bytes."""
    names = ["a", "b"] if truth["kind"] == "pairs" else ["id", "cluster"]
    form = truth["form"]
    if form == "tsv" and any(set(value) & set('\t"\\\n') for row in truth["rows"] for value in row):
        form = "csv"
    if form == "jsonl":
        text = "".join(json.dumps(dict(zip(names, row)), ensure_ascii=False) + "\n" for row in truth["rows"])
        return "truth.jsonl", text.encode()
    out = io.StringIO()
    csv.writer(out, delimiter="\t" if form == "tsv" else ",", lineterminator="\n").writerows([names, *truth["rows"]])
    data = out.getvalue().encode()
    return ("truth.csv.gz", gzip.compress(data)) if form == "gz" else (f"truth.{form}", data)


def flags(case):
    return ["--truth", file_of(case["truth"])[0]] if case["truth"] else []


def share(part, whole):
    return Fraction(part, whole) if whole else Fraction(1)


def figures(precision, recall):
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else Fraction(0)
    return [float(precision), float(recall), float(f1)]


class Expected:
    """For each threshold the cells of the table's row."""

    def __init__(self, oracle):
        self.oracle = oracle
        case = oracle.case
        self.across = case["other"] is not None
        self.rows = {item["id"]: row for row, item in enumerate(oracle.items)}
        self.other_rows = {item["id"]: row for row, item in enumerate(oracle.others)} if self.across else self.rows
        truth = case["truth"]
        if truth["kind"] == "pairs":
            known = [(self.rows[a], self.other_rows[b]) for a, b in truth["rows"] if a in self.rows and b in self.other_rows]
            self.pairs = {pair if self.across else tuple(sorted(pair)) for pair in known}
            self.cluster = None
        else:
            named = {self.rows[name]: cluster for name, cluster in truth["rows"] if name in self.rows}
            self.cluster = [named.get(row, ("alone", row)) for row in range(len(oracle.items))]
            self.pairs = self.together(self.cluster)

    def together(self, of):
        return {(a, b) for a in range(len(of)) for b in range(a + 1, len(of)) if of[a] == of[b]}

    def cells(self, threshold):
        matches = self.oracle.listed(threshold)
        found = {(a, b) for a, b, *_ in matches}
        right = len(found & self.pairs)
        cells = [len(found), right, *figures(share(right, len(found)), share(right, len(self.pairs)))]
        if self.cluster is None:
            return cells
        keepers = self.oracle.keepers("connected", matches)
        grouped = self.together(keepers)
        both = len(grouped & self.pairs)
        cells += figures(share(both, len(grouped)), share(both, len(self.pairs)))
        precision = recall = Fraction(0)
        items = range(len(keepers))
        for x in items:
            mine = {y for y in items if keepers[y] == keepers[x]}
            theirs = {y for y in items if self.cluster[y] == self.cluster[x]}
            precision += share(len(mine & theirs), len(mine))
            recall += share(len(mine & theirs), len(theirs))
        return cells + figures(precision / len(keepers), recall / len(keepers))


def differences(oracle, table):
    """What the table says wrong, a line each."""
    expected = Expected(oracle)
    wrong = []
    for line in table.decode().splitlines()[1:]:
        cells = line.split("<-")[0].split()
        right = expected.cells(Fraction(cells[0]))
        same = [int(cells[i + 1]) == value if i < 2 else abs(float(cells[i + 1]) - value) < 0.00006 for i, value in enumerate(right)]
        if len(cells) != len(right) + 1 or not all(same):
            wrong.append(f"{line} should be {right}")
    return wrong
