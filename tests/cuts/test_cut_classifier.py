"""CutClassifier: a scikit-learn classifier that predicts with a chosen cut."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_predict, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import cutline as cl
from cutline.core.errors import ParameterError

X, Y = make_classification(800, weights=[0.7], random_state=0)


def not_at_a_half(_):
    """A cut is chosen so as not to be at a probability of 0.5; scikit-learn expects the same of its own."""
    return {"check_classifiers_train": "the cut is not at a probability of 0.5"}


@parametrize_with_checks([cl.CutClassifier(LogisticRegression())], expected_failed_checks=not_at_a_half)
def test_the_classifier_passes_the_estimator_checks_of_scikit_learn(estimator, check):
    check(estimator)


def test_out_of_fold_the_cut_is_that_of_the_scores_that_no_model_saw():
    from sklearn.model_selection import StratifiedKFold

    model = cl.CutClassifier(LogisticRegression(), "recall >= 0.9", random_state=3).fit(X, Y)

    folds = StratifiedKFold(5, shuffle=True, random_state=3)
    scores = cross_val_predict(LogisticRegression(), X, Y, cv=folds, method="predict_proba")[:, 1]
    expected = cl.choose_cut(cl.rank(Y, scores), "recall >= 0.9")
    assert model.cut_.threshold == expected.threshold
    assert "out of fold" in model.cut_.notes[-1]
    assert (model.predict(X) == (model.predict_proba(X)[:, 1] >= expected.threshold)).all()


@pytest.mark.parametrize("estimator", [LogisticRegression(), LinearSVC(), RandomForestClassifier(20, random_state=0)])
def test_a_calibration_part_and_a_fitted_estimator_give_the_same_cut(estimator):
    train, rest, y_train, y_rest = train_test_split(X, Y, random_state=0)

    given = cl.CutClassifier(estimator, "recall >= 0.8").fit(train, y_train, calibration=(rest, y_rest))
    prefit = cl.CutClassifier(estimator.fit(train, y_train), "recall >= 0.8", cv="prefit").fit(rest, y_rest)

    assert given.cut_.threshold == prefit.cut_.threshold
    assert given.cut_.promises
    assert not any("out of fold" in note for note in given.cut_.notes)
    assert (given.predict(rest) == prefit.predict(rest)).all()


def test_either_class_may_be_the_positive_one():
    names = np.array(["bad", "good"])[Y]

    model = cl.CutClassifier(LogisticRegression(), "recall >= 0.9", positive="bad").fit(X, names)

    found = model.predict(X) == "bad"
    assert found[names == "bad"].mean() > 0.9
    assert set(model.predict(X)) == {"bad", "good"}


def test_weights_reach_the_fit_and_the_choice_and_promise_nothing():
    weight = np.where(Y == 1, 3.0, 1.0)

    model = cl.CutClassifier(LogisticRegression(), maximize="f1").fit(X, Y, sample_weight=weight)

    assert model.cut_.counts.positives == 3 * Y.sum()
    with pytest.raises(ParameterError, match=r"recall\.low"):
        cl.CutClassifier(LogisticRegression(), "recall >= 0.9").fit(X, Y, sample_weight=weight)


def test_it_works_in_pipelines_with_frames_and_in_a_search():
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])])
    scaled = make_pipeline(make_column_transformer((StandardScaler(), ["x0", "x1", "x2", "x3"])), LogisticRegression())

    inside = cl.CutClassifier(scaled, ["recall >= 0.8"], maximize="precision").fit(frame, Y)
    outside = make_pipeline(StandardScaler(), cl.CutClassifier(LogisticRegression(), "recall >= 0.8")).fit(frame, Y)
    search = GridSearchCV(cl.CutClassifier(LogisticRegression()), {"estimator__C": [0.1, 1]}, cv=2).fit(X, Y)

    assert inside.predict(frame).shape == outside.predict(frame).shape == (800,)
    assert list(inside.feature_names_in_) == list(frame.columns)
    assert search.best_estimator_.cut_.possible


def test_what_cannot_be_promised_is_refused_while_fitting():
    with pytest.raises(ParameterError, match="It takes at least"):
        cl.CutClassifier(LogisticRegression(), "recall >= 0.999").fit(X, Y)


def test_three_classes_are_refused():
    with pytest.raises(ValueError, match="Only binary classification"):
        cl.CutClassifier(LogisticRegression()).fit(X, np.arange(800) % 3)


def test_weights_reach_the_last_step_of_a_pipeline():
    weight = np.where(Y == 1, 3, 1)
    alone = cl.CutClassifier(LogisticRegression(), maximize="f1", resamples=0).fit(X, Y, sample_weight=weight)

    inside = make_pipeline("passthrough", LogisticRegression())
    found = cl.CutClassifier(inside, maximize="f1", resamples=0).fit(X, Y, sample_weight=weight)

    assert found.cut_.threshold == alone.cut_.threshold


def test_the_cut_of_a_classifier_names_the_class():
    named = np.where(Y == 1, "ill", "well")

    found = cl.CutClassifier(LogisticRegression(), maximize="f1", positive="ill", resamples=0).fit(X, named)

    assert found.cut_.positive == "ill"


@pytest.mark.parametrize("calibration", [X, (X,), (X, np.where(Y == 1, "ill", "well"))])
def test_a_calibration_part_that_is_none_is_refused(calibration):
    with pytest.raises(ParameterError, match="calibration"):
        cl.CutClassifier(LogisticRegression(), "recall >= 0.8").fit(X, Y, calibration=calibration)
