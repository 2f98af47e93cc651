"""Each convention, on cases that can be counted by hand, and against brute force."""

import inspect
import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import cutline as cl
from cutline.ledger.cases import Material, Rows
from cutline.ledger.convention import Stage
from cutline.ledger.quantity import parse_quantity
from cutline.ledger.registry import CONVENTIONS, compute_under
from cutline.ledger.tools import TOOLS

# One tie of a positive and two negatives in the middle: rows n, p, n at 0.5.
LABELS = np.array([1, 0, 1, 0, 0])
SCORES = np.array([0.9, 0.5, 0.5, 0.5, 0.2])


def value(measure, *conventions, labels=LABELS, scores=SCORES, **more):
    material = Material.of_rows(Rows(np.asarray(labels) == 1, np.asarray(scores, dtype=float), **more), 0.5)
    return compute_under(material, parse_quantity(measure), [CONVENTIONS[name] for name in conventions])


def entropy(share):
    return -share * math.log(share) - (1 - share) * math.log(1 - share)


@pytest.mark.parametrize(
    ("measure", "conventions", "expected"),
    [
        ("auc", (), 5 / 6),  # 6 pairs: 4 in order, 2 ties
        ("auc", ("ties_optimistic",), 1),
        ("auc", ("ties_pessimistic",), 4 / 6),
        ("auc", ("ties_by_rows",), 5 / 6),  # one tied negative before the positive, one after it
        ("auc", ("wrong_column",), 1 / 6),
        ("auc", ("swapped_labels",), 1 / 6),
        ("auc", ("other_class",), 5 / 6),
        ("auc", ("complement",), 1 / 6),
        ("auc", ("gini",), 2 / 3),
        ("auc", ("percent",), 500 / 6),
        ("auc", ("hard_labels",), (1 + 1 / 3) / 2),  # 0.5 counts as flagged: both positives, two of three negatives
        ("auc", ("strict", "hard_labels"), (1 / 2 + 1) / 2),
        ("recall", (), 1),
        ("recall", ("strict",), 1 / 2),
        ("recall", ("other_class",), 1 / 3),  # of three negatives one is below the threshold
        ("precision", (), 2 / 4),
        ("precision", ("macro",), (2 / 4 + 1) / 2),
        ("precision", ("weighted",), (2 * 2 / 4 + 3 * 1) / 5),
        ("precision", ("micro",), 3 / 5),
        ("f1", ("f_of_means",), 2 * 0.75 * (2 / 3) / (0.75 + 2 / 3)),  # precisions 1/2, 1; recalls 1, 1/3
        ("f1", ("best",), 2 / 3),  # 2/3 at the cut 0.9, and at the cut 0.5: 2*2/(4+2)
        ("accuracy", ("best",), 4 / 5),
        ("average_precision", (), (1 + 2 / 4) / 2),
        ("average_precision", ("trapezoid",), 1 / 2 + (1 + 1 / 2) / 4),
        ("average_precision", ("trapezoid_zero",), 1 / 4 + (1 + 1 / 2) / 4),
        ("average_precision", ("trapezoid_late",), (1 + 1 / 2) / 4),
        ("average_precision", ("ties_by_rows",), (1 + 2 / 3) / 2),  # p, n, p
        ("average_precision", ("levels_11",), (6 * 1 + 5 * 0.5) / 11),
        ("average_precision", ("interpolated",), (1 + 2 / 4) / 2),
        ("brier", ("both_classes",), 2 * (0.01 + 0.25 * 3 + 0.04) / 5),
        ("brier", ("root",), math.sqrt(0.8 / 5)),
        ("brier", ("sum",), 0.8),
        ("brier", ("negative",), -0.16),
        ("log_loss", ("bits",), -(math.log2(0.9) + 3 * math.log2(0.5) + math.log2(0.8)) / 5),
        ("ks", ("one_sided",), 1 / 2),
        ("gini", ("lorenz",), 2 / 3 * 3 / 5),
        ("mcc", ("undefined_0",), value("mcc")),
        ("recall.low", ("limit_wald_open",), 1.0),
        ("net_benefit", ("per_positive",), (2 / 5 - 2 / 5) / (2 / 5)),
        # At 0.5: tp 2, fp 2, fn 0, tn 1.
        ("fpr", ("macro",), (2 / 3 + 0) / 2),
        ("accuracy", ("balanced",), (1 + 1 / 3) / 2),
        ("precision", ("balanced",), 3 / (3 + 2)),  # two positives weigh as much as three negatives
        ("accuracy", ("optimised_precision",), 3 / 5 - (1 - 1 / 3) / (1 + 1 / 3)),
        ("balanced_accuracy", ("class_balance",), (2 / 4 + 1 / 3) / 2),
        ("g_mean", ("g_of_means",), (1 + 1 / 3) / 2),
        ("g_mean", ("iba_0",), 1 / 3),
        ("g_mean", ("iba_0.1",), (1 + 0.1 * (1 - 1 / 3)) / 3),
        ("g_mean", ("iba_1",), (1 + (1 - 1 / 3)) / 3),
        ("kappa", ("ac1",), (3 / 5 - 2 * 0.6 * 0.4) / (1 - 2 * 0.6 * 0.4)),  # (2 + 4) / 10 are called positive
        ("kappa", ("scott_pi",), (3 / 5 - 0.52) / (1 - 0.52)),
        ("kappa", ("krippendorff",), 1 - (2 / 5) / (48 / 90)),  # 6 x 4 of 10 x 9 / 2 pairs of values differ
        ("kappa", ("bennett",), 1 / 5),
        ("kappa", ("bangdiwala",), (2**2 + 1**2) / (2 * 4 + 3 * 1)),
        ("mcc", ("phi_squared",), 2**2 / (2 * 3 * 4 * 1)),
        ("mcc", ("chi_squared",), 5 * 2**2 / (2 * 3 * 4 * 1)),
        ("predicted_positive_rate", ("mean_score",), (0.9 + 3 * 0.5 + 0.2) / 5),
        ("mutual_information", ("normalised",), 2 * value("mutual_information") / (entropy(2 / 5) + entropy(4 / 5))),
        ("lift", ("binary_logarithm",), math.log2((2 / 4) / (2 / 5))),
        ("lr_plus", ("natural_logarithm",), math.log(1 / (2 / 3))),
        ("auc", ("mann_whitney",), 5),
        ("auc", ("log_axis",), (0.50075 + 0.575) / 2),  # recall at the false positive rates 0.001 and 0.1
        ("gini", ("kendall",), (2 / 3) * 6 / math.sqrt(6 * 7)),  # 3 of 10 pairs have the same score
        ("pearson", ("by_cases",), float(np.corrcoef(LABELS, SCORES)[0, 1])),
        ("hinge_loss", ("squared",), (0.1**2 + 0.5**2 + 2 * 1.5**2 + 1.2**2) / 5),
        ("hinge_loss", ("margin",), 2 * (0.1 + 3 * 0.5 + 0.2) / 5),
        ("mae", ("decisions",), 2 / 5),
        ("spiegelhalter", ("p_upper",), stats.norm.sf(value("spiegelhalter"))),
        ("brier_skill", ("half",), 1 - 4 * 0.16),
        # Placements: of the positives 1 and 2/3, of the negatives 3/4, 3/4 and 1.
        ("auc.se", (), math.sqrt((1 / 18) / 2 + (1 / 48) / 3)),
        ("auc.se", ("error_by_n",), math.sqrt((1 / 36) / 2 + (1 / 72) / 3)),
        ("precision.se", (), math.sqrt(0.5 * 0.5 / 4)),  # 2 of 4
        ("precision.se", ("error_by_n_less_1",), math.sqrt(0.5 * 0.5 / 3)),
    ],
)  # fmt: skip
def test_a_convention_gives_what_can_be_counted(measure, conventions, expected):
    assert value(measure, *conventions) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("convention", "expected"),
    [
        ("natural_logarithm", math.log(6)),
        ("discriminant_power", math.sqrt(3) / math.pi * math.log(6)),
        ("discriminant_power_10", math.sqrt(3) / math.pi * math.log10(6)),
        ("yule_q", 5 / 7),
    ],
)
def test_an_odds_ratio_is_reported_on_other_scales(convention, expected):
    cases = {"labels": [1, 1, 1, 0, 1, 0, 0], "scores": [0.9, 0.9, 0.9, 0.9, 0.1, 0.1, 0.1]}  # (3 x 2) / (1 x 1)
    assert value("diagnostic_odds_ratio", convention, **cases) == pytest.approx(expected)


def test_limits_by_inverting_the_binomial_test_are_where_its_p_value_is_the_error():
    cases = {"labels": [1] * 10, "scores": [0.9] * 8 + [0.1] * 2}
    cases = {name: [*column, 0] for name, column in cases.items()}  # recall 8 / 10
    for part in ("low", "high"):
        limit = value(f"recall.{part}", "limit_binomial_test", **cases)
        inside, outside = (limit + 1e-6, limit - 1e-6) if part == "low" else (limit - 1e-6, limit + 1e-6)
        assert stats.binomtest(8, 10, inside).pvalue >= 0.05 > stats.binomtest(8, 10, outside).pvalue


# Ten cases with the positives in the places 1, 2 and 4.
TENTHS = {"labels": [1, 1, 0, 1, 0, 0, 0, 0, 0, 0], "scores": np.arange(10, 0, -1) / 10}


@pytest.mark.parametrize(
    ("measure", "conventions", "expected"),
    [
        ("enrichment@share=0.4", (), (3 / 4) / (3 / 10)),
        ("enrichment@share=0.4", ("portion_10",), (1 / 1) / (3 / 10)),  # the fourth tenth holds one positive
        ("enrichment@share=0.3", ("portion_10",), 0),
        ("hit_rate@share=0.4", (), 3 / 4),
        ("hit_rate@share=0.4", ("portion_10",), 1),
        ("qrecall@share=0.4", ("portion_10",), 1 / 3),
        ("enrichment@share=0.4", ("portion_20",), (1 / 1) / (3 / 10)),  # half of the fourth case
        ("portion_lift@portion=4", (), (1 / 1) / (3 / 10)),
        ("portion_lift@portion=4", ("from_the_top",), (3 / 4) / (3 / 10)),
    ],
)
def test_a_lift_is_of_a_portion_or_from_the_top(measure, conventions, expected):
    assert value(measure, *conventions, **TENTHS) == pytest.approx(expected, abs=1e-12)


def test_skill_is_against_these_cases_or_against_the_training_data():
    rows = Rows(LABELS == 1, SCORES)
    brier = (0.01 + 3 * 0.25 + 0.04) / 5
    log_loss = -(math.log(0.9) + 3 * math.log(0.5) + math.log(0.8)) / 5

    def skill(measure, convention, training):
        return compute_under(Material.of_rows(rows, 0.5, training), parse_quantity(measure), [CONVENTIONS[convention]])

    # Always saying 0.2 costs 0.64 for each of two positives, and 0.04 for each of three negatives.
    assert skill("brier", "skill_training", 0.2) == pytest.approx(1 - brier / ((2 * 0.64 + 3 * 0.04) / 5))
    assert skill("brier_skill", "skill_training", 0.4) == pytest.approx(value("brier_skill"))  # 2 of 5 are positive
    said = -(2 * math.log(0.2) + 3 * math.log(0.8)) / 5
    assert skill("log_loss", "log_skill_training", 0.2) == pytest.approx(1 - log_loss / said)
    assert skill("mcfadden_r2", "log_half", None) == pytest.approx(1 - log_loss / math.log(2))
    assert math.isnan(skill("brier", "skill_training", None))


def test_a_class_without_a_value_is_left_out_of_a_mean_or_counts_as_0():
    nothing = {"labels": [1, 0, 0, 0], "scores": [0.4, 0.3, 0.2, 0.1]}  # flagged: 3 of 4 are right

    assert value("precision", "macro", **nothing) == pytest.approx((0 + 3 / 4) / 2)
    assert value("precision", "macro_known", **nothing) == pytest.approx(3 / 4)
    assert math.isnan(value("precision", "macro_known"))  # both have one: then it is the plain mean


def test_standard_errors_of_a_mean_and_their_intervals_are_those_of_scipy():
    rng = np.random.default_rng(3)
    labels, scores = rng.integers(0, 2, 40), rng.random(40)
    losses = (labels - scores) ** 2
    mine = {"labels": labels, "scores": scores}

    assert value("brier.se", **mine) == pytest.approx(stats.sem(losses), rel=1e-12)
    assert value("brier.se", "error_by_n", **mine) == pytest.approx(stats.sem(losses, ddof=0), rel=1e-12)
    low, high = stats.t.interval(0.95, 39, losses.mean(), stats.sem(losses))
    assert value("brier.low", "limit_mean_student", **mine) == pytest.approx(low, rel=1e-9)
    assert value("brier.high", "limit_mean_student", **mine) == pytest.approx(high, rel=1e-9)
    low, _ = stats.norm.interval(0.95, losses.mean(), stats.sem(losses))
    assert value("brier.low", "limit_mean_normal", **mine) == pytest.approx(low, rel=1e-9)


def test_delongs_variances_are_divided_by_n_or_by_one_less():
    rng = np.random.default_rng(4)
    labels, scores = rng.integers(0, 2, 30), np.round(rng.random(30), 1)
    other = np.round(rng.random(30), 1)
    mine = {"labels": labels, "scores": scores, "other": other}

    def placements(s):
        positives, negatives = s[labels == 1], s[labels == 0]
        wins = (positives[:, None] > negatives) + (positives[:, None] == negatives) / 2
        return wins.mean(1), wins.mean(0)

    first, second = placements(scores), placements(other)
    for less, conventions in ((1, ("delong_normal",)), (0, ("delong_by_n",))):
        gaps = [x - y for x, y in zip(first, second, strict=True)]
        spread = math.sqrt(sum(np.var(gap, ddof=less) / len(gap) for gap in gaps))
        expected = 2 * stats.norm.sf(abs(gaps[0].mean()) / spread)
        assert value("delong", *conventions, **mine) == pytest.approx(expected, rel=1e-9)
    by_n = math.sqrt(sum(np.var(place) / len(place) for place in first))
    assert value("auc.se", "error_by_n", **mine) == pytest.approx(by_n, rel=1e-12)
    expected = first[0].mean() - 1.959963984540054 * by_n
    assert value("auc.low", "limit_delong_by_n", **mine) == pytest.approx(expected, rel=1e-9)
    # Independent samples: Student's distribution with the degrees of freedom of Satterthwaite, of 30 cases each.
    apart = [sum(np.var(p, ddof=1) / len(p) for p in one) for one in (first, second)]
    freedom = sum(apart) ** 2 / sum(v**2 / 29 for v in apart)
    t = abs(first[0].mean() - second[0].mean()) / math.sqrt(sum(apart))
    assert value("delong", "delong_unpaired", **mine) == pytest.approx(2 * stats.t.sf(t, freedom), rel=1e-9)


def test_bootstrap_limits_are_those_of_scipy_but_for_the_seed():
    rng = np.random.default_rng(5)
    labels = rng.integers(0, 2, 90)
    scores = rng.normal(size=90) + labels
    material = Material.of_rows(Rows(labels == 1, scores))

    def area(y, s):
        return cl.auc(y, s)

    seed = "rng" if "rng" in inspect.signature(stats.bootstrap).parameters else "random_state"  # before SciPy 1.15
    options = {"paired": True, "vectorized": False, "n_resamples": 1999, "method": "percentile", seed: rng}
    found = stats.bootstrap((labels, scores), area, **options)
    error = found.standard_error
    for method, convention in (
        ("percentile", "bootstrap_percentile"),
        ("basic", "bootstrap_basic"),
        ("BCa", "bootstrap_bca"),
    ):
        theirs = stats.bootstrap((labels, scores), area, paired=True, vectorized=False, n_resamples=0,
                                 bootstrap_result=found, method=method).confidence_interval  # fmt: skip
        for part in ("low", "high"):
            q = parse_quantity(f"auc.{part}")
            ours = compute_under(material, q, [CONVENTIONS[convention]])
            assert abs(ours - getattr(theirs, part)) <= CONVENTIONS[convention].spread(material, q) < 0.3 * error
    normal = compute_under(material, parse_quantity("auc.low"), [CONVENTIONS["bootstrap_normal"]])
    assert normal == pytest.approx(cl.auc(labels, scores) - 1.96 * error, abs=0.15 * error)
    assert compute_under(material, parse_quantity("auc.se"), [CONVENTIONS["bootstrap_error"]]) == pytest.approx(
        error, rel=0.07
    )


def test_the_order_of_the_rows_decides_where_ties_are_broken_by_it():
    labels, scores = [1, 0], [0.5, 0.5]

    assert value("auc", "ties_by_rows", labels=labels, scores=scores) == 1
    assert value("auc", "ties_by_rows_reversed", labels=labels, scores=scores) == 0
    assert value("auc", labels=labels, scores=scores) == 0.5


@given(st.lists(st.tuples(st.booleans(), st.sampled_from([0.1, 0.5, 0.9])), min_size=2, max_size=5))
def test_optimistic_and_pessimistic_ties_are_the_extremes_over_all_orders(rows):
    labels, scores = np.array([y for y, _ in rows]), np.array([s for _, s in rows])
    if labels.all() or not labels.any():
        return
    found = []
    for order in itertools.permutations(range(len(rows))):
        listed = sorted(order, key=lambda i: -scores[i])
        places = {case: place for place, case in enumerate(listed)}
        pairs = [places[i] < places[j] for i in np.flatnonzero(labels) for j in np.flatnonzero(~labels)]
        found.append(np.mean(pairs))

    assert value("auc", "ties_optimistic", labels=labels, scores=scores) == pytest.approx(max(found))
    assert value("auc", "ties_pessimistic", labels=labels, scores=scores) == pytest.approx(min(found))


def test_weights_that_are_ignored_are_those_of_no_weights():
    weights = np.array([1.0, 2.0, 3.0, 4.0, 0.5])

    assert value("auc", "unweighted", weights=weights) == value("auc")
    assert value("auc", weights=weights) != value("auc")


def test_a_mean_of_folds_is_not_the_pooled_value():
    labels, scores = [1, 0, 1, 0, 0, 0], [0.9, 0.6, 0.4, 0.3, 0.2, 0.1]
    groups = np.array(["a", "a", "b", "b", "b", "b"])

    assert value("auc", "mean_of_groups", labels=labels, scores=scores, groups=groups) == 1  # each fold is perfect
    assert value("auc", labels=labels, scores=scores) == 7 / 8  # 0.4 is below 0.6


def test_bins_tie_what_lies_between_two_thresholds():
    labels, scores = [1, 0, 1, 0], [0.97, 0.93, 0.55, 0.52]

    assert value("auc", "width_10", labels=labels, scores=scores) == 2 / 4  # 1/2, 1, 0 and 1/2
    assert value("auc", "frequency_10", labels=labels, scores=scores) == value("auc", labels=labels, scores=scores)


def test_rounding_and_32_bits_merge_scores():
    labels, scores = [1, 0], [0.123456789, 0.123456788]

    assert value("auc", labels=labels, scores=scores) == 1
    assert value("auc", "single", labels=labels, scores=scores) == 0.5
    assert value("auc", "digits_6", labels=labels, scores=scores) == 0.5


def test_intervals_are_those_of_the_formulas():
    labels, scores = [1] * 10 + [0] * 5, [0.9] * 8 + [0.1] * 2 + [0.2] * 5
    p, n, z = 0.8, 10, 1.959963984540054

    assert value("recall.low", "limit_wald", labels=labels, scores=scores) == pytest.approx(
        p - z * math.sqrt(p * 0.2 / n)
    )
    assert value("recall.high", "limit_wald", labels=labels, scores=scores) == 1  # cut
    assert value("recall.high", "limit_wald_open", labels=labels, scores=scores) > 1
    both = [value(f"recall.{end}", "limit_wilson_corrected", labels=labels, scores=scores) for end in ("low", "high")]
    # R 4.2.2: prop.test(8, 10)$conf.int
    assert both == pytest.approx([0.4421814243, 0.9645730563], abs=1e-9)


def test_a_one_sided_limit_is_nearer_than_a_two_sided_one():
    two, one, exact = value("auc.low", "limit_delong_open"), value("auc.low", "limit_delong_one_sided"), value("auc")

    assert (exact - one) / (exact - two) == pytest.approx(1.6448536269514722 / 1.959963984540054)
    # Wilson's lower limit of 2 out of 2 at z = 1.6449 is n / (n + z^2).
    assert value("recall.low", "limit_wilson_one_sided") == pytest.approx(2 / (2 + 1.6448536269514722**2))


def test_a_part_of_the_area_can_be_cut_off_along_either_axis():
    both = [value("partial_auc@max_fpr=0.5", *conventions) for conventions in ((), ("over_recall",))]

    assert both[1] == cl.MEASURES["partial_auc_above_recall"](LABELS, SCORES, min_recall=0.5)
    assert both[0] != both[1]


def test_every_convention_has_words_a_reason_and_a_tool_or_a_source():
    taken = {name for one in TOOLS.values() for entry in one.entries for name in entry.conventions}
    for convention in CONVENTIONS.values():
        assert convention.words == convention.words.strip() != ""
        assert convention.explanation.endswith(".")
        assert 0 < convention.plausible <= 1
        assert convention.source or convention.name in taken or convention.name.startswith(("mcnemar", "delong")), (
            convention.name
        )
        others = (
            "recall.low",
            "auc.low",
            "mcnemar",
            "delong",
            "enrichment@share=0.1",
            "brier.low",
            "auc.se",
            "recall.se",
        )
        assert any(convention.applies(parse_quantity(name)) for name in (*[m.name for m in cl.MEASURES], *others)), (
            convention.name
        )
    assert {convention.stage for convention in CONVENTIONS.values()} == set(Stage)
