"""CalibratedModel: a classifier of scikit-learn whose probabilities are recalibrated out of fold."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from cutline.calibration.maps import METHODS
from cutline.calibration.recalibration import recalibrate
from cutline.core.array_ops import Array
from cutline.core.errors import InputError, ParameterError
from cutline.core.public import public
from cutline.inputs.rank import rank


@public
class CalibratedModel(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier of two classes with recalibrated probabilities.

    The map is fitted on probabilities that the cases got from models that had not seen them; the model itself is then
    fitted on all cases. `recalibration_` is the map. Where the classes are separated no map fits best, and the
    probabilities stay as they are: `recalibration_` is then None.

    Args:
        estimator: A classifier of scikit-learn, not fitted. One without `predict_proba` has its decision function
            turned into probabilities by the logistic function first.
        method: "intercept", "logistic", "beta", "isotonic" or "venn_abers".
        folds: How many parts the cases are divided into; fewer when a class has fewer cases.
        random_state: Makes the division reproducible.
    """

    def __init__(
        self, estimator: Any = None, *, method: str = "logistic", folds: int = 5, random_state: int | None = 0
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.folds = folds
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> CalibratedModel:
        """Fit the model, and the map on out-of-fold probabilities.

        Args:
            X: The cases.
            y: Their labels, of two classes.
            sample_weight: The weights of the cases.
        """
        if self.method not in METHODS:
            raise ParameterError(f"is {self.method!r}", f"pass {', '.join(map(repr, METHODS))}", argument="method")
        X, y = validate_data(self, X, y, accept_sparse="csr", ensure_all_finite=True)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) != 2:
            raise ValueError(
                f"Only binary classification is supported. y contains {len(self.classes_)} class"
                f"{'' if len(self.classes_) == 1 else 'es'}: pass labels of two classes."
            )
        weights = None if sample_weight is None else _check_sample_weight(sample_weight, X)
        self.estimator_ = _fit_model(self._make_base(), X, codes, weights)
        self.recalibration_ = self._fit_map(X, codes, weights)
        return self

    def _make_base(self) -> Any:
        if self.estimator is not None:
            return clone(self.estimator)
        from sklearn.linear_model import LogisticRegression

        return LogisticRegression()

    def _fit_map(self, X: Any, codes: Array, weights: Array | None) -> Any:
        folds = min(self.folds, int(np.bincount(codes).min()))
        if folds < 2:
            return None
        probabilities = np.empty(len(codes))
        for train, test in StratifiedKFold(folds, shuffle=True, random_state=self.random_state).split(X, codes):
            model = _fit_model(self._make_base(), X[train], codes[train], None if weights is None else weights[train])
            probabilities[test] = _predict_probabilities(model, X[test])
        try:
            return recalibrate(rank(codes, probabilities, weights, positive=1), method=self.method)
        except InputError:
            return None

    def predict_proba(self, X: Any) -> Array:
        """Return the recalibrated probabilities of the two classes, in the order of `classes_`.

        Args:
            X: The cases.
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", reset=False)
        p = _predict_probabilities(self.estimator_, X)
        p = p if self.recalibration_ is None else self.recalibration_.apply(p)
        return np.column_stack((1 - p, p))

    def predict(self, X: Any) -> Array:
        """Return the more probable class of each case.

        Args:
            X: The cases.
        """
        check_is_fitted(self)
        return np.asarray(self.classes_[(self.predict_proba(X)[:, 1] > 0.5).astype(int)])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        return tags


def _fit_model(model: Any, X: Any, codes: Array, weights: Array | None) -> Any:
    return model.fit(X, codes) if weights is None else model.fit(X, codes, sample_weight=weights)


def _predict_probabilities(model: Any, X: Any) -> Array:
    if hasattr(model, "predict_proba"):
        return np.asarray(np.clip(np.asarray(model.predict_proba(X)[:, 1], dtype=float), 0, 1))
    decision = np.clip(np.asarray(model.decision_function(X), dtype=float), -700, 700)
    return np.asarray(1 / (1 + np.exp(-decision)))
