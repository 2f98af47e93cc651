"""Worked examples: a measure of Berrar's ten cases, with each number that a reader needs to follow it on paper."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np
from symbols import OF_ONE_CUT

from cutline import evaluate, examples
from cutline.core.errors import CutlineError
from cutline.evaluation import Evaluation
from cutline.measures import Measure, Needs
from cutline.measures.forms import LinearInAuc, MeanOfCases

_KNOWN = "|".join(map(re.escape, sorted(OF_ONE_CUT, key=len, reverse=True)))
_TOKEN = re.compile(rf"({_KNOWN})(?![A-Za-z])|\\[A-Za-z]+|[A-Za-z]")
_SIGNS = (r"\frac", r"\sqrt", r"\cdot", r"\left", r"\right")
CUT = 0.55  # Berrar's t5, where the four counts differ


@cache
def ten_cases() -> Evaluation:
    """Berrar's ten cases at the threshold 0.55."""
    found = examples.load("ten_cases")
    return evaluate(found.labels, found.scores["score"], positive=found.positive, threshold=CUT, name="ten cases")


def required(measure: Measure) -> dict[str, Any]:
    """The parameters that have to be given, with example values; all of them where ten cases are too few without."""
    given = {name: measure.parameters[name].example for name in measure.required}
    if not given and math.isnan(ten_cases().value(measure)):
        return {name: parameter.example for name, parameter in measure.parameters.items()}
    return given


def working(measure: Measure) -> str:
    """The measure of the ten cases, step by step."""
    try:
        value = ten_cases().value(measure, **required(measure))
    except CutlineError as error:
        return f"Berrar's ten cases cannot show it. {error}"
    if measure.needs is Needs.COUNTS:
        return _of_counts(measure, value)
    steps = _of_pairs(measure) or _of_cases(measure) or _columns(measure)
    given = " and ".join(f"{name} {number}" for name, number in required(measure).items())
    closing = f"With {given}, the" if given else "The"
    return f"{steps}\n\n{_sum(measure.formula)}{closing} value is **{value:.4f}**."


def _of_counts(measure: Measure, value: float) -> str:
    start = (
        "At the threshold 0.55, Berrar's ten cases have 3 true positives, 1 false positive, 2 false negatives and "
        "4 true negatives."
    )
    inserted = substituted(measure)
    if inserted is None:
        return f"{start} The value is **{value:.4f}**."
    close = "=" if math.isclose(value, round(value, 4), abs_tol=1e-12) else r"\approx"
    return f"{start}\n\n$$\n{inserted} {close} {round(value, 4):g}\n$$"


def substituted(measure: Measure) -> str | None:
    """The formula of a measure of one cut with the numbers of the ten cases; None if a letter of it has no number."""
    formula = measure.formula.rpartition("= ")[2]
    given = {name: value for name, value in measure.defaults.items() if value is not None}
    unknown = [found[0] for found in _TOKEN.finditer(formula) if found[1] is None]
    if any(name not in _SIGNS for name in unknown):
        return None
    inserted = _TOKEN.sub(
        lambda found: found[0] if found[1] is None else f" {OF_ONE_CUT[found[1]][1](ten_cases().counts, **given)} ",
        formula,
    )
    spaced = re.sub(r"\s+", " ", inserted).replace(")(", ") (")
    return re.sub(r"(?<=[\d)}])\s+(?=[\d(]|\\tfrac)", r" \\cdot ", spaced).strip()


def _of_pairs(measure: Measure) -> str:
    """Of a measure that is linear in the AUC, or counts pairs: the pairs that are in the right order."""
    if not isinstance(measure.form, LinearInAuc) and "S^+" not in measure.formula:
        return ""
    ranking = ten_cases().ranking
    below = [int(ranking.neg[place + 1 :].sum()) for place in np.flatnonzero(ranking.pos)]
    text = (
        f"{_order()} The positives have {', '.join(map(str, below[:-1]))} and {below[-1]} negatives below them: "
        f"{sum(below)} of the 25 pairs are in the right order, and none is tied"
    )
    if not isinstance(measure.form, LinearInAuc):
        return text + "."
    slope, intercept = (
        float(x) for x in measure.form.of(ranking, **{name: measure.defaults[name] for name in measure.parameters})
    )
    auc = f"{text}, so that the AUC is {sum(below)}/25 = {sum(below) / 25:g}."
    line = "" if (slope, intercept) == (1, 0) else f" The measure is {slope:g} times that {_signed(intercept)}."
    return auc + line


def _signed(number: float) -> str:
    return f"{'plus' if number >= 0 else 'minus'} {abs(number):g}"


def _of_cases(measure: Measure) -> str:
    """Of a mean over the cases: what each contributes."""
    if not isinstance(measure.form, MeanOfCases):
        return ""
    ranking = ten_cases().ranking
    given = {name: measure.defaults[name] for name in measure.parameters}
    for_positive, for_negative = (np.asarray(part, dtype=float) for part in measure.form.of(ranking, **given))
    parts = np.where(ranking.pos > 0, *np.broadcast_arrays(for_positive, for_negative, ranking.score)[:2])
    rows = [
        (f"{score:g}", "+" if positive else "-", f"{part:.4f}")
        for score, positive, part in zip(ranking.score, ranking.pos, parts, strict=True)
    ]
    return (
        f"Each case contributes:\n\n{_table(('score', 'class', 'contributes'), rows)}\n\n"
        f"The sum is {parts.sum():.4f}; divided by the 10 cases it is the mean."
    )


def _columns(measure: Measure) -> str:
    """The ten cases from the highest score to the lowest, with what the formula is made of."""
    if r"\hat" in measure.formula or "K_" in measure.formula:
        return f"{_order()} The formula holds a curve or a line that has to be fitted, which takes a program."
    ranking = ten_cases().ranking
    wanted: list[tuple[str, list[str]]] = [
        ("place", [str(place + 1) for place in range(10)]),
        ("score", [f"{score:g}" for score in ranking.score]),
        ("class", ["+" if positive else "-" for positive in ranking.pos]),
    ]
    if measure.needs is Needs.RANKING:
        wanted += _cumulated(measure.formula, np.cumsum(ranking.pos), np.cumsum(ranking.neg))
    else:
        wanted += _per_case(measure.formula, ranking.score, ranking.pos)
    names, columns = zip(*wanted, strict=True)
    return _table(names, list(zip(*columns, strict=True)))


def _cumulated(formula: str, tp: Any, fp: Any) -> list[tuple[str, list[str]]]:
    """What is found down to each place, as fractions."""
    found = [("TP", [f"{x:g}" for x in tp]), ("FP", [f"{x:g}" for x in fp])]
    if re.search(r"TPR|FPR|FNR|r\(|recall|Delta|RIE|L\(c", formula):
        found += [("recall", [f"{x:g}/5" for x in tp]), ("FPR", [f"{x:g}/5" for x in fp])]
    if re.search(r"p\(|p_|AP|HitRate|hit rate|lift|TP\(|FP\(TP|p = r|\bp\b|\\frac1j", formula):
        found.append(("precision", [f"{x:g}/{place + 1}" for place, x in enumerate(tp)]))
    if "Qrecall" in formula or r"\frac{1}{P}" in formula:
        found.append(("Qrecall", [f"{x:g}/5" for x in tp]))
    return found


def _per_case(formula: str, score: Any, pos: Any) -> list[tuple[str, list[str]]]:
    """What each case has of the formula: its squared distance, or the logarithm of what was said of its class."""
    truth = np.where(pos > 0, score, 1 - score)
    found = []
    if re.search(r"log|\\ln|\\ell|I\(", formula):
        found.append(("logarithm of the probability of its class", [f"{math.log(x):.4f}" for x in truth]))
    if re.search(r"\^2|Brier|y_i - p_i", formula):
        found.append(("squared distance", [f"{(1 - x) ** 2:.4f}" for x in truth]))
    return found


def _sum(formula: str) -> str:
    """The arithmetic of the sums that are short enough to be written out."""
    pos = ten_cases().ranking.pos
    tp, fp = np.cumsum(pos), np.cumsum(ten_cases().ranking.neg)
    if "r(t_{k-1})" in formula or r"\text{HitRate}(j)" in formula:
        return f"Each positive brings its precision: ({_added(tp, np.flatnonzero(pos))}) / 5. "
    if r"\frac{TP(j)}{j}" in formula:
        return f"The mean of all precisions is ({_added(tp, range(10))}) / 10. "
    if r"\sum_{j=P}^n" in formula:
        return f"From place 5 on: ({' + '.join(f'{x:g}/5' for x in tp[4:])}) / (5 + 1). "
    if r"TPR(t) - FPR(t)" in formula:
        best = int(np.argmax(np.abs(tp - fp)))
        return f"The largest difference is after place {best + 1}: {tp[best]:g}/5 - {fp[best]:g}/5. "
    return ""


def _added(tp: Any, places: Iterable[int]) -> str:
    return " + ".join(f"{tp[place]:g}/{place + 1}" for place in places)


def _order() -> str:
    order = " ".join("+" if positive else "-" for positive in ten_cases().ranking.pos)
    return f"From the highest score to the lowest, Berrar's ten cases are {order}."


def _table(names: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    names = list(names)
    lines = [names, ["---"] * len(names), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
