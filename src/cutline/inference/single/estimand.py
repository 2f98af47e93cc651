"""What an interval is asked for: a measure of a ranking, with its parameters, or any function of one."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from cutline.core.caching import cached_value
from cutline.core.counts import Counts
from cutline.core.errors import InputError, ParameterError
from cutline.core.ranking import Ranking
from cutline.core.validation import LEVEL, call_user_function, check_flag, check_level, check_whole
from cutline.inference.caveats import EQUAL
from cutline.inference.effective_size import effective_counts, freedom_of_sum, squares
from cutline.inference.influence import JUMPING, Influence, of_four, of_order
from cutline.inference.quantities import Quantity, quantity_of
from cutline.inputs.rank import cut, places, places_of_share
from cutline.measures import Family, Measure, Needs
from cutline.measures.bin_brackets import Bounds, bounds
from cutline.measures.forms import Form, PairedShare, PartialArea
from cutline.measures.metadata import constant

FormT = TypeVar("FormT")


class IntervalRequest(NamedTuple):
    """How an interval is to be made."""

    level: float = LEVEL
    method: str = "auto"
    resamples: int = 2000
    seed: int = 0
    stratified: bool = False


def checked(options: IntervalRequest) -> IntervalRequest:
    """Check the options, and return them."""
    return options._replace(
        level=check_level(options.level),
        resamples=check_whole(options.resamples, "resamples", 2),
        stratified=check_flag(options.stratified, "stratified"),
        seed=check_whole(options.seed, "seed", 0),
    )


@dataclass(frozen=True)
class Estimand:
    """A measure on a ranking: its value, how to find it on others, and what its interval depends on."""

    name: str
    ranking: Ranking
    statistic: Callable[[Ranking], Any]  # over a stack of rankings too
    value: float
    reason: str = ""
    range: tuple[float, float] = (-math.inf, math.inf)
    form: Form = None
    parameters: dict[str, Any] = field(default_factory=dict)
    cut: Callable[[Ranking], Counts] | None = None
    of_counts: Callable[[Counts], Any] | None = None
    caveat: str = ""  # what qualifies its interval, whatever the method
    open_to: Bounds | None = None  # between which values the exact one lies, where the scores were binned
    by_quota: bool = False  # the number of the flagged is given, so that the cases at a cut are not independent
    needs: Needs | None = None  # of a registered measure
    quota: float | None = None  # how many are flagged, where that is what makes the cut
    paired: PairedShare | None = None  # the cases of which it is a share, where these are the same for every model
    data: Any = None  # what a registered measure was computed from: the ranking, or the counts of its cut
    stretch: tuple[float, float] = (
        1.0,
        1.0,
    )  # the shares of the positives and of the negatives that it is an area over
    is_of_order: bool = False  # a registered measure of the order, or of a quota, that may have a slope

    @property
    def influence(self) -> Influence | None:
        """Return the influence function of a measure of the order or of a quota; None where it has no slope."""
        if not self.is_of_order:
            return None
        if not self.ranking.is_long:
            return self._influence
        key = ("influence", self.name, self.quota, str(self.parameters))
        changes: Influence | None = cached_value(self.ranking, key, self._find_influence)
        return changes

    @cached_property
    def _influence(self) -> Influence | None:
        return self._find_influence()

    def _find_influence(self) -> Influence | None:
        return of_order(self.statistic, self.value, self.ranking)

    def form_as(self, form: type[FormT]) -> FormT:  # noqa: ARG002
        """Return the form of the measure, for a method whose row of the table has that form alone."""
        return cast("FormT", self.form)

    @property
    def measure_name(self) -> str:
        """Return the name of the measure without its parameters."""
        return self.name.partition("(")[0]

    @cached_property
    def quantity(self) -> Quantity:
        """Return the kind of quantity, which the table of methods is ordered by."""
        if self.needs is None:
            return Quantity.OWN
        return quantity_of(self.form, is_of_counts=self.of_counts is not None, by_quota=self.by_quota)

    @property
    def is_of_one_cut(self) -> bool:
        """Whether it is a registered measure of one cut that a threshold names."""
        return self.of_counts is not None and not self.by_quota

    @cached_property
    def counts_in_effect(self) -> Counts:
        """Return the counts of the cut, each as the number of cases that its weights are worth."""
        return self.counts if self.ranking.integral else effective_counts(self.counts, self.second)

    @cached_property
    def counts(self) -> Counts:
        """Return the counts of its cut."""
        return self.cut(self.ranking)  # type: ignore[misc]

    @cached_property
    def freedom_at_cut(self) -> float:
        """Return the degrees of freedom of a measure of one cut, about twice the cases that it rests on."""
        if not math.isfinite(self.value):
            return math.inf
        counts = self.counts_in_effect
        cells = np.array([counts.tp, counts.fp, counts.fn, counts.tn], dtype=float)
        changes = of_four(self.of_counts, self.counts)  # type: ignore[arg-type]
        some = (cells > 0) & np.isfinite(changes) & (np.abs(changes) > EQUAL)
        if not some.any():  # a share of none, or of all
            return math.inf
        return min(freedom_of_sum(changes[some], cells[some]), 2 * float(cells[some].sum()))

    @property
    def cuts(self) -> tuple[int, ...]:
        """Return the place of the cut of a measure of one cut: bins of scores end there."""
        return (self.ranking.cut(float(self.counts.threshold)),) if self.is_of_one_cut else ()

    @property
    def bins(self) -> tuple[str, ...]:
        """Return the statement of the value's bracket, if bins leave it open."""
        return () if self.open_to is None else (self.open_to.statement,)

    @cached_property
    def second(self) -> Counts:
        """Return the squared weights at its cut; a quota that ends inside a tie has those of the whole tie."""
        counts = self.counts
        if self.ranking.integral:
            return counts
        return squares(self.ranking).at_cut(self.ranking.cut(counts.threshold), counts.threshold)


def bracketed(estimand: Estimand, measure: Measure, parameters: Mapping[str, Any]) -> Estimand:
    """Return the estimand with what bins leave certain of its value.

    Args:
        estimand: The estimand, of a registered measure.
        measure: The measure.
        parameters: Those of the measure, and its cut.
    """
    open_to = bounds(measure, estimand.ranking, parameters, estimand.value)
    return estimand if open_to is None else replace(estimand, open_to=open_to)


def of_measure(measure: Measure, ranking: Ranking, parameters: dict[str, Any], *, grouped: bool = False) -> Estimand:
    """Return the estimand of a registered measure; for one cut the parameters say where it is.

    Resamples of whole groups (`grouped`) are not equally long: a quota is then the same share of each.
    """
    data, rest = measure.prepare(ranking, parameters)
    value = float(measure.compute(data, **rest))
    quota = rest.get("quota", measure.defaults.get("quota"))
    cut_at, of_counts = None, None
    if measure.needs is Needs.COUNTS:
        cut_at, of_counts = _cut_of_any(ranking, _where(parameters), grouped), partial(measure.compute, **rest)
        statistic = _of_cut(of_counts, cut_at)
    elif quota is not None:
        statistic = _of_quota(partial(measure.compute, **rest), _transfer_quota(quota, ranking, grouped))
    else:
        statistic = partial(measure.compute, **rest)
    settings, form = {**measure.bound, **rest}, measure.form
    by_quota = quota is not None or (cut_at is not None and "threshold" not in parameters)
    if quota is None and by_quota:
        where = _where(parameters)
        quota = places(ranking, quota=where.get("quota"), share=where.get("share"))
    return Estimand(
        name=str(measure.with_(**{name: value for name, value in parameters.items() if name in measure.parameters})),
        ranking=ranking,
        statistic=statistic,
        value=value,
        reason=measure.reason(data, **rest) if math.isnan(value) else "",
        range=form.range(**settings) if isinstance(form, PartialArea) else measure.range,
        stretch=form.shares(**settings) if isinstance(form, PartialArea) else (1.0, 1.0),
        form=form,
        caveat=measure.caveat,
        parameters=settings,
        cut=cut_at,
        of_counts=of_counts,
        by_quota=by_quota,
        quota=None if quota is None else float(quota),
        needs=measure.needs,
        paired=measure.paired,
        data=data,
        is_of_order=measure.name not in JUMPING and (by_quota or measure.needs is Needs.RANKING),
    )


def of_function(
    function: Callable[..., Any], ranking: Ranking, where: dict[str, Any], *, grouped: bool = False
) -> Estimand:
    """Return the estimand of a user's function: of the counts of the cut that is named, or of the ranking."""
    _check_where(where)
    checked = partial(call_user_function, function, "measure")
    if where:
        cut(ranking, **where)  # refuses what names no cut
    of = _of_cut(checked, _cut_of_any(ranking, where, grouped)) if where else checked
    name = getattr(function, "__name__", type(function).__name__)

    def statistic(r: Ranking) -> Any:
        return np.array([_one_number(of(ranking), name) for ranking in r.one_by_one()]).reshape(r.pos.shape[:-1])[()]

    value = _one_number(of(ranking), name)
    reason = "the function gives NaN" if math.isnan(value) else ""
    return Estimand(name, ranking, statistic, value, reason, by_quota=bool(where) and "threshold" not in where)


def as_measure(function: Any, where: Mapping[str, Any]) -> Measure:
    """Return a user's function as a measure in no registry, of one cut if `where` names one."""
    _check_where(where)
    name = str(getattr(function, "__name__", type(function).__name__))

    def of_stack(data: Any) -> Any:
        if isinstance(data, Ranking):
            values = [
                _one_number(call_user_function(function, "measure", ranking), name) for ranking in data.one_by_one()
            ]
            return values[0] if data.pos.ndim == 1 else np.array(values)
        cells = np.broadcast_arrays(data.tp, data.fp, data.fn, data.tn, data.threshold)
        values = [
            _one_number(call_user_function(function, "measure", Counts(*row)), name)
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
        perfect=constant(math.nan),
        baseline=constant(math.nan),
        needs=Needs.COUNTS if where else Needs.RANKING,
        family=Family.RANKING,
        source={},
    )


def _check_where(where: Mapping[str, Any]) -> None:
    """Refuse parameters that name no cut: a function takes none of its own here."""
    other = [name for name in where if name not in _CUTS]
    if other:
        raise ParameterError(
            f"A function has no parameter {other[0]!r} here", f"pass {', '.join(_CUTS)}, or bind it before"
        )


def _one_number(returned: Any, name: str) -> float:
    """Return the number that a user's function gave, or refuse what is none."""
    try:
        return float(returned)
    except (TypeError, ValueError):
        raise InputError(f"{name} returned {returned!r:.40}", "return one number") from None


# ---------------------------------------------------------------------- the same cut of any ranking

_CUTS = ("threshold", "quota", "share")


def _where(parameters: dict[str, Any]) -> dict[str, Any]:
    return {name: parameters[name] for name in _CUTS if name in parameters}


def _cut_of_any(ranking: Ranking, where: dict[str, Any], grouped: bool) -> Callable[[Ranking], Counts]:
    """Return what finds a cut, which was checked before, in any ranking."""
    threshold = where.get("threshold")
    if threshold is None:
        flagged = _transfer_quota(places(ranking, quota=where.get("quota"), share=where.get("share")), ranking, grouped)
        return lambda r: r.at_quota(flagged(r))
    at = float(threshold)
    return lambda r: r.at_threshold(at)


def _transfer_quota(quota: Any, ranking: Ranking, grouped: bool) -> Callable[[Ranking], Any]:
    """Return how many places of a resample a quota of the ranking takes: as many, or with groups the same share."""
    share = float(quota / ranking.total)
    return lambda r: np.minimum(places_of_share(r, share) if grouped else quota, r.total)


def _of_cut(function: Callable[[Counts], Any], cut_at: Callable[[Ranking], Counts]) -> Callable[[Ranking], Any]:
    return lambda r: function(cut_at(r))


def _of_quota(function: Callable[..., Any], flagged: Callable[[Ranking], Any]) -> Callable[[Ranking], Any]:
    return lambda r: function(r, quota=flagged(r))
