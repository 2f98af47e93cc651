"""Freeze the intervals and tests of statsmodels, and published ones, in `inference.json`, for `tests/test_oracles.py`.

The tests read the frozen file only. To make it again, in an environment of its own:

    pip install statsmodels==0.15.0
    python tests/oracles/make_inference_oracles.py

What is published has no script; its source stands beside it.
"""

from __future__ import annotations

import json
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

# cutline's name of the method, and statsmodels' own. It cuts Wald and Agresti-Coull at 0 and 1, and leaves the limit
# of Jeffreys at an end that was observed a little inside it.
METHODS = {
    "wald": "normal",
    "clopper_pearson": "beta",
    "wilson": "wilson",
    "agresti_coull": "agresti_coull",
    "jeffreys": "jeffreys",
}
SHARES = [(k, n) for n in (1, 2, 5, 10, 43, 200, 10_000) for k in sorted({0, 1, n // 3, n // 2, n - 1, n})]
LEVELS = (0.5, 0.9, 0.95, 0.999)
DISCORDANT = [(b, c) for b in (0, 1, 2, 5, 12, 40) for c in (0, 1, 3, 8, 40, 121)]

# 43 patients of DeLong, DeLong and Clarke-Pearson (Biometrics 44, 1988), and what SAS prints for them (SAS/STAT User's
# Guide, PROC LOGISTIC, "Comparing Receiver Operating Characteristic Curves"). The first 31 are positive.
DELONG = {
    "source": "SAS/STAT User's Guide, PROC LOGISTIC; data of DeLong, DeLong and Clarke-Pearson (1988)",
    "positives": 31,
    "scores": {
        "albumin": [
            *(3.2, 3.9, 3.2, 1.6, 3.8, 3.7, 3.2, 3.8, 4.1, 3.6, 4.3, 2.3, 3.5, 3.8, 4.5, 3.7, 3.1, 4.1, 4.3, 4.3, 3.2),
            *(2.6, 3.7, 3.3, 4.2, 3.5, 2.1, 4.0, 3.3, 3.7, 3.6),
            *(3.0, 2.8, 0.9, 2.5, 3.6, 4.2, 4.0, 3.0, 3.3, 1.7, 2.9, 2.8),
        ],
        "protein": [
            *(6.3, 6.8, 5.8, 5.6, 5.7, 6.7, 5.4, 6.6, 6.6, 5.7, 7.0, 4.4, 5.8, 6.8, 7.4, 7.4, 6.6, 8.2, 7.0, 6.5, 5.1),
            *(4.7, 6.1, 6.3, 7.7, 6.2, 4.8, 7.0, 5.7, 6.9, 6.6),
            *(5.8, 4.8, 4.0, 5.7, 6.7, 7.6, 6.6, 4.7, 6.8, 4.0, 5.7, 6.2),
        ],
    },
    # By score: the area and its standard error.
    "areas": {"albumin": [0.7366, 0.0927], "protein": [0.6478, 0.1000]},
}


def frozen() -> dict[str, Any]:
    from statsmodels.stats.contingency_tables import mcnemar
    from statsmodels.stats.proportion import proportion_confint

    shares = [
        [method, k, n, level, *map(float, proportion_confint(k, n, 1 - level, method=theirs))]
        for method, theirs in METHODS.items()
        for k, n in SHARES
        for level in LEVELS
    ]
    tests = [
        [b, c, *(float(mcnemar([[50, b], [c, 50]], exact=exact, correction=False).pvalue) for exact in (True, False))]
        for b, c in DISCORDANT
        if b + c
    ]
    return {
        "made by": "tests/oracles/make_inference_oracles.py",
        "versions": {"python": platform.python_version()}
        | {name: version(name) for name in ("numpy", "scipy", "statsmodels")},
        "proportions": shares,
        "mcnemar": tests,
        "delong": DELONG,
    }


def main() -> None:
    text = json.dumps(frozen(), separators=(",", ":"), allow_nan=False)
    # One answer a line, so that a change can be read.
    path = Path(__file__).parent / "inference.json"
    path.write_text(text.replace("],[", "],\n[").replace('],"', '],\n"') + "\n")


if __name__ == "__main__":
    main()
