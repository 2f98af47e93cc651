"""advise(): which measures fit a situation, and why."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, get_args

from cutline.advice.context import (
    ARBEL,
    ARBEL_CUT,
    ARBEL_END,
    BERRAR,
    DELONG,
    DOMINANCE,
    MAJORITY,
    PROVOST,
    SONNENBURG,
    SONNENBURG_TOP,
    VICKERS,
)
from cutline.core.errors import ParameterError, hint_similar, shorten_repr
from cutline.core.public import public
from cutline.core.validation import check_choice, check_flag, check_number, check_prevalence

Goal = Literal["rank", "decide", "probabilities", "quota", "screen"]


@dataclass(frozen=True, kw_only=True)
class Situation:
    """What the model is for. What is not known stays None or False.

    >>> [found.measure for found in advise(Situation(goal="quota", quota_known=True, missed_costly=True))]
    ['qrecall']
    """

    goal: Goal = field(metadata={"question": "What is the model for: rank, decide, probabilities, quota or screen?"})
    prevalence: float | None = field(default=None, metadata={"question": "What share of the cases is positive?"})
    wrong_inclusion_costly: bool = field(default=False, metadata={"question": "Is a wrong inclusion costly?"})
    missed_costly: bool = field(default=False, metadata={"question": "Is a missed positive costly?"})
    cost_fp: float | None = field(default=None, metadata={"question": "What does a false positive cost?"})
    cost_fn: float | None = field(default=None, metadata={"question": "What does a missed positive cost?"})
    quota_known: bool | None = field(default=None, metadata={"question": "Is the size of the quota known?"})
    only_top_matters: bool = field(default=False, metadata={"question": "Does only the top of the list matter?"})
    several_models: bool = field(default=False, metadata={"question": "Do you choose between several models?"})
    keep: float | None = field(default=None, metadata={"question": "What share of the positives must pass?"})
    pick: float | None = field(default=None, metadata={"question": "How many cases are picked at the end?"})

    def __post_init__(self) -> None:
        check_choice(self.goal, "goal", get_args(Goal))
        self._check_screening()
        object.__setattr__(self, "prevalence", check_prevalence(self.prevalence))
        for name in ("cost_fp", "cost_fn"):
            cost = None if getattr(self, name) is None else check_number(getattr(self, name), name)
            if cost is not None and not 0 < cost < float("inf"):
                raise ParameterError(f"is {cost:g}", "pass a finite cost above 0", argument=name)
            object.__setattr__(self, name, cost)
        for flag in (option for option in fields(self) if "bool" in str(option.type)):
            value = getattr(self, flag.name)
            if value is not None or "None" not in str(flag.type):
                check_flag(value, flag.name)
        if (self.cost_fp is None) != (self.cost_fn is None):
            value = "cost_fp" if self.cost_fn is None else "cost_fn"
            raise ParameterError(f"{value} is given alone", "pass both costs, on the same scale")

    def _check_screening(self) -> None:
        for name in ("keep", "pick"):
            value = None if getattr(self, name) is None else check_number(getattr(self, name), name)
            object.__setattr__(self, name, value)
            if value is not None and self.goal != "screen":
                raise ParameterError("is for screening", "pass goal='screen', or leave it out", argument=name)
        if self.keep is not None and not 0 < self.keep < 1:
            raise ParameterError(f"is {self.keep:g}", "pass a share between 0 and 1", argument="keep")
        if self.pick is not None and not 1 <= self.pick < float("inf"):
            raise ParameterError(f"is {self.pick:g}", "pass a number of cases of at least 1", argument="pick")

    @property
    def screens_out(self) -> bool:
        """Whether screening has a negative phase, which keeps the positives: said, or nothing was."""
        return self.goal == "screen" and (self.keep is not None or self.pick is None)

    @property
    def is_unbalanced(self) -> bool:
        """Whether one class is much larger than the other."""
        return self.prevalence is not None and max(self.prevalence, 1 - self.prevalence) >= MAJORITY

    @property
    def costs_known(self) -> bool:
        """Whether both costs are given."""
        return self.cost_fp is not None

    @property
    def wrong_inclusion_counts(self) -> bool:
        """Whether the precision of what is chosen matters: said, or nothing else was."""
        return self.wrong_inclusion_costly or not self.missed_costly

    @property
    def missed_counts(self) -> bool:
        """Whether finding all positives matters: said, or nothing else was."""
        return self.missed_costly or not self.wrong_inclusion_costly


@dataclass(frozen=True)
class Recommendation:
    """A measure of the registry to use, why, and who says so."""

    measure: str
    why: str
    source: str


@dataclass(frozen=True)
class Choice:
    """A situation, in words and as a condition, and the measures that fit it, each with its reason."""

    when: str
    holds: Callable[[Situation], bool]
    measures: Mapping[str, str]
    source: str


CHOICES = (
    Choice(
        "a quota that is known; a wrong inclusion is costly, or the costs are not given",
        lambda s: s.goal == "quota" and s.quota_known is True and s.wrong_inclusion_counts,
        {"hit_rate": "It is the share of your quota that goes to positives: a wrong inclusion lowers it."},
        ARBEL_END,
    ),
    Choice(
        "a quota that is known; a missed positive is costly, or the costs are not given",
        lambda s: s.goal == "quota" and s.quota_known is True and s.missed_counts,
        {"qrecall": "It is the share of all positives that your quota reaches: a missed one lowers it."},
        ARBEL_END,
    ),
    Choice(
        "a quota whose size is not known; a wrong inclusion is costly, or the costs are not given",
        lambda s: s.goal == "quota" and not s.quota_known and s.wrong_inclusion_counts,
        {"average_hit_rate": "It is the hit rate of an average quota, for a quota that may still change."},
        ARBEL,
    ),
    Choice(
        "a quota whose size is not known; a missed positive is costly, or the costs are not given",
        lambda s: s.goal == "quota" and not s.quota_known and s.missed_counts,
        {
            "average_qrecall": "It is the mean share of the positives found, over the quotas that could hold them all.",
            "pem": "It is the gain over a random order as a share of what is possible, over all quotas; "
            "it equals the Gini index, 2 AUC - 1.",
        },
        ARBEL,
    ),
    Choice(
        "negative screening: all but those with a low chance go on",
        lambda s: s.screens_out,
        {
            "qrecall": "It is the share of the positives that go on: a lost one lowers it.",
            "pem": "It compares models for phases of unknown size, by the positives that are kept over all quotas.",
        },
        ARBEL_END,
    ),
    Choice(
        "positive screening: a quota is filled with those most likely to be positive",
        lambda s: s.goal == "screen" and s.pick is not None,
        {"hit_rate": "It is the share of the quota that goes to positives, and counts the misses in the quota."},
        ARBEL_END,
    ),
    Choice(
        "a ranking of which only the top matters",
        lambda s: s.goal == "rank" and s.only_top_matters,
        {
            "average_precision": "It weighs the top of the list most, where the AUC weights every position equally; "
            "draw the precision-recall curve.",
            "roc_n": "It is the ROC curve up to the first n false positives and leaves the rest of the list out.",
        },
        f"{BERRAR}; {SONNENBURG_TOP}",
    ),
    Choice(
        "a ranking of unbalanced classes",
        lambda s: s.goal == "rank" and s.is_unbalanced and not s.only_top_matters,
        {
            "average_precision": "With a rare class the precision-recall curve shows more than the ROC curve.",
            "auc": "It does not change with the share of positives, so it compares data sets.",
        },
        f"{BERRAR}; {SONNENBURG}",
    ),
    Choice(
        "a ranking, with classes that are not known to be unbalanced",
        lambda s: s.goal == "rank" and not s.is_unbalanced and not s.only_top_matters,
        {"auc": "It is the probability that a positive is ranked above a negative, and needs no threshold."},
        f"{BERRAR}; {SONNENBURG}",
    ),
    Choice(
        "decisions at a threshold, with known costs of both errors",
        lambda s: s.goal == "decide" and s.costs_known,
        {
            "expected_cost": "You know what each error costs: this is the mean cost of a case at your threshold.",
            "net_benefit": "It is the gain over flagging nobody, in true positives per case.",
        },
        f"{PROVOST}; {VICKERS}",
    ),
    Choice(
        "decisions at a threshold; a wrong inclusion is costly",
        lambda s: s.goal == "decide" and s.wrong_inclusion_costly,
        {"precision": "It is the share of the flagged cases that are positive: a wrong inclusion lowers it."},
        ARBEL_CUT,
    ),
    Choice(
        "decisions at a threshold; a missed positive is costly",
        lambda s: s.goal == "decide" and s.missed_costly,
        {"recall": "It is the share of the positives that are flagged: a missed one lowers it."},
        ARBEL_CUT,
    ),
    Choice(
        "decisions at a threshold, with unbalanced classes",
        lambda s: s.goal == "decide" and s.is_unbalanced,
        {
            "balanced_accuracy": "Both classes count equally: a model that flags nobody gets 0.5.",
            "f1": "It leaves out the true negatives, which make accuracy look good when positives are rare.",
            "mcc": "It uses all four counts, and is 0 for a score without information.",
        },
        SONNENBURG,
    ),
    Choice(
        "decisions at a threshold, with classes that are not known to be unbalanced and no costs",
        lambda s: s.goal == "decide" and not (s.is_unbalanced or s.costs_known),
        {"accuracy": "With classes of similar size, the share of right decisions means what you expect it to."},
        SONNENBURG,
    ),
    Choice(
        "probabilities",
        lambda s: s.goal == "probabilities",
        {
            "log_loss": "It is lowest for the true probabilities, and punishes a confident error hardest.",
            "brier": "It is lowest for the true probabilities, and a single error cannot ruin it.",
        },
        BERRAR,
    ),
    Choice(
        "probabilities, with unbalanced classes",
        lambda s: s.goal == "probabilities" and s.is_unbalanced,
        {"balanced_cross_entropy": "It weighs the classes, so that the rare one is not drowned."},
        BERRAR,
    ),
    Choice(
        "a choice between several models for decisions at a threshold",
        lambda s: s.goal == "decide" and s.several_models,
        {"brier": "Models with the same decisions at one cut can differ in their scores; this one tells them apart."},
        BERRAR,
    ),
    Choice(
        "a choice between several models by their ranking",
        lambda s: s.goal in ("rank", "quota") and s.several_models,
        {"auc": "Its difference has a test on the same cases; look also at where the curves cross."},
        f"{DELONG}; {DOMINANCE}",
    ),
)


def _check_known(known: Mapping[str, Any]) -> None:
    """Refuse what is no field of a situation, and one without a goal."""
    names = [option.name for option in fields(Situation)]
    for name in known:
        if name not in names:
            raise ParameterError(
                f"There is no field {name!r}", f"pass some of {', '.join(names)}", hint=hint_similar(name, names)
            )
    if "goal" not in known:
        raise ParameterError("goal is missing", f"pass one of {', '.join(get_args(Goal))}")


@public
def advise(situation: Situation | None = None, **known: Any) -> tuple[Recommendation, ...]:
    """Recommend measures for a situation, the one that fits best first; each is named once.

    Args:
        situation: what the model is for, as far as it is known; or its fields:
        **known: such as `goal="screen", keep=0.99`.

    >>> [found.measure for found in advise(goal="screen", keep=0.99, pick=20)]
    ['qrecall', 'pem', 'hit_rate']
    """
    if known and situation is None:
        _check_known(known)
        situation = Situation(**known)
    elif known:
        raise ParameterError("A situation and its fields are both given", "pass one of them")
    if not isinstance(situation, Situation):
        raise ParameterError(f"is {shorten_repr(situation)}", "pass a Situation", argument="situation")
    recommended: dict[str, Recommendation] = {}
    for choice in CHOICES:
        if choice.holds(situation):
            for measure, why in choice.measures.items():
                recommended.setdefault(measure, Recommendation(measure, why, choice.source))
    return tuple(recommended.values())
