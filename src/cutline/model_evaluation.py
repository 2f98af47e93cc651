"""evaluate_model(): a fitted classifier on labelled data, in one call."""

from __future__ import annotations

from typing import Any

from cutline.core.errors import InputError
from cutline.core.public import public
from cutline.core.validation import clean_model_name
from cutline.evaluation import Evaluation, evaluate
from cutline.scoring import ask_model, check_truth, find_classes, get_model_name


@public
def evaluate_model(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    positive: Any = None,
    name: str | None = None,
    **options: Any,
) -> Evaluation:
    """Evaluate a fitted classifier of scikit-learn, or one with the same methods.

    Its scores are the probabilities of the positive class, or its decision function when it has no `predict_proba`.

    Args:
        estimator: A fitted classifier of two classes.
        X: The cases, which should be other cases than those it was fitted on.
        y: Their labels.
        sample_weight: How much each case counts.
        positive: The class that is positive; the second of the estimator's classes unless given.
        name: What to call the model; by default what its class is called.
        options: More of what `evaluate` takes: threshold, quota, share, groups.

    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = [[0.1], [0.4], [0.5], [0.9]], ["paid", "paid", "default", "default"]
    >>> model = LogisticRegression().fit(X, y)
    >>> evaluate_model(model, X, y, positive="default").auc
    1.0
    """
    classes, chosen = find_classes(estimator, positive)
    truth = check_truth(y, classes)
    scores = compute_model_scores(estimator, X, classes.index(chosen))
    arguments = {"positive": chosen, "name": clean_model_name(name) or get_model_name(estimator), **options}
    result: Evaluation = evaluate(truth, scores, sample_weight, **arguments)
    return result


def compute_model_scores(estimator: Any, X: Any, column: int) -> Any:
    """Return the scores of a fitted classifier for the class in a column: probabilities, or margins without them.

    Args:
        estimator: A fitted classifier of two classes.
        X: The cases.
        column: Which of its two classes is positive, 0 or 1.
    """
    if hasattr(estimator, "predict_proba"):
        return ask_model(estimator, "predict_proba", X)[:, column]
    if hasattr(estimator, "decision_function"):
        margins = ask_model(estimator, "decision_function", X)
        return margins if column == 1 else -margins
    raise InputError(
        f"{type(estimator).__name__} has neither predict_proba nor decision_function", "pass a model that gives scores"
    )
