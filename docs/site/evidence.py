"""What is known about a measure from outside its definition: how often its interval held, what other tools print."""

from __future__ import annotations

import json
import sys
from functools import cache
from pathlib import Path

from cutline.ledger import CONVENTIONS, TOOLS
from cutline.ledger.tools import Tool, ToolFunction
from cutline.measures import MEASURES, Measure
from cutline.results.method_titles import format_method

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

from coverage_page import AMPLE, Tally, pooled, sizes, tallies  # noqa: E402


@cache
def _lines() -> list[dict[str, object]]:
    """Return the samples of both halves of the coverage study, as its page pools them."""
    texts = [(BENCHMARKS / f"coverage_{half}.jsonl").read_text(encoding="utf-8") for half in ("results", "held_out")]
    return [json.loads(line) for text in texts for line in text.splitlines() if line.strip()]


@cache
def _tallies() -> tuple[dict[str, Tally], dict[str, Tally]]:
    """By measure: the populations with enough cases of both classes, and those with few."""
    found, expected = tallies(_lines()), sizes()
    return tuple(  # type: ignore[return-value]
        pooled(found, 1, lambda cell, ample=ample: (expected.get(cell[0], AMPLE) >= AMPLE) is ample)
        for ample in (True, False)
    )


@cache
def _methods() -> dict[str, list[str]]:
    """The methods by which the study made the intervals of each measure."""
    found: dict[str, list[str]] = {}
    for line in _lines():
        for key in line["found"]:  # type: ignore[attr-defined]
            name, _, method = key.partition("|")
            if method not in found.setdefault(name, []):
                found[name].append(method)
    return found


def coverage(measure: Measure) -> str:
    """How often the default interval held the true value in the simulations, in sentences."""
    ample, few = (by_measure.get(measure.name, Tally()) for by_measure in _tallies())
    if not ample.made and not few.made:
        return "The [coverage study](../coverage.md) does not include this measure yet."
    parts = [
        f"{100 * tally.share:.1f} % of {tally.made} samples {where}"
        for tally, where in (
            (ample, f"from populations with at least {AMPLE} cases of each class"),
            (few, "from smaller ones"),
        )
        if tally.made
    ]
    methods = ", ".join(format_method(name) for name in _methods()[measure.name])
    warned = 100 * (ample.warned + few.warned) / (ample.made + few.made)
    notes = f" {warned:.0f} % of them carried a note that says to be careful." if warned >= 0.5 else ""
    return (
        f"In the [coverage study](../coverage.md) the default 95 % interval ({methods}) held the true value in "
        f"{' and in '.join(parts)}.{notes}"
    )


def other_tools(measure: Measure) -> str:
    """What other tools call the measure, and which convention they take; empty where the ledger has none."""
    rows = [_row(tool, entry) for tool in TOOLS.values() for entry in tool.entries if _is_of(entry, measure)]
    if not rows:
        return ""
    lines = ["| package | what to call | convention |", "|---|---|---|", *dict.fromkeys(rows)]
    return "\n".join(lines)


def _is_of(entry: ToolFunction, measure: Measure) -> bool:
    name = entry.measure.split("@")[0].split(".")[0]
    return "." not in entry.measure.split("@")[0] and name in MEASURES and MEASURES[name] is measure


def _row(tool: Tool, entry: ToolFunction) -> str:
    ways = [CONVENTIONS[name].words for name in entry.conventions] or ["as here"]
    ways += ["weights ignored"] if entry.weights == "ignored" else []
    ways += [entry.note] if entry.note else []
    star = "" if tool.how == "run" else " \\*"
    parameters = entry.measure.partition("@")[2]
    given = f" (with {parameters})" if parameters else ""
    return f"| {tool.name} {tool.version}{star} | `{entry.function}`{given} | {'; '.join(ways)} |"
