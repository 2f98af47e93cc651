"""What a comparison says first: the model to choose for each question, whatever the order of models and measures."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cutline as cl
from cutline.advice import add_notes


def models(n=600, **shifts):
    """Models whose scores of the positives are shifted by so much, with common noise."""
    rng = np.random.default_rng(7)
    labels = (rng.random(n) < 0.3).astype(int)
    common = rng.normal(size=n)
    scores = {
        name: 1 / (1 + np.exp(0.8 - 0.8 * common - 0.6 * rng.normal(size=n) - shift * labels))
        for name, shift in shifts.items()
    }
    return labels, scores


def choices(labels, scores, measures=None, **how):
    found = cl.compare(labels, scores).summary(measures, resamples=100, **how).choices
    return {choice.goal: choice for choice in found}


def test_the_winner_of_several_models_is_named():
    found = choices(*models(weak=0.5, strong=3.0, middle=1.5), ["auc", "log_loss"])

    assert found["rank"].leader == "strong"
    assert found["rank"].is_decided
    assert found["rank"].sentence.startswith("For ranking, choose strong: best AUC, 0.9")
    assert found["rank"].sentence.endswith(" (p < 0.001, Holm).")


def test_models_that_cannot_be_told_apart_are_a_group():
    found = choices(*models(a=1.5, b=1.5, weak=0.2), ["auc"])

    assert {found["rank"].leader, *found["rank"].equal} == {"a", "b"}
    first, second = found["rank"].leader, *found["rank"].equal
    assert found["rank"].sentence.startswith(f"For ranking, choose {first} or {second}: AUC 0.")
    assert found["rank"].sentence.endswith(" (Holm).")


def test_the_first_lines_answer_three_questions_in_a_line_each():
    for names in (("a", "b"), ("logistic", "forest"), ("logistic", "forest", "boosting")):
        labels, scores = models(**{name: 1.0 + i for i, name in enumerate(names)})
        lines = cl.compare(labels, scores).summary(resamples=100).statements
        heads = ["For ranking, ", "For probabilities, ", "At the cut, "]
        assert [line.startswith(head) for line, head in zip(lines, heads, strict=False)] == [True] * 3, lines
        assert max(map(len, lines[:3])) <= 80, lines


def test_a_measure_that_contradicts_the_choice_is_named():
    labels, scores = models(a=1.5)
    scores["bold"] = scores["a"] ** 0.4  # the same order, and more of everybody flagged
    found = choices(labels, scores, ["recall", "specificity", "mcc"])["cut"]

    rows = {"recall": "bold", "specificity": "a"}
    other = "recall" if found.leader == "a" else "specificity"
    assert found.against[other] == rows[other]
    assert found.detail.startswith(f"At the cut, {rows[other]} is better in {other} (by 0.")


LABELS, SCORES = models(300, a=1.0, b=1.4, c=0.6)
MEASURES = ["recall", "specificity", "auc", "log_loss", "f1"]


@pytest.mark.slow
@given(
    st.permutations(list(SCORES)),
    st.sets(st.sampled_from(MEASURES), min_size=1).flatmap(lambda some: st.permutations(sorted(some))),
    st.integers(2, 3),
    st.sampled_from([None, "rank", "cut"]),
    st.integers(0, 1000),
)
@settings(max_examples=30, deadline=None)
def test_no_word_of_the_verdict_depends_on_the_order_of_models_measures_and_rows(names, measures, size, goal, seed):
    chosen, rows = names[:size], np.random.default_rng(seed).permutation(len(LABELS))
    how = {"resamples": 0, "goal": goal}
    in_order = cl.compare(LABELS, {name: SCORES[name] for name in sorted(chosen)}).summary(sorted(measures), **how)
    permuted = cl.compare(LABELS[rows], {name: SCORES[name][rows] for name in chosen}).summary(measures, **how)

    assert permuted.statements == in_order.statements


def test_the_sentence_on_two_models_that_cannot_be_told_apart_does_not_follow_the_first_measure():
    """Which measure was named first decided how many cases are said to be needed."""
    labels, scores = models(200, y1=1.0, y2=1.05)
    both = [cl.compare(labels, scores).summary(m) for m in (["recall", "specificity"], ["specificity", "recall"])]

    assert both[0].statements == both[1].statements


def test_equal_models_are_named_in_one_order():
    labels, scores = models(200, z=1.0)
    scores["a"] = scores["z"]

    assert cl.compare(labels, scores).summary(["auc"]).choices[0].leader == "a"


def test_the_goal_and_the_primary_measure_come_first():
    labels, scores = models(a=1.5, b=0.5)
    cmp = cl.compare(labels, scores)
    measures = ["auc", "average_precision", "brier", "f1"]

    assert cmp.summary(measures, resamples=50).choices[0].goal == "rank"
    assert cmp.summary(measures, resamples=50, goal="probabilities").choices[0].goal == "probabilities"
    first = cmp.summary(measures, resamples=50, primary="average_precision").choices[0]
    assert (first.goal, first.measure) == ("rank", "average_precision")
    with pytest.raises(cl.ParameterError, match="goal is 'best'"):
        cmp.summary(measures, resamples=50, goal="best")
    with pytest.raises(cl.ParameterError, match="primary is 'mcc', which was not compared"):
        cmp.summary(measures, resamples=50, primary="mcc")


def test_a_quota_is_a_question_only_where_there_is_one():
    labels, scores = models(a=1.5, b=0.5)

    assert "quota" not in choices(labels, scores)
    summary = cl.compare(labels, scores, quota=50).summary(resamples=50)
    assert "quota" in {choice.goal for choice in summary.choices}


def test_the_document_holds_the_choices():
    labels, scores = models(a=1.5, b=0.5)
    document = cl.compare(labels, scores).summary(["auc"], resamples=0).document()

    assert document["choices"][0]["leader"] == "a"
    assert document["verdict"].startswith("For ranking, choose a")


def test_differences_are_taken_from_the_leader_or_the_reference():
    labels, scores = models(a=1.0, b=1.6, c=0.4)
    summary = cl.compare(labels, scores).summary(["auc"], resamples=0)

    assert summary.reference == "b"
    assert {name: row.value < 0 for name, row in summary.differences_from()["auc"].items()} == {"a": True, "c": True}
    turned = summary.differences_from("c")["auc"]["a"]
    assert turned.value == pytest.approx(turned.value_a - turned.value_b)
    assert turned.estimate.low < turned.value < turned.estimate.high


def test_one_side_of_a_trade_is_no_reason_to_choose():
    labels, scores = models(a=1.5)
    scores["bold"] = scores["a"] ** 0.4
    found = choices(labels, scores, ["recall", "specificity"])["cut"]

    assert "choose" not in found.sentence
    assert found.sentence.startswith("At the cut, it is a trade: bold for recall (+0.")
    assert ", a for specificity (+0." in found.sentence


def test_one_model_that_no_question_speaks_against_is_named_after_the_answers():
    labels, scores = models(strong=2.0, weak=0.5)
    scores["extreme"] = np.where(scores["strong"] > 0.5, 0.999, 0.001) + 1e-4 * scores["strong"]  # the same at the cut
    sentences = [
        cl.compare(labels, {name: scores[name] for name in order}).summary(resamples=100).statements
        for order in (("strong", "weak", "extreme"), ("extreme", "weak", "strong"))
    ]

    assert sentences[0] == sentences[1]
    assert sentences[0][3] == "Overall, choose strong: best or not distinguishable from the best in all three."


def test_no_model_is_named_overall_where_nothing_is_decided_or_two_would_do():
    labels, scores = models(200, a=1.0, b=1.0)
    summary = cl.compare(labels, scores).summary(["auc", "log_loss", "mcc"])

    assert not any(choice.is_decided for choice in summary.choices)
    assert not any(line.startswith("Overall") for line in summary.statements)


def test_a_question_that_was_named_is_answered_before_the_overall_choice():
    labels, scores = models(a=2.5, b=0.5)
    summary = cl.compare(labels, scores).summary(["auc", "log_loss"], resamples=0, goal="probabilities")

    assert summary.statements[0].startswith("For probabilities, choose a")
    assert summary.statements[1].startswith("For ranking, choose a")
    assert summary.statements[2] == "Overall, choose a: best in both."


def test_what_a_model_is_better_in_names_the_model_it_is_better_than():
    labels, scores = models(a=1.5, weak=0.2)
    scores["bold"] = scores["a"] ** 0.4
    found = choices(labels, scores, ["recall", "specificity", "mcc"])["cut"]

    assert found.against
    for key, name in found.against.items():
        assert f"{name} is better than {found.leader} in {key} (by 0." in found.detail


def test_a_model_that_ranks_best_with_wrong_probabilities_is_to_be_recalibrated_first():
    labels, scores = models(800, weak=0.8, extreme=2.0)
    odds = np.log(scores["extreme"] / (1 - scores["extreme"]))
    scores["extreme"] = 1 / (1 + np.exp(-8 * odds))
    summary = cl.compare(labels, scores).summary(["auc", "log_loss"], resamples=50)
    document = add_notes(cl.compare(labels, scores), summary)

    assert [choice.leader for choice in summary.choices] == ["extreme", "weak"]
    assert any("recalibrate it before you choose weak for its probabilities" in line for line in document.statements)


def test_unequal_shares_at_a_common_cut_are_said():
    labels, scores = models(a=1.5)
    scores["bold"] = scores["a"] ** 0.3
    summary = cl.compare(labels, scores).summary(["mcc"], resamples=0)
    shares = {name: 100 * float((own >= 0.5).mean()) for name, own in scores.items()}

    assert f"which flags {shares['a']:.1f} % (a) and {shares['bold']:.1f} % (bold)" in summary.cut_words
