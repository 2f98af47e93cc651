"""The smooth risks: their gradients are slopes, and with steps of no width they are the measures themselves."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cutline as cl
from cutline.training.class_order import Split
from cutline.training.newton import PairSquares
from cutline.training.objectives import resolve_target
from cutline.training.solvers import Standardised, make_smooth_risk

GOALS = {
    "f1": {},
    "mcc": {},
    "g_mean": {},
    "expected_cost": {},
    "auc": {},
    "average_precision": {},
    "partial_auc": {"max_fpr": 0.33},
    "roc_n": {"n": 4.5},
    "prbep": {},
    "precision_at_k": {"quota": 5},
    "recall_at_k": {"quota": 20},
    "mutual_information": {},
    "log_loss": {},
    "brier": {},
    "balanced_cross_entropy": {"alpha": 0.8},
    "focal_loss": {"gamma": 2, "alpha": 0.3},
}


def sample(seed, n=30, positives=9, weighted=False):
    rng = np.random.default_rng(seed)
    weight = rng.integers(1, 4, n).astype(float) if weighted else None
    return Split(rng.permutation(np.arange(n) < positives), weight), 1.5 * rng.normal(size=n)


def slopes(risk, scores, step=1e-6):
    shifts = step * np.eye(len(scores))
    return np.array([risk(scores + shift).value - risk(scores - shift).value for shift in shifts]) / (2 * step)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", GOALS)
@given(seed=st.integers(0, 10_000))
@settings(max_examples=8)
def test_the_gradient_is_the_slope_of_the_risk(name, weighted, seed):
    split, scores = sample(seed, weighted=weighted)
    risk = make_smooth_risk(resolve_target(name, GOALS[name]), split, 0.7)

    np.testing.assert_allclose(risk(scores).gradient, slopes(risk, scores), atol=2e-7)


@given(seed=st.integers(0, 10_000))
@settings(max_examples=8)
def test_the_gradient_of_standardised_scores_is_the_slope_of_the_risk(seed):
    split, scores = sample(seed)
    risk = Standardised(make_smooth_risk(resolve_target("average_precision"), split, 0.7), scores[::-1] + 1, trust=0.3)

    np.testing.assert_allclose(risk(scores).gradient, slopes(risk, scores), atol=2e-7)
    assert risk(3 * scores + 5).value == pytest.approx(risk(scores).value)


@given(seed=st.integers(0, 10_000))
@settings(max_examples=8)
def test_the_gradient_of_the_average_qrecall_is_the_slope_of_the_risk(seed):
    split, scores = sample(seed)  # it counts places, so there are no weights
    risk = make_smooth_risk(resolve_target("average_qrecall"), split, 0.7)

    np.testing.assert_allclose(risk(scores).gradient, slopes(risk, scores), atol=2e-6)


@pytest.mark.parametrize("name", ["auc", "average_precision", "partial_auc", "roc_n", "prbep", "average_qrecall"])
@given(seed=st.integers(0, 10_000))
@settings(max_examples=10)
def test_with_narrow_steps_the_risk_is_what_the_measure_lacks(name, seed):
    split, _ = sample(seed)
    scores = np.random.default_rng(seed).permutation(30).astype(float)
    parameters = {"n": 4} if name == "roc_n" else {"max_fpr": 7 / 21} if name == "partial_auc" else {}
    goal = resolve_target(name, parameters)
    more = {"standardised": "box"} if name == "partial_auc" else {}
    value = goal.measure.compute(cl.rank(split.is_positive, scores), **parameters, **more)

    assert make_smooth_risk(goal, split, 0.02)(scores).value == pytest.approx(1 - value, abs=1e-6)


def test_soft_counts_of_sure_scores_are_the_counts():
    split, scores = sample(0)
    hard = np.where(scores > 0, 50.0, -50.0)
    tp, fp = ((scores > 0) & split.is_positive).sum(), ((scores > 0) & ~split.is_positive).sum()
    counts = cl.Counts(tp, fp, 9 - tp, 21 - fp)

    assert make_smooth_risk(resolve_target("f1"), split, 1.0)(hard).value == pytest.approx(1 - counts.f1)


@pytest.mark.parametrize("name", ["f1", "auc", "partial_auc", "log_loss", "brier", "focal_loss"])
@given(seed=st.integers(0, 10_000))
@settings(max_examples=8)
def test_a_weight_is_a_repetition(name, seed):
    split, scores = sample(seed, weighted=True)
    times = split.weight.astype(int)
    repeated = Split(split.is_positive.repeat(times))
    goal = resolve_target(name, GOALS[name])
    one, other = make_smooth_risk(goal, split, 0.7)(scores), make_smooth_risk(goal, repeated, 0.7)(scores.repeat(times))

    assert one.value == pytest.approx(other.value)
    first = np.concatenate(([0], np.cumsum(times)[:-1]))
    if name != "partial_auc":  # which copies are the highest is arbitrary
        np.testing.assert_allclose(one.gradient, np.add.reduceat(other.gradient, first), atol=1e-12)


@pytest.mark.parametrize("name", ["f1", "auc", "average_precision", "partial_auc"])
def test_the_scale_of_weights_does_not_matter(name):
    split, scores = sample(5, weighted=True)
    goal = resolve_target(name, GOALS[name])
    one, other = (
        make_smooth_risk(goal, Split(split.is_positive, w), 0.7)(scores) for w in (split.weight, split.weight / 7)
    )

    assert one.value == pytest.approx(other.value)
    np.testing.assert_allclose(one.gradient, other.gradient, atol=1e-8)


# ---------------------------------------------------------------------- squared pairs


@pytest.mark.parametrize("weighted", [False, True])
@given(seed=st.integers(0, 10_000))
@settings(max_examples=20)
def test_the_squared_hinge_equals_the_sum_over_explicit_pairs(weighted, seed):
    split, scores = sample(seed, weighted=weighted)
    pairs = PairSquares(split, scores)
    short = np.maximum(0, 1 - (scores[split.pos][:, None] - scores[split.neg]))
    weight = np.outer(split.weights[split.pos], split.weights[split.neg]) / (split.P * split.N)
    near = weight * (short > 0)
    hessian = np.zeros((30, 30))
    hessian[np.ix_(split.pos, split.neg)] = -2 * near
    hessian += hessian.T
    hessian[split.pos, split.pos], hessian[split.neg, split.neg] = 2 * near.sum(1), 2 * near.sum(0)
    direction = np.random.default_rng(seed).normal(size=30)

    assert pairs.compute_risk().value == pytest.approx((weight * short**2).sum())
    np.testing.assert_allclose(pairs.compute_risk().gradient[split.pos], -2 * (weight * short).sum(1), atol=1e-12)
    np.testing.assert_allclose(pairs.compute_risk().gradient[split.neg], 2 * (weight * short).sum(0), atol=1e-12)
    np.testing.assert_allclose(pairs.multiply_hessian(direction), hessian @ direction, atol=1e-12)
    np.testing.assert_allclose(pairs.compute_curvature(), np.diag(hessian), atol=1e-12)
    np.testing.assert_allclose(pairs.compute_values()[split.pos], (weight * short**2).sum(1), atol=1e-12)
    np.testing.assert_allclose(pairs.compute_values()[split.neg], (weight * short**2).sum(0), atol=1e-12)
