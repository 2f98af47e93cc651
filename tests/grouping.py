"""One test for many cases: it runs them all, and its failure names each case that fails."""

import inspect
from functools import wraps


def each_case(argument, cases):
    """Run a test for each case in one test; `pytest.mark.parametrize` would make a test of each.

    Args:
        argument: The argument of the test that takes the case.
        cases: The cases by their names.
    """

    def decorate(test):
        signature = inspect.signature(test)

        @wraps(test)
        def run(*args, **fixtures):
            errors = {}
            for name, case in cases.items():
                try:
                    test(*args, **fixtures, **{argument: case})
                except Exception as error:
                    error.add_note(f"The case is {name}.")
                    errors[name] = error
            if errors:
                raise ExceptionGroup(
                    f"{len(errors)} of {len(cases)} cases fail: {', '.join(errors)}", [*errors.values()]
                )

        run.__signature__ = signature.replace(
            parameters=[parameter for name, parameter in signature.parameters.items() if name != argument]
        )
        return run

    return decorate
