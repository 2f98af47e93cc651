"""Where a number comes from: the convention behind it is named first, and no certainty is claimed that is not there."""

import math
import pickle
from dataclasses import replace

import numpy as np
import pytest
from sklearn import metrics

import cutline as cl
from cutline import ParameterError, why
from cutline.ledger.cases import Material, Rows
from cutline.ledger.convention import Stage
from cutline.ledger.quantity import parse_printed, parse_quantity
from cutline.ledger.registry import CONVENTIONS, compute_under
from cutline.ledger.search import ConventionSearch, find_candidates

RNG = np.random.default_rng(19)
LABELS = RNG.random(900) < 0.12
SCORES = 1 / (1 + np.exp(-(RNG.normal(size=900) + 1.3 * LABELS - 2.3)))
OTHER = np.clip(SCORES + 0.3 * np.sin(np.arange(900)), 0, 1)
FOLDS = np.arange(900) % 5


def value_by_conventions(measure, *conventions, **more):
    material = Material.of_rows(Rows(LABELS, SCORES, **more), 0.5)
    return compute_under(material, parse_quantity(measure), [CONVENTIONS[name] for name in conventions])


def test_options_of_scikit_learn_and_statsmodels_are_explained():
    hard = (SCORES >= 0.5).astype(int)
    printed_values = {
        ("auc", "partial_0.1"): metrics.roc_auc_score(LABELS, SCORES, max_fpr=0.1),
        ("f1", "f_beta_2"): metrics.fbeta_score(LABELS, hard, beta=2),
        ("f1", "f_beta_0.5"): metrics.fbeta_score(LABELS, hard, beta=0.5),
        ("log_loss", "decisions"): metrics.log_loss(LABELS, np.column_stack((1 - hard, hard))),
        ("brier", "decisions"): metrics.zero_one_loss(LABELS, hard),
    }
    for (measure, convention), value in printed_values.items():
        answer = cl.why(LABELS, SCORES, value=f"{value:.6f}", measure=measure)
        assert answer.best.conventions == (convention,), answer

    only_one = [int((right & ~wrong).sum()) for right, wrong in _right_and_wrong()]
    answer = cl.why(LABELS, SCORES, value=min(only_one), measure="mcnemar", other=OTHER)
    assert ("mcnemar_statistic_exact",) in [explanation.conventions for explanation in answer.explanations]


def _right_and_wrong():
    first, second = ((scores >= 0.5) == LABELS for scores in (SCORES, OTHER))
    return (first, second), (second, first)


@pytest.mark.parametrize(
    ("measure", "convention"),
    [
        ("h_measure", "prior_symmetric"),
        ("h_measure", "prior_severity"),
        ("auc", "hard_labels"),
        ("auc", "wrong_column"),
        ("auc", "frequency_400"),
        ("auc", "width_10"),
        ("auc", "keras_200"),
        ("auc", "gini"),
        ("average_precision", "trapezoid"),
        ("average_precision", "davis_goadrich"),
        ("average_precision", "levels_11"),
        ("log_loss", "bits"),
        ("brier", "both_classes"),
        ("brier", "root"),
        ("f1", "macro"),
        ("precision", "weighted"),
        ("recall.low", "limit_clopper_pearson"),
        ("auc.low", "limit_hanley_mcneil"),
        ("ece", "width_15_bins"),
        ("ks", "percent"),
    ],
)
def test_the_convention_behind_a_number_of_six_digits_is_named_first(measure, convention):
    answer = cl.why(LABELS, SCORES, value=f"{value_by_conventions(measure, convention):.6f}", measure=measure)

    assert convention in answer.best.conventions
    assert answer.sentences[0].startswith(f"{value_by_conventions(measure, convention):.6f} is what you get for ")
    assert CONVENTIONS[convention].words in answer.sentences[0]


def test_a_mean_over_folds_is_told_from_the_pooled_value():
    value = value_by_conventions("auc", "mean_of_groups", groups=FOLDS)

    answer = cl.why(LABELS, SCORES, value=f"{value:.6f}", measure="auc", groups=FOLDS)

    assert answer.best.conventions == ("mean_of_groups",)


@pytest.mark.parametrize("variant", ["exact", "asymptotic", "corrected"])
def test_the_variants_of_mcnemars_test_are_told_apart(variant):
    value = value_by_conventions("mcnemar", f"mcnemar_{variant}", other=OTHER)

    answer = cl.why(LABELS, SCORES, value=f"{value:.6g}", measure="mcnemar", other=OTHER)

    assert answer.best.conventions == (f"mcnemar_{variant}",)
    assert answer.exact == pytest.approx(cl.compare(LABELS, {"a": SCORES, "b": OTHER}).test("accuracy").p_value)


def test_two_conventions_at_once_are_found():
    value = value_by_conventions("log_loss", "digits_2", "bits")

    answer = cl.why(LABELS, SCORES, value=f"{value:.8f}", measure="log_loss")

    assert set(answer.best.conventions) == {"digits_2", "bits"}


def test_the_exact_value_needs_no_convention():
    answer = cl.why(LABELS, SCORES, value=f"{value_by_conventions('auc'):.5f}", measure="auc")

    assert answer.best.conventions == ()
    assert "no convention is needed" in answer.sentences[0]


def test_bins_on_rare_events_are_named():
    labels = np.arange(4000) % 100 == 0
    scores = np.where(labels, 0.03, 0.02) + np.linspace(-0.015, 0.015, 4000)[np.argsort(np.sin(np.arange(4000)))]
    exact = cl.auc(labels, scores)
    binned = cl.auc(labels, np.floor(scores * 100 + 1e-12))

    answer = cl.why(labels, scores, value=f"{binned:.6f}", measure="auc")

    assert abs(exact - binned) > 0.001
    assert "width_100" in answer.best.conventions


def test_a_measure_is_found_without_its_name():
    answer = cl.why(LABELS, SCORES, value=f"{value_by_conventions('brier', 'both_classes'):.7f}")

    assert (answer.best.measure, answer.best.conventions) == ("brier", ("both_classes",))
    assert answer.measure is None


def test_few_digits_are_weak_evidence_and_said_to_be():
    answer = cl.why(LABELS, SCORES, value="0.8", measure="auc")

    assert len(answer.explanations) > 1
    assert not answer.is_certain
    assert "does not tell which" in str(answer)
    assert math.isclose(sum(one.share for one in answer.explanations), 1)


def test_nothing_is_claimed_where_nothing_fits():
    answer = cl.why(LABELS, SCORES, value="0.3333333", measure="auc")

    assert answer.best is None
    assert str(answer).startswith("No known convention gives 0.3333333 for auc;")
    assert "The nearest is " in str(answer)
    assert not answer.is_certain


def test_a_number_per_100_and_a_count_of_cases_are_searched_like_others():
    # 88.12 % of 900 cases is no number that a convention gives; 100 times the AUC and the number of hits are.
    nothing = cl.why(LABELS, SCORES, value="88.1217", measure="auc")
    percent = cl.why(LABELS, SCORES, value=f"{100 * cl.auc(LABELS, SCORES):.3f}", measure="auc")
    hits = round(900 * cl.accuracy(LABELS, SCORES))
    count = cl.why(LABELS, SCORES, value=str(hits), measure="accuracy")

    assert str(nothing).startswith("No known convention gives 88.1217 for auc;")
    assert [one.words for one in percent.explanations] == ["as a percentage"]
    assert count.best.words == "as a sum over the cases instead of their mean"


def test_certainty_needs_a_single_explanation_and_no_accident():
    sure = cl.why(LABELS, SCORES, value=f"{value_by_conventions('auc', 'hard_labels'):.6f}", measure="auc")

    assert sure.is_certain
    assert len(sure.explanations) == 1
    assert f"the only one of {sure.tried:,} conventions" in str(sure)


def test_digits_say_how_far_rounding_reaches():
    assert parse_printed("0.8730").reach == 5e-05
    assert parse_printed(0.873).reach == 5e-04
    assert parse_printed(0.873, digits=4).reach == 5e-05
    assert parse_printed("87.3%").value == pytest.approx(0.873)
    assert parse_printed("87.3%").reach == 5e-04
    assert parse_printed("1.2e-3").reach == pytest.approx(5e-05)
    assert parse_printed("0.8731").fits(0.87305)
    assert not parse_printed("0.8731").fits(0.87316)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"value": "x", "measure": "auc"}, "value is 'x': pass the number that was printed, such as 0.8731."),
        ({"value": "", "measure": "auc"}, "value is '': pass the number that was printed"),
        ({"value": None, "measure": "auc"}, "value is None: pass the number that was printed"),
        ({"value": math.nan}, "value is nan: pass the number that was printed"),
        ({"value": "170.5", "measure": "auc"}, "value is 170.5, but auc runs from 0 to 1, and no convention"),
        ({"value": "0.5", "measure": "acu"}, "There is no measure 'acu'.* Did you mean auc?"),
        ({"value": "0.5", "measure": "hit_rate.low"}, "The ledger has no intervals of hit_rate"),
        ({"value": "0.5", "measure": "mcc.se"}, "The ledger has no standard error of mcc"),
        (
            {"value": "0.5", "measure": "brier", "training_prevalence": 1},
            "training_prevalence is 1: pass a share between",
        ),
        ({"value": "0.5", "measure": "mcnemar"}, "mcnemar compares two models: pass the scores of the second one"),
        ({"value": "0.5", "measure": "auc", "other": [1.0]}, "other has 1 value but labels has 900"),
        ({"value": "0.5", "digits": -1}, "digits is -1: pass a whole number of at least 0"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(arguments, words):
    with pytest.raises(cl.CutlineError, match=words.replace("?", r"\?")) as refused:
        cl.why(LABELS, SCORES, **arguments)
    assert "\n" not in str(refused.value)


def test_labels_of_one_class_are_refused():
    with pytest.raises(cl.InputError, match="labels are all of one class"):
        cl.why([1, 1], [0.1, 0.2], value="0.5", measure="auc")


def test_an_answer_is_plain_data_too():
    answer = cl.why(LABELS, SCORES, value=f"{value_by_conventions('auc', 'gini'):.6f}", measure="auc")
    document = answer.to_dict()

    assert document["schema"] == "cutline/why/1"
    assert document["explanations"][0]["sides"] == ["gini"]
    assert document["certain"] is answer.is_certain
    assert "<p>" in answer._repr_html_()


def test_the_exact_value_is_not_the_only_explanation_where_another_rounds_to_it():
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 2, 400)
    scores, weights = rng.normal(size=400) + labels, 1 + 1e-4 * rng.random(400)
    exact, plain = cl.auc(labels, scores, weights), cl.auc(labels, scores)
    assert exact != plain
    assert round(exact, 3) == round(plain, 3)

    answer = cl.why(labels, scores, weights, measure="auc", value=f"{exact:.3f}")

    assert answer.best.conventions == ()
    assert "unweighted" in {convention for one in answer.explanations for convention in one.conventions}
    assert not answer.is_certain


def test_the_exact_value_comes_first_however_few_the_digits():
    answer = cl.why(LABELS, SCORES, value="1", measure="auc")

    assert answer.best.conventions == ()
    assert not answer.is_certain


def test_a_number_outside_the_range_is_refused_without_trying_what_cannot_leave_it():
    material = Material.of_rows(Rows(LABELS, SCORES), 0.5)
    pairs = list(find_candidates(ConventionSearch(material), parse_quantity("auc"), pairs=True, outside=True))

    assert {convention.name for one in pairs for convention in one.conventions} >= {"percent", "digits_2"}
    assert not any(one.conventions[0].stage is one.conventions[1].stage is Stage.CASES for one in pairs)
    # A few percent are still found where they are those of the other column.
    scores = np.random.default_rng(2).normal(size=900) + 3 * LABELS
    small = 100 * (1 - cl.auc(LABELS, scores))
    assert 1 < small < 5
    answer = cl.why(LABELS, scores, value=f"{small:.6f}", measure="auc")
    assert set(answer.best.conventions) == {"wrong_column", "percent"}


def test_refusals_come_before_the_cases_are_read():
    class Unread:
        def __len__(self):
            raise AssertionError("read")

        def __array__(self, *_, **__):
            raise AssertionError("read")

    for wrong in ({"value": "x"}, {"value": "0.5", "measure": "acu"}, {"value": "700", "measure": "auc"},
                  {"value": "0.5", "threshold": "x"}, {"value": "0.5", "training_prevalence": 2},
                  {"value": "0.5", "measure": "delong"}):  # fmt: skip
        with pytest.raises(cl.CutlineError):
            cl.why(Unread(), Unread(), **wrong)


def test_a_limit_of_a_bootstrap_is_met_and_no_certainty_claimed():
    estimate = cl.evaluate(LABELS, SCORES).estimate("auc", method="bootstrap", resamples=1000, seed=7)

    answer = cl.why(LABELS, SCORES, value=f"{estimate.low:.4f}", measure="auc.low")

    assert any(name.startswith("bootstrap_") for one in answer.explanations for name in one.conventions)
    assert not answer.is_certain
    if answer.best.spread:
        assert "may be auc.low by" in answer.sentences[0]
        assert "Another seed gives another number" in str(answer)


def test_a_convention_that_gives_all_digits_comes_before_what_is_drawn_at_random():
    answer = cl.why(
        LABELS, SCORES, value=f"{value_by_conventions('auc.low', 'limit_delong_by_n'):.7f}", measure="auc.low"
    )

    assert [one.conventions for one in answer.explanations] == [("limit_delong_by_n",)]
    assert answer.is_certain


def test_skill_against_the_training_data_needs_its_prevalence():
    reference = np.mean((LABELS - 0.3) ** 2)
    value = f"{1 - cl.brier(LABELS, SCORES) / reference:.6f}"

    without, given = (cl.why(LABELS, SCORES, value=value, measure="brier", training_prevalence=p) for p in (None, 0.3))

    assert ("skill_training",) not in [one.conventions for one in without.explanations]
    assert given.best.conventions == ("skill_training",)
    assert "pass training_prevalence=" in str(cl.why(LABELS, SCORES, value="0.7654321", measure="brier"))


def test_limits_that_need_no_cutting_are_one_explanation_not_two():
    answer = cl.why(
        LABELS, SCORES, value=f"{value_by_conventions('recall.low', 'limit_wald'):.7f}", measure="recall.low"
    )

    assert [one.conventions for one in answer.explanations] == [("limit_wald",)]


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["accuracy", "recall", "precision", "f1"])
def test_a_number_of_few_cases_from_elsewhere_is_not_explained_with_certainty(measure):
    # Counts move in steps of a case: six digits of a share of 60 cases tell no more than two.
    rng = np.random.default_rng(60)
    for _ in range(8):
        labels = rng.random(60) < 0.4
        logit = rng.normal(size=60) + 1.2 * labels
        scores, others = (np.round(1 / (1 + np.exp(-z)), 2) for z in (logit, logit + 0.25 * rng.normal(size=60)))
        printed = f"{cl.evaluate(labels, others).value(measure):.6f}"
        if printed != f"{cl.evaluate(labels, scores).value(measure):.6f}":
            assert not cl.why(labels, scores, measure=measure, value=printed).is_certain


def test_bins_that_hold_their_lower_border_are_known():
    rng = np.random.default_rng(5)
    labels = rng.random(300) < 0.4
    scores = np.round(1 / (1 + np.exp(-rng.normal(size=300) - labels)), 2)
    number = np.minimum((scores * 10).astype(int), 9)
    inside = [number == i for i in range(10)]
    printed = f"{sum(abs(labels[one].sum() - scores[one].sum()) for one in inside) / 300:.6f}"

    assert cl.why(labels, scores, measure="ece", value=printed).best.conventions == ("lower_10_bins",)


def test_a_number_without_decimals_does_not_pass_for_the_value():
    rng = np.random.default_rng(1)
    labels = rng.random(300) < 0.4

    told = cl.why(labels, rng.normal(size=300) + labels, measure="auc", value="1")

    assert f"{told.exact:.6g}" in told.sentences[0]


def test_groups_without_a_name_are_refused():
    with pytest.raises(cl.InputError, match="groups holds 1 missing value"):
        cl.why([1, 0, 1, 0], [0.9, 0.8, 0.3, 0.1], measure="auc", value=0.75, groups=["a", None, "b", "b"])


def test_numbers_of_scores_next_to_infinity_are_searched_without_a_warning():
    told = cl.why([1, 0, 1, 0], [1.7e308, -1.7e308, 1.6e308, 1.5e308], measure="auc", value="0.9")

    assert told.exact == 1


def test_an_answer_without_a_measure_equals_its_copy():
    told = cl.why([1, 0, 1, 0], [0.9, 0.8, 0.3, 0.1], value="0.123456789")

    assert math.isnan(told.exact)
    assert pickle.loads(pickle.dumps(told)) == told  # noqa: S301


def random_predictions(n=400, seed=4):
    rng = np.random.default_rng(seed)
    labels = (rng.random(n) < 0.3).astype(int)
    return labels, np.round(1 / (1 + np.exp(-(rng.normal(size=n) + 1.5 * labels - 1))), 3)


def test_the_cut_of_the_measure_is_the_cut_of_the_conventions():
    labels, scores = random_predictions()
    strict = metrics.f1_score(labels, scores > 0.3)
    assert strict != metrics.f1_score(labels, scores >= 0.3)

    named = why(labels, scores, measure="f1@threshold=0.3", value=f"{strict:.6f}")
    given = why(labels, scores, measure="f1", threshold=0.3, value=f"{strict:.6f}")
    assert named.to_dict() == given.to_dict()
    assert "strict" in named.best.conventions
    with pytest.raises(ParameterError, match="pass one of them"):
        why(labels, scores, measure="f1@threshold=0.3", threshold=0.4, value="0.5")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("measure", "made_up"),
    [("accuracy", "0.6333"), ("accuracy", "31.7"), ("accuracy", "63.3"), ("accuracy", "78.3"), ("recall", "0.5263")],
)
def test_a_made_up_share_of_few_cases_is_not_the_only_one_that_fits(measure, made_up):
    assert not why(*few_cases(60), measure=measure, value=made_up).is_certain


def test_the_exact_share_of_few_cases_is_the_only_one_that_fits_also_in_per_cent():
    assert [why(*few_cases(60), measure="accuracy", value=text).is_certain for text in ("0.8333", "83.3")] == [True] * 2


def few_cases(count):
    random = np.random.default_rng(1)
    labels = (random.random(400) < 0.35).astype(int)
    scores = 1 / (1 + np.exp(-(random.normal(size=400) + 1.4 * labels - 0.8)))
    return labels[:count], scores[:count]


@pytest.mark.parametrize("made_up", ["0.3000", "0.4000", "0.6000"])
def test_a_made_up_value_of_a_small_quota_is_not_the_only_one_that_fits(made_up):
    labels, scores = random_predictions()

    assert not why(labels, np.round(scores, 1), measure="hit_rate@quota=10", value=made_up).is_certain


def test_a_sum_above_100_and_a_net_benefit_per_100_are_explained():
    labels, scores = random_predictions(1500)
    total = float(((labels - scores) ** 2).sum())
    assert total > 100

    assert why(labels, scores, measure="brier", value=f"{total:.4f}").best.conventions == ("sum",)
    benefit = 100 * cl.evaluate(labels, scores, threshold=0.2).net_benefit
    answer = why(labels, scores, measure="net_benefit", threshold=0.2, value=f"{benefit:.4f}")
    assert answer.best.conventions == ("percent",)


def test_logits_explain_the_f1_of_torchmetrics_without_a_threshold():
    labels, scores = random_predictions()
    logits = np.log(scores / (1 - scores))
    expected = metrics.f1_score(labels, logits > 0)
    answer = why(labels, logits, measure="f1", value=f"{expected:.6f}")

    assert any("torchmetrics" in tool for one in answer.explanations for tool in one.tools)


def test_accidents_are_counted_without_an_exponent():
    weak = replace(
        cl.why(LABELS, SCORES, value=f"{value_by_conventions('auc', 'hard_labels'):.6f}", measure="auc"),
        by_accident=12.3,
    )
    assert "about 10 would fit by accident" in str(weak)


def test_tools_that_print_the_exact_value_on_these_cases_are_named():
    answer = cl.why([1, 0, 1, 0], [0.9, 0.6, 0.3, 0.2], value=0.5, measure="recall")
    assert answer.best.conventions == ()
    assert "torchmetrics's binary_recall" in answer.best.tools  # no score is 0.5, so that > and >= are one
