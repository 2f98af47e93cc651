"""`cutline gains` and `cutline utility`: what a list holds, and what decisions by it are worth."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.text import Text

from cutline.charts.picture import SUFFIXES
from cutline.cli import render
from cutline.cli.reading import Reading, read_comparison, read_evaluation
from cutline.core import writing
from cutline.core.errors import ParameterError
from cutline.core.table import shown
from cutline.curves.gains import gains
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


@dataclass(frozen=True)
class Asked:
    """Which curve, and with what."""

    kind: str
    value: float | None = None
    cost: float | None = None
    risks: tuple[float, ...] = ()
    prevalence: float | None = None
    level: float = 0.95
    resamples: int = 1000
    seed: int = 0

    def curve(self, found: Any) -> UtilityCurve:
        """The curve of an evaluation, or of the two models of a comparison."""
        self._refuse_what_is_not_used()
        how: dict[str, Any] = {"level": self.level, "resamples": self.resamples, "seed": self.seed}
        risks = list(self.risks) or None
        if self.kind == "difference":
            if len(found.names) != 2:
                raise ParameterError(f"A difference is of two models, not of {len(found.names)}", "pass two --score")
            one, other = found.names
            return decision_difference(found, one, other, risks, **how)
        if self.kind in DECISIONS:
            return decision_curve(found, risks, kind=DECISIONS[self.kind], prevalence=self.prevalence, **how)
        if self.kind == "profit":
            if self.value is None or self.cost is None:
                raise ParameterError("A profit needs --value and --cost", "pass both, such as --value 60 --cost 9")
            return profit_curve(found, value=self.value, cost=self.cost, **how)
        return cost_curve(found) if self.kind == "cost" else brier_curve(found)

    def _refuse_what_is_not_used(self) -> None:
        of_risks = (*DECISIONS, "difference")
        for name, given, kinds in (
            ("--value", self.value is not None, ("profit",)),
            ("--cost", self.cost is not None, ("profit",)),
            ("--risk", bool(self.risks), of_risks),
            ("--prevalence", self.prevalence is not None, tuple(DECISIONS)),
        ):
            if given and self.kind not in kinds:
                raise ParameterError(f"{name} says nothing about --kind {self.kind}", f"it is for {', '.join(kinds)}")


def run_gains(file: str, reading: Reading, portions: int, output: Path | None, *, csv: bool, force: bool) -> None:
    """Show the gains table, and write it or its chart.

    Args:
        file: The file of predictions.
        reading: How it is read.
        portions: Into how many portions the list is divided.
        output: A table or a picture to write.
        csv: Whether CSV is printed.
        force: Whether a file may be replaced.
    """
    _check(output, force=force)
    ev, _ = read_evaluation(file, reading, None)
    found = gains(ev.ranking, portions)
    if output is not None and output.suffix.lower() == TABLE:
        writing.write(output, found.to_csv().encode(), overwrite=force)
    elif output is not None:
        ev.chart("gains", portions=portions).save(output, overwrite=force)
    _print(found.to_csv() if csv else None, repr(found))


def run_utility(file: str, reading: Reading, asked: Asked, output: Path | None, *, csv: bool, force: bool) -> None:
    """Show a curve of utility, and write it or its chart.

    Args:
        file: The file of predictions.
        reading: How it is read.
        asked: Which curve.
        output: A table or a picture to write.
        csv: Whether CSV is printed.
        force: Whether a file may be replaced.
    """
    _check(output, force=force)
    found: Any
    if asked.kind == "difference":
        found = read_comparison([file], reading)[0]
    else:
        if len(reading.columns.scores) > 1:
            raise ParameterError(f"--kind {asked.kind} is of one model", "pass --score once")
        found = read_evaluation(file, reading, None)[0]
    curve = asked.curve(found)
    if output is not None and output.suffix.lower() == TABLE:
        writing.write(output, curve.table.to_csv().encode(), overwrite=force)
    elif output is not None:
        curve.chart().save(output, overwrite=force)
    _print(curve.table.to_csv() if csv else None, "\n".join([repr(curve), *_below(curve)]))


def _below(curve: UtilityCurve) -> list[str]:
    """What belongs to the whole curve."""
    found = []
    if curve.area is not None:
        found.append(f"Area {shown(curve.area)}.")
    if curve.best is not None:
        best = curve.best
        limits = f" [{shown(best.low)}, {shown(best.high)}] ({100 * best.level:g} %)" if best.has_interval else ""
        found.append(f"Best quota {shown(best.value)}{limits}.")
    return found


def _check(output: Path | None, *, force: bool) -> None:
    """Refuse what cannot be written, before any work is done."""
    if output is None:
        return
    if output.suffix.lower() not in (TABLE, *SUFFIXES):
        raise ParameterError(f"--output is {str(output)!r}", f"pass a name that ends in .csv, {', '.join(SUFFIXES)}")
    writing.check(output, overwrite=force)


def _print(csv: str | None, words: str) -> None:
    if csv is not None:
        render.put(csv)
    else:
        render.console().print(Text(words), soft_wrap=True)
