"""How the code is built: small modules and functions, rooms with doors, and tests where the names say."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE, TESTS = ROOT / "src" / "cutline", ROOT / "tests"
MODULES = sorted(SOURCE.rglob("*.py"))
LINES_OF_A_MODULE, LINES_OF_A_FUNCTION = 400, 40

each_module = pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(SOURCE).as_posix())


def functions(text):
    """Every function, with the lines that it takes besides its docstring."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0]
            is_doc = isinstance(first, ast.Expr) and isinstance(getattr(first.value, "value", None), str)
            words = first.end_lineno - first.lineno + 1 if is_doc else 0
            yield node.name, node.end_lineno - node.lineno + 1 - words


@each_module
def test_modules_and_functions_are_small(path):
    text = path.read_text(encoding="utf-8")

    assert len(text.splitlines()) <= LINES_OF_A_MODULE
    assert {name: lines for name, lines in functions(text) if lines > LINES_OF_A_FUNCTION} == {}


def test_a_long_function_is_seen():
    body = "\n".join(f"    x{i} = {i}" for i in range(40))

    assert dict(functions(f'def long():\n    """Words."""\n{body}\n')) == {"long": 41}


def imports(path):
    """The modules that a module imports, and the names from them."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("cutline"):
            yield node.module, [alias.name for alias in node.names]
        elif isinstance(node, ast.Import):
            yield from ((alias.name, []) for alias in node.names if alias.name.startswith("cutline"))


@each_module
def test_no_room_takes_what_another_keeps_to_itself(path):
    room = path.relative_to(SOURCE).parts[0]
    for module, names in imports(path):
        other = module.split(".")[1] if "." in module else ""
        if other != room:
            private = [part for part in (*module.split("."), *names) if part.startswith("_") and part != "__version__"]
            assert not private, f"{module}: {private}"


@each_module
def test_what_is_left_to_others_is_abstract(path):
    assert "raise NotImplementedError" not in path.read_text(encoding="utf-8")


def test_a_test_with_the_name_of_a_module_is_where_the_module_is():
    rooms = {path.relative_to(SOURCE).parent for path in MODULES} | {Path("site")}  # the site is made in docs/site
    homes = {}
    for path in MODULES:
        homes.setdefault(path.stem, set()).add(path.relative_to(SOURCE).parent)
    for path in sorted(TESTS.rglob("test_*.py")):
        folder, name = path.relative_to(TESTS).parent, path.stem.removeprefix("test_")
        assert folder in rooms, f"{path} is in no room of the house"
        home = homes.get(name.removeprefix("cli_") if folder.name == "cli" else name, {folder})
        assert folder in home, f"{path.relative_to(TESTS)} belongs to {', '.join(map(str, home))}"


ROOMS_OF_NOTES = ("advice", "calibration", "classes", "cuts", "inference", "measures", "results")
AS_A_CALL = re.compile(r"\b(?:pass|see|ask for|leave) \w+=|\bev\.\w+\(")


def said(text):
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
        if path.relative_to(SOURCE).parts[0] in ROOMS_OF_NOTES and path.stem != "contract"  # which is for definitions
        for text in said(path.read_text(encoding="utf-8"))
        if AS_A_CALL.search(text)
    ]

    assert found == []
    assert [text for text in said("NOTE = 'few: pass method=1'") if AS_A_CALL.search(text)]
