"""Whether resampling in bins of scores gives the limits of resampling the whole list.

    python benchmarks/coarse_resampling.py [samples]

The same cases are resampled in both, so that nothing but the bins can make a difference. For each population and
measure it prints the largest mean difference of a limit, as a share of the width of the interval; measures that bins
would change, and that are therefore resampled on the whole list, are named.
"""

from __future__ import annotations

import math
import sys
import time
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from populations import Population, Scores, bells

import cutline as cl
from cutline import Ranking
from cutline.inference.resampling.binning import RESAMPLED, are_changed_by_bins, bin_scores
from cutline.inference.resampling.samplers import CaseSampler
from cutline.inference.single.estimand import Estimand

RESAMPLES = 200
ALLOWED = 0.05  # of the width
_AT_ONCE = 2**19


class Bias(NamedTuple):
    """By how much bins move the limits of a measure, as shares of its width, and whether they are used for it."""

    measure: str
    low: float
    high: float
    is_used: bool


def populations() -> list[Population]:
    """Populations of all kinds of tails, shares of positives and ties, in samples of a thousand to ten thousand."""
    heavy = (Scores(((1.0, 2.0, 1.0),), 2), Scores(((1.0, 0.0, 1.0),), 2))
    return [
        Population("normal, 1,000", 250, 750, bells(0.8), grid=1e-5),
        Population("normal, 5,000", 1000, 4000, bells(0.8), grid=1e-5),
        Population("normal, 10,000", 2500, 7500, bells(0.9), grid=1e-5),
        Population("2 % positive", 200, 9800, bells(0.95), grid=1e-5),
        Population("0.5 % positive", 50, 9950, bells(0.9), grid=1e-5),
        Population("heavy tails", 500, 2500, *heavy, grid=1e-5),
        Population("too sure", 1500, 1500, bells(0.8), slope=3.0, grid=1e-5),
        Population("rounded", 500, 2500, bells(0.8), grid=2e-3),
    ]


def estimands(ranking: Ranking) -> list[Estimand]:
    """Every measure of a ranking that can be resampled, of one cut at 0.5."""
    made = []
    for measure in cl.MEASURES:
        if not measure.fits(ranking):
            continue
        try:
            given = {"threshold": 0.5} if measure.needs is cl.measures.Needs.COUNTS else {}
            one = Estimand.of_measure(measure, ranking, given)
        except cl.CutlineError:
            continue
        if math.isfinite(one.value):
            made.append(one)
    return made


def biases(ranking: Ranking, resamples: int = RESAMPLES, seed: int = 0, per_root: float = RESAMPLED) -> list[Bias]:
    """By how much bins move the percentile limits of each measure, on the same resamples."""
    asked = estimands(ranking)
    bins = bin_scores(ranking, {cut for one in asked for cut in one.cuts}, per_root=per_root)
    if bins is None:
        return []
    rng, sampler, whole, short = np.random.default_rng(seed), CaseSampler(ranking), [], []
    at_once = max(2, _AT_ONCE // len(ranking))
    for _ in range(0, resamples, at_once):
        drawn = sampler.draw(rng, at_once)
        whole.append([np.asarray(one.statistic(_with(ranking, drawn.pos, drawn.neg)), float) for one in asked])
        pos, neg = (np.add.reduceat(cells, bins.starts, axis=-1) for cells in (drawn.pos, drawn.neg))
        short.append([np.asarray(one.statistic(_with(bins.ranking, pos, neg)), float) for one in asked])
    full, binned = (np.concatenate(parts, axis=-1) for parts in (whole, short))
    shifts = bins.shifts([one.statistic for one in asked], [one.value for one in asked])
    changed = are_changed_by_bins(list(binned), shifts)
    made = []
    for one, exact, coarse, shift, is_changed in zip(asked, full, binned, shifts, changed, strict=True):
        if not (np.isfinite(exact).all() and exact.max() > exact.min()):
            continue
        low, high = np.quantile(exact, [0.025, 0.975])
        moved = (np.quantile(coarse + shift, [0.025, 0.975]) - [low, high]) / (high - low)
        made.append(Bias(one.name, float(moved[0]), float(moved[1]), not is_changed))
    return made


def _with(ranking: Ranking, pos: np.ndarray, neg: np.ndarray) -> Ranking:
    return replace(ranking, pos=pos, neg=neg, pos2=pos, neg2=neg)


def main() -> None:
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    for population in populations():
        start, rows = time.process_time(), {}
        for number in range(samples):
            sample = population.sample(np.random.default_rng([number, 5]))
            for one in biases(cl.rank(sample["labels"], sample["scores"]), seed=number):
                rows.setdefault(one.measure, []).append(one)
        used = {name: some for name, some in rows.items() if sum(one.is_used for one in some) > len(some) / 2}
        worst = sorted(
            ((max(abs(np.mean([o.low for o in s])), abs(np.mean([o.high for o in s]))), n) for n, s in used.items()),
            reverse=True,
        )
        over = [f"{name} {bias:.3f}" for bias, name in worst if bias > ALLOWED]
        top = ", ".join(f"{name} {bias:.3f}" for bias, name in worst[:4])
        mean = np.mean([bias for bias, _ in worst])
        print(
            f"{population.name}: {len(used)} measures, mean {mean:.4f} of the width; largest {top}; above {ALLOWED:g}: "
            f"{', '.join(over) or 'none'}; on the whole list: {', '.join(sorted(set(rows) - set(used))) or 'none'} "
            f"({time.process_time() - start:.1f} s)",
            flush=True,
        )


if __name__ == "__main__":
    main()
