"""How often a calibrated model leaves its consistency band: `python benchmarks/calibration_bands.py [STUDIES [FIRST]]`.

The isotonic curve of a calibrated model should leave a simultaneous 95 % band in about 5 % of the studies. It leaves
limits that hold point by point in most, which is why they are not the default. Studies are numbered, so that a run can
be made in parts.
"""

from __future__ import annotations

import math
import sys

import numpy as np

import cutline as cl

SIZES = (500, 2000)
RESAMPLES = 1000  # the default is 5000; the share does not depend on it


def leaves(band: cl.Band) -> bool:
    """Whether the curve is outside of its band somewhere."""
    return bool(((band.y < band.low - 1e-9) | (band.y > band.high + 1e-9)).any())


def left(n: int, seeds: range, *, simultaneous: bool) -> int:
    """In how many studies of n cases the curve of a calibrated model, with distinct risks, leaves its band."""
    found = 0
    for seed in seeds:
        rng = np.random.default_rng([n, seed])
        risk = rng.beta(1, 2, n)
        ranking = cl.rank(rng.random(n) < risk, risk, positive=True)
        found += leaves(cl.calibration_band(ranking, simultaneous=simultaneous, resamples=RESAMPLES, seed=seed))
    return found


def main() -> None:
    studies = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    for simultaneous, count in ((True, studies), (False, studies // 10)):
        for n in SIZES:
            found = left(n, range(first, first + count), simultaneous=simultaneous)
            error = math.sqrt(found * (count - found) / count**3)
            kind = "simultaneous" if simultaneous else "point by point"
            print(
                f"{n} cases, {kind}: {found} of {count} left, {100 * found / count:.1f} % +- {100 * error:.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
