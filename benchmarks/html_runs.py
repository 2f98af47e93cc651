"""Reports in fresh processes with random options, at load: every run must end well.

    python benchmarks/html_runs.py --runs 500 --first 0 --at-once 2

Threads that import while others import, and pages that only some options make, fail in one run of many, so that
only fresh processes show it. Prints how many failed, and of each the options and what it said.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

MEASURES = ("auc", "auc,f1", "log_loss", "recall,precision", "average_precision", "brier,ece", "ks", "mcc,auc,brier")
LONGEST = 300  # seconds of one run on a busy machine


def write_predictions(folder: Path, dice: random.Random) -> None:
    """Write predictions of two models."""
    rows = dice.choice((20, 300, 3000))
    lines = ["y,p,q,g"]
    for i in range(rows):
        label = i % 2 if i < 2 else int(dice.random() < 0.4)
        scores = [min(max(dice.random() * 0.7 + 0.25 * label, 0), 1) for _ in range(2)]
        lines.append(f"{label},{scores[0]:.4f},{scores[1]:.4f},g{dice.randrange(5)}")
    (folder / "f.csv").write_text("\n".join(lines), encoding="utf-8")


def make_command(dice: random.Random) -> list[str]:
    """Return a command that writes a report, with random options."""
    name = dice.choice(("evaluate", "evaluate", "evaluate", "compare"))
    command = [name, "f.csv", "--label", "y", "--score", "p", "--html", "r.html", "--force"]
    command += ["--score", "q"] if name == "compare" else []
    options = [
        ["--quiet"],
        ["--measures", dice.choice(MEASURES)],
        ["--resamples", dice.choice(("0", "100", "200"))],
        ["--level", "0.9"],
        ["--threshold", "0.5"],
        ["--seed", "7"],
        ["--json"],
        ["--group", "g"],
    ]
    options += [["--template", "clinical"], ["--name", "May"], ["--share", "0.2"]] if name == "evaluate" else []
    chosen = [option for option in options if dice.random() < 0.4]
    flags = {option[0] for option in chosen}
    if {"--share", "--threshold"} <= flags:  # which exclude each other
        chosen = [option for option in chosen if option[0] != "--share"]
    return command + [word for option in chosen for word in option]


def run(number: int) -> str:
    """Run one command; return what went wrong, or nothing."""
    dice = random.Random(f"html-{number}")  # noqa: S311 - not for secrets
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_predictions(folder, dice)
        command = make_command(dice)
        try:
            done = subprocess.run(
                [sys.executable, "-m", "cutline", *command],
                cwd=folder,
                capture_output=True,
                text=True,
                check=False,
                timeout=LONGEST,
            )
        except subprocess.TimeoutExpired:
            return f"{number}: {' '.join(command)}: no end in {LONGEST} s"
        page = folder / "r.html"
        is_whole = page.exists() and page.read_text(encoding="utf-8").rstrip().endswith("</html>")
        if done.returncode or not is_whole or "Warning" in done.stderr or "Traceback" in done.stderr:
            return f"{number}: {' '.join(command)}: exit code {done.returncode}, {done.stderr.strip()[-200:]!r}"
    return ""


def main() -> int:
    """Run the reports; return the exit code."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--runs", type=int, default=500)
    options.add_argument("--first", type=int, default=0)
    options.add_argument("--at-once", type=int, default=2)
    chosen = options.parse_args()
    started = time.monotonic()
    with ThreadPoolExecutor(chosen.at_once) as pool:
        failures = [said for said in pool.map(run, range(chosen.first, chosen.first + chosen.runs)) if said]
    for said in failures:
        print(f"  {said}")
    print(f"{chosen.runs} reports from {chosen.first}: {len(failures)} failed, {time.monotonic() - started:.0f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
