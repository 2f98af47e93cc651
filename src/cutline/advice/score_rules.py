"""The rules about scores: their order, their ties, and whether they are the probabilities that they seem to be."""

from __future__ import annotations

from cutline.advice.context import RuleContext, brief, percent
from cutline.core.counts import written
from cutline.core.messages import Argument, Text
from cutline.inference import constants
from cutline.inference.effective_size import effective
from cutline.inference.effective_size import notes as on_sizes
from cutline.inference.single.calibration_error import CalibrationCheck, calibration
from cutline.measures import MEASURES, Measure
from cutline.results.estimate import quantile

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
        f"The probabilities are {way}: Brier score {brief(c.brier)}, expected {brief(c.promised)} "
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
