"""What a weight is: counts, sampling weights with strata and clusters, and importance weights."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import t as scipy_t

import cutline as cl
from cutline import compare, evaluate
from cutline.core.errors import CutlineError
from cutline.inference.influence import differentiate_cut
from cutline.inference.survey import linearise

FROZEN = json.loads((Path(__file__).parents[2] / "oracles" / "survey.json").read_text())
ROW = np.arange(60)
LABELS = (7 * ROW) % 11 < 4
SCORES = ((13 * ROW + 5) % 29) / 29 + 0.25 * LABELS
WEIGHTS = 1 + ((5 * ROW) % 7) * (1 + (ROW % 3))
DESIGNS = {"weights": {}, "strata": {"strata": ROW // 20}, "clusters": {"strata": ROW // 20, "groups": ROW // 4}}


def survey(design: str) -> cl.Evaluation:
    return evaluate(LABELS, SCORES, WEIGHTS, weights_are="sampling", threshold=0.6, **DESIGNS[design])


@pytest.mark.parametrize(("design", "measure", "value", "se", "freedom"), FROZEN["rows"])
def test_shares_and_ratios_have_the_linearised_variance_of_r_survey(design, measure, value, se, freedom):
    ev = survey(design)
    target = ev._make_estimand(cl.MEASURES[measure], {})
    changes = differentiate_cut(target.of_counts, target.counts, ev.ranking, ev.ranking.cut(0.6))
    found = linearise([changes], ev.ranking, ev.groups)

    assert ev.value(measure) == pytest.approx(value, rel=1e-12)
    assert math.sqrt(found.covariance[0, 0]) == pytest.approx(se, rel=1e-7)
    assert found.freedom == freedom
    interval = ev.estimate(measure)
    assert interval.method == "linearised"
    assert interval.low < value < interval.high


def test_equal_sampling_weights_are_no_weights():
    """But for the factor n / (n - 1) of a sample, and Student's quantile."""
    weighted = evaluate(LABELS, SCORES, np.full(60, 7), weights_are="sampling", threshold=0.6)
    plain = evaluate(LABELS, SCORES, threshold=0.6)
    for measure in ("recall", "precision", "accuracy", "mcc", "youden_j"):
        one, two = weighted.estimate(measure), plain.estimate(measure)
        assert one.value == pytest.approx(two.value)
        assert one.high - one.low == pytest.approx(two.high - two.low, rel=0.07)


def test_whole_weights_are_counts_unless_they_are_said_to_be_otherwise():
    twenty = np.full(60, 20)
    counts = evaluate(LABELS, SCORES, twenty, threshold=0.6)
    same = evaluate(LABELS, SCORES, twenty, threshold=0.6, weights_are="counts")
    sampling = evaluate(LABELS, SCORES, twenty, threshold=0.6, weights_are="sampling")
    importance = evaluate(LABELS, SCORES, twenty, threshold=0.6, weights_are="importance")

    assert counts.estimate("recall") == same.estimate("recall")
    assert "count as 1200 separate cases" in counts.estimate("recall").notes[0]
    widths = [e.estimate("recall").high - e.estimate("recall").low for e in (counts, sampling, importance)]
    assert widths[1] > 4 * widths[0]
    assert widths[2] > 4 * widths[0]


def test_tests_say_that_whole_weights_count_as_cases():
    weights = np.full(60, 20)
    models = {"a": SCORES, "b": ((17 * ROW + 3) % 31) / 31 + 0.1 * LABELS}
    counts = compare(LABELS, models, weights, threshold=0.6)
    sampling = compare(LABELS, models, weights, weights_are="sampling", threshold=0.6)
    plain = compare(LABELS, models, threshold=0.6)

    for method in ("auto", "permutation"):
        assert "count as 1200 separate cases" in counts.test("accuracy", method, resamples=50).notes[0]
    few, many = plain.difference("accuracy"), sampling.difference("accuracy", resamples=2000)
    assert many.high - many.low == pytest.approx(few.high - few.low, rel=0.15)


def test_the_summary_tells_the_effective_size_and_the_design_effect():
    data = survey("weights").summary(["recall"]).data.to_dict()
    kish = WEIGHTS.sum() ** 2 / (WEIGHTS**2).sum()

    assert data["effective_cases"] == pytest.approx(kish)
    assert data["design_effect"] == pytest.approx(60 / kish)
    assert evaluate(LABELS, SCORES).summary(["auc"]).data.to_dict()["design_effect"] == 1


def test_every_measure_has_an_interval_under_a_design():
    ev = survey("clusters")
    of_one_cut = [m for m in cl.MEASURES if m.needs.name == "COUNTS" and not math.isnan(ev.value(m))]
    assert len(of_one_cut) > 25
    for estimate in ev.estimates(of_one_cut):
        assert estimate.method == "linearised"
        assert estimate.low <= estimate.value <= estimate.high, estimate
    assert ev.estimate("auc").method == "linearised"
    assert ev.estimate("average_precision", resamples=100).has_interval


def test_perfect_models_keep_an_interval_with_a_width_under_a_design():
    ev = evaluate(LABELS, LABELS + 0.0, WEIGHTS, weights_are="sampling", threshold=0.5, strata=ROW // 20)
    for measure in ("recall", "mcc", "auc", "balanced_accuracy"):
        assert ev.estimate(measure).low < 0.97


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weights_are": "sampling"}, "weights_are is 'sampling', but there are no weights: pass weights= too."),
        ({"weights": WEIGHTS, "weights_are": "mass"}, "weights_are is 'mass': pass one of counts, "),
        (
            {"weights": WEIGHTS + 0.5, "weights_are": "counts"},
            "weights holds 1.5, but weights that are counts must be whole",
        ),
        ({"weights": WEIGHTS, "weights_are": "importance", "strata": ROW // 20}, "strata is given, but weights"),
        ({"groups": ROW // 20, "strata": ROW // 15}, "strata divides a group"),
        ({"strata": ROW[:5]}, "strata has 5 values but labels has 60"),
    ],
)
def test_designs_that_cannot_be_are_refused(options, message):
    with pytest.raises(CutlineError) as error:
        evaluate(LABELS, SCORES, **options)
    assert str(error.value).startswith(message)


def test_the_average_gain_of_groups_allows_for_the_prevalence_as_that_of_single_cases_does():
    rng = np.random.default_rng(3)
    labels = rng.random(300) < 0.2
    scores = rng.normal(size=300) + labels
    alone = evaluate(labels, scores).estimate("average_gain")
    groups = evaluate(labels, scores, groups=np.arange(300)).estimate("average_gain")
    assert groups.method == "linearised"
    assert groups.high - groups.low == pytest.approx(alone.high - alone.low, rel=0.1)


def weighted_by(chance, labels, scores):
    return evaluate(labels, scores, 1 / chance, weights_are="sampling")


def test_weights_that_are_correlated_with_the_scores_are_noted_and_others_are_not():
    rng = np.random.default_rng(6)
    labels = rng.random(300) < 0.3
    scores = rng.normal(size=300) + labels
    of_score, of_chance = 0.2 + 1.8 / (1 + np.exp(2 - 2 * scores)), rng.uniform(0.2, 2, 300)
    told = weighted_by(of_score, labels, scores).estimate("auc").notes
    assert any(note.startswith("The weights are correlated with the scores") for note in told)
    assert not any("go with" in note for note in weighted_by(of_chance, labels, scores).estimate("auc").notes)
    other = scores + rng.normal(size=300)
    models = compare(labels, {"a": scores, "b": other}, 1 / of_score, weights_are="sampling")
    assert any(
        note.startswith("The weights are correlated with the scores") for note in models.test("auc").pairs[0].notes
    )


def test_weights_that_are_worth_few_cases_of_a_class_are_noted():
    rng = np.random.default_rng(3)
    labels = np.arange(100) < 20
    scores, weights = rng.normal(size=100) + labels, rng.lognormal(0, 2.0, 100)

    def noted(**design):
        ev = evaluate(labels, scores, **design, threshold=0.5)
        return any("It rests on about" in note for note in ev.estimate("mcc").notes)

    assert noted(weights=weights, weights_are="importance")
    assert not noted(weights=1 + weights / 100, weights_are="importance")


@pytest.mark.parametrize(
    ("positive_groups", "negative_groups", "measure", "free"), [(6, 30, "recall", 5), (30, 6, "specificity", 5)]
)
def test_the_quantile_has_the_groups_of_the_class_that_a_share_is_of(positive_groups, negative_groups, measure, free):
    """A share among the positives varies with the groups that hold one, however many groups of negatives there are."""
    rng = np.random.default_rng(2)
    group = np.repeat(np.arange(36), 10)
    labels = group < positive_groups
    shift = rng.normal(size=36)[group]
    ev = evaluate(labels, shift + rng.normal(size=360) + labels, groups=group, threshold=0.5)
    known = linearise([_influence_of(ev, measure)], ev.ranking, ev.groups)

    assert known.freedom == 35  # that of the design
    assert known.own[0] <= free
    assert known.quantile(0.95) == pytest.approx(scipy_t.ppf(0.975, known.own[0]))


def _influence_of(ev, measure):
    counts = ev.at(threshold=0.5)
    return differentiate_cut(lambda c: getattr(c, measure), counts, ev.ranking, ev.ranking.cut(0.5))
