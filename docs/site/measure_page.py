"""The page of one measure, from the registry and from trying it."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

from behaviour import ignored

from cutline import evaluate, examples
from cutline.core.errors import CutlineError
from cutline.evaluation import Evaluation
from cutline.measures import MEASURES, Measure, Needs
from cutline.results.methods import method_title

_BETTER = {"higher": "Higher is better", "lower": "Lower is better", None: "Neither direction is better"}
_REACTIONS = (
    "The scores of positives and negatives are normal, 1.5 standard deviations apart. From the left: the share of "
    "positives changes and the scores in each class stay the same; the share flagged changes; the scores are rounded "
    "to fewer distinct values."
)


def page(measure: Measure, chart: str | None) -> str:
    """All that is known about a measure.

    Args:
        measure: The measure.
        chart: The address of its small charts, if there are any.
    """
    parts = [
        f"# {measure.title}",
        f"`{measure.name}`" + "".join(f", `{alias}`" for alias in measure.aliases),
        measure.meaning,
        f"$$\n{measure.formula}\n$$" if measure.formula else "",
        _facts(measure),
        "## What it is blind to",
        "\n".join(f"- {line}" for line in ignored(measure)) or "Order, cut, prevalence and probabilities all matter.",
        *(_reactions(measure, chart) if chart else ()),
        "## Its interval",
        _interval(measure),
        "## By hand",
        _by_hand(measure),
        "## In Python and in the terminal",
        _calls(measure),
        _relatives(measure),
        f"## Source\n\n{measure.cited}." if measure.source else "",
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _reactions(measure: Measure, chart: str) -> tuple[str, ...]:
    return (
        "## How it reacts",
        f"![How {measure.name} reacts to prevalence, to the cut and to ties]({chart})",
        _REACTIONS,
    )


def _facts(measure: Measure) -> str:
    low, high = (f"{bound:g}".replace("inf", "∞") for bound in measure.range)
    rows = [
        ("Question", measure.family.value),
        ("Computed from", measure.needs.value),
        ("Range", f"{low} to {high}"),
        ("Direction", _BETTER[measure.better]),
        ("Perfect model", f"${measure.perfect.latex}$"),
        ("Baseline", f"${measure.baseline.latex}$"),
        ("Undefined when", measure.undefined_when if measure.undefined else "never, as long as there are cases"),
        *((f"Parameter `{name}`", _parameter(measure, name)) for name in measure.parameters),
    ]
    return "\n".join(["| | |", "|---|---|", *(f"| {name} | {_cell(text)} |" for name, text in rows)])


def _parameter(measure: Measure, name: str) -> str:
    words = measure.parameters[name].words
    if name in measure.required:
        return f"{words}; has to be given"
    value = measure.defaults[name]
    return f"{words}; {'e' if value == math.e else repr(value)} unless given"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


@cache
def _tumours() -> Evaluation:
    found = examples.load("tumours")
    return evaluate(found.labels, next(iter(found.scores.values())), positive=found.positive, name="tumours")


@cache
def _ten() -> Evaluation:
    found = examples.load("ten_cases")
    return evaluate(found.labels, next(iter(found.scores.values())), positive=found.positive)


def _interval(measure: Measure) -> str:
    try:
        found = _tumours().estimate(measure, resamples=200, **_required(measure))
    except CutlineError as error:
        return f"The example of this page has none: {error}"
    if not found.has_interval:
        return "There is no interval for this measure on the example of this page. " + " ".join(map(str, found.notes))
    limits = f"[{found.low:.4f}, {found.high:.4f}]"
    how = f"On the 569 tumours it is {found.value:.4f} {limits}, by {method_title(found.method)}."
    more = "[How intervals are chosen](../intervals.md), and [how often they hold the truth](../coverage.md)."
    return " ".join(part for part in (how, measure.caveat, more) if part)


def _required(measure: Measure) -> dict[str, Any]:
    return {name: measure.parameters[name].example for name in measure.required}


def _by_hand(measure: Measure) -> str:
    parameters = _required(measure)
    try:
        value = _ten().value(measure, **parameters)
    except CutlineError as error:
        return f"Berrar's ten cases cannot show it: {error}"
    given = "".join(f"; {name} is {number}" for name, number in parameters.items())
    if measure.needs is Needs.COUNTS:
        return (
            "At the threshold 0.5, Berrar's ten cases have 4 true positives, 1 false positive, 1 false negative and "
            f"4 true negatives{given}. The formula gives **{value:.4f}**."
        )
    order = " ".join("+" if positives else "-" for positives in _ten().ranking.pos)
    return f"From the highest score to the lowest, Berrar's ten cases are {order}{given}. The value is **{value:.4f}**."


def _calls(measure: Measure) -> str:
    required = _required(measure)
    arguments = "".join(f", {name}={value!r}" for name, value in required.items())
    at = "@" + ",".join(f"{name}={value}" for name, value in required.items()) if required else ""
    bound = f".low{at} >= 0.8" if measure.better != "lower" else f".high{at} <= 0.2"
    lines = [
        "```sh",
        f"cutline evaluate predictions.csv --label y --score p --measures '{measure.name}{at}'",
        f"cutline check predictions.csv --label y --score p --require '{measure.name}{bound}'",
        "```",
    ]
    try:
        value = _ten().value(measure, **required)
    except CutlineError:
        return "\n".join(lines)
    example = [
        "```python",
        ">>> import cutline as cl",
        '>>> ten = cl.examples.load("ten_cases")',
        '>>> ev = cl.evaluate(ten.labels, ten.scores["score"], positive=ten.positive)',
        f">>> round(ev.value({measure.name!r}{arguments}), 4)",
        repr(round(value, 4)),
        "",
        "```",
        "",
    ]
    return "\n".join([*example, *lines])


def _relatives(measure: Measure) -> str:
    same = [m for m in MEASURES if m.equivalent is not None and MEASURES[m.equivalent.to] is measure]
    lines = []
    if measure.equivalent is not None:
        other = MEASURES[measure.equivalent.to]
        lines.append(f"- It is another form of [{other.title}]({other.name}.md): {measure.equivalent.how}.")
    lines += [f"- [{m.title}]({m.name}.md) is another form of it: {m.equivalent.how}." for m in same if m.equivalent]
    return "## Equivalent measures\n\n" + "\n".join([*lines, "- [All identities](../identities.md)"]) if lines else ""
