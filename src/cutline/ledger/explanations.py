"""Answers of why(): the explanations of a number, best first, and the sentences that state them."""

from __future__ import annotations

import html
import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

from cutline.core.table import ComparedByFields, shown

MOST_SHOWN = 5
MOST_TOOLS = 3
SURE = 0.05  # expected matches by accident up to which a single explanation is called the only one


class TextResult(ABC):
    """A result that prints as sentences, and as paragraphs in a notebook."""

    @property
    @abstractmethod
    def sentences(self) -> tuple[str, ...]:
        """The answer in sentences, the most important first."""

    def __str__(self) -> str:
        return "\n".join(self.sentences)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return "".join(f"<p>{html.escape(line)}</p>" for line in self.sentences)


@dataclass(frozen=True, eq=False)
class Explanation(ComparedByFields):
    """Conventions that give the number.

    Attributes:
        measure: The quantity.
        conventions: Their names in the ledger; none for the exact value.
        words: The conventions in words, such as "with 400 equal-frequency thresholds".
        why: Why they make a difference.
        value: The number that they give, with all digits.
        share: How plausible they are among all that fit, from 0 to 1.
        tools: The tools that have them by default, with the function.
        source: Where the convention is described.
        spread: How far another seed may move the number, for what is drawn at random; 0 for all else.
    """

    measure: str
    conventions: tuple[str, ...]
    words: str
    why: str
    value: float
    share: float = math.nan
    tools: tuple[str, ...] = ()
    source: str = ""
    spread: float = 0.0

    @property
    def sides(self) -> tuple[str, ...]:
        """The names of the conventions, as the JSON calls them."""
        return self.conventions

    @property
    def tools_in_brackets(self) -> str:
        """The tools in brackets, a few of them."""
        if not self.tools:
            return ""
        more = len(self.tools) - MOST_TOOLS
        return f" ({', '.join(self.tools[:MOST_TOOLS])}{f' and {more} more' if more > 0 else ''})"

    @property
    def described(self) -> str:
        """The measure, the convention and who has it."""
        if not self.conventions:
            return f"the exact {self.measure}{self.tools_in_brackets}"
        return f"{self.measure} {self.words}{self.tools_in_brackets}"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain data."""
        return {
            "measure": self.measure,
            "sides": list(self.conventions),
            "words": self.described,
            "why": self.why,
            "value": self.value,
            "share": None if math.isnan(self.share) else round(self.share, 4),
            "tools": list(self.tools),
            "source": self.source,
            "spread": self.spread,
        }


@dataclass(frozen=True, repr=False, eq=False)
class Answer(ComparedByFields, TextResult):
    """Where a number comes from.

    Attributes:
        printed: The number as it was given.
        measure: The measure that was asked about; None when it was not named.
        exact: The value that cutline gives for it; NaN without a measure.
        explanations: What gives the number, the most plausible first.
        nearest: What comes nearest where nothing fits.
        tried: How many conventions were tried.
        by_accident: How many of these would fit by accident, as far as the numbers around it tell.
        notes: What was not tried, and why.
    """

    printed: str
    measure: str | None
    exact: float
    explanations: tuple[Explanation, ...]
    nearest: Explanation | None
    tried: int
    by_accident: float
    notes: tuple[str, ...] = ()

    @property
    def is_certain(self) -> bool:
        """Whether one explanation fits, no other does, and neither an accident nor another seed would do as well."""
        return len(self.explanations) == 1 and self.by_accident <= SURE and not self.explanations[0].spread

    @property
    def best(self) -> Explanation | None:
        """The most plausible explanation; None when there is none."""
        return self.explanations[0] if self.explanations else None

    @property
    def sentences(self) -> tuple[str, ...]:
        """The answer in sentences, the most important first."""
        if not self.explanations:
            return (*self._nothing(), *self.notes)
        first, others = self.explanations[0], self.explanations[1:]
        if first.spread:
            lines = [self._by_resampling(first), first.why]
        elif first.conventions:
            lines = [f"{self.printed} is what you get for {first.described}{self._exact()}.", first.why]
        else:
            lines = [
                f"{self.printed} is {first.described}{self._in_full(first)}: no convention is needed to explain it."
            ]
        lines += self._others(others)
        lines.append(self._evidence())
        return (*(line for line in lines if line), *self.notes)

    def _by_resampling(self, first: Explanation) -> str:
        ours = _like(first.value, self.printed)
        return f"{self.printed} may be {first.described}: resamples of our own give {ours}{self._exact()}."

    def _in_full(self, first: Explanation) -> str:
        """Return the value behind a number of hardly any digits, which would else pass for the value itself."""
        decimals = len(self.printed.partition(".")[2])
        return f", {first.value:.6g}, without its decimals" if not decimals and first.value % 1 else ""

    def _exact(self) -> str:
        if self.measure is None or math.isnan(self.exact):
            return ""
        return f"; the exact value is {_like(self.exact, self.printed)}"

    def _others(self, others: tuple[Explanation, ...]) -> list[str]:
        if not others:
            return []
        count = "1 other explanation fits" if len(others) == 1 else f"{len(others)} other explanations fit"
        named = "; ".join(f"{other.described}, {_like(other.value, self.printed)}" for other in others[:MOST_SHOWN])
        more = len(others) - MOST_SHOWN
        return [f"{count}: {named}{f'; and {more} more' if more > 0 else ''}."]

    def _evidence(self) -> str:
        if self.is_certain:
            return f"It is the only one of {self.tried:,} conventions that fits."
        if self.explanations[0].spread:
            return "Another seed gives another number, so that no digits can tell."
        if len(self.explanations) > 1:
            return "The number alone does not tell which of them it is; more digits may."
        about = f"{float(f'{self.by_accident:.1g}'):g}"  # 10 rather than 1e+01
        return f"The evidence is weak: of {self.tried:,} conventions, about {about} would fit by accident."

    def _nothing(self) -> tuple[str, ...]:
        about = f" for {self.measure}" if self.measure else ""
        lines = [f"No known convention gives {self.printed}{about}; {self.tried:,} were tried."]
        if self.measure and not math.isnan(self.exact):
            lines.append(f"The exact value is {_like(self.exact, self.printed)}.")
        if self.nearest is not None:
            lines.append(f"The nearest is {_like(self.nearest.value, self.printed)}, {self.nearest.described}.")
        return tuple(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as plain data, for JSON."""
        return {
            "schema": "cutline/why/1",
            "value": self.printed,
            "measure": self.measure,
            "exact": None if math.isnan(self.exact) else self.exact,
            "certain": self.is_certain,
            "tried": self.tried,
            "by_accident": round(self.by_accident, 4),
            "explanations": [explanation.to_dict() for explanation in self.explanations],
            "nearest": None if self.nearest is None else self.nearest.to_dict(),
            "sentences": list(self.sentences),
        }


def _like(value: float, text: str) -> str:
    """Return a value with one decimal more than a printed number has, and four at least."""
    decimals = len(text.rstrip("%").partition(".")[2].partition("e")[0])
    return shown(value) if decimals < 4 or abs(value) >= 1e4 else f"{value:.{min(decimals + 1, 15)}f}"
