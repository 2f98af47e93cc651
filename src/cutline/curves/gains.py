"""The gains table (portions of equal size, ties by expectation), and bands that keep equal scores together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cutline.core.array_ops import Array
from cutline.core.counts import divide, format_number
from cutline.core.errors import InputError, ParameterError, shorten_repr
from cutline.core.ranking import Ranking, describe_unusual_names
from cutline.core.table import ShownAsTable, Table, align_columns, format_value
from cutline.core.validation import as_numbers, check_whole, is_single
from cutline.measures.roc import ks


@dataclass(frozen=True, eq=False)
class Gains(ShownAsTable):
    """A row for each portion of the list, from the top: cases, positives, rate, lift, and the same cumulated.

    Cases tied across the end of a portion belong to both in part, as many as would fall there in a random order.
    `ks` is the largest distance between recall and false positive rate at the end of a portion, `ks_portion` the number
    of that portion, and `ks_anywhere` the largest distance at any cut.
    """

    columns: dict[str, Array]
    ks: float
    ks_portion: int
    ks_anywhere: float
    names: str = ""  # which labels are positive and negative, unless that is obvious

    def __len__(self) -> int:
        return len(self.columns["portion"])

    def __getitem__(self, name: str) -> Array:
        return self.columns[name]

    @property
    def table(self) -> Table:
        """Table with all columns."""
        rows = zip(*(column.tolist() for column in self.columns.values()), strict=True)
        return Table(tuple(self.columns), tuple(rows), title=self._title, below=self._below)

    @property
    def _title(self) -> str:
        return f"Gains by {len(self)} portions of the list{self.names}"

    @property
    def _below(self) -> tuple[str, ...]:
        """Lines below the table: the largest distance, and why counts may be fractions."""
        distances = f"{self.largest_distance}.", f"KS over all cuts: {format_value(self.ks_anywhere)}."
        counts = [self.columns[name] for name in ("cases", "positives")]
        if all(np.issubdtype(column.dtype, np.integer) for column in counts):
            return distances
        return (
            *distances,
            "Counts are rounded: tied cases, and cases at the end of a portion, are split.",
        )

    @property
    def largest_distance(self) -> str:
        """Sentence on the portion down to which recall exceeds the false positive rate by most."""
        if self.ks <= 0:
            return "After no portion is a larger share of the positives found than of the negatives"
        return f"Largest distance at the end of a portion: {format_value(self.ks)}, after portion {self.ks_portion}"

    def to_dict(self) -> list[dict[str, Any]]:
        """Return a dictionary for each portion."""
        return self.table.to_dict()

    def to_csv(self) -> str:
        """Return the table as CSV, with all digits."""
        names = ",".join(self.columns)
        rows = zip(*(column.tolist() for column in self.columns.values()), strict=True)
        return "\n".join([names, *(",".join(map(repr, row)) for row in rows)]) + "\n"

    def __repr__(self) -> str:
        """Return the two tables below each other, which fit into 80 columns."""
        own, cumulated = (self._format_lines(names) for names in (_OWN, _CUMULATED))
        return "\n".join([self._title, *own, "", "Cumulated from the top of the list", *cumulated, *self._below])

    def _format_lines(self, names: Mapping[str, str]) -> list[str]:
        columns = [
            [_format_cell(header, value) for value in self._round_counts(name)] for name, header in names.items()
        ]
        return align_columns(list(names.values()), list(zip(*columns, strict=True)), [True] * len(names))

    def _round_counts(self, name: str) -> list[float]:
        """Return a column, with counts as whole numbers that add up to the rounded cumulated counts."""
        if name.removeprefix("cumulated_") not in _COUNTS:
            return list(self.columns[name].tolist())
        cumulated = np.rint(self.columns[f"cumulated_{name.removeprefix('cumulated_')}"])
        if not cumulated.max(initial=0.0) < 2**62:  # weights beyond the integers are shown as they are
            return list(self.columns[name].tolist())
        cumulated = cumulated.astype(int)
        return list((cumulated if name.startswith("cumulated_") else np.diff(cumulated, prepend=0)).tolist())


MOST_PORTIONS = 100_000
# The printed columns and their headers.
_OWN = {
    "portion": "portion", "first_score": "first score", "last_score": "last score", "cases": "cases",
    "positives": "positives", "rate": "rate", "lift": "lift",
}  # fmt: skip
_CUMULATED = {
    "portion": "portion", "cumulated_share": "share of list", "cumulated_cases": "cases",
    "cumulated_positives": "positives", "cumulated_rate": "rate", "cumulated_gain": "gain", "cumulated_lift": "lift",
    "ks": "KS",
}  # fmt: skip
_COUNTS = ("cases", "positives")


def _format_cell(header: str, value: float) -> str:
    return format_number(value) if header == "share of list" or header in _COUNTS else format_value(value)


def gains(r: Ranking, portions: int | Sequence[float] = 10) -> Gains:
    """Return the gains table of a ranking.

    Args:
        r: The ranking.
        portions: The number of portions of equal size; or the shares of the list at which they end, such as
            [0.01, 0.05, 0.1], and the rest of the list is the last.

    >>> table = gains(Ranking.of_counts([4, 3, 2, 1], [2, 1, 1, 0], [0, 1, 1, 2]), 2)
    >>> table["positives"].tolist(), table["cumulated_gain"].tolist(), table.ks
    ([3, 1], [0.75, 1.0], 0.5)
    """
    shares = _read_shares(portions)
    if not r.positives or not r.negatives:
        raise InputError("A gains table needs cases of both classes: these are of one.")
    n = float(r.total)
    ends = n * shares
    counts = r.at_quota(ends)
    tp, fp = np.asarray(counts.tp, dtype=float), np.asarray(counts.fp, dtype=float)
    tp[0] = fp[0] = 0.0
    cases, positives = np.diff(ends), np.diff(tp)
    recall, fpr = tp[1:] / float(r.positives), fp[1:] / float(r.negatives)
    prevalence = float(r.positives) / n
    first, last = _find_portion_scores(r, ends)
    separation = recall - fpr
    best = int(np.argmax(separation))
    columns = {
        "portion": np.arange(1, len(shares)),
        "first_score": r.score[first].astype(float),
        "last_score": r.score[last].astype(float),
        "cases": cases,
        "positives": positives,
        "rate": positives / cases,
        "lift": divide(positives / cases, prevalence),
        "cumulated_share": shares[1:],
        "cumulated_cases": ends[1:],
        "cumulated_positives": tp[1:],
        "cumulated_rate": tp[1:] / ends[1:],
        "cumulated_gain": recall,
        "cumulated_lift": divide(tp[1:] / ends[1:], prevalence),
        "ks": separation,
    }
    whole = {name: convert_whole_numbers(column) for name, column in columns.items()}
    return Gains(whole, float(separation[best]), best + 1, float(ks.compute(r)), describe_unusual_names(r))


def _read_shares(portions: Any) -> Array:
    """Return the shares of the list at which portions begin and end, from 0 to 1."""
    if is_single(portions):
        many = check_whole(portions, "portions", 1)
        if many > MOST_PORTIONS:
            raise ParameterError(f"is {many}", f"pass at most {MOST_PORTIONS:,}", argument="portions")
        return np.arange(many + 1) / many
    shares = as_numbers(portions, "portions").astype(float)
    if not len(shares) or not shares[0] > 0 or not (shares[1:] > shares[:-1]).all() or shares[-1] > 1:
        remedy = "pass rising shares of the list between 0 and 1, such as 0.01, 0.05, 0.1"
        raise ParameterError(f"is {shorten_repr(list(portions))}", remedy, argument="portions")
    return np.concatenate(([0.0], shares, [1.0] if shares[-1] < 1 else []))


def convert_whole_numbers(column: npt.ArrayLike) -> Array:
    """Return numbers as integers if all of them are whole: counts are, unless a tie is split."""
    values = np.asarray(column)
    is_whole = (values == np.floor(values)).all() and np.abs(values).max() < 2**53
    return values.astype(np.int64) if is_whole else values


def _find_portion_scores(r: Ranking, ends: Array) -> tuple[Array, Array]:
    """Return the positions of the first and the last score of each portion."""
    slack = 1e-9 * ends[-1]  # a portion that ends with a score does not reach into the next
    first = np.searchsorted(r.ends[1:], ends[:-1] + slack, side="left")
    last = np.searchsorted(r.ends[1:], ends[1:] - slack, side="left")
    return np.minimum(first, len(r) - 1), np.minimum(last, len(r) - 1)


# ---------------------------------------------------------------------- bands of scores


class ScoreBands(NamedTuple):
    """Bands of scores from the safest cases on, none of which splits cases of one score.

    Attributes:
        low: The lowest score of each band.
        high: The highest score of each band.
        cases: The cases in each band.
        positives: The positives in each band.
        approved: The share of all cases in this band and those before it.
        rate_approved: The share of positives among them.
        separation: The share of the positives that are not approved minus that of the negatives.
    """

    low: Array
    high: Array
    cases: Array
    positives: Array
    approved: Array
    rate_approved: Array
    separation: Array


def divide_into_bands(r: Ranking, bands: int = 10) -> ScoreBands:
    """Divide a ranking into bands with about equal numbers of cases; cases of one score stay together.

    Args:
        r: The ranking, whose last cases are the safest.
        bands: The largest number of bands.

    >>> bands = divide_into_bands(Ranking.of_counts([4, 3, 2, 1], [2, 1, 1, 0], [0, 1, 1, 2]), 2)
    >>> bands.cases.tolist(), bands.positives.tolist(), bands.approved.tolist()
    ([4.0, 4.0], [1.0, 3.0], [0.5, 1.0])
    """
    ends = np.asarray(r.ends, dtype=float)
    goal = float(r.total) * np.linspace(0, 1, bands + 1)
    after = np.searchsorted(ends, goal).clip(1, len(ends) - 1)
    nearest = np.where(goal - ends[after - 1] <= ends[after] - goal, after - 1, after)
    edges = np.unique(nearest)[::-1]  # from the safest end
    tp, fp = np.asarray(r.tp, dtype=float)[edges], np.asarray(r.fp, dtype=float)[edges]
    first, last = r.score[edges[1:]].astype(float), r.score[edges[:-1] - 1].astype(float)
    cases, positives = ends[edges[:-1]] - ends[edges[1:]], tp[:-1] - tp[1:]
    approved = np.cumsum(cases)
    return ScoreBands(
        low=np.minimum(first, last),
        high=np.maximum(first, last),
        cases=cases,
        positives=positives,
        approved=approved / float(r.total),
        rate_approved=divide(np.cumsum(positives), approved),
        separation=divide(tp[1:], float(r.positives)) - divide(fp[1:], float(r.negatives)),
    )
