"""How long people wait for a first answer: files, summaries, comparisons, labels, and where growth has a hole.

Seconds are those of processors, all threads together, which other work on the machine changes least.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from measuring import in_turn, predictions, ratio_of_work, run_once, seconds_of_work, several_models, target

import cutline as cl

ROWS = 10_000_000
# Times as long as ten times as many rows may take. Comparisons come near: 3,000 rows are resampled, 30,000 not (1.3).
HOLE = 1.3


def files(most: int) -> None:
    """A file to a ranking, beside polars, which only reads it."""
    import polars as pl

    n = min(ROWS, most)
    labels, scores = predictions(n)
    table = pl.DataFrame({"y": labels.astype(np.int8), "p": scores})
    with tempfile.TemporaryDirectory() as folder:
        csv, parquet = Path(folder) / "cases.csv", Path(folder) / "cases.parquet"
        table.write_csv(csv)
        table.write_parquet(parquet)
        del table
        for what, path, read, most_seconds in (
            ("CSV", csv, pl.read_csv, 1.7),
            ("Parquet", parquet, pl.read_parquet, 0.35),
        ):
            found = in_turn(
                {"ours": lambda: cl.rank("y", "p", data=path), "polars": lambda: read(path)},  # noqa: B023
                3,
            )
            peer = ratio_of_work(found["ours"], found["polars"])
            print(f"       {what} of {n:.0e} rows: {peer.value:.3g} times the reading by polars")
            name = f"{what} of {n:.0e} rows to an exact ranking, processor seconds"
            target(name, seconds_of_work(found["ours"]), high=most_seconds * n / ROWS)


def summaries(most: int) -> None:
    """The summary of one model, and of a comparison of two."""
    for n, of_one, of_two in ((1000, 0.5, None), (10_000, 1.0, 2.0), (100_000, 1.0, None), (1_000_000, 1.5, None)):
        if n > most:
            continue
        labels, columns = several_models(n, 2)
        first = next(iter(columns.values()))
        found = in_turn(
            {
                "one": lambda: cl.evaluate(labels, first).summary(),  # noqa: B023
                "two": lambda: cl.compare(labels, columns).summary(),  # noqa: B023
            },
            5 if n <= 10_000 else 3,
        )
        target(f"summary() at n = {n:.0e}, processor seconds", seconds_of_work(found["one"]), high=of_one)
        if of_two is not None:
            target(
                f"compare(2).summary() at n = {n:.0e}, processor seconds", seconds_of_work(found["two"]), high=of_two
            )


def many_models() -> None:
    """The test of DeLong for all pairs of twenty models."""
    labels, columns = several_models(100_000, 20)
    found = in_turn({"ours": lambda: cl.compare(labels, columns).test("auc")}, 3)
    target("DeLong of 20 models x 1e5, processor seconds", seconds_of_work(found["ours"]), high=0.25)


def text_labels() -> None:
    """Labels in words, as arrays and frames have them."""
    import pandas as pd
    import polars as pl

    labels, scores = predictions(1_000_000)
    words = np.where(labels, "yes", "no")
    kinds = {
        "numpy text": words,
        "numpy objects": words.astype(object),
        "pandas text": pd.Series(words.astype(object)),
        "pandas categories": pd.Series(words.astype(object)).astype("category"),
        "polars text": pl.Series(words.tolist()),
        "polars categories": pl.Series(words.tolist()).cast(pl.Categorical),
    }
    works: dict[str, Callable[[], object]] = {
        name: lambda column=column: cl.rank(column, scores, positive="yes") for name, column in kinds.items()
    }
    found = in_turn(works | {"pandas": lambda: pd.factorize(kinds["pandas text"])}, 5)
    print(f"       codes of the text by pandas: {seconds_of_work(found['pandas']).value:.3g} s")
    for name in kinds:
        target(f"labels as {name}, 1e6 to a ranking, processor seconds", seconds_of_work(found[name]), high=0.02)


def several_classes() -> None:
    """Ten classes, each against the rest, as they print."""
    rng = np.random.default_rng(3)
    truth, scores = rng.integers(0, 10, 100_000), rng.normal(size=(100_000, 10))
    scores[np.arange(len(truth)), truth] += 1.5
    chances = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
    found = in_turn({"ours": lambda: repr(cl.one_vs_rest(truth, chances))}, 3)
    target("one_vs_rest of 10 classes x 1e5, repr, processor seconds", seconds_of_work(found["ours"]), high=0.6)


MEMORY = """
import sys
sys.path.insert(0, {here!r})
from measuring import predictions
import cutline as cl
labels, scores = predictions({n})
cl.evaluate(labels[:1000], scores[:1000]).summary(quota=10, intervals=False)
def status(name):
    return next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith(name))
open("/proc/self/clear_refs", "w").write("5")  # forget the peak so far
before = status("VmRSS")
cl.evaluate(labels, scores).summary(quota={n} // 10, intervals=False)
print((status("VmHWM") - before) / 1e9)
"""


def memory_of_measures(most: int) -> None:
    """The peak of all measures, beyond the labels and scores."""
    n = min(ROWS, most)
    code = MEMORY.format(here=str(Path(__file__).parent), n=n)
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    target(f"memory for all measures of {n:.0e} cases beyond the input, GB", float(out.stdout), high=0.4 * n / ROWS)


def holes(most: int) -> None:
    """Whether fewer rows ever take longer, and how the time grows, from a thousand rows to ten million."""
    works: dict[str, Callable[[Path, np.ndarray, dict[str, np.ndarray]], object]] = {
        "summary": lambda _, y, s: cl.evaluate(y, s["model 0"]).summary(),
        "compare": lambda _, y, s: cl.compare(y, s).summary(),
        "report": lambda folder, y, s: cl.evaluate(y, s["model 0"]).save(folder / "page.html", overwrite=True),
        "file": lambda folder, *_: cl.rank("y", "model 0", data=folder / "cases.csv"),
    }
    steps = [round(10 ** (k / 2)) for k in range(6, 15)]
    for name, work in works.items():
        taken: dict[int, float] = {}
        for n in (n for n in steps if n <= most):
            labels, columns = several_models(n, 2)
            with tempfile.TemporaryDirectory() as folder:
                if name == "file":
                    _write(Path(folder) / "cases.csv", labels, columns["model 0"])
                job = lambda: work(Path(folder), labels, columns)  # noqa: B023, E731
                # Shorter lists have loaded by then what is loaded once.
                runs = run_once(job) if n >= 1_000_000 else in_turn({"ours": job}, 3)["ours"]
            taken[n] = min(runs.work)
        shown = ", ".join(f"{n:.2g} {t:.3g} s" for n, t in taken.items())
        print(f"       {name}, processor time: {shown}")
        sizes = sorted(taken)
        slope = float(np.polyfit(np.log(sizes), np.log([taken[n] for n in sizes]), 1)[0])
        target(f"exponent of {name}, 1e3 to {sizes[-1]:.0e} rows", slope, high=1.0)
        worst = max((taken[n] / taken[m], n) for n, m in zip(sizes, sizes[2:], strict=False))
        print(f"       {name}: the worst place is {worst[1]:.2g} rows")
        target(f"{name}: the most times as long as ten times as many rows, 1e3 to 1e7", worst[0], high=HOLE)


def _write(path: Path, labels: np.ndarray, scores: np.ndarray) -> None:
    import polars as pl

    pl.DataFrame({"y": labels.astype(np.int8), "model 0": scores}).write_csv(path)
