"""The maps from a probability to a better one: how each is fitted on a ranking, and applied to new probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutline.core import logistic
from cutline.core.array_ops import Array
from cutline.core.errors import InputError, shorten_repr
from cutline.core.ranking import Ranking
from cutline.measures.calibration_line import calibration_intercept, fit_joint
from cutline.measures.miscalibration import fit_isotonic

METHODS = ("intercept", "logistic", "beta", "isotonic", "venn_abers")
EPS = float(np.finfo(float).eps)
_PARAMETERS = {
    "intercept": ("intercept", "slope"),
    "logistic": ("intercept", "slope"),
    "beta": ("a", "b", "c"),
    "isotonic": ("x", "y"),
    "venn_abers": ("x", "low", "high"),
}


def fit_map(r: Ranking, method: str) -> dict[str, Any]:
    """Return the parameters of a map, as plain numbers and lists."""
    if not r.positives or not r.negatives:
        raise InputError("All cases are of one class: recalibration needs cases of both.")
    return {
        "intercept": _fit_intercept,
        "logistic": _fit_logistic,
        "beta": _fit_beta,
        "isotonic": _fit_isotonic,
        "venn_abers": _fit_venn_abers,
    }[method](r)


def check_parameters(method: str, parameters: object) -> None:
    """Raise if the parameters cannot come from a fit, such as those of a file that was altered.

    Args:
        method: The method, which is known.
        parameters: The parameters, as they were read.
    """
    names = _PARAMETERS[method]
    if not isinstance(parameters, dict) or {*parameters} != {*names}:
        raise InputError(
            f"A map of the method {method} has the parameters {', '.join(names)}", f"not {shorten_repr(parameters)}"
        )
    if names[0] != "x":
        bad = [name for name in names if not is_number(parameters[name])]
    else:
        length = len(parameters["x"]) if isinstance(parameters["x"], list) else 0
        bad = [name for name in names if not _is_column(parameters[name], length)]
        if not bad and any(b < a for a, b in zip(parameters["x"], parameters["x"][1:], strict=False)):
            bad = ["x"]
    if bad:
        raise InputError(
            f"The parameter {bad[0]!r} of the map is {shorten_repr(parameters[bad[0]])}", "fit the map again"
        )


_LARGEST = 1e300  # an integer beyond the range of floats is compared, where converting it would fail


def is_number(value: object) -> bool:
    """Whether something that was read is a finite number.

    Args:
        value: What was read.
    """
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _LARGEST


def _is_column(values: Any, length: int) -> bool:
    """Whether a value is a list of probabilities of the given length."""
    is_list = isinstance(values, list) and len(values) == length > 0
    return is_list and all(is_number(value) and 0 <= value <= 1 for value in values)


def _check_defined(numbers: Array, method: str) -> list[float]:
    if not np.isfinite(numbers).all():
        raise InputError(
            f"The scores separate the classes or are all equal, so no {method} map fits best: pass more cases, or "
            "method='intercept' or 'isotonic'."
        )
    return [float(number) for number in numbers]


def _fit_intercept(r: Ranking) -> dict[str, Any]:
    [shift] = _check_defined(np.atleast_1d(calibration_intercept.compute(r)), "intercept")
    return {"intercept": shift, "slope": 1.0}


def _fit_logistic(r: Ranking) -> dict[str, Any]:
    shift, slope = _check_defined(fit_joint(r).coefficients, "logistic")
    return {"intercept": shift, "slope": slope}


def _fit_beta(r: Ranking) -> dict[str, Any]:
    """Fit beta calibration (Kull, Silva Filho and Flach 2017): a and b are at least 0; a negative one is left out."""
    columns = _compute_log_columns(r.key)
    _fit_logistic(r)  # refuses classes that are separated: there is no maximum here either

    def fit(*features: int) -> tuple[float, list[float]]:
        design = np.column_stack([np.ones(len(r)), *(columns[i] for i in features)])
        shift, *slopes = _check_defined(logistic.fit(design, *r.floats).coefficients, "beta")
        return shift, slopes

    c, (a, b) = fit(0, 1)
    if a < 0:
        c, [b] = fit(1)
        a = 0.0
    elif b < 0:
        c, [a] = fit(0)
        b = 0.0
    return {"a": a, "b": b, "c": c}


def _compute_log_columns(p: Array) -> tuple[Array, Array]:
    """Return the columns ln p and -ln(1 - p), with probabilities of 0 and 1 a machine epsilon inside."""
    inside = np.clip(np.asarray(p, dtype=float), EPS, 1 - EPS)
    return np.log(inside), -np.log1p(-inside)


def _fit_isotonic(r: Ranking) -> dict[str, Any]:
    """Return the corners of the isotonic curve: the first and the last score of each pool, ascending."""
    has_cases = r.size > 0
    x, y = r.key[has_cases][::-1], fit_isotonic(r)[has_cases][::-1]
    change = np.flatnonzero(y[1:] != y[:-1])
    corners = np.unique(np.concatenate(([0], change, change + 1, [len(x) - 1])))
    return {"x": x[corners].tolist(), "y": y[corners].tolist()}


def _fit_venn_abers(r: Ranking) -> dict[str, Any]:
    """Return what isotonic regression gives each score when a case of either class is added there (Vovk et al.,
    2015).
    """
    has_cases = r.size > 0
    x, pos, neg = r.key[has_cases][::-1], r.floats[0][has_cases][::-1], r.floats[1][has_cases][::-1]
    with_positive = _add_positive(pos, neg)
    with_negative = 1 - _add_positive(neg[::-1], pos[::-1])[::-1]
    return {"x": x.tolist(), "low": with_negative.tolist(), "high": with_positive.tolist()}


def _add_positive(pos: Array, neg: Array) -> Array:
    """Return the isotonic value at each score, ascending, when a positive is added to it.

    It is the slope of the tangent from the points before, of the cumulated positives over the cumulated cases, to the
    points after, which the added case moves by one. Going up, the tangent stays until a point falls below it.
    """
    w, s = (np.concatenate(([0.0], np.cumsum(cells))) for cells in (pos + neg, pos))
    fitted, touch, slope = np.empty(len(pos)), 0, np.inf
    for i in range(len(pos)):
        if i == 0 or s[i] < s[touch] + (w[i] - w[touch]) * slope:
            touch = i
            # The difference first: a weight of 1e16 swallows the one that is added.
            slope = float(((s[i + 1 :] - s[i] + 1) / (w[i + 1 :] - w[i] + 1)).min())
        fitted[i] = slope
    return fitted


# ---------------------------------------------------------------------- application


def apply_map(method: str, parameters: dict[str, Any], p: Array) -> Array:
    """Return the recalibrated probabilities."""
    p = np.asarray(p, dtype=float)
    if method in ("intercept", "logistic"):
        log_p, minus_log_q = _compute_log_columns(p)
        return _apply_logistic(parameters["intercept"] + parameters["slope"] * (log_p + minus_log_q))
    if method == "beta":
        log_p, minus_log_q = _compute_log_columns(p)
        return _apply_logistic(parameters["c"] + parameters["a"] * log_p + parameters["b"] * minus_log_q)
    if method == "isotonic":
        return np.asarray(np.interp(p, parameters["x"], parameters["y"]))
    low, high = apply_map_to_interval(parameters, p)
    return np.asarray(high / (1 - low + high))


def apply_map_to_interval(parameters: dict[str, Any], p: Array) -> tuple[Array, Array]:
    """Return the two probabilities of Venn-Abers, with a new case counted as a negative and as a positive."""
    x = np.asarray(parameters["x"])
    low, high = np.append(0.0, parameters["low"]), np.append(parameters["high"], 1.0)
    return low[np.searchsorted(x, p, side="right")], high[np.searchsorted(x, p, side="left")]


def _apply_logistic(eta: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-np.clip(eta, -700, 700))))


def write_map_in_sql(method: str, parameters: dict[str, Any], value: str) -> str | None:
    """Return the map as an expression of SQL; None if it has too many steps."""
    inside = f"least(greatest({value}, {EPS!r}), {1 - EPS!r})"
    if method in ("intercept", "logistic"):
        eta = f"{parameters['intercept']!r} + {parameters['slope']!r} * (ln({inside}) - ln(1 - {inside}))"
    elif method == "beta":
        eta = f"{parameters['c']!r} + {parameters['a']!r} * ln({inside}) - {parameters['b']!r} * ln(1 - {inside})"
    else:
        return None
    return f"(1 / (1 + exp(-({eta}))))"
