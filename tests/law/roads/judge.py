"""Says what is wrong with a case: runs it on the plain road and on its own, and holds the outputs against each other and against brute force."""
import json
import re
import shutil
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

from roads import cases, decisions, decontaminate, optimal, sifted, truth, units
from roads.cases import BY_PLACE, TEXT_FORMATS, is_exact
from roads.invoke import OLD, Road, tsv
from roads.items import is_usable
from roads.cut import merged, without
from roads.oracle import Oracle, can_judge, chosen, similarity_text
from roads.passages import cut_passages, passages

FIGURES = ("items", "skipped", "empty", "copies", "pairs", "listed", "clusters", "kept", "removed", "recall", "item_recall", "tokens", "passages", "records", "repeated", "hits",
           "suites", "marked", "cut", "true_pairs", "not_found", "accepted", "rejected", "decisions_left_out")
PIVOT = "jsonl"  # the format that texts of every other are held against


class Wrong(Exception):
    """kind: what sort of fault, so that a smaller case can be seen to have the same one."""

    def __init__(self, kind, text, outcome=None):
        super().__init__(text)
        self.kind, self.text, self.outcome = kind, text, outcome


def refusals_of_the_question(case):
    """Why it is refused on any road: patterns of which what is said must match one."""
    goal, found = case["goal"], []
    if case["how"] == "stop" and has_faults(case):
        found.append("")
    if case["annotate"] and case["other"] is not None and not case["thresholds"] and not case["unit"]:
        found.append("--annotate: cannot be combined with --against")
    if case["linkage"] and case["other"] is not None and case["command"] == "dedup":
        found.append("--linkage: has no use with --against")
    if case["linkage"] == "connected" and goal["measure"] == "containment" and case["command"] == "dedup" and not case["annotate"] and not case["thresholds"]:
        found.append("--linkage: connected would remove items that no kept item contains")
    if case["bloom"]:
        if goal["measure"] != "exact":
            found.append("--bloom: finds equal texts only")
        if case["removed"] or case["annotate"] or case["other"] is not None or case["keep"] not in (None, "first"):
            found.append("a Bloom filter does not remember its items")
    found += refusals_of_groups(case)
    if case["decisions"] is not None:
        found += decisions.refusals(case)
    if (case["ignore"] is not None or case["ignore_common"]) and goal["measure"] == "exact":
        found.append("--ignore(-common)?: has no use with --measure exact")
    if case["scope"] and (case["bloom"] or case["road"]["index"] != "no"):
        found.append("knows no scopes|does not compare within or across")
    if case["scope"] and "features" in goal:
        found.append("works for texts, sets and tables, but the plan compares vectors")
    if case["unit"] in units.OVERLAPPING and case["other"] is None and (case["scope"] == "within" or case["scope"] is None and "features" in goal):
        found.append("windows that overlap")
    if case["unit"] and case["annotate"] and case["least_left"]:
        found.append("--annotate: writes all records; leave")
    if case["unit"] and case["bloom"]:
        found.append("--bloom: works on whole records")
    if case["command"] == "query" and goal["measure"] == "exact":
        found.append("has no use with measure exact|exact finds equal texts, not neighbours")
    if optimal.is_asked(case) and case["other"] is None:
        found.append("--optimal: matches two inputs")
    if case["partners"] and goal.get("verify") == "none" and goal["recall"] != "1":
        found.append("--verify: none computes no similarities")
    if case["thresholds"]:
        if case["partners"] and not case["truth"]:
            found.append("--(best|top|one-to-one): has no use with --(thresholds|radii)")
        if any(case[key] for key in ("removed", "skipped", "annotate", "summary", "bloom", "min_size")):
            found.append("has no use with --(thresholds|radii), which only counts")
        if goal["measure"] == "exact":
            found.append("has no use with --measure exact")
        if goal.get("verify", "exact") != "exact":
            found.append("they need exact similarities")
    return found


def refusals_of_groups(case):
    """Of what is kept of a group."""
    found, none = [], case["drop"] or case["repeats"] == "none"
    if case["thresholds"] and any(case[key] for key in ("drop", "repeats", "keep_at_most", "size_field", "least_left", "most_cut", "share_field")):
        found.append("has no use with --(thresholds|radii), which only counts")
    if none and case["goal"]["measure"] == "containment":
        found.append("under containment the (item|unit) that contains the others is not repeated")
    if case["drop"] and case["repeats"]:
        found.append("--drop and --repeats: both say what stays")
    if none and case["keep_at_most"]:
        found.append("--drop: keeps nothing of a group, but --keep-at-most")
    if case["other"] is not None and (none or case["keep_at_most"] or case["size_field"]):
        found.append("is about groups, and against makes none|--repeats: none is about repeats within INPUT")
    if case["annotate"] and (none or case["keep_at_most"]):
        found.append("--annotate: writes all records; leave")
    if case["bloom"] and (none or case["keep_at_most"] or case["size_field"]):
        found.append("a Bloom filter does not remember its items")
    if case["unit"] and case["size_field"]:
        found.append("--size-field: is about whole records")
    if case["road"]["index"] != "no" and (none or case["keep_at_most"] or case["size_field"] or case["share_field"]):
        found.append("cannot be combined with --index")
    return found


def at_fault(case, name):
    return not all(is_usable(case[name] or [], case["same_id"] == "keep"))


def has_faults(case):
    return at_fault(case, "items") or at_fault(case, "other")


def expected_status(case):
    """1 where records were left out that nobody said to skip."""
    if case["how"] == "skip" or case["skipped"] and case["how"] is None:
        return 0
    writes = case["cut"] or case["act"] or case["command"] == "dedup" and not case["thresholds"]
    return 1 if at_fault(case, "other") or at_fault(case, "items") and not writes else 0


def refusals_of_the_road(case):
    road, goal, found = case["road"], case["goal"], []
    by_index = road["index"] != "no"
    if (road["scratch"] or road["resume"] != "no") and cases.in_memory_reason(case):
        found.append("has no use with .*, for which all is held in memory")
    if road["audit"] is not None and goal["measure"] == "exact":
        found.append("--audit: --measure exact finds all")
    if road["report"] and case["bloom"]:
        found.append("--report: a Bloom filter has no pairs")
    if road["memory"] == "64MiB" and road["threads"] > 1 or road["memory"] == "80MiB" and road["threads"] > 2:
        if not case["bloom"]:
            found.append("--memory: .* is too little; the least is")
    if (case["annotate"] or case["size_field"]) and case["format"] not in ("jsonl", "csv", "tsv") and (case["items"] or case["format"] != "files"):
        found.append("have no fields to add to")
    # "hidden" is a field under another spelling in JSON, and in CSV a column of another name that holds this one between commas.
    has_field = any(is_usable(case["items"])) if case["format"] == "jsonl" else road["trap"] == "named"
    if case["annotate"] and not case["unit"] and road["trap"] != "none" and has_field:
        found.append('has a field "cluster" already')
    writable = {"mark": ("jsonl", "csv", "tsv"), "cut": ("jsonl", "csv", "tsv", "lines")}.get(case["act"])
    if writable and case["format"] not in writable and case["items"]:
        found.append("--do: .* is read as format")
    if road["sketch"] != "no":
        if case["unit"] in units.OVERLAPPING:
            found.append("windows that overlap")
        if not cases.can_be_sketched(goal, case["format"]) or goal["measure"] == "exact":
            found.append("no sketches that could be kept|unknown flag --(features|binarise)")
        if case["bloom"]:
            found.append("sketch")
    if by_index and case["command"] == "dedup" and "binarise" in goal and float(goal["radius"]) >= 1 and goal["recall"] != "1":
        found.append("--dimensions: unknown|no index yet|index")  # it is made before there is anything to count in
    if by_index and not cases.can_be_indexed(goal):
        found.append("no index yet|--verify|needs|index|--dimensions: unknown")
    if road["index"] == "create" and case["items"] and not any(is_usable(case["items"])):
        found.append("no record can be used, and no index was made")
    all_at_once = case["annotate"] or case["bloom"] or case["keep"] not in (None, "first") or case["linkage"] is not None
    if by_index and case["command"] == "dedup" and all_at_once:
        found.append("cannot be combined with --index|no index yet")
    return found


def check_manners(outcome, refusals, allowed=()):
    """Holds for every run, whatever is asked: no crash, no talk of damage, and outputs all or none. `allowed`: it may be refused so."""
    errors = [line for line in outcome.said.splitlines() if line.startswith("nearkin: ")]
    if outcome.status < 0 or outcome.status > 2:
        raise Wrong("crash", f"ended with status {outcome.status}: {outcome.said}", outcome)
    if "Sanitizer" in outcome.said or "runtime error: " in outcome.said:
        raise Wrong("crash", outcome.said, outcome)
    if "damaged" in outcome.said:
        raise Wrong("damaged", f"says: {outcome.said}", outcome)
    if outcome.left and outcome.status != 2:
        raise Wrong("left", f"left behind: {outcome.left}", outcome)
    if outcome.status != 2:
        if refusals:
            raise Wrong("accepted", f"was not refused, though {' and '.join(refusals)}", outcome)
        return
    if any(data not in (None, OLD) for data in outcome.outputs.values()) or [name for name in outcome.left if not name.startswith("scratch/")]:
        raise Wrong("half", f"failed, and wrote {[n for n, d in outcome.outputs.items() if d not in (None, OLD)]} {outcome.left}", outcome)
    if [name for name in outcome.left if name.startswith("scratch/")] and "--resume" not in outcome.said:
        raise Wrong("left", f"failed for good, and left {outcome.left}: {outcome.said}", outcome)
    if not errors or not re.match(r"nearkin: .+", errors[-1]):
        raise Wrong("silent", f"failed and says no more than: {outcome.said!r}", outcome)
    if not any(re.search(pattern, errors[-1]) for pattern in [*refusals, *allowed]):
        raise Wrong("refused", f"was refused: {errors[-1]}", outcome)


def plain_case(case):
    """The same question in the format and on the road that is the measure of all others."""
    plain = dict(case, road=dict(cases.PLAIN_ROAD, filter=False), how=case["how"] if case["how"] == "stop" else "skip")
    if case["road"]["index"] != "no" and case["command"] == "dedup":
        plain["road"]["index"] = "one"
    return plain


class Programs(NamedTuple):
    """What runs a case on its road, and on the plain one: the same program, or that of another machine."""
    road: Path
    plain: Path


def judge(programs, case, folder):
    """Raises Wrong. Gives back whether it came to a result, or was refused as it must be."""
    shutil.rmtree(folder, ignore_errors=True)
    question, by_road = refusals_of_the_question(case), refusals_of_the_road(case)
    is_text = case["format"] in TEXT_FORMATS
    format = PIVOT if is_text else case["format"]
    plain, plan = None, None
    in_steps = case["road"]["sketch"] != "no" or case["road"]["index"] != "no"
    if not (by_road and case["road"]["index"] != "no"):
        pivot = Road(programs.plain, folder / "plain", plain_case(case), plain_case(case)["road"], format)
        plain = pivot.run()
        check_manners(plain, refusals_of_the_question(dict(case, bloom=False)))  # it has no filter
        # Items have one plan, however they are kept. What is made in steps must be told of it.
        plan = plain.plan() if in_steps else None
    road = Road(programs.road, folder / "road", case, case["road"], case["format"], plan)
    outcome = road.run()
    # A step may meet records at fault and no others.
    check_manners(outcome, question + by_road, ["no record can be used"] if in_steps and has_faults(case) else [])
    if outcome.status == 2 or plain is None or plain.status == 2:
        return "refused"
    compare(case, pivot, plain, road, outcome)
    # Of cosines more digits count than are shown.
    if case["partners"] and case["command"] == "pairs" and is_text and case["unit"] != "sentence" and not case["json"] and case["goal"]["measure"] != "cosine":
        compare_partners(programs, case, folder / "all", plain)
    if case["road"]["index"] != "no" and road.start(["index", "verify", "made.nearkin", "-q"]) != 0:
        raise Wrong("index", f"the index is not sound: {road.said}", outcome)
    if case["command"] == "query" and case["road"]["index"] != "no" and not case["same_id"] and not case["unit"] and not has_faults(case):
        compare_like(case, road, outcome)
    return "answered"


def compare_like(case, road, outcome):
    """An item of the index is asked with by its id as by its content, and left out."""
    ask = ["query", "made.nearkin", "--json", "-q", *(["--share-of", case["share_of"]] if case["share_of"] else [])]
    if road.start([*ask, *road.input.paths, *road.input.reading_flags(), *road.threads()], road.input.stdin) != 0:
        raise Wrong("like", f"the index cannot be asked with its own items: {road.said}", outcome)
    rows = [json.loads(line) for line in road.stdout.splitlines()]
    ids = list(dict.fromkeys(row["query"] for row in rows))
    if not ids or any("\0" in name or "\ufffd" in name for name in ids):
        return
    if road.start([*ask, *(f"--like={name}" for name in ids)]) != 0:
        raise Wrong("like", f"the index cannot be asked by the ids of its items: {road.said}", outcome)
    got = [json.loads(line) for line in road.stdout.splitlines()]
    expect("like", [row for row in rows if row["query"] != row["id"]], got, outcome)


def expect(name, expected, got, outcome):
    if got is not None and expected != got:
        raise Wrong(f"differs:{name}", f"{name} differs\n--- expected\n{shown(expected)}\n--- got\n{shown(got)}", outcome)


def shown(data):
    return data[:3000].decode("utf-8", "backslashreplace") if isinstance(data, bytes) else str(data)


def compare(case, pivot, plain, road, outcome):
    expected = expected_status(case) if case["format"] in TEXT_FORMATS else plain.status
    if case["road"]["sketch"] == "no" and case["road"]["index"] == "no" and expected != outcome.status:
        raise Wrong("status", f"exit status {outcome.status}, expected {expected}", outcome)
    if case["format"] in TEXT_FORMATS:
        return compare_texts(case, pivot, plain, road, outcome)
    for name, data in outcome.outputs.items():
        expected = plain.outputs[name]
        if name == "stats":
            compare_figures(expected, data, outcome)
            continue
        if name == "output" and case["command"] == "dedup" and not case["thresholds"]:
            data = road.input.as_plain(data)
        if name == "output" and len(getattr(outcome, "steps", {}).get(name, [])) > 1:
            expected, data = body_of([expected], road), body_of([road.input.as_plain(step) for step in outcome.steps[name]], road)
        if case["road"]["container"] == "stdin" and case["format"] in BY_PLACE:
            expected = re.sub(rb"in\.(dense|npy|fvecs):(\d)", rb"-:\2", expected)
        if name == "output" and case["command"] == "dedup" and not road.input.binary and data is not None:
            expected, data = one_ending(expected), one_ending(data)
        expect(name, expected, data, outcome)


def compare_figures(plain, own, outcome):
    """Of --stats what is about the items, and not about the way it was done."""
    both = [json.loads(data) for data in (plain, own)]
    for told in both:
        told["skipped"] = told.get("skipped", 0) + told.get("kept_at_fault", 0)
    both = [{key: value for key, value in told.items() if key in FIGURES} for told in both]
    expect("stats", *both, outcome)


def body_of(outputs, road):
    """The lines of several outputs, without the header that each of them has."""
    header = road.input.plain(road.input.header()).rstrip(b"\r\n")
    return b"".join(line + b"\n" for data in outputs for line in one_ending(data).splitlines() if line != header)


def one_ending(data):
    data = data.replace(b"\r\n", b"\n")
    return data if data.endswith(b"\n") or not data else data + b"\n"


def compare_texts(case, pivot, plain, road, outcome):
    for name, data in plain.outputs.items():
        if name == "skipped":
            expect(name, road.input.skipped(), outcome.outputs[name], outcome)
        elif name == "output" and (case["cut"] or case["command"] == "dedup" and not case["thresholds"]):
            compare_kept(case, data, road, outcome)
        elif name == "output" and case["act"]:
            compare_clean(case, data, road, outcome)
        elif name == "stats":
            compare_figures(data, outcome.outputs[name], outcome)
        elif name in outcome.outputs:
            expect(name, data, outcome.outputs[name], outcome)
    if not case["same_id"] and can_judge(case, case["items"] + (case["other"] or [])):
        compare_with_oracle(*in_units(case), plain)


def compare_kept(case, plain_kept, road, outcome):
    records = [json.loads(line) for line in plain_kept.decode().splitlines()]
    measured = "estimate" if case["goal"].get("verify") == "estimate" and not cases.is_exact(case["goal"]) else "similarity"
    numbers = (measured, "cut_share", case["share_field"])
    added = ([] if not case["annotate"] else ["cut", "cut_share"] if case["unit"] else ["cluster", "keeper", measured])
    added += [case["size_field"]] if case["size_field"] else [case["share_field"]] if case["share_field"] and case["annotate"] else []
    if added:
        marks = {record["id"]: [six_digits(case, record[name]) if name in numbers else record[name] for name in added] for record in records}
        return expect("output", road.input.annotated(added, marks), outcome.outputs["output"], outcome)
    steps = getattr(outcome, "steps", {}).get("output", [])
    if case["unit"] or case["cut"]:
        texts = [(record["id"], record["text"]) for record in records]
        written = road.input.outputs_as_one(steps) if len(steps) > 1 else outcome.outputs["output"]
        return expect("output", one_blank(case, texts), one_blank(case, road.input.texts_in(written)), outcome)
    ids = [record["id"] for record in records]
    if len(steps) > 1:
        return compare_steps(ids, steps, road, outcome)
    expect("output", road.input.kept(ids), outcome.outputs["output"], outcome)


def six_digits(case, number):
    """As a cell of a table has a number of JSON."""
    if case["format"] == "jsonl" or number is None:
        return "" if number is None and case["format"] != "jsonl" else number
    return f"{int(abs(number) * 1e6 * (1 + 1e-12) + 1e-6) / 1e6:.6f}".rstrip("0").rstrip(".")


def compare_clean(case, plain_written, road, outcome):
    """Of decontaminate --do: what stands in the records of other formats, byte for byte where nothing is cut."""
    records = [json.loads(line) for line in plain_written.decode().splitlines()]
    if case["act"] == "cut":
        texts = [(record["id"], record["text"]) for record in records]
        return expect("output", one_blank(case, texts), one_blank(case, road.input.texts_in(outcome.outputs["output"])), outcome)
    if case["act"] == "remove":
        return expect("output", road.input.kept([record["id"] for record in records]), outcome.outputs["output"], outcome)
    empty = {} if case["format"] == "jsonl" else {"contaminated": ""}
    marks = {record["id"]: [mark for mark in [(empty | record).get("contaminated")] if mark is not None] for record in records}
    expect("output", road.input.annotated(["contaminated"], marks), outcome.outputs["output"], outcome)


def one_blank(case, texts):
    """Between the id of a line and its text there is one blank, and more of them belong to neither."""
    return [(name, text.strip(" ")) for name, text in texts] if case["format"] == "lines" else texts


def compare_steps(ids, steps, road, outcome):
    """Each step writes what it keeps of its own file."""
    for number, data in enumerate(steps):
        expect("output", road.input.kept_of_file(number, set(ids)), data, outcome)


def rows(lines):
    return "".join("\t".join(tsv(str(cell)) for cell in line) + "\n" for line in lines).encode()


def in_units(case):
    """The case of which each unit is an item, and the records that they are of."""
    if not case["unit"]:
        return case, None
    records = {name: [item for item, good in zip(case[name], is_usable(case[name])) if good] for name in ("items", "other") if case[name] is not None}
    return case | {name: units.divided(items, case["unit"], case["least_unit"] or 0) for name, items in records.items()}, records["items"]


def compare_with_oracle(case, records, plain):
    """Exact joins give all of it; runs by sketches some of it, and nothing else."""
    if case["cut"]:
        return compare_cut_passages(case, plain)
    if case["command"] == "passages":
        return None if case["json"] else expect("oracle", rows(passages(case)), plain.outputs["output"], plain)
    if case["command"] == "decontaminate":
        return compare_hits(case, plain)
    oracle = Oracle(case)
    if not is_exact(case["goal"]):
        if case["command"] == "pairs" and not case["json"] and not case["thresholds"]:
            true = set(rows(true_pairs(oracle, all_of_them=True)).splitlines())
            untrue = [line for line in plain.outputs["output"].splitlines() if line not in true]
            expect("pairs that are none", b"", b"\n".join(untrue), plain)
        return
    if case["truth"]:
        return None if case["json"] or optimal.is_asked(case) else expect("oracle", [], truth.differences(oracle, plain.outputs["output"]), plain)
    if case["thresholds"]:
        return compare_counts(case, oracle, plain)
    if case["command"] == "query":
        return None if case["json"] else expect("oracle", rows(oracle.hits(case["limit"])), plain.outputs["output"], plain)
    if case["command"] == "pairs":
        if optimal.is_asked(case):
            return None if case["json"] else compare_optimal(oracle, plain)
        return None if case["json"] else expect("oracle", rows(true_pairs(oracle)), plain.outputs["output"], plain)
    if case["road"]["index"] != "no" and case["unit"]:
        written, removed = sifted.by_units(case, records, oracle)
        got = [json.loads(line) for line in plain.outputs["output"].splitlines()]
        expect("oracle", written, [(record["id"], record["text"]) for record in got], plain)
        if case["removed"] and not case["json"]:
            expect("oracle: removed", rows(removed), plain.outputs["removed"], plain)
        return
    if case["road"]["index"] != "no":
        kept, removed = oracle.seen_before()
        expect("oracle", kept, [json.loads(line)["id"] for line in plain.outputs["output"].splitlines()], plain)
        if case["removed"] and not case["json"]:
            expect("oracle: removed", rows(removed), plain.outputs["removed"], plain)
        return
    if case["unit"] and case["command"] == "dedup":
        return compare_cut(case, records, oracle, plain)
    compare_groups(case, oracle, plain)


def compare_hits(case, plain):
    hits = plain.outputs.get("hits") if case["act"] else plain.outputs["output"]
    if hits is not None and not case["json"]:
        expect("oracle", rows(decontaminate.listed(case)), hits, plain)
    if case["act"]:
        written = [json.loads(line) for line in plain.outputs["output"].decode().splitlines()]
        expect("oracle: output", list(decontaminate.written(case)), [(r["id"], r["text"], r.get("contaminated")) for r in written], plain)


def compare_cut(case, records, oracle, plain):
    across = case["other"] is not None
    keepers = oracle.keepers_across() if across else oracle.keepers(case["linkage"] or "star")
    gone = [keeper is not None if across else keeper != row for row, keeper in enumerate(keepers)]
    if not across:
        stay = staying(case, oracle, keepers)
        gone = [row not in stay for row in range(len(keepers))]
    expected, told = [], []
    whole = staying_whole(case, keepers, gone)
    if case["least_left"]:
        needed = needed_records(case, records, oracle, keepers, gone, whole)
    for number, record in enumerate(records):
        rows_of = [row for row, item in enumerate(oracle.items) if item["record"] == number]
        parts = cut_parts(oracle, record["text"], rows_of, gone, whole)
        left = without(record["text"], parts)
        words, words_left = (len(re.findall("[A-Za-z0-9]+", text)) for text in (record["text"], left))
        alone = words - words_left > Fraction(case["most_cut"] or "1") * words
        cut = not alone and any(begin < end for begin, end in parts)
        if case["annotate"]:
            told.append(told_of_cuts(record["text"], parts if cut else []))
            expected.append((record["id"], record["text"]))
        elif not cut or words_left >= (case["least_left"] or 0) or number in needed:
            expected.append((record["id"], left if cut else record["text"]))
    got = [json.loads(line) for line in plain.outputs["output"].splitlines()]
    expect("oracle", expected, [(record["id"], record["text"]) for record in got], plain)
    if case["annotate"]:
        expect("oracle: cut", told, [(record["cut"], record["cut_share"]) for record in got], plain)
    if case["share_field"]:
        shares = shares_of(records, oracle, keepers, across)
        expect("oracle: shares", {record["id"]: shares[record["id"]] for record in got}, {record["id"]: record["share"] for record in got}, plain)


def staying_whole(case, keepers, gone):
    """Rows that stay in the place of others: windows that overlap them leave their words alone."""
    if case["unit"] not in units.OVERLAPPING or case["other"] is not None:
        return set()
    lose = {keeper for keeper, goes in zip(keepers, gone) if goes}
    return {row for row, keeper in enumerate(keepers) if not gone[row] and keeper in lose}


def cut_parts(oracle, text, rows_of, gone, whole):
    """The parts of a text that go: runs of words of units that go, without words of units that stay whole."""
    spans = [oracle.items[row]["span"] for row in rows_of if gone[row]]
    spared = [oracle.items[row]["span"] for row in rows_of if row in whole]
    return spans if not spared else words_without(text, spans, spared)


def words_without(text, spans, spared):
    inside = lambda place, those: any(begin <= place < end for begin, end in those)
    parts, open_part = [], False
    for word in re.finditer("[A-Za-z0-9]+", text):
        goes = inside(word.start(), spans) and not inside(word.start(), spared)
        together = open_part and any(begin <= parts[-1][0] and word.end() <= end for begin, end in merged(spans))
        if goes and together:
            parts[-1] = (parts[-1][0], word.end())
        elif goes:
            parts.append((word.start(), word.end()))
        open_part = goes
    return parts


def needed_records(case, records, oracle, keepers, gone, whole):
    """Records with a unit that stays in the place of one that is cut out of another record."""
    needed = set()
    for number, record in enumerate(records):
        rows_of = [row for row, item in enumerate(oracle.items) if item["record"] == number]
        left = without(record["text"], cut_parts(oracle, record["text"], rows_of, gone, whole))
        words, words_left = (len(re.findall("[A-Za-z0-9]+", text)) for text in (record["text"], left))
        if words - words_left > Fraction(case["most_cut"] or "1") * words or case["other"] is not None:
            continue
        needed |= {oracle.items[keepers[row]]["record"] for row in rows_of if gone[row] and not gone[keepers[row]]} - {number}
    return needed


def told_of_cuts(text, parts):
    """The fields cut and cut_share of a record from which these parts of its text would go."""
    inside = set().union(*(range(*part) for part in parts))
    begins = sorted(at for at in inside if at - 1 not in inside)  # parts that touch are told as one
    ends = sorted(at + 1 for at in inside if at + 1 not in inside)
    places = [word.start() for word in re.finditer("[A-Za-z0-9]+", text)]
    share = sum(place in inside for place in places) / len(places) if places else 0
    return " ".join(f"{begin}-{end}" for begin, end in zip(begins, ends)), share


def shares_of(records, oracle, keepers, across):
    """Of each record the share of its words in units that have another like them."""
    shares = {}
    for number, record in enumerate(records):
        inside = set()
        for row, item in enumerate(oracle.items):
            alike = keepers[row] is not None if across else keepers.count(keepers[row]) > 1
            if item["record"] == number and alike:
                inside |= set(range(*item["span"]))
        places = [word.start() for word in re.finditer("[A-Za-z0-9]+", record["text"])]
        shares[record["id"]] = sum(place in inside for place in places) / len(places) if places else 0
    return shares


def compare_cut_passages(case, plain):
    decided, needed = [], set()
    for number, (record, repeated, firsts) in enumerate(cut_passages(case)):
        text = record["text"]
        left = without(text, repeated)
        words, words_left = (len(re.findall("[A-Za-z0-9]+", part)) for part in (text, left))
        alone = words - words_left > Fraction(case["most_cut"] or "1") * words
        if repeated and not alone and case["other"] is None:
            needed |= firsts - {number}
        decided.append((record["id"], text if alone else left, not repeated or alone or words_left >= (case["least_left"] or 0)))
    expected = [(name, text) for number, (name, text, stays) in enumerate(decided) if stays or number in needed]
    got = [json.loads(line) for line in plain.outputs["output"].splitlines()]
    expect("oracle", expected, [(record["id"], record["text"]) for record in got], plain)


def compare_partners(programs, case, folder, plain):
    """Whatever the measure and the search, those that are listed are the ones to be chosen of all that are found."""
    every = dict(plain_case(case), partners=None, stats=False)
    found = Road(programs.plain, folder, every, every["road"], PIVOT).run()
    across = case["other"] is not None
    rows = [{tsv(item["id"]): row for row, item in enumerate(item for item, good in zip(items, is_usable(items)) if good)}
            for items in (case["items"], case["other"] if across else case["items"])]

    def place(side, id):
        """Where an item is: the row of its record and, of a unit, the byte that it begins with."""
        owner, _, span = id.rpartition(":") if case["unit"] else (id, "", "0-0")
        return rows[side][owner], int(span.partition("-")[0])

    lines = found.outputs["output"].decode().splitlines()
    pairs = [(place(0, a), place(1, b), Fraction(s.removeprefix("~"))) for a, b, s in (line.split("\t") for line in lines)]
    if case["decisions"]:
        usable = [[item for item, good in zip(items or [], is_usable(items or [])) if good] for items in (case["items"], case["other"])]
        preferred = decisions.Decided(case["decisions"], usable[0], usable[1] if across else None).preferred((a[0], b[0], s) for a, b, s in pairs)
        pairs = [(a, b, s) for (a, b, _), (_, _, s) in zip(pairs, preferred)]
    if optimal.is_asked(case):
        pair_of = dict(zip(lines, (pair[:2] for pair in pairs)))
        listed = [pair_of.get(line, line) for line in plain.outputs["output"].decode().splitlines()]
        return expect("partners", [], optimal.faults(pairs, listed, unsure=1_000), plain)  # six decimals are shown
    left = {pair[:2] for pair in chosen(pairs, case["partners"], across, case["goal"]["measure"] == "containment")}
    expected = [line for line, pair in zip(lines, pairs) if pair[:2] in left]
    expect("partners", "".join(line + "\n" for line in expected).encode(), plain.outputs["output"], plain)


def compare_optimal(oracle, plain):
    pairs = oracle.decided.preferred((a, b, Fraction(shared, total)) for a, b, shared, total in oracle.decided_matches())
    pair_of = dict(zip(rows(true_pairs(oracle, all_of_them=True)).splitlines(), (pair[:2] for pair in pairs)))
    listed = [pair_of.get(line, line) for line in plain.outputs["output"].splitlines()]
    expect("oracle", [], optimal.faults(pairs, listed), plain)


def true_pairs(oracle, all_of_them=False):
    seconds = oracle.others if oracle.case["other"] is not None else oracle.items
    return [(oracle.items[a]["id"], seconds[b]["id"], similarity_text(shared, total)) for a, b, shared, total in (oracle.decided_matches() if all_of_them else oracle.listed())]


def compare_groups(case, oracle, plain):
    ids = [item["id"] for item in oracle.items]
    if case["other"] is not None:
        keepers = oracle.keepers_across()
        return expect("oracle", [i for i, keeper in zip(ids, keepers) if keeper is None], kept_ids(plain), plain)
    linkage = case["linkage"] or ("star" if case["command"] == "dedup" else "connected")
    keepers = oracle.keepers(linkage)
    numbers = {}
    for keeper in keepers:
        numbers.setdefault(keeper, len(numbers))
    sizes = [keepers.count(keeper) for keeper in keepers]
    if case["command"] == "cluster":
        least = case["min_size"] or 1
        listed = [(i, numbers[k]) for i, k, size in zip(ids, keepers, sizes) if size >= least]
        return None if case["json"] else expect("oracle", rows(listed), plain.outputs["output"], plain)
    records = [json.loads(line) for line in plain.outputs["output"].splitlines()]
    if case["size_field"]:
        found = {i: size for i, size in zip(ids, sizes)}
        expect("oracle: sizes", [found[r["id"]] for r in records], [r[case["size_field"]] for r in records], plain)
    if case["annotate"]:
        marks = [(i, numbers[k], ids[k]) for i, k in zip(ids, keepers)]
        return expect("oracle", marks, [(r["id"], r["cluster"], r["keeper"]) for r in records], plain)
    stay = staying(case, oracle, keepers)
    expect("oracle", [i for row, i in enumerate(ids) if row in stay], kept_ids(plain), plain)
    if case["removed"] and not case["json"]:
        beside = [k if k != row else next((other for other, of in enumerate(keepers) if of == row and other != row), None) for row, k in enumerate(keepers)]
        removed = [(ids[row], ids[k], similarity_text(*oracle.between(row, k))) for row, k in enumerate(beside) if row not in stay]
        expect("oracle: removed", rows(removed), plain.outputs["removed"], plain)


def staying(case, oracle, keepers):
    """The rows that are kept: of each group the first ones in the order of keeping, or those that are alone."""
    if case["drop"] or case["repeats"] == "none":
        return {row for row, keeper in enumerate(keepers) if keepers.count(keeper) == 1}
    met, stay = {}, set()
    for row in oracle.order(oracle.items):
        met[keepers[row]] = met.get(keepers[row], 0) + 1
        if met[keepers[row]] <= (case["keep_at_most"] or 1):
            stay.add(row)
    return stay


def kept_ids(plain):
    return [json.loads(line)["id"] for line in plain.outputs["output"].splitlines()]


def compare_counts(case, oracle, plain):
    """--thresholds: pairs, groups of two and more, and what they would lose."""
    if case["other"] is not None or case["json"]:
        return
    linkage = case["linkage"] or ("star" if case["command"] == "dedup" else "connected")
    for line in plain.outputs["output"].decode().splitlines()[1:]:
        threshold, *counts = line.split()[:4]
        matches = oracle.matches(type(oracle.threshold)(threshold))
        keepers = oracle.keepers(linkage, matches)
        groups = sum(1 for keeper in set(keepers) if keepers.count(keeper) > 1)
        left = keepers if case["command"] == "dedup" else oracle.keepers("star", matches)  # what dedup would keep
        lost = sum(1 for row, keeper in enumerate(left) if keeper != row)
        expect("oracle: counts", [len(matches), groups, lost], [int(count.replace(",", "")) for count in counts], plain)
