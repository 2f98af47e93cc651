"""The worker process of one page: jobs as lines on standard input, events as lines of JSON on standard output.

It ends when its input does, that is with the server, however that ended, and then removes the files of the server.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from queue import Queue
from typing import Any

_PAUSE = 0.1  # seconds between two reports of progress
_MEMORY_SHARE = 0.75  # of the machine's memory that the process may use


def run_jobs(root: str) -> None:
    """Run the jobs that come in, one after the other.

    Args:
        root: The folder of the server, which is removed when the server has gone.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server
    _limit_memory()
    events = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # what a library prints is no event
    jobs: Queue[dict[str, Any]] = Queue()
    threading.Thread(target=_receive_jobs, args=(jobs, root), daemon=True).start()

    def send(part: str, value: Any) -> None:
        events.write(json.dumps({"part": part, "value": value}, allow_nan=False) + "\n")
        events.flush()

    _prepare()
    from cutline.app.jobs import Jobs
    from cutline.app.settings import Settings
    from cutline.core.parallel import report_progress_to

    work = Jobs(send)
    send("ready", None)
    while True:
        job = jobs.get()
        try:
            with report_progress_to(_limit_progress(send)):
                settings = Settings.parse(job["settings"])
                work.run(job["name"], Path(job["folder"]), job["file"], job["title"], settings, job["argument"])
        except MemoryError:
            send("refusal", {"message": "The predictions do not fit into memory."})
        except OSError as error:
            send("refusal", {"message": f"A file cannot be used: {error.strerror or type(error).__name__}."})
        except BaseException as error:  # a panic of a library in Rust is no Exception
            if os.environ.get("CUTLINE_DEBUG"):
                import traceback

                traceback.print_exception(error)
            text = f"This is an error of cutline, not of your data ({type(error).__name__}). Please report it."
            send("refusal", {"message": text})
        send("end", _measure_peak_memory())


def _receive_jobs(jobs: Queue[dict[str, Any]], root: str) -> None:
    """Take jobs until the server has gone."""
    for line in sys.stdin:
        jobs.put(json.loads(line))
    shutil.rmtree(root, ignore_errors=True)
    os._exit(0)


def _limit_progress(send: Callable[[str, Any], None]) -> Callable[[int, int], None]:
    """Return a watcher that sends progress, a few times in a second."""
    last = 0.0

    def watch(done: int, of: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last > _PAUSE:
            last = now
            send("progress", {"done": int(done), "of": int(of)})

    return watch


def _limit_memory() -> None:
    """Limit the memory, so that an allocation fails before the machine runs out of it."""
    try:
        import resource
    except ImportError:  # Windows
        return
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return
    for kind, most in ((resource.RLIMIT_DATA, int(memory * _MEMORY_SHARE)), (resource.RLIMIT_CORE, 0)):
        with suppress(ValueError, OSError):  # a lower limit holds already, which only the superuser may raise
            resource.setrlimit(kind, (most, most))


def _measure_peak_memory() -> int:
    """Return the most bytes that this process has used; 0 where the system does not say."""
    status = Path("/proc/self/status")
    if status.exists():  # Linux, where ru_maxrss begins with what the parent had used
        [line] = [line for line in status.read_text(encoding="utf-8").splitlines() if line.startswith("VmHWM:")] or [
            ": 0"
        ]
        return 1024 * int(line.split()[1])
    try:
        import resource
    except ImportError:  # Windows
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else 1024 * peak


def _prepare() -> None:
    """Load what the first job needs, while the user still chooses a file."""
    import cutline.app.jobs  # noqa: F401
    import cutline.charts.renderer as renderer
    from cutline.core.memory import find_limit

    if find_limit() is not None:  # each picture is drawn in a process of its own
        return
    import vl_convert  # noqa: F401

    threading.Thread(target=renderer.start, daemon=True).start()


if __name__ == "__main__":
    run_jobs(sys.argv[1])
