#!/usr/bin/env python3
"""Parquet to Parquet against JSON lines to JSON lines: one deduplication of the same documents, with the same plan, in turns.

    parquet_bench.py [--documents 300000] [--generate build/bench/nearkin_generate] [--folder DIR] [--rounds 5] [--memory 200MiB]

Both sides read and write with the same codec, none and zstd; and Parquet with snappy, its writers' default, is set against plain JSON lines, which nothing
compresses. Needs the Python package with its extra [arrow]. The answers are compared before anything is timed. Prints one JSON object; ratios are
those of the medians. cpu is that of all processes of a run; binary_peak_bytes is of the binary alone.
"""
import argparse
import io
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import pyarrow as pa
import pyarrow.json
import pyarrow.parquet as pq

import nearkin
from nearkin._flags import BINARY

ROOT = pathlib.Path(__file__).resolve().parent.parent


CODECS = {"none": ".jsonl", "zstd": ".jsonl.zst", "snappy": ".jsonl"}  # of Parquet, and what JSON lines are set against it


def generate(options, folder):
    """60 to 200 words a document, as plain and compressed JSON lines and as Parquet with each codec."""
    lines = folder / "docs.jsonl"
    if not lines.exists():
        subprocess.run([options.generate, "--documents", str(options.documents), "--words", "130", "--spread", "0.54", "-o", lines], check=True)
    if not (folder / "docs.jsonl.zst").exists():
        with pa.input_stream(lines, compression=None) as source, pa.output_stream(folder / "docs.jsonl.zst", compression="zstd") as target:
            while block := source.read(1 << 20):
                target.write(block)
    for codec in CODECS:
        if not (folder / f"{codec}.parquet").exists():
            write_parquet(lines, folder / f"{codec}.parquet", codec)


def write_parquet(lines, path, codec):
    schema = pa.schema([("id", pa.string()), ("text", pa.string())])
    with pa.json.open_json(lines, pa.json.ReadOptions(block_size=64 << 20), pa.json.ParseOptions(explicit_schema=schema)) as reader:
        with pq.ParquetWriter(path, schema, compression=codec) as writer:
            for batch in reader:
                writer.write_batch(batch)


def timed(words):
    start = time.monotonic()
    process = subprocess.Popen(words)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"parquet_bench: {' '.join(map(str, words))}: exit {process.returncode}")
    return {"seconds": time.monotonic() - start, "cpu": usage.ru_utime + usage.ru_stime}


def jobs_of(folder, codec, common):
    lines = CODECS[codec]
    return {
        "jsonl": [BINARY, "dedup", folder / f"docs{lines}", "-o", folder / f"kept{lines}", "--stats", folder / "jsonl.json", *common],
        "parquet": [sys.executable, "-m", "nearkin._command", "dedup", folder / f"{codec}.parquet", "-o", folder / "kept.parquet", "--stats",
                    folder / "parquet.json", *common],
    }


def require_same_answer(folder, codec):
    with pa.input_stream(folder / f"kept{CODECS[codec]}", compression="detect") as file:
        kept = pq.ParquetFile(folder / "kept.parquet").iter_batches(10_000, columns=["id"])
        lines = io.BufferedReader(file)
        same = all(json.loads(lines.readline())["id"] == id for batch in kept for id in batch["id"].to_pylist()) and not lines.readline()
    if not same:
        sys.exit("parquet_bench: the two roads keep different records")


def compare(folder, codec, common, rounds):
    jobs = jobs_of(folder, codec, common)
    for words in jobs.values():
        timed(words)
    require_same_answer(folder, codec)
    times = {name: [] for name in jobs}
    for _ in range(rounds):
        for name, words in jobs.items():
            times[name].append(timed(words))
    report = {name: {key: statistics.median(run[key] for run in runs) for key in runs[0]} for name, runs in times.items()}
    for name in jobs:
        report[name]["binary_peak_bytes"] = json.loads((folder / f"{name}.json").read_text())["peak_bytes"]
    return report | {f"{key}_ratio": report["parquet"][key] / report["jsonl"][key] for key in ("seconds", "cpu")}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--documents", type=int, default=300_000)
    parser.add_argument("--generate", default=ROOT / "build" / "bench" / "nearkin_generate")
    parser.add_argument("--folder", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--codec", action="append", choices=list(CODECS))
    parser.add_argument("--memory", help="of both runs, such as 200MiB")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = options.folder or pathlib.Path(made)
        generate(options, folder)
        plan = str(nearkin.tune(threshold=0.8, recall=0.95))
        common = ["--plan", plan, "-q", *(["--memory", options.memory] if options.memory else [])]
        report = {"documents": options.documents, "bytes_as_jsonl": (folder / "docs.jsonl").stat().st_size, "plan": plan}
        for codec in options.codec or CODECS:
            report[codec] = compare(folder, codec, common, options.rounds)
        print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
