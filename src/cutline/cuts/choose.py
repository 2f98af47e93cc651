"""choose_cut(): find the best cut under requirements, with its guarantees, its interval and its optimism.

Each requirement becomes a promise (guarantees.py) and a rule that allows some cuts. CutSearch (search.py) takes the
best cut that all rules allow. repeat_choice() repeats this on bootstrap samples, for the interval of the threshold and
the optimism of the criterion. CutRequest describes the cut, in the sentences of statements.py.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cutline.core import parallel, validation
from cutline.core.array_ops import Array
from cutline.core.counts import Counts
from cutline.core.errors import Argument, InputError, ParameterError, Text, shorten_repr
from cutline.core.messages import join_with_and
from cutline.core.public import public
from cutline.core.ranking import Ranking
from cutline.core.validation import LEVEL, check_choice, check_flag, check_level, check_prevalence, check_whole
from cutline.cuts import statements
from cutline.cuts.cut import Cut, CutRequirement
from cutline.cuts.guarantees import (
    PrecisionAtQuotas,
    Promise,
    RatePromise,
    count_errors,
    is_promised,
    make_promises,
)
from cutline.cuts.requirements import Requirement, parse_requirement
from cutline.cuts.search import (
    MEAN,
    METHODS,
    OPTIMUM,
    SMOOTH_YOUDEN,
    Criterion,
    CutRule,
    CutSearch,
    count_at_keys,
    make_criterion,
    make_estimate_rule,
    make_limit_rule,
)
from cutline.evaluation import Evaluation
from cutline.inference.caveats import note_few_resamples
from cutline.inference.resampling.bootstrap import bootstrap, percentile
from cutline.inference.resampling.samplers import CaseSampler, GroupSampler
from cutline.inference.single.at_prevalence import at_prevalence
from cutline.inference.single.estimand import Estimand, IntervalRequest
from cutline.inference.single.intervals import estimate_measures
from cutline.inputs.rank import count_places
from cutline.measures import MEASURES, Measure, Needs
from cutline.results.estimate import Estimate, Limits
from cutline.results.resample_budget import choose_resamples

QUICKLY_REPEATED = 20_000  # distinct scores, up to which the choice is repeated without a request
REPEATED = 1000
KEPT_BY_FLAGGING = ("recall", "fnr", "npv", "false_omission_rate")  # requirements that flagging more cases cannot break
WAYS_OUT = Text("pass a requirement such as 'recall >= 0.9', ", Argument("maximize"), ", costs or ", Argument("quota"))


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
    """Choose a cut, with guarantees for future cases where they are possible.

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
    r, groups = read_ranking(ev, "choose_cut")
    conditions = [_check_condition(condition) for condition in requirements]
    confidence = None if level is None else check_level(level, "level")  # None promises nothing
    method, seed = check_choice(method, "method", METHODS), check_whole(seed, "seed", 0)
    after_looking = check_flag(after_looking, "after_looking")
    prevalence = check_prevalence(prevalence)
    best_by = make_criterion(maximize, minimize, cost_fp=cost_fp, cost_fn=cost_fn, utility=utility)
    best_by = _resolve_criterion(best_by, method)
    tested_quotas, capacity = _read_quotas(r, conditions, quota, share)
    if not (conditions or best_by or capacity is not None):
        raise ParameterError("Nothing says what the cut is for", WAYS_OUT)
    level = LEVEL if confidence is None else confidence
    times = _count_resamples(resamples, r, method)
    promises = _make_promises(r, groups, conditions, confidence, after_looking, prevalence, tested_quotas)
    rules: list[CutRule] = [promise.meets for promise in promises]
    for condition in conditions:
        if condition.term.part != "value":
            rules.append(make_limit_rule(condition, r, groups, level, seed, prevalence))
        elif confidence is None:
            rules.append(make_estimate_rule(condition, prevalence))
    takes_most = not any(condition.term.measure.name in KEPT_BY_FLAGGING for condition in conditions)
    search = CutSearch(tuple(rules), best_by, method, takes_most, prevalence, capacity, float(r.total))
    choices = repeat_choice(search, r, groups, times, seed) if times else None
    cut = CutRequest(r, groups, conditions, promises, search, confidence, after_looking, level).find_cut(choices)
    return cut if capacity is None or share is not None else replace(cut, quota=capacity)


def read_ranking(ev: object, function: str) -> tuple[Ranking, GroupSampler | None]:
    """Return the ranking that a cut is chosen for, and its groups.

    Args:
        ev: An evaluation or a ranking.
        function: The name of the function that was called.
    """
    if not isinstance(ev, Evaluation | Ranking):
        raise InputError(f"{function} takes an evaluation first", "pass cl.evaluate(labels, scores)")
    r, groups = (ev.ranking, ev.groups) if isinstance(ev, Evaluation) else (ev, None)
    if r.pos.ndim > 1:
        raise InputError("This is a stack of rankings", "choose a cut for one of them")
    if not r.positives or not r.negatives:
        raise InputError("All cases are of one class, which says nothing about a cut", "pass cases of both classes")
    return r, groups


def _check_condition(condition: object) -> Requirement:
    """Return the requirement; raise if it cannot be checked at a cut."""
    if not isinstance(condition, Requirement | str):
        raise ParameterError(f"{shorten_repr(condition)} is not a requirement", "pass a text such as 'recall >= 0.9'")
    checked = condition if isinstance(condition, Requirement) else parse_requirement(condition)
    measure = checked.term.measure
    if measure.needs is not Needs.COUNTS:
        raise ParameterError(
            f"{measure.name} needs {measure.needs.value}, so {checked.text!r} is the same at every cut",
            "pass a requirement on a measure of one cut, such as 'recall >= 0.9'",
        )
    named = {"threshold", "quota", "share"} & set(checked.term.parameters)
    if named:
        raise ParameterError(
            f"{checked.text!r} names a cut, but the cut is still to be chosen", f"leave @{named.pop()} out"
        )
    return checked


def _resolve_criterion(chosen: Criterion | None, method: str) -> Criterion | None:
    """Return the criterion, which for the kernel and the normal method is Youden's J."""
    if method == OPTIMUM:
        return chosen
    if method in SMOOTH_YOUDEN:
        if chosen is not None and chosen.name != "youden_j":
            alone = Text(Argument("method", method), f" is for Youden's J alone, not {chosen.name}")
            raise ParameterError(alone, Text("pass ", Argument("method", "smooth")))
        return make_criterion("youden_j")
    if chosen is None:
        ways = Text("pass ", Argument("maximize"), ", ", Argument("minimize"), ", costs or ", Argument("utility"))
        raise ParameterError(Text(Argument("method", method), " needs a criterion"), ways)
    return chosen


def _read_quotas(
    r: Ranking, requirements: Sequence[Requirement], quota: Any, share: float | None
) -> tuple[tuple[int, ...], float | None]:
    """Return the quotas at which precision is tested, and the largest number of cases that may be flagged."""
    if quota is not None and not validation.is_single(quota):
        if not any(condition.term.measure.name in ("precision", "fdr") for condition in requirements):
            raise ParameterError("A list of quotas is for testing precision", "pass a requirement on it, or one quota")
        if share is not None:
            raise ParameterError("quota and share are both given", "pass one of them")
        return tuple(sorted({int(count_places(r, quota=number)) for number in quota})), None
    if quota is None and share is None:
        return (), None
    capacity = float(count_places(r, quota=quota, share=share))
    # Precision is tested at a single quota too; that needs no choice among several.
    return ((int(capacity),) if capacity >= 1 else ()), capacity


def _count_resamples(resamples: int | None, r: Ranking, method: str) -> int:
    if resamples is None:
        return REPEATED if len(r) <= QUICKLY_REPEATED or method == MEAN else 0
    times = check_whole(resamples, "resamples", 0)
    if method == MEAN and times < 2:
        raise ParameterError("method='mean' averages over resamples", "pass resamples= of 2 or more")
    return times


def _make_promises(
    r: Ranking,
    groups: GroupSampler | None,
    requirements: Sequence[Requirement],
    confidence: float | None,
    after_looking: bool,
    prevalence: float | None,
    quotas: tuple[int, ...],
) -> list[Promise]:
    """Return the promises; raise if a requirement cannot be promised."""
    if confidence is None:
        return []
    on_values = [condition for condition in requirements if condition.term.part == "value"]
    for condition in on_values:
        if not is_promised(condition):
            name, limit = condition.term.measure.name, "low" if condition.is_floor else "high"
            raise ParameterError(
                f"Nothing can be promised about {condition.text!r}",
                f"write {name}.{limit} for the limit of its interval at the cut, or pass level=None "
                "(--estimates) for its estimate",
            )
        if prevalence is not None and condition.term.measure.name == "predicted_positive_rate":
            raise ParameterError("The share flagged at another prevalence cannot be promised", "leave prevalence= out")
    if on_values:
        require_exchangeable(r, grouped=groups is not None)
    return make_promises(r, on_values, confidence, after_looking=after_looking, prevalence=prevalence, quotas=quotas)


def _find_threshold_between(unflagged: Any, flagged: Any) -> float:
    """Return the shortest threshold beyond a score that is not flagged: one more digit than the score has.

    The next number that a float can hold (0.34134500000000007) would say the same of the cases, and nothing to people.

    >>> _find_threshold_between(np.float64(0.341345), np.float64(0.341352))
    0.3413451
    >>> _find_threshold_between(np.float64(577), np.float64(580))
    577.1
    """
    upwards = flagged > unflagged
    decimals = len(repr(float(unflagged)).partition(".")[2].rstrip("0"))
    with np.errstate(over="ignore"):
        short = type(unflagged)(
            round(float(unflagged) + (1 if upwards else -1) * 10.0 ** -(decimals + 1), decimals + 1)
        )
    if unflagged < short <= flagged if upwards else flagged <= short < unflagged:
        return float(short)
    return float(np.nextafter(unflagged, flagged))


def require_exchangeable(r: Ranking, *, grouped: bool) -> None:
    """Raise if the cases are grouped, weighted or binned, so that nothing can be promised."""
    if grouped:
        raise ParameterError(statements.GROUPS)
    if not r.integral or r.pos2.sum() != r.pos.sum() or r.neg2.sum() != r.neg.sum():
        raise ParameterError(statements.WEIGHTS)
    if not r.exact:
        raise ParameterError(statements.BINNED)


# ---------------------------------------------------------------------- the cut, described


NOT_REPEATED = Text(
    "The choice was not repeated: pass ", Argument("resamples", 1000), " for its interval and its optimism."
)
TOO_FEW_TO_REPEAT = (
    "Nine tenths of these cases are too few for the requirements, so the choice cannot be repeated on them: what it is "
    "worth on new cases is unknown."
)
ESTIMATED = ("recall", "precision", "specificity", "f1", "predicted_positive_rate")


@dataclass(frozen=True)
class CutRequest:
    """The cases, the requirements, the promises and the search for a cut; it finds the cut and describes it."""

    r: Ranking
    groups: GroupSampler | None
    requirements: Sequence[Requirement]
    promises: Sequence[Promise]
    search: CutSearch
    confidence: float | None
    after_looking: bool
    level: float

    def find_cut(self, choices: RepeatedChoice | None) -> Cut:
        """Return the cut, or a cut that is not possible, with the reason."""
        key, place = self._choose_threshold(choices)
        flagged = int((self.r.key >= key).sum())
        if math.isnan(key) or (place == 0 and flagged):  # no threshold is above an infinite score
            return self._describe_impossible()
        tests_precision = any(isinstance(promise, PrecisionAtQuotas) for promise in self.promises)
        if tests_precision or (flagged and math.isinf(key)):
            return self.describe(self._find_threshold_above_unflagged(flagged), place, choices)
        return self.describe(key if self.r.higher_is_positive else -key, place, choices)

    def describe(self, threshold: float, place: int | None = None, choices: RepeatedChoice | None = None) -> Cut:
        """Return the cut at a threshold, with its promises, estimates and notes."""
        counts = self.r.at_threshold(threshold)
        apparent, corrected, limits, notes = (
            math.nan,
            None,
            Limits(math.nan, math.nan),
            self._write_notes(place, counts),
        )
        if self.search.criterion is not None:
            apparent = float(self.search.compute_criterion(counts))
        if choices is not None:
            limits = self._estimate_threshold_limits(choices)
            if self.search.criterion is not None and not math.isnan(choices.corrected):
                corrected = self._correct_optimism(choices)
            notes += self._write_resampling_notes(choices)
        elif self.search.chooses:
            notes.append(NOT_REPEATED)
        return Cut(
            threshold=threshold,
            statement=self._write_statement(threshold, apparent, corrected),
            counts=counts,
            requirements=self._describe_requirements(threshold),
            criterion=None if self.search.criterion is None else self.search.criterion.name,
            apparent=apparent,
            corrected=corrected,
            threshold_interval=limits,
            estimates=self._estimate_at_cut(threshold),
            notes=tuple(notes),
            **self._make_shared_fields(),
        )

    def _make_shared_fields(self) -> dict[str, Any]:
        """Return the fields that a cut has whether it is possible or not."""
        prevalence = float(self.r.positives / self.r.total)
        return {
            "assumptions": tuple(
                statements.list_assumptions(self.promises, prevalence, after_looking=self.after_looking)
            ),
            "confidence": self.confidence,
            "after_looking": self.after_looking,
            "method": self.search.method,
            "prevalence": self.search.prevalence,
            "higher_is_positive": self.r.higher_is_positive,
            "positive": self.r.positive,
            "warnings": self._find_warnings(),
        }

    def _find_warnings(self) -> tuple[str, ...]:
        """Return a warning if the scores rank the wrong way by more than chance."""
        if not MEASURES["auc"].compute(self.r) < 0.5:
            return ()
        from cutline.advice.context import RuleContext  # rarely needed, and slow to load
        from cutline.advice.rules import reversed_order

        context = RuleContext(Evaluation(self.r, groups=self.groups), None, None)
        text = reversed_order.find(context)
        is_chance = context.auc is not None and 0.5 in context.auc
        return () if is_chance or text is None else (text,)

    def _choose_threshold(self, choices: RepeatedChoice | None) -> tuple[float, int | None]:
        """Return the threshold, on the scale on which high means positive, and the position of its cut; None if it
        lies between scores.
        """
        if self.search.method == MEAN:
            thresholds = choices.keys[np.isfinite(choices.keys)] if choices is not None else np.array([])
            return (self.search.find_nearest(self.r, float(thresholds.mean())) if len(thresholds) else math.nan), None
        if self.search.method in SMOOTH_YOUDEN:
            return float(self.search.choose_keys(self.r)), None
        place, is_any = self.search.pick(self.r)
        if not is_any:
            return math.nan, None
        return (math.inf if not place else float(self.r.key[place - 1])), int(place)

    def _find_threshold_above_unflagged(self, place: int) -> float:
        """Return the threshold just above the highest score that is not flagged, for tested precision and infinite
        scores.

        Given the highest score that is not flagged, those above it are independent draws; given the lowest that is
        flagged, they are not.
        """
        r = self.r
        upwards = math.inf if r.higher_is_positive else -math.inf
        if place == len(r):
            return -upwards
        return _find_threshold_between(r.score[place], r.score[place - 1] if place else r.score.dtype.type(upwards))

    def _describe_impossible(self) -> Cut:
        has_conditions = len(self.search.rules) > len(self.promises) or self.search.quota is not None
        if self.search.method in SMOOTH_YOUDEN and math.isnan(SMOOTH_YOUDEN[self.search.method](self.r)):
            statement = statements.NOT_SMOOTH
        elif self.promises:
            level = 1.0 if self.confidence is None else self.confidence
            statement = statements.explain_impossible(
                self.promises, level, others=has_conditions, positives=self.r.positives
            )
        else:
            statement = "No cut meets the requirements on these cases: relax one of them."
        return Cut(
            math.nan,
            statement,
            possible=False,
            requirements=self._describe_requirements(math.nan),
            **self._make_shared_fields(),
        )

    def _describe_requirements(self, threshold: float) -> tuple[CutRequirement, ...]:
        promises = {id(promise.requirement): promise for promise in self.promises}
        return tuple(self._describe_requirement(each, promises.get(id(each)), threshold) for each in self.requirements)

    def _describe_requirement(
        self, condition: Requirement, promise: Promise | None, threshold: float
    ) -> CutRequirement:
        if not isinstance(promise, RatePromise):
            return CutRequirement(condition.text, None if promise is None else self.confidence)
        wrong = count_errors(self.r, promise.about)
        return CutRequirement(
            condition.text,
            promise.confidence,
            promise.about,
            promise.cases,
            promise.allowed,
            seen=None if math.isnan(threshold) else int(wrong[self.r.cut(threshold)]),
            needed=None if math.isinf(promise.needed) else int(promise.needed),
        )

    def _write_statement(self, threshold: float, apparent: float, corrected: Estimate | None) -> str:
        conditions = self._list_unpromised()
        if self.promises:
            assert self.confidence is not None  # noqa: S101 - promises have one
            how = {"after_looking": self.after_looking, "with_room": self.search.chooses}
            return statements.state_promise(self.promises, self.r, threshold, self.confidence, **how)
        if not self.search.chooses:
            return statements.state_nothing(threshold, self.level)
        if self.search.criterion is not None:
            value = math.nan if corrected is None else corrected.value
            return statements.state_best(self.search, self.r, threshold, apparent, value, conditions)
        return statements.state_conditions(self.r, threshold, conditions, most=self.search.takes_most)

    def _write_notes(self, place: int | None, counts: Counts) -> list[str]:
        notes = []
        if place is not None and self.search.criterion is not None:
            equal = self.search.find_equals(self.r, place)
            if len(equal) > 1:
                low, high = sorted((float(self.r.thresholds[equal[0]]), float(self.r.thresholds[equal[-1]])))
                notes.append(
                    f"{len(equal)} cuts are equally good, with thresholds from {low:g} to {high:g}: "
                    "the one that flags fewest cases was taken."
                )
        if not counts.flagged:
            notes.append("This cut flags nobody.")
        elif not counts.unflagged:
            notes.append("This cut flags everybody.")
        if self.search.criterion is None and self._does_quota_split_tie(place):
            notes.append(
                f"The quota of {self.search.quota:g} ends inside a tie, whose cases do not all fit: they are left out."
            )
        if self.promises and self.confidence is not None:
            risk, half = (
                statements.format_percent(round(share, 6)) for share in (1 - self.confidence, (1 - self.level) / 2)
            )
            notes.append(statements.ONE_SIDED.format(risk=risk, half=half))
        if any(isinstance(promise, PrecisionAtQuotas) and promise.is_in_sequence for promise in self.promises):
            notes.append(statements.IN_SEQUENCE)
        if self.promises and self._list_unpromised():
            also = join_with_and(self._list_unpromised())
            notes.append(f"On these cases the cut also meets {also}, without a guarantee for future cases.")
        return notes

    def _list_unpromised(self) -> list[str]:
        """Return the requirements without a promise, which hold on these cases alone, and the quota."""
        promised = {id(promise.requirement) for promise in self.promises}
        texts = [requirement.text for requirement in self.requirements if id(requirement) not in promised]
        quota = self.search.quota
        return texts if quota is None else [*texts, statements.QUOTA.format(quota=f"{quota:g}")]

    def _does_quota_split_tie(self, place: int | None) -> bool:
        """Whether the quota alone excludes the next score, some of whose cases would still fit."""
        quota = self.search.quota
        if quota is None or place is None or place == len(self.r) or not self.search.takes_most:
            return False
        return bool(self.r.ends[place] < quota and replace(self.search, quota=None).find_allowed(self.r)[place + 1])

    def _estimate_threshold_limits(self, choices: RepeatedChoice) -> Limits:
        low, high = choices.estimate_key_limits(self.level)
        return Limits(low, high) if self.r.higher_is_positive else Limits(-high, -low)

    def _correct_optimism(self, choices: RepeatedChoice) -> Estimate:
        assert self.search.criterion is not None  # noqa: S101
        low, high = choices.estimate_value_limits(self.level)
        return Estimate(self.search.criterion.name, choices.corrected, low, high, self.level, "repeated choice")

    def _write_resampling_notes(self, choices: RepeatedChoice) -> list[str]:
        resamples = choices.lost + len(choices.keys)
        notes = note_few_resamples(resamples)
        if self.search.criterion is not None and math.isnan(choices.corrected):
            notes.append(TOO_FEW_TO_REPEAT)
        if choices.lost:
            unaffected = " The guarantee does not depend on resamples: it still holds." if self.promises else ""
            notes.append(
                f"In {choices.lost} of {resamples} resamples no cut meets the requirements; the interval of the "
                f"threshold is from the others.{unaffected}"
            )
        if self.search.method == MEAN:
            notes.append(
                "The corrected value is that of the raw optimum, which varies more: this cut is a little better."
            )
        if self.groups is not None:
            notes.append(f"Whole groups were resampled, {self.groups.groups} of them.")
        return notes

    def _estimate_at_cut(self, threshold: float) -> tuple[Estimate, ...]:
        if self.search.prevalence is not None:
            return self._estimate_at_prevalence(threshold, self.search.prevalence)
        measures: list[tuple[Measure, Mapping[str, Any]]] = [(MEASURES[name], {}) for name in ESTIMATED]
        measures += [
            (requirement.term.measure, requirement.term.parameters)
            for requirement in self.requirements
            if requirement.term.measure.name not in ESTIMATED
        ]
        estimands = [
            Estimand.of_measure(measure, self.r, {"threshold": threshold, **parameters}, self.groups)
            for measure, parameters in measures
        ]
        return tuple(estimate_measures(estimands, IntervalRequest(self.level, resamples=choose_resamples(len(self.r)))))

    def _estimate_at_prevalence(self, threshold: float, prevalence: float) -> tuple[Estimate, ...]:
        """Return recall and specificity, which no prevalence changes, then precision, NPV and F1 at a prevalence."""
        estimands = [
            Estimand.of_measure(MEASURES[name], self.r, {"threshold": threshold}, self.groups)
            for name in ("recall", "specificity")
        ]
        rates = estimate_measures(estimands, IntervalRequest(self.level))
        by_name = at_prevalence(self.r, threshold, prevalence, level=self.level, groups=self.groups)
        return (*rates, by_name["precision"], by_name["npv"], by_name["f1"])


# ---------------------------------------------------------------------- interval and optimism of the choice


FOLDS = 10
SPLITS = 50  # of the cases into tenths, at most
_CELLS = 2**20  # held at once


@dataclass(frozen=True)
class RepeatedChoice:
    """The thresholds that resamples choose, and the value of the criterion on new cases."""

    keys: Array  # the thresholds, turned so that high means positive
    values: Array | None  # of the criterion in each resample, at the cut that all cases choose
    corrected: float  # the criterion, corrected for optimism
    lost: int  # resamples in which no cut met the requirements

    def estimate_key_limits(self, level: float) -> Limits:
        """Return the bootstrap interval of the threshold, turned so that high means positive."""
        return Limits(*map(float, _find_percentiles(np.sort(self.keys), level)))

    def estimate_value_limits(self, level: float) -> Limits:
        """Return the bootstrap interval of the value at the chosen cut, moved to the corrected one.

        The best values of the resamples would vary too little: each is the largest of many.
        """
        assert self.values is not None  # noqa: S101 - only asked for with a criterion
        low, high = _find_percentiles(np.sort(self.values), level)
        shift = self.corrected - float(np.mean(self.values))
        return Limits(float(low + shift), float(high + shift))


def _find_percentiles(ordered: Array, level: float) -> Limits:
    if len(ordered) < 2:
        return Limits(np.nan, np.nan)
    low, high = percentile(ordered, level)
    return Limits(ordered[0], ordered[-1]) if np.isnan(low) else Limits(low, high)


def repeat_choice(
    search: CutSearch, r: Ranking, groups: GroupSampler | None, resamples: int, seed: int
) -> RepeatedChoice:
    """Choose the cut again on resamples of the cases or groups, and correct its value by cross-validation."""
    chosen = float(search.choose_keys(r))

    def choice(stack: Ranking) -> Array:
        keys = search.choose_keys(stack)
        if search.criterion is None:
            return np.asarray(keys[..., None])
        return np.stack([keys, search.compute_criterion_at(stack, np.full(keys.shape, chosen))], axis=-1)

    replicates = bootstrap(groups or CaseSampler(r), [choice], resamples, seed).values[0]
    has_cut = ~np.isnan(replicates[:, 0])
    corrected = np.nan
    if search.criterion is not None:
        corrected = _average_over_splits(search, r, groups, max(1, min(SPLITS, resamples // FOLDS)), seed)
    values = replicates[has_cut, 1] if search.criterion is not None else None
    return RepeatedChoice(replicates[has_cut, 0], values, corrected, int((~has_cut).sum()))


def _average_over_splits(search: CutSearch, r: Ranking, groups: GroupSampler | None, splits: int, seed: int) -> float:
    """Return the cross-validated criterion, averaged over splits into tenths."""
    streams = np.random.SeedSequence([seed, FOLDS]).spawn(splits)
    halves = parallel.map_parallel(
        lambda stream: _cross_validate(search, r, groups, stream), streams, splits * len(r), reports=True
    )
    known = [value for value in halves if not math.isnan(value)]
    return float(np.mean(known)) if known else math.nan


def _cross_validate(
    search: CutSearch, r: Ranking, groups: GroupSampler | None, stream: np.random.SeedSequence
) -> float:
    """Return the criterion of one split, over all tenths together; NaN if nine tenths lack a class or allow no cut."""
    table = np.zeros(4)
    for pos, neg in _divide_into_tenths(r, groups, np.random.default_rng(stream)):
        rest = replace(r, pos=r.pos - pos, neg=r.neg - neg, pos2=r.pos2 - pos, neg2=r.neg2 - neg)
        if not rest.positives.all() or not rest.negatives.all():
            return math.nan
        keys = search.choose_keys(rest)
        if np.isnan(keys).any():
            return math.nan  # to read only the tenths that leave enough cases would favour those with few positives
        c = count_at_keys(replace(r, pos=pos, neg=neg, pos2=pos, neg2=neg), keys)
        table += [float(np.sum(cell)) for cell in (c.tp, c.fp, c.fn, c.tn)]
    return float(search.compute_criterion(Counts(table[0], table[1], table[2], table[3])))


def _divide_into_tenths(
    r: Ranking, groups: GroupSampler | None, rng: np.random.Generator
) -> Iterator[tuple[Array, Array]]:
    """Yield the positives and negatives at each score, a row for each tenth, several tenths at once."""
    at_once = max(1, min(FOLDS, _CELLS // len(r)))
    pairs = _divide_groups(r, groups, rng) if groups is not None else _divide_cases(r, rng)
    for start in range(0, FOLDS, at_once):
        some = [next(pairs) for _ in range(start, min(FOLDS, start + at_once))]
        yield np.stack([pos for pos, _ in some]), np.stack([neg for _, neg in some])


def _divide_cases(r: Ranking, rng: np.random.Generator) -> Iterator[tuple[Array, Array]]:
    """Assign each case to a tenth; with weights, the cases of one score and class stay together."""
    if not r.integral or (r.pos.max() <= 1 and r.neg.max() <= 1):
        tenths = rng.integers(0, FOLDS, (2, len(r)), dtype=np.int8)
        for fold in range(FOLDS):
            yield r.pos * (tenths[0] == fold), r.neg * (tenths[1] == fold)
        return
    rest = [r.pos, r.neg]
    for fold in range(FOLDS):
        tenth = [rng.binomial(column, 1 / (FOLDS - fold)) for column in rest]
        rest = [column - out for column, out in zip(rest, tenth, strict=True)]
        yield tenth[0], tenth[1]


def _divide_groups(r: Ranking, groups: GroupSampler, rng: np.random.Generator) -> Iterator[tuple[Array, Array]]:
    fold_of = rng.integers(0, FOLDS, groups.groups)[groups.group]
    weight = np.ones(len(groups.cell)) if groups.weight is None else groups.weight
    for fold in range(FOLDS):
        cells = np.bincount(groups.cell, weights=weight * (fold_of == fold), minlength=2 * len(r)).astype(r.pos.dtype)
        yield cells[: len(r)], cells[len(r) :]
