"""Curves: two measures of the same cuts with a rule for joining the points, and the mean of several."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.counts import Counts
from cutline.core.errors import InputError, ParameterError, hint_similar
from cutline.core.public import public
from cutline.core.ranking import Ranking
from cutline.core.table import ComparedByFields, Table, format_value, make_frame, to_json_value
from cutline.measures import Measure, Needs, Parameter, UndefinedWhen
from cutline.measures.metadata import ONE_CLASS

# How neighbouring vertices are joined. On a step, a value holds on the way to its vertex, or from it to the next.
Between = Literal["line", "step-before", "step-after"]


# The distances between scores that drawing programs can compute with.
FARTHEST, NEAREST = 1e300, 1e-300
BELOW_ZERO = 0.1


class Vertices(NamedTuple):
    """The cuts or list positions that a curve goes through; the first flags no case."""

    ranking: Ranking
    counts: Counts
    places: Array
    parameters: Mapping[str, Any] = MappingProxyType({})

    def select_parameters(self, measure: Measure) -> dict[str, Any]:
        """Return those parameters of the curve that the measure has, too."""
        return {name: value for name, value in self.parameters.items() if name in measure.parameters}


class Point(NamedTuple):
    """A point in the plane of a curve, and the threshold of its cut."""

    threshold: float
    x: float
    y: float


@dataclass(frozen=True, eq=False)
class Axis:
    """One axis of a curve: the value at each vertex, its title and its range.

    `is_count` says that the values are numbers of cases, so that ticks stand at whole numbers only.
    """

    name: str
    title: str
    read: Callable[[Vertices], Any]
    range: tuple[float, float] = (-math.inf, math.inf)
    is_count: bool = False

    def choose_domain(self, values: Array) -> tuple[float, float]:
        """Return the ends of the drawn axis for these values: the whole range if it is finite.

        If the range has an upper but no lower bound, as that of the net benefit, the axis goes from a little below
        zero to the highest value. Values beyond `FARTHEST` lie on the end of the axis.
        """
        if math.isfinite(self.range[0]) and math.isfinite(self.range[1]):
            return float(self.range[0]), float(self.range[1])
        values = np.clip(values[np.isfinite(values)], -FARTHEST, FARTHEST)
        low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
        if self is THRESHOLD:
            return (
                (0.0, 1.0)
                if low >= 0 and high <= 1
                else (low, high if high - low > NEAREST else low + max(1.0, 1e-9 * abs(low)))
            )
        if math.isinf(self.range[0]) and not math.isinf(self.range[1]):
            return (-BELOW_ZERO * high, high) if high > 0 else (low, max(high, low + 1.0))
        low, high = (
            end if math.isinf(bound) else float(bound) for end, bound in zip((low, high), self.range, strict=True)
        )
        return low, high if high > low else low + 1.0


def make_axis(measure: Measure) -> Axis:
    """Return the axis of a measure of one cut, or of a quota: its values at the vertices, under its title."""
    if measure.needs is Needs.COUNTS:
        return Axis(
            measure.name,
            measure.title,
            lambda v: measure.compute(v.counts, **v.select_parameters(measure)),
            measure.range,
        )
    return Axis(measure.name, measure.title, lambda v: measure.compute(v.ranking, quota=v.places), measure.range)


THRESHOLD = Axis("threshold", "Threshold", lambda v: v.counts.threshold)
FLAGGED = Axis("flagged", "Cases flagged", lambda v: v.places, (0, math.inf), is_count=True)


def take_every_cut(r: Ranking, **_: Any) -> Vertices:
    """Return a vertex for each distinct score."""
    return Vertices(r, r.counts, r.ends)


def take_cuts(r: Ranking, cuts: Array) -> Vertices:
    """Return a vertex for each of the given cuts."""
    return Vertices(r, select_cuts(r.counts, cuts), r.ends[cuts])


def select_cuts(c: Counts, cuts: Array) -> Counts:
    """Return the counts of some of the cuts."""
    return Counts(c.tp[cuts], c.fp[cuts], c.fn[cuts], c.tn[cuts], c.threshold[cuts], c.is_risk)


@dataclass(frozen=True, eq=False, kw_only=True)
class CurveKind:
    """A curve is two measures of one cut, drawn against each other at every cut.

    `extends_to_start` says that the first value is also drawn at the start, where nobody is flagged and the measure is
    undefined. `references` are the curves of a score without information ("baseline") and of a perfect order
    ("perfect"); `compute_more_values` returns values of the curve that are not measures.
    """

    name: str
    title: str
    x: Axis
    y: Axis
    between: Between
    also: tuple[Axis, ...] = ()
    area: Measure | None = None
    measures: tuple[Measure, ...] = ()
    undefined: tuple[UndefinedWhen, ...] = ()
    vertices: Callable[..., Vertices] = take_every_cut
    points: Callable[[Ranking], Mapping[str, Point]] = lambda _: {}
    compute_more_values: Callable[[Ranking], Mapping[str, float]] = lambda _: {}
    references: tuple[str, ...] = ()
    extends_to_start: bool = False
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CurveKind) and (self.name, self.title) == (other.name, other.title)

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> tuple[Any, ...]:
        return _get_kind, (self.name,)  # a kind is one object, and holds functions that cannot be pickled

    def __call__(self, ranking: Ranking, **parameters: Any) -> Curve:
        """Return the curve of a ranking; raise if the ranking lacks what the curve needs."""
        self.check_parameters(parameters)
        self.check_ranking(ranking)
        vertices = self._make_vertices(ranking, parameters)
        values = {
            str(m): float(m.compute(ranking, **vertices.select_parameters(m))) for m in self.measures if m.fits(ranking)
        }
        return Curve(
            kind=self,
            counts=vertices.counts,
            x=np.asarray(self.x.read(vertices)),
            y=np.asarray(self.y.read(vertices), dtype=float),
            also={axis.name: np.asarray(axis.read(vertices), dtype=float) for axis in self.also},
            area=self._compute_area(ranking, values),
            values=values | dict(self.compute_more_values(ranking)),
            points=dict(self.points(ranking)),
            beside={
                name: self._make_reference(REFERENCES[name](ranking, **parameters), parameters)
                for name in self.references
            },
        )

    def locate(self, ranking: Ranking, threshold: float, **parameters: Any) -> Point:
        """Return the point of the cut at a threshold in the plane of the curve.

        Args:
            ranking: The ranking.
            threshold: The threshold of the cut.
            **parameters: The parameters of the curve.
        """
        counts = ranking.at_threshold(threshold)
        vertices = Vertices(ranking, counts, np.asarray(counts.flagged, dtype=float), parameters)
        return Point(threshold, float(self.x.read(vertices)), float(self.y.read(vertices)))

    def check_parameters(self, parameters: Mapping[str, Any]) -> None:
        """Raise if the curve does not have a parameter, or the parameter does not take its value."""
        for name, value in parameters.items():
            if name not in self.parameters:
                takes = f"it takes {', '.join(self.parameters)}" if self.parameters else "it takes none"
                raise ParameterError(
                    f"The curve {self.name} has no parameter {name!r}",
                    f"{takes}",
                    hint=hint_similar(name, self.parameters),
                )
            parameter = self.parameters[name]
            parameter.check(name, value, None)
            if isinstance(parameter.example, int) and value != int(value):
                raise ParameterError(f"is {value!r}", "pass a whole number", argument=name)

    def check_ranking(self, ranking: Ranking) -> None:
        """Raise if a ranking lacks what the curve needs, such as cases of both classes."""
        for condition in self.undefined:
            if np.any(condition.holds(ranking)):
                remedy = "cases of both classes" if condition in ONE_CLASS else "finite scores on an ordinary scale"
                raise InputError(f"The curve {self.name} cannot be drawn, {condition.words}", f"pass {remedy}")

    def _compute_area(self, ranking: Ranking, values: Mapping[str, float]) -> float | None:
        """Return the area under the curve, from the values if it is one of them."""
        if self.area is None:
            return None
        known = values.get(str(self.area))
        return float(self.area.compute(ranking)) if known is None else known

    def _make_vertices(self, ranking: Ranking, parameters: Mapping[str, Any]) -> Vertices:
        return self.vertices(ranking, **parameters)._replace(parameters=parameters)

    def _make_reference(self, ranking: Ranking, parameters: Mapping[str, Any]) -> Curve:
        vertices = self._make_vertices(ranking, parameters)
        x, y = np.asarray(self.x.read(vertices)), np.asarray(self.y.read(vertices), dtype=float)
        return Curve(kind=self, counts=vertices.counts, x=x, y=y)

    def __repr__(self) -> str:
        return f"<curve {self.name}: {self.title}>"


def make_baseline_ranking(r: Ranking, prevalence: float | None = None, **_: Any) -> Ranking:
    """Return the ranking of the same cases by a constant score.

    Args:
        r: The ranking.
        prevalence: The share of positives of the baseline; if None, the share in the ranking.
    """
    if prevalence is not None:
        return Ranking.of_counts([0.0], [prevalence * float(r.total)], [(1 - prevalence) * float(r.total)])
    return Ranking.of_counts([0.0], r.positives[None], r.negatives[None])


def make_perfect_ranking(r: Ranking, **_: Any) -> Ranking:
    """Return the ranking of the same cases by a model that puts all positives first."""
    nothing = np.zeros_like(r.positives)
    return Ranking.of_counts([1.0, 0.0], np.array([r.positives, nothing]), np.array([nothing, r.negatives]))


REFERENCES: dict[str, Callable[..., Ranking]] = {"baseline": make_baseline_ranking, "perfect": make_perfect_ranking}


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Curve(ComparedByFields):
    """The vertices of one curve: `threshold`, `x` and `y` of one length, from the cut that flags nobody.

    `also` holds further lines over the same x, `area` the measure that is the area under the curve, `values` the
    measures that belong to the curve, `points` its named points, and `beside` the reference curves.
    """

    kind: CurveKind
    counts: Counts
    x: Array
    y: Array
    also: Mapping[str, Array] = field(default_factory=dict)
    area: float | None = None
    values: Mapping[str, float] = field(default_factory=dict)
    points: Mapping[str, Point] = field(default_factory=dict)
    beside: Mapping[str, Curve] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Name of the kind of curve."""
        return self.kind.name

    @property
    def title(self) -> str:
        """Title of the kind of curve."""
        return self.kind.title

    @property
    def threshold(self) -> Array:
        """Threshold of each vertex; beyond every score for the first."""
        return np.asarray(self.counts.threshold)

    @property
    def domain(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Ends of the two drawn axes."""
        y = np.concatenate([self.y, *self.also.values()]) if self.also else self.y
        return self.kind.x.choose_domain(self.x), self.kind.y.choose_domain(y)

    def __len__(self) -> int:
        return len(self.x)

    def columns(self) -> dict[str, Array]:
        """Return the columns of the curve by name: threshold, counts and coordinates."""
        c = self.counts
        counts = {"threshold": self.threshold, "tp": c.tp, "fp": c.fp, "fn": c.fn, "tn": c.tn}
        return counts | {self.kind.x.name: self.x, self.kind.y.name: self.y} | dict(self.also)

    @public
    def to_frame(self, backend: str = "pandas") -> Any:
        """Return a row for each vertex, as a data frame of pandas, polars or pyarrow."""
        return make_frame(self.columns(), backend)

    def to_dict(self) -> dict[str, Any]:
        """Return the curve, ready for JSON: numbers that are not finite become None."""
        return {
            "name": self.name,
            "title": self.title,
            "x": self.kind.x.name,
            "y": self.kind.y.name,
            "area": to_json_value(self.area),
            "values": {name: to_json_value(value) for name, value in self.values.items()},
            "points": {name: [to_json_value(part) for part in point] for name, point in self.points.items()},
            "vertices": {name: [to_json_value(v) for v in column.tolist()] for name, column in self.columns().items()},
        }

    def __repr__(self) -> str:
        measure = self.kind.area
        area = "" if self.area is None or measure is None else f"; {measure.title.lower()}: {format_value(self.area)}"
        return f"{self.title}: {self.kind.y.title} over {self.kind.x.title}, {len(self)} points{area}"

    def _repr_html_(self) -> str:
        some = np.unique(np.linspace(0, len(self) - 1, min(6, len(self))).astype(int))
        columns = (self.threshold, np.asarray(self.x, dtype=float), self.y)
        names = ("threshold", self.kind.x.title, self.kind.y.title)
        rows = tuple(tuple(float(column[i]) for column in columns) for i in some)
        return Table(names, rows, title=repr(self))._repr_html_()


def _get_kind(name: str) -> CurveKind:
    """Return the registered kind of curve with this name."""
    from cutline.curves import CURVES

    return CURVES[name]


# ---------------------------------------------------------------------- the mean of several ROC curves


def average_roc(rankings: Sequence[Ranking]) -> tuple[Array, Array]:
    """Return the mean of several ROC curves at every false positive rate; the area under it is the mean AUC.

    Where a curve rises vertically there are two points, below and above the rise, so that the mean is exact.

    >>> first, second = Ranking.of_counts([2, 1], [1, 0], [0, 1]), Ranking.of_counts([2, 1], [0, 1], [1, 0])
    >>> [side.tolist() for side in average_roc([first, second])]
    [[0.0, 0.0, 1.0, 1.0], [0.0, 0.5, 0.5, 1.0]]
    """
    rates = np.unique(np.concatenate([r.fpr for r in rankings]))
    low, high = (
        np.mean([_compute_recall_beside_rise(r, rates, side) for r in rankings], axis=0) for side in ("left", "right")
    )
    x, y = np.repeat(rates, 2), np.column_stack((low, high)).ravel()
    corners = np.concatenate(([True], (np.diff(x) > 0) | (np.diff(y) > 0)))
    return x[corners], y[corners]


def interpolate_recall(r: Ranking, rates: Array) -> Array:
    """Return the recall of the ROC curve at the given false positive rates.

    Args:
        r: The ranking.
        rates: The false positive rates.
    """
    return np.interp(rates, r.fpr, r.tpr)


def find_precision(r: Ranking, recalls: Array) -> Array:
    """Return the precision of the first cut that reaches each recall.

    >>> find_precision(Ranking.of_counts([3, 2, 1], [1, 0, 1], [0, 1, 0]), np.array([0.5, 1.0])).round(4).tolist()
    [1.0, 0.6667]

    Args:
        r: The ranking.
        recalls: The recalls.
    """
    flagged = np.asarray(r.tp + r.fp, dtype=float)[1:]
    precision = np.asarray(r.tp, dtype=float)[1:] / flagged
    first = np.searchsorted(np.asarray(r.tpr, dtype=float)[1:], np.maximum(recalls, 1e-12) - 1e-12)
    return np.asarray(precision[np.minimum(first, len(precision) - 1)])


def _compute_recall_beside_rise(r: Ranking, rates: Array, side: str) -> Array:
    """Return the recall below ("left") or above ("right") the vertical rise at each rate."""
    fpr, tpr = r.fpr, r.tpr
    last = side == "right"
    starts = np.flatnonzero(np.diff(fpr, append=np.inf) > 0) if last else np.flatnonzero(np.diff(fpr, prepend=-1) > 0)
    on_curve = np.interp(rates, fpr[starts], tpr[starts])
    # Between two rates of the curve both sides are the same line, from above one rise to below the next.
    first, end = np.flatnonzero(np.diff(fpr, prepend=-1) > 0), np.flatnonzero(np.diff(fpr, append=np.inf) > 0)
    place = np.searchsorted(fpr[first], rates, side="right") - 1
    exact = fpr[first][place] == rates
    after = np.minimum(place + 1, len(first) - 1)
    width = fpr[first][after] - fpr[first][place]
    share = np.divide(rates - fpr[first][place], width, out=np.zeros_like(rates), where=width > 0)
    between = tpr[end][place] + share * (tpr[first][after] - tpr[end][place])
    return np.where(exact, on_curve, between)
