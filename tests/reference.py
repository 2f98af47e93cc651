"""Slow and obvious second definitions, straight from the papers, to hold the fast ones against.

They work on plain lists with one entry for each case (a weight is a repeated entry) and calculate with fractions, so
what they return is exact. `t` is the list of the places: the share of positives among the cases that may stand at each.
"""

import itertools
import math
from fractions import Fraction
from typing import NamedTuple

from cutline import MEASURES
from cutline.measures import Needs


class Table(NamedTuple):
    """Counts of one cut."""

    tp: int
    fp: int
    fn: int
    tn: int


# ---------------------------------------------------------------------- lists, places and cuts


def blocks(labels, scores):
    """Return the labels of each tie, the highest score first."""
    return [
        [y for y, s in zip(labels, scores, strict=True) if s == score] for score in sorted(set(scores), reverse=True)
    ]


def places(labels, scores):
    """Return the share of positives t[k] = m2 / m1 at each position of the list (Arbel & Rokach, eq. 5)."""
    return [Fraction(sum(block), len(block)) for block in blocks(labels, scores) for _ in block]


def orders(labels, scores):
    """Return every list of labels that breaking the ties can give, all with the same frequency."""
    choices = [sorted(set(itertools.permutations(block))) for block in blocks(labels, scores)]
    return [list(itertools.chain(*choice)) for choice in itertools.product(*choices)]


def mean_over_orders(function, labels, scores):
    """Average a function of an untied list of labels over all orders of the ties."""
    every = orders(labels, scores)
    return sum(function(order) for order in every) / len(every)


def cuts(labels, scores):
    """Count the cases at or above each distinct score, from the cut that flags no case on."""
    tables = [Table(0, 0, sum(labels), len(labels) - sum(labels))]
    for threshold in sorted(set(scores), reverse=True):
        flagged = [y for y, s in zip(labels, scores, strict=True) if s >= threshold]
        rest = [y for y, s in zip(labels, scores, strict=True) if s < threshold]
        tables.append(Table(sum(flagged), len(flagged) - sum(flagged), sum(rest), len(rest) - sum(rest)))
    return tables


def roc(labels, scores):
    """Return the points (FPR, TPR) of all cuts."""
    return [(Fraction(c.fp, c.fp + c.tn), Fraction(c.tp, c.tp + c.fn)) for c in cuts(labels, scores)]


def precision_recall(labels, scores):
    """Return the points (recall, precision) of all cuts; precision is 0 if none is flagged (Berrar, Definition 32)."""
    return [
        (Fraction(c.tp, c.tp + c.fn), Fraction(c.tp, c.tp + c.fp) if c.tp + c.fp else Fraction(0))
        for c in cuts(labels, scores)
    ]


def trapezoids(points):
    """Return the area under straight lines through the points."""
    return sum((x1 - x0) * (y0 + y1) / 2 for (x0, y0), (x1, y1) in itertools.pairwise(points))


# ---------------------------------------------------------------------- pairs


def concordant_pairs(labels, scores):
    return _share_of_pairs(labels, scores, lambda positive, negative: positive > negative)


def tied_pairs(labels, scores):
    return _share_of_pairs(labels, scores, lambda positive, negative: positive == negative)


def _share_of_pairs(labels, scores, holds):
    positives = [s for y, s in zip(labels, scores, strict=True) if y]
    negatives = [s for y, s in zip(labels, scores, strict=True) if not y]
    return Fraction(sum(holds(p, n) for p in positives for n in negatives), len(positives) * len(negatives))


def auc(labels, scores):
    """Return the share of pairs in the right order, a tie counting one half."""
    return concordant_pairs(labels, scores) + tied_pairs(labels, scores) / 2


def auc_by_ranks(labels, scores):
    """Berrar, eq. 32: from the ranks of the negatives, 1 being the highest score; tied cases share their mean rank."""
    n_neg = len(labels) - sum(labels)
    ranks = sum(
        sum(other > s for other in scores) + Fraction(sum(other == s for other in scores) + 1, 2)
        for y, s in zip(labels, scores, strict=True)
        if not y
    )
    return (ranks - Fraction(n_neg * (n_neg + 1), 2)) / (n_neg * sum(labels))


# ---------------------------------------------------------------------- averages over the places


def hit_rate(t, j):
    return Fraction(sum(t[:j])) / j


def qrecall(t, j):
    return Fraction(sum(t[:j])) / sum(t)


def gain(t):
    """Berrar, eq. 29: positives found less those that guessing finds, averaged over all lengths of the list."""
    n, prevalence = len(t), Fraction(sum(t)) / len(t)
    return sum(sum(t[:j]) - prevalence * j for j in range(1, n + 1)) / n


def mean_precision(t):
    return sum(hit_rate(t, j) for j in range(1, len(t) + 1)) / len(t)


def average_lift(t):
    """Berrar, eq. 30."""
    prevalence = Fraction(sum(t)) / len(t)
    return sum(hit_rate(t, j) / prevalence for j in range(1, len(t) + 1)) / len(t)


def taks(t):
    """Berrar, eq. 36: TPR - FPR at every threshold but the first and the last, averaged."""
    n, n_pos = len(t), sum(t)
    gaps = [Fraction(sum(t[:j])) / n_pos - Fraction(j - sum(t[:j])) / (n - n_pos) for j in range(1, n)]
    return sum(gaps) / (n - 1)


def average_hit_rate(t):
    """Arbel & Rokach, eq. 12."""
    return sum(t[j - 1] * hit_rate(t, j) for j in range(1, len(t) + 1)) / sum(t)


def average_qrecall(t):
    """Arbel & Rokach, eq. 13."""
    n, n_pos = len(t), int(sum(t))
    return sum(qrecall(t, j) for j in range(n_pos, n + 1)) / (n - (n_pos - 1))


def pem_areas(t):
    """Arbel & Rokach, Table 5: the columns S1, S2 and S3, summed."""
    n, n_pos = len(t), int(sum(t))
    s1 = s2 = s3 = Fraction(0)
    for j in range(1, n + 1):
        random, best = Fraction(j, n), Fraction(min(j, n_pos), n_pos)
        s1 += max(qrecall(t, j) - random, 0)
        s2 += max(random - qrecall(t, j), 0)
        s3 += best - random
    return s1, s2, s3


def pem(t):
    """Arbel & Rokach, eq. 14."""
    s1, s2, s3 = pem_areas(t)
    return (s1 - s2) / s3


def rie(t, alpha):
    """Exponential weight of the positives' places, over that of random places."""
    n = len(t)
    weights = [math.exp(-alpha * k / n) for k in range(1, n + 1)]
    return math.fsum(float(x) * w for x, w in zip(t, weights, strict=True)) / float(sum(t)) / (math.fsum(weights) / n)


def pearson(t, p):
    """Arbel & Rokach, eq. 8-11, with the scores p and the shares t of the same places."""
    n = len(t)
    p = [Fraction(x) for x in p]
    mean_p, mean_t = sum(p) / n, Fraction(sum(t)) / n
    covariance = sum((a - mean_p) * (b - mean_t) for a, b in zip(p, t, strict=True)) / n
    variance_p, variance_t = (sum((a - m) ** 2 for a in x) / n for x, m in ((p, mean_p), (t, mean_t)))
    return float(covariance) / math.sqrt(variance_p * variance_t)


# ---------------------------------------------------------------------- one walk along the distinct scores


def ks(labels, scores):
    return max(abs(tpr - fpr) for fpr, tpr in roc(labels, scores))


def max_youden_j(labels, scores):
    return max(tpr - fpr for fpr, tpr in roc(labels, scores))


def eer(labels, scores):
    """Where the ROC curve, straight between its points, crosses FPR = 1 - TPR."""
    for (x0, y0), (x1, y1) in itertools.pairwise(roc(labels, scores)):
        before, after = x0 + y0 - 1, x1 + y1 - 1
        if before < 0 <= after:
            return x0 + (x1 - x0) * -before / (after - before)
    raise AssertionError("the curve runs from (0, 0) to (1, 1), so it crosses")


def hull(labels, scores):
    """Return the points of the ROC curve above every chord that joins an earlier and a later point."""
    points = sorted(set(roc(labels, scores)))

    def below_a_chord(k):
        x, y = points[k]
        return any(
            (y - y0) * (x1 - x0) <= (y1 - y0) * (x - x0)
            for (x0, y0), (x1, y1) in itertools.product(points[:k], points[k + 1 :])
        )

    return [point for k, point in enumerate(points) if not below_a_chord(k)]


def auch(labels, scores):
    return trapezoids(hull(labels, scores))


def average_precision(labels, scores):
    """Berrar, eq. 38, at the distinct scores."""
    points = precision_recall(labels, scores)
    return sum((r1 - r0) * p1 for (r0, _), (r1, p1) in itertools.pairwise(points))


def aucpr(labels, scores, left, right):
    """Berrar, eq. 39-41: trapezoids between neighbouring recalls, read at their lowest or highest precision."""
    at = {}
    for recall, precision in precision_recall(labels, scores):
        at.setdefault(recall, []).append(precision)
    return sum((r1 - r0) * (left(at[r0]) + right(at[r1])) / 2 for r0, r1 in itertools.pairwise(sorted(at)))


def area_up_to(labels, scores, fpr):
    """Return the area under the ROC curve, straight between its points, up to a false positive rate."""
    area = Fraction(0)
    for (x0, y0), (x1, y1) in itertools.pairwise(roc(labels, scores)):
        end = min(x1, fpr)
        if end > x0:
            area += (end - x0) * (2 * y0 + (y1 - y0) * (end - x0) / (x1 - x0)) / 2
    return area


# ---------------------------------------------------------------------- not slow: all that cutline says of a ranking


def every_measure(ranking):
    """Compute every measure of a ranking of probabilities, by name; a measure of one cut at every cut."""
    found = {}
    for m in MEASURES:
        parameters = {name: m.parameters[name].example for name in m.required}
        if "quota" in parameters:
            parameters["quota"] = 2
        if m.name == "roc_n":
            parameters["n"] = 1
        if m.name == "net_benefit":
            parameters["risk"] = 0.2
        found[m.name] = m(ranking.counts if m.needs is Needs.COUNTS else ranking, **parameters)
    return found
