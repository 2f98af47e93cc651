"""Formulas of measures of one cut: other cuts, means over the classes, 0/0, rounded parts."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.counts import Counts
from cutline.ledger.cases import Material
from cutline.ledger.convention import Formula, formula, other
from cutline.ledger.quantity import PrintedQuantity
from cutline.measures import MEASURES, Needs

_BOTH_CLASSES = (
    "precision", "recall", "f1", "f_beta", "jaccard", "specificity", "npv", "fpr", "fnr", "fdr", "false_omission_rate",
)  # fmt: skip


def _is_of_cut(q: PrintedQuantity) -> bool:
    return q.needs is Needs.COUNTS and "quota" not in q.parameters and "share" not in q.parameters


def _select_own(q: PrintedQuantity) -> dict[str, object]:
    return {name: value for name, value in q.parameters.items() if name != "threshold"}


def compute_from_counts(q: PrintedQuantity, counts: Counts) -> float:
    """Return the value of a measure of one cut for a table."""
    return float(q.definition.compute(counts, **_select_own(q)))


def _swap_classes(c: Counts) -> Counts:
    """Return the same table for the other class."""
    return Counts(c.tn, c.fn, c.fp, c.tp, c.threshold, c.is_risk)


def _replace_undefined(value: float, instead: float) -> float:
    return instead if math.isnan(value) else value


def mean_of_classes(*, weighted: bool) -> Formula:
    """Return the mean of the value of both classes, each counting the same or by its cases; 0/0 counts as 0."""

    def act(material: Material, q: PrintedQuantity) -> float:
        c = material.counts
        values = [_replace_undefined(compute_from_counts(q, table), 0.0) for table in (c, _swap_classes(c))]
        shares = (float(c.positives), float(c.negatives)) if weighted else (1.0, 1.0)
        return float(np.average(values, weights=shares))

    return act


def compute_mean_of_known(material: Material, q: PrintedQuantity) -> float:
    """Return the value of the one class that has it; with both it is their mean, which is the convention "macro"."""
    values = [compute_from_counts(q, table) for table in (material.counts, _swap_classes(material.counts))]
    known = [value for value in values if not math.isnan(value)]
    return known[0] if len(known) == 1 else math.nan


def pool_cells(material: Material, q: PrintedQuantity) -> float:
    """Return the value of the pooled tables of both classes: 'micro'."""
    c = material.counts
    right, wrong = c.tp + c.tn, c.fp + c.fn
    return compute_from_counts(q, Counts(right, wrong, wrong, right))


def compute_f_of_means(material: Material, _: PrintedQuantity) -> float:
    """Return the harmonic mean of the mean precision and the mean recall of both classes."""
    tables = (material.counts, _swap_classes(material.counts))
    precision, recall = (
        np.mean([_replace_undefined(float(MEASURES[name].compute(c)), 0.0) for c in tables])
        for name in ("precision", "recall")
    )
    return float(2 * precision * recall / (precision + recall)) if precision + recall else 0.0


def round_parts(digits: int) -> Formula:
    """Compute F1 from precision and recall that were rounded before."""

    def act(material: Material, _: PrintedQuantity) -> float:
        p, r = (round(float(MEASURES[name].compute(material.counts)), digits) for name in ("precision", "recall"))
        return 2 * p * r / (p + r) if p + r else math.nan

    return act


def fill_undefined(number: float) -> Formula:
    """Return a number where the measure is undefined."""
    return lambda material, q: _replace_undefined(q.value(material), number)


def _count_cuts(material: Material) -> Counts:
    """Return the tables of all cuts that flag a case."""
    c = material.ranking.counts
    return Counts(c.tp[1:], c.fp[1:], c.fn[1:], c.tn[1:], np.asarray(c.threshold)[1:], c.is_risk)


def compute_at_all_cuts(material: Material, q: PrintedQuantity) -> Array:
    """Return the value at each cut that flags a case, from the highest threshold to the lowest."""
    with np.errstate(all="ignore"):
        values: Any = q.definition.compute(_count_cuts(material), **_select_own(q))
    return np.asarray(values, dtype=float)


def find_best(material: Material, q: PrintedQuantity) -> float:
    """Return the best value over all thresholds."""
    values = compute_at_all_cuts(material, q)
    known = values[~np.isnan(values)]
    if not len(known):
        return math.nan
    return float(known.min() if q.definition.better == "lower" else known.max())


def find_largest_absolute(material: Material, q: PrintedQuantity) -> float:
    """Return the largest value over all thresholds, whatever its sign."""
    values = np.abs(compute_at_all_cuts(material, q))
    known = values[~np.isnan(values)]
    return float(known.max()) if len(known) else math.nan


def compute_at_best(criterion: str) -> Formula:
    """Return the value at the threshold where another measure is best."""

    def act(material: Material, q: PrintedQuantity) -> float:
        tables = _count_cuts(material)
        at = int(np.nanargmax(np.nan_to_num(np.asarray(MEASURES[criterion].compute(tables), dtype=float), nan=-1.0)))
        return compute_from_counts(q, material.ranking.at_cut(at + 1))

    return act


def compute_at_prevalence(material: Material, q: PrintedQuantity) -> float:
    """Return the value at the threshold that equals the share of positives."""
    share = float(material.ranking.positives / material.ranking.total)
    return (
        compute_from_counts(q, material.ranking.at_threshold(share)) if material.ranking.are_probabilities else math.nan
    )


def divide_by_flagged(material: Material, q: PrintedQuantity) -> float:
    """Divide net benefit by the share that is flagged."""
    flagged = float(material.counts.flagged / material.counts.total)
    return q.value(material, "net_benefit") / flagged if flagged else math.nan


def compute_avoided(material: Material, q: PrintedQuantity) -> float:
    """Compute interventions avoided for each case, against treating all."""
    c, risk = material.counts, material.threshold
    if not 0 < risk < 1:
        return math.nan
    everybody = c.positives / c.total - c.negatives / c.total * risk / (1 - risk)
    return float((q.value(material, "net_benefit") - everybody) * (1 - risk) / risk)


def count_negatives_by_rows(material: Material, _: PrintedQuantity) -> float:
    """Compute specificity with true negatives from the number of rows, while all else is weighted."""
    c, rows = material.counts, len(material.rows)
    left = rows - float(c.flagged + c.positives - c.tp)
    return left / (left + float(c.fp)) if left + float(c.fp) else math.nan


def _make_kappa(chance: Callable[[Counts], float], correction: float = 0.0) -> Formula:
    """Return the agreement of labels and predictions beyond an agreement by chance.

    Args:
        chance: The agreement by chance.
        correction: The share of the disagreement that is left out, times twice the number of cases.
    """

    def act(material: Material, _: PrintedQuantity) -> float:
        c = material.counts
        disagreement = float(c.fp + c.fn) / float(c.total) * (1 - correction / (2 * float(c.total)))
        expected = 1 - chance(c)
        return 1 - disagreement / expected if expected else math.nan

    return act


def _mean_prevalence(c: Counts) -> float:
    """Return the mean of the prevalences of the labels and of the predictions."""
    return float(c.positives + c.flagged) / (2 * float(c.total))


def _gwet_chance(c: Counts) -> float:
    share = _mean_prevalence(c)
    return 2 * share * (1 - share)


def _scott_chance(c: Counts) -> float:
    share = _mean_prevalence(c)
    return share**2 + (1 - share) ** 2


def _list_cells(c: Counts) -> tuple[float, float, float, float]:
    return float(c.tp), float(c.fp), float(c.fn), float(c.tn)


def compute_bangdiwala(material: Material, _: PrintedQuantity) -> float:
    """Return Bangdiwala's B: the area of agreement divided by the area of the rectangles of the margins."""
    tp, fp, fn, tn = _list_cells(material.counts)
    return (tp**2 + tn**2) / ((tp + fn) * (tp + fp) + (tn + fp) * (tn + fn))


def class_balance(material: Material, _: PrintedQuantity) -> float:
    """Return the mean over both classes of the smaller of precision and recall."""
    tp, fp, fn, tn = _list_cells(material.counts)
    return (tp / (tp + max(fp, fn)) + tn / (tn + max(fp, fn))) / 2 if tp and tn else math.nan


def optimised_precision(material: Material, _: PrintedQuantity) -> float:
    """Return the accuracy less the relative difference of recall and specificity."""
    accuracy, recall, specificity = (
        float(MEASURES[name].compute(material.counts)) for name in ("accuracy", "recall", "specificity")
    )
    return accuracy - abs(recall - specificity) / (recall + specificity) if recall + specificity else math.nan


def make_dominance_index(alpha: float) -> Formula:
    """Return the squared geometric mean times 1 + alpha (recall - specificity)."""

    def act(material: Material, q: PrintedQuantity) -> float:
        recall, specificity = (float(MEASURES[name].compute(material.counts)) for name in ("recall", "specificity"))
        return (1 + alpha * (recall - specificity)) * q.value(material) ** 2

    return act


def make_squared_phi(*, times_cases: bool) -> Formula:
    """Return the square of the MCC, or the chi-square statistic of the table, which is that times the cases."""
    return lambda material, q: q.value(material) ** 2 * (float(material.counts.total) if times_cases else 1.0)


def normalised_information(material: Material, q: PrintedQuantity) -> float:
    """Return the mutual information divided by the mean of the entropies of labels and predictions."""
    c = material.counts
    shares = np.array([float(c.positives), float(c.flagged)]) / float(c.total)
    if not ((shares > 0) & (shares < 1)).any():
        return math.nan
    both = np.concatenate((shares, 1 - shares))
    both = both[both > 0]
    return q.value(material) / (-float(np.dot(both, np.log(both))) / 2)


def mean_score(material: Material, _: PrintedQuantity) -> float:
    """Return the mean probability."""
    r = material.ranking
    return float(np.dot(r.size, r.score) / r.total) if r.are_probabilities else math.nan


def compute_for_constant(material: Material, q: PrintedQuantity) -> float:
    """Compute the MCC; for a constant prediction the difference of the classes over the root of their product and
    sum.
    """
    c = material.counts
    right, wrong = (float(c.tn), float(c.fn)) if not c.flagged else (float(c.tp), float(c.fp))
    if c.flagged and c.unflagged:
        return q.value(material)
    return (right - wrong) / math.sqrt(right * wrong * (right + wrong)) if right and wrong else math.nan


def _declare_best(name: str, criterion: str, words: str, source: str) -> object:
    act: Callable[..., float] = compute_at_best(criterion)
    return formula(name, _is_of_cut, act, words, "The cut was chosen on the same cases.", 0.35, source)


CONVENTIONS = (
    formula("macro", _BOTH_CLASSES, mean_of_classes(weighted=False), "as the mean of both classes (macro)",
            "Each class was in turn the positive one.", 0.6, "scikit-learn, average='macro'; PyCM; Weka"),
    formula("macro_known", _BOTH_CLASSES, compute_mean_of_known, "as the mean of the classes whose value is defined",
            "A class with 0/0 is left out of the mean, and does not count as 0.", 0.2,
            "yardstick's macro averages; scikit-learn, zero_division=nan"),
    formula("weighted", _BOTH_CLASSES, mean_of_classes(weighted=True),
            "as the mean of both classes by their size (weighted)",
            "Each class was in turn the positive one, and counts by its cases.", 0.55,
            "scikit-learn, average='weighted'; MLflow; Weka"),
    formula("micro", _BOTH_CLASSES, pool_cells, "over both classes pooled (micro)",
            "Pooled over both classes it is the accuracy.", 0.45, "scikit-learn, average='micro'"),
    *(
        formula(f"f_beta_{beta}", "f1", other("f_beta", beta=beta), f"with recall weighted by beta = {beta}",
                "F1 weighs precision and recall alike; another beta prefers one of them.", 0.2,
                f"scikit-learn's fbeta_score, beta={beta}")
        for beta in (0.5, 2)
    ),
    formula("f_of_means", "f1", compute_f_of_means, "as the F of the mean precision and the mean recall",
            "Macro F1 has two definitions: the mean of both F, or the F of both means.", 0.35, "Opitz and Burst 2019"),
    *(
        formula(f"f_rounded_{d}", "f1", round_parts(d), f"from precision and recall with {d} decimals",
                "Parts that are rounded before move the last digits.", 0.25, "tables in papers")
        for d in (2, 3)
    ),
    *(
        formula(f"undefined_{n}", _is_of_cut, fill_undefined(n), f"with 0/0 counted as {n}",
                "Where the measure is undefined, the tool prints a number.", 0.5, f"scikit-learn, zero_division={n}")
        for n in (0, 1)
    ),
    formula("negatives_by_rows", "specificity", count_negatives_by_rows, "with the true negatives counted in rows",
            "Weights are used for all counts but the true negatives, which are what is left of the rows.", 0.2,
            "imbalanced-learn's specificity_score with sample_weight"),
    formula("adjusted", "balanced_accuracy", other("youden_j"), "adjusted for chance, 2 x - 1",
            "Rescaled so that a constant prediction gets 0: it is Youden's J.", 0.45,
            "scikit-learn's balanced_accuracy_score, adjusted=True"),
    formula("ac1", "kappa", _make_kappa(_gwet_chance), "as Gwet's AC1",
            "The agreement by chance is 2 q (1 - q) with the mean prevalence q of labels and predictions.", 0.25,
            "PyCM's AC1; irrCAC; Gwet 2008"),
    formula("scott_pi", "kappa", _make_kappa(_scott_chance), "as Scott's pi",
            "The agreement by chance is that of two raters with the mean prevalence.", 0.25, "PyCM's PI; irrCAC"),
    formula("krippendorff", "kappa", _make_kappa(_scott_chance, 1.0), "as Krippendorff's alpha",
            "It is Scott's pi with a correction for the number of cases.", 0.25, "PyCM's Alpha; krippendorff"),
    formula("bennett", "kappa", _make_kappa(lambda _: 0.5), "as Bennett's S (PABAK), 2 x accuracy - 1",
            "The agreement by chance is one half, whatever the prevalence.", 0.25,
            "PyCM's S; irrCAC's Brennan and Prediger"),
    formula("bangdiwala", "kappa", compute_bangdiwala, "as Bangdiwala's B",
            "It compares areas of the agreement chart.", 0.1, "PyCM's B"),
    formula("phi_squared", "mcc", make_squared_phi(times_cases=False), "squared",
            "Phi squared is the MCC squared.", 0.2, "PyCM's Phi_Squared"),
    formula("chi_squared", "mcc", make_squared_phi(times_cases=True), "squared, times the number of cases",
            "The chi-square statistic of the table is n times the MCC squared.", 0.15,
            "PyCM's Chi_Squared; scipy.stats.chi2_contingency, correction=False"),
    formula("class_balance", "balanced_accuracy", class_balance,
            "as the mean over the classes of the smaller of precision and recall",
            "Class balance accuracy punishes both kinds of errors in each class.", 0.15, "PyCM's CBA"),
    formula("optimised_precision", "accuracy", optimised_precision,
            "less the relative difference of recall and specificity",
            "Optimized precision takes off what a lopsided classifier gains.", 0.1, "PyCM's OP"),
    formula("g_of_means", "g_mean", other("balanced_accuracy"), "of the mean recall and the mean specificity",
            "Averaged over both classes, recall and specificity are the same number: the balanced accuracy.", 0.35,
            "imbalanced-learn's geometric_mean_score, average='macro'"),
    *(
        formula(f"iba_{alpha:g}", "g_mean", make_dominance_index(alpha), words,
                "The index of balanced accuracy squares the geometric mean and weighs it by recall - specificity.", p,
                source)
        for alpha, words, p, source in (
            (0.0, "squared", 0.2, "imbalanced-learn's make_index_balanced_accuracy of a macro average"),
            (0.1, "as the index of balanced accuracy, alpha = 0.1", 0.25,
             "imbalanced-learn's classification_report_imbalanced"),
            (1.0, "as the index of balanced accuracy, alpha = 1", 0.15, "PyCM's IBA"),
        )
    ),
    formula("normalised", "mutual_information", normalised_information,
            "divided by the mean entropy of labels and predictions",
            "Normalised, a perfect prediction gets 1.", 0.4, "scikit-learn's normalized_mutual_info_score"),
    formula("mean_score", "predicted_positive_rate", mean_score, "as the mean probability",
            "The scores were averaged in place of the decisions.", 0.35, "fairlearn's mean_prediction"),
    formula("constant", "mcc", compute_for_constant, "with a number for a constant prediction",
            "Where the coefficient is 0/0, a limit is printed that is not a correlation.", 0.2,
            "torchmetrics' binary_matthews_corrcoef"),
    formula("best", _is_of_cut, find_best, "at the threshold where it is best",
            "The best value over all thresholds of the same cases is too good for new ones.", 0.45,
            "H2O's max metrics; yellowbrick's DiscriminationThreshold"),
    formula("best_absolute", ("mcc", "kappa", "youden_j"), find_largest_absolute,
            "at the threshold where it is largest, without its sign",
            "A strong relation the wrong way round counts as a good one.", 0.25, "H2O's max absolute_mcc"),
    _declare_best("at_best_f1", "f1", "at the threshold where F1 is best", "H2O's confusion matrix"),
    _declare_best("at_best_youden", "youden_j", "at the threshold where Youden's J is best", "pROC::coords, 'best'"),
    formula("at_prevalence", _is_of_cut, compute_at_prevalence, "at a threshold that equals the prevalence",
            "Cases are flagged whose probability is above the average.", 0.25, "SAS, Stata's estat classification"),
    formula("per_positive", "net_benefit", other("standardised_net_benefit"), "divided by the prevalence",
            "The standardised net benefit is the share of the most that could be gained.", 0.45, "dcurves, rmda"),
    formula("per_flagged", "net_benefit", divide_by_flagged, "divided by the share that is flagged",
            "Another standard was taken.", 0.15, "hand-written code"),
    formula("avoided", "net_benefit", compute_avoided, "as interventions avoided for each case",
            "It is the gain over treating all, in units of interventions.", 0.3, "dcurves' net_intervention_avoided"),
)  # fmt: skip
