"""Conventions with a free number: any number of bins or thresholds, any cut. Tried where no single convention fits."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.errors import CutlineError
from cutline.core.ranking import Ranking
from cutline.core.table import shown
from cutline.ledger.case_conventions import (
    at_thresholds,
    equal_frequency,
    equal_width,
    grid,
    groups_of_scores,
    keras,
    of_list,
)
from cutline.ledger.cases import Material
from cutline.ledger.convention import Convention, Stage
from cutline.ledger.cut_formulas import values_at_all_cuts
from cutline.ledger.probability_formulas import bins_with_lower_borders, torch_bin_numbers
from cutline.ledger.quantity import Printed, PrintedQuantity
from cutline.ledger.registry import CONVENTIONS, try_value
from cutline.measures import Needs
from cutline.measures.binned_calibration import in_bins

# How plausible a convention is that has one free number; the table has those of tools' defaults.
PLAUSIBLE = 0.08
NUMBERS_OF_THRESHOLDS = tuple(sorted({*range(2, 301), *range(310, 1001, 10), 512, 2000, 5000, 10_000}))
NUMBERS_OF_BINS = range(2, 101)
MOST_CUTS = 2_000  # near the number, that are counted as rivals

Members = Iterator[tuple[Convention, float]]


def family_members(material: Material, q: PrintedQuantity, number: Printed) -> Members:
    """Yield each convention of the families that apply to a quantity, with its value on these cases.

    Args:
        material: The cases.
        q: The quantity.
        number: The printed number; of all cuts only those are yielded whose value is near it.
    """
    if of_list(q) and not q.is_inferred:
        yield from _thresholds_of_curves(material, q)
    elif q.of == "ece" and not q.is_inferred:
        yield from _calibration_bins(material)
    elif q.needs is Needs.COUNTS and not q.parameters.keys() & {"quota", "share"}:
        yield from _cuts(material, q, number)


def _member(name: str, words: str, explanation: str, source: str) -> Convention:
    """Return a convention whose value is computed already."""
    choice, stage = ("bins", Stage.CASES) if name.startswith("thresholds") else ("formula", Stage.FORMULA)
    return Convention(name, choice, stage, words, explanation, _not_called, lambda _: True, PLAUSIBLE, source)


def _not_called(*_: object) -> float:
    raise AssertionError("the value of a member of a family is computed with it")


# ---------------------------------------------------------------------- curves with k points


def _thresholds_of_curves(material: Material, q: PrintedQuantity) -> Members:
    """Yield the measure of a curve that has points at k thresholds only."""
    families: dict[str, tuple[Callable[[int], Callable[[Material], Material]], str, str]] = {
        "frequency": (equal_frequency, "equal-frequency thresholds", "H2O, BigQuery, decile tables"),
        "spark": (groups_of_scores, "bins of distinct scores", "Spark's numBins"),
    }
    if material.ranking.are_probabilities:
        families |= {
            "width": (lambda k: at_thresholds(equal_width(k)), "bins of equal width", "histograms of the score"),
            "grid": (lambda k: at_thresholds(grid(k)), "thresholds from 0 to 1", "torchmetrics, thresholds="),
            "keras": (
                lambda k: at_thresholds(keras(k), strict=True),
                "thresholds of equal width, as Keras places them",
                "keras.metrics.AUC, num_thresholds=",
            ),
        }
    for family, (make, words, source) in families.items():
        for k in NUMBERS_OF_THRESHOLDS:
            if f"{family}_{k}" in CONVENTIONS or k < (3 if family == "keras" else 2):
                continue
            try:
                value = try_value(make(k)(material), q, ())
            except CutlineError:
                continue
            explanation = "The curve has one point for each of them, so that cases in between are tied."
            yield _member(f"thresholds_{family}_{k}", f"with {k} {words}", explanation, source), value


# ---------------------------------------------------------------------- calibration error in k bins


def _calibration_bins(material: Material) -> Members:
    """Yield the calibration error by number of bins, borders, norm, and for the top label."""
    if not material.ranking.are_probabilities:
        return
    known = set(CONVENTIONS)
    for of, ranking in (("", material.ranking), ("top_label_", top_label(material.ranking))):
        target = " of the predicted class and its probability" if of else ""
        for borders, (bins_of, words) in _BORDERS.items():
            for bins in NUMBERS_OF_BINS:
                observed, expected, size = bins_of(ranking, bins)
                for norm, (error, how) in _NORMS.items():
                    name = f"{of}{norm}_{borders}_{bins}"
                    if name in known or (not of and norm == "mean" and f"{borders}_{bins}_bins" in known):
                        continue
                    yield (
                        _member(
                            name,
                            f"{how} in {bins} bins {words}{target}",
                            "The number depends on the bins and on how their distances are averaged.",
                            "Naeini and others 2015; Guo and others 2017; Kumar and others 2019; Nixon and others 2019",
                        ),
                        error(observed, expected, size),
                    )


def top_label(ranking: Ranking) -> Ranking:
    """Return the ranking of being right by the probability of the predicted class, max(p, 1 - p)."""
    predicted = ranking.score >= 0.5
    confidence = np.where(predicted, ranking.score, 1 - ranking.score)
    pos, neg = ranking.floats
    right, wrong = np.where(predicted, pos, neg), np.where(predicted, neg, pos)
    values, place = np.unique(-confidence, return_inverse=True)
    cells = [np.bincount(place, weights=column, minlength=len(values)) for column in (right, wrong)]
    if ranking.integral:
        cells = [column.astype(np.int64) for column in cells]
    return Ranking.of_counts(-values, *cells)


def _in_bins(binning: str) -> Callable[[Ranking, int], tuple[Array, Array, Array]]:
    return lambda ranking, bins: in_bins(ranking, bins, binning)


# How cases are put into bins: observed positives, expected positives and cases of each.
_BORDERS: dict[str, tuple[Callable[[Ranking, int], tuple[Array, Array, Array]], str]] = {
    "width": (_in_bins("width"), "of equal width"),
    "mass": (_in_bins("mass"), "of equal mass"),
    "lower": (bins_with_lower_borders, "of equal width that hold their lower border"),
    "torch": (torch_bin_numbers, "of equal width, as torchmetrics places them"),
}


def _distances(observed: Array, expected: Array, size: Array) -> tuple[Array, Array]:
    some = size > 0
    return np.abs(observed[some] - expected[some]) / size[some], size[some]


def _mean(observed: Array, expected: Array, size: Array) -> float:
    distance, cases = _distances(observed, expected, size)
    return float(np.average(distance, weights=cases))


def _root_mean_square(observed: Array, expected: Array, size: Array) -> float:
    distance, cases = _distances(observed, expected, size)
    return math.sqrt(float(np.average(distance**2, weights=cases)))


def _debias(observed: Array, expected: Array, size: Array) -> float:
    """Return the root mean square without the variance of the observed shares (Kumar, Liang and Ma 2019), or 0."""
    some = size > 1
    share = observed[some] / size[some]
    distance = (observed[some] - expected[some]) / size[some]
    corrected = distance**2 - share * (1 - share) / (size[some] - 1)
    return math.sqrt(max(float(np.dot(corrected, size[some]) / size.sum()), 0.0))


def _largest(observed: Array, expected: Array, size: Array) -> float:
    return float(_distances(observed, expected, size)[0].max())


def _mean_of_bins(observed: Array, expected: Array, size: Array) -> float:
    return float(_distances(observed, expected, size)[0].mean())


_NORMS: dict[str, tuple[Callable[[Array, Array, Array], float], str]] = {
    "mean": (_mean, "as the mean distance"),
    "rms": (_root_mean_square, "as the root mean square"),
    "debiased": (_debias, "as the debiased root mean square"),
    "max": (_largest, "as the largest distance"),
    "bins": (_mean_of_bins, "as the mean over the bins, each counting the same,"),
}


# ---------------------------------------------------------------------- any cut


def _cuts(material: Material, q: PrintedQuantity, number: Printed) -> Members:
    """Yield the measure at each range of cuts that gives the number, and at the cuts near it."""
    values, scores = values_at_all_cuts(material, q), material.ranking.score
    distance = np.abs(values - number.value)
    near = np.flatnonzero(distance <= 400 * number.reach)[:MOST_CUTS]
    fits = np.array([number.fits(value) for value in values[near]], dtype=bool)
    runs = [*np.split(near[fits], np.flatnonzero(np.diff(near[fits]) > 1) + 1), *near[~fits, None]]
    for run in runs:
        if len(run):
            yield _at_cut(scores, int(run[0]), int(run[-1])), float(values[run[0]])


def _at_cut(scores: Array, first: int, last: int) -> Convention:
    """Return the convention of any threshold that flags at least the first score, and at most the last."""
    highest = float(scores[first])
    above = f"above {shown(float(scores[last + 1]))} and " if last + 1 < len(scores) else ""
    words = f"at any threshold {above}up to {shown(highest)}"
    return _member(f"cut_{highest!r}", words, "The cut is another one than yours.", "another threshold")
