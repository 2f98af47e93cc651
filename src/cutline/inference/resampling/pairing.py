"""Several models on the same cases: counts by the scores that all of them gave, which no single ranking holds.

A cell of a pairing is the cases that agree in everything: the score of every model, the class and the weight. A weight
that is a whole number is that many cases; other weights say how much one case counts. Resamples and exchanges are
drawn over the cells: all models are measured on the same drawn cases, and no result depends on the order of the rows.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.counts import divide
from cutline.core.parallel import stop_if_unwanted
from cutline.core.ranking import Ranking, find_scores
from cutline.core.table import ComparedByFields
from cutline.core.validation import encode_groups
from cutline.inference.corrected import Corrected
from cutline.inference.delong import compute_placements
from cutline.inference.influence import Influence
from cutline.inference.resampling.binning import ScoreBins, are_changed_by_bins, bin_scores
from cutline.inference.resampling.bootstrap import resample
from cutline.inference.resampling.samplers import Cells, GroupSampler, Urn, draw_groups, number_strata
from cutline.measures import Measure

_CHUNK = 2**21  # draws held at a time, over all cells


class Groups(NamedTuple):
    """Cases that belong together: of each row its cell, its group, and how many cases it is; of each group its stratum.

    Where only strata are named, every row is a group of its own (`are_single`).
    """

    cell: Array
    group: Array
    cases: Array
    number: int
    stratum: Array | None = None
    are_single: bool = False

    @classmethod
    def of(cls, cell: Array, group: Array | None, cases: Array | None, strata: Array | None = None) -> Groups:
        """Return the groups of rows, by whatever names they have, and the strata that they were drawn from."""
        names, code = encode_groups(np.arange(len(cell)) if group is None else group)
        apart = None if strata is None else number_strata(strata, code)
        times = np.ones(len(cell), np.int64) if cases is None else cases
        return cls(cell, code, times, len(names), apart, group is None)

    def draw(self, rng: np.random.Generator, count: int) -> Array:
        """Draw the groups of each stratum; return how often each is in each resample, one a row."""
        return draw_groups(rng, count, self.number, self.stratum)

    def gather(self, times: Array, cells: int) -> Array:
        """Count the cases of each cell, given how often each group is drawn."""
        counts = np.bincount(self.cell, weights=times[self.group] * self.cases, minlength=cells)
        return counts.astype(np.int64)  # whole up to 2**53, and so exact


class Shared(NamedTuple):
    """Caches that all pairs of models share: by model, and of influence values by measure too."""

    influences: dict[Any, Influence | None]
    of_cases: dict[Any, Array]  # the influences on each cell, of one measure at a time: they are long
    placements: dict[int, Array]  # DeLong's, of each cell in its class
    corrected: dict[Any, Corrected]  # values without their bias


@dataclass(frozen=True, eq=False)
class Pairing(ComparedByFields):
    """The cases by their scores. `index` holds the position of each cell's score in each model's ranking."""

    rankings: tuple[Ranking, ...]
    index: tuple[Array, ...]
    is_positive: Array
    cases: Array
    weight: Array
    groups: Groups | None = None
    shared: Shared = field(default_factory=lambda: Shared({}, {}, {}, {}), compare=False)

    def __len__(self) -> int:
        return len(self.cases)

    @cached_property
    def total(self) -> int:
        """Count the cases; a weight that is not whole does not make more of them."""
        return int(self.cases.sum())

    @property
    def unit(self) -> str:
        """Return what `total` counts: cases of the sample, or of the population if weights are not whole numbers."""
        return "cases" if self.integral else "rows"

    @property
    def integral(self) -> bool:
        """Whether every case counts one, as it does unless weights are not whole numbers."""
        return self.weight.dtype.kind != "f"

    @property
    def has_groups(self) -> bool:
        """Whether some cases belong together."""
        return self.groups is not None and not self.groups.are_single

    @property
    def is_of_one_size(self) -> bool:
        """Whether all resamples are equally long: not with fractional weights, nor with whole groups."""
        return self.integral and self.groups is None

    @cached_property
    def has_both_classes(self) -> bool:
        """Whether there is a positive and a negative case."""
        return bool(self.is_positive.any() and not self.is_positive.all())

    def of(self, *models: int) -> Pairing:
        """Return the same cases with some of the models only."""
        rankings = tuple(self.rankings[model] for model in models)
        return replace(self, rankings=rankings, index=tuple(self.index[model] for model in models))

    def in_bins(self, bins: Sequence[ScoreBins | None]) -> Pairing:
        """Return the same cases with the scores of some models in bins, in the order of the models."""
        both = list(zip(self.rankings, self.index, bins, strict=True))
        rankings = tuple(ranking if own is None else own.ranking for ranking, _, own in both)
        index = tuple(place if own is None else own.bin_of(place) for _, place, own in both)
        return replace(self, rankings=rankings, index=index)

    def placements(self, model: int) -> Array:
        """Return the placement value of each cell, for DeLong's covariance."""
        ranking, cached = self.rankings[model], self.shared.placements
        if id(ranking) not in cached:
            of_positives, of_negatives = compute_placements(ranking)
            index = self.index[model]
            cached[id(ranking)] = np.where(self.is_positive, of_positives[index], of_negatives[index])
        return cached[id(ranking)]

    def sampler(self, model: int) -> GroupSampler | None:
        """Return the sampler of the groups of one model's ranking; None when cases are single."""
        if self.groups is None:
            return None
        ranking, own = self.rankings[model], self.groups
        place = self.index[model][own.cell] + np.where(self.is_positive[own.cell], 0, len(ranking))
        weight = own.cases if self.integral else self.weight[own.cell]
        return GroupSampler(ranking, place, own.group, weight, own.number, own.stratum, own.are_single)

    # ------------------------------------------------------------------ resamples

    @property
    def cells(self) -> int:
        """Return the number of cells."""
        return len(self)

    @cached_property
    def _urn(self) -> Urn:
        return Urn.of(self.cases)

    def times(self, rng: np.random.Generator, count: int) -> Array:
        """Draw how often each cell is in each resample, one a row."""
        if self.groups is None:
            return self._urn.draw(rng, count)
        return np.stack([self.groups.gather(row, len(self)) for row in self.groups.draw(rng, count)])

    def draw_models(self, rng: np.random.Generator, count: int) -> list[Cells]:
        """Draw resamples, as each model sees them: the same cases for all."""
        times = self.times(rng, count)
        return [Cells(r.score, *self._split_by_class(times, model)) for model, r in enumerate(self.rankings)]

    def stack(self, draws: Array, model: int) -> Ranking:
        """Return the rankings of one model on drawn cells: a stack with a row for each row of `draws`."""
        ranking = self.rankings[model]
        pos, neg, pos2, neg2 = Cells(ranking.score, *self._split_by_class(draws, model)).columns
        return replace(ranking, pos=pos, neg=neg, pos2=pos2, neg2=neg2)

    def _split_by_class(self, draws: Array, model: int) -> list[Array]:
        """Return the drawn positives and negatives at each score of a model, a row for each row of `draws`.

        Where weights are not counts, the squared weights follow.
        """
        weighed = [draws] if self.integral else [draws * self.weight, draws * np.square(self.weight)]
        return [self._sum_by_score(column, model, of_positives) for column in weighed for of_positives in (True, False)]

    def _sum_by_score(self, draws: Array, model: int, of_positives: bool) -> Array:
        """Add up the draws of one class at each score of a model's ranking."""
        columns, starts, at = self._layout[model, of_positives]
        gathered = np.zeros((len(draws), len(self.rankings[model])), draws.dtype)
        if len(columns):
            gathered[:, at] = np.add.reduceat(np.take(draws, columns, axis=1), starts, axis=1)
        return gathered

    @cached_property
    def _layout(self) -> dict[tuple[int, bool], tuple[Array, Array, Array]]:
        """Return, by model and class, the cells in the order of the scores, and where each score starts and stands."""
        layout = {}
        for model, index in enumerate(self.index):
            for of_positives in (True, False):
                columns = np.flatnonzero(self.is_positive == of_positives)
                columns = columns[np.argsort(index[columns], kind="stable")]
                at = index[columns]
                starts = np.flatnonzero(np.diff(at, prepend=-1))
                layout[model, of_positives] = columns, starts, at[starts]
        return layout

    # ------------------------------------------------------------------ exchanges

    def crossed(self, scores: Sequence[Array]) -> Pairing:
        """Return two models whose scores may be exchanged: each cell twice, once with its scores swapped.

        `scores` are, for each model, the scores of its ranking on a scale that both share.
        """
        mine, other = (scores[model][self.index[model]] for model in (0, 1))
        shared, where = np.unique(-np.concatenate((mine, other)), return_inverse=True)
        here, there = where[: len(self)], where[len(self) :]
        empty = np.zeros(len(shared), dtype=np.int64)
        ranking = replace(self.rankings[0], score=-shared, pos=empty, neg=empty, higher_is_positive=True)
        return Pairing(
            (ranking, ranking),
            (np.concatenate((here, there)), np.concatenate((there, here))),
            np.tile(self.is_positive, 2),
            np.concatenate((self.cases, np.zeros_like(self.cases))),
            np.tile(self.weight, 2),
            self.groups,
        )

    def exchange(self, rng: np.random.Generator) -> Array:
        """Draw how many cases of each crossed cell keep their scores, and how many swap them.

        A fair coin is thrown for each case, or for each group of cases.
        """
        half = self.cases[: len(self) // 2]
        if self.groups is not None:
            swapped = self.groups.gather(rng.integers(0, 2, self.groups.number), len(half))
            return np.concatenate((half - swapped, swapped))
        swapped = rng.integers(0, 2, len(half)) if half.max() == 1 else rng.binomial(half, 0.5)
        return np.concatenate((half - swapped, swapped))


def pair_models(
    rankings: Sequence[Ranking],
    scores: Sequence[Array],
    is_positive: Array,
    weights: Array | None,
    groups: Array | None = None,
    strata: Array | None = None,
) -> Pairing:
    """Return the pairing of models that scored the same cases, in the same order; refuse strata that divide a group.

    Args:
        rankings: The ranking of each model.
        scores: The scores of each model.
        is_positive: Which cases are positive.
        weights: What each case weighs; None when each counts one.
        groups: The group of each case; None when each is one of its own.
        strata: The stratum of each case; None when all are of one.
    """
    code = is_positive.astype(np.int64)
    if weights is not None and weights.dtype.kind == "f":
        code = np.unique(weights, return_inverse=True)[1] * 2 + code
    index = [find_scores(ranking, score) for ranking, score in zip(rankings, scores, strict=True)]
    n, cells = len(is_positive), 0
    # The cells are numbered by the models in an order of their own, so that a - b and b - a draw the same cases.
    for model in sorted(range(len(rankings)), key=lambda model: _hash_order(rankings[model])):
        size = len(rankings[model])
        if cells < n and size == n:
            cells, code = n, _number_in_order(code, index[model])
        elif cells < n:  # else the cases are told apart already
            # Two numbers below the number of cases make one below its square, which int64 holds.
            distinct, code = np.unique(code * size + index[model], return_inverse=True)
            cells = len(distinct)
    first = np.empty(cells, dtype=np.intp)
    first[code[::-1]] = np.arange(n)[::-1]
    whole = weights is None or weights.dtype.kind != "f"
    repeated = None if weights is None or not whole else weights
    cases = np.bincount(code) if repeated is None else _add_by_code(code, repeated)
    weight = np.ones(len(first), dtype=np.int64) if whole or weights is None else weights[first]
    by_rows = groups is not None or strata is not None
    together = Groups.of(code, groups, repeated, strata) if by_rows else None
    where = tuple(column[first] for column in index)
    return Pairing(tuple(rankings), where, is_positive[first], cases, weight, together)


def _hash_order(ranking: Ranking) -> bytes:
    """Return a digest of the order of the classes in a ranking: no row order and no scale of the scores changes it."""
    columns = (ranking.pos, ranking.neg)
    return hashlib.sha256(b"".join(np.ascontiguousarray(column).tobytes() for column in columns)).digest()


def _number_in_order(code: Array, place: Array) -> Array:
    """Number cases that stand at places of their own by code and then by place, as sorting both would."""
    there = np.empty_like(code)
    there[place] = code
    number = np.empty(len(code), np.intp)
    number[np.argsort(there.astype(np.min_scalar_type(int(code.max()))), kind="stable")] = np.arange(len(code))
    return np.asarray(number[place])


def _add_by_code(code: Array, whole: Array) -> Array:
    """Add up whole numbers by code, exactly."""
    sums = np.zeros(code.max() + 1, dtype=np.int64)
    np.add.at(sums, code, whole)
    return sums


# ---------------------------------------------------------------------- many resamples at once


class Question(NamedTuple):
    """A measure, and its parameters for each model."""

    measure: Measure
    parameters: tuple[Mapping[str, Any], ...]

    def value(self, ranking: Ranking, model: int) -> Any:
        """Return the value of each ranking of a stack; NaN where the scores do not suit the measure."""
        stop_if_unwanted()
        if not self.measure.fits(ranking):
            return np.nan
        data, parameters = self.measure.prepare(ranking, self.parameters[model])
        return self.measure.compute(data, **parameters)


class Resamples(NamedTuple):
    """The value of each question for each model in each resample, and how many resamples were redrawn."""

    values: Array
    redrawn: int


def make_stream(seed: int, number: int) -> np.random.Generator:
    """Return the random numbers of one resample: they depend on the seed and its number, and on nothing else."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(number,)))


def bootstrap(pairing: Pairing, questions: Sequence[Question], resamples: int, seed: int) -> Resamples:
    """Return the answers to all questions for all models on the same resamples, the scores in bins.

    A question whose answer bins change by more than a small part of its interval is asked of the whole lists.
    """
    if not questions:
        return Resamples(np.empty((0, len(pairing.rankings), resamples)), 0)
    bins = [bin_scores(r, _find_cuts(questions, model, r)) for model, r in enumerate(pairing.rankings)]
    if all(binned is None for binned in bins):
        return _ask_resamples(pairing, questions, resamples, seed)
    short = pairing.in_bins(bins)
    answers = _ask_resamples(short, questions, resamples, seed)
    exact, binned = (
        np.array([[float(q.value(r, m)) for m, r in enumerate(rankings)] for q in questions])
        for rankings in (pairing.rankings, short.rankings)
    )
    with np.errstate(invalid="ignore"):  # infinite values have no shift
        shifts = exact - binned
    models = range(len(bins))
    changed = [
        i for i, row in enumerate(shifts) if any(are_changed_by_bins(answers.values[i], [row[m] for m in models]))
    ]
    values = answers.values + shifts[:, :, None]
    if changed:
        values[changed] = _ask_resamples(pairing, [questions[i] for i in changed], resamples, seed).values
    return Resamples(values, answers.redrawn)


def _find_cuts(questions: Sequence[Question], model: int, ranking: Ranking) -> set[int]:
    """Return where one model's ranking is cut by the thresholds of some questions."""
    settings = (question.parameters[model] for question in questions)
    return {ranking.cut(float(setting["threshold"])) for setting in settings if "threshold" in setting}


def _ask_resamples(pairing: Pairing, questions: Sequence[Question], resamples: int, seed: int) -> Resamples:
    """Return the answers to all questions for all models on the same resamples."""

    def ask(stacks: Sequence[Ranking]) -> list[Any]:
        return [question.value(ranking, model) for question in questions for model, ranking in enumerate(stacks)]

    answers = resample(pairing, ask, resamples, seed)
    return Resamples(np.stack(answers.values).reshape(len(questions), len(pairing.rankings), -1), answers.redrawn)


def compute_values(pairing: Pairing, draws: Array, ask: Callable[[Ranking, int], list[Any]]) -> Array:
    """Return the statistics of each model's stack of drawn rankings: an array of statistics, models and draws."""
    answers = [ask(pairing.stack(draws, model), model) for model in range(len(pairing.rankings))]
    return np.array([[np.broadcast_to(a, len(draws)) for a in row] for row in answers], dtype=float).swapaxes(0, 1)


def split_in_chunks(resamples: int, cells: int) -> Iterator[range]:
    """Yield the numbers of the resamples in chunks whose draws fit into memory."""
    step = max(1, _CHUNK // cells)
    return (range(start, min(start + step, resamples)) for start in range(0, resamples, step))


# ---------------------------------------------------------------------- DeLong


def estimate_delong_covariance(pairing: Pairing, contrasts: Array) -> Array:
    """Return the covariance of contrasts of the AUCs (DeLong et al. 1988), in the time it takes to rank.

    Each row of `contrasts` holds a factor for each model. The differences are taken case by case before anything is
    squared, so that equal models differ by exactly nothing. NaN when a class has a single case.
    """
    covariance = np.zeros((len(contrasts), len(contrasts)))
    for of_positives in (True, False):
        mine = np.flatnonzero(pairing.is_positive == of_positives)
        place = np.stack([pairing.placements(model)[mine] for model in range(len(pairing.rankings))])
        # Sums by einsum: the threads of a linear algebra library cost far more than they save on arrays of few rows.
        contrast = np.einsum("cm,mn->cn", contrasts, place)
        if pairing.integral:
            cases = pairing.cases[mine].astype(float)
            total = squares = float(cases.sum())
            of_cases = of_squares = cases
        else:
            cases, weight = pairing.cases[mine], pairing.weight[mine].astype(float)
            of_cases, of_squares = cases * weight, cases * weight**2
            total, squares = float(of_cases.sum()), float(of_squares.sum())
        contrast -= divide(np.einsum("cn,n->c", contrast, of_cases), total)[:, None]
        effective = divide(total**2, squares)
        correction = effective / (effective - 1) if effective > 1 + 1e-9 else np.nan
        covariance += divide(np.einsum("cn,dn->cd", contrast * of_squares, contrast), total**2) * correction
    return covariance
