"""The file page as one text: template, style, programs, worker and examples."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import cache, partial
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np

from cutline import __version__
from cutline.core.messages import join_with_and
from cutline.core.ranking import Ranking
from cutline.cuts import statements
from cutline.inference import constants, delong, influence
from cutline.inference.caveats import note_effective_cases
from cutline.inference.effective_size import compute_effective_sizes
from cutline.inference.influence import JUMPING
from cutline.inference.methods import DEFAULTS, INFLUENCE, POINT, Method
from cutline.inference.quantities import find_quantity
from cutline.inference.single import auc, smooth
from cutline.inputs.column_source import LABELS, SCORES
from cutline.inputs.text_table import MISSING, PLAIN_NUMBER, SPELLINGS
from cutline.measures import MEASURES, Measure, Needs
from cutline.measures.binned_calibration import assign_bins
from cutline.measures.forms import LinearInAuc, MeanOfCases, RankStatistic, ShareOfPairs, VarianceFormula
from cutline.measures.tracing import Expression, Program, Traced, make_symbolic_ranking, trace_ranking
from cutline.report import programs
from cutline.report.cut_data import collect_sentences, compile_precision
from cutline.report.html_page import (
    hash_source,
    join_modules,
    load_asset,
    make_environment,
    pack_data,
    write_theme_variables,
)
from cutline.report.measure_rows import make_slug
from cutline.report.sections import ROWS
from cutline.results.estimate import quantile
from cutline.results.method_titles import TITLES

BINS = 10  # of the reliability diagram


class ClosedForm(NamedTuple):
    """An interval by formula: the names of its method and of the fallback.

    `limits` gives the limits, and whether they are those of the method itself; where nothing stands in for it, there
    is no interval otherwise. Limits that are NaN are none.
    """

    limits: Callable[[Ranking, float], tuple[Any, Any, Any]]
    method: str
    stand_in: str = ""


def choose_ranking_measures() -> tuple[list[Measure], list[Measure]]:
    """Return the measures of the ranking that can be traced, and the others, which the page leaves out."""
    every = [m for m in MEASURES if m.needs in (Needs.RANKING, Needs.PROBABILITIES)]
    traced = [m for m in every if trace_ranking(m) is not None]
    return traced, [m for m in every if m not in traced]


def compile_ranking(level: float) -> dict[str, Any]:
    """Compile the program of all that follows from a ranking, with the places of its results."""
    program = Program()
    ranking = make_symbolic_ranking()
    return {
        "measures": [_compile_entry(measure, ranking, program, level) for measure in choose_ranking_measures()[0]],
        "freedom": program.add(_require_expression(_find_freedom(ranking))),
        "curves": {
            name: program.add(_require_expression(getattr(ranking, name))) for name in ("tpr", "fpr", "precision")
        },
        "steps": program.steps,
        "rests_on": [
            str(sentence)
            for cases in range(1, round(constants.FEW / 2))
            for sentence in note_effective_cases(2.0 * cases)
        ],
        "z": quantile(level),
        "plenty": constants.PLENTY,
    }


def compile_reliability(*, integral: bool) -> dict[str, Any]:
    """Compile the program of the reliability diagram; bins of whole cases end at cases."""
    program = Program()
    sums = bin_reliability(make_symbolic_ranking(integral=integral))
    return {
        "results": {name: program.add(_require_expression(total)) for name, total in sums.items()},
        "steps": program.steps,
    }


def _compile_entry(measure: Measure, ranking: Ranking, program: Program, level: float) -> dict[str, Any]:
    traced = trace_ranking(measure)
    assert isinstance(traced, Traced)  # noqa: S101 - only such measures are shown
    low, high = (bound if math.isfinite(bound) else None for bound in map(float, measure.range))
    formula = _find_formula(measure)
    return {
        "name": measure.name,
        "range": [low, high],
        "of_probabilities": measure.needs is Needs.PROBABILITIES,
        "value": program.add(traced.value),
        "baseline": None if traced.baseline is None else program.add(traced.baseline),
        "reasons": [[words, program.add(holds)] for words, holds in traced.undefined],
        "limits": formula and [program.add(_require_expression(x)) for x in formula.limits(ranking, level)],
        "method": formula and [formula.method, formula.stand_in],
        "resampled": is_resampled(measure),
        "alone": _compile_alone(traced) if has_influence(measure) else None,
    }


def _compile_alone(traced: Traced) -> dict[str, Any]:
    """Compile a measure by itself, which the page runs on lists with other weights."""
    program = Program()
    value = program.add(traced.value)
    return {"value": value, "steps": program.steps}


def _require_expression(value: Any) -> Expression:
    assert isinstance(value, Expression)  # noqa: S101 - of a symbolic ranking everything is
    return value


# ---------------------------------------------------------------------- intervals by formula


def has_influence(measure: Measure) -> bool:
    """Whether the default method reweights cases to find influence values, if there are many cases."""
    return (
        measure.needs is Needs.RANKING
        and measure.name not in JUMPING
        and _find_methods(measure)[0].limits is INFLUENCE.limits
    )


def is_resampled(measure: Measure) -> bool:
    """Whether the default method resamples for all samples, because no formula gives an interval."""
    row = _find_methods(measure)
    return row[0].limits is not POINT.limits and not any(method.engine == "formula" for method in row[1:])


def _find_methods(measure: Measure) -> tuple[Method, ...]:
    """Return the row of a measure in the table of methods."""
    return DEFAULTS[find_quantity(measure.form, is_of_counts=False, by_quota=False)]


def _find_formula(measure: Measure) -> ClosedForm | None:
    """Return the closed-form interval of a measure; None if it has none."""
    form = measure.form
    if isinstance(form, LinearInAuc):
        return ClosedForm(partial(limit_line_of_auc, measure), "delong_student", "newcombe_delong")
    if isinstance(form, MeanOfCases):
        return ClosedForm(partial(limit_mean, measure), "influence", "influence_student")
    if isinstance(form, RankStatistic):
        return ClosedForm(partial(limit_smooth, measure), "influence_student")
    if isinstance(form, ShareOfPairs):
        return ClosedForm(partial(limit_pairs, measure), "wilson")
    if isinstance(form, VarianceFormula) and form.scale == "log":
        return ClosedForm(partial(limit_log, measure), next(iter(form.methods)))
    return None


def _compute_area(r: Ranking) -> tuple[Any, Any, Any, tuple[Any, Any]]:
    """Return the AUC, its variance, the degrees of freedom of that, and the sizes of both classes."""
    return (
        auc.compute_area(r),
        np.nan_to_num(delong.compute_variance(r)),
        auc.compute_freedom(r),
        compute_effective_sizes(r),
    )


def limit_line_of_auc(measure: Measure, r: Ranking, level: float) -> tuple[Any, Any, Any]:
    """Return the limits of a linear function of the AUC, and whether more than a few cases decide them."""
    form: Any = measure.form
    area, variance, freedom, sizes = _compute_area(r)
    limits = auc.student_limits(area, variance, freedom, sizes, level)
    on_line = auc.transform_limits_linearly(form.of, r, limits)
    low, high = auc.add_prevalence(form.of, r, measure.function(r), on_line, level, sum(sizes))
    return low, high, np.logical_not(auc.is_decided_by_few(area, variance, freedom))


def _find_freedom(r: Ranking) -> Any:
    """Return the degrees of freedom if few cases decide the AUC, and infinity otherwise."""
    area, variance, freedom, sizes = _compute_area(r)
    few = auc.is_decided_by_few(area, variance, freedom)
    return np.where(few, auc.compute_shown_freedom(area, variance, freedom, sizes), np.inf)


def limit_mean(measure: Measure, r: Ranking, level: float) -> tuple[Any, Any, Any]:
    """Return the limits of a mean over the cases, and whether there are enough cases for a normal mean."""
    value, positives, negatives = measure.function(r), *compute_effective_sizes(r)
    variance, _ = smooth.compute_variance(measure.form, r, {})
    plenty = np.minimum(positives, negatives) >= constants.PLENTY
    normal, student = influence.normal_limits(value, variance, level), limit_smooth(measure, r, level)
    low, high = (
        np.where(plenty, of_normal, of_student) for of_normal, of_student in zip(normal, student[:2], strict=True)
    )
    return low, high, plenty


def limit_smooth(measure: Measure, r: Ranking, level: float) -> tuple[Any, Any, Any]:
    """Return the limits of a measure with a known influence function, and whether its variance is usable."""
    value, allowed = measure.function(r), measure.range
    variance, freedom = smooth.compute_variance(measure.form, r, {})
    is_known = smooth.has_scale(value, variance, allowed)
    limits = smooth.student_limits_on_scale(value, variance, freedom, allowed, level)
    low, high = (np.where(is_known, limit, np.nan) for limit in limits)
    return low, high, is_known


def limit_pairs(measure: Measure, r: Ranking, level: float) -> tuple[Any, Any, Any]:
    """Return Wilson's limits of a share of pairs, and that there are such."""
    form: Any = measure.form
    share = measure.function(r)
    low, high = auc.compute_pairs_limits(r, share, form.of(r), level)
    return low, high, share >= 0


def limit_log(measure: Measure, r: Ranking, level: float) -> tuple[Any, Any, Any]:
    """Return the limits of a number by the variance of its logarithm, and whether there is one."""
    form: Any = measure.form
    value, variance = measure.function(r), next(iter(form.methods.values()))(r)
    low, high = smooth.normal_limits_on_log_scale(value, variance, level)
    return low, high, np.isfinite(variance) & np.isfinite(value) & (value > 0)


# ---------------------------------------------------------------------- the reliability diagram


def bin_reliability(r: Ranking) -> dict[str, Any]:
    """Return the observed positives, the expected positives and the cases in bins of equal mass, from the lowest."""
    where = assign_bins(r, BINS, "mass")
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


def render_page(level: float) -> str:
    """Return the page as text.

    Args:
        level: The level of the intervals and of the promises.
    """
    program = load_script(PROGRAM)
    traced, omitted = choose_ranking_measures()
    written: str = (
        make_environment()
        .from_string(_load_own("page.html"))
        .render(
            title="Evaluate a classifier",
            policy=write_policy([program]),
            style=load_asset("style.css") + write_theme_variables() + _load_own("file_page.css"),
            level=f"{100 * level:g} %",
            version=__version__,
            examples=[{"name": name, **about} for name, about in EXAMPLES.items()],
            ranking=_view_measures(traced, lambda m: m.name in FIRST),
            cut=_view_measures(_list_cut_measures(), lambda m: m.headline),
            promise={"rows": [{"name": name, "title": title, "side": side} for name, title, side in ROWS]},
            omitted=join_with_and([m.title for m in omitted]),
            data=pack_data(collect_data(level)),
            worker=load_script(WORKER),
            program=program,
        )
    )
    return written


def _list_cut_measures() -> list[Measure]:
    return [m for m in MEASURES if m.needs is Needs.COUNTS]


def _view_measures(measures: Iterable[Measure], comes_first: Any) -> dict[str, list[dict[str, str]]]:
    """Return the rows of measures: those that are shown at once, and the folded ones."""
    rows: dict[str, list[dict[str, str]]] = {"first": [], "more": []}
    for m in measures:
        about = {"name": m.name, "id": make_slug(m.name), "title": m.title, "meaning": m.meaning}
        rows["first" if comes_first(m) else "more"].append(about)
    return rows


def collect_data(level: float) -> dict[str, Any]:
    """Collect the data of the programs of the page."""
    of_cuts = programs.compile_programs([(m.name, m) for m in _list_cut_measures()], _POINTS, level)
    of_cuts["measures"] = [entry | {"id": make_slug(entry["name"])} for entry in of_cuts["measures"]]
    return {
        "level": level,
        "document": {"options": {"level": level}},
        "program": of_cuts,
        "ranking": compile_ranking(level),
        "reliability": {
            "whole": compile_reliability(integral=True),
            "weighted": compile_reliability(integral=False),
        },
        "promises": {
            "words": collect_sentences() | {"weighted": statements.WEIGHTS, "too_long": _TOO_LONG},
            "precision": compile_precision(),
        },
        "methods": TITLES,
        "words": {
            "labels": LABELS,
            "scores": SCORES,
            "missing": MISSING,
            "number": PLAIN_NUMBER,
            "spellings": [spelling._asdict() for spelling in SPELLINGS],
        },
        "examples": {name: about | {"text": _load_example(name)} for name, about in EXAMPLES.items()},
    }


def _load_example(name: str) -> str:
    return (files("cutline.examples") / f"{name}.csv").read_text(encoding="utf-8")


@cache
def load_script(modules: tuple[str, ...]) -> str:
    """Return modules as one program."""
    return join_modules(_load_own(f"{name}.js") if name in OWN else load_asset(f"{name}.js") for name in modules)


def _load_own(name: str) -> str:
    return load_asset(name, "cutline.file_page")


def write_policy(scripts: Iterable[str]) -> str:
    """Return the content security policy: it allows these programs and a worker; nothing can be fetched or sent.

    Args:
        scripts: The programs of the page.
    """
    rules = (
        "default-src 'none'",
        f"script-src {' '.join(map(hash_source, scripts))}",
        "worker-src blob:",
        "style-src 'unsafe-inline'",
        "img-src data:",
        "connect-src 'none'",
        "base-uri 'none'",
        "form-action 'none'",
    )
    return "; ".join(rules)
