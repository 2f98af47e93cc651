"""Spark, on one machine and on a cluster: the same ranking, whatever happens to a worker."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

pyspark = pytest.importorskip("pyspark")
if shutil.which("java") is None:  # pragma: no cover
    pytest.skip("Java is not here (Debian: default-jre-headless), so Spark cannot be tested", allow_module_level=True)

from cutline import InputError, auc, compare, evaluate, rank  # noqa: E402
from cutline.inputs import binning, large  # noqa: E402

ROWS = 3000
RNG = np.random.default_rng(4)
Y = RNG.integers(0, 2, ROWS)
P = RNG.normal(size=ROWS) + Y
COARSE = P.round(1)
SITE = np.where(RNG.random(ROWS) < 0.3, "north", "south")
FREE = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2", "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1", "spark.driver.memory": "512m", "spark.sql.ansi.enabled": "true",
        "spark.log.level": "ERROR"}  # fmt: skip


def session(master, **more):
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable  # the workers' own Python may know nothing of ours

    builder = SparkSession.builder.master(master)
    for name, value in {**FREE, **more}.items():
        builder = builder.config(name, value)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return builder.getOrCreate()


def frame_of(spark, **columns):
    rows = list(zip(*(np.asarray(column).tolist() for column in columns.values()), strict=True))
    return spark.createDataFrame(rows, list(columns))


def few(monkeypatch):
    monkeypatch.setattr(large, "MOST", 500)
    monkeypatch.setattr(large, "binned", lambda aggregate: binning.binned(aggregate, width=1e-3, most=4000))


@pytest.mark.filterwarnings("ignore")
def test_spark_on_one_machine_gives_the_ranking_of_arrays(monkeypatch):
    spark = session("local[2]")
    try:
        frame = frame_of(spark, y=Y, p=P, coarse=COARSE, site=SITE).repartition(3)
        exact = rank(Y, P)
        assert rank("y", "coarse", data=frame) == rank(Y, COARSE)
        assert rank("y", "p", data=frame) == exact
        models = compare("y", {"a": "p", "b": "coarse"}, data=frame)
        assert models.difference("auc") == compare(Y, {"a": P, "b": COARSE}).difference("auc")
        assert evaluate("y", "coarse", data=frame, by="site")["north"].ranking == rank(
            Y[SITE == "north"], COARSE[SITE == "north"]
        )

        few(monkeypatch)
        found = rank("y", "p", data=frame, threshold=0.3)
        low, high = found.bracket
        assert auc(low) <= auc(exact) <= auc(high)
        assert found.at_threshold(0.3).to_dict() == exact.at_threshold(0.3).to_dict()
        assert rank("y", "p", data=frame, exact=True) == exact
        _refusals(spark, frame)
        _sql(spark, frame)
        _evaluator(frame, found)
    finally:
        spark.stop()


def _refusals(spark, frame):
    from pyspark.sql import functions as f
    from pyspark.sql.types import DoubleType

    with pytest.raises(InputError, match=r"data has no column 'coars', which scores= names\. Did you mean coarse"):
        rank("y", "coars", data=frame)
    with pytest.raises(InputError, match=r"scores \(column 'site'\) holds text"):
        rank("y", "site", data=frame.limit(20))
    lacking = frame_of(spark, y=[1, 0, 1], p=[0.5, None, 0.1])
    with pytest.raises(InputError, match=r"holds 1 missing value"):
        rank("y", "p", data=lacking)

    def fails(score):
        raise ValueError("the model is not there")

    failing = frame.limit(5).withColumn("p", f.udf(fails, DoubleType())("p"))
    with pytest.raises(InputError, match=r"^The engine of data failed: .*the model is not there") as refusal:
        rank("y", "p", data=failing)
    assert "\n" not in str(refusal.value)


def _sql(spark, frame):
    """The query for Spark runs in Spark."""
    from cutline.inputs.ranking_tables import ranking_query

    frame.createOrReplaceTempView("predictions")
    for bins in (None, 64):
        found = spark.sql(ranking_query("y", "coarse", "predictions", "spark", bins=bins).rstrip(";")).collect()
        assert sum(row["pos"] for row in found) == Y.sum()
        assert sum(row["missing"] for row in found) == 0
        if bins is None:
            assert {row["score"]: row["pos"] for row in found}[1.0] == Y[COARSE == 1.0].sum()


def _evaluator(frame, found):
    """The evaluator of Spark ML bins without a bracket; its value is near, ours is bracketed."""
    from pyspark.ml.evaluation import BinaryClassificationEvaluator
    from pyspark.sql import functions as f

    own = BinaryClassificationEvaluator(rawPredictionCol="p", labelCol="y", numBins=100)
    value = own.evaluate(frame.select(f.col("y").cast("double").alias("y"), "p"))
    assert abs(value - auc(Y, P)) < 0.02
    assert abs(auc(found) - auc(Y, P)) <= 1e-3


# ---------------------------------------------------------------------- a cluster


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Cluster:
    """A master and workers of Spark, each a process of its own on the loopback interface, ended by their ids."""

    def __init__(self, folder):
        self.folder, self.processes = folder, []
        port = free_port()
        self.url = f"spark://127.0.0.1:{port}"
        self.master = self._start("master.Master", "--host", "127.0.0.1", "--port", port, "--webui-port", free_port())
        self._wait(port)
        self.workers = [self._worker(i) for i in range(2)]

    def _worker(self, number):
        folder = self.folder / f"worker{number}"
        folder.mkdir()
        options = ("--cores", 1, "--memory", "700m", "--work-dir", folder, "--webui-port", free_port())
        return self._start("worker.Worker", "--host", "127.0.0.1", *options, self.url)

    def _start(self, name, *options):
        home = Path(pyspark.__file__).parent
        command = [home / "bin" / "spark-class", f"org.apache.spark.deploy.{name}", *options]
        environment = {**os.environ, "SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_NO_DAEMONIZE": "1"}
        environment |= {"SPARK_DAEMON_MEMORY": "256m", "PYSPARK_PYTHON": sys.executable}
        log = (self.folder / f"{name}-{len(self.processes)}.log").open("w")
        process = subprocess.Popen(  # noqa: S603
            [str(part) for part in command], stdout=log, stderr=log, env=environment, start_new_session=True
        )
        self.processes.append(process)
        return process

    def _wait(self, port, seconds=180):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            with socket.socket() as one:
                if one.connect_ex(("127.0.0.1", port)) == 0:
                    return
            time.sleep(0.5)
        raise TimeoutError("the master did not start")

    def kill(self, process):
        """End a process, and the executors that it started, at once."""
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def stop(self):
        for process in self.processes:
            if process.poll() is None:
                self.kill(process)


@pytest.mark.filterwarnings("ignore")
def test_a_cluster_gives_the_same_ranking_though_a_worker_is_killed_on_the_way(tmp_path, monkeypatch):
    cluster = Cluster(tmp_path)
    spark = None
    try:
        options = {"spark.executor.memory": "512m", "spark.cores.max": "2"}
        options["spark.executorEnv.PYSPARK_PYTHON"] = sys.executable
        spark = session(cluster.url, **options)
        frame = frame_of(spark, y=Y, p=P, coarse=COARSE).repartition(8)
        assert rank("y", "coarse", data=frame) == rank(Y, COARSE)

        few(monkeypatch)
        killed = threading.Event()

        def kill():
            cluster.kill(cluster.workers[0])
            killed.set()

        passes = []
        from cutline.inputs.frame_engine import FrameEngine

        original = FrameEngine.bins

        def watched(engine, divisions):
            passes.append(len(divisions))
            if len(passes) == 2:
                threading.Timer(0.2, kill).start()  # while the second pass runs
            return original(engine, divisions)

        monkeypatch.setattr(FrameEngine, "bins", watched)
        found = rank("y", "p", data=frame)
        assert killed.wait(60)
        exact = rank(Y, P)
        low, high = found.bracket
        assert (found.positives, found.negatives) == (exact.positives, exact.negatives)
        assert auc(low) <= auc(exact) <= auc(high)
        assert rank("y", "coarse", data=frame) == rank(Y, COARSE)  # with the worker that is left
    finally:
        if spark is not None:
            spark.stop()
        cluster.stop()
