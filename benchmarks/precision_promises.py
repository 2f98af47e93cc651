"""Promises of precision: how often a cut is possible, how precise it is, what it finds, and how often it is broken.

    python benchmarks/precision_promises.py              # the table of docs/choosing-a-cut.md
    python benchmarks/precision_promises.py --quick      # a tenth of the runs

Only the order of the scores matters, so a population is a list of slices from the highest scores down, each with its
share of all cases and its share of positives. The precision of every cut is known exactly. How the sequences of quotas
start was chosen on other populations, except for the factor from one start to the next, which was compared on the first
eight of these too.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass

import numpy as np
from scipy import stats

import cutline as cl
from cutline.cuts.guarantees import PrecisionAtQuotas, QuotaSequence, make_quota_sequences
from cutline.cuts.requirements import parse_requirement

ERROR = 0.05  # allowed
SIZES = (100, 400, 2000, 10_000)
PRECISIONS = (0.5, 0.8, 0.9, 0.95, 0.99)
SEVEN = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)  # quotas as shares of the cases that share the error, to compare with
SLICES = 4000  # of a population with a density
CELLS = 2_000_000  # drawn at once


@dataclass(frozen=True)
class Population:
    """Slices of the population from the highest scores down; tied ones have one score each."""

    name: str
    mass: np.ndarray
    chance: np.ndarray
    tied: bool = False

    def draw(self, rng, runs, n):
        """Return samples as a stack of rankings, and the share of the population above each of their cuts."""
        edges = np.append(0.0, np.cumsum(self.mass))
        edges[-1] = 1.0
        if self.tied:
            cells = rng.multinomial(n, np.append(self.mass * self.chance, self.mass * (1 - self.chance)), runs)
            pos, neg = np.split(cells, 2, axis=1)
            stack = cl.Ranking.of_counts(np.arange(len(self.mass), 0.0, -1), pos, neg)
            return stack, np.broadcast_to(edges, (runs, len(edges)))
        share = np.sort(rng.random((runs, n)), axis=1)
        slices = np.minimum(np.searchsorted(edges, share, side="right") - 1, len(self.mass) - 1)
        pos = (rng.random((runs, n)) < self.chance[slices]).astype(np.int64)
        # A cut flags what is above the highest score that is not flagged.
        return cl.Ranking.of_counts(np.arange(n, 0.0, -1), pos, 1 - pos), np.append(share, np.ones((runs, 1)), axis=1)

    def truth(self, share):
        """Return precision and recall when this share of the population is flagged."""
        edges, positives = (np.append(0.0, np.cumsum(column)) for column in (self.mass, self.mass * self.chance))
        found = np.interp(share, edges, positives)
        precision = np.divide(found, share, out=np.ones_like(found), where=np.asarray(share) > 0)
        return precision, found / positives[-1]


def of_classes(name, prevalence, positive, negative):
    """The population of two classes with densities."""
    quantiles = np.linspace(0, 1, SLICES // 2 + 1)[1:-1]
    edges = np.unique(np.append(positive.isf(quantiles), negative.isf(quantiles)))[::-1]
    above = [np.concatenate(([0.0], one.sf(edges), [1.0])) for one in (positive, negative)]
    found, false = prevalence * np.diff(above[0]), (1 - prevalence) * np.diff(above[1])
    mass = found + false
    return Population(name, mass[mass > 0], (found / np.where(mass > 0, mass, 1))[mass > 0])


def of_probabilities(name, distribution):
    """The population of calibrated probabilities with this distribution."""
    return Population(
        name, np.full(SLICES, 1 / SLICES), distribution.isf((np.arange(SLICES) + 0.5) / SLICES).clip(0, 1)
    )


def rounded(name, distribution, digits):
    """The same, rounded: a few tied scores."""
    whole = of_probabilities(name, distribution)
    scores, which = np.unique(-np.round(whole.chance, digits), return_inverse=True)
    mass = np.bincount(which, minlength=len(scores)) / SLICES
    return Population(name, mass, np.bincount(which, whole.chance) / SLICES / mass, tied=True)


def of_steps(name, steps, *, tied=False):
    """The population of some slices, each with its share and its share of positives."""
    mass, chance = np.array(steps, dtype=float).T
    return Population(name, mass / mass.sum(), chance.clip(0, 1), tied)


def populations(least):
    """The populations; the last ones are as close to the required precision as they can be."""
    waves = [(0.02, least + (0.08 if i % 2 else -0.085)) for i in range(30)] + [(0.4, least / 4)]
    return [
        of_classes("normal classes, 5 % positive", 0.05, stats.norm(3), stats.norm()),
        of_probabilities("calibrated, 25 % positive", stats.beta(0.6, 1.8)),
        of_classes("gamma classes, 1 % positive", 0.01, stats.gamma(16), stats.gamma(3)),
        rounded("calibrated, 25 % positive, one decimal", stats.beta(0.6, 1.8), 1),
        of_steps("five grades", [(5, 0.97), (15, 0.85), (20, 0.5), (30, 0.2), (30, 0.05)], tied=True),
        of_classes("lognormal biomarker, 30 % positive", 0.3, stats.lognorm(0.8, scale=5), stats.lognorm(0.8)),
        of_classes("t distributions with 2 df, 40 % positive", 0.4, stats.t(2, 4), stats.t(2)),
        of_steps("best cases below the top", [(0.08, 0.4), (0.32, 0.95), (0.6, 0.05)]),
        of_steps("precision at its limit", [(0.4, least + 0.005), (0.6, least / 4)]),
        of_steps("precision in waves", waves),
        of_steps("waves, tied", waves, tied=True),
        of_steps("just too low everywhere", [(1.0, least - 1e-6)]),
        of_steps("just too low, tied", [(0.1, least - 1e-6)] * 10, tied=True),
    ]


def promise_of(n, least, *, seven=False):
    """The promise as `choose_cut` makes it, or at seven quotas that share the error."""
    if seven:
        quotas = sorted({max(1, math.floor(share * n)) for share in SEVEN})
        sequences = tuple(QuotaSequence((quota,), ERROR / len(quotas)) for quota in quotas)
    else:
        sequences = make_quota_sequences(n, least, ERROR)
    return PrecisionAtQuotas(parse_requirement(f"precision >= {least}"), least, 1 - ERROR, sequences, n)


def measure(population, n, least, runs, seed=0, *, seven=False):
    """Return the shares of samples with a promise and with a broken one, the mean precision of the promised cuts, and
    the mean recall, which is 0 without a promise.
    """
    rng = np.random.default_rng([seed, n, round(100 * least)])
    promise, rows = promise_of(n, least, seven=seven), []
    while runs > 0:
        stack, share = population.draw(rng, min(runs, max(1, CELLS // n)), n)
        met = promise.meets(stack)
        place = met.shape[1] - 1 - met[:, ::-1].argmax(1)
        precision, recall = population.truth(share[np.arange(len(met)), place])
        # Every cut that passes could be chosen, by a criterion: one that breaks the promise counts.
        broken = (met & (population.truth(share)[0] < least)).any(1)
        rows.append(np.column_stack((met.any(1), broken, precision, recall * met.any(1))))
        runs -= len(met)
    possible, broken, precision, recall = np.concatenate(rows).T
    reached = float(precision[possible > 0].mean()) if possible.any() else math.nan
    return float(possible.mean()), float(broken.mean()), reached, float(recall.mean())


def is_broken_too_often(broken, runs):
    """Whether more promises were broken than chance explains, by a binomial test at 0.1 %."""
    return stats.binom.sf(round(broken * runs) - 1, runs, ERROR) < 0.001


def table(runs, sizes, precisions):
    print(
        f"Precision promised with 95 % confidence, {runs} samples each (a fifth of 10,000 cases), beside seven quotas"
    )
    print("that share the error: promised, mean precision, mean recall (0 where not promised), broken by any cut that")
    print("passes; all in %.\n")
    print("| population | cases | precision | promised | reached | recall | broken | seven quotas | recall | broken |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    failed, worst = 0, 0.0
    for least in precisions:
        for population in populations(least):
            for n in sizes:
                some = runs if n < 10_000 else max(1, runs // 5)
                row = []
                for seven in (False, True):
                    possible, broken, precision, recall = measure(population, n, least, some, seven=seven)
                    reached = "" if math.isnan(precision) else f"{100 * precision:.1f}"
                    row += [f"{100 * possible:.1f}", *([] if seven else [reached]), f"{100 * recall:.1f}"]
                    row += [f"{100 * broken:.2f}"]
                    if not seven:
                        failed += is_broken_too_often(broken, some)
                        worst = max(worst, broken)
                print(f"| {population.name} | {n} | {least} | {' | '.join(row)} |", flush=True)
    print(f"\n{failed} rows are broken in more than 5 %, by a binomial test at 0.1 %; the most is {100 * worst:.2f} %.")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the runs")
    parser.add_argument("--cases", nargs="*", type=int, default=SIZES)
    parser.add_argument("--precisions", nargs="*", type=float, default=PRECISIONS)
    asked = parser.parse_args()
    table(200 if asked.quick else 2000, asked.cases, asked.precisions)


if __name__ == "__main__":
    main()
