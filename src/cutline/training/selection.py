"""The choice among recipes on cases that they have not seen."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import StratifiedKFold

from cutline.core.array_ops import Array
from cutline.training.class_order import Split
from cutline.training.linear import VACUOUS
from cutline.training.objectives import Objective
from cutline.training.solvers import Recipe, fit, fit_scores, part, threshold

_GROUPS = 10  # of the jackknife
_MANY = 500  # with so many cases of each class one part held out says enough; otherwise each part in turn


class Candidate(NamedTuple):
    """The value of a recipe on unseen cases, its gain over the baseline, and the standard error of the gain."""

    solver: str
    value: float
    gain: float = 0.0
    error: float = 0.0
    bound_ratio: float = math.nan

    @property
    def is_better(self) -> bool:
        """Whether the gain is more than its standard error, so that it is not for noise alone."""
        return self.gain > self.error


class Trial(NamedTuple):
    """A candidate, and its scores of cases that it had not seen, where every case was held out once."""

    candidate: Candidate
    unseen: Array | None


def compare(recipes: Iterable[Recipe], X: Any, split: Split, *, share: float) -> list[Trial]:
    """Return what each recipe reaches on the share of the cases that is held out from it; the first is the baseline."""
    recipes = list(recipes)
    first = recipes[0]
    folds = StratifiedKFold(number_of_parts(share), shuffle=True, random_state=first.seed)
    parts = list(folds.split(np.zeros(split.n), split.is_positive))
    if min(len(split.pos), len(split.neg)) >= _MANY:
        parts = parts[:1]
    group = np.empty(split.n, dtype=int)
    for members in (split.pos, split.neg):
        group[members] = np.random.default_rng(first.seed).permutation(len(members)) % _GROUPS
    trials: list[Trial] = []
    base: Array = np.empty(0)
    for each in recipes:
        recipe = replace(each, effort=each.effort.rough().begun())
        scores, unseen, ratio = _held_out(recipe, X, split, parts)
        values = _values(recipe.target, split, parts, scores, group)
        gains = values - (base if len(base) else values)
        base = base if len(base) else values
        deleted = gains[1:]
        error = math.sqrt((_GROUPS - 1) / _GROUPS * float(((deleted - deleted.mean()) ** 2).sum()))
        candidate = Candidate(recipe.solver, float(values[0]), float(gains[0]), error, ratio)
        trials.append(Trial(candidate, unseen))
        first.effort.say(f"held out: {candidate}")
    return trials


def number_of_parts(share: float) -> int:
    """Return how many parts there are when a share of the cases is held out in turn."""
    return max(2, round(1 / share))


def contenders(trials: list[Trial]) -> list[Trial]:
    """Return those that are better than the baseline and know something, the best first; then the baseline."""
    better = [t for t in trials[1:] if t.candidate.is_better and not t.candidate.bound_ratio >= VACUOUS]
    return [*sorted(better, key=lambda t: -t.candidate.gain), trials[0]]


def _held_out(
    recipe: Recipe, X: Any, split: Split, parts: list[tuple[Array, Array]]
) -> tuple[Array, Array | None, float]:
    """The scores of the cases that were held out, 0 at the cut; before the cut, if all were; and the bound's ratio.

    A cut out of fold costs no more fits: that of a part is chosen by the unseen scores of the others.
    """
    is_out_of_fold = bool(recipe.folds) and len(parts) > 1
    scores, ratios = np.zeros(split.n), []
    for seen, unseen in parts:
        known = part(split, seen)
        mine = recipe.for_part(len(seen) / split.n, known)
        if is_out_of_fold:
            model = fit_scores(mine, X[seen], known)
            scores[unseen] = model.standardised(X[unseen], X[seen])
        else:
            model = fit(replace(mine, folds=None if mine.folds is None else 0), X[seen], known)
            scores[unseen] = model.scores(X[unseen])
        ratios.append(model.solution.bound_ratio)
    ratio = float(np.mean(ratios)) if recipe.solver == "structural" else math.nan
    if not is_out_of_fold:
        return scores, None, ratio
    shifted = scores.copy()
    for others, unseen in parts:
        some = part(split, others)
        goal = recipe.target.scaled(len(others) / split.n, some)
        shifted[unseen] -= threshold(goal, some.ranked(scores[others]))
    return shifted, scores, ratio


def _values(target: Objective, split: Split, parts: list[tuple[Array, Array]], scores: Array, group: Array) -> Array:
    """Return the mean value over the parts: of all their cases, then with each group of cases left out in turn."""
    values = np.zeros(1 + _GROUPS)
    for _, unseen in parts:
        for which in range(-1, _GROUPS):
            rest = unseen[group[unseen] != which]
            values[1 + which] += _value(target, split, rest, scores[rest]) / len(parts)
    return values


def _value(target: Objective, split: Split, rows: Array, scores: Array) -> float:
    """Return the value of the scores of some of the cases, a quota shrinking with their number."""
    some = part(split, rows)
    if not len(some.pos) or not len(some.neg):
        return 0.0
    return target.scaled(some.n / split.n, some).at(some.ranked(scores), 0.0)
