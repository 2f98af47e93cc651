"""What a run leaves in its folder: whose modes, links and old contents must stay, and what is in the files it wrote."""

from __future__ import annotations

import csv
import random
from pathlib import Path

OLD = b"what was here before"
OUTPUTS = ("out.html", "out.json", "out.csv", "out.svg", "out.xml", "made.json", "made.csv", "made.parquet", "made.svg")
MODES = (0o600, 0o640, 0o664)
UMASKS = (0o077, 0o027, 0o022)


class Folder:
    """A folder before a run: some of the files that the run may write are there, of several modes, or links."""

    def __init__(self, identity: str, folder: Path, arguments: list[str]) -> None:
        dice = random.Random(f"{identity} in its folder")  # noqa: S311 - not for secrets
        self.folder, self.umask = folder, dice.choice(UMASKS)
        self.modes: dict[str, int] = {}
        self.links: list[str] = []
        for name in OUTPUTS if "--force" in arguments else ():
            if name not in arguments or dice.random() < 0.4:
                continue
            target = name
            if dice.random() < 0.3:
                target = f"elsewhere-{name}"
                (folder / name).symlink_to(target)
                self.links.append(name)
            (folder / target).write_bytes(OLD)
            (folder / target).chmod(dice.choice(MODES))
            self.modes[target] = (folder / target).stat().st_mode
        self.before = {*folder.iterdir()}

    def complaints(self, *, is_handed_on: bool = False) -> list[str]:
        """What is wrong with what the run left behind.

        Args:
            is_handed_on: Whether CSV files hold what a person's own file holds, which is not changed.
        """
        found = [f"{name} is no link now" for name in self.links if not (self.folder / name).is_symlink()]
        for name, mode in self.modes.items():
            if (now := (self.folder / name).stat().st_mode) != mode:
                found.append(f"{name} was {mode:o} and is {now:o}")
        for path in sorted({*self.folder.rglob("*")} - self.before):
            if path.is_symlink() or not (path.is_file() or path.is_dir()):
                continue
            if path.name.startswith(".cutline-"):
                found.append(f"{path.name} is left behind")
            elif (mode := path.stat().st_mode & 0o777) & self.umask:
                found.append(f"{path.name} is {mode:o} where the umask is {self.umask:o}")
        for path in self.folder.rglob("*.*"):
            if path.is_file() and path.stat().st_size < 5_000_000:
                found += in_file(path, is_handed_on=is_handed_on)
        return found


def in_file(path: Path, *, is_handed_on: bool = False) -> list[str]:
    """What is wrong in a file that cutline wrote."""
    content = path.read_bytes()
    if b"<html" in content[:1000] and b"Content-Security-Policy" not in content:
        return [f"{path.name} has no content security policy"]
    if path.name in ("out.csv", "x.csv", "made.csv") and not is_handed_on and content != OLD:
        return formulas(content.decode("utf-8-sig"), path.name)
    return []


def formulas(text: str, name: str) -> list[str]:
    """The cells that a spreadsheet would run."""
    return [
        f"{name} holds {cell[:40]!r}"
        for row in csv.reader(text.splitlines())
        for cell in row
        if cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d")) and not _is_number(cell)
    ]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
