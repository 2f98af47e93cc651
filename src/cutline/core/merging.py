"""Exact merging of rankings of chunks, partitions, machines or days: the cells of one score add up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.binned_ranking import find_clusters, rank_bins
from cutline.core.errors import Argument, InputError, Text
from cutline.core.ranking import Ranking


def merge(rankings: Iterable[Ranking]) -> Ranking:
    """Return the ranking of all the cases of several rankings; exact, because cells of one score add up."""
    parts = list(rankings)
    if not parts:
        raise InputError("There are no rankings to merge", "pass at least one")
    first = parts[0]
    _check_alike(parts)
    if any(part.reach is not None for part in parts):
        return _merge_bins(parts)
    score = np.concatenate([part.score for part in parts])
    order = np.argsort(-score if first.higher_is_positive else score, kind="stable")  # sorted runs: a linear merge
    score = score[order]
    starts = np.flatnonzero(np.concatenate(([True], score[1:] != score[:-1])))

    def column(name: str) -> Array:
        cells = np.concatenate([getattr(part, name) for part in parts], axis=-1)[..., order]
        return np.add.reduceat(cells, starts, axis=-1)

    pos, neg = column("pos"), column("neg")
    is_unweighted = all(part.is_unweighted for part in parts)
    squares = (pos, neg) if is_unweighted else (column("pos2"), column("neg2"))
    return Ranking(
        score[starts],
        pos,
        neg,
        *squares,
        higher_is_positive=first.higher_is_positive,
        positive=first.positive,
        negative=_find_common_negative(parts),
        dropped=sum(part.dropped for part in parts),
        exact=all(part.exact for part in parts),
        read_as=" ".join(dict.fromkeys(part.read_as for part in parts if part.read_as)),
    )


def _find_common_negative(parts: Sequence[Ranking]) -> Any:
    """Return the label of the negatives that all parts share; parts without one do not count.

    Args:
        parts: Rankings with the same positive label.
    """
    known = [part.negative for part in parts if part.negative is not None]
    return known[0] if known and all(label == known[0] for label in known) else None


def _merge_bins(parts: Sequence[Ranking]) -> Ranking:
    """Return the ranking of the cases of several rankings, some of them binned: bins that overlap become one.

    What becomes one is the same in any order of the parts. The bins of one grid are nested or apart, so that the
    coarser one is the result; others may cost more.
    """
    first = parts[0]
    ends = [part.reach or (part.score, part.score) for part in parts]
    first_ends, second_ends = (np.concatenate([pair[side] for pair in ends]) for side in (0, 1))
    top, bottom = np.maximum(first_ends, second_ends), np.minimum(first_ends, second_ends)
    order = np.lexsort((-bottom, -top))
    top, bottom = top[order], bottom[order]
    starts, lowest = find_clusters(top, bottom)

    def column(name: str) -> Array:
        return np.add.reduceat(np.concatenate([getattr(part, name) for part in parts])[order], starts)

    is_unweighted = all(part.is_unweighted for part in parts)
    squares = (None, None) if is_unweighted else (column("pos2"), column("neg2"))
    return rank_bins(
        top[starts],
        lowest,
        column("pos"),
        column("neg"),
        *squares,
        higher_is_positive=first.higher_is_positive,
        positive=first.positive,
        negative=_find_common_negative(parts),
        dropped=sum(part.dropped for part in parts),
    )


def subtract_ranking(whole: Ranking, part: Ranking) -> Ranking | None:
    """Return the ranking of the cases that are not among some of them; None where counts do not subtract exactly.

    Args:
        whole: The ranking of all cases.
        part: That of some of them.
    """
    if not all(ranking.integral and ranking.exact and ranking.pos.ndim == 1 for ranking in (whole, part)):
        return None
    sign = -1 if whole.higher_is_positive else 1
    at = np.searchsorted(sign * whole.score, sign * part.score)

    def column(name: str) -> Array:
        cells: Array = getattr(whole, name).copy()
        cells[at] -= getattr(part, name)
        return cells

    pos, neg = column("pos"), column("neg")
    left = pos + neg > 0
    is_unweighted = whole.is_unweighted and part.is_unweighted
    pos2, neg2 = (pos, neg) if is_unweighted else (column("pos2"), column("neg2"))
    pos, neg, score = pos[left], neg[left], whole.score[left]
    squares = (pos, neg) if is_unweighted else (pos2[left], neg2[left])
    dropped = whole.dropped - part.dropped
    return replace(whole, score=score, pos=pos, neg=neg, pos2=squares[0], neg2=squares[1], dropped=dropped)


def _check_alike(parts: list[Ranking]) -> None:
    """Raise if rankings cannot be added up."""
    first = parts[0]
    for part in parts[1:]:
        if part.higher_is_positive != first.higher_is_positive:
            raise InputError(
                "These rankings run in opposite directions",
                Text("build both with the same ", Argument("higher_is_positive")),
            )
        if part.positive != first.positive:
            raise InputError(
                f"These rankings have different positive labels, {first.positive!r} and {part.positive!r}",
                Text("build both with the same ", Argument("positive")),
            )
