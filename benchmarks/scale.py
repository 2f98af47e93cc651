"""How cutline copes with 1e6 to 1e8 rows in Parquet: time, memory, and what is certain: `make bench-scale`.

All scores are distinct, the worst case. The rows are generated in parts under build/scale and kept there. Each
measurement is a process of its own, so that its peak of resident memory is its own. Beside it stand DuckDB's sum and
count of distinct scores over the same files, Polars with scikit-learn where that fits, and Spark, on one machine and on
a cluster of two workers, beside the evaluator of Spark ML. What was measured is kept in build/scale/results.json, so
that `--only` can measure again a part of it.
"""

from __future__ import annotations

import argparse
import json
import math
import operator
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from measuring import target, verdict

FOLDER = Path(__file__).parents[1] / "build" / "scale"
RESULTS = FOLDER / "results.json"
PART = 10_000_000
MEMORY = "1GB"
SIZES = (10**6, 10**7, 10**8)
FITS = 3 * 10**7  # rows that Polars and scikit-learn hold in less than the memory of a small machine
SPARK = 2 * 10**7
TWO_MODELS = 10**7
SPARK_FITS = 2 * 10**6  # rows that Spark's own evaluator finishes in minutes with the same memory
PATIENCE = 600  # seconds, after which a measurement is ended: what no longer fits into memory takes very long


# ---------------------------------------------------------------------- the data


def written(rows: int) -> list[str]:
    """The files of so many rows, generated where they are not there yet."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    many = rows >= PART
    paths = [
        FOLDER / (f"part-{i:02d}.parquet" if many else f"rows-{rows}.parquet") for i in range(max(rows // PART, 1))
    ]
    for part, path in enumerate(paths):
        if not path.exists():
            _write(path, min(rows, PART), part, models=1)
    return [str(path) for path in paths]


def of_two_models(rows: int) -> list[str]:
    """A file with the scores of two models on the same cases."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / f"models-{rows}.parquet"
    if not path.exists():
        _write(path, rows, 100, models=2)
    return [str(path)]


def _write(path: Path, rows: int, seed: int, models: int) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(seed)
    labels = rng.random(rows) < 0.1
    scores = rng.normal(size=rows)
    scores += 1.2 * labels
    columns = {"label": labels.astype(np.int8), "score": 1 / (1 + np.exp(2.5 - scores))}
    if models > 1:
        columns["other"] = 1 / (1 + np.exp(2.5 - scores - 0.3 * rng.normal(size=rows)))
    pq.write_table(pa.table(columns), f"{path}.tmp", compression="zstd", use_dictionary=["label"])
    Path(f"{path}.tmp").rename(path)


# ---------------------------------------------------------------------- one measurement each, in its own process


def cutline_auc(files: list[str]) -> dict[str, Any]:
    import cutline as cl
    from cutline.core.binned_ranking import auc_width

    start = time.perf_counter()
    ev = cl.evaluate("label", "score", data=files, memory=MEMORY)
    value = ev.auc
    seconds = time.perf_counter() - start
    return {"auc": value, "seconds": seconds, "cells": len(ev.ranking), "width": auc_width(ev.ranking)}


def cutline_all(files: list[str]) -> dict[str, Any]:
    import cutline as cl

    start = time.perf_counter()
    summary = cl.evaluate("label", "score", data=files, memory=MEMORY).summary(intervals=False)
    return {"seconds": time.perf_counter() - start, "measures": len(summary)}


def compare_headlines(files: list[str]) -> dict[str, Any]:
    import cutline as cl
    from cutline.results.measure_selection import list_headlines

    start = time.perf_counter()
    cmp = cl.compare("label", {"a": "score", "b": "other"}, data=files)
    summary = cmp.summary(list_headlines())
    return {"seconds": time.perf_counter() - start, "measures": len(summary.rows)}


def duckdb_sum(files: list[str]) -> dict[str, Any]:
    return _duckdb("SELECT sum(score) FROM read_parquet(?)", files)


def duckdb_distinct(files: list[str]) -> dict[str, Any]:
    return _duckdb("SELECT count(DISTINCT score) FROM read_parquet(?)", files)


def _duckdb(query: str, files: list[str]) -> dict[str, Any]:
    import duckdb

    with duckdb.connect(config={"threads": 2, "temp_directory": str(FOLDER / "spill")}) as connection:
        start = time.perf_counter()
        connection.execute(query, [files]).fetchall()
        return {"seconds": time.perf_counter() - start}


def polars_sklearn(files: list[str]) -> dict[str, Any]:
    import polars as pl
    from sklearn.metrics import roc_auc_score

    start = time.perf_counter()
    frame = pl.read_parquet(files)
    value = roc_auc_score(frame["label"].to_numpy(), frame["score"].to_numpy())
    return {"auc": float(value), "seconds": time.perf_counter() - start}


def cutline_exact(files: list[str]) -> dict[str, Any]:
    import cutline as cl

    start = time.perf_counter()
    value = cl.evaluate("label", "score", data=files, exact=True).auc
    return {"auc": value, "seconds": time.perf_counter() - start}


def spark_local(files: list[str]) -> dict[str, Any]:
    return _on_one_machine(_ranked, files)


def spark_local_evaluator(files: list[str]) -> dict[str, Any]:
    return _on_one_machine(_evaluated, files)


def spark_standalone(files: list[str]) -> dict[str, Any]:
    return _on_a_cluster(_ranked, files)


def spark_standalone_evaluator(files: list[str]) -> dict[str, Any]:
    return _on_a_cluster(_evaluated, files)


def _on_one_machine(work: Callable[[Any], dict[str, Any]], files: list[str]) -> dict[str, Any]:
    from spark_cluster import session

    settings = {"spark.driver.memory": "3g", "spark.sql.shuffle.partitions": "8"}
    return _timed(work, session("local[2]", **settings), files)


def _on_a_cluster(work: Callable[[Any], dict[str, Any]], files: list[str]) -> dict[str, Any]:
    """The same on two workers of one core each, with as much memory together."""
    from spark_cluster import Cluster, session

    with tempfile.TemporaryDirectory() as folder:
        cluster = Cluster(Path(folder), memory="2g")
        settings = {"spark.executor.memory": "1500m", "spark.cores.max": "2", "spark.driver.memory": "2g"}
        spark = None
        try:
            spark = session(cluster.url, **settings, **{"spark.sql.shuffle.partitions": "8"})
            return _timed(work, spark, files)
        finally:
            if spark is not None:
                spark.stop()
            cluster.stop()


def _timed(work: Callable[[Any], dict[str, Any]], spark: Any, files: list[str]) -> dict[str, Any]:
    """The work on the files, after a first look that starts everything."""
    frame = spark.read.parquet(*files)
    frame.agg({"score": "sum", "label": "sum"}).collect()
    start = time.perf_counter()
    found = work(frame)
    return {**found, "seconds": time.perf_counter() - start}


def _ranked(frame: Any) -> dict[str, Any]:
    import cutline as cl
    from cutline.core.binned_ranking import auc_width

    ranking = cl.rank("label", "score", data=frame)
    return {"auc": cl.auc(ranking), "width": auc_width(ranking)}


def _evaluated(frame: Any) -> dict[str, Any]:
    from pyspark.ml.evaluation import BinaryClassificationEvaluator
    from pyspark.sql import functions as f

    own = BinaryClassificationEvaluator(rawPredictionCol="score", labelCol="label")
    return {"auc": own.evaluate(frame.select(f.col("label").cast("double"), "score"))}


OF_SIZES = (duckdb_sum, duckdb_distinct, cutline_auc, cutline_all)
OF_SPARK = (cutline_exact, spark_local, spark_standalone, spark_local_evaluator, spark_standalone_evaluator)
WORK = {work.__name__: work for work in (*OF_SIZES, polars_sklearn, *OF_SPARK, compare_headlines)}


def planned() -> list[tuple[int, str]]:
    """What is measured, in order: how many rows, and what."""
    found = [(size, work.__name__) for size in SIZES for work in OF_SIZES]
    found += [(size, "polars_sklearn") for size in (*SIZES, FITS) if size <= FITS]
    found += [(SPARK_FITS, name) for name in ("spark_local", "spark_local_evaluator", "spark_standalone_evaluator")]
    return [*found, *((SPARK, work.__name__) for work in OF_SPARK), (TWO_MODELS, "compare_headlines")]


# ---------------------------------------------------------------------- measuring


def measured(size: int, name: str) -> dict[str, Any]:
    """One measurement in a process of its own, with the peak of its resident memory and the processor time."""
    files = of_two_models(size) if name == "compare_headlines" else written(size)
    command = [sys.executable, __file__, "--one", name, *files]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            printed, said = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.terminate()  # which lets it end the cluster that it started
            process.communicate()
            return {"ended after": PATIENCE}
    if process.returncode:
        return {"failed": (said.strip().splitlines() or ["?"])[-1]}
    found: dict[str, Any] = json.loads(printed.strip().splitlines()[-1])
    return found


def one(name: str, files: list[str]) -> None:
    """Do the work and print what was found."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    found = WORK[name](files)
    usage = resource.getrusage(resource.RUSAGE_SELF)
    found |= {"peak MB": usage.ru_maxrss / 1000, "processor seconds": usage.ru_utime + usage.ru_stime}
    print(json.dumps(found))


def shown(found: dict[str, Any]) -> str:
    return ", ".join(f"{k} {v:.6g}" if isinstance(v, float) else f"{k} {v}" for k, v in found.items())


def judge(found: dict[str, dict[str, Any]]) -> None:
    """The figures beside their targets; what was not measured is left out, and what failed misses its target."""

    def told(what: str, high: float, value: Callable[..., float], *parts: tuple[int, str, str]) -> None:
        if all(f"{size} {name}" in found for size, name, _ in parts):
            numbers = [float(found[f"{size} {name}"].get(key, math.nan)) for size, name, key in parts]
            target(what, value(*numbers), high=high)

    most = SIZES[-1]
    for name in ("cutline_auc", "cutline_all"):
        told(f"peak of {name} at {most:.0e} rows, GB", 2, lambda peak: peak / 1000, (most, name, "peak MB"))
    told(f"width of the AUC's bracket at {most:.0e} rows", 1e-6, float, (most, "cutline_auc", "width"))
    times = [(most, name, "seconds") for name in ("cutline_all", "cutline_auc")]
    told("time of all measures, in times of the AUC alone", 2, operator.truediv, *times)
    for small, large in pairwise(SIZES):
        times = [(size, "cutline_auc", "seconds") for size in (large, small)]
        told(f"exponent of the time from {small:.0e} to {large:.0e} rows", 1.1, lambda a, b: math.log10(a / b), *times)
    models = (TWO_MODELS, "compare_headlines", "seconds")
    told(f"headline measures of two models at {TWO_MODELS:.0e} rows, s", 60, float, models)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help='measure these alone, such as "1e8 cutline_auc,1e7 duckdb_sum"')
    parser.add_argument("--data", action="store_true", help="generate the data and measure nothing")
    parser.add_argument("--one", nargs="+", default=None, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        one(options.one[0], options.one[1:])
        return 0
    wanted = [text.split() for text in options.only.split(",") if text]
    work = [(int(float(size)), name) for size, name in wanted] or planned()
    if options.data:
        for size, name in work:
            of_two_models(size) if name == "compare_headlines" else written(size)
        return 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    found = json.loads(RESULTS.read_text()) if options.only and RESULTS.exists() else {}
    for size, name in work:
        found[f"{size} {name}"] = measured(size, name)
        print(f"{size:>12,} {name:18} {shown(found[f'{size} {name}'])}", flush=True)
        RESULTS.write_text(json.dumps(found, indent=1))
    judge(found)
    return verdict()


if __name__ == "__main__":
    sys.exit(main())
