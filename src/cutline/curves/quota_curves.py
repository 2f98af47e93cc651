"""Curves over quotas of any size, with expected counts inside ties; and the list as a table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from typing import Any

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.errors import InputError, ParameterError, shorten_repr
from cutline.core.ranking import Ranking
from cutline.core.table import Table, format_value
from cutline.core.validation import as_scores, check_one_order, is_single
from cutline.curves.curve_type import (
    FLAGGED,
    Axis,
    CurveKind,
    Vertices,
    make_axis,
    make_perfect_ranking,
    take_every_cut,
)
from cutline.curves.gains import convert_whole_numbers
from cutline.measures import Measure
from cutline.measures.combined import lift
from cutline.measures.forms import MeanOfCases
from cutline.measures.metadata import NO_POSITIVE
from cutline.measures.precision_recall import aucpr_davis_goadrich, average_lift
from cutline.measures.probabilities import hinge_loss
from cutline.measures.quotas import (
    average_hit_rate,
    average_qrecall,
    compute_lifts,
    hit_rate,
    pem,
    pem_areas,
    portion_lift,
    qrecall,
)
from cutline.measures.rates import fpr, precision, recall

QUOTA = Axis("quota", "Quota (places)", lambda v: v.places, (0, math.inf), is_count=True)


def list_places(r: Ranking) -> Array:
    """Return the places of the list at which a curve over quotas is computed.

    These are the end of each tie, all whole places up to 1000, and then places in steps of a thousandth. A ratio to
    the place bends inside a tie, but between two of these places it departs from a straight line by less than 1e-6.
    """
    return np.asarray(r.cached("places", lambda: _compute_places(r)))  # all charts over quotas need them


def _compute_places(r: Ranking) -> Array:
    n = float(r.total)
    start = 1000.0 if r.integral else _find_first_end(r)
    steps = start * 1.001 ** np.arange(max(0.0, math.log(max(n, start) / start) / math.log(1.001)))
    inside = np.concatenate((np.arange(1.0, min(n, start)), np.floor(steps))) if r.integral else steps
    return np.unique(np.concatenate((r.ends.astype(float), inside[inside < n])))


def _find_first_end(r: Ranking) -> float:
    """Return the end of the first score that has cases."""
    return float(r.ends[np.flatnonzero(r.ends)[0]])


def _take_every_place(r: Ranking, **_: Any) -> Vertices:
    """Return a vertex for each place of `list_places`, with expected counts inside ties."""
    at = list_places(r)
    return take_every_cut(r) if len(at) == len(r.ends) else _take_quotas(r, at, at)


# Between two places of this ratio a precision that bends is off a straight line by so little that all the area lost is
# below log(1.02)^2 / 6, which is 7e-5: each positive case loses at most that share of its part.
_RATIO = 1.02


def _take_bends_of_precision(r: Ranking, **_: Any) -> Vertices:
    """Return a vertex for each cut, and more inside ties with positives, where the precision bends."""
    ends = r.ends.astype(float)
    first, n = _find_first_end(r), float(ends[-1])
    steps = first * _RATIO ** np.arange(math.log(n / first) / math.log(_RATIO))
    cell, _inside = r.position(steps)
    # Without positives the line goes straight down; at an unchanged precision it goes straight across.
    bends = (r.pos[cell] > 0) & (np.abs(r.tp[cell] - r.share[cell] * ends[cell]) > 0)
    at = np.unique(np.concatenate((ends, steps[bends])))
    return take_every_cut(r) if len(at) == len(ends) else _take_quotas(r, at, at)


def _take_quotas(r: Ranking, quota: Array, places: Array) -> Vertices:
    """Return the vertices of the given quotas, of which the first is 0."""
    counts = r.at_quota(quota)
    threshold = np.array(counts.threshold, dtype=float)
    threshold[0] = r.thresholds[0]
    return Vertices(r, replace(counts, threshold=threshold), places)


DAVIS_GOADRICH = CurveKind(
    name="precision_recall_davis_goadrich",
    title="Precision-recall, interpolated in counts",
    x=make_axis(recall),
    y=make_axis(precision),
    between="line",
    vertices=_take_bends_of_precision,
    area=aucpr_davis_goadrich,
    undefined=(NO_POSITIVE,),
    references=("baseline",),
    extends_to_start=True,
    aliases=("davis_goadrich",),
)

LIFT = CurveKind(
    name="lift",
    title="Lift chart",
    x=FLAGGED,
    y=make_axis(lift),
    between="line",
    vertices=_take_every_place,
    measures=(average_lift,),
    undefined=(NO_POSITIVE,),
    references=("baseline",),
    parameters={"prevalence": lift.parameters["prevalence"]},
)

HIT_RATE = CurveKind(
    name="hit_rate",
    title="Hit rate curve",
    x=QUOTA,
    y=make_axis(hit_rate),
    between="line",
    vertices=_take_every_place,
    measures=(average_hit_rate,),
    references=("baseline", "perfect"),
)


def _compute_pem_areas(r: Ranking) -> Mapping[str, float]:
    return pem_areas(r)._asdict()


QRECALL = CurveKind(
    name="qrecall",
    title="Qrecall curve",
    x=QUOTA,
    y=make_axis(qrecall),
    between="line",
    vertices=_take_every_place,
    measures=(average_qrecall, pem),
    undefined=(NO_POSITIVE,),
    compute_more_values=_compute_pem_areas,
    references=("baseline", "perfect"),
)


def _take_portions(r: Ranking, portions: int = 10) -> Vertices:
    portion = np.arange(portions + 1)
    return _take_quotas(r, float(r.total) * portion / portions, portion)


PORTION_LIFT = CurveKind(
    name="portion_lift",
    title="Lift by portions of the list",
    x=Axis("portion", "Portion of the list, from its top", lambda v: v.places, (0, math.inf), is_count=True),
    y=Axis(
        portion_lift.name,
        portion_lift.title,
        lambda v: np.append(np.nan, compute_lifts(v.ranking, len(v.places) - 1)),
        portion_lift.range,
    ),
    between="step-before",
    vertices=_take_portions,
    undefined=(NO_POSITIVE,),
    parameters={"portions": replace(portion_lift.parameters["portions"], words="into how many the list is divided")},
    aliases=("lift_by_portion", "lift_by_decile", "deciles"),
)


# ---------------------------------------------------------------------- properties of the measures of a quota


def quota_properties(r: Ranking) -> Table:
    """Describe hit rate and Qrecall on this list: along it, at its end, and when two neighbours swap.

    >>> from cutline import rank
    >>> properties = quota_properties(rank([1, 0, 1, 1, 0, 0, 1, 0, 0, 0], range(10, 0, -1)))
    >>> [row["qrecall"] for row in properties][:3]
    ['never falls', '1.0000', '0.0250 at the top, 0.0250 at the end']

    Args:
        r: A ranking of untied, unweighted cases.
    """
    if len(r) < r.total or not r.negatives or not r.positives:
        raise InputError("The list has ties, or one class only", "pass untied cases of both classes")
    properties = {measure.name: _describe_properties(measure, r.share) for measure in (hit_rate, qrecall)}
    parts = (
        "along the list",
        "at its end",
        "mean over all quotas, when a positive moves up by one place",
        "when a negative is next",
        "range",
    )
    return Table(("property", *properties), tuple(zip(parts, *properties.values(), strict=True)))


def _describe_properties(measure: Measure, labels: Array) -> tuple[str, ...]:
    value = _compute_along_list(measure, labels)
    steps = np.diff(value)
    course = "never falls" if (steps >= 0).all() else ("never rises" if (steps <= 0).all() else "rises and falls")
    after_negative = steps[labels[1:] == 0]
    effect = "falls" if (after_negative < 0).any() else ("stays" if (after_negative == 0).all() else "rises")
    top, end = (format_value(_compute_gain_of_move(measure, labels, place)) for place in (1, len(labels) - 1))
    low, high = measure.range
    return course, format_value(float(value[-1])), f"{top} at the top, {end} at the end", effect, f"{low:g} to {high:g}"


def _compute_along_list(measure: Measure, labels: Array) -> Array:
    """Return the measure at every quota of a list of labels."""
    n = len(labels)
    ranking = Ranking.of_counts(np.arange(n, 0, -1.0), labels, 1 - labels)
    return np.asarray(measure.compute(ranking, quota=np.arange(1.0, n + 1)), dtype=float)


def _compute_gain_of_move(measure: Measure, labels: Array, place: int) -> float:
    """Return how much the mean over all quotas grows when a positive moves up one position."""
    others = np.delete(labels, [place - 1, place])
    if others.sum() == labels.sum():  # both places had negatives: another positive gives way
        others[np.flatnonzero(others)[0]] = 0.0
    elif others.sum() == labels.sum() - 2:  # both had positives: one of them goes elsewhere
        others[np.flatnonzero(others == 0)[0]] = 1.0
    above, below = (np.insert(others, place - 1, pair) for pair in ([1.0, 0.0], [0.0, 1.0]))
    return float(np.mean(_compute_along_list(measure, above) - _compute_along_list(measure, below)))


# ---------------------------------------------------------------------- the list as a table


MOST_PLACES = 1_000_000
_AT_PLACES = {"tpr": recall, "fpr": fpr, "precision": precision, "lift": lift}


def make_list_table(r: Ranking, ids: Sequence[Any] | None = None, scores: Any = None) -> Table:
    """Return a row for each place of the list: score, class, counts, rates and areas.

    Inside a tie the numbers are expectations over the orders of the tied cases.

    Args:
        r: The ranking.
        ids: The names of the cases; only without tied scores, as ties have no order.
        scores: The score of each named case, in the order of the names, as a ranking does not hold the rows.
    """
    n = _count_places(r)
    names = order_names(r, ids, scores)
    place = np.arange(1.0, n + 1)
    counts = r.at_quota(place)
    random, best = place / n, np.asarray(qrecall.compute(make_perfect_ranking(r), quota=place))
    recalls = np.asarray(qrecall.compute(r, quota=place), dtype=float)
    cell = np.repeat(np.arange(len(r)), r.size.astype(int))
    columns: dict[str, Any] = {
        "place": place.astype(int),
        **({} if names is None else {"id": names}),
        "score": r.score[cell],
        "class": convert_whole_numbers(r.share[cell]),
        "tp": convert_whole_numbers(counts.tp),
        "fp": convert_whole_numbers(counts.fp),
        **{name: m.compute(counts) for name, m in _AT_PLACES.items()},
        "gain": counts.tp - place * float(r.positives) / n,
        "hit_rate": hit_rate.compute(r, quota=place),
        "qrecall": recalls,
        "random_order": random,
        "optimal": best,
        "s1": np.maximum(recalls - random, 0.0),
        "s2": np.maximum(random - recalls, 0.0),
        "s3": best - random,
        **({} if r.are_probabilities else {"hinge": compute_hinge_losses(r)[cell]}),
    }
    rows = zip(*(np.asarray(column).tolist() for column in columns.values()), strict=True)
    areas = ", ".join(f"{name.upper()} {format_value(float(columns[name].sum()))}" for name in ("s1", "s2", "s3"))
    below = (f"Sums: {areas}; PEM = (S1 - S2) / S3 = {format_value(float(pem.compute(r)))}",)
    return Table(tuple(columns), tuple(rows), below=below)


def _count_places(r: Ranking) -> int:
    """Return the number of places of the list; raise if it has no places or too many for a table."""
    if not r.integral:
        raise InputError("The weights are not whole numbers, so the list has no positions", "pass unweighted cases")
    if not r.positives:
        raise InputError("There is no positive case to find", "pass cases of both classes")
    n = int(r.total)
    if n > MOST_PLACES:
        raise InputError(f"The list has {n} positions, but a table at most {MOST_PLACES}", "use a curve, such as gain")
    return n


def order_names(r: Ranking, ids: Any, scores: Any) -> list[Any] | None:
    """Return the names of the cases in the order of the list, matched by their scores.

    Args:
        r: The ranking.
        ids: The names of the cases; None for no names.
        scores: The score of each named case, in the order of the names.
    """
    if ids is None:
        if scores is not None:
            raise ParameterError("are for the names of the cases", "pass ids too", argument="scores")
        return None
    if isinstance(ids, str | Mapping | Set) or not hasattr(ids, "__len__") or is_single(ids):
        raise ParameterError(f"is {shorten_repr(ids)}", "pass a list with a name for each case", argument="ids")
    if scores is None:
        problem = "names cases, but not where they stand in the list"
        raise ParameterError(problem, "pass scores too, the score of each named case", argument="ids")
    check_one_order({"ids": ids, "scores": scores})
    scores_of_ids = as_scores(scores).astype(float)
    if len(ids) != len(scores_of_ids):
        raise ParameterError(
            f"has {len(ids)} names for {len(scores_of_ids)} scores", "pass one for each", argument="ids"
        )
    order = np.argsort(-scores_of_ids, kind="stable")
    if not np.array_equal(scores_of_ids[order], np.repeat(r.score.astype(float), r.size.astype(int))):
        raise ParameterError("are not those of this list", "pass the scores that were evaluated", argument="scores")
    if len(r) < len(scores_of_ids):
        raise ParameterError("names tied cases, which have no order", "leave it out", argument="ids")
    names = list(ids)
    return [names[i] for i in order]


def compute_hinge_losses(r: Ranking) -> Array:
    """Return the mean hinge loss of the cases of each distinct score, read as a signed distance."""
    form = hinge_loss.form
    assert isinstance(form, MeanOfCases)  # noqa: S101
    of_positives, of_negatives = form.of(r)
    return np.asarray(r.share * of_positives + (1 - r.share) * of_negatives)
