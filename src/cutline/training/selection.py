"""The choice among recipes on cases that they have not seen."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import StratifiedKFold

from cutline import rank
from cutline.training.cutting_planes import VACUOUS
from cutline.training.solvers import Recipe, fit, part
from cutline.training.split import Array, Split
from cutline.training.targets import Target

_GROUPS = 10  # of the jackknife
_MANY = 500  # with so many cases of each class one part held out says enough; otherwise each part in turn


class Candidate(NamedTuple):
    """What a recipe reached on unseen cases, how much more than the baseline, and the standard error of that."""

    solver: str
    value: float
    gain: float = 0.0
    error: float = 0.0
    bound_ratio: float = math.nan

    @property
    def is_better(self) -> bool:
        """Whether the gain is more than its standard error, so that it is not for noise alone."""
        return self.gain > self.error


def compare(recipes: Iterable[Recipe], X: Any, split: Split, *, share: float) -> list[Candidate]:
    """What each recipe reaches on the share of the cases that is held out from it; the first is the baseline."""
    recipes = list(recipes)
    first = recipes[0]
    folds = StratifiedKFold(max(2, round(1 / share)), shuffle=True, random_state=first.seed)
    parts = list(folds.split(np.zeros(split.n), split.is_positive))
    if min(len(split.pos), len(split.neg)) >= _MANY:
        parts = parts[:1]
    group = np.empty(split.n, dtype=int)
    for members in (split.pos, split.neg):
        group[members] = np.random.default_rng(first.seed).permutation(len(members)) % _GROUPS
    found: list[Candidate] = []
    base: Array = np.empty(0)
    for each in recipes:
        recipe = replace(each, effort=each.effort.rough().begun())
        values, ratio = _held_out(recipe, X, split, parts, group)
        gains = values - (base if len(base) else values)
        base = base if len(base) else values
        deleted = gains[1:]
        error = math.sqrt((_GROUPS - 1) / _GROUPS * float(((deleted - deleted.mean()) ** 2).sum()))
        found.append(Candidate(recipe.solver, float(values[0]), float(gains[0]), error, ratio))
        first.effort.say(f"held out: {found[-1]}")
    return found


def choose(candidates: list[Candidate]) -> Candidate:
    """The best of those that are better than the baseline and know something, or the baseline."""
    better = [c for c in candidates[1:] if c.is_better and not c.bound_ratio >= VACUOUS]
    return max(better, key=lambda c: c.gain, default=candidates[0])


def _held_out(
    recipe: Recipe, X: Any, split: Split, parts: list[tuple[Array, Array]], group: Array
) -> tuple[Array, float]:
    """The mean value over the parts: of all their cases, then with each group of cases left out in turn."""
    values, ratio = np.zeros(1 + _GROUPS), math.nan
    for seen, unseen in parts:
        known = part(split, seen)
        goal = recipe.target.scaled(len(seen) / split.n, known)
        model = fit(replace(recipe, target=goal), X[seen], known)
        ratio = model.solution.bound_ratio
        scores = model.scores(X[unseen])
        for which in range(-1, _GROUPS):
            kept = np.flatnonzero(group[unseen] != which)
            values[1 + which] += _value(recipe.target, split, unseen[kept], scores[kept]) / len(parts)
    return values, ratio


def _value(target: Target, split: Split, rows: Array, scores: Array) -> float:
    """The value of the scores of some of the cases, a quota shrinking with their number."""
    some = part(split, rows)
    if not len(some.pos) or not len(some.neg):
        return 0.0
    return target.scaled(some.n / split.n, some).at(rank(some.is_positive, scores, some.weight), 0.0)
