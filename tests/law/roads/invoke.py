"""Runs a case on a road, and gives back all that it wrote and said."""
import os
import resource
import shutil
import subprocess
import zlib

from roads import decisions, score, truth
from roads.cases import TEXT_FORMATS
from roads.layout import FORMAT_NAME, NAMES, OTHER_NAMES, Layout, joined

TIMEOUT_SECONDS = 120
OLD = b"what stood here before"
MEASURES = ("jaccard", "weighted-jaccard", "containment", "cosine", "hamming", "euclidean", "manhattan", "exact")


def tsv(field):
    return field.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


class Outcome:
    """Of a road: exit status, what was said, outputs by name, the command lines."""

    def __init__(self, status, said, outputs, lines):
        self.status, self.said, self.outputs, self.lines = status, said, outputs, lines

    def plan(self):
        for line in self.said.splitlines():
            rest = line.removeprefix("nearkin: ")
            if rest != line and rest.split(">=")[0].split("<=")[0].split(" ")[0] in MEASURES:
                return rest
        return None


def goal_flags(goal, thresholds, least_flag="--least"):
    flags = []
    if goal["measure"] == "passages":
        flags = [word for key in ("gap", "shingle", "normalise") if key in goal for word in (f"--{key}", str(goal[key]))]
        return [least_flag, str(goal["least"]), *flags]
    if goal["measure"] == "decontaminate":
        return [word for key in ("shingle", "share", "least-item", "normalise") if key in goal for word in (f"--{key}", str(goal[key]))]
    for key in ("measure", "features", "binarise", "shingle", "normalise", "threshold", "radius", "recall", "bands", "rows", "hashes", "verify", "large-bucket"):
        if key in goal and not (thresholds and key in ("threshold", "radius")):
            flags += [f"--{key}", str(goal[key])]
    return flags + (["--bag"] if goal.get("bag") else [])


def what_if_flags(case):
    if not case["thresholds"]:
        return []
    if "radius" in case["goal"]:
        radius = case["goal"]["radius"]
        return ["--radii", f"{float(radius) / 2:g},{radius}" if float(radius) < 1 or float(radius) / 2 >= 1 else radius]
    return ["--thresholds", ",".join([case["goal"].get("threshold", "0.5"), "1"] if case["goal"].get("threshold") != "1" else ["1"])]


def unit_flags(case):
    flags = ["--unit", case["unit"]] if case["unit"] else []
    return flags + (["--least-unit", str(case["least_unit"])] if case["least_unit"] else [])


def scope_flags(case):
    return [f"--{case['scope']}", "group"] if case["scope"] else []


def asked_flags(case):
    flags = what_if_flags(case)
    for key in ("keep", "linkage", "min_size", "limit", "repeats", "least_left", "most_cut", "keep_at_most", "drop", "size_field", "share_of", "share_field"):
        if case[key] is not None:
            flags += ["--" + key.replace("_", "-"), str(case[key])]
    if case["act"]:
        flags += ["--do", case["act"]]
    if case["decisions"] is not None:
        flags += ["--decisions", decisions.FILE]
    for flag, value in (("--faults", case["how"]), ("--same-id", case["same_id"])):
        flags += [flag, value] if value else []
    if case["partners"]:
        flags += ("--" + case["partners"]).split()
    # Of which --json says how they are written: the result itself, or a list beside records.
    rows = case["command"] != "dedup" and not case["cut"] and not case["act"] or case["removed"] or case["thresholds"] or case["hits"]
    switches = {"annotate": case["annotate"], "json": case["json"] and rows}
    return flags + [f"--{name}" for name, wanted in switches.items() if wanted]


class Road:
    """Runs one case in a folder of its own, whose name does not reach the command line."""

    def __init__(self, binary, folder, case, road, format, plan=None):
        self.binary, self.folder, self.case, self.road, self.format, self.plan = binary, folder, case, road, format, plan
        self.lines, self.said = [], ""
        folder.mkdir(parents=True)
        (folder / "out").mkdir()
        shape = {"ending": road["ending"], "empty_file": road["empty_file"], "trap": road["trap"], "parts": road["parts"],
                 "encoding": road["encoding"], "star": road["star"], "made": road["made"]}
        self.input = Layout(case["items"], "in", format, road["container"], **shape).write(folder)
        self.input.units = unit_flags(case) + scope_flags(case)
        self.input.keeps = case["how"] == "keep" or case["how"] is None and not case["skipped"]
        self.input.added = 1 if case["share_field"] else 0  # fields, where texts are cut
        self.other = None
        if case["other"] is not None:
            shape |= {"trap": "none", "names": OTHER_NAMES if road["other_names"] else NAMES}
            self.other = Layout(case["other"], "other", format, road["other_container"], **shape).write(folder)
            self.other.units = unit_flags(case) + scope_flags(case)
        if case["truth"]:
            name, data = truth.file_of(case["truth"])
            (folder / name).write_bytes(data)
        if case["decisions"] is not None:
            (folder / decisions.FILE).write_bytes(decisions.file_of(case["decisions"], tsv))
        for number, text in enumerate(case["ignore"] or []):
            record = f"t{number} {text}\n" if format == "sets" else text
            plain = format == "sets" or format == "warc" and road["made"] != "page"
            data = self.input.mark + self.input.spelled(record.encode()) if plain else self.input.file_bytes(record)
            (folder / f"template{number}.txt").write_bytes(data)

    def start(self, arguments, stdin=None, limit=None):
        """Exit status; what is said is added to what was said before."""
        environment = dict(os.environ, TMPDIR="scratch", LC_ALL="C.UTF-8")
        environment.pop("NEARKIN_KERNEL", None)
        if self.road["kernel"] == "scalar":
            environment["NEARKIN_KERNEL"] = "scalar"
        line = [str(self.binary), *arguments]
        self.lines.append(arguments + (["<", "in"] if stdin is not None else []))
        (self.folder / "scratch").mkdir(exist_ok=True)
        limiting = (lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))) if limit else None
        done = subprocess.run(line, cwd=self.folder, env=environment, input=stdin if stdin is not None else b"", capture_output=True,
                              timeout=TIMEOUT_SECONDS, preexec_fn=limiting)
        self.said += done.stderr.decode("utf-8", "backslashreplace")
        self.stdout = done.stdout
        return done.returncode

    def goal(self):
        if self.case["goal"]["measure"] == "score":
            return self.score()
        least_flag = "--passages" if self.case["cut"] else "--least"
        goal = ["--plan", self.plan] if self.plan else goal_flags(self.case["goal"], self.case["thresholds"], least_flag)
        return goal + self.ignored() + self.directed()

    def directed(self):
        """An index remembers it."""
        return ["--directed", self.case["goal"]["directed"]] if "directed" in self.case["goal"] else []

    def score(self):
        """The goal as a score."""
        flags = score.flags(self.case["goal"], (self.other or self.input).names)
        if self.case["thresholds"]:
            at = flags.index("--threshold")
            del flags[at:at + 2]
        return flags

    def ignored(self):
        flags = [word for number in range(len(self.case["ignore"] or [])) for word in ("--ignore", f"template{number}.txt")]
        return flags + (["--ignore-common", self.case["ignore_common"]] if self.case["ignore_common"] else [])

    def outputs_wanted(self):
        """Flags, and by name where each output goes."""
        suffix = {"gz": ".gz", "zst": ".zst"}.get(self.road["output"], "")
        wanted = {} if self.road["output"] == "stdout" else {"output": "out/output" + suffix}
        for name in ("removed", "skipped", "summary", "hits"):
            if self.case[name]:
                wanted[name] = "out/" + name
        if self.road["report"]:
            wanted["report"] = "out/page.html"
        if self.case["stats"]:
            wanted["stats"] = "out/stats"
        return [word for name, path in wanted.items() for word in (f"--{name}", path)], wanted

    def threads(self):
        return ["--threads", str(self.road["threads"])]

    def resources(self):
        flags = self.threads()
        for key in ("memory", "audit"):
            if self.road[key] is not None:
                flags += [f"--{key}", str(self.road[key])]
        return flags + (["--scratch", "scratch"] if self.road["scratch"] else [])

    def inputs(self):
        return self.input.paths + self.input.reading_flags()

    def sketch(self):
        """The input, and what it is compared with, as sketch files; the status of the first that fails, and what stands for the paths."""
        keep = self.case["keep"] or ""
        extra = ["--keep", keep] if keep.startswith(("max:", "min:")) else []
        sketched = {key: value for key, value in self.case["goal"].items() if key != "large-bucket"}  # a rule of the search
        goal = (["--plan", self.plan] if self.plan else goal_flags(sketched, False)) + self.ignored() + self.directed()
        common = [*goal, *extra, *self.threads()]
        common += ["--same-id", self.case["same_id"]] if self.case["same_id"] else []
        common += (["--faults", "stop"] if self.case["how"] == "stop" else []) + (["--scratch", "scratch"] if self.road["scratch"] else [])
        single = self.road["sketch"] == "one" or self.input.container in ("list", "stdin")
        sources = [self.input.paths] if single else [[path] for path in self.input.paths]
        made, worst = [], 0
        for number, paths in enumerate(sources):
            made.append(f"s{number}.sketch")
            status = self.start(["sketch", *paths, *self.input.reading_flags(), *common, "-o", made[-1], "-q"], self.input.stdin)
            if status not in (0, 1):
                return status, made
            worst = max(worst, status)
        if self.other and self.road["sketch"] == "each":
            status = self.start(["sketch", *self.other.paths, *self.other.reading_flags(), *common, "-o", "o.sketch", "-q"])
            self.other.paths = ["o.sketch"]
            worst = max(worst, status) if status >= 0 else status
        return worst, made

    def run(self):
        command = self.case["command"]
        if self.road["index"] != "no":
            return self.query_index() if command == "query" else self.dedup_index()
        inputs, stdin = self.inputs(), self.input.stdin
        if self.road["sketch"] != "no":
            status, made = self.sketch()
            if status not in (0, 1):
                return self.outcome(status, {})
            inputs, stdin = [*made, *self.input.reading_flags()], None
        flags, wanted = self.outputs_wanted()
        line = ["dedup" if self.case["cut"] else command, *inputs]
        if command == "decontaminate":
            line += [word for name in ["suite", "again"][:1 + self.case["twice"]] for word in ("--against", f"{name}={self.other.paths[0]}")]
        if self.other and command != "query":
            line += self.other.against_flags(by_score=self.road["by_score"] or self.case["goal"]["measure"] == "score")
        if self.other and command != "decontaminate":
            line += self.other.paths if command == "query" else ["--against", self.other.paths[0]]
        line += (self.score() if self.road["by_score"] else self.goal()) + asked_flags(self.case) + truth.flags(self.case) + (["--bloom", "1e-9"] if self.case["bloom"] and self.road.get("filter", True) else [])
        if self.road.get("listed"):
            status, line = self.with_list(line, stdin)
            if status not in (0, 1):
                return self.outcome(status, {})
        return self.run_line(line, flags, wanted, stdin)

    def with_list(self, line, stdin):
        """What is ignored, listed by a run of its own, and the line with this list instead; that run's status comes first."""
        ignored, said = self.ignored(), self.said
        listing = [word for word in line if word != "--json"]  # which dedup takes only for the list of what it removes
        status = self.start([*listing, *self.threads(), "--ignored", "list", "-o", "/dev/null", "-q"], stdin)
        if status not in (0, 1):
            return status, line
        self.said = said
        at = next(i for i in range(len(line)) if line[i:i + len(ignored)] == ignored)
        listed = ["--ignore", "list"] if (self.folder / "list").stat().st_size else []
        return status, [*line[:at], *listed, *line[at + len(ignored):]]

    def run_line(self, line, flags, wanted, stdin):
        line = line + self.resources()
        if self.road["resume"].startswith("after"):
            self.end_early(line, flags, wanted, stdin)
        if self.road["resume"] != "no":
            line = line + ["--resume"]
        self.put_old(wanted)
        return self.outcome(self.start(line + flags, stdin), wanted)

    def put_old(self, wanted):
        """The outputs of an earlier run, which must stay where this one fails."""
        for path in wanted.values():
            (self.folder / path).write_bytes(OLD)

    def end_early(self, line, flags, wanted, stdin):
        """A first run, which fails where its output or one of its files finds no room: what it leaves is there to go on with."""
        said, self.said = self.said, ""
        if self.road["resume"] == "after_full_output":
            full = [word if word != wanted.get("output") else "/dev/full" for word in flags] + ([] if "output" in wanted else ["-o", "/dev/full"])
            self.start(line + full, stdin)
        else:
            size = [200, 5000, 20000][zlib.crc32(repr(line).encode()) % 3]
            self.start(line + flags, stdin, limit=size)
        self.said = said
        for path in (self.folder / "out").iterdir():
            path.unlink()

    def outcome(self, status, wanted):
        outputs = {name: self.read(path) for name, path in wanted.items()}
        if status in (0, 1) and "output" not in outputs:
            outputs["output"] = self.stdout
        outputs.pop("report", None)
        left = [path.name for path in (self.folder / "out").iterdir() if "out/" + path.name not in wanted.values()]
        left += ["scratch/" + path.name for path in (self.folder / "scratch").iterdir()]
        result = Outcome(status, self.said, outputs, self.lines)
        result.left, result.stdout = left, self.stdout
        return result

    def read(self, path):
        path = self.folder / path
        data = path.read_bytes() if path.exists() else None
        if data is None or data == OLD:
            return data
        if path.suffix == ".gz":
            return b"".join(members_of(data))
        return self.unpacked(path) if path.suffix == ".zst" else data

    def unpacked(self, path):
        """By the program zstd; None, which is not looked at, where it is not installed."""
        tool = shutil.which("zstd")
        return subprocess.run([tool, "-dcq", str(path)], capture_output=True, check=True).stdout if tool else None

    def query_index(self):
        create = ["index", "create", "made.nearkin"]
        parts = [self.input.paths]
        if self.road["index"] == "steps":
            parts = [[]] + ([[path] for path in self.input.paths] if self.input.container not in ("list", "stdin") else parts)
        for number, paths in enumerate(parts):
            verb = [*create, *paths, *self.goal()] if number == 0 else ["index", "add", "made.nearkin", *paths]
            status = self.start(verb + (self.input.reading_flags() if paths else self.what_it_will_hold()) + self.threads())
            if status not in (0, 1):
                return self.outcome(status, {})
        flags, wanted = self.outputs_wanted()
        line = ["query", "made.nearkin", *self.other.paths, *self.other.reading_flags(), *asked_flags(self.case), *self.threads()]
        return self.outcome(self.start(line + flags), wanted)

    def what_it_will_hold(self):
        """For an index without items, which could tell."""
        if self.format in TEXT_FORMATS:
            encoding = ["--encoding", self.input.encoding] if self.input.encoding else []
            return unit_flags(self.case) + (encoding + self.input.made_flags() if self.case["ignore"] else [])  # of the templates
        if self.plan:
            return []
        places = {"bits": ["--dimensions", "24"], "table": ["--dimensions", "6"]}.get(self.format, [])
        return ["--format", FORMAT_NAME.get(self.format, self.format), *(places if "radius" in self.case["goal"] else [])]

    def joined(self, name, parts):
        return self.input.in_one_file(parts) if name in ("output", "skipped") else joined(parts, self.input.binary)

    def dedup_index(self):
        """All at once, or each file by itself; outputs are those of the steps, one behind the other."""
        status = self.start(["index", "create", "made.nearkin", *self.goal(), *self.what_it_will_hold(), "-q"])
        if status not in (0, 1):
            return self.outcome(status, {})
        steps = [self.input.paths]
        if self.road["index"] == "steps" and self.input.container == "several":
            steps = [[path] for path in self.input.paths]
        flags, wanted = self.outputs_wanted()
        all_outputs, worst = {}, 0
        for paths in steps:
            line = ["dedup", *paths, "--index", "made.nearkin", *self.input.reading_flags(), *asked_flags(self.case), *self.threads()]
            self.put_old(wanted)
            outcome = self.outcome(self.start(line + flags, self.input.stdin), wanted)
            worst = max(worst, outcome.status) if outcome.status >= 0 else outcome.status
            if outcome.status not in (0, 1):
                return outcome
            for name, data in outcome.outputs.items():
                all_outputs.setdefault(name, []).append(data)
        outcome.status, outcome.outputs, outcome.steps = worst, {name: self.joined(name, parts) for name, parts in all_outputs.items()}, all_outputs
        return outcome


def members_of(data):
    while data:
        member = zlib.decompressobj(31)
        yield member.decompress(data) + member.flush()
        data = member.unused_data
