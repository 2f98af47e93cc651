"""`cutline evaluate --by`: one model on each slice of its cases."""

import csv
import datetime as dt
import html
import io
import json
import re
from pathlib import Path

import duckdb
import jsonschema
import numpy as np
import pytest
from rich.console import Console

from cutline import evaluate
from cutline.cli.slices import _render_evaluations
from cutline.core.binned_ranking import rank_bins
from cutline.evaluation import Evaluation
from cutline.slices.evaluation import Slices

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "schema.json").read_text(encoding="utf-8"))

ROWS = [  # site, label, score, day
    *[("north", 1, 0.9, "2024-05-06"), ("north", 0, 0.2, "2024-05-06"), ("north", 1, 0.6, "2024-05-07")],
    *[("north", 0, 0.7, "2024-05-07"), ("south", 1, 0.4, "2024-05-06"), ("south", 0, 0.3, "2024-05-07")],
    *[("south", 1, 0.8, "2024-05-06"), ("south", 0, 0.1, "2024-05-07")],
]


@pytest.fixture
def sites(tmp_path):
    path = tmp_path / "sites.csv"
    path.write_text("site,y,p,day\n" + "".join(f"{s},{y},{p},{d}\n" for s, y, p, d in ROWS))
    return str(path)


def test_the_csv_of_slices_steers_no_terminal(cutline, tmp_path, monkeypatch):
    name = "\x1b]0;owned\x07\u202enorth"
    rows = "".join(f"{name if s == 'north' else s},{y},{p}\n" for s, y, p, _ in ROWS)
    (tmp_path / "sites.csv").write_text("site,y,p\n" + rows, encoding="utf-8")
    command = ("evaluate", "sites.csv", "--label", "y", "--score", "p", "--by", "site", "--csv")
    assert name in cutline(*command).out  # a pipe gets the data as they are
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    shown = cutline(*command).out
    assert "\\x1b]0;owned\\x07\\u202enorth" in shown
    assert shown.replace("\n", "").isprintable()


def test_each_site_has_its_own_numbers(cutline, sites):
    done = cutline("evaluate", sites, "--label", "y", "--score", "p", "--by", "site", "--json")
    found = json.loads(done.out)
    jsonschema.Draft202012Validator(SCHEMA).validate(found)
    assert [part["slice"] for part in found["slices"]] == ["north", "south"]
    values = [{row["measure"]: row["value"] for row in part["evaluation"]["measures"]} for part in found["slices"]]
    assert [row["auc"] for row in values] == [3 / 4, 1]  # 0.6 of a positive is below 0.7 of a negative
    assert [row["recall"] for row in values] == [1, 1 / 2]


def test_the_table_and_the_csv_show_the_same_numbers(cutline, sites):
    asked = ("evaluate", sites, "--label", "y", "--score", "p", "--by", "site", "--measures", "auc,recall")
    rows = list(csv.DictReader(io.StringIO(cutline(*asked, "--csv").out)))
    assert [(row["site"], row["measure"], float(row["value"])) for row in rows] == [
        *[("(all cases)", "auc", 14 / 16), ("(all cases)", "recall", 0.75)],
        *[("north", "auc", 0.75), ("north", "recall", 1.0), ("south", "auc", 1.0), ("south", "recall", 0.5)],
    ]
    shown = cutline(*asked).out
    assert "2 slices by site" in shown
    for row in rows:
        assert f"[{float(row['low']):.4f}, {float(row['high']):.4f}]" in shown


def test_a_day_is_a_date_and_not_a_time(cutline, sites, tmp_path):
    days = str(tmp_path / "days.parquet")
    duckdb.sql(f"COPY (SELECT y, p, CAST(day AS DATE) AS day FROM read_csv('{sites}')) TO '{days}'")  # noqa: S608
    done = cutline("evaluate", days, "--label", "y", "--score", "p", "--by", "day", "--measures", "auc")
    assert "2024-05-06" in done.out
    assert "00:00" not in done.out
    slices = evaluate("y", "p", data=days, by="day")
    assert list(slices) == [dt.date(2024, 5, 6), dt.date(2024, 5, 7)]


def test_slices_have_the_same_keys_however_many_rows_there_are(sites, monkeypatch):
    few = {by: list(evaluate("y", "p", data=sites, by=by)) for by in ("site", "day", "y")}
    monkeypatch.setattr("cutline.inputs.files._SMALL", -1)
    monkeypatch.setattr("cutline.inputs.out_of_core.is_large", lambda _: True)
    many = {by: list(evaluate("y", "p", data=sites, by=by)) for by in few}
    assert few == many


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--by", "sites"), "has no column 'sites', which --by names. Did you mean site?"),
        (("--by", "site", "--html", "x.html"), "evaluate --by only prints a table"),
        (("--by", "site", "--by", "site"), "--by names 'site' twice"),
        (("--by", "p:low"), "--by has the rule 'low'"),
        (("--by", "site", "--stratum", "day"), "--by cannot be combined with --stratum"),
        (("--by", "site", "--ranking-csv", "r.csv"), "--by cannot be combined with --ranking-csv"),
        (("--by", "site", "--template", "clinical"), "--by cannot be combined with --template"),
        (("--by", "site", "--score", "y"), "--score is given 2 times"),
    ],
)
def test_what_slices_cannot_have_is_refused(cutline, sites, options, said):
    done = cutline("evaluate", sites, "--label", "y", "--score", "p", *options)
    assert done.code == 2
    assert said in done.err


def test_all_slices_are_cut_where_all_cases_are(cutline, tmp_path):
    """Scores that are not probabilities are cut where as many are flagged as are positive, among all cases."""
    rows = [("a", 1, 30), ("a", 0, 20), ("a", 0, 10), ("b", 1, 9), ("b", 1, 8), ("b", 0, 7)]
    path = tmp_path / "points.csv"
    path.write_text("site,y,p\n" + "".join(f"{s},{y},{p}\n" for s, y, p in rows))
    shown = cutline("evaluate", str(path), "--label", "y", "--score", "p", "--by", "site", "--measures", "recall").out
    assert "predicted positive: score >= 10" in shown
    rows = [line.split() for line in shown.splitlines() if line.strip().startswith(("a ", "b "))]
    assert [row[2] for row in rows] == ["1.0000", "0.0000"]


def test_what_bins_leave_open_is_shown():
    top = rank_bins(*map(np.array, ([0.9, 0.4], [0.5, 0.1], [40, 20], [10, 130])))
    slices = Slices({"a": Evaluation(top)}, "site")
    screen = Console(width=120, record=True)
    screen.print(_render_evaluations(screen, slices, slices.summaries("auc", resamples=0), with_notes=False))
    shown = screen.export_text()
    assert "0.6190 to" in shown
    assert "0.9762" in shown


@pytest.fixture
def file_of_twenty_sites(tmp_path):
    """Twenty sites of fifty cases, of which the last ranks at random."""
    r = np.random.default_rng(5)
    site, label = np.repeat(np.arange(20), 50), r.random(1000) < 0.5
    score = np.where(site == 19, r.random(1000), np.clip(0.25 + 0.5 * label + r.normal(size=1000) / 6, 0, 1))
    path = tmp_path / "many.csv"
    lines = (f"s{s:02},{int(y)},{p:.4f},{s % 3},{s * 3}\n" for s, y, p in zip(site, label, score, strict=True))
    path.write_text("site,y,p,ward,age\n" + "".join(lines))
    return str(path)


NAMED = ("--label", "y", "--score", "p")


def test_slices_says_who_is_served_worse(cutline, file_of_twenty_sites, tmp_path):
    page = tmp_path / "slices.html"
    done = cutline("slices", file_of_twenty_sites, *NAMED, "--by", "site", "--gap", "--fairness", "--html", str(page))
    assert done.code == 0, done.err
    assert done.out.startswith("Site s19 ranks worse than the rest: AUC ")
    assert "The 5 lowest and the 5 highest of 20 slices, and all that differ." in done.out
    assert "gap(auc) " in done.out
    assert "Equalised odds difference" in done.out
    assert next(line for line in done.out.splitlines() if line.startswith("AUC gap")).split()[-1] == "s19"  # lowest
    found = json.loads(cutline("slices", file_of_twenty_sites, *NAMED, "--by", "site", "--gap", "--json").out)
    jsonschema.Draft202012Validator(SCHEMA).validate(found)
    assert html.escape(found["verdict"], quote=False) in page.read_text()
    assert found["slices"][19]["verdict"] == "worse"
    assert f"[{found['gap']['low']:.4f}, {found['gap']['high']:.4f}]" in done.out


def test_slices_without_a_value_are_not_the_highest(cutline, file_of_twenty_sites, tmp_path):
    lines = Path(file_of_twenty_sites).read_text().splitlines()
    kept = [line for line in lines if line[:3] != "s18" or line.split(",")[1] == "1"]  # of one class
    path = tmp_path / "one-class.csv"
    path.write_text("\n".join(kept) + "\n")
    for command in (("slices",), ("evaluate", "--measures", "auc")):
        out = cutline(command[0], str(path), *NAMED, "--by", "site", *command[1:]).out
        table = out[out.index("cases") : out.index("The 5 lowest and the 5 highest of 20 slices")]
        assert "..." in table
        assert "s18" not in table


def test_the_verdict_of_slices_has_the_level_that_is_asked_for(cutline, file_of_twenty_sites):
    out = cutline(
        "evaluate", file_of_twenty_sites, *NAMED, "--by", "site", "--measures", "auc", "--level", "0.9999"
    ).out

    assert out.startswith("No slice differs from the rest in AUC")


def test_by_is_repeated_and_takes_ranges(cutline, file_of_twenty_sites):
    asked = ("evaluate", file_of_twenty_sites, *NAMED, "--measures", "auc", "--csv")
    crossed = cutline(*asked, "--by", "ward", "--by", "age:0,30,60").out
    rows = list(csv.DictReader(io.StringIO(crossed)))
    assert [row["ward and age"] for row in rows][1:] == [f"{w}, {a}" for w in range(3) for a in ("[0, 30)", "[30, 60]")]


def test_slices_are_searched(cutline, file_of_twenty_sites):
    done = cutline("slices", file_of_twenty_sites, *NAMED, "--find", "--features", "site,ward", "--least", "40")
    assert done.code == 0, done.err
    assert "The worst slice is site = s19 (50 cases): its error rate is 0.46" in done.out
    refused = cutline("slices", file_of_twenty_sites, *NAMED)
    assert refused.code == 2
    assert "pass --by, or --find with --features" in refused.err


def test_gates_by_slice(cutline, file_of_twenty_sites):
    failed = cutline("check", file_of_twenty_sites, *NAMED, "--by", "site", "--require", "auc.low >= 0.55")
    assert failed.code == 1
    assert "s19" in failed.out
    passed = cutline("check", file_of_twenty_sites, *NAMED, "--by", "ward", "--require", "auc.low >= 0.55")
    assert passed.code == 0, passed.out
    assert "intersection-union" in passed.err
    gap = cutline("check", file_of_twenty_sites, *NAMED, "--by", "site", "--require", "gap(auc).high <= 0.1", "--json")
    assert gap.code == 1
    assert json.loads(gap.out)["results"][0]["high"] > 0.1
    mixed = cutline(
        "check", file_of_twenty_sites, *NAMED, "--by", "site", "--require", "auc > 0", "--undecided", "fail"
    )
    assert "--by works only with --require" in mixed.err


@pytest.mark.parametrize("measure", ["auc", "recall", "accuracy"])
def test_slices_of_one_class_each_are_shown_as_undefined(cutline, sites, measure):
    done = cutline("slices", sites, "--label", "y", "--score", "p", "--by", "y", "--measure", measure)
    assert done.code == 0
    assert done.out.startswith("No slice has enough cases to be compared with the rest")


def test_simultaneous_intervals_are_those_of_the_library(cutline, sites):
    how = ("evaluate", sites, "--label", "y", "--score", "p", "--by", "site", "--measures", "auc,recall")
    done = cutline(*how, "--simultaneous", "--json")
    found = json.loads(done.out)
    jsonschema.Draft202012Validator(SCHEMA).validate(found)
    expected = evaluate("y", "p", data=sites, by="site").summaries(["auc", "recall"], simultaneous=True)
    for part in found["slices"]:
        limits = [(row["low"], row["high"]) for row in part["evaluation"]["measures"]]
        assert limits == [(row.estimate.low, row.estimate.high) for row in expected[part["slice"]].rows]
    assert "hold for all 2 slices together with 95 % probability" in " ".join(
        cutline(*how, "--simultaneous").out.split()
    )
    assert "--simultaneous is about slices: pass --by too." in cutline(*how[:6], "--simultaneous").err


def test_notes_of_slices_name_options(cutline, tmp_path):
    rows = "".join(f"{s},{y},{10 * p}\n" for s, y, p, _ in ROWS)
    (tmp_path / "points.csv").write_text("site,y,p\n" + rows)
    done = cutline("evaluate", str(tmp_path / "points.csv"), "--label", "y", "--score", "p", "--by", "site")
    assert "Pass --threshold, --quota or --share for another." in " ".join(done.out.replace("- ", "").split())


@pytest.mark.parametrize("command", [("slices",), ("evaluate", "--measures", "auc")])
def test_a_column_of_many_numbers_gets_a_hint_at_ranges(cutline, tmp_path, command):
    rng = np.random.default_rng(1)
    labels, ages = rng.integers(0, 2, 600), rng.integers(18, 90, 600)
    path = tmp_path / "ages.csv"
    rows = (f"{y},{age},{0.3 * y + 0.7 * rng.random():.3f}\n" for y, age in zip(labels, ages, strict=True))
    path.write_text("y,age,p\n" + "".join(rows))
    out = " ".join(cutline(*command, path, "--by", "age").out.split())
    assert (
        "compare ranges with --by age:4 (four with about as many cases) or your own edges, --by age:18,40,70,89." in out
    )
    assert "undefined" not in out.partition("Notes")[0]  # slices of one class are not the highest
    assert "compare ranges" not in cutline(*command, path, "--by", "age:4").out


@pytest.mark.parametrize("width", [60, 80])
def test_no_number_of_a_table_of_slices_is_broken(cutline, file_of_twenty_sites, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    shown = cutline("slices", file_of_twenty_sites, *NAMED, "--by", "ward").out
    found = cutline("slices", file_of_twenty_sites, *NAMED, "--find", "--features", "site,ward", "--least", "40").out
    for out in (shown, found):
        assert max(map(len, out.splitlines())) <= width
        lines = out.splitlines()
        table = lines[lines.index(next(line for line in lines if line.startswith("──"))) + 1 :]
        for cell in " ".join(table[: table.index("")]).replace("< 0.00", "<").split():
            assert not re.fullmatch(r"-?0\.\d{1,3}|\d{1,3}\]|\[-?0\.\d{0,3},?", cell), cell


def test_a_template_of_slices_is_refused_with_the_page_that_exists(cutline, file_of_twenty_sites):
    done = cutline(
        "evaluate", file_of_twenty_sites, *NAMED, "--by", "ward", "--template", "clinical", "--html", "p.html"
    )
    assert done.code == 2
    assert "`cutline slices FILE --by COLUMN --html PAGE` writes a page with every measure by slice." in done.err
    page = cutline("slices", file_of_twenty_sites, *NAMED, "--by", "ward", "--html", "p.html")
    assert page.code == 0, page.err
    assert Path("p.html").stat().st_size > 10_000


def test_a_search_takes_one_model_and_written_files_are_named(cutline, tmp_path):
    (tmp_path / "x.csv").write_text("y,p,q,s\n" + "1,0.9,0.8,a\n0,0.2,0.3,b\n1,0.7,0.1,b\n0,0.3,0.4,a\n" * 20)
    options = ("x.csv", "--label", "y", "--score", "p")

    assert "--score is given 2 times" in cutline("slices", *options, "--score", "q", "--find", "--features", "s").err
    assert cutline("slices", *options, "--by", "s", "--save", "n.csv").err == "The numbers are in n.csv.\n"
