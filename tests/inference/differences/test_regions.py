"""Where a model is better for sure: regions with simultaneous confidence."""

import numpy as np
import pytest

from cutline import compare
from cutline.core.errors import CutlineError


def crossing(cases: int, seed: int = 0):
    """One model that spreads the positives widely, and one that does not: the first leads at low rates."""
    rng = np.random.default_rng(seed)
    labels = rng.random(cases) < 0.5
    wide = np.where(labels, rng.normal(size=cases) * 3 + 2, rng.normal(size=cases))
    narrow = np.where(labels, rng.normal(size=cases) * 0.5 + 1.3, rng.normal(size=cases))
    return compare(labels, {"wide": wide, "narrow": narrow})


def test_curves_that_cross_have_a_region_for_each_model_when_cases_are_many():
    found = crossing(800).regions("roc", resamples=200)
    assert found.leaders == ("wide", "narrow")
    first, last = found.spans[0], found.spans[-1]
    assert first.best == ("wide",)
    assert first.high < 0.15
    assert last.best == ("narrow",)
    assert last.low < 0.4 < last.high
    assert "wide for fpr 0 to" in found.verdict


def test_few_cases_leave_it_open():
    assert "where the curves cross may be chance" in crossing(20).regions("roc", resamples=100).verdict


@pytest.mark.parametrize("curve", ["quota", "precision_recall"])
def test_other_curves_have_regions_too(curve):
    found = crossing(2000).regions(curve, resamples=100)
    assert set(found.leaders) == {"wide", "narrow"}
    assert all(0 <= span.low <= span.high <= 1 for span in found.spans)
    assert found.to_dict()["spans"][0]["best"] == "wide"


def test_equal_models_are_rarely_called_better_anywhere():
    rng = np.random.default_rng(1)
    called = 0
    for seed in range(40):
        labels = rng.random(150) < 0.5
        shared = rng.normal(size=150) + 1.5 * labels
        models = {name: shared + rng.normal(size=150) for name in "ab"}
        called += bool(compare(labels, models).regions("roc", resamples=100, seed=seed).spans)
    assert called <= 6


def test_what_has_no_curve_is_refused():
    with pytest.raises(CutlineError, match="one class has no curve"):
        compare([1, 1, 1], {"a": [3, 2, 1], "b": [1, 2, 3]}).regions()
    with pytest.raises(CutlineError, match="curve is 'cost'"):
        crossing(20).regions("cost")
