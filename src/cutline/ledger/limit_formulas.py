"""Formulas of the limits of intervals, of standard errors and of p-values, exact or from a bootstrap."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.caching import cached_value
from cutline.inference import delong
from cutline.inference.resampling.bootstrap import bca, bootstrap, compute_accelerations, percentile
from cutline.inference.resampling.samplers import CaseSampler
from cutline.inference.single import proportions, reference
from cutline.inference.single.estimand import Estimand
from cutline.ledger.cases import Material
from cutline.ledger.convention import Applies, Convention, Formula, Stage, formula
from cutline.ledger.errors_and_tests import (
    ONE_LESS,
    TESTS,
    compute_area_variance,
    compute_paired_p_value,
    count_discordance,
)
from cutline.ledger.quantity import PrintedQuantity
from cutline.measures import Needs
from cutline.measures.forms import LinearInAuc, MeanOfCases, Proportion
from cutline.results.estimate import Limits, quantile

_LEVEL = 0.95


def _is_of_proportion(q: PrintedQuantity) -> bool:
    return q.is_limit and isinstance(q.form, Proportion)


def _is_of_area(q: PrintedQuantity) -> bool:
    return q.is_limit and isinstance(q.form, LinearInAuc)


def _by(method: str) -> Formula:
    return lambda material, q: q.limit(material, method)


def _counts(material: Material, q: PrintedQuantity) -> tuple[float, float]:
    k, n = q.proportion.of(material.counts)
    return float(k), float(n)


def _end(q: PrintedQuantity, low: float, high: float) -> float:
    """Return the limit, cut at 0 and 1; low and high change places where the measure falls as the share grows."""
    ends = sorted(float(q.proportion.then(min(max(limit, 0.0), 1.0))) for limit in (low, high))
    return ends[0 if q.part == "low" else 1]


def _make_proportion_limit(method: str) -> Formula:
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
    table = count_discordance(material)
    both = table.first + table.second
    return float(chdtrc(1, (abs(table.first - table.second) - 1) ** 2 / both)) if both else math.nan


def unclipped_wald(material: Material, q: PrintedQuantity) -> float:
    """Return Wald's limit, which may lie outside [0, 1]."""
    k, n = _counts(material, q)
    ends = sorted(float(q.proportion.then(limit)) for limit in reference.wald(k, n, _LEVEL))
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


def invert_exact_test(material: Material, q: PrintedQuantity) -> float:
    """Return the limits at which the two-sided exact binomial test has a p-value of 0.05."""
    from scipy.optimize import brentq
    from scipy.stats import binomtest

    k, n = _counts(material, q)
    if k % 1 or n % 1 or not n:
        return math.nan

    def compute_excess(share: float) -> float:
        return float(binomtest(int(k), int(n), share).pvalue) - (1 - _LEVEL)

    low = 0.0 if k == 0 else float(brentq(compute_excess, 1e-12, k / n))
    high = 1.0 if k == n else float(brentq(compute_excess, k / n, 1 - 1e-12))
    return _end(q, low, high)


def _compute_hanley_mcneil_variance(material: Material, q: PrintedQuantity) -> float:
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
    variance = float(np.nan_to_num(delong.compute_variance(material.ranking)))
    half = quantile(_LEVEL) * math.sqrt(variance)
    return q.value(material, "auc") + (-half if q.part == "low" else half)


def delong_by_n(material: Material, q: PrintedQuantity) -> float:
    """Return DeLong's limit with the variances of both classes divided by n."""
    half = quantile(_LEVEL) * math.sqrt(compute_area_variance(material.ranking, 0))
    return min(max(q.value(material, "auc") + (-half if q.part == "low" else half), 0.0), 1.0)


def make_mean_limit(*, student: bool) -> Formula:
    """Return the limit of a mean over the cases: the normal or Student's quantile times the standard error."""

    def act(material: Material, q: PrintedQuantity) -> float:
        from scipy.special import stdtrit

        n = float(material.ranking.total)
        times = float(stdtrit(n - 1, (1 + _LEVEL) / 2)) if student else quantile(_LEVEL)
        half = times * q.error(material)
        return q.value(material) + (-half if q.part == "low" else half)

    return act


def make_error(less: int) -> Formula:
    """Return the standard error with the variance divided by n less 0 or 1."""
    return lambda material, q: q.error(material, less)


def hanley_mcneil_error(material: Material, q: PrintedQuantity) -> float:
    """Return the standard error of the AUC by Hanley and McNeil."""
    return math.sqrt(max(_compute_hanley_mcneil_variance(material, q), 0.0))


def _test_by_n(material: Material, _: PrintedQuantity) -> float:
    has_other = material.make_rows is not None and material.rows.other is not None
    return compute_paired_p_value(material, 0) if has_other else math.nan


def bound_by_delong(material: Material, q: PrintedQuantity) -> float:
    """Return DeLong's limit when all of the error is on one side."""
    half = quantile(2 * _LEVEL - 1) * math.sqrt(float(np.nan_to_num(delong.compute_variance(material.ranking))))
    return min(max(q.value(material, "auc") + (-half if q.part == "low" else half), 0.0), 1.0)


def bound_by_wilson(material: Material, q: PrintedQuantity) -> float:
    """Return Wilson's limit when all of the error is on one side."""
    return _end(q, *map(float, proportions.wilson(*_counts(material, q), 2 * _LEVEL - 1)))


def _is_of_auc(q: PrintedQuantity) -> bool:
    return q.is_limit and q.of == "auc"


def _is_of_mean(q: PrintedQuantity) -> bool:
    return q.is_limit and isinstance(q.form, MeanOfCases)


def _has_error_by(less: int) -> Applies:
    """Return standard errors whose variance cutline divides by n less something else."""
    return lambda q: q.is_error and ONE_LESS[type(q.definition.form)] != less


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
    "mcnemar_statistic_exact": "statsmodels' mcnemar, exact=True: statistic",
    "mcnemar_statistic_corrected": "R's mcnemar.test and mlxtend's mcnemar: the statistic",
    "delong_normal": "pROC::roc.test; DeLong and others 1988",
    "delong_unpaired": "pROC::roc.test, paired=FALSE",
    "delong_one_sided": "pROC::roc.test, alternative='greater'",
}


def _make_variant(act: Callable[[Material], float]) -> Formula:
    return lambda material, _: act(material)


def _declare_tests() -> tuple[Convention, ...]:
    return tuple(
        formula(f"{name}_{variant}", name, _make_variant(act), words,
                "Variants of one test give different p-values, most of all for few cases.", 0.5,
                _VARIANTS_BY[f"{name}_{variant}"])
        for name, test in TESTS.items()
        for variant, (words, act) in test.variants.items()
        if variant != test.chosen
    )  # fmt: skip


# ---------------------------------------------------------------------- bootstrap


_RESAMPLES, _OTHERS = 2000, 1000  # ours, and as few as other tools draw
_MOST_SCORES = 20_000  # distinct ones, from which on the resamples take longer than the rest of the search
_FAR = 2.576  # standard errors within which 99 % of all seeds lie


def _make_estimand(material: Material, q: PrintedQuantity) -> Estimand:
    where = {"threshold": material.threshold} if q.definition.needs is Needs.COUNTS else {}
    return Estimand.of_measure(q.definition, material.ranking, {**where, **q.parameters})


def _draw_replicates(material: Material, q: PrintedQuantity, *, stratified: bool = False) -> Array:
    """Return the sorted values on bootstrap samples; an empty array for a ranking that is too long."""
    r = material.ranking
    if len(r) > _MOST_SCORES:
        return np.empty(0)

    def resample() -> Array:
        replicates = bootstrap(
            CaseSampler(r, stratified), [_make_estimand(material, q).statistic], _RESAMPLES, 0
        ).values[0]
        return np.sort(replicates[np.isfinite(replicates)])

    replicates: Array = cached_value(r, ("ledger", q.of, str(q.parameters), material.threshold, stratified), resample)
    return replicates


def _make_bootstrap_limit(
    of: Callable[[Array, Material, PrintedQuantity], Limits | None], *, stratified: bool = False
) -> Formula:
    def act(material: Material, q: PrintedQuantity) -> float:
        draws = _draw_replicates(material, q, stratified=stratified)
        limits = of(draws, material, q) if len(draws) else None
        return math.nan if limits is None else float(getattr(limits, q.part))

    return act


def _compute_percentile_limits(draws: Array, _: Material, __: PrintedQuantity) -> Limits:
    return percentile(draws, _LEVEL)


def _compute_basic_limits(draws: Array, material: Material, q: PrintedQuantity) -> Limits:
    """Return the percentiles reflected at the value."""
    low, high = percentile(draws, _LEVEL)
    value = q.value(material)
    return Limits(2 * value - high, 2 * value - low)


def _compute_normal_limits(draws: Array, material: Material, q: PrintedQuantity) -> Limits:
    value, half = q.value(material), quantile(_LEVEL) * float(np.std(draws, ddof=1))
    return Limits(value - half, value + half)


def _compute_bca_limits(draws: Array, material: Material, q: PrintedQuantity) -> Limits | None:
    statistic = _make_estimand(material, q).statistic
    (acceleration,) = compute_accelerations(CaseSampler(material.ranking), [statistic], 0)
    return bca(draws, q.value(material), acceleration, _LEVEL)


def _compute_bootstrap_error(material: Material, q: PrintedQuantity) -> float:
    draws = _draw_replicates(material, q)
    return float(np.std(draws, ddof=1)) if len(draws) else math.nan


def _compute_seed_spread(material: Material, q: PrintedQuantity, *, of_quantile: bool) -> float:
    """Return how far 99 % of all seeds move the result.

    It is the error of a quantile of the bootstrap values, or of their standard deviation.
    """
    tail = (1 - _LEVEL) / 2
    z = quantile(_LEVEL)
    density = math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    unit = math.sqrt(tail * (1 - tail)) / density if of_quantile else (z if q.is_limit else 1.0) / math.sqrt(2)
    return _FAR * unit * math.sqrt(1 / _RESAMPLES + 1 / _OTHERS) * _compute_bootstrap_error(material, q)


def _is_limit(q: PrintedQuantity) -> bool:
    return q.is_limit


def _is_error(q: PrintedQuantity) -> bool:
    return q.is_error


_SEED = "Every seed draws other resamples."
_BOOTSTRAP = f"Bootstrap intervals of the same resamples differ by what is made of them. {_SEED}"


def _resampled(
    name: str, act: Formula, words: str, plausible: float, source: str, *, of: Applies = _is_limit
) -> Convention:
    spread = partial(_compute_seed_spread, of_quantile=name not in ("bootstrap_normal", "bootstrap_error"))
    return Convention(
        name,
        "formula",
        Stage.FORMULA,
        words,
        _BOOTSTRAP if of is _is_limit else _SEED,
        act,
        of,
        plausible,
        source,
        spread=spread,
    )


CONVENTIONS = (
    *(
        formula(f"limit_{method}", _is_of_proportion, _make_proportion_limit(method), words, _WHY, p, source)
        for method, words, p, source in (
            ("wald", "by Wald's interval, cut at 0 and 1", 0.5, "statsmodels' proportion_confint, method='normal'"),
            ("wilson", "by Wilson's interval", 0.5, "statsmodels' proportion_confint, method='wilson'"),
            ("clopper_pearson", "by the interval of Clopper and Pearson", 0.5, "R's binom.test; caret"),
            ("agresti_coull", "by the interval of Agresti and Coull", 0.35, "statsmodels, method='agresti_coull'"),
            ("jeffreys", "by Jeffreys' interval", 0.3, "Brown, Cai and DasGupta 2001"),
        )
    ),
    formula("limit_jeffreys_open", _is_of_proportion, jeffreys_everywhere, "by Jeffreys' interval, also at the ends",
            _WHY, 0.3, "statsmodels, method='jeffreys'"),
    formula("mcnemar_corrected_open", "mcnemar", corrected_everywhere,
            "by the chi-square test whose correction stays where both counts are equal",
            "With equal counts the correction makes a difference out of none.", 0.3,
                "statsmodels' mcnemar, exact=False"),
    formula("limit_wald_open", _is_of_proportion, unclipped_wald, "by Wald's interval", _WHY, 0.4, "hand-written code"),
    formula("limit_wilson_corrected", _is_of_proportion, wilson_corrected,
            "by Wilson's interval with continuity correction",
            _WHY, 0.45, "R's prop.test"),
    formula("limit_binomial_test", _is_of_proportion, invert_exact_test, "by inverting the exact binomial test", _WHY,
            0.3, "statsmodels' proportion_confint, method='binom_test'; R's exactci, tsmethod='minlike'"),
    formula("limit_logit", _is_of_proportion, logit_wald, "by Wald's interval of the log odds", _WHY, 0.25,
            "survey::svyciprop"),
    *(
        formula(f"limit_{method}", _is_of_area, _by(method), words, _AREA, p, source)
        for method, words, p, source in (
            ("delong", "by DeLong's interval, cut at 0 and 1", 0.55, "pROC::ci.auc"),
            ("delong_logit", "by DeLong's interval of the log odds", 0.35, "presize; Stata's roctab"),
            ("newcombe", "by Newcombe's interval", 0.2, "Newcombe 2006"),
            ("newcombe_delong", "by Newcombe's interval with DeLong's variance", 0.15, "docs/intervals.md"),
        )
    ),
    formula("limit_delong_open", _is_of_auc, unclipped_delong, "by DeLong's interval", _AREA, 0.4, "hand-written code"),
    formula("limit_delong_one_sided", _is_of_auc, bound_by_delong, "by DeLong's interval, one-sided", _AREA, 0.3,
            "gates and non-inferiority studies"),
    formula("limit_wilson_one_sided", _is_of_proportion, bound_by_wilson, "by Wilson's interval, one-sided", _WHY, 0.3,
            "gates and non-inferiority studies"),
    formula("limit_hanley_mcneil", _is_of_auc, hanley_mcneil, "by the interval of Hanley and McNeil", _AREA, 0.4,
            "Hanley and McNeil 1982; MedCalc"),
    formula("limit_delong_by_n", _is_of_auc, delong_by_n, "by DeLong's interval with variances divided by n",
            _DDOF, 0.3, "numpy's var and std, ddof=0"),
    formula("limit_mean_normal", _is_of_mean, make_mean_limit(student=False),
            "by 1.96 standard errors of the mean", _MEAN,
            0.45, "hand-written code"),
    formula("limit_mean_student", _is_of_mean, make_mean_limit(student=True),
            "by Student's quantile times the standard error",
            _MEAN, 0.4, "scipy.stats.t.interval; R's t.test"),
    formula("error_by_n", _has_error_by(0), make_error(0),
            "with the variance divided by n instead of n - 1", _DDOF, 0.45,
            "numpy's std, ddof=0"),
    formula("error_by_n_less_1", _has_error_by(1), make_error(1),
            "with the variance divided by n - 1 instead of n", _DDOF,
            0.45, "R's sd; pandas' sem; scipy.stats.sem"),
    formula("error_hanley_mcneil", lambda q: q.is_error and q.of == "auc", hanley_mcneil_error,
            "by the formula of Hanley and McNeil", _AREA, 0.45, "Hanley and McNeil 1982; MedCalc"),
    formula("delong_by_n", "delong", _test_by_n, "by DeLong's paired test with variances divided by n", _DDOF, 0.35,
            "numpy's var and cov, ddof=0 or bias=True"),
    *_declare_tests(),
    _resampled("bootstrap_percentile", _make_bootstrap_limit(_compute_percentile_limits),
               "by the percentiles of the bootstrap",
               0.5, "scipy.stats.bootstrap, method='percentile'"),
    _resampled("bootstrap_stratified", _make_bootstrap_limit(_compute_percentile_limits, stratified=True),
               "by the percentiles of a bootstrap that draws each class by itself", 0.4,
               "pROC::ci.auc, method='bootstrap'"),
    _resampled("bootstrap_bca", _make_bootstrap_limit(_compute_bca_limits), "by the BCa bootstrap", 0.4,
               "scipy.stats.bootstrap, method='BCa'"),
    _resampled("bootstrap_basic", _make_bootstrap_limit(_compute_basic_limits),
               "by the basic bootstrap (percentiles reflected at the value)", 0.25,
               "scipy.stats.bootstrap, method='basic'; R's boot.ci, type='basic'"),
    _resampled("bootstrap_normal", _make_bootstrap_limit(_compute_normal_limits),
               "by the standard deviation of the bootstrap times 1.96", 0.35, "R's boot.ci, type='norm'"),
    _resampled("bootstrap_error", _compute_bootstrap_error, "as the standard deviation of the bootstrap", 0.4,
               "scipy.stats.bootstrap, standard_error", of=_is_error),
)  # fmt: skip
