"""Studies: a question from a text, the settings of a run, and the cache of finished parts."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cutline.core.validation import check_whole

if TYPE_CHECKING:
    from cutline.studies.study_report import StudyReport

Progress = Callable[[int, int], None]


def _silent(done: int, of: int) -> None:
    pass


@dataclass(frozen=True)
class StudySettings:
    """How a study is run.

    Args:
        seed: The seed of everything random; the same seed gives the same numbers.
        quick: A short version that takes less than two minutes.
        data: A folder of data sets, for the study that needs them.
        jobs: How many processes work at the same time.
        progress_file: Where finished parts are kept, so that an interrupted run goes on instead of starting anew.
        progress: Called with how many parts are done, and of how many.
    """

    seed: int = 0
    quick: bool = False
    data: Path | None = None
    jobs: int = 2
    progress_file: Path | None = None
    progress: Progress = field(default=_silent, compare=False)

    def __post_init__(self) -> None:
        check_whole(self.seed, "seed", 0)
        check_whole(self.jobs, "jobs", 1)


@dataclass(frozen=True)
class Study:
    """A published experiment: its name, where it stands, what it asks, and how it is run again."""

    name: str
    title: str
    source: str
    question: str
    run: Callable[[StudySettings], StudyReport]

    @property
    def heading(self) -> tuple[str, str, str, str]:
        """Title, source and question, for the head of its report."""
        return self.name, self.title, self.source, self.question


def do_parts(
    work: Callable[..., Any], parts: Sequence[tuple[Any, ...]], settings: StudySettings, what: str
) -> list[Any]:
    """Return the results of all parts of a study, in their order: those kept from an earlier run, and the others
    computed.

    A result must be plain data (it is kept as JSON). A part is recognised by its arguments, the seed and `what`, which
    names the study and the version of its design.
    """
    from joblib import Parallel, delayed

    journal = _Journal(settings.progress_file, what, settings.seed)
    left = [part for part in dict.fromkeys(parts) if part not in journal]  # each once, though it may serve twice
    settings.progress(len(parts) - len(left), len(parts))
    # As they are finished: one that waited for a slow part before it would be lost by a kill.
    as_finished = Parallel(n_jobs=settings.jobs, return_as="generator_unordered")
    done = as_finished(delayed(_with_number)(i, work, *part, settings.seed) for i, part in enumerate(left))
    for count, (number, result) in enumerate(done, len(parts) - len(left) + 1):
        journal.add(left[number], result)
        settings.progress(count, len(parts))
    return [journal[part] for part in parts]


def _with_number(number: int, work: Callable[..., Any], *arguments: Any) -> tuple[int, Any]:
    return number, work(*arguments)


class _Journal:
    """Finished parts, in memory and as lines of a file; a line that was cut off by a kill is done again."""

    def __init__(self, path: Path | None, what: str, seed: int) -> None:
        self._path, self._what, self._seed = path, what, seed
        self._results: dict[str, Any] = {}
        if path is not None and path.exists():
            self._results = dict(_complete(path.read_bytes().splitlines()))

    def _key(self, part: tuple[Any, ...]) -> str:
        text = json.dumps([self._what, self._seed, part], default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:24]

    def __contains__(self, part: tuple[Any, ...]) -> bool:
        return self._key(part) in self._results

    def __getitem__(self, part: tuple[Any, ...]) -> Any:
        return self._results[self._key(part)]

    def add(self, part: tuple[Any, ...], result: Any) -> None:
        key = self._key(part)
        self._results[key] = result
        if self._path is None:
            return
        line = json.dumps([key, result]).encode()
        with self._path.open("ab") as file:
            file.write(b"\n" + line + b"\n")  # the line break before it ends a line that was cut off
            file.flush()
            os.fsync(file.fileno())


def _complete(lines: Iterable[bytes]) -> Iterable[tuple[str, Any]]:
    for line in lines:
        try:
            key, result = json.loads(line)
        except ValueError:
            continue
        yield key, result
