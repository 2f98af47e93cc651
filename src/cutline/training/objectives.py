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
    rewrite_as_ratio,
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


# Measures that are trained for in place of those that are increasing functions of them.
SAME_MAXIMISER = ("auc", "average_precision")
# Measures with the same value for opposite predictions; their sign is reversed where TPR < FPR.
SYMMETRIC = ("mutual_information",)

# Searches that are faster than boxes, for measures whose definition allows them.
SEARCHES: dict[str | None, type[RowsOracle | DiagonalsOracle]] = {"rows": RowsOracle, "diagonals": DiagonalsOracle}

_SAMPLE = 33  # the numbers of values of tp and of fp for which a loss is checked to be monotone
_EXACT = 1e-12
_NEARLY_NONE = 1e-9  # a share of flagged cases, for the limit of measures that are undefined without any


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
        """Registered name of the measure that is trained for; empty for a callable."""
        return self.trained_measure.name if self.trained_measure is not None else ""

    @property
    def constraint_search(self) -> ConstraintSearch | None:
        """Search of the most violated constraint that the definition of the measure names, if any."""
        return self.trained_measure.trained_by if self.trained_measure is not None else None

    @property
    def name(self) -> str:
        """Name for messages: the registered name, or that of the callable."""
        own = self.measure.name if isinstance(self.measure, Measure) else getattr(self.measure, "__name__", "")
        return own if own.isidentifier() else "The callable"

    @property
    def is_loss(self) -> bool:
        """Whether it is a mean loss of probabilities, whose log-odds are then the scores."""
        return self.constraint_search == "cases"

    @property
    def has_cut(self) -> bool:
        """Whether a constant that is added to all scores matters."""
        return self.is_table or self.is_loss

    @property
    def counts_places(self) -> bool:
        """Whether it counts places of the list, so that cases cannot be weighted."""
        return self.is_quota or self.constraint_search == "later_places"

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
        """Whether it is a measure of a fixed quota."""
        return self.constraint_search == "quota"

    @property
    def takes_weights(self) -> bool:
        """Whether its convex bound can weight cases; other bounds would have to solve a knapsack problem."""
        return self.constraint_search == "pairs" or self.is_linear

    @cached_property
    def is_linear(self) -> bool:
        """Whether all misses cost the same, and all false alarms; tested with two positives and three negatives."""
        if not (self.key and self.is_table):
            return False
        value = self.make_gain(2.0, 3.0)(np.arange(3.0)[:, None], np.arange(4.0)[None, :])
        if not np.isfinite(value).all():
            return False
        bent = [np.diff(value, 2, axis=axis) for axis in (0, 1)] + [np.diff(np.diff(value, axis=0), axis=1)]
        return bool(max(np.abs(bend).max() for bend in bent) <= _EXACT * np.ptp(value))

    @cached_property
    def is_free_of_prevalence(self) -> bool:
        """Whether it depends on the two error rates only, and not on the prevalence."""
        if not self.is_table:
            return False
        a, b = np.arange(3.0)[:, None], np.arange(4.0)[None, :]
        few, many = self.make_gain(2.0, 3.0)(a, b), self.make_gain(2.0, 30.0)(a, 10 * b)
        return bool(np.allclose(few, many, rtol=_EXACT, atol=_EXACT))

    def compute_costs(self, split: Split, psi: Psi) -> tuple[float, float]:
        """Return the cost of a unit of score in each class; "auto" balances the classes if the measure does."""
        if psi == "auto":
            psi = "balanced" if self.is_free_of_prevalence else "positive"
        return split.compute_costs(psi)

    @property
    def uses_psi(self) -> bool:
        """Whether a unit of score has a cost in its bound; measures of the order compare pairs instead."""
        return self.is_table or self.is_quota

    # ------------------------------------------------------------------ the value of scores

    def compute_value(self, ranking: Ranking) -> float:
        """Return the value of a ranking, for a measure of one cut at the best cut; greater is better."""
        if self.is_table:
            return float(self.compute_cut_values(ranking).max())
        assert self.trained_measure is not None  # noqa: S101
        if self.is_loss:
            ranking = _as_probabilities(ranking)
        parameters = self.parameters if self.trained_measure is self.measure else {}
        return self._sign * float(self.trained_measure.compute(ranking, **parameters))

    def compute_reported_value(self, ranking: Ranking, threshold: float) -> float:
        """Return the value of the measure as it is reported, with scores from the threshold up flagged."""
        if self.trained_measure is self.measure or not isinstance(self.measure, Measure):
            return self.compute_value_at(ranking, threshold) * self._sign
        return float(self.measure.compute(ranking, **self.parameters))

    def compute_value_at(self, ranking: Ranking, threshold: float) -> float:
        """Return the value with scores from the threshold up flagged; greater is better."""
        return (
            float(self.compute_cut_values(ranking)[ranking.cut(threshold)])
            if self.is_table
            else self.compute_value(ranking)
        )

    def compute_cut_values(self, ranking: Ranking) -> Array:
        """Return the value of each cut of a ranking; greater is better."""
        return self.make_gain(float(ranking.positives), float(ranking.negatives))(
            ranking.tp.astype(float), ranking.fp.astype(float)
        )

    def find_best_cut(self, ranking: Ranking) -> int:
        """Return the cut above which predictions are positive.

        This is the best cut for a measure of one cut, and the quota for a measure of a quota. For a measure of the
        whole order it is the cut that flags as many cases as are positive.
        """
        if self.is_table:
            return int(np.argmax(self.compute_cut_values(ranking)))
        places = self.parameters.get("quota", ranking.positives)
        return int(np.argmin(np.abs(ranking.ends - places)))

    @property
    def _sign(self) -> int:
        return -1 if isinstance(self.measure, Measure) and self.measure.better == "lower" else 1

    def make_gain(self, positives: float, negatives: float) -> TableLoss:
        """Return the measure as a function of tables; greater is better, and the baseline where it is undefined."""
        if not isinstance(self.measure, Measure):
            return self._make_callable_gain(self.measure, positives, negatives)
        measure, parameters, sign = self.measure, self.parameters, self._sign
        prevalence = positives / (positives + negatives)
        nobody, everybody = (
            measure.baseline.at(Context(prevalence, q, positives + negatives), **{**measure.defaults, **parameters})
            for q in (_NEARLY_NONE, 1 - _NEARLY_NONE)
        )

        def compute_gain(a: Array, b: Array) -> Array:
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

        return compute_gain

    def _make_callable_gain(self, function: Callable[..., Any], positives: float, negatives: float) -> TableLoss:
        def compute_gain(a: Array, b: Array) -> Array:
            with np.errstate(all="ignore"):
                value = np.asarray(function(a, b, positives, negatives), dtype=float)
            return np.broadcast_to(value, np.broadcast_shapes(a.shape, b.shape))

        return compute_gain

    def make_loss(self, positives: float, negatives: float) -> TableLoss:
        """Return the loss as a function of tables, 0 for the perfect one; callables and costs are scaled to range 1."""
        gain = self.make_gain(positives, negatives)
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

        def compute_loss(a: Array, b: Array) -> Array:
            return np.asarray((best - gain(a, b)) / scale)

        return (
            rewrite_as_ratio(compute_loss, positives, negatives) if self.constraint_search == "rows" else compute_loss
        )

    # ------------------------------------------------------------------ training

    def make_oracle(self, split: Split, psi: Psi = "auto") -> Oracle:
        """Return the oracle of the convex bound of its loss."""
        costs = self.compute_costs(split, psi)
        if self.constraint_search == "pairs":
            return AucOracle(split)
        if self.constraint_search == "precisions":
            return AveragePrecisionOracle(split)
        if self.constraint_search == "later_places":
            return AverageQrecallOracle(split)
        if self.constraint_search == "first_negatives":
            return PartialAucOracle(split, self.count_false_positives(split))
        if self.is_quota:
            quota = self.get_quota(split)
            if self.key == "qrecall" and quota >= split.P:
                return AtMostOracle(split, quota, costs[0])
            per_hit = 1 / quota if self.key == "hit_rate" else 1 / split.P
            return QuotaOracle(split, quota, costs[0], per_hit)
        loss = self.make_loss(split.P, split.N)
        if self.is_linear:
            miss, alarm = loss(np.array([0.0, split.P]), np.array([0.0, split.N]))
            return LinearOracle(split, float(miss) / split.P, float(alarm) / split.N, costs)
        return SEARCHES.get(self.constraint_search, BoxesOracle)(split, loss, costs)

    def make_case_loss(self, split: Split) -> CaseLoss:
        """Return the mean loss of the cases, with the alpha and gamma of the measure."""
        bound = {**MEASURES[self.key].defaults, **self.parameters}
        alpha = bound.get("alpha")
        if (self.key == "balanced_cross_entropy" and alpha is None) or alpha == "balanced":
            alpha = split.N / (split.P + split.N)
        return CaseLoss(split, self.key, None if alpha is None else float(alpha), float(bound.get("gamma", 0.0)))

    def compute_baseline_risk(self, split: Split, oracle: Oracle, *, bias: bool = True) -> float:
        """Return the risk of equal scores; with an intercept, of the best constant."""
        equal = oracle(np.zeros(split.n)).value
        if not (bias and self.is_table):
            return equal
        if isinstance(oracle, LinearOracle):  # the risk of equal scores is a polygon with these corners
            corners = (-oracle.alarm / oracle.costs[1], oracle.miss / oracle.costs[0])
            return min(equal, *(oracle(np.full(split.n, corner)).value for corner in corners))
        return min(equal, float(self.make_loss(split.P, split.N)(np.zeros(1), np.zeros(1))[0]))

    def count_false_positives(self, split: Split) -> float:
        """Return the number of false positives at the end of the partial ROC curve."""
        if self.key == "roc_n":
            return float(self.parameters.get("n", MEASURES["roc_n"].defaults["n"]))
        return float(self.parameters.get("max_fpr", MEASURES["partial_auc"].defaults["max_fpr"])) * split.N

    def get_quota(self, split: Split) -> int:
        """Return the quota; by default the number of positives."""
        return int(self.parameters.get("quota", split.P))

    def scale_to_part(self, share: float, split: Split) -> Objective:
        """Scale a quota or a number of false positives to a part of the data."""
        parameters = dict(self.parameters)
        if "quota" in parameters:
            most = split.P if self.key == "hit_rate" else split.n
            parameters["quota"] = int(np.clip(round(parameters["quota"] * share), 1, most))
        if self.key == "roc_n":
            parameters["n"] = min(max(1.0, self.count_false_positives(split) * share), split.N)
        return replace(self, parameters=parameters)


# ---------------------------------------------------------------------- from the name of a measure to an objective


def resolve_target(
    measure: str | Measure | Callable[..., Any], parameters: Mapping[str, Any] | None = None
) -> Objective:
    """Return the objective of a measure or callable; raise if a linear model cannot be trained for it."""
    if not isinstance(measure, str | Measure) and callable(measure):
        if parameters:
            raise ParameterError("A callable takes (tp, fp, P, N) and no parameters", "bind them in it")
        return Objective(measure, {})
    chosen, bound = find_measure(measure, parameters or {})
    bound = {**chosen.bound, **chosen.check(bound, complete=False)}
    objective = Objective(chosen, bound)
    if chosen.better is None or not (chosen.needs is Needs.COUNTS or objective.constraint_search):
        known = [m.name for m in MEASURES if m.needs is not Needs.COUNTS and Objective(m, {}).constraint_search]
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
    """Convert the scores of a ranking from log-odds to probabilities."""
    return replace(ranking, score=expit(ranking.key))


def check_target(target: Objective, split: Split) -> None:
    """Raise if a classifier cannot be trained for the target on these data."""
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
    if target.key == "roc_n" and target.count_false_positives(split) > split.N:
        raise ParameterError(
            f"is {target.count_false_positives(split):g}, but there are {split.N:g} negatives",
            "pass a smaller n",
            argument="n",
        )
    if target.is_table:
        _check_table(target, split)


def _list_missing_parameters(target: Objective, value: Array) -> dict[str, Any]:
    """Return an example of each missing parameter of a measure that is undefined everywhere, such as the risk."""
    if not isinstance(target.measure, Measure) or not np.isnan(value).all():
        return {}
    return {
        name: target.measure.parameters[name].example
        for name, default in target.measure.defaults.items()
        if default is None and name not in target.parameters
    }


def _check_table(target: Objective, split: Split) -> None:
    """Raise if, on a sample of tables, a measure is not finite, or not monotone although its search needs that."""
    a, b = (np.unique(np.linspace(0, np.floor(size), _SAMPLE).astype(int)).astype(float) for size in (split.P, split.N))
    try:
        value = target.make_gain(split.P, split.N)(a[:, None], b[None, :])
    except (TypeError, ValueError, ArithmeticError) as error:
        raise ParameterError(
            f"{target.name} cannot be computed for arrays of tp and fp ({error})",
            "pass a vectorised callable of (tp, fp, P, N)",
        ) from None
    if example := _list_missing_parameters(target, value):
        raise ParameterError(f"{target.name} needs {' and '.join(example)}", f"pass, for example, parameters={example}")
    if not np.isfinite(value).all():
        i, j = np.argwhere(~np.isfinite(value))[0]
        raise ParameterError(
            f"{target.name} is {value[i, j]:g} at tp = {a[i]:g}, fp = {b[j]:g}", "pass a measure that is always finite"
        )
    if target.constraint_search in SEARCHES:  # these do not need a monotone measure
        return
    slack = 1e-9 * max(np.ptp(value), 1e-300)
    for axis, name, direction, steps in ((0, "tp", "falls", a), (1, "fp", "grows", b)):
        change = np.diff(value, axis=axis)
        wrong = change < -slack if axis == 0 else change > slack
        if wrong.any():
            at = int(np.argwhere(wrong)[0][axis])
            raise ParameterError(
                f"{target.name} {direction} when {name} goes from {steps[at]:g} to {steps[at + 1]:g}",
                "pass a measure that never falls with tp and never grows with fp",
            )


# ---------------------------------------------------------------------- measures by their names in papers


_ALIASES = {"k": "quota"}  # other names of parameters


def find_measure(measure: str | Measure, parameters: Mapping[str, Any]) -> tuple[Measure, dict[str, Any]]:
    """Return the measure of the registry, and its parameters, those in the name included.

    >>> find_measure("precision@100", {})
    (<measure hit_rate: Hit rate>, {'quota': 100})
    >>> find_measure("G-mean", {})[0].name, find_measure("recall@k", {"k": 20})[1]
    ('g_mean', {'quota': 20})
    """
    chosen, inside = _look_up(measure)
    bound = {
        _ALIASES[name] if name not in chosen.parameters and _ALIASES.get(name) in chosen.parameters else name: value
        for name, value in parameters.items()
    }
    if twice := [name for name in inside if name in bound]:
        raise ParameterError(
            f"is {measure!r}, and {twice[0]} is given as a parameter too", "pass one of them", argument="measure"
        )
    return chosen, inside | bound


def _look_up(measure: str | Measure) -> tuple[Measure, dict[str, Any]]:
    if isinstance(measure, str) and measure not in MEASURES:
        normalised = re.sub(r"\s*@\s*", "_at_", measure.strip().lower())
        normalised = re.sub(r"[\s-]+", "_", normalised)
        if normalised in MEASURES:
            return MEASURES[normalised], {}
        for chosen in MEASURES:
            for pattern, parameter in chosen.numbered.items():
                if match := re.fullmatch(pattern, normalised):
                    number = float(match[1])
                    return chosen, {parameter: int(number) if number.is_integer() else number}
    return MEASURES[measure], {}
