"""load(): what cutline wrote to a file, as the object that it was."""

from __future__ import annotations

import json
import os
from typing import Any

from cutline.calibration.recalibration import SCHEMA as RECALIBRATION
from cutline.calibration.recalibration import Recalibration
from cutline.core.errors import InputError, quote_if_unclear
from cutline.core.public import public
from cutline.core.ranking_file import is_ranking_file
from cutline.core.ranking_file import load as load_ranking
from cutline.core.validation import check_path
from cutline.cuts.cut import SCHEMA, Cut
from cutline.monitoring.monitors import SCHEMA as MONITOR
from cutline.monitoring.monitors import Monitor

MOST_BYTES = 2**28


@public
def load(path: str | os.PathLike[str]) -> Any:
    """Return the object that a file of cutline holds.

    Args:
        path: A file that `Ranking.save`, `Cut.save`, `Recalibration.save`, `Monitor.save`, or `cutline rank`, `merge`,
            `cut` or `recalibrate` with `-o` wrote.
    """
    where = check_path(path, "path", "cut.json")
    if is_ranking_file(where):
        return load_ranking(where)
    title = quote_if_unclear(where.name or str(where))
    try:
        with where.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise InputError(f"There is no file {str(path)!r}", "pass one that cutline wrote") from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "no such name"
        raise InputError(f"{title} cannot be read ({why})", "pass a file that cutline wrote") from None
    if len(content) > MOST_BYTES:  # as of a device that never ends
        raise InputError(f"{title} is longer than any file of cutline", "pass a file that cutline wrote")
    try:
        document = json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError):
        raise InputError(
            f"{title} is neither JSON nor a ranking file", "pass a file that cutline wrote, such as cut.json"
        ) from None
    schema = document.get("schema") if isinstance(document, dict) else None
    if schema == RECALIBRATION:
        return Recalibration.from_dict(document)
    if schema == MONITOR:
        return Monitor.from_state(document, title)
    if schema != SCHEMA:
        way_out = f"pass a file with the schema {SCHEMA!r}, as `cutline cut -o` writes it, or {RECALIBRATION!r}"
        raise InputError(f"{title} is neither a cut nor a recalibration", way_out)
    return Cut.from_dict(document)
