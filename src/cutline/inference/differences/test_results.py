"""What tests of several models come back as."""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from cutline.core.equality import ComparedByFields
from cutline.core.table import Table, p_shown, plain, shown
from cutline.inference.differences.difference import holm
from cutline.results.method_titles import method_title


@dataclass(frozen=True, eq=False)
class PairTest(ComparedByFields):
    """Whether two models differ in a measure: the difference a - b and how compatible the data are with none.

    `p_holm` is corrected for the number of pairs that were tested together. `share` is the plain share of the
    resamples or permutations, to which `p_value` adds the data at hand; NaN when nothing was drawn.
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
        """The smallest p-value that so many resamples or permutations can show; 0 where none were drawn."""
        return (1 if self.method == "permutation" else 2) / (1 + self.draws) if self.draws else 0.0

    @property
    def floor_of_holm(self) -> float:
        """The corrected p-value where the plain one is at its floor, below which neither can be shown; else 0."""
        return self.p_holm if 0 < self.p_value <= self.floor * (1 + 1e-9) else 0.0

    @property
    def claim(self) -> str:
        """What a small p-value speaks for, in words."""
        words = {
            "two-sided": f"{self.a} and {self.b} differ",
            "greater": f"{self.a} exceeds {self.b}",
            "less": f"{self.a} is below {self.b}",
            "non-inferior": f"{self.a} is not worse than {self.b} by {shown(self.margin)} or more",
            "superior": f"{self.a} is better than {self.b} by more than {shown(self.margin)}",
            "equivalent": f"{self.a} and {self.b} differ by less than {shown(self.margin)}",
        }
        return words[self.alternative]

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, ready for JSON: what is not a finite number is None."""
        names = (field.name for field in fields(self) if field.name != "draws")
        return {name: plain(getattr(self, name)) for name in names} | {"notes": list(self.notes)}


@dataclass(frozen=True, eq=False)
class PairTests(ComparedByFields):
    """The tests of all pairs of models in one measure.

    `p_value` is that of no difference at all between the models: of the one pair when there are two of them, of
    DeLong's chi-square test when that was the method, and otherwise the smallest p-value after Holm's correction.
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
        """The method, or the methods, of the pairs."""
        return ", ".join(dict.fromkeys(pair.method for pair in self.pairs))

    @property
    def notes(self) -> tuple[str, ...]:
        """What qualifies the tests, each said once."""
        return tuple(dict.fromkeys(note for pair in self.pairs for note in pair.notes))

    @property
    def table(self) -> Table:
        """One row for each pair."""
        columns = tuple(field.name for field in fields(PairTest) if field.name != "draws")
        rows = [
            tuple(" ".join(v) if isinstance(v, tuple) else v for v in (getattr(pair, c) for c in columns))
            for pair in self.pairs
        ]
        return Table(columns, tuple(rows))

    def to_dict(self) -> dict[str, Any]:
        """Return the whole and its pairs, ready for JSON."""
        names = ("measure", "p_value", "chi_square", "degrees")
        return {name: plain(getattr(self, name)) for name in names} | {"pairs": [pair.to_dict() for pair in self.pairs]}

    def to_frame(self, backend: str = "pandas") -> Any:
        """Return the pairs as a data frame of pandas, polars or pyarrow."""
        return self.table.to_frame(backend)

    def __repr__(self) -> str:
        lines = [
            f"{pair.measure}: {pair.a} - {pair.b} = {shown(pair.difference)}, p {p_shown(pair.p_value, pair.floor)}"
            + (f" ({p_shown(pair.p_holm, pair.floor_of_holm)} after Holm's correction)" if len(self) > 1 else "")
            + (f" that {pair.claim}" if pair.alternative != "two-sided" else "")
            + f" ({method_title(pair.method)})"
            for pair in self.pairs
        ]
        if len(self) > 1:
            chi = (
                f", chi-square {shown(self.chi_square)} with {self.degrees} degrees of freedom" if self.degrees else ""
            )
            lines.append(f"no difference at all: p {p_shown(self.p_value)}{chi}")
        return "\n".join([*lines, *(f"  note: {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        return "<br>".join(html.escape(line) for line in repr(self).splitlines())


def corrected(tests: Sequence[PairTest]) -> tuple[PairTest, ...]:
    """Return the tests with their p-values corrected for their number by Holm's method."""
    p_values = holm([test.p_value for test in tests])
    return tuple(replace(test, p_holm=p_value) for test, p_value in zip(tests, p_values, strict=True))
