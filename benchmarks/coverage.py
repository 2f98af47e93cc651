"""The coverage laboratory: how often the default intervals hold the truth, and how often the default tests err.

    python benchmarks/coverage.py run [minutes] [processes]   # adds samples to coverage_results.jsonl
    python benchmarks/coverage.py held-out [minutes] [processes]  # populations that no default was chosen on
    python benchmarks/coverage.py page                        # writes docs/coverage.md and its heat maps

Every population of `populations.py` is crossed with every measure of the registry. A batch is some samples of one
population; it says, for each measure and method, how many intervals were made, how many held the truth, how many
carried a warning, their width, and how many lay above the truth. The file has one line for each cell and version of
the rules, to which batches add: a run that was interrupted goes on where it stopped, and more runs make the figures
sharper. When a default or its notes change, raise `RULES` and name the measures in `CHANGED`: their older figures
are no longer counted, and only they are run anew.

For the tests, two models score the same cases with the same distribution, so that they are equal in every measure;
`rejected` is how often the default test says that they differ, at a level of 5 %.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from populations import Population, held_out, is_warned, registry, threshold_of

import cutline as cl
from cutline.core import parallel
from cutline.measures import Measure, Needs

RESULTS = Path(__file__).with_name("coverage_results.jsonl")
HELD_OUT = Path(__file__).with_name("coverage_held_out.jsonl")
RULES = 10  # the version of the defaults and their notes
FIRST = 8  # the oldest version whose figures count ...
_SINCE_10 = (
    *("aucpr_davis_goadrich", "aucpr_max", "aucpr_min", "aucpr_minmax", "average_hit_rate", "average_lift"),
    *("average_precision", "average_qrecall", "balanced_cross_entropy", "bedroc", "break_even", "brier"),
    *("brier_skill", "concordant_pairs", "cox_snell_r2", "discrimination_slope", "eer", "enrichment"),
    *("expected_average_precision", "focal_loss", "hinge_loss", "hit_rate", "information_score"),
    *("log_loss", "mae", "markedness", "mcfadden_r2", "mean_average_precision", "mean_precision"),
    *("nagelkerke_r2", "partial_auc", "partial_auc_above_recall", "portion_lift", "precision_at_recall"),
    *("qrecall", "quadratic_score", "recall_at_specificity", "relative_information_score", "rie", "rmse"),
    *("specificity_at_recall",),
)
CHANGED: dict[str, dict[str, int]] = {  # ... but for the measures whose defaults or notes are newer
    "intervals": {"recall_at_precision": 9, "average_gain": 9} | dict.fromkeys(_SINCE_10, 10),
    "tests": {"ks": 10, "qrecall": 10},
}
LEVEL = 0.95
RESAMPLES = 150  # of a bootstrap here; 2000 are drawn in use, which moves a coverage by about half a point
BATCH = 25  # samples, of small populations
FEWER = 100  # ... of a large population
LARGE = 3000  # cases, from which on a batch is smaller, and measures that take long are left out
SHARE = 0.1  # of the list that a quota takes
SLOW = frozenset({"auch", "h_measure", "mcb", "dsc", "ici", "e50", "e90", "emax", "eci", "smooth_ece"})
EVERY = 4  # ... so that only one sample in so many has them
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
    """All populations for the intervals; for the tests every third, and all with weights or groups."""
    whole = registry()
    alike = [p for p in whole if p.n < LARGE and not math.isinf(p.grid)]
    some = [p for i, p in enumerate(alike) if i % 3 == 0 or p.weights != "none" or p.groups > 1]
    return [*(Cell(p, "intervals") for p in whole), *(Cell(p, "tests") for p in some)]


def parameters(measure: Measure, threshold: float) -> dict[str, float]:
    if measure.needs is Needs.COUNTS:
        return {"threshold": threshold}
    return {"share": SHARE} if measure.name in ("hit_rate", "qrecall", "enrichment") else {}


def truths(population: Population, threshold: float) -> dict[str, float]:
    """The value of each measure in the population; NaN where only finite samples have one."""
    rankings = population.ranking(), population.ranking(whole=True)
    found = {}
    for measure in cl.MEASURES:
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
    # These grow with the number of cases, or tell of the sample what no population has.
    return found | dict.fromkeys(("pearson", "roc_n", "log_likelihood", "hosmer_lemeshow", "spiegelhalter"), math.nan)


# ---------------------------------------------------------------------- one batch


def batch(cell: Cell, number: int, measures: Sequence[str]) -> dict[str, Any]:
    """Some samples of a cell: for each measure and method what happened."""
    p = cell.population
    seed = [p.positives, p.negatives, sum(cell.name.encode()), cell.kind == "tests", number]
    rng, found = np.random.default_rng(seed), defaultdict(lambda: [0, 0, 0, 0.0, 0])
    threshold = threshold_of(p)
    truth = truths(p, threshold) if cell.kind == "intervals" else {}
    for i in range(cell.samples):
        if cell.kind == "tests":
            _tests(p, threshold, rng, i, found, measures)
        else:
            _intervals(p, threshold, truth, rng, i, found, measures)
    return {
        "rules": RULES,
        "cell": cell.name,
        "kind": cell.kind,
        "samples": dict.fromkeys(measures, cell.samples),
        "found": {"|".join(key): row for key, row in found.items()},
    }


def _intervals(
    p: Population, threshold: float, truth: dict[str, float], rng: Any, i: int, found: Any, measures: Sequence[str]
) -> None:
    ev = cl.evaluate(**p.sample(rng), threshold=threshold)
    slow = i % EVERY == 0 and p.n < LARGE
    wanted = [cl.MEASURES[name] for name in measures if not math.isnan(truth[name]) and (slow or name not in SLOW)]
    wanted = [m for m in wanted if m.fits(ev.ranking)]
    total = float(ev.ranking.total)
    quota = max(1, round(SHARE * total)) if ev.ranking.integral else max(1.0, SHARE * total)
    asked = [m.with_(quota=quota) if m.name in ("hit_rate", "qrecall", "enrichment") else m for m in wanted]
    resamples = RESAMPLES if p.n < LARGE else FEWER
    for m, one in zip(wanted, ev.estimates(asked, LEVEL, resamples=resamples, seed=i), strict=True):
        if not one.has_interval:
            continue
        row = found[m.name, one.method]
        row[0] += 1
        row[1] += one.low - 1e-9 <= truth[m.name] <= one.high + 1e-9
        row[2] += is_warned(one.notes)
        row[3] += one.high - one.low if math.isfinite(one.high - one.low) else 0.0
        row[4] += truth[m.name] < one.low - 1e-9


def _tests(p: Population, threshold: float, rng: Any, i: int, found: Any, measures: Sequence[str]) -> None:
    cases = p.sample_pair(rng)
    cmp = cl.compare(cases.pop("labels"), {"a": cases.pop("a"), "b": cases.pop("b")}, threshold=threshold, **cases)
    for name in measures:
        given = {"share": SHARE} if name == "qrecall" else {}
        test = cmp.test(name, resamples=RESAMPLES, seed=i, **given).pairs[0]
        if math.isnan(test.p_value):
            continue
        row = found[name, test.method]
        row[0] += 1
        row[1] += test.p_value <= 1 - LEVEL
        row[2] += is_warned(test.notes)


# ---------------------------------------------------------------------- many batches


def since(name: str, kind: str = "intervals") -> int:
    """The version of the rules from which on the figures of a measure count."""
    return CHANGED[kind].get(name, FIRST)


def read(path: Path = RESULTS) -> list[dict[str, Any]]:
    """What has been found so far, a line for each cell and version of the rules, without what no longer counts."""
    if not path.exists():
        return []
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        for what in ("found", "samples"):
            kept = {k: v for k, v in line[what].items() if line["rules"] >= since(k.partition("|")[0], line["kind"])}
            line[what] = kept
    return [line for line in lines if line["found"]]


def added(lines: list[dict[str, Any]], more: dict[str, Any]) -> list[dict[str, Any]]:
    """The lines with those of a batch added to that of its cell and rules."""
    for line in lines:
        if all(line[key] == more[key] for key in ("rules", "cell", "kind")):
            for name, count in more["samples"].items():
                line["samples"][name] = line["samples"].get(name, 0) + count
            for name, row in more["found"].items():
                old = line["found"].get(name, [0] * len(row))
                line["found"][name] = [round(a + b, 4) for a, b in zip(old, row, strict=True)]
            return lines
    return [*lines, more]


def write(lines: list[dict[str, Any]], path: Path = RESULTS) -> None:
    """All lines, in the place of the file at once."""
    new = path.with_suffix(".new")
    new.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines), encoding="utf-8")
    new.replace(path)


def measures_of(kind: str) -> list[str]:
    return list(TESTED) if kind == "tests" else [m.name for m in cl.MEASURES]


def jobs(done: list[dict[str, Any]], whole: Sequence[Cell] = ()) -> Iterator[tuple[Cell, int, list[str]]]:
    """Batches without end, those of the measures and cells that have fewest samples first; of all cells by default."""
    count: dict[tuple[str, str, str], int] = defaultdict(int)
    for line in done:
        for name, samples in line["samples"].items():
            count[line["cell"], line["kind"], name] += samples
    whole = whole or cells()

    def fewest(cell: Cell) -> float:
        return min(count[cell.name, cell.kind, name] for name in measures_of(cell.kind)) / cell.samples

    def turn(cell: Cell) -> float:  # tests every other time, and large populations every fourth
        return (fewest(cell) + 0.01) * (4 if cell.population.n >= LARGE else 2 if cell.kind == "tests" else 1)

    while True:
        cell = min(whole, key=turn)
        least = fewest(cell) * cell.samples
        some = [name for name in measures_of(cell.kind) if count[cell.name, cell.kind, name] <= least]
        yield cell, int(least), some
        for name in some:
            count[cell.name, cell.kind, name] += cell.samples


def run(minutes: float, processes: int, whole: Sequence[Cell] = (), path: Path = RESULTS) -> None:
    """Add batches for some minutes: of all cells, or of some to a file of their own."""
    parallel.WORTH_THREADS = sys.maxsize  # the processes are enough
    lines = read(path)
    end, pending = time.monotonic() + 60 * minutes, jobs(lines, whole)
    with ProcessPoolExecutor(processes) as pool:
        running = {pool.submit(batch, *next(pending)) for _ in range(processes)}
        while running:
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for one in done:
                lines = added(lines, one.result())
            if time.monotonic() < end:
                running |= {pool.submit(batch, *next(pending)) for _ in done}
            write(lines, path)


def main() -> None:
    what, *rest = sys.argv[1:] or ["run"]
    minutes, processes = float(rest[0]) if rest else 60.0, int(rest[1]) if len(rest) > 1 else 1
    if what == "page":
        from audit_designs import table
        from coverage_page import write_page
        from interval_widths import table as widths

        facts = {"resamples": RESAMPLES, "slow": ", ".join(sorted(SLOW)), "every": EVERY}
        write_page(read(), read(HELD_OUT), facts, table(), widths())
    elif what == "held-out":
        whole = [Cell(p, kind) for p in held_out() for kind in ("intervals", "tests")]
        run(minutes, processes, whole, HELD_OUT)
    else:
        run(minutes, processes)


if __name__ == "__main__":
    main()
