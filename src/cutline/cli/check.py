"""Gates: whether the requirements hold, and whether a model is no worse than another."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.text import Text

from cutline.cli import junit, render
from cutline.cli.evaluate import Asked, Output, print_json
from cutline.cli.progress import waiting
from cutline.cli.reading import Opened, Reading, in_one_order, joined, opened, read_evaluation
from cutline.cli.text import printable
from cutline.comparison import Comparison
from cutline.core import writing
from cutline.core.errors import ParameterError
from cutline.core.table import plain, shown
from cutline.cuts.requirements import Requirement, check_complete, requirement, terms
from cutline.evaluation import Evaluation
from cutline.measures import Measure
from cutline.results.estimate import Estimate

NEW, OLD = "new", "old"


@dataclass(frozen=True)
class Gate:
    """What must hold."""

    require: tuple[str, ...] = ()
    against: str | None = None
    no_worse: str | None = None
    margin: float | None = None
    against_score: str | None = None
    junit: Path | None = None

    def check(self) -> None:
        """Refuse a gate that checks nothing, or half of something."""
        if not self.require and not self.no_worse:
            raise ParameterError("There is nothing to check: pass --require, or --against with --no-worse.")
        if (self.against is None) != (self.no_worse is None):
            raise ParameterError("--against and --no-worse belong together: pass both.")
        if self.against is None and (self.margin is not None or self.against_score is not None):
            raise ParameterError("--margin and --against-score belong to --against: pass that too.")
        if self.margin is not None and not self.margin >= 0:
            raise ParameterError(f"--margin is {self.margin:g}: pass the largest acceptable loss, 0 or more.")


@dataclass(frozen=True)
class Result:
    """One condition and how it came out."""

    requirement: str
    passed: bool
    value: float
    low: float = math.nan
    high: float = math.nan
    reason: str = ""
    method: str = ""  # of the interval

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON: what is not a finite number is None, with its reason."""
        numbers = {name: plain(float(getattr(self, name))) for name in ("value", "low", "high")}
        return {"requirement": self.requirement, "passed": self.passed, **numbers, "reason": self.reason}


def run_check(path: str, reading: Reading, asked: Asked, gate: Gate, output: Output) -> bool:
    """Check all conditions, show them, and say whether all hold."""
    gate.check()
    wanted = [requirement(text) for text in gate.require]
    measures = [] if gate.no_worse is None else _guarded(gate.no_worse)
    if gate.junit is not None:
        writing.check(gate.junit, overwrite=output.force)
    ev, found = read_evaluation(path, reading, None)
    with waiting("Resampling for the intervals", quiet=output.quiet):
        results = [_required(ev, one, asked) for one in wanted]
        if gate.against is not None:
            cmp = _pair(found, gate, reading)
            results += [_no_worse(cmp, term, gate.margin, asked) for term in measures]
    output.guessed(found.chosen.guesses)
    for note in asked.fewer(len(ev.ranking), (result.method for result in results)):
        output.said(note.text)
    passed = all(result.passed for result in results)
    if gate.junit is not None:
        writing.write(gate.junit, junit.document(found.name, results), overwrite=output.force)
    if output.json:
        document = {"schema": "cutline/check/1", "file": found.name, "passed": passed, "level": asked.level}
        print_json(document | {"results": [result.to_dict() for result in results]})
    elif not passed or not output.quiet:
        _show(results, asked.level)
    return passed


def _guarded(text: str) -> list[Any]:
    found = terms(text)
    for term in found:
        check_complete(term)
        if term.measure.better is None:
            raise ParameterError(f"{term.measure.name} is neither better high nor low: --no-worse needs one that is.")
    return found


def _required(ev: Evaluation, one: Requirement, asked: Asked) -> Result:
    """Whether the number that a requirement names meets it."""
    term = one.term
    value = ev.value(term.measure, **term.parameters)
    low, high, method = math.nan, math.nan, ""
    reason = f"undefined: {ev.reason(term.measure, **term.parameters)}" if math.isnan(value) else ""
    if not reason and term.part != "value":
        found = _estimate(ev, term.measure, term.parameters, asked)
        low, high, method = found.low, found.high, found.method
        if math.isnan(getattr(found, term.part)):
            reason = " ".join(("there is no interval.", *found.notes))
    number = {"value": value, "low": low, "high": high}[term.part]
    passed = one.holds(number)
    if not passed and not reason:
        reason = f"{term.part} is {shown(float(number))}"
    return Result(one.text, passed, value, low, high, reason, method)


def _estimate(ev: Evaluation, measure: Measure, parameters: dict[str, Any], asked: Asked) -> Estimate:
    rounds = max(2, asked.rounds(len(ev.ranking)))
    return ev.estimate(measure, asked.level, resamples=rounds, seed=asked.seed, **parameters)


def _pair(found: Opened, gate: Gate, reading: Reading) -> Comparison:
    """The model and the one to beat, on the same cases."""
    from dataclasses import replace

    score = gate.against_score or found.chosen.scores[0]
    columns = replace(reading.columns, label=found.chosen.label, scores=(score,), group=None)
    models = {NEW: found, OLD: opened(str(gate.against), replace(reading, columns=columns, format=None))}
    return joined(models, reading) if reading.columns.id else in_one_order(models, reading)


def _no_worse(cmp: Comparison, term: Any, margin: float | None, asked: Asked) -> Result:
    """Whether the interval of the difference shows a loss; with a margin, whether it excludes a larger one."""
    measure = term.measure
    rounds = max(2, asked.rounds(len(cmp.pairing)))
    found = cmp.difference(measure, NEW, OLD, level=asked.level, resamples=rounds, seed=asked.seed, **term.parameters)
    name = f"{term} no worse" + ("" if margin is None else f" by more than {margin:g}")
    if math.isnan(found.low) or math.isnan(found.high):
        return Result(name, False, found.value, reason=" ".join(("there is no interval.", *found.notes)))
    # As a loss, whichever way is better: from the least to the most that the data allow.
    least, most = (-found.high, -found.low) if measure.better == "higher" else (found.low, found.high)
    passed = least <= 0 if margin is None else most <= margin
    reason = "" if passed else "it is worse" if margin is None else "a larger loss is not excluded"
    return Result(name, passed, found.value, found.low, found.high, reason, found.method)


def _show(results: list[Result], level: float) -> None:
    screen = render.console()
    rows = [
        (
            Text("passed", style="green") if result.passed else Text("FAILED", style="bold red"),
            result.requirement,
            shown(float(result.value)),
            "" if math.isnan(result.low) else f"[{shown(float(result.low))}, {shown(float(result.high))}]",
            result.reason,
        )
        for result in sorted(results, key=lambda result: result.passed)
    ]
    screen.print(render.grid(screen, ("", "requirement", "found", f"{100 * level:g} % interval", "why"), rows))
    failed = sum(not result.passed for result in results)
    screen.print(Text(printable(f"{failed} of {len(results)} requirements failed." if failed else "All hold.")))
