"""How often promises are broken, how strict they are beside others, and how fast a cut is chosen.

    python benchmarks/guarantees.py                                   # all of docs/choosing-a-cut.md, about an hour
    python benchmarks/guarantees.py --quick                           # a tenth of the runs
    python benchmarks/guarantees.py violations --scores discrete --positives 1000      # one row

Each row has a seed of its own, so that it is the same however many are run.

A promise is broken when the population's value at the chosen threshold misses the requirement. The populations are
known, so it is computed, not estimated. Every run goes through the same functions as `choose_cut`, a few hundred runs
of the same sizes at a time.
"""

from __future__ import annotations

import argparse
import math
import time
from fractions import Fraction

import numpy as np
from scipy.special import ndtr

import cutline as cl
from cutline.cuts.guarantees import (
    PrecisionAtQuotas,
    compute_lower_bounds,
    compute_simultaneous_bounds,
    count_allowed_misses,
    make_quota_sequences,
)
from cutline.cuts.requirements import parse_requirement
from cutline.cuts.search import make_criterion

D = 0.05  # allowed
PREVALENCE = 0.3
KINDS = ("smooth", "tied", "skewed", "discrete")
SIZES = (29, 100, 300, 1000)


class Population:
    """The scores of one class: how they are drawn, and which share is at least a threshold."""

    def __init__(self, name, positive):
        self.name, self.positive = name, positive
        values = np.arange(5.0) if name == "tied" else np.arange(40.0)
        tilt = 0.35 * values / values.max() * 5 * (1 if positive else -1)
        self.values, self.chances = values, np.exp(tilt) / np.exp(tilt).sum()

    def draw(self, rng, shape):
        if self.name == "smooth":
            return rng.normal(1.2 * self.positive, 1, shape)
        if self.name == "skewed":
            return rng.exponential(3.0 if self.positive else 1.0, shape)
        return rng.choice(self.values, shape, p=self.chances)

    def at_least(self, t):
        t = np.asarray(t, dtype=float)
        if self.name == "smooth":
            return ndtr(1.2 * self.positive - t)
        if self.name == "skewed":
            return np.exp(-np.maximum(t, 0) / (3.0 if self.positive else 1.0))
        return ((self.values >= t[..., None]) * self.chances).sum(-1)


def order_statistic_cut(scores, allowed):
    """The threshold that misses at most so many of each row; flags everybody where nothing is allowed."""
    if allowed < 0:
        return None
    return np.sort(scores, axis=1)[:, allowed]


def next_above(values, all_scores):
    """The lowest score above a value in each row; infinite when there is none."""
    above = np.where(all_scores > values[:, None], all_scores, np.inf)
    return above.min(1)


def mixed(kind, rng, runs, n):
    """Scores of cases of both classes, each positive by itself."""
    is_positive = rng.random((runs, n)) < PREVALENCE
    one, two = (Population(kind, positive).draw(rng, (runs, n)) for positive in (True, False))
    return np.where(is_positive, one, two)


def fixed(kind, rng, runs, m, k):
    """Broken promises in advance: recall, fpr, share, and recall with fpr."""
    pos, neg = Population(kind, True), Population(kind, False)
    p, n = pos.draw(rng, (runs, m)), neg.draw(rng, (runs, k))
    both = np.concatenate((p, n), axis=1)
    broken = {}
    cut = order_statistic_cut(p, count_allowed_misses(m, 0.1, 1 - D))
    broken["G1 recall >= 0.9"] = np.nan if cut is None else np.mean(pos.at_least(cut) < 0.9)
    allowed = count_allowed_misses(k, 0.1, 1 - D)
    cut = None if allowed < 0 else next_above(-np.sort(-n, axis=1)[:, allowed], both)
    broken["G1 fpr <= 0.1"] = np.nan if cut is None else np.mean(neg.at_least(cut) > 0.1)
    both, total = mixed(kind, rng, runs, m + k), m + k
    cut = next_above(-np.sort(-both, axis=1)[:, count_allowed_misses(total, 0.2, 1 - D)], both)
    share = PREVALENCE * pos.at_least(cut) + (1 - PREVALENCE) * neg.at_least(cut)
    broken["G1 share <= 0.2"] = np.mean(share > 0.2)
    both, each = np.concatenate((p, n), axis=1), math.sqrt(1 - D)
    one, two = count_allowed_misses(m, 0.2, each), count_allowed_misses(k, 0.5, each)
    if min(one, two) >= 0:
        low, high = order_statistic_cut(p, one), next_above(-np.sort(-n, axis=1)[:, two], both)
        kept = high <= low
        wrong = (pos.at_least(low) < 0.8) | (neg.at_least(low) > 0.5)
        wrong |= (pos.at_least(high) < 0.8) | (neg.at_least(high) > 0.5)
        broken["G4 recall >= 0.8, fpr <= 0.5"] = np.mean(kept & wrong)
    return broken


def at_every_cut(kind, rng, runs, m):
    """How often the band of recall fails anywhere: at some cut, whatever people choose."""
    pos = Population(kind, True)
    p = np.sort(pos.draw(rng, (runs, m)), axis=1)
    bounds = compute_simultaneous_bounds(m, 1 - D)[:-1]
    return np.mean((1 - pos.at_least(p) > bounds + 1e-12).any(1))


def precision(kind, rng, runs, n, least):
    """Broken promises of precision: at quotas fixed beforehand, and at every cut at once."""
    pos, neg = Population(kind, True), Population(kind, False)
    asked = parse_requirement(f"precision >= {least}")
    promise = PrecisionAtQuotas(asked, least, 1 - D, make_quota_sequences(n, least, D), n)
    in_advance = anywhere = 0
    part = (1 - D) ** (1 / 3)
    for _ in range(runs):
        m = rng.binomial(n, PREVALENCE)
        if not 0 < m < n:
            continue
        r = cl.rank(np.repeat([1, 0], [m, n - m]), np.concatenate((pos.draw(rng, m), neg.draw(rng, n - m))))

        def truth(t):
            found, false = PREVALENCE * pos.at_least(t), (1 - PREVALENCE) * neg.at_least(t)
            return found / (found + false)

        unflagged = np.append(r.score, -np.inf)[promise.meets(r)]  # the highest score below each cut that passes
        in_advance += bool((truth(np.nextafter(unflagged, np.inf)) < least).any())
        recall = 1 - compute_simultaneous_bounds(m, part)[r.tp[-1] - r.tp[1:]]
        fpr = compute_simultaneous_bounds(n - m, part)[r.fp[1:]]
        p = float(compute_lower_bounds(m, n, part))
        bound = p * recall / (p * recall + (1 - p) * fpr)
        anywhere += bool((truth(r.score) < bound - 1e-12).any())
    return in_advance / runs, anywhere / runs


def violations(runs, kinds=KINDS, sizes=SIZES):
    print(f"Broken promises in % of {runs} runs; allowed: {100 * D:g}, Monte Carlo error (3 se): "
          f"{300 * math.sqrt(D * (1 - D) / runs):.2f}")  # fmt: skip
    print("| scores | positives | recall | fpr | share | recall, any cut | precision | precision, any cut | both |")
    print("|---|---|---|---|---|---|---|---|---|")
    for kind in kinds:
        for m in sizes:
            rng = np.random.default_rng([KINDS.index(kind), m])
            total = {"fixed": [], "band": []}
            for start in range(0, runs, 500):
                size = min(500, runs - start)
                total["fixed"].append((size, fixed(kind, rng, size, m, 2 * m)))
                total["band"].append((size, at_every_cut(kind, rng, size, m)))

            def mean(pick, found):
                return sum(size * pick(one) for size, one in found) / runs

            quotas, anywhere = precision(kind, rng, runs, round(m / PREVALENCE), 0.5)
            cells = [
                mean(lambda one: one["G1 recall >= 0.9"], total["fixed"]),
                mean(lambda one: one["G1 fpr <= 0.1"], total["fixed"]),
                mean(lambda one: one["G1 share <= 0.2"], total["fixed"]),
                mean(float, total["band"]),
                quotas,
                anywhere,
                mean(lambda one: one.get("G4 recall >= 0.8, fpr <= 0.5", np.nan), total["fixed"]),
            ]
            shown = " | ".join("" if cell != cell else f"{100 * cell:.2f}" for cell in cells)
            print(f"| {kind} | {m} | {shown} |", flush=True)


def enumeration():
    """Misses that Clopper and Pearson's bound allows, by adding up exact fractions, beside those of the promise."""
    different = 0
    for m in range(1, 61):
        for percent in (50, 60, 70, 75, 80, 85, 90, 95, 99):
            rate = Fraction(100 - percent, 100)
            chances = [math.comb(m, i) * rate**i * (1 - rate) ** (m - i) for i in range(m + 1)]
            # A cut with j misses passes when so few misses would be rare if the rate were too high.
            allowed = max((j for j in range(m) if sum(chances[: j + 1]) <= Fraction(1, 20)), default=-1)
            different += allowed != count_allowed_misses(m, float(rate), 1 - D)
    print(f"\nClopper and Pearson by enumeration, up to 60 positives, nine recalls: {different} of {60 * 9} differ")


def strictness():
    """Beside MAPIE's fixed sequence with every distinct score as its grid: how many positives each cut misses."""
    try:
        from mapie.risk_control import BinaryClassificationController
    except ImportError:
        print("MAPIE is not installed: no comparison.")
        return
    print("\nMisses at the cut for recall >= 0.9 with 95 % confidence: cutline and MAPIE's fixed sequence")
    for m in (60, 200, 1000):
        rng = np.random.default_rng(m)
        labels = np.repeat([1, 0], [m, m])
        scores = ndtr(np.concatenate((rng.normal(1, 1, m), rng.normal(0, 1, m))) - 0.5)
        ours = cl.choose_cut(cl.rank(labels, scores), "recall >= 0.9", resamples=0)
        controller = BinaryClassificationController(
            predict_function=lambda x: np.column_stack((1 - x[:, 0], x[:, 0])),
            risk="recall",
            target_level=0.9,
            confidence_level=0.95,
            best_predict_param_choice="precision",
            list_predict_params=np.unique(scores),
            fwer_method="fixed_sequence",
        )
        controller.calibrate(scores[:, None], labels)
        valid = np.asarray(controller.valid_predict_params)
        theirs = int((scores[labels == 1] < valid.max()).sum()) if len(valid) else -1
        print(f"  {m} positives: cutline {ours.requirements[0].seen}, MAPIE {theirs}")


def optimism(runs):
    """Apparent and corrected values less the truth, where it is known: normal scores, a distance of 1."""
    print(f"\nOptimism: apparent and corrected value less the truth, over {runs} runs, with the standard error")
    rng = np.random.default_rng(1)
    kinds = {"f1": {"maximize": "f1"}, "youden_j": {"maximize": "youden_j"}, "cost": {"cost_fp": 1, "cost_fn": 5}}
    for n, prevalence in ((100, 0.3), (500, 0.1)):
        for name, asked in kinds.items():
            wanted, rows = make_criterion(**{"maximize": None} | asked), []
            for _ in range(runs):
                labels = rng.random(n) < prevalence
                if not 2 < labels.sum() < n - 2:
                    continue
                cut = cl.choose_cut(cl.rank(labels, rng.normal(size=n) + labels), resamples=100, **asked)
                found, false = ndtr(1 - cut.threshold), ndtr(-cut.threshold)
                table = cl.Counts(
                    prevalence * found,
                    (1 - prevalence) * false,
                    prevalence * (1 - found),
                    (1 - prevalence) * (1 - false),
                )
                truth = float(wanted.function(table))
                rows.append((cut.apparent - truth, cut.corrected.value - truth))
            apparent, corrected = np.array(rows).T
            error = corrected.std() / math.sqrt(len(rows))
            print(f"  {n} cases, {name}: {apparent.mean():+.4f}, {corrected.mean():+.4f} ({error:.4f})", flush=True)


def speed():
    rng = np.random.default_rng(0)
    n = 1_000_000
    labels = rng.random(n) < 0.2
    scores = rng.normal(size=n) + 1.5 * labels
    ratios = []
    for _ in range(5):
        start = time.process_time()
        r = cl.rank(labels, scores)
        middle = time.process_time()
        cl.choose_cut(r, "recall >= 0.5", "fpr <= 0.4", maximize="precision", resamples=0)
        ratios.append((time.process_time() - middle) / (middle - start))
    print(f"\nTwo promises at 1e6 distinct scores: {np.median(ratios):.2f} x the time of ranking them (must be < 2)")
    r = cl.rank(labels[:100_000], scores[:100_000])
    start = time.process_time()
    cl.choose_cut(r, "recall >= 0.5", "fpr <= 0.4", maximize="f1", resamples=2000)
    spent = time.process_time() - start
    print(f"2000 resampled choices at 1e5 cases: {spent:.1f} s of processor time (must be < 25 s on two cores)")


PARTS = ("violations", "enumeration", "strictness", "optimism", "speed")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"some of {', '.join(PARTS)}; all by default")
    parser.add_argument("--quick", action="store_true", help="a tenth of the runs")
    parser.add_argument("--scores", nargs="*", choices=KINDS, default=KINDS)
    parser.add_argument("--positives", nargs="*", type=int, default=SIZES)
    asked = parser.parse_args()
    runs = 1000 if asked.quick else 10_000
    work = {
        "violations": lambda: violations(runs, asked.scores, asked.positives),
        "enumeration": enumeration,
        "strictness": strictness,
        "optimism": lambda: optimism(runs // 10),
        "speed": speed,
    }
    for part in asked.parts or PARTS:
        work[part]()


if __name__ == "__main__":
    main()
