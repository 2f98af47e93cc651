"""Curves: pairs of measures at every cut, computed and not drawn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cutline.core.errors import UnknownNameError, hint_similar
from cutline.core.public import CHARTS_ELSEWHERE
from cutline.core.ranking import Ranking
from cutline.core.validation import check_text
from cutline.curves import quota_curves, threshold_curves
from cutline.curves.curve_type import (
    FARTHEST,
    THRESHOLD,
    Axis,
    Curve,
    CurveKind,
    Point,
    make_baseline_ranking,
    make_perfect_ranking,
)
from cutline.curves.quota_curves import make_list_table, quota_properties
from cutline.curves.roc_space import IsoCost, Isometric, SharedHull, iso_cost, isometrics, shared_hull
from cutline.curves.simplify import TOLERANCE, CurveLine, describe_line, list_corners, simplify, simplify_curve
from cutline.curves.threshold_curves import (
    SCORE,
    Gap,
    clip_to_edge,
    compute_decision_curve,
    compute_deviates,
    compute_loss_curves,
    find_det_reach,
    find_gap,
    make_det_line,
    make_threshold_kind,
    under_skew,
    with_prevalence,
)
from cutline.measures import MEASURES, Needs

__all__ = [
    "CURVES",
    "FARTHEST",
    "SCORE",
    "THRESHOLD",
    "TOLERANCE",
    "Axis",
    "Curve",
    "CurveKind",
    "CurveLine",
    "Curves",
    "Gap",
    "IsoCost",
    "Isometric",
    "Point",
    "SharedHull",
    "clip_to_edge",
    "compute_decision_curve",
    "compute_deviates",
    "compute_loss_curves",
    "curve",
    "describe_line",
    "find_det_reach",
    "find_gap",
    "iso_cost",
    "isometrics",
    "list_corners",
    "make_baseline_ranking",
    "make_det_line",
    "make_list_table",
    "make_perfect_ranking",
    "make_threshold_kind",
    "quota_properties",
    "shared_hull",
    "simplify",
    "simplify_curve",
    "under_skew",
    "with_prevalence",
]


class Curves:
    """All kinds of curves, by name and by alias; besides, every measure of one cut over the threshold."""

    def __init__(self, *kinds: CurveKind) -> None:
        self._kinds = {kind.name: kind for kind in kinds}
        self._by_name = {name: kind for kind in kinds for name in (kind.name, *kind.aliases)}

    def __getitem__(self, name: str) -> CurveKind:
        check_text(name, "name", "roc")
        if (lower := name.lower()) in self._by_name:
            return self._by_name[lower]
        if name in MEASURES and MEASURES[name].needs is Needs.COUNTS:
            return make_threshold_kind(MEASURES[name])
        raise UnknownNameError(f"There is no curve {name!r}.{self.hint(name)}")

    def hint(self, name: object) -> str:
        """Return a hint for a name that is no curve: the curve a measure is read from, or names like it."""
        if name not in MEASURES:
            return self._hint_of_chart(str(name)) or hint_similar(name, self.names)
        measure = MEASURES[str(name)].name
        under = [kind.name for kind in self if kind.area is not None and kind.area.name == measure]
        beside = [kind.name for kind in self if measure in {curve_measure.name for curve_measure in kind.measures}]
        if under or beside:
            relation = "is the area under" if under else "belongs to"
            return f" {measure} {relation} the curve {(under or beside)[0]}: use that."
        return f" {measure} is one number for all cuts: only a measure of one cut has a curve."

    def _hint_of_chart(self, name: str) -> str:
        """Return a hint for the name of a chart in other packages, such as "calibration", or nothing."""
        chart = CHARTS_ELSEWHERE.get(name.lower())
        if chart is None:
            return ""
        return f" Did you mean {chart}?" if chart in self._by_name else f' Use ev.chart("{chart}").'

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        return name.lower() in self._by_name or (name in MEASURES and MEASURES[name].needs is Needs.COUNTS)

    def __iter__(self) -> Iterator[CurveKind]:
        return iter(self._kinds.values())

    def __len__(self) -> int:
        return len(self._kinds)

    @property
    def names(self) -> list[str]:
        """Every name and alias, and the measures that can be drawn over the threshold."""
        return [*self._by_name, *(n for m in MEASURES.search(needs=Needs.COUNTS) for n in m.names)]

    def __repr__(self) -> str:
        return f"Registry of {len(self)} curves: {', '.join(self._kinds)}; and every measure of one cut"


CURVES = Curves(
    threshold_curves.ROC,
    threshold_curves.ROC_HULL,
    threshold_curves.DET,
    threshold_curves.PRECISION_RECALL,
    threshold_curves.PRECISION_RECALL_MIN,
    threshold_curves.PRECISION_RECALL_MINMAX,
    threshold_curves.PRECISION_RECALL_MAX,
    quota_curves.DAVIS_GOADRICH,
    threshold_curves.TPR_FPR,
    threshold_curves.GAIN,
    quota_curves.LIFT,
    quota_curves.PORTION_LIFT,
    quota_curves.HIT_RATE,
    quota_curves.QRECALL,
    threshold_curves.SCORE_DISTRIBUTION,
)
"""All kinds of curves: `CURVES["roc"]` by name or alias; besides, every measure of one cut over the threshold."""


def curve(ranking: Ranking, name: str, **parameters: Any) -> Curve:
    """Return a curve of a ranking, by its name.

    A measure of one cut is drawn over the threshold, with its own parameters.

    Args:
        ranking: The ranking.
        name: The name of a curve, such as "roc" (`CURVES` lists them), or of a measure of one cut.
        **parameters: Those of the curve or of the measure.

    >>> from cutline import rank
    >>> curve(rank([1, 0, 1, 0], [0.9, 0.6, 0.6, 0.2]), "roc")
    ROC curve: Recall over False positive rate, 4 points; area under the roc curve: 0.8750
    """
    check_text(name, "name", "roc")
    if name not in CURVES._by_name and name in MEASURES and parameters:
        measure = MEASURES[name]
        if measure.needs is Needs.COUNTS:
            return make_threshold_kind(measure.with_(**parameters))(ranking)
    return CURVES[name](ranking, **parameters)
