"""The file page: one offline HTML file that ranks the predictions of a file in the browser and shows the measures."""

from __future__ import annotations

import os
from pathlib import Path

from cutline.core import atomic_write
from cutline.core.validation import LEVEL, check_flag, check_path


def save(path: str | os.PathLike[str], *, level: float = LEVEL, overwrite: bool = False) -> Path:
    """Write the page, and return its path.

    Args:
        path: Where to write, such as "cutline.html".
        level: The level of the intervals and of the promises that the page shows.
        overwrite: Whether a file that exists is replaced; refused otherwise.
    """
    target, overwrite = check_path(path, "path", "cutline.html"), check_flag(overwrite, "overwrite")
    atomic_write.check(target, overwrite=overwrite)
    from cutline.file_page.page import render_page

    return atomic_write.write(target, render_page(level).encode(), overwrite=overwrite)
