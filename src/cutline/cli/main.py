"""The command `cutline`: its commands, and how it ends. Loading this module loads Typer and nothing heavier."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer

from cutline.cli import (
    calibration_commands,
    chart_command,
    cut_commands,
    mcp_command,
    ranking_commands,
    utility_commands,
    why_command,
)
from cutline.cli import engine_options as e
from cutline.cli import options as o
from cutline.cli.application import Application, Commands
from cutline.cli.class_options import ClassScores, ClassScoresOfModels
from cutline.cli.completion import measure_names, study_names
from cutline.cli.groups import Asked, Circumstances, Files, Gate, Intervals, LargeReading, Named, Output, ReadingAtCut

FINE, FAILED, REFUSED, BROKEN, STOPPED = 0, 1, 2, 3, 130

# The groups of commands that --help shows.
JUDGE, DECIDE, LARGE, LEARN = (
    {"rich_help_panel": title}
    for title in ("How good is it?", "Where to draw the line?", "Large data and other tools", "Learn")
)

app = Application(
    name="cutline",
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    help="How good a binary classifier is, how sure you can be of it, and where to draw the line.\n\n"
    "Exit codes: 0 fine, 1 a gate failed, 2 bad input or usage, 3 an error of cutline itself, 130 stopped by Ctrl-C.",
    epilog="Try it: cutline demo",
)


def _show_version(value: bool) -> None:
    if value:
        from cutline import __version__

        typer.echo(f"cutline {__version__}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Print the version. Example: cutline --version"
        ),
    ] = False,
) -> None:
    pass


@app.command(**JUDGE, epilog="Example: cutline evaluate predictions.csv --label y --score p --quota 100")
def evaluate(
    files: e.Files = None,
    *,
    reading: LargeReading,
    asked: Asked,
    output: Files,
    name: o.Name = None,
    template: o.PageTemplate = o.Template.report,
    plugin: o.Plugin = None,
    ranking_csv: e.RankingCsv = None,
    class_scores: ClassScores = None,
    by: e.By = None,
) -> None:
    """Evaluate one model: what it gets right, every number with its interval, and what to know about them."""
    from cutline.cli.evaluate import run_evaluate

    if by is not None:
        from cutline.cli.slices import run_slices

        unused = {"--ranking-csv": ranking_csv, "--class-scores": class_scores}
        run_slices(files or [], by, reading, asked, output, name, unused)
        return
    if class_scores:
        from cutline.cli.classes import ClassModel, run_classes

        asked_of = ClassModel(files or [], class_scores, name, template.value, ranking_csv)
        run_classes(asked_of, reading, asked, output)
        return
    run_evaluate(files or [], reading, asked, output, name=name, template=template.value, ranking_csv=ranking_csv)


@app.command(**JUDGE, epilog="Example: cutline compare predictions.csv --label y --score model_a --score model_b")
def compare(
    files: o.SeveralFiles,
    reading: ReadingAtCut,
    asked: Named,
    output: Files,
    plugin: o.Plugin = None,
    class_scores: ClassScoresOfModels = None,
    independent: e.Independent = False,
) -> None:
    """Compare models on the same cases: differences with intervals, and whether they are significant."""
    from cutline.cli.evaluate import run_compare

    if independent:
        from cutline.cli.rankings import run_independent

        run_independent(files, reading, asked, output)
        return
    if class_scores:
        from cutline.cli.classes import run_class_comparison

        run_class_comparison(files, class_scores, reading, asked, output)
        return
    run_compare(files, reading, asked, output)


@app.command(**JUDGE, epilog="Example: cutline check predictions.csv --label y --score p --require 'auc.low >= 0.8'")
def check(
    file: o.File, gate: Gate, reading: ReadingAtCut, asked: Intervals, output: Output, plugin: o.Plugin = None
) -> None:
    """A gate for continuous integration: exit 1 when a requirement does not hold, 0 when all do.

    A requirement sets a bound for a measure, or for its .low or .high limit; put parameters after @.

    --no-worse fails when the whole interval of the paired difference is on the worse side.

    With --margin it fails unless the whole interval excludes a loss larger than the margin.

    With --undecided, values are judged by their intervals; one that holds the bound inside is undecided.
    """
    from cutline.cli.check import run_check

    raise typer.Exit(FINE if run_check(file, reading, asked, gate, output) else FAILED)


app.command(
    **DECIDE, epilog="Example: cutline cut predictions.csv --label y --score p --require 'recall >= 0.9' -o cut.json"
)(cut_commands.cut)
app.command(
    **JUDGE, epilog="Examples: cutline chart --list; cutline chart predictions.csv roc --label y --score p -o roc.svg"
)(chart_command.chart)
app.command(**LARGE, epilog="Example: cutline rank 'preds/*.parquet' --label y --score p -o monday.ranking")(
    ranking_commands.rank
)
app.command(**LARGE, epilog="Example: cutline merge monday.ranking tuesday.ranking -o week.ranking")(
    ranking_commands.merge
)
app.command(**LARGE, epilog="Example: cutline sql --label y --score p --from shop.predictions --dialect bigquery")(
    ranking_commands.sql
)
app.command(**DECIDE, epilog="Example: cutline apply cut.json new.csv --score p -o flagged.csv")(cut_commands.apply)
app.command(**DECIDE, epilog="Example: cutline gains predictions.csv --label y --score p -o gains.csv")(
    utility_commands.gains
)
app.command(
    **DECIDE, epilog="Example: cutline utility predictions.csv --label y --score p --kind profit --value 60 --cost 9"
)(utility_commands.utility)
app.command(
    **JUDGE, epilog="Example: cutline recalibrate predictions.csv --label y --score p --method beta -o model.json"
)(calibration_commands.recalibrate)
app.command(**DECIDE, epilog="Example: cutline plan --prevalence 0.1 --auc 0.75 --auc-width 0.1 --slope-width 0.4")(
    calibration_commands.plan
)
app.command(**JUDGE, epilog="Example: cutline why predictions.csv --label y --score p --measure auc --value 0.8731")(
    why_command.why
)
app.command(**LARGE, epilog="Example: cutline mcp --root predictions")(mcp_command.mcp)


@app.command(
    **LEARN, epilog="Examples: cutline measures; cutline measures mcc; cutline measures kappa; cutline measures --json"
)
def measures(
    name: Annotated[
        str | None,
        typer.Argument(
            help="A measure by name or alias, or a word to look for.", show_default=False, autocompletion=measure_names
        ),
    ] = None,
    family: o.InFamily = None,
    json: o.Json = False,
    plugin: o.Plugin = None,
) -> None:
    """List the measures, or explain one: what it means, its formula, range, and when it is undefined."""
    from cutline.cli.measures import run_measures

    run_measures(name, family and family.value, json)


@app.command(**LEARN, epilog="Example: cutline advise --goal quota --quota-known --missed-costly")
def advise(situation: Circumstances, json: o.Json = False) -> None:
    """Which measures to use in your situation, and why; asks what it is, or takes it from the options."""
    from cutline.cli.advise import run_advise

    run_advise(vars(situation) | {"goal": situation.goal and situation.goal.value}, json)


@app.command(**LEARN, epilog="Example: cutline demo --html demo.html")
def demo(html: o.Html = None, force: o.Force = False) -> None:
    """Evaluate the predictions that come with the package, and compare two models."""
    from cutline.cli.demo import run_demo

    run_demo(html, force=force)


@app.command(
    **LEARN, epilog="Examples: cutline study --list; cutline study skew --quick; cutline study quota --data folder"
)
def study(
    name: Annotated[
        str | None, typer.Argument(help="The name of a study.", show_default=False, autocompletion=study_names)
    ] = None,
    list: Annotated[bool, typer.Option("--list", help="List the studies. Example: cutline study --list")] = False,
    data: Annotated[
        Path | None,
        typer.Option(help="A folder with the data sets as CSV files, for the study quota. Example: --data uci"),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="The folder to write to; study-NAME when left out. Example: --out results")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="A short version, in less than two minutes.")] = False,
    seed: o.Seed = 0,
    jobs: Annotated[int, typer.Option(min=1, help="How many processes work at the same time. Example: --jobs 4")] = 2,
    quiet: o.Quiet = False,
) -> None:
    """Run a published experiment again: its tables and figures, and which numbers agree with the text."""
    from cutline.cli.study import list_studies, run_study
    from cutline.core.errors import ParameterError

    if list:
        list_studies()
    elif name is None:
        raise ParameterError("Pass the name of a study, or --list to see them.")
    else:
        run_study(name, data, out, quick, seed, jobs, quiet)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code."""
    try:
        code = app(args=None if arguments is None else list(arguments), prog_name="cutline", standalone_mode=False)
    except typer.TyperException as error:
        error.message = error.message.removeprefix("Value error, ")  # Typer's word for a value it cannot convert
        message = error.format_message()
        return _refuse(message) if message else REFUSED  # the help was shown
    except (typer.Abort, KeyboardInterrupt):
        _say("Stopped.")
        return STOPPED
    except MemoryError:
        return _refuse("The predictions do not fit into memory.")
    except SystemExit:
        raise
    except BaseException as error:  # a panic of a library in Rust, as of the one that draws, is no Exception
        return _ended_by(error)
    if code == STOPPED:  # Typer takes an interruption for itself, without a word
        _say("Stopped.")
    return code if isinstance(code, int) else FINE


def _ended_by(error: BaseException) -> int:
    """What to say of an error: a refusal in the words of the command line, or that it is ours."""
    from cutline.cli.text import in_options
    from cutline.core.errors import CutlineError

    if isinstance(error, CutlineError):
        return _refuse(in_options(error))
    if isinstance(error, FileNotFoundError) and "temporary directory" in str(error):  # a full disk, or none to write on
        return _refuse(f"No temporary file can be made ({error.strerror}): free some space, or set TMPDIR.")
    if isinstance(error, OSError):
        return _refuse(f"{error.filename or _nameless(error)} cannot be used: {error.strerror or error}.")
    if os.environ.get("CUTLINE_DEBUG"):
        import traceback

        traceback.print_exception(error)
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    _say(
        f"This is an error of cutline, not of your data ({what[:200]}). Please report it with the command that you "
        "ran; with CUTLINE_DEBUG=1 in the environment it shows where it happened."
    )
    return BROKEN


def _nameless(error: OSError) -> str:
    """What an error without the name of a file is about."""
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
    """One line on standard error."""
    from cutline.cli.text import printable

    with suppress(OSError):  # where nothing can be said, the exit code still says it
        sys.stderr.write(f"cutline: {printable(' '.join(message.split()))}\n")


def run() -> None:
    """The entry point of the installed command; a stream that the caller closed is one to nowhere."""
    sys.stdout = sys.stdout or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - until Python ends
    sys.stderr = sys.stderr or Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):  # a character that the terminal does not know is written out
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    for name in ("SIGTERM", "SIGHUP"):  # which would end Python at once, with unfinished files left behind
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _stop)
    sys.exit(main())


def _stop(number: int, _: FrameType | None) -> None:
    raise SystemExit(128 + number)
