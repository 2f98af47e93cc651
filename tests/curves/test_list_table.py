"""The list place by place: the printed tables of the sources, and identities with the measures."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cutline as cl
from cutline.curves import quota_properties
from sources import ARBEL_LABELS, ARBEL_SCORES, BERRAR_LABELS, BERRAR_SCORES, BERRAR_TABLE

# Arbel and Rokach, Table 5, as printed: model, random and optimal Qrecall, S1, S2, S3.
TABLE_5 = [
    (0.25, 0.1, 0.25, 0.15, 0, 0.15),
    (0.25, 0.2, 0.5, 0.05, 0, 0.3),
    (0.5, 0.3, 0.75, 0.2, 0, 0.45),
    (0.75, 0.4, 1, 0.35, 0, 0.6),
    (0.75, 0.5, 1, 0.25, 0, 0.5),
    (0.75, 0.6, 1, 0.15, 0, 0.4),
    (1, 0.7, 1, 0.3, 0, 0.3),
    (1, 0.8, 1, 0.2, 0, 0.2),
    (1, 0.9, 1, 0.1, 0, 0.1),
    (1, 1, 1, 0, 0, 0),
]
BERRAR = cl.evaluate(BERRAR_LABELS, BERRAR_SCORES)
ARBEL = cl.evaluate(ARBEL_LABELS, ARBEL_SCORES)


def test_the_places_of_berrar_are_his_figure_2():
    found = list(BERRAR.places(ids=range(10, 0, -1), scores=BERRAR_SCORES))

    assert [row["id"] for row in found] == list(range(10, 0, -1))
    assert [row["class"] for row in found] == BERRAR_LABELS
    for row, (tpr, fpr, precision, cumulated, lift) in zip(found, BERRAR_TABLE, strict=True):
        told = [row[name] for name in ("tpr", "fpr", "precision", "tp", "lift")]
        assert told == pytest.approx([float(one) for one in (tpr, fpr, precision, cumulated, lift)])


def test_whole_counts_print_without_decimals_and_expectations_inside_ties_with_them():
    first = str(BERRAR.places()).splitlines()[2].split()
    tied = str(cl.evaluate([1, 0, 0, 1], [2, 2, 1, 1], threshold=2).places()).splitlines()[2].split()

    assert first[:5] == ["1", "0.9500", "1", "1", "0"]  # place, score, class, true and false positives
    assert tied[:5] == ["1", "2.0000", "0.5000", "0.5000", "0.5000"]


@given(st.permutations(range(10)))
def test_a_name_stays_with_its_case_in_whatever_order_the_cases_are_passed(order):
    names, scores = [f"case {10 - i}" for i in order], [BERRAR_SCORES[i] for i in order]
    found = BERRAR.places(names, scores)

    assert [row["id"] for row in found] == [f"case {i}" for i in range(10, 0, -1)]


def test_the_places_of_arbel_are_table_5():
    table = ARBEL.places()
    columns = ("qrecall", "random_order", "optimal", "s1", "s2", "s3")

    for row, printed in zip(table, TABLE_5, strict=True):
        assert [row[name] for name in columns] == pytest.approx(printed)
    assert table.below == ("Sums: S1 1.7500, S2 0.0000, S3 3.0000; PEM = (S1 - S2) / S3 = 0.5833",)


def test_signed_distances_have_their_hinge_losses():
    # Berrar, Figure 8b: the distances are the scores of Figure 2 less a half.
    ev = cl.evaluate(BERRAR_LABELS, [score - 0.5 for score in BERRAR_SCORES])
    hinge = [row["hinge"] for row in ev.places()]

    assert hinge == pytest.approx([0.55, 0.7, 1.25, 0.9, 1.0, 0.95, 0.8, 1.25, 0.7, 0.6])
    assert np.mean(hinge) == pytest.approx(ev.hinge_loss)
    assert "hinge" not in BERRAR.places().columns  # probabilities are no distances


@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 5)), min_size=2, max_size=30).filter(
        lambda rows: 0 < sum(label for label, _ in rows) < len(rows)
    )
)
def test_the_columns_add_up_to_the_measures(rows):
    labels, scores = zip(*rows, strict=True)
    ev = cl.evaluate(labels, scores)
    table = {name: np.array([row[name] for row in ev.places()]) for name in ev.places().columns}

    assert table["hit_rate"] * table["place"] == pytest.approx(table["tp"])
    assert table["gain"].mean() == pytest.approx(ev.average_gain)
    assert table["lift"].mean() == pytest.approx(ev.average_lift)
    areas = cl.pem_areas(ev.ranking)
    assert [table[name].sum() for name in ("s1", "s2", "s3")] == pytest.approx(list(areas), abs=1e-9)
    assert table["class"].sum() == pytest.approx(sum(labels))
    assert table["hinge"].mean() == pytest.approx(ev.hinge_loss) if "hinge" in table else ev.ranking.are_probabilities


def test_the_table_converts():
    assert ARBEL.places().to_frame("polars").shape == (10, 17)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: cl.evaluate([1, 0], [2, 1], [0.5, 1]).places(),
            "The weights are not whole numbers, so the list has no",
        ),
        (
            lambda: cl.evaluate([0, 0], [2, 1]).places(),
            "There is no positive case to find: pass cases of both classes.",
        ),
        (
            lambda: BERRAR.places(ids=range(10)),
            "ids names cases, but not where they stand in the list: pass scores too, the score of each named case.",
        ),
        (lambda: BERRAR.places(scores=BERRAR_SCORES), "scores are for the names of the cases: pass ids too."),
        (lambda: BERRAR.places(list("abc"), BERRAR_SCORES), "ids has 3 names for 10 scores: pass one for each."),
        (
            lambda: BERRAR.places(range(10), range(10)),
            "scores are not those of this list: pass the scores that were evaluated.",
        ),
        (lambda: BERRAR.places("abc", BERRAR_SCORES), "ids is 'abc': pass a list with a name for each case."),
        (
            lambda: cl.evaluate([1, 0], [1, 1]).places(ids=list("ab"), scores=[1, 1]),
            "ids names tied cases, which have no order: leave it out.",
        ),
        (lambda: quota_properties(cl.rank([1, 0], [1, 1])), "The list has ties, or one class only: pass untied cases"),
    ],
)
def test_what_has_no_places_is_refused(call, sentence):
    with pytest.raises(cl.CutlineError) as refused:
        call()

    assert str(refused.value).startswith(sentence)


def test_table_4_of_arbel_is_computed():
    found = {row["property"]: (row["hit_rate"], row["qrecall"]) for row in quota_properties(ARBEL.ranking)}

    assert found["along the list"] == ("rises and falls", "never falls")
    assert found["at its end"] == ("0.4000", "1.0000")  # the proportion of positives, and 1
    assert found["when a negative is next"] == ("falls", "stays")
    # A positive that moves up to place j raises the mean hit rate by 1/(nj), and the mean Qrecall by 1/(nP) anywhere.
    moves = found["mean over all quotas, when a positive moves up by one place"]
    assert moves == ("0.1000 at the top, 0.0111 at the end", "0.0250 at the top, 0.0250 at the end")
