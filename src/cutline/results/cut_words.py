"""Counts, thresholds and the rule of a cut in words, in the digits that people read and copy."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from cutline.core.counts import Counts, written
from cutline.core.ranking import Ranking

_LONG = 5  # digits from which on they are grouped by thin spaces, as the page's program does
_FEWEST_DIGITS = 6


def rule_of(r: Ranking, c: Counts) -> str:
    """Return who is flagged, such as "score ≥ 0.5"; of a quota that ends inside a tie, its places."""
    if not math.isfinite(c.threshold) and not c.flagged:
        return f"threshold {'above' if r.higher_is_positive else 'below'} every score"
    if is_inside_tie(r, c):
        return f"the first {grouped(c.flagged)} cases ({shared_places(r, c)})"
    return f"score {'≥' if r.higher_is_positive else '≤'} {spelled(r, float(c.threshold))}"


def is_inside_tie(r: Ranking, c: Counts) -> bool:
    """Whether a quota ends inside a tie, so that the counts are expectations and no threshold flags these cases."""
    return bool(math.isfinite(c.threshold) and abs(float(r.at_threshold(c.threshold).flagged - c.flagged)) > 1e-9)


def shared_places(r: Ranking, c: Counts) -> str:
    """Return who shares the last places of a quota that ends inside a tie."""
    return f"the last places shared among ties at {spelled(r, float(c.threshold))}"


class Outcomes(NamedTuple):
    """How many positives a cut finds and misses, and its false alarms, as a sentence counts them."""

    found: Any
    missed: Any
    false: Any
    about: str

    @classmethod
    def at(cls, r: Ranking, c: Counts) -> Outcomes:
        """Return the counts; inside a tie they are expectations, of which people read whole cases, "about" so many."""
        if not is_inside_tie(r, c):
            return cls(c.tp, c.fn, c.fp, "")
        found = _whole(c.tp)
        return cls(found, _whole(c.positives - found), _whole(c.flagged - found), "about ")


def _whole(count: Any) -> int:
    """Return the nearest whole number, of two the larger; rounding errors of an expectation do not decide."""
    return math.floor(round(float(count), 6) + 0.5)


def spelled(r: Ranking, threshold: float) -> str:
    """Return a threshold in few digits, but enough to cut at the same place, because people copy it."""
    place = r.cut(threshold)
    for digits in range(_FEWEST_DIGITS, 17):
        short = float(f"{threshold:.{digits}g}")
        if r.cut(short) == place:
            return _shortest(short)
    return _shortest(threshold)


def _shortest(number: float) -> str:
    """Return a number as the page's program writes it."""
    if not math.isfinite(number):
        return "∞" if number > 0 else "\N{MINUS SIGN}∞"
    if number == int(number) and abs(number) < 1e21:
        return str(int(number))
    if 1e-6 <= abs(number) < 1e21:
        return np.format_float_positional(number, trim="-")
    return repr(number).replace("e-0", "e-")


def grouped(count: Any) -> str:
    """Return a count with thin spaces between the thousands of a large number."""
    whole, point, rest = written(count).partition(".")
    if len(whole) >= _LONG and whole.isdigit():
        whole = f"{int(whole):,}".replace(",", "\N{THIN SPACE}")
    return f"{whole}{point}{rest}"
