"""The published experiments run again: quickly here, in full by hand (docs/studies)."""

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm

from cutline import InputError, ParameterError, UnknownNameError
from cutline.cli.main import main
from cutline.studies import STUDIES, Settings, datasets, hard, learners, noise, quota, skew, study, voting
from cutline.studies.study import do_parts


def test_murphys_table_5_comes_out_and_mutual_information_is_not_alone():
    report = STUDIES["hard"].run(Settings())
    order = {row["measure"]: row["order"] for row in report.sections[2].table}

    assert order["accuracy"] == "A = B > C"
    assert order["precision"] == "B = C > A"
    assert order["recall"] == order["f1"] == "A > B > C"
    assert order["mutual_information"] == order["kappa"] == order["balanced_accuracy"] == "B > C > A"
    assert order["mcc"] == "B > C (the others are undefined)"


@pytest.mark.parametrize(
    ("values", "better", "expected"),
    [
        ({"A": 1.0, "B": 2.0, "C": 3.0}, "higher", "C > B > A"),
        ({"A": 1.0, "B": 2.0, "C": 3.0}, "lower", "A > B > C"),
        ({"A": 1.0, "B": 1.0 + 1e-15, "C": 0.0}, "higher", "A = B > C"),
        ({"A": 1.0, "B": 2.0, "C": 3.0}, None, "no order"),
    ],
)
def test_an_order_tells_ties_from_differences(values, better, expected):
    assert hard.order(values, better) in (expected, expected.replace("A = B", "B = A"))


def test_the_skew_formulas_are_those_of_a_huge_sample():
    rng = np.random.default_rng(0)
    positives, ratio = 200_000, 3
    scores = np.concatenate((rng.normal(skew.DISTANCE, 1, positives), rng.normal(0, 1, positives * ratio)))
    from cutline import evaluate

    ev = evaluate(np.arange(len(scores)) < positives, scores, threshold=skew.THRESHOLD)
    expected = skew.expected(ratio)

    assert ev.auc == pytest.approx(expected["auROC"], abs=2e-3)
    assert ev.average_precision == pytest.approx(expected["auPRC"], abs=3e-3)
    assert ev.accuracy == pytest.approx(expected["accuracy"], abs=2e-3)
    assert expected["auROC"] == pytest.approx(norm.cdf(skew.DISTANCE / 2**0.5))


def test_a_better_model_comes_first_where_there_is_no_noise_and_not_when_labels_are_coins():
    clean = noise.keeps_order(0.0, 0.5, 20, 0)
    coins = noise.keeps_order(0.5, 0.5, 60, 0)

    assert clean["auc"] == 1
    assert 0.25 < coins["auc"] < 0.75


def test_two_shares_differ_when_their_difference_exceeds_its_own_error():
    shares = {"auc": 0.838, "average_precision": 0.798, "ks": 0.7}

    assert "keeps it more often than average precision does" in noise._skew_verdict({0.01: shares}, 2000)
    assert "keeps it about as often as average precision does" in noise._skew_verdict({0.01: shares}, 100)
    assert "which agrees" in noise._verdict({0.4: shares | {"taks": 0.838}}, 2000)
    assert "does not agree beyond the error" in noise._verdict({0.4: shares | {"taks": 0.72}}, 2000)


def test_the_same_seed_gives_the_same_numbers_and_another_others():
    assert noise.keeps_order(0.4, 0.5, 10, 1) == noise.keeps_order(0.4, 0.5, 10, 1)
    assert voting.experiment(0, 3) == voting.experiment(0, 3)
    assert voting.experiment(0, 3) != voting.experiment(0, 4)


def test_pem_is_linear_in_the_auc_in_every_vote():
    marks = voting.experiment(0, 0)

    assert marks["pem"] == pytest.approx([2 * area - 1 for area in marks["auc"]])
    assert all(len(marks[name]) == voting.MODELS for name in voting.MEASURES)


# ---------------------------------------------------------------------- data sets


def test_a_folder_is_read_with_its_missing_values_and_types(tmp_path):
    (tmp_path / "zoo.csv").write_text(
        "legs,hair,animal,class\n30,m,a,LIVE\n,f,b,DIE\n50,?,c,LIVE\n40,m,d,LIVE\n20,m,e,DIE\n9,f,f,DIE\n"
    )
    found = dict(datasets.read_folder(tmp_path))
    data = found["zoo"]

    assert data.classes == ("DIE", "LIVE")
    assert np.isnan(data.numeric[1, 0])
    assert data.numeric[2, 0] == 50
    assert data.nominal[:, 0].tolist() == [1, 0, -1, 1, 1, 0]
    assert found["iris"] == "iris: there is no file iris.csv in the folder."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("legs,hair\n1,m\n", "zoo: there is no column 'class'"),
        ("legs,class\n1,a\n2,a\n3,a\n", "zoo: fewer than two classes have 3 cases"),
        ("legs,class\nold,a\n2,a\n2,a\n3,b\n3,b\n3,b\n", "zoo: a numeric column holds text"),
        ("legs,class\n1\n", "zoo: a row does not have the 2 fields"),
        ("", "zoo: the file is empty."),
        ("legs,class\n1,\n2,b\n", "zoo: the column 'class' has missing values."),
        ("Legs,class\n" + "1,a\n2,b\n" * 3, "zoo: the numeric columns legs are missing."),
        ("class\n" + "a\nb\n" * 3, "zoo: there is no column beside 'class' to learn from."),
    ],
)
def test_a_broken_file_is_left_out_with_a_sentence(tmp_path, text, expected):
    (tmp_path / "zoo.csv").write_text(text)

    assert dict(datasets.read_folder(tmp_path))["zoo"].startswith(expected)


def test_a_missing_folder_and_one_without_data_are_refused(tmp_path):
    with pytest.raises(ParameterError, match="There is no folder"):
        list(datasets.read_folder(tmp_path / "nowhere"))
    with pytest.raises(ParameterError, match="holds none of the data sets"):
        list(datasets.read_folder(tmp_path))
    with pytest.raises(InputError, match="no column"):
        datasets.from_columns("iris", {"x": ["1"]})


def test_a_folder_whose_files_are_all_broken_is_refused_with_the_first_reason(tmp_path):
    (tmp_path / "zoo.csv").write_text("legs,hair\n1,m\n")

    with pytest.raises(InputError, match="No data set can be used, beginning with zoo: there is no column 'class'"):
        STUDIES["quota"].run(Settings(quick=True, data=tmp_path, jobs=1))


def test_the_smallest_class_can_stand_in_both_parts():
    labels = ["rare"] * 2 + ["small"] * 4 + ["large"] * 9
    data = datasets.from_columns("mine", {"x": [str(i) for i in range(15)], "class": labels})

    assert data.classes[data.smallest] == "small"
    assert data.classes[data.largest] == "large"


@pytest.mark.parametrize("learner", learners.LEARNERS)
def test_a_learner_gives_probabilities_and_learns(learner):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 120)
    numeric = (y + rng.normal(0, 0.2, 120))[:, None]
    numeric[5, 0] = np.nan
    nominal = np.where(rng.random(120) < 0.1, -1, y)[:, None]
    train, test = np.arange(80), np.arange(80, 120)
    found = learners.probabilities(learner, numeric, nominal, y, train, test, 0)

    assert found.shape == (40, 3)
    assert found.sum(axis=1) == pytest.approx(np.ones(40))
    assert (found.argmax(axis=1) == y[test]).mean() > 0.85


def test_naive_bayes_multiplies_what_each_column_says():
    numeric, nominal = np.zeros((6, 0)), np.array([[0], [0], [1], [1], [1], [0]])
    y = np.array([0, 0, 0, 1, 1, 0])
    found = learners.probabilities("NB", numeric, nominal, y, np.arange(5), np.array([5]), 0)

    # prior (3 + 1) / 7 and (2 + 1) / 7; value 0 in class 0: (2 + 1) / 5, in class 1: (0 + 1) / 4
    first, second = 4 / 7 * 3 / 5, 3 / 7 * 1 / 4
    assert found[0].tolist() == pytest.approx([first / (first + second), second / (first + second)])


def test_the_published_tables_are_those_of_the_text():
    printed = quota.published()

    assert len(printed) == 20 * 2 * 3
    assert printed[quota.Key("australian", "smallest", "C4.5")]["pem"] == 0.747
    assert printed[quota.Key("breast-cancer", "largest", "NN")]["pem"] == 0.326
    assert printed[quota.Key("zoo", "largest", "NN")]["auc"] == 1
    assert {key.data for key, row in printed.items() if row["pem"] is None} == set(datasets.KNOWN)


def test_the_quota_study_says_where_its_data_come_from(monkeypatch):
    def no_network():
        raise OSError("no network")
        yield

    monkeypatch.setattr(datasets, "fetched", no_network)
    sets, left_out, about = quota._data(Settings())

    assert [data.name for data in sets] == ["iris", "wine", "breast-tumours", "digits"]
    assert left_out == []
    assert "scikit-learn" in about


def test_a_split_is_computed_for_both_classes_and_all_learners(tmp_path):
    rng = np.random.default_rng(1)
    rows = [(f"{x:.3f}", "yes" if x + rng.normal(0, 0.3) > 0.6 else "no") for x in rng.random(60)]
    with (tmp_path / "sonar.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("x", "class"), *rows])
    report = STUDIES["quota"].run(Settings(quick=True, data=tmp_path, jobs=1))

    assert report.sections[0].table.rows[0][0] == "sonar"
    assert len(report.left_out) == 19
    assert "undefined" not in report.sections[0].table.rows[0]
    assert "| sonar |" in report.markdown()


def test_a_split_that_leaves_one_class_in_a_part_is_counted_and_the_study_goes_on(tmp_path):
    rng = np.random.default_rng(1)
    for name, labels in (("sonar", ["no"] * 40 + ["yes"] * 3), ("wine", ["a", "b"] * 15)):
        with (tmp_path / f"{name}.csv").open("w", newline="") as file:
            csv.writer(file).writerows([("x", "class"), *zip(rng.random(len(labels)).round(3), labels, strict=True)])
    seed = next(s for s in range(100) if _training_part_of_one_class(43, 40, "sonar", 0, s))
    report = STUDIES["quota"].run(Settings(seed=seed, quick=True, data=tmp_path, jobs=1))

    assert [row[0] for row in report.sections[0].table.rows] == ["sonar", "wine"]
    assert any("sonar, smallest class:" in line and "leave one class only" in line for line in report.left_out)


def _training_part_of_one_class(n, negatives, name, number, seed):
    order = np.random.default_rng([seed, number, *name.encode()]).permutation(n)
    return (order[: round(2 * n / 3)] < negatives).all()


def test_results_that_were_kept_are_not_used_for_other_data_of_the_same_name(tmp_path):
    tables = []
    for shift in (0.0, 0.7):
        rng = np.random.default_rng(1)
        rows = [(f"{x:.3f}", "yes" if x + shift * rng.normal() > 0.5 else "no") for x in rng.random(60)]
        with (tmp_path / "sonar.csv").open("w", newline="") as file:
            csv.writer(file).writerows([("x", "class"), *rows])
        settings = Settings(quick=True, data=tmp_path, jobs=1, progress_file=tmp_path / "kept.jsonl")
        tables.append(STUDIES["quota"].run(settings).sections[0].table.rows)

    assert tables[0] != tables[1]


# ---------------------------------------------------------------------- parts that are kept


def _square(number, seed):
    return {"square": number**2 + seed}


def test_finished_parts_are_kept_and_not_computed_again(tmp_path):
    file, told = tmp_path / "parts.jsonl", []
    settings = Settings(jobs=1, progress_file=file, progress=lambda done, of: told.append((done, of)))
    first = do_parts(_square, [(1,), (2,)], settings, "test 1")
    file.write_bytes(file.read_bytes() + b'["cut off in the mid')  # a kill while a line was written
    told.clear()
    again = do_parts(_square, [(1,), (2,), (3,)], settings, "test 1")

    assert first == again[:2] == [{"square": 1}, {"square": 4}]
    assert told[0] == (2, 3)  # two were kept
    assert do_parts(_square, [(1,)], Settings(seed=5, jobs=1, progress_file=file), "test 1") == [{"square": 6}]


def test_a_killed_run_goes_on_where_it_was(tmp_path):
    command = [sys.executable, "-m", "cutline", "study", "noise", "--quick", "--jobs", "1", "--out", str(tmp_path)]
    kept = tmp_path / "noise.progress.jsonl"
    with subprocess.Popen(  # noqa: S603
        command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True
    ) as run:
        deadline = time.monotonic() + 60
        while (not kept.exists() or len(kept.read_bytes().split()) < 2) and time.monotonic() < deadline:
            time.sleep(0.02)
        os.killpg(run.pid, signal.SIGKILL)
    before = [line for line in kept.read_text().splitlines() if line.endswith("]")]
    assert before
    done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603
    after = [json.loads(line)[0] for line in kept.read_text().splitlines() if line.endswith("]")]

    assert "The report is" in done.stdout
    assert len(after) == len({*after}) == len(noise.FLIPPED) + len(noise.PREVALENCES) - 1  # one part serves both tables
    assert (tmp_path / "noise.html").exists()
    assert (tmp_path / "noise-labels.csv").exists()


# ---------------------------------------------------------------------- reports and the command


def test_the_report_in_the_docs_on_hard_classifiers_is_what_the_study_gives_today():
    kept = (Path(__file__).parents[2] / "docs" / "studies" / "hard.md").read_text(encoding="utf-8")
    today = STUDIES["hard"].run(Settings()).markdown()

    assert kept.partition("Made by")[0] == today.partition("Made by")[0], "run `make docs`"


def test_a_report_is_written_as_markdown_html_and_csv(tmp_path):
    report = STUDIES["hard"].run(Settings())
    names = {path.name for path in report.save(tmp_path)}

    assert {"hard.md", "hard.html", "hard.json", "hard-all.csv", "hard-orders.svg"} <= names
    page = (tmp_path / "hard.html").read_text(encoding="utf-8")
    assert "<svg" in page
    assert "Content-Security-Policy" in page
    assert "://" not in page.split("<svg")[0]
    with (tmp_path / "hard-all.csv").open() as file:
        assert len(list(csv.reader(file))) == len(report.sections[2].table) + 1


def test_unknown_studies_and_wrong_options_are_refused_in_one_sentence(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    for arguments, expected in [
        (["study"], "Pass the name of a study"),
        (["study", "skow"], "Did you mean skew?"),
        (["study", "skew", "--data", "x"], "--data is for the study quota"),
        (["study", "hard", "--out", "file"], "which is a file"),
        (["study", "quota", "--data", "nowhere"], "There is no folder"),
    ]:
        assert main(arguments) == 2
        error = capsys.readouterr().err
        assert expected in error
        assert error.count("\n") == 1
    with pytest.raises(UnknownNameError):
        study("nothing")


def test_the_list_names_every_study(capsys):
    assert main(["study", "--list"]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in STUDIES)
