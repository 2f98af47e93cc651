"""The language of requirements, for gates and for cuts alike.

MEASURE[.low|.high|.value][@parameter=value,...] then >=, <=, > or < and a number, such as "recall >= 0.9". The part may
also stand after the parameters: hit_rate@quota=500.low.
"""

from __future__ import annotations

import operator
import re
from dataclasses import dataclass, field
from typing import Any

from cutline.core.errors import ParameterError, hint_similar
from cutline.measures import MEASURES, Measure, Needs
from cutline.measures.aliases import use_alias

PARTS = ("value", "low", "high")
_OPERATORS = {">=": operator.ge, "<=": operator.le, ">": operator.gt, "<": operator.lt}
_CUTS = ("threshold", "quota", "share")
_ALSO = {"share": "predicted_positive_rate"}  # words that only a requirement knows: elsewhere share= names a cut
# A dot that a letter follows is no part of the number: quota=500.low.
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]+|\.(?![A-Za-z_]))?|\.[0-9]+)([eE][+-]?[0-9]+)?%?")
_DIGITS = 308  # of a whole number that a float can hold
_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class Term:
    """A measure with its parameters, and which of its numbers is meant."""

    measure: Measure
    part: str = "value"
    parameters: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        where = ",".join(f"{name}={value}" for name, value in self.parameters.items())
        return f"{self.measure.display_name}@{where}" if where else self.measure.display_name


@dataclass(frozen=True)
class Requirement:
    """A condition on one number."""

    text: str
    term: Term
    comparison: str
    bound: float

    @property
    def is_floor(self) -> bool:
        """Whether the value has to be large."""
        return self.comparison.startswith(">")

    def holds(self, value: float) -> bool:
        """Whether the value meets it; NaN never does."""
        return bool(self.hold(value))

    def hold(self, values: Any) -> Any:
        """Return whether each value meets it; NaN never does."""
        return _OPERATORS[self.comparison](values, self.bound)


class _Reader:
    """Reads a text from left to right and says where it went wrong."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0

    def skip(self) -> None:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1

    def take(self, pattern: re.Pattern[str], expected: str) -> str:
        self.skip()
        match = pattern.match(self.text, self.at)
        if not match:
            raise self.error(f"expected {expected}")
        self.at = match.end()
        return match[0]

    def takes(self, sign: str) -> bool:
        self.skip()
        if not self.text.startswith(sign, self.at):
            return False
        self.at += len(sign)
        return True

    def error(self, what: str, hint: str = "", at: int | None = None) -> ParameterError:
        place = self.at if at is None else at
        rest = f"{self.text[place:][:12]!r} at character {place + 1}" if self.text[place:] else "the end"
        return ParameterError(f"In {self.text!r}: {what}, but found {rest}.{hint}")


def parse_requirement(text: str, *, has_quota: bool = False) -> Requirement:
    """Return a requirement from its text.

    Args:
        text: The requirement.
        has_quota: Whether the cases are cut at a quota or a share, which measures of a quota then take.

    >>> found = parse_requirement("f_beta@beta=2,threshold=0.3 > 0.5")
    >>> found.term.measure.name, found.term.parameters, found.comparison, found.bound
    ('f_beta', {'beta': 2, 'threshold': 0.3}, '>', 0.5)
    """
    reader = _Reader(text)
    term = _read_term(reader)
    reader.skip()
    comparison = reader.take(re.compile(r">=|<=|>|<"), "one of >=, <=, >, <")
    bound = _read_number(reader)
    if not has_quota:
        check_complete(term)
    reader.skip()
    if reader.at < len(text):
        raise reader.error("expected nothing more")
    return Requirement(text, term, comparison, float(bound))


def check_complete(term: Term) -> None:
    """Raise if a measure of a quota comes without one."""
    if "quota" in term.measure.required and not {"quota", "share"} & set(term.parameters):
        name = term.measure.display_name
        raise ParameterError(f"{name} needs a quota", f"write {name}@quota=100 or {name}@share=5%")


def parse_terms(text: str) -> list[Term]:
    """Return measures from a list of names with commas between them, parameters after @."""
    parsed = []
    for part in re.split(r",(?!\s*\w+\s*=)", text):
        reader = _Reader(part.strip())
        parsed.append(_read_term(reader, whole=True))
        reader.skip()
        if reader.at < len(reader.text):
            raise reader.error("expected a comma or the end")
    return parsed


def _read_term(reader: _Reader, *, whole: bool = False) -> Term:
    """Return a measure; a whole one with its interval, or one of its numbers."""
    reader.skip()
    start = reader.at
    name = reader.take(_WORD, "the name of a measure")
    name = name if name in MEASURES else _ALSO.get(name, name)
    if name not in MEASURES:
        raise reader.error("expected the name of a measure", hint_similar(name, MEASURES.names), start)
    measure, part = use_alias(MEASURES[name], name), "value"
    if whole and reader.text[reader.at :].startswith("."):
        raise reader.error("expected the measure alone, which comes with its interval")
    if reader.takes("."):
        part = _read_part(reader)
    parameters = {}
    if reader.takes("@"):
        while True:
            key, value = _read_parameter(reader, measure)
            parameters[key] = value
            if not reader.takes(","):
                break
        if not whole and reader.takes("."):
            part = _read_part(reader)
    return Term(measure, part, parameters)


def _read_part(reader: _Reader) -> str:
    """Read which number of an estimate is meant."""
    start = reader.at
    part = reader.take(_WORD, "low, high or value")
    if part not in PARTS:
        raise reader.error("expected low, high or value", hint_similar(part, PARTS), start)
    return part


def _read_parameter(reader: _Reader, measure: Measure) -> tuple[str, Any]:
    takes = [*(_CUTS if measure.needs is Needs.COUNTS else ()), *measure.parameters]
    if "quota" in measure.parameters:
        takes.append("share")
    reader.skip()
    start = reader.at
    key = reader.take(_WORD, "the name of a parameter")
    if key not in takes:
        words = f"a parameter of {measure.name}, which has {', '.join(takes) or 'none'}"
        raise reader.error(f"expected {words}", hint_similar(key, takes), start)
    if not reader.takes("="):
        raise reader.error("expected =")
    reader.skip()
    if _WORD.match(reader.text, reader.at):
        return key, reader.take(_WORD, "a value")
    return key, _read_number(reader)


def _read_number(reader: _Reader) -> float | int:
    text = reader.take(_NUMBER, "a number")
    if text.endswith("%"):
        return float(text[:-1]) / 100
    if not text.lstrip("+-").isdigit():
        return float(text)
    digits = len(text.lstrip("+-0"))
    if digits > _DIGITS:
        raise reader.error(f"a number of {digits} digits is beyond what a float holds", at=reader.at - len(text))
    return int(text)
