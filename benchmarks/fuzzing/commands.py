"""Command lines: every command of `cutline` with files, sensible options and hostile ones, found in the command itself.

A command or an option that is added to the program is tried from then on without a word here.
"""

from __future__ import annotations

import json
import random
from functools import cache
from typing import Any, NamedTuple

from fuzzing import tables

# What people write by mistake or by malice where an option takes a value.
HOSTILE = (
    "", " ", "nan", "inf", "-inf", "-1", "0", "1e308", "1e-320", "1e400", "x", "é", "\x9b", "\x1b[2J", "=1+1",
    "a" * 300,
    "none", "../x", "no/such", ".", "/", "/dev/full", "/dev/null", "0x10", "\N{FULLWIDTH DIGIT ONE}", "1_0", "1,5", "'",
    '"', ";", "%s", "{name}", "\n", "\\", "--", "-", "-5", "99999999999999999999", "0.30000000000000004", "auc@quota=3",
    "auc@", "@", "auc.low", ",", "auc,,mcc", "f_beta@beta=nan", "recall >= ", "recall >= 2", "recall > 0.5",
    "auc >= nan",
    "\udcff", "1e9", "2.5", "True", "null", "[1]", "p", "y", "w", "g", "f.csv", "cut.json", "~nosuchuser/x", "a=b", "=",
)  # fmt: skip

# What makes sense, by the name of the option; several kinds of data make the same option sensible or not.
SENSIBLE: dict[str, tuple[str, ...]] = {
    "--threshold": ("0.5", "0", "0.25"), "--quota": ("3", "1", "10"), "--share": ("0.1", "0.5", "1"),
    "--level": ("0.9", "0.99", "0.5"), "--resamples": ("0", "100", "100"), "--seed": ("7", "0"), "--missing": ("drop",),
    "--measures": ("auc,mcc", "f_beta@beta=2", "auc", "hit_rate@quota=3,auc"), "--family": ("cut", "ranking", "cost"),
    "--format": tables.KINDS, "--name": ("May",), "--html": ("out.html",), "--template": ("report", "clinical"),
    "--save": ("out.json", "out.csv", "out.html", "out.svg"), "--png": ("pictures",), "--plugin": ("no_such_module",),
    "--margin": ("0.1",), "--no-worse": ("auc", "f1"), "--against": ("old.csv",), "--against-score": ("q",),
    "--cut": ("cut.json",), "--undecided": ("pass", "fail"), "--junit": ("out.xml",), "--maximize": ("f1", "precision"),
    "--minimize": ("fpr", "log_loss"), "--cost-fp": ("1",), "--cost-fn": ("5",), "--utility": ("tp=5,fp=-1",
    "5,-1,0,0"),
    "--prevalence": ("0.1", "0.4"), "--confidence": ("0.9",), "--column": ("flag",), "--to-prevalence": ("0.2",),
    "--set": ("cost_fn=5", "quota=3", "measure=f1"), "--width": ("300px", "85mm"), "--height": ("200px",),
    "--dpi": ("96",),
    "--theme": ("dark", "print"), "--title": ("A title",), "--positive": ("1", "yes", "true"), "--auc": ("0.8",),
    "--auc-width": ("0.1",), "--goal": ("rank", "decide", "quota"), "--jobs": ("1",), "--data": ("no/such",),
    "--out": ("out",), "--list": (), "--power": ("0.8",), "--recall": ("0.9",), "--recall-width": ("0.1",),
    "--specificity": ("0.8",), "--specificity-width": ("0.1",), "--oe-width": ("0.2",), "--slope-width": ("0.3",),
    "--intercept-width": ("0.4",), "--net-benefit-width": ("0.2",), "--other-auc": ("0.85",), "--correlation": ("0.4",),
    "--auc-method": ("newcombe",), "--chart": ("out.svg",), "--discordant": ("0.1 0.05",), "--bins": ("16",),
}  # fmt: skip
METHODS = {"recalibrate": ("beta", "logistic", "isotonic", "intercept", "venn_abers"), "cut": ("optimum",)}
PROMISES = {
    "check": ("auc >= 0.5", "auc.low >= 0.2", "recall@threshold=0.3 >= 0.1"),
    "cut": ("recall >= 0.5", "fpr <= 0.3"),
}
OUTPUTS = {
    "cut": ("made.json",),
    "recalibrate": ("made.json",),
    "apply": ("made.csv", "made.parquet", "made.jsonl", "made.arrow"),
    "chart": ("made.json", "made.html", "made.svg", "made.png", "made.pdf", "folder", "{name}.json"),
}
NO_FILE = ("plan", "measures", "advise", "study", "demo")
SLOW = ("study", "demo")  # run to their end they take long, so they are only asked what they refuse


@cache
def made_by_cutline() -> tuple[bytes, ...]:
    """Files that `apply` reads: cuts and a recalibration, as cutline writes them."""
    import cutline as cl

    ev = cl.evaluate([1, 0, 1, 0, 1, 0, 1, 1, 0, 0], [0.9, 0.6, 0.6, 0.2, 0.7, 0.1, 0.8, 0.4, 0.5, 0.3])
    lower = cl.evaluate([0, 1] * 5, [0.9, 0.6, 0.6, 0.2, 0.7, 0.1, 0.8, 0.4, 0.5, 0.3], higher_is_positive=False)
    cuts = [cl.choose_cut(one, maximize="f1", resamples=0) for one in (ev, lower)]
    return tuple(json.dumps(one.to_dict()).encode() for one in (*cuts, cl.recalibrate(ev, method="beta")))


class Case(NamedTuple):
    """One run of the command: the files that lie there, the arguments, and what standard input holds."""

    files: dict[str, bytes]
    arguments: list[str]
    stdin: bytes = b""

    @property
    def options(self) -> dict[str, list[str]]:
        """The values of each option."""
        found: dict[str, list[str]] = {}
        name = ""
        for word in self.arguments[1:]:
            if word.startswith("--"):
                name = word
                found.setdefault(name, [])
            elif name:
                found[name].append(word)
        return found


def commands() -> dict[str, Any]:
    """The commands of the program by name."""
    from cutline.cli.main import load_commands

    return dict(load_commands())


def case(identity: str, known: dict[str, Any]) -> Case:
    """The run that an identity such as evaluate-17 names."""
    name = identity.rpartition("-")[0]
    dice = random.Random(identity)  # noqa: S311 - not for secrets
    rows = tables.table(dice)
    files, stdin = {}, b""
    arguments = [name]
    if name not in NO_FILE:
        shown, content = tables.file(dice, rows, "f")
        files[shown] = content
        if dice.random() < 0.05:
            shown, stdin = "-", content
        arguments += _operands(dice, name, shown, files, rows)
    else:
        arguments += _words(dice, name)
    for parameter in known[name].params:
        if type(parameter).__name__.endswith("Option"):
            arguments += _option(dice, name, parameter, rows)
    if dice.random() < 0.02:
        arguments.append(dice.choice(HOSTILE))
    return Case(files, arguments, stdin)


def _operands(
    dice: random.Random, name: str, shown: str, files: dict[str, bytes], rows: dict[str, list[Any]]
) -> list[str]:
    """The operands of a command that reads predictions; other files that it may name are put beside them."""
    kept = dice.choice(made_by_cutline())
    files["cut.json"] = tables.damaged(dice, "json", kept) if dice.random() < 0.3 else kept
    files["old.csv"] = b"y,p,q\n1,0.9,0.8\n0,0.2,0.4\n1,0.7,0.1\n0,0.3,0.9\n"
    if name == "apply":
        return ["cut.json", shown]
    if name == "chart":
        from cutline import CHARTS

        return [shown, *dice.choices([*CHARTS, "all", "nosuch"], [*[20] * len(CHARTS), 1, 5])]
    if name in ("compare", "merge") and dice.random() < 0.2:
        other, content = tables.file(dice, rows, "second")
        files[other] = content
        return [shown, other]
    return [shown]


def _words(dice: random.Random, name: str) -> list[str]:
    """The operands of a command that reads no predictions."""
    if name == "study":
        return dice.choice((["--list"], ["nosuch"], [""], [], ["quota", "--data", "no/such"]))
    if name == "measures":
        return [dice.choice(("auc", "kappa", "rate", *HOSTILE))] if dice.random() < 0.8 else []
    return ["--html", dice.choice(("no/such/x.html", "", "/", "x.txt"))] if name == "demo" else []


# How often an option is there; one that is not listed, rarely.
_OFTEN = {
    "--label": 0.97, "--score": 0.97, "--measures": 0.93, "--resamples": 0.97, "--json": 0.75, "--quiet": 0.7,
    "--require": 0.9, "--output": 0.95, "--force": 0.5, "--prevalence": 0.3, "--list": 0.01, "--goal": 0.9,
    "--method": 0.9,
}  # fmt: skip


def _option(dice: random.Random, name: str, parameter: Any, rows: dict[str, list[Any]]) -> list[str]:
    """One option of the command with its value, or nothing."""
    option = next(spelt for spelt in parameter.opts if spelt.startswith("--"))
    if name in SLOW or option in ("--help", "--help-all", "--version"):
        return []
    by_label = 0.9 if option == "--positive" and "yes" in rows["y"] else 0.015
    by_column = {"--weight": "w", "--group": "g", "--id": "i"}.get(option)
    often = 0.3 if by_column in rows else _OFTEN.get(option, by_label)
    if name == "plan" and not parameter.is_flag and option not in ("--chart", "--level", "--power"):
        often = 0.35
    if option == "--prevalence" and name == "plan":
        often = 0.97
    if dice.random() > often:
        return []
    if parameter.is_flag:
        return [dice.choice([*parameter.opts, *parameter.secondary_opts]) if len(parameter.opts) == 1 else option]
    sensible = _sensible(name, option, rows, by_column)
    is_wild = dice.random() < (0.01 if often > 0.5 else 0.4) or not sensible
    value = dice.choice(HOSTILE if is_wild else sensible)
    more = [option, "q"] if name in ("compare", "chart") and option == "--score" and dice.random() < 0.9 else []
    words = value.split(" ") if parameter.nargs == 2 and " " in value else [value] * max(parameter.nargs, 1)
    return [option, *words, *more]


def _sensible(name: str, option: str, rows: dict[str, list[Any]], by_column: str | None) -> tuple[str, ...]:
    """Values that make sense for an option of a command."""
    if by_column is not None:
        return (by_column,)
    if option in ("--label", "--score"):
        return ((option[2] == "l" and "y") or "p",)
    if option == "--positive" and "yes" in rows["y"]:
        return ("yes", "yes", "no")
    own = {"--method": METHODS, "--require": PROMISES, "--output": OUTPUTS}.get(option, {}).get(name)
    return own or SENSIBLE.get(option, ())
