"""Measure: a definition with its metadata, callable on counts, rankings or labels and scores."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from typing import Any, Literal

import numpy as np

from cutline.core.caching import forget
from cutline.core.counts import Counts
from cutline.core.errors import Argument, InputError, ParameterError, Text, hint_similar, shorten_repr
from cutline.core.public import hint_argument, public
from cutline.core.ranking import Ranking
from cutline.core.table import is_equal
from cutline.core.validation import check_number
from cutline.inputs.rank import Missing, check_probabilities, choose_default_threshold, count_places, cut_ranking, rank
from cutline.measures.forms import ConstraintSearch, Equivalent, Form, PairedShare, Proportion
from cutline.measures.metadata import Context, Parameter, ReferenceValue, UndefinedWhen
from cutline.measures.references import cite

Better = Literal["higher", "lower"] | None


class Needs(Enum):
    """Input of a measure."""

    COUNTS = "one cut"
    RANKING = "the order of the scores"
    PROBABILITIES = "the scores as probabilities"
    MARGINS = "the scores as signed distances"


class Family(Enum):
    """The question a measure answers."""

    CUT = "Is the cut good?"
    RANKING = "Does it rank well?"
    PROBABILITY = "Can I trust the probabilities?"
    QUOTA = "What do I get for my quota?"
    COST = "What does it cost, and what is it worth?"


class CallSignature:
    """The signature that help() shows for a measure, with its own parameters; the class keeps its own signature."""

    def __get__(self, measure: Measure | None, owner: type[Measure]) -> Any:
        if measure is None:
            raise AttributeError("__signature__")
        from inspect import Parameter as Argument
        from inspect import signature

        call = signature(owner.__call__)
        common = [a for a in call.parameters.values() if a.name not in ("self", "parameters")]
        cut = {"threshold": None, "quota": None, "share": None} if measure.needs is Needs.COUNTS else {}
        own = cut | {name: measure.defaults.get(name, Argument.empty) for name in measure.parameters}
        extra = [Argument(name, Argument.KEYWORD_ONLY, default=default) for name, default in own.items()]
        return call.replace(parameters=[*common, *extra])


@dataclass(frozen=True, eq=False, kw_only=True)
class Measure:
    """A measure: its definition and its properties. Call it on arrays, a `Ranking` or `Counts`.

    `source`: the texts that define it, by their keys in the bibliography, with the place in the text. `concordant`: it
    can only gain when a positive moves up past a negative. `found_at`: the cut where a measure that searches the cuts
    finds its value. `headline`: it is shown first. `card`: a report shows it large, at its top. `scales`: weights times
    a constant change nothing. `equivalent`: the measure of which it is another form. `trained_by`: how a linear
    classifier is trained for it. `numbered`: spellings that hold a number, such as precision_at_10, with the parameter.
    `own`: it was defined with `cutline.measure`, not by cutline.
    """

    name: str
    function: Callable[..., Any]
    title: str
    formula: str
    range: tuple[float, float]
    better: Better
    perfect: ReferenceValue
    baseline: ReferenceValue
    needs: Needs
    family: Family
    source: Mapping[str, str]
    undefined: tuple[UndefinedWhen, ...] = ()
    form: Form = None
    aliases: tuple[str, ...] = ()
    parameters: Mapping[str, Parameter] = field(default_factory=dict)
    concordant: bool = False
    found_at: Callable[..., Any] | None = None
    headline: bool = False
    card: bool = False
    scales: bool = True
    caveat: str = ""  # a sentence on the limits of its interval
    blind_to: str = ""  # the faults of a model that it does not show, in a sentence or two
    across_sizes: str = ""  # the measure to compare data sets of different sizes by, if this one depends on the size
    equivalent: Equivalent | None = None
    trained_by: ConstraintSearch | None = None
    numbered: Mapping[str, str] = field(default_factory=dict)
    own: bool = False
    bound: Mapping[str, Any] = field(default_factory=dict)
    display_name: str = ""  # its name in results: the alias by which it was requested, or its name

    def __post_init__(self) -> None:
        object.__setattr__(self, "display_name", self.display_name or self.name)
        # help() and doctest read these attributes of the defining function.
        for attribute in ("__doc__", "__module__", "__name__", "__qualname__"):
            object.__setattr__(self, attribute, getattr(self.function, attribute))
        object.__setattr__(self, "__wrapped__", self.function)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Measure):
            return NotImplemented
        is_same = self.function is other.function and self.display_name == other.display_name
        is_same = is_same and self.baseline == other.baseline  # a caller may have replaced the baseline
        return self is other or (is_same and is_equal(self.bound, other.bound))

    def __hash__(self) -> int:
        return hash(self.name)

    __signature__ = CallSignature()

    # ------------------------------------------------------------------ names

    @property
    def place(self) -> tuple[str, str]:
        """Module that defines the measure, and its name there."""
        return self.function.__module__, self.function.__qualname__

    @property
    def names(self) -> tuple[str, ...]:
        """Name and aliases."""
        return (self.name, *self.aliases)

    @cached_property
    def defaults(self) -> Mapping[str, Any]:
        """Parameters with a default, and their defaults."""
        return (self.function.__kwdefaults__ or {}) | dict(self.bound)

    @cached_property
    def required(self) -> tuple[str, ...]:
        """Parameters without a default."""
        return tuple(name for name in self.parameters if name not in self.defaults)

    @property
    def unit(self) -> str:
        """Unit of a measure that takes a logarithm, such as nats."""
        if "base" not in self.parameters:
            return ""
        return {math.e: "nats", 2: "bits", 10: "bans"}.get(self.defaults["base"], f"log base {self.defaults['base']:g}")

    @property
    def meaning(self) -> str:
        """First sentence of the definition."""
        return (self.__doc__ or "").strip().split("\n\n")[0].replace("\n    ", " ")

    @property
    def paired(self) -> PairedShare | None:
        """Share with the same denominator for every model, by which two models are compared case by case."""
        return self.form.paired if isinstance(self.form, Proportion) else None

    @property
    def undefined_when(self) -> str:
        """Conditions under which the measure is undefined, in words."""
        return ", or ".join(condition.words for condition in self.undefined)

    @property
    def cited(self) -> str:
        """Texts that define the measure, with the places: "Berrar 2025, Definition 15; Youden 1950"."""
        return "; ".join(cite(key, place) for key, place in self.source.items())

    def __str__(self) -> str:
        if not self.bound:
            return self.display_name
        return f"{self.display_name}({', '.join(f'{name}={value!r}' for name, value in self.bound.items())})"

    def __repr__(self) -> str:
        return f"<measure {self}: {self.title}>"

    # ------------------------------------------------------------------ parameters

    @public
    def with_(self, **parameters: Any) -> Measure:
        """Return the same measure with some of its parameters fixed.

        Args:
            parameters: their values, by name.
        """
        if not parameters:
            return self
        return replace(self, bound=dict(self.bound) | self.check(parameters, complete=False))

    def check(self, parameters: Mapping[str, Any], *, complete: bool = True) -> dict[str, Any]:
        """Return the parameters, if the measure has them, takes these values, and needs no others.

        Args:
            parameters: The parameters that were passed, by name.
            complete: Whether one without a default that is lacking is refused.
        """
        for name, value in parameters.items():
            if name not in self.parameters:
                takes = f"it takes {', '.join(self.parameters)}" if self.parameters else "it takes none"
                hint = hint_argument(name) or hint_similar(name, self.parameters)
                raise ParameterError(f"{self.name} has no parameter {name!r}", takes, hint=hint)
            self.parameters[name].check(name, value, self.defaults.get(name))
        if not parameters and not (complete and self.required):
            return {}
        lacking = [name for name in self.required if name not in parameters]
        if complete and lacking:
            examples = [(", ", Argument(name, self.parameters[name].example)) for name in lacking]
            remedy = Text("pass, for example, ", *[part for pair in examples for part in pair][1:])
            raise ParameterError(f"{self.name} needs {' and '.join(lacking)}", remedy)
        return {name: value.item() if isinstance(value, np.generic) else value for name, value in parameters.items()}

    # ------------------------------------------------------------------ values

    def compute(self, data: Any, **parameters: Any) -> Any:
        """Return the value for finished `Counts` or a `Ranking`, over their leading axes; nothing is checked.

        Args:
            data: `Counts` for a measure of one cut, a `Ranking` for the others.
            parameters: of the measure.
        """
        if self.needs is Needs.PROBABILITIES and data.is_long:  # which look at the scores, and not at the cuts
            forget(data)
        return self.function(data, **{**self.bound, **parameters})

    def fits(self, ranking: Ranking) -> bool:
        """Whether the scores are of the kind that the measure needs."""
        return self.needs is not Needs.PROBABILITIES or ranking.are_probabilities

    def reason(self, data: Counts | Ranking, **parameters: Any) -> str:
        """Explain why the value is undefined for some data; empty if it is defined.

        Args:
            data: `Counts` for a measure of one cut, a `Ranking` for the others.
            parameters: of the measure.
        """
        if (self.needs is Needs.COUNTS) != isinstance(data, Counts) or not isinstance(data, Ranking | Counts):
            expected = "the counts of a cut" if self.needs is Needs.COUNTS else "a ranking"
            raise InputError(f"is {shorten_repr(data)}", f"pass {expected}", argument="data")
        if isinstance(data, Ranking) and not self.fits(data):
            return "the scores are not probabilities of the positive class, from 0 to 1"
        bound = {**self.defaults, **parameters}
        return " and ".join(c.words for c in self.undefined if np.any(c.holds(data, **bound)))

    def baseline_value(self, data: Counts | Ranking, **parameters: Any) -> float:
        """Return the value of scores without information, with the same number of cases flagged.

        Args:
            data: `Counts` for a measure of one cut, a `Ranking` for the others.
            parameters: of the measure.
        """
        if self.reason(data, **parameters):
            return math.nan
        n = float(data.total)
        quota = parameters.get("quota")
        flagged, threshold = math.nan if quota is None else check_number(quota, "quota"), math.nan
        if isinstance(data, Counts):
            flagged, threshold = data.flagged, data.threshold
        context = Context(float(data.positives) / n, float(flagged) / n, n, threshold)
        return self.baseline.at(context, **{**self.defaults, **parameters})

    @public(data="labels")
    def __call__(
        self,
        labels: Any,
        scores: Any = None,
        weights: Any = None,
        *,
        positive: Any = None,
        higher_is_positive: bool = True,
        missing: Missing = "error",
        **parameters: Any,
    ) -> Any:
        """Return the value, a float; an array where the ranking or the counts have leading axes.

        Args:
            labels: the label of each case, or a `Ranking`, or `Counts` (for a measure of one cut).
            scores: the score of each case, after labels.
            weights: the weight of each case, after labels; all the same without.
            positive: the label that is positive; needed unless labels are 0/1, -1/1 or booleans.
            higher_is_positive: whether high scores mean positive.
            missing: "error" to refuse missing values, "drop" to leave those cases out.
            parameters: of the measure. One of one cut also takes `threshold=`, `quota=` or `share=`. Without, it cuts
                scores from 0 to 1 at 0.5, and others where about as many cases are flagged as are positive.
        """
        data = labels
        if scores is not None:
            data = rank(
                labels, scores, weights, positive=positive, higher_is_positive=higher_is_positive, missing=missing
            )
        elif not isinstance(data, Ranking | Counts):
            kinds = "a Ranking or Counts" if self.needs is Needs.COUNTS else "or a Ranking"
            raise ParameterError(f"{self.name} takes labels and scores, {kinds}", "pass the scores too")
        elif unused := [
            name
            for name, is_given in (
                ("weights", weights is not None),
                ("positive", positive is not None),
                ("higher_is_positive", not higher_is_positive),
                ("missing", missing != "error"),
            )
            if is_given
        ]:
            type_name = type(data).__name__
            raise ParameterError(
                f"A finished {type_name} takes no {' or '.join(unused)}",
                f"pass {' and '.join(unused)} to rank() instead",
            )
        data, parameters = self.prepare(data, parameters)
        value = self.compute(data, **parameters)
        return float(value) if np.ndim(value) == 0 else value

    def prepare(self, data: Ranking | Counts, parameters: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Check the arguments and return the counts or ranking, and the parameters, to compute the measure with.

        Args:
            data: A ranking, or the counts of one cut.
            parameters: The parameters that were passed, by name.
        """
        parameters = dict(parameters)
        for name in ("quota", "share"):
            if name in parameters and parameters[name] is None:
                del parameters[name]
        if isinstance(data, Counts):
            if self.needs is not Needs.COUNTS:
                raise ParameterError(
                    f"{self.name} needs {self.needs.value}, which one table of counts does not hold", "pass a Ranking"
                )
        elif self.needs is Needs.COUNTS:
            where = {name: parameters.pop(name) for name in ("threshold", "quota", "share") if name in parameters}
            data = cut_ranking(data, **where) if where else data.at_threshold(choose_default_threshold(data))
        else:
            if self.needs is Needs.PROBABILITIES:
                low, high = sorted((float(data.score[0]), float(data.score[-1])))
                check_probabilities(self.name, low, high, higher_is_positive=data.higher_is_positive)
            if "quota" in self.parameters:
                named = {name: parameters.pop(name) for name in ("quota", "share") if name in parameters}
                named = named or {"quota": self.bound.get("quota")}
                if any(value is not None for value in named.values()):
                    return data, self.check(parameters, complete=False) | {"quota": count_places(data, **named)}
        return data, self.check(parameters)

    def threshold(self, ranking: Ranking, **parameters: Any) -> float:
        """Return the threshold at which a measure that searches the cuts found its value.

        Args:
            ranking: the cases.
            parameters: of the measure.
        """
        if self.reason(ranking, **parameters):
            return math.nan
        return float(ranking.thresholds[self.find_cut(ranking, **parameters)])

    def find_cut(self, ranking: Ranking, **parameters: Any) -> int:
        """Return the position of the cut at which a measure that searches the cuts found its value.

        Args:
            ranking: the cases.
            parameters: of the measure, which must be defined.
        """
        if self.found_at is None:
            raise ParameterError(f"{self.name} is not a measure of one cut: it has no threshold.")
        return int(self.found_at(ranking, **{**self.defaults, **self.check(parameters)}))
