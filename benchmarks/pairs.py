"""Pairs of equally good models: what tests of a difference are tried on.

A pair is equal in truth in the measures that it names (in all of them when it names none), and unequal in how it came
about: two versions of one model, calibrated models of different sharpness, a score beside its own best cut, samples of
different sizes. `paired` pairs score the same cases, the others different ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy.special import expit, logit

CALIBRATION = ("mcb", "ece", "smooth_ece", "ici", "e50", "e90", "emax", "eci", "debiased_ece")
BEST_CUT = ("ks", "max_youden_j")
CUT = ("accuracy", "recall", "precision", "f1", "mcc", "balanced_accuracy")
ORDER = ("auc", "average_precision", "partial_auc")
LOSSES = ("brier", "log_loss")
COMMON = (*CUT, *ORDER, *LOSSES, "ks", "qrecall")
SIMULATED = (*CALIBRATION, "ks", "max_youden_j", "auch", "h_measure", "min_expected_cost", "dsc")


@dataclass(frozen=True)
class Pair:
    """Two equal models, or one model in two places: how a sample is drawn, and in which measures they are equal."""

    name: str
    draw: Callable[[np.random.Generator], dict[str, Any]]
    measures: tuple[str, ...] = ()  # all of them
    paired: bool = True
    threshold: float = 0.5
    half: str = "development"  # of the study, or "validation"

    def sample(self, rng: np.random.Generator) -> dict[str, Any]:
        """Labels and the scores `a` and `b`; for different cases `labels_b` too."""
        while True:
            found = self.draw(rng)
            if all(2 <= found[k].sum() <= len(found[k]) - 2 for k in ("labels", "labels_b") if k in found):
                return found


def _scores(rng: np.random.Generator, labels: np.ndarray, distance: float = 1.5) -> np.ndarray:
    """Normal scores of equal spread, as calibrated probabilities at the prevalence of the population."""
    return rng.normal(size=len(labels)) + distance * labels


def _risk(x: np.ndarray, prevalence: float, distance: float = 1.5) -> np.ndarray:
    return expit(distance * x - distance**2 / 2 + logit(prevalence))


def versions(rng: np.random.Generator, n: int, prevalence: float, changed: float, shape: str = "normal") -> dict:
    """Two versions of one model: some cases are scored anew, with the same distribution in each class."""
    labels = rng.random(n) < prevalence
    a = _scores(rng, labels)
    b = np.where(rng.random(n) < changed, _scores(rng, labels), a)
    if shape == "zeros":  # most negatives and some positives get the lowest score
        lowest = -3.0
        silent = rng.random(n) < np.where(labels, 0.2, 0.7)
        again = (a != b) & (rng.random(n) < 0.5)
        other = np.where(again, rng.random(n) < np.where(labels, 0.2, 0.7), silent)
        a, b = np.where(silent, lowest, a), np.where(other, lowest, b)
    if shape == "rounded":
        a, b = np.round(2 * a) / 2, np.round(2 * b) / 2
    return {"labels": labels, "a": _risk(a, prevalence), "b": _risk(b, prevalence)}


def sharpness(rng: np.random.Generator, n: int, prevalence: float = 0.3) -> dict[str, Any]:
    """Two calibrated models, one of which says only five probabilities."""
    x = rng.normal(size=n)
    risk = expit(logit(prevalence) + 1.5 * x)
    labels = rng.random(n) < risk
    edges, means = _bins(prevalence)
    return {"labels": labels, "a": risk, "b": means[np.searchsorted(edges, x)]}


def _bins(prevalence: float) -> tuple[np.ndarray, np.ndarray]:
    """Cuts of a normal score, and the true share of positives between them."""
    from scipy.stats import norm

    edges = norm.ppf([0.2, 0.4, 0.6, 0.8])
    grid = norm.ppf((np.arange(200_000) + 0.5) / 200_000)
    risk, place = expit(logit(prevalence) + 1.5 * grid), np.searchsorted(edges, grid)
    return edges, np.bincount(place, risk) / np.bincount(place)


def granularity(rng: np.random.Generator, n: int, prevalence: float = 0.3) -> dict[str, Any]:
    """A score and its own best cut: the same true Kolmogorov-Smirnov distance."""
    labels = rng.random(n) < prevalence
    x = _scores(rng, labels)
    return {"labels": labels, "a": _risk(x, prevalence), "b": np.where(x > 0.75, 0.75, 0.25)}


def two_sizes(rng: np.random.Generator, n: int, m: int, prevalence: float = 0.3) -> dict[str, Any]:
    """One population, calibrated, sampled twice."""
    one, two = rng.random(n) < prevalence, rng.random(m) < prevalence
    return {
        "labels": one,
        "a": _risk(_scores(rng, one), prevalence),
        "labels_b": two,
        "b": _risk(_scores(rng, two), prevalence),
    }


def subtypes(rng: np.random.Generator, n: int, m: int | None = None) -> dict[str, Any]:
    """A subtype, 2 % of the cases, that gets a low score and is positive: for one sample or two."""

    def one(count: int) -> tuple[np.ndarray, np.ndarray]:
        labels = rng.random(count) < 0.3
        missed = labels & (rng.random(count) < 0.02 / 0.3)
        return labels, np.where(missed, 0.002, _risk(_scores(rng, labels), 0.3))

    labels, a = one(n)
    if m is None:
        again = rng.random(n) < 0.2
        missed = labels & (rng.random(n) < 0.02 / 0.3)
        new = np.where(missed, 0.002, _risk(_scores(rng, labels), 0.3))
        return {"labels": labels, "a": a, "b": np.where(again, new, a)}
    labels_b, b = one(m)
    return {"labels": labels, "a": a, "labels_b": labels_b, "b": b}


def pairs() -> list[Pair]:
    """Return all pairs of the study, those of both halves."""
    return [*_pairs_of("development"), *_pairs_of("validation")]


_VERSIONS = {
    "development": ((300, 0.1, 0.2, "normal"), (60, 0.3, 0.2, "normal"), (400, 0.2, 0.2, "zeros")),
    "validation": (
        *((1000, 0.1, 0.05, "normal"), (300, 0.3, 0.1, "normal"), (4000, 0.003, 0.2, "normal")),
        *((400, 0.2, 0.2, "rounded"), (300, 0.2, 0.1, "zeros")),
    ),
}
_SIZES = {"development": ((60, 300), (100, 900)), "validation": ((60, 60), (300, 1500), (80, 400))}
_SAME = {"development": (300,), "validation": (1000, 150)}


def _pairs_of(half: str) -> list[Pair]:
    made = []
    for n, p, changed, shape in _VERSIONS[half]:
        draw = partial(versions, n=n, prevalence=p, changed=changed, shape=shape)
        name = f"versions {100 * changed:g} %, n {n}, {p:g}" + ("" if shape == "normal" else f", {shape}")
        made.append(Pair(name, draw, threshold=p, half=half))
    made += [Pair(f"sharpness, n {n}", partial(sharpness, n=n), CALIBRATION, half=half) for n in _SAME[half]]
    made += [Pair(f"granularity, n {n}", partial(granularity, n=n), BEST_CUT, half=half) for n in _SAME[half]]
    for n, m in _SIZES[half]:
        made.append(Pair(f"sizes {n} v {m}", partial(two_sizes, n=n, m=m), paired=False, threshold=0.3, half=half))
    if half == "development":
        made.append(Pair("subtypes 300", partial(subtypes, n=300), threshold=0.3, half=half))
    else:
        draw = partial(subtypes, n=300, m=600)
        made.append(Pair("subtypes 300 v 600", draw, paired=False, threshold=0.3, half=half))
    return made


def test_of(pair: Pair, rng: np.random.Generator, measure: str, resamples: int, seed: int, **how: Any) -> Any:
    """The default test of a sample of a pair."""
    (found,) = tests_of(pair, rng, (measure,), resamples, seed, **how)
    return found


def tests_of(pair: Pair, rng: np.random.Generator, measures: Any, resamples: int, seed: int, **how: Any) -> list[Any]:
    """The default tests of one sample of a pair."""
    import cutline as cl

    found, cases = [], pair.sample(rng)
    if pair.paired:
        made: Any = cl.compare(cases["labels"], {"a": cases["a"], "b": cases["b"]}, threshold=pair.threshold)
    else:
        both = [
            cl.evaluate(cases[y], cases[s], threshold=pair.threshold) for y, s in (("labels", "a"), ("labels_b", "b"))
        ]
        made = cl.compare_independent(*both)
    for name in measures:
        given = {"share": 0.1} if name == "qrecall" else {}
        test = made.test(name, resamples=resamples, seed=seed, **given, **how)
        found.append(test.pairs[0] if pair.paired else test)
    return found


if __name__ == "__main__":
    import sys
    import time
    from collections import defaultdict

    wanted, samples, resamples, *names = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:]
    for pair in pairs():
        if wanted not in pair.name:
            continue
        rng, count, start = np.random.default_rng([7, len(pair.name)]), defaultdict(lambda: [0, 0]), time.time()
        for i in range(samples):
            measures = names or pair.measures or (*COMMON, *SIMULATED)
            for name, test in zip(measures, tests_of(pair, rng, measures, resamples, i), strict=True):
                if not math.isnan(test.p_value):
                    count[name][0] += 1
                    count[name][1] += test.p_value <= 0.05
        told = ", ".join(f"{k} {100 * r / m:.1f}" for k, (m, r) in count.items())
        print(f"{pair.name} ({samples}, {time.time() - start:.0f} s): {told}", flush=True)
