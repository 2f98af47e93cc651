"""cutline tells how good a binary classifier is, how sure one can be of it, and where to draw the line.

import cutline as cl

ev = cl.evaluate(labels, scores)
ev.auc, ev.precision, ev.value("f_beta", beta=2)
cl.auc(labels, scores)      # every measure of the registry is a function of this name
cl.MEASURES                 # the registry
ev.curve("roc"), ev.chart("roc").save("roc.png")    # CURVES and CHARTS list them; chart() draws several models
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import lazy_loader

__version__ = "0.1.0"

# The stub beside this file lists the public names; each is loaded when it is first used.
_load, _, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    """Return a public name, or a measure by its name or alias: `cutline.auc`, `cutline.ppv`."""
    if name in __all__:
        try:
            value = globals()[name] = _load(name)
        except ModuleNotFoundError as error:
            raise import_module("cutline.core.extras").explain_missing(error) or error from None
        return value
    if name.startswith("_"):
        raise AttributeError(f"module 'cutline' has no attribute {name!r}.")
    measures = import_module("cutline.measures").MEASURES
    if name not in measures:
        elsewhere = import_module("cutline.core.public").hint_elsewhere(name)
        hint = elsewhere or import_module("cutline.core.errors").hint_similar(name, [*measures.names, *__all__])
        raise AttributeError(f"module 'cutline' has no attribute {name!r}.{hint}")
    measure = measures[name]
    if not measure.own:  # which may be defined again
        globals()[name] = measure
    return measure


def __dir__() -> list[str]:
    return sorted({*__all__, *import_module("cutline.measures").MEASURES.names})
