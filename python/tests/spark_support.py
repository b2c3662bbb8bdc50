"""What the Spark tests share: a session, a corpus, and the command line's answer."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

pytest.importorskip("pyspark", reason="skipped: PySpark is not installed")
if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
    pytest.skip("skipped: Spark needs Java, and there is none", allow_module_level=True)
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)

from pyspark.sql import DataFrame, SparkSession  # noqa: E402
from spark_cluster import settings  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared" / "data"


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    session = settings(SparkSession.builder.master("local[2]").appName("nearkin tests")).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session


def command() -> str:
    """The command line that comes with the package, or one that was built beside it."""
    import nearkin
    places = [os.environ.get("NEARKIN_COMMAND"), Path(nearkin.__file__).parent / "_bin" / "nearkin", ROOT / "build/dev/nearkin"]
    for place in places:
        if place and Path(place).exists():
            return str(place)
    pytest.skip("skipped: the command line is not built")


class Answer:
    """Of the command line about records sorted by id."""

    def __init__(self, records: list[tuple[object, str | None]], plan: object, folder: Path) -> None:
        self._folder, self._plan = folder, str(plan)
        self._input = folder / "sorted.jsonl"
        ordered = sorted(records, key=lambda record: record[0] if isinstance(record[0], int) else str(record[0]).encode())
        with self._input.open("w", encoding="utf-8") as out:
            for id, text in ordered:
                out.write(json.dumps({"id": str(id), "text": text or ""}) + "\n")

    def _run(self, *arguments: str) -> None:
        subprocess.run([command(), *arguments, str(self._input), "--plan", self._plan, "--quiet"], check=True)

    def _rows(self, name: str) -> list[dict[str, object]]:
        with (self._folder / name).open(encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]

    def stats(self) -> dict[str, object]:
        return json.loads((self._folder / "stats.json").read_text())

    def clusters(self, linkage: str) -> list[tuple[str, int, str, str]]:
        self._run("cluster", "--linkage", linkage, "--json", "-o", str(self._folder / "clusters"), "--stats", str(self._folder / "stats.json"))
        return sorted((row["id"], row["cluster"], row["keeper"], shown(row["similarity"])) for row in self._rows("clusters"))

    def removed(self) -> list[tuple[str, str, str]]:
        self._run("dedup", "--json", "-o", str(self._folder / "kept"), "--removed", str(self._folder / "removed"))
        return sorted((row["id"], row["keeper"], shown(row["similarity"])) for row in self._rows("removed"))

    def kept(self) -> list[str]:
        return sorted(row["id"] for row in self._rows("kept"))

    def pairs(self) -> list[tuple[str, str, str]]:
        self._run("pairs", "--json", "-o", str(self._folder / "pairs"))
        return sorted((row["a"], row["b"], shown(row["similarity"])) for row in self._rows("pairs"))


def shown(similarity: float) -> str:
    """Six decimals, cut, as the command line writes them; a double of two counts tells which counts they were."""
    share = Fraction(similarity).limit_denominator(10**6)
    return f"{int(share * 10**6)}"


def clusters_of(table: DataFrame) -> list[tuple[str, int, str, str]]:
    return sorted((str(row.id), row.cluster, str(row.keeper), shown(row.similarity)) for row in table.collect())


def removed_of(table: DataFrame) -> list[tuple[str, str, str]]:
    return sorted((str(row.id), str(row.keeper), shown(row.similarity)) for row in table.collect())


def pairs_of(table: DataFrame) -> list[tuple[str, str, str]]:
    return sorted((str(row.a), str(row.b), shown(row.similarity)) for row in table.collect())


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
