"""Write docs/studies/hard.*, which lists every measure of one cut, and its numbers in README.md; others take long."""

import re
from pathlib import Path
from tempfile import TemporaryDirectory

from cutline.studies import STUDIES, StudySettings

FOLDER = Path(__file__).parent / "studies"

if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        for path in STUDIES["hard"].run(StudySettings()).save(Path(folder)):
            if path.suffix in (".md", ".csv", ".svg"):  # the page and the facts are not kept
                (FOLDER / path.name).write_bytes(path.read_bytes())
    # The list of studies has two numbers of this one.
    report, listed = (FOLDER / "hard.md").read_text(encoding="utf-8"), FOLDER / "README.md"
    total, right = re.findall(r"Of the (\d+) measures of one cut in the registry, (\d+) put", report)[0]
    text = re.sub(
        r"\d+ of \d+ measures of one cut", f"{right} of {total} measures of one cut", listed.read_text("utf-8")
    )
    listed.write_text(text, encoding="utf-8")
