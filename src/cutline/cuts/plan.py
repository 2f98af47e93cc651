"""How a cut is picked: which cuts are allowed, and which of them is best. It works on stacks of resamples too."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from cutline.core.counts import Counts
from cutline.core.ranking import Array, Ranking
from cutline.cuts.criteria import Criterion, at_prevalence, cuts_of
from cutline.cuts.restrictions import Rule, counts_at_keys
from cutline.cuts.smooth_youden import kernel_youden, normal_youden, smoothed

EQUAL = 1e-12  # values of a criterion that differ by less are the same
OPTIMUM, MEAN, SMOOTH, KERNEL, NORMAL = "optimum", "mean", "smooth", "kernel", "normal"
METHODS = (OPTIMUM, MEAN, SMOOTH, KERNEL, NORMAL)
SMOOTH_YOUDEN: dict[str, Callable[[Ranking], float]] = {KERNEL: kernel_youden, NORMAL: normal_youden}


@dataclass(frozen=True)
class Plan:
    """What is asked of a cut: rules that it has to meet, and a criterion that says which cut is best.

    Without a criterion, the cut that flags most of the cases is taken, or that which flags fewest.
    """

    rules: tuple[Rule, ...] = ()
    criterion: Criterion | None = None
    method: str = OPTIMUM
    takes_most: bool = False
    prevalence: float | None = None

    @property
    def chooses(self) -> bool:
        """Whether anything is asked; a threshold that was put somewhere chooses nothing."""
        return bool(self.rules or self.criterion)

    def allowed(self, r: Ranking) -> Array:
        """Which cuts meet every rule."""
        if not self.rules:
            return np.ones(r.ends.shape, dtype=bool)
        first, *others = (rule.kept(r) for rule in self.rules)
        for kept in others:
            first = first & kept
        return first

    def values(self, r: Ranking) -> Array:
        """The criterion at every cut, higher being better; -inf where a rule is broken."""
        assert self.criterion is not None  # noqa: S101 - only asked for with one
        found = self.criterion.values(cuts_of(r, self.prevalence))
        if self.method == SMOOTH:
            rows = zip(np.atleast_2d(found), np.atleast_2d(r.ends), strict=True)
            found = np.stack([smoothed(row, ends / ends[-1]) for row, ends in rows]).reshape(found.shape)
        return np.where(self.allowed(r), found, -np.inf) if self.rules else found

    def pick(self, r: Ranking) -> tuple[Array, Array]:
        """The position of the cut in each ranking, and whether there is one."""
        if self.criterion is None:
            allowed = self.allowed(r)
            last = allowed.shape[-1] - 1 - allowed[..., ::-1].argmax(-1)
            return np.asarray(last if self.takes_most else allowed.argmax(-1)), np.asarray(allowed.any(-1))
        values = self.values(r)
        best = values.max(-1)
        # Of equal ones the first, which flags fewest.
        place = (values >= (best - _slack(best))[..., None]).argmax(-1)
        return np.asarray(place), np.isfinite(best)

    def keys(self, r: Ranking) -> Array:
        """The threshold of each ranking, turned so that high means positive; NaN where no cut meets the rules."""
        if self.method in SMOOTH_YOUDEN:
            find = SMOOTH_YOUDEN[self.method]
            return np.array([self.nearest(one, find(one)) for one in r.one_by_one()]).reshape(r.pos.shape[:-1])
        place, is_any = self.pick(r)
        return np.where(is_any, np.append(np.inf, r.key)[place], np.nan)

    def nearest(self, r: Ranking, key: float) -> float:
        """A threshold, or where the rules forbid it, that of the nearest cut that meets them."""
        if math.isnan(key) or not self.rules:
            return key
        allowed = self.allowed(r)
        if allowed[int((r.key >= key).sum())]:
            return key
        cuts = np.flatnonzero(allowed[1:])
        return float(r.key[cuts[np.argmin(np.abs(r.key[cuts] - key))]]) if len(cuts) else math.nan

    def equals(self, r: Ranking, place: int) -> Array:
        """The positions of the cuts that are as good as the chosen one."""
        if self.criterion is None or self.method != OPTIMUM:
            return np.array([place])
        values = self.values(r)
        return np.flatnonzero(values >= values[place] - _slack(values[place]))

    def worth(self, c: Counts) -> Any:
        """The criterion of finished tables, as people read it."""
        assert self.criterion is not None  # noqa: S101
        return np.asarray(self.criterion.of(at_prevalence(c, self.prevalence)), dtype=float)

    def worth_at(self, r: Ranking, keys: Any) -> Any:
        """The criterion at a threshold of each ranking, which is on the scale on which high means positive."""
        return self.worth(counts_at_keys(r, keys))


def _slack(value: Any) -> Any:
    return EQUAL * np.maximum(1, np.where(np.isfinite(value), np.abs(value), 0))
