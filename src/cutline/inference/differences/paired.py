"""Differences of measures between models on the same cases: methods, intervals and tests."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from cutline.core.counts import divide
from cutline.core.errors import ParameterError, UnknownNameError, near
from cutline.core.ranking import Array, Ranking, dot
from cutline.core.table import p_shown, shown
from cutline.inference import effective_size
from cutline.inference.caveats import (
    AT_A_QUOTA,
    EQUAL,
    FEW_FOR_A_DIFFERENCE,
    FEW_FOR_A_MEAN,
    FEW_FOR_ONE_CUT,
    IGNORES_THE_DESIGN,
    INDEPENDENT,
    PLENTY_FOR_A_DIFFERENCE,
    WEIGHTS_GO_WITH_SCORES,
    few_cases,
    few_resamples,
    finished,
    has_spread,
    redraws,
)
from cutline.inference.corrected import Corrected, CorrectedDifference, subtract_corrected
from cutline.inference.delong import placements
from cutline.inference.differences.difference import (
    Difference,
    NormalDifference,
    ResampledDifference,
    StudentDifference,
    has_no_width,
    planned,
    said_of_resamples,
    speaks,
)
from cutline.inference.differences.hypotheses import Hypothesis
from cutline.inference.differences.mcnemar import VARIANTS, Discordance, discordance, few_discordant, mcnemar
from cutline.inference.differences.test_results import PairTest, corrected
from cutline.inference.differences.unpaired import apart
from cutline.inference.effective_size import freedom_of_sum
from cutline.inference.influence import JUMPING, Influence, of_cut, of_losses, of_order
from cutline.inference.permutation import exchange_models
from cutline.inference.resampling.pairing import Pairing, Question, Resamples, bootstrap, delong_covariance
from cutline.inference.single.auc import area_of
from cutline.inference.single.bootstrap import design_notes
from cutline.inference.single.estimand import as_measure, of_measure
from cutline.inference.single.interval_options import Options
from cutline.inference.single.intervals import correct_bias
from cutline.inference.survey import of_rows
from cutline.measures import MEASURES, LineOfAuc, MeanOfCases, Measure, Needs
from cutline.measures.aliases import under
from cutline.measures.kinds import BestOfCuts, CalibrationError
from cutline.results.cut_point import CutPoint
from cutline.results.estimate import Estimate, quantile
from cutline.results.method_titles import method_title

PREDICTIVE = ("weighted_generalised_score",)
# By measure: whether it is of the flagged cases, and whether a positive counts.
_OF = {"precision": (True, True), "fdr": (True, False), "npv": (False, False), "false_omission_rate": (False, True)}
MEASURES_OF_THEM = tuple(_OF)


def weighted_generalised_score(pairing: Pairing, flags: tuple[Array, Array], measure: str) -> float:
    """The p-value of equal predictive values (Kosinski 2013).

    Args:
        pairing: The cases.
        flags: Which cells each model flags.
        measure: Which of the predictive values.
    """
    from scipy.special import chdtrc

    of_flagged, of_positive = _OF[measure]
    chosen = [flag == of_flagged for flag in flags]
    hit = pairing.is_positive == of_positive
    sizes = [float(pairing.cases[one].sum()) for one in chosen]
    hits = [float(pairing.cases[one & hit].sum()) for one in chosen]
    if not all(sizes):
        return math.nan
    pooled, both = sum(hits) / sum(sizes), chosen[0] & chosen[1]
    joint_hits, joint = float(pairing.cases[both & hit].sum()), float(pairing.cases[both].sum())
    shared = (joint_hits * (1 - pooled) ** 2 + (joint - joint_hits) * pooled**2) / sum(sizes)
    gap = hits[0] / sizes[0] - hits[1] / sizes[1]
    variance = (pooled * (1 - pooled) - 2 * shared) * (1 / sizes[0] + 1 / sizes[1])
    if variance <= 1e-15:
        return 1.0 if abs(gap) < 1e-12 else math.nan
    return float(chdtrc(1, gap**2 / variance))


def log_ratio_error(pairing: Pairing, changes: tuple[Array, Array], values: tuple[float, float]) -> float:
    """The standard error of the logarithm of the ratio of two models' values, given what each cell's cases change."""
    change = divide(changes[0], values[0]) - divide(changes[1], values[1])
    weighed = change if pairing.integral else change * pairing.weight
    return math.sqrt(float(np.sum(weighed**2 * pairing.cases)))


TESTS = (
    "auto",
    "delong",
    *VARIANTS,
    "tango",
    *PREDICTIVE,
    "influence",
    "linearised",
    "log_ratio",
    "bootstrap",
    "student",
    "bias_corrected",
    "mover",
    "permutation",
)
DRAWN = ("bootstrap", "student", "bias_corrected")  # from resamples, which all pairs of models share
RANDOM = (*DRAWN, "mover")  # from resamples or simulations
INTERVALS = ("auto", "delong", "tango", "influence", "linearised", "bootstrap", "student", "bias_corrected", "mover")


def refuse_unsuited(one: PairedMeasure, method: str) -> None:
    """Raise if a method of a test or an interval does not suit a measure.

    Args:
        one: The measure of two models.
        method: The name of the method.
    """
    if method == "delong" and not one.is_linear_in_auc:
        lines = ", ".join(m.name for m in MEASURES if isinstance(m.kind, LineOfAuc))
        raise ParameterError(
            f"is for {lines}, not for {one.measure.name}", "pass method='bootstrap'", argument="delong"
        )
    if method.startswith(("mcnemar", "tango")) and not one.is_share:
        shares = ", ".join(m.name for m in MEASURES if m.paired)
        raise ParameterError(
            f"{method} is for {shares} at a threshold, of cases without fractional weights, not for {one.measure}",
            "pass method='bootstrap'",
        )
    if method == "bias_corrected" and not one.is_best_of_cuts:
        raise ParameterError(f"bias_corrected is for the best over all cuts, and {one.measure} is none", "pass 'auto'")
    if method == "mover" and not one.is_calibration_error:
        raise ParameterError(f"mover is for calibration errors, and {one.measure} is none", "pass 'auto'")
    if method in PREDICTIVE and not one.is_predictive:
        listed = ", ".join(MEASURES_OF_THEM)
        raise ParameterError(
            f"{method} is for {listed} at a threshold, of cases without fractional weights", "pass 'bootstrap'"
        )
    if method in ("influence", "linearised", "log_ratio") and one.influences is None:
        raise ParameterError(f"{method} needs a smooth measure, and {one.measure} is none", "pass 'bootstrap'")
    if method == "log_ratio" and not min(one.values) > 0:
        raise ParameterError("A ratio needs two values above 0", "pass another method")


def influence_of(pairing: Pairing, question: Question, model: int, value: float) -> Influence | None:
    """What one case changes in a measure of one model, found once for all pairs; None where it has no slope."""
    measure, key, found = question.measure, _key(pairing, question, model), pairing.shared.influences
    if key not in found:
        known = measure.name in MEASURES.names and measure.name not in JUMPING and math.isfinite(value)
        found[key] = _influence(pairing.rankings[model], question, model, value) if known else None
    return found[key]


def _influence(ranking: Ranking, question: Question, model: int, value: float) -> Influence | None:
    measure, given = question.measure, question.parameters[model]
    data, rest = measure.prepare(ranking, given)
    if measure.needs is Needs.COUNTS and "threshold" in given:
        return of_cut(partial(measure.compute, **rest), data, ranking, ranking.cut(given["threshold"]))
    if isinstance(measure.kind, LineOfAuc):
        slope, area = float(measure.kind.of(ranking, **{**measure.bound, **rest})[0]), area_of(ranking)
        above, below = placements(ranking)
        return Influence(
            slope * (above - area) / float(ranking.positives), slope * (below - area) / float(ranking.negatives)
        )
    if isinstance(measure.kind, MeanOfCases):
        losses = measure.kind.of(ranking, **{**measure.bound, **rest})
        return of_losses(ranking, *losses) if all(np.isfinite(loss).all() for loss in losses) else None
    if measure.needs is not Needs.RANKING or "quota" in {**measure.bound, **given}:
        return None

    def statistic(r: Ranking) -> Any:
        return question.value(r, model)

    return of_order(statistic, value, ranking)


def changes_of(pairing: Pairing, question: Question, influences: Sequence[Influence]) -> tuple[Array, Array]:
    """What each cell's cases change in both models."""
    one, two = (_of_cases(pairing, question, model, influence) for model, influence in enumerate(influences))
    return one, two


def standard_error(pairing: Pairing, question: Question, influences: Sequence[Influence]) -> float:
    """The standard error of the difference of two models: what a case changes in one and not in the other."""
    one, two = changes_of(pairing, question, influences)
    change = one - two
    if not pairing.integral:
        change *= pairing.weight
    return math.sqrt(float(dot(change * pairing.cases, change)))


def _of_cases(pairing: Pairing, question: Question, model: int, influence: Influence) -> Array:
    """What each cell's cases change in one model, kept until another measure is asked for."""
    kept, key = pairing.shared.of_cases, _key(pairing, question, model)
    if any(measure != key[0] for measure, *_ in kept):
        kept.clear()
    if key not in kept:
        kept[key] = influence.of_cases(pairing.index[model], pairing.is_positive)
    return kept[key]


def _key(pairing: Pairing, question: Question, model: int) -> tuple[Any, ...]:
    """A measure of one model, as what is kept of it is found again."""
    return str(question.measure), id(pairing.rankings[model]), tuple(sorted(question.parameters[model].items()))


def designed(pairing: Pairing, question: Question, influences: list[Influence], value: float) -> StudentDifference:
    """The difference with the standard error that the design of the sample gives it.

    Args:
        pairing: The models on the same cases.
        question: The measure.
        influences: What one case changes in each model.
        value: The difference.
    """
    one, two = changes_of(pairing, question, influences)
    change, sampler = one - two, pairing.sampler(0)
    if pairing.groups is not None and sampler is not None:
        rows_changed = change[pairing.groups.cell]
        known = of_rows([rows_changed], sampler)
        return StudentDifference(value, math.sqrt(known.covariance[0, 0]), known.own[0] if known.own else math.nan)
    weight, matters = pairing.weight.astype(float), change != 0
    rows, squares = float(pairing.cases @ weight), float(pairing.cases @ np.square(weight))
    size = rows**2 / squares
    variance = float(pairing.cases @ np.square(weight * change))
    se = math.sqrt(variance * size / (size - 1)) if size > 1 else math.nan
    free = min(size - 1, freedom_of_sum((weight * change)[matters], pairing.cases[matters]))
    return StudentDifference(value, se, max(free, 1.0))


def paired_t(value: float, se: float, size: float) -> StudentDifference:
    """The difference of two means over the same cases, as in the paired t test.

    Args:
        value: The difference.
        se: Its standard error with the number of cases as divisor.
        size: The number of cases.
    """
    free = max(size - 1, 1.0)
    return with_freedom(value, se * math.sqrt(size / free), free)


def with_freedom(value: float, se: float, free: float) -> StudentDifference:
    """The difference with a standard error that is known with so many degrees of freedom, at least one.

    Args:
        value: The difference.
        se: Its standard error.
        free: The degrees of freedom.
    """
    return StudentDifference(value, se, max(float(free), 1.0))


APART = (
    "No case tells the two apart here, which does not mean that none ever will: the interval is from those of both "
    "models, one by one."
)
NO_SIMULATED_SPREAD = "So few cases give simulations without any spread: there is no interval."
_WITH_A_SUBSTITUTE = ("delong", "linearised", "influence")  # which resamples stand in for where they say nothing


@dataclass(frozen=True, eq=False)
class PairedMeasure:
    """One measure of two models on the same cases, with all that its tests and intervals need."""

    names: tuple[str, str]
    pairing: Pairing
    question: Question
    values: tuple[float, float]
    resamples: int
    seed: int
    resampled: Array | None = None
    redrawn: int = 0

    @property
    def measure(self) -> Measure:
        """The measure."""
        return self.question.measure

    @cached_property
    def value(self) -> float:
        """The difference; two infinite values have none."""
        return self.values[0] - self.values[1]

    @cached_property
    def cuts(self) -> tuple[int, ...] | None:
        """Where each model's ranking is cut, for a measure of one cut that a threshold names."""
        if self.measure.needs is not Needs.COUNTS or "threshold" not in self.question.parameters[0]:
            return None
        thresholds = (given["threshold"] for given in self.question.parameters)
        return tuple(r.cut(t) for r, t in zip(self.pairing.rankings, thresholds, strict=True))

    # ------------------------------------------------------------------ which

    @property
    def is_share(self) -> bool:
        """Whether the measure is a share of the same countable cases for both models, as McNemar's test needs."""
        return self.measure.paired is not None and self.cuts is not None and self.pairing.integral

    @property
    def is_predictive(self) -> bool:
        """Whether the measure is a predictive value at a threshold, of cases that can be counted."""
        return self.measure.name in MEASURES_OF_THEM and self.cuts is not None and self.pairing.integral

    @property
    def is_linear_in_auc(self) -> bool:
        """Whether the measure is the AUC in other clothes, as DeLong's method needs."""
        return isinstance(self.measure.kind, LineOfAuc)

    def chosen(self, method: str, for_shares: str = "mcnemar_midp") -> str:
        """The method by its name, that of `auto` by rule; refused when it does not suit the measure."""
        if method == "auto":
            if self.is_calibration_error or self.is_best_of_cuts:
                return "mover" if self.is_calibration_error else "bias_corrected"
            if self.pairing.groups is not None or not self.pairing.integral:
                closed = self.cuts is not None or isinstance(self.measure.kind, LineOfAuc | MeanOfCases)
                return "linearised" if closed and self.influences is not None else "bootstrap"
            if self.is_linear_in_auc or self.is_share:
                return "delong" if self.is_linear_in_auc else for_shares
            return "influence" if self.is_mean or self.is_smooth_at_cut or self.is_plentiful else "student"
        if not self.reasons:  # of an undefined measure nothing is asked
            refuse_unsuited(self, method)
        return "mcnemar_midp" if method == "mcnemar" else method

    @cached_property
    def influences(self) -> list[Influence] | None:
        """What one case changes in each model; None where the measure has no slope."""
        found = [influence_of(self.pairing, self.question, model, self.values[model]) for model in (0, 1)]
        known = [one for one in found if one is not None]
        return known if len(known) == len(found) else None

    @property
    def is_calibration_error(self) -> bool:
        """Whether it is a calibration error of cases of both classes, which chance raises."""
        return isinstance(self.measure.kind, CalibrationError) and self.pairing.has_both_classes

    @property
    def is_best_of_cuts(self) -> bool:
        """Whether it is the best over all cuts of cases of both classes, which chance raises."""
        return isinstance(self.measure.kind, BestOfCuts) and self.pairing.has_both_classes

    @property
    def is_at_quota(self) -> bool:
        """Whether a quota or a share makes the cut of a registered measure, so that its differences are steps."""
        given = {*self.measure.bound, *self.question.parameters[0]}
        return self.measure.name in MEASURES.names and bool(given & {"quota", "share"})

    @property
    def is_mean(self) -> bool:
        """Whether it is a mean over the cases, whose difference is the mean of the differences of single cases."""
        return isinstance(self.measure.kind, MeanOfCases) and math.isfinite(self.value) and self.influences is not None

    @property
    def is_smooth_at_cut(self) -> bool:
        """Whether it is a smooth function of the counts at a threshold, whose influence values are known exactly."""
        return self.cuts is not None and math.isfinite(self.value) and self.influences is not None

    @cached_property
    def is_plentiful(self) -> bool:
        """Whether there are so many cases that a smooth difference is normal; resamples would only add noise."""
        size = min(effective_size.effective(self.pairing.rankings[0]))
        if not math.isfinite(self.value) or size < PLENTY_FOR_A_DIFFERENCE:
            return False
        return self.influences is not None

    @cached_property
    def reasons(self) -> tuple[str, ...]:
        """Why there is no difference, in words; nothing when there is one."""
        if not math.isnan(self.value):
            return ()
        found = []
        for model, name in enumerate(self.names):
            if math.isnan(self.values[model]):
                why = self._reason(model) or "it has no value"
                found.append(f"It is undefined for {name}: {why}.")
        return tuple(found) or (f"{self.measure} is infinite for both models, so that they have no difference.",)

    def _reason(self, model: int) -> str:
        ranking = self.pairing.rankings[model]
        if not self.measure.fits(ranking):
            return self.measure.reason(ranking)
        data, given = self.measure.prepare(ranking, self.question.parameters[model])
        return self.measure.reason(data, **given)

    def turned(self) -> PairedMeasure:
        """The same question with the two models in the other order."""
        return replace(
            self,
            names=self.names[::-1],
            pairing=self.pairing.of(1, 0),
            question=self.question._replace(parameters=self.question.parameters[::-1]),
            values=self.values[::-1],
            resampled=None if self.resampled is None else self.resampled[::-1],
        )

    # ------------------------------------------------------------------ intervals

    def difference(self, method: str) -> tuple[Difference, str, tuple[str, ...]]:
        """The difference, the method that found it, and what qualifies it.

        When DeLong's method was chosen by rule and has nothing to say, the bootstrap has its turn.
        """
        chosen = self.chosen(method, "tango")
        found, notes = self._seen_by(chosen)
        may_resample = self.resampled is not None or self.resamples > 0
        if method == "auto" and chosen in _WITH_A_SUBSTITUTE and may_resample and not speaks(found):
            second, more = self._seen_by("bootstrap")
            notes = (*notes, *more)
            if speaks(second):
                found, chosen = second, "bootstrap"
        if method == "auto" and abs(self.value) <= EQUAL and has_no_width(found) and not self.are_one_model:
            separate = apart(self.pairing, self.question, self.values)
            if separate is not None:
                return separate, "square_and_add", (*self.reasons, *notes, APART)
        return found, chosen, (*self.reasons, *notes)

    @property
    def are_one_model(self) -> bool:
        """Whether both put all cases in the same order, so that no measure of the order can differ in any sample."""
        one, two = self.pairing.index
        return len(self.pairing.rankings[0]) == len(self.pairing.rankings[1]) and bool(np.array_equal(one, two))

    def _seen_by(self, method: str) -> tuple[Difference, tuple[str, ...]]:
        """The difference as a method sees it, and what qualifies it."""
        if math.isnan(self.value):
            return NormalDifference(math.nan, math.nan), ()
        ranking = self.pairing.rankings[0]
        notes = self._notes(method)
        if method == "tango":
            return self.discordance, tuple(notes)
        if method == "delong":
            return NormalDifference(self.value, self._delong_se), (*notes, *self._delong_notes)
        if method == "linearised" and self.influences is not None:
            notes += [WEIGHTS_GO_WITH_SCORES] if any(map(effective_size.go_with_scores, self.pairing.rankings)) else []
            return designed(self.pairing, self.question, self.influences, self.value), tuple(notes)
        if method == "influence" and self.influences is not None:
            size = float(sum(effective_size.effective(ranking)))
            if self.is_mean:  # the paired t test
                notes += few_cases(ranking, FEW_FOR_A_MEAN)
                return paired_t(self.value, self._influence_se, size), tuple(notes)
            # Student's t with the cases of the smaller class: they decide how well the standard error is known.
            se = self._influence_se * math.sqrt(size / max(size - 1, 1))
            return with_freedom(self.value, se, self._freedom), tuple(notes)
        if method == "mover":
            a, b = (self._corrected(model) for model in (0, 1))
            corrected_difference = subtract_corrected(self.values, a, b)
            return corrected_difference, (*notes, *([] if speaks(corrected_difference) else [NO_SIMULATED_SPREAD]))
        draws, redrawn = self._resampled
        if method == "bias_corrected":
            return self._without_bias(draws), (*notes, *redraws(redrawn), *few_resamples(len(draws[0])))
        with np.errstate(invalid="ignore"):
            found = ResampledDifference(self.value, draws[0] - draws[1])
        notes += redraws(redrawn) + few_resamples(len(draws[0]))
        notes += few_cases(ranking, FEW_FOR_A_DIFFERENCE)
        if method == "student" and has_spread(found.draws) and math.isfinite(found.se):
            notes += [AT_A_QUOTA] if self.is_at_quota else []
            return with_freedom(self.value, found.se, self._freedom), tuple(notes)
        return found, (*notes, *said_of_resamples(found, self.measure))

    def _corrected(self, model: int) -> Corrected:
        """Return the value of one model without what chance added to it, found once for all pairs."""
        cached, key = self.pairing.shared.corrected, (*_key(self.pairing, self.question, model), self.resamples)
        if key not in cached:
            groups, options = self.pairing.sampler(model), Options(resamples=max(self.resamples, 2), seed=self.seed)
            given = dict(self.question.parameters[model])
            estimand = of_measure(self.measure, self.pairing.rankings[model], given, grouped=groups is not None)
            cached[key] = correct_bias(estimand, options, groups)
        return cached[key]

    def _without_bias(self, draws: Array) -> CorrectedDifference:
        """Return the difference of two bests over all cuts without what chance added to each.

        The standard error is that of resamples of the same cases, widened by the correction, which is uncertain too.
        """
        moved = draws[0] - draws[1]
        moved = moved[np.isfinite(moved)]
        if len(moved) < 2:
            return CorrectedDifference(self.value, self.value, math.nan, math.nan)
        if self.pairing.groups is None and self.pairing.integral:
            centre = self._corrected(0).centre - self._corrected(1).centre
        else:  # nothing can be smoothed: resamples start from an optimum of the sample, and show half of the bias
            centre = self.value - 2 * (float(moved.mean()) - self.value)
        se = math.hypot(float(moved.std(ddof=1)), centre - self.value)
        return CorrectedDifference(self.value, centre, se, se, max(self._freedom, 1.0))

    @property
    def _freedom(self) -> float:
        """Degrees of freedom: the cases of the smaller class, or the groups that hold one, less one."""
        sampler = self.pairing.sampler(0)
        if sampler is not None:
            return min(sampler.freedom_of_classes)
        return float(min(effective_size.effective(self.pairing.rankings[0]))) - 1

    def _notes(self, method: str) -> list[str]:
        """How many cases the weights are worth, and whether a method knows how they were sampled."""
        sampler, ranking = self.pairing.sampler(0), self.pairing.rankings[0]
        if sampler is None:
            return effective_size.notes(ranking)
        if method in (*RANDOM, "linearised"):
            return design_notes(sampler, "resampled" if method in DRAWN else "counted")
        return [*effective_size.notes(ranking), IGNORES_THE_DESIGN if sampler.are_single else INDEPENDENT]

    @cached_property
    def discordance(self) -> Discordance:
        """The cases that one of the models only gets."""
        assert self.measure.paired is not None  # noqa: S101
        return discordance(self.pairing, self._flags, self.measure.paired)

    @property
    def _flags(self) -> list[Array]:
        """Whether each model flags the cases of each cell, at the cut of each."""
        cuts: tuple[int, ...] = self.cuts or ()
        return [index < cut for index, cut in zip(self.pairing.index, cuts, strict=True)]

    @cached_property
    def _influence_se(self) -> float:
        return standard_error(self.pairing, self.question, self.influences or ())

    @cached_property
    def _delong_se(self) -> float:
        variance = delong_covariance(self.pairing, np.array([[1.0, -1.0]]))[0, 0]
        slope = float(self.measure.kind.of(self.pairing.rankings[0])[0])  # type: ignore[union-attr,arg-type]
        return abs(slope) * math.sqrt(variance)

    @property
    def _delong_notes(self) -> tuple[str, ...]:
        if math.isnan(self._delong_se):
            return ("DeLong's variance needs two cases of each class.",)
        if self._delong_se <= EQUAL < abs(self.value):
            return ("DeLong's variance is 0, as it is between a perfect and a reversed order: it says nothing.",)
        return tuple(few_cases(self.pairing.rankings[0], FEW_FOR_A_DIFFERENCE))

    @cached_property
    def _resampled(self) -> tuple[Array, int]:
        if self.resampled is not None:
            return self.resampled, self.redrawn
        drawn = bootstrap(self.pairing, [self.question], self.resamples, self.seed)
        return drawn.values[0], drawn.redrawn

    def estimate(self, method: str, level: float) -> Estimate:
        """The difference with its interval, which stays within what the measure allows."""
        found, chosen, notes = self.difference(method)
        low, high = found.interval(level)
        if math.isnan(low) and isinstance(found, ResampledDifference) and not found.says_nothing:
            notes = (*notes, f"{self.resamples} resamples are too few for a level of {level:g}: pass more resamples.")
        reach = self.measure.range[1] - self.measure.range[0]
        limits = (-reach, reach)
        if (chosen == "tango" and self.pairing.groups is None) or isinstance(found, ResampledDifference):
            of_table = chosen == "tango"
            p_value = mcnemar(self.discordance) if of_table else found.p_value()
            if not math.isnan(low) and (p_value <= 1 - level) != (not low <= 0 <= high):
                what = "McNemar's mid-p test" if of_table else "the test"
                told = f"The interval and {what} (p {p_shown(p_value)}) disagree about 0"
                notes = (*notes, f"{told}: for a decision, trust the test, whose level is nearer to what it says.")
        return finished(self.title, self.value, (low, high), limits, level, chosen, list(notes), what="difference")

    # ------------------------------------------------------------------ tests

    def ratio(self, level: float) -> Estimate:
        """The ratio of the two models' values with its interval, on the log scale."""
        self.chosen("log_ratio")
        if self.reasons:  # of an undefined measure nothing can be told
            return Estimate(self._ratio_title, math.nan, math.nan, math.nan, level, "log_ratio", tuple(self.reasons))
        value = self.values[0] / self.values[1]
        factor = math.exp(quantile(level) * self._log_ratio_se)
        notes = self._notes("log_ratio") + few_cases(self.pairing.rankings[0], FEW_FOR_ONE_CUT)
        return Estimate(self._ratio_title, value, value / factor, value * factor, level, "log_ratio", tuple(notes))

    @property
    def _ratio_title(self) -> str:
        return f"{self.measure}: {self.names[0]} / {self.names[1]}"

    @property
    def _log_ratio_se(self) -> float:
        changes = changes_of(self.pairing, self.question, self.influences or ())
        return log_ratio_error(self.pairing, changes, self.values)

    def test(self, method: str, asked: Hypothesis = Hypothesis()) -> PairTest:  # noqa: B008
        """The test of a hypothesis, of no difference unless told otherwise.

        When the method of the rule has nothing to say of no difference, the permutation has its turn.
        """
        if not asked.is_two_sided:
            return self._directed(method, asked)
        chosen = self.chosen(method)
        p_value, share, notes = self._tested_by(chosen)
        if math.isnan(p_value) and method == "auto" and not self.reasons:
            chosen = "permutation"
            p_value, share, more = self._tested_by(chosen)
            notes = (*notes, *more)
        notes = tuple(dict.fromkeys((*self.reasons, *notes)))
        head = (str(self.measure), *self.names, self.value, p_value, p_value, share, chosen, notes)
        return PairTest(*head, draws=0 if math.isnan(share) else self._draws(chosen))

    def _directed(self, method: str, asked: Hypothesis) -> PairTest:
        """The test of one direction or of a margin, from the same difference as the interval."""
        if method.startswith(("mcnemar", "permutation", *PREDICTIVE, "log_ratio")):
            raise ParameterError(
                f"{method} tests no difference at all", "pass 'auto', 'tango', 'delong' or 'bootstrap'"
            )
        found, chosen, notes = self.difference(method)
        p_value = math.nan if math.isnan(self.value) else asked.p_value(found, self.measure)
        return PairTest(
            *(str(self.measure), *self.names, self.value, p_value, p_value, math.nan, chosen, notes),
            alternative=asked.alternative,
            margin=asked.margin,
        )

    def _tested_by(self, method: str) -> tuple[float, float, tuple[str, ...]]:
        """The p-value, the plain share where there is one, and what qualifies them."""
        if math.isnan(self.value):
            return math.nan, math.nan, ()
        if method in VARIANTS:
            told = self._notes(method) + few_discordant(self.discordance, VARIANTS[method])
            return mcnemar(self.discordance, VARIANTS[method]), math.nan, tuple(told)
        if method in (*PREDICTIVE, "log_ratio"):
            told = self._notes(method)
            if method == "log_ratio":
                logs = math.log(self.values[0] / self.values[1])
                return NormalDifference(logs, self._log_ratio_se).p_value(), math.nan, tuple(told)
            one, two = self._flags
            return weighted_generalised_score(self.pairing, (one, two), self.measure.name), math.nan, tuple(told)
        if method == "permutation":
            return self._permutation()
        found, notes = self._seen_by(method)
        share = found.share() if isinstance(found, ResampledDifference) else math.nan
        return found.p_value(), share, notes

    def _draws(self, method: str) -> int:
        """How many permutations, or resamples that have a difference, a p-value is a share of."""
        return self.resamples if method == "permutation" else int(np.isfinite(self._resampled[0]).all(axis=0).sum())

    def _permutation(self) -> tuple[float, float, tuple[str, ...]]:
        exchanged, at_hand = exchange_models(self.pairing, self.question, self.cuts, self.resamples, self.seed)
        notes = effective_size.notes(self.pairing.rankings[0]) + few_resamples(self.resamples)
        notes += ["Whole groups of cases are exchanged."] if self.pairing.has_groups else []
        if not math.isclose(at_hand, self.value, rel_tol=1e-6, abs_tol=1e-9):
            notes.append(f"The ranks are exchanged, not the scores: between them the difference is {shown(at_hand)}.")
        undefined = int(np.isnan(exchanged).sum())
        if undefined:
            notes.append(f"In {undefined} exchanges {self.measure} has no difference; they count as extreme.")
        below = np.abs(exchanged) < abs(at_hand) * (1 - 1e-9) - 1e-12
        extreme = int((~below).sum())
        return (1 + extreme) / (1 + self.resamples), float(divide(extreme, self.resamples)), tuple(notes)

    # ------------------------------------------------------------------ words

    @property
    def title(self) -> str:
        """What the difference is called."""
        return f"{self.measure}: {self.names[0]} - {self.names[1]}"


MeasureLike = str | Measure | Callable[..., float]


@dataclass(frozen=True, eq=False)
class Questions:
    """One measure asked of all models, and of each pair by the positions of its models."""

    of_all: Question
    pairs: Mapping[tuple[int, int], PairedMeasure]

    @property
    def measure(self) -> Measure:
        """The measure."""
        return self.of_all.measure

    def chosen(self, method: str) -> str:
        """The test that a method stands for, of the first pair of models that has a difference."""
        known = [one for one in self.pairs.values() if not one.reasons] or list(self.pairs.values())
        return known[0].chosen(method)

    def needs_resamples(self, method: str = "auto") -> bool:
        """Whether some pair of models is compared on resamples, which all pairs then share."""
        return any(not one.reasons and one.chosen(method) in DRAWN for one in self.pairs.values())

    def is_random(self, method: str = "auto") -> bool:
        """Whether some pair of models is compared by resamples or by simulations."""
        return any(not one.reasons and one.chosen(method) in RANDOM for one in self.pairs.values())

    def sentences(self, level: float, method: str = "auto") -> tuple[str, ...]:
        """Which models can be told apart, a sentence for each pair."""
        pairs = zip(self.pairs.values(), self.tests(method), strict=True)
        return tuple(sentence(one, test, level) for one, test in pairs)

    def answered(self, resamples: Resamples, place: int) -> Questions:
        """The same questions, answered from resamples that all models share."""
        values = resamples.values[place]
        return replace(
            self,
            pairs={
                (i, j): replace(one, resampled=values[[i, j]], redrawn=resamples.redrawn)
                for (i, j), one in self.pairs.items()
            },
        )

    def tests(self, method: str = "auto", asked: Hypothesis = Hypothesis()) -> tuple[PairTest, ...]:  # noqa: B008
        """The test of each pair, corrected for their number."""
        return corrected([one.test(method, asked) for one in self.pairs.values()])


def as_asked(measure: MeasureLike, parameters: Mapping[str, Any]) -> Measure:
    """The measure of a name, or a function as one."""
    is_function = callable(measure) and not isinstance(measure, Measure)
    return as_measure(measure, parameters) if is_function else under(MEASURES[measure], measure)  # type: ignore[index]


def ask(
    pairing: Pairing,
    cuts: Mapping[str, CutPoint],
    measure: Measure,
    parameters: Mapping[str, Any],
    resamples: int,
    seed: int,
    *,
    strict: bool = False,
) -> Questions:
    """The questions of a measure with parameters; a model whose scores do not suit it has no value.

    When `strict`, it is refused if the scores of fewer than two models suit it: then there is nothing to compare.
    """
    both = "quota" in parameters and "share" in parameters  # which is refused below
    own = {name: value for name, value in parameters.items() if name in measure.parameters and not both}
    measure = measure.with_(**own)  # so that its name says them
    rest = {name: value for name, value in parameters.items() if name not in own}
    refuse = strict and sum(measure.fits(ranking) for ranking in pairing.rankings) < 2
    names, given, values = list(cuts), [], []
    for name, ranking in zip(names, pairing.rankings, strict=True):
        mine = cuts[name].completing(measure, rest)
        values.append(_value(measure, ranking, mine) if refuse or measure.fits(ranking) else math.nan)
        given.append(_of_any_size(measure, mine, pairing, ranking))
    pairs = {
        (i, j): PairedMeasure(
            (names[i], names[j]),
            pairing.of(i, j),
            Question(measure, (given[i], given[j])),
            (values[i], values[j]),
            resamples,
            seed,
        )
        for i, j in itertools.combinations(range(len(names)), 2)
    }
    return Questions(Question(measure, tuple(given)), pairs)


def _value(measure: Measure, ranking: Ranking, parameters: Mapping[str, Any]) -> float:
    data, rest = measure.prepare(ranking, parameters)
    return float(measure.compute(data, **rest))


def _of_any_size(measure: Measure, parameters: dict[str, Any], pairing: Pairing, ranking: Ranking) -> Mapping[str, Any]:
    """The parameters for resamples that are not equally long: a quota is the same share of each."""
    quota = parameters.get("quota", measure.bound.get("quota"))
    if quota is None or pairing.is_of_one_size:
        return parameters
    rest = {name: value for name, value in parameters.items() if name != "quota"}
    return {**rest, "share": quota / float(ranking.total)}


def known(name: Any, models: Iterable[str]) -> str:
    """The name of one of the models, which may have been named by numbers."""
    names = list(models)
    if str(name) not in names:
        raise UnknownNameError(f"There is no model {name!r} among {', '.join(map(repr, names))}.{near(name, names)}")
    return str(name)


def two_of(names: Sequence[str], a: Any, b: Any) -> tuple[int, int]:
    """Where two models stand, by their names; of two models they need no names."""
    if a is None and b is None and len(names) == 2:
        return 0, 1
    if a is None or b is None:
        raise ParameterError(
            f"There are {len(names)} models, {', '.join(map(repr, names))}", "pass the names of two, a and b"
        )
    a, b = known(a, names), known(b, names)
    if a == b:
        raise ParameterError(f"a and b are both {a!r}", "pass the names of two models")
    return names.index(a), names.index(b)


def sentence(one: PairedMeasure, test: PairTest, level: float) -> str:
    """Whether the two can be told apart, in plain words, and about how many cases it would take."""
    a, b = one.names
    if math.isnan(test.p_value):
        return " ".join((f"{a} and {b} cannot be compared by {test.measure}.", *test.notes))
    size, p = shown(abs(one.value)), f"p {p_shown(test.p_value, test.floor)}"
    if test.p_holm != test.p_value:
        p = f"{p}, after Holm's correction {p_shown(test.p_holm)}"
    how = f"({p}, {method_title(test.method)})"
    if test.p_holm <= 1 - level:
        ahead, behind = (a, b) if (one.value > 0) == (one.measure.better != "lower") else (b, a)
        word = "better" if one.measure.better else "higher"
        return f"{ahead} is {word} than {behind} by {size} in {test.measure} {how}: significant at {1 - level:.3g}."
    both = " and ".join(sorted((a, b)))  # the same words in whichever order the models came
    conclusion = f"{both}: the difference in {test.measure}, {size}, is not significant {how}"
    pairing = one.pairing
    return f"{conclusion}; {planned(one.difference('auto')[0], pairing.total, level, pairing.unit)}"
