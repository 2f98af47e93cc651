"""evaluate_model(): which scores are taken, which class is positive, and what is refused."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import cutline as cl
from cutline.core.errors import InputError

rng = np.random.default_rng(7)
X = rng.normal(size=(80, 2))
Y = np.where(X[:, 0] + rng.normal(size=80) > 0, "paid", "default")


def test_probabilities_of_the_positive_class_are_the_scores():
    model = LogisticRegression().fit(X, Y)
    ev = cl.evaluate_model(model, X, Y, positive="default")
    assert ev.auc == cl.evaluate(Y, model.predict_proba(X)[:, 0], positive="default").auc
    assert ev.name == "LogisticRegression"
    assert ev.ranking.positive == "default"


def test_without_probabilities_the_decision_function_is_turned_towards_the_positive_class():
    model = RidgeClassifier().fit(X, Y)
    paid, default = (cl.evaluate_model(model, X, Y, positive=name).auc for name in ("paid", "default"))
    assert paid == pytest.approx(default)
    assert paid > 0.6


def test_a_pipeline_is_called_like_its_last_step_and_weights_and_cuts_are_passed_on():
    model = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, Y)
    weights = np.arange(80) % 3 + 1
    ev = cl.evaluate_model(model, X, Y, weights, quota=20)
    assert ev.name == "LogisticRegression"
    assert ev.ranking.total == weights.sum()
    assert ev.quota == 20


def test_what_cannot_be_evaluated_is_refused_with_a_sentence():
    model = LogisticRegression().fit(X, Y)
    with pytest.raises(InputError, match="not among the estimator's classes"):
        cl.evaluate_model(model, X, Y, positive="late")
    with pytest.raises(InputError, match="holds 'late'"):
        cl.evaluate_model(model, X, np.where(np.arange(80) == 3, "late", Y))
    with pytest.raises(InputError, match="is not fitted: call its fit"):
        cl.evaluate_model(LogisticRegression(), X, Y)

    class Hard:
        classes_ = ("default", "paid")

    with pytest.raises(InputError, match="neither predict_proba nor decision_function"):
        cl.evaluate_model(Hard(), X, Y)
