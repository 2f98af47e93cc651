"""Phases of screening: cuts one after the other, promises that multiply, and how often they hold."""

import numpy as np
import pytest

import cutline as cl
from cutline.cuts.choice import choose_cut


def applicants(rng, n=1500):
    y = rng.random(n) < 0.3
    skill = rng.normal(size=n)  # which both tests see: phases are not independent
    return y, {name: rng.normal(size=n) + 0.5 * skill + 1.5 * y for name in ("form", "interview")}


def test_a_phase_is_cut_on_those_beyond_the_cuts_before_it():
    y, tests = applicants(np.random.default_rng(0))
    found = cl.screen(y, tests, keep=[0.95, 0.9])
    first, second = found.phases
    cut = choose_cut(y, tests["form"], "recall >= 0.95", confidence=0.975, resamples=0)
    left = tests["form"] > cut.threshold
    other = choose_cut(y[left], tests["interview"][left], "recall >= 0.9", confidence=0.975, resamples=0)

    assert (first.cut.threshold, second.cut.threshold) == (cut.threshold, other.threshold)
    assert found.keep == pytest.approx(0.95 * 0.9)
    assert (first.entered, second.entered) == (1500, int(left.sum()))
    assert second.positives_entered == int((y & left).sum())
    passed = (tests["form"] >= cut.threshold) & (tests["interview"] >= other.threshold)
    assert np.array_equal(found.apply(tests), passed)
    assert "at least 85.5 % of future positives (95 % x 90 %) pass the 2 negative phases" in found.statement


def test_the_last_phase_picks_the_best_of_those_who_are_left():
    y, tests = applicants(np.random.default_rng(1))
    found = cl.screen(y, tests, keep=0.9, pick=50)
    left = np.flatnonzero(tests["form"] > found.phases[0].cut.threshold)
    best = left[np.argsort(-tests["interview"][left])[:50]]

    assert sorted(np.flatnonzero(found.apply(tests))) == sorted(best)
    assert found.phases[-1].positives_kept == int(y[best].sum())
    alone = cl.screen(y, {"interview": tests["interview"]}, pick=50)
    assert alone.phases[0].kept == 50
    assert np.isnan(alone.keep)


def test_the_promises_hold_together():
    rng = np.random.default_rng(2)
    new_y, new_tests = applicants(rng, 100_000)
    held = []
    for _ in range(200):
        found = cl.screen(*applicants(rng), keep=0.9, confidence=0.9)
        held.append(found.apply(new_tests)[new_y].mean() >= found.keep)

    assert np.mean(held) >= 0.86  # 0.9 but for the error of 200 samples


def test_what_screening_needs_is_named():
    names = [found.measure for found in cl.advise(goal="screen", keep=0.99)]
    assert names == ["qrecall", "pem"]
    assert [found.measure for found in cl.advise(goal="screen", pick=20)] == ["hit_rate"]
    assert [found.measure for found in cl.advise(cl.Situation(goal="screen", keep=0.9, pick=20))] == [
        *names,
        "hit_rate",
    ]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "pass keep, pick or both"),
        ({"pick": 5}, "pick alone has one phase, not 2: pass keep too"),
        ({"keep": [0.9]}, "keep has 1 shares for 2 phases: pass one for each"),
        ({"keep": 1.5}, "keep is 1.5: pass shares between 0 and 1"),
        ({"keep": 0.9999}, "cannot promise it"),
    ],
)
def test_what_cannot_be_screened_is_refused(given, words):
    with pytest.raises(cl.CutlineError, match=words):
        cl.screen(*applicants(np.random.default_rng(0), 300), **given)


def test_what_cannot_be_advised_on_is_refused():
    with pytest.raises(cl.ParameterError, match="keep is for screening: pass goal='screen'"):
        cl.advise(goal="rank", keep=0.9)
    with pytest.raises(cl.ParameterError, match="goal is missing: pass one of rank"):
        cl.advise(keep=0.9)
