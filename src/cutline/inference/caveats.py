"""Notes and warnings that qualify intervals, and the last step that builds an `Estimate`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.ranking import Ranking
from cutline.core.validation import format_count
from cutline.inference import constants
from cutline.inference.effective_size import compute_effective_sizes
from cutline.results.estimate import Estimate
from cutline.results.notes import Caveat, keep_one_warning
from cutline.results.resample_budget import FEWEST

EQUAL = 1e-12  # what rounding alone can make of nothing

BELOW = "the actual coverage is probably below the nominal level"
FEW_AT_THE_TOP = Caveat(
    "few-at-the-top", "It rests on about {:.2g} cases at the top of the list, nearly all of one class.", "above"
)
SEARCHED = Caveat(
    "searched-cut",
    "The cut is chosen from the data; the interval covers every cut that could have been chosen.",
    "above",
)
SEARCHED_AGAIN = Caveat(
    "searched-cut",
    f"The cut is chosen from the data, which resamples of such a design hardly reflect: {BELOW}.",
    "below",
)
TOO_RARELY = "The test's actual error rate is probably below its level."
AT_A_QUOTA = (
    "At a quota resamples vary a little more than samples do: the test's actual error rate is probably below its level."
)
IGNORES_THE_BIAS = Caveat(
    "ignored-bias",
    "This measure is biased upwards, for one model more than for the other: the test probably rejects more often than "
    "its nominal level. The method 'auto' allows for that.",
    "below",
)
NO_SPREAD = "Every resample has the same value, so the bootstrap cannot tell how uncertain it is."
NO_COVERAGE = Caveat("no-spread", f"Every resample has the same value: {BELOW}.", "below")
RARE_SCORES = Caveat(
    "open-ends",
    f"The area depends on whether rarer scores than the observed ones exist at the ends of the list: {BELOW}.",
    "below",
)
FEW_WEIGH = Caveat("few-weigh", f"A few cases dominate it: {BELOW}.", "below")
WEIGHTS_GO_WITH_SCORES = Caveat(
    "weights-go-with-scores",
    f"The weights are correlated with the scores, so a few heavy cases at one end of the list decide: {BELOW}.",
    "below",
)
WEIGHTS_GO_WITH_CLASS = Caveat(
    "weights-go-with-class",
    f"A case of one class represents {{:.0f}} times as many cases as one of the other, so a few of them decide: "
    f"{BELOW}.",
    "below",
)
# The measures whose intervals that warning is true of: misses in 7 to 14 % of 1,200 samples, and of the ECE in 0 to 23.
MISSING_HEAVY_CASES = (
    *("average_precision", "mean_average_precision", "aucpr_davis_goadrich", "aucpr_min", "aucpr_minmax", "aucpr_max"),
    "ece",
)
NEAR_AN_END = Caveat("near-an-end", f"The value is so close to an end of its range that {BELOW}.", "below")
AT_AN_END = Caveat(
    "at-an-end",
    "The value is an end of the range: the limit is Wilson's for a share of none, or of all, of the smaller class.",
)
SEPARATED = Caveat(
    "separated",
    "The scores separate the classes, in the right or the wrong order: the limit is what the measure would be if the "
    "error rates of both classes were as large as Wilson's interval allows.",
)
OPTIMISTIC = Caveat(
    "optimistic",
    "It is the best over all cuts, which is optimistic on average; resamples of such a design show only a part of "
    "that.",
)
STRATIFIED_GROUPS = "stratified=True draws cases within their class, but groups are drawn whole: pass one."
IGNORES_THE_DESIGN = Caveat(
    "ignored-design",
    "This method takes no account of sampling weights or strata; the methods 'linearised' and 'bootstrap' do.",
    "below",
)
INDEPENDENT = Caveat(
    "ignored-groups",
    "The cases come in groups, but this method treats them as independent; the method 'bootstrap' does not.",
    "below",
)


def has_spread(values: Array) -> bool:
    """Whether values differ by more than rounding; infinite values are equal."""
    low, high = float(np.min(values)), float(np.max(values))
    return low != high and (math.isinf(high - low) or high - low > EQUAL * max(1.0, abs(low)))


def note_redraws(count: int) -> list[str]:
    """Return a note on how many resamples of one class were redrawn, if any."""
    what = (
        "1 bootstrap sample had only one class and was"
        if count == 1
        else (f"{count} bootstrap samples had only one class and were")
    )
    return [f"{what} redrawn."] if count else []


def note_few_resamples(count: int) -> list[str]:
    """Return a note if there are too few resamples for reliable limits and p-values."""
    if count >= FEWEST:
        return []
    were_drawn = "1 resample was" if count == 1 else f"{count} resamples were"
    return [f"Only {were_drawn} drawn: limits and p-values from fewer than {FEWEST} are little more than noise."]


def note_groups(groups: int, how: str = "resampled") -> str:
    """Return a note on how many groups were resampled, or counted."""
    return Caveat("groups", f"{format_count(groups, 'group')} {'was' if groups == 1 else 'were'} {how} whole.")


def warn_of_few_groups(of_classes: tuple[float, float]) -> list[str]:
    """Return a warning if few groups hold a case of one class, for measures of one cut.

    With 2 groups of positives recall missed in 9 % of the samples; measures of all cuts hold.

    Args:
        of_classes: The degrees of freedom of either class: groups less strata.
    """
    fewest = min(of_classes)
    if fewest >= constants.FEW_GROUPS - 1:
        return []
    name = "positive" if of_classes[0] == fewest else "negative"
    number = round(fewest) + 1
    hold = "holds" if number == 1 else "hold"
    return [Caveat("few-groups", f"Only {format_count(number, 'group')} {hold} a {name} case: {BELOW}.", "below")]


def warn_of_class_weights(measure: str, r: Ranking) -> list[str]:
    """Return a warning if cases of one class weigh many times as much as cases of the other.

    A sample without one of the few heavy cases at the top shows nothing of what it would change there, which is much in
    areas under precision-recall curves; and a binned error counts it in a single bin. Other measures hold.

    Args:
        measure: The name of the measure.
        r: The ranking.
    """
    if measure not in MISSING_HEAVY_CASES or r.integral or not r.positives or not r.negatives:
        return []
    weights = [float(second.sum() / cells.sum()) for cells, second in ((r.pos, r.pos2), (r.neg, r.neg2))]
    times = max(weights) / min(weights)
    return [WEIGHTS_GO_WITH_CLASS.fill_in(times)] if times > constants.CLASS_WEIGHTS else []


def warn_of_missing_class(ranking: Ranking) -> list[str]:
    """Return a warning if a class has no case, so that the interval ignores its uncertainty."""
    missing = "positive" if not ranking.positives else "negative" if not ranking.negatives else ""
    if not missing:
        return []
    return [
        Caveat("one-class", f"There is no {missing} case, so nothing is known about such cases, and {BELOW}.", "below")
    ]


def note_effective_cases(freedom: float) -> list[str]:
    """Return a detail on the effective number of cases behind a result, if it is small.

    Args:
        freedom: The degrees of freedom of its variance, which are about twice the cases that make it.

    >>> note_effective_cases(11.2)
    ['It rests on about 6 cases.']
    """
    if not freedom < constants.FEW:
        return []
    cases = max(round(freedom / 2), 1)
    return [Caveat("few-cases", f"It rests on about {format_count(cases, 'case')}.")]


def note_few_cases(ranking: Ranking) -> list[str]:
    """Return a detail if a class has few cases, which then determine the interval."""
    fewest = float(min(compute_effective_sizes(ranking)))
    if not 0 < fewest < constants.FEW_CASES:
        return []
    cases = "1 case" if fewest == 1 else f"{fewest:.3g} cases"
    return [Caveat("few-cases", f"It rests on a class with only {cases}.")]


def make_estimate(
    name: str,
    value: float,
    limits: tuple[Any, Any],
    allowed: tuple[float, float],
    level: float,
    method: str,
    notes: list[str],
    *,
    what: str = "measure",
) -> Estimate:
    """Build the estimate: clip the limits to the range, and make them include the value; notes say what was moved."""
    least, most = allowed
    low, high = map(float, limits)
    slack = 1e-9 * max(1.0, abs(value)) if math.isfinite(value) else 0.0
    outside = [
        f"{limit:.4f}" for limit in (low, high) if not least - slack <= limit <= most + slack and not math.isnan(limit)
    ]
    if outside:
        limit, lies, was = ("limit", "lies", "was") if len(outside) == 1 else ("limits", "lie", "were")
        does = f"{lies} outside" if method == "wald" else f"{was} cut at"
        notes = [*notes, f"The {limit} {' and '.join(outside)} {does} the range of the {what}, {least:g} to {most:g}."]
    if method != "wald":
        low = low if math.isnan(low) else min(max(low, least), most)
        high = high if math.isnan(high) else min(max(high, least), most)
    if low > value + slack or high < value - slack:
        notes = [*notes, f"Resampling shifts this {what}: a limit was moved to include the value."]
    if not math.isnan(low):
        low, high = min(low, value), max(high, value)
    return Estimate(name, value, low, high, level, method, keep_one_warning(notes))
