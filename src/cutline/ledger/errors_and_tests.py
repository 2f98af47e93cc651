"""Standard errors of an AUC, a share or a mean, and p-values of two models, each with the variants that tools use."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from cutline.comparison import compare
from cutline.core.array_ops import Array, dot
from cutline.core.ranking import Ranking
from cutline.evaluation import Evaluation
from cutline.independent_comparison import compare_independent
from cutline.inference import delong, influence
from cutline.inference.differences.mcnemar import Discordance, Variant, mcnemar
from cutline.inference.effective_size import compute_effective_sizes, square_weights
from cutline.inputs.in_memory import rank_cases
from cutline.ledger.cases import Material
from cutline.measures import Measure
from cutline.measures.forms import LinearInAuc, MeanOfCases, Proportion

# ---------------------------------------------------------------------- standard errors

ONE_LESS = {LinearInAuc: 1, MeanOfCases: 1, Proportion: 0}  # what cutline takes from n, by the form of the measure


def has_error(measure: Measure) -> bool:
    """Whether a measure has a standard error here: an AUC and its lines, a share itself, a mean over the cases."""
    return isinstance(measure.form, LinearInAuc | MeanOfCases) or (
        isinstance(measure.form, Proportion) and measure.form.then is float
    )


def compute_standard_error(measure: Measure, material: Material, less: int | None = None, **parameters: Any) -> float:
    """Return the standard error of a measure on some cases, its variance divided by n less 0 or 1; NaN where there is
    none.

    Args:
        measure: One that has_error().
        material: The cases.
        less: What is taken from n; what cutline takes when None.
        **parameters: Of the measure.
    """
    form, r = measure.form, material.ranking
    less = ONE_LESS[type(form)] if less is None else less
    if isinstance(form, LinearInAuc):
        slope = float(form.of(r, **parameters)[0])
        return abs(slope) * math.sqrt(compute_area_variance(r, less))
    if isinstance(form, MeanOfCases):
        size = float(r.total) ** 2 / float(square_weights(r).total)
        variance = influence.compute_variance_of_mean(r, square_weights(r), *form.of(r, **parameters)) * _divide(
            size - 1, size - less
        )
        return math.sqrt(variance) if variance >= 0 else math.nan
    k, n = (float(x) for x in form.of(material.counts))  # type: ignore[union-attr]
    return math.sqrt(_divide(k / n * (1 - k / n), n - less)) if n else math.nan


def compute_area_variance(r: Ranking, less: int) -> float:
    """Return DeLong's variance of the AUC, the variances of both classes divided by n less 0 or 1."""
    of_positives, of_negatives = delong.compute_placements(r)
    area = float(dot(r.pos, of_positives) / r.positives)
    second, sizes = square_weights(r), compute_effective_sizes(r)
    variance = 0.0
    for square, place, weight, size in (
        (second.pos, of_positives, r.positives, float(sizes.positives)),
        (second.neg, of_negatives, r.negatives, float(sizes.negatives)),
    ):
        variance += float(dot(square, (place - area) ** 2)) / float(weight) ** 2 * _divide(size, size - less)
    return variance


def compute_paired_p_value(material: Material, less: int) -> float:
    """Return the p-value of DeLong's test of two models on the same cases, its variances divided by n less 0 or 1."""
    from scipy.special import ndtr

    rows = material.rows
    first, second = (_compute_placements(rows.is_positive, s) for s in (rows.scores, _read_other(material)))
    gaps = first - second
    groups = [gaps[rows.is_positive], gaps[~rows.is_positive]]
    if min(map(len, groups)) <= less:
        return math.nan
    variance = sum(float(np.var(gap, ddof=less)) / len(gap) for gap in groups)
    difference = float(np.mean(groups[0]))
    return float(2 * ndtr(-abs(difference) / math.sqrt(variance))) if variance > 0 else math.nan


def _compute_placements(is_positive: Array, scores: Array) -> Array:
    """Return for each case the share of the other class that it is ranked correctly against."""
    ranking = rank_cases(is_positive, scores)
    placements = delong.compute_placements(ranking)
    at = np.searchsorted(-ranking.score, -scores)
    return np.asarray(np.where(is_positive, placements.of_positives[at], placements.of_negatives[at]))


def _divide(above: float, below: float) -> float:
    return above / below if below > 0 else math.nan


Variants = dict[str, tuple[str, Callable[[Material], float]]]


@dataclass(frozen=True)
class Test:
    """A test: its title, the variant that cutline takes by default, and all variants with their words."""

    title: str
    chosen: str
    variants: Variants

    def default(self, material: Material) -> float:
        """Return the p-value by the variant that cutline takes; NaN without a second model."""
        return self.variants[self.chosen][1](material)

    __test__ = False  # a test of models, not of ours


def count_discordance(material: Material) -> Discordance:
    """Return the cases that only the first model gets right at the threshold, and only the second."""
    rows, cut = material.rows, material.threshold
    right = [(scores >= cut) == rows.is_positive for scores in (rows.scores, _read_other(material))]
    return Discordance(int((right[0] & ~right[1]).sum()), int((right[1] & ~right[0]).sum()), len(rows))


def _read_other(material: Material) -> Array:
    other = material.rows.other
    return np.full(len(material.rows), math.nan) if other is None else other


def _has_other(material: Material) -> bool:
    return material.make_rows is not None and material.rows.other is not None


def _make_mcnemar(variant: Variant) -> Callable[[Material], float]:
    return lambda material: mcnemar(count_discordance(material), variant) if _has_other(material) else math.nan


def _test_two_proportions(material: Material) -> float:
    """Return the z test of two independent shares, of the accuracies of models that in truth share their cases."""
    from scipy.special import ndtr

    if not _has_other(material):
        return math.nan
    rows, n = material.rows, len(material.rows)
    shares = [((s >= material.threshold) == rows.is_positive).mean() for s in (rows.scores, _read_other(material))]
    pooled = sum(shares) / 2
    spread = math.sqrt(2 * pooled * (1 - pooled) / n)
    return float(2 * ndtr(-abs(shares[0] - shares[1]) / spread)) if spread else 1.0


def _test_paired(material: Material) -> float:
    if not _has_other(material):
        return math.nan
    models = {"a": material.rows.scores, "b": _read_other(material)}
    return float(compare(material.rows.is_positive, models).test("auc", method="delong").p_value)


def _test_unpaired(material: Material) -> float:
    if not _has_other(material):
        return math.nan
    both = [rank_cases(material.rows.is_positive, s) for s in (material.rows.scores, _read_other(material))]
    return float(compare_independent(*map(Evaluation, both)).test("auc", method="delong_unpaired").p_value)


def _test_normal(material: Material) -> float:
    return compute_paired_p_value(material, 1) if _has_other(material) else math.nan


def _make_one_sided(p_value: Callable[[Material], float]) -> Callable[[Material], float]:
    return lambda material: p_value(material) / 2


_WORDS = {
    "exact": "by the exact binomial test",
    "midp": "by the mid-p test",
    "asymptotic": "by the chi-square test without continuity correction",
    "corrected": "by the chi-square test with continuity correction",
}


def _make_mcnemar_statistic(correction: float) -> Callable[[Material], float]:
    """Return the function of the chi-square statistic, (|b - c| - correction)² / (b + c)."""

    def statistic(material: Material) -> float:
        if not _has_other(material):
            return math.nan
        discordance = count_discordance(material)
        only = discordance.first + discordance.second
        return max(abs(discordance.first - discordance.second) - correction, 0.0) ** 2 / only if only else math.nan

    return statistic


def _count_smaller(material: Material) -> float:
    """Return the smaller of the numbers of cases that only one of the models gets right."""
    if not _has_other(material):
        return math.nan
    discordance = count_discordance(material)
    return float(min(discordance.first, discordance.second))


# No tool prints the unconditional test, so that it explains no number.
_MCNEMAR: Variants = {name: (_WORDS[name], _make_mcnemar(name)) for name in get_args(Variant) if name in _WORDS}
TESTS = {
    "mcnemar": Test(
        "McNemar's test, p-value",
        "midp",
        {
            **_MCNEMAR,
            "unpaired": ("by a z test that takes the two models for independent samples", _test_two_proportions),
            "statistic": ("as the chi-square statistic without continuity correction", _make_mcnemar_statistic(0.0)),
            "statistic_exact": ("as the smaller count of cases that only one model gets right", _count_smaller),
            "statistic_corrected": (
                "as the chi-square statistic with continuity correction",
                _make_mcnemar_statistic(1.0),
            ),
        },
    ),
    "delong": Test(
        "DeLong's test, p-value",
        "paired",
        {
            "paired": ("by DeLong's paired test with Student's distribution", _test_paired),
            "normal": ("by DeLong's paired test with the normal distribution", _test_normal),
            "unpaired": ("by DeLong's test of independent samples", _test_unpaired),
            "one_sided": ("by DeLong's paired test, one-sided", _make_one_sided(_test_normal)),
        },
    ),
}
