"""Text that is safe to show, as nothing that came from a file can steer the terminal, and the screen that shows it."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TextIO

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from cutline.core.errors import CutlineError, format_error
from cutline.core.escaping import is_plain, spell_out
from cutline.core.messages import Argument, render

if TYPE_CHECKING:
    from cutline.results.notes import Note

# The options of arguments that have another name on the command line, or are a flag there.
_COLUMNS = {"labels": "--label", "scores": "--score", "weights": "--weight", "groups": "--group", "strata": "--stratum"}
_FLAGS = {
    "overwrite": "--force",
    "higher_is_positive": "--lower-is-positive",
    "after_looking": "--after-looking",
    "exact": "--exact",
}
# The arguments whose options are called like them.
_SAME = ("positive", "threshold", "quota", "share", "level", "seed", "resamples", "missing", "format", "measures", "id",
         "name", "prevalence", "cost_fp", "cost_fn", "width", "height", "dpi", "theme", "title",
         "maximize", "minimize", "utility", "confidence", "method", "memory", "dialect",
         "weights_are", "portions", "value", "cost", "digits", "training_prevalence", "folds",
         "repeats", "rope", "control", "quota_by",
         "auc", "auc_width", "auc_method", "other_auc", "correlation", "oe_width", "slope_width", "intercept_width",
         "recall", "recall_width", "specificity", "specificity_width", "net_benefit_width", "discordant", "log_odds",
         "power", "by", "worse_by", "matures", "alarm",
         "primary", "reference", "goal", "alternative", "margin", "adjust", "features", "least", "depth", "test",
         "bins")  # fmt: skip

OPTIONS = {
    "table": "--from",
    "risks": "--risk",
    **_COLUMNS,
    **_FLAGS,
    **{name: "--" + "-".join(name.split("_")) for name in _SAME},
}


class OptionWords:
    """The words of the command line: options for arguments, rows for positions."""

    def argument(self, mentioned: Argument) -> str:
        """Return the option, with its value as one types it."""
        option = OPTIONS.get(mentioned.name, mentioned.name)
        if mentioned.value is None or mentioned.name in _FLAGS:
            return option
        return f"{option} {_quote_value(mentioned.value)}"

    def subject(self, name: str) -> str:
        """Return the option; what a column holds is said of the column, which the option only names."""
        return name if name in _COLUMNS else OPTIONS.get(name, name)

    def place(self, position: int) -> str:
        """Return a row, counted from one."""
        return f"in row {position + 1}"


_WORDS = OptionWords()


def _quote_value(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else shlex.quote(str(value))


def name_options(message: str | CutlineError) -> str:
    """Return a text or a refusal of the package in the words of the command line.

    >>> from cutline.core.messages import Text
    >>> name_options(Text("If it is known, pass ", Argument("quota", 30), "."))
    'If it is known, pass --quota 30.'
    """
    return format_error(message, _WORDS) if isinstance(message, CutlineError) else render(message, _WORDS)


def name_options_in_notes(notes: Iterable[Note]) -> tuple[Note, ...]:
    """Return notes in the words of the command line."""
    return tuple(replace(note, text=name_options(note.text)) for note in notes)


def escape_controls(text: object) -> str:
    r"""Return the text with control characters, escape sequences and marks that turn the line written out.

    >>> escape_controls("a\x1b[31mb\n")
    'a\\x1b[31mb\\n'
    """
    return spell_out(str(text))


class Screen(Console):
    """A console that ignores a closed pipe: the command continues, with its usual exit code."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield the segments to print, with control characters escaped."""
        for segment in super().render(renderable, options):
            text = segment.text
            if segment.control or text.isprintable() or text == "\n":
                yield segment
            else:
                yield segment._replace(text="\n".join(map(escape_controls, text.split("\n"))))

    def on_broken_pipe(self) -> None:
        """Write no more."""
        self.quiet = True
        redirect_to_null(sys.stdout)


def redirect_to_null(stream: TextIO) -> None:
    """Redirect a closed stream to null, so that nothing fails when Python ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def quote(text: object) -> str:
    """Return a name from a file, printable and between quotes."""
    return f"'{escape_controls(text)}'"


def strip_controls(text: object) -> str:
    """Return the text without characters that XML cannot hold, and without marks of writing direction."""
    return "".join(character for character in str(text) if character in "\t\n" or is_plain(character))
