"""Widths of the default intervals beside those of the former defaults, on the same samples.

    python benchmarks/interval_widths.py run [minutes]   # adds samples to interval_widths.json
    python benchmarks/interval_widths.py                 # prints the table, which docs/coverage.md has too

The former defaults were Wilson's interval for shares, Newcombe's for the AUC with fewer than 30 cases of a class and
DeLong's on the logit scale otherwise, the log scale for ratios and the O:E ratio, the likelihood for the line of
calibration, tests inverted for calibration errors, and BCa for all others. Cases without weights and groups.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
from coverage import EVERY, LARGE, RESAMPLES, SHARE, SLOW, truths
from populations import Population, development, threshold_of

import cutline as cl
from cutline.core import parallel
from cutline.measures import Measure
from cutline.measures.forms import CalibrationError, LinearInAuc, Proportion, Ratio, VarianceFormula

RESULTS = Path(__file__).with_name("interval_widths.json")
COVERS = 0.925, 0.975  # between which an interval held the truth as often as it says
MUCH = 0.1  # wider
_RAISED = "BCa takes no account of the chance that raises it, and covers in few cells"
_CUTS = "every cut that may be meant is allowed for"
_AT_AN_END = "resamples vary too little near an end of the range"
_TAIL = "a few cases make most of the loss: Student's quantile has few degrees of freedom"
_JUMPS = "it jumps from case to case, so that the resamples have few values"
_FIRST = "it rests on few first cases, nearly all of one class"
WHY = {
    **dict.fromkeys(("ks", "max_youden_j", "min_expected_cost", "auch", "h_measure", "dsc"), _RAISED),
    **dict.fromkeys(("precision_at_recall", "recall_at_precision", "specificity_at_recall"), _CUTS),
    **dict.fromkeys(("partial_auc", "partial_auc_above_recall", "mean_average_precision"), _AT_AN_END),
    "break_even": _JUMPS,
    **dict.fromkeys(("balanced_cross_entropy", "focal_loss", "log_loss"), _TAIL),
    **dict.fromkeys(("bedroc", "hit_rate", "average_qrecall", "rie"), _FIRST),
}
BATCH = 10  # samples
FEWEST = 20  # intervals of a cell


def former(measure: Measure, ev: cl.Evaluation) -> str:
    """The method that was the default for a measure."""
    form = measure.form
    if isinstance(form, Proportion):
        return "wilson"
    if isinstance(form, LinearInAuc):
        return "newcombe" if min(ev.ranking.positives, ev.ranking.negatives) < 30 else "delong_logit"
    if isinstance(form, Ratio) or measure.name == "oe_ratio":
        return "log"
    if isinstance(form, VarianceFormula):
        return next(iter(form.methods))
    return "inversion" if isinstance(form, CalibrationError) else "bca"


def sample(p: Population, rng: np.random.Generator, i: int, truth: dict[str, float], found: Any) -> None:
    """One sample: for each measure both intervals, whether they hold, and their widths."""
    ev = cl.evaluate(**p.sample(rng), threshold=threshold_of(p))
    quota = max(1, round(SHARE * float(ev.ranking.total)))
    wanted = [
        m.with_(quota=quota) if m.name in ("hit_rate", "qrecall", "enrichment") else m
        for m in cl.MEASURES
        if not math.isnan(truth[m.name]) and (m.name not in SLOW or i % EVERY == 0) and m.fits(ev.ranking)
    ]
    new = dict(zip(wanted, ev.estimates(wanted, resamples=RESAMPLES, seed=i), strict=True))
    old = {m: one for m, one in new.items() if one.method == former(m, ev)}
    by_method = defaultdict(list)
    for m in wanted:
        if m not in old:
            by_method[former(m, ev)].append(m)
    for method, some in by_method.items():  # measures that are resampled share their resamples
        old |= zip(some, ev.estimates(some, method=method, resamples=RESAMPLES, seed=i), strict=True)
    for m in wanted:
        widths = [one.high - one.low for one in (new[m], old[m])]
        if not all(math.isfinite(width) for width in widths):
            continue
        row = found[m.name]
        row[0] += 1
        for place, one, width in ((1, new[m], widths[0]), (3, old[m], widths[1])):
            row[place] += one.low - 1e-9 <= truth[m.name] <= one.high + 1e-9
            row[place + 1] += width


def run(minutes: float) -> None:
    """Add samples, to the populations that have fewest first."""
    parallel.WORTH_THREADS = sys.maxsize
    end, found = time.monotonic() + 60 * minutes, read()
    whole = {
        f"{p.positives} + {p.negatives}, {p.name}": p
        for p in development()
        if p.n < LARGE and p.weights == "none" and p.groups == 1
    }
    while time.monotonic() < end:
        name = min(whole, key=lambda name: max((row[0] for row in found.get(name, {}).values()), default=0))
        rows = defaultdict(lambda: [0, 0, 0.0, 0, 0.0], found.get(name, {}))
        first = max((row[0] for row in rows.values()), default=0)
        p, rng = whole[name], np.random.default_rng([sum(name.encode()), int(first)])
        truth = truths(p, threshold_of(p))
        for i in range(BATCH):
            sample(p, rng, i, truth, rows)
        found[name] = {key: [round(x, 5) for x in row] for key, row in rows.items()}
        RESULTS.write_text(json.dumps(found, separators=(",", ":")) + "\n", encoding="utf-8")


def read() -> dict[str, dict[str, list[float]]]:
    return json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}


def table() -> list[str]:
    """By measure: how the mean widths compare where the former default covered, and where it did not."""
    found, rows = read(), []
    ratios: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    held: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0])
    for cells in found.values():
        for name, (made, new, new_width, old, old_width) in cells.items():
            held[name] = [a + b for a, b in zip(held[name], (made, new, old), strict=True)]
            if made >= FEWEST and old_width > 0:
                share = old / made
                kind = "fewer" if share < COVERS[0] else "covered" if share <= COVERS[1] else "more"
                ratios[name][kind].append(new_width / old_width)
    for m in cl.MEASURES:
        if m.name not in ratios:
            continue
        made, new, old = held[m.name]
        mine = [ratios[m.name][kind] for kind in ("covered", "fewer", "more")]
        shown = [f"{100 * (_mean(some) - 1):+.0f} % ({len(some)})" if some else "" for some in mine]
        why = WHY.get(m.name, "") if mine[0] and _mean(mine[0]) > 1 + MUCH else ""
        rows.append(f"| {m.name} | {100 * old / made:.1f} | {100 * new / made:.1f} | {' | '.join(shown)} | {why} |")
    head = ("measure", "former default held, %", "default holds, %", "wider where the former covered (cells)")
    head += ("where it held less", "where more", "why, if more than 10 %")
    return [f"| {' | '.join(head)} |", "|---" * len(head) + "|", *rows]


def _mean(ratios: list[float]) -> float:
    """The geometric mean."""
    return math.exp(float(np.mean(np.log(ratios))))


if __name__ == "__main__":
    if sys.argv[1:2] == ["run"]:
        run(float(sys.argv[2]) if len(sys.argv) > 2 else 10)
    print(*table(), sep="\n")
