"""The documentation says what the code does."""

import ast
import importlib.util
import json
import re
import shlex
import shutil
import tomllib
from pathlib import Path

import pytest

from cutline import CHARTS, MEASURES
from cutline.cli.main import main

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("maker", ["make_measures", "make_advice", "make_ledger", "make_intervals"])
def test_a_page_that_is_written_by_code_is_what_the_code_says(maker):
    spec = importlib.util.spec_from_file_location(maker, ROOT / "docs" / f"{maker}.py")
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)

    assert made.PAGE.read_text(encoding="utf-8") == made.page(), "run `make docs`"


def test_type_checkers_know_the_measures_of_today():
    spec = importlib.util.spec_from_file_location("make_stubs", ROOT / "docs" / "make_stubs.py")
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)

    assert made.STUB.read_text(encoding="utf-8") == made.stub(), "run `make docs`"
    assert made.ATTRIBUTES.read_text(encoding="utf-8") == made.attributes(), "run `make docs`"


def test_the_formulas_of_the_page_are_those_of_the_measures():
    spec = importlib.util.spec_from_file_location("make_formulas", ROOT / "docs" / "make_formulas.py")
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)

    assert json.loads(made.FORMULAS.read_text(encoding="utf-8")) == made.formulas(), "run `make docs`"


def test_the_page_of_measures_resolves_every_source():
    page = (ROOT / "docs" / "measures.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^- (\w+): ", page.split("## Sources")[1], flags=re.MULTILINE))

    assert {key for measure in MEASURES for key in measure.source} == listed


def test_no_placeholder_is_left():
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        assert not re.search(r"^(BENCHMARK|TODO|TBD)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE), page


SCREENS = re.findall(
    r"```text\n\$ (.*?)\n(.*?)\n```", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.DOTALL
)


@pytest.mark.parametrize(("command", "screen"), SCREENS, ids=[command.split()[1] for command, _ in SCREENS])
def test_the_screens_of_the_readme_are_what_the_commands_print(command, screen, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    shutil.copy(ROOT / "docs" / "assets" / "predictions.csv", tmp_path)
    assert main(shlex.split(command)[1:]) == 0
    printed = "\n".join(line.rstrip() for line in capsys.readouterr().out.splitlines())

    assert printed.startswith(screen)


def test_the_readme_has_three_screens():
    assert [command.split()[1] for command, _ in SCREENS] == ["evaluate", "compare", "cut"]


def test_the_picture_of_the_layers_names_every_layer():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    [contract] = project["tool"]["importlinter"]["contracts"]
    drawing = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("## Layers")[1].split("\n\n- ")[0]
    names = {name.strip().removeprefix("cutline.") for line in contract["layers"] for name in re.split(r"[|:]", line)}

    assert names - {"__main__"} == {name for name in names if re.search(rf"\b{name} {{3}}", drawing)}


def test_the_reference_holds_every_public_name():
    """All that `import cutline` has but the measures, which have a page each, and the rooms of the package."""
    stub = ast.parse((ROOT / "src" / "cutline" / "__init__.pyi").read_text(encoding="utf-8"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom) and node.module]
    public = {alias.name for node in imports for alias in node.names}
    pages = ast.parse((ROOT / "docs" / "site" / "pages.py").read_text(encoding="utf-8"))
    api = next(ast.literal_eval(node.value) for node in pages.body if getattr(node, "targets", None)
               and getattr(node.targets[0], "id", "") == "API")  # fmt: skip
    named = {name for names in api.values() for name in names}

    assert public - named == set()


def test_the_list_of_everything_counts_the_measures():
    features = (ROOT / "docs" / "features.md").read_text(encoding="utf-8")

    assert f"**{len(MEASURES)} measures** with {len(MEASURES.names)} names" in features


@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        "docs/identities.md",
        "docs/errata.md",
        "docs/training.md",
        "docs/comparing.md",
        "docs/several-classes.md",
        "docs/cross-validation.md",
        "docs/intervals.md",
        "docs/own-measures.md",
        "docs/advice.md",
        "docs/cli.md",
        "docs/ci.md",
    ],
)
def test_links_to_files_lead_somewhere(page):
    text = (ROOT / page).read_text(encoding="utf-8")

    for target in re.findall(r"\]\((?!http)([^()\s#]+\.\w+)\)", text):
        assert ((ROOT / page).parent / target).exists(), target


def test_the_gallery_links_every_picture_and_every_chart_has_one():
    page = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    linked = re.findall(r"\]\(gallery/([\w.-]+\.png)\)", page)
    drawn = {path.name: path.stat().st_size for path in (ROOT / "docs" / "gallery").iterdir()}

    assert sorted(linked) == sorted(drawn)
    assert all(f'chart("{name}"' in page for name in CHARTS)
    charts = (ROOT / "docs" / "charts.md").read_text(encoding="utf-8")
    assert all(f"## {name}\n" in charts and f" {name} " in charts for name in CHARTS)
    assert max(drawn.values()) < 150_000
    assert sum(drawn.values()) < 4_000_000
