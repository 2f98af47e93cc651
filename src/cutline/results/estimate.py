"""The result that every interval comes in."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from cutline.core.array_ops import Array, Symbol
from cutline.core.escaping import html_text
from cutline.core.table import ComparedByFields, Table, format_both_limits, format_value, to_json_value
from cutline.results.method_titles import RESAMPLED, format_method
from cutline.results.notes import Caveat, find_warning

_FAR_TAIL = 0.9999  # levels beyond which Newton's method may overshoot
_HEAVY_TAILS = 3.0  # degrees of freedom: with fewer, the density is too steep for the integral
_NORMAL = 1e7  # degrees of freedom, from which on Student's distribution is the normal one


class Limits(NamedTuple):
    """The two ends of an interval."""

    low: Any
    high: Any


class Interval(NamedTuple):
    """The limits of a method, its notes, and the method that replaced it, if one did."""

    limits: Limits
    notes: Sequence[str] = ()
    method: str = ""


def quantile(level: float) -> float:
    """Return the standard normal quantile of a two-sided level: 1.96 for 95 %."""
    from statistics import NormalDist

    return NormalDist().inv_cdf((1 + level) / 2)


@cache
def _make_quadrature() -> tuple[Array, Array]:
    """Return the nodes and weights of a quadrature."""
    return np.polynomial.legendre.leggauss(48)  # type: ignore[no-any-return, no-untyped-call, unused-ignore]


def student_quantile(level: float, freedom: Any) -> Any:
    """Return the Student quantile of a two-sided level: 2.23 for 95 % and 10 degrees of freedom.

    Newton's method on the integral of the density, without scipy, which takes longer to load than a small file to read.
    """
    z = quantile(level)
    if isinstance(freedom, Symbol):  # of a traced definition: whoever runs its program has this operation
        return np.where(freedom > _NORMAL, z, freedom.student_quantile(level))
    if freedom > _NORMAL:
        return z
    if level > _FAR_TAIL or freedom < _HEAVY_TAILS:
        from scipy.special import stdtrit

        return -float(stdtrit(freedom, (1 - level) / 2))
    nodes, weights = _make_quadrature()
    factor = _compute_gamma_ratio(freedom / 2) / math.sqrt(math.pi)
    angle = math.atan(z / math.sqrt(freedom))  # t is the tangent of it times the root of the degrees of freedom
    for _ in range(60):
        # The density is a power of the cosine, which is taken by a logarithm that stays exact near 1.
        log_cosines = np.log1p(-(np.sin(angle * (nodes + 1) / 2) ** 2)) / 2
        inside = angle * float(weights @ np.exp((freedom - 1) * log_cosines))
        step = (level / factor - inside) / (2 * math.exp((freedom - 1) * math.log1p(-(math.sin(angle) ** 2)) / 2))
        angle = min(angle + step, (angle + math.pi / 2) / 2)
        if abs(step) <= 1e-14 * angle:
            break
    return math.sqrt(freedom) * math.tan(angle)


def _compute_gamma_ratio(x: float) -> float:
    """Return the gamma function at x + 1/2, divided by that at x.

    A difference of logarithms would lose as many digits as the argument has; Stirling's series has none to lose.
    """
    factor = 1.0
    while x < 32:  # by the recurrence, to where the series is exact
        factor *= x / (x + 0.5)
        x += 1
    series = 1 - 1 / (8 * x) + 1 / (128 * x**2) + 5 / (1024 * x**3) - 21 / (32768 * x**4) - 399 / (262144 * x**5)
    return factor * math.sqrt(x) * (series + 869 / (4194304 * x**6) + 39325 / (33554432 * x**7))


@dataclass(frozen=True, eq=False)
class Estimate(ComparedByFields):
    """A value with its interval, the method, and notes.

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
        """Return the warning about the interval, if there is one; all other notes are details."""
        return find_warning(self.notes)

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __float__(self) -> float:
        return self.value

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, ready for JSON: numbers that are not finite become None."""
        values = {field.name: to_json_value(getattr(self, field.name)) for field in fields(self)}
        return values | {"notes": list(self.notes)}

    def __repr__(self) -> str:
        interval = f" [{', '.join(format_both_limits(self.low, self.high))}]" if self.has_interval else ""
        head = (
            f"{self.measure} {format_value(self.value)}{interval} ({100 * self.level:g} %, "
            f"{format_method(self.method)})"
        )
        return "\n".join([head, *(f"  note: {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        percent = f"{100 * self.level:g} % interval"
        interval = " to ".join(format_both_limits(self.low, self.high)) if self.has_interval else "none"
        columns = ("measure", "value", percent, "method")
        table = Table(columns, ((self.measure, self.value, interval, format_method(self.method)),))._repr_html_()
        notes = "".join(f"<li>{html_text(note)}</li>" for note in self.notes)
        return table + (f"<ul>{notes}</ul>" if notes else "")


class Estimated(ComparedByFields):
    """A row of a summary, which holds an estimate."""

    estimate: Estimate

    @property
    def value(self) -> float:
        """Return the value, or the difference a - b; NaN if it is undefined."""
        return self.estimate.value

    @property
    def interval(self) -> tuple[float, float] | None:
        """Return the limits of the interval, if there is one."""
        return (self.estimate.low, self.estimate.high) if self.estimate.has_interval else None


def with_note(estimates: Iterable[Estimate], note: str) -> list[Estimate]:
    """Return the estimates, with a note on those whose interval is resampled; an empty note is left out."""
    return [replace(e, notes=(*e.notes, note)) if note and e.method in RESAMPLED else e for e in estimates]
