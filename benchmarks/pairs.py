"""Pairs of models for the study of tests (`type_one_error.py`): how samples of them are drawn.

The models of a pair are equal in truth in the measures that it names (in all of them when it names none) and unequal in
how they came about: two versions of one model, calibrated models of different sharpness, a score beside its own best
cut, samples of different sizes. Models are equal in every measure when, in each class, both scores have the same
distribution. `unequal` pairs differ in truth, and show the power of the tests.

The pairs are in two halves: "development", by which the default tests were chosen, and "validation", which judges them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
from populations import Population, development, threshold_of, validation
from scipy.special import expit, logit

CALIBRATION = ("mcb", "ece", "smooth_ece", "ici", "e50", "e90", "emax", "eci", "debiased_ece")
BEST_CUT = ("ks", "max_youden_j")
HALVES = ("development", "validation")
LARGE = 3000  # cases, from which on a population is left out: its tests take long
DISTANCE = 1.5  # between the mean scores of the classes, in standard deviations

Cases = dict[str, Any]  # the arguments of `evaluate`, or of `compare`


@dataclass(frozen=True)
class Pair:
    """Two models on the same cases, or one model on two samples.

    `draw` returns the arguments of `compare`, or those of `evaluate` for either sample.
    """

    name: str
    draw: Callable[[np.random.Generator], Cases | tuple[Cases, Cases]]
    half: str
    threshold: float = 0.5
    measures: tuple[str, ...] = ()  # in which the two are equal; all when there is none
    is_paired: bool = True
    is_of_population: bool = False  # one of the coverage study

    def sample(self, rng: np.random.Generator) -> Cases | tuple[Cases, Cases]:
        """Return a sample with two cases of each class or more."""
        while True:
            cases = self.draw(rng)
            labels = [one["labels"] for one in ((cases,) if self.is_paired else cases)]  # type: ignore[index]
            if all(2 <= y.sum() <= len(y) - 2 for y in labels):
                return cases


# ---------------------------------------------------------------------- two models on the same cases


def _scores(rng: np.random.Generator, labels: np.ndarray) -> np.ndarray:
    """Return normal scores of equal spread in both classes."""
    return rng.normal(size=len(labels)) + DISTANCE * labels


def _risk(x: np.ndarray, prevalence: float) -> np.ndarray:
    """Return the calibrated probabilities of such scores."""
    return expit(DISTANCE * x - DISTANCE**2 / 2 + logit(prevalence))


def _two(labels: np.ndarray, a: np.ndarray, b: np.ndarray, **more: Any) -> Cases:
    return {"labels": labels, "scores": {"a": a, "b": b}, **more}


def versions(rng: np.random.Generator, n: int, prevalence: float, changed: float, shape: str = "normal") -> Cases:
    """Draw two versions of one model: some cases are scored anew, with the same distribution in each class."""
    labels = rng.random(n) < prevalence
    a = _scores(rng, labels)
    if shape == "missed":  # 2 % of the cases are positives with the lowest scores
        is_missed = labels & (rng.random(n) < 0.02 / prevalence)
        a = np.where(is_missed, -3.5, a)
    again = _scores(rng, labels)
    if shape == "missed":
        again = np.where(labels & (rng.random(n) < 0.02 / prevalence), -3.5, again)
    b = np.where(rng.random(n) < changed, again, a)
    if shape == "zeros":  # most negatives and some positives get the lowest score
        lowest, chance = -3.0, np.where(labels, 0.2, 0.7)
        silent = rng.random(n) < chance
        other = np.where((a != b) & (rng.random(n) < 0.5), rng.random(n) < chance, silent)
        a, b = np.where(silent, lowest, a), np.where(other, lowest, b)
    if shape == "rounded":
        a, b = np.round(2 * a) / 2, np.round(2 * b) / 2
    more: Cases = {}
    if shape == "groups":  # of five cases, which share half of the variance and the version that scores them
        group = np.arange(n) // 5
        shared, of_changed = rng.normal(size=(2, group[-1] + 1)), rng.random(group[-1] + 1) < changed
        noise = [(shared[i][group] + rng.normal(size=n)) / math.sqrt(2) for i in (0, 1)]
        a = noise[0] + DISTANCE * labels
        b, more = np.where(of_changed[group], noise[1] + DISTANCE * labels, a), {"groups": group}
    if shape == "weights":
        more = {"weights": rng.lognormal(sigma=0.6, size=n), "weights_are": "sampling"}
    return _two(labels, _risk(a, prevalence), _risk(b, prevalence), **more)


def sharpness(rng: np.random.Generator, n: int, prevalence: float = 0.3) -> Cases:
    """Draw two calibrated models, one of them with five distinct probabilities."""
    x = rng.normal(size=n)
    risk = expit(logit(prevalence) + 1.5 * x)
    edges, means = _bins(prevalence)
    return _two(rng.random(n) < risk, risk, means[np.searchsorted(edges, x)])


@lru_cache
def _bins(prevalence: float) -> tuple[np.ndarray, np.ndarray]:
    """Return cuts of a normal score, and the true share of positives between them."""
    from scipy.stats import norm

    edges = norm.ppf([0.2, 0.4, 0.6, 0.8])
    grid = norm.ppf((np.arange(200_000) + 0.5) / 200_000)
    risk, place = expit(logit(prevalence) + 1.5 * grid), np.searchsorted(edges, grid)
    return edges, np.bincount(place, risk) / np.bincount(place)


def granularity(rng: np.random.Generator, n: int, prevalence: float = 0.3) -> Cases:
    """Draw a score and its own best cut, which have the same true Kolmogorov-Smirnov distance."""
    labels = rng.random(n) < prevalence
    x = _scores(rng, labels)
    return _two(labels, _risk(x, prevalence), np.where(x > DISTANCE / 2, 0.75, 0.25))


def doubled(rng: np.random.Generator, n: int, noise: float, prevalence: float = 0.3) -> Cases:
    """Draw a calibrated model, and one with more noise and twice its log odds."""
    labels = rng.random(n) < prevalence
    x = _scores(rng, labels)
    return _two(labels, _risk(x, prevalence), expit(2 * logit(_risk(x + noise * rng.normal(size=n), prevalence))))


# ---------------------------------------------------------------------- one model on two samples


def _one(rng: np.random.Generator, n: int, prevalence: float, shape: str = "normal") -> Cases:
    labels = rng.random(n) < prevalence
    x = _scores(rng, labels)
    if shape == "missed":
        x = np.where(labels & (rng.random(n) < 0.02 / prevalence), -3.5, x)
    if shape == "rounded":
        x = np.round(2 * x) / 2
    if shape == "heavy":  # tails, so that a few losses make most of a mean
        x = rng.standard_t(2, size=n) + DISTANCE * labels
    return {"labels": labels, "scores": _risk(x, prevalence)}


def two_samples(rng: np.random.Generator, n: int, m: int, prevalence: float, shape: str) -> tuple[Cases, Cases]:
    """Draw two samples of one calibrated population."""
    return _one(rng, n, prevalence, shape), _one(rng, m, prevalence, shape)


def two_doubled(rng: np.random.Generator, n: int, noise: float) -> tuple[Cases, Cases]:
    """Draw the same two models on different cases."""
    first, second = doubled(rng, n, noise), doubled(rng, n, noise)
    return (
        {"labels": first["labels"], "scores": first["scores"]["a"]},
        {"labels": second["labels"], "scores": second["scores"]["b"]},
    )


# ---------------------------------------------------------------------- the pairs of the study

_VERSIONS = {  # cases, prevalence, share that is scored anew, shape
    "development": (
        *((300, 0.1, 0.2, "normal"), (60, 0.3, 0.2, "normal"), (400, 0.2, 0.2, "zeros"), (300, 0.3, 0.2, "missed")),
        *((2000, 0.01, 0.2, "normal"), (400, 0.2, 0.2, "weights"), (400, 0.2, 0.2, "groups")),
    ),
    "validation": (
        *((1000, 0.1, 0.05, "normal"), (300, 0.3, 0.1, "normal"), (4000, 0.003, 0.2, "normal")),
        *((60, 0.5, 0.4, "normal"), (400, 0.2, 0.2, "rounded"), (300, 0.2, 0.1, "zeros"), (500, 0.2, 0.2, "missed")),
        *((250, 0.3, 0.3, "weights"), (600, 0.1, 0.3, "groups")),
    ),
}
_SIZES = {  # cases of either sample, prevalence, shape
    "development": (
        *((60, 300, 0.3, "normal"), (100, 900, 0.3, "normal"), (100, 400, 0.3, "missed")),
        (40, 800, 0.3, "heavy"),
    ),
    "validation": (
        *((60, 60, 0.3, "normal"), (300, 1500, 0.3, "normal"), (80, 400, 0.1, "normal")),
        *((300, 600, 0.3, "missed"), (150, 300, 0.3, "rounded"), (1500, 2500, 0.01, "normal")),
        (25, 1000, 0.4, "heavy"),
    ),
}
_SAME = {"development": (300,), "validation": (1000, 150)}


def pairs(half: str) -> list[Pair]:
    """Return the equal pairs of one half.

    Args:
        half: "development" or "validation".
    """
    return [*_versions(half), *_special(half), *_sizes(half), *_of_populations(half)]


def unequal() -> list[Pair]:
    """Return the pairs that differ in truth."""
    measures = ("ece", "smooth_ece", "mcb", "ici", "ks", "max_youden_j", "auc", "average_precision", "brier", "f1")
    calibration = ("ece", "smooth_ece", "mcb", "ici", "brier", "log_loss")
    made = []
    for noise, some, words in (
        (0.0, calibration, "twice the log odds"),
        (0.6, measures, "noisier, twice the log odds"),
    ):
        how = partial(doubled, n=600, noise=noise), partial(two_doubled, n=600, noise=noise)
        made.append(Pair(f"{words}, 600", how[0], "power", 0.3, some))
        made.append(Pair(f"{words}, 600 v 600", how[1], "power", 0.3, some, is_paired=False))
    return made


def _versions(half: str) -> Iterator[Pair]:
    for n, p, changed, shape in _VERSIONS[half]:
        draw = partial(versions, n=n, prevalence=p, changed=changed, shape=shape)
        name = f"versions: {100 * changed:g} % of {n} anew, prevalence {p:g}"
        yield Pair(name + ("" if shape == "normal" else f", {shape}"), draw, half, p)


def _special(half: str) -> Iterator[Pair]:
    for n in _SAME[half]:
        yield Pair(f"calibrated, fine and coarse, {n}", partial(sharpness, n=n), half, measures=CALIBRATION)
        yield Pair(f"a score and its best cut, {n}", partial(granularity, n=n), half, measures=BEST_CUT)


def _sizes(half: str) -> Iterator[Pair]:
    for n, m, p, shape in _SIZES[half]:
        draw = partial(two_samples, n=n, m=m, prevalence=p, shape=shape)
        name = f"{n} v {m}, prevalence {p:g}" + ("" if shape == "normal" else f", {shape}")
        yield Pair(name, draw, half, p, is_paired=False)


def _of_populations(half: str) -> Iterator[Pair]:
    """Yield pairs from the populations of the coverage study: every third, and those with weights or groups."""
    whole = [p for p in (development() if half == "development" else validation()) if p.n < LARGE]
    smooth = [p for p in whole if not math.isinf(p.grid)]
    plain = [p for p in smooth if p.weights == "none" and p.groups == 1]
    designed = [p for p in smooth if p not in plain and p.weights != "counts"]
    for p in (*plain[::3], *designed):
        yield Pair(_name(p), partial(_pair_of, p), half, threshold_of(p), is_of_population=True)
    for p in (*plain[::9], *designed[::3]):
        draw = partial(_two_of, p)
        yield Pair(f"{_name(p)}, twice", draw, half, threshold_of(p), is_paired=False, is_of_population=True)


def _name(p: Population) -> str:
    return f"{p.positives} + {p.negatives}, {p.name}"


def _pair_of(population: Population, rng: np.random.Generator) -> Cases:
    cases = population.sample_pair(rng)
    return {"scores": {name: cases.pop(name) for name in ("a", "b")}, **cases}


def _two_of(population: Population, rng: np.random.Generator) -> tuple[Cases, Cases]:
    return population.sample(rng), population.sample(rng)
