"""What the letters of a formula stand for: in words, and for a measure of one cut in the numbers of a table."""

from __future__ import annotations

import re
from collections.abc import Callable

from cutline import Counts
from cutline.measures import Measure, Needs

Value = Callable[..., str]


def part(some: float, of: float) -> str:
    """A share, as a small fraction."""
    return rf"\tfrac{{{some:g}}}{{{of:g}}}"


def number(value: float) -> str:
    """A number with at most four decimals."""
    return f"{round(float(value), 4):g}"


def _by_chance(c: Counts) -> str:
    return number(float((c.positives * c.flagged + c.negatives * c.unflagged) / c.total**2))


# Longer names stand before those that they begin with.
OF_ONE_CUT: dict[str, tuple[str, Value]] = {
    "TPR": ("true positive rate (recall)", lambda c, **_: part(c.tp, c.positives)),
    "TNR": ("true negative rate (specificity)", lambda c, **_: part(c.tn, c.negatives)),
    "FPR": ("false positive rate", lambda c, **_: part(c.fp, c.negatives)),
    "FNR": ("false negative rate", lambda c, **_: part(c.fn, c.positives)),
    "NPV": ("negative predictive value", lambda c, **_: part(c.tn, c.unflagged)),
    r"\text{precision}": ("", lambda c, **_: part(c.tp, c.flagged)),
    r"\text{recall}": ("", lambda c, **_: part(c.tp, c.positives)),
    "NB": ("net benefit", lambda c, **_: number(c.net_benefit)),
    "c_{FP}": ("cost of a false positive", lambda c, cost_fp=1, **_: number(cost_fp)),
    "c_{FN}": ("cost of a false negative", lambda c, cost_fn=1, **_: number(cost_fn)),
    "TP": ("true positives", lambda c, **_: number(c.tp)),
    "TN": ("true negatives", lambda c, **_: number(c.tn)),
    "FP": ("false positives", lambda c, **_: number(c.fp)),
    "FN": ("false negatives", lambda c, **_: number(c.fn)),
    "P_0": ("accuracy", lambda c, **_: part(c.tp + c.tn, c.total)),
    "P_e": ("accuracy by chance, with so many positives and so many flags", lambda c, **_: _by_chance(c)),
    "p_t": ("the threshold, as a risk", lambda c, **_: number(c.threshold)),
    "O_+": ("flagged cases", lambda c, **_: number(c.flagged)),
    "O_-": ("cases not flagged", lambda c, **_: number(c.unflagged)),
    "P": ("positives", lambda c, **_: number(c.positives)),
    "N": ("negatives", lambda c, **_: number(c.negatives)),
    "n": ("all cases", lambda c, **_: number(c.total)),
    "F": ("flagged cases", lambda c, **_: number(c.flagged)),
    "c": ("the parameter weight", lambda c, weight=0.5, **_: number(weight)),
    r"\alpha": ("the parameter alpha", lambda c, alpha=0.5, **_: number(alpha)),
    r"\beta": ("the parameter beta", lambda c, beta=1, **_: number(beta)),
    r"\pi_0": ("prevalence that the null model knows", lambda c, **_: part(c.positives, c.total)),
    r"\pi": ("prevalence", lambda c, **_: part(c.positives, c.total)),
}
_EVERYWHERE = ("TPR", "TNR", "FPR", "FNR", "TP", "TN", "FP", "FN", "P", "N", r"\pi_0", r"\pi", "c_{FP}", "c_{FN}")
# Of formulas of whole lists: what is looked for in the formula, the letter, and its words.
_OF_LISTS = (
    (r"AUC", "AUC", "area under the ROC curve"),
    (r"S\^\+", "S^+", "score of a positive"),
    (r"S\^-", "S^-", "score of a negative"),
    (r"\[k\]", "t^{[k]}", "1 if place k of the list holds a positive, otherwise 0"),
    (r"\[j\]", "t^{[j]}", "1 if place j of the list holds a positive, otherwise 0"),
    (r"\(j\)|=1\}\^j|j = ", "j", "number of first places of the list"),
    (r"g\(j\)", "g(j)", "positives in the first j places"),
    (r"(?<!Delta )r_i", "r_i", "place of the i-th positive"),
    (r"\\m(ax|in)_\{?t|\(t[)_]", "t", "threshold"),
    (r"(?<!_)\bp\(t", "p(t)", "precision at t"),
    (r"(?<!_)\br\(t", "r(t)", "recall at t"),
    (r"s_i", "y_i", "1 for a positive case, -1 for a negative one"),
    (r"s_i", "s_i", "score of case i"),
    (r"y_i(?!.*s_i)", "y_i", "1 for a positive case, 0 for a negative one"),
    (r"p_i", "p_i", "probability that is given to case i"),
    (r"p_t", "p_t", "probability that is given to the true class"),
    (r"\\hat s", r"\hat s", "smooth calibration curve"),
    (r"\\bar S", r"\bar S", "mean Brier score, or log loss with score='log'"),
    (r"PAV", r"\hat p_{PAV}", "probabilities after isotonic recalibration"),
    (r"\\ell(?!_)", r"\ell", "log likelihood of the model"),
    (r"\\ell_0", r"\ell_0", "log likelihood of always saying the prevalence"),
    (r"_b\b", "b", "a bin of cases"),
    (r"O_b", "O_b, E_b", "observed and expected positives in it"),
)


def legend(measure: Measure) -> str:
    r"""What the letters of a measure's formula and of its reference values stand for; empty where none is known.

    >>> from cutline import MEASURES
    >>> legend(MEASURES["npv"])
    'TN: true negatives; FN: false negatives; $\\pi$: prevalence.'
    """
    formula = re.sub(r"\\text\{[^{}]*\}", " ", measure.formula)
    values = f"{measure.baseline.latex} ; {measure.perfect.latex}"
    names = OF_ONE_CUT if measure.needs is Needs.COUNTS else _EVERYWHERE
    known = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    told = {}
    if measure.needs is not Needs.COUNTS:
        told = {name: words for pattern, name, words in _OF_LISTS if re.search(pattern, formula)}
        if re.search(r"\bn\b|1n|_n", formula) and "n" not in measure.parameters:
            told["n"] = "all cases"
    for name in re.findall(rf"(?<![A-Za-z\\_])({known})(?![A-Za-z_]|(?<=\bP)\()", f"{formula} ; {values}"):
        if words := OF_ONE_CUT[name][0]:
            told.setdefault(name, words)
    if re.search(r"(?<![A-Za-z\\_])q(?![A-Za-z])", f"{formula} {values}"):
        told["q"] = "share of the cases that is flagged"
    return "; ".join(f"{_shown(name)}: {words}" for name, words in told.items()) + "." if told else ""


def _shown(name: str) -> str:
    return f"${name}$" if re.search(r"[\\_^(]", name) or (len(name) == 1 and name.islower()) else name
