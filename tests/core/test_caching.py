"""A long ranking keeps few columns, and says the same."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import cutline as cl
from cutline.core import caching
from cutline.inference.influence import differentiate_order


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
    monkeypatch.setattr(caching, "_LONG", 10)

    assert values(again) == pytest.approx(whole, nan_ok=True, rel=1e-12)


def test_a_long_ranking_keeps_the_columns_that_were_used_last(evaluation, monkeypatch):
    r = evaluation.ranking.swapped()
    monkeypatch.setattr(caching, "_LONG", 10)

    assert all(np.array_equal(getattr(r, name), getattr(r, name)) for name in ("tp", "fp", "ends", "tpr", "fpr"))
    assert [*r.__dict__["_columns"]] == ["fp", "fpr"]
    assert "tp" not in r.__dict__
    assert r.cached("a number", lambda: 3) == 3
    assert r.cached("a number", lambda: 4) == 3


def test_a_long_ranking_is_searched_for_a_quota_once(evaluation, monkeypatch):
    r = evaluation.ranking.swapped()
    monkeypatch.setattr(caching, "_LONG", 10)

    assert r.at_quota(40) is r.at_quota(np.float64(40))
    assert r.at_quota(40).flagged == 40
    assert r.at_quota(np.array([40, 50])).flagged.tolist() == [40, 50]


def test_threads_that_share_a_long_ranking_find_the_same(evaluation, monkeypatch):
    names = ("auc", "ks", "average_precision", "brier", "log_loss", "average_qrecall")
    alone = [evaluation.value(name) for name in names]
    shared = cl.Evaluation(evaluation.ranking.swapped().swapped())
    monkeypatch.setattr(caching, "_LONG", 10)

    with ThreadPoolExecutor(8) as threads:
        found = [*threads.map(shared.value, names * 50)]
    assert found == pytest.approx(alone * 50, rel=1e-12)


@pytest.mark.parametrize("quota", [None, 40])
def test_a_long_ranking_gives_the_same_intervals(evaluation, monkeypatch, quota):
    whole = evaluation.summary(resamples=0, quota=quota)
    again = cl.Evaluation(evaluation.ranking.swapped().swapped())
    monkeypatch.setattr(caching, "_LONG", 10)

    found = again.summary(resamples=0, quota=quota)
    assert [row.interval for row in found.rows] == [row.interval for row in whole.rows]
    assert sum(row.interval is not None for row in whole.rows) > 40


def test_of_many_models_the_last_few_keep_what_is_large():
    rng = np.random.default_rng(7)
    labels = rng.random(1000) < 0.4
    rankings = [cl.rank(labels, rng.random(1000) + 0.1 * i * labels) for i in range(8)]

    for r in rankings:
        assert differentiate_order(cl.auc, cl.auc(r), r) is not None

    holding = ["_large" in r.__dict__["short_list"].ranking.__dict__ for r in rankings]
    assert holding == [False] * 4 + [True] * 4
