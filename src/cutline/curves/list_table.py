"""The list as a table, place by place: Berrar's Figures 2 and 8b, and Table 5 of Arbel and Rokach."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any

import numpy as np

from cutline.core import validation as door
from cutline.core.array_ops import Array
from cutline.core.errors import InputError, ParameterError, briefly
from cutline.core.ranking import Ranking
from cutline.core.table import Table, shown
from cutline.measures.combined import lift
from cutline.measures.kinds import MeanOfCases
from cutline.measures.probabilities import hinge_loss
from cutline.measures.quotas import hit_rate, pem, qrecall
from cutline.measures.rates import fpr, precision, recall

MOST_PLACES = 1_000_000
_AT_PLACES = {"tpr": recall, "fpr": fpr, "precision": precision, "lift": lift}


def list_table(r: Ranking, ids: Sequence[Any] | None = None, scores: Any = None) -> Table:
    """Return what every place of the list brings.

    Inside a tie all is an expectation over the orders of the tied cases.

    Args:
        r: The ranking.
        ids: The names of the cases; only where no scores are tied, as ties have no order.
        scores: The score of each named case, in the order of the names: a ranking knows no rows.
    """
    n = _places(r)
    named = names_from_the_top(r, ids, scores)
    place = np.arange(1.0, n + 1)
    counts = r.at_quota(place)
    random, best = place / n, np.asarray(qrecall.compute(_perfect(r), quota=place))
    recalls = np.asarray(qrecall.compute(r, quota=place), dtype=float)
    cell = np.repeat(np.arange(len(r)), r.size.astype(int))
    columns: dict[str, Any] = {
        "place": place.astype(int),
        **({} if named is None else {"id": named}),
        "score": r.score[cell],
        "class": _whole_numbers(r.share[cell]),
        "tp": _whole_numbers(counts.tp),
        "fp": _whole_numbers(counts.fp),
        **{name: m.compute(counts) for name, m in _AT_PLACES.items()},
        "gain": counts.tp - place * float(r.positives) / n,
        "hit_rate": hit_rate.compute(r, quota=place),
        "qrecall": recalls,
        "random_order": random,
        "optimal": best,
        "s1": np.maximum(recalls - random, 0.0),
        "s2": np.maximum(random - recalls, 0.0),
        "s3": best - random,
        **({} if r.are_probabilities else {"hinge": hinge_losses(r)[cell]}),
    }
    rows = zip(*(np.asarray(column).tolist() for column in columns.values()), strict=True)
    areas = ", ".join(f"{name.upper()} {shown(float(columns[name].sum()))}" for name in ("s1", "s2", "s3"))
    below = (f"Sums: {areas}; PEM = (S1 - S2) / S3 = {shown(float(pem.compute(r)))}",)
    return Table(tuple(columns), tuple(rows), below=below)


def _whole_numbers(column: Any) -> Array:
    """Return whole numbers where all are whole, which print as they are counted; inside ties there are expectations."""
    values = np.asarray(column, dtype=float)
    whole = values.astype(int)
    return whole if (values == whole).all() else values


def _places(r: Ranking) -> int:
    """Return how many places the list has; refused where it has none that can be told."""
    if not r.integral:
        raise InputError("The weights are not whole numbers, so the list has no places", "pass unweighted cases")
    if not r.positives:
        raise InputError("There is no positive case to find", "pass cases of both classes")
    n = int(r.total)
    if n > MOST_PLACES:
        raise InputError(f"The list has {n} places, and a table at most {MOST_PLACES}", "ask for a curve, such as gain")
    return n


def names_from_the_top(r: Ranking, ids: Any, scores: Any) -> list[Any] | None:
    """Return the names of the cases in the order of the list, found by their scores.

    Args:
        r: The ranking.
        ids: The names of the cases; None for no names.
        scores: The score of each named case, in the order of the names.
    """
    if ids is None:
        if scores is not None:
            raise ParameterError("are for the names of the cases", "pass ids too", argument="scores")
        return None
    if isinstance(ids, str | Mapping | Set) or not hasattr(ids, "__len__") or door.is_single(ids):
        raise ParameterError(f"is {briefly(ids)}", "pass a list with a name for each case", argument="ids")
    if scores is None:
        problem = "names cases, but not where they stand in the list"
        raise ParameterError(problem, "pass scores too, the score of each named case", argument="ids")
    door.check_one_order({"ids": ids, "scores": scores})
    scores_of_ids = door.scores(scores).astype(float)
    if len(ids) != len(scores_of_ids):
        raise ParameterError(
            f"has {len(ids)} names for {len(scores_of_ids)} scores", "pass one for each", argument="ids"
        )
    order = np.argsort(-scores_of_ids, kind="stable")
    if not np.array_equal(scores_of_ids[order], np.repeat(r.score.astype(float), r.size.astype(int))):
        raise ParameterError("are not those of this list", "pass the scores that were evaluated", argument="scores")
    if len(r) < len(scores_of_ids):
        raise ParameterError("names tied cases, which have no order", "leave it out", argument="ids")
    names = list(ids)
    return [names[i] for i in order]


def _perfect(r: Ranking) -> Ranking:
    from cutline.curves.curve_type import perfect

    return perfect(r)


def hinge_losses(r: Ranking) -> Array:
    """Return the mean hinge loss of the cases of each distinct score, which is taken for a signed distance."""
    kind = hinge_loss.kind
    assert isinstance(kind, MeanOfCases)  # noqa: S101
    of_positives, of_negatives = kind.of(r)
    return np.asarray(r.share * of_positives + (1 - r.share) * of_negatives)
