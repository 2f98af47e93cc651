"""The published experiments, re-run: each study asks a question of its text and answers it with the public API.

`STUDIES` lists them; `STUDIES["skew"].run(Settings(quick=True))` returns a `StudyReport`, which `save(folder)` writes
as Markdown, as one HTML page with charts, and as CSV. `cutline study --list` and `cutline study NAME` do the same.
"""

from __future__ import annotations

from cutline.core.errors import UnknownNameError, hint_similar
from cutline.studies import hard, noise, quota, skew, voting
from cutline.studies.study import Study, StudyReport, StudySection, StudySettings

STUDIES: dict[str, Study] = {
    study.name: study for study in (quota.STUDY, voting.STUDY, skew.STUDY, noise.STUDY, hard.STUDY)
}

__all__ = ["STUDIES", "Study", "StudyReport", "StudySection", "StudySettings", "study"]


def study(name: str) -> Study:
    """Return a study by its name.

    Args:
        name: One of the names in `STUDIES`.
    """
    if name not in STUDIES:
        raise UnknownNameError(
            f"There is no study {name!r}", f"choose one of {', '.join(STUDIES)}", hint=hint_similar(name, STUDIES)
        )
    return STUDIES[name]
