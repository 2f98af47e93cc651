"""Targets that share a maximiser, the mutual information, the average Qrecall and losses of probabilities."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import StandardScaler

import cutline as cl
from cutline import LinearMeasureClassifier


def data(n=400, seed=0, weights=(0.8,), **more):
    X, y = make_classification(n, n_features=5, weights=list(weights), flip_y=0.1, random_state=seed, **more)
    return StandardScaler().fit_transform(X), y


@pytest.mark.parametrize(
    ("name", "same"),
    [
        *((name, "auc") for name in ("gini", "taks", "average_gain", "pem")),
        ("average_hit_rate", "average_precision"),
    ],
)
@pytest.mark.parametrize("solver", ["auto", "smooth", "baseline"])
def test_a_measure_with_the_same_maximiser_is_trained_as_that_one(name, same, solver):
    X, y = data()
    model = LinearMeasureClassifier(name, solver=solver, random_state=0).fit(X, y)
    other = LinearMeasureClassifier(same, solver=solver, random_state=0).fit(X, y)

    assert np.array_equal(model.coef_, other.coef_)
    assert model.solver_ == f"{other.solver_} ({same})"
    assert model.train_measure_ == pytest.approx(cl.evaluate(y, model.decision_function(X)).value(name))


def test_a_known_target_names_no_other():
    X, y = data()
    assert LinearMeasureClassifier("auc", random_state=0).fit(X, y).solver_ in ("baseline", "newton", "smooth")


# ---------------------------------------------------------------------- mutual information


def best_by_brute_force(x, y):
    """The largest mutual information over all thresholds and both directions of one column, where TPR >= FPR."""
    found = 0.0
    for sign in (1, -1):
        for cut in np.unique(sign * x):
            flagged = sign * x >= cut
            tp, fp = int((flagged & (y == 1)).sum()), int((flagged & (y == 0)).sum())
            fn, tn = int((y == 1).sum()) - tp, int((y == 0).sum()) - fp
            if tp * (fp + tn) >= fp * (tp + fn):
                found = max(found, float(cl.Counts(tp, fp, fn, tn).mutual_information))
    return found


@pytest.mark.parametrize("solver", ["baseline", "smooth", "auto"])
@pytest.mark.parametrize("seed", range(3))
def test_the_mutual_information_of_one_column_is_the_best_over_all_cuts(solver, seed):
    rng = np.random.default_rng(seed)
    y = (np.arange(60) < 25).astype(int)
    x = rng.normal(size=60) + 1.5 * y
    model = LinearMeasureClassifier("mutual_information", solver=solver, threshold="tune", random_state=0)
    model.fit(x[:, None], y)

    assert model.coef_[0, 0] > 0  # the branch where TPR >= FPR
    assert model.train_measure_ == pytest.approx(best_by_brute_force(x, y))


# ---------------------------------------------------------------------- average Qrecall


@pytest.mark.parametrize("solver", ["structural", "smooth"])
def test_the_average_qrecall_is_near_the_best_over_all_directions(solver):
    rng = np.random.default_rng(4)
    y = (np.arange(80) < 20).astype(int)
    X = rng.normal(size=(80, 2)) * [1, 3] + y[:, None] * [1.0, 0.3]
    angles = np.linspace(0, 2 * np.pi, 721)
    each = [cl.average_qrecall(y, X @ [np.cos(a), np.sin(a)]) for a in angles]
    own = {"trust": 0.0} if solver == "smooth" else {}
    model = LinearMeasureClassifier("average_qrecall", solver=solver, random_state=0, **own).fit(X, y)

    assert model.train_measure_ >= max(each) - 0.02
    assert model.train_measure_ <= max(each) + 1e-3  # between two directions there may be a better one


def test_a_quota_counts_places_and_takes_no_weights():
    X, y = data(80)
    with pytest.raises(cl.ParameterError, match="average_qrecall cannot take sample_weight"):
        LinearMeasureClassifier("average_qrecall").fit(X, y, np.ones(80))


# ---------------------------------------------------------------------- losses


def penalised(name, X, y, C, alpha=None, gamma=2.0):
    """The loss that is minimised, written out case by case."""
    alpha = (y == 0).mean() if alpha is None and name == "balanced_cross_entropy" else alpha

    def objective(w):
        p = expit(X @ w[:-1] + w[-1])
        own = np.where(y == 1, p, 1 - p)
        weight = 1.0 if alpha is None else np.where(y == 1, alpha, 1 - alpha)
        loss = {
            "log_loss": -np.log(own),
            "brier": (1 - own) ** 2,
            "balanced_cross_entropy": -weight * np.log(own),
            "focal_loss": -weight * (1 - own) ** gamma * np.log(own),
        }[name]
        return loss.mean() + 0.5 / C * (w[:-1] @ w[:-1])

    return objective


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("log_loss", {}),
        ("brier", {}),
        ("balanced_cross_entropy", {}),
        ("balanced_cross_entropy", {"alpha": 0.7}),
        ("focal_loss", {}),
        ("focal_loss", {"gamma": 1.0, "alpha": 0.25}),
    ],
)
def test_the_loss_is_minimised(name, given):
    X, y = data(120)
    model = LinearMeasureClassifier(name, solver="smooth", C=10.0, **given).fit(X, y)
    objective = penalised(name, X, y, 10.0, **given)
    reached = objective(np.append(model.coef_[0], model.intercept_[0]))
    others = [minimize(objective, start).fun for start in np.random.default_rng(0).normal(size=(8, 6))]

    assert reached == pytest.approx(model.objective_, rel=1e-6)
    assert reached <= min(others) + 1e-5
    p = model.predict_proba(X)[:, 1]
    assert model.train_measure_ == pytest.approx(cl.evaluate(y, p).value(name, **given))


def test_the_log_loss_is_logistic_regression_to_its_penalty():
    X, y = data(300)
    model = LinearMeasureClassifier("log_loss", solver="smooth", C=50.0).fit(X, y)
    other = LogisticRegression(C=50.0 / 300, tol=1e-10, max_iter=1000).fit(X, y)

    assert model.coef_ == pytest.approx(other.coef_, abs=1e-3)
    assert model.predict_proba(X) == pytest.approx(other.predict_proba(X), abs=1e-3)


def test_the_baseline_of_a_loss_has_its_intercept_tuned_for_it():
    X, y = data(300)
    plain = LogisticRegression(max_iter=1000).fit(X, y)
    model = LinearMeasureClassifier("balanced_cross_entropy", solver="baseline").fit(X, y)
    shifts = np.linspace(-4, 4, 801) + plain.intercept_[0]
    scores = X @ plain.coef_[0]
    each = [cl.evaluate(y, expit(scores + shift)).value("balanced_cross_entropy") for shift in shifts]

    assert model.coef_ == pytest.approx(plain.coef_)
    assert model.intercept_[0] == pytest.approx(shifts[int(np.argmin(each))], abs=0.01)


def test_alpha_and_gamma_can_be_searched_by_cross_validation():
    X, y = data(200)
    model = LinearMeasureClassifier("focal_loss", solver="smooth")
    grid = {"gamma": [0.0, 1.0, 2.0], "alpha": [0.3, 0.8]}
    search = GridSearchCV(model, grid, scoring="average_precision", cv=3).fit(X, y)

    assert set(search.best_params_) == {"alpha", "gamma"}
    values = search.cv_results_["mean_test_score"]
    assert len(set(np.round(values, 12))) > 1  # they make a difference
    assert search.best_estimator_.predict_proba(X).shape == (200, 2)


def test_probabilities_are_there_for_losses_alone():
    X, y = data(100)
    assert hasattr(LinearMeasureClassifier("brier"), "predict_proba")
    assert not hasattr(LinearMeasureClassifier("f1").fit(X, y), "predict_proba")
    negative = LinearMeasureClassifier("log_loss", positive=0, solver="smooth").fit(X, y)
    positive = LinearMeasureClassifier("log_loss", solver="smooth").fit(X, y)
    assert negative.predict_proba(X) == pytest.approx(positive.predict_proba(X), abs=1e-3)


@pytest.mark.parametrize(
    ("measure", "given", "words"),
    [
        ("f1", {"alpha": 0.3}, "alpha has no effect for f1: leave it out"),
        ("log_loss", {"gamma": 2.0}, "gamma has no effect for log_loss: leave it out"),
        ("focal_loss", {"gamma": 2.0, "parameters": {"gamma": 1}}, "gamma is given, and among parameters too"),
        ("log_loss", {"solver": "structural"}, "solver='structural' bounds decisions, and log_loss is a loss"),
        ("log_loss", {"threshold": "tune"}, "threshold has no effect for log_loss"),
        ("net_benefit", {}, "net_benefit needs risk: pass, for example, parameters="),
        ("portion_lift", {}, "A linear classifier cannot be trained for portion_lift"),
    ],
)
def test_what_makes_no_sense_is_refused_in_a_sentence(measure, given, words):
    with pytest.raises(cl.ParameterError, match=words):
        LinearMeasureClassifier(measure, **given).fit(*data(60))


def test_net_benefit_with_a_risk_can_be_trained_for():
    model = LinearMeasureClassifier("net_benefit", parameters={"risk": 0.2}, random_state=0).fit(*data(200))
    assert np.isfinite(model.train_measure_)
