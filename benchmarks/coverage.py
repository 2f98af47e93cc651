"""The coverage study: how often the default intervals hold the truth.

    python benchmarks/coverage.py run [minutes] [half [measure ...]]  # adds samples of one half, or of both
    python benchmarks/coverage.py findings                        # the cells that fail, as text
    python benchmarks/coverage.py page                            # writes docs/coverage.md and its heat maps

The populations are in two halves (`populations.py`): "development", by which defaults are chosen, and "validation",
which judges them. Tests of two models have a study of their own (`type_one_error.py`).

A batch is some samples of one population. It says, for each measure and method, how many intervals were made, held the
truth, carried a warning, carried one and missed, their total width, and how many missed above; and for each warning how
many intervals carried it and missed. The files have one line for each population, to which batches add, so that an
interrupted run goes on where it stopped. When a default or its notes change, raise `RULES`: older results are no longer
counted.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from populations import Population, development, threshold_of, validation

import cutline as cl
from cutline.core import parallel
from cutline.core.ranking import Ranking
from cutline.measures import Measure, Needs
from cutline.measures.miscalibration import fit_calibration_curve
from cutline.results.notes import find_warning

RESULTS = {
    "development": Path(__file__).with_name("coverage_results.jsonl"),
    "validation": Path(__file__).with_name("coverage_held_out.jsonl"),
}
RULES = 18  # the version of the defaults and their notes; results of others are not counted
LEVEL = 0.95
RESAMPLES = 150  # of a bootstrap here; 2000 are drawn in use, which moves a coverage by about half a point
BATCH = 20  # samples, of small populations
FEWER = 100  # resamples of a large population
LARGE = 3000  # cases, from which on a batch is smaller, and measures that take long are left out
SHARE = 0.1  # of the list that a quota takes
QUOTAS = ("hit_rate", "qrecall", "enrichment")
SLOW = frozenset({"mcb", "ici", "e50", "e90", "emax", "eci", "smooth_ece"})
EVERY = 2  # ... so that only one sample in so many has them
# These grow with the number of cases, or tell of the sample what no population has.
OF_THE_SAMPLE = ("pearson", "roc_n", "log_likelihood", "hosmer_lemeshow", "spiegelhalter")


@dataclass(frozen=True)
class Cell:
    """A population of the study, and how many samples of it a batch has."""

    population: Population

    @property
    def name(self) -> str:
        p = self.population
        return f"{p.positives} + {p.negatives}, {p.name}"

    @property
    def is_large(self) -> bool:
        return self.population.n >= LARGE

    @property
    def samples(self) -> int:
        return BATCH // 5 if self.is_large else BATCH


def cells(half: str) -> list[Cell]:
    """Return the cells of a half."""
    return [Cell(p) for p in (development() if half == "development" else validation())]


def parameters(measure: Measure, threshold: float) -> dict[str, float]:
    if measure.needs is Needs.COUNTS:
        return {"threshold": threshold}
    return {"share": SHARE} if measure.name in QUOTAS else {}


def truths(population: Population, threshold: float, names: Sequence[str] | None = None) -> dict[str, float]:
    """Return the true value of each measure; NaN where only samples have one."""
    rankings = population.ranking(), population.ranking(whole=True)
    found = {}
    for measure in cl.MEASURES if names is None else [cl.MEASURES[name] for name in names]:
        # What corrects itself for the number of cases is to see very many.
        for ranking in rankings[::-1] if measure.name == "debiased_ece" else rankings:
            try:
                data, given = measure.prepare(ranking, parameters(measure, threshold))
                found[measure.name] = float(measure.compute(data, **given))
            except cl.CutlineError:
                found[measure.name] = math.nan
            if not math.isnan(found[measure.name]):
                break
    if population.weights not in ("none", "counts"):
        found["average_gain"] = math.nan  # which is in cases, and the weights add up to another number of them
    return found | dict.fromkeys(OF_THE_SAMPLE, math.nan)


class LargestError:
    """The largest calibration error of a population between the extreme probabilities of a sample.

    Beyond them the curve is one that no sample of this size shows, and mostly without an end.
    """

    def __init__(self, population: Ranking, smooth: str = "loess", span: float = 0.75, degree: int = 2) -> None:
        self.key = population.key
        self.error = np.abs(fit_calibration_curve(population, smooth, span, degree) - self.key)

    def seen_in(self, sample: Ranking) -> float:
        """Return the largest error that the sample could show."""
        inside = (self.key >= sample.key.min()) & (self.key <= sample.key.max())
        return float(self.error[inside].max()) if inside.any() else math.nan


# ---------------------------------------------------------------------- one batch


def batch(cell: Cell, number: int, measures: Sequence[str]) -> dict[str, Any]:
    """Draw some samples of a cell and count, for each measure and method, the intervals that held."""
    p = cell.population
    seed = [p.positives, p.negatives, sum(cell.name.encode()), 0, number, RULES]
    rng, found = np.random.default_rng(seed), defaultdict(lambda: [0, 0, 0, 0, 0.0, 0])
    threshold = threshold_of(p)
    truth = truths(p, threshold, measures)
    largest = LargestError(p.ranking()) if "emax" in measures and not cell.is_large else None
    warnings: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for i in range(cell.samples):
        some = [name for name in measures if name not in SLOW or ((number + i) % EVERY == 0 and not cell.is_large)]
        ev = cl.evaluate(**p.sample(rng), threshold=threshold)
        own = truth if largest is None else truth | {"emax": largest.seen_in(ev.ranking)}
        _intervals(ev, own, i, found, warnings, some)
    return {
        "rules": RULES,
        "cell": cell.name,
        "samples": dict.fromkeys(measures, cell.samples),
        "found": {"|".join(key): [round(number, 4) for number in row] for key, row in found.items()},
        "warnings": dict(warnings),
    }


def _intervals(
    ev: cl.Evaluation, truth: dict[str, float], seed: int, found: Any, warnings: Any, names: Sequence[str]
) -> None:
    """Count all default intervals of a sample."""
    measures = [cl.MEASURES[name] for name in names if not math.isnan(truth[name])]
    measures = [m for m in measures if m.fits(ev.ranking)]
    total = float(ev.ranking.total)
    quota = max(1, round(SHARE * total)) if ev.ranking.integral else max(1.0, SHARE * total)
    bound = [m.with_(quota=quota) if m.name in QUOTAS else m for m in measures]
    resamples = RESAMPLES if total < LARGE else FEWER
    for m, estimate in zip(measures, ev.estimates(bound, LEVEL, resamples=resamples, seed=seed), strict=True):
        if not estimate.has_interval:
            continue
        row, warning = found[m.name, estimate.method], find_warning(estimate.notes)
        held = estimate.low - 1e-9 <= truth[m.name] <= estimate.high + 1e-9
        _add(row, is_so=held, is_warned=warning is not None, counts=not held)
        row[4] += estimate.high - estimate.low if math.isfinite(estimate.high - estimate.low) else 0.0
        row[5] += truth[m.name] < estimate.low - 1e-9
        if warning is not None:
            warnings[warning.id][0] += 1
            warnings[warning.id][1] += not held


def _add(row: list[Any], *, is_so: bool, is_warned: bool, counts: bool) -> None:
    """Count an interval, whether it held, whether it was warned of, and whether it missed with a warning."""
    row[0] += 1
    row[1] += is_so
    row[2] += is_warned
    row[3] += is_warned and counts


# ---------------------------------------------------------------------- many batches


def read(path: Path) -> list[dict[str, Any]]:
    """Return the results of the present rules, a line for each cell."""
    if not path.exists():
        return []
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [line for line in lines if line["rules"] == RULES]


def added(lines: list[dict[str, Any]], more: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the lines with a batch added to that of its cell."""
    for line in lines:
        if line["cell"] == more["cell"]:
            for name, count in more["samples"].items():
                line["samples"][name] = line["samples"].get(name, 0) + count
            for name, row in more["found"].items():
                old = line["found"].get(name, [0] * len(row))
                line["found"][name] = [round(a + b, 4) for a, b in zip(old, row, strict=True)]
            for name, row in more.get("warnings", {}).items():
                old = line["warnings"].get(name, [0, 0])
                line["warnings"][name] = [a + b for a, b in zip(old, row, strict=True)]
            return lines
    return [*lines, more]


def write(lines: list[dict[str, Any]], path: Path) -> None:
    """Replace a file of results (atomic)."""
    new = path.with_suffix(".new")
    new.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines), encoding="utf-8")
    new.replace(path)


def jobs(
    done: list[dict[str, Any]], whole: Sequence[Cell], only: Sequence[str] = ()
) -> Iterator[tuple[Cell, int, list[str]]]:
    """Yield batches without end, those of the measures and cells that have fewest samples first.

    Args:
        done: The results up to now.
        whole: The cells.
        only: The measures to draw samples for, if not for all.
    """
    count: dict[tuple[str, str], int] = defaultdict(int)
    for line in done:
        for name, samples in line["samples"].items():
            count[line["cell"], name] += samples
    names = list(only) or [m.name for m in cl.MEASURES]

    def fewest(cell: Cell) -> float:
        return min(count[cell.name, name] for name in names) / cell.samples

    def turn(cell: Cell) -> float:  # large populations every fourth time
        return (fewest(cell) + 0.01) * (4 if cell.is_large else 1)

    while True:
        cell = min(whole, key=turn)
        least = fewest(cell) * cell.samples
        some = [name for name in names if count[cell.name, name] <= least]
        yield cell, int(least), some
        for name in some:
            count[cell.name, name] += cell.samples


def run(minutes: float, half: str, whole: Sequence[Cell], only: Sequence[str] = ()) -> None:
    """Add batches of some cells to the results of a half, for some minutes, of some measures or of all."""
    parallel.WORTH_THREADS = sys.maxsize
    path = RESULTS[half]
    end, pending = time.monotonic() + 60 * minutes, jobs(read(path), whole, only)
    while time.monotonic() < end:
        done = batch(*next(pending))
        write(added(read(path), done), path)


def main() -> None:
    what, *rest = sys.argv[1:] or ["run"]
    if what in ("page", "findings"):
        import coverage_page as page

        both = {half: read(path) for half, path in RESULTS.items()}
        if what == "findings":
            print("\n".join(page.findings(both)))
            return
        from audit_designs import table
        from interval_widths import describe

        facts = {"resamples": RESAMPLES, "slow": ", ".join(sorted(SLOW)), "every": EVERY}
        page.write_page(both, facts, table(), describe())
        return
    minutes = float(rest[0]) if rest else 60.0
    halves = [half for half in RESULTS if not rest[1:] or half == rest[1]]
    for half in halves:
        run(minutes / len(halves), half, cells(half), rest[2:])


if __name__ == "__main__":
    main()
