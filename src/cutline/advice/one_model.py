"""notes(): what the reader of one model's numbers should know."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from cutline.advice import cut_rules, score_rules
from cutline.advice.citations import (
    ARBEL,
    ARBEL_END,
    ARBEL_TIES,
    BERRAR,
    BERRAR_INTERVALS,
    BERRAR_LOSS,
    BERRAR_RANKING,
    CUTLINE,
    SONNENBURG,
    SPIEGELHALTER,
    WALD,
)
from cutline.advice.context import RuleContext, rule_context
from cutline.advice.rules import Kind, Note, Rule, in_order
from cutline.core.validation import LEVEL
from cutline.evaluation import Evaluation
from cutline.results.notes import DATA


def _said(id: str) -> Callable[[RuleContext], str | None]:
    return lambda a: a.data_notes.get(id)


def _of_data(id: str, kind: Kind, when: str) -> Rule:
    return Rule(id, kind, when, DATA, _said(id))


MODEL_RULES = (
    _of_data("one-class", "warning", "all cases are of one class"),
    _of_data("inside-a-bin", "warning", "the scores were binned, and the threshold goes through a bin"),
    Rule("reversed", "warning", "the AUC is below 0.5", BERRAR_RANKING, score_rules.reversed_order),
    Rule("labels", "warning", "the scores have one or two distinct values", CUTLINE, score_rules.labels),
    Rule(
        "perfect-calibration",
        "warning",
        "the mean probability and the calibration slope, or the recalibrated probabilities, are exactly right",
        CUTLINE,
        score_rules.perfect_calibration,
    ),
    Rule("chance", "fact", "the interval of the AUC holds 0.5", BERRAR_INTERVALS, score_rules.chance),
    Rule(
        "accuracy-baseline",
        "advice",
        "one class has four fifths of the cases or more, and flagging everybody or nobody is at least as accurate",
        f"{BERRAR}; {SONNENBURG}",
        cut_rules.accuracy_baseline,
    ),
    Rule(
        "imbalance",
        "advice",
        "one class has four fifths of the cases or more, and accuracy or the error rate is shown",
        f"{BERRAR}; {SONNENBURG}",
        cut_rules.imbalance,
    ),
    Rule(
        "calibration",
        "warning",
        "the scores can be probabilities of independent cases, and a test rejects them at 1 %, by enough to matter",
        SPIEGELHALTER,
        score_rules.calibration_note,
    ),
    Rule("few-cases", "warning", "a class has fewer than 30 cases in effect", BERRAR_INTERVALS, score_rules.few_cases),
    Rule(
        "certainly-wrong",
        "warning",
        "a case was of a class that got probability 0",
        DATA,
        score_rules.certainly_wrong,
    ),
    _of_data("scale", "fact", "the scores are not probabilities, and no cut is given"),
    _of_data("all-alike", "warning", "the threshold flags nobody or everybody"),
    Rule(
        "quota-in-tie",
        "warning",
        "the quota ends among cases of both classes that share one score",
        ARBEL_TIES,
        cut_rules.quota_in_tie,
    ),
    Rule(
        "rare-positives",
        "advice",
        "a tenth of the cases or fewer are positive, and a measure of the ranking is shown",
        BERRAR,
        cut_rules.rare_positives,
    ),
    Rule("quota-known", "advice", "a quota or a share is given", ARBEL_END, cut_rules.quota_known),
    Rule("only-the-top", "advice", "the quota is a tenth of the list or less", BERRAR, cut_rules.only_the_top),
    Rule(
        "quota-unknown",
        "advice",
        "measures of a quota are asked for, but no quota is given",
        ARBEL,
        cut_rules.quota_unknown,
    ),
    Rule(
        "threshold",
        "advice",
        "another cut has an F1 above the interval of that at the threshold",
        BERRAR_LOSS,
        cut_rules.better_threshold,
    ),
    Rule(
        "ties",
        "advice",
        "a hundredth or more of the pairs of a positive and a negative are tied, by three scores or more",
        CUTLINE,
        score_rules.ties,
    ),
    Rule(
        "wald",
        "fact",
        "a share that is shown has five cases or fewer on one side, so Wald's interval does not hold",
        WALD,
        cut_rules.wald,
    ),
    Rule(
        "identity",
        "fact",
        "two or more of the measures that are asked for are equivalent",
        CUTLINE,
        score_rules.identities,
    ),
    Rule("weights", "fact", "the cases have weights", CUTLINE, score_rules.weights),
    _of_data("groups-are-folds", "warning", "the groups or strata are as large as each other, as folds are"),
    _of_data("groups-differ", "warning", "the mean scores of the groups or strata differ by far, as with folds"),
    _of_data("read-as", "fact", "numbers were written in percent or with decimal commas, or one sheet of several read"),
    _of_data("dropped", "fact", "rows with a missing value were dropped"),
    _of_data("binned", "fact", "the scores were binned"),
    _of_data("groups", "fact", "the cases come in groups, such as the visits of a patient"),
)


def notes(
    evaluation: Evaluation,
    *,
    quota: float | None = None,
    share: float | None = None,
    measures: Iterable[str] | None = None,
    level: float = LEVEL,
) -> tuple[Note, ...]:
    """What the reader of one model's numbers should know: warnings first, then advice, then facts.

    What `Evaluation.data_notes` says is among them.

    Args:
        evaluation: The model.
        quota: How many cases can be acted on.
        share: The same as a share of the cases.
        measures: The measures that the reader sees, by name; the headlines when None.
        level: The level of the intervals that the notes speak of.

    >>> from cutline import evaluate
    >>> [note.rule for note in notes(evaluate([1, 0, 1, 0], [0.9, 0.9, 0.2, 0.2]))][0]
    'labels'
    """
    return in_order(
        found(rule_context(evaluation, quota=quota, share=share, measures=measures, models={}, level=level))
    )


def found(about: RuleContext) -> list[Note]:
    """What the rules find, in their order."""
    return [note for rule in MODEL_RULES if (note := rule.note(about))]
