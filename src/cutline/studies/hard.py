"""Murphy, section 3 (after Wallach): which measures put three hard classifiers in the order B > C > A."""

from __future__ import annotations

from collections import Counter

from cutline import MEASURES, Counts, Measure
from cutline.charts import Picture
from cutline.core.table import Table
from cutline.hard_classifiers import order
from cutline.measures import Needs
from cutline.studies import study_charts
from cutline.studies.study import Settings, Study
from cutline.studies.study_report import Section, StudyReport

# Murphy's Table 4 in shares of all cases: TP, FP, FN, TN.
SHARES = {"A": (0.9, 0.1, 0.0, 0.0), "B": (0.8, 0.0, 0.1, 0.1), "C": (0.78, 0.0, 0.12, 0.1)}
WANTED = "B > C > A"
PRINTED = ("accuracy", "precision", "recall", "f1", "mutual_information")  # Murphy's Table 5


def run(settings: Settings) -> StudyReport:
    """Every measure of one cut in the registry, on the three tables; nothing here is random."""
    rows = [_row(measure) for measure in MEASURES.search(needs=Needs.COUNTS)]
    right = [row for row in rows if row[-1] == WANTED]
    printed = [row for row in rows if row[0] in PRINTED]
    others = [row[1] for row in right if row[0] != "mutual_information"]
    kinds = Counter(str(row[-1]) for row in rows)
    found = ", ".join(others)
    counted = f"Of the {len(rows)} measures of one cut in the registry, {len(right)} put the classifiers in the order"
    beyond = (
        "Among the five measures that the text tries, only mutual information does. The text writes B >= C >= A, which "
        "precision satisfies too, with B and C tied. "
        f"Beyond these five it is not the only one: {found} give the same order."
    )
    undefined = (
        "A measure that is undefined for A, where nobody is predicted negative, orders B and C alone; "
        "a measure that does not say which way is better orders nothing."
    )
    answer = (f"{counted} {WANTED}, which the text asks for up to ties.", beyond, undefined)
    columns = ("measure", "title", "A", "B", "C", "order")
    sections = (
        Section("Murphy's Table 5", (), Table(columns, tuple(printed)), name="hard-table-5"),
        Section("How often each order comes out", (), None, _chart(kinds), "hard-orders"),
        Section("Every measure of one cut", (), Table(columns, tuple(rows)), name="hard-all"),
    )
    facts = {"measures": len(rows), "in the wanted order": [row[0] for row in right]}
    return StudyReport(*STUDY.heading, answer, sections, settings.seed, settings.quick, facts=facts)


def _row(measure: Measure) -> tuple[str, str, float, float, float, str]:
    values = {name: float(measure(_counts(*shares))) for name, shares in SHARES.items()}
    return measure.name, measure.title, values["A"], values["B"], values["C"], order(values, measure.better)


def _counts(*shares: float) -> Counts:
    """Joint shares as counts of 50 cases, of which all four are whole."""
    tp, fp, fn, tn = (round(50 * share) for share in shares)
    return Counts(tp=tp, fp=fp, fn=fn, tn=tn)


def _chart(kinds: Counter[str]) -> Picture:
    rows = [{"order": name, "measures": count} for name, count in kinds.most_common()]
    return study_charts.bars(rows, x="measures", y="order", title="Order of the classifiers, by number of measures")


STUDY = Study(
    name="hard",
    title="Which measures order three hard classifiers as intuition does?",
    source="Murphy, section 3, Tables 4 and 5 (after Wallach 2006)",
    question="A flags everybody; B and C raise no false alarm, and C misses more than B. B should be best, A worst.",
    run=run,
)
