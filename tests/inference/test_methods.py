"""The table of methods: every quantity has a default, every method a source and a title."""

import numpy as np
import pytest

from cutline import MEASURES, evaluate
from cutline.inference.methods import BY_NAME, DEFAULTS, TABLE, applicable_methods, default_method
from cutline.inference.quantities import Quantity
from cutline.results.method_titles import TITLES

RNG = np.random.default_rng(1)
LABELS = np.arange(80) % 3 == 0
SCORES = 1 / (1 + np.exp(-RNG.normal(size=80) - LABELS))


def test_every_quantity_has_methods_with_source_and_title():
    assert set(TABLE) == set(DEFAULTS) == set(BY_NAME) == set(Quantity)
    assert all(DEFAULTS.values())
    methods = {method for row in TABLE.values() for method in row}
    assert {method.name for method in methods if not method.source} == set()
    untitled = {method.name for method in methods} - {*TITLES, "delta", "likelihood"}
    assert untitled == set(), "give it a title in results/method_titles.py"


@pytest.mark.parametrize("design", [{}, {"groups": np.arange(80) // 4}, {"weights": RNG.uniform(1, 3, 80)}])
def test_the_default_of_a_measure_is_no_reference_method_and_can_be_named(design):
    ev = evaluate(LABELS, SCORES, **design)
    for measure in MEASURES:
        given = {"quota": 9} if measure.name in ("hit_rate", "qrecall", "enrichment") else {}
        estimand = ev._make_estimand(measure, given)
        chosen = default_method(estimand)

        assert chosen in DEFAULTS[estimand.quantity]
        assert chosen in applicable_methods(estimand)
