"""Freeze the answers of other packages on cuts and decision curves: `python make_cut_oracles.py > cuts.json`.

Needs mapie and dcurves, none of which the tests need.
"""

import json
import sys
from importlib.metadata import version

import numpy as np

# The peers are imported where they are used: pytest imports this file in search of doctests, and must not need them.
PACKAGES = ("mapie", "dcurves")
LEVELS = (0.7, 0.8, 0.9, 0.95)
RISKS = np.round(np.arange(0.02, 0.9, 0.02), 2)


def controlled(labels, scores, target):
    """The thresholds that MAPIE's fixed sequence finds valid, with every distinct score as its grid."""
    from mapie.risk_control import BinaryClassificationController

    controller = BinaryClassificationController(
        predict_function=lambda x: np.column_stack((1 - x[:, 0], x[:, 0])),
        risk="recall",
        target_level=target,
        confidence_level=0.95,
        best_predict_param_choice="precision",
        list_predict_params=np.unique(scores),
        fwer_method="fixed_sequence",
    )
    controller.calibrate(scores[:, None], labels)
    valid = np.asarray(controller.valid_predict_params)
    return float(valid.max()) if len(valid) else None


def recall_cuts():
    for m, kind in (
        (20, "distinct"),
        (60, "distinct"),
        (60, "tied"),
        (200, "distinct"),
        (400, "tied"),
        (1000, "distinct"),
    ):
        rng = np.random.default_rng(m)
        labels = np.repeat([1, 0], [m, m])
        scores = 1 / (1 + np.exp(-(rng.normal(size=2 * m) + 1.2 * labels - 0.6)))
        scores = np.round(scores, 2 if kind == "tied" else 6)
        found = {str(target): controlled(labels, scores, target) for target in LEVELS}
        yield {"positives": m, "kind": kind, "labels": labels.tolist(), "scores": scores.tolist(), "cuts": found}


def decision_curves():
    import pandas as pd
    from dcurves import dca

    for digits, prevalence in ((4, None), (1, None), (4, 0.05)):
        rng = np.random.default_rng(digits)
        labels = rng.random(300) < 0.3
        scores = np.round(1 / (1 + np.exp(-(rng.normal(size=300) + 1.5 * labels - 1.2))), digits)
        data = pd.DataFrame({"y": labels.astype(int), "p": scores})
        found = dca(data=data, outcome="y", modelnames=["p"], thresholds=RISKS.tolist(), prevalence=prevalence)
        model, everybody = (found[found.model == name].set_index("threshold") for name in ("p", "all"))
        yield {
            "labels": labels.astype(int).tolist(),
            "scores": scores.tolist(),
            "prevalence": prevalence,
            "risks": RISKS.tolist(),
            "net_benefit": model.net_benefit.tolist(),
            "flag_everybody": everybody.net_benefit.tolist(),
            "interventions_avoided": model.net_intervention_avoided.tolist(),
        }


def main():
    answers = {
        "versions": {name: version(name) for name in PACKAGES},
        "recall": list(recall_cuts()),
        "decision": list(decision_curves()),
    }
    json.dump(answers, sys.stdout, separators=(",", ":"))


if __name__ == "__main__":
    main()
