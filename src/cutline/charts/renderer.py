"""The program that draws: Vega, as the package vl-convert runs it, without any network."""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import cutline.charts.vega_lite as alt
from cutline.core.atomic_write import write
from cutline.core.errors import CutlineError
from cutline.core.extras import require
from cutline.core.memory import find_limit, make_address_space_error


def cache_on_disk(name: str, make: Callable[[], bytes]) -> bytes:
    """Return the content of a file in the user's cache, making it if it is missing or its checksum is wrong.

    Args:
        name: The name of the file, with the version of whatever makes it.
        make: Makes the content.
    """
    folder = _find_folder()
    if folder is None:
        return make()
    path = folder / name
    with suppress(OSError):
        checksum, _, content = path.read_bytes().partition(b"\n")
        if checksum == _compute_checksum(content):
            return content
    content = make()
    with suppress(OSError, CutlineError):  # a full disk costs time at the next call, nothing else
        write(path, _compute_checksum(content) + b"\n" + content, overwrite=True)
    return content


def _compute_checksum(content: bytes) -> bytes:
    return hashlib.sha256(content).hexdigest().encode()


def _find_folder() -> Path | None:
    """Return the cache folder, created if it is missing; None if another user could write to it."""
    named = os.environ.get("CUTLINE_CACHE")
    if named == "":
        return None
    try:
        folder = Path(named) if named else _find_system_folder() / "cutline"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        about = folder.stat()
    except (OSError, RuntimeError):  # there may be no home
        return None
    if hasattr(os, "getuid") and (about.st_uid != os.getuid() or about.st_mode & (stat.S_IWGRP | stat.S_IWOTH)):
        return None
    return folder


def _find_system_folder() -> Path:
    """Return the cache folder of the operating system."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


# vl-convert draws on a thread of its own, which a forked process does not have: there it would wait for ever.
_lost_its_thread = False

_RESERVED = 72 * 10**9  # bytes of address space that V8, in which Vega runs, reserves; 67 were too few

# The program of a fresh Python process, for a process that cannot draw.
_IN_A_FRESH_PROCESS = """
import json, sys, vl_convert
name, arguments, options = json.load(sys.stdin)
made = getattr(vl_convert, name)(*arguments, **options)
sys.stdout.buffer.write(made if isinstance(made, bytes) else made.encode())
"""


def _forget_renderer() -> None:
    global _lost_its_thread  # noqa: PLW0603 - it is a fact about this process
    _lost_its_thread = "vl_convert" in sys.modules


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_renderer)


def render_svg(spec: dict[str, Any]) -> str:
    """Render a Vega-Lite specification as SVG."""
    schema = "_".join(alt.SCHEMA_VERSION.split(".")[:2])
    return _render("vegalite_to_svg", write_spec(spec), vl_version=schema).decode()


# As JSON writes them: pairs, which are one character, and what cannot be drawn: control characters and halves of pairs,
# which a picture cannot hold and which end the process that draws; line separators, which end an expression of Vega;
# marks that turn the line.
_UNDRAWABLE = re.compile(
    r"(\\+)u(?:(d[89ab][0-9a-f]{2})(\\+)u(d[c-f][0-9a-f]{2})|(00(?:0[0-8bcef]|1[0-9a-f]|7f|[89][0-9a-f]|ad)"
    r"|061c|200[b-f]|202[89a-e]|206[0-9a-f]|feff|fff[ef]|d[89a-f][0-9a-f]{2}))"
)
_SHORT = re.compile(r"(?<!\\)((?:\\\\)*)\\([bf])")  # a backspace or a form feed
_CODES = {"b": "0008", "f": "000c"}


def escape_undrawable(text: str) -> str:
    r"""Escape the characters of a JSON text that cannot be drawn.

    Inside an expression, a text is JSON within JSON and has twice the backslashes: the same rule keeps both alike.

    >>> print(escape_undrawable(json.dumps({"a": "x\x1b\u2028y", "b": '"x\\u001b"', "c": "\b"})))
    {"a": "x\\u001b\\u2028y", "b": "\"x\\\\u001b\"", "c": "\\u0008"}
    """
    return _UNDRAWABLE.sub(_spell_out, _SHORT.sub(lambda match: rf"{match[1]}\u{_CODES[match[2]]}", text))


def _spell_out(match: re.Match[str]) -> str:
    """Return an escape as a text that shows it, with twice the backslashes; a pair stays unless it is invisible."""
    slashes, first, between, second, single = match.groups()
    if single:
        return f"{2 * slashes}u{single}"
    return f"{2 * slashes}u{first}{2 * between}u{second}" if first == "db40" else match[0]


def write_spec(spec: dict[str, Any]) -> str:
    """Write a specification as JSON, with escapes for characters that cannot be drawn."""
    return escape_undrawable(json.dumps(spec, allow_nan=False, separators=(",", ":")))


def start() -> None:
    """Start the renderer, so that the first picture need not wait for it."""
    render_svg({"data": {"values": []}, "mark": "point"})


def render_png(picture: str, dots: float) -> bytes:
    """Render an SVG picture as PNG, with a number of dots for each pixel."""
    return _render("svg_to_png", picture, scale=dots)


# A pixel is 1/96 of an inch, as in browsers; a unit of PDF is 1/72, and the converter takes the one for the other.
PIXELS_PER_INCH = 96
_UNIT = 72 / PIXELS_PER_INCH
_SIZE = re.compile(r'(<svg[^>]*?) width="([\d.]+)" height="([\d.]+)"')


def measure_svg(picture: str) -> tuple[float, float]:
    """Return the width and height of an SVG picture, in pixels."""
    match = _SIZE.search(picture)
    if match is None:
        raise ValueError("This is no SVG picture with a size.")
    return float(match[2]), float(match[3])


def render_pdf(picture: str) -> bytes:
    """Render an SVG picture as PDF of the same size."""
    width, height = measure_svg(picture)
    inches = f'\\1 width="{_UNIT * width:g}" height="{_UNIT * height:g}"'
    return _render("svg_to_pdf", _SIZE.sub(inches, picture, count=1))


@cache
def load_program() -> str:
    """Return the program that draws charts in a browser, as text that can stand inside a script of a page.

    It takes seconds to put together, so that it is cached on disk.
    """
    require("vl_convert")  # before its version, whose absence says less
    made_by = version("vl-convert-python")
    bundle = cache_on_disk(
        f"vega-{made_by}.js", lambda: _render("javascript_bundle", "window.vegaEmbed = vegaEmbed;")
    ).decode()
    return bundle.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _render(name: str, *arguments: Any, **options: Any) -> bytes:
    """Call a function of vl-convert; in a forked process, or under a memory limit, in a fresh process.

    It reserves a large address space and may crash under such a limit.
    """
    if _lost_its_thread or find_limit() is not None:
        return _render_elsewhere(name, arguments, options)
    content = getattr(require("vl_convert"), name)(*arguments, **options)
    return content if isinstance(content, bytes) else str(content).encode()


def _render_elsewhere(name: str, arguments: tuple[Any, ...], options: dict[str, Any]) -> bytes:
    task = json.dumps([name, arguments, options]).encode()
    paths = {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = [sys.executable, "-c", _IN_A_FRESH_PROCESS]
    try:
        return subprocess.run(command, input=task, capture_output=True, check=True, env=os.environ | paths).stdout  # noqa: S603
    except subprocess.CalledProcessError:
        limit = find_limit()
        if limit is None or limit >= _RESERVED:
            raise
        raise make_address_space_error("the program that draws", limit, _RESERVED) from None
