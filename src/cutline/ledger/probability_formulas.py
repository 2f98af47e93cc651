"""Formulas of measures of probabilities: clipping, scale, skill, priors, bins, groups, fits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.ranking import Ranking
from cutline.ledger.cases import Material
from cutline.ledger.convention import Formula, formula, other, with_parameters
from cutline.ledger.quantity import PrintedQuantity
from cutline.measures.binned_calibration import sum_over_bins


def _sum_bins(material: Material, bins: int, binning: str) -> tuple[Array, Array, Array]:
    """Return the distance of observed from expected shares in bins, and the number of cases in each that holds any."""
    observed, expected, size = sum_over_bins(material.ranking, bins, binning)
    some = size > 0
    return np.abs(observed[some] - expected[some]) / size[some], size[some], np.asarray(some)


def make_root_mean_square(bins: int, binning: str) -> Formula:
    """Return the root of the mean squared distance in bins."""

    def act(material: Material, _: PrintedQuantity) -> float:
        if not material.ranking.are_probabilities:
            return math.nan
        distance, size, _some = _sum_bins(material, bins, binning)
        return float(np.sqrt(np.average(distance**2, weights=size)))

    return act


def make_largest(bins: int, binning: str) -> Formula:
    """Return the largest distance in a bin."""
    return lambda m, _: float(_sum_bins(m, bins, binning)[0].max()) if m.ranking.are_probabilities else math.nan


def bin_as_torch(r: Ranking, bins: int) -> tuple[Array, Array, Array]:
    """Return observed, expected and cases of bins that hold their lower border; a probability of 1 has its own bin."""
    step, middle = 1 / bins, (bins + 1) // 2
    borders = np.array([step * i if i < middle else 1 - step * (bins - i) for i in range(bins + 1)])
    return sum_in_bins(r, np.searchsorted(borders, r.score, side="right") - 1, bins + 1)


def bin_with_lower_borders(r: Ranking, bins: int) -> tuple[Array, Array, Array]:
    """Return observed, expected and cases of bins that hold their lower border; the last one holds 1 too."""
    return sum_in_bins(r, np.minimum((r.score * bins).astype(int), bins - 1), bins)


def sum_in_bins(r: Ranking, number: Array, bins: int) -> tuple[Array, Array, Array]:
    """Return observed positives, expected positives and cases by the number of their bin."""
    observed, expected, size = (
        np.bincount(number, weights=w, minlength=bins) for w in (r.pos, r.size * r.score, r.size)
    )
    return observed, expected, size


def make_torch_error(bins: int, *, norm: str) -> Formula:
    """Return the error in bins of equal width that hold their lower border, in which a probability of 1 has its own
    bin.
    """

    def act(material: Material, _: PrintedQuantity) -> float:
        if not material.ranking.are_probabilities:
            return math.nan
        observed, expected, size = bin_as_torch(material.ranking, bins)
        some = size > 0
        distance = np.abs(observed - expected)[some] / size[some]
        return float(distance.max() if norm == "max" else np.average(distance, weights=size[some]))

    return act


def make_lower_border_error(bins: int) -> Formula:
    """Return the error in bins of equal width that hold their lower border; the last holds a probability of 1 too."""

    def act(material: Material, _: PrintedQuantity) -> float:
        if not material.ranking.are_probabilities:
            return math.nan
        observed, expected, size = bin_with_lower_borders(material.ranking, bins)
        return float(np.abs(observed - expected).sum() / size.sum())

    return act


def clamp_logarithms(material: Material, _: PrintedQuantity) -> float:
    """Return the log loss whose logarithms are never below -100."""
    r = material.ranking
    if not r.are_probabilities:
        return math.nan
    with np.errstate(divide="ignore"):
        true, false = (np.maximum(np.log(p), -100.0) for p in (r.score, 1 - r.score))
    return float(-(np.dot(r.pos, true) + np.dot(r.neg, false)) / r.total)


def normalised_entropy(material: Material, q: PrintedQuantity) -> float:
    """Return the log loss divided by the entropy of the prevalence."""
    return 1 - q.value(material, "mcfadden_r2")


def clip(eps: float, kind: type[np.floating[Any]] = np.float64) -> Formula:
    """Return the log loss of probabilities that are moved into [eps, 1 - eps], as numbers of a type, before the
    logarithms.
    """

    def act(material: Material, _: PrintedQuantity) -> float:
        r = material.ranking
        if not r.are_probabilities:
            return math.nan
        p = np.clip(r.score.astype(kind), kind(eps), kind(1 - eps)).astype(float)
        return float(-(np.dot(r.pos, np.log(p)) + np.dot(r.neg, np.log(1 - p))) / r.total)

    return act


def bin_by_cube_root(material: Material, q: PrintedQuantity) -> float:
    """Return bins of equal mass, their number the cube root of the number of cases."""
    return q.value(material, bins=max(round(float(material.ranking.total) ** (1 / 3)), 1), binning="mass")


def _make_p_value(groups: int, less: int) -> Formula:
    def act(material: Material, q: PrintedQuantity) -> float:
        from scipy.special import chdtrc

        return float(chdtrc(groups - less, q.value(material, groups=groups)))

    return act


def compute_two_sided(material: Material, q: PrintedQuantity) -> float:
    """Return the p-value of a normal statistic."""
    from scipy.special import ndtr

    return float(2 * ndtr(-abs(q.value(material))))


def compute_upper_tail(material: Material, q: PrintedQuantity) -> float:
    """Return the upper p-value of a normal statistic."""
    from scipy.special import ndtr

    return float(ndtr(-q.value(material)))


def squared_hinge(material: Material, _: PrintedQuantity) -> float:
    """Return the mean of the squared hinge losses."""
    pos, neg = material.ranking.floats
    losses = (np.maximum(1 - sign * material.ranking.score, 0) ** 2 for sign in (1, -1))
    of_positives, of_negatives = losses
    return float((np.dot(pos, of_positives) + np.dot(neg, of_negatives)) / material.ranking.total)


def compare_with_half(material: Material, q: PrintedQuantity) -> float:
    """Return the skill against a probability of one half for every case."""
    return 1 - 4 * q.value(material, "brier")


def compare_with_training(material: Material, q: PrintedQuantity) -> float:
    """Return the skill against the prevalence of the training data for every case."""
    reference, share = material.training, float(material.ranking.positives / material.ranking.total)
    if reference is None:
        return math.nan
    return 1 - q.value(material, "brier") / (share * (1 - reference) ** 2 + (1 - share) * reference**2)


def make_log_skill(reference: float | None) -> Formula:
    """Return the skill of the log loss against a probability for every case; None is the prevalence of the training
    data.
    """

    def act(material: Material, q: PrintedQuantity) -> float:
        base_rate = material.training if reference is None else reference
        if base_rate is None:
            return math.nan
        share = float(material.ranking.positives / material.ranking.total)
        return 1 + q.value(material, "log_loss") / (share * math.log(base_rate) + (1 - share) * math.log1p(-base_rate))

    return act


def compute_from_decisions(material: Material, q: PrintedQuantity) -> float:
    """Return the value where each probability is replaced by the decision, 0 or 1."""
    decisions = material.with_scores(lambda scores: (scores >= material.threshold) * 1.0)
    return q.value(decisions) if material.ranking.are_probabilities else math.nan


_LOG, _ECE, _HL = "log_loss", "ece", "hosmer_lemeshow"
CONVENTIONS = (
    *(
        formula(f"clip_{name}", _LOG, with_parameters(eps=eps), f"with probabilities clipped at {name}",
                "A probability of 0 for what happened would cost infinity; how far tools move it decides the cost.",
                p, source)
        for name, eps, p, source in (
            ("1e-15", 1e-15, 0.55, "scikit-learn before 1.3; LightGBM; MLmetrics"),
            ("1e-16", 1e-16, 0.35, "XGBoost"),
            ("1e-12", 1e-12, 0.15, "older LightGBM"),
            ("1e-7", 1e-7, 0.5, "Keras"),
            ("1e-5", 1e-5, 0.1, "hand-written code"),
            ("1.19e-7", float(np.finfo(np.float32).eps), 0.3, "scikit-learn with 32-bit scores"),
        )
    ),
    formula("clip_both_1e-15", _LOG, clip(1e-15), "with probabilities moved into [1e-15, 1 - 1e-15]",
            "Beside 1 numbers are 1.1e-16 apart, so that 1 - p is not quite 1e-15.", 0.4,
            "scikit-learn before 1.3; river's LogLoss"),
    formula("clip_both_1e-7", _LOG, clip(1e-7, np.float32), "with 32-bit probabilities moved into [1e-7, 1 - 1e-7]",
            "As a 32-bit number 1 - 1e-7 is 1 - 1.19e-7, so that 0 and 1 cost differently.", 0.5,
            "keras.losses.BinaryCrossentropy"),
    formula("decisions", (_LOG, "brier", "mae"), compute_from_decisions,
            "from hard labels (0 or 1) in place of the probabilities",
            "Every error costs the most that it can: the Brier score becomes the error rate, and the log loss 36.04 "
            "times that.", 0.3, "scikit-learn's log_loss and brier_score_loss of predict()"),
    formula("skill", "brier", other("brier_skill"), "as the skill against the prevalence",
            "The skill is 1 less the ratio to the score of the prevalence.", 0.4, "scikit-learn's d2_brier_score"),
    formula("half", ("brier", "brier_skill"), compare_with_half, "as the skill against a probability of 0.5",
            "The reference is one half instead of the prevalence.", 0.15, "skill scores with a fixed reference"),
    formula("skill_training", ("brier", "brier_skill"), compare_with_training,
            "as the skill against the prevalence of the training data",
            "The reference is the prevalence that was known when the model was made, not that of these cases.", 0.4,
            "riskRegression's IPA; a dummy classifier that was fitted on the training data"),
    formula("absolute", "brier", other("mae"), "as the mean absolute difference",
            "The differences were not squared.", 0.2, "Weka's mean absolute error"),
    formula("log_skill", _LOG, other("mcfadden_r2"), "as the skill against the prevalence",
            "McFadden's R2 is 1 less the ratio to the log loss of the prevalence.", 0.3,
                "scikit-learn's d2_log_loss_score"),
    formula("clamped", _LOG, clamp_logarithms, "with logarithms clamped at -100",
            "A probability of 0 for what happened costs 100, not infinity.", 0.4, "PyTorch's BCELoss"),
    formula("normalised_entropy", _LOG, normalised_entropy, "divided by the entropy of the prevalence",
            "The normalised entropy is the log loss relative to that of the prevalence.", 0.3,
            "He and others 2014 (advertising)"),
    formula("log_half", (_LOG, "mcfadden_r2"), make_log_skill(0.5), "as the skill against a probability of 0.5",
            "The reference is one half instead of the prevalence.", 0.15, "skill scores with a fixed reference"),
    formula("log_skill_training", (_LOG, "mcfadden_r2"), make_log_skill(None),
            "as the skill against the prevalence of the training data",
            "The reference is the prevalence that was known when the model was made, not that of these cases.", 0.35,
            "a dummy classifier that was fitted on the training data"),
    *(
        formula(f"prior_{name}", "h_measure", with_parameters(prior=name), words,
                "The H-measure averages over costs, and papers and packages take different weights of them.", 0.5,
                    source)
        for name, words, source in (
            ("symmetric", "with the prior Beta(2, 2)", "Hand 2009"),
            ("severity", "with the prior by the severity ratio", "hmeasure's default"),
            ("prevalence", "with the prior by the prevalence", "Hand and Anagnostopoulos 2014"),
        )
    ),
    *(
        formula(f"{binning}_{bins}_bins", _ECE, with_parameters(bins=bins, binning=binning),
                f"with {bins} bins of equal {binning}", "The number grows with the number of bins.", p, source)
        for bins, binning, p, source in (
            (10, "width", 0.5, "Naeini and others 2015"), (15, "width", 0.5, "torchmetrics; Guo and others 2017"),
            (20, "width", 0.25, "pages on calibration"), (5, "width", 0.2, "pages on calibration"),
            (100, "width", 0.15, "pages on calibration"), (15, "mass", 0.3, "adaptive ECE"),
            (20, "mass", 0.2, "adaptive ECE"), (5, "mass", 0.2, "adaptive ECE"),
        )
    ),
    *(
        formula(f"lower_{bins}_bins", _ECE, make_lower_border_error(bins),
                f"with {bins} bins of equal width that hold their lower border",
                "A probability on a border counts in the bin above it.", p, "int(p * bins), numpy.digitize")
        for bins, p in ((10, 0.45), (15, 0.35), (20, 0.2), (5, 0.15), (100, 0.1))
    ),
    formula("torch_15_bins", _ECE, make_torch_error(15, norm="mean"),
            "with 15 bins of equal width and one for a probability of 1",
            "Bins hold their lower border, so that a probability of 1 falls beyond the last.", 0.35,
            "torchmetrics' binary_calibration_error"),
    formula("torch_15_bins_max", _ECE, make_torch_error(15, norm="max"),
            "as the largest distance in 15 bins and one for 1",
            "Bins hold their lower border, so that a probability of 1 falls beyond the last.", 0.15,
            "torchmetrics' binary_calibration_error, norm='max'"),
    formula("cube_root_bins", _ECE, bin_by_cube_root, "with the cube root of n bins of equal mass",
            "The number of bins grows with the cases.", 0.15, "rules for the number of bins"),
    *(
        formula(f"{name}_{bins}_{binning}", _ECE, make(bins, binning), f"{words} in {bins} bins of equal {binning}",
                "It is another mean of the same distances.", 0.2, "torchmetrics, norm='l2' or 'max'")
        for bins in (10, 15) for binning in ("width", "mass")
        for name, make, words in (("rms", make_root_mean_square, "as the root mean square"), ("max", make_largest,
        "as the largest distance"))
    ),
    *(
        formula(f"{groups}_groups", _HL, with_parameters(groups=groups), f"with {groups} groups",
                "The statistic depends on the groups.", 0.3, "Hosmer and Lemeshow 1980")
        for groups in (5, 8, 15, 20)
    ),
    formula("p_less_2", _HL, _make_p_value(10, 2), "as a p-value with 8 degrees of freedom",
            "Fitted models lose two degrees of freedom.", 0.5, "ResourceSelection::hoslem.test"),
    formula("p_full", _HL, _make_p_value(10, 0), "as a p-value with 10 degrees of freedom",
            "On new cases no degree of freedom is lost.", 0.3, "Stata's estat gof, outsample"),
    formula("p_normal", "spiegelhalter", compute_two_sided, "as a two-sided p-value", "The statistic is normal.", 0.5,
            "rms::val.prob"),
    formula("p_upper", "spiegelhalter", compute_upper_tail, "as an upper p-value",
            "One tail alone: errors in the other direction get a p-value near 1.", 0.25,
            "MAPIE's spiegelhalter_p_value"),
    formula("margin", "hinge_loss", lambda material, q: 2 * q.value(material, "mae"),
            "of 2 p - 1 in place of the probability p",
            "The margin of a probability is the difference of both columns.", 0.3,
            "torchmetrics' multiclass_hinge_loss"),
    formula("squared", "hinge_loss", squared_hinge, "squared case by case",
            "The hinge losses were squared before their mean was taken.", 0.3,
            "torchmetrics' binary_hinge_loss, squared=True; Keras's SquaredHinge"),
    formula("joint", "calibration_intercept", other("joint_calibration_intercept"), "fitted together with the slope",
            "The intercept at slope 1 tells the mean error; the one beside a free slope does not.", 0.5,
                "rms::val.prob"),
    formula("offset", "joint_calibration_intercept", other("calibration_intercept"), "with the slope fixed at 1",
            "The intercept at slope 1 tells the mean error; the one beside a free slope does not.", 0.5,
                "CalibrationCurves"),
    *(
        formula(f"fit_{name}", ("calibration_slope", "joint_calibration_intercept"), with_parameters(fit=name), words,
                "A penalty pulls the slope towards 0.", 0.35, source)
        for name, words, source in (("ridge", "with a penalty on the slope", "scikit-learn's LogisticRegression"),
                                    ("scikit_learn", "by LogisticRegression with its defaults", "scikit-learn"))
    ),
)  # fmt: skip
