"""Hostile files, options and arguments: what the command and the package do with them, against an independent reader.

    python benchmarks/fuzz.py --files 20000 --calls 100000 --singles --faults 60 --journal build/fuzz.jsonl  # make fuzz
    python benchmarks/fuzz.py --again evaluate-4711 --keep out      # one input again, its files kept in a folder

Every input follows from its name, such as evaluate-4711, or cl.evaluate~labels~17, a call with one wrong argument
(`--singles`: each argument of each function with each wrong value, all others sensible). Some files are sound, in odd
but legal layouts, and must be read; some hold a name twice, are damaged at their end or altered with a right
checksum, and must be refused; and what few resamples say must agree with many. `--faults` are signals, full disks,
streams that are closed, forks, other processes, memory, odd environments and modules that are imported in any order.
Workbooks and columns in percent or with decimal commas must be read to the digit. Commands and calls run in worker
processes (`--workers`, as many as there are cores), each of which takes many of them, so that a crash or a hang costs
one worker and is counted; what a command prints of a file that it read is checked against rows that Python's own csv
and json modules and pyarrow read. Prints inputs tried, refusals, tracebacks, crashes, hangs and misreadings, at the
end all of them with the commit, and ends with exit code 1 unless these four are 0. A run with a journal that was
stopped goes on where it was when it is started again on the same code; a journal of other code is begun anew.
"""

from __future__ import annotations

import argparse
import collections
import contextlib
import hashlib
import json
import os
import selectors
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from fuzzing import altered, calls, commands, sound, spelled
from fuzzing.faults import FAULTS, run_fault
from fuzzing.running import known_commands, run_call, run_file

ROOT = Path(__file__).parents[1]
CODE = ("src", "benchmarks/fuzz.py", "benchmarks/fuzzing")  # what an end of an input depends on
HANG = 20  # seconds of work for one input
ROUNDS = {"files": 10, "calls": 10, "faults": 60}  # ... and how often so long is waited where nothing is done
BAD = ("traceback", "crash", "hang", "misread")  # how an input must not end
# How often each command is run; those that are not listed, once.
OFTEN = {"evaluate": 32, "compare": 12, "check": 10, "cut": 8, "apply": 10, "recalibrate": 8, "chart": 8, "plan": 4}
KINDS_OF_FILES = sound.KINDS | altered.KINDS | spelled.KINDS  # ... beside hostile ones, and how often

RUNS = {"files": run_file, "calls": run_call, "faults": run_fault}

# ---------------------------------------------------------------------- workers


def work(kind: str) -> None:
    """Take names from standard input, and answer each with a line of JSON."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    asked = os.fdopen(os.dup(0))
    {"files": known_commands, "calls": calls.targets}.get(kind, list)()  # loaded before the first input is timed
    answers.write("ready\n")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for line in asked:
            identity = line.strip()
            try:
                outcome, said = RUNS[kind](identity, Path(folder))
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
            self.process.stdout.readline()  # that it is ready
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
        """Whether there is an answer in time; on a busy machine, in the time that the process got.

        Rounds are counted and not the time that has passed, which goes on while this program itself is paused.
        """
        before = _cpu(self.process.pid)
        with selectors.DefaultSelector() as ready:
            ready.register(self.process.stdout, selectors.EVENT_READ)
            for _ in range(ROUNDS[self.kind]):
                if ready.select(HANG):
                    return True
                if _cpu(self.process.pid) - before > HANG:
                    return False
        return False

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
        often = {name: OFTEN.get(name, 1) for name in known_commands()} | KINDS_OF_FILES
        names = [name for name in often for _ in range(often[name])]
    else:
        names = [*FAULTS] if kind == "faults" else [*calls.targets()]
    return [f"{names[number % len(names)]}-{number}" for number in range(first, first + count)]


def describe_code() -> str:
    """Return the commit, and a checksum of what was changed since it; "unknown" outside a repository."""

    def git(*arguments: str) -> bytes:
        return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, check=True).stdout  # noqa: S607

    try:
        commit = git("rev-parse", "HEAD").decode().strip()
        changed = git("diff", "HEAD", "--", *CODE)
        for name in sorted(git("ls-files", "-z", "--others", "--exclude-standard", "--", *CODE).split(b"\0")[:-1]):
            changed += name + (ROOT / os.fsdecode(name)).read_bytes()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return commit if not changed else f"{commit} with changes {hashlib.sha256(changed).hexdigest()[:12]}"


class Journal:
    """How inputs ended, kept in a file so that a run that was stopped goes on where it was."""

    def __init__(self, path: Path | None, code: str = "unknown") -> None:
        self.known: dict[str, tuple[str, str]] = {}
        self.path = path
        if path is None:
            return
        lines = path.read_text(encoding="utf-8").split("\n") if path.exists() else []
        # The last line has no end where the run was killed in the middle of it.
        whole = [json.loads(line) for line in lines[:-1]]
        is_of_this_code = code != "unknown" and whole[:1] == [{"code": code}]
        if is_of_this_code:
            self.known = {identity: (outcome, said) for identity, outcome, said in whole[1:]}
            print(f"{path} knows {len(self.known)} inputs of this code.", flush=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        kept = [{"code": code}, *([identity, *ended] for identity, ended in self.known.items())]
        path.write_text("".join(json.dumps(line) + "\n" for line in kept), encoding="utf-8")

    def add(self, identity: str, outcome: str, said: str) -> None:
        """Keep how an input ended."""
        if self.path:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps([identity, outcome, said if outcome in BAD else ""]) + "\n")


def fuzz(
    kind: str, asked: Iterable[str], journal: Journal | None = None, workers: int = 1
) -> tuple[collections.Counter[str], list[tuple[str, str, str]]]:
    """How inputs ended, and those that ended badly."""
    journal, ends, lock, left = journal or Journal(None), {}, threading.Lock(), iter(asked)

    def take() -> None:
        """Run inputs in a process of its own until there are no more."""
        worker = Worker(kind)
        try:
            while (identity := _next(left, lock)) is not None and not stopped.is_set():
                known = journal.known.get(identity)
                ended = known or worker(identity)
                with lock:
                    ends[identity] = ended
                    if not known:
                        journal.add(identity, *ended)
        finally:
            worker.stop()

    stopped = threading.Event()
    takers = [threading.Thread(target=take) for _ in range(workers)]
    try:
        for taker in takers:
            taker.start()
        for taker in takers:
            taker.join()
    except KeyboardInterrupt:
        stopped.set()
        raise
    outcomes = collections.Counter(outcome for outcome, _ in ends.values())
    return outcomes, [(identity, *ended) for identity, ended in ends.items() if ended[0] in BAD]


def _next(left: Iterator[str], lock: threading.Lock) -> str | None:
    with lock:
        return next(left, None)


def report(kind: str, outcomes: collections.Counter[str], failures: list[tuple[str, str, str]]) -> None:
    """Print how the inputs of a kind ended, and the bad ones, those that say the same together."""
    read = outcomes["read"] + outcomes["checked"]
    bad = ", ".join(f"{outcomes[what]} {what}" for what in BAD)
    checked = f" ({outcomes['checked']} checked against the independent reader)" if kind == "files" else ""
    tried = f"{kind}: {sum(outcomes.values())} tried, {read} read{checked}, {outcomes['refused']} refused, {bad}"
    print(tried, flush=True)
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
    options.add_argument("--faults", type=int, default=0, help="signals, full disks, forks, other processes, memory")
    options.add_argument("--singles", action="store_true", help="each argument of each function, one wrong at a time")
    options.add_argument("--first", type=int, default=0, help="the number of the first input")
    options.add_argument("--journal", type=Path, help="a file of how inputs ended; what is in it is not run again")
    options.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes that work at once")
    options.add_argument("--again", help="the name of one input")
    options.add_argument("--keep", type=Path, help="a folder for the files of that input")
    options.add_argument("--worker", choices=RUNS, help=argparse.SUPPRESS)
    asked = options.parse_args()
    if asked.worker:
        work(asked.worker)
        return 0
    if asked.again:
        name = asked.again.rpartition("-")[0]
        kind = "files" if name in {*known_commands(), *KINDS_OF_FILES} else "faults" if name in FAULTS else "calls"
        print(*Worker(kind)(asked.again), sep=": ")
        if asked.keep and name in known_commands():
            keep(asked.again, asked.keep)
        return 0
    started, code, total = time.monotonic(), describe_code(), collections.Counter()
    journal = Journal(asked.journal, code)
    counts = []
    inputs = {kind: (kind, identities(kind, count, asked.first)) for kind in RUNS if (count := getattr(asked, kind))}
    if asked.singles:
        inputs["single arguments"] = "calls", calls.singles()
    for title, (kind, names) in inputs.items():
        outcomes, failures = fuzz(kind, names, journal, asked.workers)
        report(title, outcomes, failures)
        total += outcomes
        counts.append(f"{len(names)} {title}")
    print(f"commit {code}: {', '.join(counts)}: {', '.join(f'{total[what]} {what}' for what in BAD)}")
    before = f", beside {len(journal.known)} inputs of an earlier run" if journal.known else ""
    print(f"{time.monotonic() - started:.0f} s with {asked.workers} workers{before}")
    return 1 if any(total[what] for what in BAD) else 0


if __name__ == "__main__":
    sys.exit(main())
