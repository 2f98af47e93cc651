"""recalibrate(): a map from the probabilities of a model to better ones, fitted on a ranking and kept in a file."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from cutline.calibration import maps
from cutline.calibration.maps import METHODS, apply_map, apply_map_to_interval, fit_map
from cutline.core import atomic_write, validation
from cutline.core.array_ops import Array
from cutline.core.errors import InputError, ParameterError, shorten_repr
from cutline.core.public import public
from cutline.core.ranking import Ranking
from cutline.core.validation import check_choice
from cutline.inputs import column_source
from cutline.inputs.rank import check_probabilities, rank

SCHEMA = "cutline/recalibration/1"


@public
@dataclass(frozen=True)
class Recalibration:
    """A map from probabilities to better ones: `apply` it to new ones, `save` it as JSON.

    `shift` moves the log odds of what the map gives: `to_prevalence` sets it for a population with another share of
    positives.
    """

    method: str
    parameters: dict[str, Any]
    cases: float
    prevalence: float
    shift: float = 0.0

    def apply(self, scores: Any, *, data: Any = None) -> Array:
        """Return the recalibrated probabilities, in the order of the cases.

        Args:
            scores: Probabilities of the model that the map was fitted for; with `data`, the name of their column.
            data: A data frame, a mapping of columns, or the path of a file.

        >>> round(float(Recalibration("logistic", {"intercept": 0.0, "slope": 2.0}, 10, 0.5).apply([0.25])[0]), 3)
        0.1
        """
        return self._shift(apply_map(self.method, self.parameters, _read_probabilities(scores, data)))

    def interval(self, scores: Any, *, data: Any = None) -> tuple[Array, Array]:
        """Return the two Venn-Abers probabilities of each case; one of them is calibrated whatever the data.

        Args:
            scores: Probabilities of the model that the map was fitted for; with `data`, the name of their column.
            data: A data frame, a mapping of columns, or the path of a file.
        """
        if self.method != "venn_abers":
            raise ParameterError(f"{self.method} gives one probability: an interval comes from method='venn_abers'.")
        low, high = apply_map_to_interval(self.parameters, _read_probabilities(scores, data))
        return self._shift(low), self._shift(high)

    def to_prevalence(self, prevalence: float) -> Recalibration:
        """Return the map for a population where another share of the cases is positive, and all else is the same.

        Args:
            prevalence: The share of positives there; the odds are multiplied by the ratio of the two odds.
        """
        new = validation.check_number(prevalence, "prevalence")
        if not 0 < new < 1:
            raise ParameterError(f"is {new:g}", "pass a share between 0 and 1", argument="prevalence")
        ratio = math.log(new / (1 - new)) - math.log(self.prevalence / (1 - self.prevalence))
        return replace(self, shift=ratio)

    def _shift(self, p: Array) -> Array:
        if not self.shift:
            return p
        grown = p * math.exp(self.shift)
        return np.asarray(grown / (grown + 1 - p))

    def to_dict(self) -> dict[str, Any]:
        """Return the map, ready for JSON."""
        return {"schema": SCHEMA} | asdict(self)

    @classmethod
    def from_dict(cls, document: dict[str, Any]) -> Recalibration:
        """Return the map that `to_dict` described.

        Args:
            document: What `to_dict` gave, perhaps by way of a file.
        """
        if not isinstance(document, Mapping):
            raise InputError(
                f"A recalibration cannot be {shorten_repr(document)}", "pass what Recalibration.to_dict() gave"
            )
        try:
            own = {name: document[name] for name in ("method", "parameters", "cases", "prevalence", "shift")}
        except KeyError as error:
            raise InputError(f"The recalibration has no {error.args[0]!r}", "pass a file that cutline wrote") from None
        if not isinstance(own["method"], str) or own["method"] not in METHODS:
            raise InputError(f"The recalibration is of the method {own['method']!r}, which this version does not know.")
        maps.check_parameters(
            own["method"], own["parameters"]
        )  # it becomes part of a query, so nothing but numbers may pass
        bounds = {"cases": (0, math.inf), "prevalence": (0, 1), "shift": (-700, 700)}  # of which exp() is a float
        for name, (low, high) in bounds.items():
            if not maps.is_number(own[name]) or not low < own[name] < high:
                raise InputError(
                    f"The recalibration has {name} {shorten_repr(own[name])}", "pass a file that cutline wrote"
                )
        return cls(**own)

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
        """Write the map as JSON.

        Args:
            path: The file to write.
            overwrite: Whether a file that is there may be replaced.
        """
        return atomic_write.write(path, json.dumps(self.to_dict(), indent=1).encode(), overwrite=overwrite)

    def __repr__(self) -> str:
        some = {k: v for k, v in self.parameters.items() if not isinstance(v, list)}
        parts = ", ".join(f"{name} {value:.4g}" for name, value in some.items())
        steps = f"{len(self.parameters['x'])} steps" if "x" in self.parameters else parts
        return f"Recalibration({self.method}: {steps}; fitted on {self.cases:.15g} cases)"


def _read_probabilities(scores: object, data: object) -> Array:
    """Return the probabilities that were passed, or those of a column of the data."""
    if data is not None:
        columns = {"scores": column_source.Request("scores", scores)}
        with column_source.read_rows(column_source.open_source(data), columns) as rows:
            return _read_probabilities(rows["scores"], None)
    values = validation.as_scores(scores).astype(float)
    if np.isnan(values).any():
        raise validation.make_missing_error("scores", np.isnan(values), None, "a missing score cannot be recalibrated")
    if len(values):
        check_probabilities("Recalibration", float(values.min()), float(values.max()))
    return values


def check_ranking(r: Ranking) -> None:
    """Refuse scores that are not probabilities of the positive class.

    Args:
        r: The ranking of the cases.
    """
    low, high = sorted((float(r.score[0]), float(r.score[-1])))
    check_probabilities("Recalibration", low, high, higher_is_positive=r.higher_is_positive)


@public(data="labels")
def recalibrate(
    labels: Any,
    scores: Any = None,
    weights: Any = None,
    *,
    method: str = "logistic",
    positive: Any = None,
) -> Recalibration:
    """Fit a map from the probabilities of a model to better ones.

    Args:
        labels: The labels, followed by the scores; or what `evaluate` gives, or a `Ranking`.
        scores: The probabilities, when labels are given.
        weights: The weights of the cases, when labels are given; a weight is a repetition.
        method: "intercept" moves the log odds, "logistic" stretches them too, "beta" bends them, "isotonic" takes the
            best curve that rises, and "venn_abers" gives an interval with each probability.
        positive: The label of the positive class, when labels are given.

    Returns:
        The map. Fitted and judged on the same cases it flatters itself: see `worth_recalibrating`.

    >>> recalibrate([1, 0, 1, 1, 1, 0], [0.9, 0.8, 0.7, 0.3, 0.2, 0.1], method="intercept")
    Recalibration(intercept: intercept 1.095, slope 1; fitted on 6 cases)
    """
    check_choice(method, "method", METHODS)
    r = labels if isinstance(labels, Ranking) else getattr(labels, "ranking", None)
    if r is None:
        if scores is None:
            raise ParameterError("recalibrate takes an evaluation, a ranking, or labels and scores: pass the scores.")
        r = rank(labels, scores, weights, positive=positive)
    check_ranking(r)
    parameters = fit_map(r, method)
    return Recalibration(method, parameters, float(r.total), float(r.positives) / float(r.total))


def write_in_sql(recalibration: Recalibration) -> tuple[Callable[[str], str], dict[str, Callable[[float], float]]]:
    """Return the map as an expression of SQL, and the functions that it calls.

    Args:
        recalibration: The map. One with few parameters is a formula; one with many steps is a function of Python.
    """
    if maps.write_map_in_sql(recalibration.method, recalibration.parameters, "x") is None:
        return (lambda value: f"recalibrated({value})"), {"recalibrated": lambda p: float(recalibration.apply([p])[0])}

    def write_formula(value: str) -> str:
        p = str(maps.write_map_in_sql(recalibration.method, recalibration.parameters, value))
        grown = f"({p} * {math.exp(recalibration.shift)!r})"
        return f"({grown} / ({grown} + 1 - {p}))" if recalibration.shift else p

    return write_formula, {}
