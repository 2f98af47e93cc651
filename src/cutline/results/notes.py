"""Notes on results: caveats of single numbers, notes of documents, and the notes on the data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, Protocol, Self

import numpy as np

from cutline.core.binned_ranking import auc_width
from cutline.core.counts import format_number
from cutline.core.errors import InputError, shorten_repr
from cutline.core.messages import Argument, Text
from cutline.core.ranking import Ranking
from cutline.core.validation import format_count
from cutline.measures import MEASURES
from cutline.results.cut_point import CutPoint
from cutline.results.resample_budget import explain_fewer, explain_left_out

Direction = Literal["below", "above", ""]


class Caveat(str):
    """A sentence about a result, with an id and the direction in which the coverage errs.

    It prints and is stored as text. `direction` says whether the actual coverage is probably below or above
    the nominal level; only "below" is a warning, all else is a detail.

    >>> caveat = Caveat("few-groups", "Only 4 groups hold a positive case.", "below")
    >>> print(caveat, caveat.is_warning, caveat.id)
    Only 4 groups hold a positive case. True few-groups
    """

    id: str
    direction: Direction

    def __new__(cls, id: str, text: str, direction: Direction = "") -> Self:
        """Create the text with its id and direction."""
        caveat = super().__new__(cls, text)
        caveat.id, caveat.direction = id, direction
        return caveat

    def __getnewargs__(self) -> tuple[str, str, Direction]:  # type: ignore[override]
        return self.id, str(self), self.direction

    @property
    def is_warning(self) -> bool:
        """Whether something is likely wrong."""
        return self.direction == "below"

    def fill_in(self, *parts: object) -> Caveat:
        """Return the sentence with its placeholders filled in."""
        return Caveat(self.id, str(self).format(*parts), self.direction)


def find_warning(notes: Iterable[str]) -> Caveat | None:
    """Return the warning among some notes, if there is one."""
    return next((note for note in notes if isinstance(note, Caveat) and note.is_warning), None)


def keep_one_warning(notes: Iterable[str]) -> tuple[str, ...]:
    """Return the notes with the first warning before the details, each once, and no other warning."""
    warning, details = None, []
    for note in dict.fromkeys(notes):
        if not isinstance(note, Caveat) or not note.is_warning:
            details.append(note)
        elif warning is None:
            warning = note
    return tuple(details) if warning is None else (warning, *details)


Kind = Literal["warning", "advice", "fact"]
KINDS: tuple[Kind, ...] = ("warning", "advice", "fact")  # in the order in which they are read
DATA = "these data"
# The rules of warnings that question all numbers, which are said before them.
FIRST = ("one-class", "reversed", "labels", "perfect-calibration")
_NAMED = 4  # measures that a note names; of more it gives the number


@dataclass(frozen=True)
class Note:
    """One thing the reader of the numbers should know, in plain words, and whose advice it is."""

    rule: str
    text: str
    source: str = DATA
    kind: Kind = "fact"

    def __str__(self) -> str:
        return self.text

    def to_dict(self) -> dict[str, str]:
        """Return the fields, ready for JSON."""
        return {"rule": self.rule, "kind": self.kind, "text": self.text, "source": self.source}


def check_notes(notes: object) -> tuple[Note, ...]:
    """Check that all notes of a document are notes."""
    if not isinstance(notes, list | tuple) or not all(isinstance(note, Note) for note in notes):
        raise InputError(f"is {shorten_repr(notes)}", "pass notes, such as those of another summary", argument="notes")
    return tuple(notes)


class Qualified(Protocol):
    """A row of a summary, with what qualifies it."""

    @property
    def title(self) -> str:
        """Return the title of the measure."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Return the notes on the row."""


def merge_equal_notes(notes: Iterable[tuple[str, Iterable[str]]]) -> dict[str, str]:
    """Return each distinct note once, with the measures that it qualifies, or their number if there are many.

    >>> merge_equal_notes([("ks", ["biased"]), ("auch", ["biased"])])
    {'biased': 'ks, auch'}
    """
    by_text: dict[str, dict[str, None]] = {}
    for name, own in notes:
        for note in own:
            by_text.setdefault(note, {})[name] = None
    return {
        note: ", ".join(names) if len(names) <= _NAMED else f"{len(names)} measures" for note, names in by_text.items()
    }


def collect_row_notes(rows: Iterable[Qualified], known: Iterable[Note] = ()) -> tuple[Note, ...]:
    """Collect the notes on single measures, each once, except those that are also among the notes on all."""
    known_texts = {note.text for note in known}
    by_text = merge_equal_notes((row.title, row.notes) for row in rows)
    return tuple(
        Note("measure", f"{names}: {text}", kind="warning" if find_warning([text]) else "fact")
        for text, names in by_text.items()
        if text not in known_texts
    )


def make_data_notes(r: Ranking, cut: CutPoint, groups: int = 0) -> Iterator[Note]:
    """Yield the notes on a ranking with its cut, of independent or grouped cases."""
    if r.read_as:
        yield Note("read-as", r.read_as)
    if r.dropped:
        yield Note("dropped", f"{format_count(r.dropped, 'row')} with a missing value dropped.")
    if r.reach is not None:
        text = (
            f"The scores were put into {len(r):,} bins, which leave the AUC certain to {auc_width(r):.2g}. Each number "
            "that the order inside the bins affects has a bracket of its exact value, from at_least to at_most; "
            "where that cannot be proved, a note says that the value is approximate."
        )
        yield Note("binned", text)
    elif not r.exact:
        yield Note("binned", "The scores were binned: the values are bounds, not exact.")
    if groups:
        yield Note("groups", f"The cases come in {format_count(groups, 'group')}: intervals resample whole groups.")
    yield from _warn_of_order(r)
    yield from _warn_of_certain_errors(r)
    yield from _describe_cut(r, cut)


def make_resampling_notes(
    scores: int, requested: int | None, used: int, is_open: bool, *, is_wanted: bool
) -> Iterator[Note]:
    """Yield notes on the budget of resamples: fewer than usual, or none for measures without a closed form."""
    missing = explain_left_out(scores, used) if is_open and is_wanted and requested is None else ""
    texts = (explain_fewer(scores, used, requested), missing)
    if any(texts):
        yield Note("resamples", Text(texts[0], " " if all(texts) else "", texts[1]))


def _warn_of_order(r: Ranking) -> Iterator[Note]:
    if not r.positives or not r.negatives:
        text = "All cases are of one class: what compares the classes is undefined."
        yield Note("one-class", text, kind="warning")
    elif MEASURES["auc"].compute(r) < 0.5:
        turn = Argument("higher_is_positive", False)
        remedy = ("low scores mean positive, pass ", turn, ".")
        if not r.higher_is_positive:
            remedy = ("high scores mean positive, leave ", turn, " out.")
        yield Note("reversed", Text("The AUC is below 0.5. If ", *remedy), kind="warning")
    if len(r) <= 2 < r.total and r.reach is None:
        text = f"The scores have {format_count(len(r), 'distinct value')}: labels rather than scores."
        yield Note("labels", text, kind="warning")


def _warn_of_certain_errors(r: Ranking) -> Iterator[Note]:
    eps = np.finfo(r.score.dtype).eps
    clipped = r.pos[r.key < eps].sum() + r.neg[1 - r.key < eps].sum() if r.are_probabilities else 0
    if clipped:
        text = (
            f"For {format_number(clipped)} {'case' if clipped == 1 else 'cases'} the true class got probability 0 "
            "or nearly "
            f"0; log loss uses {eps:.2g} instead."
        )
        yield Note("certainly-wrong", text, kind="warning")


def _describe_cut(r: Ranking, cut: CutPoint) -> Iterator[Note]:
    low, high = sorted((float(r.score[0]), float(r.score[-1])))
    if cut.is_by_prevalence(r):
        text = Text(
            f"The scores are not probabilities ({low:g} to {high:g}); the cut is {cut.describe(r)}, which "
            "flags about as many cases as are positive. Pass ",
            *(Argument("threshold"), ", ", Argument("quota"), " or ", Argument("share"), " for another."),
        )
        yield Note("scale", text)
    yield from _warn_of_split_bin(r, cut)
    counts = cut.counts(r)
    if not counts.flagged or not counts.unflagged:
        whom = "nobody" if not counts.flagged else "everybody"
        alike = f"The threshold {cut.threshold:g} flags {whom}: the scores run from {low:g} to {high:g}."
        yield Note("all-alike", alike, kind="warning")


def _warn_of_split_bin(r: Ranking, cut: CutPoint) -> Iterator[Note]:
    """Yield a note on the bin that holds the threshold: which of its cases are flagged is unknown."""
    if r.reach is None or cut.by_quota:
        return
    sign = 1 if r.higher_is_positive else -1
    first, last = (sign * np.asarray(end, dtype=float) for end in r.reach)
    for i in np.flatnonzero((first >= sign * cut.threshold) & (last < sign * cut.threshold)):
        low, high = sorted((float(r.reach[0][i]), float(r.reach[1][i])))
        text = (
            f"The threshold {cut.threshold:g} goes through a bin with scores from {low:g} to {high:g}. Its cases are "
            f"counted on one side: in truth {format_number(r.ends[i])} to {format_number(r.ends[i + 1])} cases "
            "are flagged, of "
            "which "
            f"{format_number(r.tp[i])} to {format_number(r.tp[i + 1])} are positive. What rests on these counts "
            "has a bracket; a "
            "threshold at an end of the bin has none."
        )
        yield Note("inside-a-bin", text, kind="warning")
