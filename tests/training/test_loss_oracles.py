"""Every oracle against the enumeration of all labelings, or of all orders, of a few cases with ties."""

from functools import cache
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cutline import MEASURES, Counts, ParameterError, rank
from cutline.measures import Needs
from cutline.training.class_order import Split
from cutline.training.loss_oracles import (
    AtMostOracle,
    AucOracle,
    AveragePrecisionOracle,
    AverageQrecallOracle,
    BoxesOracle,
    DiagonalsOracle,
    GridOracle,
    LinearOracle,
    PartialAucOracle,
    QuotaOracle,
    RowsOracle,
    rewrite_as_ratio,
)
from cutline.training.objectives import check_target, resolve_target

TABLES = {
    "error": {},
    "ber": {},
    "f1": {},
    "f_beta": {"beta": 2},
    "f_alpha": {"alpha": 0.8},
    "jaccard": {},
    "mcc": {},
    "kappa": {},
    "precision": {},
    "g_mean": {},
    "expected_cost": {},
}
PSIS = ("auto", "positive", "uniform", "balanced")


@st.composite
def scored(draw, low=2, high=8):
    """A few cases of both classes; half of the examples have ties."""
    n = draw(st.integers(low, high))
    positives = draw(st.integers(1, n - 1))
    labels = np.array(draw(st.permutations([True] * positives + [False] * (n - positives))))
    size = draw(st.sampled_from([0.2, 1.0, 5.0]))
    scores = draw(st.lists(st.integers(-3, 3) | st.floats(-3, 3), min_size=n, max_size=n))
    return Split(labels), size * np.array(scores, dtype=float)


often = settings(max_examples=60)


def worst_labeling(split, scores, loss, costs, allowed=lambda flagged: flagged >= 0):
    """The largest loss plus gain over all labelings, by trying every one."""
    y = split.is_positive
    flags = np.array(list(product([False, True], repeat=split.n)))
    gain = (flags != y) @ (np.where(y, -costs[0], costs[1]) * scores)
    values = loss((flags & y).sum(1).astype(float), (flags & ~y).sum(1).astype(float)) + gain
    return values[allowed(flags.sum(1))].max()


@cache
def orders(n, k=None):
    """All orders of n cases, or of k of them, one a row."""
    return np.array(list(permutations(range(n), k)))


def worst_order(split, scores, loss):
    """The largest loss plus gain over all orders of the cases; swapped pairs gain the difference of their scores."""
    order = orders(split.n)
    is_positive, score = split.is_positive[order], scores[order]
    above = np.cumsum(~is_positive, axis=1)
    gain = is_positive * (np.cumsum(~is_positive * score, axis=1) - above * score)
    numbers = above[is_positive].reshape(len(order), -1)
    return (loss(numbers) + gain.sum(1) / (split.P * split.N)).max()


# ---------------------------------------------------------------------- tables


REFUSED = ("diagnostic_odds_ratio", "lr_plus", "lr_minus", "p4")  # infinite, or not monotone

# Every measure of one cut that can be trained for, as the registry knows it; and those of a parameter at its ends.
OF_ONE_CUT = [
    (m.name, {"risk": 0.2} if "risk" in m.parameters else {})
    for m in MEASURES.search(needs=Needs.COUNTS)
    if m.better and m.name not in REFUSED
]
AT_THE_ENDS = [("f_alpha", {"alpha": a}) for a in (0, 0.8, 1)] + [("f_beta", {"beta": b}) for b in (0, 0.5, 2)]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "parameters"), OF_ONE_CUT + AT_THE_ENDS)
@settings(max_examples=25)
@given(data=scored(), psi=st.sampled_from(PSIS))
def test_the_oracle_of_a_table_measure_is_the_worst_of_all_labelings(name, parameters, psi, data):
    split, scores = data
    goal = resolve_target(name, parameters)
    check_target(goal, split)
    expected = worst_labeling(split, scores, goal.make_loss(split.P, split.N), goal.compute_costs(split, psi))

    assert np.isfinite(expected)
    assert goal.make_oracle(split, psi)(scores).value == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("name", ["net_benefit", "standardised_net_benefit"])
def test_a_parameter_that_is_missing_is_named(name):
    with pytest.raises(
        ParameterError, match=rf"^{name} needs risk: pass, for example, parameters=\{{'risk': [\d.]+\}}"
    ):
        check_target(resolve_target(name), Split(np.arange(20) < 6))


def test_the_mutual_information_counts_against_predictions_that_are_worse_than_chance():
    gain = resolve_target("mutual_information").make_gain(4.0, 6.0)
    right, wrong = (Counts(3, 1, 1, 5), Counts(1, 5, 3, 1))  # the second flags what the first does not
    both = [float(MEASURES["mutual_information"].compute(table)) for table in (right, wrong)]

    assert both[0] == pytest.approx(both[1])
    assert gain(np.array([3.0, 1.0]), np.array([1.0, 5.0])) == pytest.approx([both[0], -both[0]])
    ranking = rank(*zip(*[(1, 9), (1, 8), (0, 7), (1, 6), (1, 5), (0, 4), (0, 3), (0, 2), (0, 1), (0, 0)], strict=True))
    best = max(range(11), key=lambda cut: float(MEASURES["mutual_information"].compute(ranking.at_cut(cut))))
    assert resolve_target("mutual_information").find_best_cut(ranking) == best


@pytest.mark.parametrize("name", REFUSED)
def test_measures_without_a_bound_are_refused_in_a_sentence(name):
    with pytest.raises(ParameterError, match=rf"^{name} (is|falls) .*: pass a measure that "):
        check_target(resolve_target(name), Split(np.arange(20) < 6))


def test_linear_losses_are_recognised():
    linear = {m.name for m in MEASURES.search(needs=Needs.COUNTS) if m.better and resolve_target(m.name).is_linear}

    assert linear == {
        *("accuracy", "error_rate", "balanced_accuracy", "balanced_error_rate", "youden_j", "expected_cost"),
        *("recall", "specificity", "fpr", "fnr", "weighted_relative_accuracy"),
    }


def test_prices_are_balanced_for_measures_without_prevalence():
    split = Split(np.arange(20) < 6)
    balanced = {
        m.name for m in MEASURES.search(needs=Needs.COUNTS) if m.better and resolve_target(m.name).is_free_of_prevalence
    }

    assert {"balanced_error_rate", "balanced_accuracy", "youden_j", "g_mean"} <= balanced
    assert not balanced & {"f1", "mcc", "precision", "error_rate", "kappa", "jaccard"}
    assert resolve_target("ber").compute_costs(split, "auto") == split.compute_costs("balanced")
    assert resolve_target("f1").compute_costs(split, "auto") == split.compute_costs("positive")


SEARCHES = [
    *((RowsOracle, name) for name in ("error", "ber", "f1", "f_beta", "f_alpha", "jaccard")),
    *((DiagonalsOracle, name) for name in ("error", "ber", "f1", "jaccard", "mcc", "kappa", "precision")),
    *((BoxesOracle, name) for name in ("error", "ber", "f1", "jaccard", "mcc", "kappa", "g_mean")),
]


@pytest.mark.parametrize(("oracle", "name"), SEARCHES)
@given(seed=st.integers(0, 10_000), share=st.sampled_from([0.02, 0.3, 0.6]), spread=st.sampled_from([0.05, 1, 10]))
@settings(max_examples=20)
def test_every_search_finds_what_the_whole_grid_holds(oracle, name, seed, share, spread):
    rng = np.random.default_rng(seed)
    split = Split(rng.permutation(np.arange(400) < 400 * share))
    scores = spread * (rng.normal(size=400) + split.is_positive).round(1)
    loss = resolve_target(name, TABLES[name]).make_loss(split.P, split.N)
    found, whole = (kind(split, loss, split.compute_costs("positive"))(scores) for kind in (oracle, GridOracle))

    assert found.value == pytest.approx(whole.value, abs=1e-9)


def test_branch_and_bound_is_the_grid_for_thousands_of_cases():
    rng = np.random.default_rng(0)
    split = Split(rng.random(10_000) < 0.1)
    scores = rng.normal(size=10_000) + 2 * split.is_positive
    loss = resolve_target("g_mean").make_loss(split.P, split.N)
    found, whole = (kind(split, loss, split.compute_costs("positive"))(scores) for kind in (BoxesOracle, GridOracle))

    assert found.value == pytest.approx(whole.value, abs=1e-12)
    np.testing.assert_array_equal(found.gradient, whole.gradient)


def test_a_callable_is_searched_like_the_measure_it_equals():
    rng = np.random.default_rng(1)
    split = Split(rng.random(3000) < 0.2)
    scores = rng.normal(size=3000) + split.is_positive
    f1 = resolve_target(lambda tp, fp, P, N: 2 * tp / (P + tp + fp))

    assert f1.make_oracle(split)(scores).value == pytest.approx(
        resolve_target("f1").make_oracle(split)(scores).value, abs=1e-12
    )


@pytest.mark.parametrize(("name", "parameters"), [("f1", {}), ("jaccard", {}), *AT_THE_ENDS])
def test_the_short_form_of_a_ratio_is_the_measure_on_every_table(name, parameters):
    goal = resolve_target(name, parameters)
    a, b = np.arange(8.0)[:, None], np.arange(24.0)[None, :]

    np.testing.assert_allclose(goal.make_loss(7.0, 23.0)(a, b), 1 - goal.make_gain(7.0, 23.0)(a, b), atol=1e-12)


def test_only_losses_that_are_ratios_have_the_short_form():
    squared = lambda a, b: 1 - (a / (7 + b)) ** 2  # noqa: E731
    never_flagged = resolve_target("precision").make_loss(7.0, 23.0)  # which is undefined when nobody is

    assert rewrite_as_ratio(squared, 7.0, 23.0) is squared
    assert rewrite_as_ratio(never_flagged, 7.0, 23.0) is never_flagged
    assert (
        resolve_target("f1").make_loss(7.0, 23.0).__name__
        == resolve_target("jaccard").make_loss(7.0, 23.0).__name__
        == "compute_ratio"
    )


@often
@given(data=scored(), miss=st.floats(0, 2), alarm=st.floats(0, 2))
def test_the_oracle_of_a_linear_loss_treats_weights_as_repeated_cases(data, miss, alarm):
    split, scores = data
    weight = np.arange(split.n) % 3 + 1
    weighted = LinearOracle(Split(split.is_positive, weight.astype(float)), miss, alarm, (0.3, 0.1))(scores)
    repeated = LinearOracle(Split(split.is_positive.repeat(weight)), miss, alarm, (0.3, 0.1))(scores.repeat(weight))

    assert weighted.value == pytest.approx(repeated.value)
    first = np.concatenate(([0], np.cumsum(weight)[:-1]))
    np.testing.assert_allclose(weighted.gradient, np.add.reduceat(repeated.gradient, first))


# ---------------------------------------------------------------------- quotas


@often
@given(data=scored(low=3), share=st.floats(0, 1))
def test_the_oracle_of_the_break_even_point_is_the_worst_choice_of_as_many_as_are_positive(data, share):
    split, scores = data
    loss = lambda a, b: 1 - a / split.P  # noqa: E731
    expected = worst_labeling(split, scores, loss, split.compute_costs("positive"), lambda flagged: flagged == split.P)

    assert resolve_target("prbep").make_oracle(split)(scores).value == pytest.approx(expected, abs=1e-10)


@often
@given(data=scored(low=3), share=st.floats(0, 1))
def test_the_oracle_of_recall_in_a_quota_is_the_worst_labeling_of_at_most_that_many(data, share):
    split, scores = data
    quota = int(split.P + share * split.N)
    loss = lambda a, b: 1 - a / split.P  # noqa: E731
    expected = worst_labeling(split, scores, loss, split.compute_costs("positive"), lambda flagged: flagged <= quota)

    assert AtMostOracle(split, quota, 1 / split.P)(scores).value == pytest.approx(expected, abs=1e-10)


@often
@given(data=scored(low=3), share=st.floats(0, 1), per_hit=st.floats(0, 1))
def test_the_oracle_of_a_quota_is_the_worst_choice_against_the_mean_of_all_perfect_ones(data, share, per_hit):
    split, scores = data
    k = 1 + int(share * (split.n - 1))
    y = split.is_positive
    choices = [np.array(f) for f in product([False, True], repeat=split.n) if sum(f) == k]
    most = max((f & y).sum() for f in choices)
    perfect = np.mean([f for f in choices if (f & y).sum() == most], axis=0)
    expected = max(per_hit * (most - (f & y).sum()) + 0.3 * (f - perfect) @ scores for f in choices)

    assert QuotaOracle(split, k, 0.3, per_hit)(scores).value == pytest.approx(expected, abs=1e-10)


# ---------------------------------------------------------------------- orders


@often
@given(data=scored())
def test_the_oracle_of_average_precision_is_the_worst_of_all_orders(data):
    split, scores = data
    found = np.arange(1, split.P + 1)
    expected = worst_order(split, scores, lambda above: 1 - (found / (found + above)).mean(1))

    assert AveragePrecisionOracle(split)(scores).value == pytest.approx(expected, abs=1e-10)


@often
@given(data=scored())
def test_the_oracle_of_the_average_qrecall_is_the_worst_of_all_orders(data):
    split, scores = data
    place = np.arange(1, int(split.P) + 1)

    def loss(above):
        """Equation 13: one less the mean, over all quotas from P, of the positives that have a place."""
        places = place + above
        quotas = np.arange(int(split.P), split.n + 1)
        return 1 - (places[:, :, None] <= quotas).mean(axis=(1, 2))

    assert AverageQrecallOracle(split)(scores).value == pytest.approx(worst_order(split, scores, loss), abs=1e-10)


@often
@given(data=scored())
def test_the_gradient_of_the_average_qrecall_supports_its_risk(data):
    split, scores = data
    risk = AverageQrecallOracle(split)
    value, gradient = risk(scores)
    for other in (np.zeros(split.n), -scores, scores[::-1], scores + np.arange(split.n)):
        assert risk(other).value >= value + gradient @ (other - scores) - 1e-9


@often
@given(data=scored())
def test_the_oracle_of_the_auc_is_the_worst_of_all_orders_and_the_mean_hinge_of_pairs(data):
    split, scores = data
    gap = scores[split.pos][:, None] - scores[split.neg]
    risk = AucOracle(split)(scores).value

    assert risk == pytest.approx(np.maximum(0, 1 - gap).mean(), abs=1e-10)
    assert risk == pytest.approx(worst_order(split, scores, lambda above: above.mean(1) / split.N), abs=1e-10)


@often
@given(data=scored(), end=st.sampled_from([1, 0.5, 0.37, 0.7]))
def test_the_oracle_of_the_partial_auc_is_the_worst_choice_of_negatives_and_of_places(data, end):
    split, scores = data
    high = end * split.N
    place = np.arange(int(np.ceil(high - 1e-9)))
    share = np.minimum(1, high - place)
    chosen = scores[split.neg][orders(len(split.neg), len(place))]
    gains = np.cumsum(share * (1 - scores[split.pos][:, None, None] + chosen), axis=2)
    best = np.maximum(0, gains.max(2)).sum(0).max() / (split.P * high)

    assert PartialAucOracle(split, high)(scores).value == pytest.approx(best, abs=1e-10)


@often
@given(data=scored())
def test_the_auc_treats_weights_as_repeated_cases(data):
    split, scores = data
    weight = np.arange(split.n) % 3 + 1
    weighted = AucOracle(Split(split.is_positive, weight.astype(float)))(scores)
    repeated = AucOracle(Split(split.is_positive.repeat(weight)))(scores.repeat(weight))

    assert weighted.value == pytest.approx(repeated.value)


# ---------------------------------------------------------------------- subgradients

EVERY = {
    **TABLES,
    "auc": {},
    "average_precision": {},
    "partial_auc": {"max_fpr": 0.4},
    "roc_n": {"n": 2},
    "prbep": {},
    "precision_at_k": {"quota": 3},
    "recall_at_k": {"quota": 12},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
@given(seed=st.integers(0, 10_000), step=st.sampled_from([0.01, 0.3, 10.0]), ties=st.booleans())
@settings(max_examples=40)
def test_no_risk_falls_below_its_tangent(name, seed, step, ties):
    rng = np.random.default_rng(seed)
    split = Split(rng.permutation(np.arange(30) < 8))
    here = rng.normal(size=30) + split.is_positive
    here = here.round() if ties else here
    there = here + step * rng.normal(size=30)
    oracle = resolve_target(name, EVERY[name]).make_oracle(split)
    risk = oracle(here)

    assert oracle(there).value >= risk.value + risk.gradient @ (there - here) - 1e-9


@pytest.mark.parametrize("name", EVERY)
@given(seed=st.integers(0, 10_000))
@settings(max_examples=20)
def test_every_risk_bounds_the_loss_of_the_scores(name, seed):
    rng = np.random.default_rng(seed)
    split = Split(rng.permutation(np.arange(30) < 8))
    scores = rng.normal(size=30)
    goal = resolve_target(name, EVERY[name])
    risk = goal.make_oracle(split)(scores).value

    from cutline import rank

    ranking = rank(split.is_positive, scores)
    if goal.is_table:
        tp, fp = ((scores >= 0) & split.is_positive).sum(), ((scores >= 0) & ~split.is_positive).sum()
        loss = float(goal.make_loss(8.0, 22.0)(np.float64(tp), np.float64(fp)))
    else:
        parameters = {**goal.parameters, **({"standardised": "box"} if name == "partial_auc" else {})}
        loss = 1 - goal.measure.compute(ranking, **parameters)
    assert risk >= loss - 1e-9
