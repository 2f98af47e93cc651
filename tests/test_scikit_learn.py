"""The answers of scikit-learn, for everything that both have: with ties, with weights, with few positives.

Where the two differ by convention, the last section says what cutline does, and a comment what scikit-learn does.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import sklearn.metrics as sk
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression

import cutline
from cutline import MEASURES, Counts, rank
from grouping import each_case


def approximately(expected):
    """The value up to the last digits of a float."""
    return pytest.approx(expected, rel=1e-11, abs=1e-13)


# ---------------------------------------------------------------------- data


@dataclass(frozen=True)
class Data:
    """Labels, probabilities with many ties (or none), and weights."""

    labels: Any
    scores: Any
    weights: Any

    @property
    def all(self):
        return self.labels, self.scores, self.weights

    def some_thresholds(self, how_many=3):
        """Some of the scores, from end to end: at each, somebody is flagged and somebody is not."""
        counted = np.ones(len(self.scores), dtype=bool) if self.weights is None else self.weights > 0
        distinct = np.unique(self.scores[counted])[1:]
        return distinct[np.unique(np.linspace(0, len(distinct) - 1, how_many).astype(int))]


def make(seed, n, share, decimals, weights):
    """Predictions that are somewhat right. Whole weights may be zero, but leave a case of each class."""
    rng = np.random.default_rng(seed)
    labels = np.zeros(n, dtype=int)
    labels[: max(1, round(share * n))] = 1
    rng.shuffle(labels)
    scores = 1 / (1 + np.exp(-rng.normal(1.5 * labels - 0.5)))
    if decimals is not None:
        scores = scores.round(decimals)
    if weights == "whole":
        weight = rng.integers(0, 5, n)
        weight[[labels.argmax(), labels.argmin(), scores.argmax(), scores.argmin()]] = 3
    elif weights == "fractional":
        weight = rng.lognormal(sigma=1.0, size=n)
    else:
        weight = None
    return Data(labels, scores, weight)


DATA = {
    f"n={n}, {share:.0%} positive, {ties}, {weights}": make(seed, n, share, decimals, weights)
    for seed, (n, share, decimals, ties, weights) in enumerate(
        (n, share, decimals, ties, weights)
        for n, share in ((5, 0.4), (12, 0.5), (60, 0.3), (400, 0.02), (3000, 0.5), (3000, 0.02))
        for decimals, ties in ((1, "heavy ties"), (2, "ties"), (None, "no ties"))
        for weights in ("unweighted", "whole", "fractional")
        if n != 12 or decimals == 1
    )
}

each_data = each_case("data", DATA)


def test_the_data_hold_what_they_are_for():
    assert any(len(np.unique(d.scores)) < len(d.scores) / 100 for d in DATA.values())
    assert any(len(np.unique(d.scores)) == len(d.scores) for d in DATA.values())
    assert any(d.weights is not None and (d.weights == 0).any() for d in DATA.values())
    assert all(0 < d.labels.mean() < 1 and len(d.some_thresholds()) for d in DATA.values())


# ---------------------------------------------------------------------- one cut


def entropy_removed(y, hat, w):
    """By how much the log loss of the prevalence shrinks when each side of the cut may have its own prevalence."""
    w = np.ones(len(y)) if w is None else w
    overall, of_side = (
        sum((y * w * side).sum() / (w * side).sum() * side for side in sides) for sides in ([y >= 0], [hat, ~hat])
    )
    return sk.log_loss(y, overall, sample_weight=w) - sk.log_loss(y, of_side, sample_weight=w)


AT_A_CUT = {
    "accuracy": lambda y, hat, w: sk.accuracy_score(y, hat, sample_weight=w),
    "error_rate": lambda y, hat, w: sk.zero_one_loss(y, hat, sample_weight=w),
    "recall": lambda y, hat, w: sk.recall_score(y, hat, sample_weight=w),
    "specificity": lambda y, hat, w: sk.recall_score(y, hat, pos_label=0, sample_weight=w),
    "fpr": lambda y, hat, w: 1 - sk.recall_score(y, hat, pos_label=0, sample_weight=w),
    "fnr": lambda y, hat, w: 1 - sk.recall_score(y, hat, sample_weight=w),
    "precision": lambda y, hat, w: sk.precision_score(y, hat, sample_weight=w),
    "npv": lambda y, hat, w: sk.precision_score(y, hat, pos_label=0, sample_weight=w),
    "fdr": lambda y, hat, w: 1 - sk.precision_score(y, hat, sample_weight=w),
    "false_omission_rate": lambda y, hat, w: 1 - sk.precision_score(y, hat, pos_label=0, sample_weight=w),
    "balanced_accuracy": lambda y, hat, w: sk.balanced_accuracy_score(y, hat, sample_weight=w),
    "balanced_error_rate": lambda y, hat, w: 1 - sk.recall_score(y, hat, average="macro", sample_weight=w),
    "youden_j": lambda y, hat, w: sk.balanced_accuracy_score(y, hat, sample_weight=w, adjusted=True),
    "markedness": lambda y, hat, w: 2 * sk.precision_score(y, hat, average="macro", sample_weight=w) - 1,
    "f1": lambda y, hat, w: sk.f1_score(y, hat, sample_weight=w),
    "jaccard": lambda y, hat, w: sk.jaccard_score(y, hat, sample_weight=w),
    "mcc": lambda y, hat, w: sk.matthews_corrcoef(y, hat, sample_weight=w),
    "kappa": lambda y, hat, w: sk.cohen_kappa_score(y, hat, sample_weight=w),
    "mutual_information": entropy_removed,
}


@pytest.mark.parametrize("name", AT_A_CUT)
@each_data
def test_a_measure_of_one_cut_agrees_with_scikit_learn(name, data):
    y, s, w = data.all
    for threshold in data.some_thresholds():
        expected = AT_A_CUT[name](y, s >= threshold, w)

        assert MEASURES[name](y, s, w, threshold=threshold) == approximately(expected)


@pytest.mark.parametrize("beta", [0.1, 0.5, 1, 2, 10])
@each_data
def test_f_beta_agrees_with_scikit_learn(beta, data):
    y, s, w = data.all
    for threshold in data.some_thresholds():
        expected = sk.fbeta_score(y, s >= threshold, beta=beta, sample_weight=w)

        assert cutline.f_beta(y, s, w, threshold=threshold, beta=beta) == approximately(expected)
        assert cutline.f_alpha(y, s, w, threshold=threshold, alpha=1 / (1 + beta**2)) == approximately(expected)


@each_case("data", {name: data for name, data in DATA.items() if len(data.labels) > 50})
def test_the_likelihood_ratios_are_those_of_scikit_learn(data):
    y, s, w = data.all
    tables = {t: rank(y, s, w).at_threshold(t) for t in data.some_thresholds(20)}
    full = {t: c for t, c in tables.items() if min(c.tp, c.fp, c.fn, c.tn) > 0}
    assert full  # at the others scikit-learn warns: see the last section
    for threshold, table in full.items():
        plus, minus = sk.class_likelihood_ratios(y, s >= threshold, sample_weight=w)

        assert table.lr_plus == approximately(plus)
        assert table.lr_minus == approximately(minus)
        assert table.diagnostic_odds_ratio == approximately(plus / minus)


@each_data
def test_mutual_information_of_unweighted_predictions_agrees_with_scikit_learn_in_nats(data):
    y, s, _ = data.all
    for threshold in np.unique(s)[[0, 1, -1]]:
        expected = sk.mutual_info_score(y, s >= threshold)

        assert cutline.mutual_information(y, s, threshold=threshold) == approximately(expected)
        assert cutline.mutual_information(y, s, threshold=threshold, base=2) == approximately(expected / math.log(2))


@each_data
def test_mutual_information_of_whole_weights_agrees_with_the_table_in_scikit_learn(data):
    y, s, w = data.all
    w = None if w is None else np.ceil(w).astype(int)  # scikit-learn cuts the decimals off the counts of a table
    for threshold in data.some_thresholds():
        table = sk.confusion_matrix(y, s >= threshold, sample_weight=w)

        assert cutline.mutual_information(y, s, w, threshold=threshold) == approximately(
            sk.mutual_info_score(None, None, contingency=table)
        )


@each_data
def test_the_expected_cost_is_the_zero_one_loss_with_the_cases_weighted_by_their_cost(data):
    y, s, w = data.all
    case = np.ones(len(y)) if w is None else w
    for threshold in data.some_thresholds():
        cost = case * np.where(y == 1, 7.5, 2.0)
        expected = sk.zero_one_loss(y, s >= threshold, normalize=False, sample_weight=cost) / case.sum()

        assert cutline.expected_cost(y, s, w, threshold=threshold, cost_fp=2, cost_fn=7.5) == approximately(expected)


# ---------------------------------------------------------------------- all cuts


@each_data
def test_the_counts_of_every_cut_are_the_confusion_matrix_at_its_threshold(data):
    y, s, w = data.all
    cuts = rank(y, s, w).counts
    some = np.unique(np.linspace(0, len(cuts.threshold) - 1, 40).astype(int))
    for cut in some:
        tn, fp, fn, tp = sk.confusion_matrix(y, s >= cuts.threshold[cut], labels=[0, 1], sample_weight=w).ravel()

        assert [cuts.tp[cut], cuts.fp[cut], cuts.fn[cut], cuts.tn[cut]] == approximately([tp, fp, fn, tn])


@each_data
def test_the_cuts_are_the_points_and_thresholds_of_the_roc_curve(data):
    y, s, w = data.all
    fpr, tpr, thresholds = sk.roc_curve(y, s, sample_weight=w, drop_intermediate=False)
    cuts = rank(y, s, w).counts

    np.testing.assert_array_equal(cuts.threshold, thresholds)
    np.testing.assert_allclose(cuts.fpr, fpr, rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(cuts.recall, tpr, rtol=1e-11, atol=1e-13)


@each_data
def test_the_cuts_are_the_points_and_thresholds_of_the_precision_recall_curve(data):
    y, s, w = data.all
    precision, recall, thresholds = sk.precision_recall_curve(y, s, sample_weight=w)
    cuts = rank(y, s, w).counts

    # scikit-learn runs from the lowest threshold up, and ends at precision 1 where nobody is flagged.
    np.testing.assert_array_equal(cuts.threshold[:0:-1], thresholds)
    np.testing.assert_allclose(cuts.precision[:0:-1], precision[:-1], rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(cuts.recall[::-1], recall, rtol=1e-11, atol=1e-13)
    assert precision[-1] == 1
    assert math.isnan(cuts.precision[0])


@each_data
def test_the_cuts_are_the_points_of_the_detection_error_tradeoff(data):
    y, s, w = data.all
    fpr, fnr, thresholds = sk.det_curve(y, s, sample_weight=w)
    cuts = rank(y, s, w).counts
    # scikit-learn runs from the lowest threshold up, and leaves out the flat ends of the curve.
    kept = np.isin(cuts.threshold, thresholds)

    np.testing.assert_array_equal(cuts.threshold[kept][::-1], thresholds)
    np.testing.assert_allclose(cuts.fpr[kept][::-1], fpr, rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(cuts.fnr[kept][::-1], fnr, rtol=1e-11, atol=1e-13)


@pytest.mark.skipif(not hasattr(sk, "confusion_matrix_at_thresholds"), reason="needs a newer scikit-learn")
@each_data
def test_all_counts_are_those_of_scikit_learn_at_its_thresholds(data):
    y, s, w = data.all
    tns, fps, fns, tps, thresholds = sk.confusion_matrix_at_thresholds(y, s, sample_weight=w)
    cuts = rank(y, s, w).counts

    np.testing.assert_array_equal(cuts.threshold[1:], thresholds)
    for found, expected in ((cuts.tp, tps), (cuts.fp, fps), (cuts.fn, fns), (cuts.tn, tns)):
        np.testing.assert_allclose(found[1:], expected, rtol=1e-11, atol=1e-10)


# ---------------------------------------------------------------------- the order of the scores

OF_THE_ORDER = {
    "auc": lambda y, s, w: sk.roc_auc_score(y, s, sample_weight=w),
    "gini": lambda y, s, w: 2 * sk.roc_auc_score(y, s, sample_weight=w) - 1,
    "average_precision": lambda y, s, w: sk.average_precision_score(y, s, sample_weight=w),
    "mean_average_precision": lambda y, s, w: (
        (sk.average_precision_score(y, s, sample_weight=w) + sk.average_precision_score(1 - y, -s, sample_weight=w)) / 2
    ),
    "ks": lambda y, s, w: np.abs(np.subtract(*sk.roc_curve(y, s, sample_weight=w)[:2])).max(),
    "auch": lambda y, s, w: sk.roc_auc_score(
        y, IsotonicRegression().fit(s, y, sample_weight=w).predict(s).round(12), sample_weight=w
    ),
    "aucpr_minmax": lambda y, s, w: trapezoids_from_zero(*sk.precision_recall_curve(y, s, sample_weight=w)),
}


def trapezoids_from_zero(precision, recall, _):
    """The area under scikit-learn's points, but from precision 0 where nobody is flagged, as Berrar has it."""
    return -np.trapezoid(np.append(precision[:-1], 0), recall)


@pytest.mark.parametrize("name", OF_THE_ORDER)
@each_data
def test_a_measure_of_the_order_agrees_with_scikit_learn(name, data):
    assert MEASURES[name](*data.all) == approximately(OF_THE_ORDER[name](*data.all))


@pytest.mark.parametrize("max_fpr", [0.01, 0.1, 0.3, 0.75, 1.0])
@each_data
def test_the_partial_area_agrees_with_scikit_learn(max_fpr, data):
    y, s, w = data.all

    assert cutline.partial_auc(y, s, w, max_fpr=max_fpr) == approximately(
        sk.roc_auc_score(y, s, sample_weight=w, max_fpr=max_fpr)
    )


@each_data
def test_low_scores_that_mean_positive_are_negated_scores(data):
    y, s, w = data.all
    ranking = rank(y, s, w, higher_is_positive=False)

    assert cutline.auc(ranking) == approximately(sk.roc_auc_score(y, -s, sample_weight=w))
    assert cutline.average_precision(ranking) == approximately(sk.average_precision_score(y, -s, sample_weight=w))
    assert cutline.accuracy(ranking, threshold=0.5) == approximately(sk.accuracy_score(y, s <= 0.5, sample_weight=w))


@st.composite
def small_data(draw):
    """A few cases of both classes, scores that nearly all tie, and weights of every kind."""
    weight = st.integers(1, 9) | st.floats(0.01, 100)
    rows = [(1, draw(st.integers(-3, 3)), draw(weight)), (0, draw(st.integers(-3, 3)), draw(weight))]
    rows += draw(st.lists(st.tuples(st.integers(0, 1), st.integers(-3, 3), weight), max_size=25))
    return tuple(np.array(column) for column in zip(*draw(st.permutations(rows)), strict=True))


@settings(max_examples=150, deadline=None)
@given(data=small_data(), max_fpr=st.floats(0.01, 1))
def test_any_few_tied_and_weighted_cases_have_the_areas_of_scikit_learn(data, max_fpr):
    y, s, w = data
    ranking = rank(*data)

    assert cutline.auc(ranking) == approximately(sk.roc_auc_score(y, s, sample_weight=w))
    assert cutline.average_precision(ranking) == approximately(sk.average_precision_score(y, s, sample_weight=w))
    assert cutline.partial_auc(ranking, max_fpr=max_fpr) == pytest.approx(
        sk.roc_auc_score(y, s, sample_weight=w, max_fpr=max_fpr), rel=1e-9, abs=1e-12
    )


# ---------------------------------------------------------------------- the scores as probabilities, or as margins

OF_THE_PROBABILITIES = {
    "brier": lambda y, p, w: sk.brier_score_loss(y, p, sample_weight=w),
    "mse": lambda y, p, w: sk.mean_squared_error(y, p, sample_weight=w),
    "rmse": lambda y, p, w: sk.root_mean_squared_error(y, p, sample_weight=w),
    "mae": lambda y, p, w: sk.mean_absolute_error(y, p, sample_weight=w),
    "brier_skill": lambda y, p, w: sk.r2_score(y, p, sample_weight=w),
    "quadratic_score": lambda y, p, w: 1 - sk.brier_score_loss(y, p, sample_weight=w),
    "log_loss": lambda y, p, w: sk.log_loss(y, p, sample_weight=w),
}


@pytest.mark.parametrize("name", OF_THE_PROBABILITIES)
@each_data
def test_a_measure_of_the_probabilities_agrees_with_scikit_learn(name, data):
    assert MEASURES[name](*data.all) == approximately(OF_THE_PROBABILITIES[name](*data.all))


@pytest.mark.skipif(not hasattr(sk, "d2_brier_score"), reason="needs a newer scikit-learn")
@each_data
def test_the_brier_skill_is_the_d2_score_of_scikit_learn(data):
    y, p, w = data.all

    assert cutline.brier_skill(y, p, w) == approximately(sk.d2_brier_score(y, p, sample_weight=w))


@each_data
def test_the_log_loss_over_that_of_the_prevalence_is_the_d2_score_of_scikit_learn(data):
    y, p, w = data.all
    prevalence = np.full(len(y), np.average(y, weights=w))
    skill = 1 - cutline.log_loss(y, p, w) / cutline.log_loss(y, prevalence, w)

    assert skill == approximately(sk.d2_log_loss_score(y, p, sample_weight=w))


def floored_log_loss(y, p, w, eps):
    """The log loss with a least probability for the true class; a certain and right prediction costs nothing."""
    right = np.maximum(np.where(y == 1, p, 1 - p), eps)[:, None]
    return sk.log_loss(y, np.where(y[:, None] == [0, 1], right, 1 - right), sample_weight=w)


@pytest.mark.parametrize("eps", [1e-12, 1e-5, 0.2])
@each_data
def test_the_log_loss_with_eps_equals_the_one_of_clipped_probabilities(eps, data):
    y, p, w = data.all
    certain = np.where(p > 0.6, 1.0, np.where(p < 0.2, 0.0, p))

    assert cutline.log_loss(y, certain, w, eps=eps) == approximately(floored_log_loss(y, certain, w, eps))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@each_data
def test_certain_probabilities_are_clipped_by_the_epsilon_of_their_type_as_scikit_learn_does(dtype, data):
    y, p, w = data.all
    certain = p.round().astype(dtype)
    certain[[y.argmax(), y.argmin()]] = [0, 1]  # both certain, and wrong
    expected = sk.log_loss(y, certain, sample_weight=w)

    assert cutline.log_loss(y, certain, w) == pytest.approx(expected, rel=1e-6 if dtype is np.float32 else 1e-12)
    assert expected > 0


@pytest.mark.parametrize("name", ["brier", "mae", "log_loss", "auc", "average_precision"])
@each_data
def test_scores_of_single_precision_are_no_worse_for_it(name, data):
    y, p, w = data.all
    narrow = p.astype(np.float32)
    wide = narrow.astype(float)
    if name == "log_loss":  # where p is 0 or 1, the type decides the loss
        expected = floored_log_loss(y, wide, w, np.finfo(np.float32).eps)
    else:
        expected = (OF_THE_ORDER | OF_THE_PROBABILITIES)[name](y, wide, w)

    assert MEASURES[name](y, narrow, w) == approximately(expected)


@each_data
def test_the_hinge_loss_agrees_with_scikit_learn(data):
    y, p, w = data.all
    margins = (8 * p - 4).round(2)
    expected = sk.hinge_loss(y, margins, sample_weight=w)

    assert cutline.hinge_loss(y, margins, w) == approximately(expected)
    assert cutline.hinge_loss(2 * y - 1, margins, w) == approximately(expected)
    assert np.average(cutline.losses.hinge(y, margins).value, weights=w) == approximately(expected)


@each_data
def test_the_logistic_loss_of_the_margins_is_the_log_loss_of_the_probabilities(data):
    y, p, w = data.all
    margins = 8 * p - 4
    expected = sk.log_loss(y, 1 / (1 + np.exp(-margins)), sample_weight=w)

    assert np.average(cutline.losses.logistic(y, margins).value, weights=w) == approximately(expected)


# ---------------------------------------------------------------------- labels


def test_labels_of_text_are_read_as_scikit_learn_reads_them():
    data = DATA["n=60, 30% positive, ties, whole"]
    words = np.where(data.labels == 1, "ill", "well")
    hat = np.where(data.scores >= 0.5, "ill", "well")
    ev = cutline.evaluate(words, data.scores, data.weights, positive="ill")

    assert ev.f1 == approximately(sk.f1_score(words, hat, pos_label="ill", sample_weight=data.weights))
    assert ev.precision == approximately(sk.precision_score(words, hat, pos_label="ill", sample_weight=data.weights))
    assert ev.brier == approximately(
        sk.brier_score_loss(words, data.scores, pos_label="ill", sample_weight=data.weights)
    )
    assert ev.average_precision == approximately(
        sk.average_precision_score(words, data.scores, pos_label="ill", sample_weight=data.weights)
    )


# ---------------------------------------------------------------------- where the conventions differ


@pytest.mark.parametrize(
    ("name", "table"),
    [
        pytest.param("precision", Counts(0, 0, 2, 3), id="precision, nobody flagged"),  # 0 with a warning
        pytest.param("npv", Counts(2, 3, 0, 0), id="npv, everybody flagged"),  # 0 with a warning
        pytest.param("recall", Counts(0, 2, 0, 3), id="recall, no positive"),  # 0 with a warning
        pytest.param("specificity", Counts(2, 0, 3, 0), id="specificity, no negative"),  # 0 with a warning
        pytest.param("f1", Counts(0, 0, 0, 3), id="f1, neither positive nor flagged"),  # 0 with a warning
        pytest.param("jaccard", Counts(0, 0, 0, 3), id="jaccard, neither positive nor flagged"),  # 0 with a warning
        pytest.param("mcc", Counts(0, 0, 2, 3), id="mcc, nobody flagged"),  # 0
        pytest.param("mcc", Counts(2, 0, 3, 0), id="mcc, no negative"),  # 0
        pytest.param("balanced_accuracy", Counts(2, 0, 3, 0), id="balanced accuracy, no negative"),  # recall, warning
        pytest.param("kappa", Counts(0, 0, 0, 3), id="kappa, all of one class"),  # NaN with a warning
        pytest.param("lr_plus", Counts(0, 0, 2, 3), id="lr_plus, nobody flagged"),  # NaN with a warning
    ],
)
def test_what_scikit_learn_fills_in_is_undefined_with_a_reason(name, table):
    assert math.isnan(MEASURES[name](table))
    assert MEASURES[name].reason(table)


def test_likelihood_ratios_that_divide_by_zero_are_infinite():
    # scikit-learn gives NaN, with a warning.
    assert Counts(tp=2, fp=0, fn=1, tn=3).lr_plus == math.inf
    assert Counts(tp=2, fp=3, fn=1, tn=0).lr_minus == math.inf


@pytest.mark.parametrize("name", ["auc", "partial_auc", "brier_skill"])
@pytest.mark.parametrize("label", [0, 1])
def test_what_compares_the_classes_is_undefined_for_one_class(name, label):
    # scikit-learn: roc_auc_score is NaN with a warning, d2_brier_score minus infinity with a warning.
    ranking = rank([label] * 3, [0.2, 0.7, 0.7])

    assert math.isnan(MEASURES[name](ranking))
    assert MEASURES[name].reason(ranking)


def test_average_precision_without_a_positive_is_undefined():
    # scikit-learn gives 0, with a warning.
    ranking = rank([0, 0, 0], [0.2, 0.7, 0.7])

    assert math.isnan(cutline.average_precision(ranking))
    assert cutline.average_precision.reason(ranking)


def test_a_certain_wrong_probability_costs_infinitely_much_when_nothing_is_clipped():
    # scikit-learn always clips.
    assert cutline.log_loss([1, 0], [0.0, 0.5], eps=0) == math.inf
    assert cutline.log_loss([1, 0], [1.0, 0.0], eps=0) == 0
    assert cutline.log_loss([1, 0], [0.0, 0.5]) == approximately(sk.log_loss([1, 0], [0.0, 0.5]))


def test_the_log_loss_of_one_class_needs_no_list_of_labels():
    # scikit-learn refuses one class unless labels= names both.
    assert cutline.log_loss([1, 1], [0.5, 0.25]) == approximately(sk.log_loss([1, 1], [0.5, 0.25], labels=[0, 1]))


def test_a_probability_of_one_half_is_flagged():
    # The predict() of scikit-learn gives such a case to the negative class, but its curves do as cutline does.
    assert cutline.recall([1, 0], [0.5, 0.4]) == 1
    assert 0.5 in sk.roc_curve([1, 0], [0.5, 0.4])[2]
