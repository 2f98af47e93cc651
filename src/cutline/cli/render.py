"""How results look in a terminal. It computes nothing but widths and places, and loads numpy only where it draws."""

from __future__ import annotations

import math
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TextIO

from rich import box
from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from cutline.cli.text import printable
from cutline.core.atomic_write import json_text
from cutline.core.table import between, shown, shown_limits

if TYPE_CHECKING:
    from cutline.measures import Measure
    from cutline.results.comparison_summary import ComparisonSummary, DifferenceRow
    from cutline.results.notes import Note
    from cutline.results.summary import Row, Summary

_WITH_STRIP = 76  # columns of a terminal from which there is room for the strip
_WIDE = 100  # ... for a long one
_WITH_BASELINE = 56
_VALUE = 24  # what a value with its interval takes
_GAP = 3  # between two columns
_NUMBERS = ((_WIDE, 67), (_WITH_STRIP, 54), (_WITH_BASELINE, 40), (0, 29))  # what the columns beside the names take
# Tables with a line under their head and none between columns.
_LINES = box.Box("\n".join(("    ", "    ", " ── ", "    ", "    ", "    ", "    ", "    ")))
_ASCII = box.Box("\n".join(("    ", "    ", " -- ", "    ", "    ", "    ", "    ", "    ")), ascii=True)


_UNKNOWN = 80  # columns of a terminal that does not say how wide it is


class _Screen(Console):
    """A console whose reader may leave: the work goes on, and the exit code stays what it says."""

    def on_broken_pipe(self) -> None:
        """Write no more."""
        self.quiet = True
        _silence(sys.stdout)


def _silence(stream: TextIO) -> None:
    """Send what is still written to a stream nowhere, so that nothing fails when Python ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


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
        _silence(sys.stdout)


def console(*, error: bool = False) -> Console:
    """The console of standard output or error; nothing in a text is taken for markup."""
    screen = _Screen(stderr=error, markup=False, highlight=False, emoji=False, soft_wrap=False)
    if screen.width < 1:  # as in an environment with COLUMNS=0, where nothing at all would be shown
        screen.width = _UNKNOWN
    return screen


def ascii_only(screen: Console) -> bool:
    """Whether the terminal can draw plain ASCII alone."""
    return not (screen.encoding or "").lower().startswith("utf")


def evaluation(screen: Console, summary: Summary) -> RenderableType:
    """One model: what was evaluated, the counts at the cut, and the measures by question."""
    parts = [_heading(summary), *_first_warnings(screen, summary.notes), Text(), _confusion(screen, summary)]
    parts += _questions(screen, summary)
    return Group(*parts, *_brackets(screen, summary), *_reasons(summary), Text(), _legend(screen, summary))


def _first_warnings(screen: Console, some: Iterable[Note]) -> list[RenderableType]:
    """What questions all numbers, said before them."""
    from cutline.results.notes import FIRST

    warnings = [note for note in some if note.rule in FIRST][:_MOST_WARNINGS]
    return [Text.assemble(_note_sign(note), " ", printable(note.text)) for note in warnings]


def _legend(screen: Console, summary: Summary) -> Text:
    """What the signs mean, those that are there."""
    _, inside, here, baseline, lower = _signs(screen)
    words = [f"{here} value, {inside} interval, {baseline} baseline"] if screen.width >= _WITH_STRIP else []
    if any(row.measure.better == "lower" for row in summary.rows):
        words.append(f"{lower} lower is better")
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
    from cutline.core.counts import written

    c, table = summary.counts, _table(screen)
    table.add_column(Text(summary.cut.words(summary.data.ranking)))
    for name in (*c.class_titles, "all"):
        table.add_column(Text(printable(name)), justify="right")
    table.add_row("flagged", Text(written(c.tp), style="green"), Text(written(c.fp), style="red"), written(c.flagged))
    table.add_row(
        "not flagged", Text(written(c.fn), style="red"), Text(written(c.tn), style="green"), written(c.unflagged)
    )
    return table


def _questions(screen: Console, summary: Summary) -> Iterable[RenderableType]:
    from cutline.measures import Family

    # All tables with one width of names, as far as there is room beside the numbers.
    numbers = next(taken for width, taken in _NUMBERS if screen.width >= width)
    longest = max((len(row.title) + 4 for row in summary.rows), default=0)
    names = max(12, min(longest, screen.width - numbers - _beyond(summary.rows)))
    for family in Family:
        mine = [row for row in summary.rows if row.measure.family is family]
        if mine:
            yield Text()
            yield _measures(screen, family.value, mine, summary.level, names)


def _beyond(rows: Sequence[Row]) -> int:
    """By how much the longest value and interval, as those below 0, exceed their usual room."""
    value = max((len(shown(row.value)) for row in rows if math.isfinite(row.value)), default=0)
    limits = max((len(interval(row.interval)) for row in rows), default=0)
    return max(0, value - len("0.0000")) + max(0, limits - len("[0.0000, 0.0000]"))


def _measures(screen: Console, title: str, rows: Sequence[Row], level: float, names: int) -> Table:
    table = _table(screen, title=title)
    table.add_column("", min_width=names, max_width=names, overflow="fold")
    table.add_column("value", justify="right", no_wrap=True, min_width=6)
    table.add_column(f"{100 * level:g} % interval", no_wrap=True)
    if screen.width >= _WITH_BASELINE:
        table.add_column("baseline", justify="right", no_wrap=True)
    if screen.width >= _WITH_STRIP:
        table.add_column("", no_wrap=True)
    for row in rows:
        cells: list[Any] = [
            _name(row, _signs(screen)[-1]),
            Text(shown(row.value), style="bold"),
            interval(row.interval),
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
    """Both limits, or nothing."""
    return "" if limits is None else f"[{', '.join(shown_limits(*limits))}]"


def _brackets(screen: Console, summary: Summary) -> Iterable[RenderableType]:
    """What binned scores leave certain of each value that they affect."""
    affected = [row for row in summary.rows if row.bounds is not None]
    if not affected:
        return
    table = _table(screen, title="Where the exact values lie (the scores were binned)")
    table.add_column("", overflow="fold")
    table.add_column("from and to", no_wrap=True)
    table.add_column("")
    for row in affected:
        found = row.bounds
        assert found is not None  # noqa: S101 - those without were left out
        table.add_row(Text(row.title), between(found.low, found.high), "" if found.certain else "approximate")
    yield Text()
    yield table


def _reasons(summary: Summary) -> Iterable[RenderableType]:
    """Why measures are undefined, each reason once with the measures that it holds for."""
    found: dict[str, list[str]] = {}
    for row in summary.rows:
        if row.reason and math.isnan(row.value):
            found.setdefault(row.reason, []).append(row.title)
    for reason, names in found.items():
        yield Text()
        yield Text(f"Undefined because {reason}: {', '.join(names)}", style="yellow")


def _strip(row: Row, width: int, signs: tuple[str, ...]) -> Text:
    """The range of a measure as a line: the interval on it, the value, and where the baseline stands."""
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


_MOST_WARNINGS = 3  # on a screen


def notes(some: Iterable[Note], title: str = "Notes", *, verbose: bool = True, width: int = _UNKNOWN) -> RenderableType:
    """Notes in plain words, warnings first; without `verbose` the first warnings alone, each in one line.

    Args:
        some: The notes.
        title: What stands above them.
        verbose: Whether all of them are shown in full, each with its source.
        width: The columns of the terminal, for a note in one line.
    """
    from cutline.results.notes import DATA, FIRST

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
    ordered = [note for note in ordered if note.rule not in FIRST]  # they stand above the numbers
    warnings = [note for note in ordered if note.kind == "warning"]
    left = len(ordered) - len(warnings[:_MOST_WARNINGS])
    lines = [warning_line(note, width) for note in warnings[:_MOST_WARNINGS]]
    if not left:
        more = "more: --verbose" if any("…" in line.plain for line in lines) else ""
    else:
        more = f"{left} {'more ' if lines else ''}{'note' if left == 1 else 'notes'}: --verbose"
    return Group(Text(), *lines, *([Text(f"- {more}", style="dim")] if more else []))


def _note_sign(note: Note) -> Text:
    return Text("!", style="bold yellow") if note.kind == "warning" else Text("-", style="dim")


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
    """Models on the same cases: which to choose, the value of each, and how they differ from the reference.

    Args:
        screen: Where it is shown.
        summary: The comparison.
        reference: The model that the others are compared with; the leader of the first question when None.
        pairs: Whether every pair of models has a table with intervals and p-values.
    """
    parts: list[RenderableType] = [
        Text(printable(summary.title)),
        *_first_warnings(screen, summary.notes),
        Text(),
    ]
    parts += [Text(printable(line), style="bold" if not i else "") for i, line in enumerate(summary.statements)]
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
    """What the marks mean, and which correction was used."""
    best, alike = _marks(screen)
    words = f"{best} best, {alike} cannot be told from it"
    if len(summary.models) == 2:
        words += f"; {best} at a difference: significant" if has_differences else ""
    else:
        words += " (Holm's correction)"
        if pairs:
            words += "; p is corrected, intervals are not"
        elif has_differences:
            words += f"; {best} in differences: significant"
    return [Text(), Text(words, style="dim")]


def _marks(screen: Console) -> tuple[str, str]:
    return ("*", "~") if ascii_only(screen) else ("★", "≈")


_TITLE, _CELL, _CLOSE = 23, 9, 2  # columns of a terminal: the name of a measure, a value of many models, the gap
_WITH_DIFFERENCE, _WITH_P = 54, 77  # columns from which two models and their difference fit into one table; with p
_INTERVAL = 18  # ... for an interval
_LEAST_NAME = 8  # columns for the name of a model
_MOST_DIFFERENCES = 4  # rows of differences; of more, those that decide the questions are shown


def _values(screen: Console, summary: ComparisonSummary) -> Iterable[RenderableType]:
    """The value of each measure for each model with its interval, in one table where there is room."""
    titles = {row.key: row.title for row in summary.rows}
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
    for name in by_model:
        table.add_column(Text(_short(printable(name))), justify="right", no_wrap=True, width=_CELL)
    for key, title in titles.items():
        cells = [_stacked(own.get(key), marks[key].get(name, "")) for name, own in by_model.items()]
        table.add_row(Text(title), *cells)
    yield table


def _room_for_models(screen: Console) -> int:
    """How many models fit beside the names of the measures."""
    return max(1, (screen.width - _TITLE) // (_CELL + _CLOSE))


def _models_in_rows(screen: Console, summary: ComparisonSummary) -> Iterable[RenderableType]:
    """Many models below each other, the best of the first question first, with the measures that decide."""
    from cutline.results.choices import GOALS

    rows = {row.key: row for row in summary.rows}
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
        cells = [_stacked(by_model[name].get(key), marks[key].get(name, "")) for key in keys]
        table.add_row(Text(printable(name)), *cells)
    yield table
    if len(keys) < len(rows):
        yield Text(f"{len(rows) - len(keys)} more measures: --csv, --json or --html", style="dim")


def _brief_name(measure: Measure) -> str:
    """The name of a measure for a narrow column: its own, or the shortest of its others."""
    name = measure.display_name
    return name if len(name) <= _CELL else min((*measure.aliases, name), key=len)


def _both_and_difference(screen: Console, summary: ComparisonSummary) -> RenderableType:
    """Two models side by side with their difference, in one table."""
    ((a, b),) = summary.pairs
    by_model = {name: {row.key: row for row in own.rows} for name, own in summary.models.items()}
    table = _table(screen, gap=_CLOSE)
    table.add_column("", width=min(_TITLE, screen.width - 2 * (_CELL + _CLOSE) - _INTERVAL - _CLOSE), overflow="fold")
    for name in (a, b):
        table.add_column(Text(_short(printable(name))), justify="right", no_wrap=True, width=_CELL)
    table.add_column("difference", justify="right", no_wrap=True, width=_INTERVAL)
    has_room = screen.width >= _WITH_P
    if has_room:
        table.add_column("p", justify="right", no_wrap=True)
    for row in summary.rows:
        marks = _mark_of(screen, summary, row.key)
        values = [_stacked(by_model[name].get(row.key), marks.get(name, "")) for name in (a, b)]
        cell = _marked_difference(screen, summary, row)
        if row.interval is not None:
            cell.append(f"\n{interval(row.interval)}", style="dim not bold")
        style = "bold" if row.is_significant(summary.level) else "dim"
        table.add_row(Text(row.title), *values, cell, *([Text(row.p_shown, style=style)] if has_room else []))
    return table


def _short(name: str) -> str:
    return name if cell_len(name) <= _CELL else name[: _CELL - 1] + "…"


def _stacked(row: Row | None, mark: str) -> Text:
    """A value with its mark, and its interval in small below."""
    if row is None:
        return Text()
    return _with_interval(Text(f"{shown(row.value)}{mark}", style="bold" if mark else ""), row.interval)


def _with_interval(text: Text, limits: tuple[float, float] | None) -> Text:
    """Return a value with its interval in small below."""
    if limits is not None:
        between_them = "," if min(limits) < 0 else "-"  # which would look like a sign
        text.append("\n" + between_them.join(map(_without_zero, limits)), style="dim not bold")
    return text


def _without_zero(limit: float) -> str:
    """A limit in four characters where it is a share: .823, or -.82."""
    decimals = 3 if 0 <= limit < 0.9995 else 2
    text = f"{limit:.{decimals}f}" if abs(limit) < 10 else f"{limit:.3g}"
    return text.replace("0.", ".", 1) if text.startswith(("0.", "-0.")) else text[:4]


def _mark_of(screen: Console, summary: ComparisonSummary, key: str) -> dict[str, str]:
    """The mark of the best model in a measure, and of those that cannot be told from it."""
    leader, equal = summary.best(key)
    best, alike = _marks(screen)
    return {leader: best} | dict.fromkeys(equal, alike) if leader else {}


def _from_reference(screen: Console, summary: ComparisonSummary, reference: str | None) -> Iterable[RenderableType]:
    """The difference of every other model from the reference, marked where it is significant."""
    from cutline.results.choices import DECISIVE

    base = reference or summary.reference
    rows = summary.differences_from(reference)
    titles = {row.key: row.title for row in summary.rows}
    if len(titles) > _MOST_DIFFERENCES:
        first = {choice.measure for choice in summary.choices}
        decisive = {row.key: row.title for row in summary.rows if row.measure.name in DECISIVE or row.key in first}
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
    return Text(f"{row.value:+.4f}{_marks(screen)[0] if is_sure else ' '}", style="bold" if is_sure else "")


def _value_and_interval(row: Row | None) -> tuple[str, str]:
    return ("", "") if row is None else (shown(row.value), interval(row.interval))


def _differences(screen: Console, summary: ComparisonSummary, title: str, rows: Sequence[DifferenceRow]) -> Table:
    p = "p (Holm)" if len(summary.models) > 2 else "p"
    head = ("", "difference", f"{100 * summary.level:g} % interval", p, "better")
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
    """How wide columns are so that no word is broken, nor a cell of those that stay whole; None if there is no room."""
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
    """A plain table of texts, broken between words if there is room for the longest of them."""
    table = _table(screen, title=title, head=head)
    cells = [[cell if isinstance(cell, Text) else Text(printable(cell)) for cell in row] for row in rows]
    widths: Sequence[int | None] = _widths([columns, *cells], screen.width) or [None] * len(columns)
    for name, width in zip(columns, widths, strict=True):
        table.add_column(Text(name), width=width, overflow="fold")
    for row in cells:
        table.add_row(*row)
    return table


def say(message: str) -> None:
    """A message beside the result: on standard error."""
    sys.stderr.write(printable(message) + "\n")
