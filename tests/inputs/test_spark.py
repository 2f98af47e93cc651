"""Spark, on one machine and on a cluster: the same ranking, whatever happens to a worker."""

import shutil
import sys
import threading
from pathlib import Path

import frame_body
import numpy as np
import pytest

pyspark = pytest.importorskip("pyspark")
if shutil.which("java") is None:  # pragma: no cover
    pytest.skip("Java is not here (Debian: default-jre-headless), so Spark cannot be tested", allow_module_level=True)

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
from spark_cluster import Cluster, session  # noqa: E402

from cutline import InputError, auc, compare, evaluate, rank  # noqa: E402
from cutline.inputs import binning, frames, out_of_core  # noqa: E402

pytestmark = pytest.mark.slow

ROWS = 3000
RNG = np.random.default_rng(4)
Y = RNG.integers(0, 2, ROWS)
P = RNG.normal(size=ROWS) + Y
COARSE = P.round(1)
SITE = np.where(RNG.random(ROWS) < 0.3, "north", "south")
BRIEF = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # a program of seconds does not earn back the second compiler
SMALL = {"spark.driver.extraJavaOptions": BRIEF, "spark.executor.extraJavaOptions": BRIEF}
SMALL |= {"spark.sql.shuffle.partitions": "2", "spark.driver.memory": "512m", "spark.sql.ansi.enabled": "true"}


def frame_of(spark, **columns):
    rows = list(zip(*(np.asarray(column).tolist() for column in columns.values()), strict=True))
    return spark.createDataFrame(rows, list(columns))


def as_frame(spark):
    """A maker of frames from columns, each with the type that its array has."""
    import pandas as pd

    spark.conf.set("spark.sql.execution.arrow.pyspark.enabled", "true")  # Spark 3.5 makes doubles of all floats without
    return lambda columns: spark.createDataFrame(pd.DataFrame(columns)).repartition(3)


def does_what_every_frame_does(make, monkeypatch):
    """The body of checks of `test_frames`; the rows themselves never leave Spark where all is well."""
    frame = make(frame_body.COLUMNS)
    with monkeypatch.context() as context:
        context.setattr(frames.ElsewhereFrame, "read_columns", lambda *_: pytest.fail("the rows were collected"))
        frame_body.gives_the_ranking_of_its_arrays(frame, "p", None, True)
        frame_body.gives_the_ranking_of_its_arrays(frame, "single", "whole", False)
        frame_body.draws_groups(frame)
        frame_body.compares_models(frame)
        frame_body.is_sliced(frame)
        frame_body.is_sliced_where_it_lives(make(frame_body.SLICED), exact=True)
        frame_body.refuses_slices(make(frame_body.SLICELESS), exact=True)
    frame_body.reads_text_labels(frame)
    frame_body.refuses_names(frame)
    frame_body.refuses_missing_values_or_drops_them(make(frame_body.LACKING))
    frame_body.refuses_text_in_the_scores(make({"y": [1, 0], "p": ["0.9", "high"]}))


def bins_from_500_scores(monkeypatch):
    monkeypatch.setattr(out_of_core, "MOST", 500)
    monkeypatch.setattr(
        out_of_core, "count_in_bins", lambda aggregate, **_: binning.count_in_bins(aggregate, width=1e-3, most=4000)
    )


@pytest.mark.filterwarnings("ignore")
def test_spark_on_one_machine_gives_the_ranking_of_arrays(monkeypatch):
    spark = session("local[2]", **SMALL)
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

        does_what_every_frame_does(as_frame(spark), monkeypatch)

        bins_from_500_scores(monkeypatch)
        collected = []
        collect = frames.collect
        monkeypatch.setattr(frames, "collect", lambda one: collected.append(collect(one)) or collected[-1])
        found = rank("y", "p", data=frame, threshold=0.3)
        assert max(len(next(iter(columns.values()))) for columns in collected) <= len(found) < ROWS  # bins alone
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
    assert "the model is not there" in str(refusal.value.__cause__)  # Spark's own, with the lines of the function
    assert "in fails" in str(refusal.value.__cause__)


def _sql(spark, frame):
    """The query for Spark runs in Spark."""
    from cutline.inputs.ranking_tables import write_ranking_query

    frame.createOrReplaceTempView("predictions")
    for bins in (None, 64):
        found = spark.sql(write_ranking_query("y", "coarse", "predictions", "spark", bins=bins).rstrip(";")).collect()
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


@pytest.mark.filterwarnings("ignore")
def test_a_cluster_gives_the_same_ranking_though_a_worker_is_killed_on_the_way(tmp_path, monkeypatch):
    monkeypatch.setenv("SPARK_DAEMON_JAVA_OPTS", BRIEF)
    cluster = Cluster(tmp_path)
    spark = None
    try:
        options = {**SMALL, "spark.executor.memory": "512m", "spark.cores.max": "2"}
        spark = session(cluster.url, **options)
        frame = frame_of(spark, y=Y, p=P, coarse=COARSE).repartition(8)
        assert rank("y", "coarse", data=frame) == rank(Y, COARSE)

        bins_from_500_scores(monkeypatch)
        killed = threading.Event()

        def kill():
            cluster.kill(cluster.workers[0])
            killed.set()

        passes = []
        from cutline.inputs.frames import FrameEngine

        original = FrameEngine.count_bins

        def watched(engine, divisions):
            passes.append(len(divisions))
            if len(passes) == 2:
                threading.Timer(0.2, kill).start()  # while the second pass runs
            return original(engine, divisions)

        monkeypatch.setattr(FrameEngine, "count_bins", watched)
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
