"""Two roads to an answer, the command line and Python, about records sorted by id, and a corpus to ask about. A row of an answer is a line, so that
answers are compared byte for byte; what is given for a third road, Spark, is in spark_support."""

from __future__ import annotations

import json
import os
import random
import subprocess
from fractions import Fraction
from pathlib import Path

import pytest

import nearkin

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared" / "data"

Record = tuple  # id, text or None, and where there is one a score


def command() -> str:
    """The command line that comes with the package, or one that was built beside it."""
    places = [os.environ.get("NEARKIN_COMMAND"), Path(nearkin.__file__).parent / "_bin" / "nearkin", ROOT / "build/dev/nearkin"]
    for place in places:
        if place and Path(place).exists():
            return str(place)
    pytest.skip("skipped: the command line is not built")


def shown(similarity: float) -> str:
    """Six decimals, cut, as the command line writes them; a double of two counts tells which counts they were."""
    share = Fraction(similarity).limit_denominator(10**6)
    return f"{int(share * 10**6)}"


def line(*fields: object) -> str:
    return "\t".join(map(str, fields))


def by_id(records: list[Record]) -> list[Record]:
    return sorted(records, key=lambda record: record[0] if isinstance(record[0], int) else str(record[0]).encode())


def assert_same(found: list[str], expected: list[str]) -> None:
    """Of two long answers the first line that differs says more than all of them."""
    differing = [pair for pair in zip(found, expected) if pair[0] != pair[1]]
    assert differing[:1] == []
    assert len(found) == len(expected)


class CommandLine:
    def __init__(self, records: list[Record], plan: nearkin.Plan, folder: Path, flags: tuple[str, ...] = (), third: str = "score") -> None:
        """`flags` are given to every command; `third`: what the third part of a record is called."""
        self._folder, self._plan, self._flags = folder, str(plan), flags
        self._input = folder / "sorted.jsonl"
        with self._input.open("w", encoding="utf-8") as out:
            for id, text, *rest in by_id(records):
                out.write(json.dumps({"id": str(id), "text": text or "", **({third: rest[0]} if rest else {})}) + "\n")

    def _run(self, *arguments: str) -> None:
        stats = ("--stats", str(self._folder / "stats.json"))
        subprocess.run([command(), *arguments, str(self._input), "--plan", self._plan, "--quiet", *stats, *self._flags], check=True)

    def _rows(self, name: str) -> list[dict[str, object]]:
        with (self._folder / name).open(encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]

    @property
    def stats(self) -> dict[str, object]:
        """Of the last answer."""
        return json.loads((self._folder / "stats.json").read_text())

    def clusters(self, linkage: str = "connected", keep: str = "first") -> list[str]:
        self._run("cluster", "--linkage", linkage, "--keep", keep, "--json", "-o", str(self._folder / "clusters"))
        return sorted(line(row["id"], row["cluster"], row["keeper"], shown(row["similarity"])) for row in self._rows("clusters"))

    def removed(self, linkage: str = "star", keep: str = "first") -> list[str]:
        self._run("dedup", "--linkage", linkage, "--keep", keep, "--json", "-o", str(self._folder / "kept"), "--removed", str(self._folder / "removed"))
        return sorted(line(row["id"], row["keeper"], shown(row["similarity"])) for row in self._rows("removed"))

    def kept(self) -> list[str]:
        """By the last `removed`."""
        return sorted(str(row["id"]) for row in self._rows("kept"))

    def cut(self, *flags: str) -> dict[str, str]:
        """The texts that `dedup` leaves of the records, by their ids."""
        self._run("dedup", "-o", str(self._folder / "cut"), *flags)
        return {str(row["id"]): str(row["text"]) for row in self._rows("cut")}

    def pairs(self) -> list[str]:
        self._run("pairs", "--json", "-o", str(self._folder / "pairs"))
        return sorted(line(row["a"], row["b"], shown(row["similarity"])) for row in self._rows("pairs"))


class Python:
    """nearkin.cluster, dedup and pairs."""

    def __init__(self, records: list[Record], plan: nearkin.Plan) -> None:
        ordered = by_id(records)
        self._ids, self._texts = [str(record[0]) for record in ordered], [record[1] for record in ordered]
        self._plan = plan
        self._kept: list[str] = []
        self.stats: dict[str, object] = {}

    def _dedup(self, linkage: str) -> nearkin.Dedup:
        result = nearkin.dedup(self._texts, self._plan, linkage=linkage)
        self.stats = result.stats
        return result

    def clusters(self, linkage: str = "connected") -> list[str]:
        ids, result = self._ids, self._dedup(linkage)
        labels = nearkin.cluster(self._texts, self._plan, linkage=linkage)
        rows = zip(ids, labels.tolist(), result.keeper.tolist(), result.similarity.tolist())
        return sorted(line(id, cluster, ids[keeper], shown(similarity)) for id, cluster, keeper, similarity in rows)

    def removed(self, linkage: str = "star") -> list[str]:
        ids, result = self._ids, self._dedup(linkage)
        self._kept = sorted(ids[row] for row in result.kept)
        return sorted(line(ids[row], ids[result.keeper[row]], shown(result.similarity[row])) for row in result.removed)

    def kept(self) -> list[str]:
        """By the last `removed`."""
        return self._kept

    def pairs(self) -> list[str]:
        ids, found = self._ids, nearkin.pairs(self._texts, self._plan)
        self.stats = found.stats
        return sorted(line(ids[a], ids[b], shown(similarity)) for a, b, similarity in zip(*found))


def corpus(items: int, seed: int = 1) -> list[tuple[str, str | None]]:
    """Texts with planted clusters, exact copies, EMPTY and null ones, and many that share most of their words: hot buckets."""
    rng = random.Random(seed)
    words = [f"w{i}" for i in range(5000)]
    form = rng.choices(words, k=60)  # what a fifth of all have in common
    records: list[tuple[str, str | None]] = []
    while len(records) < items:
        kind = rng.random()
        text = list(form) if kind < 0.2 else rng.choices(words, k=rng.randrange(20, 80))
        for _ in range(rng.choice([1, 1, 1, 2, 3, 8]) if kind > 0.1 else 1):
            copy = list(text)
            for _ in range(rng.choice([0, 0, 1, 1, 2, 4])):
                copy[rng.randrange(len(copy))] = rng.choice(words)
            records.append((f"doc-{rng.randrange(10**12)}", " ".join(copy)))
        if kind > 0.98:
            records.append((f"doc-{rng.randrange(10**12)}", rng.choice([None, "", " \t"])))
    return records[:items]
