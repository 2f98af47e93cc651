"""A measure of all slices, and how they are compared: each with the rest of the cases, and in pairs."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cutline.core import validation
from cutline.core.array_ops import Array
from cutline.core.errors import InputError
from cutline.core.merging import merge, subtract_ranking
from cutline.core.messages import join_with_and
from cutline.core.ranking import Ranking
from cutline.core.table import format_value
from cutline.evaluation import Evaluation
from cutline.inference import delong, simultaneous
from cutline.inference.influence import Influence
from cutline.inference.resampling.samplers import GroupSampler
from cutline.inference.simultaneous import (
    PairComparisons,
    compute_student_p,
    compute_welch_freedom,
    convert_to_student,
)
from cutline.inference.single.proportions import mid_p
from cutline.inference.slice_auc import (
    MOST_CASES,
    Areas,
    Slicing,
    compare_with_rest,
    compute_correlation,
    compute_group_covariance,
    find_influence,
    run_permutation_test,
    sum_by_group,
)
from cutline.inference.survey import compute_group_freedom
from cutline.measures import MEASURES, Measure, Needs, Proportion
from cutline.measures.aliases import use_alias
from cutline.results.estimate import Estimate, Limits, quantile
from cutline.slices.results import FEWEST, RestRow

if TYPE_CHECKING:
    from cutline.slices.evaluation import Slices

FEW_FOR_SHARES = 20  # cases in a slice below which Newcombe's pairs are less certain
MOST_ERROR = 0.17  # of an AUC on the logit scale; above it, Tukey-Kramer excludes equal AUCs of many slices too often
MOST_CASE_BY_CASE = 10_000_000  # rows that are held case by case for the AUCs of slices, at about 150 bytes
MAY_BE_EQUAL = "The lower limit is 0: the slices may be equal."


def count_rarer_class(r: Ranking) -> float:
    """Return the number of cases of the rarer class."""
    return float(min(r.positives, r.negatives))


def compute_prevalence(r: Ranking) -> float:
    """Return the share of positives."""
    return float(r.positives / r.total)


# ---------------------------------------------------------------------- one measure of all slices


class SliceShares(NamedTuple):
    """A share of cases in each slice; `then` turns the share into the measure."""

    hits: Array
    cases: Array
    then: Callable[[Any], Any]

    @property
    def values(self) -> Array:
        """Return the measure of each slice; NaN without cases."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.array([self.then(share) for share in np.true_divide(self.hits, self.cases)])

    def estimate_limits(self, level: float) -> Limits:
        """Estimate the mid-P limits of the measure in each slice."""
        with np.errstate(divide="ignore", invalid="ignore"):  # a slice without cases
            low, high = mid_p(self.hits, self.cases, level)
        return Limits(*(np.array([self.then(limit) for limit in side]) for side in (low, high)))


@dataclass(frozen=True)
class TestOptions:
    """Options of the tests: `side` is two-sided, less or greater, and `shift` belongs to the hypothesis."""

    side: str
    shift: float
    level: float
    adjust: str
    permutations: int
    seed: int


NUMBERS = ("value", "rest", "difference", "low", "high", "p_value", "p_adjusted")


@dataclass(frozen=True)
class RestTests:
    """The tests of all slices against the rest, and their method."""

    method: str
    adjust: str
    rows: tuple[RestRow, ...]
    is_one_comparison: bool  # two slices, each the rest of the other


@dataclass(frozen=True, eq=False)
class SliceMeasure:
    """A measure of all slices, which are compared by methods for AUCs, for shares, or for other measures."""

    slices: Slices
    measure: Measure
    parameters: Mapping[str, Any]
    keys: list[Any]
    values: Array
    undefined: Mapping[Any, str]

    @classmethod
    def of(cls, slices: Slices, measure: str | Measure, parameters: Mapping[str, Any]) -> SliceMeasure:
        """Compute the measure of each slice; those without a value are left out with their reason."""
        chosen = use_alias(MEASURES[measure], measure)
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
        """Return the evaluations of the slices that have a value."""
        return [self.slices.evaluations[key] for key in self.keys]

    @cached_property
    def is_auc(self) -> bool:
        """Whether slices are compared by the methods for the AUC."""
        return self.measure.name == "auc"

    @cached_property
    def shares(self) -> SliceShares | None:
        """Return the shares of the slices with a value, if the measure is a share of whole cases at a threshold."""
        form = self.measure.form
        where = {"quota", "share"} & self.parameters.keys()
        if not isinstance(form, Proportion) or where or not all(ev.ranking.integral for ev in self.evaluations):
            return None
        if any(ev.cut.by_quota for ev in self.evaluations) and "threshold" not in self.parameters:
            return None
        return self._count_shares(form, self.evaluations)

    def _count_shares(self, form: Proportion, evaluations: Iterable[Evaluation]) -> SliceShares:
        """Return the shares of some slices."""
        at = self.parameters.get("threshold")
        pairs = [form.of(ev.counts if at is None else ev.at(threshold=at)) for ev in evaluations]
        hits, cases = (np.array([float(pair[i]) for pair in pairs]) for i in (0, 1))
        return SliceShares(hits, cases, form.then)

    @cached_property
    def variances(self) -> Array:
        """Variances of the AUCs by DeLong."""
        return np.array([float(delong.compute_variance(ev.ranking)) for ev in self.evaluations])

    @property
    def pair_method(self) -> str:
        """Return the name of the method of the limits of pairs."""
        return "tukey_kramer" if self.is_auc else "newcombe_pairs" if self.shares is not None else "mover_pairs"

    def check_two(self) -> None:
        """Raise if fewer than two slices have a value."""
        if len(self.keys) < 2:
            raise InputError(
                f"Fewer than two slices have a value of {self.measure.name}", "pass another measure or other slices"
            )

    def estimate_limits(self, level: float) -> Limits:
        """Estimate the limits of each slice, from which the limits of pairs follow (square and add)."""
        if self.is_auc:
            half = quantile(level) * np.sqrt(self.variances)
            low, high = np.maximum(self.values - half, 0.0), np.minimum(self.values + half, 1.0)
            with np.errstate(divide="ignore", invalid="ignore"):
                is_small = ~(np.sqrt(self.transform_to_normal_scale()[1]) <= MOST_ERROR)  # or without a spread
            own = self._estimate_limits(
                [ev for ev, small in zip(self.evaluations, is_small, strict=True) if small], level
            )
            low[is_small], high[is_small] = np.fmin(low[is_small], own.low), np.fmax(high[is_small], own.high)
            return Limits(low, high)
        if self.shares is not None:
            return self.shares.estimate_limits(level)
        return self._estimate_limits(self.evaluations, level)

    def _estimate_limits(self, evaluations: Iterable[Evaluation], level: float) -> Limits:
        estimates = [ev.estimate(self.measure, level=level, **self.parameters) for ev in evaluations]
        return Limits(*(np.array([getattr(estimate, side) for estimate in estimates]) for side in ("low", "high")))

    def compare_pairs(self, level: float) -> PairComparisons:
        """Return all pairs, with limits that hold together at this level."""
        self.check_two()
        critical = simultaneous.tukey_quantile(level, len(self.keys))
        return simultaneous.compare_by_mover(
            self.values, *self.estimate_limits(simultaneous.compute_coverage(critical))
        )

    def transform_to_normal_scale(self) -> tuple[Array, Array, Callable[[Any], Any]]:
        """Return values and variances on the scale where they are about normal, and the inverse of the scale."""
        if self.is_auc:
            spread = np.square(self.values * (1 - self.values))
            with np.errstate(divide="ignore", invalid="ignore"):
                return simultaneous.logit(self.values), self.variances / spread, simultaneous.expit
        if self.shares is not None and self.shares.then is float:
            k, n = self.shares.hits, self.shares.cases
            if ((k == 0) | (k == n)).any():  # half a case is added to both sides of every slice
                k, n = k + 0.5, n + 1
            return simultaneous.logit(k / n), 1 / k + 1 / (n - k), simultaneous.expit
        low, high = self._estimate_limits(self.evaluations, 0.95)
        return self.values, np.square((high - low) / (2 * quantile(0.95))), lambda value: value

    # ---- the gap

    def estimate_gap(self, pairs: PairComparisons, level: float) -> Estimate:
        """Return the largest gap with its notes."""
        value, limits = pairs.gap
        return Estimate(
            f"gap({self.measure})", value, *limits, level, self.pair_method, self.describe_gap(limits, pairs.widest)
        )

    def describe_gap(self, limits: Limits, widest: tuple[int, int]) -> tuple[str, ...]:
        """Return which slices are apart, with their prevalences, and what qualifies the gap."""
        ends = [self._describe(i) for i in widest]
        notes = [f"Highest: {ends[0]}; lowest: {ends[1]}."]
        if limits.low == 0:
            notes.append(MAY_BE_EQUAL)
        notes += self.describe_left_out()
        if self.shares is not None and self.shares.cases.min() < FEW_FOR_SHARES:
            few = int((self.shares.cases < FEW_FOR_SHARES).sum())
            cases = validation.format_count(few, "slice")
            notes.append(f"{cases} with fewer than {FEW_FOR_SHARES} cases: the interval is approximate.")
        return tuple(notes)

    def _describe(self, i: int) -> str:
        key, r = self.keys[i], self.evaluations[i].ranking
        return (
            f"{self.slices.title(key)} {format_value(float(self.values[i]))} (prevalence "
            f"{100 * compute_prevalence(r):.1f} %)"
        )

    def describe_left_out(self) -> list[str]:
        """Return how many slices have no value, and why."""
        if not self.undefined:
            return []
        reasons = join_with_and(list(dict.fromkeys(self.undefined.values())))
        were = "was" if len(self.undefined) == 1 else "were"
        return [f"{validation.format_count(len(self.undefined), 'slice')} without a value {were} left out ({reasons})."]

    # ---- each slice against the rest

    def test_against_rest(self, options: TestOptions) -> RestTests:
        """Compare each slice with its rest."""
        if self.is_auc:
            return self._test_areas(options)
        if self.shares is not None:
            return self._test_shares(self.shares, options)
        return self._test_others(options)

    @cached_property
    def slicing(self) -> Slicing | None:
        """Return the cases of all slices one by one, if they are whole and not too many."""
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

    def _compute_areas(self) -> Areas:
        """Return the AUCs of the slices with a value and of their rests."""
        if self.slicing is not None and self.keys:
            which = np.array([i for i, key in enumerate(self.slices) if key in set(self.keys)], dtype=np.intp)
            return Areas(*(column[which] for column in self.slicing.areas))
        rests = [self._evaluate_rest(key).ranking for key in self.keys]
        return Areas(
            self.values,
            self.variances,
            np.array([float(MEASURES["auc"].compute(r)) for r in rests]),
            np.array([float(delong.compute_variance(r)) for r in rests]),
        )

    def _evaluate_rest(self, key: Any) -> Evaluation:
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
        """Return the number of comparisons with the rest: 1 of two slices, as each is the rest of the other.

        A slice without a case of a share, such as one without positives for the recall, is in no rest of it.
        """
        slices = len(self.slices)
        if self.shares is not None and isinstance(self.measure.form, Proportion) and self.undefined:
            slices = int((self._count_shares(self.measure.form, self.slices.values()).cases > 0).sum())
        return 1 if slices == 2 else len(self.slices)

    def _is_tested(self, least: Iterable[float]) -> Array:
        return np.array([fewest >= FEWEST for fewest in least], dtype=bool)

    def _test_areas(self, options: TestOptions) -> RestTests:
        areas = self._compute_areas()
        tested = self._is_tested(count_rarer_class(ev.ranking) for ev in self.evaluations) & np.isfinite(
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
                test = run_permutation_test(
                    self.slicing,
                    every,
                    alternative=options.side,
                    margin=options.shift,
                    permutations=options.permutations,
                    seed=options.seed,
                )
                p, adjusted = test.p_value[which], test.adjusted[which]
        else:
            with np.errstate(divide="ignore", invalid="ignore"):
                z = simultaneous.compute_logit_z(
                    areas.area, areas.variance, areas.rest + options.shift, areas.rest_variance
                )
            p = np.where(tested, simultaneous.compute_normal_p(z, options.side), np.nan)
            adjusted = simultaneous.adjust_p_values(p, adjust)
        own = _compute_logit_limits(areas.area, areas.variance, options.level, self.comparisons)
        rest = _compute_logit_limits(areas.rest, areas.rest_variance, options.level, self.comparisons)
        limits = self._compute_difference_limits(areas.rest, own, rest)
        return self._make_rows(options, areas.rest, limits, p, adjusted, "delong_logit", adjust)

    def _test_shares(self, shares: SliceShares, options: TestOptions) -> RestTests:
        every = shares
        if isinstance(self.measure.form, Proportion) and self.undefined:  # their cases belong to the rest all the same
            every = self._count_shares(self.measure.form, self.slices.values())
        k, n = shares.hits, shares.cases
        rest_k, rest_n = every.hits.sum() - k, every.cases.sum() - n
        rest_shares = SliceShares(rest_k, rest_n, shares.then)
        rest, level = rest_shares.values, simultaneous.sidak_level(options.level, self.comparisons)
        own, other = shares.estimate_limits(level), rest_shares.estimate_limits(level)
        tested = self._is_tested(n) & (rest_n >= FEWEST)
        adjust = "holm" if options.adjust in ("auto", "westfall_young") else options.adjust
        if options.shift:
            p = _compute_mover_p(self.values, rest, own, other, quantile(level), options)
        else:
            whole = [np.rint(column).astype(np.int64) for column in (k, n, rest_k, rest_n)]
            p = simultaneous.compute_fisher_p(whole[0], whole[1], whole[2], whole[3], options.side)
        p = np.where(tested, p, np.nan)
        limits, method = (
            self._compute_difference_limits(rest, own, other),
            "square_and_add" if options.shift else "fisher",
        )
        return self._make_rows(options, rest, limits, p, simultaneous.adjust_p_values(p, adjust), method, adjust)

    def _test_others(self, options: TestOptions) -> RestTests:
        rests = [self._evaluate_rest(key) for key in self.keys]
        level = simultaneous.sidak_level(options.level, self.comparisons)
        values = np.array([rest.value(self.measure, **self.parameters) for rest in rests])
        own, other = (self._estimate_limits(some, level) for some in (self.evaluations, rests))
        tested = self._is_tested(count_rarer_class(ev.ranking) for ev in self.evaluations)
        p = _compute_mover_p(self.values, values, own, other, quantile(level), options)
        p = np.where(tested, p, np.nan)
        adjust = "holm" if options.adjust in ("auto", "westfall_young") else options.adjust
        limits = self._compute_difference_limits(values, own, other)
        return self._make_rows(options, values, limits, p, simultaneous.adjust_p_values(p, adjust), "mover", adjust)

    def _compute_difference_limits(self, rest: Array, own: Limits, other: Limits) -> Limits:
        """Return the limits of slice less rest from the limits of both: square and add."""
        difference = self.values - rest
        return Limits(
            difference - np.hypot(self.values - own.low, other.high - rest),
            difference + np.hypot(own.high - self.values, rest - other.low),
        )

    def _make_rows(
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
                "prevalence": compute_prevalence(r),
            }
            if key not in self.keys:
                rows.append(RestRow(**facts, verdict=f"undefined: {self.undefined[key]}"))
                continue
            i = self.keys.index(key)
            columns = (self.values, rest, difference, *limits, p, adjusted)
            numbers: dict[str, Any] = dict(zip(NUMBERS, (float(column[i]) for column in columns), strict=True))
            verdict = self._judge(numbers["difference"], numbers["p_adjusted"], options.level)
            rows.append(RestRow(**facts, **numbers, verdict=verdict))
        return RestTests(method, adjust, tuple(rows), is_one)

    def _judge(self, difference: float, p: float, level: float) -> str:
        if math.isnan(p):
            return "not tested: too few cases"
        if p > 1 - level:
            return ""
        if self.measure.better is None:
            return "higher" if difference > 0 else "lower"
        return "better" if (difference > 0) == (self.measure.better == "higher") else "worse"


class GroupedSliceMeasure(SliceMeasure):
    """A measure of slices whose cases come in groups: slices that share groups are not independent."""

    is_auc = False
    shares = None
    pair_method = "grouped_pairs"

    @cached_property
    def _group_count(self) -> int:
        codes = self.slices.group_codes or {}
        return 1 + max(int(code.max()) for code in codes.values())

    def _compute_changes(self, ev: Evaluation) -> Influence:
        """Return what one case more changes in the measure of some cases."""
        parameters = {name: value for name, value in self.parameters.items() if name != "threshold"}
        threshold = float(self.parameters.get("threshold", ev.threshold))
        by_quota = {"quota", "share"} & self.parameters.keys() or ev.cut.by_quota
        changes = None if by_quota else find_influence(self.measure, ev.ranking, threshold, parameters)
        if changes is None:
            raise InputError(
                f"{self.measure.name} of slices cannot be compared with groups: it has no linearised variance here",
                "pass another measure, such as auc or recall",
            )
        return changes

    @cached_property
    def _sums(self) -> Array:
        """Return the influence of each group (rows) on each slice (columns)."""
        codes = self.slices.group_codes or {}
        return np.column_stack(
            [
                sum_by_group(self._compute_changes(ev), _get_sampler(ev), codes[key], self._group_count)
                for key, ev in zip(self.keys, self.evaluations, strict=True)
            ]
        )

    @cached_property
    def _freedom(self) -> Array:
        """Return the degrees of freedom of the variance of each slice."""
        freedom = []
        for ev in self.evaluations:
            sampler = _get_sampler(ev)
            change = self._compute_changes(ev).of_cells(sampler.cell, len(sampler.ranking))
            own = np.bincount(sampler.group, change if sampler.weight is None else change * sampler.weight)
            freedom.append(compute_group_freedom(change, own, sampler))
        return np.array(freedom)

    @property
    def _is_share(self) -> bool:
        low, high = self.measure.range
        return bool(low == 0) and bool(high == 1)

    def compare_pairs(self, level: float) -> PairComparisons:
        """Return all pairs, with limits that hold together at this level."""
        self.check_two()
        covariance = compute_group_covariance(self._sums)
        critical = simultaneous.compute_max_t(covariance, level, pairs=True)
        critical = critical or quantile(level)  # if no slice has a spread
        limits = self._estimate_limits(self.evaluations, simultaneous.compute_coverage(critical))
        return simultaneous.compare_by_mover(self.values, *limits, compute_correlation(covariance))

    def transform_to_normal_scale(self) -> tuple[Array, Array, Callable[[Any], Any]]:
        """Return values and variances for pooling, if no group is in two slices."""
        codes = np.concatenate(list((self.slices.group_codes or {}).values()))
        if len(np.unique(codes)) < len(codes):
            raise InputError(
                "Pooling is for independent slices, and some groups have cases in several of them",
                "use against_rest() or pairs()",
            )
        variances = np.diag(compute_group_covariance(self._sums))
        if not self._is_share:
            return self.values, variances, lambda value: value
        with np.errstate(divide="ignore", invalid="ignore"):
            spread = np.square(self.values * (1 - self.values))
            return simultaneous.logit(self.values), variances / spread, simultaneous.expit

    def test_against_rest(self, options: TestOptions) -> RestTests:
        """Compare each slice with its rest, by what groups change in both."""
        if options.adjust == "westfall_young":
            raise InputError("Cases in groups cannot be permuted between slices", "pass adjust='holm'")
        adjust = "holm" if options.adjust == "auto" else options.adjust
        compared, freedom = [], []
        for i, key in enumerate(self.keys):
            rest = self._evaluate_rest_with_groups(key)
            sampler = _get_sampler(rest)
            rest_codes = np.unique(np.concatenate([c for k, c in (self.slices.group_codes or {}).items() if k != key]))
            rest_sums = sum_by_group(self._compute_changes(rest), sampler, rest_codes, self._group_count)
            value = rest.value(self.measure, **self.parameters)
            compared.append(
                compare_with_rest(
                    float(self.values[i]), value, self._sums[:, i], rest_sums, options.shift, is_share=self._is_share
                )
            )
            change = self._compute_changes(rest).of_cells(sampler.cell, len(sampler.ranking))
            own = np.square(self._sums[:, i]).sum(), np.square(rest_sums).sum()
            of_rest = compute_group_freedom(change, rest_sums[rest_codes], sampler)
            freedom.append(float(compute_welch_freedom(own[0], self._freedom[i], own[1], np.asarray(of_rest))))
        values, errors, statistics = (np.array(column) for column in zip(*compared, strict=True))
        tested = self._is_tested(_count_fewest_groups(_get_sampler(ev)) for ev in self.evaluations)
        p = np.where(tested, compute_student_p(statistics, np.array(freedom), options.side), np.nan)
        half = (
            convert_to_student(quantile(simultaneous.sidak_level(options.level, self.comparisons)), np.array(freedom))
            * errors
        )
        difference = self.values - values
        limits = Limits(difference - half, difference + half)
        return self._make_rows(options, values, limits, p, simultaneous.adjust_p_values(p, adjust), "grouped", adjust)

    def _evaluate_rest_with_groups(self, key: Any) -> Evaluation:
        """Return the evaluation of all cases outside a slice, with their groups."""
        rest = self._evaluate_rest(key)
        rows: list[tuple[Array, Array, Array | None, Array]] = []
        for other, ev in self.slices.items():
            if other != key:
                sampler, code = _get_sampler(ev), (self.slices.group_codes or {})[other]
                scores = ev.ranking.score[sampler.cell % len(ev.ranking)]
                rows.append((sampler.cell < len(ev.ranking), scores, sampler.weight, code[sampler.group]))
        positive, score, group = (np.concatenate([row[i] for row in rows]) for i in (0, 1, 3))
        weight = None if rows[0][2] is None else np.concatenate([row[2] for row in rows])
        sampler = GroupSampler.of(rest.ranking, positive, score, weight, group)
        return Evaluation(rest.ranking, rest.threshold, groups=sampler)


def _get_sampler(ev: Evaluation) -> GroupSampler:
    """Return the cases of an evaluation with their groups."""
    assert ev.groups is not None  # noqa: S101
    return ev.groups


def _count_fewest_groups(sampler: GroupSampler) -> float:
    """Return the number of groups with a case of the class that fewer groups have."""
    is_positive = sampler.cell < len(sampler.ranking)
    return min(float(len(np.unique(sampler.group[is_class]))) for is_class in (is_positive, ~is_positive))


def _compute_logit_limits(areas: Array, variances: Array, level: float, count: int) -> Limits:
    """Return simultaneous limits of AUCs on the logit scale; an AUC of 0 or 1 is its own limit."""
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = delong.delong_logit(areas, variances, simultaneous.sidak_level(level, count))
    known = np.isfinite(low) & np.isfinite(high)
    return Limits(np.where(known, low, areas), np.where(known, high, areas))


def _compute_mover_p(values: Array, rest: Array, own: Limits, other: Limits, z: float, options: TestOptions) -> Array:
    """Return p-values of differences whose standard error on the side of the hypothesis the limits give."""
    excess = values - rest - options.shift
    below = np.hypot(values - own.low, other.high - rest) / z
    above = np.hypot(own.high - values, rest - other.low) / z
    with np.errstate(divide="ignore", invalid="ignore"):
        return simultaneous.compute_normal_p(excess / np.where(excess > 0, below, above), options.side)
