"""How a run of the command ended, by its exit code and what it printed, and what the independent reader finds."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

from fuzzing import commands, oracle

GATES = ("check", "cut")  # which alone may end with exit code 1


def judged(case: commands.Case, code: int, out: str, said: str, folder: Path) -> tuple[str, str]:
    """How a run of the command ended, by what it printed and what it left behind."""
    left = [one.name for one in folder.iterdir() if one.name.startswith(".cutline-")]
    if left:
        return "traceback", f"{case.arguments[0]}: left {left}, said {said}"
    outcome, said = ended(case.arguments, code, out, said)
    return (compared(case, out, folder), said) if outcome == "read" else (outcome, said)


def ended(arguments: list[str], code: int, out: str, said: str) -> tuple[str, str]:
    """How a run of the command ended, by what it printed."""
    command = arguments[0]
    is_handed_on = command == "apply" and not {"--output", "-o"} & {*arguments}  # the rows of the file, for a program
    raw = [character for character in ("" if is_handed_on else out) + said if _is_raw(character)]
    if code not in (0, 1, 2) or (code == 1 and command not in GATES):
        return "traceback", f"{command}, exit code {code}: {said}"
    if raw or "Warning" in said or "Traceback" in said:
        return "traceback", f"{command}: raw {raw[:3]}, said {said}"
    if code == 2:
        is_one = said.count("\n") == 1 and said.startswith("cutline: ")
        return ("refused", said) if is_one else ("traceback", f"{command}: not one sentence: {said}")
    if code == 1 and not out.strip() and "--quiet" not in arguments:
        return "traceback", f"{command}: a gate failed without a word"
    if "--json" in arguments and "--list" not in arguments:
        json.loads(out)
    return "read", said


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
        models = found(command, out)
        wanted = {m["name"]: oracle.cases(folder / file, case.options, m["name"]) for m in models if m["name"] in "pq"}
    except Exception:  # what the independent reader cannot read, it cannot judge
        return "read"
    outcome = "read"
    for model in models:
        facts = oracle.facts(wanted[model["name"]] or []) if model["name"] in wanted else None
        if facts is not None:
            outcome = "checked"
            if differs(facts, model):
                return "misread"
    return outcome


def found(command: str, out: str) -> list[dict[str, Any]]:
    """What the command printed about each model."""
    document = json.loads(out)
    return [*document["models"].values()] if command == "compare" else [document]


def differs(facts: dict[str, float] | None, model: dict[str, Any]) -> str:
    """Which facts about a model the command and the independent reader do not share."""
    if facts is None:
        return ""
    measured = [("auc", row["value"]) for row in model["measures"] if row["measure"] == "auc"]
    said = [("positives", model["positives"]), ("negatives", model["negatives"]), *measured]
    return ", ".join(
        f"{what} {number} for {facts[what]}"
        for what, number in said
        if number is not None and abs(number - facts[what]) > 1e-9 * max(1, abs(facts[what]))
    )


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
    if "--quota" in options:  # the best cases of this file, of equal ones the first
        best = sorted(range(len(scores)), key=lambda row: -sign * scores[row])[: int(options["--quota"][0])]
        flags = [row in best for row in range(len(scores))]
    else:
        flags = [sign * score >= sign * threshold for score in scores]
    return "checked" if flags == [row[column] in (True, "true") for row in after] else "misread"


def _single(number: float) -> float:
    """The nearest single float."""
    return struct.unpack("f", struct.pack("f", number))[0] if abs(number) < 1e38 else number
