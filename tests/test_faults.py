"""What people's machines do to a run: signals, kills, several writers, files that change, rights, no shared memory."""

import ctypes
import os
import signal
import subprocess
import sys
import threading
import zipfile
from pathlib import Path

import numpy as np
import pytest

import cutline as cl
from cutline.core.atomic_write import write

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="signals, rights and open files are those of POSIX systems"),
]
OLD = "<html>old</html>"


def start(code, folder, **more):
    """Start a program of Python in a folder."""
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen([sys.executable, "-c", code], cwd=folder, **(pipes | more))  # noqa: S603 - our own


def predictions(path, shift=0.0, rows=200):
    """Write predictions of an AUC that follows from the shift."""
    rng = np.random.default_rng(1)
    labels = np.arange(rows) % 2
    scores = (rng.random(rows) + shift * labels).round(4)
    path.write_text("y,p\n" + "".join(f"{y},{p}\n" for y, p in zip(labels, scores, strict=True)), encoding="utf-8")
    return cl.auc(labels, scores)


# ---------------------------------------------------------------------- signals and kills


# Writes a report, and stops where it is complete but has no name yet, until it is sent a signal.
REPORT = """
import os, signal, sys
from cutline.cli.main import run
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in what a shell runs in the background
give_a_name = os.link
def stop_before(*given, **options):
    os.kill(os.getpid(), signal.SIGSTOP)
    give_a_name(*given, **options)
os.link = stop_before
sys.argv[1:] = "evaluate f.csv --score p --html out.html --force --quiet --measures auc --resamples 0".split()
run()
"""


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="files have a name from the start")
@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGKILL", -9)])
def test_a_signal_while_a_report_is_written_leaves_the_old_one(tmp_path, name, code):
    predictions(tmp_path / "f.csv")
    report = tmp_path / "out.html"
    report.write_text(OLD, encoding="utf-8")
    running = start(REPORT, tmp_path)
    _, status = os.waitpid(running.pid, os.WUNTRACED)  # until it has stopped, or ended
    if os.WIFEXITED(status):
        running.communicate()
        pytest.skip("this file system has no files without a name")
    running.send_signal(getattr(signal, name))
    running.send_signal(signal.SIGCONT)
    said = running.communicate(timeout=120)[1]

    assert running.returncode == code
    assert "Traceback" not in said
    assert report.read_text(encoding="utf-8") == OLD
    assert sorted(path.name for path in tmp_path.iterdir()) == ["f.csv", "out.html"]


WATCH = """
import cutline as cl
ev = cl.evaluate([1, 0, 1, 0, 1, 0] * 5, [0.9, 0.6, 0.7, 0.2, 0.4, 0.1] * 5)
watched = cl.monitor(ev)
for day in range(1, 10_000):
    watched.update(f"2026-{1 + day // 28:02}-{1 + day % 28:02}", ([1, 0] * 3, [0.9, 0.2, 0.7, 0.8, day / 1000, 0.3]))
    watched.save("state.json", overwrite=True)
    print(day, flush=True)
"""


def test_a_monitor_is_resumed_after_a_kill(tmp_path):
    running = start(WATCH, tmp_path)
    for _ in range(5):
        running.stdout.readline()
    running.kill()
    running.communicate()

    resumed = cl.load(tmp_path / "state.json")
    days = len(resumed.days)
    resumed.update("2027-01-01", ([1, 0] * 3, [0.9, 0.2, 0.7, 0.8, 0.4, 0.3]))

    assert days >= 5
    assert len(resumed.days) == days + 1
    assert resumed.verdict


# ---------------------------------------------------------------------- other processes and changing files


def test_two_writers_at_once_leave_one_whole_file(tmp_path):
    code = "import cutline as cl\nev = cl.evaluate([1, 0] * {n}, [0.9, 0.1] * {n})\n"
    code += "for _ in range(200): ev.ranking.save('x.ranking', overwrite=True)"
    writers = [start(code.format(n=n), tmp_path) for n in (5, 50_000)]
    totals = set()
    while any(writer.poll() is None for writer in writers):
        if (tmp_path / "x.ranking").exists():
            totals.add(int(cl.load(tmp_path / "x.ranking").total))

    assert [writer.communicate()[1] for writer in writers] == ["", ""]
    assert totals <= {10, 100_000}
    assert [path.name for path in tmp_path.iterdir()] == ["x.ranking"]


def test_a_file_that_is_replaced_while_it_is_read_is_one_or_the_other(tmp_path):
    path, ends = tmp_path / "f.csv", threading.Event()
    known = [predictions(tmp_path / f"{i}.csv", shift, 20_000) for i, shift in enumerate((0.1, 0.9))]
    contents = [(tmp_path / f"{i}.csv").read_text(encoding="utf-8") for i in range(2)]
    path.write_text(contents[0], encoding="utf-8")

    def replace():
        while not ends.is_set():
            for content in contents:
                write(path, content.encode(), overwrite=True)

    writer = threading.Thread(target=replace)
    writer.start()
    try:
        values = {cl.evaluate("y", "p", data=path).auc for _ in range(20)}
    finally:
        ends.set()
        writer.join()

    assert all(min(abs(value - one) for one in known) < 1e-12 for value in values)


# ---------------------------------------------------------------------- rights

_DROP, _OVERRIDE, _READ = 24, 1, 2  # PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH


def obey_rights():
    """Give up what lets the superuser read and write everything."""
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in (_OVERRIDE, _READ):
        libc.prctl(_DROP, capability, 0, 0, 0)


def run_without_rights(folder, *arguments):
    return subprocess.run(  # noqa: S603 - our own
        [sys.executable, "-m", "cutline", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        preexec_fn=obey_rights,
    )


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such capabilities")
def test_unreadable_files_and_read_only_folders_are_told_in_a_sentence(tmp_path):
    predictions(tmp_path / "f.csv")
    locked = tmp_path / "locked"
    locked.mkdir()
    locked.chmod(0o555)
    asked = ("evaluate", "f.csv", "--label", "y", "--score", "p", "--measures", "auc", "--resamples", "0")

    done = run_without_rights(tmp_path, *asked, "--html", "locked/x.html")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "locked" in done.stderr
    (tmp_path / "f.csv").chmod(0)
    done = run_without_rights(tmp_path, *asked)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "f.csv" in done.stderr
    assert "Permission denied" in done.stderr or "cannot be opened" in done.stderr


FOLDERS = """
import os, sys, cutline as cl
os.chmod("days/day=2", int(sys.argv[1], 8))
os.chmod("named", 0o311)
for data in ("days", "days/*", "named/other.csv"):
    try:
        print(len(cl.rank("y", "p", data=data)))
    except cl.InputError as error:
        print(error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such capabilities")
@pytest.mark.parametrize("mode", ["000", "666"])
def test_a_folder_of_which_a_part_cannot_be_read_is_refused(tmp_path, mode):
    for folder in ("days/day=1", "days/day=2", "days/.hidden", "named"):
        (tmp_path / folder).mkdir(parents=True)
        predictions(tmp_path / folder / "f.csv")
    (tmp_path / "days" / ".hidden").chmod(0)
    command = [sys.executable, "-c", FOLDERS, mode]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True, preexec_fn=obey_rights)  # noqa: S603
    (tmp_path / "days" / "day=2").chmod(0o755)
    (tmp_path / "days" / ".hidden").chmod(0o755)
    (tmp_path / "named").chmod(0o755)

    said = done.stdout.splitlines()
    assert [line.startswith("The folder day") and "Permission denied" in line for line in said[:2]] == [True, True]
    assert said[2].startswith("There is no file 'named/other.csv'")


# ---------------------------------------------------------------------- shared memory, and other people's functions

NO_SHARED_MEMORY = """
import _multiprocessing
class SemLock:
    def __init__(self, *_):
        raise FileNotFoundError(2, "No such file or directory")  # as without /dev/shm
    @staticmethod
    def _rebuild(*_):
        raise FileNotFoundError(2, "No such file or directory")
    SEM_VALUE_MAX = 1
_multiprocessing.SemLock = SemLock
import numpy as np, cutline as cl
rng = np.random.default_rng(1)
labels = rng.random(3000) < 0.3
ev = cl.evaluate(labels, rng.random(3000) + labels / 3)
print(ev.estimate("f1", method="bootstrap", resamples=100).low > 0)
print(b"<svg" in ev.chart("roc").render(".svg")[:500])
"""


def test_resampling_and_drawing_need_no_shared_memory(tmp_path):
    running = start(NO_SHARED_MEMORY, tmp_path)
    out, said = running.communicate(timeout=120)

    assert (out.split(), said) == (["True", "True"], "")


def failing(*_):
    raise ValueError("no such customer")


def test_a_failing_function_of_the_user_in_polars_is_told_and_kept_as_the_cause():
    pl = pytest.importorskip("polars")
    frame = pl.LazyFrame({"y": [0, 1], "p": [0.1, 0.2]})
    frame = frame.with_columns(pl.col("p").map_elements(failing, return_dtype=pl.Float64))

    with pytest.raises(cl.InputError, match="The engine of data failed: no such customer") as caught:
        cl.evaluate("y", "p", data=frame)
    assert caught.value.__cause__ is not None


def test_a_failing_function_of_the_user_in_dask_is_told_and_kept_as_the_cause():
    dd, pd = pytest.importorskip("dask.dataframe"), pytest.importorskip("pandas")
    frame = dd.from_pandas(pd.DataFrame({"y": [0, 1], "p": [0.1, 0.2]}), npartitions=1)

    with pytest.raises(cl.InputError, match="The engine of data failed: no such customer") as caught:
        cl.evaluate("y", "p", data=frame.map_partitions(failing, meta=frame._meta))
    assert isinstance(caught.value.__cause__, ValueError)


# ---------------------------------------------------------------------- no compiler

PURE = """
import cutline as cl
from cutline.inputs import in_memory
print(cl.__file__, in_memory.compiled, cl.auc([0, 1, 1, 0], [0.1, 0.9, 0.3, 0.5]))
"""


def test_what_is_built_without_a_compiler_is_python_alone(tmp_path):
    root = Path(__file__).parents[1]
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", str(tmp_path), str(root)]
    without = os.environ | {"PATH": str(tmp_path), "CC": str(tmp_path / "cc"), "CXX": str(tmp_path / "cc")}
    built = subprocess.run(command, env=without, capture_output=True, text=True, check=False)  # noqa: S603
    if "No matching distribution found for hatchling" in built.stderr:  # pragma: no cover
        pytest.skip("what builds the package cannot be fetched here")
    assert built.returncode == 0, built.stderr[-2000:]
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        archive.extractall(tmp_path / "installed")
    own = os.environ | {"PYTHONPATH": str(tmp_path / "installed")}
    used = subprocess.run([sys.executable, "-c", PURE], env=own, capture_output=True, text=True, check=True)  # noqa: S603

    assert wheel.name.endswith("-py3-none-any.whl")
    assert [name for name in names if name.endswith((".so", ".pyd"))] == []
    assert used.stdout.split() == [str(tmp_path / "installed" / "cutline" / "__init__.py"), "None", "0.75"]


# ---------------------------------------------------------------------- names that are programs

NAMES = ("<img src=x onerror=alert(1)>", "</script><script>alert(1)</script>", "{{7777*7}}", "=1+1")


@pytest.mark.parametrize("name", NAMES)
def test_a_class_whose_name_is_a_program_is_text_on_the_page(tmp_path, name):
    classes = [name, "b", "c"]
    scores = np.random.default_rng(1).dirichlet([1, 1, 1], 60)
    several = cl.one_vs_rest(classes * 20, scores, classes=classes, name=name)
    one = cl.evaluate([name, "b"] * 30, scores[:, 0], positive=name, name=name)

    pages = [several.save(tmp_path / "several.html"), one.save(tmp_path / "one.html", resamples=0)]

    for page in map(Path.read_text, pages):
        assert "<img src=x" not in page
        assert "<script>alert" not in page
        assert "54439" not in page
        assert "Content-Security-Policy" in page
