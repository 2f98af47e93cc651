"""The methods of intervals and tests as people read them; JSON, CSV and to_dict() keep the short names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

TITLES: Mapping[str, str] = {
    "wilson": "Wilson",
    "wilson_modified": "Wilson (modified)",
    "clopper_pearson": "Clopper-Pearson",
    "mid_p": "exact (mid-P)",
    "jeffreys": "Jeffreys",
    "agresti_coull": "Agresti-Coull",
    "wald": "Wald",
    "log": "log scale",
    "delong": "DeLong",
    "delong_logit": "DeLong (logit scale)",
    "newcombe": "Newcombe",
    "newcombe_delong": "wider of Newcombe and DeLong (logit scale)",
    "delong_student": "DeLong (logit scale, Student)",
    "square_and_add": "Newcombe (square and add)",
    "pooled_losses": "Newcombe (at least the pooled variance)",
    "mover": "MOVER",
    "mover_paired": "MOVER (paired)",
    "linearised": "linearised variance",
    "influence": "infinitesimal jackknife",
    "influence_student": "infinitesimal jackknife (logit or log scale, Student)",
    "influence_logit": "infinitesimal jackknife (logit scale)",
    "class_mover": "MOVER over the classes",
    "normal": "standard error",
    "bootstrap": "bootstrap (percentile)",
    "bca": "bootstrap (BCa)",
    "student": "bootstrap (Student)",
    "bias_corrected": "bootstrap (bias-corrected, logit scale)",
    "sandwich": "sandwich variance",
    "inversion": "simulated tests, inverted",
    "smoothed": "samples of the smoothed data",
    "tango": "Tango",
    "mcnemar_midp": "McNemar (mid-p)",
    "mcnemar_exact": "McNemar (exact)",
    "mcnemar_asymptotic": "McNemar (asymptotic)",
    "mcnemar_corrected": "McNemar (continuity-corrected)",
    "mcnemar_unconditional": "McNemar (exact, unconditional)",
    "weighted_generalised_score": "weighted generalised score",
    "log_ratio": "log ratio",
    "delong_unpaired": "DeLong (independent samples)",
    "permutation": "permutation test",
    "nadeau_bengio": "folds (Nadeau-Bengio)",
    "ledell": "folds (LeDell)",
    "nested": "nested cross-validation",
    "fisher": "Fisher's exact test",
    "tukey_kramer": "Tukey-Kramer, all pairs",
    "newcombe_pairs": "Newcombe of mid-P limits, all pairs (Tukey)",
    "mover_pairs": "MOVER, all pairs (Tukey)",
    "grouped": "Student's t of whole groups",
    "grouped_pairs": "whole groups, all pairs (MOVER, largest |t|)",
    "log_ratio_pairs": "log ratio, all pairs (Tukey)",
    "ratio_student": "ratio estimator (Student)",
    "bootstrap_wilson": "bootstrap standard error (Wilson)",
    "ratio_log": "ratio estimator (Student, log scale)",
    "ratio_wilson": "ratio estimator (Wilson, Student)",
}
RESAMPLED = ("bootstrap", "bca", "student", "bias_corrected", "inversion", "smoothed")


def format_method(method: str) -> str:
    """Return the title of a method, such as "DeLong (logit scale)".

    >>> format_method("delong_logit"), format_method("mcnemar_midp")
    ('DeLong (logit scale)', 'McNemar (mid-p)')
    """
    return TITLES.get(method, method)


def format_methods(methods: Iterable[str]) -> str:
    """Return the titles of several methods, each once."""
    return ", ".join(dict.fromkeys(format_method(method) for method in methods if method))
