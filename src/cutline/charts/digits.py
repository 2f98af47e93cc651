"""Numbers for a chart: as few digits as tell its values apart."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cutline.core.ranking import Ranking

DIGITS = 6
WHOLE = 2**53  # up to here every whole number is a float


def digits(values: Any) -> int:
    """How many digits tell values apart to 1e-5 of their range: more than six for large ones close together.

    Of a value alone, to 1e-5 of one.

    >>> digits([0.0, 0.25, 1.0]), digits([1e9, 1e9 + 10]), digits([0.7]), digits([123456.789])
    (6, 14, 6, 11)
    """
    column = np.asarray(values)
    if column.dtype.kind not in "iuf":
        return DIGITS
    finite = column[np.isfinite(column)].astype(float)
    largest = float(np.abs(finite).max(initial=0.0))
    if not largest:
        return DIGITS
    spread = float(np.ptp(finite / largest))  # as a share of the largest: a difference may overflow
    more = -math.log10(spread) if spread else math.log10(largest)
    return min(DIGITS + max(0, math.floor(more)), 17)


def plain(value: Any, digits: int = DIGITS) -> Any:
    """A value for the data of a chart: so many digits, whole numbers as such, nothing for what is not finite."""
    if isinstance(value, str):
        return value
    number = float(value)
    if not math.isfinite(number):
        return None
    return int(number) if number.is_integer() and abs(number) < WHOLE else float(f"{number:.{digits}g}")


def score_text(ranking: Ranking, score: float, fewer: int = 0) -> str:
    """A score or threshold in words, with the digits that tell the scores of a ranking apart.

    >>> from cutline import rank
    >>> score_text(rank([1, 0], [0.25, 0.75]), 0.5), score_text(rank([1, 0], [1e9, 1e9 + 40]), 1e9 + 5)
    ('0.5', '1000000005')
    """
    return f"{score:.{digits(ranking.score) - fewer}g}"


def rule_text(ranking: Ranking, threshold: float) -> str:
    """Who is flagged at a threshold, in words."""
    return f"score {'≥' if ranking.higher_is_positive else '≤'} {score_text(ranking, threshold)}"
