"""notes(): what the reader of one model's numbers should know."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np

from cutline.advice.context import (
    ARBEL,
    ARBEL_END,
    ARBEL_TIES,
    BERRAR,
    BERRAR_INTERVALS,
    BERRAR_LOSS,
    BERRAR_RANKING,
    CUTLINE,
    MAJORITY,
    SONNENBURG,
    SPIEGELHALTER,
    WALD,
    Kind,
    Note,
    Rule,
    RuleContext,
    brief,
    in_order,
    percent,
    rule_context,
)
from cutline.core.counts import Counts, written
from cutline.core.messages import Argument, Text
from cutline.core.ranking import BLOCK, Ranking
from cutline.core.validation import LEVEL
from cutline.evaluation import Evaluation
from cutline.inference import constants
from cutline.inference.effective_size import effective
from cutline.inference.effective_size import notes as on_sizes
from cutline.inference.single.calibration_error import CalibrationCheck, calibration
from cutline.inference.single.reference import wald_holds
from cutline.measures import MEASURES, Family, Measure
from cutline.results.estimate import quantile
from cutline.results.notes import DATA

RARE = 0.1  # Berrar's example of highly unbalanced classes, nine to one
TOP = 0.1


def accuracy_baseline(a: RuleContext) -> str | None:
    """That flagging everybody or nobody is at least as accurate as the model, or as every one of several."""
    share = max(a.prevalence, 1 - a.prevalence)
    models = list(a.models.values()) or [a.evaluation]
    if not _is_lopsided(a) or any(float(model.value("accuracy")) > share for model in models):
        return None
    whom = "everybody" if a.prevalence > 0.5 else "nobody"
    return (
        f"The accuracy is not above that of a model that flags {whom}: {a.values('accuracy')}, where flagging {whom} "
        f"gives {brief(share)}. Read recall with precision, or the precision-recall curve, instead."
    )


def imbalance(a: RuleContext) -> str | None:
    """What a majority voter gets, and that accuracy says little."""
    if not _is_lopsided(a) or accuracy_baseline(a) is not None:
        return None
    share = max(a.prevalence, 1 - a.prevalence)
    mostly_positive = a.prevalence > 0.5
    whom, name = ("everybody", "positive") if mostly_positive else ("nobody", "negative")
    text = (
        f"{percent(share)} of the cases are {name}: a model that flags {whom} has accuracy {brief(share)}; "
        f"{'these have' if a.models else 'yours has'} {a.values('accuracy')}. "
        "Read recall with precision, or the precision-recall curve, instead."
    )
    return (
        Text(text, " Or name the rare class as the positive one with ", Argument("positive"), ".")
        if mostly_positive
        else text
    )


def _is_lopsided(a: RuleContext) -> bool:
    """Whether one class has most of the cases, and the reader sees the accuracy."""
    share = max(a.prevalence, 1 - a.prevalence)
    return a.two_classes and share >= MAJORITY and bool(a.seen & {"accuracy", "error_rate"})


def rare_positives(a: RuleContext) -> str | None:
    """The precision-recall curve rather than the ROC curve."""
    if not a.two_classes or a.prevalence > RARE or not a.seen & {"auc", "gini", "average_precision", "ks", "pem"}:
        return None
    c = a.evaluation.counts
    wrong = ""
    if c.fp and not a.models:
        wrong = (
            f" At your threshold the false positive rate is {brief(float(c.fpr))}: that is "
            f"{written(c.fp)} wrong flags beside {written(c.tp)} right ones."
        )
    return (
        f"{percent(a.prevalence)} of the cases are positive, which the ROC curve does not show.{wrong} "
        f"Look at the precision-recall curve: the average precision is {a.values('average_precision')}, "
        f"that of a constant score about {brief(a.prevalence)}."
    )


def quota_known(a: RuleContext) -> str | None:
    """What the quota gets, and which of the two to read."""
    if a.quota is None or not a.two_classes:
        return None
    c = a.ranking.at_quota(a.quota)
    hits, recall = float(c.precision), float(c.recall)  # which are the hit rate and Qrecall there
    positives = float(a.ranking.positives)
    text = (
        f"With a quota of {written(a.quota)}: read the hit rate, {brief(hits)}, if a wrong inclusion is costly, and "
        f"Qrecall, {brief(recall)}, if a missed positive is."
    )
    if a.quota < positives:
        return f"{text} Qrecall cannot exceed {brief(a.quota / positives)}: there are {written(positives)} positives."
    if a.quota > positives:
        return (
            f"{text} The hit rate cannot exceed {brief(positives / a.quota)}: there are {written(positives)} positives."
        )
    return text


def only_the_top(a: RuleContext) -> str | None:
    """A short list, and an AUC that judges the long one."""
    n = float(a.ranking.total)
    if a.quota is None or not a.two_classes or a.quota > TOP * n or not a.seen & {"auc", "gini", "pem"}:
        return None
    return (
        f"Your quota is {percent(a.quota / n)} of the list, but the AUC counts every place alike. "
        "Judge the top by the hit rate, the average precision or the precision-recall curve."
    )


def quota_in_tie(a: RuleContext) -> str | None:
    """A quota that ends among equals: which of them are chosen is chance."""
    if a.quota is None:
        return None
    r = a.ranking
    cell = int(r.position(a.quota)[0])
    places, pos, neg = a.quota - float(r.ends[cell]), float(r.pos[cell]), float(r.neg[cell])
    if not pos or not neg or places >= pos + neg:
        return None
    before = float(r.tp[cell])
    low, high = before + max(0.0, places - neg), before + min(places, pos)
    return (
        f"The quota of {written(a.quota)} ends inside a tie: {written(pos + neg)} cases share the score "
        f"{r.score[cell]:g}, and there is room for {written(places)} of them. Depending on which are taken, the quota "
        f"holds {written(low)} to {written(high)} positives; the values are those of a random choice."
    )


def quota_unknown(a: RuleContext) -> str | None:
    """Averages over quotas, when none is known."""
    if a.quota is not None or a.measures is None or not a.two_classes:
        return None
    if not any(MEASURES[name].family is Family.QUOTA for name in a.measures):
        return None
    hits, recall, pem = (_in_brackets(a, name) for name in ("average_hit_rate", "average_qrecall", "pem"))
    return Text(
        f"No quota is given. If it is not known yet, read the average hit rate{hits} if a wrong inclusion is costly, "
        f"and the average Qrecall{recall} or PEM{pem} if a missed positive is. If it is, pass ",
        Argument("quota"),
        " or ",
        Argument("share"),
        ".",
    )


def _in_brackets(a: RuleContext, measure: str) -> str:
    """A value in brackets; nothing where it is undefined, as averages over places are with fractional weights."""
    value = a.evaluation.value(measure)
    return "" if math.isnan(value) else f" ({brief(value)})"


def better_threshold(a: RuleContext) -> str | None:
    """Another cut that is better by more than chance."""
    if (
        not a.two_classes
        or a.are_labels
        or a.evaluation.groups is not None
        or "f1" not in a.seen
        or a.evaluation.cut.by_quota
    ):
        return None
    r, here = a.ranking, a.evaluation.estimate("f1", a.level)
    highest, best = _highest_f1(r)
    if math.isnan(here.value) or not highest > max(here.high, here.value):
        return None
    return (
        f"At the threshold {a.evaluation.threshold:g} F1 is {brief(here.value)}; at {r.thresholds[best]:.3g} it is "
        f"{brief(highest)} on these cases. Choose the threshold on cases that you do not test on."
    )


def _highest_f1(r: Ranking) -> tuple[float, int]:
    """Return the highest F1 over all cuts, and its cut; in blocks, so that a long list takes no copies."""
    highest, best = -math.inf, 0
    for start in range(0, len(r) + 1, BLOCK):
        tp, fp = r.tp[start : start + BLOCK], r.fp[start : start + BLOCK]
        f1 = np.nan_to_num(MEASURES["f1"].compute(Counts(tp, fp, r.positives - tp, r.negatives - fp)))
        at = int(f1.argmax())
        if f1[at] > highest:
            highest, best = float(f1[at]), start + at
    return highest, best


def wald(a: RuleContext) -> str | None:
    """Shares of which the normal approximation is not to be trusted."""
    if not a.ranking.integral or a.evaluation.cut.by_quota:  # intervals at a quota are from the bootstrap
        return None
    c = a.evaluation.counts
    shares = {
        "accuracy": (c.tp + c.tn, c.total),
        "recall": (c.tp, c.positives),
        "specificity": (c.tn, c.negatives),
        "precision": (c.tp, c.flagged),
    }
    failing = [
        f"{name} ({written(k)} of {written(n)})"
        for name, (k, n) in shares.items()
        if name in a.seen and n and not wald_holds(k, n)
    ]
    if not failing:
        return None
    return (
        f"Too few cases for Wald's interval, which needs more than 5 on either side: {', '.join(failing)}. "
        "The intervals here are Wilson's, which hold; those of Clopper and Pearson never cover less than they say."
    )


TIED = 0.01  # share of the pairs from which on ties are worth a word
_SURE = 2.576  # a z value that chance exceeds once in a hundred times, on either side
_TOO_GOOD = 0.005  # a distance in standard errors that is smaller by chance once in 250 times
_MANY_SCORES, _NO_ERROR = 10, 1e-9
# Relative errors that matter, however many cases show them.
_SHARE_OFF, _BRIER_OFF, _SLOPE_OFF = 0.05, 0.02, 0.1
_RECALIBRATE = " Recalibrate before you use them as probabilities; the order of the cases stays."


def reversed_order(a: RuleContext) -> str | None:
    """An AUC below one half: upside down, or chance."""
    text = a.data_notes.get("reversed")
    if text and a.auc and 0.5 in a.auc:
        return Text(text, f" It may be chance: the AUC is {_with_interval(a)}.")
    if text and a.ranking.are_probabilities and a.auc:
        other = Argument("positive")
        hint = ("name the other class with ", other, ", or pass 1 - score; or, if low scores mean positive, ")
        turn = ("leave out " if not a.ranking.higher_is_positive else "pass ", Argument("higher_is_positive", False))
        return Text(
            f"The scores look like probabilities of the other class: the AUC is {brief(a.auc.value)}. Then ",
            *(*hint, *turn, "."),
        )
    return text


def _is_reversed(a: RuleContext) -> bool:
    """Whether the order is upside down by more than chance."""
    return "reversed" in a.data_notes and bool(a.auc) and 0.5 not in a.auc  # type: ignore[operator]


def chance(a: RuleContext) -> str | None:
    """An AUC that chance could give."""
    if not a.auc or len(a.ranking) < 2 or a.auc.value < 0.5 or 0.5 not in a.auc:
        return None
    return f"These cases do not show that the model ranks better than the baseline: its AUC is {_with_interval(a)}."


def _with_interval(a: RuleContext) -> str:
    estimate = a.auc
    if estimate is None:
        return ""
    return (
        f"{brief(estimate.value)} ({100 * estimate.level:g} % interval {brief(estimate.low)} to {brief(estimate.high)})"
    )


def labels(a: RuleContext) -> str | None:
    """Labels in the place of scores."""
    text = a.data_notes.get("labels")
    if text and a.two_classes and len(a.ranking) == 2:
        text += (
            f" Their AUC, {brief(a.evaluation.auc)}, is the balanced accuracy of one cut. Pass the scores themselves."
        )
    return text


def few_cases(a: RuleContext) -> str | None:
    """A class too small to be sure of anything about it."""
    size = effective(a.ranking)
    if not a.two_classes or min(size) >= constants.FEW_CASES:
        return None
    of_positives = size.positives <= size.negatives
    few, name = (size.positives, "recall") if of_positives else (size.negatives, "specificity")
    kind = ("positive" if of_positives else "negative") + ("" if few == 1 else "s")
    text = (
        f"There {'is' if few == 1 else 'are'} only {few:.3g} {kind}: "
        f"a single one changes the {name} by {brief(1 / float(few))}."
    )
    return f"{text} Read the intervals, not the values."


def ties(a: RuleContext) -> str | None:
    """Pairs that the scores leave to chance."""
    r = a.ranking
    if a.are_labels or not a.two_classes or r.pairs.tied < TIED * r.pairs.every:
        return None
    sharing = r.size[r.size > r.size.dtype.type(1)].sum() if r.integral else None
    who = f"{written(sharing)} of {written(r.total)} cases share their score with another: " if sharing else ""
    low = float(r.pairs.concordant / r.pairs.every)
    high = float((r.pairs.concordant + r.pairs.tied) / r.pairs.every)
    text = f"{who}{percent(float(r.pairs.tied / r.pairs.every))} of the pairs of a positive and a negative are tied"
    text = text[0].upper() + text[1:]
    return f"{text}, and count half. Broken one way or the other, the AUC would be from {brief(low)} to {brief(high)}."


def calibration_note(a: RuleContext) -> str | None:
    """Probabilities that are not what they say, by more than chance and by enough to matter."""
    if not a.ranking.are_probabilities or a.are_labels or not a.two_classes or a.evaluation.groups is not None:
        return None
    if _is_reversed(a):  # which says why
        return None
    c = calibration(a.ranking)
    if (on_average := _off_in_the_large(c)) is None:
        return _off_in_detail(c)
    slope = a.evaluation.estimate("calibration_slope", a.level)
    if not (slope.has_interval and slope.high < 1 - _SLOPE_OFF):
        return f"The probabilities are {on_average}{_RECALIBRATE}"
    # A mean that is off is then the smaller part, and often what the extreme ones make of it.
    return (
        f"The probabilities are too extreme: high ones are too high and low ones too low (slope {brief(slope.value)}, "
        f"{100 * a.level:g} % interval {brief(slope.low)} to {brief(slope.high)}, 1 is right). On average they are "
        f"{on_average}{_RECALIBRATE}"
    )


def certainly_wrong(a: RuleContext) -> str | None:
    """Cases whose class got probability 0, unless the scores are labels, or of the other class, which says why."""
    return None if a.are_labels or _is_reversed(a) else a.data_notes.get("certainly-wrong")


def perfect_calibration(a: RuleContext) -> str | None:
    """Calibration that is too good to be true: as on the cases that the model was fitted on."""
    r = a.ranking
    if not r.are_probabilities or len(r) < _MANY_SCORES or not a.two_classes or a.evaluation.groups is not None:
        return None
    if not abs(calibration(r).z_share) < _TOO_GOOD:
        return None
    slope = a.evaluation.estimate("calibration_slope", a.level)
    error = (slope.high - slope.low) / 2 / quantile(a.level)
    if not (abs(slope.value - 1) < _TOO_GOOD * error or a.evaluation.value("mcb") < _NO_ERROR):
        return None
    return (
        "The calibration is too good to be true: these are probably the cases that the model was fitted on. Its slope "
        f"is {slope.value:.4f} and the mean probability {calibration(r).expected:.4f} the share of positives. Evaluate "
        "it on other cases."
    )


def _off_in_the_large(c: CalibrationCheck) -> str | None:
    """How the mean of the probabilities is off; None where it is not."""
    if not abs(c.z_share) > _SURE or abs(c.expected - c.observed) < _SHARE_OFF * c.observed:
        return None
    way = "too high" if c.expected > c.observed else "too low"
    return f"{way}: predicted {_share(c.expected)}, observed {_share(c.observed)} (z = {c.z_share:.1f})."


def _share(share: float) -> str:
    """A share in per cent with one decimal; a small one with two digits, because predicted and observed are near.

    >>> _share(0.1062), _share(0.00216)
    ('10.6 %', '0.22 %')
    """
    return f"{100 * share:.1f} %" if share >= 0.01 else percent(share)


def _off_in_detail(c: CalibrationCheck) -> str | None:
    if not abs(c.z_brier) > _SURE or abs(c.brier - c.promised) < _BRIER_OFF * c.promised:
        return None
    way = "too extreme" if c.brier > c.promised else "too timid"
    return (
        f"The probabilities are {way}: Brier score {brief(c.brier)}, {brief(c.promised)} if they were true "
        f"(z = {c.z_brier:.1f}). They are right on average. Look at the calibration, and recalibrate."
    )


def identities(a: RuleContext) -> str | None:
    """Measures that were asked for and are equivalent."""
    if a.measures is None:
        return None
    no_ties = a.ranking.integral and len(a.ranking) == a.ranking.total
    sentences = [text for name in MEASURES if (text := _equivalents(a, name, no_ties=no_ties))]
    return f"These are equivalent: {'; '.join(sentences)}. They are no second opinion." if sentences else None


def _equivalents(a: RuleContext, first: Measure, *, no_ties: bool) -> str | None:
    """The measures that were asked for and follow from the first, if that makes two of them."""
    forms = [
        (m.name, m.equivalent)
        for m in MEASURES
        if m.equivalent and m.equivalent.to == first.name and m.name in a.seen and m.fits(a.ranking)
    ]
    forms = [(name, how) for name, how in forms if no_ties or not how.without_ties]
    if len(forms) + (first.name in a.seen) < 2:
        return None
    return ", ".join(
        f"{name} = {how.how}" + (", as no score is shared" if how.without_ties else "") for name, how in forms
    )


def weights(a: RuleContext) -> str | None:
    """What the weights count as."""
    return " ".join(on_sizes(a.ranking)) or None


def _data_note(id: str) -> Callable[[RuleContext], str | None]:
    return lambda a: a.data_notes.get(id)


def _of_data(id: str, kind: Kind, when: str) -> Rule:
    return Rule(id, kind, when, DATA, _data_note(id))


MODEL_RULES: tuple[Rule, ...] = (
    _of_data("one-class", "warning", "all cases are of one class"),
    _of_data("inside-a-bin", "warning", "the scores were binned, and the threshold goes through a bin"),
    Rule("reversed", "warning", "the AUC is below 0.5", BERRAR_RANKING, reversed_order),
    Rule("labels", "warning", "the scores have one or two distinct values", CUTLINE, labels),
    Rule(
        "perfect-calibration",
        "warning",
        "the mean probability and the calibration slope, or the recalibrated probabilities, are exactly right",
        CUTLINE,
        perfect_calibration,
    ),
    Rule("chance", "fact", "the interval of the AUC holds 0.5", BERRAR_INTERVALS, chance),
    Rule(
        "accuracy-baseline",
        "advice",
        "one class has four fifths of the cases or more, and flagging everybody or nobody is at least as accurate",
        f"{BERRAR}; {SONNENBURG}",
        accuracy_baseline,
    ),
    Rule(
        "imbalance",
        "advice",
        "one class has four fifths of the cases or more, and accuracy or the error rate is shown",
        f"{BERRAR}; {SONNENBURG}",
        imbalance,
    ),
    Rule(
        "calibration",
        "warning",
        "the scores can be probabilities of independent cases, and a test rejects them at 1 %, by enough to matter",
        SPIEGELHALTER,
        calibration_note,
    ),
    Rule("few-cases", "warning", "a class has fewer than 30 cases in effect", BERRAR_INTERVALS, few_cases),
    Rule(
        "certainly-wrong",
        "warning",
        "a case was of a class that got probability 0",
        DATA,
        certainly_wrong,
    ),
    _of_data("scale", "fact", "the scores are not probabilities, and no cut is given"),
    _of_data("all-alike", "warning", "the threshold flags nobody or everybody"),
    Rule(
        "quota-in-tie",
        "warning",
        "the quota ends among cases of both classes that share one score",
        ARBEL_TIES,
        quota_in_tie,
    ),
    Rule(
        "rare-positives",
        "advice",
        "a tenth of the cases or fewer are positive, and a measure of the ranking is shown",
        BERRAR,
        rare_positives,
    ),
    Rule("quota-known", "advice", "a quota or a share is given", ARBEL_END, quota_known),
    Rule("only-the-top", "advice", "the quota is a tenth of the list or less", BERRAR, only_the_top),
    Rule(
        "quota-unknown",
        "advice",
        "measures of a quota are asked for, but no quota is given",
        ARBEL,
        quota_unknown,
    ),
    Rule(
        "threshold",
        "advice",
        "another cut has an F1 above the interval of that at the threshold",
        BERRAR_LOSS,
        better_threshold,
    ),
    Rule(
        "ties",
        "advice",
        "a hundredth or more of the pairs of a positive and a negative are tied, by three scores or more",
        CUTLINE,
        ties,
    ),
    Rule(
        "wald",
        "fact",
        "a share that is shown has five cases or fewer on one side, so Wald's interval does not hold",
        WALD,
        wald,
    ),
    Rule(
        "identity",
        "fact",
        "two or more of the measures that are asked for are equivalent",
        CUTLINE,
        identities,
    ),
    Rule("weights", "fact", "the cases have weights", CUTLINE, weights),
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
        apply_rules(rule_context(evaluation, quota=quota, share=share, measures=measures, models={}, level=level))
    )


def apply_rules(about: RuleContext) -> list[Note]:
    """Return the notes of the rules that apply, in their order."""
    return [note for rule in MODEL_RULES if (note := rule.note(about))]
