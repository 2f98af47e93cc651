"""What a shell offers after the tab key where only cutline knows it: measures, charts and studies by name."""

from __future__ import annotations

from collections.abc import Iterable

import typer


def measure_names(incomplete: str) -> list[str]:
    """The measures, by any of their names, that begin so.

    Args:
        incomplete: What was typed so far.
    """
    from cutline import MEASURES

    return _beginning(incomplete, MEASURES.names)


def measure_list(incomplete: str) -> list[str]:
    """A list of measures, of which the last is completed.

    Args:
        incomplete: What was typed so far, with commas between the measures.
    """
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in measure_names(last)]


def chart_names(ctx: typer.Context, incomplete: str) -> list[str]:
    """The charts that begin so; none for the first argument, which is a file, so that the shell offers files.

    Args:
        ctx: What stands on the line already.
        incomplete: What was typed so far.
    """
    from cutline.charts import CHARTS

    return _beginning(incomplete, CHARTS) if ctx.params.get("what") else []


def study_names(incomplete: str) -> list[str]:
    """The studies that begin so.

    Args:
        incomplete: What was typed so far.
    """
    from cutline.studies import STUDIES

    return _beginning(incomplete, STUDIES)


def _beginning(incomplete: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]
