"""What the coverage laboratory measured of intervals and tests that carry a note on their coverage.

The figures are those of `python benchmarks/noted_coverage.py`, which reads the stored results; a test compares them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from cutline.core.ranking import Ranking
from cutline.core.validation import LEVEL
from cutline.inference.effective_size import effective
from cutline.results.estimate import Estimate

FEW = 15  # cases of a class: populations with fewer are told of by themselves
QUALIFIED = "actual coverage"  # what a note on coverage says


class Measured(NamedTuple):
    """Between which shares of samples intervals held the truth, in percent, in all but the extreme tenths of cells."""

    low: int
    high: int


# By the method, and whether a class has few cases. A cell is a measure in a population, noted in most samples.
FIGURES = {
    ("bias_corrected", False): Measured(89, 96),
    ("bootstrap", False): Measured(95, 98),
    ("bootstrap", True): Measured(97, 100),
    ("inversion", False): Measured(92, 100),
    ("inversion", True): Measured(95, 99),
    ("likelihood", False): Measured(75, 92),
    ("mover", False): Measured(96, 100),
    ("mover", True): Measured(93, 100),
    ("newcombe_delong", False): Measured(95, 100),
    ("smoothed", True): Measured(91, 99),
    ("student", False): Measured(91, 99),
    ("student", True): Measured(89, 98),
}

# The share of equal models, in percent, that a test at 5 % says to differ.
TESTED = {
    ("bootstrap", True): Measured(2, 8),
    ("student", False): Measured(2, 4),
}


def quoted_of_test(method: str, notes: tuple[str, ...], ranking: Ranking) -> tuple[str, ...]:
    """The notes on a two-sided test with what was measured of tests like it, if one says that it is in doubt.

    Args:
        method: The method of the test.
        notes: What qualifies it.
        ranking: The cases.
    """
    is_few = 0 < float(min(effective(ranking))) < FEW
    figures = TESTED.get((method, is_few))
    if figures is None or not any(QUALIFIED in note or "error rate" in note for note in notes):
        return notes
    told = (
        f"In simulations{_where(is_few)}, tests of equal models at 5 % by this method that carried such a note "
        f"rejected {figures.low} to {figures.high} % of the time (docs/coverage.md)."
    )
    return (*notes, told)


def quoted(found: Estimate, ranking: Ranking) -> Estimate:
    """The estimate with what was measured of intervals like it, if a note says that its coverage is in doubt.

    The laboratory has intervals of 95 % only: of others nothing is told.

    Args:
        found: The estimate.
        ranking: The cases, of both classes or of one.
    """
    fewest = float(min(effective(ranking)))
    if found.level != LEVEL or not fewest > 0 or not any(QUALIFIED in note for note in found.notes):
        return found
    is_few = fewest < FEW
    figures = FIGURES.get((found.method, is_few))
    if figures is None:
        return found
    told = (
        f"In simulations{_where(is_few)}, {100 * LEVEL:g} % intervals by this method that carried such a note held the "
        f"truth in {figures.low} to {figures.high} % of the samples (the middle four fifths of measures and "
        "populations; docs/coverage.md)."
    )
    return replace(found, notes=(*found.notes, told))


def _where(is_few: bool) -> str:
    """Which populations are meant."""
    return f" with fewer than {FEW} cases of a class" if is_few else ""
