"""The door for data that another engine holds and that are too many to collect: checked and aggregated there.

An engine answers a few questions with one reading of the data each; only labels, counts and bins come back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np

from cutline.core import validation
from cutline.core.array_ops import Array
from cutline.core.binned_ranking import of_bins
from cutline.core.errors import Argument, InputError, PositionError, Text
from cutline.core.ranking import Ranking
from cutline.inputs.binning import MOST, Bins, Division, binned, in_order, joined

_WHOLE = 2.0**62  # up to which sums of whole numbers are kept as such: squares of weights may be larger
MOST_IN_MEMORY = 2**25  # rows of a file that are read as they are, though memory might take more
_BYTES = 100  # that an exact ranking takes for a distinct score, with what is computed from it
_ALL_ZERO = ("all weights are zero", "pass positive weights, or leave them out to weigh all cases alike")
_NO_ROW = ("every row has a missing label, score or weight", "pass complete rows")


class Classes:
    """How many rows each label has, and how many of them lack something or have a weight that is none."""

    def __init__(self, found: Mapping[str, Array]) -> None:
        self.labels = found["y"]
        self._found = found

    def total(self, name: str) -> float:
        """A count over all labels."""
        with np.errstate(over="ignore"):
            return float(np.nansum(self._found[name].astype(float))) if name in self._found else 0.0

    def least(self) -> float:
        """The smallest weight above 0."""
        return float(np.nanmin(self._found["least"].astype(float), initial=np.inf)) if "least" in self._found else 1.0

    def taken(self, which: Array) -> Classes:
        """Some of the labels."""
        return Classes({name: values[which] for name, values in self._found.items()})


class Edge(NamedTuple):
    """A threshold that no bin may straddle, and whether high scores reach it."""

    threshold: float
    higher: bool


class Engine(Protocol):
    """What holds the data. `first` gives a position of None where rows have no order."""

    rows: int
    single: bool
    weighted: bool

    def classes(self) -> Classes:
        """The labels, and what is to be known of scores and weights."""

    def first(self, what: str) -> tuple[int | None, Any]:
        """Where the first row is that lacks something or has a wrong weight, and its weight."""

    def prepare(self, labels: Array, is_positive: Array, edge: Edge | None) -> None:
        """Say which labels are positive, and which threshold bins have to respect."""

    def distinct(self) -> int:
        """About how many distinct scores there are."""

    def bins(self, divisions: list[Division]) -> Bins:
        """The bins of the last of the divisions."""

    def cells(self, above: float | None = None, up_to: float | None = None) -> Bins:
        """The distinct scores above one score, up to another with it, as bins of one score each; None is no border."""


class Wanted(NamedTuple):
    """How the data are to be read: whether bins will do (None: where there are too many scores), and an edge."""

    positive: Any
    higher_is_positive: bool
    missing: str
    exact: bool | None = None
    threshold: float | None = None
    memory: int = 0
    weights_are: str | None = None


def is_large(engine: Engine) -> bool:
    """Whether there may be too many rows to collect the distinct ones."""
    return engine.rows > MOST


Binary = Callable[[Array, Any], tuple[Array, Any, Any]]


def rank_large(engine: Engine, wanted: Wanted, binary: Binary) -> Ranking:
    """The ranking of what an engine holds: exact where there are few distinct scores, otherwise of bins.

    Args:
        engine: What holds the data.
        wanted: How they are to be read.
        binary: Tells which labels are positive, or refuses them.
    """
    found = engine.classes()
    _check_weights(engine, found)
    absent = validation.missing_mask(found.labels)
    absent = np.zeros(len(found.labels), bool) if absent is None else absent
    dropped = _dropped(engine, found, absent, wanted.missing)
    present = found.taken(~absent)
    if not present.total("cases") - present.total("incomplete" if engine.weighted else "no_score"):
        raise InputError(f"Nothing can be ranked, because {_NO_ROW[0]}", _NO_ROW[1])
    if present.total("inexact"):
        validation.scores(np.array([2**53 + 1]))  # which refuses them
    is_positive, positive, negative = binary(present.labels, wanted.positive)
    at = None if wanted.threshold is None else Edge(_read_as(wanted.threshold, engine), wanted.higher_is_positive)
    engine.prepare(present.labels, is_positive, at)
    bins = in_order(_aggregated(engine, wanted))
    ends = (bins.top, bins.bottom)
    top, bottom = (end.astype(np.float32) for end in ends) if engine.single else ends
    fractions = found.total("fractions")
    if wanted.weights_are == "counts" and fractions:
        validation.weighed(np.array([0.5]), "counts")  # which refuses them
    are_counts = wanted.weights_are not in ("sampling", "importance")
    whole = are_counts and not fractions and found.total("weight") < 2**53
    sums = [
        c.astype(np.int64) if c is not None and whole and c.sum(dtype=float) < _WHOLE else c
        for c in (bins.pos, bins.neg, bins.pos2, bins.neg2)
    ]
    how: dict[str, Any] = {"higher_is_positive": wanted.higher_is_positive, "positive": positive, "negative": negative}
    return of_bins(top, bottom, *sums, **how, dropped=dropped)  # type: ignore[arg-type]


def _read_as(threshold: float, engine: Engine) -> float:
    return float(np.float32(threshold)) if engine.single else float(threshold)


def _aggregated(engine: Engine, wanted: Wanted) -> Bins:
    if wanted.exact is False:
        return binned(engine.bins)
    distinct = engine.distinct()
    if distinct <= MOST:
        return engine.cells()
    return _by_ranges(engine, distinct, wanted.memory) if wanted.exact else binned(engine.bins)


def _by_ranges(engine: Engine, distinct: int, memory: int) -> Bins:
    """All distinct scores: the counts of ranges first, then the scores of each range by itself."""
    needed = distinct * _BYTES
    if memory and needed > memory:
        found = f"The exact ranking of about {distinct:,} distinct scores takes about {needed / 1e9:.3g} GB"
        way_out = ("leave ", Argument("exact"), " out for bins, which leave the AUC certain to 1e-6, or raise ")
        raise InputError(found, Text(*way_out, Argument("memory")))
    ranges = in_order(engine.bins([]))
    size = np.cumsum(ranges.pos + ranges.neg)
    part = (size // (MOST * float(size[-1]) / engine.rows)).astype(np.int64)
    # From the highest scores down. Neighbours share a border, so that no case is lost or counted twice even where an
    # engine reads the digits of a number less than exactly, as older versions of DuckDB do in the queries of Ibis.
    tops = [float(ranges.taken(part == number).top[0]) for number in np.unique(part)]
    borders = [None, *tops[1:], None]
    return joined([engine.cells(above, up_to) for up_to, above in pairwise(borders)])


# ---------------------------------------------------------------------- refusals


def _check_weights(engine: Engine, found: Classes) -> None:
    """Refuse weights as `columns.weights` refuses them."""
    if not engine.weighted:
        return
    if not len(found.labels):
        raise InputError(f"Nothing can be ranked, because {_ALL_ZERO[0]}", _ALL_ZERO[1])
    for what in ("negative", "infinite"):
        many = int(found.total(what))
        if many:
            place, value = engine.first(what)
            try:
                validation.weights(np.full(min(many, 10**6), float(value)))
            except PositionError as error:
                raise error.altered(position=place) from None
    total = found.total("weight")
    validation.weights(np.array([total, min(found.least(), total)]))


def _dropped(engine: Engine, found: Classes, absent: Array, missing: str) -> int:
    """How many rows lack something, if that is allowed."""
    lacking = {
        "labels": found.taken(absent).total("cases"),
        "weights": found.total("no_weight"),
        "scores": found.total("no_score"),
    }
    for name, many in lacking.items():
        if many and missing == "error":
            raise validation.missing_values(name, int(many), engine.first(name)[0])
    of_others = found.taken(~absent).total("incomplete" if engine.weighted else "no_score")
    return int(lacking["labels"] + of_others)
