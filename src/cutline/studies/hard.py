"""Murphy, section 3 (after Wallach): which measures put three hard classifiers in the order B > C > A."""

from __future__ import annotations

from collections import Counter
from typing import Any

from cutline import compare_counts
from cutline.charts import Picture
from cutline.core.table import Table
from cutline.examples import load
from cutline.studies import study_charts
from cutline.studies.study import Study, StudyReport, StudySection, StudySettings

EXPECTED = "B > C > A"
WITH_TIES = ("B = C > A", "B > A = C", "A = B = C")  # an order names equal ones by the alphabet
PRINTED = ("accuracy", "precision", "recall", "f1", "mutual_information")  # Murphy's Table 5


def run(settings: StudySettings) -> StudyReport:
    """Compute every measure of one cut in the registry on the three tables; nothing here is random."""
    table = compare_counts(load("murphy_table_4").tables)
    rows = {str(row["measure"]): row for row in table}
    right = [name for name, row in rows.items() if row["order"] == EXPECTED]
    kinds = Counter(str(row["order"]) for row in table)
    sentence = f"Of the {len(rows)} measures of one cut in the registry, {len(right)} put the classifiers in the order"
    undefined = (
        "A measure that is undefined for A, where nobody is predicted negative, orders B and C alone; "
        "a measure that does not say which way is better orders nothing."
    )
    answer = (
        f"{sentence} {EXPECTED}, which the text asks for up to ties.",
        _describe_table_5(rows),
        f"Beyond these five, the same order comes from: {_join_titles(rows, [n for n in right if n not in PRINTED])}.",
        undefined,
    )
    printed = Table(table.columns, tuple(row for row in table.rows if row[0] in PRINTED))
    sections = (
        StudySection("Murphy's Table 5", (), printed, name="hard-table-5"),
        StudySection("How often each order comes out", (), None, _draw_chart(kinds), "hard-orders"),
        StudySection("Every measure of one cut", (), Table(table.columns, table.rows), name="hard-all"),
    )
    facts = {"measures": len(rows), "in the wanted order": right}
    return StudyReport(*STUDY.heading, answer, sections, settings.seed, settings.quick, facts=facts)


def _describe_table_5(rows: dict[str, dict[str, Any]]) -> str:
    """Describe the measures of the table in the text."""
    strictly = [name for name in PRINTED if rows[name]["order"] == EXPECTED]
    tied = [name for name in PRINTED if name not in strictly and rows[name]["order"] in WITH_TIES]
    return (
        f"Of the five measures that the text tries, this is the order of: {_join_titles(rows, strictly)}. "
        f"The text writes B >= C >= A, which these satisfy too, with ties: {_join_titles(rows, tied)}."
    )


def _join_titles(rows: dict[str, dict[str, Any]], names: list[str]) -> str:
    return ", ".join(str(rows[name]["title"]) for name in names) or "none"


def _draw_chart(kinds: Counter[str]) -> Picture:
    rows = [{"order": name, "measures": count} for name, count in kinds.most_common()]
    return study_charts.draw_bars(
        rows, x="measures", y="order", title="Order of the classifiers, by number of measures"
    )


STUDY = Study(
    name="hard",
    title="Which measures order three hard classifiers as intuition does?",
    source="Murphy, section 3, Tables 4 and 5 (after Wallach 2006)",
    question="A flags everybody; B and C raise no false alarm, and C misses more than B. B should be best, A worst.",
    run=run,
)
