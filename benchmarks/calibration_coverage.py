"""How often the intervals of calibration measures hold the truth: `python benchmarks/calibration_coverage.py`.

Pass the number of samples, 1000 by default. The log odds of the risks are normal (AUC 0.8). The model's are too extreme
and shifted, so that nothing that is measured is 0; `calibrated` as the second argument makes it say the risks.
"""

from __future__ import annotations

import sys

import numpy as np

import cutline as cl
from cutline.calibration.risks import Risks

SLOPE, INTERCEPT = 0.75, 0.3  # of the calibration line
FORMULAS = (("oe_ratio", "log"), ("oe_ratio", "delta"), ("calibration_intercept", "likelihood"),
            ("calibration_slope", "likelihood"))  # fmt: skip
RESAMPLED = (("mcb", "bca"), ("ici", "bca"))


def predicted(risk: np.ndarray, calibrated: bool) -> np.ndarray:
    if calibrated:
        return risk
    odds = np.exp((np.log(risk / (1 - risk)) - INTERCEPT) / SLOPE)
    return odds / (1 + odds)


def truths(risks: Risks, calibrated: bool) -> dict[str, float]:
    """The values in a population so large that nothing is left to chance: each risk with its expected positives."""
    rng = np.random.default_rng(0)
    _, risk = risks.draw(200_000, rng)
    p = predicted(risk, calibrated)
    both = cl.rank(np.repeat([1, 0], len(p)), np.tile(p, 2), np.concatenate((risk, 1 - risk)))
    found = {name: float(cl.MEASURES[name](both)) for name, _ in FORMULAS}
    return found | {"mcb": float(np.mean((p - risk) ** 2)), "ici": float(cl.MEASURES["ici"](both))}


def coverage(prevalence: float, n: int, samples: int, calibrated: bool) -> dict[tuple[str, str], tuple[float, int]]:
    risks, rng = Risks.of(prevalence, 0.8), np.random.default_rng(n)
    truth, held, tried = truths(risks, calibrated), {}, {}
    heavy = max(25, min(samples, samples * 100 // n))
    for i in range(samples):
        labels, risk = risks.draw(n, rng)
        if labels.sum() < 2:
            continue
        ev = cl.evaluate(labels, predicted(risk, calibrated), positive=True)
        for name, method in FORMULAS + (RESAMPLED if i < heavy else ()):
            options = {"resamples": 300} if method == "bca" else {}
            found = ev.estimate(name, method=method, **options)
            if found.has_interval:
                tried[name, method] = tried.get((name, method), 0) + 1
                held[name, method] = held.get((name, method), 0) + (found.low <= truth[name] <= found.high)
    return {key: (100 * held[key] / tried[key], tried[key]) for key in tried}


def main() -> None:
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    calibrated = "calibrated" in sys.argv[2:]
    columns = FORMULAS + RESAMPLED
    print("| n | prevalence | " + " | ".join(f"{name} ({method})" for name, method in columns) + " |")
    print("|---" * (2 + len(columns)) + "|")
    for n in (200, 1000, 5000):
        for prevalence in (0.5, 0.1, 0.02):
            found = coverage(prevalence, n, samples, calibrated)
            cells = [f"{found[key][0]:.1f}" if key in found else "" for key in columns]
            print(f"| {n} | {prevalence} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
