"""Runs of many files or steps while they are recorded: what a later run takes over must be right."""
import shutil

from workloads import FAILED, INPUTS, PLAN, edited, line, require, require_sound, text_of


class Resumed:
    """A run keeps its work in files. What a cut left of them is taken over by --resume, or refused."""
    name = "resume"
    outputs = ("kept.jsonl", "removed.tsv")
    command = ["dedup", "DOCS", *PLAN, "--scratch", "scratch", "-o", "kept.jsonl", "--removed", "removed.tsv", "--threads", "1", "--quiet"]

    def __init__(self):
        self.refused = 0

    def make_inputs(self, inputs):
        rows = [line(f"d{n}", edited(text_of(f"d{n - 1}"), n) if n % 3 == 2 else None) for n in range(2000)]
        (inputs / "docs.jsonl").write_text("".join(rows))
        # A run is known by the whole paths of its inputs.
        self.command = [str(inputs / "docs.jsonl") if word == "DOCS" else word for word in self.command]

    def prepare(self, tool, folder):
        (folder / "kept.jsonl").write_text("old")

    def run(self, recorder):
        recorder.command("dedup", *self.command)
        self.complete = {name: (recorder.folder / name).read_bytes() for name in self.outputs}

    def check(self, tool, folder, done, begun):
        for name in self.outputs:
            there = (folder / name).read_bytes() if (folder / name).exists() else None
            require(not done or there == self.complete[name], f"{name} is not complete, though the run had ended")
            require(there in (self.complete[name], b"old" if name == "kept.jsonl" else None), f"{name} is neither what it was nor complete")
        status, _, error = tool.run(folder, *self.command, "--resume")
        if status == FAILED:
            require("scratch" in error, f"a resumed run fails and does not name its files: {error}")
            self.refused += 1
            shutil.rmtree(folder / "scratch")
            tool.must(folder, *self.command)
        require(status in (0, FAILED), f"a resumed run ended with {status}: {error}")
        for name in self.outputs:
            require((folder / name).read_bytes() == self.complete[name], f"{name} of the resumed run is another")
        # The folder itself may stay: that it was made by the run may have been lost.
        left = list((folder / "scratch").rglob("*"))
        require(not left, f"the resumed run left files: {left}")


class ResumedTwice(Resumed):
    """The same of a run that ends early and is resumed with another bound on memory: files of both are there."""
    name = "resume-twice"
    outputs = ("pairs.tsv",)
    command = ["pairs", "DOCS", *PLAN, "--scratch", "scratch", "-o", "pairs.tsv", "--threads", "1", "--quiet"]

    def prepare(self, tool, folder):
        pass

    def run(self, recorder):
        recorder.command("too many", *self.command, "--max-pairs", "10", allowed=(FAILED,))
        require(any((recorder.folder / "scratch").iterdir()), "the run that ended early left nothing to resume")
        recorder.command("pairs", *self.command, "--resume", "--memory", "64MiB")
        self.complete = {name: (recorder.folder / name).read_bytes() for name in self.outputs}

    def check(self, tool, folder, done, begun):
        super().check(tool, folder, [step for step in done if step == "pairs"], begun)


class Sifted:
    """dedup --index: a record that the index took is in the output, or in FILE.partial."""
    name = "sift"
    command = ["dedup", "--index", "seen", INPUTS + "docs.jsonl", "-o", "kept.jsonl", "--threads", "1", "--quiet"]
    count = 9_000  # two steps

    def make_inputs(self, inputs):
        texts = {f"d{n}": " ".join(text_of(f"d{n}").split()[:4]) for n in range(self.count)}
        self.lines = {name: line(name, text) for name, text in texts.items()}
        (inputs / "docs.jsonl").write_text("".join(self.lines.values()))
        (inputs / "first.jsonl").write_text("".join(list(self.lines.values())[:100]))

    def prepare(self, tool, folder):
        tool.must(folder, "index", "create", "seen", INPUTS + "first.jsonl", "--threshold", "0.9", "--shingle", "word:1", "--recall", "0.5", "--quiet")
        (folder / "kept.jsonl").write_text("old\n")

    def run(self, recorder):
        recorder.command("dedup", *self.command)
        self.complete = (recorder.folder / "kept.jsonl").read_text()
        require(self.complete.count("\n") > self.count * 0.9, "most records should have been kept")

    @staticmethod
    def rows(path):
        return path.read_text(errors="replace").splitlines(keepends=True) if path.exists() else []

    def seen(self, tool, folder):
        found = set()
        for row in tool.must(folder, "query", "seen", INPUTS + "docs.jsonl", "--quiet", "--limit", "1").splitlines():
            found.add(row.split("\t")[1])
        return found

    def check(self, tool, folder, done, begun):
        require_sound(tool, folder, "seen")
        kept = (folder / "kept.jsonl").read_text()
        require(not done or kept == self.complete, "kept.jsonl is not complete, though the run had ended")
        require(kept in ("old\n", self.complete), "kept.jsonl is neither what it was nor complete")
        at_hand = {*self.rows(folder / "kept.jsonl"), *self.rows(folder / "kept.jsonl.partial")}
        first = set(list(self.lines)[:100])
        lost = [name for name in self.seen(tool, folder) - first if self.lines[name] not in at_hand]
        require(not lost, f"{len(lost)} records are in the index and in no output, such as {lost[:3]}")
        if done:
            return
        # The way on that the guide tells: put the partial file elsewhere, run again.
        if (folder / "kept.jsonl.partial").exists():
            (folder / "kept.jsonl.partial").rename(folder / "earlier")
        tool.must(folder, *self.command)
        both = {*at_hand, *self.rows(folder / "kept.jsonl")}
        require(all(row in both for row in self.complete.splitlines(keepends=True)), "records are missing from both runs' outputs")


ALL = [Resumed, ResumedTwice, Sifted]
