"""A short version of the blind test in benchmarks/ledger.py, with packages that come with the tests."""

import importlib.util
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def benchmark():
    spec = importlib.util.spec_from_file_location("ledger_benchmark", ROOT / "benchmarks" / "ledger.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_numbers_of_real_packages_are_explained_and_no_certainty_is_claimed_where_two_explanations_fit(benchmark):
    rows = benchmark.blind(12, seed=3, names=("scikit-learn", "SciPy", "statsmodels"))

    found = benchmark.figures(rows)
    assert found["numbers"] == 12
    assert found["right_first"] >= 0.9
    assert found["certain_with_several"] == 0


def test_what_the_page_says_of_the_long_version_is_good_enough():
    found = json.loads((ROOT / "benchmarks" / "ledger_results.json").read_text(encoding="utf-8"))

    assert found["6"]["numbers"] == 300
    assert found["6"]["right_first"] >= 0.9
    assert {found[digits]["certain_with_several"] for digits in "64"} == {0}
    for part in found["blind"].values():  # functions that were picked without the table
        count, right = (sum(column) for column in zip(*part["packages"].values(), strict=True))
        assert right >= 0.9 * count
