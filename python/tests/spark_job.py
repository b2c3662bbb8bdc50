"""A driver of its own, for the tests on a real cluster: spark_job.py MASTER [NAME=VALUE …]. Takes jobs as lines of JSON and answers each with its
figures; `kill` ends a group of processes as soon as the stage `after` is over."""

from __future__ import annotations

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


def kill_in_the_middle(run: Run, job: dict[str, object]) -> None:
    """When the stage is over and the next one has begun."""
    while job["after"] not in run.stats.seconds:
        time.sleep(0.05)
    time.sleep(0.5)
    os.killpg(job["kill"], signal.SIGKILL)
    job["killed"] = True


def do(spark: SparkSession, job: dict[str, object]) -> dict[str, object]:
    spark.sparkContext.setCheckpointDir(job.get("checkpoint"))
    spark.conf.set("spark.sql.shuffle.partitions", job.get("shuffle_partitions", 4))
    df = spark.read.parquet(job["input"])
    if "partitions" in job:
        df = df.repartition(job["partitions"])
    begin = time.monotonic()
    with Run(df, nearkin.Plan(job["plan"])) as run:
        if "kill" in job:
            threading.Thread(target=kill_in_the_middle, args=(run, job), daemon=True).start()
        run.clusters().write.parquet(job["output"] + "/clusters")
        run.removed().write.parquet(job["output"] + "/removed")
        run.kept().select("id").write.parquet(job["output"] + "/kept")
        return {**run.stats.as_dict(), "killed": "killed" in job, "all seconds": time.monotonic() - begin}


def main() -> None:
    builder = settings(SparkSession.builder.master(sys.argv[1]).appName("nearkin on a cluster"), **dict(pair.split("=", 1) for pair in sys.argv[2:]))
    spark = builder.config("spark.executorEnv.PYTHONPATH", os.pathsep.join(path for path in sys.path if path)).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    print("ready", flush=True)
    for line in sys.stdin:
        print(json.dumps(do(spark, json.loads(line))), flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
