"""The verdict: what was evaluated and how well it ranks, what the cut does, and what to mind most."""

from __future__ import annotations

import math
from collections.abc import Sequence

from cutline.advice import Note
from cutline.columns import counted
from cutline.comparison import Comparison
from cutline.contingency import written
from cutline.evaluation import Evaluation
from cutline.inference.estimate import Estimate
from cutline.ranking import cases_of
from cutline.report.tables import LEVEL
from cutline.tables import shown

_FEW_PAIRS = 3
_OF_DIFFERENCES = ("too-small",)  # the second sentence says it


def verdict(evaluation: Evaluation, notes: Sequence[Note]) -> list[str]:
    """Three sentences on one model."""
    return [_ranking(evaluation), _cut(evaluation), _caveat(evaluation, notes)]


def verdict_on(comparison: Comparison, notes: Sequence[Note]) -> list[str]:
    """Three sentences on several models: how well each ranks, whether they differ, and what to mind most."""
    values = {name: comparison[name].value("auc") for name in comparison}
    r = comparison.pairing.rankings[0]
    order = sorted(values, key=lambda name: -_or_nothing(values[name]))
    ranked = ", ".join(f"{name} {shown(values[name])}" for name in order)
    first = (
        f"{len(comparison)} models scored the same {cases_of(r)}, {written(r.positives)} of them positive; by the area "
        f"under the ROC curve, where 0.5 is chance, they stand at {ranked}."
    )
    others = [note.text for note in notes if note.rule not in _OF_DIFFERENCES]
    dominance = comparison.dominance("roc").verdict
    return [first, _differences(comparison), others[0] if others else f"By false positive rate: {dominance}"]


def _differences(comparison: Comparison) -> str:
    """Which models can be told apart; of many, how many pairs."""
    sentences = comparison.verdict("auc").splitlines()
    if len(sentences) <= _FEW_PAIRS:
        return " ".join(sentences)
    apart = sum(pair.p_holm < 1 - LEVEL for pair in comparison.test("auc"))
    return (
        f"Of the {len(sentences)} pairs of models, {apart} can be told apart by the AUC at {100 * LEVEL:g} % "
        "(DeLong, Holm's correction)."
    )


def _or_nothing(value: float) -> float:
    return -1.0 if math.isnan(value) else value


def _ranking(evaluation: Evaluation) -> str:
    r = evaluation.ranking
    who = f"{evaluation.name} was" if evaluation.name else "The predictions were"
    share = f"{100 * r.positives / r.total:.3g} %"
    on = f"{who} evaluated on {cases_of(r)}, {written(r.positives)} of them positive ({share})"
    if not r.positives or not r.negatives:
        return f"{on}; with one class alone, nothing can be said of how well it ranks."
    area = evaluation.estimate("auc")
    how = _against_chance(area)
    return (
        f"{on}: it puts a positive before a negative in {100 * area.value:.3g} % of the pairs "
        f"(AUC {shown(area.value)}, 95 % interval {shown(area.low)} to {shown(area.high)}), {how}."
    )


def _against_chance(area: Estimate) -> str:
    if not area.has_interval:
        return "where chance gives 50 %"
    if 0.5 in area:
        return "which cannot be told from chance, 50 %"
    return (
        "clearly better than chance, 50 %" if area.value > 0.5 else "worse than chance, 50 %: the order may be reversed"
    )


def _cut(evaluation: Evaluation) -> str:
    c, rule = evaluation.counts, "≥" if evaluation.ranking.higher_is_positive else "≤"
    at = f"At score {rule} {evaluation.threshold:g} it flags {written(c.flagged)} of {written(c.total)} cases"
    found = f"finds {written(c.tp)} of the {written(c.positives)} positives and misses {written(c.fn)}"
    if not c.flagged:
        return f"{at}: nobody."
    alarms = counted(c.fp, "false alarm") if float(c.fp).is_integer() else f"{written(c.fp)} false alarms"
    return f"{at}: it {found}, with {alarms}."


def _caveat(evaluation: Evaluation, notes: Sequence[Note]) -> str:
    if notes:
        return notes[0].text
    r = evaluation.ranking
    fewer = min(float(r.positives), float(r.negatives))
    return (
        f"Nothing in the data speaks against these numbers; they rest on {fewer:g} cases of the rarer class, "
        "and hold for cases like these only."
    )
