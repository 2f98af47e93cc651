"""What the app computes is what the command line computes, whoever else is at work, and whatever the file holds."""

import gzip
import io
import json
import os
import random
import signal
import subprocess
import sys
import time
import zipfile
from importlib.resources import files
from pathlib import Path

import pytest

from cutline.app.settings import Settings, parse_number
from cutline.cli.main import main
from cutline.core.errors import ParameterError
from serving import PATIENCE, is_running, running, worker_of
from workbooks import write_xlsx

pytestmark = pytest.mark.slow
TUMOURS = files("cutline.examples") / "tumours.csv"
COLUMNS = {"label": "label", "score": "logistic", "positive": "malignant"}


def test_the_numbers_are_those_of_the_command_line(client, tmp_path):
    tab = client.open_tab()
    client.upload(tab, "tumours.csv", TUMOURS.read_bytes())
    columns = client.wait_idle(tab)
    assert columns["columns"]["columns"] == ["label", "logistic", "tree"]
    assert columns["values"]["values"] == ["benign", "malignant"]
    promise = {"cut": "promise", "promise": "recall", "promise_value": "90 %", "second_promise": ""}
    client.run(tab, "evaluate", **COLUMNS, **promise)
    parts = client.wait_idle(tab)
    assert parts.get("refusal") is None
    client.run(tab, "flag", **COLUMNS, **promise)
    client.wait_idle(tab)
    client.run(tab, "chart", "roc.svg", **COLUMNS, **promise)
    client.wait_idle(tab)
    options = ["--label", "label", "--score", "logistic", "--positive", "malignant"]
    paths = {
        name: tmp_path / name for name in ("cut.json", "numbers.json", "numbers.csv", "report.html", "flagged.csv")
    }
    cut = ["--require", "recall >= 0.9", "-o", str(paths["cut.json"]), "--quiet"]
    assert main(["cut", str(TUMOURS), *options, *cut]) == 0
    threshold = json.loads(paths["cut.json"].read_text())["threshold"]
    saved = [str(paths[name]) for name in ("numbers.json", "numbers.csv")]
    report = ["--html", str(paths["report.html"]), "--save", saved[0], "--save", saved[1]]
    assert main(["evaluate", str(TUMOURS), *options, "--threshold", repr(threshold), *report, "--quiet"]) == 0
    applied = [str(TUMOURS), "--score", "logistic", "-o", str(paths["flagged.csv"]), "--quiet"]
    assert main(["apply", str(paths["cut.json"]), *applied]) == 0
    for name, path in paths.items():
        status, headers, content = client.send("GET", f"/tabs/{tab}/download/{name}")
        assert status == 200
        assert headers["content-disposition"] == f'attachment; filename="{name}"'
        assert headers["content-security-policy"].startswith("default-src 'none'")
        if name != "report.html":
            assert content == path.read_bytes(), name
    assert client.send("GET", f"/tabs/{tab}/download/roc.svg")[2].startswith(b"<svg")
    shown = {row["title"]: row["cells"][0]["value"] for row in parts["table"]["rows"]}
    measures = {one["title"]: one["value"] for one in json.loads(paths["numbers.json"].read_text())["measures"]}
    assert shown
    assert all(
        float(value) == pytest.approx(measures[title.removesuffix(" (nats)")], abs=5e-5)
        for title, value in shown.items()
    )
    view = client.send("GET", f"/tabs/{tab}/view/report.html")
    assert view[1]["content-security-policy"] == "sandbox allow-scripts allow-downloads; frame-ancestors 'self'"


def test_counts_are_whole_numbers_at_a_quota_too(client):
    tab = client.open_tab()
    rows = "1,0.9\n0,0.2\n" * 7_500
    client.upload(tab, "many.csv", f"y,p\n{rows}1,0.95\n".encode())
    client.wait_idle(tab)
    client.run(tab, "evaluate", label="y", score="p", positive="1", cut="quota", quota="1")
    parts = client.wait(tab, lambda parts: parts.get("table"))
    counts = parts["table"]["counts"][0]
    assert [counts[cell] for cell in ("tp", "fp", "fn", "tn")] == ["1", "0", "7500", "7500"]


def made_in_excel():
    """Return the files that people have: a workbook of two sheets, and text with semicolons and decimal commas."""
    rows = [line.split(",") for line in TUMOURS.read_text().splitlines()[1:]]
    sheet = [
        (f"C{i}", "ja" if label == "malignant" else "nein", float(score)) for i, (label, score, _) in enumerate(rows)
    ]
    written = io.BytesIO()
    write_xlsx(written, [("case", "finding", "score"), *sheet], [("made in May",)])
    text = "".join(
        f"C{i};{'ja' if y == 'malignant' else 'nein'};{p.replace('.', ',')}\r\n" for i, (y, p, _) in enumerate(rows)
    )
    return {"befund.xlsx": written.getvalue(), "befund.csv": f"case;finding;score\r\n{text}".encode("utf-8-sig")}


def test_workbooks_and_decimal_commas_give_the_numbers_of_the_command_line(client, tmp_path):
    pytest.importorskip("python_calamine")
    promise = {"cut": "promise", "promise": "recall", "promise_value": "90 %"}
    for name, content in made_in_excel().items():
        tab = client.open_tab()
        client.upload(tab, name, content)
        parts = client.wait_idle(tab)
        assert (parts["columns"]["label"], parts["columns"]["score"]) == ("finding", "score")
        assert parts["values"]["positive"] == "ja"
        client.run(tab, "evaluate", label="finding", score="score", positive="ja", **promise)
        parts = client.wait(tab, lambda parts: parts.get("table") and "notes" in parts["table"])
        assert parts["table"]["counts"][0]["tp"] == "199"
        assert any(name in note or "decimal commas" in note for note in parts["table"]["notes"])
        source, out = tmp_path / name, tmp_path / f"{name}.json"
        source.write_bytes(content)
        options = [
            "--label",
            "finding",
            "--score",
            "score",
            "--positive",
            "ja",
            "--require",
            "recall >= 0.9",
            "--quiet",
        ]
        assert main(["cut", str(source), *options, "-o", str(out)]) == 0
        assert client.send("GET", f"/tabs/{tab}/download/cut.json")[2] == out.read_bytes()
        client.run(tab, "flag", label="finding", score="score", positive="ja", **promise)
        client.wait_idle(tab)
        flagged = client.send("GET", f"/tabs/{tab}/download/flagged.csv")[2].decode()
        assert flagged.splitlines()[0].endswith("flagged")
        assert len(flagged.splitlines()) == 570


def test_two_models_slices_and_recalibration(client):
    tab = client.open_tab()
    rng = random.Random(1)  # noqa: S311
    lines = [(i % 3 == 0, rng.random(), rng.random(), "north" if i % 2 else "south") for i in range(300)]
    rows = "".join(f"{int(y)},{0.6 * p + 0.3 * y:.3f},{q:.3f},{site}\n" for y, p, q, site in lines)
    client.upload(tab, "a.csv", f"y,p,q,site\n{rows}".encode())
    parts = client.wait_idle(tab)
    assert (parts["columns"]["label"], parts["columns"]["score"]) == ("y", "p")
    assert parts["values"]["positive"] == "1"
    settings = {"label": "y", "score": "p", "positive": "1", "second": "q", "by": "site", "cut": "costs"}
    settings |= {"cost_fp": "1", "cost_fn": "2,5"}
    client.run(tab, "evaluate", **settings)
    parts = client.wait_idle(tab)
    assert parts["refusal"] is None
    assert parts["table"]["models"] == ["p", "q"]
    assert {"report.html", "slices.html", "cut.json"} <= set(parts["files"])
    client.run(tab, "recalibrate", "", **settings)
    assert client.wait_idle(tab)["recalibration"]["verdict"]
    client.run(tab, "recalibrate", "beta", **settings)
    parts = client.wait_idle(tab)
    assert {"recalibration.json", "recalibrated.csv"} <= set(parts["files"])
    client.run(tab, "chart", "roc.exe", **settings)
    assert "no such chart" in client.wait_idle(tab)["refusal"]["message"]


def test_slices_are_cut_where_all_cases_are_and_may_have_groups(client):
    tab = client.open_tab()
    lines = [((i * 37 % 100) / 100, "north" if i % 4 else "south", i // 3) for i in range(300)]
    rows = "".join(f"{int(score > 0.4 + 0.3 * (i % 5 == 0))},{score},{site},{patient}\n"
                   for i, (score, site, patient) in enumerate(lines))  # fmt: skip
    client.upload(tab, "a.csv", f"y,p,site,patient\n{rows}".encode())
    client.wait_idle(tab)
    settings = {"label": "y", "score": "p", "positive": "1", "by": "site", "cut": "quota", "quota": "60"}
    for more in ({}, {"group": "patient"}):
        client.run(tab, "evaluate", **settings, **more)
        parts = client.wait_idle(tab)
        assert parts["refusal"] is None
        page = client.send("GET", f"/tabs/{tab}/view/slices.html")[2].decode()
        assert "predicted positive: score &gt;= 0.8" in page  # which flags 60 of the 300 cases, not 60 of each slice


def bomb():
    """A workbook whose parts are a thousand times larger than the file."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        archive.writestr("xl/worksheets/sheet1.xml", b"0" * 200_000_000)
    return packed.getvalue()


HOSTILE = {
    "empty.csv": b"",
    "one-column.csv": b"y\n1\n0\n",
    "header.csv": b"y,p\n",
    "text.csv": b"y,p\n1,a\n0,b\n",
    "one-class.csv": b"y,p\n1,0.5\n1,0.7\n",
    "three-classes.csv": b"y,p\n1,0.5\n2,0.7\n3,0.1\n",
    "missing.csv": b"y,p\n1,\n0,0.7\n1,0.3\n",
    "nul.csv": b"y,p\n1,0.5\n0,\x000.7\n",
    "binary.csv": bytes(range(256)) * 50,
    "utf16.csv": "y,p\n1,0.5\n0,0.2\n".encode("utf-16-le"),
    "ragged.csv": b"y,p\n1,0.5,3,4\n0\n1,2,3\n",
    "quote.csv": b'y,p\n1,"0.5\n0,0.7\n' * 100,
    "long-line.csv": b"y,p\n" + b"1" * 3_000_000 + b",0.5\n",
    "many-columns.csv": b",".join(b"c%d" % i for i in range(1_000)) + b"\n",
    "no.parquet": b"PAR1" + b"\0" * 100 + b"PAR1",
    "text.parquet": b"y,p\n1,0.5\n",
    "no.xlsx": b"PK\x03\x04 and no more",
    "text.xlsx": b"y,p\n1,0.5\n",
    "bomb.xlsx": None,
    "packed.csv": gzip.compress(b"y,p\n" + b"1,0.5\n0,0.25\n" * 1_000_000),
    "infinite.csv": b"y,p\n1,inf\n0,nan\n1,1e999\n",
}


def test_hostile_files_are_refused_in_a_sentence_and_the_next_file_is_read(client):
    tab = client.open_tab()
    for name, content in HOSTILE.items():
        assert client.upload(tab, name, bomb() if content is None else content)[0] == 200, name
        parts = client.wait_idle(tab)
        if parts.get("refusal") is None:
            columns = parts["columns"]["columns"]
            settings = {"label": columns[0], "score": columns[-1], "positive": "1"}
            client.run(tab, "evaluate", **settings)
            parts = client.wait_idle(tab)
        assert parts["refusal"] is not None, name
        message = parts["refusal"]["message"]
        assert "error of cutline" not in message, (name, message)
        assert "data.csv" not in message, message
        assert "--" not in message, message
        assert parts.get("table") is None, name
    pid = worker_of(client, tab)
    client.upload(tab, "sound.csv", b"y,p\n1,0.9\n0,0.1\n1,0.8\n0,0.7\n")
    assert client.wait_idle(tab)["columns"]["score"] == "p"
    assert worker_of(client, tab) == pid
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    size = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
    assert size < 1_000_000  # kB: no bomb was unpacked


def test_refusals_name_the_fields_of_the_page(client):
    tab = client.open_tab()
    client.upload(tab, "a.csv", b"y,p\nyes,\nno,0.7\nyes,0.3\n")
    assert client.wait_idle(tab)["values"]["positive"] == "yes"
    client.run(tab, "evaluate", label="y", score="p", positive="yes")
    message = client.wait_idle(tab)["refusal"]["message"]
    assert message.endswith("fill them, or set “Leave out rows with missing values”.")
    client.upload(tab, "b.csv", b"y,p\nspam,0.9\nham,0.7\nspam,0.3\n")
    assert client.wait_idle(tab)["values"]["positive"] == ""
    client.run(tab, "evaluate", label="y", score="p")
    assert "“Positive value”: spam" in client.wait_idle(tab)["refusal"]["message"]
    client.run(tab, "evaluate", label="y", score="p", positive="spam", cut="quota", quota="many")
    assert client.wait_idle(tab)["refusal"]["message"] == "Number of cases is 'many': type a number."
    client.run(tab, "evaluate")
    assert "choose both" in client.wait_idle(tab)["refusal"]["message"]


def test_a_process_that_used_much_memory_does_not_work_on_the_next_file(client, monkeypatch):
    tab = client.open_tab()
    client.upload(tab, "a.csv", b"y,p\n1,0.9\n0,0.1\n")
    client.wait_idle(tab)
    first = worker_of(client, tab)
    client.upload(tab, "a.csv", b"y,p\n1,0.9\n0,0.1\n")
    client.wait_idle(tab)
    assert worker_of(client, tab) == first
    monkeypatch.setattr("cutline.app.tabs.MOST_MEMORY", 10**6)
    client.upload(tab, "a.csv", b"y,p\n1,0.9\n0,0.1\n")
    assert client.wait_idle(tab)["columns"]["score"] == "p"
    second = worker_of(client, tab)
    assert second != first
    assert not is_running(first)
    client.run(tab, "evaluate", label="y", score="p", positive="1")
    client.wait(tab, lambda parts: parts.get("table"))
    assert not is_running(second)  # nor on the next evaluation
    client.send("POST", f"/tabs/{tab}/cancel", b"")


def test_two_pages_work_at_once_and_each_shows_its_own(client):
    tabs = [client.open_tab(), client.open_tab()]
    for tab in tabs:
        client.upload(tab, "tumours.csv", TUMOURS.read_bytes())
    for tab in tabs:
        client.wait_idle(tab)
    for tab, score in zip(tabs, ("logistic", "tree"), strict=True):
        client.run(tab, "evaluate", **(COLUMNS | {"score": score}))
    auc = {}
    for tab in tabs:
        parts = client.wait(tab, lambda parts: parts.get("table"))
        auc[parts["table"]["models"][0]] = parts["table"]["rows"]
    assert auc["logistic"] != auc["tree"]
    for tab in tabs:
        client.send("POST", f"/tabs/{tab}/cancel", b"")


@pytest.mark.usefixtures("unending")
def test_a_cancelled_job_ends_its_process_and_the_page_works_on(client):
    tab = client.open_tab()
    client.upload(tab, "tumours.csv", TUMOURS.read_bytes())
    client.wait_idle(tab)
    first = worker_of(client, tab)
    client.run(tab, "evaluate", **COLUMNS)
    client.wait(tab, lambda parts: parts.get("table"))
    client.send("POST", f"/tabs/{tab}/cancel", b"")
    assert not is_running(first)
    assert client.parts(tab)["job"] is None
    assert client.parts(tab)["table"] is not None
    client.run(tab, "values", "label")
    assert client.wait_idle(tab)["values"]["count"] == 2
    os.kill(worker_of(client, tab), signal.SIGKILL)  # as the machine does when memory runs out
    client.run(tab, "values", "label")
    assert "stopped unexpectedly" in client.wait_idle(tab)["refusal"]["message"]
    client.run(tab, "values", "label")
    assert client.wait_idle(tab)["refusal"] is None


def test_of_many_choices_in_a_row_the_last_is_shown(client):
    tab = client.open_tab()
    client.upload(tab, "tumours.csv", TUMOURS.read_bytes())
    client.wait_idle(tab)
    page, slots = client.server.tabs[tab], client.server._slots

    def choose_in_a_row():
        for score in ("tree", "logistic", "tree"):
            page.begin(slots, "evaluate", COLUMNS | {"score": score}, "")

    page._job.get_loop().call_soon_threadsafe(choose_in_a_row)
    parts = client.wait(tab, lambda parts: parts.get("table"))
    assert parts["table"]["models"] == ["tree"]
    assert parts["refusal"] is None
    client.send("POST", f"/tabs/{tab}/cancel", b"")


def test_a_killed_browser_leaves_no_process_and_no_file(listens, monkeypatch):
    monkeypatch.setattr("cutline.app.server._HOUSEKEEPING", 0.2)
    with running() as client:
        tab = client.open_tab()
        stream = listens(client, tab)
        client.upload(tab, "tumours.csv", TUMOURS.read_bytes())
        client.wait_idle(tab)
        pid = worker_of(client, tab)
        client.server.grace = 0.5
        time.sleep(2)
        assert client.thread.is_alive()  # while the page is there
        assert is_running(pid)
        stream.close()
        client.thread.join(PATIENCE)
        assert not client.thread.is_alive()
        assert not is_running(pid)
        assert not client.server.root.exists()


def test_a_killed_server_leaves_no_process_and_no_file(tmp_path):
    script = (
        "import sys; sys.path.insert(0, sys.argv[1]); from serving import running, worker_of\n"
        "with running() as client:\n"
        "    tab = client.open_tab(); client.upload(tab, 'a.csv', b'y,p\\n1,0.5\\n0,0.2\\n'); client.wait_idle(tab)\n"
        "    print(worker_of(client, tab), client.server.root, flush=True)\n"
        "    import time; time.sleep(600)\n"
    )
    command = [sys.executable, "-c", script, str(Path(__file__).parents[1])]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603
        pid, folder = server.stdout.readline().split()
        assert is_running(int(pid))
        server.kill()
    end, root = time.monotonic() + PATIENCE, Path(folder)
    while time.monotonic() < end and (is_running(int(pid)) or root.exists()):
        time.sleep(0.05)
    assert not is_running(int(pid))
    assert not root.exists()


@pytest.mark.parametrize(
    ("text", "number"), [("0.5", 0.5), ("0,5", 0.5), (" 5 % ", 0.05), ("12,5%", 0.125), ("1e3", 1000.0), ("-2", -2.0)]
)
def test_numbers_are_read_as_people_write_them(text, number):
    assert parse_number(text, "Threshold") == number


@pytest.mark.parametrize("text", ["", "a", "nan", "inf", "1 2 x", "%", "0x10"])
def test_text_that_is_not_a_number_is_refused_with_the_name_of_its_field(text):
    with pytest.raises(ParameterError, match="Threshold is"):
        parse_number(text, "Threshold")


def test_promises_are_written_as_the_command_line_takes_them():
    settings = Settings(promise="recall", promise_value="90 %", second_promise="fpr", second_promise_value="0,1")
    assert settings.requirements == ("recall >= 0.9", "fpr <= 0.1")


def test_a_process_works_under_a_lower_limit_that_it_may_not_raise(monkeypatch):
    resource = pytest.importorskip("resource")
    from cutline.app import worker

    asked = []

    def refuse(kind, limits):
        asked.append(kind)
        raise ValueError("not allowed to raise maximum limit")

    monkeypatch.setattr(resource, "setrlimit", refuse)
    worker._limit_memory()
    assert asked == [resource.RLIMIT_DATA, resource.RLIMIT_CORE]
