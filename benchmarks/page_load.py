"""What a long file costs in the page that takes a file: seconds to the numbers and to the promises, and memory.

    python benchmarks/page_load.py                # 1e6 rows
    python benchmarks/page_load.py 1e5 1e6 3e6

Processor seconds are those of the browser's processes together, which says more than the clock on a busy machine.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from app_load import write_predictions
from playwright.sync_api import sync_playwright

from browsing import ARGUMENTS, CHROMIUM
from cutline import file_page

_TICKS = os.sysconf("SC_CLK_TCK")


def processor_seconds(parent: int) -> float:
    """Return the processor time of all processes below one."""
    parents, used = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(folder.name)], used[int(folder.name)] = int(fields[1]), int(fields[11]) + int(fields[12])

    def is_below(pid: int) -> bool:
        while pid in parents and pid != parent:
            pid = parents[pid]
        return pid == parent

    return sum(ticks for pid, ticks in used.items() if pid != parent and is_below(pid)) / _TICKS


def main(sizes: list[int]) -> None:
    """Open the page once for each size, and print a line."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page = file_page.save(Path(folder) / "cutline.html")
        for rows in sizes:
            path = Path(folder) / "predictions.csv"
            path.write_bytes(write_predictions(rows))
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
            tab = browser.new_page()
            tab.goto(page.as_uri())
            tab.wait_for_selector("html[data-ready]")
            begin, used = time.perf_counter(), processor_seconds(os.getpid())
            tab.set_input_files("#file", path)
            tab.wait_for_selector("html[data-evaluated]", timeout=300_000)
            clock, numbers = time.perf_counter() - begin, processor_seconds(os.getpid()) - used
            print(
                f"{rows:9,d} rows, {path.stat().st_size / 1e6:.0f} MB: numbers after {clock:.1f} s "
                f"({numbers:.1f} s of processor time); {tab.text_content('#promise-waiting')}",
                flush=True,
            )
            browser.close()


if __name__ == "__main__":
    main([int(float(text)) for text in sys.argv[1:]] or [10**6])
