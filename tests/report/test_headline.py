"""What the page says first: the verdict in two sentences, and the warnings."""

import re

import numpy as np
import pytest

import cutline as cl
from cutline.report import render_html, summarize
from cutline.report.sections import choose_warnings, order_models, write_comparison_verdict, write_verdict
from cutline.results.notes import Note

LABELS = [1, 1, 0, 1, 1, 0, 0, 1, 0, 0]
SCORES = [0.95, 0.8, 0.75, 0.6, 0.5, 0.45, 0.3, 0.25, 0.2, 0.1]


def sentences(evaluation, **options):
    return write_verdict(summarize(evaluation, **{"intervals": "formula"} | options))


def test_two_sentences_come_first():
    text = render_html(cl.evaluate(LABELS, SCORES))
    found = re.search(r'<div class="verdict">(.*?)</div>', text, flags=re.DOTALL)[1]

    assert found.count("<p>") == 2
    assert "AUC 0.8000" in found
    assert "finds 4 of the 5 positives and misses 1, with 1 false alarm." in found


@pytest.mark.parametrize(
    ("labels", "scores", "words"),
    [
        (LABELS, SCORES, "The model puts a positive before a negative in 80 % of the pairs (AUC 0.8000, 95 % interval"),
        ([1, 0] * 20, [0.5] * 40, "(ties count half) (AUC 0.5000, 95 % interval 0."),
        ([1, 0] * 20, [0.5] * 40, "which cannot be distinguished from the baseline, 50 %."),
        ([0, 1] * 50, np.linspace(0, 1, 100) + np.tile([0, 0.2], 50), "), better than the baseline, 50 %."),
        ([0] * 50 + [1] * 50, np.linspace(0, 1, 100), "), clearly better than the baseline, 50 %."),
        ([1] * 50 + [0] * 50, np.linspace(0, 1, 100), "worse than the baseline, 50 %: the order may be reversed."),
        ([1, 1, 1], [0.2, 0.6, 0.9], "with only one class, nothing can be said"),
    ],
)
def test_the_first_sentence_compares_the_auc_with_its_baseline(labels, scores, words):
    assert words in sentences(cl.evaluate(labels, scores))[0]


def test_the_second_sentence_says_what_the_cut_does():
    def second(labels, scores, **options):
        return sentences(cl.evaluate(labels, scores, **options))[1]

    assert second(LABELS, SCORES, threshold=0.99) == "At score ≥ 0.99 it flags nobody: it misses all 5 positives."
    assert second([1, 1], [0.2, 0.6]).endswith("it finds 1 of the 2 positives and misses 1, with no false alarm.")
    many = second([1, 0] * 6000, [0.7, 0.3] * 6000)
    assert "flags 6000 of 12\N{THIN SPACE}000 cases" in many
    assert sentences(cl.evaluate(LABELS, SCORES), quota=3)[1].startswith("At score ≥ 0.75 it flags 3 of 10 cases")


def test_a_quota_inside_a_tie_names_its_places_and_counts_whole_cases():
    summary = cl.evaluate([1, 0, 1, 1, 0], [0.9, 0.6, 0.6, 0.6, 0.2]).summary(quota=3)

    # Threshold 0.6 would flag four cases; of the 2 1/3 positives expected among the first three, people read two.
    assert summary.verdict[1] == (
        "It flags the first 3 of 5 cases (the last positions shared among ties at 0.6): "
        "it finds about 2 of the 3 positives and misses about 1, with about 1 false alarm."
    )
    assert summary.cut.describe(summary.data.ranking) == "the 3 highest scores (ends among ties at 0.6)"
    assert float(summary.counts.tp) == pytest.approx(7 / 3)


def test_a_summary_without_the_auc_has_a_first_sentence_too():
    assert sentences(cl.evaluate(LABELS, SCORES), measures=["recall"])[0].endswith("5 of them positive (50 %).")


def test_at_most_three_warnings_are_shown_below_the_verdict():
    summary = summarize(cl.evaluate(LABELS, SCORES), intervals="formula")
    notes = tuple(Note(f"rule-{i}", f"Warning {i}.", kind="warning") for i in range(5))

    assert choose_warnings(summary.with_notes((Note("fact", "A fact."), *notes))) == list(notes[:3])


def test_a_page_with_a_slider_does_not_ask_for_an_option():
    text = render_html(cl.evaluate(LABELS, np.asarray(SCORES) * 40))
    said = re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)

    assert "The scores are not probabilities" in said
    assert "Move the slider for another." in said
    assert "threshold=, quota=" not in said


def test_the_same_warning_of_several_models_is_shown_once():
    rng = np.random.default_rng(3)
    labels = rng.random(300) < 0.3
    scores = {f"m{i}": np.clip(rng.random(300) * 0.2 + 0.8 * (rng.random(300) < 0.3), 0, 1) for i in range(4)}
    shown = choose_warnings(summarize(cl.compare(labels, scores), resamples=50))

    assert len({note.rule for note in shown}) == len(shown)


def test_the_best_model_comes_first():
    summary = summarize(compared(), resamples=50)
    areas = [own["auc"].value for own in order_models(summary).values()]

    assert areas == sorted(areas, reverse=True)
    assert set(order_models(summary)) == set(summary.models)


def compared(groups=None):
    rng = np.random.default_rng(1)
    labels = rng.random(240) < 0.5
    scores = {f"m{i}": rng.normal(size=240) + (1.5 - 0.4 * i) * labels for i in range(4)}
    return cl.compare(labels, scores, threshold=0.5, groups=groups)


def test_the_verdict_names_the_method_of_the_test():
    plain = summarize(compared(), resamples=100)
    grouped = summarize(compared(np.repeat(np.arange(60), 4)), resamples=100)
    assert plain.choices[0].sentence in write_comparison_verdict(plain)
    assert grouped.choices[0].sentence in write_comparison_verdict(grouped)
    methods = [next(row.method for row in summary.rows if row.measure.name == "auc") for summary in (plain, grouped)]
    assert "DeLong" in methods[0]
    assert "DeLong" not in methods[1]


def test_the_cheapest_cut_says_that_its_costs_are_placeholders():
    text = render_html(cl.evaluate(LABELS, SCORES))

    assert "Cheapest at these prices (1 and 1 until you enter yours)" in text
    assert '<button type="button" id="go-cheapest">' in text
