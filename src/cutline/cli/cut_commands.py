"""The commands `cut` and `apply`: their options. Loading this module loads Typer and nothing heavier."""

from __future__ import annotations

from typing import Annotated

import typer

from cutline.cli import options as o


def cut(
    file: o.File,
    require: o.Promise = None,
    maximize: o.Maximize = None,
    minimize: o.Minimize = None,
    cost_fp: o.CostFp = None,
    cost_fn: o.CostFn = None,
    utility: o.Utility = None,
    quota: o.Quotas = None,
    share: o.CutShare = None,
    at: Annotated[
        float | None,
        typer.Option(
            "--at", help="Say what can be promised at this threshold, however it was found. Example: --at 0.31"
        ),
    ] = None,
    prevalence: o.Prevalence = None,
    confidence: o.Confidence = 0.95,
    estimates: o.Estimates = False,
    after_looking: o.AfterLooking = False,
    method: o.CutMethod = o.Method.optimum,
    label: o.Label = None,
    score: o.Score = None,
    weight: o.Weight = None,
    group: o.Group = None,
    positive: o.Positive = None,
    lower_is_positive: o.LowerIsPositive = False,
    resamples: o.Repeats = None,
    seed: o.Seed = 0,
    missing: o.MissingRows = o.Missing.error,
    format: o.FileFormat = None,
    output: o.CutFile = None,
    json: o.Json = False,
    force: o.Force = False,
    quiet: o.Quiet = False,
    plugin: o.Plugin = None,
) -> None:
    """Choose a cut, and say what can be promised of it for cases to come.

    Promises: 'recall >= 0.9', 'fpr <= 0.05', 'precision >= 0.5', 'share <= 0.02'. Exit 1 when no cut keeps them.
    """
    from cutline.cli.cut import Wish, run_cut
    from cutline.cli.reading import Columns, Reading

    columns = Columns(label, () if score is None else (score,), weight, group, None)
    reading = Reading(columns, positive, lower_is_positive, 0.5, missing.value, format and format.value)
    others = {
        "maximize": maximize,
        "minimize": minimize,
        "cost_fp": cost_fp,
        "cost_fn": cost_fn,
        "share": share,
        "prevalence": prevalence,
        "after_looking": after_looking,
        "method": method.value,
        "resamples": resamples,
        "seed": seed,
    }
    wish = Wish(tuple(require or ()), utility, tuple(quota or ()), estimates, confidence, tuple(others.items()), at)
    possible = run_cut(file, reading, wish, output, json=json, force=force, quiet=quiet)
    raise typer.Exit(0 if possible else 1)


def apply(
    cut: Annotated[
        str, typer.Argument(metavar="CUT", help="A cut, or a recalibration, that cutline wrote.", show_default=False)
    ],
    file: o.File,
    output: o.Flagged,
    score: o.Score = None,
    column: o.FlagColumn = None,
    missing: o.MissingRows = o.Missing.error,
    format: o.FileFormat = None,
    force: o.Force = False,
    quiet: o.Quiet = False,
) -> None:
    """Flag new cases by a cut, or recalibrate their probabilities: a copy of the file with one more column."""
    from cutline.cli.apply import Application, run_apply

    asked = Application(cut, file, output, score, column, missing is o.Missing.drop, format and format.value)
    run_apply(asked, force=force, quiet=quiet)
