"""Permutation tests: whether a model is better than no skill, and whether two models differ."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.counts import divide
from cutline.core.errors import ParameterError
from cutline.core.escaping import html_text
from cutline.core.parallel import map_parallel
from cutline.core.ranking import Ranking
from cutline.core.table import ComparedByFields, format_p, format_value, to_json_value
from cutline.inference.resampling.pairing import Pairing, Question, compute_values, make_stream, split_in_chunks
from cutline.measures import Measure, Needs

_FEW_AT_A_SCORE = 4  # cases, up to which dealing labels to them is faster than dealing a number to each score


@dataclass(frozen=True, eq=False)
class PermutationTest(ComparedByFields):
    """A permutation test: how many permutations are at least as extreme as the data.

    `p_value` counts the data at hand as one more permutation, so that it is never 0; `share` is the plain share of
    the permutations, `extreme` of those in `values`, that are at least as good.
    """

    measure: str
    value: float
    values: Array = field(repr=False)
    extreme: int
    seed: int
    notes: tuple[str, ...] = ()

    @property
    def permutations(self) -> int:
        """Number of permutations."""
        return len(self.values)

    @property
    def p_value(self) -> float:
        """(extreme + 1) / (permutations + 1); NaN when the measure is undefined here."""
        return math.nan if math.isnan(self.value) else (self.extreme + 1) / (self.permutations + 1)

    @property
    def share(self) -> float:
        """Extreme / permutations: 300 of 10 000 make 0.03."""
        return math.nan if math.isnan(self.value) else float(divide(self.extreme, self.permutations))

    def stopped(self, planned: int) -> PermutationTest:
        """Return the same, with a note that more permutations were planned."""
        return replace(self, notes=(*self.notes, f"Stopped after {self.permutations} of {planned} permutations."))

    def to_dict(self) -> dict[str, Any]:
        """Return all but the single permutations, ready for JSON."""
        names = ("measure", "value", "p_value", "share", "extreme", "permutations", "seed")
        return {name: to_json_value(getattr(self, name)) for name in names} | {"notes": list(self.notes)}

    def __repr__(self) -> str:
        head = (
            f"{self.measure} {format_value(self.value)}: p {format_p(self.p_value, 1 / (self.permutations + 1))} "
            f"({self.extreme} of {self.permutations} permutations do at least as well, a share of "
            f"{format_value(self.share)})"
        )
        return "\n".join([head, *(f"  note: {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        return "<br>".join(html_text(line) for line in repr(self).splitlines())


def compare_with_permutations(
    measure: Measure, value: float, values: Array, seed: int, why: str = ""
) -> PermutationTest:
    """Return the test of a value against its values in permutations; undefined ones count as extreme."""
    if measure.better is None:
        raise ParameterError(
            f"{measure.name} is neither better nor worse when it is higher", "choose another measure to test"
        )
    slack = 1e-12 * max(1.0, abs(value)) if math.isfinite(value) else 0.0
    worse = values < value - slack if measure.better == "higher" else values > value + slack
    undefined = int(np.isnan(values).sum())
    notes = [f"{measure} is undefined: {why}."] if math.isnan(value) else []
    if undefined and not notes:
        notes.append(f"In {undefined} permutations {measure} is undefined; they count as doing at least as well.")
    return PermutationTest(str(measure), value, values, int((~worse).sum()), seed, tuple(notes))


# ---------------------------------------------------------------------- the labels of one model's cases


def permute_labels(
    ranking: Ranking, measure: Measure, parameters: Mapping[str, Any], permutations: int, seed: int
) -> PermutationTest:
    """Test whether scores and labels are associated: the measure against its values with shuffled labels.

    Shuffling says only which of the cases at each score are positive, so that it is drawn from the ranking.
    """
    question = Question(measure, (parameters,))
    value = float(question.value(ranking, 0))
    data, settings = measure.prepare(ranking, parameters)
    why = measure.reason(data, **settings)
    if not ranking.integral:
        value, why = math.nan, "weights that are not whole numbers do not say how many cases there are to shuffle"
    if math.isnan(value):
        return compare_with_permutations(measure, math.nan, np.full(0, math.nan), seed, why)

    def work(numbers: range) -> Array:
        pos = np.stack([_shuffle_labels(ranking, make_stream(seed, number)) for number in numbers])
        shuffled = replace(ranking, pos=pos, neg=ranking.size - pos, pos2=pos, neg2=ranking.size - pos)
        return np.broadcast_to(np.asarray(question.value(shuffled, 0), dtype=float), len(pos))

    done = map_parallel(work, split_in_chunks(permutations, len(ranking)), permutations * len(ranking), reports=True)
    return compare_with_permutations(measure, value, np.concatenate(done), seed)


def _shuffle_labels(ranking: Ranking, rng: np.random.Generator) -> Array:
    """Draw the number of positives at each score when the labels are shuffled."""
    n, positives = int(ranking.total), int(ranking.positives)
    if n > _FEW_AT_A_SCORE * len(ranking):
        return rng.multivariate_hypergeometric(ranking.size, positives, method="marginals")
    labels = np.zeros(n, dtype=np.int64)
    labels[:positives] = 1
    rng.shuffle(labels)
    return np.add.reduceat(labels, ranking.ends[:-1])


# ---------------------------------------------------------------------- the scores of two models


def exchange_models(
    pairing: Pairing, question: Question, cuts: Sequence[int] | None, permutations: int, seed: int
) -> tuple[Array, float]:
    """Return the differences of two models when a fair coin exchanges the scores of each case, and the one observed.

    What is exchanged is what the measure looks at: for a measure of one cut (`cuts`) the two predictions, for one of
    probabilities or margins the two scores, and for one of the order the two ranks (Venkatraman & Begg 1996), because
    the scores of two models need not be on one scale.
    """
    measure = question.measure
    if cuts is not None:
        scores = [
            (np.arange(len(ranking)) < cut).astype(float) for ranking, cut in zip(pairing.rankings, cuts, strict=True)
        ]
    elif measure.needs in (Needs.PROBABILITIES, Needs.MARGINS):
        scores = [r.score if r.higher_is_positive else -r.score for r in pairing.rankings]
    else:
        scores = [-(ranking.ends[:-1] + ranking.ends[1:]) for ranking in pairing.rankings]
    crossed = pairing.crossed(scores)

    def ask(ranking: Ranking, model: int) -> list[Any]:
        if cuts is None:
            return [question.value(ranking, model)]
        settings = dict(question.parameters[model])
        threshold = settings.pop("threshold")
        data, settings = measure.prepare(ranking.at_cut(ranking.cut(0.5), threshold), settings)
        return [measure.compute(data, **settings)]

    def difference(draws: Array) -> Array:
        first, second = compute_values(crossed, draws, ask)[0]
        with np.errstate(invalid="ignore"):  # two infinite values have no difference
            return np.asarray(first - second)

    def work(numbers: range) -> Array:
        return difference(np.stack([crossed.exchange(make_stream(seed, number)) for number in numbers]))

    done = map_parallel(work, split_in_chunks(permutations, len(crossed)), permutations * len(crossed), reports=True)
    return np.concatenate(done), float(difference(crossed.cases[None])[0])
