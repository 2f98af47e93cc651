"""The command `cutline`, and how it ends. Loading this module loads click and nothing heavier."""

from __future__ import annotations

import gc
import io
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType

import click

from cutline.cli.command import LazyGroup, Option
from cutline.cli.command_table import COMMANDS

# What other tools and other fields call an option: what to pass here.
OTHER_WORDS = {
    "--budget": "--quota",
    "--capacity": "--quota",
    "--top": "--quota",
    "--top-k": "--quota",
    "--slices": "--by",
    "--slice": "--by",
    "--pos-label": "--positive",
    "--cutoff": "--threshold",
}

FINE, FAILED, REFUSED, BROKEN, STOPPED = 0, 1, 2, 3, 130


def _show_version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from cutline import __version__

        click.echo(f"cutline {__version__}")
        ctx.exit()


def _show_completion(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    if value is None or ctx.resilient_parsing:
        return
    from cutline.cli.completion import find_shell, install_completion, make_script

    shell = find_shell() if value == "auto" else value
    if "--install-completion" in param.opts:
        click.echo(f"{install_completion(ctx.command, shell)} is written; it works in new terminals.")
    else:
        click.echo(make_script(ctx.command, shell), nl=False)
    ctx.exit()


def _make_completion_option(name: str, help: str) -> Option:
    """Make an option that takes a shell, or finds out which one is used."""
    return Option(
        [name],
        type=click.Choice(["auto", "bash", "zsh", "fish"]),
        is_flag=False,
        flag_value="auto",
        default=None,
        metavar="[SHELL]",
        is_eager=True,
        expose_value=False,
        callback=_show_completion,
        help=help,
    )


app = LazyGroup(
    name="cutline",
    params=[
        Option(
            ["--version"],
            is_flag=True,
            default=False,
            is_eager=True,
            expose_value=False,
            callback=_show_version,
            help="Print the version. Example: cutline --version",
        ),
        _make_completion_option("--install-completion", "Install completion for bash, zsh or fish."),
        _make_completion_option("--show-completion", "Show the script that completes, to copy it or change it."),
    ],
    help="How good a binary classifier is, how sure you can be of it, and where to draw the line.\n\n"
    "Exit codes: 0 fine, 1 a gate failed, 2 bad input or usage, 3 an error of cutline itself, 130 stopped by Ctrl-C.",
    epilog="Try it: cutline demo",
)


def load_commands() -> dict[str, click.Command]:
    """Load all commands, in the order of the help."""
    commands = {entry.name: app.get_command(None, entry.name) for entry in COMMANDS}
    return {name: command for name, command in commands.items() if command is not None}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return the exit code."""
    try:
        code = app(args=None if arguments is None else list(arguments), prog_name="cutline", standalone_mode=False)
    except click.NoSuchOption as error:
        return _refuse(_explain_unknown_option(error))
    except click.ClickException as error:
        return _refuse(error.format_message())
    except (click.Abort, KeyboardInterrupt):
        _say("Stopped.")
        return STOPPED
    except SystemExit:
        raise
    except BaseException as error:  # a panic of a library in Rust, as of the one that draws, is no Exception
        return _report_error(error)
    if code == STOPPED:
        _say("Stopped.")
    return code if isinstance(code, int) else FINE


def _explain_unknown_option(error: click.NoSuchOption) -> str:
    """Explain that an option is unknown, with its name in cutline."""
    here = OTHER_WORDS.get(error.option_name)
    if here is None or error.ctx is None or not any(here in param.opts for param in error.ctx.command.params):
        return error.format_message()
    return f"No such option {error.option_name!r}: it is called {here} here."


def _report_error(error: BaseException) -> int:
    """Report an error, a refusal or a defect of ours, and return the exit code."""
    from cutline.cli.text import name_options
    from cutline.core.errors import CutlineError
    from cutline.core.extras import explain_missing
    from cutline.core.memory import find_limit, is_out_of_memory

    if isinstance(error, ModuleNotFoundError):
        error = explain_missing(error) or error
    if isinstance(error, CutlineError):
        return _refuse(name_options(error))
    if is_out_of_memory(error):
        limit = find_limit()
        of_process = "" if limit is None else f", of which this process may use {limit / 1e9:.3g} GB (ulimit -v)"
        return _refuse(f"The predictions do not fit into memory{of_process}.")
    if isinstance(error, FileNotFoundError) and "temporary directory" in str(error):  # a full disk, or none to write on
        return _refuse(f"No temporary file can be made ({error.strerror}): free some space, or set TMPDIR.")
    if isinstance(error, OSError):
        return _refuse(f"{error.filename or _name_file(error)} cannot be used: {error.strerror or error}.")
    if os.environ.get("CUTLINE_DEBUG"):
        import traceback

        traceback.print_exception(error)
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    _say(
        f"This is an error of cutline, not of your data ({what[:200]}). Please report it with the command that you "
        "ran; with CUTLINE_DEBUG=1 in the environment it shows where it happened."
    )
    return BROKEN


def _name_file(error: OSError) -> str:
    """Return the subject of an error without a file name."""
    if not isinstance(error, FileNotFoundError):
        return "Standard output, or a temporary file,"
    try:
        Path.cwd()
    except OSError:
        return "The folder that you are in"
    return "A file"


def _refuse(message: str) -> int:
    _say(message)
    return REFUSED


def _say(message: str) -> None:
    """Print one line on standard error."""
    from cutline.cli.text import escape_controls

    with suppress(OSError):  # where nothing can be said, the exit code still says it
        sys.stderr.write(f"cutline: {escape_controls(' '.join(message.split()))}\n")


def run() -> None:
    """Run the installed command; a stream that the caller closed is replaced by null."""
    sys.stdout = sys.stdout or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - until Python ends
    sys.stderr = sys.stderr or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):  # a character that the terminal does not know is written out
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    for name in ("SIGTERM", "SIGHUP"):  # which would end Python at once, with unfinished files left behind
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _stop)
    code = main()
    if "duckdb" not in sys.modules:  # which would tell at the end of all that it was not asked to give back
        gc.freeze()  # Python would look for cycles in all that is left, for a tenth of the time of a small command
    sys.exit(128 + _signals[0] if _signals and code == STOPPED else code)


_signals: list[int] = []  # that told the command to stop, kept because DuckDB makes an interruption of any of them


def _stop(number: int, _: FrameType | None) -> None:
    _signals.append(number)
    raise SystemExit(128 + number)
