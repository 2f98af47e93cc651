"""How cutline copes with 1e6 to 1e8 rows in Parquet: time, memory, and what is certain: `make bench-scale`.

All scores are distinct, the worst case. The rows are generated in parts under build/scale and kept there. Each
measurement is a process of its own, so that its peak of resident memory is its own. Beside it stand DuckDB's sum and
count of distinct scores over the same files, and Polars with scikit-learn where that fits. With --spark, Spark on one
machine beside the evaluator of Spark ML.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parents[1] / "build" / "scale"
PART = 10_000_000
MEMORY = "1GB"


def written(rows: int) -> list[str]:
    """The files of so many rows, generated where they are not there yet."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    FOLDER.mkdir(parents=True, exist_ok=True)
    files = []
    for part in range(max(rows // PART, 1)):
        path = FOLDER / (f"part-{part:02d}.parquet" if rows >= PART else f"rows-{rows}.parquet")
        files.append(str(path))
        if path.exists():
            continue
        rng = np.random.default_rng(part)
        n = min(rows, PART)
        labels = rng.random(n) < 0.1
        scores = rng.normal(size=n)
        scores += 1.2 * labels
        table = pa.table({"label": labels.astype(np.int8), "score": 1 / (1 + np.exp(2.5 - scores))})
        pq.write_table(table, f"{path}.tmp", compression="zstd", use_dictionary=["label"])
        Path(f"{path}.tmp").rename(path)
    return files


# ---------------------------------------------------------------------- one measurement each, in its own process


def cutline_ranking(files: list[str]) -> dict[str, Any]:
    import cutline as cl
    from cutline.core.binned import auc_width

    start = time.perf_counter()
    ev = cl.evaluate("label", "score", data=files, memory=MEMORY)
    value = ev.auc
    auc_alone, cpu = time.perf_counter() - start, time.process_time()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    width = auc_width(ev.ranking)
    print(f"  {len(ev.ranking):,} cells, width {width:.3g}, {auc_alone:.1f} s, {peak} MB", file=sys.stderr)
    summary = ev.summary(intervals=False)
    every = time.perf_counter() - start
    return {
        "cpu of the auc": cpu,
        "peak of the auc": peak,
        "auc": value,
        "seconds": auc_alone,
        "all measures": every,
        "measures": len(summary),
        "cells": len(ev.ranking),
        "width": auc_width(ev.ranking),
    }


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


def spark_cutline(files: list[str]) -> dict[str, Any]:
    import cutline as cl
    from cutline.core.binned import auc_width

    frame = _spark().read.parquet(*files)
    frame.agg({"score": "sum"}).collect()  # so that starting Spark is not counted
    start = time.perf_counter()
    ranking = cl.rank("label", "score", data=frame)
    return {"auc": cl.auc(ranking), "seconds": time.perf_counter() - start, "width": auc_width(ranking)}


def spark_evaluator(files: list[str]) -> dict[str, Any]:
    from pyspark.ml.evaluation import BinaryClassificationEvaluator
    from pyspark.sql import functions as f

    frame = _spark().read.parquet(*files).select(f.col("label").cast("double"), "score")
    frame.agg({"score": "sum"}).collect()
    start = time.perf_counter()
    value = BinaryClassificationEvaluator(rawPredictionCol="score", labelCol="label").evaluate(frame)
    return {"auc": value, "seconds": time.perf_counter() - start}


def _spark() -> Any:
    import os

    from pyspark.sql import SparkSession

    master = os.environ.get("CUTLINE_SPARK_MASTER", "local[2]")
    builder = SparkSession.builder.master(master).config("spark.ui.enabled", "false")
    builder = builder.config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1")
    return builder.config("spark.driver.memory", "3g").config("spark.sql.shuffle.partitions", "8").getOrCreate()


WORK = {
    work.__name__: work
    for work in (cutline_ranking, duckdb_sum, duckdb_distinct, polars_sklearn, spark_cutline, spark_evaluator)
}


def measured(name: str, files: list[str]) -> dict[str, Any]:
    """One measurement in a process of its own, with the peak of its resident memory and the processor time."""
    command = [sys.executable, __file__, "--one", name, *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return {"failed": done.stderr.strip().splitlines()[-1:] or ["?"]}
    found: dict[str, Any] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def one(name: str, files: list[str]) -> None:
    found = WORK[name](files)
    usage = resource.getrusage(resource.RUSAGE_SELF)
    found |= {"peak MB": usage.ru_maxrss // 1024, "cpu": usage.ru_utime + usage.ru_stime}
    print(json.dumps(found))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="1e6,1e7,1e8")
    parser.add_argument("--spark", action="store_true")
    parser.add_argument("--one", nargs="+", default=None, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        one(options.one[0], options.one[1:])
        return
    for size in (int(float(text)) for text in options.sizes.split(",")):
        files = written(size)
        names = ["duckdb_sum", "duckdb_distinct", "cutline_ranking"] + (["polars_sklearn"] if size <= 3e7 else [])
        names += ["spark_cutline", "spark_evaluator"] if options.spark else []
        for name in names:
            found = measured(name, files)
            shown = ", ".join(f"{k} {v:.6g}" if isinstance(v, float) else f"{k} {v}" for k, v in found.items())
            print(f"{size:>12,} {name:16} {shown}", flush=True)


if __name__ == "__main__":
    main()
