"""Notes on coverage quote what the laboratory measured."""

import sys
from pathlib import Path

import numpy as np
import pytest

from cutline import compare, evaluate
from cutline.inference.single.measured_coverage import FIGURES, TESTED

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"
POINTS = 2  # by which figures may differ before they are written anew: results grow from night to night


@pytest.mark.skipif(not (BENCHMARKS / "coverage_results.jsonl").exists(), reason="needs the results of the laboratory")
def test_the_figures_are_those_of_the_stored_results(monkeypatch):
    monkeypatch.setattr(sys, "path", [str(BENCHMARKS), *sys.path])
    from noted_coverage import figures

    for kind, quoted in (("intervals", FIGURES), ("tests", TESTED)):
        found = figures(kind)
        assert quoted.keys() == found.keys()
        for key, measured in quoted.items():
            assert measured == pytest.approx(found[key], abs=POINTS), key


def test_a_note_on_coverage_is_followed_by_what_was_measured():
    rng = np.random.default_rng(0)
    labels = np.arange(60) < 6
    scores = np.clip(rng.normal(0.4, 0.2, 60) + 0.2 * labels, 0, 1)
    told = evaluate(labels, scores).estimate("average_precision", resamples=100).notes
    assert any("actual coverage" in note for note in told)
    low, high = FIGURES["student", True]
    assert told[-1].startswith("In simulations with fewer than 15 cases of a class, 95 % intervals by this method")
    assert f"held the truth in {low} to {high} % of the samples" in told[-1]


def test_without_doubt_about_coverage_nothing_is_quoted():
    rng = np.random.default_rng(1)
    labels = rng.random(400) < 0.4
    ev = evaluate(labels, np.clip(rng.normal(0.4, 0.2, 400) + 0.2 * labels, 0, 1))
    for name in ("auc", "average_precision", "recall"):
        assert not any("In simulations" in note for note in ev.estimate(name, resamples=100).notes)
    alone = evaluate([0] * 30, rng.uniform(0, 0.2, 30)).estimate(
        "brier", resamples=100
    )  # of which nothing was simulated
    assert not any("In simulations" in note for note in alone.notes)


def test_a_test_in_doubt_is_followed_by_how_often_such_tests_were_wrong():
    rng = np.random.default_rng(2)
    labels = np.arange(80) < 8
    models = {name: np.clip(rng.normal(0.4, 0.2, 80) + 0.2 * labels, 0, 1) for name in "ab"}
    cases = compare(labels, models)
    told = cases.test("mcc", resamples=200).pairs[0].notes
    assert any("tests of equal models at 5 % by this method" in note for note in told)
    directed = cases.test("mcc", resamples=200, alternative="greater").pairs[0].notes
    assert not any("tests of equal models" in note for note in directed)
