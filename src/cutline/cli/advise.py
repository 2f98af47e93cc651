"""Which measures to use: the situation from the options, or asked for, and the answer with its reasons."""

from __future__ import annotations

import sys
from dataclasses import Field, fields
from typing import Any, get_args

import typer
from rich.text import Text

from cutline.advice import Situation, advise
from cutline.advice.recommend import Goal
from cutline.cli import render
from cutline.cli.evaluate import print_json
from cutline.core.errors import ParameterError
from cutline.measures import MEASURES

GOALS = get_args(Goal)


def run_advise(given: dict[str, Any], as_json: bool) -> None:
    """Answer with the measures that fit."""
    if given["goal"] is None:
        if not sys.stdin.isatty():
            raise ParameterError(f"What is the model for? Pass --goal with one of {', '.join(GOALS)}.")
        given = _asked(given)
    if as_json:
        print_json(advised(given))
        return
    found = advise(Situation(**given))
    screen = render.console()
    rows = [(Text(r.measure, style="bold"), MEASURES[r.measure].title, f"{r.why} ({r.source})") for r in found]
    screen.print(render.grid(screen, ("measure", "", "why"), rows))
    names = ",".join(r.measure for r in found)
    quota = " --quota 100" if any(MEASURES[r.measure].required for r in found) else ""
    screen.print(Text(f"\nThen: cutline evaluate predictions.csv --measures {names}{quota}", style="dim"))


def advised(given: dict[str, Any]) -> dict[str, Any]:
    """The measures that fit a situation, ready for JSON."""
    recommended = [{"measure": r.measure, "why": r.why, "source": r.source} for r in advise(Situation(**given))]
    return {"schema": "cutline/advice/1", "situation": given, "recommendations": recommended}


def _asked(given: dict[str, Any]) -> dict[str, Any]:
    """The situation, each open question asked of the person at the terminal; empty answers mean not known."""
    answers = {}
    for one in fields(Situation):
        answers[one.name] = given[one.name] or _answer(one)
    return answers


def _answer(one: Field[Any]) -> Any:
    question = one.metadata["question"]
    if one.name == "goal":
        while (goal := typer.prompt(question, prompt_suffix=" ").strip().lower()) not in GOALS:
            typer.echo(f"One of {', '.join(GOALS)}.", err=True)
        return goal
    if "bool" in str(one.type):
        return typer.confirm(question, default=False, prompt_suffix=" ")
    while True:
        text = typer.prompt(question, default="", show_default=False, prompt_suffix=" ").strip()
        try:
            return float(text) if text else None
        except ValueError:
            typer.echo("A number, or nothing when it is not known.", err=True)
