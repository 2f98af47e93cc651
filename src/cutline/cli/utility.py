"""`cutline gains` and `cutline utility`: what a list holds, and what decisions by it are worth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rich.text import Text

from cutline.charts.picture import SUFFIXES, Picture
from cutline.cli import render
from cutline.cli.evaluate import print_json
from cutline.cli.groups import Reading, check_resamples
from cutline.cli.reading import read_comparison, read_evaluation
from cutline.cli.utility_commands import Asked, Shown
from cutline.core import atomic_write
from cutline.core.errors import ParameterError
from cutline.core.table import shown
from cutline.curves.gains import gains
from cutline.curves.utility_words import best_quota_told
from cutline.cuts.utility import (
    UtilityCurve,
    brier_curve,
    cost_curve,
    decision_curve,
    decision_difference,
    profit_curve,
)

DECISIONS = {
    "decision": "net_benefit",
    "standardised": "standardised",
    "avoided": "interventions_avoided",
}
TABLE = ".csv"


def run_gains(file: str, reading: Reading, portions: int | Sequence[float], to: Shown) -> None:
    """Show the gains table, and write it or its chart.

    Args:
        file: The file of predictions.
        reading: How it is read.
        portions: Into how many portions the list is divided, or at which shares of it they end.
        to: What is printed and written.
    """
    _check(to)
    ev, _ = read_evaluation(file, reading, None)
    found = gains(ev.ranking, portions)
    document = {
        "schema": "cutline/gains/1",
        "portions": found.to_dict(),
        "ks": found.ks,
        "ks_portion": found.ks_portion,
        "ks_anywhere": found.ks_anywhere,
    }
    _put(to, found.to_csv(), document, repr(found), lambda: ev.chart("gains", portions=portions))


def portions_asked(portions: int | None, shares: str | None) -> int | list[float]:
    """How the list is divided: into so many portions, or at shares in a text such as "0.01,0.05,0.1".

    Args:
        portions: How many portions, if that was asked for.
        shares: The text, if there is one.
    """
    if shares is None:
        return 10 if portions is None else portions
    if portions is not None:
        raise ParameterError("--portions and --shares both divide the list", "pass one of them")
    try:
        return [float(part) for part in shares.split(",")]
    except ValueError:
        raise ParameterError(f"--shares is {shares!r}", "pass shares of the list such as 0.01,0.05,0.1") from None


def run_utility(file: str, reading: Reading, asked: Asked, to: Shown) -> None:
    """Show a curve of utility, and write it or its chart.

    Args:
        file: The file of predictions.
        reading: How it is read.
        asked: Which curve.
        to: What is printed and written.
    """
    _check(to)
    check_resamples(asked.resamples)
    _refuse_what_is_not_used(asked)
    found = _difference(file, reading, asked) if asked.kind == "difference" else _of_one(file, reading, asked)
    _put(to, found.table.to_csv(), found.to_dict(), "\n".join([repr(found), *_below(found)]), found.chart)


def _how(asked: Asked) -> dict[str, Any]:
    return {"level": asked.level, "resamples": asked.resamples, "seed": asked.seed}


def _difference(file: str, reading: Reading, asked: Asked) -> UtilityCurve:
    """The difference of the two models of a file."""
    cmp = read_comparison([file], reading)[0]
    if len(cmp.names) != 2:
        raise ParameterError(f"A difference is of two models, not of {len(cmp.names)}", "pass two --score")
    one, other = cmp.names
    return decision_difference(cmp, one, other, list(asked.risks) or None, prevalence=asked.prevalence, **_how(asked))


def _of_one(file: str, reading: Reading, asked: Asked) -> UtilityCurve:
    """A curve of the model of a file."""
    ev = read_evaluation(file, reading, None)[0]
    if asked.kind in DECISIONS:
        how = {"kind": DECISIONS[asked.kind], "prevalence": asked.prevalence} | _how(asked)
        return decision_curve(ev, list(asked.risks) or None, **how)
    if asked.kind == "profit":
        if asked.value is None or asked.cost is None:
            raise ParameterError("A profit needs --value and --cost", "pass both, such as --value 60 --cost 9")
        return profit_curve(ev, value=asked.value, cost=asked.cost, **_how(asked))
    return cost_curve(ev) if asked.kind == "cost" else brier_curve(ev)


def _refuse_what_is_not_used(asked: Asked) -> None:
    for name, given, kinds in (
        ("--value", asked.value is not None, ("profit",)),
        ("--cost", asked.cost is not None, ("profit",)),
        ("--risk", bool(asked.risks), (*DECISIONS, "difference")),
        ("--prevalence", asked.prevalence is not None, (*DECISIONS, "difference")),
    ):
        if given and asked.kind not in kinds:
            raise ParameterError(
                f"{name} says nothing about --kind {asked.kind.value}", f"it is for {', '.join(kinds)}"
            )


def _below(curve: UtilityCurve) -> list[str]:
    """What belongs to the whole curve."""
    found = []
    if curve.area is not None:
        found.append(f"Area {shown(curve.area)}.")
    if curve.best is not None:
        level = f" ({100 * curve.best.level:g} %)" if curve.best.has_interval else ""
        found.append(f"Best quota {best_quota_told(curve.best)}{level}.")
    return found


def _check(to: Shown) -> None:
    """Refuse what cannot be printed or written, before any work is done."""
    if to.csv and to.json:
        raise ParameterError("--json and --csv both print to standard output", "pass one of them")
    if to.output is None:
        return
    if to.output.suffix.lower() not in (TABLE, *SUFFIXES):
        raise ParameterError(f"--output is {str(to.output)!r}", f"pass a name that ends in .csv, {', '.join(SUFFIXES)}")
    atomic_write.check(to.output, overwrite=to.force)


def _put(to: Shown, csv: str, document: dict[str, Any], words: str, draw: Callable[[], Picture]) -> None:
    """Write the table or the chart where asked to, and print what was asked for."""
    if to.output is not None and to.output.suffix.lower() == TABLE:
        atomic_write.write(to.output, csv.encode(), overwrite=to.force)
    elif to.output is not None:
        draw().save(to.output, overwrite=to.force)
    if to.json:
        print_json(document)
    elif to.csv:
        render.put(csv)
    else:
        render.console().print(Text(words), soft_wrap=True)
