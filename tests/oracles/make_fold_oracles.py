"""Answers of baycomp, scikit-posthocs, mlxtend and scipy on folds and data sets, frozen in `folds.json`.

pip install baycomp scikit-posthocs mlxtend && python tests/oracles/make_fold_oracles.py
"""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeClassifier

baycomp, scikit_posthocs = pytest.importorskip("baycomp"), pytest.importorskip("scikit_posthocs")
paired_ttest_kfold_cv = pytest.importorskip("mlxtend.evaluate").paired_ttest_kfold_cv

PEERS = ("baycomp", "scikit-posthocs", "mlxtend", "scipy")


def correlated_t() -> list[dict[str, Any]]:
    rng = np.random.default_rng(0)
    found = []
    for folds in (5, 10):
        for rope in (0.0, 0.005, 0.02):
            a = rng.normal(0.80, 0.02, folds).round(4)
            b = (a + rng.normal(-0.01, 0.01, folds)).round(4)
            probabilities = baycomp.two_on_single(b, a, rope=rope)
            row = {"a": a.tolist(), "b": b.tolist(), "rope": rope, "probabilities": [float(p) for p in probabilities]}
            found.append(row)
    return found


def kfold_t() -> dict[str, Any]:
    """mlxtend's t test, which takes folds for independent; the values of the folds are recomputed here."""
    X, y = make_classification(200, 8, random_state=1)
    models = LogisticRegression(), DecisionTreeClassifier(random_state=1)
    folds = list(KFold(10, shuffle=True, random_state=1).split(X))
    t, _ = paired_ttest_kfold_cv(*models, X, y, cv=10, shuffle=True, scoring="accuracy", random_seed=1)
    values = [[float(m.fit(X[a], y[a]).score(X[b], y[b])) for a, b in folds] for m in models]
    return {"a": values[0], "b": values[1], "t": float(t)}


def data_sets() -> list[dict[str, Any]]:
    rng = np.random.default_rng(1)
    found = []
    for n, k in ((8, 3), (14, 4), (30, 6)):
        table = (rng.normal(0.8, 0.05, (n, 1)) + rng.normal(0, 0.02, (n, k)) + 0.01 * np.arange(k)).round(6)
        frame = pd.DataFrame(table, columns=[f"m{j}" for j in range(k)])
        chi2 = stats.friedmanchisquare(*table.T)
        melted = frame.melt(var_name="model", value_name="value")
        wilcoxon = scikit_posthocs.posthoc_wilcoxon(melted, "value", "model", p_adjust="holm", method="exact")
        row = {
            "table": table.tolist(),
            "friedman": [float(chi2.statistic), float(chi2.pvalue)],
            "nemenyi": scikit_posthocs.posthoc_nemenyi_friedman(frame).to_numpy().tolist(),
            "wilcoxon_holm": wilcoxon.to_numpy().tolist(),
        }
        found.append(row)
    return found


if __name__ == "__main__":
    answers = {
        "versions": {peer: version(peer) for peer in PEERS},
        "correlated_t": correlated_t(),
        "kfold_t": kfold_t(),
        "data_sets": data_sets(),
    }
    Path(__file__).with_name("folds.json").write_text(json.dumps(answers, indent=1) + "\n")
