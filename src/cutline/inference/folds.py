"""Inference from cross-validation: means over folds, their intervals, and differences of two models.

The values of folds are not independent, because their training sets overlap: a plain t interval of them is too narrow.

Sources: Nadeau & Bengio (2003), Inference for the generalization error; Corani & Benavoli (2015), A Bayesian approach
for comparing cross-validated algorithms; Bates, Hastie & Tibshirani (2023), Cross-validation: what does it estimate and
how well does it do it?; LeDell, Petersen & van der Laan (2015), Computationally efficient confidence intervals for
cross-validated area under the ROC curve estimates.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.messages import Argument, Text
from cutline.inference.resampling.samplers import GroupSampler
from cutline.results.estimate import quantile, student_quantile
from cutline.results.notes import Note

FAR_APART = 0.5  # standard deviations between the mean scores of two folds, which chance does not explain
MOST_FOLDS = 20  # groups of equal size, up to which they look like folds


@dataclass(frozen=True)
class FoldMean:
    """A mean over folds with its standard error, which follows Student's distribution."""

    value: float
    standard_error: float
    degrees_of_freedom: float

    def limits(self, level: float) -> tuple[float, float]:
        """Return the limits of the confidence interval of this level."""
        reach = student_quantile(level, self.degrees_of_freedom) * self.standard_error
        return self.value - reach, self.value + reach

    @property
    def t(self) -> float:
        """Student's statistic of the hypothesis that the mean is 0."""
        if self.standard_error == 0:
            return math.copysign(math.inf, self.value) if self.value else 0.0
        return self.value / self.standard_error

    @property
    def p_value(self) -> float:
        """Two-sided p-value of the hypothesis that the mean is 0."""
        from scipy.special import stdtr

        return float(2 * stdtr(self.degrees_of_freedom, -abs(self.t)))

    def probability_below(self, bound: float) -> float:
        """Return the posterior probability that the true mean is below `bound` (Corani & Benavoli 2015)."""
        from scipy.special import stdtr

        if self.standard_error == 0:
            return float(self.value < bound) + 0.5 * (self.value == bound)
        return float(stdtr(self.degrees_of_freedom, (bound - self.value) / self.standard_error))


def nadeau_bengio(values: Array, folds: int, test_to_train: float, more_variance: float = 0.0) -> FoldMean:
    """Return the mean of fold values with the corrected standard error of Nadeau and Bengio.

    The variance of the mean over K folds is (1/K + n_test/n_train) s2: the first term is what folds would have if they
    were independent, the second allows for training sets that overlap. Repeats add no new cases. So they do not make
    this variance smaller; they make s2 better known, which has J - 1 degrees of freedom for the J folds of all repeats.
    With 1/J in place of 1/K, ten repeats covered 77 to 99 % in simulations (benchmarks/cross_validation.py).

    Args:
        values: One value for each fold of each repeat.
        folds: The number of folds of one repeat.
        test_to_train: The size of a test fold relative to its training set, 1 / (folds - 1) for equal folds.
        more_variance: A variance that folds do not show, such as that of the prevalence where they are stratified.
    """
    variance = float(np.var(values, ddof=1)) * (1 / folds + test_to_train) + more_variance
    return FoldMean(float(np.mean(values)), math.sqrt(variance), len(values) - 1)


def estimate_hidden_share(positives: Array, sizes: Array) -> float:
    """Return the share of the variance of the prevalence that stratified folds hide: 1 if all folds have the same.

    Args:
        positives: The number of positives of each fold.
        sizes: The number of cases of each fold.
    """
    share = float(positives.sum() / sizes.sum())
    by_chance = share * (1 - share) / float(sizes.mean())
    if by_chance == 0:
        return 0.0
    return max(0.0, 1 - float(np.var(positives / sizes, ddof=1)) / by_chance)


@dataclass(frozen=True)
class Posterior:
    """Posterior probabilities that the first model is worse, practically the same, or better."""

    worse: float
    same: float
    better: float
    rope: float


def correlated_t(difference: FoldMean, rope: float) -> Posterior:
    """Return the posterior of the Bayesian correlated t test with a region of practical equivalence.

    With the correlation 1/K of K folds, rho / (1 - rho) = 1 / (K - 1) is the ratio of the sizes of test fold and
    training set: the posterior is the distribution behind the interval of Nadeau and Bengio.

    Args:
        difference: The mean difference over folds; positive where the first model is better.
        rope: Differences up to this size count as practically the same.
    """
    if rope == 0:
        worse = difference.probability_below(0.0)
        return Posterior(worse, 0.0, 1 - worse, rope)
    worse = difference.probability_below(-rope)
    below = difference.probability_below(rope)
    return Posterior(worse, max(below - worse, 0.0), 1 - below, rope)


# ---------------------------------------------------------------------- nested cross-validation of means of losses


@dataclass(frozen=True)
class NestedError:
    """The mean loss by nested cross-validation, corrected for bias, with its root mean squared error."""

    value: float
    standard_error: float
    naive_standard_error: float
    bias: float

    def limits(self, level: float) -> tuple[float, float]:
        """Return the limits of the confidence interval of this level."""
        reach = quantile(level) * self.standard_error
        return self.value - reach, self.value + reach


def estimate_nested_error(outer: Array, inner: Array, folds: Array, positive: Array | None = None) -> NestedError:
    """Return the estimate of Bates, Hastie and Tibshirani (2023, Algorithm 1) for a mean of case losses.

    Cross-validation inside all folds but one estimates the error of a model that the left-out fold measures afresh: the
    squared distance of the two, less the variance of the fresh one, is the mean squared error of cross-validation.

    Stratified folds all have the same share of positives, so that this distance does not show how much that share
    varies between samples: the variance within the classes is subtracted instead, and that of the share is added.
    Without this, intervals of the Brier score covered 86 % with 24 positives among 100 cases.

    Args:
        outer: The loss of each case (last axis) in each repeat, by the model fitted without the fold of the case.
        inner: The same by models fitted without the fold of the case and without a second fold (middle axis); NaN
            where the second fold is that of the case.
        folds: The fold of each case (last axis) in each repeat, numbered from 0.
        positive: Which cases are positive, where the folds were stratified.
    """
    count = inner.shape[1]
    n = outer.shape[1]
    squares, noise, inner_means = [], [], []
    for losses, without, fold in zip(outer, inner, folds, strict=True):
        for k in range(count):
            fresh = losses[fold == k]
            mean = without[k][fold != k].mean()
            inner_means.append(mean)
            squares.append((mean - fresh.mean()) ** 2)
            noise.append(_estimate_fold_variance(fresh, None if positive is None else positive[fold == k]))
    naive = float(np.mean(outer.var(axis=1, ddof=1))) / n
    mse = (np.mean(squares) - np.mean(noise)) * (count - 1) / count
    if positive is not None:
        share = float(positive.mean())
        mse += (outer[:, positive].mean() - outer[:, ~positive].mean()) ** 2 * share * (1 - share) / n
    mse = float(np.clip(mse, naive, count * naive))
    nested = float(np.mean(inner_means))
    bias = (1 + (count - 2) / count) * (nested - float(outer.mean()))
    return NestedError(nested - bias, math.sqrt(mse), math.sqrt(naive), bias)


def _estimate_fold_variance(losses: Array, positive: Array | None) -> float:
    """Return the variance of the mean loss of a fold; within the classes where their shares are fixed."""
    if positive is None:
        return float(losses.var(ddof=1) / len(losses))
    classes = [losses[positive], losses[~positive]]
    return float(sum(own.var(ddof=1) * len(own) for own in classes if len(own) > 1)) / len(losses) ** 2


# ---------------------------------------------------------------------- the influence of cases on a mean AUC


def differentiate_mean_auc(positive: Array, scores: Array, folds: Array) -> tuple[float, Array]:
    """Return the mean AUC over folds and the influence of each case on it (LeDell et al. 2015).

    Tied pairs count one half, in the influence as in the AUC.

    Args:
        positive: Whether each case is positive.
        scores: The out-of-fold score of each case.
        folds: The fold of each case, numbered from 0.
    """
    share = positive.mean()
    influence = np.empty(len(scores))
    areas = []
    for k in range(int(folds.max()) + 1):
        cases = np.flatnonzero(folds == k)
        flags, s = positive[cases], scores[cases]
        pos, neg = np.sort(s[flags]), np.sort(s[~flags])
        below = (np.searchsorted(neg, s) + np.searchsorted(neg, s, side="right")) / (2 * len(neg))
        above = 1 - (np.searchsorted(pos, s) + np.searchsorted(pos, s, side="right")) / (2 * len(pos))
        area = below[flags].mean()
        areas.append(area)
        influence[cases] = np.where(flags, (below - area) / share, (above - area) / (1 - share))
    return float(np.mean(areas)), influence


def ledell(positive: Array, scores: Array, folds: Array) -> FoldMean:
    """Return the mean AUC over folds with the standard error of LeDell, Petersen and van der Laan (2015).

    With several repeats the influence of a case is its mean over them.

    Args:
        positive: Whether each case is positive.
        scores: The out-of-fold score of each case (last axis) in each repeat.
        folds: The fold of each case (last axis) in each repeat, numbered from 0.
    """
    areas, influence = zip(
        *(differentiate_mean_auc(positive, s, f) for s, f in zip(scores, folds, strict=True)), strict=True
    )
    mean = np.mean(influence, axis=0)
    # each fold weighs the same, as in the mean of the areas
    squares = [np.mean([np.mean(mean[f == k] ** 2) for k in range(int(f.max()) + 1)]) for f in folds]
    return FoldMean(float(np.mean(areas)), math.sqrt(float(np.mean(squares)) / len(positive)), math.inf)


# ---------------------------------------------------------------------- folds that are taken for groups


def measure_scale_distance(parts: Sequence[tuple[Array, Array]]) -> float:
    """Return the distance of the mean scores of parts of the cases, in standard deviations; 0 if it may be chance.

    Args:
        parts: The scores of each part, and how many cases have each.
    """
    sizes = np.array([float(np.sum(size)) for _, size in parts])
    with np.errstate(invalid="ignore", over="ignore"):
        means = np.array([float(np.average(score, weights=size)) for score, size in parts])
        squares = np.array([float(np.average(np.square(score), weights=size)) for score, size in parts])
    if len(parts) < 2 or not (np.isfinite(means).all() and np.isfinite(squares).all()):
        return 0.0
    within = float(np.average(np.maximum(squares - means**2, 0), weights=sizes))
    if within <= 0:
        return 0.0
    distance = float(means.max() - means.min()) / math.sqrt(within)
    chance = 5 * math.sqrt(2 / float(sizes.min()))  # five standard errors of the difference of two means
    return distance if distance > max(FAR_APART, chance) else 0.0


def find_fold_notes(sampler: GroupSampler) -> Iterator[Note]:
    """Warn where groups or strata look like the folds of a cross-validation, or their models' scales differ.

    Args:
        sampler: The groups or strata of an evaluation.
    """
    role, code = "groups", sampler.group
    if sampler.are_single:
        if sampler.stratum is None:
            return
        role, code = "strata", sampler.stratum[sampler.group]
    count = int(code.max()) + 1
    if not 2 <= count <= MOST_FOLDS:
        return
    sizes = np.bincount(code)
    way_out = ("For folds of a cross-validation pass ", Argument("folds"), " instead of ", Argument(role), ".")
    if sizes.min() >= 10 and sizes.max() - sizes.min() <= max(1, 0.01 * sizes.min()):
        text = Text(f"The {count} {role} are of equal size, as folds are. ", *way_out)
        yield Note("groups-are-folds", text, kind="warning")
    scores = np.asarray(sampler.ranking.score, dtype=float)[sampler.cell % len(sampler.ranking)]
    apart = measure_scale_distance([(scores[code == k], np.ones(int(sizes[k]))) for k in range(count)])
    if apart:
        text = Text(f"The mean scores of the {role} differ by up to {apart:.1f} standard deviations. ", *way_out)
        yield Note("groups-differ", text, kind="warning")
