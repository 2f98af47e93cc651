"""Where the processor time of slow work goes, part by part: `python benchmarks/profiles.py`, or some of its names.

Each piece of work runs in a process of its own, on one thread, so that the parts add up: on two cores some of them run
beside each other, and the clock shows less. A part is the time of its own functions without that of parts inside it.
"""

from __future__ import annotations

import concurrent.futures
import contextlib
import functools
import importlib
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

LARGE = 2_000_000  # distinct scores
CASES, RESAMPLES = 100_000, 60  # of the bootstrap of all measures


class Profile:
    """The processor time of named parts of a piece of work."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()
        self._inside: list[float] = []  # of the parts that are running, what parts inside them took

    def watch(self, owner: Any, name: str, part: str | Callable[..., str]) -> None:
        """Count the time of a function as that of a part; or of one that its arguments tell.

        Args:
            owner: What the function is looked up in when it is called.
            name: Its name there.
            part: The part, or what tells it.
        """
        function = getattr(owner, name)

        @functools.wraps(function)
        def watched(*arguments: Any, **options: Any) -> Any:
            with_name = part if isinstance(part, str) else part(*arguments)
            return self.timed(with_name, lambda: function(*arguments, **options))

        setattr(owner, name, watched)

    def timed(self, part: str, work: Callable[[], Any]) -> Any:
        """What the work gives, its time counted as that of a part."""
        start = time.process_time()
        self._inside.append(0.0)
        try:
            return work()
        finally:
            taken = time.process_time() - start
            self.seconds[part] += taken - self._inside.pop()
            if self._inside:
                self._inside[-1] += taken

    def show(self, what: str, unit: str = "s", scale: float = 1.0, most: int = 14) -> None:
        """Print the parts, the longest first; those beyond `most` together."""
        print(f"{what}: {scale * self.seconds.total():.3g} {unit} of processor time on one thread")
        parts = self.seconds.most_common()
        shown, rest = parts[:most], parts[most:]
        if rest:
            shown.append((f"{len(rest)} more", sum(seconds for _, seconds in rest)))
        for part, seconds in shown:
            print(f"       {scale * seconds:8.2f} {unit}  {part}")
        sys.stdout.flush()


class AtOnce(concurrent.futures.Executor):
    """Threads that are none: work is done when it is handed over."""

    def __init__(self, *_: Any, **__: Any) -> None: ...

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **options: Any) -> concurrent.futures.Future[Any]:
        done: concurrent.futures.Future[Any] = concurrent.futures.Future()
        done.set_result(work(*arguments, **options))
        return done


def on_one_thread() -> None:
    """No work of cutline goes to another thread from here on; called before it is loaded."""
    concurrent.futures.ThreadPoolExecutor = AtOnce  # type: ignore[misc, assignment]
    importlib.import_module("cutline.core.parallel").WORTH_THREADS = sys.maxsize


# ---------------------------------------------------------------------- commands

LOADED = {
    "loading numpy": ("numpy",),
    "loading scipy": ("scipy.special",),
    "loading DuckDB and narwhals": ("duckdb", "narwhals"),
    "loading click and rich": ("click", "rich.console", "rich.table"),
}
LOADED_FOR_A_PAGE = {
    "loading scipy": ("scipy.special", "scipy.fft", "scipy.optimize"),
    "loading Altair, Jinja and vl-convert": ("altair", "jinja2", "vl_convert", "latex2mathml.converter"),
}
OWN = {"loading cutline's own modules": ("cutline.cli.main", "cutline.cli.evaluate")}
OWN_FOR_A_PAGE = {"loading cutline's own modules": (*OWN["loading cutline's own modules"], "cutline.report.page")}
NUMBERS = (
    ("cutline.cli.reading", "read_evaluation", "reading the file"),
    ("cutline.cli.reading", "read_comparison", "reading the file"),
    ("cutline.cli.evaluate", "summarize_evaluation", "numbers, and intervals by formula"),
    ("cutline.cli.compare", "summarize_comparison", "numbers, differences and tests"),
    ("cutline.inference.single.intervals", "invert_tests", "intervals of calibration errors, by simulation"),
    ("cutline.inference.single.intervals", "estimate_on_resamples", "intervals by the bootstrap"),
)
PAGE = (
    ("cutline.calibration.summary", "judge", "the two bands of the verdict on the probabilities"),
    ("cutline.report.chart_specs", "draw_chart", "charts: curves, lines with fewer points, specifications"),
    ("cutline.report.chart_specs", "render_still", "still pictures of the charts, drawn by Vega"),
    ("cutline.report.sections", "build_guarantee_data", "levels of the promises at any cut"),
)


def of_command(what: str, *arguments: str) -> None:
    """A command, with all that it loads."""
    on_one_thread()
    found, is_page = Profile(), "--html" in arguments
    found.seconds["starting Python"] = time.process_time()
    loaded = LOADED | LOADED_FOR_A_PAGE | OWN_FOR_A_PAGE if is_page else LOADED | OWN
    for part, names in loaded.items():
        found.timed(part, lambda: [importlib.import_module(name) for name in names])  # noqa: B023
    for module, name, part in (*NUMBERS, *(PAGE if is_page else ())):
        found.watch(importlib.import_module(module), name, part)
    output: Any = importlib.import_module("cutline.cli.output").FileOutput
    output.start_renderer = lambda _: None  # which starts Vega on a thread: here, the first picture does
    main = importlib.import_module("cutline.cli.main").main
    with Path(os.devnull).open("w") as nowhere, contextlib.redirect_stdout(nowhere):
        found.timed("the rest: options, tables, template", lambda: main(list(arguments)))
    found.show(what)


# ---------------------------------------------------------------------- measures


def of_measures(intervals: str | bool = False) -> None:
    """All measures of many distinct scores, in nanoseconds a case; with intervals by "formula", these too."""
    from measuring import predictions

    on_one_thread()
    import cutline as cl

    labels, scores = predictions(LARGE)
    cl.evaluate(labels[:1000], scores[:1000]).summary(quota=100, intervals=intervals)  # what is loaded once
    found = Profile()
    if intervals:
        found.watch(
            importlib.import_module("cutline.inference.single.summary_rows"),
            "_estimate_or_choose",
            "intervals by formula",
        )
    else:
        found.watch(cl.Measure, "compute", lambda measure, *_: _kind(measure.name))
    ranked = found.timed("the ranking", lambda: cl.evaluate(labels, scores))
    found.timed("values" if intervals else "the rest", lambda: ranked.summary(quota=LARGE // 10, intervals=intervals))
    what = f"all {len(cl.MEASURES)} measures of {LARGE:.0e} distinct scores"
    found.show(f"{what}{', with intervals by formula' if intervals else ''}", "ns a case", 1e9 / LARGE)


def _kind(name: str) -> str:
    """What takes the time of a measure that takes long; others are named by themselves."""
    line = ("calibration_intercept", "calibration_slope", "joint_calibration_intercept")
    smooth = ("ici", "e50", "e90", "emax")
    return "the two logistic fits" if name in line else "the local regression" if name in smooth else name


def of_bootstrap() -> None:
    """All measures on resamples, in milliseconds a resample."""
    from measuring import predictions

    on_one_thread()
    import cutline as cl

    labels, scores = predictions(CASES)
    every = [m.with_(quota=1000) if "quota" in m.required else m for m in cl.MEASURES]
    ev = cl.evaluate(labels, scores)
    ev.estimates(every, method="bootstrap", resamples=2)  # what is loaded or made once
    found = Profile()
    found.watch(cl.Measure, "compute", lambda measure, *_: _kind(measure.name))
    found.watch(importlib.import_module("cutline.inference.resampling.bootstrap"), "_draw", "drawing the resamples")
    asked: dict[str, Any] = {"method": "bootstrap", "resamples": RESAMPLES}
    found.timed("the rest", lambda: ev.estimates(every, **asked))
    found.show(f"bootstrap of {len(every)} measures, {CASES:.0e} cases", "ms a resample", 1e3 / RESAMPLES)


# ---------------------------------------------------------------------- each in a process of its own


def every_profile() -> None:
    """All of them, one after the other."""
    from command_line import SETTINGS, csv_of_cases, named, parquet_of_cases

    with tempfile.TemporaryDirectory() as folder:
        settings = SETTINGS | {"PYTHONPYCACHEPREFIX": f"{folder}/compiled"}
        small = (csv_of_cases(Path(folder) / "small.csv"), "--label", "y", "--score", "p")
        one, two = (parquet_of_cases(Path(folder), 10**6, models) for models in (1, 2))
        page = ("--html", f"{folder}/page.html", "--force", "--quiet")
        commands = {
            "cutline evaluate of 569 rows": ("evaluate", *small),
            "cutline evaluate --html of 569 rows": ("evaluate", *small, *page),
            "cutline evaluate --html of 1e6 rows": ("evaluate", one, *named(1), *page),
            "cutline compare --html of 2 models at 1e6 rows": ("compare", two, *named(2), *page),
        }
        jobs = [("command", what, *arguments) for what, arguments in commands.items()]
        subprocess.run(
            [sys.executable, "-m", "cutline", "evaluate", *small, *page],
            check=True,
            env=settings,
            stdout=subprocess.DEVNULL,
        )  # what Python compiles once
        for job in (*jobs, ("measures",), ("measures", "formula"), ("bootstrap",)):
            subprocess.run([sys.executable, __file__, "inside", *job], check=True, env=settings)


INSIDE: dict[str, Callable[..., None]] = {"command": of_command, "measures": of_measures, "bootstrap": of_bootstrap}


def main(arguments: list[str]) -> int:
    """All profiles, or, in a process of its own, one of them."""
    if arguments[:1] == ["inside"]:
        INSIDE[arguments[1]](*arguments[2:])
    else:
        every_profile()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
