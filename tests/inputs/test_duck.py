"""DuckDB as cutline uses it: how far it is, and that an interruption ends it."""

import os
import signal
import threading
import time

import duckdb
import pytest

from cutline import ParameterError
from cutline.core import memory
from cutline.core.parallel import report_progress_to
from cutline.inputs import duck, files
from cutline.inputs.sql_engine import SqlEngine

pytestmark = pytest.mark.usefixtures("by_duckdb")

ENDLESS = "SELECT range % 2 AS y, CAST(range AS DOUBLE) AS x FROM range(10000000000)"  # minutes, where nothing ends it


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("y,p\n1,0.9\n0,0.1\n")
    return files.read(path)


def engine(file, rows):
    return SqlEngine(file._connection, rows, 10**6, file._translate_errors)


@pytest.fixture
def interruptible():
    """Ctrl-C as in a terminal: a process that was started in the background ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_an_interruption_ends_a_query_at_once(file):
    # A table that is made on the way can be one piece of work; with one thread, DuckDB looks up after each part of it.
    file._connection.execute("SET threads = 1")
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    begun = time.monotonic()

    def interrupted():
        timer.start()  # here: an interruption that came before would end all tests
        engine(file, ENDLESS).count_classes()

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    timer.join()
    assert time.monotonic() - begun < 60  # not the minutes that all rows take
    assert file.count == 2  # and the connection is free again


def test_who_watches_is_told_how_many_rows_are_read(file, monkeypatch):
    monkeypatch.setattr(duck, "_EVERY", 0.005)
    told = []
    rows = ENDLESS.replace("10000000000", "20000000")
    with report_progress_to(lambda done, of: told.append((done, of))):
        found = engine(file, rows).count_classes()
    assert found.total("cases") == 20_000_000
    if int(duckdb.__version__.split(".")[0]) > 1:  # 1.5 seldom tells how far such a query is
        assert told
    assert {of for _, of in told} <= {10**6}
    assert all(0 <= done <= of for done, of in told)
    before = len(told)
    engine(file, rows.replace("20000000", "10")).count_classes()  # nobody watches
    assert len(told) == before


def test_what_does_not_fit_into_memory_is_written_to_disk_and_cleared_away(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with duck.connect("200MB") as connection:
        limit = connection.execute("SELECT current_setting('memory_limit')").fetchone()[0]
        assert limit.startswith(("190", "200"))  # MiB, or MB
        query = "SELECT count(*) FROM (SELECT range * 7919 % 6000011 AS x, count(*) FROM range(6000000) GROUP BY x)"
        assert connection.execute(query).fetchone() == (6_000_000,)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("size", ["lots", "5MB", "-1GB", 0, "2 apples"])
def test_a_limit_is_a_size(size):
    with pytest.raises(ParameterError, match="memory is"):
        memory.parse_memory_size(size)


@pytest.mark.parametrize("size", ["9" * 400, 10**400, "1" + "0" * 30 + "TB"])
def test_a_limit_beyond_what_a_database_counts_is_none(size):
    assert memory.parse_memory_size(size) == 2**62
