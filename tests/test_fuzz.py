"""A short run of the fuzzer, and every input that ever failed."""

import sys
from pathlib import Path

import pytest

pytest.importorskip("resource", reason="the fuzzer waits for pipes and sets limits as POSIX systems do")
sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
import fuzz
from fuzzing import verdicts

pytestmark = pytest.mark.slow

# Inputs that ended in a traceback, a crash, a hang or a wrong number once.
FILES = [
    "sound-0",
    "sound-2",
    "sound-3",
    "sound-20",
    "sound-95",
    "twins-0",
    "twins-3",
    "resamples-8",
    "resamples-11",
    "compare-749",
    "sound-8369",
    "evaluate-20200617",
    "apply-20800223",
    "evaluate-21100844",
    "evaluate-21300279",
    "chart-30000976",
    "evaluate-30500584",
    "evaluate-6259",
    "apply-1005526",
    "compare-1010133",
    "compare-1005181",
    "check-1005200",
    "evaluate-2000835",
    "apply-3000815",
    "evaluate-40012744",
    "compare-40017494",
    "evaluate-77002376",
    "recalibrate-77002590",
    "compare-93006037",
    "chart-93010152",
    "check-93012530",
    "compare-93015338",
    *(f"late-{number}" for number in range(6)),
    *(f"rankings-{number}" for number in range(12)),
    *(f"documents-{number}" for number in range(12)),
    *("decimals-0", "decimals-1"),
]
CALLS = [
    "cl.one_vs_rest-93054567",
    "Counts.independent-141", "cl.mcnemar-23", "Evaluation:1.to_dict-176", "Discordance.p_value-314", "cl.plan-353",
    "Recalibration.from_dict-470", "Plan.widths-606", "Measure.baseline_value-621", "cl.boosting_loss-659",
    "Discordance.interval-967", "Evaluation:1.at_prevalence-1144", "cl.load-22", "cl.plan-26", "Cut.from_dict-142",
    "measure:weighted_relative_accuracy-55", "Evaluation:2.save-191", "Summary.only-240", "Recalibration.save-267",
    "cl.entropy-344", "cl.kl_divergence-348", "Cut.save-590", "Registry.search-617", "Measure.reason-623",
    "cl.band-658",
    "Evaluation.places-807", "cl.compare_counts-994", "Picture.to_dict-1266", "cl.expected_reward-1327",
    "cl.worth_recalibrating-1342", "examples.load-2556", "Charts.hint-2530", "Ranking.save-2790",
    "cl.profit_curve-2267",
    "Dominance.share-2493", "cl.decision_difference-2576", "cl.auc_pairs-3203", "cl.roc_band-3231",
    "cl.cost_curve-4174",
    "cl.calibration_band-100808", "Ranking.coarsen-101349", "Comparison.summary-101983", "measure:unc-102187",
    "Evaluation.estimate-105109", "Evaluation:1.summary-105134", "Plan.widths-106519", "measure:e90-106670",
    "Picture.render-107163", "losses.triplet_loss-20218", "Discordance.interval-3003208",
    "OneVsRest.save-10000063", "Measure.baseline_value-10000383", "Summary.only-10002372", "cl.check_proper-10004170",
    "cl.band-20401364", "cl.evaluate-30100125", "cl.evaluate-20503381", "measure:expected_cost-20503843",
    "cl.Counts~tp~117", "cl.auc_pairs~margins~80", "cl.auc_pairs~margins~81", "cl.auc_pairs~weights~82",
    "cl.evaluate~positive~94", "cl.evaluate~positive~113", "cl.band~curve~65", "cl.band~curve~181",
    "cl.check_proper~reward~36", "cl.choose_cut~maximize~64", "cl.choose_cut~after_looking~93",
    "cl.choose_cut~quota~144", "cl.decision_curve~risks~144", "cl.decision_difference~seed~122",
    "cl.information_scores~base~6", "cl.ranked_probability_score~labels~150", "cl.triplet_loss~anchor~114",
    "Evaluation.estimate~measure~182", "Evaluation.save~path~164", "Evaluation:1.summary~level~14",
    "Summary.with_notes-20039", "ComparisonSummary.with_notes-20047", "cl.Situation~several_models~98",
    "measure:f_beta-20196", "cl.Counts-5552", "cl.value_as-6979", "Evaluation.gains-17511", "cl.why-61112",
    "Ranking.coarsen~bins~144", "Summary.only~measures~93", "losses.focal~gamma~13", "Evaluation.places~ids~144",
    "cl.Counts~threshold~48", "cl.Counts~threshold~75", "cl.Counts~is_risk~131", "cl.choose_cut~prevalence~106",
    "cl.decision_curve~prevalence~104", "cl.scorer~positive~94", "cl.why~scores~81", "cl.why~groups~33",
    "measure:h_measure-30047920", "cl.Counts~class_titles~131", "Comparison.ratio~measure~66", "Ranking.save~path~169",
    "cl.cross_validate~X~40", "cl.cross_validate~X~93", "cl.cross_validate~measures~93", "cl.scorer~positive~180",
    "FoldEvaluation.save~path~62",
]  # fmt: skip


@pytest.mark.parametrize(("kind", "asked"), [("files", FILES), ("calls", CALLS)])
def test_what_failed_once_ends_in_a_result_or_a_sentence(kind, asked):
    outcomes, failures = fuzz.fuzz(kind, asked)

    assert failures == []
    assert sum(outcomes.values()) == len(asked)


@pytest.mark.parametrize(("kind", "count"), [("files", 120), ("calls", 350)])
def test_hostile_inputs_end_in_a_result_or_a_sentence(kind, count):
    outcomes, failures = fuzz.fuzz(kind, fuzz.identities(kind, count, first=20_000))

    assert failures == []
    assert outcomes["refused"]
    assert outcomes["read"] + outcomes["checked"]


def test_one_wrong_argument_ends_in_a_result_or_a_sentence():
    asked = fuzz.calls.singles()

    outcomes, failures = fuzz.fuzz("calls", asked[:: len(asked) // 300])
    assert failures == []
    assert outcomes["refused"]
    assert outcomes["read"]


@pytest.mark.parametrize("asked", ["streams-0", "streams-4", "pool-1", "environment-1", "imports-1"])
def test_a_fault_ends_in_a_result_or_a_sentence(asked):
    _, failures = fuzz.fuzz("faults", [asked])

    assert failures == []


def test_every_command_and_every_public_function_is_tried():
    import cutline as cl

    commands = {name.rpartition("-")[0] for name in fuzz.identities("files", 500)}
    functions = {name.rpartition("-")[0] for name in fuzz.identities("calls", 2000)}

    assert commands == {*fuzz.known_commands(), *fuzz.KINDS_OF_FILES}
    assert {"evaluate", "compare", "check", "cut", "apply", "recalibrate", "chart", "plan", "study"} <= commands
    assert {f"cl.{name}" for name in ("evaluate", "compare", "choose_cut", "recalibrate", "plan")} <= functions
    assert {f"measure:{measure.name}" for measure in cl.MEASURES} <= functions
    assert {"Evaluation.save", "Comparison.test", "Cut.apply", "Recalibration.apply", "Ranking.coarsen"} <= functions


def test_what_trusts_its_caller_exists():
    import cutline as cl

    results = fuzz.calls.objects() | {"cl": cl}
    kinds = {name: name.partition(".")[::2] for name in fuzz.calls.TRUSTED}
    assert [name for name, (kind, rest) in kinds.items() if not hasattr(results.get(kind), rest)] == []


def test_a_run_that_was_stopped_goes_on_where_it_was_on_the_same_code_alone(tmp_path, monkeypatch):
    path, tried = tmp_path / "build" / "ends.jsonl", []
    monkeypatch.setattr(fuzz.Worker, "__call__", lambda _, identity: tried.append(identity) or ("hang", "why"))

    for code, asked in [("a", "xy"), ("a", "xyz"), ("b", "xy"), ("unknown", "x"), ("unknown", "x")]:
        outcomes, failures = fuzz.fuzz("calls", asked, fuzz.Journal(path, code), workers=2)
        assert outcomes == {"hang": len(asked)}
        assert sorted(failures) == [(one, "hang", "why") for one in asked]
        with path.open("a", encoding="utf-8") as file:
            file.write('["half a li')  # which a run that is killed leaves

    assert [*map(sorted, (tried[:2], tried[2:3], tried[3:5], tried[5:]))] == [["x", "y"], ["z"], ["x", "y"], ["x", "x"]]


def test_a_misread_workbook_or_spelling_is_seen(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    right = fuzz.spelled.made
    assert fuzz.run_file("spelled-3", tmp_path)[0] == "checked"
    assert fuzz.run_file("mixed-3", tmp_path)[0] == "refused"

    def altered(identity):
        name, content, cases, must_read, must_refuse = right(identity)
        other = [(not is_positive, score, weight) for is_positive, score, weight in cases]
        return name, content, other, must_read, not must_refuse

    monkeypatch.setattr(fuzz.spelled, "made", altered)
    assert fuzz.run_file("spelled-3", tmp_path)[0] == "misread"
    assert fuzz.run_file("sheets-3", tmp_path)[0] in ("misread", "refused")


def run(folder, arguments, code=0, out="", said=""):
    """How the fuzzer judges a run of the command that printed this."""
    files = {"f.csv": b"y,p,q\n1,0.9,0.1\n0,0.1,0.9\n", "cut.json": b"", "old.csv": b""}
    for name, content in files.items():
        (folder / name).write_bytes(content)
    return verdicts.judged(fuzz.commands.Case(files, arguments), code, out, said, folder)[0]


def document(auc, positives=1):
    return (
        f'{{"name": "p", "positives": {positives}, "negatives": 1, "measures": [{{"measure": "auc", "value": {auc}}}]}}'
    )


def test_the_fuzzer_sees_what_is_wrong(tmp_path):
    asked = ["evaluate", "f.csv", "--label", "y", "--score", "p", "--json"]

    assert run(tmp_path, asked, out=document(1.0)) == "checked"
    assert run(tmp_path, asked, out=document(0.5)) == "misread"
    assert run(tmp_path, asked, out=document(1.0, positives=2)) == "misread"
    assert run(tmp_path, [*asked, "--lower-is-positive"], out=document(0.0)) == "checked"
    assert run(tmp_path, asked, code=2, said="cutline: No.\n") == "refused"
    assert run(tmp_path, asked, code=2, said="cutline: No.\nMore.\n") == "traceback"
    assert run(tmp_path, asked, code=3, said="cutline: No.\n") == "traceback"
    assert run(tmp_path, asked, code=1, out="{}") == "traceback"  # which only a gate may end with
    assert run(tmp_path, asked, out=document(1.0), said="RuntimeWarning: overflow\n") == "traceback"
    assert run(tmp_path, asked, code=2, said="cutline: \x9b.\n") == "traceback"


def test_a_file_that_is_left_behind_is_seen(tmp_path):
    (tmp_path / ".cutline-0123").touch()

    assert run(tmp_path, ["evaluate", "f.csv"], code=2, said="cutline: No.\n") == "traceback"


def test_flags_are_compared_with_the_scores(tmp_path):
    arguments = ["apply", "cut.json", "f.csv", "--score", "p", "--output", "made.csv"]
    cut = b'{"schema": "cutline/cut/1", "threshold": 0.5, "higher_is_positive": true}'
    case = fuzz.commands.Case({"f.csv": b"y,p\n1,0.9\n0,0.1\n", "cut.json": cut, "old.csv": b""}, arguments)
    for name, content in case.files.items():
        (tmp_path / name).write_bytes(content)

    (tmp_path / "made.csv").write_text("y,p,flagged\n1,0.9,true\n0,0.1,false\n", encoding="utf-8")
    assert verdicts.compared(case, "", tmp_path) == "checked"
    (tmp_path / "made.csv").write_text("y,p,flagged\n1,0.9,true\n0,0.1,true\n", encoding="utf-8")
    assert verdicts.compared(case, "", tmp_path) == "misread"


def test_a_name_is_one_input():
    known = fuzz.known_commands()

    assert fuzz.commands.case("evaluate-7", known) == fuzz.commands.case("evaluate-7", known)
    assert fuzz.commands.case("evaluate-7", known) != fuzz.commands.case("evaluate-8", known)
