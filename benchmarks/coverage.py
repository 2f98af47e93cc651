"""How often the intervals hold the truth: writes docs/coverage.md. `python benchmarks/coverage.py [samples]`.

250 samples of each population, the default, take about 10 minutes on two idle cores, and leave a coverage of 95 % a
standard error of 1.4 points; 500 take twice as long, and leave 1.0.

The populations are known: a positive's score is normal around mu and a negative's around 0, rounded to a grid (fine, or
so coarse that scores tie), and read as the probability that it is. Such a population is itself a ranking whose weights
are probabilities, so the measures themselves give the truth, exactly. Samples are drawn with random labels; those of
one class are drawn again, and a measure that is undefined on a sample is left out there.
"""

from __future__ import annotations

import itertools
import math
import sys
import time
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from cutline import MEASURES, Ranking, rank
from cutline.core import parallel
from cutline.inference.one import intervals, proportions
from cutline.inference.one.estimand import Estimand, of_measure
from cutline.inference.resampling.bootstrap import accelerations, bootstrap
from cutline.inference.resampling.samplers import CaseSampler

PAGE = Path(__file__).parents[1] / "docs" / "coverage.md"
NORMAL = NormalDist()
LEVEL = 0.95
RESAMPLES = 500
SHARE = 0.1  # of the list that the quota takes
PROPORTION = ("wilson", "clopper_pearson", "jeffreys", "agresti_coull", "wald")
CLOSED = {
    "recall": PROPORTION,
    "precision": PROPORTION,
    "f1": (*PROPORTION, "influence"),
    "mcc": ("influence",),
    "auc": ("delong_logit", "delong", "newcombe"),
    "average_precision": (),
    "log_loss": ("influence",),
    "qrecall": ("wilson",),
}


class Population(NamedTuple):
    prevalence: float
    auc: float
    grid: float = 1e-3

    @property
    def shift(self) -> float:
        return math.sqrt(2) * NORMAL.inv_cdf(self.auc)

    def probability(self, x: np.ndarray) -> np.ndarray:
        """The probability of the positive class at a score, which keeps its order."""
        odds = self.shift * x - self.shift**2 / 2 + math.log(self.prevalence / (1 - self.prevalence))
        return 1 / (1 + np.exp(-odds))

    @property
    def ranking(self) -> Ranking:
        """The population as a ranking whose weights are probabilities."""
        x = np.arange(10, -8, -self.grid)  # no one is further out
        x = np.round(x / self.grid) * self.grid

        def mass(mean: float) -> np.ndarray:
            edges = np.append(x + self.grid / 2, x[-1] - self.grid / 2)
            below = np.array([NORMAL.cdf(edge - mean) for edge in edges.tolist()])
            return -np.diff(below)

        pos, neg = self.prevalence * mass(self.shift), (1 - self.prevalence) * mass(0)
        return Ranking(self.probability(x), pos, neg, pos, neg)

    def sample(self, rng: np.random.Generator, n: int) -> Ranking:
        while True:
            labels = rng.random(n) < self.prevalence
            if labels.any() and not labels.all():
                x = rng.normal(size=n) + self.shift * labels
                return rank(labels, self.probability(np.round(x / self.grid) * self.grid))


POPULATIONS = [
    *(Population(p, auc) for p in (0.5, 0.1, 0.02) for auc in (0.6, 0.8, 0.95, 0.99)),
    *(Population(p, 0.8, grid=0.5) for p in (0.5, 0.1, 0.02)),
]


def parameters(name: str, threshold: float, n: float | None) -> dict[str, float]:
    if name == "qrecall":
        return {"share": SHARE} if n is None else {"quota": round(SHARE * n)}
    return {"threshold": threshold} if name in ("recall", "precision", "f1", "mcc") else {}


def study(job: tuple[Population, int, int]) -> dict[tuple[str, str], tuple[float, float, int]]:
    """For each measure and method: the share of intervals that hold the truth, their mean width, and their number."""
    population, n, samples = job
    whole = population.ranking
    # The cut flags about as many as are positive.
    threshold = float(whole.score[np.searchsorted(whole.ends[1:], population.prevalence)])
    truth = {name: MEASURES[name](whole, **parameters(name, threshold, None)) for name in CLOSED}
    rng = np.random.default_rng(
        [n, round(1000 * population.prevalence), round(1000 * population.auc), round(1000 * population.grid)]
    )
    held, widths, tried = defaultdict(int), defaultdict(float), defaultdict(int)

    def note(name: str, method: str, low: float, high: float) -> None:
        tried[name, method] += 1
        held[name, method] += low - 1e-12 <= truth[name] <= high + 1e-12
        widths[name, method] += high - low

    for k in range(samples):
        ranking = population.sample(rng, n)
        targets = {name: of_measure(MEASURES[name], ranking, parameters(name, threshold, n)) for name in CLOSED}
        targets = {name: target for name, target in targets.items() if not math.isnan(target.value)}
        for name, target in targets.items():
            for method in CLOSED[name]:
                if name == "qrecall":  # as if the quota did not tie the places to each other: tried, and not offered
                    note(name, method, *proportions.wilson(target.value * ranking.positives, ranking.positives, LEVEL))
                    continue
                found = intervals.closed(target, method, LEVEL)
                note(name, method, found.low, found.high)
        resampled(ranking, list(targets.values()), k, note)
    return {key: (held[key] / tried[key], widths[key] / tried[key], tried[key]) for key in tried}


def resampled(ranking: Ranking, targets: list[Estimand], seed: int, note) -> None:
    """Both bootstrap intervals of all measures from one set of resamples."""
    sampler, statistics = CaseSampler(ranking), [target.statistic for target in targets]
    values, _ = bootstrap(sampler, statistics, RESAMPLES, seed)
    speeds = accelerations(sampler, statistics, seed)
    for target, drawn, speed in zip(targets, values, speeds, strict=True):
        name = target.name.partition("(")[0]
        for method, acceleration in (("bootstrap", None), ("bca", speed)):
            found = intervals.from_replicates(target, drawn, acceleration, LEVEL, [])
            if found.has_interval:
                note(name, method, found.low, found.high)


def page(results: dict[tuple[Population, int], dict], samples: int, minutes: float) -> str:
    error = 100 * math.sqrt(0.95 * 0.05 / samples)
    lines = [
        "# How often the intervals hold the truth",
        "",
        f"Written by `python benchmarks/coverage.py {samples}`, in {minutes:.0f} minutes of two processes. From each",
        f"population and size come {samples} samples, and from each of these intervals of {100 * LEVEL:g} %, with",
        f"{RESAMPLES} resamples for the bootstrap. A coverage of 95 % has here a standard error of {error:.1f} points.",
        "",
        "The scores are normal in both classes, and read as the probabilities that they are; ties are made by rounding",
        "them to about a dozen values. The cut flags about as many cases as are positive; the quota of qrecall is",
        f"{100 * SHARE:g} % of the list. Samples of one class are drawn again; a measure undefined on a sample is",
        "left out there. For qrecall, Wilson's interval was tried and is not offered: the places of a quota are not",
        "independent.",
        "",
        "## In short",
        "",
        "In how many populations the coverage is between 93 and 97 % (give or take two standard errors), below, or",
        "above, and the lowest of them: first where at least 5 positives are to be expected, then where fewer are.",
        "",
        "| measure | method | within | below | above | lowest | few: within | below | above | lowest |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    slack = 2 * math.sqrt(0.95 * 0.05 / samples)
    for name, closed in CLOSED.items():
        for method in (*closed, "bootstrap", "bca"):
            row = []
            for enough in (True, False):
                found = [
                    r[name, method][0]
                    for (p, n), r in results.items()
                    if (n * p.prevalence >= 5) == enough and (name, method) in r
                ]
                below, above = sum(c < 0.93 - slack for c in found), sum(c > 0.97 + slack for c in found)
                row += [len(found) - below - above, below, above, f"{100 * min(found):.1f} %"]
            lines.append(f"| {name} | `{method}` | {' | '.join(map(str, row))} |")
    for name, closed in CLOSED.items():
        methods = (*closed, "bootstrap", "bca")
        lines += ["", f"## {name}", "", f"| n | prevalence | AUC | {' | '.join(f'`{m}`' for m in methods)} |"]
        lines.append("|---" * (3 + len(methods)) + "|")
        for (p, n), r in results.items():
            cells = [f"{100 * r[name, m][0]:.1f} ({r[name, m][1]:.3f})" if (name, m) in r else "" for m in methods]
            auc = f"{p.auc:g}" + (", ties" if p.grid > 0.1 else "")
            lines.append(f"| {n} | {p.prevalence:g} | {auc} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parallel.WORTH_THREADS = sys.maxsize  # the processes are enough
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 250
    cells = [(p, n) for n, p in itertools.product((50, 200, 1000), POPULATIONS)]
    start = time.perf_counter()
    with ProcessPoolExecutor(2) as pool:
        results = dict(zip(cells, pool.map(study, [(p, n, samples) for p, n in cells]), strict=True))
    PAGE.write_text(page(results, samples, (time.perf_counter() - start) / 60), encoding="utf-8")


if __name__ == "__main__":
    main()
