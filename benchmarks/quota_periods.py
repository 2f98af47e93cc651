"""How often intervals of a quota in each period contain the truth: `python benchmarks/quota_periods.py [samples]`.

Periods of equal or of varying size, with the same or with varying prevalence; all samples of a setting at once. The
truth is that of many periods of the same population. The table is printed as Markdown.
"""

import sys
from typing import NamedTuple

import numpy as np

from cutline.inference.survey import estimate_cluster_ratio, student_limits, wilson_limits

PERIODS = (8, 20, 100)
LEVEL = 0.95


class Population(NamedTuple):
    """A quota per period, the cases of one, their prevalence and signal, and how the prevalence and sizes vary."""

    name: str
    quota: int
    cases: int
    prevalence: float
    signal: float
    correlation: float = 0.0
    short: bool = False


POPULATIONS = (
    Population("60 cases, 30 % positive", 5, 60, 0.3, 1.2),
    Population("... prevalence varies", 5, 60, 0.3, 1.2, 0.05),
    Population("... sizes vary from 10 to 60", 5, 60, 0.3, 1.2, 0.05, short=True),
    Population("60 cases, 10 % positive, quota 20", 20, 60, 0.1, 1.0, 0.05),
    Population("60 cases, 5 % positive", 5, 60, 0.05, 1.0, 0.05),
    Population("60 cases, 2 % positive: few hits", 5, 60, 0.02, 1.0),
)


def draw(rng, population, samples, periods):
    """The hits, places and positives of each period of some samples."""
    shape = (samples, periods)
    share = np.full((*shape, 1), population.prevalence)
    if population.correlation:
        size = 1 / population.correlation - 1
        share = rng.beta(population.prevalence * size, (1 - population.prevalence) * size, size=(*shape, 1))
    is_positive = rng.random((*shape, population.cases), dtype=np.float32) < share
    scores = rng.standard_normal((*shape, population.cases), dtype=np.float32) + population.signal * is_positive
    if population.short:
        sizes = rng.integers(10, population.cases + 1, size=(*shape, 1))
        lacking = np.arange(population.cases) >= sizes
        scores, is_positive = np.where(lacking, -np.inf, scores), is_positive & ~lacking
    first = np.argpartition(-scores, population.quota - 1, axis=-1)[..., : population.quota]
    hits = np.take_along_axis(is_positive, first, -1).sum(-1)
    return hits.astype(float), np.full(shape, float(population.quota)), is_positive.sum(-1).astype(float)


def coverage(population, periods, samples, seed=0, large=2000):
    """The truth of hit rate and Qrecall, and the share of samples whose interval contains it, by method."""
    rng = np.random.default_rng(seed)
    hits, places, positives = draw(rng, population, large, 100)
    truth = {"hit_rate": hits.sum() / places.sum(), "qrecall": hits.sum() / positives.sum()}
    parts = [draw(rng, population, min(samples, 1000), periods) for _ in range(-(-samples // 1000))]
    hits, places, positives = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    found = {}
    for measure, below in (("hit_rate", places), ("qrecall", positives)):
        kept = below.sum(-1) > 0
        ratio = estimate_cluster_ratio(hits[kept], below[kept])
        wilson = wilson_limits(ratio, LEVEL)
        student = student_limits(ratio, LEVEL)
        exact = ratio.se <= 1e-9  # where the estimate is Wilson's
        auto = tuple(np.where(exact, one, other) for one, other in zip(wilson, student, strict=True))
        for method, (low, high) in (("auto", auto), ("wilson", wilson)):
            inside = (low <= truth[measure]) & (truth[measure] <= high)
            found[measure, method] = float(inside.mean())
    return truth, found


def main():
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 5000
    print(f"| population | periods | hit rate | Student | Wilson | Qrecall | Student | Wilson |\n|{'---|' * 8}")
    for population in POPULATIONS:
        for periods in PERIODS:
            truth, found = coverage(population, periods, samples)
            cells = [population.name, str(periods)]
            for measure in ("hit_rate", "qrecall"):
                cells += [f"{truth[measure]:.3f}", *(f"{100 * found[measure, m]:.1f} %" for m in ("auto", "wilson"))]
            print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
