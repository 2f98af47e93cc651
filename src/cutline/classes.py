"""Several classes: a mapping of one-against-the-rest rankings, on top of the binary core."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from cutline.core import columns
from cutline.core.ranking import Ranking
from cutline.inputs.predictions import rank
from cutline.measures import MEASURES, Measure


class Mean(float):
    """A mean over classes: a number, with the reason where it is undefined."""

    reason: str

    def __new__(cls, value: float, reason: str = "") -> Mean:
        """The number, and why it is undefined, if it is."""
        mean = super().__new__(cls, value)
        mean.reason = reason
        return mean

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (float(self), self.reason)


class OneVsRest(Mapping[Any, Ranking]):
    """The ranking of each class in turn as the positive one."""

    def __init__(self, rankings: dict[Any, Ranking]) -> None:
        self._rankings = rankings

    def __getitem__(self, label: Any) -> Ranking:
        return self._rankings[label]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._rankings)

    def __len__(self) -> int:
        return len(self._rankings)

    def each(self, measure: str | Measure, **parameters: Any) -> dict[Any, float]:
        """The value of a measure for each class; NaN where it is undefined, and `reasons` says why.

        Args:
            measure: the measure, or its name.
            parameters: of the measure, and where to cut: `threshold=`, `quota=` or `share=`.
        """
        return {label: MEASURES[measure](ranking, **parameters) for label, ranking in self.items()}

    def reasons(self, measure: str | Measure, **parameters: Any) -> dict[Any, str]:
        """Why a measure is undefined, in words, for each class where it is.

        Args:
            measure: the measure, or its name.
            parameters: of the measure, and where to cut: `threshold=`, `quota=` or `share=`.
        """
        chosen = MEASURES[measure]
        prepared = {label: chosen.prepare(ranking, parameters) for label, ranking in self.items()}
        found = {label: chosen.reason(data, **given) for label, (data, given) in prepared.items()}
        return {label: reason for label, reason in found.items() if reason}

    def mean(self, measure: str | Measure, **parameters: Any) -> Mean:
        """The mean of a measure over the classes; of average_precision it is the mean average precision.

        It is a float. Where the measure of a class is undefined the mean is NaN, and `.reason` says which and why.

        Args:
            measure: the measure, or its name.
            parameters: of the measure, and where to cut: `threshold=`, `quota=` or `share=`.
        """
        reasons = self.reasons(measure, **parameters)
        said = "; ".join(f"for class {label!r} {reason}" for label, reason in reasons.items())
        return Mean(float(np.mean(list(self.each(measure, **parameters).values()))), said)

    def __repr__(self) -> str:
        return f"OneVsRest of {len(self)} classes: {', '.join(map(repr, self))}"


def one_vs_rest(
    labels: npt.ArrayLike,
    scores: npt.ArrayLike,
    weights: npt.ArrayLike | None = None,
    *,
    classes: Sequence[Any] | None = None,
) -> OneVsRest:
    """Rank each class against the rest.

    Args:
        labels: the class of each case.
        scores: a row for each case, with a column for each class, in the order of `classes`.
        weights: the weight of each case; all the same without.
        classes: the classes in the order of the columns; without, the sorted labels.

    >>> one_vs_rest(["a", "b", "c"], [[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.3, 0.4, 0.3]]).mean("average_precision")
    1.0
    """
    matrix = columns.matrix(scores, "scores")
    truth, order = columns.classes_of(labels, classes, matrix.shape[1])
    return OneVsRest({label: rank(truth == i, matrix[:, i], weights) for i, label in enumerate(order)})
