"""Measures in units of cost or benefit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cutline.core.array_ops import Array, Numbers
from cutline.core.blocks import reduce_over_cells
from cutline.core.counts import Counts, as_floats, divide
from cutline.core.ranking import Ranking
from cutline.measures.forms import MaximumOverCuts, find_best_cuts
from cutline.measures.metadata import NO_CASE, NO_POSITIVE, ONE_CLASS, Parameter, ReferenceValue, UndefinedWhen
from cutline.measures.registry import Family, Needs, measure

_BLOCK = 1 << 17  # cuts of a long ranking that are looked at together
COST = Parameter("cost of one such error", low=0, high=1e100, example=5)


@measure(
    title="Expected cost",
    formula=r"\frac{c_{FP} FP + c_{FN} FN}{n}",
    needs=Needs.COUNTS,
    family=Family.COST,
    range=(0, math.inf),
    better="lower",
    perfect=0,
    baseline=ReferenceValue(
        r"c_{FP}(1-\pi)q + c_{FN}\pi(1-q)",
        lambda s, cost_fp=1.0, cost_fn=1.0: (
            cost_fp * (1 - s.prevalence) * s.flagged + cost_fn * s.prevalence * (1 - s.flagged)
        ),
    ),
    undefined=NO_CASE,
    parameters={"cost_fp": COST, "cost_fn": COST},
    concordant=True,
    source="provost2001",
    blind_to="How the errors divide into misses and false alarms, once their costs are added up.",
)
def expected_cost(c: Counts, *, cost_fp: float = 1.0, cost_fn: float = 1.0) -> Any:
    """Mean cost of a case when a false positive and a false negative cost different amounts."""
    return divide(compute_total_cost(c.fp, c.fn, cost_fp, cost_fn), c.total)


def compute_total_cost(fp: Numbers, fn: Numbers, cost_fp: Numbers = 1.0, cost_fn: Numbers = 1.0) -> Any:
    """Return what the errors at a cut cost together."""
    return cost_fp * as_floats(fp) + cost_fn * as_floats(fn)


def _compute_odds(risk: Numbers) -> Any:
    return divide(risk, 1 - as_floats(risk))


@measure(
    title="Net benefit",
    formula=r"\frac{TP}{n} - \frac{FP}{n} \cdot \frac{p_t}{1 - p_t}",
    needs=Needs.COUNTS,
    family=Family.COST,
    range=(-math.inf, 1),
    better="higher",
    perfect=ReferenceValue(r"\pi", lambda s, risk=None: s.prevalence),
    baseline=ReferenceValue(
        r"q\left[\pi - (1-\pi)\frac{p_t}{1-p_t}\right]",
        lambda s, risk=None: (
            s.flagged * (s.prevalence - (1 - s.prevalence) * _compute_odds(s.threshold if risk is None else risk))
        ),
    ),
    undefined=(
        NO_CASE,
        UndefinedWhen(
            "the threshold is not a probability of the positive class below 1, and no risk is given",
            lambda c, risk=None, **_: ~((_choose_risk(c, risk) >= 0) & (_choose_risk(c, risk) < 1)),
        ),
    ),
    parameters={
        "risk": Parameter(
            "probability at which flagging and not flagging are worth the same; the cut's own threshold by default",
            low=0,
            high=1,
            includes_high=False,
            example=0.2,
        )
    },
    concordant=True,
    source="vickers2006",
    blind_to="How the value divides into hits and false alarms; and all other thresholds than the one it is told.",
)
def net_benefit(c: Counts, *, risk: float | None = None) -> Any:
    """True positives per case, less the false positives at their exchange rate: decision curve analysis."""
    at = _choose_risk(c, risk)
    at = np.where((at >= 0) & (at < 1), at, np.nan)
    return divide(c.tp, c.total) - divide(c.fp, c.total) * _compute_odds(at)


def _choose_risk(c: Counts, risk: float | None) -> Any:
    return as_floats(risk) if risk is not None else np.where(c.is_risk, as_floats(c.threshold), math.nan)


@measure(
    title="Standardised net benefit",
    formula=r"\frac{NB}{\pi}",
    needs=Needs.COUNTS,
    family=Family.COST,
    range=(-math.inf, 1),
    better="higher",
    perfect=1,
    baseline=ReferenceValue(
        r"q\left[1 - \frac{1-\pi}{\pi}\,\frac{p_t}{1-p_t}\right]",
        lambda s, risk=None: divide(net_benefit.baseline.function(s, risk=risk), s.prevalence),
    ),
    undefined=(NO_POSITIVE, *net_benefit.undefined[1:]),
    parameters=net_benefit.parameters,
    concordant=True,
    aliases=("standardized_net_benefit",),
    source=("vancalster2025", "kerr2016"),
    blind_to="How the value divides into hits and false alarms; and all other thresholds than the one it is told.",
)
def standardised_net_benefit(c: Counts, *, risk: float | None = None) -> Any:
    """Net benefit as a share of the most there is to gain: 1 when every positive is found and nobody else flagged."""
    benefit = divide(net_benefit.function(c, risk=risk), divide(c.positives, c.total))
    return np.where(as_floats(c.positives) > 0, benefit, np.nan)[()]


def _compute_costs(r: Ranking, cost_fp: float, cost_fn: float) -> Any:
    """Return the mean cost at each cut; of a long ranking in blocks, because whole tables would take twice its
    memory.
    """
    if r.pos.ndim > 1 or not r.is_long:
        return expected_cost.function(r.counts, cost_fp=cost_fp, cost_fn=cost_fn)
    costs = np.empty(len(r) + 1)
    for start in range(0, len(costs), _BLOCK):
        tp, fp = (column[start : start + _BLOCK] for column in (r.tp, r.fp))
        table = Counts(tp, fp, r.positives - tp, r.negatives - fp)
        costs[start : start + _BLOCK] = expected_cost.function(table, cost_fp=cost_fp, cost_fn=cost_fn)
    return costs


def _find_cheapest_cut(r: Ranking, cost_fp: float, cost_fn: float) -> Any:
    return int(find_best_cuts(-_compute_costs(r, cost_fp, cost_fn))[0])


@measure(
    title="Smallest expected cost",
    formula=r"\min_t \frac{c_{FP} FP(t) + c_{FN} FN(t)}{n}",
    needs=Needs.RANKING,
    family=Family.COST,
    range=(0, math.inf),
    better="lower",
    perfect=0,
    baseline=ReferenceValue(
        r"\min(c_{FP}(1-\pi), c_{FN}\pi)",
        lambda s, cost_fp=1.0, cost_fn=1.0: min(cost_fp * (1 - s.prevalence), cost_fn * s.prevalence),
    ),
    parameters={"cost_fp": COST, "cost_fn": COST},
    found_at=_find_cheapest_cut,
    concordant=True,
    form=MaximumOverCuts(of_all=lambda r, cost_fp=1.0, cost_fn=1.0, **_: -_compute_costs(r, cost_fp, cost_fn)),
    source=("vancalster2025", "provost2001"),
    blind_to="All of the list but its cheapest cut, which is searched: it flatters small samples.",
)
def min_expected_cost(r: Ranking, *, cost_fp: float = 1.0, cost_fn: float = 1.0) -> Any:
    """Mean cost of a case at the cut where it is smallest, for what the two errors cost."""
    return _find_smallest_cost(r, cost_fp, cost_fn)


@reduce_over_cells(np.minimum)
def _find_smallest_cost(r: Ranking, cost_fp: float, cost_fn: float) -> Any:
    return _compute_costs(r, cost_fp, cost_fn).min(-1)


@measure(
    title="H-measure",
    formula=r"1 - \frac{\int \min_t L(c, t) \, u(c) \, dc}{\int \min(c(1-\pi), (1-c)\pi) \, u(c) \, dc}",
    needs=Needs.RANKING,
    family=Family.COST,
    range=(0, 1),
    better="higher",
    perfect=1,
    baseline=0,
    undefined=ONE_CLASS,
    parameters={
        "prior": Parameter(
            "distribution of the cost share c: 'prevalence' (Hand and Anagnostopoulos 2014), 'symmetric' (Hand 2009), "
            "or 'severity', which the R package hmeasure takes unless told otherwise",
            choices=("prevalence", "symmetric", "severity"),
        ),
        "a": Parameter(
            "first shape of the Beta distribution of the cost share c; that of the prior by default",
            low=0,
            high=1e100,
            includes_low=False,
            example=2,
        ),
        "b": Parameter("second shape; that of the prior by default", low=0, high=1e100, includes_low=False, example=2),
    },
    concordant=True,
    form=MaximumOverCuts(of_peaks=True),
    source=("hand2009", "hand2014"),
    blind_to="Your own costs: it averages over what the errors may cost; and whether probabilities are right.",
)
def h_measure(r: Ranking, *, prior: str = "prevalence", a: float | None = None, b: float | None = None) -> Any:
    """Which part of the smallest loss without a model is removed, averaged over what the two errors may cost.

    The cost share c of a false positive has the distribution Beta(1 + prevalence, 2 - prevalence), as Hand and
    Anagnostopoulos (2014) propose. The prior "symmetric" is Beta(2, 2), the original of 2009, and "severity" is
    Beta(2, 1 + N/P).
    """
    n_pos, n_neg = (np.asarray(n, dtype=float).ravel() for n in np.broadcast_arrays(r.positives, r.negatives))
    share = np.asarray(divide(n_pos, n_pos + n_neg))
    shapes = _get_prior_shapes(prior, share)
    alpha, beta = (np.full(share.shape, b if a is None else a) for a, b in ((a, shapes[0]), (b, shapes[1])))
    row, (tp, fp) = r.hulls.row, r.hull_totals
    # Cells that are lost in the rounding of the totals make no corner.
    is_corner = np.append(True, ~r.hulls.is_followed | (np.diff(tp) + np.diff(fp) > 0))
    row, tp, fp = row[is_corner], tp[is_corner], fp[is_corner]
    # Along the hull the best cut changes where c is the share of positives between two corners.
    turns = np.where(row[1:] == row[:-1], divide(np.diff(tp), np.diff(tp) + np.diff(fp)), np.nan)
    low, high = (np.nan_to_num(np.append(turns, 0.0)), np.nan_to_num(np.append(1.0, turns), nan=1.0))
    by_corner = _integrate_loss(n_pos[row] - tp, fp, low, high, alpha[row], beta[row])
    model = np.bincount(row, weights=by_corner, minlength=len(share))
    nobody = _integrate_loss(n_pos, 0.0, share, 1.0, alpha, beta)
    everybody = _integrate_loss(0.0, n_neg, 0.0, share, alpha, beta)
    value = np.clip(1 - divide(model, nobody + everybody), 0.0, 1.0)  # rounding may go a little beyond
    return np.where((n_pos > 0) & (n_neg > 0), value, np.nan).reshape(r.pos.shape[:-1])[()]


def _get_prior_shapes(prior: str, prevalence: Array) -> tuple[Any, Any]:
    """Return the shapes of a prior by its name."""
    if prior == "symmetric":
        return 2.0, 2.0
    if prior == "severity":
        return 2.0, divide(1.0, prevalence)  # 1 + N/P
    return 1 + prevalence, 2 - prevalence


def _integrate_loss(missed: Numbers, false: Numbers, low: Numbers, high: Numbers, a: Array, b: Array) -> Array:
    """Return the loss of a cut, c FP + (1 - c) FN, integrated over the c from low to high, which are Beta(a, b)."""
    from scipy.special import betainc

    by_false = a / (a + b) * (betainc(a + 1, b, high) - betainc(a + 1, b, low))
    by_missed = b / (a + b) * (betainc(a, b + 1, high) - betainc(a, b + 1, low))
    return np.asarray(false * by_false + missed * by_missed)


# Statistics that several measures above share, computed in one pass if many measures are computed.
_find_smallest_cost.share(1.0, 1.0)
