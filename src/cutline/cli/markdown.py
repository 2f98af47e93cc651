"""The results of a gate as Markdown, for the summary of a build or a comment on a pull request."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from cutline.cli.text import without_controls
from cutline.core.table import shown

if TYPE_CHECKING:
    from cutline.cli.check import Outcome, Result

_SPECIAL = str.maketrans({mark: f"\\{mark}" for mark in "\\`*_[]|#~"})


def document(outcome: Outcome) -> bytes:
    """A heading, a sentence, and a table with what failed first."""
    heads = ("", "requirement", "found", f"{100 * outcome.level:g} % interval", "why")
    rows = [_row(result) for result in sorted(outcome.results, key=lambda result: result.passed)]
    table = [heads, tuple("---" for _ in heads), *rows]
    lines = [f"### cutline check: {_plain(outcome.file)}", "", outcome.conclusion, ""]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in table), ""]).encode()


def _row(result: Result) -> tuple[str, ...]:
    state = result.state if result.passed else f"**{result.state}**"
    return state, _plain(result.requirement), shown(float(result.value)), result.interval, _plain(result.reason)


def _plain(text: str) -> str:
    """Text that no reader of Markdown takes for marks or tags."""
    return html.escape(" ".join(without_controls(text).split()), quote=False).translate(_SPECIAL)
