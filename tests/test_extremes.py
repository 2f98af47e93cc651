"""Very large and very small weights and scores: nothing overflows, nothing warns, nothing leaves its range."""

import contextlib
import json
import math
import random

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import cutline as cl
from cutline import MEASURES, rank
from cutline.core.ranking import Ranking
from cutline.measures import Needs
from grouping import each_case

LABELS = [1, 0, 1, 0, 1, 1, 0, 0]
SCORES = np.array([0.9, 0.85, 0.8, 0.6, 0.6, 0.3, 0.2, 0.1])
WEIGHTS = np.array([1.5, 2.0, 1.0, 0.5, 3.0, 1.0, 2.5, 1.0])

often = settings(max_examples=200, deadline=None)


# Warnings are errors in all tests: that a test passes means that numpy had nothing to warn of.


@each_case("scale", [1e-45, 1e45])
@each_case("m", [m for m in MEASURES if m.scales and not m.required], ids=str)
def test_weights_on_any_scale_give_the_same_value(m, scale):
    expected = m(LABELS, SCORES, WEIGHTS)

    with np.errstate(over="raise", invalid="raise"):
        assert m(LABELS, SCORES, WEIGHTS * scale) == pytest.approx(expected, rel=1e-12, abs=1e-14, nan_ok=True)


@pytest.mark.parametrize("scale", [1e-90, 1e90])
@pytest.mark.parametrize("name", ["mcc", "kappa"])
def test_correlation_and_agreement_do_not_depend_on_the_scale_of_the_counts(name, scale):
    cells = np.array([3.0, 1.0, 2.0, 4.0])

    expected = {"mcc": 10 / math.sqrt(5 * 5 * 4 * 6), "kappa": 0.4}[name]
    assert MEASURES[name](cl.Counts(*cells)) == pytest.approx(expected, rel=1e-15)
    assert MEASURES[name](cl.Counts(*(cells * scale))) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("scale", [1e-300, 1e-200, 1e200, 1e300])
@pytest.mark.parametrize("given_", [{}, {"quota": 5}], ids=["all", "quota"])
def test_the_correlation_with_the_scores_does_not_depend_on_their_scale(scale, given_):
    expected = cl.pearson(LABELS, SCORES, **given_)

    assert 0 < abs(expected) < 1
    assert cl.pearson(LABELS, SCORES * scale, **given_) == pytest.approx(expected, rel=1e-14)
    assert cl.pearson(LABELS, -SCORES * scale, **given_, higher_is_positive=False) == pytest.approx(expected, rel=1e-14)


@each_case("m", [m for m in MEASURES if m.needs is Needs.RANKING and m.name != "pearson" and not m.required], ids=str)
def test_what_reads_the_order_does_not_see_the_scale_of_the_scores(m):
    expected = m(LABELS, SCORES)

    for scale in (1e-300, 1e300):
        np.testing.assert_equal(m(LABELS, SCORES * scale), expected)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([1, 0, 1], 1.0),  # the last positive weighs nothing
        ([1, 0, 0], 1.0),
        ([0, 1, 0], (1 / 2 + 1 / 2) / 2),
        ([0, 1, 1], (1 / 2 + 1 / 2) / 2),
    ],
)
def test_mean_average_precision_with_a_case_next_to_nothing_is_that_without_it(labels, expected):
    assert cl.mean_average_precision(labels, [0.9, 0.5, 0.2], [1, 1, 1e-20]) == pytest.approx(expected, rel=1e-15)
    assert cl.mean_average_precision(labels[:2], [0.9, 0.5]) == pytest.approx(expected, rel=1e-15)


floats = st.floats(1e-6, 1e6) | st.sampled_from([0.1, 0.2, 0.3, 1e-20, 1e20])
weighted = st.lists(st.tuples(st.booleans(), st.integers(0, 4), floats), min_size=1, max_size=12)


@often
@given(rows=weighted)
@example(rows=[(True, 4, 0.1), (True, 4, 0.2), (True, 4, 0.3), (False, 0, 0.1), (False, 0, 0.7)])
def test_areas_of_weights_that_are_not_whole_stay_in_their_range(rows):
    ranking = rank(*zip(*rows, strict=True))

    for name in ("auc", "gini", "pem"):
        low, high = MEASURES[name].range
        value = MEASURES[name](ranking)
        assert math.isnan(value) or low <= value <= high  # not by a single bit


@often
@given(weights=st.lists(floats, min_size=2, max_size=10))
def test_a_perfect_order_has_the_area_one_whatever_the_weights(weights):
    labels = [1, *[0] * (len(weights) - 1)]

    assert cl.auc(labels, [-k for k in range(len(weights))], weights) == pytest.approx(1, rel=1e-15)
    assert cl.auc(labels, range(len(weights)), weights) == pytest.approx(0, abs=1e-15)


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize(
    "scores",
    [[1.7e308, -1.7e308, 0.0, 1.0] * 5, [5e-324, 1e-310, 0.0, 1e-320] * 5, np.arange(20, dtype=np.longdouble)],
    ids=["nearly infinite", "nearly nothing", "long doubles"],
)
def test_scores_at_the_ends_of_floats_are_summarized_and_drawn_without_a_warning(scores):
    ev = cl.evaluate([1, 0, 1, 0] * 5, scores)
    summary = ev.summary(resamples=0)
    assert summary.document()["positives"] == 10

    for name in cl.CHARTS:
        with contextlib.suppress(cl.CutlineError):  # a chart of several models, or of probabilities
            assert ev.chart(name).to_dict(check=False)["$schema"]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("scores", [[1e308] * 4, [-1e300] * 4, [1e10] * 4, [1.0, np.nextafter(1, 2), 1.0, 1.0]])
@pytest.mark.parametrize("higher", [True, False])
def test_identical_scores_are_drawn_or_refused(scores, higher):
    ev = cl.evaluate([1, 0, 1, 0], scores, threshold=0, higher_is_positive=higher)

    assert ev.chart("roc").to_dict()
    with contextlib.suppress(cl.InputError):  # which says that there is no scale
        assert ev.chart("score_distribution").to_dict()


@pytest.mark.parametrize("unit", [1e-15, 1e-40, 1e-100, 1e-300, 5e-324])
@pytest.mark.parametrize("smooth", ["loess", "loess_direct", "epanechnikov"])
def test_a_smooth_calibration_curve_does_not_depend_on_how_small_the_probabilities_are(unit, smooth):
    labels, places = np.arange(60) % 2, np.arange(1, 61)
    usual, tiny = (cl.evaluate(labels, scale * places) for scale in (1e-12, unit))

    for name in ("ici", "e90", "eci"):
        assert tiny.value(name, smooth=smooth) == pytest.approx(usual.value(name, smooth=smooth), rel=1e-6)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("scores", [[1.7e308, -1.7e308] * 10, [1e-300 * i for i in range(20)]])
def test_every_measure_of_scores_at_the_ends_of_floats_is_resampled_without_a_warning(scores):
    ev = cl.evaluate([1, 0, 0, 1, 1] * 4, scores)

    asked = [m.with_(quota=3) if "quota" in m.required else m for m in MEASURES]
    assert len(ev.summary(asked, resamples=100).rows) == len(asked)


@pytest.mark.parametrize("heavy", [1e16, 2**63 - 1, 1e30])
@pytest.mark.parametrize("place", [0, 1])
def test_a_weight_beside_which_all_others_are_rounded_away_warns_of_nothing(heavy, place):
    dice = random.Random(5)  # noqa: S311 - not for secrets
    labels = [1, 0, *(dice.randint(0, 1) for _ in range(198))]
    ev = cl.evaluate(labels, [dice.random() for _ in labels], np.where(np.arange(200) == place, float(heavy), 1.0))
    for measure in MEASURES:
        with contextlib.suppress(cl.CutlineError):
            ev.estimate(measure.name, resamples=50)


@pytest.mark.parametrize("portions", [math.inf, 1e300, 10**400])
def test_a_list_is_divided_into_a_sensible_number_of_portions(portions):
    with pytest.raises(cl.CutlineError, match="whole number from 1 to 10000"):
        cl.portion_lift([1, 0, 1, 0], [0.9, 0.6, 0.6, 0.2], portions=portions)


@pytest.mark.filterwarnings("error")
def test_counts_near_the_largest_integer_compare_models_without_a_warning():
    labels, weights = [1, 0, 1, 0, 1, 0], [2**53, 2**53, 1, 1, 2**53, 1]
    scores = {"a": [0.9, 0.6, 0.6, 0.2, 0.7, 0.1], "b": [0.9, 0.4, 0.5, 0.3, 0.2, 0.8]}
    assert math.isfinite(cl.compare(labels, scores, weights).difference("auc", resamples=20).value)


@pytest.mark.filterwarnings("error")
def test_weights_beside_which_a_case_is_nothing_recalibrate_and_list_without_a_warning():
    scores, labels = np.arange(1, 41) / 41, np.arange(40) % 3 > 0
    heavy = cl.evaluate(labels, scores, weights=[1.0] * 20 + [1e16] + [1.0] * 19)
    vast = cl.evaluate(labels, scores, weights=[1e40 * i for i in range(1, 41)])

    low, high = cl.recalibrate(heavy, method="venn_abers").interval(scores)
    assert ((low >= 0) & (low <= high) & (high <= 1)).all()
    assert "-" not in repr(vast.gains()).splitlines()[-3]  # nothing was cut to the least integer


@pytest.mark.filterwarnings("error")
def test_a_list_of_one_class_with_fractional_weights_is_drawn():
    ranking = Ranking.of_counts([0.9, 0.5], [0.0, 0.0], [0.0, 5.5])

    assert cl.Evaluation(ranking).chart("hit_rate").to_dict()


@pytest.mark.filterwarnings("error")
def test_bins_of_as_many_cases_as_integers_hold_do_not_overflow():
    many = Ranking.of_counts([0.9, 0.6, 0.2], [2**60, 2**60, 0], [0, 2**60, 2**60])
    some = Ranking.of_counts([0.9, 0.6, 0.2], [2**40, 2**40, 0], [0, 2**40, 2**40])

    assert MEASURES["ece"](many, binning="mass") == pytest.approx(MEASURES["ece"](some, binning="mass"))


@pytest.mark.parametrize(
    "labels", [(0, math.inf), (-math.inf, 0), (b"n", b"y"), (np.datetime64("2020"), np.datetime64("2021"))]
)
def test_labels_that_json_cannot_hold_are_text_in_documents(tmp_path, labels):
    ev = cl.evaluate(np.array(labels * 4), SCORES, positive=labels[1])
    cut = cl.choose_cut(ev, "recall >= 0.5", resamples=0)
    watched = cl.monitor(ev, {"2026-01-01": ev.ranking})

    saved = [made.save(tmp_path / f"{i}.json") for i, made in enumerate((ev, cut, watched))]
    documents = [json.loads(path.read_text(encoding="utf-8"), parse_constant=pytest.fail) for path in saved]
    assert documents[0]["positive"] == documents[1]["positive"] == cut.to_dict()["positive"]
    assert ev.save(tmp_path / "report.html", measures="auc", resamples=0).exists()
    if not isinstance(labels[1], int):
        with pytest.raises(cl.ParameterError, match="which a ranking file cannot hold"):
            ev.ranking.save(tmp_path / "day.ranking")


def test_a_case_of_weight_1_counts_below_cases_of_2_to_the_53():
    heavy = 2**53
    ev = cl.evaluate([0, 1, 0], [0.9, 0.5, 0.1], weights=[heavy, heavy, 1])

    # The first two scores are pooled at 1/2, the last one stays alone at 0.
    recalibrated, brier = 0.5 * heavy / (2 * heavy + 1), (0.81 + 0.25) * heavy / (2 * heavy + 1)
    assert ev.mcb == pytest.approx(brier - recalibrated, rel=1e-12)
    assert ev.dsc == pytest.approx(0, abs=1e-12)
    assert cl.MEASURES["mcb"](ev.ranking, score="log") == pytest.approx(ev.log_loss - math.log(2), rel=1e-12)
