"""The generated pages of the site, and its order; MkDocs runs this when it builds."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import mkdocs_gen_files

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from behaviour import picture  # noqa: E402
from measure_page import page  # noqa: E402

import cutline as cl  # noqa: E402
from cutline import file_page  # noqa: E402
from cutline.measures import MEASURES, Family  # noqa: E402

ROOT = HERE.parents[1]
# Half of the time goes into notebooks, the reference and the pages of measures: a test of the look leaves most away.
WHOLE = os.environ.get("CUTLINE_SITE_WHOLE", "true") == "true"
SOME = tuple(f"measures/{name}.md" for name in ("index", "mcc", "kappa", "ks", "ece"))
CATALOGUE = """# All measures

Every measure has a page: its formula, what it is blind to, how it reacts to prevalence, threshold and ties, its
interval and how often that holds, what other packages call it, a worked example, and commands that you can copy."""
TUTORIALS = {
    "scikit_learn": "For users of scikit-learn",
    "credit": "Credit: points, approvals, gains",
    "clinical": "Clinical: two readers, five points",
    "fraud": "Fraud: millions of rows, alerts a day",
    "marketing": "Marketing: a quota, and what it earns",
    "reviewer": "Reviewing: who is served worse",
    "teacher": "Teaching: Berrar's ten cases",
    "your_own": "Your own measure and chart",
}
HOW_TO = {
    "Install": "install.md",
    "Five first tasks": "five-tasks.md",
    "What is it called here?": "words.md",
    "All features": "features.md",
    "Use the app": "app.md",
    "Choose a cut": "choosing-a-cut.md",
    "Compare models": "comparing.md",
    "Compare slices": "slices.md",
    "Cross-validation": "cross-validation.md",
    "Several classes": "several-classes.md",
    "A quota in each period": "quotas.md",
    "Read files and frames": "data.md",
    "Gate a release": "ci.md",
    "Watch a release": "monitoring.md",
    "Read the report": "report.md",
    "Define a measure": "own-measures.md",
    "Train for a measure": "training.md",
}
CONCEPTS = {
    "How intervals are made": "how-intervals-are-made.md",
    "Intervals": "intervals.md",
    "How often they cover": "coverage.md",
    "How often tests err": "test-errors.md",
    "Methods for intervals, compared": "coverage-methods.md",
    "Calibration": "calibration.md",
    "Curves": "curves.md",
    "Equivalent measures": "identities.md",
    "Errata of the literature": "errata.md",
    "What to measure": "advice.md",
    "Reliability": "reliability.md",
}
API = {
    "Evaluate": ["evaluate", "Evaluation", "evaluate_model", "QuotaPeriods", "compare_periods", "Estimate", "Note"],
    "Compare": [
        "compare",
        "Comparison",
        "compare_independent",
        "IndependentComparison",
        "compare_counts",
        "compare_datasets",
        "DatasetComparison",
        "mcnemar",
        "Discordance",
    ],
    "Slices": ["Slices", "find_slices", "compare_by_slice", "SliceComparison"],
    "Several classes": ["one_vs_rest", "OneVsRest", "MultiLabel", "compare_classes", "ClassComparison"],
    "Cross-validation": [
        "cross_validate",
        "CrossValidation",
        "NestedCrossValidation",
        "FoldEvaluation",
        "compare_folds",
        "FoldComparison",
        "bootstrap_model",
        "ModelBootstrap",
        "permutation_test",
    ],
    "Cuts": [
        "choose_cut",
        "cut_at",
        "Cut",
        "CutClassifier",
        "screen",
        "Screening",
        "decision_curve",
        "decision_difference",
        "cost_curve",
        "brier_curve",
        "profit_curve",
        "UtilityCurve",
    ],
    "Calibration": [
        "Calibration",
        "recalibrate",
        "Recalibration",
        "worth_recalibrating",
        "Worth",
        "CalibratedModel",
        "plan",
        "Plan",
    ],
    "Monitoring": ["monitor", "Monitor", "Alarm", "expected", "Expected", "drift", "Drift"],
    "Measures": [
        "measure",
        "check_measure",
        "Measure",
        "MEASURES",
        "Counts",
        "rank",
        "Ranking",
        "Bracket",
        "information_scores",
        "check_proper",
        "Properness",
        "entropy",
        "kl_divergence",
        "expected_reward",
        "ranked_probability_score",
        "triplet_loss",
        "mean_triplet_loss",
        "pem_areas",
        "PemAreas",
        "losses",
    ],
    "Advice": ["advise", "Situation", "Recommendation", "why", "value_as"],
    "Bands and curves": ["Curve", "CURVES", "Band", "band", "roc_band", "pr_band", "calibration_band"],
    "Training": ["LinearMeasureClassifier", "boosting_loss", "boosting_metric", "auc_pairs", "scorer", "Scorer"],
    "Charts, files and errors": [
        "chart",
        "CHARTS",
        "Picture",
        "Table",
        "load",
        "CutlineError",
        "InputError",
        "ParameterError",
        "NotProbabilitiesError",
        "UnavailableError",
        "UnknownNameError",
        "ContractError",
    ],
}


def wanted(path: str) -> bool:
    """Whether a page is part of this site: all are, unless a part of the measures is enough."""
    return WHOLE or not path.startswith("measures/") or path in SOME


def write(path: str, text: str) -> None:
    """One generated page."""
    with mkdocs_gen_files.open(path, "w") as file:
        file.write(text)


def measures() -> list[str]:
    """A page for each measure, one that leads to them, and their lines in the navigation."""
    lines, catalogue = [], []
    for family in Family:
        shown = [measure for measure in MEASURES.search(family=family) if wanted(f"measures/{measure.name}.md")]
        if not shown:
            continue
        lines.append(f"    * {family.value}")
        catalogue += [f"## {family.value}", "| measure | what it tells | blind to |\n|---|---|---|"]
        for measure in shown:
            drawn = picture(measure)
            if drawn is not None:
                with mkdocs_gen_files.open(f"measures/{measure.name}.svg", "wb") as file:
                    file.write(drawn.render(".svg"))
            write(f"measures/{measure.name}.md", page(measure, f"{measure.name}.svg" if drawn is not None else None))
            lines.append(f"        * [{measure.title}](measures/{measure.name}.md)")
            row = f"| [{measure.title}]({measure.name}.md) | {measure.meaning} | {measure.blind_to} |"
            catalogue[-1] += "\n" + row
    write("measures/index.md", "\n\n".join([CATALOGUE, *catalogue]) + "\n")
    return lines


def interactive() -> None:
    """Write the reports of two examples, each for a frame."""
    tumours, ten = (cl.examples.load(name) for name in ("tumours", "ten_cases"))
    evaluations = {
        "playground.html": cl.evaluate(
            tumours.labels, tumours.scores["logistic"], positive=tumours.positive, name="logistic"
        ),
        "playground-ten.html": cl.evaluate(
            ten.labels, next(iter(ten.scores.values())), positive=ten.positive, name="ten cases"
        ),
    }
    for name, ev in evaluations.items():
        with tempfile.TemporaryDirectory() as folder, mkdocs_gen_files.open(name, "wb") as file:
            file.write(ev.save(Path(folder) / "report.html", resamples=200).read_bytes())
    write("interactive.md", (HERE / "interactive.md").read_text(encoding="utf-8"))


def without_python() -> None:
    """The page that takes a file, and how it is used."""
    with tempfile.TemporaryDirectory() as folder:
        saved = file_page.save(Path(folder) / "cutline.html")
        with mkdocs_gen_files.open("evaluate-a-file.html", "wb") as file:
            file.write(saved.read_bytes())
    write("without-python.md", (HERE / "without-python.md").read_text(encoding="utf-8"))


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
    """A part of the navigation."""
    return [f"* {title}", *(f"    * [{name}]({path})" for name, path in pages.items() if wanted(path))]


def commands() -> dict[str, str]:
    """The pages of the command line."""
    files = sorted((ROOT / "docs/cli").glob("*.md"))
    return {"All commands": "cli.md"} | {f"cutline {path.stem}": f"cli/{path.name}" for path in files}


def navigation() -> str:
    """The order of the site."""
    companions = {
        path.stem.replace("-", " and ").title().replace(" And ", " and "): f"companion/{path.name}"
        for path in sorted((ROOT / "docs/companion").glob("*.md"))
    }
    studies = {
        "All studies" if path.stem == "README" else path.stem.title(): f"studies/{path.name}"
        for path in sorted((ROOT / "docs/studies").glob("*.md"))
    }
    lines = [
        "* [Home](index.md)",
        "* [Without Python](without-python.md)",
        *section("Tutorials", {"Drag the threshold": "interactive.md"}),
        *(section("", {title: f"tutorials/{name}.py" for name, title in TUTORIALS.items()})[1:] if WHOLE else ()),
        *section("How-to", HOW_TO),
        *section("Concepts", CONCEPTS),
        "* Measures",
        "    * [All measures](measures/index.md)",
        "    * [Definitions on one page](measures.md)",
        *measures(),
        *section("Charts", {"Gallery": "gallery.md", "Draw charts": "charts.md"}),
        *(["* API", *reference()] if WHOLE else ()),
        *section("Command line", commands()),
        *section("Companions", companions),
        *section("Studies", studies),
        *section("Ledger", {"Why two tools differ": "ledger.md"}),
        *section("Scale", {"Large data": "scale.md", "Speed": "speed.md"}),
        "* [Changelog](changelog.md)",
    ]
    return "\n".join(lines) + "\n"


def changelog() -> str:
    """The changelog, with links that start where the site does."""
    return (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").replace("](docs/", "](")


interactive()
without_python()
write("changelog.md", changelog())
write("SUMMARY.md", navigation())
