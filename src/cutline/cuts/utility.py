"""Utility with its uncertainty: decision curves with bands, differences of models, the most profitable quota."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cutline.comparison import Comparison
from cutline.core import validation
from cutline.core.array_ops import Array
from cutline.core.counts import Counts
from cutline.core.errors import InputError, NotProbabilitiesError, ParameterError, shorten_repr
from cutline.core.public import public
from cutline.core.ranking import Ranking
from cutline.core.table import ShownAsTable, Table, to_json_value
from cutline.core.validation import LEVEL, check_amount, check_choice, check_level, check_prevalence, check_whole
from cutline.curves.utility import (
    WORDINGS,
    Line,
    compute_benefit_of_flagging_all,
    compute_profits,
    compute_rates,
    find_cost_envelope,
    make_brier_line,
    make_cost_line,
    write_curve_title,
)
from cutline.cuts.search import rescale_to_prevalence
from cutline.evaluation import Evaluation
from cutline.inference.differences.difference_rows import share_resamples
from cutline.inference.differences.paired import PairedMeasure, compare_measure, find_models, resolve_measure
from cutline.inference.resampling.samplers import CaseSampler
from cutline.inference.single.utility import KINDS, RISKS, compute_heights, find_best_quota, make_decision_band
from cutline.measures.costs import net_benefit
from cutline.results.estimate import Estimate
from cutline.results.resample_budget import choose_resamples_of_rows

if TYPE_CHECKING:
    from cutline.charts import Picture


@public
@dataclass(frozen=True, eq=False)
class UtilityCurve(ShownAsTable):
    """Columns of one length over x, with what belongs to the whole curve: its area, its best place, the level."""

    name: str
    columns: dict[str, Array]
    area: float | None = None
    best: Estimate | None = None
    notes: tuple[str, ...] = ()
    level: float | None = None

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def __getitem__(self, name: str) -> Array:
        return self.columns[name]

    @property
    def table(self) -> Table:
        """Return a row for each point of the curve."""
        rows = zip(*(column.tolist() for column in self.columns.values()), strict=True)
        below = tuple(f"  note: {note}" for note in self.notes)
        return Table(tuple(self.columns), tuple(rows), title=self.name, below=below)

    def to_dict(self) -> dict[str, Any]:
        """Return the columns as lists, and the rest, ready for JSON."""
        return {
            "schema": "cutline/utility/1",
            "name": self.name,
            "columns": {name: list(map(to_json_value, column.tolist())) for name, column in self.columns.items()},
            "area": self.area,
            "best": None if self.best is None else self.best.to_dict(),
            "notes": list(self.notes),
        }

    def chart(self, theme: str = "light") -> Picture:
        """Draw the curve with its band, beside flagging every case and no case where these are known.

        Args:
            theme: "light", "dark" or "print".
        """
        from cutline.charts.utility import draw_columns

        return draw_columns(self.name, self.columns, level=self.level, best=self.best, theme=theme)

    def __repr__(self) -> str:
        step = max(1, (len(self) - 1) // 10)
        some = UtilityCurve(
            self.name, {name: column[::step] for name, column in self.columns.items()}, notes=self.notes
        )
        return repr(some.table)


def _require_probabilities(data: object, what: str) -> Ranking:
    r = data.ranking if isinstance(data, Evaluation) else data
    if not isinstance(r, Ranking):
        raise InputError(f"{what} is of an evaluation or a ranking, not of {data!r:.40}", "pass evaluate(...)")
    if not r.are_probabilities:
        raise NotProbabilitiesError(f"{what} needs probabilities", "pass scores from 0 to 1, or recalibrate them first")
    return _require_both_classes(r, what)


def _require_both_classes(r: Ranking, what: str) -> Ranking:
    if not r.positives or not r.negatives:
        raise InputError(f"{what} needs cases of both classes: these are of one.")
    return r


def _check_risks(risks: object) -> Array:
    grid = (
        RISKS
        if risks is None
        else validation.as_numbers([risks] if validation.is_single(risks) else risks, "risks").astype(float)
    )
    if not ((grid > 0) & (grid < 1)).all():
        raise ParameterError(
            "holds values outside 0 and 1", "pass threshold probabilities between them", argument="risks"
        )
    return np.asarray(np.unique(grid))


def _count_resamples(r: Ranking, resamples: int | None) -> int:
    return choose_resamples_of_rows(len(r)) if resamples is None else check_whole(resamples, "resamples", 0)


@public(data="ev")
def decision_curve(
    ev: Any,
    risks: Any = None,
    *,
    kind: str = "net_benefit",
    prevalence: float | None = None,
    level: float = LEVEL,
    resamples: int | None = None,
    seed: int = 0,
) -> UtilityCurve:
    """Compute net benefit over the threshold probability, with its band, beside flagging every case and no case.

    Args:
        ev: An evaluation, whose groups are counted whole, or a ranking; the scores are probabilities.
        risks: The threshold probabilities; 0.01 to 0.99 by default.
        kind: "net_benefit", "standardised" (a share of the prevalence) or "interventions_avoided" (in one case).
        prevalence: The prevalence of the population, when cases and controls were drawn apart.
        level: The level of the band, point by point: at each risk it is the interval of the measure there.
        resamples: How many resamples make the band where no formula does; 2000, or fewer for long lists, when None,
            and 0 leaves the band out.
        seed: The seed of the resamples.

    >>> from cutline import rank
    >>> r = rank([1, 1, 0, 1, 0, 0, 0, 0], [0.9, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1, 0.1])
    >>> curve = decision_curve(r, [0.25, 0.5], resamples=0)
    >>> curve["net_benefit"].round(4).tolist(), curve["flag_everybody"].round(4).tolist()
    ([0.2917, 0.125], [0.1667, -0.25])
    """
    r, at = _require_probabilities(ev, "A decision curve"), _check_risks(risks)
    kind, share = check_choice(kind, "kind", KINDS), check_prevalence(prevalence)
    level, seed = check_level(level), check_whole(seed, "seed", 0)
    columns: dict[str, Array] = {"risk": at, kind: compute_heights(r, at, kind, share)}
    notes: tuple[str, ...] = ()
    times = _count_resamples(r, resamples)
    if times:
        limits = make_decision_band(ev, at, kind, prevalence=share, level=level, resamples=max(2, times), seed=seed)
        columns |= {kind: limits.y, "low": limits.low, "high": limits.high}
        notes = limits.notes
    if kind != "interventions_avoided":
        own = compute_rates(r, at, share).prevalence
        scale = own if kind == "standardised" else 1.0
        columns |= {
            "flag_everybody": compute_benefit_of_flagging_all(at, own) / scale,
            "flag_nobody": np.zeros(len(at)),
        }
    return UtilityCurve(write_curve_title(kind, share), columns, notes=notes, level=level)


@public(one="a", other="b")
def decision_difference(
    cmp: Comparison,
    a: str,
    b: str,
    risks: Any = None,
    *,
    prevalence: float | None = None,
    level: float = LEVEL,
    resamples: int | None = None,
    seed: int = 0,
) -> UtilityCurve:
    """Return the difference in net benefit of two models on the same cases, with interval and test at each risk.

    Args:
        cmp: The comparison that holds both models.
        a: The first model.
        b: The model that is taken away from it.
        risks: The threshold probabilities; 0.05, 0.1, ... 0.5 by default.
        prevalence: The prevalence of the population, when cases and controls were drawn apart.
        level: The level of the intervals, each by itself.
        resamples: How many resamples make them; 2000, or fewer for long lists, when None.
        seed: The seed of the resamples.
    """
    if not isinstance(cmp, Comparison):
        raise InputError(f"is {shorten_repr(cmp)}", "pass what compare() gives", argument="cmp")
    at = _check_risks(np.arange(1, 11) / 20 if risks is None else risks)
    for name in (a, b):
        _require_probabilities(cmp[name], f"A decision curve of {name!r}")
    level = check_level(level)
    pairs = _estimate_net_benefits(cmp, find_models(cmp.names, a, b), at, check_prevalence(prevalence), resamples, seed)
    estimates = [pair.estimate("auto", level) for pair in pairs]
    columns = {
        "risk": at,
        "difference": np.array([estimate.value for estimate in estimates]),
        "low": np.array([estimate.low for estimate in estimates]),
        "high": np.array([estimate.high for estimate in estimates]),
        "p_value": np.array([pair.test("auto").p_value for pair in pairs]),
    }
    return UtilityCurve(f"Net benefit of {a} less that of {b}", columns, level=level)


def _estimate_net_benefits(
    cmp: Comparison, models: tuple[int, int], risks: Array, prevalence: float | None, resamples: int | None, seed: int
) -> list[PairedMeasure]:
    """Return the net benefit of two models at each risk, all from the same resamples."""
    times = choose_resamples_of_rows(len(cmp.pairing)) if resamples is None else check_whole(resamples, "resamples", 1)
    statistic, pairing, seed = _make_net_benefit(prevalence), cmp.pairing.of(*models), check_whole(seed, "seed", 0)
    cuts = {cmp.names[model]: cmp[cmp.names[model]].cut for model in models}
    ats = [{"threshold": float(risk)} for risk in risks]
    comparisons = [
        compare_measure(pairing, cuts, resolve_measure(statistic, at), at, times, seed, strict=True) for at in ats
    ]
    return [comparison.pairs[0, 1] for comparison in share_resamples(comparisons, pairing, times, seed)]


def _make_net_benefit(prevalence: float | None) -> str | Callable[[Counts], Any]:
    """Return the measure, or the same of the counts that are expected at another prevalence."""
    if prevalence is None:
        return "net_benefit"
    return lambda counts: net_benefit.function(rescale_to_prevalence(counts, prevalence))


@public(data="ev")
def cost_curve(ev: Any, threshold: float | None = None) -> UtilityCurve:
    """Compute the smallest normalised expected cost at every probability-cost (Drummond and Holte), with its lower
    envelope.

    Args:
        ev: An evaluation or a ranking.
        threshold: The cut whose own line is drawn along; that of the evaluation by default.
    """
    r = ev.ranking if isinstance(ev, Evaluation) else ev
    if not isinstance(r, Ranking):
        raise InputError(f"A cost curve is of an evaluation or a ranking, not of {ev!r:.40}", "pass evaluate(...)")
    _require_both_classes(r, "A cost curve")
    line = find_cost_envelope(r)
    columns = {"probability_cost": line.x, "cost": line.y, "flag_nobody": line.x, "flag_everybody": 1 - line.x}
    if threshold is None and isinstance(ev, Evaluation):
        threshold = ev.threshold
    if threshold is not None:
        fixed = make_cost_line(r, validation.check_number(threshold, "threshold"))
        columns["at_threshold"] = np.interp(line.x, fixed.x, fixed.y)
    return UtilityCurve(WORDINGS["cost"].title, columns, area=line.area)


@public(data="ev")
def brier_curve(ev: Any) -> UtilityCurve:
    """Return the loss at every cost proportion when the threshold is that proportion; its area is the Brier score.

    Args:
        ev: An evaluation or a ranking whose scores are probabilities.
    """
    line: Line = make_brier_line(_require_probabilities(ev, "A Brier curve"))
    return UtilityCurve(WORDINGS["loss"].title, {"cost_proportion": line.x, "loss": line.y}, area=line.area)


@public(data="ev")
def profit_curve(
    ev: Any, *, value: float, cost: float, level: float = LEVEL, resamples: int | None = None, seed: int = 0
) -> UtilityCurve:
    """Compute profit over the number of flagged cases, with the best quota and its interval.

    Args:
        ev: An evaluation, whose groups are counted whole, or a ranking.
        value: What a true positive is worth.
        cost: What flagging a case costs.
        level: The level of the interval of the best quota.
        resamples: How many resamples make it; 2000, or fewer for long lists, when None, and 0 leaves it out.
        seed: The seed of the resamples.

    >>> from cutline import rank
    >>> curve = profit_curve(rank([1, 1, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1]), value=10, cost=4, resamples=0)
    >>> curve["profit"].tolist(), curve.best.value
    ([0.0, 6.0, 12.0, 8.0, 14.0, 10.0, 6.0], 4.0)
    """
    r, groups = (ev.ranking, ev.groups) if isinstance(ev, Evaluation) else (ev, None)
    if not isinstance(r, Ranking):
        raise InputError(f"A profit curve is of an evaluation or a ranking, not of {ev!r:.40}", "pass evaluate(...)")
    worth, price = check_amount(value, "value"), check_amount(cost, "cost")
    line, times = compute_profits(r, worth, price), _count_resamples(r, resamples)
    how: dict[str, Any] = {"value": worth, "cost": price, "level": check_level(level)}
    best = find_best_quota(r, groups or CaseSampler(r), **how, resamples=times, seed=check_whole(seed, "seed", 0))
    columns = {"quota": line.x, "threshold": r.thresholds, "profit": line.y}
    return UtilityCurve(WORDINGS["profit"].title, columns, best=best, level=best.level)
