"""How often the intervals of calibration measures hold the truth: `python benchmarks/calibration_coverage.py`.

Pass the number of samples of each cell of the table, 1000 by default; intervals that are simulated get fewer, by what
one costs, and the table says how many. Further arguments name populations. The log odds of the risks are normal (AUC
0.8), and the model gets them right, makes them too extreme and shifts them, moves them, or bends them.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np

import cutline as cl
from cutline.calibration.risks import Risks

FORMULAS = (("oe_ratio", "log"), ("oe_ratio", "delta"), ("calibration_intercept", "likelihood"),
            ("calibration_slope", "likelihood"))  # fmt: skip
SIMULATED = (("mcb", "inversion"), ("ici", "inversion"))
COST = {"mcb": 5, "ici": 25}  # of a simulated interval, in those of all formulas at 100 cases
RESAMPLES = 632  # of which 79 are simulated in each world: the second lowest of them is the limit
POPULATIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "calibrated": lambda odds: odds,
    "too extreme": lambda odds: (odds - 0.3) / 0.75,
    "too low": lambda odds: odds - 0.5,
    "bent": lambda odds: odds + 0.6 * np.sin(1.5 * odds),
}


def predicted(risk: np.ndarray, population: str) -> np.ndarray:
    return 1 / (1 + np.exp(-POPULATIONS[population](np.log(risk / (1 - risk)))))


def truths(risks: Risks, population: str) -> dict[str, float]:
    """The values in a population so large that nothing is left to chance: each risk with its expected positives."""
    _, risk = risks.draw(50_000, np.random.default_rng(0))
    p = predicted(risk, population)
    both = cl.rank(np.repeat([1, 0], len(p)), np.tile(p, 2), np.concatenate((risk, 1 - risk)))
    found = {name: float(cl.MEASURES[name](both)) for name, _ in FORMULAS + SIMULATED}
    return found | ({"mcb": 0.0, "ici": 0.0} if population == "calibrated" else {})


def samples_of(name: str, n: int, samples: int) -> int:
    return max(25, min(samples, samples * 1000 // (n * COST[name]))) if name in COST else samples


def coverage(
    population: str, prevalence: float, n: int, samples: int
) -> dict[tuple[str, str], tuple[float, int]]:  # in %, and of how many
    risks, rng = Risks.of(prevalence, 0.8), np.random.default_rng(n)
    truth, held, tried = truths(risks, population), {}, {}
    for i in range(samples):
        labels, risk = risks.draw(n, rng)
        if labels.sum() < 2:
            continue
        ev = cl.evaluate(labels, predicted(risk, population), positive=True)
        for name, method in FORMULAS + SIMULATED:
            if i >= samples_of(name, n, samples):
                continue
            options = {"resamples": RESAMPLES} if method == "inversion" else {}
            found = ev.estimate(name, method=method, **options)
            if found.has_interval:
                tried[name, method] = tried.get((name, method), 0) + 1
                held[name, method] = held.get((name, method), 0) + (found.low <= truth[name] <= found.high)
    return {key: (100 * held[key] / tried[key], tried[key]) for key in tried}


def main() -> None:
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    columns = FORMULAS + SIMULATED
    print("| population | n | prevalence | " + " | ".join(f"{name} ({method})" for name, method in columns) + " |")
    print("|---" * (3 + len(columns)) + "|")
    for n in (200, 1000, 5000):
        for population in sys.argv[2:] or POPULATIONS:
            for prevalence in (0.5, 0.1, 0.02):
                found = coverage(population, prevalence, n, samples)
                cells = [f"{found[key][0]:.1f} ({found[key][1]})" if key in found else "" for key in columns]
                print(f"| {population} | {n} | {prevalence} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
