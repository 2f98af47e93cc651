"""Validation of the settings that a page sends: names of columns, and a cut."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, NamedTuple, get_args

from cutline.cli.command import Fraction
from cutline.core.errors import ParameterError

Cut = Literal["default", "threshold", "quota", "share", "costs", "promise"]


class PromisedMeasure(NamedTuple):
    """A measure that a cut can promise, as the page calls it, and the side of its bound."""

    title: str
    side: Literal[">=", "<="]


PROMISES = {
    "recall": PromisedMeasure("Positives found (recall), at least", ">="),
    "precision": PromisedMeasure("Flagged that are positive (precision), at least", ">="),
    "specificity": PromisedMeasure("Negatives not flagged (specificity), at least", ">="),
    "fpr": PromisedMeasure("Negatives flagged (false positive rate), at most", "<="),
    "share": PromisedMeasure("Share of all cases flagged, at most", "<="),
}
# Methods of recalibration, with their titles.
METHODS = {
    "intercept": "intercept",
    "logistic": "logistic",
    "beta": "beta",
    "isotonic": "isotonic",
    "venn_abers": "Venn-Abers",
}
_LONGEST = 1000  # characters of the name of a column


@dataclass(frozen=True)
class Settings:
    """Settings of reading the file and of the cut; an empty text means no value."""

    label: str = ""
    score: str = ""
    second: str = ""
    positive: str = ""
    weight: str = ""
    group: str = ""
    by: str = ""
    lower_is_positive: bool = False
    drop_missing: bool = False
    cut: Cut = "default"
    threshold: str = ""
    quota: str = ""
    share: str = ""
    cost_fp: str = ""
    cost_fn: str = ""
    promise: str = "recall"
    promise_value: str = ""
    second_promise: str = ""
    second_promise_value: str = ""
    confidence: str = "95 %"
    after_looking: bool = False

    @classmethod
    def parse(cls, document: Any) -> Settings:
        """Return the settings that a page sent, or raise if they are not such."""
        if not isinstance(document, Mapping):
            raise ParameterError("The settings are not an object", "reload the page")
        kinds = {field.name: bool if field.type == "bool" else str for field in fields(cls)}
        for name, value in document.items():
            if name not in kinds or type(value) is not kinds[name] or len(str(value)) > _LONGEST:
                raise ParameterError("The settings are not those of this page", "reload the page")
        settings = cls(**document)
        if settings.cut not in get_args(Cut):
            raise ParameterError("The settings are not those of this page", "reload the page")
        return settings

    def number(self, name: str) -> float:
        """Return the number of a field; a decimal comma and a percent sign are understood."""
        return parse_number(getattr(self, name), TITLES[name])

    @property
    def requirements(self) -> tuple[str, ...]:
        """Promises as `choose_cut` takes them, such as "recall >= 0.9"."""
        requirements = []
        for field in ("promise", "second_promise"):
            measure = getattr(self, field)
            if measure and measure not in PROMISES:
                raise ParameterError("The settings are not those of this page", "reload the page")
            if measure:
                requirements.append(f"{measure} {PROMISES[measure].side} {self.number(f'{field}_value')!r}")
        return tuple(requirements)


# What the page calls its fields, for sentences about them.
TITLES = {
    "labels": "Label",
    "scores": "Score",
    "weights": "Weight",
    "groups": "Group",
    "by": "Slices",
    "positive": "Positive value",
    "threshold": "Threshold",
    "quota": "Number of cases",
    "share": "Share of the cases",
    "cost_fp": "Cost of a false alarm",
    "cost_fn": "Cost of a missed positive",
    "promise_value": "Promise",
    "second_promise_value": "Second promise",
    "confidence": "Confidence",
    "level": "Confidence",
    "missing": "Leave out rows with missing values",
    "higher_is_positive": "Low scores mean positive",
    "after_looking": "I have looked at the results before",
}


def parse_number(text: str, title: str) -> float:
    """Return the number that a text spells, such as 0.9, 0,9 or 90 %.

    >>> parse_number("0,25", "Threshold"), parse_number("99.9 %", "Confidence")
    (0.25, 0.999)
    """
    plain = text.strip().replace("\N{NO-BREAK SPACE}", "").replace(" ", "").replace(",", ".")
    try:
        number = Fraction.read(plain)
    except ValueError:
        raise ParameterError(f"{title} is {text!r}" if plain else f"{title} is empty", "type a number") from None
    if not math.isfinite(number):
        raise ParameterError(f"{title} is {text!r}", "type a number")
    return number
