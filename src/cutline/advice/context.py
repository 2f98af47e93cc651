"""What a rule about one model looks at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from cutline.core.ranking import Ranking
from cutline.core.validation import LEVEL, check_level
from cutline.evaluation import Evaluation
from cutline.inputs.rank import places
from cutline.measures import MEASURES
from cutline.results.estimate import Estimate


@dataclass(frozen=True)
class RuleContext:
    """An evaluation, the places that can be filled, the measures that the reader sees, and the models beside it.

    `models` is empty for a model alone. A note that gives the value of each says the same of all, and is given once.
    `level` is that of the intervals that the reader sees: notes speak of the same ones.
    """

    evaluation: Evaluation
    quota: float | None
    measures: tuple[str, ...] | None
    models: Mapping[str, Evaluation] = field(default_factory=dict)
    level: float = LEVEL

    @property
    def ranking(self) -> Ranking:
        """The ranking of the evaluation."""
        return self.evaluation.ranking

    @cached_property
    def data_notes(self) -> dict[str, str]:
        """What the data say about themselves, by rule."""
        return {note.rule: note.text for note in self.evaluation.data_notes}

    @cached_property
    def seen(self) -> frozenset[str]:
        """The measures that the reader sees: those asked for, or the headlines."""
        return frozenset(self.measures if self.measures is not None else (m.name for m in MEASURES if m.headline))

    def values(self, measure: str) -> str:
        """The value of a measure, of each model by its name when there are several."""
        if not self.models:
            return brief(self.evaluation.value(measure))
        return ", ".join(f"{brief(model.value(measure))} ({name})" for name, model in self.models.items())

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
        """The share of the positives."""
        return float(self.ranking.positives / self.ranking.total)

    @cached_property
    def auc(self) -> Estimate | None:
        """The AUC with its interval; None for groups, whose interval takes resampling, and for one class."""
        if not self.two_classes or self.evaluation.groups is not None:
            return None
        return self.evaluation.estimate("auc", self.level)


def rule_context(
    evaluation: Evaluation,
    *,
    quota: float | None,
    share: float | None,
    measures: Iterable[str] | None,
    models: Mapping[str, Evaluation],
    level: float,
) -> RuleContext:
    """The question, with the share as places and the measures by their names."""
    if quota is not None or share is not None:
        quota = float(places(evaluation.ranking, quota=quota, share=share))
    names = None if measures is None else tuple(dict.fromkeys(MEASURES[m].name for m in measures))
    return RuleContext(evaluation, quota, names, models, check_level(level))


def percent(share: float) -> str:
    """A share in words; never a whole that it is not.

    >>> percent(0.97), percent(0.0312), percent(0.99996)
    ('97 %', '3.1 %', '99.996 %')
    """
    for digits in range(2, 8):
        text = f"{100 * share:.{digits}g}"
        if 0 < float(text) < 100 or share in (0, 1):
            return f"{text} %"
    return f"{100 * share:g} %"


def brief(value: float) -> str:
    """A value in three digits.

    >>> brief(0.96549), brief(0.1), brief(1.0), brief(0.99996)
    ('0.965', '0.1', '1', '0.99996')
    """
    for digits in range(3, 8):
        text = f"{value:.{digits}g}"
        if value == 1 or float(text) != 1:
            return text
    return f"{value:g}"
