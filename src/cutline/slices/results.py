"""Results of comparing slices: each beside the rest of the cases, and values pulled towards their mean."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cutline.core.messages import capitalise, join_with_and, lower_title
from cutline.core.table import ComparedByFields, Table, format_p, format_value, to_json_value
from cutline.core.validation import format_count
from cutline.inference.simultaneous import FEWEST_FOR_MORRIS, Equality, Pooled, sidak_level
from cutline.measures import Measure
from cutline.results.base import Tabulated
from cutline.results.method_titles import format_method
from cutline.results.notes import Note
from cutline.slices.simultaneous_intervals import estimate_slice

if TYPE_CHECKING:
    from cutline.slices.evaluation import Slices

FEWEST = 5  # cases of a class that a slice needs to be tested
_ADJUSTED = {
    "westfall_young": "Westfall-Young permutation",
    "holm": "Holm",
    "bh": "Benjamini-Hochberg",
    "none": "no adjustment",
}


@dataclass(frozen=True, eq=False)
class RestRow(ComparedByFields):
    """A slice beside the rest of the cases."""

    key: Any
    slice: str
    cases: float
    prevalence: float
    verdict: str
    value: float = math.nan
    rest: float = math.nan
    difference: float = math.nan
    low: float = math.nan
    high: float = math.nan
    p_value: float = math.nan
    p_adjusted: float = math.nan


@dataclass(frozen=True, eq=False, repr=False)
class AgainstRest(Tabulated):
    """Each slice beside all other cases."""

    slices: Slices
    measure: Measure
    level: float
    alternative: str
    margin: float
    method: str
    adjust: str
    rows: tuple[RestRow, ...]
    notes: tuple[Note, ...] = ()
    is_one_comparison: bool = False
    parameters: Mapping[str, Any] = field(default_factory=dict)  # of the measure
    p_floor: float = 0.0  # the smallest p-value that permutations can show

    @property
    def significant(self) -> tuple[RestRow, ...]:
        """Return the slices that differ: worse ones first, and within these by p-value."""
        differing = [row for row in self.rows if row.p_adjusted <= 1 - self.level]
        first = ("worse", "lower")
        return tuple(
            sorted(differing, key=lambda row: (row.verdict not in first, row.p_adjusted, -abs(row.difference)))
        )

    @property
    def by_value(self) -> list[RestRow]:
        """Return the slices in the order of their values; undefined ones are last."""
        return sorted(self.rows, key=lambda row: (math.isnan(row.value), row.value))

    def ends(self, count: int) -> tuple[list[RestRow], list[RestRow]]:
        """Return the slices with the lowest and with the highest values, and between them all that differ.

        Args:
            count: How many slices at each end.
        """
        known = [row for row in self.by_value if not math.isnan(row.value)]
        if len(known) <= 2 * count:
            return known, []
        differing = {row.slice for row in self.significant}
        between = [row for row in known[count:-count] if row.slice in differing]
        return [*known[:count], *between], known[-count:]

    def describe_ends(self, count: int) -> str:
        """Return which slices a folded table shows, in a sentence."""
        more = ", and all that differ" if self.significant else ""
        return f"The {count} lowest and the {count} highest of {len(self.rows)} slices{more}."

    @property
    def name(self) -> str:
        """Return the title of the measure for the middle of a sentence."""
        return "AUC" if self.measure.name == "auc" else lower_title(self.measure.title)

    @property
    def table(self) -> Table:
        """Return the rows as a table."""
        names = ("slice", "cases", "prevalence", "value", "rest", "difference", "low", "high")
        rows = tuple(
            (*(getattr(row, name) for name in names), row.p_value, row.p_adjusted, row.verdict) for row in self.rows
        )
        title = f"{self.measure.title} of each slice by {self.slices.by} against all other cases"
        below = (self.verdict, self.how)
        return Table((*names, "p", "p_adjusted", "verdict"), rows, title, below=below, p_floor=self.p_floor)

    @property
    def how(self) -> str:
        """Return a sentence on the test, its adjustment and the intervals."""
        is_permuted = self.adjust == "westfall_young"
        test = f"p-values by {'permutation within each class' if is_permuted else format_method(self.method)}"
        if self._has_nothing_to_adjust:
            test += ", not adjusted: two slices are one comparison"
        else:
            test += ", adjusted for all slices (Westfall-Young)" if is_permuted else f", {_ADJUSTED[self.adjust]}"
        question = {"two-sided": "differs", "worse": "is worse", "better": "is better"}[self.alternative]
        by = f" by more than {self.margin:g}" if self.margin else ""
        intervals = f"the intervals hold together ({100 * self.level:g} %)"
        return f"Test whether a slice {question}{by}: {test}; {intervals}.{self._disagreement}"

    @property
    def _disagreement(self) -> str:
        """Return a sentence on the slices that differ by the test although 0 is in their interval."""
        if self.margin or self.alternative != "two-sided":  # these test something else than whether 0 is inside
            return ""
        inside = [row.slice for row in self.significant if row.low < 0 < row.high]
        if not inside:
            return ""
        return (
            f" {join_with_and(inside)}: 0 is in the interval although the test rejects it; the interval is by "
            "another method, "
            f"{format_method(self.method)}, and near the limit the two can disagree. The verdict is that of the test."
        )

    @property
    def _has_nothing_to_adjust(self) -> bool:
        return self.is_one_comparison and self.alternative == "two-sided"

    @property
    def verdict(self) -> str:
        """Return a sentence on the slices that differ from the rest."""
        differing = self.significant
        after = "" if self.adjust == "none" or self._has_nothing_to_adjust else f" after {_ADJUSTED[self.adjust]}"
        tested = sum(not math.isnan(row.p_adjusted) for row in self.rows)
        if not tested:
            return f"No slice has enough cases to be compared with the rest ({FEWEST} of each class)."
        if not differing:
            least = min(row.p_adjusted for row in self.rows if not math.isnan(row.p_adjusted))
            relation = {"two-sided": "differs from", "worse": "is worse than", "better": "is better than"}[
                self.alternative
            ]
            p = f"p {format_p(least, self.p_floor)}{after}"
            return f"No slice {relation} the rest in {self.name} (smallest {p}, {format_count(tested, 'slice')})."
        if self.is_one_comparison:  # said once
            return f"{capitalise(self._describe_row(differing[0], after, is_first=True))}."
        parts = [self._describe_row(row, after if not i else "", is_first=not i) for i, row in enumerate(differing[:3])]
        more = len(differing) - len(parts)
        end = f"{more} more slices differ" if more else "no other slice differs"
        return f"{capitalise('; '.join(parts))}; {end}.{self._warn_of_better_slices(differing)}"

    @staticmethod
    def _warn_of_better_slices(differing: tuple[RestRow, ...]) -> str:
        """Return that better slices may only look better because the worse ones are in their rest."""
        worse, better = (sum(row.verdict == verdict for row in differing) for verdict in ("worse", "better"))
        if not worse or not better:
            return ""
        of, them = ("the better slice", "it") if better == 1 else ("the better slices", "them")
        ones = "one" if worse == 1 else "ones"
        return f" The rest of {of} includes the worse {ones}, which can make {them} look better."

    def _describe_row(self, row: RestRow, after: str, *, is_first: bool) -> str:
        verb = "ranks" if self.measure.name == "auc" else "does"
        how = f"{verb} {row.verdict}" if row.verdict in ("worse", "better") else f"is {row.verdict}"
        name = f"{self.name} " if is_first else ""
        values = f"{name}{row.value:.3f} against {row.rest:.3f}, p {format_p(row.p_adjusted, self.p_floor)}{after}"
        return f"{self.slices.title(row.key)} {how} than the rest: {values}"

    @property
    def forest(self) -> dict[str, Any]:
        """Return the data of the forest plot: each slice with its simultaneous interval, and the value of all cases."""
        level = sidak_level(self.level, len(self.slices))
        overall = self.slices.overall.value(self.measure, **self.parameters)
        rows = []
        for row in self.rows:
            if math.isnan(row.value):
                continue
            own = estimate_slice(self.slices[row.key], self.measure, level, **self.parameters)
            rows.append(
                {
                    "slice": row.slice,
                    "cases": to_json_value(row.cases),
                    "value": row.value,
                    "low": to_json_value(own.low),
                }
                | {"high": to_json_value(own.high), "verdict": row.verdict, "p": to_json_value(row.p_adjusted)}
            )
        words = f"{100 * self.level:g} % intervals that hold for all slices together"
        return {
            "measure": self.measure.title,
            "by": self.slices.by,
            "overall": to_json_value(overall),
            "rows": rows,
            "verdict": self.verdict,
            "words": words,
        }

    def document(self) -> dict[str, Any]:
        """Return all of it, ready for JSON."""
        return {
            "schema": "cutline/against_rest/1",
            "measure": self.measure.name,
            "by": self.slices.by,
            "level": self.level,
            "alternative": self.alternative,
            "margin": self.margin,
            "method": self.method,
            "adjust": self.adjust,
            "verdict": self.verdict,
            "slices": self.to_dict(),
        }


@dataclass(frozen=True, eq=False, repr=False)
class PooledSlices(Tabulated):
    """Slices shrunk towards the mean of all slices, with the estimated variance between them."""

    measure: Measure
    level: float
    mean: float
    pooling: Pooled
    equality: Equality
    rows: tuple[tuple[Any, ...], ...]
    notes: tuple[Note, ...] = ()

    @property
    def tau(self) -> float:
        """Return the standard deviation between slices, on the scale of the pooling."""
        return math.sqrt(self.pooling.tau2)

    @property
    def table(self) -> Table:
        """Return the rows as a table."""
        e = self.equality
        spread = (
            f"Mean of all slices {format_value(self.mean)}; spread between slices (tau) {format_value(self.tau)}; "
            f"{100 * e.inconsistency:.0f} % of the variation is more than chance (I squared)."
        )
        below = [
            spread,
            f"Test that all slices are equal: Q = {e.statistic:.4g}, df {e.freedom}, p {format_p(e.p_value)}.",
        ]
        if len(self.rows) < FEWEST_FOR_MORRIS:
            below.append("Fewer than five slices: no intervals of the pooled values.")
        return Table(
            ("slice", "value", "pooled", "low", "high", "pull"),
            self.rows,
            f"{self.measure.title}: slices pulled towards the mean of all slices",
            below=tuple(below),
        )
