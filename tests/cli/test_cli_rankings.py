"""Rankings on the command line: made, added up, evaluated, and refused where cases are needed."""

import csv
import io
import json
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest

import cutline as cl
from cutline.cli.main import main
from cutline.inputs import binning, out_of_core
from cutline.inputs.ranking_tables import DIALECTS, write_ranking_query

RNG = np.random.default_rng(1)
Y = RNG.integers(0, 2, 900)
P = (RNG.normal(size=900) + Y).round(3)
W = RNG.integers(1, 4, 900)
FRAME = pd.DataFrame({"y": Y, "p": P, "w": W})


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    (tmp_path / "preds").mkdir()
    for i in range(3):
        FRAME[i::3].to_parquet(tmp_path / "preds" / f"{i}.parquet")
    return tmp_path


def run(*arguments):
    return main([str(argument) for argument in arguments])


def error_of(capsys, *arguments):
    assert run(*arguments) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    return said


COLUMNS = ("--label", "y", "--score", "p")


def test_rankings_of_parts_are_made_added_up_and_evaluated_like_the_whole(folder, capsys):
    for i in range(3):
        assert run("rank", f"preds/{i}.parquet", *COLUMNS, "-o", f"{i}.ranking", "-q") == 0
    assert run("merge", "2.ranking", "0.ranking", "1.ranking", "-o", "week.ranking") == 0
    assert "Ranking of 900 cases" in capsys.readouterr().err
    assert run("rank", "preds/*.parquet", *COLUMNS, "-o", "whole.ranking", "-q") == 0
    assert cl.load("week.ranking") == cl.load("whole.ranking") == cl.rank(Y, P)

    how = ("--resamples", "0", "--json", "--threshold", "0.5")
    assert run("evaluate", "week.ranking", *how) == 0
    from_ranking = json.loads(capsys.readouterr().out)
    assert run("evaluate", "preds/0.parquet", "preds/1.parquet", "preds/2.parquet", *COLUMNS, *how) == 0
    from_rows = json.loads(capsys.readouterr().out)
    assert from_ranking["measures"] == from_rows["measures"]
    assert from_ranking["name"] == "week"
    assert run("check", "week.ranking", "--require", "auc >= 0.5") == 0


def test_a_ranking_is_refused_where_cases_are_needed(folder, capsys):
    assert run("rank", "preds", *COLUMNS, "-o", "a.ranking", "-q") == 0
    for arguments in (
        ("compare", "a.ranking", "preds/0.parquet", "--id", "w", "--label", "y"),
        ("compare", "a.ranking"),
        ("compare", "a.ranking", "a.ranking"),
        ("check", "a.ranking", "--against", "preds/0.parquet", "--no-worse", "auc"),
    ):
        assert "is a ranking, which holds counts per score and not single cases" in error_of(capsys, *arguments)
    assert "--label names nothing" in error_of(capsys, "evaluate", "a.ranking", "--label", "y")
    assert "add rankings up with `cutline merge`" in error_of(capsys, "evaluate", "a.ranking", "preds/0.parquet")


def test_rankings_of_different_cases_are_compared_without_pairs(folder, capsys):
    parts = [FRAME[:400], FRAME[400:]]
    for name, part in zip(("may", "june"), parts, strict=True):
        part.to_parquet(folder / f"{name}.parquet")
        assert run("rank", f"{name}.parquet", *COLUMNS, "-o", f"{name}.ranking", "-q") == 0
    how = ("--independent", "--json", "--measures", "auc,recall,average_precision", "--threshold", "0.5")
    assert run("compare", "may.ranking", "june.ranking", *how) == 0
    of_rankings = json.loads(capsys.readouterr().out)
    assert run("compare", "may.parquet", "june.parquet", *COLUMNS, *how) == 0
    assert json.loads(capsys.readouterr().out) == of_rankings

    may, june = (cl.evaluate(part.y, part.p, threshold=0.5) for part in parts)
    both = cl.compare_independent(may, june, names=("may", "june"))
    assert of_rankings["names"] == ["may", "june"]
    for row in of_rankings["measures"]:
        found, test = both.difference(row["measure"]), both.test(row["measure"])
        assert (row["value of may"], row["value of june"]) == (may.value(row["measure"]), june.value(row["measure"]))
        assert (row["difference"], row["low"], row["high"]) == (found.value, found.low, found.high)
        assert (row["p_value"], row["at_least"]) == (test.p_value, None)
    assert run("compare", "may.ranking", "june.ranking", "--independent", "--resamples", "0") == 0
    said = capsys.readouterr().out
    assert "may minus june: 400 cases (may) and 500 cases (june)" in said
    assert "The files are treated as independent samples." in said
    assert len(both.summary(resamples=0).to_dict()) == len(both.summary().to_dict())
    assert {row["low"] for row in both.summary(["ks", "eer"], resamples=0)} == {None}


def test_the_difference_of_binned_rankings_has_a_bracket(folder, coarse):
    binned = [cl.Evaluation(cl.rank("y", "p", data=folder / "preds" / f"{i}.parquet")) for i in range(2)]
    exact = [cl.evaluate(FRAME.y[i::3], FRAME.p[i::3]) for i in range(2)]
    for row in cl.compare_independent(*binned).summary(["auc", "average_precision"], resamples=0):
        difference = exact[0].value(row["measure"]) - exact[1].value(row["measure"])
        assert row["at_least"] < row["at_most"]
        assert row["at_least"] - 1e-12 <= difference <= row["at_most"] + 1e-12


def test_what_two_rankings_need_to_be_compared(folder, capsys):
    run("rank", "preds", *COLUMNS, "-o", "a.ranking", "-q")
    run("rank", "preds", *COLUMNS, "--lower-is-positive", "-o", "low.ranking", "-q")
    assert "differ in the positive label" in error_of(capsys, "compare", "a.ranking", "low.ranking", "--independent")
    assert "compares two files (got 1)" in error_of(capsys, "compare", "a.ranking", "--independent")
    wanted = ("compare", "a.ranking", "a.ranking", "--independent", "--html", "x.html")
    assert "only prints a table" in error_of(capsys, *wanted)


def test_bad_ranking_files_are_refused_in_a_sentence(folder, capsys):
    run("rank", "preds", *COLUMNS, "-o", "a.ranking", "-q")
    (folder / "cut.ranking").write_bytes((folder / "a.ranking").read_bytes()[:-10])
    assert "cut.ranking is damaged" in error_of(capsys, "merge", "a.ranking", "cut.ranking", "-o", "b.ranking")
    assert "is not a ranking file" in error_of(capsys, "merge", "a.ranking", "preds/0.parquet", "-o", "b.ranking")
    assert "There is no file" in error_of(capsys, "merge", "nothing.ranking", "-o", "b.ranking")
    assert "exists already" in error_of(capsys, "merge", "a.ranking", "-o", "a.ranking")
    run("rank", "preds", *COLUMNS, "--positive", "1", "--lower-is-positive", "-o", "low.ranking", "-q")
    assert "positive" in error_of(capsys, "merge", "a.ranking", "low.ranking", "-o", "b.ranking")
    assert "Pass the files of the predictions" in error_of(capsys, "evaluate")
    assert "--memory is 'lots'" in error_of(capsys, "evaluate", "preds", *COLUMNS, "--memory", "lots")
    assert not (folder / "b.ranking").exists()


@pytest.fixture
def coarse(monkeypatch):
    monkeypatch.setattr(out_of_core, "MOST", 100)
    monkeypatch.setattr(out_of_core, "MOST_IN_MEMORY", 100)
    monkeypatch.setattr(
        out_of_core, "count_in_bins", lambda aggregate: binning.count_in_bins(aggregate, width=0.02, most=4000)
    )


def test_every_view_of_binned_scores_carries_the_brackets(folder, coarse, capsys):
    how = (*COLUMNS, "--all", "--resamples", "0", "--threshold", "0.3")
    files = ("--save", "r.json", "--save", "r.csv", "--html", "r.html")
    assert run("evaluate", "preds", *how, *files) == 0
    terminal = capsys.readouterr().out
    rows = {row["measure"]: row for row in json.loads((folder / "r.json").read_text())["measures"]}
    table = {row["measure"]: row for row in csv.DictReader(io.StringIO((folder / "r.csv").read_text()))}
    page = (folder / "r.html").read_text()
    exact = cl.evaluate(Y, P, threshold=0.3)

    affected = [row for row in rows.values() if row["at_least"] is not None]
    assert {"auc", "average_precision", "gini", "ks"} <= {row["measure"] for row in affected}
    for row in affected:
        ends = cl.core.table.format_bracket(row["at_least"], row["at_most"])
        assert row["at_least"] <= row["value"] <= row["at_most"]
        assert ends in terminal
        assert ends in page
        assert float(table[row["measure"]]["at_least"]) == row["at_least"]
        certain = "approximate" not in row["note"]
        if certain:
            assert row["at_least"] - 1e-12 <= exact.value(row["measure"]) <= row["at_most"] + 1e-12
    assert rows["recall"]["at_least"] is None  # no bin straddles the threshold
    assert rows["recall"]["value"] == exact.recall
    assert "bins of scores" in terminal
    assert run("evaluate", "preds", *how, "--verbose") == 0
    assert "bins, which leave the AUC certain to" in " ".join(capsys.readouterr().out.split())
    assert run("evaluate", "preds", *how, "--exact", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert not found["binned"]
    assert all(row["at_least"] is None for row in found["measures"])


def test_estimates_and_the_first_look_carry_the_brackets(folder, coarse):
    ev = cl.evaluate("y", "p", data=folder / "preds", threshold=0.3)
    asked = ["auc", "average_precision", "average_hit_rate", "recall"]
    rows = {row["measure"]: row for row in ev.summary(asked, resamples=0)}
    for name, row in rows.items():
        (said,) = [note for note in ev.estimate(name, resamples=100).notes if "binned" in note] or [""]
        if name == "recall":
            assert (said, row["at_least"]) == ("", None)
            continue
        ends = cl.core.table.format_bracket(row["at_least"], row["at_most"])
        assert (f"the exact value is from {ends}." in said) == (name != "average_hit_rate")
        assert ("approximate" in said) == (name == "average_hit_rate")
        assert name == "average_hit_rate" or ends in repr(ev)
    assert "exact value" not in repr(cl.evaluate(Y, P))


def test_binned_rankings_are_saved_and_added_up_and_say_what_it_cost(folder, coarse, capsys):
    for i in range(2):
        assert run("rank", f"preds/{i}.parquet", *COLUMNS, "-o", f"{i}.ranking") == 0
        assert "bins of scores is in" in capsys.readouterr().err
    assert run("merge", "0.ranking", "1.ranking", "-o", "both.ranking") == 0
    assert "The bins leave the AUC certain to" in capsys.readouterr().err
    found = cl.load("both.ranking")
    whole = cl.rank(np.r_[Y[0::3], Y[1::3]], np.r_[P[0::3], P[1::3]])
    low, high = found.bracket
    assert cl.auc(low) <= cl.auc(whole) <= cl.auc(high)
    assert found == cl.load("1.ranking") + cl.load("0.ranking")


# ---------------------------------------------------------------------- SQL for other warehouses


def result_of_query(query, tmp_path, frame=FRAME):
    with duckdb.connect() as connection:
        connection.register("shown", frame)
        connection.execute(f"COPY ({query.rstrip(';')}) TO '{tmp_path / 'out.csv'}'")
    return tmp_path / "out.csv"


@pytest.mark.parametrize("weight", [None, "w"])
def test_the_query_makes_the_ranking(folder, capsys, weight):
    weighted = () if weight is None else ("--weight", weight)
    assert run("sql", *COLUMNS, "--from", "shown", *weighted) == 0
    out = result_of_query(capsys.readouterr().out.strip(), folder)
    assert (
        run("evaluate", "--ranking-csv", out, "--json", "--resamples", "0", "--measures", "auc,average_precision") == 0
    )
    found = {row["measure"]: row["value"] for row in json.loads(capsys.readouterr().out)["measures"]}
    exact = cl.evaluate(Y, P, None if weight is None else W)
    assert found == {"auc": exact.auc, "average_precision": exact.average_precision}


def test_the_binned_query_brackets_the_values(folder, capsys):
    assert run("sql", *COLUMNS, "--from", "(SELECT * FROM shown)", "--bins", "16") == 0
    out = result_of_query(capsys.readouterr().out.strip(), folder)
    assert run("evaluate", "--ranking-csv", out, "--json", "--resamples", "0", "--measures", "auc") == 0
    (row,) = json.loads(capsys.readouterr().out)["measures"]
    assert row["at_least"] < cl.auc(Y, P) < row["at_most"]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("bins", [None, 4096])
@pytest.mark.parametrize("weight", [None, "my weight"])
def test_the_query_is_one_of_the_dialect(dialect, bins, weight):
    sqlglot = pytest.importorskip("sqlglot")
    query = write_ranking_query("y", "my score", "a.b", dialect, weight=weight, positive="it's", bins=bins)
    (parsed,) = sqlglot.parse(query, read=dialect)
    names = {column.name for column in parsed.find_all(sqlglot.exp.Column)}
    assert names == {"y", "my score"} | ({weight} if weight else set())
    assert [one.name for one in parsed.find_all(sqlglot.exp.Literal) if one.is_string].count("it's") >= 2
    assert parsed.args["group"].expressions


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", ["a\\", "a`b\\", 'a"b', "x\\` OR 1=1 --", 'a"', "`a", " a", "a\t"])
def test_no_name_ends_its_own_quotes(dialect, name):
    sqlglot = pytest.importorskip("sqlglot")
    (parsed,) = sqlglot.parse(write_ranking_query("y", name, "t", dialect), read=dialect)
    assert parsed.args["group"].expressions
    assert {column.name for column in parsed.find_all(sqlglot.exp.Column)} == {"y", name}


def test_a_label_of_two_lines_stays_on_one_where_a_text_ends_with_its_line():
    query = write_ranking_query("y\n", "a\nb", "t", "bigquery", positive="p\r\nq")
    assert "= 'p\\r\\nq' " in query
    assert "`a\\nb` AS score" in query
    assert "'p\r\nq'" in write_ranking_query("y", "s", "t", "spark", positive="p\r\nq")


def test_sums_that_are_whole_for_one_class_alone_are_read(folder, capsys):
    Path("sums.csv").write_text("score,pos,neg\n0.9,3,0.5\n0.5,2,1\n0.2,1,2\n", encoding="utf-8")
    assert run("evaluate", "--ranking-csv", "sums.csv", "--json", "--resamples", "0") == 0
    assert json.loads(capsys.readouterr().out)["negatives"] == 3.5


def test_results_with_missing_values_or_other_columns_are_refused(folder, capsys):
    lacking = FRAME.assign(p=FRAME.p.where(FRAME.index > 3))
    out = result_of_query(write_ranking_query("y", "p", "shown"), folder, lacking)
    assert "counts rows with a missing label, score or weight" in error_of(capsys, "evaluate", "--ranking-csv", out)
    assert "has no column 'top'" in error_of(capsys, "evaluate", "--ranking-csv", "preds/0.parquet")
    assert "--from is 'a; DROP TABLE b'" in error_of(capsys, "sql", *COLUMNS, "--from", "a; DROP TABLE b")


TOP = "top,bottom,pos,neg\n0.9,0.5,40,10\n0.45,0.1,20,130\n"  # the AUC is (40 * 130 + (400 + 2600) / 2) / 8400 = 0.798


@pytest.fixture
def top(folder):
    (folder / "top.csv").write_text(TOP)
    return folder / "top.csv"


def rows_of(capsys, *arguments):
    assert run("evaluate", "--json", "--resamples", "0", *arguments) == 0
    found = json.loads(capsys.readouterr().out)
    return {row["measure"]: row for row in found["measures"]}, [note["text"] for note in found["notes"]]


@pytest.mark.parametrize("option", [("--missing", "drop"), ("--exact",), ("--memory", "1GB"), ("--stratum", "g")])
def test_options_that_say_how_predictions_are_read_are_refused_of_rankings(folder, top, capsys, option):
    assert run("rank", "preds/0.parquet", *COLUMNS, "-o", "a.ranking") == 0
    capsys.readouterr()
    assert option[0] in error_of(capsys, "evaluate", "a.ranking", *option)
    assert option[0] in error_of(capsys, "evaluate", "--ranking-csv", top, *option)


@pytest.mark.parametrize("option", [("--lower-is-positive",), ("--positive", "0")])
def test_what_is_positive_is_settled_in_a_ranking_file(folder, capsys, option):
    assert run("rank", "preds/0.parquet", *COLUMNS, "-o", "a.ranking") == 0
    capsys.readouterr()
    assert f"{option[0]} says how predictions are read" in error_of(capsys, "evaluate", "a.ranking", *option)


def test_a_gate_fails_where_bins_leave_it_open_whether_its_bound_is_met(folder, top, capsys):
    cl.inputs.ranking_tables.read_ranking_table(top).save("top.ranking")
    assert run("check", "top.ranking", "--require", "auc >= 0.79") == 1
    assert "the exact value is from 0.6190 to" in " ".join(capsys.readouterr().out.split())
    assert run("check", "top.ranking", "--require", "auc >= 0.6") == 0


def test_a_threshold_inside_a_bin_is_said_and_its_numbers_have_brackets(top, capsys):
    rows, notes = rows_of(capsys, "--ranking-csv", top, "--threshold", "0.8")
    assert any("goes through a bin with scores from 0.5 to 0.9" in note and "0 to 50 cases" in note for note in notes)
    assert (rows["recall"]["at_least"], rows["recall"]["at_most"]) == (0, 40 / 60)
    rows, notes = rows_of(capsys, "--ranking-csv", top, "--threshold", "0.47")
    assert not any("goes through" in note for note in notes)
    assert rows["recall"]["at_least"] is None


def test_limits_allow_for_what_wide_bins_leave_open(top, capsys):
    rows, _ = rows_of(capsys, "--ranking-csv", top, "--threshold", "0.6")
    for row in rows.values():
        if row["low"] is not None and row["at_least"] is not None:
            assert row["low"] <= row["at_least"] <= row["at_most"] <= row["high"]
    assert "widened" in rows["recall"]["note"]


def test_the_net_benefit_of_a_quota_has_the_bracket_of_its_risk(top, capsys):
    rows, _ = rows_of(capsys, "--ranking-csv", top, "--quota", "50", "--measures", "net_benefit")
    at_lowest = 40 / 200 - 10 / 200 * 0.5 / 0.5  # the last of the 50 has the lowest score of its bin
    assert rows["net_benefit"]["at_most"] == pytest.approx(at_lowest)


def test_a_result_without_cases_or_with_wrong_counts_is_refused(folder, capsys):
    for text, said in (
        ("score,pos,neg\n0.5,0,0\n", "holds no cases"),
        ("score,pos,neg\n0.5,-1,3\n0.4,2,2\n", "Column 'pos' holds -1 in row 1"),
        ("score,pos,neg,pos2\n0.5,1,3,1\n0.4,2,2,2\n", "one of the columns pos2 and neg2"),
    ):
        (folder / "bad.csv").write_text(text)
        assert said in error_of(capsys, "evaluate", "--ranking-csv", "bad.csv")


@pytest.mark.parametrize("name", ["true", "at", "by", "all", "in", "left", "desc", "unique", "column", "order"])
def test_columns_named_like_words_of_sql_are_columns(folder, name):
    frame = FRAME.rename(columns={"y": name})
    out = result_of_query(write_ranking_query(name, "p", "shown"), folder, frame)
    assert cl.auc(cl.inputs.ranking_tables.read_ranking_table(out)) == cl.auc(Y, P)


def test_weights_of_a_query_are_squared_as_floats_and_those_of_nought_left_out(folder):
    frame = FRAME.assign(w=np.where(FRAME.index == 0, 2_000_000_000, FRAME.index % 3).astype(np.int32))
    found = cl.inputs.ranking_tables.read_ranking_table(
        result_of_query(write_ranking_query("y", "p", "shown", weight="w"), folder, frame)
    )
    here = cl.rank(Y, P, frame.w.to_numpy(), weights_are="sampling")
    assert len(found) == len(here)
    assert float(found.pos2.sum() + found.neg2.sum()) == pytest.approx(float(here.pos2.sum() + here.neg2.sum()))


def test_the_differences_of_rankings_fit_eighty_columns(folder, coarse, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    for i in (0, 1):
        assert run("rank", f"preds/{i}.parquet", *COLUMNS, "-o", f"{i}.ranking") == 0
    capsys.readouterr()
    assert run("compare", "0.ranking", "1.ranking", "--independent", "--resamples", "0") == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 80


def test_what_is_left_of_a_ranking_file_is_called_one(folder, capsys):
    (folder / "short.ranking").write_bytes(b"cutline")
    assert "is not a ranking file" in error_of(capsys, "evaluate", "short.ranking")
