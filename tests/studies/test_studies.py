"""The published experiments run again: quickly here, in full by hand (docs/studies)."""

import csv
import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm

from cutline import UnknownNameError
from cutline.cli.main import main
from cutline.comparison import write_order
from cutline.studies import STUDIES, StudySettings, noise, skew, study, voting
from cutline.studies.study import do_parts

pytestmark = pytest.mark.slow


def test_murphys_table_5_comes_out_and_mutual_information_is_not_alone():
    report = STUDIES["hard"].run(StudySettings())
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
    assert write_order(values, better) in (expected, expected.replace("A = B", "B = A"))


def test_the_skew_formulas_are_those_of_a_huge_sample():
    rng = np.random.default_rng(0)
    positives, ratio = 200_000, 3
    scores = np.concatenate((rng.normal(skew.DISTANCE, 1, positives), rng.normal(0, 1, positives * ratio)))
    from cutline import evaluate

    ev = evaluate(np.arange(len(scores)) < positives, scores, threshold=skew.THRESHOLD)
    expected = skew.compute_expected(ratio)

    assert ev.auc == pytest.approx(expected["auROC"], abs=2e-3)
    assert ev.average_precision == pytest.approx(expected["auPRC"], abs=3e-3)
    assert ev.accuracy == pytest.approx(expected["accuracy"], abs=2e-3)
    assert expected["auROC"] == pytest.approx(norm.cdf(skew.DISTANCE / 2**0.5))


@pytest.mark.parametrize("ratio", [1, 3, 100])
def test_the_expected_auprc_of_a_sample_is_that_of_a_random_order_where_the_classes_are_one(monkeypatch, ratio):
    from cutline import expected_average_precision

    monkeypatch.setattr(skew, "DISTANCE", 0.0)
    labels = np.arange(skew.POSITIVES * (1 + ratio)) < skew.POSITIVES
    found = skew.compute_expected_of_sample.__wrapped__(ratio)  # not the cached value of the study's own distance

    assert found == pytest.approx(expected_average_precision(labels, np.zeros(len(labels))), rel=1e-6)


def test_samples_have_the_auprc_that_is_expected_of_them_and_not_that_of_the_population():
    mean, error, *_ = skew.simulate(300, 60, 1)["auPRC"]

    assert abs(mean - skew.compute_expected_of_sample(300)) < 3 * error
    assert skew.compute_expected_of_sample(300) > 1.05 * skew.compute_expected(300)["auPRC"]


def test_a_better_model_comes_first_where_there_is_no_noise_and_not_when_labels_are_coins():
    clean = noise.keeps_order(0.0, 0.5, 20, 0)
    coins = noise.keeps_order(0.5, 0.5, 60, 0)

    assert clean["auc"] == 1
    assert 0.25 < coins["auc"] < 0.75


def test_two_shares_differ_when_their_difference_exceeds_its_own_error():
    shares = {"auc": 0.838, "average_precision": 0.798, "ks": 0.7}

    assert "keeps it more often than average precision does" in noise._write_skew_verdict({0.01: shares}, 2000)
    assert "keeps it about as often as average precision does" in noise._write_skew_verdict({0.01: shares}, 100)
    assert "which agrees" in noise._write_verdict({0.4: shares | {"taks": 0.838}}, 2000)
    assert "does not agree beyond the error" in noise._write_verdict({0.4: shares | {"taks": 0.72}}, 2000)


def test_measures_that_are_one_order_are_found_in_the_numbers():
    found = [noise.keeps_order(0.4, 0.5, 30, seed) for seed in (0, 1)]
    groups = noise._group_measures(dict(enumerate(found)))

    assert any({"auc", "taks", "average_gain"} <= {*group} for group in groups)
    assert any({"average_precision", "average_hit_rate"} <= {*group} for group in groups)
    different = {name: i / 10 for i, name in enumerate(noise.MEASURES)}
    assert all(len(group) == 1 for group in noise._group_measures({0: different}))
    assert list(noise._describe_groups({0: different})) == []


def test_the_same_seed_gives_the_same_numbers_and_another_others():
    assert noise.keeps_order(0.4, 0.5, 10, 1) == noise.keeps_order(0.4, 0.5, 10, 1)
    assert voting.run_experiment(0, 3) == voting.run_experiment(0, 3)
    assert voting.run_experiment(0, 3) != voting.run_experiment(0, 4)


def test_pem_is_linear_in_the_auc_in_every_vote():
    marks = voting.run_experiment(0, 0)

    assert marks["pem"] == pytest.approx([2 * area - 1 for area in marks["auc"]])
    assert all(len(marks[name]) == voting.MODELS for name in voting.MEASURES)


def test_the_words_on_voting_follow_from_the_marks():
    rising, falling = list(range(voting.MODELS)), list(range(voting.MODELS, 0, -1))
    same = {name: [float(mark) for mark in rising] for name in voting.MEASURES}
    other = same | {"pearson": [float(mark) for mark in falling]}

    assert "largest at one and the same number of voters in 2 of 3 experiments, in the text in 0 of 4" in (
        voting._describe_same_numbers([same, same, other])
    )
    claims = voting._describe_claims(
        {pair: voting._list_correlations([same, other], pair) for pair in voting.PUBLISHED}
    )
    assert "PEM and Pearson Correlation Coefficient: above 0.95 in 1 of 2 experiments (mean 0.000)" in claims
    assert "in the text in 3 of 4 (mean 0.918)" in claims


# ---------------------------------------------------------------------- parts that are kept


def _square(number, seed):
    return {"square": number**2 + seed}


def test_finished_parts_are_kept_and_not_computed_again(tmp_path):
    file, told = tmp_path / "parts.jsonl", []
    settings = StudySettings(jobs=1, progress_file=file, progress=lambda done, of: told.append((done, of)))
    first = do_parts(_square, [(1,), (2,)], settings, "test 1")
    file.write_bytes(file.read_bytes() + b'["cut off in the mid')  # a kill while a line was written
    told.clear()
    again = do_parts(_square, [(1,), (2,), (3,)], settings, "test 1")

    assert first == again[:2] == [{"square": 1}, {"square": 4}]
    assert told[0] == (2, 3)  # two were kept
    assert do_parts(_square, [(1,)], StudySettings(seed=5, jobs=1, progress_file=file), "test 1") == [{"square": 6}]


@pytest.mark.parametrize("line", [b"5", b"null", b'[["a"], 1]', b"[1, 2, 3]", b"[" * 100_000])
def test_a_line_of_kept_parts_that_is_none_or_was_altered_is_done_again(tmp_path, line):
    settings = StudySettings(jobs=1, progress_file=tmp_path / "parts.jsonl")
    do_parts(_square, [(7,)], settings, "test 1")
    altered = settings.progress_file.read_bytes().replace(b"49", b'"49"') + line + b"\n"
    settings.progress_file.write_bytes(altered)

    assert do_parts(_square, [(7,)], settings, "test 1") == [{"square": 49}]


def _slow_if_first(number, folder, seed):
    if number == 0:
        deadline = time.monotonic() + 120
        while not (Path(folder) / "kept.jsonl").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
    return number


def test_a_part_is_kept_when_it_is_done_though_an_earlier_one_is_not(tmp_path):
    kept = tmp_path / "kept.jsonl"
    found = do_parts(
        _slow_if_first, [(i, str(tmp_path)) for i in range(3)], StudySettings(jobs=2, progress_file=kept), "t"
    )

    assert found == [0, 1, 2]  # the first waited for another to be kept
    assert json.loads(kept.read_text().strip().partition("\n")[0])[1] != 0


KILLED = """
import os, signal, sys
from cutline.cli.main import main
from cutline.studies.study import _Journal
keep = _Journal.add
def keep_and_end_after_two(journal, part, result):
    keep(journal, part, result)
    if len(journal._results) == 2:
        os.kill(os.getpid(), signal.SIGKILL)
_Journal.add = keep_and_end_after_two
main(sys.argv[1:])
"""


@pytest.mark.posix
def test_a_killed_run_goes_on_where_it_was(tmp_path):
    command = [sys.executable, "-m", "cutline", "study", "noise", "--quick", "--jobs", "1", "--out", str(tmp_path)]
    kept = tmp_path / "noise.progress.jsonl"
    run = subprocess.run([sys.executable, "-c", KILLED, *command[3:]], check=False, capture_output=True)  # noqa: S603
    before = [line for line in kept.read_text().splitlines() if line.endswith("]")]
    assert len(before) == 2
    done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603
    lines = [line for line in kept.read_text().splitlines() if line.endswith("]")]
    after = [json.loads(line)[0] for line in lines]
    whole = tmp_path / "whole"
    subprocess.run([*command[:-1], str(whole)], check=True, capture_output=True)  # noqa: S603

    assert "The report is" in done.stdout
    assert run.returncode == -signal.SIGKILL
    assert len(lines) > 2  # it was killed on the way
    assert lines[: len(before)] == before  # what was done is not computed again
    for table in whole.glob("noise-*.csv"):
        assert (tmp_path / table.name).read_bytes() == table.read_bytes()  # as if never killed
    assert len(after) == len({*after}) == len(noise.FLIPPED) + len(noise.PREVALENCES) - 1  # one part serves both tables
    assert (tmp_path / "noise.html").exists()
    assert (tmp_path / "noise-labels.csv").exists()


# ---------------------------------------------------------------------- reports and the command


def test_the_report_in_the_docs_on_hard_classifiers_is_what_the_study_gives_today():
    kept = (Path(__file__).parents[2] / "docs" / "studies" / "hard.md").read_text(encoding="utf-8")
    today = STUDIES["hard"].run(StudySettings()).markdown()

    assert kept.partition("Made by")[0] == today.partition("Made by")[0], "run `make docs`"


def test_a_report_is_written_as_markdown_html_and_csv(tmp_path):
    report = STUDIES["hard"].run(StudySettings())
    names = {path.name for path in report.save(tmp_path)}

    assert {"hard.md", "hard.html", "hard.json", "hard-all.csv", "hard-orders.svg"} <= names
    page = (tmp_path / "hard.html").read_text(encoding="utf-8")
    assert "<svg" in page
    assert "Content-Security-Policy" in page
    assert "://" not in page.split("<svg")[0]
    with (tmp_path / "hard-all.csv").open() as file:
        assert len(list(csv.reader(file))) == len(report.sections[2].table) + 1


KEPT = Path(__file__).parents[2] / "docs" / "studies"


@pytest.mark.parametrize("name", STUDIES)
def test_the_numbers_in_the_list_of_studies_are_those_of_the_reports(name):
    [line] = [line for line in (KEPT / "README.md").read_text("utf-8").splitlines() if line.startswith(f"| [{name}]")]
    short = line.rstrip("| ").rpartition("|")[2]
    report = (KEPT / f"{name}.md").read_text("utf-8").partition("\n## ")[0]
    numbers = re.findall(r"\d[\d,.]*\d|\d", short.replace("2 AUC - 1", ""))

    assert numbers
    lacking = [number for number in numbers if number not in report]
    assert not lacking, (
        f"{name}.md has no {lacking}: correct its row in docs/studies/README.md (`make docs` does for hard)"
    )


@pytest.mark.parametrize("name", STUDIES)
def test_a_kept_report_was_made_in_full_by_todays_words(name):
    report = (KEPT / f"{name}.md").read_text("utf-8")

    assert f"Made by `cutline study {name}" in report
    assert "--quick" not in report
    assert "nan" not in report
    assert STUDIES[name].question in report


@pytest.mark.parametrize(
    ("table", "points", "paragraph"),
    [("labels", noise.FLIPPED, noise._write_verdict), ("skew", noise.PREVALENCES, noise._write_skew_verdict)],
)
def test_the_words_of_the_kept_report_on_noise_follow_from_its_tables(table, points, paragraph):
    measures = {noise._find_title(name): name for name in noise.MEASURES}
    with (KEPT / f"noise-{table}.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[1:]
    found = {at: {measures[row[0]]: float(row[i + 1]) for row in rows} for i, at in enumerate(points)}
    report = (KEPT / "noise.md").read_text("utf-8")

    assert paragraph(found, 2000) in report
    assert noise._describe_population() in report


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
