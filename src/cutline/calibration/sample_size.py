"""plan(): how many cases a validation study needs for given widths of intervals or a given power."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from cutline.core import validation
from cutline.core.array_ops import Array
from cutline.core.errors import Argument, ParameterError, Text, shorten_repr
from cutline.core.public import public
from cutline.core.table import ComparedByFields, Table
from cutline.core.validation import LEVEL, check_choice, check_level
from cutline.inference import delong
from cutline.results.estimate import quantile


def compute_hanley_mcneil_width(area: float, prevalence: float, z: float, n: int) -> float:
    """Return the width of the interval of the AUC by Hanley and McNeil's variance."""
    return 2 * z * math.sqrt(compute_hanley_mcneil_variance(area, n * prevalence, n * (1 - prevalence)))


def compute_newcombe_width(area: float, prevalence: float, level: float, n: int) -> float:
    """Return the width of Newcombe's interval of the AUC."""
    limits = delong.newcombe(area, n * prevalence, n * (1 - prevalence), level)
    return float(limits.high - limits.low)


def compute_power_of_difference(
    area: float, other: float, correlation: float, prevalence: float, z: float, n: int
) -> float:
    """Return the power of the test that two correlated AUCs differ."""
    sizes = n * prevalence, n * (1 - prevalence)
    error, other_error = (math.sqrt(compute_hanley_mcneil_variance(a, *sizes)) for a in (area, other))
    spread = math.sqrt(error**2 + other_error**2 - 2 * correlation * error * other_error)
    return _compute_normal_cdf(abs(area - other) / spread - z)


def compute_oe_width(prevalence: float, z: float, n: int) -> float:
    """Return the width of the interval of the O:E ratio."""
    return 2 * math.sinh(z * math.sqrt((1 - prevalence) / (n * prevalence)))


def compute_normal_width(variance: float, z: float, n: int) -> float:
    """Return the width of a normal interval of an estimate with this variance for one case."""
    return 2 * z * math.sqrt(variance / n)


def compute_rate_width(value: float, share: float, level: float, n: int) -> float:
    """Return the mean width of the exact interval of a rate among a share of the cases."""
    return compute_exact_width(value, math.floor(n * share), level)


def compute_mcnemar_power(both: float, difference: float, z: float, n: int) -> float:
    """Return the power of McNemar's test."""
    spread = math.sqrt(both - difference**2)
    return _compute_normal_cdf((difference * math.sqrt(n) - z * math.sqrt(both)) / spread) if spread else 1.0


def compute_hanley_mcneil_variance(area: float, positives: float, negatives: float) -> float:
    """Return Hanley and McNeil's (1982) variance of the AUC for given numbers of cases."""
    same_negative, same_positive = area / (2 - area) - area**2, 2 * area**2 / (1 + area) - area**2
    whole = area * (1 - area) + max(positives - 1, 0) * same_negative + max(negatives - 1, 0) * same_positive
    return whole / (positives * negatives)


def compute_exact_width(share: float, n: int, level: float) -> float:
    """Return the mean width of Clopper and Pearson's interval of a share of n cases."""
    from scipy.special import betaincinv
    from scipy.stats import binom

    if n < 1:
        return 1.0
    low, high = binom.ppf((1e-9, 1 - 1e-9), n, share).astype(int)
    k = np.arange(low, high + 1)
    tail = (1 - level) / 2
    least = np.where(k > 0, betaincinv(np.maximum(k, 1), n - k + 1, tail), 0.0)
    most = np.where(k < n, betaincinv(k + 1, np.maximum(n - k, 1), 1 - tail), 1.0)
    weight = binom.pmf(k, n, share)
    return float(weight @ (most - least) / weight.sum())


def _compute_normal_cdf(x: float) -> float:
    return 0.5 * math.erfc(-x / math.sqrt(2))


_GRID = np.linspace(-8, 8, 4001)  # in standard deviations
_DENSITY = np.exp(-(_GRID**2) / 2)
_DENSITY /= _DENSITY.sum()


class Risks:
    """Calibrated risks whose log odds are normal.

    Args:
        mean: The mean of the log odds.
        sd: Their standard deviation.
    """

    def __init__(self, mean: float, sd: float) -> None:
        self.mean, self.sd = float(mean), float(sd)
        self.log_odds, self.risk = _compute_risks(self.mean, self.sd)

    @classmethod
    def of(cls, prevalence: float, auc: float) -> Risks:
        """Return risks with a given mean and a given AUC.

        Args:
            prevalence: The mean risk.
            auc: The AUC, above 0.5.
        """
        from scipy.optimize import brentq

        def spread(sd: float) -> float:
            return _compute_auc(*_compute_risks(_centre(prevalence, sd), sd)) - auc

        if not 0.5 < auc < 1:
            raise ParameterError(f"is {auc:g}", "pass a number between 0.5 and 1", argument="auc")
        sd = float(brentq(spread, 1e-6, 50))
        return cls(_centre(prevalence, sd), sd)

    def compute_information(self) -> tuple[float, float, float]:
        """Return the information of one case on intercept, both, and slope of the calibration line."""
        curved = _DENSITY * self.risk * (1 - self.risk)
        x = self.log_odds
        return float(curved.sum()), float((curved * x).sum()), float((curved * x * x).sum())

    def compute_rates(self, threshold: float) -> tuple[float, float]:
        """Return sensitivity and specificity at a threshold of the risk."""
        above = self.risk >= threshold
        positive, negative = _DENSITY * self.risk, _DENSITY * (1 - self.risk)
        return float(positive[above].sum() / positive.sum()), float(negative[~above].sum() / negative.sum())

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """Draw labels and risks of `cases` cases."""
        risk = 1 / (1 + np.exp(-rng.normal(self.mean, self.sd, n)))
        return rng.random(n) < risk, risk


def _compute_risks(mean: float, sd: float) -> tuple[Array, Array]:
    x = mean + sd * _GRID
    return x, 1 / (1 + np.exp(-x))


def _centre(prevalence: float, sd: float) -> float:
    from scipy.optimize import brentq

    return float(brentq(lambda mean: float(_DENSITY @ _compute_risks(mean, sd)[1]) - prevalence, -200, 200))


def _compute_auc(_: Array, risk: Array) -> float:
    positive, negative = _DENSITY * risk, _DENSITY * (1 - risk)
    below = np.cumsum(negative) - negative / 2
    return float(positive @ below / positive.sum() / negative.sum())


MOST = 10**9
_EXPECTED = {"auc": "the AUC", "threshold": "the threshold"}
AUC_METHODS = ("hanley_mcneil", "newcombe")


class SizeCriterion(NamedTuple):
    """One aim of the study: its name, the target, and the value that a number of cases gives.

    `rises` says that more cases raise it (power) instead of lowering it (the width of an interval).
    """

    name: str
    target: float
    reached_with: Callable[[int], float]
    rises: bool = False

    def holds(self, n: int) -> bool:
        """Whether a number of cases is enough."""
        reached = self.reached_with(n)
        return reached >= self.target if self.rises else reached <= self.target


class Need(NamedTuple):
    """The number of cases that a criterion needs, and its value with that number."""

    criterion: str
    target: float
    cases: int
    positives: int
    reached: float


_MOST_LOG_ODDS = 100  # beyond which every risk is 0 or 1 to the last bit


@public
@dataclass(frozen=True, eq=False)
class Plan(ComparedByFields):
    """The size of a validation study: what each criterion needs, and the one that binds."""

    needs: tuple[Need, ...]
    prevalence: float
    level: float
    criteria: tuple[SizeCriterion, ...] = field(default=(), compare=False)  # functions; `needs` is their result

    @property
    def binding(self) -> Need:
        """Return the criterion that needs the most cases."""
        return max(self.needs, key=lambda need: need.cases)

    @property
    def cases(self) -> int:
        """Number of cases that the study needs."""
        return self.binding.cases

    @property
    def positives(self) -> int:
        """Expected number of positives among them."""
        return self.binding.positives

    @property
    def statement(self) -> str:
        """Return the plan in a sentence."""
        return (
            f"The study needs {self.cases:,} cases, about {self.positives:,} of them positive at a prevalence of "
            f"{100 * self.prevalence:.3g} %: the {self.binding.criterion} is the binding criterion."
        )

    def widths(self, sizes: Any) -> dict[str, list[float]]:
        """Return what each criterion has at some sizes of the study.

        Args:
            sizes: Numbers of cases.
        """
        counts = validation.as_numbers(sizes, "sizes").astype(float)
        if not ((counts >= 1) & (counts <= MOST)).all():
            raise ParameterError(f"is {shorten_repr(sizes)}", "pass numbers of cases of at least 1", argument="sizes")
        return {criterion.name: [float(criterion.reached_with(int(n))) for n in counts] for criterion in self.criteria}

    def chart(self, *, theme: str = "light") -> Any:
        """Return the width of each interval, and each power, over the number of cases.

        Args:
            theme: "light", "dark" or "print".
        """
        from cutline.charts.calibration import draw_plan

        sizes = np.unique(np.geomspace(max(20, self.cases / 20), self.cases * 3, 60).astype(int))
        targets = {need.criterion: need.target for need in self.needs}
        return draw_plan(sizes.tolist(), self.widths(sizes), targets, self.cases, self.statement, theme)

    def to_dict(self) -> dict[str, Any]:
        """Return the plan, ready for JSON."""
        return {
            "schema": "cutline/plan/1",
            "cases": self.cases,
            "positives": self.positives,
            "prevalence": self.prevalence,
            "level": self.level,
            "binding": self.binding.criterion,
            "statement": self.statement,
            "needs": self._make_table().to_dict(),
        }

    def to_frame(self, backend: str = "pandas") -> Any:
        """Return the needs as a data frame of pandas, polars or pyarrow."""
        return self._make_table().to_frame(backend)

    def _make_table(self) -> Table:
        return Table(("criterion", "wanted", "cases", "positives", "reached"), tuple(self.needs))

    def __repr__(self) -> str:
        return f"{self.statement}\n\n{self._make_table()!r}"

    def _repr_html_(self) -> str:
        return f"<p>{self.statement}</p>{self._make_table()._repr_html_()}"


@public
def plan(
    prevalence: float,
    *,
    auc: float | None = None,
    auc_width: float | None = None,
    auc_method: str = "hanley_mcneil",
    other_auc: float | None = None,
    correlation: float = 0.5,
    oe_width: float | None = None,
    slope_width: float | None = None,
    intercept_width: float | None = None,
    recall: float | None = None,
    recall_width: float | None = None,
    specificity: float | None = None,
    specificity_width: float | None = None,
    threshold: float | None = None,
    net_benefit_width: float | None = None,
    discordant: tuple[float, float] | None = None,
    log_odds: tuple[float, float] | None = None,
    power: float = 0.8,
    level: float = LEVEL,
) -> Plan:
    """Return the size of a validation study. Each width that is given is a criterion; the largest number of cases
    binds.

    Args:
        prevalence: The share of positives in the population.
        auc: The expected AUC.
        auc_width: The target width of its interval.
        auc_method: The interval of the AUC: "hanley_mcneil" or "newcombe". Both suppose exponential scores, which makes
            the plan a little too large for risks with normal log odds.
        other_auc: The AUC of a second model on the same cases: the power of the test of the difference is a criterion.
        correlation: The correlation of the two estimates of the AUC.
        oe_width: The target width of the interval of the O:E ratio, around 1.
        slope_width: The target width of the interval of the calibration slope, around 1; needs `auc`.
        intercept_width: The target width of the interval of the calibration intercept, around 0; needs `auc`.
        recall: The recall that is expected; by default what `auc` and `threshold` imply.
        recall_width: The wanted mean width of its exact interval.
        specificity: The specificity that is expected; by default what `auc` and `threshold` imply.
        specificity_width: The wanted mean width of its exact interval.
        threshold: The risk at which cases are flagged, for the net benefit.
        net_benefit_width: The target width of the interval of the standardised net benefit.
        discordant: The shares of cases that only the first, and only the second of two classifiers gets right: the
            power of McNemar's test is a criterion.
        log_odds: Mean and standard deviation of the log odds of the risks, where they are known; otherwise they follow
            from prevalence and AUC.
        power: The wanted power of the tests.
        level: The level of the intervals, and of the tests.

    Returns:
        What each criterion needs. Risks have normal log odds with the given prevalence and AUC.

    >>> plan(0.1, oe_width=0.2).cases  # (1 - 0.1) / 0.1 over the squared standard error that the width allows
    3469
    """
    level = check_level(level)
    prevalence = _check_between(prevalence, "prevalence", 0, 1)
    assumptions = _Assumptions(prevalence, auc, threshold, recall, specificity, log_odds, quantile(level), level)
    assumptions.check(auc_method=auc_method, correlation=correlation, power=power)
    criteria_by_name: dict[str, tuple[Any, Callable[[], SizeCriterion]]] = {
        "auc": (auc_width, lambda: assumptions.make_auc_criterion(auc_width, auc_method)),
        "auc_difference": (other_auc, lambda: assumptions.make_difference_criterion(other_auc, correlation, power)),
        "oe": (oe_width, lambda: assumptions.make_oe_criterion(oe_width)),
        "slope": (slope_width, lambda: assumptions.make_line_criterion("calibration slope", slope_width)),
        "intercept": (
            intercept_width,
            lambda: assumptions.make_line_criterion("calibration intercept", intercept_width),
        ),
        "recall": (recall_width, lambda: assumptions.make_rate_criterion("recall", recall_width)),
        "specificity": (specificity_width, lambda: assumptions.make_rate_criterion("specificity", specificity_width)),
        "net_benefit": (net_benefit_width, lambda: assumptions.make_net_benefit_criterion(net_benefit_width)),
        "discordant": (discordant, lambda: assumptions.make_mcnemar_criterion(discordant, power)),
    }
    _check_targets({name: target for name, (target, _) in criteria_by_name.items() if target is not None})
    criteria = tuple(make() for target, make in criteria_by_name.values() if target is not None)
    return Plan(tuple(_compute_needs(criteria, prevalence)), prevalence, level, criteria)


def _check_targets(targets: dict[str, Any]) -> None:
    """Raise if no criterion is given, or if a width or an AUC is impossible."""
    if not targets:
        remedy = Text("pass, for example, ", Argument("auc", 0.75), " and ", Argument("auc_width", 0.1))
        raise ParameterError("The plan has no criterion", remedy)
    for name, target in targets.items():
        if name != "discordant":
            argument, most = ("other_auc", 1) if name == "auc_difference" else (f"{name}_width", math.inf)
            _check_between(target, argument, 0, most)


def _compute_needs(criteria: tuple[SizeCriterion, ...], prevalence: float) -> Iterator[Need]:
    for criterion in criteria:
        n = _find_smallest_size(criterion)
        yield Need(criterion.name, criterion.target, n, math.ceil(n * prevalence), float(criterion.reached_with(n)))


def _find_smallest_size(criterion: SizeCriterion) -> int:
    """Return the smallest number of cases from which on the criterion holds."""
    high = 2
    while not criterion.holds(high):
        high *= 2
        if high > MOST:
            raise ParameterError(f"{criterion.name} would need more than {MOST:,} cases: choose a wider target.")
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if criterion.holds(middle) else (middle, high)
    return high


class _Assumptions(NamedTuple):
    """The assumed population, and the criteria that follow from it."""

    prevalence: float
    auc: float | None
    threshold: float | None
    recall: float | None
    specificity: float | None
    log_odds: tuple[float, float] | None
    z: float
    level: float

    def check(self, *, auc_method: str, correlation: float, power: float) -> None:
        for name, value in (*self._asdict().items(), ("power", power)):
            if name not in ("log_odds", "z", "level") and value is not None:
                _check_between(value, name, 0, 1)
        if self.log_odds is not None:
            mean, spread = _check_pair(self.log_odds, "log_odds")
            if max(abs(mean), spread) > _MOST_LOG_ODDS:
                remedy = f"pass a mean and a standard deviation of at most {_MOST_LOG_ODDS}"
                raise ParameterError(f"is {self.log_odds!r}", remedy, argument="log_odds")
            if not spread > 0:
                raise ParameterError(
                    f"is {self.log_odds!r}", "pass a mean and a standard deviation above 0", argument="log_odds"
                )
        check_choice(auc_method, "auc_method", AUC_METHODS)
        _check_between(correlation, "correlation", -1, 1)

    def require(self, name: str, what: str) -> float:
        value = getattr(self, name)
        if value is None:
            remedy = Text("pass ", Argument(name), ", the value that you expect")
            raise ParameterError(f"{what} depends on {_EXPECTED[name]}", remedy)
        return float(value)

    def make_auc_criterion(self, width: Any, method: str) -> SizeCriterion:
        area = self.require("auc", "The width of the interval of the AUC")
        by_newcombe = partial(compute_newcombe_width, area, self.prevalence, self.level)
        by_formula = partial(compute_hanley_mcneil_width, area, self.prevalence, self.z)
        return SizeCriterion("width of the AUC", width, by_newcombe if method == "newcombe" else by_formula)

    def make_difference_criterion(self, other: Any, correlation: float, power: float) -> SizeCriterion:
        area = self.require("auc", "The power of a difference in AUC")
        power_at = partial(compute_power_of_difference, area, float(other), correlation, self.prevalence, self.z)
        return SizeCriterion("power for the difference in AUC", power, power_at, rises=True)

    def make_oe_criterion(self, width: Any) -> SizeCriterion:
        return SizeCriterion("width of the O:E ratio", width, partial(compute_oe_width, self.prevalence, self.z))

    def make_line_criterion(self, what: str, width: Any) -> SizeCriterion:
        risks = self.make_risks(f"The width of the interval of the {what}")
        a, both, b = risks.compute_information()
        variance = a / (a * b - both**2) if what.endswith("slope") else 1 / a
        return SizeCriterion(f"width of the {what}", width, partial(compute_normal_width, variance, self.z))

    def find_rate(self, name: str) -> float:
        value = getattr(self, name)
        if value is not None:
            return float(value)
        what = f"The {name} that is expected, where it is not given,"
        at = self.require("threshold", what)
        return self.make_risks(what).compute_rates(at)[name == "specificity"]

    def make_risks(self, what: str) -> Risks:
        if self.log_odds is not None:
            return Risks(*self.log_odds)
        return Risks.of(self.prevalence, self.require("auc", what))

    def make_rate_criterion(self, name: str, width: Any) -> SizeCriterion:
        share, value = self.prevalence if name == "recall" else 1 - self.prevalence, self.find_rate(name)
        return SizeCriterion(f"width of the {name}", width, partial(compute_rate_width, value, share, self.level))

    def make_net_benefit_criterion(self, width: Any) -> SizeCriterion:
        """Return the criterion of the standardised net benefit (Riley et al., 2021)."""
        at, p = self.require("threshold", "The net benefit"), self.prevalence
        recall, specificity = self.find_rate("recall"), self.find_rate("specificity")
        w = (1 - p) / p * at / (1 - at)
        variance = (
            recall * (1 - recall) / p
            + w**2 * specificity * (1 - specificity) / (1 - p)
            + w**2 * (1 - specificity) ** 2 / (p * (1 - p))
        )
        name = "width of the standardised net benefit"
        return SizeCriterion(name, width, partial(compute_normal_width, variance, self.z))

    def make_mcnemar_criterion(self, discordant: Any, power: float) -> SizeCriterion:
        """Return the criterion of McNemar's test: its normal power (Connor 1987)."""
        first, second = _check_pair(discordant, "discordant")
        both, difference = first + second, abs(first - second)
        if min(first, second) < 0 or not 0 < both <= 1 or not difference:
            raise ParameterError(
                f"is {discordant!r}", "pass two different shares that add up to 1 at most", argument="discordant"
            )
        power_at = partial(compute_mcnemar_power, both, difference, self.z)
        return SizeCriterion("power of McNemar's test", power, power_at, rises=True)


def _check_between(value: object, name: str, low: float, high: float) -> float:
    number = validation.check_number(value, name)
    if not low < number < high:
        domain = f"above {low}" if high == math.inf else f"between {low} and {high}"
        raise ParameterError(f"is {number:g}", f"pass a number {domain}", argument=name)
    return number


def _check_pair(values: object, name: str) -> tuple[float, float]:
    """Check that a value is two finite numbers."""
    pair = validation.as_numbers(values, name)
    if len(pair) != 2 or not np.isfinite(pair).all():
        raise ParameterError(f"is {shorten_repr(values)}", "pass two numbers", argument=name)
    return float(pair[0]), float(pair[1])
