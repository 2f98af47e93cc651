"""How hit rate and Qrecall behave along a list: Table 4 of Arbel and Rokach, computed on a list instead of stated."""

from __future__ import annotations

import numpy as np

from cutline.core.errors import InputError
from cutline.core.ranking import Array, Ranking
from cutline.core.table import Table, shown
from cutline.measures import Measure
from cutline.measures.quotas import hit_rate, qrecall


def quota_properties(r: Ranking) -> Table:
    """Return what hit rate and Qrecall do on this list: along it, at its end, and when a case changes places.

    >>> from cutline import rank
    >>> found = quota_properties(rank([1, 0, 1, 1, 0, 0, 1, 0, 0, 0], range(10, 0, -1)))
    >>> [row["qrecall"] for row in found][:3]
    ['never falls', '1.0000', '0.0250 at the top, 0.0250 at the end']

    Args:
        r: A ranking of untied, unweighted cases.
    """
    if len(r) < r.total or not r.negatives or not r.positives:
        raise InputError("The list has ties, or one class only", "pass untied cases of both classes")
    properties = {measure.name: _properties_of(measure, r.share) for measure in (hit_rate, qrecall)}
    parts = (
        "along the list",
        "at its end",
        "mean over all quotas, when a positive moves up by one place",
        "when a negative is next",
        "range",
    )
    return Table(("property", *properties), tuple(zip(parts, *properties.values(), strict=True)))


def _properties_of(measure: Measure, labels: Array) -> tuple[str, ...]:
    value = _along(measure, labels)
    steps = np.diff(value)
    course = "never falls" if (steps >= 0).all() else ("never rises" if (steps <= 0).all() else "rises and falls")
    after_negative = steps[labels[1:] == 0]
    effect = "falls" if (after_negative < 0).any() else ("stays" if (after_negative == 0).all() else "rises")
    top, end = (shown(_gain_of_move(measure, labels, place)) for place in (1, len(labels) - 1))
    low, high = measure.range
    return course, shown(float(value[-1])), f"{top} at the top, {end} at the end", effect, f"{low:g} to {high:g}"


def _along(measure: Measure, labels: Array) -> Array:
    """Return the measure at every place of a list of classes."""
    n = len(labels)
    ranking = Ranking.of_counts(np.arange(n, 0, -1.0), labels, 1 - labels)
    return np.asarray(measure.compute(ranking, quota=np.arange(1.0, n + 1)), dtype=float)


def _gain_of_move(measure: Measure, labels: Array, place: int) -> float:
    """Return the growth of the mean over all quotas when a positive moves up one position."""
    others = np.delete(labels, [place - 1, place])
    if others.sum() == labels.sum():  # both places had negatives: another positive gives way
        others[np.flatnonzero(others)[0]] = 0.0
    elif others.sum() == labels.sum() - 2:  # both had positives: one of them goes elsewhere
        others[np.flatnonzero(others == 0)[0]] = 1.0
    above, below = (np.insert(others, place - 1, pair) for pair in ([1.0, 0.0], [0.0, 1.0]))
    return float(np.mean(_along(measure, above) - _along(measure, below)))
