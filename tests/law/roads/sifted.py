"""dedup --index of units, by brute force: each record as it is met, against all units that were kept before it."""
import re
from fractions import Fraction

from roads.cut import rest, without
from roads.oracle import reaches, similarity_text
from roads.units import OVERLAPPING


def words_of(text):
    return len(re.findall("[A-Za-z0-9]+", text))


def by_units(case, records, oracle):
    """(id, text) of each record that is written, and the rows of --removed."""
    known, written, removed = [], [], []
    for number, record in enumerate(records):
        rows = [row for row, item in enumerate(oracle.items) if item["record"] == number]
        new, gone = [], {}
        for row in rows:
            beside = known if case["unit"] in OVERLAPPING else known + new
            near = [(Fraction(*oracle.between(row, other)), -other) for other in beside if reaches(*oracle.between(row, other), oracle.threshold)]
            if near:
                gone[row] = -max(near)[1]
            else:
                new.append(row)
        text = record["text"]
        left = without(text, [oracle.items[row]["span"] for row in gone])
        alone = words_of(text) - words_of(left) > Fraction(case["most_cut"] or "1") * words_of(text)
        if not gone or alone:
            written.append((record["id"], text))
        elif words_of(left) >= (case["least_left"] or 0):
            written.append((record["id"], left))
        else:
            new = []  # nothing of a record that goes is known afterwards
        known += new
        if not alone:
            removed += [(oracle.items[row]["id"], oracle.items[keeper]["id"], similarity_text(*oracle.between(row, keeper))) for row, keeper in gone.items()]
            if words_of(left) < (case["least_left"] or 0) and gone:
                removed += [(f"{record['id']}:{begin}-{end}", "", "") for begin, end in rest(text, [oracle.items[row]["span"] for row in gone])]
    return written, removed
