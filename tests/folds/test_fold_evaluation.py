"""evaluate(folds=): means over folds by hand, intervals, pooling, refusals and warnings."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, brier_score_loss, roc_auc_score

import cutline as cl
from cutline.inference.folds import estimate_hidden_share, measure_scale_distance, nadeau_bengio

RNG = np.random.default_rng(0)


def out_of_fold(n: int = 300, folds: int = 5, repeats: int = 1, share: float = 0.5, seed: int = 0):
    """Labels, scores, folds and repeats of stratified folds, the cases of each repeat in one order."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n) < share * n
    fold = np.empty((repeats, n), dtype=int)
    for r in range(repeats):
        for c in (False, True):
            rows = np.flatnonzero(labels == c)
            fold[r, rng.permutation(rows)] = np.arange(len(rows)) % folds
    scores = 1 / (1 + np.exp(-rng.normal(1.5 * labels - 0.75, 1, (repeats, n))))
    repeat = np.repeat(np.arange(repeats), n)
    return np.tile(labels, repeats), scores.ravel(), fold.ravel(), repeat


def by_fold(measure, labels, scores, folds, repeats):
    keys = sorted(set(zip(repeats.tolist(), folds.tolist(), strict=True)))
    return np.array([measure(labels[m], scores[m]) for r, k in keys if (m := (repeats == r) & (folds == k)).any()])


@pytest.mark.parametrize("repeats", [1, 3])
def test_the_value_is_the_mean_over_folds_and_the_interval_is_nadeau_and_bengios(repeats: int) -> None:
    labels, scores, folds, repeat = out_of_fold(repeats=repeats)
    ev = cl.evaluate(labels, scores, folds=folds, repeats=repeat)
    values = by_fold(roc_auc_score, labels, scores, folds, repeat)
    expected = nadeau_bengio(values, 5, 1 / 4)
    estimate = ev.estimate("auc")
    assert ev.auc == pytest.approx(values.mean())
    assert (estimate.low, estimate.high) == pytest.approx(expected.limits(0.95))
    assert estimate.method == "nadeau_bengio"
    assert (ev.folds, ev.repeats) == (5, repeats)


def test_stratified_folds_hide_the_variance_of_the_prevalence_which_is_added() -> None:
    labels, scores, folds, repeat = out_of_fold(n=500, share=0.2)
    ev = cl.evaluate(labels, scores, folds=folds)
    values = by_fold(brier_score_loss, labels, scores, folds, repeat)
    losses = (scores - labels) ** 2
    slope = losses[labels].mean() - losses[~labels].mean()
    hidden = slope**2 * 0.2 * 0.8 / 500
    expected = nadeau_bengio(values, 5, 1 / 4, hidden)
    assert expected.standard_error > nadeau_bengio(values, 5, 1 / 4).standard_error
    estimate = ev.estimate("brier")
    assert (estimate.low, estimate.high) == pytest.approx(expected.limits(0.95), abs=1e-9)


def test_hidden_share_is_one_for_equal_prevalences_and_none_where_they_vary_by_chance() -> None:
    sizes = np.full(5, 100.0)
    assert estimate_hidden_share(np.full(5, 30.0), sizes) == 1
    assert estimate_hidden_share(np.array([20.0, 40, 25, 35, 30]), sizes) == 0
    assert estimate_hidden_share(np.zeros(5), sizes) == 0


def test_small_folds_pool_the_average_precision_within_a_repeat_and_say_so() -> None:
    labels, scores, folds, repeat = out_of_fold(n=60, repeats=2)
    ev = cl.evaluate(labels, scores, folds=folds, repeats=repeat)
    pooled = [average_precision_score(labels[repeat == r], scores[repeat == r]) for r in (0, 1)]
    assert ev.value("average_precision") == pytest.approx(np.mean(pooled))
    assert ev.auc == pytest.approx(by_fold(roc_auc_score, labels, scores, folds, repeat).mean())
    assert "pooled" in ev.estimate("average_precision").notes[0]
    assert not ev.estimate("auc").notes


def test_large_folds_average_the_average_precision() -> None:
    labels, scores, folds, repeat = out_of_fold(n=600)
    values = by_fold(average_precision_score, labels, scores, folds, repeat)
    assert cl.evaluate(labels, scores, folds=folds).value("average_precision") == pytest.approx(values.mean())


def test_pooled_pseudo_values_of_a_mean_are_the_values_of_the_folds() -> None:
    """The jackknife of a mean over equal folds gives the folds back: pooling changes nothing there."""
    labels, scores, folds, _ = out_of_fold(n=100)
    ev = cl.evaluate(labels, scores, folds=folds)
    rate = cl.MEASURES["accuracy"]
    parts = ev.parts[0]
    from cutline.core.merging import merge

    whole = rate(merge(parts), threshold=0.5)
    without = [rate(merge(parts[:k] + parts[k + 1 :]), threshold=0.5) for k in range(5)]
    assert 5 * whole - 4 * np.array(without) == pytest.approx([rate(part, threshold=0.5) for part in parts])


def test_a_quota_is_one_of_all_cases() -> None:
    labels, scores, folds, _ = out_of_fold(n=300)
    ev = cl.evaluate(labels, scores, folds=folds, quota=50)
    each = [cl.evaluate(labels[folds == k], scores[folds == k]).at(quota=10).precision for k in range(5)]
    assert ev.fold_table([("precision", {"quota": 50})]).to_dict()[0]["precision"] == pytest.approx(each[0])


def test_the_ledell_interval_needs_the_same_cases_in_one_order() -> None:
    labels, scores, folds, repeat = out_of_fold(repeats=2)
    estimate = cl.evaluate(labels, scores, folds=folds, repeats=repeat).estimate("auc", method="ledell")
    assert estimate.method == "ledell"
    assert "fewer than 1,000" in estimate.notes[0]
    order = np.r_[np.arange(300), 300 + np.arange(300)[::-1]]
    mixed = cl.evaluate(labels[order], scores[order], folds=folds[order], repeats=repeat)
    with pytest.raises(cl.InputError, match="same order"):
        mixed.estimate("auc", method="ledell")


def test_the_summary_and_its_views_say_what_is_estimated(tmp_path) -> None:
    labels, scores, folds, repeat = out_of_fold(repeats=2)
    ev = cl.evaluate(labels, scores, folds=folds, repeats=repeat, name="forest")
    summary = ev.summary(["auc", "brier"])
    assert "model fitted on all 300 cases" in str(summary.notes[0])
    assert "80 %" in str(summary.notes[0])
    document = json.loads(json.dumps(ev.to_dict(measures=["auc"])))
    assert document["cross_validation"] == {"folds": 5, "repeats": 2}
    assert ev.to_frame(measures=["auc", "brier"])["value"].tolist() == [row.value for row in summary.rows]
    page = ev.save(tmp_path / "report.html", measures=["auc", "brier"]).read_text()
    assert "slightly pessimistic" in page
    assert "2 times" in repr(ev)
    for name in ("roc", "precision_recall", "reliability", "folds"):
        assert ev.chart(name).to_dict()["$schema"]
    with pytest.raises(cl.ParameterError, match="precision_recall"):
        ev.chart("gain")


def test_columns_of_a_table_are_named() -> None:
    labels, scores, folds, repeat = out_of_fold(repeats=2)
    data = {"y": labels, "p": scores, "fold": folds, "r": repeat}
    named = cl.evaluate("y", "p", data=data, folds="fold", repeats="r")
    assert named.auc == cl.evaluate(labels, scores, folds=folds, repeats=repeat).auc
    with pytest.raises(cl.InputError, match="no column 'fould', which folds= names"):
        cl.evaluate("y", "p", data=data, folds="fould")


# ---------------------------------------------------------------------- refusals and warnings, a sentence each


def test_one_fold_is_refused() -> None:
    labels, scores, *_ = out_of_fold()
    with pytest.raises(cl.InputError, match=r"folds holds one fold, and cross-validation needs two or more: .*\.$"):
        cl.evaluate(labels, scores, folds=np.zeros(300))


def test_a_fold_of_one_class_is_refused_for_rank_measures_alone() -> None:
    labels, scores, folds, _ = out_of_fold()
    folds = np.where(labels, 0, folds)
    ev = cl.evaluate(labels, scores, folds=folds)
    with pytest.raises(cl.InputError, match=r"^Fold 2 has cases of only one class, .*: use stratified folds.*\.$"):
        ev.value("auc")
    assert not hasattr(ev, "auc")
    assert math.isfinite(ev.value("brier"))
    assert "one class" in ev.summary(["auc"]).rows[0].reason


def test_leave_one_out_is_refused_for_rank_measures_alone() -> None:
    labels, scores, *_ = out_of_fold(n=40)
    ev = cl.evaluate(labels, scores, folds=np.arange(40))
    with pytest.raises(cl.InputError, match="leave-one-out"):
        ev.estimate("auc")
    assert ev.value("brier") == pytest.approx(np.mean((scores - labels) ** 2))


def test_groups_across_folds_and_unequal_folds_are_noted() -> None:
    labels, scores, folds, _ = out_of_fold()
    leaking = cl.evaluate(labels, scores, folds=folds, groups=np.arange(300) // 3)
    assert any(note.rule == "group-leak" and note.kind == "warning" for note in leaking.notes)
    clean = cl.evaluate(labels, scores, folds=folds, groups=folds)
    assert not any(note.rule == "group-leak" for note in clean.notes)
    unequal = cl.evaluate(labels, scores, folds=np.where(folds == 4, 3, folds))
    assert any(note.rule == "unequal-folds" for note in unequal.notes)
    assert unequal.test_to_train == pytest.approx(75 / 225)


def test_train_sizes_and_numbers_of_folds_are_checked() -> None:
    labels, scores, folds, repeat = out_of_fold(repeats=2)
    smaller = cl.evaluate(labels, scores, folds=folds, repeats=repeat, train_sizes=120)
    assert smaller.test_to_train == 60 / 120
    with pytest.raises(cl.ParameterError, match="train_sizes is 0"):
        cl.evaluate(labels, scores, folds=folds, repeats=repeat, train_sizes=0)
    with pytest.raises(cl.InputError, match="holds 4 folds in one repeat and 5 in another"):
        cl.evaluate(labels, scores, folds=np.where((repeat == 1) & (folds == 4), 3, folds), repeats=repeat)
    with pytest.raises(cl.ParameterError, match="repeats is given without folds"):
        cl.evaluate(labels, scores, repeats=repeat)
    with pytest.raises(cl.ParameterError, match="cannot be combined with folds"):
        cl.evaluate(labels, scores, folds=folds, by=repeat)
    with pytest.raises(cl.ParameterError, match="fits the model again"):
        cl.evaluate(labels, scores, folds=folds, repeats=repeat).estimate("brier", method="nested")


def test_groups_that_are_folds_are_warned_of_and_folds_named() -> None:
    labels, scores, folds, _ = out_of_fold()
    notes = {note.rule: str(note) for note in cl.evaluate(labels, scores, groups=folds).notes}
    assert "pass folds= instead of groups=" in notes["groups-are-folds"]
    assert "groups-differ" not in notes
    shifted = cl.evaluate(labels, scores + folds, groups=folds)
    assert any(note.rule == "groups-differ" for note in shifted.notes)
    many = cl.evaluate(labels, scores, groups=np.arange(300) // 3)
    assert not any(note.rule == "groups-are-folds" for note in many.notes)
    strata = {note.rule: str(note) for note in cl.evaluate(labels, scores, strata=folds).notes}
    assert "instead of strata=" in strata["groups-are-folds"]


def test_small_folds_on_different_scales_are_not_pooled() -> None:
    random = np.random.default_rng(2)
    folds, labels = np.arange(130) % 5, (np.arange(130) // 5) % 2
    scores = random.normal(size=130) + 2 * labels
    shifted = cl.evaluate(labels, scores + 10 * folds, folds=folds)
    alone = [cl.average_precision(labels[folds == k], scores[folds == k]) for k in range(5)]
    assert shifted.average_precision == pytest.approx(np.mean(alone))
    assert cl.evaluate(labels, scores, folds=folds).average_precision != pytest.approx(np.mean(alone))


def test_folds_on_different_scales_are_warned_of() -> None:
    labels, scores, folds, _ = out_of_fold()
    assert any(note.rule == "scales" for note in cl.evaluate(labels, scores + folds, folds=folds).notes)
    assert not any(note.rule == "scales" for note in cl.evaluate(labels, scores, folds=folds).notes)
    same = [(RNG.normal(size=100), np.ones(100)) for _ in range(5)]
    assert measure_scale_distance(same) == 0


def test_folds_that_agree_have_no_interval_but_a_note() -> None:
    labels = np.tile([True, False], 40)
    ev = cl.evaluate(labels, labels.astype(float), folds=np.arange(80) // 2 % 4)
    estimate = ev.estimate("auc")
    assert estimate.value == 1
    assert not estimate.has_interval
    assert "same value" in estimate.notes[0]


@pytest.mark.parametrize("sizes", ["x", [[80], [80, 81]], []])
def test_train_sizes_that_are_no_numbers_are_refused(sizes) -> None:
    labels, scores, fold, _ = out_of_fold()
    with pytest.raises(cl.ParameterError, match=r"train_sizes is .*: pass the number of cases"):
        cl.evaluate(labels, scores, folds=fold, train_sizes=sizes)


def test_a_missing_fold_is_refused_with_a_way_out_that_works() -> None:
    labels, scores, fold, _ = out_of_fold()
    fold = np.where(np.arange(300) == 3, np.nan, fold)
    with pytest.raises(cl.InputError, match="the first at position 3: fill them, or leave these rows out"):
        cl.evaluate(labels, scores, folds=fold, missing="drop")


def test_leave_one_out_saw_nearly_all_cases() -> None:
    labels, scores, _, _ = out_of_fold()
    assert "models that saw 99.7 % of them" in str(cl.evaluate(labels, scores, folds=np.arange(300)).notes[0])


def test_scales_that_differ_are_said_to_spoil_pooled_values() -> None:
    labels, scores, fold, _ = out_of_fold()
    notes = cl.evaluate(labels, scores + 9 * fold, folds=fold).notes
    assert any("a value of pooled folds mixes these scales" in str(note) for note in notes)


def test_groups_that_look_like_folds_are_noted_once() -> None:
    labels, scores, fold, _ = out_of_fold()
    rules = [note.rule for note in cl.evaluate(labels, scores + 9 * fold, groups=fold).notes]
    assert rules.count("groups-are-folds") == rules.count("groups-differ") == 1


def test_a_page_of_folds_without_an_interval_is_written(tmp_path) -> None:
    labels, scores = [1, 0, 1, 0, 1, 0, 1, 1, 0, 0], [0.9, 0.6, 0.6, 0.2, 0.7, 0.1, 0.8, 0.4, 0.5, 0.3]
    found = cl.evaluate(labels, scores, folds=[0, 0, 1, 1, 2, 2, 0, 1, 2, 0])
    assert not found.estimate("auc").has_interval
    assert "</html>" in found.save(tmp_path / "x.html").read_text(encoding="utf-8")
