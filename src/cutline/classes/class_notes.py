"""What the reader of the numbers of several classes should know about the data."""

from __future__ import annotations

from collections.abc import Iterator

from cutline.classes.class_intervals import few_cases
from cutline.core.columns import counted
from cutline.inputs.class_cases import ClassCases
from cutline.results.notes import Note


def notes_on(cases: ClassCases) -> Iterator[Note]:
    """The notes on some cases, in plain words."""
    if cases.dropped:
        yield Note("dropped", f"{counted(cases.dropped, 'row')} with a missing value dropped.")
    absent = [repr(label) for label, size in zip(cases.classes, cases.sizes, strict=True) if not size]
    if absent:
        which = f"class {absent[0]} has" if len(absent) == 1 else f"the classes {', '.join(absent)} have"
        text = f"Not every class occurs: {which} no case, so what needs one is undefined."
        yield Note("absent-class", text, kind="warning")
    few = few_cases(cases)
    if few:
        yield Note("few-cases", few, kind="warning")
    if cases.group_count:
        text = f"The cases are of {counted(cases.group_count, 'group')}: intervals count whole groups."
        yield Note("groups", text)
    why = cases.not_probabilities
    if why:
        yield Note("sums", f"{why[0].upper()}{why[1:]}: measures of probabilities are left out.", kind="warning")
    tied = int(((cases.scores == cases.scores.max(1, keepdims=True)).sum(1) > 1).sum())
    if tied:
        which = "1 case has its" if tied == 1 else f"{tied} cases have their"
        text = f"{which} highest score for several classes, each of which then gets an equal part."
        yield Note("tied-classes", text)
