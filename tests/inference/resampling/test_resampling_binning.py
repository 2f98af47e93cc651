"""Long lists are resampled in bins, which changes no interval by more than it says."""

import numpy as np
import pytest

from cutline import evaluate, rank
from cutline.inference.resampling import binning as module
from cutline.inference.resampling.binning import coarse

RNG = np.random.default_rng(2)
Y = RNG.random(60_000) < 0.2
P = RNG.random(60_000) ** (1 / (1 + Y))


def test_the_bins_keep_every_case_and_the_cuts():
    whole = rank(Y, P)
    cut = whole.cut(0.7312)
    bins = coarse(whole, {cut}).ranking
    assert len(bins) < 20_000
    assert (bins.positives, bins.negatives) == (whole.positives, whole.negatives)
    assert bins.at_threshold(0.7312).to_dict() == whole.at_threshold(0.7312).to_dict()
    assert coarse(rank(Y[:30_000], P[:30_000])) is None


def test_an_interval_from_bins_is_that_of_the_whole_list_and_says_so(monkeypatch):
    ev = evaluate(Y, P, threshold=0.7)
    asked = {"method": "bootstrap", "resamples": 200}
    found = ev.estimates(["average_precision", "mcc", "auc"], **asked)
    monkeypatch.setattr(module, "LEAST", 10**9)
    whole = evaluate(Y, P, threshold=0.7).estimates(["average_precision", "mcc", "auc"], **asked)

    for one, other in zip(found, whole, strict=True):
        assert one.value == other.value
        assert "bins of scores" in " ".join(one.notes)
        assert "bins of scores" not in " ".join(other.notes)
        # Both are from 200 resamples, so that their limits differ by chance.
        assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=0.35 * (other.high - other.low))
    assert "widened" not in " ".join(found[1].notes)  # no bin straddles the threshold
