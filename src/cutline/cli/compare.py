"""`cutline compare`: models on the same cases, or one model on two sets of cases (--independent)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import rich.table
from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.text import Text

from cutline.cli import options as o
from cutline.cli.command import FileName, Fraction, add_options, argument, command, option
from cutline.cli.evaluate import finish_summary
from cutline.cli.options import MeasureOptions, Reading, ReadingAtCut
from cutline.cli.output import FileOutput
from cutline.cli.progress import show_progress
from cutline.cli.render import (
    GAP,
    NARROW_GAP,
    WIDE,
    choose_signs,
    choose_widths,
    fold,
    fold_sentences,
    format_interval,
    format_interval_title,
    make_console,
    make_grid,
    make_table,
    make_warning,
    make_worst_warnings,
)
from cutline.cli.text import escape_controls, name_options
from cutline.core import errors
from cutline.core.errors import InputError, ParameterError
from cutline.core.table import Table, format_bracket, format_p_cell, format_value

if TYPE_CHECKING:
    from cutline.comparison import Comparison
    from cutline.measures import Measure
    from cutline.results.comparison_summary import ComparisonSummary, DifferenceRow
    from cutline.results.summary import Row


@command
@argument(
    "files",
    type=FileName(),
    nargs=-1,
    required=True,
    metavar="FILE...",
    help="One file with the scores of all models, or one for each, joined by --id; - reads standard input.",
)
@add_options(ReadingAtCut, "reading")
@add_options(MeasureOptions, "selection")
@add_options(FileOutput, "output")
@o.PLUGIN
@option(
    "--class-scores",
    multiple=True,
    metavar="MODEL:COLUMNS",
    group=o.DATA,
    help="Several classes, once for each model: its name, a colon, and the column of each class, with commas "
    "between them. Examples: --class-scores forest:ant=f_ant,bee=f_bee --class-scores net:ant=n_ant,bee=n_bee",
)
@option(
    "--independent",
    is_flag=True,
    group=o.DATA,
    help="The two files hold different cases, such as two months: an unpaired comparison, which needs no --id and "
    "takes ranking files too. Example: cutline compare may.ranking june.ranking --independent",
)
@option(
    "--goal",
    type=click.Choice(["rank", "probabilities", "quota", "cut"]),
    group=o.NUMBERS,
    help="The question that matters, which the verdict answers first. Example: --goal probabilities",
)
@option(
    "--primary",
    metavar="MEASURE",
    group=o.NUMBERS,
    help="The measure that decides its question, which the verdict answers first. Example: --primary average_precision",
)
@option(
    "--reference",
    metavar="MODEL",
    group=o.NUMBERS,
    help="The model that the others are compared with; by default the best one. Example: --reference current",
)
@o.FOLD
@o.REPEAT
@option(
    "--rope",
    type=Fraction(),
    default=0.0,
    group=o.NUMBERS,
    advanced=True,
    help="With --fold: the region of practical equivalence, the largest difference that does not matter. "
    "Example: --rope 0.01",
)
@option(
    "--quota-by",
    metavar="COLUMN",
    group=o.CUT,
    advanced=True,
    help="Fill the quota of each model within each value of this column, such as each day, and compare what they find. "
    "Example: --quota 200 --quota-by day",
)
@o.BY
@option("--pairs", is_flag=True, group=o.NUMBERS, help="Show every pair of models with intervals.")
def compare(
    files: tuple[str, ...],
    reading: ReadingAtCut,
    selection: MeasureOptions,
    output: FileOutput,
    class_scores: tuple[str, ...],
    independent: bool,
    goal: str | None,
    primary: str | None,
    reference: str | None,
    pairs: bool,
    fold: str | None,
    repeat: str | None,
    rope: float,
    quota_by: str | None,
    by: tuple[str, ...],
) -> None:
    """Compare models and show the results."""
    if fold is None and (repeat is not None or rope):
        given_alone = "--repeat" if repeat is not None else "--rope"
        raise ParameterError(f"{given_alone} is given without --fold", "pass the column of the folds too")
    same_cases = {"--goal": goal, "--primary": primary, "--reference": reference, "--pairs": pairs}
    if quota_by is not None:
        from cutline.cli.quota_periods import run_period_comparison

        refused: dict[str, Any] = {"--by": by, "--fold": fold, "--class-scores": class_scores}
        refused["--independent"] = independent
        run_period_comparison(files, quota_by, reading, selection, output, refused | same_cases)
        return
    if by:
        from cutline.cli.slices import run_slice_comparison

        others = {"--independent": independent, "--class-scores": class_scores, "--fold": fold, "--pairs": pairs}
        refused = others | {"--goal": goal, "--primary": primary}
        run_slice_comparison(files, by, reading, selection, output, reference, refused)
        return
    if fold is not None:
        from cutline.cli.folds import run_fold_comparison

        refused = {"--independent": independent, "--class-scores": class_scores} | same_cases
        run_fold_comparison(files, fold, repeat, reading, selection, output, rope, refused)
        return
    if independent:
        o.refuse("--independent", same_cases | {"--class-scores": class_scores})
        _compare_independent(files, reading, selection, output)
        return
    if class_scores:
        o.refuse("--class-scores", same_cases)
        from cutline.cli.classes import run_class_comparison

        run_class_comparison(files, class_scores, reading, selection, output)
        return
    from cutline.cli.reading import read_comparison

    charts = output.list_charts(several=True)
    output.check(charts)
    selection.check()
    cmp, guesses = read_comparison(files, reading, quiet=output.quiet)
    output.start_renderer()
    if reference is not None:
        from cutline.core.validation import check_choice

        check_choice(reference, "reference", tuple(cmp))
    question = {"goal": goal, "primary": primary}
    summary = summarize_comparison(cmp, selection, whole=output.is_whole or output.json, quiet=output.quiet, **question)
    output.say_guesses(guesses)
    table = render_comparison(make_console(), summary, reference=reference, pairs=pairs)
    output.print_summary(summary, table, warned=True)
    output.write_files(cmp, summary, charts)


def summarize_comparison(
    cmp: Comparison, selection: MeasureOptions, *, whole: bool, quiet: bool, **question: Any
) -> ComparisonSummary:
    """Return the differences with the notes on them; with all measures of each model for a whole document."""
    from cutline.advice import add_notes

    of_models = "all" if selection.measures is None and whole else None
    with show_progress("Resampling for the intervals", quiet=quiet or selection.resamples == 0):
        summary = cmp.summary(selection.chosen, of_models=of_models, **selection.how, **question)
    return finish_summary(add_notes(cmp, summary, selection.by_name), whole=whole)


def _compare_independent(paths: Sequence[str], reading: Reading, selection: MeasureOptions, output: FileOutput) -> None:
    """Compare two files of different cases, rankings or predictions, and show the differences."""
    from cutline.cli.reading import read_evaluation
    from cutline.independent_comparison import compare_independent

    output.refuse_files("--independent")
    if len(paths) != 2:
        raise ParameterError(f"--independent compares two files (got {len(paths)})", "pass one for each set of cases")
    selection.check()
    output.check()
    first, second = (read_evaluation(path, reading, Path(path).stem, quiet=output.quiet)[0] for path in paths)
    a, b = first.ranking, second.ranking
    if a.positive != b.positive or a.higher_is_positive != b.higher_is_positive:
        both = f"{errors.quote_if_unclear(paths[0])} and {errors.quote_if_unclear(paths[1])}"
        raise InputError(f"{both} differ in the positive label, or in which scores mean it", "pass two of one kind")
    with show_progress("Resampling for the intervals", quiet=output.quiet or selection.resamples == 0):
        compared_files = compare_independent(first, second)
        table = compared_files.summary(selection.chosen, **selection.how)
    warnings = [name_options(warning) for warning in compared_files.warnings]
    verdict = list(table.above[len(warnings) :])
    head = {"names": [first.name, second.name], "level": selection.level, "verdict": verdict, "warnings": warnings}
    output.print(
        lambda: head | {"measures": table.to_dict()},
        table.to_csv,
        lambda screen: screen.print(_render_independent(screen, table, verdict, warnings, selection.level)),
    )


def _render_independent(
    screen: Console, table: Table, verdict: Sequence[str], warnings: Sequence[str], level: float
) -> RenderableType:
    """Render the values of both, their differences, the brackets that bins leave, and the notes."""
    rows = list(table)
    names = [name.removeprefix("value of ") for name in table.columns[1:3]]
    cells = [
        (
            *(row["measure"], *(format_value(row[name]) for name in (*table.columns[1:3], "difference"))),
            format_interval((row["low"], row["high"])),
            format_p_cell(row["p_value"]),
        )
        for row in rows
    ]
    parts = [*map(make_warning, warnings), *fold_sentences(screen, verdict), *([Text()] if verdict else [])]
    parts += [Text(escape_controls(table.title)), Text(), _render_unpaired(screen, names, cells, level)]
    ends = [
        (row["measure"], format_bracket(row["at_least"], row["at_most"])) for row in rows if row["at_least"] is not None
    ]
    if ends:
        title = "Where the exact differences lie (the scores were binned)"
        parts += [Text(), make_grid(screen, ("", "from and to"), ends, title)]
    notes = [(row["measure"], row["note"]) for row in rows if row["note"]]
    if notes:
        parts += [Text(), make_grid(screen, ("", ""), notes, "Notes", head=False)]
    return Group(*parts, Text(), *(Text(line) for line in table.below))


# ---------------------------------------------------------------------- the screen

# Columns of a terminal: the name of a measure, a value of many models and of few, which may need a fourth digit, an
# interval below a difference, the name of a model at least, and a value beside its interval.
_TITLE, _CELL, _FINE, _INTERVAL, _LEAST_NAME, _VALUE = 23, 9, 11, 18, 8, 24
_WITH_DIFFERENCE, _WITH_P = 54, 77  # columns from which two models and their difference fit into one table; with p
_MOST_DIFFERENCES = 4  # rows of differences; of more, those that decide the questions are shown


def render_comparison(
    screen: Console, summary: ComparisonSummary, *, reference: str | None = None, pairs: bool = False
) -> RenderableType:
    """Render models on the same cases: which to choose, their values, and their differences from the reference.

    Args:
        screen: Where it is shown.
        summary: The comparison.
        reference: The model that the others are compared with; the leader of the first question by default.
        pairs: Whether every pair of models has a table with intervals and p-values.
    """
    parts = [
        *fold_sentences(screen, summary.statements),
        *make_worst_warnings(screen, summary.notes, summary.models),
    ]
    parts += [
        Text(),
        Text(escape_controls(summary.title)),
        Text(fold(escape_controls(summary.cut_words), screen.width)),
    ]
    are_many = len(summary.models) > _count_fitting_models(screen)
    in_one_table = len(summary.models) == 2 and _WITH_DIFFERENCE <= screen.width < WIDE and not pairs
    if in_one_table:
        parts += [Text(), _render_pair(screen, summary)]
    else:
        parts += [Text(), *(_render_models_in_rows if are_many else _render_values)(screen, summary)]
        if pairs or len(summary.models) == 2:
            for (a, b), rows in summary.pairs.items():
                parts += [
                    Text(),
                    _render_differences(screen, summary, f"{escape_controls(a)} minus {escape_controls(b)}", rows),
                ]
        elif not are_many or reference is not None:
            parts += [Text(), *_render_differences_from(screen, summary, reference)]
    has_differences = in_one_table or (len(summary.models) > 2 and (not are_many or reference is not None))
    return Group(*parts, *_explain_marks(screen, summary, pairs=pairs, has_differences=has_differences))


def _explain_marks(
    screen: Console, summary: ComparisonSummary, *, pairs: bool, has_differences: bool
) -> list[RenderableType]:
    """Explain the marks and the correction for several comparisons."""
    signs = choose_signs(screen)
    undefined = summary.list_undefined_measures()
    lines = [f"Undefined because {reason}: {', '.join(titles)}." for reason, titles in undefined.items()]
    marks = f"{signs.best} best, {signs.tied} not distinguishable from it"
    if any(row.measure.better == "lower" for row in _list_defined_rows(summary)):
        marks += f"; {signs.lower} lower is better"
    if len(summary.models) == 2:
        lines.append(marks)
        if has_differences:
            a, b = map(escape_controls, summary.models)
            lines.append(f"difference: {a} minus {b}, {signs.significant} significant")
    elif pairs:
        lines.append(f"{marks}; Holm's correction; p is corrected, intervals are not")
    else:
        marks += f"; {signs.significant} significant" if has_differences else ""
        lines.append(f"{marks} (Holm's correction)")
    return [Text(), *(Text(fold(line, screen.width), style="dim") for line in lines)]


def _render_values(screen: Console, summary: ComparisonSummary) -> Iterable[RenderableType]:
    """Render the value of each measure for each model with its interval."""
    titles = {row.key: _title_measure(screen, row) for row in _list_defined_rows(summary)}
    marks = {key: _mark_models(screen, summary, key) for key in titles}
    by_model = {name: {row.key: row for row in own.rows} for name, own in summary.models.items()}
    longest = max(map(len, titles.values()), default=0)
    if longest + len(by_model) * (_VALUE + GAP + 1) <= screen.width:

        def write_cell(name: str, key: str) -> str:
            row = by_model[name].get(key)
            numbers = "" if row is None else f"{format_value(row.value)} {format_interval(row.interval)}"
            return f"{marks[key].get(name, ' ')} {numbers}"

        lines = [(title, *(write_cell(name, key) for name in by_model)) for key, title in titles.items()]
        yield make_grid(screen, ("", *by_model), lines)
        return
    table = make_table(screen, gap=NARROW_GAP)
    table.add_column("", width=_TITLE, overflow="fold")
    room = _FINE if _TITLE + len(by_model) * (_FINE + NARROW_GAP) <= screen.width else _CELL
    for name in by_model:
        table.add_column(Text(_shorten_name(escape_controls(name))), justify="right", no_wrap=True, min_width=_CELL)
    for key, title in titles.items():
        cells = [_stack_interval(own.get(key), marks[key].get(name, ""), room) for name, own in by_model.items()]
        table.add_row(Text(title), *cells)
    yield table


def _title_measure(screen: Console, row: DifferenceRow) -> str:
    """Return the title of a measure, with a sign if lower is better."""
    return f"{row.title} {choose_signs(screen).lower}" if row.measure.better == "lower" else row.title


def _list_defined_rows(summary: ComparisonSummary) -> list[DifferenceRow]:
    """Return the rows of measures that are defined for some model."""
    return [row for row in summary.rows if not (math.isnan(row.value_a) and math.isnan(row.value_b))]


def _count_fitting_models(screen: Console) -> int:
    """Return how many models fit beside the names of the measures."""
    return max(1, (screen.width - _TITLE) // (_CELL + NARROW_GAP))


def _render_models_in_rows(screen: Console, summary: ComparisonSummary) -> Iterable[RenderableType]:
    """Render many models below each other, the best of the first question first, with the measures that decide."""
    from cutline.results.choices import GOALS

    rows = {row.key: row for row in _list_defined_rows(summary)}
    first = [choice.measure for choice in summary.choices]
    decisive = [name for goal in GOALS.values() for name in goal.measures]
    others = [key for key, row in rows.items() if key not in first and row.measure.name in decisive]
    others.sort(key=lambda key: decisive.index(rows[key].measure.name))
    more = [key for key in rows if key not in first and key not in others]
    width = max(_LEAST_NAME, min(_TITLE, max(cell_len(escape_controls(name)) for name in summary.models)))
    keys = [*first, *others, *more][: max(1, (screen.width - width) // (_CELL + NARROW_GAP))]
    marks = {key: _mark_models(screen, summary, key) for key in keys}
    by_model = {name: {row.key: row for row in own.rows} for name, own in summary.models.items()}
    table = make_table(screen, gap=NARROW_GAP)
    table.add_column("", width=width, overflow="ellipsis", no_wrap=True)
    for key in keys:
        table.add_column(
            Text(_shorten_name(_choose_brief_name(rows[key].measure))), justify="right", no_wrap=True, width=_CELL
        )
    for name in summary.sort_models():
        cells = [_stack_interval(by_model[name].get(key), marks[key].get(name, "")) for key in keys]
        table.add_row(Text(escape_controls(name)), *cells)
    yield table
    if len(keys) < len(rows):
        yield Text(f"{len(rows) - len(keys)} more measures: --csv, --json or --html", style="dim")


def _choose_brief_name(measure: Measure) -> str:
    """Return the name of a measure for a narrow column: its own, or the shortest of its others."""
    name = measure.display_name
    return name if len(name) <= _CELL else min((*measure.aliases, name), key=len)


def _choose_fitting_title(row: DifferenceRow) -> str:
    """Return the title of a measure, or its brief name if the column is too narrow."""
    return row.title if len(row.title) <= _TITLE else _choose_brief_name(row.measure).upper()


def _render_pair(screen: Console, summary: ComparisonSummary) -> RenderableType:
    """Render two models side by side with their difference, in one table."""
    ((a, b),) = summary.pairs
    by_model = {name: {row.key: row for row in own.rows} for name, own in summary.models.items()}
    table = make_table(screen, gap=NARROW_GAP)
    table.add_column(
        "", width=min(_TITLE, screen.width - 2 * (_CELL + NARROW_GAP) - _INTERVAL - NARROW_GAP), overflow="fold"
    )
    room = _FINE if screen.width >= _WITH_P + 2 * (_FINE - _CELL) - 1 else _CELL
    for name in (a, b):
        table.add_column(Text(_shorten_name(escape_controls(name))), justify="right", no_wrap=True, min_width=_CELL)
    table.add_column("difference", justify="right", no_wrap=True, width=_INTERVAL)
    has_room = screen.width >= _WITH_P
    if has_room:
        table.add_column("p", justify="right", no_wrap=True)
    for row in _list_defined_rows(summary):
        marks = _mark_models(screen, summary, row.key)
        values = [_stack_interval(by_model[name].get(row.key), marks.get(name, ""), room) for name in (a, b)]
        cell = _mark_difference(screen, summary, row)
        if row.interval is not None:
            cell.append(f"\n{_format_short_interval(row.interval)}", style="dim not bold")
        style = "bold" if row.is_significant(summary.level) else "dim"
        table.add_row(
            Text(_title_measure(screen, row)), *values, cell, *([Text(row.p_shown, style=style)] if has_room else [])
        )
    return table


def _format_short_interval(limits: tuple[float, float]) -> str:
    """Format both limits for their column: with four decimals if more digits do not fit."""
    text = format_interval(limits)
    return text if len(text) <= _INTERVAL else f"[{limits[0]:.4f}, {limits[1]:.4f}]"


def _shorten_name(name: str) -> str:
    return name if cell_len(name) <= _CELL else name[: _CELL - 1] + "…"


def _stack_interval(row: Row | None, mark: str, room: int = _CELL) -> Text:
    """Return a value with its mark, and its interval below."""
    if row is None:
        return Text()
    text = Text(f"{format_value(row.value)}{mark}", style="bold" if mark else "")
    if row.interval is not None:
        text.append(f"\n{_format_narrow_interval(row.value, row.interval, room)}", style="dim not bold")
    return text


def _format_narrow_interval(value: float, limits: tuple[float, float], room: int = _CELL) -> str:
    """Format both limits for a narrow column, with a fourth digit if three do not tell limits and value apart.

    >>> _format_narrow_interval(0.1593, (0.149, 0.17)), _format_narrow_interval(0.0019, (0.0017, 0.0021), 11)
    ('.149-.170', '.0017-.0021')
    """
    if room >= _FINE and limits[0] >= 0 and limits[1] < 0.99995:
        a_limit_is_lost = len({f"{number:.3f}" for number in (value, *limits)}) < len({value, *limits})
        if a_limit_is_lost:
            return "-".join(f"{limit:.4f}".removeprefix("0") for limit in limits)
    between_them = "," if min(limits) < 0 else "-"  # which would look like a sign
    return between_them.join(map(_format_narrow_limit, limits))


def _format_narrow_limit(limit: float) -> str:
    """Format a limit, in four characters if it is a share: .823, or -.82."""
    decimals = 3 if 0 <= limit < 0.9995 else 2
    text = f"{limit:.{decimals}f}" if abs(limit) < 10 else f"{limit:.3g}"
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text[:4]


def _mark_models(screen: Console, summary: ComparisonSummary, key: str) -> dict[str, str]:
    """Return the marks of the best model in a measure and of those tied with it."""
    leader, equal = summary.best(key)
    signs = choose_signs(screen)
    return {leader: signs.best} | dict.fromkeys(equal, signs.tied) if leader else {}


def _render_differences_from(
    screen: Console, summary: ComparisonSummary, reference: str | None
) -> Iterable[RenderableType]:
    """Render the difference of every other model from the reference, marked if it is significant."""
    from cutline.results.choices import DECISIVE

    base = reference or summary.reference
    rows = summary.differences_from(reference)
    titles = {row.key: _choose_fitting_title(row) for row in _list_defined_rows(summary)}
    if len(titles) > _MOST_DIFFERENCES:
        first = {choice.measure for choice in summary.choices}
        decisive = {
            row.key: titles[row.key]
            for row in _list_defined_rows(summary)
            if row.measure.name in DECISIVE or row.key in first
        }
        titles = {key: title for key, title in decisive.items() if key in first or len(decisive) <= _MOST_DIFFERENCES}
    names = [name for name in summary.models if name != base]
    table = make_table(screen, title=f"Difference from {escape_controls(base)}", gap=NARROW_GAP)
    table.add_column("", width=_TITLE, overflow="ellipsis", no_wrap=True)
    for name in names:
        table.add_column(Text(_shorten_name(escape_controls(name))), justify="right", no_wrap=True, width=_CELL)
    for key, title in titles.items():
        table.add_row(Text(title), *(_mark_difference(screen, summary, rows.get(key, {}).get(name)) for name in names))
    yield table


def _mark_difference(screen: Console, summary: ComparisonSummary, row: DifferenceRow | None) -> Text:
    """Return a difference with its sign, and a mark if it is significant."""
    if row is None or math.isnan(row.value):
        return Text()
    if row.is_significant(summary.level):
        return Text(f"{row.value:+.4f}{choose_signs(screen).significant}", style="bold")
    return Text(f"{row.value:+.4f} ")


def _render_differences(
    screen: Console, summary: ComparisonSummary, title: str, rows: Sequence[DifferenceRow]
) -> rich.table.Table:
    p = "p (Holm)" if len(summary.models) > 2 else "p"
    head = ("", "difference", format_interval_title(summary.level), p, "better")
    cells = [_list_cells(row, summary.level) for row in rows]
    widths = choose_widths([head, *cells], screen.width, whole=(1, 2, 3))
    if widths is None:  # no room for columns: a line of text for each
        lines = [_render_in_line(p, *row) for row in cells]
        return make_grid(screen, ("", f"{head[1]} [{head[2]}]"), lines, title)
    table = make_table(screen, title=title)
    for name, width in zip(head, widths, strict=True):
        table.add_column(name, width=width, justify="right" if name in ("difference", p) else "left")
    for row in cells:
        table.add_row(*row)
    return table


def _list_cells(row: DifferenceRow, level: float) -> tuple[Text, str, str, str, Text]:
    conclusion = Text(escape_controls(row.better(level)), style="bold")
    return Text(row.title), format_value(row.value), format_interval(row.interval), row.p_shown, conclusion


def _render_in_line(p: str, name: Text, value: str, limits: str, p_value: str, conclusion: Text) -> tuple[Text, Text]:
    tested = f", {p} {p_value if p_value.startswith('<') else f'= {p_value}'}" if p_value else ""
    better = Text.assemble(": ", conclusion, " is better") if conclusion.plain else Text()
    return name, Text.assemble(f"{value} {limits}".rstrip(), tested, better)


def _render_unpaired(
    screen: Console, names: Sequence[str], rows: Iterable[Sequence[str]], level: float
) -> rich.table.Table:
    """Render two models on different cases: their values, their difference with its interval, and p if there is room.

    Args:
        screen: Where it is shown.
        names: The names of the models.
        rows: The name of the measure, both values, the difference, its interval and p, as text.
        level: The level of the intervals.
    """
    head = ["", *names, "difference", format_interval_title(level), "p"]
    cells = [list(map(escape_controls, row)) for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]
    room = sum(widths) + NARROW_GAP * len(widths)
    if room > screen.width:  # the interval below the difference
        head[3:5] = ["difference"]
        cells = [[*row[:3], f"{row[3]}\n{row[4]}", row[5]] for row in cells]
        widths[3:5] = [max(len("difference"), widths[4])]
        if sum(widths) + NARROW_GAP * len(widths) > screen.width:
            head, cells = head[:-1], [row[:-1] for row in cells]
    table = make_table(screen, gap=NARROW_GAP)
    for place, name in enumerate(head):
        title = _shorten_name(escape_controls(name)) if place in (1, 2) else name
        table.add_column(Text(title), justify="right" if place else "left", no_wrap=True)
    for row in cells:
        table.add_row(*map(Text, row))
    return table
