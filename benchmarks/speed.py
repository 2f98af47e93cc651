"""How fast cutline is, as ratios to peers in the same run: `make bench`.

Absolute times depend on the machine and on the hour; ratios of things timed in turn do not, much. Each figure is the
median of several runs, and where these lie far apart the figure says so: then the machine was busy. Peak memory is that
of a process of its own (its resident set).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable

import command_line
import first_answer
import numpy as np
import profiles
import scaling
from measuring import in_turn, once, predictions, ratio, ratio_of_work, seconds, several_models, target, verdict
from peers import auc_by_others, interval_by_others, missing
from sklearn.metrics import roc_auc_score

import cutline as cl
from cutline.inputs import in_memory

SIZES = {100: (41, 50), 1000: (41, 20), 10_000: (31, 5), 100_000: (21, 2), 1_000_000: (9, 1), 10_000_000: (3, 1)}
HEADLINES = [m.name for m in cl.MEASURES if m.headline]
COMPILED = in_memory.compiled

# What the AUC must reach: times faster than scikit-learn, and times the sort of the scores.
FASTER = {(100, None): 35, (1000, None): 25, (10_000, None): 25, (100_000, None): 16, (1_000_000, None): 16}
FASTER |= {(10_000_000, None): 18, (10_000_000, 1000): 60}
OF_SORT = {100_000: 4, 1_000_000: 4, 10_000_000: 2.2}


def auc_against_peers(most: int) -> None:
    """The AUC at all sizes."""
    print(f"The compiled part is {'not here: numpy sorts' if COMPILED is None else 'here'}.")
    print(f"Not installed, and left out: {', '.join(missing()) or 'none'}")
    print(
        f"{'AUC, median of runs':26}{'cutline':>12}{'np.sort':>12}{'scikit-learn':>14}{'x sklearn':>11}{'of sort':>9}"
    )
    for n, (repeats, calls) in SIZES.items():
        for distinct in (None, 1000):
            if n <= most:
                _auc_at(n, distinct, repeats, calls)


def _auc_at(n: int, distinct: int | None, repeats: int, calls: int) -> None:
    labels, scores = predictions(n, distinct)
    works: dict[str, Callable[[], object]] = {
        "cutline": lambda: cl.auc(labels, scores),
        "np.sort": lambda: np.sort(scores),
        "scikit-learn": lambda: roc_auc_score(labels, scores),
    }
    others = auc_by_others(labels, scores)
    if COMPILED is not None:
        others["cutline without the compiled part"] = lambda: _by_numpy_alone(labels, scores)
    found = in_turn(works | others, repeats, calls)
    ours, sort, peer = (found.pop(name) for name in works)
    faster, of_sort = ratio(peer, ours), ratio(ours, sort)
    name = f"n = {n:.0e}, {'no ties' if distinct is None else f'{distinct} scores'}"
    print(
        f"{name:26}{ours.median:11.2e}s{sort.median:11.2e}s{peer.median:13.2e}s{faster.value:11.1f}{of_sort.value:9.2f}"
    )
    for other, timing in found.items():
        print(f"       {timing.median / ours.median:.3g} x faster than {other}")
    if (n, distinct) in FASTER:
        target(f"AUC, {name}, times faster than scikit-learn", faster, low=FASTER[n, distinct])
    if distinct is None and n in OF_SORT:
        target(f"AUC, {name}, times the sort of the scores", of_sort, high=OF_SORT[n])


def _by_numpy_alone(labels: np.ndarray, scores: np.ndarray) -> float:
    in_memory.compiled = None
    try:
        return float(cl.auc(labels, scores))
    finally:
        in_memory.compiled = COMPILED


def other_columns() -> None:
    """Lists and pandas columns of a hundred cases, and scores in single precision."""
    import pandas as pd

    labels, scores = predictions(100)
    for name, kind in (("lists", list), ("pandas columns", pd.Series)):
        y, s = kind(labels.astype(int).tolist()), kind(scores.tolist())
        found = in_turn({"ours": lambda: cl.auc(y, s), "peer": lambda: roc_auc_score(y, s)}, 31, 20)  # noqa: B023
        faster = ratio(found["peer"], found["ours"])
        target(f"AUC of {name}, n = 100, times faster than scikit-learn", faster, low=15)
    labels, scores = predictions(1_000_000)
    single = scores.astype(np.float32)
    found = in_turn({"32": lambda: cl.auc(labels, single), "64": lambda: cl.auc(labels, scores)}, 9)
    target("AUC of float32, n = 1e6, share of the time of float64", ratio(found["32"], found["64"]), high=1.05)


def every_measure(n: int) -> None:
    """All measures, and the summary with all intervals by formula, as shares of scikit-learn's AUC alone."""
    labels, scores = predictions(n)
    quota = n // 10
    found = in_turn(
        {
            "peer": lambda: roc_auc_score(labels, scores),
            "values": lambda: cl.evaluate(labels, scores).summary(quota=quota, intervals=False),
            "formula": lambda: cl.evaluate(labels, scores).summary(quota=quota, intervals="formula"),
        },
        2,
    )
    what = f"all {len(cl.MEASURES)} measures at n = {n:.0e}, share of scikit-learn's AUC by the time of processors"
    target(what, ratio_of_work(found["values"], found["peer"]), high=0.5)
    target("... with all intervals by formula", ratio_of_work(found["formula"], found["peer"]), high=1)


def comparisons() -> None:
    """Two models at 1e6 rows, twelve at 1e5: all headline measures with intervals and tests."""
    for models, n, most in ((2, 1_000_000, 6), (12, 100_000, 10)):
        labels, columns = several_models(n, models)
        found = in_turn({"ours": lambda: cl.compare(labels, columns).summary(HEADLINES)}, 2)  # noqa: B023
        target(f"comparison of {models} models at n = {n:.0e}, seconds", seconds(found["ours"]), high=most)


def intervals() -> None:
    """The AUC with its interval, beside others' intervals."""
    labels, scores = predictions(10_000)
    works = {"cutline": lambda: cl.evaluate(labels, scores).estimate("auc")}
    found = in_turn(works | interval_by_others(labels, scores), 5)
    ours = found.pop("cutline").median
    print(f"AUC with interval, n = 1e4: {ours:.2e} s")
    for other, timing in found.items():
        print(f"       {timing.median / ours:.3g} x faster than {other}")


MEMORY = """
import resource, sys
sys.path.insert(0, "benchmarks")
from measuring import predictions
import cutline as cl
labels, scores = predictions(10_000_000, {distinct})
cl.rank(labels[:1000], scores[:1000])
def now(): return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()
open("/proc/self/clear_refs", "w").write("5")  # forget the peak so far
before = now()
cl.rank(labels, scores)
high = next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith("VmHWM"))
print((high - before) / (labels.nbytes + scores.nbytes))
"""


def memory(most: int) -> None:
    """The peak of a ranking of 1e7 cases, and of all measures."""
    first_answer.memory_of_measures(most)
    for distinct in (None, 1000):
        out = subprocess.run(
            [sys.executable, "-c", MEMORY.format(distinct=distinct)], check=True, capture_output=True, text=True
        )
        what = "no ties" if distinct is None else f"{distinct} scores"
        target(f"peak memory of a ranking of 1e7 ({what}), times its input", float(out.stdout), high=4)


def charts() -> None:
    """All charts of a million distinct scores."""
    labels, scores = predictions(1_000_000)
    ev, other = cl.evaluate(labels, scores), cl.evaluate(labels, np.roll(scores, 1))
    seconds = {}
    for name in (*cl.CHARTS, "f1"):
        models = {"one": ev, "other": other} if name == "dominance" else ev
        try:
            cl.chart(name, models)
        except cl.CutlineError:  # of several classes, or of a difference
            continue
        seconds[name] = min(once(lambda: cl.chart(name, models).to_json()) for _ in range(2))  # noqa: B023
    slowest = max(seconds, key=lambda name: seconds[name])
    target(f"{len(seconds)} charts of 1e6 distinct scores; the slowest, {slowest}, seconds", seconds[slowest], high=2)


def calibration() -> None:
    """All numbers of calibration and the diagram of a million distinct probabilities, and the honest band of 10,000."""
    form = cl.MEASURES["mcb"].form
    names = [m.name for m in cl.MEASURES if isinstance(m.form, type(form))]
    names += ["oe_ratio", "calibration_intercept", "calibration_slope", "dsc", "unc", "spiegelhalter"]
    labels, scores = predictions(1_000_000)

    def everything() -> None:
        ev = cl.evaluate(labels, scores)
        for name in names:
            ev.value(name)
        cl.chart("reliability", ev).to_json()

    target(f"{len(names)} numbers of calibration and the diagram, 1e6 probabilities, seconds", once(everything), high=2)
    few = cl.rank(labels[:10_000], scores[:10_000])
    target("honest band, 1e4 probabilities, seconds", once(lambda: cl.calibration_band(few, "honest")), high=2)


PARTS: dict[str, Callable[[int], object]] = {
    "auc": auc_against_peers,
    "columns": lambda _: other_columns(),
    "measures": every_measure,
    "intervals": lambda _: intervals(),
    "comparisons": lambda _: comparisons(),
    "files": first_answer.files,
    "summaries": first_answer.summaries,
    "delong": lambda _: first_answer.many_models(),
    "labels": lambda _: first_answer.text_labels(),
    "classes": lambda _: first_answer.several_classes(),
    "charts": lambda _: charts(),
    "calibration": lambda _: calibration(),
    "start": lambda _: command_line.start(),
    "reports": lambda _: command_line.reports(),
    "holes": first_answer.holes,
    "scaling": scaling.exponents,
    "memory": memory,
    "profile": lambda _: profiles.every_profile(),
}
ON_REQUEST = ("profile",)  # which has no targets


def main() -> int:
    """Everything, or the parts that are named, as far as sizes of `--most` go."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "parts", nargs="*", help=f"of {', '.join(PARTS)}; all but {', '.join(ON_REQUEST)} when left out"
    )
    parser.add_argument("--most", type=float, default=1e7, help="the largest number of cases")
    asked = parser.parse_args()
    for name in asked.parts or [name for name in PARTS if name not in ON_REQUEST]:
        start = time.perf_counter()
        PARTS[name](int(asked.most))
        print(f"       ({name}: {time.perf_counter() - start:.0f} s on the clock)", flush=True)
    return verdict()


if __name__ == "__main__":
    sys.exit(main())
