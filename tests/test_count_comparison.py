"""Several hard classifiers: Murphy's Tables 4 and 5 in one call."""

import numpy as np
import pytest

import cutline as cl
from cutline.examples import load
from cutline.measures import MEASURES, Needs

TABLES = load("murphy_table_4").tables


def test_murphys_tables_4_and_5_in_one_call():
    found = {row["measure"]: row for row in cl.compare_counts(TABLES)}

    assert len(found) == len(MEASURES.search(needs=Needs.COUNTS))
    # As printed in Table 5, to two or three digits.
    for measure, printed in {
        "accuracy": (0.9, 0.9, 0.88),
        "precision": (0.9, 1.0, 1.0),
        "recall": (1.0, 0.888, 0.8667),
        "f1": (0.947, 0.941, 0.9286),
        "mutual_information": (0, 0.1865, 0.1735),
    }.items():
        assert [found[measure][name] for name in "ABC"] == pytest.approx(printed, abs=1e-3)
    assert found["mutual_information"]["order"] == "B > C > A"
    assert found["accuracy"]["order"] == "A = B > C"


def test_shares_and_counts_give_the_same():
    counts = {"A": cl.Counts(tp=45, fp=5, fn=0, tn=0), "B": cl.Counts(tp=40, fp=0, fn=5, tn=5)}
    shares = {name: TABLES[name] for name in "AB"}

    for one, other in zip(cl.compare_counts(counts), cl.compare_counts(shares), strict=True):
        assert [one[n] for n in "AB"] == pytest.approx([other[n] for n in "AB"], nan_ok=True)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: cl.compare_counts({}), "No tables were given: pass counts by name"),
        (lambda: cl.compare_counts({"A": 3}), "What is given for 'A' is no table of one cut: pass cl.Counts"),
        (
            lambda: cl.compare_counts(TABLES, "auc"),
            "auc is not a measure of one cut, and a table holds no more than that: leave it out",
        ),
        (
            lambda: cl.chart("roc_points", {"A": cl.rank([1, 0], [2, 1]).counts}),
            "A table holds the counts of many cuts: pass those of one",
        ),
        (lambda: cl.chart("roc_points", {}), "The chart roc_points shows predictions, but no model was given: pass"),
        (lambda: cl.chart("roc_points", 3), "A chart shows evaluations, but one of type int was given"),
    ],
)
def test_what_is_no_table_is_refused(call, sentence):
    with pytest.raises(cl.CutlineError) as refused:
        call()

    assert str(refused.value).startswith(sentence)


def test_tables_are_points_of_roc_space_and_so_are_models_at_their_cuts():
    model = cl.evaluate([1, 1, 0, 0], [4, 2, 3, 1], threshold=2.5, name="m")
    spec = cl.chart("roc_points", {**TABLES, "m": model}).to_dict()
    found = {row["mark"]: (row["x"], row["y"]) for rows in spec["datasets"].values() for row in rows if "mark" in row}

    assert found == {
        "A": pytest.approx((1, 1)),
        "B": pytest.approx((0, 8 / 9)),
        "C": pytest.approx((0, 0.78 / 0.9)),
        "m": pytest.approx((1 / 2, 1 / 2)),
    }
    assert "equal values: Accuracy" in cl.chart("roc_points", TABLES, equal="accuracy").to_json()
    assert np.isfinite(found["m"][0])


def test_a_table_as_joint_shares_adds_up_to_one_and_has_the_same_measures():
    table = cl.Counts(tp=4, fp=1, fn=1, tn=3, threshold=0.5)

    assert (table.shares.tp, table.shares.fp, table.shares.fn, table.shares.tn) == (4 / 9, 1 / 9, 1 / 9, 3 / 9)
    assert table.shares.total == pytest.approx(1)
    assert table.shares.mcc == pytest.approx(table.mcc)
    assert table.shares.threshold == 0.5
    with pytest.raises(cl.InputError, match="holds no case"):
        _ = cl.Counts(tp=0, fp=0, fn=0, tn=0).shares
