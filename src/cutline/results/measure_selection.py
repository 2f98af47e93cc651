"""The selection of the measures of a summary: by name, by question, or all that the data allow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from cutline.core.errors import ParameterError, shorten_repr
from cutline.core.ranking import Ranking
from cutline.inputs.rank import count_places
from cutline.measures import MEASURES, Family, Measure, Needs
from cutline.measures.aliases import use_alias
from cutline.measures.registry import list_measures
from cutline.results.cut_point import NAMES, CutPoint

Named = str | Measure | tuple[str | Measure, Mapping[str, Any]]


@dataclass(frozen=True, eq=False)
class SelectedMeasure:
    """A measure with its bound parameters, and its own cut where it differs from the evaluation's."""

    measure: Measure
    at: Mapping[str, Any] = field(default_factory=dict)

    def resolve_parameters(self, cut: CutPoint) -> dict[str, Any]:
        """Return the parameters to compute the measure with: those of its cut, if it is a measure of one cut."""
        return dict(self.at or cut.parameters) if self.measure.needs is Needs.COUNTS else {}


def list_headlines(cut: CutPoint | None = None) -> list[Measure]:
    """List the measures that are shown first; with a quota, also those that need one."""
    by_quota = cut is not None and cut.by_quota
    return [m for m in MEASURES if m.headline or (by_quota and m.required == ("quota",))]


def select_measures(
    measures: Iterable[Named] | Named | None, family: Family | str | None, ranking: Ranking, cut: CutPoint
) -> list[SelectedMeasure]:
    """Return the measures of a summary, in order, each with its parameters; the quota of the cut is bound.

    Args:
        measures: Names or measures, each alone or with its parameters, as in ("precision", {"quota": 500}); all that
            suit the scores when None.
        family: With `measures` None, the question that they answer.
        ranking: The cases.
        cut: Where the evaluation cuts.
    """
    if measures is None:
        by_quota, are_probabilities = cut.by_quota, ranking.are_probabilities
        return [
            _bind(measure, {}, ranking, cut)
            for measure in (MEASURES if family is None else MEASURES.search(family=family))
            if is_default_measure(measure, are_probabilities=are_probabilities) and (by_quota or not measure.required)
        ]
    return [_bind(measure, parameters, ranking, cut) for measure, parameters in find_measures(measures)]


def find_measures(measures: Iterable[Named] | Named) -> list[tuple[Measure, dict[str, Any]]]:
    """Return the measures that are named, each with its own parameters; raise if one is unknown.

    Args:
        measures: Names or measures, each alone or with its parameters.
    """
    names = [measures] if isinstance(measures, tuple) else list_measures(measures)
    pairs = [item if isinstance(item, tuple) else (item, {}) for item in names]
    for pair in pairs:
        if len(pair) != 2 or not isinstance(pair[1], Mapping):
            remedy = 'pass a name with its parameters, such as ("precision", {"quota": 500})'
            raise ParameterError(f"holds {shorten_repr(pair)}", remedy, argument="measures")
    return [(use_alias(MEASURES[name], name), dict(parameters)) for name, parameters in pairs]


def is_default_measure(measure: Measure, *, are_probabilities: bool) -> bool:
    """Whether a measure belongs in a summary by default: one of margins does not suit probabilities."""
    return measure.needs is not Needs.MARGINS or not are_probabilities


def _bind(measure: Measure, parameters: dict[str, Any], ranking: Ranking, cut: CutPoint) -> SelectedMeasure:
    """Bind the parameters of the measure, and resolve its cut."""
    if not parameters and "quota" not in measure.parameters:
        return SelectedMeasure(measure)
    own_cut = {name: parameters.pop(name) for name in NAMES if name in parameters and name not in measure.parameters}
    if measure.needs is Needs.COUNTS:
        if len(own_cut) > 1:
            raise ParameterError(
                f"{measure.name} takes one of threshold, quota or share (got {' and '.join(own_cut)})."
            )
        return SelectedMeasure(measure.with_(**parameters), own_cut)
    if "quota" in measure.parameters and "quota" not in {**measure.bound, **parameters}:
        where = own_cut if own_cut.keys() == {"share"} else cut.parameters if cut.by_quota and not own_cut else {}
        if where:
            place = float(count_places(ranking, **where))
            parameters["quota"] = int(place) if place.is_integer() else place
            own_cut = {}
    return SelectedMeasure(measure.with_(**parameters, **own_cut))  # which refuses what the measure does not take
