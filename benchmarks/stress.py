"""Coverage and tests on populations that are in neither half of the studies, so that nothing was chosen by them.

    python benchmarks/stress.py run minutes [name part] [measure ...]   # adds samples to the results
    python benchmarks/stress.py findings                                # the worst cells, as text

The samples, the counts and the rules are those of `coverage.py` (intervals) and `type_one_error.py` (tests).
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import coverage
import numpy as np
import type_one_error as tests
from pairs import Cases, Pair
from populations import Population, Scores, Shaped, bells, threshold_of
from scipy.special import bdtr, logit

from cutline.core import parallel

RESULTS = Path(__file__).with_name("stress_results.jsonl")
LEAST = 0.925  # of the intervals that hold, judged by a binomial test
HALF = "development"  # what the pairs are called where a half must be named


@dataclass(frozen=True)
class Risks(Population):
    """A population whose scores are probabilities already, which may be made surer or less sure."""

    def probability(self, x: np.ndarray) -> np.ndarray:
        """What a score claims to be the probability of the positive class; it keeps the order."""
        from scipy.special import expit

        return expit(self.lift + self.slope * logit(np.clip(x, 1e-3, 1 - 1e-3)))


def _risks(name: str, positives: int, negatives: int, sure: float, **more: Any) -> Risks:
    """Beta probabilities that are calibrated at slope 1."""
    p = positives / (positives + negatives)
    a, b = sure * p, sure * (1 - p)
    return Risks(name, positives, negatives, Shaped("beta", (a + 1, b)), Shaped("beta", (a, b + 1)), 4e-3, **more)


def _zeros(middle: float, of_positives: float, of_negatives: float) -> tuple[Scores, Scores]:
    at = -2.0, 1e-6
    return (
        Scores(((1 - of_positives, middle, 1.0), (of_positives, *at))),
        Scores(((1 - of_negatives, 0.0, 1.0), (of_negatives, *at))),
    )


def populations() -> list[Population]:
    """Return the populations."""
    gamma = Shaped("gamma", (3.0,), 0.8), Shaped("gamma", (1.5,), 0.8)
    log = Shaped("lognorm", (0.7,), 2.0), Shaped("lognorm", (0.7,), 1.0)
    laplace = Shaped("laplace", (), 0.8, 1.3), Shaped("laplace", (), 0.8)
    logistic = Shaped("logistic", (), 0.6, 1.5), Shaped("logistic", (), 0.6)
    return [
        Population("gamma", 40, 160, *gamma),
        Population("lognormal", 30, 270, *log),
        Population("five levels", 40, 110, bells(0.8), grid=1.0),
        Population("zero-inflated", 45, 255, *_zeros(1.8, 0.3, 0.8)),
        _risks("beta, calibrated", 60, 140, 3.0),
        _risks("beta, too sure", 60, 140, 3.0, slope=2.0),
        _risks("beta, too timid", 80, 320, 2.0, slope=0.5),
        Population("0.3 % positive, logistic", 9, 2891, *logistic),
        Population("97 % positive", 291, 9, bells(0.8)),
        Population("97 % positive, gamma", 776, 24, *gamma),
        Population("logistic", 20, 40, *logistic),
        Population("laplace", 35, 35, *laplace),
        Population("laplace, many", 500, 2000, *laplace),
        Population("weak", 100, 400, bells(0.55)),
        Population("no skill", 60, 60, Scores()),
        Population("five positives", 5, 195, bells(0.85)),
        Population("strong, lognormal", 50, 150, Shaped("lognorm", (0.5,), 5.0), Shaped("lognorm", (0.5,), 1.0)),
        Population("sampled by class, laplace", 40, 760, *laplace, weights="sampling_class"),
        Population("importance, gamma", 60, 140, *gamma, weights="importance"),
        Population("uneven groups of 3", 90, 210, bells(0.75), groups=3, uneven=True),
        Population("8 + 30 groups of 12", 96, 360, bells(0.8), groups=12, one_label=True),
        Population("groups of 1 to 40, more", 200, 600, bells(0.85), groups=20, uneven=True),
        Population("specificity 0.997", 50, 150, bells(0.97), specificity=0.997),
        Population("a missed subtype of 3 %", 75, 225, Scores(((0.88, 1.5, 1.0), (0.12, -2.5, 0.4)))),
        Population("t with 3 degrees", 60, 240, Scores(((1.0, 1.5, 1.0),), 3), Scores(((1.0, 0.0, 1.0),), 3), 1e-2),
    ]


def versions(population: Population, changed: float, rng: np.random.Generator) -> Cases:
    """Draw two versions of one model: some cases are scored anew, with the distribution of their class."""
    labels = rng.random(population.n) < population.prevalence

    a = _scored(population, labels, rng)
    b = np.where(rng.random(len(labels)) < changed, _scored(population, labels, rng), a)
    return {"labels": labels, "scores": {"a": a, "b": b}}


def _scored(population: Population, labels: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    x = np.empty(len(labels))
    for scores, mine in ((population.pos, labels), (population.neg, ~labels)):
        x[mine] = scores.draw(rng, rng.normal(size=int(mine.sum())))
    return population.probability(population.rounded(x))


def of_sizes(population: Population, sizes: tuple[int, int], rng: np.random.Generator) -> tuple[Cases, Cases]:
    """Draw two samples of a population with different numbers of cases."""
    samples = []
    for n in sizes:
        labels = rng.random(n) < population.prevalence
        samples.append({"labels": labels, "scores": _scored(population, labels, rng)})
    return samples[0], samples[1]


def pairs() -> list[Pair]:
    """Return the pairs of equal models."""
    known = {p.name: p for p in populations()}
    plain = [p for p in known.values() if p.weights == "none" and p.groups == 1]
    made = []
    shares = (0.3, 0.1, 0.2, 0.05, 0.1, 0.3, 0.03, 0.3, 0.2, 0.1, 0.3, 0.1, 0.01)
    for p, changed in zip(plain, shares * 2, strict=False):
        name = f"stress: {100 * changed:g} % anew, {p.name}"
        made.append(Pair(name, partial(versions, p, changed), HALF, threshold_of(p)))
    made += [Pair(f"stress: {p.name}, correlated", partial(_pair_of, p), HALF, threshold_of(p)) for p in plain[::2]]
    sizes = {
        "gamma": (40, 2000),
        "lognormal": (200, 200),
        "five levels": (60, 600),
        "zero-inflated": (100, 1000),
        "beta, calibrated": (40, 2000),
        "beta, too sure": (80, 160),
        "97 % positive, gamma": (400, 400),
        "logistic": (60, 60),
        "laplace": (40, 400),
        "weak": (150, 150),
        "a missed subtype of 3 %": (100, 300),
        "t with 3 degrees": (80, 240),
        "strong, lognormal": (60, 120),
        "0.3 % positive, logistic": (1500, 3000),
    }
    for name, both in sizes.items():
        if name in known:
            p = known[name]
            title = f"stress: {both[0]} v {both[1]}, {name}"
            made.append(Pair(title, partial(of_sizes, p, both), HALF, threshold_of(p), is_paired=False))
    for p in known.values():
        if p.weights != "none" or p.groups > 1:
            made.append(Pair(f"stress: {p.name}, correlated", partial(_pair_of, p), HALF, threshold_of(p)))
            made.append(Pair(f"stress: {p.name}, twice", partial(_two_of, p), HALF, threshold_of(p), is_paired=False))
    return made


def _pair_of(population: Population, rng: np.random.Generator) -> Cases:
    cases = population.sample_pair(rng)
    return {"scores": {name: cases.pop(name) for name in ("a", "b")}, **cases}


def _two_of(population: Population, rng: np.random.Generator) -> tuple[Cases, Cases]:
    return population.sample(rng), population.sample(rng)


# ---------------------------------------------------------------------- samples, and what they show


def run(minutes: float, part: str = "", measures: tuple[str, ...] = ()) -> None:
    """Add batches for some minutes, those with fewest samples first.

    Args:
        minutes: For how long.
        part: A part of the names of the populations and pairs.
        measures: Names; all when there is none.
    """
    parallel.WORTH_THREADS = coverage.LARGE = sys.maxsize
    asked = measures or tuple(m.name for m in coverage.cl.MEASURES)
    cells = {f"intervals: {p.name}": coverage.Cell(p) for p in populations()}
    jobs: dict[str, Any] = {**cells, **{pair.name: pair for pair in pairs()}}
    jobs = {name: job for name, job in jobs.items() if part in name}
    end, lines = time.monotonic() + 60 * minutes, read()
    while time.monotonic() < end:
        done = {name: min(lines.get(name, {}).get("samples", {}).get(m, 0) for m in asked) for name in jobs}
        name = min(done, key=done.__getitem__)
        job = jobs[name]
        if name in cells:
            more = coverage.batch(job, done[name], asked)
            rows = more["found"]
        else:
            more = tests.batch(job, done[name], asked)
            rows = more["tests"]
        lines = read()
        line = lines.setdefault(name, {"name": name, "samples": {}, "rows": {}})
        for measure, count in more["samples"].items():
            line["samples"][measure] = line["samples"].get(measure, 0) + count
        for key, row in rows.items():
            old = line["rows"].get(key, [0] * len(row))
            line["rows"][key] = [round(a + b, 4) for a, b in zip(old, row, strict=True)]
        new = RESULTS.with_suffix(".new")
        new.write_text("".join(json.dumps(one, separators=(",", ":")) + "\n" for one in lines.values()))
        new.replace(RESULTS)


def read() -> dict[str, dict[str, Any]]:
    """Return the results so far by name."""
    if not RESULTS.exists():
        return {}
    return {line["name"]: line for line in map(json.loads, RESULTS.read_text(encoding="utf-8").splitlines())}


def findings() -> Iterator[str]:
    """Yield the cells that fail by a binomial test, the worst first."""
    rows = []
    warned, unwarned = [0, 0], [0, 0]
    for line in read().values():
        by_measure: dict[str, list[float]] = defaultdict(lambda: [0.0] * 6)
        methods = defaultdict(set)
        for key, row in line["rows"].items():
            name, _, method = key.partition("|")
            methods[name].add(method)
            by_measure[name] = [a + b for a, b in zip(by_measure[name], [*row, 0, 0, 0][:6], strict=True)]
        for name, row in by_measure.items():
            how = "/".join(sorted(methods[name]))
            if line["name"].startswith("intervals"):
                made, held, with_warning, missed_warned = row[:4]
                silent, kept = made - with_warning, held - (with_warning - missed_warned)
                warned = [warned[0] + with_warning, warned[1] + missed_warned]
                unwarned = [unwarned[0] + silent, unwarned[1] + silent - kept]
                if not silent:
                    continue
                p = float(bdtr(math.floor(kept), int(silent), LEAST))
                rows.append((p, f"{line['name']}: {name} ({how}) holds in {100 * kept / silent:.1f} % of {silent:.0f}"))
            else:
                made, rejected = row[:2]
                if made:
                    share = f"{100 * rejected / made:.1f} % of {made:.0f}"
                    p = tests.Tally(int(made), int(rejected)).p_above
                    rows.append((p, f"{line['name']}: {name} ({how}) rejects in {share}"))
    rows.sort()
    yield f"{len(rows)} cells; warned {warned}, unwarned {unwarned}"
    for i, (p, text) in enumerate(rows):
        if p < 0.05:
            yield f"p {p:.2g} (of all cells {min(1.0, p * (len(rows) - i)):.2g}): {text}"


def main() -> None:
    """Run the study, or print its findings."""
    what, *rest = sys.argv[1:] or ["findings"]
    if what == "findings":
        print("\n".join(findings()))
    else:
        run(float(rest[0]) if rest else 10.0, rest[1] if rest[1:] else "", tuple(rest[2:]))


if __name__ == "__main__":
    main()
