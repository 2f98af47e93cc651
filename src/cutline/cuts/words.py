"""The sentences of a cut: what it promises, what that assumes, and why there is none."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from cutline.core.columns import counted
from cutline.core.counts import Counts, written
from cutline.core.errors import Argument, Text
from cutline.core.ranking import Ranking
from cutline.core.table import shown
from cutline.cuts.criteria import Criterion
from cutline.cuts.promises import PrecisionAnywhere, PrecisionAtQuotas, Promise, RatePromise

GROUPS = (
    "The cases come in groups, and promises hold for independent cases only: write the requirement on a limit, such as "
    "'recall.low >= 0.9', whose interval resamples whole groups."
)
WEIGHTS = (
    "The cases have weights, and promises hold for cases that count alike: pass the rows without weights, or write the "
    "requirement on a limit, such as 'recall.low >= 0.9', whose interval resamples the cases."
)
BINNED = "The scores were binned, and promises need exact scores: rank them without bins."

_INDEPENDENT = "The cases are independent, and drawn as the cases to come will be."
_FIXED_MODEL = "The model was fixed before it saw these cases; nothing was tuned on them."
_IN_ADVANCE = Text(
    "The requirement was fixed before anybody looked at these results; ",
    Argument("after_looking", True),
    " drops this assumption.",
)
_NOT_DRIFT = "Nothing holds once the population drifts: check the promise on new cases from time to time."


def percent(share: float) -> str:
    """A share as people say it.

    >>> percent(0.9), percent(0.025), percent(0.999)
    ('90 %', '2.5 %', '99.9 %')
    """
    return f"{100 * share:.6g} %"


def exact(number: float) -> str:
    """A number with as many digits as it takes to tell it from its neighbours: statements are copied.

    >>> exact(0.31), exact(1 / 3), exact(20.0)
    ('0.31', '0.3333333333333333', '20')
    """
    return short if float(short := written(number)) == number else repr(float(number))


def _reaches(r: Ranking, threshold: float) -> str:
    if math.isinf(threshold):
        return "are flagged (this cut flags nobody)" if (threshold > 0) == r.higher_is_positive else "are flagged"
    return f"score {exact(threshold)} or {'more' if r.higher_is_positive else 'less'}"


def promised(made: Sequence[Promise], r: Ranking, threshold: float, confidence: float, *, after_looking: bool) -> str:
    """The statement of a cut that keeps its promises."""
    where = ", wherever the cut is put" if after_looking else ""
    parts = " and ".join(_clause(one, r, threshold) for one in made)
    both = "" if len(made) == 1 else ", all at once"
    comma = "," if where or both else ""
    always = ", whatever the distribution" if all(isinstance(one, RatePromise) for one in made) else ""
    room = [_room(one) for one in made if isinstance(one, RatePromise)]
    tail = f"; {' and '.join(room)}" if room else ""
    return f"With {percent(confidence)} confidence{where}{both}{comma} {parts}{always}{tail}."


def _clause(one: Promise, r: Ranking, threshold: float) -> str:
    reaches = _reaches(r, threshold)
    if isinstance(one, RatePromise):
        if one.about == "recall":
            return f"at least {percent(1 - one.rate)} of future positives {reaches}"
        who = "negatives" if one.about == "fpr" else "cases"
        return f"at most {percent(one.rate)} of future {who} {reaches}"
    assert isinstance(one, PrecisionAtQuotas | PrecisionAnywhere)  # noqa: S101 - there is no other
    at = "the prevalence of your data"
    if isinstance(one, PrecisionAnywhere) and one.prevalence is not None:
        at = f"a prevalence of {percent(one.prevalence)}"
    return f"at least {percent(one.least)} of future cases that {reaches} are positive, at {at}"


def _room(one: RatePromise) -> str:
    who, verb = {
        "recall": ("positive", "missed"),
        "fpr": ("negative", "flagged"),
        "share": ("case", "flagged"),
    }[one.about]
    return f"{written(one.allowed)} of your {counted(one.cases, who)} may be {verb}"


def impossible(made: Sequence[Promise], confidence: float, *, others: bool) -> str:
    """Why no cut keeps the promises, and what it would take."""
    for one in made:
        if isinstance(one, RatePromise) and one.allowed < 0:
            return _too_few(one)
    if len(made) + others > 1:
        return "No cut meets all requirements at once: relax one of them, lower the confidence, or collect more cases."
    one = made[0]
    return (
        f"No cut promises {one.requirement.text!r} with {percent(confidence)} confidence: "
        "lower the bound or the confidence, or collect more cases."
    )


def _too_few(one: RatePromise) -> str:
    who = {"recall": "positive", "fpr": "negative", "share": "case"}[one.about]
    if math.isinf(one.needed):
        return f"No number of cases can promise {one.requirement.text!r}: ask for a little less."
    way = "flagging everybody" if one.about == "recall" else "flagging nobody"
    least = f"It takes at least {counted(int(one.needed), who)} to promise {one.requirement.text!r}"
    return f"{least} with {percent(one.confidence)} confidence, and there are {one.cases}: only {way} would."


def best(
    criterion: Criterion, counts: Counts, apparent: float, corrected: float, rules: Sequence[str], threshold: float
) -> str:
    """The statement of a cut that promises nothing."""
    verb = "highest" if criterion.is_high else "lowest"
    given = f" under {' and '.join(rules)} on these cases" if rules else ""
    later = "" if math.isnan(corrected) else f", about {shown(corrected)} on new cases"
    flags = f"flags {written(counts.flagged)} of {written(counts.total)} cases"
    return (
        f"The threshold {_named(threshold)} {flags} and has the {verb} {_spoken(criterion)}{given}: "
        f"{shown(apparent)} here{later}; nothing is promised."
    )


def only_rules(counts: Counts, rules: Sequence[str], threshold: float, *, most: bool) -> str:
    """The statement of a cut that meets conditions on the data and promises nothing."""
    flags = f"flags {written(counts.flagged)} of {written(counts.total)} cases"
    which = "the most" if most else "the fewest"
    given = " and ".join(rules)
    return f"The threshold {_named(threshold)} {flags}, {which} under {given} on these cases; nothing is promised."


def _spoken(criterion: Criterion) -> str:
    words = criterion.words
    return words if words[:2].isupper() or words[1:2].isdigit() else words[:1].lower() + words[1:]


def _named(threshold: float) -> str:
    return "beyond every score" if np.isinf(threshold) else exact(threshold)


def assumptions(made: Sequence[Promise], prevalence: float, *, after_looking: bool) -> list[str]:
    """What the promises rest on."""
    if not made:
        return []
    found = [_INDEPENDENT, _FIXED_MODEL]
    if not after_looking:
        found.append(_IN_ADVANCE)
    if any(isinstance(one, PrecisionAtQuotas) for one in made):
        found.append("The quotas at which precision is tested were fixed before anybody looked.")
    depends = [one for one in made if not isinstance(one, RatePromise) or one.about == "share"]
    fixed = any(isinstance(one, PrecisionAnywhere) and one.prevalence is not None for one in depends)
    if depends and not fixed:
        found.append(f"The prevalence of the cases to come is that of these, {percent(round(prevalence, 4))} here.")
    return [*found, _NOT_DRIFT]
