"""The criteria of group fairness: the largest gaps of rates between slices, with intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from cutline.core.messages import lower_title
from cutline.core.table import Table
from cutline.inference import simultaneous
from cutline.results.base import Tabulated
from cutline.results.estimate import Estimate
from cutline.results.method_titles import format_method
from cutline.results.notes import Note
from cutline.slices.differences import SliceMeasure, SliceShares, compute_prevalence

if TYPE_CHECKING:
    from cutline.slices.evaluation import Slices

_FAIRNESS_RATES = {
    "Demographic parity difference": "predicted_positive_rate",
    "Equal opportunity difference": "recall",
    "False positive rate difference": "fpr",
    "Predictive parity difference": "precision",
}


@dataclass(frozen=True, eq=False, repr=False)
class Fairness(Tabulated):
    """The criteria of group fairness, each an estimate."""

    slices: Slices
    level: float
    estimates: Mapping[str, Estimate]
    missing: Mapping[str, str]
    notes: tuple[Note, ...] = ()
    ends: Mapping[str, tuple[str, str]] = field(default_factory=dict)  # the slices with the highest and lowest value

    def __getitem__(self, criterion: str) -> Estimate:
        return self.estimates[criterion]

    @property
    def table(self) -> Table:
        """Return the rows as a table."""
        rows = [
            (
                name,
                estimate.value,
                estimate.low,
                estimate.high,
                format_method(estimate.method),
                " ".join(estimate.notes),
            )
            for name, estimate in self.estimates.items()
        ]
        rows += [(name, math.nan, math.nan, math.nan, "", reason) for name, reason in self.missing.items()]
        rates = [
            f"{self.slices.label(key)} {100 * compute_prevalence(ev.ranking):.1f} %"
            for key, ev in list(self.slices.items())[:12]
        ]
        more = "" if len(self.slices) <= 12 else ", ..."
        below = (
            f"{100 * self.level:g} % intervals of the largest difference between any two slices.",
            f"Prevalences: {', '.join(rates)}{more}.",
            "Different prevalences alone change the share of flagged cases and the precision.",
        )
        title = f"Fairness by {self.slices.by}; predicted positive: {self.slices.cut_words}"
        return Table(("criterion", "value", "low", "high", "method", "note"), tuple(rows), title, ("method",), below)


def estimate_fairness(slices: Slices, level: float) -> Fairness:
    """Estimate each criterion that the slices allow."""
    estimates: dict[str, Estimate] = {}
    missing: dict[str, str] = {}
    ends: dict[str, tuple[str, str]] = {}
    measured = {}
    for criterion, name in _FAIRNESS_RATES.items():
        measured[name] = rate = SliceMeasure.of(slices, name, {})
        if len(rate.keys) < 2:
            missing[criterion] = f"fewer than two slices have a value of {name}"
            continue
        estimates[criterion], ends[criterion] = _estimate_gap(rate, level)
        if name == "predicted_positive_rate" and rate.shares is not None:
            estimates["Demographic parity ratio"] = _estimate_parity_ratio(rate.shares, level)
            ends["Demographic parity ratio"] = ends[criterion]
    rates = [measured["recall"], measured["fpr"]]
    if all(len(rate.keys) >= 2 for rate in rates):
        estimates["Equalised odds difference"], ends["Equalised odds difference"] = _estimate_equalised_odds(
            rates, level
        )
    extra = {"AUC gap": "auc"}
    calibration = "Calibration gap (observed over expected)"
    if not slices.overall.ranking.are_probabilities:
        missing[calibration] = "the scores are not probabilities"
    elif slices.group_codes is not None:
        missing[calibration] = "it has no linearised variance, which cases in groups need"
    else:
        extra[calibration] = "o_e_ratio"
    for criterion, name in extra.items():
        compared = SliceMeasure.of(slices, name, {})
        if len(compared.keys) < 2:
            missing[criterion] = f"fewer than two slices have a value of {name}"
            continue
        estimates[criterion], ends[criterion] = _estimate_gap(compared, level)
    return Fairness(slices, level, estimates, missing, ends=ends)


def _estimate_gap(measured: SliceMeasure, level: float) -> tuple[Estimate, tuple[str, str]]:
    pairs = measured.compare_pairs(level)
    return measured.estimate_gap(pairs, level), _name_ends(measured, pairs)


def _name_ends(measured: SliceMeasure, pairs: simultaneous.PairComparisons) -> tuple[str, str]:
    """Return the slices with the highest and the lowest value."""
    highest, lowest = (measured.slices.label(measured.keys[i]) for i in pairs.widest)
    return highest, lowest


def estimate_equalised_odds(slices: Slices, level: float) -> Estimate:
    """Estimate the larger of the largest gaps in recall and in the false positive rate."""
    return _estimate_equalised_odds([SliceMeasure.of(slices, name, {}) for name in ("recall", "fpr")], level)[0]


def _estimate_equalised_odds(rates: list[SliceMeasure], level: float) -> tuple[Estimate, tuple[str, str]]:
    # The positives and the negatives are different cases: both families of pairs hold at the square root.
    joint = simultaneous.sidak_level(level, 2)
    families = [rate.compare_pairs(joint) for rate in rates]
    value, limits = simultaneous.find_joint_gap(families)
    rate, pairs = max(zip(rates, families, strict=True), key=lambda family: family[1].gap[0])
    which, *others = rate.describe_gap(limits, pairs.widest)
    notes = (f"In {lower_title(rate.measure.title)}: {which[:1].lower()}{which[1:]}", *others)
    estimate = Estimate("equalised odds difference", value, *limits, level, rate.pair_method, notes)
    return estimate, _name_ends(rate, pairs)


def _estimate_parity_ratio(shares: SliceShares, level: float) -> Estimate:
    critical = simultaneous.tukey_quantile(level, len(shares.hits))
    ratio = simultaneous.find_smallest_ratio(shares.hits, shares.cases, critical)
    notes = ["Smallest over largest share of flagged cases; below 0.8 the four-fifths rule is broken."]
    if ratio.is_corrected:
        notes.append("A slice has no flagged case: half a case was added to both counts of every slice.")
    if ratio.limits.high == 1:
        notes.append("The upper limit is 1: the slices may be equal.")
    return Estimate("demographic parity ratio", ratio.value, *ratio.limits, level, "log_ratio_pairs", tuple(notes))
