"""Writes docs/companion/*.md: every numbered thing of the four texts with the call that gives it and what it gives."""

import tomllib
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "companion"
NAMES = ("berrar", "murphy", "arbel-rokach", "sonnenburg")
COMMAND = "cutline study"
HEAD = "| in the text | what | call | gives | printed | note |"
END = "Where the printed number cannot be right, [the errata](../errata.md) say why. Written by `make docs`."


def namespace(setup: str) -> dict[str, Any]:
    """What the calls of a companion see: the names that its first block of code makes."""
    names: dict[str, Any] = {}
    exec(setup, names)  # noqa: S102 - our own file
    return names


def value_of(call: str, names: dict[str, Any]) -> Any:
    """What a call gives; a command is not run here."""
    return None if call.startswith(COMMAND) else eval(call, names)  # noqa: S307 - our own file


def shown(value: Any) -> str:
    """A value for the page: numbers with up to four decimals, small ones with more, results by their kind."""
    if value is None:
        return ""
    if isinstance(value, bool | str) or type(value).__name__ == "bool":  # that of numpy too
        return str(value)
    if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        return "[" + ", ".join(repr(item) if isinstance(item, str) else shown(item) for item in value) + "]"
    try:
        number = float(value)
    except (TypeError, ValueError):
        return _kind(value)
    if abs(number) < 5e-13:
        return "0"
    return f"{number:.4f}".rstrip("0").rstrip(".") if abs(number) >= 0.001 else f"{number:.5g}"


def _kind(value: Any) -> str:
    name = type(value).__name__
    kinds = {"Picture": "a chart", "function": "a function"}
    if name in kinds:
        return kinds[name]
    return f"{name} of {len(value)} rows" if hasattr(value, "to_frame") and hasattr(value, "__len__") else f"{name}"


def page(name: str) -> str:
    """The companion as Markdown."""
    text = tomllib.loads((FOLDER / f"{name}.toml").read_text(encoding="utf-8"))
    try:
        names = namespace(text["setup"])
    except Exception as error:
        error.add_note(f"This is the setup of docs/companion/{name}.toml.")
        raise
    lines = [f"# {text['title']}", "", text["about"].strip(), "", "```python", text["setup"].strip(), "```", ""]
    for part in text["part"]:
        lines += [f"## {part['title']}", "", HEAD, "|---|---|---|---|---|---|"]
        for place, what, call, printed, note in part["entries"]:
            try:
                value = value_of(call, names)
            except Exception as error:
                error.add_note(f"This is the call of {place!r}, {what!r}, in docs/companion/{name}.toml.")
                raise
            cells = [place, what, f"`{call}`", shown(value), printed, note]
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        lines.append("")
    return "\n".join([*lines, END, ""])


if __name__ == "__main__":
    for companion in NAMES:
        (FOLDER / f"{companion}.md").write_text(page(companion), encoding="utf-8")
