"""cross_validate(), nested cross-validation and the permutation test of a whole cross-validation."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GroupKFold,
    LeaveOneOut,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
)
from sklearn.model_selection import cross_validate as sklearn_cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import cutline as cl
from cutline import refit

X, Y = make_classification(120, 6, flip_y=0.2, random_state=1)
MODEL = LogisticRegression()


def test_the_mean_over_folds_is_scikit_learns() -> None:
    cv = RepeatedStratifiedKFold(n_splits=4, n_repeats=2, random_state=3)
    theirs = sklearn_cross_validate(MODEL, X, Y, cv=cv, scoring=["roc_auc", "accuracy", "neg_brier_score"])
    found = cl.cross_validate(MODEL, X, Y, cv=cv)
    assert (found.folds, found.repeats, found.test_to_train) == (4, 2, pytest.approx(1 / 3))
    assert found.auc == pytest.approx(theirs["test_roc_auc"].mean())
    assert found.accuracy == pytest.approx(theirs["test_accuracy"].mean())
    assert found.value("brier") == pytest.approx(-theirs["test_neg_brier_score"].mean())


def test_the_dict_of_scikit_learn_is_taken() -> None:
    how = {"cv": StratifiedKFold(5), "return_estimator": True, "return_indices": True, "scoring": "roc_auc"}
    theirs = sklearn_cross_validate(make_pipeline(StandardScaler(), MODEL), X, Y, **how)
    found = cl.cross_validate(theirs, X, Y)
    assert found.auc == pytest.approx(theirs["test_score"].mean())
    assert found.name == "LogisticRegression"
    with pytest.raises(cl.InputError, match="return_estimator=True and return_indices=True"):
        cl.cross_validate({"test_score": [1]}, X, Y)
    with pytest.raises(cl.ParameterError, match="nested fits the model again"):
        found.estimate("brier", method="nested")


@pytest.mark.slow
def test_the_seed_decides_folds_and_random_states_whatever_the_number_of_jobs() -> None:
    tree = DecisionTreeClassifier(max_features=2)
    once, again = (cl.cross_validate(tree, X, Y, cv=3, seed=5, n_jobs=jobs).auc for jobs in (1, 2))
    assert once == again
    assert cl.cross_validate(tree, X, Y, cv=3, seed=6).auc != once


def test_an_interrupted_run_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = cl.cross_validate(MODEL, X, Y, cv=RepeatedStratifiedKFold(n_splits=3, n_repeats=3), seed=2)
    fits = 0
    real = LogisticRegression.fit

    def interrupted(self, *arguments, **options):
        nonlocal fits
        fits += 1
        if fits == 5:
            raise KeyboardInterrupt
        return real(self, *arguments, **options)

    monkeypatch.setattr(LogisticRegression, "fit", interrupted)
    part = cl.cross_validate(MODEL, X, Y, cv=RepeatedStratifiedKFold(n_splits=3, n_repeats=3), seed=2)
    assert (part.repeats, len(part.scores)) == (1, 4)
    assert "Stopped after 4 of 9 folds" in str(part.notes[1])
    resumed = cl.cross_validate(MODEL, X, Y, seed=2, resume=part)
    assert resumed.auc == whole.auc
    assert not any(note.rule == "stopped" for note in resumed.notes)


def test_splitters_that_are_no_partition() -> None:
    random = cl.cross_validate(MODEL, X, Y, cv=ShuffleSplit(6, test_size=0.25))
    assert (random.folds, random.repeats, random.test_to_train) == (6, 1, pytest.approx(30 / 90))
    assert any(note.rule == "overlap" for note in random.notes)
    ordered = cl.cross_validate(MODEL, X, Y, cv=TimeSeriesSplit(4))
    assert (ordered.folds, ordered.test_to_train) == (4, pytest.approx(24 / 60))
    assert "all 120 cases" in str(ordered.notes[0])
    each = cl.cross_validate(MODEL, X, Y, cv=LeaveOneOut())
    assert each.value("brier") == pytest.approx(np.mean((np.concatenate(each.scores) - Y) ** 2))


def test_groups_stay_together_or_a_warning_says_so() -> None:
    groups = np.arange(120) // 4
    together = cl.cross_validate(MODEL, X, Y, cv=GroupKFold(5), groups=groups)
    assert not any(note.rule == "group-leak" for note in together.notes)
    apart = cl.cross_validate(MODEL, X, Y, cv=5, groups=groups)
    assert any(note.rule == "group-leak" for note in apart.notes)


def test_measures_names_what_the_summary_shows_and_labels_may_be_text() -> None:
    labels = np.where(Y == 1, "bad", "good")
    found = cl.cross_validate(MODEL, pd.DataFrame(X), labels, cv=4, measures=["auc", "brier"], positive="bad")
    assert [row.name for row in found.summary().rows] == ["auc", "brier"]
    assert found.auc == cl.cross_validate(MODEL, X, Y, cv=4).auc


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"cv": 1}, "cv is 1"),
        ({"cv": 100}, "the rarer class has"),
        ({"cv": "five"}, "pass the number of folds, a splitter"),
        ({"cv": [(np.arange(60), np.arange(60, 120))]}, "gives 1 fold"),
        ({"cv": GroupKFold(3)}, "cannot be split"),
        ({"positive": 7}, "which is not a label"),
        ({"measures": [3]}, "There is no measure 3"),
        ({"measures": [pd.Series([1])]}, "There is no measure 0 1 dtype: int64"),
        ({"resume": 3}, "pass the CrossValidation that was stopped"),
        ({"n_jobs": 0}, "n_jobs is 0"),
    ],
)
def test_refusals(options: dict, words: str) -> None:
    with pytest.raises(cl.CutlineError, match=words) as refused:
        cl.cross_validate(MODEL, X, Y, **options)
    assert str(refused.value).endswith(".")


# ---------------------------------------------------------------------- nested


def test_nested_scores_are_those_of_models_fitted_without_one_or_two_folds() -> None:
    found = cl.cross_validate(MODEL, X, Y, cv=3).nested(repeats=2)
    r, fold = 1, found.folds[1]
    case = 7
    other = (fold[case] + 1) % 3
    without_one = LogisticRegression().fit(X[fold != fold[case]], Y[fold != fold[case]])
    kept = (fold != fold[case]) & (fold != other)
    without_two = LogisticRegression().fit(X[kept], Y[kept])
    assert found.outer[r, case] == pytest.approx(without_one.predict_proba(X[[case]])[0, 1])
    assert found.inner[r, other, case] == pytest.approx(without_two.predict_proba(X[[case]])[0, 1])
    assert np.isnan(found.inner[r, fold[case], case])


def test_nested_losses_are_those_of_the_measure() -> None:
    found = cl.cross_validate(MODEL, X, Y, cv=3).nested(repeats=2)
    labels = Y == 1
    for measure, loss in (("brier", (found.outer - labels) ** 2), ("accuracy", (found.outer >= 0.5) == labels)):
        from cutline.folds.cross_validation import _compute_case_losses

        assert _compute_case_losses(cl.MEASURES[measure], labels, found.outer, {}) == pytest.approx(loss.astype(float))
    estimate = found.estimate("brier")
    assert estimate.low < estimate.value < estimate.high
    assert any("Fewer than 50" in note for note in estimate.notes)


def test_nested_is_resumed_and_refuses_rank_measures() -> None:
    cv = cl.cross_validate(MODEL, X, Y, cv=3)
    whole, part = cv.nested(repeats=3), cv.nested(repeats=2)
    assert np.array_equal(cv.nested(repeats=3, resume=part).outer, whole.outer)
    with pytest.raises(cl.ParameterError, match="means over cases, which auc is not"):
        cv.estimate("auc", method="nested")
    with pytest.raises(cl.ParameterError, match="leaves out two folds, and there are only 2: pass cv=3 or more"):
        cl.cross_validate(MODEL, X, Y, cv=2).nested(repeats=2)


def test_it_is_printed_as_an_evaluation_of_folds() -> None:
    found = cl.cross_validate(MODEL, X, Y, cv=3)
    assert repr(found).startswith(f"Mean area under the ROC curve {found.auc:.4f} (")
    assert f"LogisticRegression: {len(Y)} cases, {Y.sum()} positive" in repr(found)


# ---------------------------------------------------------------------- permutation test


def test_permuting_labels_of_a_whole_cross_validation() -> None:
    test = cl.permutation_test(MODEL, X, Y, cv=3, permutations=19, seed=1)
    assert test.value == pytest.approx(cl.cross_validate(MODEL, X, Y, cv=3, seed=1).auc)
    assert test.p_value == 1 / 20
    half = cl.permutation_test(MODEL, X, Y, cv=3, permutations=9, seed=1)
    assert np.array_equal(half.values, test.values[:9])
    assert np.array_equal(
        cl.permutation_test(MODEL, X, Y, cv=3, permutations=19, seed=1, resume=half).values, test.values
    )


@pytest.mark.parametrize("frame", [False, True])
def test_features_are_shuffled_within_each_class(frame: bool) -> None:
    data = pd.DataFrame(X) if frame else X
    shuffled = np.asarray(refit.shuffle_within_classes(data, Y, np.random.default_rng(0)))
    for label in (0, 1):
        rows = label == Y
        assert np.array_equal(np.sort(shuffled[rows], axis=0), np.sort(X[rows], axis=0))
    assert not np.array_equal(shuffled, X)


def test_shuffling_features_tells_whether_their_dependence_is_used() -> None:
    rng = np.random.default_rng(0)
    first = rng.choice([-1.0, 1.0], 200)
    label = rng.random(200) < 0.5
    second = np.where(label, first, -first) + 0.1 * rng.normal(size=200)  # each alone says nothing
    data = np.column_stack([first, second])
    test = cl.permutation_test(
        DecisionTreeClassifier(max_depth=3), data, label, cv=3, permutations=19, shuffle="features"
    )
    assert test.value > 0.95
    assert test.p_value == 1 / 20


def test_a_permutation_test_needs_a_test_set_or_folds() -> None:
    with pytest.raises(cl.ParameterError, match="X_test and y_test are missing"):
        cl.permutation_test(MODEL, X, Y)
    with pytest.raises(cl.ParameterError, match="both given"):
        cl.permutation_test(MODEL, X, Y, X, Y, cv=3)
    with pytest.raises(cl.ParameterError, match="shuffle is 'rows'"):
        cl.permutation_test(MODEL, X, Y, cv=3, shuffle="rows")


@pytest.mark.parametrize("repeats", [2**31, 2.0**60, 1e308])
def test_no_more_repeats_are_begun_than_could_end(repeats):
    found = cl.cross_validate(MODEL, X, Y, cv=3)
    with pytest.raises(cl.CutlineError, match=r"repeats is .*: pass a whole number from 2 to 10,000,000"):
        found.nested(repeats)
