"""Whether two ROC curves differ anywhere: Venkatraman and Begg's permutation test (1996) of the whole curves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cutline.core.equality import ComparedByFields
from cutline.core.errors import ParameterError
from cutline.core.parallel import each
from cutline.core.ranking import Array, Ranking
from cutline.core.table import p_shown, plain, shown
from cutline.inference.resampling.pairing import Pairing, chunks, stream


@dataclass(frozen=True, eq=False)
class RocTest(ComparedByFields):
    """How far apart two ROC curves are over all cuts, and how often exchanging their ranks takes them as far.

    `statistic` adds up, over the number of cases that are flagged, by how many errors the two models differ.
    """

    a: str
    b: str
    statistic: float
    p_value: float
    permutations: int
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, ready for JSON."""
        names = ("a", "b", "statistic", "p_value", "permutations")
        return {name: plain(getattr(self, name)) for name in names} | {"notes": list(self.notes)}

    def __repr__(self) -> str:
        head = f"ROC curves of {self.a} and {self.b}: differ by {shown(self.statistic)} errors over all cuts, "
        tail = f"p {p_shown(self.p_value)} ({self.permutations} permutations, Venkatraman & Begg)"
        return "\n".join([head + tail, *(f"  note: {note}" for note in self.notes)])


def venkatraman(pairing: Pairing, names: tuple[str, str], permutations: int, seed: int) -> RocTest:
    """Return the test of two models on the same cases, inside ties the expectation over the orders of tied cases."""
    if not pairing.integral:
        raise ParameterError("Venkatraman's test exchanges cases, but the weights are not counts", "pass no weights")
    ranks = [-(ranking.ends[:-1] + ranking.ends[1:]) for ranking in pairing.rankings]
    crossed = pairing.crossed(ranks)

    def distances(draws: Array) -> Array:
        one, two = (_errors(crossed.stack(draws, model)) for model in (0, 1))
        return np.asarray(np.abs(one - two).sum(axis=1))

    def work(numbers: range) -> Array:
        return distances(np.stack([crossed.exchange(stream(seed, number)) for number in numbers]))

    at_hand = float(distances(crossed.cases[None])[0])
    done = each(work, chunks(permutations, 4 * len(crossed)), permutations * len(crossed), reports=True)
    extreme = int((np.concatenate(done) >= at_hand - 1e-9 * max(1.0, at_hand)).sum())
    notes = ("Whole groups of cases are exchanged.",) if pairing.has_groups else ()
    return RocTest(*names, at_hand, (1 + extreme) / (1 + permutations), permutations, notes)


def _errors(stack: Ranking) -> Array:
    """Return errors when the first k cases of each ranking are flagged, for all k, without constants that cancel."""
    places = np.arange(1, int(stack.total.flat[0]) + 1)
    tp, ends = np.atleast_2d(stack.tp), np.atleast_2d(stack.ends)
    return np.stack([-2 * np.interp(places, end, row) for end, row in zip(ends, tp, strict=True)])
