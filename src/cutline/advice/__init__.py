"""Advice from the sources: what the reader of the numbers should know, and which measures fit a situation.

`notes(evaluation)` and `notes_on(comparison)` give what matters for the numbers at hand, `advise(Situation(...))` what
to measure at all. Each sentence names its source; `RULES` and `CHOICES` list all of them.
"""

from cutline.advice.attach import add_notes
from cutline.advice.context import Kind, Note, Rule
from cutline.advice.one_model import MODEL_RULES, notes
from cutline.advice.recommend import CHOICES, Choice, Recommendation, Situation, advise
from cutline.advice.several_models import COMPARISON_RULES, notes_on

RULES: tuple[Rule, ...] = (*MODEL_RULES, *COMPARISON_RULES)

__all__ = [
    "CHOICES",
    "COMPARISON_RULES",
    "MODEL_RULES",
    "RULES",
    "Choice",
    "Kind",
    "Note",
    "Recommendation",
    "Rule",
    "Situation",
    "add_notes",
    "advise",
    "notes",
    "notes_on",
]
