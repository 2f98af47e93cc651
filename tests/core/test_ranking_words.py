"""The user's own class names, beside positive and negative, wherever a table shows the two classes."""

import json

import numpy as np
import pandas as pd
import pytest

import cutline as cl
from cutline.core.ranking import class_titles, describe_unusual_names

LABELS = ["default", "paid", "default", "paid", "paid", "default"]
SCORES = [0.9, 0.2, 0.7, 0.6, 0.1, 0.4]
NAMES = ("default (positive)", "paid (negative)")


@pytest.fixture(scope="module")
def ev():
    return cl.evaluate(LABELS, SCORES, positive="default", name="pd")


@pytest.mark.parametrize(
    ("positive", "negative", "expected"),
    [
        ("default", "paid", NAMES),
        ("default", None, ("default (positive)", "negative")),
        (1, 0, ("positive", "negative")),
        (1.0, -1, ("positive", "negative")),
        (True, False, ("positive", "negative")),
        (np.int64(1), np.int8(0), ("positive", "negative")),
        (1, None, ("positive", "negative")),
        (0, 1, ("0 (positive)", "1 (negative)")),
        (False, True, ("False (positive)", "True (negative)")),
        (1, 2, ("1 (positive)", "2 (negative)")),
        ("1", "0", ("1 (positive)", "0 (negative)")),
        ("x" * 40, "y", ("x" * 29 + "… (positive)", "y (negative)")),
    ],
)
def test_classes_are_called_by_their_names_unless_they_are_the_usual_numbers(positive, negative, expected):
    assert class_titles(positive, negative) == expected


@pytest.mark.parametrize(
    ("labels", "positive", "negative"),
    [
        (LABELS, "default", "paid"),
        (LABELS, "paid", "default"),
        ([1, 0, 1], None, 0),
        ([1, -1, 1], None, -1),
        ([1.0, 0.0, 1.0], None, 0),
        ([True, False, True], None, False),
        ([2, 1, 2], 2, 1),
        ([1, 1, 1], None, None),
        ([0, 0, 0], None, 0),
        (["yes", "yes", "yes"], "yes", None),
        (pd.Series(["a", "b", "a"], dtype="category"), "b", "a"),
    ],
)
def test_the_door_finds_the_label_of_the_other_class(labels, positive, negative):
    scores = [0.9, 0.2, 0.7, 0.6, 0.1, 0.4][: len(labels)]
    found = cl.rank(labels, scores, positive=positive).negative
    assert found == negative
    assert type(found) is type(negative)


def test_a_file_and_a_frame_tell_the_same_names(tmp_path):
    frame = pd.DataFrame({"status": LABELS, "pd": SCORES})
    frame.to_csv(tmp_path / "x.csv", index=False)
    for data, how in ((frame, {}), (str(tmp_path / "x.csv"), {}), (str(tmp_path / "x.csv"), {"exact": False})):
        assert cl.rank("status", "pd", data=data, positive="default", **how).class_titles == NAMES


def test_names_are_kept_in_files_merges_copies_and_coarser_rankings(ev, tmp_path):
    r = ev.ranking
    assert cl.load(r.save(tmp_path / "x.ranking")).negative == "paid"
    assert (r + cl.rank(["default"], [0.3], positive="default")).class_titles == NAMES
    assert (r + cl.rank(["default", "late"], [0.3, 0.2], positive="default")).negative is None
    assert r.coarsen(2).low.class_titles == NAMES
    assert r.swapped().class_titles == ("paid (positive)", "default (negative)")
    assert cl.rank([1, 0], [2, 1]) == cl.rank([1, -1], [2, 1])  # names are captions


def test_every_model_of_a_comparison_knows_them():
    both = cl.compare(LABELS, {"a": SCORES, "b": SCORES[::-1]}, positive="default")
    assert {one.ranking.class_titles for one in both.evaluations.values()} == {NAMES}
    assert "positive is 'default', negative is 'paid'" in repr(both)


def test_text_json_and_notebook_show_them(ev):
    assert "3 positive (50 %; positive is 'default', negative is 'paid')" in str(ev)
    assert (ev.to_dict()["positive"], ev.to_dict()["negative"]) == ("default", "paid")
    for shown in (ev._repr_html_(), ev.at(quota=2)._repr_html_(), cl.choose_cut(ev, maximize="f1")._repr_html_()):
        assert "<th scope='col'>default (positive)</th><th scope='col'>paid (negative)</th>" in shown
    assert repr(ev.gains(2)).startswith("Gains by 2 portions of the list; positive is 'default', negative is 'paid'\n")


def test_a_name_cannot_write_into_a_page():
    shown = cl.evaluate(["<b>", "x"], [0.9, 0.1], positive="<b>").at(threshold=0.5)._repr_html_()
    assert "&lt;b&gt; (positive)" in shown
    assert "<b>" not in shown


def test_the_usual_labels_need_no_names():
    r = cl.rank([1, 0], [0.9, 0.1])
    assert describe_unusual_names(r) == ""
    assert "negative is" not in str(cl.evaluate([1, 0], [0.9, 0.1]))


@pytest.mark.parametrize("chart", ["confusion_matrix", "boundary", "score_distribution", "risk_by_outcome"])
def test_charts_of_the_two_classes_name_them(ev, chart):
    drawn = json.dumps(ev.chart(chart).to_dict(), ensure_ascii=False)
    assert all(name in drawn for name in NAMES)


def test_the_report_names_them_in_its_table_and_its_first_sentence(ev, tmp_path):
    page = ev.save(tmp_path / "x.html", resamples=0).read_text()
    assert '<th scope="col">default (positive)</th><th scope="col">paid (negative)</th>' in page
    assert "positive is &#39;default&#39;, negative is &#39;paid&#39;" in page
