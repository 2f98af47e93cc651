"""Why two tools give two numbers: the conventions of other tools as data, and which of them gives a number."""

from cutline.ledger.registry import CONVENTIONS
from cutline.ledger.tools import TOOLS, value_as
from cutline.ledger.why import Answer, Explanation, why

__all__ = ["CONVENTIONS", "TOOLS", "Answer", "Explanation", "value_as", "why"]
