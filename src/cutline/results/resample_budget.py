"""The number of resamples of each kind of bootstrap: one rule for all views.

The number of resamples depends on the length of the list alone, so that a measure has the same interval whichever
others are asked for beside it. A long list is resampled in bins of scores (`cutline.inference.resampling.binning`), so
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
WORK = 1_000_000_000  # cells times resamples times measures that nobody named: what a summary may cost, some seconds
COST_OF_INVERSION = 8  # measures that are resampled, of which the simulations of one calibration error take the time
QUICK = 80_000_000  # ... what a first look at an evaluation may cost, about a second
CURVES = 1000  # resamples of whole curves, each of which costs many times a measure
CURVES_FOR_A_NOTE = 400  # ... that nobody asked for
LONG = 20_000  # kinds of cases, beyond which whole curves are not resampled for a note
FEWEST_CURVES = 40  # resamples, below which a band of curves has no corners to speak of
SHORT = 2500  # distinct scores, or rows, up to which a list gets all resamples
WHOLE_LISTS = 4_000_000  # scores times resamples of a measure that cannot be resampled in bins

RULE = (
    f"Intervals use a formula where one exists and the bootstrap otherwise, with {RESAMPLES} resamples up to "
    f"{SHORT:,} distinct scores and fewer beyond ({ENOUGH} at the least). Where resampling would take "
    "longer than about ten seconds, a summary leaves these intervals out unless a number of resamples is given."
)


def cells_of(scores: int) -> int:
    """Return the largest number of bins in which a list of distinct scores is resampled.

    >>> cells_of(100), cells_of(10_000), cells_of(1_000_000)
    (100, 1700, 4250)
    """
    return min(scores, round(200 + 15 * math.sqrt(scores)), 4250)


def resamples_for(scores: int, requested: int | None = None) -> int:
    """Return the number of resamples for a number of distinct scores: as requested, or by the rule.

    >>> resamples_for(569), resamples_for(50_000), resamples_for(4_700_000), resamples_for(569, requested=300)
    (2000, 447, 400, 300)
    """
    if requested is not None:
        return check_whole(requested, "resamples", 0)
    return max(min(ENOUGH, RESAMPLES), _fewer_resamples(scores))


def _fewer_resamples(length: int) -> int:
    """Return a number that falls with the root of the length, as that of the bins grows: the work stays the same."""
    return round(RESAMPLES * min(1.0, math.sqrt(SHORT / max(length, 1))))


def resamples_of_rows(rows: int, requested: int | None = None) -> int:
    """Return the number of resamples when rows are drawn: as requested, or by the rule.

    >>> resamples_of_rows(569), resamples_of_rows(50_000), resamples_of_rows(4_700_000), resamples_of_rows(569, 300)
    (2000, 400, 100, 300)
    """
    if requested is not None:
        return check_whole(requested, "resamples", 0)
    return max(FEWEST, min(_fewer_resamples(rows), ROWS // max(rows, 1)))


def resamples_of_whole(scores: int) -> int:
    """Return the number of resamples for a measure that cannot be resampled in bins.

    >>> resamples_of_whole(3000), resamples_of_whole(10_000)
    (1333, 400)
    """
    return max(min(ENOUGH, RESAMPLES), min(RESAMPLES, WHOLE_LISTS // max(scores, 1)))


def affordable(measures: int, scores: int, resamples: int, *, quick: bool = False) -> bool:
    """Whether bootstrapping these measures fits the default time budget; `quick` is the budget of a first look.

    >>> affordable(40, 10_000, 2000), affordable(4000, 4_700_000, 100), affordable(40, 10_000, 2000, quick=True)
    (True, False, False)
    """
    return measures * cells_of(scores) * resamples <= (QUICK if quick else WORK)


def curves_for(scores: int) -> int:
    """Return the number of resamples of whole curves that were requested.

    >>> curves_for(569), curves_for(4_700_000)
    (1000, 100)
    """
    return min(CURVES, resamples_of_rows(scores))


def curves_for_a_note(scores: int, requested: int | None = None) -> int:
    """Return the number of resamples of whole curves for a note; 0, for long lists or on request, leaves the note out.

    >>> curves_for_a_note(569), curves_for_a_note(30_000), curves_for_a_note(569, 150), curves_for_a_note(569, 0)
    (400, 0, 150, 0)
    """
    if scores > LONG or requested == 0:
        return 0
    return CURVES_FOR_A_NOTE if requested is None else max(FEWEST_CURVES, min(requested, CURVES_FOR_A_NOTE))


def left_out(scores: int, used: int = 0) -> str:
    """Return the note that intervals without a closed form, or simulated ones, were left out."""
    what = "of calibration errors" if used else "without a closed form"
    how = "simulating" if used else "resampling"
    return Text(
        f"Intervals {what} are left out, because {how} {scores:,} distinct scores takes long; add ",
        *(Argument("resamples", 200), " for them."),
    )


def fewer(scores: int, used: int, requested: int | None = None) -> str:
    """Return the note that fewer resamples than usual were drawn; empty otherwise."""
    if requested is not None or not used or used == RESAMPLES:
        return ""
    return Text(
        f"The bootstrap intervals are from {used} resamples, because there are {scores:,} distinct scores; add ",
        *(Argument("resamples", RESAMPLES), " for more."),
    )
