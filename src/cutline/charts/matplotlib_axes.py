"""Charts of curves on axes of matplotlib: the same parts lines, marks and bands, in a figure of the user's own.

Nothing is imported: whoever has axes has matplotlib.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

import cutline.charts.vega_lite as alt
from cutline.charts.layers import Frame, Series, Shade, VerticalLine
from cutline.charts.marks import CUT_DASH, Mark
from cutline.core.errors import ParameterError

_MARKERS = {"circle": "o", "diamond": "D", "triangle-up": "^", "triangle-down": "v", "square": "s", "cross": "P"}
_MORE = ("bar", "rect", "point", "circle", "text")  # what a chart says beside its lines; areas only shade them
_WIDTH_OF_A_LETTER = 0.6  # of the size of the font
_USED = ("plot", "fill_between", "axvline", "set_xlim", "legend")


def check_axes(ax: Any) -> None:
    """Raise if these are not axes of matplotlib."""
    if not all(callable(getattr(ax, name, None)) for name in _USED):
        way_out = "pass axes of matplotlib, such as fig, ax = plt.subplots()"
        raise ParameterError(f"is of type {type(ax).__name__}", way_out, argument="ax")


def draw_on_axes(ax: Any, name: str, chart: alt.Chart) -> Any:
    """Draw the lines, marks and bands of a parts chart on axes, and return these.

    Args:
        ax: The axes of matplotlib.
        name: The name of the chart, for the refusal of one that is not made of lines.
        chart: The chart, whose layers know what they were made from.
    """
    frame = chart.drawn
    parts = list(_collect_parts(chart)) if isinstance(frame, Frame) else []
    has_more = any(layer.drawn is None and layer.mark.type in _MORE for layer in chart.layer or [])
    if has_more or not any(isinstance(part, Series) for part in parts):
        raise ParameterError(f"The chart {name} is not made of curves", "leave ax out, and save the picture")
    for depth, part in enumerate(parts):
        _draw(ax, part, depth)
    _set_axes(ax, frame)
    _set_title(ax, chart.title)
    if len(ax.get_legend_handles_labels()[1]) > 1:
        ax.legend(title=frame.legend, fontsize="small")
    return ax


def _collect_parts(chart: alt.Chart) -> Iterator[Any]:
    """Yield what the layers of a chart were made from."""
    for layer in chart.layer:
        yield from layer.drawn if isinstance(layer.drawn, tuple) else [layer.drawn]


def _draw(ax: Any, part: Any, depth: int) -> None:
    if isinstance(part, Series):
        style = "-" if part.dash[1:] == (0,) else (0, part.dash)
        how = {"color": part.colour, "linestyle": style, "linewidth": 0.75 * part.width, "zorder": 2 + depth / 100}
        ax.plot(part.columns["x"], part.columns["y"], label=part.name, **how)
    elif isinstance(part, Shade):
        ax.fill_between(part.x, part.low, part.high, color=part.colour, alpha=0.2, linewidth=0)
    elif isinstance(part, VerticalLine):
        ax.axvline(part.x, color=part.colour, linestyle=(0, tuple(CUT_DASH)), linewidth=1.1, label=part.name)
    elif isinstance(part, Mark):
        look = {"marker": _MARKERS[part.shape], "markeredgecolor": part.colour, "markerfacecolor": "none"}
        # Marks of several models have the colours of their lines: one entry names them all, and leaves room.
        named = part.name not in ax.get_legend_handles_labels()[1]
        label = {"label": part.name} if named or not part.model else {}
        ax.plot([part.point.x], [part.point.y], linestyle="none", markersize=8, zorder=3, **look, **label)


def _set_axes(ax: Any, frame: Frame) -> None:
    ax.set_xlabel(frame.x)
    ax.set_ylabel(frame.y)
    ax.set_xlim(*_with_room(frame.x_domain))
    ax.set_ylim(*_with_room(frame.y_domain))
    for ticks, side in ((frame.x_ticks, ax.set_xticks), (frame.y_ticks, ax.set_yticks)):
        low, high = frame.x_domain if side == ax.set_xticks else frame.y_domain
        inside = {place: name for place, name in ticks.items() if low <= place <= high}
        if inside:
            side(list(inside), list(inside.values()))


def _with_room(domain: tuple[float, float]) -> tuple[float, float]:
    """The ends of an axis, a little beyond what is drawn: matplotlib would cut lines along an edge in half."""
    room = 0.01 * (domain[1] - domain[0])
    return domain[0] - room, domain[1] + room


def _set_title(ax: Any, title: Any) -> None:
    """Set the title in lines as wide as the axes, and the subtitle where no other axes stand beside them."""
    if title is alt.Undefined:
        return
    alone = len(ax.figure.axes) == 1 and title.subtitle is not alt.Undefined
    drawn = ax.set_title(title.text, loc="left", fontsize="medium")
    points = 72 * ax.get_window_extent().width / ax.figure.dpi
    letters = max(10, int(points / (_WIDTH_OF_A_LETTER * drawn.get_fontsize())))
    lines = [title.text, *(title.subtitle if alone else ())]
    drawn.set_text("\n".join(textwrap.fill(line, letters) for line in lines))
