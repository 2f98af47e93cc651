"""Hostile files, options and arguments: what the command and the package do with them, against an independent reader.

    python benchmarks/fuzz.py --files 20000 --calls 100000 --singles    # what `make fuzz` runs
    python benchmarks/fuzz.py --again evaluate-4711 --keep out      # one input again, its files kept in a folder

Every input follows from its name, such as evaluate-4711, or cl.evaluate~labels~17, a call with one wrong argument
(`--singles`: each argument of each function with each wrong value, all others sensible). Commands and calls run in
worker processes that take many of them each, so that a crash or a hang costs one worker and is counted; what a command
prints of a file that it read is checked against rows that Python's own csv and json modules and pyarrow read. Prints
inputs tried, refusals, tracebacks, crashes, hangs and misreadings, and ends with exit code 1 unless these four are 0.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import functools
import io
import json
import os
import selectors
import struct
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from fuzzing import calls, commands, oracle

HANG = 20  # seconds for one input
BAD = ("traceback", "crash", "hang", "misread")  # how an input must not end
GATES = ("check", "cut")  # which alone may end with exit code 1
# How often each command is run; those that are not listed, once.
OFTEN = {"evaluate": 32, "compare": 12, "check": 10, "cut": 8, "apply": 10, "recalibrate": 8, "chart": 8, "plan": 4}

# ---------------------------------------------------------------------- one input


def run_file(identity: str, folder: Path) -> tuple[str, str]:
    """What a command does with its files: how it ended, and what it said."""
    from cutline.cli.main import main

    case = commands.case(identity, known_commands())
    kept = {*folder.iterdir()}
    for name, content in case.files.items():
        (folder / name).write_bytes(content)
    out, said, usual = io.StringIO(), io.StringIO(), sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(case.stdin))
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(said):
            code = main(case.arguments)
        return judged(case, code, out.getvalue(), said.getvalue(), folder)
    finally:
        sys.stdin = usual
        _sweep(folder, kept)


def _sweep(folder: Path, kept: set[Path]) -> None:
    """Leave the folder as it was."""
    import shutil

    for where in {*folder.iterdir()} - kept:
        shutil.rmtree(where) if where.is_dir() and not where.is_symlink() else where.unlink()


@functools.cache
def known_commands() -> dict[str, Any]:
    """The commands; built once, because that takes longer than most of them do."""
    import typer.main

    typer.main.get_command = functools.cache(typer.main.get_command)
    return commands.commands()


def judged(case: commands.Case, code: int, out: str, said: str, folder: Path) -> tuple[str, str]:
    """How a run of the command ended, by what it printed and what it left behind."""
    command = case.arguments[0]
    left = [one.name for one in folder.iterdir() if one.name.startswith(".cutline-")]
    raw = [character for character in out + said if _is_raw(character)]
    if code not in (0, 1, 2) or (code == 1 and command not in GATES):
        return "traceback", f"{command}, exit code {code}: {said}"
    if left or raw or "Warning" in said or "Traceback" in said:
        return "traceback", f"{command}: left {left}, raw {raw[:3]}, said {said}"
    if code == 2:
        is_one = said.count("\n") == 1 and said.startswith("cutline: ")
        return ("refused", said) if is_one else ("traceback", f"{command}: not one sentence: {said}")
    if code == 1 and not out.strip() and "--quiet" not in case.arguments:
        return "traceback", f"{command}: a gate failed without a word"
    if "--json" in case.arguments and "--list" not in case.arguments:
        json.loads(out)
    return compared(case, out, folder), said


def _is_raw(character: str) -> bool:
    """Whether a terminal would take a character for a command."""
    return (character < " " and character not in "\n\t") or "\x7f" <= character <= "\x9f"


def compared(case: commands.Case, out: str, folder: Path) -> str:
    """Whether a run that read a file found what the independent reader finds."""
    command, file = case.arguments[0], next(iter(case.files), "")
    if command not in ("evaluate", "compare", "apply") or "-" in case.arguments or len(case.files) != 3:
        return "read"
    try:
        if command == "apply":
            return _flags_compared(case, folder)
        document = json.loads(out)
        models = document["models"].values() if command == "compare" else [document]
        wanted = {m["name"]: oracle.cases(folder / file, case.options, m["name"]) for m in models if m["name"] in "pq"}
    except Exception:  # what the independent reader cannot read, it cannot judge
        return "read"
    outcome = "read"
    for model in models:
        facts = oracle.facts(wanted[model["name"]] or []) if model["name"] in wanted else None
        if facts is not None:
            outcome = "checked"
            if any(_differ(facts[what], found) for what, found in _found(model) if found is not None):
                return "misread"
    return outcome


def _found(model: dict[str, Any]) -> list[tuple[str, float | None]]:
    """What the command says about one model, by the names of the independent reader."""
    measured = [("auc", row["value"]) for row in model["measures"] if row["measure"] == "auc"]
    return [("positives", model["positives"]), ("negatives", model["negatives"]), *measured]


def _differ(one: float, other: float) -> bool:
    return abs(one - other) > 1e-9 * max(1, abs(one))


def _flags_compared(case: commands.Case, folder: Path) -> str:
    """Whether the column that apply wrote says what the scores of the independent reader say."""
    [made] = case.options["--output"]
    cut, options = json.loads((folder / "cut.json").read_bytes()), case.options
    if cut["schema"] != "cutline/cut/1" or {"--missing", "--format"} & {*options}:
        return "read"
    before = oracle.rows_of(folder / next(iter(case.files)))
    after = oracle.rows_of(folder / made)
    scores = [oracle.number(row["p"]) for row in before]
    if options.get("--score") != ["p"] or any(score is None for score in scores):
        return "read"
    column = options.get("--column", ["flagged"])[0]
    sign = 1 if cut["higher_is_positive"] else -1
    threshold = cut["threshold"]
    if all(_single(score) == score for score in scores):  # single floats: the threshold is read in their type
        threshold = _single(threshold)
    flags = [sign * score >= sign * threshold for score in scores]
    return "checked" if flags == [row[column] in (True, "true") for row in after] else "misread"


def _single(number: float) -> float:
    """The nearest single float."""
    return struct.unpack("f", struct.pack("f", number))[0] if abs(number) < 1e38 else number


def run_call(identity: str) -> tuple[str, str]:
    """What a call does: a result, a refusal, or an error that is no sentence."""
    from cutline import CutlineError

    made, given, named = calls.call(identity)
    try:
        with (
            warnings.catch_warnings(),
            contextlib.redirect_stderr(io.StringIO()),
            contextlib.redirect_stdout(io.StringIO()),
        ):
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", RuntimeWarning)
            made(*given, **named)
    except CutlineError as refusal:
        return "refused", str(refusal)
    except Exception as error:
        if isinstance(error, TypeError) and "unexpected keyword argument" in str(error):
            return "refused", str(error)  # which is Python's own sentence
        shown = ", ".join([*map(_briefly, given), *(f"{key}={_briefly(value)}" for key, value in named.items())])
        return "traceback", f"{identity.rpartition('-')[0] or identity}: {type(error).__name__}: {error} <- ({shown})"
    return "read", identity


def _briefly(value: object) -> str:
    try:
        return repr(value).replace("\n", " ")[:60]
    except Exception:
        return type(value).__name__


# ---------------------------------------------------------------------- workers


def work(kind: str) -> None:
    """Take names from standard input, and answer each with a line of JSON."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    asked = os.fdopen(os.dup(0))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for line in asked:
            identity = line.strip()
            try:
                outcome, said = run_file(identity, Path(folder)) if kind == "files" else run_call(identity)
            except Exception as error:
                outcome, said = "traceback", f"{type(error).__name__}: {error}"
            answers.write(json.dumps([identity, outcome, said[:400]]) + "\n")


def _cpu(process: int) -> float:
    """The seconds that a process has worked; where the system does not tell, those that have passed."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return time.monotonic()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Worker:
    """A process that takes one input after the other, started anew when it dies."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.process: subprocess.Popen[str] | None = None

    def __call__(self, identity: str) -> tuple[str, str]:
        if self.process is None:
            command = [sys.executable, __file__, "--worker", self.kind]
            pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
            self.process = subprocess.Popen(command, text=True, bufsize=1, **pipes)
        self.process.stdin.write(f"{identity}\n")
        if not self._answers():
            self.stop()
            return "hang", f"no answer in {HANG} s"
        line = self.process.stdout.readline()
        if not line:
            code = self.process.wait()
            self.stop()
            return "crash", f"the process ended with {code}"
        _, outcome, said = json.loads(line)
        return outcome, said

    def _answers(self) -> bool:
        """Whether there is an answer in time; on a busy machine, in the time that the process got."""
        before, started = _cpu(self.process.pid), time.monotonic()
        with selectors.DefaultSelector() as ready:
            ready.register(self.process.stdout, selectors.EVENT_READ)
            while not ready.select(HANG):
                if _cpu(self.process.pid) - before > HANG or time.monotonic() - started > 10 * HANG:
                    return False
        return True

    def stop(self) -> None:
        """End the process."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            for pipe in (self.process.stdin, self.process.stdout):
                with contextlib.suppress(OSError):
                    pipe.close()
            self.process = None


def identities(kind: str, count: int, first: int = 0) -> list[str]:
    """The names of so many inputs: all commands, or all functions, in turn."""
    if kind == "files":
        names = [name for name in known_commands() for _ in range(OFTEN.get(name, 1))]
    else:
        names = [*calls.targets()]
    return [f"{names[number % len(names)]}-{number}" for number in range(first, first + count)]


def fuzz(kind: str, asked: Iterable[str]) -> tuple[collections.Counter[str], list[tuple[str, str, str]]]:
    """How inputs ended, and those that ended badly."""
    worker, outcomes, failures = Worker(kind), collections.Counter(), []
    for identity in asked:
        outcome, said = worker(identity)
        outcomes[outcome] += 1
        if outcome in BAD:
            failures.append((identity, outcome, said))
    worker.stop()
    return outcomes, failures


def report(kind: str, outcomes: collections.Counter[str], failures: list[tuple[str, str, str]]) -> None:
    """Print how the inputs of a kind ended, and the bad ones, those that say the same together."""
    read = outcomes["read"] + outcomes["checked"]
    bad = ", ".join(f"{outcomes[what]} {what}" for what in BAD)
    checked = f" ({outcomes['checked']} checked against the independent reader)" if kind == "files" else ""
    print(f"{kind}: {sum(outcomes.values())} tried, {read} read{checked}, {outcomes['refused']} refused, {bad}")
    alike = collections.defaultdict(list)
    for identity, outcome, said in failures:
        alike[outcome, said.partition(" <- ")[0].strip()[:110]].append((identity, said))
    for (outcome, _), inputs in sorted(alike.items(), key=lambda item: -len(item[1])):
        print(f"  {len(inputs)} x {outcome}, first {inputs[0][0]}: {inputs[0][1].strip()[:260]!r}")


def keep(identity: str, folder: Path) -> None:
    """Write the files of a command line, and print how to run it."""
    case = commands.case(identity, known_commands())
    folder.mkdir(exist_ok=True)
    for name, content in case.files.items():
        (folder / name).write_bytes(content)
    print(f"cd {folder}; cutline", *map(repr, case.arguments))


def main() -> int:
    """Run the inputs that are asked for; the exit code."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--files", type=int, default=0)
    options.add_argument("--calls", type=int, default=0)
    options.add_argument("--singles", action="store_true", help="each argument of each function, one wrong at a time")
    options.add_argument("--first", type=int, default=0, help="the number of the first input")
    options.add_argument("--again", help="the name of one input")
    options.add_argument("--keep", type=Path, help="a folder for the files of that input")
    options.add_argument("--worker", choices=("files", "calls"), help=argparse.SUPPRESS)
    asked = options.parse_args()
    if asked.worker:
        work(asked.worker)
        return 0
    if asked.again:
        kind = "files" if asked.again.rpartition("-")[0] in known_commands() else "calls"
        print(*Worker(kind)(asked.again), sep=": ")
        if asked.keep and kind == "files":
            keep(asked.again, asked.keep)
        return 0
    started, bad = time.monotonic(), 0
    for kind in ("files", "calls"):
        if count := getattr(asked, kind):
            outcomes, failures = fuzz(kind, identities(kind, count, asked.first))
            report(kind, outcomes, failures)
            bad += len(failures)
    if asked.singles:
        outcomes, failures = fuzz("calls", calls.singles())
        report("single arguments", outcomes, failures)
        bad += len(failures)
    print(f"{time.monotonic() - started:.0f} s")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
