"""One measure over the days since a release: its values, its confidence sequence, and its alarms."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import betaincinv, chdtri, expit, logit, ndtri

from cutline.core.array_ops import Array
from cutline.core.counts import Counts
from cutline.core.ranking import Ranking
from cutline.core.table import ComparedByFields
from cutline.inference import delong, drift, influence, sequential
from cutline.measures import MEASURES, LinearInAuc, MeanOfCases, Measure, Proportion
from cutline.measures.measure_type import Needs
from cutline.monitoring.periods import CALIBRATION, PSI, MonitorSettings, Period, Release

PERIODS = 30  # at which the asymptotic sequences are tightest, and after which the detector starts another one
OF_RELEASE, OF_DAYS = 0.4, 0.6  # how the error probability is divided between the release sample and the days
FEWEST_OF_A_CLASS = 20  # before an asymptotic sequence starts
FEWEST_ERRORS = 10  # cases of the smaller class on the wrong side, for measures of the order


@dataclass(frozen=True, eq=False)
class Track(ComparedByFields):
    """One measure over the days that follow one release: values, sequence and evidence, an entry for each day."""

    measure: str
    value: Array
    cumulated: Array
    low: Array
    high: Array
    release: float
    limit: float | Array  # which the measure must stay on the right side of; of the PSI, one for each day
    evidence: Array  # E, or the Shiryaev-Roberts statistic, as a natural logarithm; NaN where the sequence decides
    alarm_at: float  # as a logarithm
    alarms: tuple[int, ...]
    status: tuple[str, ...]


def make_track(
    name: str, days: tuple[Period, ...], release: Release, settings: MonitorSettings, restarts: Mapping[int, int]
) -> Track:
    """Return the values, the sequence and the alarms of one measure over the days since a release.

    Args:
        name: The measure, "calibration" or "psi".
        days: The days that count, in order.
        release: The reference sample.
        settings: The settings of the monitor.
        restarts: By the day of an acknowledged alarm, the day with which its detector starts anew.
    """
    if name == CALIBRATION:
        return _track_calibration(days, release, settings, restarts)
    if name == PSI:
        return _track_psi(days, release, settings)
    measure = MEASURES[name]
    if isinstance(measure.form, Proportion) and measure.form.then is float:
        return _track_share(measure, days, release, settings, restarts)
    return _track_smooth(measure, days, release, settings, restarts)


def _find_first(crossed: Array) -> tuple[int, ...]:
    """Return the index of the first true value; None without one."""
    return (int(crossed.argmax()),) if crossed.any() else ()


def _detect(
    log_ratios: Array, threshold: float, restarts: Mapping[int, int], weights: Array | None = None
) -> tuple[Array, tuple[int, ...]]:
    """Return the detector's path and its alarms; it restarts when an alarm is acknowledged."""
    path, alarms, start = np.empty(len(log_ratios)), list[int](), 0
    while start < len(log_ratios):
        path[start:] = sequential.compute_shiryaev_roberts(log_ratios[start:], weights)
        hit = _find_first(path[start:] >= threshold)
        alarms += [start + i for i in hit]
        if not hit or alarms[-1] not in restarts:
            break
        start = restarts[alarms[-1]]
    return path, tuple(alarms)


def _stack_counts(days: Iterable[Period]) -> Array:
    """Return the four counts of each day, a row for each."""
    return np.array([day.counts for day in days], dtype=np.int64).reshape(-1, 4)


def _track_share(
    measure: Measure, days: tuple[Period, ...], release: Release, settings: MonitorSettings, restarts: Mapping[int, int]
) -> Track:
    """Return a proportion at the cut: exact, by beta-binomial mixtures."""
    assert isinstance(measure.form, Proportion)  # noqa: S101
    share = measure.form.of
    per_day = _stack_counts(days)
    s, n = (np.asarray(x, dtype=np.int64) for x in share(Counts(*per_day.T)))
    x0, n0 = (int(x) for x in share(Counts(*release.period.counts)))
    below = measure.better == "higher"
    alpha, tolerated = settings.alpha, settings.worse_by.get(measure.name, 0.0)
    # Everything as successes that should not become rarer.
    good, good0 = (s, x0) if below else (n - s, n0 - x0)
    low0 = float(betaincinv(good0, n0 - good0 + 1, OF_RELEASE * alpha)) if good0 else 0.0
    promised = low0 - tolerated
    limit = promised if below else 1 - promised
    cumulated_s, cumulated_n = s.cumsum(), n.cumsum()
    low, high = sequential.bound_proportion(cumulated_s, cumulated_n, OF_DAYS * alpha)
    ready = cumulated_n > 0
    alarm_at = (
        -math.log(OF_DAYS * alpha)
        if settings.alarm == "ever"
        else math.log(settings.run_length * len(settings.measures))
    )
    alarms: tuple[int, ...] = ()
    if promised <= 0:
        evidence = np.full(len(days), -np.inf)
    elif settings.alarm == "ever":
        evidence = sequential.log_evidence_below(good.cumsum(), cumulated_n, min(promised, 1 - 1e-12))
        alarms = _find_first(evidence >= alarm_at)
    else:
        evidence, alarms = _detect(sequential.log_ratios_below(good, n, min(promised, 1 - 1e-12)), alarm_at, restarts)
    with np.errstate(invalid="ignore", divide="ignore"):
        value, cumulated = s / n, cumulated_s / cumulated_n
    status = tuple("" if many else f"no case for {measure.name}" for many in n)
    return Track(
        measure.name, value, cumulated, np.where(ready, low, np.nan), np.where(ready, high, np.nan),
        x0 / n0 if n0 else math.nan, limit, evidence, alarm_at, alarms, status,
    )  # fmt: skip


def _track_calibration(
    days: tuple[Period, ...], release: Release, settings: MonitorSettings, restarts: Mapping[int, int]
) -> Track:
    """Return the mean of y - p; the evidence is a mixture of bets, exact if E(y | past) = p."""
    alpha = settings.alpha
    nothing = np.zeros((sequential.CALIBRATION_BINS, len(sequential.BETS)))
    steps = np.array([nothing if d.terms is None else d.terms for d in days]).reshape(-1, *nothing.shape)
    bets, weights = sequential.compute_calibration_bets(steps), sequential.weight_calibration_bets()
    if settings.alarm == "ever":
        alarm_at = -math.log(alpha)
        evidence = sequential.compute_log_mean(bets.cumsum(0), weights)
        alarms = _find_first(evidence >= alarm_at)
    else:
        alarm_at = math.log(settings.run_length * len(settings.measures))
        evidence, alarms = _detect(bets, alarm_at, restarts, weights)
    n = np.array([d.cases for d in days], dtype=float)
    sums = np.array([d.residuals for d in days], dtype=float).reshape(-1, 2)
    t, total, squares = n.cumsum(), *sums.cumsum(0).T
    with np.errstate(invalid="ignore", divide="ignore"):
        value, mean = sums[:, 0] / n, total / t
        spread = np.sqrt(np.maximum(squares / t - mean**2, 0))
        half = spread * sequential.compute_half_width(t, OF_DAYS * alpha, _find_tightest(days))
    started = t >= 2 * FEWEST_OF_A_CLASS
    own = release.period
    status = tuple("" if many else "no cases" for many in n)
    return Track(
        CALIBRATION, value, mean, np.where(started, mean - half, np.nan), np.where(started, mean + half, np.nan),
        own.residuals[0] / own.cases, 0.0, evidence, alarm_at, alarms, status,
    )  # fmt: skip


def _find_tightest(days: tuple[Period, ...]) -> float:
    """Return the number of cases at which a sequence is tightest: those of 30 days like the first one."""
    return float(PERIODS * next((day.cases for day in days if day.cases), 1))


def _track_psi(days: tuple[Period, ...], release: Release, settings: MonitorSettings) -> Track:
    """Return the index of each day against the release; day t may spend 6 / (pi t)^2 of the error probability."""
    base = np.asarray(release.period.bins, dtype=float)
    n0, freedom = base.sum(), len(base) - 1
    value, cumulated, critical = (np.full(len(days), np.nan) for _ in range(3))
    so_far = np.zeros_like(base)
    t = 0
    for i, day in enumerate(days):
        if day.bins is None or not day.cases:
            continue
        t += 1
        own = np.asarray(day.bins, dtype=float)
        so_far = so_far + own
        value[i], cumulated[i] = drift.compute_psi(base, own), drift.compute_psi(base, so_far)
        if settings.alarm == "ever":
            spent = settings.alpha * 6 / (math.pi * t) ** 2
        else:
            spent = 1 / (settings.run_length * len(settings.measures))
        critical[i] = float(chdtri(freedom, spent)) * (1 / n0 + 1 / own.sum())
    crossed = value > critical
    alarms = _find_first(crossed)
    status = tuple("" if d.cases else "no cases" for d in days)
    nothing = np.full(len(days), np.nan)
    return Track(PSI, value, cumulated, nothing, nothing, math.nan, critical, nothing, 0.0, alarms, status)


class _Smooth(NamedTuple):
    """A value with its standard error, and whether it rests on enough cases."""

    value: float
    error: float
    ready: bool


class _RunningSums(NamedTuple):
    """Sums over some days."""

    cases: int
    positives: int
    counts: Array
    cells: Array | None
    loss: Array

    def add_day(self, day: Period, name: str) -> _RunningSums:
        """Return the sums with one more day."""
        cells = day.cells if self.cells is None else self.cells if day.cells is None else self.cells + day.cells
        return _RunningSums(
            self.cases + day.cases,
            self.positives + day.positives,
            self.counts + np.array(day.counts),
            None if cells is None else cells.astype(np.int64),
            self.loss + np.array(day.losses.get(name, (0.0, 0.0))),
        )


_NOTHING = _RunningSums(0, 0, np.zeros(4, dtype=np.int64), None, np.zeros(2))


def _estimate_smooth(measure: Measure, sums: _RunningSums, release: Release) -> _Smooth:
    """Return a measure of some days together with its standard error."""
    smaller = min(sums.positives, sums.cases - sums.positives)
    ready = smaller >= FEWEST_OF_A_CLASS
    if isinstance(measure.form, MeanOfCases):
        if not sums.cases:
            return _Smooth(math.nan, math.nan, False)
        mean, square = sums.loss / sums.cases
        return _Smooth(float(mean), math.sqrt(max(square - mean**2, 0.0) / sums.cases), ready)
    if measure.needs is Needs.COUNTS:
        counts = Counts(*sums.counts)
        value = float(measure.compute(counts)) if sums.cases else math.nan
        if not ready or math.isnan(value):
            return _Smooth(value, math.nan, False)
        return _Smooth(value, math.sqrt(influence.compute_variance_of_cut(measure.compute, counts, counts)), True)
    if sums.cells is None or not smaller:
        return _Smooth(math.nan, math.nan, False)
    filled = sums.cells.any(0)
    pos, neg = sums.cells[:, filled]
    score = release.cell_scores[filled]
    ranking = Ranking(score, pos, neg, pos, neg)
    value = float(measure.compute(ranking))
    area = float((ranking.pairs.concordant + ranking.pairs.tied / 2) / ranking.pairs.every)
    ready = ready and smaller * min(area, 1 - area) >= FEWEST_ERRORS
    if not ready or math.isnan(value):
        return _Smooth(value, math.nan, False)
    if isinstance(measure.form, LinearInAuc):
        slope = measure.form.of(ranking)[0]
        return _Smooth(value, abs(float(slope)) * math.sqrt(float(delong.compute_variance(ranking))), True)
    changes = influence.differentiate_order(measure.compute, value, ranking)
    if changes is None:
        return _Smooth(value, math.nan, False)
    return _Smooth(value, math.sqrt(changes.variance(ranking)), True)


class _Scale(NamedTuple):
    """Scale on which the sampling distribution of a measure is about normal."""

    there: Callable[[float], float]
    back: Callable[[float], float]
    slope: Callable[[float], float]


_LOGIT = _Scale(logit, expit, lambda v: 1 / (v * (1 - v)))
_LOG = _Scale(math.log, math.exp, lambda v: 1 / v)
_SAME = _Scale(float, float, lambda _: 1.0)


def _choose_scale(measure: Measure) -> _Scale:
    low, high = measure.range
    return _LOGIT if (low, high) == (0, 1) else _LOG if (low, high) == (0, math.inf) else _SAME


def _compute_limits(estimate: _Smooth, distance: float, scale: _Scale) -> tuple[float, float]:
    """Return the limits that lie a number of standard errors away, on the scale of the measure."""
    if not estimate.ready or math.isnan(estimate.error):
        return math.nan, math.nan
    if scale is not _SAME and not 0 < estimate.value < (1 if scale is _LOGIT else math.inf):
        return math.nan, math.nan
    centre = float(scale.there(estimate.value))
    half = distance * estimate.error * scale.slope(estimate.value)
    return float(scale.back(centre - half)), float(scale.back(centre + half))


def _track_smooth(
    measure: Measure, days: tuple[Period, ...], release: Release, settings: MonitorSettings, restarts: Mapping[int, int]
) -> Track:
    """Track any other measure, by an asymptotic confidence sequence on its scale."""
    scale, alpha = _choose_scale(measure), settings.alpha
    below = measure.better == "higher"
    at_release = _estimate_smooth(measure, _NOTHING.add_day(release.period, measure.name), release)
    limits0 = _compute_limits(at_release, float(ndtri(1 - OF_RELEASE * alpha)), scale)
    tolerated = settings.worse_by.get(measure.name, 0.0)
    limit = limits0[0] - tolerated if below else limits0[1] + tolerated
    tightest = _find_tightest(days)
    value, cumulated, low, high = (np.full(len(days), np.nan) for _ in range(4))
    status, sums = [], _NOTHING
    for i, day in enumerate(days):
        sums = sums.add_day(day, measure.name)
        value[i] = _estimate_smooth(measure, _NOTHING.add_day(day, measure.name), release).value
        so_far = _estimate_smooth(measure, sums, release)
        cumulated[i] = so_far.value
        low[i], high[i] = _compute_sequence(so_far, sums.cases, OF_DAYS * alpha, tightest, scale)
        status.append("" if not math.isnan(low[i]) else "too few cases for a sequence yet")
    if settings.alarm == "ever":
        alarms = _find_first(high < limit if below else low > limit)
    else:
        alarms = _find_monthly_alarms(measure, days, release, settings, limit, tightest, restarts)
    nothing = np.full(len(days), np.nan)
    return Track(
        measure.name, value, cumulated, low, high, at_release.value, limit, nothing, 0.0, alarms, tuple(status)
    )


def _compute_sequence(
    estimate: _Smooth, cases: int, alpha: float, tightest: float, scale: _Scale
) -> tuple[float, float]:
    """Return the limits of the asymptotic confidence sequence after some cases."""
    if not estimate.ready:
        return math.nan, math.nan
    return _compute_limits(
        estimate, math.sqrt(cases) * float(sequential.compute_half_width(cases, alpha, tightest)), scale
    )


def _find_monthly_alarms(
    measure: Measure,
    days: tuple[Period, ...],
    release: Release,
    settings: MonitorSettings,
    limit: float,
    tightest: float,
    restarts: Mapping[int, int],
) -> tuple[int, ...]:
    """Return the alarms of sequences that start anew every 30 days, so that a late change is not diluted.

    Each may err with probability 30 / run_length, so that false alarms are at least run_length days apart on average.
    """
    alpha = min(PERIODS / (settings.run_length * len(settings.measures)), 0.5)
    scale, below = _choose_scale(measure), measure.better == "higher"
    running: list[_RunningSums] = []
    alarms: list[int] = []
    start = 0
    for i, day in enumerate(days):
        if i < start:
            continue
        if (i - start) % PERIODS == 0:
            running.append(_NOTHING)
        running = [sums.add_day(day, measure.name) for sums in running]
        limits = [
            _compute_sequence(_estimate_smooth(measure, sums, release), sums.cases, alpha, tightest, scale)
            for sums in running
        ]
        if any(high < limit if below else low > limit for low, high in limits):
            alarms.append(i)
            start, running = restarts.get(i, len(days)), []
    return tuple(alarms)
