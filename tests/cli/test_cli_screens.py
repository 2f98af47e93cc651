"""Screens as people read them: the answer first, nothing broken in two, and no warning where nothing is wrong."""

import re

import numpy as np
import pytest


@pytest.fixture
def rng():
    return np.random.default_rng(7)


@pytest.fixture
def biomarker(tmp_path, rng):
    """A concentration that is higher in the diseased, beyond 0 to 1."""
    sick = rng.random(200) < 0.3
    level = np.exp(0.8 * sick + 0.5 * rng.normal(size=200)).round(3)
    path = tmp_path / "biomarker.csv"
    path.write_text(
        "disease,level\n" + "".join(f"{'yes' if s else 'no'},{x}\n" for s, x in zip(sick, level, strict=True))
    )
    return path


@pytest.fixture
def months(tmp_path, rng):
    """Credit points of two months, of which the second has more bads."""
    paths = []
    for name, middle in (("january", 480), ("february", 510)):
        points = rng.normal(620, 80, 900).round()
        bad = rng.random(900) < 1 / (1 + np.exp((points - middle) / 45))
        path = tmp_path / f"{name}.csv"
        path.write_text("bad,points\n" + "".join(f"{int(b)},{p:g}\n" for b, p in zip(bad, points, strict=True)))
        paths.append(path)
    return paths


MARKER = ("--label", "disease", "--score", "level", "--positive", "yes")


def test_a_biomarker_is_no_reason_for_a_warning_and_its_cut_is_explained(cutline, biomarker):
    out = cutline("evaluate", biomarker, *MARKER).out

    assert "!" not in out
    assert "(set to flag about as many cases as are positive) it flags" in " ".join(out.split())


def test_measures_that_do_not_apply_are_one_sentence(cutline, biomarker):
    lines = cutline("evaluate", biomarker, *MARKER).out.splitlines()
    place = lines.index("Can I trust the probabilities?")

    assert lines[place + 1].startswith(
        "Brier score and Log loss are undefined, because the scores are not probabilities"
    )
    assert not any(line.startswith("Brier score ↓") for line in lines)
    assert not any(line.startswith("Undefined because") for line in lines)


def test_notes_of_the_command_line_name_its_options(cutline, biomarker):
    out = cutline("evaluate", biomarker, *MARKER, "--verbose").out
    assert "Pass --threshold, --quota or --share for another." in " ".join(out.split())


@pytest.mark.parametrize("width", [80, 60])
def test_months_are_compared_with_the_verdict_first_and_whole_intervals(cutline, months, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    columns = ("--label", "bad", "--score", "points", "--lower-is-positive")
    lines = cutline("compare", *months, "--independent", *columns).out.splitlines()

    assert lines[0].startswith(("Overall, choose ", "For ranking, "))
    assert max(map(len, lines)) <= width
    assert not any(line.rstrip().endswith(",") and "[" in line for line in lines)  # an interval on two lines
    assert sum(line.count("[") for line in lines) == sum(line.count("]") for line in lines) == 13


def test_no_line_ends_between_a_number_and_its_sign(cutline, tumours, monkeypatch):
    for width in range(50, 100):
        monkeypatch.setenv("COLUMNS", str(width))
        out = cutline("evaluate", tumours, "--label", "label", "--positive", "malignant", "--score", "tree").out
        verdict = out.split("\n\n")[0].splitlines()
        assert not any(line.startswith(("%", "=")) or line.endswith((" p", " =")) for line in verdict), width
        assert max(map(len, verdict)) <= width


def test_a_comparison_names_its_cut_and_what_is_subtracted(cutline, tumours):
    models = ("--score", "logistic", "--score", "tree", "--measures", "auc,mcc")
    out = cutline("compare", tumours, "--label", "label", "--positive", "malignant", *models).out

    assert "\nCut: score >= 0.5.\n" in out
    assert "\ndifference: logistic minus tree, * significant\n" in out


def test_readers_have_their_cuts_named_and_no_rows_of_nothing(cutline, tmp_path, rng):
    truth = rng.random(90) < 0.4
    readers = [np.clip(np.round(2 + 1.5 * truth + rng.normal(size=90) + shift), 1, 5) for shift in (0, 1, 0)]
    path = tmp_path / "readers.csv"
    rows = "".join(f"{int(t)},{a:g},{b:g},{c:g}\n" for t, a, b, c in zip(truth, *readers, strict=True))
    path.write_text("truth,A,B,C\n" + rows)
    out = cutline("compare", path, "--label", "truth", "--score", "A", "--score", "B", "--score", "C").out

    assert "!" not in out
    assert "\nCuts: A score >= " in out
    assert "undefined" not in out
    assert "Undefined because the scores are not probabilities" in out
    assert "…" not in out  # no title is cut off


def test_large_counts_have_commas_in_sentence_heading_and_table(cutline, tmp_path):
    path = tmp_path / "many.csv"
    path.write_text("y,p\n" + "".join(f"{int(i % 50 == 0)},{(i * 7919 % 1000) / 1000}\n" for i in range(20_000)))
    out = cutline("evaluate", path, "--measures", "auc", "--quota", "500").out

    assert "of 20,000 cases" in out
    assert "p  20,000 cases, 400 positive" in out
    assert "20000" not in out


def test_a_label_that_affirms_is_the_example(cutline, tmp_path):
    path = tmp_path / "credit.csv"
    path.write_text("status,p,q\nbad,0.9,0.8\ngood,0.2,0.1\n")
    done = cutline("evaluate", path, "--label", "status", "--score", "p")
    assert done.code == 2
    assert "labels (column 'status') holds 'bad' and 'good', and nothing says which is positive" in done.err
    assert "--positive bad." in done.err
    assert "labels (column 'status')" in cutline("compare", path, "--score", "p", "--score", "q").err


@pytest.mark.parametrize("pair", [("nein", "ja"), ("No", "YES"), ("negative", "Positive"), ("n", "y"), ("-", "+")])
def test_labels_of_which_one_affirms_what_the_other_denies_are_guessed_and_said(cutline, tmp_path, pair):
    denied, affirmed = pair
    path = tmp_path / "kunden.csv"
    path.write_text(f"y,p\n{affirmed},0.9\n{denied},0.2\n{affirmed},0.7\n")
    done = cutline("evaluate", path)
    assert (done.code, done.err) == (0, f"Guessed: --label y --score p --positive {affirmed}\n")
    assert f"positive is {affirmed!r}, negative is {denied!r}" in " ".join(done.out.split())
    assert "Guessed" in cutline("cut", path, "--require", "recall >= 0.5").err


def test_slices_that_one_cut_treats_differently_are_named_first(cutline, tmp_path, rng):
    """A marker whose level differs between the sexes: equal AUC, but the cut finds all women and hardly a man."""
    sex, sick = rng.choice(["f", "m"], 300), rng.random(300) < 0.4
    level = (np.where(sex == "f", 5, 1) + 2 * sick + 0.5 * rng.normal(size=300)).round(3)
    path = tmp_path / "sexes.csv"
    rows = "".join(f"{s},{int(y)},{x}\n" for s, y, x in zip(sex, sick, level, strict=True))
    path.write_text("sex,sick,level\n" + rows)
    out = cutline("evaluate", path, "--label", "sick", "--score", "level", "--by", "sex", "--measures", "recall").out
    first, second = out.split("\n\n")[0].split("At the cut, ")

    assert first.startswith("No slice differs from the rest in AUC")
    assert " ".join(second.split()).startswith("recall runs from 0.0000 (m) to 1.0000 (f), and specificity runs from ")
    assert "Pass --threshold, --quota or --share" in " ".join(out.split())


@pytest.mark.parametrize("models", [2, 3])
def test_limits_that_three_digits_do_not_tell_apart_have_four(cutline, tmp_path, models):
    rows = [
        f"{int(i % 500 == 0)},{0.004 * (i % 7) / 7},{0.004 * (i % 11) / 11},{0.004 * (i % 13) / 13}"
        for i in range(90_000)
    ]
    (tmp_path / "rare.csv").write_text("\n".join(["y,a,b,c", *rows]) + "\n", encoding="utf-8")
    scores = [part for name in "abc"[:models] for part in ("--score", name)]
    how = ("--measures", "auc,brier", "--resamples", 100, "--quiet")
    lines = cutline("compare", tmp_path / "rare.csv", "--label", "y", *scores, *how).out.splitlines()
    brier = lines[next(i for i, line in enumerate(lines) if line.startswith("Brier score")) + 1]

    assert max(map(len, lines)) <= 80
    assert len(re.findall(r"\.00\d\d-\.00\d\d", brier)) == models
