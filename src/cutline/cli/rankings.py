"""The work of `rank`, `merge` and `sql`, and of commands that are given a finished ranking."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Group, RenderableType
from rich.text import Text

from cutline.cli import render
from cutline.cli.evaluate import print_json
from cutline.cli.groups import Files, Named, Reading
from cutline.cli.progress import waiting
from cutline.cli.reading import read_evaluation, read_ranking
from cutline.cli.text import printable
from cutline.core import atomic_write, ranking_file
from cutline.core.binned_ranking import auc_width
from cutline.core.errors import InputError, ParameterError, shown
from cutline.core.merging import merge
from cutline.core.ranking import Ranking
from cutline.core.table import Table, between, p_number
from cutline.core.table import shown as shown_number
from cutline.independent_comparison import compare_independent
from cutline.inputs.ranking_tables import ranking_query


def run_rank(paths: Sequence[str], how: Reading, output: Path, *, force: bool, quiet: bool) -> None:
    """Write the ranking of predictions to a file."""
    if not paths:
        raise ParameterError("Pass the files of the predictions.")
    atomic_write.check(output, overwrite=force)
    ranking, guesses = read_ranking(paths, how, quiet=quiet)
    ranking.save(output, overwrite=force)
    if guesses and not quiet:
        render.say(f"The columns were guessed: {' '.join(guesses)}")
    _said(ranking, output, quiet=quiet)


def run_merge(paths: Sequence[str], output: Path, *, force: bool, quiet: bool) -> None:
    """Write the sum of ranking files to a file."""
    atomic_write.check(output, overwrite=force)
    parts: list[Ranking] = []
    for path in paths:
        part = ranking_file.load(path)
        if parts and part.positive != parts[0].positive:
            found = f"The positive label is {parts[0].positive!r} in {shown(paths[0])} but {part.positive!r} in"
            raise InputError(f"{found} {shown(path)}", "merge rankings of one kind")
        parts.append(part)
    whole = merge(parts)
    whole.save(output, overwrite=force)
    _said(whole, output, quiet=quiet, before=max(map(auc_width, parts)))


def _said(ranking: Ranking, output: Path, *, quiet: bool, before: float | None = None) -> None:
    if quiet:
        return
    width = auc_width(ranking)
    cost = ""
    if width:
        least = "" if before is None else f" (at most {before:.2g} in the parts)"
        cost = f" The bins leave the AUC certain to {width:.2g}{least}."
    render.say(f"{ranking!r} is in {output}.{cost}")


def run_independent(paths: Sequence[str], how: Reading, asked: Named, output: Files) -> None:
    """Compare two files of different cases, rankings or predictions, and show the differences.

    Args:
        paths: The two files.
        how: How predictions are read.
        asked: Which numbers are wanted.
        output: Where they go.
    """
    if output.documents or output.png:
        raise ParameterError("--independent prints a table alone", "pass --json or --csv, and no file to write")
    if len(paths) != 2:
        raise ParameterError(f"--independent compares two files (got {len(paths)})", "pass one for each set of cases")
    asked.check()
    output.check()
    first, second = (read_evaluation(path, how, Path(path).stem, quiet=output.quiet)[0] for path in paths)
    one, other = first.ranking, second.ranking
    if one.positive != other.positive or one.higher_is_positive != other.higher_is_positive:
        found = f"{shown(paths[0])} and {shown(paths[1])} differ in the positive label, or in which scores mean it"
        raise InputError(found, "pass two of one kind")
    with waiting("Resampling for the intervals", quiet=output.quiet or asked.resamples == 0):
        table = compare_independent(first, second).summary(asked.chosen, **asked.how)
    if output.json:
        print_json({"names": [first.name, second.name], "level": asked.level, "measures": table.to_dict()})
    elif output.csv:
        render.put(table.to_csv())
    else:
        render.console().print(_differences(table, asked.level))


def _differences(table: Table, level: float) -> RenderableType:
    """The values of both, their differences, between which values bins leave these, and what qualifies them."""
    screen, rows = render.console(), list(table)
    head = (
        "",
        *(name.removeprefix("value of ") for name in table.columns[1:3]),
        "difference",
        f"{100 * level:g} % interval",
        "p",
    )
    cells = [
        (
            *(row["measure"], *(shown_number(row[name]) for name in (*table.columns[1:3], "difference"))),
            "" if row["low"] is None else render.interval((row["low"], row["high"])),
            "" if row["p_value"] is None else p_number(row["p_value"]),
        )
        for row in rows
    ]
    parts: list[RenderableType] = [Text(printable(table.title)), Text(), render.grid(screen, head, cells)]
    ends = [(row["measure"], between(row["at_least"], row["at_most"])) for row in rows if row["at_least"] is not None]
    if ends:
        title = "Where the exact differences lie (the scores were binned)"
        parts += [Text(), render.grid(screen, ("", "from and to"), ends, title)]
    said = [(row["measure"], row["note"]) for row in rows if row["note"]]
    if said:
        parts += [Text(), render.grid(screen, ("", ""), said, "Notes", head=False)]
    return Group(*parts, Text(), *(Text(line) for line in table.below))


def run_sql(
    label: str, score: str, table: str, dialect: str, weight: str | None, positive: str | None, bins: int | None
) -> None:
    """Print the query of a ranking."""
    render.put(ranking_query(label, score, table, dialect, weight=weight, positive=positive, bins=bins) + "\n")
