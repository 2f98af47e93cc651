"""The command under a limit of its address space, where libraries in C would spin or end the process."""

import os
import subprocess
import sys

import pytest

from cutline.core import memory

resource = pytest.importorskip("resource")
MB = 10**6
PREDICTIONS = ("--label", "label", "--positive", "malignant", "--score", "logistic")
PAGE = ("--html", "page.html", "--measures", "auc", "--resamples", "0")


def run_limited(megabytes, *arguments, folder):
    """Run the command with so much address space, and without the variables that limit threads."""
    threads = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
    environment = {name: value for name, value in os.environ.items() if name not in threads}
    return subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "-m", "cutline", *map(str, arguments)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (megabytes * MB, megabytes * MB)),
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("megabytes", "kind", "more", "says"),
    [
        (300, "csv", (), "may use 300 MB of address space, and cutline needs about 600 MB"),
        (1000, "parquet", (), "may use 1 GB of address space, and DuckDB, which reads this file, needs about 1.6 GB"),
        (700, "arrow", (), "may use 700 MB of address space, and pyarrow needs about 1.2 GB"),
        (2000, "csv", PAGE, "may use 2 GB of address space, and the program that draws needs about 72 GB"),
    ],
)
def test_too_little_address_space_is_refused_in_a_sentence(tmp_path, tumours, megabytes, kind, more, says):
    done = run_limited(megabytes, "evaluate", written_as(tumours, kind), *PREDICTIONS, *more, folder=tmp_path)

    assert done.returncode == 2, done.stderr[:500]
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "page.html").exists()


@pytest.mark.slow
@pytest.mark.parametrize(("megabytes", "kind"), [(1000, "csv"), (2000, "parquet")])
def test_address_space_that_suffices_is_made_do_with(tmp_path, tumours, megabytes, kind):
    done = run_limited(megabytes, "evaluate", written_as(tumours, kind), *PREDICTIONS, folder=tmp_path)

    assert (done.returncode, done.stderr) == (0, "")


def written_as(path, kind):
    """Return the predictions in a file of another kind."""
    if kind == "csv":
        return path
    import pyarrow as pa
    from pyarrow import csv, parquet

    table, other = csv.read_csv(path), path.with_suffix(f".{kind}")
    if kind == "parquet":
        parquet.write_table(table, other)
    else:
        with pa.OSFile(str(other), "wb") as stream, pa.ipc.new_file(stream, table.schema) as writer:
            writer.write_table(table)
    return other


@pytest.mark.parametrize(
    ("error", "limit", "expected"),
    [
        (MemoryError(), None, True),
        (OSError(12, "Cannot allocate memory"), None, True),
        (ImportError("x.so: failed to map segment from shared object"), None, True),
        (RuntimeError("can't start new thread"), 10**9, True),
        (RuntimeError("can't start new thread"), None, False),
        (RuntimeError("other"), 10**9, False),
    ],
)
def test_errors_that_say_that_memory_is_used_up(monkeypatch, error, limit, expected):
    monkeypatch.setattr(memory, "find_limit", lambda: limit)

    assert memory.is_out_of_memory(error) is expected
