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
        """The value of a measure for each class."""
        return {label: MEASURES[measure](ranking, **parameters) for label, ranking in self.items()}

    def mean(self, measure: str | Measure, **parameters: Any) -> float:
        """The mean of a measure over the classes; of average_precision it is the mean average precision."""
        return float(np.mean(list(self.each(measure, **parameters).values())))

    def __repr__(self) -> str:
        return f"OneVsRest of {len(self)} classes: {', '.join(map(repr, self))}"


def one_vs_rest(
    labels: npt.ArrayLike,
    scores: npt.ArrayLike,
    weights: npt.ArrayLike | None = None,
    *,
    classes: Sequence[Any] | None = None,
) -> OneVsRest:
    """Rank each class against the rest. `scores` has a column for each class, in the order of `classes`.

    >>> one_vs_rest(["a", "b", "c"], [[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.3, 0.4, 0.3]]).mean("average_precision")
    1.0
    """
    matrix = columns.matrix(scores, "scores")
    truth, order = columns.classes_of(labels, classes, matrix.shape[1])
    return OneVsRest({label: rank(truth == i, matrix[:, i], weights) for i, label in enumerate(order)})
