"""Conventions of the printed number alone: its unit, its scale, its sign."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from cutline.ledger.cases import Material
from cutline.ledger.convention import Applies, Convention, Stage, is_one_of
from cutline.ledger.quantity import PrintedQuantity

_LOGS = ("log_loss", "mutual_information", "balanced_cross_entropy", "focal_loss", "information_score")
SUMMED = ("log_loss", "brier", "mae", "balanced_cross_entropy", "focal_loss", "hinge_loss", "accuracy", "error_rate")


_ODDS = "diagnostic_odds_ratio"
_RATIOS = (_ODDS, "lr_plus", "lr_minus", "lift", "oe_ratio")


def is_percent(q: PrintedQuantity) -> bool:
    """Whether people report it per 100: shares, and net benefit, which has no lower end."""
    _, high = q.range if q.measure is None else q.measure.range
    return not q.is_test and high <= 1


def _is_share(q: PrintedQuantity) -> bool:
    low, high = q.range
    return not q.is_test and not q.is_inferred and low == 0 and high == 1


def _is_loss(q: PrintedQuantity) -> bool:
    return q.measure is not None and q.measure.better == "lower" and not q.is_inferred


def _sum_up(value: float, material: Material) -> float:
    return value * float(material.ranking.total)


def _log(value: float) -> float:
    return math.log(value) if value > 0 else math.nan


def _make_discriminant_power(base: float) -> Callable[[float], float]:
    return lambda odds: math.sqrt(3) / math.pi * _log(odds) / math.log(base)


def _double(value: float, _: Material) -> float:
    return 2 * value


def _by(function: Callable[[float], float]) -> Callable[[float, Material], float]:
    return lambda value, _: function(value)


def _result(
    name: str, choice: str, act: Callable[[float, Material], float], applies: Applies, words: str, why: str, *more: Any
) -> Convention:
    plausible, source = (*more, "")[:2]
    return Convention(name, choice, Stage.RESULT, words, why, act, applies, plausible, source)


CONVENTIONS = (
    _result("percent", "unit", _by(lambda x: 100 * x), is_percent, "as a percentage",
            "The number is 100 times as large.", 0.6, "pROC, percent=TRUE; KS in credit scoring"),
    _result("complement", "scale", _by(lambda x: 1 - x), _is_share, "subtracted from 1",
            "The complement was reported: an error in place of a success, or the reverse.", 0.35,
                "error rates in place of success rates"),
    _result("negative", "scale", _by(lambda x: -x), _is_loss, "with the sign turned",
            "Scorers turn losses round, so that more is better.", 0.5, "scikit-learn's neg_log_loss, neg_brier_score"),
    _result("bits", "logarithm", _by(lambda x: x / math.log(2)), is_one_of(*_LOGS), "with logarithms to base 2",
            "The number is in bits, 1.4427 times that in nats.", 0.45, "information theory; older R packages"),
    _result("bans", "logarithm", _by(lambda x: x / math.log(10)), is_one_of(*_LOGS), "with logarithms to base 10",
            "The number is in bans, 0.4343 times that in nats.", 0.25, "weights of evidence"),
    _result("sum", "mean", _sum_up, is_one_of(*SUMMED), "as a sum over the cases instead of their mean",
            "The number grows with the number of cases.", 0.4,
            "scikit-learn's log_loss, accuracy_score and zero_one_loss, normalize=False"),
    _result("both_classes", "scale", _double, is_one_of("brier"), "as a sum over both classes, from 0 to 2",
            "Brier's own form adds the squares of both classes, which doubles the number.", 0.55,
            "Brier 1950; scikit-learn's brier_score_loss, scale_by_half=False"),
    _result("root", "scale", _by(lambda x: math.sqrt(x) if x >= 0 else math.nan), is_one_of("brier"),
            "as the root of the mean square (RMSE)", "The square root was taken.", 0.4, "XGBoost's and Weka's rmse"),
    _result("gini", "scale", _by(lambda x: 2 * x - 1), is_one_of("auc"), "as a Gini coefficient, 2 AUC - 1",
            "Credit scoring reports the AUC on the scale from -1 to 1.", 0.5, "CatBoost's NormalizedGini; hmeasure"),
    _result("area", "scale", _by(lambda x: (x + 1) / 2), is_one_of("gini"), "as an AUC, (Gini + 1) / 2",
            "The number is on the scale of the AUC.", 0.4, "credit scoring"),
    _result("natural_logarithm", "scale", _by(_log), is_one_of(*_RATIOS), "as its natural logarithm",
            "Ratios are reported on a log scale, where 0 means no relation.", 0.35,
            "statsmodels' Table2x2, log_oddsratio"),
    _result("binary_logarithm", "scale", _by(lambda x: _log(x) / math.log(2)), is_one_of(*_RATIOS),
            "as its logarithm to base 2", "Ratios are reported on a log scale, where 0 means no relation.", 0.15,
            "PyCM's IS (information score)"),
    *(
        _result(f"discriminant_power{suffix}", "scale", _by(_make_discriminant_power(base)), is_one_of(_ODDS),
                f"as the discriminant power, its {words} times sqrt(3)/pi",
                "The logarithm of the odds ratio on the scale of a standard normal variable.", 0.15, source)
        for suffix, base, words, source in (
            ("", math.e, "natural logarithm", "Sokolova and others 2006"),
            ("_10", 10.0, "logarithm to base 10", "PyCM's DP"),
        )
    ),
    _result("yule_q", "scale", _by(lambda x: (x - 1) / (x + 1)), is_one_of(_ODDS), "as Yule's Q, (x - 1) / (x + 1)",
            "Yule's Q brings the odds ratio to the scale from -1 to 1.", 0.15, "PyCM's Q"),
    _result("deviance", "scale", _double, is_one_of("log_loss"), "doubled",
            "The deviance is twice the negative log-likelihood.", 0.15, "statsmodels' deviance"),
)  # fmt: skip
