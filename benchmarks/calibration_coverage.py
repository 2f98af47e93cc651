"""How often the intervals of calibration measures hold the truth.

    python benchmarks/calibration_coverage.py run [--minutes 10] [--processes 1]   # adds batches of simulated studies
    python benchmarks/calibration_coverage.py page                                # writes them into docs/calibration.md

The log odds of the risks are normal (AUC 0.8), and the model gets them right, makes them too extreme and shifts them,
moves them, or bends them. Batches have seeds of their own and add up: a run that was interrupted goes on where it
stopped. A line of the results says, for each interval of one batch, how many were made, how many lay above and below
the truth, and how many carried a note on their coverage. Results of other rules (`RULES`) are not counted.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import cutline as cl
from cutline.calibration.sample_size import Risks
from cutline.core import parallel

RESULTS = Path(__file__).with_name("calibration_coverage.jsonl")
PAGE = Path(__file__).parents[1] / "docs" / "calibration.md"
RULES = {"formula": 2, "simulation": 4}  # of the intervals and their notes; raise it when they change
FORMULAS = (
    *(("oe_ratio", "log"), ("oe_ratio", "delta"), ("calibration_intercept", "likelihood")),
    *(("calibration_intercept", "sandwich"), ("calibration_slope", "likelihood"), ("calibration_slope", "sandwich")),
)
SIMULATED = (("mcb", "inversion"), ("ici", "inversion"))
KINDS = {"formula": FORMULAS, "simulation": SIMULATED}
BATCH = {"formula": dict.fromkeys((200, 1000, 5000), 200), "simulation": {200: 50, 1000: 50, 5000: 15}}  # studies
BATCHES = {"formula": 5, "simulation": 4}  # of each cell
RESAMPLES = 320  # 40 of them simulated in each population; 2000, the default, gave the same coverage of 111 studies
ABOUT_COVERAGE = ("coverage", "too wide", "wider")  # words of notes that speak of it
POPULATION = 50_000  # risks, each with its expected positives
SIZES, PREVALENCES = (200, 1000, 5000), (0.5, 0.1, 0.02)
LOW, HIGH = 93.0, 97.0
POPULATIONS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "calibrated": lambda odds: odds,
    "too extreme": lambda odds: (odds - 0.3) / 0.75,
    "too low": lambda odds: odds - 0.5,
    "bent": lambda odds: odds + 0.6 * np.sin(1.5 * odds),
}


class Cell(NamedTuple):
    """A population, and the size of the studies that are drawn from it."""

    population: str
    n: int
    prevalence: float


class Job(NamedTuple):
    """One batch of studies of a cell, with intervals by formula or by simulation."""

    cell: Cell
    kind: str
    batch: int


class Tally(NamedTuple):
    """Intervals that were made, those all above the truth and all below it, and those with a note on coverage."""

    made: int = 0
    above: int = 0
    below: int = 0
    noted: int = 0

    def plus(self, other: Sequence[int]) -> Tally:
        return Tally(*(a + b for a, b in zip(self, other, strict=True)))

    @property
    def held(self) -> float:
        """In %."""
        return 100 * (1 - (self.above + self.below) / self.made) if self.made else math.nan

    @property
    def error(self) -> float:
        """The standard error of the share, in %."""
        return 100 * math.sqrt(0.05 * 0.95 / self.made) if self.made else math.nan

    @property
    def is_outside(self) -> bool:
        return self.held < LOW - 2 * self.error or self.held > HIGH + 2 * self.error

    def __str__(self) -> str:
        has_note = self.noted > self.made / 2
        mark = "*" if has_note and not LOW <= self.held <= HIGH else "!" if self.is_outside else ""
        return f"{self.held:.1f}{mark}"


# ---------------------------------------------------------------------- simulation


def predicted(risk: np.ndarray, population: str) -> np.ndarray:
    return 1 / (1 + np.exp(-POPULATIONS[population](np.log(risk / (1 - risk)))))


def truths(cell: Cell) -> dict[str, float]:
    """The values in a population so large that nothing is left to chance: each risk with its expected positives."""
    _, risk = Risks.of(cell.prevalence, 0.8).draw(POPULATION, np.random.default_rng(0))
    p = predicted(risk, cell.population)
    both = cl.rank(np.repeat([1, 0], len(p)), np.tile(p, 2), np.concatenate((risk, 1 - risk)))
    found = {name: float(cl.MEASURES[name](both)) for name, _ in FORMULAS + SIMULATED}
    if cell.population == "calibrated":
        found |= {"mcb": 0.0, "ici": 0.0, "oe_ratio": 1.0, "calibration_intercept": 0.0, "calibration_slope": 1.0}
    return found


def studied(job: Job, truth: dict[str, float], studies: int) -> dict[str, Tally]:
    """The intervals of some studies, of those with two positives or more."""
    cell, chosen = job.cell, KINDS[job.kind]
    seed = [
        list(KINDS).index(job.kind),
        list(POPULATIONS).index(cell.population),
        cell.n,
        round(1000 * cell.prevalence),
    ]
    rng = np.random.default_rng([*seed, job.batch])
    risks, found = Risks.of(cell.prevalence, 0.8), dict.fromkeys(chosen, Tally())
    for study in range(studies):
        labels, risk = risks.draw(cell.n, rng)
        if labels.sum() < 2:
            continue
        ev = cl.evaluate(labels, predicted(risk, cell.population), positive=True)
        for name, method in chosen:
            # Each study has a seed of its own: with one for all, the noise of one simulation would be in all of them.
            own = {"resamples": RESAMPLES, "seed": 1000 * job.batch + study}
            options = own if method == "inversion" else {}
            one = ev.estimate(name, method=method, **options)
            if one.has_interval:
                noted = any(words in note for note in one.notes for words in ABOUT_COVERAGE)
                row = (1, truth[name] < one.low, one.high < truth[name], noted)
                found[name, method] = found[name, method].plus([int(x) for x in row])
    return {f"{name} {method}": tally for (name, method), tally in found.items()}


def _alone() -> None:
    parallel.WORTH_THREADS = sys.maxsize  # the processes are enough


_KNOWN: dict[Cell, dict[str, float]] = {}


def line_of(job: Job) -> str:
    """The result of a batch, as a line of the file."""
    if job.cell not in _KNOWN:
        _KNOWN[job.cell] = truths(job.cell)
    found = studied(job, _KNOWN[job.cell], BATCH[job.kind][job.cell.n])
    line = {"rules": RULES[job.kind], "cell": job.cell, "kind": job.kind, "batch": job.batch, "found": found}
    return json.dumps(line)


def results() -> list[dict[str, Any]]:
    """The lines of today's rules; a batch that two runs have made, which is the same in both, counts once."""
    text = RESULTS.read_text(encoding="utf-8") if RESULTS.exists() else ""
    lines = [line for line in map(json.loads, text.splitlines()) if line["rules"] == RULES[line["kind"]]]
    return list({(*line["cell"], line["kind"], line["batch"]): line for line in lines}.values())


def jobs(options: argparse.Namespace) -> Iterator[Job]:
    """The batches that are not done, all cells growing alike."""
    done = {(*line["cell"], line["kind"], line["batch"]) for line in results()}
    for batch in range(options.first, max(BATCHES.values())):
        for n in options.sizes:
            for kind in reversed(KINDS):
                for population in POPULATIONS:
                    for prevalence in PREVALENCES:
                        if batch < BATCHES[kind] and (population, n, prevalence, kind, batch) not in done:
                            yield Job(Cell(population, n, prevalence), kind, batch)


def run(options: argparse.Namespace) -> None:
    """Add batches to the results until the time is over."""
    end, waiting = time.monotonic() + 60 * options.minutes, jobs(options)
    with (
        ProcessPoolExecutor(options.processes, initializer=_alone) as pool,
        RESULTS.open("a", encoding="utf-8") as file,
    ):
        while time.monotonic() < end:
            few = list(itertools.islice(waiting, options.processes))
            if not few:
                return
            for line in pool.map(line_of, few):
                file.write(line + "\n")
            file.flush()


# ---------------------------------------------------------------------- the tables


def tallies() -> dict[tuple[Cell, str], Tally]:
    found: dict[tuple[Cell, str], Tally] = defaultdict(Tally)
    for line in results():
        for interval, row in line["found"].items():
            key = Cell(*line["cell"]), interval
            found[key] = found[key].plus(row)
    return found


def table(kind: str) -> list[str]:
    """One row for each cell, one column for each interval, in % of so many studies."""
    found, columns = tallies(), [f"{name} {method}" for name, method in KINDS[kind]]
    heads = [f"`{name}`, {method}" for name, method in KINDS[kind]]
    lines = ["| model | n | prevalence | " + " | ".join(heads) + " |", "|---" * (3 + len(heads)) + "|"]
    for population in POPULATIONS:
        for n in SIZES:
            for prevalence in PREVALENCES:
                row = [found[Cell(population, n, prevalence), column] for column in columns]
                cells = [f"{tally} ({tally.made})" if tally.made else "" for tally in row]
                lines.append(f"| {population} | {n} | {prevalence} | " + " | ".join(cells) + " |")
    return lines


def page() -> None:
    """Write the tables between their marks."""
    text = PAGE.read_text(encoding="utf-8")
    for kind in KINDS:
        start, end = f"<!-- coverage by {kind} -->\n", f"<!-- end of coverage by {kind} -->"
        before, _, rest = text.partition(start)
        text = before + start + "\n" + "\n".join(table(kind)) + "\n\n" + end + rest.partition(end)[2]
    PAGE.write_text(text, encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Coverage of the intervals of calibration measures.")
    parser.add_argument("task", choices=("run", "page"))
    parser.add_argument("--minutes", type=float, default=10, help="after which no batch is begun")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the batch to begin with")
    parser.add_argument("--sizes", nargs="+", type=int, default=list(SIZES), choices=SIZES)
    options = parser.parse_args(arguments)
    if options.task == "run":
        run(options)
    else:
        page()


if __name__ == "__main__":
    main()
