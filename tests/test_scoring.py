"""The scorer inside scikit-learn's model selection, beside scikit-learn's own scorers."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer, make_scorer
from sklearn.metrics import hinge_loss as sklearn_hinge_loss
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import cutline as cl
from cutline import MEASURES, rank, scorer
from grouping import each_case

X, Y = make_classification(n_samples=120, n_features=4, flip_y=0.2, weights=[0.6], random_state=3)
NAMED = np.where(Y == 1, "spam", "ham")  # "ham" comes first among the classes
MODELS = {
    "logistic regression": LogisticRegression(),
    "support vectors": SVC(),
    "tree": DecisionTreeClassifier(max_depth=3, random_state=0),
}
each_model = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())
FITTED = LogisticRegression().fit(X, Y)
PROBABILITIES = FITTED.predict_proba(X)[:, 1]

PEERS = {
    "auc": "roc_auc",
    "average_precision": "average_precision",
    "log_loss": "neg_log_loss",
    "brier": "neg_brier_score",
    "f1": "f1",
    "accuracy": "accuracy",
    "balanced_accuracy": "balanced_accuracy",
    "recall": "recall",
    "mcc": "matthews_corrcoef",
}
NEEDS_PROBABILITIES = {"log_loss", "brier"}


def folds(model, scoring, y=Y, **options):
    return cross_validate(model, X, y, scoring=scoring, cv=3, error_score="raise", **options)["test_score"]


@each_model
@pytest.mark.parametrize("name", PEERS)
def test_each_fold_scores_what_scikit_learn_gives(model, name):
    if name in NEEDS_PROBABILITIES and isinstance(model, SVC):
        model = DecisionTreeClassifier(max_depth=2, random_state=1)  # SVC gives no probabilities

    np.testing.assert_allclose(folds(model, scorer(name)), folds(model, PEERS[name]), rtol=1e-12)


@each_model
@pytest.mark.parametrize("positive", ["spam", "ham"])
@pytest.mark.parametrize("name", ["f1", "auc", "average_precision"])
def test_classes_may_be_named_and_either_may_be_positive(model, positive, name):
    found = folds(model, scorer(name, positive=positive), NAMED)
    expected = folds(model, PEERS[name], np.equal(NAMED, positive).astype(int))  # the positive class as 1

    np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_the_second_class_is_positive_unless_told_otherwise():
    np.testing.assert_array_equal(
        folds(FITTED, scorer("precision"), NAMED), folds(FITTED, scorer("precision", positive="spam"), NAMED)
    )
    assert (
        folds(FITTED, scorer("precision"), NAMED) != folds(FITTED, scorer("precision", positive="ham"), NAMED)
    ).any()


@each_case("m", [m for m in MEASURES if m.better and m.needs.name != "MARGINS" and not m.required], ids=str)
def test_greater_is_better_for_every_measure(m):
    scores = {"COUNTS": FITTED.predict(X).astype(float), "RANKING": FITTED.decision_function(X)}
    value = m(Y, scores.get(m.needs.name, PROBABILITIES))
    score = scorer(m)(FITTED, X, Y)

    assert score == pytest.approx(value if m.better == "higher" else -value, nan_ok=True)
    assert isinstance(score, float)


def test_a_measure_of_margins_reads_the_decision_function():
    model = SVC().fit(X, Y)

    assert scorer("hinge_loss")(model, X, Y) == pytest.approx(-sklearn_hinge_loss(Y, model.decision_function(X)))
    swapped = scorer("hinge_loss", positive=0)(model, X, Y)
    assert swapped == pytest.approx(scorer("hinge_loss")(model, X, Y))


@pytest.mark.parametrize(
    ("name", "where"),
    [
        ("precision", {"quota": 20}),
        ("precision", {"share": 0.2}),
        ("recall", {"threshold": 0.3}),
        ("net_benefit", {"threshold": 0.3}),
        ("hit_rate", {"quota": 20}),
        ("qrecall", {"share": 0.2}),
        ("pearson", {"quota": 60}),
    ],
)
def test_a_cut_can_be_named(name, where):
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, Y)
    expected = MEASURES[name](Y, model.predict_proba(X)[:, 1], **where)

    assert scorer(name, **where)(model, X, Y) == pytest.approx(expected)


def test_a_threshold_cuts_the_margins_when_there_are_no_probabilities():
    model = SVC().fit(X, Y)
    expected = MEASURES["recall"](Y, model.decision_function(X), threshold=0.2)

    assert scorer("recall", threshold=0.2)(model, X, Y) == expected


def test_parameters_go_to_the_measure():
    expected = MEASURES["f_beta"](Y, FITTED.predict(X).astype(float), beta=2)

    assert scorer("f_beta", beta=2)(FITTED, X, Y) == expected
    assert scorer(MEASURES["f_beta"].with_(beta=2))(FITTED, X, Y) == expected


@pytest.mark.parametrize("name", ["auc", "brier", "f1"])
def test_sample_weights_weigh(name):
    weights = np.random.default_rng(5).integers(0, 4, len(Y))
    peer = get_scorer(PEERS[name])

    assert scorer(name)(FITTED, X, Y, sample_weight=weights) == pytest.approx(
        peer(FITTED, X, Y, sample_weight=weights), rel=1e-12
    )
    repeated = np.repeat(np.arange(len(Y)), weights)
    assert scorer(name)(FITTED, X, Y, weights) == pytest.approx(scorer(name)(FITTED, X[repeated], Y[repeated]))


def test_several_scorers_at_once():
    found = cross_validate(
        FITTED,
        X,
        Y,
        cv=3,
        scoring={"area": scorer("auc"), "top": scorer("hit_rate", quota=10), "loss": scorer("log_loss")},
    )

    assert (found["test_area"] > 0.5).all()
    assert ((found["test_top"] >= 0) & (found["test_top"] <= 1)).all()
    assert (found["test_loss"] < 0).all()


@pytest.mark.parametrize(("name", "peer"), [("auc", "roc_auc"), ("log_loss", "neg_log_loss")])
def test_a_grid_search_chooses_what_it_chooses_with_scikit_learn(name, peer):
    grid = {"C": [1e-3, 0.1, 10.0]}
    mine, theirs = (
        GridSearchCV(LogisticRegression(), grid, scoring=scoring, cv=3).fit(X, Y) for scoring in (scorer(name), peer)
    )

    np.testing.assert_allclose(mine.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"], rtol=1e-12)
    assert mine.best_params_ == theirs.best_params_


def test_data_frames_and_one_line_scores_work():
    frame, labels = pd.DataFrame(X).add_prefix("x"), pd.Series(NAMED, dtype="category")
    scores = cross_val_score(
        LogisticRegression(), frame, labels, scoring=scorer("average_qrecall", positive="spam"), cv=3
    )

    assert scores.shape == (3,)
    assert ((scores > 0.5) & (scores <= 1)).all()


def test_a_wrong_sign_would_be_seen():
    wrong = make_scorer(MEASURES["log_loss"], response_method="predict_proba")

    assert wrong(FITTED, X, Y) > 0 > scorer("log_loss")(FITTED, X, Y)


# ---------------------------------------------------------------------- looks


def test_a_scorer_says_what_it_scores():
    assert repr(scorer("auc")) == "scorer('auc')"
    assert repr(scorer("f_beta", beta=2, threshold=0.3, positive="a")) == (
        "scorer('f_beta', beta=2, threshold=0.3, positive='a')"
    )


def test_a_scorer_can_be_copied():
    assert copy.deepcopy(scorer("f_beta", beta=2))(FITTED, X, Y) == scorer("f_beta", beta=2)(FITTED, X, Y)


@pytest.mark.parametrize("thing", [scorer("auc"), scorer("f_beta", beta=2), MEASURES["auc"]], ids=repr)
def test_scorers_and_measures_can_be_pickled(thing):
    again = pickle.loads(pickle.dumps(thing))  # noqa: S301

    assert repr(again) == repr(thing)


@each_case("m", MEASURES, ids=str)
def test_a_measure_comes_back_as_the_very_same_object(m):
    assert pickle.loads(pickle.dumps(m)) is m  # noqa: S301
    assert copy.deepcopy(m) is m
    assert pickle.loads(pickle.dumps(scorer("auc"))).measure is MEASURES["auc"]  # noqa: S301


# ---------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    "make",
    [
        lambda: scorer("nonsense"),
        lambda: scorer("auc", positive=KeyError("a")),
        lambda: scorer("prevalence"),
        lambda: scorer("predicted_positive_rate"),
        lambda: scorer("hit_rate"),
        lambda: scorer("auc", threshold=0.5),
        lambda: scorer("auc", quota=5),
        lambda: scorer("brier", share=0.5),
        lambda: scorer("f_beta", beta=-1),
        lambda: scorer("f_beta", alpha=1),
        lambda: scorer("auc")(LogisticRegression(), X, Y),
        lambda: scorer("auc")(LogisticRegression().fit(X, np.arange(len(Y)) % 3), X, Y),
        lambda: scorer("auc", positive="x")(FITTED, X, Y),
        lambda: scorer("brier")(SVC().fit(X, Y), X, Y),
        lambda: scorer("hinge_loss")(DecisionTreeClassifier().fit(X, Y), X, Y),
        lambda: scorer("precision", quota=1000)(FITTED, X, Y),
        lambda: scorer("precision", quota=10, share=0.5),
        lambda: scorer("precision", threshold=0.5, quota=10),
        lambda: scorer("precision", threshold=0.5, share=0.5),
        lambda: scorer("hit_rate", quota=10, share=0.5),
    ],
)
def test_what_cannot_be_scored_is_refused(make):
    with pytest.raises(cl.CutlineError):
        make()


def test_labels_that_the_estimator_does_not_know_are_refused():
    with pytest.raises(cl.CutlineError):
        scorer("auc")(FITTED, X, NAMED)


def test_the_ranking_behind_a_score_is_that_of_the_scores():
    assert scorer("auc")(FITTED, X, Y) == MEASURES["auc"](rank(Y, FITTED.decision_function(X)))
