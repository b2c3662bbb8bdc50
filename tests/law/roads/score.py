"""Pairs by a score of the text alone, which must be the pairs of the text."""
from roads import items as make


def goal(draw, thresholds):
    """One that a score can have, too."""
    if draw.random() < 0.2:
        return {"measure": "exact", "normalise": "text"}
    return {"measure": "jaccard", "shingle": draw.choice(["word:1", "word:2", "char:3"]), "threshold": draw.choice(thresholds), "recall": "1"}


def can_be_scored(case):
    """Whether a score of the text alone gives the same pairs."""
    goal = case["goal"]
    sure = goal["measure"] == "exact" or goal["measure"] == "jaccard" and goal.get("recall") == "1" and goal.get("verify", "exact") == "exact"
    sure = sure and goal.get("normalise", "text") == "text"
    extra = [goal.get(key) for key in ("bag", "features", "bands")] + [case[key] for key in ("faults", "unit", "ignore_common")]
    return case["command"] == "pairs" and case["format"] in make.SCORED and sure and not any(extra) and case["ignore"] is None
