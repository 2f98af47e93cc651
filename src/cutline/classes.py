"""Several classes: a mapping of one-against-the-rest rankings, on top of the binary core."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from cutline.errors import InputError
from cutline.measures import MEASURES, Measure
from cutline.predictions import rank
from cutline.ranking import Ranking


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
    matrix, truth = np.asarray(scores), np.asarray(labels)
    if matrix.ndim != 2:
        raise InputError(f"scores has {matrix.ndim} dimensions: pass a row for each case and a column for each class.")
    order = np.unique(truth).tolist() if classes is None else list(classes)
    if len(order) != matrix.shape[1]:
        raise InputError(
            f"scores has {matrix.shape[1]} columns but there are {len(order)} classes: "
            "pass classes= in the order of the columns."
        )
    unknown = ~np.isin(truth, order)
    if unknown.any():
        raise InputError(
            f"labels holds {truth[unknown][0].item()!r}, which is not among classes: name every class there."
        )
    return OneVsRest({label: rank(truth == label, matrix[:, i], weights) for i, label in enumerate(order)})
