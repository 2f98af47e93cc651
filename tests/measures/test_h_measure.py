"""The H-measure of weights that differ by many orders of magnitude, as those of a population on a grid do."""

import numpy as np
import pytest

from cutline.core.ranking import Ranking
from cutline.measures import MEASURES


def test_cells_too_light_to_change_the_totals_do_not_change_the_value():
    x = np.arange(10, -9, -0.05)
    pos, neg = np.exp(-((x - 1) ** 2) / 2), np.exp(-(x**2) / 2)
    seen = (pos > 1e-12) & (neg > 1e-12)
    rankings = [Ranking(x[i], pos[i], neg[i], pos[i], neg[i]) for i in (slice(None), seen)]
    whole, middle = (float(MEASURES["h_measure"](ranking)) for ranking in rankings)
    assert whole == pytest.approx(middle, abs=1e-9)
    assert whole > 0.2
