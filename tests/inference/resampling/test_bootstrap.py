"""The bootstrap: the same to the bit whatever the threads and the memory, and that of scipy but for chance."""

import inspect

import numpy as np
import pytest
from scipy import stats

from cutline import MEASURES, Counts, InputError, evaluate, rank
from cutline.core import parallel
from cutline.core.ranking import Ranking
from cutline.inference.resampling import bootstrap as module
from cutline.inference.resampling import samplers
from cutline.inference.resampling.bootstrap import bca, bootstrap, compute_accelerations, percentile
from cutline.inference.resampling.samplers import CaseSampler, Urn, draw_times
from cutline.measures import Needs


def simulated(n, seed=1, digits=None):
    rng = np.random.default_rng(seed)
    labels = rng.random(n) < 0.4
    scores = 1 / (1 + np.exp(-rng.normal(size=n) - labels))
    return labels, scores if digits is None else scores.round(digits)


LABELS, SCORES = simulated(120)
EVERY = [m.with_(quota=10) if "quota" in m.required else m for m in MEASURES]


def are_equal(a, b):
    return all(
        np.array_equal([x.value, x.low, x.high], [y.value, y.low, y.high], equal_nan=True) and x.notes == y.notes
        for x, y in zip(a, b, strict=True)
    )


# ---------------------------------------------------------------------- what is drawn


@pytest.mark.parametrize(
    "sizes", [np.ones(50, int), np.array([3, 1, 0 + 5, 2]), np.array([4000, 1, 999]), np.array([1.5, 2.25, 1.25])]
)
def test_a_resample_has_as_many_cases_as_the_data(sizes):
    drawn = Urn.of(sizes).draw(np.random.default_rng(0), 7)

    assert drawn.shape == (7, len(sizes))
    assert (drawn.sum(1) == round(sizes.sum())).all()


@pytest.mark.parametrize(
    "sizes", [np.array([3, 1, 5, 2]), np.array([300, 100, 500, 200]), np.array([2.5, 1.5, 4.0, 3.0])]
)
def test_the_draws_have_the_mean_and_the_variance_of_a_multinomial(sizes):
    share, n, count = sizes / sizes.sum(), round(sizes.sum()), 40_000
    drawn = Urn.of(sizes).draw(np.random.default_rng(0), count)
    variance = n * share * (1 - share)

    assert np.abs(drawn.mean(0) - n * share).max() < 5 * np.sqrt(variance.max() / count)
    np.testing.assert_allclose(drawn.var(0), variance, rtol=0.05)


def test_a_stratified_resample_keeps_the_class_sizes():
    ranking = rank(LABELS, SCORES)
    cells = CaseSampler(ranking, stratified=True).draw(np.random.default_rng(0), 20)

    assert (cells.pos.sum(1) == LABELS.sum()).all()
    assert (cells.neg.sum(1) == (~LABELS).sum()).all()


def test_a_resample_draws_only_scores_that_are_there():
    ranking = rank([1, 0, 1, 0, 0], [0.9, 0.6, 0.6, 0.2, 0.2])
    cells = CaseSampler(ranking).draw(np.random.default_rng(0), 500)

    assert not cells.pos[:, 2].any()
    assert not cells.neg[:, 0].any()
    assert (cells.pos.sum(1) + cells.neg.sum(1) == 5).all()


def test_a_weighted_resample_has_the_weight_of_the_data_and_the_right_spread():
    labels, scores = simulated(400, digits=2)
    weights = np.random.default_rng(5).uniform(0.5, 3, 400)
    ev = evaluate(labels, scores, weights)
    cells = CaseSampler(ev.ranking).draw(np.random.default_rng(0), 50)

    np.testing.assert_allclose(cells.pos.sum(1) + cells.neg.sum(1), weights.sum())
    narrow, wide = ev.estimate("auc", method="bootstrap"), ev.estimate("auc", method="delong")
    assert narrow.high - narrow.low == pytest.approx(wide.high - wide.low, rel=0.1)


# ---------------------------------------------------------------------- seeds


def test_a_seed_gives_the_same_limits_and_another_others():
    ev = evaluate(LABELS, SCORES)

    found = [ev.estimate("mcc", method="bootstrap", seed=seed) for seed in (7, 7, 8)]
    assert found[0] == found[1]
    assert found[0].low != found[2].low


@pytest.mark.parametrize("method", ["bootstrap", "bca"])
@pytest.mark.parametrize("digits", [None, 2])
def test_neither_memory_nor_threads_change_a_bit(method, digits, monkeypatch):
    ev = evaluate(*simulated(120, digits=digits))

    def found():
        return ev.estimates(EVERY, method=method, resamples=module.BLOCK + 50)

    expected = found()
    monkeypatch.setattr(module, "CELLS", 3000)
    assert are_equal(found(), expected)
    monkeypatch.setattr(parallel, "WORTH_THREADS", 0)
    assert are_equal(found(), expected)
    monkeypatch.setattr(module, "CELLS", 2**30)
    assert are_equal(found(), expected)


def test_a_measure_has_the_same_limits_alone_and_in_company():
    ev = evaluate(LABELS, SCORES)
    together = ev.estimates(EVERY, method="bootstrap", resamples=300)

    assert are_equal([ev.estimate(m, method="bootstrap", resamples=300) for m in EVERY], together)


def test_a_long_ranking_is_resampled_without_the_scores_that_were_not_drawn(monkeypatch):
    ranking = rank(*simulated(300))
    statistics = [lambda r, m=m: m.compute(r.at_threshold(0.5) if m.needs is Needs.COUNTS else r) for m in EVERY]
    short = bootstrap(CaseSampler(ranking), statistics, 40, 3)
    for place in (samplers, module):
        monkeypatch.setattr(place, "LONG", 100)
    long = bootstrap(CaseSampler(ranking), statistics, 40, 3)

    for m, a, b in zip(EVERY, short.values, long.values, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12, equal_nan=True, err_msg=m.name)


# ---------------------------------------------------------------------- limits


SEED = "rng" if "rng" in inspect.signature(stats.bootstrap).parameters else "random_state"  # before SciPy 1.15


@pytest.mark.slow
@pytest.mark.parametrize(("ours", "theirs"), [("bootstrap", "percentile"), ("bca", "BCa")])
@pytest.mark.parametrize("name", ["auc", "log_loss", "f1"])
def test_scipy_finds_the_same_limits_but_for_chance(name, ours, theirs):
    m = MEASURES[name]

    def statistic(index):
        index = index.astype(int)
        return m(LABELS[index], SCORES[index])

    peer = stats.bootstrap(
        (np.arange(120),),
        statistic,
        n_resamples=2000,
        vectorized=False,
        method=theirs,
        **{SEED: np.random.default_rng(1)},
    )
    found = evaluate(LABELS, SCORES).estimate(name, method=ours)
    # A percentile of 2000 resamples at 2.5 % errs by sqrt(0.025 * 0.975 / 2000) / density: about 0.06 standard errors.
    chance = 4 * np.sqrt(2) * 0.06 * peer.standard_error

    assert abs(found.low - peer.confidence_interval.low) < chance
    assert abs(found.high - peer.confidence_interval.high) < chance


def test_the_percentiles_are_those_of_the_values():
    assert percentile(np.arange(1.0, 1000.0), 0.9) == (50, 950)  # of 999 values
    assert percentile(np.array([0.0, 1.0, np.inf]), 0.5) == (0.0, np.inf)


def test_without_bias_and_acceleration_bca_is_the_percentile_interval():
    values = np.arange(1001.0)

    assert bca(values, 500.0, 0.0, 0.9) == pytest.approx(percentile(values, 0.9))
    assert bca(values, 500.0, 0.1, 0.9) > percentile(values, 0.9)
    assert bca(values, 2000.0, 0.0, 0.9) is None


def test_beyond_the_pole_of_the_correction_bca_takes_the_extreme_of_that_side():
    values = np.arange(1001.0)

    assert bca(values, 500.0, -0.7, 0.95).low == 0
    assert bca(values, 500.0, 0.7, 0.95).high == 1000


def test_the_acceleration_of_a_mean_is_a_sixth_of_its_skewness():
    losses = -np.log(np.where(LABELS, SCORES, 1 - SCORES))
    expected = stats.skew(losses) / 6 / np.sqrt(len(losses))

    assert compute_accelerations(CaseSampler(rank(LABELS, SCORES)), [MEASURES["log_loss"].compute], 0)[
        0
    ] == pytest.approx(expected)


def test_leaving_out_lots_estimates_the_same_acceleration():
    labels, scores = simulated(3000)
    losses = -(np.log(np.where(labels, scores, 1 - scores)) ** 4)
    expected = -stats.skew(losses) / 6 / np.sqrt(len(losses))

    def fourth_powers(r):
        return (r.pos * np.log(r.key) ** 4 + r.neg * np.log1p(-r.key) ** 4).sum(-1) / r.total

    found = compute_accelerations(CaseSampler(rank(labels, scores)), [fourth_powers], 0)[0]
    assert found == pytest.approx(expected, abs=0.02)
    assert abs(expected) > 0.03


# ---------------------------------------------------------------------- what is told


def test_resamples_of_one_class_are_redrawn_and_counted():
    ev = evaluate([1, 0, 0, 0], [0.9, 0.6, 0.4, 0.2])
    found = ev.estimate("mcc", method="bootstrap", resamples=1000)
    redrawn = int(found.notes[0].split()[0])

    # A resample lacks the one positive with probability (3/4)^4, or about 0.316, and all negatives with 1/256.
    assert 350 < redrawn < 600
    assert found.notes[0] == f"{redrawn} bootstrap samples had only one class and were redrawn."


def test_resamples_that_leave_it_undefined_are_counted():
    ev = evaluate([1, 0, 1, 0, 1, 0], [0.9, 0.3, 0.2, 0.2, 0.1, 0.4])
    found = ev.estimate("precision", method="bootstrap", resamples=500)
    note = next(note for note in found.notes if note.startswith("It is undefined on "))

    assert 100 < int(note.split()[4]) < 250  # nobody is flagged with probability (5/6)^6, or about 1/3
    assert note.endswith(" of 500 resamples: the limits are from the others.")


def test_a_function_of_the_ranking_has_an_interval():
    ev = evaluate(LABELS, SCORES)

    def area(r):
        return MEASURES["auc"](r)

    found = ev.estimate(area, method="bootstrap")
    expected = ev.estimate("auc", method="bootstrap")

    assert (found.value, found.low, found.high) == (expected.value, expected.low, expected.high)
    assert found.measure == "area"


def test_a_function_of_the_counts_of_a_cut_has_an_interval():
    def caught(c: Counts) -> float:
        return c.tp / (c.tp + c.fn)

    ev = evaluate(LABELS, SCORES)
    for where in ({"threshold": 0.6}, {"quota": 30}, {"share": 0.25}):
        found = ev.estimate(caught, **where)
        expected = ev.estimate("recall", method="bootstrap", **where)
        assert (found.measure, found.method) == ("caught", "bootstrap")
        assert (found.value, found.low, found.high) == (expected.value, expected.low, expected.high)


def test_long_resamples_draw_each_row_as_often_as_the_others():
    n, count = samplers.MANY + 1000, 400
    urn, rng = Urn.of(np.ones(n, int)), np.random.default_rng(0)
    drawn = np.concatenate([urn.draw(rng, 1) for _ in range(count)])

    assert (drawn.sum(1) == n).all()
    assert drawn.var(0).mean() == pytest.approx(1 - 1 / n, rel=0.01)
    assert np.abs(drawn.mean(0) - 1).max() < 6 / np.sqrt(count)
    halves = drawn[:, : n // 2].sum(1)
    assert halves.mean() == pytest.approx(n / 2, abs=5 * np.sqrt(n / 4 / count))


@pytest.mark.parametrize("n", [700, 20_001])
def test_rows_that_are_not_drawn_one_by_one_are_as_often_in_a_resample_as_those_that_are(n):
    rng, count = np.random.default_rng(3), 4_000_000 // n
    drawn = np.array([draw_times(rng, n) for _ in range(count)])
    often = np.bincount(np.minimum(drawn.ravel(), 7), minlength=8)
    share = stats.binom.pmf(np.arange(8), n, 1 / n)
    share[7] = stats.binom.sf(6, n, 1 / n)

    assert (drawn.sum(1) == n).all()
    assert np.abs(often / drawn.size - share).max() < 5 * np.sqrt(0.25 / drawn.size)
    assert stats.chisquare(often, share * drawn.size).pvalue > 1e-4
    assert np.cov(drawn[:, :-1].ravel(), drawn[:, 1:].ravel())[0, 1] == pytest.approx(
        -1 / n, abs=5 / np.sqrt(drawn.size)
    )


def test_bca_is_the_same_whatever_the_processor_rounds():
    # The last bits of a sum depend on the processor: draws that equal the value but for them still equal it.
    rng = np.random.default_rng(3)
    draws = np.sort(rng.integers(0, 11, 999) / 10)
    exact = bca(draws, 0.7, 0.05, 0.95)
    for way in (-np.inf, np.inf):
        np.testing.assert_allclose(bca(np.nextafter(draws, way), 0.7, 0.05, 0.95), exact, rtol=1e-12, atol=1e-12)


def test_a_class_whose_share_is_lost_to_rounding_is_refused_instead_of_drawn_for_ever():
    pos, neg = np.array([2**61, 3, 0]), np.array([0, 2, 5])
    ranking = Ranking(np.array([0.9, 0.8, 0.7]), pos, neg, pos, neg)

    with pytest.raises(InputError, match="so rare that no resample holds both"):
        bootstrap(CaseSampler(ranking), [lambda r: r.positives], 3, 0)
