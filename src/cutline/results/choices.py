"""The choice between models, question by question: the first sentences of a comparison."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cutline.core.errors import Argument, ParameterError, Text, hint_similar, shorten_repr
from cutline.core.messages import join_with_and, lower_title
from cutline.core.table import format_p_cell, format_value
from cutline.core.validation import check_text
from cutline.measures import MEASURES, Family

if TYPE_CHECKING:
    from cutline.results.comparison_summary import DifferenceRow


@dataclass(frozen=True)
class Goal:
    """A question for choosing a model, with the measures that answer it; the first available one decides."""

    name: str
    words: str
    families: tuple[Family, ...]
    measures: tuple[str, ...]


GOALS = {
    goal.name: goal
    for goal in (
        Goal("rank", "For ranking", (Family.RANKING,), ("auc", "average_precision")),
        Goal("probabilities", "For probabilities", (Family.PROBABILITY,), ("log_loss", "brier")),
        Goal("quota", "For the quota", (Family.QUOTA,), ("hit_rate", "average_hit_rate")),
        Goal("cut", "At the cut", (Family.CUT, Family.COST), ("mcc", "balanced_accuracy", "f1")),
    )
}
# The measures that decide questions which every comparison has.
DECISIVE = frozenset(name for goal in GOALS.values() if goal.name != "quota" for name in goal.measures)
_IN_ALL = {2: "in both", 3: "in all three", 4: "in all four"}
_ABBREVIATIONS = {"auc": "AUC", "mcc": "MCC"}  # of measures whose titles fill a line
_MOST_NAMED = 2  # measures and models that a sentence names


@dataclass(frozen=True)
class ModelChoice:
    """The answer to one question: the leader, and the models that do not differ significantly from it.

    `equal` are the models whose difference from the leader is not significant after Holm's correction for the pairs;
    empty, if the leader is better than every other one. `against` are measures of the same question in which another
    model is significantly better than the leader, by name. `sentence` is the answer, as short as a line of a terminal;
    `detail` says what other measures of the question add to it. `is_reason` says whether the leader is a reason to
    choose: the differences were tested, and the measure is not one side of a trade.
    """

    goal: str
    measure: str
    leader: str
    equal: tuple[str, ...]
    against: Mapping[str, str]
    sentence: str
    is_reason: bool = True
    detail: str = ""

    @property
    def is_decided(self) -> bool:
        """Whether the leader is significantly better than every other model."""
        return not self.equal

    def to_dict(self) -> dict[str, Any]:
        """Return the fields, ready for JSON."""
        return {
            "goal": self.goal,
            "measure": self.measure,
            "leader": self.leader,
            "not_distinguishable": list(self.equal),
            "contradicted_by": dict(self.against),
            "sentence": self.sentence,
            "detail": self.detail,
        }


def choose_models(
    rows: Sequence[DifferenceRow],
    level: float,
    *,
    goal: str | None = None,
    primary: str | None = None,
    by_quota: bool = True,
) -> tuple[ModelChoice, ...]:
    """Choose a model for each question that the rows answer; the order of the rows does not matter.

    Args:
        rows: The differences of all pairs of models in all measures.
        level: The level of the tests.
        goal: The question that matters, which then comes first: a key of `GOALS`.
        primary: The measure that decides its question, which then comes first.
        by_quota: Whether a quota was given; without one, measures of quotas are no question unless nothing else is.
    """
    if goal is not None and (not isinstance(goal, str) or goal not in GOALS):
        raise ParameterError(f"is {shorten_repr(goal)}", f"pass one of {join_with_and(list(GOALS))}", argument="goal")
    by_measure: dict[str, list[DifferenceRow]] = {}
    places = {measure.name: place for place, measure in enumerate(MEASURES)}  # measures of the user come last
    for row in sorted(rows, key=lambda row: (places.get(row.measure.name, len(places)), row.key)):
        if row.measure.better is not None and not math.isnan(row.value):
            by_measure.setdefault(row.key, []).append(row)
    first = None if primary is None else _find_measure(primary, by_measure)
    choices = []
    for each in GOALS.values():
        own = {key: its for key, its in by_measure.items() if its[0].measure.family in each.families}
        if own:
            key = first if first in own else _choose_measure(each, own)
            assert key is not None  # noqa: S101 - there is at least one
            choices.append(_choose_model(each, key, own, level))
    named = goal if first is None else next((c.goal for c in choices if c.measure == first), None)
    if not by_quota and named != "quota" and len(choices) > 1:
        choices = [choice for choice in choices if choice.goal != "quota"]
    return tuple(sorted(choices, key=lambda choice: choice.goal != named))


def recommend_overall(choices: Sequence[ModelChoice], models: int) -> str:
    """Return a sentence on the one model that no question speaks against; empty where there is no such model.

    It leads in a question in which a model is worse, and in all others it leads or cannot be told from the leader.
    """
    if len(choices) < 2 or not all(choice.is_reason for choice in choices):
        return ""
    good = set.intersection(*({choice.leader, *choice.equal} for choice in choices))
    winners = good & {choice.leader for choice in choices if len(choice.equal) < models - 1}
    if len(winners) != 1:
        return ""
    (name,) = winners
    is_best = all(choice.leader == name and choice.is_decided for choice in choices)
    how = "best" if is_best else "best or not distinguishable from the best"
    return f"Overall, choose {name}: {how} {_IN_ALL.get(len(choices), 'in all')}."


def _find_measure(primary: str, by_measure: Mapping[str, Sequence[DifferenceRow]]) -> str:
    """Find the measure that the user named among those compared."""
    check_text(primary, "primary", "auc")
    named = MEASURES[primary].name if primary in MEASURES else primary
    for key, rows in by_measure.items():
        if named in (key, rows[0].name, rows[0].measure.name):
            return key
    problem, remedy = f"is {primary!r}, which was not compared", Text("add it to ", Argument("measures"))
    raise ParameterError(problem, remedy, hint=hint_similar(primary, by_measure), argument="primary")


def _choose_measure(goal: Goal, own: Mapping[str, Sequence[DifferenceRow]]) -> str:
    """Return the measure that decides a question: the goal's own, else the first in the registry."""
    for name in goal.measures:
        for key, rows in own.items():
            if rows[0].measure.name == name and not math.isnan(rows[0].p_holm):
                return key
    return next(iter(own))


def _choose_model(goal: Goal, key: str, own: Mapping[str, Sequence[DifferenceRow]], level: float) -> ModelChoice:
    rows = own[key]
    values = _collect_values(rows)
    best_first = _sort_models(values, rows)
    leader = best_first[0]
    beaten = {row.a if row.b == leader else row.b for row in rows if row.better(level) == leader}
    equal = tuple(name for name in best_first[1:] if name not in beaten)
    against: dict[str, str] = {}
    with_leader: dict[str, list[str]] = {}  # by the model that cannot be told from the leader
    for other, compared in own.items():
        if other == key:
            continue
        better = {row.better(level): abs(row.value) for row in compared if leader in (row.a, row.b)}
        ahead = sorted(name for name in better if name not in ("", leader))
        if ahead:
            against[other] = max(ahead, key=better.__getitem__)
            continue
        for name in equal:
            if any({row.a, row.b} == {leader, name} and row.better(level) == leader for row in compared):
                with_leader.setdefault(name, []).append(lower_title(compared[0].title))
    is_tested = not any(math.isnan(row.p_holm) for row in rows if leader in (row.a, row.b))
    # One side of a trade alone, such as recall, is no reason to choose.
    is_trade = is_tested and not equal and bool(against) and rows[0].measure.name not in goal.measures
    if is_trade:
        other = next(iter(against))
        sides = [(leader, rows), (against[other], own[other])]
        gains = [
            f"{name} for {_name_in_sentence(its[0])} ({_format_gain(its, leader, against[other])})"
            for name, its in sides
        ]
        sentence = f"{goal.words}, it is a trade: {', '.join(gains)}."
        explained = {measure: name for measure, name in against.items() if measure != other}
    else:
        sentence, explained = _describe_choice(goal, rows, leader, equal, values), dict(against)
    parts = _describe_advantages(
        leader, {name: with_leader[name] for name in equal if name in with_leader}, len(values)
    )
    parts += _describe_trades(own, leader, explained, len(values))
    detail = f"{goal.words}, {' and '.join(parts)}." if parts else ""
    return ModelChoice(goal.name, key, leader, equal, against, sentence, is_tested and not is_trade, detail)


def _format_gain(rows: Sequence[DifferenceRow], a: str, b: str) -> str:
    """Return how far one model is ahead of another in a measure, with a sign."""
    gap = next(abs(row.value) for row in rows if {row.a, row.b} == {a, b})
    return f"{'+' if rows[0].measure.better == 'higher' else '-'}{format_value(gap)}"


def _collect_values(rows: Iterable[DifferenceRow]) -> dict[str, float]:
    """Return the value of each model in a measure."""
    values: dict[str, float] = {}
    for row in rows:
        values |= {row.a: row.value_a, row.b: row.value_b}
    return {name: value for name, value in values.items() if not math.isnan(value)}


def _sort_models(values: Mapping[str, float], rows: Sequence[DifferenceRow]) -> list[str]:
    """Sort the models by their value in a measure, the best first and equal ones by name."""
    sign = -1 if rows[0].measure.better == "higher" else 1
    return sorted(sorted(values), key=lambda name: sign * values[name])


def _describe_choice(
    goal: Goal, rows: Sequence[DifferenceRow], leader: str, equal: Sequence[str], values: Mapping[str, float]
) -> str:
    """Write which model leads in the measure that decides a question, and which cannot be told from it."""
    title, value = _name_in_sentence(rows[0]), format_value(values[leader])
    p_values = [row.p_holm for row in rows if leader in (row.a, row.b) and not math.isnan(row.p_holm)]
    if not p_values:
        return f"{goal.words}, {leader} has the best {title} ({value}); the difference was not tested."
    p = _format_p(max(p_values))
    if len(values) == 2 and equal:
        return f"{goal.words}, the models cannot be told apart ({title}, {p})."
    if len(values) == 2:
        other = next(format_value(values[name]) for name in values if name != leader)
        return f"{goal.words}, choose {leader}: {title} {value} against {other} ({p})."
    if not equal:
        return f"{goal.words}, choose {leader}: best {title}, {value} ({p}, Holm)."
    if len(equal) == len(values) - 1:
        return f"{goal.words}, the {len(values)} models cannot be told apart ({title}, Holm)."
    last = format_value(values[equal[-1]])
    join = "and" if len(equal) == 1 else "to"
    return f"{goal.words}, choose {_list_alternatives([leader, *equal])}: {title} {value} {join} {last} (Holm)."


def _describe_advantages(leader: str, over: Mapping[str, Sequence[str]], models: int) -> list[str]:
    """Return the measures in which the leader is better than models that the deciding measure does not tell apart."""
    return [_write_better(leader, name, models, titles) for name, titles in over.items()][:_MOST_NAMED]


def _describe_trades(
    own: Mapping[str, Sequence[DifferenceRow]], leader: str, against: Mapping[str, str], models: int
) -> list[str]:
    """Return the measures in which the leader is worse than others."""
    by_model: dict[str, list[str]] = {}
    for key, name in against.items():
        row = next(row for row in own[key] if {row.a, row.b} == {leader, name})
        by_model.setdefault(name, []).append(f"{lower_title(row.title)} (by {format_value(abs(row.value))})")
    return [_write_better(name, leader, models, measures) for name, measures in by_model.items()][:_MOST_NAMED]


def _write_better(model: str, other: str, models: int, measures: Sequence[str]) -> str:
    """Write in which measures a model is better than another, which goes unnamed if there are only two models."""
    than = f"than {other} " if models > 2 else ""
    return f"{model} is better {than}in {_list_first(measures)}"


def shorten_title(row: DifferenceRow) -> str:
    """Return the title of a measure, or its well-known abbreviation."""
    return row.title.replace(row.measure.title, _ABBREVIATIONS.get(row.measure.name, row.measure.title))


def _name_in_sentence(row: DifferenceRow) -> str:
    """Return the title of a measure inside a sentence, or its abbreviation."""
    return lower_title(shorten_title(row))


def _list_first(names: Sequence[str]) -> str:
    """Return the first names, and how many more there are."""
    more = len(names) - _MOST_NAMED
    return join_with_and([*names]) if more <= 1 else f"{', '.join(names[:_MOST_NAMED])} and {more} more"


def _list_alternatives(names: Sequence[str]) -> str:
    """Return some names to choose from; of more than three, the first two and how many more."""
    first = list(names) if len(names) <= _MOST_NAMED + 1 else [*names[:_MOST_NAMED], f"{len(names) - _MOST_NAMED} more"]
    return f"{', '.join(first[:-1])} or {first[-1]}"


_LEAST_P = 0.001  # below it, a sentence says no more of a p-value; tables do


def _format_p(p_value: float) -> str:
    if p_value < _LEAST_P:
        return f"p < {_LEAST_P}"
    text = format_p_cell(p_value)
    return f"p {text}" if text.startswith("<") else f"p = {text}"
