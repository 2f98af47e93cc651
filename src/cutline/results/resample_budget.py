"""The number of resamples of each kind of bootstrap: one rule for all views.

The number of resamples depends on the length of the list alone: a measure has the same interval, whatever else a
summary holds. A long list is resampled in bins of scores (`cutline.inference.resampling.binning`), so
that a resample costs about the square root of its length, and no list is too long for a summary.
"""

from __future__ import annotations

import math

from cutline.core.messages import Argument, Text
from cutline.core.validation import check_whole

RESAMPLES = 2000
FEWEST = 100  # resamples, below which limits would be little more than noise
ENOUGH = 400  # resamples, which tell a standard error to 4 %
ROWS = 20_000_000  # rows times resamples, where the rows themselves are drawn: several models, or a decision on each
WORK = 1_000_000_000  # cells times resamples times measures: what a summary of all measures may cost, some seconds
COST_OF_INVERSION = 8  # measures that are resampled, of which the simulations of one calibration error take the time
QUICK = 80_000_000  # ... what a first look at an evaluation may cost, about a second
CURVES = 1000  # resamples of whole curves, each of which costs many times a measure
CURVES_FOR_A_NOTE = 400  # ... that were not requested
LONG = 20_000  # kinds of cases, beyond which whole curves are not resampled for a note
FEWEST_CURVES = 40  # resamples, below which a band of curves has no corners to speak of
SHORT = 2500  # distinct scores, or rows, up to which a list gets all resamples
WHOLE_LISTS = 4_000_000  # scores times resamples of a measure that cannot be resampled in bins

RULE = (
    f"Intervals use a formula where one exists and the bootstrap otherwise, with {RESAMPLES} resamples up to "
    f"{SHORT:,} distinct scores and fewer beyond ({ENOUGH} at the least). Where resampling would take "
    "longer than about ten seconds, a summary leaves these intervals out unless a number of resamples is given."
)


def count_bins(scores: int) -> int:
    """Return the largest number of bins in which a list of distinct scores is resampled.

    >>> count_bins(100), count_bins(10_000), count_bins(1_000_000)
    (100, 1700, 4250)
    """
    return min(scores, round(200 + 15 * math.sqrt(scores)), 4250)


def choose_resamples(scores: int, requested: int | None = None) -> int:
    """Return the number of resamples for a number of distinct scores: as requested, or by the rule.

    >>> [choose_resamples(scores) for scores in (569, 50_000, 4_700_000)], choose_resamples(569, requested=300)
    ([2000, 447, 400], 300)
    """
    if requested is not None:
        return check_whole(requested, "resamples", 0)
    return max(min(ENOUGH, RESAMPLES), _scale_resamples(scores))


def _scale_resamples(length: int) -> int:
    """Scale the number down by the root of the length, by which the number of bins grows: the work stays the same."""
    return round(RESAMPLES * min(1.0, math.sqrt(SHORT / max(length, 1))))


def choose_resamples_of_rows(rows: int, requested: int | None = None) -> int:
    """Return the number of resamples when rows are drawn: as requested, or by the rule.

    >>> [choose_resamples_of_rows(rows) for rows in (569, 50_000, 4_700_000)], choose_resamples_of_rows(569, 300)
    ([2000, 400, 100], 300)
    """
    if requested is not None:
        return check_whole(requested, "resamples", 0)
    return max(FEWEST, min(_scale_resamples(rows), ROWS // max(rows, 1)))


def choose_resamples_of_list(scores: int) -> int:
    """Return the number of resamples for a measure that cannot be resampled in bins.

    >>> choose_resamples_of_list(3000), choose_resamples_of_list(10_000)
    (1333, 400)
    """
    return max(min(ENOUGH, RESAMPLES), min(RESAMPLES, WHOLE_LISTS // max(scores, 1)))


def is_affordable(measures: int, scores: int, resamples: int, *, quick: bool = False) -> bool:
    """Whether bootstrapping these measures fits the default time budget; `quick` is the budget of a first look.

    >>> is_affordable(40, 10_000, 2000), is_affordable(4000, 4_700_000, 100)
    (True, False)
    >>> is_affordable(40, 10_000, 2000, quick=True)
    False
    """
    return measures * count_bins(scores) * resamples <= (QUICK if quick else WORK)


def choose_curve_resamples(scores: int) -> int:
    """Return the number of resamples of whole curves that were requested.

    >>> choose_curve_resamples(569), choose_curve_resamples(4_700_000)
    (1000, 100)
    """
    return min(CURVES, choose_resamples_of_rows(scores))


def choose_curve_resamples_of_note(scores: int, requested: int | None = None) -> int:
    """Return the number of resamples of whole curves for a note; 0, for long lists or on request, leaves the note out.

    >>> choose_curve_resamples_of_note(569), choose_curve_resamples_of_note(30_000)
    (400, 0)
    >>> choose_curve_resamples_of_note(569, 150), choose_curve_resamples_of_note(569, 0)
    (150, 0)
    """
    if scores > LONG or requested == 0:
        return 0
    return CURVES_FOR_A_NOTE if requested is None else max(FEWEST_CURVES, min(requested, CURVES_FOR_A_NOTE))


def explain_left_out(scores: int, used: int = 0) -> str:
    """Write the note that intervals without a closed form, or simulated ones, were left out."""
    what = "of calibration errors" if used else "without a closed form"
    how = "simulating" if used else "resampling"
    return Text(
        f"Intervals {what} are left out, because {how} {scores:,} distinct scores takes long; add ",
        *(Argument("resamples", 200), " for them."),
    )


def explain_fewer(scores: int, used: int, requested: int | None = None) -> str:
    """Write the note that fewer resamples than usual were drawn; empty otherwise."""
    if requested is not None or not used or used == RESAMPLES:
        return ""
    return Text(
        f"The bootstrap intervals are from {used} resamples, because there are {scores:,} distinct scores; add ",
        *(Argument("resamples", RESAMPLES), " for more."),
    )
