"""Charts of what decisions are worth: the lines are those of the curves, the best quota is that of the profit."""

import numpy as np
import pytest

import cutline as cl
from cutline.examples import load
from drawing import line

TUMOURS = load("tumours")
MODELS = {m: cl.evaluate(TUMOURS.labels, s, positive=TUMOURS.positive, name=m) for m, s in TUMOURS.scores.items()}
EV = MODELS["logistic"]
SMALL = cl.evaluate([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.6, 0.4, 0.3, 0.1], name="six")


def heights(spec, series, x):
    points = np.array(line(spec, series), dtype=float)
    return np.interp(x, points[:, 0], points[:, 1])


def test_the_cost_curve_is_the_cheapest_cut_at_every_probability_cost():
    spec, x = SMALL.chart("cost_curve").to_dict(), np.linspace(0, 1, 21)
    r = SMALL.ranking
    cheapest = (np.outer(1 - r.tpr, x) + np.outer(r.fpr, 1 - x)).min(0)

    np.testing.assert_allclose(heights(spec, "six", x), cheapest, atol=1e-5)
    np.testing.assert_allclose(heights(spec, "flagging everybody", x), 1 - x, atol=1e-5)


def test_the_line_of_a_threshold_lies_above_the_envelope():
    spec, x = EV.chart("cost_curve", threshold=0.3).to_dict(), np.linspace(0, 1, 11)

    c = EV.at(threshold=0.3)
    fixed = heights(spec, "logistic at 0.3", x)
    np.testing.assert_allclose(fixed, float(c.fnr) * x + float(c.fpr) * (1 - x), atol=1e-5)
    assert (fixed >= heights(spec, "logistic", x) - 1e-5).all()


def test_the_area_under_the_drawn_brier_curve_is_the_brier_score():
    spec = EV.chart("brier_curve").to_dict()
    points = np.array(line(spec, "logistic"), dtype=float)

    assert np.trapezoid(points[:, 1], points[:, 0]) == pytest.approx(EV.value("brier_score"), abs=2e-4)
    assert spec["title"]["subtitle"] == [f"Brier score {EV.value('brier_score'):.4f}"]


def test_the_profit_chart_names_the_best_quota_of_the_profit_curve():
    spec = EV.chart("profit", value=3, cost=1, resamples=1000).to_dict()
    best = cl.profit_curve(EV, value=3, cost=1, resamples=1000).best

    assert spec["title"]["subtitle"][-1] == f"Best quota {best.value:g} [{best.low:g}, {best.high:g}]"


def test_without_a_value_flagging_everybody_breaks_even():
    points = line(SMALL.chart("profit", resamples=0).to_dict(), "six")

    assert [list(map(float, point)) for point in points][-1] == [6.0, 0.0]
    assert max(y for _, y in points) == pytest.approx(2.0)  # two found for two, and each is worth two


@pytest.mark.parametrize("kind", ["standardised", "interventions_avoided"])
def test_variants_of_the_decision_curve_are_those_of_the_curve(kind):
    name = "standardised_net_benefit" if kind == "standardised" else kind
    expected = cl.decision_curve(EV, kind=kind, prevalence=0.1, resamples=0)
    spec = EV.chart(name, prevalence=0.1, resamples=0).to_dict()

    scale = 100 if kind == "interventions_avoided" else 1
    found = heights(spec, "logistic", expected["risk"])
    np.testing.assert_allclose(found, scale * expected[kind], atol=1e-4 * scale)


def test_the_bars_of_the_gains_chart_are_the_rates_of_its_table():
    spec, table = EV.chart("gains", portions=5).to_dict(), EV.gains(5)
    bars = next(rows for rows in spec["datasets"].values() if "rate" in rows[0])

    assert [row["y"] for row in bars] == pytest.approx(table["rate"].tolist(), abs=1e-5)
    assert heights(spec, "positives found so far", [5]) == pytest.approx([1.0])


def test_the_bars_of_the_gains_chart_are_in_its_legend():
    bars = EV.chart("gains").to_dict()["layer"][0]["encoding"]["fill"]

    assert bars["scale"]["domain"] == ["positives in the portion"]
    assert "symbolType" in bars["legend"]


def test_the_baseline_of_unequal_portions_is_the_share_of_the_list():
    spec = EV.chart("gains", portions=[0.1, 0.5]).to_dict()

    assert heights(spec, "baseline", [1, 2, 3]) == pytest.approx([0.1, 0.5, 1])


def words_of(spec):
    """What is written around a chart, and the names of its lines."""
    encoding = next(layer["encoding"] for layer in spec["layer"] if "strokeDash" in layer.get("encoding", {}))
    names = encoding["strokeDash"]["scale"]["domain"]
    return [encoding[axis]["title"] for axis in "xy"], set(names[1:])


UTILITY = {
    "net_benefit": lambda **how: cl.decision_curve(EV, **how),
    "standardised_net_benefit": lambda **how: cl.decision_curve(EV, kind="standardised", **how),
    "interventions_avoided": lambda **how: cl.decision_curve(EV, kind="interventions_avoided", **how),
    "cost_curve": lambda **_: cl.cost_curve(EV.ranking),
    "profit": lambda **how: cl.profit_curve(EV, value=3, cost=1, **how),
}


@pytest.mark.parametrize("name", UTILITY)
def test_a_curve_draws_itself_in_the_words_of_the_chart(name):
    given = {"value": 3, "cost": 1} if name == "profit" else {}
    how = {} if name == "cost_curve" else {"resamples": 100}
    chart = EV.chart(name, **given, **how).to_dict()
    curve = UTILITY[name](**how).chart().to_dict()

    assert words_of(curve) == words_of(chart)
    assert curve["title"]["text"] == chart["title"]["text"]
    if name != "cost_curve":
        assert curve["title"]["subtitle"][-1] == chart["title"]["subtitle"][-1]


def test_interventions_avoided_are_drawn_in_100_cases_from_either_side():
    curve = cl.decision_curve(EV, kind="interventions_avoided", resamples=0)
    spec = curve.chart().to_dict()

    drawn = heights(spec, "Interventions avoided in 100 cases", curve["risk"])
    np.testing.assert_allclose(drawn, 100 * curve["interventions_avoided"], atol=1e-3)


def test_the_difference_of_two_curves_is_drawn_beside_no_difference():
    labels = [label == TUMOURS.positive for label in TUMOURS.labels]
    cmp = cl.compare(labels, TUMOURS.scores)
    one, other = cmp.names[:2]
    spec = cl.decision_difference(cmp, one, other, [0.1, 0.3], resamples=50).chart().to_dict()

    assert words_of(spec) == (["Threshold probability", "Difference in net benefit"], {"no difference"})
    assert heights(spec, "no difference", [0.2]) == [0.0]


def test_charts_and_curves_have_the_same_intervals_unasked():
    best = cl.profit_curve(EV, value=3, cost=1).best
    spec = EV.chart("profit", value=3, cost=1).to_dict()

    assert spec["title"]["subtitle"][-1] == f"Best quota {best.value:g} [{best.low:g}, {best.high:g}]"


def test_wrong_parameters_and_scores_are_refused():
    with pytest.raises(cl.NotProbabilitiesError, match="needs probabilities"):
        cl.evaluate([1, 0], [5, 2], threshold=3).chart("brier_curve")
    with pytest.raises(cl.ParameterError, match="prevalence"):
        EV.chart("interventions_avoided", prevalence=2)
    with pytest.raises(cl.InputError, match="both classes"):
        cl.evaluate([1, 1], [0.5, 0.2]).chart("cost_curve")
    with pytest.raises(cl.CutlineError, match="value"):
        EV.chart("profit", value="much")
