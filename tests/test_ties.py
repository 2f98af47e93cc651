"""What a tie does to each measure: by brute force over all its orders, or by the rule the measure states."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cutline
import reference
from cutline import MEASURES, rank
from cutline.measures.quotas import pem_areas

often = settings(max_examples=60, deadline=None)


def exactly(expected):
    """The value up to the last digits of a float."""
    return pytest.approx(float(expected), rel=1e-11, abs=1e-12)


FEW = st.integers(0, 2)


@st.composite
def small_lists(draw, scores=FEW, longest=7):
    """Two to seven cases of both classes with few distinct scores, so that nearly all of them are tied."""
    cases = [(1, draw(scores)), (0, draw(scores))]
    cases += draw(st.lists(st.tuples(st.integers(0, 1), scores), max_size=longest - 2))
    cases = draw(st.permutations(cases))
    return [y for y, _ in cases], [s for _, s in cases]


def untied(order):
    """The ranking of a list of labels without ties."""
    return rank(order, range(len(order), 0, -1))


# ---------------------------------------------------------------------- the mean over all orders

LINEAR = {
    "auc": lambda order: reference.auc(order, range(len(order), 0, -1)),
    "gini": lambda order: 2 * reference.auc(order, range(len(order), 0, -1)) - 1,
    "pem": reference.pem,
    "average_gain": reference.gain,
    "average_lift": reference.average_lift,
    "mean_precision": reference.mean_precision,
    "taks": reference.taks,
    "average_qrecall": reference.average_qrecall,
    "expected_average_precision": lambda order: reference.average_precision(order, range(len(order), 0, -1)),
}


@pytest.mark.parametrize("name", LINEAR)
@often
@given(data=small_lists())
def test_a_tie_counts_as_the_mean_over_its_orders(name, data):
    assert MEASURES[name](*data) == exactly(reference.mean_over_orders(LINEAR[name], *data))


@pytest.mark.parametrize("name", LINEAR)
@often
@given(data=small_lists())
def test_an_untied_list_has_the_value_of_its_definition(name, data):
    order = reference.orders(*data)[0]

    assert MEASURES[name](untied(order)) == exactly(LINEAR[name](order))


@often
@given(data=small_lists())
def test_every_quota_of_a_tied_list_counts_as_the_mean_over_the_orders(data):
    prevalence = Fraction(sum(data[0]), len(data[0]))
    for j in range(1, len(data[0]) + 1):
        hits = reference.mean_over_orders(lambda order, j=j: reference.hit_rate(order, j), *data)
        found = reference.mean_over_orders(lambda order, j=j: reference.qrecall(order, j), *data)

        assert cutline.hit_rate(*data, quota=j) == exactly(hits)
        assert cutline.qrecall(*data, quota=j) == exactly(found)
        assert cutline.enrichment(*data, quota=j) == exactly(hits / prevalence)


@pytest.mark.parametrize("alpha", [1.0, 20.0])
@often
@given(data=small_lists())
def test_early_retrieval_of_a_tie_counts_as_the_mean_over_its_orders(alpha, data):
    mean = reference.mean_over_orders(lambda order: reference.rie(order, alpha), *data)
    each = [cutline.bedroc(untied(order), alpha=alpha) for order in reference.orders(*data)]

    assert cutline.rie(*data, alpha=alpha) == exactly(mean)
    assert cutline.bedroc(*data, alpha=alpha) == exactly(np.mean(each))


@often
@given(data=small_lists())
def test_the_pairs_of_a_tie_are_won_in_half_of_its_orders(data):
    won = [cutline.concordant_pairs(untied(order)) for order in reference.orders(*data)]

    assert cutline.concordant_pairs(*data) + cutline.tied_pairs(*data) / 2 == exactly(np.mean(won))


# ---------------------------------------------------------------------- the share of each place in the paper's formula


@often
@given(data=small_lists(longest=25))
def test_average_hit_rate_puts_the_share_of_each_place_into_the_papers_formula(data):
    assert cutline.average_hit_rate(*data) == exactly(reference.average_hit_rate(reference.places(*data)))


@often
@given(data=small_lists(scores=st.integers(0, 5), longest=25), quota=st.integers(2, 25))
def test_pearson_puts_the_share_of_each_place_into_the_papers_formula(data, quota):
    quota = min(quota, len(data[0]))
    t, p = reference.places(*data)[:quota], sorted(data[1], reverse=True)[:quota]
    value = cutline.pearson(*data, quota=quota)

    if len(set(t)) == 1 or len(set(p)) == 1:
        assert np.isnan(value)
    else:
        assert value == exactly(reference.pearson(t, p))


@often
@given(data=small_lists(longest=25))
def test_the_three_areas_of_pem_are_those_of_the_papers_table(data):
    assert tuple(pem_areas(rank(*data))) == tuple(
        exactly(area) for area in reference.pem_areas(reference.places(*data))
    )


def test_the_three_areas_of_pem_are_those_of_labels_and_scores_too():
    labels, scores, weights = [1, 0, 1, 0, 0], [0.9, 0.6, 0.6, 0.2, 0.1], [1, 2, 3, 1, 2]
    named = ["yes" if label else "no" for label in labels]

    assert pem_areas(labels, scores) == pem_areas(rank(labels, scores))
    assert pem_areas(named, scores, positive="yes") == pem_areas(rank(labels, scores))
    assert pem_areas(labels, scores, weights) == pem_areas(rank(labels, scores, weights))
    s1, s2, s3 = pem_areas(labels, scores)
    assert (s1 - s2) / s3 == exactly(cutline.pem(labels, scores))
    with pytest.raises(cutline.InputError, match="scores"):
        pem_areas(labels)


# ---------------------------------------------------------------------- read at the distinct scores

AT_DISTINCT_SCORES = {
    "ks": reference.ks,
    "max_youden_j": reference.max_youden_j,
    "eer": reference.eer,
    "auch": reference.auch,
    "average_precision": reference.average_precision,
    "aucpr_min": lambda y, s: reference.aucpr(y, s, min, min),
    "aucpr_minmax": lambda y, s: reference.aucpr(y, s, min, max),
    "aucpr_max": lambda y, s: reference.aucpr(y, s, max, max),
}


@pytest.mark.parametrize("name", AT_DISTINCT_SCORES)
@often
@given(data=small_lists(scores=st.integers(0, 6), longest=20))
def test_it_is_read_where_a_threshold_can_really_cut(name, data):
    assert MEASURES[name](*data) == exactly(AT_DISTINCT_SCORES[name](*data))


@often
@given(data=small_lists(scores=st.integers(0, 3), longest=20), share=st.fractions(Fraction(1, 20), 1))
def test_the_roc_curve_crosses_a_tie_straight_also_where_a_partial_area_ends(data, share):
    n_neg = len(data[0]) - sum(data[0])
    area = reference.area_up_to(*data, share)

    assert cutline.partial_auc(*data, max_fpr=float(share), standardised=False) == exactly(area)
    assert cutline.roc_n(*data, n=float(share * n_neg)) == pytest.approx(float(area / share), rel=1e-9)


def test_one_tie_of_all_cases_tells_the_rules_apart():
    data = [1, 1, 0, 0], [7, 7, 7, 7]  # orders: 1100, 1010, 1001, 0110, 0101, 0011

    assert cutline.auc(*data) == 1 / 2
    assert cutline.ks(*data) == 0  # no threshold tells the cases apart ...
    assert np.mean([cutline.ks(untied(order)) for order in reference.orders(*data)]) == exactly(Fraction(2, 3))
    assert cutline.average_precision(*data) == cutline.average_hit_rate(*data) == 1 / 2
    assert cutline.expected_average_precision(*data) == exactly(Fraction(1, 6) * Fraction(49, 12))


# ---------------------------------------------------------------------- the order of the rows


@settings(max_examples=40, deadline=None)
@given(
    data=small_lists(scores=st.sampled_from([k / 8 for k in range(9)]), longest=30),
    weights=st.none() | st.lists(st.sampled_from([1, 2, 3]) | st.floats(1, 9), min_size=30, max_size=30),
    shuffle=st.randoms(use_true_random=False),
)
def test_no_result_depends_on_the_order_of_the_rows_by_a_single_bit(data, weights, shuffle):
    labels, scores = data
    rows = list(range(len(labels)))
    shuffle.shuffle(rows)
    weights = None if weights is None else np.array(weights[: len(labels)])
    as_given = reference.every_measure(rank(labels, scores, weights))
    shuffled = reference.every_measure(
        rank(np.take(labels, rows), np.take(scores, rows), None if weights is None else weights[rows])
    )

    different = [name for name in as_given if not np.array_equal(as_given[name], shuffled[name], equal_nan=True)]
    assert different == []
