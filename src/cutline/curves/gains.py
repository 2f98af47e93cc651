"""The gains table: the list cut into portions of equal size, and what each holds, ties by expectation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cutline.core.checks import check_whole
from cutline.core.counts import divide
from cutline.core.errors import InputError, ParameterError
from cutline.core.ranking import Array, Ranking
from cutline.core.table import Table


@dataclass(frozen=True, eq=False)
class Gains:
    """A row for each portion of the list, from the top: cases, positives, rate, lift, and the same cumulated.

    Cases tied across the end of a portion belong to both in part, as many as would fall there in a random order.
    """

    columns: dict[str, Array]
    ks: float
    ks_portion: int

    def __len__(self) -> int:
        return len(self.columns["portion"])

    def __getitem__(self, name: str) -> Array:
        return self.columns[name]

    @property
    def table(self) -> Table:
        """The table as it is printed."""
        rows = zip(*(column.tolist() for column in self.columns.values()), strict=True)
        best = f"The largest KS at the end of a portion is {self.ks:.4f}, after portion {self.ks_portion}."
        return Table(
            tuple(self.columns), tuple(rows), title=f"Gains by {len(self)} portions of the list", below=(best,)
        )

    def to_dict(self) -> list[dict[str, Any]]:
        """A dictionary for each portion."""
        return self.table.to_dict()

    def to_frame(self, backend: str = "pandas") -> Any:
        """The table as a data frame of pandas, polars or pyarrow."""
        return self.table.to_frame(backend)

    def to_csv(self) -> str:
        """The table as CSV, with all digits."""
        names = ",".join(self.columns)
        rows = zip(*(column.tolist() for column in self.columns.values()), strict=True)
        return "\n".join([names, *(",".join(map(repr, row)) for row in rows)]) + "\n"

    def __repr__(self) -> str:
        return repr(self.table)

    def _repr_html_(self) -> str:
        return self.table._repr_html_()


MOST_PORTIONS = 100_000


def gains(r: Ranking, portions: int = 10) -> Gains:
    """The gains table of a ranking.

    Args:
        r: The ranking.
        portions: Into how many portions the list is divided.

    >>> found = gains(Ranking.of_counts([4, 3, 2, 1], [2, 1, 1, 0], [0, 1, 1, 2]), 2)
    >>> found["positives"].tolist(), found["cumulated_gain"].tolist(), found.ks
    ([3, 1], [0.75, 1.0], 0.5)
    """
    portions = check_whole(portions, "portions", 1)
    if portions > MOST_PORTIONS:
        raise ParameterError(f"is {portions}", f"pass at most {MOST_PORTIONS:,}", argument="portions")
    if not r.positives or not r.negatives:
        raise InputError("A gains table needs cases of both classes: these are of one.")
    n = float(r.total)
    ends = n * np.arange(portions + 1) / portions
    counts = r.at_quota(ends)
    tp, fp = np.asarray(counts.tp, dtype=float), np.asarray(counts.fp, dtype=float)
    tp[0] = fp[0] = 0.0
    cases, positives = np.diff(ends), np.diff(tp)
    recall, fpr = tp[1:] / float(r.positives), fp[1:] / float(r.negatives)
    prevalence = float(r.positives) / n
    first, last = _cells(r, ends)
    separation = recall - fpr
    best = int(np.argmax(separation))
    columns = {
        "portion": np.arange(1, portions + 1),
        "highest_score": r.score[first].astype(float),
        "lowest_score": r.score[last].astype(float),
        "cases": cases,
        "positives": positives,
        "rate": positives / cases,
        "lift": divide(positives / cases, prevalence),
        "cumulated_cases": ends[1:],
        "cumulated_positives": tp[1:],
        "cumulated_rate": tp[1:] / ends[1:],
        "cumulated_gain": recall,
        "cumulated_lift": divide(tp[1:] / ends[1:], prevalence),
        "ks": separation,
    }
    whole = {name: _whole(column) for name, column in columns.items()}
    return Gains(whole, float(separation[best]), best + 1)


def _whole(column: Array) -> Array:
    """Numbers of cases as integers, where no tie is shared."""
    return column.astype(np.int64) if (column == np.floor(column)).all() and np.abs(column).max() < 2**53 else column


def _cells(r: Ranking, ends: Array) -> tuple[Array, Array]:
    """Of each portion, where its first and its last score stand."""
    slack = 1e-9 * ends[-1]  # a portion that ends with a score does not reach into the next
    first = np.searchsorted(r.ends[1:], ends[:-1] + slack, side="left")
    last = np.searchsorted(r.ends[1:], ends[1:] - slack, side="left")
    return np.minimum(first, len(r) - 1), np.minimum(last, len(r) - 1)
