"""Every worked number of the sources comes out."""

import pytest

import cutline as cl
from cutline.examples import load
from sources import (
    ARBEL_AREAS,
    ARBEL_AVERAGES,
    ARBEL_FOUND,
    ARBEL_LABELS,
    ARBEL_SCORES,
    BERRAR_AT_T5,
    BERRAR_INFORMATION,
    BERRAR_LABELS,
    BERRAR_MARGINS,
    BERRAR_PROBABILITIES,
    BERRAR_RANKING,
    BERRAR_RELATIVE_INFORMATION,
    BERRAR_SCORES,
    BERRAR_T5,
    BERRAR_TABLE,
    MURPHY_1,
    MURPHY_2,
    MURPHY_LABELS,
    MURPHY_TABLES,
)

berrar = cl.evaluate(BERRAR_LABELS, BERRAR_SCORES, threshold=BERRAR_T5)
arbel = cl.evaluate(ARBEL_LABELS, ARBEL_SCORES)


def is_close(expected):
    return pytest.approx(float(expected), abs=1e-12)


@pytest.mark.parametrize("row", range(10))
def test_the_ranking_table_is_berrars_figure_2(row):
    tpr, fpr, precision, cumulated, lift = BERRAR_TABLE[row]
    cut = berrar.at(threshold=BERRAR_SCORES[row])

    assert cut == berrar.at(quota=row + 1)
    assert cut.tp == cumulated
    assert [cut.tpr, cut.fpr, cut.precision, cut.lift] == [is_close(x) for x in (tpr, fpr, precision, lift)]


def test_all_cuts_together_are_the_columns_of_figure_2():
    cuts = berrar.ranking.counts

    assert cuts.tp.tolist() == [0, *(row[3] for row in BERRAR_TABLE)]
    assert cuts.tpr[1:].tolist() == [is_close(row[0]) for row in BERRAR_TABLE]
    assert cuts.fpr[1:].tolist() == [is_close(row[1]) for row in BERRAR_TABLE]
    assert cuts.precision[1:].tolist() == [is_close(row[2]) for row in BERRAR_TABLE]
    assert cuts.lift[1:].tolist() == [is_close(row[4]) for row in BERRAR_TABLE]
    assert cuts.threshold.tolist() == [float("inf"), *BERRAR_SCORES]


def test_the_counts_at_t5():
    assert berrar.counts == cl.Counts(tp=3, fp=1, fn=2, tn=4)


@pytest.mark.parametrize("name", BERRAR_AT_T5)
def test_berrars_measures_at_t5(name):
    assert berrar.value(name) == is_close(BERRAR_AT_T5[name])
    assert getattr(berrar.counts, name) == is_close(BERRAR_AT_T5[name])


@pytest.mark.parametrize("name", BERRAR_RANKING)
def test_berrars_ranking_measures(name):
    assert berrar.value(name) == is_close(BERRAR_RANKING[name])


def test_the_largest_youden_index_is_at_the_cut_t6():
    assert berrar.threshold_of("max_youden_j") == 0.5


@pytest.mark.parametrize(("name", "parameters", "expected"), BERRAR_PROBABILITIES)
def test_berrars_probabilistic_measures(name, parameters, expected):
    assert berrar.value(name, **parameters) == is_close(expected)


def test_berrars_information_scores_are_in_bits():
    scores = cl.information_scores(BERRAR_LABELS, BERRAR_SCORES, prior=0.5, base=2)

    assert scores.tolist() == [pytest.approx(x, abs=5e-4) for x in BERRAR_INFORMATION]
    assert berrar.value("information_score", prior=0.5, base=2) == is_close(scores.mean())
    assert berrar.value("relative_information_score", prior=0.5) == pytest.approx(BERRAR_RELATIVE_INFORMATION, abs=5e-5)


def test_berrars_hinge_losses():
    assert cl.hinge_loss(BERRAR_LABELS, BERRAR_MARGINS) == is_close(0.66)
    losses = cl.losses.hinge(BERRAR_LABELS, BERRAR_MARGINS).value
    assert losses[[2, 7]].tolist() == [2, 2]  # cases 8 and 3


def test_murphys_first_classifier_is_perfect():
    ev = cl.evaluate(MURPHY_LABELS, MURPHY_1)

    assert (ev.auc, ev.eer, ev.tpr, ev.fpr) == (1, 0, 1, 0)


def test_murphys_second_classifier_has_two_ties_between_the_classes():
    ev = cl.evaluate(MURPHY_LABELS, MURPHY_2)

    assert ev.auc == is_close(17 / 20)  # 16 pairs won, 2 tied, of 20
    assert (ev.tpr, ev.fpr) == (4 / 5, 1 / 4)


@pytest.mark.parametrize(("table", "expected"), MURPHY_TABLES)
def test_murphys_hard_classifiers(table, expected):
    counts = cl.Counts(*table)
    names = ("accuracy", "precision", "recall", "f1", "mutual_information")

    assert [getattr(counts, name) for name in names] == [pytest.approx(x, abs=9e-4) for x in expected]
    assert counts.mutual_information == pytest.approx(expected[-1], abs=5e-5)


def test_flagging_everybody_has_almost_no_f_score_when_positives_are_rare():
    everybody = cl.Counts(tp=1, fp=9999, fn=0, tn=0)

    assert everybody.f1 == pytest.approx(0.00019998, abs=5e-9)


@pytest.mark.parametrize("quota", range(1, 11))
def test_arbels_quotas(quota):
    found = ARBEL_FOUND[quota - 1]

    assert arbel.value("qrecall", quota=quota) == is_close(found / 4)
    assert arbel.value("hit_rate", quota=quota) == is_close(found / quota)


@pytest.mark.parametrize("name", ARBEL_AVERAGES)
def test_arbels_averages(name):
    assert arbel.value(name) == is_close(ARBEL_AVERAGES[name])


def test_arbels_areas_of_the_potential_extract_measure():
    assert cl.pem_areas(arbel.ranking) == tuple(is_close(area) for area in ARBEL_AREAS)


@pytest.mark.parametrize("name", ["average_qrecall", "average_hit_rate", "pem"])
def test_arbels_optimal_order_gets_one(name):
    assert cl.MEASURES[name]([1] * 4 + [0] * 6, ARBEL_SCORES) == 1


def test_the_package_ships_berrars_ten_cases():
    ten = load("ten_cases")

    assert [int(label) for label in ten.labels] == BERRAR_LABELS
    assert ten.scores["score"] == BERRAR_SCORES
