"""Bins that follow the data: exact counts, no tie split, and a bracket that is as narrow as was asked for."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from array_engine import aggregate_arrays, find_magnitude
from cutline import auc, rank
from cutline.inputs.binning import count_in_bins


def bracket_of(bins, like):
    columns = {"score": bins.top, "pos": bins.pos, "neg": bins.neg, "pos2": bins.pos, "neg2": bins.neg}
    return replace(like, **columns, reach=(bins.top, bins.bottom)).bracket


def check(score, labels, **options):
    bins = count_in_bins(aggregate_arrays(score, labels), **options)
    whole = rank(labels, score, positive=True)
    low, high = bracket_of(bins, whole)

    assert bins.pos.sum() == labels.sum()
    assert bins.neg.sum() == (~labels).sum()
    assert (bins.bottom <= bins.top).all()
    assert (bins.top[1:] < bins.bottom[:-1]).all()  # in order, and no tie is split
    assert auc(low) <= auc(whole) <= auc(high)
    assert auc(high) - auc(low) == pytest.approx(bins.width, abs=1e-12)
    return bins


POPULATIONS = {
    "uniform": lambda rng, n: rng.random(n),
    "skewed": lambda rng, n: rng.beta(0.1, 5, n),
    "heavy tails": lambda rng, n: rng.standard_cauchy(n),
    "tiny": lambda rng, n: 1e-9 + 9e-9 * rng.random(n),
    "huge": lambda rng, n: (rng.random(n) - 0.5) * 1.6e308,
    "crowded": lambda rng, n: 0.5 + 1e-7 * rng.normal(size=n),
    "log": lambda rng, n: np.exp(60 * rng.normal(size=n)),
    "ties": lambda rng, n: np.round(rng.random(n), 3),
    "infinite": lambda rng, n: np.where(
        rng.random(n) < 0.1, np.inf, np.where(rng.random(n) < 0.1, -np.inf, rng.normal(size=n))
    ),
}


@pytest.mark.parametrize("name", POPULATIONS)
def test_the_bracket_is_as_narrow_as_was_asked_for(name):
    rng = np.random.default_rng(3)
    score = POPULATIONS[name](rng, 40_000)
    labels = rng.random(40_000) < np.where(np.isfinite(score) & (score > np.median(score)), 0.6, 0.3)
    bins = check(score, labels, width=2e-3)

    assert bins.width <= 2e-3
    assert len(bins) <= 40_000


def test_a_rare_class_needs_no_more_bins():
    rng = np.random.default_rng(0)
    labels = rng.random(100_000) < 0.002
    score = rng.normal(size=100_000) + labels
    bins = check(score, labels, width=1e-3)

    assert bins.width <= 1e-3
    assert len(bins) < 20_000


@pytest.mark.parametrize("seed", range(3))
def test_bins_that_are_divided_by_a_later_pass_lose_no_case(seed):
    """Two bins are light beside a crowded one, until that one has been divided."""
    rng = np.random.default_rng(seed)
    crowded, light = 0.5 + 1e-6 * rng.normal(size=4000), rng.uniform(2, 2.04, 110)
    score = np.concatenate((crowded, light, 2 * light))
    bins = check(score, rng.random(len(score)) < 0.4, width=[2e-3, 1e-2, 3e-3][seed])

    assert bins.width <= 1e-2


def test_the_square_root_of_both_classes_takes_the_fewest_bins():
    """Two normal populations 1.2 apart: no division into bins leaves 1e-3 open with fewer than 698 of them."""
    rng = np.random.default_rng(0)
    labels = rng.random(200_000) < 0.3
    bins = check(rng.normal(size=200_000) + 1.2 * labels, labels, width=1e-3)

    assert bins.width <= 1e-3
    assert len(bins) < 2.4 * 1000 * np.exp(-(1.2**2) / 4)


def test_the_room_that_there_is_is_kept():
    rng = np.random.default_rng(0)
    bins = check(rng.random(50_000), rng.random(50_000) < 0.5, width=1e-9, most=3000)

    assert len(bins) <= 3000
    assert bins.width < 2e-3


SCORES = st.one_of(
    st.floats(allow_nan=False), st.sampled_from([0.0, -0.0, 5e-324, -5e-324, 1.0, np.inf, -np.inf, 1e308])
)


@settings(max_examples=150)
@given(st.lists(st.tuples(st.booleans(), SCORES), min_size=1, max_size=60), st.sampled_from([1e-6, 0.01, 0.3]))
def test_any_scores_are_bracketed(rows, width):
    labels, score = (np.array(column) for column in zip(*rows, strict=True))
    with np.errstate(over="ignore", invalid="ignore"):
        bins = count_in_bins(aggregate_arrays(score, labels), width=width)
    whole = rank(labels, score, positive=True)
    low, high = bracket_of(bins, whole)

    assert (bins.top[1:] < bins.bottom[:-1]).all()
    if labels.any() and not labels.all():
        assert auc(low) <= auc(whole) <= auc(high)


def test_bins_do_not_depend_on_the_order_of_the_rows():
    rng = np.random.default_rng(1)
    score, labels = rng.normal(size=5000), rng.random(5000) < 0.4
    order = rng.permutation(5000)
    one, other = (count_in_bins(aggregate_arrays(score[i], labels[i]), width=1e-2) for i in (slice(None), order))

    assert all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ("top", "bottom", "pos", "neg"))


@given(st.lists(st.floats(allow_nan=False), min_size=2, max_size=50))
def test_a_larger_score_has_no_smaller_magnitude(values):
    score = np.sort(np.array(values))

    assert (np.diff(find_magnitude(score)) >= 0).all()


def test_weights_are_added_up():
    score, labels, weight = np.array([1.0, 1.0, 2.0]), np.array([True, False, True]), np.array([2, 3, 4])
    bins = count_in_bins(aggregate_arrays(score, labels, weight))

    assert bins.pos.tolist() == [4, 2]
    assert bins.neg.tolist() == [0, 3]


def test_bins_that_overlap_become_one_and_lose_no_case():
    score, labels = np.array([3.0, 2.5, 2.0, 1.0, 0.5]), np.array([True, False, True, False, True])

    def clumsy(divisions):
        bins = aggregate_arrays(score, labels)(divisions)
        if divisions:
            return bins
        return replace(bins, bottom=np.where(bins.top == 3.0, 2.2, bins.bottom))  # as a logarithm out of order would

    bins = count_in_bins(clumsy, width=1e-9)

    assert bins.pos.sum() + bins.neg.sum() == 5
    assert (bins.top[1:] < bins.bottom[:-1]).all()
    assert (bins.top[0], bins.bottom[0], bins.pos[0], bins.neg[0]) == (3.0, 2.2, 1, 1)
