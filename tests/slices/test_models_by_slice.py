"""Where one model is better or worse than another, slice by slice."""

import json

import numpy as np
import pytest

import cutline as cl
from cutline.inference.simultaneous import holm

RNG = np.random.default_rng(11)
LABELS = (RNG.random(900) < 0.4).astype(int)
SITES = np.repeat(["a", "b", "c"], 300)
OLD = LABELS * 0.3 + RNG.random(900) * 0.7
NEW = np.where(SITES == "b", LABELS * 0.6 + RNG.random(900) * 0.4, OLD + RNG.normal(0, 0.01, 900)).clip(0, 1)


def test_each_slice_is_a_comparison_at_the_cut_of_all_cases():
    by_site = cl.compare_by_slice(LABELS, {"new": NEW, "old": OLD}, SITES)
    rows = SITES == "b"
    alone = cl.compare(LABELS[rows], {"new": NEW[rows], "old": OLD[rows]}, threshold=0.5)

    assert list(by_site) == ["a", "b", "c"]
    summary = by_site.summary(["auc", "recall"])
    for name in ("auc", "recall"):
        own = next(one for one in summary.rows if (one.row.name, one.slice) == (name, "b"))
        expected = alone.difference(name)
        assert (own.row.value, own.row.estimate.low, own.row.estimate.high) == (
            expected.value,
            expected.low,
            expected.high,
        )


def test_the_p_values_are_corrected_for_the_number_of_slices():
    summary = cl.compare_by_slice(LABELS, {"new": NEW, "old": OLD}, SITES).summary(["auc"])

    assert [one.p_holm for one in summary.rows] == holm([one.row.p_value for one in summary.rows])
    assert [one.better(0.95) for one in summary.rows] == ["", "new", ""]
    assert summary.statements[0].startswith("For ranking, new is better than old in b (area under the ROC curve by 0.")
    assert "the difference varies between slices" in summary.statements[0]


def test_the_words_do_not_depend_on_the_order_of_the_slices():
    order = RNG.permutation(900)
    one = cl.compare_by_slice(LABELS, {"new": NEW, "old": OLD}, SITES).summary(["auc"])
    other = cl.compare_by_slice(LABELS[order], {"new": NEW[order], "old": OLD[order]}, SITES[order]).summary(["auc"])

    assert one.statements == other.statements


def test_a_slice_of_one_class_is_shown_and_not_tested():
    sites = np.where((np.arange(900) < 10) & (LABELS == 1), "tiny", SITES)
    summary = cl.compare_by_slice(LABELS, {"new": NEW, "old": OLD}, sites).summary(["recall"])
    tiny = next(one for one in summary.rows if one.slice == "tiny")

    assert np.isnan(tiny.p_holm)
    assert tuple(map(str, summary.notes)) == ("1 slice with fewer than 5 cases of a class: shown, not tested.",)


def test_cases_without_a_slice_are_refused_or_dropped():
    sites = SITES.astype(object)
    sites[:5] = None
    with pytest.raises(cl.InputError, match="by"):
        cl.compare_by_slice(LABELS, {"new": NEW, "old": OLD}, sites)
    dropped = cl.compare_by_slice(LABELS, {"new": NEW, "old": OLD}, sites, missing="drop")
    assert dropped.left_out == 5
    with pytest.raises(cl.ParameterError, match="two or more models"):
        cl.compare_by_slice(LABELS, {"new": NEW}, SITES)
    with pytest.raises(cl.InputError, match="scores has 3 values but labels has 900"):
        cl.compare_by_slice(LABELS, {"new": NEW[:3], "old": OLD}, SITES)


def test_more_models_are_compared_with_the_reference():
    models = {"new": NEW, "old": OLD, "worse": RNG.random(900)}
    summary = cl.compare_by_slice(LABELS, models, SITES).summary(["auc"], reference="old")

    assert {(row.a, row.b) for row in summary.overall} == {("new", "old"), ("worse", "old")}
    assert len(summary.rows) == 6


def test_the_command_says_where_the_models_differ(tmp_path, monkeypatch, capsys):
    from cutline.cli.main import main

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    lines = [f"{y},{a:.6f},{b:.6f},{s}" for y, a, b, s in zip(LABELS, NEW, OLD, SITES, strict=True)]
    (tmp_path / "both.csv").write_text("\n".join(["y,new,old,site", *lines]), encoding="utf-8")
    arguments = ["compare", "both.csv", "--label", "y", "--score", "new", "--score", "old", "--by", "site"]
    assert main([*arguments, "--measures", "auc"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("For ranking, new is better than old in b")
    assert max(map(len, lines)) <= 80
    assert main([*arguments, "--measures", "auc", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["schema"], len(document["slices"])) == ("cutline/slice-comparison/1", 3)
    assert main([*arguments, "--quota", "10"]) == 2
    assert "takes a threshold, not a quota" in capsys.readouterr().err
    assert main([*arguments, "--goal", "cut"]) == 2
    assert "--by cannot be combined with --goal" in capsys.readouterr().err


def test_more_slices_than_a_table_holds_are_refused():
    labels, scores = np.tile([0, 1], 600), np.arange(1200.0)
    with pytest.raises(cl.InputError, match="by makes 1,200 slices, more than 1,000"):
        cl.compare_by_slice(labels, {"a": scores, "b": -scores}, np.arange(1200))


def test_columns_of_data_are_named_by_text():
    data = {"y": [1, 0, 1, 0], "a": [0.9, 0.6, 0.6, 0.2], "b": [0.8, 0.4, 0.5, 0.3]}
    with pytest.raises(cl.CutlineError, match="pass the name of a column"):
        cl.compare_by_slice("y", {"a": "a", "b": "b"}, [["site"], ["sex"]], data=data)
