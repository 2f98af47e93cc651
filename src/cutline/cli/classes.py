"""The work of `--class-scores`: a model of several classes, or several such models on the same cases."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from rich.console import Console, Group, RenderableType
from rich.text import Text

from cutline.cli import render
from cutline.cli.options import MeasureOptions, Reading, SelectionOptions, refuse
from cutline.cli.output import REPORT, FileOutput
from cutline.cli.reading import Chosen, choose_columns
from cutline.cli.text import escape_controls, name_options_in_notes, quote
from cutline.core.errors import InputError, ParameterError, hint_similar
from cutline.core.table import Table, format_p_cell, format_value
from cutline.core.validation import clean_model_name
from cutline.inputs import files
from cutline.inputs.column_source import Source
from cutline.multiclass.class_summary import MOST_SHOWN, ClassComparisonSummary, ClassDifference, ClassSummary
from cutline.multiclass.compare import ClassComparison, compare_classes
from cutline.multiclass.one_vs_rest import OneVsRest, one_vs_rest

CHARTS = ("class_roc", "class_measures", "class_confusion_matrix")


class ClassModel(NamedTuple):
    """Options of `evaluate` for several classes besides the common ones."""

    paths: Sequence[str]
    class_scores: Sequence[str]
    name: str | None = None
    template: str = REPORT
    ranking_csv: str | None = None
    ordered: bool = False
    labels: str | None = None


def run_classes(model: ClassModel, reading: Reading, selection: SelectionOptions, output: FileOutput) -> None:
    """Evaluate a model of several classes and show the results.

    Args:
        model: The file, the columns of the classes, and what to call the model.
        reading: How the file is read.
        selection: Which measures.
        output: Where they go.
    """
    _check_options(model, selection)
    if len(model.paths) != 1:
        raise ParameterError("--class-scores reads one file", "pass the path of one")
    if model.labels is not None:
        _run_labels(model, reading, selection, output)
        return
    charts = CHARTS if output.png is not None else ()
    output.check(charts)
    classes, guesses = read_classes(model.paths[0], model.class_scores, reading, model.name, ordered=model.ordered)
    summary = classes.summary(_measures(selection), level=selection.level)
    summary = summary.with_notes(name_options_in_notes(summary.notes))
    output.say_guesses(guesses)
    output.print_summary(summary, _render(render.make_console(), summary))
    output.write_files(classes, summary, charts)


def _run_labels(model: ClassModel, reading: Reading, selection: SelectionOptions, output: FileOutput) -> None:
    """Evaluate several labels of each case and show the results."""
    _check_reading(reading)
    refuse(
        "--labels",
        {
            "--ordered": model.ordered,
            "--label": reading.columns.label,
            "--weight": reading.columns.weight,
            "--missing drop": reading.missing == "drop",
            "--png": output.png,
            "a file to write": output.documents,
        },
    )
    output.check()
    columns = parse_columns(model.class_scores)
    names = [name.strip() for name in (model.labels or "").split(",")]
    file = files.read(model.paths[0], reading.format, reading.memory)
    for option, required in (("--labels", names), ("--class-scores", list(columns.values()))):
        for column in required:
            if column not in file.columns:
                raise _make_missing_error(escape_controls(file.title), column, option, file.columns)
    title = escape_controls(clean_model_name(model.name) or file.title)
    labels: Any = one_vs_rest(names, columns, name=title, data=file, groups=reading.columns.group)
    table = labels.summary(_measures(selection), level=selection.level)
    head = {"schema": "cutline/labels/1", "name": labels.name, "cases": labels.cases}
    head |= {"labels": list(labels), "level": selection.level}

    def print_table(screen: Console) -> None:
        rows = [
            (row["measure"], row["of"], format_value(row["value"]), render.format_interval((row["low"], row["high"])))
            for row in table
        ]
        columns = ("", "of", "value", render.format_interval_title(selection.level))
        screen.print(Group(Text(escape_controls(table.title)), Text(), render.make_grid(screen, columns, rows)))

    output.print(lambda: head | {"measures": table.to_dict()}, table.to_csv, print_table)


def run_class_comparison(
    paths: Sequence[str], class_scores: Sequence[str], reading: Reading, selection: MeasureOptions, output: FileOutput
) -> None:
    """Compare models of several classes on the same cases and show the results.

    Args:
        paths: The file.
        class_scores: The columns of each model, as the options name them.
        reading: How the file is read.
        selection: Which measures.
        output: Where they go.
    """
    resampling = {"--resamples": selection.resamples is not None, "--seed": selection.seed}
    refuse("--class-scores", resampling | {"--png": output.png})
    if len(paths) != 1:
        raise ParameterError(
            "--class-scores reads one file", "pass the path of one that holds the scores of all models"
        )
    output.check()
    comparison, guesses = read_class_models(paths[0], class_scores, reading)
    summary = comparison.summary(_measures(selection), level=selection.level)
    summary = replace(summary, notes=name_options_in_notes(summary.notes))
    output.say_guesses(guesses)
    output.print_summary(summary, _render_comparison(render.make_console(), summary))
    output.write_files(comparison, summary, ())


def _measures(selection: MeasureOptions) -> list[str] | None:
    return None if selection.measures is None else [name.strip() for name in selection.measures.split(",")]


def parse_models(options: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return the columns of each model by class: an option for each model, with its name before a colon.

    >>> parse_models(["forest:ant=f_ant,bee=f_bee", "ant,bee"])
    {'forest': {'ant': 'f_ant', 'bee': 'f_bee'}, 'model 2': {'ant': 'ant', 'bee': 'bee'}}
    """
    if len(options) < 2:
        way_out = "pass it once for each model, such as --class-scores forest:ant=f_ant,bee=f_bee"
        raise ParameterError("--class-scores names one model", way_out)
    models: dict[str, dict[str, str]] = {}
    for number, text in enumerate(options, 1):
        before, colon, after = text.partition(":")
        is_named = bool(colon) and not any(sign in before for sign in ",=")
        name = before.strip() if is_named else f"model {number}"
        if name in models:
            raise ParameterError(f"--class-scores names the model {quote(name)} twice", "give each model its own name")
        models[name] = parse_columns([after if is_named else text])
    return models


def parse_columns(options: Sequence[str]) -> dict[str, str]:
    """Return the columns by class, as the options name them.

    >>> parse_columns(["ant,bee", "cat=p_cat"])
    {'ant': 'ant', 'bee': 'bee', 'cat': 'p_cat'}
    """
    columns: dict[str, str] = {}
    for term in (term.strip() for text in options for term in text.split(",")):
        label, equals, column = (part.strip() for part in term.partition("="))
        if not label or (equals and not column):
            raise ParameterError(
                f"--class-scores is {quote(', '.join(options))}",
                "pass columns with commas, such as ant,bee=p_bee,cat",
            )
        if label in columns:
            raise ParameterError(f"--class-scores names the class {quote(label)} twice", "name each class once")
        columns[label] = column if equals else label
    if len(columns) < 2:
        raise ParameterError(
            f"--class-scores names one class, {quote(next(iter(columns)))}",
            "pass a column for each of two or more",
        )
    return columns


def _check_options(model: ClassModel, selection: SelectionOptions) -> None:
    """Raise if an option of `evaluate` does not apply to several classes."""
    refuse(
        "--class-scores",
        {
            "--family": selection.family,
            "--all": selection.all,
            "--resamples": selection.resamples is not None,
            "--seed": selection.seed,
            "--template": model.template != REPORT,
            "--ranking-csv": model.ranking_csv,
        },
    )


def _check_reading(reading: Reading) -> None:
    """Raise if an option of reading does not apply to several classes."""
    c = reading.columns
    refuse(
        "--class-scores",
        {
            "--score": c.scores,
            "--stratum": c.stratum,
            "--id": c.id,
            "--positive": reading.positive,
            "--lower-is-positive": reading.lower_is_positive,
            "--threshold": reading.threshold is not None,
            "--quota": reading.quota is not None,
            "--share": reading.share is not None,
            "--exact": reading.exact,
        },
    )


def read_classes(
    path: str, class_scores: Sequence[str], reading: Reading, name: str | None = None, *, ordered: bool = False
) -> tuple[OneVsRest, Sequence[str]]:
    """Return the model of several classes of a file, and what was guessed.

    Args:
        path: The file.
        class_scores: The columns of the classes, as the options name them.
        reading: How the file is read.
        name: What to call the model.
        ordered: Whether the classes stand in their order.
    """
    _check_reading(reading)
    columns = parse_columns(class_scores)
    file = files.read(path, reading.format, reading.memory)
    chosen = _choose_columns(file, columns.values(), reading)
    title = escape_controls(clean_model_name(name) or file.title)
    options = _list_options(reading) | {"ordered": ordered}
    classes = one_vs_rest(chosen.label, columns, reading.columns.weight, name=title, data=file, **options)
    return classes, chosen.guesses


def read_class_models(
    path: str, class_scores: Sequence[str], reading: Reading
) -> tuple[ClassComparison, Sequence[str]]:
    """Return the models of several classes of a file, and what was guessed.

    Args:
        path: The file.
        class_scores: The columns of each model, as the options name them.
        reading: How the file is read.
    """
    _check_reading(reading)
    models = parse_models(class_scores)
    file = files.read(path, reading.format, reading.memory)
    chosen = _choose_columns(file, [column for own in models.values() for column in own.values()], reading)
    named = {escape_controls(name): own for name, own in models.items()}
    comparison = compare_classes(chosen.label, named, reading.columns.weight, data=file, **_list_options(reading))
    return comparison, chosen.guesses


def _list_options(reading: Reading) -> dict[str, Any]:
    """Return the arguments that one_vs_rest() and compare_classes() share."""
    return {"missing": reading.missing, "groups": reading.columns.group, "weights_are": reading.weights_are}


def _choose_columns(file: Source, columns: Iterable[str], reading: Reading) -> Chosen:
    """Check the columns of a file, each with one purpose; the label is guessed if none is named."""
    c, score_columns = reading.columns, tuple(dict.fromkeys(columns))
    for option, column in (("--label", c.label), ("--weight", c.weight), ("--group", c.group)):
        if column is not None and column not in file.columns:
            raise _make_missing_error(escape_controls(file.title), column, option, file.columns)
    for column in score_columns:
        if column not in file.columns:
            raise _make_missing_error(escape_controls(file.title), column, "--class-scores", file.columns)
        if column in (c.label, c.weight):
            other = "--label" if column == c.label else "--weight"
            both = f"--class-scores and {other} both name {quote(column)}"
            raise ParameterError(both, "pass another column for one of them")
    return choose_columns(file, c.label, score_columns, c.others)


def _make_missing_error(title: str, column: str, option: str, known: Sequence[str]) -> InputError:
    listed = ", ".join(quote(name) for name in known[:8]) + (" and more" if len(known) > 8 else "")
    hint = hint_similar(column, known) or f"It has {listed}."
    return InputError(f"{title} has no column {quote(column)}, which {option} names", hint=hint)


# ---------------------------------------------------------------------- looks


def _render(screen: Console, summary: ClassSummary) -> RenderableType:
    """Render the title, the measures of all classes and of each, and the confusion matrix."""
    heading = Text(escape_controls(summary.name or "model"), style="bold").append(
        f"  {escape_controls(summary.data.describe())}"
    )
    level = render.format_interval_title(summary.level)
    overall = [
        (row.title, row.of, format_value(row.value), render.format_interval(row.interval), format_value(row.baseline))
        for row in summary.of_scope("all", "mean")
    ]
    parts: list[RenderableType] = [heading, Text()]
    if overall:
        parts.append(render.make_grid(screen, ("", "of", "value", level, "baseline"), overall, "All classes"))
    if summary.of_scope("class"):
        parts += [Text(), _make_grid(screen, summary.class_table(), "Each class against the rest")]
    if len(summary.data.classes) <= MOST_SHOWN:
        parts += [Text(), _make_grid(screen, summary.matrix.to_table(), "Real and predicted class")]
    titles: dict[str, list[str]] = {}
    for row in summary.rows:
        if row.reason:
            titles.setdefault(row.reason, []).append(f"{row.title} ({row.of})")
    return Group(*parts, *render.explain_undefined(titles))


def _render_comparison(screen: Console, summary: ClassComparisonSummary) -> RenderableType:
    """Render the comparison: a line for each measure and pair of models, and which model is better in which."""
    level = render.format_interval_title(summary.level)
    parts: list[RenderableType] = [Text(escape_controls(summary.title))]
    for a, b in dict.fromkeys((row.test.a, row.test.b) for row in summary.rows):
        own = [row for row in summary.rows if (row.test.a, row.test.b) == (a, b)]
        rows = [
            (
                f"{row.title} ({row.of})",
                format_value(row.value_a),
                format_value(row.value_b),
                format_value(row.test.difference),
                render.format_interval(row.interval),
                format_p_cell(row.test.p_holm),
            )
            for row in own
        ]
        title = f"{escape_controls(a)} minus {escape_controls(b)}"
        heads = ("", escape_controls(a), escape_controls(b), "difference", level, "p")
        parts += [Text(), render.make_grid(screen, heads, rows, title), Text(), *_list_conclusions(own, summary.level)]
    if len(summary.models) > 2:
        parts += [Text(), Text("p is corrected for the number of pairs (Holm); the intervals are not.", style="dim")]
    return Group(*parts)


def _list_conclusions(rows: Sequence[ClassDifference], level: float) -> list[RenderableType]:
    """Return each conclusion, or the reason why there is none, with its measures."""
    measures: dict[str, list[str]] = {}
    for row in rows:
        why = f"No test, because {row.test.notes[0]}" if row.test.notes else row.conclusion(level)
        measures.setdefault(why, []).append(f"{row.title} ({row.of})")
    return [Text(escape_controls(f"{conclusion}: {', '.join(names)}.")) for conclusion, names in measures.items()]


def _make_grid(screen: Console, table: Table, title: str) -> RenderableType:
    # An interval stays in one line: it may stand below its value, but is not broken.
    rows = [
        [format_value(cell) if isinstance(cell, float) else str(cell).replace(", ", ",\xa0") for cell in row]
        for row in table.rows
    ]
    return render.make_grid(screen, table.columns, rows, title)
