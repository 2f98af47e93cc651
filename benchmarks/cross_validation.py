"""Measure the coverage of intervals from cross-validation, and how often two equal learners are told apart.

    python benchmarks/cross_validation.py run --set choose --learner logistic --n 100 --samples 200 --out RESULTS
    python benchmarks/cross_validation.py pairs --learner logistic --n 100 --samples 400 --out RESULTS
    python benchmarks/cross_validation.py nested --n 100 --samples 100 --out RESULTS
    python benchmarks/cross_validation.py table RESULTS     # writes benchmarks/cross_validation.json

The truth is the performance of the model fitted on all n cases, on new cases of the same population. The populations of
the set "choose" may decide which method is the default; those of "apart" only judge it.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

Array = np.ndarray
MEASURES = ("auc", "average_precision", "accuracy", "brier")
FEATURES = (5, 20, 50)
FOLDS = (5, 10)
REPEATS = 10
NEW_CASES = 10_000
NESTED_REPEATS = 50
BINS, TREES = 16, 20

# ---------------------------------------------------------------------- populations


def linear(rng: np.random.Generator, n: int, p: int) -> tuple[Array, Array]:
    """Normal features, five of them real, half of the cases positive."""
    X = rng.standard_normal((n, p))
    return X, rng.random(n) < 1 / (1 + np.exp(-X[:, :5] @ np.array([1.0, 0.8, 0.6, 0.4, 0.2])))


def rare(rng: np.random.Generator, n: int, p: int) -> tuple[Array, Array]:
    """The same with a quarter of the cases positive."""
    X = rng.standard_normal((n, p))
    return X, rng.random(n) < 1 / (1 + np.exp(1.5 - X[:, :5] @ np.array([1.0, 0.8, 0.6, 0.4, 0.2])))


def correlated(rng: np.random.Generator, n: int, p: int) -> tuple[Array, Array]:
    """Correlated features with heavy tails, a third of the cases positive, and weak effects."""
    noise = rng.standard_normal((n, p))
    X = np.empty((n, p))
    X[:, 0] = noise[:, 0]
    for j in range(1, p):
        X[:, j] = 0.6 * X[:, j - 1] + 0.8 * noise[:, j]
    X *= np.sqrt(3 / rng.chisquare(5, (n, 1)))
    return X, rng.random(n) < 1 / (1 + np.exp(0.9 - X[:, :5] @ np.array([0.5, 0.0, 0.5, 0.0, 0.5])))


def curved(rng: np.random.Generator, n: int, p: int) -> tuple[Array, Array]:
    """Uniform features with an interaction and a curve, and one label in ten at random."""
    X = rng.uniform(-1.7, 1.7, (n, p))
    y = rng.random(n) < 1 / (1 + np.exp(-(1.5 * X[:, 0] * X[:, 1] + X[:, 2] ** 2 - 1 + 1.2 * X[:, 3])))
    return X, np.where(rng.random(n) < 0.1, rng.random(n) < 0.5, y)


SHARES = {"linear": 0.5, "rare": 0.24, "correlated": 0.33, "curved": 0.5}  # of positives, about
SETS = {"choose": (linear, rare), "apart": (correlated, curved)}

# ---------------------------------------------------------------------- learners, fitted on many subsets at a time


def fit_logistic(X: Array, y: Array, train: Array, new: Array) -> Array:
    """Probabilities of the new cases by ridge logistic regressions, one for each row of `train` (a mask of cases)."""
    design = np.column_stack([np.ones(len(X)), X])
    penalty = np.diag([1e-8] + [1.0] * X.shape[1])
    beta = np.zeros((len(train), design.shape[1]))
    for _ in range(12):
        p = 1 / (1 + np.exp(-np.clip(beta @ design.T, -30, 30)))
        gradient = (train * (y - p)) @ design - beta * np.diag(penalty)
        weights = train * p * (1 - p)
        hessian = np.matmul((design * weights[:, :, None]).transpose(0, 2, 1), design) + penalty
        step = np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        beta += step
        if np.abs(step).max() < 1e-6:
            break
    return 1 / (1 + np.exp(-np.clip(beta @ np.column_stack([np.ones(len(new)), new]).T, -30, 30)))


def grow(bins: Array, y: Array, weights: Array, new: Array, depth: int, tried: int, least: int, rng: Any) -> Array:
    """Probabilities of the cases in `new` by trees, one for each row of `weights`, grown a level at a time.

    `bins` and `new` are features as numbers of bins (0 to BINS - 1); each node tries so many of the features, and
    leaves have at least so many cases.
    """
    M, p = len(weights), bins.shape[1]
    row, column = np.nonzero(weights)
    heavy = weights[row, column].astype(float)
    positive = heavy * y[column]
    place = np.zeros(len(row), dtype=np.int64)
    new_place = np.zeros((M, len(new)), dtype=np.int64)
    each = np.arange(M)[:, None]
    for level in range(depth):
        nodes = 2**level
        if tried < p:
            features = np.argpartition(rng.random((M, nodes, p)), tried, axis=-1)[..., :tried]
        else:
            features = np.broadcast_to(np.arange(p), (M, nodes, p))
        seen = bins[column[:, None], features[row, place]]
        key = (((row * nodes + place) * tried)[:, None] + np.arange(tried)) * BINS + seen
        shape = (M, nodes, tried, BINS)
        size = M * nodes * tried * BINS
        count = np.bincount(key.ravel(), np.repeat(heavy, tried), size).reshape(shape).cumsum(-1)
        hits = np.bincount(key.ravel(), np.repeat(positive, tried), size).reshape(shape).cumsum(-1)
        count_right, hits_right = count[..., -1:] - count, hits[..., -1:] - hits
        with np.errstate(invalid="ignore", divide="ignore"):
            pure = (hits**2 + (count - hits) ** 2) / count
            pure = pure + (hits_right**2 + (count_right - hits_right) ** 2) / count_right
        pure = np.where((count >= least) & (count_right >= least), pure, -1.0).reshape(M, nodes, -1)
        best = pure.argmax(-1)
        feature = np.take_along_axis(features, (best // BINS)[..., None], -1)[..., 0]
        edge = np.where(np.take_along_axis(pure, best[..., None], -1)[..., 0] > 0, best % BINS, BINS)
        place = 2 * place + (bins[column, feature[row, place]] > edge[row, place])
        new_place = 2 * new_place + (new[np.arange(len(new)), feature[each, new_place]] > edge[each, new_place])
    key, size = row * 2**depth + place, M * 2**depth
    with np.errstate(invalid="ignore"):
        share = (np.bincount(key, positive, size) / np.bincount(key, heavy, size)).reshape(M, -1)
    return np.take_along_axis(np.nan_to_num(share, nan=0.5), new_place, axis=1)


def binned(X: Array, new: Array) -> tuple[Array, Array]:
    """The features as numbers of bins between the quantiles of `X`."""
    edges = np.quantile(X, np.arange(1, BINS) / BINS, axis=0)
    both = np.concatenate([X, new])
    numbers = np.stack([np.searchsorted(edges[:, j], both[:, j]) for j in range(X.shape[1])], axis=1)
    return numbers[: len(X)], numbers[len(X) :]


def fit_trees(X: Array, y: Array, train: Array, new: Array) -> Array:
    """The same by decision trees of depth 4 with at least five cases a leaf."""
    bins, new_bins = binned(X, new)
    return grow(bins, y, train, new_bins, 4, X.shape[1], 5, None)


def fit_forests(X: Array, y: Array, train: Array, new: Array) -> Array:
    """The same by random forests of 20 trees, which try the root of the number of features at each node."""
    bins, new_bins = binned(X, new)
    rng = np.random.default_rng(int(train.sum()) + int(y.sum()))
    found = np.zeros((len(train), len(new)))
    step = max(1, 2_000_000 // (len(X) * 20 * 4))
    for first in range(0, len(train), step):
        some = train[first : first + step]
        drawn = np.repeat(some / some.sum(axis=1, keepdims=True), TREES, axis=0)
        weights = np.array(
            [rng.multinomial(int(k), p) for k, p in zip(np.repeat(some.sum(axis=1), TREES), drawn, strict=True)]
        )
        scores = grow(bins, y, weights, new_bins, 6, max(2, round(X.shape[1] ** 0.5)), 2, rng)
        found[first : first + step] = scores.reshape(len(some), TREES, -1).mean(axis=1)
    return found


LEARNERS = {"logistic": fit_logistic, "tree": fit_trees, "forest": fit_forests}

# ---------------------------------------------------------------------- measures of subsets, all at a time


def measure(y: Array, scores: Array, weights: Array) -> Array:
    """The four measures (last axis) on the cases that each row of 0/1 `weights` holds."""
    order = np.argsort(-scores, kind="stable")
    y, s, w = y[order].astype(float), scores[order], weights[:, order].astype(float)
    new = np.r_[True, s[1:] != s[:-1]]
    ends = np.r_[np.flatnonzero(new)[1:], len(s)] - 1
    tp, fp = np.cumsum(w * y, axis=1)[:, ends], np.cumsum(w * (1 - y), axis=1)[:, ends]
    pos, neg = tp[:, -1], fp[:, -1]
    ups, downs = np.diff(tp, axis=1, prepend=0), np.diff(fp, axis=1, prepend=0)
    auc = (ups * (neg[:, None] - fp + downs / 2)).sum(axis=1) / (pos * neg)
    with np.errstate(invalid="ignore"):
        precision = np.where(tp + fp > 0, tp / (tp + fp), 0)
    ap = (ups * precision).sum(axis=1) / pos
    total = w.sum(axis=1)
    accuracy = (w * ((s >= 0.5) == (y > 0))).sum(axis=1) / total
    brier = (w * (s - y) ** 2).sum(axis=1) / total
    return np.stack([auc, ap, accuracy, brier], axis=-1)


def prevalence_slope(y: Array, scores: Array) -> Array:
    """How much each measure grows with the share of positives, by cases that count a little more or less."""
    share = y.mean()
    step = 0.1 * share * (1 - share)
    up, down = (np.where(y, (share + h) / share, (1 - share - h) / (1 - share)) for h in (step, -step))
    above, below = measure(y, scores, np.stack([up, down]))
    return (above - below) / (2 * step)


def case_variance(y: Array, scores: Array, folds: Array) -> Array:
    """The variance of each measure's mean over folds by the influence of single cases (AUC: LeDell), NaN for AP."""
    n = len(y)
    influence = np.zeros((2, n))
    auc = np.zeros(n)
    for k in np.unique(folds):
        inside = np.flatnonzero(folds == k)
        s, t = scores[inside], y[inside]
        above = (s[:, None] > s[None, :]) + 0.5 * (s[:, None] == s[None, :])
        own = np.where(t, above[:, ~t].mean(axis=1), above[t].mean(axis=0))
        share = np.where(t, t.mean(), 1 - t.mean())
        auc[inside] = (own - above[np.ix_(t, ~t)].mean()) / share
    influence[0] = ((scores >= 0.5) == y).astype(float)
    influence[1] = (scores - y) ** 2
    return np.array([(auc**2).mean() / n, np.nan, *(influence.var(axis=1, ddof=1) / n)])


def split(rng: np.random.Generator, y: Array, folds: int, repeats: int) -> Array:
    """The fold of each case (last axis) in each repeat, the classes spread evenly."""
    numbers = np.empty((repeats, len(y)), dtype=int)
    for r in range(repeats):
        order = np.concatenate([rng.permutation(np.flatnonzero(y == c)) for c in (False, True)])
        numbers[r, order] = np.arange(len(y)) % folds
    return numbers


# ---------------------------------------------------------------------- one population, learner and size


def draw(rng: np.random.Generator, population: Any, n: int, p: int, least: int = 10) -> tuple[Array, Array]:
    """A sample with at least one case of each class for each fold."""
    while True:
        X, y = population(rng, n, p)
        if least <= y.sum() <= n - least:
            return X, y


def cross_validate(rng: np.random.Generator, learner: Any, X: Array, y: Array, K: int) -> tuple[Array, Array]:
    """The fold of each case and its score, for each repeat."""
    folds = split(rng, y, K, REPEATS)
    train = (folds[:, None, :] != np.arange(K)[None, :, None]).reshape(-1, len(y)).astype(float)
    scores = learner(X, y, train, X).reshape(REPEATS, K, len(y))
    return folds, np.take_along_axis(scores, folds[:, None, :], axis=1)[:, 0]


def simulate(population: Any, learner: Any, n: int, p: int, samples: int, seed: int) -> dict[str, Array]:
    """Fold values, values pooled within a repeat, those without each fold, variances by cases, and the truth."""
    rng = np.random.default_rng([seed, n, p])
    parts: dict[str, list[Array]] = {}
    for _ in range(samples):
        X, y = draw(rng, population, n, p)
        new_X, new_y = population(rng, NEW_CASES, p)
        fitted = learner(X, y, np.ones((1, n)), new_X)[0]
        parts.setdefault("truth", []).append(measure(new_y, fitted, np.ones((1, NEW_CASES)))[0])
        for K in FOLDS:
            folds, scores = cross_validate(rng, learner, X, y, K)
            inside = folds[:, None, :] == np.arange(K)[None, :, None]
            weights = np.concatenate([inside, ~inside, np.ones((REPEATS, 1, n))], axis=1)
            found = np.array([measure(y, scores[r], weights[r]) for r in range(REPEATS)])
            parts.setdefault(f"folds{K}", []).append(found[:, :K])
            parts.setdefault(f"without{K}", []).append(found[:, K : 2 * K])
            parts.setdefault(f"pooled{K}", []).append(found[:, 2 * K])
            parts.setdefault(f"slope{K}", []).append(
                np.mean([prevalence_slope(y, scores[r]) for r in range(3)], axis=0)
            )
            parts.setdefault(f"cases{K}", []).append(
                np.array([case_variance(y, scores[r], folds[r]) for r in range(min(3, REPEATS))])
            )
    return {name: np.array(rows, dtype=np.float32) for name, rows in parts.items()}


def simulate_pairs(population: Any, learner: Any, n: int, p: int, samples: int, seed: int) -> dict[str, Array]:
    """Differences of fold values of one learner on two halves of the features that are equally good."""
    rng = np.random.default_rng([seed, n, p, 2])
    parts: dict[str, list[Array]] = {}
    for _ in range(samples):
        while True:
            Xa, ya = population(rng, 4 * n, p)
            Xb, yb = population(rng, 4 * n, p)
            m = [min(((ya == c).sum(), (yb == c).sum())) for c in (False, True)]
            a = np.concatenate([np.flatnonzero(ya == c)[:k] for c, k in zip((False, True), m, strict=True)])
            b = np.concatenate([np.flatnonzero(yb == c)[:k] for c, k in zip((False, True), m, strict=True)])
            chosen = rng.choice(len(a), n, replace=False)
            X1, X2, y = Xa[a][chosen], Xb[b][chosen], ya[a][chosen]
            if 10 <= y.sum() <= n - 10:
                break
        for K in FOLDS:
            folds = split(rng, y, K, REPEATS)
            inside = folds[:, None, :] == np.arange(K)[None, :, None]
            train = (~inside).reshape(-1, n).astype(float)
            values = []
            for X in (X1, X2):
                scores = learner(X, y, train, X).reshape(REPEATS, K, n)
                scores = np.take_along_axis(scores, folds[:, None, :], axis=1)[:, 0]
                values.append(np.array([measure(y, scores[r], inside[r]) for r in range(REPEATS)]))
            parts.setdefault(f"difference{K}", []).append(values[0] - values[1])
    return {name: np.array(rows, dtype=np.float32) for name, rows in parts.items()}


def simulate_nested(population: Any, n: int, p: int, samples: int, seed: int) -> dict[str, Array]:
    """Limits of nested cross-validation (Bates, Hastie & Tibshirani 2023) of accuracy and Brier, and the truth."""
    from cutline.inference.folds import estimate_nested_error

    rng = np.random.default_rng([seed, n, p, 3])
    parts: dict[str, list[Array]] = {}
    for _ in range(samples):
        X, y = draw(rng, population, n, p)
        new_X, new_y = population(rng, NEW_CASES, p)
        truth = measure(new_y, fit_logistic(X, y, np.ones((1, n)), new_X)[0], np.ones((1, NEW_CASES)))[0, 2:]
        parts.setdefault("truth", []).append(truth)
        for K in FOLDS:
            folds = split(rng, y, K, NESTED_REPEATS)
            pairs = [(i, j) for i in range(K) for j in range(i, K)]
            outer = np.empty((2, NESTED_REPEATS, n))
            inner = np.empty((2, NESTED_REPEATS, K, n))
            for r in range(NESTED_REPEATS):
                train = np.array([(folds[r] != i) & (folds[r] != j) for i, j in pairs]).astype(float)
                scores = fit_logistic(X, y, train, X)
                losses = np.array([(scores >= 0.5) == y, (scores - y) ** 2], dtype=float)
                for m, (i, j) in enumerate(pairs):
                    if i == j:
                        outer[:, r, folds[r] == i] = losses[:, m][:, folds[r] == i]
                        inner[:, r, i, folds[r] == i] = np.nan
                    else:
                        inner[:, r, i, folds[r] == j] = losses[:, m][:, folds[r] == j]
                        inner[:, r, j, folds[r] == i] = losses[:, m][:, folds[r] == i]
            limits = []
            for m in range(2):
                result = estimate_nested_error(outer[m], inner[m], folds, y)
                limits.append([result.value, *result.limits(0.95)])
            parts.setdefault(f"nested{K}", []).append(np.array(limits))
    return {name: np.array(rows) for name, rows in parts.items()}


# ---------------------------------------------------------------------- the table


def coverage(path: Path) -> list[dict[str, Any]]:
    """How often the default interval of each measure holds the truth, for each number of folds and repeats."""
    from scipy import stats

    piece = np.load(path)
    what, which, population, learner, n, p, _ = path.stem.split("-")
    if what != "run" or "slope5" not in piece:
        return []
    rows = []
    for K in FOLDS:
        for R in (1, 3, REPEATS):
            values = piece[f"folds{K}"][:, :R].astype(float)
            pooled, without = piece[f"pooled{K}"][:, :R].astype(float), piece[f"without{K}"][:, :R].astype(float)
            mean = values.mean(axis=(1, 2))
            if int(n) / K * 0.25 < 30:  # average precision is pooled within a repeat
                values[..., 1] = (K * pooled[:, :, None] - (K - 1) * without)[..., 1]
                mean[:, 1] = pooled[..., 1].mean(axis=1)
            spread = values.reshape(len(mean), -1, len(MEASURES)).var(axis=1, ddof=1)
            share = SHARES[population]
            hidden = piece[f"slope{K}"].astype(float) ** 2 * share * (1 - share) / int(n) * (np.arange(4) > 0)
            reach = stats.t.ppf(0.975, K * R - 1) * np.sqrt((1 / K + 1 / (K - 1)) * spread + hidden)
            held = (np.abs(piece["truth"] - mean) <= reach).mean(axis=0)
            about = {"set": which, "population": population, "learner": learner, "n": int(n), "p": int(p)}
            split_by = {"folds": K, "repeats": R, "samples": len(mean)}
            found = {name: round(float(100 * share), 1) for name, share in zip(MEASURES, held, strict=True)}
            rows.append(about | split_by | found)
    return rows


def rejections(path: Path) -> list[dict[str, Any]]:
    """How often two learners that are equally good are told apart at 5 %."""
    from scipy import stats

    piece = np.load(path)
    _, which, population, learner, n, p, _ = path.stem.split("-")
    rows = []
    for K in FOLDS:
        for R in (1, 3, REPEATS):
            gaps = piece[f"difference{K}"][:, :R].astype(float).reshape(len(piece[f"difference{K}"]), -1, 4)
            with np.errstate(divide="ignore", invalid="ignore"):  # equal values in all folds
                t = gaps.mean(axis=1) / np.sqrt((1 / K + 1 / (K - 1)) * gaps.var(axis=1, ddof=1))
            told = (np.abs(t) > stats.t.ppf(0.975, K * R - 1)).mean(axis=0)
            about = {"set": which, "population": population, "learner": learner, "n": int(n), "p": int(p)}
            found = {name: round(float(100 * share), 1) for name, share in zip(MEASURES, told, strict=True)}
            rows.append(about | {"folds": K, "repeats": R, "samples": len(gaps)} | found)
    return rows


def nested_coverage(path: Path) -> list[dict[str, Any]]:
    """Return how often the interval of nested cross-validation holds the truth: accuracy and Brier score."""
    piece = np.load(path)
    _, which, population, learner, n, p, _ = path.stem.split("-")
    rows = []
    for K in FOLDS:
        _, low, high = np.moveaxis(piece[f"nested{K}"], -1, 0)
        held = ((low <= piece["truth"]) & (piece["truth"] <= high)).mean(axis=0)
        about = {"set": which, "population": population, "learner": learner, "n": int(n), "p": int(p)}
        percent = {name: round(float(100 * share), 1) for name, share in zip(MEASURES[2:], held, strict=True)}
        rows.append(about | {"folds": K, "repeats": NESTED_REPEATS, "samples": len(low)} | percent)
    return rows


PARTS = {"coverage": ("run", coverage), "rejections": ("pairs", rejections), "nested": ("nested", nested_coverage)}
DESIGN = ("set", "population", "learner", "n", "p", "folds", "repeats")


def write_table(folders: list[Path], target: Path) -> None:
    """Add the results of all pieces to the JSON file, in the place of former ones of the same designs; and print."""
    paths = [path for folder in folders for path in sorted(folder.glob("*.npz"))]
    stored = json.loads(target.read_text()) if target.exists() else {}
    for part, (prefix, judge) in PARTS.items():
        rows = [*stored.get(part, []), *(row for p in paths if p.name.startswith(prefix) for row in judge(p))]
        stored[part] = list({tuple(row[name] for name in DESIGN): row for row in rows}.values())
    listed = [f'"{part}": [\n' + ",\n".join(map(json.dumps, rows)) + "\n]" for part, rows in stored.items()]
    target.write_text("{" + ",\n".join(listed) + "}\n")
    for part, rows in stored.items():
        print(f"\n{part}\n")
        for key in dict.fromkeys((row["set"], row["learner"], row["n"]) for row in rows):
            own = [row for row in rows if (row["set"], row["learner"], row["n"]) == key]
            cells = [[row[m] for row in own] for m in MEASURES if m in own[0]]
            samples = sorted({row["samples"] for row in own})
            shown = " | ".join(f"{np.mean(cell):.1f} ({min(cell):.0f}-{max(cell):.0f})" for cell in cells)
            print(f"| {' | '.join(map(str, key))} | {len(own)} | {samples[0]}-{samples[-1]} | {shown} |")


# ---------------------------------------------------------------------- command line


def main() -> None:
    """Run one piece of the study, or make the table of all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("run", "pairs", "nested", "table"))
    parser.add_argument("folders", type=Path, nargs="*", help="with table: where the pieces are")
    parser.add_argument("--json", type=Path, default=Path(__file__).with_suffix(".json"))
    parser.add_argument("--set", choices=tuple(SETS), default="choose")
    parser.add_argument("--learner", choices=tuple(LEARNERS), default="logistic")
    parser.add_argument("--n", type=int, nargs="+", default=[100])
    parser.add_argument("--p", type=int, nargs="+", default=list(FEATURES))
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("results"))
    given = parser.parse_args()
    if given.what == "table":
        write_table(given.folders, given.json)
        return
    given.out.mkdir(parents=True, exist_ok=True)
    for n in given.n:
        for p in given.p:
            for population in SETS[given.set]:
                start = time.perf_counter()
                learner = LEARNERS[given.learner]
                name = f"{given.what}-{given.set}-{population.__name__}-{given.learner}-{n}-{p}-{given.seed}"
                if (given.out / f"{name}.npz").exists():
                    continue
                how = (n, p, given.samples, given.seed)
                if given.what == "run":
                    found = simulate(population, learner, *how)
                elif given.what == "pairs":
                    found = simulate_pairs(population, learner, *how)
                else:
                    found = simulate_nested(population, *how)
                np.savez_compressed(given.out / f"{name}.npz", **found)
                print(json.dumps({"piece": name, "seconds": round(time.perf_counter() - start, 1)}), flush=True)


if __name__ == "__main__":
    main()
