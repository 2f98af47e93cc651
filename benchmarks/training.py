"""How fast training for a measure is, as ratios to peers in the same run: `make bench-training`.

One thread. Each time is the best of several runs, in seconds of the processor, which a busy machine changes less than
those of the clock. Data: 50 columns, 1 % positives, a logistic population; a relative gap of 1e-3.
"""

from __future__ import annotations

import gc
import sys
import time
import warnings
from collections.abc import Callable

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

import cutline as cl
from cutline.training.class_order import Split
from cutline.training.linear import Design, Effort
from cutline.training.loss_oracles import GridOracle
from cutline.training.newton import minimise_by_newton, minimise_over_pairs
from cutline.training.objectives import resolve_target as goal

TARGETS = []
COLUMNS = 50
TRAINED = (
    ("auc", "newton", {}),
    ("average_precision", "structural", {}),
    ("average_precision", "smooth", {}),
    ("partial_auc", "structural", {"max_fpr": 0.05}),
    ("partial_auc", "smooth", {"max_fpr": 0.05}),
    ("f1", "structural", {}),
    ("f1", "smooth", {}),
)


def best(work: Callable[[], object], repeats: int) -> float:
    """The shortest time of some runs, in seconds."""
    times = []
    for _ in range(repeats):
        gc.collect()
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def target(what: str, value: float, low: float | None = None, high: float | None = None) -> None:
    met = (low is None or value >= low) and (high is None or value <= high)
    bound = f">= {low:g}" if low is not None else f"<= {high:g}"
    TARGETS.append(met)
    print(f"  {'ok  ' if met else 'MISS'} {what}: {value:.2f} (target {bound})", flush=True)


def population(n: int, *, prevalence: float = 0.01, signal: float = 8.0) -> tuple[np.ndarray, np.ndarray]:
    """Normal columns, and labels with the log-odds of a linear score."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, COLUMNS))
    margin = signal * (X @ rng.normal(size=COLUMNS)) / np.sqrt(COLUMNS) + rng.logistic(size=n)
    return X, (margin > np.quantile(margin, 1 - prevalence)).astype(int)


def train(
    measure: str, solver: str, parameters: dict[str, float], X: np.ndarray, y: np.ndarray, **more: object
) -> object:
    model = cl.LinearMeasureClassifier(
        measure, parameters=parameters, solver=solver, threshold="tune", random_state=0, **more
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X, y)


def training() -> None:
    """Training at three sizes, against LinearSVC in its primal form."""
    sizes = (10_000, 100_000, 1_000_000)
    seconds: dict[str, list[float]] = {}
    whole, labels = population(sizes[-1])
    for n in sizes:
        X, y = whole[:n], labels[:n]
        repeats = 3 if n < sizes[-1] else 2
        peer = best(lambda: LinearSVC(dual=False).fit(X, y), repeats)  # noqa: B023
        seconds.setdefault("LinearSVC", []).append(peer)
        for measure, solver, parameters in TRAINED:
            ours = best(lambda: train(measure, solver, parameters, X, y), repeats)  # noqa: B023
            seconds.setdefault(f"{measure}, {solver}", []).append(ours)
            if n > sizes[0]:
                target(f"{measure}, {solver}, at n = {n:.0e}, times LinearSVC", ours / peer, high=2)
    print(f"{'seconds':32}" + "".join(f"{n:>10.0e}" for n in sizes) + f"{'1e4 to 1e6':>14}")
    for name, times in seconds.items():
        print(f"{name:32}" + "".join(f"{t:10.3f}" for t in times) + f"{times[-1] / times[0]:14.0f}")
    for name, times in seconds.items():
        if name != "LinearSVC":
            target(
                f"{name}, exponent of the growth from 1e4 to 1e6", np.log(times[-1] / times[0]) / np.log(100), high=1.25
            )
    X, y = whole[:100_000], labels[:100_000]
    print("solver='auto' at n = 1e5: all candidates, the held-out choice and the final fit, times LinearSVC")
    for measure, parameters in {m: p for m, _, p in TRAINED}.items():
        ours = best(lambda: train(measure, "auto", parameters, X, y), 1)  # noqa: B023
        print(f"       {measure}: {ours / seconds['LinearSVC'][1]:.1f}", flush=True)


def oracle_against_grid() -> None:
    """The F1 oracle against all tables, at 1e5 balanced cases."""
    rng = np.random.default_rng(0)
    split = Split(rng.permutation(np.arange(100_000) < 50_000))
    scores = rng.normal(size=split.n) + 1.5 * split.is_positive - 0.75
    f1 = goal("f1")
    ours = f1.make_oracle(split)

    def loss(a: np.ndarray, b: np.ndarray) -> np.ndarray:  # as few passes as numpy can do
        return 1 - (2 * a) / ((split.P + a) + b)

    fast = best(lambda: ours(scores), 30)
    found, slow = {}, {}
    for name, of_table in (("the same loss", f1.make_loss(split.P, split.N)), ("the leanest loss", loss)):
        grid = GridOracle(split, of_table, split.compute_costs("positive"))
        slow[name] = best(lambda: found.update({name: grid(scores).value}), 1)  # noqa: B023
    same = max(abs(ours(scores).value - value) for value in found.values()) < 1e-9
    grids = ", ".join(f"{seconds:.1f} s with {name}" for name, seconds in slow.items())
    print(f"F1 oracle at n = 1e5, balanced: {1e3 * fast:.2f} ms; the grid {grids}; the same value: {same}")
    target("F1 oracle, times faster than the whole grid", slow["the same loss"] / fast if same else 0, low=1000)
    print(f"       and than the leanest grid of numpy: {slow['the leanest loss'] / fast:.0f}")


def pairs_against_sorting() -> None:
    """The AUC by sorting against all difference vectors, 352 000 of them: the solvers alone."""
    X, y = population(1_420, prevalence=320 / 1_420)
    split, found = Split(y == 1), {}

    def run(name: str) -> None:
        effort = Effort(tol=1e-5)
        if name == "pairs":
            found[name] = minimise_over_pairs(X, split, C=100.0, effort=effort)
        else:
            found[name] = minimise_by_newton(Design(X), split, C=100.0, effort=effort)

    slow, fast = best(lambda: run("pairs"), 3), best(lambda: run("sorted"), 50)
    ours, peer = found["sorted"].objective, found["pairs"].objective
    print(f"AUC with {int(split.P * split.N)} pairs: {1e3 * fast:.1f} ms sorted, {slow:.2f} s written out")
    print(f"  objectives {ours:.8f} and {peer:.8f}")
    target("AUC, times faster than the explicit pairs", slow / fast, low=500)
    target("AUC, objective above that of the explicit pairs, in millionths", 1e6 * (ours / peer - 1), high=10)


def main() -> int:
    pairs_against_sorting()
    oracle_against_grid()
    training()
    print(f"{sum(TARGETS)} of {len(TARGETS)} targets met")
    return 0 if all(TARGETS) else 1


if __name__ == "__main__":
    sys.exit(main())
