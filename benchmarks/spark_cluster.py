"""A real cluster of Spark on the loopback interface: a master and two workers, each a process of its own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

# Everything stays on this machine, and standard output is left to whoever asks.
QUIET = {"spark.ui.enabled": "false", "spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1",
         "spark.log.level": "ERROR", "spark.ui.showConsoleProgress": "false"}  # fmt: skip


def session(master: str, **settings: str) -> Any:
    """A session of Spark at a master: "local[2]", or the address of a cluster."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable  # the workers' own Python may know nothing of ours
    builder = SparkSession.builder.master(master)
    own = {**QUIET, "spark.executorEnv.PYSPARK_PYTHON": sys.executable}
    for name, value in {**own, **settings}.items():
        builder = builder.config(name, value)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return builder.getOrCreate()


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class Cluster:
    """A master and workers, ended by their ids.

    Args:
        folder: Where logs and the work of the workers go.
        memory: What each worker may give to executors.
    """

    def __init__(self, folder: Path, memory: str = "700m") -> None:
        self.folder, self.processes = folder, []  # type: ignore[var-annotated]
        port = free_port()
        self.url = f"spark://127.0.0.1:{port}"
        try:
            self.master = self._start(
                "master.Master", "--host", "127.0.0.1", "--port", port, "--webui-port", free_port()
            )
            self._wait(port)
            self.workers = [self._worker(i, memory) for i in range(2)]
        except BaseException:
            self.stop()
            raise

    def _worker(self, number: int, memory: str) -> Any:
        folder = self.folder / f"worker{number}"
        folder.mkdir()
        options = ("--cores", 1, "--memory", memory, "--work-dir", folder, "--webui-port", free_port())
        return self._start("worker.Worker", "--host", "127.0.0.1", *options, self.url)

    def _start(self, name: str, *options: object) -> Any:
        import pyspark

        home = Path(pyspark.__file__).parent
        command = [home / "bin" / "spark-class", f"org.apache.spark.deploy.{name}", *options]
        environment = {**os.environ, "SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_NO_DAEMONIZE": "1"}
        environment |= {"SPARK_DAEMON_MEMORY": "256m", "PYSPARK_PYTHON": sys.executable}
        with (self.folder / f"{name}-{len(self.processes)}.log").open("w") as log:
            process = subprocess.Popen(
                [str(part) for part in command], stdout=log, stderr=log, env=environment, start_new_session=True
            )
        self.processes.append(process)
        return process

    def _wait(self, port: int, seconds: float = 180) -> None:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            with socket.socket() as one:
                if one.connect_ex(("127.0.0.1", port)) == 0:
                    return
            time.sleep(0.5)
        raise TimeoutError("the master did not start")

    def kill(self, process: Any) -> None:
        """End a process, and the executors that it started, at once."""
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def stop(self) -> None:
        """End all of them."""
        for process in self.processes:
            if process.poll() is None:
                self.kill(process)
