"""`cutline utility`: the utility of decisions by the model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

import cutline as cl
from cutline.cli import options as o
from cutline.cli.command import Fraction, add_options, command, option
from cutline.cli.options import IntervalOptions, Reading
from cutline.cli.output import TableOrChartOutput
from cutline.core.errors import ParameterError
from cutline.core.table import format_value

if TYPE_CHECKING:
    from cutline.cuts.utility import UtilityCurve

CURVE = "Choose the curve"
DECISIONS = {
    "decision": "net_benefit",
    "standardised": "standardised",
    "avoided": "interventions_avoided",
}


@dataclass(frozen=True)
class UtilityOptions(IntervalOptions):
    """Which curve, with which values and intervals."""

    resamples: int | None = option(
        "--resamples",
        type=int,
        group=o.NUMBERS,
        advanced=True,
        help="The number of bootstrap resamples for bands and for intervals without a closed form: by default 2000, "
        "or fewer for long lists; 0 leaves them out. Example: --resamples 500",
    ).field()
    kind: str = option(
        "--kind",
        type=click.Choice([*DECISIONS, "difference", "cost", "brier", "profit"]),
        default="decision",
        group=CURVE,
        help="decision: net benefit over the risk; standardised and avoided: its variants; difference: of two models; "
        "cost, brier: over all cost ratios; profit: over the quota. Example: --kind profit --value 60 --cost 9",
    ).field()
    value: float | None = option(
        "--value", type=float, group=CURVE, help="profit: what a true positive is worth. Example: --value 60"
    ).field()
    cost: float | None = option(
        "--cost", type=float, group=CURVE, help="profit: what flagging a case costs. Example: --cost 9"
    ).field()
    risks: tuple[float, ...] = option(
        "--risk",
        type=Fraction(),
        multiple=True,
        group=CURVE,
        help="A threshold probability; by default 0.01 to 0.99. Example: --risk 0.1 --risk 0.2",
    ).field()
    prevalence: float | None = o.PREVALENCE.field()

    def check(self) -> None:
        """Raise if an option says nothing about the curve, before any file is read."""
        super().check()
        for name, is_given, kinds in (
            ("--value", self.value is not None, ("profit",)),
            ("--cost", self.cost is not None, ("profit",)),
            ("--risk", bool(self.risks), (*DECISIONS, "difference")),
            ("--prevalence", self.prevalence is not None, (*DECISIONS, "difference")),
        ):
            if is_given and self.kind not in kinds:
                raise ParameterError(f"{name} says nothing about --kind {self.kind}", f"it is for {', '.join(kinds)}")


@command
@o.FILE
@add_options(UtilityOptions, "curve")
@add_options(Reading, "reading")
@add_options(TableOrChartOutput, "to")
def utility(file: str, curve: UtilityOptions, reading: Reading, to: TableOrChartOutput) -> None:
    """Show a curve of utility, and write it or its chart."""
    to.check()
    curve.check()
    made = _make_difference(file, reading, curve) if curve.kind == "difference" else _make_curve(file, reading, curve)
    to.write_and_print(made.table.to_csv(), made.to_dict(), "\n".join([repr(made), *_describe_curve(made)]), made.chart)


def _make_difference(file: str, reading: Reading, curve: UtilityOptions) -> UtilityCurve:
    """Return the difference of the two models of a file."""
    from cutline.cli.reading import read_comparison

    cmp = read_comparison([file], reading)[0]
    if len(cmp.names) != 2:
        raise ParameterError(f"A difference needs two models, not {len(cmp.names)}", "pass two --score")
    return cl.decision_difference(cmp, *cmp.names, list(curve.risks) or None, prevalence=curve.prevalence, **curve.how)


def _make_curve(file: str, reading: Reading, curve: UtilityOptions) -> UtilityCurve:
    """Return a curve of the model of a file."""
    from cutline.cli.reading import read_evaluation

    ev = read_evaluation(file, reading, None)[0]
    if curve.kind in DECISIONS:
        how = {"kind": DECISIONS[curve.kind], "prevalence": curve.prevalence} | curve.how
        return cl.decision_curve(ev, list(curve.risks) or None, **how)
    if curve.kind == "profit":
        if curve.value is None or curve.cost is None:
            raise ParameterError("A profit needs --value and --cost", "pass both, such as --value 60 --cost 9")
        return cl.profit_curve(ev, value=curve.value, cost=curve.cost, **curve.how)
    return cl.cost_curve(ev) if curve.kind == "cost" else cl.brier_curve(ev)


def _describe_curve(curve: UtilityCurve) -> list[str]:
    """Return what belongs to the whole curve."""
    from cutline.curves.utility import describe_best_quota

    lines = []
    if curve.area is not None:
        lines.append(f"Area {format_value(curve.area)}.")
    if curve.best is not None:
        level = f" ({100 * curve.best.level:g} %)" if curve.best.has_interval else ""
        lines.append(f"Best quota {describe_best_quota(curve.best)}{level}.")
    return lines
