"""ev.calibration(): what is wrong with probabilities is said, and nothing when nothing is."""

import json

import numpy as np
import pytest

import cutline as cl
from cutline.calibration.summary import add_judgements
from cutline.calibration.verdict import compute_expected_ece
from cutline.core.errors import ParameterError
from cutline.inference.single import bands
from cutline.inference.single.bands import compute_honest_limits


def evaluation(stretch=1.0, shift=0.0, n=3000, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.beta(1, 2, n)
    odds = np.exp(shift) * (truth / (1 - truth)) ** stretch
    return cl.evaluate(rng.random(n) < truth, np.round(odds / (1 + odds), 3))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (
            {},
            [
                "No evidence of bias on average",
                "No evidence of over- or underconfidence",
                "The whole curve",
                "no evidence against",
            ],
        ),
        ({"shift": 0.7}, ["Too high on average", "Where: too high"]),
        ({"shift": -0.7}, ["Too low on average", "Where: too low"]),
        ({"stretch": 2}, ["Too extreme", "Where:", ", evidence against"]),
        ({"stretch": 0.5}, ["Too timid", "Where:", ", evidence against"]),
    ],
)
def test_the_verdict_says_what_is_wrong(data, words):
    found = evaluation(**data).calibration(resamples=50)
    text = "\n".join(found.verdict)

    for word in words:
        assert word in text
    assert repr(found).startswith(found.verdict[0])
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["verdict"] == list(found.verdict)


def test_the_bound_holds_the_true_distance():
    found = evaluation(shift=0.7).calibration(resamples=50)
    x = evaluation(shift=0.7).ranking.key
    odds = np.exp(-0.7) * x / (1 - x + 1e-12)

    assert found.off_by >= np.max(np.abs(odds / (1 + odds) - x)) - 1e-9
    assert found.off_by_for_most <= found.off_by
    assert f"off by at most {found.off_by:.2g}" in found.verdict[-1]


def test_a_calibrated_model_gets_the_expected_error_in_bins():
    values, expected = zip(
        *((ev.value("ece"), compute_expected_ece(ev.ranking)) for ev in (evaluation(n=500, seed=i) for i in range(60))),
        strict=True,
    )

    assert np.mean(values) == pytest.approx(np.mean(expected), rel=0.08)


def test_scores_that_are_not_probabilities_are_refused():
    with pytest.raises(cl.NotProbabilitiesError):
        cl.evaluate([1, 0, 1, 0], [4, 3, 2, 1]).calibration()


def test_weights_that_are_not_counts_have_no_bound():
    found = cl.evaluate([1, 0, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.3, 0.2, 0.1], [0.5] * 6).calibration(resamples=50)

    assert np.isnan(found.off_by)
    assert found["oe_ratio"].value == pytest.approx(1)


@pytest.mark.slow
def test_of_groups_nothing_is_said_that_takes_cases_for_independent():
    rng = np.random.default_rng(0)
    risk = rng.beta(1, 3, 200)
    labels = rng.random(200) < risk**1.5
    ev = cl.evaluate(np.repeat(labels, 5), np.repeat(risk, 5), groups=np.repeat(np.arange(200), 5))

    found = ev.calibration(resamples=100)
    summary = add_judgements(ev.summary(resamples=100))

    for told in (found, summary.probabilities.calibration):
        assert np.isnan([told.p_value, told.off_by, told.off_by_for_most]).all()
        assert told.regions == ()
        assert "come in groups" in told.verdict[-1]
    assert summary.probabilities.worth is None
    assert "come in groups" in summary.probabilities.reason
    with pytest.raises(ParameterError, match="groups"):
        cl.worth_recalibrating(ev)


def test_an_interval_does_not_depend_on_what_else_is_asked_for():
    rng = np.random.default_rng(1)
    risk = rng.beta(1, 3, 300)
    ev = cl.evaluate(rng.random(300) < risk**1.5, risk)
    names = ("mcb", "ici", "emax", "ece", "smooth_ece")

    together = ev.estimates(names, seed=5, resamples=300)

    assert together == [ev.estimate(name, seed=5, resamples=300) for name in names]


def test_the_bound_between_groups_of_scores_assumes_only_that_the_curve_rises(monkeypatch):
    monkeypatch.setattr(bands, "MOST_HONEST", 50)  # so that 200 scores are put into 10 groups
    x = np.linspace(0.0025, 0.9975, 200)
    labels = np.random.default_rng(3).random(200) < x
    found = cl.evaluate(labels, x, positive=True).calibration(resamples=100)
    group = np.arange(200) // 20
    pos, neg = (np.bincount(group, sign) for sign in (labels, ~labels))
    low, high = compute_honest_limits(pos.astype(int), neg.astype(int), 0.95)
    before, after = np.append(0.0, low[:-1]), np.append(high[1:], 1.0)  # of the groups beside the own one

    assert found.off_by >= np.maximum(after[group] - x, x - before[group]).max() - 1e-12


@pytest.mark.parametrize(
    ("data", "levels"),
    [
        ({}, ["mean (on average) not rejected", "weak (no general trend) not rejected"]),
        ({"shift": 0.7}, ["mean (on average) rejected", "weak (no general trend) rejected"]),
        ({"stretch": 2}, ["weak (no general trend) rejected", "moderate (at every probability) rejected"]),
    ],
)
def test_the_levels_of_calibration_are_stated_and_each_requires_the_one_before(data, levels):
    [said] = [line for line in evaluation(**data).calibration(resamples=50).verdict if line.startswith("Levels")]

    assert all(level in said for level in levels)
    assert "strong (for every kind of case) cannot be assessed" in said


def test_certain_probabilities_are_judged_by_the_ratio_where_the_intercept_is_undefined():
    labels, certain = [1] * 60 + [0] * 40, [1.0] * 40 + [0.0] * 60
    first = cl.evaluate(labels, certain).calibration(resamples=40).verdict[0]
    few = cl.evaluate([1, 0], [0.6, 0.4]).calibration(resamples=40).verdict[0]

    assert first.startswith("Too low on average: 60 positives, 40 expected")
    assert few.startswith("No evidence of bias on average: 1 positive, 1 expected")
