"""The coverage laboratory: how often the default intervals hold the truth, and how often the default tests err.

    python benchmarks/coverage.py run [minutes] [processes]   # adds batches to coverage_results.jsonl
    python benchmarks/coverage.py page                        # writes docs/coverage.md and its heat maps

Every population of `populations.py` is crossed with every measure of the registry. A batch is some samples of one
population; its line in the results says, for each measure and method, how many intervals were made, how many held the
truth, how many carried a warning, and their mean width. Batches have seeds of their own and add up: a run that was
interrupted goes on where it stopped, and more runs make the figures sharper. Results of another version of the rules
(`RULES`) are not counted.

For the tests, two models score the same cases with the same distribution, so that they are equal in every measure;
`rejected` is how often the default test says that they differ, at a level of 5 %.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from populations import Population, registry

import cutline as cl
from cutline.core import parallel
from cutline.measures import Measure, Needs

RESULTS = Path(__file__).with_name("coverage_results.jsonl")
RULES = 2  # of the defaults and their notes; raise it when they change
LEVEL = 0.95
RESAMPLES = 200  # of a bootstrap here; 2000 are drawn in use, which moves a coverage by less than half a point
BATCH = 25  # samples, of small populations
LARGE = 3000  # cases, from which on a batch is smaller, and measures that take long are left out
SHARE = 0.1  # of the list that a quota takes
SLOW = frozenset({"auch", "h_measure", "mcb", "dsc", "ici", "e50", "e90", "emax", "eci", "smooth_ece"})
EVERY = 5  # ... so that only one sample in so many has them
TESTED = (
    *("auc", "accuracy", "recall", "precision", "f1", "mcc", "brier", "log_loss", "average_precision", "ks"),
    *("qrecall", "partial_auc", "balanced_accuracy"),
)


@dataclass(frozen=True)
class Cell:
    """What a batch is of: a population, and intervals or tests."""

    population: Population
    kind: str  # "intervals" or "tests"

    @property
    def name(self) -> str:
        p = self.population
        return f"{p.positives} + {p.negatives}, {p.name}"

    @property
    def samples(self) -> int:
        return BATCH if self.population.n < LARGE else BATCH // 5


def cells() -> list[Cell]:
    whole = registry()
    alike = [p for p in whole if p.n < LARGE and not math.isinf(p.grid)]
    return [*(Cell(p, "intervals") for p in whole), *(Cell(p, "tests") for p in alike[::2])]


def parameters(measure: Measure, threshold: float) -> dict[str, float]:
    if measure.needs is Needs.COUNTS:
        return {"threshold": threshold}
    return {"share": SHARE} if measure.name in ("hit_rate", "qrecall", "enrichment") else {}


def threshold_of(population: Population) -> float:
    """The cut that flags about as many cases as are positive."""
    whole = population.ranking()
    place = min(int(np.searchsorted(np.cumsum(whole.size), population.positives)), len(whole) - 1)
    return float(whole.score[place])


def truths(population: Population, threshold: float) -> dict[str, float]:
    """The value of each measure in the population; NaN where only finite samples have one."""
    rankings = population.ranking(), population.ranking(whole=True)
    found = {}
    for measure in cl.MEASURES:
        for ranking in rankings:
            try:
                data, given = measure.prepare(ranking, parameters(measure, threshold))
                found[measure.name] = float(measure.compute(data, **given))
            except cl.CutlineError:
                found[measure.name] = math.nan
            if not math.isnan(found[measure.name]):
                break
    # These grow with the number of cases, or tell of the sample what no population has.
    return found | dict.fromkeys(("pearson", "roc_n", "log_likelihood", "hosmer_lemeshow", "spiegelhalter"), math.nan)


def is_warned(notes: Iterable[str]) -> bool:
    """Whether a note says that the promise may not be kept."""
    return any("coverage" in note or "keeps its promise" in note or "error rate" in note for note in notes)


# ---------------------------------------------------------------------- one batch


def batch(cell: Cell, number: int) -> dict[str, Any]:
    """Some samples of a cell: for each measure and method what happened."""
    p = cell.population
    seed = [p.positives, p.negatives, sum(cell.name.encode()), number]
    rng, found = np.random.default_rng(seed), defaultdict(lambda: [0, 0, 0, 0.0])
    threshold = threshold_of(p)
    if cell.kind == "tests":
        for i in range(cell.samples):
            _tests(p, threshold, rng, i, found)
    else:
        truth = truths(p, threshold)
        for i in range(cell.samples):
            _intervals(p, threshold, truth, rng, i, found)
    return {
        "rules": RULES,
        "cell": cell.name,
        "kind": cell.kind,
        "batch": number,
        "samples": cell.samples,
        "found": {"|".join(key): [*row[:3], round(row[3], 6)] for key, row in found.items()},
    }


def _intervals(p: Population, threshold: float, truth: dict[str, float], rng: Any, i: int, found: Any) -> None:
    ev = cl.evaluate(**p.sample(rng), threshold=threshold)
    slow = i % EVERY == 0 and p.n < LARGE
    wanted = [m for m in cl.MEASURES if not math.isnan(truth[m.name]) and (slow or m.name not in SLOW)]
    wanted = [m for m in wanted if m.fits(ev.ranking)]
    total = float(ev.ranking.total)
    quota = max(1, round(SHARE * total)) if ev.ranking.integral else max(1.0, SHARE * total)
    asked = [m.with_(quota=quota) if m.name in ("hit_rate", "qrecall", "enrichment") else m for m in wanted]
    for m, one in zip(wanted, ev.estimates(asked, LEVEL, resamples=RESAMPLES, seed=i), strict=True):
        if not one.has_interval:
            continue
        row = found[m.name, one.method]
        row[0] += 1
        row[1] += one.low - 1e-9 <= truth[m.name] <= one.high + 1e-9
        row[2] += is_warned(one.notes)
        row[3] += one.high - one.low if math.isfinite(one.high - one.low) else 0.0


def _tests(p: Population, threshold: float, rng: Any, i: int, found: Any) -> None:
    cases = p.sample_pair(rng)
    cmp = cl.compare(cases.pop("labels"), {"a": cases.pop("a"), "b": cases.pop("b")}, threshold=threshold, **cases)
    for name in TESTED:
        given = {"share": SHARE} if name == "qrecall" else {}
        test = cmp.test(name, resamples=RESAMPLES, seed=i, **given).pairs[0]
        if math.isnan(test.p_value):
            continue
        row = found[name, test.method]
        row[0] += 1
        row[1] += test.p_value <= 1 - LEVEL
        row[2] += is_warned(test.notes)


# ---------------------------------------------------------------------- many batches


def read(path: Path = RESULTS) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    lines = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line["rules"] == RULES]


def jobs(done: list[dict[str, Any]]) -> Iterator[tuple[Cell, int]]:
    """Batches without end, cell by cell in turn, those that have fewest first."""
    number: dict[tuple[str, str], int] = defaultdict(int)
    for line in done:
        number[line["cell"], line["kind"]] += 1
    whole = cells()
    while True:
        cell = min(whole, key=lambda c: number[c.name, c.kind] * (2 if c.kind == "tests" else 1))
        yield cell, number[cell.name, cell.kind]
        number[cell.name, cell.kind] += 1


def run(minutes: float, processes: int) -> None:
    parallel.WORTH_THREADS = sys.maxsize  # the processes are enough
    end, pending = time.monotonic() + 60 * minutes, jobs(read())
    with RESULTS.open("a", encoding="utf-8") as file, ProcessPoolExecutor(processes) as pool:
        while time.monotonic() < end:
            some = [next(pending) for _ in range(processes)]
            for line in pool.map(batch, *zip(*some, strict=True)):
                file.write(json.dumps(line) + "\n")
            file.flush()


def main() -> None:
    what, *rest = sys.argv[1:] or ["run"]
    if what == "page":
        from coverage_page import write

        write(read())
        return
    run(float(rest[0]) if rest else 60, int(rest[1]) if len(rest) > 1 else 1)


if __name__ == "__main__":
    main()
