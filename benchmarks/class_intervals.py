"""How often intervals of several classes hold the truth: `python benchmarks/class_intervals.py [samples]`.

The truth is the mean of each statistic over large samples of the same population.
"""

import sys

import numpy as np

from cutline.multiclass.class_intervals import ClassIntervalOptions, estimate_statistic
from cutline.multiclass.measures import resolve_statistic
from cutline.multiclass.one_vs_rest import one_vs_rest

ASKED = (("auc", "macro"), ("auc", "weighted"), ("auc", "micro"), ("hand_till_m", None), ("average_precision", "macro"),
         ("f1", "macro"), ("recall", "macro"), ("mcc", None), ("kappa", None), ("log_loss", None))  # fmt: skip
SIZES = (60, 150, 500)
SHARES = (0.6, 0.3, 0.1)


def sample(rng, n, spread):
    """Labels with at least two cases of each class, and their probabilities."""
    while True:
        truth = rng.choice(3, n, p=SHARES)
        if np.bincount(truth, minlength=3).min() >= 2:
            break
    logits = rng.normal(size=(n, 3)) + spread * np.eye(3)[truth]
    weights = np.exp(logits)
    return truth, weights / weights.sum(1, keepdims=True)


def coverage(samples, size, spread, seed=0):
    """The share of samples whose interval holds the truth, by statistic."""
    rng = np.random.default_rng(seed)
    large = one_vs_rest(*sample(rng, 400_000, spread)).cases
    truth = {key: float(resolve_statistic(*key).make_function(large)(large.weights)) for key in ASKED}
    held = dict.fromkeys(ASKED, 0)
    for _ in range(samples):
        cases = one_vs_rest(*sample(rng, size, spread), classes=[0, 1, 2]).cases
        for key in ASKED:
            estimate = estimate_statistic(resolve_statistic(*key), cases, ClassIntervalOptions(0.95)).estimate
            held[key] += estimate.low <= truth[key] <= estimate.high
    return {key: count / samples for key, count in held.items()}


def main():
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    settings = [(size, spread) for spread in (1.0, 2.5) for size in SIZES]
    found = [coverage(samples, size, spread, seed=i) for i, (size, spread) in enumerate(settings)]
    print("| measure | " + " | ".join(f"{size} cases, signal {spread:g}" for size, spread in settings) + " |")
    print("|---|" + "---|" * len(settings))
    for name, mean in ASKED:
        cells = " | ".join(f"{100 * one[name, mean]:.1f} %" for one in found)
        print(f"| {name}{f', {mean}' if mean else ''} | {cells} |")


if __name__ == "__main__":
    main()
