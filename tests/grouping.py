"""One test for many cases: it runs them all, and its failure names each case that fails."""

import inspect
from collections.abc import Mapping
from functools import wraps

import pytest


def each_case(arguments, cases, ids=None):
    """Run a test for each case in one test; `pytest.mark.parametrize` would make a test of each.

    It takes what `parametrize` takes, or a mapping of the cases by their names. Above a `parametrize` or another
    `each_case` it groups the product. What fixtures give is shared by the cases, so a test that changes it is
    no candidate.

    Args:
        arguments: The argument of the test that takes the case; several in a tuple, or separated by commas.
        cases: The cases; with several arguments a tuple of values for each.
        ids: A name for each case, or a function that gives it.
    """
    names = arguments.replace(" ", "").split(",") if isinstance(arguments, str) else list(arguments)
    by_name = dict(cases) if isinstance(cases, Mapping) else _by_name(list(cases), ids)
    rows = {name: (case,) if len(names) == 1 else case for name, case in by_name.items()}
    values = {name: dict(zip(names, row, strict=True)) for name, row in rows.items()}
    if not values:
        raise ValueError(f"There is no case of {arguments}")

    def decorate(test):
        signature = inspect.signature(test)

        @wraps(test)
        def run(*args, **fixtures):
            errors, skipped = {}, []
            for name, own in values.items():
                try:
                    test(*args, **fixtures, **own)
                except pytest.skip.Exception as skip:
                    skipped.append(skip)
                except (Exception, pytest.fail.Exception) as error:
                    error.add_note(f"The case is {name}.")
                    errors[name] = error
            if errors:
                message = f"{len(errors)} of {len(values)} cases fail: {', '.join(errors)}"
                raise BaseExceptionGroup(message, [*errors.values()])
            if len(skipped) == len(values):
                raise skipped[0]

        run.__signature__ = signature.replace(
            parameters=[parameter for name, parameter in signature.parameters.items() if name not in names]
        )
        return run

    return decorate


def _by_name(cases, ids):
    """Return the cases by names, which are numbered where they are equal."""
    titles = [_title(case) for case in cases] if ids is None else [*map(ids, cases)] if callable(ids) else list(ids)
    by_name = {}
    for title, case in zip(titles, cases, strict=True):
        name = str(title)
        by_name[name if name not in by_name else f"{name} ({len(by_name) + 1})"] = case
    return by_name


def _title(case):
    """Return a short name for a case."""
    parts = case if isinstance(case, tuple) else (case,)
    return "-".join(str(getattr(part, "__name__", part))[:60] for part in parts)
