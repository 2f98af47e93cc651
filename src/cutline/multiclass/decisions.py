"""The decisions of a model of several classes: each case goes to the class with the highest score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.counts import Counts, divide, format_number
from cutline.core.errors import make_unknown_name_error
from cutline.core.escaping import html_text
from cutline.core.public import public
from cutline.core.table import ComparedByFields, Table
from cutline.core.validation import to_json_label
from cutline.inputs.multiclass import ClassCases


def share_decisions(cases: ClassCases) -> Array:
    """Return the share of each case that each class gets: 1 for the highest score, equal shares where scores tie.

    The order of classes and cases decides no tie, and the counts are expectations.
    """

    def choose() -> Array:
        highest = cases.scores == cases.scores.max(1, keepdims=True)
        return np.asarray(highest / highest.sum(1, keepdims=True))

    parts: Array = cases.cached("chosen", choose)
    return parts


def count_decisions(cases: ClassCases) -> Array:
    """Return the weight of the cases by real class (rows) and predicted class (columns)."""
    table: Array = cases.cached("decided", lambda: tabulate(cases.truth, share_decisions(cases), cases.weights))
    return table


def tabulate(truth: Array, chosen: Array, weights: Array) -> Array:
    """Return the weight of the cases by real class (rows) and predicted class (columns), over leading axes of the
    weights.
    """
    count = chosen.shape[1]
    is_class = truth[:, None] == np.arange(count)
    # The classes one by one, so that no array is larger than the weights or the result.
    rows = [np.matmul(weights[..., is_class[:, c]].astype(float), chosen[is_class[:, c]]) for c in range(count)]
    return np.stack(rows, axis=-2)


@dataclass(frozen=True, eq=False)
class ConfusionMatrix(ComparedByFields):
    """The cases by their real class (rows) and by the class of their highest score (columns).

    >>> found = ConfusionMatrix(("a", "b"), np.array([[3.0, 1.0], [2.0, 4.0]]))
    >>> found["a"], round(float(found["a"].precision), 6)
    (Counts(tp=3, fp=2, fn=1, tn=4), 0.6)
    """

    classes: tuple[Any, ...]
    table: Array

    def __getitem__(self, label: Any) -> Counts:
        """Return the counts of one class against the rest; every measure of one cut is their attribute."""
        if label not in self.classes:
            raise make_unknown_name_error("class", label, self.classes)
        return count_class(self.table, self.classes.index(label))

    @property
    def pooled(self) -> Counts:
        """Sum of the counts of all classes; each case counts once for every class."""
        return pool_counts(self.table)

    def to_table(self) -> Table:
        """Return a row for each real class: its cases by predicted class, and how many there are."""
        names = tuple(f"predicted {label}" for label in self.classes)
        rows = [
            (str(label), *(_simplify(cell) for cell in row), _simplify(row.sum()))
            for label, row in zip(self.classes, self.table, strict=True)
        ]
        return Table(("class", *names, "cases"), tuple(rows))

    @public
    def to_frame(self, backend: str = "pandas") -> Any:
        """Return the matrix as a data frame of pandas, polars or pyarrow.

        Args:
            backend: The package of the frame.
        """
        return self.to_table().to_frame(backend)

    def to_dict(self) -> dict[str, Any]:
        """Return the classes and the rows of the matrix, ready for JSON."""
        return {"classes": [to_json_label(label) for label in self.classes], "table": self.table.tolist()}

    def __repr__(self) -> str:
        return repr(self.to_table())

    def _repr_html_(self) -> str:
        names = "".join(f"<th scope='col'>{html_text(label)}</th>" for label in self.classes)
        body = "".join(
            f"<tr><th scope='row'>{html_text(label)}</th>"
            + "".join(f"<td>{format_number(cell)}</td>" for cell in row)
            + "</tr>"
            for label, row in zip(self.classes, self.table, strict=True)
        )
        head = f"<th scope='col'>real \\ predicted</th>{names}"
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _simplify(cell: Any) -> float | int:
    return int(cell) if float(cell).is_integer() else float(cell)


def count_class(table: Array, position: int) -> Counts:
    """Return the counts of one class against the rest, over leading axes of the table."""
    own = table[..., position, position]
    real, predicted = table[..., position, :].sum(-1), table[..., :, position].sum(-1)
    # Rounding may leave a trace below 0 where there is nothing.
    fp, fn = np.maximum(predicted - own, 0.0), np.maximum(real - own, 0.0)
    return Counts(own, fp, fn, np.maximum(table.sum((-1, -2)) - own - fp - fn, 0.0))


def pool_counts(table: Array) -> Counts:
    """Return the counts of all classes added up."""
    right, total = np.trace(table, axis1=-2, axis2=-1), table.sum((-1, -2))
    wrong = np.maximum(total - right, 0.0)
    return Counts(right, wrong, wrong, np.maximum((table.shape[-1] - 1) * total - wrong, 0.0))


# ---------------------------------------------------------------------- measures of the whole table, with their slopes


def compute_accuracy(table: Array) -> Any:
    """Return the share of the cases that are predicted right."""
    return divide(np.trace(table, axis1=-2, axis2=-1), table.sum((-1, -2)))


def compute_mcc(table: Array) -> Any:
    """Return the correlation of real and predicted classes (Gorodkin 2004); with two, Matthews' coefficient."""
    right, total, real, predicted = _sum_margins(table)
    above = right * total - (real * predicted).sum(-1)
    return divide(above, np.sqrt((total**2 - (predicted**2).sum(-1)) * (total**2 - (real**2).sum(-1))))


def compute_kappa(table: Array) -> Any:
    """Return Cohen's kappa: the agreement of real and predicted classes beyond chance."""
    right, total, real, predicted = _sum_margins(table)
    expected = (real * predicted).sum(-1)
    return divide(right * total - expected, total**2 - expected)


def _sum_margins(table: Array) -> tuple[Any, Any, Array, Array]:
    right, total = np.trace(table, axis1=-2, axis2=-1), table.sum((-1, -2))
    return right, total, table.sum(-1), table.sum(-2)


def compute_accuracy_slopes(table: Array) -> Array:
    """Return the derivative of the accuracy by each cell."""
    return np.asarray((np.eye(len(table)) - compute_accuracy(table)) / table.sum())


def compute_mcc_slopes(table: Array) -> Array:
    """Return the derivative of the correlation by each cell."""
    right, total, real, predicted = _sum_margins(table)
    variance_predicted, variance_real = total**2 - (predicted**2).sum(), total**2 - (real**2).sum()
    above = np.eye(len(table)) * total + right - predicted[:, None] - real
    slope_predicted = (total - predicted) / variance_predicted
    slope_real = ((total - real) / variance_real)[:, None]
    return np.asarray(
        above / np.sqrt(variance_predicted * variance_real) - compute_mcc(table) * (slope_predicted + slope_real)
    )


def compute_kappa_slopes(table: Array) -> Array:
    """Return the derivative of kappa by each cell."""
    right, total, real, predicted = _sum_margins(table)
    below = total**2 - (real * predicted).sum()
    above = np.eye(len(table)) * total + right - predicted[:, None] - real
    return np.asarray((above - compute_kappa(table) * (2 * total - predicted[:, None] - real)) / below)
