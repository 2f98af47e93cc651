"""Curves over the places of the list: what a quota of any size gets, ties by expectation."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from cutline.core.ranking import Array, Ranking
from cutline.curves.curve_type import FLAGGED, Axis, CurveKind, Vertices, every_cut, of
from cutline.measures.combined import lift
from cutline.measures.metadata import NO_POSITIVE
from cutline.measures.precision_recall import aucpr_davis_goadrich, average_lift
from cutline.measures.quotas import (
    average_hit_rate,
    average_qrecall,
    hit_rate,
    lifts,
    pem,
    pem_areas,
    portion_lift,
    qrecall,
)
from cutline.measures.rates import precision, recall

QUOTA = Axis("quota", "Quota (places)", lambda v: v.places, (0, math.inf), counted=True)


def places(r: Ranking) -> Array:
    """The places at which a curve over the list is read.

    Each end of a tie; besides, all whole places up to 1000 and then one for each thousandth more. What is divided by
    the place bends inside a tie, and between two of these it departs from a straight line by less than 1e-6.
    """
    return np.asarray(r.cached("places", lambda: _places(r)))  # which all charts over the list ask for


def _places(r: Ranking) -> Array:
    n = float(r.total)
    start = 1000.0 if r.integral else float(r.ends[1])
    steps = start * 1.001 ** np.arange(max(0.0, math.log(max(n, start) / start) / math.log(1.001)))
    inside = np.concatenate((np.arange(1.0, min(n, start)), np.floor(steps))) if r.integral else steps
    return np.unique(np.concatenate((r.ends.astype(float), inside[inside < n])))


def every_place(r: Ranking, **_: Any) -> Vertices:
    """Return a vertex for each place of the list, the counts inside a tie being expectations."""
    at = places(r)
    return every_cut(r) if len(at) == len(r.ends) else _at(r, at, at)


# Between two places of this ratio a precision that bends is off a straight line by so little that all the area lost is
# below log(1.02)^2 / 6, which is 7e-5: each positive case loses at most that share of its part.
_RATIO = 1.02


def where_precision_bends(r: Ranking, **_: Any) -> Vertices:
    """Return a vertex for each cut, and enough of the way along every score that has positives, where precision
    bends.
    """
    ends = r.ends.astype(float)
    first, n = float(ends[1]), float(ends[-1])
    steps = first * _RATIO ** np.arange(math.log(n / first) / math.log(_RATIO))
    cell, _inside = r.position(steps)
    # No positive: straight down. As many false alarms as before in step: straight across.
    bends = (r.pos[cell] > 0) & (np.abs(r.tp[cell] - r.share[cell] * ends[cell]) > 0)
    at = np.unique(np.concatenate((ends, steps[bends])))
    return every_cut(r) if len(at) == len(ends) else _at(r, at, at)


def _at(r: Ranking, quota: Array, places: Array) -> Vertices:
    """Return the vertices of some quotas; the first quota is 0."""
    counts = r.at_quota(quota)
    threshold = np.array(counts.threshold, dtype=float)
    threshold[0] = r.thresholds[0]
    return Vertices(r, replace(counts, threshold=threshold), places)


DAVIS_GOADRICH = CurveKind(
    name="precision_recall_davis_goadrich",
    title="Precision-recall, interpolated in counts",
    x=of(recall),
    y=of(precision),
    between="line",
    vertices=where_precision_bends,
    area=aucpr_davis_goadrich,
    undefined=(NO_POSITIVE,),
    references=("baseline",),
    reach=True,
    aliases=("davis_goadrich",),
)

LIFT = CurveKind(
    name="lift",
    title="Lift chart",
    x=FLAGGED,
    y=of(lift),
    between="line",
    vertices=every_place,
    measures=(average_lift,),
    undefined=(NO_POSITIVE,),
    references=("baseline",),
    parameters={"prevalence": lift.parameters["prevalence"]},
)

HIT_RATE = CurveKind(
    name="hit_rate",
    title="Hit rate curve",
    x=QUOTA,
    y=of(hit_rate),
    between="line",
    vertices=every_place,
    measures=(average_hit_rate,),
    references=("baseline", "perfect"),
)


def _areas(r: Ranking) -> Mapping[str, float]:
    return pem_areas(r)._asdict()


QRECALL = CurveKind(
    name="qrecall",
    title="Qrecall curve",
    x=QUOTA,
    y=of(qrecall),
    between="line",
    vertices=every_place,
    measures=(average_qrecall, pem),
    undefined=(NO_POSITIVE,),
    figures=_areas,
    references=("baseline", "perfect"),
)


def _portions(r: Ranking, portions: int = 10) -> Vertices:
    portion = np.arange(portions + 1)
    return _at(r, float(r.total) * portion / portions, portion)


PORTION_LIFT = CurveKind(
    name="portion_lift",
    title="Lift by portions of the list",
    x=Axis("portion", "Portion of the list, from its top", lambda v: v.places, (0, math.inf), counted=True),
    y=Axis(
        portion_lift.name,
        portion_lift.title,
        lambda v: np.append(np.nan, lifts(v.ranking, len(v.places) - 1)),
        portion_lift.range,
    ),
    between="step-before",
    vertices=_portions,
    undefined=(NO_POSITIVE,),
    parameters={"portions": replace(portion_lift.parameters["portions"], words="into how many the list is divided")},
    aliases=("lift_by_portion", "lift_by_decile", "deciles"),
)
