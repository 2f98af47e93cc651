"""The evaluator for MLflow, found by its entry point: the real package, a local database and a folder of files."""

import json
import re
import subprocess
import sys
import textwrap

import pytest

pytest.importorskip("mlflow")

PROGRAM = """
import json, os, sys, warnings
warnings.simplefilter("ignore")
import mlflow, numpy as np, pandas as pd
from sklearn.linear_model import LogisticRegression
import cutline as cl

mlflow.set_tracking_uri("sqlite:///" + sys.argv[1] + "/store.db")
mlflow.create_experiment("gate", artifact_location="file://" + sys.argv[1] + "/artifacts")
mlflow.set_experiment("gate")
rng = np.random.default_rng(1)
frame = pd.DataFrame({"a": rng.normal(size=150), "b": rng.normal(size=150)})
frame["y"] = (frame.a + rng.normal(size=150) > 0).astype(int)
model = LogisticRegression().fit(frame[["a", "b"]], frame.y)
frame["p"] = model.predict_proba(frame[["a", "b"]])[:, 1]
config = {"measures": ["auc", "recall", "brier"], "seed": 3, "share": 0.4}
with mlflow.start_run():
    given = mlflow.models.evaluate(data=frame, targets="y", predictions="p", model_type="classifier",
                                   evaluators="cutline", evaluator_config=config)
# The folder of files that was MLflow's only store for years; newer versions want to be asked for it.
os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"
mlflow.set_tracking_uri("file://" + sys.argv[1] + "/mlruns")
mlflow.set_experiment("gate")
with mlflow.start_run() as run:
    info = mlflow.sklearn.log_model(model, name="model", pip_requirements=["scikit-learn"])
    fitted = mlflow.models.evaluate(info.model_uri, frame[["a", "b", "y"]], targets="y", model_type="classifier",
                                    evaluators="cutline", evaluator_config=config | {"report": False})
    kept = mlflow.get_run(run.info.run_id).data.metrics
ev = cl.evaluate(frame.y, frame.p, share=0.4)
expected = {}
for name in config["measures"]:
    one = ev.summary([name], seed=3).rows[0]
    expected |= {name: one.value, name + ".low": one.interval[0], name + ".high": one.interval[1]}
refused = ""
try:
    with mlflow.start_run():
        mlflow.models.evaluate(data=frame, targets="y", predictions="p", model_type="classifier",
                               evaluators="cutline", evaluator_config={"treshold": 0.4})
except Exception as error:
    refused = str(error)
print(json.dumps({"given": given.metrics, "fitted": fitted.metrics, "kept": kept, "expected": expected,
                  "artifacts": sorted(given.artifacts), "few": sorted(fitted.artifacts), "refused": refused,
                  "page": given.artifacts["cutline/report.html"].content[:15],
                  "numbers": given.artifacts["cutline/report.json"].content["schema"]}))
"""


HOSTILE = """
import json, sys, warnings
warnings.simplefilter("ignore")
import mlflow, numpy as np, pandas as pd

mlflow.set_tracking_uri("sqlite:///" + sys.argv[1] + "/store.db")
mlflow.create_experiment("gate", artifact_location="file://" + sys.argv[1] + "/deep/artifacts")
mlflow.set_experiment("gate")
name = sys.argv[2]
rng = np.random.default_rng(1)
frame = pd.DataFrame({name: np.where(rng.random(80) < 0.5, name, "b"), "p": rng.random(80)})

def evaluate(**config):
    with mlflow.start_run() as run:
        found = mlflow.models.evaluate(data=frame, targets=name, predictions="p", model_type="classifier",
            evaluators="cutline", evaluator_config={"positive": name, "name": name, "resamples": 0} | config)
        return found, mlflow.get_run(run.info.run_id).data.metrics

found, kept = evaluate(measures=["auc", "recall"])
try:
    refused = evaluate(measures=["auc", name]) and ""
except Exception as error:
    refused = f"{type(error).__name__}: {error}"
print(json.dumps({"kept": sorted(kept), "artifacts": sorted(found.artifacts), "refused": refused,
                  "page": found.artifacts["cutline/report.html"].content,
                  "named": found.artifacts["cutline/report.json"].content["name"]}))
"""


def test_names_that_are_paths_or_programs_do_not_reach_the_names_of_metrics_and_files(tmp_path):
    name = "../../../out/<img src=x onerror=alert(1)>\n=1+1\\..\\x"
    run = subprocess.run(  # noqa: S603
        [sys.executable, "-c", HOSTILE, str(tmp_path), name], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert run.returncode == 0, run.stderr[-3000:]
    found = json.loads(run.stdout.splitlines()[-1])

    assert found["kept"] == ["auc", "auc.high", "auc.low", "recall", "recall.high", "recall.low"]
    assert all(re.fullmatch(r"cutline/[a-z_]+\.(png|csv|json|html)", one) for one in found["artifacts"])
    assert {path.name for path in tmp_path.iterdir()} == {"store.db", "deep"}
    written = {path.relative_to(tmp_path).parts[-2:] for path in tmp_path.rglob("*") if path.is_file()}
    assert {"/".join(parts) for parts in written} == {*found["artifacts"], "store.db"}
    assert found["named"] == name  # as data it is kept to the letter
    assert "<img src=x" not in found["page"]
    assert "Content-Security-Policy" in found["page"]
    assert found["refused"].startswith("UnknownNameError: There is no measure ")
    assert "\n" not in found["refused"]


def test_mlflow_logs_measures_with_intervals_charts_and_the_report(tmp_path):
    run = subprocess.run(  # noqa: S603
        [sys.executable, "-c", textwrap.dedent(PROGRAM), str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr[-3000:]
    found = json.loads(run.stdout.splitlines()[-1])
    assert found["given"] == found["expected"] == found["fitted"] == found["kept"]
    assert {"cutline/report.html", "cutline/report.json", "cutline/report.csv", "cutline/roc.png"} <= set(
        found["artifacts"]
    )
    assert found["few"] == ["cutline/report.csv", "cutline/report.json"]
    assert found["page"].lower() == "<!doctype html>"
    assert found["numbers"].startswith("cutline/evaluation/")
    assert "treshold" in found["refused"]
