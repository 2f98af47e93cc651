"""choose_cut(): from what a cut is for to the cut, with what can be promised of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cutline.core import validation
from cutline.core.errors import Argument, InputError, ParameterError, Text, briefly
from cutline.core.public import public
from cutline.core.ranking import Ranking
from cutline.core.validation import LEVEL, check_choice, check_flag, check_level, check_prevalence, check_whole
from cutline.cuts import statements
from cutline.cuts.answer import Request
from cutline.cuts.criteria import Criterion, criterion
from cutline.cuts.cut import Cut
from cutline.cuts.optimism import repeat
from cutline.cuts.plan import MEAN, METHODS, OPTIMUM, SMOOTH_YOUDEN, Plan
from cutline.cuts.promises import Promise, is_promised, promises
from cutline.cuts.requirements import Requirement, requirement
from cutline.cuts.restrictions import Cap, OnEstimate, Rule, on_limit
from cutline.evaluation import Evaluation
from cutline.inference.resampling.samplers import GroupSampler
from cutline.inputs.rank import places
from cutline.measures import Needs

QUICKLY_REPEATED = 20_000  # distinct scores, up to which the choice is repeated without being asked to
REPEATED = 1000
KEPT_BY_FLAGGING = ("recall", "fnr", "npv", "false_omission_rate")  # requirements that flagging more cases keeps
NO_WISH = Text("pass a requirement such as 'recall >= 0.9', ", Argument("maximize"), ", costs or ", Argument("quota"))


@public(confidence="level", data="ev")
def choose_cut(
    ev: Any,
    *requirements: Any,
    maximize: Any = None,
    minimize: Any = None,
    cost_fp: float | None = None,
    cost_fn: float | None = None,
    utility: Any = None,
    quota: Any = None,
    share: float | None = None,
    prevalence: float | None = None,
    level: float | None = LEVEL,
    after_looking: bool = False,
    method: str = OPTIMUM,
    resamples: int | None = None,
    seed: int = 0,
) -> Cut:
    """Choose a cut, and say what can be promised of it.

    Requirements on recall, the false positive rate, the share flagged and precision are promises about future cases.
    Where several cuts are equally good, the one that flags fewest cases is taken, and a note says so.

    Args:
        ev: An evaluation or a ranking.
        *requirements: Texts such as "recall >= 0.9", "fpr <= 0.05", "precision >= 0.5", "share <= 0.02". A requirement
            on a limit, such as "f1.low >= 0.4", is on the interval at the cut, by resampling where cases have groups or
            weights; it promises nothing about the choice.
        maximize: The measure that should be high, by name, or a function of Counts.
        minimize: The measure that should be low, or "corner", the distance to the corner of the ROC curve.
        cost_fp: What a false positive costs; with cost_fn, the expected cost is minimised.
        cost_fn: What a false negative costs.
        utility: What each outcome is worth, such as {"tp": 90, "fp": -10}; the mean is maximised.
        quota: How many of these cases can be acted on. A list of quotas fixed beforehand is where precision is tested.
        share: The same as a share of the list.
        prevalence: The prevalence of the population that the cut is for, when it is not that of the data.
        level: The confidence of the promises, all at once. None asks for requirements on the estimates, and promises
            nothing.
        after_looking: Whether the promises have to hold at every cut at once, so that they may be read after looking.
        method: "optimum", or one that varies less: "mean" of the choices over resamples, "smooth" criterion, and
            for Youden's J "kernel" or "normal" distributions.
        resamples: How often the choice is repeated; 1000 unless the data are large, and 0 not at all.
        seed: The seed of the resamples.

    >>> import cutline as cl
    >>> import numpy as np
    >>> scores = np.arange(200) / 200
    >>> cut = choose_cut(cl.evaluate(scores > 0.4995, scores), "recall >= 0.9")
    >>> cut.threshold, cut.misses_allowed
    (0.52, 4)
    >>> print(cut.statement.split(",")[0])
    With 95 % confidence at least 90 % of future positives score 0.52 or more
    """
    r, groups = ranking_of(ev, "choose_cut")
    asked = [checked(one) for one in requirements]
    confidence = None if level is None else check_level(level, "level")
    method, seed = check_choice(method, "method", METHODS), check_whole(seed, "seed", 0)
    after_looking = check_flag(after_looking, "after_looking")
    prevalence = check_prevalence(prevalence)
    wanted = criterion(maximize, minimize, cost_fp=cost_fp, cost_fn=cost_fn, utility=utility)
    wanted = _for_method(wanted, method)
    quotas, cap = _capacity(r, asked, quota, share)
    if not (asked or wanted or cap):
        raise ParameterError("Nothing says what the cut is for", NO_WISH)
    level = LEVEL if confidence is None else confidence
    times = _times(resamples, r, method)
    made = _promises(r, groups, asked, confidence, after_looking, prevalence, quotas)
    rules: list[Rule] = [*made]
    for one in asked:
        if one.term.part != "value":
            rules.append(on_limit(one, r, groups, level, seed, prevalence))
        elif confidence is None:
            rules.append(OnEstimate(one, prevalence))
    fewest = any(one.term.measure.name in KEPT_BY_FLAGGING for one in asked)
    plan = Plan((*rules, *([cap] if cap else ())), wanted, method, not fewest, prevalence)
    request = Request(r, groups, asked, made, plan, confidence, after_looking, cap, level)
    return request.cut(repeat(plan, r, groups, times, seed) if times else None)


def ranking_of(ev: Any, who: str) -> tuple[Ranking, GroupSampler | None]:
    """Return the ranking that a cut is chosen for, and its groups.

    Args:
        ev: An evaluation or a ranking.
        who: The function that needs it.
    """
    if not isinstance(ev, Evaluation | Ranking):
        raise InputError(f"{who} takes an evaluation first", "pass cl.evaluate(labels, scores)")
    r, groups = (ev.ranking, ev.groups) if isinstance(ev, Evaluation) else (ev, None)
    if r.pos.ndim > 1:
        raise InputError("This is a stack of rankings", "choose a cut for one of them")
    if not r.positives or not r.negatives:
        raise InputError("All cases are of one class, which tells nothing about a cut", "pass cases of both classes")
    return r, groups


def checked(given: Any) -> Requirement:
    """Return a requirement that can be checked at a cut."""
    if not isinstance(given, Requirement | str):
        raise ParameterError(f"{briefly(given)} is not a requirement", "pass a text such as 'recall >= 0.9'")
    one = given if isinstance(given, Requirement) else requirement(given)
    measure = one.term.measure
    if measure.needs is not Needs.COUNTS:
        raise ParameterError(
            f"{measure.name} needs {measure.needs.value}, so {one.text!r} is the same at every cut",
            "pass a requirement on a measure of one cut, such as 'recall >= 0.9'",
        )
    named = {"threshold", "quota", "share"} & set(one.term.parameters)
    if named:
        raise ParameterError(f"{one.text!r} names a cut, which is what is to be chosen", f"leave @{named.pop()} out")
    return one


def _for_method(wanted: Criterion | None, method: str) -> Criterion | None:
    if method == OPTIMUM:
        return wanted
    if method in SMOOTH_YOUDEN:
        if wanted is not None and wanted.name != "youden_j":
            alone = Text(Argument("method", method), f" is for Youden's J alone, not {wanted.name}")
            raise ParameterError(alone, Text("pass ", Argument("method", "smooth")))
        return criterion("youden_j")
    if wanted is None:
        ways = Text("pass ", Argument("maximize"), ", ", Argument("minimize"), ", costs or ", Argument("utility"))
        raise ParameterError(Text(Argument("method", method), " needs a criterion"), ways)
    return wanted


def _capacity(
    r: Ranking, asked: Sequence[Requirement], quota: Any, share: float | None
) -> tuple[tuple[int, ...], Cap | None]:
    """The quotas at which precision is to be tested, and the cap on the number flagged."""
    if quota is not None and not validation.is_single(quota):
        if not any(one.term.measure.name in ("precision", "fdr") for one in asked):
            raise ParameterError(
                "A list of quotas is where precision is tested", "pass a requirement on it, or one quota"
            )
        if share is not None:
            raise ParameterError("quota and share are both given", "pass one of them")
        return tuple(sorted({int(places(r, quota=one)) for one in quota})), None
    if quota is None and share is None:
        return (), None
    cap = Cap(float(places(r, quota=quota, share=share)), float(r.total))
    # One quota is where precision is tested, too; that needs no choice among several.
    return ((int(cap.quota),) if cap.quota >= 1 else ()), cap


def _times(resamples: int | None, r: Ranking, method: str) -> int:
    if resamples is None:
        return REPEATED if len(r) <= QUICKLY_REPEATED or method == MEAN else 0
    times = check_whole(resamples, "resamples", 0)
    if method == MEAN and times < 2:
        raise ParameterError("method='mean' averages over resamples", "pass resamples= of 2 or more")
    return times


def _promises(
    r: Ranking,
    groups: GroupSampler | None,
    asked: Sequence[Requirement],
    confidence: float | None,
    after_looking: bool,
    prevalence: float | None,
    quotas: tuple[int, ...],
) -> list[Promise]:
    """What is promised; refused where nothing can be."""
    if confidence is None:
        return []
    plain = [one for one in asked if one.term.part == "value"]
    for one in plain:
        if not is_promised(one):
            name, limit = one.term.measure.name, "low" if one.is_floor else "high"
            raise ParameterError(
                f"Nothing can be promised about {one.text!r}",
                f"write {name}.{limit} for the limit of its interval at the cut, or pass level=None "
                "(--estimates) for its estimate",
            )
        if prevalence is not None and one.term.measure.name == "predicted_positive_rate":
            raise ParameterError("The share flagged at another prevalence is not promised", "leave prevalence= out")
    if plain:
        require_alike(r, grouped=groups is not None)
    return promises(r, plain, confidence, after_looking=after_looking, prevalence=prevalence, quotas=quotas)


def require_alike(r: Ranking, *, grouped: bool) -> None:
    """Refuse to promise anything of cases that are not independent, do not count alike, or have no exact scores."""
    if grouped:
        raise ParameterError(statements.GROUPS)
    if not r.integral or r.pos2.sum() != r.pos.sum() or r.neg2.sum() != r.neg.sum():
        raise ParameterError(statements.WEIGHTS)
    if not r.exact:
        raise ParameterError(statements.BINNED)
