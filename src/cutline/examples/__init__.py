"""Example predictions that come with the package."""

from __future__ import annotations

import csv
from importlib.resources import files
from typing import NamedTuple

from cutline.core.errors import UnknownNameError, near

DESCRIPTIONS = {
    "ten_cases": "the ten cases of Berrar's Figure 2",
    "tumours": "569 breast tumours, malignant or benign, scored out of fold by two models",
}


class Example(NamedTuple):
    """Labels, the scores of one or more models, and which label is positive."""

    description: str
    labels: list[str]
    scores: dict[str, list[float]]
    positive: str


def load(name: str) -> Example:
    """One of the example sets.

    >>> load("ten_cases").labels[:4]
    ['1', '1', '0', '1']
    """
    if name not in DESCRIPTIONS:
        raise UnknownNameError(
            f"There is no example {name!r}", f"choose {' or '.join(DESCRIPTIONS)}", hint=near(name, DESCRIPTIONS)
        )
    with (files(__package__) / f"{name}.csv").open(encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    labels, *columns = zip(*rows, strict=True)
    scores = {model: [float(text) for text in column] for model, column in zip(header[1:], columns, strict=True)}
    return Example(DESCRIPTIONS[name], list(labels), scores, {"ten_cases": "1", "tumours": "malignant"}[name])
