#!/usr/bin/env python3
"""The Python package against the command line on the same texts, and against datasketch and rensa from Python.

usage: python_bench.py GENERATE [--documents N] [--peer-documents N] [--threads N] [--repeat N] [--no-peers]

GENERATE is bench's nearkin_generate. The answers are compared before the times; a time is the best of several, taken in turn. The package must be
installed with [arrow], and datasketch and rensa beside it. Prints Markdown.
"""
from __future__ import annotations

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import numpy as np
import pyarrow as pa

import nearkin

sys.path.insert(0, str(pathlib.Path(__file__).parent / "peers"))
import jobs  # noqa: E402

BINARY = str(pathlib.Path(nearkin.__file__).parent / "_bin" / "nearkin")


def seconds_of(work):
    begin = time.perf_counter()
    result = work()
    return time.perf_counter() - begin, result


def best_in_turn(repeat, **ways):
    """The least seconds of each way, run one after the other `repeat` times, and its last result."""
    best, results = {}, {}
    for _ in range(repeat):
        for name, work in ways.items():
            seconds, results[name] = seconds_of(work)
            best[name] = min(best.get(name, seconds), seconds)
    return best, results


def command(*arguments):
    subprocess.run([BINARY, *map(str, arguments)], check=True, stderr=subprocess.DEVNULL)


def generate(generator, documents, folder):
    path = folder / f"{documents}.jsonl"
    subprocess.run([generator, "-o", str(path), "--documents", str(documents), "--words", "60"], check=True, stdout=subprocess.DEVNULL)
    with open(path, encoding="utf-8") as lines:
        return path, [json.loads(line)["text"] for line in lines]


def against_command_line(path, texts, options, folder):
    column, rows = pa.array(texts), []
    plan = nearkin.tune(threshold=0.8, recall=0.95, sample=column)
    common = (path, "--plan", plan, "--threads", options.threads, "--quiet")
    pairs_file, removed_file = folder / "pairs.tsv", folder / "removed.tsv"
    best, found = best_in_turn(options.repeat, command=lambda: command("pairs", *common, "-o", pairs_file),
                               python=lambda: nearkin.pairs(column, plan, threads=options.threads))
    written = np.loadtxt(pairs_file, dtype=str, ndmin=2)
    assert len(written) == len(found["python"]) and len(written) > 0
    rows.append(("pairs", len(written), best))
    best, found = best_in_turn(options.repeat, command=lambda: command("dedup", *common, "-o", folder / "kept.jsonl", "--removed", removed_file),
                               python=lambda: nearkin.dedup(column, plan, threads=options.threads))
    assert len(np.loadtxt(removed_file, dtype=str, ndmin=2)) == len(found["python"].removed)
    rows.append(("dedup", len(found["python"].removed), best))
    print(f"\n{len(texts):,} texts held in Arrow, {options.threads} thread(s), plan `{plan}`\n")
    print("| run | rows of the answer | command line, s | Python, s | ratio |\n|---|---|---|---|---|")
    for name, count, best in rows:
        print(f"| {name} | {count:,} | {best['command']:.2f} | {best['python']:.2f} | **{best['python'] / best['command']:.2f}** |")


def recall_of(found, truth):
    return len(found & truth) / max(1, len(truth))


def plain(texts, path):
    """Lower case words with one blank between two: what all sides cut into the same shingles."""
    texts = [" ".join(re.findall(r"\w+", text.lower())) for text in texts]
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), encoding="utf-8")
    return texts


def against_peers(path, texts, folder):
    texts = plain(texts, path)
    truth_run = nearkin.pairs(texts, nearkin.tune(threshold=0.8, recall=1), threads=0)
    truth = set(zip(truth_run.a.tolist(), truth_run.b.tolist()))
    plan = nearkin.tune(threshold=0.8, recall=0.95, sample=texts)
    seconds, own = seconds_of(lambda: nearkin.pairs(texts, plan, threads=1))
    rows = [("nearkin.pairs, exact similarities", seconds, 0.0, recall_of(set(zip(own.a.tolist(), own.b.tolist())), truth), len(own))]
    shape = {"hashes": plan.bands * plan.rows, "bands": plan.bands, "rows": plan.rows}
    cutting, _ = seconds_of(lambda: [None for _, _ in jobs.batches(texts)])
    for name, job, settings in (
            ("datasketch MinHashLSH, unchecked", jobs.datasketch, shape),
            ("rensa, full tokens: pairs, signatures compared", jobs.rensa_pairs, shape),
            ("rensa, full tokens: flags of a batch", jobs.rensa_flags, {**shape, "sampling": False}),
            ("rensa, sampling (rho): flags of a batch", jobs.rensa_flags, {**shape, "sampling": True})):
        clock = jobs.Own()
        job(settings, path, folder / "answer", 1, clock)
        answer = [tuple(map(int, line.split("\t"))) for line in (folder / "answer").read_text().splitlines()]
        if job is jobs.rensa_flags:
            recall = recall_of({row for row, in answer}, {row for pair in truth for row in pair})
        else:
            recall = recall_of({(min(pair), max(pair)) for pair in answer}, truth)
        rows.append((name, clock.seconds, cutting, recall, len(answer)))
    print(f"\n{len(texts):,} texts, one thread, {shape['bands']}x{shape['rows']} for all; recall against the exact pairs at 0.8 (flags: documents that have one)\n")
    print("| | own calls, s | cutting shingles in Python, s | rows of the answer | recall | times nearkin |\n|---|---|---|---|---|---|")
    for name, own_seconds, cut, recall, count in rows:
        print(f"| {name} | {own_seconds:.2f} | {cut:.2f} | {count:,} | {recall:.4f} | **{(own_seconds + cut) / rows[0][1]:.1f}** |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("generate")
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--peer-documents", type=int, default=100_000)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--no-peers", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        path, texts = generate(options.generate, options.documents, folder)
        against_command_line(path, texts, options, folder)
        if not options.no_peers:
            path, texts = generate(options.generate, options.peer_documents, folder)
            against_peers(path, texts, folder)


if __name__ == "__main__":
    main()
