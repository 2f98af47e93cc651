"""The documentation says what the code does."""

import doctest
import importlib.util
import re
from pathlib import Path

import pytest

from cutline import MEASURES

ROOT = Path(__file__).parents[1]


def test_the_page_of_measures_is_what_the_registry_says():
    spec = importlib.util.spec_from_file_location("make_measures", ROOT / "docs" / "make_measures.py")
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)

    assert made.PAGE.read_text(encoding="utf-8") == made.page(), "run `make docs`"


def test_the_page_of_measures_resolves_every_source():
    page = (ROOT / "docs" / "measures.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^- (\w+): ", page.split("## Sources")[1], flags=re.MULTILINE))

    assert {key for measure in MEASURES for key in measure.source} == listed


@pytest.mark.parametrize("name", ["docs/identities.md", "docs/errata.md", "docs/intervals.md"])
def test_the_examples_of_a_page_are_true(name):
    failed, _ = doctest.testfile(str(ROOT / name), module_relative=False)

    assert failed == 0


def test_the_readme_counts_the_measures():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")

    assert f"**{len(MEASURES)} measures** with {len(MEASURES.names)} names" in readme


@pytest.mark.parametrize("page", ["README.md", "docs/identities.md", "docs/errata.md", "docs/intervals.md"])
def test_links_to_files_lead_somewhere(page):
    text = (ROOT / page).read_text(encoding="utf-8")

    for target in re.findall(r"\]\((?!http)([^()\s#]+\.\w+)\)", text):
        assert ((ROOT / page).parent / target).exists(), target
