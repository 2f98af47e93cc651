"""Which statistic is meant by the name of a measure and the kind of mean."""

from __future__ import annotations

from typing import Any

from cutline.core.errors import ParameterError, UnknownNameError, briefly, near
from cutline.core.validation import check_choice
from cutline.measures import MEASURES, Measure, Needs
from cutline.multiclass.class_means import MeanOverClasses
from cutline.multiclass.measures import WHOLE
from cutline.multiclass.statistic import MACRO, MEANS, MICRO, WEIGHTED, Statistic

PAIRS = "hand_till_m"
# The mean average precision is a mean over the classes by its definition (Berrar, section 4).
_MAP = "mean_average_precision"
_ALIASES = {"hand_till": PAIRS, "m": PAIRS, "auc_ovo": PAIRS, "rps": "ranked_probability_score"}
_ALONE = tuple(dict.fromkeys(whole.name for whole in WHOLE))
CUTS = ("threshold", "quota", "share")
CLASS_MEASURES = ("auc", "average_precision", "precision", "recall", "f1")  # which a summary shows of each class


def measure_of(measure: str | Measure, parameters: dict[str, Any] | None = None) -> Measure:
    """Return the measure of one class against the rest that a name means.

    Args:
        measure: The measure, or its name.
        parameters: Its own parameters.
    """
    if not isinstance(measure, str | Measure):
        raise UnknownNameError(f"There is no measure {briefly(measure)}", "pass its name, such as 'auc'")
    if not isinstance(measure, Measure) and measure not in MEASURES:
        hint = near(measure, [*MEASURES.names, *_ALONE]) or " cutline.MEASURES lists them all."
        raise UnknownNameError(f"There is no measure {measure!r}", hint=hint)
    chosen = MEASURES[measure]
    chosen = MEASURES["average_precision"] if chosen.name == _MAP else chosen
    return chosen.with_(**(parameters or {}))


def statistic_of(measure: str | Measure, mean: str | None = None, **parameters: Any) -> Statistic:
    """Return the statistic of a measure: of all classes where there is one of that name, else a mean over the
    classes.

    Args:
        measure: The measure, or its name; "hand_till_m" for that of Hand and Till.
        mean: "macro", "weighted" or "micro"; without, the measure of all classes, or the macro mean.
        parameters: Those of the measure.
    """
    if mean is not None:
        check_choice(mean, "mean", MEANS)
    name = _ALIASES.get(measure, measure) if isinstance(measure, str) else measure_of(measure).name
    if name == PAIRS:
        if mean == MICRO:
            raise ParameterError(
                "Hand and Till's M is a mean over pairs of classes", "pass mean='macro' or mean='weighted'"
            )
        return WHOLE[1] if mean == WEIGHTED else WHOLE[0]
    named = MEASURES[name].name if name in MEASURES else name
    whole = next((candidate for candidate in WHOLE if candidate.name == named), None)
    if whole is not None and mean is None and parameters.keys() <= set(getattr(whole, "takes", ())):
        return whole.with_parameters(**parameters) if parameters else whole  # type: ignore[attr-defined]
    if whole is not None and named not in MEASURES:
        raise ParameterError(f"{named} is a measure of all classes", "ask for it without a mean and without parameters")
    chosen = measure_of(measure, _own(measure, parameters))
    if named == _MAP and mean not in (None, MACRO):
        raise ParameterError(
            "The mean average precision is the plain mean over the classes", "ask for average_precision with this mean"
        )
    if chosen.required:
        chosen.check({})
    return MeanOverClasses(chosen, mean or MACRO)


def _own(measure: str | Measure, parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters, and refuse a cut: each case goes to the class of its highest score."""
    chosen = MEASURES[measure] if isinstance(measure, Measure) or measure in MEASURES else None
    cuts = [name for name in parameters if name in CUTS and (chosen is None or name not in chosen.parameters)]
    if cuts and chosen is not None and chosen.needs is Needs.COUNTS:
        raise ParameterError(
            f"{chosen.name} is read where each case goes to the class of its highest score, not at a {cuts[0]}",
            f"ask one class for it, such as found['a'].estimate({chosen.name!r}, {cuts[0]}=...)",
        )
    return parameters
