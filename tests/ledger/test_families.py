"""Conventions with a free number: any number of bins or thresholds, any cut."""

import numpy as np
import pytest

import cutline as cl
from cutline.ledger.cases import Material, Rows
from cutline.ledger.quantity import parse_printed, parse_quantity
from cutline.ledger.search import find_family_members, rank_top_label


@pytest.fixture(scope="module")
def cases():
    random = np.random.default_rng(3)
    labels = (random.random(600) < 0.3).astype(int)
    scores, others = (1 / (1 + np.exp(1 - random.normal(size=600) - slope * labels)) for slope in (1.3, 1.0))
    return labels, scores, others


def first_words(answer):
    return answer.best.words


def test_an_area_over_any_number_of_bins_is_recognised(cases):
    labels, scores, _ = cases
    value = cl.auc(labels, np.floor(np.minimum(scores * 37, 36)))
    assert first_words(cl.why(labels, scores, measure="auc", value=f"{value:.6f}")) == "with 37 bins of equal width"


def test_a_measure_at_another_cut_names_the_range_of_cuts(cases):
    labels, scores, _ = cases
    value = cl.f1(labels, scores, threshold=0.283)
    answer = cl.why(labels, scores, measure="f1", value=f"{value:.5f}")
    below, above = scores[scores < 0.283].max(), scores[scores >= 0.283].min()
    assert first_words(answer) == f"at any threshold above {below:.4f} and up to {above:.4f}"
    assert not answer.is_certain  # some cut gives nearly any value


def test_neighbouring_cuts_of_one_value_are_one_answer():
    labels, scores = [1, 1, 0, 0, 1, 0, 0, 0], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
    material = Material.of_rows(Rows(np.array(labels) == 1, np.array(scores)), 0.95)
    members = list(find_family_members(material, parse_quantity("recall"), parse_printed("0.6667")))
    assert [one.words for one, value in members if abs(value - 2 / 3) < 1e-9] == [
        "at any threshold above 0.5000 and up to 0.8000"
    ]


@pytest.mark.parametrize("bins", [7, 12, 37])
@pytest.mark.parametrize("binning", ["width", "mass"])
def test_a_calibration_error_of_the_top_label_is_recognised(cases, bins, binning):
    labels, scores, _ = cases
    confidence, right = np.maximum(scores, 1 - scores), ((scores >= 0.5) == (labels == 1)).astype(int)
    value = cl.ece(right, confidence, bins=bins, binning=binning)
    answer = cl.why(labels, scores, measure="ece", value=f"{value:.7f}")
    words = f"as the mean distance in {bins} bins of equal {binning}, of the predicted class and its probability"
    assert words in [one.words for one in answer.explanations]  # no score is on a border: three kinds of bins are one


def test_the_top_label_of_ten_cases_by_hand():
    made = rank_top_label(cl.rank([1, 0, 1, 0], [0.9, 0.7, 0.3, 0.1]))
    assert made.score.tolist() == pytest.approx([0.9, 0.7])
    assert made.pos.tolist() == [2, 0]  # 0.9 and 0.1 are right, 0.7 and 0.3 are wrong
    assert made.neg.tolist() == [0, 2]


def test_the_debiased_error_is_what_kumar_and_others_define(cases):
    labels, scores, _ = cases
    bins = 9
    number = np.minimum((scores * bins).astype(int), bins - 1)
    total = 0.0
    for b in range(bins):
        y, p = labels[number == b], scores[number == b]
        if len(y) > 1:
            total += len(y) * ((y.mean() - p.mean()) ** 2 - y.mean() * (1 - y.mean()) / (len(y) - 1))
    material = Material.of_rows(Rows(labels == 1, scores))
    members = {
        one.name: value for one, value in find_family_members(material, parse_quantity("ece"), parse_printed("0.1"))
    }
    assert members["debiased_width_9"] == pytest.approx(np.sqrt(max(total / len(labels), 0)))


def test_made_up_numbers_are_not_called_certain(cases):
    labels, scores, _ = cases
    random = np.random.default_rng(8)
    for value in random.uniform(0.72, 0.86, 12):
        assert not cl.why(labels, scores, measure="auc", value=f"{value:.4f}").is_certain


def test_single_conventions_that_tools_print(cases):
    labels, scores, others = cases
    share = labels.mean()
    entropy = -(share * np.log(share) + (1 - share) * np.log1p(-share))
    flagged = scores >= 0.5
    agreement, mean = (flagged == labels).mean(), (flagged.mean() + share) / 2
    only = [
        int(((a >= 0.5) == labels).astype(int) @ ((b >= 0.5) != labels))
        for a, b in ((scores, others), (others, scores))
    ]
    expected = {
        "balanced_accuracy": (2 * cl.balanced_accuracy(labels, scores) - 1, "adjusted for chance, 2 x - 1"),
        "log_loss": (cl.log_loss(labels, scores) / entropy, "divided by the entropy of the prevalence"),
        "kappa": ((agreement - 2 * mean * (1 - mean)) / (1 - 2 * mean * (1 - mean)), "as Gwet's AC1"),
        "mcnemar": (
            (abs(only[0] - only[1]) - 1) ** 2 / sum(only),
            "as the chi-square statistic with continuity correction",
        ),
    }
    for measure, (value, words) in expected.items():
        answer = cl.why(labels, scores, measure=measure, value=f"{value:.6f}", other=others)
        assert first_words(answer) == words


def test_logarithms_clamped_at_minus_100(cases):
    labels, scores, _ = cases
    scores = scores.copy()
    scores[np.flatnonzero(labels)[0]] = 0.0
    with np.errstate(divide="ignore"):
        logs = np.maximum(np.log(np.where(labels == 1, scores, 1 - scores)), -100)
    answer = cl.why(labels, scores, measure="log_loss", value=f"{-logs.mean():.6f}")
    assert first_words(answer) == "with logarithms clamped at -100"


@pytest.mark.parametrize("bins", [7, 37])
def test_bins_of_equal_mass_are_made_as_numpy_does(cases, bins):
    labels, scores, _ = cases
    parts = np.array_split(np.argsort(scores), bins)
    borders = np.quantile(scores, np.linspace(0, 1, bins + 1)[1:-1])
    between = [np.flatnonzero(np.searchsorted(borders, scores) == bin_) for bin_ in range(bins)]

    for name, groups in (("parts", parts), ("percentiles", between)):
        error = sum(abs(labels[rows].mean() - scores[rows].mean()) * len(rows) for rows in groups) / len(scores)
        members = find_family_members(
            Material.of_rows(Rows(labels == 1, scores)), parse_quantity("ece"), parse_printed("0.1")
        )
        same = [member.name for member, value in members if value == pytest.approx(error, abs=1e-12)]
        assert any(found in (f"mean_{name}_{bins}", f"mean_mass_{bins}") for found in same)


def test_a_calibration_error_of_each_predicted_class_is_recognised(cases):
    labels, scores, _ = cases
    confidence, predicted = np.maximum(scores, 1 - scores), (scores >= 0.5).astype(int)
    of_classes = [
        cl.ece((labels == c)[predicted == c].astype(int), confidence[predicted == c], bins=14, binning="width")
        for c in (0, 1)
    ]
    answer = cl.why(labels, scores, measure="ece", value=f"{np.mean(of_classes):.7f}")
    assert first_words(answer) == (
        "as the mean distance in 14 bins of equal width, of each predicted class by itself, averaged over both"
    )


def test_parameters_of_formulas_are_recognised(cases):
    labels, scores, _ = cases
    log_odds = np.log(scores / (1 - scores))
    losses = np.where(labels == 1, -12 * np.log(scores), -np.log1p(-scores))

    f_3 = cl.f_beta(labels, scores, beta=3, threshold=0.4)
    beta = cl.why(labels, scores, measure="f1", value=f"{f_3:.6f}", threshold=0.4)
    part = cl.why(labels, scores, measure="auc", value=f"{cl.partial_auc(labels, scores, max_fpr=0.3):.6f}")
    heavier = cl.why(labels, log_odds, measure="log_loss", value=f"{losses.mean():.6f}")

    assert first_words(beta) == "with recall weighted by beta = 3"
    assert first_words(part) == "up to a false positive rate of 0.3, on McClish's scale"
    assert first_words(heavier) == "with the losses of positives times 12 (pos_weight)"


def test_an_end_of_the_range_is_no_proof_of_two_conventions():
    labels, scores = np.array([1, 0, 1, 0, 0, 1, 0, 0]), np.array([0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1])
    answer = cl.why(labels, scores, measure="mcc", value="1.000000")
    assert answer.explanations
    assert all(len(one.conventions) == 2 for one in answer.explanations)
    assert not answer.is_certain
