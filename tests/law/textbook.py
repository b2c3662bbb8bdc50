#!/usr/bin/env python3
"""textbook.py BINARY: what `explain --matrix`, `tune --sensitive` and `curve` teach, against the formulas of a textbook written again here."""
import json
import math
import random
import subprocess
import sys
import tempfile
from pathlib import Path

BINARY = sys.argv[1]
faults = 0


def run(*words):
    done = subprocess.run([BINARY, *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(words)}: exit {done.returncode}: {done.stderr}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def expect(what, got, wanted, near=1e-9):
    global faults
    equal = abs(got - wanted) <= near * max(1, abs(wanted)) if isinstance(wanted, float) else got == wanted
    if not equal:
        faults += 1
        print(f"{what}: {got}, expected {wanted}")


def lecture(rng, folder):
    """A random matrix, permutations and hash functions: signatures as sets and minima have them."""
    rows, columns = rng.randint(1, 9), rng.randint(1, 5)
    cells = [[rng.randint(0, 1) for _ in range(columns)] for _ in range(rows)]
    matrix, permutations = folder / "matrix.txt", folder / "permutations.txt"
    matrix.write_text("".join(" ".join(map(str, row)) + "\n" for row in cells))
    ranks = [rng.sample(range(1, rows + 1), rows) for _ in range(3)]
    permutations.write_text("".join(" ".join(map(str, line)) + "\n" for line in ranks))
    hashes = [(rng.randint(1, 30), rng.randint(0, 30), rng.randint(1, 30)) for _ in range(3)]
    flags = [word for a, b, m in hashes for word in ("--hash", f"{a}x+{b} mod {m}")]
    told = run("explain", "--matrix", str(matrix), "--permutations", str(permutations), *flags, "--json")[0]
    sets = [{row for row in range(rows) if cells[row][column]} for column in range(columns)]
    functions = [[line[row] for row in range(rows)] for line in ranks] + [[(a * row + b) % m for row in range(rows)] for a, b, m in hashes]
    wanted = [[min((values[row] for row in one), default=None) for one in sets] for values in functions]
    expect("signatures", told["signatures"], wanted)
    for step in range(rows + 1):
        part = [[min((values[row] for row in one if row < step), default=None) for one in sets] for values in functions]
        expect(f"signatures after {step} rows", told["steps"][step], part)
    pairs = [(a, b) for a in range(columns) for b in range(a + 1, columns)]
    expect("pairs", len(told["pairs"]), len(pairs))
    for (a, b), pair in zip(pairs, told["pairs"]):
        union = len(sets[a] | sets[b])
        expect("similarity", pair["similarity"], len(sets[a] & sets[b]) / union if union else 0.0)
        expect("equal slots", pair["equal_slots"], sum(line[a] is not None and line[a] == line[b] for line in wanted))


def phi(x):
    return (1 + math.erf(x / math.sqrt(2))) / 2


def projection(width):
    def agrees(c):
        if c == 0:
            return 1.0
        return 1 - 2 * phi(-width / c) - 2 * c / (math.sqrt(2 * math.pi) * width) * (1 - math.exp(-(width**2) / (2 * c**2)))
    return agrees


FAMILIES = [
    (["--measure", "jaccard"], lambda d: 1 - d, 1),
    (["--measure", "hamming", "--dimensions", "100"], lambda d: 1 - d / 100, 100),
    (["--measure", "cosine"], lambda d: 1 - math.acos(1 - d) / math.pi, 2),
    (["--measure", "euclidean", "--width", "4"], projection(4), 20),
]


def sensitive(rng):
    """p1, p2, rho, k, L and what ANDs and ORs make of them."""
    flags, agrees, far = rng.choice(FAMILIES)
    r1, r2 = sorted(round(rng.uniform(0.02, 0.95) * far, 2) for _ in range(2))
    items, recall = rng.choice([10, 1000, 1000000]), rng.choice([None, 0.5, 0.9, 0.99])
    p1, p2 = agrees(r1), agrees(r2)
    if r2 - r1 < 0.2 * far:
        return
    k = max(1, math.ceil(math.log(items) / math.log(1 / p2)))
    tables = math.ceil(math.log(1 - recall) / math.log(1 - p1**k)) if recall else math.ceil(1 / p1**k)
    more = ["--recall", str(recall)] if recall else []
    told = run("tune", *flags, "--sensitive", f"{r1},{r2}", "--items", str(items), *more, "--json", "-q")[0]
    where = f"{' '.join(flags)} {r1},{r2} n={items}: "
    for name, wanted in (("p1", p1), ("p2", p2), ("rho", math.log(1 / p1) / math.log(1 / p2))):
        expect(where + name, told[name], wanted)
    expect(where + "k", told["k"], k)
    expect(where + "L", told["L"], tables)
    made = [lambda p: 1 - (1 - p**k) ** tables, lambda p: p, lambda p: p**k, lambda p: 1 - (1 - p) ** tables, lambda p: (1 - (1 - p) ** tables) ** k]
    for construction, of in zip(told["constructions"], made, strict=True):
        expect(where + construction["name"], construction["at_r1"], of(p1))
        expect(where + construction["name"], construction["at_r2"], of(p2))
    expect(where + "false negatives", told["false_negatives"], 1 - made[0](p1))
    expect(where + "false positives", told["false_positives"], made[0](p2))


def errors(rng):
    """False negatives on the near side of the threshold or radius, false positives on the far side, at any value."""
    flags, agrees, far = rng.choice(FAMILIES)
    distance = flags[1] in ("hamming", "euclidean")
    k, tables = rng.randint(1, 12), rng.randint(1, 40)
    border = round(rng.uniform(0.1, 0.9) * (far if distance else 1), 2) if flags[1] != "hamming" else rng.randint(1, 99)
    points = [round(rng.uniform(0, 1) * (far if distance else 1), 3) if flags[1] != "hamming" else rng.randint(1, 100) for _ in range(5)] + [border]
    told = run("curve", *flags, "-k", str(k), "-L", str(tables), "--radius" if distance else "--threshold", str(border),
               "--at", ",".join(map(str, points)), "--json")[0]
    for x, point in zip(points, told["points"], strict=True):
        found = 1 - (1 - agrees(x if distance else 1 - x) ** k) ** tables
        near = x <= border if distance else x >= border
        name, wanted = ("false_negatives", 1 - found) if near else ("false_positives", found)
        expect(f"{' '.join(flags)} {tables}x{k} at {x}: {name}", point.get(name, -1), float(wanted))


def main():
    rng = random.Random(7)
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(30):
            lecture(rng, Path(folder))
    for _ in range(60):
        sensitive(rng)
        errors(rng)
    print(f"{faults} faults")
    sys.exit(1 if faults else 0)


main()
