"""An evaluation: every measure by name, a cut on demand, and words for what has no number."""

import json
import math
from collections import Counter
from html import escape
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import cutline as cl
from cutline import MEASURES, CutlineError, Evaluation, Measure, Ranking, evaluate, rank
from cutline.inference.single import summary_rows
from cutline.measures import Family, Needs, miscalibration
from cutline.results import resample_budget
from grouping import each_case


@pytest.fixture(autouse=True)
def _formulas_only(monkeypatch):
    """Resampling is tested with the intervals; here it would only take time."""
    monkeypatch.setattr("cutline.results.resample_budget.WORK", 0)
    monkeypatch.setattr("cutline.results.resample_budget.QUICK", 0)


LABELS = [1, 1, 0, 1, 1, 0, 0, 1, 0, 0]
SCORES = [0.95, 0.8, 0.75, 0.6, 0.5, 0.45, 0.3, 0.25, 0.2, 0.1]
EV = evaluate(LABELS, SCORES)

# What data can be like; each leaves some measures without a value.
DATA = {
    "ten cases": EV,
    "ties": evaluate([1, 0, 1, 0, 0], [0.9, 0.6, 0.6, 0.2, 0.2]),
    "all tied": evaluate([1, 0, 1], [0.5, 0.5, 0.5]),
    "one case": evaluate([1], [0.7]),
    "positives only": evaluate([1, 1, 1], [0.9, 0.6, 0.2]),
    "negatives only": evaluate([0, 0, 0], [0.9, 0.6, 0.2]),
    "nobody flagged": evaluate(LABELS, SCORES, threshold=0.99),
    "everybody flagged": evaluate(LABELS, SCORES, threshold=0.0),
    "an infinite threshold": evaluate(LABELS, SCORES, threshold=math.inf),
    "a threshold below all": evaluate(LABELS, SCORES, threshold=-math.inf),
    "perfect": evaluate([1, 1, 0, 0], [1.0, 0.9, 0.1, 0.0]),
    "inverted": evaluate([0, 0, 1, 1], [1.0, 0.9, 0.1, 0.0]),
    "margins": evaluate(LABELS, [4 * s - 2 for s in SCORES], threshold=0),
    "infinite scores": evaluate([1, 0, 1, 0], [math.inf, 0.5, 0.2, -math.inf]),
    "low scores are positive": evaluate(LABELS, [1 - s for s in SCORES], higher_is_positive=False),
    "weights": evaluate(LABELS, SCORES, range(1, 11)),
    "weights that are not whole": evaluate(LABELS, SCORES, [0.5 + k for k in range(10)]),
    "little weight": evaluate([1, 0, 1], [0.9, 0.6, 0.2], [0.1, 0.2, 0.3]),
    "single precision": evaluate(LABELS, np.array(SCORES, dtype=np.float32)),
    "hard predictions": evaluate([1, 0, 1, 0, 0], [1, 0, 0, 1, 0]),
}
each_data = pytest.mark.parametrize("ev", DATA.values(), ids=DATA.keys())


# ---------------------------------------------------------------------- one number


@each_case("m", [m for m in MEASURES if not m.required], ids=str)
def test_every_measure_is_an_attribute_by_each_of_its_names(m):
    expected = EV.value(m)

    assert isinstance(expected, float)
    for name in m.names:
        assert getattr(EV, name) == pytest.approx(expected, nan_ok=True)
        assert EV.value(name) == pytest.approx(expected, nan_ok=True)
        assert name in dir(EV)


@each_case("m", [m for m in MEASURES if m.needs is not Needs.COUNTS and not m.required], ids=str)
def test_a_value_is_that_of_the_function(m):
    assert EV.value(m) == pytest.approx(m(LABELS, SCORES), nan_ok=True)


def test_a_measure_of_one_cut_is_read_at_the_threshold_of_the_evaluation():
    ev = evaluate(LABELS, SCORES, threshold=0.6)

    assert (ev.precision, ev.recall) == (3 / 4, 3 / 5)
    assert ev.value("f_beta", beta=2) == pytest.approx(5 * 3 / (5 * 3 + 1 + 4 * 2))
    assert ev.value("precision", threshold=0.8) == 2 / 2
    assert ev.value("precision", quota=3) == pytest.approx(2 / 3)
    assert ev.value("precision", share=0.5) == pytest.approx(4 / 5)


@pytest.mark.parametrize(
    ("name", "parameters", "expected"),
    [
        ("f_beta", {"beta": 2}, 5 * 4 / (5 * 4 + 1 + 4 * 1)),
        ("f_alpha", {"alpha": 1}, 4 / 5),
        ("hit_rate", {"quota": 3}, 2 / 3),
        ("hit_rate", {"share": 0.3}, 2 / 3),
        ("qrecall", {"quota": 3}, 2 / 5),
        ("expected_cost", {"cost_fp": 1, "cost_fn": 5}, (1 + 5) / 10),
        ("precision_at_recall", {"recall": 0.4}, 2 / 2),
        ("recall_at_precision", {"precision": 1.0}, 2 / 5),
        ("roc_n", {"n": 1}, 2 / 5),
        ("log_loss", {"base": 2}, None),
    ],
)
def test_a_value_takes_the_parameters_of_the_measure(name, parameters, expected):
    value = EV.value(name, **parameters)

    assert value == pytest.approx(EV.log_loss / math.log(2) if expected is None else expected)
    if "share" not in parameters:
        assert EV.value(MEASURES[name].with_(**parameters)) == pytest.approx(value)


def test_the_values_that_one_can_count():
    assert EV.auc == pytest.approx(20 / 25)
    assert EV.accuracy == 8 / 10
    assert EV.prevalence == 5 / 10
    assert EV.mcc == pytest.approx((4 * 4 - 1 * 1) / 25)


@pytest.mark.parametrize(
    ("name", "threshold"),
    [("max_youden_j", 0.5), ("ks", 0.5), ("eer", 0.5), ("precision_at_recall", 0.5)],
)
def test_a_measure_that_searches_the_cuts_tells_where_it_found_its_value(name, threshold):
    assert EV.threshold_of(name) == threshold


def test_the_threshold_found_has_the_value_that_was_found():
    assert EV.value("youden_j", threshold=EV.threshold_of("max_youden_j")) == pytest.approx(EV.max_youden_j)
    for recall in (0.2, 0.4, 0.6, 0.8, 1.0):
        at = EV.threshold_of("precision_at_recall", recall=recall)
        assert EV.value("precision", threshold=at) == pytest.approx(EV.value("precision_at_recall", recall=recall))


def test_of_cuts_that_are_equally_good_the_first_is_named_whatever_rounding_says_and_the_estimate_tells_of_the_others():
    """J is 1/3 - 0, 2/3 - 1/3 and 1 - 2/3, which rounding makes three different numbers."""
    ev = evaluate([1, 0, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.3, 0.2, 0.1])

    for name in ("max_youden_j", "ks", "min_expected_cost"):
        assert ev.threshold_of(name) == 0.9
        told = ev.estimate(name, resamples=100).notes
        assert (
            "3 cuts are equally good, with the thresholds 0.9, 0.7, 0.2; threshold_of() gives the first of them."
            in told
        )
    assert not any("equally good" in note for note in EV.estimate("max_youden_j", resamples=100).notes)


def test_a_share_of_one_class_needs_no_case_of_the_other():
    alone = evaluate([0] * 20, [i / 40 for i in range(20)])

    assert alone.estimate("specificity").notes == ()
    assert any("no positive case" in note for note in alone.estimate("accuracy").notes)


def test_the_threshold_found_is_on_the_scale_of_the_user():
    turned = evaluate(LABELS, [-s for s in SCORES], higher_is_positive=False)

    assert turned.threshold_of("max_youden_j") == -0.5


# ---------------------------------------------------------------------- reasons


@each_data
def test_what_has_no_value_has_a_reason_and_only_that(ev):
    for row in ev.summary(quota=1 if ev.ranking.total >= 1 else None):
        if math.isnan(row["value"]):
            assert row["reason"] not in ("", "infinite"), row["measure"]
            assert "undefined" not in row["reason"]
        elif math.isinf(row["value"]):
            assert row["reason"] == "infinite"
        else:
            assert row["reason"] == "", row["measure"]


@each_data
def test_the_reason_is_given_alone_too(ev):
    for m in (m for m in MEASURES if not m.required):
        row = next(iter(ev.summary([m])))

        assert bool(ev.reason(m)) == math.isnan(row["value"]), m.name
        assert row["reason"] == ("infinite" if math.isinf(row["value"]) else ev.reason(m))


@pytest.mark.parametrize(
    ("data", "name", "words"),
    [
        ("positives only", "auc", "there is no negative case"),
        ("negatives only", "auc", "there is no positive case"),
        ("negatives only", "recall", "there is no positive case"),
        ("nobody flagged", "precision", "no case is flagged"),
        ("everybody flagged", "npv", "every case is flagged"),
        ("margins", "brier", "the scores are not probabilities"),
        ("low scores are positive", "log_loss", "the scores are not probabilities"),
        ("weights that are not whole", "average_hit_rate", "the weights are not whole numbers"),
        ("ten cases", "auc", ""),
    ],
)
def test_a_reason_names_the_circumstance(data, name, words):
    assert DATA[data].reason(name).startswith(words)
    assert bool(DATA[data].reason(name)) == bool(words)


@pytest.mark.parametrize("labels", [[1, 1, 1], [0, 0, 0]])
def test_one_class_alone_still_has_what_does_not_compare_classes(labels):
    ev = evaluate(labels, [0.9, 0.6, 0.2])

    assert math.isnan(ev.auc)
    assert ev.accuracy == (2 / 3 if labels[0] else 1 / 3)
    assert ev.brier == pytest.approx(sum((y - s) ** 2 for y, s in zip(labels, [0.9, 0.6, 0.2], strict=True)) / 3)
    assert "one class" in "".join(texts(ev))
    assert repr(ev)


# ---------------------------------------------------------------------- one cut


def test_the_counts_are_those_at_the_threshold():
    counts = EV.counts

    assert (counts.tp, counts.fp, counts.fn, counts.tn) == (4, 1, 1, 4)
    assert counts.threshold == 0.5
    assert EV.at(threshold=0.5) == counts


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ({"threshold": 0.8}, (2, 0, 3, 5)),
        ({"quota": 3}, (2, 1, 3, 4)),
        ({"share": 0.39}, (2, 1, 3, 4)),
        ({"share": 1.0}, (5, 5, 0, 0)),
    ],
)
def test_any_cut_can_be_asked_for(where, expected):
    counts = EV.at(**where)

    assert (counts.tp, counts.fp, counts.fn, counts.tn) == expected


# ---------------------------------------------------------------------- many numbers


def suits(ev, m):
    """Whether a summary of all measures has this one: margins are not asked of probabilities."""
    return m.needs is not Needs.MARGINS or not ev.ranking.are_probabilities


def test_a_summary_has_these_columns():
    columns = (
        "measure",
        "title",
        "family",
        "value",
        "low",
        "high",
        "method",
        "baseline",
        "better",
        "unit",
        "reason",
        "note",
        "at_least",
        "at_most",
    )

    assert EV.summary().columns == columns
    assert EV.summary("auc").columns == columns
    assert list(EV.to_frame().columns) == list(columns)


@each_data
def test_a_summary_lists_every_measure_that_suits_the_scores_and_needs_nothing_more(ev):
    expected = [m.name for m in MEASURES if not m.required and suits(ev, m)]

    assert [row["measure"] for row in ev.summary()] == expected


def test_a_measure_of_margins_is_left_out_of_the_summary_of_probabilities_unless_asked_for():
    def measures(ev, *asked, **options):
        return {row["measure"] for row in ev.summary(*asked, **options)}

    assert "hinge_loss" not in measures(EV) | measures(EV, family=Family.PROBABILITY) | measures(EV, quota=3)
    assert "hinge_loss" in measures(DATA["margins"]) & measures(DATA["low scores are positive"])
    assert measures(EV, "hinge_loss") == measures(EV, ["hinge_loss"]) == {"hinge_loss"}


def test_a_summary_goes_from_family_to_family():
    order = [family.name.lower() for family in Family]

    for ev, options in ((EV, {}), (EV, {"quota": 3}), (DATA["margins"], {})):
        found = [order.index(row["family"]) for row in ev.summary(**options)]
        assert found == sorted(found)
        assert set(found) == set(range(len(order)))


@pytest.mark.parametrize("where", [{"quota": 3}, {"share": 0.3}])
def test_a_summary_with_a_quota_lists_every_measure_that_suits_the_scores(where):
    rows = list(EV.summary(**where))

    assert [row["measure"].partition("(")[0] for row in rows] == [m.name for m in MEASURES if suits(EV, m)]
    found = {row["measure"]: row["value"] for row in rows}
    assert found["hit_rate(quota=3)"] == 2 / 3
    assert found["qrecall(quota=3)"] == 2 / 5


@pytest.mark.parametrize("asked", [None, ["pearson", "hit_rate", "qrecall", "enrichment", "auc"]])
def test_the_quota_of_a_summary_goes_to_every_measure_that_has_one(asked):
    found = {row["measure"]: row["value"] for row in EV.summary(asked, quota=3)}
    takes_quota = [m for m in MEASURES if "quota" in m.parameters]

    assert "pearson" in [m.name for m in takes_quota]
    for m in takes_quota:
        assert found[f"{m.name}(quota=3)"] == EV.value(m, quota=3)
        assert m.name not in found
    assert "auc" in found


def test_the_name_of_one_measure_is_enough_for_a_summary():
    expected = EV.summary(["precision"]).to_dict()
    assert EV.summary(MEASURES["precision"]).to_dict() == expected
    assert EV.summary("ppv").to_dict() == [row | {"measure": "ppv", "title": "PPV"} for row in expected]
    assert [row["measure"] for row in EV.summary("hit_rate", quota=2)] == ["hit_rate(quota=2)"]


@pytest.mark.parametrize("family", Family)
def test_a_summary_can_be_of_one_family(family):
    expected = [m.name for m in MEASURES if m.family is family and not m.required and suits(EV, m)]

    assert expected
    for spelling in (family, family.name.lower(), family.value):
        assert [row["measure"] for row in EV.summary(family=spelling)] == expected
    assert {row["family"] for row in EV.summary(family=family)} == {family.name.lower()}


def test_a_summary_can_be_of_chosen_measures_in_their_order():
    rows = list(EV.summary(["roc_auc", MEASURES["f_beta"].with_(beta=2), "ppv"]))

    assert [row["measure"] for row in rows] == ["roc_auc", "f_beta(beta=2)", "ppv"]  # as asked for
    assert [row["value"] for row in rows] == pytest.approx([20 / 25, 20 / 25, 4 / 5])


def test_a_row_says_what_a_model_that_knows_nothing_would_get():
    rows = {row["measure"]: row for row in EV.summary(quota=4)}

    for name, random in [("auc", 1 / 2), ("precision", 5 / 10), ("recall", 4 / 10), ("hit_rate(quota=4)", 5 / 10)]:
        assert rows[name]["baseline"] == pytest.approx(random)
    assert rows["qrecall(quota=4)"]["baseline"] == pytest.approx(4 / 10)
    assert rows["pearson(quota=4)"]["baseline"] == 0
    assert rows["log_loss"]["baseline"] == pytest.approx(math.log(2))
    assert (rows["log_loss"]["unit"], rows["log_loss"]["better"]) == ("nats", "lower")
    assert rows["prevalence"]["better"] is None


@each_data
def test_where_knowing_nothing_has_no_value_there_is_none(ev):
    for row in ev.summary():
        if math.isnan(row["value"]):
            assert row["baseline"] is None, row["measure"]
        assert row["baseline"] is None or math.isfinite(row["baseline"]), row["measure"]


def test_what_depends_on_the_ties_has_no_one_value_when_nothing_is_known():
    row = next(iter(EV.summary("concordant_pairs")))

    assert (row["value"], row["baseline"], row["reason"]) == (20 / 25, None, "")


def test_a_summary_prints_neither_title_nor_family_nor_what_is_empty():
    table = EV.summary(["auc", "recall"])

    assert table.table.hidden == ("title", "family", "method", "note")
    assert repr(table).splitlines()[:2] == list(table.verdict) == EV.verdict().splitlines()
    assert repr(table).splitlines()[4].split() == ["measure", "value", "low", "high", "baseline", "better"]
    assert "reason" in repr(DATA["positives only"].summary("auc")).splitlines()[4]
    assert "unit" in repr(EV.summary("log_loss")).splitlines()[4]
    assert [row["title"] for row in table] == ["Area under the ROC curve", "Recall"]
    assert table.to_frame()["family"].tolist() == ["ranking", "cut"]


@each_data
def test_a_dictionary_is_ready_for_json(ev, request):
    back = json.loads(json.dumps(ev.to_dict(), allow_nan=False))

    assert back == ev.to_dict()
    assert back["cases"] == back["positives"] + back["negatives"] == ev.ranking.total
    assert len(back["measures"]) == sum(not m.required and suits(ev, m) for m in MEASURES)
    for row in back["measures"]:
        assert (row["value"] is None) == bool(row["reason"])


@pytest.mark.parametrize(
    ("labels", "positive", "expected"),
    [
        (["ham", "spam"], "spam", "spam"),
        (np.array(["ham", "spam"]), np.str_("spam"), "spam"),
        ([False, True], None, True),
        ([1, 2], np.int64(2), 2),
        ([0.5, 1.5], np.float32(1.5), 1.5),
    ],
)
def test_the_positive_label_goes_into_the_dictionary_as_a_plain_value(labels, positive, expected):
    found = evaluate(labels, [0.1, 0.9], positive=positive).to_dict()["positive"]

    assert found == expected
    assert type(found) is type(expected)
    assert json.dumps(found)


@pytest.mark.parametrize("labels", [[b"n", b"y"], [pd.Timestamp(2020, 1, 1), pd.Timestamp(2021, 1, 1)]])
def test_any_positive_label_goes_into_json(labels):
    json.dumps(evaluate(labels, [0.1, 0.9], positive=labels[1]).to_dict(), allow_nan=False)


def test_the_dictionary_tells_the_facts():
    found = evaluate([1, 0, None], [0.9, 0.2, 0.5], name="m", missing="drop", threshold=0.5).to_dict()

    assert found["name"] == "m"
    assert found["dropped"] == 1
    assert found["distinct_scores"] == 2
    assert found["threshold"] == 0.5
    assert found["counts"] == {"threshold": 0.5, "tp": 1, "fp": 0, "fn": 0, "tn": 1}
    assert set(found["measures"][0]) == {name.replace(" ", "_") for name in EV.summary().columns}


def test_a_finished_summary_goes_into_the_dictionary():
    table = EV.summary(["mcc"], intervals="bootstrap", level=0.8, resamples=50, seed=3)
    (row,) = EV.to_dict(table, level=0.8)["measures"]
    expected = EV.estimate("mcc", 0.8, resamples=50, seed=3)

    assert (row["low"], row["high"]) == (expected.low, expected.high)


@pytest.mark.parametrize("threshold", [math.inf, -math.inf])
def test_a_threshold_that_is_not_finite_is_none_in_the_dictionary(threshold):
    found = evaluate(LABELS, SCORES, threshold=threshold).to_dict()

    assert found["threshold"] is None
    assert found["counts"]["threshold"] is None


@pytest.mark.parametrize(
    ("backend", "kind", "column"),
    [
        ("pandas", pd.DataFrame, lambda frame, name: frame[name].tolist()),
        ("polars", pl.DataFrame, lambda frame, name: frame[name].to_list()),
        ("pyarrow", pa.Table, lambda frame, name: frame[name].to_pylist()),
    ],
)
@each_data
def test_a_frame_has_a_row_for_each_measure(ev, backend, kind, column):
    frame = ev.to_frame(backend)
    rows = list(ev.summary())

    assert isinstance(frame, kind)
    assert column(frame, "measure") == [row["measure"] for row in rows]
    np.testing.assert_array_equal(column(frame, "value"), [row["value"] for row in rows])


# ---------------------------------------------------------------------- notes


def texts(ev):
    return [note.text for note in ev.data_notes]


NOTES = {
    "dropped": evaluate([1, 0, 1, None, None], [0.9, 0.6, 0.2, 0.1, 0.3], missing="drop"),
    "binned": Evaluation(rank(LABELS, SCORES).coarsen(3).high),
    "one class": evaluate([1, 1, 1], [0.9, 0.6, 0.2]),
    "below 0.5": evaluate([0, 1, 0, 1], [0.9, 0.6, 0.55, 0.2]),
    "distinct values": evaluate([1, 0, 1, 0], [0.9, 0.9, 0.2, 0.2]),
    "probability 0": evaluate([1, 0, 1, 0], [0.9, 0.6, 0.0, 0.0]),
    "as are positive": evaluate([1, 0, 1], [2.0, 0.3, 0.4]),
    "nobody": evaluate([1, 0, 1], [0.4, 0.3, 0.2]),
    "everybody": evaluate([1, 0, 1], [0.8, 0.7, 0.6]),
}


@pytest.mark.parametrize("words", NOTES)
def test_a_note_appears_when_it_must(words):
    assert sum(words in note for note in texts(NOTES[words])) == 1
    assert f"Note: {next(note for note in texts(NOTES[words]) if words in note)}" in repr(NOTES[words])


@pytest.mark.parametrize("words", NOTES)
def test_a_note_appears_only_when_it_must(words):
    assert EV.data_notes == ()
    also = {"below 0.5": {"probability 0"}}.get(words, set())  # a positive given 0 ranks last
    for other, ev in NOTES.items():
        if other != words and other not in also:
            assert not any(words in note for note in texts(ev)), other


@pytest.mark.parametrize(
    ("labels", "scores", "cases"),
    [
        ([1, 0, 1], [0.5, 0.3, 0.0], 1),
        ([1, 0, 1], [0.5, 1.0, 0.0], 2),
        ([1, 0, 1], [0.5, 0.3, 1e-17], 1),  # next to 0
        ([1, 0, 1], [0.5, np.nextafter(1, 0), 1e-15], 1),  # next to 1
        ([1, 0, 1], np.array([0.5, 0.3, 1e-7], dtype=np.float32), 1),  # next to 0 in single precision
        ([1, 0, 1], np.array([0.5, 0.3, 1e-7]), 0),
        ([1, 0, 1], [1.0, 0.0, 0.5], 0),  # certain, and right
        ([1, 0, 1], [2.0, 0.0, 0.0], 0),  # not probabilities
    ],
)
def test_cases_given_probability_zero_are_counted(labels, scores, cases):
    notes = [note for note in texts(evaluate(labels, scores)) if "probability 0" in note]

    assert [int(note.split()[1]) for note in notes] == ([cases] if cases else [])


def test_the_note_on_probability_zero_says_what_the_logarithms_take():
    expected = "the true class got probability 0 or nearly 0; log loss uses {} instead."

    assert texts(evaluate([1, 0, 1], [0.6, 0.3, 0.0])) == ["For 1 case " + expected.format("2.2e-16")]
    single = evaluate([1, 0, 1], np.array([0.6, 0.3, 0.0], dtype=np.float32))
    assert texts(single) == ["For 1 case " + expected.format("1.2e-07")]
    assert single.log_loss == pytest.approx(-(math.log(0.6) + math.log(0.7) + math.log(2**-23)) / 3, rel=1e-6)
    weighted = evaluate([1, 0, 1], [0.6, 0.3, 0.0], [2, 1, 2.5])
    assert "For 2.5 cases " + expected.format("2.2e-16") in texts(weighted)


def test_scores_that_are_not_probabilities_are_cut_where_as_many_are_flagged_as_are_positive():
    points = evaluate([1, 0, 1, 0, 0], [812, 655, 640, 530, 410])

    assert points.threshold == 655
    assert points.at(threshold=points.threshold).flagged == points.ranking.positives == 2
    assert "score >= 655, which flags about as many cases as are positive" in texts(points)[0]
    assert "predicted positive: score >= 655" in repr(points)
    assert evaluate([1, 0, 1], [3, -2, 1], higher_is_positive=False).threshold == 1
    assert evaluate([1, 0, 1], [3, -2, 1], threshold=0).data_notes == ()
    assert evaluate([1, 0, 1], [3, -2, 1], threshold=0.5).threshold == 0.5


def test_a_default_cut_flags_neither_nobody_nor_everybody_if_it_can():
    assert evaluate([1, 1, 1, 0], [4, 3, 2, 1]).counts.flagged == 3
    assert evaluate([1, 1, 1, 1, 0], [5, 5, 5, 1, 1]).counts.flagged == 3  # tied scores stay together
    assert evaluate([0, 0, 1], [2, 2, 2]).counts.flagged == 3


@pytest.mark.parametrize("scores", [[0.9, 0.4, 0.2], [0, 1, 1]])
@pytest.mark.parametrize("higher", [True, False])
def test_scores_from_nought_to_one_are_cut_at_a_half(scores, higher):
    assert evaluate([1, 0, 1], scores, higher_is_positive=higher).threshold == 0.5


def test_a_quota_is_the_cut_of_the_whole_evaluation():
    ev = evaluate(LABELS, SCORES, quota=3)

    assert ev.counts == ev.at(quota=3)
    assert (ev.precision, ev.hit_rate) == (ev.value("precision", quota=3), ev.value("hit_rate", quota=3))
    assert ev.summary("precision").rows[0].value == EV.summary("precision", quota=3).rows[0].value == ev.precision
    assert ev.threshold == ev.at(quota=3).threshold
    assert "the 3 highest scores" in repr(ev)
    with pytest.raises(CutlineError, match="threshold= and quota= each set the cut"):
        evaluate(LABELS, SCORES, quota=3, threshold=0.5)


def test_a_measure_may_be_read_at_a_cut_of_its_own():
    found = EV.summary(["precision", ("precision", {"quota": 3}), ("recall", {"share": 0.3})])

    assert [row["measure"] for row in found] == ["precision", "precision(quota=3)", "recall(share=0.3)"]
    assert [row["value"] for row in found] == [
        EV.precision,
        EV.value("precision", quota=3),
        EV.value("recall", quota=3),
    ]


def test_a_row_that_was_dropped_is_one_row():
    assert "1 row with a missing value dropped." in texts(evaluate([1, 0, None], [0.9, 0.2, 0.1], missing="drop"))
    assert "2 rows with a missing value dropped." in texts(NOTES["dropped"])


def test_two_cases_with_two_scores_are_no_reason_for_a_note():
    assert not any("distinct values" in note for note in texts(evaluate([1, 0], [0.9, 0.2])))


@pytest.mark.parametrize(
    "ev",
    [
        evaluate([1, 0, None], [0.9, 0.2, 0.1], missing="drop"),
        evaluate([1, 0, 0], [0.5, 0.5, 0.5]),
        evaluate([1, 0, 0], [0.9, 0.4, 1.0]),
    ],
    ids=["row", "value", "case"],
)
def test_one_is_not_many(ev):
    assert not any(plural in " ".join(texts(ev)) for plural in ("1 rows", "1 distinct values", "1 cases"))


# ---------------------------------------------------------------------- looks


def test_the_representation_tells_the_key_facts():
    text = repr(evaluate(LABELS, SCORES, name="forest"))

    for fact in ("forest: 10 cases, 5 positive (50 %; positive is 1)", "10 distinct scores", "score >= 0.5"):
        assert fact in text.splitlines()[3]
    assert text.splitlines()[4] == "tp 4, fp 1, fn 1, tn 4"
    for m in (m for m in MEASURES if m.headline):
        assert m.title in text
    assert "0.8000" in text
    assert f"{len(MEASURES) - sum(m.headline for m in MEASURES)} more measures" in text


@pytest.mark.parametrize(
    ("ev", "heading"),
    [
        (evaluate([1], [0.7]), "1 case, 1 positive (100 %; positive is 1), 1 distinct score; "),
        (evaluate([1, 0], [0.7, 0.7]), "2 cases, 1 positive (50 %; positive is 1), 1 distinct score; "),
        (
            evaluate([1, 0], [0.7, 0.2], [1.5, 1]),
            "cases of weight 2.5, 1.5 positive (60 %; positive is 1), 2 distinct scores; ",
        ),
        (
            evaluate([1, 0], [0.7, 0.2], [1, 3]),
            "cases of weight 4, 1 positive (25 %; positive is 1), 2 distinct scores; ",
        ),
    ],
    ids=["one case", "one score", "weights", "whole weights"],
)
def test_a_heading_counts_cases_or_weighs_them(ev, heading):
    assert repr(ev).splitlines()[3] == ev.summary("auc").title == heading + "predicted positive: score >= 0.5"


def test_the_rule_is_turned_when_low_scores_mean_positive():
    assert "score <= 0.5" in repr(DATA["low scores are positive"])


@each_data
def test_every_evaluation_can_be_shown(ev):
    assert "cases" in repr(ev)
    assert ev._repr_html_().startswith("<div>")
    assert ev._repr_html_().count("<table>") == 2


def test_names_and_labels_cannot_smuggle_html():
    labels = ["<script>alert(1)</script>", "ok"]
    ev = evaluate(labels, [0.4, 0.3], positive=labels[0], name="<script>alert(2)</script>")

    for html in (ev._repr_html_(), ev.summary()._repr_html_()):
        assert "<script" not in html
        assert "&lt;script&gt;alert(1)" in html
        assert "&lt;script&gt;alert(2)" in html


# ---------------------------------------------------------------------- attributes that are not there


@pytest.mark.parametrize("name", ["precison", "_repr_latex_", "__array__", "nonsense"])
def test_an_evaluation_has_no_other_attributes(name):
    assert not hasattr(EV, name)


def test_numbers_change_when_the_definition_does(monkeypatch):
    assert EV.value("precision") == 4 / 5
    monkeypatch.setattr("cutline.inputs.rank.Ranking.at_threshold", lambda self, t: self.at_cut(1, t))

    assert EV.value("precision") == 1 / 1


def test_a_threshold_of_one_leaves_net_benefit_undefined():
    assert math.isnan(evaluate(LABELS, SCORES, threshold=1.0).net_benefit)


@pytest.mark.parametrize("higher_is_positive", [True, False])
def test_net_benefit_needs_a_threshold_that_is_a_probability(higher_is_positive):
    margins = evaluate([1, 0, 1, 0], [4, 3, 2, 1], threshold=0.5, higher_is_positive=higher_is_positive)

    assert math.isnan(margins.net_benefit)
    assert "and no risk is given" in margins.reason("net_benefit")
    assert not margins.counts.is_risk
    assert margins.value("net_benefit", risk=0.25) == margins.counts.tp / 4 - margins.counts.fp / 4 * (1 / 3)
    assert margins.reason("net_benefit", risk=0.25) == ""
    assert EV.counts.is_risk
    assert EV.at(quota=3).is_risk
    assert EV.net_benefit == 4 / 10 - 1 / 10


def test_what_cannot_be_evaluated_is_refused_at_once():
    with pytest.raises(CutlineError, match="threshold"):
        evaluate(LABELS, SCORES, threshold="a")
    with pytest.raises(CutlineError, match="scores"):
        evaluate(LABELS, SCORES[1:])


@pytest.mark.parametrize("name", ["", "  ", None])
def test_a_blank_name_is_no_name(name):
    ev = evaluate(LABELS, SCORES, name=name)

    assert ev.name is None
    assert ev.summary(["auc"]).name is None
    assert cl.one_vs_rest([0, 1, 2, 0, 1, 2], np.eye(3)[[0, 1, 2, 1, 1, 0]], name=name).name is None


def test_a_printed_summary_has_the_notes_of_the_terminal():
    flagging_nobody = evaluate([1, 0, 1, 0], [0.3, 0.2, 0.25, 0.1]).summary(["precision", "ks"], resamples=40)
    printed, page = repr(flagging_nobody), flagging_nobody._repr_html_()
    every = (*flagging_nobody.notes, *flagging_nobody.row_notes)

    assert any("flags nobody" in note.text for note in flagging_nobody.notes)
    assert flagging_nobody.row_notes
    for note in every:
        assert f"\nNote: {note.text}" in printed
        assert f"<li>{escape(note.text)}</li>" in page


def test_the_title_of_a_row_has_its_parameters_in_every_format():
    found = EV.summary([("f_beta", {"beta": 2}), ("precision", {"quota": 3})])

    assert [row["title"] for row in found] == ["F-beta (beta=2)", "Precision (quota=3)"]
    assert found.to_csv().splitlines()[1].startswith("f_beta(beta=2),F-beta (beta=2),")


def test_a_first_look_says_which_intervals_it_does_not_wait_for():
    rng = np.random.default_rng(0)
    labels = rng.random(30_000) < 0.3
    long = evaluate(labels, rng.normal(size=30_000) + labels)

    for shown in (repr(long), long._repr_html_()):
        assert "left out; .summary() has them" in shown


def test_simulated_intervals_of_many_scores_are_left_out_unless_asked_for(monkeypatch):
    rng = np.random.default_rng(2)
    scores = rng.random(800)
    ev = evaluate(rng.random(800) < scores, scores)
    monkeypatch.setattr(resample_budget, "WORK", 4 * 800 * resample_budget.choose_resamples(800))

    found = ev.summary(["auc", "ks", "ece"])
    assert [row.measure.name for row in found.rows if row.is_open] == ["ece"]
    assert any("Intervals of calibration errors are left out" in str(note) for note in found.notes)

    asked = ev.summary(["ece"], resamples=20)
    assert asked.rows[0].estimate == ev.estimate("ece", resamples=20)


def test_a_summary_does_nothing_twice_on_the_same_cases(monkeypatch):
    rng = np.random.default_rng(1)
    scores = rng.random(400)
    ev = evaluate(rng.random(400) < scores, scores)
    done: Counter[tuple[Any, ...]] = Counter()

    def count(owner, name, of):
        real = getattr(owner, name)

        def counted(*arguments, **keywords):
            done[name, *of(*arguments)] += 1
            return real(*arguments, **keywords)

        monkeypatch.setattr(owner, name, counted)

    def of_cells(r, *settings):
        return r.pos.tobytes(), r.neg.tobytes(), *settings

    count(Measure, "prepare", lambda measure, data, parameters: (str(measure), str(parameters)))
    count(summary_rows, "default_method", lambda estimand: (estimand.name,))
    count(miscalibration, "_fit_isotonic", of_cells)
    count(miscalibration, "_fit_loess", of_cells)
    count(Ranking, "at_cut", lambda ranking, index, *_: of_cells(ranking, index))
    assert len(ev.summary(resamples=100).rows) > 100
    assert {name for name, *_ in done} == {"prepare", "default_method", "_fit_isotonic", "_fit_loess", "at_cut"}
    assert {key[:2]: times for key, times in done.items() if times > 1} == {}
