"""What is said of the 32 measures holds: whether the true risks score best is computed, not copied."""

import math

import numpy as np
import pytest

import cutline as cl
from cutline.measures import MEASURES
from cutline.report.clinical import GUIDES, Advice, Proper

RISKS = np.linspace(0.005, 0.8, 60) ** 1.5  # the true ones, of as many cases each
PREVALENCE = float(RISKS.mean())
CALIBRATED = {"oe_ratio": 1, "calibration_intercept": 0, "calibration_slope": 1}
by_guide = pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.title)


def odds(shift, stretch):
    return 1 / (1 + np.exp(-shift - stretch * np.log(RISKS / (1 - RISKS))))


def groups(size):
    """The mean risk of neighbours: coarser than the truth, but calibrated."""
    return RISKS.reshape(-1, size).mean(-1).repeat(size)


WRONG = {
    "lower": odds(-1, 1), "higher": odds(1, 1), "far lower": odds(-3, 1), "far higher": odds(3, 1),
    "a bit lower": odds(-0.3, 1), "a bit higher": odds(0.3, 1),
    "hardly lower": odds(-0.1, 1), "hardly higher": odds(0.1, 1),
    "too extreme": odds(0, 2), "too timid": odds(0, 0.5), "certain": np.where(RISKS >= 0.5, 0.999, 0.001),
    "of others": np.random.default_rng(0).permutation(RISKS), "reversed": RISKS[::-1],
    "in pairs": groups(2), "in tens": groups(10),
}  # fmt: skip


def loss(guide, risks, threshold):
    """How far a measure is from its best in a population where each case has its true risk: less is better."""
    each = np.repeat([1, 0], len(RISKS)), np.tile(risks, 2), np.concatenate((RISKS, 1 - RISKS))
    ev = cl.evaluate(*each, positive=1, threshold=threshold)
    costs = {"cost_fn": (1 - threshold) / threshold} if guide.measure == "min_expected_cost" else {}
    value, measure = ev.value(guide.measure, **costs), MEASURES[guide.measure]
    if measure.better is None:
        return abs(value - CALIBRATED[guide.measure])
    return value if measure.better == "lower" else -value


def beaten(guide, threshold):
    """By how much wrong risks do better than the true ones, at most; and whether some do as well."""
    truth = loss(guide, RISKS, threshold)
    gains = [truth - loss(guide, wrong, threshold) for wrong in WRONG.values()]
    gains = [gain for gain in gains if not math.isnan(gain)]
    return max(gains), max(gains) > -1e-9


@pytest.mark.slow
@by_guide
def test_the_true_risks_score_best_where_a_measure_is_called_proper(guide):
    gain, ties = beaten(guide, 0.1)

    assert (gain < 1e-9) == guide.proper.holds
    if guide.proper.holds:
        assert ties == (guide.proper is Proper.SEMI)


@by_guide
def test_measures_that_are_proper_at_one_threshold_cannot_be_beaten_there(guide):
    if guide.proper is Proper.AT_A_HALF:
        assert beaten(guide, 0.5)[0] < 1e-9
    if guide.proper is Proper.AT_PREVALENCE:
        assert beaten(guide, PREVALENCE)[0] < 1e-9
    if guide.proper is Proper.NO and guide.domain == "Classification":
        assert all(beaten(guide, threshold)[0] > 1e-9 for threshold in (0.1, 0.5, PREVALENCE))


def test_as_many_measures_as_in_the_guidance_have_both_properties_and_only_f1_has_none():
    having = {guide.title.partition(" (")[0]: guide.proper.holds + guide.has_one_focus for guide in GUIDES}

    assert [list(having.values()).count(number) for number in (2, 1, 0)] == [17, 14, 1]
    assert having["F1"] == 0
    assert [guide.title for guide in GUIDES if not guide.has_one_focus] == [
        *("AUPRC (interpolated)", "AUPRC (average precision)", "Partial AUROC (recall 0.8 to 1)", "F1")
    ]


def test_the_advice_follows_from_the_two_properties():
    for guide in GUIDES:
        both = guide.proper.holds and guide.has_one_focus
        assert (guide.advice in (Advice.RECOMMENDED, Advice.NOT_ESSENTIAL)) == both
    assert [guide.title for guide in GUIDES if guide.advice is Advice.RECOMMENDED] == [
        *("AUROC", "Net benefit", "Standardised net benefit", "Expected cost")
    ]
    assert [guide.title for guide in GUIDES if guide.advice is Advice.CAUTION] == [
        *("Sensitivity", "Specificity", "Positive predictive value", "Negative predictive value")
    ]
