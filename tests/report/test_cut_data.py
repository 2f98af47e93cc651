"""The levels that let a page find and state promises as Python does, and the cut at a given threshold."""

import numpy as np
import pytest

import cutline as cl
from cutline.cuts.guarantees import compute_simultaneous_bounds, compute_upper_bounds, make_promises
from cutline.cuts.requirements import parse_requirement
from cutline.report.cut_data import collect_sentences, compute_levels, explain_no_guarantee


def ranking(seed=0, n=400, tied=False):
    rng = np.random.default_rng(seed)
    labels = rng.random(n) < 0.3
    scores = rng.normal(size=n) + 1.5 * labels
    return cl.rank(labels, np.round(scores) if tied else scores)


@pytest.mark.parametrize("n", [60, 400, 5000])
def test_the_bounds_of_a_band_follow_from_its_level(n):
    r = ranking(n=n)
    found = compute_levels(r, 0.95)
    for about, cases in (("recall", int(r.positives)), ("fpr", int(r.negatives))):
        own = np.array(found["shared"][about] or np.arange(1, cases + 1))
        beyond = own[np.searchsorted(own, np.arange(1, cases + 1))] - 1
        for part, level in zip(found["parts"], found["anywhere"][about], strict=True):
            bounds = np.append(compute_upper_bounds(beyond, cases, level), 1)
            np.testing.assert_allclose(bounds, compute_simultaneous_bounds(cases, part), rtol=1e-9)


def test_weights_groups_and_one_class_cannot_be_promised_anything():
    assert explain_no_guarantee(ranking(), grouped=False) == ""
    assert "groups" in explain_no_guarantee(ranking(), grouped=True)
    assert "weights" in explain_no_guarantee(cl.rank([1, 0], [2.0, 1.0], [2, 1]), grouped=False)
    assert "weights" in explain_no_guarantee(cl.rank([1, 0], [2.0, 1.0], [0.5, 1.5]), grouped=False)
    assert "one class" in explain_no_guarantee(cl.rank([1, 1], [2.0, 1.0]), grouped=False)


def test_the_sentences_of_the_page_are_those_of_the_statements():
    cut = cl.choose_cut(ranking(), "recall >= 0.8", resamples=0)
    said = collect_sentences()

    assert said["clauses"]["recall"].split("{")[0] in cut.statement
    assert list(cut.assumptions) == [*said["basis"], said["in_advance"], said["no_drift"]]


# ---------------------------------------------------------------------- a given threshold


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("prevalence", [None, 0.02])
def test_a_threshold_promises_exactly_what_its_requirements_would(tied, prevalence):
    r = ranking(tied=tied)
    for place in (1, len(r) // 3, len(r) - 1):
        cut = cl.cut_at(r, threshold=float(r.thresholds[place]), prevalence=prevalence)
        asked = [parse_requirement(one.requirement) for one in cut.requirements]
        made = make_promises(r, asked, 0.95, after_looking=True, prevalence=prevalence)

        assert len(made) == 3 or place != len(r) // 3
        assert all(one.meets(r)[place] for one in made)


def test_one_thousandth_more_is_not_promised():
    r = ranking()
    cut = cl.cut_at(r, threshold=0.5)
    asked = [parse_requirement(one.requirement) for one in cut.requirements]
    more = [
        parse_requirement(f"{one.term.measure.name} {one.comparison} {one.bound + (1e-3 if one.is_floor else -1e-3)}")
        for one in asked
    ]

    made = make_promises(r, more, 0.95, after_looking=True)
    assert not any(one.meets(r)[r.cut(0.5)] for one in made)


def test_the_promise_of_a_threshold_holds_for_every_threshold():
    rng = np.random.default_rng(1)
    cases, broken = 60, 0
    for _ in range(400):
        positives, negatives = rng.random(cases) ** 0.5, rng.random(2 * cases)  # recall 1 - t^2 and fpr 1 - t
        r = cl.rank([1] * cases + [0] * (2 * cases), np.concatenate((positives, negatives)))
        for place in (3, 20, 60, 120):
            t = float(r.thresholds[place])
            bounds = dict(
                one.requirement.replace(">=", "<=").split(" <= ") for one in cl.cut_at(r, threshold=t).requirements
            )
            true = {"recall": 1 - t * t, "fpr": 1 - t}
            if true["recall"] < float(bounds.get("recall", 0)) or true["fpr"] > float(bounds.get("fpr", 1)):
                broken += 1
                break

    assert broken / 400 < 0.05 + 3 * (0.05 * 0.95 / 400) ** 0.5


def test_what_cannot_be_promised_at_a_threshold_is_refused():
    r = ranking()
    with pytest.raises(cl.InputError, match="takes an evaluation first"):
        cl.cut_at([1, 0], threshold=0.5)
    with pytest.raises(cl.ParameterError, match="weights"):
        cl.cut_at(cl.rank([1, 0], [2.0, 1.0], [0.5, 1.5]), threshold=1)
    with pytest.raises(cl.CutlineError, match="threshold"):
        cl.cut_at(r, threshold=float("nan"))
    with pytest.raises(cl.ParameterError, match="prevalence"):
        cl.cut_at(r, threshold=0.5, prevalence=1.5)
