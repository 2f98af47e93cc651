"""Fitting again and again: out-of-bag bootstrap samples and shuffled training labels."""

import math
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import cutline as cl
from cutline import MEASURES, bootstrap_model, permutation_test
from cutline.inference.resampling.pairing import make_stream

RNG = np.random.default_rng(1)
Y = (RNG.random(60) < 0.4).astype(int)
X = RNG.normal(size=(60, 3)) + Y[:, None]
MODEL = GaussianNB()


class Recorder(ClassifierMixin, BaseEstimator):
    """A classifier that scores by the first feature, and remembers what it was fitted on."""

    seen: ClassVar[list] = []
    stop_after = math.inf

    def fit(self, X, y):
        if len(self.seen) >= self.stop_after:
            raise KeyboardInterrupt
        self.seen.append((np.asarray(X), np.asarray(y)))
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return self.classes_[(self.predict_proba(X)[:, 1] >= 0.5).astype(int)]

    def predict_proba(self, X):
        p = 1 / (1 + np.exp(-np.asarray(X)[:, 0]))
        return np.column_stack((1 - p, p))


@pytest.fixture
def recorder(monkeypatch):
    monkeypatch.setattr(Recorder, "seen", [])
    return Recorder()


# ---------------------------------------------------------------------- bootstrap


def test_a_round_fits_a_bootstrap_set_and_measures_the_cases_left_out(recorder):
    found = bootstrap_model(recorder, X, Y, ["auc", "brier"], resamples=5, seed=4)

    for number, (fitted, labels) in enumerate(recorder.seen):
        drawn = make_stream(4, number).integers(0, 60, 60)
        left = np.setdiff1d(np.arange(60), drawn)
        np.testing.assert_array_equal(fitted, X[drawn])
        np.testing.assert_array_equal(labels, Y[drawn])
        scores = recorder.predict_proba(X[left])[:, 1]
        assert found.values[number].tolist() == [cl.auc(Y[left], scores), cl.brier(Y[left], scores)]


def test_the_interval_equals_the_percentiles():
    found = bootstrap_model(MODEL, X, Y, "auc", resamples=99)
    values = np.sort(found.values[:, 0])
    estimate = found.estimate("auc", level=0.9)

    assert (estimate.low, estimate.high) == (values[4], values[94])  # the fifth from either end of 99
    assert estimate.value == pytest.approx(values.mean())
    assert estimate.method == "out_of_bag_bootstrap"
    assert estimate.notes == ()


@pytest.mark.slow
def test_rounds_do_not_depend_on_how_many_run_at_a_time():
    alone = bootstrap_model(MODEL, X, Y, ["auc", "accuracy"], resamples=4)
    together = bootstrap_model(MODEL, X, Y, ["auc", "accuracy"], resamples=4, n_jobs=2)

    np.testing.assert_array_equal(alone.values, together.values)
    assert (alone.values != bootstrap_model(MODEL, X, Y, ["auc", "accuracy"], resamples=4, seed=1).values).any()


def test_a_forest_without_a_random_state_of_its_own_takes_it_from_the_seed():
    forest = make_pipeline(StandardScaler(), RandomForestClassifier(n_estimators=3))

    once, again = (bootstrap_model(forest, X, Y, "auc", resamples=3) for _ in range(2))

    np.testing.assert_array_equal(once.values, again.values)
    assert forest[-1].random_state is None


def test_what_was_stopped_can_go_on(recorder, monkeypatch):
    whole = bootstrap_model(recorder, X, Y, "auc", resamples=9)
    recorder.seen.clear()
    monkeypatch.setattr(Recorder, "stop_after", 4)
    stopped = bootstrap_model(recorder, X, Y, "auc", resamples=9)
    monkeypatch.setattr(Recorder, "stop_after", math.inf)
    resumed = bootstrap_model(recorder, X, Y, "auc", resamples=9, resume=stopped)

    assert (stopped.rounds, stopped.requested) == (4, 9)
    assert "Stopped after 4 of 9 bootstrap samples." in stopped.estimate().notes
    np.testing.assert_array_equal(resumed.values, whole.values)
    assert resumed.redrawn == whole.redrawn
    assert not any("Stopped" in note for note in resumed.estimate().notes)


def test_stopped_before_the_first_round_there_is_nothing_and_it_says_so(recorder, monkeypatch):
    monkeypatch.setattr(Recorder, "stop_after", 0)
    found = bootstrap_model(recorder, X, Y, "auc", resamples=5)

    assert found.rounds == 0
    assert math.isnan(found.estimate().value)
    assert found.estimate().notes[0] == "Stopped after 0 of 5 bootstrap samples."
    assert "auc" in repr(found)


def test_sets_of_one_class_are_drawn_again_and_counted(recorder):
    y = np.array([1, 1, 0, 0])
    found = bootstrap_model(recorder, np.arange(4.0)[:, None], y, "auc", resamples=200)

    assert found.redrawn > 0
    assert all(len(np.unique(labels)) == 2 for _, labels in recorder.seen)
    assert not np.isnan(found.values).any()
    assert f"{found.redrawn} bootstrap samples" in found.estimate().notes[0]


def test_a_measure_that_is_undefined_in_some_rounds_leaves_them_out(recorder):
    precise = MEASURES["precision"]
    y = np.array([1, 1, 1, 0, 0, 0])
    found = bootstrap_model(recorder, np.arange(6.0)[:, None] - 4, y, [precise], resamples=60)
    undefined = int(np.isnan(found.values).sum())

    assert 0 < undefined < 60
    assert f"Undefined in {undefined} of 60 bootstrap samples, which do not count." in found.estimate().notes


@pytest.mark.parametrize("form", [pd.DataFrame, np.ndarray.tolist])
def test_cases_may_come_in_any_form_that_scikit_learn_takes(form):
    expected = bootstrap_model(MODEL, X, Y, "auc", resamples=3).values

    np.testing.assert_array_equal(bootstrap_model(MODEL, form(X), Y, "auc", resamples=3).values, expected)
    np.testing.assert_array_equal(bootstrap_model(MODEL, form(X), pd.Series(Y), "auc", resamples=3).values, expected)


def test_text_labels_and_the_other_class_as_positive():
    names = np.where(Y == 1, "yes", "no")
    values = bootstrap_model(MODEL, X, names, "recall", resamples=3).values

    np.testing.assert_array_equal(values, bootstrap_model(MODEL, X, Y, "recall", resamples=3).values)
    assert (values != bootstrap_model(MODEL, X, names, "recall", resamples=3, positive="no").values).any()


def test_a_bootstrap_converts():
    found = bootstrap_model(MODEL, X, Y, ["auc", MEASURES["f_beta"].with_(beta=2)], resamples=50)

    assert found.to_frame()["measure"].tolist() == ["auc", "f_beta(beta=2)"]
    assert found.to_dict()["rounds"] == 50
    assert [e["measure"] for e in found.to_dict()["estimates"]] == ["auc", "f_beta(beta=2)"]
    assert found.estimate(MEASURES["f_beta"].with_(beta=2)).has_interval
    assert repr(found).startswith("Fitted on 50 bootstrap samples, measured out of bag; 95 % interval")
    assert "<table>" in found._repr_html_()


def test_progress_is_written_when_it_is_wanted_and_not_to_a_file(capsys):
    bootstrap_model(MODEL, X, Y, "auc", resamples=2)
    assert capsys.readouterr().err == ""

    bootstrap_model(MODEL, X, Y, "auc", resamples=2, progress=True)
    assert capsys.readouterr().err == "\rround 1 of 2\rround 2 of 2\n"


# ---------------------------------------------------------------------- permutation

TRAIN, TEST = slice(0, 40), slice(40, 60)


def test_a_round_fits_shuffled_labels_and_measures_the_same_test_set(recorder):
    found = permutation_test(recorder, X[TRAIN], Y[TRAIN], X[TEST], Y[TEST], "auc", 5)

    fits = recorder.seen[1:]
    assert len(fits) == 5
    assert all(labels.sum() == Y[TRAIN].sum() for _, labels in fits)
    assert any((labels != Y[TRAIN]).any() for _, labels in fits)
    assert all((fitted == X[TRAIN]).all() for fitted, _ in fits)
    assert found.value == cl.auc(Y[TEST], recorder.predict_proba(X[TEST])[:, 1])
    assert found.p_value == found.share == 1  # this classifier learns nothing, so that shuffling changes nothing


def test_a_model_that_learned_beats_models_of_shuffled_labels():
    clear = np.random.default_rng(2).normal(size=(60, 8))
    clear[:, 0] += 3 * Y
    found = permutation_test(MODEL, clear[TRAIN], Y[TRAIN], clear[TEST], Y[TEST], "average_precision", 99)
    losses = permutation_test(MODEL, clear[TRAIN], Y[TRAIN], clear[TEST], Y[TEST], "log_loss", 99)

    assert found.p_value < 0.05
    assert losses.p_value < 0.05
    assert found.p_value == (found.extreme + 1) / 100
    assert found.share == found.extreme / 99


def test_labels_without_sense_are_not_learned():
    rng = np.random.default_rng(8)
    p_values = []
    for _ in range(20):
        noise, labels = rng.normal(size=(60, 2)), rng.permutation(Y)
        found = permutation_test(MODEL, noise[TRAIN], labels[TRAIN], noise[TEST], labels[TEST], "auc", 19)
        p_values.append(found.p_value)

    assert sum(p <= 0.05 for p in p_values) <= 4  # 1 expected; more than 4 has a chance of 0.3 %
    assert 0.35 < np.mean(p_values) < 0.7


@pytest.mark.slow
def test_permutations_do_not_depend_on_jobs_and_can_go_on(recorder, monkeypatch):
    data = (X[TRAIN], Y[TRAIN], X[TEST], Y[TEST])
    whole = permutation_test(MODEL, *data, "auc", 12)
    parallel = permutation_test(MODEL, *data, "auc", 12, n_jobs=2)
    half = permutation_test(MODEL, *data, "auc", 5)
    resumed = permutation_test(MODEL, *data, "auc", 12, resume=half)

    np.testing.assert_array_equal(whole.values, parallel.values)
    np.testing.assert_array_equal(whole.values, resumed.values)

    monkeypatch.setattr(Recorder, "stop_after", 4)
    stopped = permutation_test(recorder, *data, "auc", 12)
    assert stopped.permutations == 3
    assert stopped.notes == ("Stopped after 3 of 12 permutations.",)


def test_a_test_set_of_one_class_has_a_reason():
    found = permutation_test(MODEL, X[TRAIN], Y[TRAIN], X[TEST], np.ones(20, int), "auc", 5)

    assert math.isnan(found.p_value)
    assert found.notes


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"estimator": "logistic"}, "estimator is 'logistic': pass a classifier"),
        ({"estimator": GaussianNB}, "pass a classifier of scikit-learn, not fitted"),
        ({"n_jobs": 0}, "n_jobs is 0: pass the number of processes"),
        ({"n_jobs": "2"}, "n_jobs is '2': pass the number of processes"),
        ({"resume": 3}, "resume is 3: pass the (ModelBootstrap|PermutationTest) that was stopped"),
    ],
)
def test_what_cannot_be_fitted_again_and_again_is_refused(wrong, message):
    X, y = np.arange(8.0)[:, None], [0, 1] * 4
    given = {"estimator": GaussianNB(), "n_jobs": 1, "resume": None} | wrong
    estimator = given.pop("estimator")

    with pytest.raises(cl.CutlineError, match=message):
        bootstrap_model(estimator, X, y, resamples=2, **given)
    with pytest.raises(cl.CutlineError, match=message):
        permutation_test(estimator, X, y, X, y, permutations=2, **given)
