"""Slices: one cut for all, who is served worse, gaps, fairness, pooling, reports; and what has no answer."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.stats import binom

import cutline as cl
from cutline.core.errors import CutlineError, InputError, ParameterError
from cutline.core.merging import merge
from cutline.cuts.gates import check_slices
from cutline.inference import simultaneous
from cutline.inference.single.proportions import mid_p
from cutline.inference.slice_auc import compute_group_covariance
from cutline.slices.differences import SliceMeasure


def four_sites():
    """Four sites of which D ranks worse; drawn in this order."""
    r = np.random.default_rng(2026)
    n = 1200
    site = np.array(list("ABCD"))[r.integers(0, 4, n)]
    label = (r.random(n) < 0.3).astype(int)
    score = np.round(r.normal(size=n) + label * np.where(site == "D", 0.5, 1.2), 3)
    sex = np.where(r.random(n) < 0.5, "f", "m")
    day = np.datetime64("2026-01-01") + r.integers(0, 100, n)
    return pd.DataFrame(
        {"label": label, "score": score, "site": site, "sex": sex, "age": r.integers(18, 90, n), "day": day}
    )


@pytest.fixture(scope="module")
def frame():
    return four_sites()


@pytest.fixture(scope="module")
def sites(frame):
    return cl.evaluate("label", "score", data=frame, by="site")


# ---------------------------------------------------------------------- one cut, one kind of score


def test_all_slices_have_the_cut_of_all_cases(frame, sites):
    """Scores that are no probabilities have a default cut that depends on the cases: it must be that of all."""
    together = cl.evaluate("label", "score", data=frame)

    assert {ev.threshold for ev in sites.values()} == {together.threshold}
    assert sites.overall.ranking == together.ranking
    counts = [ev.counts for ev in sites.values()]
    assert sum(c.tp for c in counts) == together.counts.tp


def test_a_slice_of_scores_between_0_and_1_is_no_slice_of_probabilities():
    """A biomarker: the males' values happen to lie between 0 and 1, the females' do not."""
    slices = cl.evaluate([1, 0, 1, 0], [0.9, 0.2, 7.0, 3.0], by=["m", "m", "f", "f"])

    assert not any(ev.ranking.are_probabilities for ev in slices.values())
    assert np.isnan(slices["m"].summary("brier_score").rows[0].value)
    assert cl.evaluate([1, 0], [0.9, 0.2]).ranking.are_probabilities


def test_each_slice_may_have_its_own_threshold(frame):
    own = cl.evaluate("label", "score", data=frame, by="sex", threshold={"f": 0.2, "m": 0.8})

    assert [own[key].threshold for key in "fm"] == [0.2, 0.8]
    assert "Each slice has its own threshold." in [str(note) for note in own.notes]
    assert own.against_rest("recall").rows[0].value == own["f"].recall
    with pytest.raises(InputError, match="different thresholds"):
        own.against_rest("mcc")
    with pytest.raises(ParameterError, match="no value for the slice 'm'"):
        cl.evaluate("label", "score", data=frame, by="sex", threshold={"f": 0.2})


# ---------------------------------------------------------------------- what makes slices


def test_crossed_slices_have_tuples_as_keys(frame):
    crossed = cl.evaluate("label", "score", data=frame, by=["sex", "site"])

    assert list(crossed) == [(sex, site) for sex in "fm" for site in "ABCD"]
    mine = (frame.sex == "f") & (frame.site == "C")
    assert crossed["f", "C"].auc == cl.auc(frame.label[mine], frame.score[mine])
    assert crossed.title(("f", "C")) == "sex f, site C"


def test_a_value_that_begins_with_the_name_of_its_column_is_named_once():
    slices = cl.evaluate([1, 0, 1, 0], [4, 3, 2, 1], by={"site": ["Site 07", "Site 07", "9", "9"]})
    assert [slices.title(key) for key in slices] == ["site 9", "Site 07"]


def test_ranges_months_and_shares_of_cases(frame):
    ages = cl.evaluate("label", "score", data=frame, by={"age": [0, 40, 65, 120]})
    assert list(ages) == ["[0, 40)", "[40, 65)", "[65, 120]"]
    assert ages["[40, 65)"].ranking.total == ((frame.age >= 40) & (frame.age < 65)).sum()
    assert list(cl.evaluate("label", "score", data=frame, by="day")) == ["2026-01", "2026-02", "2026-03", "2026-04"]
    assert list(cl.evaluate("label", "score", data=frame, by={"day": "year"})) == ["2026"]
    as_text = frame.assign(day=frame.day.astype(str))
    assert list(cl.evaluate("label", "score", data=as_text, by="day")) == ["2026-01", "2026-02", "2026-03", "2026-04"]
    codes = frame.assign(day=[f"2026-13-{i % 40:02d}" for i in range(len(frame))])  # no dates
    assert len(cl.evaluate("label", "score", data=codes, by="day")) == 40
    assert len(cl.evaluate("label", "score", data=frame, by={"age": 4})) == 4


@pytest.mark.parametrize(
    ("by", "said"),
    [
        ({"age": [0, 40]}, "outside 0 to 40"),
        ({"age": [40, 0]}, "has the rule"),
        ({"site": [0, 1]}, "does not hold numbers"),
        ({"site": "month"}, "does not hold dates"),
        ({"day": "week"}, "'day', 'month' or 'year'"),
        (["site", "site"], "names a column twice"),
        (7, "pass the name of a column"),
        ("where", "has no column 'where'"),
    ],
)
def test_what_makes_no_slices_is_refused(frame, by, said):
    with pytest.raises(CutlineError, match=said):
        cl.evaluate("label", "score", data=frame, by=by)


# ---------------------------------------------------------------------- numbers of a worked example


def test_reference_of_four_sites(sites):
    rows = sites.against_rest("auc", adjust="holm").rows

    assert [round(row.value, 6) for row in rows] == [0.745758, 0.821107, 0.722775, 0.639167]
    assert [round(row.difference, 6) for row in rows] == [0.016852, 0.120075, -0.013164, -0.123654]
    assert [float(f"{row.p_value:.5g}") for row in rows] == pytest.approx(
        [0.64856, 0.000421, 0.71814, 0.000868], rel=2e-3
    )
    assert [round(row.p_adjusted, 6) for row in rows] == [1, 0.001684, 1, 0.002604]
    gap = sites.gap("auc")
    assert (round(gap.value, 6), round(gap.low, 4), round(gap.high, 4)) == (0.18194, 0.0719, 0.292)
    pooled = sites.pooled("auc")
    assert [round(row["pooled"], 6) for row in pooled] == [0.744135, 0.807721, 0.725112, 0.655161]
    assert (round(pooled.equality.statistic, 4), round(pooled.mean, 6)) == (18.0101, 0.736655)


def test_equal_aucs_of_small_slices_may_be_equal():
    """The normal quantile alone excludes a gap of 0 in about a quarter of such samples, or reaches beyond 1."""
    r, excluded, highest = np.random.default_rng(7), 0, 0.0
    for _ in range(60):
        site = np.repeat(np.arange(20), r.integers(20, 200, 20))
        label = r.random(len(site)) < 0.3
        gap = cl.evaluate(label, r.normal(size=len(site)) + label, by=site).gap("auc")
        excluded, highest = excluded + (gap.low > 0), max(highest, gap.high)

    assert excluded <= 6
    assert highest <= 1


def test_fairness_reference(sites):
    found = sites.fairness(cut=0.6)

    assert round(found["Equalised odds difference"].value, 6) == 0.110925
    assert round(found["Demographic parity difference"].value, 6) == 0.054703
    assert round(found["Demographic parity ratio"].value, 6) == 0.866231
    assert found["AUC gap"].value == sites.gap("auc").value
    assert "not probabilities" in found.missing["Calibration gap (observed over expected)"]
    recall = {key: ev.value("recall") for key, ev in sites.with_threshold(0.6).items()}
    assert found.ends["Equal opportunity difference"] == (max(recall, key=recall.get), min(recall, key=recall.get))
    assert found.ends["AUC gap"] == ("B", "D")
    assert found.ends.keys() == found.estimates.keys()


def test_fairness_agrees_with_fairlearn(frame, sites):
    metrics = pytest.importorskip("fairlearn.metrics")
    flagged = (frame.score >= 0.6).astype(int)
    found = sites.fairness(cut=0.6)
    of = {"y_true": frame.label, "y_pred": flagged, "sensitive_features": frame.site}

    assert found["Demographic parity difference"].value == pytest.approx(metrics.demographic_parity_difference(**of))
    assert found["Demographic parity ratio"].value == pytest.approx(metrics.demographic_parity_ratio(**of))
    assert found["Equalised odds difference"].value == pytest.approx(metrics.equalized_odds_difference(**of))
    assert found["Equal opportunity difference"].value == pytest.approx(metrics.equal_opportunity_difference(**of))


def test_simultaneous_intervals_are_sidaks(sites):
    table = sites.summary("recall", simultaneous=True)
    rows = {row["site"]: row for row in table}

    assert list(rows) == ["(all cases)", "A", "B", "C", "D"]
    counts = sites["D"].counts
    k, n, tail = int(counts.tp), int(counts.positives), (1 - 0.95**0.25) / 2
    beyond = [binom.sf(k, n, rows["D"]["low"]), binom.cdf(k - 1, n, rows["D"]["high"])]
    here = [binom.pmf(k, n, rows["D"][side]) for side in ("low", "high")]
    assert np.add(beyond, np.multiply(0.5, here)) == pytest.approx(tail)
    assert rows["D"]["method"] == "mid_p"
    assert rows["(all cases)"]["low"] == sites.overall.estimate("recall").low
    assert "hold for all 4 slices together" in table.below[0]


def test_simultaneous_aucs_have_the_normal_quantile_unless_few_cases_decide(sites):
    rows = {row["site"]: row for row in sites.summary("auc", simultaneous=True)}

    assert [round(rows[key]["low"], 6) for key in "ABCD"] == [0.658941, 0.751725, 0.636542, 0.547968]
    assert [round(rows[key]["high"], 6) for key in "ABCD"] == [0.816626, 0.874341, 0.795133, 0.721323]
    few = cl.evaluate([1, 1, 0, 0] * 3, [0.9, 0.4, 0.5, 0.1] * 3, by=["a"] * 4 + ["b"] * 8)
    assert {row["method"] for row in few.summary("auc", simultaneous=True)} == {"newcombe_delong"}


@pytest.mark.parametrize("share", [0.05, 0.5, 0.84])
@pytest.mark.parametrize("slices", [5, 30, 200])
def test_simultaneous_shares_hold_together(slices, share):
    """The probability that all hold, as a sum of binomial probabilities: Wilson's limits reach 66 % at 200 slices."""
    sizes = np.unique(np.geomspace(10, 250, 12).astype(int))
    k = [np.arange(n + 1) for n in sizes]
    limits = [mid_p(cases, n, simultaneous.sidak_level(0.95, slices)) for cases, n in zip(k, sizes, strict=True)]
    held = [
        binom.pmf(cases, n, share)[(low <= share) & (share <= high)].sum()
        for cases, n, (low, high) in zip(k, sizes, limits, strict=True)
    ]

    assert 0.945 <= np.prod(held) ** (slices / len(sizes)) <= 0.99


def test_the_rest_of_a_share_is_all_less_the_slice(sites):
    row = sites.against_rest("precision").rows[3]
    all_cases, own = sites.overall.counts, sites["D"].counts

    assert row.rest == pytest.approx((all_cases.tp - own.tp) / (all_cases.flagged - own.flagged))
    from scipy.stats import fisher_exact

    table = [[own.tp, own.fp], [all_cases.tp - own.tp, all_cases.fp - own.fp]]
    less = sites.against_rest("precision", alternative="worse").rows[3].p_value
    assert less == pytest.approx(fisher_exact(table, alternative="less").pvalue)


def test_other_measures_use_their_own_intervals(sites):
    row = sites.against_rest("mcc").rows[3]
    others = merge(sites[key].ranking for key in "ABC")

    assert row.difference == pytest.approx(row.value - row.rest)
    assert row.low < row.difference < row.high
    assert row.rest == pytest.approx(cl.Evaluation(others, threshold=sites["D"].threshold).mcc)


def test_lower_is_better_of_a_loss():
    r = np.random.default_rng(4)
    site, label = np.repeat(["a", "b", "c"], 300), r.random(900) < 0.4
    score = np.where(site == "c", r.random(900), np.clip(0.25 + 0.5 * label + r.normal(size=900) / 10, 0, 1))
    found = cl.evaluate(label, score, by=site).against_rest("brier_score")

    assert [row.verdict for row in found.rows] == ["better", "better", "worse"]
    assert found.verdict.startswith("Slice c does worse than the rest: Brier score")


def test_margins_and_sides(sites):
    worse = sites.against_rest("auc", alternative="worse", adjust="holm").rows[3]
    by_more = sites.against_rest("auc", alternative="worse", margin=0.1, adjust="holm").rows[3]

    assert worse.p_value == pytest.approx(0.000868 / 2, rel=1e-2)
    assert 0.2 < by_more.p_value < 0.4  # 0.124 worse is hardly more than 0.1
    with pytest.raises(ParameterError, match="margin"):
        sites.against_rest("auc", margin=0.1)
    with pytest.raises(ParameterError, match="has no better direction"):
        sites.against_rest("prevalence", alternative="worse")


def test_the_verdict_on_two_slices_is_a_single_comparison(frame):
    is_d = np.where(frame["site"] == "D", "D", "other")
    two = cl.evaluate(frame["label"], frame["score"], by=is_d)

    assert two.verdict(adjust="holm").count("against") == 1
    assert "ranks worse than the rest: AUC 0.639 against 0.763" in two.verdict(adjust="holm")
    assert "no other" not in two.verdict(adjust="holm")


@pytest.mark.parametrize(
    ("measure", "adjust"),
    [("recall", "auto"), ("recall", "bh"), ("f1", "auto"), ("auc", "auto"), ("auc", "holm")],
)
def test_two_slices_have_nothing_to_adjust(frame, measure, adjust):
    is_d = np.where(frame["site"] == "D", "D", "other")
    made = cl.evaluate(frame["label"], frame["score"], by=is_d).against_rest(measure, adjust=adjust)
    d, other = made.rows

    assert d.p_adjusted == d.p_value == pytest.approx(other.p_adjusted)
    assert (d.low, d.high) == pytest.approx((-other.high, -other.low))
    assert "after" not in made.verdict
    assert "not adjusted: two slices are one comparison" in made.how


def test_two_slices_have_the_interval_of_one_comparison(frame):
    is_d = np.where(frame["site"] == "D", "D", "other")
    two = cl.evaluate(frame["label"], frame["score"], by=is_d)
    row, pair = two.against_rest("recall").rows[0], two.pairs("recall").rows[0]

    assert (row.low, row.high) == pytest.approx(pair[3:5])


def test_two_slices_of_which_either_may_be_worse_are_two_comparisons(frame):
    is_d = np.where(frame["site"] == "D", "D", "other")
    two = cl.evaluate(frame["label"], frame["score"], by=is_d)
    row = two.against_rest("recall", alternative="worse").rows[0]

    assert row.p_adjusted == pytest.approx(2 * row.p_value)


def test_a_slice_without_positives_is_no_comparison_of_recall(frame):
    is_d = np.where(frame["site"] == "D", "D", "other")
    label, score = [*frame["label"], 0, 0, 0], [*frame["score"], 0.1, 0.2, 0.3]
    three = cl.evaluate(label, score, by=[*is_d, "none", "none", "none"]).against_rest("recall")
    two = cl.evaluate(frame["label"], frame["score"], by=is_d).against_rest("recall")
    of_d = [next(row for row in made.rows if row.slice == "D") for made in (three, two)]

    assert of_d[0].p_adjusted == of_d[0].p_value
    assert (of_d[0].low, of_d[0].high) == pytest.approx((of_d[1].low, of_d[1].high))


def test_the_verdict_names_the_worst_first(sites):
    assert sites.verdict(adjust="holm") == (
        "Site D ranks worse than the rest: AUC 0.639 against 0.763, p = 0.0026 after Holm; "
        "site B ranks better than the rest: 0.821 against 0.701, p = 0.0017; no other slice differs. "
        "The rest of the better slice includes the worse one, which can make it look better."
    )
    assert "look better" not in sites.verdict(adjust="holm", alternative="worse")
    assert sites.verdict("recall").startswith("No slice differs from the rest in recall (smallest p = ")


def test_weights_and_directions_change_nothing_that_they_should_not(frame):
    twice = cl.evaluate(frame.label, frame.score, np.full(len(frame), 2), by=frame.site)
    turned = cl.evaluate(frame.label, -frame.score, by=frame.site, higher_is_positive=False)
    plain = cl.evaluate(frame.label, frame.score, by=frame.site)

    assert turned.gap("auc").low == pytest.approx(plain.gap("auc").low)
    assert [row.rest for row in turned.against_rest("auc", adjust="holm").rows] == pytest.approx(
        [row.rest for row in plain.against_rest("auc", adjust="holm").rows]
    )
    assert twice.gap("auc").value == pytest.approx(plain.gap("auc").value)
    assert twice.gap("auc").low > plain.gap("auc").low
    uneven = cl.evaluate(frame.label, frame.score, np.linspace(0.5, 1.5, len(frame)), by=frame.site)
    assert uneven.against_rest("auc").adjust == "holm"
    assert uneven.gap("recall").method == "mover_pairs"


# ---------------------------------------------------------------------- edge cases, one sentence each


def test_one_slice_has_no_rest(frame):
    with pytest.raises(InputError, match="by makes one slice, all x, and there is no rest"):
        cl.evaluate("label", "score", data=frame.assign(all="x"), by="all").against_rest()


def test_a_slice_with_one_class_is_counted_and_left_out():
    slices = cl.evaluate([1, 1, 1, 0, 1, 0, 1, 0] * 3, [0.9, 0.8, 0.7, 0.2] * 6, by=["a", "a", "b", "b"] * 6)
    only = cl.evaluate([1, 1, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.2, 0.6, 0.7], by=["a", "a", "b", "b", "c", "c"])

    assert len(slices) == 2
    assert any("slice a has only one class, so that the auc is undefined" in str(note).lower() for note in only.notes)
    row = only.against_rest().rows[0]
    assert np.isnan(row.value)
    assert row.verdict.startswith("undefined: ")
    assert "1 slice without a value was left out" in " ".join(only.gap("auc").notes)


def test_a_note_spells_the_column_as_the_data_do():
    frame = pd.DataFrame({"y": [0, 1, 0, 1], "p": [0.1, 0.9, 0.4, 0.6]})
    notes = " ".join(map(str, cl.evaluate("y", "p", data=frame, by="y").notes))

    assert "Slices y 0 and y 1 have only one class" in notes


def test_small_slices_are_shown_and_not_tested():
    r = np.random.default_rng(0)
    by = ["big"] * 200 + ["also"] * 200 + ["tiny"] * 6
    slices = cl.evaluate(r.random(406) < 0.5, r.random(406), by=by)
    found = {row.slice: row for row in slices.against_rest(permutations=19).rows}

    assert found["tiny"].verdict == "not tested: too few cases"
    assert not np.isnan(found["tiny"].value)
    assert "tiny has fewer than 5 cases of a class: shown, but not tested." in " ".join(map(str, slices.notes))


def test_missing_values_of_by(frame):
    holes = frame.assign(site=frame.site.where(frame.index > 2))
    with pytest.raises(InputError, match="3 missing values"):
        cl.evaluate("label", "score", data=holes, by="site")
    dropped = cl.evaluate("label", "score", data=holes, by="site", missing="drop")
    assert "3 rows without site left out." in [str(note) for note in dropped.notes]
    assert dropped.overall.ranking.total == len(frame) - 3


def test_too_many_slices():
    with pytest.raises(InputError, match=r"makes 1,001 slices, more than 1,000"):
        cl.evaluate([1, 0] * 1001, np.arange(2002.0), by=np.repeat(np.arange(1001), 2))


def test_a_gap_of_few_cases_says_so():
    slices = cl.evaluate([1, 0] * 20, np.linspace(0, 1, 40), by=["a"] * 20 + ["b"] * 20)
    notes = " ".join(slices.gap("recall").notes)

    assert "fewer than 20 cases: the interval is approximate" in notes
    assert "prevalence 50.0 %" in notes


# ---------------------------------------------------------------------- gates


def test_every_slice_must_pass_by_itself(sites):
    (passed,) = check_slices(sites, ["auc.low >= 0.5"])
    (failed,) = check_slices(sites, ["auc.low >= 0.6"])

    assert passed.passed
    assert not failed.passed
    assert failed.low == pytest.approx(sites["D"].estimate("auc", level=0.9).low, rel=1e-12)  # one-sided at 95 %
    assert "1 of 4 slices fail: site D" in failed.reason
    assert "290 cases: too few, about 680 would do" in failed.reason
    hopeless = check_slices(sites, ["auc.low >= 0.7"])[0].reason
    assert "site D 0.5793 (290 cases)" in hopeless


def test_a_gate_names_the_worst_slices_first():
    r = np.random.default_rng(3)
    site = np.repeat(np.arange(8), 100)
    label = np.tile([True, False], 400)
    score = r.normal(size=800) + label * np.where(site == 7, 0.0, 1.5)
    reason = check_slices(cl.evaluate(label, score, by=site), ["auc.low >= 0.95"])[0].reason

    assert reason.startswith("8 of 8 slices fail: slice 7 ")
    assert reason.endswith(" and 3 more")


def test_gates_on_the_gap(sites):
    (gap,) = check_slices(sites, ["gap(recall).high <= 0.1"])
    assert (gap.passed, gap.high) == (False, sites.gap("recall").high)
    assert check_slices(sites, ["gap(recall) <= 0.2"])[0].passed


@pytest.mark.parametrize("name", ["equalised_odds", "equalized_odds", "gap(equalised_odds)", "gap( equalized_odds )"])
def test_gates_on_equalised_odds(sites, name):
    odds = sites.fairness()["Equalised odds difference"]
    (gate,) = check_slices(sites, [f"{name}.high <= {odds.high - 0.001}"])

    assert (gate.passed, gate.value, gate.low, gate.high) == (False, odds.value, odds.low, odds.high)
    assert f"high is {odds.high:.4f}. In recall: highest: site" in gate.reason
    assert check_slices(sites, [f"{name} <= {odds.value + 0.001}"])[0].passed


def test_gates_on_equalised_odds_at_another_threshold(sites):
    (gate,) = check_slices(sites, ["equalised_odds@threshold=0.6 <= 1"])

    assert gate.value == sites.fairness(cut=0.6)["Equalised odds difference"].value
    with pytest.raises(ParameterError, match="takes a threshold, but no quota"):
        check_slices(sites, ["equalised_odds@quota=10 <= 1"])


# ---------------------------------------------------------------------- views agree


def test_files_show_the_same_numbers(sites, tmp_path):
    sites.save(tmp_path / "s.json", adjust="holm")
    sites.save(tmp_path / "s.html", adjust="holm")
    document = json.loads((tmp_path / "s.json").read_text())
    page = (tmp_path / "s.html").read_text()

    rows = sites.against_rest(adjust="holm").to_dict()
    assert document["against_rest"]["slices"] == rows
    for row in rows:
        assert f"{row['low']:.4f} to {row['high']:.4f}" in page
        assert f"{row['value']:.4f}" in page
    assert sites.verdict(adjust="holm") in page
    assert len(sites.to_frame()) == len(sites.summary())
    with pytest.raises(ParameterError, match="suffix"):
        sites.save(tmp_path / "s.doc")


def test_values_of_small_slices_stay_out_of_files(tmp_path):
    r = np.random.default_rng(1)
    slices = cl.evaluate(r.random(403) < 0.5, r.random(403), by=["x"] * 200 + ["y"] * 200 + ["rare"] * 3)
    slices.save(tmp_path / "s.csv", permutations=19)
    slices.save(tmp_path / "all.csv", permutations=19, least=0)

    assert "rare" not in (tmp_path / "s.csv").read_text()
    assert "rare" in (tmp_path / "all.csv").read_text()


def test_the_forest_plot_shows_the_simultaneous_intervals(sites):
    found = sites.against_rest("auc", adjust="holm").forest
    drawn = sites.chart("slices", adjust="holm").to_dict()

    row = next(row for row in found["rows"] if row["slice"] == "D")
    assert row["low"] == sites["D"].estimate("auc", level=0.95**0.25, method="delong_logit").low
    assert row["verdict"] == "worse"
    assert found["overall"] == sites.overall.auc
    assert "Area under the ROC curve by site" in json.dumps(drawn)
    assert sites.chart("roc").name == "roc"


def test_the_forest_plot_has_the_parameters_of_the_measure(sites):
    forest = sites.against_rest("f_beta", beta=3).forest
    own = sites["D"].estimate("f_beta", beta=3, level=0.95**0.25)

    assert (forest["rows"][3]["low"], forest["rows"][3]["high"]) == (own.low, own.high)
    assert forest["overall"] == sites.overall.value("f_beta", beta=3)


def test_views_say_where_the_slices_are_cut(frame, sites, tmp_path):
    quota = cl.evaluate("label", "score", data=frame, by="site", quota=20)
    own = cl.evaluate("label", "score", data=frame, by="site", threshold={"A": 0.1, "B": 0.2, "C": 0.3, "D": 0.4})
    said = "predicted positive: the 20 highest scores of each slice"

    assert quota.fairness().table.title.endswith(said)
    quota.save(tmp_path / "s.html", adjust="holm")
    assert said in (tmp_path / "s.html").read_text()
    assert own.cut_words == "score >= the threshold of the slice"
    assert sites.with_threshold(0.25).cut_words == "score >= 0.25"


def test_a_long_table_shows_both_ends_and_all_that_differ():
    r = np.random.default_rng(2)
    small = np.repeat(np.arange(40), 16)
    site = np.concatenate([np.full(4000, 99), np.full(12, 100), small])  # 99 is large, and worse but not the worst
    label = r.random(len(site)) < 0.5
    label[site == 100] = True
    score = r.normal(size=len(site)) + label * np.where(site == 99, 0.5, 1.2)
    compared = cl.evaluate(label, score, by=site).against_rest("auc", adjust="holm")
    low, high = compared.ends(5)

    known = [row for row in compared.by_value if row.slice != "100"]
    assert [row.slice for row in compared.significant] == ["99"]
    assert "99" not in {row.slice for row in (*known[:5], *known[-5:])}
    assert low == [*known[:5], compared.significant[0]]
    assert high == known[-5:]
    assert compared.ends(21) == (known, [])  # no slice stands twice
    assert compared.describe_ends(5) == "The 5 lowest and the 5 highest of 42 slices, and all that differ."


def test_a_comparison_with_the_rest_names_its_own_method(sites):
    assert "p-values by MOVER, Holm" in sites.against_rest("mcc").how
    margin = sites.against_rest("recall", alternative="worse", margin=0.05)
    assert "p-values by Newcombe (square and add), Holm" in margin.how


# ---------------------------------------------------------------------- the search


def test_find_slices_in_a_table():
    r = np.random.default_rng(1)
    rows = 3000
    data = {"site": r.choice(list("abcd"), rows), "age": r.integers(18, 90, rows), "sex": r.choice(list("fm"), rows)}
    label = r.integers(0, 2, rows)
    wrong = r.random(rows) < np.where((data["site"] == "b") & (data["sex"] == "m"), 0.4, 0.1)
    data |= {"label": label, "score": np.where(wrong, 1 - label, label) * 0.8 + 0.1}

    for method in ("permutation", "split"):
        found = cl.find_slices("label", "score", data=data, features=["site", "sex", "age"], method=method)
        row = found.rows[0]
        mine = (data["site"] == "b") & (data["sex"] == "m")
        assert set(row.slice.split(" and ")) == {"site = b", "sex = m"}
        assert (row.value, row.rest) == pytest.approx((wrong[mine].mean(), wrong[~mine].mean()))
        assert row.corrected > 0
        assert f"{found.searched} slices of up to 2 conditions on site, sex" in found.verdict
    nothing = cl.find_slices("label", "score", data=data, features=["age"])
    assert not nothing.rows
    assert "none is worse" in nothing.verdict


def test_find_slices_of_misordered_pairs():
    r = np.random.default_rng(2)
    site, label = r.integers(0, 4, 2000), r.integers(0, 2, 2000)
    score = r.normal(size=2000) + label * np.where(site == 2, 0.2, 2.0)
    (row,) = cl.find_slices(label, score, features={"site": site}, measure="auc").rows

    assert row.slice == "site = 2"
    assert row.auc == pytest.approx(cl.auc(label[site == 2], score[site == 2]))
    positives, negatives = score[label == 1], score[label == 0]
    lost = np.where(label == 1, (negatives > score[:, None]).mean(1), (positives < score[:, None]).mean(1))
    assert row.value == pytest.approx(lost[site == 2].mean())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"measure": "mcc"}, "measure"),
        ({"depth": 4}, "pass 1, 2 or 3"),
        ({"least": 900}, "No slice has 900 cases"),
        ({"measure": "brier_score"}, "needs probabilities"),
        ({"features": None}, "pass a mapping"),
    ],
)
def test_searches_that_cannot_be_made(options, said):
    site = np.arange(1000) % 4
    with pytest.raises(CutlineError, match=said):
        cl.find_slices(site % 2, np.arange(1000.0), **({"features": {"site": site}} | options))


# ---- cases in groups


def patients(seed=1, count=120, visits=8):
    rng = np.random.default_rng(seed)
    patient = np.repeat(np.arange(count), visits)
    label = (rng.random(len(patient)) < 0.35).astype(int)
    score = rng.normal(size=len(patient)) * 0.8 + 0.6 * rng.normal(size=count)[patient] + label
    return label, score, np.array(list("ABCD"))[rng.integers(0, 4, len(patient))], patient


def test_groups_of_one_case_are_cases():
    label, score, site, _ = patients()
    alone = cl.evaluate(label, score, by=site, groups=np.arange(len(label)))
    cases = cl.evaluate(label, score, by=site)

    for measure, distance in (("auc", 0.01), ("recall", 0.07)):  # shares of cases are Newcombe's
        mine, theirs = alone.gap(measure), cases.gap(measure)
        assert mine.value == theirs.value
        assert mine.high == pytest.approx(theirs.high, rel=distance)
    mine, theirs = (one.against_rest("auc", adjust="holm").rows for one in (alone, cases))
    assert [row.p_value for row in mine] == pytest.approx([row.p_value for row in theirs], abs=0.01)
    assert alone.pooled("auc").equality.p_value == pytest.approx(cases.pooled("auc").equality.p_value, abs=0.02)


def test_copies_of_cases_in_a_group_add_nothing():
    label, score, site, _ = patients()
    cases = np.arange(len(label))
    once = cl.evaluate(label, score, by=site, groups=cases)
    thrice = cl.evaluate(
        *(np.repeat(column, 3) for column in (label, score)), by=np.repeat(site, 3), groups=np.repeat(cases, 3)
    )

    assert thrice.gap("auc").high == pytest.approx(once.gap("auc").high, rel=1e-9)
    a, b = (one.against_rest("recall").rows for one in (once, thrice))
    assert [row.p_value for row in a] == pytest.approx([row.p_value for row in b], rel=1e-6)


def test_the_variance_of_slices_that_share_groups_equals_the_jackknife_over_groups():
    label, score, site, patient = patients()
    measured = SliceMeasure.of(cl.evaluate(label, score, by=site, groups=patient), "auc", {})
    without = []
    for g in np.unique(patient):
        rest = patient != g
        values = [cl.auc(label[rest & (site == s)], score[rest & (site == s)]) for s in "ABCD"]
        without.append([values[0] - values[1], values[2] - values[3]])
    spread = np.var(without, axis=0) * (len(without) - 1)
    covariance = compute_group_covariance(measured._sums)
    pairs = [covariance[i, i] + covariance[j, j] - 2 * covariance[i, j] for i, j in ((0, 1), (2, 3))]

    assert pairs == pytest.approx(spread, rel=0.05)


def test_groups_of_slices_without_an_error_have_gaps():
    label, site, patient = [1, 1, 0, 0] * 10, ["a"] * 20 + ["b"] * 20, np.repeat(np.arange(20), 2)
    gap = cl.evaluate(label, [0.9, 0.8, 0.2, 0.1] * 10, by=site, groups=patient).gap("recall")

    assert (gap.value, gap.low) == (0, 0)
    assert gap.high > 0.1


def test_the_page_of_slices_with_groups_has_no_calibration_gap(tmp_path):
    r = np.random.default_rng(8)
    label = r.random(400) < 0.4
    score = np.clip(0.3 + 0.3 * label + r.normal(size=400) / 8, 0, 1)
    slices = cl.evaluate(label, score, by=np.repeat(list("abcd"), 100), groups=np.arange(400) // 2)

    assert "Calibration gap (observed over expected)" in slices.fairness().missing
    assert slices.save(tmp_path / "s.html").exists()


def test_groups_from_a_table_and_what_they_refuse(frame):
    frame = frame.assign(patient=np.arange(len(frame)) // 4)
    slices = cl.evaluate("label", "score", data=frame, by="site", groups="patient")

    assert slices.overall.groups.groups == 300
    assert slices["D"].estimate("auc") == cl.evaluate(
        "label", "score", data=frame[frame.site == "D"], groups="patient", threshold=slices["D"].threshold
    ).estimate("auc")
    assert "Holm" in slices.verdict()
    assert slices.fairness()["AUC gap"].method == "grouped_pairs"
    with pytest.raises(CutlineError, match="Cases in groups cannot be permuted between slices"):
        slices.against_rest("auc", adjust="westfall_young")
    with pytest.raises(CutlineError, match="Pooling is for independent slices"):
        slices.pooled("auc")
    with pytest.raises(CutlineError, match="strata cannot be combined with by"):
        cl.evaluate("label", "score", data=frame, by="site", strata="sex")


def test_a_quota_in_each_slice_has_no_row_of_all_cases(frame):
    slices = cl.evaluate("label", "score", data=frame, by="site", quota=20)

    assert [row[0] for row in slices.summary("precision").rows] == list("ABCD")
    assert "(all cases)" not in repr(slices)
    with pytest.raises(InputError, match="The quota is filled in each slice, so that precision of the rest is"):
        slices.against_rest("precision")


def test_refusals_name_the_argument_that_is_wrong(frame, tmp_path):
    with pytest.raises(InputError, match=r"no column 'height', which features= names"):
        cl.find_slices("label", "score", data=frame, features=["height"])
    slices = cl.evaluate("label", "score", data=frame, by="sex")
    with pytest.raises(InputError, match=r"^No slice by sex has 5000 cases: pass a smaller least=\.$"):
        slices.save(tmp_path / "s.html", least=5000)


def test_a_p_value_at_the_floor_of_its_permutations_is_shown_as_below():
    rng = np.random.default_rng(5)
    labels = np.arange(800) % 2
    site = np.arange(800) // 2 % 4
    scores = np.where(site == 3, rng.random(800), labels + rng.normal(0, 0.5, 800))
    against = cl.evaluate(labels, scores, by={"site": site}).against_rest("auc", permutations=99)
    found = cl.find_slices(labels, scores, features={"site": site}, threshold=0.5, permutations=99)

    for shown in (against.verdict, repr(against), found.verdict, repr(found)):
        assert "< 0.0" in shown
        assert "= 0.02" not in shown
    assert min(row.p_adjusted for row in against.rows) == pytest.approx(0.02)
    assert found.rows[0].p_adjusted == pytest.approx(0.01)


def test_an_interval_and_a_test_that_disagree_are_explained():
    rng = np.random.default_rng(5)
    labels, site = np.arange(800) % 2, np.arange(800) // 2 % 4
    scores = np.where(site == 3, rng.random(800), labels + rng.normal(0, 0.5, 800))
    against = cl.evaluate(labels, scores, by={"site": site}).against_rest("auc", permutations=99)
    clear = against.significant[0]
    near = replace(against, rows=tuple(replace(row, high=0.001) if row is clear else row for row in against.rows))

    assert "0 is in the interval" not in against.how
    assert f"{clear.slice}: 0 is in the interval although the test rejects it" in near.how


def test_slices_are_searched_in_a_data_frame_given_by_name():
    labels, features = np.arange(200) % 2, pd.DataFrame({"site": np.arange(200) // 2 % 2})
    scores = np.linspace(0, 1, 200)
    with pytest.raises(TypeError, match=r"takes labels and scores by position, and 3 .* such as data= or features=\.$"):
        cl.find_slices(labels, scores, features)
    found = cl.find_slices(labels, scores, features=features, permutations=19)
    assert found.features == ("site",)


@pytest.mark.parametrize("kind", ["polars", "lazy polars", "pyarrow", "pandas"])
def test_features_of_a_search_may_be_any_data_frame(kind):
    sites = {"site": ["a", "b", "c", "d"] * 50, "ward": ["x", "y"] * 100}
    frames = {
        "polars": pl.DataFrame,
        "lazy polars": pl.LazyFrame,
        "pyarrow": pa.table,
        "pandas": pd.DataFrame,
    }
    labels, scores = [1, 0, 0, 1, 1] * 40, [0.9, 0.2, 0.6, 0.4, 0.7] * 40
    how = {"permutations": 99, "least": 10, "measure": "error_rate"}
    found = cl.find_slices(labels, scores, features=frames[kind](sites), **how)
    assert found.to_dict() == cl.find_slices(labels, scores, features=sites, **how).to_dict()
