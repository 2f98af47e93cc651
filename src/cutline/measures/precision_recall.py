"""Measures of the ranking that live in precision-recall space."""

from __future__ import annotations

import math
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from cutline.core.array_ops import Array, dot
from cutline.core.blocks import reduce_over_cells
from cutline.core.counts import divide
from cutline.core.ranking import Ranking
from cutline.measures.forms import CurvePoint, Equivalent, OpenEndedArea, RankStatistic
from cutline.measures.metadata import (
    FRACTIONAL_WEIGHTS,
    NO_POSITIVE,
    NULL_PREVALENCE,
    ONE_CLASS,
    PREVALENCE,
    Parameter,
    ReferenceValue,
    UndefinedWhen,
    compute_null_share,
)
from cutline.measures.roc import order


class RecallSteps(NamedTuple):
    """The cells at which the recall grows, concatenated over the rankings of a stack.

    `cell` is the position in the flattened columns of the stack, `row` the number of the ranking, `length` the number
    of scores of a ranking, and `first` the position of the first step of each ranking.
    """

    cell: Array
    row: Array
    length: int
    first: Array

    @classmethod
    def of(cls, r: Ranking) -> RecallSteps:
        """Return the steps of a ranking or of a stack."""
        cell, length = np.flatnonzero(r.pos), len(r)
        if r.pos.ndim == 1:  # a single row costs no memory
            return cls(cell, np.broadcast_to(np.intp(0), cell.shape), length, np.arange(min(len(cell), 1)))
        row = cell // length
        return cls(cell, row, length, np.flatnonzero(np.diff(row, prepend=-1)))

    @property
    def cut(self) -> Array:
        """Cut before each step, as a position in the flattened cuts of the stack, one more a row than the scores."""
        return np.asarray(self.cell + self.row)

    @property
    def highest(self) -> Array:
        """Cut after each step, which has the highest precision at its recall."""
        return self.cut + 1

    @property
    def lowest(self) -> Array:
        """Cut before the next step, or the last cut of the ranking, which has the lowest precision at its recall."""
        cuts = np.append(self.cut[1:], 0)[: len(self.cell)]
        cuts[self.last] = (self.row[self.last] + 1) * (self.length + 1) - 1
        return cuts

    @property
    def last(self) -> Array:
        """Last step of each ranking."""
        return np.append(self.first[1:], len(self.cell))[: len(self.first)] - 1

    def shift_values(self, values: Array) -> Array:
        """Return the value at the start of each step from the values at the ends; 0 for the first step."""
        shifted = np.append(0, values[:-1]).astype(values.dtype)[: len(values)]
        shifted[self.first] = 0
        return shifted

    def dot(self, a: Array, b: Array, r: Ranking) -> Any:
        """Return the sum of the products over the steps of each ranking."""
        if r.pos.ndim == 1:
            return dot(a, b)
        bounds = np.searchsorted(self.row, np.arange(r.pos.size // self.length + 1))
        # Each row is summed in the order of `dot`, so that values agree to the bit.
        sums = [np.einsum("i,i->", a[i:j], b[i:j]) for i, j in pairwise(bounds.tolist())]
        return np.reshape(sums, r.pos.shape[:-1])


def compute_first_line_area(r: Ranking, *, start: float = 0.0) -> float:
    """Return the area above the straight line from the start of a curve to its first positives.

    If a few positives had a higher score, almost nothing of this area would remain, and a sample may lack such a score.
    """
    first = int(np.argmax(r.pos > 0))
    return float(r.tpr[first + 1]) * (float(r.precision[first + 1]) - start) / 2


def compute_end_line_areas(r: Ranking) -> float:
    """Return the area above the first line of a curve, and above the last one if it falls to the prevalence."""
    last = len(r) - 1 - int(np.argmax(r.pos[::-1] > 0))
    fall = float(r.precision[last + 1]) - float(r.positives / r.total)
    return compute_first_line_area(r) + float(r.pos[last] / r.positives) * max(fall, 0.0) / 2


# ---------------------------------------------------------------------- sums over the places of the list


_TABULATED = 2**16  # places whose harmonic numbers are tabulated
_STEPS = 2.0**44  # steps of a unit; sums of whole steps are exact


@cache
def _tabulate_harmonic_numbers() -> tuple[Array, Array]:
    """Return 1 + ... + 1/k for k = 0, 1, ... in whole steps, and the sums of the remainders."""
    k = np.arange(1.0, _TABULATED + 1)
    whole = np.rint(_STEPS / k)
    rest = (_STEPS - whole * k) / k
    return np.append(0.0, np.cumsum(whole)) / _STEPS, np.append(0.0, np.cumsum(rest)) / _STEPS


def sum_reciprocals(places: Array) -> Any:
    """Return 1/(a+1) + ... + 1/b for neighbouring a and b of ascending whole numbers, along the last axis.

    >>> sum_reciprocals(np.array([0, 3, 4])).round(6).tolist()  # 1 + 1/2 + 1/3, 1/4
    [1.833333, 0.25]
    """
    steps = places.shape[-1] - 1
    if (places[..., -1] - places[..., 0]).max(initial=0) <= steps:  # otherwise a step is longer than a place
        count = np.diff(places)
        if (count <= 1).all():
            return divide(count, places[..., 1:])
    whole, rest = _tabulate_harmonic_numbers()
    is_long = places[..., -1].max() > _TABULATED
    near = np.minimum(places, _TABULATED) if is_long else places
    total = np.diff(whole.take(near))
    total += np.diff(rest.take(near))
    if is_long:  # digamma(z + 1/2) is log(z) + 1 / (24 z^2), to below the last digit so far out
        far = np.maximum(places, _TABULATED) + 0.5
        x, y = far[..., :-1], far[..., 1:]
        total += np.log1p((y - x) / x) + (1 / (y * y) - 1 / (x * x)) / 24
    return total


def _sum_reciprocals_of_cells(r: Ranking) -> Array:
    """Return the sum of 1/j over the places j of each cell; cached on the ranking."""
    return np.asarray(r.cached("harmonic of cells", lambda: sum_reciprocals(r.ends)))


def compute_place_precision(r: Ranking) -> Array:
    """Return the expected precision down to a place, averaged over the places of each cell; cached on the ranking."""
    return np.asarray(r.cached("precision_of_places", lambda: _compute_place_precision(r)))


def _compute_place_precision(r: Ranking) -> Array:
    tied = r.size > 1  # an untied cell is one place, with the precision of its cut
    if not tied.any():
        return r.precision[..., 1:]
    above, before, t = r.tp[..., :-1], r.ends[..., :-1], r.share
    # Place a + i of a cell with T positives above it holds T + t i of them: the sum over i of (T + t i) / (a + i).
    # In place, because bootstraps of ties spend most of their time here.
    mean = t * before
    np.subtract(above, mean, out=mean)
    mean *= _sum_reciprocals_of_cells(r)
    with np.errstate(invalid="ignore"):  # a cell of a resample may be empty
        mean /= r.size
    mean += t
    np.putmask(mean, ~tied, r.precision[..., 1:])  # several times faster than `copyto` where ties are scattered
    return mean


# ---------------------------------------------------------------------- average precision and its namesakes


def _compute_influence(r: Ranking) -> tuple[Array, Array]:
    """Return the influence of a positive and of a negative of each score on the average precision.

    A case changes the precision at its own and at all lower scores; a positive also adds a term to the average.
    """
    precision, size = r.precision[..., 1:], r.tp[..., 1:] + r.fp[..., 1:]
    gained, lost = (_sum_from(r.floats[0] * change / size) for change in (1 - precision, precision))
    positives = r.positives
    return (precision + gained - _sum_precision(r) / positives) / positives, -lost / positives


def _sum_from(cells: Array) -> Array:
    """Return the sum of each entry and all later ones."""
    sums: Array = np.cumsum(cells[..., ::-1], axis=-1)[..., ::-1]
    return sums


@order(
    title="Average precision",
    formula=r"\sum_k \left[r(t_k) - r(t_{k-1})\right] p(t_k)",
    better="higher",
    perfect=1,
    baseline=PREVALENCE,
    undefined=NO_POSITIVE,
    concordant=False,
    aliases=("ap", "auprc", "pr_auc", "aucpr", "average_precision_score"),
    headline=True,
    trained_by="precisions",
    card=True,
    form=RankStatistic(_compute_influence),
    source={"berrar2025": "Definition 32", "murphy2007": "Section 2", "sonnenburg": "Area under the curves"},
    blind_to="The negatives after the last positive; values for different prevalence do not compare.",
)
def average_precision(r: Ranking) -> Any:
    """Mean precision over the positive cases, each read at the cut of its own score, as scikit-learn does.

    >>> average_precision([1, 0, 1, 0], [0.9, 0.6, 0.6, 0.2])  # (1 + 2/3) / 2
    0.8333333333333333
    """
    return divide(_sum_precision(r), r.positives)


@reduce_over_cells(np.add)
def _sum_precision(r: Ranking) -> Any:
    """Return the sum over the positives of the precision at the cut of their score."""
    return dot(r.floats[0], r.precision[..., 1:])


@order(
    title="Average precision, ties broken at random",
    formula=r"E_{\text{orders of the ties}}\left[AP\right]",
    better="higher",
    perfect=1,
    baseline=ReferenceValue(
        r"\frac{1}{n}\left[\frac{(P-1)(n - H_n)}{n-1} + H_n\right]",
        lambda s, **_: (
            (
                (s.n * s.prevalence - 1) * (s.n - _compute_harmonic_number(s.n)) / (s.n - 1)
                + _compute_harmonic_number(s.n)
            )
            / s.n
        ),
    ),
    undefined=(NO_POSITIVE, FRACTIONAL_WEIGHTS),
    aliases=("expected_ap",),
    scales=False,
    equivalent=Equivalent("average_precision", "average_precision", without_ties=True),
    source="mcsherry2008",
    blind_to="The negatives after the last positive; values for different prevalence do not compare.",
)
def expected_average_precision(r: Ranking) -> Any:
    """Mean of the average precision over all orders of the tied cases."""
    if not r.integral:
        return np.full(r.pos.shape[:-1], np.nan)
    return divide(_sum_expected_precision(r), r.positives)


@reduce_over_cells(np.add)
def _sum_expected_precision(r: Ranking) -> Any:
    """Return the sum over the positives of the precision down to them, in expectation over the orders of ties."""
    precision = r.precision[..., 1:].copy()
    tied = r.size > 1
    above, before, size, pos = (column[tied] for column in (r.tp[..., :-1], r.ends[..., :-1], r.size, r.pos))
    # A positive at place i of its cell has, in expectation, (i - 1) others of it above: c per place before.
    c = np.maximum(pos - 1, 0) / (size - 1)
    precision[tied] = c + (above + 1 - c - c * before) * _sum_reciprocals_of_cells(r)[tied] / size
    return dot(r.floats[0], precision)


def _compute_harmonic_number(n: float) -> float:
    return float(sum_reciprocals(np.array([0, round(n)]))[0])


@order(
    title="Mean precision over all cuts",
    formula=r"\frac1n \sum_{j=1}^n \frac{TP(j)}{j}",
    better="higher",
    perfect=ReferenceValue(
        r"\pi (1 + H_n - H_P)",
        lambda s, **_: (
            s.prevalence * (1 + _compute_harmonic_number(s.n) - _compute_harmonic_number(s.n * s.prevalence))
        ),
    ),
    baseline=PREVALENCE,
    undefined=FRACTIONAL_WEIGHTS,
    scales=False,
    source={"berrar2025": "Definition 32"},
    blind_to="Where the list is used: its first places count most, whatever your quota is.",
)
def mean_precision(r: Ranking) -> Any:
    """Mean over all places of the list of the precision down to there: what average precision is confused with."""
    if not r.integral:
        return np.full(r.pos.shape[:-1], np.nan)
    return divide(_sum_place_precision(r), r.total)


@reduce_over_cells(np.add)
def _sum_place_precision(r: Ranking) -> Any:
    """Return the sum over the places of the list of the precision down to there."""
    return dot(r.size, compute_place_precision(r))


@order(
    title="Average lift",
    formula=r"\frac1n \sum_{j=1}^n \text{lift}(j)",
    range=(0, math.inf),
    better="higher",
    perfect=ReferenceValue(
        r"\frac{\pi}{\pi_0}(1 + H_n - H_P)",
        lambda s, prevalence=None: (
            s.prevalence
            / (prevalence or s.prevalence)
            * (1 + _compute_harmonic_number(s.n) - _compute_harmonic_number(s.n * s.prevalence))
        ),
    ),
    baseline=ReferenceValue(r"\pi/\pi_0", lambda s, prevalence=None: s.prevalence / (prevalence or s.prevalence)),
    undefined=(
        UndefinedWhen(
            "there is no positive case", lambda r, prevalence=None, **_: (r.positives == 0) & (prevalence is None)
        ),
        FRACTIONAL_WEIGHTS,
    ),
    scales=False,
    parameters={"prevalence": NULL_PREVALENCE},
    equivalent=Equivalent("mean_precision", "mean_precision / prevalence"),
    source={"berrar2025": "Definition 26"},
    blind_to="Where the list is used: its first places count most, whatever your quota is.",
)
def average_lift(r: Ranking, *, prevalence: float | None = None) -> Any:
    """Mean lift over all lengths of the list."""
    return divide(mean_precision.function(r), compute_null_share(r.positives, r.total, prevalence))


@order(
    title="Mean average precision",
    formula=r"\tfrac12 \left(AP_+ + AP_-\right)",
    better="higher",
    perfect=1,
    baseline=0.5,
    undefined=ONE_CLASS,
    concordant=False,
    aliases=("map",),
    source={"berrar2025": "Section 4, after Definition 33", "beitzel2009": ""},
    blind_to="Which of the two classes matters to you: both lists count alike.",
)
def mean_average_precision(r: Ranking) -> Any:
    """Mean of the average precisions with each class in turn as the positive one."""
    of_negatives = divide(_sum_precision_from_end(r), r.negatives)
    return np.clip((average_precision.function(r) + of_negatives) / 2, 0, 1)


@reduce_over_cells(np.add)
def _sum_precision_from_end(r: Ranking) -> Any:
    """Return the sum over the negatives of the share of negatives among all from their score on."""
    return dot(r.floats[1], _compute_precision_from_end(r))


def _compute_precision_from_end(r: Ranking) -> Array:
    """Return the share of negatives among all from each cell on."""
    if r.integral and r.pos.ndim == 1:  # whole numbers: what is left is exact
        neg, size = r.negatives - r.fp[:-1], r.total - r.ends[:-1]
    else:
        neg, size = (np.cumsum(cells[..., ::-1], axis=-1)[..., ::-1] for cells in (r.neg, r.size))
    precision = np.asarray(divide(neg, size))
    return precision if size[..., -1].all() else np.nan_to_num(precision)  # empty cells at the end of a resample


# ---------------------------------------------------------------------- areas under the empirical curve


def find_lowest_precision(r: Ranking) -> Array:
    """Return the cut of the lowest precision at each recall, starting with the cut that flags no case."""
    return np.append(
        0, RecallSteps.of(r).lowest
    )  # no positive is found before, so precision is 0 there as at the start


def find_highest_precision(r: Ranking) -> Array:
    """Return the cut of the highest precision at each recall, starting with the cut that flags no case."""
    return np.append(0, RecallSteps.of(r).highest)


class _Lines(NamedTuple):
    """P times the area under straight lines between precisions, and the factors for joining it to its neighbours."""

    area: Any
    first: Any  # the factor of the first step in the line from the block before; NaN without steps
    last: Any  # the factor of the last step in the line to the next block


def _join_lines(earlier: _Lines, later: _Lines) -> _Lines:
    if np.isnan(later.first):
        return earlier
    if np.isnan(earlier.first):
        return later
    return _Lines(earlier.area + later.area + earlier.last * later.first / 2, earlier.first, later.last)


@reduce_over_cells(_join_lines)
def _compute_line_area(r: Ranking, highest: bool) -> _Lines:
    """Return the area under the lines between the highest, or between the lowest, precisions at each recall."""
    steps = RecallSteps.of(r)
    pos, precision = r.floats[0].ravel()[steps.cell], r.precision.ravel()[steps.highest if highest else steps.cut]
    # The lowest precision at a recall is at the cut before the next step.
    pos, precision = (pos, precision) if highest else (precision, pos)
    area = steps.dot(pos, (steps.shift_values(precision) + precision) / 2, r)
    first, last = np.full((2, r.pos.size // steps.length), np.nan)
    first[steps.row[steps.first]], last[steps.row[steps.first]] = pos[steps.first], precision[steps.last]
    return _Lines(area, *(ends.reshape(r.pos.shape[:-1])[()] for ends in (first, last)))


# A constant score has one cut, which a straight line joins to (0, 0). Many distinct scores in a random order come near
# the prevalence itself.
HALF_OF_THE_PREVALENCE = ReferenceValue(r"\frac{\pi}{2}", lambda s, **_: s.prevalence / 2)


@order(
    title="AUCPR, lower trapezoid",
    formula=r"\sum_i \tfrac12 \left[p_{\min}(t_i) + p_{\min}(t_{i+1})\right] \Delta r_i",
    better="higher",
    perfect=ReferenceValue(r"1 - \frac{2 - \pi}{2P}", lambda s, **_: 1 - (2 - s.prevalence) / (2 * s.n * s.prevalence)),
    baseline=HALF_OF_THE_PREVALENCE,
    undefined=NO_POSITIVE,
    concordant=False,
    source={"berrar2025": "Definition 33", "boyd2013": ""},
    across_sizes="average_precision",
    form=OpenEndedArea(compute_end_line_areas),
    blind_to="What a cut in between would reach: precision is not linear in recall, so straight lines mislead.",
)
def aucpr_min(r: Ranking) -> Any:
    """Area under the precision-recall curve through the lowest precision at each recall, from (0, 0).

    Its baseline is half the prevalence, the value of a constant score; many distinct scores in random order come near
    the prevalence.
    """
    lines = _compute_line_area(r, False)
    return divide(lines.area + lines.last * divide(r.positives, r.total) / 2, r.positives)


@order(
    title="AUCPR, middle trapezoid",
    formula=r"\sum_i \tfrac12 \left[p_{\min}(t_i) + p_{\max}(t_{i+1})\right] \Delta r_i",
    better="higher",
    perfect=ReferenceValue(r"1 - \frac{1 - p_0}{2P}", lambda s, start=0.0: 1 - (1 - start) / (2 * s.n * s.prevalence)),
    baseline=ReferenceValue(r"\frac{p_0 + \pi}{2}", lambda s, start=0.0: (start + s.prevalence) / 2),
    undefined=NO_POSITIVE,
    concordant=False,
    parameters={"start": Parameter("precision p_0 at recall 0, where the curve begins", low=0, high=1, example=1.0)},
    source={"berrar2025": "Definition 33", "boyd2013": ""},
    form=OpenEndedArea(compute_first_line_area),
    blind_to="What a cut in between would reach: precision is not linear in recall, so straight lines mislead.",
)
def aucpr_minmax(r: Ranking, *, start: float = 0.0) -> Any:
    """Area under the precision-recall curve by trapezoids between neighbouring cuts, from (0, 0).

    Its baseline is half the prevalence, the value of a constant score; many distinct scores in random order come near
    the prevalence. `start=1` begins at precision 1, as scikit-learn's `auc` of its `precision_recall_curve` does.
    """
    area = _sum_middle_precision(r)
    return divide(area + r.pos[..., 0] * start / 2 if start else area, r.positives)


@reduce_over_cells(np.add)
def _sum_middle_precision(r: Ranking) -> Any:
    """Return the sum over the positives of the mean precision of the cuts before and after their score."""
    return dot(r.floats[0], (r.precision[..., :-1] + r.precision[..., 1:]) / 2)


@order(
    title="AUCPR, upper trapezoid",
    formula=r"\sum_i \tfrac12 \left[p_{\max}(t_i) + p_{\max}(t_{i+1})\right] \Delta r_i",
    better="higher",
    perfect=ReferenceValue(r"1 - \frac{1}{2P}", lambda s, **_: 1 - 1 / (2 * s.n * s.prevalence)),
    baseline=HALF_OF_THE_PREVALENCE,
    undefined=NO_POSITIVE,
    concordant=False,
    source={"berrar2025": "Definition 33", "boyd2013": ""},
    across_sizes="average_precision",
    form=OpenEndedArea(compute_first_line_area),
    blind_to="What a cut in between would reach: precision is not linear in recall, so straight lines mislead.",
)
def aucpr_max(r: Ranking) -> Any:
    """Area under the precision-recall curve through the highest precision at each recall, from (0, 0).

    Its baseline is half the prevalence, the value of a constant score; many distinct scores in random order come near
    the prevalence.
    """
    return divide(_compute_line_area(r, True).area, r.positives)


@order(
    title="AUCPR, interpolated in counts",
    formula=r"\int_0^1 \frac{TP}{TP + FP(TP)} d\,r",
    better="higher",
    perfect=1,
    baseline=PREVALENCE,
    undefined=NO_POSITIVE,
    aliases=("aucpr_dg",),
    source="davis2006",
    blind_to="The negatives after the last positive; values for different prevalence do not compare.",
)
def aucpr_davis_goadrich(r: Ranking) -> Any:
    """Area under the precision-recall curve between whose cuts false positives grow in step with true ones."""
    return np.clip(divide(_compute_area_in_counts(r), r.positives), 0, 1)


@reduce_over_cells(np.add)
def _compute_area_in_counts(r: Ranking) -> Any:
    """Return P times the area."""
    steps = RecallSteps.of(r)
    above, flagged = (column.ravel()[steps.cut] for column in (r.tp, r.ends))
    size, pos, t = (column.ravel()[steps.cell] for column in (r.size, r.pos, r.share))
    # Along a cell, precision is (T + x) / (B + x / t) after x of its positives: a line plus a logarithm.
    growth = np.log1p(divide(size, np.where(flagged > 0, flagged, np.inf)))
    return steps.dot(t, pos + (above - t * flagged) * growth, r)


# ---------------------------------------------------------------------- one point of the curve


def _find_best_cut(value: Array, allowed: Array) -> Any:
    """Return the cut with the highest value among those allowed, the highest threshold first."""
    return np.argmax(np.where(allowed, value, -1.0), axis=-1)


def _restrict_to_recall(r: Ranking, *, recall: float) -> tuple[Array, Array]:
    return r.precision, r.tpr >= recall


@order(
    title="Precision at a recall",
    formula=r"\max_{t:\, r(t) \ge \rho} p(t)",
    better="higher",
    perfect=1,
    baseline=PREVALENCE,
    undefined=NO_POSITIVE,
    parameters={"recall": Parameter("recall to reach at least", low=0, high=1, includes_low=False, example=0.5)},
    found_at=lambda r, recall, **_: int(_find_best_cut(*_restrict_to_recall(r, recall=recall))),
    form=CurvePoint("precision", "recall"),
    source={"murphy2007": "Section 2"},
    blind_to="All of the list but the best cut that reaches the recall; the search flatters small samples.",
)
def precision_at_recall(r: Ranking, *, recall: float = 0.8) -> Any:
    """The best precision of a cut that reaches a recall."""
    return np.where(r.positives > 0, _find_best_precision(r, recall), np.nan)


@reduce_over_cells(np.maximum)
def _find_best_precision(r: Ranking, recall: float) -> Any:
    precision, allowed = _restrict_to_recall(r, recall=recall)
    return np.where(allowed, precision, 0.0).max(-1)


def _restrict_to_precision(r: Ranking, *, precision: float) -> tuple[Array, Array]:
    return r.tpr, (r.ends > 0) & (r.precision >= precision)


@reduce_over_cells((np.logical_or, np.maximum))
def _find_best_recall(r: Ranking, precision: float) -> tuple[Any, Any]:
    """Return whether a cut reaches the precision, and the best recall of these."""
    recall, allowed = _restrict_to_precision(r, precision=precision)
    return allowed.any(-1), np.where(allowed, recall, 0.0).max(-1)


def _may_be_inside_a_bin(r: Ranking, precision: float) -> Any:
    """Whether no cut between bins reaches the precision, though one inside a bin would if its positives came first."""
    if r.reach is None:
        return False
    is_reached = _find_best_recall(r.extreme(first_pos=True), precision)[0]
    return is_reached & ~_find_best_recall(r, precision)[0]


@order(
    title="Recall at a precision",
    formula=r"\max_{t:\, p(t) \ge \rho} r(t)",
    better="higher",
    perfect=1,
    baseline=ReferenceValue(
        r"1 \text{ if } \pi \ge \rho", lambda s, precision=0.8: 1 if s.prevalence >= precision else math.nan
    ),
    undefined=(
        NO_POSITIVE,
        UndefinedWhen("no cut reaches that precision", lambda r, precision, **_: ~_find_best_recall(r, precision)[0]),
        UndefinedWhen(
            "the scores were binned, and a cut inside a bin may reach it",
            lambda r, precision, **_: _may_be_inside_a_bin(r, precision),
        ),
    ),
    parameters={"precision": Parameter("precision to reach at least", low=0, high=1, includes_low=False, example=0.5)},
    found_at=lambda r, precision, **_: int(_find_best_cut(*_restrict_to_precision(r, precision=precision))),
    concordant=False,
    form=CurvePoint("recall_at_precision", "precision"),
    source=(),  # the converse of the former, which none of the texts defines
    blind_to="All of the list but the best cut that reaches the precision; the search flatters small samples.",
)
def recall_at_precision(r: Ranking, *, precision: float = 0.8) -> Any:
    """The best recall of a cut that reaches a precision."""
    is_reached, recall = _find_best_recall(r, precision)
    return np.where(is_reached, recall, np.nan)


@order(
    title="Break-even point",
    formula=r"p = r \text{ at } j = P",
    better="higher",
    perfect=1,
    baseline=PREVALENCE,
    undefined=NO_POSITIVE,
    aliases=("prbep", "precision_recall_break_even", "r_precision"),
    trained_by="quota",
    source="joachims2005",
    blind_to="All of the list but the cut that flags as many cases as are positive.",
)
def break_even(r: Ranking) -> Any:
    """Precision and recall where they are equal: when as many cases are flagged as are positive."""
    return divide(r.at_quota(r.positives).tp, r.positives)


# Statistics that several measures above share, computed in one pass if many measures are computed.
_sum_precision.share()
_sum_expected_precision.share()
_sum_place_precision.share()
_sum_precision_from_end.share()
_sum_middle_precision.share()
_compute_area_in_counts.share()
_compute_line_area.share(True)
_compute_line_area.share(False)
_find_best_precision.share(0.8)
_find_best_recall.share(0.8)
