"""Scoring rules: which reward the truth, and the score for ordered classes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

import cutline as cl
from cutline import check_proper, ranked_probability_score


def of_the_truth(y, q):
    """The probability that was given to the class that came."""
    return q if y == 1 else 1 - q


STRICTLY_PROPER = {
    "quadratic": lambda y, q: 1 - (y - q) ** 2,
    "logarithmic": lambda y, q: np.log(of_the_truth(y, q)),
    "spherical": lambda y, q: of_the_truth(y, q) / np.sqrt(q**2 + (1 - q) ** 2),
    "quadratic, on another scale": lambda y, q: 5 - 1000 * (y - q) ** 2,
}
PROPER = {
    "constant": lambda y, q: 7.0,
    "zero or one": lambda y, q: np.where(q == 0.5, 0.5, (q > 0.5) == y),
    "logarithmic, of clipped reports": lambda y, q: np.log(of_the_truth(y, np.clip(q, 0.1, 0.9))),
}
IMPROPER = {
    "absolute": lambda y, q: -np.abs(y - q),
    "the probability itself": of_the_truth,
    "logarithmic, of clipped losses": lambda y, q: np.log(np.maximum(of_the_truth(y, q), np.exp(-1))),
    "biased": lambda y, q: 1 - (y - 0.9 * q) ** 2,
    "against the truth": lambda y, q: (y - q) ** 2,
}


@pytest.mark.parametrize("name", STRICTLY_PROPER)
@pytest.mark.parametrize("grid", [3, 11, 201])
def test_a_strictly_proper_rule_rewards_the_truth_and_only_it(name, grid):
    rule = STRICTLY_PROPER[name]

    assert check_proper(rule, grid=grid) == cl.Properness(True, True)
    assert check_proper(lambda y, q: -np.asarray(rule(y, q)), reward=False, grid=grid) == cl.Properness(True, True)


@pytest.mark.parametrize("name", PROPER)
def test_a_rule_may_be_proper_and_not_strictly(name):
    found = check_proper(PROPER[name])

    assert found.proper
    assert not found.strictly_proper
    assert found.belief is None


@pytest.mark.parametrize("name", IMPROPER)
def test_an_improper_rule_is_refuted_by_an_example(name):
    rule, found = IMPROPER[name], check_proper(IMPROPER[name])

    assert not found.proper
    assert not found.strictly_proper

    def expected(report):
        rewards = [float(np.asarray(rule(y, np.array([report])))[0]) for y in (1, 0)]
        return found.belief * rewards[0] + (1 - found.belief) * rewards[1]

    assert found.gain > 0
    assert expected(found.report) - expected(found.belief) == pytest.approx(found.gain)


def test_who_reports_by_absolute_distance_exaggerates():
    found = check_proper(lambda y, q: abs(y - q), reward=False, grid=11)

    assert found.report in (0, 1)
    assert round(found.belief) == found.report


@pytest.mark.parametrize("rule", [lambda y, q: q * np.nan, lambda y, q: np.where(q == 0.5, np.nan, q)])
def test_a_rule_without_a_value_is_refused(rule):
    with pytest.raises(cl.CutlineError, match="rule"):
        check_proper(rule)


# ---------------------------------------------------------------------- ordered classes

OUTCOMES = ["win", "draw", "lose"]


@pytest.mark.parametrize(
    ("label", "row", "expected"),
    [
        ("win", [1, 0, 0], 0),
        ("lose", [1, 0, 0], (1 + 1) / 2),
        ("draw", [1, 0, 0], (1 + 0) / 2),
        ("lose", [0.5, 0.3, 0.2], (0.5**2 + 0.8**2) / 2),
        ("win", [0.5, 0.3, 0.2], (0.5**2 + 0.2**2) / 2),
        ("draw", [0.5, 0.3, 0.2], (0.5**2 + 0.2**2) / 2),
    ],
)
def test_the_ranked_probability_score_can_be_counted(label, row, expected):
    assert ranked_probability_score([label], [row], classes=OUTCOMES) == pytest.approx(expected)


def test_it_is_the_mean_over_the_cases_and_weights_repeat_them():
    rows = [[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]]
    one, two = (ranked_probability_score([label], [row]) for label, row in zip([2, 1], rows, strict=True))

    assert ranked_probability_score([2, 1], rows) == pytest.approx((one + two) / 2)
    assert ranked_probability_score([2, 1], rows, weights=[3, 1]) == pytest.approx((3 * one + two) / 4)
    assert ranked_probability_score([2, 1], rows, weights=[1, 0]) == pytest.approx(one)


def test_to_be_nearly_right_is_better_than_to_be_far_off():
    near, far = ([0, 1, 0, 0], [0, 0, 0, 1])

    assert ranked_probability_score([0], [near]) < ranked_probability_score([0], [far])


@settings(max_examples=100, deadline=None)
@given(rows=st.lists(st.tuples(st.integers(0, 1), st.floats(0, 1), st.integers(1, 3)), min_size=1, max_size=20))
def test_for_two_classes_it_is_the_brier_score(rows):
    labels, p, weights = map(np.array, zip(*rows, strict=True))
    found = ranked_probability_score(labels, np.column_stack([1 - p, p]), weights=weights)

    assert found == pytest.approx(cl.MEASURES["brier"](labels, p, weights), abs=1e-12)


@settings(max_examples=50, deadline=None)
@given(label=st.integers(0, 4), row=st.lists(st.integers(0, 9), min_size=5, max_size=5).filter(any))
def test_it_is_the_mean_brier_score_of_all_ways_to_split_the_classes(label, row):
    p = np.array(row) / sum(row)
    splits = [(p[:k].sum() - (label < k)) ** 2 for k in range(1, 5)]

    assert ranked_probability_score([label], [p]) == pytest.approx(np.mean(splits), abs=1e-12)


def test_the_order_of_the_classes_counts():
    row = [0.5, 0.3, 0.2]

    assert ranked_probability_score(["lose"], [row], classes=OUTCOMES) != pytest.approx(
        ranked_probability_score(["lose"], [row], classes=["win", "lose", "draw"])
    )


@pytest.mark.parametrize(
    "call",
    [
        lambda: ranked_probability_score([0, 1], [0.5, 0.5]),
        lambda: ranked_probability_score([0], [[0.5, 0.6]]),
        lambda: ranked_probability_score([0], [[-0.5, 1.5]]),
        lambda: ranked_probability_score([0, 1], [[0.5, 0.5]]),
        lambda: ranked_probability_score([5], [[0.5, 0.5]]),
        lambda: ranked_probability_score(["a"], [[0.5, 0.5]], classes=["a", "b", "c"]),
        lambda: check_proper(lambda y, q: q, grid=1),
    ],
)
def test_what_cannot_be_scored_is_refused(call):
    with pytest.raises(cl.CutlineError):
        call()


# ---------------------------------------------------------------------- rewards and divergences


def quadratic(y, q):
    return 1 - (y - q) ** 2


def test_the_expected_reward_is_greatest_for_the_truth():
    """Berrar, section 1: E(R) = p [1 - (1 - q)^2] + (1 - p) [1 - q^2], whose slope 2p - 2q is 0 at q = p."""
    q = np.linspace(0, 1, 101)
    expected = cl.expected_reward(quadratic, 0.3, q)

    assert expected == pytest.approx(0.3 * (1 - (1 - q) ** 2) + 0.7 * (1 - q**2))
    assert q[np.argmax(expected)] == pytest.approx(0.3)


def test_a_reward_that_cannot_happen_does_not_count():
    assert cl.expected_reward(lambda y, q: np.log(q if y else 1 - q), 1.0, 1.0) == 0


@given(st.floats(0, 1), st.floats(0, 1, allow_subnormal=False))  # of less, SciPy 1.13 makes infinity
def test_the_divergence_is_the_cross_entropy_less_the_entropy(p, q):
    found = cl.kl_divergence(p, q)

    assert found == pytest.approx(special.rel_entr(p, q) + special.rel_entr(1 - p, 1 - q), abs=1e-9)
    assert cl.entropy(p) == pytest.approx(special.entr(p) + special.entr(1 - p), abs=1e-12)


def test_the_mean_divergence_of_known_labels_is_the_log_loss():
    labels, scores = np.array([1, 0, 1, 1]), np.array([0.9, 0.3, 0.4, 0.6])

    assert cl.kl_divergence(labels, scores).mean() == pytest.approx(cl.log_loss(labels, scores))
    assert cl.kl_divergence(labels, scores, base=2).mean() == pytest.approx(cl.log_loss(labels, scores, base=2))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: cl.entropy(1.5), "probability holds 1.5"),
        (lambda: cl.kl_divergence([0.5, -0.1], 0.5), "truth holds -0.1"),
        (lambda: cl.kl_divergence(0.5, "a"), "report is 'a'"),
        (lambda: cl.entropy(0.5, base=1), "base is 1"),
    ],
)
def test_values_that_are_not_probabilities_are_refused(call, words):
    with pytest.raises(cl.CutlineError, match=words):
        call()
