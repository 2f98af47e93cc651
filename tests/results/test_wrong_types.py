"""Wrong arguments are refused in a sentence: arrays for names, labels that are none, rows that are not there."""

import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import cutline as cl

LABELS, SCORES = [1, 0, 1, 0], [0.9, 0.6, 0.7, 0.2]
ARRAY = np.array([0.9, 0.6])


@pytest.mark.parametrize(
    "call",
    [
        lambda: cl.compare(LABELS, {"a": SCORES, "b": SCORES[::-1]}).summary(resamples=0).best(ARRAY),
        lambda: cl.compare(LABELS, {"a": SCORES, "b": SCORES[::-1]}).summary(resamples=0).differences_from(ARRAY),
        lambda: cl.evaluate(LABELS, SCORES).chart("roc", theme=ARRAY),
        lambda: cl.find_slices(LABELS, SCORES, data={"g": [1, 1, 2, 2]}, measure=["auc"]),
    ],
)
def test_an_array_in_place_of_a_name_is_refused(call):
    with pytest.raises(cl.CutlineError, match="pass"):
        call()


MODEL, FEATURES, MANY = LogisticRegression(), np.arange(16).reshape(8, 2), [0, 1] * 4
FITTED, EV, TWO = LogisticRegression().fit(FEATURES, MANY), cl.evaluate(LABELS, SCORES), {"a": SCORES, "b": SCORES}


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: cl.cross_validate(MODEL, FEATURES, [np.inf, -np.inf] * 4), "y holds inf: pass labels such as 0"),
        (lambda: cl.cross_validate(MODEL, FEATURES, [1.7e308, -1.7e308] * 4), r"y holds 1.7e\+308: pass labels"),
        (lambda: cl.cross_validate(MODEL, FEATURES, [[0, 1], [1]] * 4), "y cannot be read as one column"),
        (lambda: cl.cross_validate(MODEL, FEATURES, MANY, cv=np.ones((8, 2))), "cv gives .* not rows of 8 cases"),
        (lambda: cl.cross_validate(MODEL, FEATURES, MANY, cv=[([0, 9], [1])] * 2), "cv gives .* not rows of 8 cases"),
        (lambda: cl.cross_validate(MODEL, FEATURES, MANY, n_jobs=2**31), "n_jobs is 2147483648: pass the number of"),
        (lambda: cl.cross_validate(MODEL, FEATURES, MANY, groups=[None] * 8), "groups holds 8 missing values"),
        (
            lambda: cl.cross_validate(MODEL, FEATURES, MANY, positive=np.void(b"a")),
            "positive is .* which is not a label",
        ),
        (
            lambda: cl.cross_validate(MODEL, FEATURES, MANY, positive=[[1], [1, 0]]),
            "positive is .* which is not a label",
        ),
        (
            lambda: cl.cross_validate(MODEL, np.array([(1, 2.0)] * 8, dtype="i4,f8"), MANY, cv=2),
            "LogisticRegression cannot be fitted to fold 1",
        ),
        (lambda: cl.compare_datasets({"a": 1, "b": 2}), "table is a single int"),
        (lambda: cl.compare_datasets({3: [1, 2], 4: [1, 2]}), "names of columns that are not text"),
        (lambda: cl.evaluate(LABELS, SCORES, by={}), "by is {}: pass the values of each column by its name"),
        (lambda: cl.evaluate(LABELS, SCORES, by={3: LABELS}), "pass the values of each column by its name"),
        (lambda: cl.compare(LABELS, {"a": SCORES, "b": SCORES}).summary(primary=ARRAY), "primary is array"),
        (lambda: cl.expected("x\0.ranking"), "without NUL characters"),
        (lambda: cl.compare_datasets({"a": [1, 2], "b": [2, 1]}, control=ARRAY), "control is array"),
        (lambda: cl.compare_datasets({"a": [1, 2], "b": [2, 1]}, models=3), "models is 3: pass names in a list"),
        (lambda: cl.monitor(EV, 3), "days is 3: pass pairs"),
        (lambda: cl.monitor(EV, measures=0.5), "measures is 0.5: pass names of measures"),
        (lambda: cl.monitor(EV, matures=[[1, 2], [3]]), "matures cannot be read as one column"),
        (lambda: cl.monitor(EV).rebaseline(EV, "why", model=ARRAY), "model is array"),
        (lambda: cl.monitor(EV).chart(ARRAY), "measure is array"),
        (lambda: type(cl.monitor(EV)).from_state([1]), r"document is \[1\]: pass what state"),
        (lambda: cl.evaluate_model(FITTED, FEATURES, np.array([(1, 2)] * 8, dtype="i4,i4")), "y holds records"),
        (lambda: cl.evaluate_model(FITTED, [1, 2], [0, 1]), "LogisticRegression.predict_proba fails with ValueError"),
        (lambda: cl.bootstrap_model(MODEL, [["a"]] * 8, MANY, resamples=2), "LogisticRegression cannot be fitted"),
        (lambda: cl.bootstrap_model(MODEL, FEATURES, MANY, measures=3), "measures is 3: pass names of measures"),
        (lambda: cl.find_slices(LABELS, SCORES, features={"g": LABELS}, groups=[1]), "groups has 1 value but labels"),
        (lambda: cl.compare_by_slice(LABELS, TWO, LABELS, [1]), "weights has 1 value but labels has 4"),
        (lambda: cl.evaluate(LABELS, SCORES, by=LABELS).with_least("x"), "least is 'x': pass a number"),
        (lambda: cl.evaluate(LABELS, SCORES, by=LABELS).summary(simultaneous=ARRAY), "simultaneous is array"),
        (lambda: cl.compare_folds(MANY, {"a": MANY, "b": MANY}, [0, 0, 1, 1] * 2).test(a=[1]), r"a is \[1\]"),
        (lambda: cl.triplet_loss([[0, 1]], [[0, 1]], [[1, 0]], normalise=ARRAY), "normalise is array"),
        (lambda: cl.cross_validate(MODEL, FEATURES, MANY, cv=2).fold(slice(0, 1)), "There is no fold slice"),
        (lambda: EV.summary(resamples=ARRAY), "resamples is array"),
        (lambda: cl.drift(SCORES, SCORES, bins=2**31), "bins is 2.14748e.09: pass a whole number from 2 to 10,000"),
        (lambda: cl.cross_validate(MODEL, FEATURES, MANY, cv=2).estimate("auc", quota=10**60), "quota|no parameter"),
        (lambda: cl.cross_validate(MODEL, FEATURES, MANY, cv=2).fold_values("precision", quota=b"y"), "quota is b'y'"),
        (
            lambda: cl.cross_validate(MODEL, FEATURES, MANY, cv=3).nested(2).estimate("accuracy", threshold=ARRAY),
            "threshold is array",
        ),
        (lambda: cl.plan(None, auc=0.8, auc_width=0.1), "prevalence is None: pass a number"),
        (lambda: cl.compare_classes(list("abc"), {"m": ["a"], "n": [[1]]}, data={"a": [1]}), "pass names of columns"),
        (lambda: cl.compare_independent(EV, EV).summary("auc", resamples=ARRAY), "resamples is array"),
        (lambda: cl.one_vs_rest([[1, 0], [0, 1]] * 4, FEATURES).value(ARRAY), "measure is array|no measure"),
        (lambda: cl.screen(LABELS * 9, {"a": SCORES * 9}, keep=0.5).apply({"a": [[1], [2, 3]]}), "one column"),
        (lambda: cl.screen(LABELS * 9, {"a": SCORES * 9}, keep=0.5).apply(3), "scores_by_phase is 3"),
        (lambda: cl.monitor("x\0.ranking"), "without NUL characters"),
    ],
)
def test_a_wrong_argument_is_refused_in_a_sentence(call, says):
    with pytest.raises(cl.CutlineError, match=says):
        call()


def test_folds_may_be_masks_of_the_cases():
    test = np.array([True] * 4 + [False] * 4)
    masks, rows = [(~test, test), (test, ~test)], [(range(4, 8), range(4)), (range(4), range(4, 8))]

    values = [cl.cross_validate(MODEL, FEATURES, MANY, cv=cv).auc for cv in (masks, rows)]

    assert values[0] == values[1]


def test_an_auc_may_be_a_decimal():
    plans = [cl.plan(0.3, auc=0.8, auc_width=0.1, other_auc=other) for other in (Decimal("0.7"), 0.7)]

    assert plans[0].cases == plans[1].cases


def test_a_prevalence_may_be_a_fraction():
    cut = cl.cut_at(cl.evaluate(LABELS, SCORES), threshold=0.5, prevalence=Fraction(1, 4))

    assert "prevalence 25 %" in repr(cut)


def test_a_comparison_of_folds_of_one_class_shows_itself_and_its_reason():
    comparison = cl.compare_folds(MANY, {"a": MANY, "b": MANY}, MANY)

    assert "Comparison of a and b on folds. Fold 1 has cases of only one class" in repr(comparison)


def test_a_test_over_folds_equals_its_copy():
    test = cl.compare_folds(MANY, {"a": MANY, "b": range(8)}, [0, 0, 1, 1] * 2).test("auc")

    assert pickle.loads(pickle.dumps(test)) == test  # noqa: S301 - our own


def test_wrong_types_of_several_labels_and_strata_are_refused():
    ranking = cl.rank([1, 0, 1, 0], [0.9, 0.2, 0.3, 0.4])
    with pytest.raises(cl.CutlineError, match=r"scores is .*: pass names in a list"):
        cl.one_vs_rest(["a", "b", "c"], -(10**30), data=ranking)
    with pytest.raises(cl.CutlineError, match=r"ordered is .*: pass True or False"):
        cl.one_vs_rest(["a", "b", "c"], [[0.2, 0.3, 0.5]] * 3, ordered=np.array(["a", "b"]))
    with pytest.raises(cl.CutlineError, match="scores is a tuple"):
        cl.compare([1, 0], (), strata=[1, 2], weights_are=np.array([1, 2]))
