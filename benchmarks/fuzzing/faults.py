"""Faults: signals at any moment, files that must not grow, closed streams, forks, other processes, and memory.

Each needs processes of its own, so there are few of them beside the files and the calls.
"""

from __future__ import annotations

import math
import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fuzzing import left

LONGEST = 60  # seconds that a process may work before it counts as hanging
IDLE = 0.05  # seconds that a process works in that time, however busy the machine is, unless it hangs
AT_ONCE = 2.0  # seconds that a process may work after it was told to stop
MANY = 10_000_000  # distinct scores
OF_SCORES = 1.2e9  # bytes at most for so many of them
OF_MODELS = 1e9  # bytes at most for a comparison of twenty models of 100,000 cases

Verdict = tuple[str, str]


def run_fault(identity: str, folder: Path) -> Verdict:
    """What a fault brought about."""
    name, _, number = identity.rpartition("-")
    dice = random.Random(identity)  # noqa: S311 - not for secrets
    place = folder / f"{name}-{number}"
    place.mkdir()
    rows = [f"{dice.randint(0, 1)},{dice.random()},{dice.random()}\n" for _ in range(dice.choice((200, 3000)))]
    (place / "f.csv").write_text("y,p,q\n1,0.9,0.1\n0,0.2,0.3\n" + "".join(rows), encoding="utf-8")
    return FAULTS[name](dice, place)


def _cutline(*arguments: Any) -> list[str]:
    return [sys.executable, "-m", "cutline", *map(str, arguments)]


def _script(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def _started(command: list[str], place: Path, **more: Any) -> subprocess.Popen[bytes]:
    pipes: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, cwd=place, **(pipes | more))


def _said(running: subprocess.Popen[bytes], longest: float = LONGEST) -> tuple[str, str] | None:
    """What a process printed and said by its end; None when it works too long, or has no effect for a while.

    On a busy machine little work takes long, so it is the work that is counted, its own and its children's.
    """
    worked = -1.0
    while True:
        try:
            out, said = running.communicate(timeout=LONGEST)
        except subprocess.TimeoutExpired:
            before, worked = worked, sum(map(_worked, _family(running.pid)))
            if before + IDLE <= worked <= longest:
                continue
            running.kill()
            running.communicate()
            return None
        return (out or b"").decode("utf-8", "replace"), (said or b"").decode("utf-8", "replace")


def _family(process: int) -> list[int]:
    """A process and its children, and theirs."""
    try:
        children = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="utf-8").split()
    except OSError:
        children = []
    return [process, *(one for child in children for one in _family(int(child)))]


# ---------------------------------------------------------------------- signals

_ENDS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGKILL: -9}
_LONG_WORK = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
import numpy as np, cutline as cl
rng = np.random.default_rng(7)
labels = rng.random({n}) < 0.3
ev = cl.evaluate(labels, rng.random({n}) + labels, threshold=1)
print("ready", flush=True)
try:
    {work}
except KeyboardInterrupt:
    os._exit(130)
"""
_WORKS = (
    "ev.estimate('f1', method='bootstrap', resamples=100_000)",
    "ev.estimate('auc', method='bootstrap', resamples=100_000)",
    "ev.estimate('average_precision', method='bca', resamples=100_000)",
    "ev.summary(resamples=100_000)",
)


def _signalled(dice: random.Random, place: Path) -> Verdict:
    """A report that is stopped at any moment: the old file or the new one, whole, and nothing beside it."""
    kind = dice.choice([*_ENDS])
    report = place / "out.html"
    report.write_bytes(left.OLD)
    running = _started(
        _cutline("evaluate", "f.csv", "--label", "y", "--score", "p", "--html", "out.html", "--force"),
        place,
        preexec_fn=_with_signals,
    )
    _wait(running, place, math.inf if dice.random() < 0.5 else dice.uniform(0.2, 8))
    return _stopped(running, kind, place, report)


def _wait(running: subprocess.Popen[bytes], place: Path, seconds: float) -> None:
    """Until a process has run so long, has ended, or writes: a file appears beside the one that is to be written."""
    until = time.monotonic() + min(seconds, LONGEST)
    while time.monotonic() < until and running.poll() is None:
        if seconds == math.inf and any(one.name.startswith(".cutline-") for one in place.iterdir()):
            return
        time.sleep(0.001)


def _with_signals() -> None:
    """As in a terminal: a process in the background of a shell ignores Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _interrupted(dice: random.Random, place: Path) -> Verdict:
    """Ctrl-C in the middle of resampling."""
    code = _LONG_WORK.format(n=dice.choice((1_000, 100_000, MANY, MANY)), work=dice.choice(_WORKS))
    running = _started(_script(code), place)
    running.stdout.readline()
    time.sleep(dice.uniform(0.1, 4))
    return _stopped(running, signal.SIGINT, place, None)


def _stopped(running: subprocess.Popen[bytes], kind: signal.Signals, place: Path, report: Path | None) -> Verdict:
    is_over = running.poll() is not None
    worked = _worked(running.pid)
    running.send_signal(kind)
    started = time.monotonic()
    while running.poll() is None and time.monotonic() - started < LONGEST:
        worked_since = _worked(running.pid) - worked
        if worked_since > AT_ONCE and time.monotonic() - started > AT_ONCE:
            running.kill()
            running.communicate()
            return "hang", f"{kind.name}: {worked_since:.1f} s of work after it"
        time.sleep(0.05)
    said = _said(running)
    if said is None:
        return "hang", f"{kind.name}: no end"
    too_early = running.returncode == -kind  # before the command had begun
    may_be_done = is_over or report is not None
    if not too_early and running.returncode not in (_ENDS[kind], *([0] if may_be_done else [])):
        return "traceback", f"{kind.name}: exit code {running.returncode}: {said[1]}"
    if not too_early and "Traceback" in said[1]:
        return "traceback", f"{kind.name}: {said[1]}"
    if report is not None and (content := report.read_bytes()) != left.OLD and b"</html>" not in content[-20:]:
        return "misread", f"{kind.name}: half a report of {len(content)} bytes"
    beside = [one.name for one in place.iterdir() if one.name.startswith(".cutline-")]
    if beside and kind is not signal.SIGKILL:
        return "traceback", f"{kind.name}: left {beside}"
    return "read", ""


def _worked(process: int) -> float:
    """The seconds that a process has worked."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


# ---------------------------------------------------------------------- disks and streams


def _full(dice: random.Random, place: Path) -> Verdict:
    """A disk that is full after some bytes."""
    most = dice.choice((0, 100, 5_000, 50_000))
    kind = dice.choice((["--html", "out.html"], ["--png", "pictures"]))
    running = _started(
        _cutline("evaluate", "f.csv", "--label", "y", "--score", "p", "--resamples", "0", *kind),
        place,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)),
        env=os.environ | {"XDG_CACHE_HOME": str(place / "no cache")},
    )
    said = _said(running)
    if said is None:
        return "hang", "a full disk: no end"
    if running.returncode == 0:
        return "read", ""
    is_named = (kind[1] in said[1] or "temporary" in said[1]) and said[1].count("\n") == 1
    if running.returncode != 2 or not is_named:
        return "traceback", f"a full disk: exit code {running.returncode}: {said[1]}"
    beside = [one.name for one in place.rglob(".cutline-*")]
    return ("traceback", f"a full disk: left {beside}") if beside else ("refused", said[1])


READABLE = ("<(cat f.csv)", "/dev/stdin")
STREAMS = (
    *(("-", "<&-"), ("f.csv", ">&-"), ("f.csv", ">/dev/full"), ("f.csv", "| head -c 20"), ("<(cat f.csv)", "")),
    *(("/dev/stdin", "<f.csv"), ("$'\\xff.csv'", ""), ("'~nosuchuser/x.csv'", "")),
)


def _streams(dice: random.Random, place: Path) -> Verdict:
    """Standard streams that are closed, full, or read by nobody; names that are not UTF-8."""
    file, rest = dice.choice(STREAMS)
    options, way = "--label y --score p --resamples 0 --json", f"{file} {rest}".strip()
    command = " ".join(map(repr, _cutline("evaluate"))) + f" {file} {options} {rest}"
    running = _started(["bash", "-c", f"set -o pipefail; {command}"], place)
    said = _said(running)
    if said is None:
        return "hang", f"{way}: no end"
    if file in READABLE and running.returncode:
        return "misread", f"{way}: {said[1]}"
    if running.returncode not in (0, 2, 141) or "Traceback" in said[1] or said[1].count("\n") > 1:
        return "traceback", f"{way}: exit code {running.returncode}: {said[1]}"
    return "refused" if running.returncode == 2 else "read", said[1]


# ---------------------------------------------------------------------- other processes, and memory

_FORK = """
import os, sys, cutline as cl
chart = cl.evaluate([1, 0, 1, 0], [0.9, 0.2, 0.7, 0.8]).chart("roc")
here = chart.render("{suffix}")
child = os.fork()
if not child:
    os._exit(0 if chart.render("{suffix}") == here else 5)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
_POOL = """
import multiprocessing, sys, cutline as cl
def refused(number):
    {call}
if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(2) as pool:
        try:
            pool.map_async(refused, range(4)).get(600)
        except cl.CutlineError:
            sys.exit(0)
"""
_REFUSED = (
    "return cl.evaluate([1, 0, None], [0.1, 0.2, 0.3])",
    "return cl.evaluate([1, 0, 1], [0.1, 0.2, float('nan')])",
    "return cl.evaluate([1, 0, 1], [0.1, 0.2, 'x'])",
    "return cl.evaluate([1, 0], [0.1, 0.2]).value('nosuch')",
    "return cl.evaluate('y', 'p', data='f.csv', positive='nosuch')",
    "cl.evaluate([1, 0], [0.1, 0.2]).curve('roc'); return cl.evaluate('y', 'nosuch', data='f.csv')",
)


def _forked(dice: random.Random, place: Path) -> Verdict:
    """A picture in a forked process after its parent drew one."""
    return _must_end_well(_script(_FORK.format(suffix=dice.choice((".png", ".svg")))), place, "fork")


def _pooled(dice: random.Random, place: Path) -> Verdict:
    """A refusal in a worker process."""
    return _must_end_well(_script(_POOL.format(call=dice.choice(_REFUSED))), place, "pool")


def _must_end_well(command: list[str], place: Path, what: str) -> Verdict:
    running = _started(command, place, start_new_session=True)
    said = _said(running)
    if said is None:
        return "hang", f"{what}: no end"
    return ("traceback", f"{what}: {said[1][-300:]}") if running.returncode else ("read", "")


_PEAK = "\nimport resource; print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
_COMMAND = """
from cutline.cli.main import main
assert main(["evaluate", "{file}", "--label", "y", "--score", "p"]) == 0
"""
_MANY_SCORES = """
import numpy as np, cutline as cl
rng = np.random.default_rng({seed})
labels, scores = rng.random({n}) < 0.3, rng.random({n})
cl.evaluate(labels, scores).summary()
"""
_MANY_ROWS = """
import numpy as np, pyarrow as pa
from pyarrow import csv, parquet
rng = np.random.default_rng({seed})
rows = pa.table({{"y": (rng.random({n}) < 0.3).astype(int), "p": rng.random({n})}})
{module}.write_{what}(rows, "{file}")
"""
_MANY_MODELS = """
import numpy as np, cutline as cl
rng = np.random.default_rng({seed})
labels = rng.random({n}) < 0.3
cl.compare(labels, {{str(i): rng.random({n}) + i * labels / 20 for i in range({models})}}).summary()
"""


def _memory(dice: random.Random, place: Path) -> Verdict:
    """How much memory many distinct scores take, in Python and by the command, or many models."""
    seed, work = dice.randrange(100), dice.choice(("scores", "parquet", "csv", "models", "models"))
    if work == "models":
        code, most = _MANY_MODELS.format(seed=seed, n=100_000, models=20), OF_MODELS
    elif work == "scores":
        code, most = _MANY_SCORES.format(seed=seed, n=MANY), OF_SCORES
    else:
        module, what = ("csv", "csv") if work == "csv" else ("parquet", "table")
        made = _MANY_ROWS.format(seed=seed, n=MANY, module=module, what=what, file=f"many.{work}")
        if _said(_started(_script(made), place), 10 * LONGEST) is None:
            return "crash", "no rows were written"
        code, most = _COMMAND.format(file=f"many.{work}"), OF_SCORES
    said = _said(_started(_script(code + _PEAK), place, preexec_fn=_with_little_memory), 10 * LONGEST)
    peak = "" if said is None else said[0].strip().rpartition("\n")[2]
    if not peak.isdigit():
        return "crash", f"{work}: no end, or no memory: {(said or ('', ''))[1][-200:]}"
    used = 1024 * int(peak)
    return ("crash", f"{work}: {used / 1e9:.2f} GB") if used > most else ("read", f"{used / 1e9:.2f} GB")


def _with_little_memory() -> None:
    """So that what would take all memory of the machine ends before that."""
    resource.setrlimit(resource.RLIMIT_DATA, (3 * 10**9, 3 * 10**9))


# ---------------------------------------------------------------------- environments, and orders of imports

ENVIRONMENTS = (
    {"LC_ALL": "POSIX", "LANG": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"},
    {"TERM": "dumb", "COLUMNS": "1", "LINES": "1"},
    {"COLUMNS": "abc", "TERM": "", "NO_COLOR": "1"},
    {"HOME": "/nonexistent", "XDG_CACHE_HOME": "/dev/null", "XDG_CONFIG_HOME": "/dev/null"},
    {"TMPDIR": "/nonexistent", "TEMP": "/nonexistent"},
    {"PYTHONOPTIMIZE": "2", "PYTHONHASHSEED": "7"},
    {"PYTHONWARNINGS": "error::RuntimeWarning", "PYTHONDEVMODE": "1"},
    {"OMP_NUM_THREADS": "x", "OPENBLAS_NUM_THREADS": "0", "DUCKDB_THREADS": "-1"},
    {"FORCE_COLOR": "1", "COLORTERM": "truecolor", "CLICOLOR": "0"},
)
_IMPORTS = """
import importlib, threading
names = {names!r}
def load(some):
    for name in some:
        importlib.import_module(name)
other = threading.Thread(target=load, args=(names[1::2],))
if {threads}:
    other.start()
load(names[::2] if {threads} else names)
if {threads}:
    other.join()
import cutline as cl
assert cl.auc([1, 0, 1, 0], [0.9, 0.2, 0.7, 0.8]) == 0.75
"""


def _environment(dice: random.Random, place: Path) -> Verdict:
    """A command under variables of the environment that nobody expects, with a report or without."""
    odd = dice.choice(ENVIRONMENTS)
    more = dice.choice(([], ["--html", "out.html"], ["--json"]))
    asked = ["evaluate", "f.csv", "--label", "y", "--score", "p", "--measures", "auc", "--resamples", "0"]
    running = _started(_cutline(*asked, *more), place, env=os.environ | odd)
    said = _said(running)
    if said is None:
        return "hang", f"{odd}: no end"
    if running.returncode not in (0, 2) or "Traceback" in said[1] or (running.returncode == 2 and "\n" in said[1][:-1]):
        return "traceback", f"{odd} {more}: exit code {running.returncode}: {said[1][-300:]}"
    return "refused" if running.returncode else "read", said[1]


def _imported(dice: random.Random, place: Path) -> Verdict:
    """Modules of the package that are imported in any order, some on another thread."""
    import pkgutil

    import cutline

    every = [one.name for one in pkgutil.walk_packages(cutline.__path__, "cutline.") if "mlflow" not in one.name]
    every = [name for name in every if not name.endswith("__main__") and "compiled" not in name]
    names = dice.sample(every, 12)
    code = _IMPORTS.format(names=names, threads=dice.random() < 0.5)
    return _must_end_well(_script(code), place, f"imports {names}")


FAULTS: dict[str, Callable[[random.Random, Path], Verdict]] = {
    "signal": _signalled,
    "interrupt": _interrupted,
    "full": _full,
    "streams": _streams,
    "fork": _forked,
    "pool": _pooled,
    "memory": _memory,
    "environment": _environment,
    "imports": _imported,
}
