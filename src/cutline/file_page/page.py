"""The page that takes a file, as one text: template, style, programs, worker and examples."""

from __future__ import annotations

import base64
import hashlib
import math
import re
from collections.abc import Callable, Iterable
from functools import cache, partial
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np

from cutline import __version__
from cutline.core.messages import listed
from cutline.core.ranking import Ranking
from cutline.cuts import statements
from cutline.inference import constants, delong, influence
from cutline.inference.caveats import rests_on
from cutline.inference.effective_size import effective
from cutline.inference.influence import JUMPING
from cutline.inference.methods import DEFAULTS, INFLUENCE, POINT, Method
from cutline.inference.quantities import quantity_of
from cutline.inference.single import auc, closed_forms, proportions
from cutline.inputs.column_source import LABELS, SCORES
from cutline.inputs.text_table import MISSING, PLAIN_NUMBER, SPELLINGS
from cutline.measures import MEASURES, Measure, Needs
from cutline.measures.binned_calibration import bin_of
from cutline.measures.forms import LinearInAuc, MeanOfCases, RankStatistic, ShareOfPairs, VarianceFormula
from cutline.measures.tracing import Expression, Program, Traced, symbolic_ranking, trace_ranking
from cutline.report import programs
from cutline.report.cut_data import precision_program, sentences
from cutline.report.html_page import asset as report_asset
from cutline.report.html_page import environment, packed, theme_variables
from cutline.report.measure_rows import slug
from cutline.report.sections import ROWS
from cutline.results.estimate import quantile
from cutline.results.method_titles import TITLES

BINS = 10  # of the reliability diagram


class ClosedForm(NamedTuple):
    """An interval by formula: the name of its method, and of the one that stands in for it.

    `limits` gives the limits, and whether they are those of the method itself; where nothing stands in for it, there
    is no interval otherwise. Limits that are NaN are none.
    """

    limits: Callable[[Ranking, float], tuple[Any, Any, Any]]
    method: str
    stand_in: str = ""


def ranking_measures() -> tuple[list[Measure], list[Measure]]:
    """Return the measures of the ranking that can be traced, and those that the page leaves out."""
    every = [m for m in MEASURES if m.needs in (Needs.RANKING, Needs.PROBABILITIES)]
    traced = [m for m in every if trace_ranking(m) is not None]
    return traced, [m for m in every if m not in traced]


def build_program(level: float) -> dict[str, Any]:
    """Return the program of all that follows from a ranking, and where in it each result stands."""
    program = Program()
    ranking = symbolic_ranking()
    return {
        "measures": [_entry(measure, ranking, program, level) for measure in ranking_measures()[0]],
        "freedom": program.add(_symbol(_freedom_to_tell(ranking))),
        "curves": {name: program.add(_symbol(getattr(ranking, name))) for name in ("tpr", "fpr", "precision")},
        "steps": program.steps,
        "rests_on": [
            str(sentence) for cases in range(1, round(constants.FEW / 2)) for sentence in rests_on(2.0 * cases)
        ],
        "z": quantile(level),
        "plenty": constants.PLENTY,
    }


def reliability_program(*, integral: bool) -> dict[str, Any]:
    """Return the program of the reliability diagram; bins of whole cases end at cases."""
    program = Program()
    sums = reliability(symbolic_ranking(integral=integral))
    return {"results": {name: program.add(_symbol(total)) for name, total in sums.items()}, "steps": program.steps}


def _entry(measure: Measure, ranking: Ranking, program: Program, level: float) -> dict[str, Any]:
    traced = trace_ranking(measure)
    assert isinstance(traced, Traced)  # noqa: S101 - only such measures are shown
    low, high = (bound if math.isfinite(bound) else None for bound in map(float, measure.range))
    formula = _formula(measure)
    return {
        "name": measure.name,
        "range": [low, high],
        "of_probabilities": measure.needs is Needs.PROBABILITIES,
        "value": program.add(traced.value),
        "baseline": None if traced.baseline is None else program.add(traced.baseline),
        "reasons": [[words, program.add(holds)] for words, holds in traced.undefined],
        "limits": formula and [program.add(_symbol(x)) for x in formula.limits(ranking, level)],
        "method": formula and [formula.method, formula.stand_in],
        "resampled": is_resampled(measure),
        "alone": _program_alone(traced) if has_influence(measure) else None,
    }


def _program_alone(traced: Traced) -> dict[str, Any]:
    """Return the program of a measure by itself, which the page runs on lists with other weights."""
    program = Program()
    value = program.add(traced.value)
    return {"value": value, "steps": program.steps}


def _symbol(value: Any) -> Expression:
    assert isinstance(value, Expression)  # noqa: S101 - of a symbolic ranking everything is
    return value


# ---------------------------------------------------------------------- intervals by formula


def has_influence(measure: Measure) -> bool:
    """Whether the rule weighs cases anew where there are plenty, to see what they change in a measure."""
    return measure.needs is Needs.RANKING and measure.name not in JUMPING and _row_of(measure)[0] is INFLUENCE


def is_resampled(measure: Measure) -> bool:
    """Whether the rule resamples: no formula gives an interval, whatever the cases."""
    row = _row_of(measure)
    return row[0] is not POINT and not any(method.engine == "formula" for method in row[1:])


def _row_of(measure: Measure) -> tuple[Method, ...]:
    """Return the row of a measure in the table of methods."""
    return DEFAULTS[quantity_of(measure.form, is_of_counts=False, by_quota=False)]


def _formula(measure: Measure) -> ClosedForm | None:
    """Return the closed-form interval of a measure; None if it has none."""
    form = measure.form
    if isinstance(form, LinearInAuc):
        return ClosedForm(partial(line_of_auc_limits, measure), "delong_student", "newcombe_delong")
    if isinstance(form, MeanOfCases):
        return ClosedForm(partial(mean_limits, measure), "influence", "influence_student")
    if isinstance(form, RankStatistic):
        return ClosedForm(partial(smooth_limits, measure), "influence_student")
    if isinstance(form, ShareOfPairs):
        return ClosedForm(partial(pairs_limits, measure), "wilson")
    if isinstance(form, VarianceFormula) and form.scale == "log":
        return ClosedForm(partial(log_limits, measure), next(iter(form.methods)))
    return None


def _area(r: Ranking) -> tuple[Any, Any, Any, tuple[Any, Any]]:
    """Return the AUC, its variance, the degrees of freedom of that, and the sizes of both classes."""
    return auc.area_of(r), np.nan_to_num(delong.variance(r)), auc.freedom_of_area(r), effective(r)


def line_of_auc_limits(measure: Measure, r: Ranking, level: float) -> tuple[Any, Any, Any]:
    """Return the limits of a linear function of the AUC, and whether more than a few cases decide them."""
    form: Any = measure.form
    area, variance, free, sizes = _area(r)
    limits = auc.student_limits(area, variance, free, sizes, level)
    on_line = auc.limits_on_line(form.of, r, limits)
    low, high = auc.add_prevalence(form.of, r, measure.function(r), on_line, level, sum(sizes))
    return low, high, np.logical_not(auc.is_decided_by_few(area, variance, free))


def _freedom_to_tell(r: Ranking) -> Any:
    area, variance, free, sizes = _area(r)
    few = auc.is_decided_by_few(area, variance, free)
    return np.where(few, auc.freedom_to_tell(area, variance, free, sizes), np.inf)


def mean_limits(measure: Measure, r: Ranking, level: float) -> tuple[Any, Any, Any]:
    """Return the limits of a mean over the cases, and whether there are plenty, so that the mean is about normal."""
    value, positives, negatives = measure.function(r), *effective(r)
    variance, _ = closed_forms.variance_and_freedom(measure.form, r, {})
    plenty = np.minimum(positives, negatives) >= constants.PLENTY
    normal, student = influence.normal(value, variance, level), smooth_limits(measure, r, level)
    low, high = (
        np.where(plenty, of_normal, of_student) for of_normal, of_student in zip(normal, student[:2], strict=True)
    )
    return low, high, plenty


def smooth_limits(measure: Measure, r: Ranking, level: float) -> tuple[Any, Any, Any]:
    """Return the limits of a measure whose influence function is known, and whether it tells how uncertain it is."""
    value, allowed = measure.function(r), measure.range
    variance, freedom = closed_forms.variance_and_freedom(measure.form, r, {})
    is_known = closed_forms.has_scale(value, variance, allowed)
    limits = closed_forms.limits_on_scale(value, variance, freedom, allowed, level)
    low, high = (np.where(is_known, limit, np.nan) for limit in limits)
    return low, high, is_known


def pairs_limits(measure: Measure, r: Ranking, level: float) -> tuple[Any, Any, Any]:
    """Return Wilson's limits of a share of pairs, and that there are such."""
    form: Any = measure.form
    share = measure.function(r)
    low, high = proportions.limits_of_pairs(r, share, form.of(r), level)
    return low, high, share >= 0


def log_limits(measure: Measure, r: Ranking, level: float) -> tuple[Any, Any, Any]:
    """Return the limits of a number by the variance of its logarithm, and whether there is one."""
    form: Any = measure.form
    value, variance = measure.function(r), next(iter(form.methods.values()))(r)
    low, high = closed_forms.limits_on_log_scale(value, variance, level)
    return low, high, np.isfinite(variance) & np.isfinite(value) & (value > 0)


# ---------------------------------------------------------------------- the reliability diagram


def reliability(r: Ranking) -> dict[str, Any]:
    """Return the observed positives, the expected positives and the cases in bins of equal mass, from the lowest."""
    where = bin_of(r, BINS, "mass")
    of_bins = partial(np.bincount, where, minlength=BINS)
    return {
        "observed": of_bins(weights=r.pos),
        "expected": of_bins(weights=r.size * r.key),
        "cases": of_bins(weights=r.size),
    }


# In the order in which they need each other. Modules of the report are used as they are; those of this page come from
# its own folder, some of them in the place of the report's (charts, the link in the address).
OWN = frozenset((
    "student", "columns", "influence", "table_text", "cells", "make_ranking", "read_file", "columns_of_file",
    "workbook", "evaluate_ranking", "promise_levels", "worker", "chart_drawing", "no_link", "all_cuts", "show_numbers",
    "file_page",
))  # fmt: skip
WORKER = (
    "program", "student", "columns", "influence", "table_text", "cells", "read_file", "columns_of_file", "workbook",
    "make_ranking", "evaluate_ranking", "bounds", "levels", "sentences", "promise_levels", "worker",
)  # fmt: skip
PROGRAM = (
    "format", "ranking", "program", "intervals", "chart_drawing", "no_link", "live", "files", "bounds", "levels",
    "sentences", "fields", "promises", "shell", "cells", "all_cuts", "show_numbers", "file_page",
)  # fmt: skip
_POINTS = (
    "precision", "recall", "fpr", "predicted_positive_rate", "expected_cost", "total_cost", "lift", "youden_j",
)  # fmt: skip
FIRST = ("auc", "average_precision", "ks", "brier", "log_loss")
EXAMPLES = {
    "tumours": {"title": "569 tumours", "score": "logistic", "positive": "malignant"},
    "ten_cases": {"title": "Berrar's ten cases", "positive": "1"},
}
_TOO_LONG = (
    "A class has more than 300 000 cases, for which this page does not work out promises: "
    "`cutline cut` on the command line does."
)


def page(level: float) -> str:
    """Return the page as text.

    Args:
        level: The level of the intervals and of the promises.
    """
    program = script(PROGRAM)
    traced, omitted = ranking_measures()
    written: str = (
        environment()
        .from_string(_asset("page.html"))
        .render(
            title="Evaluate a classifier",
            policy=policy([program]),
            style=report_asset("style.css") + theme_variables() + _asset("file_page.css"),
            level=f"{100 * level:g} %",
            version=__version__,
            examples=[{"name": name, **about} for name, about in EXAMPLES.items()],
            ranking=_rows(traced, lambda m: m.name in FIRST),
            cut=_rows(_of_cuts(), lambda m: m.headline),
            promise={"rows": [{"name": name, "title": title, "side": side} for name, title, side in ROWS]},
            omitted=listed([m.title for m in omitted]),
            data=packed(page_data(level)),
            worker=script(WORKER),
            program=program,
        )
    )
    return written


def _of_cuts() -> list[Measure]:
    return [m for m in MEASURES if m.needs is Needs.COUNTS]


def _rows(measures: Iterable[Measure], comes_first: Any) -> dict[str, list[dict[str, str]]]:
    """Return what the tables say of measures: those that are seen at once, and those that are folded away."""
    rows: dict[str, list[dict[str, str]]] = {"first": [], "more": []}
    for m in measures:
        about = {"name": m.name, "id": slug(m.name), "title": m.title, "meaning": m.meaning}
        rows["first" if comes_first(m) else "more"].append(about)
    return rows


def page_data(level: float) -> dict[str, Any]:
    """Return what the programs of the page read."""
    of_cuts = programs.compile_programs([(m.name, m) for m in _of_cuts()], _POINTS, level)
    of_cuts["measures"] = [entry | {"id": slug(entry["name"])} for entry in of_cuts["measures"]]
    return {
        "level": level,
        "document": {"options": {"level": level}},
        "program": of_cuts,
        "ranking": build_program(level),
        "reliability": {
            "whole": reliability_program(integral=True),
            "weighted": reliability_program(integral=False),
        },
        "promises": {
            "words": sentences() | {"weighted": statements.WEIGHTS, "too_long": _TOO_LONG},
            "precision": precision_program(),
        },
        "methods": TITLES,
        "words": {
            "labels": LABELS,
            "scores": SCORES,
            "missing": MISSING,
            "number": PLAIN_NUMBER,
            "spellings": [spelling._asdict() for spelling in SPELLINGS],
        },
        "examples": {name: about | {"text": _example(name)} for name, about in EXAMPLES.items()},
    }


def _example(name: str) -> str:
    return (files("cutline.examples") / f"{name}.csv").read_text(encoding="utf-8")


@cache
def script(modules: tuple[str, ...]) -> str:
    """Return modules as one program."""
    text = "\n".join(_asset(f"{name}.js") if name in OWN else report_asset(f"{name}.js") for name in modules)
    return re.sub(r"^(?:import .*\n|export )", "", text, flags=re.MULTILINE)


@cache
def _asset(name: str) -> str:
    return (files("cutline.file_page") / "assets" / name).read_text(encoding="utf-8")


def policy(scripts: Iterable[str]) -> str:
    """Return what the browser may do: run these programs and a worker of the page. Nothing can be fetched or sent.

    Args:
        scripts: The programs of the page.
    """
    hashes = " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(s.encode()).digest()).decode()}'" for s in scripts)
    rules = (
        "default-src 'none'",
        f"script-src {hashes}",
        "worker-src blob:",
        "style-src 'unsafe-inline'",
        "img-src data:",
        "connect-src 'none'",
        "base-uri 'none'",
        "form-action 'none'",
    )
    return "; ".join(rules)
