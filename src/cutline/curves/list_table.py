"""The list as a table, place by place: Berrar's Figures 2 and 8b, and Table 5 of Arbel and Rokach."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cutline.core.columns import is_single
from cutline.core.errors import InputError, ParameterError, briefly
from cutline.core.ranking import Array, Ranking
from cutline.core.table import Table, shown
from cutline.measures.combined import lift
from cutline.measures.kinds import MeanOfCases
from cutline.measures.probabilities import hinge_loss
from cutline.measures.quotas import hit_rate, pem, qrecall
from cutline.measures.rates import fpr, precision, recall

MOST_PLACES = 1_000_000
_AT_PLACES = {"tpr": recall, "fpr": fpr, "precision": precision, "lift": lift}


def list_table(r: Ranking, ids: Sequence[Any] | None = None) -> Table:
    """What every place of the list brings.

    Inside a tie all is an expectation over the orders of the tied cases.

    Args:
        r: The ranking.
        ids: The names of the cases from the top of the list; only where no scores are tied, as ties have no order.
    """
    n = _places(r, ids)
    place = np.arange(1.0, n + 1)
    counts = r.at_quota(place)
    random, best = place / n, np.asarray(qrecall.compute(_perfect(r), quota=place))
    found = np.asarray(qrecall.compute(r, quota=place), dtype=float)
    cell = np.repeat(np.arange(len(r)), r.size.astype(int))
    columns: dict[str, Any] = {
        "place": place.astype(int),
        **({} if ids is None else {"id": list(ids)}),
        "score": r.score[cell],
        "class": r.share[cell],
        "tp": counts.tp,
        "fp": counts.fp,
        **{name: m.compute(counts) for name, m in _AT_PLACES.items()},
        "gain": counts.tp - place * float(r.positives) / n,
        "hit_rate": hit_rate.compute(r, quota=place),
        "qrecall": found,
        "random_order": random,
        "optimal": best,
        "s1": np.maximum(found - random, 0.0),
        "s2": np.maximum(random - found, 0.0),
        "s3": best - random,
        **({} if r.are_probabilities else {"hinge": _hinge(r)[cell]}),
    }
    rows = zip(*(np.asarray(column).tolist() for column in columns.values()), strict=True)
    areas = ", ".join(f"{name.upper()} {shown(float(columns[name].sum()))}" for name in ("s1", "s2", "s3"))
    below = (f"Sums: {areas}; PEM = (S1 - S2) / S3 = {shown(float(pem.compute(r)))}",)
    return Table(tuple(columns), tuple(rows), below=below)


def _places(r: Ranking, ids: Sequence[Any] | None) -> int:
    """How many places the list has; refused where it has none that can be told."""
    if not r.integral:
        raise InputError("The weights are not whole numbers, so the list has no places", "pass unweighted cases")
    if not r.positives:
        raise InputError("There is no positive case to find", "pass cases of both classes")
    if ids is not None and (isinstance(ids, str) or not hasattr(ids, "__len__") or is_single(ids)):
        raise ParameterError(f"is {briefly(ids)}", "pass a list with a name for each place", argument="ids")
    n = int(r.total)
    if n > MOST_PLACES:
        raise InputError(f"The list has {n} places, and a table at most {MOST_PLACES}", "ask for a curve, such as gain")
    if ids is not None and len(ids) != n:
        raise ParameterError(f"has {len(ids)} names for {n} places", "pass one for each, from the top", argument="ids")
    if ids is not None and len(r) < n:
        raise ParameterError("names tied cases, which have no order", "leave it out", argument="ids")
    return n


def _perfect(r: Ranking) -> Ranking:
    from cutline.curves.curve_type import perfect

    return perfect(r)


def _hinge(r: Ranking) -> Array:
    """The mean hinge loss of the cases of each distinct score, which is taken for a signed distance."""
    kind = hinge_loss.kind
    assert isinstance(kind, MeanOfCases)  # noqa: S101
    of_positives, of_negatives = kind.of(r)
    return np.asarray(r.share * of_positives + (1 - r.share) * of_negatives)
