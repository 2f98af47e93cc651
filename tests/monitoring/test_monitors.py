"""The monitor: alarms, guarantees, state, merging, and what it refuses."""

import hashlib
import json
import math
import signal
import subprocess
import sys
from datetime import date, timedelta

import numpy as np
import pytest
from scipy.stats import beta

import cutline as cl
from cutline.inference import sequential
from cutline.monitoring.tracks import OF_DAYS, OF_RELEASE


def sample(seed, n=400, shift=0.0):
    """Calibrated probabilities, but for a shift of the log odds of the outcome."""
    rng = np.random.default_rng(seed)
    p = rng.beta(1, 3, n)
    return cl.rank((rng.random(n) < 1 / (1 + (1 - p) / p * math.exp(-shift))).astype(int), p, positive=1)


def name(i):
    return (date(2026, 10, 1) + timedelta(days=i)).isoformat()


def series(count, shift_from=None, shift=-1.0):
    return [
        (name(i), sample(100 + i, shift=shift if shift_from is not None and i >= shift_from else 0.0))
        for i in range(count)
    ]


RELEASE = sample(1, 3000)
DAYS = series(12)
LATE = series(30, shift_from=10)


def rows(monitor, measure):
    return [row for row in monitor.table if row["measure"] == measure]


def test_shares_are_counts_of_the_days_so_far():
    monitor = cl.monitor(RELEASE, DAYS, measures=["recall", "fpr"], cut=0.3)
    counts = [day.at_threshold(0.3) for _, day in DAYS]
    tp, fn = (sum(getattr(c, cell) for c in counts) for cell in ("tp", "fn"))
    last = rows(monitor, "recall")[-1]
    low, high = sequential.bound_proportion(tp, tp + fn, OF_DAYS * 0.025)

    assert last["value"] == counts[-1].recall
    assert last["cumulated"] == tp / (tp + fn)
    assert (last["low"], last["high"]) == (low, high)
    assert [row["day"] for row in rows(monitor, "fpr")] == [day for day, _ in DAYS]


def test_the_limit_is_the_exact_one_of_the_release_minus_the_tolerated_loss():
    monitor = cl.monitor(RELEASE, DAYS, measures=["recall", "fpr"], cut=0.3, worse_by={"recall": 0.05})
    counts = RELEASE.at_threshold(0.3)
    recall = beta.ppf(OF_RELEASE * 0.025, counts.tp, counts.fn + 1) - 0.05
    fpr = 1 - beta.ppf(OF_RELEASE * 0.025, counts.tn, counts.fp + 1)

    assert rows(monitor, "recall")[0]["limit"] == pytest.approx(recall)
    assert rows(monitor, "fpr")[0]["limit"] == pytest.approx(fpr)
    assert rows(monitor, "recall")[0]["alarm_at"] == pytest.approx(1 / (OF_DAYS * 0.025))


def test_evidence_of_calibration_adds_up_over_all_cases():
    monitor = cl.monitor(RELEASE, DAYS, measures="calibration")
    together = sum(day for _, day in DAYS)
    terms = sequential.compute_calibration_terms(together.score, together.pos, together.neg)
    last = rows(monitor, "calibration")[-1]

    assert math.log(last["evidence"]) == pytest.approx(
        float(sequential.log_evidence_of_miscalibration(terms)), abs=1e-9
    )
    assert last["cumulated"] == pytest.approx(
        float((together.pos - together.size * together.score).sum() / together.total)
    )


def test_the_auc_of_the_days_so_far_equals_the_auc_of_the_merged_ranking():
    monitor = cl.monitor(RELEASE, DAYS, measures=["auc", "average_precision", "brier", "f1"], cut=0.3)
    together = cl.Evaluation(sum(day for _, day in DAYS), 0.3)

    for measure, tolerance in (("auc", 2e-3), ("average_precision", 5e-3), ("brier", 1e-12), ("f1", 1e-12)):
        last = rows(monitor, measure)[-1]
        assert last["cumulated"] == pytest.approx(together.value(measure), abs=tolerance)
        assert last["low"] < last["cumulated"] < last["high"]


def test_a_sequence_waits_for_twenty_cases_of_each_class():
    few = [(name(i), sample(i, 20)) for i in range(25)]
    sequence = rows(cl.monitor(RELEASE, few, measures="auc"), "auc")
    positives = np.cumsum([row["positives"] for row in sequence])

    assert all(row["low"] is None for row, many in zip(sequence, positives, strict=True) if many < 20)
    assert sequence[-1]["low"] is not None
    assert sequence[0]["status"] == "too few cases for a sequence yet"


@pytest.mark.parametrize("alarm", ["ever", "every"])
def test_a_model_that_becomes_worse_raises_an_alarm_after_the_change(alarm):
    monitor = cl.monitor(RELEASE, LATE, measures=["precision", "calibration"], cut=0.3, alarm=alarm)

    assert {entry.measure for entry in monitor.alarms} == {"precision", "calibration"}
    assert all(entry.day >= name(10) for entry in monitor.alarms)
    assert not monitor.passed
    assert "precision was shown to be worse" in monitor.verdict
    assert cl.monitor(RELEASE, LATE[:10], measures=["precision", "calibration"], cut=0.3, alarm=alarm).passed


def test_the_detector_sees_a_late_change_of_the_auc_sooner():
    rng = np.random.default_rng(8)

    def day(gain):
        labels = np.repeat([1, 0], 60)
        return cl.rank(labels, rng.normal(gain * labels, 1), positive=1)

    release = cl.rank(np.repeat([1, 0], 2000), np.r_[rng.normal(1.5, 1, 2000), rng.normal(0, 1, 2000)], positive=1)
    days = [(f"{i:03d}", day(1.5 if i < 60 else 0.6)) for i in range(90)]
    first = {alarm: cl.monitor(release, days, measures="auc", alarm=alarm).alarms[0].day for alarm in ("ever", "every")}

    assert "060" <= first["every"] < first["ever"]


def test_psi_raises_an_alarm_when_scores_move():
    moved = [*DAYS[:5], *((name(5 + i), cl.rank([0, 1] * 200, np.linspace(0.4, 0.9, 400) + i / 1e6)) for i in range(3))]
    monitor = cl.monitor(RELEASE, moved, measures="psi")

    assert [alarm.day for alarm in monitor.alarms] == [name(5)]
    assert "the distribution of scores had changed" in monitor.verdict


def test_acknowledged_alarms_are_on_record_and_a_detector_starts_anew(tmp_path):
    monitor = cl.monitor(RELEASE, LATE[:15], measures="calibration", alarm="every")
    first = monitor.alarms[0].day
    monitor.acknowledge(first, "a campaign")

    assert monitor.passed
    assert monitor.alarms[0].acknowledged == "a campaign"
    for entry in LATE[15:]:
        monitor.update(*entry)
    assert [alarm.day > name(14) for alarm in monitor.open_alarms] == [True]
    monitor.save(tmp_path / "monitor.json")
    assert cl.load(tmp_path / "monitor.json").alarms == monitor.alarms
    with pytest.raises(cl.ParameterError, match="There is no such alarm on 2026-10-01"):
        monitor.acknowledge("2026-10-01", "nothing")


def test_a_replaced_release_is_compared_with_later_days_only():
    monitor = cl.monitor(RELEASE, LATE, measures=["precision"], cut=0.3, model="v1")
    before = monitor.alarms
    monitor.rebaseline(sample(2, 3000, shift=-1.0), "retrained", model="v2")
    for i in range(30, 36):
        monitor.update(name(i), sample(100 + i, shift=-1.0), model="v2")

    assert [alarm[:4] for alarm in monitor.alarms] == [alarm[:4] for alarm in before]
    assert {alarm.acknowledged for alarm in monitor.alarms} == {"release replaced: retrained"}
    assert monitor.passed
    assert any("another release (retrained)" in note for note in monitor.notes)
    assert rows(monitor, "precision")[-1]["release"] != rows(monitor, "precision")[0]["release"]
    with pytest.raises(cl.InputError, match="was scored by the model 'v1', and 'v2' is watched"):
        monitor.update(name(40), sample(140), model="v1")


def test_labels_that_have_not_arrived_are_censored():
    rng = np.random.default_rng(5)
    delay, age = rng.exponential(20, 20_000), rng.uniform(0, 150, 20_000)
    arrived = delay <= age
    true_quantile = 20 * np.log(100)

    naive = cl.monitor(RELEASE, matures=delay[arrived]).settings.matures
    censored = cl.monitor(RELEASE, matures=(delay[arrived], age[~arrived])).settings.matures

    assert naive < true_quantile - 5
    assert abs(censored - true_quantile) < 4


# ---- state


def test_state_is_resumed_and_merged_to_the_bit(tmp_path):
    how = {"measures": ["recall", "auc", "calibration", "psi", "brier"], "cut": 0.3}
    whole = cl.monitor(RELEASE, DAYS, **how)
    machines = [cl.monitor(RELEASE, DAYS[::2], **how), cl.monitor(RELEASE, DAYS[1::2], **how)]
    for i, monitor in enumerate((whole, *machines)):
        monitor.save(tmp_path / f"{i}.json")
    one, two = (cl.load(tmp_path / f"{i}.json") for i in (1, 2))
    two.merge(one).save(tmp_path / "merged.json")
    (one + two).save(tmp_path / "added.json")
    expected = (tmp_path / "0.json").read_bytes()

    assert (tmp_path / "merged.json").read_bytes() == (tmp_path / "added.json").read_bytes() == expected
    assert cl.load(tmp_path / "merged.json").table.rows == whole.table.rows
    resumed = cl.load(tmp_path / "1.json").resume(DAYS)
    assert json.dumps(resumed.state()) + "\n" == json.dumps(whole.state()) + "\n"


def test_days_out_of_order_are_sorted_by_name():
    assert cl.monitor(RELEASE, DAYS[::-1]).state() == cl.monitor(RELEASE, DAYS).state()
    late = cl.monitor(RELEASE, [DAYS[0], DAYS[2]])
    late.update(*DAYS[1])
    assert late.state() == cl.monitor(RELEASE, DAYS[:3]).state()


KILLED = """
import os, sys, cutline as cl
from cutline.core import atomic_write
monitor = cl.load(sys.argv[1])
def stopped(*args, **kwargs):
    print("writing", flush=True)
    os.kill(os.getpid(), 9)
os.link = os.replace = stopped
import pathlib
pathlib.Path.replace = stopped
monitor.acknowledged = {}
monitor.days = monitor.days[:1]
monitor.save(sys.argv[1])
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows has no SIGKILL")
def test_killed_while_writing_the_old_state_is_whole(tmp_path):
    path = tmp_path / "monitor.json"
    cl.monitor(RELEASE, DAYS, measures="recall").save(path)
    before = path.read_bytes()
    command = [sys.executable, "-c", KILLED, str(path)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - our own program

    assert "writing" in ended.stdout
    assert ended.returncode == -signal.SIGKILL
    assert path.read_bytes() == before
    assert len(cl.load(path).days) == len(DAYS)


def test_altered_state_is_refused(tmp_path):
    path = tmp_path / "monitor.json"
    cl.monitor(RELEASE, DAYS, measures="recall").save(path)
    path.write_text(path.read_text().replace('"cases":400', '"cases":401', 1))

    with pytest.raises(cl.InputError, match="was altered: its contents do not match its checksum"):
        cl.load(path)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("settings", "level"), "0.9"),
        (("settings", "measures"), ["nosuch"]),
        (("settings", "measures"), ["auc"]),
        (("settings", "run_length"), 10**400),
        (("settings", "worse_by"), []),
        (("releases",), []),
        (("releases", 0, "since"), "2026-01-01"),
        (("releases", 0, "higher_is_positive"), "no"),
        (("releases", 0, "cell_edges"), "<f8 2 AAAA"),
        (("releases", 0, "period", "bins"), None),
        (("days", 0, "counts"), [1, 2, 3, 4]),
        (("days", 0, "counts", 0), -1),
        (("days", 0, "cases"), 5e-324),
        (("days", 0, "residuals"), [1e308, 1e308]),
        (("days", 0, "losses", "brier"), None),
        (("days", 0, "terms"), None),
        (("days", 0, "waiting"), "no"),
        (("days", 1, "name"), name(0)),
        (("acknowledged",), [{"day": 3}]),
    ],
)
def test_a_state_that_is_none_is_refused_whatever_its_checksum(path, value):
    watched = ["recall", "brier", "auc", "psi", "calibration"]
    state = cl.monitor(RELEASE, DAYS[:2], measures=watched).state()
    assert cl.Monitor.from_state(state).state() == state
    *above, last = path
    part = state
    for each in above:
        part = part[each]
    part[last] = value
    content = {key: part for key, part in state.items() if key != "sha256"}
    checksum = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()

    with pytest.raises(cl.InputError, match="The state is not the state of a monitor"):
        cl.Monitor.from_state(content | {"sha256": checksum})


def test_files_name_their_days(tmp_path):
    for day, ranking in DAYS[:3]:
        ranking.save(tmp_path / f"{day}.ranking")
    RELEASE.save(tmp_path / "release.ranking")
    files = sorted(tmp_path.glob("2026*.ranking"), reverse=True)
    monitor = cl.monitor(tmp_path / "release.ranking", files)

    assert monitor.state() == cl.monitor(RELEASE, DAYS[:3]).state()
    content = files[0].read_bytes()
    files[0].write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(cl.InputError, match="is damaged: its contents do not match its checksum"):
        cl.monitor(RELEASE, files)


# ---- labels that come late


def test_young_days_wait_for_their_labels():
    monitor = cl.monitor(RELEASE, DAYS, measures="recall", matures=5)
    used = [row["day"] for row in monitor.labels if row["status"] == "used"]

    assert used == [day for day, _ in DAYS[:7]]
    assert [row["day"] for row in rows(monitor, "recall")] == used
    assert monitor.labels.rows[-1][-1] == "waits until it is 5 days old"
    monitor.update(name(14), sample(114))
    assert monitor.labels.rows[7][-1] == "mature: pass it again with its labels"
    monitor.update(*DAYS[7])
    assert len(rows(monitor, "recall")) == 8


def test_maturity_is_a_quantile_of_the_delays():
    assert cl.monitor(RELEASE, matures=np.arange(1, 101)).settings.matures == 99
    with pytest.raises(cl.InputError, match="The day 'monday' is not a date"):
        cl.monitor(RELEASE, [("monday", DAYS[0][1])], matures=3)


def test_cases_without_a_label_are_counted():
    ranking = cl.rank([1, 0, None, 1, 0], [0.9, 0.1, 0.5, 0.7, 0.2], positive=1, missing="drop")
    monitor = cl.monitor(RELEASE, [("2026-11-01", ranking)], measures="recall")

    assert monitor.labels.rows == (("2026-11-01", 5, 4, "used"),)


# ---- edges and refusals


def test_empty_days_and_days_without_positives_change_nothing_but_are_listed():
    negatives = cl.rank([0, 0, 0], [0.1, 0.2, 0.6], positive=1)
    plain = cl.monitor(RELEASE, DAYS, measures=["recall", "auc", "calibration", "psi"])
    more = cl.monitor(
        RELEASE,
        [*DAYS, ("2027-01-01", None), ("2027-01-02", ([], []))],
        measures=["recall", "auc", "calibration", "psi"],
    )
    without = cl.monitor(RELEASE, [*DAYS, ("2027-01-03", negatives)], measures="recall")

    for measure in ("recall", "auc", "calibration"):
        assert rows(more, measure)[-1]["cumulated"] == rows(plain, measure)[-1]["cumulated"]
    assert "2027-01-01 and 2027-01-02 have no cases, which changes nothing." in more.notes
    assert rows(without, "recall")[-1]["value"] is None
    assert rows(without, "recall")[-1]["status"] == "no case for recall"
    assert any(note.startswith("2027-01-03 has no positives, so that only negatives count") for note in without.notes)


def test_nothing_recorded_yet():
    monitor = cl.monitor(RELEASE)

    assert monitor.verdict == "No day has been recorded yet."
    assert (monitor.alarms, len(monitor.table)) == ((), 0)


DAY = DAYS[0][1]
FRESH = "2027-01-01"
WATCHED = ["recall", "calibration"]


@pytest.mark.parametrize(
    ("act", "sentence"),
    [
        (lambda m: m.update(DAYS[0][0], DAY), "The day 2026-10-01 is recorded already"),
        (lambda m: m.update(FRESH, DAY), "The days 2026-10-01 and 2027-01-01 hold the same cases"),
        (lambda m: m.resume([(DAYS[0][0], sample(7))]), "The day 2026-10-01 has other cases than when it was recorded"),
        (lambda m: m.update(FRESH, cl.rank([0, 1], [2.0, 0.5])), "holds the score 2, which is not a probability"),
        (lambda m: m.update(FRESH, cl.rank([0, 1], [0.2, 0.5], [0.5, 2.0])), "2027-01-01 holds weights"),
        (lambda m: m.update(FRESH, cl.rank(["a", "b"], [0.2, 0.5], positive="b")), "has the positive label 'b'"),
        (lambda m: m.update(FRESH, sample(7), model="v2"), "was scored by the model 'v2', and 'v1' is watched"),
        (lambda m: m.update(FRESH, 3), "2027-01-01 is 3"),
        (lambda m: m.update("", DAY), "day is empty"),
        (lambda m: m.check_started_with(DAY), "The monitor was started with another release"),
        (lambda m: m.check_started_with(RELEASE, cut=0.6), "The monitor was started at the cut 0.5, not 0.6"),
        (lambda m: m.check_started_with(RELEASE, measures="auc"), "The monitor watches recall and calibration"),
        (lambda m: m.check_started_with(RELEASE, model="v2"), "The monitor watches the model 'v1', not 'v2'"),
        (lambda m: m.check_started_with(RELEASE, worse_by=0.1), "The monitor was started with another tolerated loss"),
        (lambda m: m.merge(cl.monitor(RELEASE, measures="recall")), "The two monitors differ in measures"),
        (lambda m: m.merge(cl.monitor(sample(3), measures=WATCHED, model="v1")), "have different releases"),
        (lambda m: m.rebaseline(RELEASE, " "), "why is empty"),
        (lambda m: m.chart("auc"), "auc is not watched"),
        (lambda m: m.save("monitor.txt"), "A result cannot be saved with the suffix '.txt'"),
    ],
)  # fmt: skip
def test_refusals_are_one_sentence(act, sentence):
    monitor = cl.monitor(RELEASE, DAYS[:3], measures=WATCHED, model="v1")
    before = monitor.state()

    with pytest.raises(cl.CutlineError, match=sentence) as refusal:
        act(monitor)
    assert "\n" not in str(refusal.value)
    assert monitor.state() == before


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"days": [DAYS[0], DAYS[0]]}, "The day 2026-10-01 is given twice"),
        ({"days": [3]}, "days holds 3"),
        ({"measures": []}, "measures is empty"),
        ({"measures": ["recall", "tpr"]}, "names a measure twice"),
        ({"measures": "prevalence"}, "prevalence has no better direction"),
        ({"measures": "ece"}, "ece has no confidence sequence"),
        ({"measures": "recall", "worse_by": {"auc": 0.1}}, "names auc, which is not watched"),
        ({"measures": "calibration", "worse_by": {"calibration": 0.1}}, "is not compared with the release"),
        ({"worse_by": -1}, "worse_by is -1 for recall"),
        ({"worse_by": 2}, r"worse_by is 2 for recall, which lies between 0 and 1: pass a loss below 1\."),
        ({"measures": "mcc", "worse_by": 2}, "worse_by is 2 for mcc, which lies between -1 and 1: pass a loss below 2"),
        ({"alarm": "never"}, "alarm is 'never'"),
        ({"matures": [-1]}, "matures holds something that is not a delay in days"),
        ({"matures": []}, "matures holds no delay of a label"),
        ({"matures": ([1, 2, 3], [4, 5, 6])}, "matures shows 50 % of the labels after 6 days and no more"),
        ({"release": cl.rank([0, 1, 0], [3, 2, 1]), "measures": "calibration"}, "are not probabilities"),
        ({"release": ([], [])}, "release has no cases"),
    ],
)  # fmt: skip
def test_starting_wrongly_is_refused(options, sentence):
    with pytest.raises(cl.CutlineError, match=sentence):
        cl.monitor(**({"release": RELEASE} | options))


def test_the_loss_of_a_measure_without_a_limit_may_be_large():
    assert cl.monitor(RELEASE, measures="log_loss", worse_by=2).settings.worse_by == {"log_loss": 2}


def test_a_saved_cut_is_the_cut_of_all_days(tmp_path):
    cut = cl.choose_cut(cl.Evaluation(RELEASE), "recall >= 0.8")
    cut.save(tmp_path / "cut.json")
    monitors = [cl.monitor(RELEASE, DAYS[:2], cut=one) for one in (cut, tmp_path / "cut.json", cut.threshold)]

    assert len({monitor.settings.threshold for monitor in monitors}) == 1


def test_document_and_looks(tmp_path):
    monitor = cl.monitor(cl.Evaluation(RELEASE, 0.4, name="v1"), DAYS[:3])
    document = json.loads(json.dumps(monitor.to_dict(), allow_nan=False))

    assert document["passed"] is True
    assert document["settings"]["threshold"] == 0.4
    assert document["settings"]["model"] == "v1"
    assert len(document["days"]) == 9
    assert monitor.verdict in repr(monitor)
    monitor.save(tmp_path / "monitor.csv")
    assert (tmp_path / "monitor.csv").read_text().startswith("day,measure,cases")


def test_months_without_change_rarely_alarm():
    """Twenty-five months; the whole path through the monitor."""
    rng = np.random.default_rng(5)
    score = np.array([0.8, 0.6, 0.3, 0.1])
    alarms = 0
    for _ in range(25):

        def ranking(n):
            size = rng.multinomial(n, [0.2, 0.2, 0.3, 0.3])
            pos = rng.binomial(size, score)
            return cl.Ranking.of_counts(score, pos, size - pos)

        monitor = cl.monitor(
            ranking(500), [(f"{i:02d}", ranking(50)) for i in range(30)], measures=["recall", "calibration"]
        )
        alarms += not monitor.passed
    assert alarms <= 4
