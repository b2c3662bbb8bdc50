"""A case: a collection, a goal, what is asked for, and the road on which it is asked. All of it plain values, each an axis of the test.

A case is made from its number and the seed alone. Most of what does not go together is mended, and some of it left in, for the refusals to be seen.
"""
import random

from roads import items as make
from roads import decisions, optimal, score, truth
from roads.units import OVERLAPPING

TEXT_FORMATS = ["jsonl", "csv", "tsv", "lines", "packed", "files", "warc", "sets"]
NUMBER_FORMATS = ["dense", "npy", "fvecs", "sparse", "bits", "table", "edges"]
PASSAGE_FORMATS = [name for name in TEXT_FORMATS if name != "sets"]
BY_PLACE = ("dense", "npy", "fvecs")  # whose ids are the file's name and a number
CONTAINERS = ["plain", "gz", "zst", "stdin", "several", "folder", "glob", "list", "mixed"]
KEEPS = ["first", "last", "longest", "shortest", "max:score", "min:score"]
THRESHOLDS = ["0.3333", "0.5", "0.6", "0.7", "0.8", "0.9", "1"]

# The road that every other is held against: one plain file, in memory, one thread.
PLAIN_ROAD = {"container": "plain", "ending": "lf", "empty_file": False, "threads": 1, "kernel": "auto", "memory": None, "scratch": False, "resume": "no",
              "sketch": "no", "index": "no", "output": "file", "audit": None, "report": False, "trap": "none", "other_container": "plain", "parts": 3, "encoding": "none",
              "star": False, "other_names": False, "made": "plain", "by_score": False}


def large_goal(draw):
    """The widest sketches: a thousand items fill a segment."""
    return {"measure": "jaccard", "shingle": "word:2", "threshold": draw.choice(["0.5", "0.7"]), "recall": "0.9", "bands": 8, "rows": 2, "hashes": 4096}


def text_goal(draw, format):
    measures = ["jaccard"] * 6 + ["weighted-jaccard", "containment", "exact", "exact", "cosine"]
    goal = {"measure": draw.choice(measures), "threshold": draw.choice(THRESHOLDS), "recall": draw.choice(["1", "1", "0.9", "0.9", "0.99"])}
    goal["shingle"] = "element:1" if format == "sets" else draw.choice(["word:1", "word:1", "word:2", "word:3", "char:3"])
    if goal["measure"] == "exact":
        return {"measure": "exact", "normalise": draw.choice(["text", "none"])}
    if goal["measure"] == "cosine":
        return goal | {"features": draw.choice(["tfidf", "tfidf", "tfidf:sublinear", "tfidf:cap=2", "tfidf:sublinear:cap=3"])}
    if format != "sets" and draw.random() < 0.2:
        goal["normalise"] = "none"
    if format == "sets":
        goal["normalise"] = "none"
    if goal["measure"] == "jaccard" and draw.random() < 0.2:
        goal["bag"] = True
    if goal["recall"] != "1" and goal["measure"] != "containment":
        if draw.random() < 0.3:
            goal["large-bucket"] = draw.choice([2, 3, 8])
        if draw.random() < 0.4:
            goal |= {"bands": draw.choice([1, 10, 30]), "rows": draw.choice([1, 2, 4])}
        if draw.random() < 0.25:
            goal["verify"] = draw.choice(["estimate", "none"])
    return goal


def passage_goal(draw):
    goal = {"measure": "passages", "least": draw.choice([5, 5, 6, 7, 9, 12]), "shingle": draw.choice(["word", "word", "word", "char", "code"])}
    if draw.random() < 0.4:
        goal["gap"] = draw.choice([0, 1, 2, 5, 100])
    if draw.random() < 0.3:
        goal["normalise"] = draw.choice(["text", "none", "code"])
    return goal


def decontaminate_goal(draw):
    goal = {"measure": "decontaminate", "shingle": draw.choice(["word:1", "word:2", "word:3", "word:3", "word:5", "char:4", "code:2"]),
            "share": draw.choice(["0.1", "0.3", "0.3", "0.5", "0.75", "1"]), "least-item": draw.choice([1, 2, 3, 5])}
    if draw.random() < 0.3:
        goal["normalise"] = draw.choice(["text", "none", "code"])
    return goal


def add_frame(draw, items, format):
    """The same words before and behind the text of most items, as a prompt has them; some items have nothing else."""
    before, behind = (" ".join(draw.choice(make.WORDS) for _ in range(draw.randrange(most))) for most in (12, 6))
    for item in items:
        if "text" in item and draw.random() < 0.9:
            text = draw.choice([item["text"], item["text"], " ".join(item["text"].split()[:2]), ""])
            item["text"] = make.fits(" ".join(part for part in (before, text, behind) if part) or "x", format)


def decontaminate_case(draw):
    """Records and a suite whose items are like them; one item at least is long enough to be looked for."""
    case = dict(EMPTY_CASE, command="decontaminate", size="few", format=draw.choice(PASSAGE_FORMATS), goal=decontaminate_goal(draw))
    case["act"] = draw.choice([None, None, "mark", "cut", "remove"])
    case["faults"] = draw.random() < 0.3
    case["how"] = draw.choice([None, None, None, "keep", "keep", "skip", "skip", "stop"]) if case["faults"] else None
    case["hits"] = case["act"] is not None and draw.random() < 0.5
    case["skipped"] = case["act"] is not None and case["faults"] and draw.random() < 0.7
    case["json"], case["stats"], case["twice"] = draw.random() < 0.3, draw.random() < 0.5, draw.random() < 0.2
    road = case["road"] = random_road(draw, case["format"])
    road |= {"memory": None, "scratch": False, "resume": "no", "audit": None, "sketch": "no", "index": "no"}
    prefix = draw.choice(make.ODD_IDS.get(case["format"], ["r"]))
    case["items"] = items_for(draw, case["format"], prefix, "in", case)
    case["other"] = items_for(draw, case["format"], prefix, "other", case)
    for name in ("items", "other"):
        make.join_texts(draw, case[name], case["format"])
    if draw.random() < 0.4:
        add_frame(draw, case["other"], case["format"])
    pool = [item["text"] for item in case["other"] if "text" in item]
    for item in case["items"]:
        if pool and "text" in item and draw.random() < 0.5:
            item["text"] = make.fits(item["text"] + draw.choice([" ", "\n"]) + draw.choice(pool), case["format"])
    case["other"].append({"id": make.item_id(case["format"], "z", "other", 99999), "text": " ".join(make.WORDS)})
    if case["items"] and not any(make.is_usable(case["items"])):
        case["items"] = []
    leave_out_repeated(case)
    fit_format(case, draw)
    road["trap"] = "none"
    fit_names(case, draw)
    if case["act"] is not None and case["act"] != "remove" and draw.random() > 0.05 and case["format"] not in ("jsonl", "csv", "tsv"):
        case["act"] = "cut" if case["format"] == "lines" else "remove"
    if case["act"] == "cut":
        road["made"] = "plain"  # pages are not cut
    return case


def truth_case(draw):
    """Labels against pairs, by threshold: of one collection or of two."""
    case = dict(EMPTY_CASE, command="evaluate", size="few", format=draw.choice(TEXT_FORMATS))
    case["goal"] = text_goal(draw, case["format"])
    case["goal"].pop("verify", None)
    case["faults"] = draw.random() < 0.3
    if case["format"] in make.SCORED and draw.random() < 0.5:
        score.ask(draw, case, THRESHOLDS)
    case["json"], case["stats"] = draw.random() < 0.2, draw.random() < 0.5
    case["thresholds"] = case["goal"]["measure"] != "exact" and draw.random() < 0.3
    road = case["road"] = random_road(draw, case["format"])
    road |= {"scratch": False, "resume": "no", "audit": None, "sketch": "no", "index": "no", "trap": "none"}
    prefix = draw.choice(make.ODD_IDS.get(case["format"], ["r"]))
    case["items"] = items_for(draw, case["format"], prefix, "in", case)
    if draw.random() < 0.4:
        case["other"] = items_for(draw, case["format"], draw.choice([prefix, "o"]), "other", case)
    for name, folder in (("items", "in"), ("other", "other")):
        if case[name] is not None:
            case[name] += [{"id": make.item_id(case["format"], "z", folder, 99990 + i), "text": " ".join(make.WORDS[:6 + i])} for i in range(2)]
    fit_format(case, draw)
    road["trap"] = "none"
    if case["goal"]["measure"] == "score":
        score.fit_fields(draw, case)
    case["truth"] = truth.labels_for(draw, case)
    case["partners"] = draw.choice([None, None, "best", "top 2", "one-to-one", optimal.RULE]) if case["goal"].get("verify") != "none" else None
    optimal.fit(case, draw)
    ask_by_score(case, draw)
    return case


def number_goal(draw, format):
    recall = draw.choice(["1", "0.9"])
    if format == "bits":
        return {"measure": "hamming", "radius": draw.choice(["1", "3", "0.1"]), "recall": recall}
    if format == "edges":
        directed = draw.choice([None, "out", "in", "both"])
        return {"measure": "jaccard", "threshold": draw.choice(THRESHOLDS), "recall": recall} | ({"directed": directed} if directed else {})
    if format == "table":
        return draw.choice([{"measure": "hamming", "radius": "2", "recall": recall}, {"measure": "jaccard", "threshold": "0.5", "recall": recall}])
    goals = [{"measure": "cosine", "threshold": draw.choice(["0.8", "0.95", "1"])}, {"measure": "euclidean", "radius": "0.5"},
             {"measure": "manhattan", "radius": "1"}]
    if format == "sparse":
        goals.append({"measure": "weighted-jaccard", "threshold": "0.6"})
    else:
        goals.append({"measure": "hamming", "binarise": draw.choice(["sign", "median", "mean", "unary:3"]), "radius": draw.choice(["1", "0.3"])})
    return draw.choice(goals) | {"recall": recall}


def random_road(draw, format):
    road = dict(PLAIN_ROAD)
    road["container"] = draw.choice(CONTAINERS)
    road["other_container"] = draw.choice(["plain", "plain", "gz", "zst", "glob", "folder"])
    road["ending"] = draw.choice(["lf", "lf", "crlf", "open"])
    road["encoding"] = draw.choice(["none"] * 5 + ["mark", "utf-16", "utf-16be", "utf-32", "auto"])
    road["made"] = draw.choice(["plain"] * 5 + ["page", "page", "program"])
    road["empty_file"] = draw.random() < 0.3
    road["parts"] = draw.choice([2, 3, 5])
    road["threads"] = draw.choice([1, 2, 2, 5])
    road["kernel"] = draw.choice(["auto", "scalar"])
    road["memory"] = draw.choice([None, None, "64MiB", "80MiB", "1GiB"])
    road["scratch"] = draw.random() < 0.6
    road["resume"] = draw.choice(["no", "no", "nothing", "after_full_output", "after_full_disk"])
    road["output"] = draw.choice(["file", "file", "stdout", "gz", "zst"])
    road["sketch"] = draw.choice(["no", "no", "no", "one", "each"])
    road["audit"] = draw.choice([None, None, None, None, 5])
    road["report"] = draw.random() < 0.06
    if draw.random() < 0.15:
        road["trap"] = draw.choice(["named", "hidden"])
    return road


def items_for(draw, format, prefix, folder, case):
    if format in NUMBER_FORMATS:
        return make.number_items(draw, draw.choice([0, 1, 2, 10, 30, 50]), format)
    scores = (case["keep"] or "").startswith(("max", "min"))
    if case["size"] == "many":
        return make.many_texts(draw, draw.choice([1000, 1100, 2100]), format, prefix, folder, scores)
    count = draw.choice([0, 1, 2, 3, 5, 10, 20, 40, 60])
    return make.text_items(draw, count, format, prefix, folder, case["faults"], scores)


def asked_for(draw, case):
    """What is wanted beside the result itself, by command."""
    command = case["command"]
    case["json"], case["stats"] = draw.random() < 0.3, draw.random() < 0.5
    if command in ("cluster", "dedup"):
        case["keep"] = draw.choice([None, *KEEPS] if case["size"] == "few" else KEEPS[-2:])
        case["linkage"] = draw.choice([None, "star", "connected"])
    if command == "cluster":
        case["summary"] = draw.random() < 0.5
        case["min_size"] = draw.choice([None, None, 2])
    if command == "dedup":
        case["removed"] = draw.random() < 0.6
        case["skipped"] = case["faults"] and draw.random() < 0.7
        case["annotate"] = draw.random() < 0.35
        if draw.random() < 0.3:
            case |= {"keep_at_most": draw.choice([None, 2, 3]), "size_field": draw.choice([None, "size", "a/b"])}
            case["drop"] = draw.choice([None, "repeated"]) if case["keep_at_most"] is None or draw.random() < 0.05 else None
    if command == "query":
        case["limit"] = draw.choice([None, 1, 3])
        case["share_of"] = draw.choice([None, None, "query", "item"])
    if command == "pairs":
        case["partners"] = draw.choice([None, "best", "top 2", "top 3", "one-to-one", "one-to-one", optimal.RULE, optimal.RULE])
    if command in ("pairs", "cluster", "dedup") and draw.random() < 0.1:
        case["thresholds"] = True


EMPTY_CASE = {"keep": None, "linkage": None, "summary": False, "min_size": None, "removed": False, "skipped": False, "annotate": False, "limit": None,
              "thresholds": False, "bloom": False, "json": False, "other": None, "how": None, "same_id": None, "stats": False, "unit": None, "least_unit": None,
              "repeats": None, "least_left": None, "most_cut": None, "keep_at_most": None, "drop": None, "size_field": None,
              "scope": None, "ignore": None, "ignore_common": None, "share_of": None, "act": None, "hits": False, "twice": False, "cut": False, "share_field": None,
              "partners": None, "truth": None, "decisions": None}
UNITS = ["paragraph", "line", "sentence", "window:4/2", "window:3/3"]
LANGUAGES = [":c", ":c++", ":java", ":python", ":javascript", ":go", ":rust"]
CUT_FORMATS = ("jsonl", "csv", "tsv", "lines")


def make_case(seed, number):
    draw = random.Random(f"{seed}/{number}")
    if number % 9 == 4:
        return decontaminate_case(draw)
    if number % 9 == 7:
        return truth_case(draw)
    case = dict(EMPTY_CASE)
    format = case["format"] = draw.choice(TEXT_FORMATS * 3 + NUMBER_FORMATS)
    case["size"] = "many" if format in TEXT_FORMATS and format != "files" and draw.random() < 0.015 else "few"
    case["command"] = draw.choice(["pairs", "cluster", "dedup", "dedup", "dedup", "query", "passages"])
    if case["command"] == "passages":
        format = case["format"] = draw.choice(PASSAGE_FORMATS)
    case["faults"] = case["size"] == "few" and format in TEXT_FORMATS and draw.random() < 0.3
    case["how"] = draw.choice([None, None, None, "keep", "keep", "skip", "skip", "stop"]) if case["faults"] else None
    asked_for(draw, case)
    text = format in TEXT_FORMATS
    case["goal"] = large_goal(draw) if case["size"] == "many" else text_goal(draw, format) if text else number_goal(draw, format)
    if case["command"] in score.RUNS and format in make.SCORED and case["size"] == "few" and draw.random() < (0.7 if case["command"] == "pairs" else 0.4):
        score.ask(draw, case, THRESHOLDS)
    if case["command"] == "passages":
        case["goal"] = passage_goal(draw)
        case["cut"] = format in CUT_FORMATS and draw.random() < 0.5
    if case["goal"]["measure"] == "containment" and case["command"] == "dedup" and not case["annotate"] and case["linkage"] == "connected" and draw.random() > 0.05:
        case["linkage"] = None  # refused
    if case["goal"]["measure"] == "exact" and case["command"] == "dedup":
        case["bloom"] = draw.random() < 0.4
    case["road"] = random_road(draw, format)
    if case["size"] == "many":
        case["road"] |= {"scratch": draw.random() < 0.9, "memory": "64MiB", "threads": 1}
    if case["command"] in ("query", "dedup") and draw.random() < (0.6 if case["command"] == "query" else 0.25):
        case["road"]["index"] = draw.choice(["create", "steps"]) if case["command"] == "query" else draw.choice(["one", "steps"])
    if case["command"] == "query" or case["road"]["index"] != "no":
        case["goal"].pop("large-bucket", None)  # a query has no rule for large buckets
    if draw.random() > 0.05:
        mend(case, draw)
    if case["command"] != "passages" and format in (CUT_FORMATS if case["command"] == "dedup" else (*CUT_FORMATS, "files", "packed", "warc")) and draw.random() < 0.2:
        ask_for_units(case, draw)
    if case["command"] in ("pairs", "cluster", "dedup") and format in make.SCORED and draw.random() < 0.15:
        case["scope"] = draw.choice(["within", "across"])
        if draw.random() > 0.05:
            mend_scope(case)
    if text and case["command"] != "passages" and draw.random() < 0.15:
        ask_to_ignore(case, draw)
    if case["command"] == "passages" and draw.random() < 0.2:
        case["ignore"] = []
    prefixes = make.ODD_IDS.get(format, ["r"])
    prefix = draw.choice(prefixes)
    case["items"] = items_for(draw, format, prefix, "in", case)
    if case["command"] == "query" or (case["other"] is None and case["command"] != "cluster" and draw.random() < 0.3 and case["road"]["index"] == "no"):
        case["other"] = items_for(draw, format, draw.choice([prefix, "o"]), "other", case)
    if case["other"] is not None and draw.random() > 0.05:
        mend_other(case)
    for name in ("items", "other"):
        if case["unit"]:
            make.join_texts(draw, case[name] or [], format)
        if case["scope"]:
            make.add_groups(draw, case[name] or [])
    if text and format != "sets" and case["size"] == "few" and case["goal"]["measure"] != "score" and draw.random() < 0.12:
        ask_for_programs(case, draw)
    if case["ignore"] is not None:
        case["ignore"] = make.templates(draw, case["items"], format)
        if case["command"] == "passages":  # templates that are all too short for these are refused
            case["ignore"].append("quince rowan sorrel tansy vetch")
    if case["goal"]["measure"] == "score":
        score.fit_fields(draw, case)
    for name in ("items", "other"):  # of faults alone no run is made; a test of the command line sees to that
        if case[name] and not any(make.is_usable(case[name])):
            case[name] = []
    finish(case, draw)
    asked = (case["ignore"] or case["ignore_common"]) and case["command"] in ("pairs", "cluster", "dedup", "query") and not case["cut"] and not case["thresholds"]
    case["road"]["listed"] = bool(asked and case["road"]["sketch"] == "no" and case["road"]["index"] == "no" and case["road"]["container"] != "stdin" and draw.random() < 0.5)
    return case


def ask_for_programs(case, draw):
    case["goal"]["normalise"] = draw.choice(["code:no-comments", "code:identifiers"]) + draw.choice(["", "", *LANGUAGES])
    if case["goal"]["measure"] not in ("exact", "passages") and draw.random() < 0.5:
        case["goal"]["shingle"] = draw.choice(["code:3", "code:5", "line:1"])
    for name in ("items", "other"):
        make.turn_into_programs(draw, case[name] or [], case["format"])


def ask_for_units(case, draw):
    case["unit"] = draw.choice(UNITS)
    case["least_unit"] = draw.choice([None, None, 2, 4])
    if case["command"] == "dedup":
        case["repeats"] = draw.choice([None, None, "first", "none"])
        case["least_left"] = draw.choice([None, None, 1, 5])
        case["most_cut"] = draw.choice([None, None, "0.3", "0.7", "0"])
        case["share_field"] = draw.choice([None, None, "share"]) if case["format"] in make.SCORED else None
    if draw.random() > 0.05:
        case |= {"bloom": False, "size_field": None}
        if "features" in case["goal"] or case["road"]["sketch"] != "no":
            case["unit"] = draw.choice([unit for unit in UNITS if unit not in OVERLAPPING])
        case["annotate"] = case["command"] == "dedup" and case["format"] in make.SCORED and not case["thresholds"] and draw.random() < 0.3
        if case["annotate"]:
            case |= {"keep_at_most": None, "drop": None, "repeats": draw.choice([None, "first"]), "least_left": None}
        if case["keep_at_most"]:
            case["repeats"] = None
        if case["command"] == "dedup" and case["road"]["index"] != "no":
            case |= {"annotate": False, "repeats": draw.choice([None, "first"]), "share_field": None, "keep_at_most": None, "drop": None}


def mend_scope(case):
    case["bloom"] = False
    if case["road"]["index"] != "no":
        case["road"]["index"] = "no"
    if "features" in case["goal"]:
        case["scope"] = None
    if case["unit"] in OVERLAPPING and case["scope"] == "within":
        case["scope"] = "across"


def ask_to_ignore(case, draw):
    """The texts of templates are made later, of the items'."""
    case["ignore"], case["ignore_common"] = draw.choice([([], None), (None, draw.choice(["1", "2", "5", "0.2", "0.5"])), ([], "3")])
    if case["ignore_common"]:
        # What is common is counted in all that one run reads; a record with an id that was used before counts too.
        case["road"] |= {"sketch": "no", "index": "no"}
        case |= {"faults": False, "how": None, "skipped": False}
    if case["format"] == "sets":
        case["road"]["index"] = "no"  # an index without items cannot tell that a file of templates holds sets
    if case["goal"]["measure"] == "exact" and draw.random() > 0.05:
        case |= {"ignore": None, "ignore_common": None}


def mend(case, draw):
    """Most of the time, no two flags that are refused together."""
    goal, road = case["goal"], case["road"]
    if case["bloom"]:
        case |= {"removed": False, "skipped": False, "annotate": False, "keep": None, "thresholds": False}
        road |= {"report": False}
    if case["annotate"] or case["bloom"] or road["index"] != "no":
        case |= {"keep_at_most": None, "drop": None}
    if case["bloom"] or road["index"] != "no" or case["format"] not in make.SCORED:
        case["size_field"] = None
    if goal.get("verify") == "none":
        case["partners"] = None
    if case["thresholds"]:
        case |= {"keep_at_most": None, "drop": None, "size_field": None, "partners": None}
        case |= {"removed": False, "skipped": False, "annotate": False, "summary": False, "min_size": None}
        if goal["measure"] == "exact" or "verify" in goal:
            case["thresholds"] = False
    if goal["measure"] == "exact":
        road["audit"] = case["limit"] = None
    if case["format"] not in make.SCORED:
        case["annotate"] = False
    if not can_be_sketched(goal, case["format"]) or goal["measure"] == "exact":
        road["sketch"] = "no"
    if goal["measure"] == "exact" and case["command"] == "query":
        goal |= {"measure": "jaccard", "threshold": "0.5", "recall": "1", "shingle": "element:1" if case["format"] == "sets" else "word:1"}
    if road["memory"] == "64MiB" and draw.random() < 0.7:
        road["threads"] = 1
    elif road["memory"] == "80MiB":
        road["threads"] = min(2, road["threads"])
    if road["index"] != "no":
        if not can_be_indexed(goal):
            road["index"] = "no"
        elif case["command"] == "dedup":
            case |= {"annotate": False, "keep": None, "linkage": None, "thresholds": False, "bloom": False, "other": None}
    if in_memory_reason(case):
        road |= {"scratch": False, "resume": "no"}


def mend_other(case):
    if case["command"] == "dedup":
        case |= {"annotate": case["annotate"] and case["unit"] is not None, "linkage": None, "keep_at_most": None, "drop": None, "repeats": None, "size_field": None}
        if case["bloom"]:
            case["other"] = None
    if case["road"]["index"] != "no" and case["command"] == "dedup":
        case["other"] = None


def finish(case, draw):
    """What has no meaning together at all."""
    road = case["road"]
    optimal.fit(case, draw)
    fit_format(case, draw)
    if case["format"] not in TEXT_FORMATS:
        case["size_field"] = None  # records without fields
    if case["command"] == "query":
        fit_query(case, draw)
    if case["command"] == "passages":
        fit_passages(case)
    if road["index"] != "no":
        fit_index(case)
    if road["index"] != "no" or case["bloom"] or road["sketch"] != "no":
        case["stats"] = False  # a sketch file has told of its faults before, and steps count each for itself
    if road["index"] != "no" or case["bloom"]:
        leave_out_repeated(case)
    if road["sketch"] == "each" and (road["container"] == "stdin" or case["format"] == "edges"):
        road["sketch"] = "one"
    lists = case["command"] in ("pairs", "cluster", "passages") and not case["cut"] and not case["partners"] and not case["thresholds"]
    if case["faults"] and lists and draw.random() < 0.3:
        case["same_id"] = "keep"
    trapped = case["annotate"] and not case["unit"] and case["format"] in make.SCORED and case["items"] and not (road["trap"] == "hidden" and case["format"] == "tsv")
    if not trapped:
        road["trap"] = "none"
    fit_names(case, draw)
    ask_by_score(case, draw)
    if case["command"] in ("dedup", "pairs", "cluster") and not case["same_id"] and draw.random() < 0.4:
        ask_for_decisions(case, draw)


def ask_by_score(case, draw):
    """The text as a score on this road."""
    if case["goal"]["measure"] == "score" or not score.can_be_scored(case) or draw.random() < 0.05:
        return
    # The score is rounded to nine decimals, which lists of JSON show.
    case |= {"thresholds": bool(case["truth"]) and case["thresholds"], "stats": False, "json": False, "annotate": False}
    score.leave_plan_roads(case)
    case["road"]["by_score"] = True


def ask_for_decisions(case, draw):
    undecided = case["bloom"] or case["unit"] or case["thresholds"] or case["road"]["index"] != "no"
    if not undecided or draw.random() < 0.05:
        case["decisions"] = decisions.decisions_for(draw, case)


def fit_names(case, draw):
    """Fields that are not called id and text, and texts that are all other fields."""
    road, has_fields = case["road"], case["format"] in make.SCORED
    lacking = any(item.get("fault") == "no_text" for item in case["items"] + (case["other"] or []))  # with all fields, an EMPTY item
    changed = case["cut"] or case["act"] == "cut" or case["unit"] and case["command"] == "dedup"
    road["star"] = has_fields and case["goal"]["measure"] != "score" and road["trap"] == "none" and not lacking and not changed and draw.random() < 0.2
    road["other_names"] = has_fields and case["other"] is not None and case["command"] != "query" and draw.random() < 0.4


def fit_made(case):
    """How the texts are made: as they are, as the visible texts of pages, or by another program."""
    format, road = case["format"], case["road"]
    if road["made"] == "program" and format != "files":
        road["made"] = "page"
    if format not in PASSAGE_FORMATS or case["cut"] or case["unit"] and case["command"] == "dedup" or case["act"] == "cut":
        road["made"] = "plain"  # parts of pages are not cut out
    if case["goal"]["measure"] == "score" and case["keep"] in ("longest", "shortest"):
        road["made"] = "plain"  # a page has no line end after its last field, a record has one where that field is empty
    if road["made"] == "program":
        road["encoding"] = "none"
    if road["made"] == "plain" and format != "warc":
        return
    for name in ("items", "other"):
        for item in case[name] or []:
            if "text" in item:
                item["text"] = make.as_visible(item["text"])
    if case["ignore"]:
        case["ignore"] = [make.as_visible(text) for text in case["ignore"]]


def fit_format(case, draw):
    format, road = case["format"], case["road"]
    fit_made(case)
    if format == "files":
        road |= {"container": draw.choice(["several", "folder", "glob", "list"]), "ending": "lf", "other_container": "folder"}
    if format not in NUMBER_FORMATS:
        return
    road["other_container"] = "plain"
    case |= {"annotate": False, "skipped": False}
    if format == "edges" and road["index"] == "steps" and case["command"] == "dedup":
        road["index"] = "one"  # the nodes of a graph are known when all of its edges are
    if format in BY_PLACE:
        streams = format != "fvecs" and case["command"] != "query"
        road["container"] = draw.choice(["plain", "gz", "zst"] + ["stdin"] * streams)


def fit_passages(case):
    """They cannot be resumed, and have no pairs to be audited."""
    case["road"] |= {"resume": "no", "audit": None, "sketch": "no"}
    if case["cut"]:
        case["road"]["report"] = False
        case["goal"].pop("gap", None)
        size = len(case["items"])  # any number, of which the case tells by itself
        case |= {"removed": size % 2 == 0, "least_left": [None, 1, 5][size % 3], "most_cut": [None, "0.5", None, "0.9"][size % 4]}
        case["skipped"] = case["faults"] and size % 5 < 3


def fit_query(case, draw):
    """It takes one path for each of its two inputs, and holds all in memory."""
    road = case["road"]
    if case["format"] == "files":
        road["container"] = "folder"
    elif case["format"] not in BY_PLACE and road["container"] not in ("plain", "gz", "zst", "folder", "glob"):
        road["container"] = draw.choice(["folder", "glob"])
    road |= {"scratch": False, "resume": "no", "memory": None, "audit": None, "report": False, "sketch": "no"}
    case["thresholds"] = False
    if case["how"] == "stop":
        case["how"] = None
    if case["goal"]["measure"] != "containment":
        case["share_of"] = None
    if case["limit"] and case["format"] in TEXT_FORMATS and road["index"] == "no" and draw.random() < 0.5:
        ask_for_the_nearest(case["goal"])


def ask_for_the_nearest(goal):
    """Sets, however far: without a threshold, and found without a sketch."""
    if goal["measure"] not in ("jaccard", "weighted-jaccard", "containment") or "features" in goal:
        return
    for key in ("threshold", "bands", "rows", "hashes", "verify"):
        goal.pop(key, None)
    goal["nearest"] = True


def fit_index(case):
    road, case["thresholds"] = case["road"], False
    road |= {"scratch": False, "resume": "no", "memory": None, "audit": None, "report": False, "sketch": "no"}
    if road["index"] == "steps" and case["command"] == "dedup" and case["format"] not in BY_PLACE:
        road["container"] = "several"
        if case["format"] == "files":
            case["items"] = case["items"][:8]  # each is a step


def leave_out_repeated(case):
    """There a second record with an id is no fault: it is added under another one, or ids are not remembered."""
    for name in ("items", "other"):
        if case[name] and "id" in case[name][0]:
            case[name] = [item for item, good in zip(case[name], make.is_usable(case[name])) if good or "fault" in item]


def is_exact(goal):
    """Whether every pair is found: containment is joined exactly and the nearest sets are found, whatever recall is asked for."""
    return goal.get("recall", "1") == "1" or goal["measure"] == "containment" or "nearest" in goal


def can_be_sketched(goal, format):
    """Whether the sketches of a run can be kept."""
    if goal.get("recall") == "1" or goal["measure"] in ("containment", "cosine", "euclidean", "manhattan"):
        return False
    return format not in NUMBER_FORMATS or format in ("table", "edges")


def can_be_indexed(goal):
    unfit = goal["measure"] == "exact" or "features" in goal or "verify" in goal
    return not unfit and goal.get("binarise", "sign") == "sign"


def in_memory_reason(case):
    """Whether a run cannot go to files, so that --scratch is refused: it prepares vectors from all of them at once."""
    return case["bloom"] or "features" in case["goal"] or case["goal"].get("binarise") in ("median", "mean", "unary:3")
