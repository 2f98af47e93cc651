"""What training for the measure is worth on unseen cases, over five seeds: `make quality-training`.

Prints the tables of docs/training.md. With CUTLINE_OPTDIGITS (or --optdigits) naming a CSV file of the full Optdigits
data (64 columns and the digit, the first 3823 rows for training), its ten one-against-the-rest tasks are added.
"""

from __future__ import annotations

import argparse
import math
import os
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, make_classification
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

import cutline as cl

SEEDS = range(5)
SOLVERS = ("baseline", "structural", "smooth", "auto")
MEASURES: dict[str, dict[str, float]] = {
    "auc": {},
    "average_precision": {},
    "partial_auc": {"max_fpr": 0.05},
    "roc_n": {"n": 50},
    "f1": {},
    "mcc": {},
    "break_even": {},
    "mutual_information": {},
    "average_qrecall": {},
    "log_loss": {},
    "brier": {},
    "balanced_cross_entropy": {},
    "focal_loss": {},
}
# Losses of probabilities, which have no convex bound of decisions; less is better.
LOSSES = ("log_loss", "brier", "balanced_cross_entropy", "focal_loss")


class Task(NamedTuple):
    """Scaled data for training and for testing."""

    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray


def task(X: np.ndarray, y: np.ndarray, seed: int) -> Task:
    parts = train_test_split(X, y, test_size=0.5, stratify=y, random_state=seed)
    scaler = StandardScaler().fit(parts[0])
    return Task(scaler.transform(parts[0]), parts[2], scaler.transform(parts[1]), parts[3])


def clusters(seed: int) -> list[Task]:
    """Several clusters for each class and 3 % positives: no line is right."""
    X, y = make_classification(
        40_000,
        n_features=20,
        n_informative=10,
        n_clusters_per_class=4,
        weights=[0.97],
        class_sep=1.0,
        flip_y=0.01,
        random_state=seed,
    )
    return [task(X, y, seed)]


def well_specified(seed: int) -> list[Task]:
    """A logistic population with about 5 % positives: nothing is better than its likelihood."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40_000, 20))
    margin = 1.5 * (X @ rng.normal(size=20)) / np.sqrt(20) - 3.5
    return [task(X, (rng.random(len(X)) < 1 / (1 + np.exp(-margin))).astype(int), seed)]


def breast_cancer(seed: int) -> list[Task]:
    X, y = load_breast_cancer(return_X_y=True)
    return [task(X, 1 - y, seed)]


def digits(seed: int) -> list[Task]:
    """Three digits, each against the rest."""
    X, y = load_digits(return_X_y=True)
    return [task(X, (y == digit).astype(int), seed) for digit in (3, 8, 9)]


def optdigits(path: Path) -> Callable[[int], list[Task]]:
    table = np.loadtxt(path, delimiter=",", skiprows=int(not path.open().readline()[0].isdigit()))
    X, y = table[:, :-1], table[:, -1]
    scaler = StandardScaler().fit(X[:3823])
    X = scaler.transform(X)

    def tasks(_: int) -> list[Task]:
        return [Task(X[:3823], (y[:3823] == d).astype(int), X[3823:], (y[3823:] == d).astype(int)) for d in range(10)]

    return tasks


def scaled(parameters: dict[str, float], y: np.ndarray) -> dict[str, float]:
    """ROC_50, or a fifth of the negatives where there are few."""
    return {**parameters, **({"n": min(50, int((y == 0).sum() // 5))} if "n" in parameters else {})}


def reached(t: Task, measure: str, solver: str, seed: int) -> tuple[float, float]:
    """The measure on the test cases, and the seconds of training."""
    parameters = scaled(MEASURES[measure], t.y)
    if solver == "structural" and measure == "auc":
        solver = "newton"
    if solver == "structural" and measure in LOSSES:
        return math.nan, 0.0
    model = cl.LinearMeasureClassifier(measure, parameters=parameters, solver=solver, random_state=seed, time_limit=60)
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(t.X, t.y)
    seconds = time.perf_counter() - start
    if measure in LOSSES:
        return cl.evaluate(t.y_test, model.predict_proba(t.X_test)[:, 1]).value(measure), seconds
    ev = cl.evaluate(t.y_test, model.decision_function(t.X_test), threshold=0.0)
    return ev.value(measure, **scaled(MEASURES[measure], t.y_test)), seconds


def rows(
    source: Callable[[int], list[Task]], measures: list[str], seeds: range, solvers: tuple[str, ...]
) -> Iterator[str]:
    """Yield a row of the table for each measure; the first solver is what the others are compared with."""
    for measure in measures:
        values = np.array(
            [
                [np.mean([reached(t, measure, solver, seed)[0] for t in tasks]) for solver in solvers]
                for seed, tasks in ((seed, source(seed)) for seed in seeds)
            ]
        )
        gain = (values - values[:, :1]) * (-1 if measure in LOSSES else 1)
        noise = gain[:, -1].std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
        cells = " | ".join(
            "" if np.isnan(mean) else f"{mean:.4f} ({int((g > 0).sum())}/{len(g)})"
            for mean, g in zip(values.mean(0)[1:], gain.T[1:], strict=True)
        )
        yield f"| {measure} | {values[:, 0].mean():.4f} | {cells} | {gain[:, -1].mean():+.4f} ± {noise:.4f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--optdigits", default=os.environ.get("CUTLINE_OPTDIGITS"), help="the full Optdigits data")
    parser.add_argument("--only", help="one of the data sets")
    parser.add_argument("--measures", default=",".join(MEASURES))
    parser.add_argument("--seeds", type=int, default=len(SEEDS), help="how many")
    parser.add_argument("--solvers", default=",".join(SOLVERS), help="baseline first")
    options = parser.parse_args()
    sources = {f.__name__: f for f in (clusters, well_specified, breast_cancer, digits)}
    if options.optdigits:
        sources["optdigits"] = optdigits(Path(options.optdigits))
    for name, source in sources.items():
        if options.only in (None, name):
            solvers = tuple(options.solvers.split(","))
            print(f"\n**{name}**\n\n| measure | {' | '.join(solvers)} | {solvers[-1]} - baseline |")
            print("|---" * (len(solvers) + 2) + "|", flush=True)
            seeds = range(options.seeds if name != "optdigits" else 1)
            for row in rows(source, options.measures.split(","), seeds, solvers):
                print(row, flush=True)


if __name__ == "__main__":
    main()
