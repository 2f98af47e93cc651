"""Several models on several data sets: Demsar's numbers, other packages' answers, and counted signs."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from cutline.inference.datasets import (
    compute_critical_difference,
    find_cliques,
    friedman,
    nemenyi,
    rank_models,
    run_signed_rank_test,
)
from cutline.inference.simultaneous import holm

FROZEN = json.loads((Path(__file__).parents[1] / "oracles" / "folds.json").read_text())["data_sets"]

# AUC of C4.5 with and without two parameters tuned (m, cf, m + cf) on 14 data sets: Demsar (2006), Table 6. On the
# 13th the last two print alike but rank 2 and 3.
DEMSAR = np.array(
    [
        *([0.763, 0.768, 0.771, 0.798], [0.599, 0.591, 0.590, 0.569], [0.954, 0.971, 0.968, 0.967]),
        *([0.628, 0.661, 0.654, 0.657], [0.882, 0.888, 0.886, 0.898], [0.936, 0.931, 0.916, 0.931]),
        *([0.661, 0.668, 0.609, 0.685], [0.583, 0.583, 0.563, 0.625], [0.775, 0.838, 0.866, 0.875]),
        *([1.000, 1.000, 1.000, 1.000], [0.940, 0.962, 0.965, 0.962], [0.619, 0.666, 0.614, 0.669]),
        *([0.972, 0.981, 0.975, 0.9749], [0.957, 0.978, 0.946, 0.970]),
    ]
)


def test_demsars_ranks_and_friedmans_test_to_the_printed_digits() -> None:
    ranks = rank_models(DEMSAR)
    assert ranks.mean(axis=0).round(3).tolist() == [3.143, 2.000, 2.893, 1.964]
    test = friedman(ranks)
    assert (round(test.chi2, 2), round(test.f, 2), round(test.f_p_value, 4)) == (9.28, 3.69, 0.0198)
    assert test.degrees_of_freedom == (3, 39)


def test_demsars_critical_differences_to_the_printed_digits() -> None:
    assert round(compute_critical_difference(4, 14, 0.05), 2) == 1.25
    assert round(compute_critical_difference(4, 14, 0.10), 2) == 1.12


def test_demsars_signed_ranks_split_the_two_ties() -> None:
    test = run_signed_rank_test(DEMSAR[:, 1] - DEMSAR[:, 0])
    assert (test.positive, test.negative) == (93, 12)
    assert test.p_value < 0.05


@pytest.mark.parametrize("row", FROZEN)
def test_friedman_nemenyi_and_wilcoxon_with_holm_agree_with_scipy_and_scikit_posthocs(row: dict) -> None:
    table = np.array(row["table"])
    k = table.shape[1]
    ranks = rank_models(table)
    test = friedman(ranks)
    assert [test.chi2, test.chi2_p_value] == pytest.approx(row["friedman"], rel=1e-9)
    assert nemenyi(ranks) == pytest.approx(np.array(row["nemenyi"]), abs=1e-6)
    pairs = list(itertools.combinations(range(k), 2))
    adjusted = holm([run_signed_rank_test(table[:, a] - table[:, b]).p_value for a, b in pairs])
    assert adjusted == pytest.approx([row["wilcoxon_holm"][a][b] for a, b in pairs], abs=1e-12)


@pytest.mark.parametrize("differences", [[1, 2, -3, 4, 5.5], [0, 1, 1, -1, 2, 2], [0.0, 0.0], [0.1, -0.1, 0.1, 0.3]])
def test_the_p_value_of_signed_ranks_counts_all_signs(differences: list[float]) -> None:
    d = np.array(differences)
    ranks = stats.rankdata(np.abs(d))
    moving = ranks[d != 0]
    seen = abs(float((ranks * np.sign(d)).sum()))
    sums = [abs(float(np.dot(moving, signs))) for signs in itertools.product((-1, 1), repeat=len(moving))]
    assert run_signed_rank_test(d).p_value == pytest.approx(np.mean([s >= seen - 1e-9 for s in sums]))


def test_many_data_sets_use_the_normal_distribution_with_a_correction() -> None:
    d = np.random.default_rng(0).normal(0.1, 1, 150)
    expected = stats.wilcoxon(d, method="approx", correction=True)
    test = run_signed_rank_test(d)
    assert not test.exact
    assert test.p_value == pytest.approx(expected.pvalue)


def test_holm_multiplies_the_smallest_by_the_number_of_tests_and_never_falls() -> None:
    assert holm([0.04, 0.01, 0.03, 0.5]) == pytest.approx([0.09, 0.04, 0.09, 0.5])


def test_equal_models_give_no_evidence_and_unanimous_data_sets_the_most() -> None:
    equal = friedman(rank_models(np.ones((6, 3))))
    assert (equal.chi2, equal.f, equal.f_p_value) == (0, 0, 1)
    unanimous = friedman(rank_models(np.tile([0.9, 0.8, 0.7], (6, 1))))
    # Six equal orders of three models: 6 of 6**6 ways to order them.
    assert (unanimous.chi2, unanimous.f_p_value) == (pytest.approx(12), pytest.approx(6**-5))


def test_lower_is_better_turns_the_ranks() -> None:
    assert rank_models(np.array([[0.1, 0.2, 0.2]]), higher_is_better=False).tolist() == [[1, 2.5, 2.5]]


def test_cliques_are_the_longest_runs_without_a_difference() -> None:
    different = np.zeros((4, 4), dtype=bool)
    different[0, 3] = different[3, 0] = True
    assert find_cliques(np.array([1.0, 2, 3, 4]), different) == [(0, 1, 2), (1, 2, 3)]
    assert find_cliques(np.array([1.0, 2, 3, 4]), ~np.eye(4, dtype=bool)) == []
