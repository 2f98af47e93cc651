"""Write the formulas of all measures in MathML, which browsers draw: `make docs`. A test compares them."""

import json
from pathlib import Path

from latex2mathml.converter import convert

from cutline import MEASURES

FORMULAS = Path(__file__).parents[1] / "src" / "cutline" / "report" / "formulas.json"


def formulas() -> dict[str, str]:
    """Return the formula of each of cutline's own measures, in LaTeX, with its MathML."""
    return {m.formula: str(convert(m.formula)) for m in MEASURES if not m.own}


if __name__ == "__main__":
    FORMULAS.write_text(json.dumps(formulas(), indent=0, sort_keys=True) + "\n", encoding="utf-8")
