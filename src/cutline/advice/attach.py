"""add_notes(): a finished summary with all that its reader should know."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, overload

from cutline.advice.context import in_order
from cutline.advice.one_model import notes
from cutline.evaluation import Evaluation
from cutline.results.summary import Summary

if TYPE_CHECKING:
    from cutline.comparison import Comparison
    from cutline.results.comparison_summary import ComparisonSummary

# Notes on how the data were made, which stay even where no rule of the advice repeats them.
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
    """The summary with the notes on its data, its numbers and how they were made.

    Args:
        subject: What was summarized.
        summary: The finished summary.
        measures: The measures that the reader asked for by name; None for the usual ones.
    """
    names = None if measures is None else list(measures)
    cut = summary.options.cut
    about = tuple(note for note in summary.notes if note.rule in _OF_DATA)
    if isinstance(summary, Summary) and isinstance(subject, Evaluation):
        here = subject if subject.cut == cut else subject.with_cut(**cut.parameters)
        listed = notes(here, quota=cut.quota, share=cut.share, measures=names, level=summary.level)
    elif not isinstance(summary, Summary) and not isinstance(subject, Evaluation):
        from cutline.advice.several_models import notes_on  # which loads comparisons: not for one model

        # The verdict of the summary says which models differ, and at which rates each leads.
        without = ["too-small"] if summary.verdict else []
        options = summary.options
        how: dict[str, Any] = {"level": options.level, "resamples": options.resamples, "seed": options.seed}
        listed = notes_on(subject, quota=cut.quota, share=cut.share, measures=names, without=without, **how)
    else:
        raise TypeError("a summary of something else")
    known = {note.rule for note in listed}
    return summary.with_notes(tuple(in_order([*listed, *(note for note in about if note.rule not in known)])))
