"""`cutline slices`: slices compared or searched. Also `evaluate --by` and `compare --by`: models on each slice."""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console, Group, RenderableType
from rich.text import Text

import cutline as cl
from cutline.cli import options as o
from cutline.cli import render
from cutline.cli.command import Fraction, add_options, command, option
from cutline.cli.completion import complete_measure
from cutline.cli.evaluate import summarize_evaluation
from cutline.cli.options import IntervalOptions, LargeReading, MeasureOptions, Reading, SelectionOptions
from cutline.cli.output import FileOutput
from cutline.cli.progress import show_progress
from cutline.cli.text import escape_controls, name_options_in_notes
from cutline.core.errors import ParameterError
from cutline.core.table import format_bracket, format_p_cell, format_value

if TYPE_CHECKING:
    from cutline.results.comparison_summary import DifferenceRow
    from cutline.results.summary import Row, Summary
    from cutline.slices.evaluation import Slices
    from cutline.slices.fairness import Fairness
    from cutline.slices.models import SliceComparisonSummary
    from cutline.slices.results import AgainstRest
    from cutline.slices.search import FoundSlices

COMPARE = "Compare the slices"
FIND = "Search slices"
_ENDS = 5  # slices at each end of a long table
_LONG = 3 * _ENDS  # slices above which a table is folded
_WITH_VALUES = 76  # columns of a terminal from which the values of both models are shown too
_MOST_SLICES = 12  # of more, those with the smallest p-values are shown


@command
@o.FILES
@add_options(LargeReading, "reading")
@add_options(IntervalOptions, "intervals")
@add_options(FileOutput, "output")
@o.BY
@option(
    "--measure",
    default="auc",
    shell_complete=complete_measure,
    group=COMPARE,
    help="The measure by which slices are compared. Example: --measure recall",
)
@option(
    "--alternative",
    type=click.Choice(["two-sided", "worse", "better"]),
    default="two-sided",
    group=COMPARE,
    help="What to test: whether a slice differs, does worse or does better. Example: --alternative worse",
)
@option(
    "--adjust",
    type=click.Choice(["auto", "westfall_young", "holm", "bh", "none"]),
    default="auto",
    group=COMPARE,
    advanced=True,
    help="The adjustment for the number of slices. Example: --adjust holm",
)
@option(
    "--margin",
    type=Fraction(),
    default=0.0,
    group=COMPARE,
    help="Test whether a slice is worse, or better, by more than this. Example: --margin 0.05",
)
@option("--gap", is_flag=True, group=COMPARE, help="Show the largest difference between any two slices.")
@option("--fairness", is_flag=True, group=COMPARE, help="Show the criteria of group fairness at the cut.")
@option(
    "--least",
    type=int,
    group=COMPARE,
    advanced=True,
    help="Slices with fewer cases are left out of files (default 5) and of a search (default 50). Example: --least 20",
)
@option("--find", is_flag=True, group=FIND, help="Search for slices that do worse, instead of naming them.")
@option("--features", group=FIND, help="The columns from which --find builds conditions. Example: --features age,site")
@option(
    "--depth",
    type=int,
    default=2,
    group=FIND,
    help="The largest number of conditions in a slice of the search. Example: --depth 2",
)
@option(
    "--method",
    type=click.Choice(["permutation", "split"]),
    default="permutation",
    group=FIND,
    help="How --find tests: by permutation, or on a second half of the cases. Example: --method split",
)
@o.PLUGIN
def slices(
    files: tuple[str, ...],
    reading: LargeReading,
    intervals: IntervalOptions,
    output: FileOutput,
    by: tuple[str, ...],
    measure: str,
    alternative: str,
    adjust: str,
    margin: float,
    gap: bool,
    fairness: bool,
    least: int | None,
    find: bool,
    features: str | None,
    depth: int,
    method: str,
) -> None:
    """Compare the slices that are named, or search some."""
    if find == bool(by):
        raise ParameterError(
            "`cutline slices` compares slices or searches for them", "pass --by, or --find with --features"
        )
    seeded = {"level": intervals.level, "seed": intervals.seed}
    if find:
        if gap or fairness or margin or output.documents or output.png:
            raise ParameterError("--find takes no --gap, --fairness, --margin or files", "leave them out")
        loss = "error_rate" if measure == "auc" else measure
        search = {"measure": loss, "depth": depth, "least": least or 50, "method": method}
        search_slices(files, reading, features, search | seeded, output)
        return
    if features is not None:
        raise ParameterError("--features belongs to --find", "pass both, or --by")
    options = {"alternative": alternative, "adjust": adjust, "margin": margin} | seeded
    few = 5 if least is None else least
    compare_slices(files, by, reading, measure, options, output, gap=gap, fairness=fairness, least=few)


def run_slices(
    paths: Sequence[str],
    by: Sequence[str],
    reading: Reading,
    selection: SelectionOptions,
    output: FileOutput,
    name: str | None,
    refused: Mapping[str, Any],
    *,
    simultaneous: bool = False,
) -> None:
    """Evaluate one model on each slice and show the results: the work of `evaluate --by`.

    Args:
        paths: The files of predictions.
        by: The columns whose values are the slices.
        reading: How the files are read.
        selection: Which measures.
        output: Where they go.
        name: What to call the model.
        refused: Options that do not apply to slices, with their values.
        simultaneous: Whether the intervals of a measure hold for all slices together.
    """
    from cutline.cli.reading import read_slices
    from cutline.inference.simultaneous import sidak_level
    from cutline.slices.evaluation import OVERALL, build_document, tabulate_slices
    from cutline.slices.simultaneous_intervals import with_simultaneous_methods

    if refused.get("--template"):
        way_out = (
            "leave one of them out; `cutline slices FILE --by COLUMN --html PAGE` writes a page with every measure"
        )
        raise ParameterError("--by cannot be combined with --template", f"{way_out} by slice")
    o.refuse("--by", refused)
    if output.documents or output.png:
        raise ParameterError(
            "evaluate --by only prints a table", "pass --json or --csv here, or use `cutline slices --html FILE`"
        )
    output.check()
    selection.check()
    slices, guesses = read_slices(paths, by, reading, name, quiet=output.quiet)
    summaries = {OVERALL: summarize_evaluation(slices.overall, selection, quiet=True)} if slices.has_total else {}
    own = replace(selection, level=sidak_level(selection.level, len(slices))) if simultaneous else selection
    of_slices = {key: summarize_evaluation(ev, own, quiet=True) for key, ev in slices.items()}
    if simultaneous:
        of_slices = {key: with_simultaneous_methods(summary, slices[key]) for key, summary in of_slices.items()}
    summaries |= of_slices
    together = selection.level if simultaneous else None
    output.say_guesses(guesses)
    output.print(
        lambda: build_document(slices, summaries),
        lambda: tabulate_slices(slices.by, summaries).to_csv(),
        lambda screen: screen.print(
            _render_evaluations(screen, slices, summaries, with_notes=not output.quiet, together=together)
        ),
    )


def run_slice_comparison(
    paths: Sequence[str],
    by: Sequence[str],
    reading: Reading,
    selection: MeasureOptions,
    output: FileOutput,
    reference: str | None,
    refused: Mapping[str, Any],
) -> None:
    """Compare the models of one file in each slice of its cases: the work of `compare --by`.

    Args:
        paths: The file of predictions.
        by: The columns whose values are the slices.
        reading: How the file is read.
        selection: Which measures.
        output: Where the results go.
        reference: The model that the others are compared with.
        refused: Options that do not apply to slices, with their values.
    """
    from cutline.cli.reading import open_predictions, parse_slices
    from cutline.slices.models import compare_by_slice

    c = reading.columns
    o.refuse("--by", {**refused, "--id": c.id, "--group": c.group, "--stratum": c.stratum})
    output.refuse_files("compare --by")
    if reading.quota is not None or reading.share is not None:
        raise ParameterError("compare --by takes a threshold, not a quota", "pass --threshold, or leave the cut out")
    if len(paths) != 1:
        raise ParameterError(f"compare --by takes one file (got {len(paths)})", "pass the file with all models")
    selection.check()
    output.check()
    rules = parse_slices(by)
    source = open_predictions(paths[0], reading, models=2, by=tuple(rules), quiet=output.quiet)
    names = {escape_controls(column): column for column in source.chosen.scores}
    how = {key: value for key, value in reading.common.items() if key not in ("quota", "share", "weights_are")}
    with show_progress("Comparing the slices", quiet=output.quiet):
        compared_slices = compare_by_slice(source.chosen.label, names, rules, c.weight, data=source.file, **how)
        summary = compared_slices.summary(selection.chosen, reference=reference, **selection.how)
    output.say_guesses(source.chosen.guesses)
    output.print(
        summary.document, summary.to_csv, lambda screen: screen.print(_render_model_differences(screen, summary))
    )


def compare_slices(
    paths: Sequence[str],
    by: Sequence[str],
    reading: Reading,
    measure: str,
    options: Mapping[str, Any],
    output: FileOutput,
    *,
    gap: bool,
    fairness: bool,
    least: int,
) -> None:
    """Compare slices and show who is served worse: the work of `slices`.

    Args:
        paths: The files of predictions.
        by: The columns whose values are the slices.
        reading: How the files are read.
        measure: The measure by which slices are compared.
        options: What `Slices.against_rest` takes.
        output: Where the results go.
        gap: Whether the largest gap is shown.
        fairness: Whether the criteria of fairness are shown.
        least: Slices with fewer cases are left out of files.
    """
    from cutline.cli.reading import read_slices

    output.check()
    slices, guesses = read_slices(paths, by, reading, None, quiet=output.quiet)
    with show_progress("Comparing the slices", quiet=output.quiet):
        against_rest = slices.against_rest(measure, **options)
        level = against_rest.level
        largest = slices.gap(measure, level=level) if gap else None
        criteria = slices.fairness(level=level) if fairness else None
    output.say_guesses(guesses)
    output.write_documents(
        lambda path: slices.save(path, measure=measure, least=least, overwrite=output.force, **options)
    )

    def make_document() -> dict[str, Any]:
        more = {"gap": largest, "fairness": criteria}
        return against_rest.document() | {name: part.to_dict() for name, part in more.items() if part is not None}

    def print_table(screen: Console) -> None:
        sentences = [against_rest.verdict, *_describe_gap_at_cut(slices, level), *_suggest_ranges(slices)]
        lines: list[Any] = render.fold_sentences(screen, sentences)
        lines += ["", _render_against_rest(screen, against_rest)]
        if len(against_rest.rows) > _LONG:
            lines.append(against_rest.describe_ends(_ENDS))
        if largest is not None:
            lines += ["", *repr(largest).splitlines()]
        if criteria is not None:
            lines += ["", criteria.table.title, _render_fairness(screen, criteria), *criteria.table.below]
        for line in [*lines, "", against_rest.how]:
            screen.print(Text(escape_controls(line)) if isinstance(line, str) else line)
        if not output.quiet and slices.notes:
            screen.print(render.make_notes(name_options_in_notes(slices.notes)))

    output.print(make_document, against_rest.to_csv, print_table)


def search_slices(
    paths: Sequence[str], reading: Reading, features: str | None, options: Mapping[str, Any], output: FileOutput
) -> None:
    """Search slices that do worse: the work of `slices --find`.

    Args:
        paths: The files of predictions.
        reading: How the files are read.
        features: The columns that conditions are on, with commas; all others when None.
        options: What `find_slices` takes.
        output: Where the results go.
    """
    from cutline.cli.reading import open_predictions

    output.check()
    predictions = open_predictions(paths, reading, quiet=output.quiet)
    names = None if features is None else [name.strip() for name in features.split(",") if name.strip()]
    common = {key: value for key, value in reading.common.items() if key in ("positive", "missing", "threshold")}
    with show_progress("Searching slices", quiet=output.quiet):
        made = cl.find_slices(
            predictions.chosen.label,
            predictions.chosen.scores[0],
            data=predictions.file,
            features=names,
            **common,
            **options,
        )
    output.say_guesses(predictions.chosen.guesses)

    def print_table(screen: Console) -> None:
        for sentence in render.fold_sentences(screen, [made.verdict]):
            screen.print(sentence)
        if made.rows:
            screen.print(Text())
            screen.print(_render_found_slices(screen, made))
            screen.print(Text())
        screen.print(Text(escape_controls(made.how)))

    output.print(made.document, made.to_csv, print_table)


# ---------------------------------------------------------------------- the screen


def _render_evaluations(
    screen: Console,
    slices: Slices,
    summaries: Mapping[Any, Summary],
    *,
    with_notes: bool,
    together: float | None = None,
) -> RenderableType:
    """Render the verdict, then each measure with a line for all cases and for each slice, then the notes.

    Args:
        screen: Where it is shown.
        slices: The slices.
        summaries: Their finished summaries.
        with_notes: Whether notes are shown.
        together: The level at which the intervals of a measure hold for all slices together; None where each holds
            by itself.
    """
    from cutline.core.validation import format_count
    from cutline.slices.simultaneous_intervals import describe_simultaneous_intervals

    first = next(iter(summaries.values()))
    level = together or first.level
    head = f"{format_count(len(slices), 'slice')} by {slices.by}; predicted positive: {slices.cut_words}"
    keys = {row.key: row.title for summary in summaries.values() for row in summary.rows}
    rows: list[tuple[Any, ...]] = []
    for key, title in keys.items():
        lines = []
        for value, summary in summaries.items():
            row = next((row for row in summary.rows if row.key == key), None)
            start = slices.label(value), format_value(summary.data.cases)
            if row is None:
                lines.append((math.nan, (*start, "", "", "")))
            else:
                cells = format_value(row.value), render.format_interval(row.interval), _format_bracket(row)
                lines.append((row.value, (*start, *cells)))
        own = _fold_lines(lines)
        rows += [(title if not i else "", *cells) for i, cells in enumerate(own)]
    heads = ["", slices.by, "cases", "value", render.format_interval_title(level), "exact value from"]
    if not any(row[-1] for row in rows):  # nothing was binned
        heads, rows = heads[:-1], [row[:-1] for row in rows]
    statements = [slices.verdict(level=level), *_describe_gap_at_cut(slices, level)] if _can_compare(slices) else []
    statements += _suggest_ranges(slices)
    parts: list[RenderableType] = [
        *render.fold_sentences(screen, statements),
        *([Text()] if statements else []),
        Text(escape_controls(head)),
        Text(),
        render.make_grid(screen, heads, rows),
        *map(Text, _explain_left_out(slices)),
        *([] if together is None else [Text(describe_simultaneous_intervals(together, len(slices)))]),
    ]
    if with_notes and slices.notes:
        parts.append(render.make_notes(name_options_in_notes(slices.notes)))
    return Group(*parts)


def _describe_gap_at_cut(slices: Slices, level: float) -> list[str]:
    """Return the sentence on how slices differ at the cut, unless there are too many to compare each with each."""
    sentence = slices.verdict_at_cut(level=level) if len(slices) <= _LONG else ""
    return [sentence] if sentence else []


def _explain_left_out(slices: Slices) -> list[str]:
    """Return the sentence on which slices a long table shows."""
    if len(slices) <= _LONG:
        return []
    return [f"The {_ENDS} lowest and the {_ENDS} highest of {len(slices)} slices."]


def _suggest_ranges(slices: Slices) -> list[str]:
    """Return how to compare ranges of a column that has many values, all of them numbers."""
    if len(slices) <= _LONG:
        return []
    try:
        values = [float(value) for value in slices]
    except (TypeError, ValueError):  # text, or combinations of several columns
        return []
    low, high = min(values), max(values)
    if not (math.isfinite(low) and math.isfinite(high)):
        return []
    digits = -math.floor(math.log10((high - low) / 3))
    inner = [round(low + (high - low) * third / 3, digits) for third in (1, 2)]
    edges = ",".join(f"{edge:g}" for edge in (low, *inner, high))
    name = shlex.quote(str(slices.by))
    ranges = f"--by {name}:4 (four with about as many cases) or your own edges, --by {name}:{edges}"
    return [f"Single values of {slices.by} have few cases: compare ranges with {ranges}."]


def _can_compare(slices: Slices) -> bool:
    r = slices.overall.ranking
    return len(slices) > 1 and bool(r.positives > 0 and r.negatives > 0)


def _fold_lines(lines: Sequence[tuple[float, tuple[Any, ...]]]) -> list[tuple[Any, ...]]:
    """Return the lines of all cases and of each slice; of many slices those at both ends."""
    if len(lines) <= _LONG + 1:
        return [cells for _, cells in lines]
    from cutline.slices.evaluation import OVERALL

    overall = [cells for _, cells in lines if cells[0] == OVERALL]
    slices = [line for line in lines if line[1][0] != OVERALL]
    known = [cells for _, cells in sorted(line for line in slices if not math.isnan(line[0]))]
    if len(known) <= 2 * _ENDS:
        return [*overall, *known]
    between_them = ("...", "", "", "", "")
    return [*overall, *known[:_ENDS], between_them, *known[-_ENDS:]]


def _render_against_rest(screen: Console, against_rest: AgainstRest) -> RenderableType:
    """Render each slice beside the rest, the lowest values first; of many slices, both ends."""
    is_folded = len(against_rest.rows) > _LONG
    low, high = against_rest.ends(_ENDS) if is_folded else (against_rest.by_value, [])
    cells = [
        (
            row.slice,
            format_value(row.cases),
            *("" if math.isnan(number) else format_value(number) for number in (row.value, row.rest, row.difference)),
            render.format_interval((row.low, row.high)),
            format_p_cell(row.p_adjusted, against_rest.p_floor) or row.verdict.partition(":")[0],
            row.verdict if format_p_cell(row.p_adjusted) else "",
        )
        for row in (*low, *high)
    ]
    between_them = [("...", *([""] * 7))] if high else []
    rows = [*cells[: len(low)], *between_them, *cells[len(low) :]]
    interval = render.format_interval_title(against_rest.level)
    name = against_rest.measure.name
    heads = [against_rest.slices.by, "cases", name, "rest", "difference", interval, "p", "verdict"]
    if not any(row[-1] for row in rows):
        heads, rows = heads[:-1], [row[:-1] for row in rows]
    return render.make_fitted_grid(screen, heads, rows, ("rest", "verdict", "cases"), interval)


def _render_fairness(screen: Console, fairness: Fairness) -> RenderableType:
    """Render the criteria of group fairness."""
    rows = [
        (row["criterion"], "", row["note"], "", "")
        if row["value"] != row["value"]
        else (
            row["criterion"],
            format_value(row["value"]),
            render.format_interval((row["low"], row["high"])),
            *fairness.ends[row["criterion"]],
        )
        for row in fairness.table
    ]
    heads = ("criterion", "value", render.format_interval_title(fairness.level), "highest", "lowest")
    return render.make_grid(screen, heads, rows)


def _render_found_slices(screen: Console, found: FoundSlices) -> RenderableType:
    """Render the slices that a search found: their loss, the loss of the other cases, and the corrected difference."""
    from cutline.slices.search import MEASURES_OF_LOSSES

    names = ("slice", "cases", "prevalence", "value", "rest", "difference", "corrected", "p_adjusted", "auc")
    loss = MEASURES_OF_LOSSES[found.measure]
    heads = ("slice", "cases", "prevalence", loss, "others", "difference", "corrected", "p", "auc")
    rows = [
        tuple(
            format_p_cell(row[name], found.p_floor) if name == "p_adjusted" else format_value(row[name])
            for name in names
        )
        for row in found
    ]
    return render.make_fitted_grid(screen, heads, rows, ("prevalence", "auc", "others", "cases"), "")


def _format_bracket(row: Row) -> str:
    return "" if row.bounds is None else format_bracket(row.bounds.low, row.bounds.high)


def _render_model_differences(screen: Console, summary: SliceComparisonSummary) -> RenderableType:
    """Render the verdict, and a table for each measure: all cases, then the slices."""
    parts: list[RenderableType] = render.fold_sentences(screen, summary.statements)
    star = render.choose_signs(screen).best
    for overall in summary.overall:
        slices = summary.of(overall)
        smallest = sorted(slices, key=lambda difference: (math.isnan(difference.p_holm), difference.p_holm))
        shown_slices = [difference for difference in slices if difference in smallest[:_MOST_SLICES]]
        is_sure = overall.p_value <= 1 - summary.level
        cells: list[Sequence[str]] = [
            ("all", "", *_format_difference(overall, star if is_sure else ""), format_p_cell(overall.p_value))
        ]
        cells += [
            (
                difference.name,
                f"{difference.counts[0]:g}",
                *_format_difference(difference.row, star if difference.is_significant(summary.level) else ""),
                format_p_cell(difference.p_holm),
            )
            for difference in shown_slices
        ]
        interval = render.format_interval_title(summary.level)
        head = [summary.by, "cases", overall.a, overall.b, "difference", interval, "p (Holm)"]
        if screen.width < _WITH_VALUES:
            head, cells = head[:2] + head[4:], [(*row[:2], *row[4:]) for row in cells]
        title = f"{overall.title}: {escape_controls(overall.a)} minus {escape_controls(overall.b)}"
        parts += [Text(), render.make_grid(screen, head, cells, title)]
        if len(shown_slices) < len(slices):
            parts.append(Text(f"The {len(shown_slices)} smallest p-values of {len(slices)} slices.", style="dim"))
    return Group(*parts, *(Text(f"- {escape_controls(note.text)}", style="dim") for note in summary.notes))


def _format_difference(row: DifferenceRow, mark: str) -> tuple[str, str, str, str]:
    """Return both values, their difference with its mark, and its interval, as text."""
    difference = "" if math.isnan(row.value) else f"{row.value:+.4f}{mark}"
    return format_value(row.value_a), format_value(row.value_b), difference, render.format_interval(row.interval)
