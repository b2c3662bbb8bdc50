"""Spark with two workers of one core against the command line on the same data: seconds by stage, bytes shuffled a document, growth.

    python bench/spark_bench.py [--items 100000 1000000] [--command build/dev/nearkin]

Starts a standalone master and two workers on loopback and stops them at the end. Needs the package with PySpark; prints a table."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python" / "tests"))

if TYPE_CHECKING:
    from spark_cluster import Cluster

WORDS_OF_A_TEXT = 100
COPIED = 0.2  # of the documents, that are another one with some words changed


def texts(items: int, seed: int = 1) -> pa.Array:
    """Texts of about 100 words, about 900 bytes, a fifth of them near copies of an earlier one; all words are drawn alike."""
    rng = np.random.default_rng(seed)
    vocabulary = np.array([f"word{number:x}" for number in range(50_000)])
    words = rng.integers(0, len(vocabulary), (items, WORDS_OF_A_TEXT), dtype=np.int32)
    for row in np.flatnonzero(rng.random(items) < COPIED)[1:]:
        words[row] = words[rng.integers(0, row)]
        places = rng.integers(0, WORDS_OF_A_TEXT, rng.integers(0, 5))
        words[row, places] = rng.integers(0, len(vocabulary), len(places))
    return pa.array((" ".join(vocabulary[row]) for row in words), pa.string())


def write_inputs(folder: Path, items: int) -> None:
    """The same records as Parquet, and as JSON lines sorted by id."""
    data = texts(items)
    ids = pa.array(f"doc-{row:09}" for row in range(items))
    pq.write_table(pa.table({"id": ids, "text": data}), folder / "in.parquet", row_group_size=1 + items // 8)
    with (folder / "in.jsonl").open("w") as out:
        for id, text in zip(ids.to_pylist(), data.to_pylist()):
            out.write(f'{{"id":"{id}","text":"{text}"}}\n')


def run_command(command: str, folder: Path, plan: str, threads: int) -> tuple[float, float, dict[str, float]]:
    """Seconds, processor seconds, seconds by stage."""
    begin, before = time.monotonic(), os.times()
    subprocess.run([command, "dedup", str(folder / "in.jsonl"), "--plan", plan, "-o", str(folder / "kept.jsonl"), "--removed",
                    str(folder / "removed.tsv"), "--stats", str(folder / "stats.json"), "--threads", str(threads), "--quiet"], check=True)
    after = os.times()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return time.monotonic() - begin, used, json.loads((folder / "stats.json").read_text())["seconds"]


def processor_seconds(sessions: list[int]) -> float:
    """Of all processes of these sessions and their children that have ended: what a run costs, whatever else the machine does."""
    ticks = 0
    for place in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = place.read_text().rsplit(")", 1)[1].split()
        except OSError:  # it has just ended
            continue
        if int(fields[3]) in sessions:
            ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def shuffled_bytes(log: Path, laps: list[tuple[float, str]]) -> dict[str, int]:
    """Bytes written to shuffles, by the stage of the run in whose time the task ended."""
    found: dict[str, int] = defaultdict(int)
    for line in log.open():
        event = json.loads(line)
        if event["Event"] != "SparkListenerTaskEnd" or not event.get("Task Metrics"):
            continue
        ended = event["Task Info"]["Finish Time"] / 1000
        stage = next((name for end, name in laps if ended <= end), "write")
        found[stage] += event["Task Metrics"]["Shuffle Write Metrics"]["Shuffle Bytes Written"]
    return found


def driver(master: str, folder: str, plan: str, executor_memory: str, *workers: str) -> None:
    """Run in a process of its own: prints what it took as one JSON object."""
    from pyspark.sql import SparkSession

    import nearkin
    from nearkin.spark import Run, _search
    from spark_cluster import settings
    laps: list[tuple[float, str]] = []
    processor: dict[str, float] = {}
    sessions = [os.getsid(0), *map(int, workers)]
    lap = _search.Clock.lap

    def note(stage: str) -> None:
        laps.append((time.time(), stage))
        processor[stage] = processor_seconds(sessions) - before - sum(processor.values())

    def lap_and_note(clock: _search.Clock, stage: str) -> None:
        lap(clock, stage)
        note(stage)

    _search.Clock.lap = lap_and_note  # type: ignore[method-assign]
    builder = settings(SparkSession.builder.master(master).appName("nearkin bench"))
    for name, value in {"spark.executorEnv.PYTHONPATH": os.pathsep.join(path for path in sys.path if path), "spark.eventLog.enabled": "true",
                        "spark.eventLog.dir": f"file://{folder}/log", "spark.eventLog.compress": "false",
                        "spark.eventLog.rolling.enabled": "false", "spark.executor.memory": executor_memory,
                        "spark.sql.shuffle.partitions": "16"}.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    spark.range(1000).mapInArrow(lambda batches: batches, "id bigint").count()  # the workers are up
    before, begin = processor_seconds(sessions), time.monotonic()
    with Run(spark.read.parquet(f"{folder}/in.parquet"), nearkin.Plan(plan)) as run:
        run.kept().write.parquet(f"{folder}/out")
        wall = time.monotonic() - begin
        note("write")
        stats = run.stats.as_dict()
    spark.stop()
    print(json.dumps({"wall": wall, "laps": laps, "processor": processor, "stats": stats}))


def measure(cluster: Cluster, folder: Path, plan: str, executor_memory: str) -> dict[str, Any]:
    """What the driver told, and the bytes shuffled by stage."""
    (folder / "log").mkdir()
    path = os.pathsep.join([str(ROOT / "python" / "tests"), *(path for path in sys.path if path)])
    workers = [str(process.pid) for process in cluster.processes[1:]]
    done = subprocess.run([sys.executable, __file__, "--driver", cluster.master, str(folder), plan, executor_memory, *workers],
                          capture_output=True, text=True, start_new_session=True, env={**os.environ, "PYTHONPATH": path, "PYSPARK_PYTHON": sys.executable})
    if done.returncode != 0:
        sys.exit(done.stderr[-5000:])
    told = json.loads(done.stdout.splitlines()[-1])
    (log,) = (folder / "log").iterdir()
    return {**told, "shuffled": shuffled_bytes(log, told["laps"])}


def show(items: int, told: dict[str, Any]) -> None:
    wall, stats, processor, shuffled = (told[name] for name in ("wall", "stats", "processor", "shuffled"))
    seconds = stats["seconds"]
    print(f"\n{items} documents: {stats['candidates']} candidates, {stats['removed']} removed, {stats['copies']} copies")
    print(f"{'stage':<20}{'seconds':>9}{'processor s':>13}{'µs/doc':>9}{'shuffled B/doc':>16}")
    for stage in [*seconds, "write"]:
        spent = seconds.get(stage, wall - sum(seconds.values()))
        used = processor[stage]
        print(f"{stage:<20}{spent:9.1f}{used:13.1f}{used / items * 1e6:9.1f}{shuffled.get(stage, 0) / items:16.1f}")
    used = sum(processor.values())
    print(f"{'all':<20}{wall:9.1f}{used:13.1f}{used / items * 1e6:9.1f}{sum(shuffled.values()) / items:16.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--command", default=str(ROOT / "build/dev/nearkin"))
    parser.add_argument("--plan", help="default: the plan for 0.8")
    parser.add_argument("--executor-memory", default="2g")
    typed = parser.parse_args()
    import nearkin
    from spark_cluster import running_cluster
    plan = typed.plan or str(nearkin.tune(threshold=0.8))
    print(plan)
    costs: list[tuple[int, float, float]] = []
    for items in typed.items:
        with tempfile.TemporaryDirectory() as place, running_cluster(Path(place), memory="3g") as cluster:
            folder = Path(place)
            write_inputs(folder, items)
            told = measure(cluster, folder, plan, typed.executor_memory)
            show(items, told)
            spent = told["wall"], sum(told["processor"].values())
            for threads in (1, 2):
                took, used, parts = run_command(typed.command, folder, plan, threads)
                by_stage = ", ".join(f"{name} {value:.2f}" for name, value in parts.items())
                print(f"command line, {threads} threads: {took:.2f} s, {used:.2f} processor s ({by_stage}); Spark takes "
                      f"{spent[0] / took:.1f} times the time and {spent[1] / used:.1f} times the processor")
            costs.append((items, *spent))
    for few, many in zip(costs, costs[1:]):
        grown = many[0] / few[0]
        print(f"\n{few[0]} to {many[0]}: {many[1] / few[1] / grown:.2f} times linear in time, {many[2] / few[2] / grown:.2f} in processor time")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--driver"]:
        driver(*sys.argv[2:])
    else:
        main()
