"""What every interval promises, for every measure and whatever the data: a value with its limits, or a reason."""

import math

import numpy as np
import pytest

from cutline import MEASURES, CutlineError, Estimate, compare, evaluate
from cutline.inference import influence
from cutline.inference.methods import applicable_methods
from cutline.measures import MeanOfCases, Needs

LABELS, SCORES = [1, 1, 0, 1, 1, 0, 0, 1, 0, 0], [0.95, 0.8, 0.75, 0.6, 0.5, 0.45, 0.3, 0.25, 0.2, 0.1]
EV = evaluate(LABELS, SCORES)
DATA = {
    "ten cases": EV,
    "one positive": evaluate([0, 1, 0, 0, 0], [0.9, 0.8, 0.6, 0.4, 0.2]),
    "one negative": evaluate([1, 1, 0, 1, 1], [0.9, 0.8, 0.6, 0.4, 0.2]),
    "perfect": evaluate([1, 1, 1, 0, 0, 0], [0.9, 0.8, 0.7, 0.3, 0.2, 0.1]),
    "sure and perfect": evaluate([1, 1, 0, 0], [1, 1, 0, 0]),
    "reversed": evaluate([0, 0, 0, 1, 1, 1], [0.9, 0.8, 0.7, 0.3, 0.2, 0.1]),
    "all tied": evaluate([1, 0, 1, 0, 0], [0.5] * 5),
    "two cases": evaluate([1, 0], [0.7, 0.3]),
    "two cases, reversed": evaluate([0, 1], [0.7, 0.3]),
    "two cases, tied": evaluate([0, 1], [0.5, 0.5]),
    "one case": evaluate([1], [0.7]),
    "positives only": evaluate([1, 1, 1], [0.9, 0.6, 0.2]),
    "negatives only": evaluate([0, 0, 0], [0.9, 0.6, 0.2]),
    "nobody flagged": evaluate(LABELS, SCORES, threshold=0.99),
    "everybody flagged": evaluate(LABELS, SCORES, threshold=0.0),
    "margins": evaluate(LABELS, [4 * s - 2 for s in SCORES], threshold=0),
    "infinite scores": evaluate([1, 0, 1, 0], [math.inf, 0.5, 0.2, -math.inf]),
    "low scores are positive": evaluate(LABELS, [1 - s for s in SCORES], higher_is_positive=False),
    "whole weights": evaluate(LABELS, SCORES, range(1, 11)),
    "other weights": evaluate(LABELS, SCORES, [0.5 + k for k in range(10)]),
    "little weight": evaluate([1, 0, 1, 0], [0.9, 0.6, 0.2, 0.1], [0.4, 0.2, 0.3, 0.3]),
    "single precision": evaluate(LABELS, np.array(SCORES, dtype=np.float32)),
    "hard predictions": evaluate([1, 0, 1, 0, 0], [1, 0, 0, 1, 0]),
    "groups": evaluate(LABELS, SCORES, groups=[1, 1, 2, 2, 3, 3, 4, 4, 5, 5]),
}
each_data = pytest.mark.parametrize("ev", DATA.values(), ids=DATA.keys())


def every_measure(ev):
    quota = 2 if ev.ranking.total >= 2 else None
    chosen = [m.with_(quota=quota) if "quota" in m.required and quota else m for m in MEASURES if m.fits(ev.ranking)]
    return [m for m in chosen if not m.required]


def check(found, m):
    """A value inside its limits inside the range, or a reason."""
    if math.isnan(found.value):
        assert math.isnan(found.low)
        assert math.isnan(found.high)
        assert found.notes[0].startswith("undefined: ")
        assert len(found.notes[0]) > len("undefined: ")
    elif not found.has_interval:
        assert found.notes, found
    else:
        least, most = m.range
        assert found.low <= found.value <= found.high, found
        if found.method != "wald":
            assert least - 1e-9 <= found.low, found
            assert found.high <= most + 1e-9, found
        elif not (least <= found.low and found.high <= most):
            assert "outside the range of the measure" in found.notes[-1], found


@pytest.mark.slow
@each_data
@pytest.mark.parametrize("method", ["auto", "bootstrap", "bca"])
@pytest.mark.parametrize("level", [0.95, 0.5])
def test_every_measure_has_a_value_in_its_interval_or_a_reason(ev, method, level):
    chosen = every_measure(ev)
    found = ev.estimates(chosen, level, method, resamples=60)

    assert len(found) == len(chosen)
    for m, estimate in zip(chosen, found, strict=True):
        assert estimate.value == pytest.approx(ev.value(m), nan_ok=True)
        assert estimate.level == level
        check(estimate, m)


@pytest.mark.slow
@each_data
def test_every_method_that_applies_gives_an_interval_or_a_reason(ev):
    for m in every_measure(ev):
        target = ev._make_estimand(m, {})
        for method in applicable_methods(target):
            if method.engine != "bootstrap":
                check(ev.estimate(m, method=method.name), m)


@each_data
def test_a_summary_has_the_intervals_that_a_formula_gives(ev):
    for row in ev.summary(intervals="formula"):
        if row["method"]:
            stands_in = row["method"] == "influence_student"  # for the bootstrap, which the rule has
            found = ev.estimate(row["measure"], method="influence_student" if stands_in else "auto")
            assert (row["low"], row["high"], row["method"]) == (found.low, found.high, found.method)
        else:
            assert row["low"] is None


def test_a_summary_resamples_what_has_no_formula():
    rows = [row for row in EV.summary(resamples=60) if row["method"]]
    found = EV.estimates([row["measure"] for row in rows], resamples=60)

    assert any(row["method"] in ("bootstrap", "student", "bias_corrected") for row in rows)
    for row, estimate in zip(rows, found, strict=True):
        assert (row["low"], row["high"], row["method"]) == (estimate.low, estimate.high, estimate.method)


def test_a_summary_has_all_intervals_on_demand_and_none_when_not_wanted():
    assert all(row["method"] for row in EV.summary(["auc", "mcc", "ks"], intervals="bootstrap"))
    assert not any(row["method"] for row in EV.summary(intervals=False))
    low, wide = (next(iter(EV.summary(["auc"], level=level)))["low"] for level in (0.8, 0.99))
    assert wide < low


# ---------------------------------------------------------------------- which method


@pytest.mark.parametrize(
    ("name", "method"),
    [
        ("precision", "wilson_modified"),
        ("f1", "wilson"),
        ("lr_plus", "mover"),
        ("diagnostic_odds_ratio", "log"),
        ("auc", "newcombe_delong"),
        ("mcc", "mover"),
        ("ks", "smoothed"),
        ("average_precision", "student"),
    ],
)
def test_the_default_follows_from_what_the_measure_is(name, method):
    assert EV.estimate(name).method == method


def test_the_default_for_a_quota_of_few_cases_is_mover():
    assert EV.estimate("qrecall", quota=3).method == EV.estimate("hit_rate", share=0.3).method == "mover"


@pytest.mark.parametrize(("errors", "method"), [(1, "newcombe_delong"), (15, "delong_student")])
def test_the_auc_has_newcombe_s_limits_where_it_rests_on_few_cases(errors, method):
    scores = [0.5 + i for i in range(60)] + [-1.0 - i for i in range(60)]
    scores[:errors] = [-40.0 + i for i in range(errors)]  # positives below most negatives
    ev = evaluate([1] * 60 + [0] * 60, scores)
    found = ev.estimate("auc")

    assert found.method == ev.estimate("taks").method == method
    assert any(note.startswith("It rests on about ") for note in found.notes) == (errors == 1)


def test_few_cases_are_noted():
    few = "It rests on about 5 cases."
    assert few in EV.estimate("average_precision").notes
    assert evaluate([1, 1, 0], [3, 1, 2]).estimate("recall").notes == ("It rests on about 2 cases.",)


def test_a_method_that_does_not_apply_is_refused():
    with pytest.raises(CutlineError, match="'wilson' does not apply to auc: pass 'delong_student', "):
        EV.estimate("auc", method="wilson")
    with pytest.raises(
        CutlineError,
        match="There is no method 'nonsense': pass 'influence', 'smoothed', 'bias_corrected', ",
    ):
        EV.estimate("ks", method="nonsense")


@pytest.mark.parametrize(
    ("options", "argument"),
    [({"level": 95}, "level"), ({"level": 0}, "level"), ({"resamples": 1}, "resamples"), ({"seed": -1}, "seed")],
)
def test_options_out_of_their_domain_are_refused(options, argument):
    with pytest.raises(CutlineError, match=f"^{argument} is "):
        EV.estimate("mcc", **options)


def test_an_estimate_takes_the_parameters_of_the_measure():
    assert EV.estimate("f_beta", beta=2).value == EV.value("f_beta", beta=2)
    assert EV.estimate("f_beta", beta=2).measure == "f_beta(beta=2)"
    assert EV.estimate("recall", quota=3).value == pytest.approx(2 / 5)
    assert EV.estimate("hit_rate", share=0.3).value == pytest.approx(2 / 3)


def test_a_higher_level_is_wider():
    for name in ("recall", "lr_plus", "auc", "log_loss", "mcc"):
        narrow, wide = EV.estimate(name, 0.8), EV.estimate(name, 0.99)
        assert wide.low <= narrow.low <= narrow.high <= wide.high


def test_an_estimate_is_public_and_prints_its_notes():
    found = EV.estimate("recall", method="wald", threshold=0.55)

    assert isinstance(found, Estimate)
    assert repr(found).splitlines()[0] == "recall 0.6000 [0.1706, 1.0294] (95 %, Wald)"
    assert found.to_dict()["notes"] == list(found.notes)


# ---------------------------------------------------------------------- influence


@pytest.mark.parametrize("m", [m for m in MEASURES if isinstance(m.form, MeanOfCases)], ids=str)
def test_the_standard_error_of_a_mean_follows_from_the_losses(m):
    of_positive, of_negative = m.form.of(EV.ranking, **m.defaults)
    losses = np.where(LABELS, of_positive, of_negative)
    found = EV.estimate(m, method="influence")
    half = 1.959963984540054 * losses.std(ddof=1) / np.sqrt(10)

    assert m(EV.ranking) == pytest.approx(losses.mean())
    assert found.high - found.value == pytest.approx(min(half, m.range[1] - found.value))


@pytest.mark.parametrize("m", [m for m in MEASURES if m.needs is Needs.COUNTS], ids=str)
def test_the_standard_error_of_one_cut_agrees_with_many_resamples(m):
    rng = np.random.default_rng(2)
    labels = rng.random(4000) < 0.4
    ev = evaluate(labels, 1 / (1 + np.exp(-rng.normal(size=4000) - labels)))
    target = ev._make_estimand(m, {})
    variance = influence.compute_variance_of_cut(target.of_counts, target.counts, target.squared_counts)
    c = ev.counts
    cells = rng.multinomial(4000, np.array([c.tp, c.fp, c.fn, c.tn]) / 4000, 4000).T
    values = m.compute(type(c)(*cells, c.threshold))

    assert np.sqrt(variance) == pytest.approx(values.std(), rel=0.06)


# ---------------------------------------------------------------------- groups


def test_groups_of_one_case_are_the_bootstrap_of_cases_but_for_chance():
    rng = np.random.default_rng(4)
    labels = rng.random(200) < 0.5
    scores = rng.normal(size=200) + labels
    single = evaluate(labels, scores, groups=np.arange(200)).estimate("auc", method="bootstrap", resamples=4000)
    cases = evaluate(labels, scores).estimate("auc", method="bootstrap", resamples=4000)

    assert single.notes == ("200 groups were resampled whole.",)
    assert (single.low, single.high) == pytest.approx((cases.low, cases.high), abs=0.01)


def test_repeated_cases_widen_the_interval_only_without_their_groups():
    rng = np.random.default_rng(4)
    labels = rng.random(100) < 0.5
    scores = rng.normal(size=100) + labels
    four = np.repeat(np.arange(100), 4)
    once = evaluate(labels, scores).estimate("auc", method="bootstrap")
    naive = evaluate(labels[four], scores[four]).estimate("auc", method="bootstrap")
    grouped = evaluate(labels[four], scores[four], groups=[f"patient {i}" for i in four]).estimate("auc")

    assert grouped.high - grouped.low == pytest.approx(once.high - once.low, rel=0.1)
    assert naive.high - naive.low == pytest.approx((once.high - once.low) / 2, rel=0.1)


def test_a_resample_of_groups_holds_whole_groups():
    ev = evaluate([1, 0, 1, 0, 1, 0], [6, 5, 4, 3, 2, 1], [1, 2, 1, 2, 1, 2], groups=["a", "a", "b", "b", "c", "c"])
    cells = ev.groups.draw(np.random.default_rng(0), 50)

    assert (2 * cells.pos[:, 0::2] == cells.neg[:, 1::2]).all()
    assert (cells.pos.sum(1) == 3).all()


def test_a_formula_for_independent_cases_says_so_when_there_are_groups():
    found = evaluate(LABELS, SCORES, groups=[1, 1, 2, 2, 3, 3, 4, 4, 5, 5]).estimate("auc", method="delong")

    assert "treats them as independent" in found.notes[0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"groups": [1, 2]}, "groups has 2 values but labels has 4"),
        ({"groups": [1, "a", None, 2.5]}, "groups holds 1 missing value"),
        ({"groups": np.array([1, "a", 2, 2.5], dtype=object)}, "groups holds values that cannot be compared"),
    ],
)
def test_groups_that_are_none_are_refused(options, message):
    with pytest.raises(CutlineError, match=message):
        evaluate([1, 0, 1, 0], [4, 3, 2, 1], **options)


def test_groups_are_not_stratified():
    with pytest.raises(CutlineError, match="stratified=True"):
        DATA["groups"].estimate("mcc", stratified=True)


# ---------------------------------------------------------------------- measures that resampling shifts


def test_a_limit_is_moved_to_include_the_value_and_a_note_says_so():
    ev = evaluate([1, 0] * 30, range(60))  # as even as can be: every resample is less so
    found = ev.estimate("ks", 0.5, method="bootstrap")

    assert found.low == found.value == pytest.approx(1 / 30)
    assert "Resampling shifts this measure: a limit was moved to include the value." in found.notes


@pytest.mark.parametrize("found", [None, "much", [1.0, 2.0]])
def test_a_function_has_to_return_one_number(found):
    def mine(data):
        return found

    ev = evaluate([1, 0, 1, 0], [4, 3, 2, 1])
    models = compare([1, 0, 1, 0], {"a": [4, 3, 2, 1], "b": [1, 2, 3, 4]})
    for work in (lambda: ev.estimate(mine), lambda: ev.estimate(mine, quota=2), lambda: models.difference(mine)):
        with pytest.raises(CutlineError, match=r"mine returned .*: return one number"):
            work()


def test_a_function_takes_no_parameter_but_its_cut():
    ev = evaluate([1, 0, 1, 0], [4, 3, 2, 1])
    with pytest.raises(CutlineError, match="A function has no parameter 'beta' here: pass threshold, quota, share"):
        ev.estimate(lambda r: 1.0, beta=2)


def test_one_measure_may_be_requested_in_a_list():
    ev = evaluate([1, 0, 1, 0], [4, 3, 2, 1])
    assert ev.estimates("auc") == [ev.estimate("auc")]


def test_the_word_for_the_intervals_of_a_summary_is_checked():
    with pytest.raises(CutlineError, match="intervals is 'all': pass True, False, 'bootstrap' or 'formula'"):
        evaluate([1, 0, 1, 0], [4, 3, 2, 1]).summary(["auc"], intervals="all")


def test_a_summary_has_every_interval_where_that_is_quick_and_those_of_formulas_otherwise(monkeypatch):
    ev = evaluate([1, 1, 0, 1, 1, 0, 0, 1, 0, 0], range(10, 0, -1), threshold=5.5)
    assert all(row["low"] is not None or row["reason"] for row in ev.summary())
    ks, auc = ev.summary(["ks", "auc"])
    assert (ks["low"], ks["high"]) == (ev.estimate("ks").low, ev.estimate("ks").high)

    monkeypatch.setattr("cutline.results.resample_budget.WORK", 2000 * 9)  # ten scores, one measure to resample
    assert [row["low"] for row in ev.summary(["ks", "auc"])] == [None, auc["low"]]
    assert [*ev.summary(["ks", "auc"], intervals="bootstrap")] == [ks, auc]
    assert [row["low"] for row in ev.summary(["ks", "auc"], intervals="formula")] == [None, auc["low"]]
