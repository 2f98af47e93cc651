"""The main job on the example predictions: what `make demo` shows."""

from __future__ import annotations

from typing import Any

from cutline.comparison import compare
from cutline.contingency import written
from cutline.evaluation import Evaluation, evaluate
from cutline.examples import load
from cutline.measures import Family
from cutline.measures.quotas import pem_areas
from cutline.ranking import Ranking
from cutline.tables import Table, shown


def main() -> None:
    """Evaluate both example sets and print the tables."""
    ten = load("ten_cases")
    # Berrar's cut t5 lies between the scores 0.6 and 0.5.
    cases = evaluate(ten.labels, ten.scores["score"], positive=ten.positive, threshold=0.55, name="ten cases")
    print(f"== {ten.description}\n\n{ranking_table(cases.ranking)}\n\n{side_by_side([cases], quota=4)}\n")
    s1, s2, s3 = pem_areas(cases.ranking)
    best = cases.threshold_of("max_youden_j")
    print(f"PEM = (S1 - S2) / S3 = ({s1:g} - {s2:g}) / {s3:g}; J is largest at score >= {best:g}\n")

    tumours = load("tumours")
    models = [evaluate(tumours.labels, s, positive=tumours.positive, name=m) for m, s in tumours.scores.items()]
    print(f"== {tumours.description}\n\n{side_by_side(models, quota=100)}")
    for model in models:
        c = model.counts
        print(f"\n{model.name} at score >= {model.threshold:g}:", end=" ")
        print(f"of {written(c.flagged)} flagged, {written(c.tp)} are malignant; {written(c.fn)} are missed")
        print("".join(f"Note on {model.name}: {note}\n" for note in model.notes), end="")
    together = compare(tumours.labels, tumours.scores, positive=tumours.positive)
    print(f"\n{together.verdict('auc')}")
    print("\nEvery measure by name: `python -c \"import cutline as cl; print(cl.MEASURES['mcc'].meaning)\"`")


def ranking_table(r: Ranking) -> Table:
    """Berrar's Figure 2: each cut with what it gives."""
    c = r.counts
    columns = ("score >=", "TP", "FP", "TPR", "FPR", "precision", "lift")
    rows = zip(
        c.threshold.tolist(),
        c.tp.tolist(),
        c.fp.tolist(),
        *(getattr(c, m).tolist() for m in ("tpr", "fpr", "precision", "lift")),
        strict=True,
    )
    return Table(columns, tuple(rows))


def side_by_side(evaluations: list[Evaluation], quota: int) -> str:
    """All measures of some models, grouped by the question that they answer."""
    lines = []
    for family in Family:
        rows = []
        for entries in zip(*(ev.summary(family=family, quota=quota) for ev in evaluations), strict=True):
            first = entries[0]
            unit = f" ({first['unit']})" if first["unit"] else ""
            reasons = {entry["reason"] for entry in entries} - {""}
            better = {"higher": "+", "lower": "-", None: ""}[first["better"]]
            values = [cell for entry in entries for cell in (entry["value"], interval(entry))]
            rows.append((first["measure"] + unit, better, *values, first["knowing nothing"], "; ".join(reasons)))
        names = [name for ev in evaluations for name in (ev.name or "value", "95 % interval")]
        lines += [repr(Table(("measure", "", *names, "knowing nothing", "why"), tuple(rows), title=family.value)), ""]
    return "\n".join(lines).rstrip()


def interval(row: dict[str, Any]) -> str:
    """The limits that a formula gives; the bootstrap gives the others on demand."""
    return "" if row["low"] is None else f"[{shown(row['low'])}, {shown(row['high'])}]"


if __name__ == "__main__":
    main()
