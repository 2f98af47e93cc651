"""Promises fixed in advance, and those that hold at every cut at once: reference numbers, enumeration, simulation."""

import sys
from fractions import Fraction
from math import comb
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats
from scipy.special import ndtr
from scipy.stats import beta

import cutline as cl
from cutline.core.errors import ParameterError
from cutline.cuts.guarantees import (
    PrecisionAtQuotas,
    QuotaSequence,
    compute_lower_bounds,
    compute_probability_below,
    compute_simultaneous_bounds,
    compute_upper_bounds,
    count_allowed_misses,
    count_needed_cases,
    find_local_level,
    make_quota_sequences,
)
from cutline.cuts.requirements import parse_requirement

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import precision_promises

# ---------------------------------------------------------------------- fixed in advance


@pytest.mark.parametrize(
    ("cases", "allowed"),
    [
        (28, (1, -1, -1)),
        (29, (1, 0, -1)),
        (59, (6, 1, 0)),
        (100, (13, 4, 1)),
        (400, (66, 29, 12)),
        (1000, (178, 84, 38)),
    ],
)
def test_the_misses_that_a_recall_allows_are_those_of_the_table(cases, allowed):
    assert tuple(count_allowed_misses(cases, 1 - r, 0.95) for r in (0.8, 0.9, 0.95)) == allowed


def test_the_smallest_number_of_positives_is_known():
    assert [count_needed_cases(1 - r, 0.95) for r in (0.9, 0.95, 0.99)] == [29, 59, 299]
    assert count_needed_cases(0.0, 0.95) == np.inf


@pytest.mark.parametrize("rate", [Fraction(1, 20), Fraction(1, 10), Fraction(1, 5), Fraction(1, 2)])
@pytest.mark.parametrize("confidence", [Fraction(9, 10), Fraction(19, 20)])
def test_up_to_sixty_cases_enumeration_in_fractions_allows_the_same(rate, confidence):
    for m in range(1, 61):
        chances = [comb(m, k) * rate**k * (1 - rate) ** (m - k) for k in range(m + 1)]
        at_least = [sum(chances[j:]) for j in range(m + 1)]
        largest = max(j for j in range(m + 1) if at_least[j] >= confidence)

        assert count_allowed_misses(m, float(rate), float(confidence)) == largest - 1


@pytest.mark.parametrize("recall", [0.8, 0.9, 0.95])
def test_it_is_clopper_pearson_tested_from_the_lowest_cut_up(recall):
    for m in range(1, 61):
        passed = -1
        for missed in range(m):  # stop at the first failure
            low = beta.ppf(0.05, m - missed, missed + 1)
            if low < recall:
                break
            passed = missed

        assert count_allowed_misses(m, 1 - recall, 0.95) == passed


def test_bounds_are_clopper_pearson():
    missed = np.arange(41)

    assert compute_upper_bounds(missed[:-1], 40, 0.9) == pytest.approx(beta.ppf(0.9, missed[:-1] + 1, 40 - missed[:-1]))
    assert compute_upper_bounds(40, 40, 0.9) == 1
    assert compute_lower_bounds(0, 40, 0.9) == 0
    assert compute_lower_bounds(7, 40, 0.9) == pytest.approx(beta.ppf(0.1, 7, 34))


# ---------------------------------------------------------------------- at every cut at once


def test_the_local_level_is_that_of_the_reference():
    assert [round(find_local_level(m, 0.95), 6) for m in (20, 50, 100)] == [0.005217, 0.003287, 0.002461]


@pytest.mark.parametrize(("cases", "misses"), [(100, 2), (400, 22)])
def test_a_band_allows_fewer_misses_than_a_promise_in_advance(cases, misses):
    allowed = int((compute_simultaneous_bounds(cases, 0.95) <= 0.1).sum()) - 1

    assert allowed == misses < count_allowed_misses(cases, 0.1, 0.95)


@pytest.mark.parametrize("m", [1, 2, 3, 5])
def test_the_chance_of_a_band_is_that_of_enumeration(m):
    bounds = np.sort(np.random.default_rng(m).random(m))

    # Each uniform falls in one of the m + 1 gaps; the band holds when i of them are below the i-th bound.
    gaps = np.diff(np.concatenate(([0], bounds, [1])))
    chance = 0.0
    for counts in np.ndindex(*[m + 1] * (m + 1)):
        if sum(counts) == m and all(sum(counts[:i]) >= i for i in range(1, m + 1)):
            ways = 1
            left = m
            for n in counts:
                ways *= comb(left, n)
                left -= n
            chance += ways * np.prod(gaps ** np.array(counts))

    assert compute_probability_below(bounds, np.arange(1, m + 1), m) == pytest.approx(chance, rel=1e-9)


@pytest.mark.parametrize("m", [7, 60, 3000])
def test_the_band_has_its_nominal_coverage(m):
    runs, bounds = 4000 if m < 1000 else 1500, compute_simultaneous_bounds(m, 0.9)[:-1]
    uniforms = np.sort(np.random.default_rng(0).random((runs, m)), axis=1)

    held = (uniforms <= bounds).all(1).mean()

    error = 4 * np.sqrt(0.09 / runs)
    assert 0.9 - error < held < 0.9 + error


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 300), st.sampled_from([0.8, 0.9, 0.95]))
def test_bounds_rise_with_the_misses_and_never_undercut_those_in_advance(m, confidence):
    bounds = compute_simultaneous_bounds(m, confidence)

    assert (np.diff(bounds) > 0).all()
    assert (bounds >= compute_upper_bounds(np.arange(m + 1), m, confidence) - 1e-9).all()


# ---------------------------------------------------------------------- what a promise is worth


def simulated(rng, kind, n, positive):
    """Scores of one class, and how likely a new case scores at least t."""
    shift = 1.0 * positive
    if kind == "smooth":
        return rng.normal(shift, 1, n), lambda t: float(ndtr(shift - t))
    if kind == "tied":
        chances = np.array([1, 2, 3, 2, 2]) if positive else np.array([3, 3, 2, 1, 1])
        chances = chances / chances.sum()
        return rng.choice(5, n, p=chances).astype(float), lambda t: float(chances[np.arange(5) >= t].sum())
    rate = 1.0 if positive else 2.0
    return rng.exponential(1 / rate, n), lambda t: float(np.exp(-rate * max(t, 0)))


@pytest.mark.parametrize("kind", ["smooth", "tied", "skewed"])
@pytest.mark.parametrize(
    ("requirements", "after_looking"),
    [(("recall >= 0.8",), False), (("fpr <= 0.3",), False), (("recall >= 0.7", "fpr <= 0.6"), False),
     (("recall >= 0.7",), True), (("precision >= 0.55",), False), (("precision >= 0.45",), True)],
)  # fmt: skip
def test_promises_are_broken_no_more_often_than_they_say(kind, requirements, after_looking):
    rng, runs, broken = np.random.default_rng(5), 100, 0
    for _ in range(runs):
        m = rng.binomial(160, 0.4)
        (pos, of_pos), (neg, of_neg) = simulated(rng, kind, m, True), simulated(rng, kind, 160 - m, False)
        r = cl.rank(np.repeat([1, 0], [m, 160 - m]), np.concatenate((pos, neg)))
        cut = cl.choose_cut(r, *requirements, level=0.8, after_looking=after_looking, resamples=0)
        if not cut.possible:
            continue
        recall, fpr = of_pos(cut.threshold), of_neg(cut.threshold)
        flagged = 0.4 * recall + 0.6 * fpr
        truth = {"recall": recall, "fpr": fpr, "precision": 0.4 * recall / flagged if flagged else 1.0}
        kept = (
            truth[text.split()[0]] >= float(text.split()[2])
            if ">=" in text
            else truth[text.split()[0]] <= float(text.split()[2])
            for text in requirements
        )
        broken += not all(kept)

    assert broken / runs <= 0.2 + 3 * np.sqrt(0.16 / runs)


def test_a_cut_in_advance_is_the_order_statistic_and_ties_stay_together():
    positives = np.repeat(np.arange(20.0), 5)  # 100 positives, 5 at each score: 4 may be missed, so none of the ties is
    r = cl.rank(np.repeat([1, 0], 100), np.concatenate((positives, positives - 10)))

    cut = cl.choose_cut(r, "recall >= 0.9", resamples=0)

    assert (cut.threshold, cut.misses_allowed, cut.requirements[0].seen) == (0.0, 4, 0)
    assert cl.choose_cut(r, "recall >= 0.8", resamples=0).threshold == 2.0  # 13 may be missed: two scores of 5


def test_what_is_impossible_says_how_many_positives_it_takes():
    r = cl.rank(np.repeat([1, 0], [28, 100]), np.arange(128.0))

    cut = cl.choose_cut(r, "recall >= 0.9")

    assert not cut.possible
    assert np.isnan(cut.threshold)
    assert cut.positives_needed == 29
    assert cut.statement == (
        "It takes at least 29 positives to promise 'recall >= 0.9' with 95 % confidence, and there are 28: "
        "only flagging everybody would."
    )
    with pytest.raises(ParameterError, match="There is no cut to apply"):
        cut.apply([1.0])


def test_two_classes_multiply_their_confidences():
    rng = np.random.default_rng(0)
    r = cl.rank(np.repeat([1, 0], 300), np.concatenate((rng.normal(2, 1, 300), rng.normal(0, 1, 300))))

    cut = cl.choose_cut(r, "recall >= 0.8", "fpr <= 0.3", maximize="f1", resamples=0)

    each = [one.confidence for one in cut.requirements]
    assert np.prod(each) == pytest.approx(0.95)
    assert cut.requirements[0].allowed == count_allowed_misses(300, 0.2, each[0])
    assert cut.requirements[0].seen <= cut.requirements[0].allowed


@pytest.mark.parametrize("how", ["weights", "groups"])
def test_promises_are_refused_for_weights_and_groups_and_limits_are_the_way_out(how):
    rng = np.random.default_rng(1)
    labels = rng.random(300) < 0.5
    scores = rng.normal(size=300) + 2 * labels
    extra = {how: rng.integers(1, 4, 300) if how == "weights" else np.arange(300) // 3}
    ev = cl.evaluate(labels, scores, **extra)

    with pytest.raises(ParameterError, match=r"recall\.low >= 0\.9"):
        cl.choose_cut(ev, "recall >= 0.8")

    cut = cl.choose_cut(ev, "recall.low >= 0.8", resamples=200)
    assert cut.possible
    assert not cut.promises
    assert ev.estimate("recall", threshold=cut.threshold, resamples=200).low >= 0.75


# ---------------------------------------------------------------------- precision at quotas


def by_hand(labels, least, sequences):
    """How many of the cases each quota that passes flags; the labels are sorted by score, without ties."""
    passed = set()
    for sequence in sequences:
        for quota in sequence.quotas:
            test = stats.binomtest(int(labels[:quota].sum()), quota, least, alternative="greater")
            if test.pvalue > sequence.error:
                break
            passed.add(quota)
    return passed


@pytest.mark.parametrize(("least", "n"), [(0.5, 60), (0.7, 400), (0.9, 1000)])
def test_a_sequence_is_that_of_binomial_tests_one_by_one(least, n):
    rng, sequences = np.random.default_rng(8), make_quota_sequences(n, least, 0.05)
    lengths = set()
    for _ in range(20):
        labels = rng.random(n) < np.linspace(1.1, 0.1, n)
        expected = by_hand(labels, least, sequences)
        r = cl.rank(labels, -np.arange(n))
        met = PrecisionAtQuotas(parse_requirement(f"precision >= {least}"), least, 0.95, sequences, n).meets(r)

        assert set(r.ends[met].tolist()) == expected
        lengths.add(len(expected))
    assert max(lengths) > 5


@pytest.mark.parametrize("least", [0.5, 0.8, 0.95])
def test_quotas_are_the_smallest_that_allow_their_negatives(least):
    for sequence in make_quota_sequences(300, least, 0.05):
        allowed = [count_allowed_misses(quota, 1 - least, 1 - sequence.error) for quota in sequence.quotas[:-1]]
        before = [count_allowed_misses(quota - 1, 1 - least, 1 - sequence.error) for quota in sequence.quotas[:-1]]

        assert sequence.quotas[-1] == 300
        assert (np.diff(allowed) >= 1).all()
        assert [fewer + 1 for fewer in before] == allowed
    first, *others = make_quota_sequences(300, least, 0.05)
    assert count_allowed_misses(first.quotas[0], 1 - least, 1 - first.error) == 0
    assert first.error + sum(one.error for one in others) == pytest.approx(0.05)


def test_a_stack_of_rankings_is_tested_row_by_row():
    rng = np.random.default_rng(3)
    cells = rng.multinomial(500, np.append(np.linspace(9, 1, 40), np.linspace(0.5, 8, 40)) / 370, 50)
    promise = PrecisionAtQuotas(
        parse_requirement("precision >= 0.7"), 0.7, 0.95, make_quota_sequences(500, 0.7, 0.05), 500
    )
    scores = np.arange(40.0, 0, -1)
    met = promise.meets(cl.Ranking.of_counts(scores, cells[:, :40], cells[:, 40:]))

    assert met.any(1).mean() > 0.5
    for row, one in zip(met, cells, strict=True):
        assert (promise.meets(cl.Ranking.of_counts(scores, one[:40], one[40:])) == row).all()


def test_only_the_order_of_the_scores_matters():
    labels = np.random.default_rng(8).random(400) < 0.4
    scores = np.random.default_rng(9).normal(size=400) + 3 * labels
    flagged = [
        cl.choose_cut(cl.evaluate(labels, scale(scores)), "precision >= 0.8", resamples=0).counts.flagged
        for scale in (np.asarray, special.expit, lambda x: special.expit(x - 6), np.exp)
    ]
    assert len(set(flagged)) == 1
    assert flagged[0] > 100


def test_a_quota_that_flags_nobody_does_not_end_a_sequence():
    r = cl.Ranking.of_counts([2, 1], [190, 20], [10, 180])
    cuts, passed = QuotaSequence((17, 100, 210, 300), 0.025).test(r, 0.8, 400)

    assert cuts.tolist() == [0, 0, 1, 1]
    assert passed.tolist() == [False, False, True, True]


def test_everybody_is_flagged_where_that_is_precise_enough():
    cut = cl.choose_cut(cl.evaluate(np.arange(300) % 2 == 0, np.arange(300)), "precision >= 0.3", resamples=0)

    assert cut.counts.flagged == 300


def test_of_two_precisions_the_higher_one_is_what_counts():
    rng = np.random.default_rng(0)
    labels = rng.random(4000) < 0.4
    ev = cl.evaluate(labels, rng.normal(size=4000) + 2 * labels)
    alone = cl.choose_cut(ev, "precision >= 0.8", resamples=0)

    assert cl.choose_cut(ev, "precision >= 0.6", "fdr <= 0.2", resamples=0).threshold == alone.threshold


def test_the_statement_says_how_many_of_the_flagged_may_be_negative():
    labels = np.repeat([1, 0, 1, 0], [50, 2, 20, 228])
    cut = cl.choose_cut(cl.evaluate(labels, -np.arange(300)), "precision >= 0.8", resamples=0)
    flagged = int(cut.counts.flagged)
    allowed = count_allowed_misses(flagged, 0.2, 1 - make_quota_sequences(300, 0.8, 0.05)[0].error)

    assert cut.statement == (
        f"With 95 % confidence at least 80 % of future cases that score {cut.threshold:g} or more are positive, at the "
        f"prevalence of your data; {allowed} of your {flagged} flagged cases may be negative."
    )
    assert cut.counts.fp <= allowed
    assert any(note.startswith("Precision was tested at quotas that follow from the requirement") for note in cut.notes)


@pytest.mark.parametrize("name", [one.name for one in precision_promises.populations(0.8)])
def test_promised_precision_is_broken_no_more_often_than_it_may_be(name):
    for least, n in ((0.8, 100), (0.8, 1000), (0.6, 400)):
        population = {one.name: one for one in precision_promises.populations(least)}[name]
        broken = precision_promises.measure(population, n, least, 1000)[1]

        assert not precision_promises.is_broken_too_often(broken, 1000), (least, n)


def test_a_sequence_promises_more_than_quotas_that_share_the_error():
    population = precision_promises.populations(0.8)[0]
    possible, _, precision, recall = precision_promises.measure(population, 2000, 0.8, 300)
    before, _, _, former = precision_promises.measure(population, 2000, 0.8, 300, seven=True)

    assert possible > 0.9 > before + 0.1
    assert recall > former + 0.2
    assert 0.8 < precision < 0.93


@pytest.mark.parametrize(("bound", "needed"), [(0.8, 14), (0.95, 59)])
def test_too_few_positives_for_a_precision_say_how_many_it_takes(bound, needed):
    def choose(positives):
        ev = cl.evaluate(np.repeat([1, 0], [positives, 3]), -np.arange(positives + 3))
        return cl.choose_cut(ev, f"precision >= {bound}", resamples=0)

    assert choose(needed).possible
    assert choose(needed - 1).statement == (
        f"It takes at least {needed} positives to promise 'precision >= {bound}' with 95 % confidence, and there are "
        f"{needed - 1}."
    )


def test_no_number_of_cases_promises_that_every_flagged_case_is_positive():
    cut = cl.choose_cut(cl.evaluate(np.repeat([1, 0], 500), -np.arange(1000)), "precision >= 1", resamples=0)

    assert cut.statement == "No number of cases can promise 'precision >= 1': relax it a little."


def test_named_quotas_are_tested_alone():
    labels = np.repeat([1, 0], [60, 340])
    scores = np.append(np.linspace(0.5, 1, 60), np.linspace(0.1, 0.6, 340))
    cut = cl.choose_cut(cl.evaluate(labels, scores), "precision >= 0.8", quota=[30, 50], resamples=0)

    assert cut.counts.flagged in (30, 50)
    assert not any("Precision was tested" in note for note in cut.notes)
    assert "The quotas at which precision is tested were fixed before anybody looked." in cut.assumptions


def test_sums_allow_as_many_misses_as_the_beta_distribution(monkeypatch):
    rng = np.random.default_rng(6)
    cases = [(int(10 ** rng.uniform(0, 4)), float(rng.choice([0.01, 0.1, 0.5, rng.random()]))) for _ in range(300)]
    asked = [(n, rate, level) for n, rate in cases for level in (0.5, 0.95, 0.999)]
    summed = [count_allowed_misses(*one) for one in asked]
    monkeypatch.setattr("cutline.cuts.guarantees._SUMMED", 0)
    assert summed == [count_allowed_misses(*one) for one in asked]


@pytest.mark.parametrize(
    "text", ["recall >= " + "4" * 400, "f_beta@beta=" + "4" * 5000 + " >= 0.5"], ids=["bound", "parameter"]
)
def test_a_number_beyond_a_float_is_refused(text):
    with pytest.raises(ParameterError, match="digits is beyond what a float holds"):
        parse_requirement(text)
