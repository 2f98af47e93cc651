import numpy as np
import pytest

import cutline as cl
from cutline.inference.caveats import note_few_resamples

RNG = np.random.default_rng(5)
LABELS = RNG.integers(0, 2, 80)
ONE, TWO = RNG.random(80) + 0.2 * LABELS, RNG.random(80)
EV, OTHER, CMP = cl.evaluate(LABELS, ONE), cl.evaluate(LABELS, TWO), cl.compare(LABELS, {"a": ONE, "b": TWO})

RESAMPLED = {
    "percentiles": lambda n: EV.estimate("f1", method="bootstrap", resamples=n),
    "Student": lambda n: EV.estimate("average_precision", resamples=n),
    "BCa": lambda n: EV.estimate("average_precision", method="bca", resamples=n),
    "a band": lambda n: cl.roc_band(EV, resamples=n),
    "a difference": lambda n: CMP.difference("average_precision", resamples=n),
    "a test": lambda n: CMP.test("average_precision", resamples=n),
    "a permutation": lambda n: CMP.test("average_precision", method="permutation", resamples=n),
    "different cases": lambda n: cl.compare_independent(EV, OTHER).difference("average_precision", resamples=n),
    "a cut": lambda n: cl.choose_cut(EV, maximize="f1", resamples=n),
}


@pytest.mark.parametrize("name", RESAMPLED)
def test_results_from_few_resamples_are_noted(name):
    few = "Only 10 resamples were drawn: limits and p-values from fewer than 100 are little more than noise."

    assert RESAMPLED[name](10).notes.count(few) == 1
    assert not any("were drawn:" in note for note in RESAMPLED[name](100).notes)


def test_one_resample_is_few():
    assert note_few_resamples(1)[0].startswith("Only 1 resample was drawn: ")
    assert note_few_resamples(100) == []
