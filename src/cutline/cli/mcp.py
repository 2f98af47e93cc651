"""`cutline mcp`: the commands as tools of the Model Context Protocol, with their JSON, for files under one folder."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from cutline.cli import options as o
from cutline.cli.advise import recommend_measures
from cutline.cli.check import GateOptions, check_conditions
from cutline.cli.command import command, option
from cutline.cli.compare import summarize_comparison
from cutline.cli.cut import CutOptions
from cutline.cli.evaluate import select_headlines, summarize_evaluation
from cutline.cli.measures import describe_measures, find_measures
from cutline.cli.options import ColumnOptions, IntervalOptions, Reading, SelectionOptions
from cutline.core.errors import CutlineError, InputError, ParameterError, UnavailableError


@command
@option(
    "--root",
    type=o.PATH,
    required=True,
    group=o.READING,
    help="The only folder whose files may be read. Example: --root predictions",
)
def mcp(root: Path) -> None:
    """Serve the tools over standard input and output."""
    make_server(root).run("stdio")


Tool = TypeVar("Tool", bound=Callable[..., dict[str, Any]])

INSTRUCTIONS = (
    "cutline evaluates binary classifiers from files of labels and scores (CSV, JSON, Parquet, Arrow). Every number "
    "has an interval. Paths are relative to the folder that the server was started for."
)


class Tools:
    """Tools of an assistant: each method is one, with its docstring as the description."""

    def __init__(self, root: Path) -> None:
        if not root.is_dir():
            raise ParameterError(f"--root is {str(root)!r}, which is not a folder", "pass a folder")
        self._root = root.resolve()

    def evaluate(
        self,
        file: str,
        label: str | None = None,
        score: str | None = None,
        weight: str | None = None,
        group: str | None = None,
        positive: str | None = None,
        lower_is_positive: bool = False,
        threshold: float | None = None,
        quota: float | None = None,
        share: float | None = None,
        measures: str | None = None,
        level: float = 0.95,
        resamples: int | None = None,
        seed: int = 0,
    ) -> dict[str, Any]:
        """Evaluate one model: its measures with intervals and baselines, and notes on how to read them.

        `label` and `score` name columns and are guessed when only one can be meant. The cut is a threshold, a quota
        (number of cases to flag) or a share of them. `measures` is a list such as "auc,recall@quota=500".
        """
        from cutline.cli.reading import read_evaluation

        columns = ColumnOptions(label, () if score is None else (score,), weight, group)
        labels: dict[str, Any] = {"positive": positive, "lower_is_positive": lower_is_positive}
        reading = Reading(columns, **labels, threshold=threshold, quota=quota, share=share)
        selection = SelectionOptions(level, resamples, seed, measures)
        selection.check()
        ev, _ = read_evaluation(self._resolve_file(file), reading, None)
        summary = summarize_evaluation(ev, selection, quiet=True)
        return select_headlines(summary, selection, ev.cut).document()

    def compare(
        self,
        files: list[str],
        scores: list[str] | None = None,
        label: str | None = None,
        id: str | None = None,
        weight: str | None = None,
        group: str | None = None,
        positive: str | None = None,
        lower_is_positive: bool = False,
        threshold: float | None = None,
        quota: float | None = None,
        share: float | None = None,
        measures: str | None = None,
        level: float = 0.95,
        resamples: int | None = None,
        seed: int = 0,
    ) -> dict[str, Any]:
        """Compare models on the same cases: each model's values, paired differences with intervals and p-values.

        Give one file with a column of scores for each model, or one file for each model and the column `id`.
        """
        from cutline.cli.reading import read_comparison

        columns = ColumnOptions(label, tuple(scores or ()), weight, group, id)
        labels: dict[str, Any] = {"positive": positive, "lower_is_positive": lower_is_positive}
        reading = Reading(columns, **labels, threshold=threshold, quota=quota, share=share)
        selection = SelectionOptions(level, resamples, seed, measures)
        selection.check()
        cmp, _ = read_comparison([self._resolve_file(file) for file in files], reading)
        return summarize_comparison(cmp, selection, whole=True, quiet=True).document()

    def check(
        self,
        file: str,
        require: list[str] | None = None,
        against: str | None = None,
        no_worse: str | None = None,
        margin: float | None = None,
        cut: str | None = None,
        undecided: str | None = None,
        label: str | None = None,
        score: str | None = None,
        id: str | None = None,
        positive: str | None = None,
        lower_is_positive: bool = False,
        threshold: float | None = None,
        level: float = 0.95,
        seed: int = 0,
    ) -> dict[str, Any]:
        """Check requirements such as "auc.low >= 0.8", that a model is no worse than another, or the promise of a cut.

        `against` is the file of the model to beat and `no_worse` the measures; `cut` is a file that cutline wrote.
        `undecided` is "pass" or "fail": what to do when an interval holds the bound.
        """
        if undecided not in (None, "pass", "fail"):
            raise ParameterError(f"undecided is {undecided!r}", "pass 'pass' or 'fail'")
        columns = ColumnOptions(label, () if score is None else (score,), None, None, id)
        reading = Reading(columns, positive=positive, lower_is_positive=lower_is_positive, threshold=threshold)
        other, promised = (None if path is None else self._resolve_file(path) for path in (against, cut))
        gate = GateOptions(tuple(require or ()), other, no_worse, margin, cut=promised, undecided=undecided)
        return check_conditions(
            self._resolve_file(file), reading, IntervalOptions(level, seed=seed), gate, quiet=True
        ).document()

    def choose_cut(
        self,
        file: str,
        require: list[str] | None = None,
        maximize: str | None = None,
        minimize: str | None = None,
        cost_fp: float | None = None,
        cost_fn: float | None = None,
        quota: float | None = None,
        share: float | None = None,
        prevalence: float | None = None,
        confidence: float = 0.95,
        after_looking: bool = False,
        label: str | None = None,
        score: str | None = None,
        positive: str | None = None,
        lower_is_positive: bool = False,
        seed: int = 0,
    ) -> dict[str, Any]:
        """Choose a threshold with a promise ("recall >= 0.9", "fpr <= 0.05", "precision >= 0.5"), or the best one."""
        from cutline.cli.reading import read_evaluation
        from cutline.cuts.choose import choose_cut

        columns = ColumnOptions(label, () if score is None else (score,))
        reading = Reading(columns, positive=positive, lower_is_positive=lower_is_positive)
        aim = CutOptions(
            tuple(require or ()),
            maximize,
            minimize,
            cost_fp,
            cost_fn,
            quota=() if quota is None else (quota,),
            share=share,
            prevalence=prevalence,
            confidence=confidence,
            after_looking=after_looking,
            seed=seed,
        )
        ev, source = read_evaluation(self._resolve_file(file), reading, None)
        return replace(choose_cut(ev, *aim.require, **aim.list_keywords()), score=source.score).to_dict()

    def advise(
        self,
        goal: str,
        prevalence: float | None = None,
        wrong_inclusion_costly: bool = False,
        missed_costly: bool = False,
        cost_fp: float | None = None,
        cost_fn: float | None = None,
        quota_known: bool | None = None,
        only_top_matters: bool = False,
        several_models: bool = False,
        keep: float | None = None,
        pick: float | None = None,
    ) -> dict[str, Any]:
        """Return which measures fit a situation, and why; `goal` is "rank", "decide", "probabilities", "quota" or
        "screen".
        """
        return recommend_measures(
            {
                "goal": goal,
                "prevalence": prevalence,
                "wrong_inclusion_costly": wrong_inclusion_costly,
                "missed_costly": missed_costly,
                "cost_fp": cost_fp,
                "cost_fn": cost_fn,
                "quota_known": quota_known,
                "only_top_matters": only_top_matters,
                "several_models": several_models,
                "keep": keep,
                "pick": pick,
            }
        )

    def measures(self, name: str | None = None, family: str | None = None) -> dict[str, Any]:
        """Look up measures by name, alias or a word: meaning, formula, range, and when they are undefined."""
        return describe_measures(find_measures(name, family))

    def _resolve_file(self, path: str) -> str:
        """Return the file that a path names, which must lie under the root, also where links lead."""
        try:
            file = (self._root / path).resolve(strict=True)
        except (OSError, ValueError, RuntimeError):  # no such file, a name that cannot be one, links in a circle
            raise InputError(f"There is no file {path!r} in the folder of this server.") from None
        if not file.is_relative_to(self._root):
            raise InputError(f"{path!r} is outside the folder of this server", "name a file inside it")
        if not file.is_file():
            raise InputError(f"{path!r} is not a file", "name a file of predictions")
        return str(file)


TOOLS = ("evaluate", "compare", "check", "choose_cut", "advise", "measures")


def make_server(root: Path) -> Any:
    """Return the server of the tools, ready to run.

    Args:
        root: The folder whose files may be read.
    """
    try:
        from mcp.server import MCPServer
        from mcp.server.mcpserver.exceptions import ToolError
    except ImportError:
        raise UnavailableError("cutline mcp needs the package mcp: install cutline[mcp].") from None
    from cutline import __version__

    def turn_refusals(tool: Tool) -> Tool:
        """Return the tool with its refusals as sentences for the assistant."""

        @functools.wraps(tool)
        def answer(*arguments: Any, **named: Any) -> dict[str, Any]:
            try:
                return tool(*arguments, **named)
            except (CutlineError, OSError) as error:
                raise ToolError(str(error)) from None

        return answer  # type: ignore[return-value]

    tools = Tools(root)
    made = MCPServer("cutline", instructions=INSTRUCTIONS, version=__version__, log_level="WARNING")
    for name in TOOLS:
        made.tool(name=name)(turn_refusals(getattr(tools, name)))
    return made
