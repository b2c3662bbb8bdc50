"""The peers: where each comes from, what it is asked to do, at its own settings and at nearkin's."""
import collections
import json
import pathlib
import subprocess
import sys

# What pip is asked for. Each peer has an environment of its own, because they disagree about what they need.
PACKAGES = {
    "datasketch": ["datasketch", "xxhash"],
    "rensa": ["rensa"],
    "gaoya": ["gaoya"],
    "text-dedup": ["text-dedup"],
    "datatrove": ["datatrove[io,processing]", "spacy", "xxhash"],
}

# own_words: it cuts words its own way, so that its answer is judged by its own shingles too. tree: it works by several processes.
Row = collections.namedtuple("Row", "peer what kind job settings threads tree own_words")


def row(peer, what, kind, job, settings, threads=True, tree=False, own_words=False):
    return Row(peer, what, kind, job, settings, threads, tree, own_words)


def rows(bands, per_band):
    """Every peer at its defaults, the threshold given, and at nearkin's bands × rows, `bands` and `per_band`."""
    hashes, shape = bands * per_band, f"{bands}x{per_band}"
    ours = {"hashes": hashes, "bands": bands, "rows": per_band}
    return [
        row("datasketch", "defaults: 128 hashes, {bands}, unchecked", "pairs", "datasketch", {"hashes": 128}, threads=False),
        row("datasketch", f"{shape}, xxh32, sets compared", "pairs", "datasketch", {**ours, "hash": "xxh32", "check": "exact"},
            threads=False),
        row("rensa", "full tokens, deduplicator, defaults: 128 hashes, its own bands, signatures compared", "removed", "rensa_removed",
            {"hashes": 128}),
        row("rensa", f"full tokens, deduplicator, {shape}, signatures compared", "removed", "rensa_removed", ours),
        row("rensa", f"full tokens, pairs, {shape}, signatures compared", "pairs", "rensa_pairs", ours),
        row("rensa", f"full tokens, flags of a batch, {shape}, unchecked", "flags", "rensa_flags", {**ours, "sampling": False}),
        row("rensa", "sampling (rho), flags of a batch, as its benchmark: 128 hashes, 8x16", "flags", "rensa_flags",
            {"hashes": 128, "bands": 8, "sampling": True}),
        row("rensa", f"sampling (rho), flags of a batch, {shape}", "flags", "rensa_flags", {**ours, "sampling": True}),
        row("gaoya", "defaults: 20x5, signatures compared", "pairs", "gaoya", {"bands": 20, "rows": 5, "container": "set"}),
        row("gaoya", f"{shape}, small containers, signatures compared", "pairs", "gaoya", {**ours, "container": "smallvec"}),
        row("text-dedup", "defaults: 250 hashes, {bands}, unchecked", "clusters", "text_dedup", {}, tree=True),
        row("text-dedup", f"{shape}, xxh3, unchecked", "clusters", "text_dedup",
            {"num_perm": hashes, "b": bands, "r": per_band, "hash_func": "xxh3"}, tree=True),
        row("datatrove", "defaults: 14x8, English tokenizer, numbers made alike, unchecked", "clusters", "datatrove", {}, tree=True,
            own_words=True),
        row("datatrove", f"{shape}, words between blanks, larger buffers, unchecked", "clusters", "datatrove", {**ours, "plain": True},
            tree=True),
    ]


class Environment:
    """A peer's virtual environment under `home`, made when it is not there. `missing` says why there is none."""

    def __init__(self, peer, home):
        self.peer, self.folder = peer, home / peer
        self.python = self.folder / "bin" / "python"
        self.missing = None if self.complete() else self.install()
        self.version = "" if self.missing else self.ask_version()

    def complete(self):
        mark = self.folder / "complete"
        return mark.exists() and mark.read_text() == "\n".join(PACKAGES[self.peer])

    def install(self):
        fill = [self.python, "-m", "pip", "install", "-q", *PACKAGES[self.peer]]
        for command in ([sys.executable, "-m", "venv", "--clear", self.folder], fill):
            result = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            if result.returncode != 0:
                lines = [line for line in result.stderr.strip().split("\n") if "ERROR" in line] or [result.stderr.strip()[-200:]]
                return lines[0].removeprefix("ERROR: ")
        (self.folder / "complete").write_text("\n".join(PACKAGES[self.peer]))
        return None

    def ask_version(self):
        asked = f"import importlib.metadata as m; print(m.version({self.peer!r}))"
        return subprocess.run([self.python, "-c", asked], capture_output=True, text=True, check=True).stdout.strip()

    def command(self, job, settings, source, out, threads):
        return [self.python, pathlib.Path(__file__).with_name("jobs.py"), job, json.dumps(settings), source, out, threads]


def variables(base, scratch, threads):
    """What the peers read from their surroundings: how many threads, nothing from the network, caches in scratch."""
    count = str(threads)
    return {**base, "RAYON_NUM_THREADS": count, "OMP_NUM_THREADS": count, "OPENBLAS_NUM_THREADS": count, "PYTHONDONTWRITEBYTECODE": "1",
            "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": str(scratch / "hf"), "TMPDIR": str(scratch)}
