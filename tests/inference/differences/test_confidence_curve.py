"""Confidence curves: every interval of a difference at once."""

import math

import numpy as np
import pytest

from cutline import compare

RNG = np.random.default_rng(3)
LABELS = RNG.random(120) < 0.4
A = 1 / (1 + np.exp(-(2 * LABELS - 1 + RNG.normal(size=120))))
B = 1 / (1 + np.exp(-(LABELS - 0.5 + RNG.normal(size=120))))
FOUND = compare(LABELS, {"a": A, "b": B})

methods = pytest.mark.parametrize(
    ("measure", "method"), [("auc", "delong"), ("accuracy", "tango"), ("f1", "mover_paired"), ("brier", "influence")]
)


@methods
def test_the_curve_at_005_is_the_interval_of_95_percent(measure, method):
    curve = FOUND.confidence_curve(measure)
    interval = FOUND.difference(measure, level=0.95)
    inside = curve.x[curve.y >= 0.05 - 1e-9]

    assert curve.method == interval.method == method
    assert (inside.min(), inside.max()) == pytest.approx((interval.low, interval.high))


@methods
def test_the_curve_rises_to_the_observed_difference_and_falls(measure, method):
    curve = FOUND.confidence_curve(measure)
    half = len(curve.x) // 2
    tolerance = 0.02 if method == "bootstrap" else 1e-9  # the median of the resamples is near, and the others there

    assert curve.y[half - 1] == curve.y[half] == 1
    assert curve.x[[half - 1, half]] == pytest.approx(FOUND.difference(measure).value, abs=tolerance)
    assert (np.diff(curve.x) >= 0).all()
    assert (np.diff(curve.y[:half]) > 0).all()
    assert (np.diff(curve.y[half:]) < 0).all()
    np.testing.assert_allclose(curve.level, 1 - curve.y)


def test_the_curve_crosses_no_difference_at_its_p_value():
    curve = FOUND.confidence_curve("auc")

    assert curve.p_value == FOUND.test("auc").p_value
    assert np.interp(0, curve.x, curve.y) == pytest.approx(curve.p_value, abs=0.01)


def test_turning_the_models_around_mirrors_the_curve():
    curve, mirrored = FOUND.confidence_curve("auc", "a", "b"), FOUND.confidence_curve("auc", "b", "a")

    np.testing.assert_allclose(curve.x, -mirrored.x[::-1])


def test_a_difference_without_limits_has_an_empty_curve_and_a_reason():
    curve = compare([1, 0], {"a": [0.9, 0.1], "b": [0.1, 0.9]}).confidence_curve("auc")

    assert len(curve.x) == len(curve.y) == 0
    assert curve.notes
    assert math.isnan(curve.p_value)
    assert curve.to_dict()["p_value"] is None


def test_a_curve_converts():
    curve = FOUND.confidence_curve("auc")

    assert list(curve.to_frame().columns) == ["difference", "level", "p_value"]
    assert len(curve.to_frame("polars")) == len(curve.x) == 204
    assert curve.to_dict()["points"][0].keys() == {"difference", "level", "p_value"}
    assert repr(curve).startswith("Confidence curve of auc: a - b: ")
