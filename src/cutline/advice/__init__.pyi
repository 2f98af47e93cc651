# The names of the package, listed once: type checkers read them here, and __init__.py loads each when it is first used.
from .attach import add_notes as add_notes
from .context import Kind as Kind, Note as Note, Rule as Rule
from .one_model import MODEL_RULES as MODEL_RULES, notes as notes
from .recommend import (
    CHOICES as CHOICES,
    Choice as Choice,
    Recommendation as Recommendation,
    Situation as Situation,
    advise as advise,
)
from .several_models import COMPARISON_RULES as COMPARISON_RULES, RULES as RULES, notes_on as notes_on
