"""What a ranking holds, in words: how many cases, and what its two classes are called."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from cutline.core.counts import CLASSES, written

if TYPE_CHECKING:
    from cutline.core.ranking import Ranking

_LONGEST = 30  # characters of a class's name in the head of a table


def cases_of(ranking: Ranking, number: Callable[[Any], str] = written) -> str:
    """How many cases there are, or what they weigh; `number` writes the number."""
    if ranking.pos2 is not ranking.pos or ranking.neg2 is not ranking.neg:
        return f"cases of weight {number(ranking.total)}"
    return f"{number(ranking.total)} case" + ("" if ranking.total == 1 else "s")


def class_titles(positive: Any, negative: Any) -> tuple[str, str]:
    """What tables call the two classes: by their own names too, unless the labels are the usual 1 and 0.

    Args:
        positive: The label of the positive class.
        negative: The label of the other; None where nobody knows it.

    >>> class_titles("default", "paid")
    ('default (positive)', 'paid (negative)')
    >>> class_titles(1, 0), class_titles(0, 1)
    (('positive', 'negative'), ('0 (positive)', '1 (negative)'))
    """
    if _is_usual(positive, negative):
        return CLASSES
    return _titled(positive, CLASSES[0]), CLASSES[1] if negative is None else _titled(negative, CLASSES[1])


def plural_titles(ranking: Ranking) -> tuple[str, str]:
    """What a legend calls the cases of the two classes.

    Args:
        ranking: The ranking of the cases.
    """
    return ("positives", "negatives") if ranking.class_titles == CLASSES else ranking.class_titles


def classes_in_words(ranking: Ranking) -> str:
    """Which label is positive, and which negative where that is not plain.

    Args:
        ranking: The ranking of the cases.
    """
    is_plain = ranking.negative is None or _is_usual(ranking.positive, ranking.negative)
    return f"positive is {ranking.positive!r}" + ("" if is_plain else f", negative is {ranking.negative!r}")


def unusual_names(ranking: Ranking) -> str:
    """The same as the end of a bracket; nothing where labels are the usual 1 and 0.

    Args:
        ranking: The ranking of the cases.
    """
    return "" if _is_usual(ranking.positive, ranking.negative) else f"; {classes_in_words(ranking)}"


def share_of_positives(ranking: Ranking) -> str:
    """The share of the positives as a percentage.

    Args:
        ranking: The ranking of the cases.
    """
    return f"{100 * (float(ranking.positives) / float(ranking.total)):.3g} %"


def _is_usual(positive: Any, negative: Any) -> bool:
    """Whether labels are so common that naming them tells nothing: 1 or true, and 0, -1 or false."""
    numbers = (bool, int, float, np.number, np.bool_)
    known = isinstance(positive, numbers) and positive == 1
    return known and (negative is None or (isinstance(negative, numbers) and negative in (0, -1)))


def _titled(label: Any, role: str) -> str:
    name = str(label)
    return f"{name if len(name) <= _LONGEST else name[: _LONGEST - 1] + '…'} ({role})"
