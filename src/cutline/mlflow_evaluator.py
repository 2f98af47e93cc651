"""An evaluator for MLflow: `mlflow.models.evaluate(..., evaluators="cutline")` logs measures with their intervals.

MLflow finds it by the entry point `mlflow.model_evaluator`; nothing else of cutline loads this module.
"""

from __future__ import annotations

import json
import math
import tempfile
from pathlib import Path
from typing import Any

import mlflow
from mlflow.models.evaluation.artifacts import CsvEvaluationArtifact, ImageEvaluationArtifact, JsonEvaluationArtifact
from mlflow.models.evaluation.base import EvaluationArtifact, EvaluationResult, ModelEvaluator

from cutline.charts import CHARTS, Place
from cutline.core.errors import InputError, ParameterError
from cutline.evaluation import Evaluation, evaluate
from cutline.model_evaluation import evaluate_model
from cutline.report import save, summarize
from cutline.results.measure_selection import list_headlines
from cutline.results.summary import Summary

FOLDER = "cutline"
_CUT = ("positive", "threshold", "quota", "share", "name", "missing", "higher_is_positive")
_NUMBERS = ("level", "resamples", "seed", "measures")
_REPORT = "report"


class CutlineEvaluator(ModelEvaluator):  # type: ignore[misc]
    """Logs the main measures as `name`, `name.low` and `name.high`, and all numbers, report and charts as artifacts.

    `evaluator_config` takes what `cutline.evaluate` takes (positive, threshold, quota, share, ...), how intervals are
    made (level, resamples, seed), `measures` as a list, and `report=False` to leave the report and the charts out.
    """

    @classmethod
    def can_evaluate(cls, *, model_type: str, **_: Any) -> bool:
        """Whether this evaluator is meant: for classifiers."""
        return model_type == "classifier"

    def evaluate(
        self,
        *,
        dataset: Any,
        run_id: str,
        evaluator_config: dict[str, Any] | None = None,
        model: Any = None,
        **_: Any,
    ) -> EvaluationResult:
        """Evaluate the predictions and log what comes out.

        Args:
            dataset: The cases: features, labels, and predictions when there is no model.
            run_id: The run to log to.
            evaluator_config: The options.
            model: The model, when its predictions are not given.
        """
        config = _check_config(evaluator_config or {})
        ev = _evaluate_dataset(dataset, model, {name: config[name] for name in _CUT if name in config})
        summary = summarize(ev, **{name: config[name] for name in _NUMBERS if name in config})
        # All measures with their limits would be 312 metrics; those that nobody named are in the artifacts.
        usual = [measure.name for measure in list_headlines(ev.cut)]
        numbers = collect_numbers(summary if "measures" in config else summary.only(usual))
        with tempfile.TemporaryDirectory() as folder:
            files = _write_files(ev, summary, Path(folder), whole=bool(config.get(_REPORT, True)))
            client = mlflow.MlflowClient()
            for name, value in numbers.items():
                client.log_metric(run_id, name, value)
            for file in files:
                client.log_artifact(run_id, str(file), FOLDER)
            where = client.get_run(run_id).info.artifact_uri
            artifacts = {
                f"{FOLDER}/{file.name}": _make_artifact(f"{where}/{FOLDER}/{file.name}", file) for file in files
            }
        return EvaluationResult(metrics=numbers, artifacts=artifacts, run_id=run_id)


class PageArtifact(EvaluationArtifact):  # type: ignore[misc]
    """A page as text."""

    def _load_content_from_file(self, local_artifact_path: str) -> str:
        return Path(local_artifact_path).read_text(encoding="utf-8")

    def _save(self, output_artifact_path: str) -> None:
        Path(output_artifact_path).write_text(self.content, encoding="utf-8")


def collect_numbers(summary: Summary) -> dict[str, float]:
    """Return what MLflow logs of a summary: finite values and limits, by name."""
    numbers: dict[str, float] = {}
    for row in summary.rows:
        limits = row.interval or (math.nan, math.nan)
        named = {row.name: row.value, f"{row.name}.low": limits[0], f"{row.name}.high": limits[1]}
        numbers |= {name: float(number) for name, number in named.items() if math.isfinite(number)}
    return numbers


def _check_config(config: dict[str, Any]) -> dict[str, Any]:
    known = (*_CUT, *_NUMBERS, _REPORT)
    for name in config:
        if name not in known:
            raise ParameterError(f"evaluator_config has {name!r}", f"pass some of {', '.join(known)}")
    return config


def _evaluate_dataset(dataset: Any, model: Any, options: dict[str, Any]) -> Evaluation:
    """Return the evaluation of a model on a dataset, or of the predictions that the dataset holds."""
    if model is None:
        result: Evaluation = evaluate(dataset.labels_data, dataset.predictions_data, **options)
        return result
    raw = model.get_raw_model()
    if not hasattr(raw, "classes_"):
        raise InputError(
            f"{type(raw).__name__} does not say which classes it knows",
            "pass data with a column of scores and predictions= in place of the model",
        )
    return evaluate_model(raw, dataset.features_data, dataset.labels_data, **options)


def _write_files(ev: Evaluation, summary: Summary, folder: Path, *, whole: bool) -> list[Path]:
    """Return the files to log: the numbers, and with `whole` the report and the charts."""
    suffixes = (".json", ".csv", ".html") if whole else (".json", ".csv")
    files = [save(ev, folder / f"report{suffix}", summary=summary) for suffix in suffixes]
    charts = [kind.name for kind in CHARTS.at(Place.FOLDER)] if whole else []
    return files + [ev.chart(name).save(folder / f"{name}.png") for name in charts]


def _make_artifact(uri: str, file: Path) -> EvaluationArtifact:
    kinds = {".json": JsonEvaluationArtifact, ".csv": CsvEvaluationArtifact, ".png": ImageEvaluationArtifact}
    kind = kinds.get(file.suffix, PageArtifact)
    return kind(uri=uri, content=json.loads(file.read_text(encoding="utf-8")) if file.suffix == ".json" else None)
