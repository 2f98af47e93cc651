"""Sides of the formula of limits of intervals, of standard errors, and of p-values of two models."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from cutline.inference import delong
from cutline.inference.single import proportions, reference
from cutline.ledger.cases import Material
from cutline.ledger.convention import Applies, Convention
from cutline.ledger.formula_convention import Formula, formula
from cutline.ledger.quantity import PrintedQuantity
from cutline.ledger.standard_errors import ONE_LESS, area_variance, paired_p_value
from cutline.ledger.two_models import TESTS, discordance_of
from cutline.measures.kinds import LineOfAuc, MeanOfCases, Proportion
from cutline.results.estimate import quantile

_LEVEL = 0.95


def _of_proportion(q: PrintedQuantity) -> bool:
    return q.is_limit and isinstance(q.measure.kind, Proportion)  # type: ignore[union-attr]


def _of_area(q: PrintedQuantity) -> bool:
    return q.is_limit and isinstance(q.measure.kind, LineOfAuc)  # type: ignore[union-attr]


def _by(method: str) -> Formula:
    return lambda material, q: q.limit(material, method)


def _counts(material: Material, q: PrintedQuantity) -> tuple[float, float]:
    k, n = q.measure.kind.of(material.counts)  # type: ignore[union-attr]
    return float(k), float(n)


def _end(q: PrintedQuantity, low: float, high: float) -> float:
    """Return the wanted limit, cut at 0 and 1; of a measure that falls as the share grows, the other one."""
    ends = sorted(float(q.measure.kind.then(min(max(limit, 0.0), 1.0))) for limit in (low, high))  # type: ignore[union-attr]
    return ends[0 if q.part == "low" else 1]


def _proportion(method: str) -> Formula:
    """Return the limits of a share by one of the formulas for proportions, cut at 0 and 1."""
    return lambda material, q: _end(q, *map(float, reference.METHODS[method](*_counts(material, q), _LEVEL)))


def jeffreys_everywhere(material: Material, q: PrintedQuantity) -> float:
    """Return Jeffreys' limits that keep the quantile where no case, or every one, was seen."""
    from scipy.special import betaincinv

    k, n = _counts(material, q)
    return _end(q, *(float(betaincinv(k + 0.5, n - k + 0.5, at)) for at in ((1 - _LEVEL) / 2, (1 + _LEVEL) / 2)))


def corrected_everywhere(material: Material, _: PrintedQuantity) -> float:
    """Return McNemar's corrected test whose correction stays where the two counts are equal."""
    from scipy.special import chdtrc

    if material.make_rows is None or material.rows.other is None:
        return math.nan
    table = discordance_of(material)
    both = table.first + table.second
    return float(chdtrc(1, (abs(table.first - table.second) - 1) ** 2 / both)) if both else math.nan


def unclipped_wald(material: Material, q: PrintedQuantity) -> float:
    """Return Wald's limit, which may lie outside [0, 1]."""
    k, n = _counts(material, q)
    ends = sorted(float(q.measure.kind.then(limit)) for limit in reference.wald(k, n, _LEVEL))  # type: ignore[union-attr]
    return ends[0 if q.part == "low" else 1]


def wilson_corrected(material: Material, q: PrintedQuantity) -> float:
    """Return Wilson's limits with continuity correction, as R's prop.test gives them."""
    k, n = _counts(material, q)
    if not n:
        return math.nan
    z, p = quantile(_LEVEL), k / n
    reach = [z * math.sqrt(max(z * z - s - 1 / n + 4 * p * (n * (1 - p) + t), 0.0)) + 1 for s, t in ((2, 1), (-2, -1))]
    low, high = ((2 * k + z * z + x) / (2 * (n + z * z)) for x in (-reach[0], reach[1]))
    return _end(q, 0.0 if k == 0 else low, 1.0 if k == n else high)


def logit_wald(material: Material, q: PrintedQuantity) -> float:
    """Return Wald's limits of the log odds."""
    k, n = _counts(material, q)
    if not 0 < k < n:
        return math.nan
    centre, half = math.log(k / (n - k)), quantile(_LEVEL) * math.sqrt(1 / k + 1 / (n - k))
    low, high = (1 / (1 + math.exp(-x)) for x in (centre - half, centre + half))
    return _end(q, low, high)


def _hanley_mcneil(material: Material, q: PrintedQuantity) -> float:
    """Return their variance of the AUC."""
    r = material.ranking
    area, m, n = float(q.value(material, "auc")), float(r.positives), float(r.negatives)
    q1, q2 = area / (2 - area), 2 * area * area / (1 + area)
    return (area * (1 - area) + (m - 1) * (q1 - area**2) + (n - 1) * (q2 - area**2)) / (m * n)


def hanley_mcneil(material: Material, q: PrintedQuantity) -> float:
    """Return the interval of Hanley and McNeil (1982), from the AUC and the sizes of the classes alone."""
    area, half = q.value(material, "auc"), quantile(_LEVEL) * hanley_mcneil_error(material, q)
    limit = area - half if q.part == "low" else area + half
    return min(max(limit, 0.0), 1.0)


def unclipped_delong(material: Material, q: PrintedQuantity) -> float:
    """Return DeLong's limit, which may lie outside [0, 1]."""
    variance = float(np.nan_to_num(delong.variance(material.ranking)))
    half = quantile(_LEVEL) * math.sqrt(variance)
    return q.value(material, "auc") + (-half if q.part == "low" else half)


def delong_by_n(material: Material, q: PrintedQuantity) -> float:
    """Return DeLong's limit with the variances of both classes divided by n."""
    half = quantile(_LEVEL) * math.sqrt(area_variance(material.ranking, 0))
    return min(max(q.value(material, "auc") + (-half if q.part == "low" else half), 0.0), 1.0)


def mean_limit(*, student: bool) -> Formula:
    """Return the limit of a mean over the cases: the normal or Student's quantile times the standard error."""

    def act(material: Material, q: PrintedQuantity) -> float:
        from scipy.special import stdtrit

        n = float(material.ranking.total)
        times = float(stdtrit(n - 1, (1 + _LEVEL) / 2)) if student else quantile(_LEVEL)
        half = times * q.error(material)
        return q.value(material) + (-half if q.part == "low" else half)

    return act


def error_with(less: int) -> Formula:
    """Return the standard error with the variance divided by n less 0 or 1."""
    return lambda material, q: q.error(material, less)


def hanley_mcneil_error(material: Material, q: PrintedQuantity) -> float:
    """Return the standard error of the AUC by Hanley and McNeil."""
    return math.sqrt(max(_hanley_mcneil(material, q), 0.0))


def _test_by_n(material: Material, _: PrintedQuantity) -> float:
    has_other = material.make_rows is not None and material.rows.other is not None
    return paired_p_value(material, 0) if has_other else math.nan


def one_sided_delong(material: Material, q: PrintedQuantity) -> float:
    """Return DeLong's limit when all of the error is on one side."""
    half = quantile(2 * _LEVEL - 1) * math.sqrt(float(np.nan_to_num(delong.variance(material.ranking))))
    return min(max(q.value(material, "auc") + (-half if q.part == "low" else half), 0.0), 1.0)


def one_sided_wilson(material: Material, q: PrintedQuantity) -> float:
    """Return Wilson's limit when all of the error is on one side."""
    return _end(q, *map(float, proportions.wilson(*_counts(material, q), 2 * _LEVEL - 1)))


def _of_auc(q: PrintedQuantity) -> bool:
    return q.is_limit and q.of == "auc"


def _of_mean(q: PrintedQuantity) -> bool:
    return q.is_limit and isinstance(q.measure.kind, MeanOfCases)  # type: ignore[union-attr]


def _error_by(less: int) -> Applies:
    """Return standard errors whose variance cutline divides by n less something else."""
    return lambda q: q.is_error and ONE_LESS[type(q.measure.kind)] != less  # type: ignore[union-attr]


_WHY = "Intervals of the same share differ by how they are made, most of all for few cases."
_AREA = "Intervals of the AUC differ by how its variance is found and on which scale it is used."
_MEAN = "The interval of a mean is made by the normal or by Student's distribution, or by resampling."
_DDOF = "A variance is divided by n or by n - 1, which shows for few cases."


_VARIANTS_BY = {
    "mcnemar_exact": "statsmodels' mcnemar, exact=True",
    "mcnemar_asymptotic": "statsmodels' mcnemar, exact=False, correction=False",
    "mcnemar_corrected": "R's mcnemar.test; mlxtend's mcnemar",
    "mcnemar_unpaired": "R's prop.test of two accuracies",
    "mcnemar_statistic": "statsmodels' mcnemar, exact=False, correction=False: statistic",
    "mcnemar_statistic_corrected": "R's mcnemar.test and mlxtend's mcnemar: the statistic",
    "delong_unpaired": "pROC::roc.test, paired=FALSE",
    "delong_one_sided": "pROC::roc.test, alternative='greater'",
}


def _variant(act: Callable[[Material], float]) -> Formula:
    return lambda material, _: act(material)


def _tests() -> tuple[Convention, ...]:
    return tuple(
        formula(f"{name}_{variant}", name, _variant(act), words,
                "Variants of one test give different p-values, most of all for few cases.", 0.5,
                _VARIANTS_BY[f"{name}_{variant}"])
        for name, test in TESTS.items()
        for variant, (words, act) in test.variants.items()
        if variant != test.chosen
    )  # fmt: skip


SIDES = (
    *(
        formula(f"limit_{method}", _of_proportion, _proportion(method), words, _WHY, p, source)
        for method, words, p, source in (
            ("wald", "by Wald's interval, cut at 0 and 1", 0.5, "statsmodels' proportion_confint, method='normal'"),
            ("wilson", "by Wilson's interval", 0.5, "statsmodels' proportion_confint, method='wilson'"),
            ("clopper_pearson", "by the interval of Clopper and Pearson", 0.5, "R's binom.test; caret"),
            ("agresti_coull", "by the interval of Agresti and Coull", 0.35, "statsmodels, method='agresti_coull'"),
            ("jeffreys", "by Jeffreys' interval", 0.3, "Brown, Cai and DasGupta 2001"),
        )
    ),
    formula("limit_jeffreys_open", _of_proportion, jeffreys_everywhere, "by Jeffreys' interval, also at the ends",
            _WHY, 0.3, "statsmodels, method='jeffreys'"),
    formula("mcnemar_corrected_open", "mcnemar", corrected_everywhere,
            "by the chi-square test whose correction stays where both counts are equal",
            "With equal counts the correction makes a difference out of none.", 0.3,
                "statsmodels' mcnemar, exact=False"),
    formula("limit_wald_open", _of_proportion, unclipped_wald, "by Wald's interval", _WHY, 0.4, "hand-written code"),
    formula("limit_wilson_corrected", _of_proportion, wilson_corrected,
            "by Wilson's interval with continuity correction",
            _WHY, 0.45, "R's prop.test"),
    formula("limit_logit", _of_proportion, logit_wald, "by Wald's interval of the log odds", _WHY, 0.25,
            "survey::svyciprop"),
    *(
        formula(f"limit_{method}", _of_area, _by(method), words, _AREA, p, source)
        for method, words, p, source in (
            ("delong", "by DeLong's interval, cut at 0 and 1", 0.55, "pROC::ci.auc"),
            ("delong_logit", "by DeLong's interval of the log odds", 0.35, "presize; Stata's roctab"),
            ("newcombe", "by Newcombe's interval", 0.2, "Newcombe 2006"),
            ("newcombe_delong", "by Newcombe's interval with DeLong's variance", 0.15, "docs/intervals.md"),
        )
    ),
    formula("limit_delong_open", _of_auc, unclipped_delong, "by DeLong's interval", _AREA, 0.4, "hand-written code"),
    formula("limit_delong_one_sided", _of_auc, one_sided_delong, "by DeLong's interval, one-sided", _AREA, 0.3,
            "gates and non-inferiority studies"),
    formula("limit_wilson_one_sided", _of_proportion, one_sided_wilson, "by Wilson's interval, one-sided", _WHY, 0.3,
            "gates and non-inferiority studies"),
    formula("limit_hanley_mcneil", _of_auc, hanley_mcneil, "by the interval of Hanley and McNeil", _AREA, 0.4,
            "Hanley and McNeil 1982; MedCalc"),
    formula("limit_delong_by_n", _of_auc, delong_by_n, "by DeLong's interval with variances divided by n",
            _DDOF, 0.3, "numpy's var and std, ddof=0"),
    formula("limit_mean_normal", _of_mean, mean_limit(student=False), "by 1.96 standard errors of the mean", _MEAN,
            0.45, "hand-written code"),
    formula("limit_mean_student", _of_mean, mean_limit(student=True), "by Student's quantile times the standard error",
            _MEAN, 0.4, "scipy.stats.t.interval; R's t.test"),
    formula("error_by_n", _error_by(0), error_with(0), "with the variance divided by n instead of n - 1", _DDOF, 0.45,
            "numpy's std, ddof=0"),
    formula("error_by_n_less_1", _error_by(1), error_with(1), "with the variance divided by n - 1 instead of n", _DDOF,
            0.45, "R's sd; pandas' sem; scipy.stats.sem"),
    formula("error_hanley_mcneil", lambda q: q.is_error and q.of == "auc", hanley_mcneil_error,
            "by the formula of Hanley and McNeil", _AREA, 0.45, "Hanley and McNeil 1982; MedCalc"),
    formula("delong_by_n", "delong", _test_by_n, "by DeLong's paired test with variances divided by n", _DDOF, 0.35,
            "numpy's var and cov, ddof=0 or bias=True"),
    *_tests(),
)  # fmt: skip
