"""The way of the data: how many calls one question takes, through how many functions and modules.

    python benchmarks/walks.py            # the table, and what one summary does more than once

Calls of our own functions are counted in the second of two runs, on a thousand cases, in one thread: the functions and
modules that took part, how often a call crossed from one package to another, and how deep the calls were nested.
"""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import cutline as cl
from cutline.core import parallel
from cutline.core.ranking import Ranking

SOURCE = str(Path(cl.__file__).parent)
# What one summary should do once for each list of cases: the function that does it, by module and name.
ONCE = {
    "counts of a cut": ("core/ranking.py", "at_cut"),
    "measure prepared": ("measures/measure_type.py", "prepare"),
    "method chosen": ("inference/methods.py", "default_method"),
    "calibration curve fitted": ("measures/miscalibration.py", "_fit_loess"),
    "isotonic curve fitted": ("measures/miscalibration.py", "_fit_isotonic"),
}


class Walk(NamedTuple):
    """What one question took."""

    calls: int
    functions: int
    modules: int
    crossings: int
    depth: int
    count: Counter[tuple[str, str]]
    again: Counter[tuple[str, str]]  # of what should be done once, how often it was done with the same arguments


def walk(question: Callable[[], Any]) -> Walk:
    """Return the calls of our own functions that a question takes, the second time that it is asked."""
    question()
    count: Counter[tuple[str, str]] = Counter()
    again: Counter[tuple[str, str]] = Counter()
    seen: set[tuple[Any, ...]] = set()
    stack: list[str] = []
    crossings = depth = 0

    def watch(frame: Any, event: str, _: Any) -> None:
        nonlocal crossings, depth
        path = frame.f_code.co_filename
        if event not in ("call", "return") or not path.startswith(SOURCE):
            return
        if event == "return":
            if stack:
                stack.pop()
            return
        module = path[len(SOURCE) + 1 :]
        package = module.split("/")[0]
        crossings += bool(stack) and stack[-1] != package
        stack.append(package)
        depth = max(depth, len(stack))
        key = module, frame.f_code.co_name
        count[key] += 1
        if key in ONCE.values():
            arguments = frame.f_code.co_varnames[: frame.f_code.co_argcount]
            done = (key, *(_fingerprint(frame.f_locals[name]) for name in arguments))
            again[key] += done in seen
            seen.add(done)

    sys.setprofile(watch)
    try:
        question()
    finally:
        sys.setprofile(None)
    modules = {module for module, _ in count}
    return Walk(sum(count.values()), len(count), len(modules), crossings, depth, count, again)


def _fingerprint(value: Any) -> Any:
    """Return what tells two arguments apart: the cells of a ranking, the name of a measure, or the value itself."""
    if isinstance(value, Ranking):
        return value.score.tobytes(), value.pos.tobytes(), value.neg.tobytes()
    return str(value) if isinstance(value, cl.Measure | Mapping | int | float | str) else id(value)


def questions() -> dict[str, Callable[[], Any]]:
    """The questions of the table, each with fresh data."""
    rng = np.random.default_rng(1)
    x = rng.normal(size=1000)
    scores, labels = 1 / (1 + np.exp(1.4 - x)), (rng.random(1000) < 1 / (1 + np.exp(1.4 - x))).astype(int)
    other = 1 / (1 + np.exp(1.2 - 0.8 * x - 0.5 * rng.normal(size=1000)))
    folder = Path(tempfile.mkdtemp())
    rows = "\n".join(f"{y},{s:.9f}" for y, s in zip(labels, scores, strict=True))
    (folder / "predictions.csv").write_text(f"y,p\n{rows}\n", encoding="utf-8")

    def page() -> None:
        from cutline.cli.main import main

        arguments = ["evaluate", str(folder / "predictions.csv"), "--label", "y", "--score", "p"]
        with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):
            main([*arguments, "--html", str(folder / "report.html"), "--force"])

    def ev() -> Any:
        return cl.evaluate(labels, scores)

    return {
        "cl.auc(y, s)": lambda: cl.auc(labels, scores),
        'ev.estimate("f1")': lambda: ev().estimate("f1"),
        'ev.estimate("precision", quota=100)': lambda: ev().estimate("precision", quota=100),
        'choose_cut(ev, "recall >= 0.9")': lambda: cl.choose_cut(ev(), "recall >= 0.9"),
        "compare(...).summary()": lambda: cl.compare(labels, {"a": scores, "b": other}).summary(),
        "evaluate(...).summary()": lambda: ev().summary(),
        "cutline evaluate FILE --html": page,
    }


def main() -> None:
    parallel.WORTH_THREADS = sys.maxsize
    print("| way | calls | functions | modules | crossings | depth |\n|---|---|---|---|---|---|")
    walks = {}
    for name, question in questions().items():
        walks[name] = found = walk(question)
        numbers = (found.calls, found.functions, found.modules, found.crossings, found.depth)
        print(f"| {name} | {' | '.join(f'{number:,}' for number in numbers)} |", flush=True)
    count, again = walks["evaluate(...).summary()"].count, walks["evaluate(...).summary()"].again
    if dead := [what for what, key in ONCE.items() if not count[key]]:
        raise SystemExit(f"no summary does without it, so these functions have another name by now: {', '.join(dead)}")
    times = "; ".join(f"{what} {count[key]} ({again[key]} again)" for what, key in ONCE.items())
    print(f"\nIn one summary of all measures, its simulated lists included: {times}")
    print("Most called: " + ", ".join(f"{module} {name} {n}" for (module, name), n in count.most_common(12)))


if __name__ == "__main__":
    main()
