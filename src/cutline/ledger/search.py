"""Which conventions give a printed number: single ones, those of tools, then pairs, each tried on the cases.

Where no single convention fits, families are tried too: any number of bins or thresholds, any cut.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.errors import CutlineError
from cutline.core.ranking import Ranking
from cutline.core.table import format_value
from cutline.ledger.case_conventions import (
    apply_logistic_outside,
    is_of_list,
    make_equal_width,
    make_grid,
    make_keras_grid,
    tie_between_thresholds,
    tie_equal_frequency,
    tie_groups_of_scores,
)
from cutline.ledger.cases import Material
from cutline.ledger.convention import Convention, Stage
from cutline.ledger.cut_formulas import compute_at_all_cuts
from cutline.ledger.probability_formulas import bin_as_torch, bin_with_lower_borders, sum_in_bins
from cutline.ledger.quantity import Printed, PrintedQuantity
from cutline.ledger.registry import CONVENTIONS, change_cases, find_conventions, select_stage, try_value
from cutline.ledger.tools import TOOLS, Tool, ToolFunction, list_conventions
from cutline.measures import Needs
from cutline.measures.binned_calibration import sum_over_bins

MANY_ROWS = 200_000  # distinct scores from which two changes of the cases are not tried together
_EXACT = 2.0  # how plausible it is that no convention is behind the number: more than any convention
_TOOL = 1.5  # how much more plausible a convention is that a tool has by default
_PAIR = 0.06  # how much less plausible two conventions at once are than one


@dataclass(frozen=True)
class ConventionValue:
    """The value of a quantity under some conventions, and their plausibility before the printed number is seen."""

    quantity: PrintedQuantity
    conventions: tuple[Convention, ...]
    value: float
    plausible: float
    tools: tuple[tuple[Tool, ToolFunction], ...] = ()
    spread: float = 0.0  # how far another seed may move the value

    @property
    def is_exact(self) -> bool:
        """Whether it is the number that cutline itself gives."""
        return not self.conventions


class ConventionSearch:
    """Computes the value of quantities under conventions, and caches what these share."""

    def __init__(self, material: Material) -> None:
        self.material = material
        self._made: dict[tuple[str, ...], Material | None] = {(): material}
        self._values: dict[tuple[str, ...], float] = {}

    def cases(self, conventions: Iterable[Convention]) -> Material | None:
        """Return the cases under some conventions; None if these need unknown rows."""
        mine = select_stage(conventions, Stage.CASES)
        key = tuple(convention.name for convention in mine)
        if key not in self._made:
            try:
                before = self.cases(mine[:-1])
                self._made[key] = None if before is None else change_cases(before, mine[-1:])
            except CutlineError:
                self._made[key] = None
        return self._made[key]

    def value(self, q: PrintedQuantity, conventions: Sequence[Convention]) -> float:
        """Return the number, NaN where there is none; the formula is computed once for all ways to print it."""
        key = (q.name, *(convention.name for convention in conventions if convention.stage is not Stage.RESULT))
        material = self.cases(conventions)
        if material is None:
            return math.nan
        if key not in self._values:
            self._values[key] = try_value(
                material, q, [convention for convention in conventions if convention.stage is Stage.FORMULA]
            )
        value = self._values[key]
        for convention in select_stage(conventions, Stage.RESULT):
            value = convention.act(value, material)
        return value


def find_candidates(
    search: ConventionSearch, q: PrintedQuantity, *, pairs: bool, outside: bool = False
) -> Iterator[ConventionValue]:
    """Yield the values of a quantity: exact, under single conventions and those of tools; or under pairs.

    Args:
        search: Computes the values.
        q: The quantity.
        pairs: Pairs of conventions, in place of all else.
        outside: Only pairs that may leave the range of the measure; changes of the cases alone never do.
    """
    searched = [convention for convention in find_conventions(q) if convention.searched and not convention.is_random]
    known = _group_by_conventions(q, search.material)
    exact = search.value(q, ())
    if not pairs:
        agreeing = (tools for conventions, tools in known.items() if _is_same(search.value(q, conventions), exact))
        yield ConventionValue(q, (), exact, _EXACT, tuple(itertools.chain.from_iterable(agreeing)))
        known.pop((), None)
        for conventions in dict.fromkeys([*((convention,) for convention in searched), *known]):
            yield from _make_candidate(search, q, conventions, exact, known.get(conventions, ()))
        return
    large = len(search.material.ranking) > MANY_ROWS
    for first, second in itertools.combinations(searched, 2):
        if outside and first.stage is second.stage is Stage.CASES:
            continue
        if _can_combine(first, second, large=large) and (first, second) not in known:
            alone = [search.value(q, (convention,)) for convention in (first, second)]
            for candidate in _make_candidate(search, q, (first, second), exact, ()):
                if not any(_is_same(candidate.value, value) for value in alone):  # a single convention would do
                    yield candidate


def find_family_candidates(search: ConventionSearch, q: PrintedQuantity, number: Printed) -> Iterator[ConventionValue]:
    """Yield the members of families: conventions with any number of bins or thresholds, or any cut."""
    if len(search.material.ranking) <= MANY_ROWS:
        for convention, value in find_family_members(search.material, q, number):
            yield ConventionValue(q, (convention,), value, convention.plausible)


def find_random_candidates(search: ConventionSearch, q: PrintedQuantity) -> Iterator[ConventionValue]:
    """Yield the values of randomised conventions, and how far another seed may move them."""
    for convention in find_conventions(q):
        if convention.spread is not None and not math.isnan(value := search.value(q, (convention,))):
            yield ConventionValue(
                q, (convention,), value, convention.plausible, spread=convention.spread(search.material, q)
            )


def _make_candidate(
    search: ConventionSearch,
    q: PrintedQuantity,
    conventions: tuple[Convention, ...],
    exact: float,
    tools: tuple[tuple[Tool, ToolFunction], ...],
) -> Iterator[ConventionValue]:
    """Yield the candidate of some conventions, if they make a difference on these cases."""
    value = search.value(q, conventions)
    if math.isnan(value) or _is_same(value, exact):
        return
    plausible = math.prod(convention.plausible for convention in conventions) ** (1 / len(conventions))
    if tools:
        plausible *= _TOOL
    elif len(conventions) > 1:
        plausible *= _PAIR
    yield ConventionValue(q, conventions, value, plausible, tools)


def _is_same(value: float, other: float) -> bool:
    return value == other or abs(value - other) <= 1e-12 * max(abs(value), abs(other))


def _can_combine(first: Convention, second: Convention, *, large: bool) -> bool:
    if first.choice == second.choice:
        return False
    return not (large and first.stage is second.stage is Stage.CASES)


def _group_by_conventions(
    q: PrintedQuantity, material: Material
) -> dict[tuple[Convention, ...], tuple[tuple[Tool, ToolFunction], ...]]:
    """Return the conventions of each tool function, with the functions that share them."""
    known: dict[tuple[Convention, ...], tuple[tuple[Tool, ToolFunction], ...]] = {}
    for tool in TOOLS.values():
        for entry in tool.entries:
            if entry.measure == q.name:
                conventions = tuple(list_conventions(entry, material))
                known[conventions] = (*known.get(conventions, ()), (tool, entry))
    return known


# ---------------------------------------------------------------------- conventions with a free number

# How plausible a convention is that has one free number; the table has those of tools' defaults.
PLAUSIBLE = 0.08
NUMBERS_OF_THRESHOLDS = tuple(sorted({*range(2, 301), *range(310, 1001, 10), 512, 2000, 5000, 10_000}))
NUMBERS_OF_BINS = range(2, 101)
BETAS = tuple(tenths / 10 for tenths in (*range(1, 51), 100))
WEIGHTS_OF_POSITIVES = (0.5, *map(float, range(2, 101)))
MOST_CUTS = 2_000  # near the number, that are counted as rivals
STEPS = 5  # of one case, on each side, in which rivals of a measure of counts are counted

Members = Iterator[tuple[Convention, float]]


def find_family_members(material: Material, q: PrintedQuantity, number: Printed) -> Members:
    """Yield each convention of the families that apply to a quantity, with its value on these cases.

    Args:
        material: The cases.
        q: The quantity.
        number: The printed number; of all cuts only those are yielded whose value is near it.
    """
    if q.is_inferred:
        return
    if q.of == "auc":
        yield from _vary_partial_areas(material, q)
    elif q.of == "f1":
        yield from _vary_betas(material, q)
    elif q.of == "ece":
        yield from _vary_bins(material)
    elif q.of == "log_loss":
        yield from _vary_positive_weights(material)
    if is_of_list(q):
        yield from _vary_thresholds(material, q)
    elif q.needs is Needs.COUNTS and not q.parameters.keys() & {"quota", "share"}:
        yield from _vary_cuts(material, q, number)


def _make_member(name: str, words: str, explanation: str, source: str) -> Convention:
    """Return a convention whose value is computed already."""
    choice, stage = ("bins", Stage.CASES) if name.startswith("thresholds") else ("formula", Stage.FORMULA)
    return Convention(name, choice, stage, words, explanation, _refuse_call, lambda _: True, PLAUSIBLE, source)


def _refuse_call(*_: object) -> float:
    raise AssertionError("the value of a member of a family is computed with it")


# ---------------------------------------------------------------------- curves with k points


def _vary_thresholds(material: Material, q: PrintedQuantity) -> Members:
    """Yield the measure of a curve that has points at k thresholds only."""
    families: dict[str, tuple[Callable[[int], Callable[[Material], Material]], str, str]] = {
        "frequency": (tie_equal_frequency, "equal-frequency thresholds", "H2O, BigQuery, decile tables"),
        "spark": (tie_groups_of_scores, "bins of distinct scores", "Spark's numBins"),
    }
    if material.ranking.are_probabilities:
        families |= {
            "width": (
                lambda k: tie_between_thresholds(make_equal_width(k)),
                "bins of equal width",
                "histograms of the score",
            ),
            "grid": (
                lambda k: tie_between_thresholds(make_grid(k)),
                "thresholds from 0 to 1",
                "torchmetrics, thresholds=",
            ),
            "keras": (
                lambda k: tie_between_thresholds(make_keras_grid(k), strict=True),
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
            yield _make_member(f"thresholds_{family}_{k}", f"with {k} {words}", explanation, source), value


# ---------------------------------------------------------------------- calibration error in k bins


def _vary_bins(material: Material) -> Members:
    """Yield the calibration error by number of bins, borders, norm, and for the top label."""
    if not material.ranking.are_probabilities:
        return
    known = set(CONVENTIONS)
    for of, (rankings, target) in _make_targets(material.ranking).items():
        for bins in NUMBERS_OF_BINS:
            values: dict[str, set[float]] = {norm: set() for norm in _NORMS}
            for borders, (bins_of, words) in _BORDERS.items():
                tables = [bins_of(ranking, bins) for ranking in rankings]
                for norm, (error, how) in _NORMS.items():
                    value = round(float(np.mean([error(*table) for table in tables])), 14)
                    name = f"{of}{norm}_{borders}_{bins}"
                    if name in known or (not of and norm == "mean" and f"{borders}_{bins}_bins" in known):
                        values[norm].add(value)
                    elif value not in values[norm]:  # else these borders part the cases like others before them
                        values[norm].add(value)
                        yield (
                            _make_member(
                                name,
                                f"{how} in {bins} bins {words}{target}",
                                "The number depends on the bins and on how their distances are averaged.",
                                "Naeini and others 2015; Guo and others 2017; Kumar and others 2019; "
                                "Nixon and others 2019",
                            ),
                            value,
                        )


def _make_targets(ranking: Ranking) -> dict[str, tuple[tuple[Ranking, ...], str]]:
    """Return the rankings whose calibration errors are averaged, and their words, by the prefix of their names."""
    parts = tuple(
        part for part in (_select_predicted(ranking, positive=True), _select_predicted(ranking, positive=False)) if part
    )
    return {
        "": ((ranking,), ""),
        "top_label_": ((rank_top_label(ranking),), ", of the predicted class and its probability"),
        "by_label_": (parts, ", of each predicted class by itself, averaged over both"),
    }


def _select_predicted(ranking: Ranking, *, positive: bool) -> Ranking | None:
    """Return the top label of the cases that are predicted to be of one class; None where there are none."""
    some = (ranking.score >= 0.5) == positive
    if not some.any():
        return None
    columns = {name: getattr(ranking, name)[some] for name in ("score", "pos", "neg", "pos2", "neg2")}
    return rank_top_label(replace(ranking, **columns, reach=None))


def rank_top_label(ranking: Ranking) -> Ranking:
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


def _make_binning(binning: str) -> Callable[[Ranking, int], tuple[Array, Array, Array]]:
    return lambda ranking, bins: sum_over_bins(ranking, bins, binning)


def _divide_equally(ranking: Ranking, bins: int) -> tuple[Array, Array, Array]:
    """Return observed, expected and cases of bins of the sorted cases, the first ones larger by one (array_split).

    The cases of a score on a border are shared in proportion.
    """
    total = float(ranking.total)
    small, larger = divmod(total, bins)
    inner = np.cumsum(np.append(np.full(int(larger), small + 1), np.full(bins - int(larger), small)))[:-1]
    borders = np.concatenate(([0.0], inner, [total]))
    pos, _neg = ranking.floats
    upto = np.append(0.0, np.cumsum(ranking.size[::-1]))
    observed, expected, size = (
        np.diff(np.interp(borders, upto, np.append(0.0, np.cumsum(column[::-1]))))
        for column in (pos, ranking.size * ranking.score, ranking.size)
    )
    return observed, expected, size


def _bin_between_percentiles(ranking: Ranking, bins: int) -> tuple[Array, Array, Array]:
    """Return observed, expected and cases of bins between percentiles of the scores, which hold their upper border."""
    upto = np.cumsum(ranking.size[::-1])
    place = np.linspace(0, 1, bins + 1)[1:-1] * (upto[-1] - 1)
    ascending, lower = ranking.score[::-1], np.floor(place)
    first, second = (
        ascending[np.searchsorted(upto, at, side="right").clip(max=len(ascending) - 1)] for at in (lower, lower + 1)
    )
    borders = first + (second - first) * (place - lower)
    return sum_in_bins(ranking, np.searchsorted(borders, ranking.score), bins)


# How cases are put into bins: observed positives, expected positives and cases of each.
_BORDERS: dict[str, tuple[Callable[[Ranking, int], tuple[Array, Array, Array]], str]] = {
    "width": (_make_binning("width"), "of equal width"),
    "mass": (_make_binning("mass"), "of equal mass"),
    "parts": (_divide_equally, "of equal mass, as numpy's array_split makes them"),
    "percentiles": (_bin_between_percentiles, "between percentiles of the probabilities"),
    "lower": (bin_with_lower_borders, "of equal width that hold their lower border"),
    "torch": (bin_as_torch, "of equal width, as torchmetrics places them"),
}


def _compute_distances(observed: Array, expected: Array, size: Array) -> tuple[Array, Array]:
    some = size > 0
    return np.abs(observed[some] - expected[some]) / size[some], size[some]


def _mean(observed: Array, expected: Array, size: Array) -> float:
    distance, cases = _compute_distances(observed, expected, size)
    return float(np.average(distance, weights=cases))


def _root_mean_square(observed: Array, expected: Array, size: Array) -> float:
    distance, cases = _compute_distances(observed, expected, size)
    return math.sqrt(float(np.average(distance**2, weights=cases)))


def _debias(observed: Array, expected: Array, size: Array) -> float:
    """Return the root mean square without the variance of the observed shares (Kumar, Liang and Ma 2019), or 0."""
    some = size > 1
    share = observed[some] / size[some]
    distance = (observed[some] - expected[some]) / size[some]
    corrected = distance**2 - share * (1 - share) / (size[some] - 1)
    return math.sqrt(max(float(np.dot(corrected, size[some]) / size.sum()), 0.0))


def _max_distance(observed: Array, expected: Array, size: Array) -> float:
    return float(_compute_distances(observed, expected, size)[0].max())


def _mean_of_bins(observed: Array, expected: Array, size: Array) -> float:
    return float(_compute_distances(observed, expected, size)[0].mean())


_NORMS: dict[str, tuple[Callable[[Array, Array, Array], float], str]] = {
    "mean": (_mean, "as the mean distance"),
    "rms": (_root_mean_square, "as the root mean square"),
    "debiased": (_debias, "as the debiased root mean square"),
    "max": (_max_distance, "as the largest distance"),
    "bins": (_mean_of_bins, "as the mean over the bins, each counting the same,"),
}


# ---------------------------------------------------------------------- parameters of formulas


def _vary_partial_areas(material: Material, q: PrintedQuantity) -> Members:
    """Yield the partial area up to any false positive rate, as it is and on McClish's scale."""
    for percent in range(1, 100):
        rate = percent / 100
        for standardised, how in ((True, "on McClish's scale"), (False, "as the area itself")):
            if standardised and f"partial_{rate}" in CONVENTIONS:
                continue
            yield (
                _make_member(
                    f"partial_{'mcclish' if standardised else 'raw'}_{rate}",
                    f"up to a false positive rate of {rate}, {how}",
                    "Only the left end of the ROC curve counts.",
                    "scikit-learn's and torchmetrics' max_fpr; pROC's partial.auc",
                ),
                q.value(material, "partial_auc", max_fpr=rate, standardised=standardised),
            )


def _vary_betas(material: Material, q: PrintedQuantity) -> Members:
    """Yield the F measure with any beta."""
    for beta in BETAS:
        if f"f_beta_{beta:g}" not in CONVENTIONS:
            yield (
                _make_member(
                    f"f_beta_{beta:g}",
                    f"with recall weighted by beta = {beta:g}",
                    "F1 weighs precision and recall alike; another beta prefers one of them.",
                    "fbeta_score, beta=",
                ),
                q.value(material, "f_beta", beta=beta),
            )


# ---------------------------------------------------------------------- log loss with heavier positives


def _vary_positive_weights(material: Material) -> Members:
    """Yield the log loss whose positives count several times, while the sum is divided by the number of cases."""
    r = apply_logistic_outside(material).ranking
    pos, neg = r.floats
    with np.errstate(divide="ignore", invalid="ignore"):
        of_positives, of_negatives = (
            -float(np.sum(np.where(cases > 0, cases * np.log(p), 0.0))) / float(r.total)
            for cases, p in ((pos, r.score), (neg, 1 - r.score))
        )
    for weight in (*WEIGHTS_OF_POSITIVES, float(r.negatives / r.positives)):
        yield (
            _make_member(
                f"positives_{weight:g}",
                f"with the losses of positives times {weight:.6g} (pos_weight)",
                "Heavier positives raise the loss, which is still divided by the number of cases.",
                "PyTorch's BCEWithLogitsLoss, pos_weight=",
            ),
            weight * of_positives + of_negatives,
        )


# ---------------------------------------------------------------------- any cut


def _vary_cuts(material: Material, q: PrintedQuantity, number: Printed) -> Members:
    """Yield the measure at each range of cuts that gives the number, and at the cuts near it."""
    values, scores = compute_at_all_cuts(material, q), material.ranking.score
    distance, reach = np.abs(values - number.value), max(400 * number.reach, STEPS * q.step(material))
    near = np.flatnonzero(distance <= reach)
    fits = np.array([number.fits(value) for value in values[near]], dtype=bool)
    fitting, rivals = near[fits], near[~fits][:MOST_CUTS]
    runs = [*np.split(fitting, np.flatnonzero(np.diff(fitting) > 1) + 1), *rivals[:, None]]
    for run in runs:
        if len(run):
            yield _make_cut_member(scores, int(run[0]), int(run[-1])), float(values[run[0]])


def _make_cut_member(scores: Array, first: int, last: int) -> Convention:
    """Return the convention of any threshold that flags at least the first score, and at most the last."""
    highest = float(scores[first])
    above = f"above {format_value(float(scores[last + 1]))} and " if last + 1 < len(scores) else ""
    words = f"at any threshold {above}up to {format_value(highest)}"
    return _make_member(f"cut_{highest!r}", words, "The cut is another one than yours.", "another threshold")
