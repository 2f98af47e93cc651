"""Whole curves of several models: a test that two are equal, and the spans where each model is the best.

`Dominance` holds the spans where each model is the best in this sample (Arbel & Rokach, Figure 4); curves are straight
between their points, so that their crossings are computed exactly. `Regions` holds the spans where one model is better
than all others with simultaneous confidence: the curves are resampled on the same cases, and the critical value is a
quantile of the largest standardised difference over the axis and all pairs. Standard errors are at least a quarter of
the largest, so that the ends of the axis do not decide.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.counts import Counts, divide
from cutline.core.errors import ParameterError
from cutline.core.escaping import html_text
from cutline.core.messages import join_with_and
from cutline.core.parallel import map_parallel
from cutline.core.ranking import Ranking
from cutline.core.table import ComparedByFields, ShownAsTable, Table, format_p, format_value, to_json_value
from cutline.core.validation import check_text
from cutline.inference.resampling.bootstrap import resample
from cutline.inference.resampling.pairing import Pairing, make_stream, split_in_chunks
from cutline.inference.single.bands import interpolate_tpr
from cutline.measures import Measure


@dataclass(frozen=True, eq=False)
class RocTest(ComparedByFields):
    """Venkatraman and Begg's test that two ROC curves are equal.

    `statistic` is the sum, over the number of flagged cases, of the differences of the numbers of errors.
    """

    a: str
    b: str
    statistic: float
    p_value: float
    permutations: int
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, ready for JSON."""
        names = ("a", "b", "statistic", "p_value", "permutations")
        return {name: to_json_value(getattr(self, name)) for name in names} | {"notes": list(self.notes)}

    def __repr__(self) -> str:
        head = f"ROC curves of {self.a} and {self.b}: differ by {format_value(self.statistic)} errors over all cuts, "
        p = format_p(self.p_value, 1 / (self.permutations + 1))
        tail = f"p {p} ({self.permutations} permutations, Venkatraman & Begg)"
        return "\n".join([head + tail, *(f"  note: {note}" for note in self.notes)])


def run_venkatraman(pairing: Pairing, names: tuple[str, str], permutations: int, seed: int) -> RocTest:
    """Return the test of two models on the same cases; ties count as the mean over the orders of tied cases."""
    if not pairing.integral:
        raise ParameterError("Venkatraman's test exchanges cases, but the weights are not counts", "pass no weights")
    ranks = [-(ranking.ends[:-1] + ranking.ends[1:]) for ranking in pairing.rankings]
    crossed = pairing.crossed(ranks)

    def distances(draws: Array) -> Array:
        errors_a, errors_b = (_count_errors(crossed.stack(draws, model)) for model in (0, 1))
        return np.asarray(np.abs(errors_a - errors_b).sum(axis=1))

    def work(numbers: range) -> Array:
        return distances(np.stack([crossed.exchange(make_stream(seed, number)) for number in numbers]))

    at_hand = float(distances(crossed.cases[None])[0])
    done = map_parallel(
        work, split_in_chunks(permutations, 4 * len(crossed)), permutations * len(crossed), reports=True
    )
    extreme = int((np.concatenate(done) >= at_hand - 1e-9 * max(1.0, at_hand)).sum())
    notes = ("Whole groups of cases are exchanged.",) if pairing.has_groups else ()
    return RocTest(*names, at_hand, (1 + extreme) / (1 + permutations), permutations, notes)


def _count_errors(stack: Ranking) -> Array:
    """Return the errors with the first k cases flagged, for all k, up to constants that cancel."""
    places = np.arange(1, int(stack.total.flat[0]) + 1)
    tp, ends = np.atleast_2d(stack.tp), np.atleast_2d(stack.ends)
    return np.stack([-2 * np.interp(places, end, row) for end, row in zip(ends, tp, strict=True)])


_SHORT = 0.01  # of the axis: shorter stretches are not named one by one
_LONGEST = 3  # stretches of a model that a sentence names
_OF_THIS_SAMPLE = "This holds in this sample; regions() tests which leads are real."
_EQUAL = 1e-9  # heights that rounding alone can tell apart, as a share of the whole height


class Span(NamedTuple):
    """A stretch of the axis and the models that are the best along it; none where undefined."""

    low: float
    high: float
    best: tuple[str, ...]


def join_narrow_spans(spans: Sequence[Span], low: float, high: float, least: float = 0.001) -> list[tuple[Span, bool]]:
    """Return the spans between low and high, and whether several models take turns along each.

    Neighbours narrower than the least share of the axis are joined: there models take turns.
    """
    inside = [Span(max(span.low, low), min(span.high, high), span.best) for span in spans]
    wide = least * (high - low)
    joined: list[tuple[Span, bool]] = []
    there = (span for span in inside if span.high > span.low)
    for narrow, run in itertools.groupby(there, lambda span: span.high - span.low < wide):
        group = list(run)
        if narrow and len(group) > 1:
            names = tuple(dict.fromkeys(name for span in group for name in span.best))
            joined.append((Span(group[0].low, group[-1].high, names), True))
        else:
            joined += [(span, False) for span in group]
    return joined


@dataclass(frozen=True, eq=False)
class Dominance(ShownAsTable, ComparedByFields):
    """The spans where each model is the best, along the whole axis."""

    curve: str
    axis: str
    names: tuple[str, ...]
    spans: tuple[Span, ...]

    @property
    def dominant(self) -> str | None:
        """Model that is nowhere beaten and beats each of the others somewhere; None if there is none."""
        everywhere = [name for name in self.names if all(name in span.best for span in self.spans if span.best)]
        return everywhere[0] if len(everywhere) == 1 else None

    def share(self, name: str) -> float:
        """Return the share of the axis over which a model is the best, alone or with others."""
        check_text(name, "name", "a")
        length = sum(span.high - span.low for span in self.spans)
        return float(divide(sum(span.high - span.low for span in self.spans if name in span.best), length))

    @property
    def table(self) -> Table:
        """Table with one row for each span."""
        rows = ((span.low, span.high, " = ".join(span.best) or "undefined") for span in self.spans)
        return Table((f"{self.axis} from", "to", "best"), tuple(rows))

    def to_dict(self) -> dict[str, Any]:
        """Return the spans, ready for JSON."""
        return {
            "curve": self.curve,
            "axis": self.axis,
            "dominant": self.dominant,
            "spans": [{"low": low, "high": high, "best": list(best)} for low, high, best in self.spans],
            "share": {name: to_json_value(self.share(name)) for name in self.names},
        }

    @property
    def verdict(self) -> str:
        """Whether one model dominates, in a sentence."""
        if self.dominant is not None:
            return f"{self.dominant} dominates: it is nowhere beaten, and beats each of the others somewhere."
        if not self.spans:
            return f"The cases are of one class: there is no {self.axis} to compare the models over."
        best = {span.best for span in self.spans}
        if len(best) == 1 and len(self.spans[0].best) == len(self.names):
            return "The models are equal everywhere."
        return f"No model dominates. {'; '.join(filter(None, map(self._lead, self.names)))}."

    @property
    def statement(self) -> str:
        """Verdict with a caution that it holds for this sample: curves of equally good models mostly cross."""
        is_alike = not self.spans or all(len(span.best) == len(self.names) for span in self.spans)
        return self.verdict if is_alike else f"{self.verdict} {_OF_THIS_SAMPLE}"

    def _lead(self, name: str) -> str:
        """Return the longest stretches where a model leads, alone or with others, and its share of the axis."""
        least = _SHORT * (self.spans[-1].high - self.spans[0].low)
        mine = sorted(
            (stretch for stretch in self._stretches(name) if stretch[1] - stretch[0] >= least),
            key=lambda s: s[0] - s[1],
        )
        share = self.share(name)
        if not share > 0:
            return ""
        where = join_with_and(
            [f"{_format_place(low)} to {_format_place(high)}" for low, high in sorted(mine[:_LONGEST])]
        )
        more = ", and elsewhere" if len(mine) > _LONGEST else ""
        where_it_leads = f"for {self.axis} {where}{more}" if mine else "in short stretches only"
        return f"{name} leads {where_it_leads} ({100 * share:.3g} % of the axis)"

    def _stretches(self, name: str) -> Iterator[tuple[float, float]]:
        """Yield the stretches over which a model leads without a break, alone or with others."""
        for leads, run in itertools.groupby(self.spans, lambda span: name in span.best):
            if leads:
                spans = list(run)
                yield spans[0].low, spans[-1].high

    def __repr__(self) -> str:
        return f"{self.table!r}\n{self.statement}"

    def _repr_html_(self) -> str:
        return f"{self.table._repr_html_()}<p>{html_text(self.statement)}</p>"


def _format_place(place: float) -> str:
    """Return a place on the axis in few digits, without an exponent."""
    return f"{place:,.0f}" if abs(place) >= 1000 else f"{place:.3g}"


class _Line(NamedTuple):
    """A curve that never falls back along x, straight between its points."""

    x: Array
    y: Array


def _divide_by_class(counts: Array, of: Any) -> Array:
    """Return counts as a share of a class; 0 for an empty class."""
    return np.asarray(counts / (of or 1))


def _roc(r: Ranking) -> _Line:
    return _Line(_divide_by_class(r.fp, r.negatives), _divide_by_class(r.tp, r.positives))


def _quota(r: Ranking) -> _Line:
    return _Line(r.ends, r.tp)


def _precision_recall(r: Ranking) -> _Line:
    # At one recall the higher precision is the fewer false positives, which are straight in the true ones.
    return _Line(_divide_by_class(r.tp, r.positives), -_divide_by_class(r.fp, r.positives))


# By curve: what its axis is called, and its line. Shares compare models on other cases too; places do not.
CURVES: dict[str, tuple[str, Callable[[Ranking], _Line]]] = {
    "roc": ("fpr", _roc),
    "quota": ("quota", _quota),
    "precision_recall": ("recall", _precision_recall),
}


def compare_curves(curve: str, names: Sequence[str], rankings: Sequence[Ranking]) -> Dominance:
    """Return where each model's curve is the highest."""
    axis, line = CURVES[curve]
    edges, best = _find_highest([line(ranking) for ranking in rankings])
    return Dominance(curve, axis, tuple(names), _join_spans(names, edges, best))


def _find_highest(lines: Sequence[_Line]) -> tuple[Array, Array]:
    """Return the edges of the stretches in which no two lines cross, and which lines are the highest in each."""
    x = _merge_distinct([line.x for line in lines])
    left, right = _find_heights(lines, x)
    crossings = [x]
    slack = _EQUAL * max(float(np.ptp(line.y)) for line in lines)
    for i in range(len(lines)):
        for j in range(i):
            before, after = left[i] - left[j], right[i] - right[j]
            cross = (np.minimum(before, after) < -slack) & (np.maximum(before, after) > slack)
            way = before[cross] / (before[cross] - after[cross])
            crossings.append(x[:-1][cross] + way * np.diff(x)[cross])
    edges = _merge_distinct(crossings)
    left, right = _find_heights(lines, edges)
    middle = (left + right) / 2
    return edges, middle >= middle.max(axis=0) - slack


def _merge_distinct(runs: Sequence[Array]) -> Array:
    """Return the distinct values in order: a stable sort merges sorted runs, where np.unique would hash millions."""
    x = np.concatenate(runs).astype(float, copy=False)
    x.sort(kind="stable")
    return x[np.concatenate(([True], x[1:] != x[:-1]))]


def _find_heights(lines: Sequence[_Line], x: Array) -> tuple[Array, Array]:
    """Return the height of each line just after the start and just before the end of each stretch between x's."""
    left, right = [], []
    for line in lines:
        start = np.searchsorted(line.x, x[:-1], side="right") - 1  # the last point at or before the start
        end = np.minimum(start + 1, len(line.x) - 1)
        x0, y0 = line.x[start].astype(float), line.y[start].astype(float)
        run = line.x[end] - x0
        rise = np.divide(line.y[end] - y0, run, out=np.zeros(len(run)), where=run > 0)
        left.append(y0 + (x[:-1] - x0) * rise)
        right.append(y0 + (x[1:] - x0) * rise)
    return np.array(left), np.array(right)


def compare_thresholds(
    measure: Measure, names: Sequence[str], rankings: Sequence[Ranking], **parameters: Any
) -> Dominance:
    """Return where each model is the best in a measure of one cut, all of them cut at the same threshold.

    A span runs from above its low end up to its high end: between scores nothing changes. It makes sense for scores
    on one scale, such as probabilities.
    """
    sign = 1 if rankings[0].higher_is_positive else -1
    edges = np.unique(np.concatenate([sign * ranking.score.astype(float) for ranking in rankings]))
    heights = np.array([_compute_at_edges(measure, ranking, edges[1:], sign, parameters) for ranking in rankings])
    heights = np.where(np.isnan(heights), -np.inf, heights if measure.better != "lower" else -heights)
    top = heights.max(axis=0)
    with np.errstate(invalid="ignore"):  # two infinite heights
        best = (heights == top) | (heights >= top - _EQUAL)
    best &= top > -np.inf
    if sign < 0:
        edges, best = -edges[::-1], best[:, ::-1]
    one_score = (Span(float(edges[0]), float(edges[0]), tuple(names)),)  # for all: every cut is the same
    spans = _join_spans(names, edges, best) if len(edges) > 1 else one_score
    return Dominance("threshold", "threshold", tuple(names), spans)


def _compute_at_edges(measure: Measure, ranking: Ranking, edges: Array, sign: int, parameters: dict[str, Any]) -> Array:
    """Return the measure at each threshold."""
    cut = np.searchsorted(-sign * ranking.score.astype(float), -edges, side="right")
    tp, fp = ranking.tp[cut], ranking.fp[cut]
    counts = Counts(tp, fp, ranking.positives - tp, ranking.negatives - fp, sign * edges)
    return np.asarray(measure.compute(counts, **measure.check(parameters)), dtype=float)


def _join_spans(names: Sequence[str], edges: Array, best: Array) -> tuple[Span, ...]:
    """Return the stretches between edges, neighbours with the same best models put together."""
    starts = np.flatnonzero(np.append(True, (best[:, 1:] != best[:, :-1]).any(axis=0))[: best.shape[1]])
    ends = np.append(starts[1:], best.shape[1]) if len(starts) else starts
    named = (tuple(itertools.compress(names, best[:, start])) for start in starts)
    return tuple(Span(float(edges[i]), float(edges[j]), who) for i, j, who in zip(starts, ends, named, strict=True))


# ---------------------------------------------------------------------- where a lead is certain

_PLACES = np.linspace(0, 1, 201)
_LEAST_ERROR = 0.25  # of the largest standard error


def _count_positives(r: Ranking, share: Array) -> Array:
    return np.asarray(divide(r.at_quota(share * float(r.total)).tp, r.positives))


# By curve: what its axis is called, and the height of a ranking's curve at some places of it.
HEIGHTS: Mapping[str, tuple[str, Callable[[Ranking, Array], Array]]] = {
    "roc": ("fpr", interpolate_tpr),
    "precision_recall": ("recall", lambda r, recall: interpolate_tpr(r.swapped(), 1 - recall)),
    "quota": ("share of the list", _count_positives),
}


@dataclass(frozen=True, eq=False)
class Regions(ShownAsTable, ComparedByFields):
    """The spans of an axis along which one model is better than every other, with simultaneous confidence."""

    curve: str
    axis: str
    names: tuple[str, ...]
    spans: tuple[Span, ...]
    level: float
    resamples: int

    @property
    def leaders(self) -> tuple[str, ...]:
        """Models that are the best somewhere."""
        return tuple(name for name in self.names if any(name in span.best for span in self.spans))

    @property
    def verdict(self) -> str:
        """Where a model is better with confidence, in a sentence."""
        percent = f"{100 * self.level:g} %"
        if not self.spans:
            where = f"Nowhere along the {self.axis} is a model better than all others"
            return f"{where} at {percent} simultaneous confidence: where the curves cross may be chance."
        leads = []
        for name in self.leaders:
            parts = [f"{s.low:.3g} to {s.high:.3g}" for s in self.spans if name in s.best]
            leads.append(f"{name} for {self.axis} {join_with_and(parts)}")
        return f"Better than all others at {percent} simultaneous confidence: {'; '.join(leads)}. Elsewhere it is open."

    @property
    def table(self) -> Table:
        """Table with one row for each span."""
        rows = tuple((span.low, span.high, span.best[0]) for span in self.spans)
        return Table((f"{self.axis} from", "to", "better"), rows)

    def to_dict(self) -> dict[str, Any]:
        """Return the spans, ready for JSON."""
        return {
            "curve": self.curve,
            "axis": self.axis,
            "level": self.level,
            "resamples": self.resamples,
            "spans": [{"low": low, "high": high, "best": best[0]} for low, high, best in self.spans],
        }

    def __repr__(self) -> str:
        return f"{self.table!r}\n{self.verdict}" if self.spans else self.verdict


def find_regions(
    pairing: Pairing, names: Sequence[str], curve: str, level: float, resamples: int, seed: int
) -> Regions:
    """Return the regions of a curve over which each model is better than all others.

    Args:
        pairing: The models on the same cases.
        names: What they are called.
        curve: One of `HEIGHTS`.
        level: The simultaneous confidence.
        resamples: How many resamples are drawn.
        seed: Their seed.
    """
    axis, height = HEIGHTS[curve]

    def ask(samples: Sequence[Ranking]) -> list[Any]:
        values = []
        for stack in samples:
            rows = [height(sample, _PLACES) for sample in stack.one_by_one()]
            values.append(rows[0] if stack.pos.ndim == 1 else np.stack(rows))
        return values

    at_hand = [height(r, _PLACES) for r in pairing.rankings]
    draws = resample(pairing, ask, resamples, seed).values
    pairs = list(itertools.combinations(range(len(names)), 2))
    gaps = np.stack([at_hand[i] - at_hand[j] for i, j in pairs])
    moved = np.stack([draws[i] - draws[j] for i, j in pairs], axis=1) - gaps
    errors = moved.std(axis=0, ddof=1)
    errors = np.maximum(errors, _LEAST_ERROR * errors.max(axis=1, keepdims=True))
    errors = np.where(errors > 0, errors, np.inf)
    largest = np.sort(np.abs(moved / errors).max(axis=(1, 2)))
    reach = float(largest[min(int(np.ceil(level * (len(largest) + 1))) - 1, len(largest) - 1)])
    ahead = np.zeros((len(names), len(_PLACES)), dtype=int)
    for (i, j), gap, error in zip(pairs, gaps, errors, strict=True):
        with np.errstate(invalid="ignore"):  # where no resample differs, nothing is leads apart
            ahead[i] += gap > reach * error
            ahead[j] += -gap > reach * error
    return Regions(curve, axis, tuple(names), _find_certain_spans(names, ahead == len(names) - 1), level, resamples)


def _find_certain_spans(names: Sequence[str], best: Array) -> tuple[Span, ...]:
    """Return the stretches of places along which a model is ahead of all others."""
    spans = []
    for name, row in zip(names, best, strict=True):
        edges = np.flatnonzero(np.diff(np.concatenate(([0], row.astype(int), [0]))))
        for start, end in zip(edges[::2], edges[1::2], strict=True):
            spans.append(Span(float(_PLACES[start]), float(_PLACES[end - 1]), (name,)))
    return tuple(sorted(spans))
