"""What decisions are worth: decision, cost, Brier and profit curves, other prevalences, and the gains table."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cutline as cl
import cutline.inference.differences.difference_rows
from cutline.core.errors import InputError, NotProbabilitiesError, ParameterError
from cutline.inference.single.utility import KINDS


def cases(n=300, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.random(n) < 0.3
    return labels, np.round(1 / (1 + np.exp(-(rng.normal(size=n) + 1.5 * labels - 1))), 2)


# ---------------------------------------------------------------------- decision curves


def test_net_benefit_is_the_published_formula():
    labels, scores = cases()
    n = len(labels)

    found = cl.decision_curve(cl.rank(labels, scores), [0.1, 0.25, 0.6], resamples=0)

    for i, risk in enumerate((0.1, 0.25, 0.6)):
        flagged = scores >= risk
        tp, fp = (flagged & labels).sum(), (flagged & ~labels).sum()
        assert found["net_benefit"][i] == pytest.approx(tp / n - fp / n * risk / (1 - risk), abs=1e-15)
        everybody = labels.mean() - (1 - labels.mean()) * risk / (1 - risk)
        assert found["flag_everybody"][i] == pytest.approx(everybody, abs=1e-15)


def test_the_other_kinds_follow_from_net_benefit():
    r = cl.rank(*cases())
    net = cl.decision_curve(r, [0.2], resamples=0)

    standardised = cl.decision_curve(r, [0.2], kind="standardised", resamples=0)
    avoided = cl.decision_curve(r, [0.2], kind="interventions_avoided", resamples=0)

    prevalence = float(r.positives / r.total)
    assert standardised["standardised"] == pytest.approx(net["net_benefit"] / prevalence)
    assert avoided["interventions_avoided"] == pytest.approx((net["net_benefit"] - net["flag_everybody"]) / 0.25)


def test_cases_and_controls_drawn_apart_get_the_prevalence_of_the_population():
    labels, scores = cases()
    few = cl.rank(labels, scores, np.where(labels, 1, 9))  # nine times the negatives: a population of lower prevalence

    found = cl.decision_curve(
        cl.rank(labels, scores), [0.1, 0.3], prevalence=float(few.positives / few.total), resamples=0
    )

    assert found["net_benefit"] == pytest.approx(cl.decision_curve(few, [0.1, 0.3], resamples=0)["net_benefit"])


def test_the_band_holds_the_curve_and_groups_are_counted_whole():
    labels, scores = cases()
    ev = cl.evaluate(labels, scores, groups=np.arange(300) // 5)

    found = cl.decision_curve(ev, [0.1, 0.3], resamples=100)

    assert (found["low"] <= found["net_benefit"]).all()
    assert (found["net_benefit"] <= found["high"]).all()
    assert "60 groups were counted whole." in found.notes


@pytest.mark.parametrize(
    ("kind", "measure"), [("net_benefit", "net_benefit"), ("standardised", "standardised_net_benefit")]
)
@pytest.mark.parametrize("more", [{}, {"groups": np.arange(300) // 5}, {"weights": 0.5 + np.arange(300) % 7}])
def test_the_band_is_the_interval_of_the_measure(kind, measure, more):
    ev = cl.evaluate(*cases(), **more)

    found = cl.decision_curve(ev, [0.1, 0.3], kind=kind, level=0.9, resamples=300, seed=2)

    for i, risk in enumerate((0.1, 0.3)):
        alone = ev.estimate(measure, 0.9, threshold=risk, resamples=300, seed=2)
        assert (found[kind][i], found["low"][i], found["high"][i]) == (alone.value, alone.low, alone.high)


def test_at_another_prevalence_the_band_is_that_of_the_measures_there():
    ev = cl.evaluate(*cases(), threshold=0.3)

    one = ev.at_prevalence(0.05)["net_benefit"]
    curves = {kind: cl.decision_curve(ev, 0.3, kind=kind, prevalence=0.05) for kind in KINDS}

    low, high = (curves["net_benefit"][side][0] for side in ("low", "high"))
    assert (low, high) == (one.low, one.high)
    assert curves["standardised"]["low"][0] == pytest.approx(low / 0.05)
    everybody = curves["net_benefit"]["flag_everybody"][0]
    assert curves["interventions_avoided"]["high"][0] == pytest.approx((high - everybody) * 0.7 / 0.3)


def test_a_risk_is_read_in_the_type_of_the_scores():
    ev = cl.evaluate([1, 1, 0, 0, 1, 0], np.array([0.9, 0.7, 0.7, 0.3, 0.3, 0.1], np.float32))

    for kind in KINDS:
        plain, banded = (cl.decision_curve(ev, [0.7], kind=kind, resamples=times)[kind][0] for times in (0, 100))
        assert plain == pytest.approx(banded)
    assert cl.decision_curve(ev, [0.7], resamples=0)["net_benefit"][0] == pytest.approx(2 / 6 - 1 / 6 * 0.7 / 0.3)


def test_no_net_benefit_is_above_the_prevalence():
    perfect = cl.evaluate([1, 1, 1, 0, 0, 0], [0.9, 0.9, 0.8, 0.2, 0.1, 0.1])

    assert perfect.at_prevalence(0.05)["net_benefit"].high == 0.05


def test_two_models_are_compared_at_another_prevalence():
    labels, scores = cases()
    cmp = cl.compare(labels, {"a": scores, "b": np.clip(np.round(scores * 0.5 + 0.2, 2), 0, 1)})

    found = cl.decision_difference(cmp, "a", "b", [0.2, 0.4], prevalence=0.05, resamples=100)

    single = [
        cl.decision_curve(cmp[name], [0.2, 0.4], prevalence=0.05, resamples=0)["net_benefit"] for name in ("a", "b")
    ]
    assert found["difference"] == pytest.approx(single[0] - single[1])
    assert ((found["low"] <= found["difference"]) & (found["difference"] <= found["high"])).all()


def test_two_models_are_compared_at_each_risk():
    labels, scores = cases()
    worse = np.clip(np.round(scores * 0.5 + 0.5 * np.random.default_rng(1).random(300), 2), 0, 1)
    cmp = cl.compare(labels, {"a": scores, "b": worse})

    found = cl.decision_difference(cmp, "a", "b", [0.2, 0.4], resamples=100)

    single = [cl.decision_curve(cmp[name], [0.2, 0.4], resamples=0)["net_benefit"] for name in ("a", "b")]
    assert found["difference"] == pytest.approx(single[0] - single[1])
    assert ((found["low"] <= found["difference"]) & (found["difference"] <= found["high"])).all()
    assert ((found["p_value"] > 0) & (found["p_value"] <= 1)).all()


def test_all_risks_share_the_resamples_that_one_risk_alone_would_have(monkeypatch):
    labels, scores = cases()
    cmp = cl.compare(labels, {"a": scores, "b": np.round(scores * 0.5 + 0.2, 2)})
    asked = []
    draw = cl.inference.differences.difference_rows.bootstrap
    monkeypatch.setattr(
        cl.inference.differences.difference_rows, "bootstrap", lambda *given: asked.append(given) or draw(*given)
    )

    elsewhere = cl.decision_difference(cmp, "b", "a", [0.2, 0.3, 0.4], prevalence=0.05, resamples=100)

    assert [len(questions) for _, questions, *_ in asked] == [3]
    alone = cl.decision_difference(cmp, "b", "a", [0.3], prevalence=0.05, resamples=100)
    for column in ("low", "high", "p_value"):
        assert elsewhere[column][1] == alone[column][0]

    asked.clear()
    found = cl.decision_difference(cmp, "b", "a", [0.2, 0.3, 0.4], resamples=100)

    assert not asked  # the net benefit is a mean over the cases, whose influences need no resamples
    alone = cmp.difference("net_benefit", "b", "a", threshold=0.3, resamples=100)
    test = cmp.test("net_benefit", threshold=0.3, resamples=100)
    assert (found["low"][1], found["high"][1]) == (alone.low, alone.high)
    assert found["p_value"][1] == pytest.approx(test.p_value)


def test_scores_that_are_no_probabilities_have_no_decision_curve():
    with pytest.raises(NotProbabilitiesError):
        cl.decision_curve(cl.rank([1, 0], [3.0, 1.0]))
    with pytest.raises(ParameterError, match="between them"):
        cl.decision_curve(cl.rank([1, 0], [0.7, 0.2]), [0, 0.5])


# ---------------------------------------------------------------------- cost and Brier curves

rows = st.lists(st.tuples(st.booleans(), st.integers(0, 10)), min_size=2, max_size=40).filter(
    lambda found: len({label for label, _ in found}) == 2
)


@given(rows)
@settings(max_examples=50, deadline=None)
def test_the_area_under_the_brier_curve_is_the_brier_score(found):
    labels, scores = zip(*found, strict=True)
    r = cl.rank(labels, np.array(scores) / 10)

    assert cl.brier_curve(r).area == pytest.approx(cl.brier(r), abs=1e-12)


@given(rows)
@settings(max_examples=50, deadline=None)
def test_the_envelope_is_the_smallest_cost_of_any_cut(found):
    labels, scores = zip(*found, strict=True)
    r = cl.rank(labels, scores)

    curve = cl.cost_curve(r)

    x = np.linspace(0, 1, 21)
    cheapest = np.min((1 - r.tpr)[:, None] * x + r.fpr[:, None] * (1 - x), axis=0)
    assert np.interp(x, curve["probability_cost"], curve["cost"]) == pytest.approx(cheapest, abs=1e-12)
    assert (curve["cost"] <= np.minimum(curve["flag_nobody"], curve["flag_everybody"]) + 1e-12).all()


def test_the_cost_of_a_cut_is_its_line():
    labels, scores = cases()
    ev = cl.evaluate(labels, scores, threshold=0.4)

    curve = cl.cost_curve(ev)

    x = curve["probability_cost"]
    assert curve["at_threshold"] == pytest.approx(ev.fnr * x + ev.fpr * (1 - x))


def test_the_three_priors_of_the_h_measure_have_names():
    r = cl.rank(*cases())
    p = float(r.positives / r.total)

    for prior, a, b in (("prevalence", 1 + p, 2 - p), ("symmetric", 2, 2), ("severity", 2, 1 + (1 - p) / p)):
        assert cl.h_measure(r, prior=prior) == pytest.approx(cl.h_measure(r, a=a, b=b), rel=1e-12)
    assert cl.h_measure(r) == cl.h_measure(r, prior="prevalence")


# ---------------------------------------------------------------------- profit


def test_the_best_quota_has_the_largest_profit_and_an_interval():
    labels, scores = cases()
    r = cl.rank(labels, scores)

    found = cl.profit_curve(r, value=90, cost=30, resamples=200)

    profit = [90 * (labels & (scores >= t)).sum() - 30 * (scores >= t).sum() for t in r.score]
    assert found["profit"][1:].tolist() == profit
    assert found.best.value == (scores >= r.score[int(np.argmax(profit))]).sum()
    assert found.best.low <= found.best.value <= found.best.high


# ---------------------------------------------------------------------- another prevalence


def test_predictive_values_at_another_prevalence_are_bayes():
    ev = cl.evaluate(np.repeat([1, 0], 100), np.repeat([0.9, 0.1, 0.9, 0.1], [80, 20, 10, 90]))

    found = ev.at_prevalence(0.01)

    assert found["precision"].value == pytest.approx(0.01 * 0.8 / (0.01 * 0.8 + 0.99 * 0.1))
    assert found["npv"].value == pytest.approx(0.99 * 0.9 / (0.99 * 0.9 + 0.01 * 0.2))
    assert found["accuracy"].value == pytest.approx(0.01 * 0.8 + 0.99 * 0.9)
    assert found["net_benefit"].value == pytest.approx(0.01 * 0.8 - 0.99 * 0.1)
    # Mercaldo et al. (2007): the logit and its variance, by hand.
    logit = np.log(0.01 * 0.8 / (0.99 * 0.1))
    half = 1.959964 * np.sqrt(0.2 / 80 + 0.9 / 10)
    assert found["precision"].low == pytest.approx(1 / (1 + np.exp(-(logit - half))), rel=1e-6)
    assert found["precision"].high == pytest.approx(1 / (1 + np.exp(-(logit + half))), rel=1e-6)


def test_at_the_prevalence_of_the_data_the_values_are_those_of_the_data():
    ev = cl.evaluate(*cases(), threshold=0.4)

    found = ev.at_prevalence(ev.prevalence)

    for name in ("precision", "npv", "accuracy", "f1"):
        assert found[name].value == pytest.approx(ev.value(name))


def test_intervals_at_another_prevalence_have_their_nominal_coverage():
    rng, held, runs = np.random.default_rng(0), 0, 400
    truth = 0.05 * 0.7 / (0.05 * 0.7 + 0.95 * 0.2)
    for _ in range(runs):
        tp, fp = rng.binomial(80, 0.7), rng.binomial(120, 0.2)
        r = cl.Ranking.of_counts([0.9, 0.1], [tp, 80 - tp], [fp, 120 - fp])
        held += truth in cl.Evaluation(r).at_prevalence(0.05)["precision"]

    assert 0.91 < held / runs < 0.99


def test_groups_count_at_another_prevalence_too():
    labels, scores = cases()
    ev = cl.evaluate(labels, scores, groups=np.arange(300) // 5, threshold=0.4)

    found = ev.at_prevalence(0.1)

    alone = cl.evaluate(labels, scores, threshold=0.4).at_prevalence(0.1)
    assert found["precision"] != alone["precision"]
    assert found["precision"].value == alone["precision"].value
    assert found["precision"].low < found["precision"].value < found["precision"].high


# ---------------------------------------------------------------------- gains


def test_the_gains_table_counts_each_portion():
    labels = np.array([1, 1, 1, 0, 1, 0, 0, 0, 0, 0])
    ev = cl.evaluate(labels, np.arange(10, 0, -1.0))

    found = ev.gains(5)

    assert found["positives"].tolist() == [2, 1, 1, 0, 0]
    assert found["rate"].tolist() == [1, 0.5, 0.5, 0, 0]
    assert found["lift"].tolist() == [2.5, 1.25, 1.25, 0, 0]
    assert found["cumulated_gain"].tolist() == [0.5, 0.75, 1, 1, 1]
    assert found["first_score"].tolist() == [10, 8, 6, 4, 2]
    assert found["last_score"].tolist() == [9, 7, 5, 3, 1]
    assert (found.ks, found.ks_portion) == (pytest.approx(1 - 2 / 6), 3)
    assert found.to_csv().splitlines()[0].startswith("portion,first_score")
    assert len(found.to_frame()) == 5


def test_ties_across_a_portion_are_shared():
    ev = cl.evaluate([1, 0, 1, 0], [3.0, 2, 2, 1])

    found = ev.gains(2)

    assert found["positives"].tolist() == [1.5, 0.5]
    assert found["last_score"].tolist() == [2, 1]
    assert found["first_score"].tolist() == [3, 2]


@given(rows, st.integers(1, 7))
@settings(max_examples=50, deadline=None)
def test_portions_add_up(found, portions):
    labels, scores = zip(*found, strict=True)
    table = cl.evaluate(labels, scores).gains(portions)

    assert table["positives"].sum() == pytest.approx(sum(labels))
    assert table["cases"].sum() == pytest.approx(len(labels))
    assert table["cumulated_lift"][-1] == pytest.approx(1)
    assert table["ks"][-1] == pytest.approx(0, abs=1e-12)


def test_portions_may_end_at_any_shares_of_the_list():
    labels = np.array([1, 1, 0, 1] + 96 * [0])
    ev = cl.evaluate(labels, np.arange(100, 0, -1.0))

    found = ev.gains([0.01, 0.05, 0.1])

    assert found["cases"].tolist() == pytest.approx([1, 4, 5, 90])
    assert found["positives"].tolist() == [1, 2, 0, 0]
    assert found["cumulated_share"].tolist() == [0.01, 0.05, 0.1, 1]
    assert ev.gains(np.array([0.5, 1.0])).to_csv() == ev.gains(2).to_csv()


@pytest.mark.parametrize("shares", [[], [0.5, 0.1], [0.0, 0.5], [0.5, 1.2], [0.1, 0.1]])
def test_shares_that_do_not_rise_from_0_to_1_are_refused(shares):
    with pytest.raises(ParameterError, match=r"portions is .*pass rising shares of the list"):
        cl.evaluate([1, 0], [0.1, 0.2]).gains(shares)


def test_where_low_scores_mean_positive_a_portion_begins_with_its_lowest():
    found = cl.evaluate([1, 0, 1, 0], [1.0, 2, 3, 4], higher_is_positive=False, threshold=2).gains(2)

    assert (found["first_score"].tolist(), found["last_score"].tolist()) == ([1, 3], [2, 4])


def test_the_printed_gains_fit_a_terminal_and_explain_their_fractions():
    rng = np.random.default_rng(0)
    labels = rng.random(1234) < 0.3
    text = repr(cl.evaluate(labels, rng.random(1234) + labels).gains(10))

    assert max(map(len, text.splitlines())) <= 80
    assert " 123 " in text  # whole cases, which add up to 1234
    assert " 1234 " in text
    assert "123.4" not in text
    assert "Counts are rounded" in text
    assert "are rounded" not in repr(cl.evaluate([1, 0, 1, 0], [4.0, 3, 2, 1], threshold=2).gains(2))


def test_the_printed_distance_says_what_it_is():
    good = cl.evaluate([1, 1, 0, 1, 0, 0], [6.0, 5, 4, 3, 2, 1], threshold=3)
    bad = cl.evaluate([0, 0, 1, 1], [4.0, 3, 2, 1], threshold=2)

    said = repr(good.gains(2)).splitlines()[-2:]
    assert said == ["Largest distance at the end of a portion: 0.3333, after portion 1.", "KS over all cuts: 0.6667."]
    said = repr(bad.gains(4)).splitlines()[-2:]
    assert said[0] == "After no portion is a larger share of the positives found than of the negatives."
    assert said[1] == "KS over all cuts: 1.0000."


def test_one_class_has_no_gains():
    with pytest.raises(InputError, match="both classes"):
        cl.evaluate([1, 1], [0.1, 0.2]).gains()


# ---------------------------------------------------------------------- pictures


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_utility_curve_draws_itself(theme):
    r = cl.rank(*cases())
    for found in (
        cl.decision_curve(r, resamples=50),
        cl.decision_curve(r, kind="interventions_avoided", resamples=0),
        cl.cost_curve(r, threshold=0.4),
        cl.brier_curve(r),
        cl.profit_curve(r, value=3, cost=1, resamples=0),
    ):
        picture = found.chart(theme)

        assert picture.to_dict()["title"]["text"] == found.name
        assert picture.render(".png", scale=1).startswith(b"\x89PNG")
