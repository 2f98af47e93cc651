"""One self-contained page: a view of a finished summary, with template, style, program and data in one file."""

from __future__ import annotations

import base64
import gzip
import hashlib
import itertools
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache, partial
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cutline.charts import CHARTS, DARK, LIGHT, PAGE, Place, Theme, vega
from cutline.charts.bars_and_densities import MOST_BARS
from cutline.charts.forest import difference_forest
from cutline.core import parallel
from cutline.core.counts import TrustedCounts, written
from cutline.core.messages import listed
from cutline.core.ranking import Array, Ranking
from cutline.core.table import plain, shown
from cutline.measures import MEASURES
from cutline.report import calibration, chart_specs, cut_grid, guarantee, headline, measure_rows, pictures, programs
from cutline.report.cut import opening
from cutline.report.measure_rows import of_the_cut, slug
from cutline.report.sections import groups
from cutline.results.comparison_summary import ComparisonSummary
from cutline.results.cut_words import grouped
from cutline.results.method_titles import TITLES
from cutline.results.summary import Summary

if TYPE_CHECKING:
    from cutline.ledger.tool_table import ToolTable


MOST = 50  # rows; of a longer list the first ones, and others at equal distances
FIRST = 20
COLUMNS = (
    "Score", "Positives here", "Negatives here",
    "Flagged", "Found", "False alarms", "Recall", "False positive rate", "Precision",
)  # fmt: skip


def ranking_table(r: Ranking, name: str) -> dict[str, Any]:
    """Return the rows of the table, and in words which of all they are."""
    index = chosen(np.asarray(r.ends[1:], float))
    tp, fp = r.tp[index + 1], r.fp[index + 1]
    table = TrustedCounts(tp, fp, r.positives - tp, r.negatives - fp)
    shares = [MEASURES[name].compute(table) for name in ("recall", "fpr", "precision")]
    counts = (r.pos[index], r.neg[index], table.flagged, tp, fp)
    cells = (
        [_score(score) for score in r.score[index].tolist()],
        *([grouped(count) for count in column.tolist()] for column in counts),
        *([shown(float(share)) for share in column.tolist()] for column in shares),
    )
    which = (
        f"All {len(r)} distinct scores"
        if len(index) == len(r)
        else f"{len(index)} of {grouped(len(r))} distinct scores: the first {FIRST}, then others evenly spread"
    )
    return {"name": name, "which": which, "rows": list(zip(*cells, strict=True))}


def chosen(ends: Array) -> Array:
    """Return which scores stand in the table, by their places, from how many cases have that score or a better one."""
    if len(ends) <= MOST:
        return np.arange(len(ends))
    places = np.linspace(ends[FIRST - 1], ends[-1], MOST - FIRST + 1)
    return np.unique(np.concatenate((np.arange(FIRST), np.searchsorted(ends, places))).clip(0, len(ends) - 1))


def _score(score: float) -> str:
    return written(score) if np.isfinite(score) else "∞" if score > 0 else "\N{MINUS SIGN}∞"


# In the order in which they need each other: the page has them as one program.
MODULES = (
    "format",
    "ranking",
    "program",
    "intervals",
    "points",
    "charts",
    "link",
    "live",
    "files",
    "numbers",
    "bounds",
    "levels",
    "sentences",
    "fields",
    "promises",
    "saving",
    "tabs",
    "shell",
    "main",
)
# Those of a page without a movable cut.
STILL = ("files", "saving", "shell", "still")
WIDE_CHARTS = ("skew", "dominance")
MOST_PAIRS = 6  # of which each gets a chart of its difference
# Which the fields, the table of all models and the promises show, whatever the charts do.
_POINTS = ("precision", "recall", "fpr", "predicted_positive_rate", "expected_cost", "total_cost")


class Shown(NamedTuple):
    """What a chart needs of a model; whether its cases come in groups says whether they may be resampled one by one."""

    ranking: Ranking
    threshold: float
    grouped: bool


def page(summary: Summary | ComparisonSummary, tools: ToolTable | None = None) -> str:
    """Return the page of one model or of several: a view of their finished summary, which computes nothing."""
    library = in_background(vega)
    if isinstance(summary, Summary):
        models, context, pairs = {summary.name or "the model": summary}, _of_one(summary), ()
    else:
        models, context, pairs = headline.best_first(summary), _of_several(summary), tuple(summary.confidence)
    shown = {
        name: Shown(own.data.ranking, float(own.cut.threshold), bool(own.data.groups)) for name, own in models.items()
    }
    probabilities = calibration.trust(models)
    differences = pairs if len(pairs) <= MOST_PAIRS else ()
    has_trust = bool(probabilities and probabilities["models"])
    how: dict[str, Any] = {"seed": summary.options.seed, "resamples": summary.options.resamples}
    specs = chart_specs.charts(shown, differences, trusted=has_trust, level=summary.level, **how)
    with parallel.beside(partial(guarantee.embedded, models)) as promises:  # which take long for long lists
        charts, stills = _with_stills(itertools.chain(_forest(summary), specs), models)
        held = {name: cut_grid.choose_cuts(own.data.ranking, own.counts, len(models)) for name, own in models.items()}
        data = _data(summary, models, held, charts) | {"promises": promises()}
    context |= _common(summary, models, held) | {"trust": probabilities, "tools": tools}
    scripts = {"library": library.result(), "program": script()}
    context["charts"] = _figures(charts, [still.result() for still in stills], context["captions"])
    template = environment().get_template("page")
    written: str = template.render(
        **context,
        groups=groups(context),
        policy=policy(scripts.values()),
        style=asset("style.css") + theme_variables(),
        scripts=scripts,
        data=packed(data),
    )
    return written


def _forest(summary: Summary | ComparisonSummary) -> Iterator[dict[str, Any]]:
    """Return the differences that the terminal shows, as a picture beside the curves: of two models the first minus the
    second, of several each minus the best.
    """
    if isinstance(summary, ComparisonSummary):
        names = list(headline.best_first(summary))
        reference = names[0] if len(names) > 2 else list(summary.models)[-1]
        rows = measure_rows.forest_rows(summary, [reference, *(name for name in names if name != reference)])
        if rows:
            picture = difference_forest(rows, reference, names)
            yield chart_specs.of_picture(picture, shrink=False) | {"name": "differences", "models": [], "panel": 2}


def _of_one(summary: Summary) -> dict[str, Any]:
    return {
        "title": summary.name or "Evaluation",
        "heading": summary.heading,
        "verdict": headline.verdict(summary),
        "captions": headline.captions(summary),
        "cards": measure_rows.cards(summary) if len(summary.rows) <= measure_rows.MOST_CARDS else [],
        "comparison": None,
        "others": measure_rows.others(summary),
    }


def _of_several(summary: ComparisonSummary) -> dict[str, Any]:
    names = list(headline.best_first(summary))
    return {
        "title": listed(names) if len(names) < 4 else f"{len(names)} models",
        "heading": summary.title,
        "verdict": headline.verdict_on(summary),
        "captions": {},
        "cards": [],
        "comparison": measure_rows.side_by_side(summary, names),
        "others": [],
    }


def _common(
    summary: Summary | ComparisonSummary,
    models: Mapping[str, Summary],
    held: Mapping[str, cut_grid.CutGrid],
) -> dict[str, Any]:
    """Return the template context that one model and several share."""
    first, grid = next(iter(models.values())), next(iter(held.values()))
    live, more_live = measure_rows.live_tables(first)
    versions = ", ".join(f"{name} {number}" for name, number in summary.versions.items())
    return {
        "notes": headline.page_notes(summary.notes),
        "warnings": headline.page_notes(headline.warnings(summary)),
        "row_notes": summary.row_notes,
        "live": live,
        "more_live": more_live,
        "models": list(models),
        "level": f"{100 * summary.level:g} %",
        "higher": first.data.ranking.higher_is_positive,
        "opening": opening(models, grid.place(first.data.ranking, first.counts), len(grid.cuts) - 1),
        "left_out": cut_grid.left_out(first.data.ranking, grid),
        "rankings": [ranking_table(own.data.ranking, name) for name, own in models.items()],
        "ranking_columns": COLUMNS,
        "conventions": first.conventions | {"Versions": versions},
        "promise": guarantee.shown_first(first),
        "undrawn": chart_specs.undrawn(len(models)),
    }


def _data(
    summary: Summary | ComparisonSummary,
    models: Mapping[str, Summary],
    held: Mapping[str, cut_grid.CutGrid],
    charts: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    """Return the data of the page's program, without the guarantees."""
    rows = [(row.name, row.measure) for row in next(iter(models.values())).rows if of_the_cut(row)]
    points = [name for picture in charts for name in _coordinates(picture)]
    program = programs.embedded(rows, (*points, *_POINTS), summary.level)
    program["measures"] = [entry | {"id": slug(entry["name"])} for entry in program["measures"]]
    return {
        "models": [
            cut_grid.embedded(own, name, held[name])
            | {
                "looked_up": programs.looked_up(
                    rows, own.data.ranking, held[name].cuts, summary.level, grouped=bool(own.data.groups)
                )
            }
            for name, own in models.items()
        ],
        "program": program,
        "methods": TITLES,
        "charts": charts,
        "document": summary.document(),
    }


def _coordinates(picture: Mapping[str, Any]) -> list[str]:
    """Return the measures that place the cut on a chart."""
    where = picture.get("cut") or {}
    return [where[axis].removesuffix("_deviate") for axis in ("x", "y") if where.get(axis)]


# ---------------------------------------------------------------------- charts


def _with_stills(
    charts: Iterable[dict[str, Any]], models: Mapping[str, Summary]
) -> tuple[list[dict[str, Any]], list[Future[str]]]:
    """Return the charts, and still pictures of those at the top of the page, within its size limit.

    Another thread renders a picture while the next chart is made. Folded charts are drawn by the page's program
    alone.
    """
    counts, room = [own.counts for own in models.values()], pictures.MOST_BYTES

    def still(chart: Mapping[str, Any], index: int) -> str:
        nonlocal room
        if chart["spec"] is None:
            return ""
        if chart.get("panel") is None or room <= 0:
            return pictures.LATER
        picture = pictures.still(chart, counts, index)
        room -= len(picture)
        return picture

    pool = ThreadPoolExecutor(1)  # of one, so that the room is taken in their order
    made, stills = [], []
    for index, chart in enumerate(charts):
        made.append(chart)
        stills.append(pool.submit(still, chart, index))
    pool.shutdown(wait=False)
    return made, stills


def _figures(charts: Sequence[Mapping[str, Any]], stills: Sequence[str], captions: Mapping[str, str]) -> dict[str, Any]:
    """Return the charts for the template: the panels at the top, those of the probabilities, and those that are
    folded.
    """
    every = [
        {key: chart[key] for key in ("name", "title", "notes")}
        | {"index": i, "picture": stills[i], "wide": chart["name"] in WIDE_CHARTS, "panel": chart.get("panel")}
        for i, chart in enumerate(charts)
    ]
    for chart in every:
        if chart["panel"] is not None and chart["name"] in captions:
            chart["notes"] = [captions[chart["name"]]]
    top = sorted((chart for chart in every if chart["panel"] is not None), key=lambda chart: chart["panel"])
    rest = [chart for chart in every if chart["panel"] is None]
    trusted = [kind.name for kind in CHARTS.at(Place.TRUST)]
    return {
        "panels": [list(own) for _, own in itertools.groupby(top, key=lambda chart: chart["panel"])],
        "trust": [chart for chart in rest if chart["name"] in trusted],
        "more": [chart for chart in rest if chart["name"] not in trusted],
    }


# ---------------------------------------------------------------------- one file


def environment() -> Any:
    """Return the Jinja environment: the parts of the page by name, and the number formats."""
    from jinja2 import Environment, FunctionLoader

    environment = Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True, loader=FunctionLoader(_template), auto_reload=False
    )
    environment.filters |= {
        "shown": measure_rows.number,
        "interval": measure_rows.interval,
        "interval_or_reason": measure_rows.interval_or_reason,
        "scale": measure_rows.scale,
        "p_value": measure_rows.p_value,
    }
    return environment


def _template(name: str) -> str:
    return asset("page.html" if name == "page" else f"parts/{name}.html")


def packed(data: Any) -> str:
    """Pack data as text that cannot contain markup, in a tenth of the bytes: JSON, compressed, in base 64."""
    text = json.dumps(data, allow_nan=False, separators=(",", ":"), default=_plain)
    return base64.b64encode(gzip.compress(text.encode(), 6, mtime=0)).decode()


def _plain(value: Any) -> Any:
    return plain(value.item()) if isinstance(value, np.generic) else str(value)


def in_background(work: Callable[[], Any]) -> Future[Any]:
    """Return the promise of something that another thread makes meanwhile."""
    pool = ThreadPoolExecutor(1)
    promised = pool.submit(work)
    pool.shutdown(wait=False)
    return promised


@cache
def script(modules: tuple[str, ...] = MODULES) -> str:
    """Return the modules of a page as one program."""
    text = "\n".join(asset(f"{name}.js") for name in modules)
    return re.sub(r"^(?:import .*\n|export )", "", text, flags=re.MULTILINE)


@cache
def asset(name: str) -> str:
    """Return a file of the page."""
    return (files("cutline.report") / "assets" / name).read_text(encoding="utf-8")


def policy(programs: Any) -> str:
    """Return the content security policy: these very programs and this style; nothing can be fetched or sent."""
    hashes = " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(p.encode()).digest()).decode()}'" for p in programs)
    rules = ("default-src 'none'", f"script-src {hashes}", "style-src 'unsafe-inline'", "img-src data:")
    return "; ".join((*rules, "base-uri 'none'", "form-action 'none'"))


def page_colours(theme: Theme) -> dict[str, str]:
    """Return the colours of a theme by the names of the style's variables."""
    bars = {
        name[len("var(") : -1]: colour
        for count in range(2, MOST_BARS + 1)
        for name, colour in zip(PAGE.fills(count)[1:], theme.fills(count)[1:], strict=True)
    }
    return (
        {f"--line-{i}": colour for i, colour in enumerate(theme.lines)}
        | bars
        | {
            "--ink": theme.text,
            "--grid": theme.grid,
            "--reference": theme.reference,
            "--ground": theme.ground,
        }
    )


def theme_variables() -> str:
    """Return the colours of the charts' two themes as variables of the style."""

    def variables(theme: Theme) -> str:
        return ";".join(f"{name}:{colour}" for name, colour in page_colours(theme).items())

    dark = variables(DARK)
    return (
        f"\n:root{{{variables(LIGHT)}}}\n:root[data-theme=dark]{{{dark}}}\n"
        f"@media print{{:root,:root[data-theme=dark]{{{variables(LIGHT)}}}}}\n"
    )
