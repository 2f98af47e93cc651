"""Bands of the calibration curve: the honest one is brute force, the others hold as often as they say."""

import numpy as np
import pytest
from scipy.stats import beta

import cutline as cl
from cutline.inference.single.bands import calibration_band, compute_honest_limits, find_envelope, merge_scores
from grouping import each_case


def brute_force(pos, neg, level):
    """Every run of scores, one by one."""
    count = len(pos)
    alpha = (1 - level) / (count * (count + 1))
    low, high = np.zeros(count), np.ones(count)
    for first in range(count):
        for last in range(first, count):
            k = pos[first : last + 1].sum()
            n = k + neg[first : last + 1].sum()
            if k:
                low[last:] = np.maximum(low[last:], beta.ppf(alpha, k, n - k + 1))
            if k < n:
                high[: first + 1] = np.minimum(high[: first + 1], beta.ppf(1 - alpha, k + 1, n - k))
    return low, high


@each_case("seed", range(200))
def test_the_honest_band_is_that_of_all_runs_of_scores(seed):
    rng = np.random.default_rng(seed)
    n = rng.integers(1, 30, rng.integers(1, 13))
    pos = rng.binomial(n, np.sort(rng.random(len(n))))

    for found, expected in zip(compute_honest_limits(pos, n - pos, 0.95), brute_force(pos, n - pos, 0.95), strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-10)


@pytest.mark.slow
def test_single_cases_make_the_honest_band_too():
    rng = np.random.default_rng(3)
    p = np.sort(rng.random(70))
    pos = (rng.random(70) < p).astype(int)

    for found, expected in zip(compute_honest_limits(pos, 1 - pos, 0.9), brute_force(pos, 1 - pos, 0.9), strict=True):
        np.testing.assert_allclose(found, expected, atol=1e-10)


def calibrated(seed, n=400):
    rng = np.random.default_rng(seed)
    p = np.round(rng.beta(1, 2, n), 2)
    return cl.rank(rng.random(n) < p, p)


def test_a_calibrated_model_seldom_leaves_a_simultaneous_consistency_band():
    left = {True: 0, False: 0}
    for seed in range(40):
        for simultaneous in left:
            band = calibration_band(calibrated(seed), simultaneous=simultaneous, resamples=1500, seed=seed)
            left[simultaneous] += bool(((band.y < band.low - 1e-9) | (band.y > band.high + 1e-9)).any())
            assert band.simultaneous is simultaneous

    assert left[True] <= 7  # 2 expected
    assert left[False] >= 20  # point by point, some point nearly always is outside


def test_an_honest_band_holds_the_truth():
    for seed in range(10):
        band = calibration_band(calibrated(seed), "honest")
        assert (band.low <= band.x + 1e-12).all()
        assert (band.x <= band.high + 1e-12).all()


@pytest.mark.parametrize("smooth", ["isotonic", "loess"])
def test_a_confidence_band_holds_its_curve(smooth):
    band = calibration_band(calibrated(1), "confidence", smooth=smooth, resamples=200)

    assert (band.low <= band.y + 1e-12).all()
    assert (band.y <= band.high + 1e-12).all()
    assert band.level == 0.95


def test_scores_put_together_keep_their_cases_and_their_mean():
    r = cl.rank(np.arange(1000) % 3 == 0, np.linspace(0.001, 1, 1000))
    few = merge_scores(r, 50)

    assert len(few) <= 50
    assert (few.total, few.positives) == (r.total, r.positives)
    assert few.size @ few.score == pytest.approx(r.size @ r.score)


def test_limits_of_single_places_are_quantiles():
    curves = np.arange(1001.0)[:, None] * [1, 2]
    low, high = find_envelope(curves, 0.9, simultaneous=False)

    assert np.concatenate((low, high)).tolist() == pytest.approx([50, 100, 950, 1900])


def test_few_curves_at_many_places_have_simultaneous_limits_beyond_their_extremes():
    rng = np.random.default_rng(1)
    curves, new = rng.standard_normal((900, 400)), rng.standard_normal((1000, 400))
    low, high = find_envelope(curves, 0.95, simultaneous=True)

    assert ((new < curves.min(0)) | (new > curves.max(0))).any(-1).mean() > 0.4
    assert ((new < low) | (new > high)).any(-1).mean() == pytest.approx(0.05, abs=0.03)


def test_unknown_kinds_are_refused():
    with pytest.raises(cl.ParameterError, match="consistency, confidence, honest"):
        calibration_band(calibrated(0), "wide")
    with pytest.raises(cl.ParameterError, match="whole numbers"):
        calibration_band(cl.rank([1, 0], [0.7, 0.2], [0.5, 1.5]), "honest")
