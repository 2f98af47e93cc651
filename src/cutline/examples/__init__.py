"""Example predictions that come with the package: two models of tumours, and the data of the sources."""

from __future__ import annotations

import csv
from importlib.resources import files
from typing import NamedTuple

from cutline.core.counts import Counts
from cutline.core.errors import UnknownNameError, hint_similar, shorten_repr

DESCRIPTIONS = {
    "ten_cases": "the ten cases of Berrar's Figure 2",
    "murphy_nine_cases": "the nine cases of Murphy's Tables 1 and 2, scored by two classifiers",
    "murphy_hard_classifiers": "the three hard classifiers of Murphy's Table 4, as shares of all cases",
    "arbel_ten_cases": "the ten cases of Arbel and Rokach's Tables 2 and 5",
    "arbel_perfect_order": "the ten cases of Arbel and Rokach's Table 3, in a perfect order",
    "tumours": "569 breast tumours, malignant or benign, scored out of fold by two models",
}
_PLACES = {  # other names: the places in the texts
    "berrar_figure_2": "ten_cases",
    "murphy_table_1": "murphy_nine_cases",
    "murphy_table_2": "murphy_nine_cases",
    "murphy_table_4": "murphy_hard_classifiers",
    "arbel_table_2": "arbel_ten_cases",
    "arbel_table_3": "arbel_perfect_order",
    "arbel_table_5": "arbel_ten_cases",
}


class Example(NamedTuple):
    """Labels, the scores of one or more models, and which label is positive; of hard classifiers, their tables."""

    description: str
    labels: list[str]
    scores: dict[str, list[float]]
    positive: str
    tables: dict[str, Counts]

    def __repr__(self) -> str:
        if self.tables:
            return f"Example: {self.description}; tables {', '.join(self.tables)}"
        positives = self.labels.count(self.positive)
        return (
            f"Example: {self.description}; {len(self.labels)} cases, {positives} of them {self.positive!r}; "
            f"scores {', '.join(self.scores)}"
        )


def load(name: str) -> Example:
    """Return one of the example sets.

    Args:
        name: a name in `DESCRIPTIONS`, or the place in a source, such as "arbel_table_2".

    >>> load("ten_cases").labels[:4]
    ['1', '1', '0', '1']
    >>> load("murphy_table_4").tables["B"]
    Counts(tp=0.8, fp=0, fn=0.1, tn=0.1)
    >>> load("tumours")
    Example: 569 breast tumours, malignant or benign, scored out of fold by two models; 569 cases, 212 of them \
'malignant'; scores logistic, tree
    """
    example = _PLACES.get(name, name) if isinstance(name, str) else ""
    if example not in DESCRIPTIONS:
        known = ", ".join(DESCRIPTIONS)
        hint = hint_similar(name, [*DESCRIPTIONS, *_PLACES])
        raise UnknownNameError(f"There is no example {shorten_repr(name)}", f"choose one of {known}", hint=hint)
    if example == "murphy_hard_classifiers":
        tables = {
            "A": Counts(tp=0.9, fp=0.1, fn=0, tn=0),
            "B": Counts(tp=0.8, fp=0, fn=0.1, tn=0.1),
            "C": Counts(tp=0.78, fp=0, fn=0.12, tn=0.1),
        }
        return Example(DESCRIPTIONS[example], [], {}, "1", tables)
    with (files(__package__) / f"{example}.csv").open(encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    labels, *columns = zip(*rows, strict=True)
    scores = {model: [float(text) for text in column] for model, column in zip(header[1:], columns, strict=True)}
    return Example(DESCRIPTIONS[example], list(labels), scores, "malignant" if example == "tumours" else "1", {})
