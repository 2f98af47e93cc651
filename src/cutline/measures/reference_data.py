"""Data sets of a perfect model and of a score without information, which the reference values describe."""

from __future__ import annotations

import math

from cutline.core.counts import Counts, TrustedCounts
from cutline.core.ranking import Ranking
from cutline.measures.measure_type import Needs
from cutline.measures.metadata import Context


def perfect_data(needs: Needs, s: Context) -> Counts | Ranking:
    """Return the data of a perfect model: every positive flagged and no negative, or scores that are the labels."""
    positives, negatives = _sizes(s)
    if needs is Needs.COUNTS:
        return Counts(tp=positives, fp=0, fn=0, tn=negatives, threshold=s.threshold)
    return Ranking.of_counts([1.0, 0.0 if needs is not Needs.MARGINS else -1.0], [positives, 0], [0, negatives])


def baseline_data(needs: Needs, s: Context) -> Counts | Ranking:
    """Return what a score without information is: flags whatever the class, or one score for all."""
    if needs is Needs.COUNTS:  # of numbers or of symbols
        positives, negatives, flagged = s.n * s.prevalence, s.n * (1 - s.prevalence), s.flagged
        table = (positives * flagged, negatives * flagged, positives * (1 - flagged), negatives * (1 - flagged))
        return TrustedCounts(*table, threshold=s.threshold)
    positives, negatives = _sizes(s)
    score = s.prevalence if needs is Needs.PROBABILITIES else 0.0
    return Ranking.of_counts([score], [positives], [negatives])


def _sizes(s: Context) -> tuple[float, float]:
    """Return the sizes of the classes, whole where they are up to rounding."""
    positives = s.n * s.prevalence
    whole = round(positives)
    positives = float(whole) if math.isclose(positives, whole, rel_tol=1e-9, abs_tol=1e-9) else positives
    return positives, s.n - positives
