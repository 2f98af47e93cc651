"""Who calls a public function finds each of its arguments explained where `help()` looks."""

import importlib
import inspect
import re

import cutline
from cutline.measures import Measure
from grouping import each_case

# The packages whose names the documentation uses; a measure documents its parameters in the registry.
ROOMS = (
    "cutline",
    "cutline.advice",
    "cutline.calibration",
    "cutline.charts",
    "cutline.curves",
    "cutline.cuts",
    "cutline.examples",
    "cutline.inference",
    "cutline.inputs",
    "cutline.losses",
    "cutline.measures",
    "cutline.report",
    "cutline.results",
    "cutline.studies",
    "cutline.training",
)


def ours(thing):
    return (getattr(thing, "__module__", "") or "").startswith("cutline")


def methods(cls):
    """The methods that a class of ours has, by name."""
    for name in dir(cls):
        found = getattr(cls, name, None)
        is_public = not name.startswith("_") and not getattr(found, "__name__", "_").startswith("_")
        if is_public and callable(found) and ours(found) and not inspect.isclass(found):
            if isinstance(found, Measure) or isinstance(inspect.getattr_static(cls, name), property):
                continue
            yield f"{found.__module__}.{found.__qualname__}", found


def reachable():
    """Every function and method that the public names lead to."""
    found = {}
    for room in ROOMS:
        package = getattr(cutline, room.removeprefix("cutline."), None) or importlib.import_module(room)
        for name in getattr(package, "__all__", ()):
            thing = getattr(package, name)
            if inspect.isclass(thing) and ours(thing):
                found.update(methods(thing))
            elif inspect.isfunction(thing) and ours(thing):
                found[f"{thing.__module__}.{name}"] = thing
    return dict(sorted(found.items()))


REACHABLE = reachable()


def arguments(function):
    """What a caller passes, by name."""
    found = [p.name for p in inspect.signature(function).parameters.values() if not p.name.startswith("_")]
    return [name for name in found if name not in ("self", "cls")]


def undocumented(function):
    """The arguments that the docstring does not explain."""
    text = inspect.getdoc(function) or ""
    return [name for name in arguments(function) if not re.search(rf"^\s+\*{{0,2}}{name}\b.*:", text, re.MULTILINE)]


@each_case("name", [*REACHABLE])
def test_two_arguments_or_more_are_explained(name):
    function = REACHABLE[name]

    if len(arguments(function)) > 1:
        assert not undocumented(function), f"{name} does not explain {', '.join(undocumented(function))}"


def test_many_functions_are_looked_at():
    assert len(REACHABLE) > 150
    assert {"cutline.evaluation.evaluate", "cutline.evaluation.Evaluation.at"} <= set(REACHABLE)


def test_an_undocumented_argument_is_reported():
    def half(one, other):
        """Says little.

        Args:
            one: The first.
        """

    assert undocumented(half) == ["other"]
