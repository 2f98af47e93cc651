"""Freeze the answers of other packages on calibration: `python make_calibration_oracles.py > calibration.json`.

Needs betacal, model-diagnostics, relplot, scikit-misc and venn-abers, none of which the tests need.
"""

import json
import sys
from importlib.metadata import version

import numpy as np

# The peers are imported where they are used: pytest imports this file in search of doctests, and must not need them.
PACKAGES = ("betacal", "model-diagnostics", "relplot", "scikit-misc", "venn-abers")
NEW = np.round(np.linspace(0.02, 0.98, 25), 4)


def datasets():
    rng = np.random.default_rng(20)
    for name, n, digits, power in (("distinct", 150, 6, 1.6), ("tied", 200, 2, 0.6), ("calibrated", 150, 3, 1.0)):
        truth = rng.beta(1, 2, n)
        labels = (rng.random(n) < truth).astype(int)
        scores = truth**power / (truth**power + (1 - truth) ** power)
        yield name, labels, np.clip(np.round(scores, digits), 0.01, 0.99)


def corp(labels, scores):
    import polars as pl
    from model_diagnostics.scoring import LogLoss, SquaredError, decompose

    found = {}
    for name, rule in (("brier", SquaredError()), ("log", LogLoss())):
        row = decompose(y_obs=labels, y_pred=scores, scoring_function=rule)
        row = row if isinstance(row, pl.DataFrame) else pl.DataFrame(row)
        found[name] = [float(row[key][0]) for key in ("miscalibration", "discrimination", "uncertainty")]
    return found


def curve(labels, scores, surface):
    from skmisc.loess import loess

    fitted = loess(scores, labels.astype(float), span=0.75, degree=2, surface=surface)
    fitted.fit()
    distance = np.abs(fitted.outputs.fitted_values - scores)
    return [distance.mean(), np.median(distance), np.quantile(distance, 0.9), distance.max()]


def venn_abers(labels, scores):
    from venn_abers import VennAbers

    found = VennAbers()
    found.fit(np.column_stack((1 - scores, scores)), labels)
    _, pair = found.predict_proba(np.column_stack((1 - NEW, NEW)))
    return pair.tolist()


def main():
    from betacal import BetaCalibration
    from relplot.metrics import smECE

    answers = {}
    for name, labels, scores in datasets():
        beta = BetaCalibration("abm").fit(scores.reshape(-1, 1), labels)
        answers[name] = {
            "labels": labels.tolist(),
            "scores": scores.tolist(),
            "corp": corp(labels, scores),
            "loess": curve(labels, scores, "interpolate"),
            "loess_direct": curve(labels, scores, "direct"),
            "beta": beta.predict(NEW).tolist(),
            "venn_abers": venn_abers(labels, scores),
            "smooth_ece": float(smECE(scores, labels)),
        }
    versions = {package: version(package) for package in PACKAGES}
    json.dump({"versions": versions, "new": NEW.tolist(), "answers": answers}, sys.stdout, indent=0)


if __name__ == "__main__":
    main()
