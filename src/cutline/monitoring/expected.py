"""expected(): the expected measures of cases without labels, if the probabilities are still right."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from cutline.core.array_ops import Array
from cutline.core.counts import Counts
from cutline.core.errors import InputError, UnavailableError, hint_similar
from cutline.core.measure_attributes import EveryMeasure
from cutline.core.public import public
from cutline.core.ranking import Ranking
from cutline.core.ranking_file import load as load_ranking
from cutline.core.table import ShownAsTable, Table, to_json_value
from cutline.core.validation import LEVEL, check_level, check_number, check_whole
from cutline.core.validation import as_scores as check_scores
from cutline.evaluation import Evaluation
from cutline.measures import MEASURES

CANNOT = "This cannot see a change of what scores mean: it supposes that the probabilities are still right."
SIMULATIONS = 1000
_CELLS = 2_000_000  # of simulated labels at once
_MEASURES = ("accuracy", "recall", "precision", "fpr", "auc", "brier")


@public
def expected(
    scores: Any, *, threshold: float = 0.5, level: float = LEVEL, simulations: int = SIMULATIONS, seed: int = 0
) -> Expected:
    """Return the expected measures of probabilities without labels, if these probabilities are right.

    Every case counts with weight p as a positive and with weight 1 - p as a negative. The intervals say how much
    chance in the labels can move the measures; they say nothing of probabilities that are wrong.

    Args:
        scores: Probabilities; or a ranking, an evaluation or the path of a ranking file, whose labels are not used.
        threshold: The cut.
        level: The level of the intervals.
        simulations: How often labels are drawn for the intervals.
        seed: The seed of the labels.

    >>> expected([0.9, 0.6, 0.2]).at(threshold=0.5)
    Counts(tp=1.5, fp=0.5, fn=0.2, tn=0.8, threshold=0.5)
    """
    if isinstance(scores, str | os.PathLike):
        scores = load_ranking(scores)
    if isinstance(scores, Evaluation | Ranking):
        ranking = scores.ranking if isinstance(scores, Evaluation) else scores
        if not ranking.higher_is_positive:
            raise InputError("falls where positives become more likely", "pass probabilities", argument="scores")
        distinct, size = ranking.score.astype(float), ranking.size
    else:
        values = check_scores(scores, "scores").astype(float)
        ascending, counts = np.unique(values, return_counts=True)
        distinct, size = ascending[::-1], counts[::-1]
    if not len(distinct) or np.isnan(distinct).any():
        raise InputError("has no or missing values", "pass one probability for each case", argument="scores")
    if distinct[0] > 1 or distinct[-1] < 0:
        outside = distinct[0] if distinct[0] > 1 else distinct[-1]
        raise InputError(f"holds {outside:g}, which is not a probability", "pass values from 0 to 1", argument="scores")
    size = size.astype(float)
    pos, neg = size * distinct, size * (1 - distinct)
    ranking = Ranking(distinct.copy(), pos, neg, size * distinct**2, size * (1 - distinct) ** 2)
    number = check_number(threshold, "threshold")
    often, start = check_whole(simulations, "simulations", 20), check_whole(seed, "seed", 0)
    return Expected(ranking, size, number, check_level(level), often, start)


@public
@dataclass(frozen=True, eq=False, repr=False)
class Expected(ShownAsTable, EveryMeasure):
    """Expected measures: any measure is an attribute. Expected measures are never an alarm.

    `ranking` holds the expected positives and negatives at each score.
    """

    ranking: Ranking
    size: Array
    threshold: float
    level: float
    simulations: int
    seed: int

    @cached_property
    def _evaluation(self) -> Evaluation:
        return Evaluation(self.ranking, self.threshold)

    def value(self, measure: str, **parameters: Any) -> float:
        """Return the expected value of a measure, as if each case were partly positive.

        Args:
            measure: The measure, by name.
            parameters: Its parameters.
        """
        return self._evaluation.value(measure, **parameters)

    def at(self, *, threshold: float | None = None) -> Counts:
        """Return the expected counts at a threshold.

        Args:
            threshold: The cut; that of this object when None.
        """
        return self._evaluation.at(threshold=self.threshold if threshold is None else threshold)

    if not TYPE_CHECKING:  # which knows the measures by name

        def __getattr__(self, name: str) -> float:
            if name.startswith("_") or name not in MEASURES:
                hint = hint_similar(name, MEASURES.names)
                raise UnavailableError(
                    f"Expected has no attribute {name!r}, and there is no measure of that name.{hint}"
                )
            return self.value(name)

    @property
    def accuracy_error(self) -> float:
        """Return the standard deviation of the accuracy due to chance in the labels alone."""
        p = self.ranking.score
        return float(np.sqrt((self.size * p * (1 - p)).sum()) / self.size.sum())

    @cached_property
    def _simulated(self) -> Ranking:
        """Rankings with labels drawn from the probabilities."""
        number = int(max(20, min(self.simulations, _CELLS // len(self.ranking))))
        whole = np.rint(self.size).astype(np.int64)
        pos = np.random.default_rng(self.seed).binomial(whole, self.ranking.score, size=(number, len(whole)))
        neg = whole - pos
        return replace(self.ranking, pos=pos, neg=neg, pos2=pos, neg2=neg)

    @cached_property
    def table(self) -> Table:
        """Measures with the interval that chance in the labels gives them."""
        tail = (1 - self.level) / 2
        rows = []
        for name in _MEASURES:
            measure, simulated = MEASURES[name], self._simulated
            data = simulated.at_threshold(self.threshold) if measure.needs.name == "COUNTS" else simulated
            values = np.asarray(measure.compute(data), dtype=float)
            known = values[~np.isnan(values)]
            low, high = np.quantile(known, [tail, 1 - tail]).tolist() if len(known) else (math.nan, math.nan)
            rows.append((name, self.value(name), low, high))
        title = f"Expected without labels: {self.size.sum():,.0f} cases, cut at {self.threshold:g}"
        return Table(("measure", "expected", "low", "high"), tuple(rows), title=title, below=(CANNOT,))

    @property
    def verdict(self) -> str:
        """Return a sentence on what the expected values can and cannot show."""
        return CANNOT

    def to_dict(self) -> dict[str, Any]:
        """Return the expected measures, ready for JSON."""
        return {
            "schema": "cutline/expected/1",
            "cases": to_json_value(float(self.size.sum())),
            "threshold": self.threshold,
            "level": self.level,
            "measures": self.table.to_dict(),
            "note": CANNOT,
        }
