"""Public functions: former names of arguments, hints for scikit-learn's names, short tracebacks, names in any case."""

import inspect
import traceback
import warnings

import numpy as np
import pytest
from sklearn import metrics
from sklearn.dummy import DummyClassifier

import cutline as cl

LABELS, SCORES = [1, 0, 1, 0, 1, 0], [0.9, 0.6, 0.6, 0.2, 0.4, 0.1]
EV = cl.evaluate(LABELS, SCORES)
CMP = cl.compare(LABELS, {"a": SCORES, "b": SCORES[::-1]})


# ---------------------------------------------------------------------- names


@pytest.mark.parametrize(
    "name",
    [
        *("roc_auc_score", "average_precision_score", "brier_score_loss", "accuracy_score", "precision_score"),
        *("recall_score", "balanced_accuracy_score", "cohen_kappa_score", "jaccard_score", "f1_score"),
    ],
)
def test_a_name_of_scikit_learn_gives_the_number_of_scikit_learn(name):
    probabilities = ("roc_auc_score", "average_precision_score", "brier_score_loss")
    decisions = SCORES if name in probabilities else np.array(SCORES) >= 0.5

    assert getattr(cl, name)(LABELS, SCORES) == pytest.approx(getattr(metrics, name)(LABELS, decisions))
    assert getattr(EV, name) == pytest.approx(getattr(metrics, name)(LABELS, decisions))


def test_fbeta_score_takes_beta():
    expected = metrics.fbeta_score(LABELS, np.array(SCORES) >= 0.5, beta=2)

    assert cl.fbeta_score(LABELS, SCORES, beta=2) == pytest.approx(expected)


def test_names_are_found_in_any_case():
    assert EV.AUC == EV.auc == cl.AUC(LABELS, SCORES) == EV.value("Auc")
    assert cl.MEASURES["F1"] is cl.MEASURES["f1"]
    assert EV.estimate("PPV").measure == "ppv"
    assert "MCC" in cl.MEASURES
    assert "NONE" not in cl.MEASURES
    assert cl.CURVES["ROC"] is cl.CURVES["roc"]
    assert cl.CHARTS["Reliability"] is cl.CHARTS["reliability"]


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        (lambda: EV.plot, "ev.chart("),
        (lambda: cl.roc_curve, 'ev.curve("roc")'),
        (lambda: cl.RocCurveDisplay, 'ev.chart("roc")'),
        (lambda: cl.confusion_matrix, "ev.counts"),
        (lambda: EV.chart("calibration"), "reliability"),
        (lambda: EV.curve("calibration"), 'ev.chart("reliability")'),
        (lambda: EV.curve("roc_curve"), "Did you mean roc?"),
        (lambda: EV.chart("pr_curve"), "Did you mean precision_recall?"),
        (lambda: CMP.plot, 'cmp.chart("roc")'),
        (lambda: CMP.auc, 'cmp.values_of("auc")'),
        (lambda: EV.estimate("auc", confidence=0.9), "Did you mean level?"),
        (lambda: EV.estimate("auc", n_boot=9), "Did you mean resamples?"),
        (lambda: cl.evaluate(y_true=LABELS, y_score=SCORES), "labels"),
        (lambda: cl.evaluate(LABELS, y_score=SCORES), "scores"),
        (lambda: cl.evaluate(LABELS, SCORES, pos_label=1), "positive"),
        (lambda: cl.compare(LABELS, {"a": SCORES, "b": SCORES}, sample_weight=[1] * 6), "weights"),
        (lambda: cl.rank(y_true=LABELS, y_score=SCORES), "labels"),
        (lambda: cl.auc(y_true=LABELS, y_score=SCORES), "auc() has no argument 'y_true': it is called labels here."),
    ],
)
def test_the_name_of_another_package_leads_to_ours(wrong, right):
    with pytest.raises((cl.CutlineError, AttributeError)) as refusal:
        wrong()
    assert right in str(refusal.value)


# ---------------------------------------------------------------------- former names

X = np.arange(12.0)[:, None]
Y = np.arange(12) % 2


@pytest.mark.parametrize(
    ("former", "present"),
    [
        (
            lambda: cl.choose_cut(EV, "recall >= 0.5", confidence=0.5),
            lambda: cl.choose_cut(EV, "recall >= 0.5", level=0.5),
        ),
        (lambda: cl.cut_at(EV, threshold=0.5, confidence=0.5), lambda: cl.cut_at(EV, threshold=0.5, level=0.5)),
        (lambda: cl.auc(data=EV.ranking), lambda: cl.auc(EV.ranking)),
        (lambda: cl.brier_curve(data=EV).area, lambda: cl.brier_curve(EV).area),
        (
            lambda: cl.bootstrap_model(DummyClassifier(), X, Y, b=3).estimate("auc").value,
            lambda: cl.bootstrap_model(DummyClassifier(), X, Y, resamples=3).estimate("auc").value,
        ),
        (
            lambda: list(cl.decision_difference(CMP, one="a", other="b", risks=[0.5], resamples=9)["difference"]),
            lambda: list(cl.decision_difference(CMP, "a", "b", [0.5], resamples=9)["difference"]),
        ),
    ],
)
def test_a_former_name_of_an_argument_works_and_warns(former, present):
    with pytest.warns(DeprecationWarning, match="is now called") as caught:
        found = former()

    assert found == present()
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("holder", "former", "present"),
    [
        (cl.ParameterError("is 95", argument="level"), "found", "problem"),
        (cl.bootstrap_model(DummyClassifier(), X, Y, resamples=3), "asked", "requested"),
    ],
)
def test_a_former_name_of_an_attribute_works_and_warns(holder, former, present):
    with pytest.warns(DeprecationWarning, match=rf"\.{former} is now called \.{present}") as caught:
        value = getattr(holder, former)

    assert value == getattr(holder, present)
    assert caught[0].filename == __file__


def test_a_former_and_the_present_name_together_are_refused():
    with pytest.raises(cl.ParameterError, match="former name"):
        cl.choose_cut(EV, "recall >= 0.5", confidence=0.5, level=0.9)


def test_the_classifier_takes_the_former_name_too():
    with pytest.warns(DeprecationWarning, match="level="):
        model = cl.CutClassifier(DummyClassifier(), "recall >= 0.5", confidence=0.8)

    assert model.level == model.get_params()["level"] == 0.8
    assert "confidence" not in model.get_params()


def test_no_warning_for_present_names():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cl.choose_cut(EV, "recall >= 0.5", level=0.5)


# ---------------------------------------------------------------------- errors

REFUSED = {
    "evaluate": lambda: cl.evaluate([1, 0], [0.5]),
    "rank": lambda: cl.rank([1, 0], [0.5, "a"]),
    "a measure": lambda: cl.auc([1, 0], [0.5]),
    "a measure of a ranking": lambda: cl.brier(cl.rank([1, 0], [5, 2])),
    "value": lambda: EV.value("nonsense"),
    "an attribute": lambda: EV.nonsense,
    "an attribute that is undefined": lambda: cl.evaluate([1, 0], [5, 2]).brier,
    "estimate": lambda: EV.estimate("auc", level=95),
    "summary": lambda: EV.summary(["nonsense"]),
    "curve": lambda: EV.curve("nonsense"),
    "chart": lambda: EV.chart("nonsense"),
    "compare": lambda: cl.compare(LABELS, {"a": [1]}),
    "test": lambda: CMP.test("nonsense"),
    "difference": lambda: CMP.difference("auc", "a", "c"),
    "a model": lambda: CMP["c"],
    "choose_cut": lambda: cl.choose_cut(EV, "nonsense"),
    "recalibrate": lambda: cl.recalibrate([1, 0], [5, 2]),
    "why": lambda: cl.why(LABELS, SCORES, value="nonsense"),
    "load": lambda: cl.load("nonsense"),
    "plan": lambda: cl.plan(2),
    "a frame of an evaluation": lambda: EV.to_frame("excel"),
    "a frame of a summary": lambda: EV.summary(["auc"]).to_frame("excel"),
    "a frame of a curve": lambda: EV.curve("roc").to_frame("excel"),
    "a frame of counts": lambda: EV.counts.to_frame("excel"),
    "a frame of a ranking": lambda: EV.ranking.to_frame("excel"),
    "a document": lambda: EV.to_dict(measures="nonsense"),
    "saving": lambda: EV.save("report.nonsense"),
    "a quota of a ranking": lambda: EV.ranking.at_quota(-1),
    "parameters of a measure": lambda: cl.f_beta.with_(beta=-1),
    "coarsen": lambda: EV.ranking.coarsen("nonsense"),
    "a classifier at a cut": lambda: cl.CutClassifier(DummyClassifier(), "nonsense").fit(X, Y),
    "a classifier trained for a measure": lambda: cl.LinearMeasureClassifier("nonsense").fit(X, Y),
    "slices": lambda: cl.evaluate(LABELS, SCORES, by=[1]),
    "folds": lambda: cl.evaluate(LABELS, SCORES, folds=[1]),
    "periods": lambda: cl.evaluate(LABELS, SCORES, quota=1, quota_by=[1]),
    "monitor": lambda: cl.monitor("nonsense", []),
    "drift": lambda: cl.drift(EV, "nonsense"),
    "several classes": lambda: cl.one_vs_rest([0, 1], [0.1, 0.2]),
    "a scorer": lambda: cl.scorer("nonsense"),
    "datasets": lambda: cl.compare_datasets({}),
}


def frames_of_ours(error):
    return [frame for frame in traceback.extract_tb(error.__traceback__) if "/cutline/" in frame.filename]


@pytest.mark.parametrize("name", REFUSED)
def test_an_error_shows_at_most_two_frames_of_ours(name):
    with pytest.raises(cl.CutlineError) as refusal:
        REFUSED[name]()

    error = refusal.value
    assert 1 <= len(frames_of_ours(error)) <= 2
    assert error.__suppress_context__ or error.__context__ is None  # nothing below "During handling ..." either


def test_a_call_with_an_unknown_argument_shows_at_most_two_frames_of_ours():
    with pytest.raises(TypeError, match="unexpected keyword argument 'method'") as refusal:
        EV.calibration(method="nonsense")  # which hands its arguments on

    assert len(frames_of_ours(refusal.value)) <= 2


def test_every_public_function_shortens_its_errors():
    functions = {name: getattr(cl, name) for name in cl.__all__ if inspect.isfunction(getattr(cl, name))}

    assert [name for name, function in functions.items() if not hasattr(function, "__wrapped__")] == []


def test_all_frames_are_shown_on_request(monkeypatch):
    monkeypatch.setenv("CUTLINE_FULL_TRACEBACK", "1")
    with pytest.raises(cl.CutlineError) as refusal:
        cl.evaluate([1, 0], [0.5])

    assert len(frames_of_ours(refusal.value)) > 2


def test_a_public_function_keeps_its_signature():
    assert "by" in inspect.signature(cl.evaluate).parameters
    assert cl.evaluate.__module__ == "cutline.evaluation"
