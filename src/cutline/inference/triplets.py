"""The mean triplet loss with an interval: triplets of one anchor are not independent, so anchors are the units."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from cutline.core.errors import InputError
from cutline.core.public import public
from cutline.core.validation import LEVEL, as_column, check_level, check_simple, format_count
from cutline.inference import constants
from cutline.inference.caveats import BELOW, make_estimate
from cutline.inference.survey import estimate_cluster_ratio, log_limits
from cutline.measures import losses
from cutline.results.estimate import Estimate

ONE_ANCHOR = "There is only one anchor, so nothing tells how anchors vary."
ALL_ALIKE = "All anchors have the same mean loss, so nothing tells how they vary."


@public
def mean_triplet_loss(
    anchor: npt.ArrayLike,
    positive: npt.ArrayLike,
    negative: npt.ArrayLike,
    *,
    margin: float = 0.2,
    normalise: bool = False,
    anchors: Any = None,
    level: float = LEVEL,
) -> Estimate:
    """Estimate the mean loss of a triplet, with an interval between anchors (Definition 34 has the sum).

    Args:
        anchor: one embedding a row, each of the Euclidean norm 1.
        positive: the embeddings that should be near, in the same order.
        negative: the embeddings that should be far, in the same order.
        margin: by how much nearer, in squared distances.
        normalise: divide each embedding by its norm first.
        anchors: the name of the anchor of each triplet; without, equal embeddings are one anchor.
        level: the level of the interval.

    >>> mean_triplet_loss([[1, 0], [0, 1]], [[0, 1], [0, 1]], [[0, -1], [1, 0]], margin=0.25).value  # (0.25 + 0) / 2
    0.125
    """
    level = check_level(level)
    values = losses.triplet(anchor, positive, negative, margin=margin, normalise=normalise).of_triplets
    code = _number_anchors(anchor, anchors, len(values))
    ratio = estimate_cluster_ratio(np.bincount(code, values), np.bincount(code))
    value, name = float(ratio.value), "triplet_loss"
    if ratio.clusters < 2 or not ratio.se > 0:
        note = ONE_ANCHOR if ratio.clusters < 2 else ALL_ALIKE
        return Estimate(name, value, math.nan, math.nan, level, "none", (note,))
    limits = log_limits(ratio, level)
    few = f", which are few: {BELOW}" if ratio.clusters < constants.FEW_CASES else ""
    notes = [f"{format_count(len(values), 'triplet')} of {format_count(ratio.clusters, 'anchor')}{few}."]
    return make_estimate(name, value, limits, (0.0, math.inf), level, "ratio_log", notes)


def _number_anchors(anchor: Any, anchors: Any, count: int) -> Any:
    """Number the anchor of each triplet."""
    if anchors is None:
        return np.unique(np.atleast_2d(np.asarray(anchor, dtype=float)), axis=0, return_inverse=True)[1].ravel()
    names = as_column(anchors, "anchors")
    check_simple(names, "anchors")
    if len(names) != count:
        lengths = f"has {format_count(len(names), 'value')} for {format_count(count, 'triplet')}"
        raise InputError(lengths, "pass one for each triplet", argument="anchors")
    return np.unique(names.astype(str) if names.dtype.kind == "O" else names, return_inverse=True)[1]
