"""How long the command takes: to start, to evaluate a small file, and to write reports of small and large ones."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from measuring import in_turn, predictions, ratio_of_work, seconds_of_work, several_models, target

# As after an installation: what Python compiled is kept, here in a folder of its own.
SETTINGS = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def start() -> None:
    """The help and commands on a small file, in times that Python takes to import numpy, by the time of processors."""
    with tempfile.TemporaryDirectory() as folder:
        columns = (csv_of_cases(Path(folder) / "small.csv"), "--label", "y", "--score", "p")
        commands = {
            "import cutline": (1.3, "-c", "import cutline"),
            "cutline --help": (1.3, "-m", "cutline", "--help"),
            "cutline evaluate of 569 rows": (4, "-m", "cutline", "evaluate", *columns),
            "cutline check of 569 rows": (3, "-m", "cutline", "check", *columns, "--require", "auc.low >= 0.7"),
            "cutline cut of 569 rows": (3, "-m", "cutline", "cut", *columns, "--require", "recall >= 0.9"),
            "cutline measures": (3, "-m", "cutline", "measures"),
        }
        works = {what: lambda call=call: _run(folder, *call) for what, (_, *call) in commands.items()}
        found = in_turn({"numpy": lambda: _run(folder, "-c", "import numpy")} | works, 7)
    for what, (most, *_) in commands.items():
        target(f"{what}, times import numpy", ratio_of_work(found[what], found["numpy"]), high=most)


def reports() -> None:
    """Pages of one model and of several, by the time of processors."""
    with tempfile.TemporaryDirectory() as folder:
        small, page = csv_of_cases(Path(folder) / "small.csv"), str(Path(folder) / "page.html")
        sizes = ((10**4, 1), (10**6, 1), (10**6, 2), (10**5, 12))
        middle, large, two, twelve = (parquet_of_cases(Path(folder), n, models) for n, models in sizes)
        commands = {
            "cutline evaluate --html of 569 rows": (2.5, "evaluate", small, "--label", "y", "--score", "p"),
            "cutline evaluate --html of 1e4 rows": (4, "evaluate", middle, *named(1)),
            "cutline evaluate --html of 1e6 rows": (6, "evaluate", large, *named(1)),
            "cutline compare --html of 2 models at 1e6 rows": (12, "compare", two, *named(2)),
            "cutline compare --html of 12 models at 1e5 rows": (20, "compare", twelve, *named(12)),
        }
        for what, (most, *arguments) in commands.items():
            call = ("-m", "cutline", *map(str, arguments), "--html", page, "--force", "--quiet")
            found = in_turn({"ours": lambda: _run(folder, *call)}, 3 if most < 5 else 2)  # noqa: B023
            target(f"{what}, processor seconds", seconds_of_work(found["ours"]), high=float(most))


def _run(folder: str, *arguments: str) -> None:
    subprocess.run(
        [sys.executable, *arguments],
        check=True,
        capture_output=True,
        env=SETTINGS | {"PYTHONPYCACHEPREFIX": f"{folder}/compiled"},
    )


def csv_of_cases(path: Path) -> str:
    """A small file of predictions."""
    labels, scores = predictions(569)
    rows = "".join(f"{int(y)},{s}\n" for y, s in zip(labels, scores, strict=True))
    path.write_text(f"y,p\n{rows}")
    return str(path)


def parquet_of_cases(folder: Path, n: int, models: int) -> str:
    """A file of so many cases and models in a folder."""
    import pyarrow as pa
    from pyarrow import parquet

    labels, columns = several_models(n, models)
    path = folder / f"{models}_models_{n}.parquet"
    parquet.write_table(pa.table({"y": labels.astype(np.int8)} | columns), path)
    return str(path)


def named(models: int) -> list[str]:
    """The options that name the columns of such a file."""
    return ["--label", "y", *(part for i in range(models) for part in ("--score", f"model {i}"))]
