"""The size of a picture, as people who print it give it: the whole of it, in pixels, millimetres or inches."""

from __future__ import annotations

import math
import re
from typing import Any

import cutline.charts.renderer as renderer
import cutline.charts.vega_lite as alt
from cutline.charts.picture import Picture
from cutline.core.errors import ParameterError

Length = float | str
_PER_UNIT = {
    "px": 1.0,
    "mm": renderer.PIXELS_PER_INCH / 25.4,
    "cm": renderer.PIXELS_PER_INCH / 2.54,
    "in": float(renderer.PIXELS_PER_INCH),
}
SMALLEST, LARGEST = 100.0, 5000.0
# What is left for the axes themselves must show something.
_LEAST_INSIDE = 40.0
# Below this width the legend stands under the chart: beside it, it would leave the chart no room.
_BESIDE = 480.0
_TRIES = 5
_CLOSE = 1 + 1e-6  # pixels; ticks that come and go with the size may keep it from coming closer


def pixels(length: Length, name: str) -> float:
    """Return a length in pixels.

    >>> pixels(400, "width"), round(pixels("85mm", "width"), 2), pixels("3 in", "height")
    (400.0, 321.26, 288.0)

    Args:
        length: A number of pixels, or text such as "85mm", "8.5 cm", "3in" or "400px".
        name: The argument, for the refusal.
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*(px|mm|cm|in)?\s*", str(length))
    if isinstance(length, bool) or match is None:
        way_out = "pass a number of pixels, or a length such as '85mm' or '3in'"
        raise ParameterError(f"is {length!r}", way_out, argument=name)
    size = float(match[1]) * _PER_UNIT[match[2] or "px"]
    if not SMALLEST <= size <= LARGEST:
        way_out = f"pass {SMALLEST:g} to {LARGEST:g} px"
        raise ParameterError(f"is {length!r}, which is {size:.0f} px", way_out, argument=name)
    return size


def resized(picture: Picture, width: Length | None, height: Length | None) -> Picture:
    """Return the picture with a width, a height or both; all that stands around the axes included.

    The axes get what the text around them leaves. How much that is depends a little on the axes, so it is measured.
    With a width alone they keep their shape, so that a diagonal stays one.

    Args:
        picture: The picture, as large as its chart is by default.
        width: The width, as `pixels` takes it; as it is if None.
        height: The height.
    """
    goal = [None if one is None else pixels(one, name) for one, name in ((width, "width"), (height, "height"))]
    is_narrow = goal[0] is not None and goal[0] < _BESIDE
    one_column = Picture(picture.name, picture.drawing, is_narrow)
    if not is_narrow or goal[1] is None:
        return _fit_size(one_column, goal)
    try:
        return _fit_size(Picture(picture.name, picture.drawing, is_narrow, 2), goal)
    except ParameterError as refusal:  # names may be too long to stand side by side
        try:
            return _fit_size(one_column, goal)
        except ParameterError:
            raise refusal from None


def _fit_size(picture: Picture, goal: list[float | None]) -> Picture:
    """Return the picture in the size that is wanted, by a few steps towards it."""
    for _ in range(_TRIES):
        now = renderer.size(renderer.svg(picture.to_dict(check=False)))
        more = [0.0 if length is None else length - is_now for length, is_now in zip(goal, now, strict=True)]
        if all(abs(step) <= _CLOSE for step in more):
            return picture
        picture = _replace_drawing(picture, _grow_axes(picture.drawing, *more, keeps_shape=goal[1] is None))
    # A millimetre to spare: next to the least size, the labels of an axis come and go with its length.
    sides = [
        f"a {side} of at least {math.ceil(max(length, length - step) / _PER_UNIT['mm']) + 1}mm"
        for side, length, step in zip(("width", "height"), goal, more, strict=True)
        if length is not None and abs(step) >= 1
    ]
    what = f"The text of the chart {picture.name} leaves its axes no room at that size"
    raise ParameterError(what, f"pass {' and '.join(sides)}")


def _replace_drawing(picture: Picture, drawing: Any) -> Picture:
    return Picture(picture.name, drawing, picture.legends_below, picture.legend_columns)


def _grow_axes(chart: Any, across: float, down: float, *, keeps_shape: bool) -> Any:
    """Return the chart with wider and higher axes: side by side they share the width, below each other the first
    grows.
    """
    grown = chart.copy(deep=False)
    if isinstance(chart, alt.HConcatChart):
        share = across / len(chart.hconcat)
        grown.hconcat = [_grow_axes(part, share, down, keeps_shape=keeps_shape) for part in chart.hconcat]
    elif isinstance(chart, alt.VConcatChart):
        first, *rest = chart.vconcat
        others = [_grow_axes(part, across, 0.0, keeps_shape=False) for part in rest]
        grown.vconcat = [_grow_axes(first, across, down, keeps_shape=keeps_shape), *others]
    else:
        grown.width = max(float(chart.width) + across, _LEAST_INSIDE)
        if down:
            grown.height = max(float(chart.height) + down, _LEAST_INSIDE)
        elif keeps_shape:
            grown.height = max(float(chart.height) * grown.width / float(chart.width), _LEAST_INSIDE)
        else:
            grown.height = chart.height
    return grown
