"""What the program does while it is recorded, and what must be true of a folder that a power cut left."""
import http.client
import json
import random
import re
import signal
import subprocess

FAILED = 2
WORDS = [f"word{number}" for number in range(5000)]
PLAN = ["--threshold", "0.8", "--shingle", "word:1", "--recall", "0.9"]
INPUTS = "../inputs/"  # beside the folder that is cut: every command is run with the folder as its current one


class Wrong(Exception):
    """What a power cut must not have done."""


def require(holds, message):
    if not holds:
        raise Wrong(message)


def text_of(name):
    return " ".join(random.Random(name).choices(WORDS, k=12))


def line(name, text=None):
    return json.dumps({"id": name, "text": text or text_of(name)}) + "\n"


def edited(text, number):
    words = text.split()
    words[number % len(words)] = f"edit{number}"
    return " ".join(words)


class Tool:
    def __init__(self, binary):
        self.binary = binary

    def run(self, folder, *arguments):
        done = subprocess.run([self.binary, *arguments], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, check=False)
        return done.returncode, done.stdout, done.stderr

    def must(self, folder, *arguments):
        status, said, error = self.run(folder, *arguments)
        require(status == 0, f"nearkin {' '.join(arguments)}: status {status}: {error.strip()}")
        return said


def versions_in(tool, folder, index):
    """id → version of each item, found by its whole text. The queries have the ids NAME and NAME.v2."""
    found = {}
    for row in tool.must(folder, "query", index, INPUTS + "all.jsonl", "--quiet").splitlines():
        query, name, similarity = row.split("\t")[:3]
        if float(similarity) == 1 and query.split(".")[0] == name:
            require(name not in found, f"{index}: {name} is there twice")
            found[name] = 2 if query.endswith(".v2") else 1
    return found


def require_sound(tool, folder, index):
    status, said, error = tool.run(folder, "index", "verify", index)
    require(status == 0, f"{index} is not sound: {said} {error}")


def write_all(inputs, count):
    names = [f"d{number}" for number in range(count)]
    (inputs / "all.jsonl").write_text("".join(line(name) + line(name + ".v2") for name in names))
    (inputs / "one.jsonl").write_text(line("one-more"))


def write_items(path, names, version=1):
    path.write_text("".join(line(name, text_of(name if version == 1 else name + ".v2")) for name in names))


class IndexCommands:
    """Items are put, replaced and removed by commands; the index is compacted and copied."""
    name = "index"
    old = [f"d{number}" for number in range(200)]
    new, replaced, removed, last = [f"d{number}" for number in range(200, 280)], old[:20], old[50:80], [f"d{number}" for number in range(280, 300)]
    effects = {"create": dict.fromkeys(old, 1), "add": dict.fromkeys(new, 1), "replace": dict.fromkeys(replaced, 2),
               "remove": dict.fromkeys(removed), "compact": {}, "backup": {}, "add more": dict.fromkeys(last, 1), "compact again": {}}

    def make_inputs(self, inputs):
        write_all(inputs, 300)
        for name, ids in (("old", self.old), ("new", self.new), ("last", self.last)):
            write_items(inputs / f"{name}.jsonl", ids)
        write_items(inputs / "replaced.jsonl", self.replaced, 2)
        (inputs / "removed.txt").write_text("".join(name + "\n" for name in self.removed))

    def prepare(self, tool, folder):
        pass

    def run(self, recorder):
        recorder.command("create", "index", "create", "docs", INPUTS + "old.jsonl", *PLAN, "--store-texts", "--quiet")
        recorder.command("add", "index", "add", "docs", INPUTS + "new.jsonl", "--quiet")
        recorder.command("replace", "index", "add", "docs", INPUTS + "replaced.jsonl", "--quiet")
        recorder.command("remove", "index", "remove", "docs", INPUTS + "removed.txt", "--quiet")
        recorder.command("compact", "index", "compact", "docs", "--quiet")
        recorder.command("backup", "index", "info", "docs", "--backup", "copy")
        recorder.command("add more", "index", "add", "docs", INPUTS + "last.jsonl", "--quiet")
        recorder.command("compact again", "index", "compact", "docs", "--quiet")

    def state(self, steps):
        held = {}
        for step in steps:
            held.update(self.effects[step])
        return {name: version for name, version in held.items() if version}

    def check(self, tool, folder, done, begun):
        allowed = [self.state(done), self.state([*done, *begun])]
        if "create" not in done and not (folder / "docs").exists():
            tool.must(folder, "index", "create", "docs", INPUTS + "old.jsonl", *PLAN, "--quiet")  # nothing is in its way
            return
        require_sound(tool, folder, "docs")
        require(versions_in(tool, folder, "docs") in allowed, f"docs does not hold what was put by {done} (begun: {begun})")
        if "backup" in done or (folder / "copy").exists():
            require_sound(tool, folder, "copy")
            steps = done[:done.index("backup")] if "backup" in done else done
            require(versions_in(tool, folder, "copy") == self.state(steps), "the backup does not hold what the index held")
        tool.must(folder, "index", "add", "docs", INPUTS + "one.jsonl", "--quiet")
        require_sound(tool, folder, "docs")


class Served:
    """Items are put and removed over HTTP, one at a time and many in one request. An answer is a promise."""
    name = "server"
    before = [f"d{number}" for number in range(50)]

    def __init__(self):
        self.requests = [("PUT", ["d50"], 1), ("POST", [f"d{n}" for n in range(51, 90)], 1), ("DELETE", ["d3"], None), ("PUT", ["d7"], 2),
                         ("POST", [f"d{n}" for n in range(10, 20)] + [f"d{n}" for n in range(90, 120)], 2), ("DELETE", ["d60"], None),
                         ("PUT", ["d3"], 1), ("POST", [f"d{n}" for n in range(120, 200)], 1)]

    def make_inputs(self, inputs):
        write_all(inputs, 200)
        write_items(inputs / "before.jsonl", self.before)

    def prepare(self, tool, folder):
        tool.must(folder, "index", "create", "docs", INPUTS + "before.jsonl", *PLAN, "--quiet")

    def run(self, recorder):
        server = recorder.start("serve", "docs", "--listen", "127.0.0.1:0")
        try:
            said = server.stderr.readline()
            port = int(re.search(r":(\d+)", said.decode()).group(1))
            for number, (method, names, version) in enumerate(self.requests):
                recorder.mark("begin", str(number))
                self.ask(port, method, names, version)
                recorder.mark("done", str(number))
        finally:
            server.send_signal(signal.SIGTERM)
            server.communicate(timeout=60)
        require(server.returncode in (0, -signal.SIGTERM), f"the server ended with {server.returncode}")

    @staticmethod
    def ask(port, method, names, version):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        texts = [text_of(name if version == 1 else name + ".v2") for name in names]
        if method == "POST":
            body = "".join(line(name, text) for name, text in zip(names, texts))
            connection.request("POST", "/v1/items", body, {"Content-Type": "application/x-ndjson"})
        elif method == "PUT":
            connection.request("PUT", f"/v1/items/{names[0]}", json.dumps({"text": texts[0]}), {"Content-Type": "application/json"})
        else:
            connection.request("DELETE", f"/v1/items/{names[0]}")
        answer = connection.getresponse()
        said = answer.read().decode()
        require(answer.status in (200, 201, 204), f"{method} {names[0]}: {answer.status} {said}")
        if method == "POST":
            require(all("status" not in json.loads(row) for row in said.splitlines()), f"POST: {said}")
            require(len(said.splitlines()) == len(names), f"POST: {len(said.splitlines())} answers for {len(names)} lines")
        connection.close()

    def check(self, tool, folder, done, begun):
        held = dict.fromkeys(self.before, 1)
        for number in done:
            _, names, version = self.requests[int(number)]
            held.update(dict.fromkeys(names, version))
        maybe = {name: self.requests[int(number)][2] for number in begun for name in self.requests[int(number)][1]}
        require_sound(tool, folder, "docs")
        found = versions_in(tool, folder, "docs")
        for name in held.keys() | maybe.keys() | found.keys():
            allowed = {held.get(name), maybe.get(name, held.get(name))}
            require(found.get(name) in allowed, f"{name} has version {found.get(name)}, not one of {allowed}; answered: {done}")


class Outputs:
    """Files that results are written to take the place of older ones."""
    name = "outputs"
    steps = {
        "dedup": ["dedup", "DOCS", *PLAN, "-o", "kept.jsonl", "--removed", "removed.tsv", "--skipped", "skipped", "--stats", "stats.json",
                  "--report", "report.html"],
        "pairs": ["pairs", "DOCS", *PLAN, "-o", "pairs.tsv.gz"],
        "cluster": ["cluster", "DOCS", *PLAN, "--json", "-o", "clusters.json.zst", "--summary", "summary.tsv"],
        "sketch": ["sketch", "DOCS", *PLAN, "-o", "all.sketch"],
        "query": ["query", "DOCS", INPUTS + "new.jsonl", *PLAN, "-o", "near.tsv"],
        "fresh": ["dedup", "DOCS", *PLAN, "-o", "new.jsonl"],  # where there was none
    }

    def make_inputs(self, inputs):
        rows = []
        for number in range(3000):
            name = f"d{number}"
            rows.append(line(name, edited(text_of(f"d{number - 1}"), number) if number % 3 == 2 else None))
        (inputs / "docs.jsonl").write_text("".join(rows) + "no record\n")
        write_items(inputs / "new.jsonl", [f"d{number}" for number in range(0, 300, 3)])

    def made_by(self, step):
        return [word for word in self.steps[step] if "." in word and "/" not in word and not word[0].isdigit() or word == "skipped"]

    def prepare(self, tool, folder):
        for step in self.steps:
            for name in self.made_by(step):
                if step != "fresh":
                    (folder / name).write_text(f"the old {name}")

    def run(self, recorder):
        for step, words in self.steps.items():
            recorder.command(step, *(INPUTS + "docs.jsonl" if word == "DOCS" else word for word in words), "--threads", "1", "--quiet", allowed=(0, 1))
        self.complete = {path.name: path.read_bytes() for path in recorder.folder.iterdir() if path.is_file()}

    def check(self, tool, folder, done, begun):
        for step in self.steps:
            for name in self.made_by(step):
                path = folder / name
                there = path.read_bytes() if path.exists() else None
                require(step not in done or there == self.complete[name], f"{name} is not complete, though {step} had ended")
                old = f"the old {name}".encode() if step != "fresh" else None
                require(there in (old, self.complete[name]), f"{name} is neither what it was nor complete")
        known = {name for step in self.steps for name in self.made_by(step)}
        left = [path.name for path in folder.iterdir() if path.name not in known and not re.fullmatch(r"\..*\.\d+\.tmp|.*\.part", path.name)]
        require(not left, f"left beside the outputs: {left}")


class InPlace:
    """The output takes the place of its input: a record that is in neither the old file nor the new one must be in another file."""
    name = "in-place"
    command = ["dedup", "docs.jsonl", *PLAN, "-o", "docs.jsonl", "--skipped", "skipped", "--removed", "removed.tsv", "--threads", "1", "--quiet"]

    def make_inputs(self, inputs):
        rows = [line(f"d{n}", edited(text_of(f"d{n - 1}"), n) if n % 3 == 2 else None) for n in range(500)]
        self.faulty = [f"no record {n}\n" for n in range(20)]
        self.old = "".join(rows[:300] + self.faulty + rows[300:])

    def prepare(self, tool, folder):
        (folder / "docs.jsonl").write_text(self.old)

    def run(self, recorder):
        recorder.command("dedup", *self.command)
        self.new = (recorder.folder / "docs.jsonl").read_text()
        require("".join(self.faulty) == (recorder.folder / "skipped").read_text(), "the records at fault are not in the file for them")

    def check(self, tool, folder, done, begun):
        there = (folder / "docs.jsonl").read_text()
        require(there in (self.old, self.new), "docs.jsonl is neither what it was nor complete")
        require(not done or there == self.new, "docs.jsonl is what it was, though the run had ended")
        if there == self.new:
            skipped = folder / "skipped"
            require(skipped.exists() and skipped.read_text() == "".join(self.faulty), "records at fault are in no file any more")


ALL = [IndexCommands, Served, Outputs, InPlace]
