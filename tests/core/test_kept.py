"""A long ranking keeps few columns, and says the same."""

import numpy as np
import pytest

import cutline as cl
from cutline.core import kept


@pytest.fixture
def evaluation():
    rng = np.random.default_rng(7)
    labels = rng.random(400) < 0.4
    return cl.evaluate(labels, np.clip(rng.random(400) * 0.7 + 0.3 * labels, 0, 1))


def values(ev):
    return {measure.name: ev.value(measure) for measure in cl.MEASURES if not measure.required}


def test_a_ranking_that_forgets_its_columns_gives_the_same_values(evaluation, monkeypatch):
    whole = values(evaluation)
    again = cl.Evaluation(evaluation.ranking.swapped().swapped())
    monkeypatch.setattr(kept, "_LONG", 10)

    assert values(again) == pytest.approx(whole, nan_ok=True, rel=1e-12)


def test_a_long_ranking_keeps_the_columns_that_were_used_last(evaluation, monkeypatch):
    r = evaluation.ranking.swapped()
    monkeypatch.setattr(kept, "_LONG", 10)

    assert all(np.array_equal(getattr(r, name), getattr(r, name)) for name in ("tp", "fp", "ends", "tpr", "fpr"))
    assert [*r.__dict__["_columns"]] == ["tpr", "fp", "fpr"]
    assert "tp" not in r.__dict__
    assert r.kept("a number", lambda: 3) == 3
    assert r.kept("a number", lambda: 4) == 3
