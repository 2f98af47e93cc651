"""Recalibration: maps that other packages give too, kept in files, applied to files, and judged on other cases."""

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import chi2
from sklearn.datasets import make_classification
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB

import cutline as cl
from cutline.calibration.maps import METHODS
from cutline.calibration.recalibration import write_in_sql

FROZEN = json.loads((Path(__file__).parents[1] / "oracles" / "calibration.json").read_text())
ANSWERS, NEW = FROZEN["answers"], np.array(FROZEN["new"])
on_each = pytest.mark.parametrize("data", list(ANSWERS))
by_each = pytest.mark.parametrize("method", METHODS)


def labels_and_scores(data):
    return np.array(ANSWERS[data]["labels"]), np.array(ANSWERS[data]["scores"])


@on_each
def test_beta_is_that_of_betacal(data):
    found = cl.recalibrate(*labels_and_scores(data), method="beta")

    np.testing.assert_allclose(found.apply(NEW), ANSWERS[data]["beta"], atol=2e-3)  # whose solver stops early


@on_each
def test_venn_abers_is_that_of_the_package(data):
    low, high = cl.recalibrate(*labels_and_scores(data), method="venn_abers").interval(NEW)

    np.testing.assert_allclose(np.column_stack((low, high)), ANSWERS[data]["venn_abers"], atol=1e-6)


def test_venn_abers_is_isotonic_regression_with_one_case_more():
    y, p = labels_and_scores("tied")
    found = cl.recalibrate(y, p, method="venn_abers")
    for at in (0.0, p[3], p[7], 0.333, 1.0):
        pair = []
        for label in (0, 1):
            fitted = IsotonicRegression().fit(np.append(p, at), np.append(y, label))
            pair.append(fitted.predict([at])[0])
        assert [float(side[0]) for side in found.interval([at])] == pytest.approx(pair, abs=1e-12)
        assert found.apply([at])[0] == pytest.approx(pair[1] / (1 - pair[0] + pair[1]))


@on_each
def test_isotonic_is_that_of_scikit_learn(data):
    y, p = labels_and_scores(data)
    peer = IsotonicRegression(out_of_bounds="clip").fit(p, y)

    np.testing.assert_allclose(cl.recalibrate(y, p, method="isotonic").apply(NEW), peer.predict(NEW), atol=1e-9)


@on_each
@pytest.mark.parametrize("method", ["intercept", "logistic", "beta"])
def test_a_map_makes_its_own_cases_right_on_average(data, method):
    y, p = labels_and_scores(data)
    better = cl.recalibrate(y, p, method=method).apply(p)

    assert cl.oe_ratio(y, better) == pytest.approx(1, abs=1e-7)
    if method == "logistic":
        assert cl.calibration_slope(y, better) == pytest.approx(1, abs=1e-7)


@by_each
def test_a_weight_is_a_repetition(method):
    y, p = labels_and_scores("tied")
    times = np.arange(len(y)) % 3 + 1
    one, other = (
        cl.recalibrate(y, p, times, method=method),
        cl.recalibrate(y.repeat(times), p.repeat(times), method=method),
    )

    assert one == other


@by_each
def test_a_map_is_kept_in_a_file(method, tmp_path):
    found = cl.recalibrate(*labels_and_scores("tied"), method=method).to_prevalence(0.1)
    found.save(tmp_path / "model.json")
    again = cl.load(tmp_path / "model.json")

    assert again == found
    np.testing.assert_array_equal(again.apply(NEW), found.apply(NEW))


@by_each
def test_a_file_is_recalibrated_as_an_array_is(method, tmp_path, cutline):
    y, p = labels_and_scores("tied")
    pd.DataFrame({"y": y, "p": p}).to_csv(tmp_path / "cases.csv", index=False)
    model, out = tmp_path / "model.json", tmp_path / "better.csv"
    columns = ("--label", "y", "--score", "p")

    assert cutline("recalibrate", tmp_path / "cases.csv", *columns, "--method", method, "-o", model).exit_code == 0
    assert cutline("apply", model, tmp_path / "cases.csv", "--score", "p", "-o", out).exit_code == 0
    np.testing.assert_allclose(pd.read_csv(out)["recalibrated"], cl.load(model).apply(p), atol=1e-12)


@by_each
def test_frames_and_files_are_recalibrated_row_by_row(method, tmp_path):
    y, p = labels_and_scores("tied")
    found = cl.recalibrate(y, p, method=method)
    frame = pd.DataFrame({"p": p}, index=range(len(p), 0, -1))
    frame.to_csv(tmp_path / "new.csv", index=False)
    for data in (frame, pl.DataFrame({"p": p}), {"p": p}, tmp_path / "new.csv"):
        np.testing.assert_allclose(found.apply("p", data=data), found.apply(p), rtol=1e-12)
    if method == "venn_abers":
        np.testing.assert_array_equal(found.interval("p", data=frame), found.interval(p))


def test_columns_that_cannot_be_recalibrated_are_refused_by_name(tmp_path):
    found = cl.recalibrate(*labels_and_scores("tied"))
    (tmp_path / "new.csv").write_text("p,q\n0.2,\n0.4,0.5\n", encoding="utf-8")
    with pytest.raises(cl.InputError, match="no column 'r'"):
        found.apply("r", data={"p": [0.2]})
    with pytest.raises(cl.InputError, match=r"column 'q'.*row 1 below the header"):
        found.apply("q", data=tmp_path / "new.csv")
    with pytest.raises(cl.ParameterError, match="name of a column"):
        found.apply([0.2], data={"p": [0.2]})


@pytest.mark.parametrize("command", ["recalibrate", "cut"])
def test_without_a_file_for_it_the_copy_is_printed_and_what_is_said_goes_elsewhere(command, tmp_path, cutline):
    y, p = labels_and_scores("tied")
    pd.DataFrame({"y": y, "p": p}).to_csv(tmp_path / "cases.csv", index=False)
    model = tmp_path / "model.json"
    wish = ("--method", "beta") if command == "recalibrate" else ("--maximize", "f1")
    cutline(command, tmp_path / "cases.csv", "--label", "y", "--score", "p", *wish, "-o", model)
    ran = cutline("apply", model, tmp_path / "cases.csv")
    copy = tmp_path / "copy.csv"
    cutline("apply", model, tmp_path / "cases.csv", "-o", copy)

    assert ran.exit_code == 0
    assert ran.stdout == copy.read_text(encoding="utf-8")
    assert "recalibrated" in ran.stderr if command == "recalibrate" else "flagged" in ran.stderr


def test_the_comparison_of_maps_needs_probabilities_and_enough_cases_for_its_folds(tmp_path, cutline):
    with pytest.raises(cl.NotProbabilitiesError):
        cl.worth_recalibrating(cl.evaluate([1, 0] * 40, np.arange(80)))
    few = cl.evaluate([1, 0] * 8, np.linspace(0.1, 0.9, 16))
    with pytest.raises(cl.InputError, match="a smaller folds"):
        cl.worth_recalibrating(few)
    y, p = labels_and_scores("tied")
    pd.DataFrame({"y": y, "p": p}).to_csv(tmp_path / "cases.csv", index=False)
    asked = ("recalibrate", tmp_path / "cases.csv", "--label", "y", "--score", "p", "--json")
    some, others = (json.loads(cutline(*asked, "--folds", folds).stdout) for folds in ("2", "3"))
    assert some["candidates"][0]["log_loss"] == pytest.approx(others["candidates"][0]["log_loss"])  # doing nothing
    assert some["candidates"][1] != others["candidates"][1]


def test_odds_are_moved_to_another_prevalence():
    found = cl.recalibrate(*labels_and_scores("distinct"))
    before, after = found.apply(NEW), found.to_prevalence(0.02).apply(NEW)
    ratio = (after / (1 - after)) / (before / (1 - before))

    np.testing.assert_allclose(ratio, (0.02 / 0.98) / (found.prevalence / (1 - found.prevalence)))
    assert "exp" in write_in_sql(found.to_prevalence(0.02))[0]("x")


def test_what_cannot_be_fitted_is_refused():
    with pytest.raises(cl.InputError, match="separate the classes"):
        cl.recalibrate([1, 1, 0, 0], [0.9, 0.8, 0.2, 0.1])
    with pytest.raises(cl.InputError, match="one class"):
        cl.recalibrate([1, 1], [0.9, 0.8], method="isotonic", positive=1)
    with pytest.raises(cl.ParameterError, match="method"):
        cl.recalibrate([1, 0], [0.9, 0.8], method="nonsense")
    with pytest.raises(cl.NotProbabilitiesError):
        cl.recalibrate(*labels_and_scores("tied")).apply([2.0])


def population(seed, *sizes):
    """Samples of one population with its own shape, stretch and shift of the log odds: evaluations of these sizes."""
    rng = np.random.default_rng(seed)
    shape, stretch, shift = rng.uniform(0.5, 3, 2), rng.uniform(0.4, 2), rng.normal(0, 0.7)
    found = []
    for n in sizes:
        truth = rng.beta(*shape, n)
        odds = np.exp(shift) * (truth / (1 - truth)) ** stretch
        found.append(cl.evaluate(rng.random(n) < truth, np.clip(odds / (1 + odds), 1e-6, 1 - 1e-6)))
    return found


@pytest.mark.parametrize("seed", range(10))
def test_what_is_recommended_is_not_worse_than_doing_nothing(seed):
    sample, new = population(seed, 1500, 20_000)
    found = cl.worth_recalibrating(sample)
    chosen = next(one for one in found.candidates if one.method == found.best)
    assert chosen.gain >= -chosen.standard_error

    if found.best != "none":
        assert chosen.gain > 0
        better = cl.recalibrate(sample, method=found.best).apply(new.ranking.key)
        gain = new.log_loss - cl.log_loss(*cases_of(new, better))
        assert gain >= -chosen.standard_error  # on cases that no fold has seen


def test_probabilities_that_a_calibration_test_rejects_are_recalibrated_even_if_the_losses_are_alike():
    rng = np.random.default_rng(0)
    risk = rng.beta(1, 2, 600)
    labels = rng.random(600) < risk
    ev = cl.evaluate(labels, risk**1.3 / (risk**1.3 + (1 - risk) ** 1.3), positive=True)
    found = cl.worth_recalibrating(ev)
    intercept = found.candidates[1]
    fitted = cl.recalibrate(ev, method="intercept").apply(ev.ranking.key)
    ratio = 2 * 600 * (ev.log_loss - cl.log_loss(*cases_of(ev, fitted)))

    assert abs(ev.value("spiegelhalter")) > 3.5
    assert intercept.low < 0 < intercept.gain
    assert intercept.p_value == pytest.approx(chi2.sf(ratio, 1), rel=1e-6)
    assert found.best == "intercept"
    assert "likelihood ratio test rejects" in found.verdict
    assert [math.isnan(one.p_value) for one in found.candidates] == [True, False, False, False, True, True]


def test_a_simple_method_that_is_plainly_worse_than_the_best_is_not_recommended():
    # Certain and sometimes wrong: what all methods gain on a few cases says little of how they differ.
    tree = cl.evaluate(
        "label", "tree", data=Path(cl.__file__).parent / "examples" / "tumours.csv", positive="malignant"
    )
    found = cl.worth_recalibrating(tree)
    by_name = {one.method: one for one in found.candidates}

    assert by_name["logistic"].gain > by_name["beta"].gain - by_name["beta"].standard_error
    assert by_name["logistic"].brier > by_name["none"].brier + 0.01
    assert found.best == "beta"


def cases_of(ev, scores):
    """The labels, scores and weights of an evaluation whose scores are replaced."""
    weights = np.concatenate((ev.ranking.pos, ev.ranking.neg))
    return np.repeat([1, 0], len(scores)), np.tile(scores, 2), weights


def test_probabilities_that_are_right_are_left_alone():
    left = 0
    for seed in range(8):
        rng = np.random.default_rng(seed)
        p = rng.beta(1, 2, 800)
        left += cl.worth_recalibrating(cl.evaluate(rng.random(800) < p, p)).best == "none"

    assert left >= 6
    assert "Leave it" in cl.worth_recalibrating(cl.evaluate(rng.random(800) < p, p)).verdict


def test_a_model_is_calibrated_out_of_fold():
    X, y = make_classification(3000, n_features=20, n_informative=4, n_redundant=10, random_state=0)
    train, test = slice(0, 1500), slice(1500, None)
    plain = GaussianNB().fit(X[train], y[train]).predict_proba(X[test])[:, 1]
    for method in METHODS:
        model = cl.CalibratedModel(GaussianNB(), method=method).fit(X[train], y[train])
        better = model.predict_proba(X[test])[:, 1]
        assert cl.log_loss(y[test], better) < cl.log_loss(y[test], plain)
    assert model.recalibration_.method == "venn_abers"


def test_a_decision_function_becomes_a_probability():
    X, y = make_classification(500, random_state=1)
    labels = np.array(["no", "yes"])[y]
    model = cl.CalibratedModel(RidgeClassifier()).fit(X, labels)

    assert set(model.predict(X)) == {"no", "yes"}
    assert cl.oe_ratio(labels, model.predict_proba(X)[:, 1], positive="yes") == pytest.approx(1, abs=0.1)


@pytest.mark.slow
def test_the_model_follows_the_rules_of_scikit_learn():
    from sklearn.utils.estimator_checks import check_estimator

    found = check_estimator(cl.CalibratedModel(LogisticRegression()), on_fail=None, on_skip=None)

    assert [one["check_name"] for one in found if one["status"] == "failed"] == []


# What a file may not hold: it becomes part of a query.
ALTERED = [
    {"parameters": {"intercept": """0' || (SELECT 1) || '"x""", "slope": 1.0}},
    {"parameters": {"intercept": [1], "slope": 1.0}},
    {"parameters": {"intercept": 0.0}},
    {"parameters": {"intercept": 0.0, "slope": True}},
    {"parameters": {"intercept": math.nan, "slope": 1.0}},
    {"parameters": []},
    {"method": "isotonic", "parameters": {"x": [0.1, 0.9], "y": [0.1]}},
    {"method": "isotonic", "parameters": {"x": [0.9, 0.1], "y": [0.1, 0.2]}},
    {"method": "isotonic", "parameters": {"x": [0.1, 0.9], "y": [0.1, 7]}},
    {"method": ["logistic"]},
    {"shift": "0"},
    {"shift": 2**63},
    {"shift": 10**400},
    {"parameters": {"intercept": 10**400, "slope": 1.0}},
    {"method": "isotonic", "parameters": {"x": [0.1, 10**400], "y": [0.1, 0.2]}},
    {"prevalence": 1.5},
    {"cases": None},
]


@pytest.mark.parametrize("altered", ALTERED, ids=str)
def test_a_map_that_was_altered_in_its_file_is_refused(tmp_path, altered):
    whole = cl.Recalibration("logistic", {"intercept": 0.0, "slope": 1.0}, 10.0, 0.5).to_dict()
    path = tmp_path / "map.json"
    path.write_text(json.dumps(whole), encoding="utf-8")
    assert cl.load(path).method == "logistic"

    path.write_text(json.dumps(whole | altered), encoding="utf-8")
    with pytest.raises(cl.InputError):
        cl.load(path)


@pytest.mark.parametrize("document", [None, 3, [1], "cut", np.array([1.0])], ids=str)
@pytest.mark.parametrize("kind", ["Cut", "Recalibration"])
def test_what_is_no_document_is_refused(kind, document):
    with pytest.raises(cl.InputError, match="cannot be"):
        getattr(cl, kind).from_dict(document)


def test_a_map_is_not_applied_to_a_column_of_bytes(tmp_path):
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pa.table({"p": [b"+-1", b"0.5"]}), tmp_path / "x.parquet")
    from cutline.inputs.write_flags import CaseColumns

    with (
        CaseColumns(tmp_path / "x.parquet") as cases,
        pytest.raises(cl.CutlineError, match="holds no numbers, but BLOB"),
    ):
        cases.limits("p")
