"""What every measure of the registry promises, tested for all of them: a new measure gets these tests for nothing."""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import cutline as cl
from cutline import MEASURES, Ranking, rank
from cutline.measures import Context, Needs, check_measure
from cutline.measures.check_measure import compute_values, fix_parameters
from grouping import each_case

few = settings(max_examples=10)  # for each of the measures
every_measure = each_case("m", MEASURES, ids=str)

# Scores that are probabilities, heavily tied, so that all measures apply.
cases = st.lists(st.tuples(st.booleans(), st.integers(0, 8)), min_size=1, max_size=25)
weighted_cases = st.lists(
    st.tuples(st.booleans(), st.integers(0, 8), st.integers(0, 3)), min_size=1, max_size=25
).filter(lambda rows: any(weight for _, _, weight in rows))


def columns(rows):
    """Labels, scores in [0, 1], and weights if there are any."""
    labels, scores, *weights = map(np.array, zip(*rows, strict=True))
    return labels, scores / 8, *weights


# ---------------------------------------------------------------------- the laws of check_measure


@every_measure
def test_every_measure_keeps_what_it_declares(m):
    cl.check_measure(m)


@every_measure
@few
@given(rows=cases)
@example(rows=[(True, 1)])
@example(rows=[(False, 1), (False, 2)])
@example(rows=[(True, 8), (False, 0)])
def test_every_measure_keeps_the_laws_on_any_cases(m, rows):
    ranking = rank(*columns(rows))

    assert [finding for law in check_measure.RANKING_LAWS for finding in law(m, ranking)] == []


def test_the_baseline_of_pairs_depends_on_the_scores():
    """A constant score ties all pairs, one in random order none: there is no one value."""
    assert all(math.isnan(MEASURES[name].baseline.at(Context(0.3))) for name in ("concordant_pairs", "tied_pairs"))


@pytest.mark.parametrize("name", ["aucpr_min", "aucpr_minmax", "aucpr_max"])
def test_many_distinct_scores_in_random_order_have_trapezoids_near_the_prevalence(name):
    rng = np.random.default_rng(0)

    assert MEASURES[name](rng.random(20_000) < 0.3, rng.random(20_000)) == pytest.approx(0.3, abs=0.02)


@pytest.mark.parametrize("name", ["average_precision", "auc", "ks", "auch"])
def test_many_distinct_scores_in_random_order_come_near_the_baseline(name):
    rng = np.random.default_rng(0)
    m = MEASURES[name]

    assert m(rng.random(20_000) < 0.3, rng.random(20_000)) == pytest.approx(m.baseline.at(Context(0.3)), abs=0.02)


# ---------------------------------------------------------------------- weights, order, parts, stacks


@every_measure
@few
@given(rows=weighted_cases)
def test_a_weight_is_a_repetition_and_no_weight_an_absence(m, rows):
    labels, scores, weights = columns(rows)
    repeated = rank(labels.repeat(weights), scores.repeat(weights))

    np.testing.assert_array_equal(compute_values(m, rank(labels, scores, weights)), compute_values(m, repeated))


@every_measure
@few
@given(rows=weighted_cases, data=st.data())
def test_the_order_of_the_rows_does_not_matter(m, rows, data):
    shuffled = data.draw(st.permutations(rows))

    np.testing.assert_array_equal(compute_values(m, rank(*columns(shuffled))), compute_values(m, rank(*columns(rows))))


@every_measure
@few
@given(rows=cases.filter(lambda rows: len(rows) > 1), data=st.data())
def test_two_parts_merged_are_the_whole(m, rows, data):
    middle = data.draw(st.integers(1, len(rows) - 1))
    merged = rank(*columns(rows[:middle])) + rank(*columns(rows[middle:]))

    np.testing.assert_array_equal(compute_values(m, merged), compute_values(m, rank(*columns(rows))))


@every_measure
@few
@given(
    scores=st.lists(st.integers(0, 64), min_size=1, max_size=8, unique=True),
    resamples=st.integers(1, 4),
    seed=st.integers(0, 2**32 - 1),
)
def test_a_stack_of_resamples_is_a_loop_over_them(m, scores, resamples, seed):
    rng = np.random.default_rng(seed)
    score = np.sort(np.array(scores))[::-1] / 64
    pos, neg = (rng.integers(0, 4, (resamples, len(score))) for _ in range(2))
    pos[:, 0] += 1  # at least one case, but perhaps one class, and empty cells
    stack = Ranking(score, pos, neg, pos, neg)
    m = fix_parameters(m).with_(quota=1) if "quota" in m.required else m
    loop = [m.compute(one.counts if m.needs is Needs.COUNTS else one) for one in stack.one_by_one()]

    stacked = m.compute(stack.counts if m.needs is Needs.COUNTS else stack)

    assert np.shape(stacked) == np.shape(loop)
    assert check_measure.are_equal(stacked, loop)


@every_measure
def test_parameters_can_be_fixed_beforehand(m):
    for name, parameter in m.parameters.items():
        if parameter.example is None:
            continue
        others = {other: m.parameters[other].example for other in m.required if other != name}
        ranking = rank([1, 0, 1, 1, 0, 0, 1, 0], [0.9, 0.8, 0.8, 0.6, 0.5, 0.4, 0.3, 0.1])

        fixed_before = m.with_(**{name: parameter.example})(ranking, **others)
        assert check_measure.are_equal(fixed_before, m(ranking, **{name: parameter.example} | others))
