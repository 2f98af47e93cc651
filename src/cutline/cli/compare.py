"""`cutline compare`: models on the same cases, or one model on two sets of cases (--independent)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console, Group, RenderableType
from rich.text import Text

from cutline.cli import options as o
from cutline.cli import render
from cutline.cli.command import FileName, Fraction, argument, command, option, options_of
from cutline.cli.evaluate import finish_summary
from cutline.cli.options import FileOutput, MeasureOptions, Reading, ReadingAtCut
from cutline.cli.progress import waiting
from cutline.cli.render import charts_in_folder, show, start_drawing, write
from cutline.cli.text import in_options, printable
from cutline.core.errors import InputError, ParameterError, shown
from cutline.core.table import Table, format_bracket, p_number
from cutline.core.table import shown as shown_number

if TYPE_CHECKING:
    from cutline.comparison import Comparison
    from cutline.results.comparison_summary import ComparisonSummary, DifferenceRow
    from cutline.slices.models import SliceComparisonSummary


@command
@argument(
    "files",
    type=FileName(),
    nargs=-1,
    required=True,
    metavar="FILE...",
    help="One file with the scores of all models, or one for each, joined by --id; - reads standard input.",
)
@options_of(ReadingAtCut, "reading")
@options_of(MeasureOptions, "selection")
@options_of(FileOutput, "output")
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
    help="The model that the others are compared with; by default the one that leads. Example: --reference current",
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
    help="Fill the quota of each model in each value of this column, such as each day, and compare what they find. "
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
    same_cases = {"--goal": goal, "--primary": primary, "--reference": reference, "--pairs": pairs}
    if quota_by is not None:
        from cutline.cli.quota_periods import run_period_comparison

        refused: dict[str, Any] = {"--by": by, "--fold": fold, "--class-scores": class_scores}
        refused["--independent"] = independent
        run_period_comparison(files, quota_by, reading, selection, output, refused | same_cases)
        return
    if by:
        others = {"--independent": independent, "--class-scores": class_scores, "--fold": fold, "--pairs": pairs}
        refused = others | {"--goal": goal, "--primary": primary}
        _compare_by_slice(files, by, reading, selection, output, reference, refused)
        return
    if fold is not None:
        from cutline.cli.folds import run_fold_comparison

        refused = {"--independent": independent, "--class-scores": class_scores} | same_cases
        run_fold_comparison(files, fold, repeat, reading, selection, output, rope, refused)
        return
    if repeat is not None or rope:
        given_alone = "--repeat" if repeat is not None else "--rope"
        raise ParameterError(f"{given_alone} is given without --fold", "pass the column of the folds too")
    if independent or class_scores:
        o.refuse("--independent" if independent else "--class-scores", same_cases)
    if independent:
        _compare_independent(files, reading, selection, output)
        return
    if class_scores:
        from cutline.cli.classes import run_class_comparison

        run_class_comparison(files, class_scores, reading, selection, output)
        return
    from cutline.cli.reading import read_comparison

    charts = charts_in_folder(output, several=True)
    output.check(charts)
    selection.check()
    cmp, guesses = read_comparison(files, reading, quiet=output.quiet)
    start_drawing(output)
    if reference is not None:
        from cutline.core.validation import check_choice

        check_choice(reference, "reference", tuple(cmp))
    question = {"goal": goal, "primary": primary}
    summary = summarize_comparison(cmp, selection, whole=output.is_whole or output.json, quiet=output.quiet, **question)
    output.say_guesses(guesses)
    table = render.comparison(render.console(), summary, reference=reference, pairs=pairs)
    show(output, summary, table, warned=True)
    write(output, cmp, summary, charts)


def summarize_comparison(
    cmp: Comparison, selection: MeasureOptions, *, whole: bool, quiet: bool, **question: Any
) -> ComparisonSummary:
    """Return the differences with the notes on them; with all measures of each model for a whole document."""
    from cutline.advice import add_notes

    of_models = "all" if selection.measures is None and whole else None
    with waiting("Resampling for the intervals", quiet=quiet or selection.resamples == 0):
        summary = cmp.summary(selection.chosen, of_models=of_models, **selection.how, **question)
    return finish_summary(add_notes(cmp, summary, selection.by_name), whole=whole)


def _compare_by_slice(
    paths: Sequence[str],
    by: Sequence[str],
    reading: Reading,
    selection: MeasureOptions,
    output: FileOutput,
    reference: str | None,
    refused: Mapping[str, Any],
) -> None:
    """Compare the models of one file in each slice of its cases, and show where they differ."""
    from cutline.cli.reading import open_predictions, slice_options
    from cutline.slices.models import compare_by_slice

    c = reading.columns
    o.refuse("--by", {**refused, "--id": c.id, "--group": c.group, "--stratum": c.stratum})
    if output.documents or output.png:
        raise ParameterError("compare --by prints a table alone", "pass --json or --csv, and no file to write")
    if reading.quota is not None or reading.share is not None:
        raise ParameterError("compare --by takes a threshold, not a quota", "pass --threshold, or leave the cut out")
    if len(paths) != 1:
        raise ParameterError(f"compare --by takes one file (got {len(paths)})", "pass the file with all models")
    selection.check()
    output.check()
    rules = slice_options(by)
    source = open_predictions(paths[0], reading, models=2, by=tuple(rules), quiet=output.quiet)
    names = {printable(column): column for column in source.chosen.scores}
    how = {key: value for key, value in reading.common.items() if key not in ("quota", "share", "weights_are")}
    with waiting("Comparing the slices", quiet=output.quiet):
        compared_slices = compare_by_slice(source.chosen.label, names, rules, c.weight, data=source.file, **how)
        summary = compared_slices.summary(selection.chosen, reference=reference, **selection.how)
    output.say_guesses(source.chosen.guesses)
    output.print(summary.document, summary.to_csv, lambda screen: screen.print(_slice_differences(screen, summary)))


_WITH_VALUES = 76  # columns of a terminal from which the values of both models are shown too
_MOST_SLICES = 12  # of more, those with the smallest p-values are shown


def _slice_differences(screen: Console, summary: SliceComparisonSummary) -> RenderableType:
    """Return the verdict, and a table for each measure: all cases, then the slices."""
    parts: list[RenderableType] = render.sentences(screen, summary.statements)
    for overall in summary.overall:
        own = summary.of(overall)
        listed_slices = own
        if len(own) > _MOST_SLICES:
            keep = sorted(own, key=lambda difference: (difference.p_holm != difference.p_holm, difference.p_holm))[
                :_MOST_SLICES
            ]
            listed_slices = [difference for difference in own if difference in keep]
        star = "*" if render.ascii_only(screen) else "★"
        is_sure = overall.p_value <= 1 - summary.level
        cells: list[Sequence[str]] = [
            ("all", "", *_numbers(overall, star if is_sure else ""), p_number(overall.p_value))
        ]
        cells += [
            (
                difference.name,
                f"{difference.counts[0]:g}",
                *_numbers(difference.row, star if difference.is_significant(summary.level) else ""),
                p_number(difference.p_holm),
            )
            for difference in listed_slices
        ]
        interval = render.interval_title(summary.level)
        head = [summary.by, "cases", overall.a, overall.b, "difference", interval, "p (Holm)"]
        if screen.width < _WITH_VALUES:
            head, cells = head[:2] + head[4:], [(*row[:2], *row[4:]) for row in cells]
        title = f"{overall.title}: {printable(overall.a)} minus {printable(overall.b)}"
        parts += [Text(), render.grid(screen, head, cells, title)]
        if len(listed_slices) < len(own):  # folded
            parts.append(Text(f"The {len(listed_slices)} smallest p-values of {len(own)} slices.", style="dim"))
    return Group(*parts, *(Text(f"- {printable(note.text)}", style="dim") for note in summary.notes))


def _numbers(row: DifferenceRow, mark: str) -> tuple[str, str, str, str]:
    return (
        shown_number(row.value_a),
        shown_number(row.value_b),
        "" if math.isnan(row.value) else f"{row.value:+.4f}{mark}",
        render.interval(row.interval),
    )


def _compare_independent(paths: Sequence[str], reading: Reading, selection: MeasureOptions, output: FileOutput) -> None:
    """Compare two files of different cases, rankings or predictions, and show the differences."""
    from cutline.cli.reading import read_evaluation
    from cutline.independent_comparison import compare_independent

    if output.documents or output.png:
        raise ParameterError("--independent prints a table alone", "pass --json or --csv, and no file to write")
    if len(paths) != 2:
        raise ParameterError(f"--independent compares two files (got {len(paths)})", "pass one for each set of cases")
    selection.check()
    output.check()
    first, second = (read_evaluation(path, reading, Path(path).stem, quiet=output.quiet)[0] for path in paths)
    a, b = first.ranking, second.ranking
    if a.positive != b.positive or a.higher_is_positive != b.higher_is_positive:
        difference = f"{shown(paths[0])} and {shown(paths[1])} differ in the positive label, or in which scores mean it"
        raise InputError(difference, "pass two of one kind")
    with waiting("Resampling for the intervals", quiet=output.quiet or selection.resamples == 0):
        compared_files = compare_independent(first, second)
        table = compared_files.summary(selection.chosen, **selection.how)
    warnings = [in_options(warning) for warning in compared_files.warnings]
    verdict = list(table.above[len(warnings) :])
    head = {"names": [first.name, second.name], "level": selection.level, "verdict": verdict, "warnings": warnings}
    output.print(
        lambda: head | {"measures": table.to_dict()},
        table.to_csv,
        lambda screen: screen.print(_differences(screen, table, verdict, warnings, selection.level)),
    )


def _differences(
    screen: Console, table: Table, verdict: Sequence[str], warnings: Sequence[str], level: float
) -> RenderableType:
    """Return the values of both, their differences, between which values bins leave these, and what qualifies them."""
    rows = list(table)
    names = [name.removeprefix("value of ") for name in table.columns[1:3]]
    cells = [
        (
            *(row["measure"], *(shown_number(row[name]) for name in (*table.columns[1:3], "difference"))),
            "" if row["low"] is None else render.interval((row["low"], row["high"])),
            "" if row["p_value"] is None else p_number(row["p_value"]),
        )
        for row in rows
    ]
    parts = [*map(render.warning, warnings), *render.sentences(screen, verdict), *([Text()] if verdict else [])]
    parts += [Text(printable(table.title)), Text(), render.differences(screen, names, cells, level)]
    ends = [
        (row["measure"], format_bracket(row["at_least"], row["at_most"])) for row in rows if row["at_least"] is not None
    ]
    if ends:
        title = "Where the exact differences lie (the scores were binned)"
        parts += [Text(), render.grid(screen, ("", "from and to"), ends, title)]
    notes = [(row["measure"], row["note"]) for row in rows if row["note"]]
    if notes:
        parts += [Text(), render.grid(screen, ("", ""), notes, "Notes", head=False)]
    return Group(*parts, Text(), *(Text(line) for line in table.below))
