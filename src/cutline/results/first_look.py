"""The first look at an evaluation or a comparison: what a notebook or a terminal shows of it."""

from __future__ import annotations

import html

from cutline.core.counts import written
from cutline.core.table import Table, between
from cutline.measures import MEASURES
from cutline.results.summary import Summary


def as_text(found: Summary) -> str:
    """The headlines as text, with the counts above and the notes below."""
    c = found.counts
    cells = [("tp", c.tp), ("fp", c.fp), ("fn", c.fn), ("tn", c.tn)]
    counts = ", ".join(f"{name} {written(count)}" for name, count in cells)
    more = f"... and {len(MEASURES) - len(found)} more measures: .summary()"
    notes = [f"Note: {note}" for note in (*found.notes, *_left_out(found))]
    return "\n".join([found.title, counts, "", repr(_table(found)), more, *notes])


def as_html(found: Summary) -> str:
    """The same for a notebook."""
    notes = "".join(f"<li>{html.escape(str(note))}</li>" for note in (*found.notes, *_left_out(found)))
    return (
        f"<div><p>{html.escape(found.title)}</p>{found.counts._repr_html_()}"
        f"{_table(found)._repr_html_()}" + (f"<ul>{notes}</ul>" if notes else "") + "</div>"
    )


def models_as_text(title: str, headlines: Table, verdict: str) -> str:
    """The headlines of several models as text, with the verdict below."""
    return "\n".join([title, "", repr(headlines), "", verdict, "more: .summary()"])


def models_as_html(title: str, headlines: Table, verdict: str) -> str:
    """The same for a notebook."""
    lines = "".join(f"<li>{html.escape(line)}</li>" for line in verdict.splitlines())
    return f"<div><p>{html.escape(title)}</p>{headlines._repr_html_()}<ul>{lines}</ul></div>"


def _left_out(found: Summary) -> list[str]:
    """What a first look does not wait for, in a sentence."""
    waits = any(row.is_open for row in found.rows)
    return ["Intervals that would take more than a moment are left out; .summary() has them."] if waits else []


def _table(found: Summary) -> Table:
    rows = []
    for row in found.rows:
        exact = None if row.bounds is None else between(row.bounds.low, row.bounds.high)
        rows.append((row.title, row.value, *(row.interval or (None, None)), row.baseline, exact, row.reason))
    return Table(("measure", "value", "low", "high", "baseline", "between (bins)", "why"), tuple(rows))
