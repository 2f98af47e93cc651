"""The case study of the guidance on performance measures: `python benchmarks/guidance_case.py FILE`.

FILE is data_case_study.txt, which stands with both programs beside Van Calster et al. 2025 (repository
benvancalster/PerfMeasuresOverview): 894 outcomes and risks. The program in Python prints the values below; that in R
has other conventions for six of them, which are the defaults here (its values: R 4.2.2 with pROC).
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import cutline as cl

# The measure, its parameters, and what is printed.
BOTH = (
    ("auc", {}, "0.911385"), ("average_precision", {}, "0.895251"), ("oe_ratio", {}, "1.228075"),
    ("calibration_intercept", {}, "0.809578"), ("log_likelihood", {}, "-370.012142"), ("brier", {}, "0.132565"),
    ("brier_skill", {}, "0.469289"), ("mcfadden_r2", {}, "0.402527"), ("cox_snell_r2", {}, "0.427465"),
    ("nagelkerke_r2", {}, "0.570114"), ("discrimination_slope", {}, "0.509188"), ("mae", {}, "0.242576"),
    ("accuracy", {}, "0.794183"), ("balanced_accuracy", {}, "0.798698"), ("youden_j", {}, "0.597395"),
    ("diagnostic_odds_ratio", {}, "37.360976"), ("kappa", {}, "0.591846"), ("f1", {}, "0.818182"),
    ("mcc", {}, "0.624566"), ("recall", {}, "0.953917"), ("specificity", {}, "0.643478"),
    ("precision", {}, "0.716263"), ("npv", {}, "0.936709"), ("net_benefit", {}, "0.442704"),
    ("standardised_net_benefit", {}, "0.91193"), ("min_expected_cost", {"cost_fn": 9}, "0.354586"),
)  # fmt: skip
PYTHON = (
    ("aucpr_minmax", {"start": 1}, "0.894914"), ("partial_auc_above_recall", {"grid": 100}, "0.141224"),
    ("calibration_slope", {"fit": "scikit_learn"}, "0.930375"), ("eci", {"smooth": "epanechnikov"}, "0.104186"),
    ("ici", {"smooth": "epanechnikov"}, "0.094348"), ("ece", {"average": "bins"}, "0.091138"),
)  # fmt: skip
R = (
    ("partial_auc_above_recall", {}, "0.141119"), ("calibration_slope", {}, "0.933824"), ("eci", {}, "0.105117"),
    ("ici", {}, "0.0941539"), ("ece", {}, "0.0910722"),
)  # fmt: skip


def main() -> int:
    """Print each value beside the printed one; 1 where one differs."""
    rows = [line.split() for line in Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()[1:]]
    labels, risks = np.array([int(row[0]) for row in rows]), np.array([float(row[2]) for row in rows])
    ev = cl.evaluate(labels, risks, threshold=0.1)
    missed = 0
    for name, table in (("both programs", BOTH), ("Python", PYTHON), ("R", R)):
        for measure, parameters, printed in table:
            value = ev.value(measure, **parameters)
            digits = len(printed.partition(".")[2])
            agrees = abs(value - float(printed)) <= 0.5000001 * 10**-digits
            missed += not agrees
            given = ", ".join(f"{key}={one}" for key, one in parameters.items())
            print(f"{name:14} {measure}({given}): {value:.9g}, printed {printed}{'' if agrees else '  DIFFERS'}")
    print(f"{len(rows)} cases; {missed} of {len(BOTH + PYTHON + R)} values differ.")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
