"""Information scores of several classes and the ranked probability score, against loops over the cases."""

import math

import numpy as np
import pytest

import cutline as cl


def data(seed=0, n=300, count=3):
    rng = np.random.default_rng(seed)
    truth = rng.choice(count, n, p=np.arange(count, 0, -1) / sum(range(count + 1)))
    weights = np.exp(rng.normal(size=(n, count)) + np.eye(count)[truth])
    return truth, weights / weights.sum(1, keepdims=True)


def information_by_hand(truth, scores, prior):
    """Equation 24, in bits, case by case."""
    found = []
    for c, row in zip(truth, scores, strict=True):
        p, q = row[c], prior[c]
        found.append(-math.log2(q) + math.log2(p) if p >= q else math.log2(1 - q) - math.log2(1 - p))
    return found


@pytest.mark.parametrize("count", [2, 3, 5])
def test_the_information_scores_of_several_classes_are_equations_24_and_25(count):
    truth, scores = data(count, 300, count)
    prior = np.bincount(truth, minlength=count) / len(truth)
    by_hand = information_by_hand(truth, scores, prior)
    entropy = -sum(q * math.log2(q) for q in prior)
    found = cl.one_vs_rest(truth, scores)

    assert cl.information_scores(truth, scores, base=2).tolist() == pytest.approx(by_hand, abs=1e-12)
    assert found.value("information_score", base=2) == pytest.approx(np.mean(by_hand), abs=1e-12)
    assert found.value("information_score") == pytest.approx(np.mean(by_hand) * math.log(2), abs=1e-12)
    assert found.value("relative_information_score") == pytest.approx(np.mean(by_hand) / entropy, abs=1e-12)


def test_four_cases_of_three_classes_counted_by_hand():
    # Priors 1/2, 1/4, 1/4; the probabilities of the true classes are 1, 1/2, 1/2 and 1/8.
    scores = [[1, 0, 0], [0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.5, 0.375, 0.125]]
    found = cl.one_vs_rest(["a", "a", "b", "c"], scores)
    last = math.log2(3 / 4) - math.log2(7 / 8)  # less than the prior: misled

    assert found.value("information_score", base=2) == pytest.approx((1 + 0 + 1 + last) / 4)
    assert found.value("relative_information_score") == pytest.approx((2 + last) / 4 / 1.5)


def test_a_prior_can_be_given_by_class_or_in_order():
    truth, scores = data()
    prior = {0: 0.2, 1: 0.5, 2: 0.3}
    by_hand = np.mean(information_by_hand(truth, scores, prior))
    found = cl.one_vs_rest(truth, scores)

    for given in (prior, [0.2, 0.5, 0.3]):
        assert found.value("information_score", base=2, prior=given) == pytest.approx(by_hand)
    assert found.value("information_score", prior=[1, 0, 0]) != found.value("information_score", prior=[1, 0, 0])
    assert "prior 0" in found.reason("information_score", prior=[1, 0, 0])
    with pytest.raises(cl.ParameterError, match="prior is not a probability for each class: pass 3 that add up to 1"):
        found.value("information_score", prior=[0.5, 0.5])


def test_with_two_classes_they_are_the_binary_scores():
    truth, scores = data(4, 200, 2)
    binary, found = cl.evaluate(truth, scores[:, 1]), cl.one_vs_rest(truth, scores)

    for name in ("information_score", "relative_information_score"):
        assert found.value(name) == pytest.approx(binary.value(name), abs=1e-14)
        one, two = found.estimate(name), binary.estimate(name)
        assert [one.low, one.high] == pytest.approx([two.low, two.high], abs=0.01)
    assert cl.information_scores(truth, scores) == pytest.approx(cl.information_scores(truth, scores[:, 1]))


@pytest.mark.parametrize("name", ["information_score", "relative_information_score", "ranked_probability_score"])
@pytest.mark.parametrize("prior", [None, (0.5, 0.3, 0.2)])
def test_the_standard_errors_are_those_of_the_bootstrap(name, prior):
    if name == "ranked_probability_score" and prior:
        return
    found = cl.one_vs_rest(*data(1, 600), ordered=True)
    how = {} if prior is None else {"prior": prior}
    one = found.estimate(name, **how)
    other = found.estimate(name, method="bootstrap", resamples=4000, **how)

    assert one.high - one.low == pytest.approx(other.high - other.low, rel=0.06)


def test_the_information_score_no_longer_is_a_mean_over_the_classes():
    found = cl.one_vs_rest(*data())
    means = [one.relative_information_score for one in found.values()]

    assert found.value("relative_information_score", "macro") == pytest.approx(np.mean(means))
    assert abs(found.value("relative_information_score") - np.mean(means)) > 0.01


def test_the_log_loss_follows_its_base():
    found = cl.one_vs_rest(*data())

    assert found.value("log_loss", base=2) == pytest.approx(found.value("log_loss") / math.log(2))
    assert found.estimate("log_loss", base=2).low == pytest.approx(found.estimate("log_loss").low / math.log(2))


# ---------------------------------------------------------------------- ordered classes


def ranked_by_hand(truth, scores):
    count = len(scores[0])
    total = 0.0
    for c, row in zip(truth, scores, strict=True):
        total += sum((sum(row[: k + 1]) - (c <= k)) ** 2 for k in range(count - 1)) / (count - 1)
    return total / len(truth)


@pytest.mark.parametrize("count", [2, 3, 6])
def test_the_ranked_probability_score_agrees_with_a_loop(count):
    truth, scores = data(count, 80, count)
    found = cl.one_vs_rest(truth, scores, ordered=True)

    assert found.value("ranked_probability_score") == pytest.approx(ranked_by_hand(truth, scores), abs=1e-13)
    assert found.value("rps") == pytest.approx(cl.ranked_probability_score(truth, scores), abs=1e-13)
    if count == 2:
        assert found.value("rps") == pytest.approx(cl.evaluate(truth, scores[:, 1]).brier, abs=1e-13)


def test_its_baseline_is_the_value_for_the_class_shares():
    truth, scores = data(7, 90)
    shares = np.bincount(truth) / len(truth)
    row = cl.one_vs_rest(truth, scores, ordered=True).summary("rps").rows[0]

    assert row.baseline == pytest.approx(ranked_by_hand(truth, [shares.tolist()] * 90))


def test_only_ordered_classes_have_it():
    truth, scores = data()
    names = np.array(["low", "mid", "top"])
    plain = cl.one_vs_rest(names[truth], scores)
    ordered = cl.one_vs_rest(names[truth], scores, classes=["low", "mid", "top"], ordered=True)
    by_columns = cl.one_vs_rest(names[truth], dict(zip(names, scores.T, strict=True)), ordered=True)

    assert "no order" in plain.reason("ranked_probability_score")
    assert "ranked_probability_score" not in {row["measure"] for row in plain.summary()}
    assert "ranked_probability_score" in {row["measure"] for row in ordered.summary()}
    assert by_columns.value("rps") == ordered.value("rps")
    with pytest.raises(cl.ParameterError, match="the order of the classes is not known: pass classes= in their order"):
        cl.one_vs_rest(names[truth], scores, ordered=True)
    with pytest.raises(cl.ParameterError, match="is a measure of all classes"):
        ordered.value("rps", "macro")


def test_two_models_can_be_compared_by_it(tmp_path):
    truth, scores = data()
    worse = 0.5 * scores + 0.5 / 3
    found = cl.compare_classes(truth, {"a": scores, "b": worse}, ordered=True)
    expected = cl.ranked_probability_score(truth, scores) - ranked_by_hand(truth, worse)

    assert found.difference("ranked_probability_score").value == pytest.approx(expected)
    assert "ranked_probability_score" in {row["measure"] for row in found.summary()}
    page = cl.one_vs_rest(truth, scores, ordered=True).save(tmp_path / "r.html").read_text(encoding="utf-8")
    assert "Ranked probability score" in page
