"""Bands of the ROC curve."""

import numpy as np
import pytest

from cutline import Band, CutlineError, Ranking, pr_band, rank, roc_band
from cutline.inference.single.bands import band, interpolate_tpr
from cutline.measures import MEASURES

GRID = np.linspace(0, 1, 41)


def simulated(n, seed):
    rng = np.random.default_rng(seed)
    labels = rng.random(n) < 0.4
    return rank(labels, rng.normal(size=n) + labels)


def test_the_curve_is_read_at_its_highest_point_and_diagonally_inside_a_tie():
    ranking = Ranking.of_counts([3, 2, 1], [2, 2, 0], [0, 4, 6])

    np.testing.assert_allclose(
        interpolate_tpr(ranking, np.array([0, 0.1, 0.2, 0.4, 0.9, 1])), [2 / 4, 2.5 / 4, 3 / 4, 1, 1, 1]
    )


def test_the_area_under_the_curve_read_everywhere_is_the_auc():
    ranking = simulated(80, 0)
    fine = (np.arange(100_000) + 0.5) / 100_000

    assert interpolate_tpr(ranking, fine).mean() == pytest.approx(MEASURES["auc"](ranking), abs=1e-4)


@pytest.mark.parametrize("simultaneous", [True, False])
def test_the_curve_lies_in_its_band_and_the_band_in_the_square(simultaneous):
    found = roc_band(simulated(150, 1), GRID, simultaneous=simultaneous)

    assert isinstance(found, Band)
    assert (found.low >= 0).all()
    assert (found.low <= found.y).all()
    assert (found.y <= found.high).all()
    assert (found.high <= 1).all()
    assert len(found.x) == len(found.to_dict()["high"]) == 41


def test_the_band_that_holds_everywhere_is_wider_than_that_of_each_point():
    ranking = simulated(300, 2)
    whole, points = (roc_band(ranking, GRID, simultaneous=each) for each in (True, False))

    assert (whole.high - whole.low >= points.high - points.low - 1e-12).mean() > 0.95


def test_a_point_of_the_band_is_the_bootstrap_of_that_point():
    ranking = simulated(200, 3)
    found = roc_band(ranking, [0.3], seed=5)
    alone = band(ranking, lambda r: interpolate_tpr(r, np.array([0.3])), [0.3], seed=5)

    assert (found.low, found.high) == (alone.low, alone.high)
    assert found.high - found.low == pytest.approx(2 * 1.96 * np.sqrt(0.25 / 80) * 1.1, rel=0.5)


def test_the_band_of_the_whole_curve_holds_the_truth():
    from statistics import NormalDist

    normal = NormalDist()
    inside = GRID[1:-1]
    truth = np.array([normal.cdf(1 + normal.inv_cdf(rate)) for rate in inside])
    found = [roc_band(simulated(200, seed), inside, guaranteed=True) for seed in range(100)]

    assert sum(((b.low <= truth) & (truth <= b.high)).all() for b in found) >= 95


def test_what_has_no_curve_is_refused():
    with pytest.raises(CutlineError, match="one class"):
        roc_band(rank([1, 1], [2, 1]))
    with pytest.raises(CutlineError, match="fpr must be"):
        roc_band(simulated(20, 0), [-0.1, 0.5])


def test_a_band_prints_some_of_its_points_and_converts():
    found = roc_band(rank([1, 0, 1, 0], [4, 3, 2, 1]), resamples=30)

    assert repr(found).splitlines()[0] == "Band of 95 %, point by point, at 101 places"
    assert "  note: 30 resamples are too few for a level of 0.95" in repr(found)
    assert len(repr(found).splitlines()) < 20
    assert "<table>" in found._repr_html_()
    assert found.to_frame()["low"].tolist() == found.low.tolist()
    assert "Band of 95 %, of the whole curve at once, at 1 place" in repr(
        roc_band(rank([1, 0], [2, 1]), [0.5], simultaneous=True)
    )


def test_a_band_is_of_a_ranking_or_an_evaluation():
    with pytest.raises(CutlineError, match="A band is of a ranking or of an evaluation, not of 3"):
        roc_band(3)


def test_the_calibrated_band_holds_the_whole_curve_as_often_as_it_says_and_is_narrower_than_the_bound():
    """Its coverage at 100 + 100 is 95 to 97 % over many samples; of forty, hardly ever fewer than 35 hold."""
    from statistics import NormalDist

    normal = NormalDist()
    inside = GRID[1:-1]
    truth = np.array([normal.cdf(1 + normal.inv_cdf(rate)) for rate in inside])
    samples = [simulated(250, 1000 + seed) for seed in range(40)]
    found = [roc_band(r, inside, simultaneous=True, resamples=150) for r in samples]
    bounds = [roc_band(r, inside, guaranteed=True) for r in samples]

    assert sum(((b.low <= truth) & (truth <= b.high)).all() for b in found) >= 35
    narrow, wide = (np.mean([(b.high - b.low).mean() for b in bands]) for bands in (found, bounds))
    assert narrow < 0.75 * wide


def test_the_band_of_precision_and_recall_is_around_the_curve():
    ranking = simulated(200, 4)
    whole, points = (pr_band(ranking, simultaneous=each, resamples=200) for each in (True, False))
    for found in (whole, points):
        assert (found.low <= found.y).all()
        assert (found.y <= found.high).all()
    assert (whole.high - whole.low)[20:].mean() > (points.high - points.low)[20:].mean()
    assert whole.y[-1] == pytest.approx(float(ranking.positives / ranking.total), abs=0.05)


def test_limits_at_the_top_of_the_curve_have_a_width():
    found = roc_band(rank([1] * 30 + [0] * 30, [2] * 30 + [1] * 30), [0.5, 0.8], resamples=100)
    assert (found.low < 0.95).all()
    assert (found.high == 1).all()


def test_the_calibrated_band_of_precision_and_recall_holds_the_whole_curve_and_is_narrower_than_both_limits_at_once():
    """Its coverage at 100 + 150 is 95 to 97 % over many samples; of thirty, hardly ever fewer than 26 hold."""
    from statistics import NormalDist

    normal, recall = NormalDist(), np.linspace(0.05, 0.95, 19)
    alarms = np.array([1 - normal.cdf(1 + normal.inv_cdf(1 - share)) for share in recall])
    truth = 0.4 * recall / (0.4 * recall + 0.6 * alarms)
    samples = [simulated(250, 2000 + seed) for seed in range(30)]
    found = [pr_band(r, recall, simultaneous=True, resamples=100) for r in samples]

    assert sum(((b.low <= truth) & (truth <= b.high)).all() for b in found) >= 26
    # Limits of the ROC curve and of the prevalence, each by itself, leave 0.52.
    assert np.mean([(b.high - b.low).mean() for b in found]) < 0.45


def test_a_perfect_order_leaves_the_simultaneous_bands_a_width():
    ranking = rank([1] * 20 + [0] * 20, np.arange(40)[::-1])
    curve = roc_band(ranking, [0.2, 0.6], simultaneous=True, resamples=100)
    assert (curve.low < 0.95).all()
    assert (pr_band(ranking, [0.5], simultaneous=True, resamples=100).low < 0.95).all()
