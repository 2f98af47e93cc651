"""How results look in a terminal. The only module that draws; it computes nothing but widths and places."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TextIO

from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from cutline.advice import Note
from cutline.cli.text import as_options, printable
from cutline.comparison import Comparison
from cutline.core.counts import written
from cutline.core.table import p_shown, shown
from cutline.evaluation import Evaluation
from cutline.results.notes import DATA
from cutline.measures import MEASURES, Family

_WITH_STRIP = 76  # columns of a terminal from which there is room for the strip
_WIDE = 100  # ... for a long one
_WITH_RANDOM = 56
_NUMBERS = ((_WIDE, 65), (_WITH_STRIP, 52), (_WITH_RANDOM, 38), (0, 29))  # what the columns beside the names take
# Tables with a line under their head and none between columns.
_LINES = box.Box("\n".join(("    ", "    ", " ── ", "    ", "    ", "    ", "    ", "    ")))
_ASCII = box.Box("\n".join(("    ", "    ", " -- ", "    ", "    ", "    ", "    ", "    ")), ascii=True)


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
    """A text on standard output, for as long as somebody reads it."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        _silence(sys.stdout)


def console(*, error: bool = False) -> Console:
    """The console of standard output or error; nothing in a text is taken for markup."""
    return _Screen(stderr=error, markup=False, highlight=False, emoji=False, soft_wrap=False)


def ascii_only(screen: Console) -> bool:
    """Whether the terminal can draw plain ASCII alone."""
    return not (screen.encoding or "").lower().startswith("utf")


def evaluation(screen: Console, ev: Evaluation, rows: Sequence[Mapping[str, Any]], level: float) -> RenderableType:
    """One model: what was evaluated, the counts at the cut, and the measures by question."""
    parts = [_heading(ev), Text(), _confusion(screen, ev), *_questions(screen, rows, level)]
    return Group(*parts, Text(), _legend(screen, rows))


def _legend(screen: Console, rows: Sequence[Mapping[str, Any]]) -> Text:
    """What the signs mean, those that are there."""
    _, inside, here, random, lower = _signs(screen)
    words = [f"{here} value, {inside} interval, {random} random model"] if screen.width >= _WITH_STRIP else []
    if any(row["better"] == "lower" for row in rows):
        words.append(f"{lower} lower is better")
    return Text("; ".join(words), style="dim")


def _signs(screen: Console) -> tuple[str, str, str, str, str]:
    return (".", "=", "O", "|", "(-)") if ascii_only(screen) else ("·", "━", "●", "│", "↓")


def _heading(ev: Evaluation) -> Text:
    r = ev.ranking
    line = Text()
    line.append(printable(ev.name or "model"), style="bold")
    share = f"{100 * float(r.positives) / float(r.total):.3g} %"
    line.append(f"  {written(r.total)} cases, {written(r.positives)} positive ({share}; positive is ")
    line.append(printable(repr(r.positive)), style="cyan")
    dropped = f", {r.dropped} dropped" if r.dropped else ""
    line.append(f"), {len(r)} distinct scores{dropped}")
    return line


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


def _confusion(screen: Console, ev: Evaluation) -> RenderableType:
    c, rule = ev.counts, ">=" if ev.ranking.higher_is_positive else "<="
    table = _table(screen)
    table.add_column(Text(f"score {rule} {ev.threshold:g}"))
    for name in ("positive", "negative", "all"):
        table.add_column(Text(name), justify="right")
    table.add_row("flagged", Text(written(c.tp), style="green"), Text(written(c.fp), style="red"), written(c.flagged))
    table.add_row(
        "not flagged", Text(written(c.fn), style="red"), Text(written(c.tn), style="green"), written(c.unflagged)
    )
    return table


def _questions(screen: Console, rows: Sequence[Mapping[str, Any]], level: float) -> Iterable[RenderableType]:
    # All tables with one width of names, as far as there is room beside the numbers.
    numbers = next(taken for width, taken in _NUMBERS if screen.width >= width)
    names = max(12, min(max((len(_name(row, "")) + 2 for row in rows), default=0), screen.width - numbers))
    for family in Family:
        mine = [row for row in rows if row["family"] == family.name.lower()]
        if mine:
            yield Text()
            yield _measures(screen, family.value, mine, level, names)


def _measures(screen: Console, title: str, rows: Sequence[Mapping[str, Any]], level: float, names: int) -> Table:
    table = _table(screen, title=title)
    table.add_column("", min_width=names, max_width=names, overflow="fold")
    table.add_column("value", justify="right", no_wrap=True, min_width=6)
    table.add_column(f"{100 * level:g} % interval", no_wrap=True)
    if screen.width >= _WITH_RANDOM:
        table.add_column("random", justify="right", no_wrap=True)
    if screen.width >= _WITH_STRIP:
        table.add_column("", no_wrap=True)
    for row in rows:
        cells: list[Any] = [_name(row, _signs(screen)[-1]), Text(shown(row["value"]), style="bold"), _interval(row)]
        if screen.width >= _WITH_RANDOM:
            cells.append(Text(shown(row["knowing nothing"]), style="dim"))
        if screen.width >= _WITH_STRIP:
            cells.append(_strip(row, 24 if screen.width >= _WIDE else 11, _signs(screen)))
        table.add_row(*cells)
    return table


def _name(row: Mapping[str, Any], lower: str) -> Text:
    name = Text(row["title"])
    inside = row["measure"].partition("(")[2].rstrip(")")
    for more in (inside, row["unit"]):
        if more:
            name.append(f" ({more})", style="dim")
    return name.append(f" {lower}", style="dim") if row["better"] == "lower" else name


def _interval(row: Mapping[str, Any]) -> Text:
    if row["reason"] and math.isnan(row["value"]):
        return Text(row["reason"], style="yellow", overflow="fold", no_wrap=False)
    return Text("" if row["low"] is None else f"[{shown(row['low'])}, {shown(row['high'])}]")


def _strip(row: Mapping[str, Any], width: int, signs: tuple[str, ...]) -> Text:
    """The range of a measure as a line: the interval on it, the value, and where a random model stands."""
    low, high = MEASURES[row["measure"].partition("(")[0]].range
    if not (math.isfinite(low) and math.isfinite(high) and math.isfinite(row["value"])):
        return Text()

    def place(value: float) -> int:
        return min(width - 1, max(0, round((value - low) / (high - low) * (width - 1))))

    empty, inside, here, random, _ = signs
    cells = [(empty, "dim")] * width
    if row["knowing nothing"] is not None and math.isfinite(row["knowing nothing"]):
        cells[place(row["knowing nothing"])] = (random, "dim")
    if row["low"] is not None and math.isfinite(row["low"]):
        for i in range(place(row["low"]), place(row["high"]) + 1):
            cells[i] = (inside, "blue")
    cells[place(row["value"])] = (here, "bold blue")
    return Text.assemble(*cells)


def notes(found: Iterable[Note]) -> RenderableType:
    """Notes in plain words, one after the other, each with its source; warnings stand out."""
    table = Table.grid(padding=(0, 1))
    for note in found:
        text = Text(printable(as_options(note.text)))
        if note.source != DATA:
            text.append(f" ({note.source})", style="dim")
        table.add_row(Text("!", style="bold yellow") if note.kind == "warning" else Text("-", style="dim"), text)
    return Group(Text(), Text("Notes", style="bold"), table) if table.row_count else Group()


def comparison(screen: Console, cmp: Comparison, rows: Sequence[Mapping[str, Any]], level: float) -> RenderableType:
    """Models on the same cases: a line for each measure and pair."""
    r = cmp.pairing.rankings[0]
    share = f"{100 * float(r.positives) / float(r.total):.3g} %"
    dropped = f", {r.dropped} dropped" if r.dropped else ""
    head = Text(f"{len(cmp)} models on the same {written(r.total)} cases, {written(r.positives)} positive ({share}; ")
    head.append(f"positive is {printable(repr(r.positive))}{dropped})")
    parts: list[RenderableType] = [head]
    for a, b in dict.fromkeys((row["a"], row["b"]) for row in rows):
        table = _table(screen, title=f"{printable(a)} minus {printable(b)}")
        table.add_column("", overflow="fold", min_width=12)
        if screen.width >= _WIDE:
            table.add_column(Text(printable(a)), justify="right")
            table.add_column(Text(printable(b)), justify="right")
        for name in ("difference", f"{100 * level:g} % interval", "p", "better"):
            table.add_column(name, justify="right" if name in ("difference", "p") else "left", no_wrap=name != "better")
        for row in (row for row in rows if (row["a"], row["b"]) == (a, b)):
            both = [shown(row["value_a"]), shown(row["value_b"])] if screen.width >= _WIDE else []
            known = not math.isnan(row["low"])
            interval = f"[{shown(row['low'])}, {shown(row['high'])}]" if known else ""
            title = Text(MEASURES[row["measure"].partition("(")[0]].title)
            p = "" if math.isnan(row["p_holm"]) else p_shown(row["p_holm"]).removeprefix("= ")
            ahead = _ahead(row)
            table.add_row(title, *both, shown(row["difference"]), interval, p, Text(printable(ahead), style="bold"))
        parts += [Text(), table]
    return Group(*parts)


def _ahead(row: Mapping[str, Any]) -> str:
    """The model that is better, where the interval leaves no doubt."""
    better = MEASURES[row["measure"].partition("(")[0]].better
    if better is None or math.isnan(row["low"]) or row["low"] <= 0 <= row["high"]:
        return ""
    return str(row["a"] if (row["difference"] > 0) == (better == "higher") else row["b"])


def grid(
    screen: Console, columns: Sequence[str], rows: Iterable[Sequence[object]], title: str = "", *, head: bool = True
) -> Table:
    """A plain table of texts."""
    table = _table(screen, title=title, head=head)
    for name in columns:
        table.add_column(Text(name), overflow="fold")
    for row in rows:
        table.add_row(*(cell if isinstance(cell, Text) else Text(printable(cell)) for cell in row))
    return table


def say(message: str) -> None:
    """A remark beside the result: on standard error."""
    sys.stderr.write(printable(message) + "\n")
