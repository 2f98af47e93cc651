"""The answer to a request for a cut: the threshold, its statement, and how good it is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cutline.core.counts import Counts
from cutline.core.errors import Argument, Text
from cutline.core.messages import listed
from cutline.core.ranking import Ranking
from cutline.cuts import statements
from cutline.cuts.cut import Cut, Promised
from cutline.cuts.optimism import Repeated
from cutline.cuts.plan import MEAN, SMOOTH_YOUDEN, Plan
from cutline.cuts.promises import PrecisionAtQuotas, PrecisionAtThresholds, Promise, RatePromise, beyond
from cutline.cuts.requirements import Requirement
from cutline.cuts.restrictions import Cap
from cutline.inference.caveats import few_resamples
from cutline.inference.resampling.samplers import GroupSampler
from cutline.inference.single.at_prevalence import at_prevalence
from cutline.inference.single.estimand import of_measure
from cutline.inference.single.intervals import Options, estimates
from cutline.measures import MEASURES, Measure
from cutline.results.estimate import Estimate, Limits
from cutline.results.resample_budget import resamples_for

NOT_REPEATED = Text(
    "The choice was not repeated: pass ", Argument("resamples", 1000), " for its interval and its optimism."
)
TOO_FEW_TO_REPEAT = (
    "Nine tenths of these cases are too few for the requirements, so the choice cannot be repeated on them: what it is "
    "worth on new cases is unknown."
)
SHOWN = ("recall", "precision", "specificity", "f1", "predicted_positive_rate")


@dataclass(frozen=True)
class Request:
    """What was asked for, ready to be answered."""

    r: Ranking
    groups: GroupSampler | None
    asked: Sequence[Requirement]
    made: Sequence[Promise]
    plan: Plan
    confidence: float | None
    after_looking: bool
    cap: Cap | None
    level: float

    def cut(self, repeated: Repeated | None) -> Cut:
        """The cut, or why there is none."""
        key, place = self._chosen(repeated)
        flagged = int((self.r.key >= key).sum())
        if math.isnan(key) or (place == 0 and flagged):  # no threshold is above an infinite score
            return self._none()
        tested = any(isinstance(one, PrecisionAtQuotas) for one in self.made)
        if tested or (flagged and math.isinf(key)):
            return self.at(self._tested_threshold(flagged), place, repeated)
        return self.at(key if self.r.higher_is_positive else -key, place, repeated)

    def at(self, threshold: float, place: int | None = None, repeated: Repeated | None = None) -> Cut:
        """The cut at a threshold, with all that is known of it."""
        counts = self.r.at_threshold(threshold)
        apparent, corrected, limits, notes = math.nan, None, Limits(math.nan, math.nan), self._notes(place, counts)
        if self.plan.criterion is not None:
            apparent = float(self.plan.worth(counts))
        if repeated is not None:
            limits = self._limits(repeated)
            if self.plan.criterion is not None and not math.isnan(repeated.corrected):
                corrected = self._corrected(repeated)
            notes += self._about_resamples(repeated)
        elif self.plan.chooses:
            notes.append(NOT_REPEATED)
        return Cut(
            threshold=threshold,
            statement=self._statement(counts, threshold, apparent, corrected),
            counts=counts,
            requirements=self._requirements(threshold),
            criterion=None if self.plan.criterion is None else self.plan.criterion.name,
            apparent=apparent,
            corrected=corrected,
            threshold_interval=limits,
            estimates=self._estimates(threshold),
            notes=tuple(notes),
            **self._common(),
        )

    def _common(self) -> dict[str, Any]:
        prevalence = float(self.r.positives / self.r.total)
        return {
            "assumptions": tuple(statements.assumptions(self.made, prevalence, after_looking=self.after_looking)),
            "confidence": self.confidence,
            "after_looking": self.after_looking,
            "method": self.plan.method,
            "prevalence": self.plan.prevalence,
            "higher_is_positive": self.r.higher_is_positive,
            "positive": self.r.positive,
        }

    def _chosen(self, repeated: Repeated | None) -> tuple[float, int | None]:
        """The threshold on the scale on which high means positive, and the position of its cut where it has one."""
        if self.plan.method == MEAN:
            found = repeated.keys[np.isfinite(repeated.keys)] if repeated is not None else np.array([])
            return (self.plan.nearest(self.r, float(found.mean())) if len(found) else math.nan), None
        if self.plan.method in SMOOTH_YOUDEN:
            return float(self.plan.keys(self.r)), None
        place, is_any = self.plan.pick(self.r)
        if not is_any:
            return math.nan, None
        return (math.inf if not place else float(self.r.key[place - 1])), int(place)

    def _tested_threshold(self, place: int) -> float:
        """Return the preset threshold at which precision was tested, or that of a quota."""
        for promise in self.made:
            if isinstance(promise, PrecisionAtThresholds):
                preset = promise.threshold_at(self.r, place)
                if preset is not None:
                    return preset
        return self._above_the_unflagged(place)

    def _above_the_unflagged(self, place: int) -> float:
        """The threshold just above the highest score that is not flagged, for tested precision and infinite scores.

        Given the highest score that is not flagged, those above it are independent draws; given the lowest that is
        flagged, they are not.
        """
        r = self.r
        upwards = math.inf if r.higher_is_positive else -math.inf
        if place == len(r):
            return -upwards
        return float(np.nextafter(r.score[place], r.score.dtype.type(upwards)))

    def _none(self) -> Cut:
        conditions = len(self.plan.rules) > len(self.made)
        if self.plan.method in SMOOTH_YOUDEN and math.isnan(SMOOTH_YOUDEN[self.plan.method](self.r)):
            statement = statements.NOT_SMOOTH
        elif self.made:
            level = 1.0 if self.confidence is None else self.confidence
            statement = statements.impossible(self.made, level, others=conditions)
        else:
            statement = "No cut meets the requirements on these cases: relax one of them."
        return Cut(math.nan, statement, possible=False, requirements=self._requirements(math.nan), **self._common())

    def _requirements(self, threshold: float) -> tuple[Promised, ...]:
        made = {id(one.requirement): one for one in self.made}
        found = []
        for one in self.asked:
            promise = made.get(id(one))
            if isinstance(promise, RatePromise):
                wrong = beyond(self.r, promise.about)
                seen = None if math.isnan(threshold) else int(wrong[self.r.cut(threshold)])
                needed = None if math.isinf(promise.needed) else int(promise.needed)
                found.append(
                    Promised(one.text, promise.confidence, promise.about, promise.cases, promise.allowed, seen, needed)
                )
            else:
                found.append(Promised(one.text, None if promise is None else self.confidence))
        return tuple(found)

    def _statement(self, counts: Counts, threshold: float, apparent: float, corrected: Estimate | None) -> str:
        rules = self._conditions()
        if self.made:
            assert self.confidence is not None  # noqa: S101 - promises have one
            how = {"after_looking": self.after_looking, "with_room": self.plan.chooses}
            return statements.promised(self.made, self.r, threshold, self.confidence, **how)
        if not self.plan.chooses:
            return statements.nothing(threshold, self.level)
        if self.plan.criterion is not None:
            value = math.nan if corrected is None else corrected.value
            return statements.best(self.plan, counts, apparent, value, rules, threshold)
        return statements.only_rules(counts, rules, threshold, most=self.plan.takes_most)

    def _notes(self, place: int | None, counts: Counts) -> list[str]:
        notes = []
        if place is not None and self.plan.criterion is not None:
            equal = self.plan.equals(self.r, place)
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
        if self.cap is not None and self.plan.criterion is None and self._ends_inside_a_tie(place, self.cap):
            notes.append(
                f"The quota of {self.cap.quota:g} ends inside a tie, whose cases do not all fit: they are left out."
            )
        if self.made and self._conditions():
            also = listed(self._conditions())
            notes.append(f"On these cases the cut also keeps to {also}, of which nothing is promised.")
        return notes

    def _conditions(self) -> list[str]:
        """What a cut has to meet on these cases, without a promise."""
        rules = [one.text for one in self.asked if not any(one is made.requirement for made in self.made)]
        return [*rules, *([] if self.cap is None else [statements.CAP.format(quota=f"{self.cap.quota:g}")])]

    def _ends_inside_a_tie(self, place: int | None, cap: Cap) -> bool:
        """Whether the quota alone keeps the next score out, some of whose cases would still fit."""
        if place is None or place == len(self.r) or not self.plan.takes_most or self.r.ends[place] >= cap.quota:
            return False
        others = replace(self.plan, rules=tuple(rule for rule in self.plan.rules if rule is not cap))
        return bool(others.allowed(self.r)[place + 1])

    def _limits(self, repeated: Repeated) -> Limits:
        low, high = repeated.key_limits(self.level)
        return Limits(low, high) if self.r.higher_is_positive else Limits(-high, -low)

    def _corrected(self, repeated: Repeated) -> Estimate:
        assert self.plan.criterion is not None  # noqa: S101
        low, high = repeated.value_limits(self.level)
        return Estimate(self.plan.criterion.name, repeated.corrected, low, high, self.level, "repeated choice")

    def _about_resamples(self, repeated: Repeated) -> list[str]:
        notes = few_resamples(repeated.lost + len(repeated.keys))
        if self.plan.criterion is not None and math.isnan(repeated.corrected):
            notes.append(TOO_FEW_TO_REPEAT)
        if repeated.lost:
            of = repeated.lost + len(repeated.keys)
            notes.append(
                f"In {repeated.lost} of {of} resamples no cut meets the requirements; the interval is from the others."
            )
        if self.plan.method == MEAN:
            notes.append(
                "The corrected value is that of the raw optimum, which varies more: this cut is a little better."
            )
        if self.groups is not None:
            notes.append(f"Whole groups were resampled, {self.groups.groups} of them.")
        return notes

    def _estimates(self, threshold: float) -> tuple[Estimate, ...]:
        if self.plan.prevalence is not None:
            return self._elsewhere(threshold, self.plan.prevalence)
        terms: list[tuple[Measure, Mapping[str, Any]]] = [(MEASURES[name], {}) for name in SHOWN]
        terms += [(one.term.measure, one.term.parameters) for one in self.asked if one.term.measure.name not in SHOWN]
        grouped = self.groups is not None
        wanted = [of_measure(m, self.r, {"threshold": threshold, **more}, grouped=grouped) for m, more in terms]
        return tuple(estimates(wanted, Options(self.level, resamples=resamples_for(len(self.r))), self.groups))

    def _elsewhere(self, threshold: float, prevalence: float) -> tuple[Estimate, ...]:
        """The rates of the classes, which are the same at any prevalence, and what follows from them at another."""
        grouped = self.groups is not None
        wanted = [
            of_measure(MEASURES[name], self.r, {"threshold": threshold}, grouped=grouped)
            for name in ("recall", "specificity")
        ]
        rates = estimates(wanted, Options(self.level), self.groups)
        there = at_prevalence(self.r, threshold, prevalence, level=self.level, groups=self.groups)
        return (*rates, there["precision"], there["npv"], there["f1"])
