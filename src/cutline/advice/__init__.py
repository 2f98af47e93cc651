"""Advice from the sources: what the reader of the numbers should know, and which measures fit a situation.

`notes(evaluation)` and `notes_on(comparison)` give what matters for the numbers at hand, `advise(Situation(...))` what
to measure at all. Each sentence names its source; `RULES` and `CHOICES` list all of them.
"""

import lazy_loader

# The stub beside this file lists the names; each is loaded when it is first used.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
