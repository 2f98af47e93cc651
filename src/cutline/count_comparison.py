"""Hard classifiers, known by their tables of counts alone: every measure, and the order it gives."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from cutline.core.counts import Counts
from cutline.core.errors import InputError, ParameterError
from cutline.core.public import public
from cutline.core.table import Table
from cutline.measures import MEASURES, Measure, Needs
from cutline.measures.registry import each_of

_EQUAL = 1e-12


@public
def compare_counts(
    tables: Mapping[str, Counts], measures: Iterable[str | Measure] | str | Measure | None = None
) -> Table:
    """Return the measures of several hard classifiers side by side, and the order in which each puts them.

    Without the cases themselves nothing can be said of differences: `mcnemar` needs to know who was right on which.

    >>> from cutline.examples import load
    >>> found = compare_counts(load("murphy_table_4").tables, ["accuracy", "mutual_information"])
    >>> [row["order"] for row in found]
    ['A = B > C', 'B > C > A']

    Args:
        tables: The counts of each classifier by its name; shares of all cases will do.
        measures: The measures of one cut that are wanted; all of them unless told.
    """
    _check(tables)
    chosen = (
        MEASURES.search(needs=Needs.COUNTS)
        if measures is None
        else [MEASURES[measure] for measure in each_of(measures)]
    )
    other = next((measure for measure in chosen if measure.needs is not Needs.COUNTS), None)
    if other is not None:
        raise ParameterError(f"{other.name} is not a measure of one cut, and a table is no more", "leave it out")
    rows = []
    for measure in chosen:
        values = {name: float(measure.compute(table)) for name, table in tables.items()}
        rows.append((str(measure), measure.title, *values.values(), order(values, measure.better)))
    return Table(("measure", "title", *tables, "order"), tuple(rows), hidden=("title",))


def _check(tables: Any) -> None:
    if not isinstance(tables, Mapping) or not tables:
        raise InputError(
            "No tables were given", "pass counts by name, such as {'A': cl.Counts(tp=9, fp=1, fn=0, tn=0)}"
        )
    for name, table in tables.items():
        if not isinstance(table, Counts) or np.ndim(table.tp):
            problem = f"What is given for {name!r} is no table of one cut"
            raise InputError(problem, "pass cl.Counts, or ev.at(threshold=0.5)")


def order(values: Mapping[str, float], better: str | None) -> str:
    """Return the names from the best to the worst, equal ones joined by =; undefined ones are left out.

    >>> order({"A": 0.9, "B": 0.9, "C": 0.88}, "higher")
    'A = B > C'
    """
    known = {name: value for name, value in values.items() if not math.isnan(value)}
    if better is None or len(known) < 2:
        return "no order"
    ranked = sorted(known, key=lambda name: (-known[name] if better == "higher" else known[name], name))
    text = ranked[0]
    for before, name in itertools.pairwise(ranked):
        same = known[before] == known[name] or abs(known[before] - known[name]) <= _EQUAL
        text += f" {'=' if same else '>'} {name}"
    return text if len(known) == len(values) else f"{text} (the others are undefined)"
