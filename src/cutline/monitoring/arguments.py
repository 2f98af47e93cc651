"""Check the arguments of `monitor`: measures, tolerated losses, delays of labels, the cut, and the names of days."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from datetime import date
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from cutline.core.errors import InputError, ParameterError, briefly
from cutline.core.ranking import Ranking
from cutline.core.validation import check_number, check_text, check_whole, is_among, is_single, numbers
from cutline.cuts.cut import Cut
from cutline.evaluation import Evaluation
from cutline.measures import MEASURES, MeanOfCases, Measure
from cutline.measures.measure_type import Needs
from cutline.measures.registry import each_of
from cutline.monitoring.periods import CALIBRATION, PSI

MATURE_SHARE = 0.99  # of the labels, that has arrived when a day is mature


def check_measures(measures: Any, ranking: Ranking) -> tuple[str, ...]:
    """Return the names of the watched measures, or raise."""
    default = ("recall", "auc", CALIBRATION) if ranking.are_probabilities else ("recall", "auc")
    chosen = default if measures is None else tuple(each_of(measures))
    if not chosen:
        raise ParameterError("is empty", 'pass at least one, such as "recall"', argument="measures")
    names = tuple(name if is_among(name, (CALIBRATION, PSI)) else MEASURES[name].name for name in chosen)
    if len(set(names)) < len(names):
        raise ParameterError("names a measure twice", "pass each one once", argument="measures")
    for name in names:
        if name == CALIBRATION and not ranking.are_probabilities:
            raise InputError("The scores of the release are not probabilities (0 to 1)", "leave out calibration")
        if name not in (CALIBRATION, PSI):
            _check_watchable(MEASURES[name], ranking)
    return names


def _check_watchable(measure: Measure, ranking: Ranking) -> None:
    """Raise if a measure has no direction or no standard error that adds up over days."""
    if measure.better is None:
        raise ParameterError(
            f"{measure.name} is neither better high nor low, so it cannot become worse", "watch another measure"
        )
    if not measure.fits(ranking):
        raise InputError(f"{measure.name} needs probabilities, and the release has other scores", "leave it out")
    of_cases = isinstance(measure.kind, MeanOfCases)
    if measure.required or not (of_cases or measure.needs in (Needs.COUNTS, Needs.RANKING)):
        raise ParameterError(
            f"{measure.name} has no confidence sequence", f"watch brier, log_loss or {CALIBRATION} instead"
        )


def check_worse_by(worse_by: Any, measures: tuple[str, ...]) -> dict[str, float]:
    """Return the tolerated loss of each measure that has one."""
    if worse_by is None:
        return {}
    comparable = [name for name in measures if name not in (CALIBRATION, PSI)]
    if isinstance(worse_by, Mapping):
        tolerated = {MEASURES[name].name if name in MEASURES else name: value for name, value in worse_by.items()}
    else:
        tolerated = dict.fromkeys(comparable, worse_by)
    for name in tolerated:
        if name not in comparable:
            why = "is not compared with the release" if name in (CALIBRATION, PSI) else "is not watched"
            raise ParameterError(f"names {name}, which {why}", "leave it out", argument="worse_by")
    tolerated = {name: check_number(value, "worse_by") for name, value in tolerated.items()}
    for name, value in tolerated.items():
        if not 0 <= value < math.inf:
            raise ParameterError(f"is {value:g} for {name}", "pass a loss from 0", argument="worse_by")
        low, high = MEASURES[name].range
        if value >= high - low:  # no loss is larger, so that the measure could never alarm
            problem = f"is {value:g} for {name}, which lies between {low:g} and {high:g}"
            raise ParameterError(problem, f"pass a loss below {high - low:g}", argument="worse_by")
    return tolerated


def check_matures(matures: Any) -> int:
    """Return the age in days from which on the labels of a day are used."""
    if is_single(matures):
        return check_whole(matures, "matures", 0)
    if isinstance(matures, tuple) and len(matures) == 2 and not any(map(is_single, matures)):
        return _mature_age(*(_check_delays(part) for part in matures))
    return _mature_age(_check_delays(matures), np.zeros(0))


def _check_delays(delays: Any) -> np.ndarray:
    """Return delays as numbers of days."""
    days = numbers(delays, "matures").astype(float)
    if not np.isfinite(days).all() or (days < 0).any():
        raise ParameterError("holds something that is no delay in days", "pass numbers from 0", argument="matures")
    return days


def _mature_age(delays: np.ndarray, ages: np.ndarray) -> int:
    """Return the age at which 99 % of the labels have arrived, by Kaplan and Meier's estimator.

    Args:
        delays: Days that the labels took that have arrived.
        ages: Days that cases without a label have waited so far: they are censored, not ignored.
    """
    from scipy.stats import CensoredData, ecdf

    if not len(delays):
        raise ParameterError("holds no delay of a label", "pass one number for each label", argument="matures")
    arrived = ecdf(CensoredData(uncensored=delays, right=ages)).cdf
    reached = arrived.probabilities >= MATURE_SHARE - 1e-12
    if not reached.any():
        raise ParameterError(
            f"shows {100 * arrived.probabilities[-1]:.3g} % of the labels after {arrived.quantiles[-1]:g} days and "
            f"no more, so that nobody knows when {100 * MATURE_SHARE:g} % have arrived",
            "pass a number of days",
            argument="matures",
        )
    return math.ceil(float(arrived.quantiles[reached.argmax()]))


def threshold_of(cut: Any, release: Any, ranking: Ranking) -> float:
    """Return the threshold that all days share."""
    if isinstance(cut, str | os.PathLike):
        cut = import_module("cutline.loading").load(cut)  # which knows monitors: so it is loaded here
    if isinstance(cut, Cut):
        cut.require()
        return float(cut.threshold)
    if cut is None:
        return float((release if isinstance(release, Evaluation) else Evaluation(ranking)).threshold)
    return check_number(cut, "cut")


def named_days(days: Any) -> list[tuple[str, Any]]:
    """Return the days as pairs of name and content, in the order of their names."""
    if isinstance(days, Mapping):
        days = days.items()
    elif isinstance(days, str | os.PathLike):
        days = [days]
    way_out = 'pass pairs such as ("2026-11-01", ranking), or paths'
    try:
        entries = list(days)
    except Exception:  # any, because the days may be of any class
        raise ParameterError(f"is {briefly(days)}", way_out, argument="days") from None
    pairs = []
    for entry in entries:
        if isinstance(entry, str | os.PathLike):
            pairs.append((Path(entry).stem, entry))
        elif isinstance(entry, tuple) and len(entry) == 2:
            pairs.append((day_name(entry[0]), entry[1]))
        else:
            raise ParameterError(f"holds {briefly(entry)}", way_out, argument="days")
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"The day {name} is given twice", "pass each day once, or merge its rankings before")
    return sorted(pairs, key=lambda pair: pair[0])


def day_name(name: Any) -> str:
    """Return the name of a day as text; dates in the form that sorts."""
    text = name.isoformat()[:10] if isinstance(name, date) else check_text(name, "day", "2026-11-01").strip()
    if not text:
        raise ParameterError("is empty", "name the day, such as 2026-11-01", argument="day")
    return text


def date_of(name: str) -> date:
    """Return the date that a day is named after."""
    try:
        return date.fromisoformat(name[:10])
    except ValueError:
        raise InputError(
            f"The day {name!r} is no date, and labels that come late need dates", "name days such as 2026-11-01"
        ) from None
