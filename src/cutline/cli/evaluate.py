"""`cutline evaluate`: one model, with its measures, their intervals and what to know about them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from cutline.cli import options as o
from cutline.cli.command import FileName, add_options, command, option
from cutline.cli.options import LargeReading, SelectionOptions
from cutline.cli.output import REPORT, FileOutput
from cutline.cli.progress import show_progress
from cutline.cli.render import (
    WIDE,
    Signs,
    choose_signs,
    explain_undefined,
    fold,
    fold_sentences,
    format_interval,
    format_interval_title,
    make_console,
    make_table,
    make_worst_warnings,
)
from cutline.cli.text import escape_controls, name_options_in_notes
from cutline.core.errors import ParameterError
from cutline.core.messages import join_with_and
from cutline.core.table import format_bracket, format_value

if TYPE_CHECKING:
    from cutline.cli.reading import PredictionFile
    from cutline.evaluation import Evaluation
    from cutline.results.comparison_summary import ComparisonSummary
    from cutline.results.cut_point import CutPoint
    from cutline.results.summary import Row, Summary

    Document = TypeVar("Document", Summary, ComparisonSummary)


@command
@o.FILES
@add_options(LargeReading, "reading")
@add_options(SelectionOptions, "selection")
@add_options(FileOutput, "output")
@option("--name", group=o.OUTPUT, advanced=True, help="What to call the model. Example: --name 'model of May'")
@option(
    "--template",
    type=click.Choice([REPORT, "tools", "clinical", "credit"]),
    default=REPORT,
    group=o.OUTPUT,
    advanced=True,
    help="The page that --html writes: the report, the report with the numbers that other tools would give (tools), "
    "the validation report of a clinical model, biomarker or reader, or score bands and approval "
    "rates (credit). Example: --template clinical",
)
@o.PLUGIN
@option(
    "--ranking-csv",
    type=FileName(),
    metavar="FILE",
    group=o.READING,
    advanced=True,
    help="The result of the query of `cutline sql`, instead of predictions. Example: --ranking-csv out.csv",
)
@o.CLASS_SCORES
@o.BY
@option(
    "--simultaneous",
    is_flag=True,
    group=o.DATA,
    advanced=True,
    help="With --by: the intervals of a measure hold for all slices simultaneously. Example: --by site --simultaneous",
)
@o.FOLD
@o.REPEAT
@option(
    "--quota-by",
    metavar="COLUMN",
    group=o.CUT,
    advanced=True,
    help="Fill the quota within each value of this column, such as each flight or day, and pool the results. "
    "Example: --quota 20 --quota-by flight",
)
@option(
    "--ordered",
    is_flag=True,
    group=o.DATA,
    advanced=True,
    help="The classes of --class-scores are ordered from lowest to highest: adds the ranked probability score. "
    "Example: --class-scores lose,draw,win --ordered",
)
@option(
    "--labels",
    metavar="COLUMNS",
    group=o.DATA,
    advanced=True,
    help="Several labels per case: the columns with 0 or 1 for each label, in the order of --class-scores. "
    "Example: --labels sport,money --class-scores sport=p_sport,money=p_money",
)
def evaluate(
    files: tuple[str, ...],
    reading: LargeReading,
    selection: SelectionOptions,
    output: FileOutput,
    name: str | None,
    template: str,
    ranking_csv: str | None,
    class_scores: tuple[str, ...],
    by: tuple[str, ...],
    simultaneous: bool,
    fold: str | None,
    repeat: str | None,
    quota_by: str | None,
    ordered: bool,
    labels: str | None,
) -> None:
    """Evaluate one model and show the results."""
    if (ordered or labels) and not class_scores:
        option_name = "--ordered" if ordered else "--labels"
        raise ParameterError(f"{option_name} needs --class-scores", "pass a column of scores for each class or label")
    if simultaneous and not by:
        raise ParameterError("--simultaneous is about slices", "pass --by too")
    if repeat is not None and fold is None:
        raise ParameterError("--repeat is given without --fold", "pass the column of the folds too")
    refused = {"--ranking-csv": ranking_csv, "--class-scores": class_scores, "--template": template != REPORT}
    if quota_by is not None:
        from cutline.cli.quota_periods import run_periods

        run_periods(files, quota_by, reading, selection, output, name, refused | {"--by": by, "--fold": fold})
        return
    if fold is not None:
        from cutline.cli.folds import run_folds

        run_folds(files, fold, repeat, reading, selection, output, name, refused | {"--by": by})
        return
    if by:
        from cutline.cli.slices import run_slices

        run_slices(files, by, reading, selection, output, name, refused, simultaneous=simultaneous)
        return
    if class_scores:
        from cutline.cli.classes import ClassModel, run_classes

        model = ClassModel(files, class_scores, name, template, ranking_csv, ordered, labels)
        run_classes(model, reading, selection, output)
        return
    charts = output.list_charts(several=False)
    output.check(charts)
    selection.check()
    ev, source = _read(files, reading, name, ranking_csv, quiet=output.quiet)
    output.start_renderer()
    summary = summarize_evaluation(ev, selection, whole=output.is_whole, quiet=output.quiet)
    printed = select_headlines(summary, selection, ev.cut)
    output.say_guesses(source.chosen.guesses)
    output.print_summary(printed, render_evaluation(make_console(), printed), warned=True)
    output.write_files(ev, summary, charts, template)


def _read(
    files: tuple[str, ...], reading: LargeReading, name: str | None, ranking_csv: str | None, *, quiet: bool
) -> tuple[Evaluation, PredictionFile]:
    """Read the predictions, or a finished ranking in place of them."""
    from cutline.cli.reading import evaluate_ranking, read_evaluation, wrap_ranking_file
    from cutline.core.validation import clean_model_name

    if bool(files) == bool(ranking_csv):
        raise ParameterError("Pass the files of the predictions, or --ranking-csv with a finished ranking.")
    if not ranking_csv:
        return read_evaluation(files, reading, name, quiet=quiet)
    from cutline.inputs.ranking_tables import read_ranking_table

    ranking = read_ranking_table(
        ranking_csv, positive=reading.positive, higher_is_positive=not reading.lower_is_positive
    )
    ev = evaluate_ranking(ranking, reading, clean_model_name(name) or Path(ranking_csv).stem, is_table=True)
    return ev, wrap_ranking_file(Path(ranking_csv).name)


def summarize_evaluation(ev: Evaluation, selection: SelectionOptions, *, whole: bool = False, quiet: bool) -> Summary:
    """Return the selected measures with their intervals and the notes on them; all measures for a report.

    Args:
        ev: The model.
        selection: Which measures.
        whole: Whether a report is made.
        quiet: Whether the terminal shows no progress.
    """
    from cutline.advice import add_notes
    from cutline.results.measure_selection import list_headlines

    chosen = list_headlines(ev.cut) if selection.by_name is None and not whole else selection.chosen
    with show_progress("Resampling for the intervals", quiet=quiet or selection.resamples == 0):
        summary = ev.summary(chosen, family=selection.family, **selection.how)
    return finish_summary(add_notes(ev, summary, selection.by_name), whole=whole)


def select_headlines(summary: Summary, selection: SelectionOptions, cut: CutPoint) -> Summary:
    """Return the headline measures of a summary, or all that the options name."""
    from cutline.results.measure_selection import list_headlines

    return summary if selection.by_name else summary.only({measure.name for measure in list_headlines(cut)})


def finish_summary(summary: Document, *, whole: bool) -> Document:
    """Name options in the notes; judge the probabilities for a whole document, which the screen does without."""
    summary = summary.with_notes(name_options_in_notes(summary.notes))
    if not whole:
        return summary
    from cutline.calibration.summary import add_judgements

    return add_judgements(summary)


# ---------------------------------------------------------------------- the screen

_WITH_STRIP = 76  # columns of a terminal from which there is room for the strip
_WITH_BASELINE = 56  # ... for the baseline
_NUMBERS = ((WIDE, 67), (_WITH_STRIP, 54), (_WITH_BASELINE, 40), (0, 29))  # what the columns beside the names take
_TOO_NARROW = "!"  # after an interval whose actual coverage is probably below its level


def render_evaluation(screen: Console, summary: Summary) -> RenderableType:
    """Render one model: the verdict, the worst warnings, the counts at the cut, and the measures by question."""
    parts = [*fold_sentences(screen, summary.verdict), *make_worst_warnings(screen, summary.notes), Text()]
    parts += [_render_heading(summary), Text(), _render_counts(screen, summary)]
    parts += _render_questions(screen, summary)
    return Group(
        *parts, *_render_brackets(screen, summary), *_render_reasons(summary), Text(), _explain_signs(screen, summary)
    )


def _explain_signs(screen: Console, summary: Summary) -> Text:
    """Explain the signs that occur."""
    signs = choose_signs(screen)
    words = []
    if screen.width >= _WITH_STRIP:
        words.append(f"{signs.value} value, {signs.interval} interval, {signs.baseline} baseline")
    if any(row.measure.better == "lower" for row in summary.rows):
        words.append(f"{signs.lower} lower is better")
    if any(row.estimate.warning for row in summary.rows):
        words.append(f"{_TOO_NARROW} probably too narrow")
    words += [f"AUC interval: {row.method}" for row in summary.rows if row.key == "auc" and row.method]
    return Text("; ".join(words), style="dim")


def _render_heading(summary: Summary) -> Text:
    name = Text(escape_controls(summary.name or "model"), style="bold")
    return Text.assemble(name, f"  {escape_controls(summary.data.describe())}")


def _render_counts(screen: Console, summary: Summary) -> RenderableType:
    from cutline.core.counts import add_commas

    c, table = summary.counts, make_table(screen)
    table.add_column(Text(summary.cut.describe(summary.data.ranking)))
    for name in (*c.class_titles, "all"):
        table.add_column(Text(escape_controls(name)), justify="right")
    table.add_row(
        "flagged", Text(add_commas(c.tp), style="green"), Text(add_commas(c.fp), style="red"), add_commas(c.flagged)
    )
    table.add_row(
        "not flagged",
        Text(add_commas(c.fn), style="red"),
        Text(add_commas(c.tn), style="green"),
        add_commas(c.unflagged),
    )
    return table


def _render_questions(screen: Console, summary: Summary) -> Iterable[RenderableType]:
    from cutline.measures import Family

    # All tables with one width of names, as far as there is room beside the numbers.
    numbers = next(taken for width, taken in _NUMBERS if screen.width >= width)
    longest = max((len(row.title) + 4 for row in summary.rows), default=0)
    marked = " " * any(row.estimate.warning for row in summary.rows)
    names = max(12, min(longest, screen.width - numbers - _count_extra_columns(summary.rows) - len(marked)))
    for family in Family:
        mine = [row for row in summary.rows if row.measure.family is family]
        if mine:
            yield Text()
            if reason := _find_common_reason(mine):
                titles = join_with_and([row.measure.title for row in mine])
                undefined = f"{titles} {'is' if len(mine) == 1 else 'are'} undefined, because {reason.rstrip('.')}."
                yield Text(family.value, style="bold")
                yield Text(fold(undefined, screen.width))
            else:
                yield _render_measures(screen, family.value, mine, summary.level, names, marked)


def _find_common_reason(rows: Sequence[Row]) -> str:
    """Return the reason why all of the measures are undefined; empty if there is no such reason."""
    reasons = {row.reason if math.isnan(row.value) else "" for row in rows}
    return reasons.pop() if len(reasons) == 1 else ""


def _count_extra_columns(rows: Sequence[Row]) -> int:
    """Return by how many columns the longest value and interval exceed their usual width."""
    value = max((len(format_value(row.value)) for row in rows if math.isfinite(row.value)), default=0)
    limits = max((len(format_interval(row.interval)) for row in rows), default=0)
    return max(0, value - len("0.0000")) + max(0, limits - len("[0.0000, 0.0000]"))


def _render_measures(screen: Console, title: str, rows: Sequence[Row], level: float, names: int, marked: str) -> Table:
    """Render a table of measures; `marked` is the width of the marks after intervals, if any table has them."""
    table = make_table(screen, title=title)
    table.add_column("", min_width=names, max_width=names, overflow="fold")
    table.add_column("value", justify="right", no_wrap=True, min_width=6)
    table.add_column(format_interval_title(level), no_wrap=True)
    if screen.width >= _WITH_BASELINE:
        table.add_column("baseline", justify="right", no_wrap=True)
    if screen.width >= _WITH_STRIP:
        table.add_column("", no_wrap=True)
    signs = choose_signs(screen)
    for row in rows:
        cells = [
            _render_name(row, signs.lower),
            Text(format_value(row.value), style="bold"),
            Text(format_interval(row.interval) + (_TOO_NARROW if row.estimate.warning else marked)),
        ]
        if screen.width >= _WITH_BASELINE:
            cells.append(Text(format_value(row.baseline), style="dim"))
        if screen.width >= _WITH_STRIP:
            cells.append(_draw_strip(row, 24 if screen.width >= WIDE else 11, signs))
        table.add_row(*cells)
    return table


def _render_name(row: Row, lower: str) -> Text:
    name = Text(row.title)
    name.stylize("dim", len(row.measure.title))
    return name.append(f" {lower}", style="dim") if row.measure.better == "lower" else name


def _render_brackets(screen: Console, summary: Summary) -> Iterable[RenderableType]:
    """Render the certified brackets of the values from binned scores."""
    affected = [row for row in summary.rows if row.bounds is not None]
    if not affected:
        return
    table = make_table(screen, title="Where the exact values lie (the scores were binned)")
    table.add_column("", overflow="fold")
    table.add_column("from and to", no_wrap=True)
    table.add_column("")
    for row in affected:
        bounds = row.bounds
        assert bounds is not None  # noqa: S101 - those without were left out
        table.add_row(Text(row.title), format_bracket(bounds.low, bounds.high), "" if bounds.certain else "approximate")
    yield Text()
    yield table


def _render_reasons(summary: Summary) -> Iterable[RenderableType]:
    """Render the reasons why measures are undefined, unless the table of their question says it."""
    from cutline.measures import Family

    titles: dict[str, list[str]] = {}
    for family in Family:
        mine = [row for row in summary.rows if row.measure.family is family]
        for row in mine if not _find_common_reason(mine) else ():
            if row.reason and math.isnan(row.value):
                titles.setdefault(row.reason, []).append(row.title)
    return explain_undefined(titles)


def _draw_strip(row: Row, width: int, signs: Signs) -> Text:
    """Draw the range of a measure as a line with the interval, the value and the baseline on it."""
    low, high = row.measure.range
    if not (math.isfinite(low) and math.isfinite(high) and math.isfinite(row.value)):
        return Text()

    def place(value: float) -> int:
        return min(width - 1, max(0, round((value - low) / (high - low) * (width - 1))))

    cells = [(signs.range, "dim")] * width
    if row.baseline is not None and math.isfinite(row.baseline):
        cells[place(row.baseline)] = (signs.baseline, "dim")
    if row.interval is not None and math.isfinite(row.interval[0]):
        for i in range(place(row.interval[0]), place(row.interval[1]) + 1):
            cells[i] = (signs.interval, "blue")
    cells[place(row.value)] = (signs.value, "bold blue")
    return Text.assemble(*cells)
