"""A standalone master and two workers on loopback. Run by `pytest -m spark_cluster`."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from spark_cluster import Cluster, running_cluster
from spark_support import Answer, corpus, shown

import pyspark

import nearkin

pytestmark = pytest.mark.spark_cluster
HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def asked_for(request: pytest.FixtureRequest) -> None:
    if "spark_cluster" not in (request.config.getoption("-m") or ""):
        pytest.skip("skipped: a cluster is started for -m spark_cluster alone")


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with running_cluster(tmp_path) as started:
        yield started


def write_input(cluster: Cluster, records) -> str:
    ids, texts = zip(*records)
    path = cluster.folder / "in.parquet"
    pq.write_table(pa.table({"id": ids, "text": pa.array(texts, pa.string())}), path, row_group_size=1 + len(ids) // 8)
    return str(path)


def run_driver(*command: str) -> str:
    path = os.pathsep.join([str(HERE), *(path for path in sys.path if path)])
    environment = {**os.environ, "PYTHONPATH": path, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-5000:]
    return done.stdout


def run_job(cluster: Cluster, records, plan: nearkin.Plan, *arguments: str) -> str:
    job = str(HERE / "spark_job.py")
    return run_driver(sys.executable, job, cluster.master, write_input(cluster, records), str(cluster.folder / "out"), str(plan), *arguments)


def check_answer(cluster: Cluster, records, plan: nearkin.Plan) -> None:
    answer = Answer(records, plan, cluster.folder)
    clusters = pq.read_table(cluster.folder / "out" / "clusters").to_pylist()
    assert sorted((row["id"], row["cluster"], row["keeper"], shown(row["similarity"])) for row in clusters) == answer.clusters("connected")
    removed = pq.read_table(cluster.folder / "out" / "removed").to_pylist()
    assert sorted((row["id"], row["keeper"], shown(row["similarity"])) for row in removed) == answer.removed()


@pytest.mark.parametrize("stage, reliable", [("describe", True), ("fold", False), ("candidates", True), ("signatures", False)])
def test_a_worker_that_is_killed_changes_nothing(cluster: Cluster, stage: str, reliable: bool) -> None:
    records = corpus(8_000, seed=11)
    plan = nearkin.tune(threshold=0.7, shingle="word:2", large_bucket=12)
    victim = cluster.processes[1].pid
    checkpoint = ["--checkpoint", str(cluster.folder / "checkpoints")] if reliable else []
    told = run_job(cluster, records, plan, *checkpoint, "--kill", str(victim), "--after", stage)
    assert f"killed after {stage}" in told
    check_answer(cluster, records, plan)


def test_a_job_is_submitted(cluster: Cluster) -> None:
    records = corpus(2_000, seed=13)
    plan = nearkin.tune(threshold=0.7, shingle="word:2")
    job = Path(nearkin.__file__).parent / "spark" / "__main__.py"
    executors = f"spark.executorEnv.PYTHONPATH={os.pathsep.join(path for path in sys.path if path)}"
    run_driver(str(Path(pyspark.__file__).parent / "bin" / "spark-submit"), "--master", cluster.master, "--conf", executors, str(job), "dedup",
               write_input(cluster, records), "-o", str(cluster.folder / "kept.parquet"), "--removed", str(cluster.folder / "out" / "removed"),
               "--threshold", "0.7", "--shingle", "word:2", "--checkpoint", str(cluster.folder / "checkpoints"))
    answer = Answer(records, plan, cluster.folder)
    removed = pq.read_table(cluster.folder / "out" / "removed").to_pylist()
    assert sorted((row["id"], row["keeper"], shown(row["similarity"])) for row in removed) == answer.removed()
    assert sorted(pq.read_table(cluster.folder / "kept.parquet").column("id").to_pylist()) == answer.kept()


def test_two_hundred_thousand_documents(cluster: Cluster) -> None:
    records = corpus(200_000, seed=12)
    plan = nearkin.tune(threshold=0.8)
    print(run_job(cluster, records, plan))
    check_answer(cluster, records, plan)
