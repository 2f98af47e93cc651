"""scorer(): any measure as a scorer for scikit-learn's model selection."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cutline.core.errors import Argument, CutlineError, InputError, ParameterError, Text, shorten_repr
from cutline.core.public import public
from cutline.core.table import ComparedByFields
from cutline.core.validation import as_column, is_among
from cutline.inputs.labels import check_one_label
from cutline.inputs.rank import rank
from cutline.measures import MEASURES, Measure, Needs


@public
def scorer(measure: str | Measure, *, positive: Any = None, **parameters: Any) -> Scorer:
    """Return a scorer that `cross_validate`, `GridSearchCV` and their like accept.

    Greater is better, as scikit-learn wants it: a measure that should be small comes back negated. A measure of one
    cut is read at the estimator's own predictions, unless `threshold`, `quota` or `share` says where to cut its scores.

    Args:
        measure: the measure, or its name.
        positive: the class that is positive; the second of the estimator's classes unless given.
        parameters: of the measure, and where to cut.

    >>> scorer("average_qrecall")
    scorer('average_qrecall')
    """
    chosen = MEASURES[measure]
    if positive is not None:
        check_one_label(positive)
    if chosen.better is None:
        raise ParameterError(
            f"{chosen.name} is neither better nor worse when it is higher", "choose another measure to score by"
        )
    places: dict[str, Any] = {
        name: parameters.pop(name) for name in ("threshold", "quota", "share") if name in parameters
    }
    takes = {"threshold", "quota", "share"} if chosen.needs is Needs.COUNTS else set()
    if "quota" in chosen.parameters:
        takes = {"quota", "share"}
    if len(places) > 1:
        raise ParameterError(f"{' and '.join(places)} are given together", "pass one of them")
    refused = [name for name in places if name not in takes]
    if refused:
        raise ParameterError(
            f"{chosen.name} takes no {' or '.join(refused)}", "leave it out, or choose another measure"
        )
    lacking = [name for name in chosen.required if name not in parameters and not places]
    if lacking:
        example = chosen.parameters[lacking[0]].example
        raise ParameterError(
            f"{chosen.name} needs {' and '.join(lacking)}", f"pass, for example, {lacking[0]}={example}"
        )
    return Scorer(chosen.with_(**parameters), places, positive)


def find_classes(estimator: Any, positive: Any = None) -> tuple[list[Any], Any]:
    """Return the two classes of a fitted classifier, and which is positive: the second of them unless given.

    Args:
        estimator: A fitted classifier.
        positive: The class that is positive.
    """
    classes = np.asarray(getattr(estimator, "classes_", [])).tolist()
    if not hasattr(estimator, "classes_"):
        raise InputError(f"{type(estimator).__name__} is not fitted", "call its fit() first")
    if len(classes) != 2:
        raise InputError(
            f"The estimator has {len(classes)} classes",
            "pass a classifier of two classes, or pass its predict_proba() and the labels to cutline.one_vs_rest",
        )
    chosen = classes[1] if positive is None else positive
    if not is_among(chosen, classes):
        raise InputError(
            Text(Argument("positive", chosen), f" is not among the estimator's classes, {_list_both(classes)}"),
            "pass one of them",
        )
    return classes, chosen


def get_model_name(estimator: Any) -> str:
    """Return the name of a model: its class, or the class of the last step of a pipeline."""
    steps = getattr(estimator, "steps", None)
    return get_model_name(steps[-1][1]) if steps else type(estimator).__name__


def ask_model(estimator: Any, method: str, X: Any) -> Any:
    """Return the result of a method of a fitted model; raise its error as a sentence.

    Args:
        estimator: The fitted model.
        method: "predict", "predict_proba" or "decision_function".
        X: The cases.
    """
    try:
        return np.asarray(getattr(estimator, method)(X))
    except CutlineError:
        raise
    except Exception as error:  # any, because the model may be of any class
        problem = f"{type(estimator).__name__}.{method} fails with {type(error).__name__} ({shorten_repr(str(error))})"
        raise InputError(
            problem, "pass X as the model takes it: a row for each case, a column for each feature"
        ) from error


def check_truth(y: Any, classes: list[Any]) -> Any:
    """Return the labels as an array, all of them classes that the estimator knows."""
    truth = as_column(y, "y")
    strange = ~np.isin(truth, classes)
    if strange.any():
        raise InputError(
            f"holds {truth[strange].tolist()[0]!r}, but the estimator knows {_list_both(classes)}",
            "pass those labels",
            argument="y",
        )
    return truth


def _list_both(classes: list[Any]) -> str:
    return f"{classes[0]!r} and {classes[1]!r}"


@dataclass(frozen=True, eq=False)
class Scorer(ComparedByFields):
    """Scores a fitted estimator on labelled data: `scorer(estimator, X, y)`."""

    measure: Measure
    cut: dict[str, Any] = field(default_factory=dict)
    positive: Any = None

    def __call__(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the measure of the estimator's scores, negated when it should be small."""
        value = self.value(estimator, X, y, sample_weight)
        return value if self.measure.better == "higher" else -value

    def value(self, estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the measure of the estimator's scores, without a change of sign.

        Args:
            estimator: A fitted classifier.
            X: The cases.
            y: Their labels.
            sample_weight: Their weights.
        """
        classes, positive = find_classes(estimator, self.positive)
        truth = check_truth(y, classes)
        ranking = rank(truth == positive, self._compute_scores(estimator, X, classes.index(positive)), sample_weight)
        return float(self.measure(ranking, **self.cut))

    def _compute_scores(self, estimator: Any, X: Any, place: int) -> Any:
        """Return the scores that the measure needs: hard predictions, probabilities, or margins."""
        needs = self.measure.needs
        if needs is Needs.COUNTS and not self.cut:
            return np.asarray(ask_model(estimator, "predict", X) == estimator.classes_[place], dtype=float)
        has_probabilities, has_margins = (hasattr(estimator, name) for name in ("predict_proba", "decision_function"))
        lacking = {
            Needs.PROBABILITIES: "" if has_probabilities else "predict_proba",
            Needs.MARGINS: "" if has_margins else "decision_function",
        }.get(needs, "" if has_probabilities or has_margins else "predict_proba and decision_function")
        if lacking:
            who = type(estimator).__name__
            raise InputError(
                f"{self.measure.name} needs {needs.value}, but {who} lacks {lacking}", "choose another estimator"
            )
        if has_margins and (needs in (Needs.MARGINS, Needs.RANKING) or not has_probabilities):
            margins = ask_model(estimator, "decision_function", X)
            return margins if place == 1 else -margins
        return ask_model(estimator, "predict_proba", X)[:, place]

    def __repr__(self) -> str:
        options = {**self.measure.bound, **self.cut}
        if self.positive is not None:
            options["positive"] = self.positive
        return (
            f"scorer({', '.join([repr(self.measure.name), *(f'{name}={value!r}' for name, value in options.items())])})"
        )
