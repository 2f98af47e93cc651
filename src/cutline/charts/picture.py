"""A finished chart: it shows itself in a notebook, and saves itself as a file without any network."""

from __future__ import annotations

import base64
import hashlib
import math
import os
import re
import struct
import zlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cutline.charts.renderer as renderer
import cutline.charts.vega_lite as alt
from cutline.charts.theme import Theme
from cutline.core.atomic_write import write
from cutline.core.errors import ParameterError
from cutline.core.escaping import html_text
from cutline.core.extras import require
from cutline.core.public import public
from cutline.core.validation import check_flag, check_number, check_text

Length = float | str
_PER_UNIT = {
    "px": 1.0,
    "mm": renderer.PIXELS_PER_INCH / 25.4,
    "cm": renderer.PIXELS_PER_INCH / 2.54,
    "in": float(renderer.PIXELS_PER_INCH),
}
SMALLEST, LARGEST = 100.0, 5000.0
# The least length of an axis without the text around it.
_LEAST_INSIDE = 40.0
# Below this width the legend is placed under the chart.
_BESIDE = 480.0
_TRIES = 5
_CLOSE = 1 + 1e-6  # pixels; ticks that appear and disappear with the size can prevent a closer fit


def parse_length(length: Length, name: str) -> float:
    """Return a length in pixels.

    >>> parse_length(400, "width"), round(parse_length("85mm", "width"), 2), parse_length("3 in", "height")
    (400.0, 321.26, 288.0)

    Args:
        length: A number of pixels, or text such as "85mm", "8.5 cm", "3in" or "400px".
        name: The argument, for the refusal.
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d*)?|\.\d+)\s*(px|mm|cm|in)?\s*", str(length))
    if isinstance(length, bool) or match is None:
        remedy = "pass a number of pixels, or a length such as '85mm' or '3in'"
        raise ParameterError(f"is {length!r}", remedy, argument=name)
    size = float(match[1]) * _PER_UNIT[match[2] or "px"]
    if not SMALLEST <= size <= LARGEST:
        remedy = f"pass {SMALLEST:g} to {LARGEST:g} px"
        raise ParameterError(f"is {length!r}, which is {size:.0f} px", remedy, argument=name)
    return size


def resize(picture: Picture, width: Length | None, height: Length | None) -> Picture:
    """Resize a picture to a width, a height or both, titles and legends included.

    The axes fill the space that the text around them leaves, which is measured, as it depends on the axes. If only a
    width is given, the axes keep their aspect ratio.

    Args:
        picture: The picture, as large as its chart is by default.
        width: The width, as `pixels` takes it; as it is if None.
        height: The height.
    """
    goal = [
        None if length is None else parse_length(length, name)
        for length, name in ((width, "width"), (height, "height"))
    ]
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
    """Fit the axes to the size of the picture in a few steps."""
    for _ in range(_TRIES):
        now = renderer.measure_svg(renderer.render_svg(picture.to_dict(check=False)))
        more = [0.0 if length is None else length - is_now for length, is_now in zip(goal, now, strict=True)]
        if all(abs(step) <= _CLOSE for step in more):
            return picture
        picture = replace(picture, drawing=_grow_axes(picture.drawing, *more, keeps_shape=goal[1] is None))
    # A millimetre to spare: next to the least size, the labels of an axis come and go with its length.
    sides = [
        f"a {side} of at least {math.ceil(max(length, length - step) / _PER_UNIT['mm']) + 1}mm"
        for side, length, step in zip(("width", "height"), goal, more, strict=True)
        if length is not None and abs(step) >= 1
    ]
    problem = f"The text of the chart {picture.name} leaves its axes no room at that size"
    raise ParameterError(problem, f"pass {' and '.join(sides)}")


def _grow_axes(chart: alt.Chart, across: float, down: float, *, keeps_shape: bool) -> alt.Chart:
    """Enlarge the axes of a chart; charts side by side share the width, of stacked charts the first grows."""
    spec = chart.spec
    if "hconcat" in spec:
        share = across / len(spec["hconcat"])
        return chart.properties(
            hconcat=[_grow_axes(part, share, down, keeps_shape=keeps_shape) for part in spec["hconcat"]]
        )
    if "vconcat" in spec:
        first, *rest = spec["vconcat"]
        others = [_grow_axes(part, across, 0.0, keeps_shape=False) for part in rest]
        return chart.properties(vconcat=[_grow_axes(first, across, down, keeps_shape=keeps_shape), *others])
    width, height = max(float(spec["width"]) + across, _LEAST_INSIDE), spec["height"]
    if down:
        height = max(float(height) + down, _LEAST_INSIDE)
    elif keeps_shape:
        height = max(float(height) * width / float(spec["width"]), _LEAST_INSIDE)
    return chart.properties(width=width, height=height)


LEAST_DOTS, MOST_DOTS = 0.1, 20
SUFFIXES = (".png", ".svg", ".pdf", ".html", ".json")
# The browser may run these very programs and use this style; nothing can be fetched or sent.
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src {policy}; \
style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'">
<title>{title}</title>
</head>
<body>
<div id="chart"></div>
{scripts}
</body>
</html>
"""


@public
@dataclass(frozen=True, init=False, eq=False, repr=False)
class Picture:
    """A chart by name: `drawing` is one of ours, or of Altair.

    `legends_below` is for narrow pictures, where a legend beside the chart would leave it no room, and
    `legend_columns` for those that are low as well.
    """

    name: str
    drawing: Any
    legends_below: bool
    legend_columns: int

    def __init__(
        self, name: str, drawing: Any, legends_below: bool = False, legend_columns: int = 1, *, altair: Any = None
    ) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "drawing", drawing if altair is None else altair)  # as in replace(picture, altair=...)
        object.__setattr__(self, "legends_below", legends_below)
        object.__setattr__(self, "legend_columns", legend_columns)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Picture):
            return NotImplemented
        return self is other or (self.name == other.name and self.to_dict() == other.to_dict())

    def __hash__(self) -> int:
        return hash(self.name)

    @property
    def altair(self) -> Any:
        """Chart of Altair, to change or to combine with others."""
        if not isinstance(self.drawing, alt.Chart):
            return self.drawing
        spec = self.drawing.to_spec(named=False)
        del spec["$schema"]  # which a part of another chart cannot have
        params = _lift_params(spec)
        return require("altair").Chart.from_dict(spec | ({"params": params} if params else {}))

    def to_dict(self, *, check: bool = False) -> dict[str, Any]:
        """Return the Vega-Lite specification.

        Args:
            check: Whether Altair checks it against its schema, which takes far longer than writing it.
        """
        if check_flag(check, "check"):
            self.altair.to_dict()
        if isinstance(self.drawing, alt.Chart):
            spec = self.drawing.to_spec()
        else:
            spec = dict(self.drawing.to_dict(validate=False))
            rows = {**spec.get("datasets", {}), **_collect_named_rows(spec)}
            spec["datasets"] = {name: list(own) for name, own in rows.items()}
        if self.legends_below:
            spec["config"] = move_legends_below(spec["config"], self.legend_columns)
        return spec

    def to_json(self) -> str:
        """Return the Vega-Lite specification as text."""
        return renderer.write_spec(self.to_dict())

    def to_html(self) -> str:
        """Return a page that holds the chart and the program that draws it: opening it makes no network requests."""
        spec = renderer.write_spec(self.to_dict()).replace("<", "\\u003c")
        draw = f"window.vegaEmbed('#chart', {spec}, {{actions: false, renderer: 'svg', ast: true}});"
        programs = (renderer.load_program(), draw)
        hashes = (base64.b64encode(hashlib.sha256(program.encode()).digest()).decode() for program in programs)
        return PAGE.format(
            policy=" ".join(f"'sha256-{digest}'" for digest in hashes),
            title=html_text(self.name),
            scripts="\n".join(f"<script>{program}</script>" for program in programs),
        )

    def render(self, suffix: str, *, scale: float | None = None, dpi: float | None = None) -> bytes:
        """Return the content of a file with this suffix.

        In a forked process a fresh one draws, because what draws does not survive a fork: that takes a second longer.

        Args:
            suffix: ".png", ".svg", ".pdf", ".html" or ".json".
            scale: Dots of a PNG per pixel; 2 by default.
            dpi: The same as dots per inch, of which a pixel is 1/96: `dpi=300` for print.
        """
        dots = _choose_dots(scale, dpi)
        if check_text(suffix, "suffix", ".png") == ".json":
            return self.to_json().encode()
        if suffix == ".html":
            return self.to_html().encode()
        if suffix not in SUFFIXES:
            problem = f"the suffix {suffix!r}" if suffix else "no suffix"
            remedy = f"pass a path that ends in {', '.join(SUFFIXES)}"
            raise ParameterError(f"A chart cannot be saved with {problem}", remedy)
        svg = renderer.render_svg(self.to_dict())
        if suffix == ".png":
            return compress_png(renderer.render_png(svg, dots), dots * renderer.PIXELS_PER_INCH)
        return svg.encode() if suffix == ".svg" else renderer.render_pdf(svg)

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        scale: float | None = None,
        dpi: float | None = None,
        overwrite: bool = True,
    ) -> Path:
        """Write the file that the suffix names: whole, or not at all.

        Args:
            path: The path of the file, which ends in one of the suffixes that `render` takes.
            scale: Dots of a PNG per pixel; 2 by default.
            dpi: The same as dots per inch.
            overwrite: Whether a file that exists is replaced.
        """
        if not isinstance(path, str | os.PathLike):
            raise ParameterError(f"is {path!r}", "pass the path of a file, such as 'roc.png'", argument="path")
        target = Path(path)
        return write(target, self.render(target.suffix.lower(), scale=scale, dpi=dpi), overwrite=overwrite)

    def _repr_mimebundle_(self, *_: Any, **__: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the picture itself for a notebook: it can be seen without a network, and where no program may run."""
        svg = renderer.render_svg(self.to_dict())
        dots = base64.b64encode(compress_png(renderer.render_png(svg, 2.0), 2.0 * renderer.PIXELS_PER_INCH)).decode()
        width, height = renderer.measure_svg(svg)
        sizes = {"image/png": {"width": round(width), "height": round(height)}}
        return {"image/svg+xml": svg, "image/png": dots, "text/plain": repr(self)}, sizes

    def __repr__(self) -> str:
        return f"Picture of {self.name}: .save(path) writes {', '.join(SUFFIXES)}"


def finish(name: str, chart: alt.Chart, theme: Theme) -> Picture:
    """Return a chart as a picture in the colours of a theme.

    Args:
        name: The name of the picture.
        chart: The chart.
        theme: The theme, whose colours the chart has.
    """
    return Picture(name, chart.properties(config=theme.config()))


def _lift_params(spec: dict[str, Any]) -> list[dict[str, Any]]:
    """Move the parameters of layers to the top of a chart, where Altair has them, with the names of their views."""
    params = spec.pop("params", []) if "mark" in spec else []
    for param in params:
        spec["name"] = f"view_{param['name']}"
        param["views"] = [spec["name"]]
    for key in ("layer", "hconcat", "vconcat"):
        for part in spec.get(key, ()):
            params += _lift_params(part)
    return params


def _collect_named_rows(spec: dict[str, Any]) -> dict[str, Any]:
    """Take the named rows out of the layers, several of which may show the same rows."""
    rows_by_name: dict[str, Any] = {}
    for key in ("layer", "hconcat", "vconcat"):
        for part in spec.get(key, ()):
            rows_by_name |= _collect_named_rows(part)
    data = spec.get("data", {})
    if "name" in data and "values" in data:
        name = data["name"].partition(alt.SEPARATOR)[0]
        rows_by_name[name] = data["values"]
        spec["data"] = {"name": name}
    return rows_by_name


def move_legends_below(config: dict[str, Any], columns: int = 1) -> dict[str, Any]:
    """Return the configuration of a chart with its legends under it, one below the other, instead of beside it.

    Args:
        config: The configuration.
        columns: In how many columns the entries of a legend stand.
    """
    layout = {"bottom": {"anchor": "start", "direction": "vertical", "margin": 1}}
    below = {"orient": "bottom", "direction": "vertical", "columns": columns, "offset": 6, "layout": layout}
    return config | {"legend": config["legend"] | below}


def _choose_dots(scale: float | None, dpi: float | None) -> float:
    """Return the number of dots of a PNG per pixel."""
    if scale is not None and dpi is not None:
        raise ParameterError("scale and dpi both say how fine a PNG is", "pass one of them")
    if dpi is not None:
        low, high = LEAST_DOTS * renderer.PIXELS_PER_INCH, MOST_DOTS * renderer.PIXELS_PER_INCH
        if not low <= check_number(dpi, "dpi") <= high:
            remedy = f"pass a number of dots to an inch from {low:g} to {high:g}"
            raise ParameterError(f"is {dpi!r}", remedy, argument="dpi")
        return dpi / renderer.PIXELS_PER_INCH
    dots = 2.0 if scale is None else check_number(scale, "scale")
    if not LEAST_DOTS <= dots <= MOST_DOTS:
        remedy = f"pass a number of dots to a pixel from {LEAST_DOTS} to {MOST_DOTS}"
        raise ParameterError(f"is {scale!r}", remedy, argument="scale")
    return dots


def compress_png(png: bytes, dpi: float) -> bytes:
    """Compress a PNG further, and record its size in inches."""
    chunks, at = [], 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        chunks.append((png[at + 4 : at + 8], png[at + 8 : at + 8 + length]))
        at += length + 12
    data = zlib.compress(zlib.decompress(b"".join(body for kind, body in chunks if kind == b"IDAT")), 9)
    others = [chunk for chunk in chunks if chunk[0] not in (b"IDAT", b"pHYs")]
    dots = round(dpi / 0.0254)  # to a metre
    whole = [others[0], (b"pHYs", struct.pack(">IIB", dots, dots, 1)), *others[1:-1], (b"IDAT", data), others[-1]]
    parts = [struct.pack(">I", len(b)) + k + b + struct.pack(">I", zlib.crc32(k + b)) for k, b in whole]
    return png[:8] + b"".join(parts)
