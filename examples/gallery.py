"""Draw every chart on the example predictions into docs/gallery, and write docs/gallery.md: `make gallery`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cutline as cl
from cutline.charts import CHARTS, Picture
from cutline.examples import load

DOCS = Path(__file__).parents[1] / "docs"
BYTES = 150_000

# What each chart shows, and the figure of the sources that it stands for.
CAPTIONS = {
    "roc": "ROC curve with its hull, the diagonal, the EER and the chosen cut (Berrar 5a, 6c; Murphy 1, 2)",
    "det": "Detection error trade-off on normal deviates",
    "precision_recall": "Precision-recall curve with the prevalence (Berrar 5c; Murphy 3)",
    "precision_recall_readings": "Its five readings, the lower trapezoids shaded (Berrar 6d)",
    "tpr_fpr": "Both rates over the threshold, with the KS gap (Berrar 5b)",
    "gain": "Gain chart (Berrar 4a)",
    "lift": "Lift chart (Berrar 4b)",
    "portion_lift": "Lift by deciles (Arbel & Rokach 3)",
    "hit_rate": "Hit rate over all quotas (Arbel & Rokach 2)",
    "qrecall": "Qrecall with the areas of the PEM (Arbel & Rokach 6-8)",
    "quota": "Hit rate and Qrecall together (Arbel & Rokach 5)",
    "score_distribution": "The scores of the two classes with the errors at the cut (Arbel & Rokach 9)",
    "dominance": "Areas of dominance (Arbel & Rokach 4)",
    "confidence_curve": "The confidence curve of a difference (Berrar's reference 32)",
    "skew": "ROC and precision-recall as the class skew changes (Sonnenburg)",
    "losses": "0-1, hinge, logistic and focal loss (Berrar 7)",
    "confusion_matrix": "Confusion matrix with its rates (Berrar 3)",
    "ranking_table": "The ranking table (Berrar 2)",
    "reliability": "Reliability diagram with a consistency band and the probabilities (Dimitriadis)",
    "mcb_dsc": "Miscalibration against discrimination, with lines of equal Brier score (Dimitriadis)",
    "risk_by_outcome": "The probabilities of the positives and of the negatives (Van Calster)",
    "f1": "Any measure of one cut over the threshold",
}


def evaluations() -> tuple[cl.Evaluation, dict[str, cl.Evaluation]]:
    """Berrar's ten cases at his cut t5, and the two models of the tumours."""
    ten, tumours = load("ten_cases"), load("tumours")
    cases = cl.evaluate(ten.labels, ten.scores["score"], positive=ten.positive, threshold=0.55, name="ten cases")
    return cases, {m: cl.evaluate(tumours.labels, s, positive=tumours.positive) for m, s in tumours.scores.items()}


def comparison() -> cl.Comparison:
    """The two models of the tumours, case by case."""
    tumours = load("tumours")
    return cl.compare(tumours.labels, dict(tumours.scores), positive=tumours.positive)


def pictures() -> Iterator[tuple[str, str, Picture]]:
    """Each picture, under the name of its file and the chart it shows."""
    cases, tumours = evaluations()
    first, model = next(iter(tumours.items()))
    for name in CAPTIONS:
        if name == "losses":
            yield name, "losses", cl.chart(name)
        elif name == "dominance":
            for kind in ("roc", "precision_recall", "accuracy"):
                yield name, f"tumours-dominance-{kind}", cl.chart(name, tumours, kind=kind)
        elif name == "confidence_curve":
            yield name, "tumours-confidence_curve", comparison().chart(name, measure="auc")
        else:
            yield name, f"ten-cases-{name}", cases.chart(name)
            yield name, f"tumours-{name}", cl.chart(name, {first: model})
    for name in ("roc", "precision_recall", "gain", "qrecall", "portion_lift", "reliability", "mcb_dsc", "f1"):
        yield name, f"tumours-two-{name}", cl.chart(name, tumours)
    for name in ("roc", "qrecall", "confusion_matrix"):
        yield name, f"ten-cases-{name}-dark", cases.chart(name, theme="dark")
    yield "roc", "tumours-two-roc-dark", cl.chart("roc", tumours, theme="dark")
    yield "roc", "ten-cases-roc-costs", cases.chart("roc", cost_fp=1.0, cost_fn=2.0)


def main() -> None:
    assert set(CAPTIONS) >= set(CHARTS)  # noqa: S101
    folder = DOCS / "gallery"
    folder.mkdir(exist_ok=True)
    shown: dict[str, list[str]] = {name: [] for name in CAPTIONS}
    for name, stem, picture in pictures():
        path = picture.save(folder / f"{stem}.png", scale=1.5)
        size = path.stat().st_size
        print(f"{size:8} {path.name}")
        if size > BYTES:
            raise SystemExit(f"{path.name} has {size} bytes, more than {BYTES}")
        shown[name].append(stem)
    lines = ["# Gallery", "", "Every chart on Berrar's ten cases and on the tumours; `make gallery` draws them."]
    for name, stems in shown.items():
        of = {"losses": "cl", "dominance": "cmp", "confidence_curve": "cmp"}.get(name, "ev")
        call = f'{of}.chart("{name}")'
        lines += ["", f"## {CAPTIONS[name]}", "", f"`{call}`", ""]
        lines += [f"![{stem.replace('-', ' ')}](gallery/{stem}.png)" for stem in stems]
    (DOCS / "gallery.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
