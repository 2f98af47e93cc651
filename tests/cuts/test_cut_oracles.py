"""Cuts and decision curves against the answers of MAPIE and dcurves, frozen in `oracles/cuts.json`.

`oracles/make_cut_oracles.py` made the file and says how; these tests need none of the packages.
"""

import json
from pathlib import Path

import numpy as np
import pytest

import cutline as cl

FROZEN = json.loads((Path(__file__).parents[1] / "oracles" / "cuts.json").read_text())
CASES = [(one, float(target)) for one in FROZEN["recall"] for target in one["cuts"]]


@pytest.mark.parametrize(
    ("one", "target"), CASES, ids=[f"{one['positives']}-{one['kind']}-{target}" for one, target in CASES]
)
def test_the_cut_is_never_stricter_than_the_fixed_sequence_of_mapie(one, target):
    labels, scores = np.array(one["labels"]), np.array(one["scores"])
    theirs = one["cuts"][str(target)]
    ours = cl.choose_cut(cl.rank(labels, scores), f"recall >= {target}", resamples=0)

    assert ours.possible or theirs is None
    if theirs is not None:  # a higher threshold flags less at the same promise
        assert ours.threshold >= theirs


@pytest.mark.parametrize("one", FROZEN["decision"], ids=["distinct", "tied", "another prevalence"])
def test_net_benefit_and_interventions_avoided_are_those_of_dcurves(one):
    ev = cl.evaluate(one["labels"], one["scores"])
    how = {"prevalence": one["prevalence"], "resamples": 0}

    found = cl.decision_curve(ev, one["risks"], **how)
    avoided = cl.decision_curve(ev, one["risks"], kind="interventions_avoided", **how)

    np.testing.assert_allclose(found["net_benefit"], one["net_benefit"], atol=1e-12)
    np.testing.assert_allclose(found["flag_everybody"], one["flag_everybody"], atol=1e-12)
    np.testing.assert_allclose(avoided["interventions_avoided"], one["interventions_avoided"], atol=1e-10)
