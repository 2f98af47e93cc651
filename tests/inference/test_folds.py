"""Means over folds: published numbers, other packages' answers, and brute force."""

from __future__ import annotations

import json
import math
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from cutline.inference.folds import FoldMean, correlated_t, estimate_nested_error, ledell, nadeau_bengio

FROZEN = json.loads((Path(__file__).parents[1] / "oracles" / "folds.json").read_text())
VALUES = np.array([0.82, 0.85, 0.80, 0.79, 0.88, 0.84, 0.83, 0.81, 0.86, 0.78])
DIFFERENCES = np.array([0.01, 0.03, -0.01, 0.02, 0.04, 0, 0.02, 0.01, 0.03, -0.02])


def test_nadeau_and_bengio_on_ten_folds_to_the_printed_digits() -> None:
    mean = nadeau_bengio(VALUES, 10, 10 / 90)
    assert mean.value == pytest.approx(0.826, abs=5e-13)
    assert round(mean.standard_error, 6) == 0.014722
    assert [round(limit, 6) for limit in mean.limits(0.95)] == [0.792696, 0.859304]


def test_the_corrected_t_test_on_ten_folds_to_the_printed_digits() -> None:
    mean = nadeau_bengio(DIFFERENCES, 10, 10 / 90)
    assert round(mean.standard_error, 6) == 0.008677
    assert (round(mean.t, 6), round(mean.p_value, 6)) == (1.498154, 0.168321)
    assert [round(limit, 6) for limit in mean.limits(0.95)] == [-0.006630, 0.032630]


def test_the_correlated_t_test_on_ten_folds_to_the_printed_digits() -> None:
    posterior = correlated_t(nadeau_bengio(DIFFERENCES, 10, 10 / 90), 0.01)
    assert round(posterior.worse, 6) == pytest.approx(0.013226, abs=1e-12)
    assert round(posterior.same, 6) == pytest.approx(0.355520, abs=1e-12)
    assert round(posterior.better, 6) == pytest.approx(0.631254, abs=1e-12)


@pytest.mark.parametrize("row", FROZEN["correlated_t"])
def test_the_correlated_t_test_agrees_with_baycomp(row: dict) -> None:
    a, b = np.array(row["a"]), np.array(row["b"])
    posterior = correlated_t(nadeau_bengio(a - b, len(a), 1 / (len(a) - 1)), row["rope"])
    probabilities = [posterior.worse, posterior.same, posterior.better]
    assert sum(probabilities) == pytest.approx(1)
    expected = row["probabilities"] if row["rope"] else [row["probabilities"][0], 0, row["probabilities"][1]]
    assert probabilities == pytest.approx(expected, abs=1e-12)


def test_the_corrected_t_is_mlxtends_t_of_independent_folds_times_the_correction() -> None:
    a, b = np.array(FROZEN["kfold_t"]["a"]), np.array(FROZEN["kfold_t"]["b"])
    mean = nadeau_bengio(a - b, 10, 1 / 9)
    assert mean.t == pytest.approx(FROZEN["kfold_t"]["t"] * math.sqrt((1 / 10) / (1 / 10 + 1 / 9)))


def test_repeats_make_the_variance_better_known_but_not_smaller() -> None:
    once, ten = nadeau_bengio(VALUES, 10, 1 / 9), nadeau_bengio(np.tile(VALUES, 10), 10, 1 / 9)
    assert (once.degrees_of_freedom, ten.degrees_of_freedom) == (9, 99)
    # the same values ten times have the same variance, but for the division by n - 1
    assert ten.standard_error == pytest.approx(once.standard_error * math.sqrt(90 / 99))


def test_folds_that_agree_exactly_have_an_interval_of_no_width() -> None:
    mean = nadeau_bengio(np.full(5, 0.7), 5, 1 / 4)
    assert mean.limits(0.95) == pytest.approx((0.7, 0.7))
    assert (mean.t, FoldMean(0.0, 0.0, 4).t, FoldMean(0.0, 0.0, 4).p_value) == (math.inf, 0.0, 1.0)
    assert correlated_t(FoldMean(0.0, 0.0, 4), 0.0).better == 0.5


# ---------------------------------------------------------------------- LeDell with ties


def influence_by_pairs(positive: list[bool], scores: list[float], folds: list[int]) -> tuple[float, float]:
    """The value and standard error, pair by pair, as the formula stands in the paper, ties one half."""

    def beats(s: float, t: float) -> float:
        return 1.0 if s > t else 0.5 if s == t else 0.0

    n, share = len(scores), sum(positive) / len(positive)
    areas, squares = [], []
    for k in sorted(set(folds)):
        cases = [i for i in range(n) if folds[i] == k]
        pos = [scores[i] for i in cases if positive[i]]
        neg = [scores[i] for i in cases if not positive[i]]
        area = sum(beats(s, t) for s in pos for t in neg) / (len(pos) * len(neg))
        own = []
        for i in cases:
            if positive[i]:
                own.append((sum(beats(scores[i], t) for t in neg) / len(neg) - area) / share)
            else:
                own.append((sum(beats(s, scores[i]) for s in pos) / len(pos) - area) / (1 - share))
        areas.append(area)
        squares.append(sum(value**2 for value in own) / len(own))
    return sum(areas) / len(areas), math.sqrt(sum(squares) / len(squares) / n)


@pytest.mark.parametrize("digits", [0, 1, 6])
def test_ledell_with_ties_by_brute_force(digits: int) -> None:
    rng = np.random.default_rng(digits)
    positive = np.tile([True, False, False, True, True, False], 10)
    folds = np.repeat([0, 1, 2], 20)
    scores = np.round(rng.normal(positive.astype(float), 1.0), digits)
    mean = ledell(positive, scores[None], folds[None])
    expected = influence_by_pairs(positive.tolist(), scores.tolist(), folds.tolist())
    assert (mean.value, mean.standard_error) == pytest.approx(expected, abs=1e-14)


def test_ledell_of_a_tie_that_a_reader_can_count() -> None:
    # positives 2, 1; negatives 1, 0: pairs 1, 1, 1/2, 1 make 7/8. Influence: 2 (1 - 7/8), 2 (3/4 - 7/8), and the same.
    mean = ledell(np.array([True, True, False, False]), np.array([[2.0, 1.0, 1.0, 0.0]]), np.zeros((1, 4), dtype=int))
    assert mean.value == 7 / 8
    assert mean.standard_error == pytest.approx(math.sqrt((1 / 4) ** 2 / 4))


def test_repeating_the_same_folds_changes_nothing_for_ledell() -> None:
    rng = np.random.default_rng(3)
    positive, folds = np.tile([True, False], 20), np.repeat([0, 1], 20)
    scores = rng.normal(size=40)
    once, twice = (ledell(positive, np.tile(scores, (k, 1)), np.tile(folds, (k, 1))) for k in (1, 2))
    assert (once.value, once.standard_error) == pytest.approx((twice.value, twice.standard_error))


# ---------------------------------------------------------------------- nested cross-validation


def test_nested_cross_validation_step_by_step() -> None:
    """Algorithm 1 of Bates, Hastie and Tibshirani written as loops over cases, on losses that are just numbers."""
    rng = np.random.default_rng(5)
    repeats, folds, n = 3, 4, 20
    fold = np.array([rng.permutation(np.arange(n) % folds) for _ in range(repeats)])
    outer = rng.random((repeats, n))
    pair = rng.random((repeats, folds, folds, n))
    inner = np.full((repeats, folds, n), np.nan)
    for r in range(repeats):
        for k, j in combinations(range(folds), 2):
            inner[r, k, fold[r] == j] = pair[r, k, j, fold[r] == j]
            inner[r, j, fold[r] == k] = pair[r, k, j, fold[r] == k]
    a, b, es = [], [], []
    for r in range(repeats):
        for k in range(folds):
            e_out = [outer[r, i] for i in range(n) if fold[r, i] == k]
            e_in = [inner[r, k, i] for i in range(n) if fold[r, i] != k]
            a.append((np.mean(e_in) - np.mean(e_out)) ** 2)
            b.append(np.var(e_out, ddof=1) / len(e_out))
            es.append(np.mean(e_in))
    naive = np.mean([np.var(outer[r], ddof=1) for r in range(repeats)]) / n
    mse = min(max((np.mean(a) - np.mean(b)) * 3 / 4, naive), 4 * naive)
    bias = (1 + 2 / 4) * (np.mean(es) - outer.mean())
    result = estimate_nested_error(outer, inner, fold)
    assert result.value == pytest.approx(np.mean(es) - bias)
    assert result.standard_error == pytest.approx(math.sqrt(mse))
    low, high = result.limits(0.95)
    assert (low + high) / 2 == pytest.approx(result.value)
    assert high - low == pytest.approx(2 * 1.959963984540054 * result.standard_error)


def test_stratified_folds_do_not_show_how_much_the_share_of_positives_varies() -> None:
    """All folds are alike but for the classes: the published formula takes the whole variance off, this one none."""
    positive = np.tile([True, False, False, False], 10)
    outer = np.where(positive, 0.6, 0.1)[None] + np.random.default_rng(0).normal(size=(1, 40)) * 1e-3
    fold = (np.arange(40) // 8)[None]
    inner = np.stack([np.where(fold[0] == k, np.nan, outer[0]) for k in range(5)])[None]
    stratified = estimate_nested_error(outer, inner, fold, positive)

    assert stratified.standard_error == pytest.approx(math.sqrt(0.25 * 0.25 * 0.75 / 40), rel=0.02)
    assert estimate_nested_error(outer, inner, fold).standard_error == stratified.naive_standard_error
    far = np.where(np.isnan(inner), np.nan, inner + 0.1)  # models that the outer folds measure as much worse
    wide, published = (estimate_nested_error(outer, far, fold, *more).standard_error for more in ((positive,), ()))
    assert wide > 1.4 * published


def test_the_error_of_nested_cross_validation_stays_between_the_naive_one_and_its_largest_inflation() -> None:
    fold = np.array([[0, 0, 1, 1, 2, 2]])
    outer = np.array([[0.0, 1.0, 0.0, 1.0, 0.0, 1.0]])
    flat, far = (np.full((1, 3, 6), value) for value in (0.5, 9.0))
    assert (
        estimate_nested_error(outer, flat, fold).standard_error
        == estimate_nested_error(outer, flat, fold).naive_standard_error
    )
    wide = estimate_nested_error(outer, far, fold)
    assert wide.standard_error == pytest.approx(math.sqrt(3) * wide.naive_standard_error)
