"""The commands `measures`, `advise`, `demo` and `study`. Loading this module loads Typer and nothing heavier."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cutline.cli import options as o
from cutline.cli.completion import measure_names, study_names
from cutline.cli.groups import Circumstances


def measures(
    name: Annotated[
        str | None,
        typer.Argument(
            help="A measure by name or alias, or a word to look for.", show_default=False, autocompletion=measure_names
        ),
    ] = None,
    family: o.InFamily = None,
    json: o.Json = False,
    plugin: o.Plugin = None,
) -> None:
    """The command `measures`."""
    from cutline.cli.measures import run_measures

    run_measures(name, family and family.value, json)


def advise(situation: Circumstances, json: o.Json = False) -> None:
    """The command `advise`."""
    from cutline.cli.advise import run_advise

    run_advise(vars(situation) | {"goal": situation.goal and situation.goal.value}, json)


def demo(html: o.Html = None, force: o.Force = False) -> None:
    """The command `demo`."""
    from cutline.cli.demo import run_demo

    run_demo(html, force=force)


def study(
    name: Annotated[
        str | None, typer.Argument(help="The name of a study.", show_default=False, autocompletion=study_names)
    ] = None,
    list: Annotated[bool, typer.Option("--list", help="List the studies. Example: cutline study --list")] = False,
    data: Annotated[
        Path | None,
        typer.Option(help="A folder with the data sets as CSV files, for the study quota. Example: --data uci"),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="The folder to write to; study-NAME when left out. Example: --out results")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A short version, in less than two minutes.")] = False,
    seed: o.Seed = 0,
    jobs: Annotated[int, typer.Option(min=1, help="How many processes work at the same time. Example: --jobs 4")] = 2,
    quiet: o.Quiet = False,
) -> None:
    """The command `study`."""
    from cutline.cli.study import list_studies, run_study
    from cutline.core.errors import ParameterError

    if list:
        list_studies()
    elif name is None:
        raise ParameterError("Pass the name of a study, or --list to see them.")
    else:
        run_study(name, data, out, quick, seed, jobs, quiet)
