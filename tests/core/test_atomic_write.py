"""Files appear whole or not at all, with the mode that their owner wants, and nothing is left behind."""

import errno
import os
import signal
import stat
import subprocess
import sys
import threading
import time

import pytest

from cutline import ParameterError
from cutline.core import atomic_write
from cutline.core.atomic_write import write, write_atomically
from cutline.core.escaping import csv_cell


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.posix
@pytest.mark.parametrize(("umask", "expected"), [(0o077, 0o600), (0o022, 0o644), (0o027, 0o640)])
def test_a_new_file_has_the_mode_that_the_umask_leaves(tmp_path, umask, expected):
    before = os.umask(umask)
    try:
        write(tmp_path / "new.json", b"{}", overwrite=False)
    finally:
        os.umask(before)

    assert mode(tmp_path / "new.json") == expected


@pytest.mark.posix
def test_what_is_replaced_keeps_its_mode(tmp_path):
    path = tmp_path / "secret.json"
    path.write_bytes(b"old")
    path.chmod(0o600)
    write(path, b"new", overwrite=True)

    assert (mode(path), path.read_bytes()) == (0o600, b"new")


@pytest.mark.posix
def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "real.json").write_bytes(b"old")
    (tmp_path / "link.json").symlink_to(tmp_path / "there" / "real.json")
    write(tmp_path / "link.json", b"new", overwrite=True)

    assert (tmp_path / "link.json").is_symlink()
    assert (tmp_path / "there" / "real.json").read_bytes() == b"new"


@pytest.mark.posix
def test_of_hard_links_the_other_keeps_the_old_file(tmp_path):
    (tmp_path / "one.json").write_bytes(b"old")
    (tmp_path / "two.json").hardlink_to(tmp_path / "one.json")
    write(tmp_path / "one.json", b"new", overwrite=True)

    assert (tmp_path / "one.json").read_bytes() == b"new"
    assert (tmp_path / "two.json").read_bytes() == b"old"


def test_a_full_disk_is_reported_with_the_name_of_the_file_and_leaves_nothing(tmp_path):
    def fill():
        with write_atomically(tmp_path / "big.json", overwrite=False):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(ParameterError, match=r"big\.json' cannot be written \(No space left on device\)"):
        fill()
    assert list(tmp_path.iterdir()) == []


def test_of_two_writers_one_is_refused(tmp_path):
    path, refused = tmp_path / "x.json", []

    def writer(content):
        try:
            write(path, content, overwrite=False)
        except ParameterError as error:
            refused.append(str(error))

    threads = [threading.Thread(target=writer, args=(bytes([65 + i]) * 100_000,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(refused) == 7
    assert len(set(path.read_bytes())) == 1  # of one writer alone
    assert [each.name for each in tmp_path.iterdir()] == ["x.json"]


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("has_unnamed", [False, True])
def test_where_the_system_has_no_links_a_file_is_written_all_the_same(tmp_path, monkeypatch, overwrite, has_unnamed):
    monkeypatch.delattr(os, "link")
    if not has_unnamed:
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    path = write(tmp_path / "x.json", b"{}", overwrite=overwrite)

    assert path.read_bytes() == b"{}"
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(ParameterError, match="exists already"):
        write(path, b"[]", overwrite=False)


@pytest.mark.posix
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_a_stopped_command_leaves_no_unfinished_file(tmp_path, name):
    code = (
        "import signal, sys, time; from cutline.cli import main as command\n"
        "from cutline.core.atomic_write import write_atomically\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # ignored in what a shell runs in the background
        "def work(*a, **k):\n"
        "    with write_atomically(sys.argv[1] + '/x.json', overwrite=False):\n"
        "        print('ready', flush=True); time.sleep(60)\n"
        "command.app = work\n"
        "command.run()\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # noqa: S603
    assert running.stdout.readline() == b"ready\n"
    assert len(list(tmp_path.iterdir())) == 1
    running.send_signal(getattr(signal, name))
    _, said = running.communicate(timeout=120)

    assert running.returncode == {"SIGTERM": 143, "SIGHUP": 129, "SIGINT": 130}[name]
    assert list(tmp_path.iterdir()) == []
    assert b"Traceback" not in said
    if name == "SIGINT":
        assert said == b"cutline: Stopped.\n"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_a_command_that_is_stopped_inside_a_query_says_by_what(name):
    code = (
        "import signal, sys; from cutline.cli import main as command; from cutline.inputs import duck, duckdb_files\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "def work(*a, **k):\n"
        "    connection = duck.connect(); connection.execute('SET threads = 1'); print('ready', flush=True)\n"
        "    file = duckdb_files.File.__new__(duckdb_files.File)\n"
        "    with file._translate_errors():\n"
        "        connection.execute('SELECT sum(range % 7) FROM range(1000000000000)').fetchall()\n"
        "command.app = work\n"
        "command.run()\n"
    )
    command = [sys.executable, "-c", code]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # noqa: S603
    assert running.stdout.readline() == b"ready\n"
    time.sleep(0.5)  # until it is in the query
    running.send_signal(getattr(signal, name))
    _, said = running.communicate(timeout=120)

    assert running.returncode == {"SIGTERM": 143, "SIGHUP": 129, "SIGINT": 130}[name]
    assert b"Traceback" not in said


@pytest.mark.posix
def test_a_killed_writer_leaves_the_old_file_whole(tmp_path):
    (tmp_path / "x.json").write_bytes(b"old")
    code = (
        "import os, sys; from cutline.core.atomic_write import write_atomically\n"
        "with write_atomically(sys.argv[1] + '/x.json', overwrite=True) as unfinished:\n"
        "    unfinished.write_bytes(b'half'); os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False)  # noqa: S603

    assert done.returncode == -9
    assert (tmp_path / "x.json").read_bytes() == b"old"


@pytest.mark.parametrize("text", ["=cmd|' /C calc'!A0", "@SUM(1+1)", "+1+1", "-2+3", "\t=1", "\r=1", "\n=1", "\uff1d1"])
def test_a_formula_is_text_in_a_spreadsheet(text):
    assert csv_cell(text) == f"'{text}"


@pytest.mark.parametrize("cell", ["model", "-0.5", "+1e5", -0.5, 3, "", None])
def test_names_and_numbers_are_left_alone(cell):
    assert csv_cell(cell) == cell


@pytest.mark.posix
def test_a_pipe_or_a_device_is_never_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")

    for name in ("pipe", "link"):
        with pytest.raises(ParameterError, match="is a device or a pipe, not a file: pass the path of a file"):
            write(tmp_path / name, b"{}", overwrite=True)
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


@pytest.mark.posix
def test_a_system_without_owners_replaces_files_too(tmp_path, monkeypatch):
    monkeypatch.delattr(os, "geteuid")
    (tmp_path / "a.json").write_text("old")
    assert write(tmp_path / "a.json", b"new", overwrite=True).read_text() == "new"


@pytest.mark.parametrize("step", ["link", "close"])
@pytest.mark.parametrize("content", [None, b"new"])
def test_an_interruption_after_any_step_leaves_nothing_unfinished(tmp_path, monkeypatch, step, content):
    """A signal that comes during a call of the system is raised when the call has returned."""
    work = getattr(os, step)

    def interrupted(*given, **options):
        work(*given, **options)
        raise KeyboardInterrupt

    def fill():
        with write_atomically(tmp_path / "x.json", overwrite=True, content=content):
            raise KeyboardInterrupt

    monkeypatch.setattr(os, step, interrupted)
    with pytest.raises(KeyboardInterrupt):
        fill()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "O_TMPFILE"), reason="files have a name from the start")
def test_content_has_no_name_before_it_is_complete(tmp_path, monkeypatch):
    try:
        os.close(os.open(tmp_path, os.O_TMPFILE | os.O_WRONLY))
    except OSError:
        pytest.skip("this file system has no files without a name")
    monkeypatch.setattr(atomic_write, "_make_empty", lambda *_: pytest.fail("an empty file was made"))
    for content in (b"first", b"second"):
        write(tmp_path / "out", content, overwrite=True)
        assert [path.read_bytes() for path in tmp_path.iterdir()] == [content]
