"""Colours and dashes that tell lines apart: on light and dark ground, for colour-blind people, in black and white."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from cutline.core.errors import ParameterError

MOST_MODELS = 12
# A long name is shortened in its middle: its end tells versions apart, and after it stands a number.
LONGEST = 52
SHORTENED = f"truncate(datum.label, {LONGEST}, 'center', '…')"

# Each line of a chart has a pattern of its own, so that no two need their colours to be told apart.
DASHES: tuple[tuple[int, ...], ...] = (
    (1, 0),
    (8, 4),
    (2, 2),
    (8, 3, 2, 3),
    (14, 4),
    (5, 5),
    (1, 4),
    (10, 2, 2, 2, 2, 2),
    (16, 4, 6, 4),
    (4, 2, 1, 2),
    (3, 7),
    (20, 8),
)
DOTTED = (2, 4)


@dataclass(frozen=True)
class Theme:
    """The colours of a chart. The lines contrast with the ground by 3 to 1 at least, the text by 7 to 1."""

    name: str
    ground: str
    text: str
    grid: str
    reference: str
    lines: tuple[str, ...]

    def colour(self, i: int) -> str:
        """Return the colour of the i-th line."""
        return self.lines[i % len(self.lines)]

    def of(self, which: Sequence[int]) -> Theme:
        """Return the theme for some of the lines; each keeps its colour."""
        return replace(self, lines=(*map(self.colour, which), *self.lines[len(which) :]))

    def fills(self, count: int) -> list[str]:
        """Return the colours of several kinds of bars, each paler than the last, so that they differ in grey too."""
        return [self._mix_with_ground(self.colour(i), 0.8 * i / max(count - 1, 1)) for i in range(count)]

    def _mix_with_ground(self, colour: str, share: float) -> str:
        """Return a colour with a share of the ground in it."""
        if not colour.startswith("#"):  # a variable of the page's style, which has one for each mixture
            return colour if not share else f"{colour[:-1]}-{round(100 * share)})"
        sides = zip(bytes.fromhex(colour[1:]), bytes.fromhex(self.ground[1:]), strict=True)
        return "#" + bytes(round((1 - share) * channel + share * ground) for channel, ground in sides).hex()

    def config(self) -> dict[str, Any]:
        """Return the Vega-Lite config of the theme."""
        axis = {
            "labelColor": self.text,
            "titleColor": self.text,
            "domainColor": self.reference,
            "tickColor": self.reference,
            "gridColor": self.grid,
            "labelFontSize": 11,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "labelFlush": False,
        }
        legend = {
            "orient": "right",
            "labelColor": self.text,
            "titleColor": self.text,
            "labelLimit": 320,
            "titleLimit": 320,
            "symbolSize": 120,
            "symbolStrokeWidth": 2,
            "titleFontWeight": "normal",
        }
        title = {
            "color": self.text,
            "subtitleColor": self.text,
            "anchor": "start",
            "fontSize": 15,
            "subtitleFontSize": 12,
            "subtitlePadding": 4,
            "offset": 10,
        }
        return {
            "background": self.ground,
            "axis": axis,
            "legend": legend,
            "title": title,
            "header": {"labelColor": self.text, "titleColor": self.text},
            "view": {"stroke": self.grid},
            "text": {"color": self.text},
        }


LIGHT = Theme(
    name="light",
    ground="#ffffff",
    text="#222222",
    grid="#e4e4e4",
    reference="#767676",
    lines=("#0077bb", "#c04a00", "#004d40", "#b5459f", "#8f6f00", "#222222"),
)
DARK = Theme(
    name="dark",
    ground="#1b1c20",
    text="#ececec",
    grid="#3a3b42",
    reference="#a0a0a0",
    lines=("#56b4e9", "#f0913f", "#1faf86", "#efb3d9", "#f0e442", "#d0d0d0"),
)
# For paper without colours: greys and dashes tell the lines apart.
PRINT = Theme(
    name="print",
    ground="#ffffff",
    text="#000000",
    grid="#dddddd",
    reference="#767676",
    lines=("#000000", "#7d7d7d", "#404040", "#8c8c8c", "#1a1a1a", "#5e5e5e"),
)
# For the page, whose style says what its colours are: they follow it into the dark and to print.
PAGE = Theme(
    name="page",
    ground="var(--ground)",
    text="var(--ink)",
    grid="var(--grid)",
    reference="var(--reference)",
    lines=tuple(f"var(--line-{i})" for i in range(len(LIGHT.lines))),
)
THEMES = {theme.name: theme for theme in (LIGHT, DARK, PRINT)}


def find_theme(name: Literal["light", "dark", "print"] | str) -> Theme:
    """Return a theme by its name."""
    if isinstance(name, str) and name in {*THEMES, PAGE.name}:
        return PAGE if name == PAGE.name else THEMES[name]
    raise ParameterError(f"is {name!r:.40}", "pass 'light', 'dark' or 'print'", argument="theme")
