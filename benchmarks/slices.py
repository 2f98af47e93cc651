"""How often slices raise false alarms, and how often their intervals hold: simulations where the truth is known.

    python benchmarks/slices.py alarms --slices 30 --samples 500       # family-wise error against the rest
    python benchmarks/slices.py simultaneous --slices 30               # all intervals hold at once
    python benchmarks/slices.py shares --slices 200                    # the same of shares, computed exactly
    python benchmarks/slices.py gap                                    # the gap of shares, and equalised odds
    python benchmarks/slices.py areas                                  # the gap of AUCs
    python benchmarks/slices.py fairlearn --samples 200                # beside fairlearn's difference_ci
    python benchmarks/slices.py search --samples 500                   # find_slices without and with a planted slice
    python benchmarks/slices.py grouped --samples 1000                 # patients with several cases each
    python benchmarks/slices.py speed                                  # 10,000 slices of 100,000 rows
    python benchmarks/slices.py alarms --seed 7000                     # the same with samples of their own

Results are appended to benchmarks/slices_results.jsonl, a line for each row of docs/slices.md.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np
import populations
from scipy.stats import binom

import cutline as cl
from cutline.inference import simultaneous
from cutline.inference.single.proportions import mid_p, wilson
from cutline.inference.single.reference import jeffreys
from cutline.inference.slice_auc import Slicing, studentise
from cutline.inference.slice_search import Losses, build_lattice, code_column, search_slices
from cutline.measures import MEASURES
from cutline.slices.simultaneous_intervals import estimate_slice

RESULTS = Path(__file__).with_name("slices_results.jsonl")
PREVALENCE, AREA_SHIFT, TRUE_AREA = 0.3, 1.0, 0.7602499389065233  # of normal scores one standard deviation apart
POPULATIONS = ("alike", "tied", "skewed", "unequal")
# Populations of the coverage study that no default was chosen on, with cases one by one.
HELD_OUT = {p.name: p for p in populations.validation() if p.weights == "none" and p.groups == 1}


def first_seed(args):
    """The number that tells repetitions of one simulation apart; none of the first."""
    return [args.seed] if args.seed else []


def sizes_of(rng, slices, low=20, high=500):
    """Sizes of slices, about as many small as large ones."""
    return np.exp(rng.uniform(np.log(low), np.log(high), slices)).astype(int)


def cases_of(rng, slices, population, high=500):
    """Labels, scores and slices of one sample in which every slice, and every rest, has the same AUC.

    "unequal": the negatives are alike and the positives of each slice have a spread of their own, with a mean that
    leaves the AUC as it is, so that cases are not exchangeable between slices.
    """
    part = np.repeat(np.arange(slices), sizes_of(rng, slices, high=high))
    label = rng.random(len(part)) < rng.uniform(0.2, 0.5, slices)[part]
    score = rng.normal(size=len(part))
    if population in HELD_OUT:
        own = HELD_OUT[population]
        noise = np.where(label, own.pos.draw(rng, score), own.neg.draw(rng, score))
        return label, own.rounded(noise), part
    if population == "unequal":
        spread = rng.uniform(0.5, 2.0, slices)[part]
        score = np.where(label, AREA_SHIFT * np.sqrt((1 + spread**2) / 2) + spread * score, score)
    else:
        score = score + AREA_SHIFT * label
    if population == "skewed":
        score = np.exp(score)
    return label, np.round(score * 2) / 2 if population == "tied" else score, part


def rejections(slicing, tested, permutations, seed, level=0.05):
    """Whether some slice is below, or above, its rest by the permutation test at this level.

    Only the largest statistic decides whether any slice is rejected, and permutations end when both tails have seen as
    many larger ones as rule a rejection out: the same decisions as those of `permutation_test`.
    """
    rng = np.random.default_rng(seed)
    observed = studentise(slicing, slicing.areas)[tested]
    most = np.array([-observed.min(), observed.max()])
    allowed = int(level / 2 * (permutations + 1)) - 1  # larger ones with which a tail is still rejected
    larger, done = np.zeros(2, int), 0
    while done < permutations and (larger <= allowed).any():
        step = min(20, permutations - done)
        null = studentise(slicing, slicing.permuted_areas(rng, step))[:, tested]
        larger += [(-null.min(axis=1) >= most[0] - 1e-9).sum(), (null.max(axis=1) >= most[1] - 1e-9).sum()]
        done += step
    return larger <= allowed


def alarms(args):
    """Some slice differs from the rest though none does, by AUC (permutation) and by a share (Fisher and Holm)."""
    for population in args.populations or POPULATIONS:
        count = np.zeros(3, int)
        for seed in range(args.seed, args.seed + args.samples):
            rng = np.random.default_rng([seed, args.slices, [*POPULATIONS, *HELD_OUT].index(population)])
            slicing = Slicing.of(*cases_of(rng, args.slices, population), args.slices)
            tested = (slicing.positives.size >= 5) & (slicing.negatives.size >= 5)
            low, high = rejections(slicing, tested, args.permutations, seed) if tested.any() else (False, False)
            count += [low or high, low, high]
        both, low, high = count
        report("alarms", args, measure="auc", population=population, both=both, low=low, high=high)
    if args.populations:
        return
    for share in (0.05, 0.2, 0.5, 0.9):
        rng = np.random.default_rng([*first_seed(args), args.slices, round(100 * share)])
        samples = max(args.samples, 2000)
        n = np.stack([sizes_of(rng, args.slices) for _ in range(samples)])
        k = rng.binomial(n, share)
        rest = k.sum(1, keepdims=True) - k, n.sum(1, keepdims=True) - n
        p = simultaneous.compute_fisher_p(k, n, *rest, "two-sided")
        significant = np.stack([simultaneous.adjust_p_values(row, "holm") for row in p]) <= 0.05
        less = k / n < rest[0] / rest[1]
        report(
            "alarms",
            args,
            samples=samples,
            measure="share",
            population=str(share),
            both=int(significant.any(1).sum()),
            low=int((significant & less).any(1).sum()),
            high=int((significant & ~less).any(1).sum()),
        )


def held_together(args):
    """All simultaneous intervals hold, by the methods that `summary(simultaneous=True)` uses."""
    level = simultaneous.sidak_level(0.95, args.slices)
    for population in args.populations or ["alike"]:
        truth = {"auc": TRUE_AREA, "recall": 0.8413447460685429}
        cut = 0.0
        if population in HELD_OUT:
            own = HELD_OUT[population]
            whole, cut = own.ranking(), own.middle / 2 + own.grid / 3  # between two scores of the grid
            at_cut = own.probability(np.array([cut]))[0]
            truth = {"auc": cl.Evaluation(whole).auc, "recall": cl.Evaluation(whole, threshold=at_cut).recall}
        held = dict.fromkeys(truth, 0)
        for seed in range(args.seed, args.seed + args.samples):
            rng = np.random.default_rng([*args.stream, seed, args.slices])
            label, score, part = cases_of(rng, args.slices, population)
            holds = dict.fromkeys(held, True)
            for number in range(args.slices):
                here = part == number
                if label[here].sum() < 5 or (~label[here]).sum() < 5:
                    continue
                ev = cl.evaluate(label[here], score[here], threshold=cut)
                for name, value in truth.items():
                    holds[name] &= value in estimate_slice(ev, MEASURES[name], level)
            held = {name: count + holds[name] for name, count in held.items()}
        for name, count in held.items():
            report("simultaneous", args, measure=name, population=population, held=count)


def shares(args):
    """The probability that all simultaneous intervals of a share hold, as a sum of binomial probabilities.

    Only the sizes of the slices are drawn; Wilson's and Jeffreys' limits stand beside those of the product.
    """
    methods = {"mid_p": mid_p, "wilson": wilson, "jeffreys": jeffreys}
    level, most = simultaneous.sidak_level(0.95, args.slices), 500
    for share in (0.05, 0.2, 0.5, 0.84, 0.95):
        rng = np.random.default_rng([*first_seed(args), args.slices, round(100 * share)])
        sizes = [sizes_of(rng, args.slices) for _ in range(args.samples)]
        found = {}
        for name, method in methods.items():
            covered = np.array([binomial_coverage(method, n, level, share) for n in range(1, most + 1)])
            found[name] = round(100 * float(np.mean([covered[size - 1].prod() for size in sizes])), 2)
            if name == "mid_p":
                alike = {n: round(100 * float(covered[n - 1] ** args.slices), 1) for n in (20, 50, 150, 500)}
        report("shares", args, share=share, **found, mid_p_of_one_size=alike)


def binomial_coverage(method, n, level, share):
    """How often the interval of a share of n cases holds it."""
    k = np.arange(n + 1)
    low, high = method(k, np.full(n + 1, n), level)
    return binom.pmf(k, n, share)[(low <= share) & (share <= high)].sum()


GAPS = [
    (slices, size, share, difference)
    for slices in (2, 5, 10, 30)
    for size in (20, 50, 150, 500, "mixed")
    for share in (0.05, 0.2, 0.5, 0.8, 0.95)
    for difference in (0.0, 0.1)
    if difference == 0 or 0.05 < share < 0.95
]


def drawn_shares(rng, samples, slices, size, share, difference):
    """Counts of slices, a row for each sample, of which the first slice has a share that is lower by `difference`."""
    n = (
        np.stack([sizes_of(rng, slices) for _ in range(samples)])
        if size == "mixed"
        else np.full((samples, slices), size)
    )
    return rng.binomial(n, np.where(np.arange(slices) == 0, share - difference, share)), n


def gap_limits(k, n, critical):
    """The limits of the gap of each sample: `simultaneous.share_pairs(...).gap` over rows."""
    pair, code = np.unique(k + 1000 * n, return_inverse=True)  # few distinct ones, whose limits take longer
    limits = mid_p(pair % 1000, pair // 1000, simultaneous.compute_coverage(critical))
    value, (low, high) = k / n, (limit[code.reshape(k.shape)] for limit in limits)
    first, second = np.triu_indices(k.shape[1], 1)
    difference = value[:, first] - value[:, second]
    below = difference - np.hypot((value - low)[:, first], (high - value)[:, second])
    above = difference + np.hypot((high - value)[:, first], (value - low)[:, second])
    return np.maximum(0, np.maximum(below, -above).max(1)), np.maximum(above, -below).max(1)


def gaps(args):
    """The gap of a share, and the larger gap of two (equalised odds)."""
    for slices, size, share, difference in GAPS:
        seed = [slices, 0 if size == "mixed" else size, round(100 * share), round(10 * difference)]
        rng = np.random.default_rng([*first_seed(args), *seed])
        joint = simultaneous.tukey_quantile(simultaneous.sidak_level(0.95, 2), slices)
        counts = drawn_shares(rng, args.samples, slices, size, share, difference)
        others = drawn_shares(rng, args.samples, slices, size, 0.3, 0.0)
        one = gap_limits(*counts, simultaneous.tukey_quantile(0.95, slices))
        both = np.maximum(gap_limits(*counts, joint), gap_limits(*others, joint))
        what = {"slices": slices, "size": size, "share": share, "difference": difference}
        for name, (low, high) in (("gap", one), ("odds", both)):
            held = ((low <= difference) & (difference <= high)).sum()
            report(name, args, **what, held=held, above=(low > 0).sum())


def areas(args):
    """The gap of AUCs, with and without a slice that ranks worse."""
    for slices in (2, 5, 10, 30):
        for size in (40, 100, 300, "20 to 500"):
            for shift in (1.0, 0.3):
                worst = 0.5840193000862613 if shift == 0.3 else TRUE_AREA  # AUC of scores 0.3 apart
                held = above = 0
                for seed in range(args.seed, args.seed + args.samples):
                    rng = np.random.default_rng([seed, slices, 0 if isinstance(size, str) else size, round(10 * shift)])
                    part = np.repeat(np.arange(slices), sizes_of(rng, slices) if isinstance(size, str) else size)
                    label = rng.random(len(part)) < PREVALENCE
                    score = rng.normal(size=len(part)) + label * np.where(part == 0, shift, AREA_SHIFT)
                    gap = cl.evaluate(label, score, by=part).gap("auc")
                    held += gap.low <= TRUE_AREA - worst <= gap.high
                    above += gap.low > 0
                report("areas", args, slices=slices, size=size, difference=TRUE_AREA - worst, held=held, above=above)


def beside_fairlearn(args):
    """The gap of recall beside the 95 % percentile bootstrap of max - min, which is fairlearn's difference_ci.

    fairlearn itself takes seconds for a sample: it runs on the first `--fairlearn` samples, and the same bootstrap in
    numpy on all of them.
    """
    for slices, difference in ((2, 0.0), (5, 0.0), (10, 0.0), (5, 0.1)):
        size, share = 150, 0.8
        held = dict.fromkeys(("cutline", "bootstrap", "fairlearn"), 0)
        for seed in range(args.seed, args.seed + args.samples):
            rng = np.random.default_rng([seed, slices, round(10 * difference)])
            part = np.repeat(np.arange(slices), size)
            flagged = (rng.random(len(part)) < np.where(part == 0, share - difference, share)).astype(int)
            k = np.bincount(part, weights=flagged)
            pairs = simultaneous.compare_shares(k, np.full(slices, size), simultaneous.tukey_quantile(0.95, slices))
            intervals = {"cutline": pairs.gap[1], "bootstrap": percentile_gap(rng, k, size, 1000)}
            if seed < args.seed + args.fairlearn:
                intervals["fairlearn"] = fairlearn_gap(part, flagged, args.resamples, seed)
            for name, (low, high) in intervals.items():
                held[name] += low <= difference <= high
        what = {"slices": slices, "size": size, "share": share, "difference": difference}
        report("fairlearn", args, **what, **held, fairlearn_samples=min(args.samples, args.fairlearn))


def percentile_gap(rng, k, size, resamples):
    """The percentile bootstrap of max - min over resampled rows."""
    cells = np.concatenate([k, size - k])
    drawn = rng.multinomial(int(cells.sum()), cells / cells.sum(), resamples)
    hits, misses = drawn[:, : len(k)], drawn[:, len(k) :]
    return np.quantile(np.ptp(hits / (hits + misses), axis=1), [0.025, 0.975])


def fairlearn_gap(part, flagged, resamples, seed):
    """The interval of fairlearn for the recall of cases that are all positive."""
    from fairlearn.metrics import MetricFrame

    frame = MetricFrame(
        metrics=lambda _, predicted: float(np.mean(predicted)),
        y_true=np.ones(len(part), int),
        y_pred=flagged,
        sensitive_features=part,
        n_boot=resamples,
        ci_quantiles=[0.025, 0.975],
        random_state=seed,
    )
    return tuple(float(limit) for limit in frame.difference_ci(method="between_groups"))


def searches(args):
    """False finds of a search of 264 slices, and how often a planted slice is found."""
    for error in (0.15, 0.35):
        false = planted = 0
        for seed in range(args.seed, args.seed + args.samples):
            rng = np.random.default_rng([seed, round(100 * error)])
            levels = rng.integers(0, 4, (6, 2000))
            chance = np.where((levels[0] == 1) & (levels[1] == 2), error, 0.15)
            losses = Losses((rng.random(2000) < chance).astype(float))
            columns = {f"x{i}": code_column(f"x{i}", levels[i]) for i in range(6)}
            found = search_slices(build_lattice(columns, 2, 50), losses, permutations=args.permutations, seed=seed)
            names = [" ".join(map(str, found.lattice.conditions[i])) for i in found.chosen(0.95)]
            planted += "x0 = 1 x1 = 2" in names
            false += bool(names)
        report("search", args, error=error, any=false, planted=planted)


def grouped(args):
    """Slices of patients whose cases are alike: with their groups, and as if cases were independent."""
    for slices, patients, cases, nested in (
        (4, 60, 8, 0),
        (10, 150, 8, 0),
        (5, 40, 20, 0),
        (4, 80, 8, 1),
        (8, 200, 6, 1),
    ):
        names = ("auc alarm", "auc gap", "recall alarm", "recall gap", "all auc", "alarm without groups")
        count = dict.fromkeys(names, 0)
        for seed in range(args.seed, args.seed + args.samples):
            rng = np.random.default_rng([seed, slices, patients, nested])
            patient = np.repeat(np.arange(patients), cases)
            part = rng.integers(0, slices, patients)[patient] if nested else rng.integers(0, slices, len(patient))
            label = rng.random(len(patient)) < 0.35
            own = rng.normal(size=(2, patients)) * 0.7
            score = label + own[label.astype(int), patient] + rng.normal(size=len(patient)) * np.sqrt(0.51)
            with_groups = cl.evaluate(label, score, by=part, groups=patient, threshold=0.5)
            without = cl.evaluate(label, score, by=part, threshold=0.5)
            count["auc alarm"] += bool(with_groups.against_rest("auc").significant)
            count["recall alarm"] += bool(with_groups.against_rest("recall").significant)
            count["auc gap"] += with_groups.gap("auc").low <= 0
            count["recall gap"] += with_groups.gap("recall").low <= 0
            each = with_groups.summaries("auc", simultaneous=True)
            count["all auc"] += all(TRUE_AREA in each[key].rows[0].estimate for key in with_groups)
            count["alarm without groups"] += bool(without.against_rest("auc", adjust="holm").significant)
        report("grouped", args, slices=slices, patients=patients, cases=cases, nested=nested, **count)


def speed(args):
    """The time and the memory of a search of 10,000 slices of 100,000 rows, as a user calls it."""
    import resource

    rng = np.random.default_rng(0)
    rows, features = 100_000, 29
    levels = {f"x{i}": rng.integers(0, 5, rows) for i in range(features)}
    score = rng.random(rows)
    label = (rng.random(rows) < score).astype(int)
    frame = {"label": label, "score": score, **levels}
    start = time.perf_counter()
    found = cl.find_slices("label", "score", data=frame, features=list(levels), depth=2, least=50)
    seconds = time.perf_counter() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    report("speed", args, slices=found.searched, rows=rows, seconds=round(seconds, 1), gigabytes=round(memory, 2))


def report(what, args, **numbers):
    """Print a row and append it to the results."""
    row = {"what": what, "slices": args.slices, "samples": args.samples, "permutations": args.permutations, **numbers}
    if args.seed:
        row["seed"] = args.seed
    if args.stream:
        row["stream"] = args.stream
    line = json.dumps(row, default=int)
    print(line, flush=True)
    with RESULTS.open("a") as file:
        file.write(line + "\n")


WORK = {
    "alarms": alarms,
    "simultaneous": held_together,
    "shares": shares,
    "gap": gaps,
    "areas": areas,
    "fairlearn": beside_fairlearn,
    "search": searches,
    "grouped": grouped,
    "speed": speed,
}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=WORK)
    parser.add_argument("--slices", type=int, default=5)
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--permutations", type=int, default=199)
    parser.add_argument("--resamples", type=int, default=100)
    parser.add_argument("--fairlearn", type=int, default=25)
    parser.add_argument("--populations", nargs="*")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--stream", type=int, nargs="*", default=[], help="of simultaneous: stands before each seed")
    chosen = parser.parse_args()
    WORK[chosen.what](chosen)
