"""The generated pages of the site, and its order; MkDocs runs this when it builds."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import mkdocs_gen_files

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from behaviour import picture  # noqa: E402
from measure_page import page  # noqa: E402

import cutline as cl  # noqa: E402
from cutline.measures import MEASURES, Family  # noqa: E402

ROOT = HERE.parents[1]
TUTORIALS = {
    "scikit_learn": "For users of scikit-learn",
    "credit": "Credit: points, approvals, gains",
    "clinical": "Clinical: two readers, five points",
    "fraud": "Fraud: millions of rows, alerts a day",
    "marketing": "Marketing: a quota, and what it earns",
    "teacher": "Teaching: Berrar's ten cases",
    "your_own": "Your own measure and chart",
}
HOW_TO = {
    "Choose a cut": "choosing-a-cut.md",
    "Compare models": "comparing.md",
    "Several classes": "several-classes.md",
    "Read files and frames": "data.md",
    "Gate a release": "ci.md",
    "Draw charts": "charts.md",
    "Read the report": "report.md",
    "Define a measure": "own-measures.md",
    "Train for a measure": "training.md",
}
CONCEPTS = {
    "Intervals": "intervals.md",
    "How often they cover": "coverage.md",
    "Calibration": "calibration.md",
    "Curves": "curves.md",
    "Equivalent measures": "identities.md",
    "Errata of the literature": "errata.md",
    "What to measure": "advice.md",
    "Reliability": "reliability.md",
}
MORE = {"Why two tools differ": "ledger.md", "Scale": "scale.md", "Speed": "speed.md"}
API = {
    "Evaluate and compare": [
        "evaluate",
        "evaluate_model",
        "Evaluation",
        "compare",
        "Comparison",
        "one_vs_rest",
        "compare_counts",
    ],
    "Cuts": ["choose_cut", "Cut", "CutClassifier", "decision_curve", "cost_curve", "brier_curve", "profit_curve"],
    "Calibration": ["recalibrate", "worth_recalibrating", "CalibratedModel", "plan"],
    "Measures": ["measure", "check_measure", "Measure", "Counts", "rank", "Ranking"],
    "Inference": ["Estimate", "mcnemar", "band", "roc_band", "bootstrap_model", "permutation_test"],
    "Training": ["LinearMeasureClassifier", "boosting_loss", "boosting_metric", "scorer"],
    "Charts, files and errors": ["chart", "Picture", "load", "CutlineError"],
}


def write(path: str, text: str) -> None:
    """One generated page."""
    with mkdocs_gen_files.open(path, "w") as file:
        file.write(text)


def measures() -> list[str]:
    """A page for each measure, and their lines in the navigation."""
    lines = []
    for family in Family:
        lines.append(f"    * {family.value}")
        for measure in MEASURES.search(family=family):
            drawn = picture(measure)
            if drawn is not None:
                with mkdocs_gen_files.open(f"measures/{measure.name}.svg", "wb") as file:
                    file.write(drawn.render(".svg"))
            write(f"measures/{measure.name}.md", page(measure, f"{measure.name}.svg" if drawn is not None else None))
            lines.append(f"        * [{measure.title}](measures/{measure.name}.md)")
    return lines


def interactive() -> None:
    """The report of an example, in a frame."""
    example = cl.examples.load("tumours")
    ev = cl.evaluate(example.labels, example.scores["logistic"], positive=example.positive, name="logistic")
    with tempfile.TemporaryDirectory() as folder:
        saved = ev.save(Path(folder) / "report.html", resamples=200)
        with mkdocs_gen_files.open("playground.html", "wb") as file:
            file.write(saved.read_bytes())
    write(
        "interactive.md",
        "# Drag the threshold\n\nThe report of 569 tumours, as `cutline evaluate --html` writes it. Drag the "
        "threshold, or set a requirement or costs, and see what each measure does. Nothing is sent anywhere.\n\n"
        '<iframe class="report" src="playground.html" title="The report of 569 tumours"></iframe>\n\n'
        "[Open it on a page of its own](playground.html)\n",
    )


def reference() -> list[str]:
    """The pages of the public names, and their lines in the navigation."""
    lines = []
    for title, names in API.items():
        slug = title.lower().replace(",", "").replace(" ", "-")
        blocks = "\n\n".join(f"::: cutline.{name}" for name in names)
        write(f"api/{slug}.md", f"# {title}\n\n{blocks}\n")
        lines.append(f"    * [{title}](api/{slug}.md)")
    return lines


def section(title: str, pages: dict[str, str]) -> list[str]:
    """A part of the navigation, without pages that are not there."""
    there = [f"    * [{name}]({path})" for name, path in pages.items() if (ROOT / "docs" / path).exists()]
    return [f"* {title}", *there] if there else []


def navigation() -> str:
    """The order of the site."""
    companions = {
        path.stem.replace("-", " and ").title(): f"companion/{path.name}"
        for path in sorted((ROOT / "docs/companion").glob("*.md"))
    }
    studies = {path.stem.title(): f"studies/{path.name}" for path in sorted((ROOT / "docs/studies").glob("*.md"))}
    lines = [
        "* [Home](index.md)",
        *section("Tutorials", {title: f"tutorials/{name}.py" for name, title in TUTORIALS.items()}),
        "    * [Drag the threshold](interactive.md)",
        *section("How-to", HOW_TO),
        *section("Concepts", CONCEPTS),
        "* Measures",
        "    * [All measures](measures.md)",
        *measures(),
        *section("Charts", {"Gallery": "gallery.md"}),
        "* API",
        *reference(),
        *section("Command line", {"Commands": "cli.md"}),
        *section("Sources", companions | studies | MORE),
        "* [Changelog](changelog.md)",
    ]
    return "\n".join(lines) + "\n"


interactive()
write("changelog.md", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))
write("SUMMARY.md", navigation())
