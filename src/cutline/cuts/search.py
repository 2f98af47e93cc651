"""Find the best cut that the rules allow, on one ranking or on a stack of bootstrap samples."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from cutline.core import validation
from cutline.core.array_ops import Array, take
from cutline.core.counts import Counts, divide
from cutline.core.errors import Argument, ParameterError, Text, hint_similar
from cutline.core.ranking import Ranking
from cutline.cuts.requirements import Requirement, Term, parse_terms
from cutline.inference.effective_size import compute_effective_sizes
from cutline.inference.resampling.bootstrap import bootstrap, percentile
from cutline.inference.resampling.samplers import CaseSampler, GroupSampler
from cutline.inference.single.estimand import Estimand, IntervalRequest, as_measure
from cutline.inference.single.intervals import estimate_measures
from cutline.inference.single.proportions import wilson
from cutline.measures import MEASURES, Measure, Needs
from cutline.measures.forms import Proportion
from cutline.results.resample_budget import choose_resamples_of_rows

CORNER = "corner"
_CELLS = ("tp", "fp", "fn", "tn")


@dataclass(frozen=True)
class Criterion:
    """A function of the counts of a cut to maximise or minimise."""

    name: str
    words: str
    is_high: bool
    function: Callable[[Counts], Any]

    def compute_values(self, c: Counts) -> Any:
        """Return the number at each cut, with its sign changed if lower is better; -inf where it is undefined."""
        values = np.asarray(self.function(c), dtype=float)
        values = values if self.is_high else -values
        return np.where(np.isnan(values), -np.inf, values)


def rescale_to_prevalence(c: Counts, prevalence: float | None) -> Counts:
    """Return the counts that are expected at another prevalence, of the same number of cases."""
    if prevalence is None:
        return c
    positives, negatives = np.asarray(c.positives, dtype=float), np.asarray(c.negatives, dtype=float)
    total = positives + negatives
    up, down = divide(prevalence * total, positives), divide((1 - prevalence) * total, negatives)
    return Counts(c.tp * up, c.fp * down, c.fn * up, c.tn * down, c.threshold, c.is_risk)


def _count_all_cuts(r: Ranking, prevalence: float | None) -> Counts:
    """Return the tables of all cuts, at a prevalence."""
    return rescale_to_prevalence(r.counts, prevalence)


def make_criterion(
    maximize: object = None,
    minimize: object = None,
    *,
    cost_fp: float | None = None,
    cost_fn: float | None = None,
    utility: Any = None,
) -> Criterion | None:
    """Make the criterion that the arguments of `choose_cut` name; None if they name none."""
    named = [
        name
        for name, value in (
            ("maximize", maximize),
            ("minimize", minimize),
            ("cost_fp and cost_fn", cost_fp if cost_fn is None else cost_fn),
            ("utility", utility),
        )
        if value is not None
    ]
    if len(named) > 1:
        raise ParameterError(f"One criterion can be best, but {' and '.join(named)} are given", "pass one of them")
    if utility is not None:
        return _make_utility_criterion(utility)
    if cost_fp is not None or cost_fn is not None:
        return _make_cost_criterion(cost_fp, cost_fn)
    if maximize is not None:
        return _make_measure_criterion(maximize, is_high=True)
    return None if minimize is None else _make_measure_criterion(minimize, is_high=False)


def _make_measure_criterion(objective: object, *, is_high: bool) -> Criterion:
    verb = "maximize" if is_high else "minimize"
    if isinstance(objective, str) and objective == CORNER:
        if is_high:
            raise ParameterError(
                "The distance to the corner should be low", Text("pass ", Argument("minimize", CORNER))
            )
        return Criterion(
            "distance to the corner", "the distance to the corner of the ROC curve", False, _measure_corner_distance
        )
    term = _read_term(objective, verb)
    measure = term.measure
    if measure.needs is not Needs.COUNTS:
        raise ParameterError(
            f"{measure.name} needs {measure.needs.value}, so it is the same at every cut",
            f"pass {verb}= with a measure of one cut, such as 'f1'",
        )
    if measure.better is not None and (measure.better == "higher") != is_high:
        other = "minimize" if is_high else "maximize"
        remedy = Text("pass ", Argument(other, measure.name))
        raise ParameterError(f"{measure.name} is better {_name_direction(not is_high)}", remedy)
    parameters = measure.check(term.parameters)
    return Criterion(str(term), measure.title, is_high, partial(measure.compute, **parameters))


def _read_term(measure: object, verb: str) -> Term:
    if isinstance(measure, str):
        if measure not in MEASURES and not set(measure) & set("@,"):
            hint = hint_similar(measure, [*MEASURES.names, CORNER]) or " cutline.MEASURES lists them all."
            raise ParameterError(f"{verb} is {measure!r}, which is not a measure.{hint}")
        parsed = parse_terms(measure)
        if len(parsed) > 1:
            raise ParameterError(f"{verb} names {len(parsed)} measures", "pass one; bound the others by requirements")
        named = {"threshold", "quota", "share"} & set(parsed[0].parameters)
        if named:
            raise ParameterError(
                f"{verb}={measure!r} names a cut, but the cut is still to be chosen", f"leave @{named.pop()} out"
            )
        return parsed[0]
    if isinstance(measure, Measure):
        return Term(measure)
    if callable(measure):
        return Term(as_measure(measure, {"threshold": 0.5}))
    raise ParameterError(f"{verb} is {measure!r}", "pass the name of a measure, or a function of Counts")


def _name_direction(is_high: bool) -> str:
    return "high" if is_high else "low"


def _measure_corner_distance(c: Counts) -> Any:
    return np.hypot(divide(c.fp, c.negatives), divide(c.fn, c.positives))


def _make_cost_criterion(cost_fp: float | None, cost_fn: float | None) -> Criterion:
    if cost_fp is None or cost_fn is None:
        raise ParameterError("cost_fp and cost_fn belong together", "pass both")
    for name, cost in (("cost_fp", cost_fp), ("cost_fn", cost_fn)):
        if not 0 <= validation.check_number(cost, name) < 1e100:
            raise ParameterError(f"is {cost:g}", "pass a cost of 0 or more", argument=name)
    if not cost_fp and not cost_fn:
        raise ParameterError("cost_fp and cost_fn are both 0", "pass the cost of at least one of the errors")
    of = partial(MEASURES["expected_cost"].compute, cost_fp=float(cost_fp), cost_fn=float(cost_fn))
    return Criterion(f"expected_cost@cost_fp={cost_fp:g},cost_fn={cost_fn:g}", "Expected cost", False, of)


def _make_utility_criterion(utility: Any) -> Criterion:
    """Make the mean utility of a case a criterion, from the utilities of the four outcomes."""
    try:
        known = dict(utility) if isinstance(utility, Mapping) else dict(zip(_CELLS, utility, strict=True))
        worth = {name: validation.check_number(value, f"utility of {name}") for name, value in known.items()}
    except (TypeError, ValueError) as error:
        if isinstance(error, ParameterError):
            raise
        raise ParameterError(
            "is not a table", 'pass what outcomes are worth, such as {"tp": 90, "fp": -10}', argument="utility"
        ) from None
    unknown = [name for name in worth if name not in _CELLS]
    if unknown or not worth:
        what = f"{unknown[0]!r} is no outcome" if unknown else "no outcome is given"
        raise ParameterError(f"utility: {what}; pass some of tp, fp, fn and tn.")
    if not all(np.isfinite(value) for value in worth.values()):
        raise ParameterError("utility holds an infinite value: bound the measure with a requirement instead.")

    def compute_mean_utility(c: Counts) -> Any:
        return divide(sum(value * np.asarray(getattr(c, name), dtype=float) for name, value in worth.items()), c.total)

    name = "utility@" + ",".join(f"{name}={value:g}" for name, value in worth.items())
    return Criterion(name, "Mean utility", True, compute_mean_utility)


# ---------------------------------------------------------------------- rules that allow a cut


_TRIED = 400  # the largest number of cuts at which an interval is made by the bootstrap
CutRule = Callable[[Ranking], Array]  # whether each cut of a ranking, or of each ranking of a stack, is allowed


def make_estimate_rule(requirement: Requirement, prevalence: float | None = None) -> CutRule:
    """Make the rule that the value itself meets the requirement."""

    def find_allowed(r: Ranking) -> Array:
        return np.asarray(requirement.hold(compute_term(requirement, _count_all_cuts(r, prevalence))))

    return find_allowed


def make_limit_rule(
    requirement: Requirement, r: Ranking, groups: GroupSampler | None, level: float, seed: int, prevalence: float | None
) -> CutRule:
    """Make the rule that a limit of the interval at a cut meets the requirement.

    The interval is that of `estimate`, at another prevalence the bootstrap interval.
    """
    form = requirement.term.measure.form
    if isinstance(form, Proportion) and groups is None and r.integral and prevalence is None:
        return _make_wilson_rule(requirement, form, level)
    at = np.unique(np.linspace(0, len(r) - 1, min(len(r), _TRIED)).round().astype(np.intp))
    limit, value = _compute_limits(requirement, r, at, groups, level, seed, prevalence)
    return _make_interpolated_rule(requirement, r, at, limit, limit - value, prevalence)


def _make_wilson_rule(requirement: Requirement, form: Proportion, level: float) -> CutRule:
    """Make the rule on a limit of Wilson's interval, for a proportion of independent cases."""

    def find_allowed(r: Ranking) -> Array:
        k, n = (np.asarray(x, dtype=float) for x in form.of(r.counts))
        with np.errstate(divide="ignore", invalid="ignore"):
            limits = wilson(k, n, level)
            limit = limits.low if requirement.term.part == "low" else limits.high
            value = limit if form.then is float else form.then(limit)
        return np.asarray(requirement.hold(np.where(n > 0, value, np.nan)))

    return find_allowed


def _make_interpolated_rule(
    requirement: Requirement, ranking: Ranking, at: Array, limit: Array, margin: Array, prevalence: float | None
) -> CutRule:
    """Make the rule on a limit that is computed at some cuts and interpolated between them.

    In a bootstrap sample the distance between limit and value is that in the data.

    Args:
        requirement: The requirement on a limit.
        ranking: The data.
        at: The positions of the scores whose cuts have an interval.
        limit: The limit at each of these cuts.
        margin: The distance of each limit from the value.
        prevalence: The prevalence of the values, if it is not that of the data.
    """

    def find_allowed(r: Ranking) -> Array:
        if r is ranking:
            holds = np.zeros(r.ends.shape, dtype=bool)
            holds[at + 1] = requirement.hold(limit)
            return holds
        values = compute_term(requirement, _count_all_cuts(r, prevalence))
        keys = np.append(np.inf, r.key)
        margins = np.interp(-keys, -ranking.key[at], margin, left=np.nan)  # keys descend
        return np.asarray(requirement.hold(values + margins))

    return find_allowed


def compute_term(requirement: Requirement, counts: Counts) -> Array:
    """Return the measure of a requirement at every cut."""
    return np.asarray(requirement.term.measure.compute(counts, **requirement.term.parameters), dtype=float)


def _compute_limits(
    requirement: Requirement,
    r: Ranking,
    at: Array,
    groups: GroupSampler | None,
    level: float,
    seed: int,
    prevalence: float | None,
) -> tuple[Array, Array]:
    """Return the limit that the requirement bounds, and the value, at the cuts below the given scores."""
    term, times = requirement.term, choose_resamples_of_rows(len(r))
    if prevalence is None:
        estimands = [
            Estimand.of_measure(term.measure, r, {"threshold": float(t), **term.parameters}, groups)
            for t in r.thresholds[at + 1]
        ]
        estimated = estimate_measures(estimands, IntervalRequest(level, resamples=times, seed=seed))
        limit = [estimate.low if term.part == "low" else estimate.high for estimate in estimated]
        return np.array(limit), np.array([estimate.value for estimate in estimated])
    keys = r.key[at]

    def compute_at_keys(stack: Ranking) -> Array:
        values = [
            compute_term(requirement, rescale_to_prevalence(count_at_keys(ranking, keys), prevalence))
            for ranking in stack.one_by_one()
        ]
        return np.stack(values)[0 if stack.pos.ndim == 1 else slice(None)]

    replicates = np.sort(bootstrap(groups or CaseSampler(r), [compute_at_keys], times, seed).values[0], axis=0)
    limits = percentile(replicates, level)
    values = compute_term(requirement, rescale_to_prevalence(count_at_keys(r, keys), prevalence))
    return np.asarray(limits.low if term.part == "low" else limits.high), values


def count_at_keys(r: Ranking, keys: Any) -> Counts:
    """Return the counts at keys, which are thresholds with the sign turned so that high means positive.

    A stack of rankings takes a key for each. Nobody is flagged at the key NaN.
    """
    keys = np.asarray(keys, dtype=float)
    place = np.searchsorted(-r.key, -np.nan_to_num(keys, nan=np.inf), side="right")
    tp, fp = take(r.tp, np.asarray(place)), take(r.fp, np.asarray(place))
    threshold = keys if r.higher_is_positive else -keys
    return Counts(tp, fp, r.positives - tp, r.negatives - fp, threshold, r.are_probabilities)


# ---------------------------------------------------------------------- smoothed criteria


SPAN = 0.3  # share of the cuts in a window of the local regression
_SMOOTHED = 400  # cuts at which the criterion is smoothed, at most
_GRID_CELLS = 512  # of the histogram that stands in for the scores in a kernel estimate
_GRID = 256  # thresholds at which a kernel estimate is compared


def _smooth_values(values: Array, share: Array) -> Array:
    """Smooth the criterion by local quadratic regression over the share flagged; -inf stays.

    If there are many cuts, some are smoothed and the others interpolated.
    """
    known = np.flatnonzero(np.isfinite(values))
    if len(known) < 5:
        return values
    x, y = share[known], values[known]
    window = max(5, math.ceil(SPAN * len(known)))
    at = np.unique(np.linspace(0, len(known) - 1, min(len(known), _SMOOTHED)).round().astype(np.intp))
    start = np.clip(np.searchsorted(x, x[at]) - window // 2, 0, len(known) - window)
    inside = np.unique(np.linspace(0, window - 1, min(window, _SMOOTHED)).round().astype(np.intp))
    near = start[:, None] + inside
    away = x[near] - x[at][:, None]
    reach = np.maximum(np.abs(away).max(1, keepdims=True), 1e-12)
    weight = np.clip(1 - np.abs(away / reach) ** 3, 1e-9, None) ** 3  # tricube
    z = away / reach
    basis = np.stack([np.ones_like(z), z, z * z])
    gram = np.einsum("iab,ab,jab->aij", basis, weight, basis) + 1e-10 * np.eye(3)
    right = np.einsum("iab,ab,ab->ai", basis, weight, y[near])
    fitted = np.linalg.solve(gram, right[..., None])[:, 0, 0]
    smoothed = np.full(len(values), -np.inf)
    smoothed[known] = np.interp(x, x[at], fitted)
    return smoothed


def compute_moments(r: Ranking) -> tuple[tuple[float, float], tuple[float, float]]:
    """Return the mean and standard deviation of the scores of the positives and of the negatives."""
    pairs = []
    for weights, n in zip(r.floats, compute_effective_sizes(r), strict=True):
        mean = float(np.average(r.key, weights=weights))
        variance = float(np.average((r.key - mean) ** 2, weights=weights))
        pairs.append((mean, math.sqrt(variance * float(n) / max(float(n) - 1, 1e-9))))
    return pairs[0], pairs[1]


def _find_normal_youden(r: Ranking) -> float:
    """Return the threshold with the largest J if both classes are normal, where their densities cross."""
    if not np.isfinite(r.key[[0, -1]]).all():
        return math.nan
    (m1, s1), (m0, s0) = compute_moments(r)
    if not (s1 > 0 and s0 > 0 and m1 > m0):
        return math.nan
    if math.isclose(s1, s0, rel_tol=1e-9):
        return (m1 + m0) / 2
    v1, v0 = s1 * s1, s0 * s0
    a, b = 1 / v0 - 1 / v1, m1 / v1 - m0 / v0
    c = m0 * m0 / v0 - m1 * m1 / v1 - 2 * math.log(s1 / s0)
    root = math.sqrt(max(b * b - a * c, 0.0))
    crossing = [(-b - root) / a, (-b + root) / a]
    inside = [t for t in crossing if m0 <= t <= m1]
    if inside:
        return inside[0]
    # If the deviations differ much, no crossing is between the means; then take the one with the larger J.
    return max(crossing, key=lambda t: _compute_survival((t - m1) / s1) - _compute_survival((t - m0) / s0))


def _compute_survival(z: float) -> float:
    return math.erfc(z / math.sqrt(2)) / 2


def _find_kernel_youden(r: Ranking) -> float:
    """Return the threshold with the largest J of Gaussian kernel estimates with Silverman's bandwidths."""
    from scipy.special import ndtr

    if not np.isfinite(r.key[[0, -1]]).all():
        return math.nan
    (_, s1), (_, s0) = compute_moments(r)
    if not (s1 > 0 and s0 > 0):
        return math.nan
    low, high = float(r.key[-1]), float(r.key[0])
    edges = np.linspace(low, high, _GRID_CELLS + 1)
    middle = (edges[1:] + edges[:-1]) / 2
    tried = np.linspace(low, high, _GRID)
    j: Any = 0.0
    for sign, weights, spread, n in zip((1, -1), r.floats, (s1, s0), compute_effective_sizes(r), strict=True):
        width = 0.9 * min(spread, _compute_quartile_range(r.key, weights) / 1.34 or spread) * float(n) ** -0.2
        cells = np.histogram(r.key, edges, weights=weights)[0]
        j = j + sign * ndtr((middle - tried[:, None]) / width) @ cells / weights.sum()
    best = int(np.argmax(j))
    if not 0 < best < _GRID - 1:
        return float(tried[best])
    before, here, after = j[best - 1 : best + 2]  # the top of the parabola through the best and its neighbours
    bend = before - 2 * here + after
    shift = 0.0 if bend == 0 else 0.5 * (before - after) / bend
    return float(tried[best] + shift * (tried[1] - tried[0]))


def _compute_quartile_range(key: Array, weights: Array) -> float:
    """Return the distance between the quartiles."""
    total = weights.cumsum()
    upper, lower = np.searchsorted(total, (0.25 * total[-1], 0.75 * total[-1]))
    return float(key[upper] - key[lower])


# ---------------------------------------------------------------------- the search


EQUAL = 1e-12  # values of a criterion that differ by less are the same
OPTIMUM, MEAN, SMOOTH, KERNEL, NORMAL = "optimum", "mean", "smooth", "kernel", "normal"
METHODS = (OPTIMUM, MEAN, SMOOTH, KERNEL, NORMAL)
SMOOTH_YOUDEN: dict[str, Callable[[Ranking], float]] = {KERNEL: _find_kernel_youden, NORMAL: _find_normal_youden}


@dataclass(frozen=True)
class CutSearch:
    """A search for a cut: rules that allow it, and a criterion that ranks the allowed cuts.

    Without a criterion it finds the cut that flags the most cases, or the fewest. `quota` is how many of `cases` cases
    may be flagged; a bootstrap sample of groups, which may have another length, has a quota in proportion.
    """

    rules: tuple[CutRule, ...] = ()
    criterion: Criterion | None = None
    method: str = OPTIMUM
    takes_most: bool = False
    prevalence: float | None = None
    quota: float | None = None
    cases: float = math.nan

    @property
    def is_restricted(self) -> bool:
        """Whether any rule or a quota excludes cuts."""
        return bool(self.rules) or self.quota is not None

    @property
    def chooses(self) -> bool:
        """Whether there is a criterion or a rule; `cut_at` has neither."""
        return self.is_restricted or self.criterion is not None

    def find_allowed(self, r: Ranking) -> Array:
        """Find the cuts that every rule and the quota allow."""
        allowed = [rule(r) for rule in self.rules]
        if self.quota is not None:
            capacity = np.floor(np.asarray(self.quota * (r.total / self.cases), dtype=float) + 1e-6)
            allowed.append(np.asarray(r.ends <= capacity[..., None]))
        return np.asarray(np.logical_and.reduce(allowed)) if allowed else np.ones(r.ends.shape, dtype=bool)

    def compute_values(self, r: Ranking) -> Array:
        """Return the criterion at every cut, higher being better; -inf where a cut is not allowed."""
        assert self.criterion is not None  # noqa: S101 - called only with a criterion
        values = self.criterion.compute_values(_count_all_cuts(r, self.prevalence))
        if self.method == SMOOTH:
            rows = zip(np.atleast_2d(values), np.atleast_2d(r.ends), strict=True)
            values = np.stack([_smooth_values(row, ends / ends[-1]) for row, ends in rows]).reshape(values.shape)
        return np.where(self.find_allowed(r), values, -np.inf) if self.is_restricted else values

    def pick(self, r: Ranking) -> tuple[Array, Array]:
        """Return the position of the cut in each ranking, and whether there is one."""
        if self.criterion is None:
            allowed = self.find_allowed(r)
            last = allowed.shape[-1] - 1 - allowed[..., ::-1].argmax(-1)
            return np.asarray(last if self.takes_most else allowed.argmax(-1)), np.asarray(allowed.any(-1))
        values = self.compute_values(r)
        best = values.max(-1)
        # The first of equal cuts flags the fewest cases.
        place = (values >= (best - _compute_tolerance(best))[..., None]).argmax(-1)
        return np.asarray(place), np.isfinite(best)

    def choose_keys(self, r: Ranking) -> Array:
        """Choose the key of each ranking (see `count_at_keys`); NaN if no cut is allowed."""
        if self.method in SMOOTH_YOUDEN:
            find = SMOOTH_YOUDEN[self.method]
            return np.array([self.find_nearest(ranking, find(ranking)) for ranking in r.one_by_one()]).reshape(
                r.pos.shape[:-1]
            )
        place, is_any = self.pick(r)
        return np.where(is_any, np.append(np.inf, r.key)[place], np.nan)

    def find_nearest(self, r: Ranking, key: float) -> float:
        """Return a key, or the nearest one whose cut is allowed."""
        if math.isnan(key) or not self.is_restricted:
            return key
        allowed = self.find_allowed(r)
        if allowed[int((r.key >= key).sum())]:
            return key
        cuts = np.flatnonzero(allowed[1:])
        return float(r.key[cuts[np.argmin(np.abs(r.key[cuts] - key))]]) if len(cuts) else math.nan

    def find_equals(self, r: Ranking, place: int) -> Array:
        """Find the cuts whose criterion equals that of the chosen cut."""
        if self.criterion is None or self.method != OPTIMUM:
            return np.array([place])
        values = self.compute_values(r)
        return np.flatnonzero(values >= values[place] - _compute_tolerance(values[place]))

    def compute_criterion(self, c: Counts) -> Any:
        """Compute the criterion of counts, without changing its sign."""
        assert self.criterion is not None  # noqa: S101
        return np.asarray(self.criterion.function(rescale_to_prevalence(c, self.prevalence)), dtype=float)

    def compute_criterion_at(self, r: Ranking, keys: Any) -> Any:
        """Compute the criterion at a key of each ranking."""
        return self.compute_criterion(count_at_keys(r, keys))


def _compute_tolerance(value: Any) -> Any:
    return EQUAL * np.maximum(1, np.where(np.isfinite(value), np.abs(value), 0))
