"""The rules of the advice, and the context in which rules on one model are evaluated."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from cutline.core.ranking import Ranking
from cutline.core.validation import LEVEL, check_level
from cutline.evaluation import Evaluation
from cutline.inputs.rank import count_places
from cutline.measures import MEASURES
from cutline.results.estimate import Estimate
from cutline.results.notes import DATA, KINDS
from cutline.results.notes import Kind as Kind
from cutline.results.notes import Note as Note


@dataclass(frozen=True)
class Rule:
    """A rule: when a note is given, in words, and a function that returns its text, or None if it does not apply."""

    id: str
    kind: Kind
    when: str
    source: str
    find: Callable[[Any], str | None]

    def make_note(self, context: Any) -> Note | None:
        """Return the note; None if the rule does not apply."""
        text = self.find(context)
        return Note(self.id, text, self.source, self.kind) if text else None


def declare_rule(id: str, kind: Kind, *, when: str, source: str) -> Callable[[Callable[[Any], str | None]], Rule]:
    """Make the function below it a rule; it returns the text of the note, or None.

    Args:
        id: The name of the rule.
        kind: Whether its note is a warning, advice or a fact.
        when: When the note is given, in words.
        source: The text that supports the note.
    """
    return lambda find: Rule(id, kind, when, source, find)


def declare_data_rule(id: str, kind: Kind, when: str) -> Rule:
    """Make a rule that repeats a note on the data.

    Args:
        id: The name of the rule.
        kind: Whether its note is a warning, advice or a fact.
        when: When the note is given, in words.
    """
    return Rule(id, kind, when, DATA, lambda context: context.data_notes.get(id))


def sort_notes(notes: list[Note]) -> tuple[Note, ...]:
    """Sort notes: warnings first, then advice, then facts."""
    return tuple(sorted(notes, key=lambda note: KINDS.index(note.kind)))


MAJORITY = 0.8  # from this share of one class on the classes count as unbalanced

BERRAR = "Berrar 2025, section 6"
BERRAR_LOSS = "Berrar 2025, section 1"
BERRAR_RANKING = "Berrar 2025, section 4"
BERRAR_INTERVALS = "Berrar 2025, section 5"
WALD = "Berrar 2025, Definition 36"
SONNENBURG = "Sonnenburg, Performance Measures, summary"
SONNENBURG_TOP = "Sonnenburg, Performance Measures, extensions"
ARBEL = "Arbel & Rokach 2006, section 2.3.5"
ARBEL_END = "Arbel & Rokach 2006, section 5"
ARBEL_CUT = "Arbel & Rokach 2006, sections 2.2.4 and 5"
ARBEL_TIES = "Arbel & Rokach 2006, equation 5"
SPIEGELHALTER = "Spiegelhalter 1986, Statistics in Medicine 5, 421-433"
PROVOST = "Provost & Fawcett 2001, Machine Learning 42, 203-231"
VICKERS = "Vickers & Elkin 2006, Medical Decision Making 26, 565-574"
DELONG = "DeLong, DeLong & Clarke-Pearson 1988, Biometrics 44, 837-845"
DOMINANCE = "Arbel & Rokach 2006, Figure 4"
CUTLINE = "cutline, docs/identities.md"


@dataclass(frozen=True)
class RuleContext:
    """The context of a rule on one model: the evaluation, the quota, the visible measures, and all compared models.

    `models` is empty for a single model; otherwise notes give the values of all models, so that equal notes are given
    once. `level` is that of the intervals in the summary.
    """

    evaluation: Evaluation
    quota: float | None
    measures: tuple[str, ...] | None
    models: Mapping[str, Evaluation] = field(default_factory=dict)
    level: float = LEVEL

    @property
    def ranking(self) -> Ranking:
        """Ranking of the evaluation."""
        return self.evaluation.ranking

    @cached_property
    def data_notes(self) -> dict[str, str]:
        """Texts of the notes on the data, by the id of their rule."""
        return {note.rule: note.text for note in self.evaluation.data_notes}

    @cached_property
    def visible(self) -> frozenset[str]:
        """Names of the measures that the reader sees: the requested ones, or the headlines."""
        return frozenset(self.measures if self.measures is not None else (m.name for m in MEASURES if m.headline))

    def values(self, measure: str) -> str:
        """Format the value of a measure; with several models, the value and name of each."""
        if not self.models:
            return shorten(self.evaluation.value(measure))
        return ", ".join(f"{shorten(model.value(measure))} ({name})" for name, model in self.models.items())

    @property
    def two_classes(self) -> bool:
        """Whether there are cases of both classes."""
        return bool(self.ranking.positives and self.ranking.negatives)

    @property
    def are_labels(self) -> bool:
        """Whether the scores are labels rather than scores."""
        return len(self.ranking) <= 2

    @property
    def prevalence(self) -> float:
        """Share of the positives."""
        return float(self.ranking.positives / self.ranking.total)

    @cached_property
    def auc(self) -> Estimate | None:
        """AUC with its interval; None for one class, and for groups, whose interval needs the bootstrap."""
        if not self.two_classes or self.evaluation.groups is not None:
            return None
        return self.evaluation.estimate("auc", self.level)


def make_context(
    evaluation: Evaluation,
    *,
    quota: float | None,
    share: float | None,
    measures: Iterable[str] | None,
    models: Mapping[str, Evaluation],
    level: float,
) -> RuleContext:
    """Make the context of the rules, with a share converted to a quota and measures to their names."""
    if quota is not None or share is not None:
        quota = float(count_places(evaluation.ranking, quota=quota, share=share))
    names = None if measures is None else tuple(dict.fromkeys(MEASURES[m].name for m in measures))
    return RuleContext(evaluation, quota, names, models, check_level(level))


def format_percent(share: float) -> str:
    """Format a share in per cent, as 0 % or 100 % only if it is exact.

    >>> format_percent(0.97), format_percent(0.0312), format_percent(0.99996)
    ('97 %', '3.1 %', '99.996 %')
    """
    for digits in range(2, 8):
        text = f"{100 * share:.{digits}g}"
        if 0 < float(text) < 100 or share in (0, 1):
            return f"{text} %"
    return f"{100 * share:g} %"


def shorten(value: float) -> str:
    """Format a value with three digits, as 1 only if it is exact.

    >>> shorten(0.96549), shorten(0.1), shorten(1.0), shorten(0.99996)
    ('0.965', '0.1', '1', '0.99996')
    """
    for digits in range(3, 8):
        text = f"{value:.{digits}g}"
        if value == 1 or float(text) != 1:
            return text
    return f"{value:g}"
