"""The charts of the page: the specifications of `cutline.charts`, with the cut as a mark that the page can move."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from altair.utils.schemapi import debug_mode

from cutline.charts import CHARTS, LIGHT, chart
from cutline.charts.parts import Evaluated
from cutline.core.errors import CutlineError
from cutline.curves import curve
from cutline.inference.two.confidence_curve import ConfidenceCurve

# Where the cut stands on each chart, in the words of the page's program; a rule crosses the chart at one x.
POINTS = {
    "roc": ("fpr", "recall"),
    "dominance": ("fpr", "recall"),
    "skew": ("fpr", "recall"),
    "det": ("fpr_deviate", "fnr_deviate"),
    "precision_recall": ("recall", "precision"),
    "precision_recall_readings": ("recall", "precision"),
    "gain": ("flagged", "tp"),
    "lift": ("flagged", "lift"),
    "hit_rate": ("flagged", "precision"),
    "qrecall": ("flagged", "recall"),
}
RULES = {"tpr_fpr": "threshold", "score_distribution": "threshold", "quota": "flagged"}
WITHOUT_CUT = ("portion_lift", "losses")
OF_ONE = ("tpr_fpr", "score_distribution", "quota", "precision_recall_readings", "skew")
OF_EACH = ("tpr_fpr", "score_distribution")  # of one model, and drawn of each, however many there are
MOST_EACH = 6  # models of which each gets all charts that show one
OVER_THRESHOLD = ("f1", "mcc", "expected_cost")
# The page has real tables for these.
TABLES = ("confusion_matrix", "ranking_table")
FIRST = ("roc", "score_distribution", "precision_recall", "gain", "tpr_fpr")
LIVE = "live"
AREAS = "areas"
ERRORS = {"positives": "missed positives", "negatives": "false alarms"}
_HOVERED = 300  # points of a chart that show their numbers under the pointer


def charts(models: Mapping[str, Evaluated], differences: Sequence[ConfidenceCurve] = ()) -> Iterator[dict[str, Any]]:
    """All charts of some models: of all together where lines can be compared, of each where a chart shows one."""
    several = len(models) > 1
    known = [*FIRST, *(name for name in CHARTS if name not in FIRST), *OVER_THRESHOLD]
    for name in known:
        where = _where(name)
        if where is None or (name == "dominance" and not several):
            continue
        if several and name in OF_ONE:
            if name in OF_EACH or len(models) <= MOST_EACH:
                for i, (key, model) in enumerate(models.items()):
                    yield from _tried(name, {key: model}, where, [i], suffix=f" of {key}")
        else:
            yield from _tried(name, models, where, list(range(len(models))))
    for difference in differences:
        yield from _tried("confidence_curve", difference, {}, [])


def _where(name: str) -> dict[str, Any] | None:
    if name in POINTS:
        return {"x": POINTS[name][0], "y": POINTS[name][1]}
    if name in RULES:
        return {"x": RULES[name]}
    if name in OVER_THRESHOLD:
        return {"x": "threshold", "y": name}
    return {} if name in WITHOUT_CUT else None


def _tried(
    name: str, models: Any, where: dict[str, Any], which: list[int], suffix: str = ""
) -> Iterator[dict[str, Any]]:
    """The chart, or why there is none: a class may lack, or the scores be infinite."""
    try:
        with debug_mode(False):  # the tests of the charts check them; here it would take longer than all else
            spec = chart(name, models).to_dict(check=False)
    except CutlineError as error:
        yield {"name": name, "title": name.replace("_", " "), "notes": [str(error)], "spec": None, "models": which}
        return
    title, notes = _heading(spec)
    notes = [note for note in notes if f" of {note}" != suffix]
    bars = _with_moving_areas(spec, next(iter(models.values()))) if name == "score_distribution" else None
    if where:
        _with_live_cut(spec, where, several=len(models) > 1)
    _thin(spec)
    _arranged(spec)
    spec["config"] = spec["config"] | {"aria": False, "font": "system-ui, sans-serif", "background": "transparent"}
    spec["description"] = title + suffix
    yield {
        "name": name,
        "title": (title or name.replace("_", " ").capitalize()) + suffix,
        "notes": notes,
        "spec": _coloured(spec),
        "models": which,
        "cut": where | _domains(spec) if where else None,
        "bars": bars,
    }


def _heading(spec: dict[str, Any]) -> tuple[str, list[str]]:
    """The title and the lines below it, which the page writes itself."""
    title = spec.pop("title", None)
    if "hconcat" in spec:  # its parts have titles of their own; the whole has the name of the model
        return "ROC and precision-recall under another prevalence", []
    if title is None and "vconcat" in spec:
        title = spec["vconcat"][0].pop("title", "")
    return (title["text"], title.get("subtitle", [])) if isinstance(title, dict) else (str(title), [])


# ---------------------------------------------------------------------- the cut


def _with_live_cut(spec: dict[str, Any], where: dict[str, Any], *, several: bool) -> None:
    """Take the mark of the chosen cut off, and lay one that the page moves on top."""
    inner = next((spec[key][0] for key in ("hconcat", "vconcat") if key in spec), spec)
    inner["layer"] = [layer for layer in inner["layer"] if not _is_cut(layer, spec["datasets"])]
    x = {"field": "x", "type": "quantitative"}
    y = {"field": "y", "type": "quantitative"}
    colour = {"field": "colour", "type": "nominal", "scale": None, "legend": None} if several else {"value": LIGHT.text}
    if "y" in where:
        ring = {"type": "point", "shape": "circle", "filled": False}
        halo = ring | {"size": 260, "strokeWidth": 6, "opacity": 0.9, "stroke": LIGHT.ground}
        dot = ring | {"size": 170, "strokeWidth": 3, "opacity": 1}
        layers = [(halo, {"x": x, "y": y}), (dot, {"x": x, "y": y, "stroke": colour})]
    else:
        rule = {"type": "rule", "strokeWidth": 2, "strokeDash": [5, 3]}
        layers = [(rule, {"x": x, "color": colour})]
    inner["layer"] += [
        {"data": {"name": LIVE}, "mark": mark | {"clip": False}, "encoding": encoding} for mark, encoding in layers
    ]
    spec["datasets"][LIVE] = []


def _domains(spec: dict[str, Any]) -> dict[str, Any]:
    """From where to where the axes of a chart go: beyond, a mark would hang in the air."""
    inner = next((spec[key][0] for key in ("hconcat", "vconcat") if key in spec), spec)

    def domain(axis: str) -> Any:
        scales = (layer["encoding"].get(axis, {}).get("scale") or {} for layer in inner["layer"])
        return next((scale["domain"] for scale in scales if "domain" in scale), None)

    return {"across": domain("x"), "up": domain("y")}


def _is_cut(layer: dict[str, Any], datasets: dict[str, Any]) -> bool:
    """Whether a layer shows the chosen cut and nothing else; from a layer of several marks the cut is taken away."""
    rows = datasets.get(layer.get("data", {}).get("name"), [])
    if not rows or not ("mark" in rows[0] or set(rows[0]) == {"name", "x"}):
        return False
    key = "mark" if "mark" in rows[0] else "name"
    for scale in filter(None, (layer["encoding"].get(look, {}).get("scale") for look in ("shape", "stroke"))):
        looks = {_other_names(n): s for n, s in zip(scale["domain"], scale["range"], strict=True) if _other_names(n)}
        scale |= {"domain": list(looks), "range": list(looks.values())}
    rows[:] = [row | {key: _other_names(row[key])} for row in rows if _other_names(row[key])]
    return not rows


def _other_names(name: str) -> str:
    """The names of a mark without that of the cut, with which it may share its place."""
    return ", ".join(part for part in name.split(", ") if not part.startswith(("cut: ", "cut at ", "chosen cut")))


def _with_moving_areas(spec: dict[str, Any], model: Evaluated) -> list[dict[str, Any]]:
    """Make room for the two kinds of errors as areas under the densities; the bars that the page cuts them from."""
    spec["layer"] = [layer for layer in spec["layer"] if _mark_type(layer) != "rect"]
    errors = {ERRORS["positives"]: LIGHT.colour(0), ERRORS["negatives"]: LIGHT.colour(1)}
    areas = {
        "data": {"name": AREAS},
        "mark": {"type": "rect", "opacity": 0.35},
        "encoding": {
            "x": {"field": "x", "type": "quantitative"},
            "x2": {"field": "x2"},
            "y": {"field": "y", "type": "quantitative"},
            "y2": {"field": "zero"},
            "fill": {
                "field": "error",
                "type": "nominal",
                "scale": {"domain": list(errors), "range": list(errors.values())},
                "legend": {"title": "Errors at the cut", "orient": "right"},
            },
        },
    }
    spec["layer"].insert(0, areas)
    spec["datasets"][AREAS] = []
    found = curve(model.ranking, "score_distribution", through=model.threshold)
    below, above = ("positives", "negatives") if model.ranking.higher_is_positive else ("negatives", "positives")
    density = {"positives": found.y, "negatives": found.also["negatives"]}
    edges = found.x.tolist()
    return [
        {"x": min(one, other), "x2": max(one, other), "y": y, "zero": 0, "below": is_below, "error": ERRORS[name]}
        for is_below, name in ((True, below), (False, above))
        for one, other, y in zip(edges[:-1], edges[1:], density[name][1:].tolist(), strict=True)
    ]


def _mark_type(layer: dict[str, Any]) -> Any:
    mark = layer.get("mark")
    return mark.get("type") if isinstance(mark, dict) else mark


# ---------------------------------------------------------------------- looks


def _thin(spec: dict[str, Any]) -> None:
    """Fewer points under the pointer, the more lines there are: the lines themselves keep all of theirs."""
    for rows in spec["datasets"].values():
        if rows and "series" in rows[0] and isinstance(rows[0].get("threshold"), list):
            most = max(_HOVERED // len(rows), 1)
            for row in rows:
                step = max(-(-len(row["x"]) // most), 1)
                row |= {key: column[::step] for key, column in row.items() if isinstance(column, list)}


def _arranged(node: Any) -> None:
    """Legends under the chart instead of beside it: two charts stand side by side then, and one fits on a phone."""
    if isinstance(node, dict):
        if node.get("field") == "width":  # a number to be taken as it is, of which Vega-Lite wants to hear an order
            node["type"] = "ordinal"
        legend = node.get("legend")
        if isinstance(legend, dict) and legend.get("orient") == "right":
            legend |= {"orient": "bottom", "direction": "vertical", "columns": 1, "symbolSize": 120, "labelLimit": 380}
        for key, child in node.items():
            if key != "datasets":
                _arranged(child)
    elif isinstance(node, list):
        for child in node:
            _arranged(child)


COLOURS = {
    **{colour: f"var(--line-{i})" for i, colour in enumerate(LIGHT.lines)},
    LIGHT.text: "var(--ink)",
    LIGHT.grid: "var(--grid)",
    LIGHT.reference: "var(--reference)",
    LIGHT.ground: "var(--ground)",
}


def _coloured(node: Any) -> Any:
    """The colours of the light theme as variables of the page's style: they follow it into the dark and to print."""
    if isinstance(node, str):
        return COLOURS.get(node, node)
    if isinstance(node, dict):
        return {key: _coloured(child) for key, child in node.items()}
    if isinstance(node, list):
        return [_coloured(child) for child in node]
    return node
