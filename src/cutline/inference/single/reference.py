"""Reference methods for a share, chosen by name alone: those of papers and other packages.

k of n cases: neither has to be a whole number. All work over arrays too, and check nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutline.inference.single.proportions import mid_p, wilson, wilson_modified
from cutline.results.estimate import Limits, quantile


def wald(k: Any, n: Any, level: float) -> Limits:
    """Return Wald's normal limits (Berrar, Definition 36): only when n p > 5 and n (1 - p) > 5, and not even then.

    Its limits may lie outside [0, 1]; they are not cut here.

    >>> [round(float(limit), 4) for limit in wald(3, 5, 0.95)]
    [0.1706, 1.0294]
    """
    p = np.true_divide(k, n)
    half = quantile(level) * np.sqrt(p * (1 - p) / n)
    return Limits(p - half, p + half)


def wald_holds(k: Any, n: Any) -> Any:
    """Whether Berrar's condition for the Wald interval holds."""
    return (np.asarray(k) > 5) & (np.subtract(n, k) > 5)


def clopper_pearson(k: Any, n: Any, level: float) -> Limits:
    """Return Clopper and Pearson's (1934) limits, Berrar's Definition 37: never below the level, so wide for small n.

    >>> [round(float(limit), 4) for limit in clopper_pearson(3, 5, 0.95)]
    [0.1466, 0.9473]
    """
    from scipy.special import betaincinv

    k, n, tail = np.asarray(k, dtype=float), np.asarray(n, dtype=float), (1 - level) / 2
    rest = n - k
    low = betaincinv(np.where(k > 0, k, 1.0), rest + 1, tail)
    high = betaincinv(k + 1, np.where(rest > 0, rest, 1.0), 1 - tail)
    return Limits(np.where(k > 0, low, 0.0), np.where(rest > 0, high, 1.0))


def agresti_coull(k: Any, n: Any, level: float) -> Limits:
    """Return Agresti and Coull's (1998) limits: Wald's after adding two successes and two failures, for n from 40 on.

    Its limits may lie outside [0, 1]; they are not cut here.

    >>> [round(float(limit), 4) for limit in agresti_coull(3, 5, 0.95)]
    [0.2291, 0.884]
    """
    z = quantile(level)
    return wald(np.add(k, z**2 / 2), np.add(n, z**2), level)


def jeffreys(k: Any, n: Any, level: float) -> Limits:
    """Return the equal tails of Jeffreys' prior, Beta(1/2, 1/2): like Wilson's, shorter near 0 and 1.

    The limit at an end that was observed is that end (Brown, Cai and DasGupta, 2001).

    >>> [round(float(limit), 4) for limit in jeffreys(3, 5, 0.95)]
    [0.2094, 0.9056]
    """
    from scipy.special import betaincinv

    k, n, tail = np.asarray(k, dtype=float), np.asarray(n, dtype=float), (1 - level) / 2
    low, high = (betaincinv(k + 0.5, n - k + 0.5, at) for at in (tail, 1 - tail))
    return Limits(np.where(k > 0, low, 0.0), np.where(k < n, high, 1.0))


# The methods that can be asked for by name: name, source, formula.
REFERENCE_METHODS = (
    ("wilson", "Wilson 1927", wilson),
    ("clopper_pearson", "Clopper and Pearson 1934", clopper_pearson),
    ("mid_p", "Lancaster 1961; Berry and Armitage 1995", mid_p),
    ("jeffreys", "Brown, Cai and DasGupta 2001", jeffreys),
    ("agresti_coull", "Agresti and Coull 1998", agresti_coull),
    ("wald", "Berrar, Definition 36", wald),
)
# All formulas of one share, by name: these and the default.
METHODS = {name: formula for name, _, formula in REFERENCE_METHODS} | {"wilson_modified": wilson_modified}
