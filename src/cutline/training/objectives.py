"""Training objectives: a measure with its oracle, its smooth risk, its value and its cut."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import expit

from cutline import MEASURES, Measure, ParameterError, Ranking
from cutline.core.array_ops import Array
from cutline.core.counts import TrustedCounts
from cutline.core.errors import hint_similar
from cutline.core.logistic import focal_terms
from cutline.measures import Context, Needs
from cutline.measures.forms import ConstraintSearch
from cutline.training.class_order import Oracle, Psi, Risk, Split
from cutline.training.loss_oracles import (
    AtMostOracle,
    AucOracle,
    AveragePrecisionOracle,
    AverageQrecallOracle,
    BoxesOracle,
    DiagonalsOracle,
    LinearOracle,
    PartialAucOracle,
    QuotaOracle,
    RowsOracle,
    TableLoss,
    as_ratio,
)

LOSSES = ("log_loss", "brier", "balanced_cross_entropy", "focal_loss")


@dataclass(frozen=True, eq=False)
class CaseLoss:
    """The mean over the cases of a loss of probabilities, in nats.

    Attributes:
        split: The classes of the cases, and their weights.
        name: One of `LOSSES`.
        alpha: The weight of the positives, the negatives having 1 - alpha; both have 1 when None.
        gamma: The exponent of the focal loss; 0 is the log loss.
    """

    split: Split
    name: str
    alpha: float | None = None
    gamma: float = 0.0

    def __call__(self, scores: Array) -> Risk:
        """Return the risk at these scores."""
        split = self.split
        sign = np.where(split.is_positive, 1.0, -1.0)
        z = sign * scores
        if self.name == "brier":
            wrong = expit(-z)
            value, slope = wrong**2, -2 * wrong**2 * expit(z)
        else:
            value, slope, _ = focal_terms(z, self.gamma)
        weight = split.weights / (split.P + split.N)
        if self.alpha is not None:
            weight = weight * np.where(split.is_positive, self.alpha, 1 - self.alpha)
        return Risk(float(weight @ value), weight * sign * slope)


# What can be trained for instead of a measure of which the definition says that it follows from one of these.
SAME_MAXIMISER = ("auc", "average_precision")
# Measures that opposite predictions share: they are trained for where TPR >= FPR, and count against it elsewhere.
SYMMETRIC = ("mutual_information",)

# The searches that are faster than boxes, for measures whose definition says that they may be used.
SEARCHES: dict[str | None, type[RowsOracle | DiagonalsOracle]] = {"rows": RowsOracle, "diagonals": DiagonalsOracle}

_SAMPLE = 33  # how many values of tp and of fp a loss is tried on, before it is believed to be monotone
_EXACT = 1e-12
_NEARLY_NONE = 1e-9  # a share of flagged cases, for the limit of what is undefined without any


@dataclass(frozen=True)
class Objective:
    """A measure to train for: one of the registry with its parameters, or a callable of (tp, fp, P, N)."""

    measure: Measure | Callable[..., Any]
    parameters: Mapping[str, Any]

    @cached_property
    def trained_measure(self) -> Measure | None:
        """Measure that is trained for: itself, or one with the same maximiser; None for a callable."""
        if not isinstance(self.measure, Measure):
            return None
        same = self.measure.equivalent
        is_another = same is not None and same.to in SAME_MAXIMISER and self.measure.trained_by is None
        return MEASURES[same.to] if same is not None and is_another else self.measure

    @property
    def key(self) -> str:
        """Registered name of the measure that is trained for; empty for a callable, whatever its name."""
        return self.trained_measure.name if self.trained_measure is not None else ""

    @property
    def how(self) -> ConstraintSearch | None:
        """Search by which the definition of the measure says to train for it; None if it names none."""
        return self.trained_measure.trained_by if self.trained_measure is not None else None

    @property
    def name(self) -> str:
        """Name for messages: the registry's, or the callable's."""
        own = self.measure.name if isinstance(self.measure, Measure) else getattr(self.measure, "__name__", "")
        return own if own.isidentifier() else "The callable"

    @property
    def is_loss(self) -> bool:
        """Whether it is a mean loss of probabilities, which the scores then are as log-odds."""
        return self.how == "cases"

    @property
    def has_cut(self) -> bool:
        """Whether a constant that is added to all scores means something."""
        return self.is_table or self.is_loss

    @property
    def counts_places(self) -> bool:
        """Whether it counts places of the list, which weights have not."""
        return self.is_quota or self.how == "later_places"

    @property
    def noun(self) -> str:
        """Name in the middle of a sentence."""
        return "the callable" if self.name == "The callable" else self.name

    @property
    def is_table(self) -> bool:
        """Whether it is the measure of one cut."""
        return not isinstance(self.measure, Measure) or self.measure.needs is Needs.COUNTS

    @property
    def is_quota(self) -> bool:
        """Whether it looks at a number of places that is known beforehand."""
        return self.how == "quota"

    @property
    def takes_weights(self) -> bool:
        """Whether its convex bound can weigh cases: others would have to solve a knapsack."""
        return self.how == "pairs" or self.is_linear

    @cached_property
    def is_linear(self) -> bool:
        """Whether every miss, and every false alarm, costs the same; tried on a table of two times three cases."""
        if not (self.key and self.is_table):
            return False
        value = self.gain(2.0, 3.0)(np.arange(3.0)[:, None], np.arange(4.0)[None, :])
        if not np.isfinite(value).all():
            return False
        bent = [np.diff(value, 2, axis=axis) for axis in (0, 1)] + [np.diff(np.diff(value, axis=0), axis=1)]
        return bool(max(np.abs(bend).max() for bend in bent) <= _EXACT * np.ptp(value))

    @cached_property
    def is_free_of_prevalence(self) -> bool:
        """Whether it is the same for any number of negatives, if the same share of them is flagged."""
        if not self.is_table:
            return False
        a, b = np.arange(3.0)[:, None], np.arange(4.0)[None, :]
        few, many = self.gain(2.0, 3.0)(a, b), self.gain(2.0, 30.0)(a, 10 * b)
        return bool(np.allclose(few, many, rtol=_EXACT, atol=_EXACT))

    def costs(self, split: Split, psi: Psi) -> tuple[float, float]:
        """Return what a unit of score is worth; "auto" balances the classes where the measure does."""
        if psi == "auto":
            psi = "balanced" if self.is_free_of_prevalence else "positive"
        return split.costs(psi)

    @property
    def uses_psi(self) -> bool:
        """Whether a unit of score has a price in its bound: those of orders compare pairs."""
        return self.is_table or self.is_quota

    # ------------------------------------------------------------------ the value of scores

    def value(self, ranking: Ranking) -> float:
        """Return the value of a ranking at the cut of the measure (for tables, the best); greater is better."""
        if self.is_table:
            return float(self.of_cuts(ranking).max())
        assert self.trained_measure is not None  # noqa: S101
        if self.is_loss:
            ranking = _as_probabilities(ranking)
        parameters = self.parameters if self.trained_measure is self.measure else {}
        return self._sign * float(self.trained_measure.compute(ranking, **parameters))

    def reported_value(self, ranking: Ranking, threshold: float) -> float:
        """Return the value of the measure itself, as it is reported, where scores from the threshold on are flagged."""
        if self.trained_measure is self.measure or not isinstance(self.measure, Measure):
            return self.at(ranking, threshold) * self._sign
        return float(self.measure.compute(ranking, **self.parameters))

    def at(self, ranking: Ranking, threshold: float) -> float:
        """Return the value where scores from the threshold on are flagged; greater is better."""
        return float(self.of_cuts(ranking)[ranking.cut(threshold)]) if self.is_table else self.value(ranking)

    def of_cuts(self, ranking: Ranking) -> Array:
        """Return the value of each cut of a ranking; greater is better."""
        return self.gain(float(ranking.positives), float(ranking.negatives))(
            ranking.tp.astype(float), ranking.fp.astype(float)
        )

    def best_cut(self, ranking: Ranking) -> int:
        """Return the cut where a prediction turns positive.

        For a measure of one cut it is the cut of the best value, for one of a quota the quota's. A measure of the whole
        order has no cut of its own: it gets the cut that flags as many cases as are positive.
        """
        if self.is_table:
            return int(np.argmax(self.of_cuts(ranking)))
        places = self.parameters.get("quota", ranking.positives)
        return int(np.argmin(np.abs(ranking.ends - places)))

    @property
    def _sign(self) -> int:
        return -1 if isinstance(self.measure, Measure) and self.measure.better == "lower" else 1

    def gain(self, positives: float, negatives: float) -> TableLoss:
        """Return the value of tables; greater is better. Where it is undefined, the baseline."""
        if not isinstance(self.measure, Measure):
            return self._make_gain(self.measure, positives, negatives)
        measure, parameters, sign = self.measure, self.parameters, self._sign
        prevalence = positives / (positives + negatives)
        nobody, everybody = (
            measure.baseline.at(Context(prevalence, q, positives + negatives), **{**measure.defaults, **parameters})
            for q in (_NEARLY_NONE, 1 - _NEARLY_NONE)
        )

        def gain(a: Array, b: Array) -> Array:
            table = TrustedCounts(a, b, positives - a, negatives - b)
            value = np.asarray(measure.compute(table, **parameters), dtype=float)
            if value.shape != (shape := np.broadcast(a, b).shape):
                value = np.broadcast_to(value, shape)
            undefined = np.isnan(value)
            if undefined.any():
                value = np.where(undefined, np.where(a + b == 0, nobody, everybody), value)
            if measure.name in SYMMETRIC:
                value = np.where(a * negatives >= b * positives, value, -value)
            return sign * value

        return gain

    def _make_gain(self, function: Callable[..., Any], positives: float, negatives: float) -> TableLoss:
        def gain(a: Array, b: Array) -> Array:
            with np.errstate(all="ignore"):
                value = np.asarray(function(a, b, positives, negatives), dtype=float)
            return np.broadcast_to(value, np.broadcast_shapes(a.shape, b.shape))

        return gain

    def loss(self, positives: float, negatives: float) -> TableLoss:
        """Return how far tables are from the perfect one; the range of callables and of costs is brought to 1."""
        gain = self.gain(positives, negatives)
        best, worst = gain(np.array([positives, 0.0]), np.array([0.0, negatives]))
        bounded = (
            self.trained_measure is not None
            and np.isfinite(self.trained_measure.range).all()
            and self.key not in SYMMETRIC
        )
        scale = 1.0 if bounded else best - worst
        if not np.isfinite(scale) or scale <= 0:
            raise ParameterError(
                f"{self.name} is {best:g} for perfect predictions and {worst:g} for the worst",
                "pass a measure that is finite, and greater for perfect ones",
            )

        def loss(a: Array, b: Array) -> Array:
            return np.asarray((best - gain(a, b)) / scale)

        return as_ratio(loss, positives, negatives) if self.how == "rows" else loss

    # ------------------------------------------------------------------ training

    def oracle(self, split: Split, psi: Psi = "auto") -> Oracle:
        """Return the convex bound of its loss."""
        costs = self.costs(split, psi)
        if self.how == "pairs":
            return AucOracle(split)
        if self.how == "precisions":
            return AveragePrecisionOracle(split)
        if self.how == "later_places":
            return AverageQrecallOracle(split)
        if self.how == "first_negatives":
            return PartialAucOracle(split, self.false_positives(split))
        if self.is_quota:
            quota = self.quota(split)
            if self.key == "qrecall" and quota >= split.P:
                return AtMostOracle(split, quota, costs[0])
            per_hit = 1 / quota if self.key == "hit_rate" else 1 / split.P
            return QuotaOracle(split, quota, costs[0], per_hit)
        loss = self.loss(split.P, split.N)
        if self.is_linear:
            miss, alarm = loss(np.array([0.0, split.P]), np.array([0.0, split.N]))
            return LinearOracle(split, float(miss) / split.P, float(alarm) / split.N, costs)
        return SEARCHES.get(self.how, BoxesOracle)(split, loss, costs)

    def case_loss(self, split: Split) -> CaseLoss:
        """Return the mean loss of the cases, with alpha and gamma as the measure has them."""
        bound = {**MEASURES[self.key].defaults, **self.parameters}
        alpha = bound.get("alpha")
        if (self.key == "balanced_cross_entropy" and alpha is None) or alpha == "balanced":
            alpha = split.N / (split.P + split.N)
        return CaseLoss(split, self.key, None if alpha is None else float(alpha), float(bound.get("gamma", 0.0)))

    def baseline_risk(self, split: Split, oracle: Oracle, *, bias: bool = True) -> float:
        """Return the risk of the baseline: of equal scores; with a constant, of the best that it can flag."""
        equal = oracle(np.zeros(split.n)).value
        if not (bias and self.is_table):
            return equal
        if isinstance(oracle, LinearOracle):  # the risk of equal scores is a polygon with these corners
            corners = (-oracle.alarm / oracle.costs[1], oracle.miss / oracle.costs[0])
            return min(equal, *(oracle(np.full(split.n, corner)).value for corner in corners))
        return min(equal, float(self.loss(split.P, split.N)(np.zeros(1), np.zeros(1))[0]))

    def false_positives(self, split: Split) -> float:
        """Return the number of false positives up to which the part of the ROC curve goes."""
        if self.key == "roc_n":
            return float(self.parameters.get("n", MEASURES["roc_n"].defaults["n"]))
        return float(self.parameters.get("max_fpr", MEASURES["partial_auc"].defaults["max_fpr"])) * split.N

    def quota(self, split: Split) -> int:
        """Return how many places there are."""
        return int(self.parameters.get("quota", split.P))

    def scale_to_part(self, share: float, split: Split) -> Objective:
        """Return the same target for a part of the data: a quota, and a number of false positives, shrink with it."""
        parameters = dict(self.parameters)
        if "quota" in parameters:
            most = split.P if self.key == "hit_rate" else split.n
            parameters["quota"] = int(np.clip(round(parameters["quota"] * share), 1, most))
        if self.key == "roc_n":
            parameters["n"] = min(max(1.0, self.false_positives(split) * share), split.N)
        return replace(self, parameters=parameters)


# ---------------------------------------------------------------------- from the name of a measure to an objective


def resolve_target(
    measure: str | Measure | Callable[..., Any], parameters: Mapping[str, Any] | None = None
) -> Objective:
    """Return what to train for, or a sentence that says why it cannot be trained for."""
    if not isinstance(measure, str | Measure) and callable(measure):
        if parameters:
            raise ParameterError("A callable takes (tp, fp, P, N) and no parameters", "bind them in it")
        return Objective(measure, {})
    chosen, bound = find_measure(measure, parameters or {})
    bound = {**chosen.bound, **chosen.check(bound, complete=False)}
    objective = Objective(chosen, bound)
    if chosen.better is None or not (chosen.needs is Needs.COUNTS or objective.how):
        known = [m.name for m in MEASURES if m.needs is not Needs.COUNTS and Objective(m, {}).how]
        raise ParameterError(
            f"A linear classifier cannot be trained for {chosen.name}",
            f"pass a measure of one cut, {', '.join(known)} or a callable",
            hint=hint_similar(chosen.name, known),
        )
    if lacking := [name for name in chosen.required if name not in bound]:
        example = {name: chosen.parameters[name].example for name in lacking}
        raise ParameterError(f"{chosen.name} needs {' and '.join(lacking)}", f"pass, for example, parameters={example}")
    return objective


def _as_probabilities(ranking: Ranking) -> Ranking:
    """Return the ranking by the probabilities that its scores stand for, as log-odds."""
    return replace(ranking, score=expit(ranking.key))


def check_target(target: Objective, split: Split) -> None:
    """Refuse what these data cannot be trained for."""
    if target.is_quota:
        quota = target.parameters.get("quota", 1)
        if quota != int(quota) or quota > split.n:
            raise ParameterError(f"is {quota:g}", f"pass a whole number of cases, at most {split.n}", argument="quota")
        if target.key == "hit_rate" and quota > split.P:
            raise ParameterError(
                f"is {quota}, but there are {split.P:g} positives, so that no order fills the quota with positives",
                f"pass at most {split.P:g}, or train for recall_at_k",
                argument="quota",
            )
    if target.key == "roc_n" and target.false_positives(split) > split.N:
        raise ParameterError(
            f"is {target.false_positives(split):g}, but there are {split.N:g} negatives",
            "pass a smaller n",
            argument="n",
        )
    if target.is_table:
        _check_table(target, split)


def _list_lacking(target: Objective, value: Array) -> list[str]:
    """Return the parameters without a default that a measure which is nowhere defined lacks, such as the risk."""
    if not isinstance(target.measure, Measure) or not np.isnan(value).all():
        return []
    return [
        name for name, default in target.measure.defaults.items() if default is None and name not in target.parameters
    ]


def _check_table(target: Objective, split: Split) -> None:
    """Refuse a measure that is not finite, and, where a search relies on it, one that is not monotone, on a sample."""
    a, b = (np.unique(np.linspace(0, np.floor(size), _SAMPLE).astype(int)).astype(float) for size in (split.P, split.N))
    try:
        value = target.gain(split.P, split.N)(a[:, None], b[None, :])
    except (TypeError, ValueError, ArithmeticError) as error:
        raise ParameterError(
            f"{target.name} cannot be computed for arrays of tp and fp ({error})",
            "pass a vectorised callable of (tp, fp, P, N)",
        ) from None
    if lacking := _list_lacking(target, value):
        example = {name: target.measure.parameters[name].example for name in lacking}  # type: ignore[union-attr]
        raise ParameterError(f"{target.name} needs {' and '.join(lacking)}", f"pass, for example, parameters={example}")
    if not np.isfinite(value).all():
        i, j = np.argwhere(~np.isfinite(value))[0]
        raise ParameterError(
            f"{target.name} is {value[i, j]:g} at tp = {a[i]:g}, fp = {b[j]:g}", "pass a measure that is always finite"
        )
    if target.how in SEARCHES:  # which need less, and were proved right
        return
    slack = 1e-9 * max(np.ptp(value), 1e-300)
    for axis, name, way, steps in ((0, "tp", "falls", a), (1, "fp", "grows", b)):
        change = np.diff(value, axis=axis)
        wrong = change < -slack if axis == 0 else change > slack
        if wrong.any():
            at = int(np.argwhere(wrong)[0][axis])
            raise ParameterError(
                f"{target.name} {way} when {name} goes from {steps[at]:g} to {steps[at + 1]:g}",
                "pass a measure that never falls with tp and never grows with fp",
            )


# ---------------------------------------------------------------------- measures by their names in papers


_SHORT = {"k": "quota"}  # parameters that have a shorter name elsewhere


def find_measure(measure: str | Measure, parameters: Mapping[str, Any]) -> tuple[Measure, dict[str, Any]]:
    """Return the measure of the registry, and its parameters, those in the name included.

    >>> find_measure("precision@100", {})
    (<measure hit_rate: Hit rate>, {'quota': 100})
    >>> find_measure("G-mean", {})[0].name, find_measure("recall@k", {"k": 20})[1]
    ('g_mean', {'quota': 20})
    """
    chosen, inside = _look_up(measure)
    bound = {
        _SHORT[name] if name not in chosen.parameters and _SHORT.get(name) in chosen.parameters else name: value
        for name, value in parameters.items()
    }
    if twice := [name for name in inside if name in bound]:
        raise ParameterError(
            f"is {measure!r}, and {twice[0]} is given as a parameter too", "pass one of them", argument="measure"
        )
    return chosen, inside | bound


def _look_up(measure: str | Measure) -> tuple[Measure, dict[str, Any]]:
    if isinstance(measure, str) and measure not in MEASURES:
        plain = re.sub(r"\s*@\s*", "_at_", measure.strip().lower())
        plain = re.sub(r"[\s-]+", "_", plain)
        if plain in MEASURES:
            return MEASURES[plain], {}
        for chosen in MEASURES:
            for pattern, parameter in chosen.numbered.items():
                if match := re.fullmatch(pattern, plain):
                    number = float(match[1])
                    return chosen, {parameter: int(number) if number.is_integer() else number}
    return MEASURES[measure], {}
