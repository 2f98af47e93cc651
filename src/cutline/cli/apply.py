"""`cutline apply`: flag the cases of a file by a cut, or recalibrate their probabilities, in a copy of the file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.text import Text

from cutline.calibration.recalibration import Recalibration, in_sql
from cutline.cli import render
from cutline.cli.progress import waiting
from cutline.cli.text import printable, quoted
from cutline.core import writing
from cutline.core.errors import ParameterError
from cutline.cuts.cut import Cut
from cutline.inputs.flagging import Cases, Flags
from cutline.inputs.predictions import check_probabilities
from cutline.loading import load

_KINDS = {
    ".csv": "csv", ".parquet": "parquet", ".pq": "parquet", ".json": "json", ".jsonl": "json", ".ndjson": "json",
    ".arrow": "arrow", ".feather": "arrow",
}  # fmt: skip
_COMPRESSED = {".gz": "gzip", ".zst": "zstd"}  # text, as it is read too


@dataclass(frozen=True)
class Application:
    """What is flagged where."""

    cut: str
    file: str
    out: Path
    score: str | None = None
    column: str | None = None
    drop: bool = False
    format: str | None = None


def run_apply(asked: Application, *, force: bool, quiet: bool) -> None:
    """Copy the cases of a file with a column that says whether a cut flags them, or has better probabilities.

    Args:
        asked: The cut or recalibration, the file and where the copy goes.
        force: Whether a file may be replaced.
        quiet: Whether nothing is printed.
    """
    found = load(asked.cut)
    if isinstance(found, Recalibration):
        _recalibrate(found, asked, force=force, quiet=quiet)
    else:
        _flag(found, asked, force=force, quiet=quiet)


def _kind(asked: Application, *, force: bool) -> str:
    compression = _COMPRESSED.get(asked.out.suffix.lower())
    kind = _KINDS.get(Path(asked.out.stem if compression else asked.out.name).suffix.lower())
    if kind is None or (compression and kind not in ("csv", "json")):
        known = f"{', '.join(_KINDS)}, or with .gz or .zst after the name of a text file"
        raise ParameterError(f"--output is {str(asked.out)!r}", f"pass a path that ends in {known}")
    writing.check(asked.out, overwrite=force)
    return f"{kind}.{compression}" if compression else kind


def _recalibrate(found: Recalibration, asked: Application, *, force: bool, quiet: bool) -> None:
    """Copy the cases with a column of recalibrated probabilities."""
    kind = _kind(asked, force=force)
    with waiting("Recalibrating", quiet=quiet), Cases(asked.file, asked.format) as cases:
        score = asked.score or _only_score(cases)
        column = asked.column or "recalibrated"
        check_probabilities("Recalibration", *cases.limits(score))
        expression, functions = in_sql(found)
        with writing.filling(asked.out, overwrite=force) as unfinished:
            how: dict[str, Any] = {"column": column, "drop": asked.drop, "functions": functions}
            count = cases.derive(score, expression, unfinished, kind, **how)
    if not quiet:
        text = f"{count} cases: {quoted(column)} is {quoted(score)} recalibrated ({found.method})"
        render.console().print(Text(f"{text}: {printable(str(asked.out))}"))


def _flag(cut: Cut, asked: Application, *, force: bool, quiet: bool) -> None:
    """Copy the cases with a column that says whether the cut flags them."""
    cut.require()
    kind = _kind(asked, force=force)
    with waiting("Flagging", quiet=quiet), Cases(asked.file, asked.format) as cases:
        score = asked.score or _only_score(cases)
        flags = Flags(score, cut.threshold, cut.higher_is_positive, asked.column or "flagged", asked.drop)
        with writing.filling(asked.out, overwrite=force) as unfinished:
            flagged, count = cases.flag(flags, unfinished, kind)
    if not quiet:
        screen = render.console()
        text = f"{flagged} of {count} cases are flagged by column {quoted(score)}: {printable(str(asked.out))}"
        screen.print(Text(text))
        screen.print(Text(printable(cut.statement), style="dim"))


def _only_score(cases: Cases) -> str:
    """The column that can only be meant: one with the usual name."""
    usual = [
        name for name in cases.columns if name.lower() in ("p", "score", "scores", "prob", "probability", "prediction")
    ]
    if len(usual) == 1:
        return usual[0]
    raise ParameterError(f"Which column of {cases.title} holds the scores? Pass --score.")
