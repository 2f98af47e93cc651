"""What a page needs to show promises beside an adjustable threshold, without computing anything itself.

For some cuts of a ranking: the bounds that hold at every cut at once, which may stand beside a threshold that people
drag, and those of single cuts, with which a requirement that was fixed beforehand is looked up. A requirement is met
where its bound is, so that a page finds the cut of `choose_cut` by comparing numbers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from cutline.core.checks import LEVEL
from cutline.core.counts import divide
from cutline.core.ranking import Array, Ranking
from cutline.cuts.guarantees import lower_bounds, simultaneous_bounds, upper_bounds

BANDS = 3  # recall, false positive rate and prevalence, which are independent pieces of the data


def can_promise(r: Ranking, *, grouped: bool) -> bool:
    """Whether promises can be made of a ranking: exact scores of independent cases of both classes that count alike."""
    alike = r.integral and r.pos2.sum() == r.pos.sum() and r.neg2.sum() == r.neg.sum()
    return bool(alike and r.exact and not grouped and r.positives and r.negatives)


def promised_bounds(r: Ranking, cuts: Any, *, confidence: float = LEVEL) -> dict[str, list[float]]:
    """The bounds at some cuts, by name.

    `recall_low`, `fpr_high` and `precision_low` hold at every cut and all at once. `recall_fixed` and `fpr_fixed` hold
    for a requirement that was fixed before looking, `share_fixed` for a cap on the share flagged.

    Args:
        r: The ranking, of which `can_promise` is true.
        cuts: The positions of the cuts, the one that flags nobody being 0.
        confidence: The confidence of the promises.

    >>> r = Ranking.of_counts([2, 1], [90, 10], [20, 80])
    >>> found = promised_bounds(r, [1])
    >>> round(found["recall_low"][0], 3), round(found["recall_fixed"][0], 3)
    (0.771, 0.836)
    """
    places = np.asarray(cuts, dtype=np.intp)
    missed, false, flagged = ((r.tp[-1] - r.tp)[places], r.fp[places], r.ends[places])
    positives, negatives, total = int(r.positives), int(r.negatives), int(r.total)
    part = confidence ** (1 / BANDS)
    recall_low = 1 - simultaneous_bounds(positives, part)[missed]
    fpr_high = simultaneous_bounds(negatives, part)[false]
    p = float(lower_bounds(positives, total, part))
    found: dict[str, Array] = {
        "recall_low": recall_low,
        "fpr_high": fpr_high,
        "precision_low": np.nan_to_num(divide(p * recall_low, p * recall_low + (1 - p) * fpr_high)),
        "recall_fixed": 1 - upper_bounds(missed, positives, confidence),
        "fpr_fixed": upper_bounds(false, negatives, confidence),
        "share_fixed": upper_bounds(flagged, total, confidence),
    }
    return {name: values.tolist() for name, values in found.items()}
