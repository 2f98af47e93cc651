"""Charts as still pictures, so that the page is complete before its program has started: in print, in a preview."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import cutline.charts.renderer as renderer
from cutline.charts import LIGHT
from cutline.core.counts import Counts
from cutline.core.table import plain
from cutline.curves import deviates
from cutline.measures import MEASURES

MOST_BYTES = 1_100_000  # of all pictures; charts beyond are drawn by the program alone
LATER = '<p class="quiet">The program of the page draws this chart: open the page in a browser.</p>'
_CUT, _AREAS = ("cut", "live"), "areas"
_SIDES = {"x": "across", "y": "up"}


def still(chart: Mapping[str, Any], counts: Sequence[Counts], index: int) -> str:
    """Return a chart as SVG, with the cut of each of its models, whose counts are given."""
    return _slim(renderer.svg(_drop_invisible(_with_cut(chart, counts))), index)


def _drop_invisible(spec: dict[str, Any]) -> dict[str, Any]:
    """Return a specification without its invisible layers, which only catch the pointer."""
    parts = {
        key: [_drop_invisible(part) for part in spec[key] if part.get("encoding", {}).get("opacity") != {"value": 0}]
        for key in ("layer", "hconcat", "vconcat")
        if key in spec
    }
    return spec | parts


def _with_cut(chart: Mapping[str, Any], counts: Sequence[Counts]) -> dict[str, Any]:
    spec: dict[str, Any] = dict(chart["spec"])
    where = chart.get("cut")
    if not where:
        return spec
    marks = [_mark(where, counts[model], line, chart) for line, model in enumerate(chart["models"])]
    datasets = dict(spec["datasets"])
    for name in _CUT:
        if name in datasets:
            datasets[name] = [mark for mark in marks if _is_inside(mark, where)]
    if chart.get("bars"):
        datasets[_AREAS] = _areas(chart["bars"], float(counts[chart["models"][0]].threshold))
    return spec | {"datasets": datasets}


def _mark(where: Mapping[str, Any], c: Counts, line: int, chart: Mapping[str, Any]) -> dict[str, Any]:
    """Return where a cut stands, in the coordinates that the chart names."""
    several = len(chart["models"]) > 1
    colour = f"var(--line-{chart['models'][line] % len(LIGHT.lines)})" if several else "var(--ink)"
    names = where.get("series") or []
    place = {
        axis: plain(_at_the_edge(_coordinate(where[axis], c), where[axis], where.get(side)))
        for axis, side in _SIDES.items()
        if where.get(axis)
    }
    return place | {"colour": colour, "series": names[line] if line < len(names) else None}


def _at_the_edge(value: float, name: str, domain: Sequence[float] | None) -> float:
    """Move rates of 0 and 1, which have no normal deviate, to the edge of the chart."""
    return min(max(value, domain[0]), domain[-1]) if domain and name.endswith("_deviate") else value


def _coordinate(name: str, c: Counts) -> float:
    if name.endswith("_deviate"):
        return float(deviates([_coordinate(name.removesuffix("_deviate"), c)])[0])
    if name in ("threshold", "flagged", "tp"):
        return float(getattr(c, name))
    return float(MEASURES[name].compute(c))


def _is_inside(mark: Mapping[str, Any], where: Mapping[str, Any]) -> bool:
    """Whether the axes reach a mark, but for rounding."""
    for axis, side in _SIDES.items():
        if axis not in mark:
            continue
        if mark[axis] is None:
            return False
        if where.get(side):
            low, high = where[side][0], where[side][-1]
            room = 1e-9 * (abs(low) + abs(high))
            if not low - room <= mark[axis] <= high + room:
                return False
    return True


def _areas(bars: Sequence[Mapping[str, Any]], threshold: float) -> list[dict[str, Any]]:
    """Return the parts of the bars of a density that lie on the wrong side of the cut."""
    errors = []
    for bar in bars:
        if bar["below"] and bar["x"] < threshold:
            errors.append(dict(bar) | {"x2": min(bar["x2"], threshold)})
        elif not bar["below"] and bar["x2"] > threshold:
            errors.append(dict(bar) | {"x": max(bar["x"], threshold)})
    return errors


_NEEDLESS = re.compile(
    r' (?:aria-hidden|aria-roledescription|role|class|pointer-events|version|xmlns(?::xlink)?)="[^"]*"'
)
_DIGITS = re.compile(r"(\d\.\d\d)\d+")


def _slim(svg: str, index: int) -> str:
    """Return the picture without what a still one does not need; marks that are referred to get names of their own."""

    def slim(tag: re.Match[str]) -> str:
        text = _DIGITS.sub(r"\1", _NEEDLESS.sub("", tag.group()))  # coordinates to a hundredth of a pixel
        return re.sub(r'( id="|url\(#|href="#)', rf"\g<1>chart-{index}-", text)

    return re.sub(r"<[^>]*>", slim, svg).replace("<svg", '<svg aria-hidden="true"', 1)
