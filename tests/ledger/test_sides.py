"""Each side of a choice, on cases that can be counted by hand, and against brute force."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cutline as cl
from cutline.ledger.material import Material, Rows
from cutline.ledger.quantity import quantity
from cutline.ledger.side import Stage
from cutline.ledger.sides import SIDES, under
from cutline.ledger.tools import TOOLS

# One tie of a positive and two negatives in the middle: rows n, p, n at 0.5.
LABELS = np.array([1, 0, 1, 0, 0])
SCORES = np.array([0.9, 0.5, 0.5, 0.5, 0.2])


def value(measure, *sides, labels=LABELS, scores=SCORES, **more):
    material = Material.of_rows(Rows(np.asarray(labels) == 1, np.asarray(scores, dtype=float), **more), 0.5)
    return under(material, quantity(measure), [SIDES[name] for name in sides])


@pytest.mark.parametrize(
    ("measure", "sides", "expected"),
    [
        ("auc", (), 5 / 6),  # 6 pairs: 4 in order, 2 ties
        ("auc", ("ties_optimistic",), 1),
        ("auc", ("ties_pessimistic",), 4 / 6),
        ("auc", ("ties_by_rows",), 5 / 6),  # one tied negative before the positive, one after it
        ("auc", ("wrong_column",), 1 / 6),
        ("auc", ("swapped_labels",), 1 / 6),
        ("auc", ("other_class",), 5 / 6),
        ("auc", ("complement",), 1 / 6),
        ("auc", ("gini",), 2 / 3),
        ("auc", ("percent",), 500 / 6),
        ("auc", ("hard_labels",), (1 + 1 / 3) / 2),  # 0.5 counts as flagged: both positives, two of three negatives
        ("auc", ("strict", "hard_labels"), (1 / 2 + 1) / 2),
        ("recall", (), 1),
        ("recall", ("strict",), 1 / 2),
        ("recall", ("other_class",), 1 / 3),  # of three negatives one is below the threshold
        ("precision", (), 2 / 4),
        ("precision", ("macro",), (2 / 4 + 1) / 2),
        ("precision", ("weighted",), (2 * 2 / 4 + 3 * 1) / 5),
        ("precision", ("micro",), 3 / 5),
        ("f1", ("f_of_means",), 2 * 0.75 * (2 / 3) / (0.75 + 2 / 3)),  # precisions 1/2, 1; recalls 1, 1/3
        ("f1", ("best",), 2 / 3),  # 2/3 at the cut 0.9, and at the cut 0.5: 2*2/(4+2)
        ("accuracy", ("best",), 4 / 5),
        ("average_precision", (), (1 + 2 / 4) / 2),
        ("average_precision", ("trapezoid",), 1 / 2 + (1 + 1 / 2) / 4),
        ("average_precision", ("trapezoid_zero",), 1 / 4 + (1 + 1 / 2) / 4),
        ("average_precision", ("trapezoid_late",), (1 + 1 / 2) / 4),
        ("average_precision", ("ties_by_rows",), (1 + 2 / 3) / 2),  # p, n, p
        ("average_precision", ("levels_11",), (6 * 1 + 5 * 0.5) / 11),
        ("average_precision", ("interpolated",), (1 + 2 / 4) / 2),
        ("brier", ("both_classes",), 2 * (0.01 + 0.25 * 3 + 0.04) / 5),
        ("brier", ("root",), math.sqrt(0.8 / 5)),
        ("brier", ("sum",), 0.8),
        ("brier", ("negative",), -0.16),
        ("log_loss", ("bits",), -(math.log2(0.9) + 3 * math.log2(0.5) + math.log2(0.8)) / 5),
        ("ks", ("one_sided",), 1 / 2),
        ("gini", ("lorenz",), 2 / 3 * 3 / 5),
        ("mcc", ("undefined_0",), value("mcc")),
        ("recall.low", ("limit_wald_open",), 1.0),
        ("net_benefit", ("per_positive",), (2 / 5 - 2 / 5) / (2 / 5)),
    ],
)  # fmt: skip
def test_a_side_gives_what_can_be_counted(measure, sides, expected):
    assert value(measure, *sides) == pytest.approx(expected, abs=1e-12)


def test_the_order_of_the_rows_decides_where_ties_are_broken_by_it():
    labels, scores = [1, 0], [0.5, 0.5]

    assert value("auc", "ties_by_rows", labels=labels, scores=scores) == 1
    assert value("auc", "ties_by_rows_reversed", labels=labels, scores=scores) == 0
    assert value("auc", labels=labels, scores=scores) == 0.5


@given(st.lists(st.tuples(st.booleans(), st.sampled_from([0.1, 0.5, 0.9])), min_size=2, max_size=5))
def test_optimistic_and_pessimistic_ties_are_the_extremes_over_all_orders(rows):
    labels, scores = np.array([y for y, _ in rows]), np.array([s for _, s in rows])
    if labels.all() or not labels.any():
        return
    found = []
    for order in itertools.permutations(range(len(rows))):
        listed = sorted(order, key=lambda i: -scores[i])
        places = {case: place for place, case in enumerate(listed)}
        pairs = [places[i] < places[j] for i in np.flatnonzero(labels) for j in np.flatnonzero(~labels)]
        found.append(np.mean(pairs))

    assert value("auc", "ties_optimistic", labels=labels, scores=scores) == pytest.approx(max(found))
    assert value("auc", "ties_pessimistic", labels=labels, scores=scores) == pytest.approx(min(found))


def test_weights_that_are_ignored_are_those_of_no_weights():
    weights = np.array([1.0, 2.0, 3.0, 4.0, 0.5])

    assert value("auc", "unweighted", weights=weights) == value("auc")
    assert value("auc", weights=weights) != value("auc")


def test_a_mean_of_folds_is_not_the_pooled_value():
    labels, scores = [1, 0, 1, 0, 0, 0], [0.9, 0.6, 0.4, 0.3, 0.2, 0.1]
    groups = np.array(["a", "a", "b", "b", "b", "b"])

    assert value("auc", "mean_of_groups", labels=labels, scores=scores, groups=groups) == 1  # each fold is perfect
    assert value("auc", labels=labels, scores=scores) == 7 / 8  # 0.4 is below 0.6


def test_bins_tie_what_lies_between_two_thresholds():
    labels, scores = [1, 0, 1, 0], [0.97, 0.93, 0.55, 0.52]

    assert value("auc", "width_10", labels=labels, scores=scores) == 2 / 4  # 1/2, 1, 0 and 1/2
    assert value("auc", "frequency_10", labels=labels, scores=scores) == value("auc", labels=labels, scores=scores)


def test_rounding_and_32_bits_merge_scores():
    labels, scores = [1, 0], [0.123456789, 0.123456788]

    assert value("auc", labels=labels, scores=scores) == 1
    assert value("auc", "single", labels=labels, scores=scores) == 0.5
    assert value("auc", "digits_6", labels=labels, scores=scores) == 0.5


def test_intervals_are_those_of_the_formulas():
    labels, scores = [1] * 10 + [0] * 5, [0.9] * 8 + [0.1] * 2 + [0.2] * 5
    p, n, z = 0.8, 10, 1.959963984540054

    assert value("recall.low", "limit_wald", labels=labels, scores=scores) == pytest.approx(
        p - z * math.sqrt(p * 0.2 / n)
    )
    assert value("recall.high", "limit_wald", labels=labels, scores=scores) == 1  # cut
    assert value("recall.high", "limit_wald_open", labels=labels, scores=scores) > 1
    both = [value(f"recall.{end}", "limit_wilson_corrected", labels=labels, scores=scores) for end in ("low", "high")]
    # R 4.2.2: prop.test(8, 10)$conf.int
    assert both == pytest.approx([0.4421814243, 0.9645730563], abs=1e-9)


def test_a_one_sided_limit_is_nearer_than_a_two_sided_one():
    two, one, exact = value("auc.low", "limit_delong_open"), value("auc.low", "limit_delong_one_sided"), value("auc")

    assert (exact - one) / (exact - two) == pytest.approx(1.6448536269514722 / 1.959963984540054)
    # Wilson's lower limit of 2 out of 2 at z = 1.6449 is n / (n + z^2).
    assert value("recall.low", "limit_wilson_one_sided") == pytest.approx(2 / (2 + 1.6448536269514722**2))


def test_a_part_of_the_area_can_be_cut_off_along_either_axis():
    both = [value("partial_auc@max_fpr=0.5", *sides) for sides in ((), ("over_recall",))]

    assert both[1] == cl.MEASURES["partial_auc_above_recall"](LABELS, SCORES, min_recall=0.5)
    assert both[0] != both[1]


def test_every_side_has_words_a_reason_and_somebody_who_takes_it_or_a_source():
    taken = {name for one in TOOLS.values() for entry in one.entries for name in entry.sides}
    for side in SIDES.values():
        assert side.words == side.words.strip() != ""
        assert side.explanation.endswith(".")
        assert 0 < side.plausible <= 1
        assert side.source or side.name in taken or side.name.startswith(("mcnemar", "delong")), side.name
        assert any(side.applies(quantity(name)) for name in (*[m.name for m in cl.MEASURES], "recall.low", "auc.low",
                   "mcnemar", "delong", "hit_rate@share=0.1")), side.name  # fmt: skip
    assert {side.stage for side in SIDES.values()} == set(Stage)
