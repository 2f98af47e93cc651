"""A chosen cut: its threshold, what it promises, and how good it is."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import NoneType
from typing import Any

import numpy as np

from cutline.core import atomic_write, validation
from cutline.core.array_ops import Array
from cutline.core.counts import Counts, add_commas, format_number
from cutline.core.errors import InputError, ParameterError, shorten_repr
from cutline.core.escaping import html_text, json_text
from cutline.core.public import public
from cutline.core.table import ComparedByFields, Table, format_value, to_json_value
from cutline.core.validation import check_type, to_json_label
from cutline.results.estimate import Estimate, Limits

SCHEMA = "cutline/cut/1"
NO_LIMITS = Limits(math.nan, math.nan)


@dataclass(frozen=True, eq=False)
class CutRequirement(ComparedByFields):
    """A requirement of a cut, with the guarantee behind it.

    `confidence` is None where nothing is promised, because the requirement is on the data at hand. `cases` is how many
    cases it rests on, `allowed` how many of them may be beyond the cut, `seen` how many are, and `needed` how many
    cases it takes at least; None where there is no such number.
    """

    requirement: str
    confidence: float | None = None
    about: str | None = None
    cases: int | None = None
    allowed: int | None = None
    seen: int | None = None
    needed: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, ready for JSON."""
        return dict(self.__dict__)


@public
@dataclass(frozen=True, eq=False)
class Cut(ComparedByFields):
    """A threshold that was chosen, with the statement that can be made of it. `choose_cut` makes it.

    `possible` says whether any cut keeps what was asked for; without one, `threshold` is NaN. A threshold beyond every
    score flags nobody. `apparent` is the value of the criterion on the data that chose the cut, `corrected` what it is
    worth on new cases, with its interval. `warnings` question the cut as a whole. `quota` is how many
    of the cases that chose the cut could be acted on, and `score` the column of their scores.
    """

    threshold: float
    statement: str
    possible: bool = True
    counts: Counts | None = None
    requirements: tuple[CutRequirement, ...] = ()
    criterion: str | None = None
    apparent: float = math.nan
    corrected: Estimate | None = None
    threshold_interval: Limits = NO_LIMITS
    estimates: tuple[Estimate, ...] = ()
    assumptions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    confidence: float | None = None
    after_looking: bool = False
    method: str = "optimum"
    prevalence: float | None = None
    higher_is_positive: bool = True
    positive: Any = 1
    warnings: tuple[str, ...] = ()
    quota: float | None = None
    score: str | None = None

    @property
    def optimism(self) -> float:
        """Return the apparent value less the corrected one; it is negative for a criterion that is minimised."""
        return math.nan if self.corrected is None else self.apparent - self.corrected.value

    @property
    def misses_allowed(self) -> int | None:
        """Return how many positives may be missed; None without a promise about recall, -1 if none is possible."""
        return self._find_promised("recall", "allowed")

    @property
    def positives_needed(self) -> int | None:
        """Return the smallest number of positives for the promise about recall; None without one."""
        return self._find_promised("recall", "needed")

    def _find_promised(self, about: str, field: str) -> int | None:
        counts: list[int] = [getattr(promise, field) for promise in self.requirements if promise.about == about]
        if not counts or None in counts:
            return None
        return max(counts) if field == "needed" else min(counts)

    @property
    def promises(self) -> bool:
        """Whether anything is promised about future cases."""
        return any(promise.confidence is not None for promise in self.requirements)

    # ------------------------------------------------------------------ use

    def apply(self, scores: Any) -> Array:
        """Return which cases are flagged.

        Args:
            scores: The scores of new cases, on the scale of those that chose the cut.

        >>> Cut(0.5, "").apply([0.2, 0.5, 0.9]).tolist()
        [False, True, True]
        """
        self.require()
        values = validation.as_scores(scores)
        if np.isnan(values).any():
            raise validation.make_missing_error(
                "scores", np.isnan(values), None, "a case without a score cannot be flagged or not"
            )
        if self._describe_flagged() == "nobody":
            return np.zeros(values.shape, dtype=bool)  # infinite scores are not beyond it either
        with np.errstate(over="ignore"):
            threshold = values.dtype.type(self.threshold)
        flagged = np.asarray(values >= threshold if self.higher_is_positive else values <= threshold)
        surprise = self.surprise(float(flagged.sum()), float(flagged.size))
        if surprise:
            warnings.warn(surprise, stacklevel=2)
        return flagged

    def surprise(self, flagged: float, cases: float) -> str:
        """Return a warning when the share of flagged cases differs from the share on the cases that chose the cut, or
        their number from its quota; else empty.

        The share has to differ by more than three standard errors and by more than a tenth.

        Args:
            flagged: How many of the new cases are flagged.
            cases: How many new cases there are.

        >>> Cut(0.5, "", counts=Counts(10, 5, 5, 80)).surprise(22, 100)
        ''
        >>> Cut(0.5, "", counts=Counts(100, 50, 50, 800)).surprise(220, 1000)
        'The cut flags 22 % of these cases, but flagged 15 % of those that chose it: the scores may have shifted.'
        """
        flagged = validation.check_number(flagged, "flagged")
        cases = validation.check_number(cases, "cases")
        if self.counts is None or not 0 <= flagged <= cases or not cases or not float(self.counts.total):
            return ""
        return " ".join(
            filter(None, (self._compare_with_quota(flagged, cases), self._compare_with_share(flagged, cases)))
        )

    def _compare_with_quota(self, flagged: float, cases: float) -> str:
        """Return the warning that the threshold of a quota flags another number of these cases; else empty."""
        assert self.counts is not None  # noqa: S101 - surprise() has looked
        if self.quota is None or flagged == self.quota or cases == float(self.counts.total):
            return ""
        quota = add_commas(self.quota)
        return (
            f"The quota of {quota} was for a list of {add_commas(self.counts.total)} cases; its threshold flags "
            f"{add_commas(flagged)} of these {add_commas(cases)}. To act on {quota} of them, take the first {quota} "
            "by score; a cut by share fits lists of any length."
        )

    def _compare_with_share(self, flagged: float, cases: float) -> str:
        assert self.counts is not None  # noqa: S101 - surprise() has looked
        before, total = float(self.counts.flagged / self.counts.total), float(self.counts.total)
        now, pooled = flagged / cases, (flagged + before * total) / (cases + total)
        error = math.sqrt(pooled * (1 - pooled) * (1 / cases + 1 / total))
        if abs(now - before) <= max(3 * error, 0.1 * before):
            return ""
        return (
            f"The cut flags {100 * now:.3g} % of these cases, but flagged {100 * before:.3g} % of those that chose it: "
            "the scores may have shifted."
        )

    def require(self) -> None:
        """Raise if there is no threshold."""
        if not self.possible:
            raise ParameterError(f"There is no cut to apply. {self.statement}")

    # ------------------------------------------------------------------ looks

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, ready for JSON."""
        counts = self.counts.to_dict() if self.counts is not None else None
        return {
            "schema": SCHEMA,
            "threshold": to_json_value(self.threshold),
            "flags": self._describe_flagged(),
            "higher_is_positive": self.higher_is_positive,
            "positive": to_json_label(self.positive),
            "possible": self.possible,
            "statement": self.statement,
            "assumptions": list(self.assumptions),
            "notes": list(self.notes),
            "warnings": list(self.warnings),
            "requirements": [promise.to_dict() for promise in self.requirements],
            "criterion": self.criterion,
            "apparent": to_json_value(self.apparent),
            "optimism": to_json_value(self.optimism),
            "corrected": None if self.corrected is None else self.corrected.to_dict(),
            "threshold_interval": [_convert_limit(limit) for limit in self.threshold_interval],
            "confidence": self.confidence,
            "after_looking": self.after_looking,
            "method": self.method,
            "prevalence": self.prevalence,
            "quota": self.quota,
            "score": self.score,
            "counts": counts,
            "estimates": [estimate.to_dict() for estimate in self.estimates],
        }

    def _describe_flagged(self) -> str:
        if not self.possible:
            return "undecided"
        if math.isfinite(self.threshold):
            return f"score {'>=' if self.higher_is_positive else '<='} threshold"
        return "nobody" if (self.threshold > 0) == self.higher_is_positive else "everybody"

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Cut:
        """Return the cut that `to_dict` wrote.

        Args:
            document: What a file of a cut holds.
        """
        if not isinstance(document, Mapping):
            raise InputError(f"A cut cannot be {shorten_repr(document)}", "pass what Cut.to_dict() gave")
        try:
            if document["schema"] != SCHEMA:
                raise InputError(f"The schema is {document['schema']!r}", f"pass a cut, {SCHEMA!r}")
            high = check_type(document["higher_is_positive"], bool)
            nobody = math.inf if high else -math.inf
            edge = {"nobody": nobody, "everybody": -nobody}.get(document["flags"], math.nan)
            if document["threshold"] is None and document["possible"] and math.isnan(edge):
                raise InputError("This cut has no threshold", "pass what Cut.to_dict() wrote")
            counts = document["counts"]
            corrected = document["corrected"]
            cut = cls(
                threshold=edge
                if document["threshold"] is None
                else validation.check_number(document["threshold"], "threshold"),
                statement=check_type(document["statement"], str),
                possible=check_type(document["possible"], bool),
                counts=None if counts is None else _read_counts(counts),
                requirements=tuple(map(_read_requirement, check_type(document["requirements"], list))),
                criterion=check_type(document["criterion"], str, NoneType),
                apparent=_read_float(document["apparent"]),
                corrected=None if corrected is None else _read_estimate(corrected),
                threshold_interval=Limits(*(_read_float(limit) for limit in document["threshold_interval"])),
                estimates=tuple(map(_read_estimate, check_type(document["estimates"], list))),
                assumptions=_read_texts(document["assumptions"]),
                notes=_read_texts(document["notes"]),
                confidence=_read_share(document["confidence"]),
                after_looking=check_type(document["after_looking"], bool),
                method=check_type(document["method"], str),
                prevalence=_read_share(document["prevalence"]),
                higher_is_positive=high,
                positive=check_type(document["positive"], str, bool, int, float),
                warnings=_read_texts(document.get("warnings", [])),  # cuts of former versions have none, nor a quota
                quota=None if document.get("quota") is None else validation.check_number(document["quota"], "quota"),
                score=check_type(document.get("score"), str, NoneType),
            )
            if cut._describe_flagged() != document["flags"]:
                raise ValueError(f"it flags {document['flags']!r}")
            return cut
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            if isinstance(error, InputError):
                raise
            problem = f"it has no {error}" if isinstance(error, KeyError) else f"{error!r:.60}"
            raise InputError(f"This is not a complete cut ({problem})", "pass what Cut.to_dict() wrote") from None

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
        """Write the cut as JSON; `cutline.load` reads it.

        Args:
            path: The file to write.
            overwrite: Whether a file of that name may be replaced.
        """
        text = json_text(self.to_dict()) + "\n"
        return atomic_write.write(path, text.encode(), overwrite=overwrite)

    def _make_table(self) -> Table:
        rows = [(row.measure, row.value, row.low, row.high) for row in self.estimates]
        return Table((self.table_title, "value", "low", "high"), tuple(rows))

    @property
    def table_title(self) -> str:
        """Return the heading of the estimates."""
        place = "at this cut" if self.quota is None else "at this threshold, kept fixed"
        return place if self.prevalence is None else f"{place}, prevalence {100 * self.prevalence:g} %"

    @property
    def details(self) -> list[str]:
        """Return sentences on the counts of the cut, the interval of its threshold and its value on new cases."""
        lines = [] if self.counts is None else [_describe_counts(self.counts)]
        low, high = self.threshold_interval
        if not (math.isnan(low) or math.isnan(high)):
            lines.append(
                f"Threshold {format_number(self.threshold)}, bootstrap interval {format_number(low)} to "
                f"{format_number(high)}."
            )
        if self.corrected is not None:
            interval = (
                f" [{format_value(self.corrected.low)}, {format_value(self.corrected.high)}]"
                if self.corrected.has_interval
                else ""
            )
            lines.append(
                f"{self.criterion}: {format_value(self.apparent)} here, "
                f"{format_value(self.corrected.value)}{interval} on new cases "
                f"(optimism {format_value(self.optimism)})."
            )
        return lines

    def __repr__(self) -> str:
        counts = [] if self.counts is None else [repr(self.counts)]
        table = ["", repr(self._make_table()), ""] if self.estimates else []
        notes = [f"Assumes: {text}" for text in self.assumptions] + [f"Note: {text}" for text in self.notes]
        warned = [f"Warning: {text}" for text in self.warnings]
        return "\n".join([*warned, self.statement, *self.details, *counts, *table, *notes])

    def _repr_html_(self) -> str:
        warned = [f"Warning: {text}" for text in self.warnings]
        lines = "".join(f"<p>{html_text(line)}</p>" for line in (*warned, self.statement, *self.details))
        items = [f"Assumes: {text}" for text in self.assumptions] + [f"Note: {text}" for text in self.notes]
        items_html = "".join(f"<li>{html_text(text)}</li>" for text in items)
        counts = "" if self.counts is None else self.counts._repr_html_()
        table = self._make_table()._repr_html_() if self.estimates else ""
        return f"<div>{lines}{counts}{table}<ul>{items_html}</ul></div>"


def _describe_counts(c: Counts) -> str:
    """Return a sentence on the counts of a cut on the cases that chose it."""
    finds = f"it finds {add_commas(c.tp)} of the {add_commas(c.positives)} positives"
    alarms = f"{add_commas(c.fp)} false {'alarm' if c.fp == 1 else 'alarms'}" if c.fp else "no false alarm"
    return f"On these cases it flags {add_commas(c.flagged)} of {add_commas(c.total)}: {finds}, with {alarms}."


def _convert_limit(value: float) -> Any:
    """Convert a limit to a type that JSON has; infinity becomes "inf"."""
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return to_json_value(value)


def _read_texts(values: Any) -> tuple[str, ...]:
    return tuple(check_type(text, str) for text in check_type(values, list))


def _read_float(value: Any) -> float:
    return math.nan if value is None else float(check_type(value, int, float, str))  # "inf" is text


def _read_share(value: Any) -> Any:
    if value is not None and not 0 <= check_type(value, float, int) <= 1:
        raise ValueError(f"{shorten_repr(value)} is not between 0 and 1")
    return value


def _read_requirement(fields: Mapping[str, Any]) -> CutRequirement:
    numbers = {name: check_type(fields[name], int, NoneType) for name in ("cases", "allowed", "seen", "needed")}
    if not all(number is None or -1 <= number < 2**63 for number in numbers.values()):
        raise ValueError(f"counts cannot be {shorten_repr(numbers)}")
    return CutRequirement(
        check_type(fields["requirement"], str),
        _read_share(fields["confidence"]),
        check_type(fields["about"], str, NoneType),
        **numbers,
    )


def _read_estimate(fields: Mapping[str, Any]) -> Estimate:
    numbers = {name: _read_float(fields[name]) for name in ("value", "low", "high")}
    return Estimate(
        check_type(fields["measure"], str),
        **numbers,
        level=_read_share(check_type(fields["level"], float, int)),
        method=check_type(fields["method"], str),
        notes=_read_texts(fields["notes"]),
    )


def _read_counts(fields: Mapping[str, Any]) -> Counts:
    cells = [fields[name] for name in ("tp", "fp", "fn", "tn")]
    if not all(type(cell) in (int, float) and 0 <= cell < 2**63 for cell in cells):
        raise InputError(f"Counts of a cut cannot be {shorten_repr(cells)}", "pass what Cut.to_dict() wrote")
    tp, fp, fn, tn = cells
    return Counts(tp, fp, fn, tn, _read_float(fields["threshold"]))
