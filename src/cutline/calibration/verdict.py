"""The result of `ev.calibration()`: calibration measures, a test, a bound, and the verdict in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from cutline.core import parallel
from cutline.core.counts import format_number
from cutline.core.errors import ParameterError
from cutline.core.escaping import html_text
from cutline.core.public import public
from cutline.core.ranking import Ranking
from cutline.core.table import ComparedByFields, Table, format_p, format_value, to_json_value
from cutline.core.validation import LEVEL, check_level
from cutline.inference.single.bands import Band, calibration_band
from cutline.measures import MEASURES
from cutline.measures.binned_calibration import assign_bins
from cutline.results.estimate import Estimate

BY_FORMULA = ("oe_ratio", "calibration_intercept", "calibration_slope")
BY_RESAMPLING = ("mcb", "dsc", "ici", "e90", "ece")
QUICKLY_RESAMPLED = 5000  # distinct scores
MOST = 0.9  # of the cases, for which a second bound is given
GROUPED = (
    "The cases come in groups: Spiegelhalter's test, the bands of the curve and the bound assume independent cases, "
    "and are left out. The intervals above resample whole groups."
)


class EvaluationLike(Protocol):
    """The part of an Evaluation that the verdict uses."""

    @property
    def ranking(self) -> Ranking:
        """Return the ranking of the predictions."""

    def value(self, measure: str) -> float:
        """Return the value of a measure."""

    def estimates(self, measures: Any, level: float, *, resamples: int, seed: int) -> list[Estimate]:
        """Return several measures with their intervals."""


class Region(NamedTuple):
    """A stretch of probabilities where the curve is outside the consistency band, and on which side."""

    low: float
    high: float
    says: float
    happens: float

    @property
    def words(self) -> str:
        """Return the region, the predicted and the observed share in words."""
        where = f"at {self.low:.3g}" if self.low == self.high else f"from {self.low:.3g} to {self.high:.3g}"
        side = "too low" if self.happens > self.says else "too high"
        return f"{side} {where} (predicted {self.says:.3g}, observed {self.happens:.3g})"


@dataclass(frozen=True, eq=False)
class Calibration(ComparedByFields):
    """How far the probabilities can be trusted. Print it, or read its fields.

    `z` and `p_value` are Spiegelhalter's test. `off_by` bounds how far any probability is from the true share of
    positives at it, and `off_by_for_most` how far those of nine cases in ten are; both are NaN when the weights are not
    whole numbers. `expected_ece` is what the ECE of a calibrated model with these probabilities would be.
    """

    estimates: tuple[Estimate, ...]
    z: float
    p_value: float
    off_by: float
    off_by_for_most: float
    expected_ece: float
    regions: tuple[Region, ...]
    verdict: tuple[str, ...]
    level: float
    notes: tuple[str, ...] = ()

    def __getitem__(self, measure: str) -> Estimate:
        name = MEASURES[measure].name
        for estimate in self.estimates:
            if estimate.measure == name:
                return estimate
        raise ParameterError(f"{name} is not among the numbers of a calibration: ask ev.estimate({name!r}).")

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, ready for JSON."""
        numbers = ("z", "p_value", "off_by", "off_by_for_most", "expected_ece", "level")
        return {
            "schema": "cutline/calibration/1",
            "verdict": list(self.verdict),
            "estimates": [estimate.to_dict() for estimate in self.estimates],
            **{name: to_json_value(getattr(self, name)) for name in numbers},
            "regions": [region._asdict() for region in self.regions],
            "notes": list(self.notes),
        }

    @public
    def to_frame(self, backend: str = "pandas") -> Any:
        """Return the estimates as a data frame of pandas, polars or pyarrow."""
        return self._make_table().to_frame(backend)

    def _make_table(self) -> Table:
        rows = tuple((e.measure, e.value, e.low, e.high, e.method) for e in self.estimates)
        return Table(("measure", "value", "low", "high", "method"), rows)

    def __repr__(self) -> str:
        return "\n".join([*self.verdict, "", repr(self._make_table()), *(f"Note: {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        lines = "".join(f"<li>{html_text(line)}</li>" for line in self.verdict)
        notes = "".join(f"<li>{html_text(note)}</li>" for note in self.notes)
        return (
            f"<div><ul>{lines}</ul>{self._make_table()._repr_html_()}"
            + (f"<ul>{notes}</ul>" if notes else "")
            + "</div>"
        )


@public
def calibration(ev: EvaluationLike, *, level: float = LEVEL, resamples: int = 1000, seed: int = 0) -> Calibration:
    """Whether the probabilities of an evaluation can be trusted.

    Args:
        ev: What `evaluate` gives; its scores are probabilities.
        level: The level of the intervals, of the bands and of the bound.
        resamples: How many resamples and simulations there are.
        seed: Makes the result reproducible.

    Returns:
        Numbers, a test, a bound and a verdict in words.
    """
    level, r = check_level(level), ev.ranking
    MEASURES["oe_ratio"].prepare(r, {})  # refuses what is not a probability
    names = BY_FORMULA + (BY_RESAMPLING if len(r) <= QUICKLY_RESAMPLED else ())
    estimates = ev.estimates(names, level, resamples=resamples, seed=seed)
    notes = []
    if len(r) > QUICKLY_RESAMPLED:
        estimates += [_estimate_without_interval(ev, name, level) for name in BY_RESAMPLING]
        notes.append(
            f"With {len(r)} distinct scores nothing is resampled: estimate a single measure to get its interval."
        )
    return judge_calibration(
        r, estimates, level, seed=seed, notes=notes, grouped=getattr(ev, "groups", None) is not None
    )


def judge_calibration(
    r: Ranking,
    estimates: Sequence[Estimate],
    level: float,
    *,
    seed: int = 0,
    notes: Sequence[str] = (),
    grouped: bool = False,
) -> Calibration:
    """Judge probabilities by finished estimates; those `BY_FORMULA` must be among them.

    Args:
        r: The ranking; its scores are probabilities.
        estimates: Its numbers with their intervals.
        level: The level of the bands and of the bound.
        seed: Makes the simulated band reproducible.
        notes: What is to be said of the numbers.
        grouped: Whether the cases come in groups; the bands and the test assume independent cases, and are left out.
    """
    by_measure = {estimate.measure: estimate for estimate in estimates}
    z = float(MEASURES["spiegelhalter"].compute(r))
    verdict = [_describe_mean(by_measure, r), _describe_slope(by_measure["calibration_slope"])]
    p_value, off_by, most, regions, every = math.nan, math.nan, math.nan, tuple[Region, ...](), [*notes]
    if grouped:
        verdict.append(GROUPED)
    else:
        with parallel.run_in_background(
            lambda: calibration_band(r, "honest", level=level) if r.integral else None
        ) as other:
            band = calibration_band(r, "consistency", level=level, seed=seed)
            honest = other()
        regions, (off_by, most) = _find_regions(band, r), _compute_largest_errors(honest, r)
        p_value = math.erfc(abs(z) / math.sqrt(2))
        verdict += [
            *_describe_regions(regions, level),
            *_describe_test(p_value, level),
            *_describe_levels(by_measure, regions),
        ]
        verdict += _describe_bound(off_by, most, level)
        every += [*band.notes, *(honest.notes if honest else ())]
    return Calibration(
        tuple(estimates),
        z,
        p_value,
        off_by,
        most,
        compute_expected_ece(r),
        regions,
        tuple(verdict),
        level,
        tuple(dict.fromkeys(every)),
    )


def _estimate_without_interval(ev: EvaluationLike, name: str, level: float) -> Estimate:
    return Estimate(name, ev.value(name), math.nan, math.nan, level, "none")


def compute_expected_ece(r: Ranking, bins: int = 10, binning: str = "mass") -> float:
    """Return what the ECE of a calibrated model with these probabilities is on average, the sums in the bins being
    normal.
    """
    squared = (r.size if r.integral else r.pos2 + r.neg2).astype(float)
    variance = np.bincount(assign_bins(r, bins, binning), squared * r.key * (1 - r.key), minlength=bins)
    return float(np.sqrt(variance * 2 / math.pi).sum() / r.total)


def _find_regions(band: Band, r: Ranking) -> tuple[Region, ...]:
    """Find the stretches where the curve leaves the consistency band, the one with the most cases first."""
    side = np.where(band.y > band.high + 1e-12, 1, np.where(band.y < band.low - 1e-12, -1, 0))
    edges = np.flatnonzero(np.concatenate(([True], side[1:] != side[:-1], [True])))
    x, pos, size = r.key[::-1], r.pos[::-1], r.size[::-1]
    regions = []
    for first, last in zip(edges[:-1], edges[1:] - 1, strict=True):
        inside = slice(np.searchsorted(x, band.x[first]), np.searchsorted(x, band.x[last], side="right"))
        cases = float(size[inside].sum())
        if side[first] and cases:
            says, happens = float((size[inside] * x[inside]).sum()) / cases, float(pos[inside].sum()) / cases
            if (happens > says) == (side[first] > 0):
                regions.append((cases, Region(float(band.x[first]), float(band.x[last]), says, happens)))
    return tuple(region for _, region in sorted(regions, key=lambda pair: -pair[0]))


def _compute_largest_errors(band: Band | None, r: Ranking) -> tuple[float, float]:
    if band is None:
        return math.nan, math.nan
    x, last = r.key, len(band.x) - 1
    # Between the places of the band, the curve is only known not to fall.
    low = band.low[np.maximum(np.searchsorted(band.x, x, side="right") - 1, 0)]
    high = band.high[np.minimum(np.searchsorted(band.x, x), last)]
    distance = np.maximum(high - x, x - low)
    order = np.argsort(distance)
    share = np.cumsum(r.size[order]) / r.total
    return float(distance.max()), float(distance[order][np.searchsorted(share, MOST - 1e-12)])


# ---------------------------------------------------------------------- in words


def _describe_regions(regions: tuple[Region, ...], level: float) -> list[str]:
    if not regions:
        return [f"The whole curve stays within a calibrated model's {100 * level:g} % band."]
    left = len(regions) - 3
    more = f", and in {left} more stretch{'' if left == 1 else 'es'}" if left > 0 else ""
    return [f"Where: {'; '.join(region.words for region in regions[:3])}{more}."]


def _describe_test(p_value: float, level: float) -> list[str]:
    if math.isnan(p_value):
        return []
    result = "evidence against calibration" if p_value < 1 - level else "no evidence against calibration"
    return [f"Spiegelhalter's test: p {format_p(p_value)}, {result}."]


def _format_interval(estimate: Estimate) -> str:
    limits = f"{format_value(estimate.low)} to {format_value(estimate.high)}"
    return f"{format_value(estimate.value)}, {100 * estimate.level:g} % interval {limits}"


def _describe_mean(by_measure: dict[str, Estimate], r: Ranking) -> str:
    ratio, intercept = by_measure["oe_ratio"], by_measure["calibration_intercept"]
    expected = float((r.size * r.key).sum())
    noun = "positive" if float(r.positives) == 1 else "positives"
    counts = f"{format_number(r.positives)} {noun}, {expected:.4g} expected (O:E {_format_interval(ratio)})"
    if not (intercept.has_interval or (ratio.has_interval and r.negatives > 0)):
        return f"On average: {counts}."
    judge, right = (intercept, 0.0) if intercept.has_interval else (ratio, 1.0)
    if judge.low > right:
        return f"Too low on average: {counts}."
    if judge.high < right:
        return f"Too high on average: {counts}."
    return f"No evidence of bias on average: {counts}."


def _describe_slope(slope: Estimate) -> str:
    if not slope.has_interval:
        why = slope.notes[0] if slope.notes else "it has no interval"
        return f"Whether they are too extreme or too timid is unknown: {why.rstrip('.')}."
    if slope.high < 1:
        return f"Too extreme: high ones are too high and low ones too low (slope {_format_interval(slope)})."
    if slope.low > 1:
        return f"Too timid: they stay too close to the middle (slope {_format_interval(slope)})."
    return f"No evidence of over- or underconfidence (slope {_format_interval(slope)})."


def _describe_levels(by_measure: dict[str, Estimate], regions: tuple[Region, ...]) -> list[str]:
    """Describe the levels of calibration (Van Calster et al., 2016), each of which requires the one before."""
    intercept, slope = by_measure["calibration_intercept"], by_measure["calibration_slope"]
    if not (intercept.has_interval and slope.has_interval):
        return []
    mean = intercept.low <= 0 <= intercept.high
    weak = mean and slope.low <= 1 <= slope.high
    moderate = weak and not regions
    levels = {"mean (on average)": mean, "weak (no general trend)": weak, "moderate (at every probability)": moderate}
    tests = ", ".join(f"{name} {'not rejected' if holds else 'rejected'}" for name, holds in levels.items())
    return [
        f"Levels of calibration: {tests}; strong (for every kind of case) cannot be assessed from probabilities alone."
    ]


_SAYS_NOTHING = 0.5  # a bound on the error of every probability, beyond which it is not worth a sentence


def _describe_bound(off_by: float, most: float, level: float) -> list[str]:
    if math.isnan(off_by) or off_by > _SAYS_NOTHING:
        return []
    sure, share = f"With {100 * level:g} % confidence", f"{100 * MOST:g} % of the cases"
    return [f"{sure}, every probability is off by at most {off_by:.2g}, and that of {share} by at most {most:.2g}."]
