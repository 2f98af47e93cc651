"""How often intervals that carry a note on their coverage held the truth, by method, from the laboratory's results.

python benchmarks/noted_coverage.py    # prints the figures of src/cutline/inference/one/measured_coverage.py
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from coverage import read

from cutline.inference.one.measured_coverage import FEW

ENOUGH = 100  # samples of a cell
CELLS = 10  # of a method: with fewer, no figure is given


def figures() -> dict[tuple[str, bool], tuple[int, int]]:
    """The tenth and the ninetieth percentile of the coverage of noted cells, by method and whether cases are few."""
    rows: dict[tuple[str, str], list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0])
    for line in read():
        if line["kind"] == "intervals":
            for name, row in line["found"].items():
                old = rows[line["cell"], name]
                rows[line["cell"], name] = [a + b for a, b in zip(old, row[:3], strict=True)]
    found = defaultdict(list)
    for (cell, name), (samples, held, noted) in rows.items():
        if samples >= ENOUGH and noted > samples / 2:
            smaller = min(int(size) for size in cell.partition(",")[0].split(" + "))
            found[name.partition("|")[2], smaller < FEW].append(100 * held / samples)
    return {
        key: (round(float(np.quantile(held, 0.1))), round(float(np.quantile(held, 0.9))))
        for key, held in sorted(found.items())
        if len(held) >= CELLS
    }


if __name__ == "__main__":
    for (method, is_few), (low, high) in figures().items():
        print(f'    ("{method}", {is_few}): Measured({low}, {high}),')
