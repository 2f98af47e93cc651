"""Each note is given where it must be, and nowhere else; and what is advised exists."""

import itertools
import math
import re
from dataclasses import replace

import numpy as np
import pytest

from cutline import MEASURES, ParameterError, compare, evaluate
from cutline.advice import CHOICES, COMPARISON_RULES, MODEL_RULES, RULES, Situation, add_notes, advise, notes, notes_on
from cutline.cli.text import name_options
from cutline.core.binned_ranking import rank_bins
from cutline.core.ranking import Ranking
from cutline.evaluation import Evaluation
from cutline.inference.single.calibration_error import check_calibration


def model(score, pos, neg, threshold=0.5, **facts):
    """The evaluation of so many positives and negatives at each score."""
    ranking = Ranking.of_counts(score, pos, neg)
    for name, value in facts.items():
        object.__setattr__(ranking, name, value)
    return Evaluation(ranking, threshold)


# 1000 cases, half of them positive, calibrated on the dot, one score in ten apart: nothing to say but that they tie.
GRID = np.arange(0.95, 0, -0.1)
CALM = model(GRID, np.round(100 * GRID).astype(int), np.round(100 - 100 * GRID).astype(int))
FIFTHS = np.arange(100) % 5  # each with scores of its own scale
IN_FIFTHS = evaluate(np.arange(100) // 5 % 2, np.arange(100) / 100 + 9 * FIFTHS, groups=FIFTHS)
RARE = model([0.6, 0.3, 0.02], [10, 15, 5], [10, 100, 860])  # 30 of 1000
# By rule: what it must speak on, a piece of what it must say, and what it must be silent on.
CASES = {
    "one-class": ({"ev": model([0.9, 0.2], [3, 4], [0, 0])}, "of one class", {"ev": CALM}),
    "inside-a-bin": (
        {"ev": Evaluation(rank_bins(*map(np.array, ([0.9, 0.4], [0.5, 0.1], [40, 20], [10, 130]))), 0.8)},
        "0 to 50 cases are flagged, of which 0 to 40 are positive",
        {"ev": Evaluation(rank_bins(*map(np.array, ([0.9, 0.4], [0.5, 0.1], [40, 20], [10, 130]))), 0.5)},
    ),
    "reversed": ({"ev": model([0.9, 0.6, 0.2], [1, 20, 60], [60, 20, 1])}, "low scores mean positive", {"ev": CALM}),
    "labels": (
        {"ev": model([1, 0], [40, 10], [10, 40])},
        "Their AUC, 0.8, is the balanced accuracy",
        {"ev": model([0.9, 0.5, 0.1], [40, 5, 5], [5, 5, 40])},
    ),
    "perfect-calibration": ({"ev": CALM}, "too good to be true", {"ev": RARE}),
    "chance": ({"ev": model([0.9, 0.6, 0.2], [21, 20, 19], [19, 20, 21])}, "better than the baseline", {"ev": CALM}),
    "accuracy-baseline": (
        {"ev": RARE},
        "The accuracy is not higher than that of a model that flags nobody: 0.97, where flagging nobody gives 0.97.",
        {"ev": model([0.9, 0.6, 0.2], [90, 5, 5], [5, 5, 890])},
    ),
    "imbalance": (
        {"ev": model([0.9, 0.6, 0.2], [90, 5, 5], [5, 5, 890])},
        "90 % of the cases are negative: a model that flags nobody has accuracy 0.9; yours has 0.985.",
        {"ev": RARE},
    ),
    "calibration": (
        {"ev": model([0.9, 0.6, 0.2], [50, 40, 10], [50, 160, 190])},
        "too high: predicted 50.0 %, observed 20.0 %",
        {"ev": CALM},
    ),
    "few-cases": (
        {"ev": model([0.9, 0.6, 0.2], [10, 5, 5], [20, 30, 50])},
        "There are only 20 positives: a single one changes the recall by 0.05",
        {"ev": RARE},
    ),
    "certainly-wrong": ({"ev": model([0.9, 0.5, 0.0], [40, 2, 2], [9, 2, 40])}, "For 2 cases", {"ev": CALM}),
    "scale": ({"ev": model([3, 1, -2], [9, 5, 1], [1, 5, 9], None)}, "as are positive", {"ev": CALM}),
    "all-alike": ({"ev": model([0.3, 0.2], [9, 1], [1, 9])}, "flags nobody", {"ev": CALM}),
    "quota-in-tie": (
        {"ev": model([3, 2, 1], [2, 3, 0], [0, 4, 6], 2), "quota": 7},  # 5 places for 3 positives and 4 negatives
        "and there is room for 5 of them. Depending on which are taken, the quota holds 3 to 5",
        {"ev": model([3, 2, 1], [2, 3, 0], [0, 4, 6], 2), "quota": 9},
    ),
    "rare-positives": ({"ev": RARE}, "that is 10 wrong flags beside 10 right ones", {"ev": CALM}),
    "quota-known": (
        {"ev": RARE, "quota": 20},
        "Qrecall, 0.333, if a missed positive is. Qrecall cannot exceed 0.667: there are 30 positives.",
        {"ev": RARE},
    ),
    "only-the-top": ({"ev": RARE, "share": 0.1}, "10 % of the list", {"ev": RARE, "quota": 101}),
    "quota-unknown": (
        {"ev": RARE, "measures": ["pem"]},
        "No quota is given",
        {"ev": RARE, "measures": ["pem"], "quota": 10},
    ),
    "threshold": (  # too high for most: 100 of 110 positives and 10 negatives are at 0.4 or above
        {"ev": model([0.9, 0.4, 0.1], [5, 95, 10], [1, 9, 190])},
        "at 0.4 it is 0.909 on these cases",
        {"ev": CALM},
    ),
    "ties": ({"ev": CALM}, "1000 of 1000 cases share", {"ev": evaluate([1, 0] * 40, np.arange(80) / 80)}),
    "wald": (
        {"ev": model([0.9, 0.2], [3, 2], [2, 3]), "measures": ["recall"]},
        "recall (3 of 5)",
        {"ev": CALM},
    ),
    "identity": (
        {"ev": CALM, "measures": ["auc", "gini", "pem"]},
        "gini = 2 auc - 1, pem = 2 auc - 1",
        {"ev": CALM, "measures": ["auc", "f1"]},
    ),
    "weights": ({"ev": evaluate([1, 0, 1], [0.9, 0.2, 0.4], [1.5, 1, 1])}, "effective sample size", {"ev": CALM}),
    "groups-are-folds": ({"ev": IN_FIFTHS}, "as folds are", {"ev": CALM}),
    "groups-differ": ({"ev": IN_FIFTHS}, "mean scores of the groups differ", {"ev": CALM}),
    "read-as": (
        {"ev": Evaluation(replace(CALM.ranking, read_as="Column p is written in percent: 67% is read as 0.67."))},
        "written in percent",
        {"ev": CALM},
    ),
    "dropped": (
        {"ev": evaluate([1, 0, None], [0.9, 0.2, 0.1], missing="drop")},
        "1 row with a missing value",
        {"ev": CALM},
    ),
    "binned": ({"ev": Evaluation(CALM.ranking.coarsen(3).high)}, "binned", {"ev": CALM}),
    "groups": (
        {"ev": evaluate([1, 0, 1, 0], [0.9, 0.4, 0.3, 0.2], groups=["a", "a", "b", "b"])},
        "come in 2 groups: intervals resample whole groups",
        {"ev": CALM},
    ),
}


def notes_by_rule(ev, **options):
    return {note.rule: note for note in notes(ev, **options)}


def test_every_rule_is_tried():
    assert list(CASES) == [rule.id for rule in MODEL_RULES]
    assert len({rule.id for rule in RULES}) == len(RULES)


@pytest.mark.parametrize("rule", CASES)
def test_a_note_is_given_where_it_must(rule):
    where, words, _ = CASES[rule]

    assert words in notes_by_rule(**where)[rule].text


@pytest.mark.parametrize("rule", CASES)
def test_a_note_is_not_given_where_it_must_not(rule):
    assert rule not in notes_by_rule(**CASES[rule][2])


def test_a_good_model_of_balanced_classes_gets_next_to_no_notes():
    assert set(notes_by_rule(CALM)) == {"ties", "perfect-calibration"}  # the counts are just what the probabilities say


@pytest.mark.parametrize("rule", CASES)
def test_notes_come_in_order_cite_a_source_and_say_nothing_twice(rule):
    where = CASES[rule][0]
    found = tuple(notes_by_rule(**where).values())
    kinds = [("warning", "advice", "fact").index(note.kind) for note in found]

    assert kinds == sorted(kinds)
    assert all(note.source and re.fullmatch(r"[a-z]+(-[a-z]+)*", note.rule) for note in found)
    for remark in where["ev"].data_notes:  # they are among them, or what explains them is
        why = [note for note in found if note.rule in ("labels", "reversed")]
        assert sum(note.text.startswith(remark.text) for note in found) == 1 or why


def too_good():
    """Probabilities that a logistic regression gives on the cases that it was fitted on, as a file has them."""
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(5)
    X = rng.normal(size=(800, 3))
    y = (rng.random(800) < 1 / (1 + np.exp(1 - X @ [1, 0.5, 0.2]))).astype(int)
    half = slice(None, 400)
    model = LogisticRegression(C=1e9).fit(X[half], y[half])
    p = np.round(model.predict_proba(X)[:, 1], 5)
    return evaluate(y[half], p[half]), evaluate(y[400:], p[400:])


def test_calibration_that_is_too_good_to_be_true_is_said_first():
    fitted, others = too_good()

    assert next(iter(notes_by_rule(fitted))) == "perfect-calibration"
    assert "perfect-calibration" not in notes_by_rule(others)


def test_probabilities_of_the_other_class_are_said_to_be_so_and_nothing_else_is():
    turned = evaluate(np.tile([1, 0], 200), np.tile([0.2, 0.8], 200) + np.linspace(-0.15, 0.15, 400))
    notes = notes_by_rule(turned)

    assert notes["reversed"].text.startswith("The scores look like probabilities of the other class: the AUC is 0")
    assert "calibration" not in notes


def test_a_reversed_order_that_may_be_chance_is_said_to_be():
    assert "may be chance" in notes_by_rule(model([0.9, 0.2], [9, 10], [10, 9]))["reversed"].text
    assert "may be chance" not in notes_by_rule(CASES["reversed"][0]["ev"])["reversed"].text


def test_whoever_turned_the_scores_is_not_told_to_turn_them():
    text = notes_by_rule(evaluate([1, 1, 0, 0], [4, 3, 2, 1], higher_is_positive=False, threshold=2))["reversed"].text

    assert "leave higher_is_positive=False out" in text


def test_a_common_positive_class_is_named():
    text = notes_by_rule(model([0.9, 0.6, 0.2], [500, 290, 10], [2, 3, 45]))["imbalance"].text

    assert text.startswith("94 % of the cases are positive: a model that flags everybody has accuracy 0.941")
    assert "positive=" in text


# ---------------------------------------------------------------------- calibration


def test_calibration_by_hand():
    found = check_calibration(Ranking.of_counts([0.8, 0.5], [3, 1], [1, 3]))  # 4 * 0.8 + 4 * 0.5 = 5.2 expected, 4 seen

    assert (found.expected, found.observed) == pytest.approx((0.65, 0.5))
    assert found.z_share == pytest.approx(-1.2 / math.sqrt(4 * 0.16 + 4 * 0.25))
    assert found.promised == pytest.approx((4 * 0.16 + 4 * 0.25) / 8)
    assert found.brier == pytest.approx((3 * 0.04 + 0.64 + 4 * 0.25) / 8)
    # Spiegelhalter: (y - p)(1 - 2p) summed, over the root of (1 - 2p)^2 p (1 - p)
    assert found.z_brier == pytest.approx((3 * 0.2 - 0.8) * -0.6 / math.sqrt(4 * 0.36 * 0.16))


def test_spiegelhalters_test_sees_what_the_mean_does_not():
    extreme = model([0.95, 0.5, 0.05], [70, 50, 30], [30, 50, 70])
    timid = model([0.6, 0.5, 0.4], [95, 50, 5], [5, 50, 95])

    assert "The probabilities are too extreme" in notes_by_rule(extreme)["calibration"].text
    assert "The probabilities are too timid" in notes_by_rule(timid)["calibration"].text


def test_probabilities_that_are_far_too_extreme_are_called_so_before_their_mean():
    rng = np.random.default_rng(3)
    logit = rng.normal(-1.2, 1, 3000)
    labels = rng.random(3000) < 1 / (1 + np.exp(-logit))
    extreme = notes_by_rule(evaluate(labels, 1 / (1 + np.exp(-(4 * logit + 0.5)))))["calibration"].text
    low = notes_by_rule(evaluate(labels, 1 / (1 + np.exp(-(logit - 0.8)))))["calibration"].text

    assert extreme.startswith(
        "The probabilities are too extreme: high ones are too high and low ones too low (slope 0.2"
    )
    assert " On average they are too low: predicted " in extreme
    assert low.startswith("The probabilities are too low: predicted ")


def test_true_probabilities_are_seldom_called_uncalibrated():
    rng = np.random.default_rng(7)
    probability = rng.uniform(0.05, 0.95, (200, 400))
    labels = rng.random(probability.shape) < probability

    fired = sum("calibration" in notes_by_rule(evaluate(y, p)) for y, p in zip(labels, probability, strict=True))

    assert fired <= 9  # two tests at 1 %: four are expected


def test_scores_that_are_no_probabilities_are_not_held_to_them():
    assert "calibration" not in notes_by_rule(model([9, 6, 2], [50, 40, 10], [50, 160, 190], 5))


# ---------------------------------------------------------------------- comparisons

LABELS = [1, 1, 0, 1, 1, 0, 0, 1, 0, 0]
BERRAR = [0.95, 0.8, 0.75, 0.6, 0.5, 0.45, 0.3, 0.25, 0.2, 0.1]  # Figure 2


def of_models(scores, labels=LABELS, **options):
    return {note.rule: note.text for note in notes_on(compare(labels, scores), **options)}


def test_one_cut_does_not_tell_berrars_models_apart():
    worse = [0.79 if score == 0.75 else score for score in BERRAR]  # his model B: case 8 is more wrong

    text = of_models({"A": BERRAR, "B": worse})["single-cut"]
    assert text.startswith("A and B have the same counts at the cut (accuracy 0.8)")
    assert "Brier score 0.192 and 0.198" in text
    assert "ROC" not in text  # the order is the same
    assert "single-cut" not in of_models({"A": BERRAR, "B": [1 - s for s in BERRAR]})
    assert "single-cut" not in of_models({"A": BERRAR, "B": BERRAR})
    eager = [0.5 if score == 0.45 else score for score in BERRAR]  # as many found, one more false alarm
    assert "single-cut" not in of_models({"A": BERRAR, "B": eager})


def test_a_lead_that_is_too_small_for_the_cases_is_told():
    rng = np.random.default_rng(3)
    labels = np.tile([1, 0], 200)
    good = labels + rng.normal(size=400)
    close = {"a": good, "b": good + 0.1 * rng.normal(size=400)}

    assert "400 cases do not show that it is better than" in of_models(close, labels)["too-small"]
    assert "too-small" not in of_models({"a": good, "b": rng.normal(size=400)}, labels)
    assert "too-small" not in of_models(close, labels, measures=["brier"])


def test_models_that_are_best_in_different_places_are_told():
    early = [10, 9, 1, 8, 2, 7, 6, 3, 5, 4]  # three positives first, the other two late
    late = [8, 7, 10, 6, 5, 9, 4, 3.5, 2, 1]  # two negatives first, then the positives

    rng = np.random.default_rng(0)
    labels = rng.random(800) < 0.5
    top = np.where(labels, rng.normal(size=800) * 3 + 2, rng.normal(size=800))  # many positives far above all else
    middle = np.where(labels, rng.normal(size=800) * 0.5 + 1.3, rng.normal(size=800))
    many = {"top": top, "middle": middle}
    assert "No model dominates" in of_models(many, labels)["dominance"]
    assert "At your quota of 100 it is top, with a hit rate of 1." in of_models(many, labels, quota=100)["dominance"]
    assert "dominance" not in of_models({"early": early, "late": late})  # ten cases cannot show it
    assert "dominance" not in of_models({"a": BERRAR, "b": [-s for s in BERRAR]})


def test_what_holds_for_all_models_is_said_once_and_of_one_by_its_name():
    labels = np.repeat([1, 0], [40, 400])
    rng = np.random.default_rng(1)
    a, b = (1 / (1 + np.exp(3 - 2 * labels - rng.normal(size=440))) for _ in range(2))
    found = notes_on(compare(labels, {"a": a, "b": np.round(b)}))
    by_rule = {}
    for note in found:
        by_rule.setdefault(note.rule, []).append(note.text)

    assert len(by_rule["imbalance"]) == len(by_rule["rare-positives"]) == 1
    assert re.search(r"these have 0\.\d+ \(a\), 0\.\d+ \(b\)", by_rule["imbalance"][0])
    assert [text[:3] for text in by_rule["labels"]] == ["b: "]


def test_every_rule_of_comparisons_is_tried():
    assert [rule.id for rule in COMPARISON_RULES] == ["single-cut", "too-small", "dominance"]


# ---------------------------------------------------------------------- situations


def measures_for(**situation):
    return [found.measure for found in advise(Situation(**situation))]


@pytest.mark.parametrize(
    ("situation", "expected"),
    [
        ({"goal": "quota", "quota_known": True, "wrong_inclusion_costly": True}, ["hit_rate"]),
        ({"goal": "quota", "quota_known": True, "missed_costly": True}, ["qrecall"]),
        ({"goal": "quota", "quota_known": True}, ["hit_rate", "qrecall"]),
        ({"goal": "quota", "quota_known": False, "wrong_inclusion_costly": True}, ["average_hit_rate"]),
        ({"goal": "quota", "quota_known": False, "missed_costly": True}, ["average_qrecall", "pem"]),
        ({"goal": "rank"}, ["auc"]),
        ({"goal": "rank", "only_top_matters": True}, ["average_precision", "roc_n"]),
        ({"goal": "rank", "prevalence": 0.03}, ["average_precision", "auc"]),
        ({"goal": "decide", "prevalence": 0.5}, ["accuracy"]),
        ({"goal": "decide", "prevalence": 0.9}, ["balanced_accuracy", "f1", "mcc"]),
        ({"goal": "decide", "cost_fp": 1, "cost_fn": 5}, ["expected_cost", "net_benefit"]),
        ({"goal": "probabilities"}, ["log_loss", "brier"]),
        ({"goal": "probabilities", "prevalence": 0.1}, ["log_loss", "brier", "balanced_cross_entropy"]),
    ],
)
def test_the_sources_advice(situation, expected):
    assert measures_for(**situation) == expected


def test_every_situation_has_advice_that_exists():
    flags = itertools.product([None, 0.03, 0.5], [True, False], [True, False], [None, True, False], [True, False])
    for (prevalence, wrong, missed, known, top), goal in itertools.product(
        flags, ["rank", "decide", "probabilities", "quota"]
    ):
        found = advise(
            Situation(
                goal=goal,
                prevalence=prevalence,
                wrong_inclusion_costly=wrong,
                missed_costly=missed,
                quota_known=known,
                only_top_matters=top,
                several_models=True,
            )
        )
        assert found
        assert all(one.measure in MEASURES and one.why and one.source for one in found)
    assert all(MEASURES[name].name == name for choice in CHOICES for name in choice.measures)


@pytest.mark.parametrize(
    ("situation", "words"),
    [
        ({"goal": "sort"}, "goal is 'sort': pass one of rank, decide, probabilities, quota, screen."),
        ({"goal": "rank", "prevalence": 3}, "prevalence is 3: pass a share between 0 and 1."),
        ({"goal": "decide", "cost_fp": 1}, "cost_fp is given alone: pass both costs, on the same scale."),
        ({"goal": "decide", "cost_fp": -1, "cost_fn": 1}, "cost_fp is -1: pass a finite cost above 0."),
    ],
)
def test_a_situation_that_is_none_is_refused(situation, words):
    with pytest.raises(ParameterError, match=re.escape(words)):
        Situation(**situation)


# ---------------------------------------------------------------------- identities and odd data

TRUE = {
    "gini": lambda v: 2 * v.auc - 1,
    "pem": lambda v: 2 * v.auc - 1,
    "average_gain": lambda v: v.P * v.N / v.n * (v.auc - 1 / 2),
    "taks": lambda v: v.n / (v.n - 1) * (v.auc - 1 / 2),
    "error_rate": lambda v: 1 - v.accuracy,
    "balanced_error_rate": lambda v: 1 - v.balanced_accuracy,
    "youden_j": lambda v: 2 * v.balanced_accuracy - 1,
    "weighted_relative_accuracy": lambda v: v.P * v.N / v.n**2 * (2 * v.balanced_accuracy - 1),
    "jaccard": lambda v: v.f1 / (2 - v.f1),
    "fnr": lambda v: 1 - v.recall,
    "fpr": lambda v: 1 - v.specificity,
    "fdr": lambda v: 1 - v.precision,
    "lift": lambda v: v.precision / v.prevalence,
    "false_omission_rate": lambda v: 1 - v.npv,
    "qrecall": lambda v: v.hit_rate * v.quota / v.P,
    "enrichment": lambda v: v.hit_rate / v.prevalence,
    "average_lift": lambda v: v.mean_precision / v.prevalence,
    "rmse": lambda v: v.brier**0.5,
    "quadratic_score": lambda v: 1 - v.brier,
    "brier_skill": lambda v: 1 - v.brier / (v.prevalence * (1 - v.prevalence)),
}


class Values:
    """The values of an evaluation, the quota measures at a quota of 25."""

    quota = 25

    def __init__(self, ev):
        self.ev, self.P, self.N, self.n = ev, ev.ranking.positives, ev.ranking.negatives, ev.ranking.total

    def __getattr__(self, name):
        quota = {"quota": self.quota} if name in ("hit_rate", "qrecall", "enrichment") else {}
        return self.ev.value(name, **quota)


def test_every_identity_that_is_told_is_true():
    told = {m.name: m.equivalent.how for m in MEASURES if m.equivalent and not m.equivalent.without_ties}
    values = Values(RARE)

    assert told.keys() == TRUE.keys()
    for name, formula in TRUE.items():
        assert formula(values) == pytest.approx(getattr(values, name)), name


def test_measures_without_ties_are_one_number():
    asked = ["average_precision", "average_hit_rate"]
    without = evaluate([1, 0] * 40, np.arange(80) / 80)

    assert (
        "average_hit_rate = average_precision, as no score is shared"
        in notes_by_rule(without, measures=asked)["identity"].text
    )
    assert "identity" not in notes_by_rule(CALM, measures=asked)


def test_no_note_shows_what_is_undefined():
    fractions = evaluate([1, 0, 1, 0], [0.9, 0.6, 0.4, 0.1], [0.1, 0.2, 0.1, 0.12])  # 0.52 places

    for options in ({"measures": ["pem"]}, {"share": 0.5}):
        assert not any("nan" in note.text for note in notes_by_rule(fractions, **options).values())
    assert "hit rate" in notes_by_rule(fractions, share=0.5)["quota-known"].text


def test_grouped_cases_are_not_taken_for_independent_ones():
    labels, scores = np.tile([1, 0, 0, 0], 50), np.tile([0.9, 0.8, 0.6, 0.4], 50)

    assert "calibration" in notes_by_rule(evaluate(labels, scores))
    assert "calibration" not in notes_by_rule(evaluate(labels, scores, groups=np.arange(200) // 4))


# ---------------------------------------------------------------------- the level


def test_notes_speak_of_the_intervals_that_the_reader_sees():
    weak = model([0.9, 0.6, 0.2], [24, 20, 16], [16, 20, 24])  # an AUC of 0.589, 1.7 standard errors above a half
    limits = [weak.estimate("auc", level) for level in (0.8, 0.95)]
    assert [0.5 in found for found in limits] == [False, True]

    assert "chance" in notes_by_rule(weak)
    assert "chance" not in notes_by_rule(weak, level=0.8)
    wide = weak.estimate("auc", 0.99)
    text = notes_by_rule(weak, level=0.99)["chance"].text
    assert f"(99 % interval {wide.low:.3g} to {wide.high:.3g})" in text
    noted_at = {level: add_notes(weak, weak.summary(["auc"], level=level)).notes for level in (0.8, 0.99)}
    assert not any(note.rule == "chance" for note in noted_at[0.8])
    assert any("(99 % interval" in note.text for note in noted_at[0.99])


def test_another_cut_is_better_at_the_level_that_is_asked_for():
    ev = model([0.9, 0.4, 0.1], [75, 15, 20], [10, 9, 190])  # F1 is 0.769, and 0.822 at the cut below
    assert "threshold" in notes_by_rule(ev, level=0.5)
    assert "threshold" not in notes_by_rule(ev, level=0.95)


def test_a_lead_is_too_small_at_the_level_that_is_asked_for():
    rng = np.random.default_rng(3)
    labels = np.tile([1, 0], 200)
    good = labels + rng.normal(size=400)
    models = {"a": good, "b": good + 0.3 * rng.normal(size=400)}
    p = compare(labels, models).test("auc").p_value
    assert 0.01 < p < 0.99

    assert "too-small" not in of_models(models, labels, level=1 - p - 0.005)
    text = of_models(models, labels, level=1 - p + 0.005)["too-small"]
    assert f"({100 * (1 - p + 0.005):g} % interval" in text


# ---------------------------------------------------------------------- words of each front end


def test_a_note_that_is_made_longer_still_knows_its_arguments():
    upside_down = evaluate([1, 0, 0, 1], [0.2, 0.9, 0.3, 0.4])
    text = notes_by_rule(upside_down)["reversed"].text

    assert "It may be chance" in text
    assert "pass higher_is_positive=False." in text
    assert "pass --lower-is-positive." in name_options(text)


def test_a_note_on_one_of_several_models_still_knows_its_arguments():
    labels = np.tile([1, 0], 100)
    rng = np.random.default_rng(0)
    good = labels + rng.normal(size=200)
    [text] = [note.text for note in notes_on(compare(labels, {"a": good, "b": -good})) if note.rule == "reversed"]

    assert text.startswith("b: ")
    assert "pass --lower-is-positive." in name_options(text)


def test_a_run_without_resamples_has_no_note_that_needs_them(monkeypatch):
    rng = np.random.default_rng(0)
    labels = rng.random(800) < 0.5
    top = np.where(labels, rng.normal(size=800) * 3 + 2, rng.normal(size=800))
    middle = np.where(labels, rng.normal(size=800) * 0.5 + 1.3, rng.normal(size=800))
    models = compare(labels, {"top": top, "middle": middle})
    drawn = []
    real = type(models).regions
    monkeypatch.setattr(type(models), "regions", lambda *a, **k: drawn.append(k) or real(*a, **k))

    rules = {
        n: {note.rule for note in add_notes(models, models.summary(["auc"], resamples=n, seed=5)).notes}
        for n in (0, 60)
    }
    assert "dominance" in rules[60]
    assert "dominance" not in rules[0]
    assert drawn == [{"level": 0.95, "resamples": 60, "seed": 5}]


def test_a_brier_score_stands_beside_what_it_would_be_of_true_probabilities():
    extreme = model([0.95, 0.5, 0.05], [70, 50, 30], [30, 50, 70])
    assert " if they were true (z = " in notes_by_rule(extreme)["calibration"].text
