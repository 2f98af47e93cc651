"""`cutline check`: the language of gates, and how they end."""

import json
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from cutline.core.errors import ParameterError
from cutline.cuts.requirements import parse_requirement, parse_terms

from .test_cli_evaluate import VALIDATOR


@pytest.mark.parametrize(
    ("text", "name", "part", "parameters", "comparison", "bound"),
    [
        ("auc >= 0.8", "auc", "value", {}, ">=", 0.8),
        ("  auc.low>=.8 ", "auc", "low", {}, ">=", 0.8),
        ("brier.high <= 1e-1", "brier", "high", {}, "<=", 0.1),
        ("recall@quota=500 > 60%", "recall", "value", {"quota": 500}, ">", 0.6),
        ("f_beta.low@beta=2,threshold=0.3 < +1", "f_beta", "low", {"beta": 2, "threshold": 0.3}, "<", 1),
        ("ppv @ share = 5% > 0", "precision", "value", {"share": 0.05}, ">", 0),
        ("share <= 2%", "predicted_positive_rate", "value", {}, "<=", 0.02),
        ("hit_rate@share=0.1 >= 0", "hit_rate", "value", {"share": 0.1}, ">=", 0),
    ],
)
def test_requirements_are_read(text, name, part, parameters, comparison, bound):
    found = parse_requirement(text)

    assert (found.term.measure.name, found.term.part, found.term.parameters) == (name, part, parameters)
    assert (found.comparison, found.bound) == (comparison, bound)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("acu > 1", "Did you mean auc?"),
        ("auc.lo > 1", "expected low, high or value, but found 'lo > 1' at character 5. Did you mean low?"),
        ("auc", "expected one of >=, <=, >, <, but found the end"),
        ("auc == 1", "at character 5"),
        ("auc > high", "expected a number"),
        ("auc > 0.5 and brier < 1", "expected nothing more"),
        ("recall@quotas=5 > 0", "Did you mean quota?"),
        ("recall@quota 5 > 0", "expected ="),
        ("auc@threshold=0.5 > 0", "which has none"),
        ("", "expected the name of a measure, but found the end"),
    ],
)
def test_what_is_wrong_with_a_requirement_is_said(text, says):
    with pytest.raises(ParameterError) as caught:
        parse_requirement(text)

    assert says in str(caught.value)


def test_lists_of_measures_keep_parameters_together():
    found = parse_terms("auc, f_beta@beta=2,threshold=0.3 ,brier")

    assert [term.measure.name for term in found] == ["auc", "f_beta", "brier"]
    assert found[1].parameters == {"beta": 2, "threshold": 0.3}


@pytest.mark.parametrize(("bound", "code"), [("0.79", 0), ("0.81", 1)])
def test_the_exit_code_is_the_verdict(cutline, ten, bound, code):
    assert cutline("check", ten, "--require", f"auc >= {bound}").code == code


def test_limits_and_cuts_are_asked(cutline, ten):
    # recall at score >= 0.5 is 4 of 5, its modified Wilson limits 0.3755 (Wilson's) and 1 + log(0.95) / 5 = 0.98974;
    # at a quota of 4 it is 3 of 5
    holds = ["recall.low > 0.375", "recall.high < 0.98975", "recall@quota=4 <= 0.6", "recall@threshold=0.2 >= 1"]
    fails = ["recall.low > 0.376", "recall.high < 0.98973", "recall@quota=4 > 0.6"]
    arguments = [part for text in [*holds, *fails] for part in ("--require", text)]
    found = json.loads(cutline("check", ten, *arguments, "--json").out)

    VALIDATOR.validate(found)
    assert [row["requirement"] for row in found["results"] if row["passed"]] == holds
    assert found["passed"] is False


def test_undefined_fails_with_its_reason(cutline, ten):
    done = cutline("check", ten, "--threshold", "0.99", "--require", "precision >= 0")
    document = json.loads(cutline("check", ten, "--threshold", "0.99", "--require", "precision >= 0", "--json").out)

    assert done.code == 1
    assert document["results"][0]["value"] is None
    assert document["results"][0]["reason"].startswith("undefined: ")


def test_what_failed_is_shown_first(cutline, ten):
    done = cutline("check", ten, "--require", "auc > 0.5", "--require", "auc > 0.9")
    words = [line.split()[0] for line in done.out.splitlines() if line.startswith(("FAILED", "passed"))]

    assert words == ["FAILED", "passed"]
    assert "1 of 2 requirements failed." in done.out
    assert cutline("check", ten, "--require", "auc > 0.5", "--quiet").out == ""


@pytest.mark.parametrize(
    ("resamples", "says"),
    [
        ("0", "'eer.high <= 0.9' needs a bootstrap interval, which --resamples 0 leaves out"),
        ("1", "--resamples is 1, too few for an interval: pass at least 100"),
        ("2", "--resamples is 2, too few for an interval: pass at least 100"),
        ("99", "--resamples is 99, too few for an interval: pass at least 100"),
    ],
)
def test_a_gate_does_not_pass_on_an_interval_that_few_resamples_made(cutline, ten, resamples, says):
    done = cutline("check", ten, "--require", "eer.high <= 0.9", "--resamples", resamples)

    assert (done.code, done.out) == (2, "")
    assert says in done.err


def test_a_gate_with_a_closed_form_needs_no_resamples(cutline, ten):
    assert cutline("check", ten, "--require", "recall.low > 0.375", "--resamples", "0").code == 0
    assert cutline("check", ten, "--require", "eer <= 0.9", "--resamples", "0").code == 0


def test_a_level_that_the_resamples_cannot_tell_is_refused(cutline, ten):
    done = cutline("check", ten, "--require", "eer.high <= 0.9", "--resamples", "100", "--level", "0.999")

    assert done.code == 2
    assert "needs at least" in done.err


@pytest.mark.parametrize("resamples", ["0", "1"])
def test_a_comparison_without_resamples_has_no_p_value_of_them(cutline, tumours, resamples):
    models = ("--label", "label", "--positive", "malignant", "--score", "logistic", "--score", "tree")
    done = cutline("compare", tumours, *models, "--measures", "auc,eer", "--resamples", resamples, "--json")

    if resamples == "1":
        assert (done.code, done.out) == (2, "")
        return
    auc, eer = json.loads(done.out)["differences"]
    assert (auc["method"], round(auc["p_value"], 3)) == ("delong", 0.087)
    assert (eer["p_value"], eer["low"], eer["high"]) == (None, None, None)


def files(tmp_path, old, new):
    """Two models on ten cases, by id; the new one in another order."""
    labels = [1, 1, 1, 1, 1, 0, 0, 0, 0, 0] * 20
    for name, scores, order in (("old", old, 1), ("new", new, -1)):
        rows = [f"{i},{label},{scores[i % 10]}" for i, label in enumerate(labels)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,y,p", *rows[::order]]) + "\n", encoding="utf-8")
    return tmp_path / "new.csv", "--id", "id", "--against", tmp_path / "old.csv", "--label", "y", "--score", "p"


GOOD, BAD = [9, 8, 7, 6, 4, 5, 3, 2, 1, 0], [9, 8, 2, 1, 0, 7, 6, 5, 4, 3]  # AUC 24/25 and 10/25


def test_no_worse_is_about_the_interval_of_the_difference(cutline, tmp_path):
    worse = cutline("check", *files(tmp_path, GOOD, BAD), "--no-worse", "auc")
    assert (worse.code, "it is worse" in worse.out) == (1, True)
    assert cutline("check", *files(tmp_path, BAD, GOOD), "--no-worse", "auc").code == 0
    assert cutline("check", *files(tmp_path, GOOD, GOOD), "--no-worse", "auc").code == 0
    turned = [-score for score in BAD]
    assert cutline("check", *files(tmp_path, GOOD, turned), "--no-worse", "eer", "--resamples", "100").code == 1


def test_a_result_is_called_as_it_was_asked_for(cutline, tmp_path):
    arguments = (*files(tmp_path, GOOD, GOOD), "--resamples", "100", "--no-worse", "recall@quota=4, f_beta@beta=2")
    found = json.loads(cutline("check", *arguments, "--json").out)["results"]

    assert [result["requirement"] for result in found] == ["recall@quota=4 no worse", "f_beta@beta=2 no worse"]


@pytest.mark.parametrize("by_id", [True, False])
def test_groups_count_in_a_paired_gate(cutline, tmp_path, by_id):
    """Ten copies of each of twenty cases: as cases of their own they prove a loss, as twenty groups they do not."""
    rng = np.random.default_rng(1)
    labels, good = [1, 0] * 10, rng.normal(size=20)
    old, new = good + np.array(labels), good + 0.6 * np.array(labels)
    for name, scores in (("old", old), ("new", new)):
        rows = [f"{i},{labels[i % 20]},{scores[i % 20]},{i % 20}" for i in range(200)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,y,p,g", *rows]) + "\n", encoding="utf-8")
    arguments = [tmp_path / "new.csv", "--against", tmp_path / "old.csv", "--label", "y", "--score", "p"]
    arguments += [*(["--id", "id"] if by_id else []), "--no-worse", "auc", "--resamples", "200", "--json"]
    alone, grouped = (json.loads(cutline("check", *arguments, *more).out) for more in ([], ["--group", "g"]))
    width = {
        name: found["results"][0]["high"] - found["results"][0]["low"]
        for name, found in (("alone", alone), ("grouped", grouped))
    }

    assert width["grouped"] > 2 * width["alone"]
    assert (alone["passed"], grouped["passed"]) == (False, True)


def test_a_failure_says_which_number_it_is_about(cutline, ten):
    results = json.loads(cutline("check", ten, "--require", "recall.low > 0.9", "--json").out)["results"]

    assert results[0]["reason"] == "low is 0.3755"  # Wilson's limit of 4 of 5


def test_a_margin_asks_for_proof(cutline, tmp_path):
    nearly = [9, 8, 7, 4.5, 4, 5, 3, 2, 1, 0]  # one more pair the wrong way round: 23/25
    arguments = files(tmp_path, GOOD, nearly)

    assert cutline("check", *arguments, "--no-worse", "auc", "--margin", "0.2").code == 0
    unproven = cutline("check", *arguments, "--no-worse", "auc", "--margin", "0.04")  # the loss at hand, no proof of it
    assert (unproven.code, "not excluded" in " ".join(unproven.out.split())) == (1, True)


def test_without_ids_the_rows_must_agree(cutline, tmp_path):
    new, _, _, *rest = files(tmp_path, GOOD, BAD)
    done = cutline("check", new, *rest, "--no-worse", "auc")
    assert (done.code, "differ, first in row 1" in done.err) == (2, True)
    same = cutline("check", new, "--against", new, "--label", "y", "--score", "p", "--no-worse", "auc")
    assert same.code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--no-worse", "auc"),
        ("--against", "ten.csv"),
        ("--require", "auc > 0", "--margin", "1"),
        ("--against", "ten.csv", "--no-worse", "auc", "--margin", "-1"),
        ("--against", "ten.csv", "--no-worse", "detection_prevalence"),
    ],
)
def test_half_a_gate_is_refused(cutline, ten, arguments):
    done = cutline("check", ten, *arguments)

    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)


def test_junit_is_valid_whatever_the_names_hold(cutline, tmp_path):
    path = tmp_path / "a<b>&\x1b.csv"
    path.write_text("y,p\n1,0.9\n0,0.2\n", encoding="utf-8")
    report = tmp_path / "gate.xml"
    done = cutline("check", path, "--require", "auc >= 0.5", "--require", "auc.low > 0.9", "--junit", report)
    suites = ET.parse(report).getroot()  # noqa: S314 - we wrote it

    assert done.code == 1
    assert suites.attrib["failures"] == "1"
    assert [case.attrib["name"] for case in suites.iter("testcase")] == ["auc >= 0.5", "auc.low > 0.9"]
    assert len(list(suites.iter("failure"))) == 1
    assert "\x1b" not in report.read_text(encoding="utf-8")
    assert cutline("check", path, "--require", "auc >= 0.5", "--junit", report).code == 2
    assert cutline("check", path, "--require", "auc >= 0.5", "--junit", report, "--force").code == 0


@pytest.mark.parametrize("asked", [["cut", "--maximize", "f1"], ["utility"], ["evaluate"]])
@pytest.mark.parametrize("resamples", [1, 2, 10, 99])
def test_no_command_makes_an_interval_of_few_resamples(cutline, ten, asked, resamples):
    done = cutline(asked[0], ten, *asked[1:], "--resamples", resamples)

    assert (done.code, done.out) == (2, "")
    assert f"--resamples is {resamples}, too few for an interval: pass at least 100, or 0" in done.err


def test_the_quota_of_the_command_is_the_quota_of_a_requirement(cutline, ten):
    columns = ("--label", "y", "--score", "p")

    assert cutline("check", ten, *columns, "--quota", "4", "--require", "hit_rate >= 0.5").code == 0
    assert "hit_rate needs a quota" in cutline("check", ten, *columns, "--require", "hit_rate >= 0.5").err


def test_the_limit_may_stand_after_the_parameters():
    limit = parse_requirement("hit_rate@quota=500.low >= 0.3")

    assert (limit.term.part, limit.term.parameters) == ("low", {"quota": 500})
    assert parse_requirement("precision@share=0.05.low >= 0.3").term.parameters == {"share": 0.05}
    with pytest.raises(ParameterError, match=r"expected low, high or value.*Did you mean low\?"):
        parse_requirement("hit_rate@quota=500.lo >= 0.3")


def shifted(folder):
    """The scores of two months, the second of them shifted, as rankings and as predictions."""
    import cutline as cl

    rng = np.random.default_rng(3)
    for name, shift in (("may", 0), ("june", 60)):
        labels = (rng.random(2000) < 0.2).astype(int)
        scores = np.round(540 + 60 * rng.normal(size=2000) + 60 * labels + shift)
        cl.rank(labels, scores).save(folder / f"{name}.ranking")
        lines = [f"{a},{b:g}" for a, b in zip(labels, scores, strict=True)]
        (folder / f"{name}.csv").write_text("\n".join(["y,s", *lines]), encoding="utf-8")


def test_two_weeks_are_gated_as_independent_samples(cutline, tmp_path):
    shifted(tmp_path)
    gate = ("--no-worse", "auc,accuracy", "--independent")
    columns = ("--label", "y", "--score", "s")

    done = cutline("check", "june.ranking", "--against", "may.ranking", *gate, "--json")
    results = {one["requirement"]: one["passed"] for one in json.loads(done.out)["results"]}
    assert (done.code, results) == (1, {"auc no worse": True, "accuracy no worse": False})
    for files in (("june.csv", "may.csv"), ("june.csv", "may.ranking"), ("june.ranking", "may.csv")):
        assert (
            cutline("check", files[0], "--against", files[1], *gate, *columns, "--json").out.replace(
                files[0], "june.ranking"
            )
            == done.out
        )
    assert "belong to --against" in cutline("check", "june.csv", *columns, "--require", "auc>0", "--independent").err


def test_two_months_are_compared_at_one_cut(cutline, tmp_path):
    shifted(tmp_path)
    done = cutline("compare", "may.ranking", "june.ranking", "--independent", "--json")
    document = json.loads(done.out)
    accuracy = next(row for row in document["measures"] if row["measure"] == "accuracy")

    assert accuracy["p_value"] < 0.001  # each at its own default cut hid the shift
    assert document["verdict"][0].startswith("For ranking, may and june do not differ significantly")


def test_two_months_of_reversed_scores_are_questioned_first(cutline, tmp_path):
    """The worse of two reversed months would win without a word."""
    rng = np.random.default_rng(2)
    for name, shift in (("may", -2), ("june", -1)):
        y = rng.integers(0, 2, 300)
        rows = "".join(f"{a},{b:.3f}\n" for a, b in zip(y, shift * y + rng.normal(size=300), strict=True))
        (tmp_path / f"{name}.csv").write_text("y,p\n" + rows)
    columns = ("--label", "y", "--score", "p", "--measures", "auc", "--independent")
    done = cutline("compare", "may.csv", "june.csv", *columns)
    assert done.out.startswith("! may: The AUC is below 0.5. If low scores mean positive, pass \n--lower-is-positive.")
    document = json.loads(cutline("compare", "may.csv", "june.csv", *columns, "--json").out)
    assert [line.split(":")[0] for line in document["warnings"]] == ["may", "june"]
    assert document["verdict"][0].startswith("For ranking, ")
    gate = cutline("check", "may.csv", *columns[:4], "--require", "auc >= 0.7")
    assert (gate.code, "If low scores mean positive, pass --lower-is-positive." in gate.err) == (1, True)
    paired = cutline("compare", "may.csv", "june.csv", *columns[:-1]).err
    assert "or --independent if they hold different cases, such as two months." in paired
    turned = cutline("compare", "may.csv", "june.csv", *columns, "--lower-is-positive").out
    assert turned.startswith("For ranking, may is better than june")
