"""How often the simultaneous bands of ROC and precision-recall curves hold the whole curve of the population.

    python benchmarks/curve_bands.py run [minutes]   # adds samples to curve_bands.json
    python benchmarks/curve_bands.py                 # prints the table, which docs/intervals.md has too

The curve of the population is held if it is inside the band at all 101 false positive rates, or all 100 recalls.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np
from audit_designs import whole_curve
from populations import Population, bells

from cutline.core import parallel

RESULTS = Path(__file__).with_name("curve_bands.json")
ENOUGH = 400  # samples of a setting
SIZES = ((100, 100), (300, 300), (50, 450))


def settings() -> list[Population]:
    """All populations, each in all sizes."""
    return [
        population
        for p, n in SIZES
        for population in (
            Population("normal 0.8", p, n, bells(0.8)),
            Population("normal 0.8, spread 2", p, n, bells(0.8, 2.0)),
            Population("normal 0.95", p, n, bells(0.95)),
            Population("5 distinct scores", p, n, bells(0.85), grid=1.5),
        )
    ]


def name_of(p: Population) -> str:
    return f"{p.positives} + {p.negatives}, {p.name}"


def read() -> dict[str, list[float]]:
    return json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}


def run(minutes: float) -> None:
    """Add samples to the settings that have fewest, for some minutes or until each has enough."""
    parallel.WORTH_THREADS = sys.maxsize
    end, found = time.monotonic() + 60 * minutes, read()
    whole, ask = settings(), [whole_curve(kind) for kind in ("roc", "pr")]
    while time.monotonic() < end:
        p = min(whole, key=lambda one: found.get(name_of(one), [0])[0])
        row = found.setdefault(name_of(p), [0, 0, 0.0, 0, 0.0])  # samples; held and summed widths, ROC and PR
        if row[0] >= ENOUGH:
            break
        for i in range(int(row[0]), int(row[0]) + 20):
            for place, one in ((1, ask[0]), (3, ask[1])):
                rng = np.random.default_rng([sum(name_of(p).encode()), i])
                held, _, width = one(p, rng, i)
                row[place], row[place + 1] = row[place] + held, round(row[place + 1] + width, 4)
        row[0] += 20
        RESULTS.write_text(json.dumps(found, indent=0) + "\n", encoding="utf-8")


def table() -> list[str]:
    """The lines of a table in Markdown."""
    rows = []
    for name, (made, roc, roc_width, pr, pr_width) in read().items():
        rows.append(
            f"| {name} | {100 * roc / made:.1f} | {roc_width / made:.3f} | {100 * pr / made:.1f} "
            f"| {pr_width / made:.3f} | {made:.0f} |"
        )
    heading = "| cases | ROC held, % | its mean width | PR held, % | its mean width | samples |"
    return [heading, "|---|---|---|---|---|---|", *rows]


if __name__ == "__main__":
    if sys.argv[1:2] == ["run"]:
        run(float(sys.argv[2]) if len(sys.argv) > 2 else 10)
    print(*table(), sep="\n")
