"""The work of `evaluate --quota-by`: a quota in each period, such as each flight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from cutline.cli import render
from cutline.cli.options import FileOutput, Reading, SelectionOptions
from cutline.cli.progress import waiting
from cutline.cli.reading import open_predictions
from cutline.cli.render import show
from cutline.cli.text import printable
from cutline.core.errors import ParameterError
from cutline.core.table import shown
from cutline.core.validation import name_of
from cutline.evaluation import evaluate
from cutline.quota_periods import MEASURES, PeriodSummary


def run_periods(
    paths: Sequence[str],
    period: str,
    reading: Reading,
    selection: SelectionOptions,
    output: FileOutput,
    name: str | None,
    refused: Mapping[str, Any],
) -> None:
    """Evaluate a quota in each period and show the results.

    Args:
        paths: The files of predictions.
        period: The column whose values are the periods.
        reading: How the files are read.
        selection: The level of the intervals; nothing else is selected.
        output: Where the results go.
        name: What to call the model.
        refused: Options that periods have no use for, with what was given: none is read and ignored.
    """
    c = reading.columns
    chosen = {"--measures": selection.by_name, "--family": selection.family, "--resamples": selection.resamples}
    apart = {"--group": c.group, "--stratum": c.stratum, "--id": c.id, "--threshold": reading.threshold is not None}
    others = {"--png": output.png, "--exact": reading.exact}
    for option, value in {**refused, **chosen, **apart, **others}.items():
        if value:
            raise ParameterError(f"--quota-by cannot be combined with {option}", "leave one of them out")
    if not paths:
        raise ParameterError("Pass the files of the predictions.")
    if len(c.scores) > 1:
        raise ParameterError(f"--score is given {len(c.scores)} times", "pass it once for this command")
    output.check()
    source = open_predictions(paths, reading, quota_by=period, quiet=output.quiet)
    score = source.chosen.scores[0]
    with waiting("Reading the predictions", quiet=output.quiet, unit="rows"):
        periods: Any = evaluate(
            source.chosen.label,
            score,
            c.weight,
            quota_by=period,
            data=source.file,
            name=printable(name_of(name) or score),
            memory=reading.memory,
            **reading.common,
        )
    summary = periods.summary(level=selection.level)
    output.say_guesses(source.chosen.guesses)
    for path in output.documents:
        periods.save(path, level=selection.level, overwrite=output.force)
        output.say(f"The {'report is' if path.suffix.lower() == '.html' else 'numbers are in'} {path}.")
    show(output, summary, _render(summary))


def _render(summary: PeriodSummary) -> RenderableType:
    """Render the title, and a line for each measure."""
    rows = [
        (
            MEASURES[e.measure].title,
            shown(e.value),
            render.interval((e.low, e.high) if e.has_interval else None),
            shown(baseline),
            shown(optimum),
        )
        for e, _, baseline, optimum in summary.rows
    ]
    head = ("", "value", f"{100 * summary.level:g} % interval", "baseline", "optimum")
    return Group(Text(printable(summary.periods.title)), Text(), render.grid(render.console(), head, rows))
