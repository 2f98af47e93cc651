"""`cutline rank`: the ranking of predictions in a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from cutline.cli import options as o
from cutline.cli.command import command, option
from cutline.cli.options import ColumnOptions, Reading
from cutline.cli.output import describe_guesses, say
from cutline.core import atomic_write

if TYPE_CHECKING:
    from cutline.core.ranking import Ranking


@command
@o.RANKING_FILE
@o.FILES
@o.LABEL
@o.SCORE
@o.WEIGHT
@o.POSITIVE
@o.LOWER_IS_POSITIVE
@option(
    "--threshold",
    type=float,
    group=o.READING,
    advanced=True,
    help="A threshold that no bin may straddle, if scores are binned. Example: --threshold 0.3",
)
@o.MISSING
@o.FORMAT
@o.MEMORY
@o.EXACT
@o.FORCE
@o.QUIET
def rank(
    files: tuple[str, ...],
    output: Path,
    label: str | None,
    score: str | None,
    weight: str | None,
    positive: str | None,
    lower_is_positive: bool,
    threshold: float | None,
    missing: Literal["error", "drop"],
    format: str | None,
    memory: str | None,
    exact: bool,
    force: bool,
    quiet: bool,
) -> None:
    """Write the ranking of predictions to a file."""
    from cutline.cli.reading import read_ranking

    reading = Reading(
        ColumnOptions(label, () if score is None else (score,), weight),
        positive=positive,
        lower_is_positive=lower_is_positive,
        threshold=threshold,
        missing=missing,
        format=format,
        memory=memory,
        exact=exact,
    )
    atomic_write.check(output, overwrite=force)
    ranking, guesses = read_ranking(files, reading, quiet=quiet)
    ranking.save(output, overwrite=force)
    if guesses and not quiet:
        say(describe_guesses(guesses))
    if not quiet:
        say_ranking(ranking, output)


def say_ranking(ranking: Ranking, output: Path, parts: float | None = None) -> None:
    """Say what a ranking file holds, and how uncertain bins leave the AUC.

    Args:
        ranking: The ranking.
        output: The file.
        parts: The uncertainty of the AUC in the rankings that were merged.
    """
    from cutline.core.binned_ranking import auc_width

    width = auc_width(ranking)
    cost = ""
    if width:
        least = "" if parts is None else f" (at most {parts:.2g} in the parts)"
        cost = f" The bins leave the AUC certain to {width:.2g}{least}."
    say(f"{ranking!r} is in {output}.{cost}")
