"""The methods for differences of two models on the same cases, and the table of defaults (`DEFAULTS`).

The rows are the kinds of quantities, as in the table for one model (`cutline.inference.methods`). The default test of a
quantity is the first method of its row that applies and that the rule allows; the default interval is that of the first
of these that has one. Both are read from one `Difference`, so that they agree at every level; McNemar's tests, which
have no interval, stand beside Tango's.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

import numpy as np

from cutline.core.counts import divide
from cutline.core.errors import ParameterError
from cutline.core.table import shown
from cutline.inference import constants, effective_size
from cutline.inference.caveats import (
    AT_A_QUOTA,
    EQUAL,
    IGNORES_THE_BIAS,
    NO_SPREAD,
    TOO_RARELY,
    WEIGHTS_GO_WITH_SCORES,
    has_spread,
    note_few_cases,
    note_few_resamples,
    note_redraws,
)
from cutline.inference.corrected import CorrectedDifference, subtract_corrected
from cutline.inference.differences.difference import (
    NullTest,
    Outcome,
    ResampledDifference,
    SeparateDifference,
    StudentDifference,
    has_interval,
)
from cutline.inference.differences.mcnemar import (
    PREDICTIVE_VALUES,
    MidpDifference,
    Variant,
    few_discordant,
    mcnemar,
    weighted_generalised_score,
)
from cutline.inference.differences.paired_values import PairedValues
from cutline.inference.permutation import exchange_models
from cutline.inference.quantities import Quantity, always, choose_default, find_by_name
from cutline.measures import MEASURES, LinearInAuc
from cutline.results.method_titles import format_method

NO_SIMULATED_SPREAD = "So few cases give simulations without any spread: there is no interval."
Condition = Callable[[PairedValues], bool]
Engine = Literal["formula", "resamples", "simulations"]


@dataclass(frozen=True)
class PairedMethod:
    """A way to compare two models on the same cases.

    `compare` returns the difference, from which intervals and tests at every level are read (`has_interval`), or the
    test of no difference alone. `applies` says where it may be asked for by name, `by_rule` where the rule may choose
    it, and `scope` for whom it is, in words. `knows_design`: it allows for groups, strata and sampling weights.
    """

    name: str
    source: str
    compare: Callable[[PairedValues], Outcome]
    has_interval: bool = True
    engine: Engine = "formula"
    applies: Condition = always
    by_rule: Condition = always
    scope: Callable[[], str] = lambda: "other measures"
    knows_design: bool = False

    @property
    def title(self) -> str:
        """The method as people read it."""
        return format_method(self.name)

    @property
    def is_random(self) -> bool:
        """Whether its results are from resamples or simulations."""
        return self.engine != "formula"


def _is_plentiful(pair: PairedValues) -> bool:
    fewest = min(effective_size.effective_sizes(pair.pairing.rankings[0]))
    return not pair.has_design and math.isfinite(pair.value) and fewest >= constants.PLENTY_FOR_A_DIFFERENCE


def _is_plain_with_errors(pair: PairedValues) -> bool:
    """Whether cases are plain, and the best cuts leave enough errors for resamples to show how they vary.

    With fewer, equal KS distances of 0.9 were told apart in 12 % of 450 samples.
    """
    (least, most), fewest = pair.measure.range, min(effective_size.effective_sizes(pair.pairing.rankings[0]))
    errors = float(fewest) * (most - max(pair.values)) / (most - least)
    return not pair.has_design and not errors < 2 * constants.FEW_DECISIONS


# ---------------------------------------------------------------------- by formula


def by_delong(pair: PairedValues) -> Outcome:
    """Return the difference of two AUCs with DeLong's variance.

    The quantile is normal, as DeLong's is, but Student's between versions of one model: the few cases that they score
    differently make the variance, and with the normal one non-inferiority was found too often.
    """
    se = pair.delong_se
    if math.isnan(se):
        notes = ["DeLong's variance needs two cases of each class."]
    elif se <= EQUAL < abs(pair.value):
        notes = ["DeLong's variance is 0, as it is between a perfect and a reversed order: it is not informative."]
    else:
        notes = note_few_cases(pair.pairing.rankings[0])
    freedom = pair.freedom if pair.are_versions else math.inf
    return Outcome(StudentDifference(pair.value, se, freedom), notes)


def by_tango(pair: PairedValues) -> Outcome:
    """Return the difference of two shares with Tango's interval, which agrees with the mid-p test about 0."""
    return Outcome(MidpDifference(pair.discordance))


def by_paired_t(pair: PairedValues) -> Outcome:
    """Return the difference of two means over the same cases, as in the paired t test."""
    size, notes = pair.size, note_few_cases(pair.pairing.rankings[0])
    se = pair.influence_se * math.sqrt(size / max(size - 1, 1.0))
    return Outcome(StudentDifference(pair.value, se, max(sum(pair.told_apart) - 1, 1.0)), notes)


def by_influence(pair: PairedValues) -> Outcome:
    """Return the difference of two smooth measures with the standard error of its influence values.

    Student's t has the cases of the smaller class: they decide how well the standard error is known.
    """
    se = pair.influence_se * math.sqrt(pair.size / max(pair.size - 1, 1))
    return Outcome(StudentDifference(pair.value, se, pair.freedom))


def by_linearisation(pair: PairedValues) -> Outcome:
    """Return the difference with the standard error that the design of the sample gives it."""
    change_a, change_b = pair.changes
    known = pair.linearised(change_a - change_b)
    notes = [WEIGHTS_GO_WITH_SCORES] if any(map(effective_size.has_weight_trend, pair.pairing.rankings)) else []
    freedom = known.own[0] if known.own else math.nan
    return Outcome(StudentDifference(pair.value, math.sqrt(known.covariance[0, 0]), freedom), notes)


def by_limits(pair: PairedValues, correlation: Callable[[PairedValues], float]) -> Outcome:
    """Return the difference from the intervals of both models and the correlation of their errors.

    MOVER for dependent estimates (Zou 2007). It is for measures with skewed errors, whose own limits are on a scale
    that fits: ratios, and points of curves.

    Args:
        pair: The measure of both models.
        correlation: The correlation of both values over samples.
    """
    limits = [pair.own_limits(model) for model in (0, 1)]
    if limits[0] is None or limits[1] is None:
        return Outcome(StudentDifference(pair.value, math.nan))
    both = limits[0], limits[1]
    return Outcome(SeparateDifference(pair.values, both, correlation(pair), inflation=pair.inflation))


def resampled_correlation(pair: PairedValues) -> float:
    """Return the correlation of both values over resamples; with weights or groups none is relied on."""
    return 0.0 if pair.has_design else pair.resampled_correlation


def influence_correlation(pair: PairedValues) -> float:
    """Return the correlation of both values by what each case changes in them; 0 where one has no variance."""
    if pair.influences is None:
        return 0.0
    covariance = pair.linearised(*pair.changes).covariance
    product = float(covariance[0, 0] * covariance[1, 1])
    return float(covariance[0, 1]) / math.sqrt(product) if product > 0 else 0.0


# ---------------------------------------------------------------------- by simulations and resamples


def by_corrected_limits(pair: PairedValues) -> Outcome:
    """Return the difference of two calibration errors, each without what chance added to it, from their intervals."""
    difference = subtract_corrected(pair.values, pair.corrected_value(0), pair.corrected_value(1))
    return Outcome(difference, () if has_interval(difference) else (NO_SIMULATED_SPREAD,))


def by_bias_corrected(pair: PairedValues) -> Outcome:
    """Return the difference of two bests over all cuts without what chance added to each.

    The standard error is that of resamples of the same cases, widened by the correction, which is uncertain too.
    """
    draws, redrawn = pair.draws
    moved = draws[0] - draws[1]
    moved = moved[np.isfinite(moved)]
    notes = (*note_redraws(redrawn), *note_few_resamples(len(draws[0])))
    if len(moved) < 2:
        return Outcome(CorrectedDifference(pair.value, pair.value, math.nan, math.nan), notes)
    centre = pair.corrected_value(0).centre - pair.corrected_value(1).centre
    se = math.hypot(float(moved.std(ddof=1)), centre - pair.value)
    return Outcome(CorrectedDifference(pair.value, centre, se, se, pair.freedom), notes)


def by_percentiles(pair: PairedValues) -> Outcome:
    """Return the difference with its values on resamples."""
    difference, notes = _difference_of_resamples(pair)
    undefined = len(difference.resampled) - len(difference.draws)
    if undefined:
        notes.append(
            f"In {undefined} of {len(difference.resampled)} resamples the difference in {pair.measure} is undefined."
        )
    if difference.says_nothing:
        notes.append("Every resample gives the same difference, so the bootstrap says nothing about its uncertainty.")
    elif not has_spread(difference.draws):
        notes.append(f"{NO_SPREAD} {TOO_RARELY}")
    elif pair.quantity in (Quantity.BEST_OF_CUTS, Quantity.CALIBRATION_ERROR):
        notes.append(IGNORES_THE_BIAS)
    return Outcome(difference, notes)


def by_student(pair: PairedValues) -> Outcome:
    """Return the difference with the standard error of resamples and Student's t; their values without a spread."""
    difference, notes = _difference_of_resamples(pair)
    if not has_spread(difference.draws) or not math.isfinite(difference.se):
        return by_percentiles(pair)
    notes += [AT_A_QUOTA] if pair.has_quota and pair.measure.name in MEASURES.names else []
    return Outcome(StudentDifference(pair.value, difference.se, pair.freedom), notes)


def _difference_of_resamples(pair: PairedValues) -> tuple[ResampledDifference, list[str]]:
    draws, redrawn = pair.draws
    with np.errstate(invalid="ignore"):
        difference = ResampledDifference(pair.value, draws[0] - draws[1])
    few = note_few_cases(pair.pairing.rankings[0])
    return difference, [*note_redraws(redrawn), *note_few_resamples(len(draws[0])), *few]


# ---------------------------------------------------------------------- tests of no difference alone


def mcnemar_test(pair: PairedValues, variant: Variant) -> Outcome:
    """Return McNemar's test, by variant."""
    p_value = mcnemar(pair.discordance, variant)
    return Outcome(NullTest(pair.value, p_value), few_discordant(pair.discordance, variant))


def score_test(pair: PairedValues) -> Outcome:
    """Return Kosinski's weighted generalised score test of two predictive values."""
    p_value = weighted_generalised_score(pair.pairing, pair.flags, pair.measure.name)
    return Outcome(NullTest(pair.value, p_value))


def log_ratio_test(pair: PairedValues) -> Outcome:
    """Return the test of a ratio of one, on the log scale."""
    ratio = StudentDifference(math.log(pair.values[0] / pair.values[1]), log_ratio_error(pair))
    return Outcome(NullTest(pair.value, ratio.p_value()))


def permutation_test(pair: PairedValues) -> Outcome:
    """Return the test that exchanges the two models at random, case by case."""
    exchanged, at_hand = exchange_models(pair.pairing, pair.question, pair.cuts, pair.resamples, pair.seed)
    notes = note_few_resamples(pair.resamples)
    notes += ["Whole groups of cases are exchanged."] if pair.pairing.has_groups else []
    if not math.isclose(at_hand, pair.value, rel_tol=1e-6, abs_tol=1e-9):
        notes.append(f"Ranks are exchanged, not scores: on the ranks the difference is {shown(at_hand)}.")
    undefined = int(np.isnan(exchanged).sum())
    if undefined:
        notes.append(f"In {undefined} exchanges the difference in {pair.measure} is undefined; they count as extreme.")
    below = np.abs(exchanged) < abs(at_hand) * (1 - 1e-9) - 1e-12
    extreme = int((~below).sum())
    share = float(divide(extreme, pair.resamples))
    return Outcome(NullTest(pair.value, (1 + extreme) / (1 + pair.resamples), share), notes)


def log_ratio_error(pair: PairedValues) -> float:
    """Return the standard error of the logarithm of the ratio of two models' values."""
    (change_a, change_b), pairing = pair.changes, pair.pairing
    change = divide(change_a, pair.values[0]) - divide(change_b, pair.values[1])
    weighed = change if pairing.integral else change * pairing.weight
    return math.sqrt(float(np.sum(weighed**2 * pairing.cases)))


# ---------------------------------------------------------------------- the methods


def _names(condition: Callable[[Any], Any]) -> str:
    return ", ".join(measure.name for measure in MEASURES if condition(measure))


def _shares() -> str:
    return f"{_names(lambda m: m.paired)} at a threshold, of cases without fractional weights"


def _predictive_values() -> str:
    return f"{', '.join(PREDICTIVE_VALUES)} at a threshold, of cases without fractional weights"


_VARIANTS: tuple[tuple[Variant, str], ...] = (
    ("midp", "Fagerland, Lydersen and Laake 2013"),
    ("exact", "McNemar 1947"),
    ("asymptotic", "McNemar 1947"),
    ("corrected", "Edwards 1948"),
    ("unconditional", "Suissa and Shuster 1991"),
)
MCNEMAR = tuple(
    PairedMethod(
        *(f"mcnemar_{variant}", source, partial(mcnemar_test, variant=variant)),
        has_interval=False,
        applies=lambda pair: pair.is_share,
        by_rule=lambda pair: pair.pairing.groups is None,
        scope=_shares,
    )
    for variant, source in _VARIANTS
)
MIDP = MCNEMAR[0]
TANGO = PairedMethod(*("tango", "Tango 1998", by_tango), applies=MIDP.applies, by_rule=MIDP.by_rule, scope=_shares)
SCORE = PairedMethod(
    *("weighted_generalised_score", "Kosinski 2013", score_test),
    has_interval=False,
    applies=lambda pair: pair.is_predictive,
    scope=_predictive_values,
)
DELONG = PairedMethod(
    *("delong", "DeLong et al. 1988", by_delong),
    by_rule=lambda pair: not pair.has_design,
    scope=lambda: _names(lambda m: type(m.form) is LinearInAuc),
)
INFLUENCE = PairedMethod(
    *("influence", "Jaeckel 1972 (infinitesimal jackknife)", by_influence),
    applies=lambda pair: pair.influences is not None,
    scope=lambda: "smooth measures",
)
PLENTIFUL = replace(INFLUENCE, by_rule=_is_plentiful)
PAIRED_T = replace(INFLUENCE, source="Student 1908", compare=by_paired_t, by_rule=DELONG.by_rule)
LINEARISED = PairedMethod(
    *("linearised", "Binder 1983", by_linearisation),
    applies=INFLUENCE.applies,
    by_rule=lambda pair: pair.has_design,
    scope=INFLUENCE.scope,
    knows_design=True,
)
LINEARISED_SHARE = replace(LINEARISED, by_rule=lambda pair: pair.has_design and pair.measure.paired is not None)
LOG_RATIO = PairedMethod(
    *("log_ratio", "Moskowitz and Pepe 2006", log_ratio_test),
    has_interval=False,
    applies=lambda pair: pair.influences is not None and min(pair.values) > 0,
    scope=lambda: "smooth measures whose values are above 0",
)
OWN_LIMITS = PairedMethod(
    *("mover_paired", "Zou 2007", partial(by_limits, correlation=influence_correlation)),
    applies=lambda pair: pair.pairing.has_both_classes,
    by_rule=lambda pair: math.isfinite(pair.value) and pair.influences is not None,
    scope=lambda: "ratios, points of curves, and the best over all cuts of weighted or grouped cases",
    knows_design=True,
)
OWN_LIMITS_OF_POINT = replace(
    OWN_LIMITS,
    compare=partial(by_limits, correlation=resampled_correlation),
    by_rule=lambda pair: math.isfinite(pair.value),
    engine="resamples",
)
BIAS_CORRECTED = PairedMethod(
    *("bias_corrected", "Efron 1979; Bantis, Nakas and Reiser 2019", by_bias_corrected),
    engine="resamples",
    applies=OWN_LIMITS.applies,
    by_rule=_is_plain_with_errors,
    scope=lambda: "the best over all cuts",
    knows_design=True,
)
MOVER = PairedMethod(
    *("mover", "Zou and Donner 2008", by_corrected_limits),
    engine="simulations",
    applies=OWN_LIMITS.applies,
    scope=lambda: "calibration errors and the best over all cuts",
    knows_design=True,
)
MOVER_OF_BEST = replace(MOVER, by_rule=DELONG.by_rule)
STUDENT = PairedMethod("student", "Efron 1979", by_student, engine="resamples", knows_design=True)
BOOTSTRAP = PairedMethod("bootstrap", "Efron 1979", by_percentiles, engine="resamples", knows_design=True)
PERMUTATION = PairedMethod(
    "permutation", "Venkatraman and Begg 1996", permutation_test, has_interval=False, engine="resamples"
)

# All by name, in the order in which they are listed; "mcnemar" is its mid-p variant.
METHODS: Mapping[str, PairedMethod] = {
    "delong": DELONG,
    "mcnemar": MIDP,
    **{method.name: method for method in (*MCNEMAR, TANGO, SCORE, INFLUENCE, LINEARISED, LOG_RATIO, BOOTSTRAP)},
    **{method.name: method for method in (STUDENT, BIAS_CORRECTED, MOVER, OWN_LIMITS, PERMUTATION)},
}
TESTS = ("auto", *METHODS)
INTERVALS = ("auto", *(name for name, method in METHODS.items() if method.has_interval))

# The default is the first method that applies and that the rule allows.
DEFAULTS: Mapping[Quantity, tuple[PairedMethod, ...]] = {
    **dict.fromkeys(Quantity, (PLENTIFUL, STUDENT)),  # smooth measures, of the order or of probabilities
    Quantity.SHARE: (MIDP, TANGO, LINEARISED_SHARE, OWN_LIMITS, STUDENT),
    Quantity.SUM_OF_SHARES: (OWN_LIMITS, STUDENT),
    Quantity.RATIO: (OWN_LIMITS, STUDENT),
    Quantity.ODDS_RATIO: (OWN_LIMITS, STUDENT),
    Quantity.THREE_SHARES: (OWN_LIMITS, STUDENT),
    Quantity.AUC: (DELONG, LINEARISED, STUDENT),
    Quantity.CURVE_POINT: (OWN_LIMITS_OF_POINT, STUDENT),
    Quantity.MEAN: (PAIRED_T, LINEARISED, STUDENT),
    Quantity.BEST_OF_CUTS: (BIAS_CORRECTED, MOVER_OF_BEST, OWN_LIMITS_OF_POINT, STUDENT),
    Quantity.CALIBRATION_ERROR: (MOVER, STUDENT),
    Quantity.OWN: (STUDENT,),
}
_RESAMPLED = (STUDENT, BOOTSTRAP, PERMUTATION)
# What may be asked for by name besides.
BY_NAME: Mapping[Quantity, tuple[PairedMethod, ...]] = {
    **dict.fromkeys(Quantity, (INFLUENCE, LINEARISED, *_RESAMPLED, LOG_RATIO)),
    Quantity.SHARE: (*MCNEMAR, SCORE, INFLUENCE, LINEARISED, *_RESAMPLED, LOG_RATIO),
    Quantity.CURVE_POINT: (INFLUENCE, *_RESAMPLED, LOG_RATIO),
    Quantity.BEST_OF_CUTS: (INFLUENCE, *_RESAMPLED, LOG_RATIO),
    Quantity.CALIBRATION_ERROR: _RESAMPLED,
    Quantity.OWN: _RESAMPLED,
}


def default_test(pair: PairedValues) -> PairedMethod:
    """Return the test of the rule."""
    return choose_default(DEFAULTS[pair.quantity], pair)


def default_interval(pair: PairedValues) -> PairedMethod:
    """Return the interval of the rule, among the methods that have one."""
    return choose_default((method for method in DEFAULTS[pair.quantity] if method.has_interval), pair)


def method_of(pair: PairedValues, name: str) -> PairedMethod:
    """Return the method of a name.

    Args:
        pair: The measure of both models.
        name: The name.

    Raises:
        ParameterError: If no such method applies.
    """
    row, canonical = (*DEFAULTS[pair.quantity], *BY_NAME[pair.quantity]), METHODS[name]
    if pair.reasons:  # nothing is computed of an undefined measure
        return next((method for method in row if method.name == canonical.name), canonical)
    method = find_by_name(row, canonical.name, pair)
    if method is None:
        raise ParameterError(f"{name} is for {canonical.scope()}, not for {pair.measure}", "pass method='bootstrap'")
    return method
