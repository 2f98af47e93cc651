"""Measures for the early retrieval problem: exponential weight on the top of the list (Truchon & Bayly)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cutline.core.array_ops import as_array
from cutline.core.blocks import over_cells
from cutline.core.counts import divide
from cutline.core.ranking import Ranking, dot
from cutline.measures.kinds import TopOfList
from cutline.measures.metadata import NO_POSITIVE, ONE_CLASS, Parameter, ReferenceValue
from cutline.measures.roc import order

ALPHA = Parameter(
    "how steeply the weight falls: 20 puts 80 % of it on the first 8 % of the list",
    low=0,
    includes_low=False,
    high=700,
    example=5,
)


def _best(share: Any, alpha: float) -> Any:
    """Return the robust initial enhancement when the positives are the first `share` of the list."""
    return divide(-np.expm1(-alpha * share), -share * math.expm1(-alpha))


def _worst(share: Any, alpha: float) -> Any:
    """Return the robust initial enhancement when the positives are the last `share` of the list."""
    return np.exp(-alpha * (1 - share)) * _best(share, alpha)


def _rescale(value: Any, share: Any, alpha: float) -> Any:
    return divide(value - _worst(share, alpha), _best(share, alpha) - _worst(share, alpha))


@order(
    title="Robust initial enhancement",
    formula=r"\frac{\frac1P \sum_i e^{-\alpha r_i / n}}{\frac1n \sum_{k=1}^n e^{-\alpha k / n}}",
    range=(0, math.inf),
    better="higher",
    perfect=ReferenceValue(
        r"\frac{1 - e^{-\alpha\pi}}{\pi(1 - e^{-\alpha})}", lambda s, alpha=20.0: _best(s.prevalence, alpha)
    ),
    baseline=1,
    undefined=NO_POSITIVE,
    parameters={"alpha": ALPHA},
    source=("sheridan2001", "truchon2007"),
    blind_to="The rest of the list: beyond a few times 1/alpha of it, the order hardly counts.",
)
def rie(r: Ranking, *, alpha: float = 20.0) -> Any:
    """How many times more exponential weight the positives get than at random places."""
    return divide(_exponential_weight(r, alpha) / -math.expm1(-alpha), divide(r.positives, r.total))


@over_cells(np.add)
def _exponential_weight(r: Ranking, alpha: float) -> Any:
    """Return the weight that the positives get."""
    falls = np.asarray(divide(r.ends, as_array(r.total)[..., None]))
    falls *= -alpha
    np.exp(falls, out=falls)
    weight = falls[..., :-1] - falls[..., 1:]  # a cell shares its weight evenly; the geometric sum over it telescopes
    return dot(r.share, weight)


@order(
    title="BEDROC",
    formula=r"\frac{RIE - RIE_{\min}}{RIE_{\max} - RIE_{\min}}",
    better="higher",
    perfect=1,
    baseline=ReferenceValue(
        r"\frac{1 - RIE_{\min}}{RIE_{\max} - RIE_{\min}}", lambda s, alpha=20.0: _rescale(1, s.prevalence, alpha)
    ),
    undefined=ONE_CLASS,
    parameters={"alpha": ALPHA},
    kind=TopOfList(lambda alpha=20.0: 1 / alpha),
    source="truchon2007",
    blind_to="The rest of the list: beyond a few times 1/alpha of it, the order hardly counts.",
)
def bedroc(r: Ranking, *, alpha: float = 20.0) -> Any:
    """Robust initial enhancement on a scale from the worst order, 0, to the best, 1."""
    value = _rescale(rie.function(r, alpha=alpha), divide(r.positives, r.total), alpha)
    return np.where(r.negatives > 0, np.clip(value, 0, 1), np.nan)  # one class: best and worst are the same


# What the measures above need by default, computed in one pass when many are asked for.
_exponential_weight.share(20.0)
