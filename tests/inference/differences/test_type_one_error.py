"""Default tests of all measures: they agree with their intervals, and seldom tell equal models apart."""

import sys
from pathlib import Path

import numpy as np
import pytest

import cutline as cl
from cutline.core.errors import CutlineError
from cutline.inference.differences import methods, unpaired
from cutline.inference.quantities import Quantity

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))

import type_one_error as study
from pairs import pairs, versions

LEVELS = (0.6, 0.9, 0.99)
QUICK = [m.name for m in cl.MEASURES if m.name not in study.SLOW]


def models_of(kind):
    rng = np.random.default_rng(11)
    cases = versions(rng, n=90, prevalence=0.4, changed=0.5)
    if kind == "paired":
        return cl.compare(**cases, threshold=0.4)
    return cl.compare_independent(
        *(cl.evaluate(cases["labels"][some], cases["scores"]["a"][some], threshold=0.4) for some in np.split(ORDER, 2))
    )


ORDER = np.random.default_rng(5).permutation(90)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["paired", "unpaired"])
def test_every_p_value_is_below_alpha_where_the_interval_excludes_no_difference(kind):
    models, compared = models_of(kind), 0
    for name in QUICK:
        given = {"resamples": 60, **({"share": 0.2} if name in study.QUOTAS else {})}
        try:
            test = models.test(name, **given)
        except CutlineError:
            continue
        test = test.pairs[0] if kind == "paired" else test
        for level in LEVELS:
            gap = models.difference(name, level=level, **given)
            if not np.isnan(gap.low):
                compared += 1
                assert (test.p_value <= 1 - level) == (not gap.low <= 0 <= gap.high), (name, level, test.p_value, gap)
    assert compared > 80 * len(LEVELS)


def rejections(pair, measures, samples):
    count = dict.fromkeys(measures, 0)
    for number in range(0, samples, study.BATCH):
        for key, (_, rejected, _) in study.batch(pair, number, measures)["tests"].items():
            count[key.partition("|")[0]] += rejected
    return count


@pytest.mark.parametrize(
    ("name", "measures"),
    [
        ("5 + 95, normal 0.7", ("prevalence_threshold", "mcc", "f1", "recall", "auc", "brier")),
        ("a score and its best cut, 300", ("ks", "max_youden_j")),
        ("60 v 60", ("auc", "average_precision", "f1", "recall", "brier")),
    ],
)
def test_equal_models_seldom_differ_significantly(name, measures, monkeypatch):
    """The quick version of benchmarks/type_one_error.py: with 5 %, more than 13 of 100 is one test in 2,000."""
    monkeypatch.setattr(study, "RESAMPLES", 60)
    (pair,) = (p for half in study.HALVES for p in pairs(half) if p.name.startswith(name) and "twice" not in p.name)
    assert max(rejections(pair, measures, 100).values()) <= 13


def test_a_small_sample_without_heavy_losses_does_not_differ_significantly_from_a_large_one(monkeypatch):
    """Its own interval knows nothing of them: alone it would reject in 9 to 18 of 100 samples."""
    monkeypatch.setattr(study, "RESAMPLES", 60)
    (pair,) = (p for p in pairs("validation") if p.name.startswith("25 v 1000"))
    measures = ("log_loss", "brier", "focal_loss", "mcfadden_r2")
    assert max(rejections(pair, measures, 100).values()) <= 9
    monkeypatch.setitem(unpaired.TABLE, Quantity.MEAN, (unpaired.SQUARE_AND_ADD,))
    assert rejections(pair, ("log_loss",), 100)["log_loss"] > 9


def test_losses_of_samples_of_equal_size_are_compared_by_their_own_limits():
    rng = np.random.default_rng(6)
    ends = [cl.evaluate(rng.random(80) < 0.4, rng.beta(2, 2, 80)) for _ in range(2)]
    models = cl.compare_independent(*ends)
    pooled, own = (models.difference("brier", method=method, resamples=50) for method in ("auto", "square_and_add"))
    assert (pooled.low, pooled.high) == (own.low, own.high)
    assert pooled.method == "pooled_losses"


def test_influence_values_alone_tell_equal_prevalence_thresholds_apart(monkeypatch):
    """What the quick version would show, had the default stayed: an empty cell adds nothing to the variance."""
    monkeypatch.setitem(methods.DEFAULTS, Quantity.THREE_SHARES, (methods.INFLUENCE, methods.STUDENT))
    (pair,) = (p for p in pairs("development") if p.name.startswith("5 + 95, normal 0.7") and p.is_paired)
    assert rejections(pair, ("prevalence_threshold",), 100)["prevalence_threshold"] > 13


def test_measures_that_depend_on_the_number_of_cases_are_refused_between_unequal_samples():
    rng = np.random.default_rng(2)
    labels, scores = rng.random(90) < 0.4, rng.random(90)
    few, many, half = (cl.evaluate(labels[:n], scores[:n]) for n in (30, 60, 30))
    refused = [m.name for m in cl.MEASURES if m.across_sizes]
    assert {cl.MEASURES[name].across_sizes for name in refused} <= set(cl.MEASURES.names)
    for name in refused:
        test = cl.compare_independent(few, many).test(name, resamples=50)
        assert np.isnan(test.p_value)
        assert f"compare {cl.MEASURES[name].across_sizes}." in " ".join(test.notes)
    notes = cl.compare_independent(few, many).test("log_likelihood").notes
    assert notes == ("log_likelihood depends on the number of cases (30 cases and 60 cases): compare log_loss.",)
    assert cl.compare_independent(few, half).test("log_likelihood").p_value == 1


def test_quotas_that_flag_a_handful_are_not_compared_between_samples():
    """Two cases at the top tell nothing: equal models were told apart in 12 to 14 %."""
    rng = np.random.default_rng(7)
    small, large = (cl.evaluate(rng.random(n) < 0.4, rng.random(n)) for n in (25, 400))
    models = cl.compare_independent(small, large)
    test = models.test("hit_rate", share=0.1)
    assert np.isnan(test.p_value)
    way_out = "take a quota or share that flags 5 cases or more, or compare auc."
    assert test.notes == (f"The quota flags 2 cases of a, which says too little: {way_out}",)
    assert models.test("hit_rate", share=0.2, resamples=50).p_value > 0


def test_losses_of_a_handful_of_a_class_are_not_compared_between_samples():
    """The losses of 2 positives may be small by luck: equal models differed significantly in up to 17 %."""
    rng = np.random.default_rng(8)
    few, enough = (cl.evaluate(np.arange(60) < positives, rng.random(60)) for positives in (4, 5))
    refused = cl.compare_independent(few, enough)
    for name in ("brier", "prevalence_threshold"):
        test = refused.test(name, resamples=50)
        assert np.isnan(test.p_value)
        assert test.notes == (f"A class has fewer than 5 cases in a, too few to compare {name}: compare auc.",)
    assert refused.test("auc").p_value > 0
    assert refused.test("brier", method="square_and_add", resamples=50).p_value > 0
    assert cl.compare_independent(enough, enough).test("brier", resamples=50).p_value == 1
    patients = np.repeat(np.arange(12), 10)
    grouped = cl.evaluate(patients < 3, rng.random(120), groups=patients)
    (note,) = cl.compare_independent(grouped, enough).test("log_loss", resamples=50).notes
    assert note == "A class has fewer than 5 groups in a, too few to compare log_loss: compare auc."


@pytest.mark.parametrize("name", ["hosmer_lemeshow", "spiegelhalter"])
def test_test_statistics_are_refused_between_any_samples(name):
    """With 10 positives and 140 negatives the Hosmer-Lemeshow statistic told equal models apart in 12 %."""
    rng = np.random.default_rng(3)
    one, two = (cl.evaluate(rng.random(60) < 0.4, rng.random(60)) for _ in range(2))
    test = cl.compare_independent(one, two).test(name)
    assert np.isnan(test.p_value)
    assert test.notes == (f"{name} tests one sample, and does not tell which is calibrated better: compare mcb.",)


def test_best_cuts_that_leave_few_errors_are_compared_by_the_limits_of_both():
    """Resamples of so few errors hardly vary: KS distances of 0.9 were told apart in 12 % where they are equal."""
    rng = np.random.default_rng(4)
    labels = np.arange(500) < 50
    noise = rng.normal(size=(2, 500))
    for distance, method in ((3.3, "mover"), (1.2, "bias_corrected")):
        models = cl.compare(labels, {"a": noise[0] + distance * labels, "b": noise[1] + distance * labels})
        assert models.test("ks", resamples=50).pairs[0].method == method


def test_the_batches_of_the_study_add_up():
    one = {"rules": 1, "pair": "p", "half": "h", "samples": {"auc": 10}, "tests": {"auc|delong": [10, 1, 0]}}
    two = {"rules": 1, "pair": "p", "half": "h", "samples": {"auc": 10}, "tests": {"auc|delong": [9, 0, 1]}}
    (both,) = study.add(study.add([], one), two)
    assert (both["samples"], both["tests"]) == ({"auc": 20}, {"auc|delong": [19, 1, 1]})


def test_only_what_chance_cannot_explain_counts_as_above():
    assert [study.Tally(100, k).is_above for k in (8, 12, 14)] == [False, False, True]
    assert not {p.name for p in pairs("development")} & {p.name for p in pairs("validation")}
