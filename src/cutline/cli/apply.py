"""`cutline apply`: flag the cases of a file by a cut, or recalibrate their probabilities, in a copy of the file.

The copy is a file, or goes to standard output as CSV; then what is said of it goes to standard error.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.text import Text

import cutline as cl
from cutline.cli import options as o
from cutline.cli import render
from cutline.cli.command import FileName, argument, command, option
from cutline.cli.output import write_stdout
from cutline.cli.progress import show_progress
from cutline.cli.text import escape_controls, quote
from cutline.core import atomic_write
from cutline.core.errors import ParameterError

if TYPE_CHECKING:
    from cutline.calibration.recalibration import Recalibration
    from cutline.cuts.cut import Cut
    from cutline.inputs.write_flags import CaseColumns, FirstCases

_KINDS = {
    ".csv": "csv", ".parquet": "parquet", ".pq": "parquet", ".json": "json", ".jsonl": "json", ".ndjson": "json",
    ".arrow": "arrow", ".feather": "arrow",
}  # fmt: skip
_AT_ONCE = 2**20  # characters that are printed together
_COMPRESSED = {".gz": "gzip", ".zst": "zstd"}  # text, as it is read too


@dataclass(frozen=True)
class Application:
    """A cut or map, the file it is applied to, and the target: a file or standard output."""

    file: str
    out: Path | None = None
    score: str | None = None
    column: str | None = None
    drop: bool = False
    quota: int | None = None
    format: str | None = None


@command
@argument("cut", type=FileName(), metavar="CUT", help="A cut or a recalibration that cutline wrote.")
@o.FILE
@option(
    "--output",
    "-o",
    type=o.PATH,
    group=o.OUTPUT,
    help="The copy: its suffix decides between CSV, also .csv.gz, Parquet, JSON lines and Arrow; without it, CSV is "
    "printed. "
    "Example: -o flagged.csv",
)
@o.SCORE
@option(
    "--column",
    group=o.OUTPUT,
    help="The name of the new column; flagged or recalibrated by default. Example: --column refer",
)
@option(
    "--quota",
    type=int,
    group=o.CUT,
    help="Flag this many cases of FILE, the best first; the cut tells which scores are best. Ties are flagged in the "
    "order of the rows. Example: --quota 300",
)
@o.MISSING
@o.FORMAT
@o.FORCE
@o.QUIET
def apply(
    cut: str,
    file: str,
    output: Path | None,
    score: str | None,
    column: str | None,
    quota: int | None,
    missing: str,
    format: str | None,
    force: bool,
    quiet: bool,
) -> None:
    """Copy the cases of a file with a column that says whether a cut flags them, or has better probabilities."""
    from cutline.calibration.recalibration import Recalibration
    from cutline.core.validation import check_whole

    loaded = cl.load(cut)
    if quota is not None:
        check_whole(quota, "quota", 1)
    application = Application(file, output, score, column, missing == "drop", quota, format)
    if isinstance(loaded, Recalibration):
        if quota is not None:
            raise ParameterError("--quota flags cases, which a recalibration does not", "leave it out, or pass a cut")
        _recalibrate(loaded, application, force=force, quiet=quiet)
    else:
        _flag(loaded, application, force=force, quiet=quiet)


def _check_format(out: Path | None, *, force: bool) -> str:
    if out is None:
        return "csv"
    compression = _COMPRESSED.get(out.suffix.lower())
    kind = _KINDS.get(Path(out.stem if compression else out.name).suffix.lower())
    if kind is None or (compression and kind not in ("csv", "json")):
        known = f"{', '.join(_KINDS)}, or with .gz or .zst after the name of a text file"
        raise ParameterError(f"--output is {str(out)!r}", f"pass a path that ends in {known}")
    atomic_write.check(out, overwrite=force)
    return f"{kind}.{compression}" if compression else kind


@contextmanager
def _copy(out: Path | None, *, force: bool) -> Iterator[Path]:
    """Yield the file to fill, which becomes the copy, or is printed: to a terminal without what would steer it."""
    if out is not None:
        with atomic_write.write_atomically(out, overwrite=force) as unfinished:
            yield unfinished
        return
    with tempfile.TemporaryDirectory(prefix="cutline-") as folder:
        printed = Path(folder, "copy.csv")
        yield printed
        with printed.open(encoding="utf-8", newline="") as rows:
            for part in iter(lambda: rows.read(_AT_ONCE), ""):
                write_stdout(part)


def _say_lines(lines: Sequence[str], out: Path | None) -> None:
    """Print what was done, where it is not taken for the copy."""
    screen = render.make_console(error=out is None)
    for line, style in zip(lines, ("", *["dim"] * len(lines)), strict=False):
        screen.print(Text(escape_controls(line), style=style))


def _recalibrate(recalibration: Recalibration, to: Application, *, force: bool, quiet: bool) -> None:
    """Copy the cases with a column of recalibrated probabilities."""
    from cutline.calibration.recalibration import write_in_sql
    from cutline.inputs.rank import check_probabilities
    from cutline.inputs.write_flags import CaseColumns

    kind = _check_format(to.out, force=force)
    with show_progress("Recalibrating", quiet=quiet), CaseColumns(to.file, to.format) as cases:
        score = to.score or _guess_score(cases)
        column = to.column or "recalibrated"
        check_probabilities("Recalibration", *cases.limits(score))
        expression, functions = write_in_sql(recalibration)
        with _copy(to.out, force=force) as unfinished:
            how: dict[str, Any] = {"column": column, "drop": to.drop, "functions": functions}
            count = cases.derive(score, expression, unfinished, kind, **how)
    if not quiet:
        made = f"{quote(column)} is {quote(score)} recalibrated ({recalibration.method})"
        _say_lines([f"{count} cases: {made}{_name_target(to.out)}"], to.out)


def _flag(cut: Cut, to: Application, *, force: bool, quiet: bool) -> None:
    """Copy the cases with a column that says whether the cut flags them."""
    from cutline.core.counts import add_commas
    from cutline.inputs.write_flags import CaseColumns, Flags

    cut.require()
    kind = _check_format(to.out, force=force)
    with show_progress("Flagging", quiet=quiet), CaseColumns(to.file, to.format) as cases:
        score = to.score or (cut.score if cut.score in cases.columns else None) or _guess_score(cases)
        flags = Flags(score, cut.threshold, cut.higher_is_positive, to.column or "flagged", to.drop)
        with _copy(to.out, force=force) as unfinished:
            if to.quota is not None:
                first = cases.flag_first(flags, to.quota, unfinished, kind)
                flagged, count, more = first.flagged, first.cases, _describe_first(first, cut)
            else:
                flagged, count = cases.flag(flags, unfinished, kind)
                more = [*filter(None, [cut.surprise(flagged, count)]), *_suggest_quota(cut, flagged), cut.statement]
    if not quiet:
        if cut.score not in (None, score):
            more = [f"The cut was chosen on column {quote(str(cut.score))}: is {quote(score)} the same score?", *more]
        numbers = f"{add_commas(flagged)} of {add_commas(count)} cases are flagged"
        _say_lines([f"{numbers} by column {quote(score)}{_name_target(to.out)}", *more], to.out)


def _describe_first(first: FirstCases, cut: Cut) -> list[str]:
    """Describe the last score that a quota reaches, and the cases taken among equal scores."""
    from cutline.core.counts import add_commas, format_number

    sign = ">=" if cut.higher_is_positive else "<="
    if first.taken < first.tied:
        tied = f"{add_commas(first.taken)} of the {add_commas(first.tied)} cases that tie at {first.last:g}"
        return [f"These are the first {add_commas(first.flagged)} by score, with {tied}: the first rows of the file."]
    return [f"These are the first {add_commas(first.flagged)} by score: score {sign} {format_number(first.last)}."]


def _suggest_quota(cut: Cut, flagged: int) -> list[str]:
    """Return how to fill the quota of a cut on this file, if its threshold flags another number of cases."""
    from cutline.core.counts import add_commas

    if cut.quota is None or flagged == cut.quota:
        return []
    return [f"To flag the first {add_commas(cut.quota)} of this file, add --quota {cut.quota:g}."]


def _name_target(out: Path | None) -> str:
    """Return the end of a sentence about the copy."""
    return "." if out is None else f": {out}"


def _guess_score(cases: CaseColumns) -> str:
    """Return the one column that has a usual name of scores."""
    usual = [
        name for name in cases.columns if name.lower() in ("p", "score", "scores", "prob", "probability", "prediction")
    ]
    if len(usual) == 1:
        return usual[0]
    raise ParameterError(f"Which column of {cases.title} holds the scores? Pass --score.")
