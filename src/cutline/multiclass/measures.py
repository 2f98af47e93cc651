"""Measures of all classes together: of pairs of classes, of the confusion matrix, of the probabilities.

`resolve_statistic` finds a statistic by its name and the kind of mean.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.errors import ParameterError, UnknownNameError, hint_similar, shorten_repr
from cutline.core.validation import check_choice
from cutline.inference.single import proportions
from cutline.inference.single.smooth import normal_limits_on_scale
from cutline.inputs.multiclass import ClassCases
from cutline.measures import MEASURES, Measure, Needs
from cutline.measures.probabilities import check_prior, compute_class_entropy, compute_information
from cutline.multiclass import decisions, influence
from cutline.multiclass.class_means import MeanOverClasses
from cutline.multiclass.influence import InfluenceTerm
from cutline.multiclass.statistic import (
    MACRO,
    MEANS,
    MICRO,
    WEIGHTED,
    Statistic,
    ValueWithLimits,
    make_ranking_function,
    make_share_function,
)
from cutline.results.estimate import Limits

# ---------------------------------------------------------------------- pairs of classes


@dataclass(frozen=True)
class HandTill:
    """Hand and Till's M: the mean over pairs of classes of how well the scores of each tell it from the other."""

    mean: str = MACRO
    name: ClassVar[str] = "hand_till_m"
    title: ClassVar[str] = "Hand and Till's M"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    better: ClassVar[str] = "higher"

    @property
    def of(self) -> str:
        """All pairs of classes, or all by their shares."""
        return "all pairs" if self.mean == MACRO else "all pairs, weighted"

    def _list_pairs(self, cases: ClassCases) -> list[tuple[int, int]]:
        own = list(range(len(cases.classes))) if self.mean == MACRO else np.flatnonzero(cases.sizes).tolist()
        return [(a, b) for a in own for b in own if a != b]

    def _weigh_pairs(self, shares: Array, pairs: list[tuple[int, int]]) -> Array:
        """Return the factor of each ordered pair, over leading axes of the shares."""
        if self.mean == MACRO:
            return np.full(len(pairs), 1 / len(pairs))
        both = np.stack([shares[..., a] + shares[..., b] for a, b in pairs], axis=-1)
        return np.asarray(both / both.sum(-1, keepdims=True))

    def make_function(self, cases: ClassCases) -> Callable[[Array], Array]:
        """Return the value as a function of the weights."""
        pairs, shares, auc = self._list_pairs(cases), make_share_function(cases), MEASURES["auc"]
        ranked = []
        for a, b in pairs:
            members = np.flatnonzero((cases.truth == a) | (cases.truth == b))
            ranked.append(make_ranking_function(cases.scores[members, a], cases.truth[members] == a, members))

        def compute_mean(weights: Array) -> Array:
            areas = np.stack([np.asarray(auc.compute(stack(weights))) for stack in ranked], axis=-1)
            return np.asarray((self._weigh_pairs(shares(weights), pairs) * areas).sum(-1))

        return compute_mean

    def explain_undefined(self, cases: ClassCases) -> str:
        """Name the classes without cases, which have no pairs."""
        if self.mean == WEIGHTED:
            return ""
        return "; ".join(f"class {cases.classes[c]!r} has no case" for c in np.flatnonzero(cases.sizes == 0))

    def compute_baseline(self, cases: ClassCases) -> float:  # noqa: ARG002
        """Return 0.5, as scores without information order half of the pairs rightly."""
        return 0.5

    def estimate(self, cases: ClassCases, level: float) -> ValueWithLimits:
        """Estimate the mean with its limits."""
        sum_ = influence.add_up(self._estimate_parts(cases, level), cases.squares)
        return ValueWithLimits(sum_.value, sum_.influences, sum_.limits, "class_mover")

    def _estimate_parts(self, cases: ClassCases, level: float) -> Iterator[InfluenceTerm]:
        pairs = self._list_pairs(cases)
        factors, values = self._weigh_pairs(cases.shares, pairs), np.zeros(len(cases.classes))
        for (a, b), factor in zip(pairs, factors.tolist(), strict=True):
            part, members = cases.cached(("area of a pair", a, b, level), partial(_estimate_pair, cases, a, b, level))
            influences = np.zeros(len(cases))
            influences[members] = part.influences
            values[[a, b]] += part.value
            yield part._replace(factor=factor, influences=influences)
        if self.mean == WEIGHTED:
            yield influence.estimate_share_term(values / (2 * (len(np.flatnonzero(cases.sizes)) - 1)), cases, level)


def _estimate_pair(cases: ClassCases, a: int, b: int, level: float) -> tuple[InfluenceTerm, Array]:
    """Estimate the AUC of one class against another; also return the rows of the cases of both classes."""
    r, members = cases.pair_ranking(a, b)
    return influence.estimate_area(r, cases.scores[members, a], cases.truth[members] == a, level), members


# ---------------------------------------------------------------------- the whole table


@dataclass(frozen=True)
class ConfusionMatrixStatistic:
    """A measure of the confusion matrix, with its derivatives by the cells."""

    name: str
    title: str
    range: tuple[float, float]
    function: Callable[[Array], Any]
    slopes: Callable[[Array], Array]
    undefined: str = ""
    better: str | None = "higher"
    of: str = "all classes"

    def make_function(self, cases: ClassCases) -> Callable[[Array], Array]:
        """Return the value as a function of the weights."""
        chosen = decisions.share_decisions(cases)
        return lambda weights: np.asarray(self.function(decisions.tabulate(cases.truth, chosen, weights)))

    def explain_undefined(self, cases: ClassCases) -> str:
        """Explain why the measure is undefined; empty if it is defined."""
        return self.undefined if math.isnan(float(self.make_function(cases)(cases.weights))) else ""

    def compute_baseline(self, cases: ClassCases) -> float:
        """Return the value of decisions that are independent of the classes, with the same shares."""
        table = decisions.count_decisions(cases)
        value = float(self.function(np.outer(table.sum(1), table.sum(0)) / table.sum()))
        return 0.0 if abs(value) < influence.NOTHING else value

    def estimate(self, cases: ClassCases, level: float) -> ValueWithLimits:
        """Estimate the measure: Wilson's limits for the accuracy, limits on the logit scale for the others."""
        chosen = decisions.share_decisions(cases)
        table = decisions.count_decisions(cases)
        slopes = self.slopes(table)
        influences = np.einsum("ic,ic->i", slopes[cases.truth], chosen)
        value, n = float(self.function(table)), float(cases.effective_sizes.sum())
        if self.range[0] == 0:
            return ValueWithLimits(
                value, influences, Limits(*map(float, proportions.wilson(value * n, n, level))), "wilson"
            )
        spread = math.sqrt(influence.compute_variance(influences, cases.squares))
        if spread > influence.NOTHING and abs(value) < 1:
            return ValueWithLimits(
                value, influences, normal_limits_on_scale(value, spread, self.range, level), "influence_logit"
            )
        limit = float(self.function(_add_errors(table, cases.effective_sizes, level)))
        return ValueWithLimits(value, influences, Limits(min(value, limit), max(value, limit)), "wilson", (SEPARATED,))


SEPARATED = (
    "No case is predicted wrong: the limit is what the measure would be if each class had as many errors as Wilson's "
    "interval allows."
)


def _add_errors(table: Array, sizes: Array, level: float) -> Array:
    """Return the table in which each class has as many errors as Wilson's interval allows, spread evenly."""
    right = np.array([float(proportions.wilson(n, n, level).low) if n else 0.0 for n in sizes])
    real, count = table.sum(1), len(table)
    losses = np.repeat((real * (1 - right) / (count - 1))[:, None], count, axis=1)
    np.fill_diagonal(losses, real * right)
    return losses


# ---------------------------------------------------------------------- means over the cases


@dataclass(frozen=True)
class MeanLoss:
    """The mean loss of the probabilities of the cases."""

    name: str
    title: str
    range: tuple[float, float]
    loss: Callable[[Array, Array], Array]  # from the scores and the class of each case
    baseline_of_shares: Callable[[Array], float]  # the loss of the shares of the classes as probabilities
    better: str | None = "lower"
    of: str = "all classes"
    parameters: tuple[str, ...] = ()
    needs_order: bool = False

    def with_parameters(self, **parameters: Any) -> MeanLoss:
        """Return the same statistic with the logarithm to another base."""
        log_base = math.log(check_base(parameters["base"]))
        return replace(
            self,
            loss=lambda scores, truth: self.loss(scores, truth) / log_base,
            baseline_of_shares=lambda shares: self.baseline_of_shares(shares) / log_base,
        )

    def make_function(self, cases: ClassCases) -> Callable[[Array], Array]:
        """Return the value as a function of the weights."""
        losses = self.loss(cases.scores, cases.truth)
        return lambda weights: np.asarray(np.matmul(weights.astype(float), losses) / weights.sum(-1))

    def explain_undefined(self, cases: ClassCases) -> str:
        """Explain why the scores are not probabilities, or that the classes have no order."""
        return NO_ORDER if self.needs_order and not cases.ordered else cases.not_probabilities

    def compute_baseline(self, cases: ClassCases) -> float:
        """Return the loss of a model that always predicts the shares of the classes."""
        return float(self.baseline_of_shares(cases.shares))

    def estimate(self, cases: ClassCases, level: float) -> ValueWithLimits:
        """Estimate the mean with normal limits."""
        losses, total = self.loss(cases.scores, cases.truth), float(cases.sizes.sum())
        value, n = float(cases.weights @ losses) / total, float(cases.effective_sizes.sum())
        influences = (losses - value) / total * math.sqrt(n / (n - 1))
        spread = math.sqrt(influence.compute_variance(influences, cases.squares))
        return ValueWithLimits(
            value, influences, influence.compute_normal_limits(value, spread, self.range, level), "influence"
        )


NO_ORDER = "the classes have no order (ordered=True says that they have)"


def _compute_log_losses(scores: Array, truth: Array) -> Array:
    own = scores[np.arange(len(truth)), truth]
    return np.asarray(-np.log(np.maximum(own, np.finfo(float).eps)))


def _compute_squared_losses(scores: Array, truth: Array) -> Array:
    return np.asarray(((scores - (truth[:, None] == np.arange(scores.shape[1]))) ** 2).sum(1))


def _compute_entropy(shares: Array) -> float:
    return float(compute_class_entropy(shares, math.e))


def _compute_ranked_losses(scores: Array, truth: Array) -> Array:
    """Return the ranked probability score of each case: squared distances of cumulated probabilities, for ordered
    classes.
    """
    steps = scores.shape[1] - 1
    happened = truth[:, None] <= np.arange(steps)
    return np.asarray(((np.cumsum(scores, axis=1)[:, :-1] - happened) ** 2).sum(1) / steps)


def _compute_ranked_baseline(shares: Array) -> float:
    up_to = np.cumsum(shares)[:-1]
    return float((up_to * (1 - up_to)).mean())


def check_base(base: Any) -> float:
    """Return the base of a logarithm, checked as the measures of the registry check it."""
    parameter = MEASURES["log_loss"].parameters["base"]
    parameter.check("base", base, math.e)
    return float(base)


# ---------------------------------------------------------------------- information beyond the prior


@dataclass(frozen=True)
class InformationScore:
    """The mean information that the probability of the true class gives beyond its prior (Berrar, eq. 24 and 25).

    The prior is the shares of the classes in the data unless it is given; relative, the mean is divided by the entropy
    of the prior over all K classes.
    """

    relative: bool = False
    base: float = math.e
    prior: tuple[float, ...] | Mapping[Any, float] | None = None
    of: ClassVar[str] = "all classes"
    better: ClassVar[str] = "higher"
    range: ClassVar[tuple[float, float]] = (-math.inf, math.inf)

    @property
    def name(self) -> str:
        """Name in the registry."""
        return "relative_information_score" if self.relative else "information_score"

    @property
    def title(self) -> str:
        """Title of the measure."""
        return MEASURES[self.name].title

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of the parameters; the relative score has no unit and so no base."""
        return ("prior",) if self.relative else ("base", "prior")

    def with_parameters(self, **parameters: Any) -> InformationScore:
        """Return the same score with another base or prior."""
        if "base" in parameters:
            check_base(parameters["base"])
        return replace(self, **parameters)

    def explain_undefined(self, cases: ClassCases) -> str:
        """Explain why the scores are not probabilities, or which class has cases but the prior 0."""
        if cases.not_probabilities:
            return cases.not_probabilities
        absent = (
            [] if self.prior is None else np.flatnonzero((self._read_prior(cases) == 0) & (cases.sizes > 0)).tolist()
        )
        return f"class {cases.classes[absent[0]]!r} occurs and has the prior 0" if len(absent) else ""

    def compute_baseline(self, cases: ClassCases) -> float:  # noqa: ARG002
        """Return 0, as the prior itself gives no information."""
        return 0.0

    def _read_prior(self, cases: ClassCases) -> Array:
        return cases.shares if self.prior is None else check_prior(self.prior, cases.classes)

    def make_function(self, cases: ClassCases) -> Callable[[Array], Array]:
        """Return the value as a function of the weights, from which the prior is estimated unless it is given."""
        own, shares = _select_own(cases.scores, cases.truth), make_share_function(cases)
        fixed = None if self.prior is None else self._read_prior(cases)

        def compute_mean(weights: Array) -> Array:
            prior = shares(weights) if fixed is None else fixed
            gained = compute_information(own, prior[..., cases.truth], self.base)
            total = (np.where(weights > 0, weights * gained, 0.0)).sum(-1) / weights.sum(-1)
            return np.asarray(total / compute_class_entropy(prior, self.base) if self.relative else total)

        return compute_mean

    def estimate(self, cases: ClassCases, level: float) -> ValueWithLimits:
        """Estimate the mean with normal limits, with the influence of each case on the prior."""
        prior, total, own = (
            self._read_prior(cases),
            float(cases.sizes.sum()),
            _select_own(cases.scores, cases.truth),
        )
        gained = compute_information(own, prior[cases.truth], self.base)
        mean, entropy = float(cases.weights @ gained) / total, float(compute_class_entropy(prior, self.base))
        influences, value = gained - mean, mean / entropy if self.relative else mean
        if self.prior is None:
            slopes = _compute_prior_slopes(own, cases, prior) / math.log(self.base)
            influences = influences + slopes[cases.truth] - float(prior @ slopes)
        if self.relative:
            influences = influences / entropy
            if self.prior is None:
                influences = influences - value / entropy * (
                    -np.log(prior[cases.truth]) / math.log(self.base) - entropy
                )
        n = float(cases.effective_sizes.sum())
        influences = influences / total * math.sqrt(n / (n - 1))
        spread = math.sqrt(influence.compute_variance(influences, cases.squares))
        return ValueWithLimits(
            value, influences, influence.compute_normal_limits(value, spread, self.range, level), "influence"
        )


def _select_own(scores: Array, truth: Array) -> Array:
    """Return the probability of the true class of each case."""
    return np.asarray(scores[np.arange(len(truth)), truth])


def _compute_prior_slopes(own: Array, cases: ClassCases, prior: Array) -> Array:
    """Return the derivative of the mean information by the prior of each class, in nats."""
    mine = prior[cases.truth]
    slope = np.where(own >= mine, -1 / mine, -1 / (1 - mine))
    sums = np.bincount(cases.truth, weights=cases.weights * slope, minlength=len(prior))
    return np.asarray(sums / float(cases.sizes.sum()))


_CONFUSION_MATRIX_STATISTICS = (
    ConfusionMatrixStatistic(
        "accuracy", "Accuracy", (0.0, 1.0), decisions.compute_accuracy, decisions.compute_accuracy_slopes
    ),
    ConfusionMatrixStatistic(
        "mcc",
        "Matthews correlation (Gorodkin)",
        (-1.0, 1.0),
        decisions.compute_mcc,
        decisions.compute_mcc_slopes,
        "all cases are predicted to be of one class",
    ),
    ConfusionMatrixStatistic(
        "kappa", "Cohen's kappa", (-1.0, 1.0), decisions.compute_kappa, decisions.compute_kappa_slopes
    ),
)
_PROBABILITY_STATISTICS = (
    MeanLoss("log_loss", "Log loss", (0.0, math.inf), _compute_log_losses, _compute_entropy, parameters=("base",)),
    MeanLoss("brier", "Brier score", (0.0, 2.0), _compute_squared_losses, lambda shares: 1 - float((shares**2).sum())),
    MeanLoss(
        "ranked_probability_score",
        "Ranked probability score",
        (0.0, 1.0),
        _compute_ranked_losses,
        _compute_ranked_baseline,
        needs_order=True,
    ),
    InformationScore(),
    InformationScore(relative=True),
)
WHOLE: tuple[Statistic, ...] = (
    HandTill(MACRO),
    HandTill(WEIGHTED),
    *_CONFUSION_MATRIX_STATISTICS,
    *_PROBABILITY_STATISTICS,
)


def list_whole_measures(cases: ClassCases) -> list[Statistic]:
    """Return the measures of all classes of a summary; those for ordered classes only if the classes are ordered."""
    return [whole for whole in WHOLE if cases.ordered or not (isinstance(whole, MeanLoss) and whole.needs_order)]


PAIRS = "hand_till_m"
# The mean average precision is a mean over the classes by its definition (Berrar, section 4).
# ---------------------------------------------------------------------- by name

_MAP = "mean_average_precision"
_ALIASES = {"hand_till": PAIRS, "m": PAIRS, "auc_ovo": PAIRS, "rps": "ranked_probability_score"}
_ALONE = tuple(dict.fromkeys(whole.name for whole in WHOLE))
CUTS = ("threshold", "quota", "share")
CLASS_MEASURES = ("auc", "average_precision", "precision", "recall", "f1")  # which a summary shows of each class


def resolve_measure(measure: str | Measure, parameters: dict[str, Any] | None = None) -> Measure:
    """Return the measure of one class against the rest with this name.

    Args:
        measure: The measure, or its name.
        parameters: Its own parameters.
    """
    if not isinstance(measure, str | Measure):
        raise UnknownNameError(f"There is no measure {shorten_repr(measure)}", "pass its name, such as 'auc'")
    if not isinstance(measure, Measure) and measure not in MEASURES:
        hint = hint_similar(measure, [*MEASURES.names, *_ALONE]) or " cutline.MEASURES lists them all."
        raise UnknownNameError(f"There is no measure {measure!r}", hint=hint)
    chosen = MEASURES[measure]
    chosen = MEASURES["average_precision"] if chosen.name == _MAP else chosen
    return chosen.with_(**(parameters or {}))


def resolve_statistic(measure: str | Measure, mean: str | None = None, **parameters: Any) -> Statistic:
    """Return the statistic of a measure: its definition for several classes, or else its mean over the classes.

    Args:
        measure: The measure, or its name; "hand_till_m" for Hand and Till's M.
        mean: "macro", "weighted" or "micro"; without, the measure of all classes, or the macro mean.
        parameters: Those of the measure.
    """
    if mean is not None:
        check_choice(mean, "mean", MEANS)
    name = _ALIASES.get(measure, measure) if isinstance(measure, str) else resolve_measure(measure).name
    if name == PAIRS:
        if mean == MICRO:
            raise ParameterError(
                "Hand and Till's M is a mean over pairs of classes", "pass mean='macro' or mean='weighted'"
            )
        return WHOLE[1] if mean == WEIGHTED else WHOLE[0]
    named = MEASURES[name].name if name in MEASURES else name
    whole = next((candidate for candidate in WHOLE if candidate.name == named), None)
    if whole is not None and mean is None and not parameters:
        return whole
    if isinstance(whole, MeanLoss | InformationScore) and mean is None and parameters.keys() <= set(whole.parameters):
        return whole.with_parameters(**parameters)
    if whole is not None and named not in MEASURES:
        raise ParameterError(f"{named} is a measure of all classes", "leave out the mean and the parameters")
    chosen = resolve_measure(measure, _check_parameters(measure, parameters))
    if named == _MAP and mean not in (None, MACRO):
        raise ParameterError(
            "The mean average precision is the plain mean over the classes", "use average_precision with this mean"
        )
    if chosen.required:
        chosen.check({})
    return MeanOverClasses(chosen, mean or MACRO)


def _check_parameters(measure: str | Measure, parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters, and refuse a cut: each case goes to the class of its highest score."""
    chosen = MEASURES[measure] if isinstance(measure, Measure) or measure in MEASURES else None
    cuts = [name for name in parameters if name in CUTS and (chosen is None or name not in chosen.parameters)]
    if cuts and chosen is not None and chosen.needs is Needs.COUNTS:
        raise ParameterError(
            f"{chosen.name} is computed with each case assigned to the class of its highest score, not at a {cuts[0]}",
            f"ask one class for it, such as found['a'].estimate({chosen.name!r}, {cuts[0]}=...)",
        )
    return parameters
