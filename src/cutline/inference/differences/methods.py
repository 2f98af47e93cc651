"""Methods for the difference of two models on the same cases, and the table of defaults (`DEFAULTS`).

The rows are quantities, as in the table for one model (`cutline.inference.methods`). The default test is the
first method of the row that applies and that the rule allows; the default interval is the first of these that has one.
Test and interval are read from one `Difference`, so that they agree at every level. McNemar's test has no interval and
is followed by Tango's, which agrees with it about 0.
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
from cutline.core.table import format_value
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
    MoverDifference,
    NullTest,
    Outcome,
    ResampledDifference,
    StudentDifference,
    has_interval,
)
from cutline.inference.differences.mcnemar import (
    PREDICTIVE_VALUES,
    MidpDifference,
    Variant,
    mcnemar,
    warn_of_few_discordant,
    weighted_generalised_score,
)
from cutline.inference.differences.paired_values import PairedValues
from cutline.inference.permutation import exchange_models
from cutline.inference.quantities import Quantity, always, choose_default, find_by_name
from cutline.measures import MEASURES, LinearInAuc
from cutline.results.method_titles import format_method

NO_SIMULATED_SPREAD = "So few cases give simulations without any spread: there is no interval."
Predicate = Callable[[PairedValues], bool]
Engine = Literal["formula", "resamples", "simulations"]


@dataclass(frozen=True)
class PairedMethod:
    """A method that compares two models on the same cases.

    `compare` returns the difference, which gives tests and intervals at every level, or without `has_interval` a test
    of no difference. `applies` says which measures and samples it is valid for, `by_rule` where it may be the default,
    and `scope` names the measures in messages. With `knows_design` it allows for groups, strata and sampling weights.
    """

    name: str
    source: str
    compare: Callable[[PairedValues], Outcome]
    has_interval: bool = True
    engine: Engine = "formula"
    applies: Predicate = always
    by_rule: Predicate = always
    scope: Callable[[], str] = lambda: "other measures"
    knows_design: bool = False

    @property
    def title(self) -> str:
        """The title of the method."""
        return format_method(self.name)

    @property
    def is_random(self) -> bool:
        """Whether its results are from resamples or simulations."""
        return self.engine != "formula"


def _is_plain(pair: PairedValues) -> bool:
    return not pair.has_design


def _has_design(pair: PairedValues) -> bool:
    return pair.has_design


def _has_influence_values(pair: PairedValues) -> bool:
    return pair.influences is not None


def _has_both_classes(pair: PairedValues) -> bool:
    return pair.pairing.has_both_classes


def _has_many_cases(pair: PairedValues) -> bool:
    fewest = min(effective_size.compute_effective_sizes(pair.pairing.rankings[0]))
    return not pair.has_design and math.isfinite(pair.value) and fewest >= constants.PLENTY_FOR_A_DIFFERENCE


def _is_plain_with_errors(pair: PairedValues) -> bool:
    """Whether the sample is plain, and the best cuts leave enough errors for resamples to show how they vary.

    With fewer errors, equal KS distances of 0.9 differed significantly in 12 % of 450 samples.
    """
    (least, most), fewest = pair.measure.range, min(effective_size.compute_effective_sizes(pair.pairing.rankings[0]))
    errors = float(fewest) * (most - max(pair.values)) / (most - least)
    return not pair.has_design and not errors < 2 * constants.FEW_DECISIONS


# ---------------------------------------------------------------------- by formula


def compare_by_delong(pair: PairedValues) -> Outcome:
    """Return the difference of two AUCs with DeLong's variance.

    The quantile is normal, as DeLong's is. Between versions of one model it is Student's, because the variance comes
    from the few cases that they score differently; with the normal quantile, non-inferiority was shown too often.
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


def compare_by_tango(pair: PairedValues) -> Outcome:
    """Return the difference of two shares with Tango's interval."""
    return Outcome(MidpDifference(pair.discordance))


def compare_by_paired_t(pair: PairedValues) -> Outcome:
    """Return the difference of two means over the same cases, as in the paired t test."""
    size, notes = pair.size, note_few_cases(pair.pairing.rankings[0])
    se = pair.influence_se * math.sqrt(size / max(size - 1, 1.0))
    return Outcome(StudentDifference(pair.value, se, max(sum(pair.scored_differently) - 1, 1.0)), notes)


def compare_by_influence(pair: PairedValues) -> Outcome:
    """Return the difference of two smooth measures with the standard error of its influence values.

    The degrees of freedom are those of the smaller class, which decides how well the standard error is known.
    """
    se = pair.influence_se * math.sqrt(pair.size / max(pair.size - 1, 1))
    return Outcome(StudentDifference(pair.value, se, pair.freedom))


def compare_by_linearisation(pair: PairedValues) -> Outcome:
    """Return the difference with the linearised standard error of the sampling design."""
    change_a, change_b = pair.changes
    known = pair.linearised(change_a - change_b)
    notes = [WEIGHTS_GO_WITH_SCORES] if any(map(effective_size.has_weight_trend, pair.pairing.rankings)) else []
    freedom = known.own[0] if known.own else math.nan
    return Outcome(StudentDifference(pair.value, math.sqrt(known.covariance[0, 0]), freedom), notes)


def compare_by_limits(pair: PairedValues, correlation: Callable[[PairedValues], float]) -> Outcome:
    """Return the difference from the intervals of both models and the correlation of their errors (Zou 2007).

    This MOVER for dependent estimates suits ratios and points of curves, whose own limits are not symmetric.

    Args:
        pair: The measure of both models.
        correlation: The correlation of both values over samples.
    """
    limits = [pair.find_own_limits(model) for model in (0, 1)]
    if limits[0] is None or limits[1] is None:
        return Outcome(StudentDifference(pair.value, math.nan))
    both = limits[0], limits[1]
    return Outcome(MoverDifference(pair.values, both, correlation(pair), inflation=pair.inflation))


def correlate_resamples(pair: PairedValues) -> float:
    """Return the correlation of both values over resamples; 0 with weights or groups."""
    return 0.0 if pair.has_design else pair.resampled_correlation


def correlate_influences(pair: PairedValues) -> float:
    """Return the correlation of both values from their influence values; 0 where one has no variance."""
    if pair.influences is None:
        return 0.0
    covariance = pair.linearised(*pair.changes).covariance
    product = float(covariance[0, 0] * covariance[1, 1])
    return float(covariance[0, 1]) / math.sqrt(product) if product > 0 else 0.0


# ---------------------------------------------------------------------- by simulations and resamples


def compare_by_corrected_limits(pair: PairedValues) -> Outcome:
    """Return the difference of two bias-corrected calibration errors from their intervals."""
    difference = subtract_corrected(pair.values, pair.corrected_value(0), pair.corrected_value(1))
    return Outcome(difference, () if has_interval(difference) else (NO_SIMULATED_SPREAD,))


def compare_by_bias_corrected(pair: PairedValues) -> Outcome:
    """Return the bias-corrected difference of two maxima over all cuts.

    The standard error of the bootstrap is widened by the correction, which is uncertain too.
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


def compare_by_percentiles(pair: PairedValues) -> Outcome:
    """Return the difference with the percentile bootstrap."""
    difference, notes = _subtract_resamples(pair)
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


def compare_by_student(pair: PairedValues) -> Outcome:
    """Return the difference with the bootstrap's standard error and Student's t."""
    difference, notes = _subtract_resamples(pair)
    if not has_spread(difference.draws) or not math.isfinite(difference.se):
        return compare_by_percentiles(pair)
    notes += [AT_A_QUOTA] if pair.has_quota and pair.measure.name in MEASURES.names else []
    return Outcome(StudentDifference(pair.value, difference.se, pair.freedom), notes)


def _subtract_resamples(pair: PairedValues) -> tuple[ResampledDifference, list[str]]:
    draws, redrawn = pair.draws
    with np.errstate(invalid="ignore"):
        difference = ResampledDifference(pair.value, draws[0] - draws[1])
    few = note_few_cases(pair.pairing.rankings[0])
    return difference, [*note_redraws(redrawn), *note_few_resamples(len(draws[0])), *few]


# ---------------------------------------------------------------------- tests of no difference alone


def compare_by_mcnemar(pair: PairedValues, variant: Variant) -> Outcome:
    """Return McNemar's test, by variant."""
    p_value = mcnemar(pair.discordance, variant)
    return Outcome(NullTest(pair.value, p_value), warn_of_few_discordant(pair.discordance, variant))


def compare_by_score(pair: PairedValues) -> Outcome:
    """Return Kosinski's weighted generalised score test of two predictive values."""
    p_value = weighted_generalised_score(pair.pairing, pair.flags, pair.measure.name)
    return Outcome(NullTest(pair.value, p_value))


def compare_by_log_ratio(pair: PairedValues) -> Outcome:
    """Return the test of a ratio of one, on the log scale."""
    ratio = StudentDifference(math.log(pair.values[0] / pair.values[1]), estimate_log_ratio_error(pair))
    return Outcome(NullTest(pair.value, ratio.p_value()))


def compare_by_permutation(pair: PairedValues) -> Outcome:
    """Return the permutation test, which exchanges the scores of both models case by case."""
    exchanged, at_hand = exchange_models(pair.pairing, pair.question, pair.cuts, pair.resamples, pair.seed)
    notes = note_few_resamples(pair.resamples)
    notes += ["Whole groups of cases are exchanged."] if pair.pairing.has_groups else []
    if not math.isclose(at_hand, pair.value, rel_tol=1e-6, abs_tol=1e-9):
        notes.append(f"Ranks are exchanged, not scores: on the ranks the difference is {format_value(at_hand)}.")
    undefined = int(np.isnan(exchanged).sum())
    if undefined:
        notes.append(f"In {undefined} exchanges the difference in {pair.measure} is undefined; they count as extreme.")
    below = np.abs(exchanged) < abs(at_hand) * (1 - 1e-9) - 1e-12
    extreme = int((~below).sum())
    share = float(divide(extreme, pair.resamples))
    return Outcome(NullTest(pair.value, (1 + extreme) / (1 + pair.resamples), share), notes)


def estimate_log_ratio_error(pair: PairedValues) -> float:
    """Return the standard error of the logarithm of the ratio of two models' values."""
    (change_a, change_b), pairing = pair.changes, pair.pairing
    change = divide(change_a, pair.values[0]) - divide(change_b, pair.values[1])
    weighed = change if pairing.integral else change * pairing.weight
    return math.sqrt(float(np.sum(weighed**2 * pairing.cases)))


# ---------------------------------------------------------------------- the methods


def _list_names(is_listed: Callable[[Any], Any]) -> str:
    return ", ".join(measure.name for measure in MEASURES if is_listed(measure))


def _list_shares() -> str:
    return f"{_list_names(lambda m: m.paired)} at a threshold, of cases without fractional weights"


def _list_predictive_values() -> str:
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
        f"mcnemar_{variant}",
        source,
        partial(compare_by_mcnemar, variant=variant),
        has_interval=False,
        applies=lambda pair: pair.is_share,
        by_rule=lambda pair: pair.pairing.groups is None,
        scope=_list_shares,
    )
    for variant, source in _VARIANTS
)
MIDP = MCNEMAR[0]
TANGO = PairedMethod(
    "tango", "Tango 1998", compare_by_tango, applies=MIDP.applies, by_rule=MIDP.by_rule, scope=_list_shares
)
SCORE = PairedMethod(
    "weighted_generalised_score",
    "Kosinski 2013",
    compare_by_score,
    has_interval=False,
    applies=lambda pair: pair.is_predictive,
    scope=_list_predictive_values,
)
DELONG = PairedMethod(
    "delong",
    "DeLong et al. 1988",
    compare_by_delong,
    by_rule=_is_plain,
    scope=lambda: _list_names(lambda m: type(m.form) is LinearInAuc),
)
INFLUENCE = PairedMethod(
    "influence",
    "Jaeckel 1972 (infinitesimal jackknife)",
    compare_by_influence,
    applies=_has_influence_values,
    scope=lambda: "smooth measures",
)
PLENTIFUL = replace(INFLUENCE, by_rule=_has_many_cases)
PAIRED_T = replace(INFLUENCE, source="Student 1908", compare=compare_by_paired_t, by_rule=_is_plain)
LINEARISED = PairedMethod(
    "linearised",
    "Binder 1983",
    compare_by_linearisation,
    applies=_has_influence_values,
    by_rule=_has_design,
    scope=lambda: "smooth measures",
    knows_design=True,
)
LINEARISED_SHARE = replace(LINEARISED, by_rule=lambda pair: pair.has_design and pair.measure.paired is not None)
LOG_RATIO = PairedMethod(
    "log_ratio",
    "Moskowitz and Pepe 2006",
    compare_by_log_ratio,
    has_interval=False,
    applies=lambda pair: pair.influences is not None and min(pair.values) > 0,
    scope=lambda: "smooth measures whose values are above 0",
)
OWN_LIMITS = PairedMethod(
    "mover_paired",
    "Zou 2007",
    partial(compare_by_limits, correlation=correlate_influences),
    applies=_has_both_classes,
    by_rule=lambda pair: math.isfinite(pair.value) and pair.influences is not None,
    scope=lambda: "ratios, points of curves, and the best over all cuts of weighted or grouped cases",
    knows_design=True,
)
OWN_LIMITS_OF_POINT = replace(
    OWN_LIMITS,
    compare=partial(compare_by_limits, correlation=correlate_resamples),
    by_rule=lambda pair: math.isfinite(pair.value),
    engine="resamples",
)
BIAS_CORRECTED = PairedMethod(
    "bias_corrected",
    "Efron 1979; Bantis, Nakas and Reiser 2019",
    compare_by_bias_corrected,
    engine="resamples",
    applies=_has_both_classes,
    by_rule=_is_plain_with_errors,
    scope=lambda: "the best over all cuts",
    knows_design=True,
)
MOVER = PairedMethod(
    "mover",
    "Zou and Donner 2008",
    compare_by_corrected_limits,
    engine="simulations",
    applies=_has_both_classes,
    scope=lambda: "calibration errors and the best over all cuts",
    knows_design=True,
)
MOVER_OF_BEST = replace(MOVER, by_rule=_is_plain)
STUDENT = PairedMethod("student", "Efron 1979", compare_by_student, engine="resamples", knows_design=True)
BOOTSTRAP = PairedMethod("bootstrap", "Efron 1979", compare_by_percentiles, engine="resamples", knows_design=True)
PERMUTATION = PairedMethod(
    "permutation", "Venkatraman and Begg 1996", compare_by_permutation, has_interval=False, engine="resamples"
)

# By name, in the order of lists; "mcnemar" is the mid-p variant.
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
# Methods that can be chosen by name only.
BY_NAME: Mapping[Quantity, tuple[PairedMethod, ...]] = {
    **dict.fromkeys(Quantity, (INFLUENCE, LINEARISED, *_RESAMPLED, LOG_RATIO)),
    Quantity.SHARE: (*MCNEMAR, SCORE, INFLUENCE, LINEARISED, *_RESAMPLED, LOG_RATIO),
    Quantity.CURVE_POINT: (INFLUENCE, *_RESAMPLED, LOG_RATIO),
    Quantity.BEST_OF_CUTS: (INFLUENCE, *_RESAMPLED, LOG_RATIO),
    Quantity.CALIBRATION_ERROR: _RESAMPLED,
    Quantity.OWN: _RESAMPLED,
}


def choose_default_test(pair: PairedValues) -> PairedMethod:
    """Return the default test."""
    return choose_default(DEFAULTS[pair.quantity], pair)


def choose_default_interval(pair: PairedValues) -> PairedMethod:
    """Return the default interval: of the methods of the row, the first that has one."""
    return choose_default((method for method in DEFAULTS[pair.quantity] if method.has_interval), pair)


def find_method(pair: PairedValues, name: str) -> PairedMethod:
    """Return the method of that name.

    Args:
        pair: The measure of both models.
        name: A key of `METHODS`.

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
