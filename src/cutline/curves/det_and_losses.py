"""The curves that are drawn on a scale of their own, and those that need no predictions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt

from cutline.core.ranking import Array
from cutline.curves.curve_type import Curve
from cutline.curves.simplify import CurveLine, corners, simplify
from cutline.measures import losses

# The rates that are marked on a scale of normal deviates.
RATES = (0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 0.999)


def deviates(rates: npt.ArrayLike) -> Array:
    """Return the normal deviates of rates: where the two axes of a DET curve put them."""
    from scipy.special import ndtri  # only this curve needs it

    return np.asarray(ndtri(np.asarray(rates, dtype=float)))


def det_reach(curves: Iterable[Curve]) -> float:
    """Return how far both axes of normal deviates go on either side of 0, to hold every rate but 0 and 1."""
    places = deviates(np.concatenate([np.concatenate((curve.x, curve.y)) for curve in curves]))
    return max(2.0, 1.05 * float(np.abs(places[np.isfinite(places)]).max(initial=0.0)))


def on_edge(places: npt.ArrayLike, reach: float) -> Array:
    """Return normal deviates, with those beyond the axes moved to the edge: rates of 0 and 1 are infinitely far
    away.

    Args:
        places: The deviates.
        reach: The largest one on the axes.
    """
    return np.clip(places, -reach, reach)


def det_line(curve: Curve, reach: float) -> CurveLine:
    """Return the line of a DET curve on axes of normal deviates, the rates of 0 and 1 on their edges.

    A tie is crossed straight in rates, as in the ROC curve, so not straight in their deviates: points are put between.

    Args:
        curve: A DET curve.
        reach: The largest normal deviate on the axes.
    """
    from scipy.special import ndtr

    exact = corners(curve)
    way = exact.x - exact.y  # grows from cut to cut
    rates = ndtr(np.linspace(-reach, reach, 121))
    between = np.concatenate((np.interp(rates, exact.x, way), np.interp(-rates, -exact.y, way)))
    along = np.union1d(way, between)
    x, y = (on_edge(deviates(np.clip(np.interp(along, way, side), 0, 1)), reach) for side in (exact.x, exact.y))
    vertex = exact.vertex[np.minimum(np.searchsorted(way, along), len(way) - 1)]
    points = simplify((x / reach + 1) / 2, (y / reach + 1) / 2, spread=100)
    return CurveLine(vertex[points], x[points], y[points])


def loss_curves(*, gamma: float = 2.0, reach: float = 3.0) -> tuple[Array, Mapping[str, Array]]:
    """Return the losses of a positive case by its margin (Berrar, Figure 7): the margins, and each loss by name.

    Args:
        gamma: The exponent of the focal loss.
        reach: The largest margin.
    """
    left = np.linspace(-reach, 0, 121)
    margin = np.concatenate((left, -left[::-1]))  # 0 twice: just left of it the 0-1 loss is 1, from it on 0
    label = np.ones(len(margin))
    return margin, {
        "0-1 loss": np.repeat([1.0, 0.0], len(left)),
        "Hinge loss": losses.hinge(label, margin).value,
        "Logistic loss": losses.logistic(label, margin).value,
        f"Focal loss, gamma {gamma:g}": losses.focal(label, margin, gamma=gamma).value,
    }
