"""How results look in a terminal. It computes nothing but widths and places, and loads numpy only where it draws."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

from rich import box
from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from cutline.cli.options import FileOutput
from cutline.cli.text import Screen, printable, silence
from cutline.core.address_space import find_limit
from cutline.core.escaping import json_text
from cutline.core.messages import listed
from cutline.core.table import format_bracket, shown, shown_limits

if TYPE_CHECKING:
    from cutline.measures import Measure
    from cutline.multiclass.class_summary import ClassComparisonSummary, ClassSummary
    from cutline.quota_periods import PeriodSummary
    from cutline.results.comparison_summary import ComparisonSummary, DifferenceRow
    from cutline.results.notes import Note
    from cutline.results.summary import Row, Summary


REPORT = "report"


def charts_in_folder(output: FileOutput, *, several: bool) -> list[str]:
    """Return the charts that --png draws: those declared for a folder, of one model or of several."""
    if output.png is None:
        return []
    from cutline.charts import CHARTS, Place, Shows

    return [kind.name for kind in CHARTS.at(Place.FOLDER) if not several or kind.shows is not Shows.ONE]


def show(
    output: FileOutput,
    summary: Summary | ComparisonSummary | ClassSummary | ClassComparisonSummary | PeriodSummary,
    table: RenderableType,
    *,
    warned: bool = False,
) -> None:
    """Print the results as JSON, as CSV, or as a table with its notes.

    Args:
        output: Where and how.
        summary: The results.
        table: The results as the terminal shows them.
        warned: Whether the table begins with the warnings.
    """

    def print_table(screen: Console) -> None:
        screen.print(table)
        if not output.quiet:
            every = (*summary.notes, *summary.row_notes)
            screen.print(notes(every, verbose=output.verbose, width=screen.width, warned=warned))

    output.print(summary.document, summary.to_csv, print_table)


def start_drawing(output: FileOutput) -> None:
    """Start the drawing program of a page on a thread, while the numbers are computed.

    Everything is imported before the thread starts: two threads that import one package see its modules half loaded.
    """
    if output.is_whole:
        import cutline.charts.renderer as renderer
        import cutline.report  # noqa: F401

        if find_limit() is not None:  # it draws in processes of its own, and is refused now rather than after the work
            renderer.start()
            return
        import vl_convert  # noqa: F401

        Thread(target=renderer.start).start()


def write(output: FileOutput, result: Any, summary: Any, charts: Sequence[str], template: str = REPORT) -> None:
    """Write the files that the options name.

    Args:
        output: Which files.
        result: The model, or the models, as `report.save` takes them.
        summary: The numbers.
        charts: The pictures, by name.
        template: The page that is written as HTML.
    """
    if output.png is not None:
        output.png.mkdir(parents=True, exist_ok=True)
        for name in charts:
            result.chart(name).save(output.png / f"{name}.png", overwrite=output.force)
        output.say(f"{len(charts)} charts are in {output.png}.")

    def save_document(path: Path) -> None:
        from cutline.report import save  # which loads all that draws: not for numbers on the screen

        page = template if path.suffix.lower() == ".html" else REPORT
        save(result, path, overwrite=output.force, summary=summary, template=page)

    output.write_documents(save_document)


_WITH_STRIP = 76  # columns of a terminal from which there is room for the strip
_WIDE = 100  # ... for a long one
_WITH_BASELINE = 56
_VALUE = 24  # what a value with its interval takes
_GAP = 3  # between two columns
_TOO_NARROW = "!"  # after an interval whose actual coverage is probably below its level
_NUMBERS = ((_WIDE, 67), (_WITH_STRIP, 54), (_WITH_BASELINE, 40), (0, 29))  # what the columns beside the names take
# Tables with a line under their head and none between columns.
_LINES = box.Box("\n".join(("    ", "    ", " ── ", "    ", "    ", "    ", "    ", "    ")))
_ASCII = box.Box("\n".join(("    ", "    ", " -- ", "    ", "    ", "    ", "    ", "    ")), ascii=True)


_UNKNOWN = 80  # columns of a terminal that does not say how wide it is


def print_json(document: Mapping[str, Any]) -> None:
    """Print a document as JSON; it holds no NaN."""
    is_utf8 = (sys.stdout.encoding or "").lower().startswith("utf")
    put(json_text(document, only_ascii=not is_utf8) + "\n")


def put(text: str) -> None:
    """Write to standard output, ignoring BrokenPipeError; on a terminal, control characters are written out."""
    if sys.stdout is not None and sys.stdout.isatty():
        text = "\n".join(map(printable, text.split("\n")))
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        silence(sys.stdout)


def console(*, error: bool = False) -> Console:
    """Return the console of standard output or error; nothing in a text is taken for markup."""
    screen = Screen(stderr=error, markup=False, highlight=False, emoji=False, soft_wrap=False)
    if screen.width < 1:  # as in an environment with COLUMNS=0, where nothing at all would be shown
        screen.width = _UNKNOWN
    return screen


def ascii_only(screen: Console) -> bool:
    """Whether the terminal can draw plain ASCII alone."""
    return not (screen.encoding or "").lower().startswith("utf")


def evaluation(screen: Console, summary: Summary) -> RenderableType:
    """Show one model: the verdict, the worst warnings, the counts at the cut, and the measures by question."""
    parts = [*sentences(screen, summary.verdict), *_worst_warnings(screen, summary.notes), Text()]
    parts += [_heading(summary), Text(), _confusion(screen, summary)]
    parts += _questions(screen, summary)
    return Group(*parts, *_brackets(screen, summary), *_reasons(summary), Text(), _legend(screen, summary))


def sentences(screen: Console, lines: Iterable[str]) -> list[RenderableType]:
    """Return what the numbers say, the first sentence in bold."""
    return [
        Text(fold(_drawable(screen, line), screen.width), style="" if place else "bold")
        for place, line in enumerate(lines)
    ]


_WHOLE = re.compile(r"\(?p [=<] \S+|\(?[\d.,]+ %\S*|\S+")  # what no line break may part: a word, p = 0.01, 95 %


def fold(text: str, width: int) -> str:
    """Break a sentence into lines, but never between a number and its sign.

    >>> fold("AUC 0.8382, 95 % interval (p = 0.01)", 15).splitlines()
    ['AUC 0.8382,', '95 % interval', '(p = 0.01)']
    """
    lines = [""]
    for word in _WHOLE.findall(text):
        longer = f"{lines[-1]} {word}".lstrip()
        if cell_len(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return "\n".join(filter(None, lines))


def _drawable(screen: Console, text: str) -> str:
    """Return a text that the terminal can show."""
    text = printable(text)
    return text.replace("≥", ">=").replace("≤", "<=").replace("∞", "inf") if ascii_only(screen) else text


def _worst_warnings(screen: Console, some: Iterable[Note], models: Iterable[str] = ()) -> list[RenderableType]:
    """Return the worst warnings, said before the numbers: in full what questions all of them, others in one line."""
    from cutline.results.notes import FIRST
    from cutline.results.verdict import worst_warnings

    return [
        Text.assemble(_note_sign(note), " ", printable(note.text))
        if note.rule in FIRST
        else warning_line(note, screen.width)
        for note in worst_warnings(some, models)
    ]


def _legend(screen: Console, summary: Summary) -> Text:
    """Return the meaning of the signs that occur."""
    _, inside, here, baseline, lower = _signs(screen)
    words = [f"{here} value, {inside} interval, {baseline} baseline"] if screen.width >= _WITH_STRIP else []
    if any(row.measure.better == "lower" for row in summary.rows):
        words.append(f"{lower} lower is better")
    if any(row.estimate.warning for row in summary.rows):
        words.append(f"{_TOO_NARROW} probably too narrow")
    words += [f"AUC interval: {row.method}" for row in summary.rows if row.key == "auc" and row.method]
    return Text("; ".join(words), style="dim")


def _signs(screen: Console) -> tuple[str, str, str, str, str]:
    return (".", "=", "O", "|", "(-)") if ascii_only(screen) else ("·", "━", "●", "│", "↓")


def _heading(summary: Summary) -> Text:
    line = Text()
    line.append(printable(summary.name or "model"), style="bold")
    return line.append(f"  {printable(summary.data.words())}")


def _table(screen: Console, *, title: str = "", head: bool = True, gap: int = _GAP) -> Table:
    style = _ASCII if ascii_only(screen) else _LINES
    return Table(
        title=Text(title, style="bold") if title else None,
        title_justify="left",
        title_style="bold",
        box=style,
        show_header=head,
        pad_edge=False,
        padding=(0, gap - 1, 0, 0),
        header_style="dim",
        show_edge=False,
    )


def _confusion(screen: Console, summary: Summary) -> RenderableType:
    from cutline.core.counts import with_commas

    c, table = summary.counts, _table(screen)
    table.add_column(Text(summary.cut.words(summary.data.ranking)))
    for name in (*c.class_titles, "all"):
        table.add_column(Text(printable(name)), justify="right")
    table.add_row(
        "flagged", Text(with_commas(c.tp), style="green"), Text(with_commas(c.fp), style="red"), with_commas(c.flagged)
    )
    table.add_row(
        "not flagged",
        Text(with_commas(c.fn), style="red"),
        Text(with_commas(c.tn), style="green"),
        with_commas(c.unflagged),
    )
    return table


def _questions(screen: Console, summary: Summary) -> Iterable[RenderableType]:
    from cutline.measures import Family

    # All tables with one width of names, as far as there is room beside the numbers.
    numbers = next(taken for width, taken in _NUMBERS if screen.width >= width)
    longest = max((len(row.title) + 4 for row in summary.rows), default=0)
    marked = " " * any(row.estimate.warning for row in summary.rows)
    names = max(12, min(longest, screen.width - numbers - _beyond(summary.rows) - len(marked)))
    for family in Family:
        mine = [row for row in summary.rows if row.measure.family is family]
        if mine:
            yield Text()
            if reason := _common_reason(mine):
                titles = listed([row.measure.title for row in mine])
                undefined = f"{titles} {'is' if len(mine) == 1 else 'are'} undefined, because {reason}."
                yield Text(family.value, style="bold")
                yield Text(fold(undefined, screen.width))
            else:
                yield _measures(screen, family.value, mine, summary.level, names, marked)


def _common_reason(rows: Sequence[Row]) -> str:
    """Return why all of the measures are undefined, where one reason holds for all; empty otherwise."""
    reasons = {row.reason if math.isnan(row.value) else "" for row in rows}
    return reasons.pop() if len(reasons) == 1 else ""


def _beyond(rows: Sequence[Row]) -> int:
    """Return by how much the longest value and interval exceed their usual width."""
    value = max((len(shown(row.value)) for row in rows if math.isfinite(row.value)), default=0)
    limits = max((len(interval(row.interval)) for row in rows), default=0)
    return max(0, value - len("0.0000")) + max(0, limits - len("[0.0000, 0.0000]"))


def _measures(screen: Console, title: str, rows: Sequence[Row], level: float, names: int, marked: str) -> Table:
    """Return a table of measures; `marked` is the room for a mark behind each interval, where any table has one."""
    table = _table(screen, title=title)
    table.add_column("", min_width=names, max_width=names, overflow="fold")
    table.add_column("value", justify="right", no_wrap=True, min_width=6)
    table.add_column(interval_title(level), no_wrap=True)
    if screen.width >= _WITH_BASELINE:
        table.add_column("baseline", justify="right", no_wrap=True)
    if screen.width >= _WITH_STRIP:
        table.add_column("", no_wrap=True)
    for row in rows:
        cells: list[Any] = [
            _name(row, _signs(screen)[-1]),
            Text(shown(row.value), style="bold"),
            interval(row.interval) + (_TOO_NARROW if row.estimate.warning else marked),
        ]
        if screen.width >= _WITH_BASELINE:
            cells.append(Text(shown(row.baseline), style="dim"))
        if screen.width >= _WITH_STRIP:
            cells.append(_strip(row, 24 if screen.width >= _WIDE else 11, _signs(screen)))
        table.add_row(*cells)
    return table


def _name(row: Row, lower: str) -> Text:
    name = Text(row.title)
    name.stylize("dim", len(row.measure.title))
    return name.append(f" {lower}", style="dim") if row.measure.better == "lower" else name


def interval(limits: tuple[float, float] | None) -> str:
    """Return both limits as text, or nothing."""
    return "" if limits is None else f"[{', '.join(shown_limits(*limits))}]"


def interval_title(level: float) -> str:
    """Return the title of a column of intervals.

    >>> interval_title(0.95)
    '95 % interval'
    """
    return f"{100 * level:g} % interval"


def _brackets(screen: Console, summary: Summary) -> Iterable[RenderableType]:
    """Return the certified brackets of the values from binned scores."""
    affected = [row for row in summary.rows if row.bounds is not None]
    if not affected:
        return
    table = _table(screen, title="Where the exact values lie (the scores were binned)")
    table.add_column("", overflow="fold")
    table.add_column("from and to", no_wrap=True)
    table.add_column("")
    for row in affected:
        bounds = row.bounds
        assert bounds is not None  # noqa: S101 - those without were left out
        table.add_row(Text(row.title), format_bracket(bounds.low, bounds.high), "" if bounds.certain else "approximate")
    yield Text()
    yield table


def _reasons(summary: Summary) -> Iterable[RenderableType]:
    """Return why measures are undefined, each reason once with the measures that it holds for, unless their table says
    it.
    """
    from cutline.measures import Family

    titles: dict[str, list[str]] = {}
    for family in Family:
        mine = [row for row in summary.rows if row.measure.family is family]
        for row in mine if not _common_reason(mine) else ():
            if row.reason and math.isnan(row.value):
                titles.setdefault(row.reason, []).append(row.title)
    for reason, names in titles.items():
        yield Text()
        yield Text(f"Undefined because {reason}: {', '.join(names)}", style="yellow")


def _strip(row: Row, width: int, signs: tuple[str, ...]) -> Text:
    """Return the range of a measure as a line: the interval on it, the value, and where the baseline stands."""
    low, high = row.measure.range
    if not (math.isfinite(low) and math.isfinite(high) and math.isfinite(row.value)):
        return Text()

    def place(value: float) -> int:
        return min(width - 1, max(0, round((value - low) / (high - low) * (width - 1))))

    empty, inside, here, baseline, _ = signs
    cells = [(empty, "dim")] * width
    if row.baseline is not None and math.isfinite(row.baseline):
        cells[place(row.baseline)] = (baseline, "dim")
    if row.interval is not None and math.isfinite(row.interval[0]):
        for i in range(place(row.interval[0]), place(row.interval[1]) + 1):
            cells[i] = (inside, "blue")
    cells[place(row.value)] = (here, "bold blue")
    return Text.assemble(*cells)


def notes(
    some: Iterable[Note],
    title: str = "Notes",
    *,
    verbose: bool = True,
    width: int = _UNKNOWN,
    warned: bool = False,
) -> RenderableType:
    """Render notes in plain words, warnings first; without `verbose` the first warnings alone, each in one line.

    Args:
        some: The notes.
        title: What stands above them.
        verbose: Whether all of them are shown in full, each with its source.
        width: The columns of the terminal, for a note in one line.
        warned: Whether the warnings stand above the numbers already; without `verbose`, notes are then only counted.
    """
    from cutline.core.validation import counted
    from cutline.results.notes import DATA

    ordered = sorted(some, key=lambda note: note.kind != "warning")
    if not ordered:
        return Group()
    if verbose:
        table = Table.grid(padding=(0, 1))
        for note in ordered:
            text = Text(printable(note.text))
            if note.source != DATA:
                text.append(f" ({note.source})", style="dim")
            table.add_row(_note_sign(note), text)
        return Group(Text(), Text(printable(title), style="bold"), table)
    if warned:
        return Group(Text(), Text(f"- {counted(len(ordered), 'note')}: --verbose", style="dim"))
    from cutline.results.verdict import MOST_WARNINGS

    warnings = [note for note in ordered if note.kind == "warning"]
    left = len(ordered) - len(warnings[:MOST_WARNINGS])
    lines = [warning_line(note, width) for note in warnings[:MOST_WARNINGS]]
    if not left:
        more = "more: --verbose" if any("…" in line.plain for line in lines) else ""
    else:
        more = f"{left} {'more ' if lines else ''}{'note' if left == 1 else 'notes'}: --verbose"
    return Group(Text(), *lines, *([Text(f"- {more}", style="dim")] if more else []))


_WARNING_SIGN = Text("!", style="bold yellow")


def _note_sign(note: Note) -> Text:
    return _WARNING_SIGN if note.kind == "warning" else Text("-", style="dim")


def warning(text: str) -> Text:
    """Return a warning in full, behind its sign."""
    return Text.assemble(_WARNING_SIGN, " ", printable(text))


def warning_line(note: Note, width: int) -> Text:
    """Return a warning in one line of a terminal: as many of its clauses as fit."""
    return Text.assemble(_note_sign(note), " ", shorten(printable(note.text), width - 2))


_ENDS = re.compile(r"[.:;,](?= |$)| (?=\()")


def shorten(text: str, room: int) -> str:
    """Return as many sentences or clauses of a text as fit into a line; where more is left, it ends in "…".

    >>> shorten("The probabilities are too high: their mean is 0.289. Recalibrate them.", 70)
    'The probabilities are too high: their mean is 0.289. Recalibrate them.'
    >>> shorten("The probabilities are too high: their mean is 0.289. Recalibrate them.", 40)
    'The probabilities are too high …'
    """
    if cell_len(text) <= room:
        return text
    ends = [match.start() for match in _ENDS.finditer(text) if cell_len(text[: match.start()]) <= room - 2]
    for signs in (".:; ", ","):  # the end of a sentence or of its main clause before a comma
        fitting = [end for end in ends if text[end] in signs and end > room // 3]
        if fitting:
            return f"{text[: fitting[-1]]} …"
    return f"{text[: room - 2].rsplit(' ', 1)[0]} …"


def comparison(
    screen: Console, summary: ComparisonSummary, *, reference: str | None = None, pairs: bool = False
) -> RenderableType:
    """Render models on the same cases: which to choose, the value of each, and how they differ from the reference.

    Args:
        screen: Where it is shown.
        summary: The comparison.
        reference: The model that the others are compared with; the leader of the first question when None.
        pairs: Whether every pair of models has a table with intervals and p-values.
    """
    parts = [*sentences(screen, summary.statements), *_worst_warnings(screen, summary.notes, summary.models)]
    parts += [Text(), Text(printable(summary.title)), Text(fold(printable(summary.cut_words), screen.width))]
    are_many = len(summary.models) > _room_for_models(screen)
    in_one_table = len(summary.models) == 2 and _WITH_DIFFERENCE <= screen.width < _WIDE and not pairs
    if in_one_table:
        parts += [Text(), _both_and_difference(screen, summary)]
    else:
        parts += [Text(), *(_models_in_rows if are_many else _values)(screen, summary)]
        if pairs or len(summary.models) == 2:
            for (a, b), rows in summary.pairs.items():
                parts += [Text(), _differences(screen, summary, f"{printable(a)} minus {printable(b)}", rows)]
        elif not are_many or reference is not None:
            parts += [Text(), *_from_reference(screen, summary, reference)]
    has_differences = in_one_table or (len(summary.models) > 2 and (not are_many or reference is not None))
    return Group(*parts, *_comparison_legend(screen, summary, pairs=pairs, has_differences=has_differences))


def _comparison_legend(
    screen: Console, summary: ComparisonSummary, *, pairs: bool, has_differences: bool
) -> list[RenderableType]:
    """Return the meaning of the marks, and which correction was used."""
    best, alike = _marks(screen)
    undefined = summary.undefined_measures()
    lines = [f"Undefined because {reason}: {', '.join(titles)}." for reason, titles in undefined.items()]
    marks = f"{best} best, {alike} cannot be told from it"
    lower = any(row.measure.better == "lower" for row in _defined_rows(summary))
    marks += f"; {_signs(screen)[-1]} lower is better" if lower else ""
    if len(summary.models) == 2:
        lines.append(marks)
        if has_differences:
            a, b = map(printable, summary.models)
            lines.append(f"difference: {a} minus {b}, {_significance_mark(screen)} significant")
    elif pairs:
        lines.append(f"{marks}; Holm's correction; p is corrected, intervals are not")
    else:
        sure = f"; {_significance_mark(screen)} significant" if has_differences else ""
        lines.append(f"{marks}{sure} (Holm's correction)")
    return [Text(), *(Text(fold(line, screen.width), style="dim") for line in lines)]


def _significance_mark(screen: Console) -> str:
    return "!" if ascii_only(screen) else "*"


def _marks(screen: Console) -> tuple[str, str]:
    return ("*", "~") if ascii_only(screen) else ("★", "≈")


_TITLE, _CELL, _CLOSE = 23, 9, 2  # columns of a terminal: the name of a measure, a value of many models, the gap
_WITH_DIFFERENCE, _WITH_P = 54, 77  # columns from which two models and their difference fit into one table; with p
_INTERVAL = 18  # ... for an interval
_FINE = 11  # ... for a value of few models whose interval needs a fourth digit
_LEAST_NAME = 8  # columns for the name of a model
_MOST_DIFFERENCES = 4  # rows of differences; of more, those that decide the questions are shown


def _values(screen: Console, summary: ComparisonSummary) -> Iterable[RenderableType]:
    """Return the value of each measure for each model with its interval, in one table where there is room."""
    titles = {row.key: _arrowed(screen, row) for row in _defined_rows(summary)}
    marks = {key: _mark_of(screen, summary, key) for key in titles}
    by_model = {name: {row.key: row for row in own.rows} for name, own in summary.models.items()}
    longest = max(map(len, titles.values()), default=0)
    if longest + len(by_model) * (_VALUE + _GAP + 1) <= screen.width:
        rows = [
            (
                title,
                *(
                    f"{marks[key].get(name, ' ')} {' '.join(_value_and_interval(own.get(key)))}"
                    for name, own in by_model.items()
                ),
            )
            for key, title in titles.items()
        ]
        yield grid(screen, ("", *by_model), rows)
        return
    table = _table(screen, gap=_CLOSE)
    table.add_column("", width=_TITLE, overflow="fold")
    room = _FINE if _TITLE + len(by_model) * (_FINE + _CLOSE) <= screen.width else _CELL
    for name in by_model:
        table.add_column(Text(_short(printable(name))), justify="right", no_wrap=True, min_width=_CELL)
    for key, title in titles.items():
        cells = [_stack(own.get(key), marks[key].get(name, ""), room) for name, own in by_model.items()]
        table.add_row(Text(title), *cells)
    yield table


def _arrowed(screen: Console, row: DifferenceRow) -> str:
    """Return the title of a measure, with a sign where less is better."""
    return f"{row.title} {_signs(screen)[-1]}" if row.measure.better == "lower" else row.title


def _defined_rows(summary: ComparisonSummary) -> list[DifferenceRow]:
    """Return the rows of measures that are defined for some model."""
    return [row for row in summary.rows if not (math.isnan(row.value_a) and math.isnan(row.value_b))]


def _room_for_models(screen: Console) -> int:
    """Return how many models fit beside the names of the measures."""
    return max(1, (screen.width - _TITLE) // (_CELL + _CLOSE))


def _models_in_rows(screen: Console, summary: ComparisonSummary) -> Iterable[RenderableType]:
    """Render many models below each other, the best of the first question first, with the measures that decide."""
    from cutline.results.choices import GOALS

    rows = {row.key: row for row in _defined_rows(summary)}
    first = [choice.measure for choice in summary.choices]
    decisive = [name for goal in GOALS.values() for name in goal.measures]
    others = [key for key, row in rows.items() if key not in first and row.measure.name in decisive]
    others.sort(key=lambda key: decisive.index(rows[key].measure.name))
    more = [key for key in rows if key not in first and key not in others]
    width = max(_LEAST_NAME, min(_TITLE, max(cell_len(printable(name)) for name in summary.models)))
    keys = [*first, *others, *more][: max(1, (screen.width - width) // (_CELL + _CLOSE))]
    marks = {key: _mark_of(screen, summary, key) for key in keys}
    by_model = {name: {row.key: row for row in own.rows} for name, own in summary.models.items()}
    table = _table(screen, gap=_CLOSE)
    table.add_column("", width=width, overflow="ellipsis", no_wrap=True)
    for key in keys:
        table.add_column(Text(_short(_brief_name(rows[key].measure))), justify="right", no_wrap=True, width=_CELL)
    for name in summary.best_first():
        cells = [_stack(by_model[name].get(key), marks[key].get(name, "")) for key in keys]
        table.add_row(Text(printable(name)), *cells)
    yield table
    if len(keys) < len(rows):
        yield Text(f"{len(rows) - len(keys)} more measures: --csv, --json or --html", style="dim")


def _brief_name(measure: Measure) -> str:
    """Return the name of a measure for a narrow column: its own, or the shortest of its others."""
    name = measure.display_name
    return name if len(name) <= _CELL else min((*measure.aliases, name), key=len)


def _fitting_title(row: DifferenceRow) -> str:
    """Return the title of a measure, or its short name where the column is too narrow for it."""
    return row.title if len(row.title) <= _TITLE else _brief_name(row.measure).upper()


def _both_and_difference(screen: Console, summary: ComparisonSummary) -> RenderableType:
    """Render two models side by side with their difference, in one table."""
    ((a, b),) = summary.pairs
    by_model = {name: {row.key: row for row in own.rows} for name, own in summary.models.items()}
    table = _table(screen, gap=_CLOSE)
    table.add_column("", width=min(_TITLE, screen.width - 2 * (_CELL + _CLOSE) - _INTERVAL - _CLOSE), overflow="fold")
    room = _FINE if screen.width >= _WITH_P + 2 * (_FINE - _CELL) - 1 else _CELL
    for name in (a, b):
        table.add_column(Text(_short(printable(name))), justify="right", no_wrap=True, min_width=_CELL)
    table.add_column("difference", justify="right", no_wrap=True, width=_INTERVAL)
    has_room = screen.width >= _WITH_P
    if has_room:
        table.add_column("p", justify="right", no_wrap=True)
    for row in _defined_rows(summary):
        marks = _mark_of(screen, summary, row.key)
        values = [_stack(by_model[name].get(row.key), marks.get(name, ""), room) for name in (a, b)]
        cell = _marked_difference(screen, summary, row)
        if row.interval is not None:
            cell.append(f"\n{_short_interval(row.interval)}", style="dim not bold")
        style = "bold" if row.is_significant(summary.level) else "dim"
        table.add_row(
            Text(_arrowed(screen, row)), *values, cell, *([Text(row.p_shown, style=style)] if has_room else [])
        )
    return table


def _short_interval(limits: tuple[float, float]) -> str:
    """Return both limits in a column of its width: small ones, whose digits would not fit, with four decimals."""
    text = interval(limits)
    return text if len(text) <= _INTERVAL else f"[{limits[0]:.4f}, {limits[1]:.4f}]"


def _short(name: str) -> str:
    return name if cell_len(name) <= _CELL else name[: _CELL - 1] + "…"


def _stack(row: Row | None, mark: str, room: int = _CELL) -> Text:
    """Return a value with its mark, and its interval in small below, in so many columns."""
    if row is None:
        return Text()
    text = Text(f"{shown(row.value)}{mark}", style="bold" if mark else "")
    if row.interval is not None:
        text.append(f"\n{_narrow_interval(row.value, row.interval, room)}", style="dim not bold")
    return text


def _narrow_interval(value: float, limits: tuple[float, float], room: int = _CELL) -> str:
    """Return both limits in few columns, with a fourth digit where three do not tell them from each other or the value.

    >>> _narrow_interval(0.1593, (0.149, 0.17)), _narrow_interval(0.0019, (0.0017, 0.0021), 11)
    ('.149-.170', '.0017-.0021')
    """
    if room >= _FINE and limits[0] >= 0 and limits[1] < 0.99995:
        a_limit_is_lost = len({f"{number:.3f}" for number in (value, *limits)}) < len({value, *limits})
        if a_limit_is_lost:
            return "-".join(f"{limit:.4f}".removeprefix("0") for limit in limits)
    between_them = "," if min(limits) < 0 else "-"  # which would look like a sign
    return between_them.join(map(_without_zero, limits))


def _without_zero(limit: float) -> str:
    """Return a limit in four characters where it is a share: .823, or -.82."""
    decimals = 3 if 0 <= limit < 0.9995 else 2
    text = f"{limit:.{decimals}f}" if abs(limit) < 10 else f"{limit:.3g}"
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text[:4]


def _mark_of(screen: Console, summary: ComparisonSummary, key: str) -> dict[str, str]:
    """Return the mark of the best model in a measure, and of those that cannot be told from it."""
    leader, equal = summary.best(key)
    best, alike = _marks(screen)
    return {leader: best} | dict.fromkeys(equal, alike) if leader else {}


def _from_reference(screen: Console, summary: ComparisonSummary, reference: str | None) -> Iterable[RenderableType]:
    """Return the difference of every other model from the reference, marked where it is significant."""
    from cutline.results.choices import DECISIVE

    base = reference or summary.reference
    rows = summary.differences_from(reference)
    titles = {row.key: _fitting_title(row) for row in _defined_rows(summary)}
    if len(titles) > _MOST_DIFFERENCES:
        first = {choice.measure for choice in summary.choices}
        decisive = {
            row.key: titles[row.key]
            for row in _defined_rows(summary)
            if row.measure.name in DECISIVE or row.key in first
        }
        titles = {key: title for key, title in decisive.items() if key in first or len(decisive) <= _MOST_DIFFERENCES}
    names = [name for name in summary.models if name != base]
    table = _table(screen, title=f"Difference from {printable(base)}", gap=_CLOSE)
    table.add_column("", width=_TITLE, overflow="ellipsis", no_wrap=True)
    for name in names:
        table.add_column(Text(_short(printable(name))), justify="right", no_wrap=True, width=_CELL)
    for key, title in titles.items():
        table.add_row(
            Text(title), *(_marked_difference(screen, summary, rows.get(key, {}).get(name)) for name in names)
        )
    yield table


def _marked_difference(screen: Console, summary: ComparisonSummary, row: DifferenceRow | None) -> Text:
    """Return a difference with its sign, and a mark where it is significant."""
    if row is None or math.isnan(row.value):
        return Text()
    is_sure = row.is_significant(summary.level)
    return Text(f"{row.value:+.4f}{_significance_mark(screen) if is_sure else ' '}", style="bold" if is_sure else "")


def _value_and_interval(row: Row | None) -> tuple[str, str]:
    return ("", "") if row is None else (shown(row.value), interval(row.interval))


def _differences(screen: Console, summary: ComparisonSummary, title: str, rows: Sequence[DifferenceRow]) -> Table:
    p = "p (Holm)" if len(summary.models) > 2 else "p"
    head = ("", "difference", interval_title(summary.level), p, "better")
    cells = [_difference(row, summary.level) for row in rows]
    widths = _widths([head, *cells], screen.width, whole=(1, 2, 3))
    if widths is None:  # no room for columns: a line of text for each
        lines = [_in_a_line(p, *row) for row in cells]
        return grid(screen, ("", f"{head[1]} [{head[2]}]"), lines, title)
    table = _table(screen, title=title)
    for name, width in zip(head, widths, strict=True):
        table.add_column(name, width=width, justify="right" if name in ("difference", p) else "left")
    for row in cells:
        table.add_row(*row)
    return table


def _difference(row: DifferenceRow, level: float) -> tuple[Text, str, str, str, Text]:
    conclusion = Text(printable(row.better(level)), style="bold")
    return Text(row.title), shown(row.value), interval(row.interval), row.p_shown, conclusion


def _in_a_line(p: str, name: Text, value: str, limits: str, p_value: str, conclusion: Text) -> tuple[Text, Text]:
    tested = f", {p} {p_value if p_value.startswith('<') else f'= {p_value}'}" if p_value else ""
    better = Text.assemble(": ", conclusion, " is better") if conclusion.plain else Text()
    return name, Text.assemble(f"{value} {limits}".rstrip(), tested, better)


def _widths(rows: Sequence[Sequence[object]], room: int, whole: Sequence[int] = ()) -> list[int] | None:
    """Return how wide columns are so that no word is broken, nor a cell of those that stay whole; None if there is no
    room.
    """
    columns = [[str(cell) for cell in column] for column in zip(*rows, strict=True)]
    most = [max(cell_len(cell) for cell in column) for column in columns]
    words = [max((cell_len(word) for cell in column for word in cell.split()), default=0) for column in columns]
    widths = [most[i] if i in whole else word for i, word in enumerate(words)]
    left = room - sum(widths) - _GAP * (len(widths) - 1)
    if left < 0:
        return None
    for _ in range(min(left, sum(most) - sum(widths))):  # the narrowest of those that want more is widened
        narrowest = min((i for i, width in enumerate(widths) if width < most[i]), key=widths.__getitem__)
        widths[narrowest] += 1
    return widths


def grid(
    screen: Console, columns: Sequence[str], rows: Iterable[Sequence[object]], title: str = "", *, head: bool = True
) -> Table:
    """Return a plain table of texts, broken between words if there is room for the longest of them."""
    table = _table(screen, title=title, head=head)
    columns = [printable(name) for name in columns]
    cells = [[cell if isinstance(cell, Text) else Text(printable(cell)) for cell in row] for row in rows]
    widths: Sequence[int | None] = _widths([columns, *cells], screen.width) or [None] * len(columns)
    for name, width in zip(columns, widths, strict=True):
        table.add_column(Text(name), width=width, overflow="fold")
    for row in cells:
        table.add_row(*row)
    return table


def fitted_grid(
    screen: Console, columns: Sequence[str], rows: Sequence[Sequence[str]], optional: Sequence[str], interval: str
) -> Table:
    """Return a table whose cells are never broken: where it is too wide, each interval stands below the number before
    it, and then columns are left out.

    Args:
        screen: Where it is shown.
        columns: The names of the columns.
        rows: The cells.
        optional: The columns that may be left out, the first of them first.
        interval: The column of the intervals.
    """
    head, cells = [printable(name) for name in columns], [[printable(cell) for cell in row] for row in rows]
    gap = _CLOSE

    def is_too_wide() -> bool:
        widths = [
            max(cell_len(part) for cell in column for part in cell.split("\n"))
            for column in zip(head, *cells, strict=True)
        ]
        return sum(widths) + gap * (len(widths) - 1) > screen.width

    if is_too_wide() and interval in head:
        place = head.index(interval)
        del head[place]
        cells = [
            [*row[: place - 1], "\n".join(row[place - 1 : place + 1]).rstrip(), *row[place + 1 :]] for row in cells
        ]
    for name in optional:
        if is_too_wide() and name in head:
            place = head.index(name)
            del head[place]
            cells = [[*row[:place], *row[place + 1 :]] for row in cells]
    table = _table(screen, gap=gap)
    for place, name in enumerate(head):
        table.add_column(Text(name), justify="right" if place else "left", overflow="fold", no_wrap=bool(place))
    for row in cells:
        table.add_row(*map(Text, row))
    return table


def differences(screen: Console, names: Sequence[str], rows: Iterable[Sequence[str]], level: float) -> Table:
    """Return two models on different cases: a value of each, their difference with its interval, and p where there is
    room.

    Args:
        screen: Where it is shown.
        names: What both are called.
        rows: The name of the measure, both values, the difference, its interval and p, as they are shown.
        level: The level of the intervals.
    """
    head = ["", *names, "difference", interval_title(level), "p"]
    cells = [list(map(printable, row)) for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]
    room = sum(widths) + _CLOSE * len(widths)
    if room > screen.width:  # the interval below the difference
        head[3:5] = ["difference"]
        cells = [[*row[:3], f"{row[3]}\n{row[4]}", row[5]] for row in cells]
        widths[3:5] = [max(len("difference"), widths[4])]
        if sum(widths) + _CLOSE * len(widths) > screen.width:
            head, cells = head[:-1], [row[:-1] for row in cells]
    table = _table(screen, gap=_CLOSE)
    for place, name in enumerate(head):
        title = _short(printable(name)) if place in (1, 2) else name
        table.add_column(Text(title), justify="right" if place else "left", no_wrap=True)
    for row in cells:
        table.add_row(*map(Text, row))
    return table


def say(message: str) -> None:
    """Print a message on standard error."""
    sys.stderr.write(printable(message) + "\n")
