"""Brackets of binned scores: the exact value is inside for every measure that says so, whatever the scores."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from array_engine import aggregate_arrays
from cutline import MEASURES, InputError, rank
from cutline.core.binned_ranking import auc_width, rank_bins
from cutline.core.merging import merge
from cutline.inputs.binning import Bins, count_in_bins, sort_bins
from cutline.measures import Needs
from cutline.measures.bin_brackets import bound_measure

# Scores that are no probabilities: ties, tiny, huge and infinite ones. Those of probabilities: skewed, with ties.
ANY = st.one_of(
    st.floats(allow_nan=False),
    st.sampled_from([0.0, -0.0, 1e-9, 2e-9, 5e-324, 1e308, np.inf, -np.inf, 0.5, 0.5 + 1e-12]),
    st.integers(-3, 3).map(float),
)
PROBABILITY = st.one_of(st.floats(1e-12, 1 - 1e-12), st.sampled_from([0.1, 0.1 + 1e-9, 0.9, 1e-9, 3e-9]))


def cases(scores):
    return st.lists(st.tuples(st.booleans(), scores, st.integers(1, 4)), min_size=4, max_size=40).filter(
        lambda rows: len({row[0] for row in rows}) == 2
    )


def coarse(score, labels, weights, parts):
    """Bins of one pass, or of as many passes as a width takes."""
    with np.errstate(over="ignore", invalid="ignore"):
        found = count_in_bins(aggregate_arrays(score, labels, weights, 0.3), width=parts)
    squares = (found.pos2, found.neg2)
    return rank_bins(found.top, found.bottom, found.pos, found.neg, *squares, positive=True)


def example_parameters(m):
    parameters = {"roc_n": {"n": 1}, "partial_auc": {"max_fpr": 0.4}}.get(m.name, {})
    if m.needs is Needs.COUNTS:
        return {"threshold": 0.3}
    return parameters | ({"quota": 2} if "quota" in m.required else {})


def check(rows, width, weighted, measures):
    labels, score, weights = (np.array(column) for column in zip(*rows, strict=True))
    weights = weights if weighted else None
    exact = rank(labels, score, weights, positive=True)
    found = coarse(score, labels, weights, width)
    assert found.total == exact.total
    for m in measures:
        if not m.fits(exact):
            continue
        data, rest = m.prepare(exact, example_parameters(m))
        value = float(m.compute(data, **rest))
        data, rest = m.prepare(found, example_parameters(m))
        own = float(m.compute(data, **rest))
        open_to = bound_measure(m, found, example_parameters(m), own)
        if open_to is None or not open_to.certain or math.isnan(value):
            continue
        slack = 1e-9 * max(1.0, abs(value)) if math.isfinite(value) else 0
        assert open_to.low - slack <= value <= open_to.high + slack, m.name
        assert open_to.low <= own <= open_to.high, m.name


OF_ORDER = [m for m in MEASURES if m.needs in (Needs.RANKING, Needs.COUNTS)]
OF_PROBABILITIES = [m for m in MEASURES if m.needs is Needs.PROBABILITIES]
widths = st.sampled_from([1.0, 0.3, 0.05])


@settings(max_examples=60, deadline=None)
@given(cases(ANY), widths, st.booleans())
def test_the_bracket_holds_the_exact_value_of_any_scores(rows, width, weighted):
    check(rows, width, weighted, OF_ORDER)


@settings(max_examples=40, deadline=None)
@given(cases(PROBABILITY), widths, st.booleans())
def test_the_bracket_holds_the_exact_value_of_probabilities(rows, width, weighted):
    check(rows, width, weighted, OF_PROBABILITIES)


def test_measures_without_a_proof_say_that_they_are_approximate():
    rng = np.random.default_rng(0)
    score, labels = rng.random(4000), rng.random(4000) < 0.4
    found = coarse(score, labels, None, 0.05)
    approximate = bound_measure(MEASURES["emax"], found, {}, float(MEASURES["emax"].compute(found)))
    assert not approximate.certain
    assert "approximate" in approximate.note
    assert bound_measure(MEASURES["auc"], rank(labels, score, positive=True), {}, 0.5) is None
    recall = float(MEASURES["recall"](found, threshold=0.3))
    assert bound_measure(MEASURES["recall"], found, {"threshold": 0.3}, recall) is None  # the edge is an edge


@settings(max_examples=40, deadline=None)
@given(cases(ANY), st.integers(1, 4), widths, st.randoms(use_true_random=False))
def test_binned_parts_add_up_in_any_order_to_bins_that_hold_the_whole(rows, count, width, random):
    labels, score, weights = (np.array(column) for column in zip(*rows, strict=True))
    parts = []
    for i in range(count):
        mine = slice(i, None, count)
        if len(score[mine]):
            parts.append(coarse(score[mine], labels[mine], weights[mine], width))
    shuffled = random.sample(parts, len(parts))
    whole = merge(parts)

    assert merge(shuffled) == whole
    assert merge([merge(parts[:1]), *parts[1:]]) == whole
    assert sum(parts) == whole
    exact = rank(labels, score, weights, positive=True)
    assert whole.total == exact.total
    low, high = whole.bracket or (whole, whole)
    auc = MEASURES["auc"]
    assert auc(low) - 1e-12 <= auc(exact) <= auc(high) + 1e-12
    first, last = whole.reach or (whole.score, whole.score)
    assert (first[1:] < last[:-1]).all()


def test_bins_of_different_days_do_not_grow_together():
    rng = np.random.default_rng(1)
    days = []
    for _ in range(5):
        labels = rng.random(20_000) < 0.3
        days.append(coarse(rng.normal(size=20_000) + labels, labels, None, 1e-3))
    week = merge(days)
    assert auc_width(week) < 2e-3
    assert len(week) > 1000


def test_staggered_bins_are_pooled_with_a_wider_bracket():
    number = np.zeros(2, np.int64)
    one, other = (
        sort_bins(Bins(np.array(top), np.array(bottom), np.array([1, 1]), np.array([1, 1]), number))
        for top, bottom in (([9.0, 4.0], [5.0, 1.0]), ([6.0, 2.0], [3.0, 0.0]))
    )
    first, second = (rank_bins(b.top, b.bottom, b.pos, b.neg) for b in (one, other))
    both = first + second
    assert (len(both), both.total, auc_width(both)) == (1, 8, 1.0)
    with pytest.raises(InputError, match="different positive labels"):
        first + rank_bins(other.top, other.bottom, other.pos, other.neg, positive="yes")


def test_a_measure_without_a_proof_is_approximate_though_the_orders_that_were_tried_agree():
    top, bottom = np.array([0.9, 0.4]), np.array([0.5, 0.1])
    found = rank_bins(top, bottom, np.array([3, 0]), np.array([0, 5]))
    for m in MEASURES:
        if m.needs is Needs.RANKING and not m.concordant and m.name not in ("pearson", "ks", "tied_pairs"):
            data, rest = m.prepare(found, example_parameters(m))
            value = float(m.compute(data, **rest))
            open_to = bound_measure(m, found, example_parameters(m), value)
            if not math.isnan(value) and open_to is not None and not open_to.certain:
                assert "approximate" in open_to.note
                return
    pytest.fail("no measure was tried")


def test_a_correlation_with_shares_of_bins_is_undefined():
    found = rank_bins(np.array([0.9, 0.4]), np.array([0.5, 0.1]), np.array([3, 1]), np.array([1, 5]))
    assert math.isnan(float(MEASURES["pearson"].compute(found)))
    assert "binned" in MEASURES["pearson"].reason(found)


def test_the_best_recall_at_a_precision_has_a_bracket_though_no_cut_reaches_it_in_the_worst_order():
    labels, score = np.array([1, 1, 0, 0, 1, 0]), np.array([0.9, 0.8999, 0.8998, 0.5, 0.4999, 0.1])
    bins = rank_bins(
        np.array([0.9, 0.5, 0.1]),
        np.array([0.8998, 0.4999, 0.1]),
        *np.array([[2, 1, 0], [1, 1, 1]]),
        *np.array([[2, 1, 0], [1, 1, 1]]),
        positive=1,
    )
    measure = MEASURES["recall_at_precision"]
    own = float(measure.compute(bins, precision=0.6))

    open_to = bound_measure(measure, bins, {"precision": 0.6}, own)

    assert (own, open_to) == (1.0, None)  # all positives are found at a cut between the bins: no order does better
    own = float(measure.compute(bins, precision=0.65))
    open_to = bound_measure(measure, bins, {"precision": 0.65}, own)
    exact = float(measure.compute(rank(labels, score), precision=0.65))
    assert open_to.certain
    assert open_to.low <= exact <= open_to.high


def test_a_precision_that_a_cut_inside_a_bin_may_reach_is_not_called_unreachable():
    labels, score = np.array([1, 0, 0, 0, 1, 0]), np.array([0.9, 0.8999, 0.8998, 0.5, 0.4999, 0.1])
    bins = rank_bins(
        np.array([0.9, 0.5, 0.1]),
        np.array([0.8998, 0.4999, 0.1]),
        *np.array([[1, 1, 0], [2, 1, 1]]),
        *np.array([[1, 1, 0], [2, 1, 1]]),
        positive=1,
    )
    measure = MEASURES["recall_at_precision"]

    assert float(measure.compute(rank(labels, score), precision=0.9)) == 0.5  # the first case
    assert math.isnan(float(measure.compute(bins, precision=0.9)))
    assert measure.reason(bins, precision=0.9) == (
        "no cut reaches that precision and the scores were binned, and a cut inside a bin may reach it"
    )
    assert measure.reason(rank([0, 1, 0, 0], [0.9, 0.5, 0.4, 0.3]), precision=0.9) == "no cut reaches that precision"
