"""Results keep the alias by which a measure was requested."""

from __future__ import annotations

from dataclasses import replace

from cutline.measures.measure_type import Measure

_CAPITALS = frozenset(
    [
        *("acc", "ap", "auc", "aucpr", "auprc", "auroc", "bacc", "ber", "cc", "csi", "dg", "dor", "err", "fdr", "ipa"),
        *("ks", "map", "mape", "mse", "pauc", "ppv", "pr", "prbep", "roc", "tnr", "tpr"),
    ]
)
_PEOPLE = frozenset(
    [
        *("brier", "cohen", "cox", "fowlkes", "gini", "kolmogorov", "mallows", "matthews", "pearson", "smirnov"),
        *("somers", "tjur", "youden"),
    ]
)


def use_alias(measure: Measure, name: object) -> Measure:
    """Return the measure under the name it was asked for, with a title that fits: "sensitivity" stays sensitivity.

    >>> from cutline import MEASURES
    >>> use_alias(MEASURES["recall"], "sensitivity").title, use_alias(MEASURES["recall"], "tpr").title
    ('Sensitivity', 'TPR')
    >>> use_alias(MEASURES["mcc"], "mcc") is MEASURES["mcc"]
    True
    """
    if not isinstance(name, str):
        return measure
    alias = name if name in measure.names else name.lower()
    return replace(measure, title=_make_title(alias), display_name=alias) if alias in measure.aliases else measure


def _make_title(name: str) -> str:
    first, *others = map(_spell, name.split("_"))
    return " ".join((first[:1].upper() + first[1:], *others))


def _spell(word: str) -> str:
    if word in _CAPITALS:
        return word.upper()
    return word.capitalize() if word in _PEOPLE else word
