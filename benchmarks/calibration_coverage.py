"""How often the intervals of calibration measures hold the truth: `python benchmarks/calibration_coverage.py`.

Each cell of the table has 2000 samples, and 200 for the intervals that are simulated; `--help` says how to ask for
less. The log odds of the risks are normal (AUC 0.8), and the model gets them right, makes them too extreme and shifts
them, moves them, or bends them.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

import numpy as np

import cutline as cl
from cutline.calibration.risks import Risks

FORMULAS = (("oe_ratio", "log"), ("oe_ratio", "delta"), ("calibration_intercept", "likelihood"),
            ("calibration_slope", "likelihood"))  # fmt: skip
SIMULATED = (("mcb", "inversion"), ("ici", "inversion"))
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


def coverage(
    population: str, prevalence: float, n: int, samples: int, simulated: int
) -> dict[tuple[str, str], tuple[float, int]]:
    """The share of the intervals that hold the truth, in %, and of how many; of samples with two positives or more."""
    risks, rng = Risks.of(prevalence, 0.8), np.random.default_rng(n)
    truth, held = truths(risks, population), {key: [] for key in FORMULAS + SIMULATED}
    for i in range(max(samples, simulated)):
        labels, risk = risks.draw(n, rng)
        if labels.sum() < 2:
            continue
        ev = cl.evaluate(labels, predicted(risk, population), positive=True)
        for name, method in (*(FORMULAS if i < samples else ()), *(SIMULATED if i < simulated else ())):
            options = {"resamples": RESAMPLES} if method == "inversion" else {}
            found = ev.estimate(name, method=method, **options)
            if found.has_interval:
                held[name, method].append(found.low <= truth[name] <= found.high)
    return {key: (100 * float(np.mean(found)), len(found)) for key, found in held.items() if found}


def asked(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Coverage of the intervals of calibration measures.")
    parser.add_argument("--samples", type=int, default=2000, help="of each cell, for intervals by formula")
    parser.add_argument("--simulated", type=int, default=200, help="of each cell, for intervals that are simulated")
    parser.add_argument("--populations", nargs="+", default=list(POPULATIONS), choices=list(POPULATIONS))
    parser.add_argument("--sizes", nargs="+", type=int, default=[200, 1000, 5000])
    parser.add_argument("--prevalences", nargs="+", type=float, default=[0.5, 0.1, 0.02])
    return parser.parse_args(arguments)


def main() -> None:
    options, columns = asked(), FORMULAS + SIMULATED
    print("| population | n | prevalence | " + " | ".join(f"{name} ({method})" for name, method in columns) + " |")
    print("|---" * (3 + len(columns)) + "|")
    for n in options.sizes:
        for population in options.populations:
            for prevalence in options.prevalences:
                found = coverage(population, prevalence, n, options.samples, options.simulated)
                cells = [f"{found[key][0]:.1f} ({found[key][1]})" if key in found else "" for key in columns]
                print(f"| {population} | {n} | {prevalence} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
