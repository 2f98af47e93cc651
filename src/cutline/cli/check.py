"""Gates: whether the requirements hold, and whether a model is no worse than another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import typer
from rich.text import Text

from cutline.cli import junit, markdown, render
from cutline.cli.evaluate import print_json
from cutline.cli.groups import Gate, Intervals, Output, Reading
from cutline.cli.progress import waiting
from cutline.cli.reading import Opened, in_one_order, joined, opened, read_evaluation
from cutline.cli.text import printable
from cutline.comparison import Comparison
from cutline.core import atomic_write
from cutline.core.errors import ParameterError
from cutline.core.table import between, plain, shown
from cutline.cuts.checking import check_cut, state_of
from cutline.cuts.requirements import Requirement, Term, check_complete, requirement, terms
from cutline.evaluation import Evaluation
from cutline.loading import load
from cutline.measures import Measure
from cutline.results.comparison_summary import DifferenceRow
from cutline.results.method_titles import RESAMPLED
from cutline.results.resample_budget import FEWEST, fewer, resamples_for
from cutline.results.summary import Row

NEW, OLD = "new", "old"
STDOUT = "-"


@dataclass(frozen=True)
class Result:
    """One condition and how it came out."""

    requirement: str
    passed: bool
    value: float
    low: float = math.nan
    high: float = math.nan
    reason: str = ""
    is_undecided: bool = False

    @property
    def state(self) -> str:
        """How it came out: passed, failed, or undecided, which counts as either."""
        return "undecided" if self.is_undecided else "passed" if self.passed else "failed"

    @property
    def interval(self) -> str:
        """The interval as people read it; empty where there is none."""
        return "" if math.isnan(self.low) else f"[{shown(float(self.low))}, {shown(float(self.high))}]"

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON: what is not a finite number is None, with its reason."""
        numbers = {name: plain(float(getattr(self, name))) for name in ("value", "low", "high")}
        came_out = {"passed": self.passed, "state": self.state}
        return {"requirement": self.requirement, **came_out, **numbers, "reason": self.reason}


@dataclass(frozen=True)
class Outcome:
    """All conditions of a gate, and how they came out."""

    file: str
    results: tuple[Result, ...]
    level: float
    guesses: tuple[str, ...] = ()
    told: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether all conditions hold."""
        return all(result.passed for result in self.results)

    @property
    def conclusion(self) -> str:
        """How the gate came out, in a sentence."""
        failed = sum(not result.passed for result in self.results)
        undecided = sum(result.is_undecided and result.passed for result in self.results)
        if failed:
            return f"{failed} of {len(self.results)} requirements failed."
        if undecided:
            return f"No requirement failed; {undecided} of {len(self.results)} undecided."
        return "All requirements passed."

    def document(self) -> dict[str, Any]:
        """Ready for JSON."""
        head = {"schema": "cutline/check/1", "file": self.file, "passed": self.passed, "level": self.level}
        return head | {"results": [result.to_dict() for result in self.results]}


def run_check(
    path: str, reading: Reading, asked: Intervals, gate: Gate, output: Output, by: Sequence[str] = ()
) -> bool:
    """Check all conditions, show them, and say whether all hold."""
    prints_markdown = str(gate.markdown) == STDOUT
    if prints_markdown and output.json:
        raise ParameterError("--json and --markdown - both ask for standard output", "pass one of them")
    files = [(gate.junit, junit.document), (None if prints_markdown else gate.markdown, markdown.document)]
    wanted = [(file, document) for file, document in files if file is not None]
    for file, _ in wanted:
        atomic_write.check(file, overwrite=output.force)
    if by:
        outcome = judged_slices(path, by, reading, asked, gate, quiet=output.quiet)
    else:
        outcome = judged(path, reading, asked, gate, quiet=output.quiet)
    output.guessed(outcome.guesses)
    for line in outcome.told:
        output.said(line)
    for file, document in wanted:
        atomic_write.write(file, document(outcome), overwrite=output.force)
    if output.json:
        print_json(outcome.document())
    elif prints_markdown:
        typer.echo(markdown.document(outcome), nl=False)
    elif not outcome.passed or not output.quiet:
        _show(outcome)
    return outcome.passed


def judged(path: str, reading: Reading, asked: Intervals, gate: Gate, *, quiet: bool) -> Outcome:
    """Check all conditions.

    Args:
        path: The file of predictions.
        reading: How it is read.
        asked: How intervals are to be made.
        gate: What must hold.
        quiet: Whether no progress is shown.
    """
    gate.check()
    wanted = [requirement(text) for text in gate.require]
    measures = [] if gate.no_worse is None else _guarded(gate.no_worse)
    asked.check()
    ev, found = read_evaluation(path, reading, None)
    with waiting("Resampling for the intervals", quiet=quiet or asked.resamples == 0):
        results, told = _required(ev, wanted, asked, gate.undecided) if wanted else ([], [])
        if gate.cut is not None:
            results += _kept(ev, gate.cut, asked, gate.undecided or "pass")
        if gate.against is not None:
            results += _no_worse(_pair(found, gate, reading), measures, gate.margin, asked)
    return Outcome(found.name, tuple(results), asked.level, tuple(found.chosen.guesses), tuple(told))


def judged_slices(
    path: str, by: Sequence[str], reading: Reading, asked: Intervals, gate: Gate, *, quiet: bool
) -> Outcome:
    """Check conditions that every slice has to meet, and those on the gap between slices.

    Args:
        path: The file of predictions.
        by: The columns whose values are the slices.
        reading: How it is read.
        asked: How intervals are to be made.
        gate: What must hold.
        quiet: Whether no progress is shown.
    """
    from cutline.cli.slices import read_slices
    from cutline.cuts.slice_gates import check_slices, how_words

    gate.check()
    if gate.against is not None or gate.cut is not None or gate.undecided is not None:
        raise ParameterError("--by checks --require alone", "leave --against, --cut and --undecided out")
    asked.check()
    slices, guesses = read_slices([path], by, reading, None, quiet=quiet)
    with waiting("Comparing the slices", quiet=quiet):
        found = check_slices(slices, gate.require, level=asked.level)
    results = tuple(Result(r.requirement, r.passed, r.value, r.low, r.high, r.reason) for r in found)
    return Outcome(Path(path).name, results, asked.level, tuple(guesses), (how_words(asked.level, gate.require),))


def _guarded(text: str) -> list[Term]:
    found = terms(text)
    for term in found:
        check_complete(term)
        if term.measure.better is None:
            raise ParameterError(f"{term.measure.name} is neither better high nor low: --no-worse needs one that is.")
    return found


def _kept(ev: Evaluation, path: str, asked: Intervals, undecided: str) -> list[Result]:
    """Whether the promises of a cut held on these cases."""
    resamples = resamples_for(len(ev.ranking), asked.resamples)
    found = check_cut(load(path), ev, level=asked.level, resamples=max(FEWEST, resamples), seed=asked.seed)
    return [
        Result(
            one.requirement,
            one.state == "passed" or (one.state == "undecided" and undecided == "pass"),
            one.value,
            one.low,
            one.high,
            one.reason,
            one.state == "undecided",
        )
        for one in found
    ]


def _required(
    ev: Evaluation, wanted: list[Requirement], asked: Intervals, undecided: str | None
) -> tuple[list[Result], list[str]]:
    """Whether the numbers that the requirements name meet them, and what to know about how they were made.

    With `undecided`, values too are judged by their intervals, and one that contains the bound passes or fails.
    """
    plain_values = [one for one in wanted if one.term.part == "value" and undecided is None]
    limits = [one for one in wanted if one.term.part != "value" or undecided is not None]
    values = ev.summary([_named(one.term) for one in plain_values], intervals=False)
    intervals = ev.summary([_named(one.term) for one in limits], intervals="bootstrap", **asked.how)
    rows = {
        one.text: row
        for summary, some in ((values, plain_values), (intervals, limits))
        for one, row in zip(some, summary.rows, strict=True)
    }
    for one in limits:
        _check_interval(one.text, rows[one.text], intervals.options.resamples_used, asked)
    told = [fewer(len(ev.ranking), asked.resamples)] if any(row.is_resampled for row in intervals.rows) else []
    judged = [
        _result(one, rows[one.text]) if undecided is None else _judged(one, rows[one.text], undecided) for one in wanted
    ]
    return judged, [line for line in told if line]


def _named(term: Term) -> tuple[Measure, dict[str, Any]]:
    return term.measure, term.parameters


def _check_interval(text: str, row: Row | DifferenceRow, resamples: int, asked: Intervals) -> None:
    """Refuse a gate on an interval that was not made, or on one that too few resamples made."""
    if row.interval is None and asked.resamples == 0 and not math.isnan(row.value):
        raise ParameterError(
            f"{text!r} needs a bootstrap interval, which --resamples 0 leaves out",
            f"pass at least {FEWEST} resamples, or set a bound for the value alone",
        )
    fewest = math.ceil(2 / (1 - asked.level)) - 1
    if row.estimate.method in RESAMPLED and resamples < fewest:
        raise ParameterError(
            f"{text!r} needs at least {fewest} resamples at a level of {asked.level:g}, but {resamples} were drawn",
            f"pass --resamples {max(fewest, FEWEST)}",
        )


def _judged(one: Requirement, row: Row, undecided: str) -> Result:
    """Whether the whole interval of a value meets a requirement; a limit is judged as it is."""
    if one.term.part != "value" or row.interval is None:
        return _result(one, row)
    low, high = row.interval
    state = state_of(one, row.value, low, high)
    reason = {"passed": "", "failed": f"value is {shown(row.value)}"}.get(state, "the interval holds the bound")
    passed = state == "passed" or (state == "undecided" and undecided == "pass")
    return Result(one.text, passed, row.value, low, high, reason, state == "undecided")


def _result(one: Requirement, row: Row) -> Result:
    """Whether the number that a requirement names meets it."""
    part, found = one.term.part, row.estimate
    number = {"value": row.value, "low": found.low, "high": found.high}[part]
    reason = f"undefined: {row.reason}" if math.isnan(row.value) else ""
    if not reason and math.isnan(number):
        reason = " ".join(("there is no interval.", *found.notes))
    passed = one.holds(number)
    if part == "value" and passed and row.bounds is not None and not all(map(one.holds, row.bounds[:2])):
        passed = False
        reason = f"the scores were binned, and the exact value is from {between(row.bounds.low, row.bounds.high)}"
    if not passed and not reason:
        reason = f"{part} is {shown(float(number))}"
    low, high = (found.low, found.high) if part != "value" else (math.nan, math.nan)
    return Result(one.text, passed, row.value, low, high, reason)


def _pair(found: Opened, gate: Gate, reading: Reading) -> Comparison:
    """The model and the one to beat, on the same cases."""
    found.check_cases()
    score = gate.against_score or found.chosen.scores[0]
    columns = replace(reading.columns, label=found.chosen.label, scores=(score,), group=None, stratum=None)
    models = {NEW: found, OLD: opened(str(gate.against), replace(reading, columns=columns, format=None))}
    return joined(models, reading) if reading.columns.id else in_one_order(models, reading)


def _no_worse(cmp: Comparison, measures: list[Term], margin: float | None, asked: Intervals) -> list[Result]:
    """Whether the intervals of the differences show a loss; with a margin, whether they exclude a larger one."""
    how = asked.how | {"resamples": resamples_for(len(cmp.pairing), asked.resamples)}
    summary = cmp.summary([_named(term) for term in measures], of_models=(), **how)
    results = []
    for term, row in zip(measures, summary.rows, strict=True):
        name = f"{term} no worse" + ("" if margin is None else f" by more than {margin:g}")
        _check_interval(name, row, summary.options.resamples_used, asked)
        results.append(_loss(name, row, margin))
    return results


def _loss(name: str, row: DifferenceRow, margin: float | None) -> Result:
    if row.interval is None:
        return Result(name, False, row.value, reason=" ".join(("there is no interval.", *row.notes)))
    low, high = row.interval
    # As a loss, whichever way is better: from the least to the most that the data allow.
    least, most = (-high, -low) if row.measure.better == "higher" else (low, high)
    passed = least <= 0 if margin is None else most <= margin
    reason = "" if passed else "it is worse" if margin is None else "a larger loss is not excluded"
    return Result(name, passed, row.value, low, high, reason)


def _state(result: Result) -> Text:
    if result.is_undecided:
        return Text("undecided" if result.passed else "UNDECIDED", style="yellow" if result.passed else "bold red")
    return Text("passed", style="green") if result.passed else Text("FAILED", style="bold red")


def _show(outcome: Outcome) -> None:
    screen = render.console()
    rows = [
        (_state(result), result.requirement, shown(float(result.value)), result.interval, result.reason)
        for result in sorted(outcome.results, key=lambda result: result.passed)
    ]
    heads = ("", "requirement", "found", f"{100 * outcome.level:g} % interval", "why")
    screen.print(render.grid(screen, heads, rows))
    screen.print(Text(printable(outcome.conclusion)))
