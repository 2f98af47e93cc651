"""`cutline monitor`: whether a model has become worse since its release."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.text import Text

from cutline.cli import options as o
from cutline.cli import render
from cutline.cli.command import FileName, Fraction, add_options, argument, command, option
from cutline.cli.output import PageOutput
from cutline.cli.text import escape_controls
from cutline.core.atomic_write import hold_folder
from cutline.core.errors import InputError, ParameterError
from cutline.core.table import format_value

if TYPE_CHECKING:
    from cutline.monitoring import Monitor

STATE = "Keep a state"
_SHOWN = ("measure", "value", "cumulated", "low", "high", "release", "limit", "status")
_HEADS = ("measure", "that day", "since release", "low", "high", "release", "limit", "")


@dataclass(frozen=True)
class WatchOptions:
    """Options of the watched measures."""

    measure: tuple[str, ...] = option(
        "--measure",
        multiple=True,
        group=o.NUMBERS,
        help="What to watch: a measure, calibration or psi; can be repeated. By default recall, auc and, for "
        "probabilities, calibration. Example: --measure recall --measure calibration",
    ).field()
    cut: str | None = option(
        "--cut",
        group=o.CUT,
        help="The cut: a threshold, or the file that `cutline cut -o` wrote. Examples: --cut 0.3, --cut cut.json",
    ).field()
    worse_by: tuple[str, ...] = option(
        "--worse-by",
        multiple=True,
        group=o.CONDITIONS,
        help="The loss that is tolerated, for all measures or for one. Examples: --worse-by 5%, --worse-by recall=5%",
    ).field()
    level: float = o.LEVEL.field()
    alarm: str = option(
        "--alarm",
        type=click.Choice(["ever", "every"]),
        default="ever",
        group=o.CONDITIONS,
        help="ever: the probability of ever raising a false alarm is at most 1 - level. every: a detector of late "
        "changes, whose false alarms are --run-length days apart on average. Example: --alarm every",
    ).field()
    run_length: int = option(
        "--run-length",
        type=int,
        default=3650,
        group=o.CONDITIONS,
        help="Days between false alarms on average, with --alarm every. Example: --run-length 1000",
    ).field()
    matures: int | None = option(
        "--matures",
        type=int,
        group=o.DATA,
        help="Days until the labels of a day are complete; more recent days wait. Example: --matures 30",
    ).field()
    model: str | None = option(
        "--model",
        group=o.DATA,
        help="The version of the model; days of another version are refused. Example: --model v3",
    ).field()

    @property
    def tolerated(self) -> float | dict[str, float] | None:
        """Tolerated loss as `cutline.monitor` takes it."""
        if not self.worse_by:
            return None
        named = dict(text.split("=", 1) for text in self.worse_by if "=" in text)
        plain = [text for text in self.worse_by if "=" not in text]
        if plain and (named or len(plain) > 1):
            raise ParameterError(
                "--worse-by takes one number for all measures, or one for each", "pass one or the other"
            )
        try:
            if plain:
                return Fraction.read(plain[0])
            return {name.strip(): Fraction.read(value) for name, value in named.items()}
        except ValueError:
            raise ParameterError(
                f"--worse-by is {' '.join(self.worse_by)!r}", "pass a number, or recall=0.05"
            ) from None

    @property
    def cut_or_threshold(self) -> Any:
        """Cut as a number, or as the path of its file."""
        try:
            return None if self.cut is None else float(self.cut)
        except ValueError:
            return self.cut


@dataclass(frozen=True)
class StateOptions:
    """Options of the state that one call leaves for the next."""

    state: Path | None = option(
        "--state",
        type=o.PATH,
        group=STATE,
        help="The state file: read if it exists, and written with the new days. Example: --state monitor.json",
    ).field()
    merge: tuple[str, ...] = option(
        "--merge",
        type=FileName(),
        multiple=True,
        group=STATE,
        help="Add the state of another machine. Example: --merge other.json",
    ).field()
    acknowledge: str | None = option(
        "--acknowledge",
        group=STATE,
        help="Acknowledge the alarms of a day; needs --why. Example: --acknowledge 2026-11-07 --why 'a campaign'",
    ).field()
    rebaseline: str | None = option(
        "--rebaseline",
        type=FileName(),
        group=STATE,
        help="Compare later days with this release; needs --why. Example: --rebaseline new.ranking --why retrained",
    ).field()
    why: str | None = option(
        "--why", group=STATE, help="The reason, which is recorded. Example: --why 'a campaign, known'"
    ).field()

    def check(self) -> None:
        """Raise if a decision lacks its reason or its state."""
        decides = self.acknowledge is not None or self.rebaseline is not None
        if decides != (self.why is not None):
            raise ParameterError("--acknowledge and --rebaseline need --why, and --why needs one of them", "pass both")
        if (decides or self.merge) and self.state is None:
            raise ParameterError("--acknowledge, --rebaseline and --merge change a state", "pass --state too")


@command
@argument("release", type=FileName(), metavar="RELEASE", help="The ranking file of the release's test set.")
@argument(
    "days",
    type=FileName(),
    nargs=-1,
    metavar="DAY...",
    help="Ranking files named after their days, such as 2026-11-01.ranking; a quoted pattern is expanded.",
)
@add_options(WatchOptions, "watch")
@add_options(StateOptions, "memory")
@add_options(PageOutput, "output")
@click.pass_context
def monitor(
    ctx: click.Context,
    release: str,
    days: tuple[str, ...],
    watch: WatchOptions,
    memory: StateOptions,
    output: PageOutput,
) -> None:
    """Add the days, show what they say, and end with 1 while an alarm is open."""
    memory.check()
    output.check()
    before = _read_state(memory.state)
    watched = _update_monitor(release, _expand_patterns(days), watch, memory)
    if memory.state is not None:
        with hold_folder(memory.state.resolve().parent):
            if _read_state(memory.state) != before:  # whose days would be lost
                problem = f"Another command has written {str(memory.state)!r} in the meantime"
                raise InputError(problem, "run this one again, which adds its days to that state")
            watched.save(memory.state)
        output.say(f"The state is in {memory.state}.")
    output.write_page(watched)
    output.print(watched.to_dict, watched.table.to_csv, lambda screen: _show(screen, watched, quiet=output.quiet))
    ctx.exit(0 if watched.passed else 1)


def _read_state(path: Path | None) -> bytes | None:
    """Return the content of the state; None if it is missing or cannot be read, which is reported later."""
    try:
        return None if path is None else path.read_bytes()
    except OSError:
        return None


def _expand_patterns(days: Sequence[str]) -> list[str]:
    """Return the files; a pattern that the shell left alone is expanded here, and must match."""
    files: list[str] = []
    for day in days:
        matching = sorted(glob.glob(day)) if glob.has_magic(day) else [day]  # noqa: PTH207
        if not matching:
            raise ParameterError(f"No file matches {day!r}", "pass the ranking files of the days")
        files += matching
    return files


def _update_monitor(release: str, days: list[str], watch: WatchOptions, memory: StateOptions) -> Monitor:
    """Return the monitor: a new one, or the one of the state, with the days and decisions added."""
    import cutline as cl

    measures = list(watch.measure) or None
    if memory.state is not None and memory.state.exists():
        watched: Monitor = cl.load(memory.state)
        settings = {"cut": watch.cut_or_threshold, "measures": measures, "worse_by": watch.tolerated}
        watched.check_started_with(release, model=watch.model, **settings)
        watched.resume(days, model=watch.model)
    else:
        watched = cl.monitor(
            release,
            days,
            measures=measures,
            cut=watch.cut_or_threshold,
            worse_by=watch.tolerated,
            level=watch.level,
            alarm=watch.alarm,
            run_length=watch.run_length,
            matures=watch.matures,
            model=watch.model,
        )
    for path in memory.merge:
        watched = watched.merge(cl.load(path))
    if memory.acknowledge is not None:
        watched.acknowledge(memory.acknowledge, memory.why or "")
    if memory.rebaseline is not None:
        watched.rebaseline(memory.rebaseline, memory.why or "")
    return watched


def _show(screen: Console, watched: Monitor, *, quiet: bool) -> None:
    """Print the last day, the alarms and the verdict."""
    measured = [row for row in watched.table if row["measure"]]
    last = [row for row in measured if row["day"] == measured[-1]["day"]]
    if last:
        rows = [[format_value(row[name]) for name in _SHOWN] for row in last]
        screen.print(
            render.make_grid(screen, _HEADS, rows, title=f"{watched.title}. The last day is {last[0]['day']}.")
        )
    screen.print(Text(escape_controls(watched.verdict)))
    if not quiet:
        for note in watched.notes:
            screen.print(Text(escape_controls(note)))
