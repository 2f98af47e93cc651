"""Draw every chart on the example predictions, and write docs/gallery.md and docs/charts.md: `make gallery`.

python examples/gallery.py roc lift     # draws these again, and those that have no picture yet
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import cutline as cl
from cutline.charts import CHARTS, ChartKind, Picture, Place, Shows
from cutline.examples import load

DOCS = Path(__file__).parents[1] / "docs"
BYTES = 150_000
OVER_THRESHOLD = "f1"  # stands for every measure of one cut


def evaluations() -> tuple[cl.Evaluation, cl.Comparison]:
    """Berrar's ten cases at his cut t5, and the two models of the tumours."""
    ten, tumours = load("ten_cases"), load("tumours")
    cases = cl.evaluate(ten.labels, ten.scores["score"], positive=ten.positive, threshold=0.55, name="ten cases")
    return cases, cl.compare(tumours.labels, dict(tumours.scores), positive=tumours.positive)


def three_classes() -> cl.OneVsRest:
    """The probabilities of three classes that a simulated model gives."""
    rng = np.random.default_rng(0)
    truth = rng.choice(3, 400, p=[0.6, 0.3, 0.1])
    weights = np.exp(1.5 * np.eye(3)[truth] + rng.normal(size=(400, 3)))
    names = np.array(["ant", "bee", "cat"])
    return cl.one_vs_rest(names[truth], weights / weights.sum(1, keepdims=True), name="three classes")


def kinds() -> list[ChartKind]:
    """The charts of the gallery, and one that stands for those of measures."""
    return [*CHARTS.at(Place.GALLERY), CHARTS[OVER_THRESHOLD]]


def pictures() -> Iterator[tuple[str, str, Picture]]:
    """Each picture, under the name of its file and the chart it shows."""
    cases, tumours = evaluations()
    first = next(iter(tumours))
    for kind in kinds():
        name = kind.name
        if kind.shows is Shows.NOTHING:
            yield name, name, cl.chart(name)
        elif kind.shows is Shows.CLASSES:
            yield name, f"three-{name}", three_classes().chart(name)
        elif kind.shows is Shows.TABLES:
            yield name, f"murphy-{name}", cl.chart(name, load("murphy_table_4").tables, equal="accuracy")
        elif kind.shows in (Shows.TWO_OR_MORE, Shows.DIFFERENCE):
            yield name, f"tumours-{name}", tumours.chart(name)
        else:
            yield name, f"ten-cases-{name}", cases.chart(name)
            yield name, f"tumours-{name}", cl.chart(name, {first: tumours[first]})
    yield from more(cases, tumours)


def more(cases: cl.Evaluation, tumours: cl.Comparison) -> Iterator[tuple[str, str, Picture]]:
    """The charts with several models, in the other themes, and with their parameters."""
    for name in ("roc", "precision_recall", "gain", "qrecall", "portion_lift", "net_benefit", OVER_THRESHOLD):
        yield name, f"tumours-two-{name}", tumours.chart(name)
    for kind in ("precision_recall", "accuracy"):
        yield "dominance", f"tumours-dominance-{kind}", tumours.chart("dominance", kind=kind)
    for name in ("roc", "qrecall", "confusion_matrix"):
        yield name, f"ten-cases-{name}-dark", cases.chart(name, theme="dark")
    yield "roc", "tumours-two-roc-dark", tumours.chart("roc", theme="dark")
    yield "roc", "tumours-two-roc-print", tumours.chart("roc", theme="print", width="85mm", height="100mm")
    yield "roc", "ten-cases-roc-costs", cases.chart("roc", cost_fp=1.0, cost_fn=2.0)
    for area in ("auc", "gini", "auch"):
        yield "roc", f"ten-cases-roc-{area}", cases.chart("roc", shade=area, eer_line=area == "auc", hull=False)
    yield "roc", "tumours-two-roc-equal", tumours.chart("roc", equal="accuracy")
    yield "precision_recall", "tumours-two-precision_recall-equal", tumours.chart("precision_recall", equal="f1")


def call(kind: ChartKind) -> str:
    """How a chart is drawn in Python."""
    of = {Shows.NOTHING: "cl", Shows.TWO_OR_MORE: "cmp", Shows.DIFFERENCE: "cmp", Shows.CLASSES: "found"}.get(
        kind.shows, "ev"
    )
    return f'cl.chart("{kind.name}", tables)' if kind.shows is Shows.TABLES else f'{of}.chart("{kind.name}")'


def command(kind: ChartKind) -> str:
    """How a chart is drawn from the command line."""
    if kind.shows is Shows.NOTHING:
        return f"cutline chart {kind.name} -o {kind.name}.svg"
    if kind.shows is Shows.CLASSES:
        return f"cutline chart predictions.csv {kind.name} --label y --class-scores a,b,c -o {kind.name}.svg"
    scores = "--score a --score b" if kind.shows in (Shows.TWO_OR_MORE, Shows.DIFFERENCE) else "--score p"
    return f"cutline chart predictions.csv {kind.name} --label y {scores} -o {kind.name}.svg"


def gallery_page(shown: dict[str, list[str]]) -> str:
    """docs/gallery.md: a wall of the charts that people use most, then all pictures, those of many cases first."""
    headings = {kind.name: f"{kind.title} ({kind.source})" if kind.source else kind.title for kind in kinds()}
    lines = ["# Gallery", "", "One call draws each of them, and one more saves it as SVG, PNG, PDF or HTML.", ""]
    lines += ['<div class="wall" markdown>', ""]
    for name, stem in WALL.items():
        title = next(kind.title for kind in kinds() if kind.name == name)
        lines += [f'[<img src="gallery/{stem}.png" alt="{title}">](#{anchor(headings[name])})', ""]
    lines += ["</div>", "", "All charts, on 569 tumours and on Berrar's ten cases; `make gallery` draws them."]
    for kind in kinds():
        lines += ["", f"## {headings[kind.name]}", "", kind.caption, "", f"`{call(kind)}`", ""]
        stems = sorted(shown[kind.name], key=lambda stem: stem.startswith("ten-cases"))
        lines += [f"![{stem.replace('-', ' ')}](gallery/{stem}.png)" for stem in stems]
    return "\n".join(lines) + "\n"


# The charts that people use most, with the picture that shows each best.
WALL = {
    "roc": "tumours-two-roc",
    "precision_recall": "tumours-two-precision_recall",
    "score_distribution": "tumours-score_distribution",
    "reliability": "tumours-reliability",
    "gains": "tumours-gains",
    "net_benefit": "tumours-two-net_benefit",
    "confusion_matrix": "tumours-confusion_matrix",
    "dominance": "tumours-dominance",
    "confidence_curve": "tumours-confidence_curve",
    "risk_by_outcome": "tumours-risk_by_outcome",
    "quota": "tumours-quota",
    "class_roc": "three-class_roc",
}


def anchor(heading: str) -> str:
    """Return the place of a heading in its page, as Markdown makes it.

    >>> anchor("ROC curve (Berrar, Figure 5a)")
    'roc-curve-berrar-figure-5a'
    """
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower())


CHARTS_INTRODUCTION = """# Charts

Every chart with its call and its command; the [gallery](gallery.md) shows them, [curves.md](curves.md) says how lines
are joined. In the calls `ev` is what `cl.evaluate` gives, `cmp` what `cl.compare` gives, `found` what `cl.one_vs_rest`
gives, and `tables` counts by name.
Every chart takes `theme` ("light", "dark", "print"), `title`, `width` and `height` (of the whole picture: 400, "85mm",
"3in"; with a width alone the axes keep their shape); its own parameters are listed with their defaults. On the
command line these are `--theme`, `--title`, `--width`, `--height`, `--dpi` and `--set name=value`; `cutline chart
FILE all -o folder` draws all of them. `fig, ax = plt.subplots(); ev.chart("roc", ax=ax)` draws any chart that is made
of curves on axes of matplotlib, in a figure of your own, with the same lines, marks and bands.
`make gallery` writes this page.
"""


# What the names of parameters do not say.
PARAMETERS = {
    "ranking_table": "`ids` names the cases from the top of the list (with `scores`, in the order of these scores) and "
    "adds the thresholds t1, t2, ... between the rows; `columns` is any choice of threshold, id, class, score, "
    "positives, negatives, tp, hinge and measures of one cut.",
}


def charts_page() -> str:
    """docs/charts.md: every chart with its call and its command."""
    lines = [CHARTS_INTRODUCTION.rstrip()]
    for kind in kinds():
        takes = ", ".join(f"`{name}={default!r}`" for name, default in kind.parameters.items() if name != "measure")
        facts = [f"Shows {kind.shows.value}."]
        facts += [f"Needs {kind.needs.words}."] if kind.needs else []
        facts += [f"Parameters: {takes}."] if takes else []
        facts += [f"Source: {kind.source}."] if kind.source else []
        facts += [PARAMETERS[kind.name]] if kind.name in PARAMETERS else []
        lines += ["", f"## {kind.name}", "", kind.caption, "", " ".join(facts), "", f"    {call(kind)}"]
        lines += [f"    {command(kind)}"]
    lines += [
        "",
        "`f1` stands for every measure of one cut: each is a chart over the threshold, with its own parameters.",
    ]
    return "\n".join(lines) + "\n"


def main(*only: str) -> None:
    """Draw the pictures, or those of some charts and the missing ones, and write the pages."""
    folder = DOCS / "gallery"
    folder.mkdir(exist_ok=True)
    old = {path.name for path in folder.glob("*.png")}
    shown: dict[str, list[str]] = {kind.name: [] for kind in kinds()}
    for name, stem, picture in pictures():
        path = folder / f"{stem}.png"
        if not only or name in only or not path.exists():
            picture.save(path, scale=1.5)
            size = path.stat().st_size
            print(f"{size:8} {path.name}")
            if size > BYTES:
                raise SystemExit(f"{path.name} has {size} bytes, more than {BYTES}")
        shown[name].append(stem)
        old.discard(path.name)
    for name in old:  # pictures of charts that are gone
        (folder / name).unlink()
    (DOCS / "gallery.md").write_text(gallery_page(shown), encoding="utf-8")
    (DOCS / "charts.md").write_text(charts_page(), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
