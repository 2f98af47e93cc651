"""Make the example predictions that the package ships: src/cutline/examples/tumours.csv.

Two models score scikit-learn's breast cancer data out of fold, from three of its features so that the task is not too
easy: a logistic regression, whose scores are all different, and a small tree, whose scores are heavily tied.

    .venv/bin/python examples/make_examples.py
"""

from __future__ import annotations

import csv
from pathlib import Path

from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

FEATURES = ["mean texture", "mean smoothness", "mean symmetry"]
MODELS = {
    "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
    "tree": DecisionTreeClassifier(max_depth=4, min_samples_leaf=10, random_state=0),
}


def main() -> None:
    data = load_breast_cancer(as_frame=True)
    labels = data.target.map(dict(enumerate(data.target_names)))
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    malignant = sorted(data.target_names).index("malignant")
    scores = {
        name: cross_val_predict(model, data.data[FEATURES], labels, cv=folds, method="predict_proba")[:, malignant]
        for name, model in MODELS.items()
    }
    target = Path(__file__).parents[1] / "src" / "cutline" / "examples" / "tumours.csv"
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["label", *scores])
        writer.writerows(
            [label, *(f"{value:.5f}" for value in row)] for label, *row in zip(labels, *scores.values(), strict=True)
        )


if __name__ == "__main__":
    main()
