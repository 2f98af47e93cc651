"""The methods of intervals of one model: an object each, the table of defaults, and that of reference methods.

The default of a quantity is the first method of its row of `DEFAULTS` that applies and that the rule allows. Those of
`BY_NAME` are for whoever asks for them, as a regulator, a paper or another package does; no rule chooses them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

from cutline.inference.quantities import Quantity, always, choose_by_rule
from cutline.inference.resampling.samplers import GroupSampler
from cutline.inference.single import auc, bootstrap, calibration_error, closed_forms, proportions, reference, separation
from cutline.inference.single import smoothed_bootstrap as smoothed
from cutline.inference.single.curve_points import curve_point_limits
from cutline.inference.single.estimand import Estimand
from cutline.measures.forms import CurvePoint, MeanOfCases, RankStatistic, VarianceFormula
from cutline.results.method_titles import format_method

Condition = Callable[[Estimand, GroupSampler | None], bool]
Engine = Literal["formula", "bootstrap", "inversion", "smoothed"]


@dataclass(frozen=True)
class Method:
    """A way to make an interval.

    `limits` is what its engine calls: a formula has the estimand, the level and the groups; a bootstrap method the
    values on resamples. `applies` says where it may be asked for by name, `by_rule` where a row of defaults chooses it.
    `knows_design`: it allows for groups, strata and sampling weights; `knows_weights`: for weights alone, by Kish's
    effective sizes. `settles_caveat`: what the definition of the
    measure says of its intervals does not hold for this one.
    """

    name: str
    source: str
    limits: Callable[..., Any]
    engine: Engine = "formula"
    applies: Condition = always
    by_rule: Condition = always
    knows_design: bool = False
    knows_weights: bool = False
    settles_caveat: bool = False

    @property
    def title(self) -> str:
        """Return the method as people read it."""
        return format_method(self.name)


def _is_plain(estimand: Estimand, groups: GroupSampler | None) -> bool:  # noqa: ARG001
    return groups is None


def _is_known_at_once(estimand: Estimand, groups: GroupSampler | None) -> bool:
    """Whether MOVER is for a point of a curve: resamples do not show how far a cut that is searched for may move."""
    return groups is None or (groups.are_single and estimand.form_as(CurvePoint).is_searched)


def _is_sampled_by_design(estimand: Estimand, groups: GroupSampler | None) -> bool:  # noqa: ARG001
    return groups is not None


def _is_of_whole_cases(estimand: Estimand, groups: GroupSampler | None) -> bool:
    return groups is None and estimand.ranking.integral


def _has_design(estimand: Estimand, groups: GroupSampler | None) -> bool:
    return groups is not None or not estimand.ranking.integral


def _is_finite(estimand: Estimand, groups: GroupSampler | None) -> bool:  # noqa: ARG001
    return math.isfinite(estimand.value)


def _has_both_classes(estimand: Estimand, groups: GroupSampler | None) -> bool:  # noqa: ARG001
    return bool(estimand.ranking.positives > 0 and estimand.ranking.negatives > 0)


def _can_be_smoothed(estimand: Estimand, groups: GroupSampler | None) -> bool:
    return estimand.ranking.integral and _has_both_classes(estimand, groups)


def _is_of_order(estimand: Estimand, groups: GroupSampler | None) -> bool:  # noqa: ARG001
    return estimand.is_of_order


def _has_slope(estimand: Estimand, groups: GroupSampler | None) -> bool:  # noqa: ARG001
    return estimand.is_of_order and estimand.influence is not None


def _has_influence_function(estimand: Estimand, groups: GroupSampler | None) -> bool:
    return groups is None and isinstance(estimand.form, MeanOfCases | RankStatistic)


def _is_plentiful(estimand: Estimand, groups: GroupSampler | None) -> bool:
    return groups is None and closed_forms.is_plentiful(estimand)


def _has_few_at_quota(estimand: Estimand, groups: GroupSampler | None) -> bool:
    return groups is None and separation.few_at_quota(estimand)


# ---------------------------------------------------------------------- six methods, by what they are used on

BROWN = "Wilson 1927; Brown, Cai and DasGupta 2001"
WILSON = Method("wilson_modified", BROWN, closed_forms.wilson_share, by_rule=_is_of_whole_cases)
SQUARE_AND_ADD = Method("square_and_add", "Newcombe 1998", closed_forms.sum_of_shares, by_rule=_is_of_whole_cases)
RATIO = Method("mover", "Donner and Zou 2012", closed_forms.ratio_of_shares, by_rule=_is_of_whole_cases)
ODDS = Method("log", "Woolf 1955", closed_forms.log_ratio, by_rule=_is_of_whole_cases)
# For three shares MOVER is our extension of Zou and Donner's, who have two.
THREE_SHARES = Method("mover", "after Zou and Donner 2008", closed_forms.three_shares, by_rule=_is_of_whole_cases)
POINT = Method(
    *("mover", "Thompson 1936; after Zou and Donner 2008", curve_point_limits),
    by_rule=_is_known_at_once,
    knows_weights=True,
)
QUOTA = Method("mover", "after Zou and Donner 2008", separation.at_quota, applies=_has_few_at_quota)
OF_PREVALENCE = Method("wilson", "Wilson 1927", proportions.of_prevalence, by_rule=_is_plain)
OF_PAIRS = Method("wilson", "Wilson 1927; DeLong et al. 1988", proportions.of_pairs, by_rule=_is_plain)

DELONG = Method(
    "delong_student", "DeLong et al. 1988; Brunner and Munzel 2000; Newcombe 2006", auc.student, by_rule=_is_plain
)

STUDENT = Method("student", "Efron 1979; Satterthwaite 1946", bootstrap.studentised, "bootstrap")
LOSS = replace(STUDENT, limits=bootstrap.student_of_loss)
TOP = replace(STUDENT, limits=bootstrap.student_of_top)
OPEN_ENDS = replace(STUDENT, limits=bootstrap.student_with_open_ends)
# With many cases the influence function gives the same standard error as resamples, at once.
JAEKEL = "Jaeckel 1972 (infinitesimal jackknife)"
INFLUENCE = Method("influence", JAEKEL, closed_forms.influence_of_order, applies=_is_of_order, by_rule=_is_plentiful)
OF_MEAN = replace(INFLUENCE, limits=closed_forms.influence_of_mean, applies=always)
# The same with fewer cases, where nothing may be resampled and the influence function has a formula.
BY_INFLUENCE = Method(
    *("influence_student", "Jaeckel 1972; Satterthwaite 1946", closed_forms.student_of_influence),
    applies=_has_influence_function,
)
OF_CUT = replace(INFLUENCE, limits=closed_forms.influence_of_cut, applies=always)

SMOOTHED = Method(
    *("smoothed", "Bantis, Nakas and Reiser 2019", smoothed.estimate_smoothed, "smoothed"),
    applies=_can_be_smoothed,
    by_rule=_is_plain,
)
BIAS_CORRECTED = Method("bias_corrected", "Efron 1979", bootstrap.without_bias, "bootstrap")

INVERSION = Method(
    *("inversion", "Dimitriadis, Gneiting and Jordan 2021 (the curve)", calibration_error.invert_tests, "inversion"),
    applies=_has_both_classes,
)


def _by_declared_variance(name: str, source: str, **more: Any) -> Method:
    """Return a method that applies where the measure declares a variance of its name."""

    def applies(estimand: Estimand, groups: GroupSampler | None) -> bool:  # noqa: ARG001
        return name in estimand.form_as(VarianceFormula).methods

    return Method(name, source, partial(closed_forms.by_standard_error, method=name), applies=applies, **more)


SANDWICH = _by_declared_variance("sandwich", "MacKinnon and White 1985 (HC3)", by_rule=_is_plain)
DELTA = _by_declared_variance("delta", "Debray et al. 2017", by_rule=_is_plain, settles_caveat=True)

BINDER = "Binder 1983"
LINEAR_SHARE = Method("linearised", BINDER, closed_forms.linearised_share, by_rule=_has_design, knows_design=True)
LINEARISED = replace(LINEAR_SHARE, limits=closed_forms.linearised_order, applies=_has_slope)
LINEAR_RATIO = replace(LINEAR_SHARE, limits=closed_forms.linearised_ratio)
LINEAR_CUT = replace(LINEAR_SHARE, limits=closed_forms.three_shares)
LINEAR_AUC = replace(LINEAR_SHARE, limits=auc.linearised, by_rule=_is_sampled_by_design)
LINEAR_MEAN = replace(LINEAR_AUC, limits=closed_forms.linearised_mean, applies=_is_finite)

# ---------------------------------------------------------------------- reference methods

BOOTSTRAP = Method("bootstrap", "Efron 1979", bootstrap.percentiles, "bootstrap")
BCA = Method("bca", "Efron 1987", bootstrap.accelerated, "bootstrap")
SHARES = tuple(
    Method(name, source, partial(closed_forms.share_by, formula=formula))
    for name, source, formula in reference.REFERENCE_METHODS
)
AREAS = (
    Method("newcombe_delong", "Newcombe 2006; DeLong et al. 1988", auc.wider_of_two),
    Method("delong_logit", "DeLong et al. 1988", auc.logit),
    Method("delong", "DeLong et al. 1988", auc.plain),
    Method("newcombe", "Newcombe 2006", auc.newcombe),
)
KATZ = Method("log", "Katz et al. 1978", closed_forms.log_ratio)
LIKELIHOOD = _by_declared_variance("likelihood", "Cox 1958")
LOG_OE = _by_declared_variance("log", "Debray et al. 2017")

# ---------------------------------------------------------------------- the two tables

DEFAULTS: Mapping[Quantity, tuple[Method, ...]] = {
    Quantity.SHARE: (WILSON, LINEAR_SHARE),
    Quantity.SUM_OF_SHARES: (SQUARE_AND_ADD, LINEAR_CUT),
    Quantity.RATIO: (RATIO, LINEAR_RATIO),
    Quantity.ODDS_RATIO: (ODDS, LINEAR_RATIO),
    Quantity.THREE_SHARES: (THREE_SHARES, LINEAR_CUT),
    Quantity.AT_QUOTA: (INFLUENCE, QUOTA, BOOTSTRAP),
    Quantity.AUC: (DELONG, LINEAR_AUC),
    Quantity.CURVE_POINT: (POINT, STUDENT),
    Quantity.MEAN: (OF_MEAN, LINEAR_MEAN, STUDENT),
    Quantity.SMOOTH: (INFLUENCE, STUDENT),
    Quantity.GAIN_OF_LIKELIHOOD: (LOSS,),
    Quantity.TOP_OF_LIST: (INFLUENCE, TOP),
    Quantity.OPEN_ENDS: (INFLUENCE, OPEN_ENDS),
    Quantity.BEST_OF_CUTS: (INFLUENCE, SMOOTHED, BIAS_CORRECTED),
    Quantity.CALIBRATION_ERROR: (INVERSION, STUDENT),
    Quantity.STANDARD_ERROR: (DELTA, SANDWICH, STUDENT),
    Quantity.PREVALENCE: (OF_PREVALENCE, STUDENT),
    Quantity.PAIRS: (OF_PAIRS, STUDENT),
    # Nobody knows the range of such a function, so that it has no scale.
    Quantity.OWN: (replace(BOOTSTRAP, by_rule=_is_plain), STUDENT),
}
_PERCENTILES = (BOOTSTRAP, BCA)
_AT_A_CUT = (*_PERCENTILES, STUDENT, OF_CUT)
# What may be asked for by name besides.
BY_NAME: Mapping[Quantity, tuple[Method, ...]] = {
    **dict.fromkeys(Quantity, _PERCENTILES),
    Quantity.SHARE: (*SHARES, *_AT_A_CUT),
    Quantity.SUM_OF_SHARES: (THREE_SHARES, *_AT_A_CUT),
    Quantity.RATIO: (KATZ, *_AT_A_CUT),
    Quantity.ODDS_RATIO: (THREE_SHARES, *_AT_A_CUT),
    Quantity.THREE_SHARES: _AT_A_CUT,
    Quantity.AT_QUOTA: (BCA, STUDENT, LINEARISED),
    Quantity.AUC: (*AREAS, *_PERCENTILES, STUDENT, INFLUENCE),
    Quantity.CURVE_POINT: (*_PERCENTILES, INFLUENCE, LINEARISED),
    Quantity.MEAN: (*_PERCENTILES, BY_INFLUENCE),
    Quantity.SMOOTH: (*_PERCENTILES, BY_INFLUENCE, LINEARISED),
    Quantity.TOP_OF_LIST: (*_PERCENTILES, LINEARISED),
    Quantity.OPEN_ENDS: (*_PERCENTILES, LINEARISED),
    Quantity.BEST_OF_CUTS: (*_PERCENTILES, STUDENT, LINEARISED),
    Quantity.STANDARD_ERROR: (LOG_OE, LIKELIHOOD, *_PERCENTILES),
}
TABLE = {quantity: (*row, *BY_NAME[quantity]) for quantity, row in DEFAULTS.items()}
NAMES = frozenset(method.name for methods in TABLE.values() for method in methods)


def methods_of(estimand: Estimand, groups: GroupSampler | None = None) -> tuple[Method, ...]:
    """Return the methods that may be asked for by name, those of the rule first.

    Args:
        estimand: What is estimated.
        groups: How the cases were sampled, if not one by one.
    """
    return tuple(method for method in TABLE[estimand.quantity] if method.applies(estimand, groups))


def default(estimand: Estimand, groups: GroupSampler | None = None) -> Method:
    """Return the method of the rule.

    Args:
        estimand: What is estimated.
        groups: How the cases were sampled, if not one by one.
    """
    return choose_by_rule(DEFAULTS[estimand.quantity], estimand, groups)


def without_resamples(estimand: Estimand, groups: GroupSampler | None = None) -> Method | None:
    """Return the method of the rule where nothing may be resampled; None if no formula is as good.

    Args:
        estimand: What is estimated.
        groups: How the cases were sampled, if not one by one.
    """
    method = default(estimand, groups)
    if method.engine == "formula":
        return method
    return BY_INFLUENCE if BY_INFLUENCE.applies(estimand, groups) else None
