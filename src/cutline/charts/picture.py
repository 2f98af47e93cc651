"""A finished chart: it shows itself in a notebook, and saves itself as a file without any network."""

from __future__ import annotations

import json
import os
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import altair as alt

from cutline.core.columns import number
from cutline.core.errors import ParameterError
from cutline.core.writing import write

MOST_DOTS = 20
SEPARATOR = "-"
SUFFIXES = (".png", ".svg", ".pdf", ".html", ".json")


class InsideScript(json.JSONEncoder):
    """JSON that can stand inside a script of a page: no text in it, such as a model's name, ends the script."""

    def encode(self, o: Any) -> str:
        """The text, in which a < is written by its number."""
        return super().encode(o).replace("<", "\\u003c")


@dataclass(frozen=True, eq=False, repr=False)
class Picture:
    """A chart by name. `altair` is the Altair chart itself, to change or to combine with others."""

    name: str
    altair: Any

    def to_dict(self, *, check: bool = True) -> dict[str, Any]:
        """The Vega-Lite specification, checked against its schema, which takes longer than writing it."""
        spec = dict(self.altair.to_dict(validate=check))
        rows = {**spec.get("datasets", {}), **_named_rows(spec)}
        return spec | {"datasets": {name: list(own) for name, own in rows.items()}}

    def to_json(self) -> str:
        """The Vega-Lite specification as text."""
        return json.dumps(self.to_dict(), allow_nan=False, separators=(",", ":"))

    def to_html(self) -> str:
        """A page that holds the chart and the program that draws it: opening it asks no server for anything."""
        safe = {"cls": InsideScript}
        return str(self.altair.to_html(inline=True, embed_options={"actions": False}, fullhtml=True, json_kwds=safe))

    def render(self, suffix: str, *, scale: float = 2.0) -> bytes:
        """The file of a suffix, such as .png, as bytes."""
        if not 0.1 <= number(scale, "scale") <= MOST_DOTS:
            raise ParameterError(f"scale is {scale!r}: pass a number of dots to a pixel from 0.1 to {MOST_DOTS}.")
        if suffix == ".json":
            return self.to_json().encode()
        if suffix == ".html":
            return self.to_html().encode()
        if suffix == ".svg":
            text = StringIO()
            self.altair.save(text, format="svg")
            return text.getvalue().encode()
        if suffix in (".png", ".pdf"):
            file = BytesIO()
            self.altair.save(file, format=suffix[1:], **({"scale_factor": scale} if suffix == ".png" else {}))
            return squeezed(file.getvalue()) if suffix == ".png" else file.getvalue()
        found = f"the suffix {suffix!r}" if suffix else "no suffix"
        raise ParameterError(f"A chart cannot be saved with {found}: pass a path that ends in {', '.join(SUFFIXES)}.")

    def save(self, path: str | os.PathLike[str], *, scale: float = 2.0) -> Path:
        """Write the file that the suffix names: whole, or not at all. A .png has `scale` dots to a pixel."""
        if not isinstance(path, str | os.PathLike):
            raise ParameterError(f"path is {path!r}: pass the path of a file, such as 'roc.png'.")
        target = Path(path)
        return write(target, self.render(target.suffix.lower(), scale=scale), overwrite=True)

    def _repr_mimebundle_(self, *args: Any, **more: Any) -> Any:
        return self.altair._repr_mimebundle_(*args, **more)

    def __repr__(self) -> str:
        return f"Picture of {self.name}: .save(path) writes {', '.join(SUFFIXES)}"


def _named_rows(spec: dict[str, Any]) -> dict[str, Any]:
    """The rows that have a name, taken out of the layers that show them: several may show the same."""
    found: dict[str, Any] = {}
    for key in ("layer", "hconcat", "vconcat"):
        for part in spec.get(key, ()):
            found |= _named_rows(part)
    data = spec.get("data", {})
    if "name" in data and "values" in data:
        name = data["name"].partition(SEPARATOR)[0]
        found[name] = data["values"]
        spec["data"] = {"name": name}
    return found


def squeezed(png: bytes) -> bytes:
    """The same picture in fewer bytes: its one stream of data compressed as well as it can be."""
    chunks, at = [], 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        chunks.append((png[at + 4 : at + 8], png[at + 8 : at + 8 + length]))
        at += length + 12
    data = zlib.compress(zlib.decompress(b"".join(body for kind, body in chunks if kind == b"IDAT")), 9)
    kept = [chunk for chunk in chunks if chunk[0] != b"IDAT"]
    whole = [*kept[:-1], (b"IDAT", data), kept[-1]]
    parts = [struct.pack(">I", len(b)) + k + b + struct.pack(">I", zlib.crc32(k + b)) for k, b in whole]
    return png[:8] + b"".join(parts)


def inline(rows: Sequence[dict[str, Any]], name: str | None = None) -> alt.InlineData:
    """Rows as data of a chart, whatever their number; under a name, if a program is to find them.

    As a tuple, because Altair copies lists with all that is in them whenever it changes a chart; and set afterwards,
    because it would check the rows one by one against a schema that lets every row pass.
    """
    data = alt.InlineData(values=())
    data.values = tuple(rows)
    if name is not None:  # with a number that only these rows have, so that pictures can be put together
        data.name = f"{name}{SEPARATOR}{zlib.crc32(json.dumps(rows).encode()):08x}"
    return data
