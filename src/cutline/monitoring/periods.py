"""Records of a release and of each day (sums, counts and histograms that add up), their file format and checks."""

from __future__ import annotations

import base64
import hashlib
import math
import os
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from importlib import import_module
from pathlib import Path
from types import NoneType
from typing import Any

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.errors import InputError, ParameterError, shorten_repr
from cutline.core.ranking import Ranking
from cutline.core.ranking_file import load as load_ranking
from cutline.core.table import ComparedByFields
from cutline.core.validation import (
    as_numbers,
    check_choice,
    check_level,
    check_number,
    check_text,
    check_type,
    check_whole,
    is_among,
    is_single,
    to_json_label,
)
from cutline.cuts.cut import Cut
from cutline.evaluation import Evaluation
from cutline.inference import drift, sequential
from cutline.inference.sequential import BETS, CALIBRATION_BINS
from cutline.inputs.rank import rank
from cutline.measures import MEASURES, MeanOfCases, Measure
from cutline.measures.measure_type import Needs
from cutline.measures.registry import list_measures

CALIBRATION, PSI = "calibration", "psi"  # which are watched and are no measures
CELLS = 1000  # of the histogram that stands for the scores
TAILS = 24  # cells beyond the scores of the release, on each side
ALARMS = ("ever", "every")
BINS = 10  # of the population stability index


@dataclass(frozen=True, eq=False)
class Period(ComparedByFields):
    """Sums of a release or a day; a day that waits for its labels has no sums."""

    name: str
    checksum: str
    cases: int = 0
    positives: int = 0
    unlabelled: int = 0
    counts: tuple[int, int, int, int] = (0, 0, 0, 0)  # tp, fp, fn, tn at the cut
    bins: Array | None = None  # of all scores, by the bins of the release
    cells: Array | None = None  # of both classes, by the cells of the release
    terms: Array | None = None  # log gains of the calibration bets
    residuals: tuple[float, float] = (0.0, 0.0)  # the sums of y - p and of its square
    losses: Mapping[str, tuple[float, float]] = field(default_factory=dict)  # the same of each mean loss
    waiting: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, ready for JSON; arrays are packed."""
        arrays = {name: _pack(getattr(self, name)) for name in ("bins", "cells", "terms")}
        losses = {name: list(sums) for name, sums in sorted(self.losses.items())}
        rest = {"counts": list(self.counts), "residuals": list(self.residuals), "losses": losses}
        return dict(self.__dict__) | rest | arrays

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Period:
        """Return the period that `to_dict` wrote; anything else raises a TypeError or a ValueError."""
        whole = {name: _check_count(fields[name]) for name in ("cases", "positives", "unlabelled")}
        counts = tuple(map(_check_count, check_type(fields["counts"], list)))
        is_used = not check_type(fields["waiting"], bool) and whole["cases"] > 0
        is_sum = len(counts) == 4 and sum(counts) == (whole["cases"] if is_used else 0)
        if not is_sum or counts[0] + counts[2] != whole["positives"]:
            raise ValueError(f"the counts {shorten_repr(counts)} are not those of its cases")
        texts = {name: check_type(fields[name], str) for name in ("name", "checksum")}
        packed = {name: fields[name] for name in ("bins", "cells", "terms")}
        arrays = {name: None if text is None else _unpack(text) for name, text in packed.items()}
        losses = {name: _check_sums(sums) for name, sums in fields["losses"].items()}
        rest = {"counts": counts, "residuals": _check_sums(fields["residuals"]), "losses": losses}
        return cls(**(dict(fields) | texts | whole | rest | arrays))

    def has_sums_of(self, settings: MonitorSettings, release: Release) -> bool:
        """Whether it holds the sums that the settings need, each of the shape that the release gives it."""
        if self.waiting or not self.cases:
            return True
        cells, bins = len(release.cell_edges) + 1, len(release.bin_edges) + 1
        needed = {
            "bins": (bins,) if PSI in settings.measures else None,
            "cells": (2, cells) if settings.by_order else None,
            "terms": (CALIBRATION_BINS, len(BETS)) if CALIBRATION in settings.measures else None,
        }
        shapes = {name: None if getattr(self, name) is None else getattr(self, name).shape for name in needed}
        return shapes == needed and {*self.losses} == {m.name for m in settings.losses}


@dataclass(frozen=True, eq=False)
class Release(ComparedByFields):
    """The reference sample of the days: its sums, and the bins and cells that all days share."""

    since: str  # the last day before it
    why: str
    period: Period
    cell_edges: Array
    bin_edges: Array
    cell_scores: Array  # a score for each cell, from the most to the least positive
    higher_is_positive: bool
    positive: Any  # as JSON holds it

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, ready for JSON; arrays are packed."""
        arrays = {name: _pack(getattr(self, name)) for name in ("cell_edges", "bin_edges", "cell_scores")}
        return dict(self.__dict__) | arrays | {"period": self.period.to_dict()}

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Release:
        """Return the release that `to_dict` wrote; anything else raises a TypeError or a ValueError."""
        arrays = {name: _unpack(fields[name]) for name in ("cell_edges", "bin_edges", "cell_scores")}
        period = Period.from_dict(fields["period"])
        edges = arrays["cell_edges"], arrays["bin_edges"]
        if any(column.ndim != 1 or not (np.diff(column) > 0).all() for column in edges):
            raise ValueError("its edges are not in order")
        if arrays["cell_scores"].shape != (len(arrays["cell_edges"]) + 1,):
            raise ValueError("its scores do not fit its edges")
        if not period.cases or period.waiting:
            raise ValueError("a release has no cases")
        texts = {name: check_type(fields[name], str) for name in ("since", "why")}
        check_type(fields["higher_is_positive"], bool)
        check_type(fields["positive"], str, bool, int, float)
        return cls(**(dict(fields) | texts | arrays | {"period": period}))


@dataclass(frozen=True)
class MonitorSettings:
    """Settings of a monitor, which hold for all days."""

    measures: tuple[str, ...]
    threshold: float
    level: float
    alarm: str
    run_length: int
    worse_by: Mapping[str, float]
    matures: int | None
    model: str | None

    @property
    def alpha(self) -> float:
        """Return the error probability of one measure: the total one divided evenly."""
        return (1 - self.level) / len(self.measures)

    @property
    def watched(self) -> list[Measure]:
        """Return the measures that are watched, without calibration and the stability of the scores."""
        return [MEASURES[m] for m in self.measures if m not in (CALIBRATION, PSI)]

    @property
    def by_order(self) -> bool:
        """Whether a measure depends on the order of the scores."""
        return any(m.needs is Needs.RANKING for m in self.watched)

    @property
    def losses(self) -> list[Measure]:
        """Return the measures that are means of losses of the cases."""
        return [m for m in self.watched if isinstance(m.form, MeanOfCases)]

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, ready for JSON."""
        fields = {"measures": list(self.measures), "threshold": convert_threshold(self.threshold)}
        return dict(self.__dict__) | fields | {"worse_by": dict(self.worse_by)}

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> MonitorSettings:
        """Return the settings that `to_dict` wrote; anything else raises a TypeError or a ValueError."""
        measures = tuple(check_type(name, str) for name in check_type(fields["measures"], list))
        threshold = fields["threshold"]
        if is_among(threshold, ("inf", "-inf")):
            threshold = float(threshold)
        own: dict[str, Any] = {
            "measures": measures,
            "threshold": float(check_type(threshold, float, int)),
            "level": check_level(check_type(fields["level"], float)),
            "run_length": check_whole(check_type(fields["run_length"], int), "run_length", 2),
            "worse_by": check_worse_by(check_type(fields["worse_by"], dict), measures),
        }
        if fields["matures"] is not None:
            own["matures"] = check_whole(check_type(fields["matures"], int), "matures", 0)
        if not measures or len(set(measures)) < len(measures) or math.isnan(own["threshold"]):
            raise ValueError("it watches nothing")
        if any(name not in MEASURES for name in {*measures} - {CALIBRATION, PSI}):
            raise ValueError("it watches a measure that is not known here")
        check_choice(fields["alarm"], "alarm", ALARMS)
        check_type(fields["model"], str, NoneType)
        return cls(**(dict(fields) | own))


def convert_threshold(value: float) -> float | str:
    """Convert a threshold to JSON: a threshold beyond every score is infinite."""
    return value if math.isfinite(value) else str(value)


def _pack(array: Array | None) -> str | None:
    """Encode an array exactly as text: its type, its shape and its compressed bytes."""
    if array is None:
        return None
    raw = base64.b64encode(zlib.compress(np.ascontiguousarray(array).tobytes(), 6)).decode()
    return f"{array.dtype.str} {','.join(map(str, array.shape))} {raw}"


def _unpack(text: str) -> Array:
    """Return the array that `_pack` wrote."""
    kind, shape, raw = check_type(text, str).split(" ")
    values = np.frombuffer(zlib.decompress(base64.b64decode(raw)), dtype=np.dtype(kind))
    if values.dtype.kind not in "if" or not np.isfinite(values).all():
        raise ValueError("an array holds something else than finite numbers")
    return values.reshape([int(size) for size in shape.split(",")])


def _check_count(value: Any) -> int:
    if not 0 <= check_type(value, int) < 2**62:
        raise ValueError(f"{shorten_repr(value)} is not a count")
    return int(value)


def _check_sums(values: Any) -> tuple[float, float]:
    """Return a sum and a sum of squares, if they are numbers of an ordinary size."""
    first, second = (float(check_type(value, float, int)) for value in check_type(values, list))
    if not max(abs(first), abs(second)) < 1e150:  # whose squares are floats
        raise ValueError(f"{shorten_repr(values)} are not sums of losses")
    return first, second


def compute_checksum(ranking: Ranking) -> str:
    """Return a checksum of the cases that does not depend on their file."""
    whole = hashlib.blake2b(digest_size=32)
    counts = "<u4" if ranking.total < 2**32 else "<u8"
    for column, kind in ((ranking.score, "<f8"), (ranking.pos, counts), (ranking.neg, counts)):
        whole.update(np.ascontiguousarray(column, dtype=kind).data)
    return whole.hexdigest()


def _choose_edges(ranking: Ranking) -> Array:
    """Return the cell edges: quantiles of the release, and beyond its range some that grow by powers of two."""
    score, size = ranking.key, ranking.size
    inner = drift.find_quantile_edges(score, size, CELLS)
    span = float(score[0] - score[-1]) or 1.0
    steps = span * 2.0 ** np.arange(4 - TAILS, 4)
    return np.unique(np.concatenate([score[-1] - steps, [score[-1]], inner, score[0] + steps]))


def _average_cell_scores(ranking: Ranking, edges: Array) -> Array:
    """Return the mean score of the release in each cell, or an edge where it has none; descending."""
    size, key = ranking.size, ranking.key
    weight = drift.count_by_bin(key, size, edges)
    total = drift.count_by_bin(key, size * key, edges)
    empty = np.concatenate(([edges[0] - 1], edges))
    mean = np.where(weight > 0, total / np.maximum(weight, 1), empty)
    return np.asarray(np.maximum.accumulate(mean)[::-1])


def as_ranking(content: Any, what: str) -> tuple[Ranking | None, str | None]:
    """Return the ranking of a release or a day (None without cases), and the name of its model if it has one."""
    if content is None or (isinstance(content, tuple | list) and len(content) == 2 and np.size(content[0]) == 0):
        return None, None
    if isinstance(content, str | os.PathLike):
        content = load_ranking(content)
    elif isinstance(content, tuple | list) and len(content) == 2:
        content = rank(*content)
    name = content.name if isinstance(content, Evaluation) else None
    ranking = content.ranking if isinstance(content, Evaluation) else content
    if not isinstance(ranking, Ranking):
        raise InputError(
            f"is {shorten_repr(content)}",
            "pass a ranking, an evaluation, the path of a ranking file, or labels and scores",
            argument=what,
        )  # fmt: skip
    if not ranking.exact:
        raise InputError(f"{what} holds bins of scores", "make its ranking again, without bins")
    if (
        not ranking.integral
        or not np.array_equal(ranking.pos, ranking.pos2)
        or not np.array_equal(ranking.neg, ranking.neg2)
    ):
        raise InputError(f"{what} holds weights", "pass unweighted cases: sequential tests count them")
    return (ranking if ranking.total else None), name


def make_release(ranking: Ranking, settings: MonitorSettings, *, since: str, why: str) -> Release:
    """Return the record of a release."""
    edges = _choose_edges(ranking)
    bins = drift.find_quantile_edges(ranking.key, ranking.size, BINS)
    scores = _average_cell_scores(ranking, edges)
    empty = Period("release", "")
    frame = Release(since, why, empty, edges, bins, scores, ranking.higher_is_positive, to_json_label(ranking.positive))
    return replace(frame, period=make_period("release", ranking, frame, settings))


def make_period(name: str, ranking: Ranking, release: Release, settings: MonitorSettings) -> Period:
    """Return the sums of a release or a day."""
    counts = ranking.at_threshold(settings.threshold)
    key = ranking.key
    cells = [drift.count_by_bin(key, column, release.cell_edges)[::-1] for column in (ranking.pos, ranking.neg)]
    calibrated = CALIBRATION in settings.measures
    if (calibrated or any(m.needs is Needs.PROBABILITIES for m in settings.watched)) and not ranking.are_probabilities:
        outside = f"{float(ranking.score[0]):g}" if ranking.score[0] > 1 else f"{float(ranking.score[-1]):g}"
        raise InputError(
            f"{name} holds the score {outside}, which is not a probability", "leave out what needs probabilities"
        )
    pos, neg = ranking.pos, ranking.neg
    residuals = (
        (float(pos @ (1 - key) - neg @ key), float(pos @ (1 - key) ** 2 + neg @ key**2)) if calibrated else (0.0, 0.0)
    )
    losses = {m.name: _sum_losses(m, ranking) for m in settings.losses}
    return Period(
        name,
        compute_checksum(ranking),
        int(ranking.total),
        int(ranking.positives),
        int(ranking.dropped),
        (int(counts.tp), int(counts.fp), int(counts.fn), int(counts.tn)),
        drift.count_by_bin(key, ranking.size, release.bin_edges) if PSI in settings.measures else None,
        np.stack(cells).astype(np.int32) if settings.by_order else None,
        sequential.compute_calibration_terms(key, pos, neg) if calibrated else None,
        residuals,
        losses,
    )


def _sum_losses(measure: Measure, ranking: Ranking) -> tuple[float, float]:
    """Return the sums of a loss and of its square over the cases."""
    assert isinstance(measure.form, MeanOfCases)  # noqa: S101
    of_positive, of_negative = measure.form.of(ranking, **measure.bound)
    with np.errstate(invalid="ignore"):
        parts = [
            float(np.where(cells > 0, cells * loss**power, 0.0).sum())
            for power in (1, 2)
            for cells, loss in ((ranking.pos, of_positive), (ranking.neg, of_negative))
        ]
    return parts[0] + parts[1], parts[2] + parts[3]


# ---------------------------------------------------------------------- checks of arguments


MATURE_SHARE = 0.99  # of the labels, that has arrived when a day is mature


def check_measures(measures: Any, ranking: Ranking) -> tuple[str, ...]:
    """Return the names of the watched measures, or raise."""
    default = ("recall", "auc", CALIBRATION) if ranking.are_probabilities else ("recall", "auc")
    chosen = default if measures is None else tuple(list_measures(measures))
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
            f"{measure.name} has no better direction, so it cannot become worse", "watch another measure"
        )
    if not measure.fits(ranking):
        raise InputError(
            f"{measure.name} needs probabilities, but the scores of the release are not probabilities", "leave it out"
        )
    of_cases = isinstance(measure.form, MeanOfCases)
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
            raise ParameterError(f"is {value:g} for {name}", "pass a loss of at least 0", argument="worse_by")
        low, high = MEASURES[name].range
        if value >= high - low:  # no loss is larger, so that the measure could never alarm
            problem = f"is {value:g} for {name}, which lies between {low:g} and {high:g}"
            raise ParameterError(problem, f"pass a loss below {high - low:g}", argument="worse_by")
    return tolerated


def check_matures(matures: Any) -> int:
    """Return the age in days at which the labels of a day are used."""
    if is_single(matures):
        return check_whole(matures, "matures", 0)
    if isinstance(matures, tuple) and len(matures) == 2 and not any(map(is_single, matures)):
        return _estimate_mature_age(*(_check_delays(part) for part in matures))
    return _estimate_mature_age(_check_delays(matures), np.zeros(0))


def _check_delays(delays: Any) -> np.ndarray:
    """Return delays as numbers of days."""
    days = as_numbers(delays, "matures").astype(float)
    if not np.isfinite(days).all() or (days < 0).any():
        raise ParameterError(
            "holds something that is not a delay in days", "pass numbers of at least 0", argument="matures"
        )
    return days


def _estimate_mature_age(delays: np.ndarray, ages: np.ndarray) -> int:
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
            f"no more, so it is unknown when {100 * MATURE_SHARE:g} % have arrived",
            "pass a number of days",
            argument="matures",
        )
    return math.ceil(float(arrived.quantiles[reached.argmax()]))


def choose_threshold(cut: Any, release: Any, ranking: Ranking) -> float:
    """Return the threshold that all days share."""
    if isinstance(cut, str | os.PathLike):
        cut = import_module("cutline.loading").load(cut)  # which knows monitors: so it is loaded here
    if isinstance(cut, Cut):
        cut.require()
        return float(cut.threshold)
    if cut is None:
        return float((release if isinstance(release, Evaluation) else Evaluation(ranking)).threshold)
    return check_number(cut, "cut")


def name_days(days: Any) -> list[tuple[str, Any]]:
    """Return the days as pairs of name and content, in the order of their names."""
    if isinstance(days, Mapping):
        days = days.items()
    elif isinstance(days, str | os.PathLike):
        days = [days]
    way_out = 'pass pairs such as ("2026-11-01", ranking), or paths'
    try:
        entries = list(days)
    except Exception:  # any, because the days may be of any class
        raise ParameterError(f"is {shorten_repr(days)}", way_out, argument="days") from None
    pairs = []
    for entry in entries:
        if isinstance(entry, str | os.PathLike):
            pairs.append((Path(entry).stem, entry))
        elif isinstance(entry, tuple) and len(entry) == 2:
            pairs.append((format_day(entry[0]), entry[1]))
        else:
            raise ParameterError(f"holds {shorten_repr(entry)}", way_out, argument="days")
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"The day {name} is given twice", "pass each day once, or merge its rankings before")
    return sorted(pairs, key=lambda pair: pair[0])


def format_day(name: Any) -> str:
    """Return the name of a day as text; dates in the form that sorts."""
    text = name.isoformat()[:10] if isinstance(name, date) else check_text(name, "day", "2026-11-01").strip()
    if not text:
        raise ParameterError("is empty", "name the day, such as 2026-11-01", argument="day")
    return text


def parse_day(name: str) -> date:
    """Return the date that a day is named after."""
    try:
        return date.fromisoformat(name[:10])
    except ValueError:
        raise InputError(
            f"The day {name!r} is not a date, and labels that arrive late need dates", "name days such as 2026-11-01"
        ) from None
