"""Whether the rule for long lists, bins of scores and fewer resamples, gives the limits of the full bootstrap.

    python benchmarks/fewer_resamples.py [samples]      # writes the table of docs/intervals.md to standard output

The limits of a summary as everybody gets it are set beside those of 2000 resamples of the whole list, drawn with
another seed. What counts is how far a limit moves on average over samples, as a share of the width: the bias that bins
and fewer resamples bring. How far it moves in a single sample (root mean square) is also printed; two full bootstraps
with different seeds differ by a part of that too, which the last column tells.
"""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple
from unittest import mock

import numpy as np
from populations import Population, Scores, bells

import cutline as cl
from cutline.inference.resampling import bootstrap
from cutline.inference.single import calibration_error, smoothed_bootstrap
from cutline.results.resample_budget import RESAMPLES, choose_resamples

ALLOWED = 0.05  # of the width
KINDS = {
    "resampled": ("student", "bootstrap", "bca", "bias_corrected"),
    "best of cuts": ("smoothed",),
    "calibration errors": ("inversion",),
}

Limits = tuple[float, float]


class Row(NamedTuple):
    """How far the limits of some measures move in one population, as shares of the width."""

    population: str
    kind: str
    resamples: int
    measures: int
    mean: float  # over measures, of the bias of the limit that moves more
    worst: float
    worst_measure: str
    in_one_sample: float  # root mean square
    between_seeds: float  # ... of two full bootstraps


def populations() -> list[Population]:
    """Populations of several shapes, in samples of 3,000 to 30,000 cases."""
    heavy = (Scores(((1.0, 2.0, 1.0),), 2), Scores(((1.0, 0.0, 1.0),), 2))
    return [
        Population("normal, 3,000", 750, 2250, bells(0.8), grid=1e-5),
        Population("normal, 10,000", 2500, 7500, bells(0.9), grid=1e-5),
        Population("2 % positive, 10,000", 200, 9800, bells(0.95), grid=1e-5),
        Population("heavy tails, 5,000", 1000, 4000, *heavy, grid=1e-5),
        Population("too sure, 5,000", 2500, 2500, bells(0.8), slope=3.0, grid=1e-5),
    ]


@contextmanager
def whole_lists() -> Iterator[None]:
    """Resample every list whole while the block runs."""
    nothing = {"bin_scores": lambda *_, **__: None}
    with (
        mock.patch.multiple(bootstrap, **nothing),
        mock.patch.multiple(calibration_error, **nothing),
        mock.patch.multiple(smoothed_bootstrap, **nothing),
    ):
        yield


def limits(
    labels: np.ndarray, scores: np.ndarray, names: list[str] | None, *, full: bool, seed: int
) -> dict[tuple[str, str], Limits]:
    """The limits of all measures whose intervals are drawn, by kind and name: by the rule, or by the full bootstrap."""
    ev = cl.evaluate(labels, scores)  # anew: a ranking remembers samples
    summary = ev.summary(names, resamples=RESAMPLES if full else None, seed=seed)
    return {
        (kind, row.measure.name): (row.estimate.low, row.estimate.high)
        for row in summary.rows
        for kind, methods in KINDS.items()
        if row.estimate.method in methods and np.isfinite([row.estimate.low, row.estimate.high]).all()
    }


def study(population: Population, samples: int, names: list[str] | None = None) -> list[Row]:
    """How far the rule moves the limits in samples of one population, a row for each kind of interval."""
    moved: dict[tuple[str, str], list[Limits]] = defaultdict(list)
    between: dict[tuple[str, str], list[Limits]] = defaultdict(list)
    used = 0
    for number in range(samples):
        sample = population.sample(np.random.default_rng([number, 11]))
        data = sample["labels"], sample["scores"]
        used = choose_resamples(len(cl.rank(*data)))
        ours = limits(*data, names, full=False, seed=1 + number)
        with whole_lists():
            theirs = limits(*data, names, full=True, seed=1001 + number)
            again = limits(*data, names, full=True, seed=2001 + number)
        for key in ours.keys() & theirs.keys() & again.keys():
            low, high = theirs[key]
            if high > low:
                for moves, other in ((moved, ours[key]), (between, again[key])):
                    moves[key].append(((other[0] - low) / (high - low), (other[1] - high) / (high - low)))
    rows = []
    for kind in KINDS:
        bias = {name: float(np.abs(np.mean(moves, axis=0)).max()) for (of, name), moves in moved.items() if of == kind}
        if not bias:
            continue
        worst = max(bias, key=lambda name: bias[name])
        spread, seeds = (_root_mean_square(moves, kind) for moves in (moved, between))
        mean = float(np.mean([*bias.values()]))
        rows.append(Row(population.name, kind, used, len(bias), mean, bias[worst], worst, spread, seeds))
    return rows


def _root_mean_square(moves: dict[tuple[str, str], list[Limits]], kind: str) -> float:
    return float(np.sqrt(np.mean(np.square([one for (of, _), own in moves.items() if of == kind for one in own]))))


def main() -> None:
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 8
    print("| population | intervals | resamples | measures | mean | largest | in one sample | two full bootstraps |")
    print("|---|---|---|---|---|---|---|---|")
    for population in populations():
        start = time.process_time()
        for row in study(population, samples):
            print(
                f"| {row.population} | {row.kind} | {row.resamples} | {row.measures} | {row.mean:.3f} | "
                f"{row.worst:.3f} ({row.worst_measure}) | {row.in_one_sample:.3f} | {row.between_seeds:.3f} |",
                flush=True,
            )
        print(f"  {time.process_time() - start:.0f} s of processor time", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
