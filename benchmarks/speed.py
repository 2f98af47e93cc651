"""How fast cutline is, as ratios to a peer in the same run: `make bench`.

Absolute times depend on the machine and on the hour; ratios of things timed in turn do not, much. Each time is the
best of several runs. Peak memory is that of a process of its own (its resident set).
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np
from sklearn.metrics import roc_auc_score

import cutline as cl

TARGETS = []


def best(work: Callable[[], object], repeats: int) -> float:
    """The shortest time of some runs, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def predictions(n: int, distinct: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Labels and calibrated scores, all different or of a number of distinct values."""
    rng = np.random.default_rng(1)
    scores = rng.random(n)
    if distinct:
        scores = np.floor(scores * distinct) / distinct
    return rng.random(n) < scores, scores


def target(what: str, value: float, low: float | None = None, high: float | None = None) -> None:
    met = (low is None or value >= low) and (high is None or value <= high)
    bound = f">= {low:g}" if low is not None else f"<= {high:g}"
    TARGETS.append(met)
    print(f"  {'ok  ' if met else 'MISS'} {what}: {value:.2f} (target {bound})")


def every_measure(labels: np.ndarray, scores: np.ndarray) -> None:
    """All measures of the registry, at once, from labels and scores."""
    cl.evaluate(labels, scores).summary(quota=max(1, len(scores) // 10), intervals=False)


def auc_against_peers() -> None:
    print(f"{'AUC':24}{'cutline':>12}{'np.sort':>12}{'scikit-learn':>14}{'x sklearn':>11}{'of np.sort':>11}")
    for n, repeats, sklearn_repeats in ((100, 2000, 200), (100_000, 30, 5), (10_000_000, 7, 2)):
        for distinct in (None, 1000):
            labels, scores = predictions(n, distinct)
            ours = best(lambda: cl.auc(labels, scores), repeats)  # noqa: B023
            sort = best(lambda: np.sort(scores), repeats)  # noqa: B023
            peer = best(lambda: roc_auc_score(labels, scores), sklearn_repeats)  # noqa: B023
            name = f"n = {n:.0e}, {'no ties' if distinct is None else f'{distinct} scores'}"
            print(f"{name:24}{ours:11.2e}s{sort:11.2e}s{peer:13.2e}s{peer / ours:11.1f}{ours / sort:11.2f}", flush=True)
            if n == 100 and distinct is None:
                target("AUC at n = 100, times faster than scikit-learn", peer / ours, low=15)
            if n == 10_000_000 and distinct is None:
                target("AUC at n = 1e7, times faster than scikit-learn", peer / ours, low=18)
                target("AUC at n = 1e7, times the sort of the scores", ours / sort, high=3.5)
                everything = best(lambda: every_measure(labels, scores), 2)  # noqa: B023
                target(
                    f"all {len(cl.MEASURES)} measures at n = 1e7, share of scikit-learn's AUC",
                    everything / peer,
                    high=1,
                )


def imports() -> None:
    def start(code: str) -> float:
        return best(lambda: subprocess.run([sys.executable, "-c", code], check=True), 15)

    numpy = start("import numpy")
    target("import cutline, times import numpy", start("import cutline") / numpy, high=1.3)


MEMORY = """
import resource, numpy as np
from benchmarks.speed import predictions
import cutline as cl
labels, scores = predictions(10_000_000, {distinct})
cl.rank(labels[:1000], scores[:1000])
def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
def now(): return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()
open("/proc/self/clear_refs", "w").write("5")  # forget the peak so far
before = now()
cl.rank(labels, scores)
high = next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith("VmHWM"))
print((high - before) / (labels.nbytes + scores.nbytes))
"""


def memory() -> None:
    for distinct in (None, 1000):
        out = subprocess.run(
            [sys.executable, "-c", MEMORY.format(distinct=distinct)], check=True, capture_output=True, text=True
        )
        target(
            f"peak memory of a ranking of 1e7 ({'no ties' if distinct is None else '1000 scores'}), times its input",
            float(out.stdout),
            high=5,
        )


def charts() -> None:
    labels, scores = predictions(1_000_000, None)
    ev, other = cl.evaluate(labels, scores), cl.evaluate(labels, np.roll(scores, 1))
    for name in (*(name for name in cl.CHARTS if name not in ("losses", "confidence_curve")), "f1"):
        models = {"one": ev, "other": other} if name == "dominance" else ev
        seconds = best(lambda: cl.chart(name, models).to_json(), 2)  # noqa: B023
        target(f"chart {name} of 1e6 distinct scores, seconds", seconds, high=2)


def main() -> int:
    auc_against_peers()
    charts()
    imports()
    memory()
    print(f"{sum(TARGETS)} of {len(TARGETS)} targets met")
    return 0 if all(TARGETS) else 1


if __name__ == "__main__":
    sys.exit(main())
