"""Scores: of the text alone, which must give what the text gives; and of several fields, which brute force can tell."""
import math

from roads import items as make

RUNS = ("pairs", "cluster", "dedup", "evaluate")


def goal(draw, thresholds):
    """One that a score of the text alone can have, too."""
    if draw.random() < 0.2:
        return {"measure": "exact", "normalise": "text"}
    return {"measure": "jaccard", "shingle": draw.choice(["word:1", "word:2", "char:3"]), "threshold": draw.choice(thresholds), "recall": "1"}


def goal_of_fields(draw, thresholds):
    """The text and the group, each in one way or two."""
    parts = [["text", f"jaccard({draw.choice(['word:1', 'word:2', 'char:3'])})", draw.choice([1, 2, 0.5])], ["group", draw.choice(["equal", "jaccard(char:1)"]), draw.choice([1, 3])]]
    if draw.random() < 0.3:
        parts.append(["text", "equal", draw.choice([1, 0.25])])
    draw.shuffle(parts)
    recall = draw.choice(["1", "1", "1", "0.9"])
    return {"measure": "score", "parts": parts, "threshold": draw.choice(thresholds), "recall": recall} | ({"large_bucket": "2"} if recall != "1" and draw.random() < 0.3 else {})


def ask(draw, case, thresholds):
    """A goal by score, of one field or of several, where the case can have one."""
    of_fields = draw.random() < 0.5
    case |= {"goal": goal_of_fields(draw, thresholds) if of_fields else goal(draw, thresholds), "faults": False, "how": None, "skipped": False, "bloom": False}
    if of_fields:
        case |= {"thresholds": bool(case["truth"]) and case["thresholds"]}


def fit_fields(draw, case):
    """Items for a score of several fields, and a road that it can take."""
    for name in ("items", "other"):
        items = case[name] or []
        if not case["scope"]:
            make.add_groups(draw, items)
        if items:  # a field that no record has is refused in some formats only
            items[-1] |= {"group": "a", "text": items[-1]["text"] if any(c.isalnum() for c in items[-1]["text"]) else "alpha beta"}
    case |= {key: None for key in ("ignore", "ignore_common", "unit", "least_unit", "repeats", "least_left", "most_cut", "share_field")} | {"bloom": False}
    case["road"]["index"] = "no"
    leave_plan_roads(case)


def leave_plan_roads(case):
    """What is about one text, or one plan."""
    road = case["road"]
    road |= {"star": False, "scratch": False, "audit": None, "report": False, "resume": "no", "sketch": "no"}
    road["container"] = "plain" if road["container"] == "stdin" else road["container"]


def can_be_scored(case):
    """Whether a score of the text alone gives the same."""
    goal = case["goal"]
    sure = goal["measure"] == "exact" or goal["measure"] == "jaccard" and goal.get("recall") == "1" and goal.get("verify", "exact") == "exact"
    sure = sure and goal.get("normalise", "text") == "text"
    extra = [goal.get(key) for key in ("bag", "features", "bands")] + [case[key] for key in ("faults", "unit", "ignore_common", "bloom")]
    said = all(any(c.isalnum() for item in case[name] for c in item.get("text", "")) for name in ("items", "other") if case[name])
    asked = case["command"] in RUNS and case["format"] in make.SCORED and case["road"]["index"] == "no"
    return asked and sure and not any(extra) and case["ignore"] is None and said


def flags(goal, names):
    """`names`: of the id and the text of the other input, where there is one."""
    text = "text" if names[1] == "text" else f"text={names[1]}"
    if goal["measure"] == "exact":
        return ["--score", f"{text}:equal", "--threshold", "1", "--recall", "1"]
    if goal["measure"] == "jaccard":
        return ["--score", f"{text}:jaccard({goal.get('shingle', 'word:5')})*3", "--threshold", goal["threshold"], "--recall", "1"]
    parts = [f"{text if field == 'text' else field}:{how}*{weight}" for field, how, weight in goal["parts"]]
    large = ["--large-bucket", goal["large_bucket"]] if "large_bucket" in goal else []
    return ["--score", " + ".join(parts), "--threshold", goal["threshold"], "--recall", goal["recall"]] + large


class Fields(dict):
    """An item as a score sees it. A dictionary without keys, because no shingle of it is ever ignored."""

    def __init__(self, item, goal, shingles):
        super().__init__()
        self.goal = goal
        self.parts = []
        for field, how, _ in goal["parts"]:
            of_part = {"measure": "exact", "normalise": "text"} if how == "equal" else {"measure": "jaccard", "shingle": how[len("jaccard("):-1]}
            self.parts.append(shingles(item.get(field, ""), of_part))

    def against(self, other, shared_and_total):
        """In units of the ninth decimal, with the arithmetic of doubles that the program has."""
        total = weights = 0.0
        for (_, _, weight), mine, its in zip(self.goal["parts"], self.parts, other.parts):
            shared, of = shared_and_total(mine, its)
            total += weight * (shared / of if of else 0.0)
            weights += weight
        return math.floor(min(1.0, total / weights) * 1e9 + 0.5), 10 ** 9
