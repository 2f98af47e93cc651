"""What every measure of the registry promises, tested for all of them: a new measure gets these tests for nothing."""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cutline import MEASURES, Counts, Ranking, rank
from cutline.measures import Context, Needs

few = settings(max_examples=25)  # for each of the measures
every_measure = pytest.mark.parametrize("m", MEASURES, ids=str)

# Scores that are probabilities, heavily tied, so that all measures apply.
cases = st.lists(st.tuples(st.booleans(), st.integers(0, 8)), min_size=1, max_size=25)
weighted_cases = st.lists(
    st.tuples(st.booleans(), st.integers(0, 8), st.integers(0, 3)), min_size=1, max_size=25
).filter(lambda rows: any(weight for _, _, weight in rows))


def fixed(m):
    """The measure with an example for each parameter that has to be given."""
    return m.with_(**{name: m.parameters[name].example for name in m.required})


def columns(rows):
    """Labels, scores in [0, 1], and weights if there are any."""
    labels, scores, *weights = map(np.array, zip(*rows, strict=True))
    return labels, scores / 8, *weights


def values(m, ranking):
    """The measure of the ranking, or of its tables at every cut."""
    m = fixed(m)
    if "quota" in m.bound:
        ranking_size = ranking.total.min()
        m = m.with_(quota=max(1, min(3, int(ranking_size))))
    return m.compute(ranking.counts if m.needs is Needs.COUNTS else ranking)


def assert_same(actual, expected):
    np.testing.assert_allclose(actual, expected, rtol=1e-9, atol=1e-12, equal_nan=True)


# ---------------------------------------------------------------------- declared values


def perfect_ranking(m, positives=3, negatives=5):
    """Every positive above every negative, as sure as the measure can want it, no two alike unless they have to be."""
    labels = [1] * positives + [0] * negatives
    if m.needs is Needs.PROBABILITIES or m.name == "pearson":
        return rank(labels, labels)
    return rank(labels, np.concatenate((np.arange(positives) + 2.0, -np.arange(negatives) - 2.0)))


@every_measure
@pytest.mark.parametrize(("positives", "negatives"), [(3, 5), (5, 3), (1, 59), (6, 54)])
def test_a_perfect_model_scores_the_declared_value(m, positives, negatives):
    m = fixed(m)
    n, prevalence = positives + negatives, positives / (positives + negatives)
    data = perfect_ranking(m, positives, negatives)
    if m.needs is Needs.COUNTS:
        data = Counts(tp=positives, fp=0, fn=0, tn=negatives, threshold=0.5)
    if m.reason(data):  # ROC_N of fewer than n negatives
        assert math.isnan(m(data))
        return

    assert m(data) == pytest.approx(m.perfect.at(Context(prevalence, prevalence, n), **m.defaults), abs=1e-12)


@every_measure
@pytest.mark.parametrize(("positives", "negatives"), [(3, 5), (5, 3), (6, 54)])
@pytest.mark.parametrize("flagged", [0.1, 0.5, 0.8])
def test_a_score_without_information_gets_the_declared_baseline(m, positives, negatives, flagged):
    m = fixed(m)
    n, prevalence = positives + negatives, positives / (positives + negatives)
    labels = [1] * positives + [0] * negatives
    if m.needs is Needs.COUNTS:
        counts = Counts.independent(prevalence, flagged)
        data = Counts(counts.tp, counts.fp, counts.fn, counts.tn, threshold=0.2)
    elif m.needs is Needs.MARGINS:
        data = rank(labels, [0.0] * n)
    else:
        data = rank(labels, [prevalence] * n)
    expected = m.baseline.at(Context(prevalence, m.bound.get("quota", flagged * n) / n, n, 0.2), **m.defaults)

    if m.reason(data):
        assert math.isnan(m(data))
        assert math.isnan(expected) or m.name in ("pearson", "roc_n", "recall_at_precision")
    elif m.name in ("concordant_pairs", "tied_pairs"):
        assert math.isnan(expected)  # a constant score ties all pairs, a random one none: there is no one value
    else:
        assert m(data) == pytest.approx(expected, abs=1e-12)
        assert data.total == pytest.approx(1) or m.baseline_value(data, **m.bound) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", ["aucpr_min", "aucpr_minmax", "aucpr_max"])
def test_many_distinct_scores_in_random_order_have_trapezoids_near_the_prevalence(name):
    rng = np.random.default_rng(0)

    assert MEASURES[name](rng.random(20_000) < 0.3, rng.random(20_000)) == pytest.approx(0.3, abs=0.02)


@pytest.mark.parametrize("name", ["average_precision", "auc", "ks", "auch"])
def test_many_distinct_scores_in_random_order_come_near_the_baseline(name):
    rng = np.random.default_rng(0)
    m = MEASURES[name]

    assert m(rng.random(20_000) < 0.3, rng.random(20_000)) == pytest.approx(m.baseline.at(Context(0.3)), abs=0.02)


@every_measure
@few
@given(rows=cases)
def test_values_stay_in_the_declared_range(m, rows):
    found = np.asarray(values(m, rank(*columns(rows))))
    found = found[~np.isnan(found)]
    low, high = m.range

    assert (found >= low - 1e-12).all()
    assert (found <= high + 1e-12).all()


@every_measure
@few
@given(rows=cases)
@example(rows=[(True, 1)])
@example(rows=[(False, 1), (False, 2)])
@example(rows=[(True, 8), (False, 0)])
def test_a_value_is_undefined_exactly_when_a_reason_is_given(m, rows):
    m = fixed(m)
    ranking = rank(*columns(rows))
    if "quota" in m.bound:
        m = m.with_(quota=1)
    if m.needs is not Needs.COUNTS:
        assert math.isnan(m.compute(ranking)) == bool(m.reason(ranking))
        return
    for cut in range(len(ranking) + 1):
        table = ranking.at_cut(cut)
        assert math.isnan(m.compute(table)) == bool(m.reason(table))


@every_measure
def test_better_is_declared_with_the_values(m):
    m = fixed(m)
    context = Context(prevalence=0.3, flagged=m.bound.get("quota", 3) / 100, n=100, threshold=0.2)
    perfect, baseline = (value.at(context, **m.defaults) for value in (m.perfect, m.baseline))

    if m.better == "higher":
        assert not perfect < baseline
    elif m.better == "lower":
        assert not perfect > baseline


# ---------------------------------------------------------------------- rows, weights, order, parts


@every_measure
@few
@given(rows=weighted_cases)
def test_a_weight_is_a_repetition_and_no_weight_an_absence(m, rows):
    labels, scores, weights = columns(rows)
    repeated = rank(labels.repeat(weights), scores.repeat(weights))

    np.testing.assert_array_equal(values(m, rank(labels, scores, weights)), values(m, repeated))


@every_measure
@few
@given(rows=cases, scale=st.sampled_from([0.5, 3, 1e-3, 1e6]))
def test_a_measure_that_is_a_ratio_does_not_change_with_the_scale_of_the_weights(m, rows, scale):
    labels, scores = columns(rows)
    whole, scaled = rank(labels, scores), rank(labels, scores, np.full(len(labels), float(scale)))
    m = fixed(m)
    if not m.scales:
        return

    assert_same(values(m, scaled), values(m, whole))


@every_measure
@few
@given(rows=weighted_cases, data=st.data())
def test_the_order_of_the_rows_does_not_matter(m, rows, data):
    shuffled = data.draw(st.permutations(rows))

    np.testing.assert_array_equal(values(m, rank(*columns(shuffled))), values(m, rank(*columns(rows))))


@every_measure
@few
@given(rows=cases.filter(lambda rows: len(rows) > 1), data=st.data())
def test_two_parts_merged_are_the_whole(m, rows, data):
    middle = data.draw(st.integers(1, len(rows) - 1))
    merged = rank(*columns(rows[:middle])) + rank(*columns(rows[middle:]))

    np.testing.assert_array_equal(values(m, merged), values(m, rank(*columns(rows))))


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
    m = fixed(m).with_(quota=1) if "quota" in m.required else m
    loop = [m.compute(one.counts if m.needs is Needs.COUNTS else one) for one in stack.one_by_one()]

    stacked = m.compute(stack.counts if m.needs is Needs.COUNTS else stack)

    assert np.shape(stacked) == np.shape(loop)
    assert_same(stacked, loop)


@every_measure
@few
@given(rows=cases)
def test_an_empty_cell_changes_nothing(m, rows):
    """Resamples leave cells without a case; they must count as if they were not there."""
    ranking = rank(*columns(rows))
    wanted = np.union1d(ranking.score, [0.0, 0.4, 1.0])[::-1]
    pos, neg = np.zeros(len(wanted), dtype=int), np.zeros(len(wanted), dtype=int)
    where = np.searchsorted(-wanted, -ranking.score)
    pos[where], neg[where] = ranking.pos, ranking.neg
    padded = Ranking(wanted, pos, neg, pos, neg)
    if m.needs is Needs.COUNTS:
        return

    assert_same(values(m, padded), values(m, ranking))


@every_measure
@few
@given(rows=cases)
def test_arrays_a_ranking_and_counts_give_the_same_number(m, rows):
    labels, scores = columns(rows)
    ranking = rank(labels, scores)
    extra = {"quota": 1} if "quota" in m.required else {}

    from_arrays = m(labels, scores, **extra)

    assert isinstance(from_arrays, float)
    assert_same(m(ranking, **extra), from_arrays)
    if m.needs is Needs.COUNTS:
        table = ranking.at_threshold(0.5)
        assert_same(m(table), from_arrays)
        assert_same(getattr(table, m.name), from_arrays)


@every_measure
def test_parameters_can_be_fixed_beforehand(m):
    for name, parameter in m.parameters.items():
        if parameter.example is None:
            continue
        others = {other: m.parameters[other].example for other in m.required if other != name}
        ranking = rank([1, 0, 1, 1, 0, 0, 1, 0], [0.9, 0.8, 0.8, 0.6, 0.5, 0.4, 0.3, 0.1])

        assert_same(
            m.with_(**{name: parameter.example})(ranking, **others), m(ranking, **{name: parameter.example} | others)
        )
