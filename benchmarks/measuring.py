"""Timing things beside each other: several runs in turn, their median, and how far the runs lie apart."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Mapping
from statistics import median
from typing import NamedTuple

import numpy as np

TARGETS: dict[str, bool] = {}  # whether each figure met its target
BUSY = 0.15  # spread above which a figure is in doubt


class Timing(NamedTuple):
    """The runs of one piece of work, in seconds: on the clock, and of processors, which a busy machine changes less."""

    runs: tuple[float, ...]
    work: tuple[float, ...] = ()

    @property
    def median(self) -> float:
        """The middle one."""
        return median(self.runs)

    @property
    def spread(self) -> float:
        """How much longer than the shortest run the middle one took: near 0 on a quiet machine."""
        return self.median / min(self.runs) - 1


def once(work: Callable[[], object]) -> float:
    """The seconds of one run."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def run_once(work: Callable[[], object]) -> Timing:
    """The timing of a single run."""
    worked = _worked()
    return Timing((once(work),), (_worked() - worked,))


def in_turn(works: Mapping[str, Callable[[], object]], repeats: int, calls: int = 1) -> dict[str, Timing]:
    """Each piece of work, run as often as the others and in turn with them, so that a busy machine slows all alike.

    Work of processes that a piece starts counts as its own.

    Args:
        works: What is timed, by name.
        repeats: How many runs each has.
        calls: How many calls make a run, for work that is too short to be timed alone.
    """
    runs: dict[str, list[tuple[float, float]]] = {name: [] for name in works}
    for work in works.values():
        work()  # what is loaded or made once
    for _ in range(repeats):
        for name, work in works.items():
            start, worked = time.perf_counter(), _worked()
            for _ in range(calls):
                work()
            runs[name].append(((time.perf_counter() - start) / calls, (_worked() - worked) / calls))
    return {name: Timing(*zip(*found, strict=True)) for name, found in runs.items()}


def _worked() -> float:
    """The seconds that processors have worked for this process and for those it waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


class Ratio(NamedTuple):
    """How long one piece of work takes beside another."""

    value: float
    shortest: float  # the same by the shortest runs, which a busy machine disturbs least
    spread: float
    work: float | None = None  # the same by the time of processors


def seconds(one: Timing) -> Ratio:
    """The time of a piece of work, in seconds."""
    return Ratio(one.median, min(one.runs), one.spread, median(one.work) if one.work else None)


def ratio(one: Timing, other: Timing) -> Ratio:
    """The time of the one in times of the other."""
    work = median(one.work) / median(other.work) if one.work and other.work else None
    return Ratio(one.median / other.median, min(one.runs) / min(other.runs), max(one.spread, other.spread), work)


def seconds_of_work(one: Timing) -> Ratio:
    """The time that processors worked on a piece of work, in seconds: the shortest run, the least disturbed one."""
    return Ratio(min(one.work), min(one.work), median(one.work) / min(one.work) - 1)


def ratio_of_work(one: Timing, other: Timing) -> Ratio:
    """The time of the one in times of the other, by the time of processors."""
    mine, theirs = seconds_of_work(one), seconds_of_work(other)
    spread = max(mine.spread, theirs.spread)
    return Ratio(mine.value / theirs.value, mine.shortest / theirs.shortest, spread)


def target(what: str, found: float | Ratio, low: float | None = None, high: float | None = None) -> None:
    """Print a figure beside its target, with how far the runs lie apart, and what to make of it on a busy machine."""
    value = found.value if isinstance(found, Ratio) else found
    met = (low is None or value >= low) and (high is None or value <= high)
    bound = f">= {low:g}" if low is not None else f"<= {high:g}"
    doubt = ""
    if isinstance(found, Ratio):
        doubt = f"; the median of the runs is {100 * found.spread:.0f} % above the shortest"
        if found.spread > BUSY:
            doubt += f": busy machine, the shortest give {found.shortest:.3g}"
        doubt += "" if found.work is None else f"; by the time of processors {found.work:.3g}"
    TARGETS[what] = met
    print(f"  {'met ' if met else 'MISS'} {what}: {value:.3g} (target {bound}){doubt}", flush=True)


def several_models(n: int, models: int) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Labels, and the scores of models that are noisier one after the other."""
    labels, scores = predictions(n)
    rng = np.random.default_rng(2)
    return labels, {f"model {i}": np.clip(scores + 0.1 * i * rng.normal(size=n), 0, 1) for i in range(models)}


def predictions(n: int, distinct: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Labels and calibrated scores, all different or of a number of distinct values."""
    rng = np.random.default_rng(1)
    scores = rng.random(n)
    if distinct:
        scores = np.floor(scores * distinct) / distinct
    return rng.random(n) < scores, scores


def verdict() -> int:
    """How many targets were met, which were not, and the exit code."""
    missed = [what for what, met in TARGETS.items() if not met]
    print(f"{len(TARGETS) - len(missed)} of {len(TARGETS)} targets met")
    for what in missed:
        print(f"  missed: {what}")
    return 1 if missed else 0
