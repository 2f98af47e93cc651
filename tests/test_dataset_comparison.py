"""compare_datasets(): Demsar's table in and out, refusals, views."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import cutline as cl

NAMES = ("C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf")
# Demsar (2006), Table 6.
VALUES = np.array(
    [
        *([0.763, 0.768, 0.771, 0.798], [0.599, 0.591, 0.590, 0.569], [0.954, 0.971, 0.968, 0.967]),
        *([0.628, 0.661, 0.654, 0.657], [0.882, 0.888, 0.886, 0.898], [0.936, 0.931, 0.916, 0.931]),
        *([0.661, 0.668, 0.609, 0.685], [0.583, 0.583, 0.563, 0.625], [0.775, 0.838, 0.866, 0.875]),
        *([1.000, 1.000, 1.000, 1.000], [0.940, 0.962, 0.965, 0.962], [0.619, 0.666, 0.614, 0.669]),
        *([0.972, 0.981, 0.975, 0.9749], [0.957, 0.978, 0.946, 0.970]),
    ]
)
FRAME = pd.DataFrame(VALUES, columns=NAMES).assign(data=[f"d{i}" for i in range(14)])


def test_demsars_numbers_come_out_of_a_frame_a_mapping_and_a_file(tmp_path) -> None:
    path = tmp_path / "results.csv"
    FRAME.to_csv(path, index=False)
    for table in (FRAME, dict(zip(NAMES, VALUES.T, strict=True)), path):
        found = cl.compare_datasets(table)
        assert [round(rank, 3) for rank in found.mean_ranks.values()] == [3.143, 2.0, 2.893, 1.964]
        assert (round(found.friedman.chi2, 2), round(found.friedman.f, 2)) == (9.28, 3.69)
        assert round(found.critical_difference, 2) == 1.25
    assert cl.compare_datasets(path).datasets[:2] == ("d0", "d1")


def test_pairs_count_wins_and_the_verdict_names_those_that_differ() -> None:
    found = cl.compare_datasets(FRAME)
    first = found.pairs[0]
    assert (first.a, first.b, first.wins, first.ties, first.losses) == ("C4.5", "C4.5+m", 2, 2, 10)
    assert first.p_adjusted == pytest.approx(6 * first.p_value)
    assert "C4.5+m over C4.5." in found.verdict


def test_nemenyi_at_ten_per_cent_separates_what_demsar_says() -> None:
    found = cl.compare_datasets(FRAME, test="nemenyi", level=0.9)
    assert round(found.critical_difference, 2) == 1.12
    # Demsar: C4.5 is worse than C4.5+m and C4.5+m+cf at 0.10
    assert [(p.a, p.b) for p in found.pairs if p.p_adjusted <= 0.1] == [("C4.5", "C4.5+m"), ("C4.5", "C4.5+m+cf")]
    assert found.cliques == [("C4.5+m+cf", "C4.5+m", "C4.5+cf"), ("C4.5+cf", "C4.5")]


def test_a_control_is_compared_with_the_others_alone() -> None:
    found = cl.compare_datasets(FRAME, control="C4.5")
    assert [(pair.a, pair.b) for pair in found.pairs] == [("C4.5", name) for name in NAMES[1:]]


def test_lower_is_better() -> None:
    turned = cl.compare_datasets(FRAME, higher_is_better=False)
    assert turned.mean_ranks["C4.5"] == pytest.approx(5 - 3.142857142857143)


def test_views(tmp_path) -> None:
    found = cl.compare_datasets(FRAME)
    assert json.loads(json.dumps(found.to_dict()))["friedman"]["degrees_of_freedom"] == [3, 39]
    assert found.chart().to_dict()["$schema"]
    assert len(found.to_frame()) == 6
    assert "Friedman chi2 9.28" in found.save(tmp_path / "datasets.html").read_text()
    assert "9.28" in repr(found)


def test_the_same_order_on_all_data_sets_has_the_p_value_of_chance() -> None:
    """F is infinite there, and its p-value of 0 was false: 3 orders of 3 models agree by chance once in 36 times."""
    table = {"a": [0.7, 0.6, 0.5], "b": [0.8, 0.7, 0.6], "c": [0.9, 0.8, 0.7]}
    assert cl.compare_datasets(table).friedman.f_p_value == pytest.approx(1 / 36)
    two = cl.compare_datasets({name: values[:2] for name, values in table.items()})
    assert two.friedman.f_p_value == pytest.approx(1 / 6)
    assert "The models differ" not in two.verdict


def test_few_data_sets_are_noted() -> None:
    few = cl.compare_datasets({"a": [0.9, 0.8, 0.7, 0.6, 0.9], "b": [0.8, 0.7, 0.6, 0.5, 0.8]})
    assert few.pairs[0].p_value == 2 / 32
    assert "no pair can reach" in few.notes[0]


@pytest.mark.parametrize(
    ("table", "options", "words"),
    [
        ({"a": [1, 2]}, {}, "has 1 column of numbers"),
        ({"a": [1], "b": [2]}, {}, "has 1 row"),
        ({"a": [1, None], "b": [2, 3]}, {}, "has no number for a on data set 2"),
        ({"a": [1, 2], "b": [2, 3]}, {"control": "c"}, "control is 'c'"),
        ({"a": [1, 2], "b": [2, 3]}, {"test": "tukey"}, "wilcoxon, nemenyi"),
        ({"a": [1, 2], "b": [2, 3]}, {"models": ["a", "z"]}, "not a column"),
        ({"a": [1, 2], "b": [2]}, {}, "different lengths"),
        ("nowhere.csv", {}, "does not exist"),
        (3, {}, "is of type int"),
    ],
)
def test_refusals(table, options, words) -> None:
    with pytest.raises(cl.CutlineError, match=words):
        cl.compare_datasets(table, **options)


def test_values_whose_squares_overflow_are_refused():
    with pytest.raises(cl.CutlineError, match="The column a has values beyond 1e\\+100"):
        cl.compare_datasets({"a": [1.7e308, 0.2, 0.3], "b": [0.1, 0.2, 0.4]})
