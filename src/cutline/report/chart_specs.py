"""The charts of a page: which there are, as specifications that its program draws, and as still pictures."""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import cutline.charts.renderer as renderer
from cutline.charts import (
    AREAS,
    CHARTS,
    CUT,
    LIGHT,
    PAGE,
    PAGE_MEASURES,
    ChartKind,
    Evaluated,
    Picture,
    Place,
    Requires,
    Shows,
    chart,
    choose_models,
    list_error_bars,
    move_legends_below,
)
from cutline.core import parallel
from cutline.core.counts import Counts
from cutline.core.errors import CutlineError
from cutline.core.table import to_json_value
from cutline.core.validation import LEVEL
from cutline.curves import compute_deviates
from cutline.inference.differences.difference import ConfidenceCurve
from cutline.measures import MEASURES

MOST_EACH = 6  # models of which each gets all charts that show one
_HOVERED = 300  # points of a chart that show their numbers under the pointer
_RING = 170  # the size of the mark of a cut, which the page moves
_PANEL = (296, 236)  # the axes of a chart of which three stand side by side, in pixels
_BESIDE_WIDE_LABELS = 10  # pixels: a browser may have a wider font than the one that still pictures are set in
_ABREAST = 0.78  # of its own size a chart has on the page, where three stand side by side and text is read as it is


class Panel(NamedTuple):
    """A chart at the top of the page: its kind, its parameters there, and the panel that it stands in.

    Charts of one panel are tabs.
    """

    name: str
    place: int
    parameters: Mapping[str, Any]


def choose_panels(models: Mapping[str, Evaluated]) -> list[Panel]:
    """Choose the charts at the top of the page, on which the slider moves the cut."""
    if len(models) > 1:
        return [Panel("roc", 0, {}), Panel("precision_recall", 1, {})]
    [model] = models.values()
    third = Panel("reliability", 2, {"histogram": False}) if model.ranking.are_probabilities else Panel("gain", 2, {})
    return [
        Panel("roc", 0, {"hull": False, "points": False}),
        Panel("precision_recall", 0, {}),
        Panel("score_distribution", 1, {}),
        third,
    ]


def list_kinds(*, several: bool) -> list[ChartKind]:
    """Return the kinds of charts of a page, in order."""
    kinds = [*CHARTS.at(Place.PAGE_FIRST), *CHARTS.at(Place.PAGE), *(CHARTS[name] for name in PAGE_MEASURES)]
    left_out = {Shows.DIFFERENCE} if several else {Shows.DIFFERENCE, Shows.TWO_OR_MORE}
    return [kind for kind in kinds if kind.shows not in left_out]


def list_undrawn(models: int) -> list[str]:
    """Return the charts of one model that are left out because there are many models."""
    if models <= MOST_EACH:
        return []
    return [kind.name for kind in list_kinds(several=True) if kind.shows is Shows.ONE and not kind.places & Place.EACH]


def list_calibration_kinds(*, several: bool) -> list[ChartKind]:
    """Return the charts of the section on the probabilities; the first of one model stands at the top of the page."""
    return [kind for kind in CHARTS.at(Place.TRUST) if (kind.name == "risk_by_outcome") or several]


def draw_charts(
    models: Mapping[str, Evaluated],
    differences: Sequence[ConfidenceCurve] = (),
    *,
    trusted: bool = False,
    level: float = LEVEL,
    seed: int = 0,
    resamples: int | None = None,
) -> Iterator[dict[str, Any]]:
    """Draw all charts of some models: of all together if lines can be compared, of each if a chart shows one model.

    Args:
        models: The models by name.
        differences: The confidence curves of pairs of models, a chart each.
        trusted: Whether the charts of the calibration section are drawn too.
        level: The level of intervals and bands.
        seed: The seed of simulated or resampled bands.
        resamples: The number of resamples of bands, if it was set.
    """
    how = {"level": level, "seed": seed} | ({} if resamples is None else {"resamples": resamples})
    jobs = [
        (
            _Job(job.kind, job.models, job.which, job.suffix, job.panel),
            _select_options(job.kind, how) | dict(job.parameters),
        )
        for job in _list_jobs(models, trusted=trusted)
    ]
    jobs += [(_Job(CHARTS["confidence_curve"], curve), {"level": level}) for curve in differences]
    rankings = [model.ranking for model in models.values()]
    if any(ranking.is_long for ranking in rankings):
        # One chart at a time: each takes a dozen columns as long as the ranking, which its cycles of references keep.
        for job, parameters in jobs:
            yield _draw(job, parameters)
            gc.collect()
        return
    yield from parallel.iterate_parallel(lambda job: _draw(job[0], job[1]), jobs, max(map(len, rankings)))


class _Job(NamedTuple):
    """A chart to draw: its kind, its models, the end of its title, and its panel."""

    kind: ChartKind
    models: Any
    which: Sequence[int] = ()
    suffix: str = ""
    panel: int | None = None
    parameters: Mapping[str, Any] = {}


def _draw(job: _Job, parameters: Mapping[str, Any]) -> dict[str, Any]:
    drawing = draw_chart(job.kind, job.models, job.which, job.suffix, **parameters)
    if job.panel is not None and drawing["spec"] is not None:
        _fit_panel(drawing["spec"], legend=len(job.models) > 1 or job.kind.name == "score_distribution")
    return drawing | {"panel": job.panel}


def _list_jobs(models: Mapping[str, Evaluated], *, trusted: bool) -> Iterator[_Job]:
    """Yield the charts to draw: those at the top of the page, then the others."""
    several, left_out, every = len(models) > 1, list_undrawn(len(models)), tuple(range(len(models)))
    top = choose_panels(models)
    for panel in top:
        yield _Job(CHARTS[panel.name], models, every, "", panel.place, panel.parameters)
    # One model has its ROC curve again, with all that does not fit into a panel.
    shown_above = {panel.name for panel in top} - (set() if several else {"roc"})
    compared = sum(model.ranking.are_probabilities for model in models.values()) > 1
    for kind in [*list_kinds(several=several), *(list_calibration_kinds(several=compared) if trusted else ())]:
        if kind.name in shown_above:
            continue
        if not several or kind.shows is not Shows.ONE:
            yield _Job(kind, models, every)
        elif kind.name not in left_out:
            for i, (name, model) in enumerate(models.items()):
                if not trusted or model.ranking.are_probabilities or Requires.PROBABILITIES not in kind.needs:
                    yield _Job(kind, {name: model}, (i,), f" of {name}")


def _select_options(kind: ChartKind, how: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of the summary that a chart takes, such as the level."""
    return {name: value for name, value in how.items() if name in kind.parameters}


def draw_chart(
    kind: ChartKind, models: Any, which: Sequence[int], suffix: str = "", **parameters: Any
) -> dict[str, Any]:
    """Draw a chart, or return the reason why there is none, such as a missing class or infinite scores."""
    try:
        which = choose_models(kind, models) if len(which) > 1 else list(which)
        drawn_models = None if kind.shows is Shows.NOTHING else models
        spec = chart(kind.name, drawn_models, theme=PAGE.name, **parameters).to_dict()
    except CutlineError as error:
        return {"name": kind.name, "title": kind.title + suffix, "notes": [str(error)], "spec": None, "models": which}
    title, notes = _take_heading(spec, kind)
    _style_for_page(spec, title + suffix)
    return {
        "name": kind.name,
        "title": title + suffix,
        "notes": [note for note in notes if f" of {note}" != suffix],
        "models": which,
        "cut": kind.cut.to_dict() | _empty_cut_data(spec) if kind.cut and CUT in spec["datasets"] else None,
        "bars": list_error_bars(*models.values()) if AREAS in spec["datasets"] else None,
        "spec": spec,
    }


def _style_for_page(spec: dict[str, Any], title: str, *, shrink: bool = True) -> None:
    """Make a specification ready for the page: thinner, smaller, and with the legend below the chart."""
    _thin_points(spec)
    if shrink:
        _shrink(spec)
    # Legends under the charts: two stand side by side then, and one fits on a phone.
    config = move_legends_below(spec["config"])
    config["axis"] = config["axis"] | {"titlePadding": _BESIDE_WIDE_LABELS}
    spec["config"] = config | {"aria": False, "font": "system-ui, sans-serif", "background": "transparent"}
    spec["description"] = title


def _fit_panel(spec: dict[str, Any], *, legend: bool) -> None:
    """Give the chart the size of a panel; where there is one line, the title says what it is, and no legend."""
    spec |= {"width": _PANEL[0], "height": _PANEL[1]}
    spec["config"]["legend"] |= {"columns": 2, "symbolSize": 80, "labelLimit": 150, "rowPadding": 2}
    for layer in _iterate_layers(spec):
        if layer.get("data") == {"name": AREAS}:
            layer["encoding"]["fill"]["legend"]["title"] = None
    if not legend:
        for layer in _iterate_layers(spec):
            for channel in ("color", "strokeDash", "shape", "stroke"):
                if isinstance(layer.get("encoding", {}).get(channel), dict) and "field" in layer["encoding"][channel]:
                    layer["encoding"][channel]["legend"] = None


def specify_picture(picture: Picture, *, shrink: bool = True) -> dict[str, Any]:
    """Return the title of a picture, the lines below it, and its specification, styled for the page."""
    spec = picture.to_dict()
    heading = spec.pop("title", picture.name)
    if "vconcat" in spec and isinstance(spec["vconcat"][0].get("title"), dict):  # the first part has the title
        heading = spec["vconcat"][0].pop("title")
    title, below = (heading, []) if isinstance(heading, str) else (heading["text"], heading.get("subtitle", []))
    _style_for_page(spec, title, shrink=shrink)
    return {"title": title, "notes": [below] if isinstance(below, str) else below, "spec": spec}


_OF_COLUMNS = ("field", "groupby", "as", "key")  # what names columns in a specification


def replace_words(part: Any, words: Mapping[str, str]) -> Any:
    """Replace terms in the titles, legends and tooltips of a chart by those of a trade.

    Args:
        part: The chart, or a part of it.
        words: The new terms by the old ones; longer old terms come first.
    """
    if isinstance(part, str):
        if part in words:
            return words[part]
        for old, new in words.items():
            if not old.islower() or " " in old:  # such a word inside an expression is the name of a column
                part = part.replace(old, new)
        return part
    if isinstance(part, dict):
        return {key: value if key in _OF_COLUMNS else replace_words(value, words) for key, value in part.items()}
    return [replace_words(value, words) for value in part] if isinstance(part, list | tuple) else part


def _shrink(spec: dict[str, Any]) -> None:
    """Make the axes smaller but not the text, so that the page need not scale the whole down."""
    for part in (spec, *spec.get("hconcat", ()), *spec.get("vconcat", ())):
        for side in ("width", "height"):
            if isinstance(part.get(side), int | float):
                part[side] = round(part[side] * _ABREAST)


def _take_heading(spec: dict[str, Any], kind: ChartKind) -> tuple[str, list[str]]:
    """Take the title and the lines below it out of a specification; the page writes them itself."""
    title, more = spec.pop("title", None), []
    if "hconcat" in spec:  # its parts have titles of their own; the whole has the name of the model
        return kind.title, []
    if "vconcat" in spec:  # the first part has the title, the whole at most the name of the model
        whole, title = title, spec["vconcat"][0].pop("title", title)
        more = [whole["text"], *whole.get("subtitle", [])] if isinstance(whole, dict) and whole is not title else []
    return (title["text"], [*title.get("subtitle", []), *more]) if isinstance(title, dict) else (kind.title, [])


# ---------------------------------------------------------------------- the cut


def _empty_cut_data(spec: dict[str, Any]) -> dict[str, Any]:
    """Empty the data of the cut, which the page fills.

    Returns from where to where the two axes go, beyond which a mark would hang in the air, and the lines in the legend
    that the cuts belong to, which fade together.
    """
    cut_axes: dict[str, Any] = {"across": None, "up": None}
    for layer in _iterate_layers(spec):
        encoding = layer.get("encoding", {})
        if layer.get("data") == {"name": AREAS}:
            encoding["fill"]["legend"].pop("labelExpr")  # the numbers of errors at the cut of the evaluation
        elif layer.get("data") == {"name": CUT}:
            cut_axes |= {side: encoding[axis]["scale"]["domain"] for axis, side in _SIDES.items() if axis in encoding}
            layer["encoding"] = _encode_any_cut(layer)
        elif "series" not in cut_axes and encoding.get("color", {}).get("field") == "series":
            cut_axes["series"] = encoding["color"]["scale"]["domain"]  # the models come first, in their order
    for name in (CUT, AREAS):
        if name in spec["datasets"]:
            spec["datasets"][name] = []
    return cut_axes


_SIDES = {"x": "across", "y": "up"}


def _encode_any_cut(layer: dict[str, Any]) -> dict[str, Any]:
    """Return the encoding of a mark of the cut without texts about the evaluation's cut."""
    encoding = layer["encoding"]
    shared = {name: encoding[name] for name in ("x", "y", "opacity") if name in encoding}
    if "size" in encoding:
        shared["size"] = {"value": _RING}
    if "stroke" in encoding:
        by_model = encoding["stroke"].get("scale", {}) is None
        shared["stroke"] = encoding["stroke"] if by_model else {"value": PAGE.text}
    return shared


def _iterate_layers(spec: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the single layers of a specification, however they are nested."""
    for key in ("layer", "hconcat", "vconcat"):
        for part in spec.get(key, ()):
            yield part
            yield from _iterate_layers(part)


# ---------------------------------------------------------------------- looks


def _thin_points(spec: dict[str, Any]) -> None:
    """Keep fewer points under the pointer the more lines there are; the lines keep all of theirs."""
    for rows in spec["datasets"].values():
        if rows and "series" in rows[0] and isinstance(rows[0].get("threshold"), list):
            most = max(_HOVERED // len(rows), 1)
            for row in rows:
                step = max(-(-len(row["x"]) // most), 1)
                row |= {key: column[::step] for key, column in row.items() if isinstance(column, list)}


# ---------------------------------------------------------------------- still pictures

# The page is complete before its program has started: in print, in a preview.


MOST_BYTES = 1_100_000  # of all pictures; charts beyond are drawn by the program alone
LATER = '<p class="quiet">The program of the page draws this chart: open the page in a browser.</p>'


def render_still(chart: Mapping[str, Any], counts: Sequence[Counts], index: int) -> str:
    """Render a chart as SVG, with the cut of each model at these counts."""
    return _slim_svg(renderer.render_svg(_drop_invisible(_mark_cut(chart, counts))), index)


def _drop_invisible(spec: dict[str, Any]) -> dict[str, Any]:
    """Return a specification without its invisible layers, which only catch the pointer."""
    parts = {
        key: [_drop_invisible(part) for part in spec[key] if part.get("encoding", {}).get("opacity") != {"value": 0}]
        for key in ("layer", "hconcat", "vconcat")
        if key in spec
    }
    return spec | parts


def _mark_cut(chart: Mapping[str, Any], counts: Sequence[Counts]) -> dict[str, Any]:
    spec: dict[str, Any] = dict(chart["spec"])
    where = chart.get("cut")
    if not where:
        return spec
    marks = [_place_mark(where, counts[model], line, chart) for line, model in enumerate(chart["models"])]
    datasets = dict(spec["datasets"])
    if CUT in datasets:
        datasets[CUT] = [mark for mark in marks if _is_inside(mark, where)]
    if chart.get("bars"):
        datasets[AREAS] = _find_errors(chart["bars"], float(counts[chart["models"][0]].threshold))
    return spec | {"datasets": datasets}


def _place_mark(where: Mapping[str, Any], c: Counts, line: int, chart: Mapping[str, Any]) -> dict[str, Any]:
    """Return the mark of a cut in the coordinates of a chart."""
    several = len(chart["models"]) > 1
    colour = f"var(--line-{chart['models'][line] % len(LIGHT.lines)})" if several else "var(--ink)"
    names = where.get("series") or []
    place = {
        axis: to_json_value(_clip_deviate(_find_coordinate(where[axis], c), where[axis], where.get(side)))
        for axis, side in _SIDES.items()
        if where.get(axis)
    }
    return place | {"colour": colour, "series": names[line] if line < len(names) else None}


def _clip_deviate(value: float, name: str, domain: Sequence[float] | None) -> float:
    """Move rates of 0 and 1, which have no normal deviate, to the edge of the chart."""
    return min(max(value, domain[0]), domain[-1]) if domain and name.endswith("_deviate") else value


def _find_coordinate(name: str, c: Counts) -> float:
    if name.endswith("_deviate"):
        return float(compute_deviates([_find_coordinate(name.removesuffix("_deviate"), c)])[0])
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


def _find_errors(bars: Sequence[Mapping[str, Any]], threshold: float) -> list[dict[str, Any]]:
    """Return the parts of the bars on the wrong side of the cut."""
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


def _slim_svg(svg: str, index: int) -> str:
    """Remove attributes that a still picture does not need, and make the ids unique on the page."""

    def slim(tag: re.Match[str]) -> str:
        text = _DIGITS.sub(r"\1", _NEEDLESS.sub("", tag.group()))  # coordinates to a hundredth of a pixel
        return re.sub(r'( id="|url\(#|href="#)', rf"\g<1>chart-{index}-", text)

    return re.sub(r"<[^>]*>", slim, svg).replace("<svg", '<svg aria-hidden="true"', 1)
