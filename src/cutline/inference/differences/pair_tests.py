"""Hypotheses about two models, and the results of tests of all pairs of several models."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, NamedTuple

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.errors import Argument, ParameterError, Text
from cutline.core.escaping import html_text
from cutline.core.public import public
from cutline.core.table import ComparedByFields, ShownAsTable, Table, format_p, format_value, to_json_value
from cutline.core.validation import check_choice, check_number
from cutline.inference.caveats import EQUAL
from cutline.inference.differences.difference import Difference
from cutline.inference.resampling.pairing import Pairing, estimate_delong_covariance
from cutline.inference.simultaneous import holm
from cutline.measures import MEASURES, Measure
from cutline.results.method_titles import format_method

ALTERNATIVES = ("two-sided", "greater", "less", "non-inferior", "superior", "equivalent")
_WITH_MARGIN = ("non-inferior", "superior", "equivalent")


class Hypothesis(NamedTuple):
    """The alternative hypothesis about a - b.

    `greater` and `less` compare the numbers. With `non-inferior` a is not worse than b by the margin or more, with
    `superior` it is better by more than the margin, and with `equivalent` they differ by less than the margin.
    """

    alternative: str = "two-sided"
    margin: float = 0.0

    @property
    def is_two_sided(self) -> bool:
        """Whether it is two-sided."""
        return self.alternative == "two-sided"

    def p_value(self, difference: Difference, measure: Measure) -> float:
        """Return the p-value of the null hypothesis."""
        if self.is_two_sided:
            return difference.p_value()
        if self.alternative in ("greater", "less"):
            return one_sided_p_value(difference, 0.0, upward=self.alternative == "greater")
        if self.alternative == "equivalent":
            return max(
                one_sided_p_value(difference, -self.margin, upward=True),
                one_sided_p_value(difference, self.margin, upward=False),
            )
        upward = measure.better != "lower"
        shift = self.margin if self.alternative == "superior" else -self.margin
        return one_sided_p_value(difference, shift if upward else -shift, upward=upward)


def make_hypothesis(alternative: str, margin: float | None, measure: Measure) -> Hypothesis:
    """Return the hypothesis, or raise if it does not make sense for the measure."""
    check_choice(alternative, "alternative", ALTERNATIVES)
    if alternative not in _WITH_MARGIN:
        if margin is not None:
            raise ParameterError(
                f"is given, but alternative is {alternative!r}",
                f"pass alternative={' or '.join(map(repr, _WITH_MARGIN))}, or leave it out",
                argument="margin",
            )
        return Hypothesis(alternative)
    if margin is None and alternative != "superior":
        way_out = Text("pass ", Argument("margin"), ", the largest loss that does not matter")
        raise ParameterError(f"is {alternative!r}, and needs a margin", way_out, argument="alternative")
    size = 0.0 if margin is None else check_number(margin, "margin")
    if not 0 <= size < math.inf or (size == 0 and alternative != "superior"):
        raise ParameterError(f"is {size:g}", "pass a number above 0", argument="margin")
    if measure.better is None and alternative != "equivalent":
        what = f"{measure.name} is neither better nor worse when it is higher"
        raise ParameterError(what, "pass 'greater', 'less' or 'equivalent'")
    return Hypothesis(alternative, size)


def one_sided_p_value(difference: Difference, null: float, *, upward: bool) -> float:
    """Return the p-value of a true difference of at most `null`, or without `upward` of at least `null`."""
    two, gap = difference.p_value(null), difference.value - null
    if math.isnan(two) or math.isnan(gap):
        return math.nan
    if abs(gap) <= EQUAL:
        return 0.5
    return two / 2 if (gap > 0) == upward else 1 - two / 2


@dataclass(frozen=True, eq=False)
class PairTest(ComparedByFields):
    """The test of the difference a - b of two models in a measure.

    `p_holm` is corrected for the number of pairs that were tested together. `share` is the share of the resamples or
    permutations that are as extreme, to which `p_value` adds the data; NaN when nothing was drawn.
    """

    measure: str
    a: str
    b: str
    difference: float
    p_value: float
    p_holm: float
    share: float
    method: str
    notes: tuple[str, ...] = ()
    alternative: str = "two-sided"
    margin: float = 0.0
    draws: int = 0  # resamples or permutations that the p-value is a share of

    @property
    def floor(self) -> float:
        """Smallest p-value that this number of resamples or permutations allows; 0 where none were drawn."""
        return (1 if self.method == "permutation" else 2) / (1 + self.draws) if self.draws else 0.0

    @property
    def floor_of_holm(self) -> float:
        """Corrected p-value if the plain one is at its floor, else 0."""
        return self.p_holm if 0 < self.p_value <= self.floor * (1 + 1e-9) else 0.0

    @property
    def claim(self) -> str:
        """Alternative hypothesis in a sentence."""
        words = {
            "two-sided": f"{self.a} and {self.b} differ",
            "greater": f"{self.a} exceeds {self.b}",
            "less": f"{self.a} is below {self.b}",
            "non-inferior": f"{self.a} is not worse than {self.b} by {format_value(self.margin)} or more",
            "superior": f"{self.a} is better than {self.b} by more than {format_value(self.margin)}",
            "equivalent": f"{self.a} and {self.b} differ by less than {format_value(self.margin)}",
        }
        return words[self.alternative]

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, ready for JSON: numbers that are not finite become None."""
        names = (field.name for field in fields(self) if field.name != "draws")
        return {name: to_json_value(getattr(self, name)) for name in names} | {"notes": list(self.notes)}


@dataclass(frozen=True, eq=False)
class PairTests(ComparedByFields):
    """The tests of all pairs of models in one measure.

    `p_value` tests that no model differs: that of the pair if there are two models, that of DeLong's chi-square test
    with this method, and otherwise the smallest p-value after Holm's correction.
    """

    measure: str
    pairs: tuple[PairTest, ...]
    p_value: float
    chi_square: float = math.nan
    degrees: int = 0

    def __iter__(self) -> Iterator[PairTest]:
        return iter(self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def method(self) -> str:
        """Methods of the pairs."""
        return ", ".join(dict.fromkeys(pair.method for pair in self.pairs))

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes of the tests, without repetitions."""
        return tuple(dict.fromkeys(note for pair in self.pairs for note in pair.notes))

    @property
    def table(self) -> Table:
        """Table with one row for each pair."""
        columns = tuple(field.name for field in fields(PairTest) if field.name != "draws")
        rows = [
            tuple(" ".join(v) if isinstance(v, tuple) else v for v in (getattr(pair, c) for c in columns))
            for pair in self.pairs
        ]
        return Table(columns, tuple(rows))

    def to_dict(self) -> dict[str, Any]:
        """Return the omnibus test and the pairs, ready for JSON."""
        names = ("measure", "p_value", "chi_square", "degrees")
        return {name: to_json_value(getattr(self, name)) for name in names} | {
            "pairs": [pair.to_dict() for pair in self.pairs]
        }

    @public
    def to_frame(self, backend: str = "pandas") -> Any:
        """Return the pairs as a data frame of pandas, polars or pyarrow."""
        return self.table.to_frame(backend)

    def __repr__(self) -> str:
        lines = [
            f"{pair.measure}: {pair.a} - {pair.b} = {format_value(pair.difference)}, p "
            f"{format_p(pair.p_value, pair.floor)}"
            + (f" ({format_p(pair.p_holm, pair.floor_of_holm)} after Holm's correction)" if len(self) > 1 else "")
            + (f" that {pair.claim}" if pair.alternative != "two-sided" else "")
            + f" ({format_method(pair.method)})"
            for pair in self.pairs
        ]
        if len(self) > 1:
            chi = (
                f", chi-square {format_value(self.chi_square)} with {self.degrees} degrees of freedom"
                if self.degrees
                else ""
            )
            lines.append(f"no difference at all: p {format_p(self.p_value)}{chi}")
        return "\n".join([*lines, *(f"  note: {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        return "<br>".join(html_text(line) for line in repr(self).splitlines())


def apply_holm(tests: Sequence[PairTest]) -> tuple[PairTest, ...]:
    """Return the tests with their p-values corrected for their number by Holm's method."""
    p_values = holm([test.p_value for test in tests])
    return tuple(replace(test, p_holm=p_value) for test, p_value in zip(tests, p_values, strict=True))


@dataclass(frozen=True, eq=False, repr=False)
class AreaCovariance(ShownAsTable, ComparedByFields):
    """AUCs of all models and their covariance."""

    names: tuple[str, ...]
    areas: Array
    covariance: Array

    @property
    def correlation(self) -> Array:
        """Correlations; NaN where an AUC has no variance."""
        se = np.sqrt(np.diag(self.covariance))
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(self.covariance / np.outer(se, se))

    @property
    def table(self) -> Table:
        """Table with a row for each model: AUC, standard error and covariances."""
        se = np.sqrt(np.diag(self.covariance))
        rows = zip(self.names, self.areas.tolist(), se.tolist(), *self.covariance.T.tolist(), strict=True)
        return Table(("model", "auc", "standard error", *(f"with {name}" for name in self.names)), tuple(rows))

    def to_dict(self) -> dict[str, Any]:
        """Return the areas and their covariance, ready for JSON."""
        return {
            "names": list(self.names),
            "areas": [to_json_value(area) for area in self.areas.tolist()],
            "covariance": [[to_json_value(value) for value in row] for row in self.covariance.tolist()],
        }


def estimate_area_covariance(names: tuple[str, ...], pairing: Pairing) -> AreaCovariance:
    """Return the covariance of all models' AUCs (DeLong et al. 1988)."""
    areas = np.array([float(MEASURES["auc"].compute(ranking)) for ranking in pairing.rankings])
    return AreaCovariance(names, areas, estimate_delong_covariance(pairing, np.eye(len(names))))
