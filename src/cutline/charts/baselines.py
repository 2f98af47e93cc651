"""The lines that models are measured by: the baseline and a perfect order."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from cutline.charts.layers import Series, plain_series
from cutline.charts.theme import DOTTED, Theme
from cutline.curves import Curve, CurveLine, curve_line

REFERENCE_DASHES = {"baseline": DOTTED, "perfect": (6, 2)}
MOST_REFERENCES = 4


def reference_series(curves: Mapping[str, Curve], theme: Theme, names: Mapping[str, str]) -> list[Series]:
    """Return the curves beside the curves, under the names they are to have in the legend.

    One line when all models share it, as they do on the same cases; otherwise a line for each, in the colour of the
    model; none when there would be too many to be told apart, which `apart` says.
    """
    series = []
    for reference, label in names.items():
        references = _references(curves, reference)
        dash = REFERENCE_DASHES[reference]
        if len(references) == 1:
            [line] = references.values()
            series.append(plain_series(label, line, theme.reference, dash, 1.5))
        elif len(references) <= MOST_REFERENCES:
            colour = {name: theme.colour(i) for i, name in enumerate(curves)}
            series += [
                plain_series(f"{label} ({', '.join(who)})", line, colour[who[0]], dash, 1.5)
                for who, line in references.items()
            ]
    return series


def apart(curves: Mapping[str, Curve], names: Mapping[str, str]) -> list[str]:
    """Return why there is no line of a reference, in words."""
    return [
        f"No line of {label}: the models have {len(references)} different ones."
        for reference, label in names.items()
        if len(references := _references(curves, reference)) > MOST_REFERENCES
    ]


def _from_the_start(line: CurveLine, curve: Curve) -> CurveLine:
    """Return a line known at its end only, as a ratio over one tie of all cases, is level: it begins as the curve
    does.
    """
    known, seen = np.isfinite(line.y), np.isfinite(curve.y)
    if known.sum() != 1 or not seen.any():
        return line
    ends = np.array([curve.x[seen][0], line.x[known][0]], dtype=float)
    return CurveLine(np.repeat(line.vertex[known], 2), ends, np.repeat(line.y[known], 2))


def _references(curves: Mapping[str, Curve], reference: str) -> dict[tuple[str, ...], CurveLine]:
    """Return the different lines of a reference, by the models that share each; of level lines the longest counts."""
    lines: list[tuple[list[str], CurveLine]] = []
    for name, curve in curves.items():
        line = _from_the_start(curve_line(curve.beside[reference]), curve)
        for i, (who, other) in enumerate(lines):
            if _same(line, other):
                longer = max(line, other, key=lambda one: float(one.x[-1]))
                lines[i] = ([*who, name], longer)
                break
        else:
            lines.append(([name], line))
    return {tuple(who): line for who, line in lines}


def _same(line: CurveLine, other: CurveLine) -> bool:
    level = np.ptp(line.y) == 0 and np.ptp(other.y) == 0
    if level:
        return math.isclose(line.y[0], other.y[0])
    return all(len(a) == len(b) and np.allclose(a, b) for a, b in ((line.x, other.x), (line.y, other.y)))
