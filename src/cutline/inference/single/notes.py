"""Notes on an estimate that do not depend on the method: the design, ties, bins, a class without cases."""

from __future__ import annotations

from cutline.core.validation import format_count
from cutline.inference.caveats import note_groups, warn_of_few_groups, warn_of_missing_class
from cutline.inference.quantities import Quantity
from cutline.inference.resampling.samplers import GroupSampler
from cutline.inference.single.estimand import Estimand
from cutline.measures.forms import MaximumOverCuts, find_best_cuts

_NAMED = 4  # thresholds that are equally good


def describe_design(groups: GroupSampler, how: str, quantity: Quantity) -> list[str]:
    """Return notes on the sampling design and its effective sample size; `how` says how groups are used."""
    notes: list[str] = []
    if not groups.are_single:
        notes += warn_of_few_groups(groups.freedom_of_classes) if quantity.is_of_one_cut else []
        notes.append(note_groups(groups.groups, how))
    if groups.has_weights:
        worth = groups.effective
        notes.append(
            f"{format_count(len(groups.cell), 'case')} with sampling weights count as {worth:.4g} in effect "
            "(design effect "
            f"of the weights: {len(groups.cell) / worth:.3g})."
        )
    if groups.stratum is not None:
        strata = "1 stratum" if groups.strata == 1 else f"{groups.strata} strata"
        notes.append(f"The variance is that within {strata}.")
    return notes


def find_caveats(estimand: Estimand) -> list[str]:
    """Return the notes on the interval of a measure that do not depend on the method."""
    bracket = [] if estimand.bracket is None else [estimand.bracket.statement]
    caveat = [estimand.measure.caveat] if estimand.measure is not None and estimand.measure.caveat else []
    return [
        *bracket,
        *caveat,
        *_note_missing_class(estimand),
        *_note_quota_inside_tie(estimand),
        *_note_tied_cuts(estimand),
    ]


def _note_missing_class(estimand: Estimand) -> list[str]:
    """Return a warning when a class has no case, unless the measure is a share of the other one."""
    r, measure = estimand.ranking, estimand.measure
    among = None if measure is None or measure.paired is None else measure.paired.among
    is_of_the_other = (among is True and not r.negatives) or (among is False and not r.positives)
    return [] if is_of_the_other else warn_of_missing_class(r)


def _note_tied_cuts(estimand: Estimand) -> list[str]:
    """Return a note if several cuts are equally good; `threshold_of` gives the first."""
    r = estimand.ranking
    if estimand.quantity is not Quantity.BEST_OF_CUTS or r.is_long:
        return []
    form = estimand.form_as(MaximumOverCuts)
    if form.of_all is None:
        return []
    best = find_best_cuts(form.of_all(r, **estimand.parameters))
    if len(best) < 2:
        return []
    named = [f"{float(threshold):.6g}" for threshold in r.thresholds[best[:_NAMED]]]
    some = f"{', '.join(named)}{', ...' if len(best) > _NAMED else ''}"
    return [f"{len(best)} cuts are equally good, with the thresholds {some}; threshold_of() gives the first of them."]


def _note_quota_inside_tie(estimand: Estimand) -> list[str]:
    """Return a note if a quota ends among cases of equal score."""
    if estimand.quota is None:
        return []
    r, quota = estimand.ranking, estimand.quota
    index, inside = r.cached(("place", quota), lambda: r.position(quota))
    if not 1e-9 < float(inside) < 1 - 1e-9:
        return []
    tied = float(r.size[int(index)])
    where = f"The quota ends inside a tie of {tied:.6g} cases"
    return [f"{where}: which of them are flagged is left to chance, and the value is the mean over their orders."]
