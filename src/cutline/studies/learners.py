"""Stand-ins, from scikit-learn's parts, for the three classifiers of Arbel & Rokach's experiment in Weka.

C4.5 (J48) becomes a tree on entropy with at least two cases a leaf, pruned by cost complexity where cross-validated
log loss asks for it, with Laplace's estimate at the leaves. Naive Bayes takes numeric columns as normal and nominal
ones as counted, and passes over what is missing, as Weka does. The neural network has one hidden layer of
(columns + classes) / 2 units on standardised columns. `PLAIN_TREE`, beside these three, is the tree before it is
pruned, with the shares of the leaves as they are: where the two trees differ, C4.5 may differ from both.
"""

from __future__ import annotations

import warnings

import numpy as np

from cutline.core.array_ops import Array

ALPHAS = (0.0, 0.001, 0.003, 0.01, 0.03)
FEW = 1000
LEARNERS = ("C4.5", "NB", "NN")
PLAIN_TREE = "C4.5, neither pruned nor smoothed"


def predict_probabilities(
    learner: str, numeric: Array, nominal: Array, y: Array, train: Array, test: Array, seed: int
) -> Array:
    """Return the probability of each class (0, 1, ...) for the test cases, learned from the training cases.

    Args:
        learner: One of `LEARNERS`, or `PLAIN_TREE`.
        numeric: The numeric columns, NaN where a value is missing.
        nominal: The nominal columns as codes from 0, -1 where a value is missing.
        y: The classes as codes from 0; a class without a training case gets probability 0.
        train: The rows to learn from.
        test: The rows to predict.
        seed: The seed of the learner.
    """
    classes = int(y.max()) + 1
    if learner == "NB":
        return _predict_by_naive_bayes(numeric, nominal, y, train, test, classes)
    x = _encode(numeric, nominal, train)
    if learner == "NN":
        return _predict_by_network(x[train], y[train], x[test], classes, seed)
    return _predict_by_tree(x[train], y[train], x[test], classes, seed, is_plain=learner == PLAIN_TREE)


def _encode(numeric: Array, nominal: Array, train: Array) -> Array:
    """Return numeric columns with the training median where missing, and a column for each nominal value."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a column that is missing in all training rows
        middle = np.nan_to_num(np.nanmedian(numeric[train], axis=0)) if numeric.shape[1] else np.zeros(0)
    filled = np.where(np.isnan(numeric), middle, numeric)
    one_hot = [(column[:, None] == np.arange(column.max() + 1)).astype(float) for column in nominal.T]
    return np.column_stack([filled, *one_hot]) if one_hot else filled


def _predict_by_tree(x: Array, y: Array, new: Array, classes: int, seed: int, *, is_plain: bool) -> Array:
    from sklearn.model_selection import GridSearchCV, StratifiedKFold
    from sklearn.tree import DecisionTreeClassifier

    tree = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=seed)
    smallest = int(np.bincount(y)[np.unique(y)].min())
    if smallest >= 2 and not is_plain:
        folds = StratifiedKFold(min(3, smallest), shuffle=True, random_state=seed)
        grid = {"ccp_alpha": ALPHAS}
        tree = GridSearchCV(tree, grid, scoring="neg_log_loss", cv=folds).fit(x, y).best_estimator_
    tree.fit(x, y)
    leaves = tree.apply(new)
    counts = np.zeros((tree.tree_.node_count, classes))
    np.add.at(counts, (tree.apply(x), y), 1)
    counts = counts[leaves] + (0 if is_plain else 1)
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))


def _predict_by_network(x: Array, y: Array, new: Array, classes: int, seed: int) -> Array:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPClassifier
    from sklearn.preprocessing import StandardScaler

    scale = StandardScaler().fit(x)
    hidden = max(2, min((x.shape[1] + classes) // 2, 60))
    # Few cases need an exact minimiser; many would take it too long.
    how = {"solver": "lbfgs", "max_iter": 500} if len(x) <= FEW else {"solver": "adam", "max_iter": 60}
    model = MLPClassifier((hidden,), alpha=1e-2, random_state=seed, **how)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(scale.transform(x), y)
    total = np.zeros((len(new), classes))
    total[:, model.classes_] = model.predict_proba(scale.transform(new))
    return total


def _predict_by_naive_bayes(numeric: Array, nominal: Array, y: Array, train: Array, test: Array, classes: int) -> Array:
    known = y[train]
    prior = (np.bincount(known, minlength=classes) + 1) / (len(known) + classes)
    total = np.tile(np.log(prior), (len(test), 1))
    for column in numeric.T:
        total += _compute_normal_evidence(column[train], known, column[test], classes)
    for column in nominal.T:
        total += _count_evidence(column[train], known, column[test], classes, int(column.max()) + 1)
    shifted = np.exp(total - total.max(axis=1, keepdims=True))
    return np.asarray(shifted / shifted.sum(axis=1, keepdims=True))


def _compute_normal_evidence(values: Array, y: Array, new: Array, classes: int) -> Array:
    """Return the log density of new values in each class; 0 for missing values and for a class without values."""
    evidence = np.zeros((len(new), classes))
    present = ~np.isnan(values)
    spread = float(np.std(values[present])) if present.any() else 0.0
    least = max(1e-3 * spread, 1e-9)  # Weka bounds the deviation by the precision of the column
    for k in range(classes):
        own = values[present & (y == k)]
        if len(own):
            deviation = max(float(own.std()), least)
            z = (new - own.mean()) / deviation
            evidence[:, k] = np.where(np.isnan(new), 0.0, -0.5 * np.nan_to_num(z) ** 2 - np.log(deviation))
    return evidence


def _count_evidence(values: Array, y: Array, new: Array, classes: int, kinds: int) -> Array:
    counts = np.ones((classes, max(kinds, 1)))  # Laplace's estimate
    present = values >= 0
    np.add.at(counts, (y[present], values[present]), 1)
    logs = np.log(counts / counts.sum(axis=1, keepdims=True))
    return np.asarray(np.where(new[:, None] >= 0, logs[:, np.maximum(new, 0)].T, 0.0))
