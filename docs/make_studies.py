"""Writes docs/studies/hard.*, the study that lists every measure of one cut; the others take long and are kept."""

from pathlib import Path
from tempfile import TemporaryDirectory

from cutline.studies import STUDIES, StudySettings

FOLDER = Path(__file__).parent / "studies"

if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        for path in STUDIES["hard"].run(StudySettings()).save(Path(folder)):
            if path.suffix in (".md", ".csv", ".svg"):  # the page and the facts are not kept
                (FOLDER / path.name).write_bytes(path.read_bytes())
