"""What is summed block by block is what one sum over all cells gives."""

from __future__ import annotations

import math

import numpy as np
import pytest

import cutline as cl
from cutline.core import blocks, ranking
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


@pytest.mark.parametrize("cells", [1, 7, 64, 2999])
@pytest.mark.parametrize("tied", [False, True])
def test_every_measure_is_the_same_in_blocks(monkeypatch, cells, tied):
    data = predictions(tied)
    expected = values_of(*data)
    monkeypatch.setattr(ranking, "_IN_BLOCKS", 10)
    monkeypatch.setattr(ranking, "BLOCK", cells)
    monkeypatch.setattr(blocks, "BLOCK", cells)
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
    monkeypatch.setattr(blocks, "_walk", lambda *_: passes.append(1))
    for name in ("brier", "log_loss", "ks", "average_precision", "ece"):
        cl.MEASURES[name].compute(together)
    assert not passes
    monkeypatch.undo()
    for name in ("brier", "log_loss", "ks", "average_precision", "ece"):
        assert math.isclose(cl.MEASURES[name].compute(together), cl.MEASURES[name].compute(alone), rel_tol=1e-13)
