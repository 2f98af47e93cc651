"""Lists are resampled in bins of scores, which leaves the limits as they are."""

import sys
from pathlib import Path

import numpy as np
import pytest

from cutline import compare, evaluate, rank
from cutline.inference.resampling import binning as module
from cutline.inference.resampling.binning import bin_scores
from cutline.inference.resampling.bootstrap import ResamplingPlan, bootstrap_in_bins
from cutline.measures import MEASURES

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))

RNG = np.random.default_rng(2)
Y = RNG.random(60_000) < 0.2
P = RNG.random(60_000) ** (1 / (1 + Y))


def test_the_bins_keep_every_case_and_the_cuts():
    whole = rank(Y, P)
    cut = whole.cut(0.7312)
    bins = bin_scores(whole, {cut})
    assert len(bins.ranking) < 5000
    assert (bins.ranking.positives, bins.ranking.negatives) == (whole.positives, whole.negatives)
    assert bins.ranking.at_threshold(0.7312).to_dict() == whole.at_threshold(0.7312).to_dict()
    assert (np.diff(bins.ranking.score) < 0).all()
    mean = np.add.reduceat(whole.score * whole.size, bins.starts) / bins.ranking.size
    np.testing.assert_allclose(bins.ranking.score, mean, rtol=1e-12)
    np.testing.assert_array_equal(np.bincount(bins.bin_of(np.arange(len(whole))), whole.size), bins.ranking.size)


def test_the_first_and_the_last_scores_and_large_ties_are_bins_by_themselves():
    scores = np.concatenate((np.round(P[:5000], 5), np.full(1000, 0.25)))
    whole = rank(Y[:6000], scores)
    bins = bin_scores(whole)
    np.testing.assert_array_equal(bins.ranking.score[:20], whole.score[:20])
    np.testing.assert_array_equal(bins.ranking.score[-20:], whole.score[-20:])
    place = int(np.flatnonzero(whole.score == 0.25)[0])
    there = int(bins.bin_of(np.array([place]))[0])
    assert bins.ranking.size[there] == whole.size[place]


def test_short_lists_and_stacks_are_not_binned():
    assert bin_scores(rank(Y[:300], P[:300])) is None
    assert bin_scores(rank(Y[:1000], np.round(P[:1000], 2))) is None


def test_ten_thousand_rows_are_resampled_in_few_bins():
    """A constant once kept lists of up to 40,000 scores whole, so that ten thousand took longer than a million."""
    sizes = [len(bin_scores(rank(Y[:n], P[:n])).ranking) for n in (1000, 10_000, 60_000)]
    assert sizes == sorted(sizes)
    assert sizes[1] < 1100


@pytest.mark.parametrize("name", ["normal, 1,000", "0.5 % positive", "heavy tails"])
def test_bins_move_no_limit_by_more_than_a_twentieth_of_the_width(name):
    """The quick version of benchmarks/coarse_resampling.py: the same resamples, in bins and whole."""
    from coarse_resampling import biases, populations

    (population,) = (one for one in populations() if one.name == name)
    sample = population.sample(np.random.default_rng([1, 5]))
    found = [one for one in biases(rank(sample["labels"], sample["scores"]), 60) if one.is_used]
    assert len(found) > 80
    moved = np.array([(abs(one.low), abs(one.high)) for one in found]).max(-1)
    assert moved.mean() < 0.01
    assert np.quantile(moved, 0.9) < 0.05  # single quantiles of 60 resamples are rough


def test_a_measure_that_bins_would_change_is_resampled_on_the_whole_list():
    whole = rank(Y[:3000], P[:3000])
    tied, auc = (MEASURES[name].compute for name in ("tied_pairs", "auc"))
    values = [float(tied(whole)), float(auc(whole))]
    found = bootstrap_in_bins(whole, [tied, auc], values, ResamplingPlan(100, 0))
    assert found.bins < 1500
    assert abs(float(np.mean(found.values[1])) - values[1]) < 0.005
    assert float(np.mean(found.values[0])) < 0.002  # in bins a share of 1/1000 of the pairs would be tied by itself


def test_an_interval_from_bins_agrees_with_the_whole_list(monkeypatch):
    ev = evaluate(Y[:10_000], P[:10_000], threshold=0.7)
    asked = ["average_precision", "mcc", "auc"]
    how = {"method": "bootstrap", "resamples": 200}
    found = ev.estimates(asked, **how)
    monkeypatch.setattr(module, "_WORTH", 10**9)
    whole = evaluate(Y[:10_000], P[:10_000], threshold=0.7).estimates(asked, **how)

    for one, other in zip(found, whole, strict=True):
        assert one.value == other.value
        assert one.notes == other.notes
        assert (one.low, one.high) != (other.low, other.high)
        # Both are from 200 resamples, so that their limits differ by chance.
        assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=0.35 * (other.high - other.low))


def test_groups_and_pairs_of_models_are_resampled_in_bins_too(monkeypatch):
    n = 4000
    y, p, q, groups = Y[:n], P[:n], np.clip(P[:n] + RNG.normal(scale=0.1, size=n), 0, 1), np.arange(n) // 4

    def limits():
        one = evaluate(y, p, groups=groups).estimate("average_precision", method="bootstrap", resamples=200)
        two = compare(y, {"a": p, "b": q}).difference("average_precision", method="bootstrap", resamples=200)
        return np.array([(one.low, one.high), (two.low, two.high)])

    found = limits()
    monkeypatch.setattr(module, "_WORTH", 10**9)
    whole = limits()
    width = whole[:, 1] - whole[:, 0]
    # Groups and pairs are drawn by rows: the resamples are the same, in bins and whole.
    assert np.abs(found - whole).max() > 0
    assert (np.abs(found - whole) < 0.05 * width[:, None]).all()


def test_calibration_errors_have_intervals_at_every_length():
    """Beyond about 7,000 distinct scores they were left out."""
    ev = evaluate(Y[:12_000], P[:12_000] * 0.99 + 0.001)
    summary = ev.summary(["mcb", "ici", "ece", "smooth_ece"])
    assert all(row.interval for row in summary.rows)


def test_fewer_resamples_in_bins_move_no_limit_by_more_than_a_twentieth_of_the_width():
    """The quick version of benchmarks/fewer_resamples.py: the rule for long lists beside the full bootstrap."""
    from fewer_resamples import ALLOWED, populations, study

    population = next(one for one in populations() if one.name == "normal, 3,000")
    (row,) = study(population, 1, ["average_precision", "brier", "eer", "log_loss", "average_qrecall"])
    assert (row.kind, row.measures) == ("resampled", 5)
    assert 0 < row.worst <= ALLOWED
