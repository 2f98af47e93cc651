"""Long lists are recalibrated in bins of mean probabilities, with the same verdict."""

import numpy as np
import pytest

import cutline as cl
from cutline.calibration import compare_maps


@pytest.mark.parametrize("slope", [1.0, 1.4])
def test_the_verdict_on_a_long_list_is_the_same_in_bins(slope, monkeypatch):
    rng = np.random.default_rng(4)
    x = rng.normal(size=12_000)
    labels = rng.random(len(x)) < 1 / (1 + np.exp(1 - x))
    ev = cl.evaluate(labels, 1 / (1 + np.exp(slope * (1 - x))))
    found = cl.worth_recalibrating(ev)
    monkeypatch.setattr(compare_maps, "_LONG", 10**9)
    whole = cl.worth_recalibrating(ev)

    assert found.best == whole.best
    assert found.candidates[0] == whole.candidates[0]
    assert found.candidates[0].log_loss == pytest.approx(ev.log_loss, rel=1e-12)
    for one, other in zip(found.candidates[1:-1], whole.candidates[1:-1], strict=True):
        width = other.high - other.low
        assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=0.03 * width)
        assert one.log_loss == pytest.approx(other.log_loss, abs=1e-4)
    assert any(one.log_loss != other.log_loss for one, other in zip(found.candidates, whole.candidates, strict=True))


def test_the_table_has_no_p_value_beside_an_interval_of_something_else():
    rng = np.random.default_rng(1)
    p = rng.random(400)
    worth = cl.worth_recalibrating(cl.evaluate((rng.random(400) < p).astype(int), p))

    head = next(line for line in str(worth).splitlines() if line.startswith("method"))
    assert head.split() == ["method", "log", "loss", "Brier", "gain", "low", "high"]
    assert str(worth).endswith("low and high: its 95 % interval.")


def test_gains_are_printed_with_the_decimals_of_the_losses():
    rng = np.random.default_rng(0)
    p = rng.random(60_000)
    found = cl.worth_recalibrating(cl.evaluate(rng.random(len(p)) < p, p))
    gains = [number for line in repr(found).splitlines() if " 0." in line for number in line.split()[1:]]

    assert min(abs(candidate.gain) for candidate in found.candidates[1:]) < 0.0001
    assert len(gains) == 5 * len(found.candidates)
    assert all(len(number.partition(".")[2]) <= 4 for number in gains)
    assert "-0.0000" not in gains


def test_more_cases_than_can_be_put_into_folds_are_refused():
    rng = np.random.default_rng(2)
    p = rng.random(100)
    ev = cl.evaluate((rng.random(100) < p).astype(int), p, weights=np.full(100, 2**50))

    with pytest.raises(cl.InputError, match="count as 112,589,990,684,262,400 cases, too many to divide into folds"):
        cl.worth_recalibrating(ev)
