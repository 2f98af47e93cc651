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

from cutline import CHARTS, CURVES, MEASURES
from cutline.cli.main import main
from cutline.inference.methods import TABLE

ROOT = Path(__file__).parents[1]


@pytest.fixture
def load_maker():
    """Load a module of docs/ by its name."""

    def load(name):
        spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
        made = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(made)
        return made

    return load


@pytest.mark.parametrize("maker", ["make_measures", "make_advice", "make_ledger", "make_intervals"])
def test_a_page_that_is_written_by_code_is_what_the_code_says(maker, load_maker):
    made = load_maker(maker)

    assert made.PAGE.read_text(encoding="utf-8") == made.page(), "run `make docs`"


def test_type_checkers_know_the_measures_of_today(load_maker):
    made = load_maker("make_stubs")

    assert made.STUB.read_text(encoding="utf-8") == made.stub(), "run `make docs`"
    assert made.ATTRIBUTES.read_text(encoding="utf-8") == made.attributes(), "run `make docs`"


def test_the_formulas_of_the_page_are_those_of_the_measures(load_maker):
    made = load_maker("make_formulas")

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


def test_the_pages_that_count_the_measures_count_all(load_maker):
    made = load_maker("make_measures")

    for path, sentence in made.COUNTS.items():
        expected = sentence.format(len(MEASURES), len(MEASURES.names))
        assert expected in path.read_text(encoding="utf-8"), f"run `make docs`, which corrects {path.name}"


def test_the_page_of_intervals_names_every_method():
    page = (ROOT / "docs" / "intervals.md").read_text(encoding="utf-8")
    methods = {method.name for row in TABLE.values() for method in row}

    assert {name for name in methods if f"`{name}`" not in page} == set(), "say in docs/intervals.md when to use it"


def test_the_page_of_curves_says_how_the_points_of_every_curve_are_joined():
    page = (ROOT / "docs" / "curves.md").read_text(encoding="utf-8")
    first_cells = re.findall(r"^\| (`.*?) \|", page, flags=re.MULTILINE)
    named = {name for cell in first_cells for name in re.findall(r"`(\w+)`", cell)}

    assert {kind.name for kind in CURVES} - named == set(), "add a row to the table of docs/curves.md"


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
