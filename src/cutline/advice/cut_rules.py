"""The rules about cuts: one threshold, one quota, and what they hide."""

from __future__ import annotations

import math

import numpy as np

from cutline.advice.context import RuleContext, brief, percent
from cutline.advice.recommend import MAJORITY
from cutline.core.counts import written
from cutline.core.messages import Argument, Text
from cutline.inference.single.reference import wald_holds
from cutline.measures import MEASURES, Family

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
        f"gives {brief(share)}. Read balanced accuracy, MCC or the precision-recall curve instead."
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
        "Read balanced accuracy, MCC or the precision-recall curve instead."
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
    hits, recall, pem = (_given(a, name) for name in ("average_hit_rate", "average_qrecall", "pem"))
    return Text(
        f"No quota is given. If it is not known yet, read the average hit rate{hits} if a wrong inclusion is costly, "
        f"and the average Qrecall{recall} or PEM{pem} if a missed positive is. If it is, pass ",
        Argument("quota"),
        " or ",
        Argument("share"),
        ".",
    )


def _given(a: RuleContext, measure: str) -> str:
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
    every = np.nan_to_num(MEASURES["f1"].compute(r.counts))
    best = int(every.argmax())
    if math.isnan(here.value) or not every[best] > max(here.high, here.value):
        return None
    return (
        f"At the threshold {a.evaluation.threshold:g} F1 is {brief(here.value)}; at {r.thresholds[best]:.3g} it is "
        f"{brief(float(every[best]))} on these cases. Choose the threshold on cases that you do not test on."
    )


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
