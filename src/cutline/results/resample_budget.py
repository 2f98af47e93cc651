"""What is resampled, and how many resamples are drawn: the one rule that every view follows.

The number of resamples depends on the length of the list alone, so that a measure has the same interval whichever
others are asked for beside it.
"""

from __future__ import annotations

from cutline.core.validation import check_whole

RESAMPLES = 2000
FEWEST = 100  # resamples, below which limits would be little more than noise
SCORES = 20_000_000  # distinct scores times resamples: longer lists get fewer resamples
WORK = 1_000_000_000  # ... times measures: what a summary of measures that nobody named may cost, some ten seconds
COST_OF_INVERSION = 8  # measures that are resampled, of which the simulations of one calibration error take the time
QUICK = 80_000_000  # ... what a first look at an evaluation may cost, about a second
CURVES = 1000  # resamples of whole curves, each of which costs many times a measure
CURVES_FOR_A_NOTE = 400  # ... that nobody asked for
LONG = 20_000  # kinds of cases, beyond which whole curves are not resampled for a note
FEWEST_CURVES = 40  # resamples, below which a band of curves has no corners to speak of

RULE = (
    f"Intervals use a formula where one exists and the bootstrap otherwise, with {RESAMPLES} resamples up to "
    f"{SCORES // RESAMPLES:,} distinct scores and fewer beyond ({FEWEST} at the least). Where resampling would take "
    "longer than about ten seconds, a summary leaves these intervals out unless a number of resamples is asked for."
)


def resamples_for(scores: int, asked: int | None = None) -> int:
    """How many resamples a list of so many distinct scores gets: as asked, or by the rule.

    >>> resamples_for(569), resamples_for(50_000), resamples_for(4_700_000), resamples_for(569, asked=300)
    (2000, 400, 100, 300)
    """
    if asked is not None:
        return check_whole(asked, "resamples", 0)
    return max(FEWEST, min(RESAMPLES, SCORES // max(scores, 1)))


def affordable(measures: int, scores: int, resamples: int, *, quick: bool = False) -> bool:
    """Whether so many measures of a list are resampled though nobody asked for it; `quick` is for a first look.

    >>> affordable(40, 10_000, 2000), affordable(40, 4_700_000, 100), affordable(40, 10_000, 2000, quick=True)
    (True, False, False)
    """
    return measures * scores * resamples <= (QUICK if quick else WORK)


def curves_for(scores: int) -> int:
    """How many resamples whole curves of a list get where somebody asked for them.

    >>> curves_for(569), curves_for(4_700_000)
    (1000, 100)
    """
    return min(CURVES, resamples_for(scores))


def curves_for_a_note(scores: int, asked: int | None = None) -> int:
    """How many resamples whole curves get for a note; 0, and then there is none, for long lists or if asked for.

    >>> curves_for_a_note(569), curves_for_a_note(30_000), curves_for_a_note(569, asked=150), curves_for_a_note(569, 0)
    (400, 0, 150, 0)
    """
    if scores > LONG or asked == 0:
        return 0
    return CURVES_FOR_A_NOTE if asked is None else max(FEWEST_CURVES, min(asked, CURVES_FOR_A_NOTE))


def left_out(scores: int, used: int = 0) -> str:
    """That intervals without a closed form were left out, in words: all of them, or those that are simulated."""
    what = "of calibration errors" if used else "without a closed form"
    how = "simulating" if used else "resampling"
    return (
        f"Intervals {what} are left out, because {how} {scores:,} distinct scores takes long: "
        "ask for a number of resamples to have them."
    )


def fewer(scores: int, asked: int | None = None) -> str:
    """That the rule drew fewer resamples than usual, in words; empty when it did not."""
    used = resamples_for(scores, asked)
    if asked is not None or used == RESAMPLES:
        return ""
    return (
        f"The bootstrap intervals are from {used} resamples, because there are {scores:,} distinct scores; "
        f"ask for {RESAMPLES} resamples to have more precise ones, which takes longer."
    )
