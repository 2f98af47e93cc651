"""Tests and intervals that stay valid at any number of looks: confidence sequences, e-processes and change detectors.

Evidence is kept as the natural logarithm of an e-process E. Where nothing has changed, E reaches 1 / alpha with
probability at most alpha in all time (Ville 1939), so an alarm at 1 / alpha may be looked at every day.

Sources: Robbins (1970) and Howard, Ramdas, McAuliffe and Sekhon (2021) for proportions; Arnold, Henzi and Ziegel (2023)
and Waudby-Smith and Ramdas (2024) for calibration; Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas (2024) for
asymptotic confidence sequences; Shin, Ramdas and Rinaldo (2024) for the Shiryaev-Roberts e-detector.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.special import betainc, betaln, logsumexp, xlog1py, xlogy

from cutline.core.array_ops import Array

BETS = np.array([-0.8, -0.4, -0.2, -0.1, -0.05, 0.05, 0.1, 0.2, 0.4, 0.8])  # on y - p
SHIFTS = np.array([0.02, 0.05, 0.1, 0.2])  # of a proportion, that the change detector looks for
CALIBRATION_BINS = 10  # of equal width, for changes that cancel out on average
_PRIOR = 0.5  # both parameters of the beta mixture: Jeffreys
_HALVINGS = 60  # from an interval of length 1 to below the precision of a float
_BLOCK = 256  # factors from 0.2 to 1.8, whose product a float can hold
_SMALLEST = 1e-290  # below which the incomplete beta function loses digits


# ---- proportions


def log_evidence_against(successes: npt.ArrayLike, trials: npt.ArrayLike, proportion: npt.ArrayLike) -> Array:
    """Return the logarithm of the beta-binomial mixture e-process against one true proportion.

    Args:
        successes: The successes so far.
        trials: The trials so far.
        proportion: The proportion that the evidence speaks against.
    """
    s, n, p = (np.asarray(x, dtype=float) for x in (successes, trials, proportion))
    mixture = betaln(_PRIOR + s, _PRIOR + n - s) - betaln(_PRIOR, _PRIOR)
    return np.asarray(mixture - xlogy(s, p) - xlog1py(n - s, -p))


def bound_proportion(successes: npt.ArrayLike, trials: npt.ArrayLike, alpha: float) -> tuple[Array, Array]:
    """Return the limits of the confidence sequence of a proportion: valid at all times together.

    >>> low, high = bound_proportion(80, 100, 0.05)
    >>> round(float(low), 6), round(float(high), 6)
    (0.648358, 0.908978)
    """
    s, n = np.broadcast_arrays(np.asarray(successes, dtype=float), np.asarray(trials, dtype=float))
    center = np.where(n > 0, s / np.maximum(n, 1), 0.5)
    low = _bisect(s, n, center, np.zeros_like(center), alpha)
    high = _bisect(s, n, center, np.ones_like(center), alpha)
    nothing = n == 0
    return np.where(nothing | (s == 0), 0.0, low), np.where(nothing | (s == n), 1.0, high)


def _bisect(successes: Array, trials: Array, inside: Array, outside: Array, alpha: float) -> Array:
    """Find where the evidence against a proportion crosses 1 / alpha, between one inside and one outside."""
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2
        is_in = log_evidence_against(successes, trials, middle) < -np.log(alpha)
        inside, outside = np.where(is_in, middle, inside), np.where(is_in, outside, middle)
    return inside


def log_evidence_below(successes: npt.ArrayLike, trials: npt.ArrayLike, at_least: npt.ArrayLike) -> Array:
    """Return the logarithm of the e-process for "the proportion is below `at_least`".

    The mixture is restricted to proportions below `at_least`, so it is a supermartingale for every larger one.

    >>> round(float(log_evidence_below(70, 100, 0.8)), 6)
    0.627022
    """
    s, n, p0 = np.broadcast_arrays(*(np.asarray(x, dtype=float) for x in (successes, trials, at_least)))
    a, b = _PRIOR + s, _PRIOR + n - s
    inside = betainc(a, b, p0)
    with np.errstate(divide="ignore"):
        ordinary = betaln(a, b) + np.log(inside) - xlogy(s, p0) - xlog1py(n - s, -p0)
    evidence = np.where(inside > _SMALLEST, ordinary, _bracket_above(a, b, p0))
    return np.asarray(evidence - betaln(_PRIOR, _PRIOR) - np.log(betainc(_PRIOR, _PRIOR, p0)))


def _bracket_above(a: Array, b: Array, x: Array) -> Array:
    """Return log(B(a, b) I_x(a, b) x^-s (1-x)^-(n-s)) for x far below a / (a + b), where I_x is too small for a float.

    There the series x^a (1-x)^b / a (1 + (a+b) x / (a+1) + ...) of B(a, b) I_x(a, b) is nearly geometric.
    """
    ratio = np.clip((a + b) * x / (a + 1), 0, 0.999999)
    return np.asarray(xlogy(_PRIOR, x) + xlog1py(_PRIOR, -x) - np.log(a) - np.log1p(-ratio))


def log_evidence_above(successes: npt.ArrayLike, trials: npt.ArrayLike, at_most: npt.ArrayLike) -> Array:
    """Return the logarithm of the e-process for "the proportion is above `at_most`"."""
    trials = np.asarray(trials, dtype=float)
    return log_evidence_below(trials - np.asarray(successes), trials, 1 - np.asarray(at_most, dtype=float))


def log_ratios_below(successes: npt.ArrayLike, trials: npt.ArrayLike, at_least: float) -> Array:
    """Return each period's log likelihood ratio of some smaller proportions against `at_least`, on a last axis.

    Args:
        successes: The successes of each period alone.
        trials: The trials of each period alone.
        at_least: The proportion that is promised; the alternatives are smaller by `SHIFTS`, and never below its half.
    """
    s, n = (np.asarray(x, dtype=float)[..., None] for x in (successes, trials))
    smaller = at_least - np.minimum(SHIFTS, at_least / 2)
    return np.asarray(s * np.log(smaller / at_least) + (n - s) * np.log((1 - smaller) / (1 - at_least)))


def compute_shiryaev_roberts(log_ratios: Array, weights: Array | None = None) -> Array:
    """Return the logarithm of the Shiryaev-Roberts statistic after each period, averaged over the alternatives.

    R_t = (R_{t-1} + 1) LR_t for each alternative. Without a change, the mean time until the average reaches A is at
    least A periods; unlike an e-process it does not get slower after a long good time.

    Args:
        log_ratios: The log likelihood ratio of each period (first axis) and alternative (last axis).
        weights: The weight of each alternative, 1 in all; equal when None.
    """
    log_r = np.full(log_ratios.shape[1:], -np.inf)
    path = np.empty(log_ratios.shape[:-1])
    for t, step in enumerate(log_ratios):
        log_r = np.logaddexp(log_r, 0.0) + step
        path[t] = compute_log_mean(log_r, weights)
    return path


# ---- calibration


def compute_calibration_terms(probability: Array, pos: Array, neg: Array, bins: int = CALIBRATION_BINS) -> Array:
    """Return the sums of log(1 + bet (y - p)) over the cases, for each bin of p (rows) and each of `BETS` (columns).

    The sums do not depend on the order of the cases, so the ranking of a day holds all that is needed.

    Args:
        probability: The distinct probabilities, in descending order.
        pos: The number of positives at each.
        neg: The number of negatives at each.
        bins: The number of bins of equal width.
    """
    ascending = probability[::-1]
    of_bin = np.minimum(np.floor(ascending * bins), bins - 1).astype(np.intp)
    terms = np.zeros((bins, len(BETS)))
    for cells, outcome in ((pos[::-1], 1.0), (neg[::-1], 0.0)):
        for some, counts in ((np.flatnonzero(cells == 1), None), (np.flatnonzero(cells > 1), cells)):
            if len(some):
                times = None if counts is None else counts[some]
                terms += _sum_log_gains(outcome - ascending[some], times, of_bin[some], bins)
    return terms


def _sum_log_gains(residual: Array, times: Array | None, of_bin: Array, bins: int) -> Array:
    """Return the sums of log(1 + bet (y - p)) by bin and bet.

    The factors of single cases are multiplied in blocks, which saves logarithms.

    Args:
        residual: y - p, sorted by bin.
        times: How many cases each stands for; one when None.
        of_bin: The bin of each.
        bins: The number of bins.
    """
    new_bin = np.flatnonzero(np.diff(of_bin, prepend=-1))
    blocks = np.union1d(new_bin, np.arange(0, len(residual), _BLOCK))
    gains = np.empty((bins, len(BETS)))
    for column, bet in enumerate(BETS):
        factor = 1 + bet * residual
        if times is None:
            logs = np.log(np.multiply.reduceat(factor, blocks))
        else:
            logs = np.add.reduceat(times * np.log(factor), blocks)
        gains[:, column] = np.bincount(of_bin[blocks], weights=logs, minlength=bins)
    return gains


def compute_calibration_bets(terms: Array) -> Array:
    """Return the log gain of every bet, from terms (..., bins, bets): on all cases together, then on single bins."""
    return np.concatenate([terms.sum(-2), terms.reshape(*terms.shape[:-2], terms.shape[-2] * terms.shape[-1])], axis=-1)


def weight_calibration_bets(bins: int = CALIBRATION_BINS) -> Array:
    """Return the weight of each of the calibration bets: half for all cases together, half for single bins."""
    together, apart = len(BETS), bins * len(BETS)
    return np.repeat([0.5 / together, 0.5 / apart], [together, apart])


def log_evidence_of_miscalibration(terms: Array) -> Array:
    """Return the logarithm of the e-process against E(y | past) = p, from cumulated terms (..., bins, bets)."""
    return compute_log_mean(compute_calibration_bets(terms), weight_calibration_bets(terms.shape[-2]))


def compute_log_mean(log_values: Array, weights: Array | None = None) -> Array:
    """Return the logarithm of the (weighted) mean over the last axis of values that are given as logarithms."""
    weights = np.full(log_values.shape[-1], 1 / log_values.shape[-1]) if weights is None else weights
    return np.asarray(logsumexp(log_values, axis=-1, b=weights))


# ---- any other measure


def find_tuning(alpha: float, tightest_at: float) -> float:
    """Return the parameter rho that makes the asymptotic confidence sequence tightest at a number of cases.

    >>> round(find_tuning(0.05, 500), 8)
    0.12598535
    """
    twice = -2 * np.log(alpha)
    return float(np.sqrt((twice + np.log(twice + 1)) / tightest_at))


def compute_half_width(cases: npt.ArrayLike, alpha: float, tightest_at: float) -> Array:
    """Return the half width of the asymptotic confidence sequence of a mean with standard deviation 1.

    >>> compute_half_width([50, 500], 0.05, tightest_at=500).round(6).tolist()
    [0.545187, 0.135739]
    """
    t = np.asarray(cases, dtype=float)
    scaled = t * find_tuning(alpha, tightest_at) ** 2
    return np.asarray(np.sqrt(2 * (scaled + 1) / (t * scaled) * np.log(np.sqrt(scaled + 1) / alpha)))
