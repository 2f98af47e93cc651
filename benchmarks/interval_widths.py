"""Widths of the default intervals beside those of the code of another commit, on the same samples.

    python benchmarks/interval_widths.py run COMMIT [samples]   # writes interval_widths.json
    python benchmarks/interval_widths.py                        # prints what docs/coverage.md says of them

The samples are of every third population of either half, without weights and groups. Both versions of the code read
them from a file, the other one in a checkout of its commit. A cell is a measure in a population.
"""

from __future__ import annotations

import json
import math
import os
import pickle
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

RESULTS = Path(__file__).with_name("interval_widths.json")
ROOT = Path(__file__).parents[1]
RESAMPLES = 150  # of a bootstrap here; 2000 are drawn in use
SHARE = 0.1  # of the list that a quota takes
QUOTAS = ("hit_rate", "qrecall", "enrichment")
LARGE = 3000  # cases, from which on a population is left out
NARROWER, WIDER = 0.95, 1.05  # between which the median ratio of a measure is not named


def draw(samples: int) -> dict[str, list[dict[str, Any]]]:
    """Return samples of the populations, as the arguments of `evaluate`."""
    from populations import development, threshold_of, validation

    chosen = [
        p
        for half in (development(), validation())
        for p in [p for p in half if p.n < LARGE and p.weights == "none" and p.groups == 1][::3]
    ]
    made = {}
    for p in chosen:
        rng = np.random.default_rng([p.positives, p.negatives, sum(p.name.encode())])
        name = f"{p.positives} + {p.negatives}, {p.name}"
        made[name] = [p.sample(rng) | {"threshold": threshold_of(p)} for _ in range(samples)]
    return made


def measure_widths(path: Path) -> dict[str, dict[str, float]]:
    """Return the mean width of the default intervals by population and measure.

    Args:
        path: The file of the samples.
    """
    import cutline as cl

    widths: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for name, samples in pickle.loads(path.read_bytes()).items():  # noqa: S301
        for seed, cases in enumerate(samples):
            ev = cl.evaluate(**cases)
            quota = max(1, round(SHARE * float(ev.ranking.total)))
            fitting = [m for m in cl.MEASURES if m.fits(ev.ranking)]
            bound = [m.with_(quota=quota) if m.name in QUOTAS else m for m in fitting]
            for m, estimate in zip(fitting, ev.estimates(bound, resamples=RESAMPLES, seed=seed), strict=True):
                widths[name][m.name].append(estimate.high - estimate.low)
    return {
        name: {measure: float(np.mean(some)) for measure, some in by_measure.items()}
        for name, by_measure in widths.items()
    }


def run(commit: str, samples: int) -> None:
    """Compare the widths of this code with those of a commit.

    Args:
        commit: The other version of the code.
        samples: Samples of each population.
    """
    with tempfile.TemporaryDirectory() as folder:
        path, other = Path(folder) / "samples.pickle", Path(folder) / "other"
        path.write_bytes(pickle.dumps(draw(samples)))
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--detach", str(other), commit], check=True, capture_output=True)
        try:
            now, then = (_measure_in(source, path) for source in (ROOT / "src", other / "src"))
        finally:
            subprocess.run([*git, "remove", "--force", str(other)], check=True)
    ratios: dict[str, list[float]] = defaultdict(list)
    for name, cells in now.items():
        for measure, width in cells.items():
            before = then.get(name, {}).get(measure, math.nan)
            if math.isfinite(width) and math.isfinite(before) and before > 0:
                ratios[measure].append(round(width / before, 4))
    found = {"commit": commit, "samples": samples, "populations": len(now), "ratios": ratios}
    RESULTS.write_text(json.dumps(found, separators=(",", ":")) + "\n", encoding="utf-8")


def _measure_in(source: Path, path: Path) -> Any:
    """Return the widths by the code of a folder, in a process of its own."""
    command = [sys.executable, __file__, "widths", str(path)]
    environment = os.environ | {"PYTHONPATH": str(source)}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return json.loads(done.stdout)


def describe() -> str:
    """Return how the widths compare, and for which measures they changed."""
    found = json.loads(RESULTS.read_text(encoding="utf-8"))
    ratios = found["ratios"]
    low, middle, high = np.percentile(np.concatenate(list(ratios.values())), [25, 50, 75])
    medians = {name: float(np.median(some)) for name, some in ratios.items()}
    changed = sorted((ratio, name) for name, ratio in medians.items() if not NARROWER <= ratio <= WIDER)
    return (
        f"`python benchmarks/interval_widths.py run {found['commit']}` compares the defaults with those of that commit "
        f"on {found['samples']} equal samples of each of {found['populations']} populations of both halves. The median "
        f"ratio of the mean widths is {middle:.3f} over {sum(map(len, ratios.values())):,} cells of {len(ratios)} "
        f"measures (quartiles {low:.3f} and {high:.3f}). The median of a measure is outside {NARROWER:g} to {WIDER:g} "
        f"for {', '.join(f'{name} ({ratio:.2f})' for ratio, name in changed)}."
    )


if __name__ == "__main__":
    if sys.argv[1:2] == ["widths"]:
        print(json.dumps(measure_widths(Path(sys.argv[2]))))
    else:
        if sys.argv[1:2] == ["run"]:
            run(sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 12)
        print(describe())
