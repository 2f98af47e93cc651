"""Formulas as a terminal can show them: LaTeX turned into one line of plain characters."""

from __future__ import annotations

import re
import unicodedata

_GREEK = {name.lower(): chr(code) for code in range(945, 970) for name in [unicodedata.name(chr(code)).split()[-1]]}
_SIGNS = _GREEK | {
    "Delta": "\N{GREEK CAPITAL LETTER DELTA}",
    "ell": "\N{SCRIPT SMALL L}",
    "sum": "\N{GREEK CAPITAL LETTER SIGMA}",
    "int": "\N{INTEGRAL}",
    "cdot": "\N{MIDDLE DOT}",
    "ge": "\N{GREATER-THAN OR EQUAL TO}",
    "le": "\N{LESS-THAN OR EQUAL TO}",
    "infty": "\N{INFINITY}",
    **dict.fromkeys((",", "quad", " "), " "),
    **dict.fromkeys(("left", "right", "text", "operatorname"), ""),
}
_ACCENTS = {"hat": "\N{COMBINING CIRCUMFLEX ACCENT}", "bar": "\N{COMBINING MACRON}"}
_PIECE = re.compile(r"\\[A-Za-z]+|\\.|[{}]|[^\\{}]")


def plain_formula(latex: str) -> str:
    r"""Return a formula in one line.

    >>> plain_formula(r"\frac{TP \cdot TN - FP \cdot FN}{\sqrt{P \cdot N}}")
    '(TP · TN - FP · FN)/√(P · N)'
    >>> plain_formula(r"-\frac1n \sum_i (y_i - \hat p_i)^2")
    '-1/n Σ_i (y_i - p̂_i)^2'
    """
    text = _plain_text(pieces := _PIECE.findall(latex), 0, len(pieces))
    return re.sub(r" ([)\]])", r"\1", re.sub(r" +", " ", text)).strip()


def _plain_text(pieces: list[str], start: int, end: int) -> str:
    """Return the pieces from start to end as text."""
    parts: list[str] = []
    at = start
    while at < end:
        piece = pieces[at]
        at += 1
        name = piece[1:]
        if not piece.startswith("\\"):
            if piece == "{":
                close = _closing(pieces, at)
                inside = _plain_text(pieces, at, close)
                is_index = bool(parts) and parts[-1] in ("_", "^") and not inside.isalnum()
                parts.append(f"({inside})" if is_index else inside)
                at = close + 1
            else:
                parts.append(piece)
        elif name in ("frac", "tfrac"):
            above, at = _argument(pieces, at)
            below, at = _argument(pieces, at)
            parts.append(f"{_bracket(above)}/{_bracket(below)} ")
        elif name == "sqrt":
            inside, at = _argument(pieces, at)
            parts.append(f"√{inside}" if len(inside) == 1 else f"√({inside})")
        elif name in _ACCENTS:
            inside, at = _argument(pieces, at)
            parts.append(inside + _ACCENTS[name])
        else:
            parts.append(_SIGNS.get(name, name))
    return "".join(parts)


def _argument(pieces: list[str], at: int) -> tuple[str, int]:
    """Return the next argument of a command, and where it ends."""
    while pieces[at] == " ":
        at += 1
    if pieces[at] != "{":
        return _plain_text(pieces, at, at + 1), at + 1
    close = _closing(pieces, at + 1)
    return _plain_text(pieces, at + 1, close), close + 1


def _closing(pieces: list[str], at: int) -> int:
    depth = 1
    while depth:
        depth += {"{": 1, "}": -1}.get(pieces[at], 0)
        at += 1
    return at - 1


def _bracket(text: str) -> str:
    """Return a part of a fraction, in brackets where it is more than one factor."""
    text = text.strip()
    return text if re.fullmatch(r"[\w.√]+(\([^()]*\))?", text) else f"({text})"
