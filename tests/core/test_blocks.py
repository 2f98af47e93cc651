"""What is summed block by block is what one sum over all cells gives."""

from __future__ import annotations

import math

import numpy as np
import pytest

import cutline as cl
from cutline.core import blocks, loess, ranking
from cutline.inference import delong
from cutline.inference.single import auc
from cutline.measures import miscalibration
from cutline.measures.registry import Needs

RANKED = [measure.name for measure in cl.MEASURES if measure.needs is not Needs.COUNTS]


def predictions(tied):
    rng = np.random.default_rng(7)
    scores = rng.beta(1.2, 2.0, 3000)
    return rng.random(3000) < scores**1.3, np.round(scores, 2) if tied else scores


def values_of(labels, scores):
    r = cl.rank(labels, scores)
    quota = {"quota": 250}
    values = {}
    for name in RANKED:
        measure = cl.MEASURES[name]
        values[name] = float(measure.compute(r, **(quota if "quota" in measure.required else {})))
    return values | {"at quota": float(r.at_quota(700).tp), "at a cut": float(r.at_cut(41).fp)}


@pytest.mark.parametrize(("cells", "stretch"), [(1, 1024), (7, 1024), (64, 16), (1000, 20), (2999, 1024)])
@pytest.mark.parametrize("tied", [False, True])
def test_every_measure_is_the_same_in_blocks(monkeypatch, cells, stretch, tied):
    data = predictions(tied)
    expected = values_of(*data)
    monkeypatch.setattr(ranking, "_IN_BLOCKS", 10)
    monkeypatch.setattr(ranking, "BLOCK", cells)
    monkeypatch.setattr(blocks, "BLOCK", cells)
    monkeypatch.setattr(blocks, "STRETCH", stretch)
    found = values_of(*data)
    off = {name: (expected[name], found[name]) for name in expected if not near(expected[name], found[name])}
    assert not off


def near(one, other):
    return (math.isnan(one) and math.isnan(other)) or math.isclose(one, other, rel_tol=1e-12, abs_tol=1e-14)


def test_one_pass_computes_what_each_measure_computes_alone(monkeypatch):
    labels, scores = predictions(tied=False)
    monkeypatch.setattr(ranking, "_IN_BLOCKS", 10)
    monkeypatch.setattr(ranking, "BLOCK", 100)
    monkeypatch.setattr(blocks, "BLOCK", 100)
    together, alone = cl.rank(labels, scores), cl.rank(labels, scores)
    blocks.compute_together(together)
    passes = []
    monkeypatch.setattr(blocks, "_reduce_blocks", lambda *_: passes.append(1))
    for name in ("brier", "log_loss", "ks", "average_precision", "ece"):
        cl.MEASURES[name].compute(together)
    assert not passes
    monkeypatch.undo()
    for name in ("brier", "log_loss", "ks", "average_precision", "ece"):
        assert math.isclose(cl.MEASURES[name].compute(together), cl.MEASURES[name].compute(alone), rel_tol=1e-13)


SMOOTH = {
    "square": lambda p: p**2,
    "logarithm": np.log,
    "focal": lambda p: (1 - p) ** 2 * np.log(p),
    "line": lambda p: 1 / (1 + np.exp(0.3 - 2 * (np.log(p) - np.log1p(-p)))),
}


@pytest.mark.parametrize("population", ["uniform", "rare", "tied", "certain"])
def test_condensed_points_have_the_exact_sums_of_smooth_functions(population):
    rng = np.random.default_rng(3)
    scores = rng.beta(0.4, 6, 400_000) if population == "rare" else rng.random(400_000)
    if population == "tied":
        scores = np.round(scores, 6)
    if population == "certain":
        scores[:500] **= 20
    r = cl.rank(rng.random(400_000) < scores, scores)
    points = blocks.condense_cells(r)
    assert points.start.size > 100
    assert len(points.score) < len(r) / 2
    for function in SMOOTH.values():
        for cells, weights in ((r.pos, points.pos), (r.neg, points.neg)):
            exact = math.fsum((cells * function(r.score))[cells > 0])
            assert math.isclose(math.fsum(weights * function(points.score)), exact, rel_tol=1e-15)


def test_logistic_line_of_a_long_list_leaves_no_step_to_take():
    rng = np.random.default_rng(5)
    x = rng.normal(size=300_000) * 3
    r = cl.rank(rng.random(300_000) < 1 / (1 + np.exp(0.4 - 0.7 * x)), 1 / (1 + np.exp(-x)))
    intercept, slope = cl.joint_calibration_intercept(r), cl.calibration_slope(r)
    z = np.log(r.score) - np.log1p(-r.score)
    mean = 1 / (1 + np.exp(-intercept - slope * z))
    information = [math.fsum(mean * (1 - mean) * z**k) for k in range(3)]
    gradient = [math.fsum((r.pos - mean) * z**k) for k in range(2)]
    step = np.linalg.solve([information[:2], information[1:]], gradient)
    assert np.abs(step).max() < 1e-14


def test_local_regression_of_a_long_list_is_that_of_its_cases():
    rng = np.random.default_rng(6)
    scores = rng.beta(0.4, 6, 300_000)
    r = cl.rank(rng.random(300_000) < scores**1.2, scores)
    x, size, share = r.key[::-1], r.size[None, ::-1].astype(float), r.share[None, ::-1]
    expected = loess.fit_cubics(x, size, share)
    found = miscalibration._fit_long_cubics(r, x, 0.75, 2)
    assert np.array_equal(found.corners, expected.corners)
    assert np.abs(found.value - expected.value).max() < 1e-13
    assert np.abs(found.at(x) - loess._make_hermite_cubics(x, *expected)).max() < 1e-13


@pytest.mark.parametrize("tied", [False, True])
def test_limits_in_blocks_are_those_of_one_sum(monkeypatch, tied):
    labels, scores = predictions(tied)
    names = ["auc", "brier", "log_loss", "mae", "average_precision", "eer", "calibration_slope"]
    whole = cl.evaluate(labels, scores).summary(names, intervals="formula")
    monkeypatch.setattr(ranking, "_IN_BLOCKS", 10)
    monkeypatch.setattr(ranking, "BLOCK", 100)
    monkeypatch.setattr(blocks, "BLOCK", 100)
    monkeypatch.setattr(blocks, "STRETCH", 20)
    in_blocks = cl.evaluate(labels, scores).summary(names, intervals="formula")
    for one, other in zip(whole.rows, in_blocks.rows, strict=True):
        assert near(one.estimate.low, other.estimate.low), one.measure
        assert near(one.estimate.high, other.estimate.high), one.measure
    r = cl.rank(labels, scores)
    assert r.is_in_blocks
    found, free = float(delong.compute_variance(r)), float(auc.compute_freedom(r))
    monkeypatch.undo()
    r = cl.rank(labels, scores)
    assert near(found, float(delong.compute_variance(r)))
    assert near(free, float(auc.compute_freedom(r)))
