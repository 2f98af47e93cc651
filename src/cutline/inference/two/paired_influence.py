"""The standard error of a difference from what each case changes in both models."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from cutline.core.ranking import Array, Ranking, dot
from cutline.inference.delong import placements
from cutline.inference.influence import JUMPING, Influence, of_cut, of_losses, of_order
from cutline.inference.one.closed_forms import area_of
from cutline.inference.resampling.pairing import Pairing, Question
from cutline.measures import MEASURES, LineOfAuc, MeanOfCases, Needs


def influence_of(pairing: Pairing, question: Question, model: int, value: float) -> Influence | None:
    """What one case changes in a measure of one model, found once for all pairs; None where it has no slope."""
    measure, key, found = question.measure, key_of(pairing, question, model), pairing.shared.influences
    if key not in found:
        known = measure.name in MEASURES.names and measure.name not in JUMPING and math.isfinite(value)
        found[key] = _influence(pairing.rankings[model], question, model, value) if known else None
    return found[key]


def _influence(ranking: Ranking, question: Question, model: int, value: float) -> Influence | None:
    measure, given = question.measure, question.parameters[model]
    data, rest = measure.prepare(ranking, given)
    if measure.needs is Needs.COUNTS and "threshold" in given:
        return of_cut(partial(measure.compute, **rest), data, ranking, ranking.cut(given["threshold"]))
    if isinstance(measure.kind, LineOfAuc):
        slope, area = float(measure.kind.of(ranking, **{**measure.bound, **rest})[0]), area_of(ranking)
        above, below = placements(ranking)
        return Influence(
            slope * (above - area) / float(ranking.positives), slope * (below - area) / float(ranking.negatives)
        )
    if isinstance(measure.kind, MeanOfCases):
        losses = measure.kind.of(ranking, **{**measure.bound, **rest})
        return of_losses(ranking, *losses) if all(np.isfinite(loss).all() for loss in losses) else None
    if measure.needs is not Needs.RANKING or "quota" in {**measure.bound, **given}:
        return None

    def statistic(r: Ranking) -> Any:
        return question.value(r, model)

    return of_order(statistic, value, ranking)


def changes_of(pairing: Pairing, question: Question, influences: Sequence[Influence]) -> tuple[Array, Array]:
    """What each cell's cases change in both models."""
    one, two = (_of_cases(pairing, question, model, influence) for model, influence in enumerate(influences))
    return one, two


def standard_error(pairing: Pairing, question: Question, influences: Sequence[Influence]) -> float:
    """The standard error of the difference of two models: what a case changes in one and not in the other."""
    one, two = changes_of(pairing, question, influences)
    change = one - two
    if not pairing.integral:
        change *= pairing.weight
    return math.sqrt(float(dot(change * pairing.cases, change)))


def _of_cases(pairing: Pairing, question: Question, model: int, influence: Influence) -> Array:
    """What each cell's cases change in one model, kept until another measure is asked for."""
    kept, key = pairing.shared.of_cases, key_of(pairing, question, model)
    if any(measure != key[0] for measure, *_ in kept):
        kept.clear()
    if key not in kept:
        kept[key] = influence.of_cases(pairing.index[model], pairing.is_positive)
    return kept[key]


def key_of(pairing: Pairing, question: Question, model: int) -> tuple[Any, ...]:
    """Return what a measure of one model is cached by."""
    return str(question.measure), id(pairing.rankings[model]), tuple(sorted(question.parameters[model].items()))
