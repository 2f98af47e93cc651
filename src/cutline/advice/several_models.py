"""notes_on(): what the reader of a comparison should know."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from cutline.advice.context import BERRAR, DELONG, DOMINANCE, Note, Rule, brief, in_order, rule_context
from cutline.advice.one_model import MODEL_RULES, apply_rules
from cutline.comparison import Comparison
from cutline.core.counts import written
from cutline.core.messages import Text
from cutline.core.validation import LEVEL, check_level
from cutline.inference.differences.difference import StudentDifference, needed_cases
from cutline.inputs.rank import places
from cutline.measures import MEASURES
from cutline.results.estimate import quantile
from cutline.results.resample_budget import curves_for_a_note

ALONE = 0.05  # the part of the axis over which a model has to be the only best one


@dataclass(frozen=True)
class _Asked:
    comparison: Comparison
    quota: float | None
    measures: frozenset[str] | None
    level: float
    resamples: int | None
    seed: int

    @property
    def two_classes(self) -> bool:
        r = self.comparison.pairing.rankings[0]
        return bool(r.positives and r.negatives)


def _single_cut(a: _Asked) -> str | None:
    """Models that one cut cannot tell apart, though their scores differ."""
    models = list(a.comparison.items())
    for i, (name, first) in enumerate(models):
        for other, second in models[i + 1 :]:
            c, d = first.counts, second.counts
            if (c.tp, c.fp) == (d.tp, d.fp) and first.ranking != second.ranking:
                return (
                    f"{name} and {other} have the same counts at the cut (accuracy {brief(float(c.accuracy))}), but "
                    f"not the same scores: no measure of one cut tells them apart. {_what_differs(a, name, other)}"
                )
    return None


def _what_differs(a: _Asked, name: str, other: str) -> str:
    first, second = a.comparison[name], a.comparison[other]
    differing = []
    for measure in (MEASURES[m] for m in ("auc", "average_precision", "brier", "log_loss")):
        if measure.fits(first.ranking) and measure.fits(second.ranking):
            x, y = brief(first.value(measure)), brief(second.value(measure))
            if x != y:
                differing.append(f"{measure.title} {x} and {y}")
    return f"Others can: {', '.join(differing)}." if differing else "Compare their rankings or probabilities."


def _too_small(a: _Asked) -> str | None:
    """A lead that the cases at hand do not show."""
    if not a.two_classes or (a.measures is not None and "auc" not in a.measures):
        return None
    values = a.comparison.values_of("auc")
    leader = max(values, key=lambda name: values[name])
    p_values = {frozenset((t.a, t.b)): t.p_holm for t in a.comparison.test("auc", seed=a.seed)}
    close = [name for name in values if name != leader and p_values[frozenset((leader, name))] > 1 - a.level]
    if not close:
        return None
    nearest = max(close, key=lambda name: values[name])
    lead = a.comparison.difference("auc", leader, nearest, level=a.level, seed=a.seed)
    if lead.value == 0 or not lead.has_interval:
        return None
    n, unit = a.comparison.pairing.total, a.comparison.pairing.unit
    spread = (lead.high - lead.low) / 2 / quantile(a.level)
    needed = needed_cases(StudentDifference(lead.value, spread), n, a.level)
    enough = f" About {float(f'{needed:.2g}'):,.0f} {unit} would, with 80 % power." if needed > n else ""
    return (
        f"{leader} has the highest AUC, but {n:,} {unit} do not show that it is better than {', '.join(close)}: it "
        f"leads {nearest} by {brief(lead.value)} "
        f"({100 * a.level:g} % interval {brief(lead.low)} to {brief(lead.high)}).{enough}"
    )


def _no_dominance(a: _Asked) -> str | None:
    """Models that are best in different places."""
    if not a.two_classes:
        return None
    curve = "quota" if a.quota is not None else "roc"
    areas = a.comparison.dominance(curve)
    length = sum(span.high - span.low for span in areas.spans)
    alone = [
        name
        for name in areas.names
        if sum(s.high - s.low for s in areas.spans if s.best == (name,)) >= ALONE * length > 0
    ]
    resamples = curves_for_a_note(len(a.comparison.pairing), a.resamples)
    if len(alone) < 2 or not resamples:
        return None
    sure = a.comparison.regions(curve, level=a.level, resamples=resamples, seed=a.seed)
    if len(sure.leaders) < 2:  # where curves cross may be chance
        return None
    if a.quota is None:
        return f"{areas.verdict} Choose by the false positive rate that you work at."
    hits = {name: float(model.ranking.at_quota(a.quota).precision) for name, model in a.comparison.items()}
    best = max(hits.values())
    first = " and ".join(name for name, value in hits.items() if value == best)
    return f"{areas.verdict} At your quota of {written(a.quota)} it is {first}, with a hit rate of {brief(best)}."


COMPARISON_RULES: tuple[Rule, ...] = (
    Rule(
        "single-cut",
        "warning",
        "two models have the same counts at their cut, but different scores",
        BERRAR,
        _single_cut,
    ),
    Rule(
        "too-small",
        "warning",
        "the model with the highest AUC cannot be told from another one (DeLong's test with Holm's correction, at the "
        "level asked for)",
        DELONG,
        _too_small,
    ),
    Rule(
        "dominance",
        "advice",
        "two models or more are each better than all others somewhere along the false positive rates, or the quotas "
        "(simultaneous confidence, at the level asked for)",
        DOMINANCE,
        _no_dominance,
    ),
)
RULES: tuple[Rule, ...] = (*MODEL_RULES, *COMPARISON_RULES)  # of one model and of several


def notes_on(
    comparison: Comparison,
    *,
    quota: float | None = None,
    share: float | None = None,
    measures: Iterable[str] | None = None,
    level: float = LEVEL,
    resamples: int | None = None,
    seed: int = 0,
    without: Collection[str] = (),
) -> tuple[Note, ...]:
    """What the reader of a comparison should know: of all models together, then of each, `without` some rules.

    What holds for every model is said once; of one model only what warns is said, and its name stands before it.

    Args:
        comparison: The models.
        quota: How many cases can be acted on.
        share: The same as a share of the cases.
        measures: The measures that the reader sees, by name; the headlines when None.
        level: The level of the intervals and tests that the notes speak of.
        resamples: How many resamples may be drawn for a note; by `cutline.results.resample_budget` when
            None, and 0 for none.
        seed: The seed of these resamples.
        without: Rules that are left out, by name.
    """
    names = None if measures is None else tuple(MEASURES[m].name for m in measures)
    j = None
    if quota is not None or share is not None:
        j = float(places(comparison.pairing.rankings[0], quota=quota, share=share))
    about = _Asked(comparison, j, None if names is None else frozenset(names), check_level(level), resamples, seed)
    of_all = [note for rule in COMPARISON_RULES if rule.id not in without and (note := rule.note(about))]
    models = dict(comparison.items())
    of_each = {
        name: apply_rules(
            rule_context(evaluation, quota=quota, share=share, measures=names, models=models, level=level)
        )
        for name, evaluation in models.items()
    }
    return in_order([*of_all, *_merge_by_model(of_each)])


def _merge_by_model(by_model: Mapping[str, Iterable[Note]]) -> list[Note]:
    """What holds for all models, and with their names what warns of some."""
    holders: dict[Note, list[str]] = {}
    for name, notes in by_model.items():
        for note in notes:
            holders.setdefault(note, []).append(name)
    listed = []
    for note, of in holders.items():
        if len(of) == len(by_model):
            listed.append(note)
        elif note.kind == "warning":
            listed.append(Note(note.rule, Text(f"{', '.join(of)}: ", note.text), note.source, note.kind))
    return listed
