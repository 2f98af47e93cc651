"""What jobs one after the other cost in the app: seconds, and memory of the server and of its worker.

    python benchmarks/app_load.py 20          # 20 evaluations of a file of 1e5 rows
    python benchmarks/app_load.py 5 4000000   # 5 of a file of about 100 MB

Each line is a job: seconds to the first table and to the report, on the clock and (in brackets) of the worker,
then resident memory of the server and the peak of the worker that did the job, in MB. A worker that used much memory is
replaced before the next job; the loading of its modules, some two seconds, then counts too.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from serving import running, worker_of


def write_predictions(rows: int) -> bytes:
    """Return a CSV file of predictions."""
    random = np.random.default_rng(0)
    labels = random.integers(0, 2, rows)
    scores = 1 / (1 + np.exp(-random.normal(labels, 1.5)))
    return b"y,p\n" + "".join(f"{y},{p:.17f}\n" for y, p in zip(labels, scores, strict=True)).encode()


def read_memory(pid: int | str, field: str) -> float:
    """Return a field of the status of a process, in MB."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith(field))) / 1000


def read_processor(pid: int) -> float:
    """Return the processor seconds of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main(jobs: int, rows: int) -> None:
    """Run the jobs and print a line for each."""
    content = write_predictions(rows)
    print(f"{rows} rows, {len(content) / 1e6:.0f} MB")
    with running(limit=10**9, grace=600) as client:
        tab = client.open_tab()
        client.upload(tab, "p.csv", content)
        client.wait_idle(tab, 600)
        for job in range(jobs):
            before = worker_of(client, tab)
            begin, used = time.perf_counter(), read_processor(before)
            client.run(tab, "evaluate", label="y", score="p", positive="1", cut="quota", quota=str(100 + job))
            client.wait(tab, lambda parts: parts.get("table"), 600)
            pid = worker_of(client, tab)
            used = used if pid == before else 0.0
            first, first_used = time.perf_counter() - begin, read_processor(pid) - used
            parts = client.wait_idle(tab, 600)
            if parts["refusal"] is not None:
                raise SystemExit(parts["refusal"]["message"])
            whole, whole_used = time.perf_counter() - begin, read_processor(pid) - used
            server, worker = read_memory("self", "VmRSS"), read_memory(pid, "VmHWM")
            print(
                f"{job + 1:3d}  table {first:5.2f} ({first_used:5.2f}) s  report {whole:6.1f} ({whole_used:6.1f}) s  "
                f"server {server:4.0f}  worker {worker:5.0f}",
                flush=True,
            )


if __name__ == "__main__":
    main(*(int(text) for text in (sys.argv[1:] + ["20", "100000"][len(sys.argv) - 1 :])))
