"""A standalone master and two workers of one core on loopback, from the PySpark package."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pyspark
from pyspark.sql import SparkSession


# A test is over before the JVM's second compiler has paid for itself.
_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
# Small tables are done before what Spark compiles for them has paid for itself. On the cluster it is compiled as in earnest.
QUICK = {"spark.driver.extraJavaOptions": _JAVA, "spark.sql.codegen.wholeStage": "false", "spark.sql.shuffle.partitions": "3"}
# What went with a worker is soon missed, and nobody waits for the worker at which a block is.
ON_CLUSTER = {"spark.driver.extraJavaOptions": _JAVA, "spark.executor.extraJavaOptions": _JAVA, "spark.executor.memory": "1500m",
              "spark.shuffle.io.maxRetries": "1", "spark.shuffle.io.retryWait": "200ms", "spark.locality.wait": "0s"}


def settings(builder: SparkSession.Builder, **more: str) -> SparkSession.Builder:
    for name, value in {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "4", "spark.driver.memory": "2g",
                        "spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1",
                        "spark.ui.showConsoleProgress": "false", **more}.items():
        builder = builder.config(name, value)
    return builder


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@dataclass
class Cluster:
    """Each process leads a group of its own, so that a worker can be ended together with what it runs."""

    folder: Path
    master: str
    memory: str
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        home = Path(pyspark.__file__).parent
        inherited = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYSPARK_PYTHON")}
        environment = {**inherited, "SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_DAEMON_MEMORY": "256m"}
        log = (self.folder / f"log-{len(self.processes)}").open("wb")
        process = subprocess.Popen([str(home / "bin" / "spark-class"), *arguments], stdout=log, stderr=log, env=environment,
                                   start_new_session=True)
        self.processes.append(process)
        return process

    def start_worker(self, number: int) -> subprocess.Popen[bytes]:
        return self.start("org.apache.spark.deploy.worker.Worker", self.master, "--host", "127.0.0.1", "--cores", "1", "--memory", self.memory,
                          "--webui-port", str(free_port()), "--work-dir", str(self.folder / f"work-{number}"))

    def victim(self) -> subprocess.Popen[bytes]:
        """The worker that was started last."""
        return self.processes[-1]

    def replace_victim(self) -> None:
        """So that there are two workers again."""
        self.victim().wait()
        number = len(self.processes)
        self.start_worker(number)
        self.wait_for(number, b"Successfully registered with master")

    def wait_for(self, number: int, word: bytes) -> None:
        for _ in range(600):
            if word in (self.folder / f"log-{number}").read_bytes():
                return
            time.sleep(0.1)
        raise TimeoutError(f"process {number} of the cluster did not come up")

    def stop(self) -> None:
        for process in reversed(self.processes):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


@contextmanager
def running_cluster(folder: Path, memory: str = "2g") -> Iterator[Cluster]:
    port = free_port()
    started = Cluster(folder, f"spark://127.0.0.1:{port}", memory)
    try:
        started.start("org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", str(free_port()))
        started.wait_for(0, b"I have been elected leader")
        for number in (1, 2):
            started.start_worker(number)
        for number in (1, 2):
            started.wait_for(number, b"Successfully registered with master")
        yield started
    finally:
        started.stop()
