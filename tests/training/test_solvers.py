"""The solvers reach the minimum, whichever of them is asked."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize
from sklearn.datasets import make_classification

from cutline import LinearMeasureClassifier
from cutline.training.class_order import Split
from cutline.training.linear import Design, Effort
from cutline.training.newton import PairSquares, minimise_by_newton, minimise_over_pairs
from cutline.training.objectives import resolve_target
from cutline.training.solvers import maximise_on_simplex, minimise_by_planes

GOALS = {
    "error": {},
    "ber": {},
    "f1": {},
    "mcc": {},
    "g_mean": {},
    "auc": {},
    "average_precision": {},
    "partial_auc": {"max_fpr": 0.2},
    "prbep": {},
    "precision_at_k": {"quota": 20},
    "recall_at_k": {"quota": 80},
}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 4))
    score = X @ [2.0, -1.0, 0.5, 0.0] + rng.logistic(size=300)
    return X, Split(score > np.quantile(score, 0.8))


def solve(name, X, split, C=5.0, **effort):
    goal = resolve_target(name, GOALS[name])
    oracle = goal.make_oracle(split)
    design = Design(X, bias=goal.is_table)
    baseline = goal.compute_baseline_risk(split, oracle)
    return oracle, design, minimise_by_planes(design, oracle, C=C, baseline=baseline, effort=Effort(**effort))


@pytest.mark.parametrize("name", GOALS)
def test_the_objective_is_within_the_gap_of_its_lower_bound(name, data):
    oracle, design, found = solve(name, *data, tol=1e-3)
    objective = found.w @ found.w / 2 + 5 * oracle(design.compute_scores(found.w)).value

    assert found.objective == pytest.approx(objective)
    assert found.bound <= found.objective
    assert found.converged or found.bound_ratio > 0.95
    if found.converged:
        assert found.objective - found.bound <= 1e-3 * found.objective


@pytest.mark.parametrize("name", ["error", "auc", "average_precision", "f1"])
def test_no_general_minimiser_finds_less_than_cutting_planes(name, data):
    oracle, design, found = solve(name, *data, tol=1e-5)

    def objective(w):
        return w @ w / 2 + 5 * oracle(design.compute_scores(w)).value

    starts = (np.zeros(design.size), found.w, found.w + 0.1)
    least = min(minimize(objective, start, method="Powell", options={"maxfev": 2000}).fun for start in starts)

    assert found.bound <= least + 1e-9
    assert found.objective <= least * (1 + 1e-4)


def test_sparse_and_dense_matrices_give_the_same_coefficients(data):
    X, split = data
    X = np.where(np.abs(X) > 0.5, X, 0)
    dense, thin = (solve("auc", matrix, split)[2].w for matrix in (X, sparse.csr_array(X)))

    np.testing.assert_allclose(dense, thin)


@pytest.mark.parametrize("matrix", [np.asarray, np.asfortranarray, sparse.csr_array, sparse.csr_matrix])
@pytest.mark.parametrize("touched", [0, 3, 290])
def test_a_gradient_that_touches_few_cases_is_pulled_back_like_any(matrix, touched, data):
    X = np.where(np.abs(data[0]) > 0.5, data[0], 0)
    gradient = np.where(np.arange(300) >= 300 - touched, np.linspace(-1, 2, 300), 0.0)
    expected = [sum(gradient[i] * X[i, j] for i in range(300)) for j in range(4)]

    np.testing.assert_allclose(Design(matrix(X)).pull(gradient), expected, atol=1e-12)
    np.testing.assert_allclose(Design(matrix(X), bias=True).pull(gradient), [*expected, gradient.sum()], atol=1e-12)


def test_the_time_limit_ends_the_work(data):
    X, split = data
    over = Effort(tol=1e-12, deadline=time.perf_counter() - 1)
    oracle = resolve_target("auc").make_oracle(split)

    assert minimise_by_planes(Design(X), oracle, C=1e4, baseline=1.0, effort=over).n_iter == 1
    assert minimise_by_newton(Design(X), split, C=1e4, effort=over).n_iter == 1


def test_a_vacuous_bound_is_given_up_soon(data):
    X, split = data
    noise = np.random.default_rng(1).normal(size=X.shape)
    found = solve("f1", noise, split)[2]

    assert found.bound_ratio >= 0.99
    assert found.n_iter < 100


# ---------------------------------------------------------------------- the dual


@given(seed=st.integers(0, 10_000), size=st.integers(1, 12))
@settings(max_examples=60)
def test_the_shares_of_the_planes_are_the_best_of_all(seed, size):
    rng = np.random.default_rng(seed)
    slopes, b = rng.normal(size=(size, 3)), rng.normal(size=size)
    G = slopes @ slopes.T
    x = maximise_on_simplex(G, b, np.append(2.0, np.zeros(size - 1)), 2.0)
    gain = b - G @ x

    assert x.min() >= 0
    assert x.sum() == pytest.approx(2)
    # No share is better placed elsewhere: where there is one, the gain is the largest.
    assert gain @ x / 2 == pytest.approx(gain.max(), abs=1e-8)


# ---------------------------------------------------------------------- the auc


def test_newton_sorted_pairs_and_explicit_pairs_have_one_minimum(data):
    X, split = data
    fast = minimise_by_newton(Design(X), split, C=30.0, effort=Effort(tol=1e-8))
    slow = minimise_over_pairs(X, split, C=30.0, effort=Effort(tol=1e-8, max_iter=10_000))

    assert fast.objective == pytest.approx(slow.objective, rel=1e-6)
    np.testing.assert_allclose(fast.w, slow.w, atol=1e-3)


def test_newton_ends_where_the_gradient_does(data):
    X, split = data
    found = minimise_by_newton(Design(X), split, C=30.0, effort=Effort(tol=1e-8))
    gradient = found.w + 30 * X.T @ PairSquares(split, X @ found.w).compute_risk().gradient

    np.testing.assert_allclose(gradient, 0, atol=1e-5)


def test_cutting_planes_and_newton_rank_alike(data):
    X, split = data
    planes = solve("auc", X, split, C=30.0)[2].w
    newton = minimise_by_newton(Design(X), split, C=30.0, effort=Effort()).w

    assert planes @ newton / np.linalg.norm(planes) / np.linalg.norm(newton) > 0.99


def test_explicit_pairs_with_the_hinge_loss_have_the_minimum_of_the_structural_solver():
    """The worst order is the worst answer to each pair by itself, so both minimise the same function."""
    X, y = make_classification(80, n_features=5, weights=[0.7], flip_y=0.1, random_state=3)
    models = {
        method: LinearMeasureClassifier("auc", solver="structural", method=method, C=5.0, tol=1e-4, max_iter=200_000)
        for method in ("sorted", "pairs")
    }
    found = {method: model.fit(X, y) for method, model in models.items()}

    def objective(model):
        w = model.coef_[0]
        scores = X @ w
        short = np.maximum(0, 1 - (scores[y == 1][:, None] - scores[y == 0][None, :]))
        return 0.5 * w @ w + 5.0 * short.mean()

    values = {method: objective(model) for method, model in found.items()}
    assert values["pairs"] == pytest.approx(values["sorted"], rel=1e-4)
    assert values["sorted"] < 0.8 * 5.0  # a constant score has a risk of 1
