"""Influence functions (the infinitesimal jackknife) of a measure of one model or of a difference of two.

The squared changes, added up over the cases, are the variance of a smooth measure, and the squared differences of two
models' changes that of their difference. For one cut there are four kinds of cases; for the mean of a loss the change
is the loss itself; for a measure of the order it is found by giving the cases of one stretch of the list more weight.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from cutline.core.array_ops import Array, Symbol, as_number
from cutline.core.blocks import split_into_blocks
from cutline.core.caching import cached_large_value
from cutline.core.counts import Counts, TrustedCounts, divide
from cutline.core.parallel import stop_if_unwanted
from cutline.core.ranking import Ranking
from cutline.inference.delong import compute_placements
from cutline.inference.effective_size import compute_effective_sizes, square_weights
from cutline.measures import LinearInAuc, MeanOfCases, Measure, Needs
from cutline.results.estimate import Limits, quantile

_STEP = 1e-5  # of a count: the error of a central difference and of rounding are then both about 1e-10
_LARGEST_STEP = 0.5  # of the weight of a stretch, which is a fiftieth of a class
_CELLS = 400  # per class: a longer list is put together into at most so many cells before it is weighed anew
_IN_A_CELL = 20  # cases of each class, or nearly: with fewer, a cell would not tell how dense the scores are there
FEW_FOR_THE_ORDER = 100  # cases of a class: stretches of fewer would hold hardly any
_TOP = 64  # scores at the top of the list that stay alone, because there a measure of the order looks most closely
_STRETCHES = 50  # per class: within such a part of the list, cases of a class are taken to matter alike
_AT_ONCE = 2**18  # cells held at once
_BLOCK = 2**18  # scores of a long list that are looked at together
_CELLS_AT_ONCE = 32  # cells of the shorter list whose scores are summed together
_PARTS_OF_A_CASE = 64  # so that a step can be whole where cases have to be
_FAITHFUL = 0.02  # by how much the shorter list may change the measure, as a share of its value
_BENT = 0.15  # how much more and less weight may differ in what they change, squared, as a share of the change
# The best of the cuts that meet a condition, and ties: they jump from score to score, and have no slope.
JUMPING = frozenset({"precision_at_recall", "recall_at_precision", "tied_pairs"})


class Influence(NamedTuple):
    """Influence values, the changes by one case more: tables for both classes, and the entry of each score in them."""

    of_positives: Array
    of_negatives: Array
    entry: Array | None = None  # None: the tables have one entry for each score
    squares: tuple[Array, Array] | None = None  # the squared weights of both classes at each entry, where known

    def of_cases(self, score: Array, is_positive: Array) -> Array:
        """Return the influence values of some cases, given the positions of their scores in the ranking."""
        entry = score if self.entry is None else self.entry.take(score)
        return np.where(is_positive, self.of_positives.take(entry), self.of_negatives.take(entry))

    def of_cells(self, cell: Array, scores: int) -> Array:
        """Return the influence values of some cases, given their cells: scores of positives, then of negatives."""
        return self.of_cases(cell % scores, cell < scores)

    def spread(self, scores: int) -> tuple[Array, Array]:
        """Return the influence values of a positive and of a negative at each score."""
        entry = np.arange(scores) if self.entry is None else self.entry
        return self.of_positives.take(entry), self.of_negatives.take(entry)

    def variance(self, second: Ranking) -> Any:
        """Return the variance of the measure, given the squared weights of its ranking."""
        if self.squares is not None:
            pos, neg = self.squares
        elif self.entry is None:
            pos, neg = second.pos, second.neg
        else:
            pos, neg = _sum_by_entry(second, self.entry, len(self.of_positives))
        return as_number(_sum_losses(pos, self.of_positives, power=2) + _sum_losses(neg, self.of_negatives, power=2))


def _sum_by_entry(r: Ranking, entry: Array, length: int) -> tuple[Array, Array]:
    """Return the weights of both classes at each entry."""
    pos, neg = (np.bincount(entry, weights=cells, minlength=length) for cells in (r.pos, r.neg))
    return pos, neg


def differentiate(measure: Measure, ranking: Ranking, parameters: Mapping[str, Any], value: float) -> Influence | None:
    """Return the influence values of a measure; None if it is not differentiable.

    Args:
        measure: The measure.
        ranking: The cases.
        parameters: Those of the measure, and its threshold where it is of one cut.
        value: The measure of these cases.
    """
    data, rest = measure.prepare(ranking, parameters)
    if measure.needs is Needs.COUNTS and "threshold" in parameters:
        return differentiate_cut(partial(measure.compute, **rest), data, ranking, ranking.cut(parameters["threshold"]))
    of_form = _OF_FORMS.get(type(measure.form))
    if of_form is not None:
        return of_form(measure.form, ranking, {**measure.bound, **rest})
    if measure.needs is not Needs.RANKING or "quota" in {**measure.bound, **parameters}:
        return None

    def statistic(r: Ranking) -> Any:
        list_of, own = measure.prepare(r, parameters)
        return measure.compute(list_of, **own)

    return differentiate_order(statistic, value, ranking)


def differentiate_area(ranking: Ranking) -> Influence:
    """Return the influence values of the AUC: the placements, less their mean."""
    (above, below), pairs = compute_placements(ranking), ranking.pairs
    area = as_number(divide(pairs.concordant + pairs.tied / 2, pairs.every))
    above -= area  # in place: these columns of a long list are its largest
    below -= area
    above /= as_number(ranking.positives)
    below /= as_number(ranking.negatives)
    return Influence(above, below)


def _differentiate_linear_in_auc(form: Any, ranking: Ranking, parameters: dict[str, Any]) -> Influence:
    slope, area = float(form.of(ranking, **parameters)[0]), differentiate_area(ranking)
    return Influence(slope * area.of_positives, slope * area.of_negatives)


def _differentiate_mean_of_cases(form: Any, ranking: Ranking, parameters: dict[str, Any]) -> Influence | None:
    losses = form.of(ranking, **parameters)
    return differentiate_mean_loss(ranking, *losses) if all(np.isfinite(loss).all() for loss in losses) else None


_OF_FORMS: Mapping[type, Callable[[Any, Ranking, dict[str, Any]], Influence | None]] = {
    LinearInAuc: _differentiate_linear_in_auc,
    MeanOfCases: _differentiate_mean_of_cases,
}


def compute_variance_of_cut(function: Callable[[Counts], Any], counts: Counts, second: Counts) -> float:
    """Return the variance of a smooth measure of one cut; `second` holds the squared weights at the same cut.

    >>> c = Counts(tp=30.0, fp=10.0, fn=20.0, tn=40.0)  # recall is 30 of 50: its variance is 0.6 * 0.4 / 50
    >>> round(compute_variance_of_cut(lambda c: c.tp / (c.tp + c.fn), c, c), 9)
    0.0048
    """
    squared = np.array([second.tp, second.fp, second.fn, second.tn], dtype=float)
    return float(squared @ differentiate_cells(function, counts) ** 2)


def differentiate_cut(function: Callable[[Counts], Any], counts: Counts, ranking: Ranking, cut: int) -> Influence:
    """Return the changes of a smooth measure of one cut, which is after that many scores of the ranking."""
    tp, fp, fn, tn = differentiate_cells(function, counts)
    entry = (np.arange(len(ranking)) >= cut).astype(np.int8)
    return Influence(np.array([tp, fn]), np.array([fp, tn]), entry)


def differentiate_cells(function: Callable[[Counts], Any], counts: Counts) -> Array:
    """Return the influence of one more case in each of the cells tp, fp, fn and tn."""
    cells = np.array([counts.tp, counts.fp, counts.fn, counts.tn], dtype=float)
    width = cells * _STEP  # a count of 0 has no case whose absence could matter, and stays
    moves = np.diag(width)
    there = np.broadcast_to(function(_make_counts(cells[:, None] + np.hstack((moves, -moves)), counts)), 2 * len(cells))
    up, down = there[: len(cells)], there[len(cells) :]
    with np.errstate(invalid="ignore"):
        slope = np.where(cells > 0, divide(np.subtract(up, down), 2 * width), 0.0)
        return np.asarray(slope - cells @ slope / cells.sum())


def _make_counts(cells: Array, like: Counts) -> Counts:
    tp, fp, fn, tn = cells
    return TrustedCounts(tp, fp, fn, tn, like.threshold)


def compute_variance_of_mean(r: Ranking, second: Ranking, of_positive: Array, of_negative: Array) -> Any:
    """Return the variance of the mean over the cases of a loss that depends on class and score."""
    size = as_number(r.total) ** 2 / as_number(second.total)
    return as_number(divide(differentiate_mean_loss(r, of_positive, of_negative).variance(second) * size, size - 1))


def differentiate_mean_loss(r: Ranking, of_positive: Array, of_negative: Array) -> Influence:
    """Return the changes of the mean over the cases of a loss that depends on class and score."""
    total = as_number(r.total)
    mean = divide(_sum_losses(r.pos, of_positive) + _sum_losses(r.neg, of_negative), total)
    of_positives, of_negatives = of_positive - mean, of_negative - mean
    of_positives /= total
    of_negatives /= total
    return Influence(of_positives, of_negatives)


def _sum_losses(weight: Array, loss: Array, power: int = 1) -> Any:
    """Return the sum of the losses, or of their squares; infinite losses without a case do not count."""
    if isinstance(weight, Symbol):
        return np.where(weight > 0, weight * loss**power, 0.0).sum()
    total = 0.0
    for start in range(0, len(weight), _BLOCK):
        part = slice(start, start + _BLOCK)
        with np.errstate(invalid="ignore", over="ignore"):  # losses at the ends of floats have an infinite variance
            total += np.where(weight[part] != 0, weight[part] * loss[part] ** power, 0.0).sum()
    return total


def differentiate_order(statistic: Callable[[Ranking], Any], value: float, r: Ranking) -> Influence | None:
    """Return the changes of a measure of the order; None where a shorter list does not stand for the whole one.

    A long list is put together into some thousand cells of neighbours, which changes a measure of the order by about a
    thousandth. In it, all positives of a stretch, or all negatives, are given more and less weight. The step is about
    as large as what chance does to the whole list, so that a measure that looks at one place of it, as the equal error
    rate does, sees as many neighbours as it would in other samples.
    """
    if min(compute_effective_sizes(r)) < FEW_FOR_THE_ORDER:
        return None
    short, first, stretch, squared = _condense(r)
    if r.integral and float(r.total) * _PARTS_OF_A_CASE > 2**60:  # more parts than can be counted
        return None
    if np.isnan(statistic(short)) and r.integral:  # some measures are of places, which only whole cases have
        short = short.cached("in parts", partial(_split_cases, short))
    if not abs(float(statistic(short)) - value) <= _FAITHFUL * abs(value):
        return None
    unit = _PARTS_OF_A_CASE if short.integral else 1
    changes = [_compute_changes(statistic, short, first, of_positives) for of_positives in (True, False)]
    bent, changed = sum(change.bent for change in changes), sum(change.changed for change in changes)
    if not bent <= _BENT * changed:  # NaN is not
        return None
    return Influence(*_centre(short, first, *(unit * change.by_stretch for change in changes)), stretch, squared)


def _split_cases(short: Ranking) -> Ranking:
    """Return the short list with whole numbers of parts of a case."""
    pos, neg = (_PARTS_OF_A_CASE * np.rint(column).astype(np.int64) for column in (short.pos, short.neg))
    return replace(short, pos=pos, neg=neg, pos2=pos, neg2=neg)


class _StretchChanges(NamedTuple):
    """Influence values by stretch, and the squared sums of these and of their curvature."""

    by_stretch: Array
    changed: float
    bent: float


class _ShortList(NamedTuple):
    """A shorter ranking that stands for a long one, its neighbouring cells merged, and its stretches."""

    ranking: Ranking
    first: Array  # where each stretch starts among the cells
    stretch: Array  # of each score of the long list
    squares: tuple[Array, Array]  # the squared weights of both classes in each stretch


def _condense(r: Ranking) -> _ShortList:
    """Return the shorter ranking that stands for a long one; cached, because all measures of the order use it."""
    if "short_list" not in r.__dict__:
        starts, of_stretches = _choose_cells(r)
        first = np.searchsorted(starts, of_stretches)
        stretch = np.repeat(np.arange(len(first), dtype=np.int16), np.diff(of_stretches, append=len(r)))
        if r.integral:
            pos, neg = (np.add.reduceat(cells, of_stretches, dtype=float) for cells in (r.pos, r.neg))
        else:
            pos, neg = _sum_by_entry(square_weights(r), stretch, len(first))
        r.__dict__["short_list"] = _ShortList(_merge_cells(r, starts), first, stretch, (pos, neg))
    short: _ShortList = r.__dict__["short_list"]
    return short


def _choose_cells(r: Ranking) -> tuple[Array, Array]:
    """Return the scores with which the cells of the shorter list begin, and its stretches: at quantiles of both
    classes.
    """
    enough = int(min(r.positives, r.negatives)) // _IN_A_CELL
    number = max(_STRETCHES // 5, min(_STRETCHES, enough))
    fewer = number * max(1, min(_CELLS, enough) // number)
    changes, stretches = _find_quantile_changes(r, (fewer, number))
    cells = np.arange(len(r)) if len(r) <= 2 * fewer else np.union1d(np.arange(min(_TOP, len(r))), changes)
    return cells, np.intersect1d(stretches, cells, assume_unique=True)


def _find_quantile_changes(r: Ranking, counts: tuple[int, int]) -> list[Array]:
    """Return for each number of quantiles the scores at which the sum of both quantile numbers of the classes rises."""
    changes: list[list[Array]] = [[] for _ in counts]
    before = [-1] * len(counts)
    start = 0
    for tp, fp in _iterate_running_totals(r):
        rates = (divide(tp, r.positives), divide(fp, r.negatives))
        for i, count in enumerate(counts):
            quantile = sum(np.nan_to_num(count * rate).astype(np.int16) for rate in rates)
            changes[i].append(start + np.flatnonzero(np.diff(quantile, prepend=np.int16(before[i])) > 0))
            before[i] = int(quantile[-1])
        start += len(tp)
    return [np.concatenate(parts) for parts in changes]


def _iterate_running_totals(r: Ranking) -> Iterator[tuple[Array, Array]]:
    """Yield the positives and the negatives at or above each score, part by part: a long list takes much memory."""
    if r.is_in_blocks:
        yield from ((block.tp[1:], block.fp[1:]) for block in split_into_blocks(r))
        return
    for start in range(1, len(r) + 1, _BLOCK):
        yield r.tp[start : start + _BLOCK], r.fp[start : start + _BLOCK]


def _merge_cells(r: Ranking, starts: Array) -> Ranking:
    """Return the ranking of merged cells, with their mean scores; weights need not be whole."""
    pos, neg = (np.add.reduceat(column, starts).astype(float) for column in (r.pos, r.neg))
    down = 2.0**-400 if max(abs(float(r.score[0])), abs(float(r.score[-1]))) > 1e150 else 1.0  # exact, and undone below
    sums = []
    for i in range(0, len(starts), _CELLS_AT_ONCE):  # so that a long list does not need as long a scratch space
        some = starts[i : i + _CELLS_AT_ONCE]
        end = starts[i + _CELLS_AT_ONCE] if i + _CELLS_AT_ONCE < len(starts) else len(r)
        here = slice(some[0], end)
        with np.errstate(invalid="ignore"):
            products = np.multiply(r.pos[here] + r.neg[here], r.score[here] * down, dtype=float)
            sums.append(np.add.reduceat(products, some - some[0]))
    score = np.concatenate(sums) / (pos + neg) / down
    return replace(r, score=score, pos=pos, neg=neg, pos2=pos, neg2=neg)


def _compute_changes(
    statistic: Callable[[Ranking], Any], r: Ranking, first: Array, of_positives: bool
) -> _StretchChanges:
    """Return the influence of one more case on each stretch of one class; 0 for an empty stretch."""
    changes, middle = np.zeros(len(first)), float(statistic(r))
    changed = bent = 0.0
    for moved in cached_large_value(r, ("moved", of_positives), lambda: _reweight_stretches(r, first, of_positives)):
        stop_if_unwanted()
        up, down = (np.asarray(statistic(lists), dtype=float) for lists in (moved.up, moved.down))
        is_there = moved.more > 0
        changes[moved.stretches] = np.divide(up - down, moved.more, out=np.zeros(len(up)), where=is_there)
        changed += float(np.square(up - down).sum())
        bent += float(np.square(up + down - 2 * middle).sum())
    return _StretchChanges(changes, changed, bent)


class _Moved(NamedTuple):
    """Rankings with more and with less weight on each of some stretches, and by how many cases they differ."""

    stretches: Array
    up: Ranking
    down: Ranking
    more: Array


def _reweight_stretches(r: Ranking, first: Array, of_positives: bool) -> list[_Moved]:
    """Return the lists with other weights on each stretch of one class; the caller caches them for all measures."""
    mine, other = (r.pos, r.neg) if of_positives else (r.neg, r.pos)
    weight, total = np.add.reduceat(mine, first), float(r.total)
    with np.errstate(divide="ignore"):
        steps = np.minimum(np.sqrt(_STRETCHES / weight), _LARGEST_STEP)
    stretch = np.repeat(np.arange(len(first)), np.diff(first, append=len(r)))

    def lists(some: Array, sign: int) -> tuple[Ranking, Array]:
        change = mine * ((stretch == some[:, None]) * (sign * steps[some])[:, None])
        if r.integral:
            change = np.rint(change).astype(np.int64)
        added = change.sum(-1)
        columns = [mine + change, np.broadcast_to(other, change.shape)]
        if not r.integral:  # the list stays as long as it is, and a quota the same share of it
            columns = [column * (total / (total + added))[:, None] for column in columns]
        pos, neg = columns if of_positives else columns[::-1]
        return replace(r, pos=pos, neg=neg, pos2=pos, neg2=neg), added

    values = []
    for some in np.array_split(np.arange(len(first)), -(-len(first) // max(1, _AT_ONCE // len(r)))):
        (up, more), (down, less) = lists(some, 1), lists(some, -1)
        values.append(_Moved(some, up, down, more - less))
    return values


def _centre(r: Ranking, first: Array, of_positives: Array, of_negatives: Array) -> tuple[Array, Array]:
    """Centre the influence values, so that their mean over the cases is 0."""
    pos, neg = (np.add.reduceat(column, first) for column in r.floats)
    mean = (pos @ of_positives + neg @ of_negatives) / float(r.total)
    return of_positives - mean, of_negatives - mean


def normal_limits(value: float, variance: float, level: float) -> Limits:
    """Return the value plus and minus its standard error times the normal quantile."""
    half = quantile(level) * np.sqrt(variance)
    return Limits(value - half, value + half)
