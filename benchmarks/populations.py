"""The populations of the coverage study, in two halves: the scores of both classes, and how cases are sampled.

A population is known exactly: the scores of each class are mixtures of normal or t distributions on a grid, so that the
population is itself a ranking whose weights are probabilities, and the measures themselves give the truth. Labels are
drawn at random; a sample without two cases of each class is drawn again.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Literal

import numpy as np
from scipy import special, stats

from cutline import Ranking
from cutline.results.notes import find_warning

NORMAL = NormalDist()
_PARTS = 10**8  # cases that a population is taken to have, where a measure needs whole ones


@dataclass(frozen=True)
class Scores:
    """The scores of one class: a mixture of bells, each with its share, its middle and its spread."""

    bells: tuple[tuple[float, float, float], ...] = ((1.0, 0.0, 1.0),)
    freedom: float = math.inf  # degrees of freedom of a t distribution; infinite for a normal one

    def below(self, x: np.ndarray) -> np.ndarray:
        shape = special.ndtr if math.isinf(self.freedom) else lambda t: special.stdtr(self.freedom, t)
        return sum(share * shape((x - middle) / spread) for share, middle, spread in self.bells)

    def draw(self, rng: np.random.Generator, shift: np.ndarray) -> np.ndarray:
        """One score for each value of `shift`, which is noise of unit variance for normal scores."""
        share, middle, spread = (np.array(column) for column in zip(*self.bells, strict=True))
        which = rng.choice(len(share), len(shift), p=share)
        noise = shift
        if not math.isinf(self.freedom):
            noise = shift / np.sqrt(rng.chisquare(self.freedom, len(shift)) / self.freedom)
        return middle[which] + spread[which] * noise

    @property
    def mean(self) -> float:
        return sum(share * middle for share, middle, _ in self.bells)


@dataclass(frozen=True)
class Shaped:
    """The scores of one class with any shape that scipy knows, by its name and numbers, stretched and moved."""

    shape: str
    numbers: tuple[float, ...] = ()
    stretch: float = 1.0
    start: float = 0.0
    freedom: float = math.inf  # of a heavy tail, which these have not

    @property
    def _law(self) -> Any:
        return getattr(stats, self.shape)(*self.numbers, loc=self.start, scale=self.stretch)

    def below(self, x: np.ndarray) -> np.ndarray:
        return self._law.cdf(x)

    def draw(self, rng: np.random.Generator, shift: np.ndarray) -> np.ndarray:  # noqa: ARG002
        """One score for each value of `shift`, which is normal: the score with the same share below it."""
        return self._law.ppf(special.ndtr(shift))

    @property
    def mean(self) -> float:
        return float(self._law.mean())


@dataclass(frozen=True)
class Population:
    """A population, the size of a sample from it, and how it is sampled."""

    name: str
    positives: int  # to be expected in a sample
    negatives: int
    pos: Scores | Shaped
    neg: Scores | Shaped = Scores()
    grid: float = 4e-3
    slope: float = 1.0  # of the scores' log odds; what the scores claim, not what is true
    lift: float = 0.0  # added to the log odds: 0 is right on the whole for equal spreads
    weights: Literal["none", "counts", "sampling_class", "sampling_score", "strata", "importance"] = "none"
    groups: int = 1  # cases of a group, whose scores correlate by one half
    uneven: bool = False  # whether groups have 1 to twice as many cases
    one_label: bool = False  # whether all cases of a group are of one class
    specificity: float | None = None  # at the cut; None cuts where about as many cases are flagged as are positive

    @property
    def n(self) -> int:
        return self.positives + self.negatives

    @property
    def prevalence(self) -> float:
        return self.positives / self.n

    @property
    def middle(self) -> float:
        """The mean score of the positives."""
        return self.pos.mean

    def probability(self, x: np.ndarray) -> np.ndarray:
        """What a score claims to be the probability of the positive class; it keeps the order."""
        shift = self.middle
        right = shift * x - shift**2 / 2 + math.log(self.prevalence / (1 - self.prevalence))
        return special.expit(self.lift + self.slope * right) if shift else special.expit(self.lift + x)

    @property
    def reach(self) -> float:
        """How far from the middle a score may lie; a heavy tail is cut there."""
        return 9.0 if math.isinf(self.pos.freedom) else 60.0

    def rounded(self, x: np.ndarray) -> np.ndarray:
        if math.isinf(self.grid):
            return np.where(x > self.middle / 2, self.middle, 0.0)
        return np.round(np.clip(x, -self.reach, self.middle + self.reach) / self.grid) * self.grid

    def ranking(self, *, whole: bool = False) -> Ranking:
        """The population as a ranking whose weights add up to a sample, or of very many whole cases."""
        if math.isinf(self.grid):
            x, edges = np.array([self.middle, 0.0]), np.array([np.inf, self.middle / 2, -np.inf])
        else:
            step = max(self.grid, 4e-3)
            top, low = (round(end / step) for end in (self.middle + self.reach, -self.reach))
            x = step * np.arange(top, low - 1, -1)
            edges = np.concatenate(([np.inf], x[:-1] - step / 2, [-np.inf]))
        pos, neg = (-np.diff(scores.below(edges)) for scores in (self.pos, self.neg))
        p = self.probability(x)
        starts = np.flatnonzero(np.append(True, np.diff(p) < 0))  # probabilities that rounding makes one
        pos, neg = (np.add.reduceat(cells, starts) for cells in (pos / pos.sum(), neg / neg.sum()))
        pos, neg = self.positives * pos, self.negatives * neg
        if whole:
            pos, neg = (np.rint(cells * (_PARTS / self.n)).astype(np.int64) for cells in (pos, neg))
        some = (pos > 0) | (neg > 0)
        return Ranking(p[starts][some], *[pos[some], neg[some]] * 2)

    def sample(self, rng: np.random.Generator) -> dict[str, Any]:
        """The arguments of `evaluate` for one sample."""
        while True:
            found = self._sample(rng)
            labels = found["labels"]
            if 2 <= labels.sum() <= len(labels) - 2:
                return found

    def sample_pair(self, rng: np.random.Generator) -> dict[str, Any]:
        """Labels, and the scores `a` and `b` of two equally good models, whose noise correlates by one half."""
        while True:
            found = self._sample(rng, pair=True)
            if 2 <= found["labels"].sum() <= len(found["labels"]) - 2:
                return found

    def _sample(self, rng: np.random.Generator, *, pair: bool = False) -> dict[str, Any]:
        n = self.n if self.weights in ("none", "counts") else 20 * self.n
        group = np.arange(n) // self.groups
        if self.uneven:
            group = np.repeat(np.arange(n), rng.integers(1, 2 * self.groups, n))[:n]
        labels = rng.random(n) < self.prevalence
        if self.one_label:
            labels = (rng.random(group[-1] + 1) < self.prevalence)[group]
        shift = rng.normal(size=n)
        if self.groups > 1:
            shift = (shift + rng.normal(size=group[-1] + 1)[group]) / math.sqrt(2)
        found: dict[str, Any] = {"labels": labels}
        for name in ("a", "b") if pair else ("scores",):
            noise = (shift + rng.normal(size=n)) / math.sqrt(2) if pair else shift
            x = np.empty(n)
            for scores, mine in ((self.pos, labels), (self.neg, ~labels)):
                x[mine] = scores.draw(rng, noise[mine])
            found[name] = self.probability(self.rounded(x))
        if self.groups > 1:
            found["groups"] = group
        return self._kept(found, x, rng)

    def _kept(self, found: dict[str, Any], x: np.ndarray, rng: np.random.Generator) -> dict[str, Any]:
        """The cases that a survey keeps, with their weights."""
        labels = found["labels"]
        if self.weights == "none":
            return found
        if self.weights == "counts":
            found["weights"] = np.ones(len(labels), dtype=np.int64)
            return found | {"weights_are": "counts"}
        if self.weights == "importance":  # every twentieth case, which counts more or less for reasons of its own
            keep = np.arange(len(labels)) % 20 == 0
            return {k: v[keep] for k, v in found.items()} | {
                "weights": rng.lognormal(sigma=0.8, size=int(keep.sum())),
                "weights_are": "importance",
            }
        if self.weights == "strata":  # a third of the population is sampled four times as often as the rest
            stratum = (rng.random(len(labels)) < 1 / 3).astype(int)
            keep = rng.random(len(labels)) < np.array([0.5, 2.0])[stratum] / 20
            rest = {k: v[keep] for k, v in (found | {"strata": stratum}).items()}
            return rest | {"weights": np.array([40.0, 10.0])[stratum[keep]], "weights_are": "sampling"}
        if self.weights == "sampling_class":  # about half of the sample are positives
            chance = np.where(labels, 0.5 / self.prevalence, 0.5 / (1 - self.prevalence)) / 20
        else:  # high scores are sampled up to ten times as often
            lean = special.expit(2 * (x - 1))
            chance = (0.2 + 1.8 * lean) / 20
        keep = rng.random(len(labels)) < np.minimum(chance, 1)
        kept = {k: v[keep] for k, v in found.items()}
        return kept | {"weights": 1 / np.minimum(chance, 1)[keep], "weights_are": "sampling"}


def bells(auc: float, spread: float = 1.0) -> Scores:
    """Normal positives with a spread, so far above standard normal negatives that the AUC is as given."""
    return Scores(((1.0, NORMAL.inv_cdf(auc) * math.sqrt(1 + spread**2), spread),))


def _normal(positives: int, negatives: int, auc: float, spread: float = 1.0, **more: Any) -> Population:
    shape = "" if spread == 1 else f", spread {spread:g}"
    return Population(f"normal {auc:g}{shape}", positives, negatives, bells(auc, spread), **more)


def _mixture(positives: int, negatives: int, share: float) -> Population:
    pos = Scores(((share, 3.0, 1.0), (1 - share, 0.0, 1.0)))
    return Population(f"{100 * share:g} % of positives at 3", positives, negatives, pos)


def development() -> list[Population]:
    """Return the half of the populations that defaults are chosen by."""
    few = [_normal(p, n, auc) for p, n in ((5, 95), (10, 90), (20, 180)) for auc in (0.7, 0.9)]
    even = [_normal(p, p, auc) for p in (25, 50, 100) for auc in (0.6, 0.8, 0.95)]
    skewed = [_normal(50, 450, auc) for auc in (0.5, 0.8, 0.95, 0.99)] + [_normal(100, 900, 0.995)]
    rare = [_normal(10, 1990, 0.9), _normal(50, 9950, 0.9), _normal(5, 995, 0.95)]
    large = [_normal(500, 500, 0.8), _normal(300, 2700, 0.9), _normal(1000, 1000, 0.999), _normal(5000, 5000, 0.85)]
    spread = [_normal(20, 180, 0.8, s) for s in (1.5, 3.0)] + [_normal(50, 450, 0.95, 3.0), _normal(60, 60, 0.99, 0.5)]
    other = [_mixture(20, 1980, 0.6), _mixture(50, 450, 0.6), _heavy_tails(50, 100), _heavy_tails(20, 180)]
    tied = [
        Population("2 distinct scores", 50, 150, bells(0.85), grid=math.inf),
        Population("5 distinct scores", 50, 150, bells(0.85), grid=1.5),
        Population("5 distinct scores", 15, 85, bells(0.85), grid=1.5),
    ]
    wrong = [
        Population("too sure", 60, 240, bells(0.8), slope=2.0),
        Population("too high", 60, 240, bells(0.8), lift=1.0),
        Population("too sure, few", 10, 140, bells(0.9), slope=2.0),
    ]
    stressed = [
        Population("specificity 0.998", 40, 100, bells(0.98), specificity=0.998),
        Population("a missed subtype of 2 %", 90, 210, _with_missed(1.5, 0.02 / 0.3)),
        Population("70 % of negatives at one score", 60, 340, *_zeros(1.5, 0.2, 0.7)),
        Population("scores rounded to a half", 90, 210, bells(0.8), grid=0.5),
        Population("0.3 % positive", 12, 3988, bells(0.9)),
        Population("6 + 60 groups of 20", 120, 1200, bells(0.8), groups=20, one_label=True),
        Population("too extreme", 90, 210, bells(0.8), slope=3.0),
    ]
    usual = [*few, *even, *skewed, *rare, *large, *spread, *other, *tied, *wrong, *_weighted(), *_grouped()]
    return [*usual, *stressed]


def _with_missed(middle: float, share: float) -> Scores:
    """Positives of which a share gets the lowest scores."""
    return Scores(((1 - share, middle, 1.0), (share, -3.0, 0.3)))


def _zeros(middle: float, of_positives: float, of_negatives: float) -> tuple[Scores, Scores]:
    """Both classes, a share of each at one low score."""
    at = -2.5, 1e-6
    return (
        Scores(((1 - of_positives, middle, 1.0), (of_positives, *at))),
        Scores(((1 - of_negatives, 0.0, 1.0), (of_negatives, *at))),
    )


def validation() -> list[Population]:
    """Return the half that no default is chosen by, and that judges them: other shapes, sizes, ties and designs."""
    three = Scores(((0.4, 2.5, 0.5), (0.4, 1.0, 1.5), (0.2, -0.5, 0.7)))
    return [
        Population("three bells", 15, 60, three),
        Population("t with 4 degrees", 8, 192, Scores(((1.0, 1.5, 1.0),), 4), Scores(((1.0, 0.0, 1.0),), 4), 1e-2),
        Population("more positives, narrow", 70, 30, bells(0.9, 0.6)),
        Population("rounded scores", 40, 260, bells(0.75), grid=0.5),
        Population("too timid and too low", 30, 300, bells(0.85), slope=0.5, lift=-1.0),
        Population("negatives far up", 25, 475, bells(0.97), Scores(((0.97, 0.0, 1.0), (0.03, 4.0, 0.5)))),
        Population("groups of 8", 96, 304, bells(0.75), groups=8),
        Population("sampled by score", 35, 115, bells(0.7), weights="sampling_score"),
        Population("exponential", 30, 120, Shaped("expon", (), 2.5), Shaped("expon")),
        Population("uniform", 40, 60, Shaped("uniform", (), 3.0, 1.2), Shaped("uniform", (), 3.0)),
        Population("beta", 12, 88, Shaped("beta", (4.0, 2.0), 4.0), Shaped("beta", (2.0, 4.0), 4.0)),
        Population("skewed negatives", 25, 225, bells(0.9), Shaped("gamma", (1.5,), 0.8, -1.0)),
        Population("skewed to the left", 160, 40, Shaped("beta", (5.0, 1.2), 4.0), Shaped("beta", (2.0, 2.0), 4.0)),
        Population("four positives", 4, 56, bells(0.85)),
        Population("high and spread", 15, 300, bells(0.98, 2.0)),
        Population("coarse and few", 10, 70, bells(0.8), grid=0.7),
        Population("far apart", 80, 320, bells(0.997, 0.7)),
        Population("rare and narrow", 15, 1485, bells(0.85, 0.6)),
        Population("uneven groups of 4", 60, 180, bells(0.8), groups=4, uneven=True),
        Population("groups of 10 of one class", 150, 250, bells(0.7), groups=10, one_label=True),
        Population("two strata", 50, 150, bells(0.8), weights="strata"),
        Population("importance, few", 20, 80, bells(0.85), weights="importance"),
        Population("sampled by class", 30, 570, bells(0.75, 1.8), weights="sampling_class"),
        Population("too low, rare", 20, 780, bells(0.8), lift=-0.7),
        Population("specificity 0.99", 60, 240, bells(0.95), specificity=0.99),
        Population("a missed subtype of 2 %, more cases", 200, 800, _with_missed(2.0, 0.02 / 0.2)),
        Population("90 % of negatives at one score", 50, 450, *_zeros(2.0, 0.35, 0.9)),
        Population("scores rounded to a quarter", 30, 170, bells(0.9), grid=0.25),
        Population("0.3 % positive, skewed", 15, 4985, Shaped("gamma", (3.0,), 1.0), Shaped("gamma", (1.5,), 0.7)),
        Population("12 + 60 groups of 20", 240, 1200, bells(0.85), groups=20, one_label=True),
        Population("groups of 1 to 40", 300, 900, bells(0.8), groups=20, uneven=True),
    ]


def _heavy_tails(positives: int, negatives: int) -> Population:
    return Population(
        "t with 2 degrees", positives, negatives, Scores(((1.0, 2.0, 1.0),), 2), Scores(((1.0, 0.0, 1.0),), 2), 1e-2
    )


def _weighted() -> list[Population]:
    return [
        Population("counts", 40, 160, bells(0.8), weights="counts"),
        Population("sampled by class", 40, 360, bells(0.8), weights="sampling_class"),
        Population("sampled by class", 20, 980, bells(0.9), weights="sampling_class"),
        Population("sampled by score", 60, 240, bells(0.8), weights="sampling_score"),
        Population("sampled by score", 25, 225, bells(0.95), weights="sampling_score"),
        Population("importance", 60, 240, bells(0.8), weights="importance"),
    ]


def _grouped() -> list[Population]:
    return [
        Population("groups of 5", 100, 200, bells(0.8), groups=5),
        Population("groups of 5", 40, 260, bells(0.9), groups=5),
        Population("groups of 15 of one class", 225, 675, bells(0.8), groups=15, one_label=True),
    ]


def threshold_of(population: Population) -> float:
    """The cut that flags about as many cases as are positive."""
    whole = population.ranking()
    if population.specificity is not None:
        missed = np.cumsum(whole.neg) / population.negatives
        return float(whole.score[int(np.searchsorted(missed, 1 - population.specificity))])
    place = min(int(np.searchsorted(np.cumsum(whole.size), population.positives)), len(whole) - 1)
    return float(whole.score[place])


def is_warned(notes: Iterable[str]) -> bool:
    """Whether a note is a warning."""
    return find_warning(notes) is not None
