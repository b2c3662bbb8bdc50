"""What the tests share: texts with planted near-duplicates, the command line, and its answer."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

import nearkin

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"


def planted_texts(count: int, seed: int = 1, words: int = 40) -> list[str]:
    """Random texts, a third of them a copy or a slight change of an earlier one."""
    chance = random.Random(seed)
    vocabulary = [f"w{i}" for i in range(4000)]
    texts: list[str] = []
    for _ in range(count):
        if texts and chance.random() < 0.33:
            parts = chance.choice(texts).split()
            for _ in range(chance.randrange(4)):
                parts[chance.randrange(len(parts))] = chance.choice(vocabulary)
        else:
            parts = chance.choices(vocabulary, k=chance.randrange(words // 2, words * 2))
        texts.append(" ".join(parts))
    return texts


def binary() -> str:
    """The command line that came with the package."""
    return str(Path(nearkin.__file__).parent / "_bin" / "nearkin")


def command(*arguments: str, status: int = 0, stdin: bytes | None = None) -> bytes:
    done = subprocess.run([binary(), *arguments], input=stdin, capture_output=True, check=False)
    assert done.returncode == status, done.stderr.decode()
    return done.stdout


def write_records(path: Path, texts: list[str]) -> str:
    path.write_text("".join(json.dumps({"id": str(i), "text": text}) + "\n" for i, text in enumerate(texts)))
    return str(path)


def cut(similarity: float) -> str:
    """As the command line writes it: six decimals, cut, without zeros at the end."""
    from fractions import Fraction

    exact = Fraction(similarity).limit_denominator(1_000_000)
    digits = str(exact.numerator * 1_000_000 // exact.denominator).rjust(7, "0")
    return (digits[:-6] + "." + digits[-6:]).rstrip("0").rstrip(".")


@pytest.fixture(scope="session")
def texts() -> list[str]:
    return planted_texts(2000)


@pytest.fixture(scope="session")
def plan(texts: list[str]) -> nearkin.Plan:
    return nearkin.tune(threshold=0.7, recall=0.95, sample=texts)


def pytest_report_header() -> str:
    return f"nearkin {nearkin.__version__} from {Path(nearkin.__file__).parent}, Python {sys.version.split()[0]}"
