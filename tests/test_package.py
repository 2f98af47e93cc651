"""The package as a whole: light to import, documented, and every measure declared in full."""

import ast
import inspect
import os
import re
import subprocess
import sys
import tomllib
from dataclasses import replace
from importlib import import_module, metadata, resources
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.version import Version

import cutline
from cutline import MEASURES
from cutline.measures import Context, Family, Needs, Parameter, ReferenceValue
from grouping import each_case

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
REFERENCES = resources.files("cutline.measures").joinpath("references.bib").read_text(encoding="utf-8")
KEYS = re.findall(r"^@\w+\{([^,\s]+),", REFERENCES, flags=re.MULTILINE)

every_measure = each_case("m", MEASURES, ids=str)


# ---------------------------------------------------------------------- the import


def loaded_by(code):
    """The modules that are loaded after the code, in a Python of its own."""
    script = f"{code}\nimport sys\nprint(' '.join(sys.modules))"
    command = [sys.executable, "-W", "error", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    return set(done.stdout.split())


HEAVY = {"scipy", "sklearn", "pandas", "polars", "pyarrow", "matplotlib", "altair", "vl_convert", "jsonschema"}


def test_the_import_loads_nothing_heavy():
    assert not (HEAVY | {"difflib", "concurrent.futures"}) & loaded_by("import cutline")


def test_the_usual_numbers_need_numpy_alone():
    loaded = loaded_by("import cutline as cl; ev = cl.evaluate([1, 0], [0.7, 0.2]); ev.auc, ev.precision, ev.brier")

    assert "numpy" in loaded
    assert not (HEAVY | {"difflib", "concurrent.futures"}) & loaded


def test_one_model_on_the_screen_loads_no_comparison(tmp_path):
    file = tmp_path / "cases.csv"
    file.write_text("y,p\n1,0.9\n0,0.2\n1,0.4\n0,0.6\n")
    arguments = ["evaluate", str(file), "--label", "y", "--score", "p"]

    loaded = loaded_by(f"from cutline.cli.main import main; main({arguments})")

    assert {"cutline.advice.rules", "cutline.inputs.text_table"} <= loaded
    others = {"comparison", "advice.recommend", "inputs.ranking_tables", "inputs.excel_files"}
    others |= {"inference.folds", "inference.permutation", "inference.resampling.pairing"}
    assert not {f"cutline.{name}" for name in others} & loaded


def test_a_file_that_duckdb_reads_leaves_nothing_on_standard_error(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    file = tmp_path / "cases.parquet"
    duckdb.sql("SELECT i % 2 AS y, i / 40 AS p FROM range(40) AS t(i)").write_parquet(str(file))
    command = [sys.executable, "-m", "cutline", "evaluate", str(file), "--label", "y", "--score", "p", "--quiet"]

    ended = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603

    assert (ended.stderr, "AUC" in ended.stdout) == ("", True)


def test_threads_may_be_the_first_to_use_the_advice():
    code = """
import threading
import cutline.advice as advice
ready, found = threading.Barrier(len(advice.__all__)), {}
def use(name):
    ready.wait()
    found[name] = getattr(advice, name)
threads = [threading.Thread(target=use, args=(name,)) for name in advice.__all__]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
assert found.keys() == set(advice.__all__), set(advice.__all__) - found.keys()
"""
    assert {"cutline.advice.notes", "cutline.advice.recommend"} <= loaded_by(code)


def test_curves_need_numpy_alone():
    code = (
        "import cutline as cl; ev = cl.evaluate([1, 0], [0.7, 0.2]); [ev.curve(n) for n in ('roc', 'f1', 'hit_rate')]"
    )

    assert not HEAVY & loaded_by(code)


@pytest.mark.slow
@pytest.mark.parametrize(
    "code",
    [
        "from cutline import *",
        "import cutline; cutline.chart('losses')",
        "import cutline; cutline.CURVES['f1']",
        "import cutline; [getattr(cutline, name) for name in cutline.__all__]",
        "import cutline; [getattr(cutline, name) for name in reversed(cutline.__all__)]",
        "import cutline; cutline.auc([1, 0], [2, 1])",
        "import cutline; cutline.losses.hinge([1, 0], [2, 1])",
        "from cutline import ppv, rank; ppv(rank([1, 0], [2, 1]))",
        "from cutline import Counts; Counts(3, 1, 2, 4).precision",
        "import cutline; assert cutline.rank([1, 0], [2, 1]).counts.recall[1] == 1",
        "from cutline.core.counts import Counts; assert Counts(3, 1, 2, 4).precision == 0.75",
        "import inspect, cutline; assert 'baseline' in inspect.signature(cutline.Measure).parameters",
        "import cutline; dir(cutline)",
        "import cutline; assert not hasattr(cutline, 'nonsense')",
        "from cutline.core.ranking import Ranking; Ranking.of_counts([1], [1], [1]).pairs",
        "from cutline.scoring import scorer; scorer('auc')",
    ],
)
def test_any_name_may_be_the_first_to_be_used(code):
    assert "cutline" in loaded_by(code)


def test_no_measure_is_called_like_a_module():
    modules = {path.stem for path in (ROOT / "src" / "cutline").iterdir()}

    assert not modules & set(MEASURES.names)


def test_the_only_dependencies_are_the_declared_ones():
    extras = PROJECT["project"]["optional-dependencies"]
    declared = [*PROJECT["project"]["dependencies"], *(d for name, own in extras.items() if name != "dev" for d in own)]
    names = {re.split(r"[<>=~ \[]", dependency)[0] for dependency in declared}
    imported_as = {"vl-convert-python": "vl_convert", "scikit-learn": "sklearn", "python-calamine": "python_calamine"}
    names = {imported_as.get(name, name) for name in names} | {"joblib"}  # which scikit-learn brings
    frames = {"dask", "ibis", "pandas", "polars", "pyarrow", "pyspark"}  # which users have or have not
    found = set()
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                found.add((node.module or "").partition(".")[0])
    assert found - sys.stdlib_module_names - {"cutline"} <= names | frames


# ---------------------------------------------------------------------- names


@each_case("name", cutline.__all__)
def test_every_public_name_exists_and_is_documented(name):
    thing = getattr(cutline, name)

    assert inspect.getdoc(thing)
    assert name in dir(cutline)


def test_the_stub_that_type_checkers_read_is_the_list_of_the_public_names():
    stub = ast.parse(Path(cutline.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    listed = [
        (node.module, alias.name) for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names
    ]

    assert sorted(name for _, name in listed) == sorted(cutline.__all__)
    for module, name in listed:
        home = import_module(f"cutline.{module}" if module else "cutline")
        assert getattr(home, name) is getattr(cutline, name)


@pytest.mark.parametrize("name", ["cells", "scoring", "classes", "core", "cli", "report", "_HOMES"])
def test_a_module_that_is_not_public_is_no_attribute(name):
    loaded_by(f"import cutline; assert not hasattr(cutline, {name!r})")


def test_the_public_names_are_listed_once_and_in_order():
    assert len(set(cutline.__all__)) == len(cutline.__all__)
    assert not set(cutline.__all__) & set(MEASURES.names)


@each_case("name", [name for name in cutline.__all__ if inspect.isclass(getattr(cutline, name))])
def test_every_public_method_is_documented(name):
    for attribute, thing in vars(getattr(cutline, name)).items():
        if not attribute.startswith("_") and (inspect.isfunction(thing) or isinstance(thing, property)):
            assert inspect.getdoc(thing), f"{name}.{attribute}"


def test_every_measure_is_a_function_of_the_package_by_each_of_its_names():
    for m in MEASURES:
        for name in m.names:
            assert getattr(cutline, name) is m
            assert MEASURES[name] is m
            assert name in dir(cutline)


def test_no_name_belongs_to_two_measures():
    names = [name for m in MEASURES for name in m.names]

    assert len(names) == len(set(names)) == len(MEASURES.names)
    assert all(re.fullmatch(r"[a-z][a-z0-9_]*", name) for name in names)


def test_no_measure_hides_a_method():
    for kind in (cutline.Evaluation, cutline.Counts):
        hidden = set(MEASURES.names) & {name for name in dir(kind) if not name.startswith("_")}
        assert not hidden


def test_a_name_that_is_taken_stays_taken():
    with pytest.raises(cutline.CutlineError):
        MEASURES.add(MEASURES["auc"])


# ---------------------------------------------------------------------- measures


@every_measure
def test_a_measure_is_declared_in_full(m):
    assert m.title
    assert m.title[0].isupper() or not m.title[0].isalpha()
    assert m.formula.strip() == m.formula != ""
    assert m.meaning.endswith((".", ")"))
    assert "\n" not in m.meaning
    assert m.range[0] < m.range[1]
    assert m.better in ("higher", "lower", None)
    assert isinstance(m.needs, Needs)
    assert isinstance(m.family, Family)
    assert isinstance(m.perfect, ReferenceValue)
    assert isinstance(m.baseline, ReferenceValue)
    assert m.perfect.latex
    assert m.baseline.latex
    assert all(condition.words for condition in m.undefined)
    assert m.name == m.function.__name__
    assert m.__doc__ == m.function.__doc__
    assert repr(m) == f"<measure {m.name}: {m.title}>"


@every_measure
def test_a_formula_closes_its_braces(m):
    for latex in (m.formula, m.perfect.latex, m.baseline.latex):
        assert latex.count("{") == latex.count("}")
        assert latex.count(r"\left") == latex.count(r"\right")
        assert "\t" not in latex
        assert "\x0c" not in latex


@every_measure
def test_a_measure_has_its_sources(m):
    assert m.source or m.name == "recall_at_precision"  # the converse of precision_at_recall, by symmetry
    assert set(m.source) <= set(KEYS), "add it to references.bib"


def test_every_reference_is_cited_and_listed_once():
    cited = {key for m in MEASURES for key in m.source}

    assert len(KEYS) == len(set(KEYS)) == REFERENCES.count("@")
    assert set(KEYS) == cited, "references.bib has the sources of the measures"


@each_case("key", KEYS)
def test_a_reference_says_who_and_when(key):
    entry = next(line for line in REFERENCES.splitlines() if line.partition("{")[2].startswith(f"{key},"))

    assert "author = {" in entry
    assert "title = {" in entry
    assert re.search(r"year = \{(about )?\d{4}\}", entry)  # undated slides are of about some year


@every_measure
def test_the_parameters_are_those_of_the_function(m):
    signature = list(inspect.signature(m.function).parameters.values())

    assert len([p for p in signature if p.kind is not p.KEYWORD_ONLY]) == 1
    assert [p.name for p in signature if p.kind is p.KEYWORD_ONLY] == list(m.parameters)
    assert m.defaults == {p.name: p.default for p in signature if p.default is not p.empty}
    assert set(m.required) == set(m.parameters) - set(m.defaults)


@every_measure
def test_a_parameter_is_explained_and_takes_its_default_and_its_example(m):
    for name, parameter in m.parameters.items():
        assert isinstance(parameter, Parameter)
        assert parameter.words
        assert parameter.domain
        if name in m.defaults:
            parameter.check(name, m.defaults[name], m.defaults[name])
        if parameter.example is not None:
            parameter.check(name, parameter.example, m.defaults.get(name))
        assert parameter.example is not None or parameter.choices


@every_measure
def test_the_baselines_take_the_parameters_of_the_measure(m):
    examples = {name: parameter.example or parameter.choices[0] for name, parameter in m.parameters.items()}
    context = Context(prevalence=0.25, flagged=0.5, n=40, threshold=0.5)
    for baseline in (m.perfect, m.baseline):
        for parameters in (m.defaults, m.defaults | examples):
            if not set(m.required) - set(parameters):
                assert isinstance(baseline.at(context, **parameters), float)


def test_the_registry_can_be_searched():
    assert [m.name for m in MEASURES.search("matthews")] == ["mcc"]
    assert MEASURES["brier"] in MEASURES.search("mean squared")
    assert {m.family for m in MEASURES.search(family="cost")} == {Family.COST}
    assert {m.needs for m in MEASURES.search(needs="probabilities")} == {Needs.PROBABILITIES}
    assert {m.better for m in MEASURES.search(better=None)} == {None}
    assert MEASURES.search() == list(MEASURES)
    assert MEASURES.search("nothing is called so") == []
    assert repr(MEASURES).startswith(f"Registry of {len(MEASURES)} measures: ")


def test_a_bound_measure_is_the_same_with_its_parameters_fixed():
    fixed = MEASURES["f_beta"].with_(beta=2)

    assert str(fixed) == "f_beta(beta=2)"
    assert fixed(cutline.Counts(3, 1, 2, 4)) == MEASURES["f_beta"](cutline.Counts(3, 1, 2, 4), beta=2)
    assert MEASURES["f_beta"].defaults == {"beta": 1.0}
    assert MEASURES["hit_rate"].with_(quota=3).required == ()
    assert (MEASURES["log_loss"].unit, MEASURES["log_loss"].with_(base=2).unit) == ("nats", "bits")


def test_nothing_fixed_is_the_measure_itself():
    fixed = MEASURES["f_beta"].with_(beta=2)

    assert all(m.with_() is m for m in MEASURES)
    assert fixed.with_() is fixed


@pytest.mark.parametrize("name", ["positive_rate", "h_index"])
def test_a_name_that_means_something_else_elsewhere_is_no_alias(name):
    assert name not in MEASURES
    assert not hasattr(cutline, name)


THE_FOUR = ("berrar2025", "murphy2007", "arbel2006", "sonnenburg")


def test_every_citation_of_the_four_texts_names_the_place():
    for m in MEASURES:
        for key in THE_FOUR:
            assert m.source.get(key, "somewhere"), (m.name, key)


def test_every_definition_of_berrar_that_is_a_measure_is_one():
    """All but 34, the triplet loss, which is one of embeddings, and 36 to 38, which are intervals."""
    places = {m.source["berrar2025"] for m in MEASURES if "berrar2025" in m.source}

    assert {f"Definition {number}" for number in (*range(1, 34), 35)} <= places


OF_TEXT = {
    "sonnenburg": """
        accuracy error_rate recall specificity fnr fpr precision fdr npv false_omission_rate balanced_error_rate
        youden_j f1 mcc auc gini average_precision roc_n
    """,
    "murphy2007": """
        accuracy recall fpr fnr specificity precision f1 f_alpha mutual_information predicted_positive_rate auc eer
        average_precision precision_at_recall
    """,
    "Rokach": """
        accuracy error_rate precision recall fpr specificity fnr auc auch gini portion_lift hit_rate qrecall pearson
        average_hit_rate average_qrecall pem
    """,
}


@pytest.mark.parametrize(("source", "names"), OF_TEXT.items(), ids=OF_TEXT)
def test_measures_are_found_by_the_text_that_defines_them(source, names):
    assert {m.name for m in MEASURES.search(source=source)} == set(names.split())


def test_a_name_means_the_followed_text_and_a_key_means_its_own():
    assert MEASURES.search(source="Murphy") == MEASURES.search(source="murphy2007")
    assert [m.name for m in MEASURES.search(source="murphy1973")] == ["brier_skill"]


@pytest.mark.parametrize("name", ["Arbel & Rokach", "arbel-rokach", "Arbel and Rokach", "arbel&rokach", "arbel2006"])
def test_two_authors_may_be_joined_in_any_way(name):
    assert MEASURES.search(source=name) == MEASURES.search(source="Rokach")
    assert [m.name for m in MEASURES.search(source=f"{name}, Equation 13")] == ["average_qrecall"]


@pytest.mark.parametrize("name", ["nobody", "&", "Arbel & Nobody"])
def test_a_source_that_nobody_knows_is_refused_with_the_names_of_the_four_texts(name):
    with pytest.raises(
        cutline.UnknownNameError, match="The four texts are Berrar, Murphy, Arbel and Rokach, Sonnenburg"
    ):
        MEASURES.search(source=name)


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("Berrar, Definition 15", ["mcc"]),
        ("Berrar 2025, definition 1", [m.name for m in MEASURES if m.source.get("berrar2025") == "Definition 1"]),
        ("Arbel and Rokach, Equation 99", []),
    ],
)
def test_measures_are_found_by_the_place_in_a_text(source, names):
    assert [m.name for m in MEASURES.search(source=source)] == names


def test_a_citation_names_author_year_and_place():
    assert MEASURES["mcc"].cited == "Berrar 2025, Definition 15; Sonnenburg, Scores III; Matthews 1975"
    with pytest.raises(cutline.UnknownNameError, match="No source is called 'nobody'"):
        MEASURES.search(source="nobody")


def test_the_main_source_is_cited_by_its_year():
    assert "berrar2025" in KEYS
    assert [key for key in KEYS if key.startswith("berrar")] == ["berrar2014", "berrar2025"]
    assert "berrar2025" in MEASURES["auc"].source


HALF = r"\frac{\pi}{2}"


@pytest.mark.parametrize(
    ("name", "words"), [("aucpr_min", HALF), ("aucpr_minmax", r"\frac{p_0 + \pi}{2}"), ("aucpr_max", HALF)]
)
def test_the_trapezoids_of_a_constant_score_are_half_the_prevalence(name, words):
    m = MEASURES[name]

    assert m.baseline.latex == words
    assert m([1, 1, 1] + [0] * 7, [0.5] * 10) == pytest.approx(0.3 / 2)
    assert m.baseline.at(Context(prevalence=0.3)) == pytest.approx(0.3 / 2)


# ---------------------------------------------------------------------- the distribution


def test_the_version_is_that_of_the_project():
    assert "version" in PROJECT["project"]["dynamic"]  # it stands in cutline/__init__.py alone
    assert cutline.__version__ == metadata.version("cutline")


def _requirements():
    """Every requirement of the package and of its tests that applies to this machine."""
    project = PROJECT["project"]
    found = [Requirement(text) for text in (*project["dependencies"], *project["optional-dependencies"]["dev"])]
    return [one for one in found if one.name != "cutline" and (one.marker is None or one.marker.evaluate())]


@pytest.mark.parametrize("requirement", _requirements(), ids=lambda one: one.name)
def test_every_dependency_has_an_oldest_version_which_make_test_minimum_installs(requirement):
    [oldest] = [Version(one.version) for one in requirement.specifier if one.operator == ">="]
    installed = Version(metadata.version(requirement.name))
    assert installed >= oldest
    if os.environ.get("CUTLINE_MINIMUM"):
        given = len(oldest.release)
        assert installed.release[:given] == oldest.release, f"{requirement.name} {installed} is newer than {oldest}"


def test_every_extra_has_an_oldest_version_too():
    for extra, texts in PROJECT["project"]["optional-dependencies"].items():
        for one in map(Requirement, texts):
            floors = [specifier for specifier in one.specifier if specifier.operator == ">="]
            assert floors or one.name == "cutline", (extra, str(one))


def test_the_citation_and_the_python_versions_agree_with_the_project():
    project = PROJECT["project"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert (citation["version"], citation["license"]) == (cutline.__version__, project["license"])
    assert citation["repository-code"] == project["urls"]["Homepage"]
    listed = [text.rpartition(" ")[2] for text in project["classifiers"] if ":: 3." in text]
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "test.yml").read_text(encoding="utf-8"))
    assert workflow["jobs"]["test"]["strategy"]["matrix"]["python"] == listed
    assert project["requires-python"] == f">={listed[0]}"


@pytest.mark.parametrize("workflow", sorted((ROOT / ".github" / "workflows").glob("*.yml")), ids=lambda one: one.stem)
def test_a_workflow_runs_targets_that_the_makefile_has(workflow):
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    jobs = yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"].values()
    commands = [step["run"] for job in jobs for step in job["steps"] if "run" in step]
    assert commands
    for command in commands:
        program, target, *_ = command.split()
        assert program != "make" or target in targets, command


def test_every_platform_is_tested_and_has_a_wheel():
    def job(workflow, name):
        return yaml.safe_load((ROOT / ".github" / "workflows" / workflow).read_text(encoding="utf-8"))["jobs"][name]

    tested = {*job("test.yml", "other-systems")["strategy"]["matrix"]["system"], job("test.yml", "test")["runs-on"]}
    assert tested == {"ubuntu-latest", "windows-latest", "macos-latest"}
    assert tested < set(job("release.yml", "wheels")["strategy"]["matrix"]["system"])
    assert job("release.yml", "publish")["permissions"]["id-token"] == "write"  # trusted publishing


def test_every_link_of_the_readme_works_on_a_package_index():
    """As the build writes it: absolute, or to a place in the page; and what it points to is in the repository."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    for change in PROJECT["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]["substitutions"]:
        text = re.sub(change["pattern"], change["replacement"], text)
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert len(links) > 20
    for link in links:
        assert link.startswith(("https://", "#")), link
        path = link.partition("cutline/cutline/blob/main/")[2]
        path = path or link.partition("cutline/cutline/main/")[2]
        assert not path or (ROOT / path.partition("#")[0]).exists(), link


def test_the_types_are_shipped():
    assert resources.files("cutline").joinpath("py.typed").is_file()
    assert PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == ["src/cutline"]


def test_an_incomplete_declaration_would_be_seen(monkeypatch):
    broken = replace(MEASURES["f_beta"], parameters={})

    with pytest.raises(AssertionError):
        test_the_parameters_are_those_of_the_function.__wrapped__(broken)


def test_the_profiles_watch_functions_that_exist():
    source = (ROOT / "benchmarks" / "profiles.py").read_text(encoding="utf-8")
    watched = re.findall(r'\("(cutline[\w.]+)", "(\w+)"', source)
    assert len(watched) > 9
    for module, name in watched:
        assert hasattr(import_module(module), name), f"{module}.{name}"
