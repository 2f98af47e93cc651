"""Results and refusals travel: pickled, copied and deeply copied they are the same, and as read-only as before."""

import copy
import multiprocessing
import os
import pickle
from dataclasses import is_dataclass

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

import cutline as cl
from cutline.core import errors
from cutline.core.table import is_equal
from grouping import each_case

RNG = np.random.default_rng(3)
LABELS = RNG.integers(0, 2, 60)
GOOD, POOR = np.clip(0.3 * LABELS + 0.7 * RNG.random(60), 0, 1), RNG.random(60)
FOLDS = np.arange(60) % 3
EV, CMP = cl.evaluate(LABELS, GOOD), cl.compare(LABELS, {"good": GOOD, "poor": POOR})
FEATURES = np.c_[GOOD, POOR]
CV = cl.cross_validate(LogisticRegression(), FEATURES, LABELS, cv=3)

RESULTS = {
    "Evaluation": lambda: EV,
    "an evaluation of groups": lambda: cl.evaluate(LABELS, GOOD, groups=np.arange(60) // 4),
    "Ranking": lambda: EV.ranking,
    "Counts": lambda: EV.at(threshold=0.5),
    "Curve": lambda: EV.curve("roc"),
    "a curve over the threshold": lambda: EV.curve("mcc"),
    "Estimate": lambda: EV.estimate("auc"),
    "an undefined estimate": lambda: cl.evaluate([1, 1], [0.2, 0.3]).estimate("auc"),
    "a bootstrap estimate": lambda: EV.estimate("f1", method="bootstrap", resamples=20),
    "Picture": lambda: EV.chart("roc"),
    "Band": lambda: cl.roc_band(EV),
    "Comparison": lambda: CMP,
    "a difference": lambda: CMP.difference("auc"),
    "a test": lambda: CMP.test("auc"),
    "dominance": lambda: CMP.dominance("roc"),
    "a confidence curve": lambda: CMP.confidence_curve("auc"),
    "Table": EV.places,
    "a summary of a comparison": lambda: CMP.summary(["auc", "f1"], resamples=100),
    "what a summary is of": lambda: EV.summary(["auc"], resamples=0).data,
    "summary": lambda: EV.summary(["auc", "f1"], resamples=100),
    "Scorer": lambda: cl.scorer("f1"),
    "Measure": lambda: cl.MEASURES["f_beta"].with_(beta=2),
    "the registry": lambda: cl.MEASURES,
    "OneVsRest": lambda: cl.one_vs_rest(["a", "b", "c"] * 20, RNG.random((60, 3))),
    "a comparison of several classes": lambda: cl.compare_classes(
        ["a", "b", "c"] * 20, {"one": RNG.random((60, 3)), "two": RNG.random((60, 3))}
    ),
    "Slices": lambda: cl.evaluate(LABELS, GOOD, by=np.arange(60) % 2),
    "SliceComparison": lambda: cl.compare_by_slice(LABELS, {"good": GOOD, "poor": POOR}, np.arange(60) % 2),
    "QuotaPeriods": lambda: cl.evaluate(LABELS, GOOD, quota=5, quota_by=np.arange(60) % 3),
    "MultiLabel": lambda: cl.one_vs_rest(np.c_[LABELS, LABELS], np.c_[GOOD, POOR]),
    "Screening": lambda: cl.screen(LABELS, {"one": GOOD}, pick=10),
    "FoldEvaluation": lambda: cl.evaluate(LABELS, GOOD, folds=FOLDS),
    "FoldComparison": lambda: cl.compare_folds(LABELS, {"good": GOOD, "poor": POOR}, FOLDS),
    "CrossValidation": lambda: CV,
    "a cross-validation of a data frame": lambda: cl.cross_validate(
        LogisticRegression(), pd.DataFrame(FEATURES), LABELS
    ),
    "a cross-validation of a polars frame": lambda: cl.cross_validate(
        LogisticRegression(), pl.DataFrame(FEATURES), LABELS
    ),
    "a cross-validation of a sparse matrix": lambda: cl.cross_validate(
        LogisticRegression(), csr_matrix(FEATURES), LABELS
    ),
    "NestedCrossValidation": lambda: CV.nested(repeats=2),
    "DatasetComparison": lambda: cl.compare_datasets({"one": GOOD[:6], "two": POOR[:6], "three": POOR[6:12]}),
    "IndependentComparison": lambda: cl.compare_independent(EV, EV),
    "Cut": lambda: cl.choose_cut(EV, maximize="f1"),
    "Discordance": lambda: cl.Discordance(5, 3, 60),
    "Recommendation": lambda: cl.advise(cl.Situation(goal="rank"))[0],
    "Situation": lambda: cl.Situation(goal="rank"),
    "Properness": lambda: cl.check_proper(lambda y, q: (y - q) ** 2, reward=False),
    "Calibration": lambda: EV.calibration(resamples=100),
    "Recalibration": lambda: cl.recalibrate(EV),
    "Worth": lambda: cl.worth_recalibrating(EV),
    "Drift": lambda: cl.drift(GOOD, POOR, bins=3),
    "Expected": lambda: cl.expected(GOOD, simulations=20),
    "Monitor": lambda: cl.monitor(EV, [("2026-10-01", EV.ranking)], measures="recall", cut=0.5),
    "Alarm": lambda: cl.Alarm("2026-10-01", "recall", 0.4, 0.7, None),
    "Plan": lambda: cl.plan(prevalence=0.1, auc=0.75, auc_width=0.1),
    "UtilityCurve": lambda: cl.decision_curve(EV),
    "PemAreas": lambda: cl.pem_areas(EV.ranking),
}
WAYS = {"pickle": lambda one: pickle.loads(pickle.dumps(one)), "copy": copy.copy, "deepcopy": copy.deepcopy}  # noqa: S301


@pytest.mark.slow
@each_case("way", [*WAYS])
@pytest.mark.parametrize("name", RESULTS)
def test_a_result_survives(name, way):
    result = RESULTS[name]()
    other = WAYS[way](result)

    assert type(other) is type(result)
    assert repr(other) == repr(result)


@pytest.mark.parametrize("way", WAYS)
def test_a_copy_equals_what_it_was_made_of(way):
    made = {name: make() for name, make in RESULTS.items()}

    assert [name for name, result in made.items() if WAYS[way](result) != result] == []


MADE_TWICE = {
    "an evaluation": lambda scores: cl.evaluate(LABELS, scores),
    "a summary": lambda scores: cl.evaluate(LABELS, scores).summary(["auc", cl.f_beta.with_(beta=2)], resamples=0),
    "a curve": lambda scores: cl.evaluate(LABELS, scores).curve("roc"),
    "a picture": lambda scores: cl.evaluate(LABELS, scores).chart("roc"),
    "grouped cases": lambda scores: cl.evaluate(LABELS, scores, groups=np.arange(60) // 4),
    "a comparison": lambda scores: cl.compare(LABELS, {"good": scores, "poor": POOR}),
    "differences": lambda scores: cl.compare(LABELS, {"good": scores, "poor": POOR}).summary(["auc"]),
    "slices": lambda scores: cl.evaluate(LABELS, scores, by=FOLDS),
    "slices against the rest": lambda scores: cl.evaluate(LABELS, scores, by=FOLDS).against_rest("auc"),
    "folds": lambda scores: cl.evaluate(LABELS, scores, folds=FOLDS),
    "periods": lambda scores: cl.evaluate(LABELS, scores, quota=5, quota_by=FOLDS),
    "several classes": lambda scores: cl.one_vs_rest(FOLDS, np.c_[scores, POOR, 1 - scores]),
    "calibration": lambda scores: cl.evaluate(LABELS, scores).calibration(resamples=100),
    "drift": lambda scores: cl.drift(scores, POOR, bins=3),
    "expectations": lambda scores: cl.expected(scores, simulations=20),
}


@pytest.mark.parametrize("name", MADE_TWICE)
def test_results_are_equal_when_they_hold_the_same(name):
    first, second, other = (MADE_TWICE[name](scores) for scores in (GOOD, GOOD.copy(), np.sqrt(GOOD)))
    repr(first)  # which caches what it needs

    assert first == second
    assert hash(first) == hash(second)
    assert first != other


@pytest.mark.parametrize("way", ["pickle", "deepcopy"])
def test_a_copied_ranking_is_the_same_and_read_only(way):
    EV.summary()  # which caches what the copy must not share
    other = WAYS[way](EV.ranking)

    assert other == EV.ranking
    with pytest.raises(ValueError, match="read-only"):
        other.pos[0] = 7


@pytest.mark.parametrize("way", WAYS)
def test_charts_are_copied_with_the_functions_that_draw_them(way):
    assert WAYS[way](cl.CHARTS) == cl.CHARTS
    assert all(WAYS[way](kind) == kind for kind in (*cl.CHARTS.values(), cl.CHARTS["f1"]))


def test_every_public_result_is_among_these():
    made = {type(make()) for make in RESULTS.values()}
    public = {getattr(cl, name) for name in cl.__all__ if isinstance(getattr(cl, name), type)}
    results = {kind for kind in public if is_dataclass(kind) or issubclass(kind, tuple)}
    elsewhere = {cl.Bracket, cl.ModelBootstrap, cl.Note}  # tuples of numbers and texts, and arrays of a long run

    assert results - made <= elsewhere


# ---------------------------------------------------------------------- refusals

KINDS = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.CutlineError)]


@each_case("way", [*WAYS])
@each_case("kind", [*KINDS])
def test_a_refusal_survives_with_its_parts(kind, way):
    way_out = errors.Text("pass ", errors.Argument("level", 0.95))
    error = kind("is 95", way_out, argument="level", position=3, hint="Did you mean 0.95?")
    other = WAYS[way](error)

    assert type(other) is kind
    assert str(other) == str(error) == "level is 95 at position 3: pass level=0.95. Did you mean 0.95?"
    assert (other.argument, other.problem, other.position, other.hint) == ("level", "is 95", 3, "Did you mean 0.95?")
    assert other.way_out.parts == way_out.parts


def test_another_process_can_word_a_refused_column():
    with pytest.raises(cl.InputError) as refusal:
        cl.rank([1, 0], np.array([0.5, "x"], dtype=object))
    other = pickle.loads(pickle.dumps(refusal.value))  # noqa: S301

    assert (other.argument, other.position, other.way_out) == ("scores", 1, "pass numbers")
    assert str(other.about("Model 'a'")).startswith("Model 'a': scores holds text")


@pytest.mark.parametrize("way", ["pickle", "deepcopy"])
def test_a_refusal_of_what_cannot_travel_travels(way):
    with pytest.raises(cl.InputError) as refusal:
        cl.evaluate([1, 0], [0.2, 0.3], positive=lambda: 1)
    other = WAYS[way](refusal.value)

    assert str(other) == str(refusal.value)
    assert errors.format_error(other) == str(refusal.value)


def refuse_missing_score(position):
    """A call in another process that is refused."""
    return cl.evaluate([1, 0, 1], [0.1, 0.2, None][: position + 1] + [0.5] * (2 - position))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_pool_of_processes_hands_a_refusal_on():
    with multiprocessing.get_context("fork").Pool(1) as pool:
        asked = pool.map_async(refuse_missing_score, [0, 2])
        with pytest.raises(cl.InputError, match="the first at position 2"):
            asked.get(60)  # it would wait for ever


# ---------------------------------------------------------------------- equality


def nan():
    """A new one each time: Python finds the same object equal before it compares."""
    return float("nan")


def test_undefined_equals_undefined():
    one, two = (cl.Estimate("auc", nan(), nan(), nan(), 0.95, "none") for _ in range(2))

    assert one == two
    assert hash(one) == hash(two)
    assert one != cl.Estimate("auc", 0.5, nan(), nan(), 0.95, "none")
    assert one != "auc"
    assert cl.evaluate([1, 1], [0.2, 0.3]).estimate("auc") == cl.evaluate([1, 1], [0.2, 0.3]).estimate("auc")


def test_equal_results_compare_equal():
    assert is_equal({"a": [nan(), 1]}, {"a": [nan(), 1]})
    assert is_equal(np.array([1.0, nan()]), np.array([1.0, nan()]))
    assert not is_equal(np.array([1.0, nan()]), np.array([1.0, 2.0]))
    assert not is_equal({"a": 1}, {"b": 1})
    assert not is_equal([nan()], [nan(), nan()])
    assert not is_equal(pd.DataFrame({"a": [1]}), pd.DataFrame({"a": [2]}))
    assert not is_equal(csr_matrix([[1.0]]), csr_matrix([[2.0]]))
