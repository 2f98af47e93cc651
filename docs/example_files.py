"""The files that the commands and the code of the documentation name, made from the examples that come with cutline.

`predictions.csv` holds 569 tumours: `y` is 1 for a malignant one, `p` (also `model_a`, `a`, `p_a`) the score of one
model and `model_b` (`b`, `p_b`) that of another; `case` is a number, `patient`
groups cases, and `site` is made up. The site of the documentation offers it.
"""

from __future__ import annotations

import csv
import shutil
from collections.abc import Iterable
from pathlib import Path

import duckdb

from cutline import examples, rank

COLUMNS = ("case", "patient", "y", "p", "model_a", "model_b", "a", "b", "p_a", "p_b", "w", "site")


def predictions() -> list[tuple[object, ...]]:
    """The rows of predictions.csv."""
    found = examples.load("tumours")
    rows = zip(found.labels, found.scores["logistic"], found.scores["tree"], strict=True)
    return [
        (case, case // 2, int(label == found.positive), one, *(one, other) * 3, 1 + case % 2, 1 + case % 4)
        for case, (label, one, other) in enumerate(rows)
    ]


def write(folder: Path) -> None:
    """All files, in a folder.

    Args:
        folder: Where to.
    """
    rows = predictions()
    _write(folder / "predictions.csv", COLUMNS, rows)
    shutil.copy(Path(examples.__file__).with_name("ten_cases.csv"), folder / "ten_cases.csv")
    for name in ("new.csv", "outcomes.csv", "visits.csv", "both.csv", "a.csv"):
        shutil.copy(folder / "predictions.csv", folder / name)
    values = [(f"data set {i + 1}", 0.9 - i / 100, 0.88 - i / 90, 0.83 - i / 95) for i in range(10)]
    _write(folder / "results.csv", ("data", "boosting", "forest", "tree"), values)
    b = [(*row[:3], row[5], *row[4:]) for row in rows]  # the other model under the name p
    for name in ("old.csv", "baseline.csv", "b.csv"):
        _write(folder / name, COLUMNS, b)
    (folder / "tests").mkdir(exist_ok=True)
    (folder / "predictions").mkdir(exist_ok=True)
    for day in ("2024-05-06", "2024-05-07"):
        (folder / "preds" / f"day={day}").mkdir(parents=True, exist_ok=True)
    with duckdb.connect() as session:
        for name in ("predictions.parquet", "tests/predictions.parquet", "preds/day=2024-05-06/part.parquet",
                     "preds/day=2024-05-07/part.parquet", "preds/all.parquet"):  # fmt: skip
            session.read_csv(folder / "predictions.csv").write_parquet(str(folder / name))
        ranking = session.read_csv(folder / "predictions.csv").aggregate(
            "p as score, sum(y) as pos, sum(1 - y) as neg, 0 as missing", "p"
        )
        ranking.write_csv(str(folder / "out.csv"))
    for name in ("may.ranking", "june.ranking"):
        rank([row[2] for row in rows], [row[3] for row in rows]).save(folder / name, overwrite=True)


def _write(path: Path, names: Iterable[str], rows: Iterable[Iterable[object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        writer.writerows(rows)
