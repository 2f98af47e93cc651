"""The cut in words, as the page says it before its program has started."""

import pytest

import cutline as cl
from cutline.results.cut_point import describe_rule, format_threshold, group_digits


@pytest.mark.parametrize(
    ("threshold", "words"),
    [(0.5, "0.5"), (1 / 3, "0.333333"), (300.0, "300"), (2e-7, "2e-7"), (12345678.5, "12345700")],
)
def test_a_threshold_has_few_digits_that_cut_at_the_same_place(threshold, words):
    ranking = cl.rank([1, 0], [threshold * 2, threshold / 2])
    assert format_threshold(ranking, threshold) == words


def test_a_threshold_has_as_many_digits_as_needed():
    ranking = cl.rank([1, 0, 1], [0.12345678, 0.12345677, 0.1])
    assert format_threshold(ranking, 0.12345678) == "0.12345678"


def test_a_threshold_above_every_score_says_so():
    ranking = cl.rank([1, 0], [0.9, 0.2])
    assert describe_rule(ranking, ranking.at_cut(0)) == "threshold above every score"
    turned = cl.rank([1, 0], [0.2, 0.9], higher_is_positive=False)
    assert describe_rule(turned, turned.at_cut(0)) == "threshold below every score"
    assert describe_rule(turned, turned.at_cut(1)) == "score ≤ 0.2"


def test_long_counts_are_grouped():
    assert (group_digits(1234), group_digits(12345), group_digits(1234567.5)) == (
        "1234",
        "12\N{THIN SPACE}345",
        "1.23457e+06",
    )
