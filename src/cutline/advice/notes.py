"""notes(), notes_on() and add_notes(): what the reader of one model, of several, and of a summary should know."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, overload

from cutline.advice.context import RuleContext, make_context, sort_notes
from cutline.advice.rules import COMPARISON_RULES, MODEL_RULES, ComparisonContext
from cutline.core.messages import Text
from cutline.core.validation import LEVEL, check_level
from cutline.evaluation import Evaluation
from cutline.inputs.rank import count_places
from cutline.measures import MEASURES
from cutline.results.notes import Note
from cutline.results.summary import Summary

if TYPE_CHECKING:
    from cutline.comparison import Comparison
    from cutline.results.comparison_summary import ComparisonSummary


def notes(
    evaluation: Evaluation,
    *,
    quota: float | None = None,
    share: float | None = None,
    measures: Iterable[str] | None = None,
    level: float = LEVEL,
) -> tuple[Note, ...]:
    """Return what the reader of one model's numbers should know: warnings first, then advice, then facts.

    What `Evaluation.data_notes` says is among them.

    Args:
        evaluation: The model.
        quota: How many cases can be acted on.
        share: The same as a share of the cases.
        measures: The measures that the reader sees, by name; the headlines when None.
        level: The level of the intervals in the notes.

    >>> from cutline import evaluate
    >>> [note.rule for note in notes(evaluate([1, 0, 1, 0], [0.9, 0.9, 0.2, 0.2]))][0]
    'labels'
    """
    return sort_notes(
        apply_rules(make_context(evaluation, quota=quota, share=share, measures=measures, models={}, level=level))
    )


def apply_rules(about: RuleContext) -> list[Note]:
    """Return the notes of the rules that apply, in their order."""
    return [note for rule in MODEL_RULES if (note := rule.make_note(about))]


def notes_on(
    comparison: Comparison,
    *,
    quota: float | None = None,
    share: float | None = None,
    measures: Iterable[str] | None = None,
    level: float = LEVEL,
    resamples: int | None = None,
    seed: int = 0,
    without: Collection[str] = (),
) -> tuple[Note, ...]:
    """Return what the reader of a comparison should know: of all models together, then of each.

    A note that holds for every model is given once; of the notes on single models only warnings are given, with the
    name of the model.

    Args:
        comparison: The models.
        quota: How many cases can be acted on.
        share: The same as a share of the cases.
        measures: The measures that the reader sees, by name; the headlines when None.
        level: The level of the intervals and tests in the notes.
        resamples: How many resamples may be drawn for a note; by `cutline.results.resample_budget` when
            None, and 0 for none.
        seed: The seed of these resamples.
        without: Rules that are left out, by name.
    """
    names = None if measures is None else tuple(MEASURES[m].name for m in measures)
    j = None
    if quota is not None or share is not None:
        j = float(count_places(comparison.pairing.rankings[0], quota=quota, share=share))
    about = ComparisonContext(
        comparison, j, None if names is None else frozenset(names), check_level(level), resamples, seed
    )
    of_all = [note for rule in COMPARISON_RULES if rule.id not in without and (note := rule.make_note(about))]
    models = dict(comparison.items())
    of_each = {
        name: apply_rules(
            make_context(evaluation, quota=quota, share=share, measures=names, models=models, level=level)
        )
        for name, evaluation in models.items()
    }
    return sort_notes([*of_all, *_merge_by_model(of_each)])


def _merge_by_model(by_model: Mapping[str, Iterable[Note]]) -> list[Note]:
    """Return the notes that hold for all models, and the warnings on some with their names."""
    holders: dict[Note, list[str]] = {}
    for name, notes in by_model.items():
        for note in notes:
            holders.setdefault(note, []).append(name)
    merged = []
    for note, of in holders.items():
        if len(of) == len(by_model):
            merged.append(note)
        elif note.kind == "warning":
            merged.append(Note(note.rule, Text(f"{', '.join(of)}: ", note.text), note.source, note.kind))
    return merged


# Notes on the data that are kept even if no rule of the advice repeats them.
_OF_DATA = ("resamples", "groups-are-folds", "groups-differ")


@overload
def add_notes(subject: Evaluation, summary: Summary, measures: Iterable[str] | None = None) -> Summary: ...
@overload
def add_notes(
    subject: Comparison, summary: ComparisonSummary, measures: Iterable[str] | None = None
) -> ComparisonSummary: ...
def add_notes(
    subject: Evaluation | Comparison, summary: Summary | ComparisonSummary, measures: Iterable[str] | None = None
) -> Summary | ComparisonSummary:
    """Return the summary with the notes on its data, its numbers and how they were made.

    Args:
        subject: The evaluation or comparison.
        summary: The finished summary.
        measures: The requested measures, by name; the headlines when None.
    """
    names = None if measures is None else list(measures)
    cut = summary.options.cut
    about = tuple(note for note in summary.notes if note.rule in _OF_DATA)
    if isinstance(summary, Summary) and isinstance(subject, Evaluation):
        at_cut = subject if subject.cut == cut else subject.with_cut(**cut.parameters)
        found_notes = notes(at_cut, quota=cut.quota, share=cut.share, measures=names, level=summary.level)
    elif not isinstance(summary, Summary) and not isinstance(subject, Evaluation):
        # The verdict of the summary says which models differ, and at which rates each leads.
        without = ["too-small"] if summary.verdict else []
        options = summary.options
        how: dict[str, Any] = {"level": options.level, "resamples": options.resamples, "seed": options.seed}
        found_notes = notes_on(subject, quota=cut.quota, share=cut.share, measures=names, without=without, **how)
    else:
        raise TypeError("a summary of something else")
    known = {note.rule for note in found_notes}
    return summary.with_notes(tuple(sort_notes([*found_notes, *(note for note in about if note.rule not in known)])))
