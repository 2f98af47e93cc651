"""Comparisons of slices: each against the rest of the cases, all pairs, and values pulled towards their mean."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from cutline.core import validation
from cutline.core.array_ops import Array
from cutline.core.counts import Counts
from cutline.core.errors import InputError
from cutline.core.merging import merge, subtract_ranking
from cutline.core.messages import listed
from cutline.core.ranking import Ranking
from cutline.core.table import ComparedByFields, Table, p_shown, plain, shown
from cutline.evaluation import Evaluation
from cutline.inference import delong, simultaneous
from cutline.inference.influence import Influence
from cutline.inference.resampling.samplers import GroupSampler
from cutline.inference.simultaneous import Equality, PairComparisons, Pooled
from cutline.inference.single.proportions import mid_p
from cutline.inference.slice_auc import (
    MOST_CASES,
    Areas,
    Slicing,
    as_student,
    correlation_of,
    difference_from_rest,
    group_covariance,
    group_sums,
    measure_influence,
    permutation_test,
    satterthwaite,
    student_p,
)
from cutline.inference.survey import freedom_of
from cutline.measures import MEASURES, Measure, Needs, Proportion
from cutline.measures.aliases import under
from cutline.results.base import Tabulated
from cutline.results.estimate import Estimate, Limits, quantile
from cutline.results.method_titles import method_title
from cutline.results.notes import Note

if TYPE_CHECKING:
    from cutline.slices.evaluation import Slices

FEWEST = 5  # cases of a class that a slice needs to be tested
FEW_FOR_SHARES = 20  # cases in a slice below which Newcombe's pairs are less certain
MOST_ERROR = 0.17  # of an AUC on the logit scale; above it, Tukey-Kramer excludes equal AUCs of many slices too often
MOST_CASE_BY_CASE = 10_000_000  # rows that are held case by case for the AUCs of slices, at about 150 bytes
_ADJUSTED = {
    "westfall_young": "Westfall-Young permutation",
    "holm": "Holm",
    "bh": "Benjamini-Hochberg",
    "none": "no adjustment",
}
MAY_BE_EQUAL = "The lower limit is 0: the slices may be equal."


def sidak(level: float, count: int) -> float:
    """Return the level of each of `count` slices whose intervals hold together."""
    return simultaneous.sidak_level(level, count)


def estimate_slice(ev: Evaluation, measure: Measure, level: float, **parameters: Any) -> Estimate:
    """Estimate a measure at the level that makes the intervals of all slices hold together.

    A share of whole cases has the exact mid-P interval: Wilson's keeps 95 % but not the 99.8 % of 30 slices, where all
    hold in 83 % if the shares are near 0.05 or 0.95. An AUC has the normal quantile: Student's is too long at such
    levels, where all hold in 97.3 to 99.0 %. Where few cases decide an AUC, its own method stays.

    Args:
        ev: The slice.
        measure: The measure.
        level: The level of this slice.
        parameters: Those of the measure.
    """
    estimate = ev.estimate(measure, level=level, **parameters)
    method = simultaneous_method(measure, estimate)
    return estimate if method is None else ev.estimate(measure, level=level, method=method, **parameters)


def simultaneous_method(measure: Measure, estimate: Estimate) -> str | None:
    """Return the method that keeps the high level of simultaneous intervals; None where the estimate's own does."""
    if isinstance(measure.form, Proportion) and estimate.method in ("wilson", "wilson_modified"):
        return "mid_p"
    return "delong_logit" if estimate.method == "delong_student" else None


def capitalise(text: str) -> str:
    """Return a text whose first letter is a capital."""
    return text[:1].upper() + text[1:]


def fewest_of_class(r: Ranking) -> float:
    """Return the number of cases of the rarer class."""
    return float(min(r.positives, r.negatives))


def prevalence(r: Ranking) -> float:
    """Return the share of positives."""
    return float(r.positives / r.total)


# ---------------------------------------------------------------------- one measure of all slices


@dataclass(frozen=True)
class TestOptions:
    """Options of the tests: `side` is two-sided, less or greater, and `shift` belongs to the hypothesis."""

    side: str
    shift: float
    level: float
    adjust: str
    permutations: int
    seed: int


@dataclass(frozen=True, eq=False)
class RestRow(ComparedByFields):
    """A slice beside the rest of the cases."""

    key: Any
    slice: str
    cases: float
    prevalence: float
    verdict: str
    value: float = math.nan
    rest: float = math.nan
    difference: float = math.nan
    low: float = math.nan
    high: float = math.nan
    p_value: float = math.nan
    p_adjusted: float = math.nan


NUMBERS = ("value", "rest", "difference", "low", "high", "p_value", "p_adjusted")


@dataclass(frozen=True)
class RestTests:
    """The rows of all slices, and how they were tested."""

    method: str
    adjust: str
    rows: tuple[RestRow, ...]
    is_one_comparison: bool  # two slices, each the rest of the other


@dataclass(frozen=True, eq=False)
class SliceMeasure:
    """A measure of every slice that has a value, and how its slices are compared: as AUCs, as shares, or otherwise."""

    slices: Slices
    measure: Measure
    parameters: Mapping[str, Any]
    keys: list[Any]
    values: Array
    undefined: Mapping[Any, str]

    @classmethod
    def of(cls, slices: Slices, measure: str | Measure, parameters: Mapping[str, Any]) -> SliceMeasure:
        """Compute the measure of each slice; those without a value are left out with their reason."""
        chosen = under(MEASURES[measure], measure)
        if not chosen.fits(slices.overall.ranking):
            raise InputError(
                f"{chosen.name} is undefined here: {chosen.reason(slices.overall.ranking)}", "pass another measure"
            )
        keys, values, undefined = [], [], {}
        for key, ev in slices.items():
            value = ev.value(chosen, **parameters)
            if math.isfinite(value):
                keys.append(key)
                values.append(value)
            else:
                undefined[key] = ev.reason(chosen, **parameters) or "infinite"
        kind = cls if slices.group_codes is None else GroupedSliceMeasure
        return kind(slices, chosen, dict(parameters), keys, np.array(values), undefined)

    @property
    def evaluations(self) -> list[Evaluation]:
        """The slices that have a value."""
        return [self.slices.evaluations[key] for key in self.keys]

    @cached_property
    def is_auc(self) -> bool:
        """Whether slices are compared by the methods for the AUC."""
        return self.measure.name == "auc"

    @cached_property
    def counts(self) -> tuple[Array, Array] | None:
        """Cases of a share and among how many, where the measure is a share of whole cases at a threshold."""
        form = self.measure.form
        where = {"quota", "share"} & self.parameters.keys()
        if not isinstance(form, Proportion) or where or not all(ev.ranking.integral for ev in self.evaluations):
            return None
        if any(ev.cut.by_quota for ev in self.evaluations) and "threshold" not in self.parameters:
            return None
        pairs = [form.of(self._counts_of(ev)) for ev in self.evaluations]
        return tuple(np.array([float(pair[i]) for pair in pairs]) for i in (0, 1))  # type: ignore[return-value]

    def _counts_of(self, ev: Evaluation) -> Counts:
        at = self.parameters.get("threshold")
        return ev.counts if at is None else ev.at(threshold=at)

    @cached_property
    def variances(self) -> Array:
        """DeLong's variances of the AUCs."""
        return np.array([float(delong.variance(ev.ranking)) for ev in self.evaluations])

    @property
    def pair_method(self) -> str:
        """How the limits of pairs are made."""
        return "tukey_kramer" if self.is_auc else "newcombe_pairs" if self.counts is not None else "mover_pairs"

    def check_two(self) -> None:
        """Refuse a comparison of fewer than two values."""
        if len(self.keys) < 2:
            raise InputError(
                f"Fewer than two slices have a value of {self.measure.name}", "pass another measure or other slices"
            )

    def limits(self, level: float) -> Limits:
        """Return the limits of each slice from which those of pairs follow (square and add)."""
        if self.is_auc:
            half = quantile(level) * np.sqrt(self.variances)
            low, high = np.maximum(self.values - half, 0.0), np.minimum(self.values + half, 1.0)
            with np.errstate(divide="ignore", invalid="ignore"):
                is_small = ~(np.sqrt(self.on_normal_scale()[1]) <= MOST_ERROR)  # or without a spread
            own = self._own_limits([ev for ev, small in zip(self.evaluations, is_small, strict=True) if small], level)
            low[is_small], high[is_small] = np.fmin(low[is_small], own.low), np.fmax(high[is_small], own.high)
            return Limits(low, high)
        if self.counts is not None:
            then: Any = self.measure.form.then  # type: ignore[union-attr]
            return Limits(*(np.array([then(limit) for limit in side]) for side in mid_p(*self.counts, level)))
        return self._own_limits(self.evaluations, level)

    def _own_limits(self, evaluations: Iterable[Evaluation], level: float) -> Limits:
        estimates = [ev.estimate(self.measure, level=level, **self.parameters) for ev in evaluations]
        return Limits(*(np.array([getattr(estimate, side) for estimate in estimates]) for side in ("low", "high")))

    def pairs(self, level: float) -> PairComparisons:
        """Return all pairs, with limits that hold together at this level."""
        self.check_two()
        critical = simultaneous.tukey_quantile(level, len(self.keys))
        return simultaneous.mover_pairs(self.values, *self.limits(simultaneous.coverage_of(critical)))

    def on_normal_scale(self) -> tuple[Array, Array, Any]:
        """Return values and variances on the scale where they are about normal, and the way back."""
        if self.is_auc:
            spread = np.square(self.values * (1 - self.values))
            with np.errstate(divide="ignore", invalid="ignore"):
                return simultaneous.logit(self.values), self.variances / spread, simultaneous.expit
        if self.counts is not None and self.measure.form.then is float:  # type: ignore[union-attr]
            k, n = self.counts
            if ((k == 0) | (k == n)).any():  # half a case is added to both sides of every slice
                k, n = k + 0.5, n + 1
            return simultaneous.logit(k / n), 1 / k + 1 / (n - k), simultaneous.expit
        low, high = self._own_limits(self.evaluations, 0.95)
        return self.values, np.square((high - low) / (2 * quantile(0.95))), lambda value: value

    # ---- the gap

    def gap_estimate(self, pairs: PairComparisons, level: float) -> Estimate:
        """Return the largest gap with its notes."""
        value, limits = pairs.gap
        return Estimate(
            f"gap({self.measure})", value, *limits, level, self.pair_method, self.gap_notes(limits, pairs.widest)
        )

    def gap_notes(self, limits: Limits, widest: tuple[int, int]) -> tuple[str, ...]:
        """Return which slices are apart, with their prevalences, and what qualifies the gap."""
        ends = [self._describe(i) for i in widest]
        notes = [f"Highest: {ends[0]}; lowest: {ends[1]}."]
        if limits.low == 0:
            notes.append(MAY_BE_EQUAL)
        notes += self.left_out()
        if self.counts is not None and self.counts[1].min() < FEW_FOR_SHARES:
            few = int((self.counts[1] < FEW_FOR_SHARES).sum())
            cases = validation.counted(few, "slice")
            notes.append(f"{cases} with fewer than {FEW_FOR_SHARES} cases: the interval is approximate.")
        return tuple(notes)

    def _describe(self, i: int) -> str:
        key, r = self.keys[i], self.evaluations[i].ranking
        return f"{self.slices.title(key)} {shown(float(self.values[i]))} (prevalence {100 * prevalence(r):.1f} %)"

    def left_out(self) -> list[str]:
        """Return how many slices have no value, and why."""
        if not self.undefined:
            return []
        reasons = listed(list(dict.fromkeys(self.undefined.values())))
        were = "was" if len(self.undefined) == 1 else "were"
        return [f"{validation.counted(len(self.undefined), 'slice')} without a value {were} left out ({reasons})."]

    # ---- each slice against the rest

    def tests(self, options: TestOptions) -> RestTests:
        """Compare each slice with its rest."""
        if self.is_auc:
            return self._area_tests(options)
        if self.counts is not None:
            return self._share_tests(options)
        return self._other_tests(options)

    @cached_property
    def slicing(self) -> Slicing | None:
        """The cases of all slices one by one, where they are whole and not too many."""
        rankings = [ev.ranking for ev in self.slices.values()]
        if not all(r.integral and r.exact for r in rankings) or sum(int(r.total) for r in rankings) > MOST_CASE_BY_CASE:
            return None
        parts = [
            (np.repeat(r.score, cells), np.full(int(cells.sum()), positive), np.full(int(cells.sum()), i))
            for i, r in enumerate(rankings)
            for positive, cells in ((True, r.pos), (False, r.neg))
        ]
        score, positive, number = (np.concatenate(column) for column in zip(*parts, strict=True))
        score = score if rankings[0].higher_is_positive else -score
        return Slicing.of(positive, score, number, len(rankings))

    def _areas(self) -> Areas:
        """Return the AUCs of the slices with a value and of their rests."""
        if self.slicing is not None and self.keys:
            which = np.array([i for i, key in enumerate(self.slices) if key in set(self.keys)], dtype=np.intp)
            return Areas(*(column[which] for column in self.slicing.areas))
        rests = [self._rest(key).ranking for key in self.keys]
        return Areas(
            self.values,
            self.variances,
            np.array([float(MEASURES["auc"].compute(r)) for r in rests]),
            np.array([float(delong.variance(r)) for r in rests]),
        )

    def _rest(self, key: Any) -> Evaluation:
        if not self.slices.has_total and self.measure.needs is Needs.COUNTS:
            raise InputError(
                f"The quota is filled in each slice, so that {self.measure.name} of the rest is undefined",
                "pass one threshold for all slices",
            )
        if not self.slices.has_common_cut and self.measure.needs is Needs.COUNTS:
            raise InputError(
                f"The slices have different thresholds, so {self.measure.name} of the rest is undefined",
                "pass a rate such as recall, or one threshold",
            )
        rest = subtract_ranking(self.slices.overall.ranking, self.slices[key].ranking)
        if rest is None:
            rest = merge(ev.ranking for other, ev in self.slices.items() if other != key)
        return Evaluation(rest, threshold=self.slices[key].threshold)

    @cached_property
    def comparisons(self) -> int:
        """How many comparisons with the rest there are: two slices are each the rest of the other, and so one.

        A slice without a case of a share, such as one without positives for the recall, is in no rest of it.
        """
        slices = len(self.slices)
        if self.counts is not None and self.undefined:
            form: Any = self.measure.form
            slices = sum(float(form.of(self._counts_of(ev))[1]) > 0 for ev in self.slices.values())
        return 1 if slices == 2 else len(self.slices)

    def _is_tested(self, least: Iterable[float]) -> Array:
        return np.array([fewest >= FEWEST for fewest in least], dtype=bool)

    def _area_tests(self, options: TestOptions) -> RestTests:
        areas = self._areas()
        tested = self._is_tested(fewest_of_class(ev.ranking) for ev in self.evaluations) & np.isfinite(
            areas.rest_variance
        )
        cases = sum(int(ev.ranking.total) for ev in self.slices.values())
        adjust = options.adjust
        if adjust == "auto":
            adjust = "westfall_young" if self.slicing is not None and cases <= MOST_CASES else "holm"
        if adjust == "westfall_young":
            if self.slicing is None:
                raise InputError(
                    "The permutation test needs whole cases one by one, which these slices do not hold",
                    "pass adjust='holm'",
                )
            every = np.zeros(len(self.slices), bool)
            which = np.array([i for i, key in enumerate(self.slices) if key in set(self.keys)], dtype=np.intp)
            every[which] = tested
            if not every.any():
                p = adjusted = np.full(len(self.keys), np.nan)
            else:
                made = permutation_test(
                    self.slicing,
                    every,
                    alternative=options.side,
                    margin=options.shift,
                    permutations=options.permutations,
                    seed=options.seed,
                )
                p, adjusted = made.p_value[which], made.adjusted[which]
        else:
            with np.errstate(divide="ignore", invalid="ignore"):
                z = simultaneous.logit_z(areas.area, areas.variance, areas.rest + options.shift, areas.rest_variance)
            p = np.where(tested, simultaneous.normal_p(z, options.side), np.nan)
            adjusted = simultaneous.adjust_p_values(p, adjust)
        own = _logit_limits(areas.area, areas.variance, options.level, self.comparisons)
        rest = _logit_limits(areas.rest, areas.rest_variance, options.level, self.comparisons)
        limits = self._difference_limits(areas.rest, own, rest)
        return self._rows(options, areas.rest, limits, p, adjusted, "delong_logit", adjust)

    def _share_tests(self, options: TestOptions) -> RestTests:
        k, n = self.counts  # type: ignore[misc]
        if self.undefined:  # their cases belong to the rest all the same
            form: Any = self.measure.form
            pairs = [form.of(self._counts_of(ev)) for ev in self.slices.values()]
            total = [float(sum(float(pair[i]) for pair in pairs)) for i in (0, 1)]
        else:
            total = [float(k.sum()), float(n.sum())]
        rest_k, rest_n = total[0] - k, total[1] - n
        then: Any = self.measure.form.then  # type: ignore[union-attr]
        with np.errstate(divide="ignore", invalid="ignore"):
            rest_share = np.true_divide(rest_k, rest_n)
        rest = np.array([then(share) for share in rest_share])
        level = sidak(options.level, self.comparisons)
        with np.errstate(divide="ignore", invalid="ignore"):  # a slice that holds all cases of a class has no rest
            own, other = (
                Limits(*(np.array([then(limit) for limit in side]) for side in mid_p(counts[0], counts[1], level)))
                for counts in ([k, n], [rest_k, rest_n])
            )
        tested = self._is_tested(n) & (rest_n >= FEWEST)
        adjust = "holm" if options.adjust in ("auto", "westfall_young") else options.adjust
        if options.shift:
            p = _mover_p(self.values, rest, own, other, quantile(level), options)
        else:
            whole = [np.rint(column).astype(np.int64) for column in (k, n, rest_k, rest_n)]
            p = simultaneous.fisher_p(whole[0], whole[1], whole[2], whole[3], options.side)
        p = np.where(tested, p, np.nan)
        limits, method = self._difference_limits(rest, own, other), "square_and_add" if options.shift else "fisher"
        return self._rows(options, rest, limits, p, simultaneous.adjust_p_values(p, adjust), method, adjust)

    def _other_tests(self, options: TestOptions) -> RestTests:
        rests = [self._rest(key) for key in self.keys]
        level = sidak(options.level, self.comparisons)
        values = np.array([rest.value(self.measure, **self.parameters) for rest in rests])
        own, other = (self._own_limits(some, level) for some in (self.evaluations, rests))
        tested = self._is_tested(fewest_of_class(ev.ranking) for ev in self.evaluations)
        p = _mover_p(self.values, values, own, other, quantile(level), options)
        p = np.where(tested, p, np.nan)
        adjust = "holm" if options.adjust in ("auto", "westfall_young") else options.adjust
        limits = self._difference_limits(values, own, other)
        return self._rows(options, values, limits, p, simultaneous.adjust_p_values(p, adjust), "mover", adjust)

    def _difference_limits(self, rest: Array, own: Limits, other: Limits) -> Limits:
        """Return the limits of slice less rest from the limits of both: square and add."""
        difference = self.values - rest
        return Limits(
            difference - np.hypot(self.values - own.low, other.high - rest),
            difference + np.hypot(own.high - self.values, rest - other.low),
        )

    def _rows(
        self, options: TestOptions, rest: Array, limits: Limits, p: Array, adjusted: Array, method: str, adjust: str
    ) -> RestTests:
        difference = self.values - rest
        is_one = self.comparisons == 1
        if is_one and options.side == "two-sided":  # one-sided, there are two: either slice could be the worse
            adjusted = p
        rows = []
        for key, ev in self.slices.items():
            r = ev.ranking
            facts = {
                "key": key,
                "slice": self.slices.label(key),
                "cases": r.total.item(),
                "prevalence": prevalence(r),
            }
            if key not in self.keys:
                rows.append(RestRow(**facts, verdict=f"undefined: {self.undefined[key]}"))
                continue
            i = self.keys.index(key)
            columns = (self.values, rest, difference, *limits, p, adjusted)
            numbers: dict[str, Any] = dict(zip(NUMBERS, (float(column[i]) for column in columns), strict=True))
            verdict = self._verdict(numbers["difference"], numbers["p_adjusted"], options.level)
            rows.append(RestRow(**facts, **numbers, verdict=verdict))
        return RestTests(method, adjust, tuple(rows), is_one)

    def _verdict(self, difference: float, p: float, level: float) -> str:
        if math.isnan(p):
            return "not tested: too few cases"
        if p > 1 - level:
            return ""
        if self.measure.better is None:
            return "higher" if difference > 0 else "lower"
        return "better" if (difference > 0) == (self.measure.better == "higher") else "worse"


class GroupedSliceMeasure(SliceMeasure):
    """A measure of slices whose cases come in groups: slices may share groups, so that they are not independent."""

    is_auc = False
    counts = None
    pair_method = "grouped_pairs"

    @cached_property
    def _group_count(self) -> int:
        codes = self.slices.group_codes or {}
        return 1 + max(int(code.max()) for code in codes.values())

    def _changes(self, ev: Evaluation) -> Influence:
        """Return what one case more changes in the measure of some cases."""
        parameters = {name: value for name, value in self.parameters.items() if name != "threshold"}
        threshold = float(self.parameters.get("threshold", ev.threshold))
        by_quota = {"quota", "share"} & self.parameters.keys() or ev.cut.by_quota
        changes = None if by_quota else measure_influence(self.measure, ev.ranking, threshold, parameters)
        if changes is None:
            raise InputError(
                f"{self.measure.name} of slices cannot be compared with groups: it has no linearised variance here",
                "pass another measure, such as auc or recall",
            )
        return changes

    @cached_property
    def _sums(self) -> Array:
        """What each group (rows) changes in each slice (columns)."""
        codes = self.slices.group_codes or {}
        return np.column_stack(
            [
                group_sums(self._changes(ev), _sampler(ev), codes[key], self._group_count)
                for key, ev in zip(self.keys, self.evaluations, strict=True)
            ]
        )

    @cached_property
    def _freedom(self) -> Array:
        """The degrees of freedom of the variance of each slice."""
        freedom = []
        for ev in self.evaluations:
            sampler = _sampler(ev)
            change = self._changes(ev).of_cells(sampler.cell, len(sampler.ranking))
            own = np.bincount(sampler.group, change if sampler.weight is None else change * sampler.weight)
            freedom.append(freedom_of(change, own, sampler))
        return np.array(freedom)

    @property
    def _is_share(self) -> bool:
        low, high = self.measure.range
        return bool(low == 0) and bool(high == 1)

    def pairs(self, level: float) -> PairComparisons:
        """Return all pairs, with limits that hold together at this level."""
        self.check_two()
        covariance = group_covariance(self._sums)
        critical = simultaneous.max_t(covariance, level, pairs=True) or quantile(level)  # if no slice has a spread
        limits = self._own_limits(self.evaluations, simultaneous.coverage_of(critical))
        return simultaneous.mover_pairs(self.values, *limits, correlation_of(covariance))

    def on_normal_scale(self) -> tuple[Array, Array, Any]:
        """Return values and variances for pooling, if no group is in two slices."""
        codes = np.concatenate(list((self.slices.group_codes or {}).values()))
        if len(np.unique(codes)) < len(codes):
            raise InputError(
                "Pooling is for independent slices, and some groups have cases in several of them",
                "use against_rest() or pairs()",
            )
        variances = np.diag(group_covariance(self._sums))
        if not self._is_share:
            return self.values, variances, lambda value: value
        with np.errstate(divide="ignore", invalid="ignore"):
            spread = np.square(self.values * (1 - self.values))
            return simultaneous.logit(self.values), variances / spread, simultaneous.expit

    def tests(self, options: TestOptions) -> RestTests:
        """Compare each slice with its rest, by what groups change in both."""
        if options.adjust == "westfall_young":
            raise InputError("Cases in groups cannot be permuted between slices", "pass adjust='holm'")
        adjust = "holm" if options.adjust == "auto" else options.adjust
        compared, freedom = [], []
        for i, key in enumerate(self.keys):
            rest = self._rest_with_groups(key)
            sampler = _sampler(rest)
            rest_codes = np.unique(np.concatenate([c for k, c in (self.slices.group_codes or {}).items() if k != key]))
            rest_sums = group_sums(self._changes(rest), sampler, rest_codes, self._group_count)
            value = rest.value(self.measure, **self.parameters)
            compared.append(
                difference_from_rest(
                    float(self.values[i]), value, self._sums[:, i], rest_sums, options.shift, is_share=self._is_share
                )
            )
            change = self._changes(rest).of_cells(sampler.cell, len(sampler.ranking))
            own = np.square(self._sums[:, i]).sum(), np.square(rest_sums).sum()
            of_rest = freedom_of(change, rest_sums[rest_codes], sampler)
            freedom.append(float(satterthwaite(own[0], self._freedom[i], own[1], np.asarray(of_rest))))
        values, errors, statistics = (np.array(column) for column in zip(*compared, strict=True))
        tested = self._is_tested(_fewest_groups(_sampler(ev)) for ev in self.evaluations)
        p = np.where(tested, student_p(statistics, np.array(freedom), options.side), np.nan)
        half = as_student(quantile(sidak(options.level, self.comparisons)), np.array(freedom)) * errors
        difference = self.values - values
        limits = Limits(difference - half, difference + half)
        return self._rows(options, values, limits, p, simultaneous.adjust_p_values(p, adjust), "grouped", adjust)

    def _rest_with_groups(self, key: Any) -> Evaluation:
        """Return the evaluation of all cases outside a slice, with their groups."""
        rest = self._rest(key)
        rows: list[Any] = []
        for other, ev in self.slices.items():
            if other != key:
                sampler, code = _sampler(ev), (self.slices.group_codes or {})[other]
                scores = ev.ranking.score[sampler.cell % len(ev.ranking)]
                rows.append((sampler.cell < len(ev.ranking), scores, sampler.weight, code[sampler.group]))
        positive, score, group = (np.concatenate([row[i] for row in rows]) for i in (0, 1, 3))
        weight = None if rows[0][2] is None else np.concatenate([row[2] for row in rows])
        sampler = GroupSampler.of(rest.ranking, positive, score, weight, group)
        return Evaluation(rest.ranking, rest.threshold, groups=sampler)


def _sampler(ev: Evaluation) -> GroupSampler:
    """Return the cases of an evaluation with their groups."""
    assert ev.groups is not None  # noqa: S101
    return ev.groups


def _fewest_groups(sampler: GroupSampler) -> float:
    """Return the number of groups with a case of the class that fewer groups have."""
    is_positive = sampler.cell < len(sampler.ranking)
    return min(float(len(np.unique(sampler.group[mine]))) for mine in (is_positive, ~is_positive))


def _logit_limits(areas: Array, variances: Array, level: float, count: int) -> Limits:
    """Return limits of AUCs at the level that makes all slices hold together; those of an AUC of 0 or 1 are its own."""
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = delong.delong_logit(areas, variances, sidak(level, count))
    known = np.isfinite(low) & np.isfinite(high)
    return Limits(np.where(known, low, areas), np.where(known, high, areas))


def _mover_p(values: Array, rest: Array, own: Limits, other: Limits, z: float, options: TestOptions) -> Array:
    """Return p-values of differences whose standard error on the side of the hypothesis the limits give."""
    excess = values - rest - options.shift
    below = np.hypot(values - own.low, other.high - rest) / z
    above = np.hypot(own.high - values, rest - other.low) / z
    with np.errstate(divide="ignore", invalid="ignore"):
        return simultaneous.normal_p(excess / np.where(excess > 0, below, above), options.side)


# ---------------------------------------------------------------------- results


@dataclass(frozen=True, eq=False, repr=False)
class AgainstRest(Tabulated):
    """Each slice beside all other cases."""

    slices: Slices
    measure: Measure
    level: float
    alternative: str
    margin: float
    method: str
    adjust: str
    rows: tuple[RestRow, ...]
    notes: tuple[Note, ...] = ()
    is_one_comparison: bool = False
    parameters: Mapping[str, Any] = field(default_factory=dict)  # of the measure
    p_floor: float = 0.0  # the smallest p-value that permutations can show

    @property
    def significant(self) -> tuple[RestRow, ...]:
        """The slices that differ: the worse ones first, and of these the most certain."""
        differing = [row for row in self.rows if row.p_adjusted <= 1 - self.level]
        first = ("worse", "lower")
        return tuple(
            sorted(differing, key=lambda row: (row.verdict not in first, row.p_adjusted, -abs(row.difference)))
        )

    @property
    def by_value(self) -> list[RestRow]:
        """The slices in the order of their values, those without one at the end."""
        return sorted(self.rows, key=lambda row: (math.isnan(row.value), row.value))

    def ends(self, count: int) -> tuple[list[RestRow], list[RestRow]]:
        """Return the slices with the lowest and with the highest values, and between them all that differ.

        Args:
            count: How many slices at each end.
        """
        known = [row for row in self.by_value if not math.isnan(row.value)]
        if len(known) <= 2 * count:
            return known, []
        differing = {row.slice for row in self.significant}
        between = [row for row in known[count:-count] if row.slice in differing]
        return [*known[:count], *between], known[-count:]

    def ends_words(self, count: int) -> str:
        """Return which slices a folded table shows, in a sentence."""
        more = ", and all that differ" if self.significant else ""
        return f"The {count} lowest and the {count} highest of {len(self.rows)} slices{more}."

    @property
    def name(self) -> str:
        """The measure in a sentence."""
        title = self.measure.title
        return "AUC" if self.measure.name == "auc" else title if title.isupper() else title[:1].lower() + title[1:]

    @property
    def table(self) -> Table:
        """The rows as a table."""
        names = ("slice", "cases", "prevalence", "value", "rest", "difference", "low", "high")
        rows = tuple(
            (*(getattr(row, name) for name in names), row.p_value, row.p_adjusted, row.verdict) for row in self.rows
        )
        title = f"{self.measure.title} of each slice by {self.slices.by} against all other cases"
        below = (self.verdict, self.how)
        return Table((*names, "p", "p_adjusted", "verdict"), rows, title, below=below, p_floor=self.p_floor)

    @property
    def how(self) -> str:
        """How the comparison was made, in a sentence."""
        is_permuted = self.adjust == "westfall_young"
        test = f"p-values by {'permutation within each class' if is_permuted else method_title(self.method)}"
        if self._has_nothing_to_adjust:
            test += ", not adjusted: two slices are one comparison"
        else:
            test += ", adjusted for all slices (Westfall-Young)" if is_permuted else f", {_ADJUSTED[self.adjust]}"
        question = {"two-sided": "differs", "worse": "is worse", "better": "is better"}[self.alternative]
        by = f" by more than {self.margin:g}" if self.margin else ""
        intervals = f"the intervals hold together ({100 * self.level:g} %)"
        return f"Test whether a slice {question}{by}: {test}; {intervals}.{self._disagreement}"

    @property
    def _disagreement(self) -> str:
        """Which slices differ by the test although 0 is in their interval, and why both can be right."""
        if self.margin or self.alternative != "two-sided":  # these test something else than whether 0 is inside
            return ""
        inside = [row.slice for row in self.significant if row.low < 0 < row.high]
        if not inside:
            return ""
        return (
            f" {listed(inside)}: 0 is in the interval although the test rejects it; the interval is by another method, "
            f"{method_title(self.method)}, and near the limit the two can disagree. The verdict is that of the test."
        )

    @property
    def _has_nothing_to_adjust(self) -> bool:
        return self.is_one_comparison and self.alternative == "two-sided"

    @property
    def verdict(self) -> str:
        """Who is served worse, in a sentence."""
        differing = self.significant
        after = "" if self.adjust == "none" or self._has_nothing_to_adjust else f" after {_ADJUSTED[self.adjust]}"
        tested = sum(not math.isnan(row.p_adjusted) for row in self.rows)
        if not tested:
            return f"No slice has enough cases to be compared with the rest ({FEWEST} of each class)."
        if not differing:
            least = min(row.p_adjusted for row in self.rows if not math.isnan(row.p_adjusted))
            what = {"two-sided": "differs from", "worse": "is worse than", "better": "is better than"}[self.alternative]
            p = f"p {p_shown(least, self.p_floor)}{after}"
            return f"No slice {what} the rest in {self.name} (smallest {p}, {validation.counted(tested, 'slice')})."
        if self.is_one_comparison:  # said once
            return f"{capitalise(self._phrase(differing[0], after, is_first=True))}."
        parts = [self._phrase(row, after if not i else "", is_first=not i) for i, row in enumerate(differing[:3])]
        more = len(differing) - len(parts)
        end = f"{more} more slices differ" if more else "no other slice differs"
        return f"{capitalise('; '.join(parts))}; {end}.{self._caution(differing)}"

    @staticmethod
    def _caution(differing: tuple[RestRow, ...]) -> str:
        """Return that better slices may only look better because the worse ones are in their rest."""
        worse, better = (sum(row.verdict == verdict for row in differing) for verdict in ("worse", "better"))
        if not worse or not better:
            return ""
        of, them = ("the better slice", "it") if better == 1 else ("the better slices", "them")
        ones = "one" if worse == 1 else "ones"
        return f" The rest of {of} includes the worse {ones}, which can make {them} look better."

    def _phrase(self, row: RestRow, after: str, *, is_first: bool) -> str:
        verb = "ranks" if self.measure.name == "auc" else "does"
        how = f"{verb} {row.verdict}" if row.verdict in ("worse", "better") else f"is {row.verdict}"
        name = f"{self.name} " if is_first else ""
        values = f"{name}{row.value:.3f} against {row.rest:.3f}, p {p_shown(row.p_adjusted, self.p_floor)}{after}"
        return f"{self.slices.title(row.key)} {how} than the rest: {values}"

    @property
    def forest(self) -> dict[str, Any]:
        """What the forest plot shows: each slice with its simultaneous interval, and the value of all cases."""
        level = sidak(self.level, len(self.slices))
        overall = self.slices.overall.value(self.measure, **self.parameters)
        rows = []
        for row in self.rows:
            if math.isnan(row.value):
                continue
            own = estimate_slice(self.slices[row.key], self.measure, level, **self.parameters)
            rows.append(
                {"slice": row.slice, "cases": plain(row.cases), "value": row.value, "low": plain(own.low)}
                | {"high": plain(own.high), "verdict": row.verdict, "p": plain(row.p_adjusted)}
            )
        words = f"{100 * self.level:g} % intervals that hold for all slices together"
        return {
            "measure": self.measure.title,
            "by": self.slices.by,
            "overall": plain(overall),
            "rows": rows,
            "verdict": self.verdict,
            "words": words,
        }

    def document(self) -> dict[str, Any]:
        """Return all of it, ready for JSON."""
        return {
            "schema": "cutline/against_rest/1",
            "measure": self.measure.name,
            "by": self.slices.by,
            "level": self.level,
            "alternative": self.alternative,
            "margin": self.margin,
            "method": self.method,
            "adjust": self.adjust,
            "verdict": self.verdict,
            "slices": self.to_dict(),
        }


@dataclass(frozen=True, eq=False, repr=False)
class PooledSlices(Tabulated):
    """Slices shrunk towards the mean of all slices, with the estimated variance between them."""

    measure: Measure
    level: float
    mean: float
    pooling: Pooled
    equality: Equality
    rows: tuple[tuple[Any, ...], ...]
    notes: tuple[Note, ...] = ()

    @property
    def tau(self) -> float:
        """The standard deviation between slices, on the scale of the pooling."""
        return math.sqrt(self.pooling.tau2)

    @property
    def table(self) -> Table:
        """The rows as a table."""
        e = self.equality
        spread = (
            f"Mean of all slices {shown(self.mean)}; spread between slices (tau) {shown(self.tau)}; "
            f"{100 * e.inconsistency:.0f} % of the variation is more than chance (I squared)."
        )
        below = [
            spread,
            f"Test that all slices are equal: Q = {e.statistic:.4g}, df {e.freedom}, p {p_shown(e.p_value)}.",
        ]
        if len(self.rows) < simultaneous.FEWEST_FOR_MORRIS:
            below.append("Fewer than five slices: no intervals of the pooled values.")
        return Table(
            ("slice", "value", "pooled", "low", "high", "pull"),
            self.rows,
            f"{self.measure.title}: slices pulled towards the mean of all slices",
            below=tuple(below),
        )
