"""why(): which convention, of which tool, gives a number; and its answer, the explanations in sentences, best first."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from cutline.core import validation
from cutline.core.errors import InputError, ParameterError
from cutline.core.escaping import html_text
from cutline.core.messages import Argument, Text
from cutline.core.public import public
from cutline.core.table import ComparedByFields, format_value
from cutline.core.validation import check_flag
from cutline.cuts.requirements import Term
from cutline.inputs.rank import Missing, select_complete_cases
from cutline.ledger.cases import Material, Rows
from cutline.ledger.convention import Stage
from cutline.ledger.quantity import Printed, PrintedQuantity, make_quantity, parse_printed, parse_quantity
from cutline.ledger.registry import select_stage
from cutline.ledger.result_conventions import SUMMED, is_percent
from cutline.ledger.search import (
    MANY_ROWS,
    STEPS,
    ConventionSearch,
    ConventionValue,
    find_candidates,
    find_family_candidates,
    find_random_candidates,
)
from cutline.measures import MEASURES, Measure, Needs

MOST_SHOWN = 5
MOST_TOOLS = 3
SURE = 0.05  # expected matches by accident up to which a single explanation is called the only one


class TextResult(ABC):
    """A result that prints as sentences, and as paragraphs in a notebook."""

    @property
    @abstractmethod
    def sentences(self) -> tuple[str, ...]:
        """The answer in sentences, the most important first."""

    def __str__(self) -> str:
        return "\n".join(self.sentences)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return "".join(f"<p>{html_text(line)}</p>" for line in self.sentences)


@dataclass(frozen=True, eq=False)
class Explanation(ComparedByFields):
    """Conventions that give the number.

    Attributes:
        measure: The quantity.
        conventions: Their names in the ledger; none for the exact value.
        words: The conventions in words, such as "with 400 equal-frequency thresholds".
        why: Why they make a difference.
        value: The number that they give, with all digits.
        share: How plausible they are among all that fit, from 0 to 1.
        tools: The tools that have them by default, with the function.
        source: Where the convention is described.
        spread: How far another seed may move the number, for what is drawn at random; 0 for all else.
    """

    measure: str
    conventions: tuple[str, ...]
    words: str
    why: str
    value: float
    share: float = math.nan
    tools: tuple[str, ...] = ()
    source: str = ""
    spread: float = 0.0

    @property
    def sides(self) -> tuple[str, ...]:
        """The names of the conventions, as the JSON calls them."""
        return self.conventions

    @property
    def tools_in_brackets(self) -> str:
        """The tools in brackets, a few of them."""
        if not self.tools:
            return ""
        more = len(self.tools) - MOST_TOOLS
        return f" ({', '.join(self.tools[:MOST_TOOLS])}{f' and {more} more' if more > 0 else ''})"

    @property
    def described(self) -> str:
        """The measure, the convention and who has it."""
        if not self.conventions:
            return f"the exact {self.measure}{self.tools_in_brackets}"
        return f"{self.measure} {self.words}{self.tools_in_brackets}"

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as plain data."""
        return {
            "measure": self.measure,
            "sides": list(self.conventions),
            "words": self.described,
            "why": self.why,
            "value": self.value,
            "share": None if math.isnan(self.share) else round(self.share, 4),
            "tools": list(self.tools),
            "source": self.source,
            "spread": self.spread,
        }


@dataclass(frozen=True, repr=False, eq=False)
class Answer(ComparedByFields, TextResult):
    """Where a number comes from.

    Attributes:
        printed: The number as it was given.
        measure: The measure that was asked about; None when it was not named.
        exact: The value that cutline gives for it; NaN without a measure.
        explanations: What gives the number, the most plausible first.
        nearest: What comes nearest where nothing fits.
        tried: How many conventions were tried.
        by_accident: How many of these would fit by accident, as far as the numbers around it tell.
        notes: What was not tried, and why.
    """

    printed: str
    measure: str | None
    exact: float
    explanations: tuple[Explanation, ...]
    nearest: Explanation | None
    tried: int
    by_accident: float
    notes: tuple[str, ...] = ()

    @property
    def is_certain(self) -> bool:
        """Whether one explanation fits, no other does, and neither an accident nor another seed would do as well."""
        return len(self.explanations) == 1 and self.by_accident <= SURE and not self.explanations[0].spread

    @property
    def best(self) -> Explanation | None:
        """The most plausible explanation; None when there is none."""
        return self.explanations[0] if self.explanations else None

    @property
    def sentences(self) -> tuple[str, ...]:
        """The answer in sentences, the most important first."""
        if not self.explanations:
            return (*self._describe_nothing(), *self.notes)
        first, others = self.explanations[0], self.explanations[1:]
        if first.spread:
            lines = [self._by_resampling(first), first.why]
        elif first.conventions:
            lines = [f"{self.printed} is what you get for {first.described}{self._describe_exact()}.", first.why]
        else:
            value = f"{first.described}{self._describe_in_full(first)}"
            lines = [f"{self.printed} is {value}: no convention is needed to explain it."]
        lines += self._describe_others(others)
        lines.append(self._describe_evidence())
        return (*(line for line in lines if line), *self.notes)

    def _by_resampling(self, first: Explanation) -> str:
        ours = _format_like(first.value, self.printed)
        return f"{self.printed} may be {first.described}: resamples of our own give {ours}{self._describe_exact()}."

    def _describe_in_full(self, first: Explanation) -> str:
        """Return the value behind a number of hardly any digits, which would else pass for the value itself."""
        decimals = len(self.printed.partition(".")[2])
        return f", {first.value:.6g}, without its decimals" if not decimals and first.value % 1 else ""

    def _describe_exact(self) -> str:
        if self.measure is None or math.isnan(self.exact):
            return ""
        return f"; the exact value is {_format_like(self.exact, self.printed)}"

    def _describe_others(self, others: tuple[Explanation, ...]) -> list[str]:
        if not others:
            return []
        count = "1 other explanation fits" if len(others) == 1 else f"{len(others)} other explanations fit"
        named = "; ".join(
            f"{other.described}, {_format_like(other.value, self.printed)}" for other in others[:MOST_SHOWN]
        )
        more = len(others) - MOST_SHOWN
        return [f"{count}: {named}{f'; and {more} more' if more > 0 else ''}."]

    def _describe_evidence(self) -> str:
        if self.is_certain:
            return f"It is the only one of {self.tried:,} conventions that fits."
        if self.explanations[0].spread:
            return "Another seed gives another number, so that no digits can tell."
        if len(self.explanations) > 1:
            return "The number alone does not tell which of them it is; more digits may."
        about = f"{float(f'{self.by_accident:.1g}'):g}"  # 10 rather than 1e+01
        return f"The evidence is weak: of {self.tried:,} conventions, about {about} would fit by accident."

    def _describe_nothing(self) -> tuple[str, ...]:
        about = f" for {self.measure}" if self.measure else ""
        lines = [f"No known convention gives {self.printed}{about}; {self.tried:,} were tried."]
        if self.measure and not math.isnan(self.exact):
            lines.append(f"The exact value is {_format_like(self.exact, self.printed)}.")
        if self.nearest is not None:
            lines.append(f"The nearest is {_format_like(self.nearest.value, self.printed)}, {self.nearest.described}.")
        return tuple(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as plain data, for JSON."""
        return {
            "schema": "cutline/why/1",
            "value": self.printed,
            "measure": self.measure,
            "exact": None if math.isnan(self.exact) else self.exact,
            "certain": self.is_certain,
            "tried": self.tried,
            "by_accident": round(self.by_accident, 4),
            "explanations": [explanation.to_dict() for explanation in self.explanations],
            "nearest": None if self.nearest is None else self.nearest.to_dict(),
            "sentences": list(self.sentences),
        }


def _format_like(value: float, text: str) -> str:
    """Return a value with one decimal more than a printed number has, and four at least."""
    decimals = len(text.rstrip("%").partition(".")[2].partition("e")[0])
    return format_value(value) if decimals < 4 or abs(value) >= 1e4 else f"{value:.{min(decimals + 1, 15)}f}"


# ---------------------------------------------------------------------- the search

FEW_ROWS = 5_000  # distinct scores up to which pairs are tried although a single convention fits
_AROUND = 100  # units of the last digit on each side in which numbers are counted
_UNNAMED = 0.4  # how plausible a measure is that is not shown first, when none is named


@public
def why(
    labels: Any,
    scores: Any,
    weights: Any = None,
    *,
    value: Any,
    measure: str | Measure | None = None,
    digits: int | None = None,
    positive: Any = None,
    threshold: float | None = None,
    higher_is_positive: bool = True,
    missing: Missing = "error",
    other: Any = None,
    groups: Any = None,
    training_prevalence: float | None = None,
) -> Answer:
    """Return which convention gives a number that another tool printed for these predictions.

    Args:
        labels: The true classes.
        scores: The score of each case, in the order in which the other tool read them.
        weights: How much each case counts.
        value: The number, as text ("0.8730" keeps its last zero) or as a float.
        measure: What the number is said to be: a measure by name or alias, "recall.low" for a limit of its interval,
            "auc.se" for its standard error, or a test of two models, "mcnemar" or "delong". All measures are searched
            when None.
        digits: How many decimals the number was rounded to, where it does not tell.
        positive: The label that is positive; needed unless the labels tell.
        threshold: The cut of measures of one cut; by default as in `evaluate`.
        higher_is_positive: Whether high scores mean positive.
        missing: "error" refuses rows with a missing value, "drop" leaves them out.
        other: The scores of a second model on the same cases, for tests.
        groups: The fold, worker or site of each case, for means over these.
        training_prevalence: The share of positives in the data that the model was made with, for skill against it.

    Returns:
        The explanations, the most plausible first; `print` shows them as sentences.

    >>> answer = why([1, 0, 1, 0, 1, 0], [0.9, 0.8, 0.7, 0.6, 0.3, 0.1], measure="auc", value="66.67")
    >>> answer.best.words, round(answer.exact, 6)
    ('as a percentage', 0.666667)
    """
    number, q = parse_printed(value, digits), None if measure is None else parse_quantity(measure)
    if q is not None:
        q, threshold = _with_its_cut(q, threshold)
        if q.is_test and other is None:
            raise ParameterError(f"{q.name} compares two models", "pass the scores of the second one", argument="other")
    sign = 1.0 if check_flag(higher_is_positive, "higher_is_positive") else -1.0
    cut = None if threshold is None else sign * validation.check_number(threshold, "threshold")
    training = None if training_prevalence is None else _check_share(training_prevalence)
    reading: dict[str, Any] = {"positive": positive, "missing": missing, "higher_is_positive": higher_is_positive}
    rows = prepare_rows(labels, scores, weights, other, groups, **reading)
    if rows.is_positive.all() or not rows.is_positive.any():
        raise InputError("labels are all of one class", "pass cases of both classes")
    return explain(Material.of_rows(rows, cut, training), number, q)


def prepare_rows(
    labels: Any,
    scores: Any,
    weights: Any = None,
    other: Any = None,
    groups: Any = None,
    *,
    positive: Any = None,
    missing: Missing = "error",
    higher_is_positive: bool = True,
) -> Rows:
    """Return the complete rows, with scores that are high for the positive class; the arguments are those of why()."""
    sign = 1.0 if higher_is_positive else -1.0
    cases = select_complete_cases(labels, scores, weights, positive=positive, missing=missing)
    extra = {name: _read_further_column(column, name, cases) for name, column in (("other", other), ("groups", groups))}
    if extra["other"] is not None:
        extra["other"] = sign * extra["other"].astype(float)
    return Rows(cases.is_positive, sign * cases.scores.astype(float), cases.weights, **extra)


def _with_its_cut(q: PrintedQuantity, threshold: float | None) -> tuple[PrintedQuantity, float | None]:
    """Return the measure of "f1@threshold=0.3" without its cut, and the cut, which conventions have to use too."""
    if q.needs is not Needs.COUNTS or "threshold" not in q.parameters:
        return q, threshold
    own = validation.check_number(q.parameters["threshold"], "threshold")
    if threshold is not None and validation.check_number(threshold, "threshold") != own:
        raise ParameterError(f"{q.name} is cut at {own:g}, but threshold is {threshold:g}", "pass one of them")
    others = {name: value for name, value in q.parameters.items() if name != "threshold"}
    return replace(make_quantity(q.definition), name=str(Term(q.definition, parameters=others)), parameters=others), own


def explain(material: Material, number: Printed, q: PrintedQuantity | None) -> Answer:
    """Return the answer for cases that were read."""
    search = ConventionSearch(material)
    with np.errstate(over="ignore", invalid="ignore"):  # other tools' sums of scores near the largest number
        if q is not None:
            return _explain_measure(search, number, q)
        known = [candidate for candidate in _find_all_candidates(search) if math.isfinite(candidate.value)]
    notes = _note_on_size(
        material, "With so many rows, changes of the cases were tried for the headline measures alone."
    )
    return _answer(number, None, known, material, notes=notes)


def _explain_measure(search: ConventionSearch, number: Printed, q: PrintedQuantity) -> Answer:
    low, high = q.range
    outside = not low - number.reach <= number.value <= high + number.reach
    tried_candidates = list(find_candidates(search, q, pairs=False))
    exact = tried_candidates[0].value
    fits = [candidate for candidate in tried_candidates if number.fits(candidate.value)]
    if not fits or (len(search.material.ranking) <= FEW_ROWS and not fits[0].is_exact):
        tried_candidates += find_candidates(search, q, pairs=True, outside=outside)
    if not fits and not outside:
        tried_candidates += find_family_candidates(search, q, number)
    answer = _answer(number, q, tried_candidates, search.material, exact)
    in_percent = is_percent(q) and abs(number.value) <= 100
    if outside and not answer.explanations and not in_percent and q.of not in SUMMED:
        raise _make_range_error(q, number)
    if q.is_inferred and not fits and not answer.is_certain:  # what is drawn at random fits where nothing plainer does
        answer = _answer(number, q, [*tried_candidates, *find_random_candidates(search, q)], search.material, exact)
    return replace(answer, notes=() if answer.explanations else _note_untried(search.material, q))


def _note_untried(material: Material, q: PrintedQuantity) -> tuple[str, ...]:
    large = _note_on_size(material, "With so many rows, two changes of the cases were not tried together.")
    if q.name not in ("brier", "brier_skill", "log_loss", "mcfadden_r2") or material.training is not None:
        return large
    hint = Text("Skill against the training data was not tried: pass ", Argument("training_prevalence"), ".")
    return (*large, hint)


def _note_on_size(material: Material, words: str) -> tuple[str, ...]:
    return (words,) if len(material.ranking) > MANY_ROWS else ()


def _find_all_candidates(search: ConventionSearch) -> Iterable[ConventionValue]:
    """Return what every measure gives under single conventions; those whose curve is smoothed, exactly alone."""
    for measure in MEASURES:
        if measure.required or measure.own or not measure.fits(search.material.ranking):
            continue
        q = make_quantity(measure)
        slow = "smooth" in measure.parameters or measure.name == "smooth_ece"
        large = len(search.material.ranking) > MANY_ROWS and not measure.headline
        scale = 1.0 if measure.headline else _UNNAMED
        if slow or large:
            yield ConventionValue(q, (), search.value(q, ()), scale)
            continue
        for candidate in find_candidates(search, q, pairs=False):
            yield replace(candidate, plausible=candidate.plausible * scale)


def _answer(
    number: Printed,
    q: PrintedQuantity | None,
    tried_candidates: list[ConventionValue],
    material: Material,
    exact: float = math.nan,
    notes: tuple[str, ...] = (),
) -> Answer:
    known = [candidate for candidate in tried_candidates if math.isfinite(candidate.value)]
    fits = _drop_redundant(
        sorted((candidate for candidate in known if number.fits(candidate.value, candidate.spread)), key=_order)
    )
    total = sum(candidate.plausible for candidate in fits)
    explanations = tuple(_make_explanation(candidate, candidate.plausible / total) for candidate in fits)
    nearest = min(known, key=lambda candidate: abs(candidate.value - number.value), default=None)
    return Answer(
        number.text,
        None if q is None else q.name,
        exact,
        explanations,
        None if fits or nearest is None else _make_explanation(nearest),
        len(known),
        _count_accidents(number, known, fits, material),
        notes,
    )


def _order(candidate: ConventionValue) -> tuple[float, int, float]:
    return -candidate.plausible, len(candidate.conventions), candidate.value


def _drop_redundant(fits: list[ConventionValue]) -> list[ConventionValue]:
    """Drop candidates if a part of their conventions fits already; the part gets their tools if the values agree."""
    distinct: list[ConventionValue] = []
    for candidate in sorted(fits, key=lambda c: (len(c.conventions), -c.plausible)):
        at = next((i for i, part in enumerate(distinct) if _adds_nothing(candidate, part)), None)
        if at is None:
            distinct.append(candidate)
        elif _is_near(candidate, distinct[at]):
            part = distinct[at]
            tools = (*part.tools, *(pair for pair in candidate.tools if pair not in part.tools))
            distinct[at] = replace(part, plausible=max(part.plausible, candidate.plausible), tools=tools)
    return sorted(distinct, key=_order)


def _adds_nothing(candidate: ConventionValue, part: ConventionValue) -> bool:
    """Whether a candidate adds conventions that the number does not need, or is the same number by another name.

    A convention whose own value rounds to the same digits as the exact one is another explanation.
    """
    if candidate.quantity.name == part.quantity.name:
        if _strip_open(candidate) == _strip_open(part):  # the same limits, cut at the ends of the range or not
            return _is_near(candidate, part)
        return set(part.conventions) <= set(candidate.conventions) and (not part.is_exact or _is_near(candidate, part))
    return candidate.conventions == part.conventions and _is_near(candidate, part)


def _strip_open(candidate: ConventionValue) -> set[str]:
    return {convention.name.removesuffix("_open") for convention in candidate.conventions}


def _is_near(candidate: ConventionValue, part: ConventionValue) -> bool:
    close = 1e-6 if any(convention.name == "single" for convention in candidate.conventions) else 1e-9
    return abs(candidate.value - part.value) <= close * max(abs(candidate.value), abs(part.value), 1e-300)


def _make_explanation(candidate: ConventionValue, share: float = math.nan) -> Explanation:
    return Explanation(
        candidate.quantity.name,
        tuple(convention.name for convention in candidate.conventions),
        " and ".join(convention.words for convention in candidate.conventions),
        " ".join(convention.explanation for convention in candidate.conventions),
        candidate.value,
        share,
        tuple(dict.fromkeys(f"{tool.name}'s {entry.function}" for tool, entry in candidate.tools)),
        "; ".join(dict.fromkeys(convention.source for convention in candidate.conventions if convention.source)),
        candidate.spread,
    )


def _count_accidents(
    number: Printed, known: list[ConventionValue], fits: list[ConventionValue], material: Material
) -> float:
    """Return how many numbers would be within the rounding by accident, from how many lie around it.

    Measures of counts, and of a quota, move in steps of about one case, however many digits are printed: a number of
    one step away could as well have come out, and a made-up one is likely where conventions reach many of the steps.
    Explanations with more conventions than the best one are no rivals of it.
    """
    if fits and len(fits[0].conventions) > 1 and number.value in fits[0].quantity.range:
        return 1.0  # an end of the range is reached in many ways, such as 0/0 counted as 1
    step = 0.0 if not fits else _compute_printed_step(fits[0], material)
    if number.reach >= 0.5 * step:
        return _estimate_density(number, known, number.reach, _AROUND)
    best = fits[0].conventions
    rivals = [candidate for candidate in known if len(candidate.conventions) <= len(best)]
    by_density = _estimate_density(number, rivals, 0.5 * step, STEPS)
    if all(convention.stage is Stage.RESULT for convention in best):  # the exact value, in whatever unit
        return by_density
    reached = {round(candidate.value / step) for candidate in rivals if _has_unit_of(candidate, fits[0])}
    low, high = fits[0].quantity.range
    steps = min((high - low) / fits[0].quantity.step(material), float(material.ranking.total))
    return max(by_density, len(reached) / (steps + 1))


def _compute_printed_step(candidate: ConventionValue, material: Material) -> float:
    """Return by how much one case moves a printed number, in the unit in which it was printed."""
    ends = (1.0, 1.0 + candidate.quantity.step(material))
    for convention in select_stage(candidate.conventions, Stage.RESULT):
        ends = (convention.act(ends[0], material), convention.act(ends[1], material))
    return abs(ends[1] - ends[0])


def _has_unit_of(candidate: ConventionValue, other: ConventionValue) -> bool:
    return select_stage(candidate.conventions, Stage.RESULT) == select_stage(other.conventions, Stage.RESULT)


def _estimate_density(number: Printed, known: list[ConventionValue], reach: float, around: int) -> float:
    """Return how many of the numbers lie in an interval of the reach, on average over some of these on each side."""
    distance = np.abs(np.array([candidate.value for candidate in known]) - number.value)
    return float(np.count_nonzero((distance > number.reach) & (distance <= 2 * reach * around))) / (2 * around)


def _make_range_error(q: PrintedQuantity, number: Printed) -> ParameterError:
    low, high = (f"{end:g}" for end in q.range)
    return ParameterError(
        f"is {number.text}, but {q.name} runs from {low} to {high}, and no convention of the ledger gives that number",
        "pass the number and its measure as they were printed",
        argument="value",
    )


def _check_share(value: Any) -> float:
    share = validation.check_number(value, "training_prevalence")
    if not 0 < share < 1:
        raise ParameterError(f"is {share:g}", "pass a share between 0 and 1", argument="training_prevalence")
    return share


def _read_further_column(column: Any, name: str, cases: Any) -> Any:
    """Return a further column, for the rows that are left."""
    if column is None:
        return None
    values = validation.as_scores(column, name) if name == "other" else validation.as_column(column, name)
    validation.check_length(values, cases.rows, name)
    left = np.asarray(values)[cases.position]
    return validation.encode_groups(left)[1] if name == "groups" else left
