"""What several classes give together: against scikit-learn, against two classes, against resampling, by hand."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

import cutline as cl
from cutline.measures import MEASURES
from cutline.multiclass import decisions
from cutline.multiclass.class_intervals import ClassIntervalOptions, estimate_statistic, resample
from cutline.multiclass.class_means import compute_by_class
from cutline.multiclass.influence import compute_precision_influences
from cutline.multiclass.measures import resolve_statistic

MEANS = ("macro", "weighted", "micro")
OF_DECISIONS = {
    "precision": metrics.precision_score,
    "recall": metrics.recall_score,
    "f1": metrics.f1_score,
}
OF_TABLES = {
    "accuracy": metrics.accuracy_score,
    "mcc": metrics.matthews_corrcoef,
    "kappa": metrics.cohen_kappa_score,
}


def probabilities(seed, n, classes=3, spread=1.2, digits=None):
    """Labels of unequal classes and probabilities that know something of them."""
    rng = np.random.default_rng(seed)
    shares = np.linspace(classes, 1, classes) ** 2
    labels = rng.choice(classes, n, p=shares / shares.sum())
    logits = rng.normal(size=(n, classes)) + spread * np.eye(classes)[labels]
    found = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    return labels, found if digits is None else np.round(found, digits)


def against_rest(labels, scores, weights=None):
    return cl.one_vs_rest(labels, scores, weights)


# ---------------------------------------------------------------------- scikit-learn


@pytest.mark.parametrize("classes", [3, 5])
@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_the_area_is_what_scikit_learn_says(classes, average):
    labels, scores = probabilities(0, 400, classes)
    found = against_rest(labels, scores)
    for name, multi_class in (("auc", "ovr"), ("hand_till_m", "ovo")):
        expected = metrics.roc_auc_score(labels, scores, multi_class=multi_class, average=average)
        assert found.value(name, average) == pytest.approx(expected, abs=1e-14)
        assert found.estimate(name, average).value == pytest.approx(expected, abs=1e-14)


def test_the_area_of_weighted_cases_is_what_scikit_learn_says():
    labels, scores = probabilities(1, 300)
    weights = np.random.default_rng(1).gamma(2, size=300)
    for average in MEANS:
        expected = metrics.roc_auc_score(labels, scores, multi_class="ovr", average=average, sample_weight=weights)
        assert against_rest(labels, scores, weights).value("auc", average) == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize("average", MEANS)
def test_the_average_precision_is_what_scikit_learn_says(average):
    labels, scores = probabilities(2, 300)
    expected = metrics.average_precision_score(np.eye(3)[labels], scores, average=average)

    assert against_rest(labels, scores).value("average_precision", average) == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize("average", MEANS)
@pytest.mark.parametrize("name", OF_DECISIONS)
@pytest.mark.parametrize("weighted", [False, True])
def test_measures_of_decisions_are_what_scikit_learn_says(name, average, weighted):
    labels, scores = probabilities(3, 300)
    weights = np.random.default_rng(3).gamma(2, size=300) if weighted else None
    expected = OF_DECISIONS[name](labels, scores.argmax(1), average=average, sample_weight=weights)

    assert against_rest(labels, scores, weights).value(name, average) == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize("name", OF_TABLES)
@pytest.mark.parametrize("weighted", [False, True])
def test_measures_of_the_whole_table_are_what_scikit_learn_says(name, weighted):
    labels, scores = probabilities(4, 300, 4)
    weights = np.random.default_rng(4).integers(1, 5, 300) if weighted else None
    expected = OF_TABLES[name](labels, scores.argmax(1), sample_weight=weights)

    assert against_rest(labels, scores, weights).value(name) == pytest.approx(expected, abs=1e-14)


def test_the_losses_of_probabilities_are_what_scikit_learn_says():
    labels, scores = probabilities(5, 300)
    found = against_rest(labels, scores)

    assert found.value("log_loss") == pytest.approx(metrics.log_loss(labels, scores), abs=1e-14)
    assert found.value("brier") == pytest.approx(((scores - np.eye(3)[labels]) ** 2).sum(1).mean(), abs=1e-14)


# ---------------------------------------------------------------------- two classes are the binary case


@pytest.mark.parametrize("n", [12, 60, 400])
@pytest.mark.parametrize("digits", [1, None])
def test_two_classes_give_the_binary_result_with_its_interval(n, digits):
    labels, scores = probabilities(n, n, 2, digits=digits)
    scores = np.column_stack([1 - scores[:, 1], scores[:, 1]])
    found, binary = against_rest(labels, scores), cl.evaluate(labels, scores[:, 1])
    one = binary.estimate("auc")
    for name, mean in (("auc", "macro"), ("hand_till_m", None), ("hand_till_m", "weighted"), ("auc", "weighted")):
        estimate = found.estimate(name, mean)
        assert (estimate.value, estimate.low, estimate.high) == pytest.approx((one.value, one.low, one.high), abs=1e-12)
    assert found.value("map") == pytest.approx(binary.map, abs=1e-14)
    assert found.value("log_loss") == pytest.approx(binary.log_loss, abs=1e-14)
    assert found.value("brier") == pytest.approx(2 * binary.brier, abs=1e-14)


def test_two_classes_have_the_binary_variance_of_delong_with_weights_too():
    labels, scores = probabilities(6, 200, 2)
    for weights in (np.random.default_rng(6).gamma(2, size=200), np.random.default_rng(6).integers(1, 4, 200)):
        found = estimate_statistic(
            resolve_statistic("auc", "macro"), against_rest(labels, scores, weights).cases, ClassIntervalOptions(0.95)
        )
        half = cl.evaluate(labels, scores[:, 1], weights).estimate("auc", method="delong")

        assert found.se == pytest.approx((half.high - half.low) / 2 / 1.959963984540054, rel=1e-9)


@pytest.mark.parametrize("name", ["mcc", "kappa", "accuracy"])
def test_measures_of_the_whole_table_are_the_binary_ones_of_two_classes(name):
    labels, scores = probabilities(7, 150, 2)
    binary = cl.evaluate(labels, scores[:, 1], threshold=0.5)

    assert against_rest(labels, scores).value(name) == pytest.approx(binary.value(name), abs=1e-14)


# ---------------------------------------------------------------------- the variance


OF_EACH = ("auc", "average_precision", "precision", "recall", "f1", "specificity")
STATISTICS = [
    *itertools.product(OF_EACH, MEANS),
    *(("hand_till_m", mean) for mean in ("macro", "weighted")),
    *((name, None) for name in (*OF_TABLES, "log_loss", "brier", "information_score", "relative_information_score")),
]


@pytest.fixture(scope="module")
def resampled_cases():
    """Some cases, and their weights in 4000 resamples."""
    cases = against_rest(*probabilities(8, 600)).cases
    return cases, np.random.default_rng(1).multinomial(600, np.full(600, 1 / 600), size=4000)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "mean"), STATISTICS)
def test_the_standard_error_agrees_with_the_bootstrap(resampled_cases, name, mean):
    cases, resamples = resampled_cases
    statistic = resolve_statistic(name, mean)

    # The standard deviation of 4000 resamples is itself known to 1 %.
    expected = np.std(statistic.make_function(cases)(resamples))
    assert estimate_statistic(statistic, cases, ClassIntervalOptions(0.95)).se == pytest.approx(expected, rel=0.03)


@pytest.mark.parametrize("mean", ["macro", "weighted"])
def test_the_variance_of_weighted_cases_agrees_with_the_bootstrap(mean):
    labels, scores = probabilities(9, 800)
    weights = np.random.default_rng(9).gamma(3, size=800)
    cases = against_rest(labels, scores, weights).cases
    statistic = resolve_statistic("auc", mean)
    values, _ = resample(statistic.make_function(cases), cases, 4000, seed=1)

    assert estimate_statistic(statistic, cases, ClassIntervalOptions(0.95)).se == pytest.approx(
        np.std(values), rel=0.04
    )


def test_the_slopes_of_the_table_are_differences():
    table = np.array([[20.0, 3, 1], [4, 15, 2], [0, 5, 9]])
    for function, slopes in (
        (decisions.compute_accuracy, decisions.compute_accuracy_slopes),
        (decisions.compute_mcc, decisions.compute_mcc_slopes),
        (decisions.compute_kappa, decisions.compute_kappa_slopes),
    ):
        step = 1e-5
        for cell in itertools.product(range(3), repeat=2):
            more, less = table.copy(), table.copy()
            more[cell] += step
            less[cell] -= step
            expected = (function(more) - function(less)) / (2 * step)
            assert slopes(table)[cell] == pytest.approx(expected, abs=1e-8)


def test_the_changes_of_the_average_precision_are_differences():
    labels, scores = probabilities(10, 40, digits=1)
    cases = against_rest(labels, scores).cases
    influences = compute_precision_influences(cases.ranking(0), cases.scores[:, 0], cases.truth == 0)
    each, step = compute_by_class(MEASURES["average_precision"], cases), 1e-6
    for i in range(len(cases)):
        more, less = cases.weights.astype(float), cases.weights.astype(float)
        more[i] += step
        less[i] -= step
        assert influences[i] == pytest.approx((each(more)[0] - each(less)[0]) / (2 * step), abs=1e-7)


# ---------------------------------------------------------------------- by hand


def test_three_cases_of_three_classes_can_be_counted():
    found = against_rest(["a", "b", "c"], [[0.5, 0.5, 0.0], [0.1, 0.8, 0.1], [0.2, 0.4, 0.4]])

    # a: one of one; b: 0.8 above 0.5 and 0.4; c: 0.4 above 0.1 and 0.0
    assert found.each("auc") == {"a": 1.0, "b": 1.0, "c": 1.0}
    # the first case counts half for a and half for b, the last half for b and half for c
    assert found.confusion_matrix.table.tolist() == [[0.5, 0.5, 0], [0, 1, 0], [0, 0.5, 0.5]]
    assert found.value("accuracy") == pytest.approx(2 / 3)
    assert found.each("recall") == {"a": 0.5, "b": 1.0, "c": 0.5}
    assert found.each("precision") == {"a": 1.0, "b": 0.5, "c": 1.0}
    # all nine scores pooled: own 0.5, 0.8, 0.4; others 0.5, 0.0, 0.1, 0.1, 0.2, 0.4
    assert found.value("auc", "micro") == pytest.approx((5.5 + 6 + 4.5) / 18)


def test_hand_and_till_is_a_mean_over_pairs():
    labels, scores = probabilities(11, 90)
    pairs = []
    for a, b in itertools.permutations(range(3), 2):
        mine, other = scores[labels == a, a], scores[labels == b, a]
        pairs.append(np.mean((mine[:, None] > other) + 0.5 * (mine[:, None] == other)))

    assert against_rest(labels, scores).value("hand_till_m") == pytest.approx(np.mean(pairs), abs=1e-14)


# ---------------------------------------------------------------------- laws

few_cases = st.integers(6, 24).flatmap(
    lambda n: st.tuples(
        st.permutations([k % 3 for k in range(n)]),
        st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=n, max_size=n),
        st.lists(st.integers(1, 3), min_size=n, max_size=n),
    )
)
LAWS = ("auc", "average_precision", "f1", "hand_till_m", "accuracy", "mcc", "kappa")


@settings(max_examples=15, deadline=None)
@given(data=few_cases, seed=st.integers(0, 1000))
def test_the_order_of_the_rows_does_not_matter(data, seed):
    labels, scores, weights = (np.array(column) for column in data)
    order = np.random.default_rng(seed).permutation(len(labels))
    one, two = against_rest(labels, scores, weights), against_rest(labels[order], scores[order], weights[order])
    for name in LAWS:
        assert one.estimate(name) == two.estimate(name)


@settings(max_examples=15, deadline=None)
@given(data=few_cases)
def test_the_order_of_the_classes_does_not_matter(data):
    labels, scores, weights = (np.array(column) for column in data)
    one = cl.one_vs_rest(labels, scores, weights)
    two = cl.one_vs_rest(labels, scores[:, ::-1], weights, classes=[2, 1, 0])
    for name in LAWS:
        a, b = one.estimate(name), two.estimate(name)
        assert (a.value, a.low, a.high) == pytest.approx((b.value, b.low, b.high), abs=1e-9, nan_ok=True)


@settings(max_examples=15, deadline=None)
@given(data=few_cases)
def test_a_whole_weight_is_that_many_equal_rows(data):
    labels, scores, weights = (np.array(column) for column in data)
    one = against_rest(labels, scores, weights)
    two = against_rest(np.repeat(labels, weights), np.repeat(scores, weights, axis=0))
    for name in LAWS:
        a, b = one.estimate(name), two.estimate(name)
        assert (a.value, a.low, a.high) == pytest.approx((b.value, b.low, b.high), abs=1e-9, nan_ok=True)


@settings(max_examples=15, deadline=None)
@given(data=few_cases)
def test_an_interval_holds_its_value_and_stays_in_its_range(data):
    labels, scores, _ = (np.array(column) for column in data)
    for row in against_rest(labels, scores).summary().rows:
        if math.isnan(row.value):
            assert row.reason
        elif row.interval:
            assert row.estimate.low <= row.value <= row.estimate.high
            assert row.estimate.high > row.estimate.low


# ---------------------------------------------------------------------- edges


def test_a_perfect_model_has_intervals_with_a_width():
    labels = np.repeat([0, 1, 2], [30, 20, 10])
    found = against_rest(labels, np.eye(3)[labels])
    for row in found.summary(["auc", "average_precision", "f1", "recall", "hand_till_m", "mcc", "kappa"]).rows:
        assert row.value == pytest.approx(1, abs=1e-15)
        assert row.interval, row
        assert 0.5 < row.estimate.low < 1, row


def test_a_class_without_a_case_leaves_its_mean_undefined_with_the_reason():
    labels, scores = probabilities(12, 60)
    kept = labels != 2
    found = cl.one_vs_rest(labels[kept], scores[kept], classes=[0, 1, 2])

    assert math.isnan(found.value("auc"))
    assert found.reason("auc") == "for class 2 there is no positive case"
    assert found.estimate("auc").notes == ("undefined: for class 2 there is no positive case",)
    assert found.reason("hand_till_m") == "class 2 has no case"
    assert not math.isnan(found.value("auc", "weighted"))  # it weighs nothing
    assert not math.isnan(found.value("hand_till_m", "weighted"))
    assert any("class 2 has no case" in note.text for note in found.notes)


def test_a_class_of_one_case_has_a_wide_interval():
    labels = np.array([0] * 30 + [1] * 30 + [2])
    scores = probabilities(13, 61)[1]
    found = against_rest(labels, scores).estimate("auc")

    assert found.has_interval
    assert "Class 2 has only 1 case" in found.notes[-1]
    assert found.high - found.low > 0.2


def test_a_class_that_is_never_predicted_leaves_the_precision_undefined():
    found = against_rest([0, 1, 2, 2], [[0.9, 0.1, 0], [0.2, 0.8, 0], [0.6, 0.3, 0.1], [0.3, 0.6, 0.1]])

    assert math.isnan(found.mean("precision"))
    assert found.mean("precision").reason == "for class 2 no case is flagged"
    assert found.value("recall") == pytest.approx((1 + 1 + 0) / 3)


def test_scores_that_are_no_probabilities_have_no_log_loss():
    labels, scores = probabilities(14, 50)
    found = against_rest(labels, 5 * scores)

    assert math.isnan(found.value("log_loss"))
    assert "are not probabilities" in found.reason("log_loss")
    found = against_rest(labels, 0.9 * scores)
    assert "do not add up to 1" in found.reason("brier")
    assert "sums" in [note.rule for note in found.notes]


def test_a_measure_without_a_closed_form_is_resampled_on_request():
    labels, scores = probabilities(15, 120)
    found = against_rest(labels, scores)

    assert not found.estimate("ks").has_interval
    assert "no closed form" in found.estimate("ks").notes[0]
    drawn = found.estimate("ks", method="bootstrap", resamples=200)
    assert drawn.low < drawn.value < drawn.high
    assert drawn == found.estimate("ks", method="bootstrap", resamples=200)  # the same seed


def test_a_rare_class_is_in_every_resample():
    labels = np.array([0] * 40 + [1] * 40 + [2] * 2)
    found = against_rest(labels, probabilities(16, 82)[1]).estimate("auc", method="bootstrap", resamples=300)

    assert found.has_interval
    assert "bootstrap samples lacked a class and were redrawn" in found.notes[0]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda found: found.estimate("auc", "mean"), "mean is 'mean'"),
        (lambda found: found.estimate("hand_till_m", "micro"), "mean over pairs"),
        (lambda found: found.estimate("map", "micro"), "plain mean"),
        (lambda found: found.estimate("f1", threshold=0.3), "highest score"),
        (lambda found: found.estimate("auc", method="delong"), "method is 'delong'"),
        (lambda found: found.estimate("auc", level=95), "level is 95"),
        (lambda found: found.value("hit_rate"), "hit_rate needs quota"),
        (lambda found: found.value("acu"), "Did you mean auc"),
    ],
)
def test_invalid_requests_are_refused_in_a_sentence(call, words):
    with pytest.raises(cl.CutlineError, match=words):
        call(against_rest(*probabilities(17, 30)))
