"""Bands around a curve: point by point by the bootstrap, and around the whole ROC curve by a bound."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from cutline.core.checks import LEVEL, called, check_flag, check_level, check_whole
from cutline.core.columns import counted, numbers
from cutline.core.counts import divide
from cutline.core.errors import InputError, ParameterError, briefly
from cutline.core.ranking import Array, Ranking
from cutline.core.table import Table, frame
from cutline.inference.caveats import FEW_DECISIONS, STRATIFIED_GROUPS, few_resamples, redraws, whole_groups
from cutline.inference.effective_size import effective
from cutline.inference.one.whole_bands import (
    Displacement,
    Drawing,
    PrecisionCurve,
    displaced,
    displacement,
    precision_band,
    wilson_at_the_ends,
)
from cutline.inference.resampling.bootstrap import bootstrap, percentile
from cutline.inference.resampling.samplers import CaseSampler, GroupSampler, OneModel

_SHOWN = 11  # points that are printed, or a few more


@dataclass(frozen=True, eq=False)
class Band:
    """A curve at some places, with the limits of each point; `simultaneous` limits hold the whole curve at once."""

    x: Array
    y: Array
    low: Array
    high: Array
    level: float
    simultaneous: bool
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, list[float]]:
        """The columns, as lists."""
        return {name: getattr(self, name).tolist() for name in ("x", "y", "low", "high")}

    def to_frame(self, backend: str = "pandas") -> Any:
        """The columns as a data frame of pandas, polars or pyarrow."""
        return frame(self.to_dict(), backend)

    def _table(self) -> Table:
        """A few of the points, evenly spread."""
        some = range(0, len(self.x), max(1, (len(self.x) - 1) // (_SHOWN - 1)))
        columns = {name: [values[i] for i in some] for name, values in self.to_dict().items()}
        kind = "of the whole curve at once" if self.simultaneous else "point by point"
        title = f"Band of {100 * self.level:g} %, {kind}, at {counted(len(self.x), 'place')}"
        notes = tuple(f"  note: {note}" for note in self.notes)
        return Table(tuple(columns), tuple(zip(*columns.values(), strict=True)), title=title, below=notes)

    def __repr__(self) -> str:
        return repr(self._table())

    def _repr_html_(self) -> str:
        return self._table()._repr_html_()


def tpr_at(r: Ranking, fpr: Array) -> Array:
    """The ROC curve of one ranking at given false positive rates: the highest point there, diagonal inside ties.

    >>> tpr_at(Ranking.of_counts([3, 2, 1], [1, 1, 0], [0, 1, 1]), np.array([0.0, 0.25, 0.5, 1.0])).tolist()
    [0.5, 0.75, 1.0, 1.0]
    """
    place = fpr * r.negatives
    after = np.searchsorted(r.fp, place * (1 + 1e-12), side="right")  # the first cut beyond the place; 0.3 * 10 is 3
    before, after = after - 1, np.minimum(after, len(r))
    way = (place - r.fp[before]) / np.maximum(r.fp[after] - r.fp[before], np.finfo(float).tiny)
    return np.asarray(divide(r.tp[before] + np.clip(way, 0, 1) * (r.tp[after] - r.tp[before]), r.positives))


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
    """The band of any curve that one ranking gives at the places x: percentiles of the bootstrap at each place.

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
        raise ParameterError(f"is {briefly(curve)}", "pass a function of a ranking", argument="curve")
    if sampler is not None and not hasattr(sampler, "ranking"):
        raise ParameterError(f"is {briefly(sampler)}", "pass a sampler of cutline, or None", argument="sampler")
    places = numbers(x, "x").astype(float)
    if groups is not None and stratified:
        raise ParameterError(STRATIFIED_GROUPS)
    chosen = sampler or groups or CaseSampler(ranking, stratified)
    found = bootstrap(chosen, [partial(_each, curve)], resamples, check_whole(seed, "seed", 0))
    y, draws = _heights(curve, ranking), np.sort(found.values[0], axis=0)
    low, high = percentile(draws, level)
    notes = [] if groups is None else [whole_groups(groups.groups)]
    notes += redraws(found.redrawn) + few_resamples(resamples)
    if np.isnan(low).all():
        notes.append(f"{resamples} resamples are too few for a level of {level:g}: the limits are their extremes.")
        low, high = draws[0], draws[-1]
    return Band(places, y, np.minimum(low, y), np.maximum(high, y), level, False, tuple(notes))


def with_groups(data: Any) -> tuple[Ranking, GroupSampler | None]:
    """The ranking and the groups of an evaluation; a ranking has no groups."""
    if isinstance(data, Ranking):
        return data, None
    try:
        return data.ranking, data.groups
    except AttributeError:
        raise InputError(f"A band is of a ranking or of an evaluation, not of {data!r:.40}.") from None


def _each(curve: Callable[[Ranking], Array], stack: Ranking) -> Array:
    if stack.pos.ndim == 1:
        return _heights(curve, stack)
    return np.stack([_heights(curve, one) for one in stack.one_by_one()])


def _heights(curve: Callable[[Ranking], Array], one: Ranking) -> Array:
    """The heights of a curve of the user's."""
    found = called(curve, "curve", one)
    try:
        heights = np.asarray(found, dtype=float)
    except (TypeError, ValueError):
        heights = np.array(0.0)
    if heights.ndim != 1:
        raise ParameterError(f"returns {briefly(found)}", "return one number for each place", argument="curve")
    return heights


def roc_band(
    ranking: Any,
    fpr: npt.ArrayLike | None = None,
    *,
    level: float = LEVEL,
    simultaneous: bool = False,
    guaranteed: bool = False,
    **options: Any,
) -> Band:
    """The band of the ROC curve: the true positive rate at given false positive rates, at 101 by default.

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
    x = np.linspace(0, 1, 101) if fpr is None else numbers(fpr, "fpr").astype(float)
    if x.ndim != 1 or not ((x >= 0) & (x <= 1)).all():
        raise ParameterError("fpr must be a flat sequence of rates from 0 to 1.")
    curve, level = partial(tpr_at, ranking), check_level(level)
    if check_flag(guaranteed, "guaranteed"):
        if groups is not None:
            raise ParameterError("guaranteed=True supposes independent cases, but these come in groups", "leave it out")
        bound = (np.sqrt(np.log(2 / (1 - np.sqrt(level))) / 2 / float(size)) for size in effective(ranking))
        return Band(x, curve(x), *displaced(curve, x, Displacement(*bound)), level, True)
    if check_flag(simultaneous, "simultaneous"):
        by = displacement(ranking, _drawing(level, options, groups))
        notes = () if groups is None else (whole_groups(groups.groups),)
        return Band(x, curve(x), *displaced(curve, x, by), level, True, notes)
    found = band(data, partial(tpr_at, fpr=x), x, level=level, **options)
    units = float(effective(ranking).positives) if groups is None else min(float(ranking.positives), groups.groups)
    low, high = wilson_at_the_ends(found.y, found.low, found.high, units, level, FEW_DECISIONS)
    return replace(found, low=low, high=high)


def _drawing(level: float, options: Mapping[str, Any], groups: GroupSampler | None) -> Drawing:
    """How a simultaneous band is calibrated: it takes the number of resamples and the seed, and no other option."""
    other = [name for name in options if name not in ("resamples", "seed")]
    if other:
        raise ParameterError(f"A simultaneous band has no option {other[0]!r}", "pass resamples, seed or neither")
    resamples = check_whole(options.get("resamples", 1000), "resamples", 40)
    return Drawing(check_level(level), resamples, check_whole(options.get("seed", 0), "seed", 0), groups)


def pr_band(
    ranking: Any,
    recall: npt.ArrayLike | None = None,
    *,
    level: float = LEVEL,
    simultaneous: bool = False,
    **options: Any,
) -> Band:
    """The band of the precision-recall curve: the precision at given recalls, from 0.01 to 1 by default.

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
    x = np.linspace(0.01, 1, 100) if recall is None else numbers(recall, "recall").astype(float)
    if x.ndim != 1 or not ((x > 0) & (x <= 1)).all():
        raise ParameterError("recall must be a flat sequence of rates above 0 and up to 1.")
    if not check_flag(simultaneous, "simultaneous"):
        return band(data, partial(_precision_at, recall=x), x, level=level, **options)
    curve = PrecisionCurve(x, partial(_precision_at, recall=x), lambda r, missed: tpr_at(r.swapped(), missed))
    low, high = precision_band(ranking, curve, _drawing(level, options, groups))
    y = _precision_at(ranking, recall=x)
    notes = () if groups is None else (whole_groups(groups.groups),)
    return Band(x, y, np.minimum(low, y), np.maximum(high, y), level, True, notes)


def _precision_at(r: Ranking, *, recall: Array) -> Array:
    """The precision at given recalls, on the straight lines of the ROC curve."""
    share, alarms = r.positives / r.total, 1 - tpr_at(r.swapped(), 1 - recall)
    return np.asarray(divide(share * recall, share * recall + (1 - share) * alarms))
