"""How often intervals and tests that carry a note on their coverage held, by method, from the laboratory's results.

python benchmarks/noted_coverage.py    # prints the figures of src/cutline/inference/single/measured_coverage.py
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from coverage import read

from cutline.inference.single.measured_coverage import FEW

ENOUGH = 100  # samples of a cell
CELLS = 10  # of a method: with fewer, no figure is given


def figures(kind: str = "intervals") -> dict[tuple[str, bool], tuple[int, int]]:
    """The tenth and the ninetieth percentile of the coverage of noted cells, by method and whether cases are few.

    Of `tests` it is the share of equal models that are said to differ at 5 %.
    """
    rows: dict[tuple[str, str], list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0])
    for line in read():
        if line["kind"] == kind:
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
    for kind in ("intervals", "tests"):
        print(f"# {kind}")
        for (method, is_few), (low, high) in figures(kind).items():
            print(f'    ("{method}", {is_few}): Measured({low}, {high}),')
