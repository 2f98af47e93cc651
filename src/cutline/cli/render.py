"""How results look in a terminal. The only module that draws; it computes nothing but widths and places."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterable, Sequence
from typing import Any, TextIO

from rich import box
from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from cutline.cli.text import printable
from cutline.core.counts import written
from cutline.core.table import between, shown
from cutline.measures import Family
from cutline.results.comparison_summary import ComparisonSummary, DifferenceRow
from cutline.results.notes import DATA, Note
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
    parts = [_heading(summary), Text(), _confusion(screen, summary), *_questions(screen, summary)]
    return Group(*parts, *_brackets(screen, summary), *_reasons(summary), Text(), _legend(screen, summary))


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


def _table(screen: Console, *, title: str = "", head: bool = True) -> Table:
    style = _ASCII if ascii_only(screen) else _LINES
    return Table(
        title=Text(title, style="bold") if title else None,
        title_justify="left",
        title_style="bold",
        box=style,
        show_header=head,
        pad_edge=False,
        padding=(0, 2, 0, 0),
        header_style="dim",
        show_edge=False,
    )


def _confusion(screen: Console, summary: Summary) -> RenderableType:
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
    # All tables with one width of names, as far as there is room beside the numbers.
    numbers = next(taken for width, taken in _NUMBERS if screen.width >= width)
    longest = max((len(row.title) + 4 for row in summary.rows), default=0)
    names = max(12, min(longest, screen.width - numbers))
    for family in Family:
        mine = [row for row in summary.rows if row.measure.family is family]
        if mine:
            yield Text()
            yield _measures(screen, family.value, mine, summary.level, names)


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
    return "" if limits is None else f"[{shown(limits[0])}, {shown(limits[1])}]"


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


def notes(found: Iterable[Note], title: str = "Notes") -> RenderableType:
    """Notes in plain words, one after the other, each with its source; warnings stand out."""
    table = Table.grid(padding=(0, 1))
    for note in found:
        text = Text(printable(note.text))
        if note.source != DATA:
            text.append(f" ({note.source})", style="dim")
        table.add_row(Text("!", style="bold yellow") if note.kind == "warning" else Text("-", style="dim"), text)
    return Group(Text(), Text(printable(title), style="bold"), table) if table.row_count else Group()


def comparison(screen: Console, summary: ComparisonSummary) -> RenderableType:
    """Models on the same cases: the values of each, then a line for each measure and pair, then the verdict."""
    parts: list[RenderableType] = [Text(printable(summary.title)), Text(), *_values(screen, summary)]
    for (a, b), rows in summary.pairs.items():
        parts += [Text(), _differences(screen, summary, f"{printable(a)} minus {printable(b)}", rows)]
    if len(summary.models) > 2:
        parts += [Text(), Text("p is corrected for the number of pairs (Holm); the intervals are not.", style="dim")]
    told = list(summary.verdict)
    if not any(note.rule == "dominance" for note in summary.notes) and "roc" in summary.dominance:
        told.append(summary.dominance["roc"].statement)
    if told:
        parts += [Text(), Text("Verdict", style="bold"), *(Text(printable(line)) for line in told)]
    return Group(*parts)


def _values(screen: Console, summary: ComparisonSummary) -> Iterable[RenderableType]:
    """The value of each measure for each model with its interval: side by side where there is room."""
    shown_rows = {row.key: row.title for row in summary.rows}
    by_model = {name: {row.key: row for row in one.rows} for name, one in summary.models.items()}
    level = f"{100 * summary.level:g} % interval"
    room = max((len(title) for title in shown_rows.values()), default=0) + len(by_model) * (_VALUE + 2)
    if screen.width < room:
        rows = [
            (title if not i else "", model, *_value_and_interval(own.get(name)))
            for name, title in shown_rows.items()
            for i, (model, own) in enumerate(by_model.items())
        ]
        yield grid(screen, ("", "model", "value", level), rows)
        return
    wide = [
        (title, *(" ".join(_value_and_interval(own.get(name))) for own in by_model.values()))
        for name, title in shown_rows.items()
    ]
    yield grid(screen, ("", *(f"{model} [{level}]" for model in by_model)), wide)


def _value_and_interval(row: Row | None) -> tuple[str, str]:
    return ("", "") if row is None else (shown(row.value), interval(row.interval))


def _differences(screen: Console, summary: ComparisonSummary, title: str, rows: Sequence[DifferenceRow]) -> Table:
    p = "p (Holm)" if len(summary.models) > 2 else "p"
    head = ("", "difference", f"{100 * summary.level:g} % interval", p, "conclusion")
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
    conclusion = Text(printable(row.conclusion(level)), style="bold" if row.better(level) else "")
    return Text(row.title), shown(row.value), interval(row.interval), row.p_shown, conclusion


def _in_a_line(p: str, name: Text, value: str, limits: str, p_value: str, conclusion: Text) -> tuple[Text, Text]:
    tested = f", {p} {p_value if p_value.startswith('<') else f'= {p_value}'}" if p_value else ""
    return name, Text.assemble(f"{value} {limits}".rstrip(), tested, ": ", conclusion)


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
