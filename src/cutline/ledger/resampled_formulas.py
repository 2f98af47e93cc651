"""Conventions of randomised formulas: bootstrap intervals and standard errors, which depend on a seed."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.caching import cached_value
from cutline.inference.resampling.bootstrap import accelerations, bca, bootstrap, percentile
from cutline.inference.resampling.samplers import CaseSampler
from cutline.inference.single.estimand import Estimand, of_measure
from cutline.ledger.cases import Material
from cutline.ledger.convention import Applies, Convention, Stage
from cutline.ledger.formula_convention import Formula
from cutline.ledger.quantity import PrintedQuantity
from cutline.measures import Needs
from cutline.results.estimate import Limits, quantile

_LEVEL = 0.95
_RESAMPLES, _OTHERS = 2000, 1000  # ours, and as few as other tools draw
_MOST_SCORES = 20_000  # distinct ones, from which on the resamples take longer than the rest of the search
_FAR = 2.576  # standard errors within which 99 % of all seeds lie


def _estimand(material: Material, q: PrintedQuantity) -> Estimand:
    where = {"threshold": material.threshold} if q.measure.needs is Needs.COUNTS else {}  # type: ignore[union-attr]
    return of_measure(q.measure, material.ranking, {**where, **q.parameters})  # type: ignore[arg-type]


def _draws(material: Material, q: PrintedQuantity, *, stratified: bool = False) -> Array:
    """Return the measure on resamples, in order; none for a list that is too long."""
    r = material.ranking
    if len(r) > _MOST_SCORES:
        return np.empty(0)

    def resample() -> Array:
        replicates = bootstrap(CaseSampler(r, stratified), [_estimand(material, q).statistic], _RESAMPLES, 0).values[0]
        return np.sort(replicates[np.isfinite(replicates)])

    replicates: Array = cached_value(r, ("ledger", q.of, str(q.parameters), material.threshold, stratified), resample)
    return replicates


def _limit(of: Callable[[Array, Material, PrintedQuantity], Limits | None], *, stratified: bool = False) -> Formula:
    def act(material: Material, q: PrintedQuantity) -> float:
        draws = _draws(material, q, stratified=stratified)
        limits = of(draws, material, q) if len(draws) else None
        return math.nan if limits is None else float(getattr(limits, q.part))

    return act


def _percentile(draws: Array, _: Material, __: PrintedQuantity) -> Limits:
    return percentile(draws, _LEVEL)


def _basic(draws: Array, material: Material, q: PrintedQuantity) -> Limits:
    """Return the percentiles reflected at the value."""
    low, high = percentile(draws, _LEVEL)
    value = q.value(material)
    return Limits(2 * value - high, 2 * value - low)


def _normal(draws: Array, material: Material, q: PrintedQuantity) -> Limits:
    value, half = q.value(material), quantile(_LEVEL) * float(np.std(draws, ddof=1))
    return Limits(value - half, value + half)


def _bca(draws: Array, material: Material, q: PrintedQuantity) -> Limits | None:
    statistic = _estimand(material, q).statistic
    (acceleration,) = accelerations(CaseSampler(material.ranking), [statistic], 0)
    return bca(draws, q.value(material), acceleration, _LEVEL)


def _deviation(material: Material, q: PrintedQuantity) -> float:
    draws = _draws(material, q)
    return float(np.std(draws, ddof=1)) if len(draws) else math.nan


def _spread(material: Material, q: PrintedQuantity, *, of_quantile: bool) -> float:
    """Return how far 99 % of all seeds move a limit: the error of a quantile of the draws, or of their standard
    deviation.
    """
    tail = (1 - _LEVEL) / 2
    z = quantile(_LEVEL)
    density = math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    one = math.sqrt(tail * (1 - tail)) / density if of_quantile else (z if q.is_limit else 1.0) / math.sqrt(2)
    return _FAR * one * math.sqrt(1 / _RESAMPLES + 1 / _OTHERS) * _deviation(material, q)


def _of_limit(q: PrintedQuantity) -> bool:
    return q.is_limit


def _of_error(q: PrintedQuantity) -> bool:
    return q.is_error


_SEED = "Every seed draws other resamples."
_WHY = f"Bootstrap intervals of the same resamples differ by what is made of them. {_SEED}"


def _side(name: str, act: Formula, words: str, plausible: float, source: str, *, of: Applies = _of_limit) -> Convention:
    spread = partial(_spread, of_quantile=name not in ("bootstrap_normal", "bootstrap_error"))
    return Convention(
        name,
        "formula",
        Stage.FORMULA,
        words,
        _WHY if of is _of_limit else _SEED,
        act,
        of,
        plausible,
        source,
        spread=spread,
    )


SIDES = (
    _side("bootstrap_percentile", _limit(_percentile), "by the percentiles of the bootstrap", 0.5,
          "scipy.stats.bootstrap, method='percentile'"),
    _side("bootstrap_stratified", _limit(_percentile, stratified=True),
          "by the percentiles of a bootstrap that draws each class by itself", 0.4, "pROC::ci.auc, method='bootstrap'"),
    _side("bootstrap_bca", _limit(_bca), "by the BCa bootstrap", 0.4, "scipy.stats.bootstrap, method='BCa'"),
    _side("bootstrap_basic", _limit(_basic), "by the basic bootstrap (percentiles reflected at the value)", 0.25,
          "scipy.stats.bootstrap, method='basic'; R's boot.ci, type='basic'"),
    _side("bootstrap_normal", _limit(_normal), "by the standard deviation of the bootstrap times 1.96", 0.35,
          "R's boot.ci, type='norm'"),
    _side("bootstrap_error", _deviation, "as the standard deviation of the bootstrap", 0.4,
          "scipy.stats.bootstrap, standard_error", of=_of_error),
)  # fmt: skip
