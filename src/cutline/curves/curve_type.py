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


# What drawing programs can compute with: scores further apart, or nearer, than this have no places of their own.
FARTHEST, NEAREST = 1e300, 1e-300
BELOW_ZERO = 0.1


class Vertices(NamedTuple):
    """The cuts or list positions that a curve goes through; the first flags no case."""

    ranking: Ranking
    counts: Counts
    places: Array
    parameters: Mapping[str, Any] = MappingProxyType({})

    def of(self, measure: Measure) -> dict[str, Any]:
        """Return the parameters of the curve that a measure takes too."""
        return {name: value for name, value in self.parameters.items() if name in measure.parameters}


class Point(NamedTuple):
    """One place of a picture, and the threshold that leads there."""

    threshold: float
    x: float
    y: float


@dataclass(frozen=True, eq=False)
class Axis:
    """One axis of a curve: the value at each vertex, its title and its range.

    `counted` says that the values are numbers of cases, so that nothing is marked between two whole ones.
    """

    name: str
    title: str
    read: Callable[[Vertices], Any]
    range: tuple[float, float] = (-math.inf, math.inf)
    counted: bool = False

    def domain(self, values: Array) -> tuple[float, float]:
        """Return the ends of the drawn axis for these values: the whole range when that is finite.

        Where values have a highest but no lowest bound, as the net benefit has, what is above zero matters: the axis
        goes from a little below it to the highest value. Values beyond `FARTHEST` lie on the end of the axis.
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


def of(measure: Measure) -> Axis:
    """Return the axis of a measure of one cut, or of a quota: its values at the vertices, under its title."""
    if measure.needs is Needs.COUNTS:
        return Axis(measure.name, measure.title, lambda v: measure.compute(v.counts, **v.of(measure)), measure.range)
    return Axis(measure.name, measure.title, lambda v: measure.compute(v.ranking, quota=v.places), measure.range)


THRESHOLD = Axis("threshold", "Threshold", lambda v: v.counts.threshold)
FLAGGED = Axis("flagged", "Cases flagged", lambda v: v.places, (0, math.inf), counted=True)


def every_cut(r: Ranking, **_: Any) -> Vertices:
    """Return a vertex for each distinct score."""
    return Vertices(r, r.counts, r.ends)


def some_cuts(r: Ranking, cuts: Array) -> Vertices:
    """Return a vertex for each of some cuts."""
    c = r.counts
    return Vertices(
        r, Counts(c.tp[cuts], c.fp[cuts], c.fn[cuts], c.tn[cuts], c.threshold[cuts], c.is_risk), r.ends[cuts]
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class CurveKind:
    """A curve is two measures of one cut, drawn against each other at every cut.

    `reach` says that the first value holds from the start, where its own measure is undefined (nobody is flagged).
    `references` are the curves of a score without information ("baseline") and of a perfect order ("perfect").
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
    vertices: Callable[..., Vertices] = every_cut
    points: Callable[[Ranking], Mapping[str, Point]] = lambda _: {}
    figures: Callable[[Ranking], Mapping[str, float]] = lambda _: {}
    references: tuple[str, ...] = ()
    reach: bool = False
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    aliases: tuple[str, ...] = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CurveKind) and (self.name, self.title) == (other.name, other.title)

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> tuple[Any, ...]:
        return _kind_called, (self.name,)  # a kind is one object, and holds functions that cannot be pickled

    def __call__(self, ranking: Ranking, **parameters: Any) -> Curve:
        """Return the curve of a ranking; refused when the ranking lacks what it needs."""
        self.check(parameters)
        self.require(ranking)
        made = self._read(ranking, parameters)
        values = {str(m): float(m.compute(ranking, **made.of(m))) for m in self.measures if m.fits(ranking)}
        return Curve(
            kind=self,
            counts=made.counts,
            x=np.asarray(self.x.read(made)),
            y=np.asarray(self.y.read(made), dtype=float),
            also={axis.name: np.asarray(axis.read(made), dtype=float) for axis in self.also},
            area=self._area(ranking, values),
            values=values | dict(self.figures(ranking)),
            points=dict(self.points(ranking)),
            beside={name: self._bare(REFERENCES[name](ranking, **parameters), parameters) for name in self.references},
        )

    def at(self, ranking: Ranking, threshold: float, **parameters: Any) -> Point:
        """Return where the cut of a threshold lies in the picture of the curve.

        Args:
            ranking: The ranking.
            threshold: The threshold of the cut.
            **parameters: Those that the curve was drawn with.
        """
        counts = ranking.at_threshold(threshold)
        made = Vertices(ranking, counts, np.asarray(counts.flagged, dtype=float), parameters)
        return Point(threshold, float(self.x.read(made)), float(self.y.read(made)))

    def check(self, parameters: Mapping[str, Any]) -> None:
        """Refuse parameters that the curve does not have, and values they do not take."""
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

    def require(self, ranking: Ranking) -> None:
        """Refuse a ranking that lacks what the curve needs, such as one of the classes."""
        for condition in self.undefined:
            if np.any(condition.holds(ranking)):
                way_out = "cases of both classes" if condition in ONE_CLASS else "finite scores on an ordinary scale"
                raise InputError(f"The curve {self.name} cannot be drawn, {condition.words}", f"pass {way_out}")

    def _area(self, ranking: Ranking, values: Mapping[str, float]) -> float | None:
        """Return the measure that is the area, computed once when it is told beside the curve too."""
        if self.area is None:
            return None
        known = values.get(str(self.area))
        return float(self.area.compute(ranking)) if known is None else known

    def _read(self, ranking: Ranking, parameters: Mapping[str, Any]) -> Vertices:
        return self.vertices(ranking, **parameters)._replace(parameters=parameters)

    def _bare(self, ranking: Ranking, parameters: Mapping[str, Any]) -> Curve:
        made = self._read(ranking, parameters)
        x, y = np.asarray(self.x.read(made)), np.asarray(self.y.read(made), dtype=float)
        return Curve(kind=self, counts=made.counts, x=x, y=y)

    def __repr__(self) -> str:
        return f"<curve {self.name}: {self.title}>"


def baseline(r: Ranking, prevalence: float | None = None, **_: Any) -> Ranking:
    """Return the ranking of as many cases by a score without information, which is the same for all of them.

    Args:
        r: The ranking whose cases are counted.
        prevalence: The share of positives that the baseline is to have; that of the ranking when None.
    """
    if prevalence is not None:
        return Ranking.of_counts([0.0], [prevalence * float(r.total)], [(1 - prevalence) * float(r.total)])
    return Ranking.of_counts([0.0], r.positives[None], r.negatives[None])


def perfect(r: Ranking, **_: Any) -> Ranking:
    """Return the ranking of the same cases by a model that puts all positives first."""
    nothing = np.zeros_like(r.positives)
    return Ranking.of_counts([1.0, 0.0], np.array([r.positives, nothing]), np.array([nothing, r.negatives]))


REFERENCES: dict[str, Callable[..., Ranking]] = {"baseline": baseline, "perfect": perfect}


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Curve(ComparedByFields):
    """The vertices of one curve: `threshold`, `x` and `y` of one length, from the cut that flags nobody.

    `also` holds what else is drawn over the same x, `area` the measure that is the area under the curve, `values` the
    measures that belong to the picture, `points` its named points, and `beside` the curves to compare it with.
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
        return self.kind.x.domain(self.x), self.kind.y.domain(y)

    def __len__(self) -> int:
        return len(self.x)

    def columns(self) -> dict[str, Array]:
        """Return the columns of the curve by name: threshold, counts and coordinates."""
        c = self.counts
        counted = {"threshold": self.threshold, "tp": c.tp, "fp": c.fp, "fn": c.fn, "tn": c.tn}
        return counted | {self.kind.x.name: self.x, self.kind.y.name: self.y} | dict(self.also)

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
        area = "" if self.area is None else f"; {self.kind.area.title.lower()}: {format_value(self.area)}"  # type: ignore[union-attr]
        return f"{self.title}: {self.kind.y.title} over {self.kind.x.title}, {len(self)} points{area}"

    def _repr_html_(self) -> str:
        some = np.unique(np.linspace(0, len(self) - 1, min(6, len(self))).astype(int))
        columns = (self.threshold, np.asarray(self.x, dtype=float), self.y)
        names = ("threshold", self.kind.x.title, self.kind.y.title)
        rows = tuple(tuple(float(column[i]) for column in columns) for i in some)
        return Table(names, rows, title=repr(self))._repr_html_()


def _kind_called(name: str) -> CurveKind:
    """Return the kind of curve of a name, where it is registered."""
    from cutline.curves import CURVES

    return CURVES[name]


# ---------------------------------------------------------------------- the mean of several ROC curves


def mean_roc(rankings: Sequence[Ranking]) -> tuple[Array, Array]:
    """Return the mean of the recalls of some rankings at every false positive rate; the area under it is the mean
    AUC.

    At a rate where curves rise there are two points, below and above the rise, so that nothing is rounded off.

    >>> one, two = Ranking.of_counts([2, 1], [1, 0], [0, 1]), Ranking.of_counts([2, 1], [0, 1], [1, 0])
    >>> [side.tolist() for side in mean_roc([one, two])]
    [[0.0, 0.0, 1.0, 1.0], [0.0, 0.5, 0.5, 1.0]]
    """
    rates = np.unique(np.concatenate([r.fpr for r in rankings]))
    low, high = (np.mean([_at(r, rates, side) for r in rankings], axis=0) for side in ("left", "right"))
    x, y = np.repeat(rates, 2), np.column_stack((low, high)).ravel()
    corners = np.concatenate(([True], (np.diff(x) > 0) | (np.diff(y) > 0)))
    return x[corners], y[corners]


def recall_at(r: Ranking, rates: Array) -> Array:
    """Return the recall of the ROC curve at some false positive rates.

    Args:
        r: The ranking.
        rates: The false positive rates.
    """
    return np.interp(rates, r.fpr, r.tpr)


def precision_at(r: Ranking, recalls: Array) -> Array:
    """Return the precision of the first cut that reaches each recall.

    >>> precision_at(Ranking.of_counts([3, 2, 1], [1, 0, 1], [0, 1, 0]), np.array([0.5, 1.0])).round(4).tolist()
    [1.0, 0.6667]

    Args:
        r: The ranking.
        recalls: The recalls.
    """
    flagged = np.asarray(r.tp + r.fp, dtype=float)[1:]
    precision = np.asarray(r.tp, dtype=float)[1:] / flagged
    first = np.searchsorted(np.asarray(r.tpr, dtype=float)[1:], np.maximum(recalls, 1e-12) - 1e-12)
    return np.asarray(precision[np.minimum(first, len(precision) - 1)])


def _at(r: Ranking, rates: Array, side: str) -> Array:
    """Return the recall at some rates, before ("left") or after ("right") it rises there."""
    fpr, tpr = r.fpr, r.tpr
    last = side == "right"
    starts = np.flatnonzero(np.diff(fpr, append=np.inf) > 0) if last else np.flatnonzero(np.diff(fpr, prepend=-1) > 0)
    on_curve = np.interp(rates, fpr[starts], tpr[starts])
    # Between two rates of the curve both sides are one line, from above the one rise to below the next.
    first, end = np.flatnonzero(np.diff(fpr, prepend=-1) > 0), np.flatnonzero(np.diff(fpr, append=np.inf) > 0)
    place = np.searchsorted(fpr[first], rates, side="right") - 1
    exact = fpr[first][place] == rates
    after = np.minimum(place + 1, len(first) - 1)
    width = fpr[first][after] - fpr[first][place]
    share = np.divide(rates - fpr[first][place], width, out=np.zeros_like(rates), where=width > 0)
    between = tpr[end][place] + share * (tpr[first][after] - tpr[end][place])
    return np.where(exact, on_curve, between)
