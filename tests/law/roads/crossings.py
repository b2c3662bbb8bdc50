"""Counts how often each value of each axis was met, and each pair of values of two axes: to see that the crossings are really crossed."""
import itertools
from collections import Counter

from roads.cases import TEXT_FORMATS, is_exact
from roads.oracle import can_judge

GOAL_AXES = ("measure", "shingle", "recall", "verify", "large-bucket")
ASKED_AXES = ("command", "format", "size", "keep", "linkage", "annotate", "removed", "summary", "skipped", "json", "thresholds", "bloom", "how", "same_id",
              "faults", "unit", "least_unit", "repeats", "least_left", "most_cut", "keep_at_most", "drop",
              "size_field", "scope", "ignore_common", "share_of", "act", "hits", "twice", "cut", "share_field", "partners")
ROAD_AXES = ("container", "ending", "empty_file", "threads", "kernel", "memory", "scratch", "resume", "sketch", "index", "output", "audit", "report",
             "other_container", "trap", "encoding", "star", "other_names", "by_score")


def values_of(case):
    """A value for each axis."""
    values = {axis: case[axis] for axis in ASKED_AXES} | {axis: case["road"][axis] for axis in ROAD_AXES}
    values |= {axis: case["goal"].get(axis) for axis in GOAL_AXES}
    values["threshold"] = case["goal"].get("threshold", case["goal"].get("radius"))
    values["against"] = "no" if case["other"] is None else "empty" if not case["other"] else "yes"
    values["truth"] = case["truth"]["kind"] if case["truth"] else "no"
    values["decisions"] = "no" if case["decisions"] is None else "yes"
    values["ignore"] = "no" if case["ignore"] is None else "yes"
    values["items"] = "none" if not case["items"] else "few" if len(case["items"]) < 100 else "many"
    judged = case["format"] in TEXT_FORMATS and can_judge(case, case["items"] + (case["other"] or []))
    values["brute_force"] = "no" if not judged else "all" if is_exact(case["goal"]) else "no others"
    return {axis: str(value) for axis, value in values.items()}


class Crossings:
    def __init__(self):
        self.single, self.pairs = Counter(), Counter()

    def add(self, values):
        entries = sorted(values.items())
        self.single.update(entries)
        self.pairs.update(itertools.combinations(entries, 2))

    def table(self):
        axes = sorted({axis for axis, _ in self.single})
        values = {axis: sorted(value for name, value in self.single if name == axis) for axis in axes}
        lines = ["How often each value was met:"]
        for axis in axes:
            lines.append(f"  {axis:<15} " + "  ".join(f"{value}:{self.single[axis, value]}" for value in values[axis]))
        lines.append("Pairs of values met, of those there are, for each two axes (and how often the average pair was):")
        for first in axes:
            cells = []
            for second in axes:
                if first < second:
                    met = [self.pairs[(first, a), (second, b)] for a in values[first] for b in values[second]]
                    cells.append(f"{second} {sum(count > 0 for count in met)}/{len(met)} ({sum(met) // len(met)})")
            if cells:
                lines.append(f"  {first:<15} " + "  ".join(cells))
        return "\n".join(lines)
