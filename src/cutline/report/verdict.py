"""The verdict: what was evaluated and how well it ranks, what the cut does, and what to mind most."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from cutline.advice import Note
from cutline.comparison import Comparison
from cutline.core.counts import written
from cutline.core.ranking import Ranking, cases_of
from cutline.core.table import shown
from cutline.evaluation import Evaluation
from cutline.results.comparison_summary import ComparisonSummary
from cutline.results.estimate import Estimate
from cutline.results.methods import method_titles
from cutline.results.summary import Summary

_FEW_PAIRS = 3
_OF_DIFFERENCES = ("too-small",)  # the second sentence says it
_CLEARLY = 0.6  # the AUC that the whole interval lies above when a model is called clearly better than chance
_LONG = 5  # digits from which on they are grouped by thin spaces, as the page's program does


def verdict(evaluation: Evaluation, summary: Summary) -> list[str]:
    """Three sentences on one model."""
    return [_ranking(evaluation, summary), _cut(evaluation), _caveat(evaluation, summary.notes)]


def verdict_on(comparison: Comparison, summary: ComparisonSummary) -> list[str]:
    """Three sentences on several models: how well each ranks, whether they differ, and what to mind most."""
    values = {name: comparison[name].value("auc") for name in comparison}
    r = comparison.pairing.rankings[0]
    order = sorted(values, key=lambda name: -_or_nothing(values[name]))
    ranked = ", ".join(f"{name} {shown(values[name])}" for name in order)
    first = (
        f"{len(comparison)} models scored the same {_cases(r)}, {grouped(r.positives)} of them positive; by the area "
        f"under the ROC curve, where 0.5 is chance, they stand at {ranked}."
    )
    others = [note.text for note in summary.notes if note.rule not in _OF_DIFFERENCES]
    dominance = summary.dominance["roc"].verdict
    return [first, _differences(summary), others[0] if others else f"By false positive rate: {dominance}"]


def _differences(summary: ComparisonSummary) -> str:
    """Which models can be told apart; of many, how many pairs."""
    if len(summary.verdict) <= _FEW_PAIRS:
        return " ".join(summary.verdict)
    rows = [row for row in summary.rows if row.measure.name == "auc"] or summary.rows
    apart = sum(row.is_significant(summary.level) for row in rows)
    methods = method_titles(row.test for row in rows)
    return (
        f"Of the {len(rows)} pairs of models, {apart} differ significantly in {rows[0].title} at "
        f"{100 * summary.level:g} % ({methods}, Holm's correction)."
    )


def _or_nothing(value: float) -> float:
    return -1.0 if math.isnan(value) else value


def _ranking(evaluation: Evaluation, summary: Summary) -> str:
    r, level = evaluation.ranking, summary.level
    who = evaluation.name or "The model"
    share = f"{100 * r.positives / r.total:.3g} %"
    on = f"{who} was evaluated on {_cases(r)}, {grouped(r.positives)} of them positive ({share})"
    if not r.positives or not r.negatives:
        return f"{on}; with one class alone, nothing can be said of how well it ranks."
    area = next((row.estimate for row in summary.rows if row.name == "auc"), None)
    area = area or evaluation.summary("auc", intervals=False, level=level).rows[0].estimate
    interval = (
        f", {100 * level:g} % interval {shown(area.low)} to {shown(area.high)}"
        if area.has_interval
        else ", no interval"
    )
    ties = " (ties count half)" if len(r) == 1 else ""
    return (
        f"{on}: it puts a positive before a negative in {100 * area.value:.3g} % of the pairs{ties} "
        f"(AUC {shown(area.value)}{interval}), {_against_chance(area)}."
    )


def _against_chance(area: Estimate) -> str:
    """How the AUC stands to a half: the whole interval has to be on one side of it; far from it, it is clear."""
    if not area.has_interval:
        return "where chance gives 50 %"
    if 0.5 in area:
        return "which cannot be told from chance, 50 %"
    if area.value < 0.5:
        return "worse than chance, 50 %: the order may be reversed"
    return f"{'clearly ' if area.low > _CLEARLY else ''}better than chance, 50 %"


def _cut(evaluation: Evaluation) -> str:
    c, rule = evaluation.counts, "≥" if evaluation.ranking.higher_is_positive else "≤"
    at = f"At score {rule} {evaluation.threshold:g} it flags"
    if not c.flagged:
        return f"{at} nobody: it misses all {grouped(c.positives)} positives." if c.positives else f"{at} nobody."
    flagged = f"{grouped(c.flagged)} of {grouped(c.total)} cases"
    found = f"finds {grouped(c.tp)} of the {grouped(c.positives)} positives and misses {grouped(c.fn)}"
    alarms = f"{grouped(c.fp)} false {'alarm' if c.fp == 1 else 'alarms'}" if c.fp else "no false alarm"
    return f"{at} {flagged}: " + (f"it {found}, with {alarms}." if c.positives else f"all are false alarms, {alarms}.")


def grouped(count: Any) -> str:
    """A count with thin spaces between the thousands of a large number."""
    whole, point, rest = written(count).partition(".")
    if len(whole) >= _LONG and whole.isdigit():
        whole = f"{int(whole):,}".replace(",", "\N{THIN SPACE}")
    return f"{whole}{point}{rest}"


def _cases(r: Ranking) -> str:
    return cases_of(r).replace(written(r.total), grouped(r.total))


def _caveat(evaluation: Evaluation, notes: Sequence[Note]) -> str:
    if notes:
        return notes[0].text
    r = evaluation.ranking
    fewer = min(r.positives, r.negatives)
    return (
        f"Nothing in the data speaks against these numbers; they rest on {grouped(fewer)} cases of the rarer class, "
        "and hold for cases like these only."
    )
