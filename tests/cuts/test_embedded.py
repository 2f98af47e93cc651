"""The numbers that let a page find and state promises as Python does."""

import numpy as np
import pytest

import cutline as cl
from cutline.cuts.embedded import can_promise, promised_bounds
from cutline.cuts.promises import promises
from cutline.cuts.requirements import requirement


def ranking(seed=0, n=400, tied=False):
    rng = np.random.default_rng(seed)
    labels = rng.random(n) < 0.3
    scores = rng.normal(size=n) + 1.5 * labels
    return cl.rank(labels, np.round(scores) if tied else scores)


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("text", ["recall >= 0.7", "recall >= 0.9", "fpr <= 0.1", "fpr <= 0.3", "share <= 0.4"])
def test_a_requirement_is_met_where_its_bound_is(text, tied):
    r = ranking(tied=tied)
    name, comparison, bound = text.split()
    found = np.array(promised_bounds(r, np.arange(len(r) + 1))[f"{name}_fixed"])

    met = found >= float(bound) if comparison == ">=" else found <= float(bound)

    [promise] = promises(r, [requirement(text)], 0.95, after_looking=False)
    assert met.tolist() == promise.kept(r).tolist()


@pytest.mark.parametrize("seed", range(3))
def test_the_strictest_cut_that_meets_the_bound_is_that_of_python(seed):
    r = ranking(seed)
    bounds = promised_bounds(r, np.arange(len(r) + 1))

    first = next(i for i, low in enumerate(bounds["recall_fixed"]) if low >= 0.9)

    assert r.thresholds[first] == cl.choose_cut(r, "recall >= 0.9", resamples=0).threshold


def test_what_holds_anywhere_is_weaker_than_what_was_fixed_beforehand():
    r = ranking()
    found = {name: np.array(values) for name, values in promised_bounds(r, np.arange(len(r) + 1)).items()}

    assert (found["recall_low"] <= found["recall_fixed"] + 1e-12).all()
    assert (found["fpr_high"] >= found["fpr_fixed"] - 1e-12).all()
    [promise] = promises(r, [requirement("precision >= 0.4")], 0.95, after_looking=True)
    assert (found["precision_low"][1:] >= 0.4).tolist() == promise.kept(r)[1:].tolist()


def test_weights_groups_and_one_class_cannot_be_promised_anything():
    assert can_promise(ranking(), grouped=False)
    assert not can_promise(ranking(), grouped=True)
    assert not can_promise(cl.rank([1, 0], [2.0, 1.0], [2, 1]), grouped=False)
    assert not can_promise(cl.rank([1, 0], [2.0, 1.0], [0.5, 1.5]), grouped=False)
    assert not can_promise(cl.rank([1, 1], [2.0, 1.0]), grouped=False)
