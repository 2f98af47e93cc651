"""`cutline check`: gates. Whether requirements hold, and whether a model is no worse than another."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.text import Text

from cutline.cli import options as o
from cutline.cli import render
from cutline.cli.command import FileName, Fraction, add_options, argument, command, option
from cutline.cli.completion import complete_measures
from cutline.cli.options import ColumnOptions, IntervalOptions, Reading, ReadingAtCut
from cutline.cli.output import Output, print_json
from cutline.cli.progress import show_progress
from cutline.cli.text import escape_controls, name_options, strip_controls
from cutline.core import atomic_write
from cutline.core.errors import ParameterError
from cutline.core.escaping import html_text
from cutline.core.table import format_bracket, format_value, to_json_value

if TYPE_CHECKING:
    from cutline.cli.reading import PredictionFile
    from cutline.comparison import Comparison
    from cutline.cuts.requirements import Requirement, Term
    from cutline.evaluation import Evaluation
    from cutline.measures import Measure
    from cutline.results.estimate import Estimate
    from cutline.results.summary import Row


_SPECIAL = str.maketrans({mark: f"\\{mark}" for mark in "\\`*_[]|#~"})


def make_markdown(outcome: GateOutcome) -> bytes:
    """Return a heading, a sentence, and a table with what failed first."""
    heads = ("", "requirement", "found", render.format_interval_title(outcome.level), "why")
    rows = [_make_row(result) for result in sorted(outcome.results, key=lambda result: result.passed)]
    table = [heads, tuple("---" for _ in heads), *rows]
    lines = [f"### cutline check: {_escape_markdown(outcome.file)}", "", outcome.conclusion, ""]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in table), ""]).encode()


def _make_row(result: Result) -> tuple[str, ...]:
    state = result.state if result.passed else f"**{result.state}**"
    return (
        state,
        _escape_markdown(result.requirement),
        format_value(float(result.value)),
        result.interval,
        _escape_markdown(result.reason),
    )


def _escape_markdown(text: str) -> str:
    """Escape text so that Markdown shows it unchanged."""
    return html_text(" ".join(text.split()).translate(_SPECIAL))


def make_junit(outcome: GateOutcome) -> bytes:
    """Return a JUnit document with one test case for each requirement."""
    from xml.etree import ElementTree as ET  # only written, never read

    results = outcome.results
    failures = str(sum(not result.passed for result in results))
    counts = {"tests": str(len(results)), "failures": failures, "errors": "0", "skipped": "0"}
    suites = ET.Element("testsuites", counts)
    suite = ET.SubElement(suites, "testsuite", {"name": f"cutline check {strip_controls(outcome.file)}", **counts})
    for result in results:
        names = {"classname": "cutline.check", "name": strip_controls(result.requirement)}
        case = ET.SubElement(suite, "testcase", names)
        if not result.passed:
            value = f"found {format_value(float(result.value))}" + (
                f", interval {result.interval}" if result.interval else ""
            )
            message = strip_controls(f"{value}. {result.reason}".strip())
            ET.SubElement(case, "failure", {"message": message}).text = message
    ET.indent(suites)
    text: bytes = ET.tostring(suites, "utf-8", xml_declaration=True)
    return text + b"\n"


NEW, OLD = "new", "old"
STDOUT = "-"


@dataclass(frozen=True)
class GateOptions:
    """What must hold."""

    require: tuple[str, ...] = option(
        "--require",
        multiple=True,
        group=o.CONDITIONS,
        help="A condition that must hold; repeat it for more. Examples: --require 'auc.low >= 0.8', "
        "--require 'recall@quota=500 >= 0.6', --require 'f_beta@beta=2,threshold=0.3 > 0.5'",
    ).field()
    against: str | None = option(
        "--against",
        type=FileName(),
        group=o.CONDITIONS,
        help="The predictions of the model to compare with. Example: --against old.csv",
    ).field()
    no_worse: str | None = option(
        "--no-worse",
        shell_complete=complete_measures,
        group=o.CONDITIONS,
        help="Measures in which the model must not be worse than --against, on the interval of the paired difference. "
        "Example: --no-worse auc,log_loss",
    ).field()
    margin: float | None = option(
        "--margin",
        type=Fraction(),
        group=o.CONDITIONS,
        help="The loss that would be acceptable: --no-worse then passes only if the interval excludes any larger one. "
        "Example: --margin 0.01",
    ).field()
    against_score: str | None = option(
        "--against-score",
        group=o.CONDITIONS,
        help="The column of scores in --against, if it has another name there. Example: --against-score p",
    ).field()
    independent: bool = option(
        "--independent",
        is_flag=True,
        group=o.CONDITIONS,
        help="--against holds other cases, such as those of last week: an unpaired comparison, which takes ranking "
        "files too. Example: cutline check week2.ranking --against week1.ranking --no-worse auc --independent",
    ).field()
    cut: str | None = option(
        "--cut",
        type=FileName(),
        group=o.CONDITIONS,
        help="Test whether the promises of this cut held on these cases; undecided ones pass unless you say otherwise. "
        "Example: --cut cut.json",
    ).field()
    monitor: str | None = option(
        "--monitor",
        type=FileName(),
        group=o.CONDITIONS,
        help="The state file of `cutline monitor --state`: fails while an alarm is open. Needs no predictions. "
        "Example: --monitor monitor.json",
    ).field()
    undecided: str | None = option(
        "--undecided",
        type=click.Choice(["pass", "fail"]),
        group=o.CONDITIONS,
        help="Judge values by their intervals; one that contains the bound passes or fails. Example: --undecided fail",
    ).field()
    junit: Path | None = option(
        "--junit",
        type=o.PATH,
        group=o.OUTPUT,
        help="Also write the results as JUnit XML. Example: --junit gate.xml",
    ).field()
    markdown: Path | None = option(
        "--markdown",
        type=o.PATH,
        group=o.OUTPUT,
        help="Also write the results as Markdown; - prints them instead of the table. Example: --markdown gate.md",
    ).field()

    @property
    def reads_cases(self) -> bool:
        """Whether a condition is about predictions."""
        return bool(self.require or self.no_worse or self.cut is not None)

    def check(self) -> None:
        """Raise if the gate checks nothing, or half of something."""
        if not self.reads_cases and self.monitor is None:
            raise ParameterError("There is nothing to check", "pass --require, --cut, or --against with --no-worse")
        if self.undecided is not None and not self.require and self.cut is None:
            raise ParameterError("--undecided is about --require and --cut", "pass one of them")
        if (self.against is None) != (self.no_worse is None):
            raise ParameterError("--against and --no-worse belong together", "pass both")
        if self.against is None and (self.margin is not None or self.against_score is not None or self.independent):
            raise ParameterError("--margin, --against-score and --independent belong to --against", "pass that too")
        if self.margin is not None and not self.margin >= 0:
            raise ParameterError(f"--margin is {self.margin:g}", "pass the largest acceptable loss, 0 or more")


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
        """Outcome: passed, failed or undecided."""
        return "undecided" if self.is_undecided else "passed" if self.passed else "failed"

    @property
    def interval(self) -> str:
        """Interval as text; empty if there is none."""
        return render.format_interval((float(self.low), float(self.high)))

    def to_dict(self) -> dict[str, Any]:
        """Return the result, ready for JSON: non-finite numbers are None, with a reason."""
        numbers = {name: to_json_value(float(getattr(self, name))) for name in ("value", "low", "high")}
        came_out = {"passed": self.passed, "state": self.state}
        return {"requirement": self.requirement, **came_out, **numbers, "reason": self.reason}


@dataclass(frozen=True)
class GateOutcome:
    """All conditions of a gate, and how they came out."""

    file: str
    results: tuple[Result, ...]
    level: float
    guesses: tuple[str, ...] = ()
    messages: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether all conditions hold."""
        return all(result.passed for result in self.results)

    @property
    def conclusion(self) -> str:
        """Sentence on the outcome of the gate."""
        failed = sum(not result.passed for result in self.results)
        undecided = sum(result.is_undecided and result.passed for result in self.results)
        if failed:
            return f"{failed} of {len(self.results)} requirements failed."
        if undecided:
            return f"No requirement failed; {undecided} of {len(self.results)} undecided."
        return "All requirements passed."

    def document(self) -> dict[str, Any]:
        """Return the outcome, ready for JSON."""
        head = {"schema": "cutline/check/1", "file": self.file, "passed": self.passed, "level": self.level}
        return head | {"results": [result.to_dict() for result in self.results]}


@command
@argument("file", type=FileName(), required=False, metavar="FILE", help="Predictions; not needed with --monitor alone.")
@add_options(GateOptions, "gate")
@add_options(ReadingAtCut, "reading")
@add_options(IntervalOptions, "intervals")
@add_options(Output, "output")
@o.PLUGIN
@o.BY
@click.pass_context
def check(
    ctx: click.Context,
    file: str | None,
    gate: GateOptions,
    reading: ReadingAtCut,
    intervals: IntervalOptions,
    output: Output,
    by: tuple[str, ...],
) -> None:
    """Check all conditions, show them, and end with 1 unless all hold."""
    prints_markdown = str(gate.markdown) == STDOUT
    if prints_markdown and output.json:
        raise ParameterError("--json and --markdown - both write to standard output", "pass one of them")
    documents = [(gate.junit, make_junit), (None if prints_markdown else gate.markdown, make_markdown)]
    to_write = [(path, document) for path, document in documents if path is not None]
    for path, _ in to_write:
        atomic_write.check(path, overwrite=output.force)
    if by:
        outcome = check_slice_conditions(file, by, reading, intervals, gate, quiet=output.quiet)
    else:
        outcome = check_conditions(file, reading, intervals, gate, quiet=output.quiet)
    output.say_guesses(outcome.guesses)
    for line in outcome.messages:
        output.say(name_options(line))
    for path, document in to_write:
        atomic_write.write(path, document(outcome), overwrite=output.force)
    if output.json:
        print_json(outcome.document())
    elif prints_markdown:
        click.echo(make_markdown(outcome), nl=False)
    elif not outcome.passed or not output.quiet:
        _show(outcome)
    ctx.exit(0 if outcome.passed else 1)


def check_conditions(
    path: str | None, reading: Reading, intervals: IntervalOptions, gate: GateOptions, *, quiet: bool
) -> GateOutcome:
    """Check all conditions.

    Args:
        path: The file of predictions; None where a monitor alone is checked.
        reading: How it is read.
        intervals: How intervals are made.
        gate: What must hold.
        quiet: Whether no progress is shown.
    """
    from cutline.cli.reading import read_evaluation
    from cutline.cuts.requirements import parse_requirement
    from cutline.results.notes import make_data_notes

    gate.check()
    has_quota = reading.quota is not None or reading.share is not None
    requirements = [parse_requirement(text, has_quota=has_quota) for text in gate.require]
    measures = [] if gate.no_worse is None else _parse_guarded(gate.no_worse, has_quota=has_quota)
    intervals.check()
    watched = [] if gate.monitor is None else _check_alarms(gate.monitor)
    if not gate.reads_cases and path is None:
        return GateOutcome(escape_controls(gate.monitor), tuple(watched), intervals.level)
    if path is None:
        raise ParameterError("There are no predictions to check", "pass their file")
    ev, predictions = read_evaluation(
        path, _without_columns(reading, path) if gate.independent else reading, None, quiet=quiet
    )
    with show_progress("Resampling for the intervals", quiet=quiet or intervals.resamples == 0):
        results, messages = (
            _check_requirements(ev, requirements, intervals, gate.undecided) if requirements else ([], [])
        )
        if gate.cut is not None:
            results += _check_promises(ev, gate.cut, intervals, gate.undecided or "pass")
        if gate.against is not None and gate.independent:
            results += _check_unpaired(ev, _read_against(predictions, gate, reading), measures, gate.margin, intervals)
        elif gate.against is not None:
            results += _check_paired(_read_pair(predictions, gate, reading), measures, gate.margin, intervals)
    # Low values may be due to scores that rank the other way round.
    messages = [*(note.text for note in make_data_notes(ev.ranking, ev.cut) if note.rule == "reversed"), *messages]
    return GateOutcome(
        predictions.name, (*results, *watched), intervals.level, tuple(predictions.chosen.guesses), tuple(messages)
    )


def check_slice_conditions(
    path: str | None, by: Sequence[str], reading: Reading, intervals: IntervalOptions, gate: GateOptions, *, quiet: bool
) -> GateOutcome:
    """Check conditions on every slice, and on the gap between slices.

    Args:
        path: The file of predictions.
        by: The columns whose values are the slices.
        reading: How it is read.
        intervals: How intervals are made.
        gate: What must hold.
        quiet: Whether no progress is shown.
    """
    from cutline.cli.reading import read_slices
    from cutline.cuts.gates import check_slices, describe_checks

    gate.check()
    if any(value is not None for value in (gate.against, gate.cut, gate.undecided, gate.monitor)):
        raise ParameterError("--by works only with --require", "leave --against, --cut, --monitor and --undecided out")
    if path is None:
        raise ParameterError("There are no predictions to check", "pass their file")
    intervals.check()
    slices, guesses = read_slices([path], by, reading, None, quiet=quiet)
    with show_progress("Comparing the slices", quiet=quiet):
        checked = check_slices(slices, gate.require, level=intervals.level)
    results = tuple(Result(r.requirement, r.passed, r.value, r.low, r.high, r.reason) for r in checked)
    messages = (describe_checks(intervals.level, gate.require),)
    return GateOutcome(Path(path).name, results, intervals.level, tuple(guesses), messages)


def _parse_guarded(text: str, *, has_quota: bool) -> list[Term]:
    """Return the measures in which the model must be no worse."""
    from cutline.cuts.requirements import check_complete, parse_terms

    guarded = parse_terms(text)
    for term in guarded:
        if not has_quota:
            check_complete(term)
        if term.measure.better is None:
            raise ParameterError(
                f"{term.measure.name} has no better direction: --no-worse needs a measure that has one."
            )
    return guarded


def _check_alarms(path: str) -> list[Result]:
    """Return, for each measure that a monitor watches, whether it has no open alarm."""
    from cutline.loading import load
    from cutline.monitoring import Monitor

    monitor = load(path)
    if not isinstance(monitor, Monitor):
        raise ParameterError(
            f"{escape_controls(path)} is not the state of a monitor", "pass what `cutline monitor --state` wrote"
        )
    last = {row["measure"]: row for row in monitor.table}
    results = []
    for measure in monitor.settings.measures:
        alarms = [alarm.day for alarm in monitor.open_alarms if alarm.measure == measure]
        row = last.get(measure, {})
        value, low, high = (math.nan if row.get(name) is None else row[name] for name in ("cumulated", "low", "high"))
        reason = f"alarm on {alarms[0]}" if alarms else ""
        results.append(Result(f"{measure} since release", not alarms, value, low, high, reason))
    return results


def _check_promises(ev: Evaluation, path: str, intervals: IntervalOptions, undecided: str) -> list[Result]:
    """Test whether the promises of a cut held on these cases."""
    from cutline.cuts.gates import check_cut
    from cutline.loading import load
    from cutline.results.resample_budget import FEWEST, choose_resamples

    resamples = choose_resamples(len(ev.ranking), intervals.resamples)
    verdict = check_cut(load(path), ev, level=intervals.level, resamples=max(FEWEST, resamples), seed=intervals.seed)
    return [
        Result(
            result.requirement,
            result.state == "passed" or (result.state == "undecided" and undecided == "pass"),
            result.value,
            result.low,
            result.high,
            result.reason,
            result.state == "undecided",
        )
        for result in verdict
    ]


def _check_requirements(
    ev: Evaluation, requirements: list[Requirement], intervals: IntervalOptions, undecided: str | None
) -> tuple[list[Result], list[str]]:
    """Judge the numbers that the requirements name; return the results and messages on how they were made.

    With `undecided`, values too are judged by their intervals, and one that contains the bound passes or fails.
    """
    from cutline.results.resample_budget import explain_fewer

    plain_values = [
        requirement for requirement in requirements if requirement.term.part == "value" and undecided is None
    ]
    limits = [requirement for requirement in requirements if requirement.term.part != "value" or undecided is not None]
    values = ev.summary([_name_term(requirement.term) for requirement in plain_values], intervals=False)
    with_limits = ev.summary(
        [_name_term(requirement.term) for requirement in limits], intervals="bootstrap", **intervals.how
    )
    rows = {
        requirement.text: row
        for summary, some in ((values, plain_values), (with_limits, limits))
        for requirement, row in zip(some, summary.rows, strict=True)
    }
    for requirement in limits:
        _check_interval(
            requirement.text, rows[requirement.text].estimate, with_limits.options.resamples_used, intervals
        )
    messages = (
        [explain_fewer(len(ev.ranking), with_limits.options.resamples_used, intervals.resamples)]
        if any(row.is_resampled for row in with_limits.rows)
        else []
    )
    judged = [
        _judge_number(requirement, rows[requirement.text])
        if undecided is None
        else _judge_interval(requirement, rows[requirement.text], undecided)
        for requirement in requirements
    ]
    return judged, [line for line in messages if line]


def _name_term(term: Term) -> tuple[Measure, dict[str, Any]]:
    return term.measure, term.parameters


def _check_interval(text: str, estimate: Estimate, resamples: int, intervals: IntervalOptions) -> None:
    """Raise if a gate is on an interval that is missing or has too few resamples."""
    from cutline.results.method_titles import RESAMPLED
    from cutline.results.resample_budget import FEWEST

    if not estimate.has_interval and intervals.resamples == 0 and not math.isnan(estimate.value):
        raise ParameterError(
            f"{text!r} needs a bootstrap interval, which --resamples 0 leaves out",
            f"pass at least {FEWEST} resamples, or set a bound for the value alone",
        )
    fewest = math.ceil(2 / (1 - intervals.level)) - 1
    if estimate.method in RESAMPLED and resamples < fewest:
        raise ParameterError(
            f"{text!r} needs at least {fewest} resamples at a level of {intervals.level:g}, but {resamples} were drawn",
            f"pass --resamples {max(fewest, FEWEST)}",
        )


def _judge_interval(requirement: Requirement, row: Row, undecided: str) -> Result:
    """Judge the whole interval of a value by a requirement; a limit by itself."""
    from cutline.cuts.gates import judge

    if requirement.term.part != "value" or row.interval is None:
        return _judge_number(requirement, row)
    low, high = row.interval
    state = judge(requirement, row.value, low, high)
    reason = {"passed": "", "failed": f"value is {format_value(row.value)}"}.get(state, "the interval holds the bound")
    passed = state == "passed" or (state == "undecided" and undecided == "pass")
    return Result(requirement.text, passed, row.value, low, high, reason, state == "undecided")


def _judge_number(requirement: Requirement, row: Row) -> Result:
    """Judge the number that a requirement names."""
    part, estimate = requirement.term.part, row.estimate
    number = {"value": row.value, "low": estimate.low, "high": estimate.high}[part]
    reason = f"undefined: {row.reason}" if math.isnan(row.value) else ""
    if not reason and math.isnan(number):
        reason = " ".join(("there is no interval.", *estimate.notes))
    passed = requirement.holds(number)
    if part == "value" and passed and row.bounds is not None and not all(map(requirement.holds, row.bounds[:2])):
        passed = False
        reason = (
            f"the scores were binned, and the exact value is from {format_bracket(row.bounds.low, row.bounds.high)}"
        )
    if not passed and not reason:
        reason = f"{part} is {format_value(float(number))}"
    low, high = (estimate.low, estimate.high) if part != "value" else (math.nan, math.nan)
    return Result(requirement.text, passed, row.value, low, high, reason)


def _read_pair(predictions: PredictionFile, gate: GateOptions, reading: Reading) -> Comparison:
    """Return the model and the one to beat, on the same cases."""
    from cutline.cli.reading import compare_in_order, compare_joined, open_predictions

    predictions.check_cases()
    score = gate.against_score or predictions.chosen.scores[0]
    columns = replace(reading.columns, label=predictions.chosen.label, scores=(score,), group=None, stratum=None)
    models = {
        NEW: predictions,
        OLD: open_predictions(str(gate.against), replace(reading, columns=columns, format=None)),
    }
    return compare_joined(models, reading) if reading.columns.id else compare_in_order(models, reading)


def _check_paired(
    cmp: Comparison, measures: list[Term], margin: float | None, intervals: IntervalOptions
) -> list[Result]:
    """Judge the intervals of the paired differences: they show a loss or, with a margin, exclude a larger one."""
    from cutline.results.resample_budget import choose_resamples_of_rows

    how = intervals.how | {"resamples": choose_resamples_of_rows(len(cmp.pairing), intervals.resamples)}
    summary = cmp.summary([_name_term(term) for term in measures], of_models=(), **how)
    results = []
    for term, row in zip(measures, summary.rows, strict=True):
        name = _name_loss(term, margin)
        _check_interval(name, row.estimate, summary.options.resamples_used, intervals)
        results.append(_judge_loss(name, row.estimate, row.notes, term.measure, margin))
    return results


def _read_against(predictions: PredictionFile, gate: GateOptions, reading: Reading) -> Evaluation:
    """Read the model to beat on its own cases."""
    from cutline.cli.reading import read_evaluation

    columns = reading.columns
    if not predictions.finished:
        columns = replace(columns, label=predictions.chosen.label, scores=predictions.chosen.scores)
    if gate.against_score is not None:
        columns = replace(columns, scores=(gate.against_score,))
    own = replace(reading, columns=columns, format=None)
    return read_evaluation(str(gate.against), _without_columns(own, str(gate.against)), None)[0]


def _without_columns(reading: Reading, path: str) -> Reading:
    """Return the options for a file, without the columns of the other file if it is a finished ranking."""
    from cutline.core.ranking_file import is_ranking_file

    return replace(reading, columns=ColumnOptions()) if is_ranking_file(path) else reading


def _check_unpaired(
    new: Evaluation, old: Evaluation, measures: list[Term], margin: float | None, intervals: IntervalOptions
) -> list[Result]:
    """Check the differences of two independent samples, as `_no_worse` does for pairs."""
    from cutline.independent_comparison import compare_independent
    from cutline.results.resample_budget import choose_resamples

    resamples = choose_resamples(max(len(new.ranking), len(old.ranking)), intervals.resamples)
    how = intervals.how | {"resamples": resamples}
    both = compare_independent(new, old, names=(NEW, OLD))
    results = []
    for term in measures:
        name = _name_loss(term, margin)
        estimate = both.difference(term.measure, **how, **term.parameters)
        _check_interval(name, estimate, resamples, intervals)
        results.append(_judge_loss(name, estimate, estimate.notes, term.measure, margin))
    return results


def _name_loss(term: Term, margin: float | None) -> str:
    return f"{term} no worse" + ("" if margin is None else f" by more than {margin:g}")


def _judge_loss(name: str, estimate: Estimate, notes: Sequence[str], measure: Measure, margin: float | None) -> Result:
    if not estimate.has_interval:
        return Result(name, False, estimate.value, reason=" ".join(("there is no interval.", *notes)))
    low, high = estimate.low, estimate.high
    # As a loss, whichever way is better: from the least to the most that the data allow.
    least, most = (-high, -low) if measure.better == "higher" else (low, high)
    passed = least <= 0 if margin is None else most <= margin
    reason = "" if passed else "it is worse" if margin is None else "a larger loss is not excluded"
    return Result(name, passed, estimate.value, low, high, reason)


def _format_state(result: Result) -> Text:
    if result.is_undecided:
        return Text("undecided" if result.passed else "UNDECIDED", style="yellow" if result.passed else "bold red")
    return Text("passed", style="green") if result.passed else Text("FAILED", style="bold red")


def _show(outcome: GateOutcome) -> None:
    screen = render.make_console()
    rows = [
        (_format_state(result), result.requirement, format_value(float(result.value)), result.interval, result.reason)
        for result in sorted(outcome.results, key=lambda result: result.passed)
    ]
    heads = ("", "requirement", "value", render.format_interval_title(outcome.level), "why")
    screen.print(render.make_grid(screen, heads, rows))
    screen.print(Text(escape_controls(outcome.conclusion)))
