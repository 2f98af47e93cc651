"""Formulas as a terminal can show them: LaTeX turned into one line of plain characters."""

from __future__ import annotations

import re

_SIGNS = {
    "pi": "π",
    "alpha": "α",
    "beta": "β",
    "sigma": "σ",
    "Delta": "Δ",
    "rho": "ρ",
    "gamma": "γ",
    "ell": "ℓ",
    "sum": "Σ",
    "int": "∫",
    "cdot": "·",
    "ge": "≥",
    "le": "≤",
    "infty": "∞",
    "left": "",
    "right": "",
    ",": " ",
    "quad": " ",
    "text": "",
    "operatorname": "",
    " ": " ",
}
_ACCENTS = {"hat": "\N{COMBINING CIRCUMFLEX ACCENT}", "bar": "\N{COMBINING MACRON}"}
_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[{}]|[^\\{}]")


def plain_formula(latex: str) -> str:
    r"""A formula in one line.

    >>> plain_formula(r"\frac{TP \cdot TN - FP \cdot FN}{\sqrt{P \cdot N}}")
    '(TP · TN - FP · FN)/√(P · N)'
    >>> plain_formula(r"-\frac1n \sum_i (y_i - \hat p_i)^2")
    '-1/n Σ_i (y_i - p̂_i)^2'
    """
    text = _told(tokens := _TOKEN.findall(latex), 0, len(tokens))
    return re.sub(r" ([)\]])", r"\1", re.sub(r" +", " ", text)).strip()


def _told(tokens: list[str], start: int, end: int) -> str:
    """The tokens from start to end as text."""
    parts, at = [], start
    while at < end:
        token = tokens[at]
        at += 1
        name = token[1:]
        if not token.startswith("\\"):
            if token == "{":
                close = _closing(tokens, at)
                inside = _told(tokens, at, close)
                is_index = bool(parts) and parts[-1] in ("_", "^") and not inside.isalnum()
                parts.append(f"({inside})" if is_index else inside)
                at = close + 1
            else:
                parts.append(token)
        elif name in ("frac", "tfrac"):
            above, at = _argument(tokens, at)
            below, at = _argument(tokens, at)
            parts.append(f"{_grouped(above)}/{_grouped(below)} ")
        elif name == "sqrt":
            inside, at = _argument(tokens, at)
            parts.append(f"√{inside}" if len(inside) == 1 else f"√({inside})")
        elif name in _ACCENTS:
            inside, at = _argument(tokens, at)
            parts.append(inside + _ACCENTS[name])
        else:
            parts.append(_SIGNS.get(name, name))
    return "".join(parts)


def _argument(tokens: list[str], at: int) -> tuple[str, int]:
    """The next argument of a command, and where it ends."""
    while tokens[at] == " ":
        at += 1
    if tokens[at] != "{":
        return _told(tokens, at, at + 1), at + 1
    close = _closing(tokens, at + 1)
    return _told(tokens, at + 1, close), close + 1


def _closing(tokens: list[str], at: int) -> int:
    depth = 1
    while depth:
        depth += {"{": 1, "}": -1}.get(tokens[at], 0)
        at += 1
    return at - 1


def _grouped(text: str) -> str:
    """A part of a fraction, in brackets where it is more than one factor."""
    text = text.strip()
    return text if re.fullmatch(r"[\w.√]+(\([^()]*\))?", text) else f"({text})"
