"""How the time of a piece of work grows with the number of cases: the exponent, 1 where it grows in proportion."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from measuring import once, predictions, target

import cutline as cl

HIGHEST = 1.1
LONG = 0.2  # seconds, from which on two runs are enough to tell


def exponents(most: int) -> None:
    """The exponents of the parts that summaries, comparisons and reports are made of, from a thousand cases to `most`.

    At small sizes a constant part hides the growth, so that the exponent is also told for the last factor of ten.
    """
    works: dict[str, tuple[int, Callable[[np.ndarray, np.ndarray], object]]] = {
        "auc": (10_000_000, cl.auc),
        "estimate by bootstrap": (1_000_000, _bootstrap),
        "curves": (10_000_000, lambda y, s: cl.evaluate(y, s).curve("precision_recall")),
    }
    print("Exponents of time over n")
    for name, (largest, work) in works.items():
        sizes = [n for n in (10**k for k in range(3, 8)) if n <= min(most, largest)]
        seconds = [_shortest(work, n) for n in sizes]
        slope = float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])
        last = float(np.log10(seconds[-1] / seconds[-2]))
        told = ", ".join(f"{n:.0e} {t:.2e} s" for n, t in zip(sizes, seconds, strict=True))
        print(f"       {name}: {told}; over the last factor of ten {last:.2f}")
        target(f"exponent of {name}", slope, high=HIGHEST)


def _bootstrap(labels: np.ndarray, scores: np.ndarray) -> object:
    return cl.evaluate(labels, scores).estimate("average_precision", method="bootstrap", resamples=100)


def _shortest(work: Callable[[np.ndarray, np.ndarray], object], n: int) -> float:
    labels, scores = predictions(n)
    work(labels, scores)
    first = once(lambda: work(labels, scores))
    return min(first, *(once(lambda: work(labels, scores)) for _ in range(8 if first < LONG else 1)))
