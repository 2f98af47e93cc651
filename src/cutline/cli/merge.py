"""`cutline merge`: the sum of ranking files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from cutline.cli import options as o
from cutline.cli.command import FileName, argument, command
from cutline.cli.rank import say_ranking
from cutline.core import atomic_write
from cutline.core.errors import InputError, quote_if_unclear

if TYPE_CHECKING:
    from cutline.core.ranking import Ranking


@command
@o.RANKING_FILE
@argument("files", type=FileName(), nargs=-1, required=True, metavar="FILE...", help="Ranking files.")
@o.FORCE
@o.QUIET
def merge(files: tuple[str, ...], output: Path, force: bool, quiet: bool) -> None:
    """Write the sum of ranking files to a file."""
    from cutline.core import ranking_file
    from cutline.core.binned_ranking import auc_width
    from cutline.core.merging import merge as merge_rankings

    atomic_write.check(output, overwrite=force)
    parts: list[Ranking] = []
    for file in files:
        part = ranking_file.load(file)
        if parts and part.positive != parts[0].positive:
            labels = (
                f"The positive label is {parts[0].positive!r} in {quote_if_unclear(files[0])} but {part.positive!r} in"
            )
            raise InputError(f"{labels} {quote_if_unclear(file)}", "merge rankings of one kind")
        parts.append(part)
    whole = merge_rankings(parts)
    whole.save(output, overwrite=force)
    if not quiet:
        say_ranking(whole, output, max(map(auc_width, parts)))
