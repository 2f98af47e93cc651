"""Where one model is better than the others for sure: regions of a curve with simultaneous confidence.

The curves of all models are resampled on the same cases. Their differences are divided by their standard errors (which
are not let fall below a quarter of the largest, so that the ends of an axis cannot decide), and the largest of them
over the whole axis and all pairs says how far from 0 a difference has to be: what is said holds everywhere at once.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.counts import divide
from cutline.core.messages import listed
from cutline.core.ranking import Ranking
from cutline.core.table import ComparedByFields, ShownAsTable, Table
from cutline.inference.differences.dominance import Span
from cutline.inference.resampling.bootstrap import resample
from cutline.inference.resampling.pairing import Pairing
from cutline.inference.single.bands import tpr_at

_PLACES = np.linspace(0, 1, 201)
_LEAST_ERROR = 0.25  # of the largest standard error


def _count_positives(r: Ranking, share: Array) -> Array:
    return np.asarray(divide(r.at_quota(share * float(r.total)).tp, r.positives))


# By curve: what its axis is called, and the height of a ranking's curve at some places of it.
HEIGHTS: Mapping[str, tuple[str, Callable[[Ranking, Array], Array]]] = {
    "roc": ("fpr", tpr_at),
    "precision_recall": ("recall", lambda r, recall: tpr_at(r.swapped(), 1 - recall)),
    "quota": ("share of the list", _count_positives),
}


@dataclass(frozen=True, eq=False)
class Regions(ShownAsTable, ComparedByFields):
    """The spans of an axis along which one model is better than every other, with simultaneous confidence."""

    curve: str
    axis: str
    names: tuple[str, ...]
    spans: tuple[Span, ...]
    level: float
    resamples: int

    @property
    def leaders(self) -> tuple[str, ...]:
        """The models that are the best somewhere."""
        return tuple(name for name in self.names if any(name in span.best for span in self.spans))

    @property
    def verdict(self) -> str:
        """Where a model is better for sure, in plain words."""
        percent = f"{100 * self.level:g} %"
        if not self.spans:
            where = f"Nowhere along the {self.axis} is a model better than all others"
            return f"{where} at {percent} simultaneous confidence: where the curves cross may be chance."
        leads = []
        for name in self.leaders:
            parts = [f"{s.low:.3g} to {s.high:.3g}" for s in self.spans if name in s.best]
            leads.append(f"{name} for {self.axis} {listed(parts)}")
        return f"Better than all others at {percent} simultaneous confidence: {'; '.join(leads)}. Elsewhere it is open."

    @property
    def table(self) -> Table:
        """One row for each span."""
        rows = tuple((span.low, span.high, span.best[0]) for span in self.spans)
        return Table((f"{self.axis} from", "to", "better"), rows)

    def to_dict(self) -> dict[str, Any]:
        """Return the spans, ready for JSON."""
        return {
            "curve": self.curve,
            "axis": self.axis,
            "level": self.level,
            "resamples": self.resamples,
            "spans": [{"low": low, "high": high, "best": best[0]} for low, high, best in self.spans],
        }

    def __repr__(self) -> str:
        return f"{self.table!r}\n{self.verdict}" if self.spans else self.verdict


def regions(pairing: Pairing, names: Sequence[str], curve: str, level: float, resamples: int, seed: int) -> Regions:
    """Return the regions of a curve over which each model is better than all others.

    Args:
        pairing: The models on the same cases.
        names: What they are called.
        curve: One of `HEIGHTS`.
        level: The simultaneous confidence.
        resamples: How many resamples are drawn.
        seed: Their seed.
    """
    axis, height = HEIGHTS[curve]

    def ask(samples: Sequence[Ranking]) -> list[Any]:
        values = []
        for stack in samples:
            rows = [height(sample, _PLACES) for sample in stack.one_by_one()]
            values.append(rows[0] if stack.pos.ndim == 1 else np.stack(rows))
        return values

    at_hand = [height(r, _PLACES) for r in pairing.rankings]
    draws = resample(pairing, ask, resamples, seed).values
    pairs = list(itertools.combinations(range(len(names)), 2))
    gaps = np.stack([at_hand[i] - at_hand[j] for i, j in pairs])
    moved = np.stack([draws[i] - draws[j] for i, j in pairs], axis=1) - gaps
    errors = moved.std(axis=0, ddof=1)
    errors = np.maximum(errors, _LEAST_ERROR * errors.max(axis=1, keepdims=True))
    errors = np.where(errors > 0, errors, np.inf)
    largest = np.sort(np.abs(moved / errors).max(axis=(1, 2)))
    reach = float(largest[min(int(np.ceil(level * (len(largest) + 1))) - 1, len(largest) - 1)])
    ahead = np.zeros((len(names), len(_PLACES)), dtype=int)
    for (i, j), gap, error in zip(pairs, gaps, errors, strict=True):
        with np.errstate(invalid="ignore"):  # where no resample differs, nothing is leads apart
            ahead[i] += gap > reach * error
            ahead[j] += -gap > reach * error
    return Regions(curve, axis, tuple(names), _spans(names, ahead == len(names) - 1), level, resamples)


def _spans(names: Sequence[str], best: Array) -> tuple[Span, ...]:
    """Return the runs of places along which a model is ahead of all others."""
    spans = []
    for name, row in zip(names, best, strict=True):
        edges = np.flatnonzero(np.diff(np.concatenate(([0], row.astype(int), [0]))))
        for start, end in zip(edges[::2], edges[1::2], strict=True):
            spans.append(Span(float(_PLACES[start]), float(_PLACES[end - 1]), (name,)))
    return tuple(sorted(spans))
