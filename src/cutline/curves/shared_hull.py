"""The ROC convex hull of several models: which of them is best for some costs and class skew, and where."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from cutline.core.errors import InputError
from cutline.core.ranking import Ranking
from cutline.core.table import ShownAsTable, Table
from cutline.curves.threshold_curves import ROC


class Corner(NamedTuple):
    """A corner of the hull: its rates, the models that have a cut there, and the threshold of each of them."""

    fpr: float
    tpr: float
    owners: tuple[str, ...]
    thresholds: tuple[float, ...]


class HullSegment(NamedTuple):
    """A side of the hull: who owns it, and the false positive rates that it spans.

    A side between corners of two models belongs to both: its points are reached by choosing between the two at random.
    """

    owners: tuple[str, ...]
    low: float
    high: float
    slope: float


@dataclass(frozen=True, repr=False)
class SharedHull(ShownAsTable):
    """The convex hull of the ROC curves of several models (Provost and Fawcett; Arbel and Rokach, 2.2.2).

    A model without a part of it is best for no costs and no class skew whatever.
    """

    corners: tuple[Corner, ...]
    parts: tuple[HullSegment, ...]
    area: float
    names: tuple[str, ...]

    @property
    def owners(self) -> tuple[str, ...]:
        """Return the models that own a corner other than the two trivial ones."""
        inner = [corner for corner in self.corners if 0 < corner.fpr + corner.tpr < 2]
        return tuple(name for name in self.names if any(name in corner.owners for corner in inner))

    @property
    def table(self) -> Table:
        """The parts of the hull, from the left to the right."""
        rows = tuple((" and ".join(part.owners), part.low, part.high, part.slope) for part in self.parts)
        title = f"ROC convex hull of {len(self.names)} models, area {self.area:.4f}"
        return Table(("owner", "fpr_from", "fpr_to", "slope"), rows, title=title)


def shared_hull(rankings: Mapping[str, Ranking]) -> SharedHull:
    """Return the ROC convex hull of several models, and who owns which part of it.

    >>> from cutline import rank
    >>> hull = shared_hull({"a": rank([1, 1, 0, 0], [4, 1, 3, 2]), "b": rank([1, 1, 0, 0], [3, 2, 4, 1])})
    >>> [(part.owners, part.low, part.high) for part in hull.parts], hull.area
    ([(('a',), 0.0, 0.0), (('a', 'b'), 0.0, 0.5), (('b',), 0.5, 1.0)], 0.875)

    Args:
        rankings: The ranking of each model, of cases of both classes.
    """
    if not rankings:
        raise InputError("No model was given", "pass at least one")
    candidates: dict[tuple[float, float], dict[str, float]] = {}
    for name, r in rankings.items():
        ROC.require(r)
        for cut in r.hull.tolist():
            at = (round(float(r.fpr[cut]), 12), round(float(r.tpr[cut]), 12))
            candidates.setdefault(at, {})[name] = float(r.thresholds[cut])
    chain: list[tuple[float, float]] = []
    for point in sorted(candidates):
        while len(chain) > 1 and not _turns_right(chain[-2], chain[-1], point):
            chain.pop()
        chain.append(point)
    corners = tuple(Corner(*at, tuple(candidates[at]), tuple(candidates[at].values())) for at in chain)
    x, y = np.array(chain).T
    return SharedHull(corners, _parts(corners), float(np.trapezoid(y, x)), tuple(rankings))


def _turns_right(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> bool:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) < -1e-12


def _parts(corners: tuple[Corner, ...]) -> tuple[HullSegment, ...]:
    """Return the sides of the hull, each with its owners."""
    parts = []
    for left, right in itertools.pairwise(corners):
        both = [name for name in left.owners if name in right.owners]
        owners = tuple(both or dict.fromkeys((*left.owners, *right.owners)))
        width = right.fpr - left.fpr
        slope = (right.tpr - left.tpr) / width if width else float("inf")
        parts.append(HullSegment(owners, left.fpr, right.fpr, slope))
    return tuple(parts)
