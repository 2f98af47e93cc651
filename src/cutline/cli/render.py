"""How results look in a terminal. It computes nothing but widths and places, and loads numpy only where it draws."""

from __future__ import annotations

import math
import os
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
from cutline.core.table import between, shown

if TYPE_CHECKING:
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


_MOST_WARNINGS = 3  # on a screen


def notes(found: Iterable[Note], title: str = "Notes", *, verbose: bool = True) -> RenderableType:
    """Notes in plain words, warnings first; without `verbose` the first warnings alone, and how many notes are left.

    Args:
        found: The notes.
        title: What stands above them.
        verbose: Whether all of them are shown, each with its source.
    """
    from cutline.results.notes import DATA

    ordered = sorted(found, key=lambda note: note.kind != "warning")
    shown_notes = ordered if verbose else [note for note in ordered if note.kind == "warning"][:_MOST_WARNINGS]
    table = Table.grid(padding=(0, 1))
    for note in shown_notes:
        text = Text(printable(note.text))
        if verbose and note.source != DATA:
            text.append(f" ({note.source})", style="dim")
        table.add_row(Text("!", style="bold yellow") if note.kind == "warning" else Text("-", style="dim"), text)
    left = len(ordered) - len(shown_notes)
    if left:
        more = f"{left} more {'note' if left == 1 else 'notes'}: --verbose"
        table.add_row(Text("-", style="dim"), Text(more, style="dim"))
    return Group(Text(), Text(printable(title), style="bold"), table) if table.row_count else Group()


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
    parts: list[RenderableType] = [Text(printable(summary.title)), Text()]
    parts += [Text(printable(line), style="bold" if not i else "") for i, line in enumerate(summary.statements)]
    parts += [Text(), *_values(screen, summary)]
    if pairs or len(summary.models) == 2:
        for (a, b), rows in summary.pairs.items():
            parts += [Text(), _differences(screen, summary, f"{printable(a)} minus {printable(b)}", rows)]
    else:
        parts += [Text(), *_from_reference(screen, summary, reference)]
    return Group(*parts, *_comparison_legend(screen, summary, pairs=pairs))


def _comparison_legend(screen: Console, summary: ComparisonSummary, *, pairs: bool) -> list[RenderableType]:
    """What the marks mean, and which correction was used."""
    best, alike = _marks(screen)
    words = f"{best} best, {alike} cannot be told from the best"
    if len(summary.models) > 2:
        words += " (Holm's correction for the pairs of models)"
        words += "; p is corrected, the intervals are not." if pairs else f"; {best} in differences: significant."
    return [Text(), Text(words, style="dim")]


def _marks(screen: Console) -> tuple[str, str]:
    return ("*", "~") if ascii_only(screen) else ("★", "≈")


_TITLE, _CELL, _CLOSE = 23, 9, 2  # columns of a terminal: the name of a measure, a value of many models, the gap
_MOST_DIFFERENCES = 8  # rows of differences; of more, those that decide the questions are shown


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
    for names in _blocks(list(by_model), screen.width):
        table = _table(screen, gap=_CLOSE)
        table.add_column("", width=_TITLE, overflow="fold")
        for name in names:
            table.add_column(Text(_short(printable(name))), justify="right", no_wrap=True, width=_CELL)
        for key, title in titles.items():
            cells = [_stacked(by_model[name].get(key), marks[key].get(name, "")) for name in names]
            table.add_row(Text(title), *cells)
        yield table


def _blocks(names: Sequence[str], width: int) -> list[Sequence[str]]:
    """The models in blocks that fit beside the names of the measures."""
    room = max(1, (width - _TITLE) // (_CELL + _CLOSE))
    return [names[i : i + room] for i in range(0, len(names), room)]


def _short(name: str) -> str:
    return name if cell_len(name) <= _CELL else name[: _CELL - 1] + "…"


def _stacked(row: Row | None, mark: str) -> Text:
    """A value with its mark, and its interval in small below."""
    if row is None:
        return Text()
    text = Text(f"{shown(row.value)}{mark}", style="bold" if mark else "")
    if row.interval is not None:
        between_them = "," if min(row.interval) < 0 else "-"  # which would look like a sign
        text.append("\n" + between_them.join(map(_without_zero, row.interval)), style="dim not bold")
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
        titles = {row.key: row.title for row in summary.rows if row.measure.name in DECISIVE}
    mark = _marks(screen)[0]
    for names in _blocks([name for name in summary.models if name != base], screen.width):
        table = _table(screen, title=f"Difference from {printable(base)}", gap=_CLOSE)
        table.add_column("", width=_TITLE, overflow="ellipsis", no_wrap=True)
        for name in names:
            table.add_column(Text(_short(printable(name))), justify="right", no_wrap=True, width=_CELL)
        for key, title in titles.items():
            cells = []
            for name in names:
                row = rows.get(key, {}).get(name)
                is_sure = row is not None and row.is_significant(summary.level)
                cells.append(
                    Text(
                        "" if row is None or math.isnan(row.value) else f"{row.value:+.4f}{mark if is_sure else ' '}",
                        style="bold" if is_sure else "",
                    )
                )
            table.add_row(Text(title), *cells)
        yield table


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
