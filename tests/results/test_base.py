"""What all results with a summary or with named parts do alike."""

import numpy as np
import pytest

import cutline as cl

RNG = np.random.default_rng(4)
N = 240
LABELS = RNG.integers(0, 2, N)
SCORES = {name: LABELS + RNG.normal(size=N) for name in "ab"}
FOLDS = np.arange(N) % 4
SITES = np.arange(N) % 3


def results():
    """Return a result of each class, with the options that keep its summary short."""
    evaluations = [cl.evaluate(LABELS[half], SCORES["a"][half]) for half in (slice(0, 120), slice(120, N))]
    truth, scores = np.eye(3, dtype=int)[SITES], RNG.random((N, 3))
    return {
        "slices": (cl.evaluate(LABELS, SCORES["a"], by=SITES), {"measures": "auc"}),
        "slices of models": (cl.compare_by_slice(LABELS, SCORES, by={"site": SITES}), {"measures": "auc"}),
        "folds": (cl.compare_folds(LABELS, SCORES, folds=FOLDS), {"measures": "auc"}),
        "periods": (cl.evaluate(LABELS, SCORES["a"], quota=5, quota_by=SITES), {}),
        "labels": (cl.one_vs_rest(truth, scores), {"measures": ["auc"], "resamples": 20}),
        "samples": (cl.compare_independent(*evaluations), {"measures": "auc"}),
        "comparison": (cl.compare(LABELS, SCORES), {"measures": "auc"}),
        "classes": (cl.one_vs_rest(SITES, scores), {"measures": "accuracy"}),
    }


RESULTS = results()


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_with_a_summary_converts_and_shows_it(name):
    result, options = RESULTS[name]
    frame, table = result.to_frame(**options), result.summary(**options)
    assert frame.equals(table.to_frame())
    assert len(frame)
    assert "<table>" in result._repr_html_()
    assert len(repr(result).splitlines()) > 2
    assert f"{type(result).__name__}(" not in repr(result)


@pytest.mark.parametrize(("name", "kind"), [
    ("slices", "slice by slice"), ("slices of models", "slice by site"), ("folds", "model"), ("comparison", "model"),
    ("classes", "class"),
])  # fmt: skip
def test_a_part_is_found_by_its_name_and_an_unknown_one_refused(name, kind):
    parts = RESULTS[name][0]
    assert len(parts) == len(list(parts)) > 1
    assert all(key in parts and parts[key] is part for key, part in parts.items())
    with pytest.raises(cl.UnknownNameError, match=f"There is no {kind} 'elsewhere' among"):
        parts["elsewhere"]
