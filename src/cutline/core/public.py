"""The decorator of public functions: former names of arguments, hints for other packages' names, short tracebacks."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping
from functools import wraps
from types import CodeType, FunctionType
from typing import Any, TypeVar, cast, overload

from cutline.core.errors import CutlineError, ParameterError
from cutline.core.messages import join_with_and

Target = TypeVar("Target")

# The arguments of scikit-learn, with ours.
SCIKIT_LEARN_ARGUMENTS = {
    "y_true": "labels",
    "y_score": "scores",
    "y_prob": "scores",
    "y_proba": "scores",
    "y_pred": "scores",
    "pos_label": "positive",
    "sample_weight": "weights",
}

# What other packages call something that cutline has in another place, in small letters.
NAMES_ELSEWHERE = {
    "plot": 'ev.chart("roc"); cutline.CHARTS lists all charts',
    "plot_roc": 'ev.chart("roc")',
    "show": 'ev.chart("roc")',
    "roc_curve": 'ev.curve("roc"), or ev.chart("roc") to draw it',
    "roccurvedisplay": 'ev.chart("roc")',
    "det_curve": 'ev.curve("det"), or ev.chart("det") to draw it',
    "precision_recall_curve": 'ev.curve("precision_recall"), or ev.chart("precision_recall") to draw it',
    "precisionrecalldisplay": 'ev.chart("precision_recall")',
    "calibration_curve": 'ev.calibration(), or ev.chart("reliability") to draw it',
    "calibrationdisplay": 'ev.chart("reliability")',
    "confusion_matrix": 'ev.counts, or ev.chart("confusion_matrix") to draw it',
    "classification_report": "ev.summary()",
    "make_scorer": "cutline.scorer",
    "ci": 'ev.estimate("auc")',
    "confidence_interval": 'ev.estimate("auc")',
}

# The charts that other packages draw under another name.
CHARTS_ELSEWHERE = {
    "calibration": "reliability",
    "calibration_curve": "reliability",
    "calibration_plot": "reliability",
    "roc_curve": "roc",
    "pr": "precision_recall",
    "pr_curve": "precision_recall",
    "precision_recall_curve": "precision_recall",
    "decision_curve": "net_benefit",
}


def hint_elsewhere(name: str) -> str:
    """Return a hint for a name of another package, or nothing.

    >>> hint_elsewhere("roc_curve")
    ' Use ev.curve("roc"), or ev.chart("roc") to draw it.'
    """
    ours = NAMES_ELSEWHERE.get(name.lower())
    return f" Use {ours}." if ours else ""


# What other packages call the arguments of an estimate.
ARGUMENTS_ELSEWHERE = {
    "confidence": "level",
    "confidence_level": "level",
    "alpha": "level",
    "b": "resamples",
    "n_boot": "resamples",
    "n_bootstrap": "resamples",
    "n_bootstraps": "resamples",
    "n_resamples": "resamples",
    "random_state": "seed",
    "cutoff": "threshold",
    "k": "quota",
    "top_k": "quota",
}


def hint_argument(name: str) -> str:
    """Return a hint for what other packages call an argument, or nothing.

    >>> hint_argument("n_resamples"), hint_argument("beta")
    (' Did you mean resamples?', '')
    """
    ours = ARGUMENTS_ELSEWHERE.get(name.lower())
    return f" Did you mean {ours}?" if ours else ""


@overload
def public(target: Target, /) -> Target: ...
@overload
def public(**former: str) -> Callable[[Target], Target]: ...
def public(target: Any = None, /, **former: str) -> Any:
    """Mark a function, or all public methods of a class, as public.

    A public function accepts former names of its arguments with a DeprecationWarning, tells what scikit-learn's names
    are called here, and raises errors of cutline without the frames below it: the sentence says what to do, and the
    traceback ends where the user's code does. With the environment variable CUTLINE_FULL_TRACEBACK all frames stay.

    Args:
        target: The function or the class.
        former: Former names of arguments, each with its present name.
    """
    if target is None:
        return lambda function: _wrap(function, former)
    if isinstance(target, type):
        for name, member in list(vars(target).items()):
            if isinstance(member, FunctionType) and (
                not name.startswith("_") or name in ("__getattr__", "__getitem__")
            ):
                setattr(target, name, _wrap(member, {}))
        return target
    return _wrap(target, former)


def _wrap(function: Callable[..., Any], former: Mapping[str, str]) -> Callable[..., Any]:
    if hasattr(function, "__wrapped__"):  # is public already
        return function
    code = cast("FunctionType", function).__code__
    arguments = set(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
    elsewhere = {name: ours for name, ours in SCIKIT_LEARN_ARGUMENTS.items() if ours in arguments - {name}}
    elsewhere = {name: ours for name, ours in elsewhere.items() if name not in arguments}
    watched = frozenset((*former, *elsewhere))

    @wraps(function)
    def call(*args: Any, **keywords: Any) -> Any:
        try:
            if keywords and not watched.isdisjoint(keywords):
                is_measure = function.__name__ == "__call__"
                who = args[0].name if is_measure else function.__name__
                keywords = _rename_arguments(who, keywords, former, elsewhere)
            return function(*args, **keywords)
        except ModuleNotFoundError as error:
            from cutline.core.extras import explain_missing

            raise explain_missing(error) or error from None
        except CutlineError as error:
            if os.environ.get("CUTLINE_FULL_TRACEBACK"):
                raise
            error.__suppress_context__ = True
            raise error.with_traceback(None) from error.__cause__
        except TypeError as error:
            if _is_wrong_call(error):
                if len(args) > code.co_argcount:
                    error = TypeError(_explain_positional(code, len(args)))
                raise error.with_traceback(None) from None
            raise

    return call


def _explain_positional(code: CodeType, given: int) -> str:
    """Explain which arguments a function takes by position, and that the others need their names."""
    positional, named = (
        code.co_varnames[: code.co_argcount],
        code.co_varnames[code.co_argcount :][: code.co_kwonlyargcount],
    )
    positional, given = (positional[1:], given - 1) if positional[:1] == ("self",) else (positional, given)
    first = f"takes {join_with_and(positional)} by position" if positional else "takes nothing by position"
    others = f": pass the others by name, such as {' or '.join(f'{name}=' for name in named[:2])}" if named else ""
    return f"{code.co_name}() {first}, and {given} arguments were given{others}."


def _is_wrong_call(error: TypeError) -> bool:
    """Whether a public function was called with arguments that it does not take: no frame below its wrapper raised."""
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    return last is not None and last.tb_frame.f_code.co_qualname == "_wrap.<locals>.call"


def _rename_arguments(
    who: str, keywords: dict[str, Any], former: Mapping[str, str], elsewhere: Mapping[str, str]
) -> dict[str, Any]:
    """Return the keywords under their present names."""
    renamed = {}
    for name, value in keywords.items():
        if name in elsewhere:
            ours = elsewhere[name]
            raise ParameterError(f"{who}() has no argument {name!r}", f"it is called {ours} here")
        present = former.get(name, name)
        if present in renamed or (present != name and present in keywords):
            raise ParameterError(f"{name} is the former name of {present}, which is given too", "pass one of them")
        if present != name:
            warnings.warn(f"{name}= is now called {present}=", DeprecationWarning, stacklevel=3)
        renamed[present] = value
    return renamed
