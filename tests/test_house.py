"""How the code is built: packages that keep to themselves what is private, and notes that every front end can show."""

import ast
import re
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest

from grouping import each_case

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "cutline"
MODULES = sorted(SOURCE.rglob("*.py"))

each_module = each_case("path", {path.relative_to(SOURCE).as_posix(): path for path in MODULES})


def imports(path):
    """The modules that a module imports, and the names from them."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("cutline"):
            yield node.module, [alias.name for alias in node.names]
        elif isinstance(node, ast.Import):
            yield from ((alias.name, []) for alias in node.names if alias.name.startswith("cutline"))


@each_module
def test_no_package_imports_private_names_of_another(path):
    package = path.relative_to(SOURCE).parts[0]
    for module, names in imports(path):
        other = module.split(".")[1] if "." in module else ""
        if other != package:
            private = [part for part in (*module.split("."), *names) if part.startswith("_") and part != "__version__"]
            assert not private, f"{module}: {private}"


@each_module
def test_what_is_left_to_others_is_abstract(path):
    assert "raise NotImplementedError" not in path.read_text(encoding="utf-8")


@each_module
def test_what_escapes_for_a_page_also_writes_out_what_turns_the_line(path):
    if path.relative_to(SOURCE).as_posix() != "core/escaping.py":
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"\bhtml\.escape\(|from html import", text), "call html_text of core.escaping"


PACKAGES_WITH_NOTES = ("advice", "calibration", "multiclass", "cuts", "inference", "measures", "results")
AS_A_CALL = re.compile(r"\b(?:pass|see|ask for|leave) \w+=|\bev\.\w+\(")


def strings_of(text):
    """The strings of a module that people may read as notes: neither docstrings nor what is refused."""
    tree = ast.parse(text)
    left_out = {id(part) for node in ast.walk(tree) if isinstance(node, ast.Raise) for part in ast.walk(node)}
    left_out |= {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in left_out:
            yield node.value


def test_no_note_names_an_argument_of_python_in_plain_text():
    """The command line shows the same notes, and names its options: an Argument in a Text is told by each."""
    found = [
        f"{path.relative_to(SOURCE)}: {text}"
        for path in MODULES
        if path.relative_to(SOURCE).parts[0] in PACKAGES_WITH_NOTES
        and path.stem != "check_measure"  # which is for definitions
        for text in strings_of(path.read_text(encoding="utf-8"))
        if AS_A_CALL.search(text)
    ]

    assert found == []
    assert [text for text in strings_of("NOTE = 'few: pass method=1'") if AS_A_CALL.search(text)]


def shared_class_names(modules):
    """Return the names of classes that more than one module defines, with those modules."""
    definitions = defaultdict(list)
    for name, text in modules.items():
        classes = {node.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ClassDef)}
        for each in classes:
            definitions[each].append(name)
    return {name: where for name, where in definitions.items() if len(where) > 1}


def test_no_two_modules_define_a_class_of_the_same_name():
    modules = {path.relative_to(SOURCE).as_posix(): path.read_text(encoding="utf-8") for path in MODULES}

    assert shared_class_names(modules) == {}


def test_private_classes_of_the_same_name_are_seen():
    modules = {"a.py": "class _Task: ...", "b.py": "if True:\n    class _Task: ...", "c.py": "class Task: ..."}

    assert shared_class_names(modules) == {"_Task": ["a.py", "b.py"]}


def test_no_file_that_a_run_leaves_behind_is_committed():
    listed = subprocess.run(
        ["git", "ls-files", "-z"],  # noqa: S607
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode:
        pytest.skip("this is not a clone")
    files = [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]

    at_root = [path for path in files if path.parent == ROOT]
    assert [path.name for path in files if path.stat().st_size > 700_000] == []
    assert [path.name for path in at_root if path.suffix in {".html", ".json", ".csv", ".png"}] == []
    folders = {path.relative_to(ROOT).parts[0] for path in files if path.parent != ROOT}
    assert folders <= {".ci", ".github", "benchmarks", "docs", "examples", "src", "tests"}
