"""CutClassifier: any scikit-learn classifier with a cut that was chosen for what it is for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import StratifiedKFold, check_cv, cross_val_predict
from sklearn.pipeline import Pipeline
from sklearn.utils import get_tags, indexable
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import (
    _check_sample_weight,
    _num_samples,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    has_fit_parameter,
)

from cutline.core.array_ops import Array
from cutline.core.errors import InputError, ParameterError, shorten_repr
from cutline.core.public import public
from cutline.cuts.choose import choose_cut
from cutline.cuts.cut import Cut
from cutline.evaluation import evaluate

OUT_OF_FOLD = (
    "The scores are out of fold, and the model in use was fitted again on all cases: a promise holds as far as its "
    "scores are distributed like them. A calibration part that no model saw makes it exact."
)


def _has_inner(name: str) -> Any:
    return lambda self: hasattr(getattr(self, "estimator_", self.estimator), name)


@public
class CutClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier of two classes that predicts with a chosen cut.

    The cut is chosen on scores out of fold, and the estimator then fitted on all cases; or, with
    `fit(..., calibration=(X, y))`, on a calibration part; or, with cv="prefit", on the cases given to `fit`, for an
    estimator that is fitted already. Without a requirement or criterion it maximises Youden's J.

    Args:
        estimator: A classifier with `predict_proba` or `decision_function`.
        requirement: What the cut has to keep, such as "recall >= 0.9", or several of them; see `choose_cut`.
        maximize: The measure that should be high.
        minimize: The measure that should be low.
        cost_fp: What a false positive costs.
        cost_fn: What a false negative costs.
        utility: What each outcome is worth, such as {"tp": 90, "fp": -10}.
        share: Which share of the cases can be acted on.
        prevalence: The prevalence where the classifier is used, when it is another.
        level: The confidence of the promises; None for requirements on estimates.
        after_looking: Whether promises have to hold at every cut at once.
        method: How the best cut is found.
        cv: The number of folds, a splitter of scikit-learn, or "prefit".
        resamples: How often the choice is repeated for the interval of the cut and its optimism; not at all by default.
        positive: The positive class; without it, the second in order.
        random_state: The seed of the folds.

    Attributes:
        cut_: The chosen cut.
        estimator_: The fitted estimator.
        classes_, positive_: Both classes in order, and which of them is the positive one.

    >>> from sklearn.datasets import make_classification
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = make_classification(600, random_state=0)
    >>> model = CutClassifier(LogisticRegression(), "recall >= 0.9").fit(X, y)
    >>> flagged = model.predict_proba(X)[:, 1] >= model.cut_.threshold
    >>> model.cut_.misses_allowed, bool((model.predict(X) == flagged).all())
    (21, True)
    """

    @public(confidence="level")
    def __init__(
        self,
        estimator: Any,
        requirement: Any = None,
        *,
        maximize: Any = None,
        minimize: Any = None,
        cost_fp: float | None = None,
        cost_fn: float | None = None,
        utility: Any = None,
        share: float | None = None,
        prevalence: float | None = None,
        level: float | None = 0.95,
        after_looking: bool = False,
        method: str = "optimum",
        cv: Any = 5,
        resamples: int = 0,
        positive: Any = None,
        random_state: Any = 0,
    ) -> None:
        self.estimator = estimator
        self.requirement = requirement
        self.maximize = maximize
        self.minimize = minimize
        self.cost_fp = cost_fp
        self.cost_fn = cost_fn
        self.utility = utility
        self.share = share
        self.prevalence = prevalence
        self.level = level
        self.after_looking = after_looking
        self.method = method
        self.cv = cv
        self.resamples = resamples
        self.positive = positive
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        """Return what scikit-learn may ask of it: what the estimator takes, for two classes."""
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.input_tags = inner.input_tags
        tags.classifier_tags.multi_class = False
        return tags

    # ------------------------------------------------------------------ fitting

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, calibration: Any = None) -> CutClassifier:
        """Fit the estimator and choose the cut.

        Args:
            X: The features: an array, a sparse matrix or a data frame.
            y: The classes.
            sample_weight: How much each case counts, in the fit and in the choice.
            calibration: Features and classes of other cases, on which the cut is chosen: (X, y) or (X, y, weight).
        """
        X, y = indexable(X, y)
        y = self._check_classes(y)
        weight = None if sample_weight is None else _check_sample_weight(sample_weight, X)
        if isinstance(self.cv, str):
            if self.cv != "prefit":
                raise ParameterError(
                    f"is {self.cv!r}", "pass a number of folds, a splitter, or 'prefit'", argument="cv"
                )
            if calibration is not None:
                raise ParameterError("With cv='prefit' the cases given to fit choose the cut", "leave calibration out")
            check_is_fitted(self.estimator)
            self.estimator_ = self.estimator
            self.cut_ = self._choose_cut(y, self._score(X), weight)
        elif calibration is not None:
            if not isinstance(calibration, tuple) or len(calibration) not in (2, 3):
                remedy = "pass (X, y) or (X, y, weight) of other cases"
                raise ParameterError(f"is {shorten_repr(calibration)}", remedy, argument="calibration")
            self.estimator_ = self._fit_estimator(X, y, weight)
            self.cut_ = self._choose_on_calibration_set(*calibration)
        else:
            scores = self._score_out_of_fold(X, y, weight)
            self.estimator_ = self._fit_estimator(X, y, weight)
            cut = self._choose_cut(y, scores, weight)
            self.cut_ = replace(cut, notes=(*cut.notes, OUT_OF_FOLD))
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        return self

    def _check_classes(self, y: Any) -> Array:
        """Return the classes of the cases, if there are two."""
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        kind = type_of_target(y, input_name="y")
        self.classes_ = np.unique(y)
        if len(self.classes_) > 2:
            raise ValueError(f"Only binary classification is supported. The type of the target is {kind}.")
        if len(self.classes_) < 2:
            raise InputError("Classifier can't train on cases of one class", "pass cases of both")
        self.positive_ = self.classes_[1] if self.positive is None else self.positive
        if self.positive_ not in self.classes_:
            raise ParameterError(f"is {self.positive!r}", f"pass one of {self.classes_.tolist()}", argument="positive")
        return np.asarray(y)

    def _fit_estimator(self, X: Any, y: Any, weight: Array | None) -> Any:
        return clone(self.estimator).fit(X, y, **self._make_weight_arguments(weight))

    def _make_weight_arguments(self, weight: Array | None) -> dict[str, Any]:
        if weight is None:
            return {}
        if has_fit_parameter(self.estimator, "sample_weight"):
            return {"sample_weight": weight}
        if isinstance(self.estimator, Pipeline) and has_fit_parameter(self.estimator.steps[-1][1], "sample_weight"):
            return {f"{self.estimator.steps[-1][0]}__sample_weight": weight}
        raise ParameterError(f"{type(self.estimator).__name__} takes no sample_weight", "leave it out")

    def _score_out_of_fold(self, X: Any, y: Any, weight: Array | None) -> Array:
        """Return the score of each case by a model that did not see it."""
        cv = self.cv
        if isinstance(cv, int):
            fewest = int(np.unique(y, return_counts=True)[1].min())
            if fewest < 2:
                raise InputError("A class has only 1 case, which cannot be scored out of fold", "pass more cases")
            cv = StratifiedKFold(min(cv, fewest), shuffle=True, random_state=self.random_state)
        splitter = check_cv(cv, y, classifier=True)
        method = "predict_proba" if hasattr(self.estimator, "predict_proba") else "decision_function"
        params = self._make_weight_arguments(weight)
        predictions = cross_val_predict(clone(self.estimator), X, y, cv=splitter, method=method, params=params or None)
        return self._select_positive(np.asarray(predictions))

    def _choose_on_calibration_set(self, X: Any, y: Any, weight: Any = None) -> Cut:
        check_consistent_length(X, y)
        unknown = np.setdiff1d(np.asarray(y), self.classes_)
        if len(unknown):
            known = f"the classes of fit are {self.classes_.tolist()}"
            raise ParameterError(f"holds the class {unknown.tolist()[0]!r}", known, argument="calibration")
        return self._choose_cut(y, self._score(X), weight)

    def _choose_cut(self, y: Any, scores: Array, weight: Array | None) -> Cut:
        named = self.requirement
        requirements = () if named is None else (named,) if isinstance(named, str) else tuple(named)
        wishes = ("maximize", "minimize", "cost_fp", "cost_fn", "utility", "share", "prevalence")
        how = {name: getattr(self, name) for name in wishes if getattr(self, name) is not None}
        if not requirements and not how.keys() - {"prevalence"}:
            how["maximize"] = "youden_j"
        ev = evaluate(np.asarray(y) == self.positive_, scores, weight)
        same = ("level", "after_looking", "method", "resamples")
        seed = self.random_state if isinstance(self.random_state, int) else 0
        cut = choose_cut(ev, *requirements, seed=seed, **{name: getattr(self, name) for name in same}, **how)
        cut.require()
        return replace(cut, positive=self.positive_)

    # ------------------------------------------------------------------ use

    def _score(self, X: Any) -> Array:
        """Return the score of the positive class."""
        inner = self.estimator_
        score = inner.predict_proba if hasattr(inner, "predict_proba") else inner.decision_function
        return self._select_positive(np.asarray(score(X)))

    def _select_positive(self, predictions: Array) -> Array:
        is_second = bool(self.positive_ == self.classes_[1])
        if predictions.ndim == 2:
            return predictions[:, int(is_second)]
        return predictions if is_second else -predictions

    def predict(self, X: Any) -> Array:
        """Return the class of each case: the positive one where the score reaches the cut."""
        check_is_fitted(self, "cut_")
        other = self.classes_[0] if self.positive_ == self.classes_[1] else self.classes_[1]
        scores = self._score(X)
        if _num_samples(X) != len(scores):
            raise InputError(
                f"The estimator gave {len(scores)} scores for {_num_samples(X)} cases", "pass a classifier"
            )
        flagged = self.cut_.apply(scores)
        return np.where(flagged, np.asarray(self.positive_, dtype=self.classes_.dtype), other)

    @available_if(_has_inner("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Array:
        """Return the probabilities that the estimator gives."""
        check_is_fitted(self, "cut_")
        return np.asarray(self.estimator_.predict_proba(X))

    def decision_function(self, X: Any) -> Array:
        """Return how far the score is beyond the cut, in the direction of the second class."""
        check_is_fitted(self, "cut_")
        distance = self._score(X) - self.cut_.threshold
        return distance if self.positive_ == self.classes_[1] else -distance
