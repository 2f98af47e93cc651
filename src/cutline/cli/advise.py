"""`cutline advise`: which measures to use, with the situation from the options, or from questions at the terminal."""

from __future__ import annotations

import sys
from dataclasses import Field, dataclass, fields
from typing import Any

import click
from rich.text import Text

from cutline.cli import options as o
from cutline.cli import render
from cutline.cli.command import Fraction, add_options, command, option
from cutline.cli.output import print_json
from cutline.core.errors import ParameterError

GOALS = ("rank", "decide", "probabilities", "quota", "screen")
_OF_SCREENING = ("keep", "pick")
SITUATION = "Describe the situation"


@dataclass(frozen=True)
class SituationOptions:
    """What the model is for, as Situation takes it."""

    goal: str | None = option(
        "--goal",
        type=click.Choice(GOALS),
        group=SITUATION,
        help="What the model is for; without it, you are asked. Example: --goal quota",
    ).field()
    prevalence: float | None = option(
        "--prevalence",
        type=Fraction(),
        group=SITUATION,
        help="The share of the cases that are positive. Example: --prevalence 0.02",
    ).field()
    wrong_inclusion_costly: bool = option(
        "--wrong-inclusion-costly",
        is_flag=True,
        group=SITUATION,
        help="A false alarm is costly.",
    ).field()
    missed_costly: bool = option(
        "--missed-costly",
        is_flag=True,
        group=SITUATION,
        help="A missed positive is costly.",
    ).field()
    cost_fp: float | None = option(
        "--cost-fp",
        type=float,
        group=SITUATION,
        help="What a false positive costs. Example: --cost-fp 1 --cost-fn 20",
    ).field()
    cost_fn: float | None = option(
        "--cost-fn",
        type=float,
        group=SITUATION,
        help="What a missed positive costs. Example: --cost-fp 1 --cost-fn 20",
    ).field()
    quota_known: bool | None = option(
        "--quota-known/--quota-unknown",
        group=SITUATION,
        help="Whether the quota is known.",
    ).field()
    only_top_matters: bool = option(
        "--only-top-matters",
        is_flag=True,
        group=SITUATION,
        help="Only the top of the list matters.",
    ).field()
    several_models: bool = option(
        "--several-models",
        is_flag=True,
        group=SITUATION,
        help="You choose between models.",
    ).field()
    keep: float | None = option(
        "--keep",
        type=Fraction(),
        group=SITUATION,
        help="Screening: the share of the positives that must pass. Example: --goal screen --keep 0.99",
    ).field()
    pick: float | None = option(
        "--pick",
        type=float,
        group=SITUATION,
        help="Screening: how many cases are picked at the end. Example: --goal screen --pick 20",
    ).field()


@command
@add_options(SituationOptions, "situation")
@o.JSON
def advise(situation: SituationOptions, json: bool) -> None:
    """Answer with the measures that fit."""
    from cutline.advice import Situation
    from cutline.advice import advise as recommend
    from cutline.measures import MEASURES

    answers = dict(vars(situation))
    if answers["goal"] is None:
        if not sys.stdin.isatty():
            raise ParameterError(f"What is the model for? Pass --goal with one of {', '.join(GOALS)}.")
        answers = _ask(answers)
    if json:
        print_json(recommend_measures(answers))
        return
    recommended = recommend(Situation(**answers))
    screen = render.make_console()
    rows = [(Text(r.measure, style="bold"), MEASURES[r.measure].title, f"{r.why} ({r.source})") for r in recommended]
    screen.print(render.make_grid(screen, ("measure", "", "why"), rows))
    names = ",".join(r.measure for r in recommended)
    quota = " --quota 100" if any(MEASURES[r.measure].required for r in recommended) else ""
    screen.print(Text(f"\nThen: cutline evaluate predictions.csv --measures {names}{quota}", style="dim"))


def recommend_measures(answers: dict[str, Any]) -> dict[str, Any]:
    """Return the measures that fit a situation, ready for JSON."""
    from cutline.advice import Situation
    from cutline.advice import advise as recommend

    recommended = [{"measure": r.measure, "why": r.why, "source": r.source} for r in recommend(Situation(**answers))]
    return {"schema": "cutline/advice/1", "situation": answers, "recommendations": recommended}


def _ask(options: dict[str, Any]) -> dict[str, Any]:
    """Return the situation, asking each open question at the terminal; empty answers mean unknown."""
    from cutline.advice import Situation

    answers: dict[str, Any] = {}
    for field in fields(Situation):
        is_open = field.name not in _OF_SCREENING or answers["goal"] == "screen"
        answers[field.name] = options[field.name] or (_ask_question(field) if is_open else None)
    return answers


def _ask_question(field: Field[Any]) -> Any:
    question = field.metadata["question"]
    if field.name == "goal":
        while (goal := click.prompt(question, prompt_suffix=" ").strip().lower()) not in GOALS:
            click.echo(f"One of {', '.join(GOALS)}.", err=True)
        return goal
    if "bool" in str(field.type):
        return click.confirm(question, default=False, prompt_suffix=" ")
    while True:
        text = click.prompt(question, default="", show_default=False, prompt_suffix=" ").strip()
        try:
            return float(text) if text else None
        except ValueError:
            click.echo("A number, or nothing when it is not known.", err=True)
