"""A driver of its own, for the tests on a real cluster: spark_job.py MASTER INPUT OUTPUT PLAN [--checkpoint DIR] [--kill PID --after STAGE]."""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import threading
import time

from pyspark.sql import SparkSession

import nearkin
from nearkin.spark import Run
from spark_cluster import settings


def kill_in_the_middle(run: Run, group: int, stage: str) -> None:
    """As soon as the stage is over, so that the next one has begun."""
    while stage not in run.stats.seconds:
        time.sleep(0.05)
    time.sleep(0.5)
    os.killpg(group, signal.SIGKILL)
    print(f"killed after {stage}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    for name in ("master", "input", "output", "plan"):
        parser.add_argument(name)
    parser.add_argument("--checkpoint")
    parser.add_argument("--kill", type=int)
    parser.add_argument("--after")
    typed = parser.parse_args()
    builder = settings(SparkSession.builder.master(typed.master).appName("nearkin on a cluster"))
    builder = builder.config("spark.executorEnv.PYTHONPATH", os.pathsep.join(path for path in sys.path if path))
    builder = builder.config("spark.executor.memory", "1500m").config("spark.sql.shuffle.partitions", "8")
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    if typed.checkpoint:
        spark.sparkContext.setCheckpointDir(typed.checkpoint)
    with Run(spark.read.parquet(typed.input), nearkin.Plan(typed.plan)) as run:
        if typed.kill:
            threading.Thread(target=kill_in_the_middle, args=(run, typed.kill, typed.after), daemon=True).start()
        run.clusters().write.parquet(typed.output + "/clusters")
        run.removed().write.parquet(typed.output + "/removed")
        print(json.dumps(run.stats.as_dict()), flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
