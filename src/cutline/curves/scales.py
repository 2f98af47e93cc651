"""The curves that are drawn on a scale of their own, and those that need no predictions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from cutline.curves._curve import Curve
from cutline.curves.simplify import Drawn, corners, simplify
from cutline.measures import losses
from cutline.ranking import Array

# The rates that are marked on a scale of normal deviates.
RATES = (0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999)


def deviates(rates: npt.ArrayLike) -> Array:
    """The normal deviates of rates: where the two axes of a DET curve put them."""
    from scipy.special import ndtri

    return np.asarray(ndtri(np.asarray(rates, dtype=float)))


class DeviateLine(NamedTuple):
    """A line on two axes of normal deviates, and how far both axes go on either side of 0."""

    line: Drawn
    reach: float


def det_line(curve: Curve) -> DeviateLine:
    """The line of a DET curve in normal deviates; rates of 0 and 1 lie infinitely far away, and are left out."""
    vertex, x, y = corners(curve)
    inside = (x > 0) & (x < 1) & (y > 0) & (y < 1)
    vertex, x, y = vertex[inside], deviates(x[inside]), deviates(y[inside])
    reach = max(2.0, float(np.abs(np.concatenate((x, y))).max(initial=0.0)) * 1.05)
    kept = simplify((x / reach + 1) / 2, (y / reach + 1) / 2, spread=100)
    return DeviateLine(Drawn(vertex[kept], x[kept], y[kept]), reach)


def loss_curves(*, gamma: float = 2.0, reach: float = 3.0) -> tuple[Array, Mapping[str, Array]]:
    """The losses of a positive case by its margin (Berrar, Figure 7): the margins, and each loss by name."""
    left = np.linspace(-reach, 0, 121)
    margin = np.concatenate((left, -left[::-1]))  # 0 twice: just left of it the 0-1 loss is 1, from it on 0
    label = np.ones(len(margin))
    return margin, {
        "0-1 loss": np.repeat([1.0, 0.0], len(left)),
        "Hinge loss": losses.hinge(label, margin).value,
        "Logistic loss": losses.logistic(label, margin).value,
        f"Focal loss, gamma {gamma:g}": losses.focal(label, margin, gamma=gamma).value,
    }
