"""Printed numbers and the quantities behind them: a measure, a limit, a standard error or a p-value."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from cutline.core.errors import ParameterError, UnknownNameError, hint_similar, shorten_repr
from cutline.core.validation import check_whole
from cutline.cuts.requirements import parse_terms
from cutline.evaluation import Evaluation
from cutline.ledger import errors_and_tests
from cutline.ledger.cases import Material
from cutline.ledger.errors_and_tests import compute_standard_error, has_error
from cutline.measures import MEASURES, Measure, Needs
from cutline.measures.forms import LinearInAuc, Proportion

_NUMBER = re.compile(r"([+-]?)(\d+\.?\d*|\.\d+)(?:[eE]([+-]?\d+))?\s*(%?)")
_SLACK = 1e-9  # relative: what sums in another order make


@dataclass(frozen=True)
class Printed:
    """A printed number; `reach` is half a unit of its last digit, and `digits` how many of them say something."""

    text: str
    value: float
    reach: float
    digits: int

    def fits(self, value: float, spread: float = 0.0) -> bool:
        """Whether a value prints as this number, or would with a seed that moves it by some spread."""
        return abs(value - self.value) <= self.reach * (1 + 1e-6) + _SLACK * abs(value) + spread

    def distance(self, value: float) -> float:
        """Return how far a value is from this number, in units of its last digit."""
        return abs(value - self.value) / (2 * self.reach)


def parse_printed(value: object, digits: int | None = None) -> Printed:
    """Return a number as it was printed: a text keeps zeros at its end, a float has the digits that repr() shows.

    Args:
        value: The number, as text or as a float; "87.3%" is 0.873.
        digits: How many decimals it was rounded to, where zeros at the end are lost.

    >>> found = parse_printed("0.8730")
    >>> found.value, found.reach, found.digits
    (0.873, 5e-05, 4)
    """
    text = value.strip() if isinstance(value, str) else _write_number(value)
    match = _NUMBER.fullmatch(text)
    if not match:
        raise ParameterError(
            f"is {shorten_repr(value)}", "pass the number that was printed, such as 0.8731", argument="value"
        )
    sign, mantissa, exponent, percent = match.groups()
    decimals = len(mantissa.partition(".")[2]) - int(exponent or 0) + 2 * bool(percent)
    if digits is not None:
        decimals = check_whole(digits, "digits", 0)
    number = float(f"{sign}{mantissa}e{exponent or 0}") / (100 if percent else 1)
    if not math.isfinite(number):
        raise ParameterError(f"is {shorten_repr(value)}", "pass a finite number, such as 0.8731", argument="value")
    reach = 0.5 * 10.0 ** -min(max(decimals, -300), 300)
    return Printed(text, number, reach, _count_digits(number, decimals))


def _write_number(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return "" if value is None or not isinstance(value, int) else "?"
    return str(value) if isinstance(value, np.floating) else repr(value)


def _count_digits(number: float, decimals: int) -> int:
    """Return how many digits tell: those after the point, and those before it that are not leading zeros."""
    before = len(str(int(abs(number)))) if abs(number) >= 1 else 0
    return max(before + decimals, 0)


LIMITS = ("low", "high")
ERROR = "se"  # the part that is a standard error
_CLOSED = (Proportion, LinearInAuc)  # kinds of measures whose intervals have a formula, whatever is done to the cases


@dataclass(frozen=True, eq=False)
class PrintedQuantity:
    """A number that tools print: a measure with its parameters, a limit of its interval, or the p-value of a test."""

    name: str
    title: str
    range: tuple[float, float]
    measure: Measure | None = None
    part: str = "value"
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def of(self) -> str:
        """The name of the measure or the test itself."""
        return self.name.split("@")[0].split(".")[0]

    @property
    def definition(self) -> Measure:
        """The measure; a test has none."""
        if self.measure is None:
            raise TypeError(f"{self.name} is a test of two models, not a measure")
        return self.measure

    @property
    def form(self) -> object:
        """The form of the measure; None for a test."""
        return None if self.measure is None else self.measure.form

    @property
    def proportion(self) -> Proportion:
        """The form of a measure that is a proportion."""
        if not isinstance(self.form, Proportion):
            raise TypeError(f"{self.name} is no proportion")
        return self.form

    @property
    def needs(self) -> Needs | None:
        """Input of the measure (counts, ranking, ...); None for a limit or a test."""
        return self.measure.needs if self.measure is not None and self.part == "value" else None

    @property
    def is_limit(self) -> bool:
        """Whether it is a limit of an interval."""
        return self.part in LIMITS

    @property
    def is_error(self) -> bool:
        """Whether it is a standard error."""
        return self.part == ERROR

    @property
    def is_inferred(self) -> bool:
        """Whether it says how sure a measure is: a limit of its interval, or its standard error."""
        return self.part != "value"

    @property
    def is_resampled(self) -> bool:
        """Whether its interval may need resamples, so that many variants of the cases would take long."""
        return self.is_limit and not isinstance(self.form, _CLOSED)

    @property
    def is_test(self) -> bool:
        """Whether it is a p-value of two models."""
        return self.measure is None

    def exact(self, material: Material) -> float:
        """Return the number that cutline gives; NaN where the measure is undefined or the scores are of another
        kind.
        """
        if self.measure is None:
            return errors_and_tests.TESTS[self.of].default(material)
        if self.is_limit:
            return self.limit(material, "auto")
        if self.is_error:
            return self.error(material)
        return self.value(material)

    def value(self, material: Material, name: str | None = None, **parameters: Any) -> float:
        """Return the value of this measure, or of another one of the registry, on some cases."""
        measure = self.measure if name is None else MEASURES[name]
        if measure is None or not measure.fits(material.ranking):
            return math.nan
        bound = {**(self.parameters if name is None else {}), **parameters}
        if measure.needs is Needs.COUNTS and not bound.keys() & {"threshold", "quota", "share"}:
            bound["threshold"] = material.threshold
        data, known = measure.prepare(material.ranking, bound)
        with np.errstate(all="ignore"):
            return float(measure.compute(data, **known))

    def step(self, material: Material) -> float:
        """Return by how much one case moves the measure, one over the cases that it is a share of; 0 where it is
        smooth.
        """
        if "quota" in self.parameters:
            return 1 / float(self.parameters["quota"])
        if self.needs is not Needs.COUNTS:
            return 0.0
        total = float(material.ranking.total)
        if not isinstance(self.form, Proportion):
            return 1 / total
        _, cases = self.form.of(material.counts)
        return 1 / min(max(float(cases), 1.0), total)

    def limit(self, material: Material, method: str) -> float:
        """Return the limit of the interval by a method of `Evaluation.estimate`, at the level 0.95."""
        estimate = Evaluation(material.ranking, material.threshold).estimate(self.definition, method=method)
        return float(getattr(estimate, self.part))

    def error(self, material: Material, less: int | None = None) -> float:
        """Return the standard error, with the variance divided by n less 0 or 1."""
        if self.measure is None or not self.measure.fits(material.ranking):
            return math.nan
        return compute_standard_error(self.measure, material, less)


def parse_quantity(name: str | Measure) -> PrintedQuantity:
    """Return the quantity of a name, such as "auc", "recall.low", "auc.se", "enrichment@share=0.1" or "mcnemar".

    >>> parse_quantity("ap").name, parse_quantity("recall.low").part
    ('average_precision', 'low')
    """
    if isinstance(name, Measure):
        return make_quantity(name)
    text = str(name).strip()
    if text in errors_and_tests.TESTS:
        return PrintedQuantity(text, errors_and_tests.TESTS[text].title, (0.0, 1.0))
    head, _, part = text.partition(".")
    if part in (*LIMITS, ERROR) and head in MEASURES:
        return _read_limit(MEASURES[head], part)
    if "@" not in text and text not in MEASURES:
        known = [*MEASURES.names, *errors_and_tests.TESTS]
        raise UnknownNameError(
            f"There is no measure {text!r}", "cutline measures lists them all", hint=hint_similar(text, known)
        )
    term = parse_terms(text)[0]
    term = replace(term, measure=MEASURES[term.measure.name])  # the ledger's tables know it by its own name
    return PrintedQuantity(str(term), term.measure.title, term.measure.range, term.measure, "value", term.parameters)


def _read_limit(measure: Measure, part: str) -> PrintedQuantity:
    """Return a limit of the interval of a measure, or its standard error."""
    if measure.required:
        raise UnknownNameError(f"The ledger has no intervals of {measure.name}", "choose auc or recall")
    if part in LIMITS:
        return PrintedQuantity(f"{measure.name}.{part}", f"{measure.title}, {part} limit", measure.range, measure, part)
    if not has_error(measure):
        raise UnknownNameError(
            f"The ledger has no standard error of {measure.name}",
            "choose auc, a share such as recall, or brier",
        )
    return PrintedQuantity(f"{measure.name}.se", f"{measure.title}, standard error", (0.0, math.inf), measure, part)


def make_quantity(measure: Measure) -> PrintedQuantity:
    """Return the quantity that a measure is."""
    return PrintedQuantity(measure.name, measure.title, measure.range, measure)
