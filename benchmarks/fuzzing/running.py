"""One input: a command with its files, or a call with its arguments, and how it ended."""

from __future__ import annotations

import contextlib
import copy
import functools
import io
import os
import pickle
import re
import shutil
import sys
import threading
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from fuzzing import altered, calls, commands, left, oracle, sound, spelled
from fuzzing.verdicts import differs, ended, found, judged

_ADDRESS = re.compile(" at 0x[0-9a-fA-F]+")  # where something is in memory, which a copy is not


def run_file(identity: str, folder: Path) -> tuple[str, str]:
    """What a command does with its files: how it ended, and what it said."""
    kept = {*folder.iterdir()}
    try:
        if identity.startswith("resamples-"):
            return sound.few_resamples(identity, command)
        if identity.rpartition("-")[0] in sound.KINDS:
            return _run_sound(identity, folder)
        if identity.rpartition("-")[0] in altered.KINDS:
            return _run_altered(identity, folder)
        if identity.rpartition("-")[0] in spelled.KINDS:
            return _run_spelled(identity, folder)
        return _run_hostile(identity, folder)
    finally:
        os.umask(0o022)
        _sweep(folder, kept)


def _run_hostile(identity: str, folder: Path) -> tuple[str, str]:
    """A run of a command of which only the kind of its end is known, and perhaps what is in its file."""
    case = commands.case(identity, known_commands())
    for name, content in case.files.items():
        (folder / name).write_bytes(content)
    before = left.Folder(identity, folder, case.arguments)
    os.umask(before.umask)
    outcome, said = judged(case, *command(case.arguments, case.stdin), folder)
    if wrong := before.complaints(is_handed_on=case.arguments[0] in ("apply", "recalibrate")):
        return "traceback", f"{case.arguments[0]}: {'; '.join(wrong)}"
    return outcome, said


def _run_sound(identity: str, folder: Path) -> tuple[str, str]:
    """A run of a command whose right end is known."""
    asked = sound.run(identity)
    with _given(asked, folder) as (shown, stdin):
        arguments = [shown if word == "FILE" else word for word in asked.arguments]
        code, out, said = command(arguments, stdin)
    outcome, said = ended(arguments, code, out, said)
    if outcome in ("traceback", "refused"):
        is_wrong = outcome == "refused" and asked.must == "read"
        return ("misread", f"refused a sound file: {said}") if is_wrong else (outcome, said)
    if asked.must == "refuse":
        return "misread", f"read a name that means two columns: {arguments}"
    if "--csv" in arguments:
        wrong = left.formulas(out, "the table")
        return ("misread", "; ".join(wrong)) if wrong else ("read", said)
    for model in found(arguments[0], out):
        facts = oracle.facts(asked.truth[model["name"]])
        if wrong := differs(facts, model):
            return "misread", f"{wrong} of {model['name']!r}"
    return "checked", said


def _run_altered(identity: str, folder: Path) -> tuple[str, str]:
    """A run of a command on a file that must be refused."""
    name, content, arguments = altered.altered(identity)
    (folder / name).write_bytes(content)
    code, out, said = command([name if word == "FILE" else word for word in arguments], altered.CASES)
    outcome, said = ended(arguments, code, out, said)
    return ("misread", f"read {name}, which is damaged") if outcome == "read" else (outcome, said)


def _run_spelled(identity: str, folder: Path) -> tuple[str, str]:
    """A run of a command on a workbook, or on a column in percent or with decimal commas."""
    name, content, truth, must_read, must_refuse = spelled.made(identity)
    (folder / name).write_bytes(content)
    arguments = ["evaluate", name, "--label", "y", "--score", "p", *spelled.ASKED]
    code, out, said = command(arguments)
    outcome, said = ended(arguments, code, out, said)
    if outcome == "refused" and must_read:
        return "misread", f"refused a sound file: {said}"
    if outcome != "read":
        return outcome, said
    if must_refuse:
        return "misread", f"read {name}, which is written in two ways"
    wrong = differs(oracle.facts(truth), found("evaluate", out)[0])
    return ("misread", wrong) if wrong else ("checked", said)


@contextlib.contextmanager
def _given(asked: sound.Run, folder: Path) -> Iterator[tuple[str, bytes]]:
    """The name under which the command gets a file, and what standard input holds."""
    path = folder / asked.name
    if asked.way == "-":
        yield "-", asked.content
    elif asked.way == "path":
        path.write_bytes(asked.content)
        yield f"./{asked.name}" if asked.name.startswith(("-", "~")) else asked.name, b""
    else:
        os.mkfifo(path)
        threading.Thread(target=path.write_bytes, args=(asked.content,), daemon=True).start()
        yield f"./{asked.name}", b""
        with contextlib.suppress(OSError):  # a writer that nobody reads from is let go
            os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))


class Terminal(io.StringIO):
    """A stream that takes every character, as most terminals do."""

    encoding = "utf-8"


def command(arguments: list[str], stdin: bytes = b"") -> tuple[int, str, str]:
    """The exit code of a command, and what it printed and said."""
    from cutline.cli.main import main

    out, said, usual = Terminal(), Terminal(), sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin))
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(said):
            code = main(arguments)
    finally:
        sys.stdin = usual
    return code, out.getvalue(), said.getvalue()


def _sweep(folder: Path, kept: set[Path]) -> None:
    """Leave the folder as it was."""
    for where in {*folder.iterdir()} - kept:
        shutil.rmtree(where) if where.is_dir() and not where.is_symlink() else where.unlink()


@functools.cache
def known_commands() -> dict[str, Any]:
    """The commands, loaded once."""
    return commands.commands()


# ---------------------------------------------------------------------- calls


def run_call(identity: str, folder: Path) -> tuple[str, str]:
    """What a call does: a result, a refusal, or an error that is no sentence."""
    kept = {*folder.iterdir()}
    made, given, named = calls.call(identity)
    try:
        outcome, said = _called(made, given, named)
        wrong = [one for path in folder.rglob("*.*") if path.is_file() for one in left.in_file(path)]
    finally:
        _sweep(folder, kept)
    if outcome == "traceback" or wrong:
        shown = ", ".join([*map(_briefly, given), *(f"{key}={_briefly(value)}" for key, value in named.items())])
        return "traceback", f"{identity.rpartition('-')[0] or identity}: {'; '.join(wrong) or said} <- ({shown})"
    return outcome, said


def _called(made: Any, given: list[Any], named: dict[str, Any]) -> tuple[str, str]:
    from cutline import CutlineError

    quiet = contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO())
    try:
        with warnings.catch_warnings(), quiet[0], quiet[1]:
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", RuntimeWarning)
            result = made(*given, **named)
    except CutlineError as refusal:
        wrong = _copied(refusal)
        return ("traceback", wrong) if wrong else ("refused", str(refusal))
    except Exception as error:
        if isinstance(error, TypeError) and "unexpected keyword argument" in str(error):
            return "refused", str(error)  # which is Python's own sentence
        return "traceback", f"{type(error).__name__}: {error}"
    has_functions = any(callable(one) for one in (*given, *named.values()))  # which need not be found by name elsewhere
    wrong = "" if has_functions else _copied(result)
    return ("traceback", wrong) if wrong else ("read", "")


def _copied(result: Any) -> str:
    """What is wrong with a result or a refusal of ours after it went to another process, or was copied."""
    if not type(result).__module__.startswith("cutline"):  # somebody's own thing
        return ""
    try:
        there, copied, deeply = pickle.loads(pickle.dumps(result)), copy.copy(result), copy.deepcopy(result)  # noqa: S301
        is_same = type(there) is type(copied) is type(deeply) is type(result)
        is_same = is_same and _ADDRESS.sub("", repr(there)) == _ADDRESS.sub("", repr(result))
        # An evaluation equals itself alone, and so does what holds one, or something of the caller's.
        has_parts = type(result).__eq__ not in (object.__eq__, tuple.__eq__, Mapping.__eq__)
        is_equal = not has_parts or _ADDRESS.search(repr(result)) or there == deeply == result
    except Exception as error:
        return f"a {type(result).__name__} does not survive a copy: {type(error).__name__}: {error}"
    return "" if is_same and is_equal else f"a {type(result).__name__} is another after a copy"


def _briefly(value: object) -> str:
    try:
        return repr(value).replace("\n", " ")[:60]
    except Exception:
        return type(value).__name__
