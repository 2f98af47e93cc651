"""A quota in each period: against counting by hand, brute force over the orders of ties, and reference numbers."""

import importlib.util
import itertools
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import cutline as cl
from cutline.inference.survey import estimate_cluster_ratio, student_limits, wilson_limits

ROOT = Path(__file__).parents[1]


def flights():
    """Twenty flights of sixty passengers: a reference that was computed elsewhere."""
    rng = np.random.default_rng(2026)
    group = np.array(list("ABCD"))[rng.integers(0, 4, 1200)]
    y = (rng.random(1200) < 0.3).astype(int)
    s = np.round(rng.normal(size=1200) + y * np.where(group == "D", 0.5, 1.2), 3)
    return y, s, np.repeat(np.arange(20), 60)


Y, S, FLIGHT = flights()
FOUND = cl.evaluate(Y, S, quota=5, quota_by=FLIGHT)


@pytest.mark.parametrize(
    ("measure", "value", "low", "high", "se"),
    [
        ("hit_rate", 0.610000, 0.521591, 0.698409, 0.042240),
        ("qrecall", 0.172316, 0.150148, 0.194484, 0.010591),
    ],
)
def test_the_reference_numbers(measure, value, low, high, se):
    found = FOUND.estimate(measure)
    row = next(row for row in FOUND.summary() if row["measure"] == measure)

    assert [round(x, 6) for x in (found.value, found.low, found.high, row["se"])] == [value, low, high, se]
    assert found.method == "ratio_student"
    assert round(cl.evaluate(Y, S).value("hit_rate", quota=100), 6) == 0.65  # the policy is not the top of all lists


def hits_by_brute_force(labels, scores, quota):
    """The mean number of positives among the first places, over all orders of the cases that keep the scores sorted."""
    found = [
        sum(labels[i] for i in order[:quota])
        for order in itertools.permutations(range(len(labels)))
        if all(scores[a] >= scores[b] for a, b in itertools.pairwise(order))
    ]
    return sum(found) / len(found)


@pytest.mark.parametrize("quota", [1, 2, 3, 5, 9])
def test_ties_are_the_mean_over_all_orders_and_short_periods_fill_what_they_have(quota):
    rng = np.random.default_rng(3)
    lists = {
        name: (rng.integers(0, 2, n).tolist(), rng.integers(0, 3, n).tolist())
        for name, n in (("mon", 6), ("tue", 4), ("wed", 2), ("thu", 6))
    }
    labels = [y for own in lists.values() for y in own[0]]
    scores = [s for own in lists.values() for s in own[1]]
    period = [name for name, own in lists.items() for _ in own[0]]
    found = cl.evaluate(labels, scores, quota=quota, quota_by=period, positive=1)

    names = sorted(lists)
    hits = [hits_by_brute_force(*lists[name], min(quota, len(lists[name][0]))) for name in names]
    places = [min(quota, len(lists[name][0])) for name in names]
    positives = [sum(lists[name][0]) for name in names]
    assert list(found) == names
    assert found.hits.tolist() == pytest.approx(hits)
    assert found.places.tolist() == places
    assert found.value("hit_rate") == pytest.approx(sum(hits) / sum(places))
    assert found.value("qrecall") == pytest.approx(sum(hits) / sum(positives))
    assert found.value("mean_hit_rate") == pytest.approx(np.mean(np.array(hits) / places))
    own = [h / p for h, p in zip(hits, positives, strict=True) if p]
    assert found.value("mean_qrecall") == pytest.approx(np.mean(own))
    assert found.optimum("hit_rate") == pytest.approx(np.minimum(places, positives).sum() / sum(places))
    sizes = [len(lists[name][0]) for name in names]
    by_chance = sum(q * p / n for q, p, n in zip(places, positives, sizes, strict=True))
    assert found.baseline("qrecall") == pytest.approx(by_chance / sum(positives))


def test_each_period_is_an_evaluation_of_its_own_list():
    for flight in (0, 7, 19):
        own = cl.evaluate(Y[flight == FLIGHT], S[flight == FLIGHT], quota=5)
        assert FOUND[flight].ranking == own.ranking
        row = FOUND.table.to_dict()[flight]
        assert row["hit_rate"] == pytest.approx(own.value("hit_rate", quota=5))
        assert row["qrecall"] == pytest.approx(own.value("qrecall", quota=5))
        assert row["pem"] == pytest.approx(own.pem)
    assert FOUND.value("mean_pem") == pytest.approx(np.mean([FOUND[flight].pem for flight in FOUND]))


def test_one_period_is_the_plain_quota_and_has_no_interval():
    found = cl.evaluate(Y, S, quota=100, quota_by=np.zeros(1200, dtype=int))

    assert found.value("hit_rate") == cl.evaluate(Y, S).value("hit_rate", quota=100)
    assert not found.estimate("hit_rate").has_interval
    assert "only one period" in found.estimate("hit_rate").notes[0]


@pytest.mark.parametrize("measure", ["hit_rate", "qrecall"])
def test_the_curve_is_the_estimate_at_every_quota(measure):
    rng = np.random.default_rng(1)
    period = rng.integers(0, 7, 90)  # of several lengths
    labels, scores = rng.integers(0, 2, 90), rng.integers(0, 9, 90)
    whole = cl.evaluate(labels, scores, quota=3, quota_by=period)
    rows = whole.curve(measure).to_dict()

    assert [row["quota"] for row in rows] == list(range(1, int(whole.cases.max()) + 1))
    for row in rows:
        one = cl.evaluate(labels, scores, quota=row["quota"], quota_by=period)
        found = one.estimate(measure, method="student")
        expected = (found.value, found.low, found.high, one.baseline(measure), one.optimum(measure))
        names = (measure, "low", "high", "random_order", "optimum")
        assert [row[name] for name in names] == pytest.approx(list(expected), abs=1e-9)


def test_weights_are_repeated_rows_and_the_order_of_rows_changes_nothing():
    rng = np.random.default_rng(5)
    times = rng.integers(0, 4, 1200)
    weighted = cl.evaluate(Y, S, times, quota=5, quota_by=FLIGHT)
    repeated = cl.evaluate(*(np.repeat(column, times) for column in (Y, S)), quota=5, quota_by=np.repeat(FLIGHT, times))
    order = rng.permutation(1200)
    shuffled = cl.evaluate(Y[order], S[order], quota=5, quota_by=FLIGHT[order])

    assert weighted.summary().to_dict() == repeated.summary().to_dict()
    assert shuffled.summary().to_dict() == FOUND.summary().to_dict()
    turned = cl.evaluate(Y, -S, quota=5, quota_by=FLIGHT, higher_is_positive=False)
    assert turned.summary().to_dict() == FOUND.summary().to_dict()


def test_columns_of_a_frame_and_of_a_file(tmp_path):
    frame = pd.DataFrame({"y": Y, "s": S, "flight": [f"LH{n:02d}" for n in FLIGHT]})
    frame.to_csv(tmp_path / "f.csv", index=False)
    for data in (frame, tmp_path / "f.csv"):
        found = cl.evaluate("y", "s", data=data, quota=5, quota_by="flight", name="gate")
        assert found.estimate("hit_rate") == FOUND.estimate("hit_rate")
        assert found.by == "flight"
        assert list(found)[:2] == ["LH00", "LH01"]
        document = json.loads(json.dumps(found.summary().document()))
        assert document["schema"] == "cutline/quota-periods/1"
        assert len(document["periods"]) == 20
        assert document["name"] == "gate"


def test_a_quota_by_period_and_a_share_of_each():
    quotas = {flight: 3 + flight % 2 for flight in range(20)}
    found = cl.evaluate(Y, S, quota=quotas, quota_by=FLIGHT)
    assert found.places.tolist() == [3, 4] * 10
    assert found.hits.sum() == sum(FOUND[f].value("hit_rate", quota=q) * q for f, q in quotas.items())
    shared = cl.evaluate(Y, S, share=0.1, quota_by=FLIGHT)
    assert shared.places.tolist() == [6] * 20


def test_periods_that_agree_have_wilsons_interval_with_a_case_for_each():
    labels, scores = [1, 1, 0] * 8, [3, 2, 1] * 8
    found = cl.evaluate(labels, scores, quota=2, quota_by=np.repeat(np.arange(8), 3)).estimate("hit_rate")
    t2 = 2.364624251010299**2  # Student's, 7 degrees of freedom
    assert found.value == 1
    assert found.high == 1
    assert found.low == pytest.approx(8 / (8 + t2))
    assert found.method == "ratio_wilson"


def test_few_hits_are_noted_and_wilson_needs_no_note():
    labels, scores = [1, 0, 0, 0] + [0, 1, 0, 0] * 9, [4, 3, 2, 1] * 10
    found = cl.evaluate(labels, scores, quota=1, quota_by=np.repeat(np.arange(10), 4))

    assert "only 1 hits or misses" in found.estimate("hit_rate").notes[0]
    assert not found.estimate("hit_rate", method="wilson").notes
    assert found.estimate("hit_rate", method="wilson").low > 0


def test_limits_work_over_leading_axes():
    rng = np.random.default_rng(0)
    above, below = rng.integers(0, 5, (6, 9)), rng.integers(5, 9, (6, 9))
    for limits in (student_limits, wilson_limits):
        stacked = limits(estimate_cluster_ratio(above, below), 0.9)
        single = [limits(estimate_cluster_ratio(a, b), 0.9) for a, b in zip(above, below, strict=True)]
        assert np.allclose(np.array(stacked).T, np.array(single))


def test_wilsons_limits_solve_his_equation():
    ratio = estimate_cluster_ratio([3, 4, 2, 5, 1, 4], [6, 6, 5, 7, 4, 6])
    size = float(ratio.value * (1 - ratio.value) / ratio.se**2)
    t = 2.570581835636314  # Student's, 5 degrees of freedom
    for limit in wilson_limits(ratio, 0.95):
        assert abs(float(ratio.value) - limit) == pytest.approx(t * np.sqrt(limit * (1 - limit) / size))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"quota": 5, "quota_by": FLIGHT, "threshold": 0.5}, "threshold cannot be combined with quota_by"),
        ({"quota": 5, "quota_by": FLIGHT, "by": FLIGHT}, "by cannot be combined with quota_by"),
        ({"quota_by": FLIGHT}, "quota_by= needs the size of the quota: pass quota= or share="),
        ({"quota": 2.5, "quota_by": FLIGHT}, "quota is 2.5: pass a whole number of cases of at least 1"),
        ({"quota": {0: 3}, "quota_by": FLIGHT}, "quota has no quota for 1"),
        ({"quota": 5, "quota_by": FLIGHT[:9]}, "quota_by has 9 values but labels has 1200"),
        ({"quota": 5, "quota_by": FLIGHT, "weights": np.full(1200, 0.5)}, "weights are not whole numbers"),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(given, words):
    with pytest.raises(cl.CutlineError, match=words):
        cl.evaluate(Y, S, **given)


def test_slices_with_a_quota_have_no_evaluation_of_all_together():
    slices = cl.evaluate(Y, S, by=FLIGHT, quota=5)

    with pytest.raises(cl.ParameterError, match="quota_by"):
        slices.together  # noqa: B018
    assert cl.evaluate(Y, S, by=FLIGHT, threshold=1).together.ranking == cl.rank(Y, S)


def test_the_chart_shows_the_curve_and_the_quota():
    spec = FOUND.chart("qrecall").to_dict()
    texts = json.dumps(spec)

    assert "Quota per period" in texts
    assert "quota 5" in texts
    assert "perfect order" in texts


def test_intervals_between_periods_cover():
    spec = importlib.util.spec_from_file_location("bench_quota_periods", ROOT / "benchmarks" / "quota_periods.py")
    bench = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(bench)

    for periods, samples in ((8, 1000), (20, 400), (100, 100)):
        _, found = bench.coverage(bench.POPULATIONS[0], periods, samples, large=500)
        error = 4 * (0.95 * 0.05 / samples) ** 0.5
        assert all(0.94 - error < share < 0.96 + error for share in found.values()), (periods, found)


def test_the_page_and_the_files_hold_the_numbers(tmp_path):
    periods = cl.evaluate([1, 0, 0, 1, 1, 0] * 5, [3, 2, 1, 3, 1, 2] * 5, quota=1, quota_by=list("aaabbb") * 5)
    page = periods.save(tmp_path / "periods.html").read_text()

    assert "cases that the quotas flag, 100.0 % are positive" in page
    assert " positives, " in page
    assert json.loads(periods.save(tmp_path / "p.json").read_text()) == periods.summary().document()
    assert periods.save(tmp_path / "p.csv").read_text() == periods.summary().to_csv()
    with pytest.raises(cl.CutlineError, match="no suffix"):
        periods.save(tmp_path / "periods")


def test_two_models_are_compared_by_the_difference_of_each_period():
    """By hand: the differences of the periods are the observations of a paired t test, as all places are equal."""
    rng = np.random.default_rng(12)
    labels, days = (rng.random(600) < 0.2).astype(int), np.repeat(np.arange(12), 50)
    scores = {name: noise * rng.normal(size=600) + labels for name, noise in (("good", 0.5), ("poor", 2.0))}
    made = {name: cl.evaluate(labels, own, quota=8, quota_by=days) for name, own in scores.items()}
    compared = cl.compare_periods(made)
    row = compared.rows[0]
    apart = (made["good"].hits - made["poor"].hits) / 8
    expected = stats.ttest_1samp(apart, 0)
    limits = expected.confidence_interval(0.95)

    assert (row.measure, row.a, row.b) == ("hit_rate", "good", "poor")
    assert row.difference == pytest.approx(made["good"].value("hit_rate") - made["poor"].value("hit_rate"))
    assert (row.low, row.high, row.p_value) == pytest.approx((limits.low, limits.high, expected.pvalue))
    assert compared.verdict[0].startswith("For quota 8 in each period, choose good: hit rate 0.")
    found = {name: round(own.hits.sum()) for name, own in made.items()}
    assert compared.verdict[1].endswith(f"the quotas hold: good {found['good']}, poor {found['poor']}.")
    json.dumps(compared.document(), allow_nan=False)


def test_models_of_different_cases_and_equal_models_are_reported():
    labels, days = [1, 0, 0, 1, 1, 0] * 4, [day for day in "abcdefgh" for _ in range(3)]
    one = cl.evaluate(labels, [3, 2, 1] * 8, quota=1, quota_by=days)
    same = cl.compare_periods({"a": one, "b": one})
    assert [row.p_value for row in same.rows] == [1.0, 1.0]
    assert "a and b cannot be told apart" in same.verdict[0]
    other = cl.evaluate(labels, [3, 2, 1] * 8, quota=2, quota_by=days)
    with pytest.raises(cl.InputError, match="The periods, cases or quotas of 'a' and 'b' differ"):
        cl.compare_periods({"a": one, "b": other})
    with pytest.raises(cl.InputError, match="holds 1 model: pass at least two"):
        cl.compare_periods({"a": one})
    with pytest.raises(cl.InputError, match="models is"):
        cl.compare_periods([one, other])
