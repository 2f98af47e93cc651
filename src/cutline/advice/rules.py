"""The rules: when the reader of numbers should know something, and in which words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

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
    DELONG,
    DOMINANCE,
    MAJORITY,
    SONNENBURG,
    SPIEGELHALTER,
    WALD,
    Rule,
    RuleContext,
    declare_data_rule,
    declare_rule,
    format_percent,
    shorten,
)
from cutline.core.counts import Counts, format_number
from cutline.core.messages import Argument, Text, capitalise
from cutline.core.ranking import BLOCK, Ranking
from cutline.inference import constants
from cutline.inference.effective_size import compute_effective_sizes
from cutline.inference.effective_size import describe_weights as on_sizes
from cutline.inference.single.calibration_error import CalibrationCheck, check_calibration
from cutline.inference.single.reference import wald_holds
from cutline.measures import MEASURES, Family, Measure
from cutline.results.estimate import quantile
from cutline.results.notes import DATA
from cutline.results.resample_budget import choose_curve_resamples_of_note

if TYPE_CHECKING:
    from cutline.comparison import Comparison

RARE = 0.1  # Berrar's example of highly unbalanced classes, nine to one
TOP = 0.1


@declare_rule(
    "accuracy-baseline",
    "advice",
    when="one class has four fifths of the cases or more, and flagging everybody or nobody is at least as accurate",
    source=f"{BERRAR}; {SONNENBURG}",
)
def accuracy_baseline(a: RuleContext) -> str | None:
    """Note that flagging everybody or nobody is at least as accurate as every model."""
    share = max(a.prevalence, 1 - a.prevalence)
    models = list(a.models.values()) or [a.evaluation]
    if not _is_lopsided(a) or any(float(model.value("accuracy")) > share for model in models):
        return None
    whom = "everybody" if a.prevalence > 0.5 else "nobody"
    return (
        f"The accuracy is not higher than that of a model that flags {whom}: {a.values('accuracy')}, where flagging "
        f"{whom} "
        f"gives {shorten(share)}. Read recall together with precision, or the precision-recall curve, instead."
    )


@declare_rule(
    "imbalance",
    "advice",
    when="one class has four fifths of the cases or more, and accuracy or the error rate is shown",
    source=f"{BERRAR}; {SONNENBURG}",
)
def imbalance(a: RuleContext) -> str | None:
    """Note that the accuracy of flagging everybody or nobody is high already."""
    if not _is_lopsided(a) or accuracy_baseline.find(a) is not None:
        return None
    share = max(a.prevalence, 1 - a.prevalence)
    mostly_positive = a.prevalence > 0.5
    whom, name = ("everybody", "positive") if mostly_positive else ("nobody", "negative")
    text = (
        f"{format_percent(share)} of the cases are {name}: a model that flags {whom} has accuracy {shorten(share)}; "
        f"{'these have' if a.models else 'yours has'} {a.values('accuracy')}. "
        "Read recall together with precision, or the precision-recall curve, instead."
    )
    return (
        Text(text, " Or name the rare class as the positive one with ", Argument("positive"), ".")
        if mostly_positive
        else text
    )


def _is_lopsided(a: RuleContext) -> bool:
    """Whether one class has most of the cases, and the reader sees the accuracy."""
    share = max(a.prevalence, 1 - a.prevalence)
    return a.two_classes and share >= MAJORITY and bool(a.visible & {"accuracy", "error_rate"})


@declare_rule(
    "rare-positives",
    "advice",
    when="a tenth of the cases or fewer are positive, and a measure of the ranking is shown",
    source=BERRAR,
)
def rare_positives(a: RuleContext) -> str | None:
    """Point to the precision-recall curve instead of the ROC curve."""
    if not a.two_classes or a.prevalence > RARE or not a.visible & {"auc", "gini", "average_precision", "ks", "pem"}:
        return None
    c = a.evaluation.counts
    wrong = ""
    if c.fp and not a.models:
        wrong = (
            f" At your threshold the false positive rate is {shorten(float(c.fpr))}: that is "
            f"{format_number(c.fp)} wrong flags beside {format_number(c.tp)} right ones."
        )
    return (
        f"{format_percent(a.prevalence)} of the cases are positive, which the ROC curve does not show.{wrong} "
        f"Look at the precision-recall curve: the average precision is {a.values('average_precision')}, "
        f"that of a constant score about {shorten(a.prevalence)}."
    )


@declare_rule("quota-known", "advice", when="a quota or a share is given", source=ARBEL_END)
def quota_known(a: RuleContext) -> str | None:
    """Note what the quota reaches, and when to read the hit rate or Qrecall."""
    if a.quota is None or not a.two_classes:
        return None
    c = a.ranking.at_quota(a.quota)
    hits, recall = float(c.precision), float(c.recall)  # which are the hit rate and Qrecall there
    positives = float(a.ranking.positives)
    text = (
        f"With a quota of {format_number(a.quota)}: read the hit rate, {shorten(hits)}, if a wrong inclusion is "
        "costly, and "
        f"Qrecall, {shorten(recall)}, if a missed positive is."
    )
    if a.quota < positives:
        return (
            f"{text} Qrecall cannot exceed {shorten(a.quota / positives)}: there are {format_number(positives)} "
            "positives."
        )
    if a.quota > positives:
        most = shorten(positives / a.quota)
        return f"{text} The hit rate cannot exceed {most}: there are {format_number(positives)} positives."
    return text


@declare_rule("only-the-top", "advice", when="the quota is a tenth of the list or less", source=BERRAR)
def only_the_top(a: RuleContext) -> str | None:
    """Note that the AUC judges the whole list, of which the quota is a small part."""
    n = float(a.ranking.total)
    if a.quota is None or not a.two_classes or a.quota > TOP * n or not a.visible & {"auc", "gini", "pem"}:
        return None
    return (
        f"Your quota is {format_percent(a.quota / n)} of the list, but the AUC weights every position equally. "
        "Judge the top by the hit rate, the average precision or the precision-recall curve."
    )


@declare_rule(
    "quota-in-tie", "warning", when="the quota ends among cases of both classes that share one score", source=ARBEL_TIES
)
def quota_in_tie(a: RuleContext) -> str | None:
    """Note that the quota ends inside a tie, and how many positives it may hold."""
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
        f"The quota of {format_number(a.quota)} ends inside a tie: {format_number(pos + neg)} cases share the score "
        f"{r.score[cell]:g}, and there is room for {format_number(places)} of them. Depending on which are taken, "
        "the quota "
        f"holds {format_number(low)} to {format_number(high)} positives; the values are those of a random choice."
    )


@declare_rule("quota-unknown", "advice", when="measures of a quota are requested, but no quota is given", source=ARBEL)
def quota_unknown(a: RuleContext) -> str | None:
    """Point to averages over quotas where no quota is given."""
    if a.quota is not None or a.measures is None or not a.two_classes:
        return None
    if not any(MEASURES[name].family is Family.QUOTA for name in a.measures):
        return None
    hits, recall, pem = (_format_in_brackets(a, name) for name in ("average_hit_rate", "average_qrecall", "pem"))
    return Text(
        f"No quota is given. If it is not known yet, read the average hit rate{hits} if a wrong inclusion is costly, "
        f"and the average Qrecall{recall} or PEM{pem} if a missed positive is. If it is, pass ",
        Argument("quota"),
        " or ",
        Argument("share"),
        ".",
    )


def _format_in_brackets(a: RuleContext, measure: str) -> str:
    """Return a value in brackets, or nothing where it is undefined, as with fractional weights."""
    value = a.evaluation.value(measure)
    return "" if math.isnan(value) else f" ({shorten(value)})"


@declare_rule(
    "threshold", "advice", when="another cut has an F1 above the interval of that at the threshold", source=BERRAR_LOSS
)
def better_threshold(a: RuleContext) -> str | None:
    """Name a threshold whose F1 lies above the interval of the F1 at the chosen one."""
    if (
        not a.two_classes
        or a.are_labels
        or a.evaluation.groups is not None
        or "f1" not in a.visible
        or a.evaluation.cut.by_quota
    ):
        return None
    r, f1 = a.ranking, a.evaluation.estimate("f1", a.level)
    highest, best = _find_highest_f1(r)
    if math.isnan(f1.value) or not highest > max(f1.high, f1.value):
        return None
    return (
        f"At the threshold {a.evaluation.threshold:g} F1 is {shorten(f1.value)}; at {r.thresholds[best]:.3g} it is "
        f"{shorten(highest)} on these cases. Choose the threshold on cases that you do not test on."
    )


def _find_highest_f1(r: Ranking) -> tuple[float, int]:
    """Return the highest F1 over all cuts, and its cut; in blocks, so that a long list takes no copies."""
    highest, best = -math.inf, 0
    for start in range(0, len(r) + 1, BLOCK):
        tp, fp = r.tp[start : start + BLOCK], r.fp[start : start + BLOCK]
        f1 = np.nan_to_num(MEASURES["f1"].compute(Counts(tp, fp, r.positives - tp, r.negatives - fp)))
        at = int(f1.argmax())
        if f1[at] > highest:
            highest, best = float(f1[at]), start + at
    return highest, best


@declare_rule(
    "wald",
    "fact",
    when="a share that is shown has five cases or fewer on one side, so Wald's interval does not hold",
    source=WALD,
)
def wald(a: RuleContext) -> str | None:
    """Name the shares with too few cases for Wald's interval."""
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
        f"{name} ({format_number(k)} of {format_number(n)})"
        for name, (k, n) in shares.items()
        if name in a.visible and n and not wald_holds(k, n)
    ]
    if not failing:
        return None
    return (
        f"Too few cases for Wald's interval, which needs more than 5 on either side: {', '.join(failing)}. "
        "The intervals here are Wilson's, which remain valid; those of Clopper and Pearson never cover less than "
        "their level."
    )


TIED = 0.01  # share of the pairs from which on ties are worth a word
_SURE = 2.576  # a z value that chance exceeds once in a hundred times, on either side
_TOO_GOOD = 0.005  # a distance in standard errors that is smaller by chance once in 250 times
_MANY_SCORES, _NO_ERROR = 10, 1e-9
# Relative errors that matter, however many cases show them.
_SHARE_OFF, _BRIER_OFF, _SLOPE_OFF = 0.05, 0.02, 0.1
_RECALIBRATE = " Recalibrate before you use them as probabilities; the order of the cases does not change."


@declare_rule("reversed", "warning", when="the AUC is below 0.5", source=BERRAR_RANKING)
def reversed_order(a: RuleContext) -> str | None:
    """Note that an AUC below 0.5 means reversed scores, or may be chance."""
    text = a.data_notes.get("reversed")
    if text and a.auc and 0.5 in a.auc:
        return Text(text, f" It may be chance: the AUC is {_with_interval(a)}.")
    if text and a.ranking.are_probabilities and a.auc:
        other = Argument("positive")
        hint = ("name the other class with ", other, ", or pass 1 - score; or, if low scores mean positive, ")
        turn = ("leave out " if not a.ranking.higher_is_positive else "pass ", Argument("higher_is_positive", False))
        return Text(
            f"The scores look like probabilities of the other class: the AUC is {shorten(a.auc.value)}. Then ",
            *(*hint, *turn, "."),
        )
    return text


def _is_reversed(a: RuleContext) -> bool:
    """Whether the scores are reversed by more than chance."""
    return "reversed" in a.data_notes and a.auc is not None and 0.5 not in a.auc


@declare_rule("chance", "fact", when="the interval of the AUC contains 0.5", source=BERRAR_INTERVALS)
def chance(a: RuleContext) -> str | None:
    """Note that the interval of the AUC contains 0.5."""
    if not a.auc or len(a.ranking) < 2 or a.auc.value < 0.5 or 0.5 not in a.auc:
        return None
    return f"These cases do not show that the model ranks better than the baseline: its AUC is {_with_interval(a)}."


def _with_interval(a: RuleContext) -> str:
    estimate = a.auc
    if estimate is None:
        return ""
    limits = f"{shorten(estimate.low)} to {shorten(estimate.high)}"
    return f"{shorten(estimate.value)} ({100 * estimate.level:g} % interval {limits})"


@declare_rule("labels", "warning", when="the scores have one or two distinct values", source=CUTLINE)
def labels(a: RuleContext) -> str | None:
    """Note that labels were passed as scores."""
    text = a.data_notes.get("labels")
    if text and a.two_classes and len(a.ranking) == 2:
        text += (
            f" Their AUC, {shorten(a.evaluation.auc)}, is the balanced accuracy of one cut. Pass the scores themselves."
        )
    return text


@declare_rule("few-cases", "warning", when="a class has an effective size below 30 cases", source=BERRAR_INTERVALS)
def few_cases(a: RuleContext) -> str | None:
    """Note how much a single case of a small class changes."""
    size = compute_effective_sizes(a.ranking)
    if not a.two_classes or min(size) >= constants.FEW_CASES:
        return None
    of_positives = size.positives <= size.negatives
    few, name = (size.positives, "recall") if of_positives else (size.negatives, "specificity")
    kind = ("positive" if of_positives else "negative") + ("" if few == 1 else "s")
    text = (
        f"There {'is' if few == 1 else 'are'} only {few:.3g} {kind}: "
        f"a single one changes the {name} by {shorten(1 / float(few))}."
    )
    return f"{text} Read the intervals, not the values."


@declare_rule(
    "ties",
    "advice",
    when="a hundredth or more of the pairs of a positive and a negative are tied, by three scores or more",
    source=CUTLINE,
)
def ties(a: RuleContext) -> str | None:
    """Note how many pairs are tied, and between which values the AUC would lie if ties were broken."""
    r = a.ranking
    if a.are_labels or not a.two_classes or r.pairs.tied < TIED * r.pairs.every:
        return None
    sharing = r.size[r.size > r.size.dtype.type(1)].sum() if r.integral else None
    who = (
        f"{format_number(sharing)} of {format_number(r.total)} cases share their score with another: "
        if sharing
        else ""
    )
    low = float(r.pairs.concordant / r.pairs.every)
    high = float((r.pairs.concordant + r.pairs.tied) / r.pairs.every)
    text = (
        f"{who}{format_percent(float(r.pairs.tied / r.pairs.every))} of the pairs of a positive and a negative are tied"
    )
    return (
        f"{capitalise(text)}, and count as half. "
        f"If ties were broken, the AUC would lie between {shorten(low)} and {shorten(high)}."
    )


@declare_rule(
    "calibration",
    "warning",
    when="the scores can be probabilities of independent cases, and a test rejects them at 1 %, by enough to matter",
    source=SPIEGELHALTER,
)
def calibration_note(a: RuleContext) -> str | None:
    """Note that the probabilities are significantly wrong, by enough to matter."""
    if not a.ranking.are_probabilities or a.are_labels or not a.two_classes or a.evaluation.groups is not None:
        return None
    if _is_reversed(a):  # which says why
        return None
    c = check_calibration(a.ranking)
    if (on_average := _describe_error_on_average(c)) is None:
        return _describe_error_in_detail(c)
    slope = a.evaluation.estimate("calibration_slope", a.level)
    if not (slope.has_interval and slope.high < 1 - _SLOPE_OFF):
        return f"The probabilities are {on_average}{_RECALIBRATE}"
    # A mean that is off is then the smaller part, and often what the extreme ones make of it.
    return (
        "The probabilities are too extreme: high ones are too high and low ones too low "
        f"(slope {shorten(slope.value)}, {100 * a.level:g} % interval {shorten(slope.low)} to {shorten(slope.high)}, "
        "1 is right). "
        f"On average they are {on_average}{_RECALIBRATE}"
    )


@declare_rule("certainly-wrong", "warning", when="the true class of a case got probability 0", source=DATA)
def certainly_wrong(a: RuleContext) -> str | None:
    """Note that cases were of a class with probability 0, unless labels or reversed scores explain it."""
    return None if a.are_labels or _is_reversed(a) else a.data_notes.get("certainly-wrong")


@declare_rule(
    "perfect-calibration",
    "warning",
    when="the mean probability and the calibration slope, or the recalibrated probabilities, are exactly right",
    source=CUTLINE,
)
def perfect_calibration(a: RuleContext) -> str | None:
    """Note that the calibration is as perfect as on training cases."""
    r = a.ranking
    if not r.are_probabilities or len(r) < _MANY_SCORES or not a.two_classes or a.evaluation.groups is not None:
        return None
    if not abs(check_calibration(r).z_share) < _TOO_GOOD:
        return None
    slope = a.evaluation.estimate("calibration_slope", a.level)
    error = (slope.high - slope.low) / 2 / quantile(a.level)
    if not (abs(slope.value - 1) < _TOO_GOOD * error or a.evaluation.value("mcb") < _NO_ERROR):
        return None
    return (
        "The calibration is too good to be true: these are probably the cases that the model was fitted on. Its slope "
        f"is {slope.value:.4f} and the mean probability {check_calibration(r).expected:.4f} the share of positives. "
        "Evaluate it on other cases."
    )


def _describe_error_on_average(c: CalibrationCheck) -> str | None:
    """Describe how the mean probability differs from the share of positives; None where it does not."""
    if not abs(c.z_share) > _SURE or abs(c.expected - c.observed) < _SHARE_OFF * c.observed:
        return None
    direction = "too high" if c.expected > c.observed else "too low"
    predicted, observed = _format_share(c.expected), _format_share(c.observed)
    return f"{direction}: predicted {predicted}, observed {observed} (z = {c.z_share:.1f})."


def _format_share(share: float) -> str:
    """Format a share in per cent with one decimal; a small one with two digits, as predicted and observed are near.

    >>> _format_share(0.1062), _format_share(0.00216)
    ('10.6 %', '0.22 %')
    """
    return f"{100 * share:.1f} %" if share >= 0.01 else format_percent(share)


def _describe_error_in_detail(c: CalibrationCheck) -> str | None:
    if not abs(c.z_brier) > _SURE or abs(c.brier - c.promised) < _BRIER_OFF * c.promised:
        return None
    direction = "too extreme" if c.brier > c.promised else "too timid"
    return (
        f"The probabilities are {direction}: Brier score {shorten(c.brier)}, {shorten(c.promised)} if they were true "
        f"(z = {c.z_brier:.1f}). They are right on average. Look at the calibration, and recalibrate."
    )


@declare_rule("identity", "fact", when="two or more of the requested measures are equivalent", source=CUTLINE)
def identities(a: RuleContext) -> str | None:
    """Name the measures among those requested that are equivalent."""
    if a.measures is None:
        return None
    no_ties = a.ranking.integral and len(a.ranking) == a.ranking.total
    sentences = [text for name in MEASURES if (text := _describe_equivalents(a, name, no_ties=no_ties))]
    return f"These are equivalent: {'; '.join(sentences)}. They are not a second opinion." if sentences else None


def _describe_equivalents(a: RuleContext, first: Measure, *, no_ties: bool) -> str | None:
    """Describe the requested measures that follow from the first, if there are two."""
    forms = [
        (m.name, m.equivalent)
        for m in MEASURES
        if m.equivalent and m.equivalent.to == first.name and m.name in a.visible and m.fits(a.ranking)
    ]
    forms = [(name, how) for name, how in forms if no_ties or not how.without_ties]
    if len(forms) + (first.name in a.visible) < 2:
        return None
    return ", ".join(
        f"{name} = {how.how}" + (", as no score is shared" if how.without_ties else "") for name, how in forms
    )


@declare_rule("weights", "fact", when="the cases have weights", source=CUTLINE)
def weights(a: RuleContext) -> str | None:
    """Note how the weights are interpreted."""
    return " ".join(on_sizes(a.ranking)) or None


# ---------------------------------------------------------------------- several models


ALONE = 0.05  # the part of the axis over which a model has to be the only best one


@dataclass(frozen=True)
class ComparisonContext:
    """A comparison, the places that can be filled, the measures that the reader sees, and how intervals are made."""

    comparison: Comparison
    quota: float | None
    measures: frozenset[str] | None
    level: float
    resamples: int | None
    seed: int

    @property
    def two_classes(self) -> bool:
        """Whether there are cases of both classes."""
        r = self.comparison.pairing.rankings[0]
        return bool(r.positives and r.negatives)


@declare_rule(
    "single-cut", "warning", when="two models have the same counts at their cut, but different scores", source=BERRAR
)
def same_counts(a: ComparisonContext) -> str | None:
    """Name two models with the same counts at the cut and different scores."""
    models = list(a.comparison.items())
    for i, (name, first) in enumerate(models):
        for other, second in models[i + 1 :]:
            c, d = first.counts, second.counts
            if (c.tp, c.fp) == (d.tp, d.fp) and first.ranking != second.ranking:
                return (
                    f"{name} and {other} have the same counts at the cut (accuracy {shorten(float(c.accuracy))}), but "
                    f"not the same scores: no measure of one cut tells them apart. {_list_differences(a, name, other)}"
                )
    return None


def _list_differences(a: ComparisonContext, name: str, other: str) -> str:
    first, second = a.comparison[name], a.comparison[other]
    differing = []
    for measure in (MEASURES[m] for m in ("auc", "average_precision", "brier", "log_loss")):
        if measure.fits(first.ranking) and measure.fits(second.ranking):
            x, y = shorten(first.value(measure)), shorten(second.value(measure))
            if x != y:
                differing.append(f"{measure.title} {x} and {y}")
    return f"Others can: {', '.join(differing)}." if differing else "Compare their rankings or probabilities."


@declare_rule(
    "too-small",
    "warning",
    when="the model with the highest AUC cannot be distinguished from another one (DeLong's test with Holm's "
    "correction, at the level of the summary)",
    source=DELONG,
)
def undecided_lead(a: ComparisonContext) -> str | None:
    """Note that the lead of the best model in AUC is not significant, and how many cases would show it."""
    if not a.two_classes or (a.measures is not None and "auc" not in a.measures):
        return None
    values = a.comparison.values_of("auc")
    leader = max(values, key=lambda name: values[name])
    p_values = {frozenset((t.a, t.b)): t.p_holm for t in a.comparison.test("auc", seed=a.seed)}
    close = [name for name in values if name != leader and p_values[frozenset((leader, name))] > 1 - a.level]
    if not close:
        return None
    nearest = max(close, key=lambda name: values[name])
    lead = a.comparison.difference("auc", leader, nearest, level=a.level, seed=a.seed)
    if lead.value == 0 or not lead.has_interval:
        return None
    from cutline.inference.differences.difference import StudentDifference, needed_cases

    n, unit = a.comparison.pairing.total, a.comparison.pairing.unit
    spread = (lead.high - lead.low) / 2 / quantile(a.level)
    cases_needed = needed_cases(StudentDifference(lead.value, spread), n, a.level)
    enough = f" About {float(f'{cases_needed:.2g}'):,.0f} {unit} would, with 80 % power." if cases_needed > n else ""
    return (
        f"{leader} has the highest AUC, but {n:,} {unit} do not show that it is better than {', '.join(close)}: it "
        f"leads {nearest} by {shorten(lead.value)} "
        f"({100 * a.level:g} % interval {shorten(lead.low)} to {shorten(lead.high)}).{enough}"
    )


@declare_rule(
    "dominance",
    "advice",
    when="two models or more are each better than all others somewhere along the false positive rates, or the quotas "
    "(simultaneous confidence, at the level of the summary)",
    source=DOMINANCE,
)
def no_dominance(a: ComparisonContext) -> str | None:
    """Note which model is best in which region."""
    if not a.two_classes:
        return None
    curve = "quota" if a.quota is not None else "roc"
    areas = a.comparison.dominance(curve)
    length = sum(span.high - span.low for span in areas.spans)
    alone = [
        name
        for name in areas.names
        if sum(s.high - s.low for s in areas.spans if s.best == (name,)) >= ALONE * length > 0
    ]
    resamples = choose_curve_resamples_of_note(len(a.comparison.pairing), a.resamples)
    if len(alone) < 2 or not resamples:
        return None
    sure = a.comparison.regions(curve, level=a.level, resamples=resamples, seed=a.seed)
    if len(sure.leaders) < 2:  # where curves cross may be chance
        return None
    if a.quota is None:
        return f"{areas.verdict} Choose by the false positive rate that you work at."
    hits = {name: float(model.ranking.at_quota(a.quota).precision) for name, model in a.comparison.items()}
    best = max(hits.values())
    first = " and ".join(name for name, value in hits.items() if value == best)
    return (
        f"{areas.verdict} At your quota of {format_number(a.quota)} it is {first}, with a hit rate of {shorten(best)}."
    )


# ---------------------------------------------------------------------- the rules, in the order of their notes


MODEL_RULES: tuple[Rule, ...] = (
    declare_data_rule("one-class", "warning", "all cases are of one class"),
    declare_data_rule("inside-a-bin", "warning", "the scores were binned, and the threshold goes through a bin"),
    reversed_order,
    labels,
    perfect_calibration,
    chance,
    accuracy_baseline,
    imbalance,
    calibration_note,
    few_cases,
    certainly_wrong,
    declare_data_rule("scale", "fact", "the scores are not probabilities, and no cut is given"),
    declare_data_rule("all-alike", "warning", "the threshold flags nobody or everybody"),
    quota_in_tie,
    rare_positives,
    quota_known,
    only_the_top,
    quota_unknown,
    better_threshold,
    ties,
    wald,
    identities,
    weights,
    declare_data_rule("groups-are-folds", "warning", "the groups or strata are of equal size, as folds are"),
    declare_data_rule(
        "groups-differ", "warning", "the mean scores of the groups or strata differ greatly, as those of folds may"
    ),
    declare_data_rule(
        "read-as", "fact", "numbers were written in percent or with decimal commas, or one sheet of several read"
    ),
    declare_data_rule("dropped", "fact", "rows with a missing value were dropped"),
    declare_data_rule("binned", "fact", "the scores were binned"),
    declare_data_rule("groups", "fact", "the cases come in groups, such as the visits of a patient"),
)


COMPARISON_RULES: tuple[Rule, ...] = (
    same_counts,
    undecided_lead,
    no_dominance,
)
RULES: tuple[Rule, ...] = (*MODEL_RULES, *COMPARISON_RULES)
