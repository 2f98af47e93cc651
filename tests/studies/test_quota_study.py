"""The study of quotas: its data sets, its learners, its tables, and the words that follow from them."""

import csv
import sys

import numpy as np
import pytest

from cutline import InputError, ParameterError
from cutline.studies import STUDIES, StudySettings, datasets, learners, quota
from cutline.studies.quota import BY_ROWS


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


def test_a_file_that_is_no_text_is_left_out_by_its_name(tmp_path):
    (tmp_path / "zoo.csv").write_bytes(b"legs,class\n\xff\xfe,a\n")
    (tmp_path / "wine.csv").mkdir()
    found = dict(datasets.read_folder(tmp_path))

    assert found["zoo"].startswith("zoo: the file cannot be read ('utf-8' codec")
    assert found["wine"].startswith("wine: the file cannot be read (")


def _columns(name):
    return {"legs": list("123456"), "x": list("123456"), "class": list("aaabbb")}


def _fails_for(*names):
    def download(name):
        if name in names:
            raise OSError("the server said 500")
        return _columns(name)

    return download


def test_a_download_that_fails_costs_that_data_set_alone(monkeypatch):
    monkeypatch.setattr(datasets, "KNOWN", {name: (name, i, ("legs",)) for i, name in enumerate("abcdef")})
    monkeypatch.setattr(datasets, "_download", _fails_for("a", "b", "e"))
    sets, left_out, about = quota._load_data(StudySettings())

    assert [data.name for data in sets] == ["c", "d", "f"]
    assert left_out == [f"{name}: it cannot be fetched from OpenML (the server said 500)." for name in "abe"]
    assert about == "The data sets were fetched from OpenML."


def test_without_a_network_or_pandas_the_study_runs_on_what_scikit_learn_ships_and_says_why(monkeypatch):
    monkeypatch.setattr(datasets, "_download", _fails_for(*datasets.KNOWN))
    sets, left_out, about = quota._load_data(StudySettings())

    assert [data.name for data in sets] == ["iris", "wine", "breast-tumours", "digits"]
    assert left_out == []
    assert about.startswith("OpenML could not be reached and no folder was given, so this run has the data sets")

    monkeypatch.setitem(sys.modules, "pandas", None)
    sets, left_out, about = quota._load_data(StudySettings())
    assert len(sets) == 4
    assert about.startswith("OpenML cannot be read without pandas (pip install 'cutline[openml]') and no folder")


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
        STUDIES["quota"].run(StudySettings(quick=True, data=tmp_path, jobs=1))


def test_a_quick_run_on_large_data_sets_alone_is_refused(tmp_path):
    rows = "".join(f"{i},{'ab'[i % 2]}\n" for i in range(quota.QUICK_CASES + 1))
    (tmp_path / "sonar.csv").write_text("x,class\n" + rows)

    with pytest.raises(
        InputError, match=r"^No data set has 700 cases or fewer, as a quick run needs: run it in full\.$"
    ):
        STUDIES["quota"].run(StudySettings(quick=True, data=tmp_path, jobs=1))


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
    found = learners.predict_probabilities(learner, numeric, nominal, y, train, test, 0)

    assert found.shape == (40, 3)
    assert found.sum(axis=1) == pytest.approx(np.ones(40))
    assert (found.argmax(axis=1) == y[test]).mean() > 0.85


def test_naive_bayes_multiplies_what_each_column_says():
    numeric, nominal = np.zeros((6, 0)), np.array([[0], [0], [1], [1], [1], [0]])
    y = np.array([0, 0, 0, 1, 1, 0])
    found = learners.predict_probabilities("NB", numeric, nominal, y, np.arange(5), np.array([5]), 0)

    # prior (3 + 1) / 7 and (2 + 1) / 7; value 0 in class 0: (2 + 1) / 5, in class 1: (0 + 1) / 4
    first, second = 4 / 7 * 3 / 5, 3 / 7 * 1 / 4
    assert found[0].tolist() == pytest.approx([first / (first + second), second / (first + second)])


def test_the_published_tables_are_those_of_the_text():
    printed = quota.load_published()

    assert len(printed) == 20 * 2 * 3
    assert printed[quota.Key("australian", "smallest", "C4.5")]["pem"] == 0.747
    assert printed[quota.Key("breast-cancer", "largest", "NN")]["pem"] == 0.326
    assert printed[quota.Key("zoo", "largest", "NN")]["auc"] == 1
    assert {key.data for key, row in printed.items() if row["pem"] is None} == set(datasets.KNOWN)


# One printed value (that of Australian Credit, naive Bayes) and made splits around it or beside it.
def _made(name, shift):
    values = {}
    for positive in quota.CLASSES:
        for learner in (*learners.LEARNERS, learners.PLAIN_TREE):
            key = quota.Key(name, positive, "C4.5" if learner == learners.PLAIN_TREE else learner)
            row = quota.load_published()[key]
            own = {m: (row[m] or 0.5) + np.linspace(-0.01, 0.01, 30) for m in quota.MEASURES}
            moved = 0.0 if learner == learners.PLAIN_TREE else shift.get(learner, 0.0)
            values[quota.Key(name, positive, learner)] = {m: x + moved for m, x in own.items()} | {BY_ROWS: own["pem"]}
    return values


def _set(name, cases):
    return datasets.DataSet(name, np.zeros((cases, 1)), np.zeros((cases, 0)), np.arange(cases) % 2, ("a", "b"))


def test_a_further_split_lies_in_the_range_of_30_as_often_as_is_said():
    rng = np.random.default_rng(0)
    draws = rng.random((20_000, 31))
    low, high = np.quantile(draws[:, :30], (0.025, 0.975), axis=1)
    share = ((low <= draws[:, 30]) & (draws[:, 30] <= high)).mean()

    assert quota.compute_expected_share(_made("australian", {})) == pytest.approx(0.95 * 29 / 31)
    assert share == pytest.approx(0.95 * 29 / 31, abs=0.008)


def test_printed_numbers_outside_the_range_are_counted_by_learner_and_side():
    values = _made("australian", {"C4.5": 0.1, "NB": 0.1})
    [row] = quota.tabulate_outside(values, {"australian": _set("australian", 690)})

    assert (row["outside"], row["of"]) == (16, 23)  # PEM of the network is not printed for the smallest class
    assert (row["C4.5"], row["NB"], row["NN"], row["C4.5, plain tree"]) == ("8 below", "8 below", "", 0)
    assert (
        "8 of the 8 numbers of C4.5 are typical of a tree neither pruned nor smoothed" in row["what may be behind it"]
    )
    assert "share a split: it may have been a hard one" in row["what may be behind it"]
    told = list(quota.write_verdict(values))
    assert told[0].startswith("7 of the 23 printed numbers (30 %)")
    assert "in at least about 89 %" in told[0]
    assert "0 of 1 data sets have none outside, and one data set at least half of all that are" in told[1]
    assert "it holds 0 of the 8 numbers printed for C4.5" in told[2]


def test_clues_name_few_cases_other_sizes_and_a_print_that_contradicts_itself():
    def why(name, cases):
        [row] = quota.tabulate_outside(_made(name, {"NN": 0.1}), {name: _set(name, cases)})
        return row["what may be behind it"]

    assert why("vote", 435) == "the text counts 290 cases, the file has 435"
    assert why("kr-vs-kp", 3196) == "nothing found"
    assert "the smallest class has 13 cases, about 4 in a test part of 9" in why("labor", 26)
    assert "PEM of NN is 0.9621, and 2 AUC - 1 is 0.926" in why("optdigits", 5628)


def test_the_words_on_ties_count_the_data_sets_and_never_say_nan():
    values = _made("labor", {})
    one, other = (values[quota.Key("labor", positive, "C4.5")] for positive in quota.CLASSES)
    values[quota.Key("labor", "largest", "C4.5")] = other | {"auc": one["auc"]}

    assert "differ in 1 of our 1 two-class data sets. The text prints two values for C4.5 in 1 of 1. In 1 of these" in (
        quota.explain_ties(values)
    )
    assert quota.explain_ties(_made("wine", {})).startswith("This run has no data set of two classes")


def _write_sonar(folder, rng):
    rows = [(f"{x:.3f}", "yes" if x + rng.normal(0, 0.3) > 0.6 else "no") for x in rng.random(60)]
    folder.mkdir(exist_ok=True)
    with (folder / "sonar.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("x", "class"), *rows])


def test_a_split_is_computed_for_both_classes_and_all_learners(tmp_path):
    _write_sonar(tmp_path, np.random.default_rng(1))
    report = STUDIES["quota"].run(StudySettings(quick=True, data=tmp_path, jobs=1))

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
    report = STUDIES["quota"].run(StudySettings(seed=seed, quick=True, data=tmp_path, jobs=1))

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
        settings = StudySettings(quick=True, data=tmp_path, jobs=1, progress_file=tmp_path / "kept.jsonl")
        tables.append(STUDIES["quota"].run(settings).sections[0].table.rows)

    assert tables[0] != tables[1]


def test_a_report_names_the_command_that_made_it(tmp_path):
    _write_sonar(tmp_path / "my data", np.random.default_rng(1))
    report = STUDIES["quota"].run(StudySettings(seed=3, quick=True, data=tmp_path / "my data", jobs=1))

    assert f"`cutline study quota --data '{tmp_path / 'my data'}' --seed 3 --quick`" in report.made_with
    assert "`cutline study hard --seed 0`" in STUDIES["hard"].run(StudySettings()).made_with
