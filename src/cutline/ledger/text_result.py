"""Answers that are told in sentences: as text, and as paragraphs of a notebook."""

from __future__ import annotations

import html
from abc import ABC, abstractmethod


class TextResult(ABC):
    """What prints as its sentences."""

    @property
    @abstractmethod
    def sentences(self) -> tuple[str, ...]:
        """The answer in sentences, the most important first."""

    def __str__(self) -> str:
        return "\n".join(self.sentences)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return "".join(f"<p>{html.escape(line)}</p>" for line in self.sentences)
