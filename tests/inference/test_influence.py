"""What one case changes: against formulas, against leaving cases out, and against the bootstrap."""

import tracemalloc

import numpy as np
import pytest

from cutline import MEASURES, compare, evaluate
from cutline.inference import delong, influence
from cutline.inference.differences.paired_values import estimate_standard_error, find_influence
from cutline.inference.resampling.bootstrap import bootstrap
from cutline.inference.resampling.pairing import Question
from cutline.inference.resampling.pairing import bootstrap as paired_bootstrap
from cutline.inference.resampling.samplers import CaseSampler
from cutline.inference.single.estimand import Estimand

RNG = np.random.default_rng(3)
N = 30_000
LABELS = RNG.random(N) < 0.25
SHARED = RNG.normal(size=N) + 1.2 * LABELS
MODELS = {name: 1 / (1 + np.exp(1 - SHARED - RNG.normal(size=N) * 0.6)) for name in "abc"}
ONE = evaluate(LABELS, MODELS["a"])
ALL = compare(LABELS, MODELS)
ORDERED = ("ks", "eer", "average_precision", "average_hit_rate", "average_qrecall", "partial_auc", "h_measure")


def test_for_the_auc_the_jackknife_of_the_order_is_delongs_variance():
    found = influence.differentiate_order(MEASURES["auc"].compute, ONE.auc, ONE.ranking)

    assert np.sqrt(found.variance(ONE.ranking)) == pytest.approx(
        np.sqrt(delong.compute_variance(ONE.ranking)), rel=0.01
    )


def test_what_a_case_changes_in_the_auc_is_its_placement():
    found = influence.differentiate_order(MEASURES["auc"].compute, ONE.auc, ONE.ranking)
    r = ONE.ranking
    is_positive = r.pos > 0
    mine = found.of_cases(np.arange(len(r)), is_positive)
    places = np.where(is_positive, delong.compute_placements(r).of_positives, delong.compute_placements(r).of_negatives)
    expected = (places - ONE.auc) / np.where(is_positive, r.positives, r.negatives)

    assert np.corrcoef(mine, expected)[0, 1] > 0.999


@pytest.mark.parametrize("name", ORDERED)
def test_a_measure_of_the_order_has_the_standard_error_of_the_bootstrap(name):
    asked = Estimand.of_measure(MEASURES[name], ONE.ranking, {})
    found = influence.differentiate_order(asked.statistic, asked.value, ONE.ranking)
    drawn = bootstrap(CaseSampler(ONE.ranking), [asked.statistic], 150, 1).values[0]

    # 150 resamples know a standard deviation to 6 %: three times that
    assert np.sqrt(found.variance(ONE.ranking)) == pytest.approx(np.std(drawn), rel=0.18)


@pytest.mark.parametrize("name", ["precision", "mcc", "brier", "log_loss", "ks", "average_precision"])
def test_a_difference_has_the_standard_error_of_the_bootstrap_of_pairs(name):
    given = {"threshold": 0.5} if MEASURES[name].needs.name == "COUNTS" else {}
    question, pairing = Question(MEASURES[name], (given, given)), ALL.pairing.of(0, 1)
    found = [find_influence(pairing, question, model, ev.value(name)) for model, ev in enumerate((ALL["a"], ALL["b"]))]
    one, two = paired_bootstrap(pairing, [question], 150, 1).values[0]

    assert estimate_standard_error(pairing, question, found) == pytest.approx(np.std(one - two), rel=0.18)


def test_a_measure_that_jumps_from_score_to_score_is_resampled():
    assert find_influence(ALL.pairing, Question(MEASURES["precision_at_recall"], ({}, {})), 0, 0.3) is None
    assert (
        influence.differentiate_order(MEASURES["tied_pairs"].compute, 0.0, ONE.ranking) is None
    )  # a shorter list has ties


def test_smooth_measures_are_compared_by_formula_and_others_by_resamples():
    assert {ALL.method(m) for m in ("average_precision", "brier")} == {"influence"}
    assert {ALL.method(m) for m in ("f1", "mcc")} == {"mover_paired"}  # at a threshold
    few = compare(LABELS[:2000], {name: column[:2000] for name, column in MODELS.items()})
    assert few.method("average_precision") == "student"  # which few cases at the top of the list decide
    assert few.method("brier") == "influence"
    grouped = compare(LABELS, MODELS, groups=np.arange(N) // 3)
    assert {models.method("ks") for models in (ALL, few)} == {"bias_corrected"}  # the best over all cuts
    assert grouped.method("ks") == "mover_paired"
    strict = compare(LABELS, MODELS, threshold=0.98)  # hardly any case is flagged
    found, drawn = (strict.difference("f1", a="a", b="b", method=method) for method in ("auto", "bootstrap"))
    assert (found.method, found.value) == ("mover_paired", drawn.value)
    assert 1 <= (found.high - found.low) / (drawn.high - drawn.low) <= 1.5  # both models' own limits are wider here


def test_models_that_are_equal_differ_by_nothing():
    same = compare(LABELS, {"a": MODELS["a"], "b": MODELS["a"]})
    found = same.difference("average_precision", method="influence")

    assert (found.value, found.low, found.high) == (0, 0, 0)
    assert same.test("average_precision", "influence").p_value == 1


def test_the_memory_of_a_comparison_grows_with_the_models_and_not_with_their_pairs():
    def peak(models):
        columns = {f"m{i}": SHARED[:6000] + 0.1 * RNG.normal(size=6000) for i in range(models)}
        both = compare(LABELS[:6000], columns)
        tracemalloc.start()
        both.summary(["accuracy", "precision", "f1", "auc", "mcc"], resamples=5)
        _, found = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return found

    few, many = peak(4), peak(16)  # 6 pairs, and 120
    assert many < 6 * few
