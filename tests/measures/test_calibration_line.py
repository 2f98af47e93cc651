"""Measures of calibration against fractions that can be counted, other packages, and slow second implementations."""

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy.stats import t
from sklearn.linear_model import LogisticRegression

import cutline as cl
from cutline.core import loess

FROZEN = json.loads((Path(__file__).parents[1] / "oracles" / "calibration.json").read_text())
ANSWERS = FROZEN["answers"]
on_each = pytest.mark.parametrize("data", list(ANSWERS))


def labels_and_scores(data):
    return np.array(ANSWERS[data]["labels"]), np.array(ANSWERS[data]["scores"])


def log_odds(p):
    return np.log(p / (1 - p))


def binomial(y, design, **more):
    return sm.GLM(y, design, family=sm.families.Binomial(), **more).fit(tol=1e-12)


@on_each
def test_the_calibration_line_agrees_with_statsmodels(data):
    y, p = labels_and_scores(data)
    ev, x = cl.evaluate(y, p), log_odds(p)
    offset, joint = binomial(y, np.ones((len(y), 1)), offset=x), binomial(y, sm.add_constant(x))
    by_measure = {
        "calibration_intercept": (offset, 0),
        "joint_calibration_intercept": (joint, 0),
        "calibration_slope": (joint, 1),
    }
    for name, (fit, column) in by_measure.items():
        found = ev.estimate(name, method="likelihood")
        assert found.value == pytest.approx(fit.params[column], abs=1e-8)
        assert (found.low, found.high) == pytest.approx(tuple(np.asarray(fit.conf_int())[column]), abs=1e-6)


@on_each
def test_the_slope_of_scikit_learn_is_its_own(data):
    y, p = labels_and_scores(data)
    default = LogisticRegression().fit(log_odds(p)[:, None], y).coef_[0, 0]
    exact = LogisticRegression(solver="newton-cholesky", tol=1e-10).fit(log_odds(p)[:, None], y).coef_[0, 0]

    assert cl.calibration_slope(y, p, fit="scikit_learn") == pytest.approx(default, abs=1e-3)  # it stops early
    assert cl.calibration_slope(y, p, fit="ridge") == pytest.approx(exact, abs=1e-7)
    assert cl.calibration_slope(y, p) != pytest.approx(exact, abs=1e-4)


@on_each
@pytest.mark.parametrize("score", ["brier", "log"])
def test_the_decomposition_agrees_with_model_diagnostics(data, score):
    y, p = labels_and_scores(data)
    found = [cl.MEASURES[name](y, p, score=score) for name in ("mcb", "dsc", "unc")]

    assert found == pytest.approx(ANSWERS[data]["corp"][score], abs=1e-9)
    mean = cl.brier(y, p) if score == "brier" else cl.log_loss(y, p)
    assert found[0] - found[1] + found[2] == pytest.approx(mean, abs=1e-12)


@on_each
@pytest.mark.parametrize("smooth", ["loess", "loess_direct"])
def test_the_distances_from_the_loess_are_those_of_r(data, smooth):
    """scikit-misc runs the same Fortran code as R."""
    y, p = labels_and_scores(data)
    found = [cl.MEASURES[name](y, p, smooth=smooth) for name in ("ici", "e50", "e90", "emax")]

    assert found == pytest.approx(ANSWERS[data][smooth], abs=1e-8)


@on_each
def test_the_epanechnikov_curve_is_a_weighted_quadratic_at_every_case(data):
    y, p = labels_and_scores(data)
    smooth = []
    for at in p:
        distance = np.abs(p - at)
        nearest = np.argsort(distance)[: int(0.75 * len(p))]
        weight = np.maximum(1 - (distance[nearest] / distance[nearest].max()) ** 2, 0)
        smooth.append(np.polyval(np.polyfit(p[nearest] - at, y[nearest], 2, w=np.sqrt(weight)), 0))
    square = np.mean((np.array(smooth) - p) ** 2)

    assert cl.ici(y, p, smooth="epanechnikov") == pytest.approx(np.mean(np.abs(smooth - p)), abs=1e-8)
    assert cl.eci(y, p, smooth="epanechnikov") == pytest.approx(square / np.mean((y.mean() - p) ** 2), abs=1e-8)
    assert cl.eci(y, p, smooth="epanechnikov", scaling="percent") == pytest.approx(100 * square, abs=1e-6)


@on_each
@pytest.mark.parametrize("bins", [5, 10, 7])
def test_bins_of_equal_mass_are_those_of_the_quantiles(data, bins):
    y, p = labels_and_scores(data)
    grouped = pd.DataFrame({"p": p, "y": y}).groupby(pd.qcut(p, bins, duplicates="drop"), observed=True)
    excess, size = (grouped.p.sum() - grouped.y.sum()), grouped.size()

    assert cl.ece(y, p, bins=bins) == pytest.approx(excess.abs().sum() / len(y))
    assert cl.ece(y, p, bins=bins, average="bins") == pytest.approx((excess / size).abs().mean())
    spread = grouped.p.sum() * (1 - grouped.p.mean())
    assert cl.hosmer_lemeshow(y, p, groups=bins) == pytest.approx((excess**2 / spread).sum())


def test_errors_in_bins_can_be_counted():
    labels, scores = [1, 0, 1, 1], [0.2, 0.2, 0.8, 0.8]

    assert cl.ece(labels, scores, bins=2) == pytest.approx((abs(0.5 - 0.2) + abs(1 - 0.8)) / 2)
    assert cl.ece(labels, scores, bins=4, binning="width") == pytest.approx(0.25)
    # (1/2 - 0.2)^2 less the variance 1/4 of a mean of two over one, and (1 - 0.8)^2 less nothing
    assert cl.debiased_ece(labels, scores, bins=2) == pytest.approx(math.sqrt(max(0, (0.09 - 0.25 + 0.04) / 2)))
    assert cl.debiased_ece([1, 1, 1, 1], scores, bins=2) == pytest.approx(math.sqrt((0.64 + 0.04) / 2))


@on_each
def test_the_smooth_error_is_close_to_its_authors_implementation(data):
    y, p = labels_and_scores(data)

    assert cl.smooth_ece(y, p) == pytest.approx(ANSWERS[data]["smooth_ece"], abs=2e-3)


def test_overall_measures_can_be_counted():
    labels, scores = [1, 1, 0, 0], [0.8, 0.6, 0.4, 0.2]
    likelihood = 2 * math.log(0.8) + 2 * math.log(0.6)
    null = 4 * math.log(0.5)

    assert cl.log_likelihood(labels, scores) == pytest.approx(likelihood)
    assert cl.mcfadden_r2(labels, scores) == pytest.approx(1 - likelihood / null)
    cox_snell = 1 - math.exp(2 * (null - likelihood) / 4)
    assert cl.cox_snell_r2(labels, scores) == pytest.approx(cox_snell)
    assert cl.nagelkerke_r2(labels, scores) == pytest.approx(cox_snell / (1 - math.exp(2 * null / 4)))
    assert cl.discrimination_slope(labels, scores) == pytest.approx(0.7 - 0.3)
    assert cl.oe_ratio(labels, scores) == pytest.approx(1)
    assert cl.standardised_net_benefit(labels, scores, threshold=0.4) == pytest.approx((2 / 4 - 1 / 4 * 2 / 3) / 0.5)
    assert cl.min_expected_cost(labels, scores, cost_fn=9) == 0


def test_the_interval_of_the_ratio_is_on_the_scale_of_its_logarithm():
    labels = np.repeat([1, 0], [20, 80])
    found = cl.evaluate(labels, np.full(100, 0.16)).estimate("oe_ratio", method="log")
    factor = math.exp(1.959964 * math.sqrt(0.8 / 20))

    assert (found.low, found.value, found.high) == pytest.approx((1.25 / factor, 1.25, 1.25 * factor), rel=1e-6)
    narrow = cl.evaluate(np.repeat([1, 0], 50), np.repeat([0.9, 0.1], 50)).estimate("oe_ratio")
    assert narrow.method == "delta"
    assert narrow.high - narrow.low < 0.1


def test_undefined_values_have_a_reason():
    ev = cl.evaluate([1, 1, 0, 0], [0.9, 0.8, 0.2, 0.1])

    assert math.isnan(ev.value("calibration_slope"))
    assert "separate the classes" in ev.reason("calibration_slope")
    assert "every probability is 0 or 1" in cl.evaluate([1, 0, 1], [1.0, 0.0, 0.0]).reason("calibration_intercept")
    with pytest.raises(cl.NotProbabilitiesError, match="needs probabilities"):
        cl.ici([1, 0, 1], [3, 2, 1])


def test_the_area_above_a_recall_is_the_rest_of_the_area_under_the_roc_curve():
    labels, scores = [1, 0, 1, 1, 0], [5, 4, 3, 2, 1]
    # From recall 1/3 on the curve is at a false positive rate of 1/2.
    assert cl.partial_auc_above_recall(labels, scores, min_recall=0.5) == pytest.approx(0.5 * 0.5)
    assert cl.partial_auc_above_recall(labels, scores, min_recall=0.0) == pytest.approx(cl.auc(labels, scores))


def test_the_partial_area_on_a_grid_has_the_points_of_its_thresholds_alone():
    rng = np.random.default_rng(3)
    scores = rng.random(300)
    labels = rng.random(300) < scores
    at = np.linspace(0, 1, 100)
    tpr, fpr = (np.array([np.mean(scores[own] >= t) for t in at]) for own in (labels, ~labels))
    there = tpr >= 0.8
    x, y = fpr[there][::-1], tpr[there][::-1] - 0.8
    expected = float(np.sum(np.diff(x) * (y[1:] + y[:-1]) / 2))

    assert cl.partial_auc_above_recall(labels, scores, grid=100) == pytest.approx(expected, abs=1e-12)
    assert abs(expected - cl.partial_auc_above_recall(labels, scores)) > 1e-4
    assert np.isnan(cl.partial_auc_above_recall(labels, scores, grid=100, max_recall=0.9))


def test_trapezoids_from_precision_1_are_those_of_scikit_learn():
    from sklearn.metrics import auc, precision_recall_curve

    rng = np.random.default_rng(4)
    scores = rng.random(80).round(1)
    labels = rng.random(80) < scores
    precision, recall, _ = precision_recall_curve(labels, scores)

    assert cl.aucpr_minmax(labels, scores, start=1) == pytest.approx(auc(recall, precision))
    assert cl.aucpr_minmax(labels, np.full(80, 0.5), start=1) == pytest.approx((1 + labels.mean()) / 2)


# ---------------------------------------------------------------------- intervals where the line is not the truth


def bent_sample(n=5000):
    rng = np.random.default_rng(8)
    odds = rng.normal(-2.9, 1.3, n)
    labels = rng.random(n) < 1 / (1 + np.exp(-odds))
    return labels.astype(int), 1 / (1 + np.exp(-odds - 0.6 * np.sin(1.5 * odds)))


def changes_of_the_slope(labels, scores, weights):
    """What leaving each case out changes in the slope, in one step, with the weights as they are."""
    ev = cl.evaluate(labels, scores, weights=weights, weights_are="importance")
    x = np.log(scores / (1 - scores))
    design = np.column_stack((np.ones(len(x)), x))
    mean = 1 / (1 + np.exp(-(ev.value("joint_calibration_intercept") + ev.value("calibration_slope") * x)))
    information = weights * mean * (1 - mean)
    bread = np.linalg.inv(design.T * information @ design)
    leverage = information * np.einsum("ij,jk,ik->i", design, bread, design)
    return ev, weights * (labels - mean) * (design @ bread)[:, 1] / (1 - leverage)


@pytest.mark.parametrize("spread", [0.0, 0.8])
def test_the_sandwich_leaves_out_the_cases_one_by_one(spread):
    labels, scores = bent_sample(300)
    weights = np.exp(spread * np.random.default_rng(1).normal(size=300))
    ev, changes = changes_of_the_slope(labels, scores, weights)
    found = ev.estimate("calibration_slope", method="sandwich")

    second, fourth = (changes**2).sum(), (changes**4).sum()
    few = min(weights[labels == c].sum() ** 2 / (weights[labels == c] ** 2).sum() for c in (0, 1))
    freedom = min(2 * second**2 / (fourth - second**2 / 300), few - 1)
    error = (found.high - found.low) / 2 / t.ppf(0.975, freedom)
    assert error == pytest.approx(second**0.5, rel=1e-6)


def test_the_sandwich_variance_treats_doubled_counts_as_doubled_cases():
    labels, scores = bent_sample(300)
    counted = cl.evaluate(labels, scores, weights=np.full(300, 2), weights_are="counts")
    repeated = cl.evaluate(np.tile(labels, 2), np.tile(scores, 2))
    found, same = (ev.estimate("calibration_slope", method="sandwich") for ev in (counted, repeated))
    assert (found.low, found.high) == pytest.approx((same.low, same.high), rel=1e-9)


@pytest.mark.parametrize("name", ["calibration_slope", "joint_calibration_intercept"])
def test_a_note_says_when_the_line_is_not_the_truth(name):
    ev = cl.evaluate(*bent_sample())
    found, robust = ev.estimate(name, method="likelihood"), ev.estimate(name)
    assert robust.method == "sandwich"

    assert robust.high - robust.low > 1.1 * (found.high - found.low)
    assert "standard error by the method 'sandwich'" in found.warning
    assert not any("sandwich" in note for note in robust.notes)


@pytest.mark.parametrize("name", ["calibration_slope", "joint_calibration_intercept"])
def test_few_cases_on_the_line_are_no_reason_to_doubt_it(name):
    """Student's quantile makes the limits of the sandwich wider with few cases, also where the line is the truth."""
    rng = np.random.default_rng(3)
    p = 1 / (1 + np.exp(-1.2 * rng.normal(size=40)))
    ev = cl.evaluate(rng.random(40) < p, p)
    found, robust = ev.estimate(name, method="likelihood"), ev.estimate(name)

    assert robust.high - robust.low > 1.1 * (found.high - found.low)
    assert found.warning is None


def test_a_slope_that_rests_on_few_cases_says_so():
    few, more = (np.array([1] * n + [0] * 100) for n in (6, 40))
    rests = [
        any("rests on about" in note for note in ev.estimate("calibration_slope", method="sandwich").notes)
        for ev in (cl.evaluate(y, 0.1 + np.linspace(0.9, 0.1, len(y)) % 0.37) for y in (few, more))
    ]

    assert rests == [True, False]


def test_a_line_that_is_the_truth_has_no_such_note():
    rng = np.random.default_rng(5)
    scores = rng.uniform(0.05, 0.95, 3000)
    ev = cl.evaluate((rng.random(3000) < scores).astype(int), scores)

    for name in ("calibration_slope", "calibration_intercept", "joint_calibration_intercept"):
        assert not any("sandwich" in note for note in ev.estimate(name).notes)


@pytest.mark.parametrize("method", loess.SMOOTHERS)
@pytest.mark.parametrize("n", [5, 40, 1500])
def test_responses_with_the_same_cases_are_smoothed_as_each_alone(method, n):
    rng = np.random.default_rng(n)
    x, weight, responses = np.sort(rng.random(n)), rng.integers(1, 3, n).astype(float), rng.random((6, n))
    together = loess.smooth(x, np.tile(weight, (6, 1)), responses, method)

    np.testing.assert_array_equal(together, [loess.smooth(x, weight, one, method) for one in responses])
