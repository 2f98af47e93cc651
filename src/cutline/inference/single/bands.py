"""Confidence bands: around curves, pointwise and simultaneous, and around the calibration curve."""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cutline.core.array_ops import Array
from cutline.core.counts import divide
from cutline.core.errors import InputError, ParameterError, shorten_repr
from cutline.core.public import public
from cutline.core.ranking import Ranking
from cutline.core.table import ComparedByFields, Table, make_frame
from cutline.core.validation import (
    LEVEL,
    as_numbers,
    call_user_function,
    check_choice,
    check_flag,
    check_level,
    check_whole,
    format_count,
)
from cutline.inference import constants
from cutline.inference.caveats import EQUAL, STRATIFIED_GROUPS, note_few_resamples, note_groups, note_redraws
from cutline.inference.effective_size import compute_effective_sizes
from cutline.inference.resampling.binning import bin_scores
from cutline.inference.resampling.bootstrap import bootstrap, percentile
from cutline.inference.resampling.samplers import CaseSampler, GroupSampler, OneModel
from cutline.inference.single import proportions
from cutline.inference.single.smoothed_bootstrap import make_population, sample_population, smooth_risks
from cutline.measures.miscalibration import fit_calibration_curve

_PLACES = 201  # along the curve, at which two of them are held against each other
_DIRECTIONS = np.linspace(0, np.pi / 2, 7)  # from the curve alone to the prevalence alone
_SIZES = np.linspace(0.6, 1.6, 51).tolist()  # of the ellipse, in units of what each of its axes needs by itself

Curve = Callable[[Array], Array]


class BandOptions(NamedTuple):
    """Options of a band: its level, and the resamples of cases or of groups."""

    level: float
    resamples: int
    seed: int
    groups: GroupSampler | None = None


class Displacement(NamedTuple):
    """The largest displacement of a ROC curve, in recall and in the false positive rate."""

    up: float
    along: float


class _DrawnCurves(NamedTuple):
    """A population that is like the data, some curves of samples of it, and by how many steps these stray too far."""

    population: Ranking
    samples: list[Array]
    too_far: float


def find_displacement(r: Ranking, options: BandOptions) -> Displacement:
    """Return the displacement whose bands hold the whole curve at a level."""
    roots = _scale_classes(r, options.groups)
    return _make_displacement(
        _find_reach(_resample_curves(r, [_make_height_function(roots)], options), roots, options.level), roots
    )


def _scale_classes(r: Ranking, groups: GroupSampler | None) -> Array:
    """Return the roots of the effective class sizes, which correlated cases reduce equally in both classes."""
    roots = np.sqrt([float(size) for size in compute_effective_sizes(r)])
    return roots if groups is None else roots * np.sqrt(min(1.0, groups.groups / float(r.total)))


def _make_height_function(roots: Array) -> Callable[[Ranking], Array]:
    return partial(_compute_heights_over_diagonal, roots=roots, places=np.linspace(0, float(roots.sum()), _PLACES))


def _make_displacement(reach: float, roots: Array) -> Displacement:
    return Displacement(reach / float(roots[0]), reach / float(roots[1]))


def _find_reach(samples: _DrawnCurves, roots: Array, level: float) -> float:
    """Return the distance that a share of the samples' curves keep from the population's, in standard steps."""
    apart = np.sort(np.abs(samples.samples[0] - _make_height_function(roots)(samples.population)).max(axis=1))
    step = float((1 / roots).sum())
    at = float(apart[min(int(np.ceil(level * (len(apart) + 1))) - 1, len(apart) - 1)])
    return max(at - samples.too_far * step, constants.BAND_LEAST * step)


def _resample_curves(r: Ranking, curves: list[Callable[[Ranking], Array]], options: BandOptions) -> _DrawnCurves:
    """Return some curves of a ranking in a population that is like it, and in samples of that population."""
    bins = bin_scores(r)
    short = r if bins is None else bins.ranking
    stacked = [partial(_compute_stack, curve) for curve in curves]
    if options.groups is not None or not r.integral:
        sampler = options.groups or CaseSampler(short)
        return _DrawnCurves(
            r, bootstrap(sampler, stacked, options.resamples, options.seed).values, constants.BAND_RESAMPLED
        )
    risk = smooth_risks(short, constants.BAND_SMOOTHING)
    samples = sample_population(short, risk, stacked, options.resamples, [options.seed, 0])
    return _DrawnCurves(make_population(short, risk), samples, constants.BAND_SMOOTHED)


def _compute_heights_over_diagonal(r: Ranking, *, roots: Array, places: Array) -> Array:
    """Return the height of a curve over the diagonal, at places along the diagonal."""
    up, right = r.tpr * roots[0], r.fpr * roots[1]
    return np.asarray(np.interp(places, up + right, (up - right) / 2))


def _compute_stack(curve: Any, stack: Ranking) -> Array:
    return curve(stack) if stack.pos.ndim == 1 else np.stack([curve(ranking) for ranking in stack.one_by_one()])


def displace_curve(curve: Any, x: Array, by: Displacement) -> tuple[Array, Array]:
    """Return the limits of a ROC curve, a function of the false positive rate, that is displaced both ways."""
    low = np.where(x > by.along, curve(np.maximum(x - by.along, 0)) - by.up, 0)
    high = np.where(x + by.along < 1, curve(np.minimum(x + by.along, 1)) + by.up, 1)
    return np.maximum(low, 0), np.minimum(high, 1)


class _Ellipse(NamedTuple):
    """The parts of a precision-recall curve, each with the half width of its own limits."""

    curve: Curve  # the specificity at 1 - recall
    log_odds: float  # of the prevalence
    by: Displacement  # of the specificity and of the recall
    spread: float  # of the log odds

    def limits(self, recall: Array, size: float) -> tuple[Array, Array]:
        """Return the limits of the precision at each recall, for a size of the ellipse."""
        lows, highs = [], []
        for way in _DIRECTIONS:
            part, odds = size * float(np.cos(way)), size * float(np.sin(way)) * self.spread
            low, high = displace_curve(self.curve, 1 - recall, Displacement(part * self.by.up, part * self.by.along))
            lows.append(_compute_precision(recall, low, self.log_odds - odds))
            highs.append(_compute_precision(recall, high, self.log_odds + odds))
        return np.min(lows, axis=0), np.max(highs, axis=0)


class PrecisionCurve(NamedTuple):
    """How a precision-recall curve is read from a ranking, at some recalls."""

    recall: Array
    precision: Callable[[Ranking], Array]  # at each recall
    specificity: Callable[[Ranking, Array], Array]  # where a share of the positives is missed


def limit_precision(r: Ranking, curve: PrecisionCurve, options: BandOptions) -> tuple[Array, Array]:
    """Return the limits of the precision at each recall that hold the whole curve at a level.

    Args:
        r: The ranking.
        curve: How the curve is read from it.
        options: The level and the resamples.
    """
    roots = _scale_classes(r, options.groups)
    samples = _resample_curves(r, [_make_height_function(roots), curve.precision, _compute_log_odds], options)
    up, along = _make_displacement(_find_reach(samples, roots, options.level), roots)
    spread = float(
        np.quantile(np.abs(samples.samples[2][:, 0] - _compute_log_odds(samples.population)[0]), options.level)
    )

    def around(ranking: Ranking) -> _Ellipse:
        return _Ellipse(
            partial(curve.specificity, ranking), float(_compute_log_odds(ranking)[0]), Displacement(along, up), spread
        )

    known, size = around(samples.population), 0.0
    for size in _SIZES:
        low, high = known.limits(curve.recall, size)
        inside = (low - EQUAL <= samples.samples[1]) & (samples.samples[1] <= high + EQUAL)
        if inside.all(axis=1).mean() >= options.level:
            break
    return around(r).limits(curve.recall, constants.BAND_MORE * size)


def _compute_log_odds(r: Ranking) -> Array:
    share = float(r.positives / r.total)
    return np.array([np.log(share / (1 - share)) if 0 < share < 1 else np.nan])


def _compute_precision(recall: Array, specificity: Array, log_odds: float) -> Array:
    hits, alarms = recall, np.exp(-log_odds) * (1 - specificity)
    return np.asarray(np.divide(hits, hits + alarms, out=np.ones_like(recall), where=hits + alarms > 0))


def widen_ends(tpr: Array, low: Array, high: Array, positives: float, level: float, few: int) -> Any:
    """Return limits by point, at least Wilson's where few positives lie on one side and resamples hardly vary."""
    limits = proportions.wilson(tpr * positives, positives, level)
    at_end = np.minimum(tpr, 1 - tpr) * positives < few
    return np.where(at_end, np.minimum(low, limits.low), low), np.where(at_end, np.maximum(high, limits.high), high)


_SHOWN = 11  # points that are printed, or a few more


@dataclass(frozen=True, eq=False)
class Band(ComparedByFields):
    """A curve at some places, with the limits of each point; `simultaneous` limits hold the whole curve at once."""

    x: Array
    y: Array
    low: Array
    high: Array
    level: float
    simultaneous: bool
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, list[float]]:
        """Return the columns as lists."""
        return {name: getattr(self, name).tolist() for name in ("x", "y", "low", "high")}

    @public
    def to_frame(self, backend: str = "pandas") -> Any:
        """Return the columns as a data frame of pandas, polars or pyarrow."""
        return make_frame(self.to_dict(), backend)

    def _table(self) -> Table:
        """Return a few of the points, evenly spread."""
        some = range(0, len(self.x), max(1, (len(self.x) - 1) // (_SHOWN - 1)))
        columns = {name: [values[i] for i in some] for name, values in self.to_dict().items()}
        coverage = "of the whole curve at once" if self.simultaneous else "point by point"
        title = f"Band of {100 * self.level:g} %, {coverage}, at {format_count(len(self.x), 'place')}"
        notes = tuple(f"  note: {note}" for note in self.notes)
        return Table(tuple(columns), tuple(zip(*columns.values(), strict=True)), title=title, below=notes)

    def __repr__(self) -> str:
        return repr(self._table())

    def _repr_html_(self) -> str:
        return self._table()._repr_html_()


def interpolate_tpr(r: Ranking, fpr: Array) -> Array:
    """Return the ROC curve at given false positive rates: the highest point there, diagonal inside ties.

    >>> interpolate_tpr(Ranking.of_counts([3, 2, 1], [1, 1, 0], [0, 1, 1]), np.array([0.0, 0.25, 0.5, 1.0])).tolist()
    [0.5, 0.75, 1.0, 1.0]
    """
    place = fpr * r.negatives
    after = np.searchsorted(r.fp, place * (1 + 1e-12), side="right")  # the first cut beyond the place; 0.3 * 10 is 3
    before, after = after - 1, np.minimum(after, len(r))
    beyond, gap = place - r.fp[before], r.fp[after] - r.fp[before]
    way = np.divide(beyond, gap, out=np.zeros_like(beyond), where=gap > 0)
    return np.asarray(divide(r.tp[before] + np.clip(way, 0, 1) * (r.tp[after] - r.tp[before]), r.positives))


@public
def band(
    ranking: Any,
    curve: Callable[[Ranking], Array],
    x: npt.ArrayLike,
    *,
    level: float = LEVEL,
    resamples: int = 2000,
    seed: int = 0,
    stratified: bool = False,
    sampler: OneModel | None = None,
) -> Band:
    """Return the band of any curve that one ranking gives at the places x: bootstrap percentiles at each place.

    The band holds each point by itself. Where all resamples agree, as at the ends of a curve, it has no width.

    Args:
        ranking: A ranking, or an evaluation, whose groups are then resampled whole.
        curve: The heights of the curve of a ranking at the places x.
        x: Where the curve is read.
        level: The level of the band.
        resamples: The number of resamples.
        seed: The seed of the resamples.
        stratified: Whether each class is resampled by itself.
        sampler: What draws the resamples, in place of the cases of `ranking`.
    """
    ranking, groups = with_groups(ranking)
    level, resamples = check_level(level), check_whole(resamples, "resamples", 2)
    if not callable(curve):
        raise ParameterError(f"is {shorten_repr(curve)}", "pass a function of a ranking", argument="curve")
    if sampler is not None and not hasattr(sampler, "ranking"):
        raise ParameterError(f"is {shorten_repr(sampler)}", "pass a sampler of cutline, or None", argument="sampler")
    places = as_numbers(x, "x").astype(float)
    if check_flag(stratified, "stratified") and groups is not None:
        raise ParameterError(STRATIFIED_GROUPS)
    chosen = sampler or groups or CaseSampler(ranking, stratified)
    replicates = bootstrap(chosen, [partial(_evaluate_stack, curve)], resamples, check_whole(seed, "seed", 0))
    y, draws = _evaluate_curve(curve, ranking), np.sort(replicates.values[0], axis=0)
    low, high = percentile(draws, level)
    notes = [] if groups is None else [note_groups(groups.groups)]
    notes += note_redraws(replicates.redrawn) + note_few_resamples(resamples)
    if np.isnan(low).all():
        notes.append(f"{resamples} resamples are too few for a level of {level:g}: the limits are their extremes.")
        low, high = draws[0], draws[-1]
    return Band(places, y, np.minimum(low, y), np.maximum(high, y), level, False, tuple(notes))


def with_groups(data: Any) -> tuple[Ranking, GroupSampler | None]:
    """Return the ranking and the groups of an evaluation; a ranking has no groups."""
    if isinstance(data, Ranking):
        return data, None
    try:
        return data.ranking, data.groups
    except AttributeError:
        raise InputError(f"A band is of a ranking or of an evaluation, not of {data!r:.40}.") from None


def _evaluate_stack(curve: Callable[[Ranking], Array], stack: Ranking) -> Array:
    if stack.pos.ndim == 1:
        return _evaluate_curve(curve, stack)
    return np.stack([_evaluate_curve(curve, ranking) for ranking in stack.one_by_one()])


def _evaluate_curve(curve: Callable[[Ranking], Array], ranking: Ranking) -> Array:
    """Return the heights of a curve of the user's."""
    value = call_user_function(curve, "curve", ranking)
    try:
        heights = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        heights = np.array(0.0)
    if heights.ndim != 1:
        raise ParameterError(f"returns {shorten_repr(value)}", "return one number for each place", argument="curve")
    return heights


@public
def roc_band(
    ranking: Any,
    fpr: npt.ArrayLike | None = None,
    *,
    level: float = LEVEL,
    simultaneous: bool = False,
    guaranteed: bool = False,
    **options: Any,
) -> Band:
    """Return the band of the ROC curve: the true positive rate at given false positive rates, 101 by default.

    Point by point it is that of `band`, whose options it takes, and at least Wilson's interval where few positives lie
    on one side of a point. Simultaneous, it holds the whole curve at once: the curve is displaced both ways by what
    samples of the smoothed data say (docs/intervals.md). Guaranteed, it holds it whatever the scores and however few
    the cases: both rates are within the bound of Dvoretzky, Kiefer, Wolfowitz and Massart of theirs, so the curve is
    inside the rectangles around its points (Campbell, 1994). That needs no resampling, and is about twice as wide.

    Args:
        ranking: A ranking, or an evaluation, whose groups are then resampled whole.
        fpr: The false positive rates; 101 equally spaced ones when None.
        level: The level of the band.
        simultaneous: Whether the band holds the whole curve at once.
        guaranteed: Whether it does so by a bound that needs no resamples.
        **options: Those of `band`: `resamples` and `seed`; point by point `stratified` too.

    >>> wide = roc_band(Ranking.of_counts([3, 2, 1], [40, 10, 10], [10, 10, 40]), [0.1, 0.5], guaranteed=True)
    >>> wide.low.round(3).tolist(), wide.high.round(3).tolist()
    ([0.0, 0.618], [0.982, 1.0])
    """
    data, (ranking, groups) = ranking, with_groups(ranking)
    if not ranking.positives or not ranking.negatives:
        raise ParameterError("All cases are of one class, and one class has no ROC curve", "pass cases of both")
    x = np.linspace(0, 1, 101) if fpr is None else as_numbers(fpr, "fpr").astype(float)
    if x.ndim != 1 or not ((x >= 0) & (x <= 1)).all():
        raise ParameterError("fpr must be a flat sequence of rates from 0 to 1.")
    curve, level = partial(interpolate_tpr, ranking), check_level(level)
    if check_flag(guaranteed, "guaranteed"):
        if groups is not None:
            raise ParameterError("guaranteed=True assumes independent cases, but these come in groups", "leave it out")
        bound = (
            np.sqrt(np.log(2 / (1 - np.sqrt(level))) / 2 / float(size)) for size in compute_effective_sizes(ranking)
        )
        return Band(x, curve(x), *displace_curve(curve, x, Displacement(*bound)), level, True)
    if check_flag(simultaneous, "simultaneous"):
        by = find_displacement(ranking, _make_options(level, options, groups))
        notes = () if groups is None else (note_groups(groups.groups),)
        return Band(x, curve(x), *displace_curve(curve, x, by), level, True, notes)
    pointwise = band(data, partial(interpolate_tpr, fpr=x), x, level=level, **options)
    units = (
        float(compute_effective_sizes(ranking).positives)
        if groups is None
        else min(float(ranking.positives), groups.groups)
    )
    low, high = widen_ends(pointwise.y, pointwise.low, pointwise.high, units, level, constants.FEW_DECISIONS)
    return replace(pointwise, low=low, high=high)


def _make_options(level: float, options: Mapping[str, Any], groups: GroupSampler | None) -> BandOptions:
    """Return the options of a simultaneous band, which takes the number of resamples and the seed alone."""
    other = [name for name in options if name not in ("resamples", "seed")]
    if other:
        raise ParameterError(f"A simultaneous band has no option {other[0]!r}", "pass resamples, seed or neither")
    resamples = check_whole(options.get("resamples", 1000), "resamples", 40)
    return BandOptions(check_level(level), resamples, check_whole(options.get("seed", 0), "seed", 0), groups)


@public
def pr_band(
    ranking: Any,
    recall: npt.ArrayLike | None = None,
    *,
    level: float = LEVEL,
    simultaneous: bool = False,
    **options: Any,
) -> Band:
    """Return the band of the precision-recall curve: the precision at recalls, from 0.01 to 1 by default.

    Between two cuts it is read on the straight line of the ROC curve. Simultaneous, the ROC curve is displaced and the
    prevalence moved, together by what holds the whole curve in samples of the smoothed data (docs/intervals.md).

    Args:
        ranking: A ranking, or an evaluation, whose groups are then resampled whole.
        recall: The recalls, above 0; a hundred equally spaced ones when None.
        level: The level of the band.
        simultaneous: Whether the band holds the whole curve at once.
        **options: Those of `band`: `resamples` and `seed`.
    """
    data, (ranking, groups) = ranking, with_groups(ranking)
    if not ranking.positives or not ranking.negatives:
        raise ParameterError("All cases are of one class, and one class has no curve", "pass cases of both")
    x = np.linspace(0.01, 1, 100) if recall is None else as_numbers(recall, "recall").astype(float)
    if x.ndim != 1 or not ((x > 0) & (x <= 1)).all():
        raise ParameterError("recall must be a flat sequence of rates above 0 and up to 1.")
    if not check_flag(simultaneous, "simultaneous"):
        return band(data, partial(_interpolate_precision, recall=x), x, level=level, **options)
    curve = PrecisionCurve(
        x, partial(_interpolate_precision, recall=x), lambda r, missed: interpolate_tpr(r.swapped(), missed)
    )
    low, high = limit_precision(ranking, curve, _make_options(level, options, groups))
    y = _interpolate_precision(ranking, recall=x)
    notes = () if groups is None else (note_groups(groups.groups),)
    return Band(x, y, np.minimum(low, y), np.maximum(high, y), level, True, notes)


def _interpolate_precision(r: Ranking, *, recall: Array) -> Array:
    """Return the precision at given recalls, on the straight lines of the ROC curve."""
    share, alarms = r.positives / r.total, 1 - interpolate_tpr(r.swapped(), 1 - recall)
    return np.asarray(divide(share * recall, share * recall + (1 - share) * alarms))


_ENDS_AT_ONCE = 32  # ends of runs that are looked at together
_ROUNDING = 1e-9  # what rounding can take from a limit, relative to it, and much more


def compute_honest_limits(pos: Array, neg: Array, level: float) -> tuple[Array, Array]:
    """Return the lower and the upper limit at each score, for counts in ascending order of the scores.

    >>> low, high = compute_honest_limits(np.array([0, 100]), np.array([100, 0]), 0.95)
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.0, 0.953], [0.047, 1.0])
    """
    alpha = (1 - level) / (len(pos) * (len(pos) + 1))
    low = _compute_lower_limits(pos, neg, alpha)
    # What is said of the negatives from above is said of the positives from below.
    return low, 1 - _compute_lower_limits(neg[::-1], pos[::-1], alpha)[::-1]


def _compute_lower_limits(pos: Array, neg: Array, alpha: float) -> Array:
    """Return the largest lower limit of all runs that end at each score or before."""
    from scipy.special import betaincinv

    positives, cases = (np.concatenate(([0], np.cumsum(cells))) for cells in (pos, pos + neg))
    # A run that begins or ends with a score without a positive is beaten by the one without it; and one that could
    # begin earlier, with a score that has positives only, by the one that does.
    ends = np.flatnonzero(pos > 0)
    starts = ends[~((np.append(0, pos[:-1])[ends] > 0) & (np.append(1, neg[:-1])[ends] == 0))]
    limit, limits = 0.0, np.zeros(len(pos))
    for i in range(0, len(ends), _ENDS_AT_ONCE):
        last = ends[i : i + _ENDS_AT_ONCE]
        first = starts[: np.searchsorted(starts, last[-1], side="right")]
        row, column = _select_promising(positives, cases, last, first, limit, alpha)
        k, n = (total[last[row] + 1] - total[first[column]] for total in (positives, cases))
        row, k, n = _select_leading(row, k, n, limit, alpha)
        np.maximum.at(limits, last[row], betaincinv(k, n - k + 1, alpha))
        limit = max(limit, float(limits[last].max()))
    return np.maximum.accumulate(limits)


def _select_leading(row: Array, k: Array, n: Array, limit: float, alpha: float) -> tuple[Array, Array, Array]:
    """Find the runs with k positives of n cases whose limit may be the largest of their row and exceed a limit.

    A limit takes long to find, and it is quickly seen whether a run has a higher one than a limit that is known: so
    that of a promising run of each row is found first, and only runs that may beat it are left.
    """
    from scipy.special import betainc, betaincinv, ndtri

    if not len(row):
        return row, k, n
    share = k / n
    about = share + ndtri(alpha) * np.sqrt(share * (1 - share) / n)
    starts = np.flatnonzero(np.diff(row, prepend=-1))  # the runs come row by row
    own = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(row))))
    chosen = np.flatnonzero(about == np.maximum.reduceat(about, starts)[own])
    limits = np.full(len(starts), limit)
    np.maximum.at(limits, own[chosen], betaincinv(k[chosen], n[chosen] - k[chosen] + 1, alpha))
    beaten = limits[own] * (1 - _ROUNDING)
    few = np.flatnonzero(_test_if_rarer(k, n, beaten, alpha))
    few = np.union1d(chosen, few[betainc(k[few], n[few] - k[few] + 1, beaten[few]) < alpha])
    return row[few], k[few], n[few]


def _test_if_rarer(k: Array, n: Array, rate: Any, alpha: float) -> Array:
    """Whether k or more positives of n cases at a rate may have a chance below alpha: quick, and never wrong about no.

    The chance is at least exp(-n KL(k/n, rate)) / sqrt(8 k (1 - k/n)) (Ash 1965, Lemma 4.7.2), and at least
    a half where k is not above the expectation.
    """
    share = k / n
    with np.errstate(divide="ignore", invalid="ignore"):
        distance = k * np.log(share / rate) + (n - k) * np.log((1 - share) / (1 - rate))
        log_chance = -distance - np.log(8 * k * (1 - share)) / 2
    # Of cases that are all positive the bound says nothing.
    return np.asarray((share > rate) & ~(log_chance > math.log(alpha) + _ROUNDING * n))


def _select_promising(
    positives: Array, cases: Array, last: Array, first: Array, limit: float, alpha: float
) -> tuple[Array, Array]:
    """Return the runs whose limit may exceed that already found: those with enough positives for their length."""
    k = positives[last + 1][:, None] - positives[first]
    n = cases[last + 1][:, None] - cases[first]
    lengths = np.unique(np.geomspace(1, max(int(n.max()), 1), 300).astype(np.int64))
    needed = _count_needed(lengths, limit, alpha)
    row, column = np.nonzero((n > 0) & (k >= needed[np.searchsorted(lengths, np.maximum(n, 1), side="right") - 1]))
    return row, column


def _count_needed(n: Array, limit: float, alpha: float) -> Array:
    """Return the least positives of n cases with a lower limit above the given one; it grows with n."""
    if limit <= 0:
        return np.zeros(len(n))
    # Bisection on the number of positives: the limit may be exceeded when so many may be rarer than alpha.
    low, high = np.zeros(len(n)), n + 1.0
    while (high - low > 1).any():
        middle = np.floor((low + high) / 2)
        inside = np.clip(middle, 1, n)
        is_enough = (middle >= 1) & _test_if_rarer(inside, n, limit, alpha)
        low, high = np.where(is_enough, low, middle), np.where(is_enough, middle, high)
    return high


CALIBRATION_KINDS = ("consistency", "confidence", "honest")
CURVES = ("isotonic", "loess")
MOST_HONEST = 10_000  # distinct scores whose runs are all looked at
MOST_SIMULATED = 500  # distinct scores at which curves are drawn again and again
_AT_ONCE = 500  # simulated curves


@public
def calibration_band(
    ranking: Ranking,
    kind: str = "consistency",
    *,
    smooth: str = "isotonic",
    level: float = LEVEL,
    simultaneous: bool = True,
    resamples: int = 5000,
    seed: int = 0,
    groups: GroupSampler | None = None,
) -> Band:
    """Return the calibration curve of a ranking at its scores, in ascending order, with a band of three kinds.

    Args:
        ranking: The ranking; its scores are probabilities.
        kind: "consistency", "confidence" or "honest".
        smooth: The curve, "isotonic" or "loess".
        level: How often the band is to hold.
        simultaneous: Whether the whole curve is to be inside at once, or each point by itself. An honest band is
            always simultaneous.
        resamples: How many curves are simulated, or resampled.
        seed: Makes the result reproducible.
        groups: Groups of cases that a confidence band resamples whole.

    Returns:
        The curve and the band. Notes say when neighbouring scores were put together.
    """
    if not isinstance(ranking, Ranking):
        raise InputError(f"is {shorten_repr(ranking)}", "pass a ranking, such as ev.ranking", argument="ranking")
    check_choice(kind, "kind", CALIBRATION_KINDS)
    check_choice(smooth, "smooth", CURVES)
    simultaneous = check_flag(simultaneous, "simultaneous")
    level = check_level(level)
    resamples, seed = check_whole(resamples, "resamples", 20), check_whole(seed, "seed", 0)
    if kind == "confidence":
        return _make_confidence_band(ranking, smooth, level, simultaneous, resamples, seed, groups)

    def make() -> Band:
        if kind == "honest":
            return _make_honest_band(ranking, smooth, level)
        return _make_consistency_band(ranking, smooth, level, simultaneous, resamples, seed)

    # The verdict and the picture of one model show the same band.
    return ranking.cached(("band", kind, smooth, level, simultaneous, resamples, seed), make)


def merge_scores(r: Ranking, most: int) -> Ranking:
    """Merge neighbouring scores of a ranking into their mean, so that at most `most` are left."""
    if len(r) <= most:
        return r
    size = r.size.astype(float)
    group = np.minimum((np.cumsum(size) - size / 2) * most // size.sum(), most - 1)
    first = np.flatnonzero(np.concatenate(([True], group[1:] != group[:-1])))
    pos, neg, pos2, neg2 = (np.add.reduceat(c, first) for c in (r.pos, r.neg, r.pos2, r.neg2))
    score = np.add.reduceat(size * r.key, first) / np.add.reduceat(size, first)
    return replace(r, score=score, pos=pos, neg=neg, pos2=pos2, neg2=neg2)


def _note_merging(r: Ranking, of: Ranking) -> list[str]:
    if r is of:
        return []
    return [f"The band is drawn from {len(r)} groups of the {len(of)} distinct scores."]


def _make_consistency_band(
    r: Ranking, smooth: str, level: float, simultaneous: bool, resamples: int, seed: int
) -> Band:
    few = merge_scores(r, MOST_SIMULATED)
    p = np.clip(few.key, 0, 1)
    cases = few.size if few.integral else np.maximum(np.round(few.size**2 / (few.pos2 + few.neg2)), 1).astype(int)
    outcomes = np.random.default_rng(seed).binomial(cases, p, size=(resamples, len(few)))
    weight = np.ones(len(few)) if few.integral else few.size / cases
    pos, neg = (outcomes, cases - outcomes) if few.integral else (outcomes * weight, (cases - outcomes) * weight)
    curves = _smooth_stack(Ranking(few.score, pos, neg, pos, neg), smooth)
    low, high = find_envelope(curves, level, simultaneous=simultaneous)
    return _make_band(few, fit_calibration_curve(few, smooth), low, high, level, simultaneous, _note_merging(few, r))


def _smooth_stack(stack: Ranking, smooth: str) -> Array:
    """Return the curve of each simulation, some at a time."""
    parts = (slice(start, start + _AT_ONCE) for start in range(0, len(stack.pos), _AT_ONCE))
    curves = []
    for part in parts:
        pos, neg = stack.pos[part], stack.neg[part]
        curves.append(fit_calibration_curve(replace(stack, pos=pos, neg=neg, pos2=pos, neg2=neg), smooth))
    return np.concatenate(curves)


def _make_confidence_band(
    r: Ranking,
    smooth: str,
    level: float,
    simultaneous: bool,
    resamples: int,
    seed: int,
    groups: GroupSampler | None,
) -> Band:
    few = r if groups is not None else merge_scores(r, MOST_SIMULATED)
    sampler: Any = groups or CaseSampler(few, False)
    resamples_of_curve = bootstrap(sampler, [lambda stack: fit_calibration_curve(stack, smooth)], resamples, seed)
    curve = fit_calibration_curve(few, smooth)
    low, high = find_envelope(np.asarray(resamples_of_curve.values[0]), level, simultaneous=simultaneous)
    notes = _note_merging(few, r) + ([] if groups is None else [note_groups(groups.groups)])
    return _make_band(few, curve, np.minimum(low, curve), np.maximum(high, curve), level, simultaneous, notes)


def _make_honest_band(r: Ranking, smooth: str, level: float) -> Band:
    if not r.integral:
        raise ParameterError("An honest band counts cases, but the weights are not whole numbers: pass another kind.")
    few = merge_scores(r, MOST_HONEST if len(r) <= MOST_HONEST else MOST_HONEST // 5)
    low, high = (limits[::-1] for limits in compute_honest_limits(few.pos[::-1], few.neg[::-1], level))
    if few is not r:
        # Inside a group, only the groups that end before it and those that begin after it say something.
        low, high = np.append(low[1:], 0.0), np.append(1.0, high[:-1])
    notes = [*_note_merging(few, r), "The honest band supposes that a higher probability never goes with a lower risk."]
    return _make_band(few, fit_calibration_curve(few, smooth), low, high, level, True, notes)


def _make_band(
    r: Ranking, curve: Array, low: Array, high: Array, level: float, simultaneous: bool, notes: list[str]
) -> Band:
    x, y, low, high = (np.clip(column[::-1], 0, 1) for column in (r.key, curve, low, high))
    return Band(x, y, low, high, level, simultaneous, tuple(notes))


def find_envelope(curves: Array, level: float, *, simultaneous: bool) -> tuple[Array, Array]:
    """Return limits that hold a share of the curves: at each place by itself, or along their whole length.

    Simultaneous limits are the k-th lowest and highest value at each place among two thirds of the curves. The others
    tell the largest k for which that share of them stays between the limits everywhere: curves would flatter limits
    that were chosen on them. Where too few stay between the extremes, these are moved out.
    """
    if not simultaneous:
        low, high = np.quantile(curves, ((1 - level) / 2, (1 + level) / 2), axis=0)
        return low, high
    others, ordered = curves[::3], np.sort(np.delete(curves, np.s_[::3], axis=0), axis=0)
    may_leave = min(math.floor((1 - level) * len(others)), len(others) - 1)

    def leave_too_often(k: int) -> bool:
        is_outside = ((others < ordered[k - 1]) | (others > ordered[-k])).any(-1)
        return int(np.count_nonzero(is_outside)) > may_leave

    k = bisect.bisect_left(range(1, (len(ordered) + 1) // 2 + 1), True, key=leave_too_often)
    return (ordered[k - 1], ordered[-k]) if k else _move_outwards(ordered, others, level)


def _move_outwards(ordered: Array, others: Array, level: float) -> tuple[Array, Array]:
    """Move the extremes away from the middle until a share of the other curves stays between them."""
    low, middle, high = ordered[0], ordered[len(ordered) // 2], ordered[-1]
    way = others - middle
    reach = np.where(way > 0, high - middle, middle - low)
    times = np.divide(np.abs(way), reach, out=np.zeros(way.shape), where=reach > 0).max(-1)
    most = max(1.0, float(np.sort(times)[min(math.ceil(level * (len(times) + 1)), len(times)) - 1]))
    return middle - most * (middle - low), middle + most * (high - middle)
