"""The choice repeated: how much the threshold varies, and how much better a chosen cut looks than it is.

The value of a measure at a cut that was chosen for it on the same cases is too high. So the cases are split into tenths
again and again, the cut is chosen on nine of them and read on the tenth. The average over the splits has next to no
bias, where both Harrell's bootstrap and the cases left out of a resample keep a third of it, one above and one below.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from cutline.core import parallel
from cutline.core.counts import Counts
from cutline.core.ranking import Array, Ranking
from cutline.cuts.search import CutSearch, counts_at_keys
from cutline.inference.resampling.bootstrap import bootstrap, percentile
from cutline.inference.resampling.samplers import CaseSampler, GroupSampler
from cutline.results.estimate import Limits

FOLDS = 10
SPLITS = 50  # of the cases into tenths, at most
_CELLS = 2**20  # held at once


@dataclass(frozen=True)
class Repeated:
    """What repeating the choice has shown."""

    keys: Array  # the thresholds, turned so that high means positive
    values: Array | None  # of the criterion, at the cut that all cases choose
    corrected: float
    lost: int  # resamples in which no cut met the requirements

    def key_limits(self, level: float) -> Limits:
        """Return the bootstrap interval of the threshold, turned so that high means positive."""
        return Limits(*map(float, _limits(np.sort(self.keys), level)))

    def value_limits(self, level: float) -> Limits:
        """Return the bootstrap interval of the value at the chosen cut, moved to the corrected one.

        The best values of the resamples would vary too little: each is the largest of many.
        """
        assert self.values is not None  # noqa: S101 - only asked for with a criterion
        low, high = _limits(np.sort(self.values), level)
        shift = self.corrected - float(np.mean(self.values))
        return Limits(float(low + shift), float(high + shift))


def _limits(ordered: Array, level: float) -> Limits:
    if len(ordered) < 2:
        return Limits(np.nan, np.nan)
    low, high = percentile(ordered, level)
    return Limits(ordered[0], ordered[-1]) if np.isnan(low) else Limits(low, high)


def repeat(search: CutSearch, r: Ranking, groups: GroupSampler | None, resamples: int, seed: int) -> Repeated:
    """Choose again on resamples of the cases, or of their groups, and on nine tenths of them."""
    chosen = float(search.keys(r))

    def choice(stack: Ranking) -> Array:
        keys = search.keys(stack)
        if search.criterion is None:
            return np.asarray(keys[..., None])
        return np.stack([keys, search.worth_at(stack, np.full(keys.shape, chosen))], axis=-1)

    replicates = bootstrap(groups or CaseSampler(r), [choice], resamples, seed).values[0]
    has_cut = ~np.isnan(replicates[:, 0])
    corrected = np.nan
    if search.criterion is not None:
        corrected = _on_the_tenth(search, r, groups, max(1, min(SPLITS, resamples // FOLDS)), seed)
    values = replicates[has_cut, 1] if search.criterion is not None else None
    return Repeated(replicates[has_cut, 0], values, corrected, int((~has_cut).sum()))


def _on_the_tenth(search: CutSearch, r: Ranking, groups: GroupSampler | None, splits: int, seed: int) -> float:
    """Return the mean over splits of the criterion of the tenths, each at the cut that the other nine chose."""
    streams = np.random.SeedSequence([seed, FOLDS]).spawn(splits)
    halves = parallel.each(lambda stream: _split(search, r, groups, stream), streams, splits * len(r), reports=True)
    known = [value for value in halves if not math.isnan(value)]
    return float(np.mean(known)) if known else math.nan


def _split(search: CutSearch, r: Ranking, groups: GroupSampler | None, stream: np.random.SeedSequence) -> float:
    """Return the criterion of all tenths of one split together; NaN when nine of them lack a class, or allow no cut."""
    table = np.zeros(4)
    for pos, neg in _tenths(r, groups, np.random.default_rng(stream)):
        rest = replace(r, pos=r.pos - pos, neg=r.neg - neg, pos2=r.pos2 - pos, neg2=r.neg2 - neg)
        if not rest.positives.all() or not rest.negatives.all():
            return math.nan
        keys = search.keys(rest)
        if np.isnan(keys).any():
            return math.nan  # to read only the tenths that leave enough cases would favour those with few positives
        c = counts_at_keys(replace(r, pos=pos, neg=neg, pos2=pos, neg2=neg), keys)
        table += [float(np.sum(cell)) for cell in (c.tp, c.fp, c.fn, c.tn)]
    return float(search.worth(Counts(table[0], table[1], table[2], table[3])))


def _tenths(r: Ranking, groups: GroupSampler | None, rng: np.random.Generator) -> Iterator[tuple[Array, Array]]:
    """Return the positives and negatives at each score in every tenth, some tenths at a time, one a row."""
    at_once = max(1, min(FOLDS, _CELLS // len(r)))
    pairs = _tenths_of_groups(r, groups, rng) if groups is not None else _tenths_of_cases(r, rng)
    for start in range(0, FOLDS, at_once):
        some = [next(pairs) for _ in range(start, min(FOLDS, start + at_once))]
        yield np.stack([pos for pos, _ in some]), np.stack([neg for _, neg in some])


def _tenths_of_cases(r: Ranking, rng: np.random.Generator) -> Iterator[tuple[Array, Array]]:
    """Assign each case to a tenth; with weights, the cases of one score and class stay together."""
    if not r.integral or (r.pos.max() <= 1 and r.neg.max() <= 1):
        tenths = rng.integers(0, FOLDS, (2, len(r)), dtype=np.int8)
        for fold in range(FOLDS):
            yield r.pos * (tenths[0] == fold), r.neg * (tenths[1] == fold)
        return
    rest = [r.pos, r.neg]
    for fold in range(FOLDS):
        taken = [rng.binomial(column, 1 / (FOLDS - fold)) for column in rest]
        rest = [column - out for column, out in zip(rest, taken, strict=True)]
        yield taken[0], taken[1]


def _tenths_of_groups(r: Ranking, groups: GroupSampler, rng: np.random.Generator) -> Iterator[tuple[Array, Array]]:
    fold_of = rng.integers(0, FOLDS, groups.groups)[groups.group]
    weight = np.ones(len(groups.cell)) if groups.weight is None else groups.weight
    for fold in range(FOLDS):
        cells = np.bincount(groups.cell, weights=weight * (fold_of == fold), minlength=2 * len(r)).astype(r.pos.dtype)
        yield cells[: len(r)], cells[len(r) :]
