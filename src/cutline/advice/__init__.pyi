# The names of the package, listed once: type checkers read them here, and __init__.py loads each when it is first used.
from .context import Kind as Kind, Note as Note, Rule as Rule
from .notes import add_notes as add_notes, notes as notes, notes_on as notes_on
from .recommend import (
    CHOICES as CHOICES,
    Choice as Choice,
    Recommendation as Recommendation,
    Situation as Situation,
    advise as advise,
)
from .rules import COMPARISON_RULES as COMPARISON_RULES, MODEL_RULES as MODEL_RULES, RULES as RULES
