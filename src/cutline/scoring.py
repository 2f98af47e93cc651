"""scorer(): any measure as a scorer for scikit-learn's model selection."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cutline.errors import InputError, ParameterError
from cutline.measures import MEASURES, Measure, Needs
from cutline.predictions import rank


def scorer(measure: str | Measure, *, positive: Any = None, **parameters: Any) -> Scorer:
    """A scorer that `cross_validate`, `GridSearchCV` and their like accept.

    Greater is better, as scikit-learn wants it: a measure that should be small comes back negated. A measure of one
    cut is read at the estimator's own predictions, unless `threshold`, `quota` or `share` says where to cut its scores.
    `positive` is the second of the estimator's classes unless given.

    >>> scorer("average_qrecall")
    scorer('average_qrecall')
    """
    chosen = MEASURES[measure]
    if chosen.better is None:
        raise ParameterError(
            f"{chosen.name} is neither good nor bad when it grows: choose another measure to score by."
        )
    places: dict[str, Any] = {
        name: parameters.pop(name) for name in ("threshold", "quota", "share") if name in parameters
    }
    if places and chosen.needs is not Needs.COUNTS and "quota" not in chosen.parameters:
        raise ParameterError(f"{chosen.name} is not the measure of one cut: it takes no {' or '.join(places)}.")
    lacking = [name for name in chosen.required if name not in parameters and not places]
    if lacking:
        raise ParameterError(f"{chosen.name} needs {' and '.join(lacking)}: pass for example {lacking[0]}=10.")
    return Scorer(chosen.with_(**parameters), places, positive)


@dataclass(frozen=True)
class Scorer:
    """Scores a fitted estimator on labelled data: `scorer(estimator, X, y)`."""

    measure: Measure
    cut: dict[str, Any] = field(default_factory=dict)
    positive: Any = None

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The measure of the estimator's scores, negated when it should be small."""
        value = self.value(estimator, X, y, sample_weight)
        return value if self.measure.better == "higher" else -value

    def value(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The measure of the estimator's scores, as it is."""
        classes = list(getattr(estimator, "classes_", []))
        if len(classes) != 2:
            raise InputError(f"The estimator knows {len(classes)} classes: pass a fitted classifier of two.")
        positive = classes[1] if self.positive is None else self.positive
        if positive not in classes:
            raise InputError(
                f"positive={positive!r} is not among the estimator's classes, {classes[0]!r} and {classes[1]!r}."
            )
        is_positive = np.asarray(np.asarray(y) == positive)
        ranking = rank(is_positive, self._scores(estimator, X, classes.index(positive)), sample_weight)
        return float(self.measure(ranking, **self.cut))

    def _scores(self, estimator: Any, X: Any, column: int) -> Any:
        """What the measure is about: hard predictions, probabilities, margins, or whichever score there is."""
        needs = self.measure.needs
        if needs is Needs.COUNTS and not self.cut:
            return np.asarray(estimator.predict(X) == estimator.classes_[column], dtype=float)
        has_probabilities = hasattr(estimator, "predict_proba")
        has_margins = hasattr(estimator, "decision_function")
        if needs is Needs.PROBABILITIES and not has_probabilities:
            raise InputError(
                f"{self.measure.name} needs probabilities, but {type(estimator).__name__} has no predict_proba."
            )
        if needs is Needs.MARGINS and not has_margins:
            raise InputError(
                f"{self.measure.name} needs margins, but {type(estimator).__name__} has no decision_function."
            )
        if has_margins and (needs in (Needs.MARGINS, Needs.RANKING) or not has_probabilities):
            margins = np.asarray(estimator.decision_function(X))
            return margins if column == 1 else -margins
        if not has_probabilities:
            raise InputError(f"{type(estimator).__name__} has neither predict_proba nor decision_function to rank by.")
        return np.asarray(estimator.predict_proba(X))[:, column]

    def __repr__(self) -> str:
        options = {**self.measure.bound, **self.cut}
        if self.positive is not None:
            options["positive"] = self.positive
        return (
            f"scorer({', '.join([repr(self.measure.name), *(f'{name}={value!r}' for name, value in options.items())])})"
        )
