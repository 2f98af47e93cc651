"""The data sets of Arbel & Rokach's experiment: from a folder, from OpenML, or those that scikit-learn ships."""

from __future__ import annotations

import csv
import hashlib
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from cutline.core.errors import InputError, ParameterError

CLASS = "class"
LEAST = 3
_MISSING = ("", "?")
_EVERY = ("*",)
_TRIES = 3  # downloads that fail before one succeeds, after which there is no network

# By data set: its name in the tables, its number at OpenML, and its numeric columns; the others are nominal.
KNOWN: dict[str, tuple[str, int, tuple[str, ...]]] = {
    "australian": ("Aust", 40981, ("A2", "A3", "A7", "A10", "A13", "A14")),
    "audiology": ("Audiology", 7, ()),
    "breast-cancer": ("Breast .Ca", 13, ()),
    "hepatitis": ("Hepatitis", 55, ("AGE", "BILIRUBIN", "ALK_PHOSPHATE", "SGOT", "ALBUMIN", "PROTIME")),
    "iris": ("Iris", 61, _EVERY),
    "kr-vs-kp": ("Kr-vs-kp", 3, ()),
    "labor": (
        "Labor",
        4,
        (
            *("duration", "wage-increase-first-year", "wage-increase-second-year", "wage-increase-third-year"),
            *("working-hours", "standby-pay", "shift-differential", "statutory-holidays"),
        ),
    ),
    "lung-cancer": ("Lung Ca.", 163, ()),
    "monks1": ("Monks1", 333, ()),
    "monks2": ("Monks2", 334, ()),
    "monks3": ("Monks3", 335, ()),
    "mushroom": ("MUSH", 24, ()),
    "nursery": ("Nurse", 26, ()),
    "optdigits": ("OPTIC", 28, _EVERY),
    "pima-diabetes": ("Pima I. Dia.", 37, _EVERY),
    "sonar": ("Sonar", 40, _EVERY),
    "soybean": ("Soybean", 42, ()),
    "vote": ("Vote", 56, ()),
    "wine": ("Wine", 187, _EVERY),
    "zoo": ("Zoo", 62, ("legs",)),
}
IDENTIFIERS = {"zoo": ("animal",)}


@dataclass(frozen=True, eq=False)
class DataSet:
    """A data set: its numeric columns (NaN: missing), its nominal ones (codes, -1: missing) and its classes (codes)."""

    name: str
    numeric: npt.NDArray[Any]
    nominal: npt.NDArray[Any]
    y: npt.NDArray[Any]
    classes: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.y)

    @cached_property
    def fingerprint(self) -> str:
        """Checksum that identifies the data set among others of its name."""
        columns = (np.ascontiguousarray(column).tobytes() for column in (self.numeric, self.nominal, self.y))
        return hashlib.sha256(b"|".join(columns)).hexdigest()[:16]

    @property
    def smallest(self) -> int:
        """Class with the fewest cases, but at least `LEAST`; of several, the last.

        A class of one or two cases cannot stand in both parts of a split. Of Iris, whose classes have one size, the
        text's numbers show that the first was taken as the largest, so another was the smallest.
        """
        counts = np.bincount(self.y)
        able = np.flatnonzero(counts >= LEAST)
        return int(able[::-1][np.argmin(counts[able][::-1])])

    @property
    def largest(self) -> int:
        """Class with the most cases, the first of several."""
        return int(np.argmax(np.bincount(self.y)))


def from_columns(name: str, columns: dict[str, list[str]]) -> DataSet:
    """Return a data set from its columns as text.

    Args:
        name: The name of the data set; columns of the known ones are numeric or nominal as `KNOWN` says, those of
            others numeric where every value is a number.
        columns: The columns by their names; one is called "class".
    """
    if CLASS not in columns:
        raise InputError(f"{name}: there is no column {CLASS!r} (columns: {', '.join(columns)}).")
    labels = columns[CLASS]
    if any(label in _MISSING for label in labels):
        raise InputError(f"{name}: the column {CLASS!r} has missing values.")
    classes = tuple(sorted({*labels}))
    if sum(labels.count(label) >= LEAST for label in classes) < 2:
        raise InputError(f"{name}: fewer than two classes have {LEAST} cases or more.")
    features = {n: c for n, c in columns.items() if n != CLASS and n not in IDENTIFIERS.get(name, ())}
    if not features:
        raise InputError(f"{name}: there is no column beside {CLASS!r} to learn from.")
    numeric_names = KNOWN[name][2] if name in KNOWN else tuple(n for n, c in features.items() if _are_all_numbers(c))
    absent = [n for n in numeric_names if numeric_names != _EVERY and n not in features]
    if absent:  # taken as nominal under another name, they would give other numbers without a word
        raise InputError(f"{name}: the numeric columns {', '.join(absent)} are missing.")
    numeric = [n for n in features if numeric_names == _EVERY or n in numeric_names]
    try:
        numbers = [[float("nan") if v in _MISSING else float(v) for v in features[n]] for n in numeric]
    except ValueError as error:
        raise InputError(f"{name}: a numeric column holds text ({error}).") from None
    codes = [_number_values(features[n]) for n in features if n not in numeric]
    rows, order = len(labels), {label: i for i, label in enumerate(classes)}
    return DataSet(
        name,
        np.array(numbers, dtype=float).T.reshape(rows, len(numbers)),
        np.array(codes, dtype=np.int64).T.reshape(rows, len(codes)),
        np.array([order[label] for label in labels]),
        classes,
    )


def _are_all_numbers(values: list[str]) -> bool:
    try:
        return len({float(value) for value in values if value not in _MISSING}) > 0
    except ValueError:
        return False


def _number_values(values: list[str]) -> list[int]:
    order = {value: i for i, value in enumerate(sorted({*values} - {*_MISSING}))}
    return [order.get(value, -1) for value in values]


def read_folder(folder: Path) -> Iterator[tuple[str, DataSet | str]]:
    """Return the known data sets that a folder holds as CSV files, each by its name, or why one of them cannot be
    used.
    """
    if not folder.is_dir():
        raise ParameterError(
            f"There is no folder {str(folder)!r}", "pass the folder that holds the data sets as CSV files"
        )
    if not any((folder / f"{name}.csv").exists() for name in KNOWN):
        raise ParameterError(
            f"The folder {str(folder)!r} holds none of the data sets: expected {', '.join(KNOWN)} as .csv files."
        )
    for name in KNOWN:
        path = folder / f"{name}.csv"
        try:
            yield name, _read(name, path) if path.exists() else f"{name}: there is no file {path.name} in the folder."
        except InputError as error:
            yield name, str(error)
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            yield name, f"{name}: the file cannot be read ({_take_first_line(error)})."


def _take_first_line(error: Exception) -> str:
    return (str(error).splitlines() or [""])[0].rstrip(".") or type(error).__name__


def _read(name: str, path: Path) -> DataSet:
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    if len(rows) < 2:
        raise InputError(f"{name}: the file is empty.")
    header, *body = rows
    if any(len(row) != len(header) for row in body):
        raise InputError(f"{name}: a row does not have the {len(header)} fields of the header.")
    return from_columns(name, {column: [row[i] for row in body] for i, column in enumerate(header)})


def fetch_datasets() -> Iterator[tuple[str, DataSet | str]]:
    """Return the known data sets from OpenML, each by its name, or why one of them cannot be used.

    Raises OSError where the first of them all fail, so that OpenML counts as out of reach, and ImportError without
    pandas.
    """
    import pandas as pd  # noqa: F401 - scikit-learn reads OpenML with it

    failed: list[str] = []
    is_reached = False
    for name in KNOWN:
        try:
            columns = _download(name)
        except Exception as error:  # any: what a server sends may break the reader in any way
            failed.append(f"{name}: it cannot be fetched from OpenML ({_take_first_line(error)}).")
            if not is_reached and len(failed) == _TRIES:
                raise OSError(failed[0]) from error
            yield name, failed[-1]
            continue
        is_reached = True
        try:
            yield name, from_columns(name, columns)
        except InputError as error:
            yield name, str(error)


def _download(name: str) -> dict[str, list[str]]:
    """Return the columns of a data set at OpenML as text, the class among them."""
    from sklearn.datasets import fetch_openml

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what fails is told once, by the study
        bunch = fetch_openml(data_id=KNOWN[name][1], as_frame=True, parser="auto", n_retries=1)
    frame = bunch.data.astype("object").where(bunch.data.notna(), "").astype(str)
    return {column: frame[column].tolist() for column in frame} | {CLASS: bunch.target.astype(str).tolist()}


def load_shipped() -> Iterator[tuple[str, DataSet | str]]:
    """Return the data sets that come with scikit-learn; two of them are of the experiment, two others only like it."""
    from sklearn import datasets

    loaders = {"iris": datasets.load_iris, "wine": datasets.load_wine}
    loaders |= {"breast-tumours": datasets.load_breast_cancer, "digits": datasets.load_digits}
    for name, load in loaders.items():
        bunch = load()
        classes = tuple(str(label) for label in bunch.target_names)
        yield name, DataSet(name, bunch.data, np.zeros((len(bunch.data), 0), np.int64), bunch.target, classes)
