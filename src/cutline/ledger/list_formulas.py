"""Formulas of measures of the order and of quotas: areas, first points, distances, means of groups, shares."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from cutline.core.array_ops import Array
from cutline.ledger.cases import Material
from cutline.ledger.convention import Formula, formula, other, with_parameters
from cutline.ledger.quantity import PrintedQuantity

# ---------------------------------------------------------------------- areas under the precision-recall curve


def _list_points(material: Material) -> tuple[Array, Array]:
    """Return recall and precision at every cut that flags a case."""
    r = material.ranking
    return r.tpr[1:], r.precision[1:]


def make_trapezoid(first: float | None) -> Formula:
    """Return the area by the trapezoid rule from recall 0, where precision is `first`, or the precision of the first
    cut.
    """

    def act(material: Material, _: PrintedQuantity) -> float:
        recall, precision = _list_points(material)
        start = precision[0] if first is None else first
        return float(np.trapezoid(np.append(start, precision), np.append(0.0, recall)))

    return act


def without_start(material: Material, _: PrintedQuantity) -> float:
    """Return the area by the trapezoid rule from the first cut on: what lies before it is left out."""
    recall, precision = _list_points(material)
    return float(np.trapezoid(precision, recall))


def interpolate_precision(material: Material, _: PrintedQuantity) -> float:
    """Return the area under the highest precision at this recall or a higher one."""
    recall, precision = _list_points(material)
    best = np.maximum.accumulate(precision[::-1])[::-1]
    return float(np.sum(np.diff(np.append(0.0, recall)) * best))


def make_mean_of_levels(levels: int) -> Formula:
    """Return the mean over levels of recall of the highest precision at that recall or a higher one."""

    def act(material: Material, _: PrintedQuantity) -> float:
        recall, precision = _list_points(material)
        best = np.append(np.maximum.accumulate(precision[::-1])[::-1], 0.0)
        at = np.searchsorted(recall, np.linspace(0, 1, levels) - 1e-12)
        return float(best[at].mean())

    return act


def move_points(material: Material, _: PrintedQuantity) -> float:
    """Return the trapezoid rule over points between the cuts, one for each positive, that do not stand where they
    belong.

    Of cuts of one recall the first counts. Where two positives or more lie between neighbours, the points between them
    are put into the list as if none had been put in before, so that the area is counted forth and back.
    """
    r = material.ranking
    if not r.integral:
        return math.nan
    tp, first = np.unique(r.tp, return_index=True)
    fp = r.fp[first]
    waiting = deque(zip((tp / tp[-1]).tolist(), np.append(1.0, tp[1:] / (tp[1:] + fp[1:])).tolist(), strict=True))
    line = []
    for at, gap in enumerate(np.diff(tp).tolist()):
        line.append(waiting.popleft())
        if gap > 2:
            x = np.arange(1, gap + 1)
            recalls = tp[at] + x
            precision = recalls / (recalls + fp[at] + (fp[at + 1] - fp[at]) / gap * x)
            waiting.extendleft(reversed(list(zip((recalls / tp[-1]).tolist(), precision.tolist(), strict=True))))
    recall, precision = np.array([*line, *waiting]).T
    return float(np.trapezoid(precision, recall))


def rescale_above_prevalence(material: Material, q: PrintedQuantity) -> float:
    """Average precision on the scale where the baseline is 0."""
    share = float(material.ranking.positives / material.ranking.total)
    return (q.value(material, "average_precision") - share) / (1 - share) if share < 1 else math.nan


def pool_columns(measure: str) -> Formula:
    """Return both columns of probabilities as one list: each case once as itself, once as the other class."""

    def act(material: Material, q: PrintedQuantity) -> float:
        rows = material.rows
        two = replace(
            rows,
            is_positive=np.concatenate((rows.is_positive, ~rows.is_positive)),
            scores=np.concatenate((rows.scores, 1 - rows.scores)),
            weights=None if rows.weights is None else np.tile(rows.weights, 2),
            other=None,
            groups=None,
        )
        return q.value(Material.of_rows(two, material.threshold), measure)

    return act


def make_grid_area(count: int) -> Formula:
    """Return the area over a grid of thresholds from 0 to 1, without the part before what the threshold 1 flags."""

    def act(material: Material, _: PrintedQuantity) -> float:
        r = material.ranking
        at = np.linspace(0, 1, count)[::-1]
        cut = np.searchsorted(-r.score, -at, side="right")
        return float(np.trapezoid(r.tpr[cut], r.fpr[cut]))

    return act


def integrate_over_logarithm(material: Material, _: PrintedQuantity) -> float:
    """Return the mean recall over the logarithm of the false positive rate, from 0.001 to 0.1."""
    r, ends = material.ranking, np.array([0.001, 0.1])
    x = np.sort(np.append(r.fpr, ends))
    y = np.sort(np.append(r.tpr, np.interp(ends, r.fpr, r.tpr)))
    first, last = (int(np.flatnonzero(x == end)[-1]) for end in ends)
    return float(np.trapezoid(y[first : last + 1], np.log10(x[first : last + 1]))) / 2


def count_concordant(material: Material, q: PrintedQuantity) -> float:
    """Return the number of pairs in the right order, ties counting half: Mann and Whitney's U."""
    return q.value(material) * float(material.ranking.positives) * float(material.ranking.negatives)


def kendall_tau(material: Material, q: PrintedQuantity) -> float:
    """Return Kendall's tau-b of scores and labels."""
    r = material.ranking
    if not r.integral:
        return math.nan
    n, size = float(r.total), r.size.astype(float)
    pairs = float(r.positives) * float(r.negatives)
    untied = (n * (n - 1) - float(np.dot(size, size - 1))) / 2
    return q.value(material) * math.sqrt(pairs / untied) if untied else math.nan


def correlate_cases(material: Material, _: PrintedQuantity) -> float:
    """Return the correlation of scores and labels, case by case."""
    r = material.ranking
    pos, _neg = r.floats
    size, share = r.size / r.total, float(r.positives / r.total)
    gaps = r.score - float(np.dot(size, r.score))
    variance = float(np.dot(size, gaps**2)) * share * (1 - share)
    return float(np.dot(pos, gaps)) / float(r.total) / math.sqrt(variance) if variance > 0 else math.nan


# ---------------------------------------------------------------------- means over folds, workers or sites


def make_mean_of_groups(*, weighted: bool) -> Formula:
    """Return the mean of the values of the groups, each counting the same, or by its number of cases."""

    def act(material: Material, q: PrintedQuantity) -> float:
        groups = None if material.make_rows is None else material.rows.groups
        if groups is None:
            return math.nan
        parts = [material.rows.select(groups == group) for group in np.unique(groups)]
        values = np.array([q.exact(Material.of_rows(part, material.threshold)) for part in parts])
        known = np.isfinite(values)
        sizes = np.array([len(part) for part in parts]) if weighted else np.ones(len(parts))
        return float(np.average(values[known], weights=sizes[known])) if known.any() else math.nan

    return act


# ---------------------------------------------------------------------- distances, rates


def compute_one_sided(material: Material, _: PrintedQuantity) -> float:
    """Return the largest difference in one direction alone."""
    r = material.ranking
    return float(np.max(r.tpr - r.fpr))


def compute_other_sided(material: Material, _: PrintedQuantity) -> float:
    """Return the largest difference in the other direction."""
    r = material.ranking
    return float(np.max(r.fpr - r.tpr))


def compute_lorenz_area(material: Material, q: PrintedQuantity) -> float:
    """Return twice the area between the curve of gains and the diagonal, not divided by a perfect list's."""
    share = float(material.ranking.negatives / material.ranking.total)
    return q.value(material, "gini") * share


def find_nearest_eer(material: Material, _: PrintedQuantity) -> float:
    """Return the mean of both error rates at the cut where they are nearest to each other."""
    r = material.ranking
    miss = 1 - r.tpr
    at = int(np.nanargmin(np.abs(miss - r.fpr)))
    return float((miss[at] + r.fpr[at]) / 2)


def find_hull_eer(material: Material, _: PrintedQuantity) -> float:
    """Return the equal error rate on the convex hull."""
    r = material.ranking
    x, gap = r.fpr[r.hull], 1 - r.tpr[r.hull] - r.fpr[r.hull]
    at = int(np.argmax(gap <= 0))
    share = gap[at - 1] / (gap[at - 1] - gap[at]) if at else 0.0
    return float(x[at - 1] + share * (x[at] - x[at - 1])) if at else float(x[0])


def compute_over_recall(material: Material, q: PrintedQuantity) -> float:
    """Return the area at high recall in place of that at low false positive rates: as wide a stretch of the other
    axis.
    """
    width = float(q.parameters.get("max_fpr", 0.1))
    return q.value(material, "partial_auc_above_recall", min_recall=1 - width) if width < 1 else math.nan


def _is_of_groups(q: PrintedQuantity) -> bool:
    return not q.is_test and not q.is_inferred


_AP = "average_precision"


# ---------------------------------------------------------------------- the head of the list


def _round_share(rule: Callable[[float], float]) -> Formula:
    def act(material: Material, q: PrintedQuantity) -> float:
        share, n = q.parameters.get("share"), float(material.ranking.total)
        if share is None:
            return math.nan
        quota = min(max(rule(round(share * n, 9)), 1), n)
        return q.value(material, q.of, **{k: v for k, v in q.parameters.items() if k != "share"}, quota=quota)

    return act


def _by_quota(q: PrintedQuantity) -> bool:
    return "share" in q.parameters and q.measure is not None and "quota" in q.measure.parameters


def compute_in_portion(portions: int) -> Formula:
    """Return the value of the portion of the list that ends at the share, in place of all cases down to there."""

    def act(material: Material, q: PrintedQuantity) -> float:
        r, number = material.ranking, math.ceil(round(q.parameters["share"] * portions, 9))
        n, positives = float(r.total), float(r.positives)
        hits = [float(r.at_quota(n * end / portions).tp) for end in (number - 1, number)]
        within = hits[1] - hits[0]
        of = {"hit_rate": n / portions, "qrecall": positives}
        return float(within / of.get(q.of, positives / portions)) if positives else math.nan

    return act


def cumulate_lift(material: Material, q: PrintedQuantity) -> float:
    """Return the lift of all portions down to one, in place of that one alone."""
    bound = {"portion": 1, "portions": 10, **q.parameters}
    share, r = float(bound["portion"] / bound["portions"]), material.ranking
    if share > 1:
        return math.nan
    return float(r.at_quota(share * float(r.total)).tp) / (share * float(r.positives))


def compute_from_rounded_percentages(material: Material, q: PrintedQuantity) -> float:
    """Lift with two decimals, from recall in percent with one decimal and the share in whole percent.

    The list is read in steps of whole cases that are about one percent of it; the first step that rounds to the share
    counts.
    """
    r = material.ranking
    n = round(float(r.total))
    step = max(n // 100, 1)
    sizes = np.arange(step, n + 1, step)
    percent = np.rint(100 * sizes / n)
    at = np.flatnonzero(percent == round(100 * q.parameters["share"]))
    if not len(at) or not r.integral or not r.positives:
        return math.nan
    recall = round(100 * float(r.at_quota(float(sizes[at[0]])).tp) / float(r.positives), 1)
    return round(recall / float(percent[at[0]]), 2)


def _is_of_portion(q: PrintedQuantity) -> bool:
    return "share" in q.parameters and q.of in ("enrichment", "hit_rate", "qrecall", "lift")


def _is_of_lift(q: PrintedQuantity) -> bool:
    return "share" in q.parameters and q.of in ("enrichment", "lift")


_PORTION = "Tables of gains give both: all cases down to a share of the list, and those of each portion by itself."


CONVENTIONS = (
    formula("trapezoid", _AP, make_trapezoid(1.0), "by the trapezoid rule from the point (recall 0, precision 1)",
            "Straight lines between the points of the precision-recall curve are too optimistic.", 0.7,
            "sklearn.metrics.auc(recall, precision); yardstick::pr_auc; CatBoost's PRAUC"),
    formula("trapezoid_first", _AP, make_trapezoid(None), "by the trapezoid rule from the precision of the first cut",
            "The curve starts at recall 0 with the precision of its first point.", 0.6, "Spark's areaUnderPR"),
    formula("trapezoid_zero", _AP, make_trapezoid(0.0), "by the trapezoid rule from the point (0, 0)",
            "The curve starts at precision 0.", 0.25, "Berrar 2025"),
    formula("trapezoid_late", _AP, without_start, "by the trapezoid rule without the part before the first cut",
            "Precision is undefined where nothing is flagged, and that part of the area is left out.", 0.25,
                "hand-written code"),
    formula("davis_goadrich", _AP, other("aucpr_davis_goadrich"), "by the interpolation of Davis and Goadrich",
            "Between two cuts false positives grow in step with true ones, which bends the curve.", 0.55,
            "XGBoost's aucpr; Keras; PRROC; precrec"),
    formula("moved_points", _AP, move_points, "with points between the cuts that stand in the wrong places",
            "The interpolation of Davis and Goadrich by points, which are put into the list after the wrong cuts.", 0.3,
            "ROCR's aucpr"),
    formula("interpolated", _AP, interpolate_precision, "with the highest precision at this recall or a higher one",
            "The curve is made to fall from left to right before the area is taken.", 0.3, "PASCAL VOC 2010"),
    formula("levels_11", _AP, make_mean_of_levels(11), "as the mean of 11 interpolated precisions",
            "The highest precision at recall 0, 0.1, ..., 1 or beyond is averaged.", 0.3, "PASCAL VOC 2007; trec_eval"),
    formula("levels_101", _AP, make_mean_of_levels(101), "as the mean of 101 interpolated precisions",
            "The highest precision at recall 0, 0.01, ..., 1 or beyond is averaged.", 0.3, "COCO"),
    formula("expected_ties", _AP, other("expected_average_precision"), "in expectation over the orders of the ties",
            "Ties are broken at random in place of being read at once.", 0.2, "McSherry and Najork 2008"),
    formula("both_columns", _AP, other("mean_average_precision"), "as the mean of both classes",
            "Each class was in turn the positive one (average='macro').", 0.3, "yellowbrick, per_class"),
    formula("pooled_columns_ap", _AP, pool_columns(_AP), "with both columns of probabilities in one list",
            "Micro averages pool the columns: each case counts twice.", 0.3, "average='micro'"),
    formula("above_prevalence", _AP, rescale_above_prevalence, "on the scale where the baseline is 0",
            "The prevalence was subtracted, and the rest divided by what is left.", 0.15, "Cohen's kappa of AP"),
    *(
        formula(f"partial_{rate}", "auc", other("partial_auc", max_fpr=rate),
                f"up to a false positive rate of {rate}, on McClish's scale",
                "Only the left end of the ROC curve counts, rescaled so that a baseline model gets 0.5.", p,
                f"scikit-learn's roc_auc_score, max_fpr={rate}")
        for rate, p in ((0.01, 0.15), (0.05, 0.2), (0.1, 0.3), (0.2, 0.2))
    ),
    formula("pooled_columns", "auc", pool_columns("auc"), "with both columns of probabilities in one list",
            "Micro averages pool the columns: each case counts twice.", 0.35, "yellowbrick's micro; average='micro'"),
    formula("grid_200_late", "auc", make_grid_area(200),
            "with 200 thresholds from 0 to 1 and no point at the origin",
            "Cases with a score of 1 are flagged by the first threshold, and the area before it is left out.", 0.25,
            "torchmetrics, thresholds=200"),
    formula("log_axis", "auc", integrate_over_logarithm,
            "over the logarithm of the false positive rate, from 0.001 to 0.1",
            "On a log axis the head of the list counts most (logAUC).", 0.25, "torchmetrics' binary_logauc"),
    formula("mann_whitney", "auc", count_concordant, "times the number of pairs (Mann and Whitney's U)",
            "The statistic counts pairs, and the AUC is their share.", 0.35, "scipy.stats.mannwhitneyu"),
    formula("kendall", "gini", kendall_tau, "as Kendall's tau-b",
            "Tau-b divides by the pairs that the labels alone leave untied, too.", 0.2, "scipy.stats.kendalltau"),
    formula("by_cases", "pearson", correlate_cases, "case by case, not place by place",
            "In a tie each case keeps its own label.", 0.5, "scipy.stats.pointbiserialr; numpy.corrcoef"),
    formula("hull", "auc", other("auch"), "under the convex hull of the curve",
            "The hull lies on or above the curve.", 0.2, "hmeasure's AUCH; ROCR's rch"),
    formula("mean_of_groups", _is_of_groups, make_mean_of_groups(weighted=False), "as the mean over the groups",
            "The value of each fold, worker or site was averaged instead of pooling the cases.", 0.5,
            "cross_val_score; XGBoost on several workers"),
    formula("weighted_mean_of_groups", _is_of_groups, make_mean_of_groups(weighted=True),
            "as the mean over the groups, weighted by their cases",
            "The value of each fold, worker or site was averaged by its number of cases.", 0.35,
            "LightGBM on several machines"),
    formula("one_sided", "ks", compute_one_sided, "in one direction alone",
            "The largest lead of the positives counts, and not the largest distance.", 0.35,
                "scipy's ks_2samp, alternative"),
    formula("other_sided", "ks", compute_other_sided, "in the other direction alone",
            "The largest lead of the negatives counts.", 0.1, "scipy's ks_2samp, alternative"),
    formula("lorenz", "gini", compute_lorenz_area, "of the curve of gains, not divided by that of a perfect list",
            "The Gini of the Lorenz curve is 2 AUC - 1 times the share of negatives.", 0.4,
                "Kaggle's gini before normalising"),
    formula("nearest_point", "eer", find_nearest_eer, "at the cut where both error rates are nearest",
            "No interpolation between two cuts.", 0.4, "det curves in toolkits"),
    formula("hull_eer", "eer", find_hull_eer, "on the convex hull (ROCCH-EER)", "The hull lies on or above the curve.",
            0.3, "BOSARIS"),
    formula("over_recall", "partial_auc", compute_over_recall,
            "over the high recalls instead of the low false positive rates",
            "A part of the area can be cut off along either axis.", 0.35, "pROC, partial.auc.focus='sensitivity'"),
    *(
        formula(f"partial_{name}", "partial_auc", with_parameters(standardised=how), words,
                "A partial area is given as it is, divided by its width, or on McClish's scale.", 0.5, source)
        for name, how, words, source in (
            ("raw", False, "as the area itself", "pROC, partial.auc.correct=FALSE"),
            ("box", "box", "divided by its width", "partial areas divided by their width"),
            ("mcclish", True, "on McClish's scale",
                "scikit-learn's roc_auc_score, max_fpr; pROC, partial.auc.correct=TRUE"),
        )
    ),
    formula("share_rounded", _by_quota, _round_share(round), "with the share rounded to whole cases",
            "A share of the list is seldom a whole number of cases.", 0.4, "list sizes from a share"),
    formula("share_ceiled", _by_quota, _round_share(math.ceil), "with the share rounded up to whole cases",
            "A share of the list is seldom a whole number of cases.", 0.4, "list sizes from a share"),
    *(
        formula(f"portion_{portions}", _is_of_portion, compute_in_portion(portions),
                f"in the {name} of the list that ends there, and not from the top", _PORTION, p,
                f"tables of gains with {portions} portions")
        for portions, name, p in ((10, "tenth", 0.5), (20, "twentieth", 0.3))
    ),
    formula("lift_rounded", _is_of_lift, compute_from_rounded_percentages,
            "from percentages that were rounded before", "Parts that are rounded before move the last digits.", 0.35,
            "Evidently's lift table"),
    formula("from_the_top", "portion_lift", cumulate_lift, "from the top of the list down to there (cumulative)",
            _PORTION, 0.5, "cumulative lift"),
)  # fmt: skip
