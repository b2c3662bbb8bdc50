"""A standalone master and two workers on loopback. Run by `pytest -m spark_cluster`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import spark_support  # noqa: F401  skips where there is no Spark
from roads import CommandLine, Python, Record, assert_same, corpus, line, shown
from spark_cluster import ON_CLUSTER, Cluster, running_cluster

import pyspark

import nearkin

pytestmark = pytest.mark.spark_cluster
HERE = Path(__file__).parent
PATHS = [path for path in sys.path if path]


@pytest.fixture(autouse=True, scope="module")
def asked_for(request: pytest.FixtureRequest) -> None:
    if "spark_cluster" not in (request.config.getoption("-m") or ""):
        pytest.skip("skipped: a cluster is started for -m spark_cluster alone")


@pytest.fixture(scope="module")
def cluster(asked_for: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with running_cluster(tmp_path_factory.mktemp("cluster")) as started:
        yield started


class Driver:
    """A process of its own, which does one job after the other."""

    def __init__(self, master: str, log: Path) -> None:
        command = [sys.executable, str(HERE / "spark_job.py"), master, *(f"{name}={value}" for name, value in ON_CLUSTER.items())]
        self._log = log
        self._process = subprocess.Popen(command, env=environment(PYSPARK_PYTHON=sys.executable, PYTHONPATH=os.pathsep.join([str(HERE), *PATHS])),
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log.open("wb"), text=True)
        assert self._answer() == "ready"

    def _answer(self) -> str:
        line = self._process.stdout.readline().strip()
        assert line, self._log.read_text()[-5000:]
        return line

    def do(self, **job: object) -> dict[str, object]:
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        return json.loads(self._answer())

    def end(self) -> None:
        self._process.stdin.close()
        self._process.wait()


@pytest.fixture(scope="module")
def driver(cluster: Cluster) -> Iterator[Driver]:
    started = Driver(cluster.master, cluster.folder / "driver-log")
    yield started
    started.end()


def environment(**more: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYSPARK_PYTHON")}
    return {**kept, "SPARK_LOCAL_IP": "127.0.0.1", **more}


def write_input(folder: Path, records: list[Record]) -> str:
    ids, texts = zip(*records)
    path = folder / "in.parquet"
    pq.write_table(pa.table({"id": ids, "text": pa.array(texts, pa.string())}), path, row_group_size=1 + len(ids) // 8)
    return str(path)


def rows(folder: Path) -> list[dict[str, object]]:
    return pq.read_table(folder).to_pylist()


def check_answer(out: Path, clusters: list[str], removed: list[str], kept: list[str]) -> None:
    assert_same(sorted(line(row["id"], row["cluster"], row["keeper"], shown(row["similarity"])) for row in rows(out / "clusters")), clusters)
    assert_same(sorted(line(row["id"], row["keeper"], shown(row["similarity"])) for row in rows(out / "removed")), removed)
    assert_same(sorted(row["id"] for row in rows(out / "kept")), kept)


def python_without_nearkin(folder: Path) -> str:
    """A Python with what this one has, but for nearkin and PySpark."""
    venv.create(folder, with_pip=False)
    packages = next((folder / "lib").glob("python*")) / "site-packages"
    for place in (path for path in PATHS if Path(path).name == "site-packages"):
        for entry in Path(place).iterdir():
            if not entry.name.startswith(("nearkin", "pyspark", "py4j")) and not (packages / entry.name).exists():
                (packages / entry.name).symlink_to(entry)
    return str(folder / "bin" / "python")


def wheel_as_archive(path: Path) -> None:
    """The installed package as it is in its wheel, which is a zip archive."""
    installed = Path(nearkin.__file__).parent
    with zipfile.ZipFile(path, "w") as archive:
        for folder in (installed, installed.parent / "nearkin.libs"):
            for file in folder.rglob("*"):
                if "__pycache__" not in file.parts and "_bin" not in file.parts:
                    archive.write(file, file.relative_to(installed.parent))


def test_a_job_is_submitted_to_workers_without_nearkin(cluster: Cluster, tmp_path: Path) -> None:
    """As docs/spark.md says of the wheel as an archive. Comes before the tests with a driver that lasts, which has all cores."""
    worker = python_without_nearkin(tmp_path / "worker-env")
    assert "No module named 'nearkin'" in subprocess.run([worker, "-c", "import pyarrow, nearkin"], env=environment(), capture_output=True, text=True).stderr
    wheel_as_archive(tmp_path / "nearkin.zip")
    records = corpus(1_000, seed=13)
    answer = CommandLine(records, nearkin.tune(threshold=0.7, shingle="word:2"), tmp_path)
    settings = ["spark.executorEnv.PYTHONPATH=./nearkin_wheel", f"spark.pyspark.python={worker}", f"spark.pyspark.driver.python={sys.executable}",
                "spark.sql.shuffle.partitions=4", *(f"{name}={value}" for name, value in ON_CLUSTER.items())]
    done = subprocess.run([str(Path(pyspark.__file__).parent / "bin" / "spark-submit"), "--master", cluster.master,
                           "--archives", f"{tmp_path}/nearkin.zip#nearkin_wheel", *(word for setting in settings for word in ("--conf", setting)),
                           str(Path(nearkin.__file__).parent / "spark" / "__main__.py"), "dedup", write_input(tmp_path, records),
                           "-o", str(tmp_path / "out" / "kept"), "--removed", str(tmp_path / "out" / "removed"),
                           "--threshold", "0.7", "--shingle", "word:2", "--checkpoint", str(tmp_path / "checkpoints")],
                          env=environment(PYTHONPATH=os.pathsep.join(PATHS)), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-5000:]
    assert_same(sorted(line(row["id"], row["keeper"], shown(row["similarity"])) for row in rows(tmp_path / "out" / "removed")), answer.removed())
    assert_same(sorted(row["id"] for row in rows(tmp_path / "out" / "kept")), answer.kept())


@pytest.mark.parametrize("stage, reliable", [("describe", True), ("fold", False), ("candidates", True), ("signatures", False)])
def test_a_worker_that_is_killed_changes_nothing(cluster: Cluster, driver: Driver, tmp_path: Path, stage: str, reliable: bool) -> None:
    records = corpus(3_000, seed=11)
    plan = nearkin.tune(threshold=0.7, shingle="word:2", large_bucket=12)
    answer = CommandLine(records, plan, tmp_path)
    checkpoint = {"checkpoint": str(tmp_path / "checkpoints")} if reliable else {}
    told = driver.do(input=write_input(tmp_path, records), output=str(tmp_path / "out"), plan=str(plan), kill=cluster.victim().pid, after=stage,
                     **checkpoint)
    assert told["killed"]
    cluster.replace_victim()
    check_answer(tmp_path / "out", answer.clusters(), answer.removed(), answer.kept())
    assert told["buckets"] == answer.stats["buckets"] and told["buckets"]["large"] > 0


def test_two_hundred_thousand_documents_by_command_line_python_and_spark(driver: Driver, tmp_path: Path) -> None:
    records = corpus(200_000, seed=12)
    plan = nearkin.tune(threshold=0.8)
    answer, python = CommandLine(records, plan, tmp_path), Python(records, plan)
    clusters, removed, kept = answer.clusters(), answer.removed(), answer.kept()
    assert len(removed) > 50_000 and answer.stats["buckets"]["large"] > 100
    for found, expected in ((python.clusters(), clusters), (python.removed(), removed), (python.kept(), kept)):
        assert_same(found, expected)
    assert python.stats["buckets"] == answer.stats["buckets"]
    path = write_input(tmp_path, records)
    for partitions, shuffle_partitions in ((3, 4), (16, 9)):
        out = tmp_path / f"out-{partitions}"
        told = driver.do(input=path, output=str(out), plan=str(plan), partitions=partitions, shuffle_partitions=shuffle_partitions)
        print(told)
        check_answer(out, clusters, removed, kept)
        for name in ("items", "empty", "copies", "candidates", "buckets"):
            assert told[name] == answer.stats[name], name
