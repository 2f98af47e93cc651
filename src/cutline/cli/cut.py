"""`cutline cut`: choose a cut for the cases of a file, and say what can be promised of it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import RenderableType
from rich.text import Text

import cutline as cl
from cutline.cli import options as o
from cutline.cli import render
from cutline.cli.command import Fraction, add_options, command, option
from cutline.cli.completion import complete_measure
from cutline.cli.options import Reading, check_resamples
from cutline.cli.output import Output, print_json, write_stdout
from cutline.cli.progress import show_progress
from cutline.cli.text import escape_controls, name_options
from cutline.core import atomic_write
from cutline.core.errors import ParameterError
from cutline.core.table import format_value

if TYPE_CHECKING:
    from cutline.cuts.cut import Cut
    from cutline.evaluation import Evaluation

AIM = "Say what the cut is for"
PROMISE = "Set how sure the promise is"
COST_FP = option(
    "--cost-fp", type=float, group=AIM, help="What a false positive costs. Example: --cost-fp 1 --cost-fn 20"
)
COST_FN = option(
    "--cost-fn", type=float, group=AIM, help="What a missed positive costs. Example: --cost-fp 1 --cost-fn 20"
)


@dataclass(frozen=True)
class CutOptions:
    """What the cut is for, as choose_cut() takes it."""

    require: tuple[str, ...] = option(
        "--require",
        multiple=True,
        group=AIM,
        help="A requirement; can be repeated. Examples: --require 'recall >= 0.9', "
        "--require 'fpr <= 0.05', --require 'precision.low >= 0.5'",
    ).field()
    maximize: str | None = option(
        "--maximize",
        shell_complete=complete_measure,
        group=AIM,
        help="The measure that should be high. Example: --maximize f_beta@beta=2",
    ).field()
    minimize: str | None = option(
        "--minimize",
        shell_complete=complete_measure,
        group=AIM,
        help="The measure that should be low, or corner: the distance from the corner of the ROC plot. Example: "
        "--minimize balanced_error_rate",
    ).field()
    cost_fp: float | None = COST_FP.field()
    cost_fn: float | None = COST_FN.field()
    utility: str | None = option(
        "--utility", group=AIM, help="What the outcomes tp, fp, fn and tn are worth. Example: --utility tp=90,fp=-10"
    ).field()
    quota: tuple[float, ...] = option(
        "--quota",
        type=float,
        multiple=True,
        group=AIM,
        help="How many cases of this file can be acted on; for a capacity per day or another list, pass --share. "
        "Repeat it to name the quotas at which precision is tested. Example: --quota 500",
    ).field()
    share: float | None = option(
        "--share",
        type=Fraction(),
        group=AIM,
        help="The share of the list that can be acted on. Examples: --share 0.05, --share 5%",
    ).field()
    at: float | None = option(
        "--at",
        type=float,
        group=AIM,
        help="State what this threshold guarantees, however you chose it. Example: --at 0.31",
    ).field()
    prevalence: float | None = o.PREVALENCE.field()
    confidence: float = option(
        "--confidence",
        type=Fraction(),
        default=0.95,
        group=PROMISE,
        help="The confidence that all promises hold together. Example: --confidence 0.99",
    ).field()
    estimates: bool = option(
        "--estimates",
        is_flag=True,
        group=PROMISE,
        help="Check the requirements on the estimates, and promise nothing.",
    ).field()
    after_looking: bool = option(
        "--after-looking",
        is_flag=True,
        group=PROMISE,
        help="Promise only what holds at all cuts simultaneously, so that you may choose after looking at the results.",
    ).field()
    method: str = option(
        "--method",
        type=click.Choice(["optimum", "mean", "smooth", "kernel", "normal"]),
        default="optimum",
        group=PROMISE,
        advanced=True,
        help="How the best cut is found. Example: --method smooth",
    ).field()
    resamples: int | None = option(
        "--resamples",
        type=int,
        group=PROMISE,
        advanced=True,
        help="How often the choice is repeated on bootstrap samples; 1000 on small data. Example: --resamples 2000",
    ).field()
    seed: int = o.SEED.field()

    @property
    def chooses(self) -> bool:
        """Whether any option says how to choose a cut."""
        aims = (self.maximize, self.minimize, self.cost_fp, self.cost_fn, self.utility, self.share)
        return bool(self.require or self.quota or self.estimates) or any(aim is not None for aim in aims)

    def list_keywords(self) -> dict[str, Any]:
        """Return the keywords of choose_cut()."""
        keywords = {name: value for name, value in vars(self).items() if value is not None}
        del keywords["require"], keywords["estimates"], keywords["confidence"]
        keywords.pop("at", None)
        quota = self.quota[0] if len(self.quota) == 1 else list(self.quota) or None
        utility = None if self.utility is None else _parse_utility(self.utility)
        return keywords | {"quota": quota, "utility": utility, "level": None if self.estimates else self.confidence}


def _parse_utility(text: str) -> dict[str, float]:
    """Parse the utilities of outcomes from text such as tp=90,fp=-10."""
    values = {}
    for part in text.split(","):
        name, sign, value = part.partition("=")
        try:
            if not sign:
                raise ValueError
            values[name.strip()] = float(value)
        except ValueError:
            raise ParameterError(f"--utility is {text!r}", "pass values such as tp=90,fp=-10") from None
    return values


@command
@o.FILE
@add_options(CutOptions, "aim")
@add_options(Reading, "reading")
@option("--output", "-o", "out", type=o.PATH, group=o.OUTPUT, help="Write the cut to this file. Example: -o cut.json")
@add_options(Output, "output")
@o.PLUGIN
@click.pass_context
def cut(ctx: click.Context, file: str, aim: CutOptions, reading: Reading, out: Path | None, output: Output) -> None:
    """Choose a cut, show it, and write it; print the threshold alone if quiet."""
    from cutline.cli.reading import read_evaluation

    check_resamples(aim.resamples)
    if out is not None:
        atomic_write.check(out, overwrite=output.force)
    with show_progress("Choosing", quiet=output.quiet):
        ev, source = read_evaluation(file, reading, None)
        chosen = replace(_choose(ev, aim), score=source.score)
    output.say_guesses(source.chosen.guesses)
    if out is not None and chosen.possible:
        chosen.save(out, overwrite=output.force)
    if output.json:
        print_json(chosen.to_dict())
    elif output.quiet:
        write_stdout(f"{chosen.threshold!r}\n" if chosen.possible else "")
    else:
        _show(chosen, out, reading.columns.scores)
    ctx.exit(0 if chosen.possible else 1)


def _choose(ev: Evaluation, aim: CutOptions) -> Cut:
    """Choose the cut, or place it at the threshold that is given."""
    from cutline.core.validation import check_level

    check_level(aim.confidence, "confidence")
    if aim.at is None:
        return cl.choose_cut(ev, *aim.require, **aim.list_keywords())
    if aim.chooses:
        raise ParameterError("--at gives the threshold, so nothing is chosen", "leave the other requirements out")
    return cl.cut_at(ev, threshold=aim.at, level=aim.confidence, prevalence=aim.prevalence)


def _find_title(name: str) -> str:
    """Return the title of a measure; the name if it has parameters."""
    return cl.MEASURES[name].title if name in cl.MEASURES else name


def _show(cut: Cut, out: Path | None, scores: Sequence[str]) -> None:
    screen = render.make_console()
    parts: list[RenderableType] = [render.make_warning(name_options(line)) for line in cut.warnings]
    parts.append(Text(escape_controls(cut.statement), style="bold"))
    if cut.possible:
        parts += [Text(escape_controls(line)) for line in cut.details]
        rows = [
            (
                _find_title(estimate.measure),
                format_value(estimate.value),
                render.format_interval((estimate.low, estimate.high)),
            )
            for estimate in cut.estimates
        ]
        level = cut.estimates[0].level if cut.estimates else 0.95
        parts += [
            Text(),
            render.make_grid(screen, (cut.table_title, "value", render.format_interval_title(level)), rows),
        ]
    for part in parts:
        screen.print(part)
    for title, lines in (("This assumes:", cut.assumptions if cut.possible else ()), ("Notes:", cut.notes)):
        if lines:
            screen.print(Text(f"\n{title}"))
            for line in lines:
                screen.print(Text(f"- {escape_controls(name_options(line))}"))
    if out is not None and not cut.possible:
        screen.print(Text(f"\n{escape_controls(str(out))} was not written."))
    elif out is not None:
        screen.print()
        score = "".join(f" --score {shlex.quote(name)}" for name in scores)
        screen.print(
            Text(escape_controls(f"Use it: cutline apply {shlex.quote(str(out))} new.csv{score} -o flagged.csv"))
        )
