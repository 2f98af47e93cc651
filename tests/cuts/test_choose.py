"""Choosing a cut: the best by a criterion, under requirements, and what is said of it."""

import json
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import ndtr

import cutline as cl
from cutline.core.counts import Counts
from cutline.core.errors import InputError, ParameterError
from cutline.cuts import guarantees
from cutline.cuts.cut import Cut
from cutline.cuts.gates import check_cut
from cutline.cuts.guarantees import make_promises
from cutline.cuts.requirements import parse_requirement
from cutline.cuts.search import CutSearch, make_criterion, rescale_to_prevalence
from cutline.cuts.statements import state_nothing

TEN = cl.rank([1, 1, 0, 1, 1, 0, 0, 1, 0, 0], [0.95, 0.8, 0.75, 0.6, 0.5, 0.45, 0.3, 0.25, 0.2, 0.1])


def normal_cases(n=400, seed=0, shift=1.2, prevalence=0.3):
    rng = np.random.default_rng(seed)
    labels = rng.random(n) < prevalence
    return labels, rng.normal(size=n) + shift * labels


def by_hand(r, score):
    """The best cut by trying each: the highest threshold among equals."""
    tables = [r.at_cut(i) for i in range(len(r) + 1)]
    values = [score(c) for c in tables]
    best = max(v for v in values if v == v)
    return next(float(r.thresholds[i]) for i, v in enumerate(values) if v >= best - 1e-12)


# ---------------------------------------------------------------------- criteria


@pytest.mark.parametrize(
    ("asked", "score"),
    [
        ({"maximize": "f1"}, lambda c: 2 * c.tp / (2 * c.tp + c.fp + c.fn)),
        ({"maximize": "youden_j"}, lambda c: c.tp / c.positives - c.fp / c.negatives),
        ({"maximize": "f_beta@beta=2"}, lambda c: 5 * c.tp / (5 * c.tp + c.fp + 4 * c.fn)),
        ({"minimize": "error_rate"}, lambda c: -(c.fp + c.fn)),
        ({"cost_fp": 1, "cost_fn": 20}, lambda c: -(c.fp + 20 * c.fn)),
        ({"utility": {"tp": 90, "fp": -10}}, lambda c: 90 * c.tp - 10 * c.fp),
        ({"utility": (5, -1, -2, 1)}, lambda c: 5 * c.tp - c.fp - 2 * c.fn + c.tn),
        ({"minimize": "corner"}, lambda c: -np.hypot(c.fp / c.negatives, c.fn / c.positives)),
        ({"maximize": lambda c: c.tp - 3 * c.fp}, lambda c: c.tp - 3 * c.fp),
    ],
)
@pytest.mark.parametrize("seed", [0, 1])
def test_the_best_cut_is_that_of_trying_each(asked, score, seed):
    r = cl.rank(*normal_cases(60, seed))

    assert cl.choose_cut(r, resamples=0, **asked).threshold == by_hand(r, score)


def test_costs_at_another_prevalence_weigh_the_errors_of_that_population():
    r = cl.rank(*normal_cases(80))

    cut = cl.choose_cut(r, cost_fp=1, cost_fn=20, prevalence=0.01, resamples=0)

    assert cut.threshold == by_hand(r, lambda c: -(0.99 * c.fp / c.negatives + 20 * 0.01 * c.fn / c.positives))
    assert cut.apparent == pytest.approx(
        0.99 * cut.counts.fp / cut.counts.negatives + 20 * 0.01 * cut.counts.fn / cut.counts.positives
    )


def test_the_cheapest_cut_is_a_corner_of_the_roc_hull():
    r = cl.rank(*normal_cases(200))
    corners = set(r.thresholds[r.hull].tolist())

    for cost in (0.2, 1, 3, 20):
        assert cl.choose_cut(r, cost_fp=1, cost_fn=cost, resamples=0).threshold in corners


def test_a_measure_of_the_users_own_is_as_good_as_any():
    def weighed(c):
        return (3 * c.tp - c.fp) / c.total

    r = cl.rank(*normal_cases(60))

    assert cl.choose_cut(r, maximize=weighed, resamples=0).threshold == by_hand(r, weighed)


@pytest.mark.parametrize("lower", [False, True])
def test_a_quota_is_never_exceeded_and_ties_that_do_not_fit_are_left_out(lower):
    scores = np.array([5.0, 4, 4, 4, 1])
    r = cl.rank([1, 0, 1, 1, 0], -scores if lower else scores, higher_is_positive=not lower)

    cut = cl.choose_cut(r, quota=3, resamples=0)

    assert cut.counts.flagged == 1
    assert any("inside a tie" in note for note in cut.notes)
    assert cl.choose_cut(r, quota=4, resamples=0).counts.flagged == 4
    assert cl.choose_cut(r, share=0.8, resamples=0).counts.flagged == 4


def test_of_equal_cuts_the_one_that_flags_fewest_is_chosen_with_a_note():
    r = cl.rank([1, 0, 1, 0], [4.0, 3, 2, 1])  # J is 1/2 after the first case and after the third

    cut = cl.choose_cut(r, maximize="youden_j", resamples=0)

    assert cut.threshold == 4.0
    assert cut.notes[0] == (
        "2 cuts are equally good, with thresholds from 2 to 4: the one that flags fewest cases was taken."
    )


def test_flagging_nobody_may_be_best():
    cut = cl.choose_cut(TEN, cost_fp=100, cost_fn=1, prevalence=0.001, resamples=0)

    assert cut.counts.flagged == 2  # the two highest scores are positive, so they cost nothing
    nobody = cl.choose_cut(TEN.swapped(), cost_fp=100, cost_fn=1, resamples=0)
    assert nobody.counts.fp == 0


# ---------------------------------------------------------------------- requirements on the data at hand


def test_requirements_on_estimates_promise_nothing():
    cut = cl.choose_cut(TEN, "recall >= 0.6", maximize="precision", level=None, resamples=0)

    assert cut.threshold == 0.5  # 4 of 5 found with 1 false alarm; 3 of 5 with 1 at 0.6 is less precise
    assert not cut.promises


def test_the_choice_under_a_requirement_is_that_of_trying_each():
    r = cl.rank(*normal_cases(100))

    cut = cl.choose_cut(r, "recall >= 0.7", "fpr <= 0.4", maximize="precision", level=None, resamples=0)

    allowed = [c for i in range(len(r) + 1) if (c := r.at_cut(i)).recall >= 0.7 and c.fpr <= 0.4]
    assert cut.counts.precision == max(c.precision for c in allowed)


def test_limits_are_those_that_a_gate_would_see():
    ev = cl.evaluate(*normal_cases(300))

    cut = cl.choose_cut(ev, "precision.low >= 0.4", resamples=0)

    assert ev.estimate("precision", threshold=cut.threshold).low >= 0.4
    place = ev.ranking.cut(cut.threshold)
    lower = [
        ev.estimate("precision", threshold=float(ev.ranking.thresholds[i])).low for i in range(place + 1, place + 6)
    ]
    assert max(lower) < 0.4


def test_what_no_cut_meets_is_said():
    cut = cl.choose_cut(TEN, "recall >= 0.9", "precision >= 0.9", level=None)

    assert (cut.possible, cut.statement) == (False, "No cut meets the requirements on these cases: relax one of them.")


# ---------------------------------------------------------------------- less variance


@pytest.mark.parametrize("method", ["mean", "smooth", "kernel", "normal"])
def test_variants_vary_less_than_the_raw_optimum(method):
    raw, other = [], []
    for seed in range(25):
        r = cl.rank(*normal_cases(200, seed, prevalence=0.5))
        raw.append(cl.choose_cut(r, maximize="youden_j", resamples=0).threshold)
        times = 100 if method == "mean" else 0
        other.append(cl.choose_cut(r, maximize="youden_j", method=method, resamples=times).threshold)

    assert np.std(other) < np.std(raw)
    assert np.mean(other) == pytest.approx(0.6, abs=0.15)  # halfway between the means


def test_the_normal_cut_is_where_the_densities_cross():
    from scipy.stats import norm

    from cutline.cuts.search import compute_moments

    r = cl.rank(*normal_cases(500, shift=1.5))
    (m1, s1), (m0, s0) = compute_moments(r)

    t = cl.choose_cut(r, method="normal", resamples=0).threshold

    assert norm.pdf(t, m1, s1) == pytest.approx(norm.pdf(t, m0, s0), rel=1e-9)


def test_low_scores_that_mean_positive_mirror_the_choice():
    labels, scores = normal_cases(150)
    for asked in ({"maximize": "f1"}, {"method": "kernel"}, {"method": "smooth", "maximize": "f1"}):
        high = cl.choose_cut(cl.rank(labels, scores), resamples=20, **asked)
        low = cl.choose_cut(cl.rank(labels, -scores, higher_is_positive=False), resamples=20, **asked)

        assert low.threshold == pytest.approx(-high.threshold)
        assert low.threshold_interval == pytest.approx((-high.threshold_interval[1], -high.threshold_interval[0]))
        assert (low.apply(-scores) == high.apply(scores)).all()


# ---------------------------------------------------------------------- optimism


def test_the_corrected_value_is_below_the_apparent_one_and_reproducible():
    r = cl.rank(*normal_cases(120))

    one, two = (cl.choose_cut(r, maximize="f1", resamples=200, seed=7) for _ in range(2))

    assert one.to_dict() == two.to_dict()
    assert one.apparent > one.corrected.value
    assert one.optimism == pytest.approx(one.apparent - one.corrected.value)
    assert one.corrected.low < one.corrected.value < one.corrected.high
    assert one.threshold_interval.low <= one.threshold <= one.threshold_interval.high


@pytest.mark.parametrize("asked", [{"maximize": "f1"}, {"maximize": "youden_j"}, {"cost_fp": 1, "cost_fn": 5}])
@pytest.mark.slow
def test_the_corrected_value_is_right_on_average_where_the_truth_is_known(asked):
    from scipy.special import ndtr

    wanted = make_criterion(**{"maximize": None} | asked)
    gap, optimism = [], []
    for seed in range(150):
        r = cl.rank(*normal_cases(100, seed, shift=1.0))
        cut = cl.choose_cut(r, resamples=30, seed=seed, **asked)
        found, false = ndtr(1.0 - cut.threshold), ndtr(-cut.threshold)
        truth = float(wanted.function(Counts(0.3 * found, 0.7 * false, 0.3 * (1 - found), 0.7 * (1 - false))))
        gap.append(cut.corrected.value - truth)
        optimism.append(cut.apparent - truth)

    error = np.std(gap) / np.sqrt(len(gap))
    assert abs(np.mean(gap)) < 3.5 * error
    assert abs(np.mean(optimism)) > 5 * error


def test_resampled_choices_are_the_choices_of_the_resamples():
    rng = np.random.default_rng(3)
    r = cl.rank(*normal_cases(80))
    drawn = rng.multinomial(80, r.size / 80, 6)
    pos, neg = drawn * (r.pos > 0), drawn * (r.neg > 0)
    stack = replace(r, pos=pos, neg=neg, pos2=pos, neg2=neg)
    made = make_promises(r, [parse_requirement("recall >= 0.7")], 0.8, after_looking=False)
    plan = CutSearch(tuple(promise.meets for promise in made), make_criterion("f1"))

    one_by_one = [float(plan.choose_keys(one)) for one in stack.one_by_one()]

    assert plan.choose_keys(stack).tolist() == one_by_one


# ---------------------------------------------------------------------- the cut as an object


@pytest.mark.parametrize(
    "asked",
    [
        (("recall >= 0.8",), {}),
        (("recall >= 0.999",), {}),
        ((), {"maximize": "f1", "resamples": 100}),
        ((), {"utility": {"fp": -1, "tp": 0.001}, "prevalence": 0.0001, "resamples": 0}),
    ],
)
def test_a_cut_survives_a_file(tmp_path, asked):
    cut = cl.choose_cut(cl.rank(*normal_cases(300)), *asked[0], **asked[1])

    found = cl.load(cut.save(tmp_path / "cut.json"))

    assert found.to_dict() == cut.to_dict()
    assert json.loads((tmp_path / "cut.json").read_text())["schema"] == "cutline/cut/1"
    if cut.possible:
        assert found.threshold == cut.threshold
        assert (found.apply([0.1, 5.0]) == cut.apply([0.1, 5.0])).all()


def test_float32_scores_are_flagged_as_they_were_counted():
    labels, scores = normal_cases(300)
    scores = scores.astype(np.float32)
    cut = cl.choose_cut(cl.rank(labels, scores), maximize="f1", resamples=0)

    assert cut.apply(scores).sum() == cut.counts.flagged


def test_the_statement_is_one_plain_sentence():
    rng = np.random.default_rng(0)
    scores = np.round(np.concatenate((rng.normal(2, 1, 100), rng.normal(0, 1, 400))), 2)
    r = cl.rank(np.repeat([1, 0], [100, 400]), scores)

    cut = cl.choose_cut(r, "recall >= 0.9", resamples=0)

    assert cut.statement == (
        f"With 95 % confidence at least 90 % of future positives score {cut.threshold:g} or more, "
        "whatever the distribution; 4 of your 100 positives may be missed."
    )
    assert "Assumes: The cases are independent" in repr(cut)
    assert "<p>With 95 % confidence" in cut._repr_html_()


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (lambda: cl.choose_cut(TEN), "Nothing says what the cut is for"),
        (lambda: cl.choose_cut(TEN, "auc >= 0.9"), "the same at every cut"),
        (lambda: cl.choose_cut(TEN, "f1 >= 0.9"), "write f1.low"),
        (lambda: cl.choose_cut(TEN, "recall <= 0.9"), "Nothing can be promised"),
        (lambda: cl.choose_cut(TEN, "recall@quota=3 >= 0.9"), "leave @quota out"),
        (lambda: cl.choose_cut(TEN, "recall >= 90"), "pass one from 0 to 1"),
        (lambda: cl.choose_cut(TEN, maximize="f1", minimize="fpr"), "pass one of them"),
        (lambda: cl.choose_cut(TEN, maximize="error_rate"), "pass minimize='error_rate'"),
        (lambda: cl.choose_cut(TEN, maximize="f2"), "not a measure"),
        (lambda: cl.choose_cut(TEN, cost_fp=1), "pass both"),
        (lambda: cl.choose_cut(TEN, utility={"tq": 1}), "no outcome"),
        (lambda: cl.choose_cut(TEN, utility=3), "not a table"),
        (lambda: cl.choose_cut(TEN, maximize="f1", method="normal"), "Youden's J alone"),
        (lambda: cl.choose_cut(TEN, "recall >= 0.9", level=95), "level is 95"),
        (lambda: cl.choose_cut(TEN, maximize="f1", prevalence=2), "prevalence is 2"),
        (lambda: cl.choose_cut(TEN, quota=[2, 3]), "for testing precision"),
    ],
)
def test_what_cannot_be_chosen_is_refused_with_the_way_out(asked, says):
    with pytest.raises(ParameterError) as caught:
        asked()

    assert says in str(caught.value)


def test_one_class_is_refused():
    with pytest.raises(InputError, match="of one class"):
        cl.choose_cut(cl.rank([1, 1], [0.1, 0.2]), "recall >= 0.5")


def test_a_file_that_is_no_cut_is_refused(tmp_path):
    path = tmp_path / "cut.json"
    for text in ("{", "[]", '{"schema": "cutline/cut/1"}'):
        path.write_text(text)
        with pytest.raises(InputError):
            cl.load(path)


def test_missing_scores_cannot_be_flagged():
    with pytest.raises(InputError, match="position 1"):
        cl.Cut(0.5, "").apply([0.2, np.nan])


def test_counts_can_be_moved_to_another_prevalence():
    moved = rescale_to_prevalence(Counts(8, 10, 2, 80), 0.5)

    assert (moved.tp, moved.fn, moved.total) == (40, 10, 100)
    assert moved.precision == pytest.approx(40 / (40 + 10 * 50 / 90))


# ---------------------------------------------------------------------- what fresh eyes found


def mixed(seed=0, cases=120, share=0.4):
    rng = np.random.default_rng(seed)
    labels = rng.random(cases) < share
    return labels, rng.normal(size=cases) + labels


def test_a_promise_that_nine_tenths_cannot_make_has_no_corrected_value():
    labels = np.arange(120) % 4 == 0  # 30 positives, of which nine tenths are too few for 0.9
    scores = np.random.default_rng(2).normal(size=120) + labels

    cut = cl.choose_cut(cl.rank(labels, scores), "recall >= 0.9", maximize="precision", resamples=100)

    assert cut.corrected is None
    assert any("too few" in note for note in cut.notes)


@pytest.mark.slow
def test_the_interval_of_the_corrected_value_holds_the_truth():
    # Youden's J of normal scores, one apart; the interval is of 95 %, so 100 runs hold it in 88 or more.
    rng, inside = np.random.default_rng(1), 0
    for _ in range(100):
        labels = rng.random(200) < 0.3
        cut = cl.choose_cut(cl.rank(labels, rng.normal(size=200) + labels), maximize="youden_j", resamples=200)
        truth = ndtr(1 - cut.threshold) - ndtr(-cut.threshold)
        inside += cut.corrected.low <= truth <= cut.corrected.high
    assert inside >= 88


def test_the_band_of_the_smallest_error_comes_to_an_end():
    assert 0 < guarantees.find_local_level(50, 1 - 1e-9) < 1e-9 / 49
    assert (
        cl.choose_cut(cl.rank(*mixed()), "recall >= 0.5", after_looking=True, level=1 - 1e-9, resamples=0) is not None
    )


def test_infinite_scores_are_flagged_by_a_threshold_that_can_be_written():
    labels = np.r_[np.ones(50), np.zeros(200)]
    scores = np.r_[np.full(30, np.inf), np.linspace(0, 1, 20), np.linspace(0, 2, 200)]

    cut = cl.choose_cut(cl.rank(labels, scores), "fpr <= 0.02", resamples=0)

    assert (cut.counts.tp, cut.counts.fp) == (30, 0)
    assert cut.to_dict()["flags"] == "score >= threshold"
    assert "nobody" not in cut.statement
    assert cut.apply(scores).sum() == 30
    assert not Cut(np.inf, "flags nobody").apply([np.inf, 1.0]).any()


@pytest.mark.parametrize(("asked", "quota"), [("share <= 0.5", 60), ("recall >= 0.5", 100)])
def test_a_quota_that_another_requirement_keeps_ends_in_no_tie(asked, quota):
    assert not any("tie" in note for note in cl.choose_cut(cl.rank(*mixed()), asked, quota=quota, resamples=0).notes)


def test_precision_is_tested_at_the_quota_that_is_asked_for():
    cut = cl.choose_cut(cl.rank(*mixed()), "precision >= 0.3", quota=30, resamples=0)

    assert cut.counts.flagged == 30


@pytest.mark.slow
@pytest.mark.parametrize("method", ["mean", "kernel", "normal"])
def test_tested_precision_has_its_threshold_just_above_the_unflagged_whatever_the_method(method):
    labels, scores = mixed(cases=400)

    cut = cl.choose_cut(cl.rank(labels, scores), "precision >= 0.5", maximize="youden_j", method=method, resamples=50)

    flagged = cut.apply(scores)
    assert cut.threshold == np.nextafter(scores[~flagged].max(), np.inf)


def test_the_table_of_a_cut_is_for_the_prevalence_that_was_asked_for():
    ev = cl.evaluate(*mixed())

    cut = cl.choose_cut(ev, maximize="f1", prevalence=0.05, resamples=0)

    there = ev.with_cut(threshold=cut.threshold).at_prevalence(0.05)
    shown = {one.measure: one for one in cut.estimates}
    assert shown["f1"].value == pytest.approx(cut.apparent)
    assert shown["precision"] == there["precision"]
    assert "at a prevalence of 5 %" in cut.statement


def test_a_promise_at_another_prevalence_is_checked_there():
    labels, scores = mixed(cases=600)
    cut = cl.choose_cut(cl.rank(labels, scores), "precision >= 0.06", prevalence=0.05, resamples=0)
    nothing = np.random.default_rng(4).permutation(scores)  # tells nothing, so the precision is the prevalence

    [verdict] = check_cut(cut, cl.evaluate(labels, nothing))

    assert verdict.value < 0.1  # 0.4 of these cases are positive, 0.05 of those that the cut is for
    assert verdict.state != "passed"


def test_what_no_case_tells_is_undecided():
    labels, scores = mixed(cases=300)
    cut = cl.choose_cut(cl.rank(labels, scores), "fpr <= 0.2", resamples=0)

    assert [one.state for one in check_cut(cut, cl.evaluate([1, 1], [0.2, 0.4]))] == ["undecided"]


def test_a_cut_is_not_checked_for_the_other_class():
    labels, scores = mixed(cases=300)
    cut = cl.choose_cut(cl.evaluate(np.where(labels, 1, 0), scores), "recall >= 0.5", resamples=0)

    with pytest.raises(ParameterError, match="positive class"):
        check_cut(cut, cl.evaluate(np.where(labels, 1, 0), scores, positive=0))
    assert check_cut(cut, cl.evaluate(np.where(labels, "ill", "well"), scores, positive="ill"))


def test_a_limit_is_that_of_the_estimate():
    ev = cl.evaluate(*mixed(cases=200))
    for measure in ("mcc", "balanced_accuracy", "f1"):
        bound = ev.estimate(measure, threshold=0.5).low

        cut = cl.choose_cut(ev, f"{measure}.low >= {bound:.12g}", resamples=0)

        found = ev.estimate(measure, threshold=cut.threshold)
        assert found.low >= bound - 1e-9
        assert cut.estimates[-1].low == found.low or measure == "f1"


def test_only_the_optimum_is_called_the_highest():
    for method in ("mean", "smooth", "kernel", "normal"):
        statement = cl.choose_cut(cl.rank(*mixed()), maximize="youden_j", method=method, resamples=50).statement
        assert "highest" not in statement
        assert "varies less than the optimum" in statement


@pytest.mark.parametrize("scores", [np.zeros(120), np.r_[np.inf, np.arange(119.0)]])
def test_distributions_without_a_spread_have_no_smooth_cut(scores):
    for method in ("kernel", "normal"):
        cut = cl.choose_cut(cl.rank(mixed()[0], scores), maximize="youden_j", method=method, resamples=0)
        assert not cut.possible
        assert "finite scores" in cut.statement


def test_several_promises_about_one_rate_take_as_many_cases_as_the_strictest():
    cut = cl.choose_cut(cl.rank(*mixed()), "recall >= 0.7", "recall >= 0.6", resamples=0)

    assert cut.positives_needed == 9
    assert cut.statement.count("may be missed") == 1
    assert cl.choose_cut(cl.rank(*mixed()), "recall >= 1", "recall >= 0.9", resamples=0).positives_needed is None


def test_few_cases_are_flagged_where_flagging_keeps_the_requirement():
    assert cl.choose_cut(cl.rank(*mixed()), "npv >= 0.9", level=None, resamples=0).counts.flagged < 100


def test_the_same_choice_gives_the_same_cut_and_a_file_holds_all_of_it(tmp_path):
    one, two = (cl.choose_cut(cl.rank(*mixed()), "recall >= 0.6", maximize="f1", resamples=50) for _ in range(2))

    assert one == two
    assert cl.load(one.save(tmp_path / "cut.json")) == one
    with pytest.raises(InputError, match="no threshold"):
        Cut.from_dict(one.to_dict() | {"threshold": None})


@pytest.mark.parametrize(
    "change",
    [
        {"higher_is_positive": "no"},
        {"possible": "no"},
        {"after_looking": 1},
        {"flags": "score <= threshold"},
        {"confidence": 10**400},
        {"prevalence": -0.5},
        {"notes": "text"},
        {"positive": [1]},
        {"requirements": [{"requirement": 0.5}]},
        {"threshold_interval": [True, 1]},
    ],
)
def test_an_altered_file_of_a_cut_is_refused(change):
    document = cl.choose_cut(cl.rank(*mixed()), "recall >= 0.6", resamples=0).to_dict()
    assert Cut.from_dict(document).to_dict() == document

    with pytest.raises(InputError, match="This is not a complete cut"):
        Cut.from_dict(document | change)


@pytest.mark.parametrize("count", [[], {}, "x", None, True, -1, np.nan, np.inf, 10**400])
def test_a_file_of_a_cut_holds_counts_that_are_numbers(count):
    document = cl.choose_cut(cl.rank(*mixed()), "recall >= 0.6", resamples=0).to_dict()

    with pytest.raises(InputError, match="Counts of a cut cannot be"):
        Cut.from_dict(document | {"counts": document["counts"] | {"tp": count}})


def test_a_threshold_without_a_guarantee_is_stated_as_a_whole_sentence():
    assert state_nothing(0.3, 0.95) == (
        "With 95 % confidence nothing can be promised about the threshold 0.3: these are too few cases."
    )
