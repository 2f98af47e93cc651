"""The ranking as a table: the distinct scores from the top, and what a cut below each of them does."""

from __future__ import annotations

from typing import Any

import numpy as np

from cutline.core.counts import TrustedCounts, written
from cutline.core.ranking import Array, Ranking
from cutline.core.table import shown
from cutline.measures import MEASURES
from cutline.report.opening import grouped

MOST = 50  # rows; of a longer list the first ones, and others at equal distances
FIRST = 20
COLUMNS = (
    "Score", "Positives here", "Negatives here",
    "Flagged", "Found", "False alarms", "Recall", "False positive rate", "Precision",
)  # fmt: skip


def ranking_table(r: Ranking, name: str) -> dict[str, Any]:
    """The rows of the table, and in words which of all they are."""
    index = chosen(np.asarray(r.ends[1:], float))
    tp, fp = r.tp[index + 1], r.fp[index + 1]
    table = TrustedCounts(tp, fp, r.positives - tp, r.negatives - fp)
    shares = [MEASURES[name].compute(table) for name in ("recall", "fpr", "precision")]
    counts = (r.pos[index], r.neg[index], table.flagged, tp, fp)
    cells = (
        [_score(score) for score in r.score[index].tolist()],
        *([grouped(count) for count in column.tolist()] for column in counts),
        *([shown(float(share)) for share in column.tolist()] for column in shares),
    )
    which = (
        f"All {len(r)} distinct scores"
        if len(index) == len(r)
        else f"{len(index)} of {grouped(len(r))} distinct scores: the first {FIRST}, then others evenly spread"
    )
    return {"name": name, "which": which, "rows": list(zip(*cells, strict=True))}


def chosen(ends: Array) -> Array:
    """Which scores stand in the table, by their places, from how many cases have that score or a better one."""
    if len(ends) <= MOST:
        return np.arange(len(ends))
    places = np.linspace(ends[FIRST - 1], ends[-1], MOST - FIRST + 1)
    return np.unique(np.concatenate((np.arange(FIRST), np.searchsorted(ends, places))).clip(0, len(ends) - 1))


def _score(score: float) -> str:
    return written(score) if np.isfinite(score) else "∞" if score > 0 else "\N{MINUS SIGN}∞"
