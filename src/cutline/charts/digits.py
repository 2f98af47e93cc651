"""Numbers for a chart: as few digits as tell its values apart."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cutline.core.ranking import Ranking

DIGITS = 6
_EXACT = 22  # powers of ten up to this one are exact
WHOLE = 2**53  # up to here every whole number is a float


def digits(values: Any) -> int:
    """Return how many digits tell values apart to 1e-5 of their range: more than six for large ones close together.

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
    """Round a value for the data of a chart; whole numbers become integers, non-finite ones None."""
    if isinstance(value, str):
        return value
    number = float(value)
    if not math.isfinite(number):
        return None
    return int(number) if number.is_integer() and abs(number) < WHOLE else float(f"{number:.{digits}g}")


def plain_column(column: Any) -> list[Any]:
    """Return a column for the data of a chart, in as few digits as tell its values apart.

    >>> plain_column([0.1234567, 2.0, float("nan")]), plain_column([1.0, 2.0]), plain_column(["a"])
    ([0.123457, 2.0, None], [1, 2], ['a'])
    """
    values = np.asarray(column)
    if values.dtype.kind not in "iuf":
        return [plain(value) for value in column]
    enough, numbers = digits(values), values.astype(float)
    if len(numbers) and np.isfinite(numbers).all() and (numbers == np.floor(numbers)).all():
        whole_numbers: list[Any] = (numbers.astype(np.int64) if np.abs(numbers).max() < WHOLE else numbers).tolist()
        return whole_numbers
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        places = enough - 1 - np.floor(np.log10(np.abs(numbers)))
    # Powers of ten beyond these are no exact numbers, and would leave digits that nobody wrote.
    if not (np.abs(places[np.isfinite(places)]) <= _EXACT).all():
        return [plain(value, enough) for value in numbers.tolist()]
    places = np.where(np.isfinite(places), places, 0.0)
    up, down = 10.0 ** np.maximum(places, 0), 10.0 ** np.maximum(-places, 0)
    rounded = np.round(numbers * up / down) / up * down
    whole = np.abs(numbers) < WHOLE
    column_values: list[Any] = np.where((numbers == np.floor(numbers)) & whole, numbers, rounded).tolist()
    if np.isfinite(numbers).all():
        return column_values
    return [value if math.isfinite(value) else None for value in column_values]


def score_text(ranking: Ranking, score: float, fewer: int = 0) -> str:
    """Return a score or threshold in words, with the digits that tell the scores of a ranking apart.

    >>> from cutline import rank
    >>> score_text(rank([1, 0], [0.25, 0.75]), 0.5), score_text(rank([1, 0], [1e9, 1e9 + 40]), 1e9 + 5)
    ('0.5', '1000000005')
    """
    return f"{score:.{digits(ranking.score) - fewer}g}"


def rule_text(ranking: Ranking, threshold: float) -> str:
    """Return the rule that flags a case at a threshold, in words."""
    return f"score {'≥' if ranking.higher_is_positive else '≤'} {score_text(ranking, threshold)}"
