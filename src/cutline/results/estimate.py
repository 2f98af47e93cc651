"""The result that every interval comes in."""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any, NamedTuple

from cutline.core.equality import ComparedByFields
from cutline.core.table import Table, plain, shown, shown_limits
from cutline.results.caveat import Caveat, find_warning
from cutline.results.method_titles import RESAMPLED, method_title

_FAR_TAIL = 0.9999  # levels beyond which Newton's method may overshoot
_NORMAL = 1e7  # degrees of freedom, from which on Student's distribution is the normal one


class Limits(NamedTuple):
    """The two ends of an interval."""

    low: Any
    high: Any


class Interval(NamedTuple):
    """The limits that a method gives, what qualifies them, and the method that stood in for it, if one did."""

    limits: Limits
    notes: Sequence[str] = ()
    method: str = ""


def quantile(level: float) -> float:
    """How many standard errors an interval of a level extends to each side: 1.96 for 95 %."""
    from statistics import NormalDist

    return NormalDist().inv_cdf((1 + level) / 2)


@cache
def _nodes() -> tuple[Any, Any]:
    """Where an integral is evaluated, and with which weights."""
    import numpy as np

    return np.polynomial.legendre.leggauss(48)  # type: ignore[no-any-return, no-untyped-call, unused-ignore]


def student_quantile(level: float, freedom: float) -> float:
    """As `quantile`, of Student's distribution: 2.23 for 95 % and 10 degrees of freedom; very many are normal.

    Newton's method on the integral of the density, without scipy, which takes longer to load than a small file to read.
    """
    z = quantile(level)
    if freedom > _NORMAL:
        return z
    if level > _FAR_TAIL:
        from scipy.special import stdtrit

        return -float(stdtrit(freedom, (1 - level) / 2))
    import numpy as np

    nodes, weights = _nodes()
    log_factor = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2) - math.log(math.pi) / 2
    angle = math.atan(z / math.sqrt(freedom))  # t is the tangent of it times the root of the degrees of freedom
    for _ in range(60):
        inside = 2 * angle * float(weights @ np.cos(angle * (nodes + 1) / 2) ** (freedom - 1)) / 2
        gap = level - math.exp(log_factor) * inside
        density = 2 * math.exp(log_factor) * math.cos(angle) ** (freedom - 1)
        step = gap / density
        angle = min(angle + step, (angle + math.pi / 2) / 2)
        if abs(step) <= 1e-14 * angle:
            break
    return math.sqrt(freedom) * math.tan(angle)


@dataclass(frozen=True, eq=False)
class Estimate(ComparedByFields):
    """A value with its interval, how it was made, and what qualifies it.

    `low` and `high` are NaN when there is no interval; `notes` says why, as it says when a condition of the method
    failed, when limits were cut at the range of the measure, or when resamples had to be redrawn.

    >>> Estimate("recall", 0.6, 0.1466, 0.9473, level=0.95, method="clopper_pearson")
    recall 0.6000 [0.1466, 0.9473] (95 %, Clopper-Pearson)
    """

    measure: str
    value: float
    low: float
    high: float
    level: float
    method: str
    notes: tuple[str, ...] = ()

    @property
    def has_interval(self) -> bool:
        """Whether both limits are known."""
        return not (math.isnan(self.low) or math.isnan(self.high))

    @property
    def warning(self) -> Caveat | None:
        """What is likely wrong with the interval, if anything; all other notes are details."""
        return find_warning(self.notes)

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __float__(self) -> float:
        return self.value

    def to_dict(self) -> dict[str, Any]:
        """The fields, ready for JSON: what is not a finite number is None."""
        found = {field.name: plain(getattr(self, field.name)) for field in fields(self)}
        return found | {"notes": list(self.notes)}

    def __repr__(self) -> str:
        interval = f" [{', '.join(shown_limits(self.low, self.high))}]" if self.has_interval else ""
        head = f"{self.measure} {shown(self.value)}{interval} ({100 * self.level:g} %, {method_title(self.method)})"
        return "\n".join([head, *(f"  note: {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        percent = f"{100 * self.level:g} % interval"
        interval = " to ".join(shown_limits(self.low, self.high)) if self.has_interval else "none"
        columns = ("measure", "value", percent, "method")
        table = Table(columns, ((self.measure, self.value, interval, method_title(self.method)),))._repr_html_()
        notes = "".join(f"<li>{html.escape(note)}</li>" for note in self.notes)
        return table + (f"<ul>{notes}</ul>" if notes else "")


class Estimated:
    """A row of a summary, which holds an estimate."""

    estimate: Estimate

    @property
    def value(self) -> float:
        """The value, or by how much a exceeds b; NaN where it is undefined."""
        return self.estimate.value

    @property
    def interval(self) -> tuple[float, float] | None:
        """The limits of the interval, if there is one."""
        return (self.estimate.low, self.estimate.high) if self.estimate.has_interval else None


def with_note(found: Iterable[Estimate], note: str) -> list[Estimate]:
    """The estimates, with a note about resampling on those whose interval is resampled; none when it is empty."""
    return [replace(e, notes=(*e.notes, note)) if note and e.method in RESAMPLED else e for e in found]
