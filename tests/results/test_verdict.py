"""The verdict and the warnings that every view begins with."""

import numpy as np

from cutline import compare, cut_at, evaluate
from cutline.core.table import format_p_cell
from cutline.report import sections
from cutline.results.notes import Note
from cutline.results.verdict import select_warnings

LABELS, SCORES = [1, 1, 1, 0, 1, 0, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]


def test_every_view_begins_with_the_same_two_sentences():
    ev = evaluate(LABELS, SCORES, name="forest")
    sentences = list(ev.summary().verdict)

    assert sentences[0].startswith("forest puts a positive before a negative in 93.8 % of the pairs")
    assert ev.verdict().splitlines() == sentences == sections.write_verdict(ev.summary())
    assert repr(ev).splitlines()[:2] == repr(ev.summary()).splitlines()[:2] == sentences
    assert ev.to_dict()["verdict"].splitlines() == sentences
    assert ev._repr_html_().startswith(f"<div><p>{sentences[0]}</p>")


def test_a_comparison_begins_with_the_statements_of_its_summary():
    cmp = compare(LABELS, {"a": SCORES, "b": SCORES[::-1]})

    statements = cmp.summary().statements
    assert repr(cmp).splitlines()[: len(statements)] == list(statements)


def test_the_same_warning_on_two_models_names_both():
    notes = [
        Note("calibration", "a: The probabilities are too low: predicted 9 %.", kind="warning"),
        Note("calibration", "b: The probabilities are too extreme: z = 3.", kind="warning"),
        Note("scale", "c: The scores are not probabilities (1 to 9); pass a cut.", kind="warning"),
        Note("scale", "d: The scores are not probabilities (2 to 8); pass a cut.", kind="warning"),
        Note("labels", "Labels rather than scores.", kind="warning"),
        Note("few-cases", "There are only 3 positives.", kind="warning"),
        Note("wald", "A fact."),
    ]

    assert [note.text for note in select_warnings(notes, "abcd")] == [
        "Labels rather than scores.",
        "a: The probabilities are too low; b: The probabilities are too extreme.",
        "c and d: The scores are not probabilities.",
    ]


def test_no_p_value_is_nought():
    assert format_p_cell(3e-14) == "3e-14"
    assert format_p_cell(0.0) == "< 1e-16"


def test_every_headline_of_a_long_list_has_an_interval():
    """At three million rows only the AUC had one."""
    rng = np.random.default_rng(0)
    labels = rng.random(300_000) < 0.1
    scores = 1 / (1 + np.exp(2 - rng.normal(size=300_000) - labels))
    rows = evaluate(labels, scores).summary(
        ["accuracy", "recall", "precision", "mcc", "auc", "ks", "average_precision"]
    )

    assert all(row.interval is not None for row in rows.rows)


def test_no_statement_of_a_cut_has_float_noise():
    labels, scores = [1, 0] * 50, [0.1 + 0.2, 0.1] * 50
    statement = cut_at(evaluate(labels, scores), threshold=0.1 + 0.2).statement

    assert "score 0.3 or more" in statement
    assert "000000" not in statement
