"""The pairing: cells by all models' scores, resamples that all models share, and DeLong's covariance."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cutline as cl
from cutline import MEASURES, compare, rank
from cutline.inference.resampling.pairing import (
    Question,
    bootstrap,
    compute_placements,
    estimate_delong_covariance,
    pair_models,
)
from cutline.measures import Needs
from grouping import each_case

LABELS = np.array([1, 1, 1, 0, 0, 0, 0, 1])
A = np.array([0.9, 0.8, 0.4, 0.7, 0.4, 0.2, 0.1, 0.4])
B = np.array([0.6, 0.9, 0.4, 0.6, 0.3, 0.3, 0.2, 0.4])

rows = st.lists(
    st.tuples(st.booleans(), st.integers(0, 4), st.integers(0, 4), st.integers(1, 3)), min_size=4, max_size=25
).filter(lambda rows: len({row[0] for row in rows}) == 2)


def pairing(labels, *scores, weights=None):
    return compare(labels, {str(i): s for i, s in enumerate(scores)}, weights).pairing


def brute_force(labels, scores, contrasts):
    """DeLong's covariance by comparing every positive with every negative."""
    labels, scores = np.asarray(labels, bool), np.asarray(scores, float)
    won = (scores[:, labels, None] > scores[:, None, ~labels]) + (
        scores[:, labels, None] == scores[:, None, ~labels]
    ) / 2
    by_positive, by_negative = won.mean(2), won.mean(1)
    covariance = np.cov(by_positive) / by_positive.shape[1] + np.cov(by_negative) / by_negative.shape[1]
    return contrasts @ covariance @ contrasts.T


# ---------------------------------------------------------------------- cells


def test_cases_that_agree_in_everything_share_a_cell():
    cells = pairing(LABELS, A, B)

    assert cells.total == 8
    assert len(cells) == 7  # the two positives at (0.4, 0.4) are one cell
    assert sorted(cells.cases.tolist()) == [1, 1, 1, 1, 1, 1, 2]


@given(rows=rows)
def test_a_whole_weight_is_that_many_cases(rows):
    label, a, b, weight = map(np.array, zip(*rows, strict=True))
    weighted = pairing(label, a, b, weights=weight)
    repeated = pairing(label.repeat(weight), a.repeat(weight), b.repeat(weight))

    np.testing.assert_array_equal(weighted.cases, repeated.cases)
    np.testing.assert_array_equal(weighted.index, repeated.index)
    np.testing.assert_array_equal(weighted.is_positive, repeated.is_positive)
    assert weighted.integral


@given(rows=rows, data=st.data())
def test_the_order_of_the_rows_is_forgotten(rows, data):
    label, a, b, weight = map(np.array, zip(*data.draw(st.permutations(rows)), strict=True))
    first, second = map(np.array, list(zip(*rows, strict=True))[1:3])
    shuffled = pairing(label, a, b, weights=weight / 2)
    original = pairing(
        np.array([row[0] for row in rows]), first, second, weights=np.array([row[3] for row in rows]) / 2
    )

    for column in ("index", "is_positive", "cases", "weight"):
        np.testing.assert_array_equal(getattr(shuffled, column), getattr(original, column))


def test_a_fractional_weight_is_no_more_than_one_case():
    cells = pairing(LABELS, A, B, weights=np.array([0.5, 2.5, 1, 1, 1, 1, 1, 1]))

    assert cells.total == 8
    assert not cells.integral
    assert cells.cases @ cells.weight == 9


# ---------------------------------------------------------------------- resamples


@pytest.mark.parametrize("weights", [None, np.array([1, 2, 1, 3, 1, 1, 2, 1]), np.array([0.5, 2, 1, 1, 1.5, 1, 1, 1])])
@each_case("measure", [m for m in MEASURES if m.needs is not Needs.MARGINS], ids=str)
def test_a_measure_of_a_resample_equals_the_measure_of_the_drawn_rows(measure, weights):
    cells = pairing(LABELS, A, B, weights=weights)
    given = {"quota": 2} if "quota" in measure.required else {}
    if measure.name == "roc_n":
        given = {"n": 1}
    draws = cells.times(np.random.default_rng(7), 5)

    for model in (0, 1):
        together = Question(measure, (given, given)).value(cells.stack(draws, model), model)
        for drawn, value in zip(draws, np.broadcast_to(together, 5), strict=True):
            score = cells.rankings[model].score[cells.index[model]].repeat(drawn)
            ranking = rank(cells.is_positive.repeat(drawn), score, cells.weight.repeat(drawn))
            if not cells.integral:  # drawn by chance, fractional weights may all be whole
                columns = ("pos", "neg", "pos2", "neg2")
                ranking = replace(ranking, **{name: getattr(ranking, name).astype(float) for name in columns})
            assert value == pytest.approx(measure(ranking, **given), nan_ok=True)


def test_all_models_are_measured_on_the_same_cases():
    cells = pairing(LABELS, A, A, B)
    question = Question(MEASURES["auc"], ({}, {}, {}))
    values = bootstrap(cells, [question], 200, 0).values[0]

    np.testing.assert_array_equal(values[0], values[1])
    assert (values[0] != values[2]).any()


def test_a_seed_gives_the_same_resamples_in_any_chunks(monkeypatch):
    cells = pairing(LABELS, A, B)
    questions = [Question(MEASURES[name], ({}, {})) for name in ("auc", "brier")]
    whole = bootstrap(cells, questions, 50, 3)
    monkeypatch.setattr("cutline.inference.resampling.bootstrap.CELLS", 3 * len(cells))
    monkeypatch.setattr("cutline.core.parallel.WORTH_THREADS", 1)
    in_pieces = bootstrap(cells, questions, 50, 3)

    np.testing.assert_array_equal(whole.values, in_pieces.values)
    assert whole.redrawn == in_pieces.redrawn
    assert (whole.values != bootstrap(cells, questions, 50, 4).values).any()


def test_more_resamples_begin_with_the_same_ones():
    cells, question = pairing(LABELS, A, B), Question(MEASURES["auc"], ({}, {}))

    np.testing.assert_array_equal(
        bootstrap(cells, [question], 20, 0).values, bootstrap(cells, [question], 60, 0).values[..., :20]
    )


def test_a_resample_of_one_class_is_drawn_again_and_counted():
    cells = pairing([1, 0, 0, 0], [4, 3, 2, 1], [3, 4, 2, 1])
    drawn = bootstrap(cells, [Question(MEASURES["auc"], ({}, {}))], 4000, 0)

    assert not np.isnan(drawn.values).any()  # as an area of one class would be
    missed = (3 / 4) ** 4 + (1 / 4) ** 4  # no positive, or nothing else
    assert drawn.redrawn / 4000 == pytest.approx(missed / (1 - missed), abs=0.03)


@pytest.mark.parametrize("repeats", [1, 50])
def test_every_case_is_drawn_equally_often(repeats):
    cells = pairing(LABELS.repeat(repeats), A.repeat(repeats), B.repeat(repeats))
    drawn = cells.times(np.random.default_rng(0), 4000)

    np.testing.assert_allclose(drawn.mean(0), cells.cases, rtol=0.07)
    assert (drawn.sum(1) == 8 * repeats).all()


# ---------------------------------------------------------------------- DeLong


@given(rows=rows)
def test_placements_average_to_the_auc(rows):
    label, a, _, weight = map(np.array, zip(*rows, strict=True))
    ranking = rank(label, a, weight)
    outranked, outranking = compute_placements(ranking)

    assert ranking.pos @ outranked / ranking.positives == pytest.approx(cl.auc(ranking))
    assert ranking.neg @ outranking / ranking.negatives == pytest.approx(cl.auc(ranking))


@given(rows=rows.filter(lambda rows: 1 < sum(row[0] for row in rows) < len(rows) - 1))
def test_delong_is_what_comparing_every_pair_gives(rows):
    label, a, b, _ = map(np.array, zip(*rows, strict=True))
    contrasts = np.array([[1.0, 0, 0], [0, 1, 0], [1, -1, 0], [0, 1, -1]])
    expected = brute_force(label, [a, b, a + b], contrasts)

    np.testing.assert_allclose(estimate_delong_covariance(pairing(label, a, b, a + b), contrasts), expected, atol=1e-12)


def test_delong_of_many_cases_is_what_comparing_every_pair_gives():
    rng = np.random.default_rng(5)
    label = rng.random(400) < 0.2
    scores = [np.round(label + rng.normal(size=400), digits) for digits in (0, 1, 3, 8)]

    found = estimate_delong_covariance(pairing(label, *scores), np.eye(4))

    np.testing.assert_allclose(found, brute_force(label, scores, np.eye(4)), rtol=1e-10)


def test_equal_models_differ_by_exactly_nothing():
    rng = np.random.default_rng(0)
    label, score = rng.random(500) < 0.3, rng.random(500)

    assert estimate_delong_covariance(pairing(label, score, score), np.array([[1.0, -1.0]])) == 0


def test_scaled_weights_change_no_variance():
    weights = np.array([0.5, 2.25, 1, 1, 1.5, 1, 1, 1])
    contrasts = np.array([[1.0, -1.0]])
    once = estimate_delong_covariance(pairing(LABELS, A, B, weights=weights), contrasts)

    assert estimate_delong_covariance(pairing(LABELS, A, B, weights=weights * 3.7), contrasts) == pytest.approx(once)


def test_one_case_of_a_class_has_no_variance():
    assert np.isnan(estimate_delong_covariance(pairing([1, 0, 0], [3, 2, 1], [1, 2, 3]), np.array([[1.0, -1.0]]))).all()


@pytest.mark.parametrize("higher", [True, False])
@pytest.mark.parametrize("rounded", [(None, None), (1, None), (None, 2), (1, 2)])
@pytest.mark.parametrize("n", [5, 400])
def test_rankings_are_paired_by_sorting_as_by_looking_up(monkeypatch, higher, rounded, n):
    rng = np.random.default_rng(n)
    labels, scores = rng.random(n) < 0.4, [rng.normal(size=n) for _ in range(2)]
    scores = [s if digits is None else s.round(digits) for s, digits in zip(scores, rounded, strict=True)]
    labels[:2] = True, False
    rankings = [rank(labels, s, higher_is_positive=higher, positive=True) for s in scores]
    by_sorting = pair_models(rankings, scores, labels, None)
    sign = -1 if higher else 1
    monkeypatch.setattr(
        "cutline.inference.resampling.pairing.find_scores", lambda r, s: np.searchsorted(sign * r.score, sign * s)
    )
    looked_up = pair_models(rankings, scores, labels, None)

    kinds = set(zip(labels, *scores, strict=True))
    assert len(by_sorting) == len(kinds)  # one cell for each kind of case
    for one, other in zip(looked_up.index, by_sorting.index, strict=True):
        assert np.array_equal(one, other)
    assert np.array_equal(looked_up.is_positive, by_sorting.is_positive)
    assert np.array_equal(looked_up.cases, by_sorting.cases)
    found = [r.score[i] for r, i in zip(rankings, by_sorting.index, strict=True)]
    assert set(zip(by_sorting.is_positive, *found, strict=True)) == kinds
