"""Monitoring and drift on the command line: tables, pages, states and exit codes."""

import json
import math
import sys
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

import numpy as np
import pytest

import cutline as cl
from cutline.cli.main import main
from cutline.core.atomic_write import hold_folder


def sample(seed, n=400, shift=0.0):
    rng = np.random.default_rng(seed)
    p = rng.beta(1, 3, n)
    return cl.rank((rng.random(n) < 1 / (1 + (1 - p) / p * math.exp(-shift))).astype(int), p, positive=1)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "140")
    (tmp_path / "days").mkdir()
    sample(1, 3000).save("release.ranking")
    for i in range(1, 9):
        sample(i + 10, shift=0.0 if i < 4 else -1.5).save(f"days/2026-11-{i:02d}.ranking")
    return tmp_path


def run(*arguments):
    return main([str(argument) for argument in arguments])


WATCH = ("--measure", "precision", "--measure", "calibration", "--cut", "0.3")


def test_an_alarm_ends_with_1_and_no_alarm_with_0(folder, capsys):
    good = [f"days/2026-11-0{i}.ranking" for i in range(1, 4)]

    assert run("monitor", "release.ranking", *good, *WATCH) == 0
    assert "No alarm in 3 days." in capsys.readouterr().out
    assert run("monitor", "release.ranking", "days/*.ranking", *WATCH, "--json") == 1
    document = json.loads(capsys.readouterr().out)
    assert (
        document
        == cl.monitor(
            "release.ranking", sorted(folder.glob("days/*")), measures=["precision", "calibration"], cut=0.3
        ).to_dict()
    )


def test_the_state_is_resumed_day_by_day(folder, capsys):
    for i in range(1, 9):
        run("monitor", "release.ranking", f"days/2026-11-0{i}.ranking", *WATCH, "--state", "monitor.json")
    once = cl.monitor("release.ranking", sorted(folder.glob("days/*")), measures=["precision", "calibration"], cut=0.3)

    assert cl.load("monitor.json").state() == once.state()
    assert run("monitor", "release.ranking", "days/*.ranking", "--state", "monitor.json", "--csv", "-q") == 1
    assert capsys.readouterr().out.splitlines()[-17] == ",".join(once.table.columns)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not lock folders")
def test_a_state_is_compared_and_written_while_other_commands_wait(folder, capsys):
    days = sorted(map(str, folder.glob("days/*")))
    run("monitor", "release.ranking", *days[:2], *WATCH, "--state", "monitor.json")
    later = Path("monitor.json").read_bytes()
    Path("monitor.json").unlink()
    run("monitor", "release.ranking", days[0], *WATCH, "--state", "monitor.json")
    with ThreadPoolExecutor() as pool:
        with hold_folder(folder):
            other = pool.submit(run, "monitor", "release.ranking", days[2], *WATCH, "--state", "monitor.json")
            assert wait([other], timeout=2).not_done
            Path("monitor.json").write_bytes(later)
        assert other.result() == 2

    assert "Another command has written 'monitor.json' in the meantime" in capsys.readouterr().err
    assert Path("monitor.json").read_bytes() == later


@pytest.mark.parametrize("is_new", [True, False])
def test_no_day_that_another_command_adds_meanwhile_is_lost(folder, monkeypatch, capsys, is_new):
    from cutline.cli import monitor

    days = sorted(map(str, folder.glob("days/*")))
    if not is_new:
        run("monitor", "release.ranking", days[0], *WATCH, "--state", "monitor.json")
    usual = monitor._update_monitor

    def meanwhile(*arguments):
        found = usual(*arguments)
        monkeypatch.setattr(monitor, "_update_monitor", usual)
        run("monitor", "release.ranking", days[1], *WATCH, "--state", "monitor.json", "-q")
        return found

    monkeypatch.setattr(monitor, "_update_monitor", meanwhile)
    command = ("monitor", "release.ranking", days[2], *WATCH, "--state", "monitor.json")
    assert run(*command) == 2
    assert "Another command has written 'monitor.json' in the meantime" in capsys.readouterr().err
    assert run(*command) == 0
    once = cl.monitor("release.ranking", days[is_new:3], measures=["precision", "calibration"], cut=0.3)
    assert cl.load("monitor.json").state() == once.state()


def test_states_of_two_machines_are_merged(folder):
    days = sorted(map(str, folder.glob("days/*")))
    run("monitor", "release.ranking", *days[::2], *WATCH, "--state", "one.json")
    run("monitor", "release.ranking", *days[1::2], *WATCH, "--state", "two.json")
    run("monitor", "release.ranking", "--state", "one.json", "--merge", "two.json")
    run("monitor", "release.ranking", *days, *WATCH, "--state", "whole.json")

    assert (folder / "one.json").read_bytes() == (folder / "whole.json").read_bytes()


def test_alarms_are_acknowledged_and_the_release_is_replaced(folder, capsys):
    run("monitor", "release.ranking", "days/*.ranking", *WATCH, "--state", "monitor.json")
    assert run("check", "--monitor", "monitor.json") == 1
    assert "2 of 2 requirements failed" in capsys.readouterr().out
    for alarm in cl.load("monitor.json").alarms:
        run("monitor", "release.ranking", "--state", "monitor.json", "--acknowledge", alarm.day, "--why", "known")
    assert run("check", "--monitor", "monitor.json") == 0
    sample(2, 3000, shift=-1.5).save("new.ranking")
    rebaseline = ("--rebaseline", "new.ranking", "--why", "retrained")
    assert run("monitor", "release.ranking", "--state", "monitor.json", *rebaseline) == 0
    assert len(cl.load("monitor.json").releases) == 2


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--cut", "0.4"), "The monitor was started at the cut 0.3, not 0.4"),
        (("--measure", "auc"), "The monitor watches precision and calibration"),
        (("--acknowledge", "2026-11-01"), "--acknowledge and --rebaseline need --why"),
        (
            ("--worse-by", "precision=2"),
            "--worse-by is 2 for precision, which lies between 0 and 1: pass a loss below 1.",
        ),
        (("--worse-by", "recall=much"), "--worse-by is 'recall=much'"),
        (("--json", "--csv"), "--json and --csv both print"),
        (("months/*.ranking",), "No file matches 'months/*.ranking': pass the ranking files of the days."),
    ],
)
def test_refusals_end_with_2(folder, capsys, arguments, sentence):
    run("monitor", "release.ranking", "days/2026-11-01.ranking", *WATCH, "--state", "monitor.json")
    capsys.readouterr()

    assert run("monitor", "release.ranking", "--state", "monitor.json", *arguments) == 2
    assert sentence in capsys.readouterr().err


def test_an_altered_day_ends_with_2(folder, capsys):
    path = folder / "days" / "2026-11-01.ranking"
    path.write_bytes(path.read_bytes()[:-1] + b"x")

    assert run("monitor", "release.ranking", path) == 2
    assert "is damaged: its contents do not match its checksum" in capsys.readouterr().err


def test_drift_of_two_files(folder, capsys):
    for name, seed, shift in (("jan", 1, 0.0), ("feb", 2, 0.2)):
        p = np.clip(np.random.default_rng(seed).beta(2, 5, 800) + shift, 0, 1)
        rows = "\n".join(f"{i % 2},{x:.6f}" for i, x in enumerate(p))
        (folder / f"{name}.csv").write_text(f"y,p\n{rows}\n")

    assert run("drift", "jan.csv", "feb.csv", "--threshold", "0.5") == 0
    assert "The scores have drifted: PSI" in capsys.readouterr().out
    assert run("drift", "jan.csv", "feb.csv", "--score", "p", "--fail-on-drift", "--json", "--label", "y") == 1
    document = json.loads(capsys.readouterr().out)
    assert document["psi"]["value"] == cl.drift("jan.csv", "feb.csv", score="p").psi.value
    assert {row["measure"] for row in document["performance"]} >= {"recall", "auc"}
    assert run("drift", "jan.csv", "jan.csv", "--score", "p", "--fail-on-drift") == 0


def test_drift_is_a_gate_on_differences(folder, capsys):
    good, bad = "days/2026-11-01.ranking", "days/2026-11-08.ranking"

    assert run("drift", "release.ranking", good, "--threshold", "0.3", "--no-worse", "precision,auc") == 0
    assert run("drift", "release.ranking", bad, "--threshold", "0.3", "--no-worse", "precision,auc") == 1
    assert "2026-11-08 is worse than release in precision." in capsys.readouterr().err
    assert run("drift", "release.ranking", bad, "--margin", "0.1") == 2


def test_check_needs_something_to_check(folder, capsys):
    assert run("check", "--require", "auc >= 0.5") == 2
    assert "There are no predictions to check" in capsys.readouterr().err
