"""Measures of the ranking that live in precision-recall space."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from cutline.core.counts import divide
from cutline.core.ranking import Array, Ranking, dot
from cutline.measures.kinds import CurvePoint, Equivalent, OpenEnds
from cutline.measures.metadata import (
    FRACTIONAL_WEIGHTS,
    NO_POSITIVE,
    NULL_PREVALENCE,
    ONE_CLASS,
    PREVALENCE,
    Condition,
    Parameter,
    ReferenceValue,
    null,
)
from cutline.measures.roc import order


class RecallSteps(NamedTuple):
    """The cells at which the recall grows, of all rankings of a stack one after the other.

    `cell` is where they are in the columns of the stack read row by row, `row` which ranking they belong to,
    `length` how many scores it has, and `first` the steps with which a ranking begins.
    """

    cell: Array
    row: Array
    length: int
    first: Array

    @classmethod
    def of(cls, r: Ranking) -> RecallSteps:
        """The steps of a ranking or of a stack."""
        cell, length = np.flatnonzero(r.pos), len(r)
        if r.pos.ndim == 1:  # a single row costs no memory
            return cls(cell, np.broadcast_to(np.intp(0), cell.shape), length, np.arange(min(len(cell), 1)))
        row = cell // length
        return cls(cell, row, length, np.flatnonzero(np.diff(row, prepend=-1)))

    @property
    def cut(self) -> Array:
        """The cut before each step, in the cuts of the stack read row by row: they are one more than the scores."""
        return np.asarray(self.cell + self.row)

    @property
    def highest(self) -> Array:
        """The cut after each step: of all with that recall, the one with the highest precision."""
        return self.cut + 1

    @property
    def lowest(self) -> Array:
        """The cut before the next step, or the last one of the ranking: the one with the lowest precision."""
        cuts = np.append(self.cut[1:], 0)[: len(self.cell)]
        last = np.append(self.first[1:], len(cuts))[: len(self.first)] - 1
        cuts[last] = (self.row[last] + 1) * (self.length + 1) - 1
        return cuts

    def before(self, values: Array) -> Array:
        """Of a value at the end of each step, that at its beginning, which is 0 for the first."""
        shifted = np.append(0, values[:-1]).astype(values.dtype)[: len(values)]
        shifted[self.first] = 0
        return shifted

    def dot(self, a: Array, b: Array, r: Ranking) -> Any:
        """The sum of the products over the steps of each ranking."""
        if r.pos.ndim == 1:
            return dot(a, b)
        bounds = np.searchsorted(self.row, np.arange(r.pos.size // self.length + 1))
        sums = [dot(a[i:j], b[i:j]) for i, j in pairwise(bounds.tolist())]  # each in the order it has alone
        return np.reshape(sums, r.pos.shape[:-1])


def first_line(r: Ranking, *, start: float = 0.0) -> float:
    """What the straight line from the start of a curve to its first positives takes from the area: half its rise.

    A higher score that only rare positives have would leave next to nothing of it, and samples may lack such a score.
    """
    first = int(np.argmax(r.pos > 0))
    return float(r.tpr[first + 1]) * (float(r.precision[first + 1]) - start) / 2


def first_and_last_line(r: Ranking) -> float:
    """What the first line of a curve takes, and the last one if it goes down to the prevalence."""
    last = len(r) - 1 - int(np.argmax(r.pos[::-1] > 0))
    fall = float(r.precision[last + 1]) - float(r.positives / r.total)
    return first_line(r) + float(r.pos[last] / r.positives) * max(fall, 0.0) / 2


def _mean_over_positives(r: Ranking, values: Array) -> Any:
    """The mean of one value per cell over the positive cases."""
    return divide(dot(r.floats[0], values), r.positives)


# ---------------------------------------------------------------------- sums over the places of the list


def harmonic(a: Array, b: Array) -> Any:
    """1/(a+1) + ... + 1/b for whole numbers a <= b of any size, without adding them up.

    >>> harmonic(np.array([0, 2]), np.array([3, 4])).round(6).tolist()  # 1 + 1/2 + 1/3, 1/3 + 1/4
    [1.833333, 0.583333]
    """
    if (b - a <= 1).all():
        return divide(b - a, b)
    exact = np.concatenate(([0.0], np.cumsum(1 / np.arange(1.0, 33))))
    head = exact[np.minimum(b, 32)] - exact[np.minimum(a, 32)]
    x, y = np.maximum(a, 32) + 0.5, np.maximum(b, 32) + 0.5

    def correction(z: Array) -> Array:  # digamma(z + 1/2) - log(z), to below the last digit from 32 on
        u = 1 / (z * z)
        return u * (1 / 24 - u * (7 / 960 - u * (31 / 8064 - u * 127 / 30720)))

    return head + np.log1p((y - x) / x) + correction(y) - correction(x)


def mean_precision_of_places(r: Ranking) -> Array:
    """For each cell, the expected precision down to a place, averaged over its places; the ranking remembers it."""
    return np.asarray(r.kept("precision_of_places", lambda: _mean_precision_of_places(r)))


def _mean_precision_of_places(r: Ranking) -> Array:
    precision = r.precision[..., 1:].copy()
    tied = r.size > 1  # elsewhere a cell is one place, and its precision that of its cut
    above, before, size, t = (column[tied] for column in (r.tp[..., :-1], r.ends[..., :-1], r.size, r.share))
    # Place a + i of a cell with T positives above it holds T + t i of them: the sum over i of (T + t i) / (a + i).
    precision[tied] = divide((above - t * before) * harmonic(before, before + size), size) + t
    return precision


# ---------------------------------------------------------------------- average precision and its namesakes


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
    source={"berrar2025": "Definition 32", "murphy2007": "Section 2", "sonnenburg": "Area under the curves"},
    blind_to="The negatives after the last positive; values for different prevalence do not compare.",
)
def average_precision(r: Ranking) -> Any:
    """Mean precision over the positive cases, each read at the cut of its own score, as scikit-learn does.

    >>> average_precision([1, 0, 1, 0], [0.9, 0.6, 0.6, 0.2])  # (1 + 2/3) / 2
    0.8333333333333333
    """
    return _mean_over_positives(r, r.precision[..., 1:])


@order(
    title="Average precision, ties broken at random",
    formula=r"E_{\text{orders of the ties}}\left[AP\right]",
    better="higher",
    perfect=1,
    baseline=ReferenceValue(
        r"\frac{1}{n}\left[\frac{(P-1)(n - H_n)}{n-1} + H_n\right]",
        lambda s, **_: (
            ((s.n * s.prevalence - 1) * (s.n - _harmonic_number(s.n)) / (s.n - 1) + _harmonic_number(s.n)) / s.n
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
    precision = r.precision[..., 1:].copy()
    tied = r.size > 1
    above, before, size, pos = (column[tied] for column in (r.tp[..., :-1], r.ends[..., :-1], r.size, r.pos))
    # A positive at place i of its cell has, in expectation, (i - 1) others of it above: c per place before.
    c = np.maximum(pos - 1, 0) / (size - 1)
    precision[tied] = c + (above + 1 - c - c * before) * harmonic(before, before + size) / size
    return _mean_over_positives(r, precision)


def _harmonic_number(n: float) -> float:
    return float(harmonic(np.array([0]), np.array([round(n)]))[0])


@order(
    title="Mean precision over all cuts",
    formula=r"\frac1n \sum_{j=1}^n \frac{TP(j)}{j}",
    better="higher",
    perfect=ReferenceValue(
        r"\pi (1 + H_n - H_P)",
        lambda s, **_: s.prevalence * (1 + _harmonic_number(s.n) - _harmonic_number(s.n * s.prevalence)),
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
    return divide(dot(r.size, mean_precision_of_places(r)), r.total)


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
            * (1 + _harmonic_number(s.n) - _harmonic_number(s.n * s.prevalence))
        ),
    ),
    baseline=ReferenceValue(r"\pi/\pi_0", lambda s, prevalence=None: s.prevalence / (prevalence or s.prevalence)),
    undefined=(
        Condition(
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
    return divide(mean_precision.function(r), null(r.positives, r.total, prevalence))


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
    of_negatives = divide(dot(r.neg.astype(float, copy=False), _precision_from_the_end(r)), r.negatives)
    return np.clip((average_precision.function(r) + of_negatives) / 2, 0, 1)


def _precision_from_the_end(r: Ranking) -> Array:
    """The share of negatives among all from each cell on."""
    neg, size = (np.cumsum(cells[..., ::-1], axis=-1)[..., ::-1] for cells in (r.neg, r.size))
    precision = np.asarray(divide(neg, size))
    return precision if r.size[..., -1].all() else np.nan_to_num(precision)  # empty cells at the end of a resample


# ---------------------------------------------------------------------- areas under the empirical curve


def lowest_precision(r: Ranking) -> Array:
    """The cut of the lowest precision at each recall: the last before the recall grows. The first flags nobody."""
    return np.append(
        0, RecallSteps.of(r).lowest
    )  # no positive is found before, so precision is 0 there as at the start


def highest_precision(r: Ranking) -> Array:
    """The cut of the highest precision at each recall: the first with that recall. The first flags nobody."""
    return np.append(0, RecallSteps.of(r).highest)


def _trapezoids(r: Ranking, steps: RecallSteps, ends: Array) -> Any:
    """The area under straight lines between the precision at some cuts, over recall."""
    tp, precision = r.tp.ravel()[ends], r.precision.ravel()[ends]
    middle = (steps.before(precision) + precision) / 2
    return divide(steps.dot(tp - steps.before(tp), middle, r), r.positives)


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
    kind=OpenEnds(first_and_last_line),
    blind_to="What a cut in between would reach: precision is not linear in recall, so straight lines mislead.",
)
def aucpr_min(r: Ranking) -> Any:
    """Area under the precision-recall curve through the lowest precision at each recall, from (0, 0).

    Its baseline is half the prevalence, the value of a constant score; many distinct scores in random order come near
    the prevalence.
    """
    steps = RecallSteps.of(r)
    return _trapezoids(r, steps, steps.lowest)


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
    kind=OpenEnds(first_line),
    blind_to="What a cut in between would reach: precision is not linear in recall, so straight lines mislead.",
)
def aucpr_minmax(r: Ranking, *, start: float = 0.0) -> Any:
    """Area under the precision-recall curve by trapezoids between neighbouring cuts, from (0, 0).

    Its baseline is half the prevalence, the value of a constant score; many distinct scores in random order come near
    the prevalence. `start=1` begins at precision 1, as scikit-learn's `auc` of its `precision_recall_curve` does.
    """
    before = r.precision[..., :-1]
    if start:
        before = np.concatenate((np.full_like(before[..., :1], start), before[..., 1:]), axis=-1)
    return _mean_over_positives(r, (before + r.precision[..., 1:]) / 2)


@order(
    title="AUCPR, upper trapezoid",
    formula=r"\sum_i \tfrac12 \left[p_{\max}(t_i) + p_{\max}(t_{i+1})\right] \Delta r_i",
    better="higher",
    perfect=ReferenceValue(r"1 - \frac{1}{2P}", lambda s, **_: 1 - 1 / (2 * s.n * s.prevalence)),
    baseline=HALF_OF_THE_PREVALENCE,
    undefined=NO_POSITIVE,
    concordant=False,
    source={"berrar2025": "Definition 33", "boyd2013": ""},
    kind=OpenEnds(first_line),
    blind_to="What a cut in between would reach: precision is not linear in recall, so straight lines mislead.",
)
def aucpr_max(r: Ranking) -> Any:
    """Area under the precision-recall curve through the highest precision at each recall, from (0, 0).

    Its baseline is half the prevalence, the value of a constant score; many distinct scores in random order come near
    the prevalence.
    """
    steps = RecallSteps.of(r)
    return _trapezoids(r, steps, steps.highest)


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
    steps = RecallSteps.of(r)
    above, flagged = (column.ravel()[steps.cut] for column in (r.tp, r.ends))
    size, pos, t = (column.ravel()[steps.cell] for column in (r.size, r.pos, r.share))
    # Along a cell, precision is (T + x) / (B + x / t) after x of its positives: a line plus a logarithm.
    growth = np.log1p(divide(size, np.where(flagged > 0, flagged, np.inf)))
    return np.clip(divide(steps.dot(t, pos + (above - t * flagged) * growth, r), r.positives), 0, 1)


# ---------------------------------------------------------------------- one point of the curve


def _best(value: Array, allowed: Array) -> Any:
    """The cut with the highest value among those allowed, the highest threshold first."""
    return np.argmax(np.where(allowed, value, -1.0), axis=-1)


def _at_recall(r: Ranking, *, recall: float) -> tuple[Array, Array]:
    return r.precision, r.tpr >= recall


@order(
    title="Precision at a recall",
    formula=r"\max_{t:\, r(t) \ge \rho} p(t)",
    better="higher",
    perfect=1,
    baseline=PREVALENCE,
    undefined=NO_POSITIVE,
    parameters={"recall": Parameter("recall to reach at least", low=0, high=1, includes_low=False, example=0.5)},
    found_at=lambda r, recall, **_: int(_best(*_at_recall(r, recall=recall))),
    kind=CurvePoint("precision", "recall"),
    source={"murphy2007": "Section 2"},
    blind_to="All of the list but the best cut that reaches the recall; the search flatters small samples.",
)
def precision_at_recall(r: Ranking, *, recall: float = 0.8) -> Any:
    """The best precision of a cut that reaches a recall."""
    precision, allowed = _at_recall(r, recall=recall)
    return np.where(r.positives > 0, np.where(allowed, precision, 0.0).max(-1), np.nan)


def _at_precision(r: Ranking, *, precision: float) -> tuple[Array, Array]:
    return r.tpr, (r.ends > 0) & (r.precision >= precision)


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
        Condition(
            "no cut reaches that precision", lambda r, precision, **_: ~_at_precision(r, precision=precision)[1].any(-1)
        ),
    ),
    parameters={"precision": Parameter("precision to reach at least", low=0, high=1, includes_low=False, example=0.5)},
    found_at=lambda r, precision, **_: int(_best(*_at_precision(r, precision=precision))),
    concordant=False,
    kind=CurvePoint("recall_at_precision", "precision"),
    source=(),  # the converse of the former, which none of the texts defines
    blind_to="All of the list but the best cut that reaches the precision; the search flatters small samples.",
)
def recall_at_precision(r: Ranking, *, precision: float = 0.8) -> Any:
    """The best recall of a cut that reaches a precision."""
    recall, allowed = _at_precision(r, precision=precision)
    return np.where(allowed.any(-1), np.where(allowed, recall, 0.0).max(-1), np.nan)


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
