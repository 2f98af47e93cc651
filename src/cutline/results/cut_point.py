"""Where an evaluation cuts its list: at a threshold, at a quota or at a share of the cases."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from cutline.core import validation
from cutline.core.counts import Counts, format_number
from cutline.core.errors import Argument, ParameterError, Text
from cutline.core.ranking import Ranking
from cutline.inputs.rank import choose_default_threshold, cut_ranking
from cutline.measures import Measure, Needs

_LONG = 5  # digits from which on they are grouped by thin spaces, as the page's program does
_FEWEST_DIGITS = 6


def describe_rule(r: Ranking, c: Counts) -> str:
    """Describe which cases are flagged, such as "score ≥ 0.5"; of a quota that ends inside a tie, its places."""
    if not math.isfinite(c.threshold) and not c.flagged:
        return f"threshold {'above' if r.higher_is_positive else 'below'} every score"
    if is_inside_tie(r, c):
        return f"the first {group_digits(c.flagged)} cases ({describe_shared_places(r, c)})"
    return f"score {'≥' if r.higher_is_positive else '≤'} {format_threshold(r, float(c.threshold))}"


def is_inside_tie(r: Ranking, c: Counts) -> bool:
    """Whether a quota ends inside a tie, so that the counts are expectations and no threshold flags these cases."""
    return bool(math.isfinite(c.threshold) and abs(float(r.at_threshold(c.threshold).flagged - c.flagged)) > 1e-9)


def describe_shared_places(r: Ranking, c: Counts) -> str:
    """Describe which cases share the last places of a quota that ends inside a tie."""
    return f"the last positions shared among ties at {format_threshold(r, float(c.threshold))}"


class Outcomes(NamedTuple):
    """The positives that a cut finds and misses, and its false alarms, as whole numbers for a sentence."""

    found: float
    missed: float
    false: float
    about: str

    @classmethod
    def at(cls, r: Ranking, c: Counts) -> Outcomes:
        """Return the counts; inside a tie they are expectations, shown as "about" a whole number."""
        if not is_inside_tie(r, c):
            return cls(c.tp, c.fn, c.fp, "")
        found = _round_half_up(c.tp)
        return cls(found, _round_half_up(c.positives - found), _round_half_up(c.flagged - found), "about ")


def _round_half_up(count: float) -> int:
    """Return the nearest whole number, rounding halves up; floating-point noise does not decide."""
    return math.floor(round(float(count), 6) + 0.5)


def format_threshold(r: Ranking, threshold: float) -> str:
    """Format a threshold with as few digits as cut at the same place, because people copy it."""
    place = r.cut(threshold)
    for digits in range(_FEWEST_DIGITS, 17):
        short = float(f"{threshold:.{digits}g}")
        if r.cut(short) == place:
            return _format_shortest(short)
    return _format_shortest(threshold)


def _format_shortest(number: float) -> str:
    """Format a number as the page's JavaScript does."""
    if not math.isfinite(number):
        return "∞" if number > 0 else "\N{MINUS SIGN}∞"
    if number == int(number) and abs(number) < 1e21:
        return str(int(number))
    if 1e-6 <= abs(number) < 1e21:
        return np.format_float_positional(number, trim="-")
    return repr(number).replace("e-0", "e-")


def group_digits(count: float) -> str:
    """Format a count with thin spaces between its thousands."""
    whole, point, rest = format_number(count).partition(".")
    if len(whole) >= _LONG and whole.isdigit():
        whole = f"{int(whole):,}".replace(",", "\N{THIN SPACE}")
    return f"{whole}{point}{rest}"


NAMES = ("threshold", "quota", "share")


@dataclass(frozen=True)
class CutPoint:
    """The cut of an evaluation. `threshold` is its score; `quota` or `share` is given if one of them made it."""

    threshold: float
    quota: float | None = None
    share: float | None = None
    is_default: bool = False

    @property
    def parameters(self) -> dict[str, float]:
        """Return the cut as the argument of a measure of one cut."""
        if self.quota is not None:
            return {"quota": self.quota}
        return {"threshold": self.threshold} if self.share is None else {"share": self.share}

    @property
    def by_quota(self) -> bool:
        """Whether the number of flagged cases is given, and not the threshold."""
        return self.quota is not None or self.share is not None

    def complete_parameters(self, measure: Measure, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters of a measure, with this cut added if it needs one and has none."""
        needs_cut = measure.needs is Needs.COUNTS or (self.by_quota and "quota" in measure.required)
        is_named = bool(parameters.keys() & set(NAMES))
        return {**parameters, **self.parameters} if needs_cut and not is_named else dict(parameters)

    def describe(self, ranking: Ranking) -> str:
        """Describe the cut, such as "score >= 0.5"."""
        rule = f"score {'>=' if ranking.higher_is_positive else '<='} {self.threshold:g}"
        if self.by_quota and is_inside_tie(ranking, self.counts(ranking)):
            rule = f"ends among ties at {self.threshold:g}"
        return f"{self.describe_places(ranking)} ({rule})" if self.by_quota else rule

    def describe_places(self, ranking: Ranking) -> str:
        """Describe the places that a quota or a share fills, such as "the 100 highest scores"."""
        end = "highest" if ranking.higher_is_positive else "lowest"
        if self.quota is not None:
            return f"the {format_number(self.quota)} {end} scores"
        return f"the {end} {100 * (self.share or 0):g} % of the scores"

    def is_by_prevalence(self, ranking: Ranking) -> bool:
        """Whether the cut is the default for scores that are not probabilities: it flags as many as are positive."""
        low, high = sorted((float(ranking.score[0]), float(ranking.score[-1])))
        return self.is_default and not (low >= 0 and high <= 1)

    def counts(self, ranking: Ranking) -> Counts:
        """Return the counts of a ranking at this cut."""
        return cut_ranking(ranking, **self.parameters)


def cut_point(ranking: Ranking, threshold: Any = None, quota: Any = None, share: Any = None) -> CutPoint:
    """Return the cut at a threshold, a quota or a share; the default one if none is given."""
    named = [name for name, value in zip(NAMES, (threshold, quota, share), strict=True) if value is not None]
    if len(named) > 1:
        first, *others = (Argument(name) for name in named)
        each = Text(first, *(part for other in others for part in (" and ", other)), " each set the cut")
        raise ParameterError(each, "pass one of them")
    if not named:
        return CutPoint(choose_default_threshold(ranking), is_default=True)
    if threshold is not None:
        return CutPoint(validation.check_number(threshold, "threshold"))
    score = float(cut_ranking(ranking, quota=quota, share=share).threshold)
    return CutPoint(score, None if quota is None else float(quota), None if share is None else float(share))
