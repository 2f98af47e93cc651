"""`cutline evaluate` with --quota-by, --ordered and --labels, and `advise --goal screen`: thin over the library."""

import json
from pathlib import Path

import jsonschema
import numpy as np
import pandas as pd
import pytest

import cutline as cl

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "schema.json").read_text(encoding="utf-8"))


@pytest.fixture
def files(tmp_path, monkeypatch):
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 120)
    flights = pd.DataFrame(
        {"y": y, "p": np.round(rng.normal(size=120) + y, 2), "flight": np.repeat(["a", "b", "c"], 40)}
    )
    matches = pd.DataFrame(rng.dirichlet([1, 1, 1], 90), columns=["lose", "draw", "win"])
    matches["real"] = rng.choice(["lose", "draw", "win"], 90)
    texts = pd.DataFrame({"sport": y, "money": rng.integers(0, 2, 120), "p1": rng.random(120), "p2": rng.random(120)})
    for name, frame in (("flights", flights), ("matches", matches), ("texts", texts)):
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return flights, matches, texts


def test_a_quota_in_each_period(cutline, files):
    given = ("evaluate", "flights.csv", "--label", "y", "--score", "p", "--quota", "5", "--quota-by", "flight")
    document = json.loads(cutline(*given, "--json").out)
    expected = cl.evaluate("y", "p", data=files[0], quota=5, quota_by="flight", name="p").summary()

    jsonschema.validate(document, SCHEMA)
    assert document["measures"] == json.loads(json.dumps(expected.to_dict()))
    assert "quota 5 in each, 15 in all" in " ".join(cutline(*given).out.split())
    assert cutline(*given, "--csv").out.splitlines()[0].startswith("measure,title,value")
    assert cutline(*given, "--html", "flights.html").code == 0
    assert "cases that the quotas flag, " in Path("flights.html").read_text()


def test_ordered_classes(cutline, files):
    given = ("evaluate", "matches.csv", "--label", "real", "--class-scores", "lose,draw,win", "--ordered", "--json")
    rows = {
        row["measure"]: row["value"] for row in json.loads(cutline(*given).out)["measures"] if row["scope"] == "all"
    }
    order = ["lose", "draw", "win"]
    expected = cl.ranked_probability_score(files[1]["real"], files[1][order].to_numpy(), classes=order)

    assert rows["ranked_probability_score"] == pytest.approx(expected)


def test_several_labels(cutline, files):
    given = ("evaluate", "texts.csv", "--labels", "sport,money", "--class-scores", "sport=p1,money=p2")
    document = json.loads(cutline(*given, "--json").out)
    found = cl.one_vs_rest(["sport", "money"], {"sport": "p1", "money": "p2"}, data=files[2])
    values = {(row["measure"], row["of"]): row["value"] for row in document["measures"]}

    jsonschema.validate(document, SCHEMA)
    assert values["hamming_loss", "cases"] == pytest.approx(found.value("hamming_loss"))
    assert values["auc", "micro mean"] == pytest.approx(found.value("auc", "micro"))
    assert "subset_accuracy" in cutline(*given).out


def test_advice_on_screening(cutline):
    document = json.loads(cutline("advise", "--goal", "screen", "--keep", "0.99", "--pick", "20", "--json").out)
    assert [row["measure"] for row in document["recommendations"]] == ["qrecall", "pem", "hit_rate"]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("flights.csv", "--quota-by", "flight", "--label", "y", "--score", "p"), "needs the size of the quota"),
        (
            ("flights.csv", "--quota", "5", "--quota-by", "flight", "--by", "flight"),
            "--quota-by cannot be combined with --by",
        ),
        (("flights.csv", "--quota", "5", "--quota-by", "f"), "has no column 'f', which --quota-by names"),
        (("flights.csv", "--ordered"), "--ordered needs --class-scores"),
        (("texts.csv", "--labels", "sport,x", "--class-scores", "sport=p1,money=p2"), "has no column"),
        (("texts.csv", "--labels", "sport", "--class-scores", "sport=p1,money=p2"), "2 columns for 1 label"),
        (
            ("texts.csv", "--labels", "sport,money", "--class-scores", "sport=p1,money=p2", "--missing", "drop"),
            "--labels cannot be combined with --missing drop",
        ),
    ],
)
def test_what_does_not_go_together_is_refused(cutline, files, given, words):
    found = cutline("evaluate", *given)
    assert found.code == 2
    assert words in " ".join(found.err.split())


def test_quotas_of_each_day_are_compared(cutline, tmp_path):
    rng = np.random.default_rng(3)
    y, day = rng.integers(0, 2, 400), np.repeat(np.arange(20), 20)
    rows = zip(y, day, y + 0.5 * rng.normal(size=400), y + 3 * rng.normal(size=400), strict=True)
    (tmp_path / "days.csv").write_text("y,day,gbm,net\n" + "".join(f"{a},{b},{c:.3f},{d:.3f}\n" for a, b, c, d in rows))
    models = ("days.csv", "--label", "y", "--score", "gbm", "--score", "net", "--quota", "5", "--quota-by", "day")
    done = cutline("compare", *models)
    assert done.code == 0, done.err
    assert done.out.startswith("For quota 5 in each day, choose gbm: hit rate ")
    document = json.loads(cutline("compare", *models, "--json").out)
    assert {row["measure"] for row in document["differences"]} == {"hit_rate", "qrecall"}
    assert "--quota-by cannot be combined with --pairs" in cutline("compare", *models, "--pairs").err
    assert "only prints a table" in cutline("compare", *models, "--html", "p.html").err
    one = cutline("evaluate", "days.csv", "--label", "y", "--score", "gbm", "--quota", "5", "--quota-by", "day").out
    assert one.startswith("Of the 100 cases that the quotas flag, ")
