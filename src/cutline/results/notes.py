"""What the reader should know about the data at hand: short remarks, each with the name of its rule."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from cutline.core.columns import counted
from cutline.core.counts import written
from cutline.core.ranking import Ranking
from cutline.core.wording import Argument, Text
from cutline.measures import MEASURES
from cutline.measures.definition import DEFAULT_THRESHOLD


class Remark(NamedTuple):
    """One remark: the rule that gave it, and its words."""

    rule: str
    text: str


def remarks(r: Ranking, threshold: float, groups: int = 0) -> Iterator[Remark]:
    """What there is to remark on a ranking that is cut at a threshold, of cases that come in groups or not."""
    if r.dropped:
        yield Remark("dropped", f"{counted(r.dropped, 'row')} with a missing value dropped.")
    if not r.exact:
        yield Remark("binned", "The scores were binned: the values are bounds, not exact.")
    if groups:
        text = f"The cases come in {counted(groups, 'group')}: intervals resample whole groups."
        yield Remark("groups", text)
    if not r.positives or not r.negatives:
        yield Remark("one-class", "All cases are of one class: what compares the classes is undefined.")
    elif MEASURES["auc"].compute(r) < 0.5:
        turn = Argument("higher_is_positive", False)
        way_out = ("low scores mean positive, pass ", turn, ".")
        if not r.higher_is_positive:
            way_out = ("high scores mean positive, leave ", turn, " out.")
        yield Remark("reversed", Text("The AUC is below 0.5. If ", *way_out))
    if len(r) <= 2 < r.total:
        yield Remark("labels", f"The scores have {counted(len(r), 'distinct value')}: labels rather than scores.")
    yield from _certainly_wrong(r)
    yield from _on_the_threshold(r, threshold)


def _certainly_wrong(r: Ranking) -> Iterator[Remark]:
    eps = np.finfo(r.score.dtype).eps
    clipped = r.pos[r.key < eps].sum() + r.neg[1 - r.key < eps].sum() if r.are_probabilities else 0
    if clipped:
        text = (
            f"{written(clipped)} of {written(r.total)} cases were of a class that got probability 0 "
            f"or next to it: logarithms take {eps:.2g} instead."
        )
        yield Remark("certainly-wrong", text)


def _on_the_threshold(r: Ranking, threshold: float) -> Iterator[Remark]:
    low, high = sorted((float(r.score[0]), float(r.score[-1])))
    if not r.are_probabilities and threshold == DEFAULT_THRESHOLD:
        yield Remark("scale", f"The scores run from {low:g} to {high:g}: is 0.5 the threshold that you mean?")
    counts = r.at_threshold(threshold)
    if not counts.flagged or not counts.unflagged:
        whom = "nobody" if not counts.flagged else "everybody"
        yield Remark("all-alike", f"The threshold {threshold:g} flags {whom}: the scores run from {low:g} to {high:g}.")
