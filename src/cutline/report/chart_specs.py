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
    drawn_of,
    error_bars,
    legends_below,
)
from cutline.core import parallel
from cutline.core.counts import Counts
from cutline.core.errors import CutlineError
from cutline.core.table import plain
from cutline.core.validation import LEVEL
from cutline.curves import deviates
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


def panels(models: Mapping[str, Evaluated]) -> list[Panel]:
    """Return the charts that stand at the top of the page, above the slider, which moves the cut on all of them."""
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


def kinds(*, several: bool) -> list[ChartKind]:
    """Return the charts of a page, in their order."""
    listed = [*CHARTS.at(Place.PAGE_FIRST), *CHARTS.at(Place.PAGE), *(CHARTS[name] for name in PAGE_MEASURES)]
    left_out = {Shows.DIFFERENCE} if several else {Shows.DIFFERENCE, Shows.TWO_OR_MORE}
    return [kind for kind in listed if kind.shows not in left_out]


def undrawn(models: int) -> list[str]:
    """Return the charts of one model that are left out because there are many models."""
    if models <= MOST_EACH:
        return []
    return [kind.name for kind in kinds(several=True) if kind.shows is Shows.ONE and not kind.places & Place.EACH]


def of_trust(*, several: bool) -> list[ChartKind]:
    """Return the charts of the section on the probabilities; the first of one model stands at the top of the page."""
    return [kind for kind in CHARTS.at(Place.TRUST) if (kind.name == "risk_by_outcome") or several]


def charts(
    models: Mapping[str, Evaluated],
    differences: Sequence[ConfidenceCurve] = (),
    *,
    trusted: bool = False,
    level: float = LEVEL,
    seed: int = 0,
    resamples: int | None = None,
) -> Iterator[dict[str, Any]]:
    """Draw all charts of some models: of all together where lines can be compared, of each where a chart shows one.

    Args:
        models: The models by name.
        differences: Those of pairs of models, each of which gets a chart.
        trusted: Adds those of the section on the probabilities.
        level: That of the intervals and bands that charts show.
        seed: That of the bands that are simulated or resampled.
        resamples: How many resamples these take, where that was asked for.
    """
    how = {"level": level, "seed": seed} | ({} if resamples is None else {"resamples": resamples})
    jobs = [
        (
            _Job(job.kind, job.models, job.which, job.suffix, job.panel),
            _select_options(job.kind, how) | dict(job.parameters),
        )
        for job in _jobs(models, trusted=trusted)
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
    drawing = tried(job.kind, job.models, job.which, job.suffix, **parameters)
    if job.panel is not None and drawing["spec"] is not None:
        _fit_panel(drawing["spec"], legend=len(job.models) > 1 or job.kind.name == "score_distribution")
    return drawing | {"panel": job.panel}


def _jobs(models: Mapping[str, Evaluated], *, trusted: bool) -> Iterator[_Job]:
    """Return the charts of some models: those at the top of the page, then the others."""
    several, left_out, every = len(models) > 1, undrawn(len(models)), tuple(range(len(models)))
    top = panels(models)
    for panel in top:
        yield _Job(CHARTS[panel.name], models, every, "", panel.place, panel.parameters)
    # One model has its ROC curve again, with all that does not fit into a panel.
    shown_above = {panel.name for panel in top} - (set() if several else {"roc"})
    compared = sum(model.ranking.are_probabilities for model in models.values()) > 1
    for kind in [*kinds(several=several), *(of_trust(several=compared) if trusted else ())]:
        if kind.name in shown_above:
            continue
        if not several or kind.shows is not Shows.ONE:
            yield _Job(kind, models, every)
        elif kind.name not in left_out:
            for i, (name, model) in enumerate(models.items()):
                if not trusted or model.ranking.are_probabilities or Requires.PROBABILITIES not in kind.needs:
                    yield _Job(kind, {name: model}, (i,), f" of {name}")


def _select_options(kind: ChartKind, how: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of the summary that a chart takes: the level, if it shows intervals."""
    return {name: value for name, value in how.items() if name in kind.parameters}


def tried(kind: ChartKind, models: Any, which: Sequence[int], suffix: str = "", **parameters: Any) -> dict[str, Any]:
    """Return the chart, or why there is none: a class may lack, or the scores be infinite."""
    try:
        which = drawn_of(kind, models) if len(which) > 1 else list(which)
        shown = None if kind.shows is Shows.NOTHING else models
        spec = chart(kind.name, shown, theme=PAGE.name, **parameters).to_dict()
    except CutlineError as error:
        return {"name": kind.name, "title": kind.title + suffix, "notes": [str(error)], "spec": None, "models": which}
    title, notes = _heading(spec, kind)
    _dress(spec, title + suffix)
    return {
        "name": kind.name,
        "title": title + suffix,
        "notes": [note for note in notes if f" of {note}" != suffix],
        "models": which,
        "cut": kind.cut.to_dict() | _left_to_the_page(spec) if kind.cut and CUT in spec["datasets"] else None,
        "bars": error_bars(*models.values()) if AREAS in spec["datasets"] else None,
        "spec": spec,
    }


def _dress(spec: dict[str, Any], title: str, *, shrink: bool = True) -> None:
    """Make a specification ready for the page: thinner, smaller, and with the legend below the chart."""
    _thin(spec)
    if shrink:
        _shrink(spec)
    # Legends under the charts: two stand side by side then, and one fits on a phone.
    config = legends_below(spec["config"])
    config["axis"] = config["axis"] | {"titlePadding": _BESIDE_WIDE_LABELS}
    spec["config"] = config | {"aria": False, "font": "system-ui, sans-serif", "background": "transparent"}
    spec["description"] = title


def _fit_panel(spec: dict[str, Any], *, legend: bool) -> None:
    """Give the chart the size of a panel; where there is one line, the title says what it is, and no legend."""
    spec |= {"width": _PANEL[0], "height": _PANEL[1]}
    spec["config"]["legend"] |= {"columns": 2, "symbolSize": 80, "labelLimit": 150, "rowPadding": 2}
    for layer in _layers(spec):
        if layer.get("data") == {"name": AREAS}:
            layer["encoding"]["fill"]["legend"]["title"] = None
    if not legend:
        for layer in _layers(spec):
            for channel in ("color", "strokeDash", "shape", "stroke"):
                if isinstance(layer.get("encoding", {}).get(channel), dict) and "field" in layer["encoding"][channel]:
                    layer["encoding"][channel]["legend"] = None


def of_picture(picture: Picture, *, shrink: bool = True) -> dict[str, Any]:
    """Return a picture in the page's colours as the page needs it: title, lines below it, and specification."""
    spec = picture.to_dict()
    heading = spec.pop("title", picture.name)
    if "vconcat" in spec and isinstance(spec["vconcat"][0].get("title"), dict):  # the first part has the title
        heading = spec["vconcat"][0].pop("title")
    title, below = (heading, []) if isinstance(heading, str) else (heading["text"], heading.get("subtitle", []))
    _dress(spec, title, shrink=shrink)
    return {"title": title, "notes": [below] if isinstance(below, str) else below, "spec": spec}


_OF_COLUMNS = ("field", "groupby", "as", "key")  # what names columns in a specification


def in_words(part: Any, words: Mapping[str, str]) -> Any:
    """Return a chart with other words in its titles, legends and tooltips, as a trade calls them.

    Args:
        part: The chart, or a part of it.
        words: The new words by the old ones, of which the longer ones should come first.
    """
    if isinstance(part, str):
        if part in words:
            return words[part]
        for old, new in words.items():
            if not old.islower() or " " in old:  # such a word inside an expression is the name of a column
                part = part.replace(old, new)
        return part
    if isinstance(part, dict):
        return {key: value if key in _OF_COLUMNS else in_words(value, words) for key, value in part.items()}
    return [in_words(value, words) for value in part] if isinstance(part, list | tuple) else part


def _shrink(spec: dict[str, Any]) -> None:
    """Make the axes smaller but not the text, so that the page need not scale the whole down."""
    for part in (spec, *spec.get("hconcat", ()), *spec.get("vconcat", ())):
        for side in ("width", "height"):
            if isinstance(part.get(side), int | float):
                part[side] = round(part[side] * _ABREAST)


def _heading(spec: dict[str, Any], kind: ChartKind) -> tuple[str, list[str]]:
    """Return the title and the lines below it, which the page writes itself."""
    title, more = spec.pop("title", None), []
    if "hconcat" in spec:  # its parts have titles of their own; the whole has the name of the model
        return kind.title, []
    if "vconcat" in spec:  # the first part has the title, the whole at most the name of the model
        whole, title = title, spec["vconcat"][0].pop("title", title)
        more = [whole["text"], *whole.get("subtitle", [])] if isinstance(whole, dict) and whole is not title else []
    return (title["text"], [*title.get("subtitle", []), *more]) if isinstance(title, dict) else (kind.title, [])


# ---------------------------------------------------------------------- the cut


def _left_to_the_page(spec: dict[str, Any]) -> dict[str, Any]:
    """Empty the data of the cut, which the page fills.

    Returns from where to where the two axes go, beyond which a mark would hang in the air, and the lines in the legend
    that the cuts belong to, which fade together.
    """
    cut_axes: dict[str, Any] = {"across": None, "up": None}
    for layer in _layers(spec):
        encoding = layer.get("encoding", {})
        if layer.get("data") == {"name": AREAS}:
            encoding["fill"]["legend"].pop("labelExpr")  # the numbers of errors at the cut of the evaluation
        elif layer.get("data") == {"name": CUT}:
            cut_axes |= {side: encoding[axis]["scale"]["domain"] for axis, side in _SIDES.items() if axis in encoding}
            layer["encoding"] = _of_any_cut(layer)
        elif "series" not in cut_axes and encoding.get("color", {}).get("field") == "series":
            cut_axes["series"] = encoding["color"]["scale"]["domain"]  # the models come first, in their order
    for name in (CUT, AREAS):
        if name in spec["datasets"]:
            spec["datasets"][name] = []
    return cut_axes


_SIDES = {"x": "across", "y": "up"}


def _of_any_cut(layer: dict[str, Any]) -> dict[str, Any]:
    """Return the encoding of a mark of the cut without the texts about the evaluation's cut."""
    encoding = layer["encoding"]
    shared = {name: encoding[name] for name in ("x", "y", "opacity") if name in encoding}
    if "size" in encoding:
        shared["size"] = {"value": _RING}
    if "stroke" in encoding:
        by_model = encoding["stroke"].get("scale", {}) is None
        shared["stroke"] = encoding["stroke"] if by_model else {"value": PAGE.text}
    return shared


def _layers(spec: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Return the single layers of a specification, however they are put together."""
    for key in ("layer", "hconcat", "vconcat"):
        for part in spec.get(key, ()):
            yield part
            yield from _layers(part)


# ---------------------------------------------------------------------- looks


def _thin(spec: dict[str, Any]) -> None:
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
    if CUT in datasets:
        datasets[CUT] = [mark for mark in marks if _is_inside(mark, where)]
    if chart.get("bars"):
        datasets[AREAS] = _errors(chart["bars"], float(counts[chart["models"][0]].threshold))
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


def _errors(bars: Sequence[Mapping[str, Any]], threshold: float) -> list[dict[str, Any]]:
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
