"""Intervals of likelihood ratios and the odds ratio."""

import math

import numpy as np
import pytest
from scipy.stats.contingency import odds_ratio, relative_risk
from statsmodels.stats.contingency_tables import Table2x2

from cutline import MEASURES, Counts, evaluate
from cutline.inference.one import ratios
from cutline.measures import Ratio

TABLES = [(3, 2, 1, 4), (40, 10, 7, 93), (1, 1, 1, 1), (500, 3, 20, 1000)]


@pytest.mark.parametrize("table", TABLES)
def test_the_interval_of_the_odds_ratio_is_that_of_peers(table):
    a, b, c, d = table
    found = ratios.log_odds(a, b, c, d, 0.95)

    np.testing.assert_allclose(found, Table2x2([[a, b], [c, d]]).oddsratio_confint(0.05), rtol=1e-9)
    np.testing.assert_allclose(found, odds_ratio([[a, b], [c, d]], kind="sample").confidence_interval(0.95), rtol=1e-9)


@pytest.mark.parametrize("table", TABLES)
def test_the_interval_of_a_likelihood_ratio_is_that_of_peers(table):
    a, b, c, d = table
    expected = relative_risk(a, a + b, c, c + d).confidence_interval(0.95)

    np.testing.assert_allclose(ratios.log_shares(a, b, c, d, 0.95), expected, rtol=1e-9)


@pytest.mark.parametrize("m", [m for m in MEASURES if isinstance(m.kind, Ratio)], ids=str)
def test_a_declared_ratio_is_the_measure(m):
    counts = Counts(tp=30, fp=10, fn=20, tn=40)
    (a, b), (c, d) = ([getattr(counts, name) for name in names] for names in (m.kind.above, m.kind.below))
    expected = (a / b) / (c / d) if m.kind.odds else (a / (a + b)) / (c / (c + d))

    assert m(counts) == pytest.approx(expected)


def test_a_count_of_zero_leaves_one_side_open_and_is_told():
    perfect = evaluate([1, 1, 1, 0, 0, 0], [0.9, 0.8, 0.7, 0.3, 0.2, 0.1])
    plus, minus = perfect.estimate("lr_plus"), perfect.estimate("lr_minus")

    assert (plus.value, plus.high) == (math.inf, math.inf)
    assert 0 < plus.low < math.inf
    assert (minus.value, minus.low) == (0, 0)
    assert 0 < minus.high < math.inf
    assert "a half was added" in plus.notes[0]
