"""compare_folds(): the corrected and the Bayesian test of differences over folds."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import cutline as cl
from cutline.inference.folds import correlated_t, nadeau_bengio

RNG = np.random.default_rng(4)
LABELS = np.tile([True, False], 100)
FOLDS = np.arange(200) // 2 % 5
MODELS = {"a": RNG.normal(1.5 * LABELS, 1), "b": RNG.normal(0.8 * LABELS, 1)}


def differences() -> np.ndarray:
    areas = [[roc_auc_score(LABELS[k == FOLDS], s[k == FOLDS]) for k in range(5)] for s in MODELS.values()]
    return np.subtract(*areas)


def test_the_tests_are_those_of_the_differences_over_folds() -> None:
    test = cl.compare_folds(LABELS, MODELS, FOLDS).test("auc", rope=0.02)
    mean = nadeau_bengio(differences(), 5, 1 / 4)
    posterior = correlated_t(mean, 0.02)
    assert test.difference == pytest.approx(mean.value)
    assert (test.low, test.high) == pytest.approx(mean.limits(0.95))
    assert (test.t, test.p_value) == pytest.approx((mean.t, mean.p_value))
    assert (test.worse, test.same, test.better) == pytest.approx((posterior.worse, posterior.same, posterior.better))
    assert f"P(a better) {test.better:.3f}, P(same) {test.same:.3f}" in test.verdict


def test_lower_is_better_turns_better_and_worse_but_not_the_difference() -> None:
    scores = {name: 1 / (1 + np.exp(-s)) for name, s in MODELS.items()}
    test = cl.compare_folds(LABELS, scores, FOLDS).test("brier")
    assert test.difference == pytest.approx(test.value_a - test.value_b)
    assert (test.better > 0.5) == (test.value_a < test.value_b)
    assert test.better + test.worse == pytest.approx(1)


def test_all_pairs_of_three_models_are_adjusted_by_holm() -> None:
    models = MODELS | {"c": RNG.normal(1.5 * LABELS, 1)}
    tests = cl.compare_folds(LABELS, models, FOLDS).tests("auc")
    assert [(test.a, test.b) for test in tests] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert all(test.p_holm >= test.p_value for test in tests)


def test_views(tmp_path) -> None:
    cmp = cl.compare_folds(LABELS, MODELS, FOLDS)
    assert json.loads(json.dumps(cmp.to_dict()))["tests"][0]["measure"] == "auc"
    assert cmp.chart(rope=0.02).to_dict()["$schema"]
    assert "a against b" in cmp.save(tmp_path / "folds.html").read_text()
    assert len(cmp.to_frame(measures=["auc"])) == 1
    assert "difference" in repr(cmp)


def test_evaluations_of_folds_are_taken_and_must_have_the_same_folds() -> None:
    one, two = (cl.evaluate(LABELS, s, folds=FOLDS) for s in MODELS.values())
    assert cl.compare_folds(None, {"a": one, "b": two}).test("auc").difference == pytest.approx(differences().mean())
    other = cl.evaluate(LABELS, MODELS["b"], folds=np.arange(200) // 2 % 4)
    with pytest.raises(cl.InputError, match="a and b have different folds"):
        cl.compare_folds(None, {"a": one, "b": other})


def test_refusals() -> None:
    cmp = cl.compare_folds(LABELS, MODELS, FOLDS)
    for act, words in (
        (lambda: cl.compare_folds(LABELS, {"a": MODELS["a"]}, FOLDS), "has 1 model"),
        (lambda: cl.compare_folds(LABELS, MODELS), "folds is missing"),
        (lambda: cmp.test("auc", rope=-1), "rope is -1"),
        (lambda: cmp.summary([], rope=np.array([1, 0])), "rope"),
        (lambda: cmp.test("auc", a="a", b="a"), "Both models are 'a'"),
        (lambda: cmp.test("auc", a="z"), "There is no model 'z'"),
        (lambda: cmp.test("prevalence"), "neither better nor worse"),
        (lambda: cmp.chart("roc"), "pass 'posterior'"),
    ):
        with pytest.raises(cl.CutlineError, match=words):
            act()
