"""Estimands: a measure with its parameters, or a user's function, of a sample."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, NamedTuple, Self, TypeVar, cast

import numpy as np

from cutline.core.caching import cached_value
from cutline.core.counts import Counts
from cutline.core.errors import InputError, ParameterError
from cutline.core.ranking import Ranking
from cutline.core.validation import LEVEL, call_user_function, check_flag, check_level, check_whole
from cutline.inference.caveats import EQUAL
from cutline.inference.effective_size import compute_freedom_of_sum, scale_to_effective_counts, square_weights
from cutline.inference.influence import JUMPING, Influence, differentiate_cells, differentiate_order
from cutline.inference.quantities import Quantity, find_quantity
from cutline.inference.resampling.samplers import GroupSampler
from cutline.inputs.rank import count_places, count_places_of_share, cut_ranking
from cutline.measures import Family, Measure, Needs
from cutline.measures.bin_brackets import Bounds, bound_measure
from cutline.measures.forms import Form, PartialArea
from cutline.measures.metadata import make_constant

FormT = TypeVar("FormT")


class IntervalRequest(NamedTuple):
    """The options of an interval."""

    level: float = LEVEL
    method: str = "auto"
    resamples: int = 2000
    seed: int = 0
    stratified: bool = False


def check_request(request: IntervalRequest) -> IntervalRequest:
    """Return the options, converted to their types; raise if one is invalid."""
    return request._replace(
        level=check_level(request.level),
        resamples=check_whole(request.resamples, "resamples", 2),
        stratified=check_flag(request.stratified, "stratified"),
        seed=check_whole(request.seed, "seed", 0),
    )


@dataclass(frozen=True)
class Estimand:
    """A measure of a sample: its value, its function of other samples, and the inputs of its interval.

    `measure` is None for a user's function. `design` holds the groups, strata and sampling weights of the cases; None
    for cases that were sampled one by one.
    """

    name: str
    ranking: Ranking
    statistic: Callable[[Ranking], Any]  # of a ranking, or of a stack of rankings
    value: float
    design: GroupSampler | None = None
    range: tuple[float, float] = (-math.inf, math.inf)
    measure: Measure | None = None
    parameters: dict[str, Any] = field(default_factory=dict)
    data: Any = None  # from which the measure was computed: the ranking, or the counts of its cut
    cut: Callable[[Ranking], Counts] | None = None
    of_counts: Callable[[Counts], Any] | None = None
    quota: float | None = None  # the number of flagged cases, if a quota or a share of the list makes the cut
    bracket: Bounds | None = None  # between which values the exact one lies, where the scores were binned

    @classmethod
    def of_measure(
        cls, measure: Measure, ranking: Ranking, parameters: dict[str, Any], design: GroupSampler | None = None
    ) -> Self:
        """Return the estimand of a measure.

        Args:
            measure: The measure.
            ranking: The cases.
            parameters: Those of the measure, and for a measure of one cut its threshold, quota or share.
            design: How the cases were sampled, if not one by one.
        """
        data, rest = measure.prepare(ranking, parameters)
        quota = rest.get("quota", measure.defaults.get("quota"))
        compute, cut_at, of_counts = partial(measure.compute, **rest), None, None
        if measure.needs is Needs.COUNTS:
            where = _select_cut_parameters(parameters)
            cut_at, of_counts = _transfer_cut(ranking, where, design), compute
            statistic = _compose(of_counts, cut_at)
            if "threshold" not in where:
                quota = count_places(ranking, quota=where.get("quota"), share=where.get("share"))
        elif quota is not None:
            statistic = _compose_with_quota(compute, _transfer_quota(quota, ranking, design))
        else:
            statistic = compute
        settings, form = {**measure.bound, **rest}, measure.form
        named = {name: value for name, value in parameters.items() if name in measure.parameters}
        return cls(
            name=str(measure.with_(**named) if named else measure),
            ranking=ranking,
            statistic=statistic,
            value=float(measure.compute(data, **rest)),
            design=design,
            range=form.range(**settings) if isinstance(form, PartialArea) else measure.range,
            measure=measure,
            parameters=settings,
            data=data,
            cut=cut_at,
            of_counts=of_counts,
            quota=None if quota is None else float(quota),
        )

    @classmethod
    def of_function(
        cls,
        function: Callable[..., Any],
        ranking: Ranking,
        where: dict[str, Any],
        design: GroupSampler | None = None,
    ) -> Self:
        """Return the estimand of a user's function: of the counts of a cut, or of the ranking.

        Args:
            function: The function.
            ranking: The cases.
            where: The threshold, quota or share of the cut; empty for a function of the ranking.
            design: How the cases were sampled, if not one by one.
        """
        _check_cut_parameters(where)
        compute: Callable[[Any], Any] = partial(call_user_function, function, "measure")
        if where:
            cut_ranking(ranking, **where)  # raises if they name no cut
            compute = _compose(compute, _transfer_cut(ranking, where, design))
        name = getattr(function, "__name__", type(function).__name__)

        def statistic(r: Ranking) -> Any:
            values = [_check_number(compute(ranking), name) for ranking in r.one_by_one()]
            return np.array(values).reshape(r.pos.shape[:-1])[()]

        return cls(name, ranking, statistic, _check_number(compute(ranking), name), design)

    def with_bracket(self, parameters: Mapping[str, Any]) -> Self:
        """Return the estimand of a measure with the bracket of its value, if the scores were binned.

        Args:
            parameters: Those of the measure, and its cut.
        """
        if self.measure is None:
            return self
        bracket = bound_measure(self.measure, self.ranking, parameters, self.value)
        return self if bracket is None else replace(self, bracket=bracket)

    @property
    def reason(self) -> str:
        """Return why the value is undefined; empty if it is defined."""
        if not math.isnan(self.value):
            return ""
        return "the function gives NaN" if self.measure is None else self.measure.reason(self.data, **self.parameters)

    # ------------------------------------------------------------------ from the definition of the measure

    @property
    def form(self) -> Form:
        """Return the statistical form of the measure; None for a user's function."""
        return None if self.measure is None else self.measure.form

    def form_as(self, form: type[FormT]) -> FormT:  # noqa: ARG002
        """Return the form of the measure as the one form that a method is for, for type checkers."""
        return cast("FormT", self.form)

    @property
    def needs(self) -> Needs | None:
        """Return what the measure is computed from; None for a user's function."""
        return None if self.measure is None else self.measure.needs

    @cached_property
    def quantity(self) -> Quantity:
        """Return the quantity, which selects the row of the table of methods."""
        if self.measure is None:
            return Quantity.OWN
        return find_quantity(self.form, is_of_counts=self.of_counts is not None, by_quota=self.quota is not None)

    @property
    def is_of_order(self) -> bool:
        """Whether it is a measure of the order of the cases, or of a quota, that changes smoothly with the order."""
        if self.measure is None or self.measure.name in JUMPING:
            return False
        return self.quota is not None or self.needs is Needs.RANKING

    # ------------------------------------------------------------------ the cut

    @property
    def is_of_one_cut(self) -> bool:
        """Whether it is a measure of the counts at a threshold."""
        return self.of_counts is not None and self.quota is None

    @property
    def cuts(self) -> tuple[int, ...]:
        """Return the position of its threshold in the ranking, if any: bins of scores end there."""
        return (self.ranking.cut(float(self.counts.threshold)),) if self.is_of_one_cut else ()

    @cached_property
    def counts(self) -> Counts:
        """Return the counts of its cut."""
        return self.cut(self.ranking)  # type: ignore[misc]

    @cached_property
    def squared_counts(self) -> Counts:
        """Return the sums of squared weights at its cut; for a quota that ends inside a tie, those of the whole tie."""
        counts = self.counts
        if self.ranking.integral:
            return counts
        return square_weights(self.ranking).at_cut(self.ranking.cut(counts.threshold), counts.threshold)

    @cached_property
    def effective_counts(self) -> Counts:
        """Return the counts of its cut, scaled to the effective sample size of each class."""
        return self.counts if self.ranking.integral else scale_to_effective_counts(self.counts, self.squared_counts)

    @cached_property
    def freedom_at_cut(self) -> float:
        """Return the degrees of freedom of a measure of one cut, about twice the number of cases that it rests on."""
        if not math.isfinite(self.value):
            return math.inf
        counts = self.effective_counts
        cells = np.array([counts.tp, counts.fp, counts.fn, counts.tn], dtype=float)
        changes = differentiate_cells(self.of_counts, self.counts)  # type: ignore[arg-type]
        some = (cells > 0) & np.isfinite(changes) & (np.abs(changes) > EQUAL)
        if not some.any():  # a share of 0 or 1
            return math.inf
        return min(compute_freedom_of_sum(changes[some], cells[some]), 2 * float(cells[some].sum()))

    # ------------------------------------------------------------------ the influence function

    @property
    def influence(self) -> Influence | None:
        """Return the influence function of a measure of the order or of a quota; None if it is not differentiable."""
        if not self.is_of_order:
            return None
        if not self.ranking.is_long:
            return self._influence
        key = ("influence", self.name, self.quota, str(self.parameters))
        changes: Influence | None = cached_value(self.ranking, key, self._compute_influence)
        return changes

    @cached_property
    def _influence(self) -> Influence | None:
        return self._compute_influence()

    def _compute_influence(self) -> Influence | None:
        return differentiate_order(self.statistic, self.value, self.ranking)


def as_measure(function: Any, where: Mapping[str, Any]) -> Measure:
    """Return a user's function as a measure in no registry, of one cut if `where` names one."""
    _check_cut_parameters(where)
    name = str(getattr(function, "__name__", type(function).__name__))

    def of_stack(data: Any) -> Any:
        if isinstance(data, Ranking):
            values = [
                _check_number(call_user_function(function, "measure", ranking), name) for ranking in data.one_by_one()
            ]
            return values[0] if data.pos.ndim == 1 else np.array(values)
        cells = np.broadcast_arrays(data.tp, data.fp, data.fn, data.tn, data.threshold)
        values = [
            _check_number(call_user_function(function, "measure", Counts(*row)), name)
            for row in zip(*(cell.ravel() for cell in cells), strict=True)
        ]
        return np.array(values).reshape(cells[0].shape)[()]

    return Measure(
        name=name,
        function=of_stack,
        title=name,
        formula="",
        range=(-math.inf, math.inf),
        better=None,
        perfect=make_constant(math.nan),
        baseline=make_constant(math.nan),
        needs=Needs.COUNTS if where else Needs.RANKING,
        family=Family.RANKING,
        source={},
    )


def _check_cut_parameters(where: Mapping[str, Any]) -> None:
    """Raise if a parameter names no cut: a user's function takes no others here."""
    other = [name for name in where if name not in _CUTS]
    if other:
        raise ParameterError(
            f"A function has no parameter {other[0]!r} here", f"pass {', '.join(_CUTS)}, or bind it before"
        )


def _check_number(returned: Any, name: str) -> float:
    """Return the number that a user's function returned; raise if it is none."""
    try:
        return float(returned)
    except (TypeError, ValueError):
        raise InputError(f"{name} returned {returned!r:.40}", "return one number") from None


# ---------------------------------------------------------------------- the same cut of any ranking

_CUTS = ("threshold", "quota", "share")


def _select_cut_parameters(parameters: dict[str, Any]) -> dict[str, Any]:
    return {name: parameters[name] for name in _CUTS if name in parameters}


def _transfer_cut(ranking: Ranking, where: dict[str, Any], design: GroupSampler | None) -> Callable[[Ranking], Counts]:
    """Return a function that makes the same cut in any ranking."""
    threshold = where.get("threshold")
    if threshold is None:
        quota = count_places(ranking, quota=where.get("quota"), share=where.get("share"))
        flagged = _transfer_quota(quota, ranking, design)
        return lambda r: r.at_quota(flagged(r))
    at = float(threshold)
    return lambda r: r.at_threshold(at)


def _transfer_quota(quota: Any, ranking: Ranking, design: GroupSampler | None) -> Callable[[Ranking], Any]:
    """Return a function from a resample to its quota: the same number, or the same share of resampled groups.

    Resamples of whole groups differ in length.
    """
    share = float(quota / ranking.total)
    return lambda r: np.minimum(quota if design is None else count_places_of_share(r, share), r.total)


def _compose(function: Callable[[Counts], Any], cut_at: Callable[[Ranking], Counts]) -> Callable[[Ranking], Any]:
    return lambda r: function(cut_at(r))


def _compose_with_quota(function: Callable[..., Any], flagged: Callable[[Ranking], Any]) -> Callable[[Ranking], Any]:
    return lambda r: function(r, quota=flagged(r))
