"""Values of every measure on 100 data sets, to the bit: what a change of the code's structure must not alter.

    python benchmarks/golden_values.py check     compare with golden_values.json.gz: only rounding may differ
    python benchmarks/golden_values.py make      write the file anew

The last bits can differ between versions of numpy and kinds of processors. Those of eight measures (areas under the
precision-recall curve, mean precisions, MCB and DSC) also changed when their sums were made in blocks and harmonic
numbers became exact: values are nearer to exact fractions than those in the file, which is older.
"""

from __future__ import annotations

import gzip
import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import cutline as cl

FILE = Path(__file__).with_name("golden_values.json.gz")
SETS = 100
ROUNDING = 1e-12  # relative
SIZES = (4, 10, 30, 100, 300, 1000, 3000)
PARAMETERS = {name: {"quota": 3} for name in ("hit_rate", "qrecall", "enrichment")}


def data_sets(number: int = SETS) -> Iterator[tuple[int, dict[str, Any]]]:
    """Arguments of `evaluate`: sizes, prevalences, ties, weights, kinds of score and directions by turns."""
    for seed in range(number):
        rng = np.random.default_rng(seed)
        n = SIZES[seed % len(SIZES)]
        labels = (rng.random(n) < (0.5, 0.1, 0.3, 0.9)[seed % 4]).astype(int)
        labels[:2] = 0, 1
        scores = rng.normal(size=n) + labels * (seed % 5) * 0.5
        if seed % 3:
            scores = 1 / (1 + np.exp(-scores))
        if seed % 2:
            scores = np.round(scores, 1 + seed % 4)
        weights = (None, rng.integers(1, 5, n), rng.exponential(size=n))[seed % 7 % 3]
        lower_is_positive = {"higher_is_positive": False} if seed % 11 == 0 else {}
        yield seed, {"labels": labels, "scores": scores, "weights": weights, **lower_is_positive}


def values(arguments: dict[str, Any]) -> dict[str, str]:
    """Every registered measure as a hexadecimal number, or the reason why there is none."""
    ev = cl.evaluate(**arguments)
    answers = {}
    for measure in cl.MEASURES:
        try:
            answers[measure.name] = float(ev.value(measure.name, **PARAMETERS.get(measure.name, {}))).hex()
        except cl.CutlineError as error:
            answers[measure.name] = type(error).__name__
    return answers


def read() -> dict[int, dict[str, str]]:
    """The values in the file, by data set."""
    return {int(key): row for key, row in json.loads(gzip.decompress(FILE.read_bytes())).items()}


def difference(old: str, new: str) -> float:
    """Return the relative difference of two values; infinite where one of them is not a number."""
    if old == new:
        return 0.0
    try:
        a, b = float.fromhex(old), float.fromhex(new)
    except ValueError:  # the name of an error
        return math.inf
    return abs(a - b) / max(abs(a), abs(b)) if math.isfinite(a - b) else math.inf


def check() -> bool:
    """Print each value that differs; whether all differ by rounding alone."""
    golden, differences = read(), []
    for seed, arguments in data_sets():
        now = values(arguments)
        for name, value in golden[seed].items():
            if now.get(name) != value:
                differences.append(difference(value, now.get(name, "missing")))
                print(f"data set {seed}, {name}: {value} is now {now.get(name)} ({differences[-1]:.1g})")
    largest = max(differences, default=0.0)
    print(
        f"{sum(map(len, golden.values()))} values of {len(golden)} data sets: {len(differences)} differ in a bit, "
        f"{sum(d > ROUNDING for d in differences)} by more than rounding; the largest relative one is {largest:.1g}"
    )
    return largest <= ROUNDING


if __name__ == "__main__":
    if sys.argv[1:] == ["make"]:
        table = json.dumps({seed: values(arguments) for seed, arguments in data_sets()})
        FILE.write_bytes(gzip.compress(table.encode(), 9, mtime=0))
    else:
        sys.exit(not check())
