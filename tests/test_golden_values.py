"""The values of all measures are those that were written down before the code was moved."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

import golden_values

GOLDEN = golden_values.read()


def number(text):
    return float("nan") if text == "nan" else float.fromhex(text)


@pytest.mark.parametrize(
    ("seed", "arguments"), list(golden_values.data_sets(28)), ids=lambda x: str(x) if isinstance(x, int) else ""
)
def test_no_measure_changes_its_value(seed, arguments):
    now = golden_values.values(arguments)

    for name, value in GOLDEN[seed].items():
        if value.endswith("Error"):
            assert now[name] == value, name
        else:
            assert number(now[name]) == pytest.approx(number(value), rel=1e-12, abs=1e-15, nan_ok=True), name
