"""Methods for intervals of one model, and the table of the methods of each quantity.

`DEFAULTS` has a row for each quantity: its default is the first method of the row whose condition holds.
`BY_NAME` has the methods that a regulator, a paper or another package may require: they are never chosen by default.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

from cutline.inference.quantities import Quantity, always, choose_default
from cutline.inference.single import auc, bootstrap, calibration_error, one_cut, reference, smooth
from cutline.inference.single import smoothed_bootstrap as smoothed
from cutline.inference.single.curve_points import curve_point_limits
from cutline.inference.single.estimand import Estimand
from cutline.measures.forms import CurvePoint, MeanOfCases, RankStatistic, VarianceFormula
from cutline.results.method_titles import format_method

Predicate = Callable[[Estimand], bool]
Engine = Literal["formula", "bootstrap", "inversion", "smoothed"]


@dataclass(frozen=True)
class Method:
    """A method for intervals.

    `limits` is what the engine calls: a formula gets the estimand and the level, a bootstrap method the values on
    resamples. `applies` is the condition for a choice by name, `by_rule` that of a row of `DEFAULTS`. `allows_for` says
    what else than independent cases of equal weight the limits allow for: "weights" (by effective sample sizes), or a
    "design" of groups, strata and weights. `settles_caveat`: the caveat of the measure's definition is not true of it.
    """

    name: str
    source: str
    limits: Callable[..., Any]
    engine: Engine = "formula"
    applies: Predicate = always
    by_rule: Predicate = always
    allows_for: Literal["", "weights", "design"] = ""
    settles_caveat: bool = False

    @property
    def title(self) -> str:
        """Return the title of the method."""
        return format_method(self.name)

    def when(self, holds: Predicate) -> Method:
        """Return the method as an entry of a row of defaults that is chosen only under a condition."""
        return replace(self, by_rule=holds)


def is_plain(estimand: Estimand) -> bool:
    """Whether the cases were sampled one by one."""
    return estimand.design is None


def is_plain_sample_of_counts(estimand: Estimand) -> bool:
    """Whether the cases were sampled one by one, and each weighs a whole number."""
    return is_plain(estimand) and estimand.ranking.integral


def has_both_classes(estimand: Estimand) -> bool:
    """Whether there are cases of both classes."""
    return bool(estimand.ranking.positives > 0 and estimand.ranking.negatives > 0)


def has_limits_of_every_cut(estimand: Estimand) -> bool:
    """Whether MOVER is the default of a point of a curve: not with groups, unless the cut is searched for.

    Resamples do not show how far a cut that is searched for may move.
    """
    design = estimand.design
    return design is None or (design.are_single and estimand.form_as(CurvePoint).is_searched)


def can_be_smoothed(estimand: Estimand) -> bool:
    """Whether there are whole cases of both classes."""
    return estimand.ranking.integral and has_both_classes(estimand)


def has_influence_values(estimand: Estimand) -> bool:
    """Whether the order of the cases has an influence function that can be computed."""
    return estimand.is_of_order and estimand.influence is not None


def has_influence_formula(estimand: Estimand) -> bool:
    """Whether the definition of the measure gives its influence function."""
    return is_plain(estimand) and isinstance(estimand.form, MeanOfCases | RankStatistic)


def has_many_cases(estimand: Estimand) -> bool:
    """Whether there are so many cases, one by one, that resamples would only add noise."""
    return is_plain(estimand) and smooth.has_many_cases(estimand)


def has_few_at_quota(estimand: Estimand) -> bool:
    """Whether a quota has so few cases of a kind that resamples hardly vary."""
    return is_plain(estimand) and one_cut.has_few_at_quota(estimand)


# ---------------------------------------------------------------------- default methods

BROWN = "Wilson 1927; Brown, Cai and DasGupta 2001"
WILSON = Method("wilson_modified", BROWN, one_cut.wilson_limits)
SQUARE_AND_ADD = Method("square_and_add", "Newcombe 1998", one_cut.square_and_add_limits)
RATIO = Method("mover", "Donner and Zou 2012", one_cut.mover_ratio_limits)
ODDS = Method("log", "Woolf 1955", one_cut.log_ratio_limits)
# For three shares MOVER is our extension of Zou and Donner's, who have two.
THREE_SHARES = Method("mover", "after Zou and Donner 2008", one_cut.mover_limits_of_cut)
POINT = Method("mover", "Thompson 1936; after Zou and Donner 2008", curve_point_limits, allows_for="weights")
QUOTA = Method("mover", "after Zou and Donner 2008", one_cut.quota_limits, applies=has_few_at_quota)
PREVALENCE = Method("wilson", "Wilson 1927", one_cut.prevalence_limits)
PAIRS = Method("wilson", "Wilson 1927; DeLong et al. 1988", auc.pairs_limits)

DELONG = Method(
    "delong_student", "DeLong et al. 1988; Brunner and Munzel 2000; Newcombe 2006", auc.delong_student_limits
)

STUDENT = Method("student", "Efron 1979; Satterthwaite 1946", bootstrap.student_limits, "bootstrap")
STUDENT_OF_LOSS = replace(STUDENT, limits=bootstrap.student_limits_of_loss)
STUDENT_OF_TOP = replace(STUDENT, limits=bootstrap.student_limits_of_top)
STUDENT_WITH_OPEN_ENDS = replace(STUDENT, limits=bootstrap.student_limits_with_open_ends)
# With many cases the influence function gives the same standard error as resamples, at once.
JAECKEL = "Jaeckel 1972 (infinitesimal jackknife)"
INFLUENCE = Method("influence", JAECKEL, smooth.influence_limits_of_order, applies=lambda e: e.is_of_order)
INFLUENCE_OF_MEAN = Method("influence", JAECKEL, smooth.influence_limits_of_mean)
INFLUENCE_OF_CUT = Method("influence", JAECKEL, one_cut.influence_limits)
# The same with fewer cases, where nothing may be resampled and the influence function has a formula.
INFLUENCE_STUDENT = Method(
    *("influence_student", "Jaeckel 1972; Satterthwaite 1946", smooth.influence_student_limits),
    applies=has_influence_formula,
)

SMOOTHED = Method(
    *("smoothed", "Bantis, Nakas and Reiser 2019", smoothed.estimate_smoothed, "smoothed"), applies=can_be_smoothed
)
BIAS_CORRECTED = Method("bias_corrected", "Efron 1979", bootstrap.bias_corrected_limits, "bootstrap")

INVERSION = Method(
    *("inversion", "Dimitriadis, Gneiting and Jordan 2021 (the curve)", calibration_error.invert_tests, "inversion"),
    applies=has_both_classes,
)


def _declared_variance(name: str, source: str, **more: Any) -> Method:
    """Return the method for measures that declare a variance of this name."""
    limits = partial(smooth.declared_variance_limits, method=name)
    return Method(name, source, limits, applies=lambda e: name in e.form_as(VarianceFormula).methods, **more)


SANDWICH = _declared_variance("sandwich", "MacKinnon and White 1985 (HC3)")
DELTA = _declared_variance("delta", "Debray et al. 2017", settles_caveat=True)

LINEAR_SHARE = Method("linearised", "Binder 1983", one_cut.linearised_share_limits, allows_for="design")
LINEAR_RATIO = replace(LINEAR_SHARE, limits=one_cut.linearised_ratio_limits)
LINEAR_CUT = replace(LINEAR_SHARE, limits=one_cut.mover_limits_of_cut)
LINEAR_AUC = replace(LINEAR_SHARE, limits=auc.linearised_limits)
LINEAR_MEAN = replace(
    LINEAR_SHARE, limits=smooth.linearised_limits_of_mean, applies=lambda estimand: math.isfinite(estimand.value)
)
LINEAR_ORDER = replace(LINEAR_SHARE, limits=smooth.linearised_limits_of_order, applies=has_influence_values)

# ---------------------------------------------------------------------- reference methods

BOOTSTRAP = Method("bootstrap", "Efron 1979", bootstrap.percentile_limits, "bootstrap")
BCA = Method("bca", "Efron 1987", bootstrap.bca_limits, "bootstrap")
SHARES = tuple(
    Method(name, source, partial(one_cut.share_limits, formula=formula))
    for name, source, formula in reference.REFERENCE_METHODS
)
AREAS = (
    Method("newcombe_delong", "Newcombe 2006; DeLong et al. 1988", auc.newcombe_delong_limits),
    Method("delong_logit", "DeLong et al. 1988", auc.delong_logit_limits),
    Method("delong", "DeLong et al. 1988", auc.delong_limits),
    Method("newcombe", "Newcombe 2006", auc.newcombe_limits),
)
KATZ = Method("log", "Katz et al. 1978", one_cut.log_ratio_limits)
LIKELIHOOD = _declared_variance("likelihood", "Cox 1958")
LOG_OE = _declared_variance("log", "Debray et al. 2017")

# ---------------------------------------------------------------------- the two tables

# The default of a quantity is the first method of its row whose condition holds.
DEFAULTS: Mapping[Quantity, tuple[Method, ...]] = {
    Quantity.SHARE: (WILSON.when(is_plain_sample_of_counts), LINEAR_SHARE),
    Quantity.SUM_OF_SHARES: (SQUARE_AND_ADD.when(is_plain_sample_of_counts), LINEAR_CUT),
    Quantity.RATIO: (RATIO.when(is_plain_sample_of_counts), LINEAR_RATIO),
    Quantity.ODDS_RATIO: (ODDS.when(is_plain_sample_of_counts), LINEAR_RATIO),
    Quantity.THREE_SHARES: (THREE_SHARES.when(is_plain_sample_of_counts), LINEAR_CUT),
    Quantity.AT_QUOTA: (INFLUENCE.when(has_many_cases), QUOTA, BOOTSTRAP),
    Quantity.AUC: (DELONG.when(is_plain), LINEAR_AUC),
    Quantity.CURVE_POINT: (POINT.when(has_limits_of_every_cut), STUDENT),
    Quantity.MEAN: (
        INFLUENCE_OF_MEAN.when(has_many_cases),
        LINEAR_MEAN.when(lambda estimand: not is_plain(estimand)),
        STUDENT,
    ),
    Quantity.SMOOTH: (INFLUENCE.when(has_many_cases), STUDENT),
    Quantity.GAIN_OF_LIKELIHOOD: (STUDENT_OF_LOSS,),
    Quantity.TOP_OF_LIST: (INFLUENCE.when(has_many_cases), STUDENT_OF_TOP),
    Quantity.OPEN_ENDS: (INFLUENCE.when(has_many_cases), STUDENT_WITH_OPEN_ENDS),
    Quantity.BEST_OF_CUTS: (INFLUENCE.when(has_many_cases), SMOOTHED.when(is_plain), BIAS_CORRECTED),
    Quantity.CALIBRATION_ERROR: (INVERSION, STUDENT),
    Quantity.STANDARD_ERROR: (DELTA.when(is_plain), SANDWICH.when(is_plain), STUDENT),
    Quantity.PREVALENCE: (PREVALENCE.when(is_plain), STUDENT),
    Quantity.PAIRS: (PAIRS.when(is_plain), STUDENT),
    # The range of a user's function is unknown, so that it has no scale.
    Quantity.OWN: (BOOTSTRAP.when(is_plain), STUDENT),
}
_PERCENTILES = (BOOTSTRAP, BCA)
_AT_A_CUT = (*_PERCENTILES, STUDENT, INFLUENCE_OF_CUT)
# Other methods that can be chosen by name.
BY_NAME: Mapping[Quantity, tuple[Method, ...]] = {
    **dict.fromkeys(Quantity, _PERCENTILES),
    Quantity.SHARE: (*SHARES, *_AT_A_CUT),
    Quantity.SUM_OF_SHARES: (THREE_SHARES, *_AT_A_CUT),
    Quantity.RATIO: (KATZ, *_AT_A_CUT),
    Quantity.ODDS_RATIO: (THREE_SHARES, *_AT_A_CUT),
    Quantity.THREE_SHARES: _AT_A_CUT,
    Quantity.AT_QUOTA: (BCA, STUDENT, LINEAR_ORDER),
    Quantity.AUC: (*AREAS, *_PERCENTILES, STUDENT, INFLUENCE),
    Quantity.CURVE_POINT: (*_PERCENTILES, INFLUENCE, LINEAR_ORDER),
    Quantity.MEAN: (*_PERCENTILES, INFLUENCE_STUDENT),
    Quantity.SMOOTH: (*_PERCENTILES, INFLUENCE_STUDENT, LINEAR_ORDER),
    Quantity.TOP_OF_LIST: (*_PERCENTILES, LINEAR_ORDER),
    Quantity.OPEN_ENDS: (*_PERCENTILES, LINEAR_ORDER),
    Quantity.BEST_OF_CUTS: (*_PERCENTILES, STUDENT, LINEAR_ORDER),
    Quantity.STANDARD_ERROR: (LOG_OE, LIKELIHOOD, *_PERCENTILES),
}
TABLE = {quantity: (*row, *BY_NAME[quantity]) for quantity, row in DEFAULTS.items()}
NAMES = frozenset(method.name for methods in TABLE.values() for method in methods)


def applicable_methods(estimand: Estimand) -> tuple[Method, ...]:
    """Return the methods that can be chosen by name, the defaults first."""
    return tuple(method for method in TABLE[estimand.quantity] if method.applies(estimand))


def default_method(estimand: Estimand) -> Method:
    """Return the default method of a measure."""
    return choose_default(DEFAULTS[estimand.quantity], estimand)


def default_without_resamples(estimand: Estimand) -> Method | None:
    """Return the default method without resampling; None if no formula is as good."""
    method = default_method(estimand)
    if method.engine == "formula":
        return method
    return INFLUENCE_STUDENT if has_influence_formula(estimand) else None
