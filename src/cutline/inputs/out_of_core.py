"""Inputs that another engine holds and memory does not: checked and aggregated in the engine.

An engine answers a few questions with one reading of the data each; only labels, counts and bins come back.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np

from cutline.core import validation
from cutline.core.array_ops import Array
from cutline.core.binned_ranking import rank_bins
from cutline.core.errors import Argument, InputError, PositionError, Text
from cutline.core.memory import find_machine_memory, parse_memory_size
from cutline.core.ranking import Ranking
from cutline.inputs.binning import MOST, Bins, Division, count_in_bins, join_bins, sort_bins
from cutline.inputs.labels import find_positives

_WHOLE = 2.0**62  # up to which sums of whole numbers are kept as such: squares of weights may be larger
MOST_IN_MEMORY = 2**25  # rows of a file that are read as they are, though memory might take more
MOST_CELLS = 2**25  # distinct scores, or bins, of all slices that are held
_FEWEST_BINS = 10_000  # of each slice
_BYTES = 100  # that an exact ranking takes for a distinct score, with what is computed from it
# Why nothing is left to rank, and the way out.
NO_WEIGHT = ("all weights are zero", "pass positive weights, or leave them out to give all cases the same weight")
NO_ROW = ("every row has a missing label, score or weight", "pass complete rows")


class Classes:
    """Numbers of rows by label (and slice): all, incomplete ones, and those with an invalid weight."""

    def __init__(self, columns: Mapping[str, Array]) -> None:
        self.labels = columns["y"]
        self.slices = columns.get("s")
        self._columns = columns

    def total(self, name: str) -> float:
        """Return a count over all labels."""
        with np.errstate(over="ignore"):
            return float(np.nansum(self._columns[name].astype(float))) if name in self._columns else 0.0

    def least(self) -> float:
        """Return the smallest weight above 0."""
        return (
            float(np.nanmin(self._columns["least"].astype(float), initial=np.inf)) if "least" in self._columns else 1.0
        )

    def subset(self, which: Array) -> Classes:
        """Return some of the labels."""
        return Classes({name: values[which] for name, values in self._columns.items()})


class Edge(NamedTuple):
    """A threshold that no bin may straddle, and whether high scores reach it."""

    threshold: float
    higher: bool


class Engine(Protocol):
    """An engine that holds the data. `find_first` gives a position of None if rows have no order."""

    rows: int
    single: bool
    weighted: bool
    slices: int  # how many slices the rows belong to, 0 for none; labels, cells and bins are then those of each

    def count_classes(self) -> Classes:
        """Return the labels, and the checks of scores and weights."""

    def find_first(self, what: str) -> tuple[int | None, Any]:
        """Return the position of the first row with a missing value or an invalid weight, and its weight."""

    def prepare(self, labels: Array, is_positive: Array, edge: Edge | None) -> None:
        """Set which labels are positive, and the threshold that no bin may straddle."""

    def estimate_distinct(self) -> int:
        """Estimate the number of distinct scores."""

    def count_bins(self, divisions: list[Division]) -> Bins:
        """Return the bins of the last of the divisions."""

    def count_cells(self, above: float | None = None, up_to: float | None = None) -> Bins:
        """Return the distinct scores in (above, up_to] as bins of one score each; None is no limit."""


class RankingOptions(NamedTuple):
    """Options of a ranking, as in `rank`."""

    positive: Any = None
    higher_is_positive: bool = True
    missing: str = "error"
    weights_are: str | None = None
    exact: bool | None = None
    threshold: float | None = None
    memory: Any = None


def is_large(engine: Engine) -> bool:
    """Whether there may be too many distinct rows to collect."""
    return engine.rows > MOST


def rank_engine(engine: Engine, options: RankingOptions) -> Ranking:
    """Return the ranking of the rows of an engine: exact where there are few distinct scores, otherwise of bins.

    Args:
        engine: The engine.
        options: The options of `rank`.
    """
    ranking = rank_engine_slices(engine, options).rankings[0]
    assert ranking is not None  # noqa: S101 - because there is a complete row
    return ranking


class RankedSlices(NamedTuple):
    """The ranking of each slice, None without a complete row, and the number of incomplete rows.

    `overall` is the ranking of all cases where it is known already, without merging those of the slices.
    """

    rankings: list[Ranking | None]
    dropped: int
    overall: Ranking | None = None


def rank_engine_slices(engine: Engine, options: RankingOptions) -> RankedSlices:
    """Return the ranking of each slice of an engine's rows, aggregated together; of all rows where there are no slices.

    The bins of all slices have the same edges, which leave the AUC of all cases certain. A slice without a complete
    row has no ranking.

    Args:
        engine: The engine.
        options: The options of `rank`.
    """
    classes = engine.count_classes()
    _check_weights(engine, classes)
    absent = validation.find_missing(classes.labels)
    absent = np.zeros(len(classes.labels), bool) if absent is None else absent
    _check_complete(engine, classes, absent, options.missing)
    present = classes.subset(~absent)
    if not present.total("cases") - present.total("incomplete" if engine.weighted else "no_score"):
        raise InputError(f"Nothing can be ranked, because {NO_ROW[0]}", NO_ROW[1])
    if present.total("inexact"):
        validation.as_scores(np.array([2**53 + 1]))  # which refuses them
    labels = present.labels[_find_first_places(present.labels)]
    is_positive, positive, negative = find_positives(labels, options.positive)
    at = (
        None
        if options.threshold is None
        else Edge(_convert_threshold(options.threshold, engine), options.higher_is_positive)
    )
    engine.prepare(labels, is_positive, at)
    names: dict[str, Any] = {"positive": positive, "negative": negative}
    parts = [(bins, classes, absent) for bins in _aggregate(engine, options)]
    if engine.slices:
        own = [np.flatnonzero(classes.slices == number) for number in range(engine.slices)]
        parts = [(part[0], classes.subset(rows), absent[rows]) for part, rows in zip(parts, own, strict=True)]
    rankings = [_make_ranking(engine, options, *part, names) if len(part[0]) else None for part in parts]
    return RankedSlices(rankings, _count_dropped(engine, classes, absent))


def _find_first_places(labels: Array) -> list[int]:
    """Return the first index of each label; each slice has a row of its own for it."""
    places: dict[Any, int] = {}
    for place, label in enumerate(labels.tolist()):
        places.setdefault(label, place)
    return list(places.values())


def _make_ranking(
    engine: Engine, options: RankingOptions, bins: Bins, classes: Classes, absent: Array, names: Mapping[str, Any]
) -> Ranking:
    """Return the ranking of the bins of all cases, or of one slice."""
    bins = sort_bins(bins)
    ends = (bins.top, bins.bottom)
    top, bottom = (end.astype(np.float32) for end in ends) if engine.single else ends
    fractions = classes.total("fractions")
    if options.weights_are == "counts" and fractions:
        validation.convert_weights(np.array([0.5]), "counts")  # which refuses them
    are_counts = options.weights_are not in ("sampling", "importance")
    whole = are_counts and not fractions and classes.total("weight") < 2**53
    sums = [
        c.astype(np.int64) if c is not None and whole and c.sum(dtype=float) < _WHOLE else c
        for c in (bins.pos, bins.neg, bins.pos2, bins.neg2)
    ]
    dropped = _count_dropped(engine, classes, absent)
    return rank_bins(top, bottom, *sums, higher_is_positive=options.higher_is_positive, **names, dropped=dropped)  # type: ignore[arg-type]


def _convert_threshold(threshold: float, engine: Engine) -> float:
    return float(np.float32(threshold)) if engine.single else float(threshold)


def _aggregate(engine: Engine, options: RankingOptions) -> list[Bins]:
    """Return the bins of each slice, or of all cases where there are no slices."""
    if options.exact is False:
        return _bin_slices(engine)
    distinct, most = engine.estimate_distinct(), MOST
    if engine.slices:
        distinct, most = min(distinct * engine.slices, engine.rows), max(MOST, MOST_CELLS)
    if distinct <= most:
        return _split_by_slice(engine.count_cells(), engine.slices)
    if options.exact:
        return _split_by_slice(_count_by_ranges(engine, distinct, options.memory), engine.slices)
    return _bin_slices(engine)


def _split_by_slice(bins: Bins, slices: int) -> list[Bins]:
    return bins.by_slice(slices) if slices else [bins]


def _bin_slices(engine: Engine) -> list[Bins]:
    """Return the bins of each slice; all together bracket the AUC of all cases."""
    if not engine.slices:
        return [count_in_bins(engine.count_bins)]
    passes: list[Bins] = []
    divided: list[Division] = []

    def aggregate(divisions: list[Division]) -> Bins:
        passes.append(engine.count_bins(divisions))
        divided[:] = divisions
        return passes[-1].all_slices()

    count_in_bins(aggregate, most=max(MOST_CELLS // engine.slices, _FEWEST_BINS))
    again = np.concatenate([division.number for division in divided]) if divided else np.zeros(0, np.int64)
    # What a later pass divided is there in parts.
    return _split_by_slice(join_bins([bins.subset(~np.isin(bins.number, again)) for bins in passes]), engine.slices)


def _count_by_ranges(engine: Engine, distinct: int, memory: Any) -> Bins:
    """Return all distinct scores: ranges are counted first, then the scores of one range after the other."""
    needed = distinct * _BYTES
    if needed > (find_machine_memory() if memory is None else parse_memory_size(memory)):
        problem = f"The exact ranking of about {distinct:,} distinct scores takes about {needed / 1e9:.3g} GB"
        way_out = ("leave ", Argument("exact"), " out for bins, which leave the AUC certain to 1e-6, or raise ")
        raise InputError(problem, Text(*way_out, Argument("memory")))
    first = engine.count_bins([])
    ranges = sort_bins(first.all_slices() if engine.slices else first)
    size = np.cumsum(ranges.pos + ranges.neg)
    part = (size // (MOST * float(size[-1]) / engine.rows)).astype(np.int64)
    # From the highest scores down. Neighbours share a border, so that no case is lost or counted twice even where an
    # engine reads the digits of a number less than exactly, as older versions of DuckDB do in the queries of Ibis.
    tops = [float(ranges.subset(part == number).top[0]) for number in np.unique(part)]
    borders = [None, *tops[1:], None]
    return join_bins([engine.count_cells(above, up_to) for up_to, above in pairwise(borders)])


# ---------------------------------------------------------------------- refusals


def _check_weights(engine: Engine, classes: Classes) -> None:
    """Raise if a weight is invalid, as `validation.as_weights` does."""
    if not engine.weighted:
        return
    if not len(classes.labels):
        raise InputError(f"Nothing can be ranked, because {NO_WEIGHT[0]}", NO_WEIGHT[1])
    for what in ("negative", "infinite"):
        many = int(classes.total(what))
        if many:
            place, value = engine.find_first(what)
            try:
                validation.as_weights(np.full(min(many, 10**6), float(value)))
            except PositionError as error:
                raise error.altered(position=place) from None
    total = classes.total("weight")
    validation.as_weights(np.array([total, min(classes.least(), total)]))


def _check_complete(engine: Engine, classes: Classes, absent: Array, missing: str) -> None:
    """Raise if a row is incomplete, unless such rows are dropped."""
    lacking = {
        "labels": classes.subset(absent).total("cases"),
        "weights": classes.total("no_weight"),
        "scores": classes.total("no_score"),
    }
    for name, many in lacking.items():
        if many and missing == "error":
            raise validation.make_missing_values_error(name, int(many), engine.find_first(name)[0])


def _count_dropped(engine: Engine, classes: Classes, absent: Array) -> int:
    """Count the incomplete rows."""
    of_others = classes.subset(~absent).total("incomplete" if engine.weighted else "no_score")
    return int(classes.subset(absent).total("cases") + of_others)
