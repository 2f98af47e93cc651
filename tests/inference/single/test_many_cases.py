"""Intervals from very many cases: formulas where they are as good as normal, and no more work than helps."""

import numpy as np
import pytest

from cutline import evaluate
from cutline.core.ranking import Ranking
from cutline.evaluation import Evaluation
from cutline.inference.resampling.bootstrap import compute_accelerations
from cutline.inference.resampling.samplers import CaseSampler


def test_with_plenty_of_cases_smooth_measures_need_no_resamples():
    """Then the limits are those of the bootstrap, but for the noise of its draws."""
    pos, neg = np.array([9000, 6000, 3000, 1500, 500]), np.array([500, 2000, 4000, 9000, 14500])
    ev = Evaluation(Ranking.of_counts([0.9, 0.7, 0.5, 0.3, 0.1], pos, neg))

    formulas = {
        "mcc": "mover",
        "balanced_accuracy": "square_and_add",
        "brier": "influence",
        "log_loss": "influence",
    }
    for measure, formula in formulas.items():
        found, drawn = ev.estimate(measure), ev.estimate(measure, method="bca", resamples=4000)
        assert found.method == formula
        width = drawn.high - drawn.low
        assert (found.low, found.high) == pytest.approx((drawn.low, drawn.high), abs=0.06 * width)


def test_few_cases_of_a_class_are_resampled():
    ev = Evaluation(Ranking.of_counts([0.9, 0.1], [9000, 900], [500, 20000]))

    assert ev.estimate("brier", resamples=50).method == "student", "9900 positives"


def test_bca_of_a_very_long_ranking_corrects_for_bias_alone(monkeypatch):
    rng = np.random.default_rng(5)
    ev = evaluate(rng.random(300) < 0.4, rng.random(300) + 0.1)
    whole = ev.estimate("ks", method="bca", resamples=400)
    monkeypatch.setattr("cutline.inference.resampling.bootstrap.VERY_LONG", 200)

    assert compute_accelerations(CaseSampler(ev.ranking), [lambda r: r.pos.mean(-1)], 0) == [0.0]
    found = ev.estimate("ks", method="bca", resamples=400)
    assert found.method == "bca"
    assert (found.low, found.high) == pytest.approx((whole.low, whole.high), abs=0.03)
    assert found == ev.estimate("ks", method="bca", resamples=400)  # blocks of another size, but the same ones
