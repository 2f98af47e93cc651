"""The sentences of a cut: what it promises, what that assumes, and why there is none."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from cutline.core.counts import add_commas, format_number
from cutline.core.errors import Argument, Text
from cutline.core.messages import join_with_and, lower_title
from cutline.core.ranking import Ranking
from cutline.core.table import format_value
from cutline.core.validation import format_count
from cutline.cuts.guarantees import PrecisionAnywhere, PrecisionAtQuotas, Promise, RatePromise
from cutline.cuts.search import OPTIMUM, CutSearch

GROUPS = (
    "The cases come in groups, and promises hold for independent cases only: write the requirement on a limit, such as "
    "'recall.low >= 0.9', whose interval resamples whole groups."
)
WEIGHTS = (
    "The cases have weights, and promises hold for cases of equal weight: pass the rows without weights, or write the "
    "requirement on a limit, such as 'recall.low >= 0.9', whose interval resamples the cases."
)
BINNED = "The scores were binned, and promises need exact scores: rank them without bins."

BASIS = (
    "The cases are independent, and drawn in the same way as future cases.",
    "The model was fixed before it saw these cases; nothing was tuned on them.",
)
IN_ADVANCE = Text(
    "The requirement was fixed before anybody looked at these results; ",
    Argument("after_looking", True),
    " drops this assumption.",
)
ONE_SIDED = (
    "The promise is one-sided: all of its risk of error, {risk}, lies on the side that matters. The intervals are "
    "two-sided, with {half} on each side, so that one may reach beyond what is promised."
)
AT_QUOTAS = "The quotas at which precision is tested were fixed before anybody looked."
IN_SEQUENCE = (
    "Precision was tested at quotas that follow from the requirement and the number of cases alone, from the smallest "
    "up until one failed."
)
NO_DRIFT = "The population does not drift: check the promise on new cases from time to time."


def format_percent(share: float) -> str:
    """Return a share as people say it.

    >>> format_percent(0.9), format_percent(0.025), format_percent(0.999)
    ('90 %', '2.5 %', '99.9 %')
    """
    return f"{100 * share:.6g} %"


def format_confidence(confidence: float) -> str:
    """Return a confidence as people say it, rounded down where it has more than four digits.

    >>> format_confidence(0.95), format_confidence(0.9999), format_confidence(0.974679)
    ('95 %', '99.99 %', '97.46 %')
    """
    as_given = round(100 * confidence, 2)
    return f"{as_given if abs(as_given - 100 * confidence) < 1e-9 else math.floor(1e4 * confidence) / 100:g} %"


def format_exact(number: float) -> str:
    """Return a number with as many digits as it takes to tell it from its neighbours: statements are copied.

    >>> format_exact(0.31), format_exact(1 / 3), format_exact(20.0)
    ('0.31', '0.3333333333333333', '20')
    """
    return short if float(short := format_number(number)) == number else repr(float(number))


def format_without_noise(number: float) -> str:
    """Return a number as `format_exact` does, without the last bits that arithmetic adds to a short decimal.

    >>> format_without_noise(0.24198500000000003), format_without_noise(0.1 + 0.2), format_without_noise(1 / 3)
    ('0.241985', '0.3', '0.3333333333333333')
    """
    short = float(f"{number:.12g}")
    return format_exact(short if abs(short - number) <= 2 * np.spacing(abs(number)) else number)


# What is promised of future cases, of those that reach the threshold; the page of a report has these sentences too.
CLAUSES = {
    "recall": "at least {rate} of future positives {reaches}",
    "fpr": "at most {rate} of future negatives {reaches}",
    "share": "at most {rate} of future cases {reaches}",
    "precision": "at least {rate} of future cases that {reaches} are positive, at {prevalence}",
}
WHO = {"recall": ("positive", "missed"), "fpr": ("negative", "flagged"), "share": ("case", "flagged")}
ROOM = "{allowed} of your {cases} may be {verb}"
OWN_PREVALENCE, OTHER_PREVALENCE = "the prevalence of your data", "a prevalence of {percent}"


def describe_flagged(threshold: float, *, higher: bool) -> str:
    """Return who is flagged, as the verb of a sentence about cases."""
    if math.isinf(threshold):
        return "are flagged (this cut flags nobody)" if (threshold > 0) == higher else "are flagged"
    return f"score {format_without_noise(threshold)} or {'more' if higher else 'less'}"


def state_promise(
    promises: Sequence[Promise],
    r: Ranking,
    threshold: float,
    confidence: float,
    *,
    after_looking: bool,
    with_room: bool = True,
) -> str:
    """Return the statement of a cut that keeps its promises; the room is how many cases may be beyond it."""
    where = ", even if you chose the cut after looking" if after_looking else ""
    parts = join_with_and(
        [_write_clause(promise, describe_flagged(threshold, higher=r.higher_is_positive)) for promise in promises]
    )
    both = "" if len(promises) == 1 else ", all at once"
    comma = "," if where or both else ""
    always = ", whatever the distribution" if all(isinstance(promise, RatePromise) for promise in promises) else ""
    room = (
        [*map(_describe_room, _select_strictest(promises)), *_describe_room_among_flagged(promises, r, threshold)]
        if with_room
        else []
    )
    tail = f"; {' and '.join(room)}" if room else ""
    return f"With {format_confidence(confidence)} confidence{where}{both}{comma} {parts}{always}{tail}."


def _write_clause(promise: Promise, reaching: str) -> str:
    if isinstance(promise, RatePromise):
        rate = 1 - promise.rate if promise.about == "recall" else promise.rate
        return CLAUSES[promise.about].format(rate=format_percent(rate), reaches=reaching)
    at = OWN_PREVALENCE
    if isinstance(promise, PrecisionAnywhere) and promise.prevalence is not None:
        at = OTHER_PREVALENCE.format(percent=format_percent(promise.prevalence))
    return CLAUSES["precision"].format(rate=format_percent(promise.least), reaches=reaching, prevalence=at)


def _select_strictest(promises: Sequence[Promise]) -> list[RatePromise]:
    """Return the strictest promise about each rate."""
    strictest: dict[str, RatePromise] = {}
    for promise in promises:
        if isinstance(promise, RatePromise) and (
            promise.about not in strictest or promise.allowed < strictest[promise.about].allowed
        ):
            strictest[promise.about] = promise
    return list(strictest.values())


def _describe_room(promise: RatePromise) -> str:
    who, verb = WHO[promise.about]
    return ROOM.format(allowed=format_number(promise.allowed), cases=format_count(promise.cases, who), verb=verb)


def _describe_room_among_flagged(promises: Sequence[Promise], r: Ranking, threshold: float) -> list[str]:
    """Return how many of the flagged cases may be negative, by the highest precision that is promised at a quota."""
    tested = [promise for promise in promises if isinstance(promise, PrecisionAtQuotas)]
    if not tested:
        return []
    cut = r.cut(threshold)
    allowed = max(tested, key=lambda promise: promise.least).count_allowed_negatives(r, cut)
    flagged = format_count(int(r.ends[cut]), "flagged case")
    return [ROOM.format(allowed=format_number(allowed), cases=flagged, verb="negative")]


NOTHING = (
    "With {confidence} confidence nothing can be promised about the threshold {threshold}: these are too few cases."
)
BEYOND = "beyond every score"
NO_BOUND = "nothing"  # is promised of places inside a tie, which are no threshold's


def state_nothing(threshold: float, confidence: float) -> str:
    """Return the statement for a threshold without any guarantee."""
    return NOTHING.format(confidence=format_confidence(confidence), threshold=_name_threshold(threshold))


NOT_SMOOTH = (
    "There is no such cut: the kernel and the normal method need finite scores that vary in both classes, "
    "and are higher in the positives."
)
NO_CUT = "No cut meets all requirements at once: relax one of them, lower the confidence, or collect more cases."
NOT_PROMISED = (
    "No cut promises '{requirement}' with {confidence} confidence: "
    "lower the bound or the confidence, or collect more cases."
)
TOO_FEW = (
    "It takes at least {needed} to promise '{requirement}' with {confidence} confidence, and there are {cases}: only "
    "{way} would."
)
WAYS = {"recall": "flagging everybody", "fpr": "flagging nobody", "share": "flagging nobody"}


NO_NUMBER = "No number of cases can promise '{requirement}': relax it a little."
TOO_FEW_POSITIVES = (
    "It takes at least {needed} to promise '{requirement}' with {confidence} confidence, and there are {positives}."
)


def explain_impossible(
    promises: Sequence[Promise], confidence: float, *, others: bool, positives: float = math.inf
) -> str:
    """Return why no cut keeps the promises, and what it would take; `positives` is how many there are."""
    for promise in promises:
        if isinstance(promise, RatePromise) and promise.allowed < 0:
            return _explain_too_few(promise)
        if isinstance(promise, PrecisionAtQuotas) and promise.positives_needed > positives:
            return _explain_too_few_positives(promise, int(positives))
    if len(promises) + others > 1:
        return NO_CUT
    return NOT_PROMISED.format(requirement=promises[0].requirement.text, confidence=format_confidence(confidence))


def _explain_too_few_positives(promise: PrecisionAtQuotas, positives: int) -> str:
    if math.isinf(promise.positives_needed):
        return NO_NUMBER.format(requirement=promise.requirement.text)
    return TOO_FEW_POSITIVES.format(
        needed=format_count(int(promise.positives_needed), "positive"),
        requirement=promise.requirement.text,
        confidence=format_confidence(promise.confidence),
        positives=positives,
    )


def _explain_too_few(promise: RatePromise) -> str:
    if math.isinf(promise.needed):
        return NO_NUMBER.format(requirement=promise.requirement.text)
    needed = format_count(int(promise.needed), WHO[promise.about][0])
    how = {"confidence": format_confidence(promise.confidence), "cases": promise.cases, "way": WAYS[promise.about]}
    return TOO_FEW.format(needed=needed, requirement=promise.requirement.text, **how)


FLAGS = "Flag {who}: {flagged} of {total} cases"
BY_SCORE, NOBODY, EVERYBODY = "cases with score {sign} {threshold}", "nobody", "everybody"
BEST = "{flags}. This has the {verb} {criterion}{where}{given}: {apparent} here{later}; no guarantee for future cases."
STEADIER = (
    "{flags}. The threshold is {how}, which varies less than the optimum. Its {criterion}{where}{given} is "
    "{apparent} here{later}; no guarantee for future cases."
)
HOW = {
    "mean": "the mean of the best thresholds of the resamples",
    "smooth": "the best one once the criterion is smoothed",
    "kernel": "the best one for kernel estimates of both distributions",
    "normal": "the best one if both distributions were normal",
}
ONLY_CONDITIONS = "{flags}, {which} that {given} allows; no guarantee for future cases."
QUOTA = "a quota of {quota}"


def state_best(
    search: CutSearch, r: Ranking, threshold: float, apparent: float, corrected: float, rules: Sequence[str]
) -> str:
    """Return the statement of a cut that promises nothing."""
    criterion = search.criterion
    assert criterion is not None  # noqa: S101 - only asked for with one
    verb = "highest" if criterion.is_high else "lowest"
    limits = f" under {' and '.join(rules)} on these cases" if rules else ""
    later = "" if math.isnan(corrected) else f", about {format_value(corrected)} on new cases"
    named = {"flags": _describe_cut(r, threshold), "criterion": lower_title(criterion.words)}
    where = (
        "" if search.prevalence is None else f" at {OTHER_PREVALENCE.format(percent=format_percent(search.prevalence))}"
    )
    parts = named | {"where": where, "given": limits, "apparent": format_value(apparent), "later": later}
    if search.method == OPTIMUM:
        return BEST.format(**parts, verb=verb)
    return STEADIER.format(**parts, how=HOW[search.method])


def state_conditions(r: Ranking, threshold: float, rules: Sequence[str], *, most: bool) -> str:
    """Return the statement of a cut that meets conditions on the data and promises nothing."""
    named = {"flags": _describe_cut(r, threshold), "given": " and ".join(rules)}
    return ONLY_CONDITIONS.format(**named, which="the most" if most else "the fewest")


def _describe_cut(r: Ranking, threshold: float) -> str:
    """Return who is flagged, on which side of the threshold, and how many they are."""
    counts, higher = r.at_threshold(threshold), r.higher_is_positive
    if math.isinf(threshold):
        who = NOBODY if (threshold > 0) == higher else EVERYBODY
    else:
        who = BY_SCORE.format(sign=">=" if higher else "<=", threshold=format_without_noise(threshold))
    return FLAGS.format(who=who, flagged=add_commas(counts.flagged), total=add_commas(counts.total))


def _name_threshold(threshold: float) -> str:
    return BEYOND if np.isinf(threshold) else format_without_noise(threshold)


def list_assumptions(promises: Sequence[Promise], prevalence: float, *, after_looking: bool) -> list[str]:
    """Return what the promises rest on."""
    if not promises:
        return []
    sentences = [*BASIS]
    if not after_looking:
        sentences.append(IN_ADVANCE)
    if any(isinstance(promise, PrecisionAtQuotas) for promise in promises):
        sentences.append(AT_QUOTAS)
    depends = [promise for promise in promises if not isinstance(promise, RatePromise) or promise.about == "share"]
    fixed = any(isinstance(promise, PrecisionAnywhere) and promise.prevalence is not None for promise in depends)
    if depends and not fixed:
        sentences.append(state_prevalence(prevalence))
    return [*sentences, NO_DRIFT]


SAME_PREVALENCE = "Future cases have the prevalence of the population these were drawn from ({percent} here)."


def state_prevalence(prevalence: float) -> str:
    """Return what a promise assumes that depends on the prevalence."""
    return SAME_PREVALENCE.format(percent=format_percent(round(prevalence, 4)))
