"""The variance of the AUC, against all pairs and against what DeLong's own paper implies."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cutline import MEASURES, Evaluation, Ranking, evaluate, rank
from cutline.inference import delong
from cutline.inference.single.proportions import wilson
from cutline.measures import LinearInAuc

cases = st.lists(st.tuples(st.booleans(), st.integers(0, 6)), min_size=4, max_size=30).filter(
    lambda rows: 2 <= sum(label for label, _ in rows) <= len(rows) - 2
)


def slow(labels, scores):
    """The AUC and DeLong's variance, by the definition, over all pairs."""
    labels, scores = np.asarray(labels, dtype=bool), np.asarray(scores, dtype=float)
    x, y = scores[labels][:, None], scores[~labels][None, :]
    won = (x > y) + 0.5 * (x == y)
    return won.mean(), won.mean(1).var(ddof=1) / len(x) + won.mean(0).var(ddof=1) / y.size


@given(rows=cases)
def test_the_variance_equals_the_sum_over_all_pairs(rows):
    labels, scores = zip(*rows, strict=True)
    area, variance = slow(labels, scores)
    ranking = rank(labels, scores)

    assert MEASURES["auc"](ranking) == pytest.approx(area)
    assert delong.compute_variance(ranking) == pytest.approx(variance, abs=1e-15)


@given(rows=cases, weights=st.lists(st.integers(1, 3), min_size=30, max_size=30))
def test_a_whole_weight_is_a_repetition(rows, weights):
    labels, scores = map(np.array, zip(*rows, strict=True))
    weights = np.array(weights[: len(labels)])

    weighted = delong.compute_variance(rank(labels, scores, weights))

    assert weighted == pytest.approx(slow(labels.repeat(weights), scores.repeat(weights))[1], abs=1e-15)


@given(rows=cases, scale=st.floats(0.1, 9.3))
def test_equal_weights_change_nothing(rows, scale):
    labels, scores = map(np.array, zip(*rows, strict=True))
    weights = np.full(len(labels), np.sqrt(2) * scale)

    assert delong.compute_variance(rank(labels, scores, weights)) == pytest.approx(slow(labels, scores)[1], abs=1e-12)


def test_unequal_weights_enter_squared():
    labels, scores, weights = [1, 1, 0, 0], [4, 2, 3, 1], [1.5, 0.5, 1, 1.0]
    # Positives stand right to 2/2 and 1/2 of the negatives, negatives to 1.5/2 and 2/2 of the positives.
    area = (1.5 * 1 + 0.5 * 0.5) / 2
    positives, negatives = 2**2 / (1.5**2 + 0.5**2), 2
    spread = (1.5**2 * (1 - area) ** 2 + 0.5**2 * (0.5 - area) ** 2) / 2**2 * positives / (positives - 1)
    spread += ((0.75 - area) ** 2 + (1 - area) ** 2) / 2**2 * negatives / (negatives - 1)

    assert delong.compute_variance(rank(labels, scores, weights)) == pytest.approx(spread)


def test_a_stack_has_the_variances_of_its_rankings():
    rng = np.random.default_rng(3)
    pos, neg = rng.integers(1, 5, (2, 7, 6))
    stack = Ranking(np.arange(6.0)[::-1], pos, neg, pos, neg)

    np.testing.assert_allclose(
        delong.compute_variance(stack), [delong.compute_variance(one) for one in stack.one_by_one()]
    )


def test_the_standard_error_of_two_by_two_cases_by_hand():
    # Scores 4 > 3 > 2 > 1, positives at 4 and 2: placements 1 and 1/2, and 1/2 and 1; each variance is 1/8.
    assert delong.compute_variance(rank([1, 0, 1, 0], [4, 3, 2, 1])) == pytest.approx(1 / 8 / 2 + 1 / 8 / 2)


def test_the_ratings_of_hanley_and_mcneil_have_the_interval_that_stata_prints():
    # 109 images rated from 5 (surely abnormal) to 1, 51 of them abnormal (Hanley and McNeil, 1982, Table I).
    ev = Evaluation(Ranking.of_counts([5, 4, 3, 2, 1], [33, 11, 2, 2, 3], [2, 11, 6, 6, 33]))
    found = ev.estimate("auc", method="delong")

    assert round(found.value, 4) == 0.8932
    assert round(delong.compute_variance(ev.ranking) ** 0.5, 4) == 0.0307
    assert (round(found.low, 5), round(found.high, 5)) == (0.83295, 0.95339)


def test_the_logit_interval_is_the_plain_one_on_another_scale():
    low, high = delong.delong_logit(0.8, 0.01, 0.95)
    logit = np.log(0.8 / 0.2) + np.array([-1, 1]) * 1.959963984540054 * 0.1 / 0.16

    np.testing.assert_allclose((low, high), 1 / (1 + np.exp(-logit)))


@pytest.mark.slow
@pytest.mark.parametrize("m", [m for m in MEASURES if isinstance(m.form, LinearInAuc)], ids=str)
@given(rows=cases)
def test_a_declared_line_leads_from_the_auc_to_the_measure(m, rows):
    ranking = rank(*zip(*rows, strict=True))
    slope, intercept = m.form.of(ranking)

    assert slope * MEASURES["auc"](ranking) + intercept == pytest.approx(m(ranking), abs=1e-12)


def test_the_lines_are_those_of_the_auc():
    assert {m.name for m in MEASURES if isinstance(m.form, LinearInAuc)} == {
        "auc",
        "gini",
        "pem",
        "taks",
        "average_gain",
    }


def test_the_interval_of_the_gini_index_is_twice_that_of_the_auc_less_one():
    ev = evaluate([1, 1, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1])
    auc, gini = ev.estimate("auc"), ev.estimate("gini")

    assert (gini.low, gini.high) == pytest.approx((2 * auc.low - 1, 2 * auc.high - 1))


@pytest.mark.parametrize(
    ("labels", "scores", "why"),
    [
        ([1, 1, 0, 0], [4, 3, 2, 1], "With an AUC of 1"),
        ([0, 0, 1, 1], [4, 3, 2, 1], "With an AUC of 0"),
        ([1, 0, 0, 0], [3, 4, 2, 1], "With a single positive case"),
        ([1, 1, 1, 0], [4, 3, 1, 2], "With a single negative case"),
        ([1, 1, 0, 0], [1, 1, 1, 1], "With equal scores within a class"),
    ],
)
@pytest.mark.parametrize("method", ["delong", "delong_logit"])
def test_newcombe_replaces_delong_where_its_variance_is_zero(labels, scores, why, method):
    found = evaluate(labels, scores).estimate("auc", method=method)

    assert found.method == "newcombe"
    assert found.notes == (f"{why}, DeLong's variance is not informative: Newcombe's interval is used instead.",)
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert found.low < found.high


def test_newcombe_solves_his_equation():
    area, m, n, z = 0.85, 12, 30, 1.959963984540054
    for limit in delong.newcombe(area, m, n, 0.95):
        middle = (m + n) / 2 - 1
        variance = limit * (1 - limit) * (1 + middle * ((1 - limit) / (2 - limit) + limit / (1 + limit))) / (m * n)
        assert abs(area - limit) == pytest.approx(z * np.sqrt(variance))


def test_limits_beyond_the_range_are_clipped_and_noted():
    found = evaluate([1, 1, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1]).estimate("auc", method="delong")

    assert found.high == 1
    assert "was cut at the range of the measure, 0 to 1" in found.notes[-1]


def test_where_a_few_positives_make_all_errors_the_auc_is_like_a_share_of_the_positives():
    """Two of 40 positives stand below nearly all of 400 negatives, the others above nearly all: a share of 38 of 40."""
    positives = np.r_[np.full(38, 10.0) + np.arange(38), -5.0, 5.0]
    negatives = np.arange(400) / 40 - 2.0
    found = evaluate(np.r_[np.ones(40), np.zeros(400)], np.r_[positives, negatives]).estimate("auc")

    assert found.method == "newcombe_delong"
    assert found.low <= float(wilson(40 * found.value, 40, 0.95).low) + 0.01
